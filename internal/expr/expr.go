package expr

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Expr is an expression: node i of the graph g, or the constant v if g is nil. It
// is a dual.Scalar, so that dual.Of[Expr] differentiates expressions by the same
// rules as numbers.
//
// Constructors simplify. Values keep the bits that the program gives them, so only constants
// are folded in them. Derivatives are simplified as real numbers: constant factors, and
// factors that are the same in all terms, are collected in front, to be multiplied once.
type Expr struct {
	g *Graph
	i int32
	v float64
}

var _ dual.Scalar[Expr] = Expr{}

func constant(v float64) Expr { return Expr{v: v} }

// Constant is the value of x, if it is a constant.
func (x Expr) Constant() (v float64, ok bool) { return x.v, x.g == nil }

// Node is the number of x in g.
func (x Expr) Node(g *Graph) int32 {
	if x.g == nil {
		return g.Constant(x.v)
	}
	return x.i
}

// Invariant reports whether x is the same in all evaluations.
func (x Expr) Invariant() bool { return x.g == nil || x.g.invariant[x.i] }

// node is node i of the graph of x.
func (x Expr) node(i int32) Expr { return Expr{g: x.g, i: i} }

func graphOf(x, y Expr) *Graph {
	if x.g != nil {
		return x.g
	}
	return y.g
}

// fold is an operation on constants.
func fold(code op.Code, c, x, y float64) Expr {
	return constant(float64(tape.Apply(code, c, dual.Real(x), dual.Real(y))))
}

// find is the expression n, if the graph has it already.
func (g *Graph) find(n Node) (x Expr, ok bool) {
	i, ok := g.number[n]
	return Expr{g: g, i: i}, ok
}

func (x Expr) unary(code op.Code) Expr { return x.unaryReal(code, 0) }

func (x Expr) unaryReal(code op.Code, c float64) Expr {
	if x.g == nil {
		return fold(code, c, x.v, 0)
	}
	return x.g.make(Node{Op: code, A: x.i, K: math.Float64bits(c)})
}

func (x Expr) binary(code op.Code, y Expr) Expr {
	g := graphOf(x, y)
	if g == nil {
		return fold(code, 0, x.v, y.v)
	}
	return g.make(Node{Op: code, A: x.Node(g), B: y.Node(g)})
}

// commutative is binary for an operation whose operands may be exchanged.
func (x Expr) commutative(code op.Code, y Expr) Expr {
	if x.i > y.i {
		x, y = y, x
	}
	return x.binary(code, y)
}

// primitive is the derivative of an order of primitive k of the graph g.
func (x Expr) primitive(g *Graph, k, order int32) Expr {
	if x.g == nil {
		return constant(g.primitives[k].At(int(order))(x.v))
	}
	return g.make(Node{Op: op.Own, A: x.i, B: k, C: order})
}

// scaled is x as k·y.
func (x Expr) scaled() (k float64, y Expr) {
	if x.g != nil {
		switch n := x.g.nodes[x.i]; n.Op {
		case op.Scale:
			return n.Constant(), x.node(n.A)
		case op.Neg:
			return -1, x.node(n.A)
		}
	}
	return 1, x
}

// affine is x as k·y + c.
func (x Expr) affine() (k float64, y Expr, c float64) {
	if x.g != nil {
		n := x.g.nodes[x.i]
		switch n.Op {
		case op.AddReal:
			k, y = x.node(n.A).scaled()
			return k, y, n.Constant()
		case op.RSub:
			k, y = x.node(n.A).scaled()
			return -k, y, n.Constant()
		}
	}
	k, y = x.scaled()
	return k, y, 0
}

// factored is x as u·v where u is the same in all terms; it is 1 if there is no such factor.
func (x Expr) factored() (u, v Expr) {
	one := constant(1)
	if x.g.uniform[x.i] {
		return x, one
	}
	if n := x.g.nodes[x.i]; n.Op == op.Mul {
		a, b := x.node(n.A), x.node(n.B)
		switch {
		case x.g.uniform[n.A]:
			return a, b
		case x.g.uniform[n.B]:
			return b, a
		}
	}
	return one, x
}

func (x Expr) Add(y Expr) Expr {
	switch {
	case y.g == nil:
		return x.AddReal(y.v)
	case x.g == nil:
		return y.AddReal(x.v)
	}
	if x.g.rules == algebraic {
		return x.addSigned(y, 1)
	}
	return x.commutative(op.Add, y)
}

func (x Expr) Sub(y Expr) Expr {
	switch {
	case y.g == nil:
		return x.AddReal(-y.v)
	case x.g == nil:
		return y.RSub(x.v)
	case x == y && x.g.rules != exact && x.g.nodes[x.i].Op == op.Atan:
		return constant(0) // in the rule of Pow
	}
	if x.g.rules == algebraic {
		return x.addSigned(y, -1)
	}
	return x.binary(op.Sub, y)
}

