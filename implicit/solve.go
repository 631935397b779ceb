package implicit

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// refined is the componentwise backward error that needs no refinement: a
	// few roundings.
	refined = 8 * epsilon

	// maxRefinements is far more than any solution needs that is getting better.
	maxRefinements = 10
)

// acceptable bounds the backward error that refinement must reach: rounding of
// the residual makes up to (n+1)ε/2 of it, the rest is for the solution.
func acceptable(n int) float64 { return float64(n+64) * epsilon }

// SolveTo solves a system of linear equations
//
//	A X = B   if trans is false
//	Aᵀ X = B  if trans is true
//
// by the factorization. Each column x is refined until the equations hold for
// an A and b of which each element is changed by a few roundings, or that does
// not get better; one step is typical. B is n×k; dst is n×k, or empty to be
// allocated, and may be B. It is what dst.Solve(lu, b) calls.
//
// It panics if nothing was factorized or shapes do not fit. Errors: what
// Factorize returned if there is no factorization, and dst is not touched;
// mat.Condition if Cond is above mat.ConditionTolerance, with dst as good as
// it gets; *ConvergenceError if B is not finite or the residual
// ‖b − Ax‖ / (‖A‖‖x‖ + ‖b‖), in the maximum norm with rows scaled, stays above
// rounding errors. Time is O(NNZ·k).
//
// Source: Arioli, Demmel and Duff, Solving sparse linear systems with sparse
// backward error, SIAM J. Matrix Anal. Appl. 10, 1989.
func (lu *LU) SolveTo(dst *mat.Dense, trans bool, b mat.Matrix) error {
	lu.checkFactorized()
	n := lu.order()
	r, c := b.Dims()
	if r != n {
		panic(mat.ErrShape)
	}
	if math.IsInf(lu.cond, 1) || n == 0 {
		return lu.err
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, c)
	} else if dr, dc := dst.Dims(); dr != n || dc != c {
		panic(mat.ErrShape)
	}
	dst.Copy(b)
	raw := dst.RawMatrix()
	var err error
	for j := range c {
		if e := lu.solve(raw.Data[j:], raw.Stride, trans); e != nil {
			err = e
		}
	}
	return err
}

// SolveVecTo is SolveTo for one right-hand side.
func (lu *LU) SolveVecTo(dst *mat.VecDense, trans bool, b mat.Vector) error {
	lu.checkFactorized()
	n := lu.order()
	if r, c := b.Dims(); r != n || c != 1 && n > 0 {
		panic(mat.ErrShape)
	}
	if math.IsInf(lu.cond, 1) || n == 0 {
		return lu.err
	}
	if dst.IsEmpty() {
		dst.ReuseAsVec(n)
	}
	dst.CopyVec(b)
	raw := dst.RawVector()
	return lu.solve(raw.Data, raw.Inc, trans)
}

// SolveInto is SolveTo for one right-hand side in a plain slice. Both slices
// have length n and may overlap. It does not allocate in steady state.
func (lu *LU) SolveInto(dst []float64, trans bool, b []float64) error {
	lu.checkFactorized()
	n := lu.order()
	if len(dst) != n || len(b) != n {
		panic("implicit: length of vector is not the order of the matrix")
	}
	if math.IsInf(lu.cond, 1) || n == 0 {
		return lu.err
	}
	copy(dst, b)
	return lu.solve(dst, 1, trans)
}

// solveWork is the working memory of one solution, of B x = b or Bᵀx = b for
// the scaled matrix B = RA.
type solveWork struct {
	b, x, r []float64
	y       []float64 // in the order of the factors
}

