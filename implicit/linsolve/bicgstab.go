package linsolve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// BiCGStab solves A x = b for a general square A by the stabilized biconjugate
// gradient method. It stores the solution in dst and returns it; nil allocates,
// and dst may be b.
//
// Against GMRES it stores 11 vectors, however many iterations it takes, but
// needs two products for each, its residual goes up and down, and there are
// matrices on which it breaks down, skew-symmetric ones among them. It starts
// again then, from where it is, and gives up when that gains nothing.
//
// It panics if a is nil or lengths differ. It returns *ConvergenceError, with
// the relative residual and dst the best found, if that is not within
// s.Tolerance.
//
// Source: van der Vorst, Bi-CGSTAB: a fast and smoothly converging variant of
// Bi-CG for the solution of nonsymmetric linear systems, SIAM J. Sci. Stat.
// Comput. 13, 1992.
func (s *Krylov) BiCGStab(dst []float64, a func(dst, x []float64), b []float64) ([]float64, error) {
	checkKrylov(dst, a, b)
	n := len(b)
	basis := s.start(a, b, 6)
	vector := func(k int) []float64 { return basis[k*n : (k+1)*n] }
	r, shadow, p, v, t, y := vector(0), vector(1), vector(2), vector(3), vector(4), vector(5)

	iterations := 0
	copy(s.r, s.b)
	norm := floats.Norm(s.r, 2)
	lowest := math.Inf(1) // norm of M₁⁻¹(b − A x)
	for norm > s.target && finite(norm) && iterations < s.maxIterations() {
		s.left(r, s.r)
		start := floats.Norm(r, 2)
		if !(start < lowest) {
			break
		}
		lowest = start
		copy(shadow, r)
		copy(p, r)
		clear(y)
		inner := start // norm of r
		rho := start * start
		goal := s.target / norm * start
		for inner > goal && finite(inner) && iterations < s.maxIterations() {
			iterations++
			s.apply(v, p)
			sv := floats.Dot(shadow, v)
			if negligible(sv, shadow, v) {
				break
			}
			alpha := rho / sv
			floats.AddScaled(y, alpha, p)
			floats.AddScaled(r, -alpha, v)
			if inner = floats.Norm(r, 2); inner <= goal {
				break
			}
			s.apply(t, r)
			tr := floats.Dot(t, r)
			if negligible(tr, t, r) {
				break
			}
			size := floats.Norm(t, 2)
			omega := tr / size / size
			floats.AddScaled(y, omega, r)
			floats.AddScaled(r, -omega, t)
			inner = floats.Norm(r, 2)
			before := rho
			rho = floats.Dot(shadow, r)
			if negligible(rho, shadow, r) {
				break
			}
			floats.AddScaled(p, -omega, v)
			floats.AddScaledTo(p, r, rho/before*alpha/omega, p)
		}
		s.add(y)
		norm = s.residual()
	}
	return s.finish(dst, iterations)
}

// negligible reports whether the inner product of x and y is within what
// rounding makes of 0.
func negligible(dot float64, x, y []float64) bool {
	return !(math.Abs(dot) > epsilon*floats.Norm(x, 2)*floats.Norm(y, 2))
}
