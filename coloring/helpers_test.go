package coloring

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// The same patterns in each run: a change and not luck makes a test fail.
func init() { flag.Set("rapid.seed", "1") }

var (
	allKinds  = []Kind{Column, Row, Distance1, Distance2, Star, Acyclic, StarBicoloring, AcyclicBicoloring}
	allOrders = func() []Order {
		var all []Order
		for o := range orderNames {
			all = append(all, Order(o))
		}
		return append(all, Random(1))
	}()
)

// parse returns the pattern whose rows are words of 0 and 1 (or any other
// character for an entry).
func parse(rows ...string) *sparsity.Pattern {
	var i, j []int
	for r, row := range rows {
		for c, x := range row {
			if x != '0' {
				i = append(i, r)
				j = append(j, c)
			}
		}
	}
	return sparsity.FromCoordinates(len(rows), len(rows[0]), i, j)
}

// symmetric returns the n×n pattern of the edges (i, j) and (j, i).
func symmetric(n int, i, j []int) *sparsity.Pattern {
	return sparsity.FromCoordinates(n, n, slices.Concat(i, j), slices.Concat(j, i))
}

// drawPattern draws a small pattern for the kind, with diagonal entries or
// without, sometimes with rows and columns that are dense.
func drawPattern(t *rapid.T, kind Kind) *sparsity.Pattern {
	m := rapid.IntRange(0, 14).Draw(t, "rows")
	n := m
	if !kind.symmetric() {
		n = rapid.IntRange(0, 14).Draw(t, "columns")
	}
	var i, j []int
	if m > 0 && n > 0 {
		for _, e := range rapid.SliceOfN(rapid.IntRange(0, m*n-1), 0, 50).Draw(t, "entries") {
			i = append(i, e/n)
			j = append(j, e%n)
		}
		for _, r := range rapid.SliceOfN(rapid.IntRange(0, m-1), 0, 2).Draw(t, "dense rows") {
			for c := range n {
				i = append(i, r)
				j = append(j, c)
			}
		}
	}
	if !kind.symmetric() {
		return sparsity.FromCoordinates(m, n, i, j)
	}
	if rapid.Bool().Draw(t, "full diagonal") {
		for k := range n {
			i = append(i, k)
			j = append(j, k)
		}
	}
	return symmetric(n, i, j)
}

// withDenseRows returns a pattern with a few entries in each row and some rows,
// and as many columns, with half of the entries, so that greedy colorings take
// more than 64 colors and meet hubs.
func withDenseRows(seed uint64, kind Kind) *sparsity.Pattern {
	r := rand.New(rand.NewPCG(seed, 1))
	m, n := 60+r.IntN(200), 60+r.IntN(200)
	if kind.symmetric() {
		n = m
	}
	var i, j []int
	for range 2 * m {
		i = append(i, r.IntN(m))
		j = append(j, r.IntN(n))
	}
	for range r.IntN(5) {
		row := r.IntN(m)
		for c := range n {
			if r.IntN(2) == 0 {
				i = append(i, row)
				j = append(j, c)
			}
		}
	}
	if kind.symmetric() {
		return symmetric(n, i, j)
	}
	for range r.IntN(3) {
		column := r.IntN(n)
		for row := range m {
			if r.IntN(2) == 0 {
				i = append(i, row)
				j = append(j, column)
			}
		}
	}
	return sparsity.FromCoordinates(m, n, i, j)
}

// randomPattern is drawPattern or withDenseRows.
func randomPattern(t *rapid.T, kind Kind) *sparsity.Pattern {
	if rapid.IntRange(0, 4).Draw(t, "size") == 4 {
		return withDenseRows(rapid.Uint64().Draw(t, "seed"), kind)
	}
	return drawPattern(t, kind)
}

// show is a pattern in the form that parse reads.
func show(p *sparsity.Pattern) string {
	m, n := p.Dims()
	s := fmt.Sprintf("%d×%d", m, n)
	for i := range m {
		row := slices.Repeat([]byte{'0'}, n)
		for _, j := range p.Row(i) {
			row[j] = '1'
		}
		s += " " + string(row)
	}
	return s
}

// vertexColors returns the colors of columns followed by those of rows, counted
// from 1, as the definitions here do.
func vertexColors(c *Coloring) []int {
	return shifted(slices.Concat(c.Columns().Colors(), c.Rows().Colors()), 1)
}

// shifted turns colors from 0 into colors from 1 and back, by 1 or −1.
func shifted(colors []int, by int) []int {
	s := make([]int, len(colors))
	for v, c := range colors {
		s[v] = c + by
	}
	return s
}

// The definitions, by looking at all paths and cycles. Color 0 is no color.

func neighborsOf(p *sparsity.Pattern, v int) []int {
	var w []int
	for _, x := range p.Row(v) {
		if int(x) != v {
			w = append(w, int(x))
		}
	}
	return w
}

func isDistance1(p *sparsity.Pattern, color []int) bool {
	for v := range color {
		for _, w := range neighborsOf(p, v) {
			if color[v] != 0 && color[v] == color[w] {
				return false
			}
		}
	}
	return true
}

