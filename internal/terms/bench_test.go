package terms_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/testkit/ratio"
	"github.com/hesse-ad/hesse/reverse"
)

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
		t, err := reverse.Record(f, x)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(p.Name+"/record", func(b *testing.B) {
			best := math.Inf(1)
			for b.Loop() {
				start := time.Now()
				reverse.Record(f, x)
				best = min(best, float64(time.Since(start).Nanoseconds()))
			}
			b.ReportMetric(best/float64(len(x)), "ns/unknown")
		})
		b.Run(p.Name+"/prepare", func(b *testing.B) {
			best, mid := math.Inf(1), math.Inf(1)
			for b.Loop() {
				start := time.Now()
				pl := terms.Detect(t.Inside().Function, true)
				mid = min(mid, float64(time.Since(start).Nanoseconds()))
				pl.Hessian(nil)
				best = min(best, float64(time.Since(start).Nanoseconds()))
			}
			b.ReportMetric(mid/float64(len(x)), "ns/detect")
			b.ReportMetric(best/float64(len(x)), "ns/unknown")
		})
		pl := terms.Detect(t.Inside().Function, true)
		y, g := make([]float64, 1), make([]float64, len(x))
		b.Run(p.Name+"/value", func(b *testing.B) { ratio.Report(b, plain, func() { pl.Value(y, x, nil) }) })
		b.Run(p.Name+"/gradient", func(b *testing.B) { ratio.Report(b, plain, func() { pl.Gradient(y, g, x, nil, nil) }) })
		dy := [][]float64{y}
		b.Run(p.Name+"/jvp", func(b *testing.B) { ratio.Report(b, plain, func() { pl.JVPs(nil, dy, x, nil, [][]float64{x}) }) })
		b.Run(p.Name+"/hvp", func(b *testing.B) {
			ratio.Report(b, plain, func() { pl.HVPs([][]float64{g}, x, nil, nil, [][]float64{x}) })
		})
		h := pl.Hessian(nil)
		v := make([]float64, h.Pattern().NNZ())
		b.Run(p.Name+"/hessian", func(b *testing.B) { ratio.Report(b, plain, func() { h.Eval(v, y, g, x, nil, nil) }) })
	}
}

// How evaluations take longer where the results leave the caches.
func BenchmarkSizes(b *testing.B) {
	for _, p := range problems.All {
		switch p.Name {
		case "rosen", "arrow", "bdqrtic", "minsurf", "trig":
		default:
			continue
		}
		for _, size := range []int{1e4, 1e5, 1e6} {
			b.Run(fmt.Sprint(p.Name, "/", size), func(b *testing.B) {
				in := p.At(size)
				t, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
				if err != nil {
					b.Fatal(err)
				}
				pl := terms.Detect(t.Inside().Function, true)
				h := pl.Hessian(nil)
				y, g, v := make([]float64, 1), make([]float64, len(in.X0)), make([]float64, h.Pattern().NNZ())
				ratio.Report(b, func() { sink += in.Plain(in.X0) }, func() { h.Eval(v, y, g, in.X0, nil, nil) })
				n := 0
				for _, s := range pl.Shapes() {
					n += s.Terms
				}
				b.ReportMetric(float64(pl.Bytes()+h.Bytes())/float64(n), "B/term")
			})
		}
	}
}

func BenchmarkBratu(b *testing.B) {
	in := problems.All[len(problems.All)-1].At(10000)
	x := in.X0
	n := len(x)
	y := make([]float64, n)
	plain := func() { in.PlainVec(y, x) }
	t, err := reverse.RecordVec(problems.VecFunc[reverse.Var](in), x)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("prepare", func(b *testing.B) {
		best := math.Inf(1)
		for b.Loop() {
			start := time.Now()
			terms.Detect(t.Inside().Function, true).Jacobian(nil)
			best = min(best, float64(time.Since(start).Nanoseconds()))
		}
		b.ReportMetric(best/float64(n), "ns/unknown")
	})
	pl := terms.Detect(t.Inside().Function, true)
	j := pl.Jacobian(nil)
	v := make([]float64, j.Pattern().NNZ())
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 + float64(i%3)
	}
	g := make([]float64, n)
	b.Run("values", func(b *testing.B) { ratio.Report(b, plain, func() { pl.Value(y, x, nil) }) })
	b.Run("jacobian", func(b *testing.B) { ratio.Report(b, plain, func() { j.Eval(v, y, x, nil) }) })
	b.Run("vjp", func(b *testing.B) { ratio.Report(b, plain, func() { pl.Gradient(y, g, x, nil, w) }) })
	b.Run("jvp", func(b *testing.B) {
		ratio.Report(b, plain, func() { pl.JVPs(y, [][]float64{g}, x, nil, [][]float64{w}) })
	})
}

// classic is a small function with its derivatives written by hand.
type classic struct {
	name string
	x    []float64
	f    func(x []reverse.Var) []reverse.Var
	w    []float64
	hand func(x, g, h []float64) float64 // h dense, in rows
}

