package elem

import "math"

func SinD(x, v float64) float64     { return math.Cos(x) }
func SinDD(x, v, d float64) float64 { return -v }

func CosD(x, v float64) float64     { return -math.Sin(x) }
func CosDD(x, v, d float64) float64 { return -v }

func TanD(x, v float64) float64     { return 1 + float64(v*v) }
func TanDD(x, v, d float64) float64 { return 2 * v * d }

func AsinD(x, v float64) float64     { return 1 / math.Sqrt((1-x)*(1+x)) }
func AsinDD(x, v, d float64) float64 { return x * d / ((1 - x) * (1 + x)) }

func AcosD(x, v float64) float64     { return -1 / math.Sqrt((1-x)*(1+x)) }
func AcosDD(x, v, d float64) float64 { return x * d / ((1 - x) * (1 + x)) }

func AtanD(x, v float64) float64 {
	if math.Abs(x) > 0x1p500 { // the square may be infinite
		return 1 / x / x
	}
	return 1 / (1 + float64(x*x))
}

func AtanDD(x, v, d float64) float64 { return -2 * Prod(x, d) * d }

// Atan2D is the gradient of math.Atan2(y, x), (x, −y)/(x² + y²), 0 at the
// origin and at infinity.
func Atan2D(y, x, v float64) (dy, dx float64) {
	s := float64(x*x) + float64(y*y)
	switch {
	case v != v:
		return v, v
	case s > 0x1p-900 && s <= math.MaxFloat64:
		return x / s, -y / s
	}
	r := math.Hypot(x, y)
	if r == 0 || r > math.MaxFloat64 {
		return 0, 0
	}
	return x / r / r, -y / r / r
}

// Atan2DD is the Hessian of math.Atan2(y, x), as ∂²/∂y², ∂²/∂y∂x, ∂²/∂x².
func Atan2DD(y, x, v, dy, dx float64) (dyy, dyx, dxx float64) {
	dyy = 2 * dy * dx
	return dyy, (dx - dy) * (dx + dy), -dyy
}
