package implicit

import "github.com/hesse-ad/hesse/sparsity"

// Maximum matching (Hopcroft and Karp, An n^{5/2} algorithm for maximum
// matchings in bipartite graphs, SIAM J. Comput. 2, 1973).
//
// A matching picks entries of a square matrix, no two in one row or column.
// The size of a maximum one is the structural rank: no values in the pattern
// give the matrix a higher rank, and almost all values give it this one.

// maximumMatching returns a maximum matching of a square pattern and its size:
// row rowOf[j] is matched with column j, or none if that is −1. It starts from
// the diagonal entries (i, i) with prefer(i), then takes the first free column
// of each row. Time is O(nnz·√n) at worst.
func maximumMatching(p *sparsity.Pattern, prefer func(i int) bool) (rowOf []int32, rank int) {
	n, _ := p.Dims()
	rowOf = make([]int32, n)
	colOf := make([]int32, n)
	for i := range n {
		rowOf[i], colOf[i] = none, none
	}
	match := func(i, j int32) {
		rowOf[j], colOf[i] = i, j
	}
	for i := range n {
		if prefer(i) {
			match(int32(i), int32(i))
			rank++
		}
	}
	for i := range n {
		if colOf[i] != none {
			continue
		}
		for _, j := range p.Row(i) {
			if rowOf[j] == none {
				match(int32(i), j)
				rank++
				break
			}
		}
	}
	if rank == n {
		return rowOf, rank
	}

	// A phase layers the rows by breadth-first search over alternating paths
	// from all unmatched rows, up to the first layer that reaches an unmatched
	// column, and then augments along paths that go down a layer at each step,
	// no row in two of them.
	layer := make([]int32, n)
	at := make([]int32, n) // next entry of a row to try
	queue := make([]int32, 0, n)
	path := make([]int32, 0, n)
	for {
		queue = queue[:0]
		for i := range n {
			layer[i] = none
			at[i] = 0
			if colOf[i] == none {
				layer[i] = 0
				queue = append(queue, int32(i))
			}
		}
		roots := len(queue)
		last := int32(n)
		for k := 0; k < len(queue); k++ {
			i := queue[k]
			if layer[i] > last {
				break
			}
			for _, j := range p.Row(int(i)) {
				r := rowOf[j]
				if r == none {
					last = layer[i]
				} else if layer[r] == none {
					layer[r] = layer[i] + 1
					queue = append(queue, r)
				}
			}
		}
		if last == int32(n) {
			return rowOf, rank
		}

		for _, root := range queue[:roots] {
			path = append(path[:0], root)
		search:
			for len(path) > 0 {
				i := path[len(path)-1]
				for row := p.Row(int(i)); int(at[i]) < len(row); {
					j := row[at[i]]
					at[i]++
					r := rowOf[j]
					if r == none && layer[i] == last {
						// Each row of the path takes the column it went on by.
						for _, i := range path {
							match(i, p.Row(int(i))[at[i]-1])
						}
						rank++
						break search
					}
					if r != none && layer[r] == layer[i]+1 {
						path = append(path, r)
						continue search
					}
				}
				path = path[:len(path)-1]
			}
		}
	}
}
