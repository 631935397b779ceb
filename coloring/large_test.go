package coloring

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/sparsity"
)

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
