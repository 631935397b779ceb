package implicit

import (
	"math"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Apply returns the solution w*(λ), of length m, as one operation of the function
// that is being recorded. It enters the tape with its derivatives, of the first
// and the second order, and their patterns, so that whatever the tape is used
// for sees a function like any other; another equation around it does, too. It
// panics if there are not ℓ parameters λ.
//
// Wherever the tape is evaluated, the equation is solved again at the λ there:
// by Newton, or by Settings.Solve, whose solution must pass the test of At.
// Every solve starts from the w at which the tape of F was recorded, so that
// results depend on λ alone, to the last bit, and neither on what was evaluated
// before nor on the goroutine; Settings.Warm trades that for speed. Solver,
// solution and factors are kept for the derivatives at the same λ, some sets of
// them for each goroutine and each place that applies the equation. A solve that
// fails is an error of the evaluation: a *NewtonError, *NotARootError or
// *linsolve.SingularError, or what Settings.Solve returned. Parameters of the
// tape of F are those of its recording.
//
// Cost: an evaluation solves the equation and factorizes ∂₁F; then a JVP and a
// VJP take one solution each, a second-order product three.
func (eq *Equation) Apply(lambda ...reverse.Var) []reverse.Var {
	return inside.Apply(&eq.step, lambda)
}

// step is λ ↦ w*(λ) as a primitive of a tape.
type step struct {
	eq    *Equation
	start []float64 // w where F was recorded

	mu   sync.Mutex
	idle []*state // last used last
	last []float64

	baseOnce sync.Once
	base     *sparsity.Matrix // ∂₁F where F was recorded, nil if that is singular

	patternOnce       sync.Once
	jacobian, hessian [][]int32
}

var _ tape.Func = (*step)(nil)

// state is a solution for one λ, and what is needed to find another.
type state struct {
	z      *linearization
	solved bool
	lambda []float64 // for which z is the solution, if solved
	mu     []float64 // the multiplier for the weights bar, if there are any
	bar    []float64
}

func (p *step) init(eq *Equation) {
	p.eq = eq
	p.start = eq.f.Point()[:eq.m]
}

func (p *step) Dims() (n, m int) { return p.eq.n - p.eq.m, p.eq.m }

func (p *step) Name() string { return p.eq.settings.Name }

func (p *step) Eval(y, x []float64) error {
	s, err := p.take(x)
	if err == nil {
		copy(y, s.z.x)
	}
	p.put(s)
	return err
}

func (p *step) JVP(dy, x, dx []float64) error {
	s, err := p.take(x)
	if err == nil {
		err = s.z.jvp(dy, dx)
	}
	p.put(s)
	return err
}

func (p *step) VJP(gx, x, w []float64) error {
	s, err := p.take(x)
	if err == nil {
		t := p.eq.borrow()
		if err = s.z.multiplier(t.r, w); err == nil {
			clear(gx)
			err = s.z.addMulBT(gx, t.r)
		}
		p.eq.giveBack(t)
	}
	p.put(s)
	return err
}

func (p *step) HVP(h, x, w, dx []float64) error {
	s, err := p.take(x)
	if err == nil {
		t := p.eq.borrow()
		err = s.hvp(h, t, w, dx)
		p.eq.giveBack(t)
	}
	p.put(s)
	return err
}

// hvp is that of the reduced function wᵀw*, whose φ has no second derivatives.
// Directions come one after the other with the same weights.
func (s *state) hvp(h []float64, t *scratch, w, dx []float64) error {
	if len(s.bar) == 0 || !same(s.bar, w) {
		s.mu = resize(s.mu, len(w))
		s.bar = s.bar[:0]
		if err := s.z.multiplier(s.mu, w); err != nil {
			return err
		}
		s.bar = append(s.bar, w...)
	}
	if err := s.z.lift(t.d, dx); err != nil {
		return err
	}
	clear(t.h)
	return s.z.hvp(h, t, s.mu, t.d)
}

// take hands out a state at λ: one that is there, or the one not used for the
// longest time, brought there. It is the caller's alone until put.
func (p *step) take(lambda []float64) (*state, error) {
	s := p.pick(lambda)
	if s.solved {
		return s, nil
	}
	err := p.solve(s, lambda)
	s.solved = err == nil
	s.lambda = append(s.lambda[:0], lambda...)
	return s, err
}

func (p *step) pick(lambda []float64) *state {
	p.mu.Lock()
	defer p.mu.Unlock()
	free := -1 // to be solved for another λ: one that failed, or the oldest
	for i, s := range slices.Backward(p.idle) {
		if s.solved && same(s.lambda, lambda) {
			p.idle = slices.Delete(p.idle, i, i+1)
			return s
		}
		if !s.solved || i == 0 && free < 0 && len(p.idle) >= s.room() {
			free = i
		}
	}
	if free < 0 {
		return &state{}
	}
	s := p.idle[free]
	p.idle = slices.Delete(p.idle, free, free+1)
	s.solved, s.bar = false, s.bar[:0]
	return s
}

func (p *step) put(s *state) {
	if s.z == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
	if len(p.idle) > s.room() {
		p.idle = slices.Delete(p.idle, 0, 1)
	}
}

// room is how many states of this size are kept: 64, and four at least, if they
// have more than some million numbers together.
func (s *state) room() int {
	return min(max(1<<22/s.z.size(), 4), 64)
}

// size is how many numbers the linearization holds, roughly.
func (z *linearization) size() int {
	n := len(z.x) + len(z.newtonWork)
	if z.jac != nil {
		n += z.jac.NNZ()
	}
	if z.dense != nil {
		n += z.eq.m * z.eq.n
	}
	switch s := z.solver.(type) {
	case *denseSolver:
		n += len(s.lu.Data)
	case *sparseSolver:
		if s.started {
			n += 2 * s.lu.NNZ()
		}
	}
	return n
}

// solve brings s to the solution for λ.
func (p *step) solve(s *state, lambda []float64) error {
	eq := p.eq
	if s.z == nil {
		s.z = eq.linearization()
		if sparse := s.z.sparseLU(); sparse != nil {
			s.z.solver = sparse // the order of LDL depends on where it was before
			sparse.pure = true
			sparse.base = p.baseMatrix()
		}
	}
	z := s.z
	z.place(p.start, lambda)
	if eq.settings.Warm {
		p.mu.Lock()
		copy(z.x, p.last)
		p.mu.Unlock()
	}
	var err error
	if solve := eq.settings.Solve; solve != nil {
		if err = solve(z.x[:eq.m:eq.m], lambda); err == nil {
			err = z.linearize()
		}
	} else {
		err = z.newton()
	}
	if err == nil && eq.settings.Warm {
		p.mu.Lock()
		p.last = append(p.last[:0], z.x[:eq.m]...)
		p.mu.Unlock()
	}
	return err
}

// baseMatrix is where the pivots of all states start from.
func (p *step) baseMatrix() *sparsity.Matrix {
	p.baseOnce.Do(func() {
		z := p.eq.linearization()
		z.x = p.eq.f.Point()
		if z.evaluate() != nil {
			return
		}
		a := sparsity.NewMatrix(p.eq.left)
		z.copyLeft(a)
		lu := linsolve.LU{MaxFill: z.sparseLU().lu.MaxFill}
		if lu.Factorize(a) == nil {
			p.base = a
		}
	})
	return p.base
}

// same reports whether two vectors have the same bits.
func same(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

func (p *step) Jacobian(i int) []int32 {
	p.patternOnce.Do(p.findPatterns)
	return p.jacobian[i]
}

func (p *step) Hessian(i int) []int32 {
	p.patternOnce.Do(p.findPatterns)
	return p.hessian[i]
}

// maxPattern is how many elements the patterns may have; larger ones are taken
// to be full.
const maxPattern = 1 << 24

// findPatterns finds which parameters each unknown depends on: those of its
// block of equations and of the blocks that these look at; and from the second
// derivatives of F those of the solution, Zᵀ(Σμᵢ∇²Fᵢ)Z.
func (p *step) findPatterns() {
	m, n := p.eq.m, p.eq.n
	l := n - m
	p.jacobian, p.hessian = make([][]int32, m), make([][]int32, l)
	jac := p.eq.settings.Pattern
	switch {
	case jac != nil:
	case p.eq.jacobian != nil:
		jac = p.eq.jacobian.pattern
	default:
		jac = p.eq.f.JacobianPattern()
	}
	left, _ := splitPattern(jac)
	rowOf, block, count, err := linsolve.BlockTriangularForm(left)
	if err != nil {
		return // there will be no solution
	}
	members := make([][]int32, count)
	for j, b := range block {
		members[b] = append(members[b], int32(j))
	}
	u := union{member: make([]bool, l)}
	depends := make([][]int32, count) // by block
	for b := count - 1; b >= 0; b-- { // after those that it looks at
		for _, j := range members[b] {
			for _, c := range jac.Row(rowOf[j]) {
				if int(c) >= m {
					u.add(c - int32(m))
				} else if block[c] != b {
					u.add(depends[block[c]]...)
				}
			}
		}
		if depends[b] = u.take(); u.total > maxPattern {
			return
		}
	}
	// The variables of F are the unknowns of each block together and the λ.
	groups := slices.Clone(members)
	for q := m; q < n; q++ {
		groups = append(groups, []int32{int32(q)})
	}
	of := func(q int32) []int32 { // what variable q depends on
		if int(q) < m {
			return depends[block[q]]
		}
		return []int32{q - int32(m)}
	}
	second := p.eq.f.HessianPattern()
	rows := make([][]int32, l)
	for _, group := range groups {
		for _, q := range group {
			for _, r := range second.Row(int(q)) {
				u.add(of(r)...)
			}
		}
		met := u.take()
		for _, i := range of(group[0]) {
			rows[i] = append(rows[i], met...)
			u.total += len(met)
		}
		if u.total > maxPattern {
			return
		}
	}
	for i, row := range rows {
		u.add(row...)
		p.hessian[i] = u.take()
	}
	for i, b := range block {
		p.jacobian[i] = depends[b]
	}
}

// union collects a set.
type union struct {
	member []bool
	list   []int32
	total  int // of all sets taken
}

func (u *union) add(elements ...int32) {
	for _, e := range elements {
		if !u.member[e] {
			u.member[e] = true
			u.list = append(u.list, e)
		}
	}
}

// take returns the set, ascending and not nil, and starts the next one.
func (u *union) take() []int32 {
	set := append([]int32{}, u.list...)
	slices.Sort(set)
	for _, e := range set {
		u.member[e] = false
	}
	u.list = u.list[:0]
	u.total += len(set)
	return set
}
