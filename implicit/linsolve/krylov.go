package linsolve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Krylov solves sparse systems by GMRES or BiCGStab. It holds their settings and working memory:
// solving again with the same Krylov does not allocate. The zero value is ready
// to use. It must not be used by two solves at once.
//
// Both methods know A only by products: a(dst, x) sets dst = A x, does not
// change x and keeps neither. With preconditioners they solve
//
//	M₁⁻¹ A M₂⁻¹ y = M₁⁻¹ b, x = M₂⁻¹ y,
//
// which is easier if M₁M₂ is near A. Whatever the preconditioners, a solve ends
// well only if the residual of the given system, computed anew, satisfies
//
//	‖b − A x‖₂ ≤ Tolerance ‖b‖₂.
type Krylov struct {
	// Tolerance bounds the relative residual. 0 means 1e-10.
	Tolerance float64

	// MaxIterations bounds the number of iterations. 0 means 4n, but no more
	// than 10,000.
	MaxIterations int

	// Restart is the number of iterations between restarts of GMRES, which
	// stores so many vectors. 0 means 30. BiCGStab does not look at it.
	Restart int

	// Left and Right apply M₁⁻¹ and M₂⁻¹: they set dst, which does not overlap
	// x. nil means the identity. With Left, progress is measured in the
	// preconditioned residual until that has converged; prefer Right.
	Left, Right func(dst, x []float64)

	a          func(dst, x []float64)
	memory     []float64
	small      []float64 // of GMRES, for the projected problem
	b, x, r, t []float64 // of the system for b·2^−exp, whose largest element is in [½, 1)
	exp        int32
	target     float64 // for the residual

	best     []float64 // the x of least residual, and its norm
	bestNorm float64
}

const (
	defaultTolerance = 1e-10
	epsilon          = 1.0 / (1 << 52)
)

// start prepares for a system and returns room for further vectors.
func (s *Krylov) start(a func(dst, x []float64), b []float64, vectors int) []float64 {
	if s.Tolerance < 0 || s.MaxIterations < 0 || s.Restart < 0 {
		panic("linsolve: negative setting")
	}
	n := len(b)
	s.a = a
	s.memory = resize(s.memory, (vectors+5)*n)
	vector := func(k int) []float64 { return s.memory[k*n : (k+1)*n] }
	s.b, s.x, s.r, s.t, s.best = vector(0), vector(1), vector(2), vector(3), vector(4)
	s.exp = 0
	if size := largest(b); size != 0 {
		s.exp = exponent(size)
	}
	for i, v := range b {
		s.b[i] = scaled(v, -s.exp)
	}
	clear(s.x)
	clear(s.best)
	tolerance := s.Tolerance
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	s.bestNorm = floats.Norm(s.b, 2)
	s.target = tolerance * s.bestNorm
	return s.memory[5*n:]
}

func (s *Krylov) maxIterations() int {
	if s.MaxIterations != 0 {
		return s.MaxIterations
	}
	return min(4*len(s.b), 10000)
}

// finish copies the best x to dst, allocated if nil, and tests the vector that is left of it
// in the range of float64: 0 if that is not finite.
func (s *Krylov) finish(dst []float64, iterations int) ([]float64, error) {
	if dst == nil {
		dst = make([]float64, len(s.b))
	}
	underflow, overflow := false, false
	for i, x := range s.best {
		dst[i] = scaled(x, s.exp)
		s.x[i] = scaled(dst[i], -s.exp)
		underflow = underflow || s.x[i] != x
		overflow = overflow || !finite(dst[i])
	}
	switch {
	case overflow:
		clear(dst)
		s.bestNorm = floats.Norm(s.b, 2)
	case underflow: // what is left of x may miss b
		s.bestNorm = math.Inf(1)
		s.residual()
	}
	s.a = nil
	if s.bestNorm <= s.target && finite(s.bestNorm) && finite(largest(dst)) {
		return dst, nil
	}
	return dst, &ConvergenceError{iterations, quotient(s.bestNorm, floats.Norm(s.b, 2))}
}

// residual sets r = b − A x, returns its norm, and keeps x if that is the least.
func (s *Krylov) residual() float64 {
	s.a(s.t, s.x)
	floats.SubTo(s.r, s.b, s.t)
	norm := floats.Norm(s.r, 2)
	if norm < s.bestNorm {
		s.bestNorm = norm
		copy(s.best, s.x)
	}
	return norm
}

// apply sets dst = M₁⁻¹ A M₂⁻¹ x. It overwrites t and r.
func (s *Krylov) apply(dst, x []float64) {
	if s.Right != nil {
		s.Right(s.t, x)
		x = s.t
	}
	if s.Left == nil {
		s.a(dst, x)
		return
	}
	s.a(s.r, x)
	s.Left(dst, s.r)
}

// add sets x += M₂⁻¹ y, overwriting t.
func (s *Krylov) add(y []float64) {
	if s.Right != nil {
		s.Right(s.t, y)
		y = s.t
	}
	floats.Add(s.x, y)
}

// left sets dst = M₁⁻¹ x.
func (s *Krylov) left(dst, x []float64) {
	if s.Left == nil {
		copy(dst, x)
		return
	}
	s.Left(dst, x)
}

func checkKrylov(dst []float64, a func(dst, x []float64), b []float64) {
	if a == nil {
		panic("linsolve: nil function for the product")
	}
	if dst != nil && len(dst) != len(b) {
		panic("linsolve: lengths of vectors differ")
	}
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
