package hessian_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// kinked has a branch: Σ xᵢ³ where x₀ < 0, else Rosenbrock's function.
func kinked[T dual.Scalar[T]](x []T) T {
	if x[0].LessReal(0) {
		var s T
		for _, x := range x {
			s = s.Add(x.PowInt(3))
		}
		return s
	}
	return rosenbrock(x)
}

func requireProblemAt(t *testing.T, p optimize.Problem, f *reverse.Func, x []float64) {
	t.Helper()
	n := len(x)
	v, g, err := f.ValueGradient(nil, x)
	require.NoError(t, err)
	tape, err := f.Tape(x)
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)

	grad, hess := make([]float64, n), mat.NewSymDense(n, nil)
	require.Equal(t, v, p.Func(x))
	p.Grad(grad, x)
	require.Equal(t, g, grad)
	p.Hess(hess, x)
	require.Equal(t, h, hess)
	status, err := p.Status()
	require.NoError(t, err)
	require.Equal(t, optimize.NotTerminated, status)
}

func TestProblemIsTheFunction(t *testing.T) {
	f := reverse.NewFunc(kinked)
	p := hessian.Problem(f)
	points := [][]float64{{1, 2, 3}, {-1, 2, 3}, {1, 2, 3}, {-1, 2}, {0.5, 0.25}}
	for range 2 { // before and after the first call of Grad
		for _, x := range points {
			requireProblemAt(t, p, f, x)
		}
	}
}

// gamma is the negative log-likelihood of a Gamma distribution, in the logarithms
// of its shape and rate, of n numbers.
func gamma(n int, seed uint64) func(t []reverse.Var) reverse.Var {
	r := rand.New(rand.NewPCG(seed, 2))
	logs, sum, count := 0.0, 0.0, float64(n)
	for range n {
		x := 0.0
		for range 3 {
			x += r.ExpFloat64() / 1.5
		}
		logs, sum = logs+math.Log(x), sum+x
	}
	return func(t []reverse.Var) reverse.Var {
		a, b := t[0].Exp(), t[1].Exp()
		s := a.Mul(t[1]).Sub(a.LogGamma()).Scale(count)
		return s.Add(a.SubReal(1).Scale(logs)).Sub(b.Scale(sum)).Neg()
	}
}

// gonum's Newton ends at the maximum of a likelihood, however many points it has;
// without scaling its line search fails there in two of three.
func TestScaledProblemEndsAtTheMinimum(t *testing.T) {
	failed := 0
	for seed := range uint64(10) {
		for _, n := range []int{10, 1000, 5000, 100000} {
			f, x := reverse.NewFunc(gamma(n, seed)), []float64{0, 0}
			r, err := optimize.Minimize(hessian.ScaledProblem(f, x), x, nil, &optimize.Newton{})
			require.NoError(t, err)
			require.Equal(t, optimize.GradientThreshold, r.Status)
			tape, err := f.Tape(r.X)
			require.NoError(t, err)
			g, err := f.Gradient(nil, r.X)
			require.NoError(t, err)
			h, err := hessian.New(tape, hessian.FoR).Dense(nil, r.X)
			require.NoError(t, err)
			var step mat.VecDense
			require.NoError(t, step.SolveVec(h, mat.NewVecDense(2, g)))
			require.Less(t, mat.Norm(&step, 2), 1e-6, "what another step of Newton would add")
			if _, err := optimize.Minimize(hessian.Problem(f), x, nil, &optimize.Newton{}); err != nil {
				failed++
			}
		}
	}
	require.Positive(t, failed, "the test is of what fails without scaling")
}

