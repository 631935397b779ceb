package code

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
)

// line is an instruction on single numbers, in registers: it sets d. One that is neither
// sum nor product nor division nor root leaves to Go: it is number other of the functions,
// or of the others. (Its size, 16 bytes, is that in lines_amd64.s.)
type line struct {
	op            operation
	d, a, b, c, e uint16
	other         uint32
}

// calls is what lines leave to Go for.
type calls struct {
	others     []Instr
	functions  []op.Code
	primitives []expr.Primitive
}

// operation is what a line does. It may have x, the result of the line before, as an
// operand, which is there sooner than a register that was just set: what a chain of
// operations takes is then what these take alone. Each product and each sum is rounded.
type operation uint8

// lines_amd64.s has them in this order.
const (
	stop     operation = iota // the step ends
	function                  // d = function other of a
	leave                     // others

	move   // d = a
	add    // a + b
	sub    // a − b
	mul    // a·b
	mulAdd // a·b + c
	mulSub // a·b − c
	subMul // c − a·b
	dot    // a·b + c·e
	det    // a·b − c·e
	div    // a/b
	sqrt   // √a

	addX    // x + b
	subX    // x − b
	xSub    // a − x
	mulX    // x·b
	mulXAdd // x·b + c
	mulAddX // a·b + x
	mulXSub // x·b − c
	mulSubX // a·b − x
	subMulX // c − x·b
	xSubMul // x − a·b
	dotX    // x·b + c·e
	detX    // x·b − c·e
	xDet    // a·b − x·e
	divX    // x/b
	xDiv    // a/x
	sqrtX   // √x

	operations
)

// forms is the operation of an instruction, if its operand a or its last is x: that is b
// of a difference or quotient, otherwise c. Sums and products are the same the other way
// round.
var forms = map[Opcode]struct{ plain, first, last operation }{
	Move:   {plain: move},
	Add:    {add, addX, 0},
	Sub:    {sub, subX, xSub},
	Mul:    {mul, mulX, 0},
	MulAdd: {mulAdd, mulXAdd, mulAddX},
	MulSub: {mulSub, mulXSub, mulSubX},
	SubMul: {subMul, subMulX, xSubMul},
	Dot:    {dot, dotX, 0},
	Det:    {det, detX, xDet},
	Div:    {div, divX, xDiv},
	Sqrt:   {sqrt, sqrtX, 0},
}

// lineWriter makes lines of instructions.
type lineWriter struct {
	*calls
	lines []line
	last  int32 // the register of x, the result of the line before; −1 if that has none
}

// add appends the line of an instruction, in the form that has x where an operand is the
// result of the line before. The operands of sums and products are exchanged for that.
func (w *lineWriter) add(in Instr) {
	form, ok := forms[in.Op]
	l := line{op: form.plain}
	switch {
	case !ok && in.Op == Call && in.F.Info().F1 != nil:
		l.op, l.other = function, uint32(len(w.functions))
		w.functions = append(w.functions, in.F)
	case !ok:
		l.op, l.other = leave, uint32(len(w.others))
		w.others = append(w.others, in)
	default:
		at := &in.B // the operand that may be x besides A
		switch in.Op {
		case Add, Mul, MulAdd, MulSub, SubMul, Dot, Det:
			at = &in.C
			if in.Op == Dot && (in.C == w.last || in.E == w.last) {
				in.A, in.B, in.C, in.E = in.C, in.E, in.A, in.B
			}
			if in.B == w.last {
				in.A, in.B = in.B, in.A
			}
			if in.Op == Det && in.E == w.last {
				in.C, in.E = in.E, in.C
			}
		}
		switch {
		case form.first != 0 && in.A == w.last:
			l.op = form.first
		case form.last != 0 && *at == w.last:
			l.op = form.last
		}
	}
	l.d, l.a, l.b, l.c, l.e = uint16(in.D), uint16(in.A), uint16(in.B), uint16(in.C), uint16(in.E)
	if w.last = in.D; l.op <= leave {
		w.last = -1
	}
	w.lines = append(w.lines, l)
}

// ended is the lines that were added, with a stop. The writer then begins anew.
func (w *lineWriter) ended() []line {
	lines := append(w.lines, line{op: stop})
	w.lines, w.last = nil, -1
	return lines
}

