package main

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/reverse"
)

var loopFigures = []string{"loop-value", "loop-gradient", "loop-hvp"}

// loops measures the models that carry a state, with -full over all of their steps.
func loops(b *bench) {
	t := table{text: 1, head: []string{"model", "n", "steps", "f", "ops", "tape B", "value", "gradient", "hvp", "allocs"}}
	for _, m := range models.Loops {
		if !b.full {
			m = models.Loop(m.Name, m.Steps/100)
		}
		b.progress("%s", m.Name)
		t.add(b.loop(m)...)
	}
	b.print("Loops with a state: f is written by hand, the rest is on a tape in units of f", &t)
}

func (b *bench) loop(m models.LoopModel) []string {
	x, n, plain := m.X0, len(m.X0), m.Plain()
	tape := must(reverse.Record(models.LoopFunc[reverse.Var](m), x))
	g, v := make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = math.Sin(float64(i + 1))
	}
	s := b.measure(
		func() { plain(x) },
		func() { must(tape.Value(x)) },
		func() { must(tape.Gradient(g, x)) },
		func() { must(tape.HVP(g, x, v)) },
	)
	cells := []string{m.Name, fmt.Sprint(n), fmt.Sprint(m.Steps), duration(s[0].time()), fmt.Sprint(tape.Ops()), fmt.Sprint(tape.Bytes())}
	allocs := uint64(0)
	for i, figure := range loopFigures {
		s, r := s[i+1], s[i+1].ratio(s[0])
		b.emit(row{Problem: m.Name, N: n, Figure: figure, Method: "scan", Seconds: s.time(), Ratio: r, Ops: tape.Ops(), Bytes: tape.Bytes(), Allocs: &s.allocs})
		cells = append(cells, digits(r))
		allocs = max(allocs, s.allocs)
	}
	return append(cells, fmt.Sprint(allocs))
}
