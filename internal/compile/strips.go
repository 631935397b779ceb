package compile

import (
	"unsafe"

	"github.com/hesse-ad/hesse/internal/tape"
)

// A gradient goes forward over all nodes and then back. Where these are many, values and
// adjoints go through memory. But in a program that only adds up the results of many small
// parts, the adjoints of these results are known before any value is. So the inputs are cut
// into strips, and for one strip after another values and adjoints are found at once, in
// the same few places, which stay in the caches. For Σ tᵢ with tᵢ = (xᵢ₊₁ − xᵢ²)² and four
// inputs a strip:
//
//	inputs     x₀ x₁ x₂ x₃ │ x₄ x₅ x₆ x₇ │ x₈ …
//	strip 0    t₀ t₁ t₂ t₃
//	strip 1             t₃   t₄ t₅ t₆ t₇
//	strip 2                           t₇   t₈ …
//
// A strip computes all nodes that depend on its inputs. Nodes that depend on inputs of
// several strips, here t₃ and t₇, are the halo: each of these strips computes them, for
// which it also reads inputs of the others. So the adjoint of each input is added up within
// one strip, in the order of a sweep over whole batches, and has the same bits (overlapped
// tiling: Krishnamoorthy et al., Effective automatic parallelization of stencil
// computations, 2007). The first strip that computes a node owns it, and does what must be
// done only once.
//
// The rest of the program is not in strips:
//
//   - The head is evaluated before all strips, and its adjoints are found after them. It is
//     the nodes that many others read, which would make the halo large, the batches that
//     are mixed or rows, and all that these are computed from. Strips share it.
//   - Linear batches that nothing but linear batches read, as Σ above, are evaluated after
//     the strips. Their adjoints need no values. Those that read strips are above them, and
//     their adjoints are found before the strips; the others are beside them, and theirs are
//     found after.
//
//	strips.go         what they are
//	strips_halo.go    head, strips of each node, halo
//	strips_order.go   the check that adjoints are added up in the same order
//	strips_build.go   pieces of batches, and the places on which they work
//	strips_second.go  the same for sweeps of second order

// Strips is a program as a gradient goes through it:
//
//	values of Head
//	adjoints of Above, from its last batch to the first
//	for each strip: its values, then its adjoints, from the last piece to the first
//	adjoints of Beside, then of Head, from the last batch to the first
//	values of Linear
type Strips struct {
	Head          []Batch
	Rest          []Strip
	Above, Beside []Batch // linear ones; Above is without the sums that Strip.Summed names
	Linear        []Batch // all linear ones
	// Inputs is the inputs that something other than strips reads.
	Inputs []Span
	// Unwritten is the nodes outside of strips whose adjoints are added to before they are
	// set.
	Unwritten []Span

	// A strip works on places: parameters and constants have the first ones, then what
	// it shares with the others.
	Places int
	Shared []Shared
}

// Strip is what is computed for some inputs. Its pieces name nodes by their places.
type Strip struct {
	Pieces []Batch
	Own    Span      // inputs whose adjoints are found
	Inputs Passage   // inputs that are read
	Out    []Passage // nodes that it owns whose values something outside of strips reads
	In     []Passage // nodes to whose adjoints Above has added, or outputs
	// Summed is the places of nodes that one sum reads and nothing else does; Node is the
	// sum. Their adjoints are set to that of the sum.
	Summed []Passage
	// Unwritten is the places of adjoints that are added to before they are set.
	Unwritten []Span
	// Sharing is the pieces that add to adjoints of Shared, the last piece first.
	Sharing []Sharing

	// The same for a sweep of second order, which goes over other pieces in the order of
	// Sections.
	Second          []Batch
	UnwrittenSecond []Span
}

// Passage is the N nodes from Node on, whose values or adjoints are copied between the
// memory of the program and the places from Place on.
type Passage struct{ Node, Place, N int32 }

// Shared is a node of the head that strips read. Its value is at Place and at Place+1, for
// two adjoints: lanes that a strip owns add to that at Place; lanes of the halo, for which
// the owner does so, add to that at Place+1, which nothing reads.
type Shared struct{ Node, Place int32 }

// Sharing is a piece, number Piece of its strip, that adds to adjoints of Shared. Where
// several goroutines sweep strips at once, each must not add to these itself, since the
// order of additions decides their bits. It then sweeps Apart instead of the piece, which
// sets numbers of its own, one a lane; To says where these are to be added afterwards.
type Sharing struct {
	Piece int
	Apart Batch
	To    []Addition
}

// Addition says that the numbers at the places from Place on, one a lane, are to be added
// to the adjoint of Strips.Shared[Shared].
type Addition struct {
	Shared int
	Place  int32
}

// Measured with gradients and with Hessians by star colorings of the problems of bench, at
// n = 10⁵: no time differs by more than from run to run, 10 %, for manyUses from 8 to 250,
// for minSegment from 2 to 512, and for halos of 1.02, 1.1, 1.2 to 1.3, 1.6, 2.
const (
	// manyUses is how many lanes may read a node of a strip. One that more read belongs to
	// the head: in a strip, it would draw all these lanes, far away ones too, into that
	// strip and into all those between.
	manyUses = 64

	// How many lanes all strips together may compute, for each lane of the program: what
	// exceeds 1 is computed more than once. The smaller the strips, the larger the halos. So
	// lessHalo is the limit of strips of the wanted size, someHalo of those twice as large,
	// mostHalo of those four times as large.
	lessHalo, someHalo, mostHalo = 1.1, 1.3, 1.4

	// minSegment is how many lanes segments must have on average: in each strip, each
	// segment is at least one loop.
	minSegment = 32

	none = -1
)

// NewStrips cuts the program into strips of about the given number of nodes, or of twice or
// four times as many if their halos were too large otherwise. It is nil where that cannot
// be done: the program has guards, is too small, is not a sum of parts that few inputs
// decide, or adjoints would be added up in another order. Cost: O(N) time and memory in N
// nodes, about as long as recording them.
func (p *Program) NewStrips(nodes int) *Strips {
	if c := p.newStripper(nodes); c != nil {
		return c.strips(nodes)
	}
	return nil
}

// NewSecondStrips is NewStrips for sweeps of second order too, which have the bits of sweeps
// over Sections(lanes). It is also nil if there is a head.
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

// strips makes strips of at least the given number of nodes; nil if there are none.
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

// stripper is a program that is cut into strips.
type stripper struct {
	*Program
	r *Strips

	// Each batch is in one of these: linear ones that nothing but linear ones read; of the
	// others, those of lanes and those that are mixed or rows.
	linear, lanes, single []*Batch
	above, beside         []*Batch // linear ones whose adjoints are found before and after strips

	total        int     // how many nodes are in lanes
	most         float64 // how many of them all strips together may compute
	width, count int32   // inputs of a strip, and how many strips there are

	// By node:
	outside     []bool  // a linear batch reads it, or it is an output
	head        []bool  // it is in the head
	from        []int32 // its segment, none if it has none
	first, last []int32 // the first and the last strip on whose inputs it depends

	segments []segment
	shared   map[int32]int32 // of a node of the head that strips read, its place
	of       [][]int32       // by strip, its segments
	pieces   [][]piece       // by strip, its pieces

	// By node, found by build:
	below   []bool  // Above adds to its adjoint, or it is an output
	cleared []bool  // its adjoint is added to before it is set
	summed  []int32 // the sum to whose adjoint its own is set, or none
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
	pieces(r.Head) // Above, Beside and Linear share the memory of the program
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
