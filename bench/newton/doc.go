// Package newton holds Newton's method in the forms that large and structured
// problems ask of it, each with the derivatives and the linear algebra of this
// library, and the problems that they are measured on:
//
//	TrustRegion   min f(x)                 sparse Hessian, sparse Cholesky
//	KKT           min f(x), c(x) = 0       sparse Hessian of the Lagrangian, sparse
//	                                       Jacobian, sparse LU
//	LeastSquares  min ½‖r(x)‖², few x      Jacobian, dense QR: Gauss–Newton
//
// A method takes a tape and a start, prepares the derivatives, and returns a
// Result with what it took: iterations, evaluations, factorizations, the time in
// derivatives and that in linear algebra.
//
//	t, err := reverse.Record(x0, f)
//	r, err := newton.TrustRegion{}.Minimize(t, x0)
//
//	t, err := reverse.RecordVec(x0, func(x []reverse.Var) []reverse.Var { … }) // [f; c]
//	r, err := newton.KKT{}.Minimize(t, x0)
//
// # What is found
//
// Of the unconstrained problems of package problems:
//
//   - rosen has its minimum 0 at x = 1. From a start around 1 it takes some 20
//     iterations at any n. From points around 0 or below, where f is near n, x₀
//     must go to 1 before x₁ can: a front of constant width, and a number of
//     iterations in proportion to n. There is a second minimum with x₀ ≈ −1 and
//     f ≈ 3.99.
//   - arrow has its minimum 0 at x = (1, …, 1, 0).
//   - bdqrtic has one minimum, 3983.82 at n = 1000.
//   - minsurf has no boundary values: every constant is a minimum, of area 1, and
//     so is every x with one value on the black nodes of the grid and another on
//     the white, as cells see differences along their diagonals only. The Hessian
//     is singular everywhere.
//   - trig has local minima without number. What is found depends on the start; in
//     the lowest known, xᵢ alternates between 0.918 and −0.918 but near the ends.
//
// Of the constrained problems, minima as Ipopt finds them; see ChainedRosenbrock,
// ChainedWood and ChainedSingular. Of the regressions of NIST, the known
// parameters that the data are made from, within the deviations that their noise
// explains; see Regressions.
package newton
