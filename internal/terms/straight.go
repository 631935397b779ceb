package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// straight is the code of a small program, which is one term with all outputs
// as results. It works on single numbers: the inputs, parameters, weights and
// directions are the first registers, constants the next, and results are
// picked from registers at the end.
//
// Sums and products, one or two at a time, are all one form of instruction, a
// line, so that there is nothing to choose between them: measured, a line
// takes 1.4 ns, an instruction in a switch 2 to 2.6. Other instructions come
// between lines.
type straight struct {
	lines  []line[uint16]
	narrow []line[uint8] // the same if there are few registers: a fifth faster
	others []instr
	before []int32 // how many lines before each of the others

	constants []float64
	base      int // first register of the constants

	y, g    []uint16 // registers of the results
	entries []uint16 // of a matrix, then a register that is 0
	along   [maxDirections][]uint16
}

// line is d = k·a·b + c·e.
type line[R uint8 | uint16] struct {
	k             float64
	d, a, b, c, e R
}

// fewRegisters is how many can be numbered by a uint8.
const fewRegisters = 256

// products is a sum of one or two products of nodes, k·a·b + c·e.
type products struct {
	k          float64
	a, b, c, e int32
	is         bool // false for a node that is something else
	one        bool // one product: c·e is −0, which changes no bit
}

// straightener makes straight code.
type straightener struct {
	emitter
	sum []products // by node
}

// straight makes straight code of the only term of s.
func (s *shape) straight(f *form, v variant, roots []root) *code {
	c := &code{owns: f.owns}
	for _, r := range roots {
		c.sinks = append(c.sinks, root{x: symbol{f: f, i: f.operand(r.x)}, what: r.what, a: r.a, b: r.b})
		if r.what == toHessian || r.what == toJacobian {
			c.entries = append(c.entries, r)
		}
	}
	zero := f.operand(constant(0))
	c.sinks = append(c.sinks, root{x: symbol{f: f, i: zero}, what: toHessian})
	e := &straightener{emitter: emitter{form: f}}
	e.count(c.sinks)
	e.findSums()
	e.low = e.nodes

	st := &straight{base: s.inputs + s.params + s.outputs}
	if v.ord == tangent || v.ord == product {
		st.base += v.directions() * s.inputs
	}
	r := newRegisters(len(e.nodes))
	r.count = st.base
	var list []int32
	done := make([]bool, len(e.nodes))
	for _, k := range c.sinks {
		e.schedule(k.x.i, done, e.eachFactor, func(i int32) { list = append(list, i) })
	}
	for _, i := range list { // what no instruction computes
		switch n := e.nodes[i]; {
		case n.op == op.Const:
			r.reg[i] = r.next()
			st.constants = append(st.constants, math.Float64frombits(n.k))
		case n.op >= leafVar:
			r.reg[i] = s.register(n)
		default:
			continue
		}
		r.use(i, forever)
	}
	e.byLevel(list)
	for k, i := range list {
		r.use(i, k)
		e.eachFactor(i, func(j int32) { r.use(j, k) })
	}
	for _, k := range c.sinks {
		r.use(k.x.i, forever)
	}
	for k, i := range list {
		switch n := e.nodes[i]; {
		case n.op == op.Const || n.op >= leafVar:
		case e.sum[i].is:
			st.lines = append(st.lines, e.line(i, k, r))
		default:
			st.before = append(st.before, int32(len(st.lines)))
			st.others = append(st.others, e.instruction(c, i, k, r))
		}
	}
	c.regs = max(r.count, fewRegisters)
	if c.regs > math.MaxUint16 {
		panic("terms: too many registers")
	}
	if r.count <= fewRegisters {
		for _, l := range st.lines {
			st.narrow = append(st.narrow, line[uint8]{l.k, uint8(l.d), uint8(l.a), uint8(l.b), uint8(l.c), uint8(l.e)})
		}
	}
	c.straight = st
	st.results(s, v, c.sinks, r.reg, r.reg[zero])
	return c
}

