package reverse_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// lorenzStep is a step of the Runge–Kutta method of order 4 for the equations of
// Lorenz, with the parameters w = [σ, ρ, β].
func lorenzStep[T dual.Scalar[T]](s, w []T, h float64) []T {
	slope := func(x []T) []T {
		return []T{
			w[0].Mul(x[1].Sub(x[0])),
			x[0].Mul(w[1].Sub(x[2])).Sub(x[1]),
			x[0].Mul(x[1]).Sub(w[2].Mul(x[2])),
		}
	}
	at := func(k []T, h float64) []T {
		y := make([]T, len(s))
		for i := range y {
			y[i] = s[i].Add(k[i].Scale(h))
		}
		return y
	}
	k1 := slope(s)
	k2 := slope(at(k1, h/2))
	k3 := slope(at(k2, h/2))
	k4 := slope(at(k3, h))
	next := make([]T, len(s))
	for i := range next {
		next[i] = s[i].Add(k1[i].Add(k2[i].Scale(2)).Add(k3[i].Scale(2)).Add(k4[i]).Scale(h / 6))
	}
	return next
}

// lorenz is Σ x_k² over T steps, plainly.
func lorenz(x []float64, steps int) float64 {
	const h = 0.005
	s := [3]float64{x[0], x[1], x[2]}
	sigma, rho, beta := x[3], x[4], x[5]
	slope := func(s [3]float64) [3]float64 {
		return [3]float64{sigma * (s[1] - s[0]), s[0]*(rho-s[2]) - s[1], s[0]*s[1] - beta*s[2]}
	}
	at := func(k [3]float64, h float64) [3]float64 {
		return [3]float64{s[0] + k[0]*h, s[1] + k[1]*h, s[2] + k[2]*h}
	}
	sum := 0.0
	for range steps {
		k1 := slope(s)
		k2 := slope(at(k1, h/2))
		k3 := slope(at(k2, h/2))
		k4 := slope(at(k3, h))
		for i := range s {
			s[i] += (k1[i] + k2[i]*2 + k3[i]*2 + k4[i]) * (h / 6)
		}
		sum += s[0] * s[0]
	}
	return sum
}

func lorenzLoop(x []V, steps, checkpoints int) V {
	_, sum := dual.Scan(dual.Loop[reverse.Var]{
		Start: x[:3], Shared: x[3:], Steps: steps, Checkpoints: checkpoints,
		Step: func(s, w, _, _ []V) (next, out []V) {
			next = lorenzStep(s, w, 0.005)
			return next, []V{next[0].Square()}
		},
	})
	return sum[0]
}

// rnnLoss is ½|V h_T|² of problem rnn of bench, in plain numbers: w = [W; U; V].
func rnnLoss(w []float64, hidden, steps int) float64 {
	h, next := make([]float64, hidden), make([]float64, hidden)
	u, v := w[hidden*hidden:], w[hidden*hidden+4*hidden:]
	for t := range steps {
		for i := range h {
			s := 0.0
			for j, h := range h {
				s += w[i*hidden+j] * h
			}
			for j := range 4 {
				s += u[i*4+j] * math.Cos(float64(t+j))
			}
			next[i] = math.Tanh(s)
		}
		h, next = next, h
	}
	loss := 0.0
	for k := range 2 {
		s := 0.0
		for j, h := range h {
			s += v[k*hidden+j] * h
		}
		loss += s * s / 2
	}
	return loss
}

func rnnLoop(w []V, hidden, steps int) V {
	data := make([][]float64, steps)
	for t := range data {
		for j := range 4 {
			data[t] = append(data[t], math.Cos(float64(t+j)))
		}
	}
	uv := hidden * hidden
	last, _ := dual.Scan(dual.Loop[reverse.Var]{
		Start: make([]V, hidden), Shared: w[:uv+4*hidden], Data: data,
		Step: func(h, w, _, x []V) (next, out []V) {
			for i := range h {
				next = append(next, dual.Dot(w[i*hidden:][:hidden], h).Add(dual.Dot(w[uv+i*4:][:4], x)).Tanh())
			}
			return next, nil
		},
	})
	var loss V
	for k := range 2 {
		loss = loss.Add(dual.Dot(w[uv+4*hidden+k*hidden:][:hidden], last).Square().Scale(0.5))
	}
	return loss
}

