// Code generated from the table of package op. DO NOT EDIT.

package dual

import "math"
import "github.com/hesse-ad/hesse/internal/elem"

// Add returns x + y.
func (x Real) Add(y Real) Real { return x + y }

// Sub returns x − y.
func (x Real) Sub(y Real) Real { return x - y }

// Mul returns x·y.
func (x Real) Mul(y Real) Real { return Real(x * y) }

// Prod returns the derivative product: x·y, but 0 where either factor is exactly 0.
func (x Real) Prod(y Real) Real { return Real(elem.Prod(float64(x), float64(y))) }

// Div returns x/y.
func (x Real) Div(y Real) Real { return x / y }

// Pow returns x^y.
func (x Real) Pow(y Real) Real { return Real(elem.Pow(float64(x), float64(y))) }

// Hypot returns √(x² + y²).
func (x Real) Hypot(y Real) Real { return Real(math.Hypot(float64(x), float64(y))) }

// Atan2 returns the angle of the point (y, x), x being its second coordinate.
func (x Real) Atan2(y Real) Real { return Real(math.Atan2(float64(x), float64(y))) }

// Max returns the larger of x and y, at a tie x.
func (x Real) Max(y Real) Real { return Real(elem.Max(float64(x), float64(y))) }

// Min returns the smaller of x and y, at a tie x.
func (x Real) Min(y Real) Real { return Real(elem.Min(float64(x), float64(y))) }

// Mod returns x − y·trunc(x/y), which has the sign of x.
func (x Real) Mod(y Real) Real { return Real(math.Mod(float64(x), float64(y))) }

// Copysign returns |x| with the sign of y, NaN where y is.
func (x Real) Copysign(y Real) Real { return Real(elem.Copysign(float64(x), float64(y))) }

// Step returns 1 where x < y, else 0; NaN where either is NaN.
func (x Real) Step(y Real) Real { return Real(elem.Step(float64(x), float64(y))) }

// AddReal returns x + c.
func (x Real) AddReal(c float64) Real { return x + Real(c) }

// RSub returns c − x.
func (x Real) RSub(c float64) Real { return Real(c) - x }

// Scale returns c·x.
func (x Real) Scale(c float64) Real { return Real(Real(c) * x) }

// RDiv returns c/x.
func (x Real) RDiv(c float64) Real { return Real(c) / x }

// PowReal returns x^c.
func (x Real) PowReal(c float64) Real { return Real(elem.PowReal(float64(x), c)) }

// PowInt returns x^n.
func (x Real) PowInt(n int) Real { return Real(elem.PowInt(float64(x), n)) }

// Polygamma returns ψ⁽ⁿ⁾(x), n ≥ 0. It panics for n < 0.
func (x Real) Polygamma(n int) Real { return Real(elem.Polygamma(float64(x), n)) }

// Neg returns −x.
func (x Real) Neg() Real { return -x }

// Inv returns 1/x.
func (x Real) Inv() Real { return 1 / x }

// Square returns x².
func (x Real) Square() Real { return Real(x * x) }

// Sqrt returns √x.
func (x Real) Sqrt() Real { return Real(elem.Sqrt(float64(x))) }

// Cbrt returns ∛x.
func (x Real) Cbrt() Real { return Real(math.Cbrt(float64(x))) }

// Exp returns eˣ.
func (x Real) Exp() Real { return Real(math.Exp(float64(x))) }

// Exp2 returns 2ˣ.
func (x Real) Exp2() Real { return Real(math.Exp2(float64(x))) }

// Expm1 returns eˣ − 1.
func (x Real) Expm1() Real { return Real(math.Expm1(float64(x))) }

// Log returns ln x.
func (x Real) Log() Real { return Real(elem.Log(float64(x))) }

// Log2 returns log₂ x.
func (x Real) Log2() Real { return Real(math.Log2(float64(x))) }

// Log10 returns log₁₀ x.
func (x Real) Log10() Real { return Real(elem.Log10(float64(x))) }

// Log1p returns ln(1 + x).
func (x Real) Log1p() Real { return Real(math.Log1p(float64(x))) }

// Sin returns sin x.
func (x Real) Sin() Real { return Real(math.Sin(float64(x))) }

// Cos returns cos x.
func (x Real) Cos() Real { return Real(math.Cos(float64(x))) }

// Tan returns tan x.
func (x Real) Tan() Real { return Real(math.Tan(float64(x))) }

// Asin returns arcsin x.
func (x Real) Asin() Real { return Real(math.Asin(float64(x))) }

// Acos returns arccos x.
func (x Real) Acos() Real { return Real(math.Acos(float64(x))) }

// Atan returns arctan x.
func (x Real) Atan() Real { return Real(math.Atan(float64(x))) }

// Sinh returns sinh x.
func (x Real) Sinh() Real { return Real(math.Sinh(float64(x))) }

// Cosh returns cosh x.
func (x Real) Cosh() Real { return Real(math.Cosh(float64(x))) }

// Tanh returns tanh x.
func (x Real) Tanh() Real { return Real(math.Tanh(float64(x))) }

// Asinh returns arsinh x.
func (x Real) Asinh() Real { return Real(math.Asinh(float64(x))) }

// Acosh returns arcosh x.
func (x Real) Acosh() Real { return Real(math.Acosh(float64(x))) }

// Atanh returns artanh x.
func (x Real) Atanh() Real { return Real(math.Atanh(float64(x))) }

// Erf returns erf x.
func (x Real) Erf() Real { return Real(math.Erf(float64(x))) }

// Erfc returns 1 − erf x.
func (x Real) Erfc() Real { return Real(math.Erfc(float64(x))) }

// Gamma returns Γ(x).
func (x Real) Gamma() Real { return Real(math.Gamma(float64(x))) }

// LogGamma returns ln |Γ(x)|.
func (x Real) LogGamma() Real { return Real(elem.LogGamma(float64(x))) }

// Logistic returns 1/(1 + e⁻ˣ).
func (x Real) Logistic() Real { return Real(elem.Logistic(float64(x))) }

// Softplus returns ln(1 + eˣ).
func (x Real) Softplus() Real { return Real(elem.Softplus(float64(x))) }

// Abs returns |x|.
func (x Real) Abs() Real { return Real(math.Abs(float64(x))) }

// Floor returns ⌊x⌋. All derivatives are 0.
func (x Real) Floor() Real { return Real(math.Floor(float64(x))) }

// Ceil returns ⌈x⌉. All derivatives are 0.
func (x Real) Ceil() Real { return Real(math.Ceil(float64(x))) }

// Round returns the integer next to x, of two the one farther from 0. All derivatives are 0.
func (x Real) Round() Real { return Real(math.Round(float64(x))) }

// Trunc returns x without its fraction. All derivatives are 0.
func (x Real) Trunc() Real { return Real(math.Trunc(float64(x))) }

// Detach returns x as a constant: the same value, all derivatives 0.
func (x Real) Detach() Real { return x }
