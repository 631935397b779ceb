package coloring

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// integers is a matrix of the pattern that depends on x[0], symmetric if it should be.
func integers(p *sparsity.Pattern, x []float64) *sparsity.Matrix {
	a := sparsity.NewMatrix(p)
	rows, _ := p.Dims()
	k := 0
	for i := range rows {
		for _, j := range p.Row(i) {
			lo, hi := min(i, int(j)), max(i, int(j))
			a.Values()[k] = x[0] + float64(1+(7*lo+13*hi)%11)
			k++
		}
	}
	return a
}

// timesInteger is A(x)·v, or Aᵀ(x)·v, of that matrix.
func timesInteger(p *sparsity.Pattern, trans bool) Product {
	return Each(func(dst, x, v []float64) {
		if len(dst) > 0 {
			clear(dst)
		}
		if len(dst) > 0 && len(v) > 0 {
			integers(p, x).MulVecTo(mat.NewVecDense(len(dst), dst), trans, mat.NewVecDense(len(v), v))
		}
	})
}

// Matrices of small integers are recovered exactly, by any kind and any number of
// directions at once, and pass Verify.
func TestCompressedGivesTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{Column, Row, Distance2, Star, Acyclic, StarBicoloring, AcyclicBicoloring}).Draw(t, "kind")
		p := drawPattern(t, kind)
		c := New(kind, p).Compressed(rapid.IntRange(1, 5).Draw(t, "directions"), timesInteger(p, false), timesInteger(p, true))
		var dst *sparsity.Matrix
		for _, x := range []float64{0, 3} {
			dst = c.Eval(dst, []float64{x})
			require.Equal(t, integers(p, []float64{x}).Values(), dst.Values())
			require.NoError(t, c.Verify([]float64{x}))
		}
		require.Contains(t, c.Explain(), kind.String())
	})
}

// What the pattern misses is found.
func TestCompressedVerifyFindsWhatIsMissed(t *testing.T) {
	full := parse("110", "111", "011")
	for _, kind := range []Kind{Star, Acyclic, Column, Row} {
		c := New(kind, parse("100", "010", "001")).Compressed(1, timesInteger(full, false), timesInteger(full, true))
		var missed *ProductError
		require.ErrorAs(t, c.Verify([]float64{0}), &missed)
		require.NotEqual(t, missed.Got, missed.Want)
	}
}

func TestCompressedAllocatesNothing(t *testing.T) {
	p := parse("1100", "1110", "0111", "0011")
	c := New(Acyclic, p).Compressed(2, Each(func(dst, x, v []float64) { copy(dst, v) }), nil)
	dst, x := c.Matrix(), []float64{1}
	require.Zero(t, testing.AllocsPerRun(10, func() { c.Eval(dst, x) }))
}

func TestConcurrentCompressed(t *testing.T) {
	p := parse("1100", "1110", "0111", "0011")
	c := New(Star, p).Compressed(2, timesInteger(p, false), nil)
	done := make(chan []float64)
	for g := range 4 {
		go func() {
			var values []float64
			for range 50 {
				values = c.Eval(nil, []float64{float64(g)}).Values()
			}
			done <- values
		}()
	}
	var sums []float64
	for range 4 {
		s := 0.0
		for _, v := range <-done {
			s += v
		}
		sums = append(sums, s)
	}
	slices.Sort(sums)
	require.Equal(t, 10., sums[1]-sums[0])
}

func TestCompressedMisuse(t *testing.T) {
	p := parse("11", "11")
	f := timesInteger(p, false)
	require.Panics(t, func() { New(Star, p).Compressed(1, nil, nil) })
	require.Panics(t, func() { New(Row, p).Compressed(1, f, nil) })
	require.Panics(t, func() { New(Star, p).Compressed(0, f, nil) })
	require.Panics(t, func() { New(Star, p).Compressed(1, f, nil).Eval(sparsity.NewMatrix(parse("1")), nil) })
}
