package elem

import "math"

// AbsD is the sign of x, 0 at 0.
func AbsD(x, v float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return 0
	}
	return x
}

func AbsDD(x, v, d float64) float64 { return 0 }

// Max is the larger of x and y, x at a tie, NaN where either is.
func Max(x, y float64) float64 {
	if x < y || y != y {
		return y
	}
	return x
}

// MaxD is the gradient of Max, that of x at a tie.
func MaxD(x, y, v float64) (dx, dy float64) {
	dy = Step(x, y)
	return 1 - dy, dy
}

func MaxDD(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) { return 0, 0, 0 }

// Min is the smaller of x and y, x at a tie, NaN where either is.
func Min(x, y float64) float64 {
	if y < x || y != y {
		return y
	}
	return x
}

// MinD is the gradient of Min, that of x at a tie.
func MinD(x, y, v float64) (dx, dy float64) {
	dy = Step(y, x)
	return 1 - dy, dy
}

func MinDD(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) { return 0, 0, 0 }

// ModD is the gradient of x − y·trunc(x/y), the quotient as a constant.
func ModD(x, y, v float64) (dx, dy float64) { return 1, -math.Round((x - v) / y) }

func ModDD(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) { return 0, 0, 0 }

// Copysign is |x| with the sign of y, NaN where y is: the sign of a NaN means
// nothing.
func Copysign(x, y float64) float64 {
	if y != y {
		return y
	}
	return math.Copysign(x, y)
}

// CopysignD is the gradient of |x| with the sign of y, 0 at x = 0.
func CopysignD(x, y, v float64) (dx, dy float64) { return AbsD(x, v) * Copysign(1, y), 0 }

func CopysignDD(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) { return 0, 0, 0 }

// Step is 1 where x < y, else 0, NaN where either is NaN.
func Step(x, y float64) float64 {
	switch {
	case x < y:
		return 1
	case x >= y:
		return 0
	}
	return x + y
}

// Select is a where c > 0, c where c is NaN, else b.
func Select(c, a, b float64) float64 {
	switch {
	case c > 0:
		return a
	case c <= 0:
		return b
	}
	return c
}

// SelectD is the derivative of Select along that of a and b. Where c is NaN, a and b of 0
// annihilate that.
func SelectD(c, a, b float64) float64 {
	if c != c && a == 0 && b == 0 {
		return 0
	}
	return Select(c, a, b)
}

// SelectPartial is Select of the condition x₂, or its derivative in x₀ or x₁.
func SelectPartial(x [3]float64, order [3]int) float64 {
	switch order {
	case [3]int{}:
		return Select(x[2], x[0], x[1])
	case [3]int{1, 0, 0}:
		return Select(x[2], 1, 0)
	case [3]int{0, 1, 0}:
		return Select(x[2], 0, 1)
	}
	return 0
}
