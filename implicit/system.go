package implicit

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/sparsity"
)

// solver solves systems with the matrix A = ∂₁F of a linearization.
type solver interface {
	// factorize makes ready for the A of z, of the same equation at each call.
	factorize(z *linearization) error
	// solve sets dst = A⁻¹b, or A⁻ᵀb if trans. dst may be b. Any number of
	// goroutines may solve at once.
	solve(dst []float64, trans bool, b []float64) error
	// solveAll is solve for all columns of d, in place.
	solveAll(d *mat.Dense, trans bool) error
}

// denseSolver is P R A C = L U by LAPACK, where R and C scale first the rows, then
// the columns by powers of two to a largest element near 1.
type denseSolver struct {
	lu       blas64.General
	row, col []float64 // R, C
	pivots   []int
	work     []float64
	iwork    []int
	other    *linsolve.LU // takes over where that is singular
}

func (s *denseSolver) factorize(z *linearization) error {
	n := z.eq.m
	if s.lu.Data == nil {
		s.lu = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		s.row, s.col, s.pivots = make([]float64, n), make([]float64, n), make([]int, n)
		s.work, s.iwork = make([]float64, 4*n), make([]int, n)
	}
	s.other = nil
	clear(s.lu.Data)
	clear(s.col)
	p, vals := z.jac.Pattern(), z.jac.Values()
	for i, end := range z.eq.split {
		lo := p.RowPtr()[i]
		row := s.lu.Data[i*n:][:n]
		s.row[i] = toOne(largest(vals[lo:end]))
		for k, v := range vals[lo:end] {
			j := p.Row(i)[k]
			row[j] = v * s.row[i]
			s.col[j] = max(s.col[j], math.Abs(row[j]))
		}
	}
	for j, size := range s.col {
		s.col[j] = toOne(size)
	}
	for i := range n {
		for j, c := range s.col {
			s.lu.Data[i*n+j] *= c
		}
	}
	if floats.Max(s.col) < 1e300 { // else elements may have been lost to underflow
		norm := lapack64.Lange(lapack.MaxColumnSum, s.lu, s.work)
		if lapack64.Getrf(s.lu, s.pivots) && lapack64.Gecon(lapack.MaxColumnSum, s.lu, norm, s.work, s.iwork) >= 1/mat.ConditionTolerance {
			return nil
		}
	}
	// LU knows rows and columns that are to blame, and has the last word.
	a := sparsity.NewMatrix(z.eq.left)
	z.copyLeft(a)
	s.other = new(linsolve.LU)
	return s.other.Factorize(a)
}

