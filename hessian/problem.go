package hessian

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/hesse-ad/hesse/reverse"
)

// Problem returns f for gonum's package optimize.
//
// Func is f(x), +Inf where that is NaN: gonum's line search by bisection, the
// one of Newton, BFGS and LBFGS, backs off from +Inf but not from NaN.
// MoreThuente, that of CG, does not end on either; give CG a Bisection where f
// is not defined everywhere. Grad stores ∇f(x) in grad, of length n, Hess ∇²f(x)
// in hess, n×n. Where an evaluation fails, by a primitive or a branch that could
// not be recorded, Func is +Inf, grad and hess are filled with NaN, and Status
// returns the first such error from then on, which stops gonum. A further run
// takes another Problem of the same f.
//
// Any number of goroutines may use the functions at once, if f allows it. They
// panic if f is nil or a length is wrong, and do not allocate in steady state.
// Cost: Hess n products; Func a value sweep, Grad a gradient. Once Grad has been
// called Func goes on to the gradient, which makes a Grad at the same x that
// follows a copy. By that a run of L-BFGS or CG takes 0.7 (problem trig of bench,
// n = 10⁴) to 0.85 (rosen) times as long: go test -bench Problem ./hessian.
//
// gonum's methods stop where all |∂ᵢf| are below 10⁻¹², an absolute threshold. Of a
// sum of some thousand terms the rounding errors alone are larger: its line
// searches then find no decrease and end the run with an error at the minimum.
// Set GradStopThreshold of the method and GradientThreshold of optimize.Settings to
// about 10⁻⁷ of the size of f and its gradient, or take a [ScaledProblem].
func Problem(f *reverse.Func) optimize.Problem {
	if f == nil {
		panic("hessian: nil function")
	}
	return functions(&problem{f: f, scale: 1})
}

// ScaledProblem returns a Problem of s·f. The scale s is a power of 2, which changes no
// digit, such that gonum's threshold of 10⁻¹² for the gradient is 10⁻⁷ of the
// larger of |f| and all |∂ᵢf| at x: of the size of the numbers that f is summed up
// of, if x is a usual start. A step along a gradient below √ε = 1.5·10⁻⁸ of it
// changes f by less than its rounding errors, so that no line search would
// succeed. The minimum value is f.Value of the X that is found. Cost: that of
// Problem, and a gradient.
func ScaledProblem(f *reverse.Func, x []float64) optimize.Problem {
	if f == nil {
		panic("hessian: nil function")
	}
	return functions(&problem{f: f, scale: scaleAt(f, x)})
}

// scaleAt is the scale of a ScaledProblem, 1 where there is none: then the
// evaluations tell why.
func scaleAt(f *reverse.Func, x []float64) float64 {
	const gonum, relative = 1e-12, 1e-7
	v, g, err := f.ValueGradient(nil, x)
	if err != nil {
		return 1
	}
	size := math.Abs(v)
	for _, g := range g {
		size = max(size, math.Abs(g)) // NaN if either is
	}
	if !(size > 0 && size <= math.MaxFloat64) {
		return 1
	}
	return math.Exp2(math.Round(math.Log2(gonum / relative / size)))
}

func functions(q *problem) optimize.Problem {
	return optimize.Problem{
		Func: q.value, Grad: q.gradient, Hess: q.hessian,
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, q.status() },
	}
}

// problem is what the functions of a Problem share. gonum calls Status from
// another goroutine than the rest.
type problem struct {
	f     *reverse.Func
	scale float64                 // of all that is returned
	err   atomic.Pointer[error]   // the first one
	last  atomic.Pointer[Hessian] // of the tape that held at the last point

	grads   atomic.Bool // Grad has been called
	mu      sync.Mutex  // who does not get it evaluates for itself
	x, grad []float64   // a point and the gradient there
}

func (p *problem) fail(err error) { p.err.CompareAndSwap(nil, &err) }

func (p *problem) status() error {
	if err := p.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (p *problem) value(x []float64) float64 {
	var v float64
	var err error
	if p.grads.Load() && p.mu.TryLock() {
		v, err = p.valueGradient(x)
		p.mu.Unlock()
	} else {
		v, err = p.f.Value(x)
	}
	if err != nil {
		p.fail(err)
		return math.Inf(1)
	}
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return p.scale * v
}

// valueGradient is f(x), and keeps the gradient.
func (p *problem) valueGradient(x []float64) (float64, error) {
	p.x = p.x[:0]
	p.grad = slices.Grow(p.grad[:0], len(x))[:len(x)]
	v, _, err := p.f.ValueGradient(p.grad, x)
	if err == nil {
		p.x = append(p.x, x...)
	}
	return v, err
}

func (p *problem) gradient(grad, x []float64) {
	check(grad, len(x), "grad")
	p.grads.Store(true)
	if !p.kept(grad, x) {
		if _, err := p.f.Gradient(grad, x); err != nil {
			p.fail(err)
			for i := range grad {
				grad[i] = math.NaN()
			}
		}
	}
	if p.scale != 1 {
		floats.Scale(p.scale, grad)
	}
}

// kept fills grad if the gradient at x has been kept.
func (p *problem) kept(grad, x []float64) bool {
	if !p.mu.TryLock() {
		return false
	}
	defer p.mu.Unlock()
	same := slices.EqualFunc(p.x, x, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	if same {
		copy(grad, p.grad)
	}
	return same
}

func (p *problem) hessian(hess *mat.SymDense, x []float64) {
	check(x, hess.SymmetricDim(), "x")
	t, err := p.f.Tape(x)
	if err == nil {
		h := p.last.Load()
		if h == nil || h.t != t {
			h = New(t, FoR)
			p.last.Store(h)
		}
		_, err = h.Dense(hess, x)
	}
	if p.scale != 1 {
		hess.ScaleSym(p.scale, hess)
	}
	if err != nil {
		p.fail(err)
		for i := range x {
			for j := range i + 1 {
				hess.SetSym(i, j, math.NaN())
			}
		}
	}
}
