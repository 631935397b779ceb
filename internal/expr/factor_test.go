package expr

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/op"
)

// operations counts what outputs take.
func operations(g *Graph, out []Output) (n int) {
	for i, uses := range g.uses(out, 0) {
		if uses > 0 && g.nodes[i].Arity() > 0 {
			n++
		}
	}
	return n
}

func outputs(z ...Expr) (out []Output) {
	for k, e := range z {
		out = append(out, Output{Expr: e, Of: Gradient, A: k})
	}
	return out
}

// Sums of products take no more operations than by hand.
func TestCommonFactors(t *testing.T) {
	for name, c := range map[string]struct {
		made func(a, b, c, d Expr) []Expr
		want int
	}{
		"(a+b+c)·d":   {func(a, b, c, d Expr) []Expr { return []Expr{a.Mul(d).Add(b.Mul(d)).Add(c.Mul(d))} }, 3},
		"a·(b+c) + d": {func(a, b, c, d Expr) []Expr { return []Expr{a.Mul(b).Add(d).Add(c.Mul(a))} }, 3},
		"((a + 2)·a + 3)·a + 4": {func(a, b, c, d Expr) []Expr {
			return []Expr{a.Square().Mul(a).Add(a.Square().Scale(2)).Add(a.Scale(3)).AddReal(4)}
		}, 5},
		"s = a·c − b·d, s·c and −2s·c²": {func(a, b, c, d Expr) []Expr {
			u, v := a.Mul(c), b.Mul(d)
			return []Expr{u.Mul(c).Sub(v.Mul(c)), v.Scale(2).Mul(c.Square()).Sub(u.Mul(c.Square()).Scale(2))}
		}, 3 + 1 + 2},
		"a·b·c and a·b·d": {func(a, b, c, d Expr) []Expr { return []Expr{a.Mul(c).Mul(b), d.Mul(b).Mul(a)} }, 3},
		"s = a − 2b, s·c + d and c − 3s": {func(a, b, c, d Expr) []Expr {
			return []Expr{a.Mul(c).Sub(b.Mul(c).Scale(2)).Add(d), c.Sub(a.Scale(3)).Add(b.Scale(6))}
		}, 2 + 2 + 2},
		"3·a·b":     {func(a, b, c, d Expr) []Expr { return []Expr{a.Mul(b).Add(b.Mul(a.Scale(2)))} }, 2},
		"a·c − 5·b": {func(a, b, c, d Expr) []Expr { return []Expr{a.Mul(c).Sub(b.Scale(5))} }, 3},
		"s = 0.1a + 0.2b, 0.3s and 0.7s": {func(a, b, c, d Expr) []Expr {
			s := func(k float64) Expr { return a.Scale(0.1 * k).Add(b.Scale(0.2 * k)) }
			return []Expr{s(0.3).Mul(c), s(0.7).Mul(d)} // 0.1·0.3 is not 3/7 of 0.1·0.7
		}, 2 + 2 + 2},
	} {
		x := leaves(5, algebraic)
		out := outputs(c.made(x[1], x[2], x[3], x[4])...)
		g := x[1].g
		g.factor(5, out)
		assert.LessOrEqual(t, operations(g, out), c.want, name)
	}
}

// The product of values is a value.
func TestProductsOfValuesAreFactors(t *testing.T) {
	x := leaves(4, exact)
	v := x[1].Mul(x[2])
	g := v.g
	values := int32(len(g.nodes))
	g.rules = algebraic
	out := outputs(v, x[3].Mul(x[2]).Mul(x[1]))
	g.factor(values, out)
	assert.Equal(t, v, out[0].Expr)
	assert.Equal(t, 2, operations(g, out))
}

// What is the same in all terms is multiplied first, for all at once.
func TestUniformFactorsAreMultipliedFirst(t *testing.T) {
	g := NewGraph(func(leaf Node) bool { return leaf.A < 2 }, false)
	g.rules = algebraic
	var x []Expr
	for a := range 4 {
		x = append(x, g.leaf(Variable, a, 0))
	}
	p, q, a, b := x[0], x[1], x[2], x[3]
	out := outputs(p.Mul(a).Mul(q.Mul(a)).Add(p.Mul(b).Mul(q.Mul(a))))
	g.factor(4, out)
	each := 0
	for i, uses := range g.uses(out, 0) {
		if uses > 0 && g.nodes[i].Arity() > 0 && !g.uniform[i] {
			each++
		}
	}
	assert.Equal(t, 3, each) // (p·q)·(a·(a + b))
}

// randomDerivatives is random sums and products, with a quotient and a function of
// the variables as values.
func randomDerivatives(t *rapid.T, sums bool) (g *Graph, values int32, out []Output) {
	g = NewGraph(func(leaf Node) bool { return leaf.A == 0 }, sums)
	var all []Expr
	for a := range 4 {
		all = append(all, g.leaf(Variable, a, 0))
	}
	all = append(all, all[1].Mul(all[2]), all[0].Div(all[3]), all[1].Sin())
	values = int32(len(g.nodes))
	g.rules = algebraic
	draw := func() Expr { return rapid.SampledFrom(all).Draw(t, "operand") }
	constants := rapid.SampledFrom([]float64{2, -1, 0.1, 3, 0.3, -5, 1e9, 1e-9, 1e250, 1e-250})
	for range rapid.IntRange(1, 40).Draw(t, "operations") {
		x, y := draw(), draw()
		var z Expr
		switch rapid.IntRange(0, 9).Draw(t, "operation") {
		case 0, 1, 2:
			z = x.Mul(y)
		case 3, 4:
			z = x.Add(y)
		case 5:
			z = x.Sub(y)
		case 6:
			z = x.Scale(constants.Draw(t, "constant"))
		case 7:
			z = x.AddReal(constants.Draw(t, "constant"))
		case 8:
			z = x.Square()
		case 9:
			z = x.RSub(constants.Draw(t, "constant"))
		}
		if z.g != nil {
			all = append(all, z)
		}
	}
	for k := range rapid.IntRange(1, 6).Draw(t, "outputs") {
		out = append(out, Output{Expr: draw(), Of: Gradient, A: k})
	}
	return g, values, out
}

