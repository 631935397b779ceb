package coloring

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// Empty rows and columns take no part: colors, bounds and recovery are those of
// what is left.
func TestEmptyRowsAndColumnsDoNotCount(t *testing.T) {
	for _, kind := range allKinds {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				small := drawPattern(t, kind)
				m, n := small.Dims()
				if small.NNZ() == 0 {
					return
				}
				const wide = 150
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
				rowAt, colAt := r.Perm(wide)[:m], r.Perm(wide)[:n]
				slices.Sort(rowAt) // so that natural orders are the same
				slices.Sort(colAt)
				if kind.symmetric() {
					colAt = rowAt
				}
				var i, j []int
				for a, b := range small.All() {
					i, j = append(i, rowAt[a]), append(j, colAt[b])
				}
				large := sparsity.FromCoordinates(wide, wide, i, j)
				for _, o := range []Order{Natural, SmallestLast} {
					c := New(kind, large, o)
					require.NoError(t, c.Verify(large))
					require.Equal(t, New(kind, small, o).Num(), c.Num(), "%v", o)
					require.LessOrEqual(t, c.LowerBound(), c.Num())
					if kind != Distance1 {
						requireRecovers(t, c, nil)
					}
				}
			})
		})
	}
}

// A million vertices, each next to one of a thousand of degree 1,000: there are
// 10⁹ paths of length two.
func TestColoringsOfAMillionVerticesNextToVerticesOfDegreeAThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const rows, degree = 1000, 1000
	const columns = rows * degree
	i, j := make([]int, columns), rand.New(rand.NewPCG(1, 1)).Perm(columns)
	for k := range i {
		i[k] = k / degree
	}
	p := sparsity.FromCoordinates(rows, columns, i, j)
	for k := range i {
		i[k] += columns
	}
	s := sparsity.FromCoordinates(columns+rows, columns+rows, i, j).Symmetrized()
	for kind, num := range map[Kind]int{Column: degree, Row: 1, StarBicoloring: 1, Star: 1, Acyclic: 1} {
		q := p
		if kind.symmetric() {
			q = s
		}
		c := New(kind, q, Natural)
		require.NoError(t, c.Verify(q), kind)
		require.Equal(t, num, c.Num(), kind)
	}
}
