package implicit_test

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// repeatedTerms have derivatives of at most about 10 on [−1, 1]: two results of
// any number of variables.
var repeatedTerms = []func(x, p []reverse.Var) []reverse.Var{
	func(x, p []reverse.Var) []reverse.Var {
		s := dual.Sum(x).Scale(1 / float64(len(x)))
		return []reverse.Var{s.Sin().Mul(p[0]), s.Square().Mul(x[0])}
	},
	func(x, p []reverse.Var) []reverse.Var {
		d := dual.Dot(x, x).Scale(1 / float64(len(x)))
		return []reverse.Var{d.Add(p[0]).Softplus().Mul(x[len(x)-1]), randprog.Sine.Apply(d)}
	},
	func(x, p []reverse.Var) []reverse.Var { // branches
		if x[0].LessReal(0) {
			return []reverse.Var{x[0].Exp().Mul(p[0]), x[len(x)-1]}
		}
		return []reverse.Var{x[0].Mul(x[len(x)-1]), x[0].Cos()}
	},
}

// An equation with repeated terms is that with a loop in their place, in all its
// derivatives, as a step of another function too. The loop may be recorded, and
// swept where symbols would be too many.
func TestEquationOfRepeatIsThatOfTheLoop(t *testing.T) {
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	rapid.Check(t, func(t *rapid.T) {
		terms.Limits = limits
		if rapid.Bool().Draw(t, "swept") {
			terms.Limits.Steps, terms.Limits.Edges = rapid.IntRange(0, 60).Draw(t, "steps"), rapid.IntRange(0, 30).Draw(t, "edges")
		}
		m, l := rapid.IntRange(1, 12).Draw(t, "m"), rapid.IntRange(1, 3).Draw(t, "l")
		count, wide := rapid.SampledFrom([]int{1, 4, 30}).Draw(t, "count"), rapid.IntRange(1, 14).Draw(t, "wide")
		term := rapid.SampledFrom(repeatedTerms).Draw(t, "term")
		list := func(n int) []int {
			at, step := rapid.IntRange(0, n-1).Draw(t, "at"), rapid.IntRange(0, 2).Draw(t, "step")
			x := make([]int, count)
			for k := range x {
				x[k] = (at + step*k) % n
			}
			return x
		}
		var index [][]int
		for range wide {
			index = append(index, list(m+l))
		}
		rows, params := [][]int{list(m), list(m)}, [][]float64{make([]float64, count)}
		for k := range count {
			params[0][k] = 1 - 0.5*float64(k%3)
		}
		x := make([]float64, m+l)
		for i := range x {
			x[i] = rapid.Float64Range(-0.9, 0.9).Draw(t, "x")
			if math.Abs(x[i]) < 1e-3 {
				x[i] = 0.5
			}
		}
		w, lambda := x[:m], x[m:]

		// F = R(w, λ) − R(w₀, λ₀) + k(w − w₀), where k is more than a row of ∂R.
		k := 40 * float64(count)
		record := func(looped bool) *reverse.Tape {
			repeat := func(x []reverse.Var) []reverse.Var {
				if !looped {
					return reverse.RepeatVec(term, x, index, params, m, rows)
				}
				y := make([]reverse.Var, m)
				for e := range count {
					var local []reverse.Var
					for _, at := range index {
						local = append(local, x[at[e]])
					}
					for j, v := range term(local, []reverse.Var{dual.Const[reverse.Var](params[0][e])}) {
						y[rows[j][e]] = y[rows[j][e]].Add(v)
					}
				}
				return y
			}
			f, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
				y := repeat(x)
				for i := range y {
					y[i] = y[i].Add(x[i].Scale(k))
				}
				return y
			}, x)
			require.NoError(t, err)
			y0, err := f.Values(nil, x)
			require.NoError(t, err)
			f, err = reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
				y := repeat(x)
				for i := range y {
					y[i] = y[i].Add(x[i].Scale(k)).SubReal(y0[i])
				}
				return y
			}, x)
			require.NoError(t, err)
			return f
		}
		v, bar := make([]float64, l), make([]float64, m)
		for i := range v {
			v[i] = 1 - 0.3*float64(i)
		}
		for i := range bar {
			bar[i] = 0.5 + 0.1*float64(i%4)
		}
		all := func(looped bool) (z []float64) {
			f := record(looped)
			eq := implicit.NewEquation(f)
			s, err := eq.At(w, lambda)
			require.NoError(t, err)
			add := func(x []float64, err error) {
				require.NoError(t, err)
				z = append(z, x...)
			}
			add(s.JVP(nil, v))
			add(s.VJP(nil, bar))
			add(s.Second(nil, v, v))
			outer, err := reverse.Record(func(lambda []reverse.Var) reverse.Var {
				y := eq.Apply(lambda...)
				return dual.Dot(y, y).Add(lambda[0].Sin())
			}, lambda)
			require.NoError(t, err)
			add(outer.Gradient(nil, lambda))
			add(outer.HVP(nil, lambda, v))
			g := implicit.Fixed(f) // w − F
			j, err := g.Jacobian(nil, x)
			add(j.RawMatrix().Data, err)
			add(g.Tangent().JVP(nil, slices.Concat(x, x), slices.Concat(x, x)))
			return z
		}
		got, want := all(false), all(true)
		require.Equal(t, len(want), len(got))
		size := 0.0
		for _, v := range want {
			size = max(size, math.Abs(v))
		}
		for i := range want {
			// The matrix is k times one with a condition below 2: what is left are
			// the roundings of sums of 2·count terms and of Newton's last step.
			if tol := 1e-14 * float64(100+10*count*wide) * (1 + size); math.Abs(got[i]-want[i]) > tol {
				t.Fatalf("%d: %v, want %v ± %.2g", i, got[i], want[i], tol)
			}
		}
	})
}

