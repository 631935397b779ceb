package coloring

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/sparsity"
)

// A task is a pattern prepared for colorings of one kind. The vertices are the
// columns (for Row the rows); for bicolorings the columns, then the rows.
type task struct {
	kind       Kind
	rows, cols int
	p, pt      *sparsity.Pattern // pt: transpose, nil for symmetric patterns
	closed     *sparsity.Pattern // p with full diagonal, once it is needed
	g          *graph
	loop       []bool
	full       bool // all diagonal entries of a symmetric pattern are there
	bound      int  // no coloring has fewer colors
}

func newTask(kind Kind, p *sparsity.Pattern) *task {
	kind.check(p)
	t := &task{kind: kind, p: p}
	t.rows, t.cols = p.Dims()
	if kind.symmetric() {
		t.g, t.loop = adjacency(p)
		t.full = !slices.Contains(t.loop, false)
	} else {
		t.pt = p.Transpose()
	}
	switch kind {
	case Column:
		t.bound = longestRow(p)
	case Row:
		t.bound = longestRow(t.pt)
	case Distance1:
		t.bound = cliqueBound(t.g)
	case Distance2:
		t.bound = min(t.cols, 1+t.g.maxDegree())
	case Star, Acyclic:
		t.bound = sweepBound(t.g, t.loop, kind == Star)
	case StarBicoloring, AcyclicBicoloring:
		t.g = bipartite(p, t.pt)
		// A column color gives one equation for each row, a row color one for
		// each column, and there are nnz unknowns.
		if side := max(t.rows, t.cols); side > 0 {
			t.bound = (p.NNZ() + side - 1) / side
		}
	}
	return t
}

// color returns the colors of the vertices in the order o.
func (t *task) color(o Order) []int32 {
	switch t.kind {
	case Column:
		return t.column(o, math.MaxInt)
	case Row:
		return t.row(o, math.MaxInt)
	case Distance1:
		return distance1(t.g, t.g.order(o))
	case Distance2:
		return t.distance2(o, math.MaxInt)
	case Star:
		return t.star(o, math.MaxInt)
	case Acyclic:
		return t.acyclic(o)
	case StarBicoloring:
		return t.starBicoloring(o)
	default:
		return t.acyclicBicoloring(o)
	}
}

// The methods with a limit return nil if they find no coloring with so few
// colors.

func (t *task) column(o Order, limit int) []int32 {
	return partialDistance2(t.pt, t.p, netOrder(o, t.pt, t.p), limit)
}

func (t *task) row(o Order, limit int) []int32 {
	return partialDistance2(t.p, t.pt, netOrder(o, t.p, t.pt), limit)
}

func (t *task) distance2(o Order, limit int) []int32 {
	if t.closed == nil {
		t.closed = t.p
		if !t.full {
			t.closed = t.p.Union(sparsity.Diagonal(t.cols))
		}
	}
	return partialDistance2(t.closed, t.closed, t.g.order(o), limit)
}

func (t *task) star(o Order, limit int) []int32 {
	color := withHubs(t.g, o, star, limit)
	if color != nil {
		dropUnused(t.g, t.loop, color)
		limit = count(color) - 1
	}
	if limit > t.g.maxDegree() { // else distance-2 has too many
		if other := t.distance2(o, limit); other != nil {
			dropUnused(t.g, t.loop, other)
			color = other
		}
	}
	return color
}

func (t *task) acyclic(o Order) []int32 {
	color := withHubs(t.g, o, acyclic, math.MaxInt)
	dropUnused(t.g, t.loop, color)
	if count(color) > t.bound {
		limit := math.MaxInt // a star coloring may yet drop colors,
		if t.full {          // but not here
			limit = count(color) - 1
		}
		if other := t.star(o, limit); other != nil {
			color = fewer(color, other)
		}
	}
	return color
}

// bicoloring colors the graph of [0 Aᵀ; A 0]. Columns and rows get different
// colors, so that each side drops those it does not need.
func (t *task) bicoloring(o Order, greedy greedy) []int32 {
	color := withHubs(t.g, o, greedy, math.MaxInt)
	k := int32(count(color))
	for i := t.cols; i < len(color); i++ {
		color[i] += k
	}
	dropUnused(t.g, nil, color)
	return color
}

// starBicoloring takes a column or row coloring if it has fewer colors: it is a
// bicoloring in which all rows or all columns are neutral.
func (t *task) starBicoloring(o Order) []int32 {
	color := t.bicoloring(o, star)
	if limit := count(color) - 1; limit >= longestRow(t.p) {
		if c := t.column(o, limit); c != nil {
			color = append(c, make([]int32, t.rows)...)
		}
	}
	if limit := count(color) - 1; limit >= longestRow(t.pt) {
		if c := t.row(o, limit); c != nil {
			color = append(make([]int32, t.cols), c...)
		}
	}
	return color
}

func (t *task) acyclicBicoloring(o Order) []int32 {
	color := t.bicoloring(o, acyclic)
	if count(color) > t.bound {
		color = fewer(color, t.starBicoloring(o))
	}
	return color
}

// sides parts the colors of the vertices into those of columns and of rows.
func (t *task) sides(color []int32) (columns, rows []int32) {
	switch t.kind {
	case Row:
		return nil, color
	case StarBicoloring, AcyclicBicoloring:
		columns, rows = color[:t.cols:t.cols], color[t.cols:]
		k := int32(count(columns))
		for i := range rows {
			if rows[i] != 0 {
				rows[i] -= k
			}
		}
		return columns, rows
	}
	return color, nil
}

// fewer returns the coloring with fewer colors, a if they have the same number.
// A nil a has none yet.
func fewer(a, b []int32) []int32 {
	if a == nil || count(b) < count(a) {
		return b
	}
	return a
}
