package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Number is a dual number V + D·ε, ε² = 0: a value with one directional
// derivative. Its methods are those of Scalar, which describes them.
type Number struct {
	V float64 // value
	D float64 // derivative
}

var _ Scalar[Number] = Number{}

// chain is the number of value v whose function has the derivative d at x.
func (x Number) chain(v, d float64) Number { return Number{v, elem.Prod(d, x.D)} }

// chain2 is that of a function of x and y with gradient dx, dy.
func (x Number) chain2(y Number, v, dx, dy float64) Number {
	return Number{v, elem.Prod(dx, x.D) + elem.Prod(dy, y.D)}
}

func (x Number) SubReal(c float64) Number { return Number{x.V - c, x.D} }

func (x Number) Max(y Number) Number {
	return Number{elem.Max(x.V, y.V), elem.SelectD(elem.Step(x.V, y.V), y.D, x.D)}
}

func (x Number) Min(y Number) Number {
	return Number{elem.Min(x.V, y.V), elem.SelectD(elem.Step(y.V, x.V), y.D, x.D)}
}

func (x Number) Select(a, b Number) Number {
	return Number{elem.Select(x.V, a.V, b.V), elem.SelectD(x.V, a.D, b.D)}
}

func (x Number) FMA(y, z Number) Number {
	return Number{math.FMA(x.V, y.V, z.V), elem.Prod(y.V, x.D) + elem.Prod(x.V, y.D) + z.D}
}

func (a Number) IncGamma(i, j int, x Number) Number {
	return a.chain2(x, incGamma(i, j, a.V, x.V), incGamma(i+1, j, a.V, x.V), incGamma(i, j+1, a.V, x.V))
}

func (a Number) IncBeta(i, j, k int, b, x Number) Number {
	at := func(i, j, k int) float64 { return incBeta(i, j, k, a.V, b.V, x.V) }
	return Number{at(i, j, k), elem.Prod(at(i+1, j, k), a.D) + elem.Prod(at(i, j+1, k), b.D) + elem.Prod(at(i, j, k+1), x.D)}
}

func (x Number) Prod(y Number) Number { return x.chain2(y, elem.Prod(x.V, y.V), y.V, x.V) }

func (Number) SumOf(x []Number) Number {
	s := Number{V: start(0, len(x))}
	for _, xi := range x {
		s = s.Add(xi)
	}
	return s
}

func (Number) AffineOf(c0 float64, c []float64, x []Number) Number {
	s := Number{V: start(c0, len(c))}
	for i, ci := range c {
		s = s.Add(x[i].Scale(ci))
	}
	return s
}

func (Number) DotOf(x, y []Number) Number {
	s := Number{V: start(0, len(x))}
	for i, xi := range x {
		s = s.Add(xi.Mul(y[i]))
	}
	return s
}

func (Number) Const(c float64) Number { return Number{V: c} }
func (x Number) Value() float64       { return x.V }

func (x Number) Less(y Number) bool        { return x.V < y.V }
func (x Number) LessEq(y Number) bool      { return x.V <= y.V }
func (x Number) LessReal(c float64) bool   { return x.V < c }
func (x Number) LessEqReal(c float64) bool { return x.V <= c }
