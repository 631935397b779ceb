// Package linsolve solves sparse systems of linear equations and least-squares
// problems: by factorization, or by iterations that know the matrix by its
// products only.
//
// # Factorizations
//
// A sparse matrix is factorized once and solved with often:
//
//	var lu linsolve.LU
//	err := lu.Factorize(a)            // a *sparsity.Matrix
//	err = lu.SolveTo(&x, false, b)    // A X = B, the same as x.Solve(&lu, b)
//	err = lu.SolveTo(&x, true, b)     // Aᵀ X = B
//	err = lu.SolveInto(v, false, v)   // one right-hand side, plain slices
//	err = lu.Refactorize(a)           // new values in the same places
//
// Elimination makes nonzeros where A has none: row i less a multiple of row k has
// the entries of both. How many depends on the order. An arrow, its full row and
// column first, fills up; with these last there is no fill at all. Factorize
// finds an order with little fill, by approximate minimum degree: of all variables
// left, the one that has the fewest neighbors is eliminated next [1]. Refactorize
// keeps the order and the storage, allocates nothing, and is two to four times as
// fast. NNZ and Fill tell what factors take.
//
// An order is good if the pivots in it are: to divide by a small one is to add
// large multiples, in whose rounding errors the rest is lost.
//
//   - Cholesky needs none to be chosen: A is symmetric positive definite, as the
//     Hessian at a minimum is. Given one triangle it takes half the operations of
//     LU. It also makes Hessians definite, or shows that they are not:
//     RefactorizeShift is for A + λI, RefactorizeMarquardt for A + λDiag(A) or
//     another diagonal, an error names the variable whose pivot was not positive,
//     NegativeCurvature gives a direction for that, LogDet the logarithm of the
//     determinant, Inverse the elements of the inverse where A has any: variances, and
//     the gradient of LogDet.
//   - LDL is for a symmetric matrix that is indefinite, as the matrix
//     [H Jᵀ; J −D] of a constrained minimum is: pivots of order 1 and 2, the inertia,
//     at about the cost of Cholesky.
//   - LU is for every other square matrix. It permutes rows so that large entries
//     come to the diagonal, splits the matrix in blocks where it is reducible, and
//     exchanges rows for a pivot that is much larger than the one expected [2].
//   - QR is for more equations than unknowns: the least-squares solution and its
//     variances. Cholesky of AᵀA is faster where A is well conditioned.
//   - A full matrix, or a few unknowns: package mat.
//
// On a grid in two dimensions with 10⁵ points, LU has 12 entries for each of A. In
// three dimensions, or where everything depends on everything through a few
// steps, it is more: on a cube of n points some n^(4/3) entries, 60 for each of A
// at n = 27,000. Where factors do not fit, iterate.
//
// # Iterations
//
// GMRES and BiCGStab want the product with A only, as a function: for the
// Jacobian of a function, a directional derivative serves [3]. They pay where A is
// well conditioned or has a preconditioner, a cheap approximate inverse: the LU of
// a simpler matrix, or of an earlier one. GMRES is the one to try first. BiCGStab
// stores fewer vectors.
//
// # Errors
//
// The errors of a solution have two factors. The backward error says how well the
// equations hold: LU and LDL refine their solutions, by solving for the residual,
// until
//
//	|b − Ax|_i ≤ (n+64)ε (|A||x| + |b|)_i
//
// for every equation, however badly rows and columns are scaled, and it is an
// error if they cannot [4], unless what is missing is below 2⁻¹⁰⁰ of the largest
// term: elements of a solution that decays below that are not to be had. The
// condition number Cond says how much more x itself may be off. It is that of A
// with its rows and columns scaled, and thus does not depend on the units of
// equations and unknowns.
//
// A structurally singular matrix has no transversal, n entries of which no two
// share a row or column: then no values make it regular, and an equation or a
// variable is missing from the model. A matrix may also be singular for its
// values, or so near to singular that rounding decides. All three give a
// *SingularError with the rows and columns that are to blame. It wraps
// mat.Condition.
//
// # References
//
//	[1] Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapter 7.
//	[2] The same, chapters 6 and 7; Duff, Erisman and Reid, Direct Methods for
//	    Sparse Matrices, 2nd edition, Oxford 2017.
//	[3] Saad, Iterative Methods for Sparse Linear Systems, 2nd edition, SIAM 2003,
//	    chapters 6, 7 and 9.
//	[4] Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, SIAM
//	    2002, chapters 7 and 12.
package linsolve
