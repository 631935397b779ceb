package reverse

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/sparsity"
)

// Tape is a recorded function F: ℝⁿ → ℝᵐ. It is immutable: any number of
// goroutines may evaluate it at once.
//
// Every evaluation takes a point x of length n, for the parameters as recorded or
// as bound by With, or of length n plus the number of parameters for others, and
// runs a value sweep over the tape first. If a comparison comes out otherwise
// than recorded it returns a *BranchError; it returns the error of a primitive
// that fails. On an error dst is left as it was. A dst that is nil is
// allocated; else it must have the right length and may be x or another
// argument. Evaluations into a given dst do not allocate in steady state.
// Wrong lengths panic.
type Tape struct {
	handle
	workers  int
	patterns *patterns
}

type handle = inside.Handle

// patterns is what all views of a tape share.
type patterns struct {
	jacobianOnce, hessianOnce sync.Once
	jacobian, hessian         *sparsity.Pattern

	early atomic.Pointer[early] // of a Func, until it has been evaluated often
}

// newTape is the tape of a function that was recorded at x and params.
func newTape(p *sweep.Function, x, params []float64) *Tape {
	in := &inside.Tape{Function: p, Bound: params, Recorded: inside.Point{X: x, Params: params}}
	return &Tape{handle: in.Handle(), patterns: new(patterns)}
}

// engine evaluates t. It is made when it is first asked for.
func (t *Tape) engine() *sweep.Engine { return t.Inside().Engine() }

// With returns t with its parameters bound to p, which is copied: evaluations at x
// alone take these. It is a view that shares all else with t. It panics if p has
// not the length Params.
func (t *Tape) With(p []float64) *Tape {
	in := *t.Inside()
	check(p, len(in.Bound), "p")
	in.Bound = slices.Clone(p)
	s := *t
	s.handle = in.Handle()
	return &s
}

// WithWorkers returns t with n goroutines, the caller's among them, for each evaluation
// of Value, Values, Gradient, ValueGradient and VJP, where it is worth it: at least
// some 40,000 like additions or 2,500 exponentials. ValuesOfRows and GradientsOfRows
// share their rows instead. The bits are the same for any number. It is a view that
// shares all else with t. With more than one evaluations allocate a few objects.
//
// For gradients of the problems of bench with n = 10⁶ two take 0.57 to 0.8 of the time of
// one; a copy of 64 MB, 0.8 to 0.9, shows that memory is the limit (go test -bench Workers
// ./bench). Sums of alike terms gain more by hessian.Sparse, 0.51 to 0.61.
func (t *Tape) WithWorkers(n int) *Tape {
	s := *t
	s.workers = n
	return &s
}

// Inputs returns n, the number of inputs.
func (t *Tape) Inputs() int { return t.Inside().Inputs() }

// Outputs returns m, the number of outputs.
func (t *Tape) Outputs() int { return t.Inside().Outputs() }

// Params returns the number of parameters.
func (t *Tape) Params() int { return t.Inside().Params() }

// Ops returns the number of operations on the tape.
func (t *Tape) Ops() int { return t.Inside().Tape().Ops() }

// Bytes returns the memory that the tape takes.
func (t *Tape) Bytes() int { return t.engine().Bytes() }

// Point returns a copy of the point at which the tape was recorded.
func (t *Tape) Point() []float64 { return slices.Clone(t.Inside().Recorded.X) }

func init() {
	inside.Along = func(p *sweep.Engine) *sweep.Engine { return tapeOf(p).along() }
	inside.Contracted = func(p *sweep.Engine, w *sparsity.Pattern) *sweep.Engine { return tapeOf(p).contracted(w) }
	inside.Copies = copies
	inside.Branch = func(e *tape.BranchError) error { return branchError(e) }
	inside.Missed = func(m *inside.Miss) error { return (*MissedError)(m) }
	inside.ApplyVars = func(f tape.Func, x any) any { return apply(f, x.([]Var)) }
	inside.WriteGo = func(w io.Writer, settings any, write func(f *source.File, s gosource.Settings, functions []gosource.Function) error) error {
		return writeGo(w, settings.(GoSource), write)
	}
}

