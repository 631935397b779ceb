package main

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
)

var implicitFigures = []string{"implicit"}

// implicitDerivatives measures derivatives through equations: of the solution
// of bratu by its parameter with each linear solver, and of a fixed point
// against the derivatives of the iteration that finds it.
func implicitDerivatives(b *bench) {
	t := table{text: 1, head: []string{"unknowns", "f", "Newton", "dense LU", "sparse LU", "GMRES"}}
	for _, c := range b.chosen {
		if c.Name != "bratu" {
			continue
		}
		for _, size := range []int{c.size / 100, c.size / 10, c.size} {
			if size >= max(c.Min, 2) {
				t.add(b.solvers(c.At(size))...)
			}
		}
	}
	b.print("Implicit differentiation of bratu, F(u, λ) = 0 with λ for the factor 6: gradient of Σu by λ at the\n"+
		"solution, Jacobian, factorization and solution included, in units of F; Newton from 0 solves for u", &t)
	if len(t.rows) > 0 && !b.json {
		b.unrolled()
	}
}

// bratuLambda is bratu with λ, the last of the inputs, for its factor 6.
func bratuLambda(x []reverse.Var) []reverse.Var {
	n := len(x) - 1
	u, lambda := x[:n], x[n]
	f := problems.Bratu(u)
	for i := range f {
		f[i] = f[i].Add(lambda.RSub(6).Mul(u[i].Exp()))
	}
	return f
}

// solvers measures one size and returns its line of the table.
func (b *bench) solvers(in *problems.Instance) []string {
	n := len(in.X0)
	b.progress("%s, n = %d", in.Name, n)
	p := &taped{Instance: in, fn: bratuLambda}
	start := make([]float64, n+1)
	start[n] = 6
	p.Tape = must(reverse.RecordVec(p.fn, start))
	y := make([]float64, n)
	p.plain = func() { in.PlainVec(y, in.X0) }
	lambda := []float64{6}
	newton := implicit.NewEquation(p.Tape)
	u := must(newton.Newton(start[:n], lambda)).W()

	cells := []string{fmt.Sprint(n)}
	s := b.measure(p.plain, func() { must(newton.Newton(start[:n], lambda)) })
	cells = append(cells, duration(s[0].time()), digits(s[1].ratio(s[0])))
	for _, m := range []struct {
		name   string
		solver implicit.Solver
		most   int // unknowns for which it does not take seconds
	}{{"dense", implicit.SolverDense, 1100}, {"sparse", implicit.SolverSparse, math.MaxInt}, {"gmres", implicit.SolverGMRES, 2000}} {
		eq := implicit.Settings{Solver: m.solver, Tolerance: 1e-6}.New(p.Tape)
		bar := ones(n)
		gradient := func() error {
			s, err := eq.At(u, lambda)
			if err == nil {
				_, err = s.VJP(nil, bar)
			}
			return err
		}
		if n > m.most || gradient() != nil {
			cells = append(cells, none)
			continue
		}
		s := b.measure(p.plain, func() { must(0, gradient()) })
		cells = append(cells, digits(s[1].ratio(s[0])))
		row := p.row("implicit", s[1], s[0])
		row.N, row.Method, row.Allocs = n, m.name, &s[1].allocs
		b.emit(row)
	}
	return cells
}

// ring is w ← tanh(w₋₁/5 + w/4 − w₊₁/10) + λ, a contraction.
func ring(w, lambda []reverse.Var) []reverse.Var {
	n := len(w)
	next := make([]reverse.Var, n)
	for i := range w {
		s := w[(i+n-1)%n].Scale(0.2).Add(w[i].Scale(0.25)).Sub(w[(i+1)%n].Scale(0.1))
		next[i] = s.Tanh().Add(lambda[i])
	}
	return next
}

// unrolled compares the gradient of the sum of a fixed point by the implicit
// function theorem with that of the iteration, recorded with all its steps.
func (b *bench) unrolled() {
	const n = 100
	b.progress("a fixed point, n = %d", n)
	lambda := make([]float64, n)
	for i := range lambda {
		lambda[i] = 0.3 * math.Sin(float64(i))
	}
	iterate := func(steps int) *reverse.Tape {
		return must(reverse.RecordVec(func(lambda []reverse.Var) []reverse.Var {
			w := make([]reverse.Var, n)
			for range steps {
				w = ring(w, lambda)
			}
			return w
		}, lambda))
	}
	bytes := func(t *reverse.Tape, run func(p *sweep.Engine, ws *sweep.Workspace) error) (k int) {
		must(0, t.Inside().Sweep(lambda, func(p *sweep.Engine, ws *sweep.Workspace) error {
			err := run(p, ws)
			k = t.Bytes() + ws.Bytes()
			return err
		}))
		return k
	}
	bar := ones(n)
	gradient := func(p *sweep.Engine, ws *sweep.Workspace) error { return ws.Gradient(bar) }

	w := must(iterate(400).Values(nil, lambda))
	g := must(implicit.Record(func(w, lambda []reverse.Var) []reverse.Var {
		next := ring(w, lambda)
		for i := range next {
			next[i] = w[i].Sub(next[i])
		}
		return next
	}, w, lambda))
	eq := implicit.NewEquation(g)
	exact := must(must(eq.At(w, lambda)).VJP(nil, bar))
	t := table{text: 1, head: []string{"", "steps", "time", "bytes", "off by"}}
	s := b.measure(func() { must(must(eq.At(w, lambda)).VJP(nil, bar)) })
	t.add("implicit", none, duration(s[0].time()), fmt.Sprint(g.Bytes()), none)
	for _, steps := range []int{5, 20, 80, 320} {
		tape := iterate(steps)
		got := must(tape.VJP(nil, lambda, bar))
		off := 0.0
		for i := range got {
			off = max(off, math.Abs(got[i]-exact[i]))
		}
		s := b.measure(func() { must(tape.VJP(got, lambda, bar)) })
		t.add("unrolled", fmt.Sprint(steps), duration(s[0].time()), fmt.Sprint(bytes(tape, gradient)), fmt.Sprintf("%.1e", off))
	}
	b.print(fmt.Sprintf("Gradient of Σw by λ, w the fixed point of a contraction of %d variables: by the implicit function\n"+
		"theorem at the fixed point, and through the steps of the iteration", n), &t)
}
