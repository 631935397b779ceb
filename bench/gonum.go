package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	gonum "gonum.org/v1/gonum/num/dual"
	"gonum.org/v1/gonum/num/hyperdual"
	"gonum.org/v1/plot/plotter"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

var gonumFigures = []string{"small-gradient", "small-hessian", "step-gradient", "step-hessian"}

// againstGonum compares the library with what gonum has for derivatives: on
// small problems, in time and accuracy, and over the step of differences.
func againstGonum(b *bench) {
	t := table{text: 3, head: []string{"problem", "derivative", "method", "time", "time/f", "error"}}
	sizes := []int{10, 100}
	if b.quick {
		sizes = sizes[:1]
	}
	for _, name := range []string{"rosen", "trig"} { // written for gonum's numbers below
		for _, n := range sizes {
			for _, figure := range gonumFigures[:2] {
				if b.chose(name) && b.wants(figure) {
					b.progress("%s of %s, n = %d", figure, name, n)
					b.compare(&t, problems.Named(name).At(n), figure)
				}
			}
		}
	}
	b.print("Beside gonum: time of one derivative, in units of f too; error is the largest difference from the tape's,\n"+
		"relative to the largest element; gonum's numbers run functions written for them, the library's generic ones", &t)
	if b.chose("rosen") && (b.wants("step-gradient") || b.wants("step-hessian")) {
		b.progress("differences of rosen")
		s := steps()
		b.emit(s.rows()...)
		s.print(b)
	}
}

// chose reports whether a problem is chosen, at whatever size.
func (b *bench) chose(problem string) bool {
	return slices.ContainsFunc(b.chosen, func(c choice) bool { return c.Name == problem })
}

// A rival is one way to a derivative, which it stores in its matrix: one row for
// a gradient.
type rival struct {
	name string
	run  func()
	dst  mat.Matrix
}

// rivalsOf is the ways to a derivative. The first is the reference.
func rivalsOf(in *problems.Instance, figure string) []rival {
	onDual, onHyper := gonumFunc(in.Name)
	number, hyper := problems.Concrete(in)
	x, n := in.X0, len(in.X0)
	t := must(reverse.Record(problems.Func[reverse.Var](in), x))
	if figure == "small-gradient" {
		gradient := func(name string, run func(g []float64)) rival {
			g := make([]float64, n)
			return rival{name, func() { run(g) }, mat.NewDense(1, n, g)}
		}
		f := problems.Func[dual.Number3](in)
		return []rival{
			gradient("tape", func(g []float64) { must(t.Gradient(g, x)) }),
			gradient("dual.Number3", func(g []float64) { forward.Gradient(g, f, x) }),
			gradient("dual.Number3, lifted", func(g []float64) { forward.Gradient(g, number, x) }),
			gradient("gonum num/dual", func(g []float64) { gonumGradient(g, onDual, x) }),
			gradient("gonum fd.Forward", func(g []float64) { fd.Gradient(g, in.Plain, x, nil) }),
			gradient("gonum fd.Central", func(g []float64) {
				fd.Gradient(g, in.Plain, x, &fd.Settings{Formula: fd.Central})
			}),
		}
	}
	dense := func(name string, run func(h *mat.SymDense)) rival {
		h := mat.NewSymDense(n, nil)
		return rival{name, func() { run(h) }, h}
	}
	r := hessian.New(t, hessian.FoR)
	f := problems.Func[dual.Hyper](in)
	rivals := []rival{dense("tape, FoR", func(h *mat.SymDense) { must(r.Dense(h, x)) })}
	if p := must(hessian.NewSparse(t)); p.Pattern().Density() < 0.5 {
		h := p.Matrix()
		rivals = append(rivals, rival{"tape, sparse", func() { must(p.Eval(h, x)) }, h})
	}
	return append(rivals,
		dense("dual.Hyper", func(h *mat.SymDense) { hessian.Forward(h, f, x) }),
		dense("dual.Hyper, lifted", func(h *mat.SymDense) { hessian.Forward(h, hyper, x) }),
		dense("gonum num/hyperdual", func(h *mat.SymDense) { gonumHessian(h, onHyper, x) }),
		dense("gonum fd.Hessian", func(h *mat.SymDense) { fd.Hessian(h, in.Plain, x, nil) }),
		dense("gonum fd.Hessian, central", func(h *mat.SymDense) {
			fd.Hessian(h, in.Plain, x, &fd.Settings{Formula: fd.Central, Step: math.Pow(2, -13)})
		}))
}

