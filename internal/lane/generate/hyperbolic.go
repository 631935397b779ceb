package main

// tanhKernel is math.Tanh: Cephes, tanh.c. A rational function below 0.625, else
// 1 − 2/(exp(2|x|) + 1), 1 from 44 on.
func tanhKernel(x []value) []value {
	z := abs(x[0])
	e := exp(add(z, z))
	y := sub(num(1), div(num(2), add(e, num(1))))
	y = choose(compare(z, isGT, num(0.5*8.8029691931113054295988e+01)), num(1), y)
	y = or(y, sign(x[0]))
	s := mul(x[0], x[0])
	p := horner(s, -9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
	q := hornerFrom(add(s, num(1.12811678491632931402e2)), s, 2.23548839060100448583e3, 4.84406305325125486048e3)
	r := add(x[0], div(mul(mul(x[0], s), p), q))
	r = or(r, sign(x[0])) // that of −0 is lost
	return []value{choose(compare(z, isGE, num(0.625)), y, r)}
}

// sinhKernel is math.Sinh: by exponentials, a rational function up to ½.
func sinhKernel(x []value) []value {
	expRange(x[0])
	a := abs(x[0])
	e := exp(a)
	y := mul(sub(e, div(num(1), e)), num(0.5))
	y = choose(compare(a, isGT, num(21)), mul(e, num(0.5)), y)
	s := mul(a, a)
	p := mul(horner(s, -0.2630563213397497062819489e+2, -0.2894211355989563807284660366e+4,
		-0.8991272022039509355398013511e+5, -0.6307673640497716991184787251e+6), a)
	q := hornerFrom(add(s, num(-0.173678953558233699533450911e+3)), s, 0.1521517378790019070696485176e+5, -0.6307673640497716991212077277e+6)
	y = choose(compare(a, isGT, num(0.5)), y, div(p, q))
	return []value{xor(y, sign(x[0]))}
}

// coshKernel is math.Cosh.
func coshKernel(x []value) []value {
	expRange(x[0])
	a := abs(x[0])
	e := exp(a)
	y := mul(add(e, div(num(1), e)), num(0.5))
	return []value{choose(compare(a, isGT, num(21)), mul(e, num(0.5)), y)}
}
