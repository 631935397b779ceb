package main

import "strings"

// of is the kind of a loop from arrays and constants.
func of(src, constants string) kind {
	return kind{dst: []string{"dst"}, src: strings.Fields(src), constants: strings.Fields(constants)}
}

// one is a body with one result.
func one(y value) []value { return []value{y} }

// loops is arithmetic: what package lane says a function of the name does.
var loops = []loop{
	{"add", of("x y", ""), func(x []value) []value { return one(add(x[0], x[1])) }},
	{"sub", of("x y", ""), func(x []value) []value { return one(sub(x[0], x[1])) }},
	{"mul", of("x y", ""), func(x []value) []value { return one(mul(x[0], x[1])) }},
	{"div", of("x y", ""), func(x []value) []value { return one(div(x[0], x[1])) }},
	{"prod", of("x y", ""), func(x []value) []value {
		p := mul(x[0], x[1])
		m := both(compare(p, isNaN, p), either(compare(x[0], isEQ, num(0)), compare(x[1], isEQ, num(0))))
		return one(choose(m, num(0), p))
	}},
	{"max", of("x y", ""), func(x []value) []value {
		return one(choose(either(compare(x[0], isLT, x[1]), compare(x[1], isNaN, x[1])), x[1], x[0]))
	}},
	{"min", of("x y", ""), func(x []value) []value {
		return one(choose(either(compare(x[1], isLT, x[0]), compare(x[1], isNaN, x[1])), x[1], x[0]))
	}},
	{"selectIf", of("c x y", ""), func(x []value) []value {
		y := choose(compare(x[0], isGT, num(0)), x[1], x[2])
		return one(choose(compare(x[0], isNaN, x[0]), x[0], y))
	}},

	{"addReal", of("x", "c"), func(x []value) []value { return one(add(x[0], x[1])) }},
	{"rsub", of("x", "c"), func(x []value) []value { return one(sub(x[1], x[0])) }},
	{"scale", of("x", "c"), func(x []value) []value { return one(mul(x[1], x[0])) }},
	{"rdiv", of("x", "c"), func(x []value) []value { return one(div(x[1], x[0])) }},
	{"mulScale", of("x y", "c"), func(x []value) []value { return one(mul(mul(x[0], x[1]), x[2])) }},
	{"scaleMul", of("x y", "c"), func(x []value) []value { return one(mul(mul(x[2], x[0]), x[1])) }},

	{"neg", of("x", ""), func(x []value) []value { return one(neg(x[0])) }},
	{"abs", of("x", ""), func(x []value) []value { return one(abs(x[0])) }},
	{"sqrt", of("x", ""), func(x []value) []value { return one(abs(sqrt(x[0]))) }},
	{"floor", of("x", ""), func(x []value) []value { return one(round(x[0], down)) }},
	{"ceil", of("x", ""), func(x []value) []value { return one(round(x[0], up)) }},
	{"trunc", of("x", ""), func(x []value) []value { return one(round(x[0], toZero)) }},

	{"addMul", of("a x y", ""), func(x []value) []value { return one(add(x[0], mul(x[1], x[2]))) }},
	{"mul2", of("p x q y", ""), func(x []value) []value { return one(add(mul(x[0], x[1]), mul(x[2], x[3]))) }},
	{"scaleMul2", of("p x q y", "c"), func(x []value) []value {
		return one(mul(x[4], add(mul(x[0], x[1]), mul(x[2], x[3]))))
	}},
	{"addScaleMul", of("dst x y", "c"), func(x []value) []value { return one(add(x[0], mul(mul(x[3], x[1]), x[2]))) }},
	{"addScaleMul2", of("dst p x q y", "c"), func(x []value) []value {
		return one(add(x[0], mul(x[5], add(mul(x[1], x[2]), mul(x[3], x[4])))))
	}},
	{"axpy", of("dst x", "c"), func(x []value) []value { return one(add(x[0], mul(x[2], x[1]))) }},
	{"axpy2", of("dst x y", "c d"), func(x []value) []value {
		return one(add(x[0], add(mul(x[3], x[1]), mul(x[4], x[2]))))
	}},
}
