package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Number3 is a Number with three derivatives, V + Σ Dₖεₖ, εₖεₗ = 0: one evaluation gives a
// function's derivatives along three directions, for which its values and partial
// derivatives are computed once. Three are as many as Go keeps in registers: a struct
// of more than four words goes through memory, which takes five times as long.
type Number3 struct {
	V          float64 // value
	D0, D1, D2 float64 // derivatives
}

var _ Scalar[Number3] = Number3{}

// Derivative returns Dₖ. It panics unless 0 ≤ k < 3.
func (x *Number3) Derivative(k int) float64 { return *x.derivative(k) }

// SetDerivative sets Dₖ = d. It panics unless 0 ≤ k < 3.
func (x *Number3) SetDerivative(k int, d float64) { *x.derivative(k) = d }

func (x *Number3) derivative(k int) *float64 {
	switch k {
	case 0:
		return &x.D0
	case 1:
		return &x.D1
	case 2:
		return &x.D2
	}
	panic("dual: no such derivative")
}

// finite reports whether all derivatives are, if they are not so large that their sum is not.
func (x Number3) finite() bool {
	s := x.D0 + x.D1 + x.D2
	return s-s == 0
}

// chain is the number of value v whose function has the derivative d at x.
func (x Number3) chain(v, d float64) Number3 {
	y := Number3{v, float64(d * x.D0), float64(d * x.D1), float64(d * x.D2)}
	if !y.finite() {
		y = x.times(v, d)
	}
	return y
}

// times is chain where 0·∞ is 0.
func (x Number3) times(v, d float64) Number3 {
	return Number3{v, elem.Prod(d, x.D0), elem.Prod(d, x.D1), elem.Prod(d, x.D2)}
}

// chain2 is that of a function of x and y with gradient dx, dy.
func (x Number3) chain2(y Number3, v, dx, dy float64) Number3 {
	z := Number3{
		v, float64(dx*x.D0) + float64(dy*y.D0), float64(dx*x.D1) + float64(dy*y.D1),
		float64(dx*x.D2) + float64(dy*y.D2),
	}
	if !z.finite() {
		z = x.times(v, dx).Add(y.times(0, dy))
		z.V = v
	}
	return z
}

// pick3 is the number of value v with the derivatives that Select takes by c: of a or of b.
func pick3(c, v float64, a, b Number3) Number3 {
	return Number3{v, elem.SelectD(c, a.D0, b.D0), elem.SelectD(c, a.D1, b.D1), elem.SelectD(c, a.D2, b.D2)}
}

func (x Number3) SubReal(c float64) Number3 { return x.AddReal(-c) }

func (x Number3) Max(y Number3) Number3 { return pick3(elem.Step(x.V, y.V), elem.Max(x.V, y.V), y, x) }

func (x Number3) Min(y Number3) Number3 { return pick3(elem.Step(y.V, x.V), elem.Min(x.V, y.V), y, x) }

func (x Number3) Select(a, b Number3) Number3 {
	return pick3(x.V, elem.Select(x.V, a.V, b.V), a, b)
}

func (x Number3) FMA(y, z Number3) Number3 {
	p := x.chain2(y, 0, y.V, x.V).Add(z)
	p.V = math.FMA(x.V, y.V, z.V)
	return p
}

func (a Number3) IncGamma(i, j int, x Number3) Number3 {
	return a.chain2(x, incGamma(i, j, a.V, x.V), incGamma(i+1, j, a.V, x.V), incGamma(i, j+1, a.V, x.V))
}

func (a Number3) IncBeta(i, j, k int, b, x Number3) Number3 {
	at := func(i, j, k int) float64 { return incBeta(i, j, k, a.V, b.V, x.V) }
	y := a.chain2(b, 0, at(i+1, j, k), at(i, j+1, k)).Add(x.chain(0, at(i, j, k+1)))
	y.V = at(i, j, k)
	return y
}

func (x Number3) Prod(y Number3) Number3 { return x.chain2(y, elem.Prod(x.V, y.V), y.V, x.V) }

func (Number3) SumOf(x []Number3) Number3 {
	s := Number3{V: start(0, len(x))}
	for _, xi := range x {
		s = s.Add(xi)
	}
	return s
}

func (Number3) AffineOf(c0 float64, c []float64, x []Number3) Number3 {
	s := Number3{V: start(c0, len(c))}
	for i, ci := range c {
		s = s.Add(x[i].Scale(ci))
	}
	return s
}

func (Number3) DotOf(x, y []Number3) Number3 {
	s := Number3{V: start(0, len(x))}
	for i, xi := range x {
		s = s.Add(xi.Mul(y[i]))
	}
	return s
}

func (Number3) Const(c float64) Number3 { return Number3{V: c} }
func (x Number3) Value() float64        { return x.V }

func (x Number3) Less(y Number3) bool       { return x.V < y.V }
func (x Number3) LessEq(y Number3) bool     { return x.V <= y.V }
func (x Number3) LessReal(c float64) bool   { return x.V < c }
func (x Number3) LessEqReal(c float64) bool { return x.V <= c }
