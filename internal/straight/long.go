package straight

import (
	"fmt"
	"strings"

	"github.com/hesse-ad/hesse/internal/sweep"
)

// write writes a long function: the calls of its sweeps one after the other, and of careful
// sweeps where a result is not finite, as in package sweep.
func (l *looped) write(function Function) {
	p, m, a := l.p, l.work, l.arrays
	n := p.Inputs()
	args, lengths := l.arguments(function)
	var s strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&s, format, args...) }
	given := l.x
	if p.Params() > 0 {
		given += ", " + l.params
	}
	f, fails := l.returns(function)
	columns := n <= p.Outputs()
	l.used[a.v] = true
	l.used[a.t] = l.used[a.t] || function == JVP || function == HVP || function == Jacobian && columns
	l.used[a.g] = l.used[a.g] || function == Gradient || function == VJP || function == HVP || function == Jacobian && !columns
	l.used[a.u] = l.used[a.u] || function == HVP
	switch values := fmt.Sprintf("%s(%s, %s)", l.values(), m, given); {
	case f && fails:
		add("if k := %s; k >= 0 {\nreturn 0, %s(k)\n}\n", values, l.errorName())
	case fails && l.isProduct(function):
		add("if k := %s; k >= 0 {\nreturn false, %s(k)\n}\n", values, l.errorName())
	case fails:
		add("if k := %s; k >= 0 {\nreturn %s(k)\n}\n", values, l.errorName())
	default:
		add("%s\n", values)
	}
	switch function {
	case Value:
		if !f {
			add("%s", l.outputs(a.v))
		}
	case Gradient, VJP:
		seeds := l.seeds(function)
		sweep := fmt.Sprintf("%s%s%s(%s)\n", l.clear(a.g, p.Unwritten()), seeds, l.adjoints(false), m)
		again := fmt.Sprintf("clear(%s.%s[:])\n%s%s(%[1]s)\n", m, a.g, seeds, l.carefulAdjoints())
		add("%s", l.orAgain(function, sweep, l.adjointsFinite(), again))
		add("copy(%s, %s.%s[:%d])\n", l.dst, m, a.g, n)
	case JVP:
		add("%s", l.direction())
		sweep := fmt.Sprintf("%s(%s)\n", l.tangents(), m)
		again := fmt.Sprintf("%s%s(%s)\n", l.clearConstants(), l.carefulTangents(), m)
		add("%s", l.orAgain(function, sweep, l.outputsFinite(a.t)+"("+m+")", again))
		add("%s", l.outputs(a.t))
	case Jacobian:
		if columns {
			l.columns(add)
		} else {
			l.rowByRow(add)
		}
	case HVP:
		add("%s", l.gradient(l.seeds(function), true))
		add("%s", l.direction())
		again := fmt.Sprintf("%sclear(%s.%s[:])\n%s(%[2]s)\n%[5]s(%[2]s)\n", l.clearConstants(), m, a.u, l.carefulTangents(), l.carefulSeconds())
		add("%s", l.orAgain(function, l.seconds(), l.inputsFinite(a.u), again))
		add("copy(%s, %s.%s[:%d])\n", l.dst, m, a.u, n)
	}
	more := ", " + m + " *" + l.workName()
	if l.isProduct(function) {
		more += ", " + l.writer.careful + " bool"
	}
	switch {
	case l.isProduct(function):
		add("return %s\n", l.orError("true"))
	case f:
		add("return %s.%s", m, element(a.v, int(p.Output(0))))
		if fails {
			add(", nil")
		}
		add("\n")
	case fails:
		add("return nil\n")
	}
	l.file.Printf("%s%s}\n\n%s", l.head(function, more, args, lengths), s.String(), l.later.String())
	l.later.Reset()
}

// orAgain is a sweep, followed by again, the careful one, if the result is not finite. In a
// function that is part of others, see Write, the caller decides instead.
func (l *looped) orAgain(function Function, sweep, finite, again string) string {
	if !l.isProduct(function) {
		return fmt.Sprintf("%sif !%s {\n%s}\n", sweep, finite, again)
	}
	return fmt.Sprintf("if %s {\n%s} else {\n%sif !%s {\nreturn %s\n}\n}\n", l.writer.careful, again, sweep, finite, l.orError("false"))
}

// inputsFinite is the condition that what an array has at the inputs is finite.
func (l *looped) inputsFinite(array string) string {
	return fmt.Sprintf("%s(%s.%s[:%d])", l.finite(), l.work, array, l.p.Inputs())
}

// adjointsFinite is the condition that the adjoints of the inputs are finite, and those of the
// outputs of calls, which need not show in them (see carefully in package sweep).
func (l *looped) adjointsFinite() string {
	if !l.p.HasCalls() {
		return l.inputsFinite(l.arrays.g)
	}
	name := l.private("AdjointsFinite")
	if !l.written[name] {
		l.written[name] = true
		tests := fmt.Sprintf("if !%s(%s.%s[:%d]) {\nreturn false\n}\n", l.finite(), l.m, l.arrays.g, l.p.Inputs())
		for i := range int32(l.p.Len()) {
			if c := l.p.CallAt(i); c != nil {
				tests += fmt.Sprintf("if !%s(%s) {\nreturn false\n}\n", l.finite(), outputsOf(c, i, l.m+"."+l.arrays.g))
			}
		}
		fmt.Fprintf(&l.later, "func %s(%s *%s) bool {\n%sreturn true\n}\n\n", name, l.m, l.workName(), tests)
	}
	return name + "(" + l.work + ")"
}

