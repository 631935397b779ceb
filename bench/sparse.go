package main

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

var sparseFigures = []string{"pattern", "coloring", "sparse-hessian", "sparse-jacobian"}

// A sparseMethod is one way to a sparse matrix; terms and auto have no kind of
// coloring, which is Distance1 here.
type sparseMethod struct {
	name     string
	hessian  hessian.Method
	jacobian reverse.Method
	kind     coloring.Kind
}

const noColors = coloring.Distance1

var (
	hessianMethods = []sparseMethod{
		{"terms", hessian.ByTerms, 0, noColors},
		{"star", hessian.ByStar, 0, coloring.Star},
		{"acyclic", hessian.ByAcyclic, 0, coloring.Acyclic},
		{"auto", hessian.Auto, 0, noColors},
	}
	jacobianMethods = []sparseMethod{
		{"terms", 0, reverse.ByTerms, noColors},
		{"column", 0, reverse.ByColumns, coloring.Column},
		{"row", 0, reverse.ByRows, coloring.Row},
		{"bicoloring", 0, reverse.ByBoth, coloring.StarBicoloring},
		{"auto", 0, reverse.Auto, noColors},
	}
)

// A prepared is a plan ready to evaluate.
type prepared struct {
	colors, nnz    int
	eval, gradient func() // gradient is nil for Jacobians
	third          func() // likewise: a sum of third derivatives over the pattern
}

// sparseMatrices measures pattern, coloring and evaluation of the sparse Hessian
// of scalar problems and the sparse Jacobian of vector problems.
func sparseMatrices(b *bench) {
	t := table{text: 1, head: []string{"problem", "n", "nonzeros", "pattern", "prepare",
		"method", "colors", "coloring", "gradient", "evaluation", "third", "dense", "fd"}}
	for _, c := range b.chosen {
		in := c.At(c.size)
		figure, methods := "sparse-hessian", hessianMethods
		if in.Plain == nil {
			figure, methods = "sparse-jacobian", jacobianMethods
		}
		dense := in.Name == "helmholtz" || in.Name == "rnn"
		if !dense && (b.wants("pattern") || b.wants("coloring") || b.wants(figure)) {
			b.progress("%s, n = %d", in.Name, len(in.X0))
			b.sparseMatrix(&t, newTaped(in), figure, methods)
		}
	}
	b.print("Sparse Hessians, of bratu the sparse Jacobian: evaluation with everything prepared, in units of f;\n"+
		"prepare is all from the Go function to the plan; third is a sum of\n"+
		"third derivatives over the pattern, dense a product a variable, by hand a loop in plain Go for\n"+
		"value, gradient and Hessian, source what hessian/write makes for them, fd the evaluations of f that gonum's diff/fd makes for the dense matrix", &t)
}

// sparseMatrix measures a problem by all methods.
func (b *bench) sparseMatrix(t *table, p *taped, figure string, methods []sparseMethod) {
	pattern, n := p.pattern(), len(p.X0)
	s := b.measure(p.plain, func() { p.pattern() }, func() { p.again().prepare(sparseMethod{}) }, p.product())
	f, product := s[0], s[3]
	found := p.row("pattern", s[1], f)
	found.NNZ = pattern.NNZ()
	b.emit(found)
	first := []string{p.Name, fmt.Sprint(n), fmt.Sprint(pattern.NNZ()), duration(s[1].time()), duration(s[2].time())}
	for _, m := range methods {
		t.add(append(first, b.sparseMethod(p, m, figure, pattern)...)...)
		first = make([]string, len(first))
	}
	last := t.rows[len(t.rows)-1]
	last[11] = digits(float64(n) * product.ratio(f))
	last[12] = digits(differences(n, p.Outputs()))
	for _, m := range []struct {
		name string
		eval func()
	}{{"by-hand", p.byHand()}, {"source", p.source()}} {
		if m.eval == nil {
			continue
		}
		s := b.measure(p.plain, m.eval)
		t.add("", "", "", "", "", strings.ReplaceAll(m.name, "-", " "), none, none, none, digits(s[1].ratio(s[0])), none, "", "")
		b.emit(row{Problem: p.Name, N: n, Figure: figure, Method: m.name, NNZ: pattern.NNZ(),
			Seconds: s[1].time(), Ratio: s[1].ratio(s[0]), Allocs: &s[1].allocs})
	}
}

