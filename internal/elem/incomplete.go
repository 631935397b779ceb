package elem

import (
	"math"
	"sync"
)

// The regularized incomplete gamma and beta functions,
//
//	P(a, x)    = 1/Γ(a)   ∫₀ˣ tᵃ⁻¹e⁻ᵗ dt
//	I(a, b, x) = 1/B(a, b) ∫₀ˣ tᵃ⁻¹(1−t)ᵇ⁻¹ dt,
//
// and all their partial derivatives. One with respect to a or b puts a factor
// into the integral, a polynomial in ln t − E ln t (DLMF 8.2.4, 8.17.1 under the
// integral sign; E is the mean over all t). With the variable w = ln t or
// ln t/(1−t), measured from the maximum of the integrand, that is exp(E(w)) with
// a concave E, and neither E nor the factor cancels where the integral has its
// mass. The integral over all t of a derivative is 0: it is taken over that side
// of x on which the first derivative has one sign. Below 1, where derivatives of
// 1/Γ(a) cancel, a/Γ(a+1) takes its place, the factor a by the product rule.
//
// The quadrature is the double exponential one for half a line (Takahasi and
// Mori, Double exponential formulas for numerical integration, Publ. RIMS 9,
// 1974): trapezoidal after s = exp(τ − e⁻ᵗ), halved until it has converged.

// RegIncGamma is ∂ⁱ⁺ʲP/∂aⁱ∂xʲ at a > 0, x ≥ 0, elsewhere NaN.
func RegIncGamma(a, x float64, i, j int) float64 {
	switch {
	case !(a > 0 && x >= 0) || a > math.MaxFloat64 && x > math.MaxFloat64:
		return math.NaN()
	case a > math.MaxFloat64, x > math.MaxFloat64:
		if i == 0 && j == 0 && x > a {
			return 1
		}
		return 0
	case x == 0:
		return atZero(a, i, j, func(n int) float64 { // of e⁻ˣ/Γ(a)
			v := 1 / math.Gamma(a)
			for k := range n {
				v /= -float64(k + 1)
			}
			return v
		})
	}
	w := logRatio(x, a)
	deviation := w + lnMinusPsi(a) // from the mean of ln t: ln x − ψ(a), for a < 1 ln x − ψ(a+1)
	if a < 1 {
		deviation = Log(x) - math.Log1p(a) + lnMinusPsi(a+1)
	}
	psi := polygammas(a, i)
	// factor is ∂ⁱ∂ʲ⁻¹ of the density over the density, l being ln t − ln x.
	factor := func(l float64, j int) float64 {
		g := func(n [3]int) float64 {
			switch m, k := n[0], n[1]; {
			case k == 0 && m == 1:
				return deviation + l
			case k == 0:
				return -psi[m-1]
			case m > 1:
				return 0
			case m == 1:
				return powerDerivative(x, k)
			case k == 1:
				return (a - 1 - x) / x
			default:
				return (a - 1) * powerDerivative(x, k)
			}
		}
		f := expDerivative([3]int{i, j}, g)
		if a < 1 && i > 0 {
			f += float64(i) / a * expDerivative([3]int{i - 1, j}, g)
		}
		return f
	}
	if j > 0 {
		return scaledGamma(a) * math.Exp(a*w-(x-a)) / x * factor(0, j-1)
	}
	upper := deviation > 0 || a < 1 && deviation+1/a > 0
	return oneSide(upper, i == 0, func(sign float64) float64 {
		return scaledGamma(a) * halfLine(math.Abs(x-a), x, func(s float64) (e, f float64) {
			l := sign * s
			if t := w + l; math.Abs(t) > 0.5 {
				return -(x*math.Exp(l) - a - a*t), factor(l, 0)
			}
			return -a * expm1Rest(w+l), factor(l, 0)
		})
	})
}

