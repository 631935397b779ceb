// Package newton minimizes functions by Newton's method, with the sparse derivatives
// and the sparse linear algebra of this module.
//
//	InteriorPoint   min f(x), c_L ≤ c(x) ≤ c_U, x_L ≤ x ≤ x_U
//	TrustRegion     min f(x)
//	LeastSquares    min ½Σ ρ(rᵢ(x)²), x_L ≤ x ≤ x_U
//	System          F(x) = 0, x_L ≤ x ≤ x_U
//
// A function is a reverse.Func: plain Go on reverse.Var that is recorded, again
// where a branch changes, or a tape.
//
//	p := newton.Problem{
//		Func:  reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var { … }), // [f; c]
//		Lower: lower, // of x
//	}
//	r, err := newton.InteriorPoint{}.Minimize(ctx, p, x0)
//
// The error is nil if and only if the test that the method states holds at r.X.
// Otherwise it is a *StoppedError whose Status says what failed, and the Result
// is the best that was found, with its errors, counts and times.
package newton
