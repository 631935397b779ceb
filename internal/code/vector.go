package code

import (
	"github.com/hesse-ad/hesse/internal/expr"
)

// Vector is code that runs over blocks of lanes.
type Vector struct {
	Loads  []expr.Node   // by source, the leaf that it has
	Stores []expr.Output // by sink, the output that is added to it

	uniform    []Instr // run once, before the blocks: what is the same in all lanes, on single numbers
	wide       []int32 // the registers of these that blocks read as lanes
	block      []Instr // run for each block
	registers  int     // how many it needs
	primitives []expr.Primitive
}

// Lanes is how many lanes a block has at most. Measured, 128 take 10 % longer, and
// from 512 on long codes leave the first-level cache.
const Lanes = 256

// Registers is how many registers there are, each of which has memory for all lanes.
func (c *Vector) Registers() int { return c.registers }

// item is the computation of a node or, if node is −1, the store of an output.
type item struct{ node, store int32 }

// vectorizer makes vector code.
type vectorizer struct {
	*allocation
	*Vector
	store  []tile // by output
	isWide []bool // by node, its register is in wide
}

// NewVector is the code for the outputs that are not the constant 0. isTotal reports whether
// all lanes add an output to the same place.
func NewVector(g *expr.Graph, outputs []expr.Output, isTotal func(o expr.Output) bool) *Vector {
	c := &Vector{primitives: g.Primitives()}
	var roots []int32
	for _, o := range outputs {
		v, ok := o.Constant()
		if ok && v == 0 {
			continue
		}
		if !ok {
			roots = append(roots, o.Node(g))
		}
		c.Stores = append(c.Stores, o)
	}
	s := selectTiles(g, roots)
	s.fuse()
	e := &vectorizer{allocation: s.allocation(), Vector: c}
	var list []item
	done := make([]bool, len(s.tiles))
	for k, o := range c.Stores {
		t := s.storeTile(o, isTotal(o))
		t.B = int32(k)
		e.store = append(e.store, t)
		for _, i := range t.args[:t.n] {
			s.schedule(i, done, func(i int32) { list = append(list, item{i, -1}) })
		}
		list = append(list, item{-1, int32(k)})
	}
	e.emit(list)
	return c
}

// fuse makes one instruction of a product and its scaling.
func (s *selection) fuse() {
	for i := range s.tiles {
		t := &s.tiles[i]
		if s.uses[i] == 0 || t.Op != Scale || t.K == -1 {
			continue
		}
		if a := t.args[0]; s.uses[a] == 1 && s.tiles[a].Op == Mul {
			s.uses[a] = 0
			*t = newTile(MulConst, t.K, s.operands(a)...)
		}
	}
}

// storeTile is the store of an output. A product that differs from lane to lane
// and is used nowhere else is added up as it is computed.
func (s *selection) storeTile(o expr.Output, total bool) tile {
	if v, ok := o.Constant(); ok {
		return newTile(StoreConst, v)
	}
	i := o.Node(s.Graph)
	if !total {
		return newTile(Store, 0, i)
	}
	if s.uses[i] == 1 && !s.Uniform(i) {
		switch t := &s.tiles[i]; t.Op {
		case Mul:
			return newTile(StoreDot, 1, s.operands(i)...)
		case MulConst:
			return newTile(StoreDot, t.K, s.operands(i)...)
		}
	}
	return newTile(StoreSum, 0, i)
}

// operandsOf is what an item reads.
func (e *vectorizer) operandsOf(it item) []int32 {
	if it.node >= 0 {
		return e.operands(it.node)
	}
	t := &e.store[it.store]
	return t.args[:t.n]
}

// emit allocates registers and writes the instructions: first what is the same in all lanes,
// which keeps its registers forever if the blocks need it.
func (e *vectorizer) emit(list []item) {
	isUniform := func(it item) bool { return it.node >= 0 && e.Uniform(it.node) }
	var order []item
	for _, it := range list {
		if isUniform(it) {
			order = append(order, it)
		}
	}
	start := len(order)
	for _, it := range list {
		if !isUniform(it) {
			order = append(order, it)
		}
	}
	use := func(i int32, k int) {
		if e.Uniform(i) && k >= start {
			k = forever
		}
		e.use(i, k)
	}
	for k, it := range order {
		if it.node >= 0 {
			use(it.node, k)
		}
		for _, i := range e.operandsOf(it) {
			use(i, k)
		}
	}
	e.isWide = make([]bool, len(e.tiles))
	for k, it := range order {
		switch {
		case it.node < 0:
			e.widen(e.operandsOf(it)...)
			e.block = append(e.block, e.storeInstruction(it.store, k))
		case k < start:
			e.uniform = append(e.uniform, e.compute(it.node, k))
		default:
			in := e.compute(it.node, k)
			e.takeNumber(&in, e.operands(it.node))
			e.block = append(e.block, in)
		}
	}
	e.registers = e.count
}

// widen notes that a block reads nodes as lanes.
func (e *vectorizer) widen(nodes ...int32) {
	for _, i := range nodes {
		if e.Uniform(i) && !e.isWide[i] {
			e.isWide[i] = true
			e.wide = append(e.wide, e.register[i])
		}
	}
}

var withNumber = map[Opcode]Opcode{Add: AddNumber, Sub: SubNumber, Mul: MulNumber}

// takeNumber makes of an instruction of a block one that reads a number that is the same in all
// lanes as such, if there is one: what is not repeated for all lanes stays in the cache.
func (e *vectorizer) takeNumber(in *Instr, args []int32) {
	number, ok := withNumber[in.Op]
	switch {
	case !ok || e.Uniform(args[0]) == e.Uniform(args[1]):
		e.widen(args...)
		return
	case e.Uniform(args[0]):
		in.A, in.B = in.B, in.A
		if in.Op == Sub {
			number = NumberSub
		}
	}
	in.Op = number
}

// compute is instruction k, which computes node i.
func (e *vectorizer) compute(i int32, k int) Instr {
	in := e.instruction(i, k)
	if in.Op == Load {
		in.A = int32(len(e.Loads))
		e.Loads = append(e.Loads, e.Nodes()[i])
	}
	return in
}

// storeInstruction is instruction k, the store of an output.
func (e *vectorizer) storeInstruction(store int32, k int) Instr {
	t := &e.store[store]
	in := t.Instr
	if t.n > 0 {
		in.A = e.register[t.args[0]]
	}
	if t.n > 1 {
		in.C = e.register[t.args[1]]
	}
	e.release(k, t.args[:t.n]...)
	return in
}

// Instructions calls f with each instruction, and whether it is run for each block or once.
func (c *Vector) Instructions(f func(in *Instr, inBlock bool)) {
	for k := range c.uniform {
		f(&c.uniform[k], false)
	}
	for k := range c.block {
		f(&c.block[k], true)
	}
}
