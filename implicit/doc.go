// Package implicit differentiates functions that are given by an equation: a
// root that some solver found, a fixed point, the optimum of an inner problem.
//
// # The implicit function theorem
//
// Let F(w, λ) = 0, as many equations as unknowns w, with parameters λ. If the
// square matrix A = ∂F/∂w is regular at a solution, then near it the solution is
// a function w*(λ), as smooth as F, and differentiating F(w*(λ), λ) = 0 gives
//
//	∂w* = −A⁻¹B, B = ∂F/∂λ.
//
// So a derivative of w* takes the derivatives of F at the solution and a linear
// system, and neither the steps of the solver nor their number. Differentiating
// the steps instead, unrolling, costs time and memory with each of them and is
// no more accurate than the last one.
//
// F is a tape of package reverse with the inputs [w; λ]:
//
//	f, err := implicit.Record(w, lambda, func(w, lambda []reverse.Var) []reverse.Var { … })
//	s, err := implicit.At(f, w, lambda)   // F(w, λ) = 0 is checked; A is factorized
//	dw, err := s.JVP(nil, v)              // ∂w*·v
//	g, err := s.VJP(nil, bar)             // ∂w*ᵀ·w̄
//	j, err := s.Jacobian(nil)             // ∂w*
//
// Every call solves with the one factorization: JVP for the derivative along a
// direction of λ, VJP for the gradient of a function of w*, JVPs, VJPs and
// Jacobian for many of these at once.
//
// Second derivatives take two solutions with the same factors for a direction:
// Second is that of w* itself; Reduce makes of a function φ(w, λ) the reduced
// function φ(w*(λ), λ), with value, gradient, HVP and Hessian.
//
// # Which function when
//
//   - A solver of your own found w: At. It must be accurate; if half of the digits
//     is not within reach, see Settings.Tolerance and Absolute, or let Newton go
//     on from there.
//   - No solver: Newton, with the Jacobian of the tape, sparse where it is.
//   - w = g(w, λ): FixedPoint, or Fixed for the tape of w − g.
//   - w is a step of a longer function: NewEquation and its Apply. The solution
//     becomes one operation on the tape and is found again wherever the tape is
//     evaluated, so that gradients, sparse Hessians and further equations around
//     it need no care.
//   - The minimum of f subject to constraints: KKT, given the multipliers. The
//     sensitivities of minimizer, multipliers and optimal value, with the
//     active set held as it is. Without constraints, or as a step of a longer
//     function, Optimality makes the equation.
//   - A linear program: LP solves it, too.
//   - Several points of one equation: NewEquation once, then its methods.
//   - Settings choose the solver: dense LU, sparse LU, or iterations that never
//     form A; the choice by size and density is a good one where factors fit.
//
// Where A is singular there is no derivative, and a *SingularError says which
// equations and unknowns are to blame: branches meet, as on the circle
// x² + y² = 1 at y = 0, or an equation is missing.
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
//   - A is symmetric positive definite, as the Hessian at a minimum is: Cholesky,
//     given one triangle, at half of the cost.
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
// not to be: RefactorizeShift is for A + λI, an error names the variable whose
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
package implicit
