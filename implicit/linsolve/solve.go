package linsolve

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
)

const (
	// refined is the componentwise backward error that needs no refinement: a
	// few roundings.
	refined = 8 * epsilon

	// vanishing, times the largest term of all equations, is what residuals with
	// twice the digits leave of one where the elements of a solution decay.
	vanishing = 0x1p-100

	// maxRefinements is far more than any solution needs that is getting better.
	maxRefinements = 10

	// maxExtended bounds those in twice the working precision. After minExtended of
	// them every unknown has correct digits that is large enough to have any.
	maxExtended = 20
	minExtended = 3
)

// acceptable bounds the backward error that refinement must reach: rounding of
// the residual makes up to (n+1)ε/2 of it, the rest is for the solution.
func acceptable(n int) float64 { return float64(n+64) * epsilon }

// SolveTo solves a system of linear equations
//
//	A X = B   if trans is false
//	Aᵀ X = B  if trans is true
//
// by the factorization. Each column x is refined until every equation holds to
// within the roundings of its own terms,
//
//	|b − Ax|_i ≤ (n+64)ε (|A||x| + |b|)_i,
//
// barring underflow and residuals below 2⁻¹⁰⁰ of the largest term, in the scaled
// system; one step is typical. B is n×k; dst is n×k, or empty to be allocated, and
// may be B. It is what dst.Solve(lu, b) calls.
//
// It panics if nothing was factorized or shapes do not fit. Errors: what
// Factorize returned if there is no factorization, and dst is not touched;
// mat.Condition if Cond is above mat.ConditionTolerance, with dst as good as
// it gets; *ConvergenceError, with dst likewise, if B or X is not finite or
// refinement, in the end with twice the digits, does not get there. Time is O(NNZ·k).
//
// Source: Arioli, Demmel and Duff, Solving sparse linear systems with sparse
// backward error, SIAM J. Matrix Anal. Appl. 10, 1989.
func (lu *LU) SolveTo(dst *mat.Dense, trans bool, b mat.Matrix) error {
	checkFactorized(lu.a)
	return solveColumns(dst, b, lu.order(), lu.failure(), together, func(d []float64, inc, count int) error {
		return lu.solve(d, inc, count, trans)
	})
}

// failure is the error of a factorization that has no solutions, else nil.
func (lu *LU) failure() error {
	if math.IsInf(lu.cond, 1) {
		return lu.err
	}
	return nil
}

func checkFactorized[M any](a *M) {
	if a == nil {
		panic("linsolve: no factorization")
	}
}

// solveColumns is SolveTo of a factorization of order n: solve does a number of columns,
// at most step, in place. It is not called if there is a failure.
func solveColumns(dst *mat.Dense, b mat.Matrix, n int, failure error, step int, solve func(d []float64, inc, count int) error) (err error) {
	r, cols := b.Dims()
	if r != n {
		panic(mat.ErrShape)
	}
	if failure != nil || n == 0 {
		return failure
	}
	shape(dst, n, cols)
	dst.Copy(b)
	raw := dst.RawMatrix()
	for j := 0; j < cols; j += step {
		if e := solve(raw.Data[j:], raw.Stride, min(step, cols-j)); e != nil {
			err = e
		}
	}
	return err
}

// shape gives an empty matrix its shape, which others must have.
func shape(dst *mat.Dense, rows, cols int) {
	if dst.IsEmpty() {
		dst.ReuseAs(rows, cols)
	} else if r, c := dst.Dims(); r != rows || c != cols {
		panic(mat.ErrShape)
	}
}

// solveVector is SolveInto likewise.
func solveVector(dst, b []float64, n int, failure error, solve func(d []float64, inc int) error) error {
	if len(dst) != n || len(b) != n {
		panic("linsolve: length of vector is not the order of the matrix")
	}
	if failure != nil || n == 0 {
		return failure
	}
	copy(dst, b)
	return solve(dst, 1)
}

