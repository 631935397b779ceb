package main

import (
	"fmt"
	"runtime"

	"github.com/hesse-ad/hesse/bench/plain"
	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/reverse"
)

var adjointFigures = []string{"adjoint-first", "adjoint-gradient", "adjoint-tape", "adjoint-product"}

// adjoints measures gradients that command adjoint wrote.
func adjoints(b *bench) {
	t := table{text: 2, head: []string{"function", "data", "n", "f", "first", "B", "gradient", "allocs", "a tape, once", "Hv ÷ gradient", "allocs"}}
	for _, m := range adjointModels(b.quick) {
		b.progress("%s", m.Name)
		t.add(b.adjoint(m)...)
	}
	b.print("Gradients by adjoint source, in units of f: the first call, which allocates so many bytes, later ones,\n"+
		"reverse.Gradient, which records and sweeps, and products with Hessians in units of gradients", &t)
}

func adjointModels(quick bool) (models []plain.Model) {
	for _, p := range problems.All {
		in := p.At(p.Sizes[1])
		if quick {
			in = p.At(p.Sizes[0])
		}
		if in.Adjoint != nil {
			models = append(models, plain.Model{Name: in.Name, X0: in.X0, Value: in.Plain, Gradient: in.Adjoint, Product: in.Product, Lifted: problems.Func[reverse.Var](in)})
		}
	}
	if quick {
		return append(models, plain.Barrier(100), plain.Mixture(3, 2, 10), plain.LSTM(2, 10))
	}
	return append(models, plain.Barrier(1e4),
		plain.Mixture(10, 5, 1000), plain.Mixture(10, 10, 1000), plain.Mixture(10, 25, 1000), plain.Mixture(32, 10, 1000),
		plain.LSTM(2, 1024), plain.LSTM(4, 1024))
}

func (b *bench) adjoint(m plain.Model) []string {
	n := len(m.X0)
	g := make([]float64, n)
	gradient := func() { m.Gradient(g, m.X0) }
	v, hv := make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = 1 + 1/float64(i+1)
	}
	product := func() { m.Product(hv, m.X0, v) }
	f := func() { m.Value(m.X0) }
	tape := func() { must(reverse.Gradient(g, m.Lifted, m.X0)) }
	// A measurement by turns calls each function many times, which a first call and a tape of
	// some hundred evaluations cannot have: they have rounds of their own.
	var plainly, first, once sample
	for range b.rounds {
		calls := 1 + int(1e-3/(1e-9+timed(f, 1).Seconds()))
		plainly.seconds = append(plainly.seconds, timed(f, calls).Seconds()/float64(calls))
		once.seconds = append(once.seconds, timed(tape, 1).Seconds())
		runtime.GC()
		runtime.GC() // the second one empties what is left of pools
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		first.seconds = append(first.seconds, timed(gradient, 1).Seconds())
		runtime.ReadMemStats(&after)
		first.bytes, first.allocs = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	}
	// Apart: with the memory of both in turns the collector takes one away for the other.
	s, products := b.measure(f, gradient), b.measure(f, product)
	s = append(s, products[1])
	ratios := []float64{first.ratio(plainly), s[1].ratio(s[0]), once.ratio(plainly), products[1].ratio(products[0]) / s[1].ratio(s[0])}
	for i, s := range []*sample{&first, &s[1], &once, &s[2]} {
		b.emit(row{Problem: m.Name, N: n, Figure: adjointFigures[i], Seconds: s.time(), Ratio: ratios[i]})
	}
	return []string{m.Name, m.Size, fmt.Sprint(n), duration(s[0].time()), digits(ratios[0]), fmt.Sprint(first.bytes),
		digits(ratios[1]), fmt.Sprint(s[1].allocs), digits(ratios[2]), digits(ratios[3]), fmt.Sprint(s[2].allocs)}
}
