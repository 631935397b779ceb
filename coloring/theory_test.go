package coloring

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// Coleman, Moré 1984; Coleman, Cai 1986.
func TestSymmetricBandsAreColoredOptimally(t *testing.T) {
	for beta := range 6 {
		for _, n := range []int{4*beta + 1, 4*beta + 2, 7*beta + 3, 50} {
			p := sparsity.Banded(n, beta, beta)
			require.Equal(t, 2*beta+1, New(Star, p).Num(), "star, β %d, n %d", beta, n)
			require.Equal(t, 2*beta+1, New(Star, p, Natural).Num(), "star, β %d, n %d", beta, n)
			require.Equal(t, beta+1, New(Acyclic, p).Num(), "acyclic, β %d, n %d", beta, n)
			require.Equal(t, 2*beta+1, New(Column, p).Num(), "column, β %d, n %d", beta, n)
		}
	}
}

// In a chordal graph every cycle of a coloring has a chord and so a third
// color: the acyclic number is the clique number. Each vertex here has a clique
// as its earlier neighbors.
func TestChordalGraphsNeedTheirCliqueNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		earlier := make([][]int, n)
		var i, j []int
		clique := 1
		for v := range n {
			i, j = append(i, v), append(j, v)
			if v == 0 {
				continue
			}
			u := r.IntN(v)
			for _, w := range append(earlier[u], u) {
				if r.IntN(4) > 0 {
					earlier[v] = append(earlier[v], w)
					i, j = append(i, v), append(j, w)
				}
			}
			clique = max(clique, 1+len(earlier[v]))
		}
		c := New(Acyclic, symmetric(n, i, j), Natural)
		require.Equal(t, clique, c.Num())
	})
}

// TestGrids reaches on grids of about 10⁵ points the numbers of colors that are
// known to be best or the best known from the literature.
func TestGrids(t *testing.T) {
	for _, x := range []struct {
		name                  string
		p                     *sparsity.Pattern
		column, star, acyclic int
	}{
		{"5 points", sparsity.StarStencil(316, 316), 5, 5, 4},
		{"9 points", sparsity.BoxStencil(316, 316), 9, 9, 6},
		{"7 points", sparsity.StarStencil(46, 46, 46), 12, 11, 7},
		{"27 points", sparsity.BoxStencil(46, 46, 46), 27, 27, 20},
	} {
		column := New(Column, x.p)
		require.LessOrEqual(t, column.Num(), x.column, "%s: %v", x.name, column)
		star := New(Star, x.p)
		require.LessOrEqual(t, star.Num(), x.star, "%s: %v", x.name, star)
		require.NoError(t, star.Verify(x.p))
		acyclic := New(Acyclic, x.p)
		require.LessOrEqual(t, acyclic.Num(), x.acyclic, "%s: %v", x.name, acyclic)
		require.NoError(t, acyclic.Verify(x.p))
	}
}

// What ColPack 1.0.10 needs by its smallest last order.
func TestSmallestLastOnGridsIsThatOfColPack(t *testing.T) {
	require.LessOrEqual(t, New(Star, sparsity.StarStencil(46, 46, 46), SmallestLast).Num(), 11)
}

// The column coloring of A, the distance-1 coloring of the graph of AᵀA and the
// partial distance-2 coloring of the bipartite graph by its definition are one.
func TestGraphModelsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPattern(t, Column)
		m, n := p.Dims()
		var i, j []int
		for r := range m {
			for _, a := range p.Row(r) {
				for _, b := range p.Row(r) {
					i, j = append(i, int(a)), append(j, int(b))
				}
			}
		}
		intersection := sparsity.FromCoordinates(n, n, i, j)
		columns := New(Column, p, Natural)
		require.Equal(t, New(Distance1, intersection, Natural).Columns().Colors(), columns.Columns().Colors())
		require.Equal(t, New(Row, p.Transpose(), Natural).Rows().Colors(), columns.Columns().Colors())
		require.Equal(t, greedyByDefinition(Column, p, identity(n)), vertexColors(columns))
	})
}

func TestColumnsOfFullDiagonalAreDistance2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPattern(t, Star)
		n, _ := p.Dims()
		p = p.Union(sparsity.Diagonal(n))
		for _, o := range allOrders {
			distance2 := vertexColors(New(Distance2, p, o))
			require.Equal(t, distance2, vertexColors(New(Column, p, o)), "%v", o)
			require.Equal(t, distance2, vertexColors(New(Row, p, o)), "%v", o)
		}
	})
}

