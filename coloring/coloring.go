package coloring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/sparsity"
)

// A Kind says which vertices may share a color, and so how the entries are
// recovered from the compressed matrices.
type Kind uint8

const (
	// Column colorings give columns that have an entry in the same row different
	// colors (structural orthogonality): a partial distance-2 coloring of the
	// bipartite graph of rows and columns. For Jacobians by JVPs, B = A·S: the
	// entry (i, j) is B[i, color of j].
	Column Kind = iota
	// Row colorings are column colorings of the transpose. For Jacobians by VJPs,
	// B = Aᵀ·S: the entry (i, j) is B[j, color of i].
	Row
	// Distance1 colorings give neighbors in the graph of a symmetric pattern
	// different colors. Nothing can be recovered from them; they serve to schedule
	// and to compare.
	Distance1
	// Distance2 colorings give vertices at distance 1 or 2 different colors. On a
	// pattern with full diagonal they are its column colorings.
	Distance2
	// Star colorings are distance-1 colorings of a symmetric pattern in which
	// every path of four vertices has at least three colors. For Hessians by
	// HVPs, B = H·S: for every entry (i, j) either B[i, color of j] or B[j, color
	// of i] is its value.
	Star
	// Acyclic colorings are distance-1 colorings in which every cycle has at least
	// three colors. Fewer colors than Star, but entries are recovered from each
	// other by substitution: the recovery is no longer one gather, and rounding
	// errors of B add up along chains.
	Acyclic
	// StarBicoloring colors columns and rows: the part of a star coloring of the
	// matrix [0 Aᵀ; A 0] that recovery needs. For Jacobians by JVPs for the column
	// colors and VJPs for the row colors; it pays if a few rows and a few columns
	// are dense.
	StarBicoloring
	// AcyclicBicoloring is StarBicoloring with an acyclic coloring.
	AcyclicBicoloring

	kinds
)

var kindNames = [kinds]string{"column", "row", "distance-1", "distance-2", "star", "acyclic", "star bicoloring", "acyclic bicoloring"}

// String returns the name of the kind, such as "star".
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// noun is the name of a coloring of the kind.
func (k Kind) noun() string {
	if k < StarBicoloring {
		return k.String() + " coloring"
	}
	return k.String()
}

// symmetric reports whether the kind is for symmetric patterns.
func (k Kind) symmetric() bool { return k >= Distance1 && k <= Acyclic }

// check panics unless there is such a kind and a pattern for it.
func (k Kind) check(p *sparsity.Pattern) {
	if k >= kinds {
		panic("coloring: unknown kind")
	}
	if p == nil {
		panic("coloring: no pattern")
	}
}

// A Coloring is a coloring of a pattern. It is immutable.
type Coloring struct {
	kind          Kind
	pattern       *sparsity.Pattern
	columns, rows Classes
	trials        []Trial
	bound         int
}

// A Trial is the number of colors that an order led to.
type Trial struct {
	Order Order
	Num   int
}

// New colors p greedily, taking the vertices in each of the given orders, and
// returns the first coloring with the fewest colors. It stops at one that has no
// more than LowerBound. Without orders it tries Natural, SmallestLast,
// LargestFirst, IncidenceDegree and Random(1).
//
// In the same orders, Star never has more colors than Distance2, Acyclic never
// more than Star, StarBicoloring never more than Column or Row, and
// AcyclicBicoloring never more than StarBicoloring: where the greedy algorithm
// did worse, the coloring of the stricter kind is returned. Star, Acyclic and
// bicolorings have no colors that recovery does not need; see Classes.Colors. On a
// symmetric pattern with full diagonal Column, Row and Distance2 find the same.
//
// It panics if p is nil or is not symmetric and the kind needs that it is. The
// cost of an order is O(nnz) if 64 colors are enough, but for finding the order
// and for acyclic kinds. Beyond that it is O(Σ ρ²) for Column, Row and Distance2,
// where ρ are the numbers of entries of the rows (columns for Row) and a dense
// row counts with about ρ, and O(Σ_v Σ_w min(d(w), colors)) over vertices v and
// their neighbors w for the others. The memory is O(nnz).
func New(kind Kind, p *sparsity.Pattern, orders ...Order) *Coloring {
	if len(orders) == 0 {
		orders = portfolio
	}
	t := newTask(kind, p)
	c := &Coloring{kind: kind, pattern: p, bound: t.bound}
	var best []int32
	least := 0
	for _, o := range orders {
		color := t.color(o)
		k := count(color)
		c.trials = append(c.trials, Trial{o, k})
		if best == nil || k < least {
			best, least = color, k
		}
		if least <= t.bound {
			break
		}
	}
	c.setColors(t.sides(best))
	return c
}

var portfolio = []Order{Natural, SmallestLast, LargestFirst, IncidenceDegree, Random(1)}

