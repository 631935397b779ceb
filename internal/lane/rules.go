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
	default:
		kernels[code].function(code, dst, x, y)
	}
}
