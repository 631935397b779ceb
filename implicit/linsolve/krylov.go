package linsolve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Krylov holds what GMRES and BiCGStab may be told, and their working memory:
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
	b, x, r, t []float64
	target     float64 // for the residual
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
	s.memory = resize(s.memory, (vectors+4)*n)
	s.b, s.x, s.r, s.t = s.memory[:n], s.memory[n:2*n], s.memory[2*n:3*n], s.memory[3*n:4*n]
	copy(s.b, b)
	clear(s.x)
	tolerance := s.Tolerance
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	s.target = tolerance * floats.Norm(b, 2)
	return s.memory[4*n:]
}

func (s *Krylov) maxIterations() int {
	if s.MaxIterations != 0 {
		return s.MaxIterations
	}
	return min(4*len(s.b), 10000)
}

// finish copies x to dst, allocated if nil.
func (s *Krylov) finish(dst []float64, iterations int, norm float64) ([]float64, error) {
	if dst == nil {
		dst = make([]float64, len(s.b))
	}
	copy(dst, s.x)
	s.a = nil
	if norm <= s.target && finite(norm) {
		return dst, nil
	}
	return dst, &ConvergenceError{iterations, quotient(norm, floats.Norm(s.b, 2))}
}

// residual sets r = b − A x and returns its norm.
func (s *Krylov) residual() float64 {
	s.a(s.t, s.x)
	floats.SubTo(s.r, s.b, s.t)
	return floats.Norm(s.r, 2)
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
