package main

import "math"

// Sine and cosine are those of Cephes, sin.c, as package math has them: with
// |x| = j·π/4 + z, j even and |z| ≤ π/4, a polynomial in z², and signs and which
// of the two by the bits of j. From 2²⁹ on package math reduces otherwise.

// octant is z and j, in the low bits of a number, for 0 ≤ x < 2²⁹.
func octant(x value) (z, j value) {
	j = add(round(mul(x, num(4/math.Pi)), toZero), num(1<<52))
	j = iadd(j, and(j, bits(1)))
	y := sub(j, num(1<<52))
	z = sub(x, mul(y, num(7.85398125648498535156e-1)))
	z = sub(z, mul(y, num(3.77489470793079817668e-8)))
	z = sub(z, mul(y, num(2.69515142907905952645e-15)))
	return z, j
}

func trigRange(x value) { except(compare(abs(x), notLT, num(1<<29))) }

func sinPolynomial(z, zz value) value {
	p := horner(zz, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1)
	return add(z, mul(mul(z, zz), p))
}

func cosPolynomial(zz value) value {
	p := horner(zz, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2)
	return add(sub(num(1), mul(num(0.5), zz)), mul(mul(zz, zz), p))
}

// The sign of the sine is that of x, changed where j has the bit 4; the cosine's
// is the bit 4 and the bit 2; where j has the bit 2 the polynomials are exchanged.

func sinKernel(x []value) []value {
	trigRange(x[0])
	z, j := octant(abs(x[0]))
	zz := mul(z, z)
	y := choose(fromSign(shl(j, 62)), cosPolynomial(zz), sinPolynomial(z, zz))
	return []value{xor(y, sign(xor(x[0], shl(j, 61))))}
}

func cosKernel(x []value) []value {
	trigRange(x[0])
	z, j := octant(abs(x[0]))
	zz := mul(z, z)
	swapped := shl(j, 62)
	y := choose(fromSign(swapped), sinPolynomial(z, zz), cosPolynomial(zz))
	return []value{xor(y, sign(xor(swapped, shl(j, 61))))}
}

func sincosKernel(x []value) []value {
	trigRange(x[0])
	z, j := octant(abs(x[0]))
	zz := mul(z, z)
	s, c := sinPolynomial(z, zz), cosPolynomial(zz)
	swapped, negative := shl(j, 62), shl(j, 61)
	m := fromSign(swapped)
	sin := xor(choose(m, c, s), sign(xor(x[0], negative)))
	cos := xor(choose(m, s, c), sign(xor(swapped, negative)))
	return []value{sin, cos}
}

// tanKernel is math.Tan: Cephes, tan.c.
func tanKernel(x []value) []value {
	trigRange(x[0])
	z, j := octant(abs(x[0]))
	zz := mul(z, z)
	p := mul(zz, horner(zz, -1.30936939181383777646e4, 1.15351664838587416140e6, -1.79565251976484877988e7))
	q := hornerFrom(add(zz, num(1.36812963470692954678e4)), zz, -1.32089234440210967447e6, 2.50083801823357915839e7, -5.38695755929454629881e7)
	y := choose(compare(zz, isGT, num(1e-14)), add(z, mul(z, div(p, q))), z)
	y = choose(fromSign(shl(j, 62)), div(num(-1), y), y)
	return []value{xor(y, sign(x[0]))}
}
