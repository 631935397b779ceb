package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Order is which reverse sweep: all of it, or what a Hessian needs.
type Order uint8

// The orders.
const (
	FirstOrder Order = iota
	SecondOrder
	orders
)

// findFirstWrites finds the operands that a reverse sweep over these batches, in the
// order of evaluation, meets for the first time in an elementwise batch, all of them
// consecutive: their adjoints are set there. All other adjoints start with 0 and are
// added to: it returns those. A sweep of second order does nothing at linear operations
// that feed no nonlinear one, and finds no adjoint at others that feed none.
func (p *Program) findFirstWrites(order Order, batches []*Batch, s *scratch) (unwritten []Span) {
	set := zeroed(&s.set, p.Len()) // by the batch that meets it first
	met := zeroed(&s.met, p.Len())
	for _, i := range p.OutputNodes() {
		met[i] = true
	}
	if order == SecondOrder {
		// What linear lists read begins with 0, though a zero is all that they add: a
		// zero then is never −0, whether they are visited or not.
		for k := range p.batches {
			if b := &p.batches[k]; (b.Kind == Mixed || b.Kind == Rows) && !p.visited(b) {
				p.meet(b, met)
			}
		}
		setAll(set, Span{int32(p.Base()), int32(p.Len())}, true) // others are not read
		for _, b := range batches {
			setAll(set, Span{b.Lo, b.Hi}, !b.FeedsNonlinear && (b.Kind == Elementwise || b.Kind == Affine))
		}
	}
	for k := len(batches) - 1; k >= 0; k-- {
		b := batches[k]
		switch {
		case b.Kind == Mixed || b.Kind == Rows:
			p.meet(b, met)
		case b.Op.Class() == op.NoPartials || order == SecondOrder && !b.FeedsNonlinear && b.Op.Linear():
		default:
			if b.Kind == Elementwise { // the terms of affine sums may overlap
				for o := range b.operands {
					o.first[order] = b.writesFirst(o, met)
					if o.first[order] {
						setAll(met, o.span(), true)
						setAll(set, o.span(), true)
					}
				}
			}
			for o := range b.operands {
				for _, j := range o.Index {
					met[j] = true
				}
			}
		}
	}
	for lo := 0; lo < len(set); lo++ {
		hi := lo
		for hi < len(set) && !set[hi] {
			hi++
		}
		if hi > lo {
			unwritten = append(unwritten, Span{int32(lo), int32(hi)})
		}
		lo = hi
	}
	return unwritten
}

// meet marks what the nodes of a batch of lists read.
func (p *Program) meet(b *Batch, met []bool) {
	for i := b.Lo; i < b.Hi; i++ {
		p.EachRun(i, func(at, n int32) { setAll(met, Span{at, at + n}, true) })
	}
}

// writesFirst reports whether none of the operands o of a batch was met before, nor
// is by its other operands: in a block of lanes, A comes before B.
func (b *Batch) writesFirst(o *Operand, met []bool) bool {
	s := o.span()
	if o.Access != Consecutive || slices.Contains(met[s.Lo:s.Hi], true) {
		return false
	}
	for other := range b.operands {
		if other != o && other.intersects(s) {
			return false
		}
	}
	return true
}

// intersects reports whether some operand is in a span.
func (o *Operand) intersects(s Span) bool {
	if o.Access != Indexed {
		return o.span().Intersects(s)
	}
	return slices.ContainsFunc(o.Index, func(j int32) bool { return s.Lo <= j && j < s.Hi })
}

func setAll(x []bool, s Span, to bool) {
	x = x[s.Lo:s.Hi]
	for i := range x {
		x[i] = to
	}
}
