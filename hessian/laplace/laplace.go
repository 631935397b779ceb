package laplace

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Settings say what is integrated. The zero value is what New uses.
type Settings struct {
	// Effects are the numbers of the inputs of f that are integrated, increasing; nil means
	// the first, as many as u0 has. The others are θ, in their order. Restricted maximum
	// likelihood, REML, integrates the coefficients of a regression, too.
	Effects []int
}

// Marginal is Laplace's approximation of a marginal negative log-likelihood,
//
//	L(θ) = f(û, θ) + ½ ln det f_uu(û, θ) − ½n ln 2π, û(θ) = argmin f(·, θ),
//
// of a joint negative log-density f of n effects u and of parameters θ. Each evaluation searches
// û from where it is at the θ of New, by Newton's method, so that its results depend on θ alone, not
// on what was evaluated before or is at the same time. Where Newton's method does not go straight there, it searches from the
// start, too, and the lower f counts; see Check. Plans of derivatives and the structure of factorizations are made once for
// each branch of f.
//
// Errors are a *ModeError where there is no û, those of f, and a *hessian.LackError where f comes to
// a branch without third derivatives. Any number of goroutines may use a Marginal at once, if they
// may use f.
type Marginal struct {
	f       *reverse.Func
	effects []int
	start   []float64
	p       int              // the number of parameters
	near    func() []float64 // û at the θ of New, nil if there is none

	mu       sync.Mutex
	branches []*branch // last used first
	idle     []*search // last used last
}

// New returns the marginal of f of [u; θ], with a start u0 of the search for û. Their lengths are
// those of u and θ, and f is recorded there. The error is that of f, or a *hessian.LackError. It
// panics if f is nil.
func New(f *reverse.Func, u0, theta []float64) (*Marginal, error) {
	return Settings{}.New(f, u0, theta)
}

// New is the function New with settings. It panics if there are not as many Effects as starts, or
// they do not increase.
func (o Settings) New(f *reverse.Func, u0, theta []float64) (*Marginal, error) {
	if f == nil {
		panic("laplace: nil function")
	}
	if o.Effects != nil && len(o.Effects) != len(u0) {
		panic(fmt.Sprintf("laplace: %d effects and a start of length %d", len(o.Effects), len(u0)))
	}
	for k, i := range o.Effects {
		if i < 0 || i >= len(u0)+len(theta) || k > 0 && i <= o.Effects[k-1] {
			panic("laplace: Effects do not increase, or are no inputs")
		}
	}
	m := &Marginal{f: f, effects: slices.Clone(o.Effects), start: slices.Clone(u0), p: len(theta)}
	s := newSearch(m)
	copy(s.u(), u0)
	copy(s.theta(), theta)
	_, err := m.branch(s.arranged())
	if err != nil {
		return nil, err
	}
	at := slices.Clone(theta)
	m.near = sync.OnceValue(func() []float64 {
		s := newSearch(m)
		if s.from(m.start, at) != nil {
			return nil
		}
		return s.u()
	})
	return m, nil
}

// Value returns L(θ). Cost: in each step of the search, some two if θ has changed by little,
// a sparse Hessian and its factorization.
func (m *Marginal) Value(theta []float64) (l float64, err error) {
	err = m.at(theta, func(s *search) error { l = s.value(); return nil })
	return l, err
}

// ValueGradient returns L(θ) and its gradient, in dst unless that is nil,
//
//	∇L = f_θ + ½T_θ − f_θu λ, f_uu λ = ½T_u,
//
// where T sums the third derivatives of f with the weights f_uu⁻¹ over the pattern of f_uu. Cost:
// that of Value, an inverse on the pattern, a hessian.Third and a product with the Hessian of f.
func (m *Marginal) ValueGradient(dst, theta []float64) (l float64, g []float64, err error) {
	if g = dst; g == nil {
		g = make([]float64, len(theta))
	}
	check(g, len(theta), "dst")
	err = m.at(theta, func(s *search) error { l = s.value(); return s.gradient(g) })
	if err != nil {
		return 0, dst, err
	}
	return l, g, nil
}

// Modes returns û(θ), in dst unless that is nil.
func (m *Marginal) Modes(dst, theta []float64) ([]float64, error) {
	u := dst
	if u == nil {
		u = make([]float64, len(m.start))
	}
	check(u, len(m.start), "dst")
	if err := m.at(theta, func(s *search) error { copy(u, s.u()); return nil }); err != nil {
		return dst, err
	}
	return u, nil
}

// OtherModeError says that f(·, Theta) has several minima: evaluations come to U, with the value
// Value, from the mode at the θ of New, a search from the start to Other, with OtherValue.
type OtherModeError struct {
	Theta, U, Other   []float64
	Value, OtherValue float64 // of L
}

func (e *OtherModeError) Error() string {
	return fmt.Sprintf("laplace: another mode, from the start: L = %.6g, not %.6g, at θ = %.6g", e.OtherValue, e.Value, e.Theta)
}

