package lane

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
)

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
	case op.Pow:
		Pow(dst, x, y)
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

// First sets d to the first derivative of an operation of class Unary at x, with
// the constants c and the values v.
func First(code op.Code, d, x, c, v []float64) {
	x, c, v = x[:len(d)], c[:len(d)], v[:len(d)]
	switch code {
	case op.Exp:
		copy(d, v)
	case op.Exp2:
		Scale(d, v, math.Ln2)
	case op.Inv, op.RDiv:
		Neg(d, v)
		Div(d, d, x)
	case op.Log:
		RDiv(d, x, 1)
		keepNaN(d, v)
	case op.Log2:
		RDiv(d, x, 1/math.Ln2)
		keepNaN(d, v)
	case op.Log10:
		RDiv(d, x, 1/math.Ln10)
		keepNaN(d, v)
	case op.Log1p:
		AddReal(d, x, 1)
		RDiv(d, d, 1)
		keepNaN(d, v)
	case op.Sin:
		Cos(d, x)
	case op.Cos:
		Sin(d, x)
		Neg(d, d)
	case op.Sinh:
		Cosh(d, x)
	case op.Cosh:
		Sinh(d, x)
	case op.Tanh:
		Abs(d, x)
		Scale(d, d, -2)
		Exp(d, d)
		for i, t := range d {
			if v := v[i]; -0.5 < v && v < 0.5 {
				d[i] = 1 - float64(v*v)
			} else {
				d[i] = 4 * t / ((1 + t) * (1 + t))
			}
		}
	case op.Logistic:
		Neg(d, x)
		Exp(d, d)
		for i, e := range d {
			w := v[i]
			if x[i] > 0.5 {
				w *= e
			}
			d[i] = w * (1 - w)
		}
	case op.Softplus:
		Logistic(d, x)
	case op.Sqrt:
		RDiv(d, v, 0.5)
	default:
		f := code.Info()
		if f.D1 != nil {
			for i := range d {
				d[i] = f.D1(x[i], v[i])
			}
			return
		}
		for i := range d {
			d[i] = f.DC(x[i], c[i], v[i])
		}
	}
}

// keepNaN sets d to v where that is NaN.
func keepNaN(d, v []float64) {
	if t := Total(v); t == t {
		return
	}
	for i, v := range v {
		if v != v {
			d[i] = v
		}
	}
}

// Second sets dd to the second derivative, given the first.
func Second(code op.Code, dd, x, c, v, d []float64) {
	x, c, v, d = x[:len(dd)], c[:len(dd)], v[:len(dd)], d[:len(dd)]
	switch code {
	case op.Exp, op.Sinh, op.Cosh:
		copy(dd, v)
	case op.Exp2:
		Scale(dd, d, math.Ln2)
	case op.Expm1:
		copy(dd, d)
	case op.Sin, op.Cos:
		Neg(dd, v)
	case op.Tanh:
		ScaleMul(dd, v, d, -2)
	case op.Log, op.Log1p:
		ScaleMul(dd, d, d, -1)
	case op.Log2, op.Log10:
		Neg(dd, d)
		Div(dd, dd, x)
	case op.Inv, op.RDiv:
		Scale(dd, d, -2)
		Div(dd, dd, x)
	case op.Logistic:
		Scale(dd, x, 0.5)
		Tanh(dd, dd)
		ScaleMul(dd, d, dd, -1)
	case op.Sqrt:
		var part [256]float64
		for lo := 0; lo < len(dd); lo += len(part) {
			dd, x, d := dd[lo:], x[lo:], d[lo:]
			n := min(len(part), len(dd))
			Scale(part[:n], d, -0.5)
			Abs(dd[:n], x)
			Div(dd[:n], part[:n], dd)
		}
	default:
		f := code.Info()
		if f.H1 != nil {
			for i := range dd {
				dd[i] = f.H1(x[i], v[i], d[i])
			}
			return
		}
		for i := range dd {
			dd[i] = f.HC(x[i], c[i], v[i], d[i])
		}
	}
}

// First2 sets dx and dy to the partials of an operation of class Binary.
func First2(code op.Code, dx, dy, x, y, v []float64) {
	dy, x, y, v = dy[:len(dx)], x[:len(dx)], y[:len(dx)], v[:len(dx)]
	f := code.Info().D2
	switch code {
	case op.Div:
		RDiv(dx, y, 1)
		Neg(dy, v)
		Div(dy, dy, y)
		if t := Total(y); t-t == 0 {
			return
		}
		for i, d := range dx {
			if d == 0 { // y is infinite
				dy[i] = 0
			}
		}
	case op.Hypot:
		Div(dx, x, v)
		Div(dy, y, v)
		for i, v := range v {
			if v < 0x1p-1022 {
				dx[i], dy[i] = f(x[i], y[i], v)
			}
		}
	default:
		for i := range dx {
			dx[i], dy[i] = f(x[i], y[i], v[i])
		}
	}
}

// Second2 sets dxx, dxy, dyy to the second partials of an operation of class
// Binary, given the first.
func Second2(code op.Code, dxx, dxy, dyy, x, y, v, dx, dy []float64) {
	n := len(dxx)
	dxy, dyy, x, y, v, dx, dy = dxy[:n], dyy[:n], x[:n], y[:n], v[:n], dx[:n], dy[:n]
	if code == op.Div {
		clear(dxx)
		Neg(dxy, dx)
		Div(dxy, dxy, y)
		Scale(dyy, dy, -2)
		Div(dyy, dyy, y)
		return
	}
	f := code.Info().H2
	for i := range dxx {
		dxx[i], dxy[i], dyy[i] = f(x[i], y[i], v[i], dx[i], dy[i])
	}
}
