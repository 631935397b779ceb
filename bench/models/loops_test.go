package models

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// Each loop is the function by hand, and its derivatives on a tape are those of dual
// numbers, which go through it step by step.
func TestLoops(t *testing.T) {
	for _, m := range Loops {
		steps := 60
		if m.Name == "multiple-shooting" {
			steps = 3 * intervals
		}
		m = Loop(m.Name, steps)
		n := len(m.X0)
		tape, err := reverse.Record(LoopFunc[reverse.Var](m), m.X0)
		require.NoError(t, err)
		f, g, err := tape.ValueGradient(nil, m.X0)
		require.NoError(t, err)
		want := m.Plain()(m.X0)
		require.InEpsilon(t, want, f, 1e-12, m.Name)
		v, w := make([]float64, n), make([]float64, n)
		for i := range v {
			v[i], w[i] = math.Sin(float64(i+1)), math.Cos(float64(i))
		}
		h, err := tape.HVP(nil, m.X0, v)
		require.NoError(t, err)
		x := make([]dual.Hyper, n)
		for i := range x {
			x[i] = dual.Hyper{V: m.X0[i], D1: v[i], D2: w[i]}
		}
		y := LoopFunc[dual.Hyper](m)(x)
		gv, wh, scale := 0.0, 0.0, 0.0
		for i := range v {
			gv += g[i] * v[i]
			wh += h[i] * w[i]
			scale += math.Abs(h[i])
		}
		require.InDelta(t, y.D1, gv, 1e-9*(1+math.Abs(y.D1)), m.Name)
		require.InDelta(t, y.D12, wh, 1e-9*(1+scale), m.Name)
	}
}

// A tape of ten times the steps has as many operations.
func TestTapesOfLoopsDoNotGrow(t *testing.T) {
	for _, m := range Loops {
		var ops []int
		for _, steps := range []int{100, 1000} {
			m := Loop(m.Name, steps)
			tape, err := reverse.Record(LoopFunc[reverse.Var](m), m.X0)
			require.NoError(t, err)
			ops = append(ops, tape.Ops())
		}
		require.Equal(t, ops[0], ops[1], m.Name)
	}
}

// Observations of a linear system with Gaussian noise are jointly Gaussian: with the
// means 0 and the covariance of the level, which is a sum of what has come in so far,
// and errors.
func TestKalmanFilterIsTheJointDensity(t *testing.T) {
	const steps = 12
	y := series(steps)
	joint := func(x []reverse.Var) reverse.Var {
		cov := matrix.New[reverse.Var](steps, steps, nil)
		for i := range steps {
			for j := range steps {
				// Level i is l₀ + (i+1)·s₀ + Σ_{k≤i} (a_k + (i−k)·b_k).
				a, b := float64(i+1), float64(j+1)
				z := dual.Const[reverse.Var](1 + a*b)
				for k := range min(i, j) + 1 {
					z = z.Add(x[0].Exp()).Add(x[1].Exp().Scale(float64((i - k) * (j - k))))
				}
				if i == j {
					z = z.Add(x[2].Exp())
				}
				cov.Set(i, j, z)
			}
		}
		obs := make([]reverse.Var, steps)
		for i := range obs {
			obs[i] = dual.Const[reverse.Var](y[i][0])
		}
		return dual.Dot(obs, matrix.SolveSPDVec(nil, cov, obs)).Add(matrix.LogDetSPD(cov))
	}
	filter := func(x []reverse.Var) reverse.Var { return Kalman(x, y) }
	sameFunctions(t, joint, filter, []float64{-1, -2, 0.3}, 1e-9)
}

// The likelihood of a hidden Markov model is the sum over all sequences of states.
func TestForwardAlgorithmIsTheSumOverPaths(t *testing.T) {
	const steps, states = 5, 2
	y := series(steps)
	paths := func(x []reverse.Var) reverse.Var {
		var rows [states][]reverse.Var
		for i := range rows {
			rows[i] = softmax(x[states*(1+i):][:states])
		}
		var total reverse.Var
		for path := range 1 << steps {
			at := func(k int) int { return path >> k & 1 }
			var p reverse.Var
			for first := range states { // the state before the first observation
				q := dual.Const[reverse.Var](1. / states).Mul(rows[first][at(0)])
				p = p.Add(q)
			}
			for k := range steps {
				if k > 0 {
					p = p.Mul(rows[at(k-1)][at(k)])
				}
				p = p.Mul(x[at(k)].RSub(y[k][0]).Square().Scale(-0.5).Exp())
			}
			total = total.Add(p)
		}
		return total.Log().Neg()
	}
	forward := func(x []reverse.Var) reverse.Var { return HiddenMarkov(x, states, y) }
	sameFunctions(t, paths, forward, []float64{-0.5, 0.8, 1, 0.2, -0.3, 0.4}, 1e-10)
}

