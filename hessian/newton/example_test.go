package newton_test

import (
	"context"
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// Problem 71 of Hock and Schittkowski: x₀x₁x₂x₃ ≥ 25 and ‖x‖² = 40, 1 ≤ xᵢ ≤ 5.
func ExampleInteriorPoint() {
	p := newton.Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{
				x[0].Mul(x[3]).Mul(x[0].Add(x[1]).Add(x[2])).Add(x[2]),
				x[0].Mul(x[1]).Mul(x[2]).Mul(x[3]),
				x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(x[3].Square()),
			}
		}),
		Lower: []float64{1, 1, 1, 1}, Upper: []float64{5, 5, 5, 5},
		ConstraintLower: []float64{25, 40}, ConstraintUpper: []float64{math.Inf(1), 40},
	}
	r, err := newton.InteriorPoint{}.Minimize(context.Background(), p, []float64{1, 5, 5, 1})
	fmt.Printf("%.7f at %.5f, %v\n", r.F, r.X, err)
	fmt.Printf("multipliers %.4f and %.4f\n", r.Y, r.Z[0])
	// Output:
	// 17.0140173 at [1.00000 4.74300 3.82115 1.37941], <nil>
	// multipliers [-0.5523 0.1615] and -1.0879
}
