package sparsity

import (
	"fmt"
	"testing"
	"time"

	"github.com/hesse-ad/hesse/dual"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// An operation of the Scalar interface and what a pattern must know of it:
// which derivatives in its first argument a and its second b are not always 0.
type operation struct {
	name                    string
	d1a, d2a, d1b, d2b, dab bool
	of                      func(a, b Tracer) Tracer
}

func linear(name string, of func(a Tracer) Tracer) operation {
	return operation{name: name, d1a: true, of: func(a, b Tracer) Tracer { return of(a) }}
}

func unary(name string, of func(a Tracer) Tracer) operation {
	return operation{name: name, d1a: true, d2a: true, of: func(a, b Tracer) Tracer { return of(a) }}
}

func none(name string, of func(a Tracer) Tracer) operation {
	return operation{name: name, of: func(a, b Tracer) Tracer { return of(a) }}
}

var operations = []operation{
	{"Add", true, false, true, false, false, Tracer.Add},
	{"Sub", true, false, true, false, false, Tracer.Sub},
	{"Mul", true, false, true, false, true, Tracer.Mul},
	{"Prod", true, false, true, false, true, Tracer.Prod},
	{"Div", true, false, true, true, true, Tracer.Div},
	{"Hypot", true, true, true, true, true, Tracer.Hypot},
	{"Pow", true, true, true, true, true, Tracer.Pow},
	{"Atan2", true, true, true, true, true, Tracer.Atan2},
	{"Max", true, false, true, false, false, Tracer.Max},
	{"Min", true, false, true, false, false, Tracer.Min},
	{"Step", false, false, false, false, false, Tracer.Step},
	{"Select", true, false, true, false, false, func(a, b Tracer) Tracer { return Tracer{}.Select(a, b) }},
	{"Select condition", false, false, false, false, false, func(a, b Tracer) Tracer { return a.Select(Tracer{}, Tracer{}) }},
	{"SumOf", true, false, true, false, false, func(a, b Tracer) Tracer { return a.SumOf([]Tracer{a, {}, b, a}) }},
	{"AffineOf", true, false, true, false, false, func(a, b Tracer) Tracer { return a.AffineOf(1, []float64{2, 0}, []Tracer{a, b}) }},
	{"DotOf", true, false, true, false, true, func(a, b Tracer) Tracer { return a.DotOf([]Tracer{a, {}}, []Tracer{b, a}) }},
	linear("Neg", Tracer.Neg),
	linear("Abs", Tracer.Abs),
	linear("AddReal", func(a Tracer) Tracer { return a.AddReal(2) }),
	linear("SubReal", func(a Tracer) Tracer { return a.SubReal(2) }),
	linear("RSub", func(a Tracer) Tracer { return a.RSub(2) }),
	linear("Scale", func(a Tracer) Tracer { return a.Scale(0) }),
	linear("PowInt 1", func(a Tracer) Tracer { return a.PowInt(1) }),
	linear("PowReal 1", func(a Tracer) Tracer { return a.PowReal(1) }),
	linear("Mul by a constant", func(a Tracer) Tracer { return a.Mul(a.Const(2)) }),
	linear("Mul of a constant", func(a Tracer) Tracer { return a.Const(2).Mul(a) }),
	linear("Div by a constant", func(a Tracer) Tracer { return a.Div(a.Const(2)) }),
	linear("Max of a constant", func(a Tracer) Tracer { return a.Const(2).Max(a) }),
	none("PowInt 0", func(a Tracer) Tracer { return a.PowInt(0) }),
	none("PowReal 0", func(a Tracer) Tracer { return a.PowReal(0) }),
	none("Detach", Tracer.Detach),
	none("Const", func(a Tracer) Tracer { return a.Const(2) }),
	unary("Inv", Tracer.Inv),
	unary("RDiv", func(a Tracer) Tracer { return a.RDiv(2) }),
	unary("Div of a constant", func(a Tracer) Tracer { return a.Const(2).Div(a) }),
	unary("Square", Tracer.Square),
	unary("Sqrt", Tracer.Sqrt),
	unary("Cbrt", Tracer.Cbrt),
	unary("Hypot of a constant", func(a Tracer) Tracer { return a.Const(2).Hypot(a) }),
	unary("Hypot with a constant", func(a Tracer) Tracer { return a.Hypot(a.Const(2)) }),
	unary("Pow of a constant", func(a Tracer) Tracer { return a.Const(2).Pow(a) }),
	unary("Pow with a constant", func(a Tracer) Tracer { return a.Pow(a.Const(2)) }),
	unary("PowReal", func(a Tracer) Tracer { return a.PowReal(1.5) }),
	unary("PowInt", func(a Tracer) Tracer { return a.PowInt(-1) }),
	unary("Exp", Tracer.Exp),
	unary("Exp2", Tracer.Exp2),
	unary("Expm1", Tracer.Expm1),
	unary("Log", Tracer.Log),
	unary("Log2", Tracer.Log2),
	unary("Log10", Tracer.Log10),
	unary("Log1p", Tracer.Log1p),
	unary("Sin", Tracer.Sin),
	unary("Cos", Tracer.Cos),
	unary("Tan", Tracer.Tan),
	unary("Asin", Tracer.Asin),
	unary("Acos", Tracer.Acos),
	unary("Atan", Tracer.Atan),
	unary("Sinh", Tracer.Sinh),
	unary("Cosh", Tracer.Cosh),
	unary("Tanh", Tracer.Tanh),
	unary("Asinh", Tracer.Asinh),
	unary("Acosh", Tracer.Acosh),
	unary("Atanh", Tracer.Atanh),
	unary("Erf", Tracer.Erf),
	unary("Erfc", Tracer.Erfc),
	unary("Gamma", Tracer.Gamma),
	unary("LogGamma", Tracer.LogGamma),
	unary("Polygamma", func(a Tracer) Tracer { return a.Polygamma(0) }),
	unary("Logistic", Tracer.Logistic),
	unary("Softplus", Tracer.Softplus),
}

func requirePattern(t require.TestingT, want, got *Pattern, msg ...any) {
	if !want.Equal(got) {
		require.Fail(t, "patterns differ", "want %v\n%sgot %v\n%s%v", want, want.Spy(0), got, got.Spy(0), msg)
	}
}

func TestEachOperationHasItsPattern(t *testing.T) {
	for _, op := range operations {
		f := func(x []Tracer) Tracer { return op.of(x[0], x[1]) }
		var i, j []int
		add := func(there bool, r, c int) {
			if there {
				i, j = append(i, r), append(j, c)
			}
		}
		add(op.d2a, 0, 0)
		add(op.d2b, 1, 1)
		add(op.dab, 0, 1)
		add(op.dab, 1, 0)
		requirePattern(t, FromCoordinates(2, 2, i, j), Hessian(f, 2), op.name)
		i, j = nil, nil
		add(op.d1a, 0, 0)
		add(op.d1b, 0, 1)
		requirePattern(t, FromCoordinates(1, 2, i, j),
			Jacobian(func(x []Tracer) []Tracer { return []Tracer{f(x)} }, 2), op.name)
	}
}

// A dense tracer carries what the value depends on and what pairs have second
// derivatives, both as tables: section 2 of Hill and Dalle, Sparser, better,
// faster, stronger, 2025, without sharing.
type denseTracer struct {
	g []bool
	h [][]bool
}

func newDenseTracer(n int) denseTracer {
	return denseTracer{make([]bool, n), newTable(n, n).in}
}

func (d denseTracer) take(o denseTracer) {
	for i := range d.g {
		d.g[i] = d.g[i] || o.g[i]
		for j := range d.g {
			d.h[i][j] = d.h[i][j] || o.h[i][j]
		}
	}
}

func (d denseTracer) cross(a, b denseTracer) {
	for i := range d.g {
		for j := range d.g {
			d.h[i][j] = d.h[i][j] || a.g[i] && b.g[j] || b.g[i] && a.g[j]
		}
	}
}

// A step of a random program: an operation on two earlier results.
type step struct {
	op   int
	a, b int
}

func (op operation) dense(a, b denseTracer) denseTracer {
	z := newDenseTracer(len(a.g))
	if op.d1a {
		z.take(a)
	}
	if op.d1b {
		z.take(b)
	}
	if op.d2a {
		z.cross(a, a)
	}
	if op.d2b {
		z.cross(b, b)
	}
	if op.dab {
		z.cross(a, b)
	}
	return z
}

type program struct {
	n       int
	steps   []step
	outputs []int
}

func drawProgram(t *rapid.T) program {
	p := program{n: rapid.IntRange(1, 12).Draw(t, "n")}
	size := p.n
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		// The first operations of the table, the binary ones, as often as all others.
		op := rapid.OneOf(rapid.IntRange(0, 15), rapid.IntRange(0, len(operations)-1)).Draw(t, "op")
		p.steps = append(p.steps, step{
			op,
			rapid.IntRange(0, size-1).Draw(t, "a"),
			rapid.IntRange(max(0, size-5), size-1).Draw(t, "b"),
		})
		size++
	}
	for range rapid.IntRange(0, 15).Draw(t, "outputs") {
		p.outputs = append(p.outputs, rapid.IntRange(0, size-1).Draw(t, "output"))
	}
	return p
}

