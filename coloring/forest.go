package coloring

import "slices"

// A forest holds the two-colored trees of a star or acyclic coloring, each
// rooted at its center. A neutral vertex has one neighbor of each color, so with
// neutral as a color of its own the trees are still trees.
type forest struct {
	// up holds the edges (leaf, parent) as places in adj, each tree in an order
	// of leaf elimination.
	up []int32
	// next[i] is the place in up of the edge by which the parent of up[i]
	// leaves the tree, −1 if the parent is the root.
	next []int32
	// depth is the largest number of edges below an edge on a path to a leaf: 0
	// if all trees are stars.
	depth int
}

// newForest takes the leaves off all trees, round by round, so that what
// remains of each tree at last is its center. O(n + m).
func newForest(g *graph, color, rev []int32) *forest {
	// The edges of a vertex to its neighbors of one color, a bunch, are its edges
	// in one tree. left counts those not yet eliminated, sum is their exclusive
	// or: with one left it is that one.
	m := len(g.adj)
	end := slices.Clone(g.ptr[:g.len()])
	colorOf := make([]int32, m)
	bunch := make([]int32, m)
	left := make([]int32, m)
	sum := make([]int32, m)
	at := make([]int32, count(color)+1)
	for v := range int32(g.len()) {
		for k := g.ptr[v]; k < g.ptr[v+1]; k++ {
			c := color[g.adj[k]]
			s := at[c]
			if s < g.ptr[v] || s >= end[v] || colorOf[s] != c {
				s = end[v]
				colorOf[s] = c
				end[v]++
				at[c] = s
			}
			bunch[k] = s
			left[s]++
			sum[s] ^= k
		}
	}

	f := &forest{up: make([]int32, 0, m/2), next: make([]int32, m/2)}
	queue := make([]int32, 0, m)
	for s, l := range left {
		if l == 1 {
			queue = append(queue, int32(s))
		}
	}
	leaves := make([]int32, m) // leaves[s]: place in up of the edge by which the owner of bunch s left, plus 1
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		if left[s] == 0 {
			continue
		}
		k := sum[s]
		if color[g.adj[k]] == 0 { // of a single edge: the neutral end must be the leaf
			k = rev[k]
			s = bunch[k]
		}
		t := bunch[rev[k]]
		left[s] = 0
		left[t]--
		sum[t] ^= rev[k]
		if left[t] == 1 {
			queue = append(queue, t)
		}
		f.up = append(f.up, k)
		leaves[s] = int32(len(f.up))
	}
	if len(f.up) != m/2 {
		panic("coloring: two-colored cycle")
	}

	below := make([]int32, m/2)
	for i, k := range f.up {
		j := leaves[bunch[rev[k]]] - 1
		f.next[i] = j
		if j >= 0 {
			below[j] = max(below[j], below[i]+1)
		}
		f.depth = max(f.depth, int(below[i]))
	}
	return f
}
