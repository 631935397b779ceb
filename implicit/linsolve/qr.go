package linsolve

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// QR is a sparse m×n matrix A with m ≥ n and independent columns, represented by
// its factorization
//
//	A C P = Q [R; 0]
//
// where C is a diagonal matrix of column scales, powers of two, P a permutation, Q
// orthogonal and R upper triangular. It solves least-squares problems and finds
// the standard deviations of their solutions without forming AᵀA, whose condition
// number is that of A squared.
//
// Cholesky of AᵀA (sparsity.Gram) takes between a sixth and a third of the time,
// and is enough where Cond is far below 1/√ε ≈ 10⁸: it loses twice as many digits.
// Where residuals are large the problem itself is so sensitive that QR loses as
// many of x. A damped problem, min ‖Ax − b‖² + λ‖Dx‖², is that of A with the rows
// √λ·D below it.
//
// The zero value is ready for Factorize. A factorization is read only until the
// next: any number of goroutines may solve with it. Use mat.QR for a matrix that
// is small or has most entries nonzero.
type QR struct {
	a       *sparsity.Matrix
	colExp  []int32 // C is 2^colExp
	err     error   // of the factorization; no solutions if cond is +Inf
	warning error   // what solutions come with
	cond    float64

	// Analysis. R has the structure of the Cholesky factor of AᵀA, transposed.
	// Each of its supernodes is a front: a dense matrix whose columns are those of
	// the supernode and those below it, and whose rows are the rows of A that begin
	// in the supernode and what its children pass on. Reflections make it upper
	// triangular; the rows of the supernode's own columns are rows of R, and the
	// rest, no more rows than columns, is passed on to the parent.
	symbolic
	of                 []int32 // the supernode of each column
	parent             []int32 // supernode, or none
	childPtr, children []int32 // of each supernode
	upColumn           []int32 // of each of rows, its column in the parent's front
	dependent          []int   // columns that have no row left

	// Front s has the rows slots[slotPtr[s]:slotPtr[s+1]], by the first column that
	// they may be nonzero in. A slot is the number of the row of A that it was
	// first, and up its row in the parent's front, if it is passed on.
	slotPtr   []int
	slots, up []int32

	// By slot: the column of the front that a reflection makes 0 below the row, of
	// rows up to end, since those after it are 0 there anyway; none for rows that
	// have become 0.
	pivot, end []int32

	// The elements of front s are in val from ptr[s] on, column by column. Below
	// the diagonal are the reflections as LAPACK has them, with factors in tau, by
	// slot. Value number k of A goes to val[place[k]].
	ptr, place []int
	val, tau   []float64
	largest    int       // number of rows of a front
	probe      []float64 // for Cond

	idle  idle[[]float64]
	roots idle[*rootWork]
}

var (
	_ mat.Matrix    = (*QR)(nil)
	_ mat.SolveToer = (*QR)(nil)
)

// Factorize computes the factorization of a: columns are ordered by approximate
// minimum degree on the pattern of AᵀA and fronts reduced by Householder's
// reflections, from the leaves of the elimination tree to its roots.
//
// It panics if a has fewer rows than columns. An entry that is infinite or NaN
// gives a *NonFiniteError, dependent columns a *SingularError that names them;
// solving then returns the same. A condition number above mat.ConditionTolerance
// gives a *SingularError, but the factorization is complete.
//
// A row with many entries makes R as full as its square is. Time is that of the
// floating-point operations. Sources: George and Heath, Solution of sparse linear
// least squares problems using Givens rotations, Linear Algebra Appl. 34, 1980;
// Liu, On general row merging schemes for sparse Givens transformations, SIAM J.
// Sci. Stat. Comput. 7, 1986; Davis, Algorithm 915, SuiteSparseQR, ACM TOMS 38,
// 2011.
func (q *QR) Factorize(a *sparsity.Matrix) error {
	p := a.Pattern()
	if m, n := p.Dims(); m < n {
		panic("linsolve: fewer rows than columns")
	}
	q.a = sparsity.NewMatrix(p)
	q.analyze()
	return q.Refactorize(a)
}

