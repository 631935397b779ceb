package elem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// psiError bounds the absolute error of the digamma function at moderate x,
// which cannot be small beside the value near a zero: ten terms and partial sums
// of the recurrence, below 4, and a logarithm below 4.
const psiError = 16 * 0x1p-53

// ulp is the unit in the last place of v.
func ulp(v float64) float64 {
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-53, -1074))
}

// same is equality in which NaN equals itself and the zeros are one.
func same(a, b float64) bool { return a == b || a != a && b != b }

func TestProdIsZeroWhereAFactorIs(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, c := range []struct{ a, b, want float64 }{
		{0, inf, 0}, {0, -inf, 0}, {0, nan, 0}, {zero, inf, 0}, {zero, nan, 0}, {0, 0, 0}, {0, 3, 0},
		{2, 3, 6}, {2, inf, inf}, {-2, inf, -inf}, {inf, inf, inf}, {2, nan, nan}, {inf, nan, nan}, {nan, nan, nan},
		{5e-324, 5e-324, 0}, {5e-324, inf, inf}, {5e-324, nan, nan},
	} {
		if got := Prod(c.a, c.b); !same(got, c.want) {
			t.Errorf("Prod(%g, %g) = %g, want %g", c.a, c.b, got, c.want)
		}
		if got := Prod(c.b, c.a); !same(got, c.want) {
			t.Errorf("Prod(%g, %g) = %g, want %g", c.b, c.a, got, c.want)
		}
	}
}

// DLMF 5.4.12, 5.4.13, 5.4.17 (Gauss), 5.15.2 and 5.15.3; G is Catalan's
// constant.
func TestPolygammaAtKnownPoints(t *testing.T) {
	const (
		gamma = 0.57721566490153286060651209008240243
		G     = 0.91596559417721901505460351493238411
		zeta3 = 1.20205690315959428539973816151144999
		zeta5 = 1.03692775514336992633136548645703416
	)
	for _, c := range []struct {
		n       int
		x, want float64
	}{
		{0, 1, -gamma},
		{0, 2, 1 - gamma},
		{0, 0.5, -gamma - 2*math.Ln2},
		{0, 0.25, -gamma - math.Pi/2 - 3*math.Ln2},
		{0, -0.5, 2 - gamma - 2*math.Ln2},
		{1, 1, math.Pi * math.Pi / 6},
		{1, 0.5, math.Pi * math.Pi / 2},
		{1, 0.25, math.Pi*math.Pi + 8*G},
		{1, -0.5, math.Pi*math.Pi/2 + 4},
		{2, 1, -2 * zeta3},
		{2, 0.5, -14 * zeta3},
		{3, 1, math.Pi * math.Pi * math.Pi * math.Pi / 15},
		{3, 0.5, math.Pi * math.Pi * math.Pi * math.Pi},
		{4, 1, -24 * zeta5},
	} {
		tol := 4 * ulp(c.want)
		if c.n == 0 {
			tol += psiError
		}
		if got := Polygamma(c.x, c.n); math.Abs(got-c.want) > tol {
			t.Errorf("ψ of order %d at %g is %.17g, want %.17g", c.n, c.x, got, c.want)
		}
	}
}

func TestPolygammaAtPolesAndInfinity(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, c := range []struct {
		n       int
		x, want float64
	}{
		{0, 0, -inf}, {0, zero, inf}, {1, 0, inf}, {1, zero, inf}, {2, 0, -inf}, {2, zero, inf},
		{0, -1, nan}, {1, -1, nan}, {2, -7, nan}, {0, -inf, nan}, {3, -inf, nan}, {0, -1e300, nan},
		{0, inf, inf}, {1, inf, 0}, {2, inf, 0},
		{0, nan, nan}, {1, nan, nan},
		{1, 1e300, 1e-300}, {1, 1e-200, inf}, {1, -1e-200, inf}, {2, -1e-200, inf},
	} {
		if got := Polygamma(c.x, c.n); !same(got, c.want) {
			t.Errorf("ψ of order %d at %g is %g, want %g", c.n, c.x, got, c.want)
		}
	}
}

// ψ⁽ⁿ⁾(x+1) = ψ⁽ⁿ⁾(x) + (−1)ⁿn!/xⁿ⁺¹ (DLMF 5.15.5) across every seam between
// series, recurrence and reflection, up to the highest order whose n! is
// finite.
func TestPolygammaRecurrence(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5, 9, 10, 40, 100, 170} {
		for x := -3.7; x < 12+2*float64(n); x += 0.6 {
			term := -1 / x
			for j := 1; j <= n; j++ {
				term *= -float64(j) / x
			}
			a, b := Polygamma(x, n), Polygamma(x+1, n)
			scale := math.Abs(a) + math.Abs(b) + math.Abs(term) + psiError*0x1p53
			if math.Abs(a-term-b) > float64(8+2*n)*0x1p-53*scale && !math.IsInf(scale, 0) {
				t.Errorf("n = %d, x = %g: ψ(x) %g, ψ(x+1) %g, their difference should be %g", n, x, a, b, term)
			}
		}
	}
}

// The halves of a small power may underflow while its derivative does not.
func TestPowDerivativeWhereTheValueUnderflows(t *testing.T) {
	const x, p = 1e-200, 1.625
	const want = 1.625e-125
	v := Pow(x, p)
	if dx, _ := PowD(x, p, v); math.Abs(dx-want) > 4*ulp(want) {
		t.Errorf("∂x of x^y at %g is %g, want %g", x, dx, want)
	}
	if d := PowRealD(x, p, v); math.Abs(d-want) > 4*ulp(want) {
		t.Errorf("derivative of x^p at %g is %g, want %g", x, d, want)
	}
	if d := PowIntD(1e-110, 3, 0); math.Abs(d-3e-220) > 4*ulp(3e-220) {
		t.Errorf("derivative of x³ at 1e-110 is %g", d)
	}
	if d := PowIntD(1e-80, 4, 0); math.Abs(d-4e-240) > 4*ulp(4e-240) {
		t.Errorf("derivative of x⁴ at 1e-80 is %g", d)
	}
}

