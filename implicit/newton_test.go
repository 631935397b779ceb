package implicit

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
)

// Systems of Moré, Garbow and Hillstrom, Testing unconstrained optimization
// software, ACM TOMS 7, 1981, with their numbers, start points and, where it is
// known in closed form, the root.
type mghSystem struct {
	name  string
	f     func(x vars) vars
	start []float64
	root  []float64
}

func repeated(n int, f func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i + 1)
	}
	return x
}

func mghSystems() []mghSystem {
	constant := func(c float64) func(int) float64 { return func(int) float64 { return c } }
	systems := []mghSystem{
		{"Rosenbrock (1)", func(x vars) vars {
			return vars{x[1].Sub(x[0].Square()).Scale(10), x[0].RSub(1)}
		}, []float64{-1.2, 1}, []float64{1, 1}},
		{"Powell badly scaled (3)", func(x vars) vars {
			return vars{x[0].Mul(x[1]).Scale(1e4).SubReal(1), x[0].Neg().Exp().Add(x[1].Neg().Exp()).SubReal(1.0001)}
		}, []float64{0, 1}, nil},
		{"helical valley (7)", func(x vars) vars {
			theta := x[1].Atan2(x[0]).Scale(1 / (2 * math.Pi))
			return vars{
				x[2].Sub(theta.Scale(10)).Scale(10),
				x[0].Hypot(x[1]).SubReal(1).Scale(10),
				x[2],
			}
		}, []float64{-1, 0.1, 0}, []float64{1, 0, 0}},
		{"discrete boundary value (28)", func(x vars) vars {
			n := len(x)
			h := 1 / float64(n+1)
			out := make(vars, n)
			for i := range x {
				t := float64(i+1) * h
				out[i] = x[i].Scale(2).Add(x[i].AddReal(t + 1).PowInt(3).Scale(h * h / 2))
				if i > 0 {
					out[i] = out[i].Sub(x[i-1])
				}
				if i+1 < n {
					out[i] = out[i].Sub(x[i+1])
				}
			}
			return out
		}, repeated(200, func(i int) float64 { t := float64(i) / 201; return t * (t - 1) }), nil},
		{"discrete integral equation (29)", func(x vars) vars {
			n := len(x)
			h := 1 / float64(n+1)
			cubes := make(vars, n)
			for j := range x {
				cubes[j] = x[j].AddReal(float64(j+1)*h + 1).PowInt(3)
			}
			out := make(vars, n)
			for i := range x {
				c := make([]float64, n)
				for j := range c {
					s, t := float64(j+1)*h, float64(i+1)*h
					c[j] = h / 2 * min(t, s) * (1 - max(t, s))
				}
				out[i] = dual.Affine(0, c, cubes).Add(x[i])
			}
			return out
		}, repeated(10, func(i int) float64 { t := float64(i) / 11; return t * (t - 1) }), nil},
		{"Broyden tridiagonal (30)", func(x vars) vars {
			n := len(x)
			out := make(vars, n)
			for i := range x {
				out[i] = x[i].Scale(-2).AddReal(3).Mul(x[i]).AddReal(1)
				if i > 0 {
					out[i] = out[i].Sub(x[i-1])
				}
				if i+1 < n {
					out[i] = out[i].Sub(x[i+1].Scale(2))
				}
			}
			return out
		}, repeated(200, constant(-1)), nil},
		{"Broyden banded (31)", func(x vars) vars {
			n := len(x)
			out := make(vars, n)
			for i := range x {
				out[i] = x[i].Square().Scale(5).AddReal(2).Mul(x[i]).AddReal(1)
				for j := max(0, i-5); j <= min(n-1, i+1); j++ {
					if j != i {
						out[i] = out[i].Sub(x[j].AddReal(1).Mul(x[j]))
					}
				}
			}
			return out
		}, repeated(200, constant(-1)), nil},
	}
	for _, n := range []int{5, 6, 7, 9} { // the n with a root
		systems = append(systems, mghSystem{"Chebyquad (35)", func(x vars) vars {
			out := make(vars, n)
			for i := range out {
				s := dual.Const[reverse.Var](0)
				for _, x := range x {
					before, t := dual.Const[reverse.Var](1), x.Scale(2).SubReal(1)
					y := t
					for range i {
						before, t = t, y.Scale(2).Mul(t).Sub(before)
					}
					s = s.Add(t)
				}
				out[i] = s.Scale(1 / float64(n))
				if i%2 == 1 {
					out[i] = out[i].AddReal(1 / float64((i+1)*(i+1)-1))
				}
			}
			return out
		}, repeated(n, func(i int) float64 { return float64(i) / float64(n+1) }), nil})
	}
	return systems
}

