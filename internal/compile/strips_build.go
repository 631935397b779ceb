package compile

import (
	"cmp"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// piece is the lanes Lo … Hi−1 of a batch that a strip computes; own if it is the first strip
// that does.
type piece struct {
	*Batch
	Lo, Hi int32
	own    bool
}

// findPieces finds the pieces of each strip, in the order of evaluation. Pieces of one batch
// are in reverse order: adjoints are found from the last piece to the first, and in whole
// batches from the first block of lanes to the last.
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
	for s := range c.count {
		c.pieces[s] = c.piecesOf(s, overlaps)
	}
}

// piecesOf finds the pieces of strip s.
func (c *stripper) piecesOf(s int32, overlaps map[*Batch]bool) (x []piece) {
	begin := 0 // where the pieces of the current batch begin
	for _, k := range c.of[s][1:] {
		g := &c.segments[k]
		own := g.own[s-g.first]
		for _, p := range c.parts(*g.at(s)) {
			if n := len(x); n > 0 && x[n-1].Batch != p.Batch {
				slices.Reverse(x[begin:])
				begin = n
			}
			x = c.cutPiece(x, p, own, overlaps[p.Batch])
		}
	}
	slices.Reverse(x[begin:])
	return x
}

// cutPiece appends p to x, cut for two reasons. If its lanes add to adjoints of the head,
// it is cut where the lanes that the strip owns begin and end. If operands overlap, it is cut
// where blocks of the whole batch end: within a block, a sweep adds to the first operands of
// all lanes before the second ones, and the order of additions must remain.
func (c *stripper) cutPiece(x []piece, p Piece, own Span, overlaps bool) []piece {
	sharing := c.sharing(p.Batch)
	for lo := p.Lo; lo < p.Hi; {
		hi := p.Hi
		if sharing {
			for _, end := range []int32{own.Lo, own.Hi} {
				if lo < end {
					hi = min(hi, end)
				}
			}
		}
		if overlaps {
			hi = min(hi, lo+Block-(lo-p.Batch.Lo)%Block)
		}
		x = append(x, piece{p.Batch, lo, hi, own.Lo <= lo && lo < own.Hi})
		lo = hi
	}
	return x
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

// build makes the strips.
func (c *stripper) build() {
	c.buildOthers()
	c.placeShared()
	c.findInputs()
	c.findSummed()
	c.findUnwritten()
	at := make([]int32, len(c.segments))
	end := int32(0)
	for s := range c.count {
		end = max(end, c.places(s, at))
	}
	c.r.Places = int(end + c.apartPlaces())
	for s := range c.count {
		c.buildStrip(s, at, end)
	}
}

// buildOthers makes what is not in strips, except Above.
func (c *stripper) buildOthers() {
	r := c.r
	for _, h := range c.heads() {
		if h.Batch.Kind == Mixed || h.Batch.Kind == Rows {
			r.Head = append(r.Head, *h.Batch)
		} else {
			r.Head = append(r.Head, c.part(h.Batch, h.Lo, h.Hi))
		}
	}
	for _, b := range c.linear {
		r.Linear = append(r.Linear, *b)
	}
	for _, b := range c.beside {
		r.Beside = append(r.Beside, *b)
	}
}

// placeShared gives places to the nodes of the head that strips read.
func (c *stripper) placeShared() {
	place := int32(c.Base() - c.Inputs())
	for j := range int32(c.Len()) {
		if _, is := c.shared[j]; is {
			c.shared[j] = place
			c.r.Shared = append(c.r.Shared, Shared{j, place})
			place += 2
		}
	}
}

// findInputs finds the inputs that something other than strips reads.
func (c *stripper) findInputs() {
	inputs := make([]bool, c.Inputs())
	reads := func(j int32) {
		if j < int32(c.Inputs()) {
			inputs[j] = true
		}
	}
	for _, x := range [...][]Batch{c.r.Head, c.r.Linear} {
		for k := range x {
			c.eachOperand(&x[k], reads)
		}
	}
	for _, i := range c.OutputNodes() {
		reads(i)
	}
	for _, s := range c.r.Shared {
		reads(s.Node)
	}
	for j, is := range inputs {
		if is {
			c.r.Inputs = extend(c.r.Inputs, int32(j))
		}
	}
}

// findUnwritten finds which adjoints are added to before they are set, and what Above
// adds to.
func (c *stripper) findUnwritten() {
	c.below, c.cleared = make([]bool, c.Len()), make([]bool, c.Len())
	for k := range c.r.Above {
		c.meet(&c.r.Above[k], c.below)
	}
	for _, i := range c.OutputNodes() {
		c.below[i] = true
	}
	for _, u := range c.Program.unwritten {
		setAll(c.cleared, u, true)
		for i := u.Lo; i < u.Hi; i++ {
			_, shared := c.shared[i]
			if c.from[i] < 0 || c.head[i] || c.below[i] || shared {
				c.r.Unwritten = extend(c.r.Unwritten, i)
			}
		}
	}
}

// findSummed finds the sums of which each term is a node of a strip that nothing else outside
// of strips reads: strips set the adjoints of the terms themselves. The rest of the linear
// batches that read strips is Above.
func (c *stripper) findSummed() {
	reads := make([]uint8, c.Len())
	c.summed = make([]int32, c.Len())
	for i := range c.summed {
		c.summed[i] = none
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
			c.EachOperand(i, func(j int32) { c.summed[j] = i })
			c.addAbove(b, lo, i)
			lo = i + 1
		}
		c.addAbove(b, lo, b.Hi)
	}
}