func rnnWeights(hidden int) []float64 {
	w := make([]float64, hidden*hidden+6*hidden)
	for k := range w {
		w[k] = 0.2 * math.Sin(float64(k+1))
	}
	return w
}

// heatStep is a step of the Runge–Kutta method of order 4 for u′ = c·u_xx on n
// points between zeros.
func heatStep[T dual.Scalar[T]](s []T, c T, h float64) []T {
	n := len(s)
	slope := func(x []T) []T {
		y := make([]T, n)
		for i := range y {
			y[i] = x[i].Scale(-2)
			if i > 0 {
				y[i] = y[i].Add(x[i-1])
			}
			if i+1 < n {
				y[i] = y[i].Add(x[i+1])
			}
			y[i] = y[i].Mul(c)
		}
		return y
	}
	at := func(k []T, h float64) []T {
		y := make([]T, n)
		for i := range y {
			y[i] = s[i].Add(k[i].Scale(h))
		}
		return y
	}
	k1 := slope(s)
	k2 := slope(at(k1, h/2))
	k3 := slope(at(k2, h/2))
	k4 := slope(at(k3, h))
	next := make([]T, n)
	for i := range next {
		next[i] = s[i].Add(k1[i].Add(k2[i].Scale(2)).Add(k3[i].Scale(2)).Add(k4[i]).Scale(h / 6))
	}
	return next
}

func heat(x []float64, c float64, steps int) float64 {
	n := len(x)
	s := append([]float64(nil), x...)
	k1, k2, k3, k4, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	slope := func(y, x []float64) {
		y[0] = (x[1] - 2*x[0]) * c
		for i := 1; i+1 < n; i++ {
			y[i] = (x[i-1] - 2*x[i] + x[i+1]) * c
		}
		y[n-1] = (x[n-2] - 2*x[n-1]) * c
	}
	at := func(k []float64, h float64) []float64 {
		for i := range y {
			y[i] = s[i] + k[i]*h
		}
		return y
	}
	const h = 0.1
	for range steps {
		slope(k1, s)
		slope(k2, at(k1, h/2))
		slope(k3, at(k2, h/2))
		slope(k4, at(k3, h))
		for i := range s {
			s[i] += (k1[i] + k2[i]*2 + k3[i]*2 + k4[i]) * (h / 6)
		}
	}
	sum := 0.0
	for _, v := range s {
		sum += v * v
	}
	return sum
}

func heatLoop(x []V, steps, checkpoints int) V {
	last, _ := dual.Scan(dual.Loop[reverse.Var]{
		Start: x[1:], Shared: x[:1], Steps: steps, Checkpoints: checkpoints,
		Step: func(s, w, _, _ []V) (next, out []V) { return heatStep(s, w[0], 0.1), nil },
	})
	return dual.SumSquares(last)
}