// What is scaled is scaled by a power of 2, everywhere alike.
func TestScaledProblemIsAMultiple(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{-1, 0.5, 2}
	f := reverse.NewFunc(kinked)
	p, q := hessian.Problem(f), hessian.ScaledProblem(f, x)
	s := q.Func(x) / p.Func(x)
	fraction, _ := math.Frexp(s)
	require.Equal(t, 0.5, fraction)
	g, err := f.Gradient(nil, x)
	require.NoError(t, err)
	size := max(p.Func(x), floats.Norm(g, math.Inf(1)))
	require.InDelta(t, 1, s*size/1e-5, 0.5, "rounded to a power of 2")
	for range 2 {
		for _, x := range [][]float64{x, y} {
			want, got := make([]float64, 3), make([]float64, 3)
			require.Equal(t, s*p.Func(x), q.Func(x))
			p.Grad(want, x)
			q.Grad(got, x)
			floats.Scale(s, want)
			require.Equal(t, want, got)
			wantH, gotH := mat.NewSymDense(3, nil), mat.NewSymDense(3, nil)
			p.Hess(wantH, x)
			q.Hess(gotH, x)
			wantH.ScaleSym(s, wantH)
			require.Equal(t, wantH, gotH)
		}
	}
	for _, x := range [][]float64{{math.NaN(), 1, 2}, {math.Inf(1), 1, 2}} {
		q := hessian.ScaledProblem(f, x)
		require.Equal(t, p.Func(y), q.Func(y), "no scale")
	}
	require.PanicsWithValue(t, "hessian: nil function", func() { hessian.ScaledProblem(nil, x) })
}

// Calls in any order, at points with branches, failures, NaN and zeros of both
// signs: each is what it is alone.
func TestProblemCallsDoNotDependOnEachOther(t *testing.T) {
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		y := reverse.Apply(flaky{}, x[0])[0]
		if x[1].LessReal(0) {
			return y.Sqrt().Mul(x[1])
		}
		return x[1].Div(y).Add(y.PowInt(3))
	})
	coordinate := rapid.SampledFrom([]float64{-4, -1, math.Copysign(0, -1), 0, 1, 2, math.NaN()})
	bits := func(x ...float64) []uint64 {
		b := make([]uint64, len(x))
		for i, x := range x {
			b[i] = math.Float64bits(x)
			if math.IsNaN(x) {
				b[i] = 1
			}
		}
		return b
	}
	rapid.Check(t, func(t *rapid.T) {
		p := hessian.Problem(f)
		fails := false
		for range rapid.IntRange(1, 20).Draw(t, "calls") {
			x := []float64{coordinate.Draw(t, "x₀"), coordinate.Draw(t, "x₁")}
			alone := hessian.Problem(f)
			g, want := make([]float64, 2), make([]float64, 2)
			switch rapid.IntRange(0, 2).Draw(t, "call") {
			case 0:
				require.Equal(t, bits(alone.Func(x)), bits(p.Func(x)))
			case 1:
				p.Grad(g, x)
				alone.Grad(want, x)
				require.Equal(t, bits(want...), bits(g...))
			case 2:
				h, want := mat.NewSymDense(2, nil), mat.NewSymDense(2, nil)
				p.Hess(h, x)
				alone.Hess(want, x)
				require.Equal(t, bits(want.RawSymmetric().Data...), bits(h.RawSymmetric().Data...))
			}
			fails = fails || x[0] < -3
			_, err := p.Status()
			require.Equal(t, fails, err != nil)
		}
	})
}

// Func goes on to the gradient for the Grad that follows: that of another
// point must not take it.
func TestProblemGradientIsThatOfItsPoint(t *testing.T) {
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var { return x[1].Div(x[0]) })
	p := hessian.Problem(f)
	g := make([]float64, 2)
	p.Grad(g, []float64{1, 1})
	zero := math.Copysign(0, -1)
	for _, c := range []struct{ value, grad []float64 }{
		{[]float64{1, 2}, []float64{1, 3}},
		{[]float64{0, 1}, []float64{zero, 1}},
		{[]float64{math.NaN(), 1}, []float64{2, 1}},
		{[]float64{2, 4}, []float64{2, 4}},
	} {
		p.Func(c.value)
		p.Grad(g, c.grad)
		want, err := f.Gradient(nil, c.grad)
		require.NoError(t, err)
		require.Equal(t, want, g)
	}
	x := []float64{2, 4}
	p.Func(x)
	x[0] = 5 // x is the caller's
	p.Grad(g, x)
	require.Equal(t, []float64{-4. / 25, 1. / 5}, g)
}

// One value sweep serves Func and the Grad that follows.
func TestProblemEvaluatesOncePerPoint(t *testing.T) {
	calls := 0
	sin := reverse.NewPrimitive("sin", func(x float64) float64 {
		calls++
		return math.Sin(x)
	}, math.Cos, func(x float64) float64 { return -math.Sin(x) })
	p := hessian.Problem(reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		return sin.Apply(x[0])
	}))
	g := make([]float64, 1)
	p.Grad(g, []float64{0})
	for i := range 5 {
		x := []float64{float64(i)}
		calls = 0
		p.Func(x)
		p.Grad(g, x)
		require.Equal(t, 1, calls)
		require.Equal(t, []float64{math.Cos(x[0])}, g)
	}
}

