package terms_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// The table was computed outside of this library, by two independent programs:
// f, wᵀ∇f and wᵀ∇²f w at the start point, with wᵢ = cos i.
func TestProblemsHaveTheirPublishedValues(t *testing.T) {
	for _, c := range []struct {
		name           string
		f, slope, bend float64
	}{
		{"rosen", 5049.4144325584, -0.71484326096, 31634.4332907596},
		{"arrow", 3921.95796637394, 10574.6839092537, 27842.0957294677},
		{"bdqrtic", 259846.917766304, 399231.35067901, 1080178.94119446},
		{"minsurf", 1.08280747027618, -0.0079296198734, 445.49591297415},
		{"trig", 464.214849341812, -0.0484863968674, 816.71358589945},
	} {
		for _, p := range problems.All {
			if p.Name != c.name {
				continue
			}
			in := p.At(1000)
			tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
			require.NoError(t, err)
			pl := terms.Detect(tape.Inside().Function, true)
			h := pl.Hessian(nil)
			n := len(in.X0)
			y, g, v := make([]float64, 1), make([]float64, n), make([]float64, h.Pattern().NNZ())
			h.Eval(v, y, g, in.X0, nil, nil)
			slope, bend := 0.0, 0.0
			for i := range n {
				slope += g[i] * math.Cos(float64(i))
				for k, j := range h.Pattern().Row(i) {
					bend += math.Cos(float64(i)) * v[int(h.Pattern().RowPtr()[i])+k] * math.Cos(float64(j))
				}
			}
			assert.InEpsilon(t, c.f, y[0], 1e-12, c.name)
			assert.InDelta(t, c.slope, slope, 1e-10*(1+math.Abs(c.slope)), c.name)
			assert.InEpsilon(t, c.bend, bend, 1e-12, c.name)
		}
	}
}
