package newton

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/reverse"
)

// methods are all there are, with a problem of each whose solution is (3, 1).
func methods(s Settings) map[string]struct {
	Method
	f func(x vars) vars
} {
	equations := func(x vars) vars {
		return vars{x[0].Mul(x[1]).SubReal(3), x[0].Sub(x[1].Square().Scale(3))}
	}
	half := func(x vars) vars {
		r := equations(x)
		return vars{r[0].Square().Add(r[1].Square()).Scale(0.5)}
	}
	return map[string]struct {
		Method
		f func(x vars) vars
	}{
		"InteriorPoint": {InteriorPoint{Settings: s}, func(x vars) vars {
			return append(half(x), x[0].Add(x[1]).SubReal(4))
		}},
		"TrustRegion":  {TrustRegion{Settings: s}, half},
		"products":     {TrustRegion{Settings: s, Products: true}, half},
		"LeastSquares": {LeastSquares{Settings: s}, equations},
		"System":       {System{Settings: s}, equations},
	}
}

func TestMethodsAreAlike(t *testing.T) {
	canceled, cancel := context.WithCancel(background)
	cancel()
	numbers := []int{}
	s := Settings{Plans: new(Plans), Each: func(it *Iteration) { numbers = append(numbers, it.Number) }}
	for name, m := range methods(s) {
		p := Problem{Func: reverse.NewFuncVec(m.f)}
		x0 := []float64{2, 2}

		numbers = numbers[:0]
		r, err := m.Solve(background, p, x0)
		require.NoError(t, err, name)
		require.Equal(t, Solved, r.Status)
		require.InDeltaSlice(t, []float64{3, 1}, r.X, 1e-7, name)
		require.Equal(t, []float64{2, 2}, x0, "%s: x0 was changed", name)
		require.Equal(t, 0, numbers[0], name)
		require.IsIncreasing(t, numbers, name)

		prepared := len(s.Plans.branches)
		again, err := m.Solve(background, p, x0)
		require.NoError(t, err, name)
		require.InDeltaSlice(t, r.X, again.X, 1e-7, name)
		require.Len(t, s.Plans.branches, prepared, "%s: plans were made again", name)

		r, err = m.Solve(canceled, p, x0)
		requireStatus(t, Canceled, r, err)
		require.ErrorIs(t, err, context.Canceled, name)
	}
	for name, m := range methods(Settings{MaxIterations: 1}) {
		r, err := m.Solve(background, Problem{Func: reverse.NewFuncVec(m.f)}, []float64{20, 20})
		requireStatus(t, IterationLimit, r, err)
		require.Equal(t, 1, r.Iterations, name)
	}
}

func TestMethodsPanicAtMisuse(t *testing.T) {
	one := []float64{1}
	for name, m := range methods(Settings{}) {
		f := reverse.NewFuncVec(m.f)
		panics := func(message string, p Problem) {
			t.Helper()
			require.PanicsWithValue(t, message, func() { _, _ = m.Solve(background, p, []float64{2, 2}) }, name)
		}
		panics("newton: nil function", Problem{})
		if name == "products" {
			name = "TrustRegion"
		}
		switch name {
		case "TrustRegion":
			panics("newton: TrustRegion takes no bounds", Problem{Func: f, Upper: one})
		default:
			panics("newton: Lower has length 1, want 2", Problem{Func: f, Lower: one})
		}
		if name == "InteriorPoint" {
			panics("newton: ConstraintLower has length 3, want 1", Problem{Func: f, ConstraintLower: make([]float64, 3)})
		} else {
			panics("newton: "+name+" takes no constraints", Problem{Func: f, ConstraintLower: one})
		}
	}
}