// On the vector of its mode a linear system is multiplied in each step by the
// polynomial of the method of order 4.
func TestHeatDecaysAsItsMode(t *testing.T) {
	const steps = 1000
	mode := func(x []reverse.Var) reverse.Var { // x = [c; the amplitude]
		u := make([]reverse.Var, heatPoints)
		for i := range u {
			u[i] = x[1].Scale(math.Sin(math.Pi * float64(3*(i+1)) / (heatPoints + 1)))
		}
		return Heat(append([]reverse.Var{x[0]}, u...), steps)
	}
	closed := func(x []reverse.Var) reverse.Var {
		s := math.Sin(3 * math.Pi / 2 / (heatPoints + 1))
		z := x[0].Scale(-4 * s * s * heatStep)
		p := z.Scale(1. / 4).AddReal(1).Mul(z).Scale(1. / 3).AddReal(1).Mul(z).Scale(1. / 2).AddReal(1).Mul(z).AddReal(1)
		return p.PowReal(2 * steps).Mul(x[1].Square()).Scale((heatPoints + 1) / 2.) // Σ sin² of a mode
	}
	sameFunctions(t, closed, mode, []float64{0.5, 2}, 1e-8)
}

// A body on a circle stays there but for O(h²), whatever the mass if the speed fits.
func TestLeapfrogOnACircle(t *testing.T) {
	for _, mass := range []float64{1, 4} {
		x := []float64{1, 0, 0, math.Sqrt(mass), mass}
		r2 := LoopFunc[dual.Real](Loop("leapfrog", 3000))([]dual.Real{1, 0, 0, dual.Real(math.Sqrt(mass)), dual.Real(mass)})
		require.InDelta(t, 1, float64(r2), 10*mass*leapfrogStep*leapfrogStep)
		// From λq and λv with the mass λ³m all is λ times as large: along [q; v; 3m] the
		// derivative of r² is 2r².
		tape, err := reverse.Record(LoopFunc[reverse.Var](Loop("leapfrog", 3000)), x)
		require.NoError(t, err)
		d, err := tape.JVP(nil, x, []float64{x[0], x[1], x[2], x[3], 3 * mass})
		require.NoError(t, err)
		require.InEpsilon(t, 2*float64(r2), d[0], 1e-9)
	}
}

// At the state 0 the system of Lorenz is linear; along the third axis it stays 0 in the
// first coordinate, so that there is only ∂²f there: f = Σ x² / T.
func TestLorenzAtRest(t *testing.T) {
	const steps = 200
	x := []float64{0, 0, 1, 10, 28, 8. / 3}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return Lorenz(x, steps, 7) }, x)
	require.NoError(t, err)
	f, g, err := tape.ValueGradient(nil, x)
	require.NoError(t, err)
	require.Zero(t, f)
	require.Equal(t, make([]float64, 6), g)
}

// What costs less with one trajectory is the same in intervals that join.
func TestShootingInIntervalsThatJoin(t *testing.T) {
	const steps = 2 * intervals
	torques := Loop("shooting", steps).X0
	states := make([]float64, 2*intervals)
	s := make([]dual.Real, 2)
	for k, u := range torques {
		if k%(steps/intervals) == 0 {
			i := k / (steps / intervals)
			states[2*i], states[2*i+1] = float64(s[0]), float64(s[1])
		}
		s = swung(s, dual.Real(u))
	}
	require.InEpsilon(t, shootingPlain(torques), multipleShootingPlain(append(states, torques...)), 1e-12)
	tape, err := reverse.Record(MultipleShooting[reverse.Var], append(states, torques...))
	require.NoError(t, err)
	f, err := tape.Value(append(states, torques...))
	require.NoError(t, err)
	require.InEpsilon(t, shootingPlain(torques), f, 1e-12)
	// Each interval is coupled with its own torques and with the next state.
	p := tape.HessianPattern()
	require.Less(t, p.NNZ(), len(states)*20+4*steps*steps/intervals)
}

// sameFunctions compares values, gradients and Hessians at x.
func sameFunctions(t *testing.T, want, got func(x []reverse.Var) reverse.Var, x []float64, tol float64) {
	t.Helper()
	a, err := reverse.Record(want, x)
	require.NoError(t, err)
	b, err := reverse.Record(got, x)
	require.NoError(t, err)
	fa, ga, err := a.ValueGradient(nil, x)
	require.NoError(t, err)
	fb, gb, err := b.ValueGradient(nil, x)
	require.NoError(t, err)
	require.InDelta(t, fa, fb, tol*(1+math.Abs(fa)))
	ha, err := hessian.New(a, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	hb, err := hessian.New(b, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	for i := range x {
		require.InDelta(t, ga[i], gb[i], tol*(1+math.Abs(ga[i])))
		for j := range x {
			require.InDelta(t, ha.At(i, j), hb.At(i, j), tol*(1+math.Abs(ha.At(i, j))))
		}
	}
}