// partitions calls f with every way to give n vertices colors 1, 2, … that
// appear first in this order, and if neutral also 0.
func partitions(n int, neutral bool, f func(color []int, num int)) {
	color := make([]int, n)
	var rec func(v, k int)
	rec = func(v, k int) {
		if v == n {
			f(color, k)
			return
		}
		lo := 1
		if neutral {
			lo = 0
		}
		for c := lo; c <= k+1; c++ {
			color[v] = c
			rec(v+1, max(k, c))
		}
	}
	rec(0, 0)
}

// least returns the exact number of colors of a one-sided kind.
func least(kind Kind, p *sparsity.Pattern) int {
	n, _ := p.Dims()
	best := n
	partitions(n, false, func(color []int, num int) {
		if num < best && isColoring(kind, p, color) {
			best = num
		}
	})
	return best
}

func TestExactNumbersBoundGreedyOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		i, j := identity(n), identity(n)
		for _, e := range rapid.SliceOfN(rapid.IntRange(0, max(n*n-1, 0)), 0, n*n/2).Draw(t, "edges") {
			i, j = append(i, e/n), append(j, e%n)
		}
		p := symmetric(n, i, j)
		last := 0
		for _, kind := range []Kind{Distance1, Acyclic, Star, Distance2} {
			exact := least(kind, p)
			require.LessOrEqual(t, last, exact, "%v", kind)
			last = exact
			c := New(kind, p)
			require.LessOrEqual(t, exact, c.Num(), "%v", c)
			require.LessOrEqual(t, c.LowerBound(), exact, "%v", c)
		}
	})
}

// With neutral vertices, by trying all colors: what recovery needs at least.
func TestLowerBoundsHoldWithNeutralVertices(t *testing.T) {
	for _, kind := range []Kind{Star, Acyclic, StarBicoloring, AcyclicBicoloring} {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := rapid.IntRange(1, 3).Draw(t, "rows")
				n := rapid.IntRange(1, 3).Draw(t, "columns")
				if kind.symmetric() {
					m += n - 1
					n = m
				}
				var i, j []int
				for _, e := range rapid.SliceOfN(rapid.IntRange(0, m*n-1), 0, 8).Draw(t, "entries") {
					i, j = append(i, e/n), append(j, e%n)
				}
				p := sparsity.FromCoordinates(m, n, i, j)
				if kind.symmetric() {
					p = p.Symmetrized()
					m = 0
				}
				exact := m + n
				partitions(n, true, func(columns []int, a int) {
					partitions(m, true, func(rows []int, b int) {
						if a+b < exact {
							if _, err := FromColors(kind, p, shifted(columns, -1), shifted(rows, -1)); err == nil {
								exact = a + b
							}
						}
					})
				})
				c := New(kind, p)
				require.LessOrEqual(t, c.LowerBound(), exact, "%v", show(p))
				require.LessOrEqual(t, exact, c.Num(), "%v", show(p))
			})
		})
	}
}

func TestStricterKindsHaveNoFewerColors(t *testing.T) {
	for _, x := range []struct{ more, fewer Kind }{
		{Distance2, Star}, {Star, Acyclic}, {Column, StarBicoloring},
		{Row, StarBicoloring}, {StarBicoloring, AcyclicBicoloring},
	} {
		t.Run(fmt.Sprintf("%v, %v", x.more, x.fewer), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := randomPattern(t, x.more)
				if x.fewer == Star {
					// neutral colors would hide a failure
					n, _ := p.Dims()
					p = p.Union(sparsity.Diagonal(n))
				}
				for _, o := range allOrders {
					require.LessOrEqual(t, New(x.fewer, p, o).Num(), New(x.more, p, o).Num(), "%v", o)
				}
				require.LessOrEqual(t, New(x.fewer, p).Num(), New(x.more, p).Num())
			})
		})
	}
}

func TestStarFallsBackOnDistance2(t *testing.T) {
	p := sparsity.BoxStencil(12, 12)
	g, _ := adjacency(p)
	require.Greater(t, count(star(g, g.order(Natural), 100)), 9)
	require.Equal(t, 9, New(Star, p, Natural).Num())
}

func identity(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}

// greedyByDefinition gives each vertex the smallest color that the definition
// of the kind allows.
func greedyByDefinition(kind Kind, p *sparsity.Pattern, order []int) []int {
	color := make([]int, len(order))
	for _, v := range order {
		for color[v] = 1; !isColoring(kind, p, color); color[v]++ {
		}
	}
	return color
}