// compare measures rivals and adds them to the table.
func (b *bench) compare(t *table, in *problems.Instance, figure string) {
	rivals := rivalsOf(in, figure)
	fs := []func(){func() { in.Plain(in.X0) }}
	for _, r := range rivals {
		fs = append(fs, r.run)
	}
	samples := b.measure(fs...)
	cells := []string{fmt.Sprintf("%s, n = %d", in.Name, len(in.X0)), strings.TrimPrefix(figure, "small-")}
	for i, r := range rivals {
		s := samples[i+1]
		row := row{Problem: in.Name, N: len(in.X0), Figure: figure, Method: r.name, Seconds: s.time(),
			Ratio: s.ratio(samples[0]), Allocs: &s.allocs}
		off := none
		if i > 0 {
			d := relative(r.dst, rivals[0].dst)
			row.Error, off = &d, fmt.Sprintf("%.1e", d)
		}
		b.emit(row)
		t.add(append(cells, r.name, duration(row.Seconds), digits(row.Ratio), off)...)
		cells = []string{"", ""}
	}
}

// relative is the largest |aᵢⱼ − bᵢⱼ| over the largest |bᵢⱼ|, NaN if there is a
// NaN.
func relative(a, b mat.Matrix) float64 {
	var d, s float64
	m, n := b.Dims()
	for i := range m {
		for j := range n {
			d = max(d, math.Abs(a.At(i, j)-b.At(i, j)))
			s = max(s, math.Abs(b.At(i, j)))
		}
	}
	return d / s
}

// gonumFunc is rosen or trig over gonum's numbers.
func gonumFunc(problem string) (func([]gonum.Number) gonum.Number, func([]hyperdual.Number) hyperdual.Number) {
	if problem == "rosen" {
		return rosenDual, rosenHyper
	}
	return trigDual, trigHyper
}

func rosenDual(x []gonum.Number) (s gonum.Number) {
	one := gonum.Number{Real: 1}
	for i := 0; i+1 < len(x); i++ {
		a := gonum.Sub(x[i+1], gonum.Mul(x[i], x[i]))
		c := gonum.Sub(one, x[i])
		s = gonum.Add(s, gonum.Add(gonum.Scale(100, gonum.Mul(a, a)), gonum.Mul(c, c)))
	}
	return s
}

func rosenHyper(x []hyperdual.Number) (s hyperdual.Number) {
	one := hyperdual.Number{Real: 1}
	for i := 0; i+1 < len(x); i++ {
		a := hyperdual.Sub(x[i+1], hyperdual.Mul(x[i], x[i]))
		c := hyperdual.Sub(one, x[i])
		s = hyperdual.Add(s, hyperdual.Add(hyperdual.Scale(100, hyperdual.Mul(a, a)), hyperdual.Mul(c, c)))
	}
	return s
}

func trigDual(x []gonum.Number) (s gonum.Number) {
	one := gonum.Number{Real: 1}
	for i := 0; i+1 < len(x); i++ {
		y, z := x[i], x[i+1]
		wave := gonum.Sin(gonum.Mul(y, z))
		damp := gonum.Exp(gonum.Scale(-0.1, gonum.Mul(y, y)))
		log := gonum.Log(gonum.Add(one, gonum.Mul(z, z)))
		s = gonum.Add(s, gonum.Add(gonum.Mul(wave, damp), log))
	}
	return s
}

