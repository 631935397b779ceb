package classics

import (
	"math"

	"gonum.org/v1/gonum/optimize/functions"

	"github.com/hesse-ad/hesse/dual"
)

// A surface is a grid of m×m nodes on the unit square around 0, with its heights on
// the boundary.
type surface struct {
	m    int
	edge [][]float64 // heights, those inside are not used
}

// height is that of node (i, j), if x are those inside.
func (s *surface) height(x []float64, i, j int) float64 {
	if 0 < i && i < s.m-1 && 0 < j && j < s.m-1 {
		return x[i-1+(j-1)*(s.m-2)]
	}
	return s.edge[i][j]
}

// surfaceArea is the area of the surface over a grid, two triangles a cell, by its
// (m−2)² heights inside. On the boundary the heights are those of Enneper's
// surface, which is minimal.
//
// Source: Averick, Carter, Moré, Xue, The MINPACK-2 test problem collection,
// 1992.
func surfaceArea(x []float64, s *surface) float64 {
	h := 1 / float64(s.m-1)
	area := func(dx, dy float64) float64 { return math.Sqrt(1 + (dx*dx+dy*dy)/(h*h)) }
	sum := 0.0
	for j := range s.m - 1 {
		for i := range s.m - 1 {
			a, b := s.height(x, i, j), s.height(x, i+1, j)
			c, d := s.height(x, i, j+1), s.height(x, i+1, j+1)
			sum += area(b-a, c-a) + area(d-c, d-b)
		}
	}
	return sum * h * h / 2
}

// newSurface is a grid with the boundary of Enneper's surface.
func newSurface(m int) *surface {
	s := &surface{m, make([][]float64, m)}
	h := 1 / float64(m-1)
	exact := functions.NewMinimalSurface(m, m).ExactSolution
	for i := range s.edge {
		s.edge[i] = make([]float64, m)
		for j := range m {
			s.edge[i][j] = exact(-0.5+float64(i)*h, -0.5+float64(j)*h)
		}
	}
	return s
}

// MinimalSurface returns the area of surfaceArea as a function of the heights inside.
func MinimalSurface[T dual.Scalar[T]](m int) func(x []T) T {
	s := newSurface(m)
	return func(x []T) T { return surfaceAreaOf(x, s) }
}

// surfaceStart is the mean of the heights at the edges x = −½ and y = −½.
func surfaceStart(m int) []float64 {
	return functions.NewMinimalSurface(m, m).InitX()
}
