package linsolve

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// Cholesky is a sparse symmetric positive definite matrix A, or A + S with a
// diagonal shift S = λI or λDiag(s), represented by its factorization
//
//	P (A + S) Pᵀ = L D Lᵀ
//
// where P is a permutation, L unit lower triangular and D diagonal with positive
// elements. It takes half of the operations of LU and no refinement: without
// pivoting it is as stable as can be.
//
// The zero value is ready for Factorize. A factorization is read only until
// the next: any number of goroutines may solve with it.
//
// Use mat.Cholesky for a matrix that is small or has most entries nonzero, LU
// for one that is indefinite.
type Cholesky struct {
	a      *sparsity.SymMatrix
	shift  []float64 // S
	failed int       // column without pivot, n if there is none
	err    error     // of the factorization

	// Analysis, and the lower triangle of PAPᵀ by columns: row and place in the
	// values of A. Column k of L is in val from ptr[k] on, the rows inside the range
	// of its supernode before those below it.
	symbolic
	aPtr, aRow, aSrc []int32

	// Of the tree of the supernodes: the parent of each, its children, what number among
	// the variables of the parent's front each of rows has, and the number of entry t of
	// PAPᵀ in the front of its supernode. A front has the columns of a supernode and the
	// rows below.
	parent             []int32
	childPtr, children []int32
	up, aAt            []int32

	ptr      []int
	val      []float64
	diagonal []float64 // D

	// Working memory of the elimination: the column in the making, zero in
	// between; coefficients of the columns of a supernode; lists of the supernodes
	// whose next row below is k, from head[k] along next, with the place of that
	// row.
	x, u             []float64
	head, next, from []int32

	idle     idle[[]float64]
	inverses idle[*inverseWork]
}

var (
	_ mat.Symmetric = (*Cholesky)(nil)
	_ mat.SolveToer = (*Cholesky)(nil)
)

// Factorize computes the factorization of a: variables are ordered by
// approximate minimum degree, as those of LU, the elimination tree gives the
// structure of L, and its columns are computed from left to right.
//
// An entry that is infinite or NaN gives a *NonFiniteError, a pivot not above its
// own rounding errors a *NotPositiveDefiniteError; solving then returns the
// same, but Refactorize and NegativeCurvature work.
//
// Time is proportional to the floating-point operations. Sources: Davis, Direct
// Methods for Sparse Linear Systems, SIAM 2006, chapters 4 and 7; Liu, The role
// of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11,
// 1990; Ng and Peyton, Block sparse Cholesky algorithms on advanced uniprocessor
// computers, SIAM J. Sci. Comput. 14, 1993, whose sup-col this is.
func (c *Cholesky) Factorize(a *sparsity.SymMatrix) error {
	p := a.Triangle().Pattern()
	c.a = sparsity.NewSymMatrix(sparsity.NewMatrix(p))
	c.analyze(p)
	return c.Refactorize(a)
}

// Refactorize computes the factorization of a, the same triangle of the same
// pattern as last given to Factorize, with the order and the structure found
// there. Errors are those of Factorize. It panics if there was no Factorize or
// the pattern differs. It does not allocate. Time is that of the floating-point
// operations.
func (c *Cholesky) Refactorize(a *sparsity.SymMatrix) error { return c.RefactorizeShift(a, 0) }

// RefactorizeShift is Refactorize of A + λI. With λ above the negative of its
// least eigenvalue any A becomes positive definite. It panics if λ is not
// finite.
func (c *Cholesky) RefactorizeShift(a *sparsity.SymMatrix, lambda float64) error {
	c.checkPattern(a)
	if !finite(lambda) {
		panic("linsolve: shift not finite")
	}
	for i := range c.shift {
		c.shift[i] = lambda
	}
	return c.refactorize(a)
}

