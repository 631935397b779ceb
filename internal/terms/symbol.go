package terms

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Leaves of a form, beside the operations of package program and above them.
const (
	leafVar    = op.Code(op.Count) + iota // local variable a
	leafParam                             // local parameter a
	leafData                              // constant a of the term
	leafWeight                            // the weight of output a
	leafDir                               // local variable a in direction b
	leafTurn                              // the weight of output a in direction b
)

// node is an operation of a form. For Own, b is the function's number and k
// the order of the derivative.
type node struct {
	op      op.Code
	a, b, c int32
	k       uint64 // bits of the constant
}

// form is a set of expressions as a graph in which equal nodes are one. Nodes
// come after their operands.
type form struct {
	nodes   []node
	steady  []bool // the node is the same in all terms
	fixed   []bool // the node depends on nothing that an evaluation is given
	seen    map[node]int32
	owns    []*tape.Scalar1
	phase   phase
	careful bool                 // keep derivative products among values, too
	uniform func(leaf node) bool // whether a leaf is the same in all terms
	lines   bool                 // k·a + l·b is one instruction
}

// phase says how much constructors may simplify.
type phase uint8

const (
	values  phase = iota // keep every bit of the value
	quick                // derivatives: as real numbers, Prod is Mul
	careful              // derivatives: keep derivative products
)

func newForm(uniform func(leaf node) bool) *form {
	return &form{seen: map[node]int32{}, uniform: uniform}
}

// symbol is an expression of a form, or the constant v if f is nil: a
// dual.Scalar, so that the derivative rules of dual.Of serve here too.
type symbol struct {
	f *form
	i int32
	v float64
}

var _ dual.Scalar[symbol] = symbol{}

func constant(v float64) symbol { return symbol{v: v} }

// is reports whether x is the constant v.
func (x symbol) is(v float64) bool { return x.f == nil && x.v == v }

// leaf is the leaf of a kind with the numbers a and b.
func (f *form) leaf(code op.Code, a, b int) symbol {
	return f.mk(node{op: code, a: int32(a), b: int32(b)})
}

// mk is the expression n.
func (f *form) mk(n node) symbol {
	i, ok := f.seen[n]
	if !ok {
		i = int32(len(f.nodes))
		f.nodes = append(f.nodes, n)
		f.seen[n] = i
		steady, fixed := true, true
		if n.op >= leafVar {
			steady, fixed = f.uniform(n), n.op == leafData
		}
		f.operands(n, func(i int32) {
			steady = steady && f.steady[i]
			fixed = fixed && f.fixed[i]
		})
		f.steady, f.fixed = append(f.steady, steady), append(f.fixed, fixed)
	}
	return symbol{f: f, i: i}
}

// operands calls do with the operands of n.
func (f *form) operands(n node, do func(i int32)) {
	k := arity(n.op)
	if k > 0 {
		do(n.a)
	}
	if k > 1 {
		do(n.b)
	}
	if k > 2 {
		do(n.c)
	}
}

func arity(code op.Code) int {
	switch {
	case code >= leafVar:
		return 0
	case code == op.Select:
		return 3
	}
	return code.Operands()
}

// known is the node n if there is one already.
func (f *form) known(n node) (symbol, bool) {
	i, ok := f.seen[n]
	return symbol{f: f, i: i}, ok
}

// operand is the number of x in f.
func (f *form) operand(x symbol) int32 {
	if x.f == nil {
		x = f.mk(node{op: op.Const, k: math.Float64bits(x.v)})
	}
	return x.i
}

func formOf(x, y symbol) *form {
	if x.f != nil {
		return x.f
	}
	return y.f
}

// fold is an operation on constants.
func fold(code op.Code, c, x, y float64) symbol {
	return constant(float64(tape.Apply(code, c, dual.Real(x), dual.Real(y))))
}

func (x symbol) unary(code op.Code) symbol { return x.unaryReal(code, 0) }

func (x symbol) unaryReal(code op.Code, c float64) symbol {
	if x.f == nil {
		return fold(code, c, x.v, 0)
	}
	return x.f.mk(node{op: code, a: x.i, k: math.Float64bits(c)})
}

func (x symbol) binary(code op.Code, y symbol) symbol {
	f := formOf(x, y)
	if f == nil {
		return fold(code, 0, x.v, y.v)
	}
	return f.mk(node{op: code, a: f.operand(x), b: f.operand(y)})
}

// commutative is binary for an operation whose operands may be exchanged.
func (x symbol) commutative(code op.Code, y symbol) symbol {
	if x.i > y.i {
		x, y = y, x
	}
	return x.binary(code, y)
}

// own is a function of the user or its derivative.
func (x symbol) own(f *tape.Scalar1, order int) symbol {
	if x.f == nil {
		return constant(f.At(order)(x.v))
	}
	k := 0
	for k < len(x.f.owns) && x.f.owns[k] != f {
		k++
	}
	if k == len(x.f.owns) {
		x.f.owns = append(x.f.owns, f)
	}
	return x.f.mk(node{op: op.Own, a: x.i, b: int32(k), k: uint64(order)})
}

