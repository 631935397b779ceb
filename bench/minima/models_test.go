package minima

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/hessian/newton"
)

// solve solves a problem and compares its functions with the plain ones.
func solve(t *testing.T, p Problem) *newton.Result {
	t.Helper()
	r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Problem, p.X0)
	require.NoError(t, err, p.Name)
	want := p.Plain(r.X)
	require.InEpsilon(t, want[0], r.F, 1e-12, p.Name)
	for i, c := range want[1:] {
		require.InDelta(t, c, r.C[i], 1e-10*max(1, math.Abs(c)), "%s, constraint %d", p.Name, i)
	}
	return r
}

func TestPowerFlow(t *testing.T) {
	for _, g := range Grids {
		r := solve(t, g.PowerFlow())
		require.InEpsilon(t, g.Minimum, r.F, 1e-6, g.Name)
		require.LessOrEqual(t, r.Iterations, 30)

		// From there the dispatch for more load is some steps away.
		more := *g
		more.Buses = append([]Bus(nil), g.Buses...)
		for i := range more.Buses {
			more.Buses[i].P *= 1.05
		}
		p := more.PowerFlow()
		warm, err := newton.InteriorPoint{Warm: r}.Solve(context.Background(), p.Problem, r.X)
		require.NoError(t, err)
		require.InEpsilon(t, solve(t, p).F, warm.F, 1e-8)
		require.LessOrEqual(t, warm.Iterations, 5)
	}
}

// The price at a bus with a generator that is not at a limit is the cost of its next MW,
// at all buses it is the multiplier of the balance, and the cost rises as it says.
func TestPowerPrices(t *testing.T) {
	for _, g := range Grids {
		p := g.PowerFlow()
		r := solve(t, p)
		s, err := r.Sensitivities(p.Problem, g.Function, g.Loads())
		require.NoError(t, err)
		prices, err := s.ValueGradient(nil)
		require.NoError(t, err)
		set := 0
		for k, gen := range g.Generators {
			power := g.Base * r.X[2*len(g.Buses)+k]
			if power > 0.01 && power < gen.PMax-0.01 {
				set++
				require.InEpsilon(t, 2*gen.C2*power+gen.C1, prices[gen.Bus], 1e-6)
			}
		}
		require.Positive(t, set)
		for i, price := range prices {
			require.InEpsilon(t, r.Y[i]/g.Base, price, 1e-6)
		}
		const h = 0.5
		more, less := *g, *g
		more.Buses, less.Buses = append([]Bus(nil), g.Buses...), append([]Bus(nil), g.Buses...)
		more.Buses[2].P += h
		less.Buses[2].P -= h
		slope := (solve(t, more.PowerFlow()).F - solve(t, less.PowerFlow()).F) / (2 * h)
		require.InEpsilon(t, prices[2], slope, 1e-5)
	}
}

// The published minimum is that of the tests of Dymos, with 40 intervals and the same
// collocation.
func TestCartPole(t *testing.T) {
	require.InEpsilon(t, 58.83924863, solve(t, CartPole(40)).F, 1e-8)
}

func TestPendulumStaysUp(t *testing.T) {
	p := NewPendulum(30)
	o := newton.InteriorPoint{Settings: newton.Settings{Plans: new(newton.Plans)}}
	for k := range 40 {
		r, err := o.Solve(context.Background(), p.Problem, p.X0)
		require.NoError(t, err, "%d", k)
		require.Equal(t, k == 0, r.Prepare > 0)
		require.LessOrEqual(t, math.Abs(r.X[0]), 20.0)
		// The plant is the model.
		a1, a2 := cartPoleAcceleration(p.At[1], p.At[3], r.X[0])
		require.InDelta(t, p.At[2]+0.05*a1, r.X[3], 1e-7)
		require.InDelta(t, p.At[3]+0.05*a2, r.X[4], 1e-7)
		push := 0.0
		if k == 10 {
			push = 1
		}
		p.Step(r.X, push)
		o.Warm = r
	}
	require.InDelta(t, math.Pi, p.At[1], 0.02)
	require.InDelta(t, 0, p.At[3], 0.05)
}

// With its pitch held at 0 a quadrotor flies straight up as a mass with two
// accelerations does. The thrust is linear between steps, in one of which it changes.
func TestQuadrotorStraightUp(t *testing.T) {
	const n, z, a, b = 200, 5, 20 - 9.81, 9.81 - 1
	p := Flight(n, 0, z)
	for i := range n + 1 {
		k := 4*(n+1) + i
		p.Lower[k], p.Upper[k] = 0, 0
	}
	exact := math.Sqrt(2 * z * (a + b) / (a * b))
	r := solve(t, p)
	require.Greater(t, r.F, exact)
	require.Less(t, r.F, exact+r.X[len(r.X)-1]/50)
}

