package coloring

import (
	"fmt"
	"slices"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/sparsity"
)

// A Recovery reads the values of a matrix A out of its products with the seeds
// of a coloring. All of its work was laid out when it was made: an evaluation
// is one gather of indexed values for each product and, for acyclic colorings,
// one list of subtractions. It needs no memory of its own, so any number of
// goroutines may use one.
//
//	for k := range c.Columns().Num() { /* b = A·s_k  */; r.GatherColumns(vals, k, b) }
//	for k := range c.Rows().Num()    { /* b = Aᵀ·s_k */; r.GatherRows(vals, k, b) }
//	r.Finish(vals)
//
// Products may come in any order, and from several goroutines at once: no two
// write the same value.
type Recovery struct {
	nvals         int
	columns, rows gather
	// The substitution: vals[dst] −= vals[src], in this order.
	dst, src []int32
	// Values with a mirror image, and that image, set after the substitution.
	original, mirror []int32
	depth            int
}

// A gather says what to read from the product of each color k:
// vals[pos[e]] = b[src[e]] for ptr[k] ≤ e < ptr[k+1].
type gather struct {
	length        int // of b
	ptr, pos, src []int32
}

// Recovery returns the recovery of the values of target in CSR order. target is
// a part of the colored pattern, nil for all of it; for Star and Acyclic it may
// be the lower or upper triangle. Acyclic kinds substitute values into each
// other, so for them target must have at least one of each pair (i, j), (j, i)
// off the diagonal, AcyclicBicoloring every entry.
//
// It panics if target has positions outside the pattern or lacks one it must
// have, or if the kind is Distance1. O(nnz) time and memory.
func (c *Coloring) Recovery(target *sparsity.Pattern) *Recovery {
	p := c.pattern
	if target == nil {
		target = p
	}
	m, n := p.Dims()
	if tm, tn := target.Dims(); tm != m || tn != n {
		panic(fmt.Sprintf("coloring: recovery of a %d×%d pattern from the coloring of a %d×%d one", tm, tn, m, n))
	}
	r := &Recovery{nvals: target.NNZ()}
	columns := newReading(r.nvals, m, c.columns.Num())
	rows := newReading(r.nvals, n, c.rows.Num())
	switch c.kind {
	case Distance1:
		panic("coloring: nothing can be recovered from a distance-1 coloring")
	case Column, Row, Distance2:
		r.orthogonal(c, target, columns, rows)
	case Star, Acyclic:
		r.symmetric(c, target, columns)
	default:
		r.bicoloring(c, target, columns, rows)
	}
	r.columns = columns.gather()
	r.rows = rows.gather()
	if len(r.columns.pos)+len(r.rows.pos)+len(r.mirror) != r.nvals {
		panic("coloring: target has positions outside the colored pattern")
	}
	return r
}

// Depth returns the length of the longest chain of subtractions that leads to a
// value: 0 if all are read directly. A value is the sum, with signs, of as many
// values of b as there are edges below it in its tree, and one more, so at worst
// their errors add up.
func (r *Recovery) Depth() int { return r.depth }

// GatherColumns stores in vals all values that can be read from b = A·s, the
// product with the seed of column color k, with an element for each row. It
// panics if k is out of range or a length is wrong. It allocates nothing.
func (r *Recovery) GatherColumns(vals []float64, k int, b []float64) {
	r.gather(&r.columns, vals, k, b)
}

// GatherRows stores in vals all values that can be read from b = Aᵀ·s, the
// product with the seed of row color k, with an element for each column. It
// panics if k is out of range or a length is wrong. It allocates nothing.
func (r *Recovery) GatherRows(vals []float64, k int, b []float64) {
	r.gather(&r.rows, vals, k, b)
}

func (r *Recovery) gather(g *gather, vals []float64, k int, b []float64) {
	if k < 0 || k+1 >= len(g.ptr) {
		panic("coloring: color out of range")
	}
	if len(vals) != r.nvals || len(b) != g.length {
		panic("coloring: recovery with wrong lengths")
	}
	lo, hi := g.ptr[k], g.ptr[k+1]
	pos := g.pos[lo:hi]
	src := g.src[lo:hi]
	src = src[:len(pos)]
	for e, at := range pos {
		vals[at] = b[src[e]]
	}
}

