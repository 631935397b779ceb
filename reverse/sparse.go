package reverse

import (
	"fmt"
	"io"
	"math"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/plan"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/sparsity"
)

// Method is how a SparseJacobian computes the nonzeros.
type Method uint8

// The methods.
const (
	// Auto takes the method that is estimated to be the fastest. Explain shows
	// the estimates.
	Auto Method = iota
	// ByTerms takes the outputs as sums of alike terms: the derivative of each kind of term
	// is found once, symbolically, and run over all its terms. What is no such sum goes by a
	// coloring.
	ByTerms
	// ByColumns takes one JVP for each color of a column coloring. Where Auto finds that
	// no coloring can save much, every column has a color of its own.
	ByColumns
	// ByRows takes one VJP for each color of a row coloring, likewise.
	ByRows
	// ByBoth takes JVPs and VJPs, by a star bicoloring. It pays if a few rows and a few
	// columns are dense.
	ByBoth
)

var methodNames = [...]string{"auto", "terms", "columns", "rows", "both"}

func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

var methods = [...]plan.Method{
	Auto:      plan.Auto,
	ByTerms:   plan.ByTerms,
	ByColumns: plan.ByColoring(coloring.Column),
	ByRows:    plan.ByColoring(coloring.Row),
	ByBoth:    plan.ByColoring(coloring.StarBicoloring),
}

// SparseSettings says how a SparseJacobian is prepared. The zero value is what
// NewSparseJacobian uses.
type SparseSettings struct {
	Method Method
	// Orders are those that the colorings try; nil means those of coloring.New.
	Orders []coloring.Order
	// Pattern replaces the detected pattern, m×n, and excludes ByTerms. It must
	// have every nonzero: what it misses is added to other elements without a
	// sign; see Verify.
	Pattern *sparsity.Pattern
	// Coloring replaces the coloring, and with it Method and Orders, and excludes
	// ByTerms. It is checked.
	Coloring *coloring.Coloring
	// Workers is how many goroutines share one evaluation, if it is worth it; 0
	// and 1 mean none beside the caller's. More than one allocate a few objects
	// each. The bits are the same for any number. A panic in one, of a primitive,
	// is raised in the caller.
	Workers int
}

// SparseJacobian evaluates the sparse Jacobian of a tape. Its pattern and how to
// compute its elements are found once. It is immutable and safe for concurrent
// use.
type SparseJacobian struct{ p *plan.Plan }

// NewSparseJacobian prepares the sparse Jacobian of a tape by the method that is
// estimated to be the fastest. Cost: below 1 µs a variable by terms, else detection of the pattern
// and coloring, some milliseconds for 10⁴ variables.
func NewSparseJacobian(t *Tape) (*SparseJacobian, error) { return SparseSettings{}.New(t) }

// ErrNoTerms says that ByTerms, of a Jacobian or a Hessian, was asked for and the outputs
// are no sums of alike terms.
var ErrNoTerms = plan.ErrNoTerms

// New is NewSparseJacobian with settings. It panics if t is nil, if the pattern is not
// m×n, if a coloring is none for Jacobians, and if ByTerms comes with what excludes it;
// a coloring that does not fit gives a *coloring.ConflictError, ByTerms possibly
// ErrNoTerms.
func (o SparseSettings) New(t *Tape) (*SparseJacobian, error) {
	if t == nil {
		panic("reverse: nil tape")
	}
	if int(o.Method) >= len(methods) {
		panic(fmt.Sprintf("reverse: no method %d", o.Method))
	}
	p, err := plan.New(t.Inside(), plan.Settings{
		Detected: t.JacobianPattern,
		Method:   methods[o.Method],
		Orders:   o.Orders,
		Pattern:  o.Pattern,
		Coloring: o.Coloring,
		Workers:  o.Workers,
	})
	if err != nil {
		return nil, err
	}
	return &SparseJacobian{p}, nil
}

// Pattern returns the pattern that is evaluated.
func (j *SparseJacobian) Pattern() *sparsity.Pattern { return j.p.Pattern() }

// Coloring returns the coloring that is used, nil for ByTerms.
func (j *SparseJacobian) Coloring() *coloring.Coloring { return j.p.Coloring() }

