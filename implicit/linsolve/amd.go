package linsolve

import "math"

// Approximate minimum degree (Amestoy, Davis and Duff, An approximate minimum
// degree ordering algorithm, SIAM J. Matrix Anal. Appl. 17, 1996).
//
// Eliminating node p of an undirected graph makes its neighbors a clique. The
// quotient graph keeps each clique as one element, the list of its variables.
// The neighbors of variable i are A_i (variables) and the members of the
// elements in E_i. Lists of new elements are appended and never moved: together
// they are shorter than the factor.
//
// It is the only order here, since after a matching on large entries no other
// paid: on grids, random matrices and optimality systems reverse Cuthill–McKee
// left 1 to 3.5 times the fill, and minimum degree on AᵀA, which is what COLAMD
// approximates, between 0.8 times (random values, shuffled rows) and 2.2 times.
//
// Variables with equal neighborhoods are merged to one supervariable, which
// counts for size[i] nodes. The size is 0 once the node was merged or
// eliminated, and negated while its variable is in the list being formed.

// quotientGraph is the state of one run of the ordering.
type quotientGraph struct {
	list   []int32 // all lists; E_i before A_i, for an element its variables L_e
	start  []int   // start of the list of i
	elems  []int32 // |E_i|
	vars   []int32 // |A_i|, for an element |L_e| counted in supervariables
	size   []int32 // nodes that i stands for
	degree []int32 // of a variable: bound on its external degree; of an element: |L_e|, counted in nodes
	parent []int32 // what absorbed i, or none

	head, next, prev []int32 // doubly linked lists of the variables of each degree
	bucket           []int32 // lists by hash, linked by next
	hash             []int32

	// w[e] − mark is |L_e \ L_p| for the elements met since p became the
	// pivot. An absorbed element has w[e] = 0.
	w    []int64 // mark grows as n²
	mark int64
}

const none = -1

// minimumDegree returns an order for the symmetric elimination of the graph of
// n nodes whose node i has neighbors adj[ptr[i]:ptr[i+1]], each pair listed
// from both ends, without loops and duplicates. order[k] is the node to
// eliminate as the k-th; fill is a bound, nearly sharp, on the number of entries
// that the factor will have below its diagonal, those of dense rows left out.
//
// Nodes of a degree above 10√n are left out of the graph and come last, since
// each would be in nearly every list. The order is a postorder of the
// elimination tree, which puts columns of like structure side by side. Time is
// O(n·nnz) at worst, in practice near that of reading the factor's structure.
func minimumDegree(n int, ptr []int, adj []int32) (order []int32, fill int) {
	g := &quotientGraph{
		list:   append(make([]int32, 0, len(adj)+len(adj)/2+n), adj...),
		start:  append([]int(nil), ptr[:n]...),
		elems:  make([]int32, n),
		vars:   make([]int32, n),
		size:   make([]int32, n),
		degree: make([]int32, n),
		parent: make([]int32, n),
		head:   make([]int32, n+1),
		next:   make([]int32, n),
		prev:   make([]int32, n),
		bucket: make([]int32, n),
		hash:   make([]int32, n),
		w:      make([]int64, n),
		mark:   1,
	}
	for i := range g.head {
		g.head[i] = none
	}
	dense := denseRow(n)
	left := n
	for i := range n {
		g.parent[i] = none
		g.bucket[i] = none
		g.w[i] = 1
		d := ptr[i+1] - ptr[i]
		if d > dense {
			g.w[i] = 0
			left--
			continue
		}
		g.size[i] = 1
		g.vars[i] = int32(d)
	}
	for i := n - 1; i >= 0; i-- {
		if g.size[i] == 0 {
			continue
		}
		d := g.vars[i]
		if left < n {
			// Do not count the dense neighbors.
			d = 0
			for _, j := range adj[ptr[i]:ptr[i+1]] {
				d += g.size[j]
			}
		}
		g.degree[i] = d
		g.push(int32(i))
	}

	pivots := make([]int32, 0, n)
	entries := int64(0)
	for low := int32(0); left > 0; {
		for g.head[low] == none {
			low++
		}
		p := g.head[low]
		g.unlink(p)
		pivots = append(pivots, p)
		lo, degree := g.formElement(p)
		g.outsides(lo)
		left -= int(g.size[p])
		degree, left = g.updateDegrees(p, lo, degree, left)
		size := int64(g.size[p])
		entries += size*int64(degree) + size*(size-1)/2
		g.mergeIndistinguishable(lo)
		low = min(low, g.finishElement(p, lo, degree, left))
	}
	// The elements that a pivot absorbed come before it, then the variables merged with it,
	// and last the nodes left out.
	isPivot := make([]bool, n)
	for _, p := range pivots {
		isPivot[p] = true
	}
	for i, is := range isPivot {
		if !is {
			pivots = append(pivots, int32(i))
		}
	}
	return postorder(g.parent, pivots), int(min(entries, math.MaxInt))
}

// push puts variable i in the list of its degree.
func (g *quotientGraph) push(i int32) {
	d := g.degree[i]
	h := g.head[d]
	g.next[i], g.prev[i] = h, none
	if h != none {
		g.prev[h] = i
	}
	g.head[d] = i
}

func (g *quotientGraph) unlink(i int32) {
	next, prev := g.next[i], g.prev[i]
	if next != none {
		g.prev[next] = prev
	}
	if prev != none {
		g.next[prev] = next
	} else {
		g.head[g.degree[i]] = next
	}
}

