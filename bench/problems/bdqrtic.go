package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Bdqrtic is, for n ≥ 5 variables the last of which is z,
//
//	Σ (3 − 4xᵢ)² + (xᵢ² + 2xᵢ₊₁² + 3xᵢ₊₂² + 4xᵢ₊₃² + 5z²)²,   0 ≤ i < n−4.
//
// Source: Conn, Gould, Lescrenier, Toint, Performance of a multifrontal scheme
// for partially separable optimization, report 88/4, FUNDP Namur, 1988,
// problem 61.
func Bdqrtic[T dual.Scalar[T]](x []T) T {
	n := len(x)
	sq := make([]T, n)
	for i := range x {
		sq[i] = x[i].Square()
	}
	z := sq[n-1].Scale(5)
	c := []float64{1, 2, 3, 4}
	var s T
	for i := range n - 4 {
		a := x[i].Scale(4).RSub(3)
		q := dual.Affine(0, c, sq[i:i+4]).Add(z)
		s = s.Add(a.Square().Add(q.Square()))
	}
	return s
}

func bdqrticPlain(x []float64) float64 {
	n := len(x)
	z := 5 * (x[n-1] * x[n-1])
	q0, q1, q2 := x[0]*x[0], x[1]*x[1], x[2]*x[2]
	head := x[:n-4]
	ahead := x[3:][:len(head)]
	var s float64
	for i, y := range head {
		q3 := ahead[i] * ahead[i]
		a := 3 - 4*y
		q := q0 + 2*q1 + 3*q2 + 4*q3 + z
		s += a*a + q*q
		q0, q1, q2 = q1, q2, q3
	}
	return s
}

func bdqrticStart(n int) []float64 {
	return start(n, func(i float64) float64 { return 1 + 0.1*math.Cos(i) })
}
