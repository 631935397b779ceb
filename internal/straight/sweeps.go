package straight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// values is the name of the function for the values of all nodes.
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

// guards is the lines that return the number of the first guard that does not hold, or −1.
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

// tangents is the name of the function for the tangents of all nodes.
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

// isStill reports whether no lane of a batch has a tangent. moved says whether some batch
// before it has one, and then whether some batch up to it has.
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

// adjoints is the name of the function for the adjoints of all nodes; with store it stores
// the partials that products with the Hessian need.
func (l *looped) adjoints(store bool) string {
	what := "Adjoints"
	if store {
		what = "Linearize"
	}
	l.store = store
	return l.procedure(what, l.allAdjoints)
}

// carefulAdjoints is adjoints with derivative products.
func (l *looped) carefulAdjoints() string {
	l.store = false
	return l.procedure("AdjointsCareful", func(q *procedure) {
		l.carefully(func() { l.allAdjoints(q) })
	})
}

// allAdjoints writes what all batches add to the adjoints. A long mixed batch gets parts of
// its own: these are the same functions whether partials are stored or not.
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

// seconds is the lines that call the sweeps of second order.
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

// pieceTangents writes the tangents of a batch, if products with the Hessian need them.
func (l *looped) pieceTangents(q *procedure, c *compile.Piece, moved *bool) {
	switch b := c.Batch; {
	case !b.FeedsNonlinear:
	case l.isStill(b, moved):
		q.add(fmt.Sprintf("clear(%s[%d:%d])\n", l.arrays.t, b.Lo, b.Hi))
	default:
		l.batchTangents(q, b, true)
	}
}

// isWanted reports whether a batch reads an operation or input, whose second-order adjoints
// matter, and not only parameters and constants.
func (l *looped) isWanted(b *compile.Batch) bool {
	return b.ReadsOperations || b.InputsRead.Intersects(l.p.EveryInput())
}

// cutSeconds is seconds for a program that is cut into sections (see package compile). Each
// batch has two functions that work on some of its lanes, for tangents and for products;
// tables say which lanes of which batch each section consists of.
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

// lanesFunction is the name of a function over the lanes lo … hi−1 of a batch, or over all
// nodes of one that is mixed or rows.
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

// carefulSeconds is the name of the function for second-order adjoints with derivative
// products, which goes over whole batches.
func (l *looped) carefulSeconds() string {
	return l.procedure("ProductsCareful", func(q *procedure) {
		l.carefully(func() {
			for _, b := range slices.Backward(l.p.Batches()) {
				l.batchSeconds(q, &b, nil)
			}
		})
	})
}
