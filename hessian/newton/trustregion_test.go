package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// With x in units of powers of 2, and f in one, nothing is rounded otherwise: the
// same steps are taken.
func TestUnitsDoNotMatter(t *testing.T) {
	x0 := []float64{-1.2, 1, 0.7, -2}
	residuals := func(unit, size float64) func(x []reverse.Var) []reverse.Var {
		return func(x []reverse.Var) []reverse.Var {
			y := make([]reverse.Var, len(x))
			for i := range x {
				y[i] = x[i].Scale(math.Pow(unit, float64(i-1)))
			}
			var r []reverse.Var
			for i := 0; i+1 < len(y); i++ {
				r = append(r, y[i+1].Sub(y[i].Square()).Scale(10*size), y[i].RSub(1).Scale(size), y[i].Sin().AddReal(2).Scale(size))
			}
			return r
		}
	}
	var minima, fits []*Result
	for _, unit := range []float64{1, 1 << 40, 1.0 / (1 << 30)} {
		for _, size := range []float64{1, 1 << 50, 1.0 / (1 << 60)} {
			start := make([]float64, len(x0))
			for i := range x0 {
				start[i] = x0[i] * math.Pow(unit, float64(1-i))
			}
			r := residuals(unit, size)
			half, err := reverse.Record(func(x []reverse.Var) reverse.Var {
				r := r(x)
				return dual.Dot(r, r)
			}, start)
			require.NoError(t, err)
			m, err := TrustRegion{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(half)}, start)
			require.NoError(t, err, "x in %g, r in %g", unit, size)
			f, err := LeastSquares{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(recordVec(t, r, start))}, start)
			require.NoError(t, err, "x in %g, r in %g", unit, size)
			for _, r := range []*Result{m, f} {
				for i := range r.X {
					r.X[i] *= math.Pow(unit, float64(i-1))
				}
			}
			minima, fits = append(minima, m), append(fits, f)
		}
	}
	for _, runs := range [][]*Result{minima, fits} {
		for _, r := range runs[1:] {
			require.Equal(t, runs[0].X, r.X)
			require.Equal(t, runs[0].Iterations, r.Iterations)
		}
	}
}

func TestTrustRegionLeavesSaddlesAndMaxima(t *testing.T) {
	wells := func(x []reverse.Var) reverse.Var { // minima at (±1, 0), of −¼
		return x[0].PowInt(4).Scale(0.25).Sub(x[0].Square().Scale(0.5)).Add(x[1].Square().Scale(0.5))
	}
	for _, x0 := range [][]float64{{0, 0}, {0, 1}, {1e-9, -3}, {0.1, 0}} {
		tape, err := reverse.Record(wells, x0)
		require.NoError(t, err)
		r, err := TrustRegion{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err)
		require.InDelta(t, -0.25, r.F, 1e-15)
		require.InDelta(t, 1, math.Abs(r.X[0]), 1e-9)
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Cos().Add(x[1].Cos()) }, []float64{0, 0})
	require.NoError(t, err)
	r, err := TrustRegion{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(tape)}, []float64{0, 0})
	require.NoError(t, err)
	require.InDelta(t, -2, r.F, 1e-15)
}

func TestTrustRegionSaysWhereItStopped(t *testing.T) {
	for reason, test := range map[string]struct {
		f func(x []reverse.Var) reverse.Var
		o TrustRegion
	}{
		"iteration limit":           {func(x []reverse.Var) reverse.Var { return x[0].Exp() }, TrustRegion{Settings: Settings{MaxIterations: 5}}},
		"f is not finite":           {func(x []reverse.Var) reverse.Var { return x[0].Log() }, TrustRegion{}},
		"the Hessian is not finite": {func(x []reverse.Var) reverse.Var { return x[0].PowReal(1.5).Add(x[0]) }, TrustRegion{}},
		"step too small":            {func(x []reverse.Var) reverse.Var { return x[0].Neg().Max(x[0].Scale(2)) }, TrustRegion{}},
	} {
		tape, err := reverse.Record(test.f, []float64{0})
		require.NoError(t, err)
		r, err := test.o.Solve(context.Background(), Problem{Func: reverse.FuncOf(tape)}, []float64{0})
		var stopped *StoppedError
		require.ErrorAs(t, err, &stopped, reason)
		require.Equal(t, r.Iterations, stopped.Iterations)
		require.Contains(t, err.Error(), reason)
	}
	for _, f := range []func(x []reverse.Var) reverse.Var{ // of huge elements
		func(x []reverse.Var) reverse.Var {
			return x[0].Square().Add(x[1].Mul(x[0])).Scale(1e300).Sub(x[1].Square())
		},
		func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Scale(1e308).Add(x[0].Square().Scale(1e-300)) },
		func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Scale(-1e160).Mul(x[0]).Add(x[1]) },
	} {
		tape, err := reverse.Record(f, []float64{1, 1})
		require.NoError(t, err)
		_, err = TrustRegion{Settings: Settings{MaxIterations: 50}}.Solve(context.Background(), Problem{Func: reverse.FuncOf(tape)}, []float64{1, 1})
		var stopped *StoppedError
		require.ErrorAs(t, err, &stopped)
	}
	broken, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		if x[0].LessReal(0.5) {
			return x[0].Square()
		}
		return x[0].Square().Scale(2)
	}, []float64{1})
	require.NoError(t, err)
	_, err = TrustRegion{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(broken)}, []float64{1})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
}

