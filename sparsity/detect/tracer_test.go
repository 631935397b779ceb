package detect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
	"github.com/hesse-ad/hesse/sparsity"
)

// An operation of the Scalar interface on a, or on a and b.
type operation[T any] struct {
	name string
	of   func(a, b T) T
}

func operations[T dual.Scalar[T]]() []operation[T] {
	var zero T
	of := func(f func(T) T) func(a, b T) T { return func(a, b T) T { return f(a) } }
	return []operation[T]{
		{"Add", T.Add},
		{"Sub", T.Sub},
		{"Mul", T.Mul},
		{"Prod", T.Prod},
		{"Div", T.Div},
		{"Hypot", T.Hypot},
		{"Pow", T.Pow},
		{"Atan2", T.Atan2},
		{"Max", T.Max},
		{"Min", T.Min},
		{"Step", T.Step},
		{"Mod", T.Mod},
		{"Copysign", T.Copysign},
		{"FMA", func(a, b T) T { return a.FMA(b, a) }},
		{"FMA of a constant", func(a, b T) T { return zero.Const(2).FMA(b, a) }},
		{"IncGamma", func(a, b T) T { return a.IncGamma(0, 0, b) }},
		{"IncBeta", func(a, b T) T { return a.IncBeta(0, 0, 0, b, zero.Const(0.3)) }},
		{"Select", func(a, b T) T { return a.Sub(b).Select(a, b) }},
		{"SumOf", func(a, b T) T { return zero.SumOf([]T{a, zero, b, a}) }},
		{"AffineOf", func(a, b T) T { return zero.AffineOf(1, []float64{2, 3}, []T{a, b}) }},
		{"DotOf", func(a, b T) T { return zero.DotOf([]T{a, zero}, []T{b, a}) }},
		{"Neg", of(T.Neg)},
		{"Abs", of(T.Abs)},
		{"Floor", of(T.Floor)},
		{"Ceil", of(T.Ceil)},
		{"Round", of(T.Round)},
		{"Trunc", of(T.Trunc)},
		{"AddReal", of(func(a T) T { return a.AddReal(2) })},
		{"SubReal", of(func(a T) T { return a.SubReal(2) })},
		{"RSub", of(func(a T) T { return a.RSub(2) })},
		{"Scale", of(func(a T) T { return a.Scale(2) })},
		{"PowInt 0", of(func(a T) T { return a.PowInt(0) })},
		{"PowInt 1", of(func(a T) T { return a.PowInt(1) })},
		{"PowInt", of(func(a T) T { return a.PowInt(-1) })},
		{"PowReal 0", of(func(a T) T { return a.PowReal(0) })},
		{"PowReal 1", of(func(a T) T { return a.PowReal(1) })},
		{"PowReal", of(func(a T) T { return a.PowReal(1.5) })},
		{"Mul by a constant", of(func(a T) T { return a.Mul(a.Const(2)) })},
		{"Mul of a constant", of(func(a T) T { return a.Const(2).Mul(a) })},
		{"Div by a constant", of(func(a T) T { return a.Div(a.Const(2)) })},
		{"Div of a constant", of(func(a T) T { return a.Const(2).Div(a) })},
		{"Max of a constant", of(func(a T) T { return a.Const(2).Max(a) })},
		{"Hypot of a constant", of(func(a T) T { return a.Const(2).Hypot(a) })},
		{"Hypot with a constant", of(func(a T) T { return a.Hypot(a.Const(2)) })},
		{"Pow of a constant", of(func(a T) T { return a.Const(2).Pow(a) })},
		{"Pow with a constant", of(func(a T) T { return a.Pow(a.Const(3)) })},
		{"Detach", of(T.Detach)},
		{"Const", of(func(a T) T { return a.Const(2) })},
		{"Inv", of(T.Inv)},
		{"RDiv", of(func(a T) T { return a.RDiv(2) })},
		{"Polygamma", of(func(a T) T { return a.Polygamma(0) })},
		{"Square", of(T.Square)},
		{"Sqrt", of(T.Sqrt)},
		{"Cbrt", of(T.Cbrt)},
		{"Exp", of(T.Exp)},
		{"Exp2", of(T.Exp2)},
		{"Expm1", of(T.Expm1)},
		{"Log", of(T.Log)},
		{"Log2", of(T.Log2)},
		{"Log10", of(T.Log10)},
		{"Log1p", of(T.Log1p)},
		{"Sin", of(T.Sin)},
		{"Cos", of(T.Cos)},
		{"Tan", of(T.Tan)},
		{"Asin", of(T.Asin)},
		{"Acos", of(T.Acos)},
		{"Atan", of(T.Atan)},
		{"Sinh", of(T.Sinh)},
		{"Cosh", of(T.Cosh)},
		{"Tanh", of(T.Tanh)},
		{"Asinh", of(T.Asinh)},
		{"Acosh", of(T.Acosh)},
		{"Atanh", of(T.Atanh)},
		{"Erf", of(T.Erf)},
		{"Erfc", of(T.Erfc)},
		{"Gamma", of(T.Gamma)},
		{"LogGamma", of(T.LogGamma)},
		{"Logistic", of(T.Logistic)},
		{"Softplus", of(T.Softplus)},
	}
}

