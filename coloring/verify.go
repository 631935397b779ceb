package coloring

import (
	"fmt"
	"strings"

	"github.com/hesse-ad/hesse/sparsity"
)

// A Conflict is a way in which colors fail to be a coloring.
type Conflict uint8

const (
	// OutOfRange: the color of the vertex is below −1 or not below the number of
	// vertices.
	OutOfRange Conflict = iota
	// Uncolored: the vertex has no color and needs one, in star and acyclic
	// colorings for its diagonal entry, in Column and Row colorings for any, in
	// Distance1 and Distance2 colorings always.
	Uncolored
	// SameColor: the two ends of the path have one color, but are neighbors, or
	// neighbors of the vertex between them, which the kind forbids or which has
	// no color by which to read its entries.
	SameColor
	// NoColor: the two neighbors both have no color.
	NoColor
	// TwoColoredPath: the path of four vertices has two colors.
	TwoColoredPath
	// TwoColoredCycle: the vertices, in this order, are a cycle with two colors.
	TwoColoredCycle
)

var conflictNames = [...]string{
	"color out of range", "no color", "same color at both ends",
	"neighbors without color", "path with two colors", "cycle with two colors",
}

// String returns a description of the conflict.
func (c Conflict) String() string {
	if int(c) < len(conflictNames) {
		return conflictNames[c]
	}
	return fmt.Sprintf("Conflict(%d)", uint8(c))
}

// A Vertex is a column or row with its color.
type Vertex struct {
	Row   bool // a row; else a column
	Index int
	Color int // from 0; −1: none
}

// A ConflictError says why colors are not a coloring of the kind.
type ConflictError struct {
	Kind     Kind
	Conflict Conflict
	// Path holds the offending vertices, each an entry's step from the one before:
	// vertices of the graph of a symmetric pattern, rows and columns in turn
	// otherwise.
	Path []Vertex
}

// Error names the conflict and the vertices.
func (e *ConflictError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "coloring: no %s: %v: ", e.Kind.noun(), e.Conflict)
	for i, v := range e.Path {
		if i > 0 {
			s.WriteString(" – ")
		}
		side := "column"
		if v.Row {
			side = "row"
		}
		fmt.Fprintf(&s, "%s %d", side, v.Index)
		if v.Color >= 0 {
			fmt.Fprintf(&s, " (color %d)", v.Color)
		}
	}
	return s.String()
}

// Verify checks by the definition of the kind, and not by how the colors came
// about, that c is a coloring from which all entries of p can be recovered: p
// may be another pattern than the one that was colored. The error is a
// *ConflictError. It panics if p has other dimensions or is not symmetric where
// it must be. The cost is O(nnz), for acyclic kinds nearly.
func (c *Coloring) Verify(p *sparsity.Pattern) error {
	m, n := p.Dims()
	if cm, cn := c.pattern.Dims(); cm != m || cn != n {
		panic(fmt.Sprintf("coloring: coloring of a %d×%d pattern, verified on %d×%d", cm, cn, m, n))
	}
	v := &verifier{kind: c.kind, cols: n}
	var bad []int32
	var what Conflict
	switch c.kind {
	case Column:
		v.color = append(append(v.color, c.columns.color...), make([]int32, m)...)
		what, bad = v.orthogonal(bipartite(p, p.Transpose()), 0, n)
	case Row:
		v.color = append(make([]int32, n), c.rows.color...)
		what, bad = v.orthogonal(bipartite(p, p.Transpose()), n, n+m)
	case Distance1, Distance2, Star, Acyclic:
		checkSymmetric(p)
		g, loop := adjacency(p)
		v.color = c.columns.color
		what, bad = v.symmetric(g, loop)
	default:
		v.shift = int32(c.columns.Num())
		v.color = c.vertexColors()
		what, bad = v.symmetric(bipartite(p, p.Transpose()), nil)
	}
	if bad == nil {
		return nil
	}
	return &ConflictError{c.kind, what, v.path(bad)}
}

type verifier struct {
	kind  Kind
	cols  int
	shift int32 // what was added to the colors of rows
	color []int32
}

func (v *verifier) path(bad []int32) []Vertex {
	var path []Vertex
	for _, x := range bad {
		u := Vertex{Index: int(x), Color: int(v.color[x]) - 1}
		if u.Row = u.Index >= v.cols; u.Row {
			u.Index -= v.cols
			if u.Color >= 0 {
				u.Color -= int(v.shift)
			}
		}
		path = append(path, u)
	}
	return path
}

// orthogonal checks that the vertices lo ≤ x < hi of a bipartite graph that
// have edges have colors, and those with a common neighbor different ones.
func (v *verifier) orthogonal(g *graph, lo, hi int) (Conflict, []int32) {
	for x := int32(lo); x < int32(hi); x++ {
		if v.color[x] == 0 && g.degree(x) > 0 {
			return Uncolored, []int32{x}
		}
	}
	seen := newSightings(v.color)
	for y := range int32(g.len()) {
		if int(y) >= lo && int(y) < hi {
			continue
		}
		for _, x := range g.row(y) {
			if w := seen.first(v.color[x], y, x); w != x {
				return SameColor, []int32{w, y, x}
			}
		}
	}
	return 0, nil
}

