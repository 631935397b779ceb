package plan

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/sparsity"
)

// along is a plan of the Hessian of x ↦ F′(x)v.
type along struct {
	once sync.Once
	p    *Plan
	err  error
	pool sync.Pool // of *[]float64
}

// along is that of p, made when it is first needed.
func (p *Plan) along() (*Plan, error) {
	a := &p.tangent
	a.once.Do(func() { a.p, a.err = p.newAlong() })
	return a.p, a.err
}

// with calls f with the parameters and v behind them.
func (a *along) with(params, v []float64, f func(params []float64) error) error {
	b, ok := a.pool.Get().(*[]float64)
	if !ok {
		b = new([]float64)
	}
	defer a.pool.Put(b)
	*b = append(append((*b)[:0], params...), v...)
	return f(*b)
}

// EvalAlong is the derivative of Eval along v. The error may be a *LackError.
func (p *Plan) EvalAlong(dst *sparsity.Matrix, x, v, w []float64) (*sparsity.Matrix, error) {
	p.check(v, p.program.Inputs(), "v")
	x, params, w := p.point(x, w)
	h := p.Matrix(dst)
	q, err := p.along()
	if err == nil {
		err = p.tangent.with(params, v, func(params []float64) error {
			_, err := q.eval(h.Values(), nil, x, params, w)
			return err
		})
	}
	if err != nil {
		return dst, err
	}
	return h, nil
}

// newAlong is the plan of the Hessian of x ↦ F′(x)v, in the pattern of p. v comes behind the
// parameters. The error is a *LackError.
func (p *Plan) newAlong() (*Plan, error) {
	if err := p.lack(); err != nil {
		return nil, err
	}
	q := &Plan{
		Settings: p.Settings, program: p.program, order: p.order + 1, full: p.full, stored: p.stored,
		places: p.places, coloring: p.coloring, recovery: p.recovery,
	}
	if p.terms == nil {
		q.program = inside.Along(p.program.Engine()).Function()
		return q, nil
	}
	q.terms = p.terms.Along()
	q.matrix = q.terms.Hessian(q.stored)
	q.pool.New = q.newBuffers
	if p.rest == nil {
		return q, nil
	}
	var err error
	q.rest, err = p.rest.newAlong()
	return q, err
}

// LackError says that an operation has no derivative of an order above the second.
type LackError struct {
	Operation string
	Order     int // 3 or 4
}

func (e *LackError) Error() string {
	return "hessian: no " + [...]string{3: "third", 4: "fourth"}[e.Order] + " derivative of the operation " + e.Operation
}

// lack is a *LackError if there is no derivative of the next order.
func (p *Plan) lack() error {
	if name := lacking(p.program.Tape(), p.order+3); name != "" {
		return &LackError{name, p.order + 3}
	}
	return nil
}

// lacking is the name of an operation of t that has no derivative of an order; empty if there
// is none.
func lacking(t *tape.Tape, order int) (name string) {
	if owns := t.Owns(); len(owns) > 0 {
		return owns[0].Name
	}
	for i := t.Base(); i < t.Len() && name == ""; i++ {
		c := t.CallAt(int32(i))
		if c == nil {
			continue
		}
		switch f := c.Func.(type) {
		case tape.Repeated:
			name = lacking(f.Term(), order)
		case *scan.Loop:
			for _, s := range f.Steps {
				name = max(name, lacking(&s.P.Tape, order))
			}
		default:
			_, third := f.(op.Third)
			if w, ok := f.(op.Written); (!ok || w.Elements() == nil) && (order > 3 || !third) {
				name = f.Name()
			}
		}
	}
	return name
}

// Third is how to compute T(W)ₖ = Σ Wᵢⱼ ∂³f/∂xᵢ∂xⱼ∂xₖ for symmetric W in a pattern and
// f = Σ wⱼyⱼ.
type Third struct {
	p       *Plan
	pattern *sparsity.Pattern
	pool    sync.Pool // of *thirdBuffers

	alongOnce sync.Once // for fourth, of the derivative along a direction
	fourth    *Third
	lack      error

	// By terms: T is the gradient of Σ Wᵢⱼ ∂²f/∂xᵢ∂xⱼ. Entry k of the weights of the rest is
	// number places[k] of W.
	terms  *terms.Plan
	rest   *Third
	places []int32

	// By a coloring with the seeds s: what is recovered from the products is linear in them,
	// so that the sum is Σ wₖᵀHsₖ, see coloring.Recovery. The gradient of wᵀHs is Hessian times
	// w of f′s. The coloring is that of all rows and columns that W touches. Element k of the
	// lower half of its pattern is number low[k] of W, 0 if that is −1; it counts once on the
	// diagonal and else twice.
	along    *sweep.Engine
	coloring *coloring.Coloring
	recovery *coloring.Recovery
	seeds    [][]int32
	low      []int32
	twice    []float64
}

// thirdBuffers is the memory of an evaluation.
type thirdBuffers struct {
	weights, params, sum []float64
}

// Third plans sums of third derivatives with weights in a pattern, symmetric or a lower
// triangle, of which the lower triangle is read; nil is the Pattern. The error is a *LackError.
func (p *Plan) Third(w *sparsity.Pattern) (*Third, error) {
	if w == nil {
		w = p.stored
	}
	if r, c := w.Dims(); r != p.program.Inputs() || c != r || !w.IsSymmetric() && !w.Equal(w.Lower()) {
		p.panicf("the pattern of W is neither symmetric nor a lower triangle, %d×%[1]d", p.program.Inputs())
	}
	if err := p.lack(); err != nil {
		return nil, err
	}
	t := &Third{p: p, pattern: w}
	t.pool.New = func() any {
		b := &thirdBuffers{sum: make([]float64, p.program.Inputs()), weights: make([]float64, len(t.low))}
		if t.rest != nil {
			b.weights = make([]float64, len(t.places))
		}
		return b
	}
	if p.terms == nil {
		t.byColoring(w)
		return t, nil
	}
	t.terms = p.terms.Contract(w)
	if p.rest == nil {
		return t, nil
	}
	of := restricted(w.Lower(), p.rest.full.Has)
	t.places = positions(w, of)
	var err error
	t.rest, err = p.rest.Third(of)
	return t, err
}

