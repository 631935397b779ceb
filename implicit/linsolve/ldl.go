package linsolve

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// LDL is a sparse symmetric matrix A, definite or not, represented by its
// factorization
//
//	P S A S Pᵀ = L D Lᵀ
//
// where S is a diagonal matrix of scales, powers of two, P a permutation, L unit
// lower triangular and D block diagonal with blocks of order 1 and 2. D has the
// inertia of A, the numbers of its positive, negative and zero eigenvalues
// (Sylvester's law): of the matrix [H Jᵀ; J 0] of a constrained minimum they are n,
// m and 0.
//
// It takes half of the operations of LU, which does not see symmetry, and about the
// time of Cholesky, which wants A positive definite: 0.7 to 1.8 times as long as that
// of a matrix with the same pattern (BenchmarkFactor). Where diagonal entries are 0,
// pairs have up to twice the fill, and take 2.5 times as long.
//
// The zero value is ready for Factorize. A factorization is read only until the
// next: any number of goroutines may solve with it.
type LDL struct {
	// Threshold bounds the elements of L by its inverse, in the next factorization.
	// 0 means 0.01, and ½ is the largest that always finds a pivot where there is
	// one. With a small one, down to 10⁻⁸, fewer pivots wait for another front and
	// fill grows less where values have changed since Factorize; if that is too few
	// digits, solving says so by its error.
	Threshold float64

	// MaxFill bounds the number of entries that Factorize may expect L to have;
	// beyond it the error is a *FillError. 0 means no bound.
	MaxFill int

	a        *sparsity.SymMatrix // SAS
	exp      []int32             // S is 2^exp
	base     []int32             // where the search for exp starts
	product  bool                // at the scales of a maximum product matching
	least    float64             // size of a pivot
	known    float64             // the same where order and scales were found
	analyzed bool
	err      error // of the factorization, if there are no solutions
	warning  error // what solutions come with

	// Analysis. Every supernode is a front, a dense symmetric matrix of its own
	// columns, those that its children passed on, and the rows below.
	symbolic
	parent   []int32
	children []int32 // their number
	// The entries of A in front s are those from aPtr[s] on: place in the values,
	// column, and row among the front's own and those below.
	aPtr             []int
	aSrc, aCol, aRow []int32

	// Factorization. The fronts that were eliminated, in that order, the variables of
	// each, those of its pivots first, and its columns of L. D has its diagonal in d and
	// in e what is beside it, 0 but in the first row of a block of order 2.
	done               []ldlFront
	index              []int32
	val                []float64
	d, e               []float64
	threshold          float64 // Threshold, or its default
	largest            int     // order of a front
	elements           int     // of all fronts, with the values that the order was found for
	positive, negative int
	zero               []int // variables without pivot

	work ldlWork
	idle idle[*ldlSolveWork]
}

// ldlFront is how many pivots a front eliminated, and where what it has of index and val
// ends.
type ldlFront struct{ pivots, index, val int }

// front returns the number of pivots, the variables and the columns of L of a front.
func (l *LDL) front(t int) (pivots int, vars []int32, val []float64) {
	var from ldlFront
	if t > 0 {
		from = l.done[t-1]
	}
	to := l.done[t]
	return to.pivots, l.index[from.index:to.index], l.val[from.val:to.val]
}

// ldlWork is the working memory of the elimination.
type ldlWork struct {
	front        []float64 // column by column, lower triangle
	x, y         []float64 // columns in the making
	coefficients []float64
	exponents    []int32 // of the elements of A
	local        []int32 // of the variables of a front, their numbers in it
	relative     []int32
	// What fronts passed on, the last on top: the matrices and their variables.
	passed    []passedOn
	stack     []float64
	stackVars []int32
}

// passedOn is the order of a matrix, and how many of its variables are still to be
// eliminated.
type passedOn struct{ order, still int }

type ldlSolveWork struct {
	refinement
	y, front []float64
}

var (
	_ mat.Symmetric = (*LDL)(nil)
	_ mat.SolveToer = (*LDL)(nil)
)