// RegIncBeta is ∂ⁱ⁺ʲ⁺ᵏI/∂aⁱ∂bʲ∂xᵏ at a, b > 0, 0 ≤ x ≤ 1, elsewhere NaN.
func RegIncBeta(a, b, x float64, i, j, k int) float64 {
	switch {
	case !(a > 0 && b > 0 && x >= 0 && x <= 1 && a <= math.MaxFloat64 && b <= math.MaxFloat64):
		return math.NaN()
	case x == 1: // I(a, b, x) = 1 − I(b, a, 1−x)
		v := RegIncBeta(b, a, 0, j, i, k)
		if k%2 == 0 {
			v = -v
		}
		if i+j+k == 0 {
			v++
		}
		return v
	}
	d := &betaDensity{
		a: a, b: b, x: x, p: a / (a + b), q: b / (a + b), lnP: -math.Log1p(b / a), lnQ: -math.Log1p(a / b),
		psi: polygammas(a+b, i+j), psiA: polygammaDifferences(a, b, i), psiB: polygammaDifferences(b, a, j),
	}
	if x == 0 {
		return betaAtZero(d, i, j, k)
	}
	scale := scaledGamma(a) * (scaledGamma(b) / scaledGamma(a+b))
	w := math.Log(x / (1 - x) * (b / a))
	if r := math.FMA(x, a, math.FMA(x, b, -a)) / ((1 - x) * a); math.Abs(r) < 0.5 {
		w = math.Log1p(r)
	}
	if k > 0 {
		e, _, _ := betaExponent(d, w, i+j > 0)
		return scale * math.Exp(e) / x / (1 - x) * betaFactor(d, Log(x), math.Log1p(-x), i, j, k-1)
	}
	upper := w > 0
	switch {
	case i > 0 && j == 0:
		upper = Log(x) > Polygamma(a, 0)-Polygamma(a+b, 0)
	case j > 0 && i == 0:
		upper = math.Log1p(-x) < Polygamma(b, 0)-Polygamma(a+b, 0)
	}
	return oneSide(upper, i+j == 0, func(sign float64) float64 {
		return scale * halfLine(math.Abs(a-(a+b)*x), (a+b)*x*(1-x), func(s float64) (e, f float64) {
			e, lt, lu := betaExponent(d, w+sign*s, i+j > 0)
			return e, betaFactor(d, lt, lu, i, j, 0)
		})
	})
}

// A betaDensity is the integrand of I(a, b, x) at x, with what its derivatives take.
type betaDensity struct {
	a, b, x    float64
	p, q       float64 // a/(a+b), b/(a+b)
	lnP, lnQ   float64
	psi        []float64 // polygammas of a+b
	psiA, psiB []float64 // polygammaDifferences of a and of b
}

// betaLogDerivative is the derivative of order n in a, b and x of the logarithm of the
// density, la and lb being ln t and ln(1−t).
func betaLogDerivative(d *betaDensity, la, lb float64, n [3]int) float64 {
	switch i, j, k := n[0], n[1], n[2]; {
	case k > 0 && i+j > 1:
		return 0
	case k > 0 && i == 1:
		return powerDerivative(d.x, k)
	case k > 0 && j == 1:
		return alternate(k) * powerDerivative(1-d.x, k)
	case k > 0:
		return (d.a-1)*powerDerivative(d.x, k) + alternate(k)*(d.b-1)*powerDerivative(1-d.x, k)
	case i == 1 && j == 0:
		return la + d.psiA[0]
	case i == 0 && j == 1:
		return lb + d.psiB[0]
	case j == 0:
		return d.psiA[i-1]
	case i == 0:
		return d.psiB[j-1]
	default:
		return d.psi[i+j-1]
	}
}

