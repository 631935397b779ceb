package plan

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/sparsity"
)

// Method is how the elements are computed.
type Method struct {
	how  how
	kind coloring.Kind // byColoring
}

type how uint8

const (
	auto how = iota
	byTerms
	byColoring
)

// Auto is the method that is estimated to be the fastest.
var Auto = Method{}

// ByTerms is by the terms of a sum, and what is left over by the best coloring.
var ByTerms = Method{how: byTerms}

// ByColoring is by products with the colors of a coloring of the given kind.
func ByColoring(kind coloring.Kind) Method { return Method{byColoring, kind} }

// Settings say what is planned.
type Settings struct {
	// Hessian says that the matrix is the Hessian of Σ wⱼyⱼ and not the Jacobian
	// of y.
	Hessian bool
	// Detected finds the pattern that holds at every point. It is called only if the
	// pattern is needed: terms know their own.
	Detected func() *sparsity.Pattern

	Method   Method
	Orders   []coloring.Order   // which colorings try; nil stands for those of coloring.New
	Pattern  *sparsity.Pattern  // replaces the detected one; not with ByTerms
	Coloring *coloring.Coloring // replaces Method, after a check; not with ByTerms
	Lower    bool               // only the lower triangle of a Hessian is stored
	Workers  int                // how many goroutines share an evaluation
}

// Plan is how to compute a sparse matrix. It is immutable and safe for concurrent
// use.
type Plan struct {
	Settings
	tape    *inside.Tape // nil for what terms leave over
	program *sweep.Function
	full    *sparsity.Pattern // of the whole matrix
	stored  *sparsity.Pattern // full, or its lower triangle
	cost    cost.Counts       // of an evaluation
	options []option          // the methods that were considered

	// unrivaled says that no coloring was tried, since even the fewest products that one
	// may have take longer than the terms.
	unrivaled bool

	// By terms. What is no term is left to rest, a plan by a coloring: its value k is added
	// to the value places[k] of the matrix, to none if that is −1. Without one, rest is nil.
	terms  *terms.Plan
	matrix matrix
	rest   *Plan
	places []int32
	pool   sync.Pool // of *buffers

	// By a coloring.
	coloring *coloring.Coloring
	tried    []*coloring.Coloring // those of which coloring is the cheapest
	recovery *coloring.Recovery
	sums     *sums // of a Hessian, nil if the gradient is by sweeps, too
}

// matrix is a *terms.Hessian or a *terms.Jacobian.
type matrix interface {
	Cost() cost.Counts
	Explain() string
}

// ErrNoTerms says that ByTerms was asked for and there are none.
var ErrNoTerms = errors.New("reverse: no sum of alike terms")

// New plans a matrix of a tape. It panics if a pattern has the wrong size or is
// not symmetric for a Hessian, if a coloring is of a kind for the other matrix, and
// if ByTerms comes with either. A coloring that does not fit is a
// *coloring.ConflictError.
func New(t *inside.Tape, s Settings) (*Plan, error) {
	p := &Plan{Settings: s, tape: t, program: t.Function}
	given := s.Pattern != nil || s.Coloring != nil
	switch {
	case s.Method == ByTerms:
		if given {
			p.panicf("ByTerms with a Pattern or a Coloring, which are of colorings")
		}
		found := terms.Detect(p.program, s.Hessian)
		if found == nil {
			return nil, ErrNoTerms
		}
		return p, p.byTerms(found)
	case s.Method == Auto && !given:
		return p.choose()
	}
	return p, p.byColoring()
}

// pkg is the name of the package that the user called.
func (p *Plan) pkg() string {
	if p.Hessian {
		return "hessian"
	}
	return "reverse"
}

func (p *Plan) panicf(format string, args ...any) {
	panic(p.pkg() + ": " + fmt.Sprintf(format, args...))
}

