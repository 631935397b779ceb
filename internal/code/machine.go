package code

import (
	"unsafe"

	"gonum.org/v1/gonum/floats"
)

// Machine runs vector code: its memory is a block of lanes for each register.
type Machine struct {
	// Total is the sum of all that was stored: finite only if all of it is.
	Total float64
	// Part is what is run, nil if nobody else adds to the sinks.
	Part *Part

	flat    []float64
	quads   []quad // the same memory
	n       int    // lanes of the block, made a multiple of 4
	code    *Vector
	sources []Source
	sinks   []Sink
}

// Memory is room for n numbers, what is in which is lost when a code begins.
func (m *Machine) Memory(n int) []float64 {
	if len(m.flat) < n {
		m.quads = make([]quad, (n+3)/4)
		m.flat = unsafe.Slice(&m.quads[0][0], 4*len(m.quads))
	}
	return m.flat[:n]
}

// Begin prepares to run c on so many lanes, reading from the sources and adding to
// the sinks, whose order is that of c.Loads and c.Stores. It runs what is the same in
// all lanes.
func (m *Machine) Begin(c *Vector, lanes int, sources []Source, sinks []Sink) {
	m.code, m.sources, m.sinks = c, sources, sinks
	m.Memory(Lanes * c.registers)
	m.n = (min(Lanes, lanes) + 3) &^ 3
	for k := range c.uniform {
		in := &c.uniform[k]
		if in.Op != Load {
			m.do(in, 0, m.n)
			continue
		}
		s := &sources[in.A]
		fill(m.reg(in.D), s.X[s.At.First()])
	}
}

// Run runs the block of n lanes from lo on.
func (m *Machine) Run(lo, n int) {
	m.n = (n + 3) &^ 3
	block := m.code.block
	for k := range block {
		m.do(&block[k], lo, n)
	}
}

func (m *Machine) reg(r int32) []float64 {
	at := int(r) * Lanes
	return m.flat[at : at+m.n]
}

func (m *Machine) quad(r int32) []quad {
	at := int(r) * Lanes / 4
	return m.quads[at : at+m.n/4]
}

// Store adds x at the lanes from lo on.
func (m *Machine) Store(s *Sink, x []float64, lo int) {
	if s.X != nil {
		s.scatter(m.Part, x, lo)
	}
	m.Total += floats.Sum(x)
}

// storeSum adds v, which is of all lanes of a block, at their only place.
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
		m.sources[in.A].Load(m.reg(in.D)[:n], lo)
	case Const:
		fill(m.reg(in.D), in.K)
	case Add:
		floats.AddTo(m.reg(in.D), m.reg(in.A), m.reg(in.B))
	case Sub:
		floats.SubTo(m.reg(in.D), m.reg(in.A), m.reg(in.B))
	case Mul:
		mulTo(m.quad(in.D), m.quad(in.A), m.quad(in.B))
	case MulConst:
		mulConstTo(m.quad(in.D), m.quad(in.A), m.quad(in.B), in.K)
	case Prod:
		prodTo(m.quad(in.D), m.quad(in.A), m.quad(in.B))
	case Div:
		floats.DivTo(m.reg(in.D), m.reg(in.A), m.reg(in.B))
	case Scale:
		floats.ScaleTo(m.reg(in.D), in.K, m.reg(in.A))
	case AddConst:
		addConstTo(m.quad(in.D), m.quad(in.A), in.K)
	case SubConst:
		subConstTo(m.quad(in.D), m.quad(in.A), in.K)
	case Sqrt:
		sqrtTo(m.quad(in.D), m.quad(in.A))
	case Select:
		selectTo(m.reg(in.D), m.reg(in.A), m.reg(in.B), m.reg(in.C))
	case Sincos:
		sincosTo(m.reg(in.D), m.reg(in.C), m.reg(in.A))
	case SoftplusLogistic:
		softplusLogisticTo(m.reg(in.D), m.reg(in.C), m.reg(in.A))
	case Call:
		callTo(in.F.Info(), m.reg(in.D), m.reg(in.A), m.reg(in.B))
	case Primitive: // for no more than the lanes: it may panic
		eachTo(m.reg(in.D)[:n], m.reg(in.A), m.code.primitives[in.B].At(int(in.C)))
	case Store:
		m.Store(&m.sinks[in.B], m.reg(in.A)[:n], lo)
	case StoreConst:
		s := &m.sinks[in.B]
		m.Total += in.K
		if s.X != nil {
			s.scatterConst(m.Part, in.K, lo, n)
		}
	case StoreSum:
		m.storeSum(&m.sinks[in.B], sum(m.reg(in.A)[:n]))
	case StoreDot:
		m.storeSum(&m.sinks[in.B], sumProducts(m.reg(in.A)[:n], m.reg(in.C)[:n], in.K))
	}
}
