package matrix

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Solve stores A⁻¹B in dst and returns it, by Gaussian elimination with pivots by rows.
// dst is allocated if nil, and may be a or b. It panics if A is not square, B has another
// number of rows, or dst another shape than B. Where A is singular, or nearly so, a tape
// returns a *SingularError; of other numbers some are NaN or infinite, or without a
// correct digit.
//
// With weights X̄ for X = A⁻¹B the tangent is Ẋ = A⁻¹(Ḃ − ȦX), the adjoint B̄ = A⁻ᵀX̄,
// Ā = −B̄Xᵀ, and its derivatives B̄˙ = −A⁻ᵀȦᵀB̄, Ā˙ = −(B̄˙Xᵀ + B̄Ẋᵀ): A is factorized once a
// point. A constant A is factorized once for all. Cost: 2n³/3 operations, and 2n² for each
// column of B; derivatives two to six times the latter.
//
// Source: M. B. Giles, An extended collection of matrix derivative results for forward
// and reverse mode algorithmic differentiation, 2008.
func Solve[T dual.Scalar[T]](dst, a, b *Dense[T]) *Dense[T] { return solve(dst, general_, a, b) }

// SolveSPD is Solve for a symmetric positive definite A, by its Cholesky factorization.
// Of A it reads the lower triangle alone, which is what is differentiated. Where A is not
// positive definite a tape returns a *NotPositiveDefiniteError, other numbers are NaN; one
// that is singular may pass by rounding, and has solutions without a correct digit.
func SolveSPD[T dual.Scalar[T]](dst, a, b *Dense[T]) *Dense[T] { return solve(dst, definite, a, b) }

// SolveLower is Solve for the lower triangle of A, and SolveUpper for the upper one,
// without pivots. Nothing else of A is read. Where the diagonal has a 0 a tape returns a
// *SingularError.
func SolveLower[T dual.Scalar[T]](dst, a, b *Dense[T]) *Dense[T] {
	return solve(dst, lowerTriangle, a, b)
}

// SolveUpper is SolveLower for the upper triangle.
func SolveUpper[T dual.Scalar[T]](dst, a, b *Dense[T]) *Dense[T] {
	return solve(dst, upperTriangle, a, b)
}

// SolveVec stores A⁻¹b in dst and returns it, as [Solve] does for a matrix B.
func SolveVec[T dual.Scalar[T]](dst []T, a *Dense[T], b []T) []T {
	return vector(dst, solve(nil, general_, a, New(len(b), 1, b)).Data)
}

// SolveSPDVec is [SolveSPD] for a vector.
func SolveSPDVec[T dual.Scalar[T]](dst []T, a *Dense[T], b []T) []T {
	return vector(dst, solve(nil, definite, a, New(len(b), 1, b)).Data)
}

// SolveLowerVec is [SolveLower] for a vector.
func SolveLowerVec[T dual.Scalar[T]](dst []T, a *Dense[T], b []T) []T {
	return vector(dst, solve(nil, lowerTriangle, a, New(len(b), 1, b)).Data)
}

// SolveUpperVec is [SolveUpper] for a vector.
func SolveUpperVec[T dual.Scalar[T]](dst []T, a *Dense[T], b []T) []T {
	return vector(dst, solve(nil, upperTriangle, a, New(len(b), 1, b)).Data)
}

// Inverse stores A⁻¹ in dst and returns it. dst is allocated if nil, and may be a. Panics
// and errors are those of [Solve]. Solve is cheaper and more accurate than a product with
// the inverse.
func Inverse[T dual.Scalar[T]](dst, a *Dense[T]) *Dense[T] {
	n := a.square()
	one := identity[T](n)
	return solve(dst, general_, a, one)
}

func identity[T dual.Scalar[T]](n int) *Dense[T] {
	m := New[T](n, n, nil)
	for i := range n {
		m.Data[i*n+i] = dual.Const[T](1)
	}
	return m
}

