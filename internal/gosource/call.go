package gosource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Callee is a function ℝⁿ → ℝᵐ that a program calls and that can be written as Go.
type Callee interface {
	// WriteCall writes the functions that c names.
	WriteCall(c *Call) error
	// CallFails says in words what has happened if the function for Value returns false; then
	// none of the derivatives is called. It is "" if that function returns nothing.
	CallFails() string
}

// Call says how to write a function F that a program calls. Names has an entry for the
// value and for each derivative that is needed, the name of a function
//
//	Value     name(dst, x)            dst = F(x)
//	Gradient  name(dst, x, w)         dst = F′(x)ᵀw
//	Tangent   name(dst, x, v)         dst = F′(x)v
//	Product   name(dst, x, w, v, dw)  dst = (Σ wⱼ∇²Fⱼ(x))v + F′(x)ᵀdw
//
// of slices that do not overlap. WriteCall may add arguments by setting Results and Memory.
type Call struct {
	File  *source.File
	Names map[int]string // by expr.Derivative
	Doc   map[int]string // likewise, what a function computes, in words
	// Primitive is the name of the derivative of an order of a primitive that F uses.
	Primitive func(f *tape.Scalar1, order int) (string, error)
	Settings  Settings
	// Memory, if it is set, is the length of a last argument of all functions, working memory.
	Memory int
	// Results, if it is set, says that functions of derivatives have an argument F(x) after x.
	Results bool
}

// Vector is the names of the functions that the user has written for a call, with the
// arguments of Call, except
//
//	HVP  name(dst, x, v, w)  dst = (Σ wⱼ∇²Fⱼ(x))v
type Vector struct{ F, JVP, VJP, HVP string }

// failure is a call that may have no value.
type failure struct {
	node int32
	says string // what has happened then
}

// Fails reports whether functions over a program return an error.
func Fails(p *compile.Program) bool { return len(p.Guards()) > 0 || len(failures(p)) > 0 }

// failures is the calls of a program that may have no value.
func failures(p *compile.Program) (all []failure) {
	for i := int32(p.Base()); int(i) < p.Len(); i++ {
		if c := p.CallAt(i); c != nil {
			if f, ok := c.Func.(Callee); ok && f.CallFails() != "" {
				all = append(all, failure{i, f.CallFails()})
			}
		}
	}
	return all
}

// callNames is what the names of the functions of a call end with.
var callNames = [...]string{expr.Value: "Value", expr.Gradient: "Gradient", expr.Tangent: "Tangent", expr.Product: "Product"}

var callDocs = map[int]string{
	int(expr.Value): "the value", int(expr.Gradient): "the adjoint", int(expr.Tangent): "the tangent", int(expr.Product): "the tangent of the adjoint",
}

// Calls is the error for a loop, what, whose program t calls a function: it names that.
func Calls(what string, t *tape.Tape) *Unsupported {
	for i := int32(t.Base()); ; i++ {
		c := t.CallAt(i)
		if c == nil {
			continue
		}
		why := what + " that calls " + c.Name()
		if _, ok := c.Func.(Callee); ok {
			why += ", which is not short or compares, and so is not written out"
		}
		return &Unsupported{Op: why}
	}
}

// needed is which functions of calls the given functions need.
func needed(functions []Function) map[expr.Derivative]bool {
	need := map[expr.Derivative]bool{expr.Value: true}
	for _, f := range functions {
		switch f {
		case Gradient, VJP:
			need[expr.Gradient] = true
		case JVP:
			need[expr.Tangent] = true
		case Jacobian:
			need[expr.Gradient], need[expr.Tangent] = true, true
		case HVP:
			need[expr.Gradient], need[expr.Tangent], need[expr.Product] = true, true, true
		}
	}
	return need
}

// writeCalls writes the functions that the program calls.
func (w *writer) writeCalls(functions []Function) error {
	w.callMemory, w.callResults = map[int]int{}, map[int]bool{}
	need := needed(functions)
	for i := int32(w.p.Base()); int(i) < w.p.Len(); i++ {
		c := w.p.CallAt(i)
		if c == nil || w.vectors[c.Number] != nil {
			continue
		}
		call := &Call{File: w.file, Names: map[int]string{}, Doc: callDocs, Settings: w.settings, Primitive: w.primitive}
		for d := range callNames {
			if need[expr.Derivative(d)] {
				call.Names[d] = w.callName(c, expr.Derivative(d))
			}
		}
		if err := c.Func.(Callee).WriteCall(call); err != nil {
			if u, ok := err.(*Unsupported); ok && u.PC == 0 {
				u.PC = w.p.Made(i)
			}
			return err
		}
		if call.Memory > 0 {
			w.callMemory[c.Number] = call.Memory
		}
		w.callResults[c.Number] = call.Results
	}
	return nil
}

// primitive is the name of a derivative of a primitive of the user.
func (w *writer) primitive(f *tape.Scalar1, order int) (string, error) {
	if order > 2 {
		return "", &Unsupported{Op: "the third derivative of the primitive " + f.Name}
	}
	if w.settings.Primitive == nil {
		return "", &Unsupported{Op: "the primitive " + f.Name}
	}
	names, err := w.settings.Primitive(f)
	return names[order], err
}

