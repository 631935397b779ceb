// Code generated from the table of package op. DO NOT EDIT.

package dual

import "math"
import "github.com/hesse-ad/hesse/internal/elem"

// Add returns x + y.
func (x Number3) Add(y Number3) Number3 {
	return Number3{x.V + y.V, x.D0 + y.D0, x.D1 + y.D1, x.D2 + y.D2}
}

// Sub returns x − y.
func (x Number3) Sub(y Number3) Number3 {
	return Number3{x.V - y.V, x.D0 - y.D0, x.D1 - y.D1, x.D2 - y.D2}
}

// Mul returns x·y.
func (x Number3) Mul(y Number3) Number3 { return x.chain2(y, float64(x.V*y.V), y.V, x.V) }

// Div returns x/y.
func (x Number3) Div(y Number3) Number3 {
	v := x.V / y.V
	dx, dy := elem.DivD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Pow returns x^y.
func (x Number3) Pow(y Number3) Number3 {
	v := elem.Pow(x.V, y.V)
	dx, dy := elem.PowD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Hypot returns √(x² + y²).
func (x Number3) Hypot(y Number3) Number3 {
	v := math.Hypot(x.V, y.V)
	dx, dy := elem.HypotD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Atan2 returns the angle of the point (y, x), x being its second coordinate.
func (x Number3) Atan2(y Number3) Number3 {
	v := math.Atan2(x.V, y.V)
	dx, dy := elem.Atan2D(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Mod returns x − y·trunc(x/y), which has the sign of x.
func (x Number3) Mod(y Number3) Number3 {
	v := math.Mod(x.V, y.V)
	dx, dy := elem.ModD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Copysign returns |x| with the sign of y, NaN where y is.
func (x Number3) Copysign(y Number3) Number3 {
	v := elem.Copysign(x.V, y.V)
	dx, dy := elem.CopysignD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Step returns 1 where x < y, else 0; NaN where either is NaN.
func (x Number3) Step(y Number3) Number3 { return Number3{V: elem.Step(x.V, y.V)} }

// AddReal returns x + c.
func (x Number3) AddReal(c float64) Number3 { return Number3{x.V + c, x.D0, x.D1, x.D2} }

// RSub returns c − x.
func (x Number3) RSub(c float64) Number3 { return Number3{c - x.V, -x.D0, -x.D1, -x.D2} }

// Scale returns c·x.
func (x Number3) Scale(c float64) Number3 { return x.chain(float64(c*x.V), c) }

// RDiv returns c/x.
func (x Number3) RDiv(c float64) Number3 { v := c / x.V; return x.chain(v, elem.RDivD(x.V, c, v)) }

// PowReal returns x^c.
func (x Number3) PowReal(c float64) Number3 {
	v := elem.PowReal(x.V, c)
	return x.chain(v, elem.PowRealD(x.V, c, v))
}

// PowInt returns x^n.
func (x Number3) PowInt(n int) Number3 {
	v := elem.PowInt(x.V, n)
	return x.chain(v, elem.PowIntD(x.V, n, v))
}

// Polygamma returns ψ⁽ⁿ⁾(x), n ≥ 0. It panics for n < 0.
func (x Number3) Polygamma(n int) Number3 {
	v := elem.Polygamma(x.V, n)
	return x.chain(v, elem.PolygammaD(x.V, n, v))
}

// Neg returns −x.
func (x Number3) Neg() Number3 { return Number3{-x.V, -x.D0, -x.D1, -x.D2} }

// Inv returns 1/x.
func (x Number3) Inv() Number3 { v := 1 / x.V; return x.chain(v, elem.InvD(x.V, v)) }

// Square returns x².
func (x Number3) Square() Number3 { return x.chain(float64(x.V*x.V), 2*x.V) }

// Sqrt returns √x.
func (x Number3) Sqrt() Number3 { v := elem.Sqrt(x.V); return x.chain(v, elem.SqrtD(x.V, v)) }

// Cbrt returns ∛x.
func (x Number3) Cbrt() Number3 { v := math.Cbrt(x.V); return x.chain(v, elem.CbrtD(x.V, v)) }

// Exp returns eˣ.
func (x Number3) Exp() Number3 { v := math.Exp(x.V); return x.chain(v, elem.ExpD(x.V, v)) }

// Exp2 returns 2ˣ.
func (x Number3) Exp2() Number3 { v := math.Exp2(x.V); return x.chain(v, elem.Exp2D(x.V, v)) }

// Expm1 returns eˣ − 1.
func (x Number3) Expm1() Number3 { v := math.Expm1(x.V); return x.chain(v, elem.Expm1D(x.V, v)) }

// Log returns ln x.
func (x Number3) Log() Number3 { v := elem.Log(x.V); return x.chain(v, elem.LogD(x.V, v)) }

// Log2 returns log₂ x.
func (x Number3) Log2() Number3 { v := math.Log2(x.V); return x.chain(v, elem.Log2D(x.V, v)) }

// Log10 returns log₁₀ x.
func (x Number3) Log10() Number3 { v := elem.Log10(x.V); return x.chain(v, elem.Log10D(x.V, v)) }

// Log1p returns ln(1 + x).
func (x Number3) Log1p() Number3 { v := math.Log1p(x.V); return x.chain(v, elem.Log1pD(x.V, v)) }

// Sin returns sin x.
func (x Number3) Sin() Number3 { v := math.Sin(x.V); return x.chain(v, elem.SinD(x.V, v)) }

// Cos returns cos x.
func (x Number3) Cos() Number3 { v := math.Cos(x.V); return x.chain(v, elem.CosD(x.V, v)) }

// Tan returns tan x.
func (x Number3) Tan() Number3 { v := math.Tan(x.V); return x.chain(v, elem.TanD(x.V, v)) }

// Asin returns arcsin x.
func (x Number3) Asin() Number3 { v := math.Asin(x.V); return x.chain(v, elem.AsinD(x.V, v)) }

// Acos returns arccos x.
func (x Number3) Acos() Number3 { v := math.Acos(x.V); return x.chain(v, elem.AcosD(x.V, v)) }

// Atan returns arctan x.
func (x Number3) Atan() Number3 { v := math.Atan(x.V); return x.chain(v, elem.AtanD(x.V, v)) }

// Sinh returns sinh x.
func (x Number3) Sinh() Number3 { v := math.Sinh(x.V); return x.chain(v, elem.SinhD(x.V, v)) }

// Cosh returns cosh x.
func (x Number3) Cosh() Number3 { v := math.Cosh(x.V); return x.chain(v, elem.CoshD(x.V, v)) }

// Tanh returns tanh x.
func (x Number3) Tanh() Number3 { v := math.Tanh(x.V); return x.chain(v, elem.TanhD(x.V, v)) }

// Asinh returns arsinh x.
func (x Number3) Asinh() Number3 { v := math.Asinh(x.V); return x.chain(v, elem.AsinhD(x.V, v)) }

// Acosh returns arcosh x.
func (x Number3) Acosh() Number3 { v := math.Acosh(x.V); return x.chain(v, elem.AcoshD(x.V, v)) }

// Atanh returns artanh x.
func (x Number3) Atanh() Number3 { v := math.Atanh(x.V); return x.chain(v, elem.AtanhD(x.V, v)) }

// Erf returns erf x.
func (x Number3) Erf() Number3 { v := math.Erf(x.V); return x.chain(v, elem.ErfD(x.V, v)) }

// Erfc returns 1 − erf x.
func (x Number3) Erfc() Number3 { v := math.Erfc(x.V); return x.chain(v, elem.ErfcD(x.V, v)) }

// Gamma returns Γ(x).
func (x Number3) Gamma() Number3 { v := math.Gamma(x.V); return x.chain(v, elem.GammaD(x.V, v)) }

// LogGamma returns ln |Γ(x)|.
func (x Number3) LogGamma() Number3 {
	v := elem.LogGamma(x.V)
	return x.chain(v, elem.LogGammaD(x.V, v))
}

// Logistic returns 1/(1 + e⁻ˣ).
func (x Number3) Logistic() Number3 {
	v := elem.Logistic(x.V)
	return x.chain(v, elem.LogisticD(x.V, v))
}

// Softplus returns ln(1 + eˣ).
func (x Number3) Softplus() Number3 {
	v := elem.Softplus(x.V)
	return x.chain(v, elem.SoftplusD(x.V, v))
}

// Abs returns |x|.
func (x Number3) Abs() Number3 { v := math.Abs(x.V); return x.chain(v, elem.AbsD(x.V, v)) }

// Floor returns ⌊x⌋. All derivatives are 0.
func (x Number3) Floor() Number3 { return Number3{V: math.Floor(x.V)} }

// Ceil returns ⌈x⌉. All derivatives are 0.
func (x Number3) Ceil() Number3 { return Number3{V: math.Ceil(x.V)} }

// Round returns the integer next to x, of two the one farther from 0. All derivatives are 0.
func (x Number3) Round() Number3 { return Number3{V: math.Round(x.V)} }

// Trunc returns x without its fraction. All derivatives are 0.
func (x Number3) Trunc() Number3 { return Number3{V: math.Trunc(x.V)} }

// Detach returns x as a constant: the same value, all derivatives 0.
func (x Number3) Detach() Number3 { return Number3{V: x.V} }
