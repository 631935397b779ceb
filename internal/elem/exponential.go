package elem

import "math"

func ExpD(x, v float64) float64     { return v }
func ExpDD(x, v, d float64) float64 { return v }

func Exp2D(x, v float64) float64     { return math.Ln2 * v }
func Exp2DD(x, v, d float64) float64 { return math.Ln2 * d }

func Expm1D(x, v float64) float64 {
	if v > -0.5 {
		return v + 1
	}
	return math.Exp(x)
}

func Expm1DD(x, v, d float64) float64 { return d }

// Log is ln x. That of package math is wrong at subnormal numbers on amd64.
func Log(x float64) float64 {
	if x < 0x1p-1022 && x > 0 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// Log10 is log₁₀ x.
func Log10(x float64) float64 {
	if x < 0x1p-1022 && x > 0 {
		return float64(math.Log10(x*0x1p54)) - 54*(math.Ln2/math.Ln10)
	}
	return math.Log10(x)
}

// LogD is 1/x, NaN below 0 as the logarithm is.
func LogD(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / x
}

func LogDD(x, v, d float64) float64 { return -d * d }

func Log2D(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / math.Ln2 / x
}

func Log2DD(x, v, d float64) float64 { return -d / x }

func Log10D(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / math.Ln10 / x
}

func Log10DD(x, v, d float64) float64 { return -d / x }

func Log1pD(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / (1 + x)
}

func Log1pDD(x, v, d float64) float64 { return -d * d }

// Logistic is 1/(1 + e⁻ˣ).
func Logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// LogisticD is w·(1 − w), with the logistic function of x or of −x for w: the
// second is e⁻ˣ·v and keeps the digits that 1 − v loses.
func LogisticD(x, v float64) float64 {
	if x > 0.5 {
		v *= math.Exp(-x)
	}
	return v * (1 - v)
}

// LogisticDD is y′·(1 − 2y) = −y′·tanh(x/2).
func LogisticDD(x, v, d float64) float64 { return -d * math.Tanh(x/2) }

// Softplus is ln(1 + eˣ).
func Softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

func SoftplusD(x, v float64) float64     { return Logistic(x) }
func SoftplusDD(x, v, d float64) float64 { return LogisticD(x, d) }

// SoftplusLogistic is Softplus and Logistic, to the same bits, of one exponential.
func SoftplusLogistic(x float64) (s, l float64) {
	e := math.Exp(-math.Abs(x))
	s = math.Log1p(e)
	switch {
	case x > 0:
		return x + s, 1 / (1 + e)
	case x < 0:
		return s, e / (1 + e)
	}
	return s, 1 / (1 + e) // 0, or NaN
}