// byLevel puts nodes, operands first, in order by level, so that an instruction
// seldom waits for the one before.
func (e *straightener) byLevel(list []int32) {
	level := make([]int32, len(e.nodes))
	x := make([]int32, len(list))
	for k, i := range list {
		e.eachFactor(i, func(j int32) { level[i] = max(level[i], level[j]+1) })
		if j, _, _ := e.partner(i); j >= 0 {
			level[j] = level[i]
		}
		x[k] = level[i]
	}
	order, _ := inOrder(x, len(list)+1)
	old := slices.Clone(list)
	for k, j := range order {
		list[k] = old[j]
	}
}

// findSums finds the nodes that are lines.
func (e *straightener) findSums() {
	n := len(e.nodes)
	e.sum = make([]products, n)
	one, none := e.real(1), e.real(negZero)
	// product is x as a single product, taken apart if nothing else needs it.
	product := func(x int32) products {
		if int(x) < n && e.uses[x] == 1 && e.sum[x].is && e.sum[x].one {
			return e.sum[x]
		}
		return products{k: 1, a: x, b: one, c: none, e: one, is: true, one: true}
	}
	take := func(x int32) {
		if p := product(x); p.a != x {
			e.uses[x] = 0
		}
	}
	for i := range n {
		if e.uses[i] == 0 {
			continue
		}
		m := e.nodes[i]
		k := math.Float64frombits(m.k)
		p := &e.sum[i]
		switch m.op {
		case op.Mul:
			*p = products{k: 1, a: m.a, b: m.b, c: none, e: one, is: true, one: true}
		case op.Square:
			*p = products{k: 1, a: m.a, b: m.a, c: none, e: one, is: true, one: true}
		case op.Scale, op.Neg:
			if m.op == op.Neg {
				k = -1
			}
			q := product(m.a)
			if q.k != 1 && k != -1 { // two roundings
				q = products{k: 1, a: m.a, b: one, c: none, e: one, is: true, one: true}
			} else {
				take(m.a)
			}
			q.k *= k
			*p = q
		case op.Add, op.Sub, op.AddReal, op.RSub:
			x, y, sign := m.a, m.b, 1.0
			switch m.op {
			case op.Sub:
				sign = -1
			case op.AddReal:
				y = e.real(k)
			case op.RSub:
				x, y, sign = e.real(k), m.a, -1
			}
			if x == y {
				*p = products{k: 1, a: x, b: one, c: x, e: e.real(sign), is: true}
				break
			}
			a, b := product(x), product(y)
			b.k *= sign
			// One of them must do without a factor.
			switch {
			case b.k == 1 || b.b == one:
				take(x)
				take(y)
			case a.k == 1 || a.b == one:
				a, b = b, a
				take(x)
				take(y)
			default:
				take(x)
				b = products{k: sign, a: y, b: one}
			}
			*p = products{k: a.k, a: a.a, b: a.b, c: b.a, e: b.b, is: true}
			if b.k != 1 {
				p.e = e.real(b.k)
			}
		}
	}
	for len(e.sum) < len(e.nodes) {
		e.sum = append(e.sum, products{})
	}
}

// eachFactor calls do with what node i needs.
func (e *straightener) eachFactor(i int32, do func(j int32)) {
	p := &e.sum[i]
	if !p.is {
		e.operands(e.nodes[i], do)
		return
	}
	do(p.a)
	do(p.b)
	do(p.c)
	do(p.e)
}

func (e *straightener) line(i int32, k int, r *registers) line[uint16] {
	p := &e.sum[i]
	l := line[uint16]{k: p.k, a: uint16(r.reg[p.a]), b: uint16(r.reg[p.b]), c: uint16(r.reg[p.c]), e: uint16(r.reg[p.e])}
	e.eachFactor(i, func(j int32) { r.release(j, k) })
	r.reg[i] = r.next()
	l.d = uint16(r.reg[i])
	return l
}

// register is that of a leaf.
func (s *shape) register(leaf node) int32 {
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
	return int32(at)
}