// RefactorizeMarquardt is Refactorize of A + λDiag(s), or of A + λDiag(A) if s is
// nil: unlike with λI, a step of a damped method does not depend on the units of
// the variables then. It panics if λ or an element of s is negative or not
// finite, or s has another length than the order of A.
//
// Source: Marquardt, An algorithm for least-squares estimation of nonlinear
// parameters, J. SIAM 11, 1963.
func (c *Cholesky) RefactorizeMarquardt(a *sparsity.SymMatrix, lambda float64, s []float64) error {
	c.checkPattern(a)
	if s != nil && len(s) != len(c.shift) {
		panic("linsolve: length of vector is not the order of the matrix")
	}
	bad := func(v float64) bool { return !(v >= 0 && finite(v)) }
	if bad(lambda) || slices.ContainsFunc(s, bad) {
		panic("linsolve: shift negative or not finite")
	}
	for i := range c.shift {
		if s != nil {
			c.shift[i] = lambda * s[i]
		} else {
			c.shift[i] = lambda * a.At(i, i)
		}
	}
	return c.refactorize(a)
}

func (c *Cholesky) checkPattern(a *sparsity.SymMatrix) {
	checkFactorized(c.a)
	if !c.a.Triangle().Pattern().Equal(a.Triangle().Pattern()) {
		panic("linsolve: pattern differs")
	}
}

func (c *Cholesky) refactorize(a *sparsity.SymMatrix) error {
	copy(c.a.Triangle().Values(), a.Triangle().Values())
	c.err = firstNonFinite(c.a.Triangle().Pattern(), c.a.Triangle().Values())
	if c.err == nil {
		c.err = c.eliminate()
	}
	return c.err
}

// Dims returns the dimensions of A, 0 and 0 before Factorize.
func (c *Cholesky) Dims() (rows, cols int) {
	n := c.SymmetricDim()
	return n, n
}

// SymmetricDim returns the order of A, 0 before Factorize.
func (c *Cholesky) SymmetricDim() int { return len(c.diagonal) }

// At returns the element of A + S in row i, column j. It panics if there was no
// Factorize.
func (c *Cholesky) At(i, j int) float64 {
	checkFactorized(c.a)
	v := c.a.At(i, j)
	if i == j {
		v += c.shift[i]
	}
	return v
}

// T returns the matrix itself.
func (c *Cholesky) T() mat.Matrix { return c }

// NNZ returns the number of entries stored for L and D, where the unit diagonal
// of L is not.
func (c *Cholesky) NNZ() int {
	checkFactorized(c.a)
	return len(c.diagonal) + len(c.val)
}

// Fill returns NNZ relative to the number of entries of a triangle of A.
func (c *Cholesky) Fill() float64 {
	return quotient(float64(c.NNZ()), float64(c.a.Triangle().NNZ()))
}

// LogDet returns log det(A + S), NaN if there is no factorization. It is the
// term that a Gaussian density, and the Laplace approximation of an integral,
// have of their Hessian.
func (c *Cholesky) LogDet() float64 {
	checkFactorized(c.a)
	if c.err != nil {
		return math.NaN()
	}
	s := 0.0
	for _, d := range c.diagonal {
		s += math.Log(d)
	}
	return s
}

// Cond returns an estimate of the condition number ‖A + S‖₁‖(A + S)⁻¹‖₁, with
// which the errors of solutions grow, made as that of LU; 0 for a matrix of
// order 0, +Inf if there is no factorization. Time is that of some five
// solutions.
func (c *Cholesky) Cond() float64 {
	checkFactorized(c.a)
	n := len(c.diagonal)
	switch {
	case c.err != nil:
		return math.Inf(1)
	case n == 0:
		return 0
	}
	sums := make([]float64, n)
	for i := range sums {
		sums[i] = math.Abs(c.At(i, i))
	}
	c.a.DoNonZero(func(i, j int, v float64) {
		if i != j {
			sums[i] += math.Abs(v)
		}
	})
	work := make([]float64, 3*n)
	return floats.Max(sums) * inverseNorm(work[:n], work[n:2*n], work[2*n:], c.factorSolve, c.factorSolve)
}