func (p program) run(x []Tracer) []Tracer {
	v := x
	for _, s := range p.steps {
		v = append(v, operations[s.op].of(v[s.a], v[s.b]))
	}
	y := make([]Tracer, len(p.outputs))
	for k, o := range p.outputs {
		y[k] = v[o]
	}
	return y
}

// dense returns the patterns of the Jacobian and of the Hessian of the sum of
// the outputs.
func (p program) dense() (jacobian, hessian *table) {
	var v []denseTracer
	for i := range p.n {
		x := newDenseTracer(p.n)
		x.g[i] = true
		v = append(v, x)
	}
	for _, s := range p.steps {
		v = append(v, operations[s.op].dense(v[s.a], v[s.b]))
	}
	jacobian = newTable(len(p.outputs), p.n)
	sum := newDenseTracer(p.n)
	for k, o := range p.outputs {
		copy(jacobian.in[k], v[o].g)
		sum.take(v[o])
	}
	return jacobian, &table{p.n, p.n, sum.h}
}

func TestTracerAgreesWithDenseTracer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		jacobian, hessian := p.dense()
		requireTable(t, jacobian, Jacobian(p.run, p.n))
		requireTable(t, hessian, Hessian(func(x []Tracer) Tracer { return x[0].SumOf(p.run(x)) }, p.n))
	})
}

