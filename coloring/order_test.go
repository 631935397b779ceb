package coloring

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// requireOrder checks the definition of an order on a graph, given by the
// neighbors of each vertex.
func requireOrder(t *rapid.T, o Order, order []int32, neighbors [][]int) {
	n := len(neighbors)
	sorted := slices.Sorted(slices.Values(order))
	for v := range sorted {
		require.EqualValues(t, v, sorted[v], "%v is no permutation", o)
	}
	require.Len(t, order, n)
	place := make([]int, n)
	for k, v := range order {
		place[v] = k
	}
	// earlier and later neighbors of v if it stood at place k
	earlier := func(v, k int) (d int) {
		for _, w := range neighbors[v] {
			if place[w] < k && w != v {
				d++
			}
		}
		return d
	}
	for k, v := range order {
		v := int(v)
		for _, u := range order[k+1:] { // rivals of v, but for smallest last
			u := int(u)
			switch o {
			case Natural:
				require.Less(t, v, u)
			case LargestFirst:
				require.GreaterOrEqual(t, len(neighbors[v]), len(neighbors[u]))
				if len(neighbors[v]) == len(neighbors[u]) {
					require.Less(t, v, u)
				}
			case IncidenceDegree:
				require.GreaterOrEqual(t, earlier(v, k), earlier(u, k))
			case DynamicLargestFirst:
				require.GreaterOrEqual(t, len(neighbors[v])-earlier(v, k), len(neighbors[u])-earlier(u, k))
			default:
				require.True(t, o == SmallestLast || o == Random(1), "what is %v?", o)
			}
		}
		if o == SmallestLast {
			for _, u := range order[:k] {
				require.LessOrEqual(t, earlier(v, k+1), earlier(int(u), k+1))
			}
		}
	}
}

func TestOrdersOfGraphsFollowTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPattern(t, Star)
		g, _ := adjacency(p)
		neighbors := make([][]int, g.len())
		for v := range neighbors {
			neighbors[v] = neighborsOf(p, v)
		}
		for _, o := range allOrders {
			requireOrder(t, o, g.order(o), neighbors)
		}
	})
}

func TestOrdersOfColumnsFollowTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPattern(t, Column) // without dense rows
		pt := p.Transpose()
		_, n := p.Dims()
		neighbors := make([][]int, n)
		for v := range n {
			for _, r := range pt.Row(v) {
				for _, w := range p.Row(int(r)) {
					if int(w) != v && !slices.Contains(neighbors[v], int(w)) {
						neighbors[v] = append(neighbors[v], int(w))
					}
				}
			}
		}
		for _, o := range allOrders {
			requireOrder(t, o, netOrder(o, pt, p), neighbors)
		}
	})
}

// Columns outside of a dense row have a smaller degree than those inside.
func TestDenseRowsCountInOrders(t *testing.T) {
	const n = 200
	var i, j []int
	for c := range n {
		if c%2 == 0 {
			i, j = append(i, 0), append(j, c)
		}
		i, j = append(i, c/2+1), append(j, c)
	}
	p := sparsity.FromCoordinates(n/2+1, n, i, j)
	for _, o := range []Order{LargestFirst, SmallestLast, DynamicLargestFirst} {
		for k, v := range netOrder(o, p.Transpose(), p) {
			require.Equal(t, k < n/2, v%2 == 0, "%v", o)
		}
	}
}

func TestRandomOrdersDependOnTheSeed(t *testing.T) {
	g, _ := adjacency(sparsity.Diagonal(50))
	a := slices.Clone(g.order(Random(1)))
	require.NotEqual(t, a, g.order(Random(2)))
	require.Equal(t, a, g.order(Random(1)))
}

func TestUnknownOrderPanics(t *testing.T) {
	require.PanicsWithValue(t, "coloring: unknown order", func() { New(Star, sparsity.Diagonal(3), Order(99)) })
	require.Equal(t, "Order(99)", Order(99).String())
	require.Equal(t, "random(4294967295)", Random(1<<32-1).String())
	require.Equal(t, "smallest last", SmallestLast.String())
}
