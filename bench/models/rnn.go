package models

import "github.com/hesse-ad/hesse/dual"

const (
	rnnInputs = 2
	rnnHidden = 4
	rnnSteps  = 8
)

var (
	rnnX     = normals(21, rnnSteps, rnnInputs)
	rnnY     = normal(22, rnnSteps, 0.5)
	rnnStart = normal(23, rnnHidden*(rnnInputs+rnnHidden+1)+rnnHidden+1, 0.5)
)

// RNN is the loss of a plain recurrent network that predicts a number at each
// step,
//
//	hₜ = tanh(W_xh xₜ + W_hh hₜ₋₁ + b),   1/T Σ ½(vᵀhₜ + c − yₜ)²,
//
// with h₀ = 0, in w = (W_xh, W_hh, b, v, c).
func RNN[T dual.Scalar[T]](w []T) T {
	loss := make([]T, rnnSteps)
	h := make([]T, rnnHidden)
	for t, x := range rnnX {
		p := params[T](w)
		h = rnnStep(&p, constants[T](x), h)
		loss[t] = affine(&p, 1, h)[0].SubReal(rnnY[t]).Square().Scale(0.5)
	}
	return mean(loss)
}

// rnnStep is the next state after h.
func rnnStep[T dual.Scalar[T]](p *params[T], x, h []T) []T {
	next := linear(p, len(h), x)
	for i, z := range affine(p, len(h), h) {
		next[i] = next[i].Add(z).Tanh()
	}
	return next
}