// Sets that would grow too large are found in another way: force it.
func TestBothWaysOfFindingDependenciesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		g := newGraph(p.n)
		p.run(g.variables())
		target := make([]bool, g.nodes())
		for i := range target {
			target[i] = rapid.IntRange(0, 9).Draw(t, "target") == 0
		}
		many := make([]bool, g.nodes())
		for i := range many {
			many[i] = true
		}
		for _, target := range [][]bool{target, many} {
			direct, byBits := g.dependencies(target, 1<<30), g.dependencies(target, -1)
			for i, want := range target {
				if want {
					require.ElementsMatch(t, direct.elements(direct.of[i]), byBits.elements(byBits.of[i]))
				}
			}
		}
	})
}

func rosen[T dual.Scalar[T]](x []T) T {
	var s T
	for i := range len(x) - 1 {
		a := x[i+1].Sub(x[i].Square()).Square().Scale(100)
		s = s.Add(a).Add(x[i].RSub(1).Square())
	}
	return s
}

func arrow[T dual.Scalar[T]](x []T) T {
	var s T
	hub := x[len(x)-1]
	for _, xi := range x[:len(x)-1] {
		s = s.Add(xi.Square().Add(hub.Square()).Square()).Sub(xi.Scale(4)).AddReal(3)
	}
	return s
}

func bdqrtic[T dual.Scalar[T]](x []T) T {
	var s T
	hub := x[len(x)-1]
	for i := range len(x) - 4 {
		a := x[i].Square().Add(x[i+1].Square().Scale(2)).Add(x[i+2].Square().Scale(3)).
			Add(x[i+3].Square().Scale(4)).Add(hub.Square().Scale(5))
		s = s.Add(x[i].Scale(4).RSub(3).Square()).Add(a.Square())
	}
	return s
}

func minsurf[T dual.Scalar[T]](m int) func(x []T) T {
	return func(x []T) T {
		var s T
		for i := range m - 1 {
			for j := range m - 1 {
				a, b, c, d := x[i*m+j], x[i*m+j+1], x[(i+1)*m+j], x[(i+1)*m+j+1]
				s = s.Add(a.Sub(d).Square().Add(b.Sub(c).Square()).Scale(2).AddReal(1).Sqrt())
			}
		}
		return s
	}
}

func trig[T dual.Scalar[T]](x []T) T {
	var s T
	for i := range len(x) - 1 {
		s = s.Add(x[i].Mul(x[i+1]).Sin().Mul(x[i].Square().Scale(-0.1).Exp())).Add(x[i+1].Square().AddReal(1).Log())
	}
	return s
}

