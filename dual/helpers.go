package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
)

// Const returns the constant c as a number: all its derivatives are 0.
func Const[T Scalar[T]](c float64) T {
	var t T
	return t.Const(c)
}

// Consts stores the constants c in dst and returns it. dst is allocated if nil; it
// panics if dst and c differ in length.
func Consts[T Scalar[T]](dst []T, c []float64) []T {
	if dst == nil {
		dst = make([]T, len(c))
	}
	if len(dst) != len(c) {
		panic("dual: lengths of dst and c differ")
	}
	for i, v := range c {
		dst[i] = dst[i].Const(v)
	}
	return dst
}

// Shown returns the value of x for a text that nothing but people read: unlike x.Value() it
// is no guard on a tape.
func Shown[T Scalar[T]](x T) float64 {
	if r, ok := op.Recorder[T]().(interface{ Shown(x T) float64 }); ok {
		return r.Shown(x)
	}
	if n, ok := any(x).(interface{ shown() float64 }); ok {
		return n.shown()
	}
	return x.Value()
}

// Detach returns x. In a function that command lift or reverse/adjoint takes, it is a
// constant: what is computed from it does not depend on x.
func Detach(x float64) float64 { return x }

// Value returns x. In a function that command lift or reverse/adjoint takes, it is a plain
// number, as which x may be the key of a map or an argument of any function. On a tape it is
// a guard.
func Value(x float64) float64 { return x }

// Sum returns Σ xᵢ, 0 for none, added from the left.
func Sum[T Scalar[T]](x []T) T {
	var t T
	return t.SumOf(x)
}

// Affine returns c₀ + Σ cᵢxᵢ, added from the left. It panics if c and x differ
// in length.
func Affine[T Scalar[T]](c0 float64, c []float64, x []T) T {
	if len(c) != len(x) {
		panic("dual: lengths of c and x differ")
	}
	var t T
	return t.AffineOf(c0, c, x)
}

// Dot returns Σ xᵢyᵢ, added from the left. It panics if x and y differ in
// length.
func Dot[T Scalar[T]](x, y []T) T {
	if len(x) != len(y) {
		panic("dual: lengths of x and y differ")
	}
	var t T
	return t.DotOf(x, y)
}

// DotReal returns Σ cᵢxᵢ, added from the left. It panics if c and x differ in
// length.
func DotReal[T Scalar[T]](c []float64, x []T) T { return Affine(0, c, x) }

// SumSquares returns Σ xᵢ², added from the left.
func SumSquares[T Scalar[T]](x []T) T { return Dot(x, x) }

// AddScaled returns x + c·y.
func AddScaled[T Scalar[T]](x T, c float64, y T) T { return x.Add(y.Scale(c)) }

// MulAdd returns a·b + c·d. A tape keeps the products and the sum, as it does for
// a short [Dot]: alike ones are computed together. Method FMA rounds once.
func MulAdd[T Scalar[T]](a, b, c, d T) T { return a.Mul(b).Add(c.Mul(d)) }

// Norm2 returns √(Σ xᵢ²), all of whose derivatives are 0 at the origin. The
// squares overflow beyond 10¹⁵⁴ and vanish below 10⁻¹⁶², where the origin
// begins for it.
func Norm2[T Scalar[T]](x []T) T {
	s := Dot(x, x)
	var zero T
	return s.Select(s.Sqrt(), zero)
}

// Polyval returns c₀ + c₁x + c₂x² + …, the lowest power first, by Horner's
// rule; 0 for no coefficients.
func Polyval[T Scalar[T]](c []float64, x T) T {
	n := len(c)
	if n == 0 {
		var zero T
		return zero
	}
	p := x.Const(c[n-1])
	for i := n - 2; i >= 0; i-- {
		p = p.Mul(x).AddReal(c[i])
	}
	return p
}

// LogSumExp returns ln Σ exp xᵢ without overflow: +∞ if an xᵢ is, −∞ for none
// or if all xᵢ are. Its gradient is Softmax(x), at ±∞ it is 0.
func LogSumExp[T Scalar[T]](x []T) T {
	if len(x) == 0 {
		var t T
		return t.Const(math.Inf(-1))
	}
	// An exponential of 0, that of a maximum, is added less 1, so that the sum
	// keeps the digits of the others; more counts the maxima but for one.
	shift := maxShift(x)
	below, more := shift.Const(-math.SmallestNonzeroFloat64), shift.Const(-1)
	var sum T
	for _, xi := range x {
		u := xi.Sub(shift)
		one := below.Step(u)
		sum = sum.Add(u.Exp().Sub(one))
		more = more.Add(one)
	}
	return sum.Add(more).Log1p().Add(shift)
}

// Softmax stores exp xᵢ / Σ exp xⱼ in dst, without overflow, and returns it.
// dst is allocated if nil, and may be x. If an xᵢ is +∞ or all are −∞, the
// result has NaN. It panics if dst and x differ in length.
func Softmax[T Scalar[T]](dst, x []T) []T {
	if dst == nil {
		dst = make([]T, len(x))
	}
	if len(dst) != len(x) {
		panic("dual: lengths of dst and x differ")
	}
	if len(x) == 0 {
		return dst
	}
	shift := maxShift(x)
	for i, xi := range x {
		dst[i] = xi.Sub(shift).Exp()
	}
	sum := Sum(dst)
	for i, e := range dst {
		dst[i] = e.Div(sum)
	}
	return dst
}

// maxShift is the maximum of x as a constant, finite so that no difference
// with it is ∞ − ∞. The functions that use it do not depend on it.
func maxShift[T Scalar[T]](x []T) T {
	m := x[0]
	for _, xi := range x[1:] {
		m = m.Max(xi)
	}
	m = m.Detach()
	return m.Max(m.Const(-math.MaxFloat64)).Min(m.Const(math.MaxFloat64))
}
