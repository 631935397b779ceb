// Package plain has functions as they are written in Go, with loops, branches, calls and
// assignments in place, and their gradients and products with
// their Hessians as command adjoint writes them:
//
//	barrier   price of an option that ends when a path leaves a bound: branches by the data
//	mixture   log-posterior of a mixture of Gaussians
//	lstm      loss of a network of long short-term memory that predicts characters
//
// The generic forms, which are recorded on tapes, are those of command lift. Mixture and lstm
// are two objectives of ADBench (Šrajer, Kukelova, Fitzgibbon, A benchmark of
// selected algorithmic differentiation tools on some problems in computer vision and
// machine learning, 2018).
package plain

//go:generate go run ../../reverse/adjoint -gradient -hvp -o barrier_adjoint.go barrier
//go:generate go run ../../reverse/adjoint -gradient -hvp -o mixture_adjoint.go mixture
//go:generate go run ../../reverse/adjoint -gradient -hvp -o lstm_adjoint.go lstm
//go:generate go run ../../dual/lift -active x -o plain_lifted.go barrier mixture lstm

import (
	"fmt"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/reverse"
)

// A Model is a function with its data. It is immutable.
type Model struct {
	Name  string
	Size  string // of its data
	X0    []float64
	Value func(x []float64) float64

	// Gradient sets dst = ∇Value(x) and returns Value(x).
	Gradient func(dst, x []float64) float64

	// Product sets dst = ∇²Value(x)·v.
	Product func(dst, x, v []float64)

	// Lifted is Value over the numbers of tapes.
	Lifted func(x []reverse.Var) reverse.Var
}

// Barrier is a Model of so many paths of 50 steps. Its variables are the price at the
// start, the volatility and the rate.
func Barrier(paths int) Model {
	o := &option{strike: 100, bound: 140, steps: 50, paths: paths, normal: normals(50*paths, 1)}
	return Model{
		Name: "barrier", Size: fmt.Sprintf("%d paths", paths), X0: []float64{100, 0.2, 0.03},
		Value:    func(x []float64) float64 { return barrier(x, o) },
		Gradient: func(dst, x []float64) float64 { return barrierGradient(dst, x, o) },
		Product:  func(dst, x, v []float64) { barrierHVP(dst, x, v, o) },
		Lifted:   func(x []reverse.Var) reverse.Var { return barrierOf(x, o) },
	}
}

// Mixture is a Model of k Gaussians in dim dimensions, of so many points. Its variables
// are log-weights, means, and factors of inverse covariances.
func Mixture(dim, k, points int) Model {
	m := &gaussians{dim: dim, k: k, points: points, x: normals(dim*points, 2), gamma: 1}
	x0 := normals(k+k*dim+k*dim*(dim+1)/2, 3)
	scale(x0, 0.3)
	return Model{
		Name: "mixture", Size: fmt.Sprintf("%d points, d %d, K %d", points, dim, k), X0: x0,
		Value:    func(x []float64) float64 { return mixture(x, m) },
		Gradient: func(dst, x []float64) float64 { return mixtureGradient(dst, x, m) },
		Product:  func(dst, x, v []float64) { mixtureHVP(dst, x, v, m) },
		Lifted:   func(x []reverse.Var) reverse.Var { return mixtureOf(x, m) },
	}
}

// LSTM is a Model of so many layers of 14 units, which predicts a text of so many
// characters. Its variables are weights and biases.
func LSTM(layers, characters int) Model {
	const bits = 14
	text := normals(characters*bits, 5)
	for i, z := range text {
		text[i] = 0
		if z > 0 {
			text[i] = 1
		}
	}
	n := &network{layers: layers, bits: bits, characters: characters, start: normals(2*layers*bits, 4), text: text}
	x0 := normals(8*layers*bits+3*bits, 6)
	scale(x0, 0.3)
	return Model{
		Name: "lstm", Size: fmt.Sprintf("%d characters, %d layers", characters, layers), X0: x0,
		Value:    func(x []float64) float64 { return lstm(x, n) },
		Gradient: func(dst, x []float64) float64 { return lstmGradient(dst, x, n) },
		Product:  func(dst, x, v []float64) { lstmHVP(dst, x, v, n) },
		Lifted:   func(x []reverse.Var) reverse.Var { return lstmOf(x, n) },
	}
}

func normals(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	z := make([]float64, n)
	for i := range z {
		z[i] = r.NormFloat64()
	}
	return z
}

func scale(x []float64, c float64) {
	for i := range x {
		x[i] *= c
	}
}
