package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// analytic is the function of x with the value v at x₀ and the first two derivatives d
// and dd there. recurrence fills z from z₁ on; where the function has no finite
// derivative, or x is infinite, its series is composed instead.
func (x Taylor) analytic(v, d, dd float64, recurrence func(z, x []float64)) Taylor {
	if x.c == nil {
		return Taylor{v: v}
	}
	if x.v-x.v != 0 || v-v != 0 || d-d != 0 {
		return x.compose(v, func(k int) float64 { return singular(d, dd, k) })
	}
	z := x.a.make()
	z[0] = v
	recurrence(z, x.c)
	return x.a.number(z)
}

// singular is the k-th derivative over k!, k ≥ 1, of a function whose first ones are d
// and dd where these are not finite or x is not: the derivatives are infinite from then
// on, with signs that alternate or stay, or vanish.
func singular(d, dd float64, k int) float64 {
	switch {
	case k == 1:
		return d
	case dd == 0:
		return 0
	case dd-dd == 0 && k > 2:
		return math.NaN()
	case k%2 == 0:
		return dd / 2
	}
	return d
}

// compose is Σ f(k)·(x − x₀)ᵏ of the value v, k ≥ 1, by Horner's rule.
func (x Taylor) compose(v float64, f func(k int) float64) Taylor {
	if x.c == nil {
		return Taylor{v: v}
	}
	z := x.a.Variable(0)
	h := x.withValue(0)
	for k := x.a.order; k > 0; k-- {
		z = z.AddReal(f(k)).product(h, 0)
	}
	return z.withValue(v)
}

// binomial is the k-th derivative of x^p over k!.
func binomial(x, p float64, k int) float64 {
	c := 1.0
	for j := range k {
		c *= (p - float64(j)) / float64(j+1)
	}
	if c == 0 {
		return 0
	}
	return c * elem.PowReal(x, p-float64(k))
}

// integral fills z with that of d·x′.
func integral(z, x, d []float64) {
	for k := 1; k < len(z); k++ {
		z[k] = sumOfDerivatives(x, d, k, k) / float64(k)
	}
}

// integrated is the function of x with the value v, the first derivatives d and dd at x₀,
// and the derivative that the function derivative gives at the polynomial.
func (x Taylor) integrated(v, d, dd float64, derivative func() Taylor) Taylor {
	return x.analytic(v, d, dd, func(z, x []float64) { integral(z, x, derivative().c) })
}

func (x Taylor) Sqrt() Taylor {
	v := elem.Sqrt(x.v)
	d := elem.SqrtD(x.v, v)
	return x.analytic(v, d, elem.SqrtDD(x.v, v, d), func(z, x []float64) {
		for k := 1; k < len(z); k++ {
			z[k] = (x[k] - sumOfProducts(z, z, k, 1, k-1)) / (2 * z[0])
		}
	})
}

func (x Taylor) Cbrt() Taylor {
	v := math.Cbrt(x.v)
	d := elem.CbrtD(x.v, v)
	return x.analytic(v, d, elem.CbrtDD(x.v, v, d), func(z, x []float64) { powers(z, x, 1./3) })
}

// powers fills z with x^p, from xz′ = px′z.
func powers(z, x []float64, p float64) {
	for k := 1; k < len(z); k++ {
		s := 0.0
		for j := 1; j <= k; j++ {
			s += float64((float64(p*float64(j)) - float64(k-j)) * x[j] * z[k-j])
		}
		z[k] = s / float64(k) / x[0]
	}
}

func (x Taylor) PowReal(p float64) Taylor {
	switch p {
	case 0:
		return Taylor{v: 1}
	case 1:
		return x
	case 2:
		return x.Square()
	case -1:
		return x.Inv()
	case 0.5:
		return x.Sqrt()
	}
	v := elem.PowReal(x.v, p)
	const small = 0x1p-900 // of a value from which later coefficients cannot be had
	ordinary := func(v float64) bool { return small < math.Abs(v) && math.Abs(v) < 1/small }
	switch {
	case x.c == nil:
		return Taylor{v: v}
	case p-p != 0 || v != v:
		d := elem.PowRealD(x.v, p, v)
		dd := elem.PowRealDD(x.v, p, v, d)
		return x.compose(v, func(k int) float64 { return singular(d, dd, k) })
	case p == math.Trunc(p) && 0 < p && p <= 64 && x.v-x.v == 0:
		return x.repeated(int(p)).withValue(v)
	case !ordinary(x.v) || !ordinary(v):
		return x.compose(v, func(k int) float64 { return binomial(x.v, p, k) })
	}
	z := x.a.make()
	z[0] = v
	powers(z, x.c, p)
	return x.a.number(z)
}

