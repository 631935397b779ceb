package elem

import "math"

// normal reports whether v is neither zero, subnormal, infinite nor NaN, so
// that v/x still has the digits of v.
func normal(v float64) bool {
	v = math.Abs(v)
	return v >= 0x1p-1022 && v <= math.MaxFloat64
}

// Inv is 1/x.
func Inv(x float64) float64         { return 1 / x }
func InvD(x, v float64) float64     { return -v / x }
func InvDD(x, v, d float64) float64 { return -2 * d / x }

// RDiv is c/x.
func RDiv(x, c float64) float64         { return c / x }
func RDivD(x, c, v float64) float64     { return -v / x }
func RDivDD(x, c, v, d float64) float64 { return -2 * d / x }

// Div is x/y.
func Div(x, y float64) float64 { return x / y }

// DivD is the gradient of x/y, 0 at an infinite y.
func DivD(x, y, v float64) (dx, dy float64) {
	dx = 1 / y
	if dx == 0 {
		return dx, 0
	}
	return dx, -v / y
}

// DivDD is the Hessian of x/y.
func DivDD(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) {
	return 0, -dx / y, -2 * dy / y
}

// FMA is x₀·x₁ + x₂, rounded once, and its partial derivatives.
func FMA(x [3]float64, order [3]int) float64 {
	switch order {
	case [3]int{}:
		return math.FMA(x[0], x[1], x[2])
	case [3]int{1, 0, 0}:
		return x[1]
	case [3]int{0, 1, 0}:
		return x[0]
	case [3]int{0, 0, 1}, [3]int{1, 1, 0}:
		return 1
	}
	return 0
}

// Sqrt is √x. √−0 is +0, so that ½/√x has one sign at zero: −0 + 0 is +0, which takes less
// than to clear a sign.
func Sqrt(x float64) float64         { return math.Sqrt(x + 0) }
func SqrtD(x, v float64) float64     { return 0.5 / v }
func SqrtDD(x, v, d float64) float64 { return -0.5 * d / math.Abs(x) }

// CbrtD is v/(3x), a rounding less than 1/(3v²).
func CbrtD(x, v float64) float64 {
	if x == 0 || x-x != 0 {
		return 1 / (v * v)
	}
	return v / x / 3
}

// CbrtDD is the second derivative of ∛x, ∓∞ at ±0.
func CbrtDD(x, v, d float64) float64 { return d / (-1.5 * x) }

// HypotD is the gradient of √(x² + y²), 0 at the origin.
func HypotD(x, y, v float64) (dx, dy float64) {
	switch {
	case v == 0:
		return 0, 0
	case v < 0x1p-1022: // v has few digits
		x, y = x*0x1p1000, y*0x1p1000
		v = math.Hypot(x, y)
	}
	return x / v, y / v
}

// HypotDD is the Hessian of √(x² + y²), 0 at the origin.
func HypotDD(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) {
	if v == 0 {
		return 0, 0, 0
	}
	s := dx / v
	return dy / v * dy, -s * dy, s * dx
}

// Pow is x^y. That of package math raises e to the fractional part of y times
// ln x, and loses as many digits as this product and the other factors have
// roundings; here fractional powers come from a logarithm with twice the digits.
// One of −∞ is NaN, as that of every negative number, and not the +∞ of C.
func Pow(x, y float64) float64 {
	if x < -math.MaxFloat64 && y-y == 0 && y != math.Trunc(y) {
		return math.NaN()
	}
	if !(x > 0 && x <= math.MaxFloat64) || y == math.Trunc(y) || y != y {
		return math.Pow(x, y)
	}
	hi, lo := logTwice(x)
	p := float64(y * hi)
	return expTwice(p, math.FMA(y, hi, -p)+float64(y*lo))
}

// ln2Hi + ln2Lo is ln 2. The product of ln2Hi and an exponent is exact.
const (
	ln2Hi = 0x162e42feep-33
	ln2Lo = math.Ln2 - ln2Hi
)

// logTwice is ln x = hi + lo for finite x > 0, to 2⁻⁶⁴ of it: with x = 2ᵉm, √½ ≤ m < √2,
// and s = (m − 1)/(m + 1),
//
//	ln x = e·ln 2 + 2s(1 + s²/3 + s⁴/5 + …),
//
// of which s, s²/3 and their product have twice the digits.
func logTwice(x float64) (hi, lo float64) {
	m, exp := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, exp = 2*m, exp-1
	}
	e := float64(exp)
	n, d := m-1, m+1
	s := n / d
	sLo := (math.FMA(-s, d, n) - float64(s*(m-(d-1)))) / d
	q := float64(s * s)
	qLo := math.FMA(s, s, -q) + float64(2*s*sLo)
	const third, thirdLo = 1. / 3, 1./3 - 0x15555555555555p-54
	p := float64(q * third)
	pLo := math.FMA(q, third, -p) + float64(q*thirdLo) + float64(qLo*third) + float64(float64(q*q)*atanhTail(q))
	r := float64(s * p)
	rLo := math.FMA(s, p, -r) + float64(s*pLo) + sLo + float64(sLo*p)
	t := s + r
	rLo += r - (t - s)
	a := float64(e * ln2Hi)
	hi = a + 2*t
	b := hi - a
	return hi, (a - (hi - b)) + (2*t - b) + 2*rLo + float64(e*ln2Lo)
}

