package newton

import (
	"context"
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/reverse"
)

// Problem is what a Method solves, for x ∈ ℝⁿ:
//
//	InteriorPoint   min f(x), c_L ≤ c(x) ≤ c_U, x_L ≤ x ≤ x_U
//	TrustRegion     min f(x)
//	LeastSquares    min ½Σ ρ(rᵢ(x)²), x_L ≤ x ≤ x_U
//	System          F(x) = 0, x_L ≤ x ≤ x_U
//
// Infinite bounds are none. Where both bounds of a constraint are the same it is an
// equality, where both are infinite it has no effect; a variable whose bounds are the
// same is fixed.
type Problem struct {
	// Func is [f; c] with 1+m outputs, f, r or F: reverse.NewFuncVec records it, again
	// where a comparison comes out otherwise; reverse.FuncOf takes a tape.
	Func *reverse.Func

	// Lower and Upper are x_L and x_U, of length n; nil means none.
	Lower, Upper []float64

	// ConstraintLower and ConstraintUpper are c_L and c_U, of length m; nil means
	// none, but if both are nil the constraints are c(x) = 0.
	ConstraintLower, ConstraintUpper []float64
}

// Method is a way to solve problems: InteriorPoint, TrustRegion, LeastSquares, System.
//
// Solve solves p from x0, of length n, which stays as it is and counts as moved between
// the bounds. The error is nil if and only if the test that the method states holds at
// Result.X. Else it is a *StoppedError that says which failed, and wraps the error of an
// evaluation or of ctx, and the Result is the best that was found. Solve panics if lengths
// do not fit, or p has no Func or bounds that the method does not take.
type Method interface {
	Solve(ctx context.Context, p Problem, x0 []float64) (*Result, error)
}

// check panics if p has no function, or bounds or constraints that a method does not take.
func (p *Problem) check(method string, bounds, constraints bool) {
	switch {
	case p.Func == nil:
		panic("newton: nil function")
	case !bounds && (p.Lower != nil || p.Upper != nil):
		panic("newton: " + method + " takes no bounds")
	case !constraints && (p.ConstraintLower != nil || p.ConstraintUpper != nil):
		panic("newton: " + method + " takes no constraints")
	}
}

// bounds returns copies of x_L and x_U.
func (p *Problem) bounds(n int) (l, u []float64) { return boundsOf("", p.Lower, p.Upper, n) }

// constraints returns copies of c_L and c_U.
func (p *Problem) constraints(m int) (l, u []float64) {
	if p.ConstraintLower == nil && p.ConstraintUpper == nil {
		return make([]float64, m), make([]float64, m)
	}
	return boundsOf("Constraint", p.ConstraintLower, p.ConstraintUpper, m)
}

// boundsOf returns copies of bounds, infinite for nil, and panics where there are
// not n or one is NaN.
func boundsOf(name string, lower, upper []float64, n int) (l, u []float64) {
	fill := func(name string, b []float64, none float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = none
		}
		if b == nil {
			return out
		}
		if len(b) != n {
			panic(fmt.Sprintf("newton: %s has length %d, want %d", name, len(b), n))
		}
		for i, v := range b {
			if math.IsNaN(v) {
				panic(fmt.Sprintf("newton: %s[%d] is NaN", name, i))
			}
		}
		copy(out, b)
		return out
	}
	return fill(name+"Lower", lower, math.Inf(-1)), fill(name+"Upper", upper, math.Inf(1))
}

func contradiction(lower, upper float64, of string, i int) string {
	return fmt.Sprintf("bounds %v and %v of %s %d contradict each other", lower, upper, of, i)
}
