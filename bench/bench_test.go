package main

import (
	"fmt"
	"io"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/ratio"
	"github.com/hesse-ad/hesse/internal/workers"
	"github.com/hesse-ad/hesse/reverse"
)

// The measurements of the command as Go benchmarks, for benchstat: ×f is the time
// in units of the plain function. Those of colorings and of linear solvers are in
// packages coloring and implicit/linsolve.

// instances are the problems at the sizes that the command takes.
func instances(b *testing.B, with func(in *problems.Instance) bool, run func(b *testing.B, in *problems.Instance)) {
	s, err := parse(nil, io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range s.chosen {
		if in := c.At(c.size); with(in) {
			b.Run(fmt.Sprintf("%s/n=%d", in.Name, len(in.X0)), func(b *testing.B) { run(b, in) })
		}
	}
}

func BenchmarkStrategies(b *testing.B) {
	small := func(in *problems.Instance) bool { return in.Plain != nil && len(in.X0) <= maxDense }
	instances(b, small, func(b *testing.B, in *problems.Instance) {
		methods := []*method{byHyper(in)}
		for _, s := range hessian.Strategies {
			methods = append(methods, byTape(in, s))
		}
		for _, m := range methods {
			b.Run(m.name, func(b *testing.B) {
				ratio.Report(b, func() { in.Plain(in.X0) }, m.full)
				if m.bytes > 0 {
					b.ReportMetric(float64(m.bytes), "tapeB")
				}
			})
		}
	})
}

func BenchmarkTapes(b *testing.B) {
	all := func(*problems.Instance) bool { return true }
	instances(b, all, func(b *testing.B, in *problems.Instance) {
		p := newTaped(in)
		fs := p.functions()
		for _, figure := range tapeFigures {
			if f := fs[figure]; f != nil && figure != "f" {
				b.Run(figure, func(b *testing.B) {
					ratio.Report(b, p.plain, f)
					b.ReportMetric(float64(p.Ops()), "ops")
				})
			}
		}
	})
}

func BenchmarkSparse(b *testing.B) {
	sparse := func(in *problems.Instance) bool { return in.Name != "helmholtz" && in.Name != "rnn" }
	instances(b, sparse, func(b *testing.B, in *problems.Instance) {
		p := newTaped(in)
		methods := hessianMethods
		if p.Outputs() > 1 {
			methods = jacobianMethods
		}
		for _, m := range methods {
			plan := p.prepare(m)
			b.Run(m.name, func(b *testing.B) {
				ratio.Report(b, p.plain, plan.eval)
				b.ReportMetric(float64(plan.nnz), "nonzeros")
				if plan.colors > 0 {
					b.ReportMetric(float64(plan.colors), "colors")
				}
			})
		}
	})
}

// BenchmarkWorkers has the time with two workers in units of that with one, where values go
// through memory, and for comparison what two goroutines gain that do nothing but that.
func BenchmarkWorkers(b *testing.B) {
	const n = 1_000_000
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		in := problems.Named(name).At(n)
		tape := must(reverse.Record(problems.Func[reverse.Var](in), in.X0))
		g := make([]float64, len(in.X0))
		gradient := func(workers int) func() {
			t := tape.WithWorkers(workers)
			return func() { must(t.Gradient(g, in.X0)) }
		}
		b.Run(name+"/gradient", func(b *testing.B) {
			one, two := gradient(1), gradient(2)
			one()
			ratio.Report(b, one, two)
		})
		terms := func(workers int) func() {
			plan := must(hessian.SparseSettings{Method: hessian.ByTerms, Workers: workers}.New(tape))
			h := plan.Matrix()
			return func() { must(plan.EvalAll(h, g, in.X0)) }
		}
		b.Run(name+"/terms", func(b *testing.B) { ratio.Report(b, terms(1), terms(2)) })
	}
	x, y := make([]float64, 8*n), make([]float64, 8*n)
	for _, m := range []struct {
		name string
		do   func(lo, hi int)
	}{
		{"copy", func(lo, hi int) { copy(x[lo:hi], y[lo:hi]) }},
		{"read", func(lo, hi int) { floats.Sum(x[lo:hi]) }},
	} {
		b.Run("memory/"+m.name, func(b *testing.B) {
			ratio.Report(b, func() { m.do(0, len(x)) }, func() {
				workers.Do(2, func(i int) { m.do(i*len(x)/2, (i+1)*len(x)/2) })
			})
		})
	}
}

func BenchmarkGonum(b *testing.B) {
	for _, name := range []string{"rosen", "trig"} {
		for _, n := range []int{10, 100} {
			in := problems.Named(name).At(n)
			for _, figure := range gonumFigures[:2] {
				rivals := rivalsOf(in, figure)
				rivals[0].run()
				for _, r := range rivals {
					b.Run(fmt.Sprintf("%s/n=%d/%s/%s", name, n, figure, r.name), func(b *testing.B) {
						ratio.Report(b, func() { in.Plain(in.X0) }, r.run)
						b.ReportMetric(-math.Log10(max(relative(r.dst, rivals[0].dst), 0x1p-53)), "digits")
					})
				}
			}
		}
	}
}
