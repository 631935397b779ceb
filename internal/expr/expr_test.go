package expr

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// leaves are n variables of a graph in which variable 0 is the same in all terms.
func leaves(n int, r rules) []Expr {
	g := NewGraph(func(leaf Node) bool { return leaf.A == 0 }, false)
	g.rules = r
	x := make([]Expr, n)
	for a := range x {
		x[a] = g.leaf(Variable, a, 0)
	}
	return x
}

// number is the value of an expression at x.
func number(e Expr, x []float64) float64 {
	if v, ok := e.Constant(); ok {
		return v
	}
	v := make([]dual.Real, len(e.g.nodes))
	for i, n := range e.g.nodes {
		switch {
		case n.Leaf != Operation:
			v[i] = dual.Real(x[n.A])
		case n.Op == op.Const:
			v[i] = dual.Real(n.Constant())
		case n.Op == op.Select:
			v[i] = v[n.A].Select(v[n.B], v[n.C])
		default:
			v[i] = tape.Apply(n.Op, n.Constant(), v[n.A], v[n.B])
		}
	}
	return float64(v[e.i])
}

func TestEqualExpressionsAreOne(t *testing.T) {
	for _, r := range []rules{exact, algebraic, annihilating} {
		x := leaves(3, r)
		a, b := x[1], x[2]
		assert.Equal(t, a.Mul(b), b.Mul(a))
		assert.Equal(t, a.Add(b).Sin(), b.Add(a).Sin())
		assert.Equal(t, a.Mul(a), a.Square())
		assert.NotEqual(t, a.Sub(b), b.Sub(a))
		assert.NotEqual(t, a.Scale(2), a.Scale(3))
		n := len(a.g.nodes)
		a.Add(b).Sin().Mul(a.Mul(b))
		m := len(a.g.nodes)
		assert.Equal(t, n+1, m)
		b.Mul(a).Mul(b.Add(a).Sin())
		assert.Len(t, a.g.nodes, m)
	}
}

// Values keep their bits: nothing is simplified that rounds otherwise.
func TestValuesAreNotSimplified(t *testing.T) {
	x := leaves(2, exact)
	at := []float64{0.1, 0.3}
	for _, e := range []struct {
		got  Expr
		want float64
	}{
		{x[0].Scale(3).Scale(1. / 3), 0.1 * 3 * (1. / 3)},
		{x[0].Scale(0), 0},
		{x[0].AddReal(0), 0.1},
		{x[0].Scale(3).Add(x[1].Scale(3)), float64(0.1*3) + float64(0.3*3)},
		{x[0].Div(x[1].Const(3)), 0.1 / 3},
	} {
		assert.Equal(t, math.Float64bits(e.want), math.Float64bits(number(e.got, at)))
	}
	inf := []float64{math.Inf(1), 1}
	assert.True(t, math.IsNaN(number(x[0].Scale(0), inf)))
	assert.True(t, math.IsNaN(number(x[0].Sub(x[0]), inf)))
}

// As real numbers, and with derivative products, expressions are equal to what they were
// made of, and of no more nodes than are needed.
func TestDerivativesAreSimplifiedAsRealNumbers(t *testing.T) {
	at := []float64{0.7, 1.3, -0.4}
	for _, r := range []rules{algebraic, annihilating} {
		x := leaves(3, r)
		a, b, c := x[0], x[1], x[2]
		for k, e := range []struct {
			got  Expr
			want float64
		}{
			{a.Scale(2).Mul(b.Scale(-3)), 2 * -3 * 0.7 * 1.3},
			{b.RSub(1).Sub(b.AddReal(1)), -2 * 1.3},
			{a.Neg().Neg(), 0.7},
			{a.Sub(b).Neg(), 1.3 - 0.7},
			{b.Mul(a).Mul(c.Mul(a)), 1.3 * 0.7 * -0.4 * 0.7},
			{b.Scale(2).Add(c.Scale(2)), 2 * (1.3 - 0.4)},
			{b.Scale(2).Sub(c.Scale(2)), 2 * (1.3 + 0.4)},
			{b.Div(c), 1.3 / -0.4},
			{b.Scale(3).Square(), 9 * 1.3 * 1.3},
			{b.Prod(c).Add(b.Const(0)), 1.3 * -0.4},
			{b.Prod(b.Const(0)), 0},
		} {
			assert.InEpsilon(t, 1+e.want, 1+number(e.got, at), 1e-14, "%d", k)
		}
	}
	x := leaves(3, algebraic)
	assert.Equal(t, x[1].Scale(6), x[1].Scale(2).Scale(3))
	assert.Equal(t, x[1], x[1].Neg().Neg())
	assert.Equal(t, constant(0), x[1].Scale(0))
	assert.Equal(t, x[1].Sub(x[2]), x[2].Sub(x[1]).Neg())
	// What is the same in all terms is multiplied first.
	e := x[1].Mul(x[0]).Mul(x[2].Mul(x[0]).Scale(5))
	n := e.g.nodes[e.i]
	require.Equal(t, op.Mul, n.Op)
	assert.True(t, e.g.Uniform(n.A) != e.g.Uniform(n.B))
}

// sin(x·y): the example of the package comment.
func TestEdgesOfASineOfAProduct(t *testing.T) {
	f := Function{
		Steps:   []Node{{Leaf: Variable, A: 0}, {Leaf: Variable, A: 1}, {Op: op.Mul, A: 0, B: 1}, {Op: op.Sin, A: 2}},
		Results: []int32{3},
	}
	assert.Equal(t, 1+3, CountEdges(f.Steps, 100))
	assert.Equal(t, 4, CountAdjoints(f.Steps, f.Results))
	assert.Greater(t, CountEdges(f.Steps, 1), 1)
	x, y := 0.7, 1.3
	sin, cos := math.Sin(x*y), math.Cos(x*y)
	want := map[[3]int]float64{
		{int(Value), 0, 0}: sin, {int(Gradient), 0, 0}: y * cos, {int(Gradient), 1, 0}: x * cos,
		{int(Hessian), 0, 0}: -y * y * sin, {int(Hessian), 1, 0}: cos - x*y*sin, {int(Hessian), 1, 1}: -x * x * sin,
	}
	for _, safe := range []bool{false, true} {
		out := f.Derive(NewGraph(func(Node) bool { return false }, false), Request{Derivative: Hessian, Safe: safe})
		assert.Len(t, out, len(want))
		for _, o := range out {
			assert.InEpsilon(t, want[[3]int{int(o.Of), o.A, o.B}], number(o.Expr, []float64{x, y}), 1e-14, "%+v", o)
		}
	}
}

func TestVariablesFirst(t *testing.T) {
	steps := []Node{{Leaf: Variable, A: 5}, {Op: op.Sin, A: 0}, {Leaf: Data, A: 7}, {Leaf: Variable, A: 6}, {Op: op.Select, A: 1, B: 3, C: 2}}
	got, results := VariablesFirst(steps, []int32{4, 1}, nil)
	assert.Equal(t, []Node{{Leaf: Variable, A: 5}, {Leaf: Variable, A: 6}, {Op: op.Sin, A: 0}, {Leaf: Data, A: 7}, {Op: op.Select, A: 2, B: 1, C: 3}}, got)
	assert.Equal(t, []int32{4, 2}, results)
}
