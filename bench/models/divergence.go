package models

import "github.com/hesse-ad/hesse/dual"

// divergence is the Kullback–Leibler divergence Σ pᵢ ln(pᵢ/qᵢ) of two discrete
// distributions with positive probabilities.
func divergence[T dual.Scalar[T]](p, q []T) T {
	d := make([]T, len(p))
	for i := range d {
		d[i] = p[i].Mul(p[i].Div(q[i]).Log())
	}
	return dual.Sum(d)
}

// normalDivergence is that of N(μ, diag exp ℓ) from N(0, 1),
//
//	½ Σ μ² + exp ℓ − 1 − ℓ.
func normalDivergence[T dual.Scalar[T]](mu, logVar []T) T {
	d := make([]T, len(mu))
	for i := range d {
		d[i] = mu[i].Square().Add(logVar[i].Expm1()).Sub(logVar[i])
	}
	return dual.Sum(d).Scale(0.5)
}
