package elem

import "math"

func Sinh1(x, v float64) float64    { return math.Cosh(x) }
func Sinh2(x, v, d float64) float64 { return v }

func Cosh1(x, v float64) float64    { return math.Sinh(x) }
func Cosh2(x, v, d float64) float64 { return v }

// Tanh1 is 1 − y², y the hyperbolic tangent: 4t/(1+t)² with t = exp(−2|x|)
// where y is near ±1.
func Tanh1(x, v float64) float64 {
	if -0.5 < v && v < 0.5 {
		return 1 - v*v
	}
	t := math.Exp(-2 * math.Abs(x))
	return 4 * t / ((1 + t) * (1 + t))
}

func Tanh2(x, v, d float64) float64 { return -2 * v * d }

func Asinh1(x, v float64) float64    { return 1 / math.Hypot(1, x) }
func Asinh2(x, v, d float64) float64 { return -Prod(x/(1+x*x), d) }

// Acosh1 is 1/√(x² − 1): two roots neither overflow nor hide x < −1.
func Acosh1(x, v float64) float64 { return 1 / (math.Sqrt(x-1) * math.Sqrt(x+1)) }

// Acosh2 is −x/(x² − 1)^(3/2), divided by x above and below.
func Acosh2(x, v, d float64) float64 { return -d / ((x - 1) * (1 + 1/x)) }

func Atanh1(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / ((1 - x) * (1 + x))
}

func Atanh2(x, v, d float64) float64 { return 2 * x * d * d }
