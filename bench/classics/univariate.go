package classics

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// The functions that Moré and Thuente test line searches with: Line search
// algorithms with guaranteed sufficient decrease, ACM Trans. Math. Softw. 20
// (1994), 286–307, equations 5.1 to 5.4.

// ConcaveRight is −x/(x² + 2).
func ConcaveRight[T dual.Scalar[T]](x []T) T {
	return x[0].Neg().Div(x[0].Square().AddReal(2))
}

// ConcaveLeft is (x + 0.004)⁴(x − 1.996).
func ConcaveLeft[T dual.Scalar[T]](x []T) T {
	return x[0].AddReal(0.004).PowInt(4).Mul(x[0].SubReal(1.996))
}

// Plassmann is φ(x) + 2(1 − β)/(lπ) sin(lπx/2), φ being |x − 1| rounded by a
// parabola where it is below β = 0.01, and l = 39: three branches.
func Plassmann[T dual.Scalar[T]](x []T) T {
	const l, beta = 39.0, 0.01
	d := x[0].SubReal(1)
	s := x[0].Scale(l * math.Pi / 2).Sin().Scale(2 * (1 - beta) / l / math.Pi)
	switch {
	case x[0].LessEqReal(1 - beta):
		return s.Sub(d)
	case x[0].LessEqReal(1 + beta):
		return s.Add(d.Square().Scale(1 / beta).AddReal(beta).Scale(0.5))
	default:
		return s.Add(d)
	}
}

// YanaiOzawaKaneko is γ(√((1 − x)² + β²) + √(x² + β²)), γ = √(1 + β²) − β,
// β = 0.001.
func YanaiOzawaKaneko[T dual.Scalar[T]](x []T) T {
	const beta = 0.001
	s := x[0].SubReal(1).Square().AddReal(beta * beta).Sqrt().Add(x[0].Square().AddReal(beta * beta).Sqrt())
	return s.Scale(math.Sqrt(1+beta*beta) - beta)
}
