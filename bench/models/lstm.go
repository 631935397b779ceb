package models

import "github.com/hesse-ad/hesse/dual"

const (
	lstmInputs = 2
	lstmHidden = 3
	lstmSteps  = 6
)

var (
	lstmX     = normals(31, lstmSteps, lstmInputs)
	lstmY     = normal(32, lstmSteps, 0.5)
	lstmStart = normal(33, 4*lstmHidden*(lstmInputs+lstmHidden+1)+lstmHidden+1, 0.5)
)

// LSTM is the loss of a network of long short-term memory that predicts a
// number at each step: with z = [xₜ; hₜ₋₁] and the gates i, f, o and input g,
//
//	i, f, o = logistic(W_i z + b_i), …,   g = tanh(W_g z + b_g),
//	cₜ = f∘cₜ₋₁ + i∘g,   hₜ = o∘tanh(cₜ),   1/T Σ ½(vᵀhₜ + c − yₜ)²,
//
// in w = (W_i, b_i, W_f, b_f, W_o, b_o, W_g, b_g, v, c). Source: Hochreiter and
// Schmidhuber, Long short-term memory, 1997; the forget gate f is by Gers,
// Schmidhuber and Cummins, 2000.
func LSTM[T dual.Scalar[T]](w []T) T {
	loss := make([]T, lstmSteps)
	h, c := make([]T, lstmHidden), make([]T, lstmHidden)
	for t, x := range lstmX {
		p := params[T](w)
		h, c = lstmStep(&p, constants[T](x), h, c)
		loss[t] = affine(&p, 1, h)[0].SubReal(lstmY[t]).Square().Scale(0.5)
	}
	return mean(loss)
}

// lstmStep is the next state and cell after h and c.
func lstmStep[T dual.Scalar[T]](p *params[T], x, h, c []T) (nextH, nextC []T) {
	n := len(h)
	z := append(append([]T(nil), x...), h...)
	in := apply(T.Logistic, affine(p, n, z))
	forget := apply(T.Logistic, affine(p, n, z))
	out := apply(T.Logistic, affine(p, n, z))
	g := apply(T.Tanh, affine(p, n, z))
	nextH, nextC = make([]T, n), make([]T, n)
	for i := range n {
		nextC[i] = forget[i].Mul(c[i]).Add(in[i].Mul(g[i]))
		nextH[i] = out[i].Mul(nextC[i].Tanh())
	}
	return nextH, nextC
}