func TestNewtonSolvesTheTestSystems(t *testing.T) {
	for _, p := range mghSystems() {
		tape := record(t, p.start, nil, func(w, _ vars) vars { return p.f(w) })
		for _, kind := range []Solver{SolverAuto, SolverDense, SolverSparse} {
			s, err := Settings{Solver: kind}.New(tape).Newton(p.start, nil)
			require.NoError(t, err, p.name)
			if p.root != nil {
				require.InDeltaSlice(t, p.root, s.W(), 1e-14, p.name)
			}
			// To rounding: a further step changes nothing but the last digits.
			z := s.z
			step := make([]float64, len(p.start))
			require.NoError(t, z.correction(step, z.value))
			require.LessOrEqual(t, floats.Norm(step, math.Inf(1)), 1e-9*(1+floats.Norm(s.W(), math.Inf(1))), p.name)
		}
	}
}

// The arcus tangent is the textbook case in which full steps from |x| > 1.39
// diverge.
func TestNewtonDampsItsSteps(t *testing.T) {
	tape := record(t, []float64{1}, []float64{0}, func(x, c vars) vars { return vars{x[0].Atan().Sub(c[0])} })
	for _, start := range []float64{0.5, 1.39, 1.5, -10, 1e3} {
		for _, kind := range allSolvers {
			s, err := with(kind).New(tape).Newton([]float64{start}, []float64{0.5})
			require.NoError(t, err, "from %v", start)
			require.InDelta(t, math.Tan(0.5), s.W()[0], 1e-15)
		}
	}
}

func TestNewtonHandsItsFactorizationOn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 1))
	for _, size := range []int{8, 130} {
		f := newFamily(rnd, size, 3)
		for _, kind := range allSolvers {
			eq := with(kind).New(f.tape(t))
			factorizations, _ := count(eq)
			start := append([]float64(nil), f.w...)
			for i := range start {
				start[i] += 0.01
			}
			s, err := eq.Newton(start, f.point)
			require.NoError(t, err)
			require.InDeltaSlice(t, f.w, s.W(), 1e-13)
			iterations := *factorizations
			require.Less(t, iterations, 8)
			want, err := f.explicit(t).Jacobian(nil, f.point)
			require.NoError(t, err)
			got, err := s.Jacobian(nil)
			require.NoError(t, err)
			requireClose(t, want, got, 1e-11)
			require.Equal(t, iterations, *factorizations)
		}
	}
}

func TestNewtonSaysHowFarItCame(t *testing.T) {
	one := []float64{1}
	parabola := record(t, one, nil, func(x, _ vars) vars { return vars{x[0].Square().AddReal(1)} })
	var newton *NewtonError
	var not *NotARootError
	_, err := Newton(parabola, []float64{3}, nil)
	require.ErrorAs(t, err, &newton)
	require.Equal(t, 10.0, newton.Start)
	require.InDelta(t, 1, newton.Residual, 0.5)
	require.Equal(t, newton.W[0]*newton.W[0]+1, newton.Residual)

	// The root is at −∞.
	exponential := record(t, one, nil, func(x, _ vars) vars { return vars{x[0].Exp()} })
	_, err = Settings{MaxIterations: 20}.New(exponential).Newton(one, nil)
	require.ErrorAs(t, err, &newton)
	require.ErrorAs(t, err, &not)
	require.Equal(t, 20, newton.Iterations)
	require.Less(t, newton.W[0], -10.0)
	require.Equal(t, math.Exp(newton.W[0]), newton.Residual)

	// A is singular at the start.
	_, err = Newton(parabola, []float64{0}, nil)
	require.ErrorAs(t, err, &newton)
	require.ErrorAs(t, err, new(*linsolve.SingularError))
	require.Zero(t, newton.Iterations)
	require.Equal(t, []float64{0}, newton.W)

	// The tape ends at 2, the root is at 3.
	branch := record(t, one, nil, func(x, _ vars) vars {
		if x[0].LessReal(2) {
			return vars{x[0].SubReal(3)}
		}
		return vars{x[0].Sin()}
	})
	_, err = Newton(branch, one, nil)
	require.ErrorAs(t, err, &newton)
	require.ErrorAs(t, err, new(*reverse.BranchError))
	require.InDelta(t, 2, newton.W[0], 1e-6)

	_, err = Newton(parabola, []float64{math.NaN()}, nil)
	require.ErrorAs(t, err, &newton)
}

// x = (w−1)² has a double root at 0: convergence is linear, and the derivative
// at its end is infinite.
func TestNewtonAtADoubleRoot(t *testing.T) {
	tape := record(t, []float64{2}, []float64{0}, func(w, l vars) vars { return vars{w[0].SubReal(1).Square().Sub(l[0])} })
	s, err := Newton(tape, []float64{2}, []float64{0})
	if err != nil {
		require.ErrorAs(t, err, new(*linsolve.SingularError))
	} else {
		d, err := s.JVP(nil, []float64{1})
		require.NoError(t, err)
		require.Greater(t, d[0], 1e6)
	}
	s, err = Newton(tape, []float64{2}, []float64{1e-4})
	require.NoError(t, err)
	require.InDelta(t, 1.01, s.W()[0], 1e-15)
}

