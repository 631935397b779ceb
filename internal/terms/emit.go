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
	low  []node // nodes as instructions have them
	uses []int32
	list []item
	done []bool
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
		switch l.op {
		case program.Inv:
			l = node{op: program.Div, a: real(math.Float64bits(1)), b: l.a}
		case program.RDiv:
			l = node{op: program.Div, a: real(l.k), b: l.a}
		case program.DivReal:
			l = node{op: program.Div, a: l.a, b: real(l.k)}
		case program.PowReal, program.PowInt, program.Polygamma:
			l.b = real(l.k)
		}
		e.low[i] = l
		e.eachOperand(l, func(j int32) { e.uses[j]++ })
	}
}

// eachOperand calls do with the operands of a lowered node.
func (e *emitter) eachOperand(n node, do func(j int32)) {
	switch n.op {
	case program.PowReal, program.PowInt, program.Polygamma, opMulScale:
		do(n.a)
		do(n.b)
	default:
		e.operands(n, do)
	}
}

// fuse makes one instruction of a product and its scaling.
func (e *emitter) fuse() {
	for i := range e.low {
		n := &e.low[i]
		if e.uses[i] == 0 || n.op != program.Scale || e.uses[n.a] != 1 {
			continue
		}
		switch m := e.low[n.a]; m.op {
		case program.Mul:
			e.uses[n.a] = 0
			n.op, n.a, n.b = opMulScale, m.a, m.b
		case program.Square:
			e.uses[n.a] = 0
			n.op, n.a, n.b = opMulScale, m.a, m.a
		}
	}
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

// allocate numbers registers by last use and writes the instructions.
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
	const forever = math.MaxInt32
	last := make([]int, len(e.low))
	use := func(k int, i int32) {
		last[i] = max(last[i], k)
		if e.steady[i] && k >= start {
			last[i] = forever
		}
	}
	for k, it := range order {
		if it.node < 0 {
			if x := e.sinks[it.sink].x; x.f != nil {
				use(k, x.i)
			}
			continue
		}
		last[it.node] = max(last[it.node], k)
		e.eachOperand(e.low[it.node], func(j int32) { use(k, j) })
	}
	reg := make([]uint16, len(e.low))
	var free []uint16
	next := func() uint16 {
		if k := len(free) - 1; k >= 0 {
			r := free[k]
			free = free[:k]
			return r
		}
		e.regs++
		return uint16(e.regs - 1)
	}
	for k, it := range order {
		var in instr
		release := func(i int32) {
			if last[i] == k {
				last[i] = -1
				free = append(free, reg[i])
			}
		}
		if it.node < 0 {
			in = instr{op: opStoreReal, b: uint16(it.sink), k: e.sinks[it.sink].x.v}
			if x := e.sinks[it.sink].x; x.f != nil {
				in.op, in.a = opStore, reg[x.i]
				release(x.i)
			}
			e.block = append(e.block, in)
			continue
		}
		n := e.low[it.node]
		in = instr{op: n.op, k: math.Float64frombits(n.k)}
		switch {
		case n.op >= leafVar && n.op <= leafDir:
			in.op, in.b = opLoad, uint16(len(e.sources))
			e.sources = append(e.sources, n)
		case n.op == program.Const:
			in.op = opReal
		case n.op == program.Own:
			in.a, in.b, in.c = reg[n.a], uint16(n.b), uint16(n.k)
		case n.op == opMulScale || arity(n.op) > 1 || n.op == program.PowReal || n.op == program.PowInt || n.op == program.Polygamma:
			in.a, in.b = reg[n.a], reg[n.b]
			if n.op == program.Select {
				in.c = reg[n.c]
			}
		default:
			in.a = reg[n.a]
		}
		e.eachOperand(n, release)
		r := next()
		in.d, reg[it.node] = r, r
		if n.op == program.Sin || n.op == program.Cos {
			if j := e.partner(n); j >= 0 {
				in.op, in.c = opSincos, next()
				reg[j] = in.c
				if n.op == program.Cos {
					in.d, in.c = in.c, in.d
				}
			}
		}
		release(it.node) // not needed
		if k < start {
			e.once = append(e.once, in)
		} else {
			e.block = append(e.block, in)
		}
	}
}
