// Package series has the recurrences by which the functions of package op take truncated
// Taylor polynomials: a table of short programs, and the machine that runs them, on one
// polynomial for [dual.Taylor], on the lanes of a batch for sweeps over tapes.
//
// With xₖ the coefficient of tᵏ in x(t), each instruction determines that of its result,
// k = 0, 1, …, K in turn, from coefficients that are known by then (Griewank and Walther:
// Evaluating Derivatives, 2nd ed., 2008, section 13.2):
//
//	product   z = c·xy      zₖ = c·Σ_{j=0…k} xⱼyₖ₋ⱼ
//	quotient  z = x/y       zₖ = (xₖ − Σ_{j=1…k} yⱼzₖ₋ⱼ)/y₀
//	integral  z′ = c·xy′    zₖ = (c/k)·Σ_{j=1…k} j·yⱼxₖ₋ⱼ
//
// and sums and multiples. A function f of x with the derivative w is z = f(x) by z′ = wx′,
// and a differential equation for w. So the derivative's own polynomial is at hand, which is
// what a reverse sweep multiplies by. The coefficients z₀ and w₀ are given: they are the value
// and the partial derivative of package elem.
package series

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
)

// Lanes is N polynomials: coefficient k of lane i is P[k·Stride+i].
type Lanes struct {
	P         []float64
	Stride, N int
}

// At is the coefficients of tᵏ.
func (x Lanes) At(k int) []float64 { return x.P[k*x.Stride:][:x.N] }

// The registers of a program.
const (
	None = iota - 1
	X    // the first operand
	Y    // the second one; of an operation with a constant that in place of t⁰
	Z    // the result
	DX   // its partial derivative by x
	DY   // and by y
	s0   // working memory
	s1
	s2
	s3
	Registers int = iota - 1 // how many there are
)

// Program is the instructions for an operation.
type Program struct {
	value, partials []instruction
	// By is where the partial derivatives are: in DX and DY, unless they are an operand or the
	// result itself.
	By [2]int
	// Given says that coefficient 0 of DX is to be set before Run, as that of Z always is.
	Given bool
	// Far reports whether operands and result are so large or small that the instructions
	// overflow or lose coefficients; nil if that cannot be.
	Far func(x, y, z float64) bool

	uses [2]uint // bit sets of registers: for the value, and for the partial derivatives too
}

type kind uint8

const (
	product kind = iota
	quotient
	integral
	multiple // c·x + d
	plus     // x + y
	scaled   // x·y₀
)

type instruction struct {
	kind
	z, x, y int
	c, d    float64
	start   func(y float64) float64 // of an integral, z as a function of y
}

func mul(z, x, y int) instruction   { return instruction{kind: product, z: z, x: x, y: y, c: 1} }
func div(z, x, y int) instruction   { return instruction{kind: quotient, z: z, x: x, y: y, c: 1} }
func ode(z, x, y int) instruction   { return instruction{kind: integral, z: z, x: x, y: y, c: 1} }
func add(z, x, y int) instruction   { return instruction{kind: plus, z: z, x: x, y: y} }
func scale(z, x, y int) instruction { return instruction{kind: scaled, z: z, x: x, y: y} }
func line(z int, c float64, x int, d float64) instruction {
	return instruction{kind: multiple, z: z, x: x, c: c, d: d}
}

// times is i with another factor c.
func (i instruction) times(c float64) instruction {
	i.c = c
	return i
}

// from is i with z as a function of y.
func (i instruction) from(start func(y float64) float64) instruction {
	i.start = start
	return i
}

// unary is the program of a function of x with the derivative DX.
func unary(value ...instruction) *Program {
	return &Program{value: value, By: [2]int{DX, None}, Given: true}
}

// far reports whether a number is 0, or so large or small that its powers are not numbers.
func far(v float64) bool {
	const small = 0x1p-900
	return !(small < math.Abs(v) && math.Abs(v) < 1/small)
}

// of1MinusSquare sets s2 to 1 − x².
var of1MinusSquare = []instruction{line(s0, -1, X, 1), line(s1, 1, X, 1), mul(s2, s0, s1)}

