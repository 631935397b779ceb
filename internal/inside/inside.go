// Package inside lets the packages of this module reach the program of a *reverse.Tape,
// which is no part of what users see: t.Inside() is its Tape. The methods of Tape panic in
// the name of package reverse.
package inside

import (
	"fmt"
	"io"

	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/sparsity"
)

// Tape is a recorded function. It is immutable.
type Tape struct {
	*sweep.Function
	Bound    []float64 // the parameters of evaluations at x alone
	Recorded Point
}

// Point is where a tape was recorded.
type Point struct{ X, Params []float64 }

// Handle is what a reverse.Tape embeds, under a name that its documentation does not show.
type Handle struct{ tape *Tape }

// Handle is a handle of t.
func (t *Tape) Handle() Handle { return Handle{t} }

// Inside is the tape of h.
func (h Handle) Inside() *Tape { return h.tape }

// Split is the inputs and the parameters of a point, which may have the bound ones or its
// own. It panics if x has a wrong length.
func (t *Tape) Split(x []float64) (in, params []float64) { return t.split("reverse", x) }

// Weighted is Split of x, and Weights; it panics in the name of a package.
func (t *Tape) Weighted(pkg string, x, w []float64) (in, params, weights []float64) {
	in, params = t.split(pkg, x)
	return in, params, t.Weights(pkg, w)
}

func (t *Tape) split(pkg string, x []float64) (in, params []float64) {
	n := t.Inputs()
	switch len(x) {
	case n:
		return x, t.Bound
	case n + len(t.Bound):
		return x[:n], x[n:]
	}
	panic(fmt.Sprintf("%s: x has length %d, want %d inputs (and %d parameters)", pkg, len(x), n, len(t.Bound)))
}

// Weights is w, without weights 1 for a function with one output. It panics in the name of
// a package if the number of weights is wrong.
func (t *Tape) Weights(pkg string, w []float64) []float64 {
	switch m := t.Outputs(); {
	case len(w) == m:
		return w
	case len(w) == 0 && m == 1:
		return one
	default:
		panic(fmt.Sprintf("%s: %d weights for %d outputs", pkg, len(w), m))
	}
}

var one = []float64{1}

// Value runs a value sweep at x.
func (t *Tape) Value(ws *sweep.Workspace, x []float64) error {
	in, params := t.Split(x)
	g, err := ws.Value(in, params)
	return Error(ws, g, err)
}

// Begin runs a value sweep at x: a workspace with the values, which the caller gives back to
// the engine.
func (t *Tape) Begin(x []float64) (*sweep.Workspace, error) {
	e := t.Engine()
	ws := e.Get()
	if err := t.Value(ws, x); err != nil {
		e.Put(ws)
		return nil, err
	}
	return ws, nil
}

// Sweep runs a value sweep at x and hands f a workspace with the values.
func (t *Tape) Sweep(x []float64, f func(e *sweep.Engine, ws *sweep.Workspace) error) error {
	ws, err := t.Begin(x)
	if err != nil {
		return err
	}
	e := t.Engine()
	err = f(e, ws)
	e.Put(ws)
	return err
}

// Error is the error of a sweep that ended at a guard, or with err.
func Error(ws *sweep.Workspace, g *tape.Guard, err error) error {
	if g != nil {
		err = g.Error(ws.Values())
	}
	if e, ok := err.(*tape.BranchError); ok {
		return Branch(e)
	}
	return err
}

// Miss is a row in which a recovered matrix differs, see reverse.MissedError.
type Miss struct {
	Row              int
	Got, Want, Bound float64
}

// Package reverse, which imports this package, sets these when it is initialized.
var (
	// Along is the program of x ↦ F′(x)v of a program F, v behind the parameters.
	Along func(p *sweep.Engine) *sweep.Engine
	// Contracted is the program of [x; W] ↦ Σ Wᵢⱼ ∂²F/∂xᵢ∂xⱼ of a program F, W being symmetric and
	// given by its lower triangle. It is nil where inputs of W reach more than sums and the
	// operands of functions that have it.
	Contracted func(p *sweep.Engine, w *sparsity.Pattern) *sweep.Engine
	// Copies is the program of n copies of a program side by side: the inputs of the first, of
	// the second and so on, and likewise parameters and outputs.
	Copies func(p *sweep.Engine, n int) *sweep.Engine
	// Branch is the *reverse.BranchError of e.
	Branch func(e *tape.BranchError) error
	// Missed is the *reverse.MissedError of m.
	Missed func(m *Miss) error
	// ApplyVars is Apply for []reverse.Var.
	ApplyVars func(f tape.Func, x any) any
	// WriteGo writes what write prints, as settings say, a reverse.GoSource.
	WriteGo func(w io.Writer, settings any, write func(f *source.File, s gosource.Settings, functions []gosource.Function) error) error
)

// Apply is reverse.Apply, V a reverse.Var, of a primitive whose patterns are right: they are
// not asked for.
func Apply[V any](f tape.Func, x []V) []V { return ApplyVars(f, x).([]V) }