// addSigned is x + sign·y with few operations. (1−x) − (1+x) becomes −2x, which also keeps
// digits. But x − x stays as it is, since it is NaN where x is not finite.
func (x Expr) addSigned(y Expr, sign float64) Expr {
	k, u, c := x.affine()
	if l, v, d := y.affine(); u == v && k+float64(sign*l) != 0 {
		return u.Scale(k + float64(sign*l)).AddReal(c + float64(sign*d))
	}
	k, u = x.scaled()
	l, v := y.scaled()
	l *= sign
	if !x.g.sums && math.Abs(k) != 1 {
		switch k {
		case l:
			return u.Add(v).Scale(k)
		case -l:
			return u.Sub(v).Scale(k)
		}
	}
	switch {
	case k == -1 && l == 1:
		return v.binary(op.Sub, u)
	case l == -1:
		return x.binary(op.Sub, v)
	case l == 1:
		return x.commutative(op.Add, v)
	case sign < 0:
		return x.binary(op.Sub, y)
	}
	return x.commutative(op.Add, y)
}

func (x Expr) Mul(y Expr) Expr {
	switch {
	case y.g == nil:
		return x.Scale(y.v)
	case x.g == nil:
		return y.Scale(x.v)
	case x == y:
		return x.Square()
	case x.g.rules != algebraic:
		return x.commutative(op.Mul, y)
	}
	// Factors that are the same in all terms, constants first, come out, to
	// be multiplied once for all.
	k, x := x.scaled()
	l, y := y.scaled()
	ux, vx := x.factored()
	uy, vy := y.factored()
	return ux.times(uy).timesConst(k * l).times(vx.times(vy))
}

// times is the product of two expressions without common factors to pull out.
func (x Expr) times(y Expr) Expr {
	switch {
	case y.g == nil:
		return x.timesConst(y.v)
	case x.g == nil:
		return y.timesConst(x.v)
	case x == y:
		return x.g.make(Node{Op: op.Square, A: x.i})
	}
	return x.commutative(op.Mul, y)
}

// timesConst is c·x for an x that is not a multiple of another expression itself.
func (x Expr) timesConst(c float64) Expr {
	switch {
	case x.g == nil:
		return constant(c * x.v)
	case c == 1:
		return x
	case c == -1:
		return x.g.make(Node{Op: op.Neg, A: x.i})
	}
	return x.g.make(Node{Op: op.Scale, A: x.i, K: math.Float64bits(c)})
}

func (x Expr) Scale(c float64) Expr {
	if x.g == nil {
		return constant(c * x.v)
	}
	if x.g.rules == algebraic {
		if c == 0 {
			return constant(0)
		}
		k, y := x.scaled()
		if n := y.g.nodes[y.i]; k*c == -1 && n.Op == op.Sub {
			return y.node(n.B).Sub(y.node(n.A))
		}
		return y.timesConst(k * c)
	}
	return x.timesConst(c)
}

func (x Expr) Neg() Expr {
	if x.g == nil {
		return constant(-x.v)
	}
	if x.g.rules == algebraic {
		return x.Scale(-1)
	}
	if n := x.g.nodes[x.i]; n.Op == op.Neg {
		return x.node(n.A)
	}
	return x.timesConst(-1)
}

func (x Expr) Prod(y Expr) Expr {
	if x.g == nil {
		x, y = y, x
	}
	if y.g == nil {
		switch {
		case x.g == nil:
			return constant(elem.Prod(x.v, y.v))
		case y.v == 0:
			return constant(0)
		case y.v-y.v == 0:
			return x.Scale(y.v)
		}
	}
	if x.g.safe {
		return x.commutative(op.Prod, y)
	}
	return x.Mul(y)
}

func (x Expr) Square() Expr {
	if x.g != nil && x.g.rules == algebraic {
		k, y := x.scaled()
		u, v := y.factored()
		if k != 1 || u.g != nil && v.g != nil {
			return u.times(u).timesConst(k * k).times(v.times(v))
		}
	}
	return x.unary(op.Square)
}

func (x Expr) Div(y Expr) Expr {
	g := graphOf(x, y)
	switch {
	case g == nil:
		return constant(x.v / y.v)
	case x.g == nil:
		return y.RDiv(x.v)
	case y.g == nil:
		n := Node{Op: op.DivReal, A: x.i, K: math.Float64bits(y.v)}
		if _, ok := g.find(n); !ok && g.rules == algebraic {
			return x.Scale(1 / y.v)
		}
		return g.make(n)
	}
	if z, ok := g.find(Node{Op: op.Div, A: x.i, B: y.i}); ok {
		return z
	}
	if g.rules == algebraic {
		return x.Mul(y.Inv())
	}
	return x.binary(op.Div, y)
}