// least is the minimum of gᵀs + ½sᵀHs in ‖s‖ ≤ Δ, by the eigenvectors of H.
func least(h mat.Symmetric, g []float64, radius float64) float64 {
	n := len(g)
	var eig mat.EigenSym
	eig.Factorize(h, true)
	values := eig.Values(nil)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	c := mat.NewVecDense(n, nil)
	c.MulVec(vectors.T(), mat.NewVecDense(n, g))
	at := func(lambda float64) (q, length float64) {
		for i, mu := range values {
			if g := c.AtVec(i); g != 0 {
				s := -g / (mu + lambda)
				q += g*s + mu*s*s/2
				length = math.Hypot(length, s)
			}
		}
		return q, length
	}
	if values[0] > 0 {
		if q, length := at(0); length <= radius {
			return q
		}
	}
	lo := max(0, -values[0])
	hi := lo + floats.Norm(g, 2)/radius + 1
	lo += 1e-14 * (1 + lo)
	for range 200 {
		mid := (lo + hi) / 2
		if _, length := at(mid); length > radius {
			lo = mid
		} else {
			hi = mid
		}
	}
	q, length := at(hi)
	// In the hard case the rest of the way is along the first eigenvector.
	return q + min(0, values[0])*max(0, radius*radius-length*length)/2
}

func TestModelStepIsNearlyTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := newExactModel(&evaluator{cost: new(Cost)}, n)
		m.use(&branch{w: sparsity.NewMatrix(sparsity.Full(n, n).Lower())})
		values := m.h.Triangle().Values()
		for i := range values {
			values[i] = rnd.NormFloat64()
		}
		shift := rapid.SampledFrom([]float64{0, 3, -3}).Draw(t, "shift")
		for i := range n {
			values[m.h.Triangle().Pattern().Position(i, i)] += shift
		}
		if rapid.Bool().Draw(t, "diagonal") { // the hard case is met
			for i := range n {
				for j := range i {
					values[m.h.Triangle().Pattern().Position(i, j)] = 0
				}
			}
		}
		for i := range m.g {
			m.g[i] = rnd.NormFloat64() * float64(rnd.IntN(2))
		}
		require.True(t, m.load(make([]float64, n)))
		for _, radius := range []float64{1e-3, 0.3, 1, 10, 1e4} {
			decrease, err := m.step(radius)
			require.NoError(t, err)
			s := mat.NewVecDense(n, m.s)
			q := floats.Dot(m.g, m.s) + mat.Inner(s, m.h, s)/2
			want := least(m.h, m.g, radius)
			tolerance := 1e-9 * (math.Abs(want) + max(m.highest, -m.lowest)*mat.Dot(s, s))
			require.InDelta(t, decrease, -q, tolerance)
			require.LessOrEqual(t, floats.Norm(m.s, 2), (1+nearBoundary)*radius*(1+1e-9))
			// A length of 0.9Δ forgoes up to 1 − 0.9² of the decrease.
			require.LessOrEqual(t, q, 0.8*want+tolerance)
		}
	})
}

