package reverse

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Fault says where an infinity or a NaN comes from: the first operation that
// made it of finite numbers. As an error it says so in words.
type Fault struct {
	// Order says what is not finite: 0 an output, 1 the gradient, 2 the
	// Hessian.
	Order int
	// Index is which output, element of the gradient or row of the Hessian,
	// the first one.
	Index int
	// Op is the operation, by its name in dual.Scalar, that of a primitive, or
	// "input" or "constant" for what is not finite itself.
	Op string
	// Operands are what it was applied to, its constant last, in AffineOf the
	// constant first and each coefficient before its number; Value is what came
	// out.
	Operands []float64
	Value    float64
	// File and Line say where the function has it.
	File string
	Line int
	// Steps says in which step of a Scan it was made, if it was in one, or of
	// several, the outermost first.
	Steps []int
}

func (f *Fault) Error() string {
	what := "reverse: " + [...]string{"output %d", "element %d of the gradient", "row %d of the Hessian"}[f.Order]
	args := make([]string, len(f.Operands))
	for i, x := range f.Operands {
		args[i] = fmt.Sprint(x)
	}
	if len(args) > 8 {
		args = append(args[:8], "…")
	}
	s := fmt.Sprintf(what+" is not finite: ", f.Index)
	call := fmt.Sprintf("%s(%s) = %v", f.Op, strings.Join(args, ", "), f.Value)
	switch {
	case f.File == "":
		s += fmt.Sprintf("%s is %v", f.Op, f.Value)
	case f.Order == 0:
		s += fmt.Sprintf("%s at %s:%d", call, filepath.Base(f.File), f.Line)
	default:
		s += fmt.Sprintf("derivatives of %s at %s:%d", call, filepath.Base(f.File), f.Line)
	}
	return s + inSteps(f.Steps)
}

// Trace finds the operation to blame where f(x), ∇f(x) or ∇²f(x) is not
// finite: nil if all are. It panics if f is nil. The error is that of a
// primitive. Cost: a recording that notes the line of each operation, some
// microseconds an operation; the Hessian is seen by its products with two random
// vectors.
func Trace(f func(x []Var) Var, x []float64) (*Fault, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	return TraceVec(func(x []Var) []Var { return []Var{f(x)} }, x)
}

// TraceVec is Trace for a vector function F: of its outputs, and of the
// gradient and Hessian of Σ wⱼFⱼ, with all weights 1 if none are given.
func TraceVec(f func(x []Var) []Var, x []float64, w ...float64) (*Fault, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	p, origins, err := plain(f, x)
	if err != nil {
		return nil, err
	}
	if len(w) == 0 {
		w = make([]float64, p.Outputs())
		for j := range w {
			w[j] = 1
		}
	}
	check(w, p.Outputs(), "w")
	ws := p.Get()
	if _, err := ws.Value(x, nil); err != nil {
		return nil, err
	}
	found, err := ws.Fault(w)
	if found == nil || err != nil {
		return nil, err
	}
	fault := &Fault{Order: found.Order, Index: found.Index, Op: "input", Value: ws.Values()[found.Node]}
	if int(found.Node) >= p.Inputs() {
		fault.Op = "constant"
	}
	if int(found.Node) >= p.Base() {
		fault.Op, fault.Operands = p.Describe(ws.Values(), found.Node)
		o := origins.of(p, found.Node)
		fault.File, fault.Line = position(o.pc)
		fault.Steps = o.steps
	}
	return fault, nil
}

// origin is who made an operation, and in which steps of loops.
type origin struct {
	pc    uintptr
	steps []int
}

// origins are numbered from 1.
type origins []origin

// of is the origin of a node.
func (o origins) of(p *sweep.Engine, node int32) origin {
	if k := p.Made(node); k > 0 {
		return o[k-1]
	}
	return origin{}
}

// inSteps says in which steps, the innermost first.
func inSteps(steps []int) (s string) {
	for _, k := range slices.Backward(steps) {
		s += fmt.Sprintf(" in step %d", k)
	}
	return s
}

// plain records f at x as it is, and notes who made each operation.
func plain(f func(x []Var) []Var, x []float64) (_ *sweep.Engine, _ origins, err error) {
	r := tape.NewRecording(len(x), 0)
	defer r.Close()
	defer ended(&err)
	var made origins
	r.Trace(func() uintptr {
		made = append(made, origin{callerOutside(), slices.Clone(r.Steps)})
		return uintptr(len(made))
	})
	y := f(inputs(r, x, nil))
	if r.Err != nil {
		return nil, nil, r.Err
	}
	out := make([]int32, len(y))
	for j, y := range y {
		recording(r, y.r)
		out[j] = y.node(r)
	}
	return sweep.New(compile.Plain(r, out)), made, nil
}

// StateError says that a function did something else when it was called again
// with the same x: it depends on what it changes, on random numbers or on the
// order of a map.
type StateError struct {
	// Op is the first operation that is another one or has other operands, as
	// the first call made it, and File and Line where it stands; empty where one
	// call only goes on for longer or returns something else.
	Op   string
	File string
	Line int
}

func (e *StateError) Error() string {
	if e.Op == "" {
		return "reverse: called again, the function has more or fewer operations or other outputs"
	}
	return fmt.Sprintf("reverse: called again, the function does not repeat %s at %s:%d", e.Op, filepath.Base(e.File), e.Line)
}

// CheckRepeats records f twice at x; where the recordings differ the error is a
// *StateError. It panics if f is nil. Cost: as Trace.
func CheckRepeats(f func(x []Var) []Var, x []float64) error {
	if f == nil {
		panic("reverse: nil function")
	}
	p, made, err := plain(f, x)
	if err != nil {
		return err
	}
	q, _, err := plain(f, x)
	if err != nil {
		return err
	}
	i := tape.Differ(&p.Tape, &q.Tape)
	if i < 0 {
		return nil
	}
	e := new(StateError)
	if int(i) < p.Len() {
		e.Op = p.OpName(i)
		e.File, e.Line = position(made.of(p, i).pc)
	}
	return e
}
