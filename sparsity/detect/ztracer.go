// Code generated from the table of package op. DO NOT EDIT.

package detect

// Add is x + y.
func (x Tracer) Add(y Tracer) Tracer { return x.both(y) }

// Sub is x − y.
func (x Tracer) Sub(y Tracer) Tracer { return x.both(y) }

// Mul is x·y.
func (x Tracer) Mul(y Tracer) Tracer { return x.product(y) }

// Prod is the derivative product: x·y, but 0 where either factor is exactly 0.
func (x Tracer) Prod(y Tracer) Tracer { return x.product(y) }

// Div is x/y.
func (x Tracer) Div(y Tracer) Tracer { return x.quotient(y) }

// Pow is x^y.
func (x Tracer) Pow(y Tracer) Tracer { return x.general(y) }

// Hypot is √(x² + y²).
func (x Tracer) Hypot(y Tracer) Tracer { return x.general(y) }

// Atan2 is the angle of the point (y, x), x being its second coordinate.
func (x Tracer) Atan2(y Tracer) Tracer { return x.general(y) }

// Max is the larger of x and y, at a tie x.
func (x Tracer) Max(y Tracer) Tracer { return x.both(y) }

// Min is the smaller of x and y, at a tie x.
func (x Tracer) Min(y Tracer) Tracer { return x.both(y) }

// Mod is x − y·trunc(x/y), which has the sign of x.
func (x Tracer) Mod(y Tracer) Tracer { return x.both(y) }

// Copysign is |x| with the sign of y, NaN where y is.
func (x Tracer) Copysign(y Tracer) Tracer { return x }

// Step is 1 where x < y, else 0; NaN where either is NaN.
func (x Tracer) Step(y Tracer) Tracer { return Tracer{} }

// AddReal is x + c.
func (x Tracer) AddReal(c float64) Tracer { return x }

// RSub is c − x.
func (x Tracer) RSub(c float64) Tracer { return x }

// Scale is c·x.
func (x Tracer) Scale(c float64) Tracer { return x }

// RDiv is c/x.
func (x Tracer) RDiv(c float64) Tracer { return x.nonlinear() }

// Neg is −x.
func (x Tracer) Neg() Tracer { return x }

// Inv is 1/x.
func (x Tracer) Inv() Tracer { return x.nonlinear() }

// Square is x².
func (x Tracer) Square() Tracer { return x.nonlinear() }

// Sqrt is √x.
func (x Tracer) Sqrt() Tracer { return x.nonlinear() }

// Cbrt is ∛x.
func (x Tracer) Cbrt() Tracer { return x.nonlinear() }

// Exp is eˣ.
func (x Tracer) Exp() Tracer { return x.nonlinear() }

// Exp2 is 2ˣ.
func (x Tracer) Exp2() Tracer { return x.nonlinear() }

// Expm1 is eˣ − 1.
func (x Tracer) Expm1() Tracer { return x.nonlinear() }

// Log is ln x.
func (x Tracer) Log() Tracer { return x.nonlinear() }

// Log2 is log₂ x.
func (x Tracer) Log2() Tracer { return x.nonlinear() }

// Log10 is log₁₀ x.
func (x Tracer) Log10() Tracer { return x.nonlinear() }

// Log1p is ln(1 + x).
func (x Tracer) Log1p() Tracer { return x.nonlinear() }

// Sin is sin x.
func (x Tracer) Sin() Tracer { return x.nonlinear() }

// Cos is cos x.
func (x Tracer) Cos() Tracer { return x.nonlinear() }

// Tan is tan x.
func (x Tracer) Tan() Tracer { return x.nonlinear() }

// Asin is arcsin x.
func (x Tracer) Asin() Tracer { return x.nonlinear() }

// Acos is arccos x.
func (x Tracer) Acos() Tracer { return x.nonlinear() }

// Atan is arctan x.
func (x Tracer) Atan() Tracer { return x.nonlinear() }

// Sinh is sinh x.
func (x Tracer) Sinh() Tracer { return x.nonlinear() }

// Cosh is cosh x.
func (x Tracer) Cosh() Tracer { return x.nonlinear() }

// Tanh is tanh x.
func (x Tracer) Tanh() Tracer { return x.nonlinear() }

// Asinh is arsinh x.
func (x Tracer) Asinh() Tracer { return x.nonlinear() }

// Acosh is arcosh x.
func (x Tracer) Acosh() Tracer { return x.nonlinear() }

// Atanh is artanh x.
func (x Tracer) Atanh() Tracer { return x.nonlinear() }

// Erf is erf x.
func (x Tracer) Erf() Tracer { return x.nonlinear() }

// Erfc is 1 − erf x.
func (x Tracer) Erfc() Tracer { return x.nonlinear() }

// Gamma is Γ(x).
func (x Tracer) Gamma() Tracer { return x.nonlinear() }

// LogGamma is ln |Γ(x)|.
func (x Tracer) LogGamma() Tracer { return x.nonlinear() }

// Logistic is 1/(1 + e⁻ˣ).
func (x Tracer) Logistic() Tracer { return x.nonlinear() }

// Softplus is ln(1 + eˣ).
func (x Tracer) Softplus() Tracer { return x.nonlinear() }

// Abs is |x|.
func (x Tracer) Abs() Tracer { return x }

// Floor is ⌊x⌋. All derivatives are 0.
func (x Tracer) Floor() Tracer { return Tracer{} }

// Ceil is ⌈x⌉. All derivatives are 0.
func (x Tracer) Ceil() Tracer { return Tracer{} }

// Round is the integer next to x, of two the one farther from 0. All derivatives are 0.
func (x Tracer) Round() Tracer { return Tracer{} }

// Trunc is x without its fraction. All derivatives are 0.
func (x Tracer) Trunc() Tracer { return Tracer{} }
