package corpus

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
)

type function struct {
	plain    func(x []float64) float64
	gradient func(dst, x []float64) float64
	lifted   func(x []dual.Number) dual.Number
}

var functions = map[string]function{
	"rosen":          {rosen, rosenGradient, rosenOf[dual.Number]},
	"product":        {product, productGradient, productOf[dual.Number]},
	"chain":          {chain, chainGradient, chainOf[dual.Number]},
	"barrier":        {barrier, barrierGradient, barrierOf[dual.Number]},
	"earlyReturns":   {earlyReturns, earlyReturnsGradient, earlyReturnsOf[dual.Number]},
	"labels":         {labels, labelsGradient, labelsOf[dual.Number]},
	"activeLoop":     {activeLoop, activeLoopGradient, activeLoopOf[dual.Number]},
	"switches":       {switches, switchesGradient, switchesOf[dual.Number]},
	"structs":        {structs, structsGradient, structsOf[dual.Number]},
	"swaps":          {swaps, swapsGradient, swapsOf[dual.Number]},
	"recursion":      {recursion, recursionGradient, recursionOf[dual.Number]},
	"severalResults": {severalResults, severalResultsGradient, severalResultsOf[dual.Number]},
	"matrices":       {matrices, matricesGradient, matricesOf[dual.Number]},
	"pointers":       {pointers, pointersGradient, pointersOf[dual.Number]},
	"draws":          {draws, drawsGradient, drawsOf[dual.Number]},
	"mathFunctions":  {mathFunctions, mathFunctionsGradient, mathFunctionsOf[dual.Number]},
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
				for i := range x {
					in := make([]dual.Number, len(x))
					for k := range x {
						in[k].V = x[k]
					}
					in[i].D = 1
					want := f.lifted(in).D
					require.InDelta(t, want, have[i], 1e-11*(1+math.Abs(want)), "x = %v, component %d", x, i)
				}
				for s, n := range stacks() {
					require.Zero(t, n, "stack %s is empty again", s)
				}
			}
		})
	}
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
