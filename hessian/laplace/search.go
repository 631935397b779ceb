package laplace

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

// Reason says why there is no mode.
type Reason uint8

const (
	// NotFinite: f failed at the start, or it or its derivatives in u are infinite or NaN there.
	NotFinite Reason = iota
	// NotPositiveDefinite: f_uu is singular or indefinite where f_u is 0.
	NotPositiveDefinite
	// NoMinimum: the search did not end, as where f has no minimum in u.
	NoMinimum
)

func (r Reason) String() string {
	return [...]string{"f is not finite", "f_uu is not positive definite", "no minimum in u was found"}[r]
}

// ModeError says that f(·, Theta) has no minimum at which Laplace's approximation exists, or that
// the search does not find it from its start. U is where it ended.
type ModeError struct {
	Theta, U []float64
	Reason   Reason
	Err      error // that of f, if it failed
}

func (e *ModeError) Error() string {
	s := fmt.Sprintf("laplace: %v, at θ = %.6g", e.Reason, e.Theta)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns Err.
func (e *ModeError) Unwrap() error { return e.Err }

const (
	// settled is how near the mode is, in standard deviations of u, from where one step more leads
	// there to all digits: Newton's method squares the distance.
	settled = 1e-6
	// changing is by how much ln det f_uu may differ one step before the mode. Where f falls
	// forever, as exp(−u), steps become small in standard deviations, too, but these grow.
	changing = 1e-3
	// underflow is below which f_uu is 0: its inverse may overflow.
	underflow = 1e-290
	// drowned is how small relative to f a decrease may be for its digits to be in doubt.
	drowned = 1e-9
	// shortest is the part of a step where it is given up. Where f_uu is nearly 0 steps are long.
	shortest = 0x1p-100
	// maxSteps is the number of steps after which a search gives up.
	maxSteps = 1000
)

// search looks for a mode and keeps what is known there.
type search struct {
	m    *Marginal
	n, p int

	x       []float64 // [u; θ; parameters of f]
	input   []float64 // [u; θ] in the order of f
	order   []int     // nil if that is the same
	found   bool      // u is û(θ)
	regular bool      // the search took Newton's steps in full

	b       *branch
	h       *sparsity.Matrix // f_uu, its lower triangle
	largest float64          // magnitude of its elements
	sym     *sparsity.SymMatrix
	chol    *linsolve.Cholesky
	f       float64
	logDet  float64 // of f_uu and what it is shifted by
	g       []float64
	err     error // of the last evaluation

	step, base []float64

	// For derivatives of L.
	inverse            *sparsity.SymMatrix // f_uu⁻¹ on the pattern
	w                  *sparsity.Matrix    // the same in the pattern of [u; θ]
	third, full, along []float64           // by element of [u; θ]
	lambda             []float64           // by effect
	known              []float64           // where ∇²L is
	hessian            *mat.Dense
}

func newSearch(m *Marginal) *search {
	n, p := len(m.start), m.p
	vector := func(n int) []float64 { return make([]float64, n) }
	s := &search{m: m, n: n, p: p, x: vector(n + p), input: vector(n + p), g: vector(n), step: vector(n), base: vector(n)}
	s.third, s.full, s.along, s.lambda = vector(n+p), vector(n+p), vector(n+p), vector(n)
	if m.effects != nil {
		s.order = m.order(n + p)
	}
	return s
}

func (s *search) u() []float64     { return s.x[:s.n] }
func (s *search) theta() []float64 { return s.x[s.n : s.n+s.p] }

// find leaves û(θ) in x, by a search from û at the θ of New: whatever was evaluated before, it is
// the same. Where that search does not go straight, it may have come to another mode than that from
// the start: of the two the one with the lower f counts.
func (s *search) find(theta []float64) error {
	if s.found && slices.Equal(s.theta(), theta) {
		return nil
	}
	near := s.m.near()
	if near == nil {
		return s.from(s.m.start, theta)
	}
	err := s.from(near, theta)
	if err != nil || !s.regular {
		u, f, first := append([]float64(nil), s.u()...), s.f, err
		err = s.from(s.m.start, theta)
		if first == nil && (err != nil || f < s.f) {
			err = s.from(u, theta)
		}
	}
	return err
}

// from searches û(θ) from u.
func (s *search) from(u, theta []float64) error {
	s.found = false
	copy(s.u(), u)
	copy(s.theta(), theta)
	err := s.minimize()
	s.found = err == nil
	return err
}

// arranged is [u; θ] in the order of f.
func (s *search) arranged() []float64 {
	if s.order == nil {
		return s.x[:s.n+s.p]
	}
	for k, i := range s.order {
		s.input[i] = s.x[k]
	}
	return s.input
}

// evaluate computes f and its derivatives in u at x, and reports whether they are finite.
func (s *search) evaluate() (finite bool) {
	finite, s.err = s.derivatives()
	return finite && s.err == nil
}

func (s *search) derivatives() (finite bool, err error) {
	b, err := s.m.branch(s.arranged())
	if err != nil {
		return false, err
	}
	if b != s.b {
		s.b, s.h, s.chol = b, b.inner.Matrix(), new(linsolve.Cholesky)
		s.sym, s.w = sparsity.NewSymMatrix(s.h), nil
		s.x = append(s.x[:s.n+s.p], b.params...)
	}
	s.f, err = b.inner.EvalAll(s.h, s.g, s.x)
	if err != nil {
		return false, err
	}
	bad := s.f
	for _, g := range s.g {
		bad += g - g
	}
	largest := 0.0
	for _, h := range s.h.Values() {
		bad += h - h
		if h > largest || -h > largest {
			largest = math.Abs(h)
		}
	}
	s.largest = largest
	return bad-bad == 0, nil
}

// factorize factorizes f_uu + shift·I and reports whether it is positive definite.
func (s *search) factorize(shift float64) (bool, error) {
	if s.largest+shift < underflow && s.n > 0 {
		return false, nil
	}
	var err error
	if s.chol.SymmetricDim() == 0 {
		err = s.chol.Factorize(s.sym)
	}
	if err == nil || shift > 0 {
		err = s.chol.RefactorizeShift(s.sym, shift)
	}
	var indefinite *linsolve.NotPositiveDefiniteError
	if errors.As(err, &indefinite) {
		return false, nil
	}
	return err == nil, err
}

// minimize is Newton's method from x with a line search; f_uu is shifted where it is not positive
// definite. It ends with f_uu factorized at the mode.
func (s *search) minimize() error {
	s.regular = true
	if !s.evaluate() {
		return s.fail(NotFinite)
	}
	last, steady := false, true
	for k := range maxSteps {
		shift, err := s.direction()
		if err != nil {
			return err
		}
		decrease := -floats.Dot(s.g, s.step)
		saddle := shift > 0 && !(decrease > settled*settled) // or f is flat
		before := s.logDet
		s.logDet = s.chol.LogDet()
		if k > 0 && !slices.Equal(s.base, s.u()) { // else u did not move, which says nothing
			steady = math.Abs(s.logDet-before) <= changing
		}
		switch {
		case shift == 0 && k > 0 && steady && (last || decrease <= settled*settled*epsilon):
			return nil
		case saddle:
			if s.chol.Refactorize(s.sym) == nil { // f_uu is 0 but for an underflow
				return s.fail(NotPositiveDefinite)
			}
			s.chol.NegativeCurvature(s.step)
			scale := 1 / floats.Norm(s.step, 2)
			if floats.Dot(s.g, s.step) > 0 {
				scale = -scale
			}
			floats.Scale(scale, s.step)
		}
		last = shift == 0 && decrease <= settled*settled
		s.regular = s.regular && shift == 0
		f, length := s.f, 1.0
		copy(s.base, s.u())
		for {
			floats.AddScaledTo(s.u(), s.base, length, s.step)
			if s.evaluate() && (s.f <= f-1e-4*length*decrease && !(saddle && s.f == f) || shift == 0 && decrease <= drowned*math.Abs(f)) {
				break
			}
			s.regular = false
			if length /= 2; length < shortest {
				if shift > 0 {
					return s.fail(NotPositiveDefinite)
				}
				return s.fail(NoMinimum)
			}
		}
	}
	return s.fail(NoMinimum)
}

const epsilon = 0x1p-52

// direction leaves −(f_uu + shift·I)⁻¹f_u in step, with the least of some shifts for which that
// is a descent.
func (s *search) direction() (shift float64, err error) {
	for {
		definite, err := s.factorize(shift)
		if err != nil {
			return 0, err
		}
		if definite {
			break
		}
		switch shift *= 10; {
		case math.IsInf(shift, 1):
			return 0, s.fail(NoMinimum)
		case shift == 0:
			if shift = 3e-4 * s.largest; shift < underflow { // no 10ᵏ times this is |f_uu| of one effect
				shift = 1
			}
		}
	}
	if err := s.chol.SolveInto(s.step, s.g); err != nil {
		return 0, err
	}
	floats.Scale(-1, s.step)
	return shift, nil
}

func (s *search) fail(r Reason) error {
	return &ModeError{
		Theta: append([]float64(nil), s.theta()...), U: append([]float64(nil), s.u()...), Reason: r, Err: s.err,
	}
}
