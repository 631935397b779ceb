package compile

import (
	"unsafe"

	"github.com/hesse-ad/hesse/internal/tape"
)

// A gradient goes forward and back over all nodes. Where these are many, values and
// adjoints go through memory. In a program that adds up many small parts, the adjoints of
// what is added are known before any value is. So the inputs are cut into strips, and of
// one strip after another values and adjoints are found, in the same few places, which
// stay in the caches. Of Σ tᵢ with tᵢ = (xᵢ₊₁ − xᵢ²)² and four inputs a strip:
//
//	inputs     x₀ x₁ x₂ x₃ │ x₄ x₅ x₆ x₇ │ x₈ …
//	strip 0    t₀ t₁ t₂ t₃
//	strip 1             t₃   t₄ t₅ t₆ t₇
//	strip 2                           t₇   t₈ …
//
// A strip computes all that is computed from its inputs. What is computed from inputs of
// several strips is the halo, here t₃ and t₇: each of these strips computes it, for which
// it reads inputs of others, too. So the adjoint of each input is added up within one strip,
// in the order of a sweep over whole batches, and has the same bits (overlapped tiling:
// Krishnamoorthy et al., Effective automatic parallelization of stencil computations,
// 2007). What must happen once, the first strip that computes a node does: that owns it.
//
// The rest of the program is not in strips:
//
//   - The head is evaluated before all strips, and its adjoints come after them. It has
//     what many nodes read, which would make the halo large, what is not in lanes, and what
//     these are computed from. Strips share it.
//   - Linear batches that only others such read, as Σ above, are evaluated after the
//     strips. Their adjoints need no values: those of what is above the strips, since it
//     reads them, come before the strips; those of what is beside them, after.
//
//	strips.go         what they are
//	strips_halo.go    head, strips of each node, halo
//	strips_order.go   the check that adjoints are added up in the same order
//	strips_build.go   pieces of batches, and the places on which they work
//	strips_second.go  the same for sweeps of second order

// Strips is a program as a gradient goes through it: values of Head; adjoints of Above,
// from the end; of each strip in turn values and, from the end, adjoints; adjoints of
// Beside and Head, from the end; values of Linear, which is Above and Beside together.
type Strips struct {
	Head          []Batch
	Rest          []Strip
	Above, Beside []Batch // Above without the sums that are Summed
	Linear        []Batch
	// Inputs is which inputs others than strips read.
	Inputs []Span
	// Unwritten is which adjoints of the others are added to before they are set.
	Unwritten []Span

	// A strip works on places: parameters and constants have the first ones, then what
	// it shares with the others.
	Places int
	Shared []Shared
}

// Strip is what is computed for some inputs. Nodes of its pieces are places.
type Strip struct {
	Pieces []Batch
	Own    Span      // inputs whose adjoints are found
	Inputs Passage   // those that are read
	Out    []Passage // nodes whose values others read
	In     []Passage // nodes to whose adjoints others have added
	// Places of what is read by one sum and by nothing else, and Node, the sum: the
	// adjoints at these are set to that of the sum.
	Summed []Passage
	// Unwritten is the places of adjoints that are added to before they are set.
	Unwritten []Span
	// Sharing is the pieces that add to Shared, in the order in which adjoints come.
	Sharing []Sharing

	// The same for a sweep of second order, which goes over other pieces in the order of
	// Sections.
	Second          []Batch
	UnwrittenSecond []Span
}

// Passage is N nodes from Node on, which have the places from Place on: their numbers are
// copied between a strip and the program.
type Passage struct{ Node, Place, N int32 }

// Shared is a node of the head that strips read: its value is at Place and at Place+1.
// Lanes that a strip owns add to the adjoint at Place; others, whose owner does so, at
// Place+1, which is not read.
type Shared struct{ Node, Place int32 }

// Sharing is piece number Piece of a strip if its strip is not to add to the adjoints of
// what strips share: to be added are the numbers that Apart sets instead, lane by lane.
type Sharing struct {
	Piece int
	Apart Batch
	To    []Addition
}

// Addition is that element number Shared of Shared is added to, by numbers at the places
// from Place on.
type Addition struct {
	Shared int
	Place  int32
}

// Measured with gradients and with Hessians by star colorings of the problems of bench, at
// n = 10⁵: no time differs by more than from run to run, 10 %, for manyUses from 8 to 250,
// for minSegment from 2 to 512, and for halos of 1.02, 1.1, 1.2 to 1.3, 1.6, 2.
const (
	// A node that more lanes read belongs to the head: as part of one strip it would make
	// lanes far from that belong to it, too, and to all strips between.
	manyUses = 64

	// How many lanes strips have together at most, in units of the lanes that there are:
	// what exceeds 1 is computed more than once. Small strips have the larger halos, and
	// where these are too large, strips twice as large are tried, which gain less from the
	// caches but may have mostHalo.
	lessHalo, someHalo, mostHalo = 1.1, 1.3, 1.4

	// A segment has at least so many lanes on average: each is a loop of its own in each
	// of its strips.
	minSegment = 32

	none = -1
)

