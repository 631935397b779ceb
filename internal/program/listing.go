package program

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/op"
)

// Title is what node i is called in listings: x0, x1, … are the inputs, p0, p1, …
// the parameters, v0, v1, … the operations, and constants are themselves.
func (p *Program) Title(i int32) string {
	if first := p.inputs + p.params; first <= int(i) && int(i) < p.base {
		return number(p.consts[int(i)-first])
	}
	return title(int(i), p.inputs, p.params, p.base)
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
func (p *Program) Formula(i int32) string {
	name := p.OpName(i)
	if p.ops[i] == Affine {
		w, x := p.affine(i)
		return applied(name, len(x)+1, func(k int) string {
			if k == 0 {
				return number(p.c[i])
			}
			return number(w[k-1]) + "·" + p.Title(x[k-1])
		})
	}
	output := ""
	if p.ops[i] == Call {
		output = fmt.Sprintf("[%d]", p.b[i])
	}
	var args []string
	p.eachOperand(p.First(i), func(j int32) { args = append(args, p.Title(j)) })
	if p.ops[i].Constant() != op.NoConstant {
		args = append(args, number(p.c[i]))
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
func (p *Program) List(w io.Writer, indent string, position func(pc uintptr) string) {
	line := func(pc uintptr, format string, args ...any) {
		s := fmt.Sprintf(format, args...)
		if at := position(pc); at != "" {
			s = fmt.Sprintf("%-40s %s", s, at)
		}
		fmt.Fprintf(w, "%s%s\n", indent, s)
	}
	for i := int32(p.base); int(i) < len(p.ops); i++ {
		line(p.Made(i), "%s = %s", p.Title(i), p.Formula(i))
		if f, _ := p.CallAt(i); f != nil {
			if r, ok := f.(Repeated); ok {
				terms := 0
				r.Each(func(_, _ []int32, _ []float64) { terms++ })
				line(0, "    %d terms, each", terms)
				r.Term().List(w, indent+"    ", position)
			}
		}
	}
	for j, i := range p.outputs {
		line(0, "y%d = %s", j, p.Title(i))
	}
	for k := range p.guards {
		g := &p.guards[k]
		a, b := p.Title(g.A), number(g.C)
		switch g.Kind {
		case Less, LessEq:
			b = p.Title(g.B)
		case GreaterReal, GreaterEqReal:
			a, b = b, a
		case Value:
			line(g.PC, "holds if Value(%s) is %s", a, b)
			continue
		}
		line(g.PC, "holds if %v(%s, %s) is %v", g.Kind, a, b, g.Outcome)
	}
}