func TestTrustRegionByProducts(t *testing.T) {
	rosen := func(x []reverse.Var) reverse.Var {
		s := dual.Const[reverse.Var](0)
		for i := range len(x) - 1 {
			s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100)).Add(x[i].RSub(1).Square())
		}
		return s
	}
	trig := func(x []reverse.Var) reverse.Var { // dense, with negative curvature
		s := dual.Sum(x).Scale(0.1).Cos()
		for i := range x {
			s = s.Add(x[i].Cos().Scale(1 + 0.01*float64(i))).Add(x[i].Square().Scale(0.01))
		}
		return s
	}
	for _, f := range []func([]reverse.Var) reverse.Var{rosen, trig} {
		x0 := make([]float64, 60)
		for i := range x0 {
			x0[i] = 1.2 + 0.3*math.Sin(float64(i))
		}
		fn := reverse.NewFunc(f)
		r, err := TrustRegion{Products: true}.Solve(background, Problem{Func: fn}, x0)
		require.NoError(t, err)
		require.Zero(t, r.Factorizations)
		require.Positive(t, r.Products)
		requireSemidefinite(t, fn, r.X)
		g, err := fn.Gradient(nil, r.X)
		require.NoError(t, err)
		require.LessOrEqual(t, floats.Norm(g, 2), 1e-6)
	}
}

func requireSemidefinite(t *testing.T, f *reverse.Func, x []float64) {
	t.Helper()
	tape, err := f.Tape(x)
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	var eig mat.EigenSym
	require.True(t, eig.Factorize(h, false))
	values := eig.Values(nil)
	require.Greater(t, values[0], -1e-9*values[len(values)-1])
}

func TestLanczosStepIsNearlyTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		h, g := mat.NewSymDense(n, nil), make([]float64, n)
		shift := rapid.SampledFrom([]float64{0, 3, -3}).Draw(t, "shift")
		for i := range n {
			g[i] = rnd.NormFloat64()
			for j := range i + 1 {
				h.SetSym(i, j, rnd.NormFloat64())
			}
			h.SetSym(i, i, h.At(i, i)+shift)
		}
		f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
			s := dual.Affine(0, g, x)
			for i := range n {
				s = s.Add(x[i].Mul(dual.Affine(0, mat.Row(nil, i, h), x)).Scale(0.5))
			}
			return s
		})
		m := newLanczosModel(newEvaluator(f, new(Settings), new(Cost)), n)
		_, err := m.evaluate(make([]float64, n))
		require.NoError(t, err)
		require.True(t, m.load(nil))
		m.reference = 1e18 // for steps to a residual of 10⁻⁹
		for _, radius := range []float64{1e-3, 0.3, 1, 10, 1e4} {
			decrease, err := m.step(radius)
			require.NoError(t, err)
			s := mat.NewVecDense(n, m.s)
			q := floats.Dot(m.g, m.s) + mat.Inner(s, h, s)/2
			want := least(h, g, radius)
			tolerance := 1e-5 * (math.Abs(want) + mat.Norm(h, 2)*mat.Dot(s, s)) // rounding errors, if H is nearly singular
			terms := floats.Norm(g, 2)*floats.Norm(m.s, 2) + mat.Norm(h, 2)*mat.Dot(s, s)
			require.InDelta(t, decrease, -q, 1e-12*terms)
			require.LessOrEqual(t, floats.Norm(m.s, 2), radius*(1+float64(n+4)*epsilon)) // roundings of scale and norm
			require.LessOrEqual(t, q, 0.99*want+tolerance)
		}
	})
}

// Steps that are not taken are iterations too, of which callers want to hear: they may
// cancel, and wonder where time goes.
func TestEachHearsOfStepsNotTaken(t *testing.T) {
	for name, minimize := range map[string]func(s Settings) (*Result, error){
		"trust region": func(s Settings) (*Result, error) {
			return TrustRegion{Settings: s}.Solve(background, Problem{Func: reverse.NewFunc(func(x []reverse.Var) reverse.Var {
				return x[1].Sub(x[0].Square()).Square().Scale(100).Add(x[0].RSub(1).Square())
			})}, []float64{-1.2, 1})
		},
		"least squares": func(s Settings) (*Result, error) {
			return LeastSquares{Settings: s}.Solve(background, Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				return []reverse.Var{x[1].Sub(x[0].Square()).Scale(10), x[0].RSub(1)}
			})}, []float64{-1.2, 1})
		},
	} {
		refused := 0
		var f float64
		next := 0
		r, err := minimize(Settings{Each: func(it *Iteration) {
			require.Equal(t, next, it.Number, name)
			if next++; it.Number > 0 && it.Alpha == 0 {
				require.Equal(t, f, it.F, name)
				refused++
			}
			f = it.F
		}})
		require.NoError(t, err, name)
		require.Positive(t, refused, name)
		require.GreaterOrEqual(t, next, r.Iterations, name)
	}
}
