package program

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Op is an elementary operation.
type Op uint8

// The operations. A node of a program is one of them with one or two operands
// a and b and a constant c, or with a list of operands.
const (
	Const Op = iota // c

	Add // a + b
	Sub // a − b
	Mul // a·b
	Prod
	Div // a/b
	Pow
	Hypot
	Atan2
	Max
	Min
	Step

	AddReal // a + c
	RSub    // c − a
	Scale   // c·a
	DivReal // a/c
	RDiv    // c/a
	PowReal
	PowInt
	Polygamma

	Neg
	Inv
	Square
	Sqrt
	Cbrt
	Exp
	Exp2
	Expm1
	Log
	Log2
	Log10
	Log1p
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Erf
	Erfc
	Gamma
	LogGamma
	Logistic
	Softplus
	Abs
	Detach
	Own // a scalar primitive of the user

	Sum    // c + Σ xᵢ
	Affine // c + Σ wᵢxᵢ
	Dot    // Σ xᵢyᵢ
	Select // x where the condition is > 0, else y
	Call   // one output of a vector primitive

	numOps
	mixed = numOps // a batch of nodes of different operations
)

// class is what a derivative sweep needs to know of an operation.
type class uint8

const (
	constant class = iota // no derivative
	plus                  // ∂a = 1
	minus                 // ∂a = −1
	scale                 // ∂a = c
	divide                // ∂a = 1/c
	add                   // ∂a = ∂b = 1
	sub                   // ∂a = 1, ∂b = −1
	mul                   // ∂a = b, ∂b = a
	square                // ∂a = 2a
	unary                 // ∂a by table
	binary                // ∂a, ∂b by table
	nary                  // by its own code
)

// linear says of which operations all second derivatives are 0.
var linear = func() (l [numOps]bool) {
	for op := range l {
		l[op] = table[op].flags&(DAA|DBB|DAB) == 0 && op != int(Dot) && op != int(Call)
	}
	return l
}()

// Flags say which derivatives of an operation may differ from 0. They are what
// the detection of sparsity knows of it.
type Flags uint8

const (
	DA  Flags = 1 << iota // ∂a
	DB                    // ∂b
	DAA                   // ∂aa
	DBB                   // ∂bb
	DAB                   // ∂ab
)

// info is the one place where an operation's properties stand. The value v and
// the partials d, dd are functions of the operand x, of the constant c (where
// the operation has one), and of what was computed before.
type info struct {
	name  string
	class class
	args  uint8 // operands in a and b
	flags Flags

	f1 func(x float64) float64
	d1 func(x, v float64) float64
	h1 func(x, v, d float64) float64

	fc func(x, c float64) float64
	dc func(x, c, v float64) float64
	hc func(x, c, v, d float64) float64

	f2 func(x, y float64) float64
	d2 func(x, y, v float64) (dx, dy float64)
	h2 func(x, y, v, dx, dy float64) (dxx, dxy, dyy float64)
}

const (
	linear1    = DA
	nonlinear1 = DA | DAA
	linear2    = DA | DB
	nonlinear2 = DA | DB | DAA | DAB | DBB
)

func smooth(name string, f func(x float64) float64, d func(x, v float64) float64, h func(x, v, d float64) float64) info {
	return info{name: name, class: unary, args: 1, flags: nonlinear1, f1: f, d1: d, h1: h}
}

func smoothParam(name string, f func(x, c float64) float64, d func(x, c, v float64) float64, h func(x, c, v, d float64) float64) info {
	return info{name: name, class: unary, args: 1, flags: nonlinear1, fc: f, dc: d, hc: h}
}

func smooth2(name string, flags Flags, f func(x, y float64) float64, d func(x, y, v float64) (dx, dy float64), h func(x, y, v, dx, dy float64) (dxx, dxy, dyy float64)) info {
	return info{name: name, class: binary, args: 2, flags: flags, f2: f, d2: d, h2: h}
}

