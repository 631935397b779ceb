// Code generated from the table of package op. DO NOT EDIT.

package terms

import "github.com/hesse-ad/hesse/internal/op"

func (x symbol) Hypot(y symbol) symbol { return x.binary(op.Hypot, y) }

func (x symbol) Atan2(y symbol) symbol { return x.binary(op.Atan2, y) }

func (x symbol) Max(y symbol) symbol { return x.binary(op.Max, y) }

func (x symbol) Min(y symbol) symbol { return x.binary(op.Min, y) }

func (x symbol) Mod(y symbol) symbol { return x.binary(op.Mod, y) }

func (x symbol) Copysign(y symbol) symbol { return x.binary(op.Copysign, y) }

func (x symbol) Step(y symbol) symbol { return x.binary(op.Step, y) }

func (x symbol) Polygamma(n int) symbol { return x.unaryReal(op.Polygamma, float64(n)) }

func (x symbol) Inv() symbol { return x.unary(op.Inv) }

func (x symbol) Sqrt() symbol { return x.unary(op.Sqrt) }

func (x symbol) Cbrt() symbol { return x.unary(op.Cbrt) }

func (x symbol) Exp() symbol { return x.unary(op.Exp) }

func (x symbol) Exp2() symbol { return x.unary(op.Exp2) }

func (x symbol) Expm1() symbol { return x.unary(op.Expm1) }

func (x symbol) Log() symbol { return x.unary(op.Log) }

func (x symbol) Log2() symbol { return x.unary(op.Log2) }

func (x symbol) Log10() symbol { return x.unary(op.Log10) }

func (x symbol) Log1p() symbol { return x.unary(op.Log1p) }

func (x symbol) Sin() symbol { return x.unary(op.Sin) }

func (x symbol) Cos() symbol { return x.unary(op.Cos) }

func (x symbol) Tan() symbol { return x.unary(op.Tan) }

func (x symbol) Asin() symbol { return x.unary(op.Asin) }

func (x symbol) Acos() symbol { return x.unary(op.Acos) }

func (x symbol) Atan() symbol { return x.unary(op.Atan) }

func (x symbol) Sinh() symbol { return x.unary(op.Sinh) }

func (x symbol) Cosh() symbol { return x.unary(op.Cosh) }

func (x symbol) Tanh() symbol { return x.unary(op.Tanh) }

func (x symbol) Asinh() symbol { return x.unary(op.Asinh) }

func (x symbol) Acosh() symbol { return x.unary(op.Acosh) }

func (x symbol) Atanh() symbol { return x.unary(op.Atanh) }

func (x symbol) Erf() symbol { return x.unary(op.Erf) }

func (x symbol) Erfc() symbol { return x.unary(op.Erfc) }

func (x symbol) Gamma() symbol { return x.unary(op.Gamma) }

func (x symbol) LogGamma() symbol { return x.unary(op.LogGamma) }

func (x symbol) Logistic() symbol { return x.unary(op.Logistic) }

func (x symbol) Softplus() symbol { return x.unary(op.Softplus) }

func (x symbol) Abs() symbol { return x.unary(op.Abs) }

func (x symbol) Floor() symbol { return x.unary(op.Floor) }

func (x symbol) Ceil() symbol { return x.unary(op.Ceil) }

func (x symbol) Round() symbol { return x.unary(op.Round) }

func (x symbol) Trunc() symbol { return x.unary(op.Trunc) }
