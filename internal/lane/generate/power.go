package main

import "math"

// pow is elem.Pow for normal x > 0, y with a fraction and |y·ln x| ≤ 700: see there
// for the algorithm.
func pow(x, y value) value {
	hi, lo := logTwice(x)
	p := mul(y, hi)
	except(compare(abs(p), notLE, num(700)))
	hi, lo = p, add(fma(y, hi, neg(p)), mul(y, lo))

	k := round(mul(hi, num(1/math.Ln2)), nearest)
	hi = sub(hi, mul(k, num(twiceLn2Hi)))
	lo = sub(lo, mul(k, num(twiceLn2Lo)))
	t := add(hi, lo)
	v := exp(t)
	v = add(v, mul(v, sub(lo, sub(t, hi))))
	return iadd(v, exponent(k))
}

const (
	twiceLn2Hi = 0x162e42feep-33
	twiceLn2Lo = math.Ln2 - twiceLn2Hi
)

func logTwice(x value) (hi, lo value) {
	m := or(and(x, bits(1<<52-1)), num(0.5))
	e := sub(or(shr(x, 52), num(1<<52)), num(1<<52+0x3FE))
	small := keep(compare(m, isLT, num(math.Sqrt2/2)), num(1))
	e = sub(e, small)
	m = mul(m, add(small, num(1)))
	n, d := sub(m, num(1)), add(m, num(1))
	s := div(n, d)
	sLo := div(sub(fnma(s, d, n), mul(s, sub(m, sub(d, num(1))))), d)
	q := mul(s, s)
	qLo := add(fma(s, s, neg(q)), mul(add(s, s), sLo))
	const third, thirdLo = 1. / 3, 1./3 - 0x15555555555555p-54
	p := mul(q, num(third))
	pLo := add(add(add(fma(q, num(third), neg(p)), mul(q, num(thirdLo))), mul(qLo, num(third))), mul(mul(q, q), atanhTail(q)))
	r := mul(s, p)
	rLo := add(add(add(fma(s, p, neg(r)), mul(s, pLo)), sLo), mul(sLo, p))
	t := add(s, r)
	rLo = add(rLo, sub(r, sub(t, s)))
	a := mul(e, num(twiceLn2Hi))
	t2 := add(t, t)
	hi = add(a, t2)
	b := sub(hi, a)
	lo = add(add(add(sub(a, sub(hi, b)), sub(t2, b)), add(rLo, rLo)), mul(e, num(twiceLn2Lo)))
	return hi, lo
}

func atanhTail(q value) value {
	w := mul(q, q)
	even := horner(w, 1./25, 1./21, 1./17, 1./13, 1./9, 1./5)
	odd := horner(w, 1./23, 1./19, 1./15, 1./11, 1./7)
	return add(even, mul(odd, q))
}

// powKernel leaves out what is no number, a bound or a whole power.
func powKernel(x []value) []value {
	except(either(compare(x[0], notGE, num(0x1p-1022)), compare(x[0], isGT, num(math.MaxFloat64))))
	except(compare(x[1], isEQ, round(x[1], toZero)))
	return []value{pow(x[0], x[1])}
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
