package reverse

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// maxTapes is how many branches of a function are kept.
const maxTapes = 16

// early is what evaluates a large tape of a Func at first: it goes over the operations as they
// were recorded, one by one.
type early struct {
	*sweep.Function
	left atomic.Int32 // how many more times
}

// mostEarly is how often: measured (go test -bench Once), an arranged tape has made up for the
// time of arranging after 3 to 5 gradients.
const mostEarly = 4

// now is t, or a view of it that takes less time to evaluate this once.
func (t *Tape) now() *Tape {
	e := t.patterns.early.Load()
	switch {
	case e == nil:
		return t
	case e.left.Add(-1) < 0 || t.Inside().Arranged():
		t.patterns.early.Store(nil)
		return t
	}
	in, z := *t.Inside(), *t
	in.Function = e.Function
	z.handle = in.Handle()
	return &z
}

// Func is a function f: ℝⁿ → ℝ, or F: ℝⁿ → ℝᵐ, with the tapes of the branches that
// were met. It records again by itself where no tape fits, so that its evaluations
// return no *BranchError; where f calls [Must] with an error, that is theirs. At most 16 tapes are kept, the last used ones. Any
// number of goroutines may use it at once, if the function itself allows it.
//
// Value, Gradient, ValueGradient and HVP are for one output, and panic if there
// are more.
type Func struct {
	*branches
	params []float64
	views  atomic.Pointer[views]
}

// branches is what a function and its views have in common.
type branches struct {
	f     func(x, p []Var) []Var  // nil of FuncOf: it cannot be recorded
	mu    sync.Mutex              // held while tapes are exchanged
	tapes atomic.Pointer[[]*Tape] // last used first; never changed in place
}

// views is the tapes of a list with their parameters bound.
type views struct {
	of    *[]*Tape
	tapes []*Tape
}

// FuncOf is the function of a tape. It cannot be recorded again: where the tape
// does not hold, evaluations return its *BranchError. It panics if t is nil.
func FuncOf(t *Tape) *Func {
	if t == nil {
		panic("reverse: nil tape")
	}
	b := &branches{}
	b.tapes.Store(&[]*Tape{t})
	return &Func{branches: b}
}

// NewFunc returns f, not recorded yet. It panics if f is nil.
func NewFunc(f func(x []Var) Var) *Func {
	if f == nil {
		panic("reverse: nil function")
	}
	return NewFuncParams(func(x, _ []Var) Var { return f(x) }, nil)
}

// NewFuncVec returns F: ℝⁿ → ℝᵐ, not recorded yet. It panics if f is nil.
func NewFuncVec(f func(x []Var) []Var) *Func {
	if f == nil {
		panic("reverse: nil function")
	}
	return NewFuncParamsVec(func(x, _ []Var) []Var { return f(x) }, nil)
}

// NewFuncParams returns a function with parameters p, which are copied: data that may
// be others, by With, but are not differentiated. It panics if f is nil.
func NewFuncParams(f func(x, p []Var) Var, p []float64) *Func {
	if f == nil {
		panic("reverse: nil function")
	}
	return NewFuncParamsVec(func(x, p []Var) []Var { return []Var{f(x, p)} }, p)
}

// NewFuncParamsVec is NewFuncParams for f with outputs in ℝᵐ.
func NewFuncParamsVec(f func(x, p []Var) []Var, p []float64) *Func {
	if f == nil {
		panic("reverse: nil function")
	}
	b := &branches{f: f}
	b.tapes.Store(new([]*Tape))
	return &Func{branches: b, params: slices.Clone(p)}
}

// With returns f with the parameters p, which are copied. It shares its tapes with f.
// It panics if p has another length than the parameters of f.
func (fn *Func) With(p []float64) *Func {
	check(p, len(fn.params), "p")
	return &Func{branches: fn.branches, params: slices.Clone(p)}
}

// index is the place of the view of a tape, −1 if there is none.
func (v *views) index(t *Tape) int {
	if v == nil {
		return -1
	}
	return slices.Index(*v.of, t)
}

// bound is the tapes of a list with the parameters of fn.
func (fn *Func) bound(list *[]*Tape) []*Tape {
	if len(fn.params) == 0 {
		return *list
	}
	if v := fn.views.Load(); v != nil && v.of == list {
		return v.tapes
	}
	old := fn.views.Load()
	v := &views{of: list}
	for _, t := range *list {
		if i := old.index(t); i >= 0 {
			v.tapes = append(v.tapes, old.tapes[i]) // the view that was handed out
		} else {
			v.tapes = append(v.tapes, t.With(fn.params))
		}
	}
	fn.views.Store(v)
	return v.tapes
}

