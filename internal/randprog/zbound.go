// Code generated from the table of package op. DO NOT EDIT.

package randprog

import "github.com/hesse-ad/hesse/dual"

func (x Bound) Add(y Bound) Bound { return binary(x, y, dual.Hyper.Add) }

func (x Bound) Sub(y Bound) Bound { return binary(x, y, dual.Hyper.Sub) }

func (x Bound) Mul(y Bound) Bound { return binary(x, y, dual.Hyper.Mul) }

func (x Bound) Prod(y Bound) Bound { return binary(x, y, dual.Hyper.Prod) }

func (x Bound) Div(y Bound) Bound { return binary(x, y, dual.Hyper.Div) }

func (x Bound) Pow(y Bound) Bound { return binary(x, y, dual.Hyper.Pow) }

func (x Bound) Atan2(y Bound) Bound { return binary(x, y, dual.Hyper.Atan2) }

func (x Bound) Max(y Bound) Bound { return binary(x, y, dual.Hyper.Max) }

func (x Bound) Min(y Bound) Bound { return binary(x, y, dual.Hyper.Min) }

func (x Bound) Mod(y Bound) Bound { return binary(x, y, dual.Hyper.Mod) }

func (x Bound) Copysign(y Bound) Bound { return binary(x, y, dual.Hyper.Copysign) }

func (x Bound) Step(y Bound) Bound { return binary(x, y, dual.Hyper.Step) }

func (x Bound) AddReal(c float64) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.AddReal(c) })
}

func (x Bound) RSub(c float64) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.RSub(c) })
}

func (x Bound) Scale(c float64) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.Scale(c) })
}

func (x Bound) RDiv(c float64) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.RDiv(c) })
}

func (x Bound) PowReal(c float64) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.PowReal(c) })
}

func (x Bound) PowInt(n int) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.PowInt(n) })
}

func (x Bound) Polygamma(n int) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.Polygamma(n) })
}

func (x Bound) Neg() Bound { return unary(x, dual.Hyper.Neg) }

func (x Bound) Inv() Bound { return unary(x, dual.Hyper.Inv) }

func (x Bound) Square() Bound { return unary(x, dual.Hyper.Square) }

func (x Bound) Sqrt() Bound { return unary(x, dual.Hyper.Sqrt) }

func (x Bound) Cbrt() Bound { return unary(x, dual.Hyper.Cbrt) }

func (x Bound) Exp() Bound { return unary(x, dual.Hyper.Exp) }

func (x Bound) Exp2() Bound { return unary(x, dual.Hyper.Exp2) }

func (x Bound) Expm1() Bound { return unary(x, dual.Hyper.Expm1) }

func (x Bound) Log() Bound { return unary(x, dual.Hyper.Log) }

func (x Bound) Log2() Bound { return unary(x, dual.Hyper.Log2) }

func (x Bound) Log10() Bound { return unary(x, dual.Hyper.Log10) }

func (x Bound) Log1p() Bound { return unary(x, dual.Hyper.Log1p) }

func (x Bound) Sin() Bound { return unary(x, dual.Hyper.Sin) }

func (x Bound) Cos() Bound { return unary(x, dual.Hyper.Cos) }

func (x Bound) Tan() Bound { return unary(x, dual.Hyper.Tan) }

func (x Bound) Asin() Bound { return unary(x, dual.Hyper.Asin) }

func (x Bound) Acos() Bound { return unary(x, dual.Hyper.Acos) }

func (x Bound) Atan() Bound { return unary(x, dual.Hyper.Atan) }

func (x Bound) Sinh() Bound { return unary(x, dual.Hyper.Sinh) }

func (x Bound) Cosh() Bound { return unary(x, dual.Hyper.Cosh) }

func (x Bound) Tanh() Bound { return unary(x, dual.Hyper.Tanh) }

func (x Bound) Asinh() Bound { return unary(x, dual.Hyper.Asinh) }

func (x Bound) Acosh() Bound { return unary(x, dual.Hyper.Acosh) }

func (x Bound) Atanh() Bound { return unary(x, dual.Hyper.Atanh) }

func (x Bound) Erf() Bound { return unary(x, dual.Hyper.Erf) }

func (x Bound) Erfc() Bound { return unary(x, dual.Hyper.Erfc) }

func (x Bound) Gamma() Bound { return unary(x, dual.Hyper.Gamma) }

func (x Bound) LogGamma() Bound { return unary(x, dual.Hyper.LogGamma) }

func (x Bound) Logistic() Bound { return unary(x, dual.Hyper.Logistic) }

func (x Bound) Softplus() Bound { return unary(x, dual.Hyper.Softplus) }

func (x Bound) Abs() Bound { return unary(x, dual.Hyper.Abs) }

func (x Bound) Floor() Bound { return unary(x, dual.Hyper.Floor) }

func (x Bound) Ceil() Bound { return unary(x, dual.Hyper.Ceil) }

func (x Bound) Round() Bound { return unary(x, dual.Hyper.Round) }

func (x Bound) Trunc() Bound { return unary(x, dual.Hyper.Trunc) }

func (x Bound) Detach() Bound { return unary(x, dual.Hyper.Detach) }
