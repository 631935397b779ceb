package coloring

// The greedy star and acyclic colorings know the coloring so far by bunches: a
// bunch is the set of edges from a vertex w to its colored neighbors of one
// color. However many neighbors w has, it has no more bunches than there are
// colors.

type bunch struct {
	color int32
	mark  int32 // what star and acyclic each know of the bunch
}

// A partial is a partial coloring. bunch[v.lo:v.hi] are the bunches of v, in the
// space of its row in the graph.
type partial struct {
	g      *graph
	vertex []struct{ color, lo, hi int32 }
	bunch  []bunch
	// By color: the last vertex that must avoid it, and the last with two
	// neighbors of it, both as places in the order from 1.
	by      []struct{ forbidden, twice int32 }
	colored []int32 // neighbors of the vertex at hand
}

func newPartial(g *graph) *partial {
	n := g.len()
	p := &partial{g: g}
	p.vertex = make([]struct{ color, lo, hi int32 }, n)
	for v := range p.vertex {
		p.vertex[v].lo = g.ptr[v]
		p.vertex[v].hi = g.ptr[v]
	}
	p.bunch = make([]bunch, len(g.adj))
	p.by = make([]struct{ forbidden, twice int32 }, n+2)
	return p
}

// neighbors collects the colored neighbors of v, the vertex at place k of the
// order, and forbids their colors.
func (p *partial) neighbors(v, k int32) []int32 {
	p.colored = p.colored[:0]
	for _, w := range p.g.row(v) {
		c := p.vertex[w].color
		if c == 0 {
			continue
		}
		p.colored = append(p.colored, w)
		if p.by[c].forbidden == k {
			p.by[c].twice = k
		}
		p.by[c].forbidden = k
	}
	return p.colored
}

// smallest returns the smallest color that is not forbidden at place k.
func (p *partial) smallest(k int32) int32 {
	c := int32(1)
	for p.by[c].forbidden == k {
		c++
	}
	return c
}

// find returns the bunch of w with color c, which is made with the given mark
// if there is none.
func (p *partial) find(w, c, mark int32) (place int32, isNew bool) {
	x := &p.vertex[w]
	for i, b := range p.bunch[x.lo:x.hi] {
		if b.color == c {
			return x.lo + int32(i), false
		}
	}
	place = x.hi
	p.bunch[place] = bunch{c, mark}
	x.hi++
	return place, true
}

func (p *partial) colors() []int32 {
	color := make([]int32, len(p.vertex))
	for v := range color {
		color[v] = p.vertex[v].color
	}
	return color
}
