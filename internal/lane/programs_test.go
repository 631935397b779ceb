package lane_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// Every derivative of a sum of alike terms, of which there are many, has the same
// bits with kernels and without.
func TestProgramsHaveTheSameBitsWithoutKernels(t *testing.T) {
	defer lane.Choose("")
	rapid.Check(t, func(t *rapid.T) {
		p := randprog.Draw(t, randprog.Options{MaxInputs: 3, MaxLen: 15})
		terms := rapid.IntRange(1, 70).Draw(t, "terms")
		spread := rapid.SampledFrom([]float64{0, 1e-3, 0.3}).Draw(t, "spread")
		x := make([]float64, terms+p.Inputs)
		for i := range x {
			x[i] = p.X[i%p.Inputs] * (1 + spread*math.Sin(float64(i)))
		}
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			var s reverse.Var
			for k := range terms {
				for _, y := range randprog.Run(p, x[k:k+p.Inputs], randprog.Vars) {
					s = s.Add(y)
				}
			}
			return s
		}, x)
		if err != nil {
			t.Skip(err)
		}
		var want []float64
		for k, set := range []string{"portable", "avx2", "avx512"} {
			lane.Choose(set)
			got := derivatives(tape, x)
			if k == 0 {
				want = got
				continue
			}
			for i, g := range got {
				if w := want[i]; math.Float64bits(g) != math.Float64bits(w) && (g == g || w == w) {
					t.Fatalf("%s: number %d is %v, want %v, of\n%v", set, i, g, w, p)
				}
			}
		}
	})
}

// derivatives is all that sweeps and terms compute at x.
func derivatives(tape *reverse.Tape, x []float64) (all []float64) {
	v := make([]float64, len(x))
	for i := range v {
		v[i] = math.Cos(float64(i))
	}
	add := func(y []float64, err error) {
		if err == nil {
			all = append(all, y...)
		}
	}
	add(tape.Values(nil, x))
	add(tape.Gradient(nil, x))
	add(tape.JVP(nil, x, v))
	add(tape.HVP(nil, x, v))
	for _, method := range []hessian.Method{hessian.ByTerms, hessian.ByStar} {
		plan, err := hessian.SparseSettings{Method: method}.New(tape)
		if err != nil {
			continue
		}
		h, g := plan.Matrix(), make([]float64, len(x))
		f, err := plan.EvalAll(h, g, x)
		add([]float64{f}, err)
		add(g, err)
		add(h.Values(), err)
	}
	return all
}
