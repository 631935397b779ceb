package straight

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// The time that Go takes to compile a function grows faster than its length, since more
// variables live at once: 1,000 lines take 0.3 s, 10,000 in one function minutes. So a
// long program is written otherwise: its nodes are elements of arrays, in memory that the
// caller gives; a batch is a loop over its lanes; and nodes of no batch are lines of
// functions of a bounded length. All that is written are the sweeps of package sweep,
// step by step.
const (
	partSize = 400 // lines of a function that has nodes in memory, if it is not one batch
	most     = 256 // terms of a sum in one expression
	few      = 16  // operands of a list that is no loop
)

// Longest is how many lines a function without loops has at most. Tests lower it.
var Longest = longest

const longest = 1000

// mostWritten is how many operations, or loops, are written at most.
const mostWritten = 1_000_000

// isLong reports whether a function has its nodes in memory.
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

// written is how many operations and loops there are in a sweep.
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

// arrays is what the memory has: values, adjoints, tangents, adjoints of second order,
// partial derivatives that are kept, and operands of calls.
type arrays struct{ v, g, t, u, d, c string }

var inMemory = arrays{"v", "g", "t", "u", "d", "c"}

// looped writes functions whose nodes are in memory.
type looped struct {
	*body
	plain, safe *body
	used        map[string]bool   // arrays
	declared    map[string]string // tables and parts, by what they are
	count       map[string]int
	written     map[string]bool // procedures
	later       strings.Builder // to be written after the function
	t, gs, us   []value         // elements of the arrays
	mark        []int32         // by node, the number of a list that has it
	lists       int32
	sections    *compile.Sections
	store       bool // adjoints keep partials
	mostArgs    int  // of a call
	some        bool // loops are over the lanes lo … hi−1
}

// startLoops is what writes long functions.
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
	long.constants = nil // they are in memory
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

// carefully writes with derivative products.
func (l *looped) carefully(write func()) {
	l.body = l.safe
	write()
	l.body = l.plain
}

// place is element at+i of an array.
func place(array string, at int32, i string) string {
	switch {
	case i == "":
		return element(array, int(at))
	case at == 0:
		return array + "[" + i + "]"
	}
	return array + "[" + strconv.Itoa(int(at)) + "+" + i + "]"
}

// table is the name of a table of whole numbers.
func (l *looped) table(what string, x []int32) string {
	words, kind := make([]string, len(x)), "uint16"
	for k, v := range x {
		words[k] = strconv.Itoa(int(v)) + ","
		if v < 0 || v > math.MaxUint16 {
			kind = "int32"
		}
	}
	return l.declare(what, kind, words)
}

// numbers is the name of a table of numbers.
func (l *looped) numbers(what string, x []float64) string {
	words := make([]string, len(x))
	for k, v := range x {
		words[k] = l.file.Number(v) + ","
	}
	return l.declare(what, "float64", words)
}

// declare is the name of a table, declared if there is none with the same elements.
func (l *looped) declare(what, kind string, words []string) string {
	elements := strings.Join(source.Wrap(words, 96), "\n")
	name, ok := l.declared[kind+elements]
	if !ok {
		name = l.fresh(what)
		l.declared[kind+elements] = name
		fmt.Fprintf(&l.later, "var %s = [...]%s{\n%s\n}\n\n", name, kind, elements)
	}
	return name
}

func (l *looped) fresh(what string) string {
	l.count[what]++
	return l.private(what + strconv.Itoa(l.count[what]))
}

// index is element k of a list of whole numbers, as an expression in k: arithmetic, if
// they go in even steps.
func (l *looped) index(x []int32, k string) string {
	if first, step, ok := even(x); ok {
		switch {
		case step == 0:
			return strconv.Itoa(int(first))
		case step != 1:
			k = strconv.Itoa(int(step)) + "*" + k
		}
		switch {
		case first == 0:
			return k
		case step < 0:
			return strconv.Itoa(int(first)) + k
		}
		return strconv.Itoa(int(first)) + "+" + k
	}
	return l.table("Places", x) + "[" + k + "]"
}

// even reports whether x goes in even steps.
func even(x []int32) (first, step int32, ok bool) {
	if len(x) > 1 {
		step = x[1] - x[0]
	}
	for k := 1; k < len(x); k++ {
		if x[k]-x[k-1] != step {
			return 0, 0, false
		}
	}
	return x[0], step, true
}

// constant is element k of a list of numbers, as an expression in k.
func (l *looped) constant(x []float64, k string) string {
	if same(x) {
		return l.file.Number(x[0])
	}
	return l.numbers("Numbers", x) + "[" + k + "]"
}

func same(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.Float64bits(v) != math.Float64bits(x[0]) })
}

// procedure is a function of the memory, written in parts.
type procedure struct {
	*looped
	name  string
	text  strings.Builder
	lines int
	calls []string
}

