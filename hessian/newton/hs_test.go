package newton_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

func TestHS71(t *testing.T) {
	inf := math.Inf(1)
	p := newton.Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{
				x[0].Mul(x[3]).Mul(x[0].Add(x[1]).Add(x[2])).Add(x[2]),
				x[0].Mul(x[1]).Mul(x[2]).Mul(x[3]),
				x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(x[3].Square()),
			}
		}),
		Lower: []float64{1, 1, 1, 1}, Upper: []float64{5, 5, 5, 5},
		ConstraintLower: []float64{25, 40}, ConstraintUpper: []float64{inf, 40},
	}
	r, err := newton.InteriorPoint{Settings: newton.Settings{Log: os.Stdout}}.Minimize(context.Background(), p, []float64{1, 5, 5, 1})
	t.Logf("%+v", r)
	require.NoError(t, err)
	require.InEpsilon(t, 17.0140173, r.F, 1e-8)
}
