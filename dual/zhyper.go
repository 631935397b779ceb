// Code generated from the table of package op. DO NOT EDIT.

package dual

import "math"
import "github.com/hesse-ad/hesse/internal/elem"

// Add returns x + y.
func (x Hyper) Add(y Hyper) Hyper { return Hyper{x.V + y.V, x.D1 + y.D1, x.D2 + y.D2, x.D12 + y.D12} }

// Sub returns x − y.
func (x Hyper) Sub(y Hyper) Hyper { return Hyper{x.V - y.V, x.D1 - y.D1, x.D2 - y.D2, x.D12 - y.D12} }

// Div returns x/y.
func (x Hyper) Div(y Hyper) Hyper {
	v := x.V / y.V
	dx, dy := elem.DivD(x.V, y.V, v)
	dxx, dxy, dyy := elem.DivDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

// Pow returns x^y.
func (x Hyper) Pow(y Hyper) Hyper {
	v := elem.Pow(x.V, y.V)
	dx, dy := elem.PowD(x.V, y.V, v)
	dxx, dxy, dyy := elem.PowDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

// Hypot returns √(x² + y²).
func (x Hyper) Hypot(y Hyper) Hyper {
	v := math.Hypot(x.V, y.V)
	dx, dy := elem.HypotD(x.V, y.V, v)
	dxx, dxy, dyy := elem.HypotDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

// Atan2 returns the angle of the point (y, x), x being its second coordinate.
func (x Hyper) Atan2(y Hyper) Hyper {
	v := math.Atan2(x.V, y.V)
	dx, dy := elem.Atan2D(x.V, y.V, v)
	dxx, dxy, dyy := elem.Atan2DD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

// Mod returns x − y·trunc(x/y), which has the sign of x.
func (x Hyper) Mod(y Hyper) Hyper {
	v := math.Mod(x.V, y.V)
	dx, dy := elem.ModD(x.V, y.V, v)
	dxx, dxy, dyy := elem.ModDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

// Copysign returns |x| with the sign of y, NaN where y is.
func (x Hyper) Copysign(y Hyper) Hyper {
	v := elem.Copysign(x.V, y.V)
	dx, dy := elem.CopysignD(x.V, y.V, v)
	dxx, dxy, dyy := elem.CopysignDD(x.V, y.V, v, dx, dy)
	return x.chain2(y, v, dx, dy, dxx, dxy, dyy)
}

// Step returns 1 where x < y, else 0; NaN where either is NaN.
func (x Hyper) Step(y Hyper) Hyper { return Hyper{V: elem.Step(x.V, y.V)} }

// AddReal returns x + c.
func (x Hyper) AddReal(c float64) Hyper { return Hyper{x.V + c, x.D1, x.D2, x.D12} }

// RSub returns c − x.
func (x Hyper) RSub(c float64) Hyper { return Hyper{c - x.V, -x.D1, -x.D2, -x.D12} }

// RDiv returns c/x.
func (x Hyper) RDiv(c float64) Hyper {
	v := c / x.V
	d := elem.RDivD(x.V, c, v)
	return x.chain(v, d, elem.RDivDD(x.V, c, v, d))
}

// PowReal returns x^c.
func (x Hyper) PowReal(c float64) Hyper {
	v := elem.PowReal(x.V, c)
	d := elem.PowRealD(x.V, c, v)
	return x.chain(v, d, elem.PowRealDD(x.V, c, v, d))
}

// PowInt returns x^n.
func (x Hyper) PowInt(n int) Hyper {
	v := elem.PowInt(x.V, n)
	d := elem.PowIntD(x.V, n, v)
	return x.chain(v, d, elem.PowIntDD(x.V, n, v, d))
}

// Polygamma returns ψ⁽ⁿ⁾(x), n ≥ 0. It panics for n < 0.
func (x Hyper) Polygamma(n int) Hyper {
	v := elem.Polygamma(x.V, n)
	d := elem.PolygammaD(x.V, n, v)
	return x.chain(v, d, elem.PolygammaDD(x.V, n, v, d))
}

// Neg returns −x.
func (x Hyper) Neg() Hyper { return Hyper{-x.V, -x.D1, -x.D2, -x.D12} }

// Inv returns 1/x.
func (x Hyper) Inv() Hyper {
	v := 1 / x.V
	d := elem.InvD(x.V, v)
	return x.chain(v, d, elem.InvDD(x.V, v, d))
}

// Sqrt returns √x.
func (x Hyper) Sqrt() Hyper {
	v := elem.Sqrt(x.V)
	d := elem.SqrtD(x.V, v)
	return x.chain(v, d, elem.SqrtDD(x.V, v, d))
}

// Cbrt returns ∛x.
func (x Hyper) Cbrt() Hyper {
	v := math.Cbrt(x.V)
	d := elem.CbrtD(x.V, v)
	return x.chain(v, d, elem.CbrtDD(x.V, v, d))
}

// Exp returns eˣ.
func (x Hyper) Exp() Hyper {
	v := math.Exp(x.V)
	d := elem.ExpD(x.V, v)
	return x.chain(v, d, elem.ExpDD(x.V, v, d))
}

// Exp2 returns 2ˣ.
func (x Hyper) Exp2() Hyper {
	v := math.Exp2(x.V)
	d := elem.Exp2D(x.V, v)
	return x.chain(v, d, elem.Exp2DD(x.V, v, d))
}

// Expm1 returns eˣ − 1.
func (x Hyper) Expm1() Hyper {
	v := math.Expm1(x.V)
	d := elem.Expm1D(x.V, v)
	return x.chain(v, d, elem.Expm1DD(x.V, v, d))
}

// Log returns ln x.
func (x Hyper) Log() Hyper {
	v := elem.Log(x.V)
	d := elem.LogD(x.V, v)
	return x.chain(v, d, elem.LogDD(x.V, v, d))
}

// Log2 returns log₂ x.
func (x Hyper) Log2() Hyper {
	v := math.Log2(x.V)
	d := elem.Log2D(x.V, v)
	return x.chain(v, d, elem.Log2DD(x.V, v, d))
}

// Log10 returns log₁₀ x.
func (x Hyper) Log10() Hyper {
	v := elem.Log10(x.V)
	d := elem.Log10D(x.V, v)
	return x.chain(v, d, elem.Log10DD(x.V, v, d))
}

// Log1p returns ln(1 + x).
func (x Hyper) Log1p() Hyper {
	v := math.Log1p(x.V)
	d := elem.Log1pD(x.V, v)
	return x.chain(v, d, elem.Log1pDD(x.V, v, d))
}

// Sin returns sin x.
func (x Hyper) Sin() Hyper {
	v := math.Sin(x.V)
	d := elem.SinD(x.V, v)
	return x.chain(v, d, elem.SinDD(x.V, v, d))
}

// Cos returns cos x.
func (x Hyper) Cos() Hyper {
	v := math.Cos(x.V)
	d := elem.CosD(x.V, v)
	return x.chain(v, d, elem.CosDD(x.V, v, d))
}

// Tan returns tan x.
func (x Hyper) Tan() Hyper {
	v := math.Tan(x.V)
	d := elem.TanD(x.V, v)
	return x.chain(v, d, elem.TanDD(x.V, v, d))
}

// Asin returns arcsin x.
func (x Hyper) Asin() Hyper {
	v := math.Asin(x.V)
	d := elem.AsinD(x.V, v)
	return x.chain(v, d, elem.AsinDD(x.V, v, d))
}

// Acos returns arccos x.
func (x Hyper) Acos() Hyper {
	v := math.Acos(x.V)
	d := elem.AcosD(x.V, v)
	return x.chain(v, d, elem.AcosDD(x.V, v, d))
}

// Atan returns arctan x.
func (x Hyper) Atan() Hyper {
	v := math.Atan(x.V)
	d := elem.AtanD(x.V, v)
	return x.chain(v, d, elem.AtanDD(x.V, v, d))
}

// Sinh returns sinh x.
func (x Hyper) Sinh() Hyper {
	v := math.Sinh(x.V)
	d := elem.SinhD(x.V, v)
	return x.chain(v, d, elem.SinhDD(x.V, v, d))
}

// Cosh returns cosh x.
func (x Hyper) Cosh() Hyper {
	v := math.Cosh(x.V)
	d := elem.CoshD(x.V, v)
	return x.chain(v, d, elem.CoshDD(x.V, v, d))
}

// Tanh returns tanh x.
func (x Hyper) Tanh() Hyper {
	v := math.Tanh(x.V)
	d := elem.TanhD(x.V, v)
	return x.chain(v, d, elem.TanhDD(x.V, v, d))
}

// Asinh returns arsinh x.
func (x Hyper) Asinh() Hyper {
	v := math.Asinh(x.V)
	d := elem.AsinhD(x.V, v)
	return x.chain(v, d, elem.AsinhDD(x.V, v, d))
}

// Acosh returns arcosh x.
func (x Hyper) Acosh() Hyper {
	v := math.Acosh(x.V)
	d := elem.AcoshD(x.V, v)
	return x.chain(v, d, elem.AcoshDD(x.V, v, d))
}

// Atanh returns artanh x.
func (x Hyper) Atanh() Hyper {
	v := math.Atanh(x.V)
	d := elem.AtanhD(x.V, v)
	return x.chain(v, d, elem.AtanhDD(x.V, v, d))
}

// Erf returns erf x.
func (x Hyper) Erf() Hyper {
	v := math.Erf(x.V)
	d := elem.ErfD(x.V, v)
	return x.chain(v, d, elem.ErfDD(x.V, v, d))
}

// Erfc returns 1 − erf x.
func (x Hyper) Erfc() Hyper {
	v := math.Erfc(x.V)
	d := elem.ErfcD(x.V, v)
	return x.chain(v, d, elem.ErfcDD(x.V, v, d))
}

// Gamma returns Γ(x).
func (x Hyper) Gamma() Hyper {
	v := math.Gamma(x.V)
	d := elem.GammaD(x.V, v)
	return x.chain(v, d, elem.GammaDD(x.V, v, d))
}

// LogGamma returns ln |Γ(x)|.
func (x Hyper) LogGamma() Hyper {
	v := elem.LogGamma(x.V)
	d := elem.LogGammaD(x.V, v)
	return x.chain(v, d, elem.LogGammaDD(x.V, v, d))
}

// Logistic returns 1/(1 + e⁻ˣ).
func (x Hyper) Logistic() Hyper {
	v := elem.Logistic(x.V)
	d := elem.LogisticD(x.V, v)
	return x.chain(v, d, elem.LogisticDD(x.V, v, d))
}

// Softplus returns ln(1 + eˣ).
func (x Hyper) Softplus() Hyper {
	v := elem.Softplus(x.V)
	d := elem.SoftplusD(x.V, v)
	return x.chain(v, d, elem.SoftplusDD(x.V, v, d))
}

// Abs returns |x|.
func (x Hyper) Abs() Hyper {
	v := math.Abs(x.V)
	d := elem.AbsD(x.V, v)
	return x.chain(v, d, elem.AbsDD(x.V, v, d))
}

// Floor returns ⌊x⌋. All derivatives are 0.
func (x Hyper) Floor() Hyper { return Hyper{V: math.Floor(x.V)} }

// Ceil returns ⌈x⌉. All derivatives are 0.
func (x Hyper) Ceil() Hyper { return Hyper{V: math.Ceil(x.V)} }

// Round returns the integer next to x, of two the one farther from 0. All derivatives are 0.
func (x Hyper) Round() Hyper { return Hyper{V: math.Round(x.V)} }

// Trunc returns x without its fraction. All derivatives are 0.
func (x Hyper) Trunc() Hyper { return Hyper{V: math.Trunc(x.V)} }

// Detach returns x as a constant: the same value, all derivatives 0.
func (x Hyper) Detach() Hyper { return Hyper{V: x.V} }
