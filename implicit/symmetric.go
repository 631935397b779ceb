package implicit

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

// symmetricSolver is linsolve.LDL where A is symmetric but for rounding errors, as that
// of Optimality is: there LU, which takes pivots where they are large, has many times
// the entries. Solutions are refined by the residuals of A itself, and sparse LU takes
// over where A is not symmetric, nearly singular, or solutions are not accurate.
type symmetricSolver struct {
	ldl   linsolve.LDL
	lower *sparsity.SymMatrix
	// Of each element of A: its place in lower or −1, and that of the element across
	// the diagonal in A.
	place, across []int32
	rowSize       []float64 // largest elements

	lu     *sparseSolver
	mu     sync.Mutex // of takeOver
	takes  atomic.Bool
	failed error // of takeOver
	idle   sync.Pool
}

// symmetricWork is a solution in the making, and its residual.
type symmetricWork struct{ x, b, r, size, correction []float64 }

const (
	// symmetricThreshold is the least that LDL takes; what digits that costs refinement
	// brings back.
	symmetricThreshold = 1e-8

	// asymmetry is the difference of two elements, relative to the largest of their
	// rows, beyond which A is not symmetric.
	asymmetry = 1e-10

	// corrections is how often a solution is refined before LU takes over.
	corrections = 3
)

// newSymmetricSolver returns nil if the pattern is not symmetric.
func newSymmetricSolver(a *sparsity.Pattern) *symmetricSolver {
	n, _ := a.Dims()
	ptr := a.RowPtr()
	s := &symmetricSolver{lower: sparsity.NewSymMatrix(sparsity.NewMatrix(a.Lower())), rowSize: make([]float64, n)}
	s.place, s.across = make([]int32, a.NNZ()), make([]int32, a.NNZ())
	next := append([]int32(nil), ptr[:n]...) // rows of Aᵀ come by column
	count := int32(0)
	for i := range n {
		for k, j := range a.Row(i) {
			k := int(ptr[i]) + k
			at := next[j]
			if next[j]++; at == ptr[j+1] || int(a.Row(int(j))[at-ptr[j]]) != i {
				return nil
			}
			s.across[k] = at
			if s.place[k] = -1; int(j) <= i {
				s.place[k] = count
				count++
			}
		}
	}
	s.ldl.Threshold, s.ldl.MaxFill = symmetricThreshold, maxFactors
	s.idle.New = func() any {
		v := func() []float64 { return make([]float64, n) }
		return &symmetricWork{v(), v(), v(), v(), v()}
	}
	return s
}

func (s *symmetricSolver) factorize(z *linearization) error {
	z.copyLeft(s.lu.a)
	s.takes.Store(false)
	if s.symmetric() {
		var err error
		if s.ldl.SymmetricDim() == 0 {
			err = s.ldl.Factorize(s.lower)
		} else {
			err = s.ldl.Refactorize(s.lower)
		}
		if errors.As(err, new(*linsolve.FillError)) {
			return err
		}
		if err == nil && s.ldl.Cond() < mat.ConditionTolerance {
			return nil
		}
	}
	return s.takeOver()
}

// symmetric sets the lower triangle and reports whether the upper one is like it.
func (s *symmetricSolver) symmetric() bool {
	p, values := s.lu.a.Pattern(), s.lu.a.Values()
	ptr := p.RowPtr()
	for i := range s.rowSize {
		s.rowSize[i] = largest(values[ptr[i]:ptr[i+1]])
	}
	lower := s.lower.Triangle().Values()
	for i, size := range s.rowSize {
		for k, j := range p.Row(i) {
			k := int(ptr[i]) + k
			if s.place[k] < 0 {
				continue
			}
			v := values[k]
			if !(math.Abs(v-values[s.across[k]]) <= asymmetry*max(size, s.rowSize[j])) {
				return false
			}
			lower[s.place[k]] = v
		}
	}
	return true
}

// takeOver factorizes by LU, once.
func (s *symmetricSolver) takeOver() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.takes.Load() {
		s.failed = s.lu.factorizeLoaded()
		s.takes.Store(true)
	}
	return s.failed
}

func (s *symmetricSolver) solve(dst []float64, trans bool, b []float64) error {
	if !s.takes.Load() {
		w := s.idle.Get().(*symmetricWork)
		defer s.idle.Put(w)
		if s.refined(w, trans, b) {
			copy(dst, w.x)
			return nil
		}
		if err := s.takeOver(); err != nil {
			return err
		}
	}
	return s.lu.solve(dst, trans, b)
}

// refined solves by LDL and reports whether all equations hold within rounding errors
// of their terms, as in package linsolve.
func (s *symmetricSolver) refined(w *symmetricWork, trans bool, b []float64) bool {
	_ = s.ldl.SolveInto(w.x, b) // the residual is what decides
	copy(w.b, b)
	for range corrections {
		if s.residual(w, trans) {
			return true
		}
		if s.ldl.SolveInto(w.correction, w.r) != nil {
			break
		}
		floats.Add(w.x, w.correction)
	}
	return s.residual(w, trans)
}

// residual sets r = b − Ax, or b − Aᵀx, and reports whether |rᵢ| ≤ (n+64)ε(|A||x| + |b|)ᵢ.
func (s *symmetricSolver) residual(w *symmetricWork, trans bool) (small bool) {
	p, values := s.lu.a.Pattern(), s.lu.a.Values()
	ptr := p.RowPtr()
	copy(w.r, w.b)
	for i, b := range w.b {
		w.size[i] = math.Abs(b)
	}
	for i := range w.x {
		for k, j := range p.Row(i) {
			at := int(ptr[i]) + k
			if trans {
				at = int(s.across[at])
			}
			v := float64(values[at] * w.x[j])
			w.r[i] -= v
			w.size[i] += math.Abs(v)
		}
	}
	bound := float64(len(w.r)+64) * epsilon
	for i, r := range w.r {
		if !(math.Abs(r) <= bound*w.size[i] && finite(w.size[i])) {
			return false
		}
	}
	return true
}

func (s *symmetricSolver) solveAll(d *mat.Dense, trans bool) error {
	return eachColumn(d, func(v []float64) error { return s.solve(v, trans, v) })
}
