package classics

import "math"

// Beale is Σ (yᵢ − x₀(1 − x₁ⁱ))², i = 1 … 3, y = (1.5, 2.25, 2.625).
func Beale(x []float64) float64 {
	s := 0.0
	for i, y := range []float64{1.5, 2.25, 2.625} {
		r := y - x[0]*(1-power(x[1], i+1))
		s += r * r
	}
	return s
}

// biggs is Σ (aᵢ − yᵢ)² over m points zᵢ = i/10 of the model
// a = c₀e⁻ᵏ⁰ᶻ − c₁e⁻ᵏ¹ᶻ + c₂e⁻ᵏ²ᶻ, whose last term may be missing; y is the model
// at k = (1, 10, 4), c = (1, 5, 3).
func biggs(m int, k, c []float64) float64 {
	sign, k0, c0 := []float64{1, -1, 1}, []float64{1, 10, 4}, []float64{1, 5, 3}
	s := 0.0
	for i := 1; i <= m; i++ {
		z := float64(i) / 10
		r, y := 0.0, 0.0
		for j := range k {
			r += sign[j] * c[j] * math.Exp(-z*k[j])
			y += sign[j] * c0[j] * math.Exp(-z*k0[j])
		}
		r -= y
		s += r * r
	}
	return s
}

// BiggsEXP2 fits the exponents of e⁻ˣ⁰ᶻ − 5e⁻ˣ¹ᶻ.
func BiggsEXP2(x []float64) float64 { return biggs(10, x, []float64{1, 5}) }

// BiggsEXP3 fits e⁻ˣ⁰ᶻ − x₂e⁻ˣ¹ᶻ.
func BiggsEXP3(x []float64) float64 { return biggs(10, x[:2], []float64{1, x[2]}) }

// BiggsEXP4 fits x₂e⁻ˣ⁰ᶻ − x₃e⁻ˣ¹ᶻ.
func BiggsEXP4(x []float64) float64 { return biggs(10, x[:2], x[2:]) }

// BiggsEXP5 fits x₂e⁻ˣ⁰ᶻ − x₃e⁻ˣ¹ᶻ + 3e⁻ˣ⁴ᶻ.
func BiggsEXP5(x []float64) float64 {
	return biggs(11, []float64{x[0], x[1], x[4]}, []float64{x[2], x[3], 3})
}

// BiggsEXP6 fits x₂e⁻ˣ⁰ᶻ − x₃e⁻ˣ¹ᶻ + x₅e⁻ˣ⁴ᶻ.
func BiggsEXP6(x []float64) float64 {
	return biggs(13, []float64{x[0], x[1], x[4]}, []float64{x[2], x[3], x[5]})
}

// Box3D is Σ (e⁻ˣ⁰ᶻ − e⁻ˣ¹ᶻ − x₂(e⁻ᶻ − e⁻¹⁰ᶻ))², z = 0.1 … 1.
func Box3D(x []float64) float64 {
	s := 0.0
	for i := 1; i <= 10; i++ {
		z := float64(i) / 10
		r := math.Exp(-z*x[0]) - math.Exp(-z*x[1]) - x[2]*(math.Exp(-z)-math.Exp(-10*z))
		s += r * r
	}
	return s
}

// BrownAndDennis is Σ ((x₀ + cx₁ − eᶜ)² + (x₂ + x₃ sin c − cos c)²)², c = 0.2 … 4.
func BrownAndDennis(x []float64) float64 {
	s := 0.0
	for i := 1; i <= 20; i++ {
		c := float64(i) / 5
		a := x[0] + c*x[1] - math.Exp(c)
		b := x[2] + x[3]*math.Sin(c) - math.Cos(c)
		r := a*a + b*b
		s += r * r
	}
	return s
}

// BrownBadlyScaled is (x₀ − 10⁶)² + (x₁ − 2·10⁻⁶)² + (x₀x₁ − 2)².
func BrownBadlyScaled(x []float64) float64 {
	a, b, c := x[0]-1e6, x[1]-2e-6, x[0]*x[1]-2
	return a*a + b*b + c*c
}

// ExtendedPowellSingular is, over groups of four,
// Σ (a + 10b)² + 5(c − d)² + (b − 2c)⁴ + 10(a − d)⁴. Its Hessian at the minimum
// is singular.
func ExtendedPowellSingular(x []float64) float64 {
	s := 0.0
	for i := 0; i < len(x); i += 4 {
		a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
		s += (a+10*b)*(a+10*b) + 5*(c-d)*(c-d)
		s += power(b-2*c, 4) + 10*power(a-d, 4)
	}
	return s
}

// ExtendedRosenbrock is the chained function Σ (1 − xᵢ)² + 100(xᵢ₊₁ − xᵢ²)², as
// in gonum, not the one in separate pairs of Moré, Garbow and Hillstrom.
func ExtendedRosenbrock(x []float64) float64 {
	s := 0.0
	for i := range len(x) - 1 {
		a, b := 1-x[i], x[i+1]-x[i]*x[i]
		s += a*a + 100*b*b
	}
	return s
}

// Gaussian fits x₀ exp(−x₁(t − x₂)²/2) to 15 ordinates of the normal density.
func Gaussian(x []float64) float64 {
	y := []float64{0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989}
	s := 0.0
	for i := 1; i <= 15; i++ {
		d := 0.5*float64(8-i) - x[2]
		r := x[0]*math.Exp(-x[1]*d*d/2) - y[min(i, 16-i)-1]
		s += r * r
	}
	return s
}

