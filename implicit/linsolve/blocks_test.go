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

func TestBlocksOfLongChains(t *testing.T) {
	const n = 100000
	count, block := triangularBlocks(sparsity.Banded(n, 0, 1), natural(n))
	require.Equal(t, n, count)
	require.Equal(t, natural(n), block)
	count, _ = triangularBlocks(sparsity.Banded(n, 1, 1), natural(n))
	require.Equal(t, 1, count)
}
