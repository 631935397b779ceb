package classics

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Beale is Σ (yᵢ − x₀(1 − x₁ⁱ))², i = 1 … 3, y = (1.5, 2.25, 2.625).
func Beale[T dual.Scalar[T]](x []T) T {
	var s T
	for i, y := range []float64{1.5, 2.25, 2.625} {
		s = s.Add(x[0].Mul(x[1].PowInt(i + 1).RSub(1)).RSub(y).Square())
	}
	return s
}

// biggs is Σ (aᵢ − yᵢ)² over m points zᵢ = i/10 of the model
// a = c₀e⁻ᵏ⁰ᶻ − c₁e⁻ᵏ¹ᶻ + c₂e⁻ᵏ²ᶻ, whose last term may be missing; y is the model
// at k = (1, 10, 4), c = (1, 5, 3).
func biggs[T dual.Scalar[T]](m int, k, c []T) T {
	sign, k0, c0 := []float64{1, -1, 1}, []float64{1, 10, 4}, []float64{1, 5, 3}
	var s T
	for i := 1; i <= m; i++ {
		z := float64(i) / 10
		var r T
		var y float64
		for j := range k {
			r = r.Add(c[j].Mul(k[j].Scale(-z).Exp()).Scale(sign[j]))
			y += sign[j] * c0[j] * math.Exp(-k0[j]*z)
		}
		s = s.Add(r.SubReal(y).Square())
	}
	return s
}

// BiggsEXP2 fits the exponents of e⁻ˣ⁰ᶻ − 5e⁻ˣ¹ᶻ.
func BiggsEXP2[T dual.Scalar[T]](x []T) T {
	return biggs(10, x, []T{x[0].Const(1), x[0].Const(5)})
}

// BiggsEXP3 fits e⁻ˣ⁰ᶻ − x₂e⁻ˣ¹ᶻ.
func BiggsEXP3[T dual.Scalar[T]](x []T) T {
	return biggs(10, x[:2], []T{x[0].Const(1), x[2]})
}

// BiggsEXP4 fits x₂e⁻ˣ⁰ᶻ − x₃e⁻ˣ¹ᶻ.
func BiggsEXP4[T dual.Scalar[T]](x []T) T {
	return biggs(10, x[:2], x[2:])
}

// BiggsEXP5 fits x₂e⁻ˣ⁰ᶻ − x₃e⁻ˣ¹ᶻ + 3e⁻ˣ⁴ᶻ.
func BiggsEXP5[T dual.Scalar[T]](x []T) T {
	return biggs(11, []T{x[0], x[1], x[4]}, []T{x[2], x[3], x[0].Const(3)})
}

// BiggsEXP6 fits x₂e⁻ˣ⁰ᶻ − x₃e⁻ˣ¹ᶻ + x₅e⁻ˣ⁴ᶻ.
func BiggsEXP6[T dual.Scalar[T]](x []T) T {
	return biggs(13, []T{x[0], x[1], x[4]}, []T{x[2], x[3], x[5]})
}

// Box3D is Σ (e⁻ˣ⁰ᶻ − e⁻ˣ¹ᶻ − x₂(e⁻ᶻ − e⁻¹⁰ᶻ))², z = 0.1 … 1.
func Box3D[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 1; i <= 10; i++ {
		z := float64(i) / 10
		r := x[0].Scale(-z).Exp().Sub(x[1].Scale(-z).Exp())
		s = s.Add(r.Sub(x[2].Scale(math.Exp(-z) - math.Exp(-10*z))).Square())
	}
	return s
}

// BrownAndDennis is Σ ((x₀ + cx₁ − eᶜ)² + (x₂ + x₃ sin c − cos c)²)², c = 0.2 … 4.
func BrownAndDennis[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 1; i <= 20; i++ {
		c := float64(i) / 5
		a := x[0].Add(x[1].Scale(c)).SubReal(math.Exp(c))
		b := x[2].Add(x[3].Scale(math.Sin(c))).SubReal(math.Cos(c))
		s = s.Add(a.Square().Add(b.Square()).Square())
	}
	return s
}

