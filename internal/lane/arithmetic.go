package lane

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Arithmetic. Every product and every sum is rounded.

// few lanes are done sooner by plain Go.
const few = 8

// Fill sets dst to c.
func Fill(dst []float64, c float64) {
	const first = 64
	for i := range dst[:min(first, len(dst))] {
		dst[i] = c
	}
	for n := first; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// Add sets dst = x + y.
func Add(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedAdd(dst, x, y) {
		return
	}
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// Sub sets dst = x − y.
func Sub(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedSub(dst, x, y) {
		return
	}
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

// Mul sets dst = x·y.
func Mul(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedMul(dst, x, y) {
		return
	}
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

// Div sets dst = x/y.
func Div(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedDiv(dst, x, y) {
		return
	}
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

// Prod sets dst to the derivative product of x and y, 0 where either is 0.
func Prod(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedProd(dst, x, y) {
		return
	}
	for i := range dst {
		dst[i] = elem.Prod(x[i], y[i])
	}
}

// Max sets dst to the larger of x and y, NaN where either is.
func Max(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedMax(dst, x, y) {
		return
	}
	for i := range dst {
		dst[i] = elem.Max(x[i], y[i])
	}
}

// Min sets dst to the smaller of x and y, NaN where either is.
func Min(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedMin(dst, x, y) {
		return
	}
	for i := range dst {
		dst[i] = elem.Min(x[i], y[i])
	}
}

// Select sets dst to x where c > 0, to c where c is NaN, else to y.
func Select(dst, c, x, y []float64) {
	c, x, y = c[:len(dst)], x[:len(dst)], y[:len(dst)]
	if packedSelectIf(dst, c, x, y) {
		return
	}
	for i := range dst {
		dst[i] = elem.Select(c[i], x[i], y[i])
	}
}

// AddReal sets dst = x + c.
func AddReal(dst, x []float64, c float64) {
	x = x[:len(dst)]
	if packedAddReal(dst, x, c) {
		return
	}
	for i := range dst {
		dst[i] = x[i] + c
	}
}

// RSub sets dst = c − x.
func RSub(dst, x []float64, c float64) {
	x = x[:len(dst)]
	if packedRsub(dst, x, c) {
		return
	}
	for i := range dst {
		dst[i] = c - x[i]
	}
}

// Scale sets dst = c·x.
func Scale(dst, x []float64, c float64) {
	x = x[:len(dst)]
	if packedScale(dst, x, c) {
		return
	}
	for i := range dst {
		dst[i] = c * x[i]
	}
}

// RDiv sets dst = c/x.
func RDiv(dst, x []float64, c float64) {
	x = x[:len(dst)]
	if packedRdiv(dst, x, c) {
		return
	}
	for i := range dst {
		dst[i] = c / x[i]
	}
}

// MulScale sets dst = (x·y)·c.
func MulScale(dst, x, y []float64, c float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedMulScale(dst, x, y, c) {
		return
	}
	for i := range dst {
		dst[i] = x[i] * y[i] * c
	}
}

// ScaleMul sets dst = (c·x)·y.
func ScaleMul(dst, x, y []float64, c float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedScaleMul(dst, x, y, c) {
		return
	}
	for i := range dst {
		dst[i] = c * x[i] * y[i]
	}
}

// Neg sets dst = −x.
func Neg(dst, x []float64) {
	x = x[:len(dst)]
	if packedNeg(dst, x) {
		return
	}
	for i := range dst {
		dst[i] = -x[i]
	}
}

// Abs sets dst = |x|.
func Abs(dst, x []float64) {
	x = x[:len(dst)]
	if packedAbs(dst, x) {
		return
	}
	for i := range dst {
		dst[i] = math.Abs(x[i])
	}
}

// Sqrt sets dst = √x, +0 at −0.
func Sqrt(dst, x []float64) {
	x = x[:len(dst)]
	if packedSqrt(dst, x) {
		return
	}
	for i := range dst {
		dst[i] = elem.Sqrt(x[i])
	}
}

// Floor sets dst = ⌊x⌋.
func Floor(dst, x []float64) {
	x = x[:len(dst)]
	if packedFloor(dst, x) {
		return
	}
	for i := range dst {
		dst[i] = math.Floor(x[i])
	}
}

// Ceil sets dst = ⌈x⌉.
func Ceil(dst, x []float64) {
	x = x[:len(dst)]
	if packedCeil(dst, x) {
		return
	}
	for i := range dst {
		dst[i] = math.Ceil(x[i])
	}
}

// Trunc sets dst to x without its fraction.
func Trunc(dst, x []float64) {
	x = x[:len(dst)]
	if packedTrunc(dst, x) {
		return
	}
	for i := range dst {
		dst[i] = math.Trunc(x[i])
	}
}

// AddMul sets dst = a + x·y.
func AddMul(dst, a, x, y []float64) {
	a, x, y = a[:len(dst)], x[:len(dst)], y[:len(dst)]
	if packedAddMul(dst, a, x, y) {
		return
	}
	for i := range dst {
		dst[i] = a[i] + float64(x[i]*y[i])
	}
}

// Mul2 sets dst = p·x + q·y.
func Mul2(dst, p, x, q, y []float64) {
	p, x, q, y = p[:len(dst)], x[:len(dst)], q[:len(dst)], y[:len(dst)]
	if packedMul2(dst, p, x, q, y) {
		return
	}
	for i := range dst {
		dst[i] = float64(p[i]*x[i]) + float64(q[i]*y[i])
	}
}

// ScaleMul2 sets dst = c·(p·x + q·y).
func ScaleMul2(dst, p, x, q, y []float64, c float64) {
	p, x, q, y = p[:len(dst)], x[:len(dst)], q[:len(dst)], y[:len(dst)]
	if packedScaleMul2(dst, p, x, q, y, c) {
		return
	}
	for i := range dst {
		dst[i] = c * (float64(p[i]*x[i]) + float64(q[i]*y[i]))
	}
}

// AddScaleMul does dst += (c·x)·y.
func AddScaleMul(dst, x, y []float64, c float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedAddScaleMul(dst, x, y, c) {
		return
	}
	for i := range dst {
		dst[i] += float64(c * x[i] * y[i])
	}
}

// AddScaleMul2 does dst += c·(p·x + q·y).
func AddScaleMul2(dst, p, x, q, y []float64, c float64) {
	p, x, q, y = p[:len(dst)], x[:len(dst)], q[:len(dst)], y[:len(dst)]
	if packedAddScaleMul2(dst, p, x, q, y, c) {
		return
	}
	for i := range dst {
		dst[i] += float64(c * (float64(p[i]*x[i]) + float64(q[i]*y[i])))
	}
}

// Axpy does dst += c·x.
func Axpy(dst, x []float64, c float64) {
	x = x[:len(dst)]
	if packedAxpy(dst, x, c) {
		return
	}
	for i := range dst {
		dst[i] += float64(c * x[i])
	}
}

// Axpy2 does dst += c·x + d·y.
func Axpy2(dst, x, y []float64, c, d float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	if packedAxpy2(dst, x, y, c, d) {
		return
	}
	for i := range dst {
		dst[i] += float64(c*x[i]) + float64(d*y[i])
	}
}
