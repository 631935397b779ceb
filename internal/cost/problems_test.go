package cost_test

import (
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

type V = reverse.Var

// problem is a function at a point: scalar functions are asked for the Hessian,
// others for the Jacobian.
type problem struct {
	name string
	x    []float64
	f    func(x []V) []V
}

// all are the measuring problems, the models, and random ones of all sorts.
func all() (ps []problem) {
	for _, p := range problems.All {
		sizes := []int{1000, 10000}
		switch p.Name {
		case "helmholtz":
			sizes = []int{20, 100}
		case "rnn":
			sizes = []int{4, 8}
		}
		for _, size := range sizes {
			in := p.At(size)
			q := problem{name: p.Name, x: in.X0}
			if f := problems.Func[V](in); f != nil {
				q.f = func(x []V) []V { return []V{f(x)} }
			} else {
				q.f = problems.VecFunc[V](in)
			}
			ps = append(ps, q)
		}
	}
	for _, m := range models.All {
		f := models.Func[V](m)
		ps = append(ps, problem{m.Name, m.X0, func(x []V) []V { return []V{f(x)} }})
	}
	scalar := func(name string, n int, f func(x []V) V) {
		ps = append(ps, problem{name, points(n), func(x []V) []V { return []V{f(x)} }})
	}
	vector := func(name string, n int, f func(x []V) []V) {
		ps = append(ps, problem{name, points(n), f})
	}
	scalar("separable, 3 of 500 variables, 4 shapes", 500, sum(3000, anywhere(3), shapes(4, 8)))
	scalar("separable, 4 of 5000 variables, 2 shapes", 5000, sum(5000, anywhere(4), shapes(2, 12)))
	scalar("separable, 6 of 3000 variables, 1 shape", 3000, sum(1500, anywhere(6), shapes(1, 30)))
	scalar("unlike, 3 of 600 variables", 600, sum(400, anywhere(3), shapes(400, 10)))
	scalar("unlike, 3 of 3000 variables", 3000, sum(3000, anywhere(3), shapes(3000, 8)))
	scalar("8 terms of 12 shapes", 120, sum(8*12, band(3), shapes(12, 8)))
	scalar("20 terms of 10 shapes", 250, sum(20*10, anywhere(3), shapes(10, 8)))
	scalar("60 terms of 12 shapes", 800, sum(60*12, anywhere(2), shapes(12, 8)))
	scalar("300 shapes, band of 3", 3000, sum(2900, band(3), shapes(300, 12)))
	scalar("30 shapes, band of 4", 3000, sum(2900, band(4), shapes(30, 15)))
	scalar("long programs, band of 5", 2000, sum(1900, band(5), shapes(1, 150)))
	scalar("long programs, band of 12", 1000, sum(900, band(12), shapes(1, 100)))
	scalar("wide terms, 30 of 1000 variables", 1000, sum(100, anywhere(30), norms))
	scalar("wide terms, band of 40", 2000, sum(1900, band(40), norms))
	scalar("few wide terms, band of 80", 2000, sum(20, band(80), norms))
	scalar("terms and a dense part of 30", 2000, func(x []V) V {
		return sum(1900, band(3), shapes(1, 10))(x).Add(dense(x[:30]))
	})
	scalar("terms and a dense part of all", 300, func(x []V) V {
		return sum(290, band(3), shapes(1, 10))(x).Add(dense(x))
	})
	scalar("terms and as many unlike", 2000, func(x []V) V {
		return sum(1000, band(3), shapes(1, 10))(x).Add(sum(500, anywhere(3), shapes(500, 10))(x))
	})
	scalar("arrow with 3 hubs", 3000, func(x []V) V {
		return sum(2990, func(x []V, i int) []V { return []V{x[i], x[2997], x[2998], x[2999]} }, shapes(1, 10))(x)
	})
	scalar("grid in space", 1000, sum(729, func(x []V, i int) []V {
		at := i/81*100 + i/9%9*10 + i%9
		return []V{x[at], x[at+1], x[at+10], x[at+100]}
	}, shapes(1, 12)))
	scalar("shared in groups of 4", 3000, func(x []V) V {
		var s V
		for i := 0; i < len(x); i += 5 {
			u := x[i]
			for range 20 {
				u = u.Square().AddReal(-0.1)
			}
			for k := 1; k < 5; k++ {
				s = s.Add(u.Mul(x[i+k]).Square())
			}
		}
		return s
	})
	scalar("recurrence", 200, func(x []V) V {
		s := x[0]
		for i := range x {
			s = s.Mul(x[i]).Sin().Add(x[i])
		}
		return s.Square()
	})
	scalar("controlled steps", 2000, func(x []V) V {
		var s V
		for i := 0; i+20 <= len(x); i += 10 {
			y := x[i]
			for k := range 20 {
				y = y.Add(y.Mul(x[i+k]).Sin().Scale(0.1))
			}
			s = s.Add(y.Square())
		}
		return s
	})
	for _, n := range []int{4, 8, 16, 40} {
		scalar("small", n, sum(n, anywhere(min(n, 4)), shapes(n, 10)))
		scalar("small and sparse", n, sum(n-1, band(2), shapes(n, 4)))
	}
	scalar("dense", 60, dense)
	scalar("dense", 200, dense)

	vector("rows of 3 of 3000 variables", 3000, rows(3000, anywhere(3), shapes(3, 8)))
	vector("unlike rows of 3 of 1000 variables", 1000, rows(800, anywhere(3), shapes(800, 10)))
	vector("8 rows of 10 shapes", 200, rows(80, anywhere(3), shapes(10, 8)))
	vector("40 rows of 10 shapes", 400, rows(400, band(3), shapes(10, 8)))
	vector("long rows, band of 10", 1000, rows(900, band(10), shapes(1, 60)))
	vector("tall", 5, rows(3000, func(x []V, i int) []V { return x }, shapes(2, 12)))
	vector("wide", 3000, func(x []V) []V {
		return []V{sum(2900, band(3), shapes(1, 8))(x), sum(2000, anywhere(2), shapes(1, 5))(x), sum(1000, anywhere(2), shapes(1, 6))(x)}
	})
	vector("arrow", 1000, func(x []V) []V {
		y := rows(1000, func(x []V, i int) []V { return []V{x[i], x[0]} }, shapes(1, 5))(x)
		for i := range x {
			y[0] = y[0].Add(x[i].Square().Sin())
		}
		return y
	})
	vector("dense", 40, func(x []V) []V {
		return rows(40, func(x []V, i int) []V { return x }, norms)(x)
	})
	vector("trajectory", 400, func(x []V) []V {
		y := make([]V, len(x))
		s := x[0]
		for i := range x {
			s = s.Mul(x[i]).Sin().Add(x[i])
			y[i] = s
		}
		return y
	})
	regression := func(x []V) V {
		return declared(2000, constant, 20, func(x, p []V) V {
			eta := dual.Dot(p, x)
			return eta.Softplus().Sub(eta)
		})(x)
	}
	scalar("declared regression", 20, regression)
	scalar("declared regression and its square", 20, func(x []V) V {
		y := regression(x)
		return y.Add(y.Square())
	})
	chain := func(x, p []V) V { return x[1].Sub(x[0].Square()).Square().Add(x[0].Mul(p[0]).Exp()) }
	scalar("declared, band of 2", 3000, declared(2999, func(t, a int) int { return t + a }, 1, chain))
	scattered := func(t, a int) int { return (t*(7+10*a) + 300*a) % 3000 }
	scalar("declared, 2 anywhere", 3000, declared(2999, scattered, 1, chain))
	scalar("declared, 8 anywhere", 3000, declared(1000, scattered, 8, func(x, p []V) V { return dual.Dot(x, p).Sin() }))
	scalar("squares of declared terms", 1000, func(x []V) V {
		s := dual.Const[reverse.Var](0)
		for _, y := range declaredRows(999, func(t, a int) int { return t + a }, 1, chain)(x) {
			s = s.Add(y.Square())
		}
		return s
	})
	vector("declared rows of 8 variables", 3000, declaredRows(1000, scattered, 8, func(x, p []V) V { return dual.Dot(x, p).Sin() }))
	vector("declared rows of the same 20 variables", 20, declaredRows(2000, constant, 20, func(x, p []V) V { return dual.Dot(x, p).Exp() }))
	for _, n := range []int{4, 16} {
		vector("small", n, rows(n, anywhere(min(n, 3)), shapes(n, 8)))
	}
	return ps
}

func points(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.6 + 0.3*math.Sin(float64(i))
	}
	return x
}