// SolveVecTo is SolveTo for one right-hand side.
func (lu *LU) SolveVecTo(dst *mat.VecDense, trans bool, b mat.Vector) error {
	checkFactorized(lu.a)
	n := lu.order()
	if r, c := b.Dims(); r != n || c != 1 && n > 0 {
		panic(mat.ErrShape)
	}
	if err := lu.failure(); err != nil || n == 0 {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAsVec(n)
	} else if dst.Len() != n {
		panic(mat.ErrShape)
	}
	dst.CopyVec(b)
	raw := dst.RawVector()
	return lu.solve(raw.Data, raw.Inc, 1, trans)
}

// SolveInto is SolveTo for one right-hand side in a plain slice. Both slices
// have length n and may overlap. It does not allocate in steady state.
func (lu *LU) SolveInto(dst []float64, trans bool, b []float64) error {
	checkFactorized(lu.a)
	return solveVector(dst, b, lu.order(), lu.failure(), func(d []float64, inc int) error { return lu.solve(d, inc, 1, trans) })
}

// together is the number of right-hand sides that go through the factors at
// once: four take 2.4 times as long as one.
const together = 4

// solveWork is the working memory for as many.
type solveWork struct {
	column [together]refinement
	active []*refinement
	y      []float64 // in the order of the factors
	ys     [][together]float64
}

// refinement is the state of one system B x = b or Bᵀx = b for the scaled matrix
// B = RAC, its right-hand side times 2^−exp.
type refinement struct {
	b, x, r   []float64
	exp       int32
	rest      []float64 // of the right-hand side, still to be solved for
	component float64   // backward error
	last      float64   // component before the last step
	steps     int

	tail, low []float64 // digits of x and r beyond those of a float64
}

func newRefinement(n int) refinement {
	return refinement{b: make([]float64, n), x: make([]float64, n), r: make([]float64, n)}
}

// borrow returns working memory that no other solution uses now.
func (lu *LU) borrow() *solveWork {
	w := lu.idle.take()
	if n := lu.order(); w == nil || len(w.y) != n {
		w = &solveWork{y: make([]float64, n)}
	}
	return w
}

// idle keeps working memory between solutions. Unlike a sync.Pool it is not
// emptied by the collector.
type idle[W any] struct {
	mu   sync.Mutex
	list []W
}

// take returns what was given last, a zero value if nothing is left.
func (l *idle[W]) take() (w W) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := len(l.list) - 1; last >= 0 {
		w = l.list[last]
		l.list = l.list[:last]
	}
	return w
}

func (l *idle[W]) give(w W) {
	l.mu.Lock()
	l.list = append(l.list, w)
	l.mu.Unlock()
}

// solve solves in place for count right-hand sides, that of number c being
// d[c], d[c+inc], d[c+2inc], ….
func (lu *LU) solve(d []float64, inc, count int, trans bool) error {
	n := lu.order()
	w := lu.borrow()
	defer lu.idle.give(w)
	// A x = b is (RAC)(C⁻¹x) = Rb, and Aᵀx = b is (RAC)ᵀ(R⁻¹x) = Cb.
	in, out := lu.rowExp, lu.colExp
	if trans {
		in, out = out, in
	}
	w.active = w.active[:0]
	for c := range count {
		s := &w.column[c]
		if s.b == nil {
			*s = newRefinement(n)
		}
		s.rest = s.load(d[c:], inc, in)
		w.active = append(w.active, s)
	}
	for len(w.active) > 0 {
		lu.correct(w, trans)
		k := 0
		for _, s := range w.active {
			s.last = s.component
			s.steps++
			lu.residual(s, w.y, trans)
			if s.component > refined && s.component <= s.last/2 && s.steps < maxRefinements {
				w.active[k] = s
				k++
			}
		}
		w.active = w.active[:k]
	}
	err := lu.warning
	for c := range count {
		s := &w.column[c]
		if s.component > acceptable(n) {
			from, to, solve := lu.rowOrder, lu.colOrder, lu.factorSolve
			if trans {
				from, to, solve = to, from, lu.factorSolveTrans
			}
			s.refineExtended(n, w.y, from, to, solve,
				func() { lu.residual(s, w.y, trans) },
				func() { lu.residualExtended(s, trans) })
		}
		for i, e := range out {
			d[c+i*inc] = scaled(s.x[i], e+s.exp)
		}
		if !finite(s.component) || lu.warning == nil && s.component > acceptable(n) {
			err = &ConvergenceError{s.steps, s.component}
		} else if e := checkFinite(d[c:], inc, n); e != nil {
			err = e
		} else if s.rest != nil {
			e := addRest(d[c:], inc, s.rest, func(d []float64, inc int) error { return lu.solve(d, inc, 1, trans) })
			if e != nil {
				err = e
			}
		}
	}
	return err
}