const (
	// ldlThreshold is what the literature takes where the order is to be kept and
	// solutions are refined.
	ldlThreshold = 0.01

	// ldlZero is the size of a column of SAS, of elements up to 1, of which all is
	// taken for rounding errors.
	ldlZero = 64 * epsilon

	// ldlDoubtful is the size of a pivot below which the scales may be no good, ldlUncertain
	// that below which its sign may be rounding, if the condition is more than ldlMostCond.
	ldlDoubtful  = 0x1p-24
	ldlUncertain = 0x1p-27
	ldlMostCond  = 1e14

	// ldlPanel is the number of pivots after which the columns that are still to be
	// eliminated are brought up to date.
	ldlPanel = 16

	// ldlSmall is the order of a front up to which a pivot is subtracted from all
	// columns at once.
	ldlSmall = 8
)

// Factorize computes the factorization of a: rows and columns are scaled to a
// largest entry near 1, variables whose diagonal entry is small are paired with
// others by a matching on large entries, the pairs are ordered by approximate
// minimum degree, and fronts eliminate pivots of order 1 and 2 whose columns of L
// are bounded. What has no such pivot in its front waits for the next.
//
// An entry that is infinite or NaN gives a *NonFiniteError, a singular matrix a
// *SingularError that names the variables without pivot, one beyond MaxFill a
// *FillError; solving then returns the same, but Inertia is known of the singular one.
// Where a pivot is so small and Cond so large, above 10¹⁴, that signs may be rounding, the
// error is a *SingularError, but the factorization is complete.
//
// Time is proportional to the floating-point operations, plus that of the
// matching, O(nnz·√n) at worst. Sources: Bunch and Kaufman, Some stable
// methods for calculating inertia and solving symmetric linear systems, Math.
// Comp. 31, 1977; Duff and Reid, The multifrontal solution of indefinite sparse
// symmetric linear systems, ACM TOMS 9, 1983; Duff and Pralet, Strategies for
// scaling and pivoting for sparse symmetric indefinite problems, SIAM J. Matrix
// Anal. Appl. 27, 2005.
func (l *LDL) Factorize(a *sparsity.SymMatrix) error {
	l.checkThreshold()
	l.a = sparsity.NewSymMatrix(sparsity.NewMatrix(a.Triangle().Pattern()))
	l.analyzed = false
	return l.Refactorize(a)
}

// Refactorize computes the factorization of a, the same triangle of the same
// pattern as last given to Factorize, with the order found there; or, where with
// these values so many pivots wait that fronts have four times the elements, or
// one is so small that the scales may not fit, by Factorize. Errors are those of
// Factorize. It panics if there was no Factorize, the pattern differs, or Threshold
// is not between 0 and ½. It does not allocate while order and scales stay.
func (l *LDL) Refactorize(a *sparsity.SymMatrix) error {
	checkFactorized(l.a)
	l.checkThreshold()
	p := l.a.Triangle().Pattern()
	if !p.Equal(a.Triangle().Pattern()) {
		panic("linsolve: pattern differs")
	}
	l.positive, l.negative, l.zero = 0, 0, l.zero[:0]
	if l.err = firstNonFinite(p, a.Triangle().Values()); l.err != nil {
		return l.err
	}
	l.threshold = l.Threshold
	if l.threshold == 0 {
		l.threshold = ldlThreshold
	}
	values := a.Triangle().Values()
	l.warning = nil
	if fits := l.analyzed && l.again(values); !fits {
		if l.err = l.anew(values, false); l.err != nil {
			return l.err
		}
		if l.least < ldlDoubtful && !l.product {
			least := l.least
			l.err = l.anew(values, true)
			if l.err == nil && (l.least <= least || l.uncertain() != nil) {
				l.err = l.anew(values, false)
			}
			if l.err != nil {
				return l.err
			}
		}
		l.known = l.least
		if len(l.zero) > 0 {
			l.analyzed = l.positive+l.negative > 0 // zeros say nothing of the order
		}
		if err := l.uncertain(); err != nil {
			l.warning = mat.Condition(1 / err.RCond)
			return err
		}
	}
	if len(l.zero) > 0 {
		n := len(l.exp)
		slices.Sort(l.zero)
		which := slices.Clone(l.zero)
		l.err = &SingularError{N: n, StructuralRank: n, Rows: which, Columns: which}
	}
	return l.err
}

// again eliminates with the order that there is, and reports whether that and the scales
// fit the values.
func (l *LDL) again(values []float64) bool {
	l.load(values)
	limit := 4 * l.elements
	return l.eliminate(limit) <= limit && l.least >= min(ldlDoubtful, l.known/1024) && len(l.zero) == 0 && l.uncertain() == nil
}