// results notes which registers the results are in.
func (st *straight) results(s *shape, v variant, sinks []root, reg []int32, zero int32) {
	none := func(n int) []uint16 {
		x := make([]uint16, n)
		for i := range x {
			x[i] = uint16(zero)
		}
		return x
	}
	n := s.inputs
	switch v.ord {
	case first, second:
		st.g = none(n)
	case tangent, product:
		if v.ord == tangent {
			n = s.outputs
		}
		for k := range v.directions() {
			st.along[k] = none(n)
		}
	}
	for _, r := range sinks {
		switch i := uint16(reg[r.x.i]); r.what {
		case toValue:
			st.y = append(st.y, i)
		case toGradient:
			st.g[s.vars[r.a].runs[0].at] = i
		case toTangent:
			st.along[r.b][r.a] = i
		case toProduct:
			st.along[r.b][s.vars[r.a].runs[0].at] = i
		default:
			st.entries = append(st.entries, i)
		}
	}
}

// runStraight evaluates a small program; it reports whether all results are
// finite.
func (m *machine) runStraight(c *code, s *shape, v variant, a *arrays) bool {
	if len(m.flat) < c.regs {
		m.flat = make([]float64, c.regs)
	}
	r, st := m.flat, c.straight
	if m.loaded != c {
		copy(r[st.base:], st.constants)
		m.loaded = c
	}
	copy(r, a.x)
	copy(r[s.inputs:], a.params)
	copy(r[s.inputs+s.params:], a.w)
	at := s.inputs + s.params + s.outputs
	for _, d := range a.dirs {
		at += copy(r[at:], d)
	}
	lo := int32(0)
	for k, hi := range st.before {
		st.run(lo, hi, r)
		c.other(&st.others[k], r)
		lo = hi
	}
	st.run(lo, int32(len(st.lines)), r)

	exp := pick(a.y, r, st.y) | pick(a.g, r, st.g)
	for k, p := range a.along {
		exp |= pick(p, r, st.along[k])
	}
	if a.matrix != nil {
		exp |= pick(a.values, r, a.matrix.picks(st, v))
	}
	return exp>>63 == 0
}

// run runs the lines lo … hi−1.
func (st *straight) run(lo, hi int32, r []float64) {
	if len(st.narrow) > 0 {
		lines, r := st.narrow[lo:hi], (*[fewRegisters]float64)(r)
		for i := range lines {
			l := &lines[i]
			r[l.d] = float64(r[l.a]*r[l.b]*l.k) + float64(r[l.c]*r[l.e])
		}
		return
	}
	lines := st.lines[lo:hi]
	for i := range lines {
		l := &lines[i]
		r[l.d] = float64(r[l.a]*r[l.b]*l.k) + float64(r[l.c]*r[l.e])
	}
}

// other runs an instruction that is no line.
func (c *code) other(in *instr, r []float64) {
	switch in.op {
	case op.Div:
		r[in.d] = r[in.a] / r[in.b]
	case op.Inv:
		r[in.d] = 1 / r[in.a]
	case op.RDiv:
		r[in.d] = in.k / r[in.a]
	case op.DivReal:
		r[in.d] = r[in.a] / in.k
	case op.Prod:
		r[in.d] = elem.Prod(r[in.a], r[in.b])
	case op.Select:
		r[in.d] = elem.Select(r[in.a], r[in.b], r[in.c])
	case opSoftplusLogistic:
		r[in.d], r[in.c] = elem.SoftplusLogistic(r[in.a])
	case opSincos:
		r[in.d], r[in.c] = math.Sincos(r[in.a])
	case op.Own:
		r[in.d] = c.owns[in.b].At(int(in.c))(r[in.a])
	default:
		y := [1]float64{in.k}
		if in.op.Operands() == 2 {
			y[0] = r[in.b]
		}
		sweep.Lanes(in.op, r[in.d:in.d+1], r[in.a:in.a+1], y[:])
	}
}

// pick sets dst, unless it is nil, to the registers regs, none for no results.
// It returns a number that is at least 2⁶³ if one of them is not finite.
func pick(dst, r []float64, regs []uint16) (exp uint64) {
	const one, all = 1 << 52, 0x7ff << 52
	if dst == nil {
		for _, i := range regs {
			exp |= math.Float64bits(r[i])&all + one
		}
		return exp
	}
	if len(regs) == 0 {
		return 0
	}
	regs = regs[:len(dst)]
	for i := range dst {
		x := r[regs[i]]
		dst[i] = x
		exp |= math.Float64bits(x)&all + one
	}
	return exp
}
