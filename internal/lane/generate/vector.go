package main

import (
	"fmt"
	"log"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The words that kernels are written in. Each takes values and returns a new
// one, rounds as the scalar instruction does, and stands for one instruction, or
// two where a constant is the first operand. Arguments are never changed but
// where it says so.

// width is how many lanes a register has: 4 (AVX2) or 8 (AVX-512).
var width int

// value is a number a lane: a register or a constant in memory. A mask is a
// value whose bits are all the same, in AVX-512 a mask register.
type (
	value = Op
	mask  = Op
)

func wide() bool { return width == 8 }

func newRegister() reg.VecVirtual {
	if wide() {
		return ZMM()
	}
	return YMM()
}

// four is the bits of four lanes, those of the next four too.
type four [4]uint64

// constants is the table of all constants, each as long as the widest register.
var constants struct {
	place map[four]int
	list  []four
}

const table = "constants"

// constant is a constant with other bits in each lane.
func constant(u four) value {
	at, ok := constants.place[u]
	if !ok {
		if constants.place == nil {
			constants.place = map[four]int{}
		}
		at = len(constants.list)
		constants.place[u] = at
		constants.list = append(constants.list, u)
	}
	return Mem{Symbol: Symbol{Name: table, Static: true}, Base: reg.StaticBase, Disp: at * 8 * widest}
}

// bits is a constant by its bits.
func bits(u uint64) value { return constant(four{u, u, u, u}) }

// num is a constant.
func num(x float64) value { return bits(math.Float64bits(x)) }

// writeConstants writes the table.
func writeConstants() {
	GLOBL(table, attr.RODATA|attr.NOPTR)
	for i, u := range constants.list {
		for k := range widest {
			DATA((i*widest+k)*8, U64(u[k%len(u)]))
		}
	}
}

// inRegister is x in a register.
func inRegister(x value) value {
	if m, ok := x.(Mem); ok {
		r := newRegister()
		VMOVUPD(m, r)
		return r
	}
	return x
}

// copyOf is a register that is x and may be changed.
func copyOf(x value) reg.VecVirtual {
	d := newRegister()
	VMOVUPD(x, d)
	return d
}

// set changes x, which is one's own, to y.
func set(x reg.VecVirtual, y value) { VMOVUPD(y, x) }

type instruction = func(ops ...Op)

// two is the instruction f on a and b, in this order.
func two(f instruction, a, b value) value {
	a = inRegister(a)
	d := newRegister()
	f(b, a, d)
	return d
}

// swap is two where a and b may be exchanged.
func swap(f instruction, a, b value) value {
	if _, ok := a.(Mem); ok {
		a, b = b, a
	}
	return two(f, a, b)
}

func add(a, b value) value { return swap(VADDPD, a, b) }
func sub(a, b value) value { return two(VSUBPD, a, b) }
func mul(a, b value) value { return swap(VMULPD, a, b) }
func div(a, b value) value { return two(VDIVPD, a, b) }

func sqrt(a value) value {
	d := newRegister()
	VSQRTPD(a, d)
	return d
}

// fma is a·b + c, rounded once.
func fma(a, b, c value) value {
	d := newRegister()
	VMOVUPD(a, d)
	VFMADD213PD(c, inRegister(b), d)
	return d
}

// fnma is c − a·b, rounded once.
func fnma(a, b, c value) value {
	d := newRegister()
	VMOVUPD(c, d)
	VFNMADD231PD(b, inRegister(a), d)
	return d
}

// horner is (…(c₀x + c₁)x + …)x + cₙ, each product and sum rounded.
func horner(x value, c ...float64) value {
	p := num(c[0])
	for _, c := range c[1:] {
		p = mul(p, x)
		p = add(p, num(c))
	}
	return p
}

// hornerFrom is horner from a first value that is no constant.
func hornerFrom(p, x value, c ...float64) value {
	for _, c := range c {
		p = mul(p, x)
		p = add(p, num(c))
	}
	return p
}

// hornerFMA is horner with products that are not rounded.
func hornerFMA(x value, c ...float64) value {
	p := inRegister(num(c[0]))
	for _, c := range c[1:] {
		VFMADD213PD(num(c), x, p)
	}
	return p
}

// Bits.

func and(a, b value) value { return swap(VANDPD, a, b) }
func or(a, b value) value  { return swap(VORPD, a, b) }
func xor(a, b value) value { return swap(VXORPD, a, b) }

var signBit = math.Float64bits(math.Copysign(0, -1))

func abs(x value) value  { return and(x, bits(^signBit)) }
func sign(x value) value { return and(x, bits(signBit)) }
func neg(x value) value  { return xor(x, bits(signBit)) }

// Integers of 64 bits.

func iadd(a, b value) value { return swap(VPADDQ, a, b) }
func isub(a, b value) value { return two(VPSUBQ, a, b) }

func shl(x value, n int) value {
	d := newRegister()
	VPSLLQ(U8(n), inRegister(x), d)
	return d
}

func shr(x value, n int) value {
	d := newRegister()
	VPSRLQ(U8(n), inRegister(x), d)
	return d
}

// imul32 is the product of the low halves.
func imul32(a, b value) value { return swap(VPMULUDQ, a, b) }

// Rounding to integers.

const (
	nearest = 0
	down    = 1
	up      = 2
	toZero  = 3
)

func round(x value, mode uint8) value {
	d := newRegister()
	if wide() {
		VRNDSCALEPD(U8(mode), x, d)
	} else {
		VROUNDPD(U8(mode), x, d)
	}
	return d
}

// An integer k, |k| < 2⁵¹, is in the low bits of k + shifter, which is exact:
// shifted left by 52, the bits are those of k as an exponent.
const shifter = 0x1.8p52

// Comparisons. The names say what holds where an operand is NaN.

const (
	isEQ  = 0
	isLT  = 1
	isLE  = 2
	isNaN = 3
	notEQ = 4
	notLT = 5
	notLE = 6
	notGE = 9
	notGT = 10
	isGE  = 13
	isGT  = 14
)

func compare(a value, how uint8, b value) mask {
	if wide() {
		k := K()
		VCMPPD(U8(how), b, inRegister(a), k)
		return k
	}
	d := newRegister()
	VCMPPD(U8(how), b, inRegister(a), d)
	return d
}

// fromSign is the mask of the lanes of x whose sign bit is set.
func fromSign(x value) mask {
	if wide() {
		k := K()
		VPMOVQ2M(x, k)
		return k
	}
	return x // whose other bits nobody reads
}

// both is a and b.
func both(a, b mask) mask {
	if wide() {
		k := K()
		KANDB(a, b, k)
		return k
	}
	return and(a, b)
}

// either is a or b.
func either(a, b mask) mask {
	if wide() {
		k := K()
		KORB(a, b, k)
		return k
	}
	return or(a, b)
}

// choose is yes where m, else no.
func choose(m mask, yes, no value) value {
	d := newRegister()
	if wide() {
		VBLENDMPD(yes, inRegister(no), m, d)
	} else {
		VBLENDVPD(m, yes, inRegister(no), d)
	}
	return d
}

// keep is x where m, else 0.
func keep(m mask, x value) value {
	if wide() {
		return choose(m, x, zero())
	}
	return and(m, x)
}

func zero() value {
	d := newRegister()
	VXORPD(d, d, d)
	return d
}

// test prepares a jump: JNE if m holds in a lane, JEQ if in none.
func test(m mask) {
	t := GP32()
	if wide() {
		KMOVB(m, t)
	} else {
		VMOVMSKPD(m, t)
	}
	TESTL(t, t)
}

// inLoop says that all lanes are done.
var inLoop bool

// except ends the kernel where m holds in a lane: what is in the registers then
// is left to the scalar function.
func except(m mask) {
	if inLoop {
		log.Fatal("a loop that leaves lanes out")
	}
	test(m)
	JNE(LabelRef("done"))
}

// branch is yes() where m holds, else no; yes is left out if m holds in no lane.
func branch(m mask, yes func() []value, no []value) (all []value) {
	end := label()
	var d []reg.VecVirtual
	for _, no := range no {
		d = append(d, copyOf(no))
		all = append(all, d[len(d)-1])
	}
	test(m)
	JEQ(LabelRef(end))
	for k, y := range yes() {
		set(d[k], choose(m, y, d[k]))
	}
	Label(end)
	return all
}

// where is branch of one value.
func where(m mask, yes func() value, no value) value {
	return branch(m, func() []value { return one(yes()) }, one(no))[0]
}

// one is a list of one value.
func one(y value) []value { return []value{y} }

// untilZero repeats step, which changes i, until i is 0 in all lanes.
func untilZero(i reg.VecVirtual, step func()) {
	begin, end := label(), label()
	Label(begin)
	if wide() {
		k, t := K(), GP32()
		VPTESTMQ(i, i, k)
		KMOVB(k, t)
		TESTL(t, t)
	} else {
		VPTEST(i, i)
	}
	JEQ(LabelRef(end))
	step()
	JMP(LabelRef(begin))
	Label(end)
}

var labels int

// label is a new label.
func label() string {
	labels++
	return fmt.Sprint("label", labels)
}

// One of four formulas in each lane.

// formula is the formula of a lane, by whether each condition holds, the first that
// does: constants then are picked by it.
func formula(conditions ...mask) value {
	index := func(k uint64) value {
		if wide() {
			return bits(k)
		}
		return bits(2*k + (2*k+1)<<32) // of halves
	}
	f := index(uint64(len(conditions)))
	for k := len(conditions) - 1; k >= 0; k-- {
		f = choose(conditions[k], index(uint64(k)), f)
	}
	return f
}

// pick is the constant of the formula of each lane.
func pick(f value, c [4]float64) value {
	var u four
	for k, c := range c {
		u[k] = math.Float64bits(c)
	}
	d := newRegister()
	if wide() {
		VPERMPD(constant(u), f, d)
	} else {
		VPERMD(constant(u), f, d)
	}
	return d
}

// hornerOf is horner with the coefficients of the formula of each lane, the last
// being that of the highest power.
func hornerOf(f, x value, c [4][]float64) value {
	n := 0
	for _, c := range c {
		n = max(n, len(c))
	}
	var p value
	for k := n - 1; k >= 0; k-- {
		var next [4]float64
		for i, c := range c {
			if k < len(c) {
				next[i] = c[k]
			}
		}
		q := pick(f, next)
		if p != nil {
			q = add(q, mul(p, x))
		}
		p = q
	}
	return p
}
