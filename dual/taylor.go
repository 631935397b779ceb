package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/series"
)

// Taylor is a truncated Taylor polynomial Σ cₖtᵏ, k ≤ K, of a number that depends on t;
// cₖ is the k-th derivative over k!. Its methods are those of [Scalar], which describes
// them; comparisons look at c₀. The order K is that of the [Taylors] that its variables
// come from; the zero value, and what [Const] makes, are constants of any order.
//
// Sums cost O(K), products, quotients, powers and the functions of [Scalar] O(K²), by
// the recurrences of their differential equations (Griewank and Walther, Evaluating
// Derivatives, 2nd ed., table 13.2). Γ and its relatives, and every function at a point
// where a derivative of it is infinite, are composed from the scalar function's own
// series, O(K³), incomplete functions in O(K⁴) or, for the beta function, O(K⁵).
type Taylor struct {
	v float64   // c₀
	c []float64 // c₀ to c_K, nil of a constant
	a *Taylors  // has room for results; nil of a constant
}

var _ Scalar[Taylor] = Taylor{}

// Taylors is the memory of one evaluation on polynomials of one order. It is for one
// goroutine. Once it has grown, evaluations allocate nothing.
type Taylors struct {
	order  int
	blocks [][]float64
	used   [2]int // of the blocks, and of what the last of them holds
}

// NewTaylors returns the memory for polynomials of order K ≥ 0. It panics if order < 0.
func NewTaylors(order int) *Taylors {
	if order < 0 {
		panic("dual: negative order")
	}
	return &Taylors{order: order}
}

// Order returns K.
func (a *Taylors) Order() int { return a.order }

// Variable returns the polynomial Σ cₖtᵏ; coefficients that are not given are 0, which
// Variable(x, 1), the variable x + t, needs. It panics for more than K+1 of them. The
// coefficients are copied.
func (a *Taylors) Variable(c ...float64) Taylor {
	if len(c) > a.order+1 {
		panic("dual: more coefficients than the order has")
	}
	z := a.make()
	clear(z[copy(z, c):])
	return a.number(z)
}

// Reset ends the evaluation: all polynomials that came of it are invalid from then on.
func (a *Taylors) Reset() { a.used = [2]int{} }

// make returns K+1 numbers, which hold anything.
func (a *Taylors) make() []float64 {
	const polynomials = 256 // in a block
	n := a.order + 1
	if a.used[0] == 0 || a.used[1] == polynomials {
		if a.used[0] == len(a.blocks) {
			a.blocks = append(a.blocks, make([]float64, polynomials*n))
		}
		a.used[0], a.used[1] = a.used[0]+1, 0
	}
	b := a.blocks[a.used[0]-1]
	at := a.used[1] * n
	a.used[1]++
	return b[at : at+n : at+n]
}

func (a *Taylors) number(c []float64) Taylor { return Taylor{c[0], c, a} }

// Coefficient returns cₖ, 0 beyond the order. It panics if k < 0.
func (x Taylor) Coefficient(k int) float64 {
	switch {
	case k < 0:
		panic("dual: negative order")
	case k == 0:
		return x.v
	case k < len(x.c):
		return x.c[k]
	}
	return 0
}

// at is cₖ, k of the order.
func (x Taylor) at(k int) float64 {
	if x.c == nil {
		return 0
	}
	return x.c[k]
}

// linear is a·x + b·y of the value v, a and b of the coefficients.
func (x Taylor) linear(v, a, b float64, y Taylor) Taylor {
	if x.c == nil && y.c == nil {
		return Taylor{v: v}
	}
	m := x.memory(y)
	z := m.make()
	z[0] = v
	switch {
	case y.c == nil:
		for k := 1; k < len(z); k++ {
			z[k] = elem.Prod(a, x.c[k])
		}
	case x.c == nil:
		for k := 1; k < len(z); k++ {
			z[k] = elem.Prod(b, y.c[k])
		}
	default:
		for k := 1; k < len(z); k++ {
			z[k] = elem.Prod(a, x.c[k]) + elem.Prod(b, y.c[k])
		}
	}
	return m.number(z)
}

// memory is that of x or y, of which one is no constant. It panics if they are of
// different evaluations.
func (x Taylor) memory(y Taylor) *Taylors {
	if x.a == nil {
		return y.a
	}
	if y.a != nil && y.a != x.a {
		panic("dual: polynomials of two Taylors")
	}
	return x.a
}

// full is x with all its coefficients, in the memory m.
func (x Taylor) full(m *Taylors) Taylor {
	if x.c != nil {
		return x
	}
	return m.Variable(x.v)
}

