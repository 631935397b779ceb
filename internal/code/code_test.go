package code_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// square is a user's function.
type square struct{}

func (square) At(order int) func(x float64) float64 {
	return []func(x float64) float64{
		func(x float64) float64 { return x * x }, func(x float64) float64 { return 2 * x }, func(float64) float64 { return 2 },
	}[order]
}

const variables = 4

// draw is a random function of some variables with a constant that varies, of
// operations whose values stay small.
func draw(t *rapid.T) *expr.Function {
	f := &expr.Function{Primitives: []expr.Primitive{square{}}, Constants: []expr.Constant{{Varies: true}, {Value: 0.75}}}
	for a := range int32(variables) {
		f.Steps = append(f.Steps, expr.Node{Leaf: expr.Variable, A: a})
	}
	f.Steps = append(f.Steps, expr.Node{Leaf: expr.Parameter}, expr.Node{Leaf: expr.Data})
	unary := []op.Code{op.Sin, op.Cos, op.Tanh, op.Softplus, op.Logistic, op.Atan, op.Neg}
	for range rapid.IntRange(1, 15).Draw(t, "steps") {
		operand := func() int32 { return rapid.Int32Range(0, int32(len(f.Steps))-1).Draw(t, "operand") }
		n := expr.Node{A: operand()}
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0, 1:
			n.Op = rapid.SampledFrom(unary).Draw(t, "operation")
		case 2:
			n.Op, n.B = op.Add, operand()
		case 3:
			n.Op, n.B = op.Sub, operand()
		case 4:
			n.Op, n.B = op.Mul, operand()
		case 5:
			n.Op, n.C = rapid.SampledFrom([]op.Code{op.Scale, op.AddReal, op.RSub}).Draw(t, "operation"), rapid.Int32Range(0, 1).Draw(t, "constant")
		case 6:
			n.Op, n.B, n.C = op.Select, operand(), operand()
		case 7:
			n.Op, n.C = op.Own, 0
		case 8:
			n.Op, n.K = op.PowInt, math.Float64bits(3)
		}
		if n.Op != op.Sin && n.Op != op.Select { // keep it small
			f.Steps = append(f.Steps, n, expr.Node{Op: op.Sin, A: int32(len(f.Steps))})
			continue
		}
		f.Steps = append(f.Steps, n)
	}
	last := int32(len(f.Steps)) - 1
	f.Results = []int32{last, rapid.Int32Range(0, last).Draw(t, "result")}
	return f
}

// evaluate is f on hyper-dual numbers, which know nothing of expressions.
func evaluate(f *expr.Function, x []dual.Hyper, param, data float64) []dual.Hyper {
	v := make([]dual.Hyper, len(f.Steps))
	constant := func(k int32) float64 {
		if f.Constants[k].Varies {
			return data
		}
		return f.Constants[k].Value
	}
	for i, n := range f.Steps {
		switch {
		case n.Leaf == expr.Variable:
			v[i] = x[n.A]
		case n.Leaf == expr.Parameter:
			v[i].V = param
		case n.Leaf == expr.Data:
			v[i].V = data
		case n.Op == op.Select:
			v[i] = v[n.C].Select(v[n.A], v[n.B])
		case n.Op == op.Own:
			v[i] = v[n.A].Square()
		case n.HasReal():
			v[i] = tape.Apply(n.Op, constant(n.C), v[n.A], dual.Hyper{})
		default:
			v[i] = tape.Apply(n.Op, n.Constant(), v[n.A], v[n.B])
		}
	}
	return []dual.Hyper{v[f.Results[0]], v[f.Results[1]]}
}

// want is an output at a point.
func want(f *expr.Function, o expr.Output, x []float64, param, data float64, w, dirs [][]float64) float64 {
	z := make([]dual.Hyper, variables)
	for a, x := range x {
		z[a].V = x
	}
	total := func(part func(y dual.Hyper) float64) float64 {
		y := evaluate(f, z, param, data)
		return w[0][0]*part(y[0]) + w[0][1]*part(y[1])
	}
	mixed := func(y dual.Hyper) float64 { return y.D12 }
	switch o.Of {
	case expr.Value:
		return evaluate(f, z, param, data)[o.A].V
	case expr.Gradient:
		z[o.A].D1 = 1
		return total(func(y dual.Hyper) float64 { return y.D1 })
	case expr.Hessian:
		z[o.A].D1, z[o.B].D2 = 1, 1
		return total(mixed)
	case expr.Jacobian:
		z[o.A].D1 = 1
		return evaluate(f, z, param, data)[o.B].D1
	case expr.Tangent:
		for a, d := range dirs[o.B] {
			z[a].D1 = d
		}
		return evaluate(f, z, param, data)[o.A].D1
	}
	for a, d := range dirs[o.B] {
		z[a].D2 = d
	}
	z[o.A].D1 = 1
	s := total(mixed)
	y := evaluate(f, z, param, data)
	return s + w[1+o.B][0]*y[0].D1 + w[1+o.B][1]*y[1].D1
}

