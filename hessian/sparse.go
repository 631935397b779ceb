package hessian

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// SparseSettings says how a Sparse is prepared. The zero value is what
// NewSparse uses.
type SparseSettings struct {
	// Strategy makes the products; FoR, the zero value, is the fast one.
	Strategy Strategy
	// Kind is Star or Acyclic. Zero, which is coloring.Column, means the one
	// with the lower cost: Acyclic if it saves a fifth of the products.
	Kind coloring.Kind
	// Orders are those that the coloring tries; nil means Natural and
	// SmallestLast.
	Orders []coloring.Order
	// Pattern replaces the detected pattern. It must be symmetric, n×n, and
	// have every nonzero: what it misses is added to other entries without a
	// sign; see Verify.
	Pattern *sparsity.Pattern
	// Coloring replaces the coloring, and with it Kind and Orders. It is
	// checked.
	Coloring *coloring.Coloring
	// Lower stores the lower triangle alone.
	Lower bool
	// Workers is how many goroutines share the products of one evaluation; 0
	// and 1 mean none beside the caller's. More than one allocates a few
	// objects an evaluation.
	Workers int
}

// Sparse evaluates the sparse Hessian of Σ wⱼFⱼ of a tape: pattern, coloring
// and recovery are found once, an evaluation runs a product a color and gathers
// the values. It is immutable and safe for concurrent use.
type Sparse struct {
	h        *Hessian
	first    *Hessian          // FoR, for value and gradient
	full     *sparsity.Pattern // what is colored
	target   *sparsity.Pattern // what is stored
	coloring *coloring.Coloring
	recovery *coloring.Recovery
	other    *coloring.Coloring // tried and not taken
	settings SparseSettings
}

// NewSparse prepares the sparse Hessian of a tape: the whole symmetric matrix by
// FoR, pattern and coloring found. Cost: detection and coloring, some
// milliseconds for 10⁴ variables.
func NewSparse(t *reverse.Tape) (*Sparse, error) { return SparseSettings{}.New(t) }

// New is NewSparse with settings. It panics if a pattern is not n×n and
// symmetric, or the kind is none for symmetric matrices; a coloring that does
// not fit gives a *coloring.ConflictError.
func (o SparseSettings) New(t *reverse.Tape) (*Sparse, error) {
	n := t.Inputs()
	p := &Sparse{h: New(t, o.Strategy), first: New(t, FoR), settings: o, full: o.Pattern}
	if o.Orders == nil {
		o.Orders = defaultOrders
	}
	if p.full == nil {
		p.full = t.HessianPattern()
	}
	if r, c := p.full.Dims(); r != n || c != n || !p.full.IsSymmetric() {
		panic(fmt.Sprintf("hessian: pattern is not symmetric and %d×%[1]d", n))
	}
	switch {
	case o.Coloring != nil:
		if !symmetric(o.Coloring.Kind()) {
			panic("hessian: a coloring of kind " + o.Coloring.Kind().String())
		}
		if err := o.Coloring.Verify(p.full); err != nil {
			return nil, err
		}
		p.coloring = o.Coloring
		if !o.Coloring.Pattern().Equal(p.full) { // recover from the pattern that is evaluated
			c, err := coloring.FromColors(o.Coloring.Kind(), p.full, o.Coloring.Columns().Colors(), nil)
			if err != nil {
				return nil, err
			}
			p.coloring = c
		}
	case o.Kind != coloring.Column:
		if !symmetric(o.Kind) {
			panic("hessian: a coloring of kind " + o.Kind.String())
		}
		p.coloring = coloring.New(o.Kind, p.full, o.Orders...)
	default:
		star := coloring.New(coloring.Star, p.full, o.Orders...)
		p.coloring = star
		if star.Num() > star.LowerBound() || star.Num() > 4 {
			acyclic := coloring.New(coloring.Acyclic, p.full, o.Orders...)
			p.coloring, p.other = star, acyclic
			if 5*acyclic.Num() <= 4*star.Num() {
				p.coloring, p.other = acyclic, star
			}
		}
	}
	p.target = p.full
	if o.Lower {
		p.target = p.full.Lower()
	}
	p.recovery = p.coloring.Recovery(p.target, 1)
	return p, nil
}

// More orders rarely save colors and cost as much as all other preparation.
var defaultOrders = []coloring.Order{coloring.Natural, coloring.SmallestLast}

func symmetric(k coloring.Kind) bool {
	return k == coloring.Star || k == coloring.Acyclic || k == coloring.Distance2
}

// Pattern is the pattern that is stored: both triangles or the lower one.
func (p *Sparse) Pattern() *sparsity.Pattern { return p.target }

// Coloring is the coloring that is used.
func (p *Sparse) Coloring() *coloring.Coloring { return p.coloring }

