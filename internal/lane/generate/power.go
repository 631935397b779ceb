package main

import "math"

// pow is elem.Pow for normal x > 0 and |y·ln x| ≤ 700 where y has a fraction.
func pow(x, y, fraction value) value {
	log := apply(rule("logTwice"), one(x))
	hi, lo := log[0], log[1]
	p := mul(y, hi)
	except(both(fraction, compare(abs(p), notLE, num(700))))
	return apply(rule("expTwice"), []value{p, add(fma(y, hi, neg(p)), mul(y, lo))})[0]
}

// frexp is a normal number x > 0 as m·2ᵉ, ½ ≤ m < 1.
func frexp(x value) (m, e value) {
	m = or(and(x, bits(1<<52-1)), num(0.5))
	return m, sub(or(shr(x, 52), num(1<<52)), num(1<<52+0x3FE))
}

// whole is x^y as math.Pow computes it for whole y: by squares of the fraction of x,
// the exponent apart. What is no whole number is taken for 0. The results must be
// normal numbers.
func whole(x, y value) value {
	a, exponents := copyOf(num(1)), copyOf(zero())
	square := copyOf(or(and(x, bits(signBit|1<<52-1)), num(0.5)))
	e := copyOf(sub(or(shr(abs(x), 52), num(1<<52)), num(1<<52+0x3FE)))
	n := abs(y)
	except(compare(mul(n, add(abs(e), num(1))), isGT, num(1000)))
	i := copyOf(and(keep(compare(n, isEQ, round(n, toZero)), add(n, num(1<<52))), bits(1<<52-1)))
	untilZero(i, func() {
		odd := fromSign(shl(i, 63))
		set(a, choose(odd, mul(a, square), a))
		set(exponents, choose(odd, add(exponents, e), exponents))
		set(square, mul(square, square))
		small := compare(square, isLT, num(0.5))
		set(square, choose(small, add(square, square), square))
		set(e, sub(add(e, e), keep(small, num(1))))
		set(i, shr(i, 1))
	})
	inverse := where(compare(y, isLT, num(0)), func() value { return div(num(1), a) }, a)
	return iadd(inverse, exponent(xor(exponents, sign(y))))
}

// powRange leaves out what has not a normal number's absolute value.
func powRange(x value) {
	a := abs(x)
	except(either(compare(a, notGE, num(0x1p-1022)), compare(a, isGT, num(math.MaxFloat64))))
}

// anyPower is x^y, fractional powers by the function given.
func anyPower(x, y value, fractional func(fraction mask) value) value {
	powRange(x)
	t := round(y, toZero)
	fraction := compare(y, notEQ, t)
	except(both(fraction, fromSign(x)))
	v := where(fraction, func() value { return fractional(fraction) }, x)
	return where(compare(y, isEQ, t), func() value { return whole(x, y) }, v)
}

// powKernel is elem.Pow.
func powKernel(x []value) []value {
	return []value{anyPower(x[0], x[1], func(fraction mask) value { return pow(x[0], x[1], fraction) })}
}

// powRealKernel is elem.PowReal.
func powRealKernel(x []value) []value {
	return []value{anyPower(x[0], x[1], func(fraction mask) value {
		return choose(compare(x[1], isEQ, num(0.5)), sqrt(x[0]), pow(x[0], x[1], fraction))
	})}
}

// powIntKernel is elem.PowInt.
func powIntKernel(x []value) []value {
	powRange(x[0])
	except(compare(x[1], notEQ, round(x[1], toZero)))
	return []value{whole(x[0], x[1])}
}

// cbrtKernel is math.Cbrt: FreeBSD's s_cbrt.c. The bits of |x| over 3, a division of
// integers, are a first estimate; a rational function and a step of Newton's method
// follow.
func cbrtKernel(x []value) []value {
	a := abs(x[0])
	isZero := compare(a, isEQ, num(0))
	except(compare(a, isGT, num(math.MaxFloat64)))
	except(compare(choose(isZero, num(1), a), notGE, num(0x1p-1022)))
	// The high half h over 3, then what is left, of 34 bits, in floating point.
	h := shr(imul32(shr(a, 32), bits(0xAAAAAAAB)), 33)
	left := isub(a, shl(iadd(iadd(h, h), h), 32))
	left = sub(or(left, num(1<<52)), num(1<<52))
	third := add(round(mul(left, num(1./3)), down), num(1<<52))
	const b1 = 715094163
	t := isub(iadd(iadd(shl(h, 32), third), bits(b1<<32)), num(1<<52))

	r := div(mul(t, t), a)
	s := add(num(5.42857142857142815906e-01), mul(r, t))
	f := add(add(s, num(1.41428571428571436819e+00)), div(num(-7.05306122448979611050e-01), s))
	t = mul(t, add(num(3.57142857142857150787e-01), div(num(1.60714285714285720630e+00), f)))
	t = iadd(and(t, bits(0xFFFFFFFFC<<28)), bits(1<<30))
	s = mul(t, t)
	r = div(a, s)
	r = div(sub(r, t), add(add(t, t), r))
	t = add(t, mul(t, r))
	return []value{choose(isZero, x[0], or(t, sign(x[0])))}
}

// hypotKernel is math.Hypot on amd64.
func hypotKernel(x []value) []value {
	a, b := abs(x[0]), abs(x[1])
	less := compare(a, isLT, b)
	high, low := choose(less, b, a), choose(less, a, b)
	except(either(compare(high, notLE, num(math.MaxFloat64)), compare(low, notLE, num(math.MaxFloat64))))
	q := div(low, high)
	y := mul(high, sqrt(add(mul(q, q), num(1))))
	return []value{keep(compare(high, isGT, num(0)), y)}
}
