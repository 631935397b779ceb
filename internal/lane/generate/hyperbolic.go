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