func (lu *LU) work() *solveWork {
	n := lu.order()
	w, _ := lu.works.Get().(*solveWork)
	if w == nil || len(w.b) != n {
		w = &solveWork{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	}
	return w
}

// solve solves in place for the right-hand side d[0], d[inc], d[2inc], ….
func (lu *LU) solve(d []float64, inc int, trans bool) error {
	w := lu.work()
	defer lu.works.Put(w)
	// A x = b is B x = Rb, and Aᵀx = b is Bᵀ(R⁻¹x) = b.
	for i, scale := range lu.scale {
		if trans {
			scale = 1
		}
		w.b[i] = d[i*inc] * scale
		w.x[i] = 0
	}
	copy(w.r, w.b)
	lu.correct(w, trans)
	component, norm := lu.residual(w, trans)
	steps := 0
	for last := math.Inf(1); component > refined && component <= last/2 && steps < maxRefinements; steps++ {
		last = component
		lu.correct(w, trans)
		component, norm = lu.residual(w, trans)
	}
	err := lu.warning
	if !finite(norm) || err == nil && norm > acceptable(lu.order()) {
		err = &ConvergenceError{steps, norm}
	}
	for i, scale := range lu.scale {
		if !trans {
			scale = 1
		}
		d[i*inc] = w.x[i] * scale
	}
	return err
}

// correct adds the solution for the right-hand side w.r to w.x.
func (lu *LU) correct(w *solveWork, trans bool) {
	from, to := lu.rowOrder, lu.colOrder
	if trans {
		from, to = to, from
	}
	for k, i := range from {
		w.y[k] = w.r[i]
	}
	if trans {
		lu.factorSolveTrans(w.y)
	} else {
		lu.factorSolve(w.y)
	}
	for k, j := range to {
		w.x[j] += w.y[k]
	}
}

// residual sets w.r = b − Bx, or b − Bᵀx, and returns the backward errors of x
//
//	component = max |r_i| / (|B||x| + |b|)_i, norm = ‖r‖ / (‖B‖‖x‖ + ‖b‖),
//
// where 0/0 is 0. If r has a NaN only norm is NaN. It overwrites w.y.
func (lu *LU) residual(w *solveWork, trans bool) (component, norm float64) {
	p := lu.a.Pattern()
	ptr := p.RowPtr()
	values := lu.a.Values()
	normB := lu.normInf
	size := w.y
	copy(w.r, w.b)
	for i, v := range w.b {
		size[i] = math.Abs(v)
	}
	if trans {
		normB = lu.norm1
		for i, x := range w.x {
			row := values[ptr[i]:ptr[i+1]]
			idx := p.Row(i)[:len(row)]
			for k, v := range row {
				v *= x
				w.r[idx[k]] -= v
				size[idx[k]] += math.Abs(v)
			}
		}
	} else {
		for i := range w.x {
			row := values[ptr[i]:ptr[i+1]]
			idx := p.Row(i)[:len(row)]
			r, s := w.r[i], size[i]
			for k, v := range row {
				v *= w.x[idx[k]]
				r -= v
				s += math.Abs(v)
			}
			w.r[i], size[i] = r, s
		}
	}
	for i, r := range w.r {
		if r = math.Abs(r); r > component*size[i] {
			component = r / size[i]
		}
	}
	return component, quotient(largest(w.r), normB*largest(w.x)+largest(w.b))
}

// largest returns the maximum norm of v, or NaN if an element is.
func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// quotient returns a/b, and 0 for 0/0.
func quotient(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// factorSolve solves (LU + F) x = y in place.
func (lu *LU) factorSolve(y []float64) {
	l, u := &lu.l, &lu.u
	for b := len(lu.blockStart) - 2; b >= 0; b-- {
		lo, hi := int(lu.blockStart[b]), int(lu.blockStart[b+1])
		for k := lo; k < hi; k++ {
			if v := y[k]; v != 0 {
				subtract(y, v, l.idx[l.ptr[k]:l.ptr[k+1]], l.val[l.ptr[k]:])
			}
		}
		for k := hi - 1; k >= lo; k-- {
			v := y[k] / lu.diagonal[k]
			y[k] = v
			if v != 0 {
				subtract(y, v, u.idx[u.ptr[k]:u.ptr[k+1]], u.val[u.ptr[k]:])
			}
		}
	}
}

// factorSolveTrans solves (LU + F)ᵀ x = y in place.
func (lu *LU) factorSolveTrans(y []float64) {
	l, u := &lu.l, &lu.u
	for b := range len(lu.blockStart) - 1 {
		lo, hi := int(lu.blockStart[b]), int(lu.blockStart[b+1])
		for k := lo; k < hi; k++ {
			y[k] = (y[k] - dot(y, u.idx[u.ptr[k]:u.ptr[k+1]], u.val[u.ptr[k]:])) / lu.diagonal[k]
		}
		for k := hi - 1; k >= lo; k-- {
			y[k] -= dot(y, l.idx[l.ptr[k]:l.ptr[k+1]], l.val[l.ptr[k]:])
		}
	}
}

// dot returns Σ x[idx[t]]·val[t].
func dot(x []float64, idx []int32, val []float64) float64 {
	val = val[:len(idx)]
	s := 0.0
	for t, i := range idx {
		s += x[i] * val[t]
	}
	return s
}