func (x Expr) Inv() Expr {
	if x.g != nil && x.g.rules == algebraic {
		// 1/(k·y) is 1/y over k, which other terms may have too.
		if k, y := x.scaled(); k != 1 && 1/farthest < math.Abs(k) && math.Abs(k) < farthest {
			return y.Inv().Scale(1 / k)
		}
	}
	return x.unary(op.Inv)
}

func (x Expr) RDiv(c float64) Expr {
	if c == 1 {
		return x.Inv()
	}
	if x.g != nil && x.g.rules == algebraic {
		if z, ok := x.g.find(Node{Op: op.RDiv, A: x.i, K: math.Float64bits(c)}); ok {
			return z
		}
		return x.Inv().Scale(c)
	}
	return x.unaryReal(op.RDiv, c)
}

func (x Expr) AddReal(c float64) Expr {
	if c == 0 && x.g != nil && x.g.rules != exact {
		return x
	}
	return x.unaryReal(op.AddReal, c)
}

func (x Expr) SubReal(c float64) Expr { return x.AddReal(-c) }

func (x Expr) RSub(c float64) Expr {
	if c == 0 && x.g != nil && x.g.rules != exact {
		return x.Neg()
	}
	return x.unaryReal(op.RSub, c)
}

func (x Expr) PowReal(p float64) Expr { return x.power(op.PowReal, p) }
func (x Expr) PowInt(n int) Expr      { return x.power(op.PowInt, float64(n)) }

func (x Expr) power(code op.Code, p float64) Expr {
	switch p {
	case 0:
		return constant(1)
	case 1:
		return x
	case 2:
		return x.Square()
	case -1:
		return x.Inv()
	case 0.5:
		return x.Sqrt()
	}
	return x.unaryReal(code, p)
}

func (x Expr) Pow(y Expr) Expr {
	if y.g == nil {
		return x.PowReal(y.v)
	}
	return x.binary(op.Pow, y)
}

func (x Expr) FMA(y, z Expr) Expr { return several(op.FMA, 0, x, y, z) }

func (x Expr) IncGamma(i, j int, y Expr) Expr {
	return several(op.IncGamma, op.OrdersConstant(i, j), x, y)
}

func (x Expr) IncBeta(i, j, k int, y, z Expr) Expr {
	return several(op.IncBeta, op.OrdersConstant(i, j, k), x, y, z)
}

// several is an operation that always has the operands x, with the constant c.
func several(code op.Code, c float64, x ...Expr) Expr {
	n, v := Node{Op: code, K: math.Float64bits(c)}, [3]float64{}
	var g *Graph
	for k, e := range x {
		v[k], g = e.v, graphOf(e, Expr{g: g})
	}
	if g == nil {
		return constant(code.Partial(v, c))
	}
	at := [...]*int32{&n.A, &n.B, &n.C}
	for k := range x {
		*at[k] = x[k].Node(g)
	}
	return g.make(n)
}

// The following are never called: these operations are written as steps of simpler ones.
func (x Expr) SumOf([]Expr) Expr                               { panic("expr: SumOf") }
func (x Expr) AffineOf(c0 float64, c []float64, z []Expr) Expr { panic("expr: AffineOf") }
func (x Expr) DotOf(y, z []Expr) Expr                          { panic("expr: DotOf") }

// Select simplifies c.Select(a, a) to a in derivatives, though it is NaN where c is NaN: the
// value is NaN there, too, so that the evaluation is repeated with derivative products.
func (x Expr) Select(a, b Expr) Expr {
	switch {
	case x.g == nil:
		switch {
		case x.v > 0:
			return a
		case x.v != x.v:
			return x
		}
		return b
	case a == b && x.g.rules == algebraic:
		return a
	}
	return several(op.Select, 0, a, b, x)
}

// Detach is x, but where expressions become steps that are derived once more.
func (x Expr) Detach() Expr {
	if x.g == nil || !x.g.steps {
		return x
	}
	return x.unary(op.Detach)
}

func (x Expr) Const(c float64) Expr    { return constant(c) }
func (x Expr) Value() float64          { panic("expr: an expression has no value") }
func (x Expr) Less(y Expr) bool        { panic("expr: an expression has no value") }
func (x Expr) LessEq(y Expr) bool      { panic("expr: an expression has no value") }
func (x Expr) LessReal(c float64) bool { panic("expr: an expression has no value") }
func (x Expr) LessEqReal(float64) bool { panic("expr: an expression has no value") }
