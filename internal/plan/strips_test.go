package plan_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/plan"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Strip by strip, Hessians by colorings have the bits of products one after another.
func TestHessiansByStripsHaveTheSameBits(t *testing.T) {
	for _, name := range []string{"rosen", "minsurf", "trig", "arrow", "bdqrtic"} {
		in := problems.Named(name).At(10000)
		tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, len(in.X0))
		for i := range x {
			x[i] = random.NormFloat64()
		}
		for _, part := range []struct {
			kind  coloring.Kind
			lower bool
		}{{coloring.Star, false}, {coloring.Acyclic, false}, {coloring.Acyclic, true}} {
			p, err := plan.New(inside.Function(tape), plan.Settings{Hessian: true, Method: plan.ByColoring(part.kind), Detected: func() *sparsity.Pattern { return tape.HessianPattern() }, Lower: part.lower})
			require.NoError(t, err)
			want, got := make([]float64, p.Pattern().NNZ()), make([]float64, p.Pattern().NNZ())
			wantG, g := make([]float64, len(x)), make([]float64, len(x))
			p.WithoutStrips()
			f, err := p.Eval(want, wantG, x, nil, []float64{0.7})
			require.NoError(t, err)
			require.Equal(t, name != "arrow" && name != "bdqrtic", p.InStrips(), name)
			for p.Workers = range 3 {
				f2, err := p.Eval(got, g, x, nil, []float64{0.7})
				require.NoError(t, err)
				require.Equal(t, math.Float64bits(f), math.Float64bits(f2))
				for k := range want {
					require.Equal(t, math.Float64bits(want[k]), math.Float64bits(got[k]), "%s: element %d", name, k)
					got[k] = math.NaN()
				}
				for k := range g {
					require.Equal(t, math.Float64bits(wantG[k]), math.Float64bits(g[k]), "%s: gradient %d", name, k)
				}
			}
		}
	}
}
