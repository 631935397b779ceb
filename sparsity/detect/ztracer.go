// Code generated from the table of package op. DO NOT EDIT.

package detect

// Add returns x + y.
func (x Tracer) Add(y Tracer) Tracer { return x.both(y) }

// Sub returns x − y.
func (x Tracer) Sub(y Tracer) Tracer { return x.both(y) }

// Mul returns x·y.
func (x Tracer) Mul(y Tracer) Tracer { return x.product(y) }

// Prod returns the derivative product: x·y, but 0 where either factor is exactly 0.
func (x Tracer) Prod(y Tracer) Tracer { return x.product(y) }

// Div returns x/y.
func (x Tracer) Div(y Tracer) Tracer { return x.quotient(y) }

// Pow returns x^y.
func (x Tracer) Pow(y Tracer) Tracer { return x.general(y) }

// Hypot returns √(x² + y²).
func (x Tracer) Hypot(y Tracer) Tracer { return x.general(y) }

// Atan2 returns the angle of the point (y, x), x being its second coordinate.
func (x Tracer) Atan2(y Tracer) Tracer { return x.general(y) }

// Max returns the larger of x and y, at a tie x.
func (x Tracer) Max(y Tracer) Tracer { return x.both(y) }

// Min returns the smaller of x and y, at a tie x.
func (x Tracer) Min(y Tracer) Tracer { return x.both(y) }

// Mod returns x − y·trunc(x/y), which has the sign of x.
func (x Tracer) Mod(y Tracer) Tracer { return x.both(y) }

// Copysign returns |x| with the sign of y, NaN where y is.
func (x Tracer) Copysign(y Tracer) Tracer { return x }

// Step returns 1 where x < y, else 0; NaN where either is NaN.
func (x Tracer) Step(y Tracer) Tracer { return Tracer{} }

// AddReal returns x + c.
func (x Tracer) AddReal(c float64) Tracer { return x }

// RSub returns c − x.
func (x Tracer) RSub(c float64) Tracer { return x }

// Scale returns c·x.
func (x Tracer) Scale(c float64) Tracer { return x }

// RDiv returns c/x.
func (x Tracer) RDiv(c float64) Tracer { return x.nonlinear() }

// Neg returns −x.
func (x Tracer) Neg() Tracer { return x }

// Inv returns 1/x.
func (x Tracer) Inv() Tracer { return x.nonlinear() }

// Square returns x².
func (x Tracer) Square() Tracer { return x.nonlinear() }

// Sqrt returns √x.
func (x Tracer) Sqrt() Tracer { return x.nonlinear() }

// Cbrt returns ∛x.
func (x Tracer) Cbrt() Tracer { return x.nonlinear() }

// Exp returns eˣ.
func (x Tracer) Exp() Tracer { return x.nonlinear() }

// Exp2 returns 2ˣ.
func (x Tracer) Exp2() Tracer { return x.nonlinear() }

// Expm1 returns eˣ − 1.
func (x Tracer) Expm1() Tracer { return x.nonlinear() }

// Log returns ln x.
func (x Tracer) Log() Tracer { return x.nonlinear() }

// Log2 returns log₂ x.
func (x Tracer) Log2() Tracer { return x.nonlinear() }

// Log10 returns log₁₀ x.
func (x Tracer) Log10() Tracer { return x.nonlinear() }

// Log1p returns ln(1 + x).
func (x Tracer) Log1p() Tracer { return x.nonlinear() }

// Sin returns sin x.
func (x Tracer) Sin() Tracer { return x.nonlinear() }

// Cos returns cos x.
func (x Tracer) Cos() Tracer { return x.nonlinear() }

// Tan returns tan x.
func (x Tracer) Tan() Tracer { return x.nonlinear() }

// Asin returns arcsin x.
func (x Tracer) Asin() Tracer { return x.nonlinear() }

// Acos returns arccos x.
func (x Tracer) Acos() Tracer { return x.nonlinear() }

// Atan returns arctan x.
func (x Tracer) Atan() Tracer { return x.nonlinear() }

// Sinh returns sinh x.
func (x Tracer) Sinh() Tracer { return x.nonlinear() }

// Cosh returns cosh x.
func (x Tracer) Cosh() Tracer { return x.nonlinear() }

// Tanh returns tanh x.
func (x Tracer) Tanh() Tracer { return x.nonlinear() }

// Asinh returns arsinh x.
func (x Tracer) Asinh() Tracer { return x.nonlinear() }

// Acosh returns arcosh x.
func (x Tracer) Acosh() Tracer { return x.nonlinear() }

// Atanh returns artanh x.
func (x Tracer) Atanh() Tracer { return x.nonlinear() }

// Erf returns erf x.
func (x Tracer) Erf() Tracer { return x.nonlinear() }

// Erfc returns 1 − erf x.
func (x Tracer) Erfc() Tracer { return x.nonlinear() }

// Gamma returns Γ(x).
func (x Tracer) Gamma() Tracer { return x.nonlinear() }

// LogGamma returns ln |Γ(x)|.
func (x Tracer) LogGamma() Tracer { return x.nonlinear() }

// Logistic returns 1/(1 + e⁻ˣ).
func (x Tracer) Logistic() Tracer { return x.nonlinear() }

// Softplus returns ln(1 + eˣ).
func (x Tracer) Softplus() Tracer { return x.nonlinear() }

// Abs returns |x|.
func (x Tracer) Abs() Tracer { return x }

// Floor returns ⌊x⌋. All derivatives are 0.
func (x Tracer) Floor() Tracer { return Tracer{} }

// Ceil returns ⌈x⌉. All derivatives are 0.
func (x Tracer) Ceil() Tracer { return Tracer{} }

// Round returns the integer next to x, of two the one farther from 0. All derivatives are 0.
func (x Tracer) Round() Tracer { return Tracer{} }

// Trunc returns x without its fraction. All derivatives are 0.
func (x Tracer) Trunc() Tracer { return Tracer{} }
