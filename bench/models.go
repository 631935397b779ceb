package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/reverse"
)

var modelFigures = []string{"model-f", "model-gradient", "model-hvp", "model-hessian"}

// curvatureSteps is how many products the eigenvalues of a Hessian take.
const curvatureSteps = 30

// learning measures the models of package models.
func learning(b *bench) {
	c := b.clock
	b.clock.budget = min(c.budget, 60*time.Millisecond) // there are many
	defer func() { b.clock = c }()
	t := table{text: 1, head: []string{"model", "n", "ops", "f", "gradient", "hvp", "hessian", "by",
		"strategies off", "differences off", "eigenvalues"}}
	for _, m := range models.All {
		b.progress("%s", m.Name)
		t.add(b.model(m)...)
	}
	b.progress("svm")
	t.add(b.svm()...)
	b.print(fmt.Sprintf("Models of machine learning: f is the generic function on dual.Real, the derivatives on a tape are in its\n"+
		"units; off is what strategies differ by from FoR, and an HVP by central differences, relative to the\n"+
		"largest element; eigenvalues of the Hessian, the least and the largest, by Lanczos with %d HVPs; of svm\n"+
		"f solves the dual, and gradient and hvp are of its optimal value, by implicit.KKT and all it prepares", curvatureSteps), &t)
}

// model measures a model and returns its line of the table.
func (b *bench) model(m models.Model) []string {
	x, n := m.X0, len(m.X0)
	tape := must(reverse.Record(models.Func[reverse.Var](m), x))
	f, reals := models.Func[dual.Real](m), make([]dual.Real, n)
	for i := range reals {
		reals[i] = dual.Real(x[i])
	}
	g, v, hv := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = math.Sin(float64(i+1) * float64(i+1))
	}
	plan := must(hessian.NewSparse(tape))
	h := plan.Matrix()
	fs := []func(){
		func() { f(reals) },
		func() { must(tape.Gradient(g, x)) },
		func() { must(tape.HVP(hv, x, v)) },
		func() { must(plan.Eval(h, x)) },
	}
	s := b.measure(fs...)
	cells := []string{m.Name, fmt.Sprint(n), fmt.Sprint(tape.Ops()), duration(s[0].time())}
	off := disagreement(m, tape)
	for i, figure := range modelFigures {
		r := row{Problem: m.Name, N: n, Figure: figure, Seconds: s[i].time(), Ratio: s[i].ratio(s[0]), Allocs: &s[i].allocs}
		if i > 0 {
			r.Ops, r.Bytes = tape.Ops(), tape.Bytes()
			cells = append(cells, digits(r.Ratio))
		}
		if figure == "model-hessian" {
			r.Method, r.NNZ, r.Error = plan.Method().String(), h.NNZ(), &off
		}
		b.emit(r)
	}
	values, _, err := models.Lanczos(func(dst, v []float64) ([]float64, error) { return tape.HVP(dst, x, v) }, n, curvatureSteps)
	must(0, err)
	return append(cells, plan.Method().String(), fmt.Sprintf("%.0e", off), fmt.Sprintf("%.0e", offDifferences(tape, x, v, hv)),
		fmt.Sprintf("%.2g to %.2g", values[0], values[len(values)-1]))
}

// disagreement is the largest difference of the Hessian by FoF, RoF, RoR,
// hyper-dual numbers and the sparse plan from that by FoR, relative to the
// largest element.
func disagreement(m models.Model, tape *reverse.Tape) float64 {
	want := must(hessian.New(tape, hessian.FoR).Dense(nil, m.X0))
	off := relative(hessian.Forward(nil, models.Func[dual.Hyper](m), m.X0), want)
	for _, s := range []hessian.Strategy{hessian.FoF, hessian.RoF, hessian.RoR} {
		off = max(off, relative(must(hessian.New(tape, s).Dense(nil, m.X0)), want))
	}
	sparse := must(must(hessian.NewSparse(tape)).Eval(nil, m.X0))
	return max(off, relative(sparse, want))
}

// offDifferences is the largest difference of hv = ∇²f·v from the central
// difference of gradients, relative to the largest element.
func offDifferences(tape *reverse.Tape, x, v, hv []float64) float64 {
	const h = 1e-5
	moved := make([]float64, len(x))
	floats.AddScaledTo(moved, x, h, v)
	d := must(tape.Gradient(nil, moved))
	floats.AddScaledTo(moved, x, -h, v)
	floats.Sub(d, must(tape.Gradient(nil, moved)))
	floats.Scale(1/(2*h), d)
	return relative(mat.NewVecDense(len(d), d), mat.NewVecDense(len(hv), hv))
}

// svm measures the sensitivities of a support vector machine.
func (b *bench) svm() []string {
	lambda := models.SVMStart
	alpha, y, z := models.SolveSVM(lambda)
	n := len(alpha)
	tape := must(reverse.RecordVec(func(in []reverse.Var) []reverse.Var {
		return models.SVM(in[:n], in[n:])
	}, slices.Concat(alpha, lambda)))
	optimum := must(implicit.KKT(tape, alpha, y, z, lambda))
	g, v, hv := make([]float64, len(lambda)), ones(len(lambda)), make([]float64, len(lambda))
	s := b.measure(
		func() { models.SolveSVM(lambda) },
		func() { must(must(implicit.KKT(tape, alpha, y, z, lambda)).ValueGradient(g)) },
		func() { must(optimum.ValueHVP(hv, v)) },
	)
	cells := []string{"svm", fmt.Sprint(len(lambda)), fmt.Sprint(tape.Ops()), duration(s[0].time())}
	for i, figure := range modelFigures[:3] {
		r := row{Problem: "svm", N: len(lambda), Figure: figure, Seconds: s[i].time(), Ratio: s[i].ratio(s[0]), Allocs: &s[i].allocs}
		if i > 0 {
			r.Ops, r.Bytes = tape.Ops(), tape.Bytes()
			cells = append(cells, digits(r.Ratio))
		}
		b.emit(r)
	}
	return append(cells, none, none, none, none, none)
}