func isDistance2(p *sparsity.Pattern, color []int) bool {
	for v := range color {
		for _, w := range neighborsOf(p, v) {
			for _, x := range neighborsOf(p, w) {
				if x != v && color[v] != 0 && color[v] == color[x] {
					return false
				}
			}
		}
	}
	return isDistance1(p, color)
}

func isStar(p *sparsity.Pattern, color []int) bool {
	for b := range color {
		for _, c := range neighborsOf(p, b) {
			for _, a := range neighborsOf(p, b) {
				for _, d := range neighborsOf(p, c) {
					if a != c && d != b && a != d && color[a] != 0 && color[b] != 0 &&
						color[a] == color[c] && color[b] == color[d] {
						return false
					}
				}
			}
		}
	}
	return isDistance1(p, color)
}

// isAcyclic takes vertices with at most one neighbor out of the graph of each
// pair of colors until none is left.
func isAcyclic(p *sparsity.Pattern, color []int) bool {
	k := 0
	for _, c := range color {
		k = max(k, c)
	}
	for c := 1; c <= k; c++ {
		for d := 1; d < c; d++ {
			in := make([]bool, len(color))
			for v := range in {
				in[v] = color[v] == c || color[v] == d
			}
			for changed := true; changed; {
				changed = false
				for v := range in {
					degree := 0
					for _, w := range neighborsOf(p, v) {
						if in[w] {
							degree++
						}
					}
					if in[v] && degree < 2 {
						in[v] = false
						changed = true
					}
				}
			}
			if slices.Contains(in, true) {
				return false
			}
		}
	}
	return isDistance1(p, color)
}

func isColumn(p *sparsity.Pattern, color []int) bool {
	m, _ := p.Dims()
	for i := range m {
		for a, j := range p.Row(i) {
			for _, k := range p.Row(i)[:a] {
				if color[j] != 0 && color[j] == color[k] {
					return false
				}
			}
		}
	}
	return true
}

// isColoring is the definition of a one-sided kind.
func isColoring(kind Kind, p *sparsity.Pattern, color []int) bool {
	switch kind {
	case Column:
		return isColumn(p, color)
	case Row:
		return isColumn(p.Transpose(), color)
	case Distance1:
		return isDistance1(p, color)
	case Distance2:
		return isDistance2(p, color)
	case Star:
		return isStar(p, color)
	case Acyclic:
		return isAcyclic(p, color)
	}
	panic("no definition")
}

// A matrix is a pattern with small integers as values, so that sums are exact.
type matrix struct {
	p    *sparsity.Pattern
	vals []float64
}

func randomMatrix(p *sparsity.Pattern, kind Kind, seed uint64) matrix {
	r := rand.New(rand.NewPCG(seed, 2))
	a := matrix{p, make([]float64, p.NNZ())}
	for e := range a.vals {
		a.vals[e] = float64(1 + r.IntN(1<<20))
	}
	if kind == Star || kind == Acyclic {
		n, _ := p.Dims()
		for i := range n {
			for _, j := range p.Row(i) {
				a.vals[p.Position(int(j), i)] = a.vals[p.Position(i, int(j))]
			}
		}
	}
	return a
}

// product returns the product of A, or of its transpose, with the seed of color k.
func (a matrix) product(s *Classes, transposed bool, k int) []float64 {
	m, n := a.p.Dims()
	if transposed {
		m, n = n, m
	}
	b := make([]float64, m)
	seed := s.Seed(nil, k)
	e := 0
	for i := range len(a.p.RowPtr()) - 1 {
		for _, j := range a.p.Row(i) {
			row, column := i, int(j)
			if transposed {
				row, column = column, row
			}
			b[row] += a.vals[e] * seed[column]
			e++
		}
	}
	return b
}

// recovered runs a recovery of a.
func recovered(a matrix, c *Coloring, r *Recovery, nvals int) []float64 {
	vals := slices.Repeat([]float64{math.Inf(1)}, nvals)
	for k := range c.Rows().Num() {
		r.GatherRows(vals, k, a.product(c.Rows(), true, k))
	}
	for k := range c.Columns().Num() {
		r.GatherColumns(vals, k, a.product(c.Columns(), false, k))
	}
	r.Finish(vals)
	return vals
}

// requireRecovers checks that the values of target come out exactly.
func requireRecovers(t require.TestingT, c *Coloring, target *sparsity.Pattern) {
	if h, ok := t.(*testing.T); ok {
		h.Helper()
	}
	p := c.Pattern()
	a := randomMatrix(p, c.Kind(), 1)
	r := c.Recovery(target)
	if target == nil {
		target = p
	}
	vals := recovered(a, c, r, target.NNZ())
	m, _ := p.Dims()
	e := 0
	for i := range m {
		for _, j := range target.Row(i) {
			if want := a.vals[p.Position(i, int(j))]; vals[e] != want {
				require.Failf(t, "not recovered", "entry (%d, %d) is %v, got %v by %v, colors %v, of %v",
					i, j, want, vals[e], c, vertexColors(c), show(p))
			}
			e++
		}
	}
}