// FromColors makes a coloring of the given kind from the user's own colors:
// columns[j] is the color of column j, counted from 0, or −1 if it has none;
// rows[i] that of row i, counted from 0 again. Row takes rows only,
// bicolorings both, all other kinds columns only; the other argument is nil.
// Both are copied.
//
// It panics if p is nil, a length is wrong or the kind needs a symmetric pattern
// and p is not. If the colors are no such coloring, or a color is below −1 or not below
// the number of columns or rows, the error is a *ConflictError. The cost
// is O(nnz).
func FromColors(kind Kind, p *sparsity.Pattern, columns, rows []int) (*Coloring, error) {
	kind.check(p)
	m, n := p.Dims()
	if kind == Row {
		n = 0
	} else if kind < StarBicoloring {
		m = 0
	}
	if len(columns) != n || len(rows) != m {
		panic(fmt.Sprintf("coloring: %s of %d columns and %d rows given, needs %d and %d",
			kind.noun(), len(columns), len(rows), n, m))
	}
	narrow := func(colors []int, side bool) ([]int32, error) {
		c := make([]int32, len(colors))
		for v, k := range colors {
			if k < -1 || k >= len(colors) {
				return nil, &ConflictError{kind, OutOfRange, []Vertex{{side, v, k}}}
			}
			c[v] = int32(k + 1)
		}
		return c, nil
	}
	cc, err := narrow(columns, false)
	if err != nil {
		return nil, err
	}
	rc, err := narrow(rows, true)
	if err != nil {
		return nil, err
	}
	c := &Coloring{kind: kind, pattern: p}
	c.setColors(cc, rc)
	if err := c.Verify(p); err != nil {
		return nil, err
	}
	c.bound = newTask(kind, p).bound
	return c, nil
}

func (c *Coloring) setColors(columns, rows []int32) {
	c.columns = newClasses(columns)
	c.rows = newClasses(rows)
}

// vertexColors returns the colors of the graph of [0 Aᵀ; A 0]: those of the
// columns, then those of the rows, which are other colors.
func (c *Coloring) vertexColors() []int32 {
	color := slices.Concat(c.columns.color, c.rows.color)
	for i := len(c.columns.color); i < len(color); i++ {
		if color[i] != 0 {
			color[i] += int32(c.columns.Num())
		}
	}
	return color
}

// Kind returns the kind of the coloring.
func (c *Coloring) Kind() Kind { return c.kind }

// Pattern returns the pattern that was colored.
func (c *Coloring) Pattern() *sparsity.Pattern { return c.pattern }

// Num returns the number of colors, of columns and of rows together: the number
// of products that give the matrix.
func (c *Coloring) Num() int { return c.columns.Num() + c.rows.Num() }

// Columns returns the classes of columns, or of the vertices of a symmetric
// pattern: each is the seed of a product A·s. For Row there are none.
func (c *Coloring) Columns() *Classes { return &c.columns }

// Rows returns the classes of rows: each is the seed of a product Aᵀ·s. Only
// Row and bicolorings have any.
func (c *Coloring) Rows() *Classes { return &c.rows }

// Trials returns the numbers of colors by the orders tried, in the order of
// trying; none if the colors are the user's.
func (c *Coloring) Trials() []Trial { return slices.Clone(c.trials) }

// LowerBound returns a number of colors that no coloring of this kind can go
// below (as far as was easily seen: it need not be the best such number).
func (c *Coloring) LowerBound() int { return c.bound }

// String returns a line such as "star: 5 colors (natural 6, smallest last 5),
// at least 3".
func (c *Coloring) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v: %d colors", c.kind, c.Num())
	if c.kind >= StarBicoloring {
		fmt.Fprintf(&s, ", %d of columns and %d of rows", c.columns.Num(), c.rows.Num())
	}
	for i, t := range c.trials {
		fmt.Fprintf(&s, "%s%v %d", []string{" (", ", "}[min(i, 1)], t.Order, t.Num)
	}
	if len(c.trials) > 0 {
		s.WriteString(")")
	}
	fmt.Fprintf(&s, ", at least %d", c.bound)
	return s.String()
}

// Classes is a partition of columns or rows into color classes.
type Classes struct {
	// Inside the package colors are counted from 1, as in the literature, and 0
	// is no color yet, or none. Users count from 0.
	color       []int32
	ptr, member []int32 // members of color c, from 0: member[ptr[c]:ptr[c+1]]
}

func newClasses(color []int32) Classes {
	member, start := bucket.Sort(color, count(color)+1)
	return Classes{color, start[1:], member}
}

// count returns the number of colors, which is the largest one.
func count(color []int32) int {
	k := int32(0)
	for _, c := range color {
		k = max(k, c)
	}
	return int(k)
}

// Num returns the number of colors.
func (s *Classes) Num() int { return len(s.ptr) - 1 }

// Class returns the members of color c, 0 ≤ c < Num, in increasing order: a
// view, not to be written. It panics if there is no such color.
func (s *Classes) Class(c int) []int32 {
	if c < 0 || c >= s.Num() {
		panic("coloring: color out of range")
	}
	lo, hi := s.ptr[c], s.ptr[c+1]
	return s.member[lo:hi:hi]
}

// Colors returns a copy of the colors, counted from 0. The color −1, neutral,
// means that recovery reads nothing by this vertex: the diagonal entry is not in
// the pattern and all entries beside it are read by the colors of the other ends.
func (s *Classes) Colors() []int {
	c := make([]int, len(s.color))
	for v, k := range s.color {
		c[v] = int(k) - 1
	}
	return c
}

// Seed stores in dst the vector that is 1 on the members of color c and 0
// elsewhere, and returns it; nil means allocate. It panics if there is no such
// color or dst has another length than Colors.
func (s *Classes) Seed(dst []float64, c int) []float64 {
	class := s.Class(c)
	if dst == nil {
		dst = make([]float64, len(s.color))
	}
	if len(dst) != len(s.color) {
		panic("coloring: seed of another length")
	}
	clear(dst)
	for _, v := range class {
		dst[v] = 1
	}
	return dst
}
