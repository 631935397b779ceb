package linsolve

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/sparsity"
)

// LU is a square sparse matrix A represented by its factorization
//
//	P R A C Q = L U + F
//
// where R and C are diagonal matrices of scales, powers of two, P and Q are
// permutations that make the matrix block upper triangular, L is unit lower and
// U upper triangular, both block diagonal, and F holds what stands above the
// diagonal blocks, which needs no factorization.
//
// The zero value is ready for Factorize. A factorization is read only until
// the next Factorize or Refactorize: any number of goroutines may solve with
// it.
//
// Use mat.LU for a matrix that is small or has most entries nonzero, and GMRES
// where Fill shows that the factors do not fit.
type LU struct {
	// MaxFill bounds the number of entries that Factorize may expect L to have;
	// beyond it the error is a *FillError. U has about as many. 0 means no bound.
	MaxFill int

	a        *sparsity.Matrix // RAC
	analyzed bool
	pivoted  bool  // there is an order of pivots to use again
	err      error // what Factorize came to; no solutions if cond is +Inf
	warning  error // what solutions come with
	cond     float64

	// Analysis. Column k of PRACQ is column colOrder[k] of A, and prefers its
	// pivot in row matched[k] of A. A diagonal block starts at each of
	// blockStart but the last, which is n.
	colOrder   []int32
	matched    []int32
	blockStart []int32

	// Scales: R is 2^rowExp and C 2^colExp. Columns have those of the maximum
	// product matching at first, colBase, if Factorize needed it; then rows and
	// then columns are scaled to a largest entry in [½, 1).
	colBase        []int32
	product        bool // they have
	rowExp, colExp []int32

	// Columns of AQ: row and place in CSR order. The entries of column k before
	// aBlock[k] are above its diagonal block.
	aPtr, aBlock []int32
	aRow, aSrc   []int32

	// Factorization. Row k of PRACQ is row rowOrder[k] of A, and rowPos is the
	// inverse. L and U are without diagonals. A column of u starts with F's.
	rowOrder, rowPos []int32
	l, u             columns
	supernode        []int32   // of L, see findSupernodes
	diagonal         []float64 // of U
	norm1            float64   // of RAC

	// Working memory, for the elimination but the last.
	x      []float64 // the column in the making, zero in between
	reach  reach
	prefer []int32 // row that column k prefers, as pivots get taken
	owner  []int32 // its inverse
	probe  []float64
	// Of plainCondition.
	plain    []float64
	plainExp []int32

	repivots int // times that Refactorize had to choose new pivots

	idle idle[*solveWork]
}

var (
	_ mat.Matrix    = (*LU)(nil)
	_ mat.SolveToer = (*LU)(nil)
)

// Factorize computes the factorization of a: rows and columns are scaled by
// powers of two to a largest entry near 1, a maximum matching brings nonzeros to
// the diagonal, that of the largest product, and its scales, if there is none of
// entries that are not small; the blocks of the block triangular form are ordered by approximate
// minimum degree on the pattern of B + Bᵀ, and columns are eliminated from left
// to right with threshold partial pivoting that prefers that diagonal.
//
// It panics if a is not square. An entry that is infinite or NaN gives a
// *NonFiniteError and a singular matrix a *SingularError, one beyond MaxFill a
// *FillError; solving then returns the same. A condition number above
// mat.ConditionTolerance gives a *SingularError, but the factorization is complete.
//
// Time is proportional to the floating-point operations, plus O(nnz·√n) for the
// matching at worst, plus some five solutions for Cond. Sources: Gilbert and
// Peierls, Sparse partial pivoting in time proportional to arithmetic operations,
// SIAM J. Sci. Stat. Comput. 9, 1988; Davis and Palamadai Natarajan, Algorithm 907:
// KLU, ACM TOMS 37, 2010.
func (lu *LU) Factorize(a *sparsity.Matrix) error {
	p := a.Pattern()
	if r, c := p.Dims(); r != c {
		panic("linsolve: matrix not square")
	}
	if lu.a == nil || lu.a.Pattern() != p {
		lu.a = sparsity.NewMatrix(p)
	}
	lu.analyzed = false
	lu.pivoted = false
	lu.err = lu.factorize(a.Values())
	return lu.err
}

// Refactorize computes the factorization of a, of the pattern last given to
// Factorize, with the orders, pivots and storage found there. If a pivot
// becomes too small for the new values, pivots are chosen again, within the
// same order of columns; where the matching and the scales do not fit these, by
// Factorize. Errors are those of Factorize.
//
// It panics if there was no Factorize or the pattern differs. It does not
// allocate unless pivots change. Time is that of the floating-point operations,
// plus some five solutions for Cond.
func (lu *LU) Refactorize(a *sparsity.Matrix) error {
	checkFactorized(lu.a)
	if !lu.a.Pattern().Equal(a.Pattern()) {
		panic("linsolve: pattern differs")
	}
	lu.err = lu.factorize(a.Values())
	return lu.err
}

