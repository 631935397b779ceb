package main

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
)

// Derivatives by hand are those of dual numbers, in the pattern that is found.
func TestDerivativesByHand(t *testing.T) {
	count := 0
	for _, problem := range problems.All {
		for _, size := range []int{problem.Min, 9, 16, 49} {
			if size < problem.Min {
				continue
			}
			in := problem.At(size)
			if in.ByHand == nil {
				continue
			}
			count++
			pattern := newTaped(in).pattern()
			g, h := ones(len(in.X0)), ones(pattern.NNZ())
			near := func(want, got float64, what string, i, j int) {
				t.Helper()
				assert.InDelta(t, want, got, 1e-12*(1+math.Abs(want)), "%s, n = %d: %s %d, %d", in.Name, size, what, i, j)
			}
			near(in.Plain(in.X0), in.ByHand(g, h, pattern.RowPtr(), in.X0), "value", 0, 0)
			for i, d := range forward.Gradient(nil, problems.Func[dual.Number3](in), in.X0) {
				near(d, g[i], "gradient", i, 0)
			}
			want := hessian.Forward(nil, problems.Func[dual.Hyper](in), in.X0)
			for i, j := range pattern.All() {
				near(want.At(i, j), h[pattern.Position(i, j)], "Hessian", i, j)
			}
		}
	}
	assert.Positive(t, count)
}

// What was written as Go gives the bits of the plans, at infinities and NaN, too.
func TestSourceIsThatOfThePlans(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		in := problems.Named(name).At(10000)
		f := problems.Source(name, len(in.X0))
		plan := must(hessian.NewSparse(newTaped(in).Tape))
		a, g := plan.Matrix(), make([]float64, len(in.X0))
		h, gs := ones(a.NNZ()), ones(len(in.X0))
		x := slices.Clone(in.X0)
		for _, v := range []float64{x[5000], 0, math.Inf(1), math.NaN()} {
			x[5000] = v
			want := must(plan.EvalAll(a, g, x))
			got := f(h, gs, x)
			require.True(t, floats.Same([]float64{want}, []float64{got}), "%s: %v, want %v", name, got, want)
			require.True(t, floats.Same(g, gs), name)
			require.True(t, floats.Same(a.Values(), h), name)
		}
		assert.Zero(t, testing.AllocsPerRun(3, func() { f(h, gs, x) }), name)
	}
}

func TestDifferencesAreCounted(t *testing.T) {
	for _, n := range []int{1, 2, 7, 30} {
		jacobian, hessian := 0, 0
		fd.Jacobian(mat.NewDense(n, n, nil), func(y, x []float64) { jacobian++ }, make([]float64, n), nil)
		fd.Hessian(mat.NewSymDense(n, nil), func(x []float64) float64 { hessian++; return 0 }, make([]float64, n), nil)
		assert.EqualValues(t, jacobian, differences(n, 2), "Jacobian, n = %d", n)
		assert.EqualValues(t, hessian, differences(n, 1), "Hessian, n = %d", n)
	}
}
