// Code generated from the table of package op. DO NOT EDIT.

package reverse

import "math"
import "github.com/hesse-ad/hesse/internal/elem"
import "github.com/hesse-ad/hesse/internal/op"

// Hypot returns √(x² + y²).
func (x Var) Hypot(y Var) Var { return x.binary(op.Hypot, y, math.Hypot(x.v, y.v)) }

// Atan2 returns the angle of the point (y, x), x being its second coordinate.
func (x Var) Atan2(y Var) Var { return x.binary(op.Atan2, y, math.Atan2(x.v, y.v)) }

// Max returns the larger of x and y, at a tie x.
func (x Var) Max(y Var) Var { return x.binary(op.Max, y, elem.Max(x.v, y.v)) }

// Min returns the smaller of x and y, at a tie x.
func (x Var) Min(y Var) Var { return x.binary(op.Min, y, elem.Min(x.v, y.v)) }

// Mod returns x − y·trunc(x/y), which has the sign of x.
func (x Var) Mod(y Var) Var { return x.binary(op.Mod, y, math.Mod(x.v, y.v)) }

// Copysign returns |x| with the sign of y, NaN where y is.
func (x Var) Copysign(y Var) Var { return x.binary(op.Copysign, y, elem.Copysign(x.v, y.v)) }

// Step returns 1 where x < y, else 0; NaN where either is NaN.
func (x Var) Step(y Var) Var { return x.binary(op.Step, y, elem.Step(x.v, y.v)) }

// AddReal returns x + c.
func (x Var) AddReal(c float64) Var { return x.unaryReal(op.AddReal, c, x.v+c) }

// RSub returns c − x.
func (x Var) RSub(c float64) Var { return x.unaryReal(op.RSub, c, c-x.v) }

// Scale returns c·x.
func (x Var) Scale(c float64) Var { return x.unaryReal(op.Scale, c, float64(c*x.v)) }

// RDiv returns c/x.
func (x Var) RDiv(c float64) Var { return x.unaryReal(op.RDiv, c, c/x.v) }

// Neg returns −x.
func (x Var) Neg() Var { return x.unary(op.Neg, -x.v) }

// Inv returns 1/x.
func (x Var) Inv() Var { return x.unary(op.Inv, 1/x.v) }

// Square returns x².
func (x Var) Square() Var { return x.unary(op.Square, float64(x.v*x.v)) }

// Sqrt returns √x.
func (x Var) Sqrt() Var { return x.unary(op.Sqrt, elem.Sqrt(x.v)) }

// Cbrt returns ∛x.
func (x Var) Cbrt() Var { return x.unary(op.Cbrt, math.Cbrt(x.v)) }

// Exp returns eˣ.
func (x Var) Exp() Var { return x.unary(op.Exp, math.Exp(x.v)) }

// Exp2 returns 2ˣ.
func (x Var) Exp2() Var { return x.unary(op.Exp2, math.Exp2(x.v)) }

// Expm1 returns eˣ − 1.
func (x Var) Expm1() Var { return x.unary(op.Expm1, math.Expm1(x.v)) }

// Log returns ln x.
func (x Var) Log() Var { return x.unary(op.Log, elem.Log(x.v)) }

// Log2 returns log₂ x.
func (x Var) Log2() Var { return x.unary(op.Log2, math.Log2(x.v)) }

// Log10 returns log₁₀ x.
func (x Var) Log10() Var { return x.unary(op.Log10, elem.Log10(x.v)) }

// Log1p returns ln(1 + x).
func (x Var) Log1p() Var { return x.unary(op.Log1p, math.Log1p(x.v)) }

// Sin returns sin x.
func (x Var) Sin() Var { return x.unary(op.Sin, math.Sin(x.v)) }

// Cos returns cos x.
func (x Var) Cos() Var { return x.unary(op.Cos, math.Cos(x.v)) }

// Tan returns tan x.
func (x Var) Tan() Var { return x.unary(op.Tan, math.Tan(x.v)) }

// Asin returns arcsin x.
func (x Var) Asin() Var { return x.unary(op.Asin, math.Asin(x.v)) }

// Acos returns arccos x.
func (x Var) Acos() Var { return x.unary(op.Acos, math.Acos(x.v)) }

// Atan returns arctan x.
func (x Var) Atan() Var { return x.unary(op.Atan, math.Atan(x.v)) }

// Sinh returns sinh x.
func (x Var) Sinh() Var { return x.unary(op.Sinh, math.Sinh(x.v)) }

// Cosh returns cosh x.
func (x Var) Cosh() Var { return x.unary(op.Cosh, math.Cosh(x.v)) }

// Tanh returns tanh x.
func (x Var) Tanh() Var { return x.unary(op.Tanh, math.Tanh(x.v)) }

// Asinh returns arsinh x.
func (x Var) Asinh() Var { return x.unary(op.Asinh, math.Asinh(x.v)) }

// Acosh returns arcosh x.
func (x Var) Acosh() Var { return x.unary(op.Acosh, math.Acosh(x.v)) }

// Atanh returns artanh x.
func (x Var) Atanh() Var { return x.unary(op.Atanh, math.Atanh(x.v)) }

// Erf returns erf x.
func (x Var) Erf() Var { return x.unary(op.Erf, math.Erf(x.v)) }

// Erfc returns 1 − erf x.
func (x Var) Erfc() Var { return x.unary(op.Erfc, math.Erfc(x.v)) }

// Gamma returns Γ(x).
func (x Var) Gamma() Var { return x.unary(op.Gamma, math.Gamma(x.v)) }

// LogGamma returns ln |Γ(x)|.
func (x Var) LogGamma() Var { return x.unary(op.LogGamma, elem.LogGamma(x.v)) }

// Logistic returns 1/(1 + e⁻ˣ).
func (x Var) Logistic() Var { return x.unary(op.Logistic, elem.Logistic(x.v)) }

// Softplus returns ln(1 + eˣ).
func (x Var) Softplus() Var { return x.unary(op.Softplus, elem.Softplus(x.v)) }

// Abs returns |x|.
func (x Var) Abs() Var { return x.unary(op.Abs, math.Abs(x.v)) }

// Floor returns ⌊x⌋. All derivatives are 0.
func (x Var) Floor() Var { return x.unary(op.Floor, math.Floor(x.v)) }

// Ceil returns ⌈x⌉. All derivatives are 0.
func (x Var) Ceil() Var { return x.unary(op.Ceil, math.Ceil(x.v)) }

// Round returns the integer next to x, of two the one farther from 0. All derivatives are 0.
func (x Var) Round() Var { return x.unary(op.Round, math.Round(x.v)) }

// Trunc returns x without its fraction. All derivatives are 0.
func (x Var) Trunc() Var { return x.unary(op.Trunc, math.Trunc(x.v)) }

// Detach returns x as a constant: the same value, all derivatives 0.
func (x Var) Detach() Var { return x.unary(op.Detach, x.v) }
