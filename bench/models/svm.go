package models

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

const (
	svmInputs = 2
	svmPoints = 10
)

var (
	svmX = newSVMX()
	svmY = []float64{1, 1, 1, 1, 1, -1, -1, -1, -1, -1}
)

// SVMStart is λ = (γ, C, x) of SVM at which it is differentiated.
var SVMStart = append([]float64{0.5, 1.5}, svmX...)

// newSVMX are two clouds that overlap.
func newSVMX() []float64 {
	x := normal(111, svmPoints*svmInputs, 0.9)
	for i := range x {
		x[i] += 0.6 * svmY[i/svmInputs]
	}
	return x
}

// SVM is the dual of a support vector machine with a Gaussian kernel,
//
//	minimize ½Σᵢⱼ αᵢαⱼyᵢyⱼ exp(−γ‖xᵢ − xⱼ‖²) − Σα
//	subject to yᵀα = 0, −α ≤ 0, α − C ≤ 0,
//
// in α and λ = (γ, C, x), with the labels y: objective, equality, inequalities,
// as implicit.KKT wants them. Source: Cortes and Vapnik, Support-vector
// networks, 1995.
func SVM[T dual.Scalar[T]](alpha, lambda []T) []T {
	p := params[T](lambda)
	gamma, c, x := p.next(1)[0], p.next(1)[0], p
	signed := make([]T, svmPoints)
	for i, a := range alpha {
		signed[i] = a.Scale(svmY[i])
	}
	energy := make([]T, svmPoints)
	kernel := make([]T, svmPoints)
	for i := range energy {
		for j := range kernel {
			d := squares(x[i*svmInputs:(i+1)*svmInputs], x[j*svmInputs:(j+1)*svmInputs])
			kernel[j] = d.Mul(gamma).Neg().Exp()
		}
		energy[i] = signed[i].Mul(dual.Dot(kernel, signed))
	}
	out := []T{dual.Sum(energy).Scale(0.5).Sub(dual.Sum(alpha)), dual.Sum(signed)}
	for _, a := range alpha {
		out = append(out, a.Neg())
	}
	for _, a := range alpha {
		out = append(out, a.Sub(c))
	}
	return out
}

// SolveSVM returns the solution α of the dual for λ and its multipliers y and z.
// It changes the pair of αs that violates the optimality conditions most until
// none does by 10⁻¹³. Source: Fan, Chen and Lin, Working set selection using
// second order information for training support vector machines, 2005, WSS 1.
func SolveSVM(lambda []float64) (alpha, y, z []float64) {
	gamma, c, x := lambda[0], lambda[1], lambda[2:]
	kernel := func(i, j int) float64 {
		d := 0.0
		for k := range svmInputs {
			e := x[i*svmInputs+k] - x[j*svmInputs+k]
			d += e * e
		}
		return math.Exp(-gamma * d)
	}
	alpha = make([]float64, svmPoints)
	slope := make([]float64, svmPoints) // ∂f/∂α
	var b float64
	for {
		for i := range slope {
			slope[i] = -1
			for j, a := range alpha {
				slope[i] += svmY[i] * svmY[j] * kernel(i, j) * a
			}
		}
		// −yᵢ∂f/∂αᵢ is at most b where yᵢαᵢ may grow, and at least where it may
		// fall.
		up, down := -1, -1
		for i, s := range slope {
			v := -svmY[i] * s
			if (svmY[i] > 0 && alpha[i] < c || svmY[i] < 0 && alpha[i] > 0) && (up < 0 || v > -svmY[up]*slope[up]) {
				up = i
			}
			if (svmY[i] > 0 && alpha[i] > 0 || svmY[i] < 0 && alpha[i] < c) && (down < 0 || v < -svmY[down]*slope[down]) {
				down = i
			}
		}
		gap := -svmY[up]*slope[up] + svmY[down]*slope[down]
		b = (-svmY[up]*slope[up] - svmY[down]*slope[down]) / 2
		if gap < 1e-13 {
			break
		}
		step := gap / (2 - 2*kernel(up, down))
		a, bound := alpha[up], (1+svmY[up])/2*c // the bounds that are moved to
		d, other := alpha[down], (1-svmY[down])/2*c
		step = min(step, math.Abs(bound-a), math.Abs(other-d))
		alpha[up], alpha[down] = a+svmY[up]*step, d-svmY[down]*step
		if step == math.Abs(bound-a) {
			alpha[up] = bound
		}
		if step == math.Abs(other-d) {
			alpha[down] = other
		}
	}
	// ∂f/∂α + b·y − z₁ + z₂ = 0.
	z = make([]float64, 2*svmPoints)
	for i, a := range alpha {
		r := slope[i] + b*svmY[i]
		switch a {
		case 0:
			z[i] = r
		case c:
			z[svmPoints+i] = -r
		}
	}
	return alpha, []float64{b}, z
}
