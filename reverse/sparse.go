package reverse

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/verify"
	"github.com/hesse-ad/hesse/internal/workers"
	"github.com/hesse-ad/hesse/sparsity"
)

// Method is how a SparseJacobian computes the nonzeros.
type Method uint8

// The methods.
const (
	// Auto takes the method that is estimated to be the fastest. Explain shows
	// the estimates.
	Auto Method = iota
	// ByTerms derives each shape of term once, symbolically, and runs it over
	// all its terms; what is no sum of alike terms goes by a coloring.
	ByTerms
	// ByColumns makes a JVP a color of a column coloring. Where Auto finds that
	// no coloring can save much, every column has a color of its own.
	ByColumns
	// ByRows makes a VJP a color of a row coloring, likewise.
	ByRows
	// ByBoth makes JVPs and VJPs, by a star bicoloring: for a few dense rows
	// and columns.
	ByBoth
)

func (m Method) String() string {
	return [...]string{"auto", "terms", "columns", "rows", "both"}[m]
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
type SparseJacobian struct {
	settings SparseSettings
	t        *Tape
	pattern  *sparsity.Pattern
	cost     cost.Counts   // of an evaluation
	options  []cost.Option // that were considered

	// By terms: the plan and, of what is left over, the rest, whose values are
	// added at places.
	terms  *terms.Jacobian
	rest   *SparseJacobian
	places []int32
	pool   sync.Pool // of *sum

	// By coloring.
	coloring *coloring.Coloring
	recovery *coloring.Recovery
	tried    []*coloring.Coloring
}

// NewSparseJacobian prepares the sparse Jacobian of a tape by the method that is
// estimated to be the fastest. Cost: below 1 µs a variable by terms, else detection of the pattern
// and coloring, some milliseconds for 10⁴ variables.
func NewSparseJacobian(t *Tape) (*SparseJacobian, error) { return SparseSettings{}.New(t) }

// ErrNoTerms says that ByTerms was asked for and the outputs are no sums of alike
// terms.
var ErrNoTerms = errors.New("reverse: no sums of alike terms")

// New is NewSparseJacobian with settings. It panics if the pattern is not m×n,
// if a coloring is none for Jacobians, and if ByTerms comes with what excludes
// it; a coloring that does not fit gives a
// *coloring.ConflictError, ByTerms possibly ErrNoTerms.
func (o SparseSettings) New(t *Tape) (*SparseJacobian, error) {
	j := &SparseJacobian{settings: o, t: t}
	switch {
	case o.Method == ByTerms:
		if o.Pattern != nil || o.Coloring != nil {
			panic("reverse: ByTerms with a Pattern or a Coloring, which are of colorings")
		}
		if plan := terms.Detect(t.p, false); plan != nil {
			return j, j.byTerms(plan)
		}
		return nil, ErrNoTerms
	case o.Method == Auto && o.Pattern == nil && o.Coloring == nil:
		return j.choose()
	}
	return j, j.byColoring()
}

func (j *SparseJacobian) byTerms(plan *terms.Plan) error {
	j.pattern = plan.JacobianPattern()
	q := plan.Rest()
	if q != nil {
		j.rest = &SparseJacobian{settings: j.settings, t: j.t.part(q)}
		j.rest.settings.Method = Auto
		if err := j.rest.byColoring(); err != nil {
			return err
		}
		j.pattern = j.pattern.Union(j.rest.pattern)
		j.cost = j.rest.cost
		j.places = make([]int32, 0, j.rest.pattern.NNZ())
		for i := range j.t.Outputs() {
			for _, k := range j.rest.pattern.Row(i) {
				j.places = append(j.places, int32(j.pattern.Position(i, int(k))))
			}
		}
	}
	j.terms = plan.Jacobian(j.pattern)
	j.cost = j.cost.Plus(j.terms.Cost())
	m := j.t.Outputs()
	j.pool.New = func() any {
		s := new(sum)
		if j.rest != nil {
			s.rest, s.restY = j.rest.Matrix(), make([]float64, m)
		}
		return s
	}
	return nil
}

// sum is the memory to add up an evaluation by terms.
type sum struct {
	restY []float64
	rest  *sparsity.Matrix
}

func (j *SparseJacobian) byColoring() error {
	o, t := j.settings, j.t
	switch {
	case o.Pattern != nil:
		j.pattern = o.Pattern
	case j.pattern == nil:
		j.pattern = t.JacobianPattern()
	}
	m, n := t.Outputs(), t.Inputs()
	if r, c := j.pattern.Dims(); r != m || c != n {
		panic(fmt.Sprintf("reverse: pattern is %d×%d, want %d×%d", r, c, m, n))
	}
	switch {
	case o.Coloring != nil:
		c := o.Coloring
		switch c.Kind() {
		case coloring.Column, coloring.Row, coloring.StarBicoloring, coloring.AcyclicBicoloring:
		default:
			panic("reverse: a coloring of kind " + c.Kind().String())
		}
		if err := c.Verify(j.pattern); err != nil {
			return err
		}
		if !c.Pattern().Equal(j.pattern) { // recover from the pattern that is evaluated
			var columns, rows []int
			if c.Kind() != coloring.Row {
				columns = c.Columns().Colors()
			}
			if c.Kind() != coloring.Column {
				rows = c.Rows().Colors()
			}
			var err error
			if c, err = coloring.FromColors(c.Kind(), j.pattern, columns, rows); err != nil {
				return err
			}
		}
		j.coloring = c
	case o.Method == ByColumns:
		j.coloring = coloring.New(coloring.Column, j.pattern, o.Orders...)
	case o.Method == ByRows:
		j.coloring = coloring.New(coloring.Row, j.pattern, o.Orders...)
	case o.Method == ByBoth:
		j.coloring = coloring.New(coloring.StarBicoloring, j.pattern, o.Orders...)
	default:
		j.color()
	}
	j.recovery = j.coloring.Recovery(nil, 1)
	return nil
}

// Pattern is the pattern that is evaluated.
func (j *SparseJacobian) Pattern() *sparsity.Pattern { return j.pattern }

// Coloring is the coloring that is used, nil for ByTerms.
func (j *SparseJacobian) Coloring() *coloring.Coloring { return j.coloring }

// Method is the method that is used.
func (j *SparseJacobian) Method() Method {
	if j.terms != nil {
		return ByTerms
	}
	switch j.coloring.Kind() {
	case coloring.Column:
		return ByColumns
	case coloring.Row:
		return ByRows
	default:
		return ByBoth
	}
}

// Matrix is a new matrix for Eval.
func (j *SparseJacobian) Matrix() *sparsity.Matrix { return sparsity.NewMatrix(j.pattern) }

// Eval stores F′(x) in dst, made by Matrix. Points and errors are as for Tape.
// It panics if dst has another pattern. It does not allocate if Workers ≤ 1.
// Cost: by terms about that of a gradient of Σ Fⱼ; else a value sweep, and a
// tangent sweep a column color, an adjoint sweep a row color.
func (j *SparseJacobian) Eval(dst *sparsity.Matrix, x []float64) error {
	return j.EvalAll(dst, nil, x)
}

// EvalAll is Eval that also stores F(x) in y, of length m, unless y is nil.
func (j *SparseJacobian) EvalAll(dst *sparsity.Matrix, y, x []float64) error {
	if dst == nil || dst.Pattern() != j.pattern && !dst.Pattern().Equal(j.pattern) {
		panic("reverse: dst has another pattern")
	}
	if y != nil {
		check(y, j.t.Outputs(), "y")
	}
	if j.terms != nil {
		return j.evalTerms(dst.Values(), y, x)
	}
	ws, err := j.t.begin(x)
	if err != nil {
		return err
	}
	defer j.t.p.Put(ws)
	vals := dst.Values()
	if j.settings.Workers > 1 {
		err = j.parallel(ws, vals)
	} else {
		err = j.sweeps(ws, vals, 0, 1)
	}
	if err != nil {
		return err
	}
	j.recovery.Finish(vals)
	for k := range y {
		y[k] = ws.V[j.t.p.Output(k)]
	}
	return nil
}

func (j *SparseJacobian) evalTerms(vals, y, x []float64) error {
	in, params := j.t.split(x)
	s := j.pool.Get().(*sum)
	defer j.pool.Put(s)
	if j.rest != nil { // first, since it may fail
		if err := j.rest.EvalAll(s.rest, s.restY, x); err != nil {
			return err
		}
	}
	j.terms.EvalParallel(j.settings.Workers, vals, y, in, params)
	if j.rest == nil {
		return nil
	}
	for i := range y {
		y[i] += s.restY[i]
	}
	for k, v := range s.rest.Values() {
		vals[j.places[k]] += v
	}
	return nil
}

// sweeps makes every stride-th sweep from the first on: JVPs, then VJPs, each of
// up to MaxDirections colors.
func (j *SparseJacobian) sweeps(ws *program.Workspace, vals []float64, first, stride int) error {
	const lanes = program.MaxDirections
	p := j.t.p
	columns, rows := j.coloring.Columns(), j.coloring.Rows()
	jvps := (columns.Num() + lanes - 1) / lanes
	vjps := (rows.Num() + lanes - 1) / lanes
	m := p.Outputs()
	for s := first; s < jvps+vjps; s += stride {
		if s < jvps {
			lo := s * lanes
			k := min(lanes, columns.Num()-lo)
			err := p.JVP(ws, k, func(v []float64, s int) {
				for _, c := range columns.Class(lo + s) {
					v[c] = 1
				}
			})
			if err != nil {
				return err
			}
			for s, t := range ws.T[:k] {
				y := ws.Outputs(m)
				for i := range y {
					y[i] = t[p.Output(i)]
				}
				j.recovery.GatherColumns(vals, lo+s, y)
			}
			continue
		}
		lo := (s - jvps) * lanes
		k := min(lanes, rows.Num()-lo)
		err := p.VJP(ws, k, func(w []float64, s int) {
			for _, r := range rows.Class(lo + s) {
				w[r] = 1
			}
		})
		if err != nil {
			return err
		}
		for s, u := range ws.U[:k] {
			j.recovery.GatherRows(vals, lo+s, u[:p.Inputs()])
		}
	}
	return nil
}

func (j *SparseJacobian) parallel(ws *program.Workspace, vals []float64) error {
	errs := make([]error, j.settings.Workers)
	workers.Do(len(errs), func(i int) {
		own := j.t.p.Get()
		defer j.t.p.Put(own)
		defer own.Share(ws)()
		errs[i] = j.sweeps(own, vals, i, len(errs))
	})
	return errors.Join(errs...)
}

// MissedError says that the recovered Jacobian is not the Jacobian: its pattern
// misses a nonzero, or an element that is not finite has spoiled what was
// recovered from it.
type MissedError struct {
	// Row is the row with the largest difference: Got of the recovered matrix
	// times a random vector, Want of a JVP.
	Row       int
	Got, Want float64
}

func (e *MissedError) Error() string {
	m := verify.Miss(*e)
	return "reverse: " + m.Describe("Jacobian", "JVP")
}

// Verify compares the sparse Jacobian at x times three random vectors with JVPs.
// If a row differs by more than rounding may the error is a *MissedError: a
// pattern that misses a nonzero does not pass, unless that element is 0 at x,
// below the rounding errors of what is added up in its row, or in a row that is
// not finite in either product. Cost: Eval, three JVPs, and a bound of the
// rounding errors of each, half a microsecond an operation.
func (j *SparseJacobian) Verify(x []float64) error {
	a := j.Matrix()
	if err := j.Eval(a, x); err != nil {
		return err
	}
	return inside.Sweep(j.t, x, func(p *program.Program, ws *program.Workspace) error {
		miss, err := verify.Compare(p, ws, nil, verify.Matrix{Matrix: a, Depth: j.depth()})
		if miss != nil {
			return (*MissedError)(miss)
		}
		return err
	})
}

// depth is the longest chain of substitutions.
func (j *SparseJacobian) depth() int {
	switch {
	case j.rest != nil:
		return j.rest.depth()
	case j.recovery != nil:
		return j.recovery.Depth()
	default:
		return 0
	}
}

// Explain says in words what was prepared and why: the pattern, the colors by
// each order tried, what kept the rows from being alike terms, the methods that
// were considered with estimates of an evaluation, what was chosen and what an
// evaluation does. Cost: as detection.
func (j *SparseJacobian) Explain() string {
	var b strings.Builder
	m, n := j.pattern.Dims()
	p := j.t.p
	fmt.Fprintf(&b, "Jacobian %d×%d of %d operations in %d batches, %d nonzeros", m, n, p.Ops(), p.Batches(), j.pattern.NNZ())
	longest := func(counts []int) int { return slices.Max(append(counts, 0)) }
	fmt.Fprintf(&b, ", longest row %d, longest column %d\n", longest(j.pattern.RowCounts()), longest(j.pattern.ColumnCounts()))
	for _, c := range j.tried {
		fmt.Fprintf(&b, "%v\n", c)
	}
	if o := j.settings; j.terms == nil && o.Method == Auto && o.Pattern == nil && o.Coloring == nil {
		b.WriteString(terms.Obstacles(p, false))
	}
	for _, o := range j.options {
		fmt.Fprintf(&b, "considered %v\n", o)
	}
	why := "estimated to be the fastest"
	switch {
	case j.settings.Coloring != nil:
		why = "given"
	case j.settings.Method != Auto:
		why = "forced"
	}
	fmt.Fprintf(&b, "%v, %s\n", j.Method(), why)
	if j.terms != nil {
		b.WriteString(j.terms.Explain())
		if j.rest != nil {
			fmt.Fprintf(&b, "what is left over: %s", j.rest.Explain())
		}
		return b.String()
	}
	fmt.Fprintf(&b, "an evaluation: %d JVPs, %d VJPs, up to %d in one sweep\n",
		j.coloring.Columns().Num(), j.coloring.Rows().Num(), program.MaxDirections)
	return b.String()
}