// stepping is the steps of a recurrence that are being run. Each starts from the state, which
// is stored in its record, and from its row, which is what it takes in.
type stepping struct {
	lines    []line
	r        []float64
	steps    int // how many are left
	state    int
	records  []float64
	recordAt int // where that of the next step is
	recordBy int
	rows     []float64
	width    int // of a row, which is taken to the registers after the state
	rowAt    int
	rowBy    int
}

// enter has the next step start.
func (s *stepping) enter() {
	copy(s.records[s.recordAt:], s.r[:s.state])
	copy(s.r[s.state:][:s.width], s.rows[s.rowAt:])
	s.recordAt += s.recordBy
	s.rowAt += s.rowBy
	s.steps--
}

// runGo is run on any processor.
func (s *stepping) runGo() {
	for s.steps > 0 {
		s.enter()
		segmentGo(s.lines, s.r)
	}
}

// run runs lines up to a stop.
func (c *calls) run(lines []line, r []float64) {
	for {
		k := segment(lines, r)
		switch l := &lines[k]; l.op {
		case stop:
			return
		case function:
			r[l.d] = c.functions[l.other].Info().F1(r[l.a])
		default:
			c.do(&c.others[l.other], r)
		}
		lines = lines[k+1:]
	}
}

// do runs an instruction that is no line.
func (c *calls) do(in *Instr, r []float64) {
	switch in.Op {
	case Prod:
		r[in.D] = elem.Prod(r[in.A], r[in.B])
	case Select:
		r[in.D] = elem.Select(r[in.A], r[in.B], r[in.C])
	case SoftplusLogistic:
		r[in.D], r[in.C] = elem.SoftplusLogistic(r[in.A])
	case Sincos:
		r[in.D], r[in.C] = math.Sincos(r[in.A])
	case Primitive:
		r[in.D] = c.primitives[in.B].At(int(in.C))(r[in.A])
	default:
		lane.Values(in.F, r[in.D:in.D+1], r[in.A:in.A+1], r[in.B:in.B+1])
	}
}

// segmentGo runs lines up to the first that stops or leaves, and returns which that is.
func segmentGo(lines []line, r []float64) int {
	x := 0.0
	for i := range lines {
		l := &lines[i]
		switch l.op {
		case stop, function, leave:
			return i
		case move:
			x = r[l.a]
		case add:
			x = r[l.a] + r[l.b]
		case sub:
			x = r[l.a] - r[l.b]
		case mul:
			x = r[l.a] * r[l.b]
		case mulAdd:
			x = float64(r[l.a]*r[l.b]) + r[l.c]
		case mulSub:
			x = float64(r[l.a]*r[l.b]) - r[l.c]
		case subMul:
			x = r[l.c] - float64(r[l.a]*r[l.b])
		case dot:
			x = float64(r[l.a]*r[l.b]) + float64(r[l.c]*r[l.e])
		case det:
			x = float64(r[l.a]*r[l.b]) - float64(r[l.c]*r[l.e])
		case div:
			x = r[l.a] / r[l.b]
		case sqrt:
			x = root(r[l.a])
		case addX:
			x += r[l.b]
		case subX:
			x -= r[l.b]
		case xSub:
			x = r[l.a] - x
		case mulX:
			x *= r[l.b]
		case mulXAdd:
			x = float64(x*r[l.b]) + r[l.c]
		case mulAddX:
			x = float64(r[l.a]*r[l.b]) + x
		case mulXSub:
			x = float64(x*r[l.b]) - r[l.c]
		case mulSubX:
			x = float64(r[l.a]*r[l.b]) - x
		case subMulX:
			x = r[l.c] - float64(x*r[l.b])
		case xSubMul:
			x -= float64(r[l.a] * r[l.b])
		case dotX:
			x = float64(x*r[l.b]) + float64(r[l.c]*r[l.e])
		case detX:
			x = float64(x*r[l.b]) - float64(r[l.c]*r[l.e])
		case xDet:
			x = float64(r[l.a]*r[l.b]) - float64(x*r[l.e])
		case divX:
			x /= r[l.b]
		case xDiv:
			x = r[l.a] / x
		case sqrtX:
			x = root(x)
		}
		r[l.d] = x
	}
	panic("code: lines without an end")
}

// root is elem.Sqrt, but for the sign of a NaN: the root of −0 is 0.
func root(x float64) float64 { return math.Sqrt(x) + 0 }
