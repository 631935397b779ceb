// Code generated from the table of package op. DO NOT EDIT.

package expr

import "github.com/hesse-ad/hesse/internal/op"

func (x Expr) Hypot(y Expr) Expr { return x.binary(op.Hypot, y) }

func (x Expr) Atan2(y Expr) Expr { return x.binary(op.Atan2, y) }

func (x Expr) Max(y Expr) Expr { return x.binary(op.Max, y) }

func (x Expr) Min(y Expr) Expr { return x.binary(op.Min, y) }

func (x Expr) Mod(y Expr) Expr { return x.binary(op.Mod, y) }

func (x Expr) Copysign(y Expr) Expr { return x.binary(op.Copysign, y) }

func (x Expr) Step(y Expr) Expr { return x.binary(op.Step, y) }

func (x Expr) Polygamma(n int) Expr { return x.unaryReal(op.Polygamma, float64(n)) }

func (x Expr) Sqrt() Expr { return x.unary(op.Sqrt) }

func (x Expr) Cbrt() Expr { return x.unary(op.Cbrt) }

func (x Expr) Exp() Expr { return x.unary(op.Exp) }

func (x Expr) Exp2() Expr { return x.unary(op.Exp2) }

func (x Expr) Expm1() Expr { return x.unary(op.Expm1) }

func (x Expr) Log() Expr { return x.unary(op.Log) }

func (x Expr) Log2() Expr { return x.unary(op.Log2) }

func (x Expr) Log10() Expr { return x.unary(op.Log10) }

func (x Expr) Log1p() Expr { return x.unary(op.Log1p) }

func (x Expr) Sin() Expr { return x.unary(op.Sin) }

func (x Expr) Cos() Expr { return x.unary(op.Cos) }

func (x Expr) Tan() Expr { return x.unary(op.Tan) }

func (x Expr) Asin() Expr { return x.unary(op.Asin) }

func (x Expr) Acos() Expr { return x.unary(op.Acos) }

func (x Expr) Atan() Expr { return x.unary(op.Atan) }

func (x Expr) Sinh() Expr { return x.unary(op.Sinh) }

func (x Expr) Cosh() Expr { return x.unary(op.Cosh) }

func (x Expr) Tanh() Expr { return x.unary(op.Tanh) }

func (x Expr) Asinh() Expr { return x.unary(op.Asinh) }

func (x Expr) Acosh() Expr { return x.unary(op.Acosh) }

func (x Expr) Atanh() Expr { return x.unary(op.Atanh) }

func (x Expr) Erf() Expr { return x.unary(op.Erf) }

func (x Expr) Erfc() Expr { return x.unary(op.Erfc) }

func (x Expr) Gamma() Expr { return x.unary(op.Gamma) }

func (x Expr) LogGamma() Expr { return x.unary(op.LogGamma) }

func (x Expr) Logistic() Expr { return x.unary(op.Logistic) }

func (x Expr) Softplus() Expr { return x.unary(op.Softplus) }

func (x Expr) Abs() Expr { return x.unary(op.Abs) }

func (x Expr) Floor() Expr { return x.unary(op.Floor) }

func (x Expr) Ceil() Expr { return x.unary(op.Ceil) }

func (x Expr) Round() Expr { return x.unary(op.Round) }

func (x Expr) Trunc() Expr { return x.unary(op.Trunc) }