// procedure writes a function, once; lines adds to it. Its name is returned.
func (l *looped) procedure(what string, lines func(q *procedure)) string {
	name := l.private(what)
	if !l.written[name] {
		l.written[name] = true
		q := &procedure{looped: l, name: name}
		lines(q)
		q.end()
	}
	return name
}

// add adds lines, that need nothing of others before but what is in memory.
func (q *procedure) add(text string) {
	n := strings.Count(text, "\n")
	if q.lines+n > partSize {
		q.cut()
	}
	q.text.WriteString(text)
	q.lines += n
}

// cut makes a part of the lines since the last one. Alike parts are one function.
func (q *procedure) cut() {
	if q.lines == 0 {
		return
	}
	text := q.text.String()
	q.text.Reset()
	q.lines = 0
	name, ok := q.declared[text]
	if !ok {
		name = q.fresh("Part")
		q.declared[text] = name
		q.function(name, "", text)
	}
	q.calls = append(q.calls, name)
}

// function writes a function of the memory, with more arguments.
func (l *looped) function(name, arguments, text string) {
	fmt.Fprintf(&l.later, "func %s(%s *%s%s) {\n%s%s}\n\n", name, l.m, l.workName(), arguments, l.open(text), text)
}

// open defines the arrays that a text mentions.
func (l *looped) open(text string) string {
	mentioned := map[string]bool{}
	eachWord(text, func(from, to int) { mentioned[text[from:to]] = true })
	s := ""
	for _, a := range l.allArrays() {
		if mentioned[a] {
			l.used[a] = true
			s += fmt.Sprintf("%s := &%s.%s\n", a, l.m, a)
		}
	}
	return s
}

func (l *looped) allArrays() []string {
	return []string{l.arrays.v, l.arrays.g, l.arrays.t, l.arrays.u, l.arrays.d, l.arrays.c}
}

// end writes the function.
func (q *procedure) end() {
	if len(q.calls) == 0 {
		q.function(q.name, "", q.text.String())
		return
	}
	q.cut()
	text := ""
	for _, part := range q.calls {
		text += part + "(" + q.m + ")\n"
	}
	q.function(q.name, "", text)
}

// flush is the lines of the body as text: names are variables, or elements of arrays.
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

// sums has adjoints add to elements at once.
func (l *looped) sums(bar []value) *adjoints {
	b := l.body
	return &adjoints{bar: bar, emit: func(j int32, v value) { b.raw("%s", b.increase(bar[j].s, v)) }}
}

// values writes the values of all nodes. It returns its name.
func (l *looped) values() string {
	name := l.private("Values")
	if l.written[name] {
		return name
	}
	l.written[name] = true
	p := l.p
	nodes := l.procedure("Nodes", func(q *procedure) {
		for k := range p.Batches() {
			l.batchValues(q, &p.Batches()[k])
		}
	})
	text := fmt.Sprintf("copy(%s[:], %s)\n", l.arrays.v, l.x)
	if p.Params() > 0 {
		text += fmt.Sprintf("copy(%s[%d:], %s)\n", l.arrays.v, p.Inputs(), l.params)
	}
	if c := p.Consts(); len(c) > 0 {
		text += fmt.Sprintf("copy(%s[%d:], %s[:])\n", l.arrays.v, p.Inputs()+p.Params(), l.numbers("Constants", c))
	}
	text += fmt.Sprintf("%s(%s)\n", nodes, l.m)
	result := ""
	if l.fails() {
		result = " int"
		if len(l.failures) > 0 {
			text = fmt.Sprintf("%s.%s = -1\n%sif k := %[1]s.%[2]s; k >= 0 {\nreturn k\n}\n", l.m, failed, text)
		}
		text += l.guards()
	}
	arguments := ", " + l.x
	if p.Params() > 0 {
		arguments += ", " + l.params
	}
	doc := source.Comment(name + " computes all operations" + map[bool]string{true: " and returns the number of the first comparison that does not hold, or -1"}[result != ""] + ".")
	fmt.Fprintf(&l.later, "%sfunc %s(%s *%s%s []float64)%s {\n%s%s}\n\n", doc, name, l.m, l.workName(), arguments, result, l.open(text), text)
	return name
}

// guards is the lines that return the number of the first guard that does not hold.
func (l *looped) guards() string {
	var lines []string
	guards := l.p.Guards()
	for k := range guards {
		lines = append(lines, fmt.Sprintf("if !(%s) {\nreturn %d\n}\n", l.holds(&guards[k]), k))
	}
	const size = partSize / 3
	if len(lines) <= size {
		return strings.Join(lines, "") + "return -1\n"
	}
	text := ""
	for part := range slices.Chunk(lines, size) {
		name := l.fresh("Guards")
		body := strings.Join(part, "") + "return -1\n"
		fmt.Fprintf(&l.later, "func %s(%s *%s) int {\n%s%s}\n\n", name, l.m, l.workName(), l.open(body), body)
		text += fmt.Sprintf("if k := %s(%s); k >= 0 {\nreturn k\n}\n", name, l.m)
	}
	return text + "return -1\n"
}

