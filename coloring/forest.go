package coloring

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

// treeBunch is the edges of a vertex to its neighbors of one color, which are its
// edges in one tree. left counts those not yet eliminated, sum is their exclusive or:
// with one left it is that one.
type treeBunch struct {
	color     int32
	left, sum int32
	leaves    int32 // place in up, plus 1, of the edge by which the vertex leaves the tree
}

// treeBunches returns all bunches, those of v from g.ptr[v] on, and the bunch of each
// edge.
func treeBunches(g *graph, color []int32) (bunches []treeBunch, of []int32) {
	bunches = make([]treeBunch, len(g.adj))
	of = make([]int32, len(g.adj))
	at := make([]int32, count(color)+1)
	for v := range int32(g.len()) {
		end := g.ptr[v]
		for k := g.ptr[v]; k < g.ptr[v+1]; k++ {
			c := color[g.adj[k]]
			s := at[c]
			if s < g.ptr[v] || s >= end || bunches[s].color != c {
				s = end
				end++
				at[c] = s
				bunches[s].color = c
			}
			of[k] = s
			bunches[s].left++
			bunches[s].sum ^= k
		}
	}
	return bunches, of
}

// newForest takes the leaves off all trees, round by round, so that what
// remains of each tree at last is its center. rev is g.reverse(). O(n + m).
func newForest(g *graph, color, rev []int32) *forest {
	m := len(g.adj)
	bunches, of := treeBunches(g, color)
	f := &forest{up: make([]int32, 0, m/2), next: make([]int32, m/2)}
	into := make([]int32, 0, m/2) // the parent's bunch of each edge in up
	queue := make([]int32, 0, m)
	for s := range bunches {
		if bunches[s].left == 1 {
			queue = append(queue, int32(s))
		}
	}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		if bunches[s].left == 0 {
			continue
		}
		k := bunches[s].sum
		r := rev[k]
		t := of[r]
		if bunches[s].color == 0 { // a single edge, and the neutral end must be the leaf
			s, t = t, s
			k, r = r, k
		}
		f.up = append(f.up, k)
		into = append(into, t)
		bunches[s].left = 0
		bunches[s].leaves = int32(len(f.up))
		b := &bunches[t]
		b.left--
		b.sum ^= r
		if b.left == 1 {
			queue = append(queue, t)
		}
	}
	if len(f.up) != m/2 {
		panic("coloring: two-colored cycle")
	}

	below := make([]int32, m/2)
	for i, t := range into {
		j := bunches[t].leaves - 1
		f.next[i] = j
		if j >= 0 {
			below[j] = max(below[j], below[i]+1)
		}
		f.depth = max(f.depth, int(below[i]))
	}
	return f
}