// inRange is the number of binary digits that elements of a right-hand side may be apart
// to be solved for together: so much less than the range of exponents that what solutions
// have of each is in range, too.
const inRange = 300

// load starts with the right-hand side d[0], d[inc], d[2inc], … times 2^exps. It returns
// what is too small beside the largest element, without that factor, or nil.
func (s *refinement) load(d []float64, inc int, exps []int32) (rest []float64) {
	s.exp = math.MinInt32
	for i, e := range exps {
		if v := d[i*inc]; v != 0 {
			s.exp = max(s.exp, e+exponent(v))
		}
	}
	if s.exp == math.MinInt32 {
		s.exp = 0
	}
	for i, e := range exps {
		v := d[i*inc]
		if v != 0 && e+exponent(v) < s.exp-inRange {
			if rest == nil {
				rest = make([]float64, len(exps))
			}
			rest[i], v = v, 0
		}
		s.b[i] = scaled(v, e-s.exp)
	}
	clear(s.x)
	copy(s.r, s.b)
	s.component, s.steps = math.Inf(1), -1
	return rest
}

// addRest adds to the solution d[0], d[inc], d[2inc], … that for rest.
func addRest(d []float64, inc int, rest []float64, solve func(d []float64, inc int) error) error {
	if err := solve(rest, 1); err != nil {
		return err
	}
	for i, v := range rest {
		d[i*inc] += v
	}
	return checkFinite(d, inc, len(rest))
}

// correct adds to each active x the solution for the right-hand side r.
func (lu *LU) correct(w *solveWork, trans bool) {
	from, to := lu.rowOrder, lu.colOrder
	if trans {
		from, to = to, from
	}
	if len(w.active) == 1 {
		s := w.active[0]
		for k, i := range from {
			w.y[k] = s.r[i]
		}
		if trans {
			lu.factorSolveTrans(w.y)
		} else {
			lu.factorSolve(w.y)
		}
		for k, j := range to {
			s.x[j] += w.y[k]
		}
		return
	}
	w.ys = resize(w.ys, len(w.y))
	for c, s := range w.active {
		for k, i := range from {
			w.ys[k][c] = s.r[i]
		}
	}
	if trans {
		lu.factorSolveTransTogether(w.ys)
	} else {
		lu.factorSolveTogether(w.ys)
	}
	for c, s := range w.active {
		for k, j := range to {
			s.x[j] += w.ys[k][c]
		}
	}
}

// residual sets r = b − Bx, or b − Bᵀx, and the backward error of x
//
//	component = max |r_i| / (|B||x| + |b|)_i,
//
// where 0/0 is 0; it is NaN if an r_i is not finite. It overwrites size.
func (lu *LU) residual(s *refinement, size []float64, trans bool) {
	p := lu.a.Pattern()
	ptr := p.RowPtr()
	values := lu.a.Values()
	for i, v := range s.b {
		s.r[i], size[i] = v, math.Abs(v)
	}
	if trans {
		for i, x := range s.x {
			row := values[ptr[i]:ptr[i+1]]
			idx := p.Row(i)[:len(row)]
			for k, v := range row {
				v = float64(v * x)
				s.r[idx[k]] -= v
				size[idx[k]] += math.Abs(v)
			}
		}
	} else {
		for i := range s.x {
			row := values[ptr[i]:ptr[i+1]]
			idx := p.Row(i)[:len(row)]
			r, sum := s.r[i], size[i]
			for k, v := range row {
				v = float64(v * s.x[idx[k]])
				r -= v
				sum += math.Abs(v)
			}
			s.r[i], size[i] = r, sum
		}
	}
	s.setComponent(size, 0)
}