// of1PlusSquare sets s2 to 1 + x².
var of1PlusSquare = []instruction{mul(s0, X, X), line(s2, 1, s0, 1)}

// overRoot adds w′ = −½wu′/u, w = DX a multiple of u^(−½), for u = s2.
func overRoot(u []instruction) *Program {
	return unary(append(u[:len(u):len(u)], ode(DX, s3, s2).times(-0.5), div(s3, DX, s2), ode(Z, DX, X))...)
}

// over adds w = 1/u for u = s2.
func over(u []instruction) *Program {
	return unary(append(u[:len(u):len(u)], div(DX, None, s2), ode(Z, DX, X))...)
}

var (
	multiplication = &Program{value: []instruction{mul(Z, X, Y)}, By: [2]int{Y, X}}
	inverse        = &Program{value: []instruction{div(Z, None, X)}, partials: []instruction{div(DX, Z, X).times(-1)}, By: [2]int{DX, None}, Given: true}
	circular       = unary(ode(Z, DX, X), ode(DX, Z, X).times(-1))
	hyperbolic     = unary(ode(Z, DX, X), ode(DX, Z, X))
	logarithm      = unary(div(DX, None, X), ode(Z, DX, X))
	gaussian       = unary(mul(s0, X, X).times(-1), ode(DX, DX, s0), ode(Z, DX, X))
	power          = func() *Program {
		p := unary(ode(Z, DX, X), div(s0, Z, X), scale(DX, s0, Y))
		p.Far = func(x, _, z float64) bool { return far(x) || far(z) }
		return p
	}()
)

// root is the program of x^c.
func root(c float64) *Program {
	return unary(ode(Z, DX, X), div(s0, Z, X), line(DX, c, s0, 0))
}

// tangents is the program of a function with z′ = (1 + cz²)x′.
func tangents(c float64) *Program { return unary(ode(Z, DX, X), mul(DX, Z, Z).times(c)) }

var programs = [op.Count]*Program{
	op.Mul:  multiplication,
	op.Prod: multiplication,
	op.Div: {
		value: []instruction{div(Z, X, Y)}, By: [2]int{DX, DY},
		partials: []instruction{div(DX, None, Y), mul(DY, Z, DX).times(-1)},
	},
	op.RDiv:    inverse,
	op.Inv:     inverse,
	op.Square:  {value: []instruction{mul(Z, X, X)}, partials: []instruction{line(DX, 2, X, 0)}, By: [2]int{DX, None}},
	op.Sqrt:    root(1. / 2),
	op.Cbrt:    root(1. / 3),
	op.PowReal: power,
	op.PowInt:  power,
	op.Pow: {
		value:    []instruction{div(s0, None, X), ode(s1, s0, X).from(math.Log), mul(s2, Y, s1), ode(Z, Z, s2)},
		partials: []instruction{mul(s3, Y, s0), mul(DX, Z, s3), mul(DY, Z, s1)},
		By:       [2]int{DX, DY},
		Far:      func(x, y, z float64) bool { return !(x > 0) || far(x) || far(z) },
	},
	op.Hypot: {
		value: []instruction{ode(s0, DX, X), ode(s1, DY, Y), add(Z, s0, s1), div(DX, X, Z), div(DY, Y, Z)},
		By:    [2]int{DX, DY},
		Far:   func(_, _, z float64) bool { return z == 0 },
	},
	op.Atan2: {
		value: []instruction{
			mul(s0, X, X), mul(s1, Y, Y), add(s2, s0, s1), div(DX, Y, s2), div(DY, X, s2).times(-1),
			ode(s0, DX, X), ode(s1, DY, Y), add(Z, s0, s1),
		},
		By: [2]int{DX, DY},
		Far: func(y, x, _ float64) bool {
			r := math.Max(math.Abs(x), math.Abs(y))
			return !(0x1p-500 < r && r < 0x1p500)
		},
	},
	op.Exp:      {value: []instruction{ode(Z, Z, X)}, By: [2]int{Z, None}},
	op.Exp2:     unary(ode(Z, DX, X), line(DX, math.Ln2, Z, 0)),
	op.Expm1:    unary(ode(Z, DX, X), line(DX, 1, Z, 1)),
	op.Log:      logarithm,
	op.Log2:     logarithm,
	op.Log10:    logarithm,
	op.Log1p:    over([]instruction{line(s2, 1, X, 1)}),
	op.Sin:      circular,
	op.Cos:      circular,
	op.Sinh:     hyperbolic,
	op.Cosh:     hyperbolic,
	op.Tan:      tangents(1),
	op.Tanh:     tangents(-1),
	op.Asin:     overRoot(of1MinusSquare),
	op.Acos:     overRoot(of1MinusSquare),
	op.Acosh:    overRoot(of1MinusSquare),
	op.Asinh:    overRoot(of1PlusSquare),
	op.Atan:     over(of1PlusSquare),
	op.Atanh:    over(of1MinusSquare),
	op.Erf:      gaussian,
	op.Erfc:     gaussian,
	op.Logistic: unary(ode(Z, DX, X), line(s0, -1, Z, 1), mul(DX, Z, s0)),
	op.Softplus: unary( // w′ = w(1 − w)x′
		ode(DX, s1, X), ode(s0, s1, X).times(-1).from(func(x float64) float64 { return elem.Logistic(-x) }), mul(s1, DX, s0), ode(Z, DX, X)),
}

