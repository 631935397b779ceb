package hessian_test

import (
	"math"
	"testing"
	"time"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/ratio"
	"github.com/hesse-ad/hesse/reverse"
)

var sink float64

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
