package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Hyper is a hyper-dual number V + D1·ε₁ + D2·ε₂ + D12·ε₁ε₂, ε₁² = ε₂² = 0: a
// value, its derivatives along two directions and the second derivative along
// both.
type Hyper struct {
	V   float64 // value
	D1  float64 // derivative along the first direction
	D2  float64 // derivative along the second direction
	D12 float64 // second derivative along both
}

var _ Scalar[Hyper] = Hyper{}

// chain is the number of value v whose function has the derivatives d and dd
// at x.
func (x Hyper) chain(v, d, dd float64) Hyper {
	return Hyper{
		v,
		elem.Prod(d, x.D1),
		elem.Prod(d, x.D2),
		elem.Prod(d, x.D12) + elem.Prod(elem.Prod(dd, x.D1), x.D2),
	}
}

// chain2 is that of a function of x and y with gradient dx, dy and Hessian
// dxx, dxy, dyy.
func (x Hyper) chain2(y Hyper, v, dx, dy, dxx, dxy, dyy float64) Hyper {
	dx1 := elem.Prod(dxx, x.D1) + elem.Prod(dxy, y.D1)
	dy1 := elem.Prod(dxy, x.D1) + elem.Prod(dyy, y.D1)
	return Hyper{
		v,
		elem.Prod(dx, x.D1) + elem.Prod(dy, y.D1),
		elem.Prod(dx, x.D2) + elem.Prod(dy, y.D2),
		elem.Prod(dx, x.D12) + elem.Prod(dx1, x.D2) + elem.Prod(dy, y.D12) + elem.Prod(dy1, y.D2),
	}
}

// bilinear is the number of value v = x·y.
func (x Hyper) bilinear(y Hyper, v float64) Hyper {
	return Hyper{
		v,
		elem.Prod(y.V, x.D1) + elem.Prod(x.V, y.D1),
		elem.Prod(y.V, x.D2) + elem.Prod(x.V, y.D2),
		elem.Prod(y.V, x.D12) + elem.Prod(y.D1, x.D2) + elem.Prod(x.V, y.D12) + elem.Prod(x.D1, y.D2),
	}
}

func (x Hyper) Add(y Hyper) Hyper { return Hyper{x.V + y.V, x.D1 + y.D1, x.D2 + y.D2, x.D12 + y.D12} }
func (x Hyper) Sub(y Hyper) Hyper { return Hyper{x.V - y.V, x.D1 - y.D1, x.D2 - y.D2, x.D12 - y.D12} }
func (x Hyper) Mul(y Hyper) Hyper { return x.bilinear(y, float64(x.V*y.V)) }
func (x Hyper) Neg() Hyper        { return Hyper{-x.V, -x.D1, -x.D2, -x.D12} }

