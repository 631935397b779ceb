package straight

import (
	"fmt"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/source"
)

// The time that Go takes to compile a function grows faster than its length, since more
// variables live at once: 1,000 lines take 0.3 s, 10,000 in one function minutes. So a
// long function is written otherwise: its nodes are elements of arrays, in memory that the
// caller gives; a batch is a loop over its lanes; and nodes of mixed batches are lines of
// functions of bounded length. What is written is the sweeps of package sweep, step by step.
const (
	partSize = 400 // how many lines a function has at most, unless it is a loop over one batch
	most     = 256 // how many terms of a sum are in one expression
	few      = 16  // how many operands a list has at most that is not written as a loop
)

// Longest is how many lines a short function has at most. Tests lower it.
var Longest = longest

const longest = 1000

// mostWritten is how many operations and loops of a sweep are written at most.
const mostWritten = 1_000_000

// isLong reports whether a function is to be written as a long one, with nodes in memory.
func (w *writer) isLong(function Function) bool {
	p := w.p
	sweeps, most := 1, Longest
	if function == Jacobian {
		sweeps = min(p.Inputs(), p.Outputs())
	}
	if w.settings.Short {
		most = longest
	}
	if p.HasCalls() || p.Ops() > most || sweeps*p.Ops() > 8*most {
		return true
	}
	b := w.start(false)
	b.derive(function)
	b.finish(function)
	return len(b.live()) > most
}

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

// arrays is the names of the arrays in the memory: values, adjoints, tangents, second-order
// adjoints, partials that products with the Hessian find stored, operands of calls.
type arrays struct{ v, g, t, u, d, c string }

var inMemory = arrays{"v", "g", "t", "u", "d", "c"}

// looped writes long functions, whose nodes are in memory.
type looped struct {
	*body             // that at hand: plain, or safe in careful functions
	plain     *body   // with plain products
	safe      *body   // with derivative products
	t, gs, us []value // by node, the elements of the arrays t, g and u

	used     map[string]bool   // arrays that are mentioned
	declared map[string]string // names of tables and parts of procedures, by their text
	count    map[string]int    // by what they are, how many names there are
	written  map[string]bool   // functions that have been written
	later    strings.Builder   // what is to be written after the function at hand

	sections *compile.Sections // of sweeps of second order
	store    bool              // reverse sweeps store partials
	some     bool              // loops over a batch go over its lanes lo … hi−1 only
	mostArgs int               // the most operands that a call has

	mark  []int32 // by node, the number of the last list that had it, see meet
	lists int32   // how many lists there were
}

// startLoops returns w.loops, which it makes if there is none.
func (w *writer) startLoops() *looped {
	if w.loops != nil {
		return w.loops
	}
	l := &looped{used: map[string]bool{}, declared: map[string]string{}, count: map[string]int{}, written: map[string]bool{}, mark: make([]int32, w.p.Len())}
	for i := range int32(w.p.Len()) {
		if c := w.p.CallAt(i); c != nil {
			l.mostArgs = max(l.mostArgs, len(c.Args))
		}
	}
	long := *w
	long.constants = nil // in memory, constants are nodes like others
	l.plain, l.safe = long.start(false), long.start(true)
	l.plain.memory, l.safe.memory = true, true
	l.body = l.plain
	elements := func(array string) []value {
		x := make([]value, w.p.Len())
		for i := range x {
			x[i] = value{s: element(array, i)}
		}
		return x
	}
	l.t, l.gs, l.us = elements(l.arrays.t), elements(l.arrays.g), elements(l.arrays.u)
	long.g, long.loops = l.gs, l
	w.loops = l
	return l
}

// carefully has write write derivative products.
func (l *looped) carefully(write func()) {
	l.body = l.safe
	write()
	l.body = l.plain
}