// kind is how a matrix is given and factorized.
type kind uint8

const (
	general_ kind = iota
	definite
	lowerTriangle
	upperTriangle
)

func solve[T dual.Scalar[T]](dst *Dense[T], kind kind, a, b *Dense[T]) *Dense[T] {
	n := a.square()
	if b.Rows != n {
		panic(fmt.Sprintf("matrix: right side of %d rows for a matrix of order %d", b.Rows, n))
	}
	part := operand(kind, a)
	x, ok := call(&solution{factor: factor{kind, n}, r: b.Cols}, part, b.Data)
	if !ok {
		x = slices.Clone(b.Data)
		solveElements(kind, a, New(n, b.Cols, x))
	}
	return result(dst, n, b.Cols, x)
}

// operand is what is read of a.
func operand[T any](kind kind, a *Dense[T]) []T {
	switch kind {
	case general_:
		return a.Data
	case upperTriangle:
		return a.upper()
	default:
		return a.lower()
	}
}

// solveElements replaces b by the solution.
func solveElements[T dual.Scalar[T]](kind kind, a, b *Dense[T]) {
	switch kind {
	case lowerTriangle:
		forward(a, b, false)
	case upperTriangle:
		backward(a, b)
	case definite:
		l := a.lower()
		choleskyElements(l, a.Rows)
		full := New[T](a.Rows, a.Rows, nil)
		for i := range a.Rows {
			l = l[copy(full.Row(i)[:i+1], l):]
		}
		forward(full, b, false)
		backward(full.T(), b)
	default:
		f := New(a.Rows, a.Rows, slices.Clone(a.Data))
		eliminate(f, b)
		forward(f, b, true)
		backward(f, b)
	}
}

// forward replaces b by L⁻¹b, L the lower triangle of a, with ones on its diagonal if unit.
func forward[T dual.Scalar[T]](a, b *Dense[T], unit bool) {
	x := b.T()
	for c := range x.Rows {
		x := x.Row(c)
		for i := range x {
			x[i] = x[i].Sub(dual.Dot(a.Row(i)[:i], x[:i]))
			if !unit {
				x[i] = x[i].Div(a.Row(i)[i])
			}
		}
	}
	copy(b.Data, x.T().Data)
}

// backward replaces b by U⁻¹b, U the upper triangle of a.
func backward[T dual.Scalar[T]](a, b *Dense[T]) {
	x := b.T()
	for c := range x.Rows {
		x := x.Row(c)
		for i := len(x) - 1; i >= 0; i-- {
			row := a.Row(i)
			x[i] = x[i].Sub(dual.Dot(row[i+1:], x[i+1:])).Div(row[i])
		}
	}
	copy(b.Data, x.T().Data)
}

// eliminate replaces a by its factors L and U, its rows and those of b permuted.
func eliminate[T dual.Scalar[T]](a, b *Dense[T]) {
	for j := range a.Rows {
		p := j
		for i := j + 1; i < a.Rows; i++ {
			if a.Row(p)[j].Abs().Less(a.Row(i)[j].Abs()) {
				p = i
			}
		}
		if p != j {
			swap(a.Row(p), a.Row(j))
			if b != nil {
				swap(b.Row(p), b.Row(j))
			}
		}
		pivot := a.Row(j)
		for i := j + 1; i < a.Rows; i++ {
			row := a.Row(i)
			row[j] = row[j].Div(pivot[j])
			for k := j + 1; k < a.Rows; k++ {
				row[k] = row[k].Sub(row[j].Mul(pivot[k]))
			}
		}
	}
}

func swap[T any](x, y []T) {
	for i := range x {
		x[i], y[i] = y[i], x[i]
	}
}

// factor is a factorized matrix A, or a triangular one. A state has it at theFactors, and
// the pivots of a general one in ints.
type factor struct {
	kind kind
	n    int
}