// BrownBadlyScaled is (x₀ − 10⁶)² + (x₁ − 2·10⁻⁶)² + (x₀x₁ − 2)².
func BrownBadlyScaled[T dual.Scalar[T]](x []T) T {
	return x[0].SubReal(1e6).Square().Add(x[1].SubReal(2e-6).Square()).Add(x[0].Mul(x[1]).SubReal(2).Square())
}

// ExtendedPowellSingular is, over groups of four,
// Σ (a + 10b)² + 5(c − d)² + (b − 2c)⁴ + 10(a − d)⁴. Its Hessian at the minimum
// is singular.
func ExtendedPowellSingular[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 0; i < len(x); i += 4 {
		a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
		s = s.Add(a.Add(b.Scale(10)).Square()).Add(c.Sub(d).Square().Scale(5))
		s = s.Add(b.Sub(c.Scale(2)).PowInt(4)).Add(a.Sub(d).PowInt(4).Scale(10))
	}
	return s
}

// ExtendedRosenbrock is the chained function Σ (1 − xᵢ)² + 100(xᵢ₊₁ − xᵢ²)², as
// in gonum, not the one in separate pairs of Moré, Garbow and Hillstrom.
func ExtendedRosenbrock[T dual.Scalar[T]](x []T) T {
	var s T
	for i := range len(x) - 1 {
		s = s.Add(x[i].RSub(1).Square()).Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
	}
	return s
}

// Gaussian fits x₀ exp(−x₁(t − x₂)²/2) to 15 ordinates of the normal density.
func Gaussian[T dual.Scalar[T]](x []T) T {
	y := []float64{0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989}
	var s T
	for i := 1; i <= 15; i++ {
		d := x[2].RSub(0.5 * float64(8-i)).Square()
		s = s.Add(x[0].Mul(x[1].Mul(d).Scale(-0.5).Exp()).SubReal(y[min(i, 16-i)-1]).Square())
	}
	return s
}

// GulfResearchAndDevelopment is Σ (exp(−|yᵢ − x₁|^x₂/x₀) − tᵢ)²,
// yᵢ = 25 + (−50 ln tᵢ)^⅔, tᵢ = 0.01 … 0.99.
func GulfResearchAndDevelopment[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 1; i <= 99; i++ {
		t := float64(i) / 100
		r := x[1].RSub(math.Pow(-50*math.Log(t), 2.0/3) + 25)
		s = s.Add(r.Abs().Pow(x[2]).Div(x[0]).Neg().Exp().SubReal(t).Square())
	}
	return s
}

// HelicalValley is 100(x₂ − 10θ)² + 100(r − 1)² + x₂², x₀ = r cos 2πθ,
// x₁ = r sin 2πθ. The angle jumps at x₀ = 0, x₁ < 0: a branch.
func HelicalValley[T dual.Scalar[T]](x []T) T {
	theta := x[1].Div(x[0]).Atan().Scale(0.5 / math.Pi)
	if x[0].LessReal(0) {
		theta = theta.AddReal(0.5)
	}
	a := x[2].Sub(theta.Scale(10)).Scale(10)
	b := x[0].Hypot(x[1]).SubReal(1).Scale(10)
	return a.Square().Add(b.Square()).Add(x[2].Square())
}

// Linear is Σ xᵢ.
func Linear[T dual.Scalar[T]](x []T) T { return dual.Sum(x) }

// PenaltyI is 10⁻⁵ Σ (xᵢ − 1)² + (Σ xᵢ² − ¼)².
func PenaltyI[T dual.Scalar[T]](x []T) T {
	var s T
	for _, x := range x {
		s = s.Add(x.SubReal(1).Square())
	}
	return s.Scale(1e-5).Add(dual.Dot(x, x).SubReal(0.25).Square())
}