// atanhTail is 1/5 + q/7 + … + q¹⁰/25, to 2⁻⁵³ for q ≤ 0.03, in two halves.
func atanhTail(q float64) float64 {
	w := float64(q * q)
	even, odd := 1./25, 1./23
	even = float64(even*w) + 1./21
	odd = float64(odd*w) + 1./19
	even = float64(even*w) + 1./17
	odd = float64(odd*w) + 1./15
	even = float64(even*w) + 1./13
	odd = float64(odd*w) + 1./11
	even = float64(even*w) + 1./9
	odd = float64(odd*w) + 1./7
	even = float64(even*w) + 1./5
	return even + float64(odd*q)
}

// expTwice is e^(hi + lo) for |lo| ≪ |hi|.
func expTwice(hi, lo float64) float64 {
	if math.Abs(hi) > 1000 {
		return math.Exp(hi)
	}
	k := math.RoundToEven(hi * (1 / math.Ln2))
	hi -= float64(k * ln2Hi) // exact
	lo -= float64(k * ln2Lo)
	x := hi + lo
	v := math.Exp(x)
	v += float64(v * (lo - (x - hi)))
	return math.Ldexp(v, int(k))
}

// PowReal is x^p: by products and roots for p = −1, 0, ½, 1, 2 and 3, the same
// bits as Inv, Sqrt and Square.
func PowReal(x, p float64) float64 {
	switch p {
	case 0:
		return 1
	case 1:
		return x
	case 2:
		return x * x
	case 3:
		return x * x * x
	case -1:
		return 1 / x
	case 0.5:
		return Sqrt(x)
	}
	return Pow(x, p)
}

func PowRealD(x, p, v float64) float64 {
	switch {
	case p == 0:
		return 0
	case p == 1:
		return 1
	case p == 2:
		return 2 * x
	case p == 3:
		return 3 * x * x
	case p == 0.5:
		return SqrtD(x, v)
	case v != v:
		return v
	case normal(v):
		return p * v / x
	}
	return Prod(p, PowReal(x, p-1))
}

func PowRealDD(x, p, v, d float64) float64 {
	switch {
	case p == 0 || p == 1:
		return 0
	case p == 2:
		return 2
	case p == 3:
		return 6 * x
	case p == 0.5:
		return SqrtDD(x, v, d)
	case d != d:
		return d
	case normal(d):
		return (p - 1) * d / x
	}
	return Prod(p*(p-1), PowReal(x, p-2))
}

// PowInt is xⁿ, by products for |n| ≤ 3.
func PowInt(x float64, n int) float64 {
	switch n {
	case 0:
		return 1
	case 1:
		return x
	case 2:
		return x * x
	case 3:
		return x * x * x
	case -1:
		return 1 / x
	case -2:
		if v := x * x; normal(v) {
			return 1 / v
		}
		return 1 / x / x
	case -3:
		if v := x * x * x; normal(v) {
			return 1 / v
		}
		return 1 / x / x / x
	}
	// The sign apart: an odd n above 2⁵³ is even as a float64.
	v := math.Pow(math.Abs(x), float64(n))
	if n&1 != 0 {
		return math.Copysign(v, x)
	}
	return v
}

func PowIntD(x float64, n int, v float64) float64 {
	switch {
	case n == 0:
		return 0
	case n == 1:
		return 1
	case n == 2:
		return 2 * x
	case n == 3:
		return 3 * x * x
	case normal(v):
		return float64(n) * v / x
	}
	return float64(n) * PowInt(x, n-1)
}

func PowIntDD(x float64, n int, v, d float64) float64 {
	switch {
	case n == 0 || n == 1:
		return 0
	case n == 2:
		return 2
	case n == 3:
		return 6 * x
	case normal(d):
		return float64(n-1) * d / x
	case n > 3: // the product with x first, which is not subnormal
		return float64(n) * float64(n-1) * x * PowInt(x, n-3)
	}
	return float64(n) * float64(n-1) * PowInt(x, n-2)
}

// PowD is the gradient of x^y: y·x^(y−1) and x^y·ln x as derivative products,
// so that 0^y has the derivative 0 in y for y > 0, and x^0 the derivative 0 in
// x for every x.
func PowD(x, y, v float64) (dx, dy float64) {
	if v != v {
		return v, v
	}
	return PowRealD(x, y, v), Prod(v, Log(x))
}

// PowDD is the Hessian of x^y. At x < 0 there is no derivative in y, though y be
// 0 in the formula.
func PowDD(x, y, v, dx, dy float64) (dxx, dxy, dyy float64) {
	if v != v {
		return v, v, v
	}
	l := Log(x)
	w := v / x // x^(y−1)
	if !normal(v) || x == 0 {
		w = Pow(x, y-1)
	}
	dxx = PowRealDD(x, y, v, dx)
	if l != l {
		return dxx, l, l
	}
	return dxx, Prod(w, 1+Prod(y, l)), Prod(dy, l)
}
