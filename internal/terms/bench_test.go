package terms_test

import (
	"math"
	"testing"
	"time"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// timed reports the time of a call of f in units of plain, the fastest of many
// short turns of each: what other processes do to the machine only adds.
func timed(b *testing.B, plain, f func()) {
	turn := func(f func(), best float64) float64 {
		k := 0
		start := time.Now()
		for k == 0 || time.Since(start) < time.Millisecond {
			f()
			k++
		}
		return min(best, time.Since(start).Seconds()/float64(k))
	}
	unit, best := math.Inf(1), math.Inf(1)
	for b.Loop() {
		unit = turn(plain, unit)
		best = turn(f, best)
	}
	b.ReportMetric(best/unit, "×f")
	b.ReportMetric(unit*1e6, "µs/f")
	b.ReportMetric(0, "ns/op")
}

var sink float64

func BenchmarkTerms(b *testing.B) {
	for _, p := range problems.All {
		switch p.Name {
		case "rnn", "helmholtz", "bratu":
			continue
		}
		in := p.At(10000)
		x := in.X0
		plain := func() { sink += in.Plain(x) }
		f := problems.Func[reverse.Var](in)
		t, err := reverse.Record(x, f)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(p.Name+"/record", func(b *testing.B) {
			best := math.Inf(1)
			for b.Loop() {
				start := time.Now()
				reverse.Record(x, f)
				best = min(best, float64(time.Since(start).Nanoseconds()))
			}
			b.ReportMetric(best/float64(len(x)), "ns/unknown")
		})
		b.Run(p.Name+"/prepare", func(b *testing.B) {
			best, mid := math.Inf(1), math.Inf(1)
			for b.Loop() {
				start := time.Now()
				pl := terms.Detect(t.Program())
				mid = min(mid, float64(time.Since(start).Nanoseconds()))
				pl.Hessian(nil)
				best = min(best, float64(time.Since(start).Nanoseconds()))
			}
			b.ReportMetric(mid/float64(len(x)), "ns/detect")
			b.ReportMetric(best/float64(len(x)), "ns/unknown")
		})
		pl := terms.Detect(t.Program())
		y, g := make([]float64, 1), make([]float64, len(x))
		b.Run(p.Name+"/value", func(b *testing.B) { timed(b, plain, func() { pl.Value(y, x, nil) }) })
		b.Run(p.Name+"/gradient", func(b *testing.B) { timed(b, plain, func() { pl.Gradient(y, g, x, nil, nil) }) })
		h := pl.Hessian(nil)
		v := make([]float64, h.Pattern().NNZ())
		b.Run(p.Name+"/hessian", func(b *testing.B) { timed(b, plain, func() { h.Eval(v, y, g, x, nil, nil) }) })
	}
}
