package terms

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Instructions beside the operations of package program, whose constants are
// registers here.
const (
	opLoad             = leafTurn + 1 + iota // d = source b at the lanes
	opReal                                   // d = k
	opMulScale                               // d = a·b·k
	opSincos                                 // d, c = sin a, cos a
	opSoftplusLogistic                       // d, c = softplus a, logistic a
	opStore                                  // sink b gets a added
	opStoreReal                              // sink b gets k added
	opStoreMul                               // sink b gets the sum of a·c·k added
)

// instr is an instruction on registers.
type instr struct {
	op         op.Code
	d, a, b, c int32
	k          float64
}

// code is the program that a shape's terms run, block by block.
type code struct {
	once    []instr // what is the same for all terms, run before the blocks
	block   []instr
	regs    int
	sources []node // leaves
	sinks   []root
	owns    []*tape.Scalar1

	entries  []root // of a matrix
	fixed    *code  // sets what they have in common for all x, nil if nothing
	straight *straight
	sweep    *ownSweep // by the own program of the terms, instead of instructions
}

// lanes is how many terms a block has. Measured, 128 take 10 % longer, and from
// 512 on long codes leave the first-level cache.
const lanes = 256

// emitter puts expressions in order and gives them registers.
type emitter struct {
	*form
	low  []node  // nodes as instructions have them
	uses []int32 // 0 for what is not needed
	sums []bool  // of each sink: it adds up a product that is needed nowhere else
}

// item is the computation of a node, or the store of a root if not negative.
type item struct{ node, sink int32 }

// emit is the code that computes the roots. isTotal reports whether all terms
// add a root to one place.
func (f *form) emit(roots []root, isTotal func(r root) bool) *code {
	c := &code{owns: f.owns}
	for _, r := range roots {
		if !r.x.is(0) {
			c.sinks = append(c.sinks, r)
		}
	}
	e := &emitter{form: f}
	e.lower(c.sinks)
	e.fuse()
	e.sums = make([]bool, len(c.sinks))
	var list []item
	done := make([]bool, len(e.low))
	for k, r := range c.sinks {
		e.sums[k] = e.isProduct(r.x) && isTotal(r)
		e.eachStored(c, k, func(i int32) {
			e.schedule(i, done, e.eachOperand, func(i int32) { list = append(list, item{i, -1}) })
		})
		list = append(list, item{-1, int32(k)})
	}
	e.allocate(c, list)
	return c
}

// isProduct reports whether x is the product of two registers that differs from
// term to term and is needed once.
func (e *emitter) isProduct(x symbol) bool {
	if x.f == nil || e.uses[x.i] != 1 || e.steady[x.i] {
		return false
	}
	code := e.low[x.i].op
	return code == op.Mul || code == op.Square || code == opMulScale
}

// eachStored calls do with what the store of sink k reads.
func (e *emitter) eachStored(c *code, k int, do func(i int32)) {
	switch x := c.sinks[k].x; {
	case x.f == nil:
	case e.sums[k]:
		e.eachOperand(x.i, do)
	default:
		do(x.i)
	}
}

// count counts the uses of what the sinks need.
func (e *emitter) count(sinks []root) {
	e.uses = make([]int32, len(e.nodes))
	for _, r := range sinks {
		if r.x.f != nil {
			e.uses[r.x.i]++
		}
	}
	for i := len(e.nodes) - 1; i >= 0; i-- {
		if e.uses[i] > 0 {
			e.operands(e.nodes[i], func(j int32) { e.uses[j]++ })
		}
	}
}

// real is the node of a constant, used once more.
func (e *emitter) real(c float64) int32 {
	i := e.operand(constant(c))
	for len(e.uses) < len(e.nodes) {
		e.uses = append(e.uses, 0)
	}
	e.uses[i]++
	return i
}

// lower makes constants operands where there is no instruction for them.
func (e *emitter) lower(sinks []root) {
	e.count(sinks)
	e.low = append(e.low, e.nodes...)
	for i, n := range e.low {
		if e.uses[i] == 0 {
			continue
		}
		c := math.Float64frombits(n.k)
		switch n.op {
		case op.Inv:
			n = node{op: op.Div, a: e.real(1), b: n.a}
		case op.RDiv:
			n = node{op: op.Div, a: e.real(c), b: n.a}
		case op.DivReal:
			n = node{op: op.Div, a: n.a, b: e.real(c)}
		default:
			if takesConstant(n.op) {
				n.b = e.real(c)
			}
		}
		e.low[i] = n
	}
	e.low = append(e.low, e.nodes[len(e.low):]...)
}

// eachOperand calls do with the operands of lowered node i.
func (e *emitter) eachOperand(i int32, do func(j int32)) {
	n := e.low[i]
	if n.op == opMulScale || takesConstant(n.op) {
		do(n.a)
		do(n.b)
		return
	}
	e.operands(n, do)
}

// takesConstant reports whether an operation is a function that is called with
// its constant.
func takesConstant(code op.Code) bool {
	return code < leafVar && code.Info().FC != nil && code.Info().Source == ""
}

// fuse makes one instruction of a product and its scaling.
func (e *emitter) fuse() {
	for i := range e.low {
		n := &e.low[i]
		if e.uses[i] == 0 || n.op != op.Scale || e.uses[n.a] != 1 {
			continue
		}
		switch m := e.low[n.a]; m.op {
		case op.Mul:
			e.uses[n.a] = 0
			n.op, n.a, n.b = opMulScale, m.a, m.b
		case op.Square:
			e.uses[n.a] = 0
			n.op, n.a, n.b = opMulScale, m.a, m.a
		}
	}
}

