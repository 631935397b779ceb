package compile

import (
	"cmp"
	"slices"
	"sort"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// A gradient goes forward and back over all nodes, and where these are many, values and
// adjoints go through memory four times. In a program that adds up many small parts, the
// adjoints of what is added are known beforehand. Then the inputs are cut into strips,
// and of each strip the values and the adjoints of all that reads its inputs are found
// one after the other, in places that all strips share, and never leave the caches.
//
// What reads inputs of two strips, the halo, is computed in both: so each adjoint of a
// strip is added up in one place, in the order of a sweep over whole batches, and has the
// same bits (overlapped tiling: Krishnamoorthy et al., Effective automatic
// parallelization of stencil computations, 2007). What many nodes read, and what that is
// computed from, is the head, before all strips; of what is added to its adjoints, the
// order is checked.

// Strips is a program as a gradient goes through it: values of Head; adjoints of Above,
// from the end; of each strip in turn values and, from the end, adjoints; adjoints of
// Beside and Head, from the end; values of Linear, which is Above and Beside together.
type Strips struct {
	Head          []Batch
	Rest          []Strip
	Above, Beside []Batch // Above without what strips do themselves
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
	// Of sums in Above that are not done beforehand, places of what they read. Node is
	// the sum.
	Summed []Passage
	// Unwritten is the places of adjoints that are added to before they are set.
	Unwritten []Span

	// The same for a sweep of second order, which goes over other pieces in the order of
	// Sections.
	Second          []Batch
	UnwrittenSecond []Span
}

// Passage is N nodes that have the places from Place on.
type Passage struct{ Node, Place, N int32 }

// Shared is a node of the head that strips read: its value is at Place and at Place+1.
// What a strip adds to the adjoint at the latter, another one adds at the former.
type Shared struct{ Node, Place int32 }

const (
	manyUses   = 64  // a node with more of them belongs to the head
	mostHalo   = 1.4 // how many lanes strips may have, in units of those that there are,
	someHalo   = 1.3 // or smaller ones,
	lessHalo   = 1.1 // or still smaller ones
	minSegment = 32  // how many lanes a segment has at least, on average

	none = -1
)

// NewStrips cuts the program in strips of about so many nodes, or of more if they would
// have much in common. It is nil if there are none, if anything but sums reads them, if
// the program makes decisions, or if adjoints would be added up in another order. Cost:
// O(N) time and memory in N nodes, a third of recording them.
func (p *Program) NewStrips(nodes int) *Strips {
	if len(p.Guards()) > 0 || p.Inputs() == 0 || p.Len()-p.Base() < 2*nodes {
		return nil
	}
	c := &stripper{Program: p, r: new(Strips)}
	c.classify()
	if c.total < 2*nodes {
		return nil
	}
	c.findHead()
	return c.strips(nodes)
}

// NewSecondStrips is NewStrips for sweeps of second order, too, with the bits of those
// through Sections(lanes). It is nil also if there is a head.
func (p *Program) NewSecondStrips(nodes, lanes int) *Strips {
	if len(p.Guards()) > 0 || p.Inputs() == 0 || p.Len()-p.Base() < 2*nodes {
		return nil
	}
	c := &stripper{Program: p, r: new(Strips)}
	c.classify()
	if c.total < 2*nodes || len(c.single) > 0 {
		return nil
	}
	c.findHead()
	if r := c.strips(nodes); r == nil || len(r.Head)+len(r.Shared) > 0 || !c.second(p.Sections(lanes)) {
		return nil
	}
	return c.r
}

// strips makes strips of at least so many nodes, nil if there are none.
func (c *stripper) strips(nodes int) *Strips {
	p := c.Program
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
}

// segment is the inputs, or nodes in lanes, of which strips one after another compute
// those one after another. None reads another.
type segment struct {
	lo    int32
	first int32
	// By strip from first on: the nodes that it computes, and those that it is the first
	// to compute.
	spans, own []Span
}

// at is the nodes that strip s computes.
func (g *segment) at(s int32) *Span {
	for s < g.first {
		g.first--
		g.spans, g.own = slices.Insert(g.spans, 0, Span{}), slices.Insert(g.own, 0, Span{})
	}
	for s >= g.first+int32(len(g.spans)) {
		g.spans, g.own = append(g.spans, Span{}), append(g.own, Span{})
	}
	return &g.spans[s-g.first]
}

// classify finds what is in lanes, what is linear and read by nothing that is not, and
// what is neither.
func (c *stripper) classify() {
	c.outside = make([]bool, c.Len())
	for _, i := range c.OutputNodes() {
		c.outside[i] = true
	}
	read := make([]bool, c.Len()) // by others than linear batches
	for k := len(c.batches) - 1; k >= 0; k-- {
		b := &c.batches[k]
		by := read
		switch {
		case (b.Kind == Mixed || b.Kind == Rows) && !slices.Contains(read[b.Lo:b.Hi], true) && c.constantPartials(b):
			c.linear, by = append(c.linear, b), c.outside
		case b.Kind == Mixed || b.Kind == Rows || b.Tiles != nil:
			c.single = append(c.single, b)
		default:
			c.lanes = append(c.lanes, b)
			c.total += int(b.Len())
		}
		c.eachOperand(b, func(j int32) { by[j] = true })
	}
	slices.Reverse(c.linear)
	slices.Reverse(c.single)
	slices.Reverse(c.lanes)
}

// eachOperand calls do with the operands of a batch, as often as they are.
func (p *Program) eachOperand(b *Batch, do func(j int32)) {
	if b.Kind == Mixed || b.Kind == Rows {
		for i := b.Lo; i < b.Hi; i++ {
			p.EachOperand(p.FirstOutput(i), do)
		}
		return
	}
	for o := range b.operands {
		for _, j := range o.Index {
			do(j)
		}
	}
}

// findHead finds the head: what is not in lanes, what has many uses, and operations that
// these are computed from.
func (c *stripper) findHead() {
	c.head = make([]bool, c.Len())
	uses := make([]uint8, c.Len())
	for _, b := range c.lanes {
		c.eachOperand(b, func(j int32) {
			if uses[j] <= manyUses {
				uses[j]++
			}
		})
	}
	for j, n := range uses[:c.Inputs()] {
		c.head[j] = n > manyUses
	}
	up := func(j int32) {
		if j >= int32(c.Base()) {
			c.head[j] = true
		}
	}
	lanes, single := c.lanes, c.single
	for len(lanes)+len(single) > 0 {
		if k := len(single) - 1; k >= 0 && (len(lanes) == 0 || single[k].Lo > lanes[len(lanes)-1].Lo) {
			setAll(c.head, Span{single[k].Lo, single[k].Hi}, true)
			c.eachOperand(single[k], up)
			single = single[:k]
			continue
		}
		b := lanes[len(lanes)-1]
		lanes = lanes[:len(lanes)-1]
		for i := b.Lo; i < b.Hi; i++ {
			if c.head[i] = c.head[i] || uses[i] > manyUses; c.head[i] {
				for o := range b.operands {
					up(o.Index[i-b.Lo])
				}
			}
		}
	}
}

// findSpans finds which strips have inputs that each node is computed of. Nodes that are
// computed of none belong to the head, too. It reports whether not too many do.
func (c *stripper) findSpans() bool {
	inputs := segment{}
	for s := range c.count {
		*inputs.at(s) = Span{s * c.width, min((s+1)*c.width, int32(c.Inputs()))}
		inputs.own[s] = inputs.spans[s]
	}
	c.segments = append(c.segments[:0], inputs)
	c.from, c.first, c.last = make([]int32, c.Len()), make([]int32, c.Len()), make([]int32, c.Len())
	for i := range c.from {
		c.from[i] = -1
	}
	for j := range int32(c.Inputs()) {
		c.from[j], c.first[j], c.last[j] = 0, j/c.width, j/c.width
	}
	lanes, inHead := 0, 0
	var g *segment
	before, next := c.count, int32(0) // the first strip of the node before, and the number after it
	for _, b := range c.lanes {
		apart := c.readStrips(b, g)
		for i := b.Lo; i < b.Hi; i++ {
			lo, hi := c.first[i], c.last[i]
			if c.head[i] = c.head[i] || hi < 0; c.head[i] {
				inHead++
				continue
			}
			if i != next || lo < before || apart && i == b.Lo {
				c.segments = append(c.segments, segment{lo: i, first: lo})
				g = &c.segments[len(c.segments)-1]
			}
			next = i + 1
			c.from[i] = int32(len(c.segments)) - 1
			if lanes += int(hi - lo + 1); float64(lanes) > c.most {
				return false
			}
			before = lo
			for s := lo; s <= hi; s++ {
				x := g.at(s)
				*x = x.Union(Span{i, i + 1})
			}
			own := &g.own[lo-g.first]
			*own = own.Union(Span{i, i + 1})
		}
	}
	return 2*inHead < c.total && minSegment*len(c.segments) <= c.total
}

// readStrips finds the strips of the lanes of b by those of their operands. It reports
// whether some of these are in the segment g.
func (c *stripper) readStrips(b *Batch, g *segment) bool {
	first, last := c.first[b.Lo:b.Hi], c.last[b.Lo:b.Hi]
	for i := range first {
		first[i], last[i] = c.count, none
	}
	apart := false
	for o := range b.operands {
		for i, j := range o.Index {
			apart = apart || g != nil && j >= g.lo
			if c.from[j] >= 0 && !c.head[j] {
				first[i], last[i] = min(first[i], c.first[j]), max(last[i], c.last[j])
			}
		}
	}
	return apart
}

// findHalos adds to each strip what its nodes are computed of. It reports whether that
// is not much, and whether operands of lanes in a row are in a row.
func (c *stripper) findHalos() bool {
	c.shared = map[int32]int32{}
	lanes := 0
	for k := len(c.segments) - 1; k > 0; k-- {
		g := &c.segments[k]
		for s, x := range g.spans {
			lanes += int(x.Len())
			for _, p := range c.parts(x) {
				if !c.readBy(p.Batch, Span{p.Lo, p.Hi}, g.first+int32(s)) {
					return false
				}
			}
		}
	}
	return float64(lanes) <= c.most
}

// parts is the parts of batches that nodes in lanes are.
func (c *stripper) parts(x Span) (parts []Piece) {
	k := sort.Search(len(c.lanes), func(k int) bool { return c.lanes[k].Hi > x.Lo })
	for ; k < len(c.lanes) && c.lanes[k].Lo < x.Hi; k++ {
		b := c.lanes[k]
		parts = append(parts, Piece{Batch: b, Lo: max(x.Lo, b.Lo), Hi: min(x.Hi, b.Hi)})
	}
	return parts
}

// readBy adds to strip s what the lanes x of b read.
func (c *stripper) readBy(b *Batch, x Span, s int32) bool {
	for o := range b.operands {
		index := o.Index[x.Lo-b.Lo : x.Hi-b.Lo]
		if o.Access == Uniform {
			index = index[:1]
		}
		for _, j := range index {
			k, constant := c.from[j], int32(c.Inputs()) <= j && j < int32(c.Base())
			switch {
			case o.Access == Consecutive && k != c.from[index[0]]:
				return false
			case constant:
			case k < 0 || c.head[j]:
				if o.Access != Uniform {
					return false
				}
				c.shared[j] = none
			default:
				y := c.segments[k].at(s)
				*y = y.Union(Span{j, j + 1})
			}
		}
	}
	return true
}

// inOrder finds which linear batches come after the strips such that each adjoint is
// added up as by a sweep over whole batches. It reports whether there are such.
func (c *stripper) inOrder() bool {
	// Those that read no lanes, nor what does, may.
	c.findPieces()
	above := make([]bool, c.Len())
	var upper, beside []*Batch
	for _, b := range c.linear {
		reads := false
		c.eachOperand(b, func(j int32) { reads = reads || above[j] || c.from[j] > 0 && !c.head[j] })
		if setAll(above, Span{b.Lo, b.Hi}, reads); reads {
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

// sharing reports whether lanes of a batch read the head.
func (c *stripper) sharing(b *Batch) bool {
	for o := range b.operands {
		if _, shared := c.shared[o.Index[0]]; shared && o.Access == Uniform {
			return true
		}
	}
	return false
}

// heads is the head in the order of evaluation.
func (c *stripper) heads() (x []Piece) {
	for k := range c.batches {
		b := &c.batches[k]
		switch {
		case slices.Contains(c.linear, b):
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

// build makes the strips.
func (c *stripper) build() {
	r := c.r
	inputs := make([]bool, c.Inputs())
	reads := func(j int32) {
		if j < int32(c.Inputs()) {
			inputs[j] = true
		}
	}
	for _, h := range c.heads() {
		if h.Batch.Kind == Mixed || h.Batch.Kind == Rows {
			r.Head = append(r.Head, *h.Batch)
		} else {
			r.Head = append(r.Head, c.part(h.Batch, h.Lo, h.Hi))
		}
		c.eachOperand(&r.Head[len(r.Head)-1], reads)
	}
	for _, b := range c.linear {
		c.eachOperand(b, reads)
		r.Linear = append(r.Linear, *b)
	}
	for _, b := range c.beside {
		r.Beside = append(r.Beside, *b)
	}
	for _, i := range c.OutputNodes() {
		reads(i)
	}
	place := int32(c.Base() - c.Inputs())
	for j := range int32(c.Len()) {
		if _, is := c.shared[j]; is {
			reads(j)
			c.shared[j] = place
			r.Shared = append(r.Shared, Shared{j, place})
			place += 2
		}
	}
	for j, is := range inputs {
		if is {
			r.Inputs = extend(r.Inputs, int32(j))
		}
	}

	summed := c.findSummed()
	below := make([]bool, c.Len()) // Above adds to it
	for k := range r.Above {
		c.meet(&r.Above[k], below)
	}
	for _, i := range c.OutputNodes() {
		below[i] = true
	}
	unwritten := make([]bool, c.Len())
	for _, u := range c.unwritten {
		for i := u.Lo; i < u.Hi; i++ {
			unwritten[i] = true
			_, shared := c.shared[i]
			if c.from[i] < 0 || c.head[i] || below[i] || shared {
				r.Unwritten = extend(r.Unwritten, i)
			}
		}
	}
	at := make([]int32, len(c.segments))
	for s := range c.count {
		r.Places = max(r.Places, int(c.places(s, at)))
	}
	for s := range c.count {
		c.buildStrip(s, at, below, unwritten, summed)
	}
}

// places finds the places of what strip s computes: at is by segment the place that the
// node 0 would have if it were in the segment. It returns where they end.
func (c *stripper) places(s int32, at []int32) int32 {
	place := int32(c.Base() - c.Inputs() + 2*len(c.r.Shared))
	for _, k := range c.of[s] {
		span := *c.segments[k].at(s)
		// An odd number of four lines of the cache apart, see package sweep.
		place = (place + 31) / 32 * 32
		at[k] = place - span.Lo
		place += (span.Len()+31)/64*64 + 32
	}
	return place
}

// findSummed finds sums of what is in strips and of what nothing else in Above reads: by
// node, which sum reads it. Above is without these.
func (c *stripper) findSummed() []int32 {
	summed, reads := make([]int32, c.Len()), make([]uint8, c.Len())
	for i := range summed {
		summed[i] = none
	}
	read := func(j int32) { reads[j] = min(reads[j]+1, 2) }
	for _, b := range c.linear {
		c.eachOperand(b, read)
	}
	for _, i := range c.OutputNodes() {
		read(i)
	}
	for _, b := range c.above {
		lo := b.Lo
		for i := b.Lo; i < b.Hi && b.Kind == Mixed; i++ {
			ok := c.Op(i) == op.Sum
			c.EachOperand(i, func(j int32) { ok = ok && reads[j] == 1 && c.from[j] > 0 })
			if !ok {
				continue
			}
			c.EachOperand(i, func(j int32) { summed[j] = i })
			c.addAbove(b, lo, i)
			lo = i + 1
		}
		c.addAbove(b, lo, b.Hi)
	}
	return summed
}

// addAbove adds the nodes lo … hi−1 of a batch to Above.
func (c *stripper) addAbove(b *Batch, lo, hi int32) {
	if lo < hi {
		c.r.Above = append(c.r.Above, *b)
		x := &c.r.Above[len(c.r.Above)-1]
		x.Lo, x.Hi = lo, hi
	}
}

// buildStrip makes strip s; at is memory.
func (c *stripper) buildStrip(s int32, at []int32, below, unwritten []bool, summed []int32) {
	x := Strip{Own: c.segments[0].own[s]}
	c.places(s, at)
	for _, k := range c.of[s] {
		g := &c.segments[k]
		span, own := *g.at(s), g.own[s-g.first]
		if k == 0 {
			x.Inputs = Passage{span.Lo, at[0] + span.Lo, span.Len()}
		}
		for i := span.Lo; i < span.Hi; i++ {
			isOwn := own.Lo <= i && i < own.Hi
			if unwritten[i] {
				x.Unwritten = extend(x.Unwritten, at[k]+i)
			}
			if below[i] && (k > 0 || isOwn) {
				passTo(&x.In, i, at[k]+i)
			}
			if sum := summed[i]; sum != none {
				if n := len(x.Summed) - 1; n >= 0 && x.Summed[n].Node == sum && x.Summed[n].Place+x.Summed[n].N == at[k]+i {
					x.Summed[n].N++
				} else {
					x.Summed = append(x.Summed, Passage{sum, at[k] + i, 1})
				}
			}
			if k > 0 && c.outside[i] && isOwn {
				passTo(&x.Out, i, at[k]+i)
			}
		}
	}
	for _, piece := range c.pieces[s] {
		p := c.part(piece.Batch, piece.Lo, piece.Hi)
		c.toPlaces(&p, at, at[c.from[piece.Lo]], piece.own)
		x.Pieces = append(x.Pieces, p)
	}
	c.r.Rest = append(c.r.Rest, x)
}

// piece is lanes of a batch that a strip computes; own if it is the first to do so.
type piece struct {
	*Batch
	Lo, Hi int32
	own    bool
}

// findPieces finds the pieces of each strip, in the order of evaluation. Those of a batch
// come from the last one on, so that adjoints are added from the first one on.
func (c *stripper) findPieces() {
	c.of, c.pieces = make([][]int32, c.count), make([][]piece, c.count)
	for k := range c.segments {
		g := &c.segments[k]
		for s, x := range g.spans {
			if s := g.first + int32(s); x.Len() > 0 {
				c.of[s] = append(c.of[s], int32(k))
			}
		}
	}
	overlaps := map[*Batch]bool{}
	for _, b := range c.lanes {
		overlaps[b] = b.overlaps()
	}
	for s, segments := range c.of {
		var x []piece
		begin := 0 // of those of a batch
		for _, k := range segments[1:] {
			g := &c.segments[k]
			own := g.own[int32(s)-g.first]
			for _, p := range c.parts(*g.at(int32(s))) {
				if n := len(x); n > 0 && x[n-1].Batch != p.Batch {
					slices.Reverse(x[begin:])
					begin = n
				}
				for lo := p.Lo; lo < p.Hi; {
					hi := p.Hi
					if c.sharing(p.Batch) {
						for _, end := range []int32{own.Lo, own.Hi} {
							if lo < end {
								hi = min(hi, end)
							}
						}
					}
					if overlaps[p.Batch] { // as whole batches are done
						hi = min(hi, lo+Block-(lo-p.Batch.Lo)%Block)
					}
					x = append(x, piece{p.Batch, lo, hi, own.Lo <= lo && lo < own.Hi})
					lo = hi
				}
			}
		}
		slices.Reverse(x[begin:])
		c.pieces[s] = x
	}
}

// toPlaces has a piece work on places. own says whether its strip is the first to
// compute it.
func (c *stripper) toPlaces(b *Batch, at []int32, here int32, own bool) {
	place := func(j int32) int32 {
		if p, shared := c.shared[j]; shared {
			if !own {
				p++
			}
			return p
		}
		if k := c.from[j]; k >= 0 {
			return at[k] + j
		}
		return j - int32(c.Inputs()) // a parameter or constant
	}
	indexed := false
	for o := range b.operands {
		indexed = indexed || o.Access == Indexed
	}
	b.Shift = -here
	b.PartialsAt, b.PartialsBy = b.Lo+here, int32(c.r.Places)
	b.Lo -= b.Shift
	b.Hi -= b.Shift
	for o := range b.operands {
		o.At = place(o.At)
		if indexed { // loops by index take all operands so
			index := make([]int32, len(o.Index))
			for k, j := range o.Index {
				index[k] = place(j)
			}
			o.Index, o.moved = index, true
		}
	}
}

// passTo adds a node and its place.
func passTo(x *[]Passage, node, place int32) {
	if k := len(*x) - 1; k >= 0 {
		if p := &(*x)[k]; p.Node+p.N == node && p.Place+p.N == place {
			p.N++
			return
		}
	}
	*x = append(*x, Passage{node, place, 1})
}

// overlaps reports whether two lanes may read the same node as different operands.
func (b *Batch) overlaps() bool {
	var seen []Span
	for o := range b.operands {
		s := Span{slices.Min(o.Index), slices.Max(o.Index) + 1}
		for _, other := range seen {
			if other.Intersects(s) {
				return true
			}
		}
		seen = append(seen, s)
	}
	return false
}

// extend adds i to spans in rising order.
func extend(x []Span, i int32) []Span {
	if k := len(x) - 1; k >= 0 && x[k].Hi == i {
		x[k].Hi++
		return x
	}
	return append(x, Span{i, i + 1})
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

// second finds what strips do in a sweep of second order. It reports whether all of that
// is in lanes.
func (c *stripper) second(sections *Sections) bool {
	all := slices.Clone(sections.Head.Pieces)
	for k := range sections.Rest {
		all = append(all, sections.Rest[k].Pieces...)
	}
	of := make([]int32, c.Len()) // by node, the piece
	set := make([]bool, c.Len()) // its adjoint is set before it is added to, or not read
	setAll(set, Span{int32(c.Inputs()), int32(c.Len())}, true)
	for i := range of {
		of[i] = none
	}
	for k := range all {
		p := &all[k]
		if p.Batch.Kind == Mixed || p.Batch.Kind == Rows {
			return false
		}
		for i := p.Lo; i < p.Hi; i++ {
			of[i] = int32(k)
			set[i] = !p.Batch.FeedsNonlinear
		}
	}
	for k := range all {
		p := &all[k]
		first := firsts(&p.Places)
		for o := range p.Batch.operands {
			if at := o.At + p.Lo - p.Batch.Lo; first[0] { // they are consecutive
				setAll(set, Span{at, at + p.Hi - p.Lo}, true)
			}
			first = first[1:]
		}
	}
	at := make([]int32, len(c.segments))
	for s := range c.r.Rest {
		c.secondStrip(int32(s), all, of, set, at)
	}
	return true
}

// firsts is whether the operands of a batch are written first.
func firsts(b *Batch) (x []bool) {
	for o := range b.operands {
		x = append(x, o.first[SecondOrder])
	}
	return x
}

// secondStrip finds what strip s does.
func (c *stripper) secondStrip(s int32, all []Piece, of []int32, set []bool, at []int32) {
	x := &c.r.Rest[s]
	c.places(s, at)
	type part struct{ k, lo, hi int32 }
	var parts []part
	for _, g := range c.of[s] {
		span := *c.segments[g].at(s)
		for i := span.Lo; i < span.Hi; i++ {
			if !set[i] {
				x.UnwrittenSecond = extend(x.UnwrittenSecond, at[g]+i)
			}
			k, n := of[i], len(parts)-1
			switch {
			case k == none:
			case n >= 0 && parts[n].k == k && parts[n].hi == i && (i-all[k].Lo)%Block != 0:
				parts[n].hi++
			default:
				parts = append(parts, part{k, i, i + 1})
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int { // adjoints of a piece come from the first lane on
		return cmp.Or(cmp.Compare(a.k, b.k), cmp.Compare(b.lo, a.lo))
	})
	for _, q := range parts {
		p := c.part(all[q.k].Batch, q.lo, q.hi)
		first := firsts(&all[q.k].Places)
		for o := range p.operands {
			o.first[SecondOrder] = first[0]
			first = first[1:]
		}
		c.toPlaces(&p, at, at[c.from[q.lo]], true)
		x.Second = append(x.Second, p)
	}
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
		k += tape.BytesOf(s.Second) + tape.BytesOf(s.UnwrittenSecond) + tape.BytesOf(s.Pieces) + tape.BytesOf(s.Out) + tape.BytesOf(s.In) + tape.BytesOf(s.Summed) + tape.BytesOf(s.Unwritten)
	}
	return k
}
