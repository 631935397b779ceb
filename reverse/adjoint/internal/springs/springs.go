// Package springs has the energy of a chain of springs that break, a function that no tape
// holds, and products with its Hessian that command adjoint wrote.
package springs

import "math"

//go:generate go run github.com/hesse-ad/hesse/reverse/adjoint -gradient -hvp -directions 4 Energy

// Energy is that of a chain with displacements x, held at its left end, in a load: a spring
// stores ½s² + ¼s⁴ at strain s, and where |s| > limit, after which it slides, what it stored
// then and limit·(1 + limit²) for each unit beyond.
func Energy(x []float64, limit float64) float64 {
	e, left := 0.0, 0.0
	for _, right := range x {
		s := math.Abs(right - left)
		left = right
		e -= 0.1 * right
		if s > limit {
			e += (s - limit) * limit * (1 + limit*limit)
			s = limit
		}
		e += s*s/2 + s*s*s*s/4
	}
	return e
}
