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
func smooth(name, doc string, f func(x float64) float64, d func(x, v float64) float64, h func(x, v, d float64) float64) Info {
	return Info{Name: name, Doc: doc, Method: name, Operands: 1, Class: Unary, Flags: nonlinear1, Cost: 1, F1: f, D1: d, H1: h}
}

// step is a function of x whose derivative is 0 wherever it has one.
func step(name, doc string, f func(x float64) float64) Info {
	return Info{Name: name, Doc: doc + ". All derivatives are 0", Method: name, Operands: 1, Jumps: true, F1: f}
}

// smoothReal is a function of x with a real constant.
func smoothReal(name, doc string, f func(x, c float64) float64, d func(x, c, v float64) float64, h func(x, c, v, d float64) float64) Info {
	return Info{
		Name: name, Doc: doc, Method: name, Operands: 1, Constant: RealConstant, Class: Unary, Flags: nonlinear1, Cost: 1,
		FC: f, DC: d, HC: h,
	}
}

// smoothInt is a function of x with a whole number.
func smoothInt(name, doc string, f func(x float64, n int) float64, d func(x float64, n int, v float64) float64, h func(x float64, n int, v, d float64) float64) Info {
	return Info{
		Name: name, Doc: doc, Method: name, Operands: 1, Constant: IntConstant, Class: Unary, Flags: nonlinear1, Cost: 1,
		FC:      func(x, c float64) float64 { return f(x, int(c)) },
		DC:      func(x, c, v float64) float64 { return d(x, int(c), v) },
		HC:      func(x, c, v, dx float64) float64 { return h(x, int(c), v, dx) },
		Kernels: [3]any{f, d, h},
	}
}

// binary is a function of x and y.
func binary(name, doc string, flags Flags, cost int, f func(x, y float64) float64, d func(x, y, v float64) (dx, dy float64), h func(x, y, v, dx, dy float64) (dxx, dxy, dyy float64)) Info {
	return Info{Name: name, Doc: doc, Method: name, Operands: 2, Class: Binary, Flags: flags, Cost: cost, F2: f, D2: d, H2: h}
}

// with is r with some of its cells changed.
func (r Info) with(change func(r *Info)) Info {
	change(&r)
	return r
}

func even(r *Info)  { r.Even = true }
func jumps(r *Info) { r.Jumps = true }
func plain(r *Info) { r.Cost = 0 }