// size is how many elements of A are operands.
func (f *factor) size() int {
	if f.kind == general_ {
		return f.n * f.n
	}
	return f.n * (f.n + 1) / 2
}

// whole is the matrix of which x are the operands: A, or its derivative.
func (f *factor) whole(dst general, x []float64) {
	switch f.kind {
	case general_:
		copy(dst.Data, x)
	case definite:
		symmetric(dst, x)
	case lowerTriangle:
		lowerOf(dst, x)
	case upperTriangle:
		upperOf(dst, x)
	}
}

// gradient adds to gx the gradient for the operands if that for all elements is α·g.
func (f *factor) gradient(gx []float64, alpha float64, g general) {
	at := 0
	for i := range f.n {
		row := g.Data[i*g.Stride:][:f.n]
		switch f.kind {
		case lowerTriangle:
			row = row[:i+1]
		case upperTriangle:
			row = row[i:]
		case definite:
			for j, v := range row[:i] {
				gx[at+j] += float64(alpha * (v + g.Data[j*g.Stride+i]))
			}
			gx[at+i] += float64(alpha * row[i])
			at += i + 1
			continue
		}
		for j, v := range row {
			gx[at+j] += float64(alpha * v)
		}
		at += len(row)
	}
}

func (f *factor) prepare(s *state) error {
	a := s.matrix(theFactors, f.n, f.n)
	f.whole(a, s.x)
	switch f.kind {
	case definite:
		if !cholesky(a) {
			return &NotPositiveDefiniteError{f.n}
		}
	case general_:
		if len(s.ints) < 2*f.n {
			s.ints = make([]int, 2*f.n)
		}
		norm := lapack64.Lange(lapack.MaxColumnSum, a, s.numbers(lapackWork, 4*f.n))
		if !lu(a, s.ints[:f.n]) {
			return &SingularError{f.n, 0}
		}
		if c := lapack64.Gecon(lapack.MaxColumnSum, a, norm, s.numbers(lapackWork, 4*f.n), s.ints[f.n:2*f.n]); !(c > float64(f.n)*0x1p-52) {
			return &SingularError{f.n, c}
		}
	default:
		for i := range f.n {
			if a.Data[i*f.n+i] == 0 {
				return &SingularError{f.n, 0}
			}
		}
	}
	return nil
}

// solve replaces b by A⁻¹b.
func (f *factor) solve(s *state, b general) { f.apply(s, blas.NoTrans, b) }

// solveT replaces b by A⁻ᵀb.
func (f *factor) solveT(s *state, b general) { f.apply(s, blas.Trans, b) }

func (f *factor) apply(s *state, trans blas.Transpose, b general) {
	a := generalOf(f.n, f.n, s.nums[theFactors])
	switch f.kind {
	case general_:
		solveLU(a, s.ints[:f.n], trans, b)
	case definite:
		solveTriangle(a, blas.Lower, blas.NoTrans, b)
		solveTriangle(a, blas.Lower, blas.Trans, b)
	case lowerTriangle:
		solveTriangle(a, blas.Lower, trans, b)
	case upperTriangle:
		solveTriangle(a, blas.Upper, trans, b)
	}
}

// The numbers of a state of what has a factor of A, and of a solution.
const (
	theFactors = 0
	theInverse = 1 // A⁻¹ or A⁻ᵀ, once wanted, of a determinant or a density
	lapackWork = 15

	solveX       = 1
	solveBBar    = 2
	solveA       = 3 // Ȧ or Ā
	solveXDot    = 4
	solveBBarDot = 5
	solveAt      = 6
)

// solution is X = A⁻¹B, A before B, or with a given B of A alone.
type solution struct {
	factor
	r int
	b []float64
}

func (k *solution) name() string {
	return [...]string{"Solve", "SolveSPD", "SolveLower", "SolveUpper"}[k.kind]
}

func (k *solution) work() int { return k.n * k.n * (k.n + 2*k.r) }

