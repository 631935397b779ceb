package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/reverse"
)

var denseFigures = []string{"dense-value", "dense-gradient", "dense-hvp"}

// denseModels measures the models whose work is in matrices.
func denseModels(b *bench) {
	t := table{text: 1, head: []string{"model", "n", "f", "ops", "tape B", "value", "gradient", "hvp", "allocs"}}
	for _, m := range models.Dense {
		b.progress("%s", m.Name)
		t.add(b.denseModel(m)...)
	}
	b.print("Models of matrices: f is written by hand with gonum, the rest is on a tape in units of f", &t)
}

func (b *bench) denseModel(m models.DenseModel) []string {
	x, n := m.X0, len(m.X0)
	tape := must(reverse.Record(models.DenseFunc[reverse.Var](m), x))
	g, v, hv := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = math.Sin(float64(i + 1))
	}
	x = slices.Clone(x)
	moved := func() []float64 { // a tape has the factors of the last point still
		x[0] = math.Nextafter(x[0], 2)
		return x
	}
	s := b.measure(
		func() { m.Plain(moved()) },
		func() { must(tape.Value(moved())) },
		func() { must(tape.Gradient(g, moved())) },
		func() { must(tape.HVP(hv, moved(), v)) },
	)
	cells := []string{m.Name, fmt.Sprint(n), duration(s[0].time()), fmt.Sprint(tape.Ops()), fmt.Sprint(tape.Bytes())}
	allocs := uint64(0)
	for i, figure := range denseFigures {
		s, r := s[i+1], s[i+1].ratio(s[0])
		b.emit(row{Problem: m.Name, N: n, Figure: figure, Seconds: s.time(), Ratio: r, Ops: tape.Ops(), Bytes: tape.Bytes(), Allocs: &s.allocs})
		cells = append(cells, digits(r))
		allocs = max(allocs, s.allocs)
	}
	return append(cells, fmt.Sprint(allocs))
}
