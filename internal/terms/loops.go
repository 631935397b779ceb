package terms

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/source"
)

// loops writes a sum of terms: the lines that set or clear the arrays, a loop over the terms
// of each shape, and the copies to the other triangle of a symmetric matrix.
func (w *writer) loops() {
	for k := range w.to {
		to := &w.to[k]
		to.touched, to.first, to.last = make([]bool, to.n), make([]int64, to.n), make([]int64, to.n)
		to.lastBy = make([]*store, to.n)
	}
	w.findImages()
	if err := w.makePasses(); err != nil {
		w.err = err
		return
	}
	w.findFirstAndLast()
	var loops []*loop
	for _, q := range w.passes {
		loops = append(loops, w.prepare(q))
	}
	w.begin()
	text := w.capture(func() {
		for _, l := range loops {
			l.write()
		}
	})
	if w.checks {
		w.printf("var z float64 // finite only if all that is added is\n")
	}
	w.printf("%s", text)
	w.mirror()
	w.footer("f")
}

// findImages finds the image of each place of a symmetric matrix: the place of the same
// element in the other triangle.
func (w *writer) findImages() {
	if !w.Matrix || w.m.low.Len() == 0 {
		return
	}
	w.image = make([]int32, w.to[toMatrix].n)
	for k := range w.image {
		w.image[k] = -1
	}
	up := w.m.up.Places()
	for k, at := range w.m.low.Places() {
		w.image[at] = up[k]
	}
}

// makePasses makes the passes: first those for entries that are the same at every point, if
// the plan adds these up first, then those for all else.
func (w *writer) makePasses() error {
	graphs, outputs := make([]*expr.Graph, len(w.pl.shapes)), make([][]expr.Output, len(w.pl.shapes))
	kernels := w.pl.code(w.v).kernels
	for k, s := range w.pl.shapes {
		if s.isSwept(w.v) {
			if s.swept.program.HasCalls() {
				return gosource.Calls("Repeat of a term", &s.swept.program.Tape)
			}
			why := "terms by sweeps, for which symbols would be too large; a plan by colors has source"
			if w.call {
				why = "Repeat of a term for which symbols would be too large"
			}
			return &gosource.Unsupported{Op: why}
		}
		graphs[k] = expr.NewGraph(s.isUniform, false)
		outputs[k] = s.Derive(graphs[k], w.v)
	}
	isInvariant := func(k int, o expr.Output) bool {
		return kernels[k].(*vectorKernel).invariant != nil && o.IsEntry() && o.Invariant() && !w.v.Weighted
	}
	for _, invariant := range []bool{true, false} {
		for k := range w.pl.shapes {
			var some []expr.Output
			for _, o := range outputs[k] {
				if isInvariant(k, o) == invariant {
					some = append(some, o)
				}
			}
			if len(some) > 0 {
				w.chooseOrder(w.newPass(k, graphs[k], some))
			}
		}
	}
	return nil
}

// begin writes the lines that give the arrays what they have before the first term.
func (w *writer) begin() {
	for k := range w.to {
		to := &w.to[k]
		if !to.wanted || k == toY && w.isScalar() {
			continue
		}
		if to.start != nil {
			w.printf("copy(%s, %s[:])\n", w.slice(k), w.File.Numbers("Constants", to.start))
			continue
		}
		set := make([]bool, to.n)
		for _, q := range w.passes {
			for _, st := range q.stores {
				if st.to == k && st.sets {
					for _, at := range st.at {
						set[at] = true
						if st.copies {
							set[w.image[at]] = true
						}
					}
				}
			}
		}
		if k == toMatrix {
			for at, image := range w.image { // set by mirror
				if image >= 0 && to.touched[at] {
					set[image] = true
				}
			}
		}
		w.clear(k, set)
	}
	if w.returnsF() && w.to[toY].start != nil {
		w.printf("f = %s\n", w.File.Number(w.to[toY].start[0]))
	}
}

// slice is an expression for array number k as a slice.
func (w *writer) slice(k int) string {
	if k == toY && w.sums() {
		return "y[:]"
	}
	return w.to[k].name
}

