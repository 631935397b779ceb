package reverse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// A loop in a term is the loop, for each term, whether it is one operation of the term
// or written out there.
func TestScanInTermsIsTheLoop(t *testing.T) { rapid.Check(t, scanInTermsIsLoop) }

func scanInTermsIsLoop(t *rapid.T) {
	f := drawScanned(t, randprog.Options{MaxInputs: 4, MaxOutputs: 2, MaxLen: 6, Branches: rapid.Bool().Draw(t, "branches")})
	n := len(f.x)
	if n == 0 {
		t.Skip("no inputs")
	}
	var x []float64 // the variables of the first term, then some like them
	for _, k := range []float64{1, 1 + 1e-3} {
		for _, v := range f.x {
			x = append(x, k*v)
		}
	}
	count := rapid.IntRange(1, 4).Draw(t, "terms")
	index := make([][]int, n)
	for a := range index {
		index[a] = []int{a}
		for range count - 1 {
			index[a] = append(index[a], rapid.SampledFrom([]int{a, n + a, n - 1 - a}).Draw(t, "variable"))
		}
	}
	record := func(sum func(x []V, term func(x []V) []V) []V, scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) *reverse.Tape {
		tape, err := reverse.RecordVec(func(x []V) []V {
			return sum(x, func(x []V) []V { return run(f, x, scalarHooks, scan) })
		}, x)
		require.NoError(t, err)
		return tape
	}
	b := record(func(x []V, term func(x []V) []V) (y []V) {
		for k := range count {
			local := make([]V, n)
			for a := range local {
				local[a] = x[index[a][k]]
			}
			for j, z := range term(local) {
				if k == 0 {
					y = append(y, V{})
				}
				y[j] = y[j].Add(z)
			}
		}
		return y
	}, asLoop[V])
	m := b.Outputs()
	var rows [][]int
	for j := range m {
		rows = append(rows, make([]int, count))
		for k := range rows[j] {
			rows[j][k] = j
		}
	}
	bound, err := f.boundAt(b, x)
	require.NoError(t, err)
	if !(bound < 1e9) {
		t.Skip("ill-conditioned")
	}
	reverse.WithShortLoop(rapid.SampledFrom([]int{0, 0, 500}).Draw(t, "short"), func() {
		a := record(func(x []V, term func(x []V) []V) []V {
			return reverse.RepeatVec(func(x, _ []V) []V { return term(x) }, x, index, nil, m, rows)
		}, asScan[V])
		parts := []string{"strategies", "transforms", "patterns"}
		sameButBits(t, f, a, b, x, 1e-9*(1+bound), rapid.SampledFrom(parts).Draw(t, "part"))
	})
}

// Terms that are loops are one operation, of as many as there are and of whatever length.
func TestTapesOfScansInTermsDoNotGrow(t *testing.T) {
	record := func(terms, steps int) *reverse.Tape {
		index := [][]int{{}, {}}
		x := make([]float64, 3)
		for k := range terms {
			index[0], index[1] = append(index[0], k%3), append(index[1], (k+1)%3)
		}
		tape, err := reverse.Record(func(x []V) V {
			return reverse.Repeat(func(x, _ []V) V {
				last, _ := dual.Scan(dual.Loop[reverse.Var]{Start: x[:1], Shared: x[1:], Steps: steps, Step: func(s, w, _, _ []V) (next, out []V) {
					return []V{s[0].Add(w[0].Sub(s[0].Sin()).Scale(0.01))}, nil
				}})
				return last[0].Square()
			}, x, index, nil)
		}, x)
		require.NoError(t, err)
		require.Equal(t, 9, tape.HessianPattern().NNZ())
		return tape
	}
	want := record(6, 1000)
	for _, got := range []*reverse.Tape{record(6, 100000), record(600, 1000)} {
		require.Equal(t, want.Ops(), got.Ops())
		require.InDelta(t, want.Bytes(), got.Bytes(), 600*2*4) // the lists
	}
}

// A loop whose steps go other ways in one term than in another is recorded for each.
func TestScanInTermsGoesOtherWays(t *testing.T) {
	x := []float64{0.1, 0.5, 2, 3, -1, -2, 0.7, 4}
	index := make([]int, len(x))
	for i := range index {
		index[i] = i
	}
	f := func(scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) func(x []V) V {
		return func(x []V) V {
			return reverse.Repeat(func(x, _ []V) V {
				last, _ := scan(dual.Loop[reverse.Var]{Start: x, Steps: 600, Step: func(s, _, _, _ []V) (next, out []V) {
					if s[0].LessReal(1) {
						return []V{s[0].Scale(1.5)}, nil
					}
					return []V{s[0].Scale(0.5).Sin()}, nil
				}}, nil, false)
				return last[0].Square()
			}, x, [][]int{index}, nil)
		}
	}
	a, err := reverse.Record(f(asScan[V]), x)
	require.NoError(t, err)
	b, err := reverse.Record(f(asLoop[V]), x)
	require.NoError(t, err)
	sameButBits(t, named("ways"), a, b, x, 1e-9, "patterns")
}

// A plan sweeps over the loops of terms, and says so.
func TestPlansOfScansInTerms(t *testing.T) {
	const n, steps = 30, 200
	x := make([]float64, n)
	var index [2][]int
	for i := range x {
		x[i] = 0.1 * float64(i)
		if i > 0 {
			index[0], index[1] = append(index[0], i-1), append(index[1], i)
		}
	}
	f := func(scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) func(x []V) V {
		return func(x []V) V {
			return reverse.Repeat(func(x, _ []V) V {
				last, sum := scan(dual.Loop[reverse.Var]{Start: x[:1], Shared: x[1:], Steps: steps, Step: func(s, w, _, _ []V) (next, out []V) {
					return []V{s[0].Add(w[0].Sub(s[0].Sin()).Scale(0.01))}, []V{s[0].Mul(w[0])}
				}}, nil, false)
				return last[0].Square().Add(sum[0][0])
			}, x, index[:], nil)
		}
	}
	a, err := reverse.Record(f(asScan[V]), x)
	require.NoError(t, err)
	h, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(a)
	require.NoError(t, err)
	require.Contains(t, h.Explain(), "sweeps over the operations of each term")
	require.Equal(t, 3*n-2, h.Pattern().NNZ())
	b, err := reverse.Record(f(asLoop[V]), x)
	require.NoError(t, err)
	want, err := hessian.New(b, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	got, err := h.Eval(nil, x)
	require.NoError(t, err)
	for i := range n {
		for j := range n {
			require.InDelta(t, want.At(i, j), got.At(i, j), 1e-9*(1+steps))
		}
	}
}
