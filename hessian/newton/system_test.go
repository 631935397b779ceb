package newton

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/reverse"
)

func TestSystemFindsRoots(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(x []reverse.Var) []reverse.Var
		x0   []float64
		want []float64
	}{
		"circle and line": {line2, []float64{3, 0.1}, []float64{math.Sqrt(0.5), math.Sqrt(0.5)}},
		"root at 0": {func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Add(x[0].PowInt(3))} },
			[]float64{2}, []float64{0}},
		"double root at 0": {func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Square()} },
			[]float64{1}, []float64{0}},
		// Powell's badly scaled function: 10⁴xy = 1, e⁻ˣ + e⁻ʸ = 1.0001.
		"badly scaled": {func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{
				x[0].Mul(x[1]).Scale(1e4).SubReal(1), x[0].Neg().Exp().Add(x[1].Neg().Exp()).SubReal(1.0001),
			}
		}, []float64{0, 1}, []float64{1.098159e-5, 9.106146}},
		"units of equations": {func(x []reverse.Var) []reverse.Var {
			y := line2(x)
			return []reverse.Var{y[0].Scale(1e12), y[1].Scale(1e-9)}
		}, []float64{3, 0.1}, []float64{math.Sqrt(0.5), math.Sqrt(0.5)}},
	} {
		r, err := System{}.Solve(background, Problem{Func: reverse.NewFuncVec(c.f)}, c.x0)
		require.NoError(t, err, name)
		for i, want := range c.want {
			require.InDelta(t, want, r.X[i], 1e-9+1e-6*math.Abs(want), name)
		}
	}
}

// line2 is x² + y² = 1 and x = y.
func line2(x []reverse.Var) []reverse.Var {
	return []reverse.Var{x[0].Square().Add(x[1].Square()).SubReal(1), x[0].Sub(x[1])}
}

func TestSystemBetweenBounds(t *testing.T) {
	f := reverse.NewFuncVec(line2)
	r, err := System{}.Solve(background, Problem{Func: f, Upper: []float64{0, 5}}, []float64{-0.5, -0.1})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{-math.Sqrt(0.5), -math.Sqrt(0.5)}, r.X, 1e-9)

	r, err = System{}.Solve(background, Problem{Func: f, Lower: []float64{1, -9}, Upper: []float64{5, 9}}, []float64{2, 2})
	requireStatus(t, Infeasible, r, err)
	require.Equal(t, 1.0, r.X[0])
}

func TestSystemSaysThatThereIsNoRoot(t *testing.T) {
	r, err := System{}.Solve(background, Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Square().AddReal(1)}
	})}, []float64{2})
	requireStatus(t, Infeasible, r, err)
	require.InDelta(t, 1, r.Unscaled.Primal, 1e-6)
}

// Large regular systems take Newton's steps with sparse LU factorizations, of an equation
// that Plans keeps: −u″ = λeᵘ, u = 0 at both ends, by differences, for two λ.
func TestSystemByNewton(t *testing.T) {
	const n = 1000
	f := reverse.NewFuncParamsVec(func(u, load vars) vars {
		out := make(vars, n)
		for i := range out {
			out[i] = u[i].Scale(2)
			if i > 0 {
				out[i] = out[i].Sub(u[i-1])
			}
			if i+1 < n {
				out[i] = out[i].Sub(u[i+1])
			}
			out[i] = out[i].Scale((n + 1) * (n + 1)).Sub(u[i].Exp().Mul(load[0]))
		}
		return out
	}, []float64{0})
	plans := new(Plans)
	for _, load := range []float64{0.6, 1.2} {
		p := Problem{Func: f.With([]float64{load})}
		r, err := System{Settings: Settings{Plans: plans}}.Solve(background, p, make([]float64, n))
		require.NoError(t, err)
		require.LessOrEqual(t, r.Factorizations, 6)
		require.Len(t, plans.branches, 1)
		require.Nil(t, plans.branches[0].squares, "least squares were not needed")
		// The solution is u = 2 ln(cosh(θ/4)/cosh(θ(x − ½)/2)) with θ² = 2·load·cosh²(θ/4).
		theta := 4 * math.Acosh(math.Exp(r.X[n/2]/2))
		require.InEpsilon(t, 2*load, math.Pow(theta/math.Cosh(theta/4), 2), 1e-4)
	}
}
