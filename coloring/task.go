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
	of         *sparsity.Pattern // what is colored
	rows, cols int               // of p
	p, pt      *sparsity.Pattern // pt: the transpose, p itself if it is symmetric
	bound      int               // no coloring has fewer colors

	g      *graph // of a symmetric p once it is needed; of bicolorings that of [0 Aᵀ; A 0]
	loop   []bool
	full   bool              // all diagonal entries of a symmetric pattern are there
	closed *sparsity.Pattern // a symmetric p with full diagonal, once it is needed

	// If most rows or columns are empty, p is what is left without them; kept
	// are the numbers that its vertices have among all.
	kept []int32
	all  int
}

func newTask(kind Kind, p *sparsity.Pattern) *task {
	kind.check(p)
	t := &task{kind: kind, of: p, p: p}
	if kind.symmetric() {
		checkSymmetric(p)
	}
	t.dropEmpty()
	t.rows, t.cols = t.p.Dims()
	t.pt = t.p
	if !kind.symmetric() && !t.p.IsSymmetric() {
		t.pt = t.p.Transpose()
	}
	switch kind {
	case Column:
		t.bound = longestRow(t.p)
	case Row:
		t.bound = longestRow(t.pt)
	case Distance1:
		t.bound = cliqueBound(t.graph())
	case Distance2:
		t.bound = longestRow(t.withDiagonal())
	case Star, Acyclic:
		t.graph()
		t.full = !slices.Contains(t.loop, false)
		t.bound = sweepBound(t.g, t.loop, kind == Star)
	case StarBicoloring, AcyclicBicoloring:
		t.g = bipartite(t.p, t.pt)
		// A column color gives one equation for each row, a row color one for
		// each column, and there are nnz unknowns.
		if side := max(t.rows, t.cols); side > 0 {
			t.bound = (t.p.NNZ() + side - 1) / side
		}
	}
	return t
}

// graph returns the graph of a symmetric pattern.
func (t *task) graph() *graph {
	if t.g == nil {
		t.g, t.loop = adjacency(t.p)
	}
	return t.g
}

func (t *task) withDiagonal() *sparsity.Pattern {
	if t.closed == nil {
		t.closed = t.p
		for i := range t.cols {
			if !slices.Contains(t.p.Row(i), int32(i)) {
				t.closed = t.p.Union(sparsity.Diagonal(t.cols))
				break
			}
		}
	}
	return t.closed
}

// dropEmpty drops empty rows and columns if more than half of them are, as in a
// large file with few entries. Those of a symmetric pattern are the same.
func (t *task) dropEmpty() {
	p := t.p
	rows, cols := p.Dims()
	if p.NNZ() == 0 || 2*p.NNZ() >= max(rows, cols) {
		return
	}
	keptRows, rowOf := kept(p)
	keptCols, colOf := kept(p.Transpose())
	var i, j []int
	for r, c := range p.All() {
		i = append(i, int(rowOf[r]))
		j = append(j, int(colOf[c]))
	}
	t.p = sparsity.FromCoordinates(len(keptRows), len(keptCols), i, j)
	switch {
	case t.kind == Row:
		t.kept, t.all = keptRows, rows
	case t.kind < StarBicoloring:
		t.kept, t.all = keptCols, cols
	default:
		for _, r := range keptRows {
			keptCols = append(keptCols, int32(cols)+r)
		}
		t.kept, t.all = keptCols, cols+rows
	}
}

// kept returns the rows that are not empty, and the place of each among them.
func kept(p *sparsity.Pattern) (list, place []int32) {
	rows, _ := p.Dims()
	place = make([]int32, rows)
	for i := range rows {
		place[i] = int32(len(list))
		if len(p.Row(i)) > 0 {
			list = append(list, int32(i))
		}
	}
	return list, place
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

func (t *task) column(o Order, limit int) []int32 { return t.orthogonal(t.pt, t.p, o, limit) }

func (t *task) row(o Order, limit int) []int32 { return t.orthogonal(t.p, t.pt, o, limit) }

func (t *task) distance2(o Order, limit int) []int32 {
	p := t.withDiagonal()
	return t.orthogonal(p, p, o, limit)
}

// orthogonal colors the vertices of nets by partialDistance2. Orders by degree
// go by two degrees if the pattern is symmetric: neighbors in a common net, and
// neighbors in the graph of the pattern, which is what a distance-2 coloring of
// that graph counts. Either may need fewer colors.
func (t *task) orthogonal(of, nets *sparsity.Pattern, o Order, limit int) []int32 {
	color := partialDistance2(of, nets, netOrder(o, of, nets), limit)
	if of != nets || !o.byDegree() {
		return color
	}
	if color != nil {
		limit = count(color) - 1
	}
	if limit < longestRow(nets) {
		return color
	}
	if other := partialDistance2(of, nets, t.symmetricOrder(o), limit); other != nil {
		return other
	}
	return color
}

// symmetricOrder is the order o of the graph of a symmetric pattern.
func (t *task) symmetricOrder(o Order) []int32 {
	if t.kind < StarBicoloring {
		return t.graph().order(o)
	}
	g, _ := adjacency(t.p) // t.g is another graph
	return g.order(o)
}

func (t *task) star(o Order, limit int) []int32 {
	color := withHubs(t.g, o, star, limit, t.bound)
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
	color := withHubs(t.g, o, acyclic, math.MaxInt, t.bound)
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
	color := withHubs(t.g, o, greedy, math.MaxInt, t.bound)
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
	_, n := t.of.Dims()
	color = t.withEmpty(color)
	switch t.kind {
	case Row:
		return nil, color
	case StarBicoloring, AcyclicBicoloring:
		columns, rows = color[:n:n], color[n:]
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

// withEmpty adds the vertices that dropEmpty dropped. No color does any harm to
// them; kinds in which they need one, or had the first, give them that.
func (t *task) withEmpty(color []int32) []int32 {
	if t.kept == nil {
		return color
	}
	all := make([]int32, t.all)
	if t.kind < Star {
		for v := range all {
			all[v] = 1
		}
	}
	for k, v := range t.kept {
		all[v] = color[k]
	}
	return all
}

// fewer returns the coloring with fewer colors, a if they have the same number.
func fewer(a, b []int32) []int32 {
	if count(b) < count(a) {
		return b
	}
	return a
}