// split is x as k·y.
func (x symbol) split() (k float64, y symbol) {
	if x.f != nil {
		switch n := x.f.nodes[x.i]; n.op {
		case op.Scale:
			return math.Float64frombits(n.k), symbol{f: x.f, i: n.a}
		case op.Neg:
			return -1, symbol{f: x.f, i: n.a}
		}
	}
	return 1, x
}

// affine is x as k·y + c.
func (x symbol) affine() (k float64, y symbol, c float64) {
	if x.f != nil {
		n := x.f.nodes[x.i]
		switch n.op {
		case op.AddReal:
			k, y = symbol{f: x.f, i: n.a}.split()
			return k, y, math.Float64frombits(n.k)
		case op.RSub:
			k, y = symbol{f: x.f, i: n.a}.split()
			return -k, y, math.Float64frombits(n.k)
		}
	}
	k, y = x.split()
	return k, y, 0
}

// parts is x as u·v, u the same in all terms; 1 if there is no such factor.
func (x symbol) parts() (u, v symbol) {
	one := constant(1)
	if x.f.steady[x.i] {
		return x, one
	}
	if n := x.f.nodes[x.i]; n.op == op.Mul {
		a, b := symbol{f: x.f, i: n.a}, symbol{f: x.f, i: n.b}
		switch {
		case x.f.steady[n.a]:
			return a, b
		case x.f.steady[n.b]:
			return b, a
		}
	}
	return one, x
}

func (x symbol) Add(y symbol) symbol {
	switch {
	case y.f == nil:
		return x.AddReal(y.v)
	case x.f == nil:
		return y.AddReal(x.v)
	}
	if x.f.phase == quick {
		return x.combine(y, 1)
	}
	return x.commutative(op.Add, y)
}

func (x symbol) Sub(y symbol) symbol {
	switch {
	case y.f == nil:
		return x.AddReal(-y.v)
	case x.f == nil:
		return y.RSub(x.v)
	case x == y && x.f.phase != values && x.f.nodes[x.i].op == op.Atan:
		return constant(0) // in the rule of Pow
	}
	if x.f.phase == quick {
		return x.combine(y, -1)
	}
	return x.binary(op.Sub, y)
}