// values is a workspace after a value sweep, by the workers, that the caller gives back.
func (t *Tape) values(x []float64) (*sweep.Workspace, error) {
	if t.workers <= 1 {
		return t.Inside().Begin(x)
	}
	ws := t.engine().Get()
	end := ws.Team(t.workers)
	err := t.Inside().Value(ws, x)
	end()
	if err != nil {
		t.engine().Put(ws)
		return nil, err
	}
	return ws, nil
}

func buffer(dst []float64, n int) []float64 {
	if dst == nil {
		return make([]float64, n)
	}
	check(dst, n, "dst")
	return dst
}

func check(x []float64, n int, what string) {
	if len(x) != n {
		panic(fmt.Sprintf("reverse: %s has length %d, want %d", what, len(x), n))
	}
}

func (t *Tape) scalar() {
	if t.Inside().Outputs() != 1 {
		panic("reverse: a scalar function is wanted, this one has several outputs")
	}
}

var one = []float64{1}

// Value returns f(x) of a function with one output. It panics if there are more. Cost: one
// value sweep.
func (t *Tape) Value(x []float64) (float64, error) {
	t.scalar()
	ws, err := t.values(x)
	if err != nil {
		return 0, err
	}
	f := ws.Output(0)
	t.engine().Put(ws)
	return f, nil
}

// Values returns F(x), of length m. Cost: one value sweep.
func (t *Tape) Values(dst, x []float64) ([]float64, error) {
	if dst != nil {
		check(dst, t.Inside().Outputs(), "dst")
	}
	ws, err := t.values(x)
	if err != nil {
		return dst, err
	}
	dst = buffer(dst, t.Inside().Outputs())
	for j := range dst {
		dst[j] = ws.Output(j)
	}
	t.engine().Put(ws)
	return dst, nil
}

// Gradient returns ∇f(x), of length n, of a function with one output. It panics if
// there are more. Cost: one value and one adjoint sweep.
func (t *Tape) Gradient(dst, x []float64) ([]float64, error) {
	_, dst, err := t.ValueGradient(dst, x)
	return dst, err
}

// ValueGradient returns f(x) and Gradient, at the cost of the latter.
func (t *Tape) ValueGradient(dst, x []float64) (float64, []float64, error) {
	t.scalar()
	return t.pull(dst, x, one)
}

// VJP returns F′(x)ᵀw, of length n, w of length m. Cost: as Gradient.
func (t *Tape) VJP(dst, x, w []float64) ([]float64, error) {
	check(w, t.Inside().Outputs(), "w")
	_, dst, err := t.pull(dst, x, w)
	return dst, err
}

// pull is the first output, if there is one, and F′(x)ᵀw.
func (t *Tape) pull(dst, x, w []float64) (f float64, g []float64, err error) {
	n := t.Inside().Inputs()
	if dst != nil {
		check(dst, n, "dst")
	}
	ws := t.engine().Get()
	defer t.engine().Put(ws)
	if t.workers > 1 {
		defer ws.Team(t.workers)()
	}
	if err = t.Inside().Value(ws, x); err == nil {
		err = ws.Gradient(w)
	}
	if err != nil {
		return 0, dst, err
	}
	if len(w) > 0 {
		f = ws.Output(0)
	}
	dst = buffer(dst, n)
	copy(dst, ws.Adjoints())
	return f, dst, nil
}

// JVP returns F′(x)v, of length m, v of length n. Cost: one value and one tangent
// sweep.
func (t *Tape) JVP(dst, x, v []float64) ([]float64, error) {
	p := t.engine()
	check(v, p.Inputs(), "v")
	if dst != nil {
		check(dst, p.Outputs(), "dst")
	}
	ws, err := t.Inside().Begin(x)
	if err != nil {
		return dst, err
	}
	defer p.Put(ws)
	if err := ws.JVP(1, func(x []float64, _ int) { copy(x, v) }); err != nil {
		return dst, err
	}
	dst = buffer(dst, p.Outputs())
	for j := range dst {
		dst[j] = ws.OutputTangent(0, j)
	}
	return dst, nil
}