// schedule hands out node i and what it needs, unless it was done, in order:
// depth first, so that registers are soon free again.
func (e *emitter) schedule(i int32, done []bool, operands func(i int32, do func(j int32)), emit func(i int32)) {
	stack := []int32{i}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if done[i] {
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		operands(i, func(j int32) {
			if !done[j] {
				stack = append(stack, j)
			}
		})
		if len(stack) > before {
			continue
		}
		stack = stack[:before-1]
		done[i] = true
		emit(i)
		if j, _, _ := e.partner(i); j >= 0 {
			done[j] = true
		}
	}
}

// twins are functions of one argument that take less time together: both is the
// instruction that sets first and second.
var twins = []struct{ first, second, both op.Code }{
	{op.Sin, op.Cos, opSincos},
	{op.Softplus, op.Logistic, opSoftplusLogistic}, // a value and its derivative, of one exponential
}

// partner is the other of two twins of which node i is one, and the instruction
// for both; −1 if it is not needed. isFirst says that i is the first.
func (e *emitter) partner(i int32) (j int32, both op.Code, isFirst bool) {
	n := e.nodes[i]
	for _, t := range twins {
		switch n.op {
		case t.first:
			n.op, isFirst = t.second, true
		case t.second:
			n.op, isFirst = t.first, false
		default:
			continue
		}
		if x, ok := e.known(n); ok && e.uses[x.i] > 0 {
			return x.i, t.both, isFirst
		}
		break
	}
	return -1, 0, false
}

// allocate numbers registers by last use and writes the instructions: first
// what is the same for all terms.
func (e *emitter) allocate(c *code, list []item) {
	once := func(it item) bool { return it.node >= 0 && e.steady[it.node] }
	var order []item
	for _, it := range list {
		if once(it) {
			order = append(order, it)
		}
	}
	start := len(order)
	for _, it := range list {
		if !once(it) {
			order = append(order, it)
		}
	}
	r := newRegisters(len(e.nodes))
	use := func(i int32, k int) {
		if e.steady[i] && k >= start {
			k = forever
		}
		r.use(i, k)
	}
	for k, it := range order {
		if it.node < 0 {
			e.eachStored(c, int(it.sink), func(i int32) { use(i, k) })
			continue
		}
		use(it.node, k)
		e.eachOperand(it.node, func(j int32) { use(j, k) })
	}
	for k, it := range order {
		switch {
		case it.node < 0:
			c.block = append(c.block, e.store(c, int(it.sink), k, r))
		case k < start:
			c.once = append(c.once, e.instruction(c, it.node, k, r))
		default:
			c.block = append(c.block, e.instruction(c, it.node, k, r))
		}
	}
	c.regs = r.count
}

// store is instruction k, the store of a sink.
func (e *emitter) store(c *code, sink, k int, r *registers) instr {
	x := c.sinks[sink].x
	in := instr{op: opStoreReal, b: int32(sink), k: x.v}
	switch {
	case x.f == nil:
		return in
	case e.sums[sink]:
		n := e.low[x.i]
		in.op, in.a, in.c, in.k = opStoreMul, r.reg[n.a], r.reg[n.a], 1
		if n.op != op.Square {
			in.c = r.reg[n.b]
		}
		if n.op == opMulScale {
			in.k = math.Float64frombits(n.k)
		}
	default:
		in.op, in.a = opStore, r.reg[x.i]
	}
	e.eachStored(c, sink, func(i int32) { r.release(i, k) })
	return in
}

// registers are given to nodes until their last use.
type registers struct {
	reg   []int32
	last  []int
	free  []int32
	count int
}

const forever = math.MaxInt

func newRegisters(nodes int) *registers {
	return &registers{reg: make([]int32, nodes), last: make([]int, nodes)}
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

// next is a free register.
func (r *registers) next() int32 {
	if k := len(r.free) - 1; k >= 0 {
		x := r.free[k]
		r.free = r.free[:k]
		return x
	}
	r.count++
	return int32(r.count - 1)
}

// instruction is instruction k, the computation of node i.
func (e *emitter) instruction(c *code, i int32, k int, r *registers) instr {
	n := e.low[i]
	in := instr{op: n.op, k: math.Float64frombits(n.k)}
	at := [3]*int32{&in.a, &in.b, &in.c}
	j := 0
	e.eachOperand(i, func(i int32) {
		*at[j] = r.reg[i]
		j++
	})
	switch {
	case n.op >= leafVar && n.op <= leafTurn:
		in.op, in.b = opLoad, int32(len(c.sources))
		c.sources = append(c.sources, n)
	case n.op == op.Const:
		in.op = opReal
	case n.op == op.Own:
		in.b, in.c = n.b, int32(n.k)
	}
	e.eachOperand(i, func(i int32) { r.release(i, k) })
	in.d = r.next()
	r.reg[i] = in.d
	if j, both, isFirst := e.partner(i); j >= 0 {
		in.op, in.c = both, r.next()
		r.reg[j] = in.c
		if !isFirst {
			in.d, in.c = in.c, in.d
		}
	}
	r.release(i, k) // if it is not needed
	return in
}