// Refactorize computes the factorization of a, of the pattern last given to
// Factorize, with the order and the structure found there. Errors are those of
// Factorize. It panics if there was no Factorize or the pattern differs. It does
// not allocate unless there is an error.
func (q *QR) Refactorize(a *sparsity.Matrix) error {
	checkFactorized(q.a)
	if !q.a.Pattern().Equal(a.Pattern()) {
		panic("linsolve: pattern differs")
	}
	copy(q.a.Values(), a.Values())
	q.warning, q.cond = nil, math.Inf(1)
	q.err = firstNonFinite(a.Pattern(), a.Values())
	if q.err == nil {
		q.err = q.reduce()
	}
	if q.err == nil {
		q.err = q.estimateCondition()
	}
	return q.err
}

// Dims returns the dimensions of A, 0 and 0 before Factorize.
func (q *QR) Dims() (r, c int) {
	if q.a == nil {
		return 0, 0
	}
	return q.a.Dims()
}

// At returns the element of A in row i, column j. It panics if there was no
// Factorize.
func (q *QR) At(i, j int) float64 {
	checkFactorized(q.a)
	return q.a.At(i, j)
}

// T returns the transpose as a view: dst.Solve(q.T(), b) is SolveTo with Aᵀ.
func (q *QR) T() mat.Matrix { return mat.Transpose{Matrix: q} }

// NNZ returns the number of elements stored for R and Q.
func (q *QR) NNZ() int {
	checkFactorized(q.a)
	return len(q.val)
}

// Cond returns an estimate of the condition number ‖R‖₁‖R⁻¹‖₁, that of A with
// its columns scaled up to a factor of n, made as that of LU; 0 for a matrix
// without columns, +Inf if there is no factorization.
func (q *QR) Cond() float64 {
	checkFactorized(q.a)
	return q.cond
}

// analyze finds the order, the fronts and their rows.
func (q *QR) analyze() {
	p := q.a.Pattern()
	m, n := p.Dims()
	ptr, adj := gramGraph(p)
	order, _ := minimumDegree(n, ptr, adj)
	q.symbolic.analyze(ptr, adj, order)
	q.amalgamate(1)
	q.of, q.parent = q.tree()

	// A row enters the front of its first column, and later those that it is
	// passed on to.
	type entering struct{ slot, column, from int32 }
	enter := make([][]entering, q.supernodes())
	for i := range m {
		column := int32(n)
		for _, j := range p.Row(i) {
			column = min(column, q.position[j])
		}
		if int(column) < n {
			s := q.of[column]
			enter[s] = append(enter[s], entering{int32(i), column, none})
		}
	}
	q.place = resize(q.place, p.NNZ())
	q.ptr = append(q.ptr[:0], 0)
	q.slotPtr = append(q.slotPtr[:0], 0)
	q.slots, q.up = q.slots[:0], q.up[:0]
	q.pivot, q.end = q.pivot[:0], q.end[:0]
	q.dependent = nil
	q.largest = 0
	q.childPtr, q.children, q.upColumn = q.places(q.parent, func(s int, local []int32) {
		columns := q.columns(s)
		slices.SortStableFunc(enter[s], func(a, b entering) int { return int(local[a.column] - local[b.column]) })
		rows := len(enter[s])
		for r, e := range enter[s] {
			q.slots = append(q.slots, e.slot)
			q.up = append(q.up, none)
			q.pivot = append(q.pivot, none)
			q.end = append(q.end, none)
			if e.from != none {
				q.up[e.from] = int32(r)
				continue
			}
			start := int(p.RowPtr()[e.slot])
			for t, j := range p.Row(int(e.slot)) {
				q.place[start+t] = q.ptr[s] + int(local[q.position[j]])*rows + r
			}
		}
		q.largest = max(q.largest, rows)
		q.slotPtr = append(q.slotPtr, q.slotPtr[s]+rows)
		q.ptr = append(q.ptr, q.ptr[s]+rows*columns)

		row, end := 0, 0
		for c := range columns {
			for end < rows && int(local[enter[s][end].column]) <= c {
				end++
			}
			if row == end { // no row left for the diagonal
				if c < q.width(s) {
					q.dependent = append(q.dependent, int(q.order[q.column(s, c)]))
				}
				continue
			}
			at := q.slotPtr[s] + row
			q.pivot[at], q.end[at] = int32(c), int32(end)
			if c >= q.width(s) {
				parent := q.parent[s]
				enter[parent] = append(enter[parent], entering{q.slots[at], q.column(s, c), int32(at)})
			}
			row++
		}
		enter[s] = nil
	})
	slices.Sort(q.dependent)
	q.val = resize(q.val, q.ptr[q.supernodes()])
	q.tau = resize(q.tau, len(q.slots))
	q.colExp = resize(q.colExp, n)
	q.probe = resize(q.probe, 3*n)
}

