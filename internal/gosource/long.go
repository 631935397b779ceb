package gosource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
)

// written is how many operations and loops a sweep has when it is written.
func (w *writer) written() int {
	n := 0
	for _, b := range w.p.Batches() {
		if b.Kind == compile.Mixed {
			n += int(b.Len())
		} else {
			n++
		}
	}
	return n
}

// sweep is a function that goes over all operations: forward it computes values or tangents or
// both, back adjoints and, if along, the tangents of these, too.
type sweep struct {
	name   string
	back   bool
	values bool // forward: values
	along  bool // tangents; back: those of adjoints
	curved bool // tangents only of what a nonlinear operation needs
	safe   bool // multiplications in derivatives are derivative products
}

var (
	values   = sweep{name: "Values", values: true}
	moving   = sweep{name: "Moving", values: true, along: true}              // values with tangents
	moved    = sweep{name: "Moved", values: true, along: true, curved: true} // those that products need
	tangents = sweep{name: "Tangents", along: true}                          // once there are values
	adjoints = sweep{name: "Adjoints", back: true}                           // likewise
	products = sweep{name: "Products", back: true, along: true}              // likewise, with tangents
)

// call is the statement that calls a sweep.
func (l *memory) call(s sweep, safe bool) string {
	if s.safe = safe; safe {
		s.name += "Careful"
	}
	var texts []string
	if name := l.private(s.name); !l.written[name] {
		for _, p := range l.parts {
			texts = append(texts, p.text(l, s))
		}
		if s.back {
			slices.Reverse(texts)
		}
	}
	return l.procedure(s.name, texts) + "(" + l.work + ")\n"
}

// write writes a long function: the calls of its sweeps one after the other, and of careful
// ones where a result is not finite.
func (l *memory) write(function Function) {
	p, m := l.p, l.work
	n := p.Inputs()
	v, g, t, u := m+"."+l.v, m+"."+l.g, m+"."+l.t, m+"."+l.u
	var s strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&s, format, args...) }
	forward := func(s sweep) { add("%s%s", l.call(s, false), l.checkGuards(function)) }
	// again repeats sweeps carefully where a result is not finite.
	again := func(finite, text string) { add("if !%s {\n%s}\n", finite, text) }
	outputs := func(array string) string {
		return fmt.Sprintf("for %s := range %s {\n%[2]s[%[1]s] = %[3]s\n}\n", l.j, l.dst, element(array, l.index(p.OutputNodes(), l.j)))
	}
	l.used[l.v] = true
	add("%s", l.start())
	switch function {
	case Value:
		forward(values)
		if p.Outputs() > 1 {
			add("%s", outputs(v))
		}
	case Gradient, VJP:
		l.used[l.g] = true
		forward(values)
		back := func(safe bool) string { return l.seeds(function) + l.call(adjoints, safe) }
		add("%s", back(false))
		again(l.adjointsFinite(l.g), back(true))
		add("copy(%s, %s)\n", l.dst, slice(g, 0, n))
	case JVP:
		l.used[l.t] = true
		add("copy(%s[:], %s)\n", t, l.writer.v)
		forward(moving)
		again(l.outputsFinite(true), l.call(tangents, true))
		add("%s", outputs(t))
	case HVP:
		l.used[l.g], l.used[l.t], l.used[l.u] = true, true, true
		add("copy(%s[:], %s)\n", t, l.writer.v)
		forward(moved)
		back := func(safe bool) string {
			return l.seeds(function) + fmt.Sprintf("clear(%s[:])\n", u) + l.call(products, safe)
		}
		add("%s", back(false))
		again(l.adjointsFinite(l.u), l.call(tangents, true)+back(true))
		add("copy(%s, %s)\n", l.dst, slice(u, 0, n))
	case Jacobian:
		forward(values)
		if p.Inputs() <= p.Outputs() {
			l.used[l.t] = true
			add("for %s := range %d {\nclear(%s)\n%s = 1\n%s", l.k, n, slice(t, 0, n), element(t, l.k), l.call(tangents, false))
			again(l.outputsFinite(true), l.call(tangents, true))
			add("for %s := range %d {\n%s[%d*%s+%s] = %s\n}\n}\n", l.j, p.Outputs(), l.dst, n, l.j, l.k, element(t, l.index(p.OutputNodes(), l.j)))
			break
		}
		l.used[l.g] = true
		row := fmt.Sprintf("clear(%s[:])\n%s = 1\n", g, element(g, l.index(p.OutputNodes(), l.k)))
		add("for %s := range %d {\n%s%s", l.k, p.Outputs(), row, l.call(adjoints, false))
		again(l.adjointsFinite(l.g), row+l.call(adjoints, true))
		add("copy(%s[%d*%s:], %s)\n}\n", l.dst, n, l.k, slice(g, 0, n))
	}
	value := ""
	if p.Outputs() == 1 {
		value = node(v, p.Output(0))
	}
	add("%s", l.done(function, value))
	l.file.Printf("%s%s}\n\n%s", l.head(function, true), s.String(), l.later.String())
	l.later.Reset()
}

