package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Real is a number without derivatives. Its methods are those of Scalar, which describes them.
type Real float64

var _ Scalar[Real] = Real(0)

func (x Real) SubReal(c float64) Real { return x - Real(c) }

func (x Real) Const(c float64) Real { return Real(c) }
func (x Real) Value() float64       { return float64(x) }

func (x Real) Select(a, b Real) Real {
	return Real(elem.Select(float64(x), float64(a), float64(b)))
}

func (x Real) FMA(y, z Real) Real { return Real(math.FMA(float64(x), float64(y), float64(z))) }

func (a Real) IncGamma(i, j int, x Real) Real {
	return Real(incGamma(i, j, float64(a), float64(x)))
}

func (a Real) IncBeta(i, j, k int, b, x Real) Real {
	return Real(incBeta(i, j, k, float64(a), float64(b), float64(x)))
}

// start is what a sum c + x₁ + … of n terms starts from: c, but −0 for c = 0, so
// that the sum is that of the terms alone and negative zeros add up to one.
func start(c float64, n int) float64 {
	if c == 0 && n > 0 {
		return math.Copysign(0, -1)
	}
	return c
}

func (Real) SumOf(x []Real) Real {
	s := Real(start(0, len(x)))
	for _, xi := range x {
		s += xi
	}
	return s
}

func (Real) AffineOf(c0 float64, c []float64, x []Real) Real {
	s := Real(start(c0, len(c)))
	for i, ci := range c {
		s += Real(Real(ci) * x[i])
	}
	return s
}

func (Real) DotOf(x, y []Real) Real {
	s := Real(start(0, len(x)))
	for i, xi := range x {
		s += Real(xi * y[i])
	}
	return s
}

func (x Real) Less(y Real) bool          { return x < y }
func (x Real) LessEq(y Real) bool        { return x <= y }
func (x Real) LessReal(c float64) bool   { return float64(x) < c }
func (x Real) LessEqReal(c float64) bool { return float64(x) <= c }
