package gosource

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// A long function consists of parts, each with an expression: a batch of alike operations is
// the operation in as many lanes, a long list one term in as many lanes, which are added up.
// Operations that are not alike are taken together, some tens at a time, in a single lane.

// part is a part of a program.
type part interface {
	// text is the lines that a sweep has for the part.
	text(l *memory, s sweep) string
}

const (
	few     = 16 // how many operands a list has at most that is not written as a loop
	atATime = 32 // how many operations that are not alike make a part
)

// place says where the lanes find a node: at number list[lane], in rows of lanes at
// rows[row] + list[lane], the list being 0, 1, ….
type place struct{ list, rows []int32 }

// lanes is a function that is computed in n lanes.
type lanes struct {
	n      int
	f      *expr.Function  // variables and parameters are numbered alike
	reads  []place         // by variable or parameter
	writes []place         // by result, then by what is watched
	data   []func() string // by constant, an expression if it varies
	active bool            // results depend on inputs
	curved bool            // a nonlinear operation needs the results
	sums   []*sum          // by result, the sum of which the lanes are terms; nil if they are none
}

// findParts finds the parts, and which nodes depend on inputs.
func (l *memory) findParts() {
	p := l.p
	l.active = make([]bool, p.Len())
	last := make([]int32, p.Len()) // by node, the last that reads it
	for i := range int32(p.Len()) {
		l.active[i] = int(i) < p.Inputs() || p.FirstOutput(i) < i && l.active[p.FirstOutput(i)]
		p.EachOperand(i, func(j int32) {
			l.active[i] = l.active[i] || l.active[j]
			last[j] = i
		})
		if c := p.CallAt(i); c != nil {
			l.mostArgs = max(l.mostArgs, len(c.Args))
		}
	}
	end := int32(p.Len())
	for _, i := range p.OutputNodes() {
		last[i] = end
	}
	for _, g := range p.Guards() {
		last[g.A] = end
		if g.Compares() {
			last[g.B] = end
		}
	}
	for k := range p.Batches() {
		switch b := &p.Batches()[k]; b.Kind {
		case compile.Mixed:
			l.mixed(b, last)
		case compile.Affine:
			l.affine(b)
		case compile.Rows:
			l.rows(b)
		default:
			l.elementwise(b)
		}
	}
}

// builder makes the function of a part.
type builder struct {
	*memory
	expr.Writer
	lanes
	known map[int32]int32 // by node, its step; of nodes that are the same in all lanes
}

func (l *memory) builder(n int, curved bool) *builder {
	return &builder{memory: l, lanes: lanes{n: n, curved: curved}, known: map[int32]int32{}}
}

// read is the step that reads a node.
func (b *builder) read(at place) int32 {
	first, step, ok := even(at.list)
	isUniform := ok && step == 0
	if i, is := b.known[first]; is && isUniform {
		return i
	}
	var i int32
	if k := int(first) - b.p.Inputs() - b.p.Params(); isUniform && k >= 0 && int(first) < b.p.Base() {
		i = b.Constant(b.p.Consts()[k])
	} else {
		leaf := expr.Parameter
		for _, j := range at.list {
			if b.memory.active[j] {
				leaf = expr.Variable
			}
		}
		i = b.leaf(leaf, at)
	}
	if isUniform {
		b.known[first] = i
	}
	return i
}

// leaf is a step that reads what is at a place.
func (b *builder) leaf(kind expr.Leaf, at place) int32 {
	b.reads = append(b.reads, at)
	b.lanes.active = b.lanes.active || kind == expr.Variable
	return b.Push(expr.Node{Leaf: kind, A: int32(len(b.reads)) - 1})
}

// vary says that the constant that was written last is x[lane].
func (b *builder) vary(x []float64) {
	if !same(x) {
		b.varies(func() string { return element(b.file.Numbers("Numbers", x), b.i) })
	}
}

// varies says that the constant that was written last is an expression.
func (b *builder) varies(text func() string) {
	for len(b.data) < len(b.Numbers) {
		b.data = append(b.data, nil)
	}
	b.data[len(b.Numbers)-1] = text
}

// end is the part, given the steps that are results and those that are watched, and where all
// these are written.
func (b *builder) end(results, watched []int32, writes []place) *lanes {
	z := &b.lanes
	z.f = b.Function(&b.p.Tape)
	z.f.Results, z.f.Watched, z.writes = results, watched, writes
	for k, text := range z.data {
		z.f.Constants[k].Varies = text != nil
	}
	return z
}

