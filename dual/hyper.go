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

// The rules multiply plainly, and again by derivative products if a derivative
// turns out NaN: a product that those change is 0·∞ or 0·NaN, thus NaN, and so
// is a sum with it. One check takes the place of one for each product.

// defined reports whether no derivative of x is NaN; it may miss that none is.
func (x Hyper) defined() bool { s := x.D1 + x.D2 + x.D12; return s == s }

// chain is the number of value v whose function has the derivatives d and dd
// at x.
func (x Hyper) chain(v, d, dd float64) Hyper {
	z := Hyper{
		v,
		float64(d * x.D1),
		float64(d * x.D2),
		float64(d*x.D12) + float64(float64(dd*x.D1)*x.D2),
	}
	if z.defined() {
		return z
	}
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
	dx1 := float64(dxx*x.D1) + float64(dxy*y.D1)
	dy1 := float64(dxy*x.D1) + float64(dyy*y.D1)
	z := Hyper{
		v,
		float64(dx*x.D1) + float64(dy*y.D1),
		float64(dx*x.D2) + float64(dy*y.D2),
		float64(dx*x.D12) + float64(dx1*x.D2) + float64(dy*y.D12) + float64(dy1*y.D2),
	}
	if z.defined() {
		return z
	}
	dx1 = elem.Prod(dxx, x.D1) + elem.Prod(dxy, y.D1)
	dy1 = elem.Prod(dxy, x.D1) + elem.Prod(dyy, y.D1)
	return Hyper{
		v,
		elem.Prod(dx, x.D1) + elem.Prod(dy, y.D1),
		elem.Prod(dx, x.D2) + elem.Prod(dy, y.D2),
		elem.Prod(dx, x.D12) + elem.Prod(dx1, x.D2) + elem.Prod(dy, y.D12) + elem.Prod(dy1, y.D2),
	}
}

func (x Hyper) Mul(y Hyper) Hyper {
	z := Hyper{
		float64(x.V * y.V),
		float64(y.V*x.D1) + float64(x.V*y.D1),
		float64(y.V*x.D2) + float64(x.V*y.D2),
		float64(y.V*x.D12) + float64(y.D1*x.D2) + float64(x.V*y.D12) + float64(x.D1*y.D2),
	}
	if z.defined() {
		return z
	}
	return Hyper{
		z.V,
		elem.Prod(y.V, x.D1) + elem.Prod(x.V, y.D1),
		elem.Prod(y.V, x.D2) + elem.Prod(x.V, y.D2),
		elem.Prod(y.V, x.D12) + elem.Prod(y.D1, x.D2) + elem.Prod(x.V, y.D12) + elem.Prod(x.D1, y.D2),
	}
}

func (x Hyper) Add(y Hyper) Hyper { return Hyper{x.V + y.V, x.D1 + y.D1, x.D2 + y.D2, x.D12 + y.D12} }
func (x Hyper) Sub(y Hyper) Hyper { return Hyper{x.V - y.V, x.D1 - y.D1, x.D2 - y.D2, x.D12 - y.D12} }
func (x Hyper) Neg() Hyper        { return Hyper{-x.V, -x.D1, -x.D2, -x.D12} }