// flush is the lines of the body as text, which it leaves empty. Names that it sets are
// variables or elements of arrays.
func (l *looped) flush() string {
	b := l.body
	var s strings.Builder
	b.needed = nil
	for k := range b.lines { // elements are set whoever needs them
		if line := &b.lines[k]; line.names != nil && strings.Contains(line.names[0], "[") {
			line.expr, line.names = line.names[0]+" = "+line.expr, nil
		}
	}
	for _, line := range b.live() {
		if line.names != nil {
			assign := " := "
			if line.more {
				assign = " = "
			}
			s.WriteString(strings.Join(line.names, ", ") + assign)
		}
		s.WriteString(line.expr)
		if line.comment != "" {
			s.WriteString(" // " + line.comment)
		}
		s.WriteString("\n")
	}
	b.lines = b.lines[:0]
	clear(b.d)
	clear(b.h)
	clear(b.lists)
	return s.String()
}

// increase is the line that adds a value to an element.
func (b *body) increase(to string, v value) string {
	s := b.spell(v)
	if s[0] == '-' && !strings.Contains(s, " ") {
		return to + " -= " + s[1:]
	}
	return to + " += " + s
}

// sums is adjoints that are elements bar of an array: what is added becomes a line at once.
func (l *looped) sums(bar []value) *adjoints {
	b := l.body
	return &adjoints{bar: bar, emit: func(j int32, v value) { b.raw("%s", b.increase(bar[j].s, v)) }}
}

// clear is the lines that clear spans of an array in the argument for the memory.
func (l *looped) clear(array string, spans []compile.Span) string {
	if len(spans) > few/2 {
		return fmt.Sprintf("clear(%s.%s[:])\n", l.work, array)
	}
	s := ""
	for _, x := range spans {
		s += fmt.Sprintf("clear(%s.%s[%d:%d])\n", l.work, array, x.Lo, x.Hi)
	}
	return s
}

// derivativeProduct is a call of a function for the derivative product. That is not inlined,
// since careful code is long, and rarely runs.
func (l *looped) derivativeProduct(a, b string) string {
	name := l.private("CarefulProduct")
	if !l.written[name] {
		l.written[name] = true
		fmt.Fprintf(&l.later, "//go:noinline\nfunc %s(a, b float64) float64 { return %s }\n\n", name, l.file.Prod("a", "b"))
	}
	return name + "(" + a + ", " + b + ")"
}

// wrapped is the name of a function that calls one of the user, on a number: called in
// place, the user's name could be that of a local variable.
func (l *looped) wrapped(name string) string {
	return l.wrap(name, "float64", " float64", "return ", "x")
}

// wrappedVector is wrapped for a function on slices.
func (l *looped) wrappedVector(name string, args ...string) string {
	return l.wrap(name, "[]float64", "", "", args...)
}

func (l *looped) wrap(name, kind, result, returns string, args ...string) string {
	own, ok := l.declared["func "+name]
	if !ok {
		own = l.fresh("Primitive")
		l.declared["func "+name] = own
		names := source.Names{name: true}
		for k, a := range args {
			args[k] = names.Fresh(a)
		}
		list := strings.Join(args, ", ")
		fmt.Fprintf(&l.later, "func %s(%s %s)%s { %s%s(%s) }\n\n", own, list, kind, result, returns, name, list)
	}
	return own
}

// memoryType is the declaration of the type of the memory.
func (l *looped) memoryType() string {
	s := source.Comment(l.workName()+" is the memory of an evaluation, for one goroutine at a time.") + "type " + l.workName() + " struct {\n"
	for _, a := range l.allArrays() {
		if l.used[a] {
			n := l.p.Len()
			switch a {
			case l.arrays.d:
				n = l.p.StoredPartials()
			case l.arrays.c:
				n = 3 * l.mostArgs
				for _, more := range l.callMemory {
					n = max(n, 3*l.mostArgs+more)
				}
			}
			s += fmt.Sprintf("%s [%d]float64\n", a, apart(n))
		}
	}
	if len(l.failures) > 0 {
		s += failed + " int\n"
	}
	return s + "}\n\n"
}

// apart is a length of arrays of at least n elements such that elements i of arrays that
// follow each other in memory are not about a multiple of 4 KiB apart: loads and stores of
// such elements would wait for each other (see package sweep).
func apart(n int) int {
	const page, line = 512, 8
	if n < page {
		return n
	}
	if k := n % page; k < 4*line {
		return n - k + 4*line
	} else if k > page-4*line {
		return n - k + page + 4*line
	}
	return n
}
