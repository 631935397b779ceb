package op

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

const (
	linear1    = DX
	nonlinear1 = DX | DXX
	linear2    = DX | DY
	nonlinear2 = DX | DY | DXX | DYY | DXY
)

// smooth is a function of x that takes the time of a call.
func smooth(name string, f func(x float64) float64, d func(x, v float64) float64, h func(x, v, d float64) float64) Info {
	return Info{Name: name, Method: name, Operands: 1, Class: Unary, Flags: nonlinear1, Cost: 1, F1: f, D1: d, H1: h}
}

// smoothReal is a function of x with a real constant.
func smoothReal(name string, f func(x, c float64) float64, d func(x, c, v float64) float64, h func(x, c, v, d float64) float64) Info {
	return Info{
		Name: name, Method: name, Operands: 1, Constant: RealConstant, Class: Unary, Flags: nonlinear1, Cost: 1,
		FC: f, DC: d, HC: h,
	}
}

// smoothInt is a function of x with a whole number.
func smoothInt(name string, f func(x float64, n int) float64, d func(x float64, n int, v float64) float64, h func(x float64, n int, v, d float64) float64) Info {
	return Info{
		Name: name, Method: name, Operands: 1, Constant: IntConstant, Class: Unary, Flags: nonlinear1, Cost: 1,
		FC:      func(x, c float64) float64 { return f(x, int(c)) },
		DC:      func(x, c, v float64) float64 { return d(x, int(c), v) },
		HC:      func(x, c, v, dx float64) float64 { return h(x, int(c), v, dx) },
		Kernels: [3]any{f, d, h},
	}
}

// binary is a function of x and y.
func binary(name string, flags Flags, cost int, f func(x, y float64) float64, d func(x, y, v float64) (dx, dy float64), h func(x, y, v, dx, dy float64) (dxx, dxy, dyy float64)) Info {
	return Info{Name: name, Method: name, Operands: 2, Class: Binary, Flags: flags, Cost: cost, F2: f, D2: d, H2: h}
}

// with is r with some of its cells changed.
func (r Info) with(change func(r *Info)) Info {
	change(&r)
	return r
}

func even(r *Info)     { r.Even = true }
func commutes(r *Info) { r.Commutes = true }
func plain(r *Info)    { r.Cost = 0 }

