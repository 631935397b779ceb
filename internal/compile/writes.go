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

// findFirstWrites finds the operands that a reverse sweep meets for the first time in
// an elementwise batch, all of them consecutive: their adjoints are set there. All
// other adjoints start with 0 and are added to. A sweep of second order does nothing
// at linear operations that feed no nonlinear one, and finds no adjoint at others
// that feed none.
func (p *Program) findFirstWrites(order Order, s *scratch) {
	set := zeroed(&s.set, p.Len()) // by the batch that meets it first
	met := zeroed(&s.met, p.Len())
	for _, i := range p.OutputNodes() {
		met[i] = true
	}
	for k := len(p.batches) - 1; k >= 0; k-- {
		b := &p.batches[k]
		switch {
		case b.Kind == Mixed || b.Kind == Rows:
			for i := b.Lo; i < b.Hi; i++ {
				p.EachRun(i, func(at, n int32) { setAll(met, Span{at, at + n}) })
			}
		case b.Op.Class() == op.NoPartials || order == SecondOrder && !b.FeedsNonlinear && b.Op.Linear():
		default:
			if b.Kind == Elementwise { // the terms of affine sums may overlap
				for o := range b.operands {
					o.first[order] = b.writesFirst(o, met)
					if o.first[order] {
						setAll(met, o.span())
						setAll(set, o.span())
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
	if order == SecondOrder { // nor are these read
		for _, b := range p.batches {
			if (b.Kind == Elementwise || b.Kind == Affine) && !b.FeedsNonlinear {
				setAll(set, Span{b.Lo, b.Hi})
			}
		}
	}
	for lo := 0; lo < len(set); lo++ {
		hi := lo
		for hi < len(set) && !set[hi] {
			hi++
		}
		if hi > lo {
			p.unwritten[order] = append(p.unwritten[order], Span{int32(lo), int32(hi)})
		}
		lo = hi
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

func setAll(x []bool, s Span) {
	x = x[s.Lo:s.Hi]
	for i := range x {
		x[i] = true
	}
}
