package main

import "math"

// atan is the arctangent of x ≥ 0, as math.Atan computes it: Cephes, atan.c. A
// rational function of x up to 0.66, of −1/x from tan 3π/8 on, of (x − 1)/(x + 1)
// between.
func atan(x value) value {
	const more = 6.123233995736765886130e-17
	small := compare(x, isLE, num(0.66))
	large := compare(x, isGT, num(2.41421356237309504880))
	t := div(choose(large, num(1), sub(x, num(1))), choose(large, x, add(x, num(1))))
	t = choose(small, x, t)
	z := mul(t, t)
	p := horner(z, -8.750608600031904122785e-01, -1.615753718733365076637e+01, -7.500855792314704667340e+01,
		-1.228866684490136173410e+02, -6.485021904942025371773e+01)
	q := hornerFrom(add(z, num(2.485846490142306297962e+01)), z, 1.650270098316988542046e+02, 4.328810604912902668951e+02,
		4.853903996359136964868e+02, 1.945506571482613964425e+02)
	y := add(mul(t, div(mul(z, p), q)), t)
	beyond := choose(large, add(sub(num(math.Pi/2), y), num(more)), add(add(num(math.Pi/4), y), num(0.5*more)))
	return choose(small, y, beyond)
}

func atanKernel(x []value) []value {
	return []value{xor(atan(abs(x[0])), sign(x[0]))}
}

// asin is math.Asin for |x| ≤ 1: the arctangent of x/√(1 − x²) or of the inverse.
func asin(x value) value {
	except(compare(abs(x), notLE, num(1)))
	a := abs(x)
	root := sqrt(sub(num(1), mul(a, a)))
	large := compare(a, isGT, num(0.7))
	y := atan(div(choose(large, root, a), choose(large, a, root)))
	y = choose(large, sub(num(math.Pi/2), y), y)
	return xor(y, sign(x))
}

func asinKernel(x []value) []value { return []value{asin(x[0])} }

func acosKernel(x []value) []value { return []value{sub(num(math.Pi/2), asin(x[0]))} }

// atan2Kernel is math.Atan2 of numbers that are neither 0 nor infinite.
func atan2Kernel(x []value) []value {
	for _, x := range x {
		except(either(compare(abs(x), notLE, num(math.MaxFloat64)), compare(x, isEQ, num(0))))
	}
	t := div(x[0], x[1])
	q := xor(atan(abs(t)), sign(t))
	left := choose(compare(q, isLE, num(0)), add(q, num(math.Pi)), sub(q, num(math.Pi)))
	return []value{choose(compare(x[1], isLT, num(0)), left, q)}
}
