package hessian_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// Plans of a tape with its parameters bound take them, by every method and
// strategy; other parameters may still follow x.
func TestPlansTakeBoundParameters(t *testing.T) {
	const n = 30
	x, recorded, p := make([]float64, n), []float64{1, 2}, []float64{0.5, -3}
	for i := range x {
		x[i] = 0.1 * float64(i%7)
	}
	tape, err := reverse.RecordParams(func(x, p []reverse.Var) reverse.Var {
		var s reverse.Var
		for i := range n - 1 {
			s = s.Add(x[i].Mul(p[0]).Sub(x[i+1].Square()).Square()).Add(x[i].Mul(p[1]).Exp())
		}
		return s.Add(x[0].Mul(x[n-1]).Mul(p[1]).Sin())
	}, x, recorded)
	require.NoError(t, err)
	view, all := tape.With(p), slices.Concat(x, p)
	for _, m := range []hessian.Method{hessian.Auto, hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
		of, err := hessian.SparseSettings{Method: m}.New(tape)
		require.NoError(t, err)
		bound, err := hessian.SparseSettings{Method: m}.New(view)
		require.NoError(t, err)
		want, got := of.Matrix(), bound.Matrix()
		g, h := make([]float64, n), make([]float64, n)
		f, err := of.EvalAll(want, g, all)
		require.NoError(t, err)
		f2, err := bound.EvalAll(got, h, x)
		require.NoError(t, err)
		require.Equal(t, f, f2, m)
		require.Equal(t, g, h, m)
		require.Equal(t, want.Values(), got.Values(), m)
		require.NoError(t, bound.Verify(x))
		_, err = of.Eval(want, slices.Concat(x, recorded))
		require.NoError(t, err)
		_, err = bound.Eval(got, slices.Concat(x, recorded))
		require.NoError(t, err)
		require.Equal(t, want.Values(), got.Values(), m)
	}
	for _, s := range hessian.Strategies {
		want, err := hessian.New(tape, s).Dense(nil, all)
		require.NoError(t, err)
		got, err := hessian.New(view, s).Dense(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, got, s)
	}
	outputs, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, n-1)
		for i := range y {
			y[i] = x[i].Mul(p[0]).Sub(x[i+1].Square()).Mul(p[1])
		}
		return y
	}, x, recorded)
	require.NoError(t, err)
	for _, m := range []reverse.Method{reverse.ByTerms, reverse.ByColumns, reverse.ByRows} {
		of, err := reverse.SparseSettings{Method: m}.New(outputs)
		require.NoError(t, err)
		bound, err := reverse.SparseSettings{Method: m}.New(outputs.With(p))
		require.NoError(t, err)
		want, got := of.Matrix(), bound.Matrix()
		_, err = of.Eval(want, all)
		require.NoError(t, err)
		_, err = bound.Eval(got, x)
		require.NoError(t, err)
		require.Equal(t, want.Values(), got.Values(), m)
	}
}