// symmetric checks a distance-1 or -2, star or acyclic coloring.
func (v *verifier) symmetric(g *graph, loop []bool) (Conflict, []int32) {
	color := v.color
	graphKind := v.kind == Distance1 || v.kind == Distance2
	for x := range int32(g.len()) {
		if color[x] == 0 && (graphKind || loop != nil && loop[x]) {
			return Uncolored, []int32{x}
		}
		for _, w := range g.row(x) {
			if color[w] == color[x] {
				if color[x] == 0 {
					return NoColor, []int32{x, w}
				}
				return SameColor, []int32{x, w}
			}
		}
	}
	if v.kind == Distance1 {
		return 0, nil
	}
	// An edge of a vertex without color is read by the color of the other end,
	// so the others must have different colors.
	seen := newSightings(color)
	for y := range int32(g.len()) {
		if v.kind != Distance2 && color[y] != 0 {
			continue
		}
		for _, x := range g.row(y) {
			if w := seen.first(color[x], y, x); w != x {
				return SameColor, []int32{w, y, x}
			}
		}
	}
	switch v.kind {
	case Star, StarBicoloring:
		return v.star(g)
	case Acyclic, AcyclicBicoloring:
		return v.acyclic(g)
	}
	return 0, nil
}

// star looks for an edge (b, c) in the middle of a path a, b, c, d where a has
// the color of c and d that of b.
func (v *verifier) star(g *graph) (Conflict, []int32) {
	color := v.color
	// other[k], for the edge k = (b, c): some other neighbor of b with the color
	// of c, −1 if there is none.
	other := make([]int32, len(g.adj))
	seen := newSightings(color)
	for b := range int32(g.len()) {
		row := g.row(b)
		for i := len(row) - 1; i >= 0; i-- {
			if w := seen.first(color[row[i]], 2*b, row[i]); w != row[i] {
				other[int(g.ptr[b])+i] = w
			} else {
				other[int(g.ptr[b])+i] = -1
			}
		}
		for i, c := range row {
			if w := seen.first(color[c], 2*b+1, c); w != c {
				other[int(g.ptr[b])+i] = w
			}
		}
	}
	rev := g.reverse()
	for b := range int32(g.len()) {
		for k := g.ptr[b]; k < g.ptr[b+1]; k++ {
			c := g.adj[k]
			if color[b] == 0 || color[c] == 0 {
				continue
			}
			if other[k] >= 0 && other[rev[k]] >= 0 {
				return TwoColoredPath, []int32{other[k], b, c, other[rev[k]]}
			}
		}
	}
	return 0, nil
}

// acyclic joins the edges one by one into two-colored trees. The edges from a
// vertex to its neighbors of one color are in one tree; all that is joined is
// what they stand for.
func (v *verifier) acyclic(g *graph) (Conflict, []int32) {
	color := v.color
	// group[k], for the edge k = (b, c): the first edge of b to the color of c.
	group := make([]int32, len(g.adj))
	at := make([]int32, count(color)+1)
	for b := range int32(g.len()) {
		for k := g.ptr[b]; k < g.ptr[b+1]; k++ {
			c := color[g.adj[k]]
			if s := at[c]; s < g.ptr[b] || s >= k || color[g.adj[s]] != c {
				at[c] = k
			}
			group[k] = at[c]
		}
	}
	trees := make(disjointSets, len(g.adj))
	for k := range trees {
		trees[k] = int32(k)
	}
	rev := g.reverse()
	for b := range int32(g.len()) {
		for k := g.ptr[b]; k < g.ptr[b+1]; k++ {
			c := g.adj[k]
			if b > c || color[b] == 0 || color[c] == 0 {
				continue
			}
			if !trees.union(group[k], group[rev[k]]) {
				return TwoColoredCycle, twoColoredPath(g, color, b, c)
			}
		}
	}
	return 0, nil
}

// twoColoredPath returns a shortest path of at least two edges from b to its
// neighbor c by vertices of their two colors.
func twoColoredPath(g *graph, color []int32, b, c int32) []int32 {
	from := make([]int32, g.len()) // the vertex before, plus 1
	from[c] = c + 1
	queue := []int32{c}
	for i := 0; from[b] == 0; i++ {
		x := queue[i]
		for _, y := range g.row(x) {
			if from[y] == 0 && !(x == c && y == b) && (color[y] == color[b] || color[y] == color[c]) {
				from[y] = x + 1
				queue = append(queue, y)
			}
		}
	}
	path := []int32{b}
	for x := b; x != c; {
		x = from[x] - 1
		path = append(path, x)
	}
	return path
}

// sightings remembers which vertex was the first to show a color.
type sightings struct{ round, vertex []int32 }

func newSightings(color []int32) *sightings {
	k := count(color) + 1
	s := &sightings{make([]int32, k), make([]int32, k)}
	for c := range s.round {
		s.round[c] = -1
	}
	return s
}

// first returns the first vertex of the round that showed color c: x itself if
// there was none, or if c is no color.
func (s *sightings) first(c, round, x int32) int32 {
	if c == 0 {
		return x
	}
	if s.round[c] != round {
		s.round[c], s.vertex[c] = round, x
	}
	return s.vertex[c]
}

// disjointSets is a union-find forest: the parent of each element.
type disjointSets []int32

func (s disjointSets) find(x int32) int32 {
	for s[x] != x {
		s[x] = s[s[x]]
		x = s[x]
	}
	return x
}

// union joins the sets of x and y and reports whether they were two.
func (s disjointSets) union(x, y int32) bool {
	x, y = s.find(x), s.find(y)
	s[x] = y
	return x != y
}
