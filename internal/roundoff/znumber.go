// Code generated from the table of package op. DO NOT EDIT.

package roundoff

import "github.com/hesse-ad/hesse/dual"

func (x Number) Hypot(y Number) Number { return x.binary(y, dual.Real.Hypot) }

func (x Number) Atan2(y Number) Number { return x.binary(y, dual.Real.Atan2) }

func (x Number) PowInt(n int) Number {
	return x.unary(func(x dual.Real) dual.Real { return x.PowInt(n) })
}

func (x Number) Polygamma(n int) Number {
	return x.unary(func(x dual.Real) dual.Real { return x.Polygamma(n) })
}

func (x Number) Sqrt() Number { return x.unary(dual.Real.Sqrt) }

func (x Number) Cbrt() Number { return x.unary(dual.Real.Cbrt) }

func (x Number) Exp() Number { return x.unary(dual.Real.Exp) }

func (x Number) Exp2() Number { return x.unary(dual.Real.Exp2) }

func (x Number) Expm1() Number { return x.unary(dual.Real.Expm1) }

func (x Number) Log() Number { return x.unary(dual.Real.Log) }

func (x Number) Log2() Number { return x.unary(dual.Real.Log2) }

func (x Number) Log10() Number { return x.unary(dual.Real.Log10) }

func (x Number) Log1p() Number { return x.unary(dual.Real.Log1p) }

func (x Number) Sin() Number { return x.unary(dual.Real.Sin) }

func (x Number) Cos() Number { return x.unary(dual.Real.Cos) }

func (x Number) Tan() Number { return x.unary(dual.Real.Tan) }

func (x Number) Asin() Number { return x.unary(dual.Real.Asin) }

func (x Number) Acos() Number { return x.unary(dual.Real.Acos) }

func (x Number) Atan() Number { return x.unary(dual.Real.Atan) }

func (x Number) Sinh() Number { return x.unary(dual.Real.Sinh) }

func (x Number) Cosh() Number { return x.unary(dual.Real.Cosh) }

func (x Number) Tanh() Number { return x.unary(dual.Real.Tanh) }

func (x Number) Asinh() Number { return x.unary(dual.Real.Asinh) }

func (x Number) Acosh() Number { return x.unary(dual.Real.Acosh) }

func (x Number) Atanh() Number { return x.unary(dual.Real.Atanh) }

func (x Number) Erf() Number { return x.unary(dual.Real.Erf) }

func (x Number) Erfc() Number { return x.unary(dual.Real.Erfc) }

func (x Number) Gamma() Number { return x.unary(dual.Real.Gamma) }

func (x Number) LogGamma() Number { return x.unary(dual.Real.LogGamma) }

func (x Number) Logistic() Number { return x.unary(dual.Real.Logistic) }

func (x Number) Softplus() Number { return x.unary(dual.Real.Softplus) }
