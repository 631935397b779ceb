package models

import "github.com/hesse-ad/hesse/dual"

// normalDivergence is the Kullback–Leibler divergence of N(μ, diag exp ℓ) from N(0, 1),
//
//	½ Σ μ² + exp ℓ − 1 − ℓ.
func normalDivergence[T dual.Scalar[T]](mu, logVar []T) T {
	d := make([]T, len(mu))
	for i := range d {
		d[i] = mu[i].Square().Add(logVar[i].Expm1()).Sub(logVar[i])
	}
	return dual.Sum(d).Scale(0.5)
}