// Of is the program of an operation, nil if it has none.
func Of(code op.Code) *Program { return programs[code] }

func init() {
	for _, p := range programs {
		if p == nil {
			continue
		}
		p.uses = [2]uint{1 << Z, 1 << Z}
		for n, part := range [2][]instruction{p.value, p.partials} {
			for _, i := range part {
				for k := n; k < 2; k++ {
					p.uses[k] |= 1 << i.z
				}
			}
		}
	}
}

// Uses reports whether the program writes to a register, with or without partial derivatives.
func (p *Program) Uses(register int, partials bool) bool {
	n := 0
	if partials {
		n = 1
	}
	return p.uses[n]>>register&1 != 0
}

// Run computes the coefficients up to the order in the registers r, those of the partial
// derivatives too if these are wanted. The operands and what is given must be set.
func (p *Program) Run(r *[Registers]Lanes, order int, partials bool) {
	parts := [2][]instruction{p.value, p.partials}
	if !partials {
		parts[1] = nil
	}
	for k := 0; k <= order; k++ {
		for _, part := range parts {
			for n := range part {
				if i := &part[n]; k > 0 {
					i.step(r, k)
				} else if i.z != Z && !(i.z == DX && p.Given) {
					i.begin(r)
				}
			}
		}
	}
}

// begin computes coefficient 0.
func (i *instruction) begin(r *[Registers]Lanes) {
	z := r[i.z].At(0)
	var x, y []float64
	if i.x != None {
		x = r[i.x].At(0)
	}
	if i.kind != multiple {
		y = r[i.y].At(0)
	}
	switch i.kind {
	case product:
		for l := range z {
			z[l] = i.c * elem.Prod(x[l], y[l])
		}
	case quotient:
		for l := range z {
			if x == nil {
				z[l] = i.c / y[l]
			} else {
				z[l] = i.c * x[l] / y[l]
			}
		}
	case integral:
		for l := range z {
			if i.start != nil {
				z[l] = i.start(y[l])
			}
		}
	case multiple:
		for l := range z {
			z[l] = float64(i.c*x[l]) + i.d
		}
	case plus:
		lane.Add(z, x, y)
	case scaled:
		lane.Mul(z, x, y)
	}
}

// step computes coefficient k ≥ 1.
func (i *instruction) step(r *[Registers]Lanes, k int) {
	if r[Z].Stride == 1 {
		i.one(r, k)
		return
	}
	z := r[i.z].At(k)
	switch i.kind {
	case product:
		Product(z, r[i.x], r[i.y], k, i.c)
	case quotient:
		y, q := r[i.y], r[i.z]
		lane.Convolve(z, y.P, q.P, y.Stride, q.Stride, k, 1, k, -1)
		if i.x != None {
			lane.Axpy(z, r[i.x].At(k), i.c)
		}
		lane.Div(z, z, y.At(0))
	case integral:
		x, y := r[i.x], r[i.y]
		lane.ConvolveDerivative(z, y.P, x.P, y.Stride, x.Stride, k, 1, k, i.c/float64(k))
	case multiple:
		lane.Scale(z, r[i.x].At(k), i.c)
	case plus:
		lane.Add(z, r[i.x].At(k), r[i.y].At(k))
	case scaled:
		lane.Mul(z, r[i.x].At(k), r[i.y].At(0))
	}
}