// binaryOperations is how many of the operations, the first ones, use both arguments.
const binaryOperations = 21

// derivatives says which derivatives in a and b of an operation are not always
// 0: those that are not at one of a few points where it is defined.
type derivatives struct{ d1a, d2a, d1b, d2b, dab bool }

func findDerivatives(op operation[dual.Hyper]) derivatives {
	var d derivatives
	for _, at := range [][2]float64{{0.7, 0.4}, {1.7, 2.3}, {2.6, 0.3}} {
		along := func(a1, b1, a2, b2 float64) dual.Hyper {
			return op.of(dual.Hyper{V: at[0], D1: a1, D2: a2}, dual.Hyper{V: at[1], D1: b1, D2: b2})
		}
		aa, bb, ab := along(1, 0, 1, 0), along(0, 1, 0, 1), along(1, 0, 0, 1)
		if math.IsNaN(aa.V) {
			continue
		}
		d.d1a = d.d1a || aa.D1 != 0
		d.d2a = d.d2a || aa.D12 != 0
		d.d1b = d.d1b || bb.D1 != 0
		d.d2b = d.d2b || bb.D12 != 0
		d.dab = d.dab || ab.D12 != 0
	}
	return d
}

func requirePattern(t require.TestingT, want, got *sparsity.Pattern, msg ...any) {
	if !want.Equal(got) {
		require.Fail(t, "patterns differ", "want %v\n%sgot %v\n%s%v", want, want.Spy(0), got, got.Spy(0), msg)
	}
}

