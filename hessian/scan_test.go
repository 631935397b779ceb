package hessian_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// Check finds nothing wrong with a loop, whose states branch, and sees what a step
// hides.
func TestCheckOfAScan(t *testing.T) {
	loop := func(hidden bool) func(x []reverse.Var) reverse.Var {
		return func(x []reverse.Var) reverse.Var {
			last, sum := dual.Scan(dual.Loop[reverse.Var]{
				Start: x[:2], Shared: x[2:], Steps: 12,
				Step: func(s, w, _, _ []reverse.Var) (next, out []reverse.Var) {
					y := s[0].Mul(w[0]).Sin()
					if hidden {
						y = s[0].Detach().Mul(w[0]).Sin()
					}
					if y.LessReal(0.3) {
						y = y.Add(s[1].Scale(0.5))
					}
					return []reverse.Var{y, s[0]}, []reverse.Var{y.Square()}
				},
			})
			return sum[0].Add(last[0].Mul(last[1]))
		}
	}
	x := []float64{0.4, 0.7, 1.3}
	_, err := hessian.Check(loop(false), x)
	require.NoError(t, err)
	_, err = hessian.Check(loop(true), x)
	require.Error(t, err)
}

// A column of a Hessian is the product with its unit vector, bit for bit, also where
// another one overflows in a loop.
func TestColumnsOfAScanAreThoseThatTheyAreAlone(t *testing.T) {
	x := []float64{1.1342586831810917, 1e300, -1, 0, 28.01048665440854, -0.0826035169814217}
	w := []float64{0, 1e-310}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { // Lorenz
		last, sum := dual.Scan(dual.Loop[reverse.Var]{
			Start: x[:3], Shared: x[3:], Steps: 20,
			Step: func(s, w, _, _ []reverse.Var) (next, out []reverse.Var) {
				a := s[0].Add(w[2].Mul(w[0]).Mul(s[1].Sub(s[0])))
				b := s[1].Add(w[2].Mul(s[0].Mul(w[1].Sub(s[2])).Sub(s[1])))
				c := s[2].Add(w[2].Mul(s[0].Mul(s[1]).Sub(s[2].Scale(2.5))))
				return []reverse.Var{a, b, c}, []reverse.Var{a.Mul(b)}
			},
		})
		return []reverse.Var{last[0], sum[0].Add(last[2])}
	}, x)
	require.NoError(t, err)
	h, err := hessian.SparseSettings{Method: hessian.ByStar}.New(tape)
	require.NoError(t, err)
	m, err := h.Eval(nil, x, w...)
	require.NoError(t, err)
	finite := 0
	for j := range x {
		v := make([]float64, len(x))
		v[j] = 1
		column, err := tape.HVP(nil, x, v, w...)
		require.NoError(t, err)
		if slices.ContainsFunc(column, func(c float64) bool { return c-c != 0 }) {
			continue
		}
		finite++
		for i, want := range column {
			require.Equal(t, math.Float64bits(want), math.Float64bits(m.At(i, j)), "%d, %d", i, j)
		}
	}
	require.Greater(t, finite, 1)
	require.Less(t, finite, len(x))
}
