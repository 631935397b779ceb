// Package rules is the arithmetic of package lane, a lane each: of a function here there are the
// loop over arrays, in plain Go, and its kernel. Every product and every sum is rounded.
package rules

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// lanes is a number that differs from lane to lane: an array of the loop. A parameter dst is
// also what the loop changes.
type lanes = float64

// Add sets dst = x + y.
func Add(x, y lanes) lanes { return x + y }

// Sub sets dst = x − y.
func Sub(x, y lanes) lanes { return x - y }

// Mul sets dst = x·y.
func Mul(x, y lanes) lanes { return x * y }

// Div sets dst = x/y.
func Div(x, y lanes) lanes { return x / y }

// Prod sets dst to the derivative product of x and y, 0 where either is 0.
func Prod(x, y lanes) lanes { return elem.Prod(x, y) }

// Max sets dst to the larger of x and y, NaN where either is.
func Max(x, y lanes) lanes { return elem.Max(x, y) }

// Min sets dst to the smaller of x and y, NaN where either is.
func Min(x, y lanes) lanes { return elem.Min(x, y) }

// Select sets dst to x where c > 0, to c where c is NaN, else to y.
func Select(c, x, y lanes) lanes { return elem.Select(c, x, y) }

// AddReal sets dst = x + c.
func AddReal(x lanes, c float64) lanes { return x + c }

// RSub sets dst = c − x.
func RSub(x lanes, c float64) lanes { return c - x }

// RDiv sets dst = c/x.
func RDiv(x lanes, c float64) lanes { return c / x }

// Scale sets dst = c·x.
func Scale(x lanes, c float64) lanes { return c * x }

// MulScale sets dst = (x·y)·c.
func MulScale(x, y lanes, c float64) lanes { return x * y * c }

// ScaleMul sets dst = (c·x)·y.
func ScaleMul(x, y lanes, c float64) lanes { return c * x * y }

// Neg sets dst = −x.
func Neg(x lanes) lanes { return -x }

// Abs sets dst = |x|.
func Abs(x lanes) lanes { return math.Abs(x) }

// Sqrt sets dst = √x, +0 at −0.
func Sqrt(x lanes) lanes { return elem.Sqrt(x) }

// Floor sets dst = ⌊x⌋.
func Floor(x lanes) lanes { return math.Floor(x) }

// Ceil sets dst = ⌈x⌉.
func Ceil(x lanes) lanes { return math.Ceil(x) }

// Trunc sets dst to x without its fraction.
func Trunc(x lanes) lanes { return math.Trunc(x) }

// AddMul sets dst = a + x·y.
func AddMul(a, x, y lanes) lanes { return a + float64(x*y) }

// Mul2 sets dst = p·x + q·y.
func Mul2(p, x, q, y lanes) lanes { return float64(p*x) + float64(q*y) }

// ScaleMul2 sets dst = c·(p·x + q·y).
func ScaleMul2(p, x, q, y lanes, c float64) lanes { return c * (float64(p*x) + float64(q*y)) }

// AddScaleMul does dst += (c·x)·y.
func AddScaleMul(dst, x, y lanes, c float64) lanes { return dst + float64(c*x*y) }

// AddScaleMul2 does dst += c·(p·x + q·y).
func AddScaleMul2(dst, p, x, q, y lanes, c float64) lanes {
	return dst + float64(c*(float64(p*x)+float64(q*y)))
}

// Axpy does dst += c·x.
func Axpy(dst, x lanes, c float64) lanes { return dst + float64(c*x) }

// Axpy2 does dst += c·x + d·y. The products are added first.
func Axpy2(dst, x, y lanes, c, d float64) lanes { return dst + (float64(c*x) + float64(d*y)) }