// The algorithms give what their definitions give in the same order, in
// particular those that do without looking at the neighbors of neighbors.
func TestGreedyAlgorithmsFollowTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPattern(t, Star)
		n, _ := p.Dims()
		g, _ := adjacency(p)
		closed := p.Union(sparsity.Diagonal(n))
		order := g.order(Random(rapid.Uint32().Draw(t, "order")))
		o := make([]int, n)
		for k, v := range order {
			o[k] = int(v)
		}
		for _, x := range []struct {
			kind  Kind
			color []int32
		}{
			{Distance1, distance1(g, order)},
			{Distance2, partialDistance2(closed, closed, order, n)},
			{Star, star(g, order, n)},
			{Acyclic, acyclic(g, order, n)},
		} {
			require.Equal(t, greedyByDefinition(x.kind, p, o), toInts(x.color), "%v", x.kind)
		}
	})
}

// Words, lists and bunches are three ways to remember the same.
func TestWordsListsAndBunchesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := withDenseRows(rapid.Uint64().Draw(t, "seed"), Star)
		n, _ := p.Dims()
		g, _ := adjacency(p)
		order := g.order(Random(rapid.Uint32().Draw(t, "order")))
		limit := rapid.SampledFrom([]int{3, 8, 64, n}).Draw(t, "limit")
		if color, ok := starOfWords(g, order, limit); ok {
			require.Equal(t, starOfBunches(g, order, limit), color)
		}
		if color, ok := distance2OfWords(p, p, order, limit); ok {
			require.Equal(t, distance2OfLists(p, p, order, limit), color)
		}
	})
}

// A net of more than 64 vertices is dense.
func TestDenseNetsFollowTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := withDenseRows(rapid.Uint64().Draw(t, "seed"), Column)
		_, n := p.Dims()
		pt := p.Transpose()
		order := netOrder(Random(rapid.Uint32().Draw(t, "order")), pt, p)
		color := make([]int32, n)
		for _, v := range order {
			forbidden := map[int32]bool{}
			for _, r := range pt.Row(int(v)) {
				for _, w := range p.Row(int(r)) {
					forbidden[color[w]] = true
				}
			}
			for color[v] = 1; forbidden[color[v]]; color[v]++ {
			}
		}
		require.Equal(t, color, distance2OfLists(pt, p, order, n))
	})
}

func toInts(x []int32) []int {
	y := make([]int, len(x))
	for i, v := range x {
		y[i] = int(v)
	}
	return y
}

func TestDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(allKinds).Draw(t, "kind")
		p := randomPattern(t, kind)
		require.Equal(t, vertexColors(New(kind, p)), vertexColors(New(kind, p)))
	})
}

func TestPortfolioKeepsTheFewestAndStopsAtTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(allKinds).Draw(t, "kind")
		p := randomPattern(t, kind)
		c := New(kind, p, allOrders...)
		trials := c.Trials()
		for k, x := range trials {
			require.Equal(t, allOrders[k], x.Order)
			require.Equal(t, New(kind, p, x.Order).Num(), x.Num)
			require.LessOrEqual(t, c.Num(), x.Num)
			require.LessOrEqual(t, c.LowerBound(), x.Num)
			require.Equal(t, k == len(trials)-1 && len(trials) < len(allOrders) || x.Num == c.LowerBound() && k == len(trials)-1,
				x.Num == c.LowerBound())
		}
		require.True(t, slices.ContainsFunc(trials, func(x Trial) bool { return x.Num == c.Num() }))
	})
}

// More colors than a word has bits, and exactly as many.
func TestColoringsOfManyColors(t *testing.T) {
	for _, n := range []int{63, 64, 65, 130} {
		// A complete graph, and a path after it that needs three colors.
		i, j := []int{}, []int{}
		for v := range n {
			for w := range v {
				i, j = append(i, v), append(j, w)
			}
		}
		for v := n; v < n+9; v++ {
			i, j = append(i, v), append(j, v-1)
		}
		p := symmetric(n+9, i, j).Union(sparsity.Diagonal(n + 9)) // no vertex is neutral
		for _, kind := range []Kind{Distance1, Star, Acyclic} {
			c := New(kind, p, Natural)
			require.NoError(t, c.Verify(p), "%v, n = %d", kind, n)
			require.Equal(t, n, c.Num(), "%v, n = %d", kind, n)
		}
	}
}
