package linsolve

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// Two nodes belong together if each reaches the other; a block may only lead to
// later ones.
func TestBlocksAreStrongComponentsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPattern(t)
		n, _ := p.Dims()
		p = p.Union(sparsity.Diagonal(n))
		rowOf := natural(n)
		count, block := triangularBlocks(p, rowOf)

		reaches := make([][]bool, n)
		for i := range n {
			reaches[i] = make([]bool, n)
			for _, j := range p.Row(i) {
				reaches[i][j] = true
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
				}
			}
		}
		used := make([]bool, count)
		for i := range n {
			used[block[i]] = true
			for j := range n {
				require.Equal(t, reaches[i][j] && reaches[j][i], block[i] == block[j])
				if reaches[i][j] {
					require.LessOrEqual(t, block[i], block[j])
				}
			}
		}
		require.NotContains(t, used, false)
	})
}

func TestBlockTriangularFormOfEquations(t *testing.T) {
	// x₀ = 1 + x₂, x₁ = x₁x₂ − x₀, x₂ = sin x₂: x₂ alone, then x₀, then x₁.
	p := sparsity.FromCoordinates(3, 3, []int{0, 0, 1, 1, 1, 2}, []int{0, 2, 0, 1, 2, 2})
	rowOf, block, count, err := BlockTriangularForm(p)
	require.NoError(t, err)
	require.Equal(t, 3, count)
	require.Equal(t, []int{0, 1, 2}, rowOf)
	require.Equal(t, []int{1, 0, 2}, block)

	// Two equations for x₀ and none for x₁.
	_, _, _, err = BlockTriangularForm(sparsity.FromCoordinates(2, 2, []int{0, 1}, []int{0, 0}))
	var singular *SingularError
	require.ErrorAs(t, err, &singular)
	require.Equal(t, 1, singular.StructuralRank)
	require.Equal(t, []int{1}, singular.Columns)
	require.PanicsWithValue(t, "linsolve: pattern not square", func() { BlockTriangularForm(sparsity.Full(2, 3)) })
}

func TestBlocksOfLongChains(t *testing.T) {
	const n = 100000
	count, block := triangularBlocks(sparsity.Banded(n, 0, 1), natural(n))
	require.Equal(t, n, count)
	require.Equal(t, natural(n), block)
	count, _ = triangularBlocks(sparsity.Banded(n, 1, 1), natural(n))
	require.Equal(t, 1, count)
}
