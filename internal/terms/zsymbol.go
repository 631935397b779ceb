// Code generated from the table of package op. DO NOT EDIT.

package terms

import "github.com/hesse-ad/hesse/internal/program"

func (x symbol) Hypot(y symbol) symbol { return x.binary(program.Hypot, y) }

func (x symbol) Atan2(y symbol) symbol { return x.binary(program.Atan2, y) }

func (x symbol) Max(y symbol) symbol { return x.binary(program.Max, y) }

func (x symbol) Min(y symbol) symbol { return x.binary(program.Min, y) }

func (x symbol) Mod(y symbol) symbol { return x.binary(program.Mod, y) }

func (x symbol) Copysign(y symbol) symbol { return x.binary(program.Copysign, y) }

func (x symbol) Step(y symbol) symbol { return x.binary(program.Step, y) }

func (x symbol) Polygamma(n int) symbol { return x.unaryReal(program.Polygamma, float64(n)) }

func (x symbol) Inv() symbol { return x.unary(program.Inv) }

func (x symbol) Sqrt() symbol { return x.unary(program.Sqrt) }

func (x symbol) Cbrt() symbol { return x.unary(program.Cbrt) }

func (x symbol) Exp() symbol { return x.unary(program.Exp) }

func (x symbol) Exp2() symbol { return x.unary(program.Exp2) }

func (x symbol) Expm1() symbol { return x.unary(program.Expm1) }

func (x symbol) Log() symbol { return x.unary(program.Log) }

func (x symbol) Log2() symbol { return x.unary(program.Log2) }

func (x symbol) Log10() symbol { return x.unary(program.Log10) }

func (x symbol) Log1p() symbol { return x.unary(program.Log1p) }

func (x symbol) Sin() symbol { return x.unary(program.Sin) }

func (x symbol) Cos() symbol { return x.unary(program.Cos) }

func (x symbol) Tan() symbol { return x.unary(program.Tan) }

func (x symbol) Asin() symbol { return x.unary(program.Asin) }

func (x symbol) Acos() symbol { return x.unary(program.Acos) }

func (x symbol) Atan() symbol { return x.unary(program.Atan) }

func (x symbol) Sinh() symbol { return x.unary(program.Sinh) }

func (x symbol) Cosh() symbol { return x.unary(program.Cosh) }

func (x symbol) Tanh() symbol { return x.unary(program.Tanh) }

func (x symbol) Asinh() symbol { return x.unary(program.Asinh) }

func (x symbol) Acosh() symbol { return x.unary(program.Acosh) }

func (x symbol) Atanh() symbol { return x.unary(program.Atanh) }

func (x symbol) Erf() symbol { return x.unary(program.Erf) }

func (x symbol) Erfc() symbol { return x.unary(program.Erfc) }

func (x symbol) Gamma() symbol { return x.unary(program.Gamma) }

func (x symbol) LogGamma() symbol { return x.unary(program.LogGamma) }

func (x symbol) Logistic() symbol { return x.unary(program.Logistic) }

func (x symbol) Softplus() symbol { return x.unary(program.Softplus) }

func (x symbol) Abs() symbol { return x.unary(program.Abs) }

func (x symbol) Floor() symbol { return x.unary(program.Floor) }

func (x symbol) Ceil() symbol { return x.unary(program.Ceil) }

func (x symbol) Round() symbol { return x.unary(program.Round) }

func (x symbol) Trunc() symbol { return x.unary(program.Trunc) }
