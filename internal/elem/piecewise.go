package elem

// Abs1 is the sign of x, 0 at 0.
func Abs1(x, v float64) float64 {
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

func Abs2(x, v, d float64) float64 { return 0 }

// Max is the larger of x and y, x at a tie, NaN where either is.
func Max(x, y float64) float64 {
	if x < y || y != y {
		return y
	}
	return x
}

// Max1 is the gradient of Max, that of x at a tie.
func Max1(x, y, v float64) (dx, dy float64) {
	dy = Step(x, y)
	return 1 - dy, dy
}

func Max2(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) { return 0, 0, 0 }

// Min is the smaller of x and y, x at a tie, NaN where either is.
func Min(x, y float64) float64 {
	if y < x || y != y {
		return y
	}
	return x
}

// Min1 is the gradient of Min, that of x at a tie.
func Min1(x, y, v float64) (dx, dy float64) {
	dy = Step(y, x)
	return 1 - dy, dy
}

func Min2(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) { return 0, 0, 0 }

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
