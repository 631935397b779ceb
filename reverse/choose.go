package reverse

import (
	"fmt"
	"slices"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/terms"
)

// A method is chosen by estimates of what an evaluation costs. What none can
// beat, since any coloring has so many colors at least, is taken before
// anything is colored.

const (
	// Where the fewest colors that there may be save less than a tenth, nothing
	// is colored.
	coloringSaves = 0.9
	// Another kind of coloring is tried if it may save a fifth, and both rows
	// and columns are colored, which takes long, if there are many colors.
	kindSaves  = 0.8
	manyColors = 16
)

// choose takes terms, or a coloring of the pattern that terms have.
func (j *SparseJacobian) choose() (*SparseJacobian, error) {
	plan := terms.Detect(j.t.p, false)
	if plan == nil {
		return j, j.byColoring()
	}
	if err := j.byTerms(plan); err != nil {
		return j, err
	}
	j.consider("terms", j.cost)
	q := &SparseJacobian{settings: j.settings, t: j.t, pattern: j.pattern}
	if k, l, c := q.least(); c.Time() >= j.cost.Time() {
		j.consider(fmt.Sprintf("%d JVPs and %d VJPs, the fewest by any coloring", k, l), c)
		return j, nil
	}
	if err := q.byColoring(); err != nil {
		return j, err
	}
	j.options = append(j.options, q.options...)
	if q.cost.Time() < j.cost.Time() {
		q.options = j.options
		return q, nil
	}
	return j, nil
}

// least is the least cost of a coloring: a nonzero is read from one of the m
// results of a JVP or the n of a VJP.
func (j *SparseJacobian) least() (k, l int, c cost.Counts) {
	m, n := j.pattern.Dims()
	k = (j.pattern.NNZ() + m - 1) / m
	c = j.products(k, 0)
	if n > 0 {
		byRows := (j.pattern.NNZ() + n - 1) / n
		if d := j.products(0, byRows); d.Time() < c.Time() {
			return 0, byRows, d
		}
	}
	return k, 0, c
}

// color takes the best coloring.
func (j *SparseJacobian) color() {
	m, n := j.pattern.Dims()
	_, _, least := j.least()
	trivial := func(kind coloring.Kind, k, l int) bool {
		c := j.products(k, l)
		if least.Time() < coloringSaves*c.Time() {
			return false
		}
		j.consider(fmt.Sprintf("%d JVPs and %d VJPs, which no coloring improves much", k, l), c)
		var err error
		j.coloring, err = coloring.FromColors(kind, j.pattern, upTo(k), upTo(l))
		if err != nil {
			panic(err) // any pattern has this coloring
		}
		j.cost = c
		return true
	}
	if n <= m && trivial(coloring.Column, n, 0) || trivial(coloring.Row, 0, m) {
		return
	}
	try := func(kind coloring.Kind, least cost.Counts) {
		if j.coloring != nil && least.Time() > kindSaves*j.cost.Time() {
			return
		}
		c := coloring.New(kind, j.pattern, j.settings.Orders...)
		j.tried = append(j.tried, c)
		k, l := c.Columns().Num(), c.Rows().Num()
		d := j.products(k, l)
		j.consider(fmt.Sprintf("%v, %d JVPs and %d VJPs", kind, k, l), d)
		if j.coloring == nil || d.Time() < j.cost.Time() {
			j.coloring, j.cost = c, d
		}
	}
	columns := j.products(slices.Max(append(j.pattern.RowCounts(), 0)), 0)
	rows := j.products(0, slices.Max(append(j.pattern.ColumnCounts(), 0)))
	if columns.Time() <= rows.Time() {
		try(coloring.Column, columns)
		try(coloring.Row, rows)
	} else {
		try(coloring.Row, rows)
		try(coloring.Column, columns)
	}
	if j.coloring.Num() > manyColors {
		try(coloring.StarBicoloring, least)
	}
}

// upTo is the numbers 0 … n−1, nil if there are none.
func upTo(n int) []int {
	var x []int
	for i := range n {
		x = append(x, i)
	}
	return x
}

// products is the cost of k JVPs and l VJPs and of recovery.
func (j *SparseJacobian) products(k, l int) cost.Counts {
	return cost.Of(j.t.p).Jacobian(k, l, j.pattern.NNZ())
}

func (j *SparseJacobian) consider(what string, c cost.Counts) {
	j.options = append(j.options, cost.Option{What: what, Counts: c})
}
