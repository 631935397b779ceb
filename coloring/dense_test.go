package coloring

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/sparsity"
)

// The tests here are of a size at which anything quadratic in the length of a
// row takes minutes.

const manyColumns = 100_000

func TestArrowOfAnyHub(t *testing.T) {
	for _, hub := range []int{0, manyColumns / 2, manyColumns - 1} {
		p := sparsity.Arrow(manyColumns, hub)
		for _, x := range []struct {
			kind Kind
			num  int
		}{
			{Column, manyColumns}, {Row, manyColumns}, {Distance2, manyColumns},
			{Distance1, 2}, {Star, 2}, {Acyclic, 2}, {StarBicoloring, 3}, {AcyclicBicoloring, 3},
		} {
			c := New(x.kind, p)
			require.Equal(t, x.num, c.Num(), "%v", c)
			require.NoError(t, c.Verify(p))
		}
		for _, o := range allOrders {
			require.Equal(t, manyColumns, New(Column, p, o).Num(), "%v", o)
			require.Equal(t, manyColumns, New(Distance2, p, o).Num(), "%v", o)
			require.Equal(t, 2, New(Star, p, o).Num(), "%v", o)
			require.Equal(t, 2, New(Acyclic, p, o).Num(), "%v", o)
		}
		requireRecovers(t, New(Star, p), nil)
		requireRecovers(t, New(StarBicoloring, p), nil)
	}
}

// bandWithDenseRows is a band of five off-diagonals on each side with five dense
// rows at random places.
func bandWithDenseRows() *sparsity.Pattern {
	r := rand.New(rand.NewPCG(1, 1))
	var i, j []int
	for range 5 {
		row := r.IntN(manyColumns)
		for c := range manyColumns {
			i, j = append(i, row), append(j, c)
		}
	}
	return sparsity.Banded(manyColumns, 5, 5).Union(sparsity.FromCoordinates(manyColumns, manyColumns, i, j))
}

func TestBandWithDenseRows(t *testing.T) {
	p := bandWithDenseRows()
	require.Equal(t, manyColumns, New(Column, p).Num())
	// five dense rows and eleven colors of the band
	row := New(Row, p)
	require.LessOrEqual(t, row.Num(), 11+5, "%v", row)
	for _, kind := range []Kind{StarBicoloring, AcyclicBicoloring} {
		c := New(kind, p, Natural, SmallestLast)
		require.LessOrEqual(t, c.Num(), 11+5, "%v", c)
		require.NoError(t, c.Verify(p))
	}
	s := p.Symmetrized()
	for _, x := range []struct {
		kind Kind
		num  int
	}{{Star, 11 + 5}, {Acyclic, 6 + 5}} {
		for _, o := range allOrders {
			c := New(x.kind, s, o)
			require.NoError(t, c.Verify(s))
			if o == Natural || o == SmallestLast || o == IncidenceDegree {
				require.Equal(t, x.num, c.Num(), "%v", c)
			}
		}
	}
	requireRecovers(t, New(Star, s, Natural), nil)
	requireRecovers(t, New(Acyclic, s, Natural), nil)
}