// clear writes the lines that clear the elements of array k that no result sets.
func (w *writer) clear(k int, set []bool) {
	name := w.to[k].name
	var gaps [][2]int
	for i := 0; i < len(set); i++ {
		if !set[i] {
			lo := i
			for i < len(set) && !set[i] {
				i++
			}
			gaps = append(gaps, [2]int{lo, i})
		}
	}
	const few = 4
	if len(gaps) > few || len(gaps) == 1 && gaps[0] == [2]int{0, len(set)} {
		w.printf("clear(%s)\n", w.slice(k))
		return
	}
	for _, g := range gaps {
		if g[1]-g[0] == 1 {
			w.printf("%s[%d] = 0\n", name, g[0])
		} else {
			w.printf("clear(%s[%d:%d])\n", name, g[0], g[1])
		}
	}
}

// loop writes the loop of a pass.
type loop struct {
	*writer
	*pass
	lists
	names source.Names
	lane  []int32 // 0, 1, …, a list like others; nil if the number of the lane is not needed

	// By result:
	value   map[*store]string  // its expression
	images  map[*store][]int32 // if it copies, the image of each place
	kept    map[*store]string  // if it is added after the loop, the array that keeps it
	next    map[*store]string  // if it has runs, the variable for the number of the next
	chained map[*store]bool    // it is in a chain

	chains []*chain
	check  []int32  // nodes that are looked at to see whether all is finite
	total  []string // the expressions of these, and constants that are not finite
	after  bool     // something is added after each block
	inRest bool     // the lanes at hand are those left when four are taken together
}

// prepare decides how the loop of a pass goes.
func (w *writer) prepare(q *pass) *loop {
	l := &loop{writer: w, pass: q, names: w.names(), images: map[*store][]int32{}, value: map[*store]string{}, kept: map[*store]string{}, chained: map[*store]bool{}}
	for _, st := range q.stores {
		l.after = l.after || st.mode != inLoop
	}
	l.lists = lists{n: q.s.terms, forward: q.forward, blocks: l.after || !q.forward, number: map[*int32]place{}}
	p := w.newPrinter(q.g, l.names)
	l.findToCheck()
	for _, st := range q.stores {
		if l.isPrinted(st) && !st.isConstant {
			p.Want(st.node, outputName(st.Output))
		}
	}
	p.Count()
	l.addLists(p)
	l.layOut()
	l.makeChains()
	l.addImages()
	l.arrange()
	l.chains = slices.DeleteFunc(l.chains, l.undo)
	p.Leaf = l.leaf
	l.printer = p
	return l
}

// write writes the loop.
func (l *loop) write() {
	p, w, q := l.printer, l.writer, l.pass
	for _, st := range q.stores {
		if !l.isPrinted(st) {
			continue
		}
		if st.isConstant {
			l.value[st] = w.File.Number(st.constant)
			if st.constant-st.constant != 0 {
				l.total = append(l.total, l.value[st])
			}
			continue
		}
		l.value[st] = p.Node(st.node)
	}
	for _, i := range l.check {
		l.total = append(l.total, p.Node(i))
	}
	w.printf("\n// %s\n", l.describe())
	l.print(p.Uniform(), p.Body())
}

// findToCheck finds a few nodes such that all results are finite if these are. Sums over a
// block are checked in any case.
func (l *loop) findToCheck() {
	if l.v.Safe {
		return
	}
	var finite, wanted []int32
	for _, st := range l.stores {
		switch {
		case st.isConstant:
		case st.mode == summed:
			finite = append(finite, st.node)
		default:
			wanted = append(wanted, st.node)
		}
	}
	l.check = l.g.ToCheck(finite, wanted)
}

// isPrinted reports whether st is added to something, or checked.
func (l *loop) isPrinted(st *store) bool {
	return l.isStored(st) || !st.isConstant && slices.Contains(l.check, st.node)
}

// arrange lays out the lists. If some are tables, which are read by lane, the lane is a list,
// too.
func (l *loop) arrange() {
	l.layOut()
	if !l.isOne() && l.hasTable() {
		l.needLane()
		l.layOut()
	}
	l.declare(func(x []int32) string { return l.File.Integers("Places", x) })
}

// describe is the comment above the loop.
func (l *loop) describe() string {
	plural := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	return plural(l.s.terms, "term") + " in " + plural(len(l.s.vars), "variable")
}

