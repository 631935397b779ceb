package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Trig is
//
//	Σ sin(xᵢxᵢ₊₁)·exp(−xᵢ²/10) + ln(1 + xᵢ₊₁²),   0 ≤ i < n−1.
func Trig[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 0; i+1 < len(x); i++ {
		wave := x[i].Mul(x[i+1]).Sin()
		damp := x[i].Square().Scale(-0.1).Exp()
		s = s.Add(wave.Mul(damp).Add(x[i+1].Square().AddReal(1).Log()))
	}
	return s
}

func trigPlain(x []float64) float64 {
	var s float64
	for i := 1; i < len(x); i++ {
		y, z := x[i-1], x[i]
		s += math.Sin(y*z)*math.Exp(-0.1*(y*y)) + math.Log(1+z*z)
	}
	return s
}

func trigStart(n int) []float64 {
	return start(n, func(i float64) float64 { return 0.5 + 0.3*math.Sin(2*i) })
}
