// Code generated from the table of package op. DO NOT EDIT.

package program

import "github.com/hesse-ad/hesse/dual"
import "github.com/hesse-ad/hesse/internal/op"

// The operations. A node of a program is one of them with one or two operands
// a and b and a constant c, or with a list of operands.
const (
	Const     = op.Const     // the constant c
	Add       = op.Add       // x + y
	Sub       = op.Sub       // x − y
	Mul       = op.Mul       // x·y
	Prod      = op.Prod      // the derivative product: x·y, but 0 where either factor is exactly 0
	Div       = op.Div       // x/y
	Pow       = op.Pow       // x^y
	Hypot     = op.Hypot     // √(x² + y²)
	Atan2     = op.Atan2     // the angle of the point (y, x), x being its second coordinate
	Max       = op.Max       // the larger of x and y, at a tie x
	Min       = op.Min       // the smaller of x and y, at a tie x
	Mod       = op.Mod       // x − y·trunc(x/y), which has the sign of x
	Copysign  = op.Copysign  // |x| with the sign of y, NaN where y is
	Step      = op.Step      // 1 where x < y, else 0; NaN where either is NaN
	AddReal   = op.AddReal   // x + c
	RSub      = op.RSub      // c − x
	Scale     = op.Scale     // c·x
	DivReal   = op.DivReal   // x/c
	RDiv      = op.RDiv      // c/x
	PowReal   = op.PowReal   // x^c
	PowInt    = op.PowInt    // x^n
	Polygamma = op.Polygamma // ψ⁽ⁿ⁾(x), n ≥ 0. It panics for n < 0
	Neg       = op.Neg       // −x
	Inv       = op.Inv       // 1/x
	Square    = op.Square    // x²
	Sqrt      = op.Sqrt      // √x
	Cbrt      = op.Cbrt      // ∛x
	Exp       = op.Exp       // eˣ
	Exp2      = op.Exp2      // 2ˣ
	Expm1     = op.Expm1     // eˣ − 1
	Log       = op.Log       // ln x
	Log2      = op.Log2      // log₂ x
	Log10     = op.Log10     // log₁₀ x
	Log1p     = op.Log1p     // ln(1 + x)
	Sin       = op.Sin       // sin x
	Cos       = op.Cos       // cos x
	Tan       = op.Tan       // tan x
	Asin      = op.Asin      // arcsin x
	Acos      = op.Acos      // arccos x
	Atan      = op.Atan      // arctan x
	Sinh      = op.Sinh      // sinh x
	Cosh      = op.Cosh      // cosh x
	Tanh      = op.Tanh      // tanh x
	Asinh     = op.Asinh     // arsinh x
	Acosh     = op.Acosh     // arcosh x
	Atanh     = op.Atanh     // artanh x
	Erf       = op.Erf       // erf x
	Erfc      = op.Erfc      // 1 − erf x
	Gamma     = op.Gamma     // Γ(x)
	LogGamma  = op.LogGamma  // ln |Γ(x)|
	Logistic  = op.Logistic  // 1/(1 + e⁻ˣ)
	Softplus  = op.Softplus  // ln(1 + eˣ)
	Abs       = op.Abs       // |x|
	Floor     = op.Floor     // ⌊x⌋. All derivatives are 0
	Ceil      = op.Ceil      // ⌈x⌉. All derivatives are 0
	Round     = op.Round     // the integer next to x, of two the one farther from 0. All derivatives are 0
	Trunc     = op.Trunc     // x without its fraction. All derivatives are 0
	Detach    = op.Detach    // x as a constant: the same value, all derivatives 0
	Own       = op.Own
	FMA       = op.FMA // x·y + z, rounded once
	IncGamma  = op.IncGamma
	IncBeta   = op.IncBeta
	Sum       = op.Sum
	Affine    = op.Affine
	Dot       = op.Dot
	Select    = op.Select // a where x > 0, NaN where x is NaN, else b. It is no guard
	Call      = op.Call
)

// Apply is an operation on one or two operands.
func Apply[T dual.Scalar[T]](code Op, c float64, x, y T) T {
	switch code {
	case Add:
		return x.Add(y)
	case Sub:
		return x.Sub(y)
	case Mul:
		return x.Mul(y)
	case Prod:
		return x.Prod(y)
	case Div:
		return x.Div(y)
	case Pow:
		return x.Pow(y)
	case Hypot:
		return x.Hypot(y)
	case Atan2:
		return x.Atan2(y)
	case Max:
		return x.Max(y)
	case Min:
		return x.Min(y)
	case Mod:
		return x.Mod(y)
	case Copysign:
		return x.Copysign(y)
	case Step:
		return x.Step(y)
	case AddReal:
		return x.AddReal(c)
	case RSub:
		return x.RSub(c)
	case Scale:
		return x.Scale(c)
	case DivReal:
		return x.Div(x.Const(c))
	case RDiv:
		return x.RDiv(c)
	case PowReal:
		return x.PowReal(c)
	case PowInt:
		return x.PowInt(int(c))
	case Polygamma:
		return x.Polygamma(int(c))
	case Neg:
		return x.Neg()
	case Inv:
		return x.Inv()
	case Square:
		return x.Square()
	case Sqrt:
		return x.Sqrt()
	case Cbrt:
		return x.Cbrt()
	case Exp:
		return x.Exp()
	case Exp2:
		return x.Exp2()
	case Expm1:
		return x.Expm1()
	case Log:
		return x.Log()
	case Log2:
		return x.Log2()
	case Log10:
		return x.Log10()
	case Log1p:
		return x.Log1p()
	case Sin:
		return x.Sin()
	case Cos:
		return x.Cos()
	case Tan:
		return x.Tan()
	case Asin:
		return x.Asin()
	case Acos:
		return x.Acos()
	case Atan:
		return x.Atan()
	case Sinh:
		return x.Sinh()
	case Cosh:
		return x.Cosh()
	case Tanh:
		return x.Tanh()
	case Asinh:
		return x.Asinh()
	case Acosh:
		return x.Acosh()
	case Atanh:
		return x.Atanh()
	case Erf:
		return x.Erf()
	case Erfc:
		return x.Erfc()
	case Gamma:
		return x.Gamma()
	case LogGamma:
		return x.LogGamma()
	case Logistic:
		return x.Logistic()
	case Softplus:
		return x.Softplus()
	case Abs:
		return x.Abs()
	case Floor:
		return x.Floor()
	case Ceil:
		return x.Ceil()
	case Round:
		return x.Round()
	case Trunc:
		return x.Trunc()
	case Detach:
		return x.Detach()
	}
	panic("program: no operation " + code.String())
}