// Check searches û(θ) from the start, too. If it is another mode than that of the evaluations the
// error is an *OtherModeError.
func (m *Marginal) Check(theta []float64) error {
	return m.at(theta, func(s *search) error {
		cold := newSearch(m)
		if err := cold.from(m.start, theta); err != nil {
			return err
		}
		l, other := s.value(), cold.value()
		if math.Abs(l-other) <= 1e-9*(1+math.Abs(l)) {
			return nil
		}
		return &OtherModeError{slices.Clone(theta), slices.Clone(s.u()), cold.u(), l, other}
	})
}

func check(x []float64, n int, name string) {
	if len(x) != n {
		panic(fmt.Sprintf("laplace: %s has length %d, want %d", name, len(x), n))
	}
}

// at calls do with a search that has found û(θ).
func (m *Marginal) at(theta []float64, do func(s *search) error) error {
	check(theta, m.p, "θ")
	m.mu.Lock()
	var s *search
	if k := len(m.idle) - 1; k >= 0 {
		s, m.idle = m.idle[k], m.idle[:k]
	}
	m.mu.Unlock()
	if s == nil {
		s = newSearch(m)
	}
	err := s.find(theta)
	if err == nil {
		err = do(s)
	}
	m.mu.Lock()
	m.idle = append(m.idle, s)
	m.mu.Unlock()
	return err
}

// maxBranches is how many branches of f keep their plans.
const maxBranches = 16

// branch is the plans for a tape of f.
type branch struct {
	tape   *reverse.Tape // of f
	joint  *reverse.Tape // of [u; θ]
	params []float64     // of f
	inner  *hessian.Sparse

	all     *hessian.Sparse
	weights *sparsity.Pattern    // that of f_uu, of the size of [u; θ]
	third   *hessian.Third       // with weights
	along   func() *reverse.Tape // the tangent of joint
}

// branch is the branch that holds at x, in the order of f.
func (m *Marginal) branch(x []float64) (*branch, error) {
	t, err := m.f.Tape(x)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.branches, func(b *branch) bool { return b.tape == t })
	var b *branch
	if i >= 0 {
		b = m.branches[i]
		m.branches = slices.Delete(m.branches, i, i+1)
	} else {
		b = &branch{tape: t, joint: t, params: t.Inside().Bound}
		if m.effects != nil {
			b.joint = t.Partial(m.order(t.Inputs()))
		}
		lower := hessian.SparseSettings{Lower: true}
		if b.inner, err = lower.New(b.joint.Partial(upTo(len(m.start)))); err != nil {
			return nil, err
		}
		if b.all, err = lower.New(b.joint); err != nil {
			return nil, err
		}
		b.weights = widened(b.inner.Pattern(), b.joint.Inputs())
		if b.third, err = b.all.Third(b.weights); err != nil {
			return nil, err
		}
		b.along = sync.OnceValue(b.joint.Tangent)
	}
	m.branches = slices.Insert(m.branches, 0, b)
	m.branches = m.branches[:min(len(m.branches), maxBranches)]
	return b, nil
}

// upTo is 0 … n−1.
func upTo(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// order is the inputs of f, effects first.
func (m *Marginal) order(n int) []int {
	order := slices.Clone(m.effects)
	for i := range n {
		if _, ok := slices.BinarySearch(m.effects, i); !ok {
			order = append(order, i)
		}
	}
	return order
}

// widened is p as the first rows and columns of n.
func widened(p *sparsity.Pattern, n int) *sparsity.Pattern {
	ptr := slices.Clone(p.RowPtr())
	for len(ptr) <= n {
		ptr = append(ptr, int32(p.NNZ()))
	}
	idx := make([]int32, 0, p.NNZ())
	k, _ := p.Dims()
	for i := range k {
		idx = append(idx, p.Row(i)...)
	}
	return sparsity.NewPattern(n, n, ptr, idx)
}

// value is L at the mode.
func (s *search) value() float64 {
	return s.f + s.logDet/2 - float64(s.n)/2*math.Log(2*math.Pi)
}

// gradient stores ∇L at the mode in dst.
func (s *search) gradient(dst []float64) error {
	if err := s.adjoint(); err != nil {
		return err
	}
	if _, _, err := s.b.all.ValueGradient(s.full, s.x); err != nil {
		return err
	}
	floats.AddScaledTo(dst, s.full[s.n:], 0.5, s.third[s.n:])
	copy(s.along, s.lambda)
	clear(s.along[s.n:])
	if _, err := s.b.joint.HVP(s.full, s.x, s.along); err != nil {
		return err
	}
	floats.Sub(dst, s.full[s.n:])
	return nil
}

// adjoint computes W = f_uu⁻¹ on the pattern, the third derivatives T(W) and λ.
func (s *search) adjoint() (err error) {
	if s.w == nil {
		s.w, s.inverse = sparsity.NewMatrix(s.b.weights), sparsity.NewSymMatrix(s.b.inner.Matrix())
	}
	if s.inverse, err = s.chol.Inverse(s.inverse); err != nil {
		return err
	}
	copy(s.w.Values(), s.inverse.Triangle().Values())
	if _, err = s.b.third.Eval(s.third, s.x, s.w); err != nil {
		return err
	}
	floats.ScaleTo(s.lambda, 0.5, s.third[:s.n])
	return s.chol.SolveInto(s.lambda, s.lambda)
}