func (x Taylor) Add(y Taylor) Taylor        { return x.linear(x.v+y.v, 1, 1, y) }
func (x Taylor) Sub(y Taylor) Taylor        { return x.linear(x.v-y.v, 1, -1, y) }
func (x Taylor) Neg() Taylor                { return x.linear(-x.v, -1, 0, Taylor{}) }
func (x Taylor) AddReal(c float64) Taylor   { return x.linear(x.v+c, 1, 0, Taylor{}) }
func (x Taylor) SubReal(c float64) Taylor   { return x.linear(x.v-c, 1, 0, Taylor{}) }
func (x Taylor) RSub(c float64) Taylor      { return x.linear(c-x.v, -1, 0, Taylor{}) }
func (x Taylor) Scale(c float64) Taylor     { return x.linear(float64(c*x.v), c, 0, Taylor{}) }
func (x Taylor) withValue(v float64) Taylor { return x.linear(v, 1, 0, Taylor{}) }
func (x Taylor) Mul(y Taylor) Taylor        { return x.product(y, float64(x.v*y.v)) }
func (x Taylor) Prod(y Taylor) Taylor       { return x.product(y, elem.Prod(x.v, y.v)) }
func (x Taylor) Square() Taylor             { return x.Mul(x) }
func (x Taylor) Const(c float64) Taylor     { return Taylor{v: c} }
func (x Taylor) Value() float64             { return x.v }
func (x Taylor) Detach() Taylor             { return Taylor{v: x.v} }
func (x Taylor) Less(y Taylor) bool         { return x.v < y.v }
func (x Taylor) LessEq(y Taylor) bool       { return x.v <= y.v }
func (x Taylor) LessReal(c float64) bool    { return x.v < c }
func (x Taylor) LessEqReal(c float64) bool  { return x.v <= c }
func (x Taylor) FMA(y, z Taylor) Taylor     { return x.Mul(y).Add(z).withValue(math.FMA(x.v, y.v, z.v)) }
func (x Taylor) Floor() Taylor              { return Taylor{v: math.Floor(x.v)} }
func (x Taylor) Ceil() Taylor               { return Taylor{v: math.Ceil(x.v)} }
func (x Taylor) Round() Taylor              { return Taylor{v: math.Round(x.v)} }
func (x Taylor) Trunc() Taylor              { return Taylor{v: math.Trunc(x.v)} }
func (x Taylor) Step(y Taylor) Taylor       { return Taylor{v: elem.Step(x.v, y.v)} }
func (x Taylor) Max(y Taylor) Taylor        { return x.choose(elem.Max(x.v, y.v), elem.Step(x.v, y.v), y, x) }
func (x Taylor) Min(y Taylor) Taylor        { return x.choose(elem.Min(x.v, y.v), elem.Step(y.v, x.v), y, x) }
func (x Taylor) Select(a, b Taylor) Taylor  { return x.choose(elem.Select(x.v, a.v, b.v), x.v, a, b) }
func (x Taylor) Abs() Taylor                { return x.linear(math.Abs(x.v), elem.AbsD(x.v, 0), 0, Taylor{}) }
func (x Taylor) Polygamma(n int) Taylor     { return x.polygamma(n, elem.Polygamma(x.v, n)) }
func (x Taylor) Copysign(y Taylor) Taylor {
	v := elem.Copysign(x.v, y.v)
	d, _ := elem.CopysignD(x.v, y.v, v)
	return x.linear(v, d, 0, Taylor{})
}

func (x Taylor) Mod(y Taylor) Taylor {
	v := math.Mod(x.v, y.v)
	dx, dy := elem.ModD(x.v, y.v, v)
	return x.linear(v, dx, dy, y)
}

// choose has the value v and the coefficients of a where s > 0, of b where s ≤ 0, NaN
// where s is NaN and they are not 0.
func (x Taylor) choose(v, s float64, a, b Taylor) Taylor {
	if a.c == nil && b.c == nil {
		return Taylor{v: v}
	}
	m := a.memory(b)
	z := m.make()
	z[0] = v
	for k := 1; k < len(z); k++ {
		z[k] = elem.SelectD(s, a.at(k), b.at(k))
	}
	return m.number(z)
}

// product is xy of the value v.
func (x Taylor) product(y Taylor, v float64) Taylor {
	switch {
	case y.c == nil:
		return x.linear(v, y.v, 0, y)
	case x.c == nil:
		return x.linear(v, 0, x.v, y)
	}
	m := x.memory(y)
	z := m.make()
	z[0] = v
	for k := 1; k < len(z); k++ {
		z[k] = series.Sum(x.c, y.c, k, 0)
	}
	return m.number(z)
}

func (x Taylor) Div(y Taylor) Taylor {
	v := x.v / y.v
	switch {
	case x.c == nil && y.c == nil:
		return Taylor{v: v}
	case y.c != nil:
		return x.run(op.Div, y, v, 0)
	}
	z := x.a.make()
	z[0] = v
	for k := 1; k < len(z); k++ {
		z[k] = series.Quotient(x.c[k], y.v)
	}
	return x.a.number(z)
}

func (x Taylor) RDiv(c float64) Taylor { return Taylor{v: c}.Div(x) }
func (x Taylor) Inv() Taylor           { return x.RDiv(1) }

func (Taylor) SumOf(x []Taylor) Taylor {
	s := Taylor{v: start(0, len(x))}
	for _, xi := range x {
		s = s.Add(xi)
	}
	return s
}

func (Taylor) AffineOf(c0 float64, c []float64, x []Taylor) Taylor {
	s := Taylor{v: start(c0, len(c))}
	for i, ci := range c {
		s = s.Add(x[i].Scale(ci))
	}
	return s
}

func (Taylor) DotOf(x, y []Taylor) Taylor {
	s := Taylor{v: start(0, len(x))}
	for i, xi := range x {
		s = s.Add(xi.Mul(y[i]))
	}
	return s
}