func (k *solution) dims() (n, m int) {
	n, m = k.size(), k.n*k.r
	if k.b == nil {
		n += m
	}
	return n, m
}

func (k *solution) bind(x []float64, constant func(lo, hi int) bool) (f kernel, lo, hi int) {
	n, m := k.dims()
	if k.b != nil {
		return k, 0, n
	}
	if constant(0, n-m) {
		if f := newSolutionFor(k, x[:n-m]); f != nil {
			return f, n - m, n
		}
	}
	if constant(n-m, n) {
		return &solution{k.factor, k.r, slices.Clone(x[n-m:])}, 0, n - m
	}
	return k, 0, n
}

// split is the operands A and B, nil where B is given.
func (k *solution) split(x []float64) (a, b []float64) { return x[:k.size()], x[k.size():] }

func (k *solution) prepare(s *state) error {
	if err := k.factor.prepare(s); err != nil {
		return err
	}
	_, b := k.split(s.x)
	if k.b != nil {
		b = k.b
	}
	x := s.matrix(solveX, k.n, k.r)
	copy(x.Data, b)
	k.solve(s, x)
	return nil
}

func (k *solution) eval(s *state, y []float64) { copy(y, s.nums[solveX]) }

// moved sets matrix 3 to Ȧ and dx to Ẋ.
func (k *solution) moved(s *state, dst general, dx []float64) {
	da, db := k.split(dx)
	m := s.matrix(solveA, k.n, k.n)
	k.whole(m, da)
	clear(dst.Data)
	copy(dst.Data, db)
	times(-1, m, s.matrix(solveX, k.n, k.r), 1, dst)
	k.solve(s, dst)
}

func (k *solution) jvp(s *state, dy, dx []float64) error {
	k.moved(s, generalOf(k.n, k.r, dy), dx)
	return nil
}

func (k *solution) weigh(s *state, w []float64) error {
	b := s.matrix(solveBBar, k.n, k.r)
	copy(b.Data, w)
	k.solveT(s, b)
	return nil
}

func (k *solution) vjp(s *state, gx, w []float64) error {
	b := s.matrix(solveBBarDot, k.n, k.r)
	copy(b.Data, w)
	k.solveT(s, b)
	ga, gb := k.split(gx)
	clear(ga)
	copy(gb, b.Data)
	g := s.matrix(solveA, k.n, k.n)
	timesT(1, b, s.matrix(solveX, k.n, k.r), 0, g)
	k.gradient(ga, -1, g)
	return nil
}

func (k *solution) hvp(s *state, h, w, dx []float64) error {
	x, bar := s.matrix(solveX, k.n, k.r), s.matrix(solveBBar, k.n, k.r)
	dx1, dbar := s.matrix(solveXDot, k.n, k.r), s.matrix(solveBBarDot, k.n, k.r)
	k.moved(s, dx1, dx)
	da, dat := s.matrix(solveA, k.n, k.n), s.matrix(solveAt, k.n, k.n)
	transposeTo(dat, da)
	times(-1, dat, bar, 0, dbar)
	k.solveT(s, dbar)
	ha, hb := k.split(h)
	copy(hb, dbar.Data)
	clear(ha)
	timesT(1, dbar, x, 0, da)
	timesT(1, bar, dx1, 1, da)
	k.gradient(ha, -1, da)
	return nil
}

func (k *solution) elementwise(y, x []reverse.Var) {
	a, b := x[:k.size()], x[k.size():]
	if k.b != nil {
		b = dual.Consts[reverse.Var](nil, k.b)
	}
	copy(y, b)
	solveElements(k.kind, unpacked(k.kind, k.n, a), New(k.n, k.r, y))
}

