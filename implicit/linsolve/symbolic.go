package linsolve

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/sparsity"
)

// symbolic is the structure of the Cholesky factor L of a symmetric matrix whose
// rows and columns are permuted: row k is row order[k] of the matrix, position is
// the inverse.
//
// A supernode s is a range of columns of L, first[s] to first[s+1], of which each
// has the rows of the next and its diagonal. Those below the range are
// rows[rowPtr[s]:rowPtr[s+1]], ascending.
//
// Source: Liu, The role of elimination trees in sparse factorization, SIAM J.
// Matrix Anal. Appl. 11, 1990.
type symbolic struct {
	order, position []int32
	first           []int32
	rowPtr          []int
	rows            []int32
}

// analyze finds the structure for a graph whose node i has the neighbors
// adj[ptr[i]:ptr[i+1]], eliminated in the given order or in a postorder of its elimination
// tree, which leads to the same L and has the columns of each subtree side by side.
func (s *symbolic) analyze(ptr []int, adj, order []int32) {
	n := len(order)
	s.position = resize(s.position, n)
	number := func() {
		for k, i := range order {
			s.position[i] = int32(k)
		}
	}
	number()
	above := make([]int32, n)    // in the tree
	ancestor := make([]int32, n) // further up, for short ways
	for i := range above {
		above[i], ancestor[i] = none, none
	}
	for _, i := range order {
		for _, t := range adj[ptr[i]:ptr[i+1]] {
			if s.position[t] > s.position[i] {
				continue
			}
			for t != none && t != i {
				next := ancestor[t]
				if ancestor[t] = i; next == none {
					above[t] = i
				}
				t = next
			}
		}
	}
	order = postorder(above, order)
	number()
	s.order = order
	parent := ancestor
	for k, i := range order {
		if parent[k] = above[i]; parent[k] != none {
			parent[k] = s.position[parent[k]]
		}
	}

	// Row k of L is the subtree of the elimination tree that is rooted in k and
	// has the columns of row k of the matrix as its leaves.
	count := make([]int32, n) // entries of the columns of L
	seen := make([]int32, n)
	eachBelow := func(visit func(k, row int32)) {
		for k := range seen {
			seen[k] = none
		}
		for k, i := range order {
			k := int32(k)
			seen[k] = k
			for _, j := range adj[ptr[i]:ptr[i+1]] {
				for t := s.position[j]; t < k && seen[t] != k; t = parent[t] {
					seen[t] = k
					visit(t, k)
				}
			}
		}
	}
	eachBelow(func(k, _ int32) { count[k]++ })

	s.first = append(s.first[:0], 0)
	s.rowPtr = append(s.rowPtr[:0], 0)
	last := make([]int32, n) // the supernode that column k is the last of
	for k := range n {
		last[k] = none
		if k+1 < n && parent[k] == int32(k+1) && count[k] == count[k+1]+1 {
			continue
		}
		at := len(s.first) - 1
		last[k] = int32(at)
		s.first = append(s.first, int32(k+1))
		s.rowPtr = append(s.rowPtr, s.rowPtr[at]+int(count[k]))
	}
	s.rows = resize(s.rows, s.rowPtr[s.supernodes()])
	to := slices.Clone(s.rowPtr)
	eachBelow(func(k, row int32) {
		if at := last[k]; at != none {
			s.rows[to[at]] = row
			to[at]++
		}
	})
}

func (s *symbolic) supernodes() int { return len(s.first) - 1 }

// width is the number of columns of supernode at.
func (s *symbolic) width(at int) int { return int(s.first[at+1] - s.first[at]) }

// below returns the rows of supernode at below its range.
func (s *symbolic) below(at int) []int32 { return s.rows[s.rowPtr[at]:s.rowPtr[at+1]] }

// amalgamate merges supernodes with the one after them where that has their rows
// and L gets few zeros from it: each merger saves the passing on of what the
// first contributes to the second (Ashcraft and Grimes, The influence of relaxed
// supernode partitions on the multifrontal method, ACM TOMS 15, 1989).
func (s *symbolic) amalgamate(least int) {
	type merged struct {
		from  int // first column
		at    int // last of the supernodes, which has the rows
		zeros int
	}
	var list []merged
	for at := range s.supernodes() {
		m := merged{from: int(s.first[at]), at: at}
		for len(list) > 0 {
			child := list[len(list)-1]
			rows := s.below(child.at)
			if len(rows) < least || rows[0] >= s.first[at+1] {
				break
			}
			wide, below := int(s.first[at+1])-m.from, len(s.below(at))
			narrow := m.from - child.from
			zeros := m.zeros + child.zeros + narrow*(wide+below-len(rows))
			total := wide + narrow
			entries := total*(total-1)/2 + total*below
			if !worthZeros(total, zeros, entries) {
				break
			}
			m.from, m.zeros = child.from, zeros
			list = list[:len(list)-1]
		}
		list = append(list, m)
	}
	first, rowPtr, rows := []int32{0}, []int{0}, []int32(nil)
	for _, m := range list {
		first = append(first, s.first[m.at+1])
		rows = append(rows, s.below(m.at)...)
		rowPtr = append(rowPtr, len(rows))
	}
	s.first, s.rowPtr, s.rows = first, rowPtr, rows
}