func TestEachOperationHasItsPattern(t *testing.T) {
	for k, op := range tracerOperations {
		d := operationDerivatives[k]
		f := func(x []Tracer) Tracer { return op.of(x[0], x[1]) }
		var i, j []int
		add := func(there bool, r, c int) {
			if there {
				i, j = append(i, r), append(j, c)
			}
		}
		add(d.d2a, 0, 0)
		add(d.d2b, 1, 1)
		add(d.dab, 0, 1)
		add(d.dab, 1, 0)
		requirePattern(t, sparsity.FromCoordinates(2, 2, i, j), Hessian(f, 2), op.name)
		i, j = nil, nil
		add(d.d1a, 0, 0)
		add(d.d1b, 0, 1)
		requirePattern(t, sparsity.FromCoordinates(1, 2, i, j),
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

func square(n int) [][]bool {
	a := make([][]bool, n)
	for i := range a {
		a[i] = make([]bool, n)
	}
	return a
}

func fromTable(a [][]bool, cols int) *sparsity.Pattern {
	var i, j []int
	for r, row := range a {
		for c, in := range row {
			if in {
				i, j = append(i, r), append(j, c)
			}
		}
	}
	return sparsity.FromCoordinates(len(a), cols, i, j)
}

func newDenseTracer(n int) denseTracer {
	return denseTracer{make([]bool, n), square(n)}
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

func (d derivatives) dense(a, b denseTracer) denseTracer {
	z := newDenseTracer(len(a.g))
	if d.d1a {
		z.take(a)
	}
	if d.d1b {
		z.take(b)
	}
	if d.d2a {
		z.cross(a, a)
	}
	if d.d2b {
		z.cross(b, b)
	}
	if d.dab {
		z.cross(a, b)
	}
	return z
}

var tracerOperations = operations[Tracer]()

var operationDerivatives = func() (d []derivatives) {
	for _, op := range operations[dual.Hyper]() {
		d = append(d, findDerivatives(op))
	}
	return d
}()

type dag struct {
	n       int
	steps   []step
	outputs []int
}

func drawProgram(t *rapid.T) dag {
	p := dag{n: rapid.IntRange(1, 12).Draw(t, "n")}
	size := p.n
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		op := rapid.OneOf(rapid.IntRange(0, binaryOperations-1), rapid.IntRange(0, len(tracerOperations)-1)).Draw(t, "op")
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

// largeProgram is one with sets of more than a word of inputs and outputs.
func largeProgram(seed uint64) dag {
	r := rand.New(rand.NewPCG(1, seed))
	p := dag{n: 20 + r.IntN(150)}
	size := p.n
	for range 400 {
		op := r.IntN(len(tracerOperations))
		if r.IntN(3) > 0 {
			op = r.IntN(3) // Add, Sub, Mul
		}
		p.steps = append(p.steps, step{op, r.IntN(size), max(0, size-1-r.IntN(2*p.n))})
		size++
	}
	for range 1 + r.IntN(2*p.n) {
		p.outputs = append(p.outputs, r.IntN(size))
	}
	return p
}

// recursion is a program of a few states that each step makes of each other and
// of one more input, so that the sets of inputs that they depend on are nested.
func recursion(draw func(lo, hi int) int, n int) dag {
	p := dag{n: n}
	var states []int
	for i := range min(n, draw(1, 4)) {
		states = append(states, i)
	}
	any := func() int { return states[draw(0, len(states)-1)] }
	size := n
	for k := range n {
		for range draw(1, 3) {
			with := any()
			if draw(0, 2) > 0 {
				with = k
			}
			op := draw(0, len(tracerOperations)-1)
			if draw(0, 1) > 0 {
				op = draw(0, 2) // Add, Sub, Mul
			}
			p.steps = append(p.steps, step{op, any(), with})
			if draw(0, 3) > 0 {
				states[draw(0, len(states)-1)] = size
			} else {
				p.outputs = append(p.outputs, size)
			}
			size++
		}
	}
	p.outputs = append(p.outputs, states...)
	return p
}

func (p dag) run(x []Tracer) []Tracer {
	v := x
	for _, s := range p.steps {
		v = append(v, tracerOperations[s.op].of(v[s.a], v[s.b]))
	}
	y := make([]Tracer, len(p.outputs))
	for k, o := range p.outputs {
		y[k] = v[o]
	}
	return y
}

// dense returns the patterns of the Jacobian and of the Hessian of the sum of
// the outputs.
func (p dag) dense() (jacobian, hessian [][]bool) {
	var v []denseTracer
	for i := range p.n {
		x := newDenseTracer(p.n)
		x.g[i] = true
		v = append(v, x)
	}
	for _, s := range p.steps {
		v = append(v, operationDerivatives[s.op].dense(v[s.a], v[s.b]))
	}
	sum := newDenseTracer(p.n)
	for _, o := range p.outputs {
		jacobian = append(jacobian, v[o].g)
		sum.take(v[o])
	}
	return jacobian, sum.h
}

func (p dag) requireDensePatterns(t require.TestingT) {
	jacobian, hessian := p.dense()
	requirePattern(t, fromTable(jacobian, p.n), Jacobian(p.run, p.n))
	requirePattern(t, fromTable(hessian, p.n), Hessian(func(x []Tracer) Tracer { return x[0].SumOf(p.run(x)) }, p.n))
}

func TestTracerAgreesWithDenseTracer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { drawProgram(t).requireDensePatterns(t) })
	for seed := range uint64(20) {
		largeProgram(seed).requireDensePatterns(t)
	}
}

func TestNestedSetsAgreeWithDenseTracer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "choice") }
		recursion(draw, draw(1, 12)).requireDensePatterns(t)
	})
	for _, n := range []int{62, 63, 64, 65, 66, 127, 128, 129} {
		for seed := range uint64(3) {
			r := rand.New(rand.NewPCG(uint64(n), seed))
			recursion(func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }, n).requireDensePatterns(t)
		}
	}
}

