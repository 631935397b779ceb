package laplace_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/laplace"
	"github.com/hesse-ad/hesse/reverse"
)

// Values and gradients of TMB 1.9.2, whose gradient has an error of the first order in that of the
// modes: its second element is 2·10⁻⁶ off differences of the value of eighth order, ours 10⁻¹¹.
func TestThetaLogisticIsAsOfTMB(t *testing.T) {
	m := models.ThetaLogistic()
	l := marginal(t, m.Func, m.U, m.X)
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
	for _, m := range []models.MixedModel{models.ThetaLogistic(), models.Crossed(40), models.Field(9), models.Volatility(100), models.Spatial()} {
		t.Run(m.Name, func(t *testing.T) {
			l := marginal(t, m.Func, m.U, m.X)
			gradientIsThatOfDifferences(t, l, m.X)
			hessianIsThatOfDifferences(t, l, m.X)
		})
	}
}

func TestSpatialIsAsOfTMB(t *testing.T) {
	m := models.Spatial()
	l := marginal(t, m.Func, m.U, m.X)
	v, g, err := l.ValueGradient(nil, m.X)
	require.NoError(t, err)
	require.InEpsilon(t, -41.5596989226982, v, 1e-12)
	require.InDeltaSlice(t, []float64{-10.2885481813352, 0.337989497945522, 40.9047730550033, -94.3569136639881}, g, 1e-5)
}

func TestFitIsThatOfTMB(t *testing.T) {
	m := models.ThetaLogistic()
	e, err := marginal(t, m.Func, m.U, m.X).Fit(context.Background(), m.X)
	require.NoError(t, err)
	require.InDelta(t, 2.97119305152486, e.Value, 1e-9)
	require.InDeltaSlice(t, []float64{-2.60329470424367, 0.762569165723157, 6.72500749088543, -4.74960151413912, -3.18892394775671}, e.Theta, 1e-5)

	// At TMB's optimum of the spatial model its modes are 10⁻⁴ off: f_u is 10⁻¹⁵ at ours.
	m = models.Spatial()
	l := marginal(t, m.Func, m.U, m.X)
	best := []float64{11.4081202950635, -0.139646810919502, 1.0054616235589, -0.803098852167306}
	v, g, err := l.ValueGradient(nil, best)
	require.NoError(t, err)
	require.InDelta(t, -101.236872749599, v, 2e-8)
	require.InDeltaSlice(t, make([]float64, 4), g, 1e-3)
	if testing.Short() {
		return
	}
	e, err = l.Fit(context.Background(), m.X)
	require.NoError(t, err)
	require.InDelta(t, -101.236872749599, e.Value, 2e-8)
	require.InDeltaSlice(t, best, e.Theta, 1e-6)
}

func TestEvaluationsAllocateLittle(t *testing.T) {
	m := models.Volatility(50)
	l := marginal(t, m.Func, m.U, m.X)
	theta, g := append([]float64(nil), m.X...), make([]float64, 3)
	k := 0.0
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() {
		k++
		theta[0] = 1e-3 * math.Sin(k)
		if _, _, err := l.ValueGradient(g, theta); err != nil {
			t.Fatal(err)
		}
	}), 10.0)
}

// Values do not depend on what was evaluated before, nor on who evaluates at the same time.
func TestConcurrentValuesAreIndependentOfHistory(t *testing.T) {
	m := models.Volatility(80)
	at := func(k int) []float64 {
		return []float64{0.5 * math.Sin(float64(k)), 1 + 0.5*math.Cos(float64(3*k)), -1 + 0.3*math.Sin(float64(5*k))}
	}
	var want [40]float64
	for k := range want {
		var err error
		want[k], err = marginal(t, m.Func, m.U, m.X).Value(at(k))
		require.NoError(t, err)
	}
	l := marginal(t, m.Func, m.U, m.X)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range want {
				k := (7*i + 11*worker) % len(want)
				v, _, err := l.ValueGradient(nil, at(k))
				assert.NoError(t, err)
				assert.InDelta(t, want[k], v, 1e-10*(1+math.Abs(want[k])))
			}
		})
	}
	group.Wait()
	require.NoError(t, l.Check(at(0)))
}

