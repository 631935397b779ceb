package main

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/plain"
	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

var wallFigures = []string{"wall"}

// A wall is a size beyond which something was once done in a slower way: it is measured
// over that size, beside a plain tape.
type wall struct {
	name, title, size string
	sizes, quick      []int
	ways              []string
	at                func(size int) (f func(), ways []func())
}

// walls measures what depends on a size, as curves.
func walls(b *bench) {
	for _, w := range allWalls {
		t := table{head: append([]string{w.size, "f"}, w.ways...)}
		sizes := w.sizes
		if b.quick {
			sizes = w.quick
		}
		for _, size := range sizes {
			b.progress("%s, %d", w.name, size)
			f, ways := w.at(size)
			s := b.measure(append([]func(){f}, ways...)...)
			cells := []string{fmt.Sprint(size), duration(s[0].time())}
			for i, way := range ways {
				if way == nil {
					cells = append(cells, none)
					continue
				}
				ratio := s[i+1].ratio(s[0])
				b.emit(row{Problem: w.name, N: size, Figure: wallFigures[0], Method: w.ways[i], Seconds: s[i+1].time(), Ratio: ratio})
				cells = append(cells, digits(ratio))
			}
			t.add(cells...)
		}
		b.print(w.title+", in units of f", &t)
	}
}

var allWalls = []wall{
	{
		"once", "Gradients taken once: a mixture of so many Gaussians in 10 dimensions, 100 points", "K",
		[]int{2, 5, 10, 25, 50}, []int{2}, []string{"recording", "reverse.Gradient", "the tape again"},
		func(k int) (func(), []func()) {
			m := plain.Mixture(10, k, 100)
			t := must(reverse.Record(m.Lifted, m.X0))
			g := make([]float64, len(m.X0))
			return func() { m.Value(m.X0) }, []func(){
				func() { must(reverse.Record(m.Lifted, m.X0)) },
				func() { must(reverse.Gradient(g, m.Lifted, m.X0)) },
				func() { must(t.Gradient(g, m.X0)) },
			}
		},
	}, {
		"terms", "Gradients of 300 terms of so many operations that share all variables", "operations",
		[]int{14, 203, 398, 1204, 3000, 7140}, []int{14}, []string{"Scan", "Repeat", "a plan of the tape", "the tape"}, quadratic,
	}, {
		"forward", "Gradients of rosen by numbers, generic and lifted", "n",
		[]int{2, 3, 6, 12, 26}, []int{6}, []string{"forward.Gradient", "lifted", "the tape"},
		func(n int) (func(), []func()) {
			in := problems.Named("rosen").At(n)
			lifted, _ := problems.Concrete(in)
			g, t := make([]float64, n), must(reverse.Record(problems.Func[reverse.Var](in), in.X0))
			return func() { in.Plain(in.X0) }, []func(){
				func() { forward.Gradient(g, problems.Func[dual.Number3](in), in.X0) },
				func() { forward.Gradient(g, lifted, in.X0) },
				func() { must(t.Gradient(g, in.X0)) },
			}
		},
	}, {
		"tangents", "Tangents of rosen, and products of its Hessian with 8 directions", "n",
		[]int{1e3, 1e4, 3e4, 1e5, 1e6}, []int{1e3}, []string{"JVP", "8 HVPs", "the gradient"},
		func(n int) (func(), []func()) {
			in := problems.Named("rosen").At(n)
			t := must(reverse.Record(problems.Func[reverse.Var](in), in.X0))
			g, dy := make([]float64, n), make([]float64, 1)
			seeds, products := mat.NewDense(n, 8, nil), mat.NewDense(n, 8, nil)
			for i := range n {
				seeds.Set(i, i%8, 1)
			}
			return func() { in.Plain(in.X0) }, []func(){
				func() { must(t.JVP(dy, in.X0, in.X0)) },
				func() { must(t.HVPs(products, in.X0, seeds)) },
				func() { must(t.Gradient(g, in.X0)) },
			}
		},
	}, {
		"called", "Gradients of rosen as one operation of another tape", "n",
		[]int{10, 100, 1e3, 1e4, 1e5}, []int{100}, []string{"Tape.Apply", "the tape"},
		func(n int) (func(), []func()) {
			in := problems.Named("rosen").At(n)
			t := must(reverse.Record(problems.Func[reverse.Var](in), in.X0))
			outer := must(reverse.Record(func(x []reverse.Var) reverse.Var { return t.Apply(x...)[0].Sqrt() }, in.X0))
			g := make([]float64, n)
			return func() { in.Plain(in.X0) }, []func(){
				func() { must(outer.Gradient(g, in.X0)) },
				func() { must(t.Gradient(g, in.X0)) },
			}
		},
	},
}

// quadratic is a sum over 300 points p of ‖L(p − x)‖² with the variables x and L, a lower
// triangle, where a term has about so many operations.
func quadratic(operations int) (func(), []func()) {
	const points = 300
	d := 1
	for (d+1)*(3*d+8)/2 <= operations {
		d++
	}
	n := d + d*(d+1)/2
	random := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	data, columns, index := make([][]float64, points), make([][]float64, d), make([][]int, n)
	for t := range data {
		data[t] = make([]float64, d)
		for j := range data[t] {
			data[t][j] = random.NormFloat64()
			columns[j] = append(columns[j], data[t][j])
		}
	}
	for i := range index {
		index[i] = []int{i}
	}
	type vars = []reverse.Var
	tape := func(f func(x vars) reverse.Var) func() {
		t, g := must(reverse.Record(f, x)), make([]float64, n)
		return func() { must(t.Gradient(g, x)) }
	}
	scan := tape(func(x vars) reverse.Var {
		_, sum := dual.Scan(dual.Loop[reverse.Var]{Shared: x, Data: data, Step: func(_, w, _, p vars) (next, out vars) {
			return nil, vars{distance(w, p)}
		}})
		return sum[0]
	})
	repeat := tape(func(x vars) reverse.Var { return reverse.Repeat(distance[reverse.Var], x, index, columns) })
	ways := []func(){scan, repeat, nil, nil}
	if operations < 5000 { // else they take some 100 MB
		plain := func(x vars) reverse.Var {
			var s reverse.Var
			for _, p := range data {
				s = s.Add(distance(x, dual.Consts[reverse.Var](nil, p)))
			}
			return s
		}
		plan, g := must(hessian.NewSparse(must(reverse.Record(plain, x)))), make([]float64, n)
		ways[2] = func() {
			_, _, err := plan.ValueGradient(g, x)
			must(0, err)
		}
		ways[3] = tape(plain)
	}
	return func() {
		for _, p := range data {
			plainDistance(x, p)
		}
	}, ways
}

// distance is ‖L(p − x)‖² of w = [x; L].
func distance[T dual.Scalar[T]](w, p []T) T {
	var s T
	at := len(p)
	for i := range p {
		var y T
		for j := range i + 1 {
			y = y.Add(w[at].Mul(p[j].Sub(w[j])))
			at++
		}
		s = s.Add(y.Square())
	}
	return s
}

// plainDistance is distance by hand.
func plainDistance(w, p []float64) float64 {
	s, at := 0.0, len(p)
	for i := range p {
		y := 0.0
		for j := range i + 1 {
			y += w[at] * (p[j] - w[j])
			at++
		}
		s += y * y
	}
	return s
}