func (lu *LU) factorize(values []float64) error {
	lu.cond = math.Inf(1)
	fresh := !lu.analyzed
	if fresh {
		n, _ := lu.a.Dims()
		lu.colBase = resize(lu.colBase, n)
		clear(lu.colBase)
		lu.product = false
	}
	if err := lu.load(values); err != nil {
		return err
	}
	if !lu.analyzed {
		if err := lu.analyze(values); err != nil {
			return err
		}
		lu.analyzed = true
	}
	anew := func() error {
		lu.analyzed, lu.pivoted = false, false
		return lu.factorize(values)
	}
	if !lu.pivoted || !lu.replay() {
		if lu.pivoted {
			lu.repivots++
		}
		if !fresh && !lu.scalesFit() {
			return anew()
		}
		rank, grown := lu.eliminate(pivotTolerance)
		if grown {
			rank, _ = lu.eliminate(1)
		}
		lu.pivoted = rank == lu.order()
		if !lu.pivoted && !fresh {
			return anew()
		}
		if !lu.pivoted {
			return lu.withoutPivot()
		}
	}
	err := lu.estimateCondition()
	if !fresh && !(lu.cond <= doubtfulCond) && !lu.scalesFit() {
		lu.repivots++
		return anew()
	}
	return err
}

// scalesFit reports whether a matching of entries that are not small is left, as the
// analysis wants it.
func (lu *LU) scalesFit() bool {
	_, _, short := maximumMatching(lu.a.Pattern(), lu.a.Values(), pivotTolerance, 0)
	return short == 0
}

// Repivots returns how many times Refactorize has chosen new pivots. As long as
// it stays the same, a factorization depends on the values of A alone, and not
// on those of the matrices before.
func (lu *LU) Repivots() int { return lu.repivots }

// Dims returns the dimensions of A, 0 and 0 before Factorize.
func (lu *LU) Dims() (r, c int) {
	if lu.a == nil {
		return 0, 0
	}
	return lu.a.Dims()
}

// At returns the element of A in row i, column j. It panics if there was no
// Factorize.
func (lu *LU) At(i, j int) float64 {
	checkFactorized(lu.a)
	return scaled(lu.a.At(i, j), -lu.rowExp[i]-lu.colExp[j])
}

// T returns the transpose as a view: dst.Solve(lu.T(), b) solves with Aᵀ.
func (lu *LU) T() mat.Matrix { return mat.Transpose{Matrix: lu} }

// NNZ returns the number of entries stored for L, U and F, where the unit
// diagonal of L is not, and 0 if there is no factorization.
func (lu *LU) NNZ() int {
	checkFactorized(lu.a)
	if math.IsInf(lu.cond, 1) {
		return 0
	}
	return len(lu.diagonal) + len(lu.l.idx) + len(lu.u.idx)
}

// Fill returns NNZ relative to the number of entries of A.
func (lu *LU) Fill() float64 { return quotient(float64(lu.NNZ()), float64(lu.a.NNZ())) }

func (lu *LU) order() int { return len(lu.rowExp) }

// load sets RAC, its scales and its norm. Powers of two scale without rounding.
func (lu *LU) load(values []float64) (err error) {
	p := lu.a.Pattern()
	n, _ := p.Dims()
	err = firstNonFinite(p, values)
	lu.rowExp, lu.colExp = resize(lu.rowExp, n), resize(lu.colExp, n)
	equilibrate(p, values, lu.colBase, lu.rowExp, lu.colExp)
	lu.x = resize(lu.x, n)
	clear(lu.x)
	colSum := lu.x
	ptr, to := p.RowPtr(), lu.a.Values()
	for i, e := range lu.rowExp {
		row, from, to := p.Row(i), values[ptr[i]:ptr[i+1]], to[ptr[i]:ptr[i+1]]
		for k, j := range row {
			v := scaled(from[k], e+lu.colExp[j])
			to[k] = v
			colSum[j] += math.Abs(v)
		}
	}
	lu.norm1 = largest(colSum)
	clear(colSum)
	return err
}

// equilibrate sets the exponents with which the rows of the matrix times 2^base,
// and then the columns, have largest entries in [½, 1).
func equilibrate(p *sparsity.Pattern, values []float64, base, rowExp, colExp []int32) {
	const nothing = math.MinInt32 / 2
	for j := range colExp {
		colExp[j] = nothing
	}
	ptr := p.RowPtr()
	for i := range rowExp {
		row, vals := p.Row(i), values[ptr[i]:ptr[i+1]]
		size := int32(nothing)
		for k, j := range row {
			if v := vals[k]; v != 0 {
				size = max(size, exponent(v)+base[j])
			}
		}
		if size == nothing {
			size = 0
		}
		rowExp[i] = -size
		for k, j := range row {
			if v := vals[k]; v != 0 {
				colExp[j] = max(colExp[j], exponent(v)-size)
			}
		}
	}
	for j, size := range colExp {
		if colExp[j] = -size; size == nothing {
			colExp[j] = 0
		}
	}
}