// unpacked is the matrix of which x are the operands, with zeros for what is not read.
func unpacked[T any](kind kind, n int, x []T) *Dense[T] {
	if kind == general_ {
		return New(n, n, slices.Clone(x))
	}
	a := New[T](n, n, nil)
	for i := range n {
		row := a.Row(i)[:i+1]
		if kind == upperTriangle {
			row = a.Row(i)[i:]
		}
		x = x[copy(row, x):]
	}
	return a
}

// jacobian of X_ij is all of A and column j of B; of a triangular A the rows up to i, or
// from i on, alone.
func (k *solution) jacobian(i int) []int32 {
	row, col := i/k.r, i%k.r
	lo, hi := 0, k.n // rows that X_ij depends on
	switch k.kind {
	case lowerTriangle:
		hi = row + 1
	case upperTriangle:
		lo = row
	}
	var x []int32
	for j := k.start(lo); j < k.start(hi); j++ {
		x = append(x, int32(j))
	}
	if k.b == nil {
		for j := lo; j < hi; j++ {
			x = append(x, int32(k.size()+j*k.r+col))
		}
	}
	return x
}

// start is the first operand in row i of A.
func (f *factor) start(i int) int {
	switch f.kind {
	case general_:
		return i * f.n
	case upperTriangle:
		return i*f.n - i*(i-1)/2
	default:
		return i * (i + 1) / 2
	}
}

// hessian leaves out pairs of elements of B, which enters linearly.
func (k *solution) hessian(i int) []int32 {
	if i < k.size() {
		return nil
	}
	x := make([]int32, k.size())
	for j := range x {
		x[j] = int32(j)
	}
	return x
}

// solutionFor is B ↦ A⁻¹B.
type solutionFor struct {
	linear
	k *solution
	a []float64
	s *state // with A factorized; it is not changed
}

// newSolutionFor is k with its first operands given, nil where that has no solution.
func newSolutionFor(k *solution, a []float64) *solutionFor {
	s := &state{x: slices.Clone(a)}
	if !finite(a) || k.factor.prepare(s) != nil {
		return nil
	}
	return &solutionFor{k: k, a: s.x, s: s}
}

func (f *solutionFor) name() string     { return f.k.name() }
func (f *solutionFor) dims() (n, m int) { return f.k.n * f.k.r, f.k.n * f.k.r }

func (f *solutionFor) work() int { return 2 * f.k.n * f.k.n * f.k.r }

func (f *solutionFor) eval(s *state, y []float64) { f.jvp(s, y, s.x) }

func (f *solutionFor) jvp(_ *state, dy, dx []float64) error {
	copy(dy, dx)
	f.k.solve(f.s, generalOf(f.k.n, f.k.r, dy))
	return nil
}

func (f *solutionFor) vjp(_ *state, gx, w []float64) error {
	copy(gx, w)
	f.k.solveT(f.s, generalOf(f.k.n, f.k.r, gx))
	return nil
}

func (f *solutionFor) elementwise(y, x []reverse.Var) {
	copy(y, x)
	a := dual.Consts[reverse.Var](nil, f.a)
	solveElements(f.k.kind, unpacked(f.k.kind, f.k.n, a), New(f.k.n, f.k.r, y))
}

func (f *solutionFor) jacobian(i int) []int32 {
	x := f.k.jacobian(i)
	k := f.k.size()
	at, _ := slices.BinarySearch(x, int32(k))
	return shifted(x[at:], -k)
}

// LogDet returns ln |det A|. It panics if A is not square. Where A is singular, or nearly
// so, a tape returns a *SingularError.
//
// With weight w the gradient is Ā = w·A⁻ᵀ, its derivative −w·A⁻ᵀȦᵀA⁻ᵀ. Cost: 2n³/3
// operations, the gradient 2n³, its derivative 4n³ more.
func LogDet[T dual.Scalar[T]](a *Dense[T]) T { return logDet(general_, a) }