// flaky is x ↦ x, which fails for x < −3.
type flaky struct{}

var errLeft = errors.New("left of −3")

func (flaky) Eval(y, x []float64) error {
	y[0] = x[0]
	if x[0] < -3 {
		return errLeft
	}
	return nil
}
func (flaky) Dims() (n, m int)                { return 1, 1 }
func (flaky) Name() string                    { return "flaky" }
func (flaky) JVP(dy, x, dx []float64) error   { dy[0] = dx[0]; return nil }
func (flaky) VJP(gx, x, w []float64) error    { gx[0] = w[0]; return nil }
func (flaky) HVP(h, x, dx, w []float64) error { h[0] = 0; return nil }
func (flaky) Jacobian(int) []int              { return nil }
func (flaky) Hessian(int) []int               { return []int{} }

// falling is x₀ + x₁, whose primitive fails for x₀ < −3.
func falling() *reverse.Func {
	return reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		return reverse.Apply(flaky{}, x[0])[0].Add(x[1])
	})
}

func TestProblemKeepsTheFirstError(t *testing.T) {
	good, bad := []float64{1, 2}, []float64{-4, 2}
	for name, evaluate := range map[string]func(p optimize.Problem, x []float64) []float64{
		"Func": func(p optimize.Problem, x []float64) []float64 { return []float64{p.Func(x)} },
		"Func after Grad": func(p optimize.Problem, x []float64) []float64 {
			p.Grad([]float64{1, 1}, good)
			return []float64{p.Func(x)}
		},
		"Grad": func(p optimize.Problem, x []float64) []float64 {
			g := []float64{1, 1}
			p.Grad(g, x)
			return g
		},
		"Hess": func(p optimize.Problem, x []float64) []float64 {
			h := mat.NewSymDense(2, []float64{1, 1, 1, 1})
			p.Hess(h, x)
			return []float64{h.At(0, 0), h.At(0, 1), h.At(1, 1)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := falling()
			p := hessian.Problem(f)
			want := evaluate(p, good)
			for _, v := range evaluate(p, bad) {
				if len(want) == 1 {
					require.Equal(t, math.Inf(1), v)
				} else {
					require.True(t, math.IsNaN(v))
				}
			}
			_, first := p.Status()
			require.ErrorIs(t, first, errLeft)
			require.Equal(t, want, evaluate(p, good)) // and the error stays
			evaluate(p, []float64{-5, 2})
			_, err := p.Status()
			require.Same(t, first, err)

			_, err = hessian.Problem(f).Status()
			require.NoError(t, err)
		})
	}
}

// f falls forever to where it fails: every method stops there, with the error
// and a location from before.
func TestMinimizeStopsAtAnError(t *testing.T) {
	for _, m := range []optimize.Method{
		&optimize.Newton{}, &optimize.BFGS{}, &optimize.LBFGS{}, &optimize.CG{}, &optimize.GradientDescent{},
		&optimize.NelderMead{},
	} {
		r, err := optimize.Minimize(hessian.Problem(falling()), []float64{1, 2}, nil, m)
		require.ErrorIs(t, err, errLeft, "%T", m)
		require.GreaterOrEqual(t, r.X[0], -3.0, "%T", m)
		require.Equal(t, r.X[0]+r.X[1], r.F, "%T", m)

		p := hessian.Problem(falling())
		_, err = optimize.Minimize(p, []float64{-4, 2}, nil, m)
		require.ErrorIs(t, err, errLeft, "%T from a bad start", m)
	}
}

// A comparison whose outcome changes between recording and evaluation is no
// branch that can be recorded.
func TestProblemTellsOfABranchThatIsNone(t *testing.T) {
	calls := 0.0
	alternating := reverse.NewPrimitive("alternating", func(x float64) float64 {
		calls++
		return math.Mod(calls, 2)
	}, math.Sin, math.Sin)
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		if alternating.Apply(x[0]).LessReal(0.5) {
			return x[0].Square()
		}
		return x[0]
	})
	_, err := optimize.Minimize(hessian.Problem(f), []float64{1}, nil, &optimize.Newton{})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
}

