package newton

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/reverse"
)

// Problem is
//
//	minimize f(x) subject to c_L ≤ c(x) ≤ c_U, x_L ≤ x ≤ x_U
//
// for x ∈ ℝⁿ, c: ℝⁿ → ℝᵐ. Infinite bounds are none. Where both bounds of a
// constraint are the same it is an equality, where both are infinite it has no
// effect; a variable whose bounds are the same is fixed.
type Problem struct {
	// Func is [f; c], 1+m outputs: reverse.NewFuncVec records it, again where a
	// comparison comes out otherwise; reverse.FuncOf takes a tape.
	Func *reverse.Func

	// Lower and Upper are x_L and x_U, of length n; nil means none.
	Lower, Upper []float64

	// ConstraintLower and ConstraintUpper are c_L and c_U, of length m; nil means
	// none, but if both are nil the constraints are c(x) = 0.
	ConstraintLower, ConstraintUpper []float64
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
