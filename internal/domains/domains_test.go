package domains

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
)

// randomGraph draws nodes with up to three arguments, recent ones half of the
// time, so that some sets are nested and some are not.
func randomGraph(draw func(lo, hi int) int, inputs, nodes int) *Graph {
	g := New(inputs)
	for range nodes {
		n := g.nodes()
		pick := func() int32 {
			lo := 0
			if draw(0, 1) > 0 {
				lo = max(0, n-3)
			}
			return int32(draw(lo, n-1))
		}
		for range draw(0, 3) {
			g.Link(pick())
		}
		for range draw(0, 2) {
			g.Curve(int32(n), pick(), pick())
		}
		g.Node()
	}
	return g
}

// reached is, for each node, the inputs that links lead to.
func (g *Graph) reached() [][]bool {
	r := make([][]bool, g.nodes())
	for i := range r {
		r[i] = make([]bool, g.inputs)
		if i < g.inputs {
			r[i][i] = true
		}
		for _, a := range g.links(int32(i)) {
			for k, in := range r[a] {
				r[i][k] = r[i][k] || in
			}
		}
	}
	return r
}

func numbers(in []bool) (e []int32) {
	for k, in := range in {
		if in {
			e = append(e, int32(k))
		}
	}
	return e
}

func (d *sets) elements(s int32) (e []int32) {
	for ; s >= 0; s = d.set[s].parent {
		e = append(e, d.own(s)...)
	}
	slices.Sort(e)
	return e
}

// onGraphs runs a check on graphs that shrink, and on large ones, of more than a
// word of inputs and targets.
func onGraphs(t *testing.T, check func(t require.TestingT, g *Graph, draw func(lo, hi int) int)) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "choice") }
		check(t, randomGraph(draw, draw(1, 12), draw(0, 30)), draw)
	})
	for _, inputs := range []int{20, 63, 64, 65, 128, 150} {
		r := rand.New(rand.NewPCG(1, uint64(inputs)))
		draw := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
		check(t, randomGraph(draw, inputs, 300), draw)
	}
}

// Sets that would take too long are found in another way: force it.
func TestBothWaysFindWhatLinksReach(t *testing.T) {
	onGraphs(t, func(t require.TestingT, g *Graph, draw func(lo, hi int) int) {
		target := make([]bool, g.nodes())
		odds := []int{1, 3, 50}[draw(0, 2)]
		for i := range target {
			target[i] = draw(1, odds) == 1
		}
		want := g.reached()
		for _, limit := range []int{math.MaxInt, -1} {
			d := g.dependencies(target, limit)
			for i, is := range target {
				if is {
					require.Equal(t, numbers(want[i]), d.elements(d.of[i]))
					require.EqualValues(t, len(d.elements(d.of[i])), d.set[d.of[i]].size)
				}
			}
		}
	})
}

func TestHessiansAreTheProductsOfDomains(t *testing.T) {
	onGraphs(t, func(t require.TestingT, g *Graph, draw func(lo, hi int) int) {
		outputs := []int32{int32(draw(0, g.nodes()-1)), int32(draw(0, g.nodes()-1)), -1}
		live := make([]bool, g.nodes())
		for i := g.nodes() - 1; i >= 0; i-- {
			live[i] = live[i] || slices.Contains(outputs, int32(i))
			for _, a := range g.links(int32(i)) {
				live[a] = live[a] || live[i]
			}
		}
		in := make([][]bool, g.inputs)
		for i := range in {
			in[i] = make([]bool, g.inputs)
		}
		reached := g.reached()
		for _, c := range g.curved {
			for _, i := range numbers(reached[c.a]) {
				for _, j := range numbers(reached[c.b]) {
					if live[c.node] {
						in[i][j], in[j][i] = true, true
					}
				}
			}
		}
		p := g.Hessian(outputs)
		for i := range in {
			require.Equal(t, numbers(in[i]), append([]int32(nil), p.Row(i)...), i)
		}
	})
}

func TestEqualSetsAreStoredOnce(t *testing.T) {
	d := newSets(New(30))
	list := func(lo, hi int32) (e []int32) {
		for k := hi - 1; k >= lo; k-- {
			e = append(e, k)
		}
		return e
	}
	a, b := d.intern(list(0, 20)), d.intern(list(1, 21))
	require.NotEqual(t, a, b)
	up := slices.Clone(list(0, 20))
	slices.Sort(up)
	require.Equal(t, a, d.intern(up))
	require.Equal(t, b, d.union([]int32{b, 3, 4, 1}))
	require.Equal(t, d.union([]int32{a, b}), d.union([]int32{b, a}))
	require.Equal(t, a, d.union([]int32{d.intern(list(0, 10)), d.intern(list(5, 20))}))
	require.NotEqual(t, a, d.intern(list(0, 19)))
}

// Two sets with one hash would be one set, and nonzeros missed, if hashes alone
// were compared.
func TestSetsWithOneHashAreToldApart(t *testing.T) {
	d := newSets(New(40))
	a := make([]int32, 20)
	h := uint64(0)
	for k := range a {
		a[k] = int32(k)
		h += hashOf(int32(k))
	}
	for _, other := range [][]int32{numbers(slices.Repeat([]bool{false, true}, 20)), numbers(slices.Repeat([]bool{true}, 30))} {
		d.byHash[h] = d.intern(other)
		require.Equal(t, a, d.elements(d.intern(a)))
	}
}

// A chain of sets takes the memory of its elements, not of its sets.
func TestNestedSetsShareTheirElements(t *testing.T) {
	const n = 1000
	g := New(n)
	target := make([]bool, n)
	s := int32(0)
	for k := int32(1); k < n; k++ {
		g.Link(s)
		g.Link(k)
		s = g.Node()
		target = append(target, true)
	}
	d := g.dependencies(target, math.MaxInt)
	require.EqualValues(t, n, d.set[d.of[s]].size)
	require.Len(t, d.elems, n+n-1) // each input as a set of its own, and where it joins
}
