package models

import "github.com/hesse-ad/hesse/dual"

const (
	ganInputs = 2
	ganHidden = 4
	ganPoints = 6
)

var (
	ganReal  = normals(81, ganPoints, ganInputs)
	ganNoise = normals(82, ganPoints, ganInputs)
	ganStart = normal(83, perceptronParams(ganInputs, ganHidden, 1)+perceptronParams(ganInputs, ganHidden, ganInputs), 0.7)
)

// GAN is the discriminator's loss of a generative adversarial network,
//
//	−1/N Σ ln D(x) − 1/N Σ ln(1 − D(G(z))),   D = logistic(d),
//
// with perceptrons d and G and fixed noise z, in w = (d, G): the discriminator
// minimizes, the generator maximizes it. Source: Goodfellow et al., Generative
// adversarial nets, 2014.
func GAN[T dual.Scalar[T]](w []T) T {
	p := params[T](w)
	discriminator := p.next(perceptronParams(ganInputs, ganHidden, 1))
	generator := p
	score := func(x []T) T {
		p := params[T](discriminator)
		return perceptron(&p, ganHidden, 1, T.Tanh, x)[0]
	}
	real, fake := make([]T, ganPoints), make([]T, ganPoints)
	for i := range real {
		real[i] = score(constants[T](ganReal[i]))
		p := generator
		fake[i] = score(perceptron(&p, ganHidden, ganInputs, T.Tanh, constants[T](ganNoise[i])))
	}
	return discrimination(real, fake)
}

// discrimination is the loss for the scores of real and of generated points:
// −ln logistic(d) is softplus(−d), and −ln(1 − logistic(d)) softplus(d).
func discrimination[T dual.Scalar[T]](real, fake []T) T {
	a, b := make([]T, len(real)), make([]T, len(fake))
	for i, d := range real {
		a[i] = d.Neg().Softplus()
	}
	for i, d := range fake {
		b[i] = d.Softplus()
	}
	return mean(a).Add(mean(b))
}
