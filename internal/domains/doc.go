// Package domains finds which derivatives may differ from 0 by index domains:
// χ(v), the set of inputs that an intermediate result v depends on through
// first derivatives. x_j is in row i of the Jacobian if it is in χ(f_i); (j, k)
// is in the Hessian if an operation that a result depends on has a second
// derivative in a and b, and (j, k) or (k, j) is in χ(a)×χ(b).
//
// A [Graph] comes in, from a program or from elsewhere; a sparsity.Pattern goes
// out. What takes time are the sets, which are shared where they are equal or
// nested.
//
// Sources: A. Walther, Computing sparse Hessians with automatic differentiation,
// ACM TOMS 34, 2008 (the domains, and the products of those of nonlinear
// operations); A. Griewank, A. Walther, Evaluating Derivatives, 2nd edition,
// 2008, section 7.1.
package domains
