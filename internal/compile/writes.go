package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Order is the order of the derivatives that a reverse sweep finds. One of second order
// goes over only what a Hessian needs.
type Order uint8

// The orders.
const (
	FirstOrder Order = iota
	SecondOrder
	orders // how many there are
)

// findFirstWrites decides where a reverse sweep may set adjoints instead of adding to them,
// so that they need not be cleared before. That is so at an operand of an elementwise batch
// if its nodes are consecutive and the sweep has met none of them before; it is noted for
// Operand.WrittenFirst. The nodes whose adjoints are read or added to without having been
// set are returned: these must be 0 when the sweep begins.
//
// batches are in the order of evaluation. A sweep of second order does nothing at linear
// operations that feed no nonlinear one, and reads no adjoint of nonlinear ones that feed
// none.
func (p *Program) findFirstWrites(order Order, batches []*Batch, s *scratch) (unwritten []Span) {
	set := tape.Zeroed(&s.set, p.Len()) // its adjoint need not be cleared: a batch sets it, or nothing reads it
	met := tape.Zeroed(&s.met, p.Len()) // the sweep has added to its adjoint, or set it
	for _, i := range p.OutputNodes() {
		met[i] = true
	}
	if order == SecondOrder {
		// Nodes that a list reads which the sweep does not visit count as met, so that their
		// adjoints begin with 0 and are added to. The list would add only a zero, but that
		// turns an adjoint of −0 into 0: the bits are the same whether it is visited or not.
		for k := range p.batches {
			if b := &p.batches[k]; (b.Kind == Mixed || b.Kind == Rows) && !p.visited(b) {
				p.meet(b, met)
			}
		}
		setAll(set, Span{int32(p.Base()), int32(p.Len())}, true) // adjoints of nodes that are not visited are not read
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
	return spansOf(set, false)
}

// spansOf is the longest spans of nodes i with x[i] = of.
func spansOf(x []bool, of bool) (spans []Span) {
	for lo := 0; lo < len(x); lo++ {
		hi := lo
		for hi < len(x) && x[hi] == of {
			hi++
		}
		if hi > lo {
			spans = append(spans, Span{int32(lo), int32(hi)})
		}
		lo = hi
	}
	return spans
}

// meet marks in met what the nodes of a mixed batch or of rows read.
func (p *Program) meet(b *Batch, met []bool) {
	for i := b.Lo; i < b.Hi; i++ {
		p.EachRun(i, func(at, n int32) { setAll(met, Span{at, at + n}, true) })
	}
}

// writesFirst reports whether the operand o of all lanes is consecutive nodes of which none
// was met before or is another operand of the batch. The latter matters since a sweep goes
// over one block of lanes after another: a node could be B in one block, which adds to it,
// and A in the next, which would set it.
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

// intersects reports whether some lane reads a node of s.
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
