package corpus

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

type function struct {
	plain    func(x []float64) float64
	gradient func(dst, x []float64) float64
	lifted   func(x []dual.Number) dual.Number
	forward  func(w *rosenWork, x, xb []float64) float64
	careful  func(w *rosenWork, x, xb []float64, bar float64)
}

var functions = map[string]function{
	"rosen":          {rosen, rosenGradient, rosenOf[dual.Number], rosenForward, rosenReverseCareful},
	"product":        {product, productGradient, productOf[dual.Number], productForward, productReverseCareful},
	"chain":          {chain, chainGradient, chainOf[dual.Number], chainForward, chainReverseCareful},
	"barrier":        {barrier, barrierGradient, barrierOf[dual.Number], barrierForward, barrierReverseCareful},
	"earlyReturns":   {earlyReturns, earlyReturnsGradient, earlyReturnsOf[dual.Number], earlyReturnsForward, earlyReturnsReverseCareful},
	"labels":         {labels, labelsGradient, labelsOf[dual.Number], labelsForward, labelsReverseCareful},
	"activeLoop":     {activeLoop, activeLoopGradient, activeLoopOf[dual.Number], activeLoopForward, activeLoopReverseCareful},
	"switches":       {switches, switchesGradient, switchesOf[dual.Number], switchesForward, switchesReverseCareful},
	"structs":        {structs, structsGradient, structsOf[dual.Number], structsForward, structsReverseCareful},
	"swaps":          {swaps, swapsGradient, swapsOf[dual.Number], swapsForward, swapsReverseCareful},
	"recursion":      {recursion, recursionGradient, recursionOf[dual.Number], recursionForward, recursionReverseCareful},
	"severalResults": {severalResults, severalResultsGradient, severalResultsOf[dual.Number], severalResultsForward, severalResultsReverseCareful},
	"matrices":       {matrices, matricesGradient, matricesOf[dual.Number], matricesForward, matricesReverseCareful},
	"pointers":       {pointers, pointersGradient, pointersOf[dual.Number], pointersForward, pointersReverseCareful},
	"mathFunctions":  {mathFunctions, mathFunctionsGradient, mathFunctionsOf[dual.Number], mathFunctionsForward, mathFunctionsReverseCareful},
	"draws":          {draws, drawsGradient, drawsOf[dual.Number], drawsForward, drawsReverseCareful},
	"atZero":         {atZero, atZeroGradient, atZeroOf[dual.Number], atZeroForward, atZeroReverseCareful},
	"literals":       {literals, literalsGradient, literalsOf[dual.Number], literalsForward, literalsReverseCareful},
}

// Gradients are those of the lifted functions, at points where branches go either way, and
// values have the bits of the functions.
func TestGradientsAreThoseOfTheLiftedFunctions(t *testing.T) {
	for name, f := range functions {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			for range 200 {
				x, have := make([]float64, 6), make([]float64, 6)
				for i := range x {
					x[i] = rnd.Float64()
				}
				before := append([]float64(nil), x...)
				value := f.gradient(have, x)
				require.Equal(t, before, x)
				require.Equal(t, math.Float64bits(f.plain(x)), math.Float64bits(value))
				careful := make([]float64, len(x))
				w := rosenPool.Get().(*rosenWork)
				f.forward(w, x, careful)
				f.careful(w, x, careful, 1)
				rosenPool.Put(w)
				for i := range x {
					in := make([]dual.Number, len(x))
					for k := range x {
						in[k].V = x[k]
					}
					in[i].D = 1
					want := f.lifted(in).D
					require.InDelta(t, want, have[i], 1e-11*(1+math.Abs(want)), "x = %v, component %d", x, i)
					require.InDelta(t, want, careful[i], 1e-11*(1+math.Abs(want)), "x = %v, component %d", x, i)
				}
				for s, n := range stacks() {
					require.Zero(t, n, "stack %s is empty again", s)
				}
			}
		})
	}
}

// A derivative that is exactly 0 annihilates infinities and NaN, as it does on tapes.
func TestZeroAnnihilatesInfinities(t *testing.T) {
	zero, inf := 0.0, math.Inf(1)
	for _, x := range [][]float64{{0, 0, 0, 0, 0, 0}, {zero, 1, zero, 2, 0, 1}, {1, 0, 1, 0, 0, 0}, {0, 1, inf, inf, 0, 0}, {4, 1, 0, 1, 0, inf}, {0, 0, 0, 0, 1, 1}, {1, 2, 3, 4, 5, 6}} {
		have := make([]float64, len(x))
		value := atZeroGradient(have, x)
		require.Equal(t, math.Float64bits(atZero(x)), math.Float64bits(value))
		tape, err := reverse.Record(atZeroOf[reverse.Var], x)
		require.NoError(t, err)
		want, err := tape.Gradient(nil, x)
		require.NoError(t, err)
		for i := range x {
			if math.IsNaN(want[i]) || math.IsInf(want[i], 0) {
				require.Equal(t, math.Float64bits(want[i]), math.Float64bits(have[i]), "x = %v, component %d", x, i)
			} else {
				require.InDelta(t, want[i], have[i], 1e-14*(1+math.Abs(want[i])), "x = %v, component %d", x, i)
			}
		}
	}
}

// Any element that is not finite shows.
func TestFinite(t *testing.T) {
	for n := range 30 {
		v := make([]float64, n)
		require.True(t, hesseRosenFinite(v))
		for i := range v {
			for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				v[i] = x
				require.False(t, hesseRosenFinite(v), "%d of %d", i, n)
			}
			v[i] = 1
		}
	}
}

// Functions that count, or draw from a source of their caller, are called once.
func TestWhatCountsIsCalledOnce(t *testing.T) {
	c := &counter{weights: []float64{0, 1}}
	g := make([]float64, 2)
	value := countedGradient(g, []float64{0, 4}, c)
	require.Equal(t, 1, c.calls)
	require.Equal(t, []float64{0, 0.25}, g)
	require.Equal(t, counted([]float64{0, 4}, c), value)
	total = 0
	value = countedInPackageGradient(g, []float64{0, 4})
	require.Equal(t, 1, total)
	require.Equal(t, []float64{0, 0.25}, g)
	require.Equal(t, countedInPackage([]float64{0, 4}), value)
	r, same := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	require.Equal(t, drawn([]float64{0, 4}, same), drawnGradient(g, []float64{0, 4}, r))
	require.Equal(t, same.Float64(), r.Float64())
	require.Equal(t, 0.0, g[0])
}

// stacks are the lengths of the stacks of the work that was used last.
func stacks() map[string]int {
	w := rosenPool.Get().(*rosenWork)
	defer rosenPool.Put(w)
	return map[string]int{"floats": len(w.floats), "ints": len(w.ints), "bools": len(w.bools), "slices": len(w.slices)}
}

// Gradients may be computed by several goroutines at once.
func TestConcurrentGradients(t *testing.T) {
	x := []float64{0.9, 0.2, 0.4, 0.7, 0.1, 0.6}
	for name, f := range functions {
		want := make([]float64, len(x))
		f.gradient(want, x)
		results := make(chan []float64)
		for range 4 {
			go func() {
				g := make([]float64, len(x))
				for range 20 {
					f.gradient(g, x)
				}
				results <- g
			}()
		}
		for range 4 {
			require.Equal(t, want, <-results, name)
		}
	}
}
