package hessian

import (
	"fmt"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// A method is chosen by estimates of what an evaluation costs. What none can
// beat, since any coloring has so many colors at least, is taken before
// anything is colored.

const (
	// Acyclic colorings must save a fifth, since substitutions add up rounding
	// errors.
	acyclicSaves = 0.8
	// Where the fewest colors that there may be save less than a tenth, nothing
	// is colored.
	coloringSaves = 0.9
)

// choose takes terms, or a coloring of the pattern that terms have.
func (p *Sparse) choose(t *reverse.Tape) (*Sparse, error) {
	plan := terms.Detect(inside.Program(t), true)
	if plan == nil {
		return p, p.byColoring(t)
	}
	if err := p.byTerms(t, plan); err != nil {
		return p, err
	}
	p.consider("terms", p.cost)
	q := &Sparse{settings: p.settings, first: p.first, full: p.full}
	least := cost.Colors(p.first.n, p.full.NNZ())
	if c := q.products(t, least); c.Time() >= p.cost.Time() {
		p.consider(fmt.Sprintf("%d products, the fewest by any coloring", least), c)
		return p, nil
	}
	if err := q.byColoring(t); err != nil {
		return p, err
	}
	p.options = append(p.options, q.options...)
	if q.cost.Time() < p.cost.Time() {
		q.options = p.options
		return q, nil
	}
	return p, nil
}

// color takes the best coloring.
func (p *Sparse) color(t *reverse.Tape) {
	n := p.first.n
	try := func(kind coloring.Kind) cost.Counts {
		c := coloring.New(kind, p.full, p.settings.Orders...)
		p.tried = append(p.tried, c)
		k := p.products(t, c.Num())
		p.consider(fmt.Sprintf("%v, %d products", kind, c.Num()), k)
		return k
	}
	least := p.products(t, cost.Colors(n, p.full.NNZ()))
	all := p.products(t, n)
	if least.Time() >= coloringSaves*all.Time() {
		p.consider(fmt.Sprintf("%d products, which no coloring improves much", n), all)
		colors := make([]int, n)
		for j := range colors {
			colors[j] = j
		}
		c, err := coloring.FromColors(coloring.Distance2, p.full, colors, nil)
		if err != nil {
			panic(err) // any pattern has this coloring
		}
		p.coloring, p.cost = c, all
		return
	}
	p.cost = try(coloring.Star)
	p.coloring = p.tried[0]
	fewest := max(cost.Colors(n, p.full.NNZ()), p.coloring.LowerBound()-1) // the bound may be that of a star
	if p.products(t, fewest).Time() > acyclicSaves*p.cost.Time() {
		return
	}
	if c := try(coloring.Acyclic); c.Time() <= acyclicSaves*p.cost.Time() {
		p.coloring, p.cost = p.tried[1], c
	}
}

// products is the cost of k products and of recovery.
func (p *Sparse) products(t *reverse.Tape, k int) cost.Counts {
	return cost.Of(inside.Program(t)).Hessian(k, p.full.NNZ())
}

func (p *Sparse) consider(what string, c cost.Counts) {
	p.options = append(p.options, cost.Option{What: what, Counts: c})
}