func (w *writer) callName(c *tape.Call, d expr.Derivative) string {
	return w.file.Private(fmt.Sprintf("Call%d%s", c.Number, callNames[d]))
}

// calledBy is the name of the function for a derivative of a call.
func (l *memory) calledBy(c *tape.Call, d expr.Derivative) string {
	if f := l.vectors[c.Number]; f != nil {
		return map[expr.Derivative]string{expr.Value: f.F, expr.Gradient: f.VJP, expr.Tangent: f.JVP, expr.Product: f.HVP}[d]
	}
	return l.callName(c, d)
}

// operandsOf is the expression x for what an array has at the operands of a call, and the
// lines that copy it to a buffer if they are not consecutive.
func (l *memory) operandsOf(c *tape.Call, array string, buffer int) (lines, x string) {
	n := len(c.Args)
	if c.Consecutive {
		return "", slice(array, c.Args[0], n)
	}
	x = l.buffer(buffer, n)
	if n == 0 {
		return "", x
	}
	to := fmt.Sprintf("%s[%d+%s]", l.c, buffer*l.mostArgs, l.k)
	return Over(l.k, n, fmt.Sprintf("%s = %s[%s]\n", to, array, l.index(c.Args, l.k))), x
}

// buffer is the first n elements of buffer k for operands.
func (l *memory) buffer(k, n int) string { return slice(l.c, int32(k*l.mostArgs), n) }

// scratch is the argument Memory of the functions of a call, with a comma before it.
func (l *memory) scratch(c *tape.Call) string {
	n := l.callMemory[c.Number]
	if n == 0 {
		return ""
	}
	return ", " + slice(l.c, int32(3*l.mostArgs), n)
}

// outputsOf is the outputs of a call, from node i on.
func outputsOf(c *tape.Call, i int32, array string) string { return slice(array, i, int(c.Outputs())) }

// call is the part of a call, whose first output is a node.
type call struct {
	*tape.Call
	node int32
}

func (c call) text(l *memory, s sweep) string {
	r, ok := s.request(l.active[c.node], true)
	if !ok {
		return ""
	}
	lines, x := l.operandsOf(c.Call, l.v, 0)
	along := r.Directions > 0
	t := ""
	if along {
		more := ""
		more, t = l.operandsOf(c.Call, l.t, 1)
		lines += more
	}
	outputs := func(array string) string { return outputsOf(c.Call, c.node, array) }
	x1 := x
	if l.callResults[c.Number] {
		x1 += ", " + outputs(l.v)
	}
	statement := func(d expr.Derivative, args ...string) string {
		return fmt.Sprintf("%s(%s%s)\n", l.calledBy(c.Call, d), strings.Join(args, ", "), l.scratch(c.Call))
	}
	if !s.back {
		if s.values {
			value := statement(expr.Value, outputs(l.v), x)
			if k := slices.IndexFunc(l.failures, func(f failure) bool { return f.node == c.node }); k >= 0 {
				value = fmt.Sprintf("if !%s && %s.%s < 0 {\n%[2]s.%[3]s = %d\n}\n", strings.TrimSuffix(value, "\n"), l.m, failed, len(l.p.Guards())+k)
			}
			lines += value
		}
		if along {
			lines += statement(expr.Tangent, outputs(l.t), x1, t)
		}
		return lines
	}
	n := len(c.Args)
	dst := l.buffer(2, n)
	add := func(array string) string {
		if n == 0 {
			return ""
		}
		return Over(l.k, n, fmt.Sprintf("%s[%s] += %s[%d+%s]\n", array, l.index(c.Args, l.k), l.c, 2*l.mostArgs, l.k))
	}
	lines += statement(expr.Gradient, dst, x1, outputs(l.g)) + add(l.g)
	switch {
	case !along:
	case l.vectors[c.Number] != nil: // the user's HVP is without dw: F′ᵀdw comes from VJP
		lines += statement(expr.Gradient, dst, x1, outputs(l.u)) + add(l.u) + statement(expr.Product, dst, x1, t, outputs(l.g)) + add(l.u)
	default:
		lines += statement(expr.Product, dst, x1, outputs(l.g), t, outputs(l.u)) + add(l.u)
	}
	return lines
}

// failed is the field of the memory that has the number of the first call that has failed,
// −1 if there is none.
const failed = "failed"

// checkCall returns an error if a call cannot be written with the derivatives in need.
func (w *writer) checkCall(i int32, need map[expr.Derivative]bool) error {
	c := w.p.CallAt(i)
	if c == nil {
		return nil
	}
	if _, ok := c.Func.(Callee); ok {
		return nil
	}
	f, err := w.settings.Vector(c.Name())
	if err != nil {
		return err
	}
	if f == nil {
		return &Unsupported{w.p.OpName(i), w.p.Made(i)}
	}
	for d, name := range [...]string{expr.Gradient: f.VJP, expr.Tangent: f.JVP, expr.Product: f.HVP} {
		if need[expr.Derivative(d)] && name == "" && d != int(expr.Value) {
			return fmt.Errorf("primitive %s: its %s has no name", c.Name(), [...]string{expr.Gradient: "VJP", expr.Tangent: "JVP", expr.Product: "HVP"}[d])
		}
	}
	w.vectors[c.Number] = f
	return nil
}
