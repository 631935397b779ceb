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
	f1, k := frexp(x)
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

// log1p is ln(1 + x) for −1 < x < 2⁵³, as math.Log1p computes it: FreeBSD's
// s_log1p.c. Lanes in which 1 + x is less than 4 units below a power of 2 are left
// out.
func log1p(x value) value {
	// 1 + x = 2ᵏ(1 + f), √½ < 1 + f < √2, c the correction for its rounding.
	u := add(x, num(1))
	k := sub(or(shr(u, 52), num(1<<52)), num(1<<52+0x3FF))
	c := choose(compare(u, isGE, num(2)), sub(num(1), sub(u, x)), sub(x, sub(u, num(1))))
	c = div(c, u)
	u = or(and(u, bits(1<<52-1)), num(1))
	except(compare(u, isGE, bits(0x3ffffffffffffffd)))
	high := compare(u, isGE, bits(0x3ff6a09e667f3bcd))
	k = add(k, keep(high, num(1)))
	f := sub(choose(high, mul(u, num(0.5)), u), num(1))
	// Near 0, f = x and k = 0.
	direct := both(compare(x, isLT, num(4.142135623730950488017e-01)), compare(x, isGT, num(-2.928932188134524755992e-01)))
	f = choose(direct, x, f)

	hfsq := mul(mul(num(0.5), f), f)
	s := div(f, add(f, num(2)))
	z := mul(s, s)
	r := mul(z, horner(z, 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
		2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01))
	sr := mul(s, add(hfsq, r))
	w := add(sr, add(mul(k, num(ln2Lo)), c))
	y := sub(mul(k, num(ln2Hi)), sub(sub(hfsq, w), f))
	y = choose(either(direct, compare(k, isEQ, num(0))), sub(f, sub(hfsq, sr)), y)
	a := abs(x)
	y = choose(compare(a, isLT, num(0x1p-29)), sub(x, mul(mul(x, x), num(0.5))), y)
	return choose(compare(a, isLT, num(0x1p-54)), x, y)
}

// expRange leaves out the lanes whose exponential is not a normal number.
func expRange(x value) { except(compare(abs(x), notLE, num(708))) }

func expKernel(x []value) []value {
	expRange(x[0])
	return []value{exp(x[0])}
}

// logKernel is elem.Log.
func logKernel(x []value) []value {
	logRange(x[0])
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
	s := log1p(e)
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

// logRange leaves out the lanes that are not positive normal numbers.
func logRange(x value) {
	except(either(compare(x, notGE, num(0x1p-1022)), compare(x, isGT, num(math.MaxFloat64))))
}

func log1pKernel(x []value) []value {
	except(either(compare(x[0], notLT, num(1<<53)), compare(x[0], isLE, num(-1))))
	return []value{log1p(x[0])}
}

// log10Kernel is elem.Log10.
func log10Kernel(x []value) []value {
	logRange(x[0])
	return []value{mul(ln(x[0]), num(1/math.Ln10))}
}

// log2Kernel is math.Log2: exact at powers of 2.
func log2Kernel(x []value) []value {
	logRange(x[0])
	f, k := frexp(x[0])
	y := add(mul(ln(f), num(1/math.Ln2)), k)
	return []value{choose(compare(f, isEQ, num(0.5)), sub(k, num(1)), y)}
}

// exp2Kernel is math.Exp2: FreeBSD's e_exp.c, of x·ln 2 in two parts.
func exp2Kernel(x []value) []value {
	except(compare(abs(x[0]), notLE, num(1000)))
	k := round(add(x[0], or(num(0.5), sign(x[0]))), toZero)
	t := sub(x[0], k)
	hi, lo := mul(t, num(ln2Hi)), mul(neg(t), num(ln2Lo))
	r := sub(hi, lo)
	t = mul(r, r)
	c := sub(r, mul(t, horner(t, 4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05,
		-2.77777777770155933842e-03, 1.66666666666666657415e-01)))
	y := sub(num(1), sub(sub(lo, div(mul(r, c), sub(num(2), c))), hi))
	return []value{iadd(y, exponent(k))}
}

// exponent is k, a whole number, as it is added to the exponent of a number.
func exponent(k value) value { return shl(add(k, num(shifter)), 52) }

// expm1Kernel is math.Expm1: FreeBSD's s_expm1.c.
func expm1Kernel(x []value) []value {
	except(compare(abs(x[0]), notLE, num(700)))
	a := abs(x[0])
	k := round(add(mul(x[0], num(1.44269504088896338700e+00)), or(num(0.5), sign(x[0]))), toZero)
	k = choose(compare(a, isLT, num(1.03972077083991796413e+00)), or(num(1), sign(x[0])), k)
	k = keep(compare(a, isGT, num(3.46573590279972654709e-01)), k)
	hi, lo := sub(x[0], mul(k, num(ln2Hi))), mul(k, num(ln2Lo))
	r := sub(hi, lo)
	c := sub(sub(hi, r), lo)

	hfx := mul(r, num(0.5))
	hxs := mul(r, hfx)
	r1 := horner(hxs, -2.01099218183624371326e-07, 4.00821782732936239552e-06, -7.93650757867487942473e-05,
		1.58730158725481460165e-03, -3.33333333333331316428e-02, 1)
	t := sub(num(3), mul(r1, hfx))
	e := mul(hxs, div(sub(r1, t), sub(num(6), mul(r, t))))
	atZero := sub(r, sub(mul(r, e), hxs))
	e = sub(sub(mul(r, sub(e, c)), c), hxs)

	power := exponent(k)
	inverse := isub(num(1), power) // 2⁻ᵏ
	// k ≤ −2 or k > 56
	ex := sub(e, r)
	y := sub(iadd(sub(num(1), ex), power), num(1))
	// 2 ≤ k < 20, and on to 56
	low := iadd(sub(sub(num(1), inverse), ex), power)
	middle := iadd(add(sub(r, add(e, inverse)), num(1)), power)
	y = choose(both(compare(k, isGE, num(2)), compare(k, isLE, num(56))), choose(compare(k, isLT, num(20)), low, middle), y)
	rest := sub(r, e)
	plus := choose(compare(r, isLT, num(-0.25)), mul(num(-2), sub(e, add(r, num(0.5)))), add(num(1), add(rest, rest)))
	y = choose(compare(k, isEQ, num(1)), plus, y)
	y = choose(compare(k, isEQ, num(-1)), sub(mul(num(0.5), rest), num(0.5)), y)
	y = choose(compare(k, isEQ, num(0)), atZero, y)
	y = choose(compare(x[0], isLE, num(-3.88162421113569373274e+01)), num(-1), y)
	return []value{choose(compare(a, isLT, num(0x1p-54)), x[0], y)}
}
