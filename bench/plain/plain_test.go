package plain

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/reverse"
)

var small = []Model{Barrier(200), Mixture(1, 1, 3), Mixture(4, 3, 20), LSTM(1, 2), LSTM(3, 12)}

// Gradients and products agree with those of tapes within the rounding of sums of so many terms, at
// two points in turn, since the work of a call is that of the one before.
func TestDerivativesAreThoseOfTapes(t *testing.T) {
	for _, m := range small {
		x := append([]float64(nil), m.X0...)
		for _, factor := range []float64{1, 1.05, 1} {
			for i := range x {
				x[i] = m.X0[i] * factor
			}
			want, err := reverse.Gradient(nil, m.Lifted, x)
			require.NoError(t, err)
			scale := 0.0
			for _, w := range want {
				scale = max(scale, math.Abs(w))
			}
			require.Positive(t, scale, m.Name)
			got := make([]float64, len(x))
			value := m.Value(x)
			require.InDelta(t, value, m.Gradient(got, x), 1e-14*math.Abs(value), "%s: the value", m.Name)
			require.InDeltaSlice(t, want, got, 1e-12*scale, "%s, %s", m.Name, m.Size)
			tape, err := reverse.Record(m.Lifted, x)
			require.NoError(t, err)
			v := normals(len(x), 8)
			if want, err = tape.HVP(want, x, v); err != nil {
				t.Fatal(err)
			}
			for _, w := range want {
				scale = max(scale, math.Abs(w))
			}
			m.Product(got, x, v)
			require.InDeltaSlice(t, want, got, 1e-12*scale, "%s, %s: product with the Hessian", m.Name, m.Size)
		}
	}
}

// Paths that end at the bound pay nothing, and others what they pay without a bound.
func TestPathsEndAtTheBound(t *testing.T) {
	x := []float64{100, 0.2, 0.03}
	all := option{strike: 100, bound: math.Inf(1), steps: 50, paths: 200, normal: normals(50*200, 1)}
	some := all
	some.bound = 140
	require.Less(t, barrier(x, &some), barrier(x, &all))
	require.Positive(t, barrier(x, &some))
}

// Without volatility all paths are s(t) = s₀·exp(rt), and each derivative has a closed form.
func TestPathsWithoutVolatility(t *testing.T) {
	o := &option{strike: 90, bound: 200, steps: 2, paths: 3, normal: make([]float64, 6)}
	g := make([]float64, 3)
	barrierGradient(g, []float64{100, 0, 0.04}, o)
	half, one, discount := math.Exp(0.02), math.Exp(0.04), math.Exp(-0.04)
	require.InDelta(t, discount*(half+one)/2, g[0], 1e-13)
	require.InDelta(t, 0, g[1], 1e-13)
	pay := 50*(half+one) - 90
	require.InDelta(t, discount*(50*(half/2+one)-pay), g[2], 1e-11)
}

// A mixture of one standard normal has a known posterior: -½Σ(x² + ln 2π) and the prior ½.
func TestMixtureOfOneIsANormal(t *testing.T) {
	m := &gaussians{dim: 1, k: 1, points: 2, x: []float64{1, 3}, gamma: 1}
	require.InDelta(t, -0.5*(1+9)-math.Log(2*math.Pi)+0.5, mixture([]float64{0, 0, 0}, m), 1e-14)
}

// Without weights all predictions are 0, and the loss is ln(2 + bits) for each bit set.
func TestNetworkWithoutWeightsPredictsNothing(t *testing.T) {
	n := &network{layers: 1, bits: 2, characters: 2, start: make([]float64, 4), text: []float64{0, 1, 1, 0}}
	require.InDelta(t, math.Log(4)/2, lstm(make([]float64, 8*2+3*2), n), 1e-15)
}
