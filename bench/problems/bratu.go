package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Bratu is the solid fuel ignition problem
//
//	−Δu − 6eᵘ
//
// on the inner nodes of a grid over the unit square, m×m of them in rows, by
// five-point differences with h = 1/(m+1) and u = 0 on the boundary.
func Bratu[T dual.Scalar[T]](u []T) []T {
	m := gridSide(len(u))
	k := float64((m + 1) * (m + 1))
	c := []float64{-6, 4 * k, -k, -k, -k, -k}
	f := make([]T, len(u))
	buf := make([]T, 0, len(c))
	for i := range m {
		for j := range m {
			at := i*m + j
			x := append(buf, u[at].Exp(), u[at])
			if j > 0 {
				x = append(x, u[at-1])
			}
			if j+1 < m {
				x = append(x, u[at+1])
			}
			if i > 0 {
				x = append(x, u[at-m])
			}
			if i+1 < m {
				x = append(x, u[at+m])
			}
			f[at] = dual.Affine(0, c[:len(x)], x)
		}
	}
	return f
}

func bratuPlain(dst, u []float64) {
	m := gridSide(len(u))
	k := float64((m + 1) * (m + 1))
	for i := range m {
		row := u[i*m:][:m]
		out := dst[i*m:][:m]
		for j, x := range row {
			s := 4 * x
			if j > 0 {
				s -= row[j-1]
			}
			if j+1 < m {
				s -= row[j+1]
			}
			if i > 0 {
				s -= u[(i-1)*m+j]
			}
			if i+1 < m {
				s -= u[(i+1)*m+j]
			}
			out[j] = k*s - 6*math.Exp(x)
		}
	}
}

func bratuStart(m int) []float64 {
	u := make([]float64, m*m)
	h := 1 / float64(m+1)
	for i := range m {
		for j := range m {
			u[i*m+j] = 0.1 * math.Sin(3*float64(i)*h) * math.Sin(2*float64(j)*h)
		}
	}
	return u
}
