package elem

import "math"

func Exp1(x, v float64) float64    { return v }
func Exp2(x, v, d float64) float64 { return v }

func Exp21(x, v float64) float64    { return math.Ln2 * v }
func Exp22(x, v, d float64) float64 { return math.Ln2 * d }

func Expm11(x, v float64) float64 {
	if v > -0.5 {
		return v + 1
	}
	return math.Exp(x)
}

func Expm12(x, v, d float64) float64 { return d }

// Log1 is 1/x, NaN below 0 as the logarithm is.
func Log1(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / x
}

func Log2(x, v, d float64) float64 { return -d * d }

func Log21(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / math.Ln2 / x
}

func Log22(x, v, d float64) float64 { return -d / x }

func Log101(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / math.Ln10 / x
}

func Log102(x, v, d float64) float64 { return -d / x }

func Log1p1(x, v float64) float64 {
	if v != v {
		return v
	}
	return 1 / (1 + x)
}

func Log1p2(x, v, d float64) float64 { return -d * d }

// Logistic is 1/(1 + e⁻ˣ).
func Logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// Logistic1 is w·(1 − w), with the logistic function of x or of −x for w: the
// second is e⁻ˣ·v and keeps the digits that 1 − v loses.
func Logistic1(x, v float64) float64 {
	if x > 0.5 {
		v *= math.Exp(-x)
	}
	return v * (1 - v)
}

// Logistic2 is y′·(1 − 2y) = −y′·tanh(x/2).
func Logistic2(x, v, d float64) float64 { return -d * math.Tanh(x/2) }

// Softplus is ln(1 + eˣ).
func Softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

func Softplus1(x, v float64) float64    { return Logistic(x) }
func Softplus2(x, v, d float64) float64 { return Logistic1(x, d) }
