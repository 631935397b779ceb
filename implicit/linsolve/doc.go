// Package linsolve solves sparse systems of linear equations, and least-squares
// problems: by factorization, or by iterations that know the matrix by its
// products only.
//
//	AX = B, AᵀX = B, A sparse and the same for many B.
//
// A system is factorized once and solved with often; where its factors would not
// fit, it is not formed at all.
//
//	var lu linsolve.LU
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
//   - A is symmetric positive definite, as the Hessian at a minimum is: Cholesky,
//     given one triangle, at half of the cost.
//   - More equations than unknowns: QR for the least-squares solution and its
//     variances, or Cholesky of AᵀA where A is well conditioned.
//   - A band, or a grid in two dimensions: LU. On the 5-point grid with 10⁵
//     points the factors have 12 entries for each of A.
//   - A grid in three dimensions, or equations where everything depends on
//     everything through a few steps: LU while the factors fit, then GMRES. On a
//     cube of n points they have some n^(4/3) entries, 60 for each of A at
//     n = 27,000.
//   - A full matrix, or a few unknowns: mat.LU.
//
// GMRES and BiCGStab want the product with A only, as a function: a JVP serves,
// and a VJP for the transposed system. They pay where A is well conditioned or
// has a preconditioner, a cheap approximate inverse: the LU of a simpler matrix,
// or of an earlier one. GMRES is the one to try first. BiCGStab stores fewer
// vectors.
//
// Cholesky also serves where a Hessian must be made positive definite, or shown
// not to be: RefactorizeShift is for A + λI, RefactorizeMarquardt for A + λDiag(A)
// or another diagonal, an error names the variable whose
// pivot was not positive, NegativeCurvature gives a direction for that, LogDet
// the logarithm of the determinant.
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
package linsolve
