package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/hesse-ad/hesse/bench/minima"
	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

var newtonFigures = []string{"newton-minimize", "newton-kkt", "newton-cops", "newton-models", "newton-hs", "newton-profile", "newton-loop", "newton-fit"}

// solving runs the methods of package hessian/newton. A run is timed once: it is many
// evaluations long.
func solving(b *bench) {
	if b.wants("newton-minimize") {
		b.minimize()
	}
	if b.wants("newton-kkt") {
		b.constrained()
	}
	if b.wants("newton-cops") {
		b.cops()
	}
	if b.wants("newton-models") {
		b.models()
	}
	if b.wants("newton-hs") {
		b.hockSchittkowski()
	}
	if b.wants("newton-profile") {
		b.profile()
	}
	if b.wants("newton-loop") {
		b.control()
	}
	if b.wants("newton-fit") {
		b.fits()
	}
}

// costHead are the columns of cost.
var costHead = []string{"iterations", "values", "Hessians", "factorizations",
	"prepare", "derivatives", "linear algebra", "all"}

func cost(c newton.Cost, all time.Duration) []string {
	return []string{
		fmt.Sprint(c.Iterations), fmt.Sprint(c.Values), fmt.Sprint(c.Hessians), fmt.Sprint(c.Factorizations),
		duration(c.Prepare.Seconds()), duration(c.Derivatives.Seconds()),
		duration(c.LinearAlgebra.Seconds()), duration(all.Seconds()),
	}
}

// emitResult gives the row of a run, whose error is the largest derivative left.
func (b *bench) emitResult(figure, problem, method string, r *newton.Result, all time.Duration) {
	b.emit(row{Problem: problem, N: len(r.X), Figure: figure, Method: method, Seconds: all.Seconds(), Error: &r.Unscaled.Dual,
		Iterations: r.Iterations, Factorizations: r.Factorizations,
		Derivatives: r.Derivatives.Seconds(), LinearAlgebra: r.LinearAlgebra.Seconds()})
}

// minimize finds minima by newton.TrustRegion.
func (b *bench) minimize() {
	t := table{text: 1, head: []string{"problem", "n", "minimum", "largest |∂f|"}}
	t.head = append(t.head, costHead...)
	for _, p := range problems.All {
		sizes := p.Sizes[:2]
		switch {
		case b.quick:
			sizes = sizes[:1]
		case b.full:
			sizes = p.Sizes
		}
		for _, n := range sizes {
			in := p.At(n)
			f := problems.Func[reverse.Var](in)
			if f == nil || p.Name == "helmholtz" || p.Name == "rnn" { // dense
				break
			}
			b.progress("%s, n = %d", p.Name, len(in.X0))
			x0 := minima.Start(in)
			tape := must(reverse.Record(f, x0))
			start := time.Now()
			r := must(newton.TrustRegion{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0))
			all := time.Since(start)
			b.emitResult("newton-minimize", p.Name, "", r, all)
			t.add(append([]string{p.Name, fmt.Sprint(len(x0)), fmt.Sprintf("%.9g", r.F),
				fmt.Sprintf("%.0e", r.Unscaled.Dual)}, cost(r.Cost, all)...)...)
		}
	}
	b.print("Newton's method in a trust region, sparse Hessians and sparse Cholesky; rosen from xᵢ = 1 + 0.9 sin i, trig\n"+
		"from (−1.2, 1, −1.2, …), the others from where all is measured", &t)
}

// constrained solves the problems of Lukšan and Vlček by newton.InteriorPoint.
func (b *bench) constrained() {
	n := 10000
	if b.quick {
		n = 1000
	}
	t := constrainedTable()
	for _, p := range minima.LuksanVlcek {
		x0 := p.Start(n)
		tape := must(reverse.RecordVec(p.Func, x0))
		b.interior(&t, "newton-kkt", p.Name, newton.Problem{Func: reverse.FuncOf(tape)}, x0)
	}
	b.print("newton.InteriorPoint on problems of Lukšan and Vlček: sparse Hessians of the Lagrangian, sparse Jacobians,\n"+
		"sparse LDLᵀ of the primal–dual system", &t)
}

func constrainedTable() table {
	t := table{text: 1, head: []string{"problem", "n", "constraints", "minimum", "largest |∂L|", "|c|"}}
	t.head = append(t.head, costHead...)
	return t
}

// interior solves a problem and adds its row.
func (b *bench) interior(t *table, figure, name string, p newton.Problem, x0 []float64) *newton.Result {
	b.progress("%s, n = %d", name, len(x0))
	start := time.Now()
	r := must(newton.InteriorPoint{}.Solve(context.Background(), p, x0))
	all := time.Since(start)
	b.emitResult(figure, name, "", r, all)
	b.solved = append(b.solved, solved{figure, name, r, all})
	t.add(append([]string{name, fmt.Sprint(len(x0)), fmt.Sprint(len(r.Y)), fmt.Sprintf("%.9g", r.F),
		fmt.Sprintf("%.0e", r.Unscaled.Dual), fmt.Sprintf("%.0e", r.Unscaled.Primal)}, cost(r.Cost, all)...)...)
	return r
}

// cops solves problems of COPS by newton.InteriorPoint.
func (b *bench) cops() {
	t := constrainedTable()
	b.families(&t, "newton-cops", minima.COPS)
	b.print("newton.InteriorPoint on problems of COPS 3.0: inequalities, bounds, optimal control", &t)
}