// sparseMethod measures a problem by one method and returns its cells of the table from
// the name of the method on.
func (b *bench) sparseMethod(p *taped, m sparseMethod, figure string, pattern *sparsity.Pattern) []string {
	plan := p.prepare(m)
	var color func()
	if m.kind != noColors {
		color = func() { coloring.New(m.kind, pattern) }
	}
	s := b.measure(p.plain, color, plan.eval, plan.gradient, plan.third)
	gradient, colored, third := none, none, none
	if plan.gradient != nil {
		gradient, third = digits(s[3].ratio(s[0])), digits(s[4].ratio(s[0]))
		if m.name == "terms" {
			row := p.row("gradient", s[3], s[0])
			row.Method, row.Allocs = m.name, &s[3].allocs
			b.emit(row)
		}
	}
	if color != nil {
		row := p.row("coloring", s[1], s[0])
		row.Method, row.Colors, row.NNZ = m.name, plan.colors, plan.nnz
		colored = duration(s[1].time())
		b.emit(row)
	}
	row := p.row(figure, s[2], s[0])
	row.Method, row.Colors, row.NNZ, row.Allocs = m.name, plan.colors, plan.nnz, &s[2].allocs
	b.emit(row)
	return []string{m.name, colors(plan), colored, gradient, digits(s[2].ratio(s[0])), third, none, none}
}

// pattern detects the pattern again, which a tape does once.
func (p *taped) pattern() *sparsity.Pattern {
	if p.Outputs() > 1 {
		return domains.Jacobian(&p.Tape.Inside().Engine().Tape, nil)
	}
	return domains.Hessian(&p.Tape.Inside().Engine().Tape, nil)
}

// again is p, recorded again.
func (p *taped) again() *taped {
	q := *p
	q.Tape = must(reverse.RecordVec(p.fn, p.X0))
	return &q
}

// prepare makes the plan of a method, the zero one being auto.
func (p *taped) prepare(m sparseMethod) prepared {
	if p.Outputs() > 1 {
		j := must(reverse.SparseSettings{Method: m.jacobian}.New(p.Tape))
		a := j.Matrix()
		return prepared{numColors(j.Coloring()), a.NNZ(), func() { must(j.Eval(a, p.X0)) }, nil, nil}
	}
	h := must(hessian.SparseSettings{Method: m.hessian}.New(p.Tape))
	a := h.Matrix()
	g := make([]float64, len(p.X0))
	third := sync.OnceValue(func() *hessian.Third { return must(h.Third(nil)) })
	return prepared{numColors(h.Coloring()), a.NNZ(), func() { must(h.Eval(a, p.X0)) },
		func() { h.ValueGradient(g, p.X0) }, func() { must(third().Eval(g, p.X0, a)) }}
}

// byHand evaluates value, gradient and Hessian by what a person wrote.
func (p *taped) byHand() func() {
	pattern := p.pattern()
	if p.ByHand == nil {
		return nil
	}
	g, h := make([]float64, len(p.X0)), make([]float64, pattern.NNZ())
	return func() { p.ByHand(g, h, pattern.RowPtr(), p.X0) }
}

// source evaluates value, gradient and Hessian by what was written as Go.
func (p *taped) source() func() {
	f := problems.Source(p.Name, len(p.X0))
	if f == nil {
		return nil
	}
	g, h := make([]float64, len(p.X0)), make([]float64, p.pattern().NNZ())
	return func() { f(h, g, p.X0) }
}

// numColors is 0 for terms.
func numColors(c *coloring.Coloring) int {
	if c == nil {
		return 0
	}
	return c.Num()
}

func colors(p prepared) string {
	if p.colors == 0 {
		return none
	}
	return fmt.Sprint(p.colors)
}

// product is one product with the matrix: dense needs as many as variables.
func (p *taped) product() func() {
	n := p.Inputs()
	v := ones(n)
	if p.Outputs() > 1 {
		y := make([]float64, p.Outputs())
		return func() { must(p.JVP(y, p.X0, v)) }
	}
	hv := make([]float64, n)
	return func() { must(p.HVP(hv, p.X0, v)) }
}

