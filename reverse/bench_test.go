package reverse_test

import (
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/reverse"
)

// timed is the median time of a call of f, and what plain takes in the same run.
func timed(b *testing.B, plain, f func()) {
	measure := func(f func()) float64 {
		f()
		var ts []float64
		for range 7 {
			k := 0
			start := time.Now()
			for time.Since(start) < 5*time.Millisecond {
				f()
				k++
			}
			ts = append(ts, time.Since(start).Seconds()/float64(k))
		}
		slices.Sort(ts)
		return ts[len(ts)/2]
	}
	unit := measure(plain)
	for b.Loop() {
		f()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/unit, "×f")
}

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
			t, err := reverse.Record(x, f)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/record+compile", func(b *testing.B) {
				for b.Loop() {
					reverse.Record(x, f)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(t.Ops()), "ns/op")
				b.ReportMetric(float64(t.Ops()), "ops")
			})
			b.Run(name+"/value", func(b *testing.B) { timed(b, plain, func() { t.Value(x) }) })
			g := make([]float64, len(x))
			b.Run(name+"/gradient", func(b *testing.B) { timed(b, plain, func() { t.Gradient(g, x) }) })
			b.Run(name+"/hvp", func(b *testing.B) { timed(b, plain, func() { t.HVP(g, x, x) }) })
			v := mat.NewDense(len(x), 4, nil)
			for i := range x {
				v.Set(i, i%4, 1)
			}
			h := mat.NewDense(len(x), 4, nil)
			b.Run(name+"/hvp4", func(b *testing.B) { timed(b, plain, func() { t.HVPs(h, x, v) }) })
		}
	}
}