// choice is the variables of term i, shaped its function.
type (
	choice func(x []V, i int) []V
	shaped func(x []V, i int) V
)

func sum(terms int, at choice, f shaped) func(x []V) V {
	return func(x []V) (s V) {
		for i := range terms {
			s = s.Add(f(at(x, i), i))
		}
		return s
	}
}

func rows(m int, at choice, f shaped) func(x []V) []V {
	return func(x []V) []V {
		y := make([]V, m)
		for i := range y {
			y[i] = f(at(x, i), i)
		}
		return y
	}
}

// constant is the lists of terms that all have the same variables.
func constant(_, a int) int { return a }

// lists are the variables at(t, a) of count terms, as many of each as f reads, and
// k parameters.
func lists(count, k int, at func(t, a int) int) (index [][]int, params [][]float64) {
	for a := range max(k, 2) {
		index = append(index, make([]int, count))
		for t := range count {
			index[a][t] = at(t, a)
		}
	}
	for a := range k {
		params = append(params, make([]float64, count))
		for t := range count {
			params[a][t] = math.Sin(float64(t + 3*a))
		}
	}
	return index, params
}

// declared is a Repeat of terms of max(k, 2) variables and k parameters.
func declared(count int, at func(t, a int) int, k int, f func(x, p []V) V) func(x []V) V {
	index, params := lists(count, k, at)
	return func(x []V) V { return reverse.Repeat(f, x, index, params) }
}

