package terms

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/program"
)

// A small program is one term with all outputs as results, and its code is
// straight: an instruction works on single numbers, the inputs, parameters,
// weights and directions are the first registers, and results are picked from
// registers at the end.

// picks says which register each result is in.
type picks struct {
	y, g    []uint16
	entries []uint16 // of a matrix, then a register that is 0
	dirs    [maxDirections][]uint16
}

// single makes a shape of one term straight.
func (s *shape) straight(f *form, v variant, roots []root) *code {
	e := &emitter{form: f, single: true}
	zero := f.operand(constant(0))
	for _, r := range roots {
		e.sinks = append(e.sinks, root{x: symbol{f: f, i: f.operand(r.x)}, what: r.what, a: r.a, b: r.b})
		if r.what == toHessian || r.what == toJacobian {
			e.entries = append(e.entries, r)
		}
	}
	e.sinks = append(e.sinks, root{x: symbol{f: f, i: zero}, what: toHessian})
	e.lower()
	e.fuse()
	e.done = make([]bool, len(e.low))
	for _, r := range e.sinks {
		e.schedule(r.x.i)
	}

	regs := e.registers()
	regs.count = s.inputs + s.params + s.outputs
	if v.ord == tangent || v.ord == product {
		regs.count += v.directions() * s.inputs
	}
	for k, it := range e.list {
		e.eachOperand(e.low[it.node], func(j int32) { regs.use(j, k) })
	}
	for _, r := range e.sinks {
		regs.use(r.x.i, forever)
	}
	for k, it := range e.list {
		if n := e.low[it.node]; n.op >= leafVar && n.op <= leafDir {
			regs.reg[it.node] = s.register(n)
			regs.last[it.node] = forever
			continue
		}
		e.block = append(e.block, e.instruction(it.node, k, regs))
	}
	e.regs = regs.count

	p := &e.picks
	reg := func(i int32) uint16 { return regs.reg[i] }
	none := func(n int) []uint16 {
		x := make([]uint16, n)
		for i := range x {
			x[i] = reg(zero)
		}
		return x
	}
	switch v.ord {
	case first, second:
		p.g = none(s.inputs)
	case tangent, product:
		n := s.inputs
		if v.ord == tangent {
			n = s.outputs
		}
		for k := range v.directions() {
			p.dirs[k] = none(n)
		}
	}
	for _, r := range e.sinks {
		switch i := reg(r.x.i); r.what {
		case toValue:
			p.y = append(p.y, i)
		case toGradient:
			p.g[s.vars[r.a].runs[0].at] = i
		case toTangent:
			p.dirs[r.b][r.a] = i
		case toProduct:
			p.dirs[r.b][s.vars[r.a].runs[0].at] = i
		default:
			p.entries = append(p.entries, i)
		}
	}
	e.code.owns = f.owns
	return &e.code
}

// register is that of a leaf.
func (s *shape) register(leaf node) uint16 {
	at := 0
	switch leaf.op {
	case leafVar:
		at = int(s.vars[leaf.a].runs[0].at)
	case leafParam:
		at = s.inputs + int(s.pars[leaf.a].runs[0].at)
	case leafWeight:
		at = s.inputs + s.params + int(leaf.a)
	case leafDir:
		at = s.inputs + s.params + s.outputs + int(leaf.b)*s.inputs + int(s.vars[leaf.a].runs[0].at)
	}
	return uint16(at)
}

// runStraight evaluates a small program.
func (m *machine) runStraight(c *code, s *shape) {
	a := &m.arrays
	if len(m.flat) < c.regs {
		m.flat = make([]float64, c.regs)
	}
	v := m.flat
	copy(v, a.x)
	copy(v[s.inputs:], a.params)
	copy(v[s.inputs+s.params:], a.w)
	at := s.inputs + s.params + s.outputs
	for _, d := range a.dirs {
		at += copy(v[at:], d)
	}
	for k := range c.block {
		switch in := &c.block[k]; in.op {
		case program.Add:
			v[in.d] = v[in.a] + v[in.b]
		case program.Sub:
			v[in.d] = v[in.a] - v[in.b]
		case program.Mul:
			v[in.d] = v[in.a] * v[in.b]
		case program.Square:
			v[in.d] = v[in.a] * v[in.a]
		case program.Scale:
			v[in.d] = v[in.a] * in.k
		case opMulScale:
			v[in.d] = v[in.a] * v[in.b] * in.k
		case opMulAdd:
			v[in.d] = float64(v[in.a]*v[in.b]) + v[in.c]
		case opMulSub:
			v[in.d] = float64(v[in.a]*v[in.b]) - v[in.c]
		case opSubMul:
			v[in.d] = v[in.c] - float64(v[in.a]*v[in.b])
		case opScaleAdd:
			v[in.d] = float64(in.k*v[in.a]) + v[in.b]
		case program.AddReal:
			v[in.d] = v[in.a] + in.k
		case program.RSub:
			v[in.d] = in.k - v[in.a]
		case program.Neg:
			v[in.d] = -v[in.a]
		case program.Div:
			v[in.d] = v[in.a] / v[in.b]
		case program.RDiv:
			v[in.d] = in.k / v[in.a]
		case program.DivReal:
			v[in.d] = v[in.a] / in.k
		case program.Inv:
			v[in.d] = 1 / v[in.a]
		case opReal:
			v[in.d] = in.k
		case program.Prod:
			v[in.d] = elem.Prod(v[in.a], v[in.b])
		case program.Select:
			v[in.d] = elem.Select(v[in.a], v[in.b], v[in.c])
		case opSincos:
			v[in.d], v[in.c] = math.Sincos(v[in.a])
		case program.Own:
			v[in.d] = c.owns[in.b].At(int(in.c))(v[in.a])
		default:
			y := v[in.b : in.b+1]
			if in.op.Arity() < 2 {
				m.real[0] = in.k
				y = m.real[:]
			}
			program.Lanes(in.op, v[in.d:in.d+1], v[in.a:in.a+1], y)
		}
	}
	pick(a.y, v, c.picks.y)
	pick(a.g, v, c.picks.g)
	for k, p := range a.products {
		pick(p, v, c.picks.dirs[k])
	}
	if a.matrix != nil {
		e := c.picks.entries
		at := a.matrix.entry[:len(a.values)]
		for k := range a.values {
			a.values[k] = v[e[at[k]]]
		}
	}
}

func pick(dst, v []float64, regs []uint16) {
	if len(regs) == 0 {
		return
	}
	regs = regs[:len(dst)]
	for i := range dst {
		dst[i] = v[regs[i]]
	}
}
