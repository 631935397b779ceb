package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/terms"
)

// A method is chosen by estimates of what an evaluation costs. Coloring takes long itself.
// So a lower bound of the number of colors comes first: where terms cost less than so many
// products, nothing is colored.

const (
	// coloringSaves: if the lower bound of the cost is above this share of the cost without
	// a coloring, one product for each column or row, nothing is colored.
	coloringSaves = 0.9
	// kindSaves: another kind of coloring is tried if the lower bound of its cost is below
	// this share of the cheapest so far. An acyclic one must really cost so little to be
	// taken, since its substitutions add up rounding errors.
	kindSaves = 0.8
	// manyColors: rows and columns are colored together, which takes long, only if columns
	// or rows alone take more colors than this.
	manyColors = 16
)

// products is how many products an evaluation takes: with the matrix, one for each color
// of columns, and with its transpose, one for each color of rows.
type products struct{ columns, rows int }

// option is a method that was considered.
type option struct {
	what string
	cost cost.Counts
}

// String is the name of the method and its time, to two digits.
func (o option) String() string {
	d := time.Duration(o.cost.Time())
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return fmt.Sprintf("%s: about %v", o.what, d.Round(unit))
}

func (p *Plan) consider(what string, c cost.Counts) {
	p.options = append(p.options, option{what, c})
}

// choose makes a plan by terms or by a coloring, whichever is estimated to be faster.
func (p *Plan) choose() (*Plan, error) {
	found := terms.Detect(p.program, p.Hessian)
	if found == nil {
		if err := p.byColoring(); err != nil {
			return p, err
		}
		p.findSums()
		return p, nil
	}
	if err := p.byTerms(found); err != nil {
		return p, err
	}
	p.consider("terms", p.cost)
	for _, work := range [...]func() cost.General{p.leastWork, p.work} {
		if _, c := p.fewest(work()); c.Time() >= p.cost.Time() {
			p.unrivaled = true
			return p, nil
		}
	}
	q := &Plan{Settings: p.Settings, tape: p.tape, program: p.program, full: p.full}
	if err := q.byColoring(); err != nil {
		return p, err
	}
	p.options = append(p.options, q.options...)
	if q.cost.Time() < p.cost.Time() {
		q.options = p.options
		q.findSums()
		return q, nil
	}
	return p, nil
}

// work is what sweeps cost.
func (p *Plan) work() cost.General { return cost.Of(p.program.Engine()) }

// leastWork is a lower bound of it, which does not need the engine.
func (p *Plan) leastWork() cost.General { return cost.Least(p.program.Tape()) }

// price is the cost of products and of recovery.
func (p *Plan) price(of cost.General, k products) cost.Counts {
	if p.Hessian {
		return of.Hessian(k.columns, p.full.NNZ())
	}
	return of.Jacobian(k.columns, k.rows, p.full.NNZ())
}

func (p *Plan) describe(k products) string {
	if p.Hessian {
		return fmt.Sprintf("%d products", k.columns)
	}
	return fmt.Sprintf("%d JVPs and %d VJPs", k.columns, k.rows)
}

// fewest is a lower bound of the products that a coloring takes, and what they cost.
func (p *Plan) fewest(of cost.General) (products, cost.Counts) {
	m, n := p.full.Dims()
	nnz := p.full.NNZ()
	if p.Hessian {
		k := products{columns: colors(n, nnz)}
		return k, p.price(of, k)
	}
	// A nonzero is read from one of the m results of a JVP or the n of a VJP.
	columns := products{columns: (nnz + m - 1) / max(m, 1)}
	rows := products{rows: (nnz + n - 1) / max(n, 1)}
	c, d := p.price(of, columns), p.price(of, rows)
	if n > 0 && d.Time() < c.Time() {
		return rows, d
	}
	return columns, c
}

// colors is a lower bound of the number of colors of a star or acyclic coloring of a
// symmetric n×n pattern. The entries between two classes of a and b columns are the edges
// of a forest, at most a + b − 1. Summed over all pairs of k classes that allows
// (k−1)n − k(k−1)/2 entries on one side of the diagonal.
func colors(n, nnz int) int {
	k := min(n, 1)
	for (k-1)*n-k*(k-1)/2 < (nnz-n)/2 {
		k++
	}
	return k
}

// color finds the cheapest coloring.
func (p *Plan) color() {
	of := p.work()
	_, least := p.fewest(of)
	if p.uncolored(of, least) {
		return
	}
	_, n := p.full.Dims()
	if p.Hessian {
		p.try(of, coloring.Star, least, 1)
		// LowerBound may hold only for star colorings; an acyclic one may have one color less.
		k := max(colors(n, p.full.NNZ()), p.coloring.LowerBound()-1)
		p.try(of, coloring.Acyclic, p.price(of, products{columns: k}), kindSaves)
		return
	}
	// The entries of a row must all differ in color, and so must those of a column.
	column := p.price(of, products{columns: longest(p.full.RowCounts())})
	row := p.price(of, products{rows: longest(p.full.ColumnCounts())})
	if column.Time() <= row.Time() {
		p.try(of, coloring.Column, column, 1)
		p.try(of, coloring.Row, row, 1)
	} else {
		p.try(of, coloring.Row, row, 1)
		p.try(of, coloring.Column, column, 1)
	}
	if p.coloring.Num() > manyColors {
		p.try(of, coloring.StarBicoloring, least, 1)
	}
}

func longest(counts []int) int { return slices.Max(append(counts, 0)) }

// uncolored gives each column, or each row, a color of its own, if no coloring can
// save much.
func (p *Plan) uncolored(of cost.General, least cost.Counts) bool {
	m, n := p.full.Dims()
	try := func(kind coloring.Kind, k products) bool {
		c := p.price(of, k)
		if least.Time() < coloringSaves*c.Time() {
			return false
		}
		p.consider(p.describe(k)+", which no coloring improves much", c)
		own, err := coloring.FromColors(kind, p.full, upTo(k.columns), upTo(k.rows))
		if err != nil {
			panic(err) // any pattern has this coloring
		}
		p.coloring, p.cost = own, c
		return true
	}
	if p.Hessian {
		return try(coloring.Distance2, products{columns: n})
	}
	return n <= m && try(coloring.Column, products{columns: n}) || try(coloring.Row, products{rows: m})
}

// upTo is the numbers 0 … n−1.
func upTo(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// try colors by a kind, whose cost is at least least, if that may save enough. It is taken if
// there is no other coloring yet, or it costs less than a share of the cheapest so far.
func (p *Plan) try(of cost.General, kind coloring.Kind, least cost.Counts, share float64) {
	if p.coloring != nil && least.Time() > kindSaves*p.cost.Time() {
		return
	}
	c := coloring.New(kind, p.full, p.Orders...)
	p.tried = append(p.tried, c)
	k := products{c.Columns().Num(), c.Rows().Num()}
	d := p.price(of, k)
	p.consider(fmt.Sprintf("%v, %s", kind, p.describe(k)), d)
	if p.coloring == nil || d.Time() < share*p.cost.Time() {
		p.coloring, p.cost = c, d
	}
}
