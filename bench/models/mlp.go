package models

import "github.com/hesse-ad/hesse/dual"

const (
	mlpInputs  = 3
	mlpHidden  = 5
	mlpOutputs = 2
	mlpPoints  = 8
)

var (
	mlpX     = normals(1, mlpPoints, mlpInputs)
	mlpY     = normals(2, mlpPoints, mlpOutputs)
	mlpStart = normal(3, perceptronParams(mlpInputs, mlpHidden, mlpOutputs), 0.6)
)

// MLP is the loss of a two-layer perceptron with an activation function,
//
//	1/N Σ ½‖W₂·act(W₁x + b₁) + b₂ − y‖²,
//
// in w = (W₁, b₁, W₂, b₂).
func MLP[T dual.Scalar[T]](act func(T) T, w []T) T {
	loss := make([]T, mlpPoints)
	for i := range loss {
		p := params[T](w)
		out := perceptron(&p, mlpHidden, mlpOutputs, act, constants[T](mlpX[i]))
		loss[i] = squares(out, constants[T](mlpY[i])).Scale(0.5)
	}
	return mean(loss)
}