// exactly is the values of nodes if those from number first on are computed without
// rounding, and the same with absolute values in all sums.
func exactly(g *Graph, first int32, v []float64) (exact, absolute []*big.Float) {
	number := func(c float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(c) }
	for i, n := range g.nodes {
		z, a := number(0), number(0)
		c := number(n.Constant())
		x, ax, y, ay := z, a, z, a
		if n.Arity() > 0 {
			x, ax = exact[n.A], absolute[n.A]
		}
		if n.Arity() > 1 {
			y, ay = exact[n.B], absolute[n.B]
		}
		switch {
		case int32(i) < first || n.Arity() == 0:
			z = number(v[i])
			a.Abs(z)
		case n.Op == op.Add:
			z, a = number(0).Add(x, y), number(0).Add(ax, ay)
		case n.Op == op.Sub:
			z, a = number(0).Sub(x, y), number(0).Add(ax, ay)
		case n.Op == op.AddReal:
			z, a = number(0).Add(x, c), number(0).Add(ax, number(0).Abs(c))
		case n.Op == op.RSub:
			z, a = number(0).Sub(c, x), number(0).Add(ax, number(0).Abs(c))
		case n.Op == op.Mul:
			z, a = number(0).Mul(x, y), number(0).Mul(ax, ay)
		case n.Op == op.Square:
			z, a = number(0).Mul(x, x), number(0).Mul(ax, ax)
		case n.Op == op.Scale:
			z, a = number(0).Mul(x, c), number(0).Mul(ax, number(0).Abs(c))
		case n.Op == op.Neg:
			z, a = number(0).Neg(x), ax
		default:
			panic(n.Op.String())
		}
		exact, absolute = append(exact, z), append(absolute, a)
	}
	return exact, absolute
}

// evaluate is the values of all nodes at x.
func evaluate(g *Graph, x []float64) []float64 {
	v := make([]float64, len(g.nodes))
	for i, n := range g.nodes {
		switch {
		case n.Leaf != Operation:
			v[i] = x[n.A]
		case n.Op == op.Const:
			v[i] = n.Constant()
		default:
			v[i] = value(n, v)
		}
	}
	return v
}

// Written again, derivatives take less work, and each is within N roundings of the sum of
// its terms' absolute values, N being the operations that it was made of before and after
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, §3.1): factors
// that come out of a sum do not make that sum larger. Coefficients that are equal up to
// rounding errors count as equal, which is worth 2³ roundings of each.
func TestFactoredDerivativesAreAccurate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, values, out := randomDerivatives(t, rapid.Bool().Draw(t, "sums"))
		old := slices.Clone(out)
		g.factor(values, out)
		require.LessOrEqual(t, g.work(out), g.work(old))
		x := rapid.SliceOfN(rapid.SampledFrom([]float64{0.7, -1.3, 3, 1 + 1e-9, 1, -1e3, 1e-5, 0.1}), 4, 4).Draw(t, "x")
		v := evaluate(g, x)
		if slices.ContainsFunc(v, func(v float64) bool { return v-v != 0 }) {
			return
		}
		exact, absolute := exactly(g, values, v)
		for i, v := range v {
			if math.Abs(v) < 0x1p-1000 && exact[i].Sign() != 0 {
				return // it underflows, which another order may not
			}
		}
		for k, o := range out {
			was := old[k]
			if was.g == nil {
				require.Equal(t, was, o)
				continue
			}
			got, ok := o.Constant()
			if !ok {
				got = v[o.i]
			}
			most, _ := absolute[was.i].Float64()
			n := 8 * float64(operations(g, out[k:k+1])+operations(g, old[k:k+1])+1)
			difference, _ := new(big.Float).Sub(new(big.Float).SetPrec(2000).SetFloat64(got), exact[was.i]).Float64()
			require.LessOrEqual(t, math.Abs(difference), n*0x1p-53*most, "output %d: %v for %v", k, got, exact[was.i])
		}
	})
}

// Where a value is not finite, results that were not are not, so that they are computed
// again with derivative products.
func TestFactoredDerivativesShowWhatIsNotFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, values, out := randomDerivatives(t, rapid.Bool().Draw(t, "sums"))
		old := slices.Clone(out)
		g.factor(values, out)
		x := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, -1, 3, math.Inf(1), math.Inf(-1), math.NaN()}), 4, 4).Draw(t, "x")
		v := evaluate(g, x)
		isFinite := func(o Output) bool {
			z, ok := o.Constant()
			if !ok {
				z = v[o.i]
			}
			return z-z == 0
		}
		for i, n := range g.nodes[values:] {
			overflows := v[int(values)+i]-v[int(values)+i] != 0 && n.Arity() > 0
			n.Operands(func(j int32) { overflows = overflows && v[j]-v[j] == 0 })
			if overflows {
				return // another order may not
			}
		}
		for k := range out {
			if !isFinite(old[k]) {
				require.False(t, isFinite(out[k]), "output %d at %v", k, x)
			}
		}
	})
}