// betaFactor is ∂ⁱ∂ʲ∂ᵏ of the density over the density: of exp(betaLogDerivative), and
// of the factors a, b and 1/(a+b) of densities of parameters below 1, in turn.
func betaFactor(d *betaDensity, la, lb float64, i, j, k int) float64 {
	a, b := d.a, d.b
	plain := func(i, j int) float64 {
		return expDerivative([3]int{i, j, k}, func(n [3]int) float64 { return betaLogDerivative(d, la, lb, n) })
	}
	timesA := func(i, j int) float64 {
		f := plain(i, j)
		if a < 1 && i > 0 {
			f += float64(i) / a * plain(i-1, j)
		}
		return f
	}
	timesB := func(i, j int) float64 {
		f := timesA(i, j)
		if b < 1 && j > 0 {
			f += float64(j) / b * timesA(i, j-1)
		}
		return f
	}
	var overSum func(i, j int) float64
	overSum = func(i, j int) float64 {
		f := timesB(i, j)
		if a+b < 1 && i > 0 {
			f -= float64(i) / (a + b) * overSum(i-1, j)
		}
		if a+b < 1 && j > 0 {
			f -= float64(j) / (a + b) * overSum(i, j-1)
		}
		return f
	}
	return overSum(i, j)
}

// betaExponent is E and ln t, ln(1−t) at w from the maximum; the logarithms, which
// derivatives take, far from there by another formula.
func betaExponent(d *betaDensity, w float64, derivative bool) (e, lt, lu float64) {
	var s float64
	if d.p <= 0.5 {
		e, s = mix(d.p, w)
		lt, lu = w-s+d.lnP, -s+d.lnQ
	} else {
		e, s = mix(d.q, -w)
		lt, lu = -s+d.lnP, -w-s+d.lnQ
	}
	if math.Abs(w) > 0.5 && derivative {
		logit := w + d.lnP - d.lnQ
		lt, lu = -Softplus(-logit), -Softplus(logit)
	}
	return -(d.a + d.b) * e, lt, lu
}

// betaAtZero is the derivative at x = 0.
func betaAtZero(d *betaDensity, i, j, k int) float64 {
	a, b := d.a, d.b
	v := math.Exp(lgamma(a+b) - lgamma(a) - lgamma(b))
	if j > 0 && i == 0 && a == float64(k) { // of 1/B(a, b)
		return v * factorial(k-1) * betaFactor(d, 0, 0, i, j, 0)
	}
	return atZero(a, i, k, func(n int) float64 { // of (1−x)ᵇ⁻¹/B(a, b)
		for l := range n {
			v *= (float64(l+1) - b) / float64(l+1)
		}
		return v
	})
}

// oneSide is the integral over the lower side, by that over one of them: both
// together are 1 for the function, of which the smaller one is taken, and 0 for
// a derivative.
func oneSide(upper, whole bool, integral func(sign float64) float64) float64 {
	if !upper {
		if v := integral(-1); !whole || v <= 0.5 {
			return v
		}
		return 1 - integral(1)
	}
	v := integral(1)
	switch {
	case !whole:
		return -v
	case v <= 0.5:
		return 1 - v
	}
	return integral(-1)
}

// halfLine is ∫₀^∞ exp(e(s))·f(s) ds for a concave e that has the given slope
// and curvature, but for the sign, at 0.
func halfLine(slope, curvature float64, at func(s float64) (e, f float64)) float64 {
	scale := 2 / (slope + math.Sqrt(slope*slope+2*curvature))
	// sum adds the terms of a level.
	sum := func(level int) (total, size float64) {
		lost := 0.0 // by rounding
		for _, n := range quadrature(level) {
			e, f := at(scale * n.s)
			term := math.Exp(e) * n.w
			if n.s > 1 && term*(1+math.Abs(f)) <= 1e-20*size {
				return total + lost, size
			}
			term *= f
			size += math.Abs(term)
			next := total + term
			if math.Abs(total) >= math.Abs(term) {
				lost += (total - next) + term
			} else {
				lost += (term - next) + total
			}
			total = next
		}
		return math.NaN(), size // beyond the last node
	}
	// Half the step raises an error ε to ε^1.4 or less. Two differences must say
	// that it is below 2⁻⁵⁸: one alone may be small by chance.
	total, size := sum(0)
	last := 1.0
	for level := 1; ; level++ {
		more, moreSize := sum(level)
		total, size = total+more, size+moreSize
		difference := math.Abs(total-2*more) / size
		if difference <= 0x1p-42 && last <= 0x1p-20 || level == maxLevel || total != total {
			return scale * total * math.Ldexp(coarsest, -level)
		}
		last = difference
	}
}

