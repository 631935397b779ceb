package coloring

import "github.com/hesse-ad/hesse/sparsity"

// longestRow returns the largest number of entries in a row: the columns of
// these entries need different colors.
func longestRow(p *sparsity.Pattern) int {
	longest := int32(0)
	ptr := p.RowPtr()
	for r, lo := range ptr[:len(ptr)-1] {
		longest = max(longest, ptr[r+1]-lo)
	}
	return int(longest)
}

// cliqueBound returns the size of a clique of g, found greedily around one
// vertex after the other, largest degree first, for a fraction of the time of a
// coloring.
func cliqueBound(g *graph) int {
	n := g.len()
	best := min(n, 1)
	common := make([]int, n) // base plus the number of members next to a vertex
	base := 0
	work := 1000 + (n+len(g.adj))/16
	for _, v := range g.order(LargestFirst) {
		if work < 0 || g.degree(v) < best {
			break
		}
		for _, u := range g.row(v) {
			common[u] = base + 1
		}
		size := 1
		for _, u := range g.row(v) {
			if common[u] != base+size {
				continue
			}
			for _, x := range g.row(u) {
				if common[x] == base+size {
					common[x]++
				}
			}
			work -= g.degree(u)
			size++
		}
		best = max(best, size)
		base += size + 1
		work -= g.degree(v)
	}
	return best
}

// forestBound returns a lower bound on the colors of an acyclic coloring: the
// edges between two classes of a and b vertices are a forest, at most a+b−1, so
// that k colors allow (k−1)n − k(k−1)/2 edges on n vertices.
func forestBound(g *graph) int {
	n := 0
	for v := range int32(g.len()) {
		if g.degree(v) > 0 {
			n++
		}
	}
	k := min(n, 1)
	for (k-1)*n-k*(k-1)/2 < len(g.adj)/2 {
		k++
	}
	return k
}

// hasPath reports whether g has a path of four vertices or a triangle, that is
// an edge between two vertices with other neighbors. Two colors are too few
// for a star coloring then.
func hasPath(g *graph) bool {
	for v := range int32(g.len()) {
		if g.degree(v) < 2 {
			continue
		}
		for _, w := range g.row(v) {
			if g.degree(w) > 1 {
				return true
			}
		}
	}
	return false
}

// sweepBound returns a lower bound on the colors of a star (or else acyclic)
// coloring without those that dropUnused drops. If a diagonal entry is missing
// there may be neutral vertices; with them as one class more it is still a star
// (acyclic) coloring.
func sweepBound(g *graph, loop []bool, isStar bool) int {
	k := max(cliqueBound(g), forestBound(g))
	if isStar && k == 2 && hasPath(g) {
		k = 3
	}
	for _, l := range loop {
		if !l {
			return max(k-1, min(len(g.adj), 1))
		}
	}
	return k
}
