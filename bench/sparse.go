package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
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
}

// sparseMatrices measures pattern, coloring and evaluation of the sparse Hessian
// of scalar problems and the sparse Jacobian of vector problems.
func sparseMatrices(b *bench) {
	t := table{text: 1, head: []string{"problem", "n", "nonzeros", "pattern", "prepare", "method", "colors", "coloring", "gradient", "evaluation", "dense", "fd"}}
	for _, c := range b.chosen {
		in := c.At(c.size)
		if in.Name == "helmholtz" || in.Name == "rnn" {
			continue // dense
		}
		b.progress("%s, n = %d", in.Name, len(in.X0))
		p := newTaped(in)
		figure, methods := "sparse-hessian", hessianMethods
		if p.Outputs() > 1 {
			figure, methods = "sparse-jacobian", jacobianMethods
		}
		if !b.wants("pattern") && !b.wants("coloring") && !b.wants(figure) {
			continue
		}
		pattern := p.pattern()
		s := b.measure(p.plain, func() { p.pattern() }, func() { p.again().prepare(sparseMethod{}) }, p.product())
		f := s[0]
		row := p.row("pattern", s[1], f)
		row.NNZ = pattern.NNZ()
		b.emit(row)
		for i, m := range methods {
			cells := []string{"", "", "", "", ""}
			if i == 0 {
				cells = []string{in.Name, fmt.Sprint(len(p.X0)), fmt.Sprint(pattern.NNZ()), duration(s[1].time()), duration(s[2].time())}
			}
			plan := p.prepare(m)
			var color func()
			if m.kind != noColors {
				color = func() { coloring.New(m.kind, pattern) }
			}
			s := b.measure(p.plain, color, plan.eval, plan.gradient)
			cells = append(cells, m.name, colors(plan), none, none, digits(s[2].ratio(s[0])), none, none)
			if plan.gradient != nil {
				cells[8] = digits(s[3].ratio(s[0]))
				if m.name == "terms" {
					row := p.row("gradient", s[3], s[0])
					row.Method, row.Allocs = m.name, &s[3].allocs
					b.emit(row)
				}
			}
			if color != nil {
				row := p.row("coloring", s[1], s[0])
				row.Method, row.Colors, row.NNZ = m.name, plan.colors, plan.nnz
				cells[7] = duration(s[1].time())
				b.emit(row)
			}
			row := p.row(figure, s[2], s[0])
			row.Method, row.Colors, row.NNZ, row.Allocs = m.name, plan.colors, plan.nnz, &s[2].allocs
			b.emit(row)
			t.add(cells...)
		}
		last := t.rows[len(t.rows)-1]
		last[10] = digits(float64(len(p.X0)) * s[3].ratio(f))
		last[11] = digits(differences(len(p.X0), p.Outputs()))
	}
	b.print("Sparse Hessians, of bratu the sparse Jacobian: evaluation with everything prepared, in units of f;\n"+
		"prepare is all from the Go function to the plan; dense is a product a variable, fd the evaluations of f\n"+
		"that gonum's diff/fd makes for the dense matrix", &t)
}

// pattern detects the pattern again, which a tape does once.
func (p *taped) pattern() *sparsity.Pattern {
	jacobian, h := sparsity.OfProgram(p.Program(), nil, p.Outputs() > 1, p.Outputs() == 1)
	if jacobian != nil {
		return jacobian
	}
	return h
}

// again is p, recorded again.
func (p *taped) again() *taped {
	q := *p
	q.Tape = must(reverse.RecordVec(p.X0, p.fn))
	return &q
}

// prepare makes the plan of a method, the zero one being auto.
func (p *taped) prepare(m sparseMethod) prepared {
	if p.Outputs() > 1 {
		j := must(reverse.SparseSettings{Method: m.jacobian}.New(p.Tape))
		a := j.Matrix()
		return prepared{numColors(j.Coloring()), a.NNZ(), func() { must(0, j.Eval(a, p.X0)) }, nil}
	}
	h := must(hessian.SparseSettings{Method: m.hessian}.New(p.Tape))
	a := h.Matrix()
	g := make([]float64, len(p.X0))
	return prepared{numColors(h.Coloring()), a.NNZ(), func() { must(0, h.Eval(a, p.X0)) },
		func() { must(h.ValueGradient(g, p.X0)) }}
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

// scalingPlots draws time against n, of gradients and of Hessians of minsurf.
func scalingPlots(b *bench) []*figure {
	const name = "minsurf"
	sizes := []int{25, 100, 400, 1024, 100 * 100, 316 * 316}
	if b.quick {
		sizes = sizes[:3]
	}
	// Beyond most variables a method is left out that takes more than seconds.
	type method struct {
		name string
		most int
		run  func()
	}
	draw := func(figure *figure, methods func(p *taped) []method) *figure {
		var names []string
		var lines []plotter.XYs
		for _, n := range sizes {
			b.progress("plots, %s, n = %d", name, n)
			p := newTaped(problems.Named(name).At(n))
			list := methods(p)
			fs := make([]func(), len(list))
			if lines == nil {
				lines = make([]plotter.XYs, len(list))
			}
			names = nil
			for i, m := range list {
				names = append(names, m.name)
				if n <= m.most {
					fs[i] = m.run
				}
			}
			for i, s := range quick.measure(fs...) {
				if fs[i] != nil {
					lines[i] = append(lines[i], plotter.XY{X: float64(n), Y: s.time()})
				}
			}
		}
		figure.logarithmic()
		for i, xy := range lines {
			figure.line(i, names[i], xy, plotter.NoStep)
		}
		return figure
	}
	const any = math.MaxInt
	gradients := newFigure("time-gradient", "Time of a gradient of "+name, "variables n", "time (s)")
	hessians := newFigure("time-hessian", "Time of a Hessian of "+name+" (9-point grid)", "variables n", "time (s)")
	return []*figure{
		draw(gradients, func(p *taped) []method {
			g, x := make([]float64, len(p.X0)), p.X0
			terms := p.prepare(sparseMethod{hessian: hessian.ByTerms})
			dual := problems.Func[dual.Number](p.Instance)
			return []method{
				{"f in plain Go", any, p.plain},
				{"reverse, terms", any, terms.gradient},
				{"reverse, tape", any, func() { must(p.Gradient(g, x)) }},
				{"forward, dual numbers", 400, func() { forward.Gradient(g, dual, x) }},
				{"gonum fd.Forward", 1024, func() { fd.Gradient(g, p.Plain, x, nil) }},
			}
		}),
		draw(hessians, func(p *taped) []method {
			x := p.X0
			methods := []method{{"f in plain Go", any, p.plain}}
			for i, name := range []string{"sparse, terms", "sparse, star", "sparse, acyclic"} {
				methods = append(methods, method{name, any, p.prepare(hessianMethods[i]).eval})
			}
			var h *mat.SymDense
			if len(x) <= 1024 {
				h = mat.NewSymDense(len(x), nil)
			}
			r := hessian.New(p.Tape, hessian.FoR)
			hyper := problems.Func[dual.Hyper](p.Instance)
			return append(methods,
				method{"dense, FoR", 1024, func() { must(r.Dense(h, x)) }},
				method{"dense, hyper-dual", 100, func() { hessian.Forward(h, hyper, x) }},
				method{"dense, gonum fd", 100, func() { fd.Hessian(h, p.Plain, x, nil) }})
		}),
	}
}