// HVP returns (Σ wⱼ∇²Fⱼ(x))v, of length n: the Hessian of a Lagrangian times v; a
// function with one output needs no weights. Cost: value and adjoint sweep and their
// tangents, forward over reverse. Source: Pearlmutter, Fast exact multiplication by
// the Hessian, 1994.
func (t *Tape) HVP(dst, x, v []float64, w ...float64) ([]float64, error) {
	p := t.engine()
	n := p.Inputs()
	w = t.Inside().Weights("reverse", w)
	check(v, n, "v")
	if dst != nil {
		check(dst, n, "dst")
	}
	ws, err := t.Inside().Begin(x)
	if err != nil {
		return dst, err
	}
	defer p.Put(ws)
	if err := ws.Linearize(w); err != nil {
		return dst, err
	}
	if err := ws.HVP(1, func(x []float64, _ int) { copy(x, v) }); err != nil {
		return dst, err
	}
	dst = buffer(dst, n)
	copy(dst, ws.Product(0))
	return dst, nil
}

// HVPs returns (Σ wⱼ∇²Fⱼ(x))V, n×k, for the k columns of the n×k matrix V; a function
// with one output needs no weights. dst may be nil, empty or n×k, and may be V. Cost:
// value and adjoint sweep once and their tangents k times.
func (t *Tape) HVPs(dst *mat.Dense, x []float64, v *mat.Dense, w ...float64) (*mat.Dense, error) {
	w = t.Inside().Weights("reverse", w)
	p := t.engine()
	if v == nil {
		panic("reverse: nil V")
	}
	n, k := v.Dims()
	if n != p.Inputs() {
		panic(fmt.Sprintf("reverse: V has %d rows, want %d", n, p.Inputs()))
	}
	checkDense(dst, n, k)
	ws, err := t.Inside().Begin(x)
	if err != nil {
		return dst, err
	}
	defer p.Put(ws)
	if err := ws.Linearize(w); err != nil {
		return dst, err
	}
	from := v.RawMatrix()
	return t.complete(dst, n, k, func(to []float64, stride int) error {
		for lo := 0; lo < k; lo += sweep.MaxDirections {
			m := min(sweep.MaxDirections, k-lo)
			err := ws.HVP(m, func(x []float64, s int) {
				for i := range x {
					x[i] = from.Data[i*from.Stride+lo+s]
				}
			})
			if err != nil {
				return err
			}
			for s := range m {
				for i, h := range ws.Product(s) {
					to[i*stride+lo+s] = h
				}
			}
		}
		return nil
	})
}

// complete returns the r×c matrix that compute stores row by row. dst is as it was until
// all is computed.
func (t *Tape) complete(dst *mat.Dense, r, c int, compute func(to []float64, stride int) error) (*mat.Dense, error) {
	if !t.Inside().Engine().MayFail() {
		dst = dense(dst, r, c)
		to := dst.RawMatrix()
		return dst, compute(to.Data, to.Stride)
	}
	room := sweep.Room(r * c)
	defer sweep.Leave(room)
	if err := compute(*room, c); err != nil {
		return dst, err
	}
	dst = dense(dst, r, c)
	to := dst.RawMatrix()
	for i := range r {
		copy(to.Data[i*to.Stride:][:c], (*room)[i*c:])
	}
	return dst, nil
}

func checkDense(dst *mat.Dense, r, c int) {
	if dst == nil || dst.IsEmpty() {
		return
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(fmt.Sprintf("reverse: dst is %d×%d, want %d×%d", dr, dc, r, c))
	}
}

// dense is dst with the size r×c.
func dense(dst *mat.Dense, r, c int) *mat.Dense {
	if dst == nil {
		dst = new(mat.Dense)
	}
	if dst.IsEmpty() && r > 0 && c > 0 {
		dst.ReuseAs(r, c)
	}
	return dst
}
