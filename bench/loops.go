package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/reverse"
)

var (
	loopFigures  = []string{"loop-value", "loop-gradient", "loop-hvp"}
	denseFigures = []string{"dense-value", "dense-gradient", "dense-hvp"}
)

// loops measures the models that carry a state, with -full over all of their steps.
func loops(b *bench) {
	t := table{text: 1, head: []string{"model", "n", "steps", "f", "ops", "tape B", "value", "gradient", "hvp", "allocs"}}
	for _, m := range models.Loops {
		if !b.full {
			m = models.Loop(m.Name, m.Steps/100)
		}
		plain, tape := m.Plain(), must(reverse.Record(models.LoopFunc[reverse.Var](m), m.X0))
		at := func() []float64 { return m.X0 }
		cells := b.onTape(row{Problem: m.Name, Method: "scan"}, loopFigures, tape, func() { plain(m.X0) }, at)
		t.add(slices.Insert(cells, 2, fmt.Sprint(m.Steps))...)
	}
	b.print("Loops with a state: f is written by hand, the rest is on a tape in units of f", &t)
}

// denseModels measures the models whose work is in matrices.
func denseModels(b *bench) {
	t := table{text: 1, head: []string{"model", "n", "f", "ops", "tape B", "value", "gradient", "hvp", "allocs"}}
	for _, m := range models.Dense {
		x := slices.Clone(m.X0)
		moved := func() []float64 { // a tape has the factors of the last point still
			x[0] = math.Nextafter(x[0], 2)
			return x
		}
		tape := must(reverse.Record(models.DenseFunc[reverse.Var](m), x))
		t.add(b.onTape(row{Problem: m.Name}, denseFigures, tape, func() { m.Plain(moved()) }, moved)...)
	}
	b.print("Models of matrices: f is written by hand with gonum, the rest is on a tape in units of f", &t)
}

// onTape measures value, gradient and product of a tape at x, and returns a line of a table. r is
// what is known of the rows.
func (b *bench) onTape(r row, figures []string, tape *reverse.Tape, f func(), x func() []float64) []string {
	b.progress("%s", r.Problem)
	r.N, r.Ops, r.Bytes = tape.Inputs(), tape.Ops(), tape.Bytes()
	g, v, hv := make([]float64, r.N), make([]float64, r.N), make([]float64, r.N)
	for i := range v {
		v[i] = math.Sin(float64(i + 1))
	}
	s := b.measure(
		f,
		func() { must(tape.Value(x())) },
		func() { must(tape.Gradient(g, x())) },
		func() { must(tape.HVP(hv, x(), v)) },
	)
	cells := []string{r.Problem, fmt.Sprint(r.N), duration(s[0].time()), fmt.Sprint(r.Ops), fmt.Sprint(r.Bytes)}
	allocs := uint64(0)
	for i, figure := range figures {
		s, ratio := s[i+1], s[i+1].ratio(s[0])
		r.Figure, r.Seconds, r.Ratio, r.Allocs = figure, s.time(), ratio, &s.allocs
		b.emit(r)
		cells = append(cells, digits(ratio))
		allocs = max(allocs, s.allocs)
	}
	return append(cells, fmt.Sprint(allocs))
}