func (s *denseSolver) solve(dst []float64, trans bool, b []float64) error {
	if s.other != nil {
		return s.other.SolveInto(dst, trans, b)
	}
	// As Getrs, which with one column takes five times as long.
	n := len(dst)
	copy(dst, b)
	if trans {
		floats.Mul(dst, s.col)
	}
	l := blas64.Triangular{N: n, Stride: n, Data: s.lu.Data, Uplo: blas.Lower, Diag: blas.Unit}
	u := blas64.Triangular{N: n, Stride: n, Data: s.lu.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
	v := blas64.Vector{N: n, Inc: 1, Data: dst}
	if trans {
		blas64.Trsv(blas.Trans, u, v)
		blas64.Trsv(blas.Trans, l, v)
		for i, p := range slices.Backward(s.pivots) {
			dst[i], dst[p] = dst[p], dst[i]
		}
		floats.Mul(dst, s.row)
	} else {
		floats.Mul(dst, s.row)
		for i, p := range s.pivots {
			dst[i], dst[p] = dst[p], dst[i]
		}
		blas64.Trsv(blas.NoTrans, l, v)
		blas64.Trsv(blas.NoTrans, u, v)
		floats.Mul(dst, s.col)
	}
	for _, v := range dst {
		if !finite(v) {
			return &linsolve.ConvergenceError{Residual: math.NaN()}
		}
	}
	return nil
}

func (s *denseSolver) solveAll(dst *mat.Dense, trans bool) error {
	if s.other != nil {
		return s.other.SolveTo(dst, trans, dst)
	}
	d := dst.RawMatrix()
	if trans {
		scaleRows(d, s.col)
		lapack64.Getrs(blas.Trans, s.lu, d, s.pivots)
		scaleRows(d, s.row)
	} else {
		scaleRows(d, s.row)
		lapack64.Getrs(blas.NoTrans, s.lu, d, s.pivots)
		scaleRows(d, s.col)
	}
	for i := range d.Rows {
		for _, v := range d.Data[i*d.Stride:][:d.Cols] {
			if !finite(v) {
				return &linsolve.ConvergenceError{Residual: math.NaN()}
			}
		}
	}
	return nil
}

func scaleRows(d blas64.General, scale []float64) {
	for i, s := range scale {
		floats.Scale(s, d.Data[i*d.Stride:][:d.Cols])
	}
}

// toOne is the power of two that brings size into [½, 1), as far as it is in range.
func toOne(size float64) float64 {
	_, exp := math.Frexp(size)
	return math.Ldexp(1, min(-exp, 1023))
}

// sparseSolver is linsolve.LU.
type sparseSolver struct {
	lu      linsolve.LU
	a       *sparsity.Matrix
	started bool // lu has pivots to start from
	// A pure factorization is a function of the values alone, to the last bit:
	// it starts from the pivots of the base, or from none if that is nil.
	pure bool
	base *sparsity.Matrix
}

func (s *sparseSolver) factorize(z *linearization) error {
	if s.base != nil && !s.started {
		s.started = s.lu.Factorize(s.base) == nil
	}
	z.copyLeft(s.a)
	return s.factorizeLoaded()
}

// factorizeLoaded factorizes the matrix in a.
func (s *sparseSolver) factorizeLoaded() error {
	if !s.started {
		s.started = !s.pure
		return s.lu.Factorize(s.a)
	}
	repivots := s.lu.Repivots()
	err := s.lu.Refactorize(s.a)
	if s.pure && s.lu.Repivots() != repivots {
		s.started = false
	}
	return err
}

func (s *sparseSolver) solve(dst []float64, trans bool, b []float64) error {
	return s.lu.SolveInto(dst, trans, b)
}

func (s *sparseSolver) solveAll(d *mat.Dense, trans bool) error { return s.lu.SolveTo(d, trans, d) }

// krylovSolver solves by products with A: formed, or by sweeps over F.
type krylovSolver struct {
	eq   *Equation
	kind Solver
	x    []float64
	a    *sparsity.Matrix // nil if it is not formed
	pool sync.Pool
}

func newKrylovSolver(eq *Equation, kind Solver) *krylovSolver {
	s := &krylovSolver{eq: eq, kind: kind}
	s.pool.New = func() any {
		k := eq.settings.Krylov
		return &linsolve.Krylov{Tolerance: k.Tolerance, MaxIterations: k.MaxIterations, Restart: k.Restart}
	}
	return s
}

func (s *krylovSolver) factorize(z *linearization) error {
	s.x = z.x
	if s.a != nil {
		z.copyLeft(s.a)
	}
	return nil
}

func (s *krylovSolver) solve(dst []float64, trans bool, b []float64) error {
	k := s.pool.Get().(*linsolve.Krylov)
	defer s.pool.Put(k)
	method := (*linsolve.Krylov).GMRES
	if s.kind == SolverBiCGStab {
		method = (*linsolve.Krylov).BiCGStab
	}
	var failed error // of a product or preconditioner
	fail := func(err error, dst []float64) {
		if err != nil && failed == nil {
			failed = err
		}
		if err != nil {
			clear(dst)
		}
	}
	if m := s.eq.settings.Precondition; m != nil {
		k.Right = func(dst, x []float64) { fail(m(dst, trans, x), dst) }
	}
	run := func(a func(dst, x []float64)) error {
		_, err := method(k, dst, a, b)
		if failed != nil {
			return failed
		}
		return err
	}
	if s.a != nil {
		return run(func(dst, x []float64) { multiply(dst, s.a, trans, x) })
	}
	m := s.eq.m
	return s.eq.f.Inside().Sweep(s.x, func(p *sweep.Engine, ws *sweep.Workspace) error {
		return run(func(dst, x []float64) {
			if trans {
				fail(ws.VJP(1, func(w []float64, _ int) { copy(w, x) }), dst)
				copy(dst, ws.Product(0)[:m])
				return
			}
			fail(ws.JVP(1, func(v []float64, _ int) { copy(v, x) }), dst)
			for i := range dst {
				dst[i] = ws.OutputTangent(0, i)
			}
		})
	})
}

// multiply sets dst = a·x, or aᵀ·x.
func multiply(dst []float64, a *sparsity.Matrix, trans bool, x []float64) {
	p, vals := a.Pattern(), a.Values()
	clear(dst)
	for i := range x {
		lo := p.RowPtr()[i]
		for k, j := range p.Row(i) {
			if v := vals[int(lo)+k]; trans {
				dst[j] += float64(v * x[i])
			} else {
				dst[i] += float64(v * x[j])
			}
		}
	}
}

func (s *krylovSolver) solveAll(d *mat.Dense, trans bool) error {
	return eachColumn(d, func(v []float64) error { return s.solve(v, trans, v) })
}

// eachColumn replaces the columns of d by what solve makes of them.
func eachColumn(d *mat.Dense, solve func(v []float64) error) error {
	raw := d.RawMatrix()
	v := make([]float64, raw.Rows)
	for j := range raw.Cols {
		for i := range v {
			v[i] = raw.Data[i*raw.Stride+j]
		}
		if err := solve(v); err != nil {
			return err
		}
		for i := range v {
			raw.Data[i*raw.Stride+j] = v[i]
		}
	}
	return nil
}