// gramGraph returns the graph of AᵀA for an A with the pattern p: node i has the
// neighbors adj[ptr[i]:ptr[i+1]].
func gramGraph(p *sparsity.Pattern) (ptr []int, adj []int32) {
	_, n := p.Dims()
	t := p.Transpose()
	ptr = make([]int, n+1)
	seen := make([]int32, n)
	for j := range n {
		seen[j] = int32(j + 1)
		for _, i := range t.Row(j) {
			for _, c := range p.Row(int(i)) {
				if seen[c] != int32(j+1) {
					seen[c] = int32(j + 1)
					adj = append(adj, c)
				}
			}
		}
		ptr[j+1] = len(adj)
	}
	return ptr, adj
}

// columns is the number of columns of front s.
func (q *QR) columns(s int) int { return q.width(s) + len(q.below(s)) }

// column is the column of R that is column c of front s.
func (q *QR) column(s, c int) int32 {
	if w := q.width(s); c >= w {
		return q.rows[q.rowPtr[s]+c-w]
	}
	return q.first[s] + int32(c)
}

// reduce computes R and the reflections.
func (q *QR) reduce() error {
	p := q.a.Pattern()
	n := len(q.colExp)
	if len(q.dependent) > 0 {
		return &SingularError{N: n, StructuralRank: n, Columns: q.dependent}
	}
	values := q.a.Values()
	clear(q.val)
	q.scaleColumns()
	ptr := p.RowPtr()
	for i := range len(ptr) - 1 {
		for t, j := range p.Row(i) {
			k := int(ptr[i]) + t
			q.val[q.place[k]] = scaled(values[k], q.colExp[j])
		}
	}
	for s := range q.supernodes() {
		q.reduceFront(s)
		q.passOn(s)
	}
	var zero []int
	for s := range q.supernodes() {
		rows := q.slotPtr[s+1] - q.slotPtr[s]
		for k := range q.width(s) {
			if q.val[q.ptr[s]+k*rows+k] == 0 {
				zero = append(zero, int(q.order[int(q.first[s])+k]))
			}
		}
	}
	if zero != nil {
		slices.Sort(zero)
		return &SingularError{N: n, StructuralRank: n, Columns: zero}
	}
	return nil
}

// scaleColumns sets the exponents that bring the largest element of each column
// into [½, 1).
func (q *QR) scaleColumns() {
	const nothing = math.MinInt32
	for j := range q.colExp {
		q.colExp[j] = nothing
	}
	p := q.a.Pattern()
	k := 0
	for i := range len(p.RowPtr()) - 1 {
		for _, j := range p.Row(i) {
			if v := q.a.Values()[k]; v != 0 {
				q.colExp[j] = max(q.colExp[j], exponent(v))
			}
			k++
		}
	}
	for j, e := range q.colExp {
		if q.colExp[j] = -e; e == nothing {
			q.colExp[j] = 0
		}
	}
}

// front returns the elements of front s, and of its rows the pivots, the ends
// and the factors.
func (q *QR) front(s int) (val []float64, rows int, pivot, end []int32, tau []float64) {
	lo, hi := q.slotPtr[s], q.slotPtr[s+1]
	return q.val[q.ptr[s]:q.ptr[s+1]], hi - lo, q.pivot[lo:hi], q.end[lo:hi], q.tau[lo:hi]
}

// reduceFront makes front s upper triangular.
func (q *QR) reduceFront(s int) {
	val, rows, pivot, end, tau := q.front(s)
	columns := q.columns(s)
	for t, c := range pivot {
		if c == none {
			break
		}
		v := val[int(c)*rows+t : int(c)*rows+int(end[t])]
		tau[t] = reflector(v)
		if tau[t] == 0 {
			continue
		}
		for j := int(c) + 1; j < columns; j++ {
			reflect(tau[t], v, val[j*rows+t:j*rows+int(end[t])])
		}
	}
}

