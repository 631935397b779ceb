package code

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/lane"
)

// Machine runs vector code: its memory is a block of lanes for each register.
type Machine struct {
	// Total is the sum of all that was stored: finite only if all of it is.
	Total float64
	// Part is the part of the blocks that is run, nil if no other goroutine adds to the
	// sinks.
	Part *Part

	memory  []float64
	regs    [][]float64 // where registers are: in memory, or where they were loaded from
	room    int         // how many lanes a block has at most
	n       int         // lanes of the block
	code    *Vector
	sources []Source
	sinks   []Sink
}

// Memory is room for n numbers, for a caller that runs no code until it has done with them.
func (m *Machine) Memory(n int) []float64 {
	if len(m.memory) < n {
		m.memory = make([]float64, n)
	}
	return m.memory[:n]
}

// Begin prepares to run c on the given number of lanes: it is to read from the sources, which
// are in the order of c.Loads, and add to the sinks, in that of c.Stores. It runs what is the
// same in all lanes.
func (m *Machine) Begin(c *Vector, lanes int, sources []Source, sinks []Sink) {
	m.reset(c, lanes)
	m.sources, m.sinks = sources, sinks
	m.once(func(load int32) float64 {
		s := &sources[load]
		return s.X[s.At.First()]
	})
}

// once runs what is the same in all lanes, on single numbers.
func (m *Machine) once(load func(load int32) float64) {
	m.n = 1
	for k := range m.code.uniform {
		in := &m.code.uniform[k]
		if in.Op == Load {
			m.out(in.D)[0] = load(in.A)
		} else {
			m.do(in, 0, 1)
		}
	}
	m.n = m.room
	for _, r := range m.code.wide {
		x := m.in(r)[0]
		lane.Fill(m.out(r), x)
	}
}

// reset makes registers for c, with room for a block of the given number of lanes.
func (m *Machine) reset(c *Vector, lanes int) {
	m.code = c
	m.room = min(Lanes, lanes)
	m.Memory(m.room * c.registers)
	m.regs = slices.Grow(m.regs[:0], c.registers)[:c.registers]
	m.n = m.room
}

// Run runs the block of n lanes from lo on.
func (m *Machine) Run(lo, n int) {
	m.n = n
	block := m.code.block
	for k := range block {
		m.do(&block[k], lo, n)
	}
}

// in is a register that is read.
func (m *Machine) in(r int32) []float64 { return m.regs[r][:m.n] }

// out is a register that is written. It is called after in for all that is read, since a
// register that was loaded may be a slice of another array until then.
func (m *Machine) out(r int32) []float64 {
	at := int(r) * m.room
	m.regs[r] = m.memory[at : at+m.n]
	return m.regs[r]
}

// load loads a register. If the lanes are consecutive in the source, the register becomes a
// slice of that, and nothing is copied.
func (m *Machine) load(r int32, s *Source, lo int) {
	if x := s.lanes(lo, m.n); x != nil {
		m.regs[r] = x
		return
	}
	s.At.Gather(m.out(r), s.X, lo)
}

// Store adds x, of the lanes from lo on, to a sink.
func (m *Machine) Store(s *Sink, x []float64, lo int) {
	if s.X != nil {
		m.Total += s.scatter(m.Part, x, lo)
	} else {
		m.Total += lane.Total(x)
	}
}

// storeSum adds v, the sum over the lanes of a block, to a sink where all have one place.
func (m *Machine) storeSum(s *Sink, v float64) {
	if s.X != nil {
		s.add(m.Part, int(s.At.First()), v)
	}
	m.Total += v
}

// do runs an instruction on the lanes from lo on, n of them.
func (m *Machine) do(in *Instr, lo, n int) {
	switch in.Op {
	case Load:
		m.load(in.D, &m.sources[in.A], lo)
	case Const:
		lane.Fill(m.out(in.D), in.K)
	case Add:
		m.two(lane.Add, in)
	case Sub:
		m.two(lane.Sub, in)
	case Mul:
		m.two(lane.Mul, in)
	case AddNumber:
		m.constant(lane.AddReal, in, m.number(in))
	case SubNumber:
		m.constant(lane.AddReal, in, -m.number(in))
	case NumberSub:
		m.constant(lane.RSub, in, m.number(in))
	case MulNumber:
		m.constant(lane.Scale, in, m.number(in))
	case MulConst:
		a, b := m.in(in.A), m.in(in.B)
		lane.MulScale(m.out(in.D), a, b, in.K)
	case Prod:
		m.two(lane.Prod, in)
	case Div:
		m.two(lane.Div, in)
	case Scale:
		m.constant(lane.Scale, in, in.K)
	case AddConst:
		m.constant(lane.AddReal, in, in.K)
	case SubConst:
		m.constant(lane.RSub, in, in.K)
	case Sqrt:
		a := m.in(in.A)
		lane.Sqrt(m.out(in.D), a)
	case Select:
		a, b, c := m.in(in.A), m.in(in.B), m.in(in.C)
		lane.Select(m.out(in.D), a, b, c)
	case Sincos:
		a := m.in(in.A)
		lane.Sincos(m.out(in.D), m.out(in.C), a)
	case SoftplusLogistic:
		a := m.in(in.A)
		lane.SoftplusLogistic(m.out(in.D), m.out(in.C), a)
	case Call:
		a, b := m.in(in.A), m.in(in.B)
		lane.Values(in.F, m.out(in.D), a, b)
	case Primitive:
		a := m.in(in.A)
		d, f := m.out(in.D), m.code.primitives[in.B].At(int(in.C))
		for i := range d {
			d[i] = f(a[i])
		}
	case Store:
		m.Store(&m.sinks[in.B], m.in(in.A), lo)
	case StoreConst:
		s := &m.sinks[in.B]
		m.Total += in.K
		if s.X != nil {
			s.scatterConst(m.Part, in.K, lo, n)
		}
	case StoreSum:
		m.storeSum(&m.sinks[in.B], lane.Sum(m.in(in.A)))
	case StoreDot:
		m.storeSum(&m.sinks[in.B], lane.SumMulScale(m.in(in.A), m.in(in.C), in.K))
	}
}

// number is the operand b of an instruction that is the same in all lanes.
func (m *Machine) number(in *Instr) float64 { return m.regs[in.B][0] }

func (m *Machine) two(f func(dst, x, y []float64), in *Instr) {
	a, b := m.in(in.A), m.in(in.B)
	f(m.out(in.D), a, b)
}

func (m *Machine) constant(f func(dst, x []float64, c float64), in *Instr, c float64) {
	a := m.in(in.A)
	f(m.out(in.D), a, c)
}