func marginal(t require.TestingT, f *reverse.Func, u, theta []float64) *laplace.Marginal {
	l, err := laplace.New(f, u, theta)
	require.NoError(t, err)
	return l
}

// record is the marginal of f of n effects and a parameter, recorded at 1.
func record(t *testing.T, f func(u, theta []reverse.Var) reverse.Var, n int) *laplace.Marginal {
	return marginal(t, reverse.NewFunc(func(x []reverse.Var) reverse.Var { return f(x[:n], x[n:]) }), make([]float64, n), []float64{1})
}

// Of a density with two modes evaluations have one, whatever came before; Check finds the other.
func TestOtherModesAreReported(t *testing.T) {
	f := func(u, theta []reverse.Var) reverse.Var { // minima near ±1
		return u[0].Square().AddReal(-1).Square().Scale(5).Sub(theta[0].Mul(u[0]))
	}
	l := record(t, f, 1)
	_, err := l.Value([]float64{1})
	require.NoError(t, err)
	for k := range 20 {
		_, err = l.Value([]float64{1 - 0.1*float64(k)})
		require.NoError(t, err)
	}
	u, err := l.Modes(nil, []float64{-1})
	require.NoError(t, err)
	require.Greater(t, u[0], 0.9)
	for _, history := range [][]float64{{-1}, {-40, -1}, {-3, -2, -1}, {40, -40, 0, -1}} {
		other := record(t, f, 1)
		for _, theta := range history {
			_, err := other.Value([]float64{theta})
			require.NoError(t, err)
		}
		v, err := other.Modes(nil, []float64{-1})
		require.NoError(t, err)
		require.InDelta(t, u[0], v[0], 1e-10, "after %v", history)
	}
	var other *laplace.OtherModeError
	require.ErrorAs(t, l.Check([]float64{-1}), &other)
	require.Less(t, other.Other[0], -0.9)
	require.Less(t, other.OtherValue, other.Value)
}

func TestModesThatAreNotThere(t *testing.T) {
	type V = reverse.Var
	for _, c := range []struct {
		name   string
		f      func(u, theta []V) V
		start  []float64
		reason laplace.Reason
	}{
		{"unbounded", func(u, theta []V) V { return u[0].Mul(theta[0]).Sub(u[1].Square()) }, []float64{0, 0}, laplace.NoMinimum},
		{"flat", func(u, theta []V) V { return u[0].Square().Mul(theta[0].Exp()).Add(u[1].Scale(0)) }, []float64{0, 0}, laplace.NotPositiveDefinite},
		{"linear", func(u, theta []V) V { return u[0].Add(u[1]).Mul(theta[0]) }, []float64{0, 0}, laplace.NoMinimum},
		{"valley", func(u, theta []V) V { return u[0].Add(u[1]).Sub(theta[0]).Square() }, []float64{0, 0}, laplace.NotPositiveDefinite},
		{"NaN", func(u, theta []V) V { return u[0].Square().Add(theta[0].Neg().Log()) }, []float64{0}, laplace.NotFinite},
		{"pole at the start", func(u, theta []V) V { return u[0].Sub(u[0].Log()) }, []float64{0}, laplace.NotFinite},
		// f falls forever, and steps become small in standard deviations.
		{"exp(−u)", func(u, theta []V) V { return u[0].Neg().Exp() }, []float64{0}, laplace.NotPositiveDefinite},
		{"exp(−u) from afar", func(u, theta []V) V { return u[0].Neg().Exp() }, []float64{100}, laplace.NotPositiveDefinite},
		{"1/u", func(u, theta []V) V { return u[0].Inv() }, []float64{1}, laplace.NotPositiveDefinite},
		{"separable", func(u, theta []V) V { return u[0].Neg().Exp().Log1p().Add(u[0].Scale(-2).Exp().Log1p()) }, []float64{0}, laplace.NotPositiveDefinite},
		{"log u²", func(u, theta []V) V { return u[0].Square().Log() }, []float64{1}, laplace.NoMinimum},
		// Minima without curvature, at a kink and at a jump.
		{"u⁴", func(u, theta []V) V { return u[0].AddReal(-3).PowInt(4) }, []float64{0}, laplace.NoMinimum},
		{"kink", func(u, theta []V) V { return u[0].AddReal(-0.1).Abs().Add(u[0].Square()) }, []float64{0}, laplace.NoMinimum},
		{"jump", func(u, theta []V) V {
			if u[0].LessReal(0) {
				return u[0].Square().AddReal(5)
			}
			return u[0].AddReal(1).Square()
		}, []float64{1}, laplace.NoMinimum},
	} {
		n := len(c.start)
		f := reverse.NewFunc(func(x []V) V { return c.f(x[:n], x[n:]) })
		_, err := marginal(t, f, c.start, []float64{1}).Value([]float64{1})
		var none *laplace.ModeError
		require.ErrorAs(t, err, &none, c.name)
		require.Equal(t, c.reason, none.Reason, c.name)
		require.Equal(t, []float64{1}, none.Theta)
	}
}

