// Code generated from the table of package op. DO NOT EDIT.

package tape

import (
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
)

// Apply is an operation on one or two operands.
func Apply[T dual.Scalar[T]](code op.Code, c float64, x, y T) T {
	switch code {
	case op.Add:
		return x.Add(y)
	case op.Sub:
		return x.Sub(y)
	case op.Mul:
		return x.Mul(y)
	case op.Prod:
		return x.Prod(y)
	case op.Div:
		return x.Div(y)
	case op.Pow:
		return x.Pow(y)
	case op.Hypot:
		return x.Hypot(y)
	case op.Atan2:
		return x.Atan2(y)
	case op.Max:
		return x.Max(y)
	case op.Min:
		return x.Min(y)
	case op.Mod:
		return x.Mod(y)
	case op.Copysign:
		return x.Copysign(y)
	case op.Step:
		return x.Step(y)
	case op.AddReal:
		return x.AddReal(c)
	case op.RSub:
		return x.RSub(c)
	case op.Scale:
		return x.Scale(c)
	case op.DivReal:
		return x.Div(x.Const(c))
	case op.RDiv:
		return x.RDiv(c)
	case op.PowReal:
		return x.PowReal(c)
	case op.PowInt:
		return x.PowInt(int(c))
	case op.Polygamma:
		return x.Polygamma(int(c))
	case op.Neg:
		return x.Neg()
	case op.Inv:
		return x.Inv()
	case op.Square:
		return x.Square()
	case op.Sqrt:
		return x.Sqrt()
	case op.Cbrt:
		return x.Cbrt()
	case op.Exp:
		return x.Exp()
	case op.Exp2:
		return x.Exp2()
	case op.Expm1:
		return x.Expm1()
	case op.Log:
		return x.Log()
	case op.Log2:
		return x.Log2()
	case op.Log10:
		return x.Log10()
	case op.Log1p:
		return x.Log1p()
	case op.Sin:
		return x.Sin()
	case op.Cos:
		return x.Cos()
	case op.Tan:
		return x.Tan()
	case op.Asin:
		return x.Asin()
	case op.Acos:
		return x.Acos()
	case op.Atan:
		return x.Atan()
	case op.Sinh:
		return x.Sinh()
	case op.Cosh:
		return x.Cosh()
	case op.Tanh:
		return x.Tanh()
	case op.Asinh:
		return x.Asinh()
	case op.Acosh:
		return x.Acosh()
	case op.Atanh:
		return x.Atanh()
	case op.Erf:
		return x.Erf()
	case op.Erfc:
		return x.Erfc()
	case op.Gamma:
		return x.Gamma()
	case op.LogGamma:
		return x.LogGamma()
	case op.Logistic:
		return x.Logistic()
	case op.Softplus:
		return x.Softplus()
	case op.Abs:
		return x.Abs()
	case op.Floor:
		return x.Floor()
	case op.Ceil:
		return x.Ceil()
	case op.Round:
		return x.Round()
	case op.Trunc:
		return x.Trunc()
	case op.Detach:
		return x.Detach()
	}
	panic("tape: no operation " + code.String())
}
