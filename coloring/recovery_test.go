package coloring

import (
	"fmt"
	"math/bits"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

func TestRecoveryIsExact(t *testing.T) {
	for _, kind := range []Kind{Column, Row, Distance2, Star, Acyclic, StarBicoloring, AcyclicBicoloring} {
		for _, o := range allOrders {
			t.Run(fmt.Sprintf("%v/%v", kind, o), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					p := drawPattern(t, kind)
					if rapid.IntRange(0, 9).Draw(t, "size") == 0 {
						p = withDenseRows(rapid.Uint64().Draw(t, "seed"), kind)
					}
					c := New(kind, p, o)
					for _, lanes := range []int{1, 4, 8} {
						requireRecovers(t, c, nil, lanes)
						if kind.symmetric() {
							requireRecovers(t, c, p.Lower(), lanes)
							requireRecovers(t, c, p.Upper(), lanes)
						}
					}
				})
			})
		}
	}
}

func TestRecoveryOfAPart(t *testing.T) {
	for _, kind := range []Kind{Column, Row, Distance2, Star, StarBicoloring} {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawPattern(t, kind)
				m, n := p.Dims()
				var i, j []int
				for r := range m {
					for _, c := range p.Row(r) {
						if rapid.Bool().Draw(t, "keep") {
							i, j = append(i, r), append(j, int(c))
						}
					}
				}
				requireRecovers(t, New(kind, p), sparsity.FromCoordinates(m, n, i, j), 4)
			})
		})
	}
}

// For acyclic kinds one of (i, j) and (j, i) is enough.
func TestRecoveryOfAMixedTriangle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPattern(t, Acyclic)
		n, _ := p.Dims()
		var i, j []int
		for r := range n {
			for _, c := range p.Row(r) {
				if int(c) <= r {
					which := rapid.IntRange(0, 2).Draw(t, "which")
					if which != 0 || int(c) == r {
						i, j = append(i, r), append(j, int(c))
					}
					if which != 1 {
						i, j = append(i, int(c)), append(j, r)
					}
				}
			}
		}
		requireRecovers(t, New(Acyclic, p), sparsity.FromCoordinates(n, n, i, j), 4)
	})
}

// A path in two colors is the deepest tree: rooted at its center, half of it is
// below.
func TestTreesAreRootedAtTheCenter(t *testing.T) {
	for n := 2; n < 20; n++ {
		c := New(Acyclic, sparsity.Banded(n, 1, 1))
		require.Equal(t, 2, c.Num())
		r := c.Recovery(nil, 4)
		require.Equal(t, max(0, n/2-1), r.Depth(), "path of %d vertices", n)
		requireRecovers(t, c, nil, 4)
	}
	// a complete binary tree, its root the vertex 0
	const n = 127
	var i, j []int
	for v := range n {
		i, j = append(i, v, v), append(j, v, max(0, (v-1)/2))
	}
	c := New(Acyclic, symmetric(n, i, j))
	require.Equal(t, 2, c.Num())
	require.Equal(t, bits.Len(n)-2, c.Recovery(nil, 4).Depth())
}

func TestStarRecoveryIsDirect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, kind := range []Kind{Star, StarBicoloring} {
			r := New(kind, randomPattern(t, kind)).Recovery(nil, 4)
			require.Zero(t, r.Depth())
			require.Empty(t, r.dst)
			require.Empty(t, r.mirror)
		}
	})
}

func TestRecoveryAllocatesNothing(t *testing.T) {
	for _, kind := range []Kind{Column, Row, Star, Acyclic, StarBicoloring, AcyclicBicoloring} {
		p := sparsity.BoxStencil(10, 10)
		n, _ := p.Dims()
		r := New(kind, p).Recovery(nil, 4)
		vals := make([]float64, p.NNZ())
		b := make([]float64, 4*n)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			for t := range r.ColumnChunks() {
				r.GatherColumns(vals, t, b)
			}
			for t := range r.RowChunks() {
				r.GatherRows(vals, t, b)
			}
			r.Finish(vals)
		}), "%v", kind)
	}
}

func TestRecoveryIsSafeForConcurrentUse(t *testing.T) {
	p := sparsity.BoxStencil(20, 20)
	c := New(Acyclic, p)
	a := randomMatrix(p, Acyclic, 1)
	r := c.Recovery(nil, 1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			// one matrix, its chunks gathered by different goroutines
			vals := make([]float64, p.NNZ())
			var chunks sync.WaitGroup
			for k := range r.ColumnChunks() {
				chunks.Go(func() { r.GatherColumns(vals, k, a.chunk(c.Columns(), false, k, 1)) })
			}
			chunks.Wait()
			r.Finish(vals)
			if fmt.Sprint(vals) != fmt.Sprint(a.vals) {
				t.Error("not recovered")
			}
		})
	}
	wg.Wait()
}

func TestRecoveryFromGivenColors(t *testing.T) {
	p := parse("1100", "1110", "0111", "0011")
	c, err := FromColors(Star, p, []int{0, 1, 2, 0}, nil)
	require.NoError(t, err)
	require.Equal(t, 3, c.Num())
	require.Empty(t, c.Trials())
	require.Equal(t, 3, c.LowerBound())
	requireRecovers(t, c, nil, 2)
	// Colors may be left out; their products are zero.
	c, err = FromColors(Acyclic, p, []int{0, 3, 0, 3}, nil)
	require.NoError(t, err)
	require.Equal(t, 4, c.Num())
	require.Empty(t, c.Columns().Class(1))
	requireRecovers(t, c, nil, 2)
}