// Cubic where each set is paired with itself, or a set of each step is made.
func TestRecursionsAreFeasible(t *testing.T) {
	shooting := func(u []Tracer) Tracer {
		s := u[0]
		for _, v := range u[1:] {
			s = s.Add(v).Sin()
		}
		return s
	}
	require.Equal(t, 4097*4097, Hessian(shooting, 4097).NNZ())

	// windows of more inputs than a word has bits
	for _, n := range []int{4095, 4096, 4097} {
		const width = 65
		require.True(t, sparsity.Banded(n, width-1, width-1).Equal(Hessian(func(u []Tracer) Tracer {
			var f Tracer
			for k := range n - width + 1 {
				f = f.Add(u[0].SumOf(u[k : k+width]).Sin())
			}
			return f
		}, n)), n)
	}

	// two recursions in turn, of the even and of the odd inputs
	const n = 2050
	apart := Hessian(func(u []Tracer) Tracer {
		s := slices.Clone(u[:2])
		for k, v := range u[2:] {
			s[k%2] = s[k%2].Add(v).Sin()
		}
		return s[0].Add(s[1])
	}, n)
	require.Equal(t, n*n/2, apart.NNZ())
	for i := range n {
		row := apart.Row(i)
		require.True(t, len(row) == n/2 && int(row[0]) == i%2 && int(row[n/2-1]) == n-2+i%2, i)
	}

	// linear in all but one variable, and all partial sums are used again
	const m = 30_000
	require.True(t, sparsity.Arrow(m, 0).Equal(Hessian(func(u []Tracer) Tracer {
		s := u[0].Const(0)
		var f Tracer
		for _, v := range u[1:] {
			s = s.Add(v)
			f = f.Add(s).Add(v.Square())
		}
		return f.Add(s.Mul(u[0])).Add(u[0].Square())
	}, m)))
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
	requirePattern(t, sparsity.Banded(n, 1, 1), Hessian(problems.Rosen, n))
	requirePattern(t, sparsity.Banded(n, 1, 1), Hessian(problems.Trig, n))
	requirePattern(t, sparsity.Arrow(n, n-1), Hessian(problems.Arrow, n))
	requirePattern(t, sparsity.Banded(n, 3, 3).Union(sparsity.Arrow(n, n-1)), Hessian(problems.Bdqrtic, n))
	requirePattern(t, sparsity.BoxStencil(7, 7), Hessian(problems.Minsurf, 49))
	requirePattern(t, sparsity.StarStencil(7, 7), Jacobian(problems.Bratu, 49))
	requirePattern(t, sparsity.Diagonal(49), Hessian(func(x []Tracer) Tracer { return x[0].SumOf(problems.Bratu(x)) }, 49))
	requirePattern(t, sparsity.Full(6, 6), Hessian(rnn[Tracer](2, 3), 6))
}

