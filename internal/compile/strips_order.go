package compile

import (
	"github.com/hesse-ad/hesse/internal/op"
)

// Additions round, so their order decides the bits of an adjoint. A sweep over whole batches
// goes from the last batch to the first. With strips, the order is the same within each
// strip, but an adjoint to which several strips add, or strips and the rest of the program,
// may be added to in another order. So this goes through all additions in the order of a
// sweep with strips, without numbers, and checks for each adjoint that every addition to it
// comes later in a sweep over whole batches than the one before it. One exception: the first
// two may change places, since 0 + a + b is 0 + b + a.

// inOrder divides the linear batches into above and beside such that each adjoint is added
// up as by a sweep over whole batches, and reports whether that is possible.
func (c *stripper) inOrder() bool {
	// First it tries beside for those that depend on no node in strips, then for none.
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

// asBatches reports whether each adjoint is added up as by a sweep over whole batches. m is
// working memory.
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
	// The adjoints of nodes in strips are added up as in whole batches. Those of nodes in the
	// head are added to by one strip after another.
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

// meetings is, by node, when a sweep last added to its adjoint.
type meetings struct {
	last []meeting
	*Program
}

// meeting is an addition to an adjoint. In a sweep over whole batches, additions come from
// the greatest batch to the smallest, and those of one batch with rising within.
type meeting struct {
	batch  int32 // its first lane
	times  uint8 // how many additions there have been: 0, 1, or 2 for more
	set    bool  // the adjoint was set, not added to
	within int64 // see eachAddition
}

// see notes the additions of the lanes lo … hi−1 of a batch. It reports whether all are in
// order.
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

// meet notes the additions of nodes of mixed batches and rows.
func (m *meetings) meet(b *Batch, lo, hi int32, ok *bool) {
	for i := lo; i < hi; i++ {
		m.EachRun(i, func(at, n int32) {
			for j := at; j < at+n; j++ {
				*ok = *ok && m.add(j, b.Lo, 0, false)
			}
		})
	}
}

// eachAddition calls do for each addition of the lanes lo … hi−1 of a batch, as long as it
// returns true, in the order in which sweep's adjointBlock adds: lane i adds to the adjoint
// of node j, or sets it. within is made of the block, operand and lane, and rises in the
// order of a sweep over the whole batch.
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

// add notes an addition to the adjoint of node j. It reports whether that is in order: if it
// comes too late, it must be the second one, see above.
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