// anew finds scales, those of a maximum product matching if that is forced, and the order,
// and eliminates.
func (l *LDL) anew(values []float64, product bool) error {
	l.base = resize(l.base, len(l.a.Triangle().Pattern().RowPtr())-1)
	clear(l.base)
	l.product, l.analyzed = false, false
	l.load(values)
	if err := l.analyze(values, product); err != nil {
		return err
	}
	l.analyzed = true
	l.elements = l.eliminate(math.MaxInt)
	return nil
}

// uncertain returns a *SingularError if there is no zero pivot, but the signs may be
// rounding, else nil.
func (l *LDL) uncertain() *SingularError {
	if len(l.zero) > 0 || l.least >= ldlUncertain {
		return nil
	}
	cond, v := l.condition()
	if cond <= ldlMostCond {
		return nil
	}
	normalize(v)
	n, which := len(v), heaviest(v, l.order)
	return &SingularError{N: n, StructuralRank: n, RCond: 1 / cond, Rows: which, Columns: which}
}

// Inertia returns the numbers of positive, negative and zero eigenvalues of A, 0,
// 0 and 0 if it is not finite. Zero is what is within rounding errors, and so near
// to a singular matrix the numbers are those of a matrix near A.
func (l *LDL) Inertia() (positive, negative, zero int) {
	checkFactorized(l.a)
	return l.positive, l.negative, len(l.zero)
}

// Dims returns the dimensions of A, 0 and 0 before Factorize.
func (l *LDL) Dims() (rows, cols int) {
	n := l.SymmetricDim()
	return n, n
}

// SymmetricDim returns the order of A, 0 before Factorize.
func (l *LDL) SymmetricDim() int { return len(l.exp) }

// At returns the element of A in row i, column j. It panics if there was no
// Factorize.
func (l *LDL) At(i, j int) float64 {
	checkFactorized(l.a)
	return scaled(l.a.At(i, j), -l.exp[i]-l.exp[j])
}

// T returns the matrix itself.
func (l *LDL) T() mat.Matrix { return l }

// NNZ returns the number of entries stored for L and D, where the unit diagonal
// of L is not, and 0 if there is no factorization.
func (l *LDL) NNZ() int {
	checkFactorized(l.a)
	if l.err != nil {
		return 0
	}
	return len(l.val) + 2*len(l.d)
}

// Fill returns NNZ relative to the number of entries of a triangle of A.
func (l *LDL) Fill() float64 { return quotient(float64(l.NNZ()), float64(l.a.Triangle().NNZ())) }

// Cond returns an estimate of the condition number ‖B‖₁‖B⁻¹‖₁ of B = SAS, made as
// that of LU; 0 for a matrix of order 0, +Inf if there is no factorization. Time is
// that of some five solutions, or ten.
func (l *LDL) Cond() float64 {
	checkFactorized(l.a)
	n := len(l.exp)
	switch {
	case l.err != nil:
		return math.Inf(1)
	case n == 0:
		return 0
	}
	cond, _ := l.condition()
	return cond
}

// condition returns an estimate of the condition number, and a vector, in the order of the
// factors, that SAS nearly maps to 0 if that is large.
func (l *LDL) condition() (cond float64, v []float64) {
	n := len(l.exp)
	cond, v = l.conditionOf(make([]int32, n))
	if l.product && !(cond <= mat.ConditionTolerance) {
		plain := make([]int32, n)
		for i, e := range l.exp {
			plain[i] = -e
		}
		p, values := l.a.Triangle().Pattern(), l.a.Triangle().Values()
		exponents := make([]int32, len(values))
		setExponents(exponents, values)
		ruiz(p, exponents, plain, make([]int32, n))
		if other, w := l.conditionOf(plain); other < cond {
			cond, v = other, w
		}
	}
	return cond, v
}

// conditionOf estimates the condition number of DBD, D = 2^exp.
func (l *LDL) conditionOf(exp []int32) (cond float64, v []float64) {
	n := len(exp)
	sums := make([]float64, n)
	l.a.DoNonZero(func(i, j int, v float64) { sums[i] += math.Abs(scaled(v, exp[i]+exp[j])) })
	work := make([]float64, 3*n)
	w := l.borrow()
	defer l.idle.give(w)
	solve := func(y []float64) {
		for k, i := range l.order {
			y[k] = scaled(y[k], -exp[i])
		}
		l.factorSolve(y, w.front)
		for k, i := range l.order {
			y[k] = scaled(y[k], -exp[i])
		}
	}
	v = work[:n]
	return floats.Max(sums) * inverseNorm(v, work[n:2*n], work[2*n:], solve, solve), v
}

