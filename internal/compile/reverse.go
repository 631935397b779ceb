package compile

import (
	"slices"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// A gradient goes forward and back over all nodes, and where these are many, values and
// adjoints go through memory four times. In a program that adds up many small parts, the
// adjoints of what is added are known beforehand: then the values and the adjoints of a
// section are found one after the other, in places that all sections share, and never
// leave the caches. Here parts hang together by linear operations, too, which they do not
// for second-order sweeps.
//
// The bits are those of sweeps over whole batches. An adjoint is a sum over what reads
// the node, and these sweeps add it up in one order; sections do so if they can come in
// an order that gives the same, as those of chains and of many other sums of alike terms
// can. If not, as on a two-dimensional mesh, the program is not cut.

// Reverse is a program as a gradient goes through it: values of Head; adjoints of Above,
// from the end; of each section in turn values and, from the end, adjoints; adjoints of
// Beside and Head; values of Above and Beside, which together are Linear.
type Reverse struct {
	Head          []Piece
	Rest          []Section
	Above, Beside []*Batch
	Linear        []*Batch
	// Places is how many values and adjoints are kept. Those of nodes have their
	// numbers, but for what only a section itself reads.
	Places int
	// Unwritten is which adjoints of the others are added to before they are set.
	Unwritten []Span
}

// reverseNodes is how many nodes a section has at most.
const reverseNodes = 1 << 15

// mostBefore is how many sections may have to come before another one.
const mostBefore = 64

// NewReverse cuts the program in sections for a gradient, of about so many lanes. It is
// nil if there are none, if anything but sums reads them, if the program makes decisions,
// or if adjoints would be added up in another order. Cost: O(N) time and
// memory in N nodes, a third of recording them.
func (p *Program) NewReverse(lanes int) *Reverse {
	if len(p.Guards()) > 0 {
		return nil
	}
	c := &cutter{Program: p, lanes: lanes, most: reverseNodes, apart: true}
	r := new(Reverse)
	for k := range p.batches {
		b := &p.batches[k]
		if (b.Kind == Mixed || b.Kind == Rows) && p.constantPartials(b) {
			r.Linear = append(r.Linear, b)
		} else {
			c.batches = append(c.batches, b)
		}
	}
	if c.cut(); c.section == nil {
		return nil
	}
	outside := c.outside(r.Linear)
	if outside == nil {
		return nil
	}
	c.place = make([]int32, p.Len())
	next := make([]int32, c.count)
	for i := range c.place {
		c.place[i] = int32(i)
		if s := c.section[i]; s != inHead && !outside[i] {
			c.place[i] = int32(p.Len()) + next[s]
			next[s]++
		}
	}
	r.Places = p.Len() + int(slices.Max(next))

	r.Rest = make([]Section, c.count)
	for _, b := range c.batches {
		for lo := b.Lo; lo < b.Hi; {
			hi := c.end(b, lo)
			piece := Piece{b, lo, hi, p.part(b, lo, hi)}
			c.toPlaces(&piece.Places)
			if s := c.section[lo]; s != inHead {
				r.Rest[s].Pieces = append(r.Rest[s].Pieces, piece)
			} else {
				r.Head = append(r.Head, piece)
			}
			lo = hi
		}
	}
	for _, u := range p.unwritten {
		for i := u.Lo; i < u.Hi; i++ {
			if c.place[i] == i {
				r.Unwritten = extend(r.Unwritten, i)
			} else {
				x := &r.Rest[c.section[i]]
				x.Unwritten = extend(x.Unwritten, c.place[i])
			}
		}
	}
	if !c.inOrder(r) {
		return nil
	}
	return r
}

// constantPartials reports whether the partials of a batch are the same everywhere, so
// that its adjoints need no values.
func (p *Program) constantPartials(b *Batch) bool {
	for i := b.Lo; i < b.Hi; i++ {
		code := b.Op
		if b.Kind == Mixed {
			code = p.Op(i)
		}
		switch code.Class() {
		case op.NoPartials, op.One, op.MinusOne, op.OneOne, op.OneMinusOne, op.ByConstant, op.OverConstant:
		default:
			if code != op.Sum && code != op.Affine {
				return false
			}
		}
		if b.Kind != Mixed {
			return true
		}
	}
	return true
}

// outside is the nodes of sections that are outputs or that linear batches read, nil if
// some other operation reads the result of one of those.
func (c *cutter) outside(linear []*Batch) []bool {
	outside, after := make([]bool, c.Len()), make([]bool, c.Len())
	for _, i := range c.OutputNodes() {
		outside[i] = true
	}
	for _, b := range linear {
		setAll(after, Span{b.Lo, b.Hi}, true)
		c.eachUse(b, b.Lo, b.Hi, func(_, j int32) { outside[j] = true })
	}
	ok := true
	for _, b := range c.batches {
		c.eachUse(b, b.Lo, b.Hi, func(_, j int32) { ok = ok && !after[j] })
	}
	if !ok {
		return nil
	}
	return outside
}

// extend adds i to spans in rising order.
func extend(x []Span, i int32) []Span {
	if k := len(x) - 1; k >= 0 && x[k].Hi == i {
		x[k].Hi++
		return x
	}
	return append(x, Span{i, i + 1})
}

// inOrder finds an order of the sections, and which linear batches come after them, such
// that each adjoint is added up as by a sweep over whole batches. It reports whether
// there is one.
func (c *cutter) inOrder(r *Reverse) bool {
	// Those that read no section, nor what does, may come after them.
	above := make([]bool, c.Len())
	var upper, beside []*Batch
	for _, b := range r.Linear {
		reads := false
		c.eachUse(b, b.Lo, b.Hi, func(_, j int32) { reads = reads || above[j] || c.section[j] != inHead })
		if setAll(above, Span{b.Lo, b.Hi}, reads); reads {
			upper = append(upper, b)
		} else {
			beside = append(beside, b)
		}
	}
	met := &meetings{make([]meeting, c.Len()), c.Program}
	sections, order := r.Rest, c.order()
	if order == nil {
		return false
	}
	for _, x := range [][2][]*Batch{{upper, beside}, {r.Linear, nil}} {
		r.Above, r.Beside = x[0], x[1]
		r.Rest = r.Rest[:0:0]
		for _, k := range order {
			r.Rest = append(r.Rest, sections[k])
		}
		if met.asBatches(r) {
			return true
		}
	}
	return false
}

// order is an order of the sections in which they add to each adjoint as whole batches
// do, if there is one; nil if it would take long to find.
func (c *cutter) order() []int32 {
	// before is the sections that must come before each. Of an adjoint, last is the one
	// that adds to it last, and also the one before, if these are the first two, which may
	// change places.
	before := make([][]int32, c.count)
	type adders struct {
		last, also int32
		set        bool
	}
	const none = -1
	all := make([]adders, c.Len())
	for i := range all {
		all[i] = adders{last: none, also: none}
	}
	tangled := false
	precede := func(s, t int32) {
		if s >= 0 && s != t && !tangled && !slices.Contains(before[t], s) {
			before[t] = append(before[t], s)
			tangled = len(before[t]) > mostBefore
		}
	}
	for k := len(c.batches) - 1; k >= 0; k-- {
		b := c.batches[k]
		if b.Kind == Mixed || b.Kind == Rows {
			continue // of the head
		}
		eachAddition(b, b.Lo, b.Hi, func(j, i int32, _ int64, set bool) bool {
			t := c.section[i]
			if x := &all[j]; t != inHead && (j >= int32(c.Base()) || j < int32(c.Inputs())) {
				switch {
				case x.last == none:
					x.set = set
				case x.also == none && !x.set:
					x.also = x.last
				default:
					precede(x.last, t)
					precede(x.also, t)
				}
				x.last = t
			}
			return !tangled
		})
	}
	if tangled {
		return nil
	}
	order := make([]int32, 0, c.count)
	met := make([]bool, c.count)
	var visit func(s int32)
	visit = func(s int32) {
		if met[s] {
			return
		}
		met[s] = true
		slices.Sort(before[s])
		for _, t := range before[s] {
			visit(t)
		}
		order = append(order, s)
	}
	for s := range c.count {
		visit(s)
	}
	return order
}

// meetings is when a sweep last added to the adjoint of each node.
type meetings struct {
	last []meeting
	*Program
}

// meeting is in which batch that was and in which block, by which operand of which lane.
type meeting struct {
	batch  int32
	times  uint8 // 0, 1, or 2 for more
	set    bool  // and not added
	within int64
}

// asBatches reports whether sections add to each adjoint in the order in which whole
// batches do.
func (m *meetings) asBatches(r *Reverse) bool {
	clear(m.last)
	for k := len(r.Above) - 1; k >= 0; k-- {
		if b := r.Above[k]; !m.see(b, b.Lo, b.Hi) {
			return false
		}
	}
	pieces := func(x []Piece) bool {
		for k := len(x) - 1; k >= 0; k-- {
			if !m.see(x[k].Batch, x[k].Lo, x[k].Hi) {
				return false
			}
		}
		return true
	}
	for k := range r.Rest {
		if !pieces(r.Rest[k].Pieces) {
			return false
		}
	}
	for k := len(r.Beside) - 1; k >= 0; k-- {
		if b := r.Beside[k]; !m.see(b, b.Lo, b.Hi) {
			return false
		}
	}
	return pieces(r.Head)
}

// see notes what the lanes lo … hi−1 of a batch add to.
func (m *meetings) see(b *Batch, lo, hi int32) bool {
	ok := true
	if b.Kind == Mixed || b.Kind == Rows {
		m.meet(b, lo, hi, &ok)
		return ok
	}
	eachAddition(b, lo, hi, func(j, _ int32, within int64, set bool) bool {
		ok = m.add(j, b.Lo, within, set)
		return ok
	})
	return ok
}

// eachAddition calls do with the nodes j to whose adjoints the lanes lo … hi−1 of a batch
// add, as long as it returns true, in the order in which adjointBlock does: of lane i by
// an operand and in a block that make up the number within.
func eachAddition(b *Batch, lo, hi int32, do func(j, i int32, within int64, set bool) bool) {
	if b.Op.Class() == op.NoPartials {
		return
	}
	for ; lo < hi; lo += Block {
		k := int64(0)
		for o := range b.operands {
			for i := lo; i < min(lo+Block, hi); i++ {
				off := i - b.Lo
				if !do(o.Index[off], i, int64(off/Block)<<32|k<<16|int64(off%Block), o.first[FirstOrder]) {
					return
				}
			}
			k++
		}
	}
}

// meet notes the operands of nodes with lists.
func (m *meetings) meet(b *Batch, lo, hi int32, ok *bool) {
	for i := lo; i < hi; i++ {
		m.EachRun(i, func(at, n int32) {
			for j := at; j < at+n; j++ {
				*ok = *ok && m.add(j, b.Lo, 0, false)
			}
		})
	}
}

// add notes that something is added to the adjoint of node j. It may come earlier than
// it should only if it is one of the first two: 0 + a + b is 0 + b + a.
func (m *meetings) add(j, batch int32, within int64, set bool) bool {
	if j >= int32(m.Inputs()) && j < int32(m.Base()) {
		return true // nobody reads that
	}
	last, now := &m.last[j], meeting{batch, 1, set, within}
	switch {
	case last.times == 0:
		*last = now
		return true
	case set:
		return false
	case batch < last.batch || batch == last.batch && within >= last.within:
		now.times, now.set = 2, last.set
		*last = now
		return true
	case last.times == 1 && !last.set:
		last.times = 2
		return true
	}
	return false
}

// Bytes is the memory that it takes.
func (r *Reverse) Bytes() int {
	k := int(unsafe.Sizeof(*r)) + tape.BytesOf(r.Rest) + tape.BytesOf(r.Above) + tape.BytesOf(r.Beside) + tape.BytesOf(r.Linear) + tape.BytesOf(r.Unwritten)
	head := Section{Pieces: r.Head}
	k += head.bytes()
	for i := range r.Rest {
		k += r.Rest[i].bytes()
	}
	return k
}
