package matrix

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Cholesky stores L in dst and returns it: the lower triangular matrix with positive
// diagonal and A = LLᵀ, zeros above. Of A it reads the lower triangle alone, which is
// what is differentiated. dst is allocated if nil, and may be a. It panics if A is not
// square or dst has another shape. Where A is not positive definite a tape returns a
// *NotPositiveDefiniteError, other numbers are NaN.
//
// With Φ(X) the lower triangle of X with half its diagonal, G = Φ(L⁻¹ȦL⁻ᵀ) and
// Z = Φ(LᵀL̄) + Φ(LᵀL̄)ᵀ the tangent is L̇ = LG, the adjoint Ā = ½L⁻ᵀZL⁻¹, and its
// derivative ½L⁻ᵀ(Ż − GᵀZ − ZG)L⁻¹. Cost: n³/3 operations, twice that for the adjoint,
// which goes by blocks, nine times for the tangent, 18 for the derivative of the adjoint.
//
// Source: I. Murray, Differentiation of the Cholesky decomposition, 2016, sections 3 and 4.
func Cholesky[T dual.Scalar[T]](dst, a *Dense[T]) *Dense[T] {
	n := a.square()
	l, ok := call(&factorization{n: n}, a.lower())
	if !ok {
		l = a.lower()
		choleskyElements(l, n)
	}
	full := make([]T, n*n)
	for i := range n {
		l = l[copy(full[i*n:][:i+1], l):]
	}
	return result(dst, n, n, full)
}

// choleskyElements replaces a lower triangle, row by row, by that of L.
func choleskyElements[T dual.Scalar[T]](x []T, n int) {
	for i := range n {
		row := x[i*(i+1)/2:][:i+1]
		for j := range i {
			other := x[j*(j+1)/2:][:j+1]
			row[j] = row[j].Sub(dual.Dot(row[:j], other[:j])).Div(other[j])
		}
		row[i] = row[i].Sub(dual.Dot(row[:i], row[:i])).Sqrt()
	}
}

// The numbers of a state of a factorization.
const (
	cholL    = iota
	cholX    // the argument of between
	cholY    // its result
	cholBar  // adjoints
	cholT    // a transpose
	cholLBar // LᵀL̄
	cholZ
)

// factorization is the lower triangle of A ↦ that of L.
type factorization struct {
	n int
}

func (k *factorization) name() string { return "Cholesky" }

func (k *factorization) dims() (n, m int) { n = k.n * (k.n + 1) / 2; return n, n }

func (k *factorization) work() int { return k.n * k.n * k.n }

func (k *factorization) prepare(s *state) error {
	l := s.matrix(cholL, k.n, k.n)
	lowerOf(l, s.x)
	if !cholesky(l) {
		return &NotPositiveDefiniteError{k.n}
	}
	return nil
}

func (k *factorization) eval(s *state, y []float64) { pack(y, s.matrix(cholL, k.n, k.n)) }

// pack stores the lower triangle of a.
func pack(y []float64, a general) {
	for i := range a.Rows {
		y = y[copy(y, a.Data[i*a.Stride:][:i+1]):]
	}
}

// between is L⁻¹XL⁻ᵀ of a symmetric X at cholX, or L⁻ᵀXL⁻¹, at cholY.
func (k *factorization) between(s *state, trans blas.Transpose) general {
	l, x, y := s.matrix(cholL, k.n, k.n), s.matrix(cholX, k.n, k.n), s.matrix(cholY, k.n, k.n)
	solveTriangle(l, blas.Lower, trans, x)
	transposeTo(y, x)
	solveTriangle(l, blas.Lower, trans, y)
	return y
}

// g is G in the direction dx, at cholY.
func (k *factorization) g(s *state, dx []float64) general {
	symmetric(s.matrix(cholX, k.n, k.n), dx)
	g := k.between(s, blas.NoTrans)
	for i := range k.n {
		row := g.Data[i*k.n:][:k.n]
		row[i] /= 2
		clear(row[i+1:])
	}
	return g
}

func (k *factorization) jvp(s *state, dy, dx []float64) error {
	g := k.g(s, dx)
	blas64.Trmm(blas.Left, blas.NoTrans, 1, triangle(s.matrix(cholL, k.n, k.n), blas.Lower), g)
	pack(dy, g)
	return nil
}

// weigh computes LᵀL̄ and Z.
func (k *factorization) weigh(s *state, w []float64) error {
	u, z := s.matrix(cholLBar, k.n, k.n), s.matrix(cholZ, k.n, k.n)
	lowerOf(u, w)
	blas64.Trmm(blas.Left, blas.Trans, 1, triangle(s.matrix(cholL, k.n, k.n), blas.Lower), u)
	copy(z.Data, u.Data)
	mirror(z)
	return nil
}

// pull stores ½L⁻ᵀXL⁻¹, X at cholX, as the gradient in a lower triangle.
func (k *factorization) pull(s *state, gx []float64) {
	pack(gx, k.between(s, blas.Trans))
	for i := range k.n {
		gx[i*(i+1)/2+i] /= 2
	}
}

