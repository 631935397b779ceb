package matrix

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Mul stores A·B in dst and returns it. dst is allocated if nil, and may be a or b. It
// panics if A has not as many columns as B rows, or dst another shape than A·B. For
// transposes see [Dense.T].
//
// With weights C̄ for C = A·B the gradient is Ā = C̄Bᵀ, B̄ = AᵀC̄, and its derivative along
// Ȧ, Ḃ is C̄Ḃᵀ, ȦᵀC̄. Where a factor is constant nothing is computed for it.
func Mul[T dual.Scalar[T]](dst, a, b *Dense[T]) *Dense[T] {
	if a.Cols != b.Rows {
		panic(fmt.Sprintf("matrix: product of a %d×%d and a %d×%d matrix", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	k := &product{p: a.Rows, q: a.Cols, r: b.Cols}
	c, ok := call(k, a.Data, b.Data)
	if !ok {
		c = make([]T, a.Rows*b.Cols)
		mulElements(c, a, b)
	}
	return result(dst, a.Rows, b.Cols, c)
}

// mulElements sets c = a·b, each element a sum from the left.
func mulElements[T dual.Scalar[T]](c []T, a, b *Dense[T]) {
	t := b.T()
	for i := range a.Rows {
		for j := range b.Cols {
			c[i*b.Cols+j] = dual.Dot(a.Row(i), t.Row(j))
		}
	}
}

// MulVec stores A·x in dst and returns it. dst is allocated if nil, and may be x. It
// panics if x has not as many elements as A columns, or dst not as many as rows.
//
// Each element is a [dual.Dot], on a tape too: matrix and vector have as many elements
// as there are products, and tapes take such sums together.
func MulVec[T dual.Scalar[T]](dst []T, a *Dense[T], x []T) []T {
	if len(x) != a.Cols {
		panic(fmt.Sprintf("matrix: product of a %d×%d matrix with a vector of length %d", a.Rows, a.Cols, len(x)))
	}
	y := make([]T, a.Rows)
	for i := range y {
		y[i] = dual.Dot(a.Row(i), x)
	}
	return vector(dst, y)
}

// product is C = A·B, A being p×q and B q×r.
type product struct{ p, q, r int }

func (k *product) name() string { return "Mul" }

func (k *product) dims() (n, m int) { return k.p*k.q + k.q*k.r, k.p * k.r }

func (k *product) work() int { return 2 * k.p * k.q * k.r }

// factors are A and B, or what there is of them in a direction.
func (k *product) factors(x []float64) (a, b general) {
	n := k.p * k.q
	return generalOf(k.p, k.q, x[:n]), generalOf(k.q, k.r, x[n:])
}

func (k *product) prepare(*state) error { return nil }

func (k *product) eval(s *state, y []float64) {
	a, b := k.factors(s.x)
	times(1, a, b, 0, generalOf(k.p, k.r, y))
}

func (k *product) jvp(s *state, dy, dx []float64) error {
	a, b := k.factors(s.x)
	da, db := k.factors(dx)
	c := generalOf(k.p, k.r, dy)
	times(1, da, b, 0, c)
	times(1, a, db, 1, c)
	return nil
}

func (k *product) vjp(s *state, gx, w []float64) error {
	a, b := k.factors(s.x)
	k.pull(s, gx, a, b, w)
	return nil
}

// pull sets gx = [WBᵀ, AᵀW].
func (k *product) pull(s *state, gx []float64, a, b general, w []float64) {
	c := generalOf(k.p, k.r, w)
	ga, gb := k.factors(gx)
	timesT(1, c, b, 0, ga)
	at := s.matrix(0, k.q, k.p)
	transposeTo(at, a)
	times(1, at, c, 0, gb)
}

func (k *product) weigh(*state, []float64) error { return nil }

func (k *product) hvp(s *state, h, w, dx []float64) error {
	da, db := k.factors(dx)
	k.pull(s, h, da, db, w)
	return nil
}

func (k *product) elementwise(y, x []reverse.Var) {
	n := k.p * k.q
	mulElements(y, New(k.p, k.q, x[:n]), New(k.q, k.r, x[n:]))
}

func (k *product) jacobian(i int) []int32 {
	row, col := i/k.r, i%k.r
	x := make([]int32, 0, 2*k.q)
	for l := range k.q {
		x = append(x, int32(row*k.q+l))
	}
	for l := range k.q {
		x = append(x, int32(k.p*k.q+l*k.r+col))
	}
	return x
}

// hessian couples A_il with B_lj for all i and j.
func (k *product) hessian(i int) []int32 {
	n := k.p * k.q
	var x []int32
	if i < n {
		for j := range k.r {
			x = append(x, int32(n+i%k.q*k.r+j))
		}
		return x
	}
	for j := range k.p {
		x = append(x, int32(j*k.q+(i-n)/k.r))
	}
	return x
}

// bind takes a constant factor out of the operands.
func (k *product) bind(x []float64, constant func(lo, hi int) bool) (f kernel, lo, hi int) {
	n, _ := k.dims()
	na := k.p * k.q
	switch {
	case constant(0, na):
		a := generalOf(k.p, k.q, slices.Clone(x[:na]))
		at := generalOf(k.q, k.p, make([]float64, na))
		transposeTo(at, a)
		return &productOf{k: *k, a: a, at: at}, na, n
	case constant(na, n):
		return &productBy{k: *k, b: generalOf(k.q, k.r, slices.Clone(x[na:]))}, 0, na
	}
	return k, 0, n
}

// linear is what linear functions have in common: no curvature.
type linear struct{}

func (linear) prepare(*state) error                  { return nil }
func (linear) weigh(*state, []float64) error         { return nil }
func (linear) hvp(_ *state, h, _, _ []float64) error { clear(h); return nil }
func (linear) hessian(int) []int32                   { return []int32{} }

// productOf is B ↦ A·B.
type productOf struct {
	linear
	k     product
	a, at general
}

func (f *productOf) name() string     { return f.k.name() }
func (f *productOf) dims() (n, m int) { return f.k.q * f.k.r, f.k.p * f.k.r }

func (f *productOf) work() int { return f.k.work() }

func (f *productOf) eval(s *state, y []float64) { f.jvp(s, y, s.x) }

func (f *productOf) jvp(_ *state, dy, dx []float64) error {
	times(1, f.a, generalOf(f.k.q, f.k.r, dx), 0, generalOf(f.k.p, f.k.r, dy))
	return nil
}

func (f *productOf) vjp(_ *state, gx, w []float64) error {
	times(1, f.at, generalOf(f.k.p, f.k.r, w), 0, generalOf(f.k.q, f.k.r, gx))
	return nil
}

func (f *productOf) elementwise(y, x []reverse.Var) {
	mulElements(y, FromMat[reverse.Var](dense64(f.a)), New(f.k.q, f.k.r, x))
}

func (f *productOf) jacobian(i int) []int32 {
	return shifted(f.k.jacobian(i)[f.k.q:], -f.k.p*f.k.q)
}

// productBy is A ↦ A·B.
type productBy struct {
	linear
	k product
	b general
}

func (f *productBy) name() string     { return f.k.name() }
func (f *productBy) dims() (n, m int) { return f.k.p * f.k.q, f.k.p * f.k.r }

func (f *productBy) work() int { return f.k.work() }

func (f *productBy) eval(s *state, y []float64) { f.jvp(s, y, s.x) }

func (f *productBy) jvp(_ *state, dy, dx []float64) error {
	times(1, generalOf(f.k.p, f.k.q, dx), f.b, 0, generalOf(f.k.p, f.k.r, dy))
	return nil
}

func (f *productBy) vjp(_ *state, gx, w []float64) error {
	timesT(1, generalOf(f.k.p, f.k.r, w), f.b, 0, generalOf(f.k.p, f.k.q, gx))
	return nil
}

func (f *productBy) elementwise(y, x []reverse.Var) {
	mulElements(y, New(f.k.p, f.k.q, x), FromMat[reverse.Var](dense64(f.b)))
}

func (f *productBy) jacobian(i int) []int32 { return f.k.jacobian(i)[:f.k.q] }

// dense64 is a as a matrix of gonum.
func dense64(a general) *mat.Dense {
	var m mat.Dense
	m.SetRawMatrix(a)
	return &m
}

// shifted adds by to each of x.
func shifted(x []int32, by int) []int32 {
	for i := range x {
		x[i] += int32(by)
	}
	return x
}
