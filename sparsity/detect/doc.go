// Package detect finds the sparsity patterns of the derivatives of a generic
// function: the pairs of output and variable, or of two variables, whose
// derivative may differ from 0, whatever the point.
//
//	p := detect.Hessian(f[detect.Tracer], n)
//
// calls f once with [Tracer] numbers, which note what depends on what and how.
// A tape detects its patterns by the same rules, and knows branches, parameters
// and the user's own primitives besides: see package reverse.
//
// # What a Tracer notes
//
// An operation z = φ(a, b) has up to five derivatives that are not always 0:
// ∂/∂a, ∂/∂b, ∂²/∂a², ∂²/∂b² and ∂²/∂a∂b. A sum has the first two, a product
// the mixed one besides, a quotient all but ∂²/∂a². Let χ(a) be the variables
// that a depends on through first derivatives. Then x_j is in row i of the
// Jacobian if it is in χ(f_i), and (j, k) is in the Hessian of f if an
// operation that f depends on has ∂²/∂a∂b and (j, k) or (k, j) is in
// χ(a)×χ(b). So x₀·x₁ has no diagonal, −x and 3x are as linear as x, and what f
// does not use counts for nothing.
package detect
