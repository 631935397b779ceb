package compile

import (
	"slices"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Program is a tape whose operations are in batches. It is immutable.
type Program struct {
	tape.Tape
	batches   []Batch
	unwritten [orders][]Span // nodes that a reverse sweep must start with 0
	partials  int            // length of the stored partials of second-order sweeps
}

// Batches is the batches in the order of evaluation, not to be written.
func (p *Program) Batches() []Batch { return p.batches }

// Unwritten is the nodes whose adjoints must be 0 before a reverse sweep: it adds to
// them, or reads them, before it sets them.
func (p *Program) Unwritten(o Order) []Span { return p.unwritten[o] }

// StoredPartials is how many numbers the partials are that second-order sweeps keep, see
// Batch.PartialsAt.
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
	Mixed                   // nodes of different operations, in order
)

// Block is how many lanes of a batch are done at a time, so that what they share
// stays in the first-level cache.
const Block = 1024

// Batch is the nodes Lo … Hi−1, its lanes. But in one of mixed operations none is an
// operand of another.
type Batch struct {
	Kind   Kind
	Op     op.Code // of all, but for mixed ones
	Lo, Hi int32

	A, B Operand // of elementwise operations
	// PartialsAt is where the partials of the lanes begin that second-order sweeps
	// keep, two for each lane of a unary operation and five for each of a binary one.
	PartialsAt int32

	Terms []Term // of affine sums

	Shared, Width int32 // of rows: the operands that all share are Width ones from Shared on

	Inner      bool // some node has a nonlinear descendant
	Deep       bool // some operand is an operation
	InputsRead Span // the inputs that are operands are among these
}

// Len is the number of lanes.
func (b *Batch) Len() int32 { return b.Hi - b.Lo }

// Operand says where the operands of a batch are.
type Operand struct {
	Access Access
	At     int32
	Index  []int32
	first  [orders]bool
}

// overlaps reports whether some operand is in a span.
func (o *Operand) overlaps(s Span) bool {
	if o.Access == Consecutive {
		return s.Intersects(Span{o.At, o.At + int32(len(o.Index))})
	}
	return slices.ContainsFunc(o.Index, func(j int32) bool { return s.Lo <= j && j < s.Hi })
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

// Order is which reverse sweep: all of it, or what a Hessian needs.
type Order uint8

// The orders.
const (
	FirstOrder Order = iota
	SecondOrder
	orders
)

// finish computes what follows from the batches, in the memory s.
func (p *Program) finish(s *scratch) {
	at := int32(0)
	for k := range p.batches {
		b := &p.batches[k]
		b.PartialsAt = at
		if b.Kind == Elementwise {
			switch b.Op.Class() {
			case op.Unary:
				at += 2 * b.Len()
			case op.Binary:
				at += 5 * b.Len()
			}
		}
		p.inputsRead(b)
	}
	p.partials = int(at)
	p.firstWrites(FirstOrder, s)
	p.firstWrites(SecondOrder, s)
}

// inputsRead notes which nodes the lanes of a batch read.
func (p *Program) inputsRead(b *Batch) {
	see := func(at, n int32) {
		if at+n > int32(p.Base()) {
			b.Deep = true
		}
		b.InputsRead = b.InputsRead.Union(Span{at, min(at+n, int32(p.Inputs()))})
	}
	operand := func(o *Operand) {
		switch o.Access {
		case Consecutive:
			see(o.At, b.Len())
		case Uniform:
			see(o.At, 1)
		default:
			for _, j := range o.Index {
				see(j, 1)
			}
		}
	}
	switch b.Kind {
	case Mixed, Rows:
		for i := b.Lo; i < b.Hi; i++ {
			p.EachRun(i, see)
			if p.FirstOutput(i) < i { // which may be all of the batch
				b.Deep = true
			}
		}
	case Affine:
		for t := range b.Terms {
			operand(&b.Terms[t].Operand)
		}
	default:
		if b.Op.Operands() > 0 {
			operand(&b.A)
		}
		if b.Op.Operands() > 1 {
			operand(&b.B)
		}
	}
}

// firstWrites finds the operands that a reverse sweep meets for the first time in a
// batch, all of them consecutive: their adjoints are set there, all others
// start with 0 and are added to. A sweep of second order does nothing at linear
// operations without nonlinear descendants, and finds no adjoint at others.
func (p *Program) firstWrites(order Order, s *scratch) {
	set := zeroed(&s.set, p.Len()) // by the batch that meets it first
	met := zeroed(&s.met, p.Len())
	for _, i := range p.OutputNodes() {
		met[i] = true
	}
	all := func(x []bool) {
		for i := range x {
			x[i] = true
		}
	}
	for k := len(p.batches) - 1; k >= 0; k-- {
		b := &p.batches[k]
		if b.Kind == Mixed || b.Kind == Rows {
			for i := b.Lo; i < b.Hi; i++ {
				p.EachRun(i, func(at, n int32) { all(met[at : at+n]) })
			}
			continue
		}
		if b.Op.Class() == op.NoPartials || order == SecondOrder && !b.Inner && b.Op.Linear() {
			continue
		}
		if b.Kind == Affine { // its terms may overlap: none is met first
			for _, t := range b.Terms {
				for _, j := range t.Index {
					met[j] = true
				}
			}
			continue
		}
		m := b.Len()
		two := b.Op.Operands() == 2
		for _, o := range []*Operand{&b.A, &b.B} {
			if o.Access != Consecutive || o == &b.B && !two {
				continue
			}
			x := met[o.At : o.At+m]
			if slices.Contains(x, true) {
				continue
			}
			// Blocks of lanes take a before b, so the other operand must be
			// elsewhere.
			if two {
				other := &b.B
				if o == other {
					other = &b.A
				}
				if other.overlaps(Span{o.At, o.At + m}) {
					continue
				}
			}
			o.first[order] = true
			all(x)
			all(set[o.At : o.At+m])
		}
		for _, o := range []*Operand{&b.A, &b.B} {
			for _, j := range o.Index {
				met[j] = true
			}
		}
	}
	if order == SecondOrder { // nor are these read
		for k := range p.batches {
			if b := &p.batches[k]; (b.Kind == Elementwise || b.Kind == Affine) && !b.Inner {
				all(set[b.Lo:b.Hi])
			}
		}
	}
	for i := 0; i < len(set); {
		if set[i] {
			i++
			continue
		}
		j := i + 1
		for j < len(set) && !set[j] {
			j++
		}
		p.unwritten[order] = append(p.unwritten[order], Span{int32(i), int32(j)})
		i = j
	}
}

// Bytes is the memory that the program takes, but for what a user's primitives
// hold.
func (p *Program) Bytes() int {
	k := p.Tape.Bytes() + int(unsafe.Sizeof(*p)-unsafe.Sizeof(p.Tape)) + bytesOf(p.batches) +
		bytesOf(p.unwritten[0]) + bytesOf(p.unwritten[1])
	weights := map[*float64]bool{} // batches with the same ones share them
	for _, b := range p.batches {
		k += bytesOf(b.Terms)
		for _, t := range b.Terms {
			k += bytesOf(t.Index[:len(t.Index):len(t.Index)]) // a part of an array
			if len(t.w) > 0 && !weights[&t.w[0]] {
				weights[&t.w[0]] = true
				k += bytesOf(t.w[:len(t.w):len(t.w)])
			}
		}
	}
	return k
}

// bytesOf is the memory of the array of x.
func bytesOf[T any](x []T) int { return cap(x) * int(unsafe.Sizeof(*new(T))) }
