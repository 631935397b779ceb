package dual

import "github.com/hesse-ad/hesse/internal/elem"

// RegIncGamma returns the regularized lower incomplete gamma function
//
//	P(a, x) = 1/Γ(a)·∫₀ˣ tᵃ⁻¹e⁻ᵗ dt, a > 0, x ≥ 0,
//
// the distribution function of a gamma variable of shape a, elsewhere NaN. All
// derivatives exist, also in a. Those in a, and the value, are quadratures: each
// takes the time of some hundred exponentials, of some thousand if a is tiny.
func RegIncGamma[T Scalar[T]](a, x T) T { return a.IncGamma(0, 0, x) }

// RegIncBeta returns the regularized incomplete beta function
//
//	I(a, b, x) = 1/B(a, b)·∫₀ˣ tᵃ⁻¹(1−t)ᵇ⁻¹ dt, a, b > 0, 0 ≤ x ≤ 1,
//
// the distribution function of a beta variable, elsewhere NaN, with derivatives
// in all of its arguments at the cost of [RegIncGamma].
func RegIncBeta[T Scalar[T]](a, b, x T) T { return a.IncBeta(0, 0, 0, b, x) }

// maxOrder is the largest order of a derivative of an incomplete function.
const maxOrder = 60

func incGamma(i, j int, a, x float64) float64 {
	if min(i, j) < 0 || max(i, j) > maxOrder {
		panic("dual: order of a derivative of the incomplete gamma function")
	}
	return elem.RegIncGamma(a, x, i, j)
}

func incBeta(i, j, k int, a, b, x float64) float64 {
	if min(i, j, k) < 0 || max(i, j, k) > maxOrder {
		panic("dual: order of a derivative of the incomplete beta function")
	}
	return elem.RegIncBeta(a, b, x, i, j, k)
}