// direction is the lines that set the tangents of inputs, parameters and constants.
func (l *looped) direction() string {
	return fmt.Sprintf("copy(%s.%s[:], %s)\n%s", l.work, l.arrays.t, l.v, l.clearConstants())
}

func (l *looped) clearConstants() string {
	n, base := l.p.Inputs(), l.p.Base()
	if n == base {
		return ""
	}
	return fmt.Sprintf("clear(%s.%s[%d:%d])\n", l.work, l.arrays.t, n, base)
}

// gradient is the lines of a reverse sweep from the adjoints of the outputs that seeds adds;
// with store, it stores the partials that products with the Hessian need.
func (l *looped) gradient(seeds string, store bool) string {
	m, g := l.work, l.arrays.g
	if store && !l.keeps() {
		store = false // there are none
	}
	return fmt.Sprintf("%s%s%s(%s)\n", l.clear(g, l.p.Unwritten()), seeds, l.adjoints(store), m) +
		fmt.Sprintf("if !%s {\nclear(%s.%s[:])\n", l.adjointsFinite(), m, g) +
		fmt.Sprintf("%s%s(%s)\n}\n", seeds, l.carefulAdjoints(), m)
}

// keeps reports whether there are partials to be stored for products with the Hessian.
func (l *looped) keeps() bool { return l.p.StoredPartials() > 0 }

// seeds is the lines that add the weights of the outputs to their adjoints.
func (l *looped) seeds(function Function) string {
	m, p := l.work+"."+l.arrays.g, l.p
	switch {
	case p.Outputs() == 1 && function != VJP:
		return element(m, int(p.Output(0))) + " += 1\n"
	case p.Outputs() == 1:
		return fmt.Sprintf("%s += %s[0]\n", element(m, int(p.Output(0))), l.w)
	}
	return Over("j", p.Outputs(), fmt.Sprintf("%s[%s] += %s[j]\n", m, l.index(p.OutputNodes(), "j"), l.w))
}

// outputs is the lines that set dst to what an array has at the outputs.
func (l *looped) outputs(array string) string {
	return fmt.Sprintf("for j := range %s {\n%[1]s[j] = %s.%s[%s]\n}\n", l.dst, l.work, array, l.index(l.p.OutputNodes(), "j"))
}

// finite is the name of a function that reports whether all elements of a slice are finite.
func (l *looped) finite() string {
	name := l.private("Finite")
	if !l.written[name] {
		l.written[name] = true
		fmt.Fprintf(&l.later, `// %s reports whether no element is an infinity or a NaN.
func %[1]s(x []float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

`, name)
	}
	return name
}

// outputsFinite is the name of a function that reports whether what an array has at all
// outputs is finite.
func (l *looped) outputsFinite(array string) string {
	name := l.private("OutputsFinite")
	if !l.written[name] {
		l.written[name] = true
		nodes := l.index(l.p.OutputNodes(), "j")
		test := fmt.Sprintf("if v := %s.%s[%s]; v-v != 0 {\nreturn false\n}\n", l.m, array, nodes)
		fmt.Fprintf(&l.later, "func %s(%s *%s) bool {\n%sreturn true\n}\n\n", name, l.m, l.workName(), Over("j", l.p.Outputs(), test))
	}
	return name
}

// columns writes a Jacobian by columns, in groups as many as a sweep of package sweep has
// directions: if one column is not finite, all of its group are done again.
func (l *looped) columns(add func(format string, args ...any)) {
	p, m, a := l.p, l.work, l.arrays
	column := func(name, test string) string {
		return fmt.Sprintf("clear(%s[:%d])\n%[1]s[k] = 1\n%[3]s(%s)\n%sfor j := range %d {\n%s[%d*j+k] = %[1]s[%[9]s]\n}\n",
			m+"."+a.t, p.Base(), name, m, test, p.Outputs(), l.dst, p.Inputs(), l.index(p.OutputNodes(), "j"))
	}
	l.groups(add, p.Inputs(), column(l.tangents(), l.test(l.outputsFinite(a.t)+"("+m+")")), column(l.carefulTangents(), ""))
}

// rowByRow writes a Jacobian by rows, in groups likewise.
func (l *looped) rowByRow(add func(format string, args ...any)) {
	p, m, a := l.p, l.work, l.arrays
	row := func(name, clear, test string) string {
		return fmt.Sprintf("%s%s[%s] += 1\n%s(%s)\n%scopy(%s[%d*k:], %[2]s[:%[8]d])\n",
			clear, m+"."+a.g, l.index(p.OutputNodes(), "k"), name, m, test, l.dst, p.Inputs())
	}
	l.groups(add, p.Outputs(), row(l.adjoints(false), l.clear(a.g, p.Unwritten()), l.test(l.adjointsFinite())),
		row(l.carefulAdjoints(), fmt.Sprintf("clear(%s.%s[:])\n", m, a.g), ""))
}

func (l *looped) test(finite string) string { return "finite = finite && " + finite + "\n" }

// groups writes the loops over n directions k, in groups: plain, and careful if that leaves
// finite false.
func (l *looped) groups(add func(format string, args ...any), n int, plain, careful string) {
	end := fmt.Sprintf("min(lo+%d, %d)", sweep.MaxDirections, n)
	if n <= sweep.MaxDirections {
		add("finite := true\nfor k := range %d {\n%s}\nif !finite {\nfor k := range %[1]d {\n%[3]s}\n}\n", n, plain, careful)
		return
	}
	add("for lo := 0; lo < %d; lo += %d {\nfinite := true\nfor k := lo; k < %s; k++ {\n%s}\nif !finite {\nfor k := lo; k < %[3]s; k++ {\n%[5]s}\n}\n}\n", n, sweep.MaxDirections, end, plain, careful)
}