// bratu is the 5-point discretization of −Δu − 6eᵘ.
func bratu[T dual.Scalar[T]](m int) func(u []T) []T {
	return func(u []T) []T {
		f := make([]T, m*m)
		for i := range m {
			for j := range m {
				s := u[i*m+j].Scale(4)
				for _, d := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
					if k, l := i+d[0], j+d[1]; k >= 0 && k < m && l >= 0 && l < m {
						s = s.Sub(u[k*m+l])
					}
				}
				f[i*m+j] = s.Scale(9).Sub(u[i*m+j].Exp().Scale(6))
			}
		}
		return f
	}
}

// rnn is the loss of h ← tanh(Wh + Ux) after some steps, with W first in w.
func rnn[T dual.Scalar[T]](hidden, steps int) func(w []T) T {
	return func(w []T) T {
		h := make([]T, hidden)
		for range steps {
			next := make([]T, hidden)
			for i := range next {
				next[i] = w[0].DotOf(w[i*hidden:(i+1)*hidden], h).Add(w[hidden*hidden+i]).Tanh()
			}
			h = next
		}
		return w[0].DotOf(h, h)
	}
}

func TestHessianPatternsOfKnownProblems(t *testing.T) {
	const n = 50
	requirePattern(t, Banded(n, 1, 1), Hessian(rosen, n))
	requirePattern(t, Banded(n, 1, 1), Hessian(trig, n))
	requirePattern(t, Arrow(n, n-1), Hessian(arrow, n))
	requirePattern(t, Banded(n, 3, 3).Union(Arrow(n, n-1)), Hessian(bdqrtic, n))
	requirePattern(t, BoxStencil(7, 7), Hessian(minsurf[Tracer](7), 49))
	requirePattern(t, StarStencil(7, 7), Jacobian(bratu[Tracer](7), 49))
	requirePattern(t, Diagonal(49), Hessian(func(x []Tracer) Tracer { return x[0].SumOf(bratu[Tracer](7)(x)) }, 49))
	requirePattern(t, Full(6, 6), Hessian(rnn[Tracer](2, 3), 6))
}

func TestHessianIsExactOnStructure(t *testing.T) {
	x0, x1 := []int{0, 1}, []int{1, 0}
	for name, test := range map[string]struct {
		f    func(x []Tracer) Tracer
		want *Pattern
	}{
		"a product of two variables has no diagonal": {
			func(x []Tracer) Tracer { return x[0].Mul(x[1]) }, FromCoordinates(3, 3, x0, x1)},
		"a product of sums has what its factors share": {
			func(x []Tracer) Tracer { return x[0].Add(x[1]).Mul(x[1].Sub(x[2])) },
			FromCoordinates(3, 3, []int{0, 0, 1, 1, 1, 2, 2}, []int{1, 2, 0, 1, 2, 0, 1})},
		"linear operations add nothing": {
			func(x []Tracer) Tracer { return x[0].Neg().Scale(3).Sub(x[1]).AddReal(1).Max(x[2]) }, FromCoordinates(3, 3, nil, nil)},
		"dead code adds nothing": {
			func(x []Tracer) Tracer {
				dead := x[0].Mul(x[1]).Exp()
				_ = dead.Mul(x[2])
				return x[0].Mul(x[1])
			}, FromCoordinates(3, 3, x0, x1)},
		"what a comparison alone depends on adds nothing": {
			func(x []Tracer) Tracer { return x[2].Square().Select(x[0].Mul(x[1]), x[0].Square().Detach()) }, FromCoordinates(3, 3, x0, x1)},
		"a constant has an empty pattern": {
			func(x []Tracer) Tracer { return x[0].Square().Detach() }, FromCoordinates(3, 3, nil, nil)},
		"the zero value is a constant": {
			func(x []Tracer) Tracer { return Tracer{}.Add(x[0]).Mul(Tracer{}.Sub(x[1])) }, FromCoordinates(3, 3, x0, x1)},
		"a variable itself is linear": {
			func(x []Tracer) Tracer { return x[1] }, FromCoordinates(3, 3, nil, nil)},
	} {
		requirePattern(t, test.want, Hessian(test.f, 3), name)
	}
	requirePattern(t, Full(0, 0), Hessian(func(x []Tracer) Tracer { return Tracer{} }, 0))
	requirePattern(t, Full(0, 3), Jacobian(func(x []Tracer) []Tracer { return nil }, 3))
	requirePattern(t, Full(2, 0), Jacobian(func(x []Tracer) []Tracer { return make([]Tracer, 2) }, 0))
	requirePattern(t, FromCoordinates(3, 2, []int{0, 2}, []int{1, 1}),
		Jacobian(func(x []Tracer) []Tracer { return []Tracer{x[1], {}, x[1]} }, 2))
}

