package coloring

import "math/bits"

// A star coloring is a distance-1 coloring in which every path of four vertices
// has at least three colors. Then the vertices of any two colors induce a set
// of stars: a hub and leaves that have it as their only neighbor of that color.

// star is the greedy star coloring of algorithm 4.1 of Gebremedhin, Tarafdar,
// Manne and Pothen (2007). It gives the same colors, but instead of looking at
// the neighbors of neighbors it remembers of each vertex what they would say.
// A vertex v must avoid
//
//   - the colors of its neighbors;
//   - if it has two neighbors of one color, and so is their hub, all colors of
//     their neighbors, which else were the fourth vertex of a path;
//   - else the colors of the hubs whose leaf its neighbor is.
//
// It returns nil if more than limit colors are needed. The cost is O(n + m) up
// to 64 colors, else O(Σ_v Σ_w min(d(w), colors)) over the neighbors w of v; the
// memory is O(n + m).
func star(g *graph, order []int32, limit int) []int32 {
	color, ok := starOfWords(g, order, limit)
	if !ok {
		color = starOfBunches(g, order, limit)
	}
	return color
}

// starOfWords is star with one word for a set of colors; ok is false if 64
// colors are too few. On a grid of 10⁵ points it takes a quarter of the time of
// starOfBunches.
func starOfWords(g *graph, order []int32, limit int) (color []int32, ok bool) {
	// Sets of colors are words; a color is a set of one, no color the empty set.
	type vertex struct {
		color uint64
		near  uint64 // colors of the neighbors
		hubOf uint64 // colors of two neighbors or more: the vertex is their hub
		leaf  uint64 // colors of neighbors that are hubs, the vertex a leaf
	}
	vertices := make([]vertex, g.len())
	allowed := ^uint64(0)
	if limit < 64 {
		allowed = 1<<limit - 1
	}
	colored := make([]int32, g.maxDegree())
	for _, v := range order {
		var once, twice uint64
		k := 0
		for _, w := range g.row(v) {
			c := vertices[w].color
			twice |= once & c
			once |= c
			colored[k] = w
			if c != 0 {
				k++
			}
		}
		forbidden := once
		for _, w := range colored[:k] {
			x := &vertices[w]
			f := x.leaf
			if twice&x.color != 0 {
				f = x.near
			}
			forbidden |= f
		}
		c := allowed &^ forbidden
		c &= -c
		if c == 0 {
			return nil, limit <= 64
		}
		var leaf uint64
		for _, w := range colored[:k] {
			x := &vertices[w]
			old := x.near & c
			x.near |= c
			if twice&x.color != 0 {
				x.leaf |= c
			} else if old != 0 {
				leaf |= x.color
				if x.hubOf&c == 0 {
					x.hubOf |= c
					for _, y := range g.row(w) {
						if vertices[y].color == c {
							vertices[y].leaf |= x.color
						}
					}
				}
			}
		}
		vertices[v] = vertex{c, once, twice, leaf}
	}
	color = make([]int32, len(vertices))
	for v := range vertices {
		color[v] = int32(bits.TrailingZeros64(vertices[v].color)) + 1
	}
	return color, true
}

// The mark of a bunch of w: if it has one edge and is a star of its own, so that
// either end may become the hub, the other end (≥ 0); else
const (
	leaf int32 = -1 - iota // one edge, the other end is the hub
	hub                    // two edges or more, w is the hub
)

// starOfBunches is star for any number of colors.
func starOfBunches(g *graph, order []int32, limit int) []int32 {
	p := newPartial(g)
	for k, v := range order {
		k := int32(k + 1)
		colored := p.neighbors(v, k)
		for _, w := range colored {
			x := p.vertex[w]
			all := p.by[x.color].twice == k
			for _, b := range p.bunch[x.lo:x.hi] {
				if all || b.mark == leaf {
					p.by[b.color].forbidden = k
				}
			}
		}
		c := p.smallest(k)
		if int(c) > limit {
			return nil
		}
		p.vertex[v].color = c

		for _, w := range colored {
			d := p.vertex[w].color
			mine, _ := p.find(v, d, w)
			its, isNew := p.find(w, c, v)
			if p.by[d].twice == k {
				p.bunch[mine].mark = hub
				p.bunch[its].mark = leaf
			} else if !isNew {
				if first := p.bunch[its].mark; first >= 0 {
					other, _ := p.find(first, d, w)
					p.bunch[other].mark = leaf
				}
				p.bunch[its].mark = hub
				p.bunch[mine].mark = leaf
			}
		}
	}
	return p.colors()
}
