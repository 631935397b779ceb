package compile

import (
	"cmp"
	"slices"
)

// second finds what strips do in a sweep of second order: each strip computes the parts that
// it has of the pieces of sections. It reports whether that is possible, which takes that all
// pieces are in lanes.
func (c *stripper) second(sections *Sections) bool {
	all := slices.Clone(sections.Head.Pieces)
	for k := range sections.Rest {
		all = append(all, sections.Rest[k].Pieces...)
	}
	of := make([]int32, c.Len()) // by node, the number of its piece, or none
	set := make([]bool, c.Len()) // by node, its adjoint is set before it is added to, or not read
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
			if at := o.At + p.Lo - p.Batch.Lo; first[0] { // so the operands are consecutive
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

// secondStrip finds what strip s does. all, of and set are those of second; at is working
// memory.
func (c *stripper) secondStrip(s int32, all []Piece, of []int32, set []bool, at []int32) {
	x := &c.r.Rest[s]
	c.places(s, at)
	type part struct{ k, lo, hi int32 } // the lanes lo … hi−1 of piece k
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

// firsts is whether the operands of a batch are written first.
func firsts(b *Batch) (x []bool) {
	for o := range b.operands {
		x = append(x, o.first[SecondOrder])
	}
	return x
}