// reflector makes of x a reflection I − τvvᵀ that maps it to a multiple β of the
// first unit vector: it leaves β and then the v₁, v₂, … to v₀ = 1 in x.
func reflector(x []float64) (tau float64) {
	rest := math.Sqrt(floats.Dot(x[1:], x[1:])) // columns have a size near 1
	if rest == 0 {
		return 0
	}
	beta := -math.Copysign(math.Hypot(x[0], rest), x[0])
	tau = (beta - x[0]) / beta
	floats.Scale(1/(x[0]-beta), x[1:])
	x[0] = beta
	return tau
}

// reflect applies a reflection to y.
func reflect(tau float64, v, y []float64) {
	w := float64(tau * (y[0] + floats.Dot(v[1:], y[1:])))
	y[0] -= w
	floats.AddScaled(y[1:], -w, v[1:])
}

// passOn copies the rows of front s below those of R to the parent's front.
func (q *QR) passOn(s int) {
	if q.parent[s] == none {
		return
	}
	from, rows, pivot, _, _ := q.front(s)
	to, parentRows, _, _, _ := q.front(int(q.parent[s]))
	up := q.up[q.slotPtr[s]:q.slotPtr[s+1]]
	upColumn := q.upColumn[q.rowPtr[s]:q.rowPtr[s+1]]
	width := q.width(s)
	for t := width; t < rows && pivot[t] != none; t++ {
		for j := int(pivot[t]); j < q.columns(s); j++ {
			to[int(upColumn[j-width])*parentRows+int(up[t])] = from[j*rows+t]
		}
	}
}

// estimateCondition sets cond, and reports columns that are nearly dependent.
func (q *QR) estimateCondition() error {
	n := len(q.colExp)
	if n == 0 {
		q.cond = 0
		return nil
	}
	v, x, sign := q.probe[:n], q.probe[n:2*n], q.probe[2*n:]
	clear(v)
	for s := range q.supernodes() {
		rows := q.slotPtr[s+1] - q.slotPtr[s]
		for c := range q.columns(s) {
			for _, r := range q.val[q.ptr[s]+c*rows:][:min(c+1, q.width(s))] {
				v[q.column(s, c)] += math.Abs(r)
			}
		}
	}
	norm := floats.Max(v)
	q.cond = norm * inverseNorm(v, x, sign, q.solveR, q.solveRT)
	if q.cond <= mat.ConditionTolerance {
		return nil
	}
	if math.IsNaN(q.cond) {
		q.cond = math.Inf(1)
	}
	q.warning = mat.Condition(q.cond)
	normalize(v)
	return &SingularError{N: n, StructuralRank: n, RCond: 1 / q.cond, Columns: heaviest(v, q.order)}
}

// solveR solves R x = y in place.
func (q *QR) solveR(y []float64) {
	for s := q.supernodes() - 1; s >= 0; s-- {
		rows, width := q.slotPtr[s+1]-q.slotPtr[s], q.width(s)
		front := q.val[q.ptr[s]:q.ptr[s+1]]
		own := y[q.first[s]:q.first[s+1]]
		for t, k := range q.below(s) {
			floats.AddScaled(own, -y[k], front[(width+t)*rows:][:width])
		}
		for k := width - 1; k >= 0; k-- {
			own[k] /= front[k*rows+k]
			floats.AddScaled(own[:k], -own[k], front[k*rows:][:k])
		}
	}
}

// solveRT solves Rᵀx = y in place.
func (q *QR) solveRT(y []float64) {
	for s := range q.supernodes() {
		q.solveFrontT(s, y)
	}
}

// solveFrontT is the part of solveRT of supernode s.
func (q *QR) solveFrontT(s int, y []float64) {
	rows, width := q.slotPtr[s+1]-q.slotPtr[s], q.width(s)
	front := q.val[q.ptr[s]:q.ptr[s+1]]
	own := y[q.first[s]:q.first[s+1]]
	for k := range own {
		own[k] = (own[k] - floats.Dot(own[:k], front[k*rows:][:k])) / front[k*rows+k]
	}
	for t, k := range q.below(s) {
		y[k] -= floats.Dot(own, front[(width+t)*rows:][:width])
	}
}

