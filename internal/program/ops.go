package program

import "github.com/hesse-ad/hesse/internal/op"

// Op is an elementary operation, a row of the table of package op.
type Op = op.Code

// The operations. A node of a program is one of them with one or two operands
// a and b and a constant c, or with a list of operands.
const (
	Const = op.Const

	Add   = op.Add
	Sub   = op.Sub
	Mul   = op.Mul
	Prod  = op.Prod
	Div   = op.Div
	Pow   = op.Pow
	Hypot = op.Hypot
	Atan2 = op.Atan2
	Max   = op.Max
	Min   = op.Min
	Step  = op.Step

	AddReal   = op.AddReal
	RSub      = op.RSub
	Scale     = op.Scale
	DivReal   = op.DivReal
	RDiv      = op.RDiv
	PowReal   = op.PowReal
	PowInt    = op.PowInt
	Polygamma = op.Polygamma

	Neg      = op.Neg
	Inv      = op.Inv
	Square   = op.Square
	Sqrt     = op.Sqrt
	Cbrt     = op.Cbrt
	Exp      = op.Exp
	Exp2     = op.Exp2
	Expm1    = op.Expm1
	Log      = op.Log
	Log2     = op.Log2
	Log10    = op.Log10
	Log1p    = op.Log1p
	Sin      = op.Sin
	Cos      = op.Cos
	Tan      = op.Tan
	Asin     = op.Asin
	Acos     = op.Acos
	Atan     = op.Atan
	Sinh     = op.Sinh
	Cosh     = op.Cosh
	Tanh     = op.Tanh
	Asinh    = op.Asinh
	Acosh    = op.Acosh
	Atanh    = op.Atanh
	Erf      = op.Erf
	Erfc     = op.Erfc
	Gamma    = op.Gamma
	LogGamma = op.LogGamma
	Logistic = op.Logistic
	Softplus = op.Softplus
	Abs      = op.Abs
	Detach   = op.Detach
	Own      = op.Own

	Sum    = op.Sum
	Affine = op.Affine
	Dot    = op.Dot
	Select = op.Select
	Call   = op.Call

	mixed = Op(op.Count) // a batch of nodes of different operations
)
