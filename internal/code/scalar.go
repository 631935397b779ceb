package code

import (
	"math"

	"github.com/hesse-ad/hesse/internal/expr"
)

// Scalar is code that works on single numbers. The leaves are its first registers,
// constants the next; what it computes is in registers at the end.
type Scalar struct {
	calls
	lines []line

	constants []float64
	leaves    int      // how many registers are for leaves; those of the constants follow
	registers int      // how many there are
	outputs   []uint16 // by output, its register
	zero      uint16   // a register that is 0
}

// NewScalar is the code for the outputs. The first registers, as many as leaves says, are for
// leaves; leafAt is the register of a leaf.
func NewScalar(g *expr.Graph, outputs []expr.Output, leaves int, leafAt func(leaf expr.Node) int) *Scalar {
	c := &Scalar{leaves: leaves, calls: calls{primitives: g.Primitives()}}
	var roots []int32
	for _, o := range outputs {
		roots = append(roots, o.Node(g))
	}
	roots = append(roots, g.Constant(0))
	s := selectTiles(g, roots)
	s.fuseSums()

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
	compute = s.inChains(compute)
	for k, i := range compute {
		r.use(i, k)
		for _, j := range s.operands(i) {
			r.use(j, k)
		}
	}
	for _, i := range roots {
		r.use(i, forever)
	}
	w := lineWriter{calls: &c.calls, last: -1}
	for k, i := range compute {
		w.add(r.instruction(i, k))
	}
	c.lines = w.ended()
	for _, i := range roots {
		c.outputs = append(c.outputs, uint16(r.register[i]))
	}
	last := len(roots) - 1
	c.zero, c.outputs = c.outputs[last], c.outputs[:last]
	if c.registers = r.count; c.registers > math.MaxUint16 {
		panic("code: too many registers")
	}
	return c
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
func (c *Scalar) Run(m *Registers) { c.run(c.lines, m.r) }

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

// Instructions calls f with each instruction, and with nil for a line of arithmetic.
func (c *Scalar) Instructions(f func(in *Instr)) {
	for _, l := range c.lines {
		switch l.op {
		case stop:
		case leave:
			f(&c.others[l.other])
		case function:
			f(&Instr{Op: Call, F: c.functions[l.other]})
		default:
			f(nil)
		}
	}
}