// float64 cannot tell an odd exponent above 2⁵³ from an even one.
func TestPowIntKeepsTheParityOfHugeExponents(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("int has 32 bits")
	}
	big := 0x1p53
	even := int(big)
	for _, n := range []int{even + 1, -even + 1} {
		if got := PowInt(-1, n); got != -1 {
			t.Errorf("(−1)^%d = %g", n, got)
		}
		if got := PowInt(-1, n-1); got != 1 {
			t.Errorf("(−1)^%d = %g", n-1, got)
		}
	}
}

// A shortcut and the general formula are one function.
func TestPowersAgree(t *testing.T) {
	for _, x := range []float64{-inf, -3.7, -1, -0.3, 0, 0.3, 1, 1.9, 1e200, inf, nan} {
		if PowReal(x, 2) != x*x && x == x || PowReal(x, -1) != Inv(x) && x == x || !same(PowReal(x, 0.5), Sqrt(x)) {
			t.Errorf("at %g the powers 2, −1, ½ are not square, inverse and root", x)
		}
		for _, n := range []int{-1, 0, 1, 2, 3, 4, 5} {
			v, w := PowReal(x, float64(n)), PowInt(x, n)
			d, e := PowRealD(x, float64(n), v), PowIntD(x, n, w)
			dd, ee := PowRealDD(x, float64(n), v, d), PowIntDD(x, n, w, e)
			if !same(v, w) || !same(d, e) || !same(dd, ee) {
				t.Errorf("x^%d at %g: as a real power %g, %g, %g, as an integer one %g, %g, %g", n, x, v, d, dd, w, e, ee)
			}
		}
	}
}

// If v is x^(n/2ʲ), v to the power 2ʲ is xⁿ, in exact arithmetic. The exponential
// of package math has an error below 1 ulp, the rest one of little more than ½.
func TestFractionalPowersAreAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	power := func(x float64, n int) *big.Float {
		z := new(big.Float).SetPrec(300).SetInt64(1)
		square := new(big.Float).SetPrec(300).SetFloat64(x)
		for ; n > 0; n /= 2 {
			if n%2 > 0 {
				z.Mul(z, square)
			}
			square.Mul(square, square)
		}
		return z
	}
	for range 4000 {
		x := math.Exp(r.NormFloat64() * math.Pow(10, 6*r.Float64()-4))
		j := 1 + r.IntN(6)
		most := min(600/math.Abs(math.Log(x)), 100)
		n := 2*int(most*r.Float64()*float64(int(1)<<j)/2) + 1
		y := float64(n) / float64(int(1)<<j)
		if !normal(x) || y*math.Abs(math.Log(x)) > 700 {
			continue
		}
		v, w := Pow(x, y), Pow(x, -y)
		want := power(x, n)
		off := new(big.Float).Sub(power(v, 1<<j), want)
		err, _ := off.Quo(off, want).Float64()
		inverse := new(big.Float).Mul(power(w, 1<<j), want)
		invErr, _ := inverse.Sub(inverse, big.NewFloat(1)).Float64()
		for _, err := range []float64{err, invErr} {
			if err = math.Abs(err) / float64(int(1)<<j); !(err < 1.6*0x1p-52) {
				t.Fatalf("%g^±%g: %g, %g, off by %.2f·2⁻⁵²", x, y, v, w, err*0x1p52)
			}
		}
	}
}

// The mixed derivative of x^y has the factor x^(y−1), which does not have the
// digits that a subnormal x^y has lost.
func TestMixedDerivativeOfPowWhereTheValueIsSubnormal(t *testing.T) {
	x, y := 1e-100, 3.2
	v := Pow(x, y)
	dx, dy := PowD(x, y, v)
	_, dxy, _ := PowDD(x, y, v, dx, dy)
	want := math.Pow(x, 2.2) * (1 + 3.2*math.Log(x))
	if normal(v) || !(math.Abs(dxy-want) <= 1e-13*math.Abs(want)) {
		t.Errorf("%v, want %v, where the value is %v", dxy, want, v)
	}
}

// The derivative of ∛x is positive, and so is its sign at zeros and infinities.
func TestDerivativeOfCbrtAtZerosAndInfinities(t *testing.T) {
	for _, c := range [][2]float64{{0, inf}, {math.Copysign(0, -1), inf}, {inf, 0}, {-inf, 0}} {
		x, want := c[0], c[1]
		got := CbrtD(x, math.Cbrt(x))
		if got != want || math.Signbit(got) {
			t.Errorf("at %v: %v", x, got)
		}
	}
}

func TestSoftplusLogisticHasTheBitsOfBoth(t *testing.T) {
	check := func(x float64) {
		s, l := SoftplusLogistic(x)
		if math.Float64bits(s) != math.Float64bits(Softplus(x)) || math.Float64bits(l) != math.Float64bits(Logistic(x)) {
			t.Fatalf("at %v: %v and %v, want %v and %v", x, s, l, Softplus(x), Logistic(x))
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 0x1p-1074, -0x1p-1074, 709, -745, 1e300} {
		check(x)
	}
	for i := range 100000 {
		check(math.Sinh(float64(i-50000) / 5000))
	}
	s, l := SoftplusLogistic(math.NaN())
	if s == s || l == l {
		t.Fatalf("at NaN: %v and %v", s, l)
	}
}
