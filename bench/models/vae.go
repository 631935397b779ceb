package models

import "github.com/hesse-ad/hesse/dual"

const (
	vaeInputs = 3
	vaeHidden = 4
	vaeLatent = 2
	vaePoints = 6
)

var (
	vaeX     = normals(51, vaePoints, vaeInputs)
	vaeNoise = normals(52, vaePoints, vaeLatent)
	vaeStart = normal(53, perceptronParams(vaeInputs, vaeHidden, 2*vaeLatent)+
		perceptronParams(vaeLatent, vaeHidden, vaeInputs), 0.5)
)

// VAE is the negative evidence lower bound of a variational auto-encoder with
// Gaussian encoder and decoder, but for a constant: perceptrons give
// (μ, ℓ) = enc(x) and x̂ = dec(z), z is drawn as μ + exp(ℓ/2)∘ε with the noise ε
// of each data point fixed, and
//
//	1/N Σ ½‖x − x̂‖² + KL(N(μ, diag exp ℓ) ‖ N(0, 1)),
//
// in w = (encoder, decoder). Source: Kingma and Welling, Auto-encoding
// variational Bayes, 2013.
func VAE[T dual.Scalar[T]](w []T) T {
	loss := make([]T, vaePoints)
	for i := range loss {
		p := params[T](w)
		x := constants[T](vaeX[i])
		code := perceptron(&p, vaeHidden, 2*vaeLatent, T.Tanh, x)
		mu, logVar := code[:vaeLatent], code[vaeLatent:]
		z := make([]T, vaeLatent)
		for j, e := range vaeNoise[i] {
			z[j] = mu[j].Add(logVar[j].Scale(0.5).Exp().Scale(e))
		}
		out := perceptron(&p, vaeHidden, vaeInputs, T.Tanh, z)
		loss[i] = squares(x, out).Scale(0.5).Add(normalDivergence(mu, logVar))
	}
	return mean(loss)
}
