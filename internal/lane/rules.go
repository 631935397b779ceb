package lane

import "github.com/hesse-ad/hesse/internal/op"

// Values sets dst to an operation of one or two operands, no Own, of x and y; y is
// the constants where the operation has one. dst may be x or y.
func Values(code op.Code, dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if len(dst) == 1 {
		switch f := code.Info(); { // sooner than a kernel
		case f.F1 != nil:
			dst[0] = f.F1(x[0])
			return
		case f.FC != nil:
			dst[0] = f.FC(x[0], y[0])
			return
		case f.F2 != nil:
			dst[0] = f.F2(x[0], y[0])
			return
		}
	}
	switch code {
	case op.Add, op.AddReal:
		Add(dst, x, y)
	case op.Sub:
		Sub(dst, x, y)
	case op.RSub:
		Sub(dst, y, x)
	case op.Mul, op.Scale:
		Mul(dst, x, y)
	case op.Prod:
		Prod(dst, x, y)
	case op.Div, op.DivReal:
		Div(dst, x, y)
	case op.RDiv:
		Div(dst, y, x)
	case op.Max:
		Max(dst, x, y)
	case op.Min:
		Min(dst, x, y)
	case op.Neg:
		Neg(dst, x)
	case op.Inv:
		RDiv(dst, x, 1)
	case op.Square:
		Mul(dst, x, x)
	case op.Sqrt:
		Sqrt(dst, x)
	case op.Abs:
		Abs(dst, x)
	case op.Floor:
		Floor(dst, x)
	case op.Ceil:
		Ceil(dst, x)
	case op.Trunc:
		Trunc(dst, x)
	case op.Detach:
		copy(dst, x)
	case op.Exp:
		Exp(dst, x)
	case op.Exp2:
		Exp2(dst, x)
	case op.Expm1:
		Expm1(dst, x)
	case op.Log:
		Log(dst, x)
	case op.Log1p:
		Log1p(dst, x)
	case op.Log2:
		Log2(dst, x)
	case op.Log10:
		Log10(dst, x)
	case op.Sin:
		Sin(dst, x)
	case op.Cos:
		Cos(dst, x)
	case op.Tan:
		Tan(dst, x)
	case op.Asin:
		Asin(dst, x)
	case op.Acos:
		Acos(dst, x)
	case op.Atan:
		Atan(dst, x)
	case op.Sinh:
		Sinh(dst, x)
	case op.Cosh:
		Cosh(dst, x)
	case op.Tanh:
		Tanh(dst, x)
	case op.Logistic:
		Logistic(dst, x)
	case op.Softplus:
		Softplus(dst, x)
	case op.Cbrt:
		Cbrt(dst, x)
	case op.Erf:
		Erf(dst, x)
	case op.Erfc:
		Erfc(dst, x)
	case op.Pow:
		Pow(dst, x, y)
	case op.PowReal:
		PowReal(dst, x, y)
	case op.PowInt:
		PowInt(dst, x, y)
	case op.Hypot:
		Hypot(dst, x, y)
	case op.Atan2:
		Atan2(dst, x, y)
	default:
		values(code, dst, x, y)
	}
}

// values is Values, number by number.
func values(code op.Code, dst, x, y []float64) {
	switch f := code.Info(); {
	case f.F1 != nil:
		for i := range dst {
			dst[i] = f.F1(x[i])
		}
	case f.FC != nil:
		for i := range dst {
			dst[i] = f.FC(x[i], y[i])
		}
	default:
		for i := range dst {
			dst[i] = f.F2(x[i], y[i])
		}
	}
}