// SolveTo finds the X that minimizes ‖A X − B‖ in each column, or, with trans, the
// X of least norm for which Aᵀ X = B. B is m×k, or n×k with trans; dst is n×k, or
// m×k, or empty to be allocated, and may be or overlap B. It is what dst.Solve(q, b)
// calls.
//
// The solution is exact for a matrix of which each column differs by some
// roundings of its norm. It panics if nothing was factorized or shapes do not fit.
// Errors: what Factorize returned if there is no factorization, and dst is not
// touched; mat.Condition if Cond is above mat.ConditionTolerance;
// *ConvergenceError if B or X is not finite. Time is O(NNZ·k).
//
// Source: Björck, Numerical Methods for Least Squares Problems, SIAM 1996,
// sections 2.4 and 6.
func (q *QR) SolveTo(dst *mat.Dense, trans bool, b mat.Matrix) error {
	checkFactorized(q.a)
	to, from := q.a.Dims()
	if !trans {
		to, from = from, to
	}
	r, cols := b.Dims()
	if r != from {
		panic(mat.ErrShape)
	}
	if math.IsInf(q.cond, 1) || to == 0 {
		return q.err
	}
	shape(dst, to, cols)
	w := q.borrow()
	defer q.idle.give(w)
	all := make([]float64, cols*from) // B by columns, before dst is written
	for c := range cols {
		mat.Col(all[c*from:][:from], c, b)
	}
	x, err := make([]float64, to), q.warning
	for c := range cols {
		q.solve(x, trans, all[c*from:][:from], w)
		dst.SetCol(c, x)
		if e := checkFinite(x, 1, to); e != nil {
			err = e
		}
	}
	return err
}

// SolveInto is SolveTo for one right-hand side in a plain slice, of length m, and
// dst of length n; the other way round with trans. They may overlap. It does not
// allocate in steady state.
func (q *QR) SolveInto(dst []float64, trans bool, b []float64) error {
	checkFactorized(q.a)
	to, from := q.a.Dims()
	if !trans {
		to, from = from, to
	}
	if len(dst) != to || len(b) != from {
		panic("linsolve: lengths of vectors are not those of the matrix")
	}
	if math.IsInf(q.cond, 1) || to == 0 {
		return q.err
	}
	w := q.borrow()
	q.solve(dst, trans, b, w)
	q.idle.give(w)
	if err := checkFinite(dst, 1, to); err != nil {
		return err
	}
	return q.warning
}

// borrow returns working memory that no other solution uses now: for the columns,
// the slots, and the rows of a front.
func (q *QR) borrow() []float64 {
	m, n := q.a.Dims()
	return resize(q.idle.take(), n+m+q.largest)
}

// solve is SolveInto with working memory.
func (q *QR) solve(dst []float64, trans bool, b, w []float64) {
	m, n := q.a.Dims()
	z, y, rows := w[:n], w[n:n+m], w[n+m:]
	if trans {
		for k, j := range q.order {
			z[k] = scaled(b[j], q.colExp[j])
		}
		q.solveRT(z)
		clear(y)
		for s := range q.supernodes() {
			for k := range q.width(s) {
				y[q.slots[q.slotPtr[s]+k]] = z[int(q.first[s])+k]
			}
		}
		for s := q.supernodes() - 1; s >= 0; s-- {
			q.applyQ(false, s, y, rows)
		}
		copy(dst, y)
		return
	}
	copy(y, b)
	for s := range q.supernodes() {
		q.applyQ(true, s, y, rows)
		for k := range q.width(s) {
			z[int(q.first[s])+k] = y[q.slots[q.slotPtr[s]+k]]
		}
	}
	q.solveR(z)
	for k, j := range q.order {
		dst[j] = scaled(z[k], q.colExp[j])
	}
}

// applyQ applies the reflections of front s to y, by slots: to form Qᵀy the first one first, else
// the last.
func (q *QR) applyQ(trans bool, s int, y, x []float64) {
	val, rows, pivot, end, tau := q.front(s)
	slots := q.slots[q.slotPtr[s]:q.slotPtr[s+1]]
	for t, slot := range slots {
		x[t] = y[slot]
	}
	for t := range rows {
		if !trans {
			t = rows - 1 - t
		}
		if c := pivot[t]; c != none {
			reflect(tau[t], val[int(c)*rows+t:int(c)*rows+int(end[t])], x[t:end[t]])
		}
	}
	for t, slot := range slots {
		y[slot] = x[t]
	}
}