// addLists adds the lists of places that the loop reads and adds to.
func (l *loop) addLists(p *code.Printer) {
	p.Leaves(func(leaf expr.Node) {
		switch {
		case leaf.Leaf == expr.Data:
			l.needLane()
		case !l.s.isUniform(leaf):
			l.add(l.places(leaf))
		}
	})
	if l.after {
		l.needLane()
	}
	for _, st := range l.stores {
		if st.mode != inLoop || !l.to[st.to].wanted {
			continue
		}
		l.add(st.at)
	}
}

// addImages adds the lists of images.
func (l *loop) addImages() {
	for _, st := range l.stores {
		if !st.copies || !l.to[st.to].wanted {
			continue
		}
		up := make([]int32, len(st.at))
		for t, at := range st.at {
			up[t] = l.image[at]
		}
		l.images[st] = up
		l.add(up)
	}
}

// needLane makes the number of the lane a list.
func (l *loop) needLane() {
	if l.lane == nil {
		l.lane = make([]int32, l.lists.n)
		for t := range l.lane {
			l.lane[t] = int32(t)
		}
		l.add(l.lane)
	}
}

// places is the list of the places of a leaf. It returns the same slice for the same list, by
// which lists are told apart.
func (l *loop) places(leaf expr.Node) []int32 { return l.writer.places(l.s.index(leaf)) }

// places is the places of an index, made once.
func (w *writer) places(x *code.Index) []int32 {
	if w.known == nil {
		w.known = map[*code.Index][]int32{}
	}
	if w.known[x] == nil {
		w.known[x] = x.Places()
	}
	return w.known[x]
}

// leaf is a leaf as an expression.
func (l *loop) leaf(leaf expr.Node) string {
	if leaf.Leaf == expr.Data {
		each := l.s.data[leaf.A].each
		if first, step, ok := even(each); ok {
			return fmt.Sprintf("float64(%s)", plus(times(step, parens(l.index(l.lane))), first))
		}
		return fmt.Sprintf("%s[%s]", l.File.Numbers("Data", each), l.index(l.lane))
	}
	at := ""
	if l.s.isUniform(leaf) {
		at = fmt.Sprint(l.s.index(leaf).First())
	} else {
		at = l.index(l.places(leaf))
	}
	return fmt.Sprintf("%s[%s]", array(leaf.Leaf), at)
}

func parens(s string) string {
	if strings.ContainsAny(s, " *&") {
		return "(" + s + ")"
	}
	return s
}

// even reports whether x is whole numbers in even steps.
func even(x []float64) (first, step int32, ok bool) {
	const most = 1 << 30
	if len(x) < 2 {
		return 0, 0, false
	}
	d := x[1] - x[0]
	for t, v := range x {
		if v != math.Trunc(v) || math.Abs(v) > most || v == 0 && math.Signbit(v) || t > 0 && v-x[t-1] != d {
			return 0, 0, false
		}
	}
	return int32(x[0]), int32(d), true
}

// print writes the loop.
func (l *loop) print(uniform, body string) {
	scope := uniform != "" || l.after || l.s.terms == 1 || len(l.chains) > 0
	if scope {
		l.printf("{\n%s", uniform)
	}
	l.next = map[*store]string{}
	for _, st := range l.stores {
		if st.runs != nil && l.isStored(st) {
			l.next[st] = l.names.Fresh(fmt.Sprintf("next%d", len(l.next)+1))
			l.printf("%s := 0\n", l.next[st])
		}
	}
	inner := func() {
		l.readTables()
		l.printf("%s", body)
		for _, st := range l.stores {
			if !l.chained[st] {
				l.addInLoop(st)
			}
		}
		for k, c := range l.chains {
			l.turn(k, c)
		}
		if len(l.total) > 0 && !l.v.Safe {
			l.printf("%s", source.Total("z", "+=", "", l.total))
			l.writer.checks = true
		}
	}
	switch n := l.s.terms; {
	case n == 1:
		inner()
		l.addAfter("0", "1")
	case !l.isOne():
		l.keep()
		l.overPieces(inner)
	case l.blocks && n > code.Lanes:
		l.printf("for lo := 0; lo < %d; lo += %d {\nhi := min(lo+%d, %d)\n", n, code.Lanes, code.Lanes, n)
		l.keep()
		l.overLanes("i", "lo", "hi", inner)
		l.addAfter("lo", "hi")
		l.printf("}\n")
	default:
		l.keep()
		l.overLanes("i", "0", fmt.Sprint(n), inner)
		l.addAfter("0", fmt.Sprint(n))
	}
	if scope {
		l.printf("}\n")
	}
}

