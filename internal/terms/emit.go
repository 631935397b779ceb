package terms

import (
	"math"

	"github.com/hesse-ad/hesse/internal/program"
)

// Instructions beside the operations of package program, whose constants are
// registers here.
const (
	opLoad      = leafDir + 1 + iota // d = source b at the lanes
	opReal                           // d = k
	opMulScale                       // d = a·b·k
	opMulAdd                         // d = a·b + c
	opMulSub                         // d = a·b − c
	opSubMul                         // d = c − a·b
	opScaleAdd                       // d = k·a + b
	opSincos                         // d, c = sin a, cos a
	opStore                          // sink b gets a added
	opStoreReal                      // sink b gets k added
)

// instr is an instruction on registers.
type instr struct {
	op         program.Op
	d, a, b, c uint16
	k          float64
}

// code is the program that a shape's terms run, block by block.
type code struct {
	once    []instr // what is the same for all terms, run before the blocks
	block   []instr
	regs    int
	lanes   int
	sources []node // leaves
	sinks   []root
	owns    []*program.Scalar1
	picks   picks // of straight code

	entries []root // of a matrix
	fixed   *code  // sets what they have in common for all x, nil if nothing
}

// fixed reports whether x does not depend on what an evaluation is given.
func (x symbol) fixed() bool {
	if x.f == nil {
		return true
	}
	n := x.f.nodes[x.i]
	fixed := n.op != leafVar && n.op != leafParam && n.op != leafWeight && n.op != leafDir
	x.f.operands(n, func(i int32) { fixed = fixed && symbol{f: x.f, i: i}.fixed() })
	return fixed
}

const (
	maxLanes = 256
	// Registers should stay in the first-level cache.
	registerBytes = 24 << 10
)

// emitter puts expressions in order and gives them registers.
type emitter struct {
	*form
	code
	single bool   // straight code, for one term
	low    []node // nodes as instructions have them
	uses   []int32
	list   []item
	done   []bool
}

// item is the computation of a node, or the store of a root if not negative.
type item struct{ node, sink int32 }

// emit is the code that computes the roots.
func (f *form) emit(roots []root) *code {
	e := &emitter{form: f}
	for _, r := range roots {
		if !r.x.is(0) {
			e.sinks = append(e.sinks, r)
		}
	}
	e.lower()
	e.fuse()
	e.done = make([]bool, len(e.low))
	for k, r := range e.sinks {
		if r.x.f != nil {
			e.schedule(r.x.i)
		}
		e.list = append(e.list, item{-1, int32(k)})
	}
	e.allocate()
	e.code.lanes = maxLanes
	for e.lanes > chunk && e.lanes*e.regs*8 > registerBytes {
		e.lanes /= 2
	}
	e.code.owns = f.owns
	return &e.code
}

// lower makes constants operands, and counts the uses of what is needed.
func (e *emitter) lower() {
	n := len(e.nodes)
	e.low = append([]node(nil), e.nodes...)
	e.uses = make([]int32, n)
	for _, r := range e.sinks {
		if r.x.f != nil {
			e.uses[r.x.i]++
		}
	}
	real := func(bits uint64) int32 {
		i := e.operand(constant(math.Float64frombits(bits)))
		for len(e.low) < len(e.nodes) {
			e.low = append(e.low, e.nodes[len(e.low)])
			e.uses = append(e.uses, 0)
		}
		return i
	}
	for i := n - 1; i >= 0; i-- {
		if e.uses[i] == 0 {
			continue
		}
		l := e.low[i]
		switch {
		case e.single:
			// All operations have their constants.
		case l.op == program.Inv:
			l = node{op: program.Div, a: real(math.Float64bits(1)), b: l.a}
		case l.op == program.RDiv:
			l = node{op: program.Div, a: real(l.k), b: l.a}
		case l.op == program.DivReal:
			l = node{op: program.Div, a: l.a, b: real(l.k)}
		case l.op == program.PowReal || l.op == program.PowInt || l.op == program.Polygamma:
			l.b = real(l.k)
		}
		e.low[i] = l
		e.eachOperand(l, func(j int32) { e.uses[j]++ })
	}
}

// eachOperand calls do with the operands of a lowered node.
func (e *emitter) eachOperand(n node, do func(j int32)) {
	switch n.op {
	case program.PowReal, program.PowInt, program.Polygamma:
		do(n.a)
		if !e.single {
			do(n.b)
		}
	case opMulScale, opScaleAdd:
		do(n.a)
		do(n.b)
	case opMulAdd, opMulSub, opSubMul:
		do(n.a)
		do(n.b)
		do(n.c)
	default:
		e.operands(n, do)
	}
}

// fuse makes one instruction of a product and what is done with it. What a
// single instruction costs matters to straight code more than what it does.
func (e *emitter) fuse() {
	for i := range e.low {
		n := &e.low[i]
		if e.uses[i] == 0 {
			continue
		}
		switch n.op {
		case program.Scale:
			if a, b, ok := e.product(n.a); ok {
				n.op, n.a, n.b = opMulScale, a, b
			}
		case program.Add:
			if !e.single {
				break
			}
			if a, b, ok := e.product(n.a); ok {
				n.op, n.a, n.b, n.c = opMulAdd, a, b, n.b
			} else if a, b, ok := e.product(n.b); ok {
				n.op, n.a, n.b, n.c = opMulAdd, a, b, n.a
			} else if m := e.low[n.a]; m.op == program.Scale && e.uses[n.a] == 1 {
				e.uses[n.a] = 0
				n.op, n.a, n.k = opScaleAdd, m.a, m.k
			} else if m := e.low[n.b]; m.op == program.Scale && e.uses[n.b] == 1 {
				e.uses[n.b] = 0
				n.op, n.a, n.b, n.k = opScaleAdd, m.a, n.a, m.k
			}
		case program.Sub:
			if !e.single {
				break
			}
			if a, b, ok := e.product(n.a); ok {
				n.op, n.a, n.b, n.c = opMulSub, a, b, n.b
			} else if a, b, ok := e.product(n.b); ok {
				n.op, n.a, n.b, n.c = opSubMul, a, b, n.a
			} else if m := e.low[n.b]; m.op == program.Scale && e.uses[n.b] == 1 {
				e.uses[n.b] = 0
				n.op, n.a, n.b = opScaleAdd, m.a, n.a
				n.k = math.Float64bits(-math.Float64frombits(m.k))
			}
		}
	}
}

