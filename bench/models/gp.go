package models

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

const gpPoints = 10

var (
	gpX     = normal(91, gpPoints, 2)
	gpY     = newGPY()
	gpStart = []float64{0.2, -0.1, -1}
)

// newGPY is a noisy sine.
func newGPY() []float64 {
	y := normal(92, gpPoints, 0.2)
	for i, x := range gpX {
		y[i] += math.Sin(x)
	}
	return y
}

// GaussianProcess is the negative logarithm of the marginal likelihood of kernel
// ridge regression with a Gaussian kernel, that is of a Gaussian process,
//
//	½yᵀK⁻¹y + ½ln det K + N/2·ln 2π,
//	Kᵢⱼ = σ²exp(−(xᵢ − xⱼ)²/2ℓ²) + τ²δᵢⱼ,
//
// in the hyperparameters w = (ln σ, ln ℓ, ln τ); τ² is the ridge. It goes through
// the Cholesky factorization of K. Source: Rasmussen and Williams, Gaussian
// Processes for Machine Learning, 2006, algorithm 2.1.
func GaussianProcess[T dual.Scalar[T]](w []T) T {
	l := cholesky(gpKernel(w, gpX))
	y := forwardSolve(l, constants[T](gpY))
	logs := make([]T, len(l))
	for i := range l {
		logs[i] = l[i][i].Log()
	}
	return dual.Dot(y, y).Scale(0.5).Add(dual.Sum(logs)).AddReal(gpPoints / 2. * math.Log(2*math.Pi))
}

// gpKernel is the lower triangle of K, row by row.
func gpKernel[T dual.Scalar[T]](w []T, x []float64) [][]T {
	logVariance, ridge := w[0].Scale(2), w[2].Scale(2).Exp()
	precision := w[1].Scale(-2).Exp()
	k := make([][]T, len(x))
	for i := range k {
		k[i] = make([]T, i+1)
		for j := range i {
			d := x[i] - x[j]
			k[i][j] = logVariance.Add(precision.Scale(-0.5 * d * d)).Exp()
		}
		k[i][i] = logVariance.Exp().Add(ridge)
	}
	return k
}

// cholesky replaces the lower triangle of a positive definite matrix by L, with
// A = LLᵀ, and returns it. Where A is not positive definite L has NaN.
func cholesky[T dual.Scalar[T]](a [][]T) [][]T {
	for i, row := range a {
		for j := range i {
			row[j] = row[j].Sub(dual.Dot(row[:j], a[j][:j])).Div(a[j][j])
		}
		row[i] = row[i].Sub(dual.Dot(row[:i], row[:i])).Sqrt()
	}
	return a
}

// forwardSolve replaces b by L⁻¹b and returns it.
func forwardSolve[T dual.Scalar[T]](l [][]T, b []T) []T {
	for i, row := range l {
		b[i] = b[i].Sub(dual.Dot(row[:i], b[:i])).Div(row[i])
	}
	return b
}