// setComponent sets the backward error from what of r is above floor and the
// sizes of its terms.
func (s *refinement) setComponent(size []float64, floor float64) {
	s.component = 0
	for i, r := range s.r {
		if r = math.Abs(r); r <= floor {
			continue
		} else if r > s.component*size[i] {
			s.component = r / size[i]
		} else if r != r {
			s.component = r
			return
		}
	}
}

// refine adds corrections to x until the equations hold or get no better. solve
// solves in place, in the order of the factors: its right-hand side has row
// from[k] of the system as its element k, and its solution unknown to[k]. residual
// sets r and the backward error. y is working memory.
func (s *refinement) refine(y []float64, from, to []int32, solve func(y []float64), residual func()) {
	for {
		for k, i := range from {
			y[k] = s.r[i]
		}
		solve(y)
		for k, j := range to {
			s.x[j] += y[k]
		}
		s.last = s.component
		s.steps++
		residual()
		if !(s.component > refined && s.component <= s.last/2 && s.steps < maxRefinements) {
			return
		}
	}
}

// refineExtended goes on where refinement in working precision stays short of
// equations whose terms are far smaller than others: it keeps twice the digits of
// x and of its residuals, so that corrections stay accurate (Demmel, Hida,
// Kahan, Li, Mukherjee and Riedy, Error bounds from extra-precise iterative
// refinement, ACM TOMS 32, 2006). Arguments are those of refine, and a function
// that sets r to a residual of that precision. residual leaves the sizes of the
// terms in y.
//
// An unknown that a correction takes most of away had no correct digit. It is
// set to 0, which it may well be; if not, the next correction says what it is.
func (s *refinement) refineExtended(n int, y []float64, from, to []int32, solve func(y []float64), residual, residualExtended func()) {
	if s.tail == nil {
		s.tail, s.low = make([]float64, n), make([]float64, n)
	}
	clear(s.tail)
	for k := range maxExtended {
		residualExtended()
		for k, i := range from {
			y[k] = s.r[i]
		}
		solve(y)
		for k, j := range to {
			x := s.x[j]
			s.low[j] = y[k] // until the next residual
			sum, err := twoSum(x, y[k])
			s.x[j], s.tail[j] = twoSum(sum, err+s.tail[j])
			if math.Abs(s.x[j]) < math.Abs(x)/2 {
				s.x[j], s.tail[j] = 0, 0
			}
		}
		s.last = s.component
		s.steps++
		residual()
		if !(s.component > refined) {
			return
		}
		if k < minExtended || s.component <= s.last/2 {
			continue
		}
		// No better: unknowns without a correct digit are taken for 0, and what
		// equations miss then may be of no account.
		for j, d := range s.low {
			if math.Abs(d) > math.Abs(s.x[j])/2 {
				s.x[j], s.tail[j] = 0, 0
			}
		}
		residual()
		if s.component > acceptable(n) {
			s.settle(y, acceptable(n), residual)
		}
		if !(s.component > acceptable(n)) {
			return
		}
	}
}

// settle disregards residuals that vanish beside the terms of other equations. If
// the unknowns that small solve all equations as 0, they are 0.
func (s *refinement) settle(size []float64, acceptable float64, residual func()) {
	floor := min(vanishing*largest(size), math.MaxFloat64)
	copy(s.low, s.x)
	for j, x := range s.x {
		if math.Abs(x) <= floor {
			s.x[j] = 0
		}
	}
	residual()
	if s.component > acceptable {
		copy(s.x, s.low)
		residual()
		s.setComponent(size, floor)
	}
}

// startExtended, subtractExtended for each term, and endExtended compute r = b −
// B(x + tail) in sums twice as long as r.
func (s *refinement) startExtended() {
	copy(s.r, s.b)
	clear(s.low)
}