// analyze finds the order and the structure of L.
func (c *Cholesky) analyze(p *sparsity.Pattern) {
	n, _ := p.Dims()
	ptr, adj := triangleGraph(p)
	order, _ := minimumDegree(n, ptr, adj)
	c.symbolic.analyze(ptr, adj, order)
	c.ptr = resize(c.ptr, n+1)
	widest := 0
	for at := range c.supernodes() {
		widest = max(widest, c.width(at))
		below := len(c.below(at))
		for k := c.first[at]; k < c.first[at+1]; k++ {
			c.ptr[k+1] = c.ptr[k] + int(c.first[at+1]-1-k) + below
		}
	}

	c.aPtr, c.aRow, c.aSrc = c.lower(p)
	c.aAt = resize(c.aAt, p.NNZ())
	_, c.parent = c.tree()
	c.childPtr, c.children, c.up = c.places(c.parent, func(s int, local []int32) {
		for t := c.aPtr[c.first[s]]; t < c.aPtr[c.first[s+1]]; t++ {
			c.aAt[t] = local[c.aRow[t]]
		}
	})

	c.val = resize(c.val, c.ptr[n])
	c.diagonal = resize(c.diagonal, n)
	c.shift = resize(c.shift, n)
	c.x = resize(c.x, n)
	clear(c.x)
	c.u = resize(c.u, widest)
	c.head = resize(c.head, n)
	c.next = resize(c.next, c.supernodes())
	c.from = resize(c.from, c.supernodes())
}

// eliminate computes L and D. Column k is that of A less those of the columns
// before it that have an entry in row k: first of the supernodes to the left,
// then of its own.
func (c *Cholesky) eliminate() error {
	values := c.a.Triangle().Values()
	x := c.x
	for k := range c.head {
		c.head[k] = none
	}
	least, at := doubtfulPivot, none // of the pivots relative to the diagonal of A + S
	for s := range c.next {
		lo, hi := int(c.first[s]), int(c.first[s+1])
		rows := c.rows[c.rowPtr[s]:c.rowPtr[s+1]]
		for k := lo; k < hi; k++ {
			for t := c.aPtr[k]; t < c.aPtr[k+1]; t++ {
				x[c.aRow[t]] = values[c.aSrc[t]]
			}
			x[k] += c.shift[c.order[k]]
			start := math.Abs(x[k])
			terms := 1 + k - lo
			for d := c.head[k]; d != none; {
				next := c.next[d]
				terms += c.subtractSupernode(x, int(d))
				c.push(d, c.from[d]+1)
				d = next
			}

			pivot := x[k]
			x[k] = 0
			col := c.val[c.ptr[k]:c.ptr[k+1]]
			inside := copy(col, x[k+1:hi])
			clear(x[k+1 : hi])
			below := col[inside:]
			for t, i := range rows {
				below[t] = x[i]
				x[i] = 0
			}
			pivot = c.subtractInside(col, pivot, lo, k)

			// Each of the terms adds a rounding error of at most ½ε·start.
			if !(pivot > float64(terms)*epsilon*start && pivot <= math.MaxFloat64) {
				c.failed = k
				return &NotPositiveDefiniteError{N: len(x), Variable: int(c.order[k]), Step: k, Pivot: pivot}
			}
			c.diagonal[k] = pivot
			if ratio := pivot / start; ratio < least {
				least, at = ratio, k
			}
			for t := range col {
				col[t] /= pivot
			}
		}
		c.push(int32(s), 0)
	}
	c.failed = len(x)
	if at != none && !c.certain(at) {
		c.failed = at
		return &NotPositiveDefiniteError{N: len(x), Variable: int(c.order[at]), Step: at, Pivot: c.diagonal[at]}
	}
	return nil
}

// doubtfulPivot is the size of a pivot, relative to its element of A + S, below which the
// rounding errors of those before it may be all of it.
const doubtfulPivot = 1e-4