var table = [numOps]info{
	Const: {name: "Const"},

	Add:   {name: "Add", class: add, args: 2, flags: linear2},
	Sub:   {name: "Sub", class: sub, args: 2, flags: linear2},
	Mul:   {name: "Mul", class: mul, args: 2, flags: linear2 | DAB},
	Prod:  {name: "Prod", class: mul, args: 2, flags: linear2 | DAB},
	Div:   smooth2("Div", linear2|DAB|DBB, func(x, y float64) float64 { return x / y }, elem.DivD, elem.DivDD),
	Pow:   smooth2("Pow", nonlinear2, elem.Pow, elem.PowD, elem.PowDD),
	Hypot: smooth2("Hypot", nonlinear2, math.Hypot, elem.HypotD, elem.HypotDD),
	Atan2: smooth2("Atan2", nonlinear2, math.Atan2, elem.Atan2D, elem.Atan2DD),
	Max:   smooth2("Max", linear2, elem.Max, elem.MaxD, elem.MaxDD),
	Min:   smooth2("Min", linear2, elem.Min, elem.MinD, elem.MinDD),
	Step:  {name: "Step", args: 2, f2: elem.Step},

	AddReal: {name: "AddReal", class: plus, args: 1, flags: linear1},
	RSub:    {name: "RSub", class: minus, args: 1, flags: linear1},
	Scale:   {name: "Scale", class: scale, args: 1, flags: linear1},
	DivReal: {name: "DivReal", class: divide, args: 1, flags: linear1},
	RDiv:    smoothParam("RDiv", elem.RDiv, elem.RDivD, elem.RDivDD),
	PowReal: smoothParam("PowReal", elem.PowReal, elem.PowRealD, elem.PowRealDD),
	PowInt: smoothParam("PowInt",
		func(x, c float64) float64 { return elem.PowInt(x, int(c)) },
		func(x, c, v float64) float64 { return elem.PowIntD(x, int(c), v) },
		func(x, c, v, d float64) float64 { return elem.PowIntDD(x, int(c), v, d) }),
	Polygamma: smoothParam("Polygamma",
		func(x, c float64) float64 { return elem.Polygamma(x, int(c)) },
		func(x, c, v float64) float64 { return elem.PolygammaD(x, int(c), v) },
		func(x, c, v, d float64) float64 { return elem.PolygammaDD(x, int(c), v, d) }),

	Neg:      {name: "Neg", class: minus, args: 1, flags: linear1},
	Inv:      smooth("Inv", elem.Inv, elem.InvD, elem.InvDD),
	Square:   {name: "Square", class: square, args: 1, flags: nonlinear1},
	Sqrt:     smooth("Sqrt", elem.Sqrt, elem.SqrtD, elem.SqrtDD),
	Cbrt:     smooth("Cbrt", math.Cbrt, elem.CbrtD, elem.CbrtDD),
	Exp:      smooth("Exp", math.Exp, elem.ExpD, elem.ExpDD),
	Exp2:     smooth("Exp2", math.Exp2, elem.Exp2D, elem.Exp2DD),
	Expm1:    smooth("Expm1", math.Expm1, elem.Expm1D, elem.Expm1DD),
	Log:      smooth("Log", elem.Log, elem.LogD, elem.LogDD),
	Log2:     smooth("Log2", math.Log2, elem.Log2D, elem.Log2DD),
	Log10:    smooth("Log10", elem.Log10, elem.Log10D, elem.Log10DD),
	Log1p:    smooth("Log1p", math.Log1p, elem.Log1pD, elem.Log1pDD),
	Sin:      smooth("Sin", math.Sin, elem.SinD, elem.SinDD),
	Cos:      smooth("Cos", math.Cos, elem.CosD, elem.CosDD),
	Tan:      smooth("Tan", math.Tan, elem.TanD, elem.TanDD),
	Asin:     smooth("Asin", math.Asin, elem.AsinD, elem.AsinDD),
	Acos:     smooth("Acos", math.Acos, elem.AcosD, elem.AcosDD),
	Atan:     smooth("Atan", math.Atan, elem.AtanD, elem.AtanDD),
	Sinh:     smooth("Sinh", math.Sinh, elem.SinhD, elem.SinhDD),
	Cosh:     smooth("Cosh", math.Cosh, elem.CoshD, elem.CoshDD),
	Tanh:     smooth("Tanh", math.Tanh, elem.TanhD, elem.TanhDD),
	Asinh:    smooth("Asinh", math.Asinh, elem.AsinhD, elem.AsinhDD),
	Acosh:    smooth("Acosh", math.Acosh, elem.AcoshD, elem.AcoshDD),
	Atanh:    smooth("Atanh", math.Atanh, elem.AtanhD, elem.AtanhDD),
	Erf:      smooth("Erf", math.Erf, elem.ErfD, elem.ErfDD),
	Erfc:     smooth("Erfc", math.Erfc, elem.ErfcD, elem.ErfcDD),
	Gamma:    smooth("Gamma", math.Gamma, elem.GammaD, elem.GammaDD),
	LogGamma: smooth("LogGamma", elem.LogGamma, elem.LogGammaD, elem.LogGammaDD),
	Logistic: smooth("Logistic", elem.Logistic, elem.LogisticD, elem.LogisticDD),
	Softplus: smooth("Softplus", elem.Softplus, elem.SoftplusD, elem.SoftplusDD),
	Abs: {name: "Abs", class: unary, args: 1, flags: linear1,
		f1: math.Abs, d1: elem.AbsD, h1: elem.AbsDD},
	Detach: {name: "Detach", args: 1},
	Own:    {name: "Own", class: unary, args: 1, flags: nonlinear1},

	Sum:    {name: "Sum", class: nary},
	Affine: {name: "Affine", class: nary},
	Dot:    {name: "Dot", class: nary},
	Select: {name: "Select", class: nary},
	Call:   {name: "Call", class: nary},
}

// String is the operation's name as in dual.Scalar.
func (op Op) String() string { return table[op].name }

// Flags says which derivatives of an operation with operands a and b may
// differ from 0. Operations with a list of operands are the caller's to know.
func (op Op) Flags() Flags { return table[op].flags }
