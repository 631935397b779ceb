package tape

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/op"
)

// Title is what node i is called in listings: x0, x1, … are the inputs, p0, p1, …
// the parameters, v0, v1, … the operations, and constants are themselves.
func (t *Tape) Title(i int32) string {
	if first := t.inputs + t.params; first <= int(i) && int(i) < t.base {
		return number(t.consts[int(i)-first])
	}
	return title(int(i), t.inputs, t.params, t.base)
}

func title(k, inputs, params, base int) string {
	switch {
	case k < inputs:
		return "x" + strconv.Itoa(k)
	case k < inputs+params:
		return "p" + strconv.Itoa(k-inputs)
	default:
		return "v" + strconv.Itoa(k-base)
	}
}

func number(c float64) string { return strconv.FormatFloat(c, 'g', -1, 64) }

// Formula is the operation of node i applied to the titles of its operands.
func (t *Tape) Formula(i int32) string {
	name := t.OpName(i)
	if t.Op(i) == op.Affine {
		w, x := t.AffineAt(i)
		return applied(name, len(x)+1, func(k int) string {
			if k == 0 {
				return number(t.Constant(i))
			}
			return number(w[k-1]) + "·" + t.Title(x[k-1])
		})
	}
	output := ""
	if t.Op(i) == op.Call {
		output = fmt.Sprintf("[%d]", i-t.FirstOutput(i))
	}
	var args []string
	t.EachOperand(t.FirstOutput(i), func(j int32) { args = append(args, t.Title(j)) })
	if t.Op(i).Constant() != op.NoConstant {
		args = append(args, number(t.Constant(i)))
	}
	return applied(name, len(args), func(k int) string { return args[k] }) + output
}

// applied is a function's name and n arguments; of many the first and the last.
func applied(name string, n int, arg func(k int) string) string {
	const all, some = 8, 3
	var args []string
	for k := 0; k < n; k++ {
		if n > all && k == some {
			args = append(args, "…")
			k = n - 1
		}
		args = append(args, arg(k))
	}
	s := name + "(" + strings.Join(args, ", ") + ")"
	if n > all {
		s += fmt.Sprintf(" of %d", n)
	}
	return s
}

// List writes the operations one a line, each after indent and with what position
// says of who made it, and the terms that one repeats below it; then the outputs
// and the comparisons.
func (t *Tape) List(w io.Writer, indent string, position func(pc uintptr) string) {
	line := func(pc uintptr, format string, args ...any) {
		s := fmt.Sprintf(format, args...)
		if at := position(pc); at != "" {
			s = fmt.Sprintf("%-40s %s", s, at)
		}
		fmt.Fprintf(w, "%s%s\n", indent, s)
	}
	for i := int32(t.base); int(i) < t.count; i++ {
		line(t.Made(i), "%s = %s", t.Title(i), t.Formula(i))
		if c := t.CallAt(i); c != nil && c.Repeated != nil {
			terms := 0
			c.Repeated.Each(func(_, _ []int32, _ []float64) { terms++ })
			line(0, "    %d terms, each", terms)
			c.Repeated.Term().List(w, indent+"    ", position)
		}
	}
	for j, i := range t.outputs {
		line(0, "y%d = %s", j, t.Title(i))
	}
	for k := range t.guards {
		g := &t.guards[k]
		a, b := t.Title(g.A), number(g.C)
		switch g.Kind {
		case Less, LessEq:
			b = t.Title(g.B)
		case GreaterReal, GreaterEqReal:
			a, b = b, a
		case ValueRead:
			line(g.PC, "holds if Value(%s) is %s", a, b)
			continue
		}
		line(g.PC, "holds if %v(%s, %s) is %v", g.Kind, a, b, g.Outcome)
	}
}

// OpName is the name of the operation of node i: that of the method of dual.Scalar
// that does it, or of a primitive.
func (t *Tape) OpName(i int32) string {
	switch code := t.Op(i); code {
	case op.DivReal:
		return op.Div.Info().Method
	case op.Own:
		f, _ := t.OwnAt(i)
		return f.Name
	case op.Call:
		return t.CallAt(t.FirstOutput(i)).Name()
	default:
		return code.Info().Method
	}
}

// Describe is the name of node i, an operation, and the numbers that it was applied to, given
// the values v of all nodes: its constant comes last; that of an affine sum comes first, and
// each weight before its operand.
func (t *Tape) Describe(v []float64, i int32) (name string, operands []float64) {
	name = t.OpName(i)
	code := t.Op(i)
	if code == op.Affine {
		w, x := t.AffineAt(i)
		operands = append(operands, t.Constant(i))
		for k, j := range x {
			operands = append(operands, w[k], v[j])
		}
		return name, operands
	}
	t.EachOperand(t.FirstOutput(i), func(j int32) { operands = append(operands, v[j]) })
	if code.Constant() != op.NoConstant {
		operands = append(operands, t.Constant(i))
	}
	return name, operands
}