// product takes apart a product that is used once.
func (e *emitter) product(i int32) (a, b int32, ok bool) {
	n := e.low[i]
	if e.uses[i] != 1 || n.op != program.Mul && n.op != program.Square {
		return 0, 0, false
	}
	e.uses[i] = 0
	if n.op == program.Square {
		return n.a, n.a, true
	}
	return n.a, n.b, true
}

// schedule puts node i and what it needs in order, depth first, so that
// registers are soon free again.
func (e *emitter) schedule(i int32) {
	stack := []int32{i}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if e.done[i] {
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		e.eachOperand(e.low[i], func(j int32) {
			if !e.done[j] {
				stack = append(stack, j)
			}
		})
		if len(stack) > before {
			continue
		}
		stack = stack[:before-1]
		e.done[i] = true
		e.list = append(e.list, item{i, -1})
		if n := e.low[i]; n.op == program.Sin || n.op == program.Cos {
			if j := e.partner(n); j >= 0 {
				e.done[j] = true
			}
		}
	}
}

// partner is the cosine of what n is the sine of, or the sine; −1 if it is
// not needed.
func (e *emitter) partner(n node) int32 {
	n.op = program.Sin + program.Cos - n.op
	x, ok := e.known(n)
	if !ok || int(x.i) >= len(e.uses) || e.uses[x.i] == 0 {
		return -1
	}
	return x.i
}

// allocate numbers registers by last use and writes the instructions: first
// what is the same for all terms.
func (e *emitter) allocate() {
	once := func(it item) bool { return it.node >= 0 && e.steady[it.node] }
	var order []item
	for _, it := range e.list {
		if once(it) {
			order = append(order, it)
		}
	}
	start := len(order)
	for _, it := range e.list {
		if !once(it) {
			order = append(order, it)
		}
	}
	r := e.registers()
	use := func(i int32, k int) {
		if e.steady[i] && k >= start {
			k = forever
		}
		r.use(i, k)
	}
	for k, it := range order {
		if it.node < 0 {
			if x := e.sinks[it.sink].x; x.f != nil {
				use(x.i, k)
			}
			continue
		}
		use(it.node, k)
		e.eachOperand(e.low[it.node], func(j int32) { use(j, k) })
	}
	for k, it := range order {
		switch {
		case it.node < 0:
			in := instr{op: opStoreReal, b: uint16(it.sink), k: e.sinks[it.sink].x.v}
			if x := e.sinks[it.sink].x; x.f != nil {
				in.op, in.a = opStore, r.reg[x.i]
				r.release(x.i, k)
			}
			e.block = append(e.block, in)
		case k < start:
			e.once = append(e.once, e.instruction(it.node, k, r))
		default:
			e.block = append(e.block, e.instruction(it.node, k, r))
		}
	}
	e.regs = r.count
}

// registers are given to nodes until their last use.
type registers struct {
	reg   []uint16
	last  []int
	free  []uint16
	count int
}

const forever = math.MaxInt

func (e *emitter) registers() *registers {
	return &registers{reg: make([]uint16, len(e.low)), last: make([]int, len(e.low))}
}

// use notes that instruction k uses node i.
func (r *registers) use(i int32, k int) { r.last[i] = max(r.last[i], k) }

// release takes the register of node i back if instruction k was its last use.
func (r *registers) release(i int32, k int) {
	if r.last[i] == k {
		r.last[i] = -1
		r.free = append(r.free, r.reg[i])
	}
}

func (r *registers) next() uint16 {
	if k := len(r.free) - 1; k >= 0 {
		x := r.free[k]
		r.free = r.free[:k]
		return x
	}
	r.count++
	return uint16(r.count - 1)
}

// instruction is instruction k, the computation of node i.
func (e *emitter) instruction(i int32, k int, r *registers) instr {
	n := e.low[i]
	in := instr{op: n.op, k: math.Float64frombits(n.k)}
	switch {
	case n.op >= leafVar && n.op <= leafDir:
		in.op, in.b = opLoad, uint16(len(e.sources))
		e.sources = append(e.sources, n)
	case n.op == program.Const:
		in.op = opReal
	case n.op == program.Own:
		in.a, in.b, in.c = r.reg[n.a], uint16(n.b), uint16(n.k)
	default:
		at := [3]*uint16{&in.a, &in.b, &in.c}
		j := 0
		e.eachOperand(n, func(i int32) {
			*at[j] = r.reg[i]
			j++
		})
	}
	e.eachOperand(n, func(i int32) { r.release(i, k) })
	in.d = r.next()
	r.reg[i] = in.d
	if n.op == program.Sin || n.op == program.Cos {
		if j := e.partner(n); j >= 0 {
			in.op, in.c = opSincos, r.next()
			r.reg[j] = in.c
			if n.op == program.Cos {
				in.d, in.c = in.c, in.d
			}
		}
	}
	r.release(i, k) // if it is not needed
	return in
}
