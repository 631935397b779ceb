package lane

import (
	"math/rand/v2"
	"testing"

	"github.com/hesse-ad/hesse/internal/op"
)

// Nanoseconds a lane, with what a block has: 256 lanes.
func BenchmarkPartials(b *testing.B) {
	const n = 256
	r := rand.New(rand.NewPCG(1, 2))
	var a [8][]float64
	for k := range a {
		a[k] = make([]float64, n+8*k)[8*k:]
	}
	for i := range n {
		a[0][i], a[1][i] = 0.05+0.9*r.Float64(), 0.2+3*r.Float64()
	}
	for code := range op.All {
		measure := func(name string, f func()) {
			b.Run(code.String()+"/"+name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/lane")
			})
		}
		x, c, v := a[0], a[1], a[2]
		if code.Constant() == op.IntConstant {
			c = make([]float64, n)
			Fill(c, 4)
		}
		Values(code, v, x, c)
		switch code.Class() {
		case op.Unary:
			measure("first", func() { First(code, a[3], x, c, v) })
			measure("second", func() { Second(code, a[4], x, c, v, a[3]) })
		case op.Binary:
			measure("first", func() { First2(code, a[3], a[4], x, c, v) })
			measure("second", func() { Second2(code, a[5], a[6], a[7], x, c, v, a[3], a[4]) })
		}
	}
}
