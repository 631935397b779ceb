// Package minima holds problems with known minima, on which package newton is tried
// and measured:
//
//	HS           min f(x), c_L ≤ c(x) ≤ c_U, x_L ≤ x ≤ x_U: problems of Hock and
//	             Schittkowski, small, and of most kinds that there are
//	COPS         the same, of any size: polygons, electrons, chains, elastic bars,
//	             bearings, surfaces, rockets, particles, gliders
//	Models       the same: a pole on a cart, a quadrotor, a portfolio, logistic
//	             regression
//	Grids        the same: optimal power flow of 5 and of 14 buses
//	LuksanVlcek  min f(x), c(x) = 0, of any size
//	Regressions  min ½‖r(x)‖², the models of NIST's reference datasets
//	Start        where the unconstrained problems of package problems start
//
//	p := minima.HS[0]
//	r, err := newton.InteriorPoint{}.Solve(ctx, p.Problem, p.X0)
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
// Of the constrained problems, the published minima; of the regressions of NIST, the
// known parameters that the data are made from, within the deviations that their
// noise explains.
package minima

import "github.com/hesse-ad/hesse/hessian/newton"

// Problem is a problem with a start and the values of its known local minima, the
// published one first.
type Problem struct {
	Name string
	newton.Problem
	Plain  func(x []float64) []float64 // [f; c] in plain Go, nil if only Func is there
	X0     []float64
	Minima []float64
}