func trigHyper(x []hyperdual.Number) (s hyperdual.Number) {
	one := hyperdual.Number{Real: 1}
	for i := 0; i+1 < len(x); i++ {
		y, z := x[i], x[i+1]
		wave := hyperdual.Sin(hyperdual.Mul(y, z))
		damp := hyperdual.Exp(hyperdual.Scale(-0.1, hyperdual.Mul(y, y)))
		log := hyperdual.Log(hyperdual.Add(one, hyperdual.Mul(z, z)))
		s = hyperdual.Add(s, hyperdual.Add(hyperdual.Mul(wave, damp), log))
	}
	return s
}

// gonumGradient is ∇f(x) by n evaluations of f.
func gonumGradient(dst []float64, f func([]gonum.Number) gonum.Number, x []float64) {
	y := make([]gonum.Number, len(x))
	for i, v := range x {
		y[i].Real = v
	}
	for i := range dst {
		y[i].Emag = 1
		dst[i] = f(y).Emag
		y[i].Emag = 0
	}
}

// gonumHessian is ∇²f(x) by n(n+1)/2 evaluations of f.
func gonumHessian(dst *mat.SymDense, f func([]hyperdual.Number) hyperdual.Number, x []float64) {
	y := make([]hyperdual.Number, len(x))
	for i, v := range x {
		y[i].Real = v
	}
	for i := range y {
		y[i].E1mag = 1
		for j := i; j < len(y); j++ {
			y[j].E2mag = 1
			dst.SetSym(i, j, f(y).E1E2mag)
			y[j].E2mag = 0
		}
		y[i].E1mag = 0
	}
}

// A study is the relative errors of differences of rosen by their step, against
// its exact derivatives.
type study struct {
	n      int
	steps  []float64
	curves []curve
	tape   [2]float64 // errors of the gradient and of the Hessian
}

// A curve is the errors of a formula.
type curve struct {
	figure, method string
	errors         []float64
}

// steps makes the study.
func steps() *study {
	const n = 10
	in := problems.Named("rosen").At(n)
	x := in.X0
	exact, exactHessian := exactRosen(x)
	t := must(reverse.Record(problems.Rosen[reverse.Var], x))
	g := must(t.Gradient(nil, x))
	h := must(hessian.New(t, hessian.FoR).Dense(nil, x))
	s := &study{n: n, tape: [2]float64{relative(mat.NewDense(1, n, g), exact), relative(h, exactHessian)}}
	for e := -1; e >= -15; e-- {
		s.steps = append(s.steps, math.Pow10(e))
	}

	gradient := func(f fd.Formula) func(h float64) float64 {
		return func(step float64) float64 {
			fd.Gradient(g, in.Plain, x, &fd.Settings{Formula: f, Step: step})
			return relative(mat.NewDense(1, n, g), exact)
		}
	}
	second := func(f fd.Formula) func(h float64) float64 {
		return func(step float64) float64 {
			fd.Hessian(h, in.Plain, x, &fd.Settings{Formula: f, Step: step})
			return relative(h, exactHessian)
		}
	}
	j := mat.NewDense(n, n, nil)
	for _, c := range []struct {
		figure, method string
		off            func(step float64) float64
	}{
		{"step-gradient", "forward", gradient(fd.Forward)},
		{"step-gradient", "central", gradient(fd.Central)},
		{"step-hessian", "forward", second(fd.Forward)},
		{"step-hessian", "central", second(fd.Central)},
		{"step-hessian", "central of exact gradients", func(step float64) float64 {
			f := func(y, x []float64) { must(t.Gradient(y, x)) }
			fd.Jacobian(j, f, x, &fd.JacobianSettings{Formula: fd.Central, Step: step})
			return relative(j, exactHessian)
		}},
	} {
		k := curve{figure: c.figure, method: c.method}
		for _, step := range s.steps {
			k.errors = append(k.errors, c.off(step))
		}
		s.curves = append(s.curves, k)
	}
	return s
}

