package newton

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/reverse"
)

func TestSystemFindsRoots(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(x []reverse.Var) []reverse.Var
		x0   []float64
		want []float64
	}{
		"circle and line": {line2, []float64{3, 0.1}, []float64{math.Sqrt(0.5), math.Sqrt(0.5)}},
		"root at 0": {func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Add(x[0].PowInt(3))} },
			[]float64{2}, []float64{0}},
		"double root at 0": {func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Square()} },
			[]float64{1}, []float64{0}},
		// Powell's badly scaled function: 10⁴xy = 1, e⁻ˣ + e⁻ʸ = 1.0001.
		"badly scaled": {func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{
				x[0].Mul(x[1]).Scale(1e4).SubReal(1), x[0].Neg().Exp().Add(x[1].Neg().Exp()).SubReal(1.0001),
			}
		}, []float64{0, 1}, []float64{1.098159e-5, 9.106146}},
		"units of equations": {func(x []reverse.Var) []reverse.Var {
			y := line2(x)
			return []reverse.Var{y[0].Scale(1e12), y[1].Scale(1e-9)}
		}, []float64{3, 0.1}, []float64{math.Sqrt(0.5), math.Sqrt(0.5)}},
	} {
		r, err := System{}.Solve(background, Problem{Func: reverse.NewFuncVec(c.f)}, c.x0)
		require.NoError(t, err, name)
		for i, want := range c.want {
			require.InDelta(t, want, r.X[i], 1e-9+1e-6*math.Abs(want), name)
		}
	}
}

// line2 is x² + y² = 1 and x = y.
func line2(x []reverse.Var) []reverse.Var {
	return []reverse.Var{x[0].Square().Add(x[1].Square()).SubReal(1), x[0].Sub(x[1])}
}

func TestSystemBetweenBounds(t *testing.T) {
	f := reverse.NewFuncVec(line2)
	r, err := System{}.Solve(background, Problem{Func: f, Upper: []float64{0, 5}}, []float64{-0.5, -0.1})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{-math.Sqrt(0.5), -math.Sqrt(0.5)}, r.X, 1e-9)

	r, err = System{}.Solve(background, Problem{Func: f, Lower: []float64{1, -9}, Upper: []float64{5, 9}}, []float64{2, 2})
	requireStatus(t, Infeasible, r, err)
	require.Equal(t, 1.0, r.X[0])
}

func TestSystemSaysThatThereIsNoRoot(t *testing.T) {
	r, err := System{}.Solve(background, Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Square().AddReal(1)}
	})}, []float64{2})
	requireStatus(t, Infeasible, r, err)
	require.InDelta(t, 1, r.Unscaled.Primal, 1e-6)
}