// GulfResearchAndDevelopment is Σ (exp(−|yᵢ − x₁|^x₂/x₀) − tᵢ)²,
// yᵢ = 25 + (−50 ln tᵢ)^⅔, tᵢ = 0.01 … 0.99.
func GulfResearchAndDevelopment(x []float64) float64 {
	s := 0.0
	for i := 1; i <= 99; i++ {
		t := float64(i) / 100
		y := 25 + math.Pow(-50*math.Log(t), 2.0/3)
		r := math.Exp(-math.Pow(math.Abs(y-x[1]), x[2])/x[0]) - t
		s += r * r
	}
	return s
}

// HelicalValley is 100(x₂ − 10θ)² + 100(r − 1)² + x₂², x₀ = r cos 2πθ,
// x₁ = r sin 2πθ. The angle jumps at x₀ = 0, x₁ < 0: a branch.
func HelicalValley(x []float64) float64 {
	theta := math.Atan(x[1]/x[0]) / (2 * math.Pi)
	if x[0] < 0 {
		theta += 0.5
	}
	a := 10 * (x[2] - 10*theta)
	b := 10 * (math.Hypot(x[0], x[1]) - 1)
	return a*a + b*b + x[2]*x[2]
}

// Linear is Σ xᵢ.
func Linear(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// PenaltyI is 10⁻⁵ Σ (xᵢ − 1)² + (Σ xᵢ² − ¼)².
func PenaltyI(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += (v - 1) * (v - 1)
	}
	ball := Sphere(x) - 0.25
	return 1e-5*s + ball*ball
}

// PenaltyII is 10⁻⁵ Σ (eᵢ + eᵢ₋₁ − yᵢ)² + (eᵢ − exp −0.1)² over i = 1 … n−1, and
// (x₀ − 0.2)² + (Σ (n−i)xᵢ² − 1)², eᵢ being exp(xᵢ/10).
func PenaltyII(x []float64) float64 {
	s, ball := 0.0, -1.0
	for i := 1; i < len(x); i++ {
		y := math.Exp(float64(i+1)/10) + math.Exp(float64(i)/10)
		e := math.Exp(x[i] / 10)
		a, b := e+math.Exp(x[i-1]/10)-y, e-math.Exp(-0.1)
		s += a*a + b*b
	}
	for i, v := range x {
		ball += float64(len(x)-i) * v * v
	}
	return 1e-5*s + (x[0]-0.2)*(x[0]-0.2) + ball*ball
}

// PowellBadlyScaled is (10⁴x₀x₁ − 1)² + (e⁻ˣ⁰ + e⁻ˣ¹ − 1.0001)².
func PowellBadlyScaled(x []float64) float64 {
	a := 1e4*x[0]*x[1] - 1
	b := math.Exp(-x[0]) + math.Exp(-x[1]) - 1.0001
	return a*a + b*b
}

// Sphere is Σ xᵢ².
func Sphere(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}

// Trigonometric is Σ (n + i(1 − cos xᵢ) − sin xᵢ − Σ cos xⱼ)², i = 1 … n.
func Trigonometric(x []float64) float64 {
	cos, s := 0.0, 0.0
	for _, v := range x {
		cos += math.Cos(v)
	}
	for i, v := range x {
		r := float64(len(x)+i+1) - (float64(i+1)*math.Cos(v) + math.Sin(v) + cos)
		s += r * r
	}
	return s
}

// VariablyDimensioned is Σ (xᵢ − 1)² + s² + s⁴, s = Σ i(xᵢ − 1).
func VariablyDimensioned(x []float64) float64 {
	f, s := 0.0, 0.0
	for i, v := range x {
		d := v - 1
		f += d * d
		s += float64(i+1) * d
	}
	s *= s
	return f + s + s*s
}

// Watson is Σ (p′(t) − p(t)² − 1)² + x₀² + (x₁ − x₀² − 1)², p the polynomial
// with the coefficients x, t = 1/29 … 1.
func Watson(x []float64) float64 {
	s := 0.0
	for i := 1; i <= 29; i++ {
		t := float64(i) / 29
		p, d := 0.0, 0.0
		tj := 1.0 // tʲ
		for j, v := range x {
			p += tj * v
			if j+1 < len(x) {
				d += float64(j+1) * tj * x[j+1]
			}
			tj *= t
		}
		r := d - p*p - 1
		s += r * r
	}
	r := x[1] - x[0]*x[0] - 1
	return s + x[0]*x[0] + r*r
}

// Wood is 100(x₁ − x₀²)² + (1 − x₀)² + 90(x₃ − x₂²)² + (1 − x₂)²
// + 10(x₁ + x₃ − 2)² + 0.1(x₁ − x₃)².
func Wood(x []float64) float64 {
	a, b, c, d := x[1]-x[0]*x[0], 1-x[0], x[3]-x[2]*x[2], 1-x[2]
	e, f := x[1]+x[3]-2, x[1]-x[3]
	return 100*a*a + b*b + 90*c*c + d*d + 10*e*e + 0.1*f*f
}

// power is xⁿ, n > 0.
func power(x float64, n int) float64 {
	p := x
	for range n - 1 {
		p *= x
	}
	return p
}