func BenchmarkScan(b *testing.B) {
	sink := 0.0
	for _, c := range []struct {
		name  string
		x     []float64
		plain func(x []float64) float64
		loop  func(x []V) V
	}{
		{"lorenz", []float64{1, 1, 1, 10, 28, 8. / 3}, func(x []float64) float64 { return lorenz(x, 10000) }, func(x []V) V { return lorenzLoop(x, 10000, 0) }},
		{"lorenz-checkpoints", []float64{1, 1, 1, 10, 28, 8. / 3}, func(x []float64) float64 { return lorenz(x, 10000) }, func(x []V) V { return lorenzLoop(x, 10000, 30) }},
		{"rnn", rnnWeights(16), func(x []float64) float64 { return rnnLoss(x, 16, 1000) }, func(x []V) V { return rnnLoop(x, 16, 1000) }},
		{"heat", append([]float64{0.5}, rnnWeights(12)[:200]...), func(x []float64) float64 { return heat(x[1:], x[0], 1000) }, func(x []V) V { return heatLoop(x, 1000, 0) }},
	} {
		tape, err := reverse.Record(c.loop, c.x)
		if err != nil {
			b.Fatal(err)
		}
		g, v := make([]float64, len(c.x)), ones(len(c.x))
		for _, figure := range []struct {
			name string
			run  func()
		}{
			{"f", func() { sink += c.plain(c.x) }},
			{"value", func() { tape.Value(c.x) }},
			{"gradient", func() { tape.Gradient(g, c.x) }},
			{"hvp", func() { tape.HVP(g, c.x, v) }},
		} {
			b.Run(fmt.Sprint(c.name, "/", figure.name), func(b *testing.B) {
				for b.Loop() {
					figure.run()
				}
			})
		}
	}
}

// rnnLanes is Σ (v·h_t − y_t)² of a network with some hidden numbers over many sequences:
// x = [W; U; V].
func rnnLanes(x []V, hidden, steps, lanes int, scan func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V)) (total V) {
	var list []dual.Lane[reverse.Var]
	for i := range lanes {
		var a dual.Lane[reverse.Var]
		for t := range steps {
			a.Data = append(a.Data, []float64{math.Sin(float64(t + i)), math.Cos(float64(t - i))})
		}
		list = append(list, a)
	}
	_, sum := scan(dual.Loop[reverse.Var]{
		Start: make([]V, hidden), Shared: x,
		Step: func(h, w, _, y []V) (next, out []V) {
			w, u := w[:hidden*hidden], w[hidden*hidden:]
			for i := range h {
				next = append(next, dual.Dot(w[i*hidden:][:hidden], h).Add(u[i].Mul(y[0])).Tanh())
			}
			return next, []V{dual.Dot(u[hidden:], next).Sub(y[1]).Square()}
		},
	}, list)
	for _, s := range sum {
		total = total.Add(s[0])
	}
	return total
}

func BenchmarkLanes(b *testing.B) {
	const steps = 100
	for _, lanes := range []int{8, 32, 256} {
		x := []float64{10, 28, 8. / 3}
		for i := range 3 * lanes {
			x = append(x, 1+0.01*float64(i))
		}
		for _, c := range []struct {
			name string
			x    []float64
			f    func(x []V, scan func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V)) V
		}{
			{"lorenz", x, func(x []V, scan func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V)) V {
				return lorenzLanes(x, steps, scan)
			}},
			{"rnn", rnnWeights(8)[:80], func(x []V, scan func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V)) V {
				return rnnLanes(x, 8, steps, lanes, scan)
			}},
		} {
			for how, scan := range map[string]func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V){
				"together": dual.ScanLanes[reverse.Var],
				"each":     eachScan,
			} {
				tape, err := reverse.Record(func(x []V) V { return c.f(x, scan) }, c.x)
				if err != nil {
					b.Fatal(err)
				}
				g, v := make([]float64, len(c.x)), ones(len(c.x))
				for kind, run := range map[string]func(){
					"value":    func() { tape.Value(c.x) },
					"gradient": func() { tape.Gradient(g, c.x) },
					"hvp":      func() { tape.HVP(g, c.x, v) },
				} {
					b.Run(fmt.Sprint(c.name, "/", lanes, "/", how, "/", kind), func(b *testing.B) {
						for b.Loop() {
							run()
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lanes*steps), "ns/step")
					})
				}
			}
		}
	}
}

// eachScan is ScanLanes by a Scan for each.
func eachScan(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V) {
	for _, a := range lanes {
		if l.Data = a.Data; a.Start != nil {
			l.Start = a.Start
		}
		s, out := dual.Scan(l)
		last, sum = append(last, s), append(sum, out)
	}
	return last, sum
}
