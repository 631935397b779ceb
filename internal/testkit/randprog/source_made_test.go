package randprog_test

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// somewhere is a point and directions, without a program.
func somewhere(n int) *randprog.Prog {
	p := &randprog.Prog{Inputs: n}
	for i := range n {
		p.X = append(p.X, 1.2+0.5*math.Sin(float64(7*i)))
		p.U = append(p.U, 0.3*float64(1+i%3))
		p.V = append(p.V, math.Cos(float64(5*i)))
	}
	return p
}

// madePrograms are functions with what random programs seldom have: rows of matrices, long
// lists, lanes with constants of their own, alike terms. Each is there for straight lines
// and for loops.
func madePrograms() (all []func(x []reverse.Var) []reverse.Var) {
	v := func(i int) float64 { return math.Sin(float64(3*i)) + 0.1 }
	weights := func(n, at int) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = v(i + at)
		}
		return w
	}
	add := func(f func(x []reverse.Var) []reverse.Var) { all = append(all, f, f) }
	add(func(x []reverse.Var) (y []reverse.Var) { // a matrix times a vector, twice, columns
		h := make([]reverse.Var, 0, 22)
		for j := range 22 {
			h = append(h, dual.Affine(v(j), weights(len(x), j), x).Tanh())
		}
		for j := range 17 {
			y = append(y, dual.Affine(0, weights(22, 5*j), h).Square())
		}
		return y
	})
	inner := func(x []reverse.Var) (h []reverse.Var) {
		for j := range 9 {
			h = append(h, x[4+j].Mul(x[13]).Sin())
		}
		return h
	}
	add(func(x []reverse.Var) (y []reverse.Var) { // columns, of which one in the first eight overflows
		h := inner(x)
		for j := range 15 {
			y = append(y, dual.Affine(0, weights(9, j), h).Tanh())
		}
		return append(y, x[3].Square().Square().Mul(x[1]))
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // rows, likewise
		h := inner(x)
		y = append(y, x[3].Square().Square().Mul(x[1]))
		for j := range 11 {
			y = append(y, dual.Dot(h[:4], h[5:]).Add(dual.Affine(0, weights(9, j), h)).Exp())
		}
		return y
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // products of rows with one of them
		h := make([]reverse.Var, 0, 70)
		for j := range 70 {
			h = append(h, x[j%14].Scale(v(j)).Exp())
		}
		for j := range 6 {
			y = append(y, dual.Dot(h[10*j:10*j+10], h[60:]))
		}
		return append(y, dual.Dot(h[:60], h[10:]).Log())
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // long lists of what is not consecutive
		h := make([]reverse.Var, 0, 60)
		for j := range 60 {
			h = append(h, x[j%14].Mul(x[(3*j+1)%14]).Sin(), x[j%13].Pow(x[j%5]))
		}
		g := []reverse.Var{}
		for j := range 50 {
			g = append(g, h[(j*j)%len(h)])
		}
		w := make([]float64, 50)
		for j := range w {
			w[j] = 2
		}
		return []reverse.Var{
			dual.Sum(g), dual.Affine(1, weights(50, 0), g).Mul(x[0]), dual.Affine(0, w, g).Exp(),
			dual.Dot(g, h[:50]).Sin(), dual.Dot(g[:40], g[10:]).Mul(x[1]), dual.Sum(h[:100]).Mul(x[2]),
		}
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // several operands, and what jumps
		for j := range 30 {
			a, b, c := x[j%14], x[(j+3)%14], x[(2*j+1)%14]
			y = append(y, a.FMA(b, c).Sin().Mul(a), b.Exp().IncGamma(0, 0, a), a.Max(b).Mul(c).Abs(), a.Hypot(b).Div(c), a.Select(b, c).Square())
		}
		return []reverse.Var{dual.Sum(y).Scale(0.01), dual.Norm2(y)}
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // lanes with constants of their own
		for j := range 40 {
			a, b := x[j%14], x[(j*j)%14]
			y = append(y, a.Scale(v(j)).AddReal(v(j+1)).PowReal(2.5+v(j)).Mul(b), b.Div(dual.Const[reverse.Var](v(j))).PowInt(2+j%3), a.Mul(x[0]), dual.Affine(v(j), []float64{1, v(j), -2}, []reverse.Var{a, b, x[2]}).Sin())
		}
		return []reverse.Var{dual.Sum(y)}
	})
	term := func(x, p []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Add(p[0]).Sin().Mul(x[1].Exp()) }
	lists := func(n int) ([][]int, [][]float64) {
		index, params := [][]int{make([]int, n), make([]int, n)}, [][]float64{weights(n, 2)}
		for t := range n {
			index[0][t], index[1][t] = t%14, (5*t+t*t)%14
		}
		return index, params
	}
	add(func(x []reverse.Var) (y []reverse.Var) { // sums of alike terms, of inputs and results
		index, params := lists(300)
		h := make([]reverse.Var, 0, 14)
		for j := range 14 {
			h = append(h, x[13-j].Square().AddReal(0.1).Log())
		}
		s := reverse.Repeat(term, h, index, params)
		return []reverse.Var{s.Mul(x[0]), reverse.Repeat(term, x, index, params)}
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // terms of several results
		index, params := lists(40)
		rows := [][]int{make([]int, 40), make([]int, 40)}
		for t := range 40 {
			rows[0][t], rows[1][t] = t/4, (7*t)%11
		}
		return reverse.RepeatVec(func(x, p []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].Div(x[1]).Mul(p[0]), x[0].Sub(x[1]).Square()}
		}, x, index, params, 11, rows)
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // a loop with inputs and data of its own
		l := dual.Loop[reverse.Var]{
			Start: x[:2], Shared: x[2:4], Checkpoints: 3,
			Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
				a := s[0].Add(s[1].Mul(w[0]).Scale(0.1)).Add(u[0].Mul(p[0]).Scale(0.01))
				b := s[1].Sub(s[0].Sin().Mul(w[1]).Scale(0.1))
				return []reverse.Var{a, b}, []reverse.Var{a.Mul(b).Add(u[0]), s[0].Square()}
			},
		}
		for k := range 25 {
			l.Vars = append(l.Vars, []reverse.Var{x[4+k%10]})
			l.Data = append(l.Data, []float64{v(k)})
		}
		last, sum := dual.Scan(l)
		return []reverse.Var{last[0].Mul(x[0]), last[1], sum[0].Exp().Scale(1e-3), sum[1]}
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // outputs of some steps; a state alone
		l := dual.Loop[reverse.Var]{Start: x[:3], Steps: 12, Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
			return []reverse.Var{s[1], s[2], s[0].Mul(s[1]).Tanh()}, []reverse.Var{s[2].Exp()}
		}}
		last, out := dual.ScanAt(l, []int{2, 7, 11})
		return []reverse.Var{last[2].Mul(out[0][0]), out[1][0].Square(), out[2][0].Add(x[5])}
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // steps that compare, in three ways
		l := dual.Loop[reverse.Var]{
			Start: x[:2], Shared: x[2:4],
			Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
				a := s[0].Add(s[1].Mul(w[0]).Scale(0.1)).Add(u[0].Mul(p[0]).Scale(0.3))
				b := s[1].Sub(s[0].Sin().Mul(w[1]).Scale(0.1))
				switch {
				case a.Less(b):
					a, b = b.Mul(w[0]).Sqrt(), a
				case !a.LessReal(1.5):
					a = a.Scale(0.5)
				}
				return []reverse.Var{a, b}, []reverse.Var{a.Mul(b), s[0].Square().Add(u[0])}
			},
		}
		for k := range 25 {
			l.Vars = append(l.Vars, []reverse.Var{x[4+k%10]})
			l.Data = append(l.Data, []float64{v(k)})
		}
		last, sum := dual.Scan(l)
		return []reverse.Var{last[0].Mul(x[0]), last[1], sum[0].Exp().Scale(1e-3), sum[1]}
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // loops that find their end, the second none
		l := dual.Loop[reverse.Var]{
			Start: x[:2], Shared: x[2:4], Steps: 30,
			While: func(s, w []reverse.Var) bool { return s[0].LessReal(6) },
			Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
				return []reverse.Var{s[0].Add(w[0].Square().Scale(0.2)), s[1].Mul(w[1]).Sin()}, []reverse.Var{s[0].Mul(s[1])}
			},
		}
		last, sum := dual.Scan(l)
		l.Steps, l.While = 4, func(s, w []reverse.Var) bool { return s[1].LessReal(100) }
		end, out := dual.ScanAt(l, []int{1, 3})
		return []reverse.Var{last[0], last[1].Mul(sum[0]), end[1].Mul(out[0][0]), out[1][0]}
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // a loop of layers, for which sweeps are better than symbols
		l := dual.Loop[reverse.Var]{
			Start: x[:4], Shared: x[4:10],
			Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
				in := append(append([]reverse.Var{u[0]}, s...), w...)
				for j := range 24 {
					next = append(next, dual.Affine(v(j), weights(len(in), j), in).AddReal(0.01).Mul(p[0]).Tanh())
				}
				out = append(out, dual.Dot(next[:12], next[12:]))
				for j := range 4 {
					next = append(next, dual.Affine(0, weights(24, 3*j), next[:24]).Sin())
				}
				return next[24:], out
			},
		}
		for k := range 7 {
			l.Vars = append(l.Vars, []reverse.Var{x[10+k%4]})
			l.Data = append(l.Data, []float64{v(k)})
		}
		last, sum := dual.Scan(l)
		return append(last, sum[0].Exp())
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // small loops in steps and in terms
		turn := func(s, w reverse.Var) (last, sum reverse.Var) {
			z, out := dual.Scan(dual.Loop[reverse.Var]{Start: []reverse.Var{s}, Shared: []reverse.Var{w}, Steps: 5, Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
				return []reverse.Var{s[0].Mul(w[0]).Sin()}, []reverse.Var{s[0].Square()}
			}})
			return z[0], out[0]
		}
		index, params := lists(9)
		for _, list := range index {
			for t := range list {
				list[t] %= 3
			}
		}
		last, sum := dual.Scan(dual.Loop[reverse.Var]{Start: x[:2], Shared: x[2:3], Steps: 7, Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
			a, b := turn(s[0], w[0])
			return []reverse.Var{a.Add(s[1].Scale(0.1)), b.Tanh()}, []reverse.Var{reverse.Repeat(term, append(s[:2:2], w[0]), index, params)}
		}})
		return append(last, sum[0].Log(), reverse.Repeat(func(x, p []reverse.Var) reverse.Var {
			a, b := turn(x[0], x[1])
			return a.Mul(b).Add(p[0])
		}, x, index, params))
	})
	add(func(x []reverse.Var) (y []reverse.Var) { // more lanes than a block has, that add to the same inputs
		for j := range 1500 {
			a, b := x[j%14], x[(j*j+1)%14]
			y = append(y, a.Mul(b).Sin().Scale(0.01), a.Hypot(b.AddReal(v(j))))
		}
		return []reverse.Var{dual.Sum(y)}
	})
	return all
}