// Finish substitutes, after all products were gathered; for kinds that are read
// directly it does nothing. It panics if the length of vals is wrong. It
// allocates nothing.
func (r *Recovery) Finish(vals []float64) {
	if len(vals) != r.nvals {
		panic("coloring: recovery with wrong lengths")
	}
	src := r.src[:len(r.dst)]
	for e, k := range r.dst {
		vals[k] -= vals[src[e]]
	}
	original := r.original[:len(r.mirror)]
	for e, k := range r.mirror {
		vals[k] = vals[original[e]]
	}
}

// Transpose is the transpose of Finish, which begins the transpose of a recovery: since that
// is linear in the products bₖ, there are wₖ with Σₑ vals[e]·value e = Σₖ wₖᵀbₖ. After
// Transpose(vals) ScatterColumns adds them to vectors, color by color. Otherwise as Finish.
func (r *Recovery) Transpose(vals []float64) {
	if len(vals) != r.nvals {
		panic("coloring: recovery with wrong lengths")
	}
	for e, k := range r.mirror {
		vals[r.original[e]] += vals[k]
	}
	for e, k := range slices.Backward(r.dst) {
		vals[r.src[e]] -= vals[k]
	}
}

// ScatterColumns adds wₖ of Transpose to b, with an element for each row: the transpose of
// GatherColumns.
func (r *Recovery) ScatterColumns(b []float64, k int, vals []float64) {
	if len(vals) != r.nvals || len(b) != r.columns.length {
		panic("coloring: recovery with wrong lengths")
	}
	for e := r.columns.ptr[k]; e < r.columns.ptr[k+1]; e++ {
		b[r.columns.src[e]] += vals[r.columns.pos[e]]
	}
}

// Substitution returns what Finish does: vals[dst[e]] −= vals[src[e]] for each e in
// order, then vals[image[e]] = vals[original[e]]. They are not to be changed. O(1).
func (r *Recovery) Substitution() (dst, src, image, original []int32) {
	return r.dst, r.src, r.mirror, r.original
}

// A reading collects, for each value, the color and the row of the product that
// it is read from.
type reading struct {
	length, colors int
	color          []int32 // from 0; −1: not from here
	row            []int32
}

func newReading(nvals, length, colors int) *reading {
	d := &reading{length: length, colors: colors}
	if colors > 0 {
		d.color = slices.Repeat([]int32{-1}, nvals)
		d.row = make([]int32, nvals)
	}
	return d
}

// read has value e read from a row of the product with the seed of color c.
func (d *reading) read(e, row, c int32) {
	d.color[e] = c - 1
	d.row[e] = row
}

// drop has value e not read.
func (d *reading) drop(e int32) {
	if d != nil && d.color != nil {
		d.color[e] = -1
	}
}

// gather sorts the values by color, within one by their place.
func (d *reading) gather() gather {
	pos, ptr := bucket.Sort(d.color, d.colors)
	g := gather{length: d.length, ptr: ptr, pos: pos, src: make([]int32, len(pos))}
	for e, at := range pos {
		g.src[e] = d.row[at]
	}
	return g
}

// orthogonal reads each entry by the color of its column, or for Row of its row.
func (r *Recovery) orthogonal(c *Coloring, target *sparsity.Pattern, columns, rows *reading) {
	m, _ := target.Dims()
	ptr := target.RowPtr()
	slot := make([]int32, longestRow(c.pattern))
	for i := range m {
		row := c.pattern.Row(i)
		places(slot, row, target.Row(i), ptr[i])
		for k, j := range row {
			switch e := slot[k]; {
			case e < 0:
			case c.kind == Row:
				rows.read(e, j, c.rows.color[i])
			default:
				columns.read(e, int32(i), c.columns.color[j])
			}
		}
	}
}

// A layout makes the recovery for star and acyclic colorings of a graph, that of
// a symmetric pattern or of [0 Aᵀ; A 0].
type layout struct {
	g     *graph
	color []int32
	slot  []int32 // places of the edges among the values, −1 for none
	// The vertices below cols are columns, those from row on are rows (all of
	// a symmetric pattern are both); shift was added to the colors of rows.
	cols, row, shift int32
	columns, rows    *reading
}