var requests = []expr.Request{
	{}, {Derivative: expr.Gradient, Weighted: true}, {Derivative: expr.Hessian, Weighted: true}, {Derivative: expr.Jacobian},
	{Derivative: expr.Tangent, Directions: 2}, {Derivative: expr.Product, Directions: 2, Weighted: true, WeightsChange: true},
}

// near is a bound of the rounding errors of a function of some thirty operations on
// numbers below 2 and its derivatives, seen from the largest.
func near(t require.TestingT, want, got, scale float64, what any) {
	require.InDelta(t, want, got, 1e-11*(1+scale), "%+v", what)
}

// Vector code on lanes, of which some leaves and places are the same in all, and scalar
// code on each of them compute what hyper-dual numbers do.
func TestCodeComputesDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t)
		lanes := rapid.SampledFrom([]int{1, 3, 5, 256, 300}).Draw(t, "lanes")
		r := rapid.SampledFrom(requests).Draw(t, "request")
		r.Safe = rapid.Bool().Draw(t, "safe")
		numbers := rapid.Float64Range(-1.5, 1.5)
		x := rapid.SliceOfN(numbers, lanes+variables, lanes+variables).Draw(t, "x")
		data := make([]float64, lanes)
		for k := range data {
			data[k] = 0.5 + 0.001*float64(k%7)
		}
		param := []float64{numbers.Draw(t, "parameter")}
		w, dirs := [][]float64{{0.5, 2}, {1, -1}, {0.25, 3}}, [][]float64{{1, 0, -1, 0.5}, {0.5, 2, 0, 1}}
		indices := make([]code.Index, variables) // the last one is the same in all lanes, the first in steps, others not
		for a := range indices {
			at := make([]int, lanes)
			for k := range at {
				at[k] = []int{k, (k*k + 1) % len(x), (7*k + 2) % len(x), len(x) - 1}[a]
			}
			indices[a] = code.NewIndex(at)
		}
		all, first, second := make([]int, lanes), code.OnePlace(0, lanes), code.OnePlace(1, lanes)
		for k := range all {
			all[k] = k
		}
		each := code.NewIndex(all)
		g := expr.NewGraph(func(leaf expr.Node) bool {
			return leaf.Leaf != expr.Data && leaf.Leaf != expr.Variable || leaf.Leaf == expr.Variable && indices[leaf.A].Uniform()
		}, false)
		isTotal := func(o expr.Output) bool { return o.A%2 == 0 }
		c := code.NewVector(g, f.Derive(g, r), isTotal)
		var sources []code.Source
		for _, leaf := range c.Loads {
			at := []*code.Index{&first, &second}[leaf.A%2]
			switch leaf.Leaf {
			case expr.Variable:
				sources = append(sources, code.Source{X: x, At: &indices[leaf.A]})
			case expr.Parameter:
				sources = append(sources, code.Source{X: param, At: &first})
			case expr.Data:
				sources = append(sources, code.Source{X: data})
			case expr.Weight:
				sources = append(sources, code.Source{X: w[0], At: at})
			case expr.WeightTangent:
				sources = append(sources, code.Source{X: w[1+leaf.B], At: at})
			case expr.Direction:
				at := code.OnePlace(leaf.A, lanes)
				sources = append(sources, code.Source{X: dirs[leaf.B], At: &at})
			}
		}
		var sinks []code.Sink
		for _, o := range c.Stores {
			if isTotal(o) {
				sinks = append(sinks, code.Sink{X: make([]float64, 1), At: &first})
			} else {
				sinks = append(sinks, code.Sink{X: make([]float64, lanes), At: &each})
			}
		}
		var m code.Machine
		m.Begin(c, lanes, sources, sinks)
		for lo := 0; lo < lanes; lo += code.Lanes {
			m.Run(lo, min(code.Lanes, lanes-lo))
		}
		require.Zero(t, m.Total-m.Total)

		lane := func(k int) []float64 {
			z := make([]float64, variables)
			for a := range z {
				z[a] = x[indices[a].Places()[k]]
			}
			return z
		}
		largest := make([]float64, len(c.Stores))
		for s, o := range c.Stores {
			sum := 0.0
			for k := range lanes {
				v := want(f, o, lane(k), param[0], data[k], w, dirs)
				largest[s] = max(largest[s], math.Abs(v))
				if sum += v; !isTotal(o) {
					near(t, v, sinks[s].X[k], math.Abs(v), o)
				}
			}
			if isTotal(o) {
				near(t, sum, sinks[s].X[0], largest[s]*float64(lanes), o)
			}
		}

		k := rapid.IntRange(0, lanes-1).Draw(t, "lane")
		checkScalar(t, f, r, lane(k), param, data[k], w, dirs)
	})
}

