package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Arrow is, for n ≥ 1 variables the last of which is z,
//
//	Σ (xᵢ² + z²)² − 4xᵢ + 3,   0 ≤ i < n−1.
//
// Source: problem 55 of the report cited at [Bdqrtic], ARWHEAD of CUTEst.
func Arrow[T dual.Scalar[T]](x []T) T {
	last := len(x) - 1
	z := x[last].Square()
	var s T
	for _, x := range x[:last] {
		q := x.Square().Add(z).Square()
		s = s.Add(q.Sub(x.Scale(4)).AddReal(3))
	}
	return s
}

func arrowPlain(x []float64) float64 {
	last := len(x) - 1
	z := x[last] * x[last]
	var s float64
	for _, x := range x[:last] {
		q := x*x + z
		s += q*q - 4*x + 3
	}
	return s
}

func arrowStart(n int) []float64 {
	return start(n, func(i float64) float64 { return 1 + 0.1*math.Cos(i) })
}