func TestModesOfHardFunctions(t *testing.T) {
	type V = reverse.Var
	for _, c := range []struct {
		name        string
		f           func(u []V) V
		start, mode []float64
		curvature   float64 // det f_uu
	}{
		{"scale 10⁶, from afar", func(u []V) V { return u[0].AddReal(-1e8).Scale(1e-6).Square() }, []float64{0}, []float64{1e8}, 2e-12},
		{"scale 10⁻⁹", func(u []V) V { return u[0].AddReal(-1e-8).Scale(1e9).Square() }, []float64{0}, []float64{1e-8}, 2e18},
		{"value of 10¹²", func(u []V) V { return u[0].AddReal(-3).PowInt(4).Add(u[0].AddReal(-3).Square()).AddReal(1e12) }, []float64{0}, []float64{3}, 2},
		{"a pole beside the start", func(u []V) V { return u[0].Sub(u[0].Log().Scale(3)) }, []float64{1e-6}, []float64{3}, 1. / 3},
		{"heavy tails", func(u []V) V { return u[0].Square().Log1p() }, []float64{1e9}, []float64{0}, 2},
		{"a kink elsewhere", func(u []V) V { return u[0].Abs().Add(u[0].AddReal(-5).Square()) }, []float64{-1}, []float64{4.5}, 2},
		{"a flat start", func(u []V) V { return u[0].Exp().Sub(u[0].Scale(1e6)) }, []float64{-30}, []float64{math.Log(1e6)}, 1e6},
		{"a bent valley", func(u []V) V { return u[1].Sub(u[0].Square()).Square().Scale(1e6).Add(u[0].RSub(1).Square()) }, []float64{-1.2, 1}, []float64{1, 1}, 4e6},
		{"no effects", func(u []V) V { return V{} }, nil, nil, 1},
	} {
		n := len(c.start)
		f := reverse.NewFunc(func(x []V) V { return c.f(x[:n]).Add(x[n].Square()) })
		l := marginal(t, f, c.start, []float64{0})
		u, err := l.Modes(nil, []float64{0})
		require.NoError(t, err, c.name)
		size := floats.Norm(c.mode, 2)
		if size == 0 {
			size = 1
		}
		require.InDeltaSlice(t, c.mode, u, 1e-11*size, c.name)
		v, g, err := l.ValueGradient(nil, []float64{3})
		require.NoError(t, err, c.name)
		at, err := f.Value(append(u, 3))
		require.NoError(t, err)
		require.InEpsilon(t, at+math.Log(c.curvature)/2-float64(n)/2*math.Log(2*math.Pi), v, 1e-9, c.name)
		require.InDeltaSlice(t, []float64{6}, g, 1e-12, c.name)
		h, err := l.Hessian(nil, []float64{3})
		require.NoError(t, err, c.name)
		require.InDelta(t, 2, h.At(0, 0), 1e-12, c.name)
	}
}

