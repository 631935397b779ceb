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
// adj[ptr[i]:ptr[i+1]] and the order in which they are eliminated.
func (s *symbolic) analyze(ptr []int, adj, order []int32) {
	n := len(order)
	s.order = order
	s.position = resize(s.position, n)
	for k, i := range order {
		s.position[i] = int32(k)
	}

	// Row k of L is the subtree of the elimination tree that is rooted in k and
	// has the columns of row k of the matrix as its leaves. parent[k] is the first
	// row of column k of L, and known as soon as a row is there.
	parent := make([]int32, n)
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
	for k := range parent {
		parent[k] = none
	}
	eachBelow(func(k, row int32) {
		count[k]++
		if parent[k] == none {
			parent[k] = row
		}
	})

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
