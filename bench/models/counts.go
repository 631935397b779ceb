package models

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

const (
	countsSteps = 40
	countsDrift = 0.3 // deviation of a step of the logarithm
)

var (
	countsY     = newCountsY()
	countsStart = normal(101, countsSteps, 0.3)
)

// newCountsY are numbers around a wave.
func newCountsY() []float64 {
	y := make([]float64, countsSteps)
	for i, e := range normal(102, countsSteps, 1) {
		mu := math.Exp(1 + math.Sin(0.2*float64(i)))
		y[i] = math.Round(max(0, mu+math.Sqrt(mu)*e))
	}
	return y
}

// Counts is −ln p(y, z) of counts yᵢ, each of a Poisson distribution of mean
// exp zᵢ, whose logarithm z is a random walk that starts at N(0, 1),
//
//	Σ exp zᵢ − yᵢzᵢ + ln yᵢ! + ½z₀² + ½ln 2π + Σ ½(zᵢ₊₁ − zᵢ)²/σ² + ln σ + ½ln 2π,
//
// in z. Its Hessian is tridiagonal. Laplace's approximation of the marginal
// likelihood p(y) takes its minimum and the determinant of the Hessian there.
func Counts[T dual.Scalar[T]](z []T) T {
	var s T
	for i, z := range z {
		logFactorial, _ := math.Lgamma(countsY[i] + 1)
		s = s.Add(z.Exp().Sub(z.Scale(countsY[i])).AddReal(logFactorial))
	}
	return s.Add(walk(z))
}

// walk is −ln p(z).
func walk[T dual.Scalar[T]](z []T) T {
	s := z[0].Square().Scale(0.5)
	for i := range len(z) - 1 {
		s = s.Add(z[i+1].Sub(z[i]).Square().Scale(0.5 / (countsDrift * countsDrift)))
	}
	n := float64(len(z))
	return s.AddReal((n-1)*math.Log(countsDrift) + n/2*math.Log(2*math.Pi))
}