// quadNode is a point of the half line and its weight.
type quadNode struct{ s, w float64 }

const (
	coarsest = 0.25 // step of the coarsest sum in τ
	maxLevel = 8    // it is halved so often
)

var quadratures = func() (q [maxLevel + 1]func() []quadNode) {
	for level := range q {
		q[level] = sync.OnceValue(func() []quadNode {
			const first, last = -3.9, 120 // s below is nothing
			step, tau := math.Ldexp(coarsest, 1-level), first+math.Ldexp(coarsest, -level)
			if level == 0 {
				step, tau = coarsest, first
			}
			var nodes []quadNode
			for ; tau < last; tau += step {
				d := math.Exp(-tau)
				s := math.Exp(tau - d)
				nodes = append(nodes, quadNode{s, s * (1 + d)})
			}
			return nodes
		})
	}
	return q
}()

// quadrature is the nodes of a level that the coarser ones do not have.
func quadrature(level int) []quadNode { return quadratures[level]() }

// expDerivative is the derivative ∂ⁿ of exp g, over exp g, of the derivatives of
// g: by the rule of products for ∂(exp g) = ∂g·exp g.
func expDerivative(n [3]int, g func(n [3]int) float64) float64 {
	axis := 0
	for axis < 3 && n[axis] == 0 {
		axis++
	}
	if axis == 3 {
		return 1
	}
	n[axis]--
	sum := 0.0
	var m [3]int
	for m[0] = 0; m[0] <= n[0]; m[0]++ {
		for m[1] = 0; m[1] <= n[1]; m[1]++ {
			for m[2] = 0; m[2] <= n[2]; m[2]++ {
				up, rest := m, n
				up[axis]++
				c := 1.0
				for d := range m {
					rest[d] -= m[d]
					c *= binomial(n[d], m[d])
				}
				sum += float64(c * g(up) * expDerivative(rest, g))
			}
		}
	}
	return sum
}