// repeated is xⁿ by products, n > 0.
func (x Taylor) repeated(n int) Taylor {
	z := Taylor{v: 1}
	for ; n > 1; n /= 2 {
		if n%2 == 1 {
			z = z.Mul(x)
		}
		x = x.Square()
	}
	return z.Mul(x)
}

func (x Taylor) PowInt(n int) Taylor {
	z := x.PowReal(float64(n))
	if n == 0 || n == 1 {
		return z
	}
	return z.withValue(elem.PowInt(x.v, n))
}

// Pow is from z′ = z(y ln x)′, x₀ > 0, elsewhere by partial derivatives.
func (x Taylor) Pow(y Taylor) Taylor {
	v := elem.Pow(x.v, y.v)
	switch {
	case x.c == nil && y.c == nil:
		return Taylor{v: v}
	case y.c == nil && y.v-y.v == 0 && v == v:
		return x.PowReal(y.v).withValue(v)
	}
	dx, dy := elem.PowD(x.v, y.v, v)
	if !(x.v > 0) || v == 0 || v-v != 0 || dx-dx != 0 || dy-dy != 0 {
		dxx, dxy, dyy := elem.PowDD(x.v, y.v, v, dx, dy)
		return x.compose2(y, v, dx, dy, dxx, dxy, dyy)
	}
	m := x.memory(y)
	e := y.Mul(x.Log())
	z := m.make()
	z[0] = v
	integral(z, e.c, z)
	return m.number(z)
}

// compose2 is a function of x and y by its partial derivatives at a point where they are
// not finite: xⁱyʲ with i and j ≥ 1 but for xy is left out.
func (x Taylor) compose2(y Taylor, v, dx, dy, dxx, dxy, dyy float64) Taylor {
	if x.c == nil && y.c == nil {
		return Taylor{v: v}
	}
	z := x.compose(v, func(k int) float64 { return singular(dx, dxx, k) })
	z = z.Add(y.compose(0, func(k int) float64 { return singular(dy, dyy, k) }))
	if x.c != nil && y.c != nil {
		z = z.Add(x.withValue(0).Mul(y.withValue(0)).Scale(dxy))
	}
	return z.withValue(v)
}

// Hypot is from zz = xx + yy.
func (x Taylor) Hypot(y Taylor) Taylor {
	v := math.Hypot(x.v, y.v)
	if v == 0 || v-v != 0 || x.c == nil && y.c == nil {
		dx, dy := elem.HypotD(x.v, y.v, v)
		dxx, dxy, dyy := elem.HypotDD(x.v, y.v, v, dx, dy)
		return x.compose2(y, v, dx, dy, dxx, dxy, dyy)
	}
	m := x.memory(y)
	x, y = x.full(m), y.full(m)
	a, b := x.v/v, y.v/v
	z := m.make()
	z[0] = v
	for k := 1; k < len(z); k++ {
		s := sumOfProducts(x.c, x.c, k, 1, k-1) + sumOfProducts(y.c, y.c, k, 1, k-1) - sumOfProducts(z, z, k, 1, k-1)
		z[k] = elem.Prod(a, x.c[k]) + elem.Prod(b, y.c[k]) + quotient(s/2, v)
	}
	return m.number(z)
}

// Atan2 is from θ′ = (xy′ − yx′)/(x² + y²).
func (y Taylor) Atan2(x Taylor) Taylor {
	v := math.Atan2(y.v, x.v)
	r := math.Hypot(x.v, y.v)
	if r == 0 || r-r != 0 || x.c == nil && y.c == nil {
		dy, dx := elem.Atan2D(y.v, x.v, v)
		dyy, dyx, dxx := elem.Atan2DD(y.v, x.v, v, dy, dx)
		return y.compose2(x, v, dy, dx, dyy, dyx, dxx)
	}
	m := y.memory(x)
	a, b := x.Scale(1/r).full(m), y.Scale(1/r).full(m)
	s := a.Square().Add(b.Square())
	p, q := a.Div(s), b.Div(s)
	z := m.make()
	z[0] = v
	for k := 1; k < len(z); k++ {
		z[k] = (sumOfDerivatives(b.c, p.c, k, k) - sumOfDerivatives(a.c, q.c, k, k)) / float64(k)
	}
	return m.number(z)
}

func (x Taylor) Exp() Taylor {
	v := math.Exp(x.v)
	return x.analytic(v, v, v, func(z, x []float64) { integral(z, x, z) })
}

func (x Taylor) Exp2() Taylor {
	v := math.Exp2(x.v)
	d := elem.Exp2D(x.v, v)
	return x.analytic(v, d, elem.Exp2DD(x.v, v, d), func(z, x []float64) {
		for k := 1; k < len(z); k++ {
			z[k] = math.Ln2 * sumOfDerivatives(x, z, k, k) / float64(k)
		}
	})
}

