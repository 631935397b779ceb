package models

import (
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
)

const gpPoints = 10

var (
	gp      = newProcess(gpPoints)
	gpStart = []float64{0.2, -0.1, -1}
)

// GaussianProcess is the negative logarithm of the marginal likelihood of kernel
// ridge regression with a Gaussian kernel, that is of a Gaussian process,
//
//	½yᵀK⁻¹y + ½ln det K + N/2·ln 2π,
//	Kᵢⱼ = σ²exp(−(xᵢ − xⱼ)²/2ℓ²) + τ²δᵢⱼ,
//
// in the hyperparameters w = (ln σ, ln ℓ, ln τ); τ² is the ridge. Source: Rasmussen and
// Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1.
func GaussianProcess[T dual.Scalar[T]](p *ProcessData, w []T) T {
	n := len(p.y)
	y := matrix.New(1, n, constants[T](p.y))
	return matrix.LogNormal(nil, y, make([]T, n), matrix.Covariance, gpKernel(w, p.x))[0].Neg()
}

// gpKernel is K, its lower triangle alone.
func gpKernel[T dual.Scalar[T]](w []T, x []float64) *matrix.Dense[T] {
	logVariance, precision := w[0].Scale(2), w[1].Scale(-2).Exp()
	diagonal := logVariance.Exp().Add(w[2].Scale(2).Exp())
	of := []T{logVariance, precision}
	k := matrix.New[T](len(x), len(x), nil)
	for i := range x {
		for j := range i {
			d := x[i] - x[j]
			k.Set(i, j, dual.Affine(0, []float64{1, -0.5 * d * d}, of).Exp())
		}
		k.Set(i, i, diagonal)
	}
	return k
}