var classics = []classic{
	{"wood", []float64{-3, -1, -3, -1}, func(x []reverse.Var) []reverse.Var {
		sq := func(x reverse.Var) reverse.Var { return x.Square() }
		return []reverse.Var{sq(x[1].Sub(sq(x[0]))).Scale(100).
			Add(sq(x[0].RSub(1))).
			Add(sq(x[3].Sub(sq(x[2]))).Scale(90)).
			Add(sq(x[2].RSub(1))).
			Add(sq(x[1].SubReal(1)).Add(sq(x[3].SubReal(1))).Scale(10.1)).
			Add(x[1].SubReal(1).Mul(x[3].SubReal(1)).Scale(19.8))}
	}, nil, func(x, g, h []float64) float64 {
		a, b := x[1]-x[0]*x[0], x[3]-x[2]*x[2]
		c, d := 1-x[0], 1-x[2]
		p, q := x[1]-1, x[3]-1
		g[0] = -400*a*x[0] - 2*c
		g[1] = 200*a + 20.2*p + 19.8*q
		g[2] = -360*b*x[2] - 2*d
		g[3] = 180*b + 20.2*q + 19.8*p
		clear(h)
		h[0] = 800*x[0]*x[0] - 400*a + 2
		h[1] = -400 * x[0]
		h[4] = h[1]
		h[5] = 220.2
		h[7], h[13] = 19.8, 19.8
		h[10] = 720*x[2]*x[2] - 360*b + 2
		h[11] = -360 * x[2]
		h[14] = h[11]
		h[15] = 200.2
		return 100*a*a + c*c + 90*b*b + d*d + 10.1*(p*p+q*q) + 19.8*p*q
	}},
	{"powell", []float64{3, -1, 0, 1}, func(x []reverse.Var) []reverse.Var {
		p := x[0].Add(x[1].Scale(10)).Square()
		q := x[2].Sub(x[3]).Square().Scale(5)
		r := x[1].Sub(x[2].Scale(2)).Square().Square()
		s := x[0].Sub(x[3]).Square().Square().Scale(10)
		return []reverse.Var{p.Add(q).Add(r).Add(s)}
	}, nil, func(x, g, h []float64) float64 {
		a, b, c, d := x[0]+10*x[1], x[2]-x[3], x[1]-2*x[2], x[0]-x[3]
		c2, d2 := c*c, d*d
		c3, d3 := 4*c2*c, 40*d2*d
		g[0] = 2*a + d3
		g[1] = 20*a + c3
		g[2] = 10*b - 2*c3
		g[3] = -10*b - d3
		cc, dd := 12*c2, 120*d2
		clear(h)
		h[0] = 2 + dd
		h[1], h[4] = 20, 20
		h[3], h[12] = -dd, -dd
		h[5] = 200 + cc
		h[6] = -2 * cc
		h[9] = h[6]
		h[10] = 10 + 4*cc
		h[11], h[14] = -10, -10
		h[15] = 10 + dd
		return a*a + 5*b*b + c2*c2 + 10*d2*d2
	}},
	{"hs71", []float64{1, 5, 5, 1}, func(x []reverse.Var) []reverse.Var {
		s := x[0].Add(x[1]).Add(x[2])
		return []reverse.Var{
			x[0].Mul(x[3]).Mul(s).Add(x[2]),
			x[0].Mul(x[1]).Mul(x[2]).Mul(x[3]),
			x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(x[3].Square()),
		}
	}, []float64{1, -0.55, 0.16}, func(x, g, h []float64) float64 {
		const u, v, w = 1, -0.55, 0.16
		s := x[0] + x[1] + x[2]
		ad := x[0] * x[3]
		bc := x[1] * x[2]
		ab, cd := x[0]*x[1], x[2]*x[3]
		ac, bd := x[0]*x[2], x[1]*x[3]
		g[0] = u*x[3]*(s+x[0]) + v*x[3]*bc + w*2*x[0]
		g[1] = u*ad + v*ad*x[2] + w*2*x[1]
		g[2] = u*(ad+1) + v*ad*x[1] + w*2*x[2]
		g[3] = u*x[0]*s + v*x[0]*bc + w*2*x[3]
		h[0] = u*2*x[3] + 2*w
		h[1] = u*x[3] + v*cd
		h[2] = u*x[3] + v*bd
		h[3] = u*(s+x[0]) + v*bc
		h[4] = h[1]
		h[5] = 2 * w
		h[6] = v * ad
		h[7] = u*x[0] + v*ac
		h[8], h[9] = h[2], h[6]
		h[10] = 2 * w
		h[11] = u*x[0] + v*ab
		h[12], h[13], h[14] = h[3], h[7], h[11]
		h[15] = 2 * w
		return u*(ad*s+x[2]) + v*ab*cd + w*(x[0]*x[0]+x[1]*x[1]+x[2]*x[2]+x[3]*x[3])
	}},
}

func BenchmarkClassics(b *testing.B) {
	for _, c := range classics {
		n := len(c.x)
		t, err := reverse.RecordVec(c.f, c.x)
		if err != nil {
			b.Fatal(err)
		}
		pl := terms.Detect(t.Inside().Function, true)
		H := pl.Hessian(nil)
		g, h := make([]float64, n), make([]float64, H.Pattern().NNZ())
		y := make([]float64, t.Outputs())
		dense := make([]float64, n*n)
		plain := func() {
			for range 100 {
				sink += c.hand(c.x, g, dense)
			}
		}
		b.Run(c.name, func(b *testing.B) {
			ratio.Report(b, plain, func() {
				for range 100 {
					H.Eval(h, y, g, c.x, nil, c.w)
				}
			})
		})
	}
}