// formElement appends L_p = (A_p ∪ ⋃ L_e over e in E_p) \ {p} to the lists,
// absorbs those e, and returns where it starts and its number of nodes. The
// sizes of its variables are negated until finishElement.
func (g *quotientGraph) formElement(p int32) (lo int, degree int32) {
	lo = len(g.list)
	sizep := g.size[p]
	g.size[p] = 0
	collect := func(from, to int) {
		for k := from; k < to; k++ {
			i := g.list[k]
			if s := g.size[i]; s > 0 {
				degree += s
				g.size[i] = -s
				g.list = append(g.list, i)
				g.unlink(i)
			}
		}
	}
	at := g.start[p]
	for k := at; k < at+int(g.elems[p]); k++ {
		e := g.list[k]
		collect(g.start[e], g.start[e]+int(g.vars[e]))
		g.parent[e] = p
		g.w[e] = 0
	}
	at += int(g.elems[p])
	collect(at, at+int(g.vars[p]))
	g.size[p] = sizep
	return lo, degree
}

// outsides leaves mark + |L_e \ L_p| in w[e] for every element e next to L_p
// (Algorithm 2 of the paper).
func (g *quotientGraph) outsides(lo int) {
	g.mark += int64(len(g.start)) + 1
	for _, i := range g.list[lo:] {
		s := int64(-g.size[i])
		at := g.start[i]
		for _, e := range g.list[at : at+int(g.elems[i])] {
			switch w := g.w[e]; {
			case w >= g.mark:
				g.w[e] = w - s
			case w != 0:
				g.w[e] = g.mark + int64(g.degree[e]) - s
			}
		}
	}
}

// updateDegrees rewrites the lists of the variables of L_p for the new element
// p and bounds their degrees by the approximation of section 4 of the paper,
//
//	d_i = min(d_i + |L_p \ i|, |A_i \ i| + |L_p \ i| + Σ |L_e \ L_p|),
//
// of which the common |L_p \ i| is added by finishElement. An element inside
// L_p is absorbed. A variable left with nothing but p is eliminated with it.
func (g *quotientGraph) updateDegrees(p int32, lo int, degree int32, left int) (int32, int) {
	n := uint(len(g.start))
	for _, i := range g.list[lo:] {
		at := g.start[i]
		to := at
		d := 0
		hash := uint(0)
		end := at + int(g.elems[i])
		for _, e := range g.list[at:end] {
			w := g.w[e]
			if w == 0 {
				continue
			}
			if w == g.mark {
				g.parent[e] = p
				g.w[e] = 0
				continue
			}
			d += int(w - g.mark)
			hash += uint(e)
			g.list[to] = e
			to++
		}
		elems := to - at
		for _, j := range g.list[end : end+int(g.vars[i])] {
			s := g.size[j]
			if s <= 0 || j == p {
				continue
			}
			d += int(s)
			hash += uint(j)
			g.list[to] = j
			to++
		}
		if to == at {
			s := -g.size[i]
			g.parent[i] = p
			g.size[p] += s
			g.size[i] = 0
			degree -= s
			left -= int(s)
			continue
		}
		// There is room for p: it, or an element that it absorbed, was in the list.
		g.list[to] = g.list[at+elems]
		g.list[at+elems] = p
		g.elems[i] = int32(elems + 1)
		g.vars[i] = int32(to - at - elems)
		g.degree[i] = int32(min(int(g.degree[i]), d))
		h := int32(hash % n)
		g.hash[i] = h
		g.next[i] = g.bucket[h]
		g.bucket[h] = i
	}
	return degree, left
}

// mergeIndistinguishable merges the variables of L_p with equal lists.
func (g *quotientGraph) mergeIndistinguishable(lo int) {
	g.mark += int64(len(g.start)) + 1
	for _, i := range g.list[lo:] {
		if g.size[i] == 0 {
			continue
		}
		h := g.hash[i]
		i := g.bucket[h]
		g.bucket[h] = none
		for ; i != none && g.next[i] != none; i = g.next[i] {
			g.mark++
			at := g.start[i]
			for _, x := range g.list[at : at+int(g.elems[i]+g.vars[i])] {
				g.w[x] = g.mark
			}
			last := i
			for j := g.next[i]; j != none; j = g.next[j] {
				if !g.equals(i, j) {
					last = j
					continue
				}
				g.parent[j] = i
				g.size[i] += g.size[j]
				g.size[j] = 0
				g.next[last] = g.next[j]
			}
		}
	}
}

// equals reports whether the list of j holds the same as that of i, whose
// members have w = mark.
func (g *quotientGraph) equals(i, j int32) bool {
	if g.elems[i] != g.elems[j] || g.vars[i] != g.vars[j] {
		return false
	}
	at := g.start[j]
	for _, x := range g.list[at : at+int(g.elems[j]+g.vars[j])] {
		if g.w[x] != g.mark {
			return false
		}
	}
	return true
}

// finishElement drops the merged and eliminated variables from L_p, puts the
// others back in the degree lists, and returns the least degree.
func (g *quotientGraph) finishElement(p int32, lo int, degree int32, left int) int32 {
	least := int32(len(g.start))
	to := lo
	for _, i := range g.list[lo:] {
		s := -g.size[i]
		if s == 0 {
			continue
		}
		g.size[i] = s
		g.degree[i] = int32(min(int(g.degree[i]+degree-s), left-int(s)))
		least = min(least, g.degree[i])
		g.push(i)
		g.list[to] = i
		to++
	}
	g.list = g.list[:to]
	g.size[p] = 0
	g.start[p] = lo
	g.elems[p] = 0
	g.vars[p] = int32(to - lo)
	g.degree[p] = degree
	if to == lo {
		g.w[p] = 0
	}
	return least
}

// denseRow is the number of entries above which a row of a matrix of order n counts as
// dense: it is eliminated last, and its entries say little of the order of the others.
func denseRow(n int) int { return int(max(16, 10*math.Sqrt(float64(n)))) }
