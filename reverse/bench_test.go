package reverse_test

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/testkit/ratio"
	"github.com/hesse-ad/hesse/reverse"
)

var sink float64

func BenchmarkTape(b *testing.B) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig", "rnn", "helmholtz"} {
		for _, p := range problems.All {
			if p.Name != name {
				continue
			}
			size := 10000
			switch name {
			case "rnn":
				size = 16
			case "helmholtz":
				size = 100
			}
			in := p.At(size)
			x := in.X0
			plain := func() { sink += in.Plain(x) }
			f := problems.Func[reverse.Var](in)
			t, err := reverse.Record(f, x)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/record+compile", func(b *testing.B) {
				best := math.Inf(1)
				for b.Loop() {
					start := time.Now()
					reverse.Record(f, x)
					best = min(best, float64(time.Since(start).Nanoseconds()))
				}
				b.ReportMetric(best/float64(t.Ops()), "ns/op")
				b.ReportMetric(float64(t.Ops()), "ops")
			})
			b.Run(name+"/value", func(b *testing.B) { ratio.Report(b, plain, func() { t.Value(x) }) })
			g := make([]float64, len(x))
			b.Run(name+"/gradient", func(b *testing.B) { ratio.Report(b, plain, func() { t.Gradient(g, x) }) })
			b.Run(name+"/hvp", func(b *testing.B) { ratio.Report(b, plain, func() { t.HVP(g, x, x) }) })
			v := mat.NewDense(len(x), 4, nil)
			for i := range x {
				v.Set(i, i%4, 1)
			}
			h := mat.NewDense(len(x), 4, nil)
			b.Run(name+"/hvp4", func(b *testing.B) { ratio.Report(b, plain, func() { t.HVPs(h, x, v) }) })
		}
	}
}
