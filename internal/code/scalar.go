package code

import (
	"math"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/lane"
)

// Scalar is code that works on single numbers. The leaves are its first registers,
// constants the next; what it computes is in registers at the end.
//
// Sums and products, one or two at a time, are all one form of instruction, a
// product sum, so that there is nothing to choose between them: measured, one of
// these takes 1.4 ns, an instruction in a switch 2 to 2.6. Other instructions come
// between.
type Scalar struct {
	sums   []productSum[uint16]
	narrow []productSum[uint8] // the same if there are few registers: a fifth faster
	others []Instr
	before []int32 // by other instruction, how many sums come before it

	constants  []float64
	leaves     int      // how many registers are for leaves; those of the constants follow
	registers  int      // how many there are
	outputs    []uint16 // by output, its register
	zero       uint16   // a register that is 0
	primitives []expr.Primitive
}

// productSum is d = (a·b)·k + c·e.
type productSum[R uint8 | uint16] struct {
	k             float64
	d, a, b, c, e R
}

// fewRegisters is how many registers a uint8 can number.
const fewRegisters = 256

// NewScalar is the code for the outputs. The first registers, as many as leaves says, are for
// leaves; leafAt is the register of a leaf.
func NewScalar(g *expr.Graph, outputs []expr.Output, leaves int, leafAt func(leaf expr.Node) int) *Scalar {
	c := &Scalar{leaves: leaves, primitives: g.Primitives()}
	var roots []int32
	for _, o := range outputs {
		roots = append(roots, o.Node(g))
	}
	roots = append(roots, g.Constant(0))
	s := selectTiles(g, roots)
	s.sumProducts()

	var order []int32
	done := make([]bool, len(s.tiles))
	for _, i := range roots {
		s.schedule(i, done, func(i int32) { order = append(order, i) })
	}
	r := s.allocation()
	r.count = leaves
	compute := order[:0]
	for _, i := range order {
		switch t := &s.tiles[i]; t.Op {
		case Load:
			r.register[i] = int32(leafAt(s.Nodes()[i]))
		case Const:
			r.register[i] = r.next()
			c.constants = append(c.constants, t.K)
		default:
			compute = append(compute, i)
			continue
		}
		r.use(i, forever)
	}
	compute = s.byLevel(compute)
	for k, i := range compute {
		r.use(i, k)
		for _, j := range s.operands(i) {
			r.use(j, k)
		}
	}
	for _, i := range roots {
		r.use(i, forever)
	}
	for k, i := range compute {
		in := r.instruction(i, k)
		if in.Op == ProductSum {
			c.sums = append(c.sums, productSum[uint16]{in.K, uint16(in.D), uint16(in.A), uint16(in.B), uint16(in.C), uint16(in.E)})
			continue
		}
		c.before = append(c.before, int32(len(c.sums)))
		c.others = append(c.others, in)
	}
	for _, i := range roots {
		c.outputs = append(c.outputs, uint16(r.register[i]))
	}
	last := len(roots) - 1
	c.zero, c.outputs = c.outputs[last], c.outputs[:last]
	c.registers = max(r.count, fewRegisters)
	if c.registers > math.MaxUint16 {
		panic("code: too many registers")
	}
	if r.count <= fewRegisters {
		for _, l := range c.sums {
			c.narrow = append(c.narrow, productSum[uint8]{l.k, uint8(l.d), uint8(l.a), uint8(l.b), uint8(l.c), uint8(l.e)})
		}
	}
	return c
}

// byLevel is nodes, which are in an order of evaluation, sorted by level, so that an
// instruction seldom has to wait for the one before.
func (s *selection) byLevel(nodes []int32) []int32 {
	level := make([]int32, len(s.tiles))
	key := make([]int32, len(nodes))
	for k, i := range nodes {
		for _, j := range s.operands(i) {
			level[i] = max(level[i], level[j]+1)
		}
		if j, _, _ := s.twin(i); j >= 0 {
			level[j] = level[i]
		}
		key[k] = level[i]
	}
	order, _ := bucket.Sort(key, len(nodes)+1)
	sorted := make([]int32, len(nodes))
	for k, j := range order {
		sorted[k] = nodes[j]
	}
	return sorted
}