func (l *LDL) checkThreshold() {
	if !(l.Threshold >= 0 && l.Threshold <= 0.5) {
		panic("linsolve: Threshold is not between 0 and 1/2")
	}
}

// load sets SAS and its scales.
func (l *LDL) load(values []float64) {
	p := l.a.Triangle().Pattern()
	ptr := p.RowPtr()
	w := &l.work
	w.exponents, w.local = resize(w.exponents, len(values)), resize(w.local, len(l.base))
	setExponents(w.exponents, values)
	l.exp = append(l.exp[:0], l.base...)
	ruiz(p, w.exponents, l.exp, w.local)
	const normal = 511 // 2^e is, for the sum e of two exponents up to this
	far := slices.ContainsFunc(l.exp, func(e int32) bool { return e < -normal || e > normal })
	to := l.a.Triangle().Values()
	for i, of := range l.exp {
		lo, hi := ptr[i], ptr[i+1]
		from, to := values[lo:hi], to[lo:hi]
		for k, j := range p.Row(i)[:len(from)] {
			if e := of + l.exp[j]; far {
				to[k] = scaled(from[k], e)
			} else {
				to[k] = from[k] * math.Float64frombits(uint64(e+1023)<<52)
			}
		}
	}
}

// noExponent is that of 0: plus two exponents, it stays below all others.
const noExponent = math.MinInt32 / 4

// setExponents sets those of values.
func setExponents(exponents []int32, values []float64) {
	for k, v := range values {
		e := int32(math.Float64bits(v)>>52)&0x7ff - 1022
		if v == 0 {
			e = noExponent
		} else if e == -1022 { // subnormal
			e = exponent(v)
		}
		exponents[k] = e
	}
}

// ruiz finds scales 2^exp, from those that are there, for a symmetric matrix of which a
// triangle has the pattern p and these exponents: after each sweep the largest element of a row is
// nearer to 1, by half of what it was away (Ruiz, A scaling algorithm to
// equilibrate both rows and columns norms in matrices, RAL-TR-2001-034). The last is
// the first that changes no scale by more than a factor of 2.
//
// size is working memory.
func ruiz(p *sparsity.Pattern, exponents, exp, size []int32) {
	const atMost = 32 // sweeps
	ptr := p.RowPtr()
	for i := range size {
		size[i] = noExponent
	}
	for range atMost {
		for i, of := range exp {
			row, most := exponents[ptr[i]:ptr[i+1]], size[i]
			for k, j := range p.Row(i)[:len(row)] {
				e := row[k] + of + exp[j]
				most = max(most, e)
				size[j] = max(size[j], e) // as fast whatever the values, with no branch
			}
			size[i] = max(size[i], most)
		}
		longest := int32(0)
		for i, e := range size {
			size[i] = noExponent
			if e > noExponent/2 {
				step := (e + 1) >> 1
				exp[i] -= step
				longest = max(longest, step, -step)
			}
		}
		if longest <= 1 {
			break
		}
	}
}

// analyze finds the order and the fronts.
func (l *LDL) analyze(values []float64, product bool) error {
	p := l.a.Triangle().Pattern()
	if !product && l.dominant() {
		ptr, adj := triangleGraph(p)
		order, _ := minimumDegree(len(l.exp), ptr, adj)
		l.symbolic.analyze(ptr, adj, order)
	} else {
		l.analyzePairs(values, product)
	}
	l.amalgamate(2)
	entries := 0
	for s := range l.supernodes() {
		w := l.width(s)
		entries += w*(w-1)/2 + w*len(l.below(s))
	}
	if l.MaxFill > 0 && entries > l.MaxFill {
		return &FillError{entries, l.MaxFill}
	}
	l.placeEntries()
	return nil
}

// dominant reports whether each variable has a diagonal entry that is a pivot beside
// the others of A.
func (l *LDL) dominant() bool {
	p, values := l.a.Triangle().Pattern(), l.a.Triangle().Values()
	for i := range l.exp {
		if k := p.Position(i, i); k < 0 || math.Abs(values[k]) < ldlThreshold {
			return false
		}
	}
	return true
}