// differences is how often gonum's fd evaluates a function of n variables for
// its Jacobian if it has several outputs, else for its Hessian: a polynomial of
// second degree, counted for 0 < n ≤ 3.
func differences(n, outputs int) float64 {
	var calls [3]float64
	for k := range calls {
		x := make([]float64, k+1)
		if outputs > 1 {
			fd.Jacobian(mat.NewDense(1, k+1, nil), func(y, x []float64) { calls[k]++ }, x, nil)
		} else {
			fd.Hessian(mat.NewSymDense(k+1, nil), func(x []float64) float64 { calls[k]++; return 0 }, x, nil)
		}
	}
	d := float64(n - 1)
	return calls[0] + d*(calls[1]-calls[0]) + d*(d-1)/2*(calls[2]-2*calls[1]+calls[0])
}

// A scaling is a line of a plot of time against n.
type scaling struct {
	name string
	most int // variables, beyond which it takes seconds
	make func(p *taped) func()
}

const always = math.MaxInt

var gradientScalings = []scaling{
	{"f in plain Go", always, func(p *taped) func() { return p.plain }},
	{"reverse, terms", always, func(p *taped) func() { return p.prepare(hessianMethods[0]).gradient }},
	{"reverse, tape", always, func(p *taped) func() {
		g := make([]float64, p.Inputs())
		return func() { must(p.Gradient(g, p.X0)) }
	}},
	{"forward, dual numbers", 400, func(p *taped) func() {
		f, g := problems.Func[dual.Number3](p.Instance), make([]float64, p.Inputs())
		return func() { forward.Gradient(g, f, p.X0) }
	}},
	{"gonum fd.Forward", 1024, func(p *taped) func() {
		g := make([]float64, p.Inputs())
		return func() { fd.Gradient(g, p.Plain, p.X0, nil) }
	}},
}

var hessianScalings = []scaling{
	gradientScalings[0],
	{"sparse, terms", always, func(p *taped) func() { return p.prepare(hessianMethods[0]).eval }},
	{"sparse, star", always, func(p *taped) func() { return p.prepare(hessianMethods[1]).eval }},
	{"sparse, acyclic", always, func(p *taped) func() { return p.prepare(hessianMethods[2]).eval }},
	{"dense, FoR", 1024, func(p *taped) func() {
		r, h := hessian.New(p.Tape, hessian.FoR), mat.NewSymDense(p.Inputs(), nil)
		return func() { must(r.Dense(h, p.X0)) }
	}},
	{"dense, hyper-dual", 100, func(p *taped) func() {
		f, h := problems.Func[dual.Hyper](p.Instance), mat.NewSymDense(p.Inputs(), nil)
		return func() { hessian.Forward(h, f, p.X0) }
	}},
	{"dense, gonum fd", 100, func(p *taped) func() {
		h := mat.NewSymDense(p.Inputs(), nil)
		return func() { fd.Hessian(h, p.Plain, p.X0, nil) }
	}},
}

// scalingPlots draws time against n, of gradients and of Hessians of minsurf.
func scalingPlots(b *bench) []*figure {
	return []*figure{
		b.scale("time-gradient", "Time of a gradient of minsurf", gradientScalings),
		b.scale("time-hessian", "Time of a Hessian of minsurf (9-point grid)", hessianScalings),
	}
}

// scale measures lines and draws them.
func (b *bench) scale(file, title string, lines []scaling) *figure {
	sizes := []int{25, 100, 400, 1024, 100 * 100, 316 * 316}
	if b.quick {
		sizes = sizes[:3]
	}
	points := make([]plotter.XYs, len(lines))
	for _, n := range sizes {
		b.progress("plot %s, n = %d", file, n)
		p := newTaped(problems.Named("minsurf").At(n))
		runs := make([]func(), len(lines))
		for i, l := range lines {
			if n <= l.most {
				runs[i] = l.make(p)
			}
		}
		for i, s := range quick.measure(runs...) {
			if runs[i] != nil {
				points[i] = append(points[i], plotter.XY{X: float64(n), Y: s.best()})
			}
		}
	}
	f := newFigure(file, title, "variables n", "time (s)")
	f.logarithmic()
	for i, xy := range points {
		f.line(i, lines[i].name, xy)
	}
	return f
}