// exponent returns the e for which |v|·2^−e is in [½, 1), of a v that is not 0.
func exponent(v float64) int32 {
	if e := int32(math.Float64bits(v)>>52) & 0x7ff; e > 0 {
		return e - 1022
	}
	_, e := math.Frexp(v)
	return int32(e)
}

// scaled returns v·2^e, by a product where 2^e is in range.
func scaled(v float64, e int32) float64 {
	if uint32(e+1022) <= 2045 {
		return v * math.Float64frombits(uint64(e+1023)<<52)
	}
	return math.Ldexp(v, int(e))
}

// analyze finds the orders of rows and columns from the pattern, and from
// which entries are small now.
func (lu *LU) analyze(values []float64) error {
	p := lu.a.Pattern()
	n := lu.order()
	rowOf, rank, short := maximumMatching(p, lu.a.Values(), pivotTolerance, 0)
	if rank < n {
		return structurallySingular(rowOf, rank)
	}
	if short > 0 {
		rowOf, _, lu.colBase = maximumProduct(p, values)
		lu.product = true
		if err := lu.load(values); err != nil {
			return err
		}
	}
	count, block := triangularBlocks(p, rowOf)

	// The graph of B + Bᵀ for all diagonal blocks B at once: node j is column j
	// with the row matched to it.
	ptr, adj := bucket.Rows[int](n, func(put func(j, c int32)) {
		for j, i := range rowOf {
			for _, c := range p.Row(int(i)) {
				if j := int32(j); block[c] == block[j] && c != j {
					put(j, c)
					put(c, j)
				}
			}
		}
	})
	adj = dropDuplicates(ptr, adj)
	order, fill := minimumDegree(n, ptr, adj)
	if lu.MaxFill > 0 && fill > lu.MaxFill {
		return &FillError{fill, lu.MaxFill}
	}

	// Columns by block, within it in that order.
	lu.blockStart, lu.colOrder = bucket.Rows[int32](count, func(put func(b, j int32)) {
		for _, j := range order {
			put(block[j], j)
		}
	})
	lu.matched = resize(lu.matched, n)
	position := make([]int32, n)
	for k, j := range lu.colOrder {
		lu.matched[k] = rowOf[j]
		position[j] = int32(k)
	}

	lu.placeColumns(rowOf, block, position)

	lu.l.idx = slices.Grow(lu.l.idx[:0], fill)
	lu.l.val = slices.Grow(lu.l.val[:0], fill)
	lu.u.idx = slices.Grow(lu.u.idx[:0], fill)
	lu.u.val = slices.Grow(lu.u.val[:0], fill)
	return nil
}

// placeColumns finds the columns of AQ, in each the entries above its diagonal block first.
// Column j is column position[j] of AQ, is matched with row rowOf[j], and is in the diagonal
// block block[j].
func (lu *LU) placeColumns(rowOf, block, position []int32) {
	p, n := lu.a.Pattern(), lu.order()
	rowBlock := make([]int32, n)
	for j, i := range rowOf {
		rowBlock[i] = block[j]
	}
	entryRow := make([]int32, 0, p.NNZ())
	at, src := bucket.Rows[int32](2*n, func(put func(half, src int32)) {
		entryRow = entryRow[:0]
		for i := range n {
			for _, j := range p.Row(i) {
				half := 2 * position[j]
				if rowBlock[i] == block[j] {
					half++
				}
				put(half, int32(len(entryRow)))
				entryRow = append(entryRow, int32(i))
			}
		}
	})
	lu.aPtr, lu.aBlock = resize(lu.aPtr, n+1), resize(lu.aBlock, n)
	lu.aRow, lu.aSrc = resize(lu.aRow, len(src)), src
	for k := range n {
		lu.aPtr[k], lu.aBlock[k] = at[2*k], at[2*k+1]
	}
	lu.aPtr[n] = at[2*n]
	for t, k := range src {
		lu.aRow[t] = entryRow[k]
	}
}

// dropDuplicates makes each list adj[ptr[i]:ptr[i+1]] a set, in place.
func dropDuplicates(ptr []int, adj []int32) []int32 {
	n := len(ptr) - 1
	seen := make([]int32, n)
	to := 0
	for i := range n {
		from := ptr[i]
		ptr[i] = to
		for _, j := range adj[from:ptr[i+1]] {
			if seen[j] != int32(i+1) {
				seen[j] = int32(i + 1)
				adj[to] = j
				to++
			}
		}
	}
	ptr[n] = to
	return adj[:to]
}

// resize returns a slice of length n in the memory of s if it fits.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