// combine is x + sign·y with few operations. That (1−x) − (1+x) becomes −2x
// keeps digits, too; but x − x stays, since it is not 0 for all x.
func (x symbol) combine(y symbol, sign float64) symbol {
	k, u, c := x.affine()
	if l, v, d := y.affine(); u == v && k+float64(sign*l) != 0 {
		return u.Scale(k + float64(sign*l)).AddReal(c + float64(sign*d))
	}
	k, u = x.split()
	l, v := y.split()
	l *= sign
	if !x.f.lines && math.Abs(k) != 1 {
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

func (x symbol) Mul(y symbol) symbol {
	switch {
	case y.f == nil:
		return x.Scale(y.v)
	case x.f == nil:
		return y.Scale(x.v)
	case x == y:
		return x.Square()
	case x.f.phase != quick:
		return x.commutative(op.Mul, y)
	}
	// Factors that are the same in all terms, constants first, come out, to
	// be multiplied once for all.
	k, x := x.split()
	l, y := y.split()
	ux, vx := x.parts()
	uy, vy := y.parts()
	return ux.plainMul(uy).timesReal(k * l).plainMul(vx.plainMul(vy))
}

// plainMul is the product of two expressions without common factors to pull out.
func (x symbol) plainMul(y symbol) symbol {
	switch {
	case y.f == nil:
		return x.timesReal(y.v)
	case x.f == nil:
		return y.timesReal(x.v)
	case x == y:
		return x.f.mk(node{op: op.Square, a: x.i})
	}
	return x.commutative(op.Mul, y)
}

// timesReal is c·x for an x that is no multiple of something else.
func (x symbol) timesReal(c float64) symbol {
	switch {
	case x.f == nil:
		return constant(c * x.v)
	case c == 1:
		return x
	case c == -1:
		return x.f.mk(node{op: op.Neg, a: x.i})
	}
	return x.f.mk(node{op: op.Scale, a: x.i, k: math.Float64bits(c)})
}

func (x symbol) Scale(c float64) symbol {
	if x.f == nil {
		return constant(c * x.v)
	}
	if x.f.phase == quick {
		if c == 0 {
			return constant(0)
		}
		k, y := x.split()
		if n := y.f.nodes[y.i]; k*c == -1 && n.op == op.Sub {
			return symbol{f: y.f, i: n.b}.Sub(symbol{f: y.f, i: n.a})
		}
		return y.timesReal(k * c)
	}
	return x.timesReal(c)
}

func (x symbol) Neg() symbol {
	if x.f == nil {
		return constant(-x.v)
	}
	if x.f.phase == quick {
		return x.Scale(-1)
	}
	if n := x.f.nodes[x.i]; n.op == op.Neg {
		return symbol{f: x.f, i: n.a}
	}
	return x.timesReal(-1)
}

func (x symbol) Prod(y symbol) symbol {
	if x.f == nil {
		x, y = y, x
	}
	if y.f == nil {
		switch {
		case x.f == nil:
			return constant(elem.Prod(x.v, y.v))
		case y.v == 0:
			return constant(0)
		case y.v-y.v == 0:
			return x.Scale(y.v)
		}
	}
	if x.f.careful {
		return x.commutative(op.Prod, y)
	}
	return x.Mul(y)
}

func (x symbol) Square() symbol {
	if x.f != nil && x.f.phase == quick {
		k, y := x.split()
		u, v := y.parts()
		if k != 1 || u.f != nil && v.f != nil {
			return u.plainMul(u).timesReal(k * k).plainMul(v.plainMul(v))
		}
	}
	return x.unary(op.Square)
}

func (x symbol) Div(y symbol) symbol {
	f := formOf(x, y)
	switch {
	case f == nil:
		return constant(x.v / y.v)
	case x.f == nil:
		return y.RDiv(x.v)
	case y.f == nil:
		n := node{op: op.DivReal, a: x.i, k: math.Float64bits(y.v)}
		if _, ok := f.known(n); !ok && f.phase == quick {
			return x.Scale(1 / y.v)
		}
		return f.mk(n)
	}
	if z, ok := f.known(node{op: op.Div, a: x.i, b: y.i}); ok {
		return z
	}
	if f.phase == quick {
		return x.Mul(y.Inv())
	}
	return x.binary(op.Div, y)
}

func (x symbol) RDiv(c float64) symbol {
	if c == 1 {
		return x.Inv()
	}
	if x.f != nil && x.f.phase == quick {
		if z, ok := x.f.known(node{op: op.RDiv, a: x.i, k: math.Float64bits(c)}); ok {
			return z
		}
		return x.Inv().Scale(c)
	}
	return x.unaryReal(op.RDiv, c)
}

func (x symbol) AddReal(c float64) symbol {
	if c == 0 && x.f != nil && x.f.phase != values {
		return x
	}
	return x.unaryReal(op.AddReal, c)
}

func (x symbol) SubReal(c float64) symbol { return x.AddReal(-c) }

func (x symbol) RSub(c float64) symbol {
	if c == 0 && x.f != nil && x.f.phase != values {
		return x.Neg()
	}
	return x.unaryReal(op.RSub, c)
}

func (x symbol) PowReal(p float64) symbol {
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
	return x.unaryReal(op.PowReal, p)
}

func (x symbol) PowInt(n int) symbol {
	switch n {
	case 0:
		return constant(1)
	case 1:
		return x
	case 2:
		return x.Square()
	case -1:
		return x.Inv()
	}
	return x.unaryReal(op.PowInt, float64(n))
}

func (x symbol) Pow(y symbol) symbol {
	if y.f == nil {
		return x.PowReal(y.v)
	}
	return x.binary(op.Pow, y)
}

// These make no terms.
func (x symbol) FMA(y, z symbol) symbol                  { panic("terms: FMA") }
func (x symbol) IncGamma(i, j int, y symbol) symbol      { panic("terms: IncGamma") }
func (x symbol) IncBeta(i, j, k int, y, z symbol) symbol { panic("terms: IncBeta") }

// Select takes c.Select(a, a) for a where derivatives are quick: where c is
// NaN, so is the value, and then they are careful.
func (x symbol) Select(a, b symbol) symbol {
	switch {
	case x.f == nil:
		switch {
		case x.v > 0:
			return a
		case x.v != x.v:
			return x
		}
		return b
	case a == b && x.f.phase == quick:
		return a
	}
	f := x.f
	return f.mk(node{op: op.Select, a: x.i, b: f.operand(a), c: f.operand(b)})
}

func (x symbol) Const(c float64) symbol  { return constant(c) }
func (x symbol) Detach() symbol          { return x }
func (x symbol) Value() float64          { panic("terms: a symbol has no value") }
func (x symbol) Less(y symbol) bool      { panic("terms: a symbol has no value") }
func (x symbol) LessEq(y symbol) bool    { panic("terms: a symbol has no value") }
func (x symbol) LessReal(c float64) bool { panic("terms: a symbol has no value") }
func (x symbol) LessEqReal(float64) bool { panic("terms: a symbol has no value") }

func (x symbol) SumOf(z []symbol) symbol {
	s := constant(0)
	for _, z := range z {
		s = s.Add(z)
	}
	return s
}

func (x symbol) AffineOf(c0 float64, c []float64, z []symbol) symbol {
	s := constant(c0)
	for k, z := range z {
		s = s.Add(z.Scale(c[k]))
	}
	return s
}

func (x symbol) DotOf(y, z []symbol) symbol {
	s := constant(0)
	for k := range y {
		s = s.Add(y[k].Mul(z[k]))
	}
	return s
}