// addAbove adds the nodes lo … hi−1 of a batch to Above.
func (c *stripper) addAbove(b *Batch, lo, hi int32) {
	if lo < hi {
		c.r.Above = append(c.r.Above, *b)
		x := &c.r.Above[len(c.r.Above)-1]
		x.Lo, x.Hi = lo, hi
	}
}

// places gives places to the nodes that strip s computes. It sets at, by segment: node i of
// segment k has the place at[k]+i. It returns where the places end.
func (c *stripper) places(s int32, at []int32) int32 {
	place := int32(c.Base() - c.Inputs() + 2*len(c.r.Shared))
	for _, k := range c.of[s] {
		span := *c.segments[k].at(s)
		// Segments begin at cache lines, and apartStride keeps them from stalling each other.
		place = (place + 31) / 32 * 32
		at[k] = place - span.Lo
		place += apartStride(span.Len())
	}
	return place
}

// buildStrip makes strip s. at is working memory, and places from end on are free.
func (c *stripper) buildStrip(s int32, at []int32, end int32) {
	c.places(s, at)
	x := Strip{Own: c.segments[0].own[s]}
	inputs := *c.segments[0].at(s)
	x.Inputs = Passage{inputs.Lo, at[0] + inputs.Lo, inputs.Len()}
	for _, k := range c.of[s] {
		g := &c.segments[k]
		c.passages(&x, k, *g.at(s), g.own[s-g.first], at[k])
	}
	for _, piece := range c.pieces[s] {
		p := c.part(piece.Batch, piece.Lo, piece.Hi)
		c.toPlaces(&p, at, at[c.from[piece.Lo]], piece.own)
		x.Pieces = append(x.Pieces, p)
	}
	for k := len(x.Pieces) - 1; k >= 0; k-- {
		if c.pieces[s][k].own && c.sharing(c.pieces[s][k].Batch) {
			x.Sharing = append(x.Sharing, c.apart(k, x.Pieces[k], end))
		}
	}
	c.r.Rest = append(c.r.Rest, x)
}

// apartPlaces is how many places a piece takes at most for the numbers that it sets instead
// of adding to adjoints of Shared.
func (c *stripper) apartPlaces() (most int32) {
	for _, pieces := range c.pieces {
		for _, p := range pieces {
			n := int32(0)
			for o := range p.operands {
				if _, shared := c.shared[o.Index[0]]; shared && o.Access == Uniform {
					n += apartStride(p.Hi - p.Lo)
				}
			}
			most = max(most, n)
		}
	}
	return most
}

// apartStride is the distance of arrays of n lanes that are walked together: an odd multiple
// of 32 numbers, which is four cache lines, so that it is no multiple of 4 KiB, at which
// loads and stores would wait for each other (see package sweep).
func apartStride(n int32) int32 { return (n+31)/64*64 + 32 }

// apart makes Sharing of the piece b, number k of its strip: what it would add to adjoints of
// Shared it sets at the places from end on.
func (c *stripper) apart(k int, b Batch, end int32) Sharing {
	x := Sharing{Piece: k, Apart: b}
	x.Apart.Terms = slices.Clone(b.Terms)
	for o := range x.Apart.operands {
		if o.Access != Uniform {
			continue
		}
		i, shared := slices.BinarySearchFunc(c.r.Shared, o.At, func(s Shared, place int32) int { return cmp.Compare(s.Place, place) })
		if !shared {
			continue // a parameter or constant
		}
		x.To = append(x.To, Addition{i, end})
		o.Access, o.At = Consecutive, end
		o.first[FirstOrder] = true
		end += apartStride(b.Len())
	}
	return x
}

// passages finds what is copied between strip x and the program, and which adjoints are to
// be cleared, of the nodes span of segment k, of which the strip owns own. Node i has the
// place at+i.
func (c *stripper) passages(x *Strip, k int32, span, own Span, at int32) {
	for i := span.Lo; i < span.Hi; i++ {
		isOwn := own.Lo <= i && i < own.Hi
		if c.cleared[i] {
			x.Unwritten = extend(x.Unwritten, at+i)
		}
		if c.below[i] && (k > 0 || isOwn) {
			passTo(&x.In, i, at+i)
		}
		if sum := c.summed[i]; sum != none {
			if n := len(x.Summed) - 1; n >= 0 && x.Summed[n].Node == sum && x.Summed[n].Place+x.Summed[n].N == at+i {
				x.Summed[n].N++
			} else {
				x.Summed = append(x.Summed, Passage{sum, at + i, 1})
			}
		}
		if k > 0 && c.outside[i] && isOwn {
			passTo(&x.Out, i, at+i)
		}
	}
}

// passTo adds a node and its place to x, whose last passage grows if they continue it.
func passTo(x *[]Passage, node, place int32) {
	if k := len(*x) - 1; k >= 0 {
		if p := &(*x)[k]; p.Node+p.N == node && p.Place+p.N == place {
			p.N++
			return
		}
	}
	*x = append(*x, Passage{node, place, 1})
}

// toPlaces has a piece of a segment work on places, where at is as in places, here is the
// element of at for that segment, and own says whether its strip owns it.
func (c *stripper) toPlaces(b *Batch, at []int32, here int32, own bool) {
	b.move(-here, func(j int32) int32 { return c.placeOf(j, at, own) })
	b.PartialsAt, b.PartialsBy = b.Lo, int32(c.r.Places)
}

// placeOf is the place of operand j of a piece that the strip owns or does not.
func (c *stripper) placeOf(j int32, at []int32, own bool) int32 {
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

// extend adds i, greater than all before, to ascending spans.
func extend(x []Span, i int32) []Span {
	if k := len(x) - 1; k >= 0 && x[k].Hi == i {
		x[k].Hi++
		return x
	}
	return append(x, Span{i, i + 1})
}
