package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Real is a number without derivatives.
type Real float64

var _ Scalar[Real] = Real(0)

func (x Real) Add(y Real) Real { return x + y }
func (x Real) Sub(y Real) Real { return x - y }
func (x Real) Mul(y Real) Real { return Real(x * y) }
func (x Real) Div(y Real) Real { return x / y }
func (x Real) Neg() Real       { return -x }
func (x Real) Inv() Real       { return 1 / x }

func (x Real) AddReal(c float64) Real { return x + Real(c) }
func (x Real) SubReal(c float64) Real { return x - Real(c) }
func (x Real) Scale(c float64) Real   { return Real(Real(c) * x) }
func (x Real) RSub(c float64) Real    { return Real(c) - x }
func (x Real) RDiv(c float64) Real    { return Real(c) / x }

func (x Real) Square() Real           { return Real(x * x) }
func (x Real) Sqrt() Real             { return Real(elem.Sqrt(float64(x))) }
func (x Real) Cbrt() Real             { return Real(math.Cbrt(float64(x))) }
func (x Real) Hypot(y Real) Real      { return Real(math.Hypot(float64(x), float64(y))) }
func (x Real) Pow(y Real) Real        { return Real(elem.Pow(float64(x), float64(y))) }
func (x Real) PowReal(p float64) Real { return Real(elem.PowReal(float64(x), p)) }
func (x Real) PowInt(n int) Real      { return Real(elem.PowInt(float64(x), n)) }

func (x Real) Exp() Real   { return Real(math.Exp(float64(x))) }
func (x Real) Exp2() Real  { return Real(math.Exp2(float64(x))) }
func (x Real) Expm1() Real { return Real(math.Expm1(float64(x))) }
func (x Real) Log() Real   { return Real(elem.Log(float64(x))) }
func (x Real) Log2() Real  { return Real(math.Log2(float64(x))) }
func (x Real) Log10() Real { return Real(elem.Log10(float64(x))) }
func (x Real) Log1p() Real { return Real(math.Log1p(float64(x))) }

func (x Real) Sin() Real         { return Real(math.Sin(float64(x))) }
func (x Real) Cos() Real         { return Real(math.Cos(float64(x))) }
func (x Real) Tan() Real         { return Real(math.Tan(float64(x))) }
func (x Real) Asin() Real        { return Real(math.Asin(float64(x))) }
func (x Real) Acos() Real        { return Real(math.Acos(float64(x))) }
func (x Real) Atan() Real        { return Real(math.Atan(float64(x))) }
func (y Real) Atan2(x Real) Real { return Real(math.Atan2(float64(y), float64(x))) }
func (x Real) Sinh() Real        { return Real(math.Sinh(float64(x))) }
func (x Real) Cosh() Real        { return Real(math.Cosh(float64(x))) }
func (x Real) Tanh() Real        { return Real(math.Tanh(float64(x))) }
func (x Real) Asinh() Real       { return Real(math.Asinh(float64(x))) }
func (x Real) Acosh() Real       { return Real(math.Acosh(float64(x))) }
func (x Real) Atanh() Real       { return Real(math.Atanh(float64(x))) }

func (x Real) Erf() Real            { return Real(math.Erf(float64(x))) }
func (x Real) Erfc() Real           { return Real(math.Erfc(float64(x))) }
func (x Real) Gamma() Real          { return Real(math.Gamma(float64(x))) }
func (x Real) LogGamma() Real       { return Real(elem.LogGamma(float64(x))) }
func (x Real) Polygamma(n int) Real { return Real(elem.Polygamma(float64(x), n)) }

func (x Real) Logistic() Real { return Real(elem.Logistic(float64(x))) }
func (x Real) Softplus() Real { return Real(elem.Softplus(float64(x))) }

func (x Real) Abs() Real            { return Real(math.Abs(float64(x))) }
func (x Real) Max(y Real) Real      { return Real(elem.Max(float64(x), float64(y))) }
func (x Real) Min(y Real) Real      { return Real(elem.Min(float64(x), float64(y))) }
func (x Real) Step(y Real) Real     { return Real(elem.Step(float64(x), float64(y))) }
func (x Real) Prod(y Real) Real     { return Real(elem.Prod(float64(x), float64(y))) }
func (x Real) Const(c float64) Real { return Real(c) }
func (x Real) Value() float64       { return float64(x) }
func (x Real) Detach() Real         { return x }

func (x Real) Select(a, b Real) Real {
	return Real(elem.Select(float64(x), float64(a), float64(b)))
}

// start is what a sum c + x₁ + … of n terms starts from: c, but −0 for c = 0, so
// that the sum is that of the terms alone and negative zeros add up to one.
func start(c float64, n int) float64 {
	if c == 0 && n > 0 {
		return math.Copysign(0, -1)
	}
	return c
}

func (Real) SumOf(x []Real) Real {
	s := Real(start(0, len(x)))
	for _, xi := range x {
		s += xi
	}
	return s
}

func (Real) AffineOf(c0 float64, c []float64, x []Real) Real {
	s := Real(start(c0, len(c)))
	for i, ci := range c {
		s += Real(Real(ci) * x[i])
	}
	return s
}

func (Real) DotOf(x, y []Real) Real {
	s := Real(start(0, len(x)))
	for i, xi := range x {
		s += Real(xi * y[i])
	}
	return s
}

func (x Real) Less(y Real) bool          { return x < y }
func (x Real) LessEq(y Real) bool        { return x <= y }
func (x Real) LessReal(c float64) bool   { return float64(x) < c }
func (x Real) LessEqReal(c float64) bool { return float64(x) <= c }
