package lane

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
)

// Partial derivatives: by loops over all lanes, and what those get wrong, as at
// infinities, number by number.

// First sets d to the first derivative of an operation of class Unary at x, with
// the constants c and the values v.
func First(code op.Code, d, x, c, v []float64) {
	x, c, v = x[:len(d)], c[:len(d)], v[:len(d)]
	if len(d) < few {
		first(code, d, x, c, v)
		return
	}
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
		Values(op.Cos, d, x, x)
	case op.Cos:
		Values(op.Sin, d, x, x)
		Neg(d, d)
	case op.Sinh:
		Values(op.Cosh, d, x, x)
	case op.Cosh:
		Values(op.Sinh, d, x, x)
	case op.Tanh:
		Abs(d, x)
		Scale(d, d, -2)
		Values(op.Exp, d, d, d)
		for i, t := range d {
			if v := v[i]; -0.5 < v && v < 0.5 {
				d[i] = 1 - float64(v*v)
			} else {
				d[i] = 4 * t / ((1 + t) * (1 + t))
			}
		}
	case op.Logistic:
		Neg(d, x)
		Values(op.Exp, d, d, d)
		for i, e := range d {
			w := v[i]
			if x[i] > 0.5 {
				w *= e
			}
			d[i] = w * (1 - w)
		}
	case op.Softplus:
		Values(op.Logistic, d, x, x)
	case op.Sqrt:
		RDiv(d, v, 0.5)
	case op.Expm1:
		Values(op.Exp, d, x, x)
		for i, v := range v {
			if v > -0.5 {
				d[i] = v + 1
			}
		}
	case op.Tan:
		Mul(d, v, v)
		AddReal(d, d, 1)
	case op.Atan:
		Mul(d, x, x)
		AddReal(d, d, 1)
		RDiv(d, d, 1)
		for i, x := range x {
			if math.Abs(x) > 0x1p500 {
				d[i] = elem.AtanD(x, v[i])
			}
		}
	case op.Asin:
		radicand(d, x)
		Sqrt(d, d)
		RDiv(d, d, 1)
	case op.Acos:
		radicand(d, x)
		Sqrt(d, d)
		RDiv(d, d, -1)
	case op.Erf:
		gauss(d, x)
		Scale(d, d, 2/math.SqrtPi)
	case op.Erfc:
		gauss(d, x)
		Scale(d, d, -2/math.SqrtPi)
	case op.Cbrt:
		Div(d, v, x)
		for i, x := range x {
			if x == 0 || x-x != 0 {
				d[i] = elem.CbrtD(x, v[i])
			} else {
				d[i] /= 3
			}
		}
	case op.PowReal, op.PowInt:
		Mul(d, c, v)
		Div(d, d, x)
		f := code.Info().DC
		for i, v := range v {
			if !byQuotient(c[i], v) {
				d[i] = f(x[i], c[i], v)
			}
		}
	default:
		first(code, d, x, c, v)
	}
}