// start is the lines that set the values of inputs, parameters and constants.
func (l *memory) start() string {
	p, v := l.p, l.work+"."+l.v
	s := fmt.Sprintf("copy(%s[:], %s)\n", v, l.x)
	if p.Params() > 0 {
		s += fmt.Sprintf("copy(%s[%d:], %s)\n", v, p.Inputs(), l.params)
	}
	if c := p.Consts(); len(c) > 0 {
		s += fmt.Sprintf("copy(%s[%d:], %s[:])\n", v, p.Inputs()+p.Params(), l.file.Numbers("Constants", c))
	}
	if len(l.failures) > 0 {
		s += fmt.Sprintf("%s.%s = -1\n", l.work, failed)
	}
	return s
}

// checkGuards is the lines that return an error if a call has no value or a comparison comes out
// otherwise than recorded.
func (l *memory) checkGuards(function Function) (s string) {
	if len(l.failures) > 0 {
		s = fmt.Sprintf("if %s := %s.%s; %[1]s >= 0 {\n%[4]s\n}\n", l.k, l.work, failed, l.failed(function, l.k))
	}
	guards := l.p.Guards()
	if len(guards) == 0 {
		return s
	}
	if name := l.private("Guards"); !l.written[name] {
		l.written[name] = true
		const size = partSize / 3
		text := ""
		for at := 0; at < len(guards); at += size {
			part := ""
			for k := at; k < min(at+size, len(guards)); k++ {
				holds := l.holds(&guards[k], func(i int32) string { return node(l.v, i) })
				part += fmt.Sprintf("if !(%s) {\nreturn %d\n}\n", holds, k)
			}
			if len(guards) <= size {
				text = part
				break
			}
			of := fmt.Sprintf("%s%d", name, at/size+1)
			l.function(of, " int", part+"return -1\n")
			text += fmt.Sprintf("if %s := %s(%s); %[1]s >= 0 {\nreturn %[1]s\n}\n", l.k, of, l.m)
		}
		l.function(name, " int", text+"return -1\n")
	}
	return s + fmt.Sprintf("if %s := %s(%s); %[1]s >= 0 {\n%[4]s\n}\n", l.k, l.private("Guards"), l.work, l.failed(function, l.k))
}

// seeds is the lines that set the adjoints of the outputs to their weights, and all others to 0.
func (l *memory) seeds(function Function) string {
	p, g := l.p, l.work+"."+l.g
	s := fmt.Sprintf("clear(%s[:])\n", g)
	if p.Outputs() == 1 && function != VJP {
		return s + node(g, p.Output(0)) + " = 1\n"
	}
	return s + Over(l.j, p.Outputs(), fmt.Sprintf("%s[%s] += %s[%s]\n", g, l.index(p.OutputNodes(), l.j), l.w, l.j))
}

// adjointsFinite is the condition that the values of outputs are finite, and what an array of
// adjoints has at the inputs and at the outputs of calls, which need not show in it (see
// carefully in package sweep).
func (l *memory) adjointsFinite(array string) string {
	tests := []string{l.outputsFinite(false), fmt.Sprintf("%s(%s)", l.file.Function("Finite", finite), slice(l.work+"."+array, 0, l.p.Inputs()))}
	for i := range int32(l.p.Len()) {
		if c := l.p.CallAt(i); c != nil {
			tests = append(tests, fmt.Sprintf("%s(%s)", l.file.Function("Finite", finite), outputsOf(c, i, l.work+"."+array)))
		}
	}
	return "(" + strings.Join(tests, " && ") + ")"
}

// finite is a function that functions of a file share.
const finite = `// NAME reports whether no element is an infinity or a NaN.
func NAME(x []float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

`

// outputsFinite is the condition that the values of all outputs are finite, and with along their
// tangents: an expression for a derivative may be simpler than the operation in that it does not
// show that the value is NaN.
func (l *memory) outputsFinite(along bool) string {
	what, arrays := "ValuesFinite", []string{l.v}
	if along {
		what, arrays = "OutputsFinite", append(arrays, l.t)
	}
	name := l.private(what)
	if !l.written[name] {
		l.written[name] = true
		test := ""
		for _, a := range arrays {
			test += fmt.Sprintf("if %s := %s; %[1]s-%[1]s != 0 {\nreturn false\n}\n", l.s, element(a, l.index(l.p.OutputNodes(), l.j)))
		}
		l.function(name, " bool", Over(l.j, l.p.Outputs(), test)+"return true\n")
	}
	return name + "(" + l.work + ")"
}
