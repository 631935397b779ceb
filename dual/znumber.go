// Code generated from the table of package op. DO NOT EDIT.

package dual

import "math"
import "github.com/hesse-ad/hesse/internal/elem"

// Add returns x + y.
func (x Number) Add(y Number) Number { return Number{x.V + y.V, x.D + y.D} }

// Sub returns x − y.
func (x Number) Sub(y Number) Number { return Number{x.V - y.V, x.D - y.D} }

// Mul returns x·y.
func (x Number) Mul(y Number) Number { return x.chain2(y, float64(x.V*y.V), y.V, x.V) }

// Div returns x/y.
func (x Number) Div(y Number) Number {
	v := x.V / y.V
	dx, dy := elem.DivD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Pow returns x^y.
func (x Number) Pow(y Number) Number {
	v := elem.Pow(x.V, y.V)
	dx, dy := elem.PowD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Hypot returns √(x² + y²).
func (x Number) Hypot(y Number) Number {
	v := math.Hypot(x.V, y.V)
	dx, dy := elem.HypotD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Atan2 returns the angle of the point (y, x), x being its second coordinate.
func (x Number) Atan2(y Number) Number {
	v := math.Atan2(x.V, y.V)
	dx, dy := elem.Atan2D(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Mod returns x − y·trunc(x/y), which has the sign of x.
func (x Number) Mod(y Number) Number {
	v := math.Mod(x.V, y.V)
	dx, dy := elem.ModD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Copysign returns |x| with the sign of y, NaN where y is.
func (x Number) Copysign(y Number) Number {
	v := elem.Copysign(x.V, y.V)
	dx, dy := elem.CopysignD(x.V, y.V, v)
	return x.chain2(y, v, dx, dy)
}

// Step returns 1 where x < y, else 0; NaN where either is NaN.
func (x Number) Step(y Number) Number { return Number{V: elem.Step(x.V, y.V)} }

// AddReal returns x + c.
func (x Number) AddReal(c float64) Number { return Number{x.V + c, x.D} }

// RSub returns c − x.
func (x Number) RSub(c float64) Number { return Number{c - x.V, -x.D} }

// Scale returns c·x.
func (x Number) Scale(c float64) Number { return x.chain(float64(c*x.V), c) }

// RDiv returns c/x.
func (x Number) RDiv(c float64) Number { v := c / x.V; return x.chain(v, elem.RDivD(x.V, c, v)) }

// PowReal returns x^c.
func (x Number) PowReal(c float64) Number {
	v := elem.PowReal(x.V, c)
	return x.chain(v, elem.PowRealD(x.V, c, v))
}

// PowInt returns x^n.
func (x Number) PowInt(n int) Number {
	v := elem.PowInt(x.V, n)
	return x.chain(v, elem.PowIntD(x.V, n, v))
}

// Polygamma returns ψ⁽ⁿ⁾(x), n ≥ 0. It panics for n < 0.
func (x Number) Polygamma(n int) Number {
	v := elem.Polygamma(x.V, n)
	return x.chain(v, elem.PolygammaD(x.V, n, v))
}

// Neg returns −x.
func (x Number) Neg() Number { return Number{-x.V, -x.D} }

// Inv returns 1/x.
func (x Number) Inv() Number { v := 1 / x.V; return x.chain(v, elem.InvD(x.V, v)) }

// Square returns x².
func (x Number) Square() Number { return x.chain(float64(x.V*x.V), 2*x.V) }

// Sqrt returns √x.
func (x Number) Sqrt() Number { v := elem.Sqrt(x.V); return x.chain(v, elem.SqrtD(x.V, v)) }

// Cbrt returns ∛x.
func (x Number) Cbrt() Number { v := math.Cbrt(x.V); return x.chain(v, elem.CbrtD(x.V, v)) }

// Exp returns eˣ.
func (x Number) Exp() Number { v := math.Exp(x.V); return x.chain(v, elem.ExpD(x.V, v)) }

// Exp2 returns 2ˣ.
func (x Number) Exp2() Number { v := math.Exp2(x.V); return x.chain(v, elem.Exp2D(x.V, v)) }

// Expm1 returns eˣ − 1.
func (x Number) Expm1() Number { v := math.Expm1(x.V); return x.chain(v, elem.Expm1D(x.V, v)) }

// Log returns ln x.
func (x Number) Log() Number { v := elem.Log(x.V); return x.chain(v, elem.LogD(x.V, v)) }

// Log2 returns log₂ x.
func (x Number) Log2() Number { v := math.Log2(x.V); return x.chain(v, elem.Log2D(x.V, v)) }

// Log10 returns log₁₀ x.
func (x Number) Log10() Number { v := elem.Log10(x.V); return x.chain(v, elem.Log10D(x.V, v)) }

// Log1p returns ln(1 + x).
func (x Number) Log1p() Number { v := math.Log1p(x.V); return x.chain(v, elem.Log1pD(x.V, v)) }

// Sin returns sin x.
func (x Number) Sin() Number { v := math.Sin(x.V); return x.chain(v, elem.SinD(x.V, v)) }

// Cos returns cos x.
func (x Number) Cos() Number { v := math.Cos(x.V); return x.chain(v, elem.CosD(x.V, v)) }

// Tan returns tan x.
func (x Number) Tan() Number { v := math.Tan(x.V); return x.chain(v, elem.TanD(x.V, v)) }

// Asin returns arcsin x.
func (x Number) Asin() Number { v := math.Asin(x.V); return x.chain(v, elem.AsinD(x.V, v)) }

// Acos returns arccos x.
func (x Number) Acos() Number { v := math.Acos(x.V); return x.chain(v, elem.AcosD(x.V, v)) }

// Atan returns arctan x.
func (x Number) Atan() Number { v := math.Atan(x.V); return x.chain(v, elem.AtanD(x.V, v)) }

// Sinh returns sinh x.
func (x Number) Sinh() Number { v := math.Sinh(x.V); return x.chain(v, elem.SinhD(x.V, v)) }

// Cosh returns cosh x.
func (x Number) Cosh() Number { v := math.Cosh(x.V); return x.chain(v, elem.CoshD(x.V, v)) }

// Tanh returns tanh x.
func (x Number) Tanh() Number { v := math.Tanh(x.V); return x.chain(v, elem.TanhD(x.V, v)) }

// Asinh returns arsinh x.
func (x Number) Asinh() Number { v := math.Asinh(x.V); return x.chain(v, elem.AsinhD(x.V, v)) }

// Acosh returns arcosh x.
func (x Number) Acosh() Number { v := math.Acosh(x.V); return x.chain(v, elem.AcoshD(x.V, v)) }

// Atanh returns artanh x.
func (x Number) Atanh() Number { v := math.Atanh(x.V); return x.chain(v, elem.AtanhD(x.V, v)) }

// Erf returns erf x.
func (x Number) Erf() Number { v := math.Erf(x.V); return x.chain(v, elem.ErfD(x.V, v)) }

// Erfc returns 1 − erf x.
func (x Number) Erfc() Number { v := math.Erfc(x.V); return x.chain(v, elem.ErfcD(x.V, v)) }

// Gamma returns Γ(x).
func (x Number) Gamma() Number { v := math.Gamma(x.V); return x.chain(v, elem.GammaD(x.V, v)) }

// LogGamma returns ln |Γ(x)|.
func (x Number) LogGamma() Number { v := elem.LogGamma(x.V); return x.chain(v, elem.LogGammaD(x.V, v)) }

// Logistic returns 1/(1 + e⁻ˣ).
func (x Number) Logistic() Number { v := elem.Logistic(x.V); return x.chain(v, elem.LogisticD(x.V, v)) }

// Softplus returns ln(1 + eˣ).
func (x Number) Softplus() Number { v := elem.Softplus(x.V); return x.chain(v, elem.SoftplusD(x.V, v)) }

// Abs returns |x|.
func (x Number) Abs() Number { v := math.Abs(x.V); return x.chain(v, elem.AbsD(x.V, v)) }

// Floor returns ⌊x⌋. All derivatives are 0.
func (x Number) Floor() Number { return Number{V: math.Floor(x.V)} }

// Ceil returns ⌈x⌉. All derivatives are 0.
func (x Number) Ceil() Number { return Number{V: math.Ceil(x.V)} }

// Round returns the integer next to x, of two the one farther from 0. All derivatives are 0.
func (x Number) Round() Number { return Number{V: math.Round(x.V)} }

// Trunc returns x without its fraction. All derivatives are 0.
func (x Number) Trunc() Number { return Number{V: math.Trunc(x.V)} }

// Detach returns x as a constant: the same value, all derivatives 0.
func (x Number) Detach() Number { return Number{V: x.V} }
