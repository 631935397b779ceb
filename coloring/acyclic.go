package coloring

// An acyclic coloring is a distance-1 coloring in which every cycle has at least
// three colors. Then the vertices of any two colors induce a forest.

// acyclic is the greedy acyclic coloring of algorithm 3.1 of Gebremedhin,
// Tarafdar, Manne and Pothen (2007). All edges of a bunch lie in one two-colored
// tree, a disjoint set of bunches: v must avoid
//
//   - the colors of its neighbors;
//   - color c if two of its neighbors have the same color and lie in the same
//     tree of that color and c, in which v would close a cycle.
//
// It returns nil if more than limit colors are needed. The cost is that of star,
// but for the disjoint sets: O(log n) for one, in practice O(1).
func acyclic(g *graph, order []int32, limit int) []int32 {
	p := newPartial(g)
	visited := make([]int32, len(g.adj)) // by root: the place in the order, from 1, where it was last met
	for k, v := range order {
		k := int32(k + 1)
		colored := p.neighbors(v, k)
		for _, w := range colored {
			x := p.vertex[w]
			if p.by[x.color].twice != k {
				continue
			}
			for i := x.lo; i < x.hi; i++ {
				c := p.bunch[i].color
				if p.by[c].forbidden == k {
					continue
				}
				r := p.root(i)
				if visited[r] == k {
					p.by[c].forbidden = k
				}
				visited[r] = k
			}
		}
		c := p.smallest(k)
		if int(c) > limit {
			return nil
		}
		p.vertex[v].color = c

		for _, w := range colored {
			mine, _ := p.find(v, p.vertex[w].color, p.vertex[v].hi)
			its, _ := p.find(w, c, p.vertex[w].hi)
			p.bunch[p.root(mine)].mark = p.root(its)
		}
	}
	return p.colors()
}

// root returns the bunch that stands for the tree of bunch i. Marks lead there:
// a root's is itself.
func (p *partial) root(i int32) int32 {
	b := p.bunch
	for b[i].mark != i {
		up := &b[b[i].mark]
		b[i].mark = up.mark
		i = b[i].mark
	}
	return i
}
