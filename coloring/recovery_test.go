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
					requireRecovers(t, c, nil)
					if kind.symmetric() {
						requireRecovers(t, c, p.Lower())
						requireRecovers(t, c, p.Upper())
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
				requireRecovers(t, New(kind, p), sparsity.FromCoordinates(m, n, i, j))
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
		requireRecovers(t, New(Acyclic, p), sparsity.FromCoordinates(n, n, i, j))
	})
}

// A path in two colors is the deepest tree: rooted at its center, half of it is
// below.
func TestTreesAreRootedAtTheCenter(t *testing.T) {
	for n := 2; n < 20; n++ {
		c := New(Acyclic, sparsity.Banded(n, 1, 1))
		require.Equal(t, 2, c.Num())
		r := c.Recovery(nil)
		require.Equal(t, max(0, n/2-1), r.Depth(), "path of %d vertices", n)
		requireRecovers(t, c, nil)
	}
	// a complete binary tree, its root the vertex 0
	const n = 127
	var i, j []int
	for v := range n {
		i, j = append(i, v, v), append(j, v, max(0, (v-1)/2))
	}
	c := New(Acyclic, symmetric(n, i, j))
	require.Equal(t, 2, c.Num())
	require.Equal(t, bits.Len(n)-2, c.Recovery(nil).Depth())
}

func TestStarRecoveryIsDirect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, kind := range []Kind{Star, StarBicoloring} {
			r := New(kind, randomPattern(t, kind)).Recovery(nil)
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
		c := New(kind, p)
		r := c.Recovery(nil)
		vals := make([]float64, p.NNZ())
		b := make([]float64, n)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			for k := range c.Columns().Num() {
				r.GatherColumns(vals, k, b)
			}
			for k := range c.Rows().Num() {
				r.GatherRows(vals, k, b)
			}
			r.Finish(vals)
		}), "%v", kind)
	}
}

func TestRecoveryIsSafeForConcurrentUse(t *testing.T) {
	p := sparsity.BoxStencil(20, 20)
	c := New(Acyclic, p)
	a := randomMatrix(p, Acyclic, 1)
	r := c.Recovery(nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			// one matrix, its products gathered by different goroutines
			vals := make([]float64, p.NNZ())
			var products sync.WaitGroup
			for k := range c.Columns().Num() {
				products.Go(func() { r.GatherColumns(vals, k, a.product(c.Columns(), false, k)) })
			}
			products.Wait()
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
	requireRecovers(t, c, nil)
	// Colors may be left out; their products are zero.
	c, err = FromColors(Acyclic, p, []int{0, 3, 0, 3}, nil)
	require.NoError(t, err)
	require.Equal(t, 4, c.Num())
	require.Empty(t, c.Columns().Class(1))
	requireRecovers(t, c, nil)
}
