package expr

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/op"
)

func TestWhatFollowsFromFiniteResults(t *testing.T) {
	g := NewGraph(func(Node) bool { return false }, false)
	x, y := g.leaf(Variable, 0, 0), g.leaf(Variable, 1, 0)
	squares := x.Square().Add(y.Square())
	for _, c := range []struct {
		name            string
		finite, checked Expr
		follows         bool
	}{
		{"x from x²", x.Square(), x, true},
		{"400x from x²", x.Square(), x.Scale(400), true},
		{"x² from x", x, x.Square(), false},
		{"2x from x", x, x.Scale(2), false},
		{"x·y from x² + y²", squares, x.Mul(y), false},
		{"x·y from (x² + y²)²", squares.Square(), x.Mul(y), true},
		{"x·y from (x² − y²)²", x.Square().Sub(y.Square()).Square(), x.Mul(y).Scale(8), false},
		{"x from 1/x", x.Inv(), x, false},
		{"1/x from x", x, x.Inv(), false},
		{"1/√(x² + 1) from x² + 1", x.Square().AddReal(1), x.Square().AddReal(1).Sqrt().Inv(), true},
		{"x/√(x² + 1) from x² + 1", x.Square().AddReal(1), x.Div(x.Square().AddReal(1).Sqrt()), true},
		{"y from e^y", y.Exp(), y, false},
		{"sin x from x", x, x.Sin(), true},
		{"sin x from y", y, x.Sin(), false},
		{"√x from x", x, x.Sqrt(), false},
		{"x from √x", x.Sqrt(), x, true},
		{"x from x·y", x.Mul(y), x, true},
		{"x from x/y", x.Div(y), x, true},
		{"y from x/y", x.Div(y), y, false},
		{"x + y from x·y", x.Mul(y), x.Add(y), false},
		{"log x from x", x, x.Log(), false},
	} {
		i, j := c.finite.Node(g), c.checked.Node(g)
		assert.Equal(t, c.follows, len(g.ToCheck([]int32{i}, []int32{j})) == 0, c.name)
	}
}

// Where what is to be checked is finite, all is: on random expressions of numbers of all
// magnitudes.
func TestAllIsFiniteWhereWhatIsCheckedIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := []float64{0, 1, -1, 3, 0.5, 1e100, -1e154, 1e200, 1e308, 1e-100, 1e-200, 5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	constants := []float64{2, -1, 0.5, 1, 1e10, -400, 1e-300, 1e300}
	saved := 0
	for range 30000 {
		g := NewGraph(func(Node) bool { return false }, false)
		all := []Expr{g.leaf(Variable, 0, 0), g.leaf(Variable, 1, 0), g.leaf(Variable, 2, 0)}
		for range 12 {
			x, y := all[r.IntN(len(all))], all[r.IntN(len(all))]
			c := constants[r.IntN(len(constants))]
			all = append(all, []func() Expr{
				func() Expr { return x.Add(y) }, func() Expr { return x.Sub(y) }, func() Expr { return x.Mul(y) },
				func() Expr { return x.Div(y) }, func() Expr { return x.Square() }, func() Expr { return x.Sqrt() },
				func() Expr { return x.Scale(c) }, func() Expr { return x.AddReal(c) }, func() Expr { return x.RSub(c) },
				func() Expr { return x.Inv() }, func() Expr { return x.Abs() }, func() Expr { return x.Exp() },
				func() Expr { return x.Sin() }, func() Expr { return x.Neg() }, func() Expr { return x.RDiv(c) },
				func() Expr { return x.Cosh() }, func() Expr { return x.Square().AddReal(1) },
			}[r.IntN(17)]())
		}
		node := func() int32 { return all[r.IntN(len(all))].Node(g) }
		finite, wanted := []int32{node()}, []int32{node(), node(), node()}
		check := g.ToCheck(finite, wanted)
		saved += len(wanted) - len(check)
		for range 20 {
			v := make([]float64, len(g.nodes))
			for i, n := range g.nodes {
				v[i] = numbers[r.IntN(len(numbers))]
				if n.Leaf == Operation {
					v[i] = value(n, v)
				}
			}
			all := func(nodes []int32) bool {
				for _, i := range nodes {
					if v[i]-v[i] != 0 {
						return false
					}
				}
				return true
			}
			if all(finite) && all(check) {
				require.True(t, all(wanted), "%v of %v: %v", wanted, g.nodes, v)
			}
		}
	}
	require.Greater(t, saved, 10000)
}

func value(n Node, v []float64) float64 {
	f, c := n.Op.Info(), n.Constant()
	x := v[n.A]
	switch n.Op {
	case op.Add:
		return x + v[n.B]
	case op.Sub:
		return x - v[n.B]
	case op.Mul:
		return x * v[n.B]
	case op.Square:
		return x * x
	case op.Scale:
		return c * x
	case op.AddReal:
		return x + c
	case op.RSub:
		return c - x
	case op.Neg:
		return -x
	}
	switch {
	case f.F1 != nil:
		return f.F1(x)
	case f.FC != nil:
		return f.FC(x, c)
	}
	return f.F2(x, v[n.B])
}
