package laplace_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/hessian/laplace"
)

// Values and gradients of TMB 1.9.2, whose gradient has an error of the first order in that of the
// modes: its second element is 2·10⁻⁶ off differences of the value of eighth order, ours 10⁻¹¹.
func TestThetaLogisticIsAsOfTMB(t *testing.T) {
	m := models.ThetaLogistic()
	l := laplace.New(m.Func, m.U)
	v, g, err := l.ValueGradient(nil, m.X)
	require.NoError(t, err)
	require.InEpsilon(t, 300.163699698991, v, 1e-12)
	require.InDeltaSlice(t, []float64{42.4098216932694, 59.5223663166904, -82.2301838358394, 40.4023260119504, 27.833620535941}, g, 3e-6)
	require.InDelta(t, 59.5223683166, g[1], 1e-10)

	best := []float64{-2.60329470424367, 0.762569165723157, 6.72500749088543, -4.74960151413912, -3.18892394775671}
	v, g, err = l.ValueGradient(g, best)
	require.NoError(t, err)
	require.InEpsilon(t, 2.97119305152486, v, 1e-10)
	require.InDeltaSlice(t, make([]float64, 5), g, 2e-5)
}

func gradientIsThatOfDifferences(t *testing.T, l *laplace.Marginal, theta []float64) {
	t.Helper()
	_, g, err := l.ValueGradient(nil, theta)
	require.NoError(t, err)
	for k := range theta {
		const h = 1e-3
		at := func(by float64) float64 {
			x := append([]float64(nil), theta...)
			x[k] += by
			v, err := l.Value(x)
			require.NoError(t, err)
			return v
		}
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		require.InDelta(t, want, g[k], 1e-7*(1+math.Abs(want)), "element %d", k)
	}
}

func hessianIsThatOfDifferences(t *testing.T, l *laplace.Marginal, theta []float64) {
	t.Helper()
	h, err := l.Hessian(nil, theta)
	require.NoError(t, err)
	for k := range theta {
		const step = 1e-3
		at := func(by float64) []float64 {
			x := append([]float64(nil), theta...)
			x[k] += by
			_, g, err := l.ValueGradient(nil, x)
			require.NoError(t, err)
			return g
		}
		a, b, c, d := at(step), at(-step), at(2*step), at(-2*step)
		for i := range theta {
			want := (8*(a[i]-b[i]) - (c[i] - d[i])) / (12 * step)
			require.InDelta(t, want, h.At(i, k), 1e-7*(1+math.Abs(want)), "element (%d, %d)", i, k)
		}
	}
}

func TestGradientsAreThoseOfDifferences(t *testing.T) {
	for _, m := range []models.MixedModel{models.ThetaLogistic(), models.Crossed(40), models.Field(9), models.Volatility(100)} {
		t.Run(m.Name, func(t *testing.T) {
			l := laplace.New(m.Func, m.U)
			gradientIsThatOfDifferences(t, l, m.X)
			hessianIsThatOfDifferences(t, l, m.X)
		})
	}
}

func TestSpatialIsAsOfTMB(t *testing.T) {
	m := models.Spatial()
	l := laplace.New(m.Func, m.U)
	v, g, err := l.ValueGradient(nil, m.X)
	require.NoError(t, err)
	require.InEpsilon(t, -41.5596989226982, v, 1e-12)
	require.InDeltaSlice(t, []float64{-10.2885481813352, 0.337989497945522, 40.9047730550033, -94.3569136639881}, g, 1e-5)
}

func TestFitsAreThoseOfTMB(t *testing.T) {
	for _, c := range []struct {
		m     models.MixedModel
		value float64
		theta []float64
	}{
		{models.ThetaLogistic(), 2.97119305152486, []float64{-2.60329470424367, 0.762569165723157, 6.72500749088543, -4.74960151413912, -3.18892394775671}},
		{models.Spatial(), -101.236872749599, []float64{11.4081202950635, -0.139646810919502, 1.0054616235589, -0.803098852167306}},
	} {
		e, err := laplace.New(c.m.Func, c.m.U).Fit(context.Background(), c.m.X)
		require.NoError(t, err, c.m.Name)
		require.InDelta(t, c.value, e.Value, 1e-8)
		require.InDeltaSlice(t, c.theta, e.Theta, 1e-4)
		t.Log(e)
	}
}