// tangents writes the tangents of all nodes.
func (l *looped) tangents() string {
	p := l.p
	return l.procedure("Tangents", func(q *procedure) {
		moved := false
		for k := range p.Batches() {
			b := &p.Batches()[k]
			if l.isStill(b, &moved) {
				q.add(fmt.Sprintf("clear(%s[%d:%d])\n", l.arrays.t, b.Lo, b.Hi))
			} else {
				l.batchTangents(q, b, false)
			}
		}
	})
}

// isStill reports whether no lane has a tangent; moved says whether some batch before
// has.
func (l *looped) isStill(b *compile.Batch, moved *bool) bool {
	if !(b.ReadsOperations && *moved) && !b.InputsRead.Intersects(l.p.EveryInput()) {
		return true
	}
	*moved = true
	return false
}

// carefulTangents is tangents with derivative products.
func (l *looped) carefulTangents() string {
	return l.procedure("TangentsCareful", func(q *procedure) {
		l.carefully(func() {
			for k := range l.p.Batches() {
				l.batchTangents(q, &l.p.Batches()[k], false)
			}
		})
	})
}

// adjoints writes the adjoints of all nodes; with store they keep what products with the
// Hessian need.
func (l *looped) adjoints(store bool) string {
	what := "Adjoints"
	if store {
		what = "Linearize"
	}
	l.store = store
	return l.procedure(what, l.allAdjoints)
}

func (l *looped) carefulAdjoints() string {
	l.store = false
	return l.procedure("AdjointsCareful", func(q *procedure) {
		l.carefully(func() { l.allAdjoints(q) })
	})
}

// allAdjoints writes what all batches add to the adjoints. Many nodes of none are parts of
// their own, which are the same whether partial derivatives are kept or not.
func (l *looped) allAdjoints(q *procedure) {
	for _, b := range slices.Backward(l.p.Batches()) {
		apart := b.Kind == compile.Mixed && b.Len() > partSize/4
		if apart {
			q.cut()
		}
		l.batchAdjoints(q, &b)
		if apart {
			q.cut()
		}
	}
}

// seconds writes the sweeps of second order. The lines that call them are returned.
func (l *looped) seconds() string {
	if l.sections == nil {
		l.sections = l.p.Sections(sweep.SectionLanes)
	}
	s := l.sections
	if len(s.Rest) > 0 {
		return l.cutSeconds()
	}
	down := l.procedure("SecondTangents", func(q *procedure) {
		moved := false
		for k := range s.Head.Pieces {
			l.pieceTangents(q, &s.Head.Pieces[k], &moved)
		}
	})
	up := l.procedure("Products", func(q *procedure) {
		for _, c := range slices.Backward(s.Head.Pieces) {
			if l.isWanted(&c.Places) {
				l.batchSeconds(q, c.Batch, &c.Places)
			}
		}
	})
	unwritten := append(slices.Clone(s.Unwritten), s.Head.Unwritten...)
	return fmt.Sprintf("%s(%s)\n%s%s(%s)\n", down, l.work, l.clear(l.arrays.u, unwritten), up, l.work)
}

// pieceTangents writes the tangents of a batch that products with the Hessian need.
func (l *looped) pieceTangents(q *procedure, c *compile.Piece, moved *bool) {
	switch b := c.Batch; {
	case !b.FeedsNonlinear:
	case l.isStill(b, moved):
		q.add(fmt.Sprintf("clear(%s[%d:%d])\n", l.arrays.t, b.Lo, b.Hi))
	default:
		l.batchTangents(q, b, true)
	}
}

// isWanted reports whether the second-order adjoints of what a batch reads matter.
func (l *looped) isWanted(b *compile.Batch) bool {
	return b.ReadsOperations || b.InputsRead.Intersects(l.p.EveryInput())
}