func TestHessianIsExactOnStructure(t *testing.T) {
	x0, x1 := []int{0, 1}, []int{1, 0}
	for name, test := range map[string]struct {
		f    func(x []Tracer) Tracer
		want *sparsity.Pattern
	}{
		"a product of two variables has no diagonal": {
			func(x []Tracer) Tracer { return x[0].Mul(x[1]) }, sparsity.FromCoordinates(3, 3, x0, x1)},
		"a product of sums has what its factors share": {
			func(x []Tracer) Tracer { return x[0].Add(x[1]).Mul(x[1].Sub(x[2])) },
			sparsity.FromCoordinates(3, 3, []int{0, 0, 1, 1, 1, 2, 2}, []int{1, 2, 0, 1, 2, 0, 1})},
		"linear operations add nothing": {
			func(x []Tracer) Tracer { return x[0].Neg().Scale(3).Sub(x[1]).AddReal(1).Max(x[2]) }, sparsity.FromCoordinates(3, 3, nil, nil)},
		"dead code adds nothing": {
			func(x []Tracer) Tracer {
				dead := x[0].Mul(x[1]).Exp()
				_ = dead.Mul(x[2])
				return x[0].Mul(x[1])
			}, sparsity.FromCoordinates(3, 3, x0, x1)},
		"what a comparison alone depends on adds nothing": {
			func(x []Tracer) Tracer { return x[2].Square().Select(x[0].Mul(x[1]), x[0].Square().Detach()) }, sparsity.FromCoordinates(3, 3, x0, x1)},
		"a coefficient 0 may be another one tomorrow": {
			func(x []Tracer) Tracer { return x[0].Scale(0).Mul(x[1]) }, sparsity.FromCoordinates(3, 3, x0, x1)},
		"a constant has an empty pattern": {
			func(x []Tracer) Tracer { return x[0].Square().Detach() }, sparsity.FromCoordinates(3, 3, nil, nil)},
		"the zero value is a constant": {
			func(x []Tracer) Tracer { return Tracer{}.Add(x[0]).Mul(Tracer{}.Sub(x[1])) }, sparsity.FromCoordinates(3, 3, x0, x1)},
		"a variable itself is linear": {
			func(x []Tracer) Tracer { return x[1] }, sparsity.FromCoordinates(3, 3, nil, nil)},
	} {
		requirePattern(t, test.want, Hessian(test.f, 3), name)
	}
	requirePattern(t, sparsity.Full(0, 0), Hessian(func(x []Tracer) Tracer { return Tracer{} }, 0))
	requirePattern(t, sparsity.Full(0, 3), Jacobian(func(x []Tracer) []Tracer { return nil }, 3))
	requirePattern(t, sparsity.Full(2, 0), Jacobian(func(x []Tracer) []Tracer { return make([]Tracer, 2) }, 0))
	requirePattern(t, sparsity.FromCoordinates(3, 2, []int{0, 2}, []int{1, 1}),
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
	require.PanicsWithValue(t, "detect: negative order", on(func(x Tracer) Tracer { return x.Polygamma(-1) }))
	require.PanicsWithValue(t, "detect: lengths differ", on(func(x Tracer) Tracer { return x.DotOf([]Tracer{x}, nil) }))
	require.PanicsWithValue(t, "detect: lengths differ", on(func(x Tracer) Tracer { return x.AffineOf(0, nil, []Tracer{x}) }))
	require.PanicsWithValue(t, "detect: nil function", func() { Jacobian(nil, 1) })
	require.PanicsWithValue(t, "detect: nil function", func() { Hessian(nil, 1) })
	require.PanicsWithValue(t, "detect: negative number of variables", func() { Hessian(problems.Rosen, -1) })
}

// These are quadratic, or run out of memory, where the sets of partial sums are
// kept or an interaction is made again.
func TestLargeProblemsAreFeasible(t *testing.T) {
	const n = 100_000
	require.True(t, sparsity.Banded(n, 1, 1).Equal(Hessian(problems.Rosen, n)))
	require.True(t, sparsity.Arrow(n, n-1).Equal(Hessian(problems.Arrow, n)))
	require.True(t, sparsity.Arrow(n, 0).Equal(Hessian(func(x []Tracer) Tracer {
		var s Tracer
		for _, xi := range x[1:] {
			s = s.Add(xi.Mul(x[0]).Sin())
		}
		return s
	}, n)))

	// one variable, squared again and again
	require.True(t, sparsity.Full(1, 1).Equal(Hessian(func(x []Tracer) Tracer {
		z := x[0]
		for range n {
			z = z.Mul(z)
		}
		return z
	}, 1)))
	// ten variables in turn enter a nonlinear recursion
	require.True(t, sparsity.Full(10, 10).Equal(Hessian(func(x []Tracer) Tracer {
		z := x[0]
		for k := range n {
			z = z.Mul(x[k%10]).Sin()
		}
		return z
	}, 10)))
	// a sum of all variables that others use too: the gradient is dense
	require.True(t, sparsity.Full(1, n).Equal(Jacobian(func(x []Tracer) []Tracer {
		var s, f Tracer
		for _, xi := range x {
			s = s.Add(xi)
			f = f.Add(s.Square())
		}
		return []Tracer{f}
	}, n)))
	// a network that has a few sets, all large, over and over
	require.True(t, sparsity.Full(20*21, 20*21).Equal(Hessian(rnn[Tracer](20, 200), 20*21)))
}

func BenchmarkHessian(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for name, f := range map[string]func([]Tracer) Tracer{"rosen": problems.Rosen[Tracer], "arrow": problems.Arrow[Tracer], "bdqrtic": problems.Bdqrtic[Tracer]} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					Hessian(f, n)
				}
				b.ReportMetric(float64(b.Elapsed())/float64(time.Nanosecond)/float64(b.N*n), "ns/variable")
			})
		}
	}
}