func (t *Third) byColoring(w *sparsity.Pattern) {
	full := t.p.full
	n, _ := full.Dims()
	touched := make([]bool, n)
	for i, j := range w.All() {
		if full.Has(i, j) {
			touched[i], touched[j] = true, true
		}
	}
	t.coloring = t.p.coloring
	if slices.Contains(touched, false) {
		full = restricted(full, func(i, j int) bool { return touched[i] && touched[j] })
		t.coloring = coloring.New(coloring.Star, full, t.p.Orders...)
	}
	for k := range t.coloring.Columns().Num() {
		t.seeds = append(t.seeds, slices.DeleteFunc(slices.Clone(t.coloring.Columns().Class(k)), func(i int32) bool { return !touched[i] }))
	}
	lower := full.Lower()
	t.recovery = t.coloring.Recovery(lower)
	t.low = positions(w, lower)
	for i, j := range lower.All() {
		if i == j {
			t.twice = append(t.twice, 1)
		} else {
			t.twice = append(t.twice, 2)
		}
	}
	t.along = inside.Along(t.p.program.Engine())
}

// restricted is the entries of p that are wanted.
func restricted(p *sparsity.Pattern, wanted func(i, j int) bool) *sparsity.Pattern {
	var is, js []int
	for i, j := range p.All() {
		if wanted(i, j) {
			is, js = append(is, i), append(js, j)
		}
	}
	r, c := p.Dims()
	return sparsity.FromCoordinates(r, c, is, js)
}

// Eval is T(W) at x, in dst unless that is nil. dst may be an argument.
func (t *Third) Eval(dst, x []float64, weights *sparsity.Matrix, w []float64) ([]float64, error) {
	x, params, w := t.p.point(x, w)
	return t.into(dst, x, params, weights, w)
}

// EvalAlong is the derivative of Eval along v. The error may be a *LackError.
func (t *Third) EvalAlong(dst, x []float64, weights *sparsity.Matrix, v, w []float64) ([]float64, error) {
	t.p.check(v, t.p.program.Inputs(), "v")
	x, params, w := t.p.point(x, w)
	t.alongOnce.Do(func() {
		var q *Plan
		if q, t.lack = t.p.along(); t.lack == nil {
			t.fourth, t.lack = q.Third(t.pattern)
		}
	})
	if t.lack != nil {
		return dst, t.lack
	}
	g := dst
	err := t.p.tangent.with(params, v, func(params []float64) (err error) {
		g, err = t.fourth.into(dst, x, params, weights, w)
		return err
	})
	return g, err
}

func (t *Third) into(dst, x, params []float64, weights *sparsity.Matrix, w []float64) ([]float64, error) {
	if weights == nil || !weights.Pattern().Equal(t.pattern) {
		t.p.panicf("W has another pattern")
	}
	g := dst
	if g == nil {
		g = make([]float64, len(x))
	}
	t.p.check(g, len(x), "dst")
	b := t.pool.Get().(*thirdBuffers)
	defer t.pool.Put(b)
	if err := t.eval(b, weights.Values(), x, params, w); err != nil {
		return dst, err
	}
	copy(g, b.sum)
	return g, nil
}

// eval computes the sum. It does not allocate if Workers ≤ 1.
func (t *Third) eval(b *thirdBuffers, weights, x, params, w []float64) error {
	if t.terms == nil {
		return t.bySweeps(b, weights, x, params, w)
	}
	var rest []float64
	if t.rest != nil {
		for k, at := range t.places {
			b.weights[k] = weights[at]
		}
		r := t.rest.pool.Get().(*thirdBuffers)
		defer t.rest.pool.Put(r)
		if err := t.rest.eval(r, b.weights, x, params, w); err != nil {
			return err
		}
		rest = r.sum
	}
	b.params = append(append(append(b.params[:0], params...), weights...), 0)
	t.terms.ContractedGradient(t.p.Workers, b.sum, x, b.params, w)
	for i, v := range rest {
		b.sum[i] += v
	}
	return nil
}

// bySweeps is eval by a coloring.
func (t *Third) bySweeps(b *thirdBuffers, weights, x, params, w []float64) error {
	clear(b.weights)
	for k, at := range t.low {
		if at >= 0 {
			b.weights[k] = t.twice[k] * weights[at]
		}
	}
	t.recovery.Transpose(b.weights)
	clear(b.sum)
	ws := t.along.Get()
	defer t.along.Put(ws)
	b.params = append(slices.Grow(b.params[:0], len(params)+len(x)), params...)[:len(params)+len(x)]
	direction := b.params[len(params):]
	for k, class := range t.seeds {
		clear(direction)
		seed(direction, class)
		g, err := ws.Value(x, b.params)
		if err = inside.Error(ws, g, err); err == nil {
			err = ws.Linearize(w)
		}
		if err == nil {
			err = ws.HVP(1, func(v []float64, _ int) { t.recovery.ScatterColumns(v, k, b.weights) })
		}
		if err != nil {
			return err
		}
		for i, h := range ws.Product(0) {
			b.sum[i] += h
		}
	}
	return nil
}
