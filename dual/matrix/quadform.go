package matrix

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// QuadForm returns xᵀAx, all of A being read, symmetric or not. It panics if A is not
// square of the order len(x).
//
// With weight w the gradient is x̄ = w(A + Aᵀ)x, Ā = w·xxᵀ. A constant A is kept once, not
// on the tape.
func QuadForm[T dual.Scalar[T]](a *Dense[T], x []T) T {
	if n := a.square(); n != len(x) {
		panic(fmt.Sprintf("matrix: quadratic form of a %d×%d matrix with a vector of length %d", n, n, len(x)))
	}
	if y, ok := call(&quadForm{n: len(x)}, x, a.Data); ok {
		return y[0]
	}
	return quadElements(a, x)
}

func quadElements[T dual.Scalar[T]](a *Dense[T], x []T) T { return dual.Dot(x, MulVec(nil, a, x)) }

// quadForm is xᵀAx, x before A; with a given A of x alone.
type quadForm struct {
	dense
	n int
	a []float64
}

// The numbers of a state of a quadForm.
const (
	quadAx = iota
	quadT
)

func (k *quadForm) name() string { return "QuadForm" }

func (k *quadForm) work() int { return 2 * k.n * k.n }

func (k *quadForm) dims() (n, m int) {
	if k.a != nil {
		return k.n, 1
	}
	return k.n + k.n*k.n, 1
}

func (k *quadForm) bind(x []float64, constant func(lo, hi int) bool) (f kernel, lo, hi int) {
	n, _ := k.dims()
	if k.a != nil || !constant(k.n, n) {
		return k, 0, n
	}
	return &quadForm{n: k.n, a: slices.Clone(x[k.n:])}, 0, k.n
}

func (k *quadForm) matrix(x []float64) general {
	if k.a != nil {
		x = k.a
	} else {
		x = x[k.n:]
	}
	return generalOf(k.n, k.n, x)
}

// both sets y = α(A + Aᵀ)x + y.
func both(alpha float64, a general, x, y []float64) {
	for _, t := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		blas64.Gemv(t, alpha, a, column(x), 1, column(y))
	}
}

// prepare keeps (A + Aᵀ)x.
func (k *quadForm) prepare(s *state) error {
	y := s.numbers(quadAx, k.n)
	clear(y)
	both(1, k.matrix(s.x), s.x[:k.n], y)
	return nil
}

func (k *quadForm) eval(s *state, y []float64) { y[0] = floats.Dot(s.x[:k.n], s.nums[quadAx]) / 2 }

func (k *quadForm) jvp(s *state, dy, dx []float64) error {
	dy[0] = floats.Dot(dx[:k.n], s.nums[quadAx])
	if k.a == nil {
		x, da := s.x[:k.n], k.matrix(dx)
		for i, xi := range x {
			dy[0] += float64(xi * floats.Dot(da.Data[i*k.n:][:k.n], x))
		}
	}
	return nil
}

func (k *quadForm) vjp(s *state, gx, w []float64) error {
	floats.ScaleTo(gx[:k.n], w[0], s.nums[quadAx])
	if k.a == nil {
		clear(gx[k.n:])
		blas64.Ger(w[0], column(s.x[:k.n]), column(s.x[:k.n]), k.matrix(gx))
	}
	return nil
}

func (k *quadForm) hvp(s *state, h, w, dx []float64) error {
	clear(h)
	x := s.x[:k.n]
	both(w[0], k.matrix(s.x), dx[:k.n], h[:k.n])
	if k.a == nil {
		both(w[0], k.matrix(dx), x, h[:k.n])
		ha := k.matrix(h)
		blas64.Ger(w[0], column(x), column(dx[:k.n]), ha)
		blas64.Ger(w[0], column(dx[:k.n]), column(x), ha)
	}
	return nil
}

func (k *quadForm) elementwise(y, x []reverse.Var) {
	a := x[k.n:]
	if k.a != nil {
		a = dual.Consts[reverse.Var](nil, k.a)
	}
	y[0] = quadElements(New(k.n, k.n, a), x[:k.n])
}

// hessian leaves out pairs of elements of A, and of x_i and elements of A outside of row
// and column i.
func (k *quadForm) hessian(i int) []int32 {
	n := k.n
	if k.a != nil {
		return nil
	}
	if i >= n {
		return []int32{int32((i - n) / n), int32((i - n) % n)}
	}
	x := make([]int32, 0, 3*n)
	for j := range n {
		x = append(x, int32(j), int32(n+i*n+j), int32(n+j*n+i))
	}
	return x
}