// first is First, number by number.
func first(code op.Code, d, x, c, v []float64) {
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

// byQuotient reports whether the derivative of v = x^p, or of a derivative v, is a
// quotient by x: v is a normal number and p not among those that have another rule.
func byQuotient(p, v float64) bool {
	v = math.Abs(v)
	return v >= 0x1p-1022 && v <= math.MaxFloat64 && (p > 3 && p < 1<<53 || p < 0 && p > -1<<53 || p != 0.5 && p != math.Trunc(p))
}

// radicand sets dst = (1 − x)·(1 + x).
func radicand(dst, x []float64) {
	var part [256]float64
	for lo := 0; lo < len(dst); lo += len(part) {
		d := dst[lo:min(lo+len(part), len(dst))]
		p, x := part[:len(d)], x[lo:]
		RSub(d, x, 1)
		AddReal(p, x, 1)
		Mul(d, d, p)
	}
}

// gauss sets dst = exp(−x²).
func gauss(dst, x []float64) {
	Mul(dst, x, x)
	Neg(dst, dst)
	Values(op.Exp, dst, dst, dst)
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
	if len(dd) < few {
		second(code, dd, x, c, v, d)
		return
	}
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
		Values(op.Tanh, dd, dd, dd)
		ScaleMul(dd, d, dd, -1)
	case op.Sqrt:
		var part [256]float64
		for lo := 0; lo < len(dd); lo += len(part) {
			dd := dd[lo:min(lo+len(part), len(dd))]
			p := part[:len(dd)]
			Scale(p, d[lo:], -0.5)
			Abs(dd, x[lo:])
			Div(dd, p, dd)
		}
	case op.Softplus:
		First(op.Logistic, dd, x, c, d)
	case op.Tan:
		ScaleMul(dd, v, d, 2)
	case op.Atan:
		Prod(dd, x, d)
		ScaleMul(dd, dd, d, -2)
	case op.Asin, op.Acos:
		var part [256]float64
		for lo := 0; lo < len(dd); lo += len(part) {
			dd := dd[lo:min(lo+len(part), len(dd))]
			p := part[:len(dd)]
			radicand(p, x[lo:])
			Mul(dd, x[lo:], d[lo:])
			Div(dd, dd, p)
		}
	case op.Erf, op.Erfc:
		Prod(dd, x, d)
		Scale(dd, dd, -2)
	case op.Cbrt:
		Scale(dd, x, -1.5)
		Div(dd, d, dd)
	case op.PowReal, op.PowInt:
		AddReal(dd, c, -1)
		Mul(dd, dd, d)
		Div(dd, dd, x)
		f := code.Info().HC
		for i, d := range d {
			if !byQuotient(c[i], d) {
				dd[i] = f(x[i], c[i], v[i], d)
			}
		}
	default:
		second(code, dd, x, c, v, d)
	}
}

// second is Second, number by number.
func second(code op.Code, dd, x, c, v, d []float64) {
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
	case op.Pow:
		First(op.PowReal, dx, x, y, v)
		Values(op.Log, dy, x, x)
		Prod(dy, v, dy)
		keepNaN(dx, v)
		keepNaN(dy, v)
	case op.Atan2: // of y and x, as the table has them
		Mul2(dy, x, x, y, y)
		Div(dx, y, dy)
		for i, s := range dy {
			if s > 0x1p-900 && s <= math.MaxFloat64 {
				dy[i] = -x[i] / s
			} else {
				dx[i], dy[i] = f(x[i], y[i], v[i])
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
	f := code.Info().H2
	switch code {
	case op.Div:
		clear(dxx)
		Neg(dxy, dx)
		Div(dxy, dxy, y)
		Scale(dyy, dy, -2)
		Div(dyy, dyy, y)
	case op.Hypot:
		Div(dxx, dy, v)
		Mul(dxx, dxx, dy)
		Div(dyy, dx, v)
		Neg(dxy, dyy)
		Mul(dxy, dxy, dy)
		Mul(dyy, dyy, dx)
		for i, v := range v {
			if v == 0 {
				dxx[i], dxy[i], dyy[i] = 0, 0, 0
			}
		}
	case op.Pow:
		Second(op.PowReal, dxx, x, y, v, dx)
		Div(dxy, v, x)
		Values(op.Log, dyy, x, x)
		var part [256]float64
		for lo := 0; lo < n; lo += len(part) {
			w := dxy[lo:min(lo+len(part), n)]
			p := part[:len(w)]
			Prod(p, y[lo:], dyy[lo:])
			AddReal(p, p, 1)
			Prod(w, w, p)
		}
		Prod(dyy, dy, dyy)
		for i, v := range v {
			if !(x[i] > 0 && v >= 0x1p-1022 && v <= math.MaxFloat64) {
				dxx[i], dxy[i], dyy[i] = f(x[i], y[i], v, dx[i], dy[i])
			}
		}
	case op.Atan2:
		ScaleMul(dxx, dx, dy, 2)
		Sub(dxy, dy, dx)
		Add(dyy, dy, dx)
		Mul(dxy, dxy, dyy)
		Neg(dyy, dxx)
	default:
		for i := range dxx {
			dxx[i], dxy[i], dyy[i] = f(x[i], y[i], v[i], dx[i], dy[i])
		}
	}
}