// The start is a saddle.
func TestSearchesLeaveSaddles(t *testing.T) {
	l := record(t, func(u, theta []reverse.Var) reverse.Var {
		return u[0].Square().AddReal(-1).Square().Add(u[1].Sub(theta[0]).Square())
	}, 2)
	u, err := l.Modes(nil, []float64{3})
	require.NoError(t, err)
	require.InDelta(t, 1, math.Abs(u[0]), 1e-9)
	require.InDelta(t, 3, u[1], 1e-9)
}

// A density with a branch in u is recorded again where the other side is met.
func TestBranchesAreRecordedAgain(t *testing.T) {
	f := func(u, theta []reverse.Var) reverse.Var {
		k := 1.0
		if u[0].LessReal(0) {
			k = 4
		}
		return u[0].Sub(theta[0]).Square().Scale(k).Add(u[0].Scale(0.1).Sin())
	}
	l := record(t, f, 1)
	for _, theta := range [][]float64{{2}, {-2}, {1.5}, {-1}} {
		v, err := l.Value(theta)
		require.NoError(t, err)
		k := 1.0
		if theta[0] < 0 {
			k = 4
		}
		u := theta[0]
		for range 50 { // Newton's method by hand
			u -= (2*k*(u-theta[0]) + 0.1*math.Cos(0.1*u)) / (2*k - 0.01*math.Sin(0.1*u))
		}
		want := k*(u-theta[0])*(u-theta[0]) + math.Sin(0.1*u) + math.Log(2*k-0.01*math.Sin(0.1*u))/2 - math.Log(2*math.Pi)/2
		require.InDelta(t, want, v, 1e-12)
		gradientIsThatOfDifferences(t, l, theta)
	}
}

func TestOperationsWithoutThirdDerivativesAreNamed(t *testing.T) {
	sine := reverse.NewPrimitive("sine", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) })
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var { return x[0].Sub(x[1]).Square().Add(sine.Apply(x[0])) })
	_, err := laplace.New(f, []float64{0}, []float64{0.3})
	var lack *hessian.LackError
	require.ErrorAs(t, err, &lack)
	require.Equal(t, hessian.LackError{Operation: "sine"}, *lack)
}

// Laplace's approximation of one effect is near the integral, where f is nearly quadratic.
func TestOneEffectByQuadrature(t *testing.T) {
	f := func(u, theta float64) float64 { // 30 counts of a mean, with a normal effect
		eta := theta + u
		return 30*math.Exp(eta) - 75*eta + u*u/2
	}
	l := record(t, func(u, theta []reverse.Var) reverse.Var {
		eta := theta[0].Add(u[0])
		return eta.Exp().Scale(30).Sub(eta.Scale(75)).Add(u[0].Square().Scale(0.5))
	}, 1)
	v, err := l.Value([]float64{0.2})
	require.NoError(t, err)
	u, err := l.Modes(nil, []float64{0.2})
	require.NoError(t, err)
	low := f(u[0], 0.2)
	sum := 0.0
	const h = 1e-3
	for k := -2000; k <= 2000; k++ {
		sum += h * math.Exp(low-f(u[0]+h*float64(k), 0.2))
	}
	// The next term of the expansion, f⁗/8f″² − 5f‴²/24f″³, and twice its square for those after.
	d3 := 30 * math.Exp(0.2+u[0])
	d2 := d3 + 1
	next := d3/(8*d2*d2) - 5*d3*d3/(24*d2*d2*d2)
	require.InDelta(t, low-math.Log(sum), v+next, 2*next*next)
}