// Matrix is a new matrix for Eval. With Lower it holds the lower triangle:
// sparsity.NewSymMatrix makes a symmetric one of it.
func (p *Sparse) Matrix() *sparsity.Matrix { return sparsity.NewMatrix(p.target) }

// Eval stores ∇²(Σ wⱼFⱼ)(x) in dst, made by Matrix; a function with one output
// needs no weights. Points and errors are as for reverse.Tape. It panics if dst
// has another pattern. It does not allocate if Workers ≤ 1. Cost: a value and an
// adjoint sweep and a product a color.
func (p *Sparse) Eval(dst *sparsity.Matrix, x []float64, w ...float64) error {
	_, err := p.eval(dst, nil, x, w)
	return err
}

// EvalAll is Eval that also returns f = Σ wⱼFⱼ(x) and stores its gradient in g,
// of length n, at no further cost for FoR.
func (p *Sparse) EvalAll(dst *sparsity.Matrix, g, x []float64, w ...float64) (f float64, err error) {
	check(g, p.h.n, "g")
	return p.eval(dst, g, x, w)
}

func (p *Sparse) eval(dst *sparsity.Matrix, g, x, w []float64) (f float64, err error) {
	if dst == nil || dst.Pattern() != p.target && !dst.Pattern().Equal(p.target) {
		panic("hessian: dst has another pattern")
	}
	x, params, w := p.h.point(x, w)
	vals := dst.Values()
	k := p.coloring.Columns().Num()
	all := func(q *program.Program, ws *program.Workspace) error {
		if err := q.Linearize(ws, w); err != nil {
			return err
		}
		if g != nil {
			copy(g, ws.Bar[:len(g)])
			for j, w := range w {
				f += w * ws.V[q.Output(j)]
			}
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

// seed makes the direction of color c, counted from 0.
func (p *Sparse) seed(v []float64, c int) {
	for _, j := range p.coloring.Columns().Class(c + 1) {
		v[j] = 1
	}
}

func (p *Sparse) gather(vals []float64) program.Result {
	return func(c int, hv []float64) { p.recovery.GatherColumns(vals, c, hv) }
}

// MissedError says that the recovered Hessian is not the Hessian: its pattern
// misses a nonzero.
type MissedError struct {
	// Row is the row with the largest difference: Got of the recovered matrix
	// times a random vector, Want of a product by HVP.
	Row       int
	Got, Want float64
}

func (e *MissedError) Error() string {
	return fmt.Sprintf("hessian: row %d of the sparse Hessian times a random vector is %v, by HVP %v: the pattern misses a nonzero", e.Row, e.Got, e.Want)
}

// Verify compares the sparse Hessian at x times three random vectors with
// products by HVP. If a row differs by more than rounding may the error is a
// *MissedError: a pattern that misses a nonzero does not pass, unless that
// element is 0 at x or below the rounding errors of the products. Cost: Eval
// and three products.
func (p *Sparse) Verify(x []float64, w ...float64) error {
	h := p.Matrix()
	if err := p.Eval(h, x, w...); err != nil {
		return err
	}
	x, params, w := p.h.point(x, w)
	return p.first.sweep(x, nil, params, func(q *program.Program, ws *program.Workspace) error {
		if err := q.Linearize(ws, w); err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(1, 2))
		v := make([]float64, len(x))
		product := func() error { return q.HVP(ws, 1, func(s []float64, _ int) { copy(s, v) }) }
		if err := product(); err != nil { // makes U
			return err
		}
		for range 3 {
			for i := range v {
				v[i] = 1 + r.Float64()
			}
			clear(ws.U[0])
			if err := product(); err != nil {
				return err
			}
			if err := p.compare(h, v, ws.U[0][:len(x)], q.LargestSecond(ws, 0)); err != nil {
				return err
			}
		}
		return nil
	})
}

// compare finds the row in which h·v and want differ most, if it is by more
// than rounding: each operation adds an error of half a unit in the last place
// of numbers up to magnitude, a substitution those of its tree.
func (p *Sparse) compare(h *sparsity.Matrix, v, want []float64, magnitude float64) error {
	got := make([]float64, len(v))
	h.DoNonZero(func(i, j int, a float64) {
		got[i] += a * v[j]
		if p.settings.Lower && i != j {
			got[j] += a * v[i]
		}
	})
	tolerance := 64 * 0x1p-53 * float64(1+p.first.t.Ops()) * float64(1+p.recovery.Depth()) * magnitude
	var missed *MissedError
	most := tolerance
	for i := range got {
		same := got[i] == want[i] || got[i] != got[i] && want[i] != want[i]
		if d := math.Abs(got[i] - want[i]); !same && !(d <= most) {
			most = d
			missed = &MissedError{Row: i, Got: got[i], Want: want[i]}
		}
	}
	if missed != nil {
		return missed
	}
	return nil
}
