package terms_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

func TestClassicsHaveTheDerivativesWrittenByHand(t *testing.T) {
	for _, c := range classics {
		tape, err := reverse.RecordVec(c.f, c.x)
		require.NoError(t, err)
		n := len(c.x)
		H := terms.Detect(tape.Inside().Function, true).Hessian(nil)
		x := append([]float64(nil), c.x...)
		for k := range 3 {
			x[k%n] += 0.3
			g, wg := make([]float64, n), make([]float64, n)
			h, wh := make([]float64, H.Pattern().NNZ()), make([]float64, n*n)
			y := make([]float64, tape.Outputs())
			H.Eval(h, y, g, x, nil, c.w)
			f := c.hand(x, wg, wh)
			got := 0.0
			for j := range y {
				w := 1.0
				if c.w != nil {
					w = c.w[j]
				}
				got += w * y[j]
			}
			require.InEpsilon(t, f, got, 1e-13)
			require.InDeltaSlice(t, wg, g, 1e-10)
			for i, row := range dense(H.Pattern(), h) {
				require.InDeltaSlice(t, wh[i*n:(i+1)*n], row, 1e-10, c.name)
			}
		}
	}
}
