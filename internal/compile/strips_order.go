package compile

import (
	"github.com/hesse-ad/hesse/internal/op"
)

// Additions round, so their order decides the bits of an adjoint. The sweep over whole
// batches goes from the last batch to the first; strips do the same within each of them,
// and what is not in strips comes before or after. Where an adjoint is added to from
// several of these, the order may differ. So all additions are gone through in the order of
// strips, without numbers, and of those to one adjoint each must come later in the sweep
// over whole batches than the one before it. One exception: 0 + a + b is 0 + b + a, so that
// the first two may change places.

// inOrder finds which linear batches come after the strips such that each adjoint is
// added up as by a sweep over whole batches. It reports whether there are such.
func (c *stripper) inOrder() bool {
	// Those that read no lanes, nor what does, may. If that is another order, all come
	// before.
	c.findPieces()
	above := make([]bool, c.Len())
	var upper, beside []*Batch
	for _, b := range c.linear {
		reads := false
		c.eachOperand(b, func(j int32) { reads = reads || above[j] || c.from[j] > 0 && !c.head[j] })
		setAll(above, Span{b.Lo, b.Hi}, reads)
		if reads {
			upper = append(upper, b)
		} else {
			beside = append(beside, b)
		}
	}
	met := &meetings{make([]meeting, c.Len()), c.Program}
	for _, x := range [][2][]*Batch{{upper, beside}, {c.linear, nil}} {
		c.above, c.beside = x[0], x[1]
		if c.asBatches(met) {
			return true
		}
	}
	return false
}

// asBatches reports whether each adjoint is added up as by a sweep over whole batches.
func (c *stripper) asBatches(m *meetings) bool {
	clear(m.last)
	all := func(x []*Batch) bool {
		for k := len(x) - 1; k >= 0; k-- {
			if !m.see(x[k], x[k].Lo, x[k].Hi) {
				return false
			}
		}
		return true
	}
	if !all(c.above) {
		return false
	}
	// In a strip, nodes are met as in whole batches, but for those of the head.
	ok := true
	see := func(b *Batch, lo, hi int32, head bool) {
		eachAddition(b, lo, hi, func(j, i int32, within int64, set bool) bool {
			if !c.head[i] && c.head[j] == head {
				ok = m.add(j, b.Lo, within, set)
			}
			return ok
		})
	}
	for k := len(c.lanes) - 1; k >= 0 && ok; k-- {
		see(c.lanes[k], c.lanes[k].Lo, c.lanes[k].Hi, false)
	}
	for _, pieces := range c.pieces {
		for k := len(pieces) - 1; k >= 0 && ok; k-- {
			if p := &pieces[k]; p.own && c.sharing(p.Batch) {
				see(p.Batch, p.Lo, p.Hi, true)
			}
		}
	}
	if !ok || !all(c.beside) {
		return false
	}
	head := c.heads()
	for k := len(head) - 1; k >= 0; k-- {
		if !m.see(head[k].Batch, head[k].Lo, head[k].Hi) {
			return false
		}
	}
	return true
}

// sharing reports whether lanes of a batch add to adjoints of the head.
func (c *stripper) sharing(b *Batch) bool {
	if b.Op.Class() == op.NoPartials {
		return false
	}
	for o := range b.operands {
		if _, shared := c.shared[o.Index[0]]; shared && o.Access == Uniform {
			return true
		}
	}
	return false
}

// heads is the head in the order of evaluation.
func (c *stripper) heads() (x []Piece) {
	linear := c.linear // of which the rest is after b
	for k := range c.batches {
		b := &c.batches[k]
		switch {
		case len(linear) > 0 && linear[0] == b:
			linear = linear[1:]
		case b.Kind == Mixed || b.Kind == Rows:
			x = append(x, Piece{Batch: b, Lo: b.Lo, Hi: b.Hi})
		default:
			for lo := b.Lo; lo < b.Hi; lo++ {
				hi := lo
				for hi < b.Hi && c.head[hi] {
					hi++
				}
				if hi > lo {
					x = append(x, Piece{Batch: b, Lo: lo, Hi: hi})
					lo = hi
				}
			}
		}
	}
	return x
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