// analyzePairs finds the order of pairs of variables, and of single ones.
func (l *LDL) analyzePairs(values []float64, product bool) {
	n := len(l.exp)
	p := l.a.Triangle().Pattern()
	full := bothTriangles(p, l.a.Triangle().Values())
	q := full.Pattern()
	partner, small, regular := pairs(full)
	if small || product && regular {
		_, rowExp, colExp := maximumProduct(q, bothTriangles(p, values).Values())
		l.product = true
		for i := range l.base {
			l.base[i] = (rowExp[i] + colExp[i]) >> 1
		}
		l.load(values)
		partner, _, _ = pairs(bothTriangles(p, l.a.Triangle().Values()))
	}

	// The graph of the pairs, and of single variables: node i is a variable or the
	// lesser of two.
	node, compressed := make([]int32, n), make([]int32, n)
	count := 0
	for i, j := range partner {
		if j == none || int(j) > i {
			node[count], compressed[i] = int32(i), int32(count)
			count++
		} else {
			compressed[i] = compressed[j]
		}
	}
	ptr := make([]int, count+1)
	adj := make([]int32, 0, q.NNZ())
	for c, i := range node[:count] {
		for _, i := range []int32{i, partner[i]} {
			if i == none {
				continue
			}
			for _, j := range q.Row(int(i)) {
				if int(compressed[j]) != c {
					adj = append(adj, compressed[j])
				}
			}
		}
		ptr[c+1] = len(adj)
	}
	adj = dropDuplicates(ptr, adj)
	order, _ := minimumDegree(count, ptr, adj)

	// The variables, each with the neighbors that its pair has.
	members := func(c int32) []int32 {
		if i := node[c]; partner[i] != none {
			return []int32{i, partner[i]}
		}
		return node[c : c+1]
	}
	expanded := make([]int32, 0, n)
	for _, c := range order {
		expanded = append(expanded, members(c)...)
	}
	varPtr := make([]int, n+1)
	vars := make([]int32, 0, 2*q.NNZ())
	for i, j := range partner {
		if j != none {
			vars = append(vars, j)
		}
		c := compressed[i]
		for _, c := range adj[ptr[c]:ptr[c+1]] {
			vars = append(vars, members(c)...)
		}
		varPtr[i+1] = len(vars)
	}
	l.symbolic.analyze(varPtr, vars, expanded)
}

// bothTriangles returns the symmetric matrix with the values of a triangle.
func bothTriangles(p *sparsity.Pattern, values []float64) *sparsity.Matrix {
	full := sparsity.NewMatrix(p.Symmetrized())
	next := slices.Clone(full.Pattern().RowPtr()) // entries of a row come by column
	put := func(i int, v float64) {
		full.Values()[next[i]] = v
		next[i]++
	}
	k := 0
	for i := range len(next) - 1 {
		for _, j := range p.Row(i) {
			v := values[k]
			k++
			put(i, v)
			if int(j) != i {
				put(int(j), v)
			}
		}
	}
	return full
}

// ldlLevels are sizes of elements of SAS, of which the largest in a row is near 1,
// and the last is that of any nonzero: none of an earlier level is matched less often
// for the sake of a later one. A matching of the largest product has the same
// fill, and takes paths as long as the trajectory in a system of optimal control.
// Where the units of variables are many powers of ten apart, the first ldlLarge do
// not suffice.
var ldlLevels = []float64{0x1p-3, 0x1p-6, 0x1p-10, 0x1p-16, 0x1p-24, 0x1p-40, math.SmallestNonzeroFloat64}

const ldlLarge = 4

// pairs returns the variable with which each makes a pivot of order 2, or none. A
// matching of a symmetric matrix with large elements is paths and cycles, from the
// column to its row as the next column, and so are the pairs along them. Pairs of
// which both have a pivot of their own are left apart. It reports whether all can be
// matched, but not without small elements, since the scales are no good then, and
// whether all can be matched at all.
func pairs(a *sparsity.Matrix) (partner []int32, small, regular bool) {
	n, _ := a.Dims()
	partner = make([]int32, n)
	diagonal := make([]float64, n)
	for i := range n {
		partner[i] = none
		diagonal[i] = math.Abs(a.At(i, i))
	}
	rowOf, rank, short := maximumMatching(a.Pattern(), withoutDense(a), ldlLevels...)
	regular = rank == n
	small = regular && short >= ldlLarge
	inside := make([]bool, n) // not the first of a path
	for _, i := range rowOf {
		if i != none {
			inside[i] = true
		}
	}
	seen := make([]bool, n)
	room := make([]int32, 0, n)
	for _, cycles := range []bool{false, true} {
		for i := range n {
			if inside[i] != cycles {
				continue
			}
			chain := room
			for j := int32(i); j != none && !seen[j]; j = rowOf[j] {
				seen[j] = true
				chain = append(chain, j)
			}
			if len(chain)%2 == 1 {
				chain = withoutOne(chain, diagonal, cycles)
			}
			for ; len(chain) > 0; chain = chain[2:] {
				if i, j := chain[0], chain[1]; min(diagonal[i], diagonal[j]) < ldlThreshold {
					partner[i], partner[j] = j, i
				}
			}
		}
	}
	return partner, small, regular
}