// PenaltyII is 10⁻⁵ Σ (eᵢ + eᵢ₋₁ − yᵢ)² + (eᵢ − exp −0.1)² over i = 1 … n−1, and
// (x₀ − 0.2)² + (Σ (n−i)xᵢ² − 1)², eᵢ being exp(xᵢ/10).
func PenaltyII[T dual.Scalar[T]](x []T) T {
	var s, ball T
	for i := 1; i < len(x); i++ {
		y := math.Exp(float64(i+1)/10) + math.Exp(float64(i)/10)
		e := x[i].Scale(0.1).Exp()
		s = s.Add(e.Add(x[i-1].Scale(0.1).Exp()).SubReal(y).Square())
		s = s.Add(e.SubReal(math.Exp(-0.1)).Square())
	}
	for i, xi := range x {
		ball = ball.Add(xi.Square().Scale(float64(len(x) - i)))
	}
	return s.Scale(1e-5).Add(x[0].SubReal(0.2).Square()).Add(ball.SubReal(1).Square())
}

// PowellBadlyScaled is (10⁴x₀x₁ − 1)² + (e⁻ˣ⁰ + e⁻ˣ¹ − 1.0001)².
func PowellBadlyScaled[T dual.Scalar[T]](x []T) T {
	a := x[0].Mul(x[1]).Scale(1e4).SubReal(1)
	b := x[0].Neg().Exp().Add(x[1].Neg().Exp()).SubReal(1.0001)
	return a.Square().Add(b.Square())
}

// Sphere is Σ xᵢ².
func Sphere[T dual.Scalar[T]](x []T) T { return dual.Dot(x, x) }

// Trigonometric is Σ (n + i(1 − cos xᵢ) − sin xᵢ − Σ cos xⱼ)², i = 1 … n.
func Trigonometric[T dual.Scalar[T]](x []T) T {
	var cos, s T
	for _, x := range x {
		cos = cos.Add(x.Cos())
	}
	for i, xi := range x {
		r := xi.Cos().Scale(float64(i + 1)).Add(xi.Sin()).Add(cos)
		s = s.Add(r.RSub(float64(len(x) + i + 1)).Square())
	}
	return s
}

// VariablyDimensioned is Σ (xᵢ − 1)² + s² + s⁴, s = Σ i(xᵢ − 1).
func VariablyDimensioned[T dual.Scalar[T]](x []T) T {
	var f, s T
	for i, x := range x {
		d := x.SubReal(1)
		f = f.Add(d.Square())
		s = s.Add(d.Scale(float64(i + 1)))
	}
	s = s.Square()
	return f.Add(s).Add(s.Square())
}

// Watson is Σ (p′(t) − p(t)² − 1)² + x₀² + (x₁ − x₀² − 1)², p the polynomial
// with the coefficients x, t = 1/29 … 1.
func Watson[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 1; i <= 29; i++ {
		t := float64(i) / 29
		var p, d T
		power := 1.0 // tʲ
		for j, xj := range x {
			p = p.Add(xj.Scale(power))
			if j+1 < len(x) {
				d = d.Add(x[j+1].Scale(float64(j+1) * power))
			}
			power *= t
		}
		s = s.Add(d.Sub(p.Square()).SubReal(1).Square())
	}
	return s.Add(x[0].Square()).Add(x[1].Sub(x[0].Square()).SubReal(1).Square())
}

// Wood is 100(x₁ − x₀²)² + (1 − x₀)² + 90(x₃ − x₂²)² + (1 − x₂)²
// + 10(x₁ + x₃ − 2)² + 0.1(x₁ − x₃)².
func Wood[T dual.Scalar[T]](x []T) T {
	s := x[1].Sub(x[0].Square()).Square().Scale(100).Add(x[0].RSub(1).Square())
	s = s.Add(x[3].Sub(x[2].Square()).Square().Scale(90)).Add(x[2].RSub(1).Square())
	return s.Add(x[1].Add(x[3]).SubReal(2).Square().Scale(10)).Add(x[1].Sub(x[3]).Square().Scale(0.1))
}
