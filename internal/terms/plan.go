package terms

import (
	"sync"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// Plan is a program, or a part of one, as sums of alike terms: output j is the
// sum of the terms of row j over all shapes, plus a constant. It is immutable;
// any number of goroutines may evaluate it.
type Plan struct {
	dims
	constants []float64 // of the outputs; nil is 0
	shapes    []*shape
	rest      *sweep.Engine

	codes [variants]struct {
		once sync.Once
		list []*code // by shape
	}
	pool   sync.Pool // of *machine
	teams  sync.Pool // of *team
	shared shared
}

// Detect finds the terms of a program, for its Hessian or its
// Jacobian; nil if there are none. Whether a plan is faster than products is not
// decided here. Cost: O(N) time and memory in N operations.
func Detect(p *sweep.Engine, hessian bool) *Plan {
	d := newDetector(p)
	d.second = hessian
	d.parts()
	pl := d.plan()
	if !d.isSmall() {
		return pl
	}
	v, edges := variant{ord: jacobian}, wholeEdges
	if hessian {
		v.ord = second
	}
	all := pl != nil && pl.rest == nil
	if all { // an edge takes half a line at least
		edges = min(edges, int(2*pl.cost(v).Time()/cost.Time(cost.Line)))
	}
	s := newDetector(p).whole(edges)
	if s == nil {
		return pl
	}
	one := &Plan{dims: d.dims, shapes: []*shape{s}}
	if all && pl.cost(v).Time() < one.cost(v).Time() {
		return pl
	}
	return one
}

// plan is the plan of the terms that were found.
func (d *detector) plan() *Plan {
	rest, ok := d.rest()
	if !ok {
		return nil
	}
	pl := &Plan{dims: d.dims, constants: d.constants, rest: rest}
	for _, s := range d.shapes {
		if s.taken {
			pl.shapes = append(pl.shapes, d.finish(s))
		}
	}
	for _, c := range d.declared {
		if c.layers != nil {
			pl.shapes = append(pl.shapes, c.place(d.dims, c.kinds, c.inputs, c.layers)...)
		}
	}
	return pl
}

// Rest is the program of what is left over: the program that the plan was made
// from is the sum of both. It has all guards. It is nil if nothing is left.
func (pl *Plan) Rest() *sweep.Engine { return pl.rest }

// dims are how many inputs, parameters and outputs there are.
type dims struct{ inputs, params, outputs int }

// maxDirections is how many directions one pass of HVPs carries.
const maxDirections = 4

// single reports whether the plan is of a small program.
func (pl *Plan) single() bool { return len(pl.shapes) == 1 && pl.shapes[0].single }

// variant is which code to run.
type variant struct {
	ord      order
	many     bool // maxDirections, not 1
	weighted bool
	careful  bool
	moving   bool // the weights have directions, too
}

func (v variant) directions() int {
	if v.many {
		return maxDirections
	}
	return 1
}

const variants = int(orders) * 16

func (v variant) number() int {
	k := int(v.ord) * 16
	if v.many {
		k++
	}
	if v.weighted {
		k += 2
	}
	if v.careful {
		k += 4
	}
	if v.moving {
		k += 8
	}
	return k
}

// code is the codes of a variant, made when they are first needed.
func (pl *Plan) code(v variant) []*code {
	c := &pl.codes[v.number()]
	c.once.Do(func() {
		forms, roots := make([]*form, len(pl.shapes)), make([][]root, len(pl.shapes))
		entries, fixed := 0, 0
		for k, s := range pl.shapes {
			if s.isSwept(v) {
				continue
			}
			f := newForm(s.uniform)
			f.careful = v.careful
			f.lines = s.single
			forms[k], roots[k] = f, s.derive(f, v)
			for _, r := range roots[k] {
				if r.isEntry() {
					entries += s.terms
					if r.isFixed() {
						fixed += s.terms
					}
				}
			}
		}
		for k, s := range pl.shapes {
			c.list = append(c.list, s.code(v, forms[k], roots[k], 2*fixed > entries))
		}
	})
	return c.list
}

// isEntry reports whether r is an entry of a matrix.
func (r root) isEntry() bool { return r.what == toHessian || r.what == toJacobian }

// isFixed reports whether r is the same at every point.
func (r root) isFixed() bool { return r.x.f == nil || r.x.f.fixed[r.x.i] }

// code computes the roots. Those that are fixed are left to a code of their own,
// whose results an evaluation begins with, if there are many: that saves a
// tenth where most are fixed, and costs as much where few are.
func (s *shape) code(v variant, f *form, roots []root, base bool) *code {
	if s.isSwept(v) {
		return s.sweep(v)
	}
	if s.single {
		return s.straight(f, v, roots)
	}
	var entries, fixed, others []root
	for _, r := range roots {
		if r.isEntry() {
			entries = append(entries, r)
		}
		if base && r.isEntry() && r.isFixed() {
			fixed = append(fixed, r)
		} else {
			others = append(others, r)
		}
	}
	c := f.emit(others, s.isTotal)
	c.entries = entries
	if len(fixed) > 0 {
		c.fixed = f.emit(fixed, s.isTotal)
	}
	return c
}

// uniform reports whether a leaf is the same in all terms.
func (s *shape) uniform(leaf node) bool {
	if s.single {
		return false // there is no difference
	}
	switch leaf.op {
	case leafVar, leafDir:
		return s.vars[leaf.a].uniform()
	case leafParam:
		return s.pars[leaf.a].uniform()
	case leafWeight, leafTurn:
		return s.rows[leaf.a].uniform()
	}
	return false
}

// isTotal reports whether all terms add r to one place.
func (s *shape) isTotal(r root) bool {
	switch r.what {
	case toValue, toTangent:
		return s.rows[r.a].uniform()
	case toJacobian:
		return s.vars[r.a].uniform() && s.rows[r.b].uniform()
	case toHessian:
		return s.vars[r.a].uniform() && s.vars[r.b].uniform()
	}
	return s.vars[r.a].uniform()
}

// arrays is what an evaluation reads and what it adds to.
type arrays struct {
	x, params, w []float64
	y, g         []float64
	values       []float64
	matrix       *matrix     // of the values
	dirs, along  [][]float64 // directions, and the results along them
	turns        [][]float64 // directions of the weights
	workers      int
}

// bind connects the sources and sinks of a code of shape k.
func (m *machine) bind(c *code, s *shape, k int, a *arrays) {
	m.sources, m.sinks = m.sources[:0], m.sinks[:0]
	for _, n := range c.sources {
		p := port{}
		switch n.op {
		case leafVar:
			p.x, p.list = a.x, &s.vars[n.a]
		case leafParam:
			p.x, p.list = a.params, &s.pars[n.a]
		case leafData:
			p.x = s.data[n.a].each
		case leafWeight:
			p.x, p.list = a.w, &s.rows[n.a]
		case leafDir:
			p.x, p.list = a.dirs[n.b], &s.vars[n.a]
		case leafTurn:
			p.x, p.list = a.turns[n.b], &s.rows[n.a]
		}
		m.sources = append(m.sources, p)
	}
	for _, r := range c.sinks {
		p := port{x: a.array(r.what, r.b), target: r.what}
		switch r.what {
		case toValue, toTangent:
			p.list = &s.rows[r.a]
		case toGradient, toProduct:
			p.list = &s.vars[r.a]
		case toJacobian, toHessian:
			p.list = &a.matrix.places[k][r.at]
		}
		if m.shared != nil {
			switch r.what {
			case toValue:
				p.pages = &m.shared.rows
			case toGradient:
				p.pages = &m.shared.vars
			case toJacobian, toHessian:
				p.pages = &a.matrix.pages
			}
		}
		m.sinks = append(m.sinks, p)
	}
}

// array is what a target is an element of.
func (a *arrays) array(t target, direction int) []float64 {
	switch t {
	case toValue:
		return a.y
	case toGradient:
		return a.g
	case toJacobian, toHessian:
		return a.values
	}
	return a.along[direction]
}

// start is what the values of a matrix begin with, nil for 0; total is finite
// only if all of it is.
func (a *arrays) start(v variant) (x []float64, total float64) {
	if a.matrix == nil || v.weighted {
		return nil, 0
	}
	b := a.matrix.fixed(v)
	return b.x, b.total
}

// blocks is how many blocks there are of all shapes.
func (pl *Plan) blocks() int {
	n := 0
	for _, s := range pl.shapes {
		n += s.blocks()
	}
	return n
}

// machine hands out a machine; put takes it back.
func (pl *Plan) machine() *machine {
	if m, ok := pl.pool.Get().(*machine); ok {
		return m
	}
	return new(machine)
}

func (pl *Plan) put(m *machine) { pl.pool.Put(m) }

// eval runs the terms of all shapes.
func (pl *Plan) eval(v variant, a *arrays) {
	m := pl.machine()
	for {
		ok := false
		if a.workers > 1 && pl.isLarge(v) {
			ok = pl.runParallel(v, a)
		} else {
			ok = pl.run(m, v, a)
		}
		if ok || v.careful {
			break
		}
		v.careful = true
	}
	pl.put(m)
}

// run is eval once; it reports whether all results are finite.
func (pl *Plan) run(m *machine, v variant, a *arrays) bool {
	codes := pl.code(v)
	if pl.single() {
		return m.runStraight(codes[0], pl.shapes[0], v, a)
	}
	clear(a.y)
	copy(a.y, pl.constants)
	clear(a.g)
	for _, p := range a.along {
		clear(p)
	}
	start, total := a.start(v)
	m.total = total
	block := 0
	for k, c := range codes {
		s := pl.shapes[k]
		m.begin(c, s, k, a)
		for j := range s.blocks() {
			if a.matrix != nil {
				a.matrix.begin(block, a.values, start)
			}
			m.block(c, s, j)
			if a.matrix != nil {
				a.matrix.end(block, a.values)
			}
			block++
		}
	}
	if block == 0 && a.matrix != nil {
		a.matrix.begin(0, a.values, start)
	}
	return m.total-m.total == 0
}

// Value computes the outputs y.
func (pl *Plan) Value(y, x, params []float64) {
	pl.eval(variant{}, &arrays{x: x, params: params, y: y})
}

// Gradient computes the outputs y, nil if they are not wanted, and the gradient
// g of Σ wⱼyⱼ; w nil is all 1.
func (pl *Plan) Gradient(y, g, x, params, w []float64) {
	pl.eval(variant{ord: first, weighted: w != nil}, &arrays{x: x, params: params, w: w, y: y, g: g})
}

// GradientParallel is Gradient by several goroutines, to the same bits. It
// allocates a few objects a goroutine.
func (pl *Plan) GradientParallel(workers int, y, g, x, params, w []float64) {
	pl.eval(variant{ord: first, weighted: w != nil}, &arrays{x: x, params: params, w: w, y: y, g: g, workers: workers})
}

// JVPs computes the outputs y, nil if they are not wanted, and their derivatives
// dy in the directions dx.
func (pl *Plan) JVPs(y []float64, dy [][]float64, x, params []float64, dx [][]float64) {
	pl.evalAlong(variant{ord: tangent}, arrays{x: x, params: params, y: y, dirs: dx, along: dy})
}

// HVPs computes the products hv of the Hessian of Σ wⱼyⱼ with the directions
// v; w nil is all 1.
func (pl *Plan) HVPs(hv [][]float64, x, params, w []float64, v [][]float64) {
	pl.evalAlong(variant{ord: product, weighted: w != nil}, arrays{x: x, params: params, w: w, dirs: v, along: hv})
}

// turnedHVPs is HVPs for weights w that move, too, in the directions dw: the
// derivatives of the gradient.
func (pl *Plan) turnedHVPs(hv [][]float64, x, w []float64, dw, v [][]float64) {
	pl.evalAlong(variant{ord: product, weighted: true, moving: true}, arrays{x: x, w: w, dirs: v, along: hv, turns: dw})
}

// evalAlong runs the terms along any number of directions.
func (pl *Plan) evalAlong(v variant, a arrays) {
	dirs, along, turns := a.dirs, a.along, a.turns
	for len(dirs) > 0 {
		v.many = len(dirs) >= maxDirections
		k := v.directions()
		a.dirs, a.along = dirs[:k], along[:k]
		if v.moving {
			a.turns, turns = turns[:k], turns[k:]
		}
		pl.eval(v, &a)
		dirs, along = dirs[k:], along[k:]
	}
}
