package corpus

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where snap counts as its argument, the gradient of Σ snap(3x)·x³ is 3x³ + 3·snap(3x)·x², and its
// Hessian is diagonal with 18x² + 6·snap(3x)·x.
func TestDerivativesByHandAreCalled(t *testing.T) {
	x, v := []float64{0.4, -1.3, 2.2}, []float64{1, -2, 0.5}
	n := len(x)
	gradient, product := make([]float64, n), make([]float64, n)
	derivative, form := 0.0, 0.0
	for i, x := range x {
		gradient[i] = 3*x*x*x + 3*math.Round(3*x)*x*x
		if i == 0 {
			gradient[i] += 4
		}
		product[i] = (18*x*x + 6*math.Round(3*x)*x) * v[i]
		derivative += gradient[i] * v[i]
		form += product[i] * v[i]
	}
	dst, several := make([]float64, n), [][]float64{make([]float64, n), make([]float64, n)}
	require.Equal(t, stepped(x), steppedGradient(dst, x))
	require.InDeltaSlice(t, gradient, dst, 1e-13)
	value, have := steppedJVP(x, v)
	require.Equal(t, stepped(x), value)
	require.InDelta(t, derivative, have, 1e-13)
	require.Equal(t, stepped(x), steppedJVP4(dst[:2], [][]float64{x, v}, x))
	require.Equal(t, have, dst[1])
	steppedHVP(dst, x, v)
	require.InDeltaSlice(t, product, dst, 1e-13)
	steppedHVP4(several, [][]float64{x, v}, x)
	require.Equal(t, dst, several[1])
	require.InDelta(t, form, steppedBilinear(x, v, v), 1e-13)
}
