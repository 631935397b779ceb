package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Number is a dual number V + D·ε, ε² = 0: a value with one directional
// derivative.
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

func (x Number) Add(y Number) Number { return Number{x.V + y.V, x.D + y.D} }
func (x Number) Sub(y Number) Number { return Number{x.V - y.V, x.D - y.D} }
func (x Number) Mul(y Number) Number { return x.chain2(y, float64(x.V*y.V), y.V, x.V) }
func (x Number) Neg() Number         { return Number{-x.V, -x.D} }
func (x Number) Inv() Number         { v := 1 / x.V; return x.chain(v, elem.InvD(x.V, v)) }

func (x Number) Div(y Number) Number {
	v := x.V / y.V
	dx, dy := elem.DivD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

func (x Number) AddReal(c float64) Number { return Number{x.V + c, x.D} }
func (x Number) SubReal(c float64) Number { return Number{x.V - c, x.D} }
func (x Number) Scale(c float64) Number   { return x.chain(float64(c*x.V), c) }
func (x Number) RSub(c float64) Number    { return Number{c - x.V, -x.D} }
func (x Number) RDiv(c float64) Number    { v := c / x.V; return x.chain(v, elem.RDivD(x.V, c, v)) }

func (x Number) Square() Number { v := float64(x.V * x.V); return x.chain(v, elem.SquareD(x.V, v)) }
func (x Number) Sqrt() Number   { v := elem.Sqrt(x.V); return x.chain(v, elem.SqrtD(x.V, v)) }
func (x Number) Cbrt() Number   { v := math.Cbrt(x.V); return x.chain(v, elem.CbrtD(x.V, v)) }

func (x Number) Exp() Number   { v := math.Exp(x.V); return x.chain(v, elem.ExpD(x.V, v)) }
func (x Number) Exp2() Number  { v := math.Exp2(x.V); return x.chain(v, elem.Exp2D(x.V, v)) }
func (x Number) Expm1() Number { v := math.Expm1(x.V); return x.chain(v, elem.Expm1D(x.V, v)) }
func (x Number) Log() Number   { v := elem.Log(x.V); return x.chain(v, elem.LogD(x.V, v)) }
func (x Number) Log2() Number  { v := math.Log2(x.V); return x.chain(v, elem.Log2D(x.V, v)) }
func (x Number) Log10() Number { v := elem.Log10(x.V); return x.chain(v, elem.Log10D(x.V, v)) }
func (x Number) Log1p() Number { v := math.Log1p(x.V); return x.chain(v, elem.Log1pD(x.V, v)) }

func (x Number) Sin() Number   { v := math.Sin(x.V); return x.chain(v, elem.SinD(x.V, v)) }
func (x Number) Cos() Number   { v := math.Cos(x.V); return x.chain(v, elem.CosD(x.V, v)) }
func (x Number) Tan() Number   { v := math.Tan(x.V); return x.chain(v, elem.TanD(x.V, v)) }
func (x Number) Asin() Number  { v := math.Asin(x.V); return x.chain(v, elem.AsinD(x.V, v)) }
func (x Number) Acos() Number  { v := math.Acos(x.V); return x.chain(v, elem.AcosD(x.V, v)) }
func (x Number) Atan() Number  { v := math.Atan(x.V); return x.chain(v, elem.AtanD(x.V, v)) }
func (x Number) Sinh() Number  { v := math.Sinh(x.V); return x.chain(v, elem.SinhD(x.V, v)) }
func (x Number) Cosh() Number  { v := math.Cosh(x.V); return x.chain(v, elem.CoshD(x.V, v)) }
func (x Number) Tanh() Number  { v := math.Tanh(x.V); return x.chain(v, elem.TanhD(x.V, v)) }
func (x Number) Asinh() Number { v := math.Asinh(x.V); return x.chain(v, elem.AsinhD(x.V, v)) }
func (x Number) Acosh() Number { v := math.Acosh(x.V); return x.chain(v, elem.AcoshD(x.V, v)) }
func (x Number) Atanh() Number { v := math.Atanh(x.V); return x.chain(v, elem.AtanhD(x.V, v)) }

func (x Number) Erf() Number      { v := math.Erf(x.V); return x.chain(v, elem.ErfD(x.V, v)) }
func (x Number) Erfc() Number     { v := math.Erfc(x.V); return x.chain(v, elem.ErfcD(x.V, v)) }
func (x Number) Gamma() Number    { v := math.Gamma(x.V); return x.chain(v, elem.GammaD(x.V, v)) }
func (x Number) LogGamma() Number { v := elem.LogGamma(x.V); return x.chain(v, elem.LogGammaD(x.V, v)) }
func (x Number) Logistic() Number { v := elem.Logistic(x.V); return x.chain(v, elem.LogisticD(x.V, v)) }
func (x Number) Softplus() Number { v := elem.Softplus(x.V); return x.chain(v, elem.SoftplusD(x.V, v)) }
func (x Number) Abs() Number      { v := math.Abs(x.V); return x.chain(v, elem.AbsD(x.V, v)) }

func (x Number) Hypot(y Number) Number {
	v := math.Hypot(x.V, y.V)
	dx, dy := elem.HypotD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

func (x Number) Pow(y Number) Number {
	v := elem.Pow(x.V, y.V)
	dx, dy := elem.PowD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

func (y Number) Atan2(x Number) Number {
	v := math.Atan2(y.V, x.V)
	dy, dx := elem.Atan2D(y.V, x.V, v)
	return y.chain2(x, v, dy, dx)
}

func (x Number) PowReal(p float64) Number {
	v := elem.PowReal(x.V, p)
	return x.chain(v, elem.PowRealD(x.V, p, v))
}

func (x Number) PowInt(n int) Number {
	v := elem.PowInt(x.V, n)
	return x.chain(v, elem.PowIntD(x.V, n, v))
}

func (x Number) Polygamma(n int) Number {
	v := elem.Polygamma(x.V, n)
	return x.chain(v, elem.PolygammaD(x.V, n, v))
}

func (x Number) Max(y Number) Number {
	return Number{elem.Max(x.V, y.V), elem.Select(elem.Step(x.V, y.V), y.D, x.D)}
}

func (x Number) Min(y Number) Number {
	return Number{elem.Min(x.V, y.V), elem.Select(elem.Step(y.V, x.V), y.D, x.D)}
}

func (x Number) Select(a, b Number) Number {
	return Number{elem.Select(x.V, a.V, b.V), elem.Select(x.V, a.D, b.D)}
}

func (x Number) Step(y Number) Number { return Number{V: elem.Step(x.V, y.V)} }

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
func (x Number) Detach() Number       { return Number{V: x.V} }

func (x Number) Less(y Number) bool        { return x.V < y.V }
func (x Number) LessEq(y Number) bool      { return x.V <= y.V }
func (x Number) LessReal(c float64) bool   { return x.V < c }
func (x Number) LessEqReal(c float64) bool { return x.V <= c }
