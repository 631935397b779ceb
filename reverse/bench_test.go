package reverse_test

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
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

// BenchmarkOnce is a gradient of a function that is recorded for this once, in units of the
// function and of the recording alone.
func BenchmarkOnce(b *testing.B) {
	once := func(name string, plain func(), f func(x []reverse.Var) reverse.Var, x []float64) {
		b.Run(name, func(b *testing.B) {
			least := func(f func()) float64 {
				best := math.Inf(1)
				for range 30 {
					start := time.Now()
					f()
					best = min(best, float64(time.Since(start).Nanoseconds()))
				}
				return best
			}
			t, err := reverse.Record(f, x)
			if err != nil {
				b.Fatal(err)
			}
			g := make([]float64, len(x))
			for b.Loop() {
				value, record := least(plain), least(func() { reverse.Record(f, x) })
				gradient := least(func() { reverse.Gradient(g, f, x) })
				arranged := least(func() {
					t, _ := reverse.Record(f, x)
					t.Gradient(g, x)
				})
				b.ReportMetric(record/float64(t.Ops()), "ns/op-recorded")
				b.ReportMetric(gradient/value, "f")
				b.ReportMetric(gradient/record, "recordings")
				first := least(func() { reverse.NewFunc(f).Gradient(g, x) })
				b.ReportMetric(arranged/record, "recordings-arranged")
				b.ReportMetric(first/record, "recordings-Func")
			}
		})
	}
	for _, name := range []string{"rosen", "minsurf", "trig"} {
		for _, p := range problems.All {
			if p.Name == name {
				in := p.At(10000)
				once(name, func() { sink += in.Plain(in.X0) }, problems.Func[reverse.Var](in), in.X0)
			}
		}
	}
	data := make([][]float64, 300)
	for i := range data {
		data[i] = make([]float64, mixtureDims)
		for j := range data[i] {
			data[i][j] = math.Sin(float64(7*i + 3*j*j))
		}
	}
	x := make([]float64, mixtureParts*(1+mixtureDims+mixtureDims*(mixtureDims+1)/2))
	for i := range x {
		x[i] = 0.3 * math.Cos(float64(5*i))
	}
	once("mixture", func() {
		z := make([]dual.Real, len(x))
		for i, v := range x {
			z[i] = dual.Real(v)
		}
		sink += float64(mixture(z, data))
	}, func(x []reverse.Var) reverse.Var { return mixture(x, data) }, x)
}

const mixtureDims, mixtureParts = 10, 5

// mixture is −ln of the likelihood of a mixture of Gaussians, up to a constant, from plain
// loops: of each part its weight, its mean and the factor of its precision matrix.
func mixture[T dual.Scalar[T]](x []T, data [][]float64) (s T) {
	const size = 1 + mixtureDims + mixtureDims*(mixtureDims+1)/2
	terms := make([]T, mixtureParts)
	for _, p := range data {
		for k := range terms {
			w := x[k*size:][:size]
			weight, mean, factor := w[0], w[1:1+mixtureDims], w[1+mixtureDims:]
			var r T
			for i := range mixtureDims {
				var y T
				for j := range i + 1 {
					y = y.Add(factor[0].Mul(mean[j].RSub(p[j])))
					factor = factor[1:]
				}
				r = r.Add(y.Square())
			}
			terms[k] = weight.Sub(r.Scale(0.5))
		}
		s = s.Sub(dual.LogSumExp(terms))
	}
	return s
}
