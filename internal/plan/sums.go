package plan

import (
	"sync"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/workers"
)

// sums is a function as a sum of alike terms of which the second derivatives are too large for
// symbols, but not the gradient and the products with directions, which take as many
// instructions as sweeps do: a Hessian by a coloring has these from the terms.
type sums struct {
	gradient *Plan // has terms and a rest, but no matrix
	products bool  // those take less time by terms, too
	pool     sync.Pool
}

// findSums looks for terms for a Hessian by a coloring.
func (p *Plan) findSums() {
	if !p.Hessian || p.program.Engine().MayFail() {
		return
	}
	found := terms.Detect(p.program, false)
	if found == nil {
		return
	}
	g := &Plan{Settings: p.Settings, tape: p.tape, program: p.program, terms: found}
	g.pool.New = g.newBuffers
	gradient, products := found.GradientCost(), found.ProductsCost(p.coloring.Num())
	if r := found.Rest(); r != nil {
		g.rest = &Plan{Settings: p.Settings, program: r.Function()}
		of := cost.Of(r)
		gradient = gradient.Plus(of.Jacobian(0, 1, 0))
		products = products.Plus(of.Hessian(p.coloring.Num(), 0))
	}
	products[cost.Read] += float64(p.full.NNZ())
	byTape := p.work().Jacobian(0, 1, 0)
	if gradient.Time() >= byTape.Time() {
		return
	}
	p.sums = &sums{gradient: g, products: products.Time() < p.cost.Time()}
	p.sums.pool.New = func() any {
		n := p.program.Inputs()
		b := new(directions)
		for s := range b.v {
			b.v[s], b.h[s] = make([]float64, n), make([]float64, n)
		}
		return b
	}
	if p.sums.products {
		p.consider(p.coloring.Kind().String()+", products by terms", products)
		p.cost = products
	}
}

// directions are those of one sweep and the products with them.
type directions struct{ v, h [lanes][]float64 }

// evalSums is eval where the gradient is by terms.
func (p *Plan) evalSums(values, also, x, params, w []float64) (f float64, err error) {
	switch {
	case values == nil:
	case p.sums.products:
		err = p.byTermProducts(values, x, params, w)
	default:
		_, err = p.evalSweeps(values, nil, x, params, w)
	}
	if err != nil || also == nil {
		return 0, err
	}
	return p.sums.gradient.eval(nil, also, x, params, w)
}

// byTermProducts is byProducts by terms. It fails only where a comparison comes out otherwise.
func (p *Plan) byTermProducts(values, x, params, w []float64) error {
	var ws *sweep.Workspace // of the rest
	if rest := p.sums.gradient.rest; rest != nil {
		q := rest.program.Engine()
		ws = q.Get()
		defer q.Put(ws)
		if err := rest.begin(ws, x, params, w, true); err != nil {
			return err
		}
	}
	if n := min(p.Workers, sweeps(p.coloring.Columns())); n > 1 {
		workers.Do(n, func(i int) { p.someTermProducts(ws, values, x, params, w, i, n) })
	} else {
		p.someTermProducts(ws, values, x, params, w, 0, 1)
	}
	p.recovery.Finish(values)
	return nil
}

// someTermProducts makes the sweeps first, first + stride, ….
func (p *Plan) someTermProducts(ws *sweep.Workspace, values, x, params, w []float64, first, stride int) {
	b := p.sums.pool.Get().(*directions)
	defer p.sums.pool.Put(b)
	if ws != nil && stride > 1 {
		q := p.sums.gradient.rest.program.Engine()
		own := q.Get()
		defer q.Put(own)
		defer own.Share(ws)()
		ws = own
	}
	c := p.coloring.Columns()
	for lo := first * lanes; lo < c.Num(); lo += stride * lanes {
		k := min(lanes, c.Num()-lo)
		for s := range k {
			clear(b.v[s])
			seed(b.v[s], c.Class(lo+s))
		}
		p.sums.gradient.terms.HVPs(b.h[:k], x, params, weightsUnless1(w), b.v[:k])
		if ws != nil {
			if err := ws.HVP(k, func(v []float64, s int) { seed(v, c.Class(lo+s)) }); err != nil {
				panic(err) // what may fail has no sums
			}
			for s := range k {
				for i, h := range ws.Product(s) {
					b.h[s][i] += h
				}
			}
		}
		for s := range k {
			p.recovery.GatherColumns(values, lo+s, b.h[s])
		}
	}
}
