package hessian

import (
	"sync"

	"github.com/hesse-ad/hesse/internal/plan"
	"github.com/hesse-ad/hesse/sparsity"
)

// LackError says that an operation has no derivative of the third Order, or the fourth: a
// Primitive, a VecPrimitive, a function of package matrix for the fourth, a solution of
// package implicit.
type LackError struct {
	Operation string
	Order     int
}

func (e *LackError) Error() string { return "hessian: no " + (*plan.Lack)(e).Error() }

func lackError(err error) error {
	if e, ok := err.(*plan.Lack); ok {
		return (*LackError)(e)
	}
	return err
}

// along is a plan of the Hessian of ∇f(x)ᵀv, made when it is first needed.
type along struct {
	once sync.Once
	p    *plan.Plan
	err  error
	pool sync.Pool // of *[]float64, the parameters and v
}

func (a *along) of(p *plan.Plan) (*plan.Plan, error) {
	a.once.Do(func() { a.p, a.err = p.Along(); a.err = lackError(a.err) })
	return a.p, a.err
}

// with calls f with the parameters and v.
func (a *along) with(params, v []float64, f func(params []float64) error) error {
	b, ok := a.pool.Get().(*[]float64)
	if !ok {
		b = new([]float64)
	}
	defer a.pool.Put(b)
	*b = append(append((*b)[:0], params...), v...)
	return f(*b)
}

// EvalAlong returns D³f(x)[v], the derivative of Eval along v, v of length n: element (i, j) is
// Σₖ vₖ ∂³f/∂xᵢ∂xⱼ∂xₖ of f = Σ wⱼFⱼ. Halley's method has it in its steps. It may be a *LackError;
// otherwise it is as Eval. Cost: by terms some 1.5 times Eval, else three times; at the first
// call also that of preparing, as NewSparse.
func (s *Sparse) EvalAlong(dst *sparsity.Matrix, x, v []float64, w ...float64) (*sparsity.Matrix, error) {
	check(v, s.t.Inputs(), "v")
	in, params, w := s.point(x, w)
	p, err := s.along.of(s.p)
	if err != nil {
		return dst, err
	}
	h := s.p.Matrix(dst)
	err = s.along.with(params, v, func(params []float64) error {
		_, err := p.Eval(h.Values(), nil, in, params, w)
		return err
	})
	if err != nil {
		return dst, err
	}
	return h, nil
}

// Third evaluates sums of third derivatives of f = Σ wⱼFⱼ of a tape, with weights Wᵢⱼ in a
// sparse pattern,
//
//	T(W)ₖ = Σᵢⱼ Wᵢⱼ ∂³f/∂xᵢ∂xⱼ∂xₖ = ∂/∂xₖ tr(W·∇²f).
//
// With W the inverse of the Hessian that is the gradient of its log det: of Laplace
// approximations, see package laplace, and of the metric of Riemannian samplers. It is
// immutable and safe for concurrent use.
type Third struct {
	s     *Sparse
	w     *sparsity.Pattern
	t     *plan.Third
	along struct {
		once sync.Once
		t    *plan.Third
		err  error
	}
}

// Third prepares sums of third derivatives by the method of s. W is symmetric in the pattern w,
// or its lower triangle; nil is the Pattern of s. Outside of the pattern of the Hessian W does not
// matter. It panics if w is not n×n and symmetric or lower. The error is a *LackError. Cost: as
// NewSparse.
func (s *Sparse) Third(w *sparsity.Pattern) (*Third, error) {
	if w == nil {
		w = s.Pattern()
	}
	if !w.IsSymmetric() && !w.Equal(w.Lower()) {
		panic("hessian: the pattern of W is neither symmetric nor a lower triangle")
	}
	t, err := s.p.Third(w)
	if err != nil {
		return nil, lackError(err)
	}
	return &Third{s: s, w: w, t: t}, nil
}

// Eval returns T(W), of length n, for a W in the pattern of Third, of which the lower triangle
// is read. dst may be nil or an argument. Points and errors are as for Eval of Sparse. It
// does not allocate into a given dst if Workers ≤ 1. Cost: by terms as Eval of Sparse, up to three
// times; else for each color about six gradients.
func (t *Third) Eval(dst, x []float64, weights *sparsity.Matrix, w ...float64) ([]float64, error) {
	in, params, w := t.s.point(x, w)
	return t.eval(t.t, dst, in, params, w, weights)
}

func (t *Third) eval(p *plan.Third, dst, in, params, w []float64, weights *sparsity.Matrix) ([]float64, error) {
	if weights == nil || !weights.Pattern().Equal(t.w) {
		panic("hessian: W has another pattern")
	}
	h := dst
	if h == nil {
		h = make([]float64, t.s.t.Inputs())
	}
	check(h, t.s.t.Inputs(), "dst")
	if err := p.Eval(h, weights.Values(), in, params, w); err != nil {
		return dst, err
	}
	return h, nil
}

// EvalAlong returns the derivative of Eval along v, W being the same everywhere:
// D⁴f(x)[W, v]ₖ = Σᵢⱼₗ Wᵢⱼ vₗ ∂⁴f/∂xᵢ∂xⱼ∂xₖ∂xₗ. It may be a *LackError; otherwise it is as Eval.
func (t *Third) EvalAlong(dst, x []float64, weights *sparsity.Matrix, v []float64, w ...float64) ([]float64, error) {
	check(v, t.s.t.Inputs(), "v")
	in, params, w := t.s.point(x, w)
	a := &t.along
	a.once.Do(func() {
		var p *plan.Plan
		if p, a.err = t.s.along.of(t.s.p); a.err == nil {
			a.t, a.err = p.Third(t.w)
			a.err = lackError(a.err)
		}
	})
	if a.err != nil {
		return dst, a.err
	}
	h := dst
	err := t.s.along.with(params, v, func(params []float64) (err error) {
		h, err = t.eval(a.t, dst, in, params, w, weights)
		return err
	})
	return h, err
}
