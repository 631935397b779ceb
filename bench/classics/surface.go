package classics

import (
	"gonum.org/v1/gonum/optimize/functions"

	"github.com/hesse-ad/hesse/dual"
)

// MinimalSurface returns the area of the surface over an m×m grid of nodes on
// the unit square around 0, two triangles a cell, by its (m−2)² heights inside.
// On the boundary the heights are those of Enneper's surface, which is minimal.
//
// Source: Averick, Carter, Moré, Xue, The MINPACK-2 test problem collection,
// 1992.
func MinimalSurface[T dual.Scalar[T]](m int) func(x []T) T {
	h := 1 / float64(m-1)
	exact := functions.NewMinimalSurface(m, m).ExactSolution
	edge := func(i, j int) float64 { return exact(-0.5+float64(i)*h, -0.5+float64(j)*h) }
	return func(x []T) T {
		at := func(i, j int) T {
			if 0 < i && i < m-1 && 0 < j && j < m-1 {
				return x[i-1+(j-1)*(m-2)]
			}
			return x[0].Const(edge(i, j))
		}
		area := func(dx, dy T) T { return dx.Square().Add(dy.Square()).Scale(1 / (h * h)).AddReal(1).Sqrt() }
		var s T
		for j := range m - 1 {
			for i := range m - 1 {
				a, b, c, d := at(i, j), at(i+1, j), at(i, j+1), at(i+1, j+1)
				s = s.Add(area(b.Sub(a), c.Sub(a))).Add(area(d.Sub(c), d.Sub(b)))
			}
		}
		return s.Scale(0.5 * h * h)
	}
}

// surfaceStart is the mean of the heights at the edges x = −½ and y = −½.
func surfaceStart(m int) []float64 {
	return functions.NewMinimalSurface(m, m).InitX()
}
