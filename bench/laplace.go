package main

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/hessian/laplace"
)

var laplaceFigures = []string{"laplace-value", "laplace-gradient", "laplace-hessian"}

// marginals measures marginal likelihoods by Laplace's approximation.
func marginals(b *bench) {
	t := table{text: 1, head: []string{"model", "effects", "θ", "first", "value", "gradient", "÷ value", "hessian", "allocs", "TMB value", "gradient"}}
	for _, c := range []struct {
		model           models.MixedModel
		value, gradient string // by TMB 1.9.2, warm, from R
	}{
		{models.ThetaLogistic(), "1.3 ms", "2.0 ms"},
		{models.Spatial(), "10.7 ms", "16 ms"},
		{models.Crossed(1000), "", ""},
		{models.Volatility(100), "", ""},
		{models.Volatility(1000), "", ""},
		{models.Volatility(10000), "", ""},
		{models.Volatility(100000), "", ""},
		{models.Field(10), "", ""},
		{models.Field(32), "", ""},
		{models.Field(100), "", ""},
		{models.Field(316), "", ""},
	} {
		if n := len(c.model.U); b.quick && n > 10000 || !b.full && c.model.Name == "field" && n > 10000 {
			continue
		}
		b.progress("%s", c.model.Name)
		t.add(append(b.marginal(c.model), c.value, c.gradient)...)
	}
	b.print("Marginal likelihoods by Laplace's approximation, by turns at two θ that are 0.001 apart: first is\n"+
		"recording, preparing and the first gradient, value and gradient find the modes from that of the first θ;\n"+
		"TMB is 1.9.2 called from R, on a machine of the same kind", &t)
}

// grown is the structure of f_uu of models that are measured at several sizes.
var grown = map[string]string{"volatility": "chain", "field": "grid"}

// marginalPlots draws how times grow with the number of effects.
func marginalPlots(b *bench) []*figure {
	f := newFigure("laplace-time", "Marginal likelihoods by Laplace's approximation", "effects", "seconds")
	f.logarithmic()
	for i, name := range slices.Sorted(maps.Keys(b.marginalTimes)) {
		f.line(i, name, b.marginalTimes[name])
	}
	return []*figure{f}
}

func (b *bench) marginal(m models.MixedModel) []string {
	theta, turn := append([]float64(nil), m.X...), 1.0
	next := func() []float64 {
		theta[0] += turn * 1e-3
		turn = -turn
		return theta
	}
	g, h := make([]float64, len(theta)), mat.NewSymDense(len(theta), nil)
	var l *laplace.Marginal
	first := timed(func() {
		l = must(laplace.New(m.Func, m.U, m.X))
		_, _, err := l.ValueGradient(g, theta)
		must(0, err)
	}, 1).Seconds()
	hessian := func() { must(l.Hessian(h, next())) }
	if len(m.U) > 10000 {
		hessian = nil // takes seconds
	}
	s := b.measure(
		func() { must(l.Value(next())) },
		func() { _, _, err := l.ValueGradient(g, next()); must(0, err) },
		hessian,
	)
	cells := []string{m.Name, fmt.Sprint(len(m.U)), fmt.Sprint(len(theta)), duration(first), duration(s[0].time()), duration(s[1].time()), digits(s[1].ratio(s[0]))}
	for i, figure := range laplaceFigures {
		if i == 2 && hessian == nil {
			break
		}
		b.emit(row{Problem: m.Name, N: len(m.U), Figure: figure, Seconds: s[i].time(), Ratio: s[i].ratio(s[0]), Allocs: &s[i].allocs})
	}
	for i, what := range []string{"value", "gradient"} {
		if structure, ok := grown[m.Name]; ok {
			if b.marginalTimes == nil {
				b.marginalTimes = make(map[string]plotter.XYs)
			}
			name := what + ", " + structure
			b.marginalTimes[name] = append(b.marginalTimes[name], plotter.XY{X: float64(len(m.U)), Y: s[i].time()})
		}
	}
	last := none
	if hessian != nil {
		last = duration(s[2].time())
	}
	return append(cells, last, fmt.Sprint(s[1].allocs))
}