// vjp takes blocks of columns from the last to the first. With
//
//	L = ⎡ ·     ⎤
//	    ⎢ R D   ⎥   the adjoints of A take the place of those of L:
//	    ⎣ B C · ⎦
//
// C̄ ← C̄D⁻¹, B̄ −= C̄R, D̄ −= C̄ᵀC, D̄ ← that of the Cholesky factorization of a block, and
// R̄ −= C̄ᵀB + (D̄ + D̄ᵀ)R. Source: Murray 2016, section 4.2.
func (k *factorization) vjp(s *state, gx, w []float64) error {
	n := k.n
	l, bar := s.matrix(cholL, n, n), s.matrix(cholBar, n, n)
	lowerOf(bar, w)
	for j := (n - 1) / block * block; j >= 0; j -= block {
		m := min(block, n-j)
		rest := n - j - m
		d, dbar := view(l, j, j, m, m), view(bar, j, j, m, m)
		r, rbar := view(l, j, 0, m, j), view(bar, j, 0, m, j)
		ct := generalOf(m, rest, s.numbers(cholT, m*rest))
		if rest > 0 {
			c, cbar := view(l, j+m, j, rest, m), view(bar, j+m, j, rest, m)
			blas64.Trsm(blas.Right, blas.NoTrans, 1, triangle(d, blas.Lower), cbar)
			transposeTo(ct, cbar)
			times(-1, cbar, r, 1, view(bar, j+m, 0, rest, j))
			times(-1, ct, c, 1, dbar)
		}
		both := k.blockAdjoint(s, d, dbar)
		if j > 0 {
			times(-1, ct, view(l, j+m, 0, rest, j), 1, rbar)
			times(-1, both, r, 1, rbar)
		}
	}
	pack(gx, bar)
	return nil
}

// blockAdjoint replaces the lower triangle of L̄ by Ā = ½L⁻ᵀZL⁻¹, off the diagonal the sum
// with its transpose, and returns Ā + Āᵀ.
func (k *factorization) blockAdjoint(s *state, l, bar general) general {
	m := l.Rows
	x, y := s.matrix(cholX, m, m), s.matrix(cholY, m, m)
	for i := range m {
		row := x.Data[i*m:][:m]
		clear(row[copy(row, bar.Data[i*bar.Stride:][:i+1]):])
	}
	blas64.Trmm(blas.Left, blas.Trans, 1, triangle(l, blas.Lower), x)
	mirror(x)
	solveTriangle(l, blas.Lower, blas.Trans, x)
	transposeTo(y, x)
	solveTriangle(l, blas.Lower, blas.Trans, y)
	for i := range m {
		row := bar.Data[i*bar.Stride:][:i+1]
		copy(row, y.Data[i*m:])
		row[i] /= 2
	}
	mirrorTo(y, bar)
	return y
}

// mirrorTo sets dst to a + aᵀ of a lower triangle a.
func mirrorTo(dst, a general) {
	for i := range a.Rows {
		row := dst.Data[i*dst.Stride:]
		copy(row[:i+1], a.Data[i*a.Stride:])
		row[i] *= 2
	}
	mirror(dst)
}

func (k *factorization) hvp(s *state, h, w, dx []float64) error {
	g := triangle(k.g(s, dx), blas.Lower)
	u, z := s.matrix(cholBar, k.n, k.n), s.matrix(cholT, k.n, k.n)
	copy(u.Data, s.nums[cholLBar])
	copy(z.Data, s.nums[cholZ])
	blas64.Trmm(blas.Left, blas.Trans, 1, g, u) // its lower triangle is that of Ż
	blas64.Trmm(blas.Left, blas.Trans, 1, g, z)
	x := s.matrix(cholX, k.n, k.n)
	for i := range k.n {
		for j := range i + 1 {
			x.Data[i*k.n+j] = u.Data[i*k.n+j] - z.Data[i*k.n+j] - z.Data[j*k.n+i]
		}
	}
	mirror(x)
	k.pull(s, h)
	return nil
}

func (k *factorization) elementwise(y, x []reverse.Var) {
	copy(y, x)
	choleskyElements(y, k.n)
}

// jacobian of L_ij is the elements up to column j of the rows up to j and of row i.
func (k *factorization) jacobian(i int) []int32 {
	row, start := rowOf(i)
	col := i - start
	var x []int32
	for r := range col + 1 {
		for c := range r + 1 {
			x = append(x, int32(r*(r+1)/2+c))
		}
	}
	if row > col {
		for c := range col + 1 {
			x = append(x, int32(start+c))
		}
	}
	return x
}

func (k *factorization) hessian(int) []int32 { return nil }

// rowOf is the row of element i of a lower triangle, and the first element of it.
func rowOf(i int) (row, start int) {
	for start+row+1 <= i {
		row++
		start += row
	}
	return row, start
}
