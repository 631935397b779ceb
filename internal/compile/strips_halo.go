package compile

import (
	"slices"
	"sort"

	"github.com/hesse-ad/hesse/internal/op"
)

// classify sorts the batches into linear, lanes and single.
func (c *stripper) classify() {
	c.outside = make([]bool, c.Len())
	for _, i := range c.OutputNodes() {
		c.outside[i] = true
	}
	read := make([]bool, c.Len()) // by a batch that is not in c.linear
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

// eachOperand calls do with each operand of each node of a batch; with those of a call once,
// not for each of its outputs.
func (p *Program) eachOperand(b *Batch, do func(j int32)) {
	if b.Kind == Mixed || b.Kind == Rows {
		for i := b.Lo; i < b.Hi; i++ {
			p.EachOperand(p.FirstOutput(i), do)
			i = p.LastOutput(i)
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
// these are computed from. It goes from the last batch to the first, so that the uses of
// a node come before it.
func (c *stripper) findHead() {
	c.head = make([]bool, c.Len())
	uses := c.countUses()
	for j, n := range uses[:c.Inputs()] {
		c.head[j] = n > manyUses
	}
	lanes, single := c.lanes, c.single
	for len(lanes)+len(single) > 0 {
		if k := len(single) - 1; k >= 0 && (len(lanes) == 0 || single[k].Lo > lanes[len(lanes)-1].Lo) {
			setAll(c.head, Span{single[k].Lo, single[k].Hi}, true)
			c.eachOperand(single[k], c.toHead)
			single = single[:k]
			continue
		}
		b := lanes[len(lanes)-1]
		lanes = lanes[:len(lanes)-1]
		for i := b.Lo; i < b.Hi; i++ {
			if c.head[i] = c.head[i] || uses[i] > manyUses; c.head[i] {
				for o := range b.operands {
					c.toHead(o.Index[i-b.Lo])
				}
			}
		}
	}
}

// toHead puts node j into the head, if it is an operation.
func (c *stripper) toHead(j int32) {
	if j >= int32(c.Base()) {
		c.head[j] = true
	}
}

// countUses is by how many lanes each node is read; more than manyUses is manyUses+1.
func (c *stripper) countUses() []uint8 {
	uses := make([]uint8, c.Len())
	for _, b := range c.lanes {
		c.eachOperand(b, func(j int32) {
			if uses[j] <= manyUses {
				uses[j]++
			}
		})
	}
	return uses
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
