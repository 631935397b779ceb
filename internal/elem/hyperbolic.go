package elem

import "math"

func SinhD(x, v float64) float64     { return math.Cosh(x) }
func SinhDD(x, v, d float64) float64 { return v }

func CoshD(x, v float64) float64     { return math.Sinh(x) }
func CoshDD(x, v, d float64) float64 { return v }

// TanhD is 1 − y², y the hyperbolic tangent: 4t/(1+t)² with t = exp(−2|x|)
// where y is near ±1.
func TanhD(x, v float64) float64 {
	if -0.5 < v && v < 0.5 {
		return 1 - float64(v*v)
	}
	t := math.Exp(-2 * math.Abs(x))
	return 4 * t / ((1 + t) * (1 + t))
}

func TanhDD(x, v, d float64) float64 { return -2 * v * d }

func AsinhD(x, v float64) float64 { return 1 / math.Hypot(1, x) }

func AsinhDD(x, v, d float64) float64 {
	if math.Abs(x) > 0x1p500 { // the square may be infinite
		return -d / x
	}
	return -x / (1 + float64(x*x)) * d
}

// AcoshD is 1/√(x² − 1): two roots neither overflow nor hide x < −1.
func AcoshD(x, v float64) float64 { return 1 / (math.Sqrt(x-1) * math.Sqrt(x+1)) }

// AcoshDD is −x/(x² − 1)^(3/2), divided by x above and below.
func AcoshDD(x, v, d float64) float64 { return -d / ((x - 1) * (1 + 1/x)) }

func AtanhD(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / ((1 - x) * (1 + x))
}

func AtanhDD(x, v, d float64) float64 { return 2 * x * d * d }
