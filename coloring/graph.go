package coloring

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/sparsity"
)

// A graph is an undirected graph in compressed rows: the neighbors of vertex v
// are adj[ptr[v]:ptr[v+1]], sorted. Every edge stands in the rows of both of
// its ends; there are no loops.
type graph struct {
	ptr, adj []int32

	ordered  []int32 // in the order last asked for
	lastUsed Order
}

func (g *graph) len() int { return len(g.ptr) - 1 }

func (g *graph) row(v int32) []int32 { return g.adj[g.ptr[v]:g.ptr[v+1]] }

func (g *graph) degree(v int32) int { return int(g.ptr[v+1] - g.ptr[v]) }

func (g *graph) maxDegree() int {
	d := 0
	for v := range int32(g.len()) {
		d = max(d, g.degree(v))
	}
	return d
}

// adjacency returns the graph of a pattern that is symmetric, whose edges are
// the entries off the diagonal, and for each vertex whether its diagonal entry
// is in the pattern.
func adjacency(p *sparsity.Pattern) (*graph, []bool) {
	n, _ := p.Dims()
	g := &graph{ptr: make([]int32, n+1), adj: make([]int32, 0, p.NNZ())}
	loop := make([]bool, n)
	for i := range n {
		for _, j := range p.Row(i) {
			if int(j) == i {
				loop[i] = true
			} else {
				g.adj = append(g.adj, j)
			}
		}
		g.ptr[i+1] = int32(len(g.adj))
	}
	return g, loop
}

// bipartite returns the graph of the matrix [0 Aᵀ; A 0]: vertex j is column j
// of A, vertex cols+i is row i. pt is the transpose of p, the pattern of A.
func bipartite(p, pt *sparsity.Pattern) *graph {
	rows, cols := p.Dims()
	if 2*p.NNZ() > math.MaxInt32 || rows+cols >= math.MaxInt32 {
		panic("coloring: pattern too large")
	}
	g := &graph{ptr: make([]int32, cols+rows+1), adj: make([]int32, 0, 2*p.NNZ())}
	for j := range cols {
		for _, i := range pt.Row(j) {
			g.adj = append(g.adj, int32(cols)+i)
		}
		g.ptr[j+1] = int32(len(g.adj))
	}
	for i := range rows {
		g.adj = append(g.adj, p.Row(i)...)
		g.ptr[cols+i+1] = int32(len(g.adj))
	}
	return g
}

// reverse returns for the place k of each edge (v, w) in adj the place of
// (w, v). Rows taken in order meet the entries of row w in their order.
func (g *graph) reverse() []int32 {
	rev := make([]int32, len(g.adj))
	next := append([]int32(nil), g.ptr[:g.len()]...)
	for k, w := range g.adj {
		rev[k] = next[w]
		next[w]++
	}
	return rev
}

// several returns for the place k of each edge (v, w) in adj whether v has other
// neighbors of the color of w. Neutral is no color here.
func (g *graph) several(color []int32) []bool {
	several := make([]bool, len(g.adj))
	times := make([]int32, count(color)+1)
	for v := range int32(g.len()) {
		row := g.row(v)
		for _, w := range row {
			times[color[w]]++
		}
		times[0] = 0
		for i, w := range row {
			several[int(g.ptr[v])+i] = times[color[w]] > 1
		}
		for _, w := range row {
			times[color[w]] = 0
		}
	}
	return several
}

func checkSymmetric(p *sparsity.Pattern) {
	rows, cols := p.Dims()
	if rows != cols {
		panic(fmt.Sprintf("coloring: pattern is not square: %d×%d", rows, cols))
	}
	if p.IsSymmetric() {
		return
	}
	for i := range rows {
		for _, j := range p.Row(i) {
			if !p.Has(int(j), i) {
				panic(fmt.Sprintf("coloring: pattern is not symmetric: it has (%d, %d) but not (%d, %d)", i, j, j, i))
			}
		}
	}
}
