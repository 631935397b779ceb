//go:build !race

// The race detector empties pools at random.

package implicit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
)

func TestProductsDoNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(18, 1))
	for _, m := range []int{5, 150} {
		f := newFamily(rnd, m, 4)
		whole, _ := f.phiTapes(t)
		for _, kind := range []Solver{SolverDense, SolverSparse} {
			s, err := with(kind).New(f.tape(t)).At(f.w, f.point)
			require.NoError(t, err)
			r, err := s.Reduce(whole)
			require.NoError(t, err)
			y, x := make([]float64, m), make([]float64, 4)
			for name, call := range map[string]func(){
				"JVP": func() { s.JVP(y, f.point) },
				"VJP": func() { s.VJP(x, f.w) },
				"HVP": func() { r.HVP(x, f.point) },
			} {
				call()
				require.Zero(t, testing.AllocsPerRun(20, call), "%s %v %d", name, kind, m)
			}
		}
	}
}

func TestApplyAtNewPointsDoesNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(36, 1))
	f := newFamily(rnd, 5, 2)
	eq := NewEquation(f.tape(t))
	tape := tapeOf(t, f.point, func(x vars) vars { return vars{dual.Sum(eq.Apply(x...))} })
	x, g := slices.Clone(f.point), make([]float64, 2)
	next := func() {
		x[0] += 1e-4
		_, err := tape.Gradient(g, x)
		require.NoError(t, err)
	}
	for range 100 {
		next()
	}
	require.Zero(t, testing.AllocsPerRun(50, next))
}
