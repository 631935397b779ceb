package newton

import "math"

// Gradient-based scaling: f and each row of c are multiplied by
//
//	min(1, 100/‖∇‖∞), not below 10⁻⁸,
//
// with their gradients at the start.
const (
	gradientMax = 100
	leastScale  = 1e-8
)

func scaleFor(gradient []float64) float64 {
	size := 0.0
	for _, g := range gradient {
		size = max(size, math.Abs(g))
	}
	if size <= gradientMax {
		return 1
	}
	return max(leastScale, gradientMax/size)
}
