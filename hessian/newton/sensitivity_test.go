package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Derivatives of a solution with an equation, an active inequality, an active bound and
// a fixed variable, against differences of solutions.
func TestSensitivitiesAreThoseOfSolutions(t *testing.T) {
	f := func(x, lambda []reverse.Var) []reverse.Var {
		return []reverse.Var{
			x[0].Mul(x[3]).Mul(x[0].Add(x[1]).Add(x[2])).Add(x[2]).Mul(lambda[1]).Add(x[4].Mul(x[1])),
			x[0].Mul(x[1]).Mul(x[2]).Mul(x[3]).Sub(lambda[0]),
			x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(x[3].Square()),
			x[0].Sub(x[1]), // not active
		}
	}
	problem := func(lambda []float64) Problem {
		return Problem{
			Func:  reverse.NewFuncParamsVec(f, lambda),
			Lower: []float64{1, 1, 1, 1, 0.1}, Upper: []float64{5, 5, 5, 5, 0.1},
			ConstraintLower: []float64{0, 40, -inf}, ConstraintUpper: []float64{inf, 40, 100},
		}
	}
	o := InteriorPoint{Settings: Settings{Tolerance: 1e-11}}
	solve := func(lambda ...float64) *Result {
		r, err := o.Solve(background, problem(lambda), []float64{1, 5, 5, 1, 0})
		require.NoError(t, err)
		return r
	}
	lambda := []float64{25, 1.1}
	rough, err := InteriorPoint{}.Solve(background, problem(lambda), []float64{1, 5, 5, 1, 0})
	require.NoError(t, err)
	s, err := rough.Sensitivities(problem(lambda), f, lambda)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, s.Active(), "the product, and the lower bound of x₀")
	j, err := s.Jacobian(nil)
	require.NoError(t, err)
	slope, err := s.ValueGradient(nil)
	require.NoError(t, err)
	const h = 1e-4
	for k := range lambda {
		up, down := append([]float64(nil), lambda...), append([]float64(nil), lambda...)
		up[k] += h
		down[k] -= h
		a, b := solve(up...), solve(down...)
		for i := range a.X {
			require.InDelta(t, (a.X[i]-b.X[i])/(2*h), j.At(i, k), 1e-5)
		}
		require.InDelta(t, (a.Y[1]-b.Y[1])/(2*h), j.At(5, k), 1e-4, "multiplier of the equation")
		require.InDelta(t, (a.F-b.F)/(2*h), slope[k], 1e-6)
	}
	require.Panics(t, func() {
		_, _ = rough.Sensitivities(problem(lambda), func(x, _ []reverse.Var) []reverse.Var { return x[:2] }, lambda)
	})
}

// swingUp is the force u, |u| ≤ 8, of least ∫u² that brings a pendulum from below to
// above in 2 s, in n steps of the trapezoidal rule, x = [q; v; u] and λ = [g; mass].
func swingUp(n int, lambda []float64) (f func(x, lambda []reverse.Var) []reverse.Var, p Problem, x0 []float64) {
	h := 2 / float64(n)
	f = func(x, lambda []reverse.Var) []reverse.Var {
		q, v, u := x[:n+1], x[n+1:2*n+2], x[2*n+2:]
		out := []reverse.Var{dual.SumSquares(u).Scale(h)}
		a := make([]reverse.Var, n+1)
		for i := range a {
			a[i] = u[i].Sub(q[i].Sin().Mul(lambda[0])).Div(lambda[1])
		}
		for i := range n {
			out = append(out,
				q[i+1].Sub(q[i]).Sub(v[i].Add(v[i+1]).Scale(h/2)),
				v[i+1].Sub(v[i]).Sub(a[i].Add(a[i+1]).Scale(h/2)))
		}
		return out
	}
	size := 3 * (n + 1)
	x0 = make([]float64, size)
	p = Problem{Func: reverse.NewFuncParamsVec(f, lambda), Lower: make([]float64, size), Upper: make([]float64, size)}
	for i := range x0 {
		p.Lower[i], p.Upper[i] = -inf, inf
		if i <= n {
			x0[i] = math.Pi * float64(i) / float64(n)
		} else if i > 2*n+1 {
			p.Lower[i], p.Upper[i] = -8, 8
		}
	}
	for i, v := range map[int]float64{0: 0, n: math.Pi, n + 1: 0, 2*n + 1: 0} {
		p.Lower[i], p.Upper[i] = v, v
	}
	return f, p, x0
}

// Where the force leaves its bound the multiplier comes from 0: the first guess of what
// is active is not all of it.
func TestSensitivitiesWhereTheActiveSetIsNotPlain(t *testing.T) {
	const n = 1000
	lambda := []float64{9.81, 1}
	solve := func(tolerance float64, lambda ...float64) *Result {
		_, p, x0 := swingUp(n, lambda)
		r, err := InteriorPoint{Settings: Settings{Tolerance: tolerance}}.Solve(background, p, x0)
		require.NoError(t, err)
		return r
	}
	f, p, _ := swingUp(n, lambda)
	s, err := solve(0, lambda...).Sensitivities(p, f, lambda)
	require.NoError(t, err)
	j, err := s.Jacobian(nil)
	require.NoError(t, err)
	slope, err := s.ValueGradient(nil)
	require.NoError(t, err)
	const step = 1e-6 // few constraints change their state
	for k := range lambda {
		up, down := append([]float64(nil), lambda...), append([]float64(nil), lambda...)
		up[k] += step
		down[k] -= step
		a, b := solve(1e-13, up...), solve(1e-13, down...)
		require.InDelta(t, (a.F-b.F)/(2*step), slope[k], 1e-3)
		for i := 0; i < len(a.X); i += 10 {
			require.InDelta(t, (a.X[i]-b.X[i])/(2*step), j.At(i, k), 1e-2)
		}
	}
}

// A portfolio with weights at their bound 0, which Newton's method makes 10⁻²³: by how much its value
// changes with the return of a stock is its weight.
func TestSensitivitiesAtBoundsOfZero(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(1, seed))
		const n = 10
		loads, mu := make([]float64, 5*n), make([]float64, n)
		for i := range loads {
			loads[i] = 0.1 * rnd.NormFloat64()
		}
		for i := range mu {
			mu[i] = 0.05 + 0.03*rnd.NormFloat64()
		}
		f := func(w, mu []reverse.Var) []reverse.Var {
			v := dual.Dot(w, w).Scale(0.01)
			for k := range 5 {
				v = v.Add(dual.Affine(0, loads[k*n:(k+1)*n], w).Square())
			}
			return []reverse.Var{v.Scale(2.5).Sub(dual.Dot(mu, w)), dual.Sum(w).SubReal(1)}
		}
		p := Problem{Func: reverse.NewFuncParamsVec(f, mu), Lower: make([]float64, n)}
		start := make([]float64, n)
		floats.AddConst(1./n, start)
		r, err := InteriorPoint{}.Solve(background, p, start)
		require.NoError(t, err)
		degenerate := false
		for i, w := range r.X {
			degenerate = degenerate || w < 1e-4 && math.Abs(r.Z[i]) < 1e-4
		}
		if degenerate {
			continue
		}
		s, err := r.Sensitivities(p, f, mu)
		require.NoError(t, err, "seed %d", seed)
		g, err := s.ValueGradient(nil)
		require.NoError(t, err)
		for i, g := range g {
			require.InDelta(t, -s.W()[i], g, 1e-9)
		}
	}
}
