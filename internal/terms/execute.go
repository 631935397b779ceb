package terms

import (
	"unsafe"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// machine is the registers of a code, lane after lane.
type machine struct {
	flat    []float64
	quads   []quad // the same memory
	sources []port
	sinks   []port
	n       int // lanes of the block, made a multiple of 4

	total  float64 // of all that was stored: finite only if all of it is
	loaded *code   // whose constants are in registers

	part   *part // that is run, nil if it is all
	shared *shared
}

// port is the array that a load reads or a store adds to, and where.
type port struct {
	x      []float64 // nil: what is stored is not wanted
	list   *list     // nil: lane after lane
	target target    // of a store
	pages  *pages    // of x, for parts
}

// reserve makes room for the registers of c.
func (m *machine) reserve(c *code) {
	k := lanes * c.regs / 4
	if len(m.quads) < k {
		m.quads = make([]quad, k)
		m.flat = unsafe.Slice(&m.quads[0][0], 4*k)
	}
}

func (m *machine) reg(r int32) []float64 {
	at := int(r) * lanes
	return m.flat[at : at+m.n]
}

func (m *machine) quad(r int32) []quad {
	at := int(r) * lanes / 4
	return m.quads[at : at+m.n/4]
}

// begin prepares to run the terms of s, which is shape k: it runs what is the
// same for all of them.
func (m *machine) begin(c *code, s *shape, k int, a *arrays) {
	m.bind(c, s, k, a)
	m.reserve(c)
	m.n = (min(lanes, s.terms) + 3) &^ 3
	for k := range c.once {
		in := &c.once[k]
		if in.op != opLoad {
			m.do(c, in, 0, m.n)
			continue
		}
		p := &m.sources[in.b]
		fill(m.reg(in.d), p.x[p.list.runs[0].at])
	}
}

// block runs block j of the terms of s.
func (m *machine) block(c *code, s *shape, j int) {
	lo := j * lanes
	n := min(lanes, s.terms-lo)
	if c.sweep != nil {
		m.sweepBlock(c, lo, n)
		return
	}
	m.n = (n + 3) &^ 3
	for k := range c.block {
		m.do(c, &c.block[k], lo, n)
	}
}

// add adds s, the sum over a block, to the one place of a sink.
func (m *machine) add(p *port, s float64) {
	m.total += s
	at := int(p.list.runs[0].at)
	switch {
	case p.x == nil: // not wanted
	case m.part == nil:
		p.x[at] += s
	default:
		m.give(p, at, s)
	}
}

// blocks is how many blocks the terms of s make.
func (s *shape) blocks() int { return (s.terms + lanes - 1) / lanes }

// load sets dst to what there is for the terms from lo on.
func (p *port) load(dst []float64, lo int) {
	if p.list == nil {
		copy(dst, p.x[lo:])
	} else {
		p.list.gather(dst, p.x, lo)
	}
}

// store adds x to p for the terms from lo on.
func (m *machine) store(p *port, x []float64, lo int) {
	switch {
	case p.list.uniform():
		m.add(p, sum(x))
		return
	case p.x == nil: // not wanted
	case m.part == nil:
		p.list.scatter(p.x, x, lo)
	default:
		m.scatter(p, x, lo)
	}
	m.total += floats.Sum(x)
}

// do runs an instruction on the terms from lo on, n of them.
func (m *machine) do(c *code, in *instr, lo, n int) {
	switch in.op {
	case opLoad:
		m.sources[in.b].load(m.reg(in.d)[:n], lo)
	case opStore:
		m.store(&m.sinks[in.b], m.reg(in.a)[:n], lo)
	case opStoreMul:
		m.add(&m.sinks[in.b], sumProducts(m.reg(in.a)[:n], m.reg(in.c)[:n], in.k))
	case opStoreReal:
		p := &m.sinks[in.b]
		m.total += in.k
		switch {
		case p.x == nil: // not wanted
		case m.part == nil:
			p.list.scatterReal(p.x, in.k, lo, n)
		default:
			m.scatterReal(p, in.k, lo, n)
		}
	case opReal:
		fill(m.reg(in.d), in.k)
	case op.Add:
		floats.AddTo(m.reg(in.d), m.reg(in.a), m.reg(in.b))
	case op.Sub:
		floats.SubTo(m.reg(in.d), m.reg(in.a), m.reg(in.b))
	case op.Mul:
		mulTo(m.quad(in.d), m.quad(in.a), m.quad(in.b))
	case op.Square:
		mulTo(m.quad(in.d), m.quad(in.a), m.quad(in.a))
	case opMulScale:
		mulScaleTo(m.quad(in.d), m.quad(in.a), m.quad(in.b), in.k)
	case op.Prod:
		prodTo(m.quad(in.d), m.quad(in.a), m.quad(in.b))
	case op.Div:
		floats.DivTo(m.reg(in.d), m.reg(in.a), m.reg(in.b))
	case op.Scale:
		floats.ScaleTo(m.reg(in.d), in.k, m.reg(in.a))
	case op.Neg:
		floats.ScaleTo(m.reg(in.d), -1, m.reg(in.a))
	case op.AddReal:
		addRealTo(m.quad(in.d), m.quad(in.a), in.k)
	case op.RSub:
		rsubTo(m.quad(in.d), m.quad(in.a), in.k)
	case op.Sqrt:
		sqrtTo(m.quad(in.d), m.quad(in.a))
	case opSoftplusLogistic:
		softplusLogisticTo(m.reg(in.d), m.reg(in.c), m.reg(in.a))
	case opSincos:
		sincosTo(m.reg(in.d), m.reg(in.c), m.reg(in.a))
	case op.Select:
		selectTo(m.reg(in.d), m.reg(in.a), m.reg(in.b), m.reg(in.c))
	case op.Own:
		eachTo(m.reg(in.d)[:n], m.reg(in.a), c.owns[in.b].At(int(in.c))) // for no more than the terms: it may panic
	default:
		sweep.Lanes(in.op, m.reg(in.d), m.reg(in.a), m.reg(in.b))
	}
}