// x₀ + 3x₁ − √(1 − |x|²), defined in the unit disk, with the minimum −√11 at
// −(1, 3)/√11: steps of every method leave the disk. All curvatures are at least
// 1, so that f is off by less than |∇f|²/2.
func TestLineSearchesBackOffFromNaN(t *testing.T) {
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		return x[0].Add(x[1].Scale(3)).Sub(dual.Dot(x, x).RSub(1).Sqrt())
	})
	start := []float64{0.5, 0.1}
	for _, m := range []optimize.Method{
		&optimize.Newton{}, &optimize.BFGS{}, &optimize.LBFGS{}, &optimize.CG{Linesearcher: &optimize.Bisection{}},
	} {
		p := hessian.Problem(f)
		value, left := p.Func, 0
		p.Func = func(x []float64) float64 {
			v := value(x)
			if x[0]*x[0]+x[1]*x[1] > 1 {
				left++
				assert.Equal(t, math.Inf(1), v)
			}
			return v
		}
		settings := &optimize.Settings{GradientThreshold: 1e-5}
		r, err := optimize.Minimize(p, start, settings, m)
		require.NoError(t, err, "%T", m)
		require.InDelta(t, -math.Sqrt(11), r.F, 1e-9, "%T", m)
		require.Positive(t, left, "%T", m)
	}

	// That of CG is ended by a limit alone.
	settings := &optimize.Settings{FuncEvaluations: 1000}
	r, err := optimize.Minimize(hessian.Problem(f), start, settings, &optimize.CG{})
	require.NoError(t, err)
	require.Equal(t, optimize.FunctionEvaluationLimit, r.Status)
	require.Equal(t, start, r.X)
}

func TestProblemMisusePanics(t *testing.T) {
	p := hessian.Problem(reverse.NewFunc(kinked))
	x := []float64{1, 2, 3}
	for want, f := range map[string]func(){
		"hessian: nil function":              func() { hessian.Problem(nil) },
		"hessian: grad has length 2, want 3": func() { p.Grad(make([]float64, 2), x) },
		"hessian: grad has length 0, want 3": func() { p.Grad(nil, x) },
		"hessian: x has length 3, want 2":    func() { p.Hess(mat.NewSymDense(2, nil), x) },
	} {
		require.PanicsWithValue(t, want, f)
	}
}

// Minimizations of one Problem at once, and of several of one function, find
// what one finds alone.
func TestProblemIsSafeForConcurrentUse(t *testing.T) {
	f := reverse.NewFunc(kinked)
	p := hessian.Problem(f)
	minimize := func(p optimize.Problem, k int) (*optimize.Result, error) {
		methods := []optimize.Method{&optimize.Newton{}, &optimize.BFGS{}, &optimize.LBFGS{}}
		settings := &optimize.Settings{MajorIterations: 30}
		return optimize.Minimize(p, []float64{1 + float64(k), 2, 1}, settings, methods[k%3])
	}
	var wg sync.WaitGroup
	for k := range 12 {
		want, wantErr := minimize(hessian.Problem(reverse.NewFunc(kinked)), k)
		for _, p := range []optimize.Problem{p, hessian.Problem(f)} {
			wg.Go(func() {
				got, err := minimize(p, k)
				assert.Equal(t, wantErr, err)
				assert.Equal(t, want.X, got.X)
				assert.Equal(t, want.F, got.F)
				assert.Equal(t, want.FuncEvaluations, got.FuncEvaluations)
			})
		}
	}
	wg.Wait()
}

// gonum evaluates from several goroutines where the method allows it.
func TestMinimizeIsConcurrent(t *testing.T) {
	f := reverse.NewFunc(kinked)
	for _, concurrent := range []int{1, 4} {
		points := mat.NewDense(20, 2, nil)
		for i := range 20 {
			points.SetRow(i, []float64{-1 + 0.1*float64(i), 0.5})
		}
		p := hessian.Problem(f)
		settings := &optimize.Settings{Concurrent: concurrent}
		r, err := optimize.Minimize(p, []float64{0, 0}, settings, &optimize.ListSearch{Locs: points})
		require.NoError(t, err)
		require.InDelta(t, -1+0.125, r.F, 1e-15)
	}
}