// LogDetSPD is LogDet of a symmetric positive definite A, by its Cholesky factorization.
// Of A it reads the lower triangle alone, which is what is differentiated. Where A is not
// positive definite a tape returns a *NotPositiveDefiniteError, other numbers are NaN.
// Cost: n³/3 operations, the gradient 2n³/3, its derivative 3n³ more.
func LogDetSPD[T dual.Scalar[T]](a *Dense[T]) T { return logDet(definite, a) }

func logDet[T dual.Scalar[T]](kind kind, a *Dense[T]) T {
	n := a.square()
	if y, ok := call(&logDeterminant{factor: factor{kind, n}}, operand(kind, a)); ok {
		return y[0]
	}
	return logDetElements(kind, a)
}

func logDetElements[T dual.Scalar[T]](kind kind, a *Dense[T]) T {
	n := a.Rows
	logs := make([]T, n)
	if kind == definite {
		l := a.lower()
		choleskyElements(l, n)
		for i := range logs {
			logs[i] = l[i*(i+1)/2+i].Log()
		}
		return dual.Sum(logs).Scale(2)
	}
	f := New(n, n, slices.Clone(a.Data))
	eliminate(f, nil)
	for i := range logs {
		logs[i] = f.Row(i)[i].Abs().Log()
	}
	return dual.Sum(logs)
}

// The numbers of a state of a logDeterminant, after the factors and the inverse.
const (
	detT = 2 + iota
	detHalf
	detAll
)

// logDeterminant is ln |det A|.
type logDeterminant struct {
	dense
	factor
}

func (k *logDeterminant) name() string {
	return [...]string{"LogDet", "LogDetSPD"}[k.kind]
}

func (k *logDeterminant) dims() (n, m int) { return k.size(), 1 }

func (k *logDeterminant) work() int { return 2 * k.n * k.n * k.n } // its derivatives take the inverse

func (k *logDeterminant) eval(s *state, y []float64) {
	sum := 0.0
	for i := range k.n {
		sum += math.Log(math.Abs(s.nums[theFactors][i*k.n+i]))
	}
	if k.kind == definite {
		sum *= 2
	}
	y[0] = sum
}

// inverse is A⁻ᵀ.
func (f *factor) inverse(s *state) general {
	inv := s.matrix(theInverse, f.n, f.n)
	if s.extra {
		return inv
	}
	s.extra = true
	if f.kind == definite {
		invertSPD(inv, s.matrix(theFactors, f.n, f.n), s.matrix(detT, f.n, f.n))
		return inv
	}
	clear(inv.Data)
	for i := range f.n {
		inv.Data[i*f.n+i] = 1
	}
	f.solveT(s, inv)
	return inv
}

func (k *logDeterminant) jvp(s *state, dy, dx []float64) error {
	inv, da := k.inverse(s), s.matrix(detT, k.n, k.n)
	k.whole(da, dx)
	dy[0] = blas64.Dot(column(inv.Data), column(da.Data))
	return nil
}

func (k *logDeterminant) vjp(s *state, gx, w []float64) error {
	clear(gx)
	k.gradient(gx, w[0], k.inverse(s))
	return nil
}

func (k *logDeterminant) hvp(s *state, h, w, dx []float64) error {
	inv := k.inverse(s)
	clear(h)
	k.gradient(h, -w[0], k.sandwich(s, inv, dx))
	return nil
}

// sandwich is A⁻ᵀȦᵀA⁻ᵀ.
func (f *factor) sandwich(s *state, inv general, dx []float64) general {
	da, half, all := s.matrix(detT, f.n, f.n), s.matrix(detHalf, f.n, f.n), s.matrix(detAll, f.n, f.n)
	f.whole(da, dx)
	timesT(1, inv, da, 0, half)
	if f.kind == definite {
		lowerTimesT(1, half, inv, 0, all)
		mirror(all)
		return all
	}
	times(1, half, inv, 0, all)
	return all
}

func (k *logDeterminant) elementwise(y, x []reverse.Var) {
	y[0] = logDetElements(k.kind, unpacked(k.kind, k.n, x))
}
