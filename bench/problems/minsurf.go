package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Minsurf is the area of the surface of heights x over the unit square, on a
// grid of m×m nodes, m ≥ 2, in rows, with h = 1/(m−1): the sum over the cells
//
//	a b
//	c d
//
// of h²·√(1 + ((a−d)² + (b−c)²)/(2h²)).
func Minsurf[T dual.Scalar[T]](x []T) T {
	m := gridSide(len(x))
	r := float64(m - 1)
	var s T
	for i := 0; i+1 < m; i++ {
		top, bottom := x[i*m:(i+1)*m], x[(i+1)*m:(i+2)*m]
		for j := 1; j < m; j++ {
			p := top[j-1].Sub(bottom[j])
			q := top[j].Sub(bottom[j-1])
			s = s.Add(p.Square().Add(q.Square()).Scale(r * r / 2).AddReal(1).Sqrt())
		}
	}
	return s.Scale(1 / (r * r))
}

func minsurfPlain(x []float64) float64 {
	m := gridSide(len(x))
	r := float64(m - 1)
	k := r * r / 2
	var s float64
	for i := 0; i+1 < m; i++ {
		top, bottom := x[i*m:(i+1)*m], x[(i+1)*m:(i+2)*m]
		bottom = bottom[:len(top)]
		// To carry the corners over from cell to cell takes twice as long as to
		// load them.
		for j := 1; j < len(top); j++ {
			p := top[j-1] - bottom[j]
			q := top[j] - bottom[j-1]
			s += math.Sqrt(k*(p*p+q*q) + 1)
		}
	}
	return s * (1 / (r * r))
}

func minsurfStart(m int) []float64 {
	x := make([]float64, m*m)
	h := 1 / float64(m-1)
	for i := range m {
		for j := range m {
			x[i*m+j] = 0.1*math.Sin(3*float64(i)*h) + 0.1*math.Cos(5*float64(j)*h)
		}
	}
	return x
}
