package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Rosen is the chained Rosenbrock function
//
//	Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²,   0 ≤ i < n−1.
func Rosen[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 0; i+1 < len(x); i++ {
		a := x[i+1].Sub(x[i].Square())
		b := x[i].RSub(1)
		s = s.Add(a.Square().Scale(100).Add(b.Square()))
	}
	return s
}

func rosenPlain(x []float64) float64 {
	var s float64
	for i := 1; i < len(x); i++ {
		y := x[i-1]
		a := x[i] - y*y
		b := 1 - y
		s += 100*(a*a) + b*b
	}
	return s
}

func rosenStart(n int) []float64 {
	return start(n, func(i float64) float64 { return 0.3 + 0.1*math.Sin(i) })
}