// certain reports whether pivot k is above its rounding errors and those of the pivots
// before it. It is vᵀ(A + S)v with the v of NegativeCurvature, and L of a matrix each
// element of which is off by some ε√(aᵢᵢaⱼⱼ) (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, section 10.1); such errors, of any sign, add to some εΣvᵢ²aᵢᵢ.
func (c *Cholesky) certain(k int) bool {
	v := c.borrow()
	defer c.idle.give(v)
	clear(v)
	v[k] = 1
	c.failed = k
	c.solveLT(v)
	c.failed = len(v)
	size := 0.0
	for j, x := range v[:k+1] {
		if x != 0 {
			i := int(c.order[j])
			size += float64(x * x * c.At(i, i))
		}
	}
	return c.diagonal[k] > 4*epsilon*size
}

// push puts supernode s in the list of its row number p below, if there is one.
func (c *Cholesky) push(s, p int32) {
	at := c.rowPtr[s] + int(p)
	if at == c.rowPtr[s+1] {
		return
	}
	k := c.rows[at]
	c.from[s] = p
	c.next[s] = c.head[k]
	c.head[k] = s
}

// subtractSupernode subtracts from column k in x what the columns of supernode s
// contribute, where k is the row of s that its list is for, and returns how many
// they are.
func (c *Cholesky) subtractSupernode(x []float64, s int) int {
	lo, hi := int(c.first[s]), int(c.first[s+1])
	p := int(c.from[s])
	u := c.u[:hi-lo]
	for j := lo; j < hi; j++ {
		u[j-lo] = c.val[c.ptr[j]+hi-1-j+p] * c.diagonal[j]
	}
	c.subtractBelow(x, s, p, u)
	return hi - lo
}

// subtractBelow computes x[i] −= Σ u[j] L[i, j] over the columns j of supernode s
// for its rows i below, from number p on. Four columns at once take half as long
// as one after the other.
func (c *Cholesky) subtractBelow(x []float64, s, p int, u []float64) {
	lo, hi := int(c.first[s]), int(c.first[s+1])
	rows := c.rows[c.rowPtr[s]+p : c.rowPtr[s+1]]
	n := len(rows)
	column := func(j int) []float64 { return c.val[c.ptr[j+1]-n : c.ptr[j+1]] }
	j := lo
	for ; j+4 <= hi; j += 4 {
		l0, l1, l2, l3 := column(j), column(j+1), column(j+2), column(j+3)
		l0, l1, l2, l3 = l0[:n], l1[:n], l2[:n], l3[:n]
		u0, u1, u2, u3 := u[j-lo], u[j-lo+1], u[j-lo+2], u[j-lo+3]
		for t, i := range rows {
			x[i] -= float64(u0*l0[t]) + float64(u1*l1[t]) + float64(u2*l2[t]) + float64(u3*l3[t])
		}
	}
	for ; j < hi; j++ {
		subtract(x, u[j-lo], rows, column(j))
	}
}

// subtractInside subtracts from column k, its pivot and what is below in col,
// what the columns lo to k−1 of the same supernode contribute, and returns the
// pivot.
func (c *Cholesky) subtractInside(col []float64, pivot float64, lo, k int) float64 {
	n := len(col)
	column := func(j int) (u float64, tail []float64) {
		tail = c.val[c.ptr[j+1]-n : c.ptr[j+1]]
		l := c.val[c.ptr[j+1]-n-1]
		u = l * c.diagonal[j]
		pivot -= float64(u * l)
		return u, tail
	}
	j := lo
	for ; j+4 <= k; j += 4 {
		u0, l0 := column(j)
		u1, l1 := column(j + 1)
		u2, l2 := column(j + 2)
		u3, l3 := column(j + 3)
		l0, l1, l2, l3 = l0[:n], l1[:n], l2[:n], l3[:n]
		for t := range col {
			col[t] -= float64(u0*l0[t]) + float64(u1*l1[t]) + float64(u2*l2[t]) + float64(u3*l3[t])
		}
	}
	for ; j < k; j++ {
		u, l := column(j)
		floats.AddScaled(col, -u, l)
	}
	return pivot
}

