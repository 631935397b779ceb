package newton

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/reverse"
)

// Derivatives of a solution with an equation, an active inequality, an active bound and
// a fixed variable, against differences of solutions.
func TestSensitivitiesAreThoseOfSolutions(t *testing.T) {
	f := func(x, lambda []reverse.Var) []reverse.Var {
		return []reverse.Var{
			x[0].Mul(x[3]).Mul(x[0].Add(x[1]).Add(x[2])).Add(x[2]).Mul(lambda[1]).Add(x[4].Mul(x[1])),
			x[0].Mul(x[1]).Mul(x[2]).Mul(x[3]).Sub(lambda[0]),
			x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(x[3].Square()),
			x[0].Sub(x[1]), // not active
		}
	}
	problem := func(lambda []float64) Problem {
		return Problem{
			Func:  reverse.NewFuncParamsVec(f, lambda),
			Lower: []float64{1, 1, 1, 1, 0.1}, Upper: []float64{5, 5, 5, 5, 0.1},
			ConstraintLower: []float64{0, 40, -inf}, ConstraintUpper: []float64{inf, 40, 100},
		}
	}
	o := InteriorPoint{Settings: Settings{Tolerance: 1e-11}}
	solve := func(lambda ...float64) *Result {
		r, err := o.Minimize(background, problem(lambda), []float64{1, 5, 5, 1, 0})
		require.NoError(t, err)
		return r
	}
	lambda := []float64{25, 1.1}
	rough, err := InteriorPoint{}.Minimize(background, problem(lambda), []float64{1, 5, 5, 1, 0})
	require.NoError(t, err)
	s, err := rough.Sensitivities(problem(lambda), f, lambda)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, s.Active(), "the product, and the lower bound of x₀")
	j, err := s.Jacobian(nil)
	require.NoError(t, err)
	slope, err := s.ValueGradient(nil)
	require.NoError(t, err)
	const h = 1e-4
	for k := range lambda {
		up, down := append([]float64(nil), lambda...), append([]float64(nil), lambda...)
		up[k] += h
		down[k] -= h
		a, b := solve(up...), solve(down...)
		for i := range a.X {
			require.InDelta(t, (a.X[i]-b.X[i])/(2*h), j.At(i, k), 1e-5)
		}
		require.InDelta(t, (a.Y[1]-b.Y[1])/(2*h), j.At(5, k), 1e-4, "multiplier of the equation")
		require.InDelta(t, (a.F-b.F)/(2*h), slope[k], 1e-6)
	}
	require.Panics(t, func() {
		_, _ = rough.Sensitivities(problem(lambda), func(x, _ []reverse.Var) []reverse.Var { return x[:2] }, lambda)
	})
}
