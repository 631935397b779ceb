package linsolve

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// neighbors returns the graph of p + pᵀ without loops.
func neighbors(p *sparsity.Pattern) (n int, ptr []int, adj []int32) {
	s := p.Symmetrized()
	n, _ = s.Dims()
	ptr = make([]int, n+1)
	for i := range n {
		for _, j := range s.Row(i) {
			if int(j) != i {
				adj = append(adj, j)
			}
		}
		ptr[i+1] = len(adj)
	}
	return n, ptr, adj
}

// factorCount returns the number of entries below the diagonal of the Cholesky
// factor in the given order, row by row along the elimination tree (Liu, The
// role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl.
// 11, 1990).
func factorCount(ptr []int, adj, order []int32) int {
	n := len(order)
	position := make([]int32, n)
	for k, i := range order {
		position[i] = int32(k)
	}
	parent := make([]int32, n)
	seen := make([]int32, n)
	count := 0
	for k, i := range order {
		parent[k] = none
		seen[k] = int32(k)
		for _, j := range adj[ptr[i]:ptr[i+1]] {
			for t := position[j]; t < int32(k) && seen[t] != int32(k); t = parent[t] {
				seen[t] = int32(k)
				count++
				if parent[t] == none {
					parent[t] = int32(k)
				}
			}
		}
	}
	return count
}

func natural(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

func requirePermutation(t require.TestingT, order []int32, n int) {
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	require.Equal(t, natural(n), sorted)
}

func TestMinimumDegreePermutesAndBoundsItsFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := randomMatrix(rnd, n, rapid.Float64Range(0, 4).Draw(t, "perRow")).Pattern()
		n, ptr, adj := neighbors(p)
		order, fill := minimumDegree(n, ptr, adj)
		requirePermutation(t, order, n)
		if n <= 16 {
			// No node is dense.
			require.LessOrEqual(t, factorCount(ptr, adj, order), fill)
		}
	})
}

// The demonstration of the AMD package orders can_24 of the Harwell-Boeing
// collection and bounds the entries below the diagonal of L by 97 (SuiteSparse
// 4.4.1, AMD/Demo/amd_demo.out).
func TestMinimumDegreeOnCan24(t *testing.T) {
	rows := [][]int{
		{5, 6, 12, 13, 17, 18, 19, 21}, {8, 9, 13, 14, 17}, {6, 11, 20, 21, 22},
		{7, 10, 15, 18, 19}, {7, 9, 14, 15, 16}, {6, 12, 13, 17}, {11, 12, 19, 21, 23},
		{9, 14, 15, 16, 17, 18}, {9, 14}, {13, 14, 17, 18}, {18, 19, 20, 21}, {12, 21, 23}, {23},
		{17}, {}, {16, 18}, {}, {18, 19}, {19}, {20, 21}, {21, 22}, {22}, {}, {},
	}
	var ri, ci []int
	for i, row := range rows {
		for _, j := range row {
			ri = append(ri, i)
			ci = append(ci, j)
		}
	}
	n, ptr, adj := neighbors(sparsity.FromCoordinates(24, 24, ri, ci))
	require.Len(t, adj, 136)
	published := []int32{22, 20, 10, 23, 12, 5, 16, 8, 14, 4, 15, 7, 1, 9, 13, 17, 0, 2, 3, 6, 11, 18, 21, 19}
	require.LessOrEqual(t, factorCount(ptr, adj, published), 97)

	order, fill := minimumDegree(n, ptr, adj)
	requirePermutation(t, order, n)
	require.LessOrEqual(t, factorCount(ptr, adj, order), fill)
	require.LessOrEqual(t, fill, 97)
}

// nestedDissection orders a grid by separating it with a line across its longer
// side and ordering the halves alike (George, Nested dissection of a regular
// finite element mesh, SIAM J. Numer. Anal. 10, 1973).
func nestedDissection(width, r0, r1, c0, c1 int, order []int32) []int32 {
	switch {
	case r0 == r1 || c0 == c1:
		return order
	case r1-r0 <= 2 && c1-c0 <= 2:
		for r := r0; r < r1; r++ {
			for c := c0; c < c1; c++ {
				order = append(order, int32(r*width+c))
			}
		}
		return order
	case r1-r0 >= c1-c0:
		m := (r0 + r1) / 2
		order = nestedDissection(width, r0, m, c0, c1, order)
		order = nestedDissection(width, m+1, r1, c0, c1, order)
		return nestedDissection(width, m, m+1, c0, c1, order)
	default:
		m := (c0 + c1) / 2
		order = nestedDissection(width, r0, r1, c0, m, order)
		order = nestedDissection(width, r0, r1, m+1, c1, order)
		return nestedDissection(width, r0, r1, m, m+1, order)
	}
}

func TestMinimumDegreeOnGridsBeatsNestedDissection(t *testing.T) {
	for _, k := range []int{10, 31, 63, 127} {
		n, ptr, adj := neighbors(sparsity.StarStencil(k, k))
		order, fill := minimumDegree(n, ptr, adj)
		requirePermutation(t, order, n)
		count := factorCount(ptr, adj, order)
		require.LessOrEqual(t, count, fill)
		require.Less(t, float64(fill), 1.01*float64(count))
		dissected := nestedDissection(k, 0, k, 0, k, nil)
		requirePermutation(t, dissected, n)
		require.Less(t, fill, factorCount(ptr, adj, dissected))
		require.Less(t, 3*fill, 2*factorCount(ptr, adj, natural(n)))
	}
}

func TestMinimumDegreeOfTreesHasNoFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		labels := rnd.Perm(n)
		var ri, ci []int
		for i := 1; i < n; i++ {
			ri = append(ri, labels[i])
			ci = append(ci, labels[rnd.IntN(i)])
		}
		_, ptr, adj := neighbors(sparsity.FromCoordinates(n, n, ri, ci))
		order, _ := minimumDegree(n, ptr, adj)
		require.Equal(t, n-1, factorCount(ptr, adj, order))
	})
}

func TestMinimumDegreePutsDenseNodesLast(t *testing.T) {
	const n = 2000
	p := sparsity.Arrow(n, 3).Union(sparsity.Arrow(n, 700)).Union(sparsity.Banded(n, 1, 1))
	_, ptr, adj := neighbors(p)
	order, _ := minimumDegree(n, ptr, adj)
	requirePermutation(t, order, n)
	require.ElementsMatch(t, []int32{3, 700}, order[n-2:])
}

func TestMinimumDegreeOfCompleteGraph(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 50} {
		_, ptr, adj := neighbors(sparsity.Full(n, n))
		order, _ := minimumDegree(n, ptr, adj)
		requirePermutation(t, order, n)
	}
}