// withoutOne drops from a path or cycle of odd length the variable with the largest
// diagonal element of those without which the others are pairs.
func withoutOne(chain []int32, diagonal []float64, cycle bool) []int32 {
	step := 2
	if cycle {
		step = 1
	}
	best := 0
	for t := 0; t < len(chain); t += step {
		if diagonal[chain[t]] > diagonal[chain[best]] {
			best = t
		}
	}
	if cycle {
		return append(chain[best+1:len(chain):len(chain)], chain[:best]...)
	}
	return slices.Delete(chain, best, best+1)
}

// withoutDense returns the values of a, those of dense rows and columns 0 but on the
// diagonal: they are eliminated last, where all of them is one front, and whatever is
// paired with one would have its fill.
func withoutDense(a *sparsity.Matrix) []float64 {
	n, _ := a.Dims()
	p, limit := a.Pattern(), denseRow(n)
	dense, count := make([]bool, n), 0
	for i := range n {
		if len(p.Row(i)) > limit {
			dense[i] = true
			count++
		}
	}
	if count == 0 || count*count > n { // all of a dense matrix stays
		return a.Values()
	}
	values := slices.Clone(a.Values())
	k := 0
	for i := range n {
		for _, j := range p.Row(i) {
			if int(j) != i && (dense[i] || dense[j]) {
				values[k] = 0
			}
			k++
		}
	}
	return values
}

// placeEntries counts the children of the fronts and finds where in them the entries of A go.
func (l *LDL) placeEntries() {
	_, l.parent = l.tree()
	ptr, row, src := l.lower(l.a.Triangle().Pattern())
	l.aSrc, l.aRow, l.aCol = src, row, resize(l.aCol, len(src))
	l.aPtr = append(l.aPtr[:0], 0)
	childPtr, _, _ := l.places(l.parent, func(s int, local []int32) {
		for k := l.first[s]; k < l.first[s+1]; k++ {
			for t := ptr[k]; t < ptr[k+1]; t++ {
				l.aCol[t], l.aRow[t] = local[k], local[row[t]]
			}
		}
		l.aPtr = append(l.aPtr, int(ptr[l.first[s+1]]))
	})
	l.children = l.children[:0]
	for s := range l.parent {
		l.children = append(l.children, childPtr[s+1]-childPtr[s])
	}
}

// SolveTo solves A X = B by the factorization; A being symmetric, trans has no
// effect. Each column x is refined until every equation holds to within the
// roundings of its own terms, as by LU.SolveTo. B is n×k; dst is n×k, or empty to
// be allocated, and may be B. It is what dst.Solve(l, b) calls.
//
// It panics if nothing was factorized or shapes do not fit. Errors: what
// Factorize returned if there is no factorization, and dst is not touched;
// *ConvergenceError if B or X is not finite or refinement does not get there, as
// where A is nearly singular, with dst as good as it gets; mat.Condition if Factorize
// found that A is. Time is O(NNZ·k).
func (l *LDL) SolveTo(dst *mat.Dense, trans bool, b mat.Matrix) error {
	checkFactorized(l.a)
	return solveColumns(dst, b, len(l.exp), l.err, 1, func(d []float64, inc, _ int) error { return l.solve(d, inc) })
}

// SolveInto is SolveTo for one right-hand side in a plain slice. Both slices
// have length n and may overlap. It does not allocate in steady state.
func (l *LDL) SolveInto(dst, b []float64) error {
	checkFactorized(l.a)
	return solveVector(dst, b, len(l.exp), l.err, l.solve)
}