// subtractExtended is for the element v of B in row i and column j.
func (s *refinement) subtractExtended(i, j int32, v float64) {
	product := float64(v * s.x[j])
	rounded := math.FMA(v, s.x[j], -product)
	sum, err := twoSum(s.r[i], -product)
	s.r[i] = sum
	s.low[i] += err - rounded - float64(v*s.tail[j])
}

func (s *refinement) endExtended() {
	for i, low := range s.low {
		s.r[i] += low
	}
}

// residualExtended sets r = b − B(x + tail), or with Bᵀ.
func (lu *LU) residualExtended(s *refinement, trans bool) {
	p := lu.a.Pattern()
	ptr := p.RowPtr()
	s.startExtended()
	for i := range s.x {
		for k, j := range p.Row(i) {
			if v := lu.a.Values()[int(ptr[i])+k]; trans {
				s.subtractExtended(j, int32(i), v)
			} else {
				s.subtractExtended(int32(i), j, v)
			}
		}
	}
	s.endExtended()
}

// twoSum returns a + b rounded, and what that leaves out (Knuth).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}

// largest returns the maximum norm of v, or NaN if an element is.
func largest(v []float64) float64 {
	m := uint64(0) // the bits of numbers that are not negative have their order, and NaN is last
	for _, x := range v {
		m = max(m, math.Float64bits(x)&^(1<<63))
	}
	return math.Float64frombits(m)
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
		s += float64(x[i] * val[t])
	}
	return s
}

// factorSolveTogether is factorSolve for several right-hand sides.
func (lu *LU) factorSolveTogether(y [][together]float64) {
	l, u := &lu.l, &lu.u
	for b := len(lu.blockStart) - 2; b >= 0; b-- {
		lo, hi := int(lu.blockStart[b]), int(lu.blockStart[b+1])
		for k := lo; k < hi; k++ {
			subtractTogether(y, y[k], l.idx[l.ptr[k]:l.ptr[k+1]], l.val[l.ptr[k]:])
		}
		for k := hi - 1; k >= lo; k-- {
			for c := range together {
				y[k][c] /= lu.diagonal[k]
			}
			subtractTogether(y, y[k], u.idx[u.ptr[k]:u.ptr[k+1]], u.val[u.ptr[k]:])
		}
	}
}

// factorSolveTransTogether is factorSolveTrans for several right-hand sides.
func (lu *LU) factorSolveTransTogether(y [][together]float64) {
	l, u := &lu.l, &lu.u
	for b := range len(lu.blockStart) - 1 {
		lo, hi := int(lu.blockStart[b]), int(lu.blockStart[b+1])
		for k := lo; k < hi; k++ {
			s := dotTogether(y, u.idx[u.ptr[k]:u.ptr[k+1]], u.val[u.ptr[k]:])
			for c := range together {
				y[k][c] = (y[k][c] - s[c]) / lu.diagonal[k]
			}
		}
		for k := hi - 1; k >= lo; k-- {
			s := dotTogether(y, l.idx[l.ptr[k]:l.ptr[k+1]], l.val[l.ptr[k]:])
			for c := range together {
				y[k][c] -= s[c]
			}
		}
	}
}

func subtractTogether(y [][together]float64, v [together]float64, idx []int32, val []float64) {
	val = val[:len(idx)]
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	for t, i := range idx {
		a, to := val[t], &y[i]
		to[0] -= float64(v0 * a)
		to[1] -= float64(v1 * a)
		to[2] -= float64(v2 * a)
		to[3] -= float64(v3 * a)
	}
}

func dotTogether(y [][together]float64, idx []int32, val []float64) [together]float64 {
	val = val[:len(idx)]
	var s0, s1, s2, s3 float64
	for t, i := range idx {
		a, from := val[t], &y[i]
		s0 += float64(from[0] * a)
		s1 += float64(from[1] * a)
		s2 += float64(from[2] * a)
		s3 += float64(from[3] * a)
	}
	return [together]float64{s0, s1, s2, s3}
}