// sumProducts makes product sums of all sums, differences, products and multiples.
// A product that is used once becomes part of the sum that uses it.
func (s *selection) sumProducts() {
	n := len(s.tiles)
	one, negZero := s.constant(1), s.constant(math.Copysign(0, -1))
	product := func(k float64, a, b int32) tile { return newTile(ProductSum, k, a, b, negZero, one) } // −0·1 changes no bit
	// asProduct is node x as a product: its factors if it is one that nothing else uses, else
	// x·1. take notes that these factors are used instead of x.
	asProduct := func(x int32) tile {
		if t := s.tiles[x]; int(x) < n && s.uses[x] == 1 && t.Op == ProductSum && t.args[2] == negZero {
			return t
		}
		return product(1, x, one)
	}
	take := func(x int32) {
		if asProduct(x).args[0] != x {
			s.uses[x] = 0
		}
	}
	sum := func(x, y int32, sign float64) tile {
		if x == y {
			return newTile(ProductSum, 1, x, one, x, s.constant(sign))
		}
		p, q := asProduct(x), asProduct(y)
		q.K *= sign
		// A product sum has one constant factor k, so one of the two must have none, or have a
		// free place for it.
		switch {
		case q.K == 1 || q.args[1] == one:
			take(x)
			take(y)
		case p.K == 1 || p.args[1] == one:
			p, q = q, p
			take(x)
			take(y)
		default:
			take(x)
			q = product(sign, y, one)
		}
		t := newTile(ProductSum, p.K, p.args[0], p.args[1], q.args[0], q.args[1])
		if q.K != 1 {
			t.args[3] = s.constant(q.K)
		}
		return t
	}
	for i := range n {
		if s.uses[i] == 0 {
			continue
		}
		t := s.tiles[i]
		a, b := t.args[0], t.args[1]
		switch t.Op {
		case Mul:
			t = product(1, a, b)
		case Scale:
			k := t.K
			if t = asProduct(a); t.K != 1 && k != -1 { // k·t.K would be rounded, too
				t = product(k, a, one)
			} else {
				take(a)
				t.K *= k
			}
		case Add:
			t = sum(a, b, 1)
		case Sub:
			t = sum(a, b, -1)
		case AddConst:
			t = sum(a, s.constant(t.K), 1)
		case SubConst:
			t = sum(s.constant(t.K), a, -1)
		}
		s.tiles[i] = t
	}
}

// Registers is the memory of evaluations by scalar code.
type Registers struct {
	r     []float64
	owner *Scalar // whose constants are in it
}

// Use makes m the memory of an evaluation by c.
func (m *Registers) Use(c *Scalar) {
	if len(m.r) < c.registers {
		m.r, m.owner = make([]float64, c.registers), nil
	}
	if m.owner != c {
		copy(m.r[c.leaves:], c.constants)
		m.owner = c
	}
}

// Set sets the leaves from number at on.
func (m *Registers) Set(at int, x []float64) { copy(m.r[at:], x) }

// Run computes the outputs at the leaves that were set.
func (c *Scalar) Run(m *Registers) {
	lo := int32(0)
	for k, hi := range c.before {
		c.run(lo, hi, m.r)
		do(&c.others[k], m.r, c.primitives)
		lo = hi
	}
	c.run(lo, int32(len(c.sums)), m.r)
}

// run runs the product sums lo … hi−1.
func (c *Scalar) run(lo, hi int32, r []float64) {
	if len(c.narrow) > 0 {
		sums, r := c.narrow[lo:hi], (*[fewRegisters]float64)(r)
		for i := range sums {
			l := &sums[i]
			r[l.d] = float64(r[l.a]*r[l.b]*l.k) + float64(r[l.c]*r[l.e])
		}
		return
	}
	sums := c.sums[lo:hi]
	for i := range sums {
		l := &sums[i]
		r[l.d] = float64(r[l.a]*r[l.b]*l.k) + float64(r[l.c]*r[l.e])
	}
}

// do runs an instruction other than a product sum.
func do(in *Instr, r []float64, primitives []expr.Primitive) {
	switch in.Op {
	case Div:
		r[in.D] = r[in.A] / r[in.B]
	case Prod:
		r[in.D] = elem.Prod(r[in.A], r[in.B])
	case Sqrt:
		r[in.D] = elem.Sqrt(r[in.A])
	case Select:
		r[in.D] = elem.Select(r[in.A], r[in.B], r[in.C])
	case SoftplusLogistic:
		r[in.D], r[in.C] = elem.SoftplusLogistic(r[in.A])
	case Sincos:
		r[in.D], r[in.C] = math.Sincos(r[in.A])
	case Primitive:
		r[in.D] = primitives[in.B].At(int(in.C))(r[in.A])
	default:
		lane.Values(in.F, r[in.D:in.D+1], r[in.A:in.A+1], r[in.B:in.B+1])
	}
}

// Output is the register of output k.
func (c *Scalar) Output(k int) uint16 { return c.outputs[k] }

// Zero is a register that is 0.
func (c *Scalar) Zero() uint16 { return c.zero }

// Pick sets dst to what is in registers; if dst is nil it only looks at them. It returns a
// number of at least 2⁶³ if one of them is not finite: the exponent of an infinity or a NaN
// is all ones, and 1 more carries into the highest bit.
func (m *Registers) Pick(dst []float64, registers []uint16) (exponents uint64) {
	const one, all = 1 << 52, 0x7ff << 52
	r := m.r
	if dst == nil {
		for _, i := range registers {
			exponents |= math.Float64bits(r[i])&all + one
		}
		return exponents
	}
	if len(registers) == 0 {
		return 0
	}
	registers = registers[:len(dst)]
	for i := range dst {
		x := r[registers[i]]
		dst[i] = x
		exponents |= math.Float64bits(x)&all + one
	}
	return exponents
}

// Instructions calls f with each instruction, and with nil for a product sum.
func (c *Scalar) Instructions(f func(in *Instr)) {
	for range c.sums {
		f(nil)
	}
	for k := range c.others {
		f(&c.others[k])
	}
}