// Each derivative of a primitive is one function wherever it stands, so that
// alike terms are alike in the tapes that are made for equations.
func TestPrimitivesStayOne(t *testing.T) {
	x := make([]float64, 30)
	for i := range x {
		x[i] = 0.1 * float64(i%7)
	}
	sines := func(x []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, len(x))
		for i := range x {
			y[i] = randprog.Sine.Apply(x[i].Mul(x[(i+1)%len(x)]))
		}
		return y
	}
	g, err := reverse.RecordVec(sines, x)
	require.NoError(t, err)
	require.Len(t, implicit.Fixed(g).Inside().Engine().Owns(), 1)
	f, err := reverse.Record(func(x []reverse.Var) reverse.Var { return dual.Sum(sines(x)) }, x)
	require.NoError(t, err)
	require.LessOrEqual(t, len(implicit.Optimality(f, 30, 0, nil).Inside().Engine().Owns()), 2) // it and its derivative
}

// An equation of many repeated terms that have the same variables takes the plan
// of its Jacobian, and hardly any memory beside.
func TestEquationOfRepeatTakesThePlan(t *testing.T) {
	const n, wide = 3000, 20
	index, params := make([][]int, wide), make([][]float64, wide)
	for j := range index {
		index[j], params[j] = slices.Repeat([]int{j}, n), make([]float64, n)
		for i := range n {
			params[j][i] = math.Sin(float64(i*wide + j))
		}
	}
	x := make([]float64, wide+1)
	x[wide] = 10
	f, err := reverse.Record(func(b []reverse.Var) reverse.Var {
		s := reverse.Repeat(func(b, p []reverse.Var) reverse.Var { return dual.Dot(p, b).Softplus() }, b[:wide], index, params)
		return s.Add(dual.Dot(b[:wide], b[:wide]).Mul(b[wide]))
	}, x)
	require.NoError(t, err)
	o := implicit.Optimality(f, wide, 0, nil)
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	plan := allocated(func() { _, err = reverse.NewSparseJacobian(o) })
	require.NoError(t, err)
	var eq *implicit.Equation
	require.LessOrEqual(t, allocated(func() { eq = implicit.NewEquation(o) }), plan+plan/2+1<<16)

	// Its solution has the derivative of the normal equations' system.
	s, err := eq.Newton(x[:wide], x[wide:])
	require.NoError(t, err)
	full, err := o.Jacobian(nil, slices.Concat(s.W(), x[wide:]))
	require.NoError(t, err)
	var want mat.Dense
	require.NoError(t, want.Solve(full.Slice(0, wide, 0, wide), full.Slice(0, wide, wide, wide+1)))
	want.Scale(-1, &want)
	got, err := s.Jacobian(nil)
	require.NoError(t, err)
	require.True(t, mat.EqualApprox(&want, got, 1e-12))

	// Patterns of a function around it do not look at each term, which would take
	// a number for each pair of variables of each of its derivatives.
	outer, err := reverse.Record(func(l []reverse.Var) reverse.Var { return dual.Sum(eq.Apply(l...)) }, x[wide:])
	require.NoError(t, err)
	require.Less(t, allocated(func() { outer.HessianPattern() }), uint64(n*wide*wide))
}
