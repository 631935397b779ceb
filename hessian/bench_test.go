package hessian_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/ratio"
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
			for k, p := range []optimize.Problem{hessian.Problem(f), apart} {
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
				tape, _ := reverse.Record(f, x)
				hessian.NewSparse(tape)
			})
			best := math.Inf(1)
			for range 5 {
				start := time.Now()
				tape, _ := reverse.Record(f, x)
				hessian.NewSparse(tape)
				best = min(best, time.Since(start).Seconds())
			}
			b.ReportMetric(1e3*best/float64(tape.Ops())*1e4, "ms/10⁴ops")
		})
	}
}

// BenchmarkPrepareOnce is what a program pays that makes one plan, or one gradient: all memory is
// given back to the system before, so that it is touched for the first time. Fresh
// processes take the same.
func BenchmarkPrepareOnce(b *testing.B) {
	for _, n := range []int{10000, 100000} {
		in, _ := problem(b, "rosen", n)
		f := problems.Func[reverse.Var](in)
		b.Run(fmt.Sprint("rosen", n), func(b *testing.B) {
			var record, all, first []float64
			for b.Loop() {
				for range 3 { // what pools hold goes with the second collection
					debug.FreeOSMemory()
				}
				start := time.Now()
				tape, err := reverse.Record(f, in.X0)
				if err != nil {
					b.Fatal(err)
				}
				record = append(record, 1e3*time.Since(start).Seconds())
				if _, err := hessian.NewSparse(tape); err != nil {
					b.Fatal(err)
				}
				all = append(all, 1e3*time.Since(start).Seconds())
				for range 3 {
					debug.FreeOSMemory()
				}
				start = time.Now()
				tape, _ = reverse.Record(f, in.X0)
				tape.Gradient(nil, in.X0)
				first = append(first, 1e3*time.Since(start).Seconds())
			}
			slices.Sort(record)
			slices.Sort(all)
			b.ReportMetric(record[len(record)/2], "ms-record")
			b.ReportMetric(all[len(all)/2], "ms-plan")
			slices.Sort(first)
			b.ReportMetric(first[len(first)/2], "ms-record-gradient")
			b.ReportMetric(0, "ns/op")
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