// overLanes writes a loop from lo to hi.
func (l *loop) overLanes(i, lo, hi string, inner func()) {
	text := l.capture(inner)
	first, last := lo, "("+hi+" - 1)"
	if n, err := strconv.Atoi(hi); err == nil {
		last = strconv.Itoa(n - 1)
	}
	if !l.lists.forward {
		first, last = last, first
	}
	l.beginChains(first)
	defer l.endChains(last)
	if rest := l.lists.n % 4; rest != 0 && slices.ContainsFunc(l.stores, l.inStrands) {
		fours := hi + "&^3"
		if n, err := strconv.Atoi(hi); err == nil {
			fours = strconv.Itoa(n - rest)
		}
		if fours != lo {
			l.printLoop(text, i, lo, fours)
			l.printf("// Fewer than four are left.\n")
		}
		l.inRest = true
		text, lo = l.capture(inner), fours
		l.inRest = false
	}
	l.printLoop(text, i, lo, hi)
}

// printLoop writes a loop from lo to hi over text.
func (l *loop) printLoop(text, i, lo, hi string) {
	switch {
	case !mentions(text, i):
		l.printf("for range %s {\n", difference(hi, lo))
	case l.lists.forward && lo == "0":
		l.printf("for %s := range %s {\n", i, hi)
	case l.lists.forward:
		l.printf("for %[1]s := %[2]s; %[1]s < %[3]s; %[1]s++ {\n", i, lo, hi)
	default:
		l.printf("for %[1]s := %[2]s - 1; %[1]s >= %[3]s; %[1]s-- {\n", i, hi, lo)
	}
	l.printf("%s}\n", text)
}

// capture is what f prints.
func (w *writer) capture(f func()) string {
	mark := w.text.Len()
	f()
	text := string(w.text.Bytes()[mark:])
	w.text.Truncate(mark)
	return text
}

// mentions reports whether text has the variable.
func mentions(text, variable string) bool {
	isPart := func(c byte) bool { return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }
	for i := 0; ; {
		k := strings.Index(text[i:], variable)
		if k < 0 {
			return false
		}
		lo, hi := i+k, i+k+len(variable)
		if (lo == 0 || !isPart(text[lo-1])) && (hi == len(text) || !isPart(text[hi])) {
			return true
		}
		i = hi
	}
}

// overPieces writes a loop over the pieces.
func (l *loop) overPieces(inner func()) {
	body := l.capture(func() { l.overLanes("k", "0", "n", inner) })
	if l.after {
		body += l.capture(l.afterPiece)
	}
	l.printf("for _, r := range %s {\nn := int(r[0])\n", l.File.Rows("Pieces", l.rows()))
	for k, g := range l.columns() {
		if mentions(body, g.name) {
			l.printf("%s := int(r[%d])\n", g.name, k+1)
		}
	}
	l.printf("%s}\n", body)
}

// afterPiece adds what was kept after the last piece of a block.
func (l *loop) afterPiece() {
	p := l.number[&l.lane[0]]
	lane := plus(p.name, p.more)
	after := l.capture(func() { l.addAfter("lo", "hi") })
	lo, hi := fmt.Sprintf("(end - 1) &^ %d", code.Lanes-1), "end"
	if l.lists.forward {
		l.printf("if end := %s + n; end%%%d == 0 || end == %d {\n", lane, code.Lanes, l.s.terms)
	} else {
		lo, hi = lane, fmt.Sprintf("min(lo+%d, %d)", code.Lanes, l.s.terms)
		l.printf("if (%s)%%%d == 0 {\n", lane, code.Lanes)
	}
	if mentions(after, "lo") || mentions(hi, "lo") && mentions(after, "hi") {
		l.printf("lo := %s\n", lo)
	}
	if mentions(after, "hi") {
		l.printf("hi := %s\n", hi)
	}
	l.printf("%s}\n", after)
}