// mixed makes the parts of a batch of operations that are not alike.
func (l *memory) mixed(bt *compile.Batch, last []int32) {
	p := l.p
	b, lo := l.builder(1, bt.FeedsNonlinear), bt.Lo
	cut := func(hi int32) {
		var results, watched []int32
		var writes, more []place
		for i := lo; i < hi; i++ {
			at := place{list: []int32{i}}
			switch step := b.known[i]; {
			case last[i] >= hi:
				results, writes = append(results, step), append(writes, at)
			case p.Op(i).Cost() > 0 || l.settings.Position != nil: // it is not computed again
				watched, more = append(watched, step), append(more, at)
			}
		}
		if results != nil {
			l.parts = append(l.parts, b.end(results, watched, append(writes, more...)))
		}
		b, lo = l.builder(1, bt.FeedsNonlinear), hi
	}
	for i := bt.Lo; i < bt.Hi; i++ {
		switch c := p.CallAt(i); {
		case c != nil:
			cut(i)
			l.parts = append(l.parts, call{c, i})
			lo = i + 1
		case p.Op(i) == op.Call: // a further output
			lo = i + 1
		case p.Op(i).Class() == op.List && p.Op(i).Listed() == 0 && p.Terms(i) > few:
			cut(i)
			l.parts = append(l.parts, l.long(i, bt.FeedsNonlinear))
			lo = i + 1
		default:
			x, y := p.Args(i)
			b.known[i] = b.Write(&p.Tape, i, x, y, func(j int32) int32 { return b.read(place{list: []int32{j}}) })
		}
		if i-lo >= atATime {
			cut(i + 1)
		}
	}
	cut(bt.Hi)
}

// elementwise makes the parts of an elementwise batch: one, or one for each whole number that
// is the constant of some lanes.
func (l *memory) elementwise(bt *compile.Batch) {
	c := l.p.Constants(bt.Lo, bt.Hi)
	if bt.Op.Constant() == op.NoConstant {
		c = nil
	}
	groups := map[float64][]int32{}
	var order []float64
	for k := range bt.Len() {
		n := 0.0
		if bt.Op.Constant() == op.IntConstant {
			n = c[k]
		}
		if groups[n] == nil {
			order = append(order, n)
		}
		groups[n] = append(groups[n], k)
	}
	for _, n := range order {
		group := groups[n]
		b := l.builder(len(group), bt.FeedsNonlinear)
		args := []int32{b.read(place{list: pick(bt.A.Index, group)})}
		if bt.Op.Operands() > 1 {
			args = append(args, b.read(place{list: pick(bt.B.Index, group)}))
		}
		var y int32
		switch bt.Op.Constant() {
		case op.IntConstant:
			y = b.Push(expr.Node{Op: bt.Op, A: args[0], K: math.Float64bits(n)})
		case op.RealConstant:
			y = b.WithReal(bt.Op, args[0], c[0])
			b.vary(c)
		default:
			y = b.Operation(bt.Op, args...)
		}
		l.parts = append(l.parts, b.end([]int32{y}, nil, []place{own(bt, group)}))
	}
}

// pick is the elements of x with the numbers in group.
func pick(x, group []int32) []int32 {
	z := make([]int32, len(group))
	for k, i := range group {
		z[k] = x[i]
	}
	return z
}

// own is the place of lanes of a batch.
func own(bt *compile.Batch, group []int32) place {
	z := make([]int32, len(group))
	for k, i := range group {
		z[k] = bt.Lo + i
	}
	return place{list: z}
}

// affine makes the part of a batch of affine sums.
func (l *memory) affine(bt *compile.Batch) {
	b := l.builder(int(bt.Len()), bt.FeedsNonlinear)
	c := l.p.Constants(bt.Lo, bt.Hi)
	every := make([]int32, bt.Len())
	for i := range every {
		every[i] = int32(i)
	}
	var y int32
	for k := range bt.Terms {
		t := &bt.Terms[k]
		var w []float64
		for lo := int32(0); lo < bt.Len(); lo += compile.Block {
			w = append(w, t.Weights(lo, min(lo+compile.Block, bt.Len()))...)
		}
		term := b.WithReal(op.Scale, b.read(place{list: t.Index}), w[0])
		b.vary(w)
		switch {
		case k > 0:
			y = b.Operation(op.Add, y, term)
		case same(c) && expr.Starts(c[0]):
			y = term
		default:
			y = b.WithReal(op.AddReal, term, c[0])
			b.vary(c)
		}
	}
	l.parts = append(l.parts, b.end([]int32{y}, nil, []place{own(bt, every)}))
}

// matrix is sums over the lanes of segments; if there are rows, as many as these of each.
type matrix struct {
	rows     int
	sums     []*sum
	segments []*lanes
}

// sum is c plus terms.
type sum struct {
	node place
	c    func() string
	s, r string // variables for it, or its adjoint, and for the tangent
}

