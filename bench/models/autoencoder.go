package models

import "github.com/hesse-ad/hesse/dual"

const (
	autoEncoderInputs = 4
	autoEncoderCode   = 2
	autoEncoderPoints = 7
)

var (
	autoEncoderX     = normals(41, autoEncoderPoints, autoEncoderInputs)
	autoEncoderStart = normal(42, 2*autoEncoderInputs*autoEncoderCode, 0.5)
)

// AutoEncoder is the reconstruction loss
//
//	1/N Σ ½‖x − D·tanh(Ex)‖²
//
// in w = (E, D), encoder and decoder.
func AutoEncoder[T dual.Scalar[T]](w []T) T {
	loss := make([]T, autoEncoderPoints)
	for i, x := range autoEncoderX {
		loss[i] = reconstruction(T.Tanh, w, autoEncoderCode, constants[T](x))
	}
	return mean(loss)
}

// reconstruction is ½‖x − D·act(Ex)‖² for a code of n numbers.
func reconstruction[T dual.Scalar[T]](act func(T) T, w []T, n int, x []T) T {
	p := params[T](w)
	code := apply(act, linear(&p, n, x))
	return squares(x, linear(&p, len(x), code)).Scale(0.5)
}
