package problems

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/reverse"
)

// Gradients and products that command adjoint wrote are those of tapes; each value is a sum of fewer
// than 100 products.
func TestGradientIsThatOfTheTape(t *testing.T) {
	for _, p := range All {
		in := p.At(max(p.Min, 60))
		if in.Adjoint == nil {
			continue
		}
		t.Run(p.Name, rapid.MakeCheck(func(t *rapid.T) {
			n := len(in.X0)
			x := rapid.SliceOfN(rapid.Float64Range(-2, 2), n, n).Draw(t, "x")
			want, err := reverse.Gradient(nil, Func[reverse.Var](in), x)
			require.NoError(t, err)
			scale := 1.0
			for _, w := range want {
				scale = max(scale, math.Abs(w))
			}
			got := make([]float64, n)
			value := in.Plain(x)
			assert.InDelta(t, value, in.Adjoint(got, x), 1e-14*(1+math.Abs(value)))
			assert.InDeltaSlice(t, want, got, 1e-13*scale)
			tape, err := reverse.Record(Func[reverse.Var](in), x)
			require.NoError(t, err)
			v := rapid.SliceOfN(rapid.Float64Range(-2, 2), n, n).Draw(t, "v")
			want, err = tape.HVP(want, x, v)
			require.NoError(t, err)
			for _, w := range want {
				scale = max(scale, math.Abs(w))
			}
			in.Product(got, x, v)
			assert.InDeltaSlice(t, want, got, 1e-13*scale)
		}))
	}
	assert.Len(t, adjoints, 5)
}
