package minima

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian/newton"
)

// known reports whether f is one of the minima to six digits.
func known(f float64, minima []float64) bool {
	for _, m := range minima {
		if math.Abs(f-m) <= 1e-6*max(1, math.Abs(m)) {
			return true
		}
	}
	return false
}

func TestHockSchittkowski(t *testing.T) {
	for _, p := range HS {
		r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Problem, p.X0)
		require.NoError(t, err, p.Name)
		require.True(t, known(r.F, p.Minima), "%s: %.10g, not %v", p.Name, r.F, p.Minima)
		require.LessOrEqual(t, r.Iterations, 100, p.Name)
	}
}

func TestLiftedFunctionsAreThePlainOnes(t *testing.T) {
	for _, p := range HS {
		want := p.Plain(p.X0)
		got, err := p.Func.Values(nil, p.X0)
		require.NoError(t, err, p.Name)
		for i, w := range want {
			require.InDelta(t, w, got[i], 1e-13*max(1, math.Abs(w)), "%s, output %d", p.Name, i)
		}
	}
}
