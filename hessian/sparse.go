package hessian

import (
	"errors"
	"fmt"
	"sync"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/verify"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Method is how a Sparse computes the nonzeros.
type Method uint8

// The methods.
const (
	// Auto takes the method that is estimated to be the fastest, but ByAcyclic
	// only where it saves a fifth over ByStar. Explain shows the estimates.
	Auto Method = iota
	// ByTerms derives each shape of term once, symbolically, and runs it over
	// all its terms; what is no sum of alike terms goes by a coloring.
	ByTerms
	// ByStar makes a product a color of a star coloring and reads each element
	// off directly. Where Auto finds that no coloring can save much, it gives
	// every variable a color of its own.
	ByStar
	// ByAcyclic makes a product a color of an acyclic coloring: fewer, but
	// elements are substituted into each other, which adds up their rounding
	// errors.
	ByAcyclic
)

func (m Method) String() string {
	return [...]string{"auto", "terms", "star", "acyclic"}[m]
}

// SparseSettings says how a Sparse is prepared. The zero value is what
// NewSparse uses.
type SparseSettings struct {
	Method Method
	// Strategy makes the products of colorings; FoR, the zero value, is the fast
	// one. Others are there to compare, and exclude ByTerms.
	Strategy Strategy
	// Orders are those that colorings try; nil means those of coloring.New.
	Orders []coloring.Order
	// Pattern replaces the detected pattern, and excludes ByTerms. It must be
	// symmetric, n×n, and have every nonzero: what it misses is added to other
	// elements without a sign; see Verify.
	Pattern *sparsity.Pattern
	// Coloring replaces the coloring, and with it Method and Orders, and excludes
	// ByTerms. It is checked.
	Coloring *coloring.Coloring
	// Lower stores the lower triangle alone.
	Lower bool
	// Workers is how many goroutines share one evaluation, if it is worth it;
	// 0 and 1 mean none beside the caller's. More than one allocate a few
	// objects each. The bits are the same for any number. A panic in one, of a
	// primitive, is raised in the caller.
	Workers int
}

// Sparse evaluates the sparse Hessian of Σ wⱼFⱼ of a tape. Its pattern and how
// to compute its elements are found once. It is immutable and safe for
// concurrent use.
type Sparse struct {
	settings SparseSettings
	first    *Hessian          // FoR of the whole tape
	target   *sparsity.Pattern // what is stored
	cost     cost.Counts       // of an evaluation
	options  []cost.Option     // that were considered

	// By terms: the plan and, of what is left over, the rest, whose values are
	// added at places.
	plan   *terms.Plan
	terms  *terms.Hessian
	rest   *Sparse
	places []int32
	pool   sync.Pool // of *sum

	// By coloring.
	h        *Hessian
	full     *sparsity.Pattern // what is colored
	coloring *coloring.Coloring
	tried    []*coloring.Coloring
	recovery *coloring.Recovery
}

// NewSparse prepares the sparse Hessian of a tape: the whole symmetric matrix,
// by the method that is estimated to be the fastest. Cost: below 1 µs a variable
// by terms, else detection of the pattern and coloring, some milliseconds for
// 10⁴ variables.
func NewSparse(t *reverse.Tape) (*Sparse, error) { return SparseSettings{}.New(t) }

// ErrNoTerms says that ByTerms was asked for and the function is no sum of alike
// terms.
var ErrNoTerms = errors.New("hessian: no sum of alike terms")

// New is NewSparse with settings. It panics if a pattern is not n×n and
// symmetric, if a coloring is none for symmetric matrices, and if ByTerms comes
// with what excludes it; a coloring that does
// not fit gives a *coloring.ConflictError, ByTerms possibly ErrNoTerms.
func (o SparseSettings) New(t *reverse.Tape) (*Sparse, error) {
	p := &Sparse{settings: o, first: New(t, FoR)}
	switch {
	case o.Method == ByTerms:
		if o.Pattern != nil || o.Coloring != nil || o.Strategy != FoR {
			panic("hessian: ByTerms with a Pattern, a Coloring or a Strategy, which are of colorings")
		}
		if plan := terms.Detect(inside.Program(t), true); plan != nil {
			return p, p.byTerms(t, plan)
		}
		return nil, ErrNoTerms
	case o.Method == Auto && o.Strategy == FoR && o.Pattern == nil && o.Coloring == nil:
		return p.choose(t)
	}
	return p, p.byColoring(t)
}

func (p *Sparse) byTerms(t *reverse.Tape, plan *terms.Plan) error {
	full := plan.HessianPattern()
	if q := plan.Rest(); q != nil {
		o := p.settings
		o.Method, o.Lower = Auto, false
		rest := inside.Part(t, q).(*reverse.Tape)
		p.rest = &Sparse{settings: o, first: New(rest, FoR)}
		if err := p.rest.byColoring(rest); err != nil {
			return err
		}
		full = full.Union(p.rest.target)
	}
	p.full, p.target = full, full
	if p.settings.Lower {
		p.target = full.Lower()
	}
	p.plan, p.terms = plan, plan.Hessian(p.target)
	p.cost = p.terms.Cost()
	if p.rest != nil {
		p.cost = p.cost.Plus(p.rest.cost)
		p.places = make([]int32, 0, p.rest.target.NNZ())
		for i := range p.first.n {
			for _, j := range p.rest.target.Row(i) {
				p.places = append(p.places, int32(p.target.Position(i, int(j)))) // −1 above a lower triangle
			}
		}
	}
	m := t.Outputs()
	p.pool.New = func() any {
		s := &sum{y: make([]float64, m)}
		if p.rest != nil {
			s.rest, s.restG = p.rest.Matrix(), make([]float64, p.first.n)
		}
		return s
	}
	return nil
}

// sum is the memory to add up an evaluation by terms.
type sum struct {
	y, restG []float64
	rest     *sparsity.Matrix
}

func (p *Sparse) byColoring(t *reverse.Tape) error {
	o, n := p.settings, t.Inputs()
	p.h = New(t, o.Strategy)
	switch {
	case o.Pattern != nil:
		p.full = o.Pattern
	case p.full == nil:
		p.full = t.HessianPattern()
	}
	if r, c := p.full.Dims(); r != n || c != n || !p.full.IsSymmetric() {
		panic(fmt.Sprintf("hessian: pattern is not symmetric and %d×%[1]d", n))
	}
	switch {
	case o.Coloring != nil:
		switch o.Coloring.Kind() {
		case coloring.Star, coloring.Acyclic, coloring.Distance2:
		default:
			panic("hessian: a coloring of kind " + o.Coloring.Kind().String())
		}
		if err := o.Coloring.Verify(p.full); err != nil {
			return err
		}
		p.coloring = o.Coloring
		if !o.Coloring.Pattern().Equal(p.full) { // recover from the pattern that is evaluated
			c, err := coloring.FromColors(o.Coloring.Kind(), p.full, o.Coloring.Columns().Colors(), nil)
			if err != nil {
				return err
			}
			p.coloring = c
		}
	case o.Method == ByStar:
		p.coloring = coloring.New(coloring.Star, p.full, o.Orders...)
	case o.Method == ByAcyclic:
		p.coloring = coloring.New(coloring.Acyclic, p.full, o.Orders...)
	default:
		p.color(t)
	}
	p.target = p.full
	if o.Lower {
		p.target = p.full.Lower()
	}
	p.recovery = p.coloring.Recovery(p.target, 1)
	return nil
}

// Pattern is the pattern that is stored: both triangles or the lower one.
func (p *Sparse) Pattern() *sparsity.Pattern { return p.target }

// Coloring is the coloring that is used, nil for ByTerms.
func (p *Sparse) Coloring() *coloring.Coloring { return p.coloring }

// Method is the method that is used.
func (p *Sparse) Method() Method {
	switch {
	case p.terms != nil:
		return ByTerms
	case p.coloring.Kind() == coloring.Acyclic:
		return ByAcyclic
	default:
		return ByStar
	}
}

// Matrix is a new matrix for Eval. With Lower it holds the lower triangle:
// sparsity.NewSymMatrix makes a symmetric one of it.
func (p *Sparse) Matrix() *sparsity.Matrix { return sparsity.NewMatrix(p.target) }

// Eval stores ∇²(Σ wⱼFⱼ)(x) in dst, made by Matrix; a function with one output
// needs no weights. Points and errors are as for reverse.Tape. It panics if dst
// has another pattern. It does not allocate if Workers ≤ 1. Cost: by terms about
// twice that of a gradient; else a value and an adjoint sweep and a product a
// color.
func (p *Sparse) Eval(dst *sparsity.Matrix, x []float64, w ...float64) error {
	_, err := p.eval(dst, nil, x, w)
	return err
}

// EvalAll is Eval that also returns f = Σ wⱼFⱼ(x) and stores its gradient in g,
// of length n, at no further cost by terms or FoR.
func (p *Sparse) EvalAll(dst *sparsity.Matrix, g, x []float64, w ...float64) (f float64, err error) {
	check(g, p.first.n, "g")
	return p.eval(dst, g, x, w)
}

// ValueGradient is f = Σ wⱼFⱼ(x), whose gradient it stores in g, of length n: by
// terms at about half the cost of reverse.Tape.ValueGradient, else as that. It
// does not allocate if Workers ≤ 1. The tape itself does not look for terms: that
// takes the time of ten gradients or more, which its first evaluation would
// have to take, and its values have the bits of the plain function.
func (p *Sparse) ValueGradient(g, x []float64, w ...float64) (f float64, err error) {
	check(g, p.first.n, "g")
	if p.terms != nil {
		return p.evalTerms(nil, g, x, w)
	}
	x, params, w := p.first.point(x, w)
	err = p.first.sweep(x, nil, params, func(q *program.Program, ws *program.Workspace) error {
		if err := q.Gradient(ws, w); err != nil {
			return err
		}
		f = values(g, q, ws, w)
		return nil
	})
	return f, err
}

// values is Σ wⱼyⱼ after a reverse sweep, whose gradient it stores in g.
func values(g []float64, q *program.Program, ws *program.Workspace, w []float64) (f float64) {
	copy(g, ws.Bar[:len(g)])
	for j, w := range w {
		f += weigh(w, ws.V[q.Output(j)])
	}
	return f
}

func (p *Sparse) eval(dst *sparsity.Matrix, g, x, w []float64) (f float64, err error) {
	if dst == nil || dst.Pattern() != p.target && !dst.Pattern().Equal(p.target) {
		panic("hessian: dst has another pattern")
	}
	vals := dst.Values()
	if p.terms != nil {
		return p.evalTerms(vals, g, x, w)
	}
	x, params, w := p.first.point(x, w)
	k := p.coloring.Columns().Num()
	all := func(q *program.Program, ws *program.Workspace) error {
		if err := q.Linearize(ws, w); err != nil {
			return err
		}
		if g != nil {
			f = values(g, q, ws, w)
		}
		if p.h.strategy != FoR {
			return nil
		}
		if p.settings.Workers > 1 {
			return q.HVPsParallel(ws, k, p.settings.Workers, p.seed, p.gather(vals))
		}
		return q.HVPs(ws, k, p.seed, func(c int, hv []float64) { p.recovery.GatherColumns(vals, c, hv) })
	}
	if g != nil || p.h.strategy == FoR {
		err = p.first.sweep(x, nil, params, all)
	}
	if err == nil && p.h.strategy != FoR {
		err = p.h.products(x, params, w, k, false, p.seed, p.gather(vals))
	}
	if err != nil {
		return 0, err
	}
	p.recovery.Finish(vals)
	return f, nil
}

// weigh is w·y, 0 if w is.
func weigh(w, y float64) float64 {
	if w == 0 {
		return 0
	}
	return w * y
}

// evalTerms computes by terms the Hessian, if vals is not nil, and the gradient
// with the value, if g is not nil.
func (p *Sparse) evalTerms(vals, g, x, w []float64) (f float64, err error) {
	in, params := inside.Split(p.first.t, x)
	_, _, w = p.first.point(x, w)
	s := p.pool.Get().(*sum)
	defer p.pool.Put(s)
	if p.rest != nil { // first, since it may fail
		restG := s.restG
		if g == nil {
			restG = nil
		}
		if vals == nil {
			f, err = p.rest.ValueGradient(restG, x, w...)
		} else {
			f, err = p.rest.eval(s.rest, restG, x, w)
		}
		if err != nil {
			return 0, err
		}
	}
	weights := w
	if p.first.m == 1 && w[0] == 1 {
		weights = nil // all 1
	}
	if vals == nil {
		p.plan.GradientParallel(p.settings.Workers, s.y, g, in, params, weights)
	} else {
		p.terms.EvalParallel(p.settings.Workers, vals, s.y, g, in, params, weights)
	}
	for j, w := range w {
		f += weigh(w, s.y[j])
	}
	if p.rest == nil {
		return f, nil
	}
	for i := range g {
		g[i] += s.restG[i]
	}
	if vals != nil {
		for k, v := range s.rest.Values() {
			if at := p.places[k]; at >= 0 {
				vals[at] += v
			}
		}
	}
	return f, nil
}

// seed makes the direction of color c, counted from 0.
func (p *Sparse) seed(v []float64, c int) {
	for _, j := range p.coloring.Columns().Class(c) {
		v[j] = 1
	}
}

func (p *Sparse) gather(vals []float64) program.Result {
	return func(c int, hv []float64) { p.recovery.GatherColumns(vals, c, hv) }
}

// MissedError says that the recovered Hessian is not the Hessian: its pattern
// misses a nonzero, or an element that is not finite has spoiled what was
// recovered from it.
type MissedError struct {
	// Row is the row with the largest difference: Got of the recovered matrix
	// times a random vector, Want of a product by HVP.
	Row       int
	Got, Want float64
}

func (e *MissedError) Error() string {
	m := verify.Miss(*e)
	return "hessian: " + m.Describe("Hessian", "HVP")
}

// Verify compares the sparse Hessian at x times three random vectors with
// products by HVP. If a row differs by more than rounding may the error is a
// *MissedError: a pattern that misses a nonzero does not pass, unless that
// element is 0 at x, below the rounding errors of what is added up in its row,
// by ByAcyclic of what is added up in any row that is connected to it, or in a
// row that is not finite in either product. Cost: Eval, three products, and a
// bound of the rounding errors of each, half a microsecond an operation.
func (p *Sparse) Verify(x []float64, w ...float64) error {
	h := p.Matrix()
	if err := p.Eval(h, x, w...); err != nil {
		return err
	}
	x, params, w := p.first.point(x, w)
	return p.first.sweep(x, nil, params, func(q *program.Program, ws *program.Workspace) error {
		miss, err := verify.Compare(q, ws, w, verify.Matrix{Matrix: h, Symmetric: true, Lower: p.settings.Lower, Depth: p.depth()})
		if miss != nil {
			return (*MissedError)(miss)
		}
		return err
	})
}

// depth is the longest chain of substitutions.
func (p *Sparse) depth() int {
	switch {
	case p.rest != nil:
		return p.rest.depth()
	case p.recovery != nil:
		return p.recovery.Depth()
	default:
		return 0
	}
}
