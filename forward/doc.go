// Package forward computes first derivatives, and second derivatives of
// functions of one variable, by evaluating the function on dual numbers: no
// tape, nothing recorded, memory for one evaluation whatever the length of the
// computation.
//
// # Dual numbers
//
// A dual number v + dε, with ε² = 0, carries a value v and a derivative d.
// Arithmetic on dual numbers is the chain rule, applied one operation at a
// time:
//
//	(v + dε)(w + eε) = vw + (dw + ve)ε,   sin(v + dε) = sin v + d·cos(v)·ε.
//
// A function f evaluated at x + vε, the components of v being the ε parts of
// those of x, is therefore
//
//	f(x + vε) = f(x) + (J v)ε,
//
// its value and the derivative along the direction v, the seed, exact to
// rounding: there is no step to choose. That one evaluation is a
// Jacobian-vector product (JVP), a tangent sweep. With v = eⱼ it is column j of
// the Jacobian J, and n of them are all of it, or the gradient.
//
// # The smallest example
//
//	func cube[T dual.Scalar[T]](x T) T { return x.Mul(x).Mul(x) }
//
//	y, dy := forward.Derivative(cube, 2) // 8, 12
//
// A function is written generic over [dual.Scalar] and passed as it is: Go finds the type
// argument. What takes several directions evaluates it on [dual.Number3], which has three.
//
// # Which function when
//
//	f: R → R     f′                         Derivative
//	             f′ and f″                  SecondDerivative
//	             f, f′, f″, … to any order  Derivatives
//	f: Rⁿ → R    ∇f·v                       Directional    1 evaluation
//	             ∇f                         Gradient       ⌈n/3⌉
//	f: Rⁿ → Rᵐ   J v                        JVP            1
//	             J                          Jacobian       ⌈n/3⌉
//	             J S, S of zeros and ones   Compressed     a third of the columns of S
//
//	             f(x(t)) as a polynomial    Taylor         1, of polynomials
//	y′ = f(t, y)                            Flow           by Taylor series
//
// Package reverse gives a gradient for a price that does not grow with n, but it
// records the function first, which takes the time of many evaluations,
// stores every operation, and must record again where a branch of the function
// goes the other way. Forward mode is the better one
//
//   - for a single direction, with any number of variables;
//   - for few variables, or for more outputs than variables;
//   - for functions differentiated once, or whose loops and branches depend on
//     the data: iterations to convergence, searches, adaptive steps;
//   - for computations so long that their tape would not fit in memory;
//   - for a sparse Jacobian whose columns fall into few groups without a common
//     row (Compressed; Sparse finds the groups and puts the entries back).
//
// # Conventions
//
// The functions take dst first where they return a slice or a matrix; nil
// allocates it. Misuse panics: a nil function, a wrong length or shape.
// Nothing else fails: NaN and ±∞ go through as IEEE 754 has it, derivatives at
// kinks and poles are those of package dual. f may overwrite its argument but
// not keep it, and dst may overlap the other arguments. Calls into a given dst do
// not allocate in steady state, but for what f allocates. All functions are safe
// for concurrent use if f is.
//
// Source: Griewank, Walther, Evaluating Derivatives, 2nd ed., SIAM 2008,
// chapter 3.1; for second derivatives Fike, Alonso, The development of
// hyper-dual numbers for exact second-derivative calculations, AIAA 2011-886.
package forward
