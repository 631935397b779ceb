package models

import (
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
)

// params are the parameters of a model that are not used yet.
type params[T any] []T

// next takes n of them.
func (p *params[T]) next(n int) []T {
	w := (*p)[:n:n]
	*p = (*p)[n:]
	return w
}

// constants are data as numbers.
func constants[T dual.Scalar[T]](x []float64) []T {
	c := make([]T, len(x))
	for i := range c {
		c[i] = c[i].Const(x[i])
	}
	return c
}

// times returns Wx of a W given by rows.
func times[T dual.Scalar[T]](w, x []T) []T {
	return matrix.MulVec(nil, matrix.New(len(w)/len(x), len(x), w), x)
}

// linear returns Wx, W having n rows.
func linear[T dual.Scalar[T]](p *params[T], n int, x []T) []T {
	return times(p.next(n*len(x)), x)
}

// affine returns Wx + b, W having n rows.
func affine[T dual.Scalar[T]](p *params[T], n int, x []T) []T {
	y := linear(p, n, x)
	for i, b := range p.next(n) {
		y[i] = y[i].Add(b)
	}
	return y
}

// apply replaces each xᵢ by act(xᵢ) and returns x.
func apply[T any](act func(T) T, x []T) []T {
	for i := range x {
		x[i] = act(x[i])
	}
	return x
}

// perceptron returns W₂·act(W₁x + b₁) + b₂, a perceptron with n outputs.
func perceptron[T dual.Scalar[T]](p *params[T], hidden, n int, act func(T) T, x []T) []T {
	return affine(p, n, apply(act, affine(p, hidden, x)))
}

// perceptronParams is how many parameters perceptron takes for m inputs.
func perceptronParams(m, hidden, n int) int { return hidden*(m+1) + n*(hidden+1) }

// squares returns Σ (xᵢ − yᵢ)².
func squares[T dual.Scalar[T]](x, y []T) T {
	d := make([]T, len(x))
	for i := range d {
		d[i] = x[i].Sub(y[i])
	}
	return dual.Dot(d, d)
}

// mean returns Σ xᵢ/n.
func mean[T dual.Scalar[T]](x []T) T { return dual.Sum(x).Scale(1 / float64(len(x))) }