func (x Taylor) Expm1() Taylor { return x.Exp().withValue(math.Expm1(x.v)) }

// logarithm fills z with ln x.
func logarithm(z, x []float64) {
	for k := 1; k < len(z); k++ {
		z[k] = (x[k] - sumOfDerivatives(z, x, k, k-1)/float64(k)) / x[0]
	}
}

func (x Taylor) Log() Taylor {
	v := elem.Log(x.v)
	d := elem.LogD(x.v, v)
	return x.analytic(v, d, elem.LogDD(x.v, v, d), logarithm)
}

func (x Taylor) Log2() Taylor  { return x.Log().linear(math.Log2(x.v), 1/math.Ln2, 0, Taylor{}) }
func (x Taylor) Log10() Taylor { return x.Log().linear(elem.Log10(x.v), 1/math.Ln10, 0, Taylor{}) }
func (x Taylor) Log1p() Taylor { return x.AddReal(1).Log().withValue(math.Log1p(x.v)) }

// both fills s and c from s′ = cx′, c′ = ±sx′.
func both(s, c, x []float64, sign float64) {
	for k := 1; k < len(s); k++ {
		s[k] = sumOfDerivatives(x, c, k, k) / float64(k)
		c[k] = sign * sumOfDerivatives(x, s, k, k) / float64(k)
	}
}

func (x Taylor) Sin() Taylor {
	v, d := math.Sin(x.v), math.Cos(x.v)
	return x.analytic(v, d, -v, func(z, c []float64) {
		w := x.a.make()
		w[0] = d
		both(z, w, c, -1)
	})
}

func (x Taylor) Cos() Taylor {
	v, s := math.Cos(x.v), math.Sin(x.v)
	return x.analytic(v, -s, -v, func(z, c []float64) {
		w := x.a.make()
		w[0] = s
		both(w, z, c, -1)
	})
}

func (x Taylor) Sinh() Taylor {
	v, d := math.Sinh(x.v), math.Cosh(x.v)
	return x.analytic(v, d, v, func(z, c []float64) {
		w := x.a.make()
		w[0] = d
		both(z, w, c, 1)
	})
}

func (x Taylor) Cosh() Taylor {
	v, d := math.Cosh(x.v), math.Sinh(x.v)
	return x.analytic(v, d, v, func(z, c []float64) {
		w := x.a.make()
		w[0] = d
		both(w, z, c, 1)
	})
}

// Tan is from z′ = (1 + z²)x′, Tanh from z′ = (1 − z²)x′, whose first factor at x₀ is its
// derivative there.
func (x Taylor) Tan() Taylor {
	v := math.Tan(x.v)
	d := elem.TanD(x.v, v)
	return x.analytic(v, d, elem.TanDD(x.v, v, d), func(z, c []float64) { x.riccati(z, d, 1) })
}

func (x Taylor) Tanh() Taylor {
	v := math.Tanh(x.v)
	d := elem.TanhD(x.v, v)
	return x.analytic(v, d, elem.TanhDD(x.v, v, d), func(z, c []float64) { x.riccati(z, d, -1) })
}

func (x Taylor) riccati(z []float64, d, sign float64) {
	w := x.a.make()
	w[0] = d
	for k := 1; k < len(z); k++ {
		z[k] = sumOfDerivatives(x.c, w, k, k) / float64(k)
		w[k] = sign * sumOfProducts(z, z, k, 0, k)
	}
}

// Logistic is from z′ = z(1 − z)x′.
func (x Taylor) Logistic() Taylor {
	v := elem.Logistic(x.v)
	d := elem.LogisticD(x.v, v)
	return x.analytic(v, d, elem.LogisticDD(x.v, v, d), func(z, c []float64) {
		w := x.a.make() // z(1 − z)
		w[0] = d
		one := elem.Logistic(-x.v) // 1 − z₀
		for k := 1; k < len(z); k++ {
			z[k] = sumOfDerivatives(c, w, k, k) / float64(k)
			w[k] = float64((one-v)*z[k]) - sumOfProducts(z, z, k, 1, k-1)
		}
	})
}

func (x Taylor) Softplus() Taylor {
	v := elem.Softplus(x.v)
	d := elem.SoftplusD(x.v, v)
	return x.integrated(v, d, elem.SoftplusDD(x.v, v, d), x.Logistic)
}

func (x Taylor) Asin() Taylor {
	v := math.Asin(x.v)
	d := elem.AsinD(x.v, v)
	return x.integrated(v, d, elem.AsinDD(x.v, v, d), func() Taylor { return x.oneMinusSquare().Sqrt().Inv() })
}