func (p *Plan) byTerms(found *terms.Plan) error {
	p.terms = found
	if p.Hessian {
		p.full = found.HessianPattern()
	} else {
		p.full = found.JacobianPattern()
	}
	if q := found.Rest(); q != nil {
		p.rest = &Plan{Settings: p.Settings, program: q.Function()}
		p.rest.Method, p.rest.Lower = Auto, false
		p.rest.Detected = func() *sparsity.Pattern { return Detect(q, p.Hessian) }
		if err := p.rest.byColoring(); err != nil {
			return err
		}
		p.full = p.full.Union(p.rest.full)
		p.cost = p.rest.cost
	}
	p.store()
	if p.Hessian {
		p.matrix = found.Hessian(p.stored)
	} else {
		p.matrix = found.Jacobian(p.stored)
	}
	p.cost = p.cost.Plus(p.matrix.Cost())
	if p.rest != nil {
		p.places = positions(p.stored, p.rest.stored)
	}
	p.pool.New = p.newBuffers
	return nil
}

// Detect finds the pattern of the Hessian or the Jacobian at every point.
func Detect(q *sweep.Engine, hessian bool) *sparsity.Pattern {
	if hessian {
		return domains.Hessian(&q.Tape, nil)
	}
	return domains.Jacobian(&q.Tape, nil)
}

// store sets stored.
func (p *Plan) store() {
	p.stored = p.full
	if p.Lower {
		p.stored = p.full.Lower()
	}
}

// positions is, by entry of part, its number in whole, −1 if it is not there.
func positions(whole, part *sparsity.Pattern) []int32 {
	at := make([]int32, 0, part.NNZ())
	rows, _ := part.Dims()
	for i := range rows {
		for _, j := range part.Row(i) {
			at = append(at, int32(whole.Position(i, int(j))))
		}
	}
	return at
}

// byColoring makes p a plan by a coloring: the one that is set, one of the kind that is
// forced, or the cheapest.
func (p *Plan) byColoring() error {
	switch {
	case p.Settings.Pattern != nil:
		p.full = p.Settings.Pattern
	case p.full == nil:
		p.full = p.Detected()
	}
	p.checkPattern()
	switch {
	case p.Settings.Coloring != nil:
		if err := p.take(p.Settings.Coloring); err != nil {
			return err
		}
	case p.Method.how == byColoring:
		p.coloring = coloring.New(p.Method.kind, p.full, p.Orders...)
	default:
		p.color()
	}
	p.store()
	p.recovery = p.coloring.Recovery(p.stored)
	return nil
}

func (p *Plan) checkPattern() {
	r, c := p.full.Dims()
	m, n := p.program.Outputs(), p.program.Inputs()
	switch {
	case p.Hessian && (r != n || c != n || !p.full.IsSymmetric()):
		p.panicf("pattern is not symmetric and %d×%[1]d", n)
	case !p.Hessian && (r != m || c != n):
		p.panicf("pattern is %d×%d, want %d×%d", r, c, m, n)
	}
}

var (
	hessianKinds  = []coloring.Kind{coloring.Star, coloring.Acyclic, coloring.Distance2}
	jacobianKinds = []coloring.Kind{coloring.Column, coloring.Row, coloring.StarBicoloring, coloring.AcyclicBicoloring}
)

// take uses the colors of c, which may be those of another pattern, if they fit p.full.
func (p *Plan) take(c *coloring.Coloring) (err error) {
	kinds := jacobianKinds
	if p.Hessian {
		kinds = hessianKinds
	}
	if !slices.Contains(kinds, c.Kind()) {
		p.panicf("a coloring of kind %v", c.Kind())
	}
	if err := c.Verify(p.full); err != nil {
		return err
	}
	if !c.Pattern().Equal(p.full) {
		c, err = coloring.FromColors(c.Kind(), p.full, c.Columns().Colors(), c.Rows().Colors())
	}
	p.coloring = c
	return err
}

// Pattern is the pattern of the values.
func (p *Plan) Pattern() *sparsity.Pattern { return p.stored }

// Matrix is dst, a new matrix if that is nil. It panics if dst has another pattern.
func (p *Plan) Matrix(dst *sparsity.Matrix) *sparsity.Matrix {
	if dst == nil {
		return sparsity.NewMatrix(p.stored)
	}
	return p.Given(dst)
}

// Given is dst, after a check: it panics if dst is nil or has another pattern.
func (p *Plan) Given(dst *sparsity.Matrix) *sparsity.Matrix {
	if dst == nil || !dst.Pattern().Equal(p.stored) {
		p.panicf("dst has another pattern")
	}
	return dst
}

// Coloring is the coloring that is used, nil by terms.
func (p *Plan) Coloring() *coloring.Coloring { return p.coloring }