func (x Hyper) Div(y Hyper) Hyper {
	v := x.V / y.V
	dx, dy := elem.DivD(x.V, y.V, v)
	dxx, dxy, dyy := elem.DivDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

func (x Hyper) Inv() Hyper {
	v := 1 / x.V
	d := elem.InvD(x.V, v)
	return x.chain(v, d, elem.InvDD(x.V, v, d))
}

func (x Hyper) AddReal(c float64) Hyper { return Hyper{x.V + c, x.D1, x.D2, x.D12} }
func (x Hyper) SubReal(c float64) Hyper { return Hyper{x.V - c, x.D1, x.D2, x.D12} }
func (x Hyper) RSub(c float64) Hyper    { return Hyper{c - x.V, -x.D1, -x.D2, -x.D12} }

func (x Hyper) Scale(c float64) Hyper {
	z := Hyper{float64(c * x.V), float64(c * x.D1), float64(c * x.D2), float64(c * x.D12)}
	if z.defined() {
		return z
	}
	return Hyper{z.V, elem.Prod(c, x.D1), elem.Prod(c, x.D2), elem.Prod(c, x.D12)}
}

func (x Hyper) RDiv(c float64) Hyper {
	v := c / x.V
	d := elem.RDivD(x.V, c, v)
	return x.chain(v, d, elem.RDivDD(x.V, c, v, d))
}

func (x Hyper) Hypot(y Hyper) Hyper {
	v := math.Hypot(x.V, y.V)
	dx, dy := elem.HypotD(x.V, y.V, v)
	dxx, dxy, dyy := elem.HypotDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

func (x Hyper) Pow(y Hyper) Hyper {
	v := elem.Pow(x.V, y.V)
	dx, dy := elem.PowD(x.V, y.V, v)
	dxx, dxy, dyy := elem.PowDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

func (y Hyper) Atan2(x Hyper) Hyper {
	v := math.Atan2(y.V, x.V)
	dy, dx := elem.Atan2D(y.V, x.V, v)
	dyy, dyx, dxx := elem.Atan2DD(y.V, x.V, v, dy, dx)
	return y.chain2(x, v, dy, dx, dyy, dyx, dxx)
}

func (x Hyper) PowReal(p float64) Hyper {
	v := elem.PowReal(x.V, p)
	d := elem.PowRealD(x.V, p, v)
	return x.chain(v, d, elem.PowRealDD(x.V, p, v, d))
}

func (x Hyper) PowInt(n int) Hyper {
	v := elem.PowInt(x.V, n)
	d := elem.PowIntD(x.V, n, v)
	return x.chain(v, d, elem.PowIntDD(x.V, n, v, d))
}

func (x Hyper) Polygamma(n int) Hyper {
	v := elem.Polygamma(x.V, n)
	d := elem.PolygammaD(x.V, n, v)
	return x.chain(v, d, elem.PolygammaDD(x.V, n, v, d))
}

func (x Hyper) Square() Hyper {
	d := 2 * x.V
	z := Hyper{
		float64(x.V * x.V),
		float64(d * x.D1),
		float64(d * x.D2),
		float64(d*x.D12) + float64(2*x.D1*x.D2),
	}
	if z.defined() {
		return z
	}
	return Hyper{
		z.V,
		elem.Prod(d, x.D1),
		elem.Prod(d, x.D2),
		elem.Prod(d, x.D12) + elem.Prod(2*x.D1, x.D2),
	}
}

func (x Hyper) Sqrt() Hyper {
	v := elem.Sqrt(x.V)
	d := elem.SqrtD(x.V, v)
	return x.chain(v, d, elem.SqrtDD(x.V, v, d))
}

func (x Hyper) Cbrt() Hyper {
	v := math.Cbrt(x.V)
	d := elem.CbrtD(x.V, v)
	return x.chain(v, d, elem.CbrtDD(x.V, v, d))
}

func (x Hyper) Exp() Hyper {
	v := math.Exp(x.V)
	d := elem.ExpD(x.V, v)
	return x.chain(v, d, elem.ExpDD(x.V, v, d))
}

func (x Hyper) Exp2() Hyper {
	v := math.Exp2(x.V)
	d := elem.Exp2D(x.V, v)
	return x.chain(v, d, elem.Exp2DD(x.V, v, d))
}

func (x Hyper) Expm1() Hyper {
	v := math.Expm1(x.V)
	d := elem.Expm1D(x.V, v)
	return x.chain(v, d, elem.Expm1DD(x.V, v, d))
}

func (x Hyper) Log() Hyper {
	v := elem.Log(x.V)
	d := elem.LogD(x.V, v)
	return x.chain(v, d, elem.LogDD(x.V, v, d))
}

func (x Hyper) Log2() Hyper {
	v := math.Log2(x.V)
	d := elem.Log2D(x.V, v)
	return x.chain(v, d, elem.Log2DD(x.V, v, d))
}

func (x Hyper) Log10() Hyper {
	v := elem.Log10(x.V)
	d := elem.Log10D(x.V, v)
	return x.chain(v, d, elem.Log10DD(x.V, v, d))
}

func (x Hyper) Log1p() Hyper {
	v := math.Log1p(x.V)
	d := elem.Log1pD(x.V, v)
	return x.chain(v, d, elem.Log1pDD(x.V, v, d))
}

func (x Hyper) Sin() Hyper {
	v := math.Sin(x.V)
	d := elem.SinD(x.V, v)
	return x.chain(v, d, elem.SinDD(x.V, v, d))
}

func (x Hyper) Cos() Hyper {
	v := math.Cos(x.V)
	d := elem.CosD(x.V, v)
	return x.chain(v, d, elem.CosDD(x.V, v, d))
}

func (x Hyper) Tan() Hyper {
	v := math.Tan(x.V)
	d := elem.TanD(x.V, v)
	return x.chain(v, d, elem.TanDD(x.V, v, d))
}

func (x Hyper) Asin() Hyper {
	v := math.Asin(x.V)
	d := elem.AsinD(x.V, v)
	return x.chain(v, d, elem.AsinDD(x.V, v, d))
}

func (x Hyper) Acos() Hyper {
	v := math.Acos(x.V)
	d := elem.AcosD(x.V, v)
	return x.chain(v, d, elem.AcosDD(x.V, v, d))
}

func (x Hyper) Atan() Hyper {
	v := math.Atan(x.V)
	d := elem.AtanD(x.V, v)
	return x.chain(v, d, elem.AtanDD(x.V, v, d))
}

func (x Hyper) Sinh() Hyper {
	v := math.Sinh(x.V)
	d := elem.SinhD(x.V, v)
	return x.chain(v, d, elem.SinhDD(x.V, v, d))
}

func (x Hyper) Cosh() Hyper {
	v := math.Cosh(x.V)
	d := elem.CoshD(x.V, v)
	return x.chain(v, d, elem.CoshDD(x.V, v, d))
}

func (x Hyper) Tanh() Hyper {
	v := math.Tanh(x.V)
	d := elem.TanhD(x.V, v)
	return x.chain(v, d, elem.TanhDD(x.V, v, d))
}

func (x Hyper) Asinh() Hyper {
	v := math.Asinh(x.V)
	d := elem.AsinhD(x.V, v)
	return x.chain(v, d, elem.AsinhDD(x.V, v, d))
}

func (x Hyper) Acosh() Hyper {
	v := math.Acosh(x.V)
	d := elem.AcoshD(x.V, v)
	return x.chain(v, d, elem.AcoshDD(x.V, v, d))
}

func (x Hyper) Atanh() Hyper {
	v := math.Atanh(x.V)
	d := elem.AtanhD(x.V, v)
	return x.chain(v, d, elem.AtanhDD(x.V, v, d))
}

func (x Hyper) Erf() Hyper {
	v := math.Erf(x.V)
	d := elem.ErfD(x.V, v)
	return x.chain(v, d, elem.ErfDD(x.V, v, d))
}

func (x Hyper) Erfc() Hyper {
	v := math.Erfc(x.V)
	d := elem.ErfcD(x.V, v)
	return x.chain(v, d, elem.ErfcDD(x.V, v, d))
}

func (x Hyper) Gamma() Hyper {
	v := math.Gamma(x.V)
	d := elem.GammaD(x.V, v)
	return x.chain(v, d, elem.GammaDD(x.V, v, d))
}

func (x Hyper) LogGamma() Hyper {
	v := elem.LogGamma(x.V)
	d := elem.LogGammaD(x.V, v)
	return x.chain(v, d, elem.LogGammaDD(x.V, v, d))
}

func (x Hyper) Logistic() Hyper {
	v := elem.Logistic(x.V)
	d := elem.LogisticD(x.V, v)
	return x.chain(v, d, elem.LogisticDD(x.V, v, d))
}

func (x Hyper) Softplus() Hyper {
	v := elem.Softplus(x.V)
	d := elem.SoftplusD(x.V, v)
	return x.chain(v, d, elem.SoftplusDD(x.V, v, d))
}

func (x Hyper) Abs() Hyper {
	v := math.Abs(x.V)
	d := elem.AbsD(x.V, v)
	return x.chain(v, d, elem.AbsDD(x.V, v, d))
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

// Prod has the derivatives of Mul, derivative products.
func (x Hyper) Prod(y Hyper) Hyper {
	z := x.Mul(y)
	z.V = elem.Prod(x.V, y.V)
	return z
}

func (Hyper) SumOf(x []Hyper) Hyper {
	s := Hyper{V: start(0, len(x))}
	for _, xi := range x {
		s = s.Add(xi)
	}
	return s
}

func (Hyper) AffineOf(c0 float64, c []float64, x []Hyper) Hyper {
	s := Hyper{V: start(c0, len(c))}
	for i, ci := range c {
		s = s.Add(x[i].Scale(ci))
	}
	return s
}

func (Hyper) DotOf(x, y []Hyper) Hyper {
	s := Hyper{V: start(0, len(x))}
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