// exactRosen is the gradient and the Hessian of rosen, computed with so many
// bits that nothing is rounded before the end.
func exactRosen(x []float64) (*mat.Dense, *mat.SymDense) {
	n := len(x)
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(512).SetFloat64(v) }
	add := func(a, b *big.Float) *big.Float { return new(big.Float).Add(a, b) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).Mul(a, b) }
	scale := func(c float64, a *big.Float) *big.Float { return mul(number(c), a) }
	g, h := mat.NewDense(1, n, nil), mat.NewSymDense(n, nil)
	for i := range x {
		xi := number(x[i])
		gi, hi := number(0), number(0)
		if i+1 < n { // −400xᵢ(xᵢ₊₁ − xᵢ²) − 2(1 − xᵢ)
			next := number(x[i+1])
			square := mul(xi, xi)
			gi = add(gi, scale(-400, mul(xi, add(next, scale(-1, square)))))
			gi = add(gi, add(number(-2), scale(2, xi)))
			hi = add(hi, add(scale(1200, square), add(scale(-400, next), number(2))))
			off, _ := scale(-400, xi).Float64()
			h.SetSym(i, i+1, off)
		}
		if i > 0 { // 200(xᵢ − xᵢ₋₁²)
			before := number(x[i-1])
			gi = add(gi, scale(200, add(xi, scale(-1, mul(before, before)))))
			hi = add(hi, number(200))
		}
		v, _ := gi.Float64()
		g.Set(0, i, v)
		v, _ = hi.Float64()
		h.SetSym(i, i, v)
	}
	return g, h
}

func (s *study) rows() (rows []row) {
	for i, figure := range gonumFigures[2:] {
		rows = append(rows, row{Problem: "rosen", N: s.n, Figure: figure, Method: "tape", Error: &s.tape[i]})
	}
	for _, c := range s.curves {
		for i, step := range s.steps {
			rows = append(rows, row{Problem: "rosen", N: s.n, Figure: c.figure, Method: c.method,
				Step: step, Error: &c.errors[i]})
		}
	}
	return rows
}

func (s *study) print(b *bench) {
	t := table{text: 1, head: []string{"step", "∇f forward", "∇f central", "∇²f forward", "∇²f central", "central of ∇f"}}
	for i, step := range s.steps {
		cells := []string{fmt.Sprintf("%.0e", step)}
		for _, c := range s.curves {
			cells = append(cells, fmt.Sprintf("%.1e", c.errors[i]))
		}
		t.add(cells...)
	}
	b.print(fmt.Sprintf("Differences of rosen, n = %d, by gonum's diff/fd: error against the derivatives in exact arithmetic,\n"+
		"relative to the largest element; that of the tape is %.1e for ∇f, %.1e for ∇²f", s.n, s.tape[0], s.tape[1]), &t)
}

// stepPlots draws the study.
func stepPlots(*bench) []*figure {
	s := steps()
	f := newFigure("differences", fmt.Sprintf("Finite differences and exact derivatives of rosen, n = %d", s.n),
		"step of the differences", "relative error")
	f.logarithmic()
	names := []string{"gradient, forward", "gradient, central",
		"Hessian, forward", "Hessian, central", "Hessian, of exact gradients"}
	for i, c := range s.curves {
		var xy plotter.XYs
		for k, step := range s.steps {
			if c.errors[k] <= 10 { // beyond that nothing is right
				xy = append(xy, plotter.XY{X: step, Y: c.errors[k]})
			}
		}
		f.line(i+1, names[i], xy)
	}
	first, last := s.steps[0], s.steps[len(s.steps)-1]
	f.level("gradient, tape", last, first, s.tape[0])
	f.level("Hessian, tape", last, first, s.tape[1], dashes...)
	return []*figure{f}
}
