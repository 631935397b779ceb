// Package newton minimizes functions by Newton's method, with the sparse derivatives
// and the sparse linear algebra of this module.
//
//	InteriorPoint   min f(x), c_L ≤ c(x) ≤ c_U, x_L ≤ x ≤ x_U
//	TrustRegion     min f(x)
//	LeastSquares    min ½Σ ρ(rᵢ(x)²), x_L ≤ x ≤ x_U
//	System          F(x) = 0, x_L ≤ x ≤ x_U
//
// Each is a Method: settings, with those that all share, and Solve for a Problem. Its
// function is a reverse.Func: plain Go on reverse.Var that is recorded, again where a
// branch changes, or a tape.
//
//	p := newton.Problem{
//		Func:  reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var { … }), // [f; c]
//		Lower: lower, // of x
//	}
//	r, err := newton.InteriorPoint{}.Solve(ctx, p, x0)
//
// The error is nil if and only if the test that the method states holds at r.X.
// Otherwise it is a *StoppedError whose Status says what failed, and the Result
// is the best that was found, with its errors, counts and times.
//
// # Which when
//
//   - Constraints or bounds: InteriorPoint. Result.Sensitivities differentiates its
//     solution by parameters.
//   - None: TrustRegion, by factorizations as long as those of the Hessian fit, with
//     Products beyond. Few variables and no second derivatives: package optimize of gonum
//     with hessian.Problem.
//   - A sum of squares: LeastSquares, unless residuals stay large; LeastSquares.Deviations
//     and Covariance say how well the data determine the parameters.
//   - Equations: System, by implicit.Newton where that converges.
//
// All have Settings in common: tolerance, iterations, a log with a line for each
// iteration, a function to be called in each, plans for the derivatives. A context
// stops them between iterations.
//
// Patterns, plans and the order of elimination are found once for each branch of the
// function that is met, with Settings.Plans once for many runs, as in a control loop; an
// iteration is evaluations, a factorization of new values and some vector operations.
// Results do not depend on GOMAXPROCS.
//
// # How they do
//
// InteriorPoint solves all of 83 problems of Hock and Schittkowski from the published
// starts, in 8 iterations at the median and 77 at most; those of COPS 3.0 and the models in
// package bench/minima, optimal power flow, trajectories, a portfolio, at sizes up to 10⁵
// variables, in 6 to 60, but for 117 of 100 charges on a sphere (go run ./bench newton
// -full). It finds local minima: of charges on a sphere, where there are many, not always
// the best.
package newton
