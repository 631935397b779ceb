package randprog

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
)

// bound is a hyper-dual number whose derivative parts are sums of absolute
// values: what rounding errors of any order of summation are relative to.
type bound dual.Hyper

var _ dual.Scalar[bound] = bound{}

// unary is f(x), the partials of f taken from hyper-dual numbers.
func unary(x bound, f func(x dual.Hyper) dual.Hyper) bound {
	y := f(dual.Hyper{V: x.V, D1: 1, D2: 1})
	d, dd := math.Abs(y.D1), math.Abs(y.D12)
	return bound{V: y.V, D1: prod(d, x.D1), D2: prod(d, x.D2), D12: prod(d, x.D12) + prod(dd, prod(x.D1, x.D2))}
}

var prod = elem.Prod

func binary(x, y bound, f func(x, y dual.Hyper) dual.Hyper) bound {
	at := func(x1, x2, y1, y2 float64) dual.Hyper {
		return f(dual.Hyper{V: x.V, D1: x1, D2: x2}, dual.Hyper{V: y.V, D1: y1, D2: y2})
	}
	fx, fy, fxy := at(1, 1, 0, 0), at(0, 0, 1, 1), at(1, 0, 0, 1)
	dx, dy := math.Abs(fx.D1), math.Abs(fy.D1)
	dxx, dyy, dxy := math.Abs(fx.D12), math.Abs(fy.D12), math.Abs(fxy.D12)
	return bound{
		V: fx.V, D1: prod(dx, x.D1) + prod(dy, y.D1), D2: prod(dx, x.D2) + prod(dy, y.D2),
		D12: prod(dx, x.D12) + prod(dy, y.D12) +
			prod(dxx, prod(x.D1, x.D2)) + prod(dyy, prod(y.D1, y.D2)) + prod(dxy, prod(x.D1, y.D2)+prod(y.D1, x.D2)),
	}
}

func (x bound) Neg() bound        { return unary(x, dual.Hyper.Neg) }
func (x bound) Inv() bound        { return unary(x, dual.Hyper.Inv) }
func (x bound) Square() bound     { return unary(x, dual.Hyper.Square) }
func (x bound) Sqrt() bound       { return unary(x, dual.Hyper.Sqrt) }
func (x bound) Cbrt() bound       { return unary(x, dual.Hyper.Cbrt) }
func (x bound) Exp() bound        { return unary(x, dual.Hyper.Exp) }
func (x bound) Exp2() bound       { return unary(x, dual.Hyper.Exp2) }
func (x bound) Expm1() bound      { return unary(x, dual.Hyper.Expm1) }
func (x bound) Log() bound        { return unary(x, dual.Hyper.Log) }
func (x bound) Log2() bound       { return unary(x, dual.Hyper.Log2) }
func (x bound) Log10() bound      { return unary(x, dual.Hyper.Log10) }
func (x bound) Log1p() bound      { return unary(x, dual.Hyper.Log1p) }
func (x bound) Sin() bound        { return unary(x, dual.Hyper.Sin) }
func (x bound) Cos() bound        { return unary(x, dual.Hyper.Cos) }
func (x bound) Tan() bound        { return unary(x, dual.Hyper.Tan) }
func (x bound) Asin() bound       { return unary(x, dual.Hyper.Asin) }
func (x bound) Acos() bound       { return unary(x, dual.Hyper.Acos) }
func (x bound) Atan() bound       { return unary(x, dual.Hyper.Atan) }
func (x bound) Sinh() bound       { return unary(x, dual.Hyper.Sinh) }
func (x bound) Cosh() bound       { return unary(x, dual.Hyper.Cosh) }
func (x bound) Tanh() bound       { return unary(x, dual.Hyper.Tanh) }
func (x bound) Asinh() bound      { return unary(x, dual.Hyper.Asinh) }
func (x bound) Acosh() bound      { return unary(x, dual.Hyper.Acosh) }
func (x bound) Atanh() bound      { return unary(x, dual.Hyper.Atanh) }
func (x bound) Erf() bound        { return unary(x, dual.Hyper.Erf) }
func (x bound) Erfc() bound       { return unary(x, dual.Hyper.Erfc) }
func (x bound) Gamma() bound      { return unary(x, dual.Hyper.Gamma) }
func (x bound) LogGamma() bound   { return unary(x, dual.Hyper.LogGamma) }
func (x bound) Logistic() bound   { return unary(x, dual.Hyper.Logistic) }
func (x bound) Softplus() bound   { return unary(x, dual.Hyper.Softplus) }
func (x bound) Abs() bound        { return unary(x, dual.Hyper.Abs) }
func (x bound) Detach() bound     { return unary(x, dual.Hyper.Detach) }
func (x bound) Add(y bound) bound { return binary(x, y, dual.Hyper.Add) }
func (x bound) Sub(y bound) bound { return binary(x, y, dual.Hyper.Sub) }
func (x bound) Mul(y bound) bound { return binary(x, y, dual.Hyper.Mul) }
func (x bound) Div(y bound) bound { return binary(x, y, dual.Hyper.Div) }
func (x bound) Pow(y bound) bound { return binary(x, y, dual.Hyper.Pow) }

// Hypot has second partials like y²/v³, which nested numbers form as the
// difference of 1/v and x²/v³.
func (x bound) Hypot(y bound) bound {
	z := binary(x, y, dual.Hyper.Hypot)
	if z.V > 0 {
		z.D12 += 2 * (x.D1 + y.D1) * (x.D2 + y.D2) / z.V
	}
	return z
}

func (x bound) Atan2(y bound) bound { return binary(x, y, dual.Hyper.Atan2) }
func (x bound) Max(y bound) bound   { return binary(x, y, dual.Hyper.Max) }
func (x bound) Min(y bound) bound   { return binary(x, y, dual.Hyper.Min) }
func (x bound) Step(y bound) bound  { return binary(x, y, dual.Hyper.Step) }
func (x bound) Prod(y bound) bound  { return binary(x, y, dual.Hyper.Prod) }
func (x bound) AddReal(c float64) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.AddReal(c) })
}
func (x bound) SubReal(c float64) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.SubReal(c) })
}
func (x bound) Scale(c float64) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.Scale(c) })
}
func (x bound) RSub(c float64) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.RSub(c) })
}
func (x bound) RDiv(c float64) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.RDiv(c) })
}
func (x bound) PowReal(c float64) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.PowReal(c) })
}
func (x bound) PowInt(n int) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.PowInt(n) })
}
func (x bound) Polygamma(n int) bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.Polygamma(n) })
}

func (x bound) Const(c float64) bound     { return bound{V: c} }
func (x bound) Value() float64            { return x.V }
func (x bound) Less(y bound) bool         { return x.V < y.V }
func (x bound) LessEq(y bound) bool       { return x.V <= y.V }
func (x bound) LessReal(c float64) bool   { return x.V < c }
func (x bound) LessEqReal(c float64) bool { return x.V <= c }

func (x bound) Select(a, b bound) bound {
	if x.V > 0 {
		return a
	}
	return b
}

func (x bound) SumOf(z []bound) bound {
	s := bound{}
	for i, z := range z {
		if i == 0 {
			s = z
			continue
		}
		s = s.Add(z)
	}
	return s
}

func (x bound) AffineOf(c0 float64, c []float64, z []bound) bound {
	s := bound{V: c0}
	for i, z := range z {
		s = s.Add(z.Scale(c[i]))
	}
	return s
}

func (x bound) DotOf(y, z []bound) bound {
	s := bound{}
	for i := range y {
		s = s.Add(y[i].Mul(z[i]))
	}
	return s
}