// keep declares the arrays of what is added after the loop.
func (l *loop) keep() {
	var sums, kept []string
	for _, st := range l.stores {
		switch {
		case st.mode == inLoop || st.isConstant || !l.isStored(st):
		case l.inStrands(st):
			l.kept[st] = l.names.Fresh(fmt.Sprintf("sum%d", len(sums)+1))
			sums = append(sums, l.kept[st])
		default:
			l.kept[st] = l.names.Fresh(fmt.Sprintf("kept%d", len(kept)+1))
			kept = append(kept, l.kept[st])
		}
	}
	if len(sums) > 0 {
		l.printf("var %s [4]float64\n", strings.Join(sums, ", "))
	}
	if len(kept) > 0 {
		l.printf("var %s [%d]float64\n", strings.Join(kept, ", "), min(code.Lanes, l.s.terms))
	}
}

// inStrands reports whether st is added up as it is computed, lane i to strand i mod 4. The
// lanes that are left when four are taken together go to the first strand.
func (l *loop) inStrands(st *store) bool {
	return st.mode == summed && l.lists.forward && l.isOne()
}

// isStored reports whether st is added to something, or for the sake of what is finite.
func (l *loop) isStored(st *store) bool { return l.to[st.to].wanted || st.mode == summed && !l.v.Safe }

// readTables declares the variables of places that are tables.
func (l *loop) readTables() {
	for _, g := range l.groups {
		if g.table == "" {
			continue
		}
		at := "i"
		switch {
		case l.lists.n == 1:
			at = "0"
		case !l.isOne():
			at = l.lists.index(l.lane)
		}
		l.printf("%s := int(%s[%s])\n", g.name, g.table, at)
	}
}

// element is an element of the array of st.
func (l *loop) element(st *store, index string) string {
	if st.to == toY && l.isScalar() {
		return "f"
	}
	return fmt.Sprintf("%s[%s]", l.to[st.to].name, index)
}

// addInLoop writes what is done with a result as it is computed.
func (l *loop) addInLoop(st *store) {
	if st.mode != inLoop {
		l.keepInLoop(st)
		return
	}
	if !l.to[st.to].wanted {
		return
	}
	v := l.value[st]
	to := l.element(st, l.lists.index(st.at))
	image := ""
	if st.copies {
		image = l.element(st, l.lists.index(l.images[st]))
	}
	if st.sets && !st.isConstant {
		v += " + 0" // −0 becomes 0
	}
	switch {
	case st.sets && st.copies:
		l.printf("%s, %s = %s, %s\n", to, image, v, v)
	case st.sets:
		l.printf("%s = %s\n", to, v)
	case st.copies:
		l.printf("%s += %s\n%s = %s\n", to, v, image, to)
	default:
		l.printf("%s += %s\n", to, v)
	}
}

// keepInLoop keeps a result that is added after the loop.
func (l *loop) keepInLoop(st *store) {
	kept := l.kept[st]
	if kept == "" {
		return // of a single term, or not wanted
	}
	lane := l.lists.index(l.lane)
	if l.inStrands(st) {
		strand := parens(lane) + "&3"
		if l.inRest {
			strand = "0"
		}
		l.printf("%s[%s] += %s\n", kept, strand, l.value[st])
		return
	}
	if l.s.terms > code.Lanes {
		lane = fmt.Sprintf("%s&%d", parens(lane), code.Lanes-1)
	}
	l.printf("%s[%s] = %s\n", kept, lane, l.value[st])
}

// addAfter adds the results of the lanes from lo to hi that were kept.
func (l *loop) addAfter(lo, hi string) {
	for _, st := range l.stores {
		switch {
		case st.mode == inLoop || !l.isStored(st):
		case st.mode == summed:
			l.addSum(st, lo, hi)
		case st.runs != nil:
			l.addRuns(st, lo, hi)
		default:
			l.addKept(st, lo, hi)
		}
	}
}

// addSum adds the sum of a result over a block.
func (l *loop) addSum(st *store, lo, hi string) {
	to := l.element(st, fmt.Sprint(st.at[0]))
	if st.isConstant {
		if n := l.s.terms; !l.to[st.to].wanted {
		} else if n <= code.Lanes {
			l.printf("%s += %s\n", to, l.File.Number(st.constant*float64(n)))
		} else {
			l.printf("%s += float64(%s * float64(%s))\n", to, l.value[st], difference(hi, lo))
		}
		return
	}
	sum := "total" + strings.TrimLeft(l.kept[st], "sumkept")
	if kept := l.kept[st]; kept == "" {
		sum = l.value[st] + " + 0" // of a single term
	} else if l.inStrands(st) {
		l.printf("%[1]s := (%[2]s[0] + %[2]s[1]) + (%[2]s[2] + %[2]s[3])\n", sum, kept)
	} else {
		l.printf("%s := %s(%s[:%s])\n", sum, l.File.Function("Sum", strands), kept, difference(hi, lo))
	}
	if l.to[st.to].wanted {
		l.printf("%s += %s\n", to, sum)
	}
	if !l.v.Safe {
		l.printf("z += %s\n", sum)
		l.writer.checks = true
	}
}

