// Code generated from the table of package op. DO NOT EDIT.

package dual

import "math"
import "github.com/hesse-ad/hesse/internal/elem"

func (x running) Mod(y running) running {
	v := math.Mod(x.v, y.v)
	dx, dy := elem.ModD(x.v, y.v, v)
	return x.apply2(y, v, dx, dy)
}

func (x running) Square() running { return x.number(Number.Square) }

func (x running) Sqrt() running { return x.number(Number.Sqrt) }

func (x running) Cbrt() running { return x.number(Number.Cbrt) }

func (x running) Exp() running { return x.number(Number.Exp) }

func (x running) Exp2() running { return x.number(Number.Exp2) }

func (x running) Expm1() running { return x.number(Number.Expm1) }

func (x running) Log() running { return x.number(Number.Log) }

func (x running) Log2() running { return x.number(Number.Log2) }

func (x running) Log10() running { return x.number(Number.Log10) }

func (x running) Log1p() running { return x.number(Number.Log1p) }

func (x running) Sin() running { return x.number(Number.Sin) }

func (x running) Cos() running { return x.number(Number.Cos) }

func (x running) Tan() running { return x.number(Number.Tan) }

func (x running) Asin() running { return x.number(Number.Asin) }

func (x running) Acos() running { return x.number(Number.Acos) }

func (x running) Atan() running { return x.number(Number.Atan) }

func (x running) Sinh() running { return x.number(Number.Sinh) }

func (x running) Cosh() running { return x.number(Number.Cosh) }

func (x running) Tanh() running { return x.number(Number.Tanh) }

func (x running) Asinh() running { return x.number(Number.Asinh) }

func (x running) Acosh() running { return x.number(Number.Acosh) }

func (x running) Atanh() running { return x.number(Number.Atanh) }

func (x running) Erf() running { return x.number(Number.Erf) }

func (x running) Erfc() running { return x.number(Number.Erfc) }

func (x running) Gamma() running { return x.number(Number.Gamma) }

func (x running) LogGamma() running { return x.number(Number.LogGamma) }

func (x running) Logistic() running { return x.number(Number.Logistic) }

func (x running) Softplus() running { return x.number(Number.Softplus) }

func (x running) Floor() running { return x.number(Number.Floor) }

func (x running) Ceil() running { return x.number(Number.Ceil) }

func (x running) Round() running { return x.number(Number.Round) }

func (x running) Trunc() running { return x.number(Number.Trunc) }