func binomial(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

func factorial(n int) float64 {
	f := 1.0
	for i := 2; i <= n; i++ {
		f *= float64(i)
	}
	return f
}

func alternate(n int) float64 { return 1 - 2*float64(n&1) }

// powerDerivative is the derivative of order n > 0 of ln x.
func powerDerivative(x float64, n int) float64 {
	return alternate(n-1) * factorial(n-1) / math.Pow(x, float64(n))
}

// polygammas is ψ⁽⁰⁾(a), …, ψ⁽ⁿ⁻¹⁾(a), the first one left out, at a+1 for a < 1.
func polygammas(a float64, n int) []float64 {
	if a < 1 {
		a++
	}
	p := make([]float64, max(n, 1))
	for k := 1; k < n; k++ {
		p[k] = Polygamma(a, k)
	}
	return p
}

// polygammaDifferences is ψ⁽ᵏ⁾(a+b) − ψ⁽ᵏ⁾(a), k < n, in which an argument below 1
// is increased by 1.
func polygammaDifferences(a, b float64, n int) []float64 {
	h := b
	if a+b < 1 {
		h++
	}
	if a < 1 {
		a, h = a+1, h-1
	}
	p := make([]float64, n)
	for k := range p {
		p[k] = polygammaDifference(a, h, k)
	}
	return p
}

// polygammaDifference is ψ⁽ⁿ⁾(x+h) − ψ⁽ⁿ⁾(x), x > 0, h > −x, with the digits of h:
// the formula of polygammaPos, with a difference of powers in place of each power.
func polygammaDifference(x, h float64, n int) float64 {
	power := func(p float64) float64 { return math.Pow(x, -p) * math.Expm1(-p*math.Log1p(h/x)) }
	nf := float64(n)
	f := factorial(n)
	sum := 0.0
	for ; x < 10+2*nf; x++ {
		sum += f * power(nf+1)
	}
	sum += f / 2 * power(nf+1)
	r := f * (nf + 1) / 2 // (n+2k−1)!/(2k)!
	for i, b := range bernoulli {
		k := float64(2 * (i + 1))
		sum += b * r * power(k+nf)
		r *= (nf + k) / (k + 1) * (nf + k + 1) / (k + 2)
	}
	if n == 0 {
		return math.Log1p(h/x) - sum
	}
	return alternate(n+1) * (sum + f/nf*power(nf))
}

// atZero is ∂ⁱ⁺ʲ/∂aⁱ∂xʲ of ∫ xᵃ⁻¹φ(x) dx at x = 0, where coefficient(n) is the
// Taylor coefficient of φ of order n: the limit from x > 0.
func atZero(a float64, i, j int, coefficient func(n int) float64) float64 {
	if j == 0 || a > float64(j) {
		return 0
	}
	c, d := 1.0, 1.0 // ∏ (a−m), m < j, and its derivative where it is 0
	for m := 1; m < j; m++ {
		if f := a - float64(m); f != 0 {
			c *= f
			d *= f
		} else {
			c = 0
		}
	}
	switch {
	case i == 0 && a == math.Floor(a):
		return factorial(j-1) * coefficient(j-int(a))
	case c == 0:
		return math.Copysign(math.Inf(1), d*alternate(i-1))
	}
	return math.Copysign(math.Inf(1), c*alternate(i))
}

// logRatio is ln x/y.
func logRatio(x, y float64) float64 {
	if d := (x - y) / y; math.Abs(d) < 0.5 {
		return math.Log1p(d)
	}
	if q := x / y; normal(q) {
		return math.Log(q)
	}
	return Log(x) - Log(y)
}

// mix is s = ln(1 − p + p·eʷ), 0 < p < 1, and e = s − p·w.
func mix(p, w float64) (e, s float64) {
	switch y := p * math.Expm1(w); {
	case w > 500:
		s = w + Log(p)
	case math.Abs(w) < 0.5:
		return p*expm1Rest(w) + log1pRest(y), math.Log1p(y)
	default:
		s = math.Log1p(y)
	}
	return s - p*w, s
}

// expm1Rest is eˣ − 1 − x.
func expm1Rest(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Expm1(x) - x
	}
	s := 0.0
	for k := 15.0; k >= 2; k-- {
		s = (s*x + 1) / k
	}
	return s * x * x
}

// log1pRest is ln(1+x) − x = −rx + 2(r³/3 + r⁵/5 + …), r = x/(2+x).
func log1pRest(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Log1p(x) - x
	}
	r := x / (2 + x)
	s := 0.0
	for k := 25.0; k >= 3; k -= 2 {
		s = s*r*r + 1/k
	}
	return r * (2*s*r*r - x)
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// scaledGamma is aᵃe⁻ᵃ/Γ(a) = √(a/2π)·exp(−μ(a)), with μ that of Stirling's
// series (DLMF 5.11.1) from a = 10 on.
func scaledGamma(a float64) float64 {
	switch {
	case a < 1:
		return a * math.Exp(a*Log(a)-a) / math.Gamma(1+a)
	case a < 10:
		return Pow(a, a) * math.Exp(-a) / math.Gamma(a)
	}
	mu, r := 0.0, 1/a
	for k, b := range bernoulli {
		mu += b / float64((2*k+2)*(2*k+1)) * r
		r /= a * a
	}
	return math.Sqrt(a/(2*math.Pi)) * math.Exp(-mu)
}

// lnMinusPsi is ln a − ψ(a) (DLMF 5.11.2, 5.5.2), without the cancellation of both
// for large a.
func lnMinusPsi(a float64) float64 {
	sum := 0.0
	for ; a < 10; a++ {
		sum += 1/a - math.Log1p(1/a)
	}
	sum += 0.5 / a
	r := 1 / a / a
	for k, b := range bernoulli {
		sum += b / float64(2*k+2) * r
		r /= a * a
	}
	return sum
}