// borrow returns working memory that no other solution uses now.
func (l *LDL) borrow() *ldlSolveWork {
	w := l.idle.take()
	if n := len(l.exp); w == nil || len(w.y) != n {
		w = &ldlSolveWork{refinement: newRefinement(n), y: make([]float64, n)}
	}
	w.front = resize(w.front, l.largest)
	return w
}

// solve solves in place for the right-hand side d[0], d[inc], d[2inc], ….
func (l *LDL) solve(d []float64, inc int) error {
	n := len(l.exp)
	w := l.borrow()
	defer l.idle.give(w)
	s := &w.refinement
	rest := s.load(d, inc, l.exp)
	solve := func(y []float64) { l.factorSolve(y, w.front) }
	residual := func() { l.residual(s, w.y) }
	s.refine(w.y, l.order, l.order, solve, residual)
	if s.component > acceptable(n) {
		s.refineExtended(n, w.y, l.order, l.order, solve, residual, func() { l.residualExtended(s) })
	}
	for i, e := range l.exp {
		d[i*inc] = scaled(s.x[i], e+s.exp)
	}
	if !(s.component <= acceptable(n)) {
		return &ConvergenceError{s.steps, s.component}
	}
	if err := checkFinite(d, inc, n); err != nil || rest == nil {
		return cmp.Or(err, l.warning)
	}
	return addRest(d, inc, rest, l.solve)
}

// factorSolve solves LDLᵀx = y in place, with room for a front.
func (l *LDL) factorSolve(y, front []float64) {
	at := 0
	for t := range l.done {
		k, vars, val := l.front(t)
		if k == 1 {
			v := y[vars[0]]
			subtract(y, v, vars[1:], val)
			y[vars[0]] = v / l.d[at]
			at++
			continue
		}
		x := front[:len(vars)]
		for i, v := range vars {
			x[i] = y[v]
		}
		for j := range x[:k] {
			n := len(x) - j - 1
			floats.AddScaled(x[j+1:], -x[j], val[:n])
			val = val[n:]
		}
		for j := 0; j < k; j++ {
			if b := l.e[at+j]; b != 0 {
				p := pivot2{l.d[at+j], b, l.d[at+j+1]}
				x[j], x[j+1] = p.solve(x[j], x[j+1])
				j++
			} else {
				x[j] /= l.d[at+j]
			}
		}
		at += k
		for i, v := range vars {
			y[v] = x[i]
		}
	}
	for t := len(l.done) - 1; t >= 0; t-- {
		k, vars, val := l.front(t)
		if k == 1 {
			y[vars[0]] -= dot(y, vars[1:], val)
			continue
		}
		x := front[:len(vars)]
		for i, v := range vars {
			x[i] = y[v]
		}
		for j := k - 1; j >= 0; j-- {
			n := len(x) - j - 1
			x[j] -= floats.Dot(x[j+1:], val[len(val)-n:])
			val = val[:len(val)-n]
			y[vars[j]] = x[j]
		}
	}
}

// residual sets r = b − Bx, B = SAS, and the backward error as LU.residual does.
func (l *LDL) residual(s *refinement, size []float64) {
	p := l.a.Triangle().Pattern()
	ptr := p.RowPtr()
	values := l.a.Triangle().Values()
	for i, v := range s.b {
		s.r[i], size[i] = v, math.Abs(v)
	}
	for i, x := range s.x {
		row := values[ptr[i]:ptr[i+1]]
		idx := p.Row(i)[:len(row)]
		r, sum := 0.0, 0.0
		for k, v := range row {
			j := idx[k]
			term := float64(v * s.x[j])
			r += term
			sum += math.Abs(term)
			if int(j) != i {
				term = float64(v * x)
				s.r[j] -= term
				size[j] += math.Abs(term)
			}
		}
		s.r[i] -= r
		size[i] += sum
	}
	s.setComponent(size, 0)
}

// residualExtended sets r = b − B(x + tail) of sums that are twice as long.
func (l *LDL) residualExtended(s *refinement) {
	p := l.a.Triangle().Pattern()
	ptr := p.RowPtr()
	s.startExtended()
	for i := range s.x {
		for k, j := range p.Row(i) {
			v := l.a.Triangle().Values()[int(ptr[i])+k]
			s.subtractExtended(int32(i), j, v)
			if int(j) != i {
				s.subtractExtended(j, int32(i), v)
			}
		}
	}
	s.endExtended()
}
