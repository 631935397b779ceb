package hessian_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

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
	p := hessian.Problem[optimize.Status](f)
	points := [][]float64{{1, 2, 3}, {-1, 2, 3}, {1, 2, 3}, {-1, 2}, {0.5, 0.25}}
	for range 2 { // before and after the first call of Grad
		for _, x := range points {
			requireProblemAt(t, p, f, x)
		}
	}
}

// Func goes on to the gradient for the Grad that follows: that of another
// point must not take it.
func TestProblemGradientIsThatOfItsPoint(t *testing.T) {
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var { return x[1].Div(x[0]) })
	p := hessian.Problem[optimize.Status](f)
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

// flaky is x ↦ x, which fails where its error says so.
type flaky struct {
	fail func(x float64) error
}

func (f flaky) Dims() (n, m int)                { return 1, 1 }
func (f flaky) Name() string                    { return "flaky" }
func (f flaky) Eval(y, x []float64) error       { y[0] = x[0]; return f.fail(x[0]) }
func (f flaky) JVP(dy, x, dx []float64) error   { dy[0] = dx[0]; return nil }
func (f flaky) VJP(gx, x, w []float64) error    { gx[0] = w[0]; return nil }
func (f flaky) HVP(h, x, w, dx []float64) error { h[0] = 0; return nil }
func (f flaky) Jacobian(int) []int32            { return nil }
func (f flaky) Hessian(int) []int32             { return []int32{} }

var errLeft = errors.New("left of −3")

// falling is x₀ + x₁, whose primitive fails for x₀ < −3.
func falling() *reverse.Func {
	p := flaky{func(x float64) error {
		if x < -3 {
			return errLeft
		}
		return nil
	}}
	return reverse.NewFunc(func(x []reverse.Var) reverse.Var { return reverse.Apply(p, x[0])[0].Add(x[1]) })
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
			p := hessian.Problem[optimize.Status](f)
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

			_, err = hessian.Problem[optimize.Status](f).Status()
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
		r, err := optimize.Minimize(hessian.Problem[optimize.Status](falling()), []float64{1, 2}, nil, m)
		require.ErrorIs(t, err, errLeft, "%T", m)
		require.GreaterOrEqual(t, r.X[0], -3.0, "%T", m)
		require.Equal(t, r.X[0]+r.X[1], r.F, "%T", m)

		p := hessian.Problem[optimize.Status](falling())
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
	_, err := optimize.Minimize(hessian.Problem[optimize.Status](f), []float64{1}, nil, &optimize.Newton{})
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
		p := optimize.Problem(hessian.Problem[optimize.Status](f))
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
	r, err := optimize.Minimize(hessian.Problem[optimize.Status](f), start, settings, &optimize.CG{})
	require.NoError(t, err)
	require.Equal(t, optimize.FunctionEvaluationLimit, r.Status)
	require.Equal(t, start, r.X)
}

func TestProblemMisusePanics(t *testing.T) {
	p := hessian.Problem[optimize.Status](reverse.NewFunc(kinked))
	x := []float64{1, 2, 3}
	for want, f := range map[string]func(){
		"hessian: nil function":              func() { hessian.Problem[optimize.Status](nil) },
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
	p := optimize.Problem(hessian.Problem[optimize.Status](f))
	minimize := func(p optimize.Problem, k int) (*optimize.Result, error) {
		methods := []optimize.Method{&optimize.Newton{}, &optimize.BFGS{}, &optimize.LBFGS{}}
		settings := &optimize.Settings{MajorIterations: 30}
		return optimize.Minimize(p, []float64{1 + float64(k), 2, 1}, settings, methods[k%3])
	}
	var wg sync.WaitGroup
	for k := range 12 {
		want, wantErr := minimize(hessian.Problem[optimize.Status](reverse.NewFunc(kinked)), k)
		for _, p := range []optimize.Problem{p, hessian.Problem[optimize.Status](f)} {
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
		p := hessian.Problem[optimize.Status](f)
		settings := &optimize.Settings{Concurrent: concurrent}
		r, err := optimize.Minimize(p, []float64{0, 0}, settings, &optimize.ListSearch{Locs: points})
		require.NoError(t, err)
		require.InDelta(t, -1+0.125, r.F, 1e-15)
	}
}
