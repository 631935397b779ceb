package linsolve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// GMRES solves A x = b for a general square A by GMRES(m), the generalized
// minimal residual method restarted every m = s.Restart iterations. It stores
// the solution in dst and returns it; nil allocates, and dst may be b.
//
// Each iteration takes the x of least residual from a space one dimension
// larger, so the residual never grows; where rounding makes it, for a singular
// A, the best x is kept. In exact arithmetic n iterations without restart are
// enough. Restarted it may stagnate: a cycle that gains nothing
// ends the solve.
//
// It panics if a is nil or lengths differ. It returns *ConvergenceError, with
// the relative residual and dst the best found, if that is not within
// s.Tolerance. Cost: an iteration is one product, one of each preconditioner
// and at most 2m operations on vectors; a cycle has one product more. Memory is
// m+6 vectors.
//
// Source: Saad and Schultz, GMRES: a generalized minimal residual algorithm for
// solving nonsymmetric linear systems, SIAM J. Sci. Stat. Comput. 7, 1986.
func (s *Krylov) GMRES(dst []float64, a func(dst, x []float64), b []float64) ([]float64, error) {
	checkKrylov(dst, a, b)
	n := len(b)
	m := s.Restart
	if m == 0 {
		m = 30
	}
	m = min(m, max(n, 1))
	// V: m+1 vectors; H, whose columns the rotations make triangular; the
	// rotations; the right-hand side g of the least-squares problem.
	basis := s.start(a, b, m+1)
	s.small = resize(s.small, m*m+3*m+1)
	h, cos, sin, g := s.small[:m*m], s.small[m*m:m*m+m], s.small[m*m+m:m*m+2*m], s.small[m*m+2*m:]
	v := func(j int) []float64 { return basis[j*n : (j+1)*n] }

	iterations := 0
	copy(s.r, s.b)
	norm := floats.Norm(s.r, 2)
	last := math.Inf(1) // norm of the preconditioned residual a cycle ago
	size := 0.0         // of A, the largest norm of a product so far
	for norm > s.target && finite(norm) && iterations < s.maxIterations() {
		s.left(v(0), s.r)
		beta := floats.Norm(v(0), 2)
		if beta == 0 || !(beta < last) {
			break
		}
		last = beta
		floats.Scale(1/beta, v(0))
		g[0] = beta
		k := 0 // dimension of the space
		for k < m && iterations < s.maxIterations() {
			iterations++
			w := v(k + 1)
			s.apply(w, v(k))
			col := h[k*m : (k+1)*m]
			size = max(size, floats.Norm(w, 2))
			for j := range k + 1 {
				hjk := floats.Dot(w, v(j))
				floats.AddScaled(w, -hjk, v(j))
				col[j] = hjk
			}
			next := floats.Norm(w, 2)
			for j := range k {
				col[j], col[j+1] = float64(cos[j]*col[j])+float64(sin[j]*col[j+1]), float64(cos[j]*col[j+1])-float64(sin[j]*col[j])
			}
			diagonal := math.Hypot(col[k], next)
			if !(diagonal > 2*float64(k+1)*epsilon*size) {
				// A maps a direction of the space into what it is mapped to already, but
				// for the rounding errors of the k+1 terms that were subtracted:
				// singular, or not finite.
				break
			}
			cos[k], sin[k] = col[k]/diagonal, next/diagonal
			col[k] = diagonal
			g[k], g[k+1] = cos[k]*g[k], -sin[k]*g[k]
			k++
			// Without Left, |g[k]| is the norm of the residual.
			if math.Abs(g[k]) <= s.target/norm*beta || next <= epsilon*size {
				break
			}
			floats.Scale(1/next, w)
		}
		if k == 0 {
			break
		}
		// Solve H y = g, y over g, and add V y.
		for j := k - 1; j >= 0; j-- {
			g[j] /= h[j*m+j]
			for i := range j {
				g[i] -= float64(g[j] * h[j*m+i])
			}
		}
		w := v(0)
		floats.Scale(g[0], w)
		for j := 1; j < k; j++ {
			floats.AddScaled(w, g[j], v(j))
		}
		s.add(w)
		norm = s.residual()
	}
	return s.finish(dst, iterations)
}
