package elem

import "math"

const twoOverSqrtPi = 2 / math.SqrtPi

func ErfD(x, v float64) float64     { return twoOverSqrtPi * math.Exp(-x*x) }
func ErfDD(x, v, d float64) float64 { return -2 * Prod(x, d) }

func ErfcD(x, v float64) float64     { return -twoOverSqrtPi * math.Exp(-x*x) }
func ErfcDD(x, v, d float64) float64 { return -2 * Prod(x, d) }

func GammaD(x, v float64) float64 { return Prod(v, Polygamma(x, 0)) }
func GammaDD(x, v, d float64) float64 {
	return Prod(d, Polygamma(x, 0)) + Prod(v, Polygamma(x, 1))
}

// LogGamma is ln |Γ(x)|. Just below 0, where the reflection of package math
// cancels, the recurrence takes it to x + 1.
func LogGamma(x float64) float64 {
	if x < 0 && x > -0.5 {
		v, _ := math.Lgamma(1 + x)
		return v - Log(-x)
	}
	v, _ := math.Lgamma(x)
	return v
}

func LogGammaD(x, v float64) float64     { return Polygamma(x, 0) }
func LogGammaDD(x, v, d float64) float64 { return Polygamma(x, 1) }

func PolygammaD(x float64, n int, v float64) float64     { return Polygamma(x, n+1) }
func PolygammaDD(x float64, n int, v, d float64) float64 { return Polygamma(x, n+2) }

// Polygamma is ψ⁽ⁿ⁾(x), the derivative of order n+1 of ln Γ. At the pole ±0 it is
// ∓∞ for even n, +∞ for odd n; at the poles −1, −2, … it is NaN, as math.Gamma
// is. It panics if n < 0.
//
// Reflection (DLMF 5.15.6) takes x below 0 to 1 − x, the recurrence (5.15.5)
// small x to the asymptotic series (5.11.2, 5.15.8).
func Polygamma(x float64, n int) float64 {
	if n < 0 {
		panic("elem: negative order of polygamma")
	}
	switch {
	case x > 0:
		return polygammaPos(x, n)
	case x == 0 && n%2 == 0:
		return math.Inf(-1) * math.Copysign(1, x)
	case x == 0:
		return math.Inf(1)
	case x == math.Floor(x) || x != x:
		return math.NaN()
	}
	v := polygammaPos(1-x, n) - cotDerivative(x, n)
	if n%2 == 1 {
		return -v
	}
	return v
}

// bernoulli holds B₂, B₄, …, B₁₆.
var bernoulli = [...]float64{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510}

// polygammaPos is ψ⁽ⁿ⁾(x) for x > 0:
//
//	(−1)ⁿ⁺¹ψ⁽ⁿ⁾(x) = Σ_{k<m} n!/(x+k)ⁿ⁺¹ + (n−1)!/zⁿ·(1 + n·q(z)), z = x + m, n > 0
//	           ψ(x) = −Σ_{k<m} 1/(x+k) + ln z − q(z)
//	           q(z) ~ 1/2z + Σ_k B₂ₖ (n+1)⋯(n+2k−1)/(2k)!·z⁻²ᵏ
//
// From z = 10 + 2n on, the first term left out, k = 9, is below 2⁻⁵³ of the sum.
func polygammaPos(x float64, n int) float64 {
	if x > math.MaxFloat64 && n == 0 {
		return x
	}
	nf := float64(n)
	sum := 0.0
	for ; x < 10+2*nf; x++ {
		t := 1 / x
		for j := 1.0; j <= nf; j++ {
			t *= j / x
		}
		sum += t
	}
	q := 0.5 / x
	r := (nf + 1) / 2 / x / x // (n+1)⋯(n+2k−1)/(2k)!·x⁻²ᵏ
	for i, b := range bernoulli {
		q += float64(b * r)
		k := float64(2 * (i + 1))
		r *= (nf + k) / (k + 1) * (nf + k + 1) / (k + 2) / x / x
	}
	if n == 0 {
		return Log(x) - q - sum
	}
	t := 1 / x
	for j := 1.0; j < nf; j++ {
		t *= j / x
	}
	sum += float64(t * (1 + float64(nf*q)))
	if n%2 == 0 {
		return -sum
	}
	return sum
}

// cotDerivative is (−1)ⁿπ dⁿ/dxⁿ cot πx = πⁿ⁺¹Pₙ(cot πx), x no integer, with
// P₀(c) = c and Pₙ₊₁ = (1 + c²)Pₙ′, whose coefficients are all positive.
func cotDerivative(x float64, n int) float64 {
	// r is exact, and so is ½ − |r| where the cotangent is small.
	r := x - math.Round(x)
	var c float64
	if math.Abs(r) <= 0.25 {
		c = 1 / math.Tan(math.Pi*r)
	} else {
		c = math.Copysign(math.Tan(math.Pi*(0.5-math.Abs(r))), r)
	}
	// Pₖ has the powers k+1, k−1, …, those of Pₖ₊₁ lie between: one array.
	var buf [12]float64
	p := buf[:]
	if n+3 > len(buf) {
		p = make([]float64, n+3)
	}
	p[1] = 1
	for k := range n {
		for i := k + 2; i > 0; i -= 2 {
			p[i] = float64(float64(i+1)*p[i+1]) + float64(float64(i-1)*p[i-1])
		}
		p[0] = p[1]
	}
	v := 0.0
	for i := n + 1; i >= 0; i -= 2 {
		v = float64(v*c*c) + p[i]
	}
	if n%2 == 0 {
		v *= c
	}
	return math.Pow(math.Pi, float64(n+1)) * v
}
