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
//	f, err := implicit.Record(func(w, lambda []reverse.Var) []reverse.Var { … }, w, lambda)
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
//   - w = g(w, λ): FixedPoint, or Fixed for the tape of w − g. A loop w ← g(w, λ) of
//     a number of steps that means something, as in time, is dual.Scan.
//   - w is a step of a longer function: NewEquation and its Apply. The solution
//     becomes one operation on the tape and is found again wherever the tape is
//     evaluated, so that gradients, sparse Hessians and further equations around
//     it need no care. Where F has branches, NewBranching: the function around it is
//     recorded again when the solution comes into another one.
//   - The minimum of f subject to constraints: KKT, given the multipliers, or
//     KKTNewton, given about where it is. The
//     sensitivities of minimizer, multipliers and optimal value, with the
//     active set held as it is. Without constraints, or as a step of a longer
//     function, Optimality makes the equation.
//   - A linear program: LP solves it, too.
//   - log det A of a sparse positive definite A, as a step of a longer function: LogDet.
//   - Several points of one equation: NewEquation once, then its methods.
//   - Settings choose the solver: dense LU, sparse LU, or iterations that never
//     form A; the choice by size, density and symmetry is a good one where factors
//     fit.
//     Package linsolve has the sparse ones and says when which.
//
// Where A is singular there is no derivative, and a *linsolve.SingularError
// names the equations, its rows, and the unknowns, its columns, that are to
// blame: branches meet, as on the circle x² + y² = 1 at y = 0, or an equation is
// missing.
package implicit