// checkScalar runs scalar code.
func checkScalar(t *rapid.T, f *expr.Function, r expr.Request, x, param []float64, data float64, w, dirs [][]float64) {
	f = &expr.Function{Steps: f.Steps, Results: f.Results, Primitives: f.Primitives, Constants: slices.Clone(f.Constants)}
	f.Constants[0] = expr.Constant{Value: data}
	g := expr.NewGraph(func(expr.Node) bool { return false }, true)
	out := f.Derive(g, r)
	leaves := slices.Concat(x, param, w[0], w[1], w[2], dirs[0], dirs[1])
	c := code.NewScalar(g, out, len(leaves), func(leaf expr.Node) int {
		weights := variables + 1
		return map[expr.Leaf]int{
			expr.Variable: 0, expr.Parameter: variables, expr.Weight: weights,
			expr.WeightTangent: weights + 2 + 2*int(leaf.B), expr.Direction: weights + 6 + variables*int(leaf.B),
		}[leaf.Leaf] + int(leaf.A)
	})
	var m code.Registers
	for range 2 { // constants stay where they are
		m.Use(c)
		m.Set(0, leaves)
		c.Run(&m)
		for k, o := range out {
			var got [1]float64
			require.Less(t, m.Pick(got[:], []uint16{c.Output(k)}), uint64(1)<<63)
			v := want(f, o, x, param[0], data, w, dirs)
			near(t, v, got[0], math.Abs(v), o)
		}
	}
}

func TestScalarCodeShowsWhatIsNotFinite(t *testing.T) {
	f := expr.Function{Steps: []expr.Node{{Leaf: expr.Variable}, {Op: op.Inv}}, Results: []int32{1}}
	g := expr.NewGraph(func(expr.Node) bool { return false }, true)
	c := code.NewScalar(g, f.Derive(g, expr.Request{}), 1, func(expr.Node) int { return 0 })
	var m code.Registers
	for x, finite := range map[float64]bool{2: true, 0: false, math.Inf(1): true, math.Inf(-1): true} {
		m.Use(c)
		m.Set(0, []float64{x})
		c.Run(&m)
		for _, dst := range [][]float64{nil, make([]float64, 1)} {
			require.Equal(t, finite, m.Pick(dst, []uint16{c.Output(0)}) < 1<<63, "%v", x)
		}
	}
}

// Elements are copied from list to list lane by lane, however the two are kept.
func TestIndexCopyTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 5000
		n := rapid.IntRange(1, 700).Draw(t, "n")
		list := func(name string, begin int) (x []int) {
			longest := rapid.SampledFrom([]int{3, 30, 300}).Draw(t, name)
			for len(x) < n {
				at, step := rapid.IntRange(1000, 3000).Draw(t, "at"), rapid.IntRange(-3, 5).Draw(t, "step")
				for range min(n-len(x), rapid.IntRange(1, longest).Draw(t, "lanes")) {
					x = append(x, begin+at)
					at += step
				}
			}
			return x
		}
		from, to := list("from", 0), list("to", size)
		got := make([]float64, 2*size)
		for i := range got {
			got[i] = float64(i)
		}
		want := slices.Clone(got)
		for k, at := range to {
			want[at] = want[from[k]]
		}
		l, m := code.NewIndex(from), code.NewIndex(to)
		for lo := 0; lo < n; lo += code.Lanes {
			l.CopyTo(&m, got, lo, min(code.Lanes, n-lo))
		}
		require.Equal(t, want, got)
	})
}

// A list has the places that it was made of, however it keeps them.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 4000
		var x []int
		for range rapid.IntRange(1, 8).Draw(t, "pieces") {
			n := rapid.SampledFrom([]int{1, 2, 5, 40, 300}).Draw(t, "n")
			at, step := rapid.IntRange(1000, 2000).Draw(t, "at"), rapid.SampledFrom([]int{-3, -2, -1, 0, 1, 2, 3, 5}).Draw(t, "step")
			for range n {
				x = append(x, at)
				at += step
			}
		}
		l := code.NewIndex(x)
		require.Equal(t, len(x), l.Len())
		require.EqualValues(t, x[0], l.First())
		require.Equal(t, slices.Max(x) == slices.Min(x), l.Uniform())
		var buf [code.Lanes]int32
		shifted := l.Shift(5)
		from, to := make([]float64, size), make([]float64, size)
		for i := range from {
			from[i] = float64(i)
		}
		for lo := 0; lo < len(x); lo += code.Lanes {
			n := min(code.Lanes, len(x)-lo)
			got := make([]float64, n)
			l.Gather(got, from, lo)
			l.Assign(to, got, lo)
			for k, at := range l.Block(&buf, lo) {
				require.EqualValues(t, x[lo+k], at)
				require.EqualValues(t, at, got[k])
				require.EqualValues(t, at, to[at])
			}
		}
		for k, at := range shifted.Places() {
			require.EqualValues(t, x[k]+5, at)
		}
		m := code.NewIndex(slices.Repeat([]int{7}, len(x)))
		for k, at := range code.Each([]*code.Index{&l, &m}) {
			require.Equal(t, []int32{int32(x[k]), 7}, at)
		}
		require.False(t, l.Apart(&l))
		const begin = 3
		one, all := code.NewPages(size), code.NewPages(size)
		for k, at := range x {
			one.Touch(int32(at), int32(begin+k/code.Lanes))
		}
		all.TouchList(&l, begin)
		for at := range int32(size) {
			require.Equal(t, one.First(at), all.First(at))
		}
	})
}