func difference(hi, lo string) string {
	if lo == "0" {
		return hi
	}
	if a, err := strconv.Atoi(lo); err == nil {
		if b, err := strconv.Atoi(hi); err == nil {
			return strconv.Itoa(b - a)
		}
	}
	return hi + "-" + parens(lo)
}

// addKept adds what was kept lane by lane.
func (l *loop) addKept(st *store, lo, hi string) {
	at, v := "", l.value[st]
	if !st.isConstant {
		v = fmt.Sprintf("%s[%s]", l.kept[st], difference("t", lo))
	}
	if g := newGroup(st.at); len(g.breaks) == 0 {
		at = plus(times(g.step, "t"), st.at[0])
	} else {
		at = l.File.Integers("Places", st.at) + "[t]"
	}
	l.printf("for t := %s; t < %s; t++ {\n%s += %s\n}\n", lo, hi, l.element(st, at), v)
}

// addRuns adds what was kept run by run: what one place gets in a run is added up first.
func (l *loop) addRuns(st *store, lo, hi string) {
	var rows [][]int32
	for _, p := range st.runs {
		rows = append(rows, []int32{int32(p.Lane), int32(p.N), int32(p.At), int32(p.Step)})
	}
	runs, next := l.File.Rows("Runs", rows), l.next[st]
	l.printf("for ; %[1]s < len(%[2]s) && int(%[2]s[%[1]s][0]) < %[3]s; %[1]s++ {\n", next, runs, hi)
	l.printf("r := &%s[%s]\n", runs, next)
	one, all := l.value[st], fmt.Sprintf("float64(%s * float64(n))", l.value[st])
	if kept := l.kept[st]; kept != "" {
		l.printf("t := %s\n", difference("int(r[0])", lo))
		one, all = kept+"[t+k]", fmt.Sprintf("%s(%s[t:t+n])", l.File.Function("Sum", strands), kept)
	}
	l.printf("n, at, step := int(r[1]), int(r[2]), int(r[3])\n")
	l.printf("if step == 0 {\n%s += %s\ncontinue\n}\n", l.element(st, "at"), all)
	l.printf("for k := range n {\n%s += %s\n}\n}\n", l.element(st, "at+step*k"), one)
}

// mirror copies what has images that no loop has set.
func (w *writer) mirror() {
	if w.image == nil {
		return
	}
	done := make([]bool, len(w.image))
	var low, up []int32
	for _, q := range w.passes {
		for _, st := range q.stores {
			if st.to == toMatrix && st.copies {
				for _, at := range st.at {
					done[at] = true
				}
			}
		}
	}
	// In the order of the results, in which places go in even steps.
	for _, q := range w.passes {
		for _, st := range q.stores {
			if st.to != toMatrix {
				continue
			}
			for _, at := range st.at {
				if w.image[at] >= 0 && !done[at] {
					done[at] = true
					low, up = append(low, at), append(up, w.image[at])
				}
			}
		}
	}
	if len(low) == 0 {
		return
	}
	w.printf("\n// The other half.\n")
	l := &loop{writer: w, pass: &pass{}, names: w.names(), lists: lists{n: len(low), forward: true, number: map[*int32]place{}}}
	l.add(low)
	l.add(up)
	l.arrange()
	copyOne := func() {
		l.readTables()
		w.printf("dst[%s] = dst[%s]\n", l.lists.index(up), l.lists.index(low))
	}
	switch {
	case l.n == 1:
		w.printf("dst[%d] = dst[%d]\n", up[0], low[0])
	case l.isOne():
		l.overLanes("i", "0", fmt.Sprint(l.n), copyOne)
	default:
		l.overPieces(copyOne)
	}
}