// SolveTo solves A X = B, with the shift (A + S) X = B, by the factorization; A
// being symmetric, trans has no effect. B is n×k; dst is n×k, or empty to be
// allocated, and may be B. It is what dst.Solve(c, b) calls.
//
// The solution is exact for a matrix of which each element differs by some
// roundings of √(aᵢᵢaⱼⱼ); its own error is up to Cond times ε, of which nothing
// warns. It panics if nothing was factorized or shapes do not fit. Errors: what
// Factorize returned if there is no factorization, and dst is not touched;
// *ConvergenceError if B or X is not finite. Time is O(NNZ·k).
//
// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
// SIAM 2002, chapter 10.
func (c *Cholesky) SolveTo(dst *mat.Dense, trans bool, b mat.Matrix) error {
	checkFactorized(c.a)
	return solveColumns(dst, b, len(c.diagonal), c.err, 1, func(d []float64, inc, _ int) error { return c.solve(d, inc) })
}

// SolveInto is SolveTo for one right-hand side in a plain slice. Both slices
// have length n and may overlap. It does not allocate in steady state.
func (c *Cholesky) SolveInto(dst, b []float64) error {
	checkFactorized(c.a)
	return solveVector(dst, b, len(c.diagonal), c.err, c.solve)
}

// NegativeCurvature returns, after a *NotPositiveDefiniteError, a vector v with
//
//	vᵀ(A + S)v = Pivot ≤ 0
//
// up to rounding, whose element Variable is 1: along v a function with this
// Hessian does not curve upwards. It stores v in dst, of length n; nil
// allocates. It panics if there is no such error. Time is at most that of half a
// solution.
func (c *Cholesky) NegativeCurvature(dst []float64) []float64 {
	checkFactorized(c.a)
	n := len(c.diagonal)
	e, ok := c.err.(*NotPositiveDefiniteError)
	if !ok {
		panic("linsolve: no pivot failed")
	}
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic("linsolve: length of vector is not the order of the matrix")
	}
	y := c.borrow()
	clear(y)
	y[e.Step] = 1
	c.solveLT(y)
	for k, i := range c.order {
		dst[i] = y[k]
	}
	c.idle.give(y)
	return dst
}

// borrow returns a vector of length n that no other solution uses now.
func (c *Cholesky) borrow() []float64 {
	return resize(c.idle.take(), len(c.diagonal))
}

// solve solves in place for the right-hand side d[0], d[inc], d[2inc], ….
func (c *Cholesky) solve(d []float64, inc int) error {
	y := c.borrow()
	for k, i := range c.order {
		y[k] = d[int(i)*inc]
	}
	c.factorSolve(y)
	for k, i := range c.order {
		d[int(i)*inc] = y[k]
	}
	c.idle.give(y)
	return checkFinite(d, inc, len(y))
}

// factorSolve solves LDLᵀx = y in place.
func (c *Cholesky) factorSolve(y []float64) {
	for s := range c.next {
		lo, hi := int(c.first[s]), int(c.first[s+1])
		for k := lo; k < hi; k++ {
			col := c.val[c.ptr[k]:][:hi-1-k]
			v := y[k]
			to := y[k+1 : hi][:len(col)]
			for t, l := range col {
				to[t] -= float64(v * l)
			}
		}
		c.subtractBelow(y, s, 0, y[lo:hi])
	}
	for k, d := range c.diagonal {
		y[k] /= d
	}
	c.solveLT(y)
}

// solveLT solves Lᵀx = y in place, or with the columns of L that there are where
// the elimination ended early, y being 0 from there on but for the first.
func (c *Cholesky) solveLT(y []float64) {
	for s := len(c.next) - 1; s >= 0; s-- {
		lo, hi := int(c.first[s]), int(c.first[s+1])
		rows := c.rows[c.rowPtr[s]:c.rowPtr[s+1]]
		for k := min(hi, c.failed) - 1; k >= lo; k-- {
			col := c.val[c.ptr[k]:c.ptr[k+1]]
			v := y[k]
			for t, l := range col[:hi-1-k] {
				v -= float64(y[k+1+t] * l)
			}
			y[k] = v - dot(y, rows, col[hi-1-k:])
		}
	}
}