// What the controls do, by a method of order 4 with steps a tenth as long.
func TestQuadrotorArrives(t *testing.T) {
	const n, fine, g = 200, 10, 9.81
	r := solve(t, Quadrotor(n))
	step := r.X[7*(n+1)]
	control := func(k int, t float64) float64 {
		i := min(int(t), n-1)
		u := r.X[k*(n+1):]
		return u[i] + (t-float64(i))*(u[i+1]-u[i])
	}
	slope := func(t float64, s [5]float64) [5]float64 {
		thrust, rate := control(5, t), control(6, t)
		return [5]float64{s[2], s[3], thrust * math.Sin(s[4]), thrust*math.Cos(s[4]) - g, rate}
	}
	add := func(s [5]float64, h float64, d [5]float64) [5]float64 {
		for i := range s {
			s[i] += h * d[i]
		}
		return s
	}
	var s [5]float64
	for k := range n * fine {
		t, h := float64(k)/fine, step/fine
		a := slope(t, s)
		b := slope(t+0.5/fine, add(s, h/2, a))
		c := slope(t+0.5/fine, add(s, h/2, b))
		d := slope(t+1./fine-1e-12, add(s, h, c))
		for i := range s {
			s[i] += h / 6 * (a[i] + 2*b[i] + 2*c[i] + d[i])
		}
	}
	require.InDeltaSlice(t, []float64{5, 5, 0, 0, 0}, s[:], 5e-3)
}

// A convex problem with linear constraints lies above its linearization with any
// multipliers: nothing between the bounds is better than that, and by how much no more
// than rounding.
func TestPortfolioIsOptimal(t *testing.T) {
	p := Portfolio(200)
	r := solve(t, p)
	tape, err := p.Func.Tape(r.X)
	require.NoError(t, err)
	g, err := tape.VJP(nil, r.X, append([]float64{1}, r.Y...))
	require.NoError(t, err)
	last := len(r.C) - 1
	require.LessOrEqual(t, r.Y[last], 0.)
	gap := -r.Y[last] * (r.C[last] - p.ConstraintLower[last])
	for i, g := range g {
		if math.IsInf(p.Upper[i], 1) {
			require.InDelta(t, 0, g, 1e-8)
			continue
		}
		gap += max(g*(r.X[i]-p.Lower[i]), g*(r.X[i]-p.Upper[i]))
	}
	require.Less(t, gap, 1e-6*r.F)
}

func TestLogistic(t *testing.T) {
	p := vasoconstriction()
	r := solve(t, p)
	require.InDelta(t, 29.23, 2*r.F, 0.005)
	require.InDeltaSlice(t, []float64{-2.875, 5.179, 4.562}, r.X, 0.0005)

	// f is strongly convex with the ridge ρ: it is at most ‖∇f‖²/(2ρ) above its minimum.
	p = Logistic(1000)
	r = solve(t, p)
	_, g, err := p.Func.ValueGradient(nil, r.X)
	require.NoError(t, err)
	require.Less(t, sq(floats.Norm(g, 2))/(2*0.1), 1e-9*r.F)
}

// vasoconstriction is the logistic regression of Finney's data, volumes and rates of air
// inspired and whether blood vessels contracted: D. Pregibon, Logistic regression
// diagnostics, Annals of Statistics 9, 1981, where the deviance, twice the minimum, is 29.23.
func vasoconstriction() Problem {
	volume := []float64{3.7, 3.5, 1.25, 0.75, 0.8, 0.7, 0.6, 1.1, 0.9, 0.9, 0.8, 0.55, 0.6, 1.4, 0.75, 2.3, 3.2, 0.85, 1.7, 1.8,
		0.4, 0.95, 1.35, 1.5, 1.6, 0.6, 1.8, 0.95, 1.9, 1.6, 2.7, 2.35, 1.1, 1.1, 1.2, 0.8, 0.95, 0.75, 1.3}
	rate := []float64{0.825, 1.09, 2.5, 1.5, 3.2, 3.5, 0.75, 1.7, 0.75, 0.45, 0.57, 2.75, 3, 2.33, 3.75, 1.64, 1.6, 1.415, 1.06, 1.8,
		2, 1.36, 1.35, 1.36, 1.78, 1.5, 1.5, 1.9, 0.95, 0.4, 0.75, 0.03, 1.83, 2.2, 2, 3.33, 1.9, 1.9, 1.625}
	contracted := "111111000000011111010000101010100111001"
	o := &observations{unknowns: 3}
	for i := range volume {
		o.sign = append(o.sign, 2*float64(contracted[i]-'0')-1)
		o.feature = append(o.feature, []int{0, 1, 2})
		o.value = append(o.value, []float64{1, math.Log(volume[i]), math.Log(rate[i])})
	}
	return o.problem("vasoconstriction")
}