var table = [Count]Info{
	Const: {Name: "Const", Source: "c", Constant: RealConstant},

	Add:   {Name: "Add", Method: "Add", Source: "x + y", Operands: 2, Class: OneOne, Flags: linear2, Commutes: true},
	Sub:   {Name: "Sub", Method: "Sub", Source: "x - y", Operands: 2, Class: OneMinusOne, Flags: linear2},
	Mul:   {Name: "Mul", Method: "Mul", Source: "x * y", Operands: 2, Class: Factors, Flags: linear2 | DXY, Commutes: true},
	Prod:  {Name: "Prod", Method: "Prod", Operands: 2, Class: Factors, Flags: linear2 | DXY, Commutes: true, F2: elem.Prod},
	Div:   binary("Div", linear2|DXY|DYY, 0, elem.Div, elem.DivD, elem.DivDD).with(func(r *Info) { r.Source = "x / y" }),
	Pow:   binary("Pow", nonlinear2, 1, elem.Pow, elem.PowD, elem.PowDD),
	Hypot: binary("Hypot", nonlinear2, 1, math.Hypot, elem.HypotD, elem.HypotDD),
	Atan2: binary("Atan2", nonlinear2, 1, math.Atan2, elem.Atan2D, elem.Atan2DD),
	Max:   binary("Max", linear2, 0, elem.Max, elem.MaxD, elem.MaxDD),
	Min:   binary("Min", linear2, 0, elem.Min, elem.MinD, elem.MinDD),
	Step:  {Name: "Step", Method: "Step", Operands: 2, F2: elem.Step},

	AddReal:   {Name: "AddReal", Method: "AddReal", Source: "x + c", Operands: 1, Constant: RealConstant, Full: Add, Class: One, Flags: linear1},
	RSub:      {Name: "RSub", Method: "RSub", Source: "c - x", Operands: 1, Constant: RealConstant, Full: Sub, First: true, Class: MinusOne, Flags: linear1},
	Scale:     {Name: "Scale", Method: "Scale", Source: "c * x", Operands: 1, Constant: RealConstant, Full: Mul, Class: ByConstant, Flags: linear1},
	DivReal:   {Name: "DivReal", Source: "x / c", Operands: 1, Constant: RealConstant, Full: Div, Class: OverConstant, Flags: linear1},
	RDiv:      smoothReal("RDiv", elem.RDiv, elem.RDivD, elem.RDivDD).with(func(r *Info) { r.Source, r.Cost, r.Full, r.First = "c / x", 0, Div, true }),
	PowReal:   smoothReal("PowReal", elem.PowReal, elem.PowRealD, elem.PowRealDD).with(func(r *Info) { r.Full = Pow }),
	PowInt:    smoothInt("PowInt", elem.PowInt, elem.PowIntD, elem.PowIntDD),
	Polygamma: smoothInt("Polygamma", elem.Polygamma, elem.PolygammaD, elem.PolygammaDD),

	Neg:      {Name: "Neg", Method: "Neg", Source: "-x", Operands: 1, Class: MinusOne, Flags: linear1},
	Inv:      smooth("Inv", elem.Inv, elem.InvD, elem.InvDD).with(func(r *Info) { r.Source, r.Cost = "1 / x", 0 }),
	Square:   {Name: "Square", Method: "Square", Source: "x * x", Operands: 1, Class: Twice, Flags: nonlinear1, Even: true},
	Sqrt:     smooth("Sqrt", elem.Sqrt, elem.SqrtD, elem.SqrtDD).with(plain),
	Cbrt:     smooth("Cbrt", math.Cbrt, elem.CbrtD, elem.CbrtDD),
	Exp:      smooth("Exp", math.Exp, elem.ExpD, elem.ExpDD),
	Exp2:     smooth("Exp2", math.Exp2, elem.Exp2D, elem.Exp2DD),
	Expm1:    smooth("Expm1", math.Expm1, elem.Expm1D, elem.Expm1DD),
	Log:      smooth("Log", elem.Log, elem.LogD, elem.LogDD),
	Log2:     smooth("Log2", math.Log2, elem.Log2D, elem.Log2DD),
	Log10:    smooth("Log10", elem.Log10, elem.Log10D, elem.Log10DD),
	Log1p:    smooth("Log1p", math.Log1p, elem.Log1pD, elem.Log1pDD),
	Sin:      smooth("Sin", math.Sin, elem.SinD, elem.SinDD),
	Cos:      smooth("Cos", math.Cos, elem.CosD, elem.CosDD).with(even),
	Tan:      smooth("Tan", math.Tan, elem.TanD, elem.TanDD),
	Asin:     smooth("Asin", math.Asin, elem.AsinD, elem.AsinDD),
	Acos:     smooth("Acos", math.Acos, elem.AcosD, elem.AcosDD),
	Atan:     smooth("Atan", math.Atan, elem.AtanD, elem.AtanDD),
	Sinh:     smooth("Sinh", math.Sinh, elem.SinhD, elem.SinhDD),
	Cosh:     smooth("Cosh", math.Cosh, elem.CoshD, elem.CoshDD).with(even),
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
	Abs: {
		Name: "Abs", Method: "Abs", Operands: 1, Class: Unary, Flags: linear1, Even: true,
		F1: math.Abs, D1: elem.AbsD, H1: elem.AbsDD,
	},
	Detach: {Name: "Detach", Method: "Detach", Source: "x", Operands: 1},
	Own:    {Name: "Own", Operands: 1, Class: Unary, Flags: nonlinear1, Cost: 1},

	Sum:    {Name: "Sum", Method: "SumOf", Class: List, Flags: linear1},
	Affine: {Name: "Affine", Method: "AffineOf", Class: List, Flags: linear1},
	Dot:    {Name: "Dot", Method: "DotOf", Class: List, Flags: linear1 | DXY},
	Select: {Name: "Select", Method: "Select", Class: List, Flags: linear1},
	Call:   {Name: "Call", Class: List, Flags: nonlinear2},
}