func TestTracerMisusePanics(t *testing.T) {
	var other Tracer
	Hessian(func(x []Tracer) Tracer { other = x[0]; return other }, 1)
	on := func(f func(x Tracer) Tracer) func() {
		return func() { Hessian(func(x []Tracer) Tracer { return f(x[0]) }, 1) }
	}
	for _, f := range []func(x Tracer) Tracer{
		func(x Tracer) Tracer { return x.Add(other) },
		func(x Tracer) Tracer { return x.Mul(other) },
		func(x Tracer) Tracer { return x.Pow(other) },
		func(x Tracer) Tracer { return x.SumOf([]Tracer{x, other}) },
		func(x Tracer) Tracer { return other },
	} {
		require.PanicsWithValue(t, errMixed, on(f))
	}
	for _, f := range []func(x Tracer){
		func(x Tracer) { x.Value() },
		func(x Tracer) { x.Less(x) },
		func(x Tracer) { x.LessEq(x) },
		func(x Tracer) { x.LessReal(0) },
		func(x Tracer) { x.LessEqReal(0) },
	} {
		require.PanicsWithValue(t, errValue, on(func(x Tracer) Tracer { f(x); return x }))
	}
	require.PanicsWithValue(t, "sparsity: negative order", on(func(x Tracer) Tracer { return x.Polygamma(-1) }))
	require.PanicsWithValue(t, "sparsity: lengths differ", on(func(x Tracer) Tracer { return x.DotOf([]Tracer{x}, nil) }))
	require.PanicsWithValue(t, "sparsity: lengths differ", on(func(x Tracer) Tracer { return x.AffineOf(0, nil, []Tracer{x}) }))
	require.PanicsWithValue(t, "sparsity: negative dimension", func() { Hessian(rosen, -1) })
}

// These are quadratic, or run out of memory, where the sets of partial sums are
// kept or an interaction is made again.
func TestLargeProblemsAreFeasible(t *testing.T) {
	const n = 100_000
	require.True(t, Banded(n, 1, 1).Equal(Hessian(rosen, n)))
	require.True(t, Arrow(n, n-1).Equal(Hessian(arrow, n)))
	require.True(t, Arrow(n, 0).Equal(Hessian(func(x []Tracer) Tracer {
		var s Tracer
		for _, xi := range x[1:] {
			s = s.Add(xi.Mul(x[0]).Sin())
		}
		return s
	}, n)))

	// one variable, squared again and again
	require.True(t, Full(1, 1).Equal(Hessian(func(x []Tracer) Tracer {
		z := x[0]
		for range n {
			z = z.Mul(z)
		}
		return z
	}, 1)))
	// ten variables in turn enter a nonlinear recursion
	require.True(t, Full(10, 10).Equal(Hessian(func(x []Tracer) Tracer {
		z := x[0]
		for k := range n {
			z = z.Mul(x[k%10]).Sin()
		}
		return z
	}, 10)))
	// a sum of all variables that others use too: the gradient is dense
	require.True(t, Full(1, n).Equal(Jacobian(func(x []Tracer) []Tracer {
		var s, f Tracer
		for _, xi := range x {
			s = s.Add(xi)
			f = f.Add(s.Square())
		}
		return []Tracer{f}
	}, n)))
	// a network that has a few sets, all large, over and over
	require.True(t, Full(20*21, 20*21).Equal(Hessian(rnn[Tracer](20, 200), 20*21)))
}

func BenchmarkHessian(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for name, f := range map[string]func([]Tracer) Tracer{"rosen": rosen[Tracer], "arrow": arrow[Tracer], "bdqrtic": bdqrtic[Tracer]} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					Hessian(f, n)
				}
				b.ReportMetric(float64(b.Elapsed())/float64(time.Nanosecond)/float64(b.N*n), "ns/variable")
			})
		}
	}
}