var table = [Count]Info{
	Const: {Name: "Const", Doc: "the constant c", Source: "c", Constant: RealConstant},

	Add:      {Name: "Add", Doc: "x + y", Method: "Add", Source: "x + y", Operands: 2, Class: OneOne, Flags: linear2, Commutes: true},
	Sub:      {Name: "Sub", Doc: "x − y", Method: "Sub", Source: "x - y", Operands: 2, Class: OneMinusOne, Flags: linear2},
	Mul:      {Name: "Mul", Doc: "x·y", Method: "Mul", Source: "x * y", Operands: 2, Class: Factors, Flags: linear2 | DXY, Commutes: true},
	Prod:     {Name: "Prod", Doc: "the derivative product: x·y, but 0 where either factor is exactly 0", Method: "Prod", Operands: 2, Class: Factors, Flags: linear2 | DXY, Commutes: true, F2: elem.Prod},
	Div:      binary("Div", "x/y", linear2|DXY|DYY, 0, elem.Div, elem.DivD, elem.DivDD).with(func(r *Info) { r.Source = "x / y" }),
	Pow:      binary("Pow", "x^y", nonlinear2, 1, elem.Pow, elem.PowD, elem.PowDD),
	Hypot:    binary("Hypot", "√(x² + y²)", nonlinear2, 1, math.Hypot, elem.HypotD, elem.HypotDD),
	Atan2:    binary("Atan2", "the angle of the point (y, x), x being its second coordinate", nonlinear2, 1, math.Atan2, elem.Atan2D, elem.Atan2DD),
	Max:      binary("Max", "the larger of x and y, at a tie x", linear2, 0, elem.Max, elem.MaxD, elem.MaxDD),
	Min:      binary("Min", "the smaller of x and y, at a tie x", linear2, 0, elem.Min, elem.MinD, elem.MinDD),
	Mod:      binary("Mod", "x − y·trunc(x/y), which has the sign of x", linear2, 1, math.Mod, elem.ModD, elem.ModDD).with(jumps),
	Copysign: binary("Copysign", "|x| with the sign of y, NaN where y is", DX, 0, elem.Copysign, elem.CopysignD, elem.CopysignDD).with(jumps),
	Step:     {Name: "Step", Doc: "1 where x < y, else 0; NaN where either is NaN", Method: "Step", Operands: 2, Jumps: true, F2: elem.Step},

	AddReal:   {Name: "AddReal", Doc: "x + c", Method: "AddReal", Source: "x + c", Operands: 1, Constant: RealConstant, Full: Add, Class: One, Flags: linear1},
	RSub:      {Name: "RSub", Doc: "c − x", Method: "RSub", Source: "c - x", Operands: 1, Constant: RealConstant, Full: Sub, First: true, Class: MinusOne, Flags: linear1},
	Scale:     {Name: "Scale", Doc: "c·x", Method: "Scale", Source: "c * x", Operands: 1, Constant: RealConstant, Full: Mul, Class: ByConstant, Flags: linear1},
	DivReal:   {Name: "DivReal", Doc: "x/c", Source: "x / c", Operands: 1, Constant: RealConstant, Full: Div, Class: OverConstant, Flags: linear1},
	RDiv:      smoothReal("RDiv", "c/x", elem.RDiv, elem.RDivD, elem.RDivDD).with(func(r *Info) { r.Source, r.Cost, r.Full, r.First = "c / x", 0, Div, true }),
	PowReal:   smoothReal("PowReal", "x^c", elem.PowReal, elem.PowRealD, elem.PowRealDD).with(func(r *Info) { r.Full = Pow }),
	PowInt:    smoothInt("PowInt", "x^n", elem.PowInt, elem.PowIntD, elem.PowIntDD),
	Polygamma: smoothInt("Polygamma", "ψ⁽ⁿ⁾(x), n ≥ 0. It panics for n < 0", elem.Polygamma, elem.PolygammaD, elem.PolygammaDD),

	Neg:      {Name: "Neg", Doc: "−x", Method: "Neg", Source: "-x", Operands: 1, Class: MinusOne, Flags: linear1},
	Inv:      smooth("Inv", "1/x", elem.Inv, elem.InvD, elem.InvDD).with(func(r *Info) { r.Source, r.Cost = "1 / x", 0 }),
	Square:   {Name: "Square", Doc: "x²", Method: "Square", Source: "x * x", Operands: 1, Class: Twice, Flags: nonlinear1, Even: true},
	Sqrt:     smooth("Sqrt", "√x", elem.Sqrt, elem.SqrtD, elem.SqrtDD).with(plain),
	Cbrt:     smooth("Cbrt", "∛x", math.Cbrt, elem.CbrtD, elem.CbrtDD),
	Exp:      smooth("Exp", "eˣ", math.Exp, elem.ExpD, elem.ExpDD),
	Exp2:     smooth("Exp2", "2ˣ", math.Exp2, elem.Exp2D, elem.Exp2DD),
	Expm1:    smooth("Expm1", "eˣ − 1", math.Expm1, elem.Expm1D, elem.Expm1DD),
	Log:      smooth("Log", "ln x", elem.Log, elem.LogD, elem.LogDD),
	Log2:     smooth("Log2", "log₂ x", math.Log2, elem.Log2D, elem.Log2DD),
	Log10:    smooth("Log10", "log₁₀ x", elem.Log10, elem.Log10D, elem.Log10DD),
	Log1p:    smooth("Log1p", "ln(1 + x)", math.Log1p, elem.Log1pD, elem.Log1pDD),
	Sin:      smooth("Sin", "sin x", math.Sin, elem.SinD, elem.SinDD),
	Cos:      smooth("Cos", "cos x", math.Cos, elem.CosD, elem.CosDD).with(even),
	Tan:      smooth("Tan", "tan x", math.Tan, elem.TanD, elem.TanDD),
	Asin:     smooth("Asin", "arcsin x", math.Asin, elem.AsinD, elem.AsinDD),
	Acos:     smooth("Acos", "arccos x", math.Acos, elem.AcosD, elem.AcosDD),
	Atan:     smooth("Atan", "arctan x", math.Atan, elem.AtanD, elem.AtanDD),
	Sinh:     smooth("Sinh", "sinh x", math.Sinh, elem.SinhD, elem.SinhDD),
	Cosh:     smooth("Cosh", "cosh x", math.Cosh, elem.CoshD, elem.CoshDD).with(even),
	Tanh:     smooth("Tanh", "tanh x", math.Tanh, elem.TanhD, elem.TanhDD),
	Asinh:    smooth("Asinh", "arsinh x", math.Asinh, elem.AsinhD, elem.AsinhDD),
	Acosh:    smooth("Acosh", "arcosh x", math.Acosh, elem.AcoshD, elem.AcoshDD),
	Atanh:    smooth("Atanh", "artanh x", math.Atanh, elem.AtanhD, elem.AtanhDD),
	Erf:      smooth("Erf", "erf x", math.Erf, elem.ErfD, elem.ErfDD),
	Erfc:     smooth("Erfc", "1 − erf x", math.Erfc, elem.ErfcD, elem.ErfcDD),
	Gamma:    smooth("Gamma", "Γ(x)", math.Gamma, elem.GammaD, elem.GammaDD),
	LogGamma: smooth("LogGamma", "ln |Γ(x)|", elem.LogGamma, elem.LogGammaD, elem.LogGammaDD),
	Logistic: smooth("Logistic", "1/(1 + e⁻ˣ)", elem.Logistic, elem.LogisticD, elem.LogisticDD),
	Softplus: smooth("Softplus", "ln(1 + eˣ)", elem.Softplus, elem.SoftplusD, elem.SoftplusDD),
	Abs: {
		Name: "Abs", Doc: "|x|", Method: "Abs", Operands: 1, Class: Unary, Flags: linear1, Even: true,
		F1: math.Abs, D1: elem.AbsD, H1: elem.AbsDD,
	},
	Floor:  step("Floor", "⌊x⌋", math.Floor),
	Ceil:   step("Ceil", "⌈x⌉", math.Ceil),
	Round:  step("Round", "the integer next to x, of two the one farther from 0", math.Round),
	Trunc:  step("Trunc", "x without its fraction", math.Trunc),
	Detach: {Name: "Detach", Doc: "x as a constant: the same value, all derivatives 0", Method: "Detach", Source: "x", Operands: 1, Jumps: true},
	Own:    {Name: "Own", Operands: 1, Class: Unary, Flags: nonlinear1, Cost: 1},

	FMA: {
		Name: "FMA", Doc: "x·y + z, rounded once", Method: "FMA", Class: List, Flags: DX | DY | DXY, FN: elem.FMA, Listed: 3, Moving: 3, Pairs: [][2]int{{0, 1}},
	},
	IncGamma: {
		Name: "IncGamma", Method: "IncGamma", Class: List, Flags: nonlinear2, Cost: 60, Listed: 2, Moving: 2, Pairs: [][2]int{{0, 0}, {0, 1}, {1, 1}},
		FN: func(x [3]float64, order [3]int) float64 { return elem.RegIncGamma(x[0], x[1], order[0], order[1]) },
	},
	IncBeta: {
		Name: "IncBeta", Method: "IncBeta", Class: List, Flags: nonlinear2, Cost: 80, Listed: 3, Moving: 3, Pairs: [][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}},
		FN: func(x [3]float64, order [3]int) float64 {
			return elem.RegIncBeta(x[0], x[1], x[2], order[0], order[1], order[2])
		},
	},
	Sum:    {Name: "Sum", Method: "SumOf", Class: List, Sums: true, Flags: linear1},
	Affine: {Name: "Affine", Method: "AffineOf", Class: List, Sums: true, Flags: linear1},
	Dot:    {Name: "Dot", Method: "DotOf", Class: List, Sums: true, Flags: linear1 | DXY},
	Select: { // of the operands a, b, x
		Name: "Select", Doc: "a where x > 0, NaN where x is NaN, else b. It is no guard", Method: "Select", Class: List, Flags: linear1,
		FN: elem.SelectPartial, Listed: 3, Moving: 2,
	},
	Call: {Name: "Call", Class: List, Flags: nonlinear2},
}
