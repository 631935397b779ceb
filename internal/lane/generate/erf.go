package main

// The error function is that of package math, FreeBSD's s_erf.c: a rational function
// of x² below 0.84375, of |x| − 1 below 1.25, and then of 1/x², as a correction of
// exp(−x²)/|x|.

// erfFormula is which of the four holds at a = |x|, and the quotient of polynomials in
// it.
func erfFormula(a value) (small mask, quotient value) {
	small, middle := compare(a, isLT, num(0.84375)), compare(a, isLT, num(1.25))
	f := formula(small, middle, compare(a, isLT, num(1/0.35)))
	z := mul(a, a)
	z = choose(small, z, choose(middle, sub(a, num(1)), div(num(1), z)))
	p := hornerOf(f, z, [4][]float64{
		{1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03, -2.37630166566501626084e-05},
		{-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03},
		{-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00},
		{-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02},
	})
	q := hornerOf(f, z, [4][]float64{
		{1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03, 1.32494738004321644526e-04, -3.96022827877536812320e-06},
		{1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02, 1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02},
		{1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02, 6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00, -6.04244152148580987438e-02},
		{1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03, 3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01},
	})
	return small, div(p, q)
}

const erx = 8.45062911510467529297e-01

// erfTail is 1 − erf a where that is exp(−a²)/a, corrected by the quotient. The square
// is that of the high half of a, and the rest.
func erfTail(a, quotient value) value {
	z := and(a, bits(0xffffffff<<32))
	high := exp(sub(neg(mul(z, z)), num(0.5625)))
	low := exp(add(mul(sub(z, a), add(z, a)), quotient))
	return div(mul(high, low), a)
}

// erfKernel leaves out what is so small that 8x is not.
func erfKernel(x []value) []value {
	a := abs(x[0])
	except(both(compare(a, isLT, num(0x1p-1019)), compare(a, isGT, num(0))))
	small, q := erfFormula(a)
	slope := choose(compare(a, isLT, num(0x1p-28)), num(1.28379167095512586316e-01), q)
	y := choose(small, add(a, mul(a, slope)), add(num(erx), q))
	y = where(compare(a, isGE, num(1.25)), func() value { return sub(num(1), erfTail(a, q)) }, y)
	y = choose(compare(a, isGE, num(6)), num(1), y)
	return []value{xor(y, sign(x[0]))}
}

// erfcKernel leaves out what has an exponential that is not a normal number.
func erfcKernel(x []value) []value {
	a := abs(x[0])
	except(both(compare(x[0], isGT, num(26.5)), compare(x[0], isLT, num(28))))
	negative := compare(x[0], isLT, num(0))
	small, q := erfFormula(a)
	t := add(a, mul(a, q))
	t = choose(compare(a, isLT, num(0.25)), t, add(num(0.5), add(mul(a, q), sub(a, num(0.5)))))
	t = choose(compare(a, isLT, num(0x1p-56)), a, t)
	t = xor(t, sign(x[0]))
	y := choose(small, sub(num(1), t), choose(negative, add(num(1+erx), q), sub(num(1-erx), q)))
	return []value{where(compare(a, isGE, num(1.25)), func() value {
		r := erfTail(a, q)
		r = choose(negative, sub(num(2), r), r)
		r = choose(compare(x[0], isGE, num(28)), num(0), r)
		return choose(compare(x[0], isLT, num(-6)), num(2), r)
	}, y)}
}
