package linsolve

import "github.com/hesse-ad/hesse/sparsity"

// Block triangular form (Tarjan, Depth-first search and linear graph
// algorithms, SIAM J. Comput. 1, 1972; Duff and Reid, An implementation of
// Tarjan's algorithm for the block triangularization of a matrix, ACM TOMS 4,
// 1978).
//
// With a full matching, let node j be column j together with its row rowOf[j],
// and let an edge lead from j to the columns of that row. Columns ordered by
// strongly connected components, each before those that it leads to, and rows
// alike, make the matrix block upper triangular. Only the blocks on the
// diagonal need factorizing.

// BlockTriangularForm orders rows and columns of a square pattern so that it
// becomes block upper triangular with as many diagonal blocks as can be. Column
// j is matched with row rowOf[j], where it has an entry, and both belong to the
// diagonal block block[j], of count, counted from the upper left: an equation
// depends on the unknowns of its own block and of later ones. A structurally
// singular pattern gives a *SingularError. It panics if p is not square. Time is
// O(nnz·√n) at worst.
func BlockTriangularForm(p *sparsity.Pattern) (rowOf, block []int, count int, err error) {
	if r, c := p.Dims(); r != c {
		panic("linsolve: pattern not square")
	}
	ones := make([]float64, p.NNZ())
	for k := range ones {
		ones[k] = 1
	}
	matched, rank, _ := maximumMatching(p, ones, 1)
	if rank < len(matched) {
		return nil, nil, 0, structurallySingular(matched, rank)
	}
	count, blocks := triangularBlocks(p, matched)
	for j, b := range blocks {
		rowOf, block = append(rowOf, int(matched[j])), append(block, int(b))
	}
	return rowOf, block, count, nil
}

// triangularBlocks returns the number of diagonal blocks and the block of each
// column, counted from the upper left. Time is O(n + nnz).
func triangularBlocks(p *sparsity.Pattern, rowOf []int32) (count int, block []int32) {
	n := len(rowOf)
	block = make([]int32, n)
	low := make([]int32, n) // least visiting number known to be in the node's component, 0 if not visited
	at := make([]int32, n)  // next entry of the node's row
	for j := range n {
		block[j] = none
	}
	var visits int32
	path := make([]int32, 0, n) // of the depth-first search
	open := make([]int32, 0, n) // visited, component not complete
	number := make([]int32, n)
	for root := n - 1; root >= 0; root-- {
		if low[root] != 0 {
			continue
		}
		path = append(path, int32(root))
	visit:
		for len(path) > 0 {
			j := path[len(path)-1]
			if low[j] == 0 {
				visits++
				low[j], number[j] = visits, visits
				open = append(open, j)
			}
			for row := p.Row(int(rowOf[j])); int(at[j]) < len(row); {
				c := row[at[j]]
				if low[c] == 0 {
					path = append(path, c)
					continue visit
				}
				if block[c] == none {
					low[j] = min(low[j], low[c])
				}
				at[j]++
			}
			path = path[:len(path)-1]
			if low[j] == number[j] {
				for {
					c := open[len(open)-1]
					open = open[:len(open)-1]
					block[c] = int32(count)
					if c == j {
						break
					}
				}
				count++
			}
		}
	}
	// A component is complete only after all that it leads to.
	for j := range block {
		block[j] = int32(count-1) - block[j]
	}
	return count, block
}
