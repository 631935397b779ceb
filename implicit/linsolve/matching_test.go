package linsolve

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// drawPattern draws a square pattern with a few entries a row.
func drawPattern(t *rapid.T) *sparsity.Pattern {
	n := rapid.IntRange(0, 12).Draw(t, "n")
	var ri, ci []int
	if n > 0 {
		index := rapid.IntRange(0, n-1)
		for range rapid.IntRange(0, 3*n).Draw(t, "nnz") {
			ri = append(ri, index.Draw(t, "i"))
			ci = append(ci, index.Draw(t, "j"))
		}
	}
	return sparsity.FromCoordinates(n, n, ri, ci)
}

// simpleMatching is the size of a maximum matching by single augmenting paths.
func simpleMatching(p *sparsity.Pattern) int {
	n, _ := p.Dims()
	rowOf := make([]int, n)
	for j := range rowOf {
		rowOf[j] = none
	}
	var augment func(i int, seen []bool) bool
	augment = func(i int, seen []bool) bool {
		for _, j := range p.Row(i) {
			if !seen[j] {
				seen[j] = true
				if rowOf[j] == none || augment(rowOf[j], seen) {
					rowOf[j] = i
					return true
				}
			}
		}
		return false
	}
	size := 0
	for i := range n {
		if augment(i, make([]bool, n)) {
			size++
		}
	}
	return size
}

func TestMaximumMatchingIsMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPattern(t)
		n, _ := p.Dims()
		values := make([]float64, p.NNZ())
		for k := range values {
			values[k] = rapid.SampledFrom([]float64{0, 1e-9, 0.5, -1}).Draw(t, "value")
		}
		rowOf, rank, _ := maximumMatching(p, values, pivotTolerance, 0)
		require.Equal(t, simpleMatching(p), rank)
		used := make([]bool, n)
		matched := 0
		for j, i := range rowOf {
			if i == none {
				continue
			}
			matched++
			require.True(t, p.Has(int(i), j))
			require.False(t, used[i])
			used[i] = true
		}
		require.Equal(t, rank, matched)
	})
}

// Only entries that are not small can become pivots without fill.
func TestMaximumMatchingPrefersLargeEntries(t *testing.T) {
	// The optimality system of a quadratic with one constraint, its zero stored.
	a := fromDense([][]float64{
		{2, 0, 1},
		{0, 2, 1},
		{1, 1, 9},
	})
	a.Values()[a.Pattern().Position(2, 2)] = 0
	rowOf, rank, _ := maximumMatching(a.Pattern(), a.Values(), pivotTolerance, 0)
	require.Equal(t, 3, rank)
	for j, i := range rowOf {
		require.NotZero(t, a.At(int(i), j))
	}
}

// Row i has columns i and i+1, except the last; matching rows first with their
// first column and row n−1 with column 0 takes one path through all rows.
func TestMaximumMatchingFollowsLongPaths(t *testing.T) {
	const n = 100000
	var ri, ci []int
	for i := range n - 1 {
		ri = append(ri, i, i)
		ci = append(ci, i, i+1)
	}
	ri = append(ri, n-1)
	ci = append(ci, 0)
	p := sparsity.FromCoordinates(n, n, ri, ci)
	values := make([]float64, p.NNZ())
	for i := range n - 1 {
		values[p.Position(i, i)] = 1
	}
	rowOf, rank, _ := maximumMatching(p, values, pivotTolerance, 0)
	require.Equal(t, n, rank)
	require.Equal(t, int32(n-1), rowOf[0])
	require.Equal(t, int32(n-2), rowOf[n-1])
}

func TestStructuralRankBoundsRank(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range sizes {
		a := randomMatrix(rnd, n, 2)
		_, rank, _ := maximumMatching(a.Pattern(), a.Values(), pivotTolerance, 0)
		require.Equal(t, n, rank)
	}
}
