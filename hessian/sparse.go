package hessian

import (
	"fmt"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/plan"
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
	// ByTerms takes the function as a sum of alike terms: the derivative of each kind of
	// term is found once, symbolically, and run over all its terms. What is no such sum goes
	// by a coloring.
	ByTerms
	// ByStar takes one product for each color of a star coloring and reads each element
	// off directly. Where Auto finds that no coloring can save much, it gives
	// every variable a color of its own.
	ByStar
	// ByAcyclic takes one product for each color of an acyclic coloring: fewer products, but
	// elements are found from each other by substitution, which adds up their rounding
	// errors.
	ByAcyclic
)

var methodNames = [...]string{"auto", "terms", "star", "acyclic"}

func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

var methods = [...]plan.Method{
	Auto:      plan.Auto,
	ByTerms:   plan.ByTerms,
	ByStar:    plan.ByColoring(coloring.Star),
	ByAcyclic: plan.ByColoring(coloring.Acyclic),
}

// SparseSettings says how a Sparse is prepared. The zero value is what
// NewSparse uses.
type SparseSettings struct {
	Method Method
	// Orders are those that the colorings try; nil means those of coloring.New.
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
type Sparse struct{ p *plan.Plan }

// NewSparse prepares the sparse Hessian of a tape: the whole symmetric matrix,
// by the method that is estimated to be the fastest. Cost: below 1 µs a variable
// by terms, else detection of the pattern and coloring, some milliseconds for
// 10⁴ variables.
func NewSparse(t *reverse.Tape) (*Sparse, error) { return SparseSettings{}.New(t) }

// New is NewSparse with settings. It panics if t is nil, if a pattern is not n×n and
// symmetric, if a coloring is none for symmetric matrices, and if ByTerms comes with
// what excludes it; a coloring that does not fit gives a *coloring.ConflictError,
// ByTerms possibly reverse.ErrNoTerms.
func (o SparseSettings) New(t *reverse.Tape) (*Sparse, error) {
	if t == nil {
		panic("hessian: nil tape")
	}
	if int(o.Method) >= len(methods) {
		panic(fmt.Sprintf("hessian: no method %d", o.Method))
	}
	p, err := plan.New(t.Inside(), plan.Settings{
		Hessian:  true,
		Detected: t.HessianPattern,
		Method:   methods[o.Method],
		Orders:   o.Orders,
		Pattern:  o.Pattern,
		Coloring: o.Coloring,
		Lower:    o.Lower,
		Workers:  o.Workers,
	})
	if err != nil {
		return nil, err
	}
	return &Sparse{p}, nil
}

// Pattern returns the pattern that is stored: both triangles or the lower one.
func (s *Sparse) Pattern() *sparsity.Pattern { return s.p.Pattern() }

// Coloring returns the coloring that is used, nil for ByTerms.
func (s *Sparse) Coloring() *coloring.Coloring { return s.p.Coloring() }

// Method returns the method that is used.
func (s *Sparse) Method() Method {
	switch c := s.p.Coloring(); {
	case c == nil:
		return ByTerms
	case c.Kind() == coloring.Acyclic:
		return ByAcyclic
	default:
		return ByStar
	}
}

// Matrix returns a new matrix for Eval. With Lower it holds the lower triangle:
// sparsity.NewSymMatrix makes a symmetric one of it.
func (s *Sparse) Matrix() *sparsity.Matrix { return s.p.Matrix(nil) }

// Eval returns ∇²(Σ wⱼFⱼ)(x); a function with one output needs no weights. dst may be
// nil or of the Pattern. Points and errors are as for reverse.Tape. It panics if dst
// has another pattern. It does not allocate into a given dst if Workers ≤ 1. Cost: by
// terms about twice that of a gradient; else a value and an adjoint sweep and a product
// a color.
func (s *Sparse) Eval(dst *sparsity.Matrix, x []float64, w ...float64) (*sparsity.Matrix, error) {
	return s.p.Eval(dst, x, w)
}

// EvalAll returns f = Σ wⱼFⱼ(x) and stores its Hessian in dst, made by Matrix, and its
// gradient in g, of length n, which may be x or w, at the cost of Eval. Otherwise as
// Eval.
func (s *Sparse) EvalAll(dst *sparsity.Matrix, g, x []float64, w ...float64) (f float64, err error) {
	return s.p.EvalAll(dst, g, "g", x, w)
}

// ValueGradient returns f = Σ wⱼFⱼ(x) and its gradient, of length n: by terms, also where only
// the Hessian is too large for these, at half to an eighth of the cost of
// reverse.Tape.ValueGradient, else as that. It does not allocate into
// a given dst if Workers ≤ 1. The tape itself does not look for terms: that takes the
// time of ten gradients or more, which its first evaluation would have to take, and
// its values have the bits of the plain function.
func (s *Sparse) ValueGradient(dst, x []float64, w ...float64) (f float64, g []float64, err error) {
	return s.p.ValueGradient(dst, x, w)
}

// Verify compares the sparse Hessian at x times three random vectors with products by HVP,
// as reverse.SparseJacobian.Verify does with JVPs, and says the same: the error is a
// *reverse.MissedError, and what does not show is listed there. With ByAcyclic, rounding
// errors are those of any row that nonzeros connect with that of the missed element.
// Other errors are those of Eval. Cost: Eval, three products, and bounds of their rounding
// errors, half a microsecond an operation each.
func (s *Sparse) Verify(x []float64, w ...float64) error { return s.p.Verify(x, w) }

// Explain says in words what was prepared and why: the pattern with its densest
// rows and the operations that made them dense, the colors by each order tried,
// what kept the function from being a sum of alike terms, the methods that were
// considered with estimates of an evaluation, what was chosen and what an
// evaluation does. Cost: as detection.
func (s *Sparse) Explain() string { return s.p.Explain() }