// worthZeros reports whether a supernode of the given width may have so many
// zeros among its entries. These limits are like those of CHOLMOD (Chen, Davis,
// Hager and Rajamanickam, Algorithm 887, ACM TOMS 35, 2008), with fewer zeros in
// narrow supernodes, which take as long.
func worthZeros(width, zeros, entries int) bool {
	share := float64(zeros)
	switch {
	case width <= 4:
		return true
	case width <= 16:
		return share <= 0.3*float64(entries)
	case width <= 48:
		return share <= 0.1*float64(entries)
	default:
		return share <= 0.05*float64(entries)
	}
}

// tree returns the supernode of each column, and the one that each supernode
// passes its contribution to, or none.
func (s *symbolic) tree() (of, parent []int32) {
	of = make([]int32, len(s.order))
	for at := range s.supernodes() {
		for k := s.first[at]; k < s.first[at+1]; k++ {
			of[k] = int32(at)
		}
	}
	parent = make([]int32, s.supernodes())
	for at := range parent {
		parent[at] = none
		if rows := s.below(at); len(rows) > 0 {
			parent[at] = of[rows[0]]
		}
	}
	return of, parent
}

// postorder returns the nodes of a forest, those of a subtree side by side and each after
// its children, in which siblings and roots come as in nodes.
func postorder(parent, nodes []int32) []int32 {
	ptr, children := bucket.Rows[int](len(parent), func(put func(i, child int32)) {
		for _, i := range nodes {
			if p := parent[i]; p != none {
				put(p, i)
			}
		}
	})
	order := make([]int32, 0, len(nodes))
	next := slices.Clone(ptr)
	var path []int32
	for _, root := range nodes {
		if parent[root] != none {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			i := path[len(path)-1]
			if at := next[i]; at < ptr[i+1] {
				next[i]++
				path = append(path, children[at])
				continue
			}
			path = path[:len(path)-1]
			order = append(order, i)
		}
	}
	return order
}

// places returns the children of each supernode, from childPtr on, and for each of rows
// its number in the front of the parent, where the columns come first and then the rows
// below. It calls visit with the numbers of the variables of each front.
func (s *symbolic) places(parent []int32, visit func(at int, local []int32)) (childPtr, children, up []int32) {
	childPtr, children = bucket.Rows[int32](s.supernodes(), func(put func(p, child int32)) {
		for child, p := range parent {
			if p != none {
				put(p, int32(child))
			}
		}
	})
	local := make([]int32, len(s.order))
	up = make([]int32, len(s.rows))
	for at := range s.supernodes() {
		first, end := s.first[at], s.first[at+1]
		for k := first; k < end; k++ {
			local[k] = k - first
		}
		for t, k := range s.below(at) {
			local[k] = end - first + int32(t)
		}
		for _, child := range children[childPtr[at]:childPtr[at+1]] {
			for t := s.rowPtr[child]; t < s.rowPtr[child+1]; t++ {
				up[t] = local[s.rows[t]]
			}
		}
		visit(at, local)
	}
	return childPtr, children, up
}

// lower returns the lower triangle of the permuted matrix, of which a triangle has the pattern p,
// by columns: column k has from ptr[k] on the rows, and their places in the values.
func (s *symbolic) lower(p *sparsity.Pattern) (ptr, row, src []int32) {
	rowOf := make([]int32, p.NNZ())
	ptr, src = bucket.Rows[int32](len(s.order), func(put func(k, src int32)) {
		t := int32(0)
		for i := range s.order {
			for _, j := range p.Row(i) {
				rowOf[t] = max(s.position[i], s.position[j])
				put(min(s.position[i], s.position[j]), t)
				t++
			}
		}
	})
	row = make([]int32, len(src))
	for k, t := range src {
		row[k] = rowOf[t]
	}
	return ptr, row, src
}

// triangleGraph returns the graph of the symmetric matrix whose triangle has the
// pattern p: node i has the neighbors adj[ptr[i]:ptr[i+1]].
func triangleGraph(p *sparsity.Pattern) (ptr []int, adj []int32) {
	n, _ := p.Dims()
	return bucket.Rows[int](n, func(put func(i, j int32)) {
		for i := range int32(n) {
			for _, j := range p.Row(int(i)) {
				if j != i {
					put(i, j)
					put(j, i)
				}
			}
		}
	})
}