// Product sets z to c·Σ xⱼyₖ₋ⱼ. That is half the work if x and y are one.
func Product(z []float64, x, y Lanes, k int, c float64) {
	if &x.P[0] != &y.P[0] {
		lane.Convolve(z, x.P, y.P, x.Stride, y.Stride, k, 0, k, c)
		return
	}
	lane.Convolve(z, x.P, y.P, x.Stride, y.Stride, k, 0, (k+1)/2-1, 2*c)
	if k%2 == 0 {
		lane.AddScaleMul(z, x.At(k/2), x.At(k/2), c)
	}
}

// one is step for one polynomial, whose coefficients are consecutive: by derivative products,
// which are 0 if a factor is, where plain ones are not finite.
func (i *instruction) one(r *[Registers]Lanes, k int) {
	var x, y []float64
	if i.x != None {
		x = r[i.x].P
	}
	if i.kind != multiple {
		y = r[i.y].P
	}
	z := r[i.z].P
	switch i.kind {
	case product:
		z[k] = i.c * Sum(x, y, k, 0)
	case quotient:
		s := 0.0
		if x != nil {
			s = float64(i.c * x[k])
		}
		s -= Sum(y, z, k, 1)
		z[k] = Quotient(s, y[0])
	case integral:
		s := 0.0
		for j := 1; j <= k; j++ {
			s += float64(float64(j) * y[j] * x[k-j])
		}
		if s-s != 0 {
			s = 0
			for j := 1; j <= k; j++ {
				s += elem.Prod(float64(j)*y[j], x[k-j])
			}
		}
		z[k] = i.c * s / float64(k)
	case multiple:
		z[k] = i.c * x[k]
	case plus:
		z[k] = x[k] + y[k]
	case scaled:
		z[k] = elem.Prod(x[k], y[0])
	}
}

// Powered reports whether x^n goes by products: other instructions would divide by x, and
// lose where the coefficients end.
func Powered(n float64) bool { return 1 < n && n <= 64 && n == math.Trunc(n) }

// Power sets Z to xⁿ but for its given coefficient 0 and, with partials, DX to nxⁿ⁻¹, for an n
// that is Powered, by squaring and multiplication.
func Power(r *[Registers]Lanes, n, order int, partials bool) {
	run := func(from int, i instruction) {
		for k := from; k <= order; k++ {
			if k == 0 {
				i.begin(r)
			} else {
				i.step(r, k)
			}
		}
	}
	base, p := X, None // x^(2^j), and the product of some of these
	for left := n - 1; ; {
		if left&1 != 0 {
			switch p {
			case None:
				p = s3
				run(0, line(p, 1, base, 0))
			case s3:
				p = s2
				run(0, mul(p, s3, base))
			default:
				p = s3
				run(0, mul(p, s2, base))
			}
		}
		if left >>= 1; left == 0 {
			break
		}
		next := s0
		if base == s0 {
			next = s1
		}
		run(0, mul(next, base, base))
		base = next
	}
	run(1, mul(Z, p, X))
	if partials {
		run(0, line(DX, float64(n), p, 0))
	}
}

// Sum is Σ xⱼyₖ₋ⱼ over lo ≤ j ≤ k, by derivative products where it is not finite.
func Sum(x, y []float64, k, lo int) float64 {
	s := 0.0
	for j := lo; j <= k; j++ {
		s += float64(x[j] * y[k-j])
	}
	if s-s == 0 {
		return s
	}
	s = 0
	for j := lo; j <= k; j++ {
		s += elem.Prod(x[j], y[k-j])
	}
	return s
}

// Quotient is p/q, by the derivative product where that is not finite.
func Quotient(p, q float64) float64 {
	if z := p / q; z-z == 0 && q-q == 0 {
		return z
	}
	return elem.Prod(p, 1/q)
}