// models solves optimal power flow and the models of package minima.
func (b *bench) models() {
	t := constrainedTable()
	for _, g := range minima.Grids {
		p := g.PowerFlow()
		b.interior(&t, "newton-models", p.Name, p.Problem, p.X0)
	}
	b.families(&t, "newton-models", minima.Models)
	b.print("newton.InteriorPoint on optimal power flow, trajectories by collocation, a portfolio, logistic regression", &t)
}

// families solves families of problems, at the smallest of their sizes, with -full at all
// of them.
func (b *bench) families(t *table, figure string, families []minima.Family) {
	for _, f := range families {
		sizes := f.Sizes[:1]
		if b.full {
			sizes = f.Sizes
		}
		for _, size := range sizes {
			p := f.At(size)
			b.interior(t, figure, f.Name, p.Problem, p.X0)
		}
	}
}

// hockSchittkowski solves the problems of Hock and Schittkowski, and prints in how many
// iterations: -json has each of them.
func (b *bench) hockSchittkowski() {
	each := constrainedTable()
	var iterations []int
	start := time.Now()
	for _, p := range minima.HS {
		iterations = append(iterations, b.interior(&each, "newton-hs", p.Name, p.Problem, p.X0).Iterations)
	}
	all := time.Since(start)
	slices.Sort(iterations)
	quantile := func(q float64) string { return fmt.Sprint(iterations[int(q*float64(len(iterations)-1))]) }
	t := table{text: 0, head: []string{"problems", "median iterations", "9 of 10 below", "most", "all"}}
	t.add(fmt.Sprint(len(iterations)), quantile(0.5), quantile(0.9), quantile(1), duration(all.Seconds()))
	b.print("newton.InteriorPoint on problems of Hock and Schittkowski, all solved", &t)
}

// control keeps up a pole on a cart for 40 steps, with what is prepared for the first and without.
func (b *bench) control() {
	const horizon, steps = 30, 40
	t := table{text: 1, head: []string{"", "n", "iterations", "the first", "each of the others", "allocations"}}
	for _, m := range []struct {
		name  string
		plans *newton.Plans
	}{{"prepared once", new(newton.Plans)}, {"prepared each time", nil}} {
		p := minima.NewPendulum(horizon)
		o := newton.InteriorPoint{Settings: newton.Settings{Plans: m.plans}}
		var times []float64
		var before, after runtime.MemStats
		iterations := 0
		for k := range steps {
			if k == 1 {
				runtime.ReadMemStats(&before)
			}
			start := time.Now()
			r := must(o.Solve(context.Background(), p.Problem, p.X0))
			times = append(times, time.Since(start).Seconds())
			iterations += r.Iterations
			push := 0.0
			if k%10 == 9 {
				push = 1
			}
			p.Step(r.X, push)
			o.Warm = r
		}
		runtime.ReadMemStats(&after)
		allocs := (after.Mallocs - before.Mallocs) / (steps - 1)
		first, others := times[0], times[1:]
		slices.Sort(others)
		median := others[len(others)/2]
		r := row{Problem: m.name, N: len(p.X0), Figure: "newton-loop", Allocs: &allocs}
		r.Method, r.Seconds = "the first", first
		b.emit(r)
		r.Method, r.Seconds = "the others", median
		b.emit(r)
		t.add(m.name, fmt.Sprint(len(p.X0)), fmt.Sprint(iterations), duration(first), duration(median), fmt.Sprint(allocs))
	}
	b.print(fmt.Sprintf("newton.InteriorPoint in a loop: a pole on a cart is kept up for %d steps, looking ahead %d", steps, horizon), &t)
}

// fits fits the models of NIST by newton.LeastSquares and newton.TrustRegion.
func (b *bench) fits() {
	t := table{text: 1, head: []string{"model", "parameters", "data", "off by", "Hessian's/JᵀJ's",
		"Gauss–Newton", "derivatives", "linear algebra", "Newton", "derivatives", "linear algebra"}}
	for _, g := range minima.Regressions {
		b.progress("%s", g.Name)
		f := must(g.Fit())
		off, ratio := 0.0, 1.0
		for i, found := range f.B {
			off = max(off, math.Abs(found-g.B[i])/f.Linear[i])
			if q := f.Full[i] / f.Linear[i]; math.Abs(q-1) > math.Abs(ratio-1) {
				ratio = q
			}
		}
		cells := []string{g.Name, fmt.Sprint(len(g.B)), fmt.Sprint(g.Points), digits(off), fmt.Sprintf("%.4f", ratio)}
		for _, m := range []struct {
			name string
			*newton.Result
		}{{"gauss-newton", f.GaussNewton}, {"newton", f.Newton}} {
			c := m.Cost
			b.emitResult("newton-fit", g.Name, m.name, m.Result, c.Prepare+c.Derivatives+c.LinearAlgebra)
			cells = append(cells, fmt.Sprint(c.Iterations),
				duration(c.Derivatives.Seconds()), duration(c.LinearAlgebra.Seconds()))
		}
		t.add(cells...)
	}
	b.print("Nonlinear least squares, models of the NIST reference datasets with data from known parameters: by how\n"+
		"many of its standard deviations the worst parameter is off, the largest ratio of the deviations by the\n"+
		"full Hessian to those by JᵀJ; iterations with Gauss–Newton steps and with the full Hessian", &t)
}
