package models

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
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

// Laplace approximates ln ∫ exp(−f(z)) dz, the logarithm of a marginal
// likelihood, for a convex f of n variables by
//
//	−f(z) + n/2·ln 2π − ½ln det ∇²f(z)
//
// at the minimum z, which is exact for a quadratic f. Newton's method finds it
// from the z that is given and that it overwrites. Errors are those of the tape,
// *linsolve.NotPositiveDefiniteError where f is not convex, and
// *linsolve.ConvergenceError. Cost: a sparse Hessian and its factorization an
// iteration. Source: Tierney and Kadane, Accurate approximations for posterior
// moments and marginal densities, 1986.
func Laplace(t *reverse.Tape, z []float64) (float64, error) {
	plan, err := hessian.SparseSettings{Lower: true}.New(t)
	if err != nil {
		return 0, err
	}
	lower := plan.Matrix()
	h := sparsity.NewSymMatrix(lower)
	var factors linsolve.Cholesky
	factorize := factors.Factorize
	g, step := make([]float64, len(z)), make([]float64, len(z))
	const iterations = 50
	for range iterations {
		f, err := plan.EvalAll(lower, g, z)
		if err != nil {
			return 0, err
		}
		if err := factorize(h); err != nil {
			return 0, err
		}
		factorize = factors.Refactorize // the pattern stays
		if err := factors.SolveInto(step, g); err != nil {
			return 0, err
		}
		// f is above its minimum by about gᵀH⁻¹g/2.
		if floats.Dot(g, step) <= 1e-12*(1+math.Abs(f)) {
			return -f + float64(len(z))/2*math.Log(2*math.Pi) - factors.LogDet()/2, nil
		}
		floats.Sub(z, step)
	}
	return 0, &linsolve.ConvergenceError{Iterations: iterations, Residual: floats.Norm(g, 2)}
}
