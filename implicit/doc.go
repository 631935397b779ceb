// Package implicit solves the linear systems that differentiating through an
// equation F(w, λ) = 0 leads to.
//
// # Linear systems
//
// The matrix of these systems is ∂F/∂w: square, as sparse as the equations are,
// rarely symmetric, and the same for every direction of differentiation, with
// A and with Aᵀ. So it is factorized once and solved with often, or, where the
// factors would not fit, never formed.
//
//	var lu implicit.LU
//	err := lu.Factorize(a)            // a *sparsity.Matrix
//	err = lu.SolveTo(&x, false, b)    // A X = B, the same as x.Solve(&lu, b)
//	err = lu.SolveTo(&x, true, b)     // Aᵀ X = B
//	err = lu.SolveInto(v, false, v)   // one right-hand side, plain slices
//	err = lu.Refactorize(a)           // new values in the same places
//
// Factorize finds orders of rows and columns for which the factors have few
// entries, and good pivots; Refactorize takes both as they are, allocates
// nothing, and is two to four times as fast. NNZ and Fill tell what the factors
// take.
//
//   - A band, or a grid in two dimensions: LU. On the 5-point grid with 10⁵
//     points the factors have 12 entries for each of A.
//   - A grid in three dimensions, or equations where everything depends on
//     everything through a few steps: LU while the factors fit, then GMRES. On a
//     cube of n points they have some n^(4/3) entries, 60 for each of A at
//     n = 27,000.
//   - A small or full matrix: mat.LU. With 5 entries a row in random places it
//     is as fast as LU up to about n = 100.
//
// GMRES and BiCGStab want the product with A only, as a function: a JVP serves,
// and a VJP for the transposed system. They pay where A is well conditioned or
// has a preconditioner, a cheap approximate inverse: the LU of a simpler matrix,
// or of an earlier one. GMRES is the one to try first. BiCGStab stores fewer
// vectors.
//
// # When there is no solution
//
// A structurally singular matrix has no transversal, n entries of which no two
// share a row or column: then no values make it regular, and an equation or a
// variable is missing from the model. A matrix may also be singular for its
// values, or so near to singular that rounding decides. All three give a
// *SingularError with the structural rank, the reciprocal condition number and
// the rows and columns that are to blame. It wraps mat.Condition.
//
// Solutions are refined until each of their equations holds to within a few
// roundings of its terms, for A and b however badly rows and columns are
// scaled, and it is an error if they cannot be. Their own error is up to the
// condition number Cond times that.
package implicit