// NewStrips cuts the program in strips of about so many nodes, or of more if they would
// have much in common. It is nil if there are none, if anything but sums reads them, if
// the program makes decisions, or if adjoints would be added up in another order. Cost:
// O(N) time and memory in N nodes, about as long as recording them.
func (p *Program) NewStrips(nodes int) *Strips {
	if c := p.newStripper(nodes); c != nil {
		return c.strips(nodes)
	}
	return nil
}

// NewSecondStrips is NewStrips for sweeps of second order, too, with the bits of those
// through Sections(lanes). It is nil also if there is a head.
func (p *Program) NewSecondStrips(nodes, lanes int) *Strips {
	c := p.newStripper(nodes)
	if c == nil || len(c.single) > 0 {
		return nil
	}
	if r := c.strips(nodes); r == nil || len(r.Head)+len(r.Shared) > 0 || !c.second(p.Sections(lanes)) {
		return nil
	}
	return c.r
}

// newStripper is nil if the program makes decisions or is too small for two strips.
func (p *Program) newStripper(nodes int) *stripper {
	if len(p.Guards()) > 0 || p.Inputs() == 0 || p.Len()-p.Base() < 2*nodes {
		return nil
	}
	c := &stripper{Program: p, r: new(Strips)}
	c.classify()
	if c.total < 2*nodes {
		return nil
	}
	return c
}

// strips makes strips of at least so many nodes, nil if there are none.
func (c *stripper) strips(nodes int) *Strips {
	p := c.Program
	c.findHead()
	for _, halo := range [...]float64{lessHalo, someHalo, mostHalo} {
		if c.total < 2*nodes {
			break
		}
		c.most = halo * float64(c.total)
		count := (c.total + nodes - 1) / nodes
		c.width = int32((p.Inputs() + count - 1) / count)
		c.count = (int32(p.Inputs()) + c.width - 1) / c.width
		if c.findSpans() && c.findHalos() {
			if !c.inOrder() {
				break
			}
			c.build()
			return c.r
		}
		nodes *= 2
	}
	return nil
}

// stripper is a program that is cut in strips.
type stripper struct {
	*Program
	r             *Strips
	lanes, single []*Batch // what is not linear: in lanes, and not
	linear        []*Batch
	above, beside []*Batch // linear ones that are done before and after strips
	total         int      // how many nodes are in lanes
	most          float64  // and in strips
	width, count  int32    // inputs of a strip, and how many strips there are
	outside       []bool   // by node: linear batches read it, or it is an output
	head          []bool   // by node
	segments      []segment
	from          []int32         // by node, the segment, none if < 0
	first, last   []int32         // by node, the strips of whose inputs it is computed
	shared        map[int32]int32 // by node of the head that strips read, its place
	of            [][]int32       // by strip, its segments
	pieces        [][]piece       // and its pieces

	// By node, what build finds:
	below   []bool  // Above adds to its adjoint, or it is an output
	cleared []bool  // its adjoint is added to before it is set
	summed  []int32 // the sum in whose place its adjoint is set, or none
}

// Bytes is the memory that they take.
func (r *Strips) Bytes() int {
	k := int(unsafe.Sizeof(*r)) + tape.BytesOf(r.Head) + tape.BytesOf(r.Rest) + tape.BytesOf(r.Above) +
		tape.BytesOf(r.Beside) + tape.BytesOf(r.Linear) + tape.BytesOf(r.Inputs) + tape.BytesOf(r.Unwritten) + tape.BytesOf(r.Shared)
	pieces := func(x []Batch) {
		for i := range x {
			k += tape.BytesOf(x[i].Terms)
			for o := range x[i].operands {
				if o.moved {
					k += tape.BytesOf(o.Index)
				}
			}
		}
	}
	pieces(r.Head) // others have what is the program's
	for i := range r.Rest {
		s := &r.Rest[i]
		pieces(s.Pieces)
		pieces(s.Second)
		k += tape.BytesOf(s.Sharing)
		for i := range s.Sharing {
			k += tape.BytesOf(s.Sharing[i].To) + tape.BytesOf(s.Sharing[i].Apart.Terms)
		}
		k += tape.BytesOf(s.Second) + tape.BytesOf(s.UnwrittenSecond) + tape.BytesOf(s.Pieces) + tape.BytesOf(s.Out) + tape.BytesOf(s.In) + tape.BytesOf(s.Summed) + tape.BytesOf(s.Unwritten)
	}
	return k
}