// cutSeconds writes sweeps over a program that is cut into sections: a function for each
// batch, of some of its lanes, and tables of which lanes follow which.
func (l *looped) cutSeconds() string {
	s := l.sections
	var batches []*compile.Batch
	number := map[*compile.Batch]int32{}
	var pieces []string
	var starts []int32
	add := func(section *compile.Section) {
		starts = append(starts, int32(len(pieces)))
		for k := range section.Pieces {
			c := &section.Pieces[k]
			b, ok := number[c.Batch]
			if !ok {
				b = int32(len(batches))
				number[c.Batch] = b
				batches = append(batches, c.Batch)
			}
			pieces = append(pieces, fmt.Sprintf("{%d, %d, %d},", b, c.Lo-c.Batch.Lo, c.Hi-c.Batch.Lo))
		}
	}
	add(&s.Head)
	for k := range s.Rest {
		add(&s.Rest[k])
	}
	starts = append(starts, int32(len(pieces)))
	moved := false
	var down, up []string
	for _, b := range batches {
		still := !b.FeedsNonlinear || l.isStill(b, &moved)
		down = append(down, l.lanesFunction("SecondTangents", b, func(q *procedure) {
			if !still {
				l.batchTangents(q, b, true)
			} else if b.FeedsNonlinear {
				q.add(fmt.Sprintf("clear(%s[%d:%d])\n", l.arrays.t, b.Lo, b.Hi))
			}
		}))
		up = append(up, l.lanesFunction("Products", b, func(q *procedure) {
			if l.isWanted(b) {
				l.batchSeconds(q, b, nil)
			}
		}))
	}
	functions := func(what string, names []string) string {
		name := l.private(what)
		for k := range names {
			names[k] += ","
		}
		fmt.Fprintf(&l.later, "var %s = [...]func(%s *%s, lo, hi int){\n%s\n}\n\n", name, l.m, l.workName(), strings.Join(source.Wrap(names, 96), "\n"))
		return name
	}
	name := l.file.Private("Products")
	if !l.written[name] {
		l.written[name] = true
		tangents, products := functions("TangentsOf", down), functions("ProductsOf", up)
		table, sections := l.declare("Pieces", "[3]int32", pieces), l.table("Sections", starts)
		text := strings.NewReplacer("NAME", name, "WORK", l.m+" *"+l.workName(), "MEMORY", l.m, "SECTIONS", sections, "PIECES", table,
			"TANGENTS", tangents, "PRODUCTS", products, "ARRAY", l.arrays.u, "COUNT", strconv.Itoa(len(s.Rest))).Replace(overSections)
		l.later.WriteString(text)
	}
	return fmt.Sprintf("%s(%s)\n", name, l.work)
}

const overSections = `// NAME goes over the operations section by section, whose
// tangents and adjoints stay in the caches, forward and at once back.
func NAME(WORK) {
	forward := func(k int) {
		for _, c := range PIECES[SECTIONS[k]:SECTIONS[k+1]] {
			TANGENTS[c[0]](MEMORY, int(c[1]), int(c[2]))
		}
	}
	backward := func(k int) {
		for i := int(SECTIONS[k+1]) - 1; i >= int(SECTIONS[k]); i-- {
			c := PIECES[i]
			PRODUCTS[c[0]](MEMORY, int(c[1]), int(c[2]))
		}
	}
	clear(MEMORY.ARRAY[:])
	forward(0)
	for k := COUNT; k > 0; k-- {
		forward(k)
		backward(k)
	}
	backward(0)
}

`

// lanesFunction writes a function over the lanes lo … hi−1 of a batch.
func (l *looped) lanesFunction(what string, b *compile.Batch, lines func(q *procedure)) string {
	if b.Kind == compile.Mixed || b.Kind == compile.Rows {
		inner := l.procedure(fmt.Sprintf("%sFrom%d", what, b.Lo), lines)
		name := inner + "All"
		fmt.Fprintf(&l.later, "func %s(%s *%s, _, _ int) { %s(%[2]s) }\n\n", name, l.m, l.workName(), inner)
		return name
	}
	name := l.private(fmt.Sprintf("%sFrom%d", what, b.Lo))
	q := &procedure{looped: l}
	l.some = true
	lines(q)
	l.some = false
	l.function(name, ", lo, hi int", q.text.String())
	return name
}

func (l *looped) carefulSeconds() string {
	return l.procedure("ProductsCareful", func(q *procedure) {
		l.carefully(func() {
			for _, b := range slices.Backward(l.p.Batches()) {
				l.batchSeconds(q, &b, nil)
			}
		})
	})
}

// clear clears spans of an array of the argument that is the memory.
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

// derivativeProduct is a function that multiplies derivatives. It is not inlined: careful
// code is long, and rarely runs.
func (l *looped) derivativeProduct(a, b string) string {
	name := l.private("CarefulProduct")
	if !l.written[name] {
		l.written[name] = true
		fmt.Fprintf(&l.later, "//go:noinline\nfunc %s(a, b float64) float64 { return %s }\n\n", name, l.file.Prod("a", "b"))
	}
	return name + "(" + a + ", " + b + ")"
}

// wrapped is a function that calls one of the user, whose name may be that of a variable
// elsewhere: of a number, or of slices.
func (l *looped) wrapped(name string) string {
	return l.wrap(name, "float64", " float64", "return ", "x")
}

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

// memoryType is the type of the memory.
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

// apart is a length of arrays, at least n, with which their elements i are not a multiple
// of 4 KiB from each other: such arrays stall each other.
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
