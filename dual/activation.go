package dual

import "math"

// ReLU returns max(0, x), with the derivative 0 at 0.
func ReLU[T Scalar[T]](x T) T {
	var zero T
	return zero.Max(x)
}

// ELU returns x for x > 0, else α(eˣ − 1), whose derivative at 0 is α.
func ELU[T Scalar[T]](x T, alpha float64) T {
	return x.Select(x, x.Expm1().Scale(alpha))
}

// GELU returns x·Φ(x), Φ the standard normal distribution function.
func GELU[T Scalar[T]](x T) T {
	return x.Prod(x.Scale(-1 / math.Sqrt2).Erfc().Scale(0.5))
}

// SiLU returns x/(1 + e⁻ˣ).
func SiLU[T Scalar[T]](x T) T {
	return x.Prod(x.Logistic())
}
