package plan_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// Whichever goroutine makes a sweep, the bits are those of a single one.
func TestConcurrentSweepsHaveTheSameBits(t *testing.T) { rapid.Check(t, sweepsHaveTheSameBits) }
func FuzzConcurrentSweepsHaveTheSameBits(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(sweepsHaveTheSameBits))
}

func sweepsHaveTheSameBits(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 30, MaxOutputs: 30, MinLen: 20, MaxLen: 60, Primitives: true})
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, randprog.Vars) }, p.X)
	require.NoError(t, err)
	w := make([]float64, p.Outputs)
	for j := range w {
		w[j] = 1 - float64(j)/7
	}
	workers := rapid.IntRange(2, 5).Draw(t, "workers")
	h := hessian.SparseSettings{Method: rapid.SampledFrom([]hessian.Method{hessian.ByStar, hessian.ByAcyclic}).Draw(t, "Hessian")}
	j := reverse.SparseSettings{Method: rapid.SampledFrom([]reverse.Method{reverse.ByColumns, reverse.ByRows, reverse.ByBoth}).Draw(t, "Jacobian")}
	var want []uint64
	for _, n := range []int{1, workers} {
		h.Workers, j.Workers = n, n
		plan, err := h.New(tape)
		require.NoError(t, err)
		a, err := plan.Eval(nil, p.X, w...)
		require.NoError(t, err)
		jacobian, err := j.New(tape)
		require.NoError(t, err)
		b, err := jacobian.Eval(nil, p.X)
		require.NoError(t, err)
		var got []uint64
		for _, v := range slices.Concat(a.Values(), b.Values()) {
			if v != v {
				v = math.NaN() // whichever NaN it is
			}
			got = append(got, math.Float64bits(v))
		}
		if n == 1 {
			want = got
		} else if !slices.Equal(got, want) {
			t.Fatalf("%d workers: other bits\n%v", n, p)
		}
	}
}
