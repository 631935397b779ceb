package newton

import "math"

// Gradient-based scaling: f and each row of c are multiplied by
//
//	min(1, 100/‖∇‖∞), not below 10⁻⁸,
//
// with their gradients at the start. If one of these is much larger than at the solution,
// that is where the method starts again.
const (
	gradientMax = 100
	leastScale  = 1e-8
	muchFlatter = 100
)

// flatter reports whether the scale of f or a row would be far larger here, where b.j is
// without scales.
func (fn *functions) flatter() bool {
	scale := func(out int) float64 {
		_, g := rowOf(fn.b.j, out)
		return scaleFor(g)
	}
	far := scale(0) > muchFlatter*fn.fScale
	for r, out := range fn.output {
		far = far || scale(out) > muchFlatter*fn.scale[r]
	}
	return far
}

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
