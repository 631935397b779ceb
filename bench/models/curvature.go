package models

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Lanczos approximates eigenvalues of a symmetric n×n matrix H that is known by
// products: product is dst = Hv, as a closure on reverse.Tape.HVP. It returns
// the Ritz values, ascending, and for each the distance within which there is
// an eigenvalue; those at both ends converge first. There are fewer than steps
// if the Krylov space ends before, as after n steps. It panics if n or steps is
// not positive. The error is product's. Cost: a product a step, and 4·steps²·n
// operations for vectors that stay orthogonal. Source: Parlett, The Symmetric
// Eigenvalue Problem, 1998, chapter 13.
func Lanczos(product func(dst, v []float64) ([]float64, error), n, steps int) (values, within []float64, err error) {
	if n < 1 || steps < 1 {
		panic("models: Lanczos without a step")
	}
	q := make([]float64, n)
	for i := range q {
		q[i] = math.Cos(float64(i) * float64(i)) // orthogonal to no eigenvector but by accident
	}
	floats.Scale(1/floats.Norm(q, 2), q)
	var basis [][]float64
	var diagonal, off []float64
	size := 0.0 // of H
	for k := range min(steps, n) {
		basis = append(basis, q)
		r, err := product(make([]float64, n), q)
		if err != nil {
			return nil, nil, err
		}
		size = max(size, floats.Norm(r, 2))
		diagonal = append(diagonal, floats.Dot(q, r))
		for range 2 { // once leaves rounding errors of the order of the first projection
			for _, b := range basis {
				floats.AddScaled(r, -floats.Dot(b, r), b)
			}
		}
		norm := floats.Norm(r, 2)
		if math.IsNaN(norm) || math.IsInf(norm, 0) {
			return nil, nil, errors.New("models: a product is not finite")
		}
		off = append(off, norm)
		if norm <= float64(n)*0x1p-52*size {
			off[k] = 0
			break
		}
		floats.Scale(1/norm, r)
		q = r
	}
	k := len(diagonal)
	t := mat.NewSymDense(k, nil)
	for i := range k {
		t.SetSym(i, i, diagonal[i])
		if i > 0 {
			t.SetSym(i, i-1, off[i-1])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(t, true) {
		return nil, nil, errors.New("models: eigenvalues of the tridiagonal matrix not found")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	within = make([]float64, k)
	for i := range within {
		within[i] = math.Abs(off[k-1] * vectors.At(k-1, i))
	}
	return eigen.Values(nil), within, nil
}
