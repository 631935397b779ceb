package main

import "math"

// exp is eˣ for |x| ≤ 708.8, as math.Exp computes it on amd64 with FMA: Shibata,
// "Efficient evaluation methods of elementary functions suitable for SIMD
// computation", ISC 2010. With x = k·ln 2 + 16r, it is 2ᵏ·(1 + t)¹⁶, t the Taylor
// series of eʳ − 1, squared as t ← t(2 + t).
func exp(x value) value {
	s := add(mul(x, num(math.Log2E)), num(shifter))
	k := sub(s, num(shifter))
	x = fnma(k, num(0.69314718055966295651160180568695068359375), x)
	x = fnma(k, num(0.28235290563031577122588448175013436025525412068e-12), x)
	x = mul(x, num(0.0625))
	p := hornerFMA(x,
		2.4801587301587301587e-5, 1.9841269841269841270e-4, 1.3888888888888888889e-3, 8.3333333333333333333e-3,
		4.1666666666666666667e-2, 1.6666666666666666667e-1, 0.5, 1)
	t := mul(x, p)
	for range 3 {
		t = mul(t, add(t, num(2)))
	}
	y := fma(t, add(t, num(2)), num(1))
	return mul(y, iadd(shl(s, 52), num(1)))
}

// ln is ln x for x normal, as math.Log computes it on amd64: FreeBSD's e_log.c,
// with x = 2ᵏ(1 + f), √½ < 1 + f ≤ √2.
func ln(x value) value {
	f1 := or(and(x, bits(1<<52-1)), num(0.5))
	k := sub(or(shr(x, 52), num(1<<52)), num(1<<52+0x3FE))
	small := keep(compare(num(math.Sqrt2/2), notLT, f1), num(1))
	k = sub(k, small)
	f := sub(mul(f1, add(small, num(1))), num(1))
	s := div(f, add(f, num(2)))
	s2 := mul(s, s)
	s4 := mul(s2, s2)
	t1 := mul(s2, horner(s4, 1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01))
	t2 := mul(s4, horner(s4, 1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01))
	h := mul(mul(num(0.5), f), f)
	w := add(mul(s, add(add(t1, t2), h)), mul(k, num(ln2Lo)))
	return sub(mul(k, num(ln2Hi)), sub(sub(h, w), f))
}

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// log1p is ln(1 + x) for 0 ≤ x ≤ 1, as math.Log1p computes it: FreeBSD's s_log1p.c.
// Lanes in which 1 + x is less than 4 units below a power of 2 are left out.
func log1p01(x value) value {
	// From √2 − 1 on: 1 + x = 2ᵏ(1 + f), c the correction for its rounding.
	u := add(x, num(1))
	b := and(u, bits(1<<52-1))
	two := compare(u, isGE, num(2)) // only where x = 1
	c := choose(two, sub(num(1), sub(u, x)), sub(x, sub(u, num(1))))
	c = div(c, u)
	high := compare(or(b, num(1)), isGE, bits(0x3ff6a09e667f3bcd))
	k := add(keep(two, num(1)), keep(high, num(1)))
	f := sub(or(b, choose(high, num(0.5), num(1))), num(1))
	except(compare(or(b, num(1)), isGE, bits(0x3ffffffffffffffd)))
	// Below, f = x.
	direct := compare(x, isLT, num(4.142135623730950488017e-01))
	f = choose(direct, x, f)

	hfsq := mul(mul(num(0.5), f), f)
	s := div(f, add(f, num(2)))
	z := mul(s, s)
	r := mul(z, horner(z, 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
		2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01))
	sr := mul(s, add(hfsq, r))
	y0 := sub(f, sub(hfsq, sr))
	w := add(sr, add(mul(k, num(ln2Lo)), c))
	y := sub(mul(k, num(ln2Hi)), sub(sub(hfsq, w), f))
	y = choose(direct, y0, y)
	y = choose(compare(x, isLT, num(0x1p-29)), sub(x, mul(mul(x, x), num(0.5))), y)
	return choose(compare(x, isLT, num(0x1p-54)), x, y)
}

// expRange leaves out the lanes whose exponential is not a normal number.
func expRange(x value) { except(compare(abs(x), notLE, num(708))) }

func expKernel(x []value) []value {
	expRange(x[0])
	return []value{exp(x[0])}
}

func logKernel(x []value) []value {
	except(either(compare(x[0], notGE, num(0x1p-1022)), compare(x[0], isGT, num(math.MaxFloat64))))
	return []value{ln(x[0])}
}

// logisticKernel is elem.Logistic.
func logisticKernel(x []value) []value {
	expRange(x[0])
	e := exp(or(x[0], bits(signBit)))
	return []value{logistic(x[0], e)}
}

// logistic is 1/(1 + e⁻ˣ) by e = exp(−|x|).
func logistic(x, e value) value {
	return div(choose(compare(x, isLT, num(0)), e, num(1)), add(e, num(1)))
}

// softplus is ln(1 + eˣ) by e = exp(−|x|).
func softplus(x, e value) value {
	s := log1p01(e)
	return choose(compare(x, isGT, num(0)), add(x, s), s)
}

// softplusKernel is elem.Softplus.
func softplusKernel(x []value) []value {
	expRange(x[0])
	return []value{softplus(x[0], exp(or(x[0], bits(signBit))))}
}

// softplusLogisticKernel is elem.SoftplusLogistic.
func softplusLogisticKernel(x []value) []value {
	expRange(x[0])
	e := exp(or(x[0], bits(signBit)))
	return []value{softplus(x[0], e), logistic(x[0], e)}
}
