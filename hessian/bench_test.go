package hessian_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/ratio"
	"github.com/hesse-ad/hesse/reverse"
)

var sink float64

// BenchmarkProblem is 30 iterations of gonum's L-BFGS and CG: by Problem, whose
// Func goes on to the gradient, and with one sweep for each.
func BenchmarkProblem(b *testing.B) {
	for _, name := range []string{"rosen", "trig"} {
		in, _ := problem(b, name, 10000)
		f := reverse.NewFunc(problems.Func[reverse.Var](in))
		apart := optimize.Problem{
			Func: func(x []float64) float64 { v, _ := f.Value(x); return v },
			Grad: func(grad, x []float64) { f.Gradient(grad, x) },
		}
		for _, m := range []optimize.Method{&optimize.LBFGS{}, &optimize.CG{}} {
			for k, p := range []optimize.Problem{hessian.Problem[optimize.Status](f), apart} {
				b.Run(fmt.Sprintf("%s/%T/%s", name, m, []string{"Problem", "apart"}[k]), func(b *testing.B) {
					for b.Loop() {
						settings := &optimize.Settings{MajorIterations: 30}
						if _, err := optimize.Minimize(p, in.X0, settings, m); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func BenchmarkSparse(b *testing.B) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		in, tape := problem(b, name, 10000)
		x := in.X0
		for _, method := range []hessian.Method{hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
			s, err := hessian.SparseSettings{Method: method}.New(tape)
			if err != nil {
				b.Fatal(err)
			}
			h := s.Matrix()
			g := make([]float64, len(x))
			b.Run(name+"/"+method.String()+"/gradient", func(b *testing.B) {
				ratio.Report(b, func() { sink += in.Plain(x) }, func() { s.ValueGradient(g, x) })
			})
			b.Run(name+"/"+method.String(), func(b *testing.B) {
				ratio.Report(b, func() { sink += in.Plain(x) }, func() { s.Eval(h, x) })
				if c := s.Coloring(); c != nil {
					b.ReportMetric(float64(c.Num()), "colors")
				}
				b.ReportMetric(float64(h.NNZ()), "nonzeros")
			})
		}
		b.Run(name+"/prepare", func(b *testing.B) {
			f := problems.Func[reverse.Var](in)
			ratio.Report(b, func() { sink += in.Plain(x) }, func() {
				tape, _ := reverse.Record(x, f)
				hessian.NewSparse(tape)
			})
			best := math.Inf(1)
			for range 5 {
				start := time.Now()
				tape, _ := reverse.Record(x, f)
				hessian.NewSparse(tape)
				best = min(best, time.Since(start).Seconds())
			}
			b.ReportMetric(1e3*best/float64(tape.Ops())*1e4, "ms/10⁴ops")
		})
	}
}

func BenchmarkDense(b *testing.B) {
	for _, c := range []struct {
		name string
		size int
	}{{"rnn", 8}, {"rnn", 16}, {"helmholtz", 20}, {"helmholtz", 100}} {
		in, tape := problem(b, c.name, c.size)
		x := in.X0
		h := hessian.New(tape, hessian.FoR)
		dst := mat.NewSymDense(len(x), nil)
		b.Run(fmt.Sprint(c.name, len(x)), func(b *testing.B) {
			ratio.Report(b, func() { sink += in.Plain(x) }, func() { h.Dense(dst, x) })
		})
	}
}