// declaredRows is declared for an output a term.
func declaredRows(count int, at func(t, a int) int, k int, f func(x, p []V) V) func(x []V) []V {
	index, params := lists(count, k, at)
	rows := [][]int{make([]int, count)}
	for t := range rows[0] {
		rows[0][t] = t
	}
	return func(x []V) []V {
		return reverse.RepeatVec(func(x, p []V) []V { return []V{f(x, p)} }, x, index, params, count, rows)
	}
}

// band takes k variables in a row.
func band(k int) choice { return func(x []V, i int) []V { return x[i%(len(x)-k+1):][:k] } }

// anywhere takes k variables, one of each part of them.
func anywhere(k int) choice {
	return func(x []V, i int) []V {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		y := make([]V, k)
		for j := range y {
			y[j] = x[j*len(x)/k+r.IntN(len(x)/k)]
		}
		return y
	}
}

// shapes are random expressions with some operations.
func shapes(count, operations int) shaped {
	return func(x []V, i int) V {
		r := rand.New(rand.NewPCG(2, uint64(i%count)))
		s := append([]V(nil), x...)
		for range operations {
			a, b := r.IntN(len(s)), r.IntN(len(s))
			y := s[b]
			switch r.IntN(12) {
			case 0:
				y = s[a].Sin()
			case 1:
				y = s[a].Square().Neg().Exp()
			case 2:
				y = y.Div(s[a].Square().AddReal(1))
			case 3:
				y = s[a].Square().AddReal(1).Sqrt()
			case 4, 5, 6, 7:
				y = s[a].Mul(y).Scale(0.5)
			case 8, 9:
				y = s[a].Add(y).Scale(0.5)
			default:
				y = s[a].Sub(y)
			}
			if len(s) < 8 {
				s = append(s, y)
			} else {
				s[b] = y
			}
		}
		var z V
		for _, y := range s {
			z = z.Add(y)
		}
		return z.Square()
	}
}

// norms is a function of any number of variables with a dense Hessian.
func norms(x []V, i int) V {
	var s V
	for k := range x {
		s = s.Add(x[k].Scale(1 + 0.01*float64(k+i)))
	}
	return s.Sin()
}

// dense is no sum of alike terms.
func dense(x []V) V {
	y := x[0]
	for k := range x {
		y = y.Mul(x[k]).Add(x[k].Square()).Scale(0.5)
	}
	return y.Sin().Mul(norms(x, 1))
}
