package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Gradient-based scaling: f and each row of c are multiplied by
//
//	min(1, 100/‖∇‖∞), not below 10⁻⁸,
//
// with their gradients at the start. If one of these is much larger than at the solution,
// that is where the method starts again. An f of which neither the gradient nor the
// Hessian, times the largest variable, has an element of 10⁻² is multiplied by the inverse
// of the largest, by 10¹⁶ at most: else all of it might be below the tolerance.
const (
	gradientMax   = 100
	leastScale    = 1e-8
	muchFlatter   = 100
	smallGradient = 1e-2
	mostScale     = 1e16
)

// setScales sets the scales from the derivatives at x, the start.
func (fn *functions) setScales(x []float64) error {
	_, g := rowOf(fn.b.j, 0)
	fn.fScale = scaleFor(g)
	for r, out := range fn.output {
		_, g := rowOf(fn.b.j, out)
		fn.scale[r] = scaleFor(g)
	}
	size := floats.Norm(g, math.Inf(1))
	if size >= smallGradient {
		return nil
	}
	if err := fn.hessian(x, 1, make([]float64, fn.m)); err != nil {
		return err
	}
	size = max(size, floats.Norm(fn.b.w.Values(), math.Inf(1))*max(1, floats.Norm(x, math.Inf(1))))
	if size > 0 && size < smallGradient {
		fn.fScale = min(1/size, mostScale)
	}
	return nil
}

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