// Method returns the method that is used.
func (j *SparseJacobian) Method() Method {
	c := j.p.Coloring()
	if c == nil {
		return ByTerms
	}
	switch c.Kind() {
	case coloring.Column:
		return ByColumns
	case coloring.Row:
		return ByRows
	default:
		return ByBoth
	}
}

// Matrix returns a new matrix for Eval.
func (j *SparseJacobian) Matrix() *sparsity.Matrix { return j.p.Matrix(nil) }

// Eval returns F′(x). dst may be nil or of the Pattern. Points and errors are as for
// Tape. It panics if dst has another pattern. It does not allocate into a given dst if
// Workers ≤ 1. Cost: by terms about that of a gradient of Σ Fⱼ; else a value sweep,
// and a tangent sweep a column color, an adjoint sweep a row color.
func (j *SparseJacobian) Eval(dst *sparsity.Matrix, x []float64) (*sparsity.Matrix, error) {
	return j.p.Eval(dst, x, nil)
}

// EvalAll stores F′(x) in dst, made by Matrix, and F(x) in y, of length m, which may
// be x. Otherwise as Eval.
func (j *SparseJacobian) EvalAll(dst *sparsity.Matrix, y, x []float64) error {
	_, err := j.p.EvalAll(dst, y, "y", x, nil)
	return err
}

// MissedError says that a recovered Jacobian or Hessian is not that of the function: its
// pattern misses a nonzero, or an element that is not finite has spoiled what was recovered
// from it.
type MissedError struct {
	// Row is the row with the largest difference: Got of the recovered matrix
	// times a random vector, Want of a JVP or an HVP.
	Row       int
	Got, Want float64
	// Bound is how much rounding errors may make them differ. It is +Inf if that is not known,
	// so that the difference may be no fault: then no other row is wrong.
	Bound float64
}

func (e *MissedError) Error() string {
	why := "the pattern misses a nonzero"
	switch {
	case math.IsInf(e.Bound, 1):
		why = "whether the pattern misses a nonzero is not known, since the rounding errors have no bound"
	case e.Got-e.Got != 0 && e.Want-e.Want == 0:
		why = "some element there is not finite, or one that others are recovered from"
	case math.IsNaN(e.Want) && e.Got-e.Got == 0:
		why = "the pattern misses a nonzero that is not finite, or the product adds infinities that cancel"
	}
	return fmt.Sprintf("reverse: row %d of the sparse matrix times a random vector is %v, by a product %v: %s", e.Row, e.Got, e.Want, why)
}

// Verify compares the sparse Jacobian at x times three random vectors with JVPs. If a row
// differs by more than rounding errors may, the error is a *MissedError. So a pattern that
// misses a nonzero does not pass, unless the element that it misses
//
//   - is 0 at x: try several points at random;
//   - is smaller than the rounding errors of its row;
//   - is in a row that is not finite in either product;
//   - is in a row that depends on a kink at x, such as the maximum of two numbers that are
//     equal but for rounding errors.
//
// Other errors are those of Eval. Cost: Eval, three JVPs, and bounds of their rounding errors,
// half a microsecond an operation each.
func (j *SparseJacobian) Verify(x []float64) error { return j.p.Verify(x, nil) }

// Explain says in words what was prepared and why: the pattern with its densest rows
// and columns, the colors by each order tried, what kept the rows from being alike terms,
// the methods that were considered with estimates of an evaluation, what was chosen and
// what an evaluation does. Cost: as detection.
func (j *SparseJacobian) Explain() string { return j.p.Explain() }

// WriteGo writes the plan as a file of Go that imports only package math. GoSource.Functions
// may be these, nil being both:
//
//	GoJacobian  NameJacobian(dst, x, p)  sets dst to the values of F′(x)
//	GoAll       NameAll(dst, y, x, p)    does so and sets y = F(x)
//
// The pattern is written, too. All else is as for hessian.Sparse.WriteGo.
func (j *SparseJacobian) WriteGo(w io.Writer, s GoSource) error {
	return writeGo(w, s, func(f *source.File, settings gosource.Settings, functions []gosource.Function) error {
		return j.p.Write(f, settings, functions)
	})
}
