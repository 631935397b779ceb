package dual

import (
	"math"
	"math/cmplx"
)

// Complex is the complex number Re + Im·i, as command lift writes complex128. Values have
// the bits of Go's and of package math/cmplx, but where numbers overflow, are subnormal or
// infinite, in quotients by 0, which may be NaN where Go's are infinite, in signs of zeros,
// and in Sqrt of imaginary numbers, which is off by an ulp. No operation but Pow is a guard
// on a tape.
type Complex[T Scalar[T]] struct{ Re, Im T }

// NewComplex returns re + im·i.
func NewComplex[T Scalar[T]](re, im T) Complex[T] { return Complex[T]{re, im} }

// ConstComplex returns the constant c.
func ConstComplex[T Scalar[T]](c complex128) Complex[T] {
	return Complex[T]{Const[T](real(c)), Const[T](imag(c))}
}

// Neg returns −z.
func (z Complex[T]) Neg() Complex[T] { return Complex[T]{z.Re.Neg(), z.Im.Neg()} }

// Add returns z + w.
func (z Complex[T]) Add(w Complex[T]) Complex[T] { return Complex[T]{z.Re.Add(w.Re), z.Im.Add(w.Im)} }

// Sub returns z − w.
func (z Complex[T]) Sub(w Complex[T]) Complex[T] { return Complex[T]{z.Re.Sub(w.Re), z.Im.Sub(w.Im)} }

// Mul returns z·w.
func (z Complex[T]) Mul(w Complex[T]) Complex[T] {
	return Complex[T]{
		z.Re.Mul(w.Re).Sub(z.Im.Mul(w.Im)),
		z.Re.Mul(w.Im).Add(z.Im.Mul(w.Re)),
	}
}

// Div returns z/w, by the ratio of the smaller part of w to the larger. Source: Smith,
// Algorithm 116: Complex division, Commun. ACM 5, 1962.
func (z Complex[T]) Div(w Complex[T]) Complex[T] {
	turned := w.Re.Abs().Step(w.Im.Abs()) // 1 if |Im w| is the larger one
	large, small := turned.Select(w.Im, w.Re), turned.Select(w.Re, w.Im)
	a, b := turned.Select(z.Im, z.Re), turned.Select(z.Re, z.Im)
	ratio := small.Div(large)
	size := large.Add(ratio.Mul(small))
	c := a.Mul(ratio)
	return Complex[T]{
		a.Add(b.Mul(ratio)).Div(size),
		turned.Select(c.Sub(b), b.Sub(c)).Div(size),
	}
}

// Conj returns Re z − Im z·i.
func (z Complex[T]) Conj() Complex[T] { return Complex[T]{z.Re, z.Im.Neg()} }

// Abs returns |z|.
func (z Complex[T]) Abs() T { return z.Re.Hypot(z.Im) }

// Phase returns the argument of z, in [−π, π].
func (z Complex[T]) Phase() T { return z.Im.Atan2(z.Re) }

// Exp returns e to the z.
func (z Complex[T]) Exp() Complex[T] {
	r := z.Re.Exp()
	return Complex[T]{r.Mul(z.Im.Cos()), r.Mul(z.Im.Sin())}
}

// Log returns the natural logarithm of z, whose imaginary part is Phase.
func (z Complex[T]) Log() Complex[T] { return Complex[T]{z.Abs().Log(), z.Phase()} }

// Sqrt returns the square root of z whose real part is not negative; on the negative real
// axis its imaginary part has the sign of that of z.
func (z Complex[T]) Sqrt() Complex[T] {
	// The larger part is √((|z| + |Re z|)/2), the smaller one Im z by its double. Select has
	// the derivatives of one side at Re z = 0 also, Abs would have none.
	larger := z.Abs().Scale(0.5).Add(z.Re.Select(z.Re, z.Re.Neg()).Scale(0.5)).Sqrt()
	smaller := larger.Select(z.Im.Scale(0.5).Div(larger), z.Im)
	sign := Const[T](1).Copysign(z.Im)
	return Complex[T]{
		z.Re.Select(larger, smaller.Mul(sign)),
		z.Re.Select(smaller, larger.Mul(sign)),
	}
}

// Pow returns z to the w, by |z| and Phase. At z = 0 it is a product where w is a natural
// number; other powers have no derivatives there, and 0 for them.
func (z Complex[T]) Pow(w Complex[T]) Complex[T] {
	if r := z.Abs(); r.LessEqReal(0) {
		return z.powOfZero(complex(w.Re.Value(), w.Im.Value()))
	}
	abs, arg := z.Abs(), z.Phase()
	r, theta := abs.Pow(w.Re), arg.Mul(w.Re)
	r, theta = r.Mul(arg.Mul(w.Im).Neg().Exp()), theta.Add(abs.Log().Mul(w.Im))
	return Complex[T]{r.Mul(theta.Cos()), r.Mul(theta.Sin())}
}

// powOfZero is z to the w for z = 0, which may have derivatives.
func (z Complex[T]) powOfZero(w complex128) Complex[T] {
	if n := real(w); imag(w) != 0 || n != math.Trunc(n) || n < 0 || n > 64 {
		return ConstComplex[T](cmplx.Pow(0, w))
	}
	p := ConstComplex[T](1)
	for range int(real(w)) {
		p = p.Mul(z)
	}
	return p
}