// Units of equations and unknowns make no difference to the iterates, up to
// rounding.
func TestNewtonDoesNotDependOnUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := append(rapid.SliceOfN(rapid.IntRange(-66, 66), 2, 2).Draw(t, "unknowns"),
			rapid.SliceOfN(rapid.IntRange(-60, 60), 2, 2).Draw(t, "equations")...)
		u := []float64{math.Ldexp(1, e[0]), math.Ldexp(1, e[1])}
		v := []float64{math.Ldexp(1, e[2]), math.Ldexp(1, e[3])}
		start := []float64{rapid.Float64Range(-3, -1).Draw(t, "x"), rapid.Float64Range(0.5, 2).Draw(t, "y")}
		f := func(w, _ vars) vars {
			x, y := w[0].Scale(1/u[0]), w[1].Scale(1/u[1])
			return vars{x.Exp().Add(y.Square()).SubReal(3).Scale(v[0]), x.Add(y.Mul(y).Mul(y)).SubReal(1).Scale(v[1])}
		}
		scaled := []float64{start[0] * u[0], start[1] * u[1]}
		s, err := Newton(record(t, scaled, nil, f), scaled, nil)
		u1, v1 := u, v
		u, v = []float64{1, 1}, []float64{1, 1}
		want, wantErr := Newton(record(t, start, nil, f), start, nil)
		u, v = u1, v1
		require.Equal(t, wantErr == nil, err == nil)
		if err == nil {
			require.InDelta(t, want.W()[0], s.W()[0]/u[0], 1e-12)
			require.InDelta(t, want.W()[1], s.W()[1]/u[1], 1e-12)
		}
	})
}

// bratu is −Δu − λ₀eᵘ = 0 with the diffusion scaled by λ₁.
func bratu(u, lambda vars) vars {
	f := problems.Bratu(u) // −Δu − 6eᵘ
	for i := range f {
		e := u[i].Exp()
		f[i] = f[i].Add(e.Scale(6)).Mul(lambda[1]).Sub(e.Mul(lambda[0]))
	}
	return f
}

func TestFirstAndSecondDerivativesAgreeWithDifferences(t *testing.T) {
	const side = 12
	start := make([]float64, side*side)
	lambda := []float64{5, 1}
	tape := record(t, start, lambda, bratu)
	for _, kind := range []Solver{SolverDense, SolverSparse, SolverGMRES} {
		eq := with(kind).New(tape)
		at := func(h float64, u []float64) *Solution {
			s, err := eq.Newton(start, []float64{lambda[0] + h*u[0], lambda[1] + h*u[1]})
			require.NoError(t, err)
			return s
		}
		s := at(0, lambda)
		u, v := []float64{1, -0.25}, []float64{0.5, 0.5}
		const h = 1e-3
		// Fourth order: (8(f(h) − f(−h)) − (f(2h) − f(−2h)))/(12h).
		difference := func(f func(x float64) []float64) *mat.VecDense {
			var d, e mat.VecDense
			d.SubVec(vec(f(h)), vec(f(-h)))
			e.SubVec(vec(f(2*h)), vec(f(-2*h)))
			d.ScaleVec(8, &d)
			d.SubVec(&d, &e)
			d.ScaleVec(1/(12*h), &d)
			return &d
		}
		got, err := s.JVP(nil, u)
		require.NoError(t, err)
		want := difference(func(x float64) []float64 { return at(x, u).W() })
		requireClose(t, want, vec(got), 1e-9)
		got, err = s.Second(nil, u, v)
		require.NoError(t, err)
		want = difference(func(x float64) []float64 {
			d, err := at(x, u).JVP(nil, v)
			require.NoError(t, err)
			return d
		})
		requireClose(t, want, vec(got), 1e-9)
	}
}

func TestEachMayEndNewton(t *testing.T) {
	f, err := Record(func(w, lambda vars) vars { return vars{w[0].Square().Sub(lambda[0])} }, []float64{1}, []float64{2})
	require.NoError(t, err)
	enough := errors.New("enough")
	var at []float64
	settings := Settings{Each: func(w []float64, residual float64) error {
		require.Equal(t, math.Abs(w[0]*w[0]-2), residual)
		if at = append(at, w[0]); len(at) == 3 {
			return enough
		}
		return nil
	}}
	_, err = settings.New(f).Newton([]float64{1}, []float64{2})
	require.ErrorIs(t, err, enough)
	require.InDeltaSlice(t, []float64{1, 1.5, 17.0 / 12}, at, 1e-15)
}