// long is the part of a sum over a long list: the lanes of a segment are its operands, as long
// as these go in even steps if there are few such segments.
func (l *memory) long(i int32, curved bool) matrix {
	p := l.p
	var x, y []int32
	var w []float64
	c := tape.NegZero
	switch p.Op(i) {
	case op.Sum:
		c, x = p.Constant(i), p.SumAt(i)
	case op.Affine:
		c = p.Constant(i)
		w, x = p.AffineAt(i)
	default:
		x, y = p.DotAt(i)
	}
	total := &sum{node: place{list: []int32{i}}, c: func() string { return l.file.Number(c) }}
	z := matrix{rows: 1, sums: []*sum{total}}
	for lo := 0; lo < len(x); {
		n, turns := len(x), 1
		if p.Op(i) == op.Sum {
			n, turns = inTurns(x[lo:])
		}
		b := l.builder(n/turns, curved)
		var terms []int32
		for turn := range turns {
			term := b.read(place{list: everyNth(x[lo+turn:lo+n], turns)})
			switch {
			case w != nil:
				term = b.WithReal(op.Scale, term, w[0])
				b.vary(w)
			case y != nil:
				term = b.Operation(op.Mul, term, b.read(place{list: y}))
			}
			terms, b.sums = append(terms, term), append(b.sums, total)
		}
		z.segments = append(z.segments, b.end(terms, nil, nil))
		lo += n
	}
	return z
}

// inTurns is how many elements of x, from the first on, are those of a few lists in turn, each in
// even steps, and how many lists: of 3, 50, 4, 52, 5, 54, 0 the first 6 are of 2. If these are
// few, it is all elements.
func inTurns(x []int32) (n, turns int) {
	for turns := range few / 2 {
		turns++
		n := min(turns, len(x))
		for n < len(x) && (n < 2*turns || x[n]-x[n-turns] == x[n-turns]-x[n-2*turns]) {
			n++
		}
		if n -= n % turns; n >= few*turns || n == len(x) {
			return n, turns
		}
	}
	return len(x), 1
}

// rows makes the parts of a matrix times a vector: four rows at a time, so that additions do not
// wait for each other, and those that are left.
func (l *memory) rows(bt *compile.Batch) {
	fours := bt.Len() &^ 3
	l.rowsAtATime(bt, 0, fours, 4)
	l.rowsAtATime(bt, fours, bt.Len(), 1)
}

// rowsAtATime makes the part of the rows lo … hi−1 of a batch, n at a time.
func (l *memory) rowsAtATime(bt *compile.Batch, lo, hi int32, n int) {
	if lo == hi {
		return
	}
	p := l.p
	b := l.builder(int(bt.Width), bt.FeedsNonlinear)
	run := func(lo, n int32) (x []int32) {
		for k := range n {
			x = append(x, lo+k)
		}
		return x
	}
	shared := b.read(place{list: run(bt.Shared, bt.Width)})
	z := matrix{rows: int(hi-lo) / n}
	var terms []int32
	for k := range n {
		nodes := everyNth(run(bt.Lo+lo, hi-lo)[k:], n)
		var c, w []float64
		var factors []int32
		kind := expr.Parameter
		for _, i := range nodes {
			if bt.Op == op.Affine {
				weights, _ := p.AffineAt(i)
				c, w = append(c, p.Constant(i)), append(w, weights...)
				continue
			}
			first := bt.Factors[i-bt.Lo]
			c, factors = append(c, tape.NegZero), append(factors, first)
			if slices.Contains(l.active[first:first+bt.Width], true) {
				kind = expr.Variable
			}
		}
		z.sums = append(z.sums, &sum{node: place{rows: nodes}, c: func() string {
			if same(c) {
				return l.file.Number(c[0])
			}
			return element(l.file.Numbers("Numbers", c), l.row)
		}})
		if w == nil {
			own := b.leaf(kind, place{list: run(0, bt.Width), rows: factors})
			terms = append(terms, b.Operation(op.Mul, own, shared))
			continue
		}
		terms = append(terms, b.WithReal(op.Scale, shared, w[0]))
		var starts []int32
		for k := range nodes {
			starts = append(starts, int32(k)*bt.Width)
		}
		weights := place{list: run(0, bt.Width), rows: starts}
		b.varies(func() string { return l.at(l.file.Numbers("Numbers", w), weights) })
	}
	b.sums = z.sums
	z.segments = []*lanes{b.end(terms, nil, nil)}
	l.parts = append(l.parts, z)
}

// everyNth is every nth element of x.
func everyNth[T any](x []T, n int) []T {
	if n == 1 {
		return x
	}
	var z []T
	for k := 0; k < len(x); k += n {
		z = append(z, x[k])
	}
	return z
}