func (x Taylor) Acos() Taylor {
	v := math.Acos(x.v)
	d := elem.AcosD(x.v, v)
	return x.integrated(v, d, elem.AcosDD(x.v, v, d), func() Taylor { return x.oneMinusSquare().Sqrt().RDiv(-1) })
}

func (x Taylor) oneMinusSquare() Taylor { return x.RSub(1).Mul(x.AddReal(1)) }

func (x Taylor) Atan() Taylor {
	v := math.Atan(x.v)
	d := elem.AtanD(x.v, v)
	return x.integrated(v, d, elem.AtanDD(x.v, v, d), func() Taylor { return x.Hypot(Taylor{v: 1}).Inv().Square() })
}

func (x Taylor) Asinh() Taylor {
	v := math.Asinh(x.v)
	d := elem.AsinhD(x.v, v)
	return x.integrated(v, d, elem.AsinhDD(x.v, v, d), func() Taylor { return x.Hypot(Taylor{v: 1}).Inv() })
}

func (x Taylor) Acosh() Taylor {
	v := math.Acosh(x.v)
	d := elem.AcoshD(x.v, v)
	return x.integrated(v, d, elem.AcoshDD(x.v, v, d), func() Taylor { return x.SubReal(1).Sqrt().Mul(x.AddReal(1).Sqrt()).Inv() })
}

func (x Taylor) Atanh() Taylor {
	v := math.Atanh(x.v)
	d := elem.AtanhD(x.v, v)
	return x.integrated(v, d, elem.AtanhDD(x.v, v, d), func() Taylor { return x.oneMinusSquare().Inv() })
}

func (x Taylor) Erf() Taylor {
	v := math.Erf(x.v)
	d := elem.ErfD(x.v, v)
	return x.integrated(v, d, elem.ErfDD(x.v, v, d), func() Taylor { return x.Square().Neg().Exp().Scale(2 / math.SqrtPi) })
}

func (x Taylor) Erfc() Taylor {
	v := math.Erfc(x.v)
	d := elem.ErfcD(x.v, v)
	return x.integrated(v, d, elem.ErfcDD(x.v, v, d), func() Taylor { return x.Square().Neg().Exp().Scale(-2 / math.SqrtPi) })
}

// Gamma is from z′ = zψ(x)x′.
func (x Taylor) Gamma() Taylor {
	v := math.Gamma(x.v)
	d := elem.GammaD(x.v, v)
	return x.analytic(v, d, elem.GammaDD(x.v, v, d), func(z, c []float64) { integral(z, x.LogGamma().c, z) })
}

func (x Taylor) LogGamma() Taylor { return x.polygamma(-1, elem.LogGamma(x.v)) }

// polygamma is ψ⁽ⁿ⁾(x) of the value v, ln |Γ| for n = −1.
func (x Taylor) polygamma(n int, v float64) Taylor {
	return x.compose(v, func(k int) float64 {
		d := elem.Polygamma(x.v, n+k)
		for j := range k {
			d /= float64(j + 1)
		}
		return d
	})
}

// incomplete is Σ of f's partial derivatives of the orders i, …, over their factorials,
// times powers of x − x₀, by Horner's rule in each argument.
func incomplete(x []Taylor, order []int, f func(order []int) float64, left int) Taylor {
	if len(order) == len(x) {
		return Taylor{v: f(order)}
	}
	first := x[len(order)]
	if first.c == nil {
		return incomplete(x, append(order, 0), f, left)
	}
	h := first.withValue(0)
	var z Taylor
	for k := left; k >= 0; k-- {
		d := incomplete(x, append(order, k), f, left-k)
		for j := range k {
			d = d.linear(d.v/float64(j+1), 1/float64(j+1), 0, Taylor{})
		}
		z = z.full(first.a).product(h, 0).Add(d)
	}
	return z
}

// orders is the order of the first of x that is no constant.
func orders(x ...Taylor) int {
	for _, x := range x {
		if x.a != nil {
			return x.a.order
		}
	}
	return 0
}

func (a Taylor) IncGamma(i, j int, x Taylor) Taylor {
	return incomplete([]Taylor{a, x}, nil, func(o []int) float64 { return incGamma(i+o[0], j+o[1], a.v, x.v) }, orders(a, x))
}

func (a Taylor) IncBeta(i, j, k int, b, x Taylor) Taylor {
	return incomplete([]Taylor{a, b, x}, nil, func(o []int) float64 { return incBeta(i+o[0], j+o[1], k+o[2], a.v, b.v, x.v) }, orders(a, b, x))
}