// Tape returns a tape that holds at x, recorded there if none does: the same one for as
// long as it is kept. Cost: a value sweep for each kept tape with comparisons, those in the
// steps of a Scan too.
func (fn *Func) Tape(x []float64) (*Tape, error) {
	var t *Tape
	err := fn.with(x, func(tape *Tape) error {
		t = tape
		if !t.Inside().Tape().Compares() {
			return nil
		}
		now := t.now()
		ws, err := now.Inside().Begin(x)
		if err == nil {
			now.engine().Put(ws)
		}
		return err
	})
	return t, err
}

// with calls eval on the tape that holds at x: eval returns a *BranchError
// where a tape does not.
func (fn *Func) with(x []float64, eval func(t *Tape) error) error {
	list := fn.tapes.Load()
	for i, t := range fn.bound(list) {
		if fn.f == nil {
			return eval(t)
		}
		if len(x) != t.Inputs() {
			continue
		}
		err := eval(t)
		if _, branch := err.(*BranchError); branch { // that of a primitive is wrapped
			continue
		}
		if i > 0 {
			fn.first((*list)[i])
		}
		return err
	}
	t, err := RecordParamsVec(fn.f, x, fn.params)
	if err != nil {
		return err
	}
	if !t.Inside().Arranged() {
		e := &early{Function: t.Inside().NodeByNode()}
		e.left.Store(mostEarly)
		t.patterns.early.Store(e)
	}
	fn.first(t)
	list = fn.tapes.Load()
	if i := slices.Index(*list, t); i >= 0 { // else others have recorded more than are kept
		t = fn.bound(list)[i]
	}
	return eval(t)
}

// first puts t in front.
func (b *branches) first(t *Tape) {
	b.mu.Lock()
	defer b.mu.Unlock()
	tapes := slices.DeleteFunc(slices.Clone(*b.tapes.Load()), func(u *Tape) bool { return u == t })
	tapes = append([]*Tape{t}, tapes...)
	tapes = tapes[:min(len(tapes), maxTapes)]
	b.tapes.Store(&tapes)
}

// Values returns F(x), of length m. dst may be nil.
func (fn *Func) Values(dst, x []float64) ([]float64, error) {
	err := fn.with(x, func(t *Tape) (err error) { dst, err = t.now().Values(dst, x); return err })
	return dst, err
}

// Value returns f(x).
func (fn *Func) Value(x []float64) (f float64, err error) {
	err = fn.with(x, func(t *Tape) error { f, err = t.now().Value(x); return err })
	return f, err
}

// Gradient returns ∇f(x), of length n. dst may be nil.
func (fn *Func) Gradient(dst, x []float64) ([]float64, error) {
	_, dst, err := fn.ValueGradient(dst, x)
	return dst, err
}

// ValueGradient returns f(x) and ∇f(x), at the cost of the latter.
func (fn *Func) ValueGradient(dst, x []float64) (f float64, g []float64, err error) {
	err = fn.with(x, func(t *Tape) error { f, g, err = t.now().ValueGradient(dst, x); return err })
	return f, g, err
}

// HVP returns ∇²f(x)v, of length n. dst may be nil.
func (fn *Func) HVP(dst, x, v []float64) (h []float64, err error) {
	err = fn.with(x, func(t *Tape) error { h, err = t.HVP(dst, x, v); return err })
	return h, err
}

// Gradient returns ∇f(x), of length n, of a function that is recorded for this once. dst may
// be nil. It panics if f is nil. Cost: that of Record, since the values of the recording are those
// of the only reverse sweep; a value sweep more if f calls a VecPrimitive or has loops.
func Gradient(dst []float64, f func(x []Var) Var, x []float64) (_ []float64, err error) {
	if f == nil {
		panic("reverse: nil function")
	}
	if dst != nil {
		check(dst, len(x), "dst")
	}
	r := tape.NewRecording(len(x), 0)
	defer r.Close()
	defer ended(&err)
	r.KeepValues(x)
	y, err := results(r, []Var{f(inputs(r, x, nil))})
	if err != nil {
		return dst, err
	}
	if t, v := r.AsMade(y); t != nil {
		dst = buffer(dst, len(x))
		sweep.GradientAt(dst, t, v)
		return dst, nil
	}
	return newTape(sweep.NewFunction(compile.InOrder(r, y)).NodeByNode(), x, nil).Gradient(dst, x)
}
