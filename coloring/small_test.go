package coloring

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/sparsity"
)

// The matrices of the literature that the greedy algorithms are shown on, with
// the colors given there, in natural order.
var published = []struct {
	name    string
	p       *sparsity.Pattern
	star    []int
	acyclic []int // nil: not given
}{
	{
		"Gebremedhin, Manne, Pothen 2005, figure 4.1",
		parse("110000", "111011", "011100", "001101", "010010", "010101"),
		[]int{1, 2, 1, 3, 1, 1},
		nil,
	},
	{
		"Gebremedhin, Pothen, Tarafdar, Walther 2009, figures 1 and 4",
		parse("1100001000", "1110100000", "0111010000", "0011000001", "0100110100",
			"0010110010", "1000001100", "0000101110", "0000010111", "0001000011"),
		[]int{1, 2, 1, 3, 1, 4, 3, 5, 1, 2},
		[]int{1, 2, 1, 2, 1, 3, 2, 3, 2, 1},
	},
}

func TestPublishedColorsInNaturalOrder(t *testing.T) {
	for _, x := range published {
		t.Run(x.name, func(t *testing.T) {
			star := New(Star, x.p, Natural)
			require.Equal(t, x.star, vertexColors(star))
			requireRecovers(t, star, nil)
			acyclic := New(Acyclic, x.p, Natural)
			if x.acyclic != nil {
				require.Equal(t, x.acyclic, vertexColors(acyclic))
			}
			requireRecovers(t, acyclic, nil)
		})
	}
}

func TestFourByFiveHasTwoColorsEitherWay(t *testing.T) {
	p := parse("0*0*0", "000**", "0**00", "*0*00")
	columns := New(Column, p, Natural)
	require.Equal(t, 2, columns.Num())
	require.Equal(t, []float64{1, 1, 0, 0, 1}, columns.Columns().Seed(nil, 0))
	require.Equal(t, []float64{0, 0, 1, 1, 0}, columns.Columns().Seed(make([]float64, 5), 1))
	require.Equal(t, 2, New(Row, p, Natural).Num())
	for _, kind := range []Kind{Column, Row, StarBicoloring, AcyclicBicoloring} {
		requireRecovers(t, New(kind, p), nil)
	}
}

func TestSymmetricFourByFour(t *testing.T) {
	p := parse("***0", "**0*", "*0*0", "0*0*")
	require.Equal(t, 3, New(Column, p).Num())
	require.Equal(t, 3, New(Star, p).Num())
	acyclic := New(Acyclic, p)
	require.Equal(t, 2, acyclic.Num())
	for _, kind := range []Kind{Column, Row, Distance2, Star, Acyclic, StarBicoloring, AcyclicBicoloring} {
		requireRecovers(t, New(kind, p), nil)
	}
	require.Equal(t, 1, acyclic.Recovery(nil).Depth())
}

func TestPatternsWithoutEntriesRowsOrColumns(t *testing.T) {
	patterns := []*sparsity.Pattern{new(sparsity.Pattern)}
	for _, dims := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {3, 3}} {
		patterns = append(patterns, sparsity.FromCoordinates(dims[0], dims[1], nil, nil))
	}
	for _, p := range patterns {
		rows, cols := p.Dims()
		for _, kind := range allKinds {
			if kind.symmetric() && rows != cols {
				continue
			}
			for _, o := range allOrders {
				c := New(kind, p, o)
				require.LessOrEqual(t, c.Num(), 1)
				require.NoError(t, c.Verify(p))
				if kind >= Star {
					require.Zero(t, c.Num(), "%v", kind)
				}
				if kind != Distance1 {
					requireRecovers(t, c, nil)
				}
			}
		}
	}
}

func TestOneEntry(t *testing.T) {
	p := parse("1")
	for _, kind := range allKinds {
		c := New(kind, p)
		require.Equal(t, 1, c.Num(), "%v", kind)
		if kind != Distance1 {
			requireRecovers(t, c, nil)
		}
	}
}

// The Hessian of xᵀCy, C of one dense row: the hub's color alone gives all of it.
func TestNeutralColorsWithoutDiagonal(t *testing.T) {
	p := parse("01111", "10000", "10000", "10000", "10000")
	for _, kind := range []Kind{Star, Acyclic} {
		c := New(kind, p)
		require.Equal(t, []int{0, -1, -1, -1, -1}, c.Columns().Colors())
		require.Equal(t, 1, c.LowerBound())
		requireRecovers(t, c, nil)
	}
	require.Equal(t, 2, New(Star, parse("11111", "11000", "10100", "10010", "10001")).Num())
}

// Three edges apart from each other: color 1 serves all of them.
func TestUnusedColorsAreDroppedForTheMostUsefulOne(t *testing.T) {
	g, loop := adjacency(symmetric(6, []int{0, 2, 4}, []int{1, 3, 5}))
	color := []int32{2, 1, 3, 1, 4, 1}
	dropUnused(g, loop, color)
	require.Equal(t, []int32{0, 1, 0, 1, 0, 1}, color)
}

// Two vertices with the same many neighbors: if they have one color, which is
// what a greedy algorithm gives them that meets them first, all neighbors need
// different ones.
func TestHubsGetColorsApart(t *testing.T) {
	const n = 40
	var i, j []int
	for v := 2; v < n; v++ {
		i, j = append(i, 0, 1, v), append(j, v, v, v)
	}
	p := symmetric(n, append(i, 0, 1), append(j, 0, 1))
	for _, o := range allOrders {
		require.Equal(t, 3, New(Star, p, o).Num(), "%v", o)
		require.LessOrEqual(t, New(Acyclic, p, o).Num(), 3, "%v", o)
	}
	g, _ := adjacency(p)
	require.Greater(t, count(star(g, g.order(Natural), n)), n-5)
}

func TestBicoloringOfArrow(t *testing.T) {
	const n = 60
	for _, hub := range []int{0, n / 2, n - 1} {
		p := sparsity.Arrow(n, hub)
		require.Equal(t, n, New(Column, p).Num())
		require.Equal(t, n, New(Row, p).Num())
		for _, kind := range []Kind{StarBicoloring, AcyclicBicoloring} {
			c := New(kind, p)
			require.LessOrEqual(t, c.Num(), 3, "%v", c)
			requireRecovers(t, c, nil)
		}
	}
}