func (x Hyper) Div(y Hyper) Hyper {
	v := x.V / y.V
	dx, dy := elem.Div1(x.V, y.V, v)
	dxx, dxy, dyy := elem.Div2(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

func (x Hyper) Inv() Hyper {
	v := 1 / x.V
	d := elem.Inv1(x.V, v)
	return x.chain(v, d, elem.Inv2(x.V, v, d))
}

func (x Hyper) AddReal(c float64) Hyper { return Hyper{x.V + c, x.D1, x.D2, x.D12} }
func (x Hyper) SubReal(c float64) Hyper { return Hyper{x.V - c, x.D1, x.D2, x.D12} }
func (x Hyper) RSub(c float64) Hyper    { return Hyper{c - x.V, -x.D1, -x.D2, -x.D12} }

func (x Hyper) Scale(c float64) Hyper {
	return Hyper{float64(c * x.V), elem.Prod(c, x.D1), elem.Prod(c, x.D2), elem.Prod(c, x.D12)}
}

func (x Hyper) RDiv(c float64) Hyper {
	v := c / x.V
	d := elem.RDiv1(x.V, c, v)
	return x.chain(v, d, elem.RDiv2(x.V, c, v, d))
}

func (x Hyper) Hypot(y Hyper) Hyper {
	v := math.Hypot(x.V, y.V)
	dx, dy := elem.Hypot1(x.V, y.V, v)
	dxx, dxy, dyy := elem.Hypot2(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

func (x Hyper) Pow(y Hyper) Hyper {
	v := math.Pow(x.V, y.V)
	dx, dy := elem.Pow1(x.V, y.V, v)
	dxx, dxy, dyy := elem.Pow2(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

func (y Hyper) Atan2(x Hyper) Hyper {
	v := math.Atan2(y.V, x.V)
	dy, dx := elem.Atan21(y.V, x.V, v)
	dyy, dyx, dxx := elem.Atan22(y.V, x.V, v, dy, dx)
	return y.chain2(x, v, dy, dx, dyy, dyx, dxx)
}

func (x Hyper) PowReal(p float64) Hyper {
	v := elem.PowReal(x.V, p)
	d := elem.PowReal1(x.V, p, v)
	return x.chain(v, d, elem.PowReal2(x.V, p, v, d))
}

func (x Hyper) PowInt(n int) Hyper {
	v := elem.PowInt(x.V, n)
	d := elem.PowInt1(x.V, n, v)
	return x.chain(v, d, elem.PowInt2(x.V, n, v, d))
}

func (x Hyper) Polygamma(n int) Hyper {
	v := elem.Polygamma(x.V, n)
	d := elem.Polygamma1(x.V, n, v)
	return x.chain(v, d, elem.Polygamma2(x.V, n, v, d))
}

func (x Hyper) Square() Hyper {
	v := float64(x.V * x.V)
	d := elem.Square1(x.V, v)
	return x.chain(v, d, elem.Square2(x.V, v, d))
}

func (x Hyper) Sqrt() Hyper {
	v := elem.Sqrt(x.V)
	d := elem.Sqrt1(x.V, v)
	return x.chain(v, d, elem.Sqrt2(x.V, v, d))
}

func (x Hyper) Cbrt() Hyper {
	v := math.Cbrt(x.V)
	d := elem.Cbrt1(x.V, v)
	return x.chain(v, d, elem.Cbrt2(x.V, v, d))
}

func (x Hyper) Exp() Hyper {
	v := math.Exp(x.V)
	d := elem.Exp1(x.V, v)
	return x.chain(v, d, elem.Exp2(x.V, v, d))
}

func (x Hyper) Exp2() Hyper {
	v := math.Exp2(x.V)
	d := elem.Exp21(x.V, v)
	return x.chain(v, d, elem.Exp22(x.V, v, d))
}

func (x Hyper) Expm1() Hyper {
	v := math.Expm1(x.V)
	d := elem.Expm11(x.V, v)
	return x.chain(v, d, elem.Expm12(x.V, v, d))
}

func (x Hyper) Log() Hyper {
	v := math.Log(x.V)
	d := elem.Log1(x.V, v)
	return x.chain(v, d, elem.Log2(x.V, v, d))
}

func (x Hyper) Log2() Hyper {
	v := math.Log2(x.V)
	d := elem.Log21(x.V, v)
	return x.chain(v, d, elem.Log22(x.V, v, d))
}

func (x Hyper) Log10() Hyper {
	v := math.Log10(x.V)
	d := elem.Log101(x.V, v)
	return x.chain(v, d, elem.Log102(x.V, v, d))
}

func (x Hyper) Log1p() Hyper {
	v := math.Log1p(x.V)
	d := elem.Log1p1(x.V, v)
	return x.chain(v, d, elem.Log1p2(x.V, v, d))
}

func (x Hyper) Sin() Hyper {
	v := math.Sin(x.V)
	d := elem.Sin1(x.V, v)
	return x.chain(v, d, elem.Sin2(x.V, v, d))
}

func (x Hyper) Cos() Hyper {
	v := math.Cos(x.V)
	d := elem.Cos1(x.V, v)
	return x.chain(v, d, elem.Cos2(x.V, v, d))
}

func (x Hyper) Tan() Hyper {
	v := math.Tan(x.V)
	d := elem.Tan1(x.V, v)
	return x.chain(v, d, elem.Tan2(x.V, v, d))
}

func (x Hyper) Asin() Hyper {
	v := math.Asin(x.V)
	d := elem.Asin1(x.V, v)
	return x.chain(v, d, elem.Asin2(x.V, v, d))
}

func (x Hyper) Acos() Hyper {
	v := math.Acos(x.V)
	d := elem.Acos1(x.V, v)
	return x.chain(v, d, elem.Acos2(x.V, v, d))
}

func (x Hyper) Atan() Hyper {
	v := math.Atan(x.V)
	d := elem.Atan1(x.V, v)
	return x.chain(v, d, elem.Atan2(x.V, v, d))
}

func (x Hyper) Sinh() Hyper {
	v := math.Sinh(x.V)
	d := elem.Sinh1(x.V, v)
	return x.chain(v, d, elem.Sinh2(x.V, v, d))
}

func (x Hyper) Cosh() Hyper {
	v := math.Cosh(x.V)
	d := elem.Cosh1(x.V, v)
	return x.chain(v, d, elem.Cosh2(x.V, v, d))
}

func (x Hyper) Tanh() Hyper {
	v := math.Tanh(x.V)
	d := elem.Tanh1(x.V, v)
	return x.chain(v, d, elem.Tanh2(x.V, v, d))
}

func (x Hyper) Asinh() Hyper {
	v := math.Asinh(x.V)
	d := elem.Asinh1(x.V, v)
	return x.chain(v, d, elem.Asinh2(x.V, v, d))
}

func (x Hyper) Acosh() Hyper {
	v := math.Acosh(x.V)
	d := elem.Acosh1(x.V, v)
	return x.chain(v, d, elem.Acosh2(x.V, v, d))
}

func (x Hyper) Atanh() Hyper {
	v := math.Atanh(x.V)
	d := elem.Atanh1(x.V, v)
	return x.chain(v, d, elem.Atanh2(x.V, v, d))
}

func (x Hyper) Erf() Hyper {
	v := math.Erf(x.V)
	d := elem.Erf1(x.V, v)
	return x.chain(v, d, elem.Erf2(x.V, v, d))
}

func (x Hyper) Erfc() Hyper {
	v := math.Erfc(x.V)
	d := elem.Erfc1(x.V, v)
	return x.chain(v, d, elem.Erfc2(x.V, v, d))
}

func (x Hyper) Gamma() Hyper {
	v := math.Gamma(x.V)
	d := elem.Gamma1(x.V, v)
	return x.chain(v, d, elem.Gamma2(x.V, v, d))
}

func (x Hyper) LogGamma() Hyper {
	v := elem.LogGamma(x.V)
	d := elem.LogGamma1(x.V, v)
	return x.chain(v, d, elem.LogGamma2(x.V, v, d))
}

func (x Hyper) Logistic() Hyper {
	v := elem.Logistic(x.V)
	d := elem.Logistic1(x.V, v)
	return x.chain(v, d, elem.Logistic2(x.V, v, d))
}

func (x Hyper) Softplus() Hyper {
	v := elem.Softplus(x.V)
	d := elem.Softplus1(x.V, v)
	return x.chain(v, d, elem.Softplus2(x.V, v, d))
}

func (x Hyper) Abs() Hyper {
	v := math.Abs(x.V)
	d := elem.Abs1(x.V, v)
	return x.chain(v, d, elem.Abs2(x.V, v, d))
}

func (x Hyper) Max(y Hyper) Hyper { return x.choose(elem.Step(x.V, y.V), elem.Max(x.V, y.V), y) }
func (x Hyper) Min(y Hyper) Hyper { return x.choose(elem.Step(y.V, x.V), elem.Min(x.V, y.V), y) }

// choose is y with the value v where s is 1, x where it is 0.
func (x Hyper) choose(s, v float64, y Hyper) Hyper {
	return Hyper{v, elem.Select(s, y.D1, x.D1), elem.Select(s, y.D2, x.D2), elem.Select(s, y.D12, x.D12)}
}

func (x Hyper) Select(a, b Hyper) Hyper {
	return Hyper{elem.Select(x.V, a.V, b.V), elem.Select(x.V, a.D1, b.D1), elem.Select(x.V, a.D2, b.D2), elem.Select(x.V, a.D12, b.D12)}
}

func (x Hyper) Step(y Hyper) Hyper { return Hyper{V: elem.Step(x.V, y.V)} }

func (x Hyper) Prod(y Hyper) Hyper { return x.bilinear(y, elem.Prod(x.V, y.V)) }

func (Hyper) SumOf(x []Hyper) Hyper {
	var s Hyper
	for _, xi := range x {
		s = s.Add(xi)
	}
	return s
}

func (Hyper) AffineOf(c0 float64, c []float64, x []Hyper) Hyper {
	s := Hyper{V: c0}
	for i, ci := range c {
		s = s.Add(x[i].Scale(ci))
	}
	return s
}

func (Hyper) DotOf(x, y []Hyper) Hyper {
	var s Hyper
	for i, xi := range x {
		s = s.Add(xi.Mul(y[i]))
	}
	return s
}

func (Hyper) Const(c float64) Hyper { return Hyper{V: c} }
func (x Hyper) Value() float64      { return x.V }
func (x Hyper) Detach() Hyper       { return Hyper{V: x.V} }

func (x Hyper) Less(y Hyper) bool         { return x.V < y.V }
func (x Hyper) LessEq(y Hyper) bool       { return x.V <= y.V }
func (x Hyper) LessReal(c float64) bool   { return x.V < c }
func (x Hyper) LessEqReal(c float64) bool { return x.V <= c }
