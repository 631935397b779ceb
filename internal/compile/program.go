package compile

import (
	"unsafe"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Program is a tape whose operations are in batches. It is immutable.
type Program struct {
	tape.Tape
	batches   []Batch
	unwritten []Span
	partials  int
}

// newProgram notes what sweeps need to know of the batches, in the memory s.
func newProgram(t *tape.Tape, batches []Batch, s *scratch) *Program {
	p := &Program{Tape: *t, batches: batches}
	for k := range batches {
		b := &batches[k]
		b.PartialsAt, b.PartialsBy = int32(p.partials), b.Len()
		p.partials += int(b.Len()) * b.partials()
		p.noteReads(b)
	}
	all := make([]*Batch, len(batches))
	for k := range batches {
		all[k] = &batches[k]
	}
	p.unwritten = p.findFirstWrites(FirstOrder, all, s)
	return p
}

// Batches is the batches in the order of evaluation, not to be written.
func (p *Program) Batches() []Batch { return p.batches }

// Unwritten is the nodes whose adjoints a first-order reverse sweep adds to, or reads,
// before it sets them: they must be 0 when it begins.
func (p *Program) Unwritten() []Span { return p.unwritten }

// StoredPartials is how many partial derivatives a second-order sweep stores for all
// batches together, see Batch.PartialsAt.
func (p *Program) StoredPartials() int { return p.partials }

// EveryInput is the span of all inputs.
func (p *Program) EveryInput() Span { return Span{0, int32(p.Inputs())} }

// Kind is what a batch consists of.
type Kind uint8

// The kinds of batches.
const (
	Elementwise Kind = iota // nodes of one operation on one or two operands
	Affine                  // affine sums of as many terms each, few of them
	Rows                    // sums of products that share one factor: a matrix times a vector
	Mixed                   // nodes of different operations, or of lists, one by one
)

// Block is how many lanes of a batch are done at a time, so that what they share
// stays in the first-level cache.
const Block = 1024

// Batch is the nodes Lo … Hi−1, its lanes. All have the same operation, and none is an
// operand of another, except in a mixed batch, whose nodes are done one after another.
type Batch struct {
	Kind   Kind
	Op     op.Code // of all lanes; not set in a mixed batch
	Lo, Hi int32
	Shift  int32 // if Lo … Hi−1 are places: place plus Shift is the number of the node

	// The operands of an elementwise batch. A second-order sweep stores the first and
	// second partials of each lane, two numbers if the operation is unary, five if it is
	// binary: number k of the lane Lo+i is at PartialsAt + k·PartialsBy + i.
	A, B                   Operand
	PartialsAt, PartialsBy int32

	// The terms of an affine batch. If Tiles is not nil, the operands of each lane are a
	// row of a matrix of inputs, and Tiles[i] is where the weights of the lane Lo+i begin.
	Terms []Term
	Tiles []int32

	// The factors of a batch of rows, sums of Width products each. All lanes share the
	// factors at the nodes Shared … Shared+Width−1. Those that the lane Lo+i has alone are
	// Width nodes, of Dot, or weights, of Affine, from Factors[i] on.
	Shared, Width int32
	Factors       []int32

	// What a sweep may leave out. A Hessian needs tangents and second-order adjoints only
	// of nodes that feed a nonlinear operation. And a lane has a tangent only if it reads
	// an input that has one, or another operation.
	FeedsNonlinear  bool // at least one lane does
	ReadsOperations bool // some operand is an operation
	InputsRead      Span // holds all operands that are inputs
}

// Len is the number of lanes.
func (b *Batch) Len() int32 { return b.Hi - b.Lo }

// partials is how many numbers second-order sweeps keep for a lane.
func (b *Batch) partials() int {
	switch {
	case b.Kind != Elementwise:
		return 0
	case b.Op.Class() == op.Unary:
		return 2
	case b.Op.Class() == op.Binary:
		return 5
	default:
		return 0
	}
}

// operands yields the operands of an elementwise or affine batch; other batches have none.
func (b *Batch) operands(yield func(o *Operand) bool) {
	for t := range b.Terms {
		if !yield(&b.Terms[t].Operand) {
			return
		}
	}
	if k := b.Op.Operands(); b.Kind != Elementwise || k < 1 || !yield(&b.A) || k < 2 {
		return
	}
	yield(&b.B)
}

// Operand is one operand of all lanes of a batch: which nodes the lanes read there.
type Operand struct {
	Access Access
	At     int32        // the first node, unless they are indexed
	Index  []int32      // the node of each lane, whatever Access is
	first  [orders]bool // by order of the sweep, see WrittenFirst
	moved  bool         // Index was made for this operand; otherwise it is a part of the tape
}

// Access is how the operands of the lanes are found.
type Access uint8

// The ways of access.
const (
	Indexed     Access = iota // Index[0], Index[1], …
	Consecutive               // At, At+1, …
	Uniform                   // all At
)

// WrittenFirst reports whether a reverse sweep meets these operands in this batch
// for the first time, so that it sets their adjoints instead of adding to them.
func (o *Operand) WrittenFirst(order Order) bool { return o.first[order] }

// span is the nodes that the lanes read, which must be consecutive or uniform.
func (o *Operand) span() Span {
	if o.Access == Uniform {
		return Span{o.At, o.At + 1}
	}
	return Span{o.At, o.At + int32(len(o.Index))}
}

// noteReads notes which nodes the lanes of a batch read.
func (p *Program) noteReads(b *Batch) {
	see := func(at, n int32) {
		b.ReadsOperations = b.ReadsOperations || at+n > int32(p.Base())
		b.InputsRead = b.InputsRead.Union(Span{at, min(at+n, int32(p.Inputs()))})
	}
	for o := range b.operands {
		if o.Access != Indexed {
			see(o.span().Lo, o.span().Len())
			continue
		}
		for _, j := range o.Index {
			see(j, 1)
		}
	}
	if b.Kind != Mixed && b.Kind != Rows {
		return
	}
	for i := b.Lo; i < b.Hi; i++ {
		p.EachRun(i, see)
		if p.FirstOutput(i) < i { // a further output of a call: it counts as reading the first
			b.ReadsOperations = true
		}
	}
}

// Bytes is the memory that the program takes, without what the primitives of a user hold.
func (p *Program) Bytes() int {
	k := p.Tape.Bytes() + int(unsafe.Sizeof(*p)-unsafe.Sizeof(p.Tape)) + tape.BytesOf(p.batches) + tape.BytesOf(p.unwritten)
	weights := map[*float64]bool{} // batches with the same ones share them
	for _, b := range p.batches {
		k += tape.BytesOf(b.Terms) + tape.BytesOf(b.Factors) + tape.BytesOf(b.Tiles)
		for _, t := range b.Terms {
			k += tape.BytesOf(t.Index[:len(t.Index):len(t.Index)]) // terms are parts of one array: not its whole capacity
			if len(t.weights) > 0 && !weights[&t.weights[0]] {
				weights[&t.weights[0]] = true
				k += tape.BytesOf(t.weights[:len(t.weights):len(t.weights)])
			}
		}
	}
	return k
}