// read has value e, the edge between child and parent, read in the row of child
// by the color of parent.
func (l *layout) read(e, child, parent int32) {
	if parent < l.cols {
		l.columns.read(e, child-l.row, l.color[parent])
	} else {
		l.rows.read(e, child, l.color[parent]-l.shift)
	}
}

// symmetric reads diagonal entries by their own colors.
func (r *Recovery) symmetric(c *Coloring, target *sparsity.Pattern, columns *reading) {
	g, loop := adjacency(c.pattern)
	n := int32(g.len())
	l := &layout{g, c.columns.color, make([]int32, len(g.adj)), n, 0, 0, columns, nil}
	ptr := target.RowPtr()
	for v := range n {
		wanted := target.Row(int(v))
		places(l.slot[g.ptr[v]:], g.row(v), wanted, ptr[v])
		if loop[v] {
			if k, ok := slices.BinarySearch(wanted, v); ok {
				columns.read(ptr[v]+int32(k), v, l.color[v])
			}
		}
	}
	r.edges(l, c.kind == Acyclic)
}

func (r *Recovery) bicoloring(c *Coloring, target *sparsity.Pattern, columns, rows *reading) {
	m, n := c.pattern.Dims()
	g := bipartite(c.pattern, c.pattern.Transpose())
	l := &layout{g, c.vertexColors(), make([]int32, len(g.adj)), int32(n), int32(n), int32(c.columns.Num()), columns, rows}
	ptr := target.RowPtr()
	for i := range m {
		v := int32(n + i)
		places(l.slot[g.ptr[v]:], g.row(v), target.Row(i), ptr[i])
	}
	r.edges(l, c.kind == AcyclicBicoloring)
}

// edges reads an entry (v, w) in row v by the color of w if no other neighbor of
// v has that color, else in row w by the color of v. In a star coloring one of
// the two always works; if not, substitute is true.
func (r *Recovery) edges(l *layout, substitute bool) {
	g := l.g
	several := g.several(l.color)
	for v := l.row; int(v) < g.len(); v++ {
		for k := g.ptr[v]; k < g.ptr[v+1]; k++ {
			w, e := g.adj[k], l.slot[k]
			if e < 0 {
				continue
			}
			if l.color[w] != 0 && !several[k] {
				l.read(e, v, w)
			} else {
				l.read(e, w, v)
			}
		}
	}
	if substitute {
		r.substitute(l, several)
	}
}

// substitute sees to the edges that no row gives directly, those inside of their
// tree, where both ends have several neighbors of the other's color. In the row
// of the child stands, by the color of the parent, the sum of the edge and of
// the edges between the child and its own children.
func (r *Recovery) substitute(l *layout, several []bool) {
	g, rev := l.g, l.g.reverse()
	if l.row > 0 { // an entry of A is two edges
		for k := range g.ptr[l.row] {
			l.slot[k] = l.slot[rev[k]]
		}
	}
	inside := false
	for k, e := range l.slot {
		if e < 0 && l.slot[rev[k]] < 0 {
			panic("coloring: target lacks an entry that others are computed from")
		}
		inside = inside || several[k] && several[rev[k]]
	}
	if !inside {
		return
	}

	f := newForest(g, l.color, rev)
	r.depth = f.depth
	value := make([]int32, len(f.up)) // where the value of edge up[i] is computed
	for i, k := range f.up {
		e := l.slot[k]
		if e < 0 {
			e = l.slot[rev[k]]
		}
		value[i] = e
		if !several[k] || !several[rev[k]] {
			continue
		}
		l.columns.drop(e)
		l.rows.drop(e)
		l.read(e, g.adj[rev[k]], g.adj[k])
		if image := l.slot[rev[k]]; image >= 0 && image != e {
			l.columns.drop(image)
			r.original = append(r.original, e)
			r.mirror = append(r.mirror, image)
		}
	}
	for i, j := range f.next {
		if j >= 0 {
			r.dst = append(r.dst, value[j])
			r.src = append(r.src, value[i])
		}
	}
}

// places stores in slot the places of the columns of row among those of target,
// −1 where it has none; first is the place of target's first.
func places(slot, row, target []int32, first int32) {
	e := 0
	for k, j := range row {
		for e < len(target) && target[e] < j {
			e++
		}
		if e < len(target) && target[e] == j {
			slot[k] = first + int32(e)
		} else {
			slot[k] = -1
		}
	}
}
