package coloring

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/sparsity"
)

// withHubs runs star or acyclic in the order o and again with the hubs apart,
// and returns the coloring with fewer colors, nil if both need more than limit.
// With no more than least colors it looks no further.
//
// A greedy coloring that meets two hubs early may give them one color, and then
// all their common neighbors need different ones. Hubs are colored apart so
// that none has the color of another within distance 2 nor of a vertex that is
// not a hub. Then a vertex has at most one neighbor of a hub's color, so that
// this color lies on no two-colored path of four vertices and no two-colored
// cycle: the rest is colored as if the hubs were not there.
//
// Hubs are the vertices with more than 16 neighbors that have more than √(2m) or
// more than eight times the mean. So what remains is cheap. On graphs with
// degrees of all sizes (preferential attachment) the worst orders need half the
// colors that they need with √(2m) alone; four times the mean did worse. The run
// with hubs in place gives up at the number of colors of the other one, which
// bounds its cost.
func withHubs(g *graph, o Order, greedy greedy, limit, least int) []int32 {
	apart := hubsApart(g, o, greedy, limit)
	if apart != nil {
		if k := count(apart); k > limit {
			apart = nil
		} else if k <= least {
			return apart
		} else {
			limit = k
		}
	}
	if color := greedy(g, g.order(o), limit); color != nil {
		return color
	}
	return apart
}

// A greedy is star or acyclic.
type greedy func(g *graph, order []int32, limit int) []int32

// hubsApart returns nil if there are no hubs or the rest needs more than limit
// colors.
func hubsApart(g *graph, o Order, greedy greedy, limit int) []int32 {
	hubs, isHub := g.hubs()
	if hubs == nil {
		return nil
	}
	rest := g.without(isHub)
	color := greedy(rest, rest.order(o), limit)
	if color == nil {
		return nil
	}
	shift := int32(0)
	for v, c := range color {
		if !isHub[v] {
			shift = max(shift, c)
		}
	}
	for i, c := range hubColors(g, hubs) {
		color[hubs[i]] = shift + c
	}
	return color
}

// hubs returns the hubs, and for each vertex whether it is one.
func (g *graph) hubs() (hubs []int32, isHub []bool) {
	n, m2 := g.len(), len(g.adj)
	least := max(16, min(int(math.Sqrt(float64(m2))), 8*m2/max(n, 1)))
	isHub = make([]bool, n)
	for v := range int32(n) {
		if g.degree(v) > least {
			hubs = append(hubs, v)
			isHub[v] = true
		}
	}
	return hubs, isHub
}

// without returns the graph with the same vertices, but without the edges of some.
func (g *graph) without(omitted []bool) *graph {
	rest := &graph{ptr: make([]int32, len(g.ptr)), adj: make([]int32, 0, len(g.adj))}
	for v := range int32(g.len()) {
		if !omitted[v] {
			for _, w := range g.row(v) {
				if !omitted[w] {
					rest.adj = append(rest.adj, w)
				}
			}
		}
		rest.ptr[v+1] = int32(len(rest.adj))
	}
	return rest
}

// hubColors returns colors of the hubs that differ within distance 2: two hubs are
// that near if a vertex has both in its neighborhood, itself included, which is a net.
func hubColors(g *graph, hubs []int32) []int32 {
	ptr, idx := make([]int32, len(hubs)+1), []int32(nil)
	natural := make([]int32, len(hubs))
	for i, h := range hubs {
		row := g.row(h)
		k, _ := slices.BinarySearch(row, h)
		idx = append(append(append(idx, row[:k]...), h), row[k:]...)
		ptr[i+1] = int32(len(idx))
		natural[i] = int32(i)
	}
	of := sparsity.NewPattern(len(hubs), g.len(), ptr, idx)
	return partialDistance2(of, of.Transpose(), natural, math.MaxInt)
}
