package terms

import (
	"fmt"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/sparsity"
)

// Where the symbolic derivatives of a declared term would be too large, the
// sweeps of the term's own program stand in for them, term after term: for its
// Hessian and Jacobian, compressed by a coloring, or for all there is.

// own is the program of a declared term, and what its numbers are in a shape.
type own struct {
	term    *sweep.Engine
	swept   [orders]bool // by sweeps, and not by symbols
	mingled bool         // two variables of the shape may be one in some of the terms
	inputs  []step       // a leaf each; the a of leafData is a number in shape.data, −1 where it does not matter
	params  []step
	outputs []int  // those that are results
	scales  []step // factors of the results, nil if they are 1
}

func newOwn(term *sweep.Engine, swept [orders]bool) *own {
	unused := func(n int) []step { return slices.Repeat([]step{{op: leafData, a: -1}}, n) }
	return &own{term: term, swept: swept, inputs: unused(term.Inputs()), params: unused(term.Params())}
}

// isSwept reports whether a variant is computed by sweeps.
func (s *shape) isSwept(v variant) bool { return s.own != nil && s.own.swept[v.ord] }

// ownSweep is the code of a variant that sweeps the own program of a shape.
type ownSweep struct {
	*own
	variant
	vars    [][]int32 // the inputs of the program that each variable of the shape is
	x, p, w []value
	weights int // the first source of the weights
	dirs    int // of the directions of the variables, direction by direction
	turns   int // of those of the weights
	sources int // how many
	stored  int // how many sinks
	lanes   int // terms whose sources and sinks are in registers at a time

	numbers  [][]int32          // of the variables, if they may mingle
	coloring *coloring.Coloring // of a matrix of results or variables and variables
	recovery *coloring.Recovery
	entries  []root
	work     sync.Pool // of *sweeper
}

// value is what a source has for a term, or c for all of them if it is −1.
type value struct {
	source int
	c      float64
}

// maxSwept is how many numbers of terms are in registers at a time, if it is
// more than one term.
const maxSwept = 1 << 16

// sweep is the code that runs the sweeps of the own program.
func (s *shape) sweep(v variant) *code {
	w := &ownSweep{own: s.own, variant: v, vars: make([][]int32, len(s.vars))}
	c := &code{sweep: w}
	source := func(n node) int {
		c.sources = append(c.sources, n)
		return len(c.sources) - 1
	}
	for a := range s.vars {
		source(node{op: leafVar, a: int32(a)})
	}
	of := func(st step) value {
		switch {
		case st.op == leafVar:
			return value{source: int(st.a)}
		case st.op == leafParam:
			return value{source: source(node{op: leafParam, a: st.a})}
		case st.a < 0:
			return value{source: -1}
		case s.data[st.a].each == nil:
			return value{source: -1, c: s.data[st.a].all}
		}
		return value{source: source(node{op: leafData, a: st.a})}
	}
	if s.own.mingled {
		for a := range s.vars {
			w.numbers = append(w.numbers, s.vars[a].numbers())
		}
	}
	for k, st := range s.own.inputs {
		w.x = append(w.x, of(st))
		if st.op == leafVar {
			w.vars[st.a] = append(w.vars[st.a], int32(k))
		}
	}
	for _, st := range s.own.params {
		w.p = append(w.p, of(st))
	}
	for r := range s.own.outputs {
		scale := value{source: -1, c: 1}
		if s.own.scales != nil {
			scale = of(s.own.scales[r])
		}
		w.w = append(w.w, scale)
	}
	w.weights = len(c.sources)
	if v.weighted {
		for r := range s.own.outputs {
			source(node{op: leafWeight, a: int32(r)})
		}
	}
	w.dirs = len(c.sources)
	if v.ord == tangent || v.ord == product {
		for k := range v.directions() {
			for a := range s.vars {
				source(node{op: leafDir, a: int32(a), b: int32(k)})
			}
		}
	}
	w.turns = len(c.sources)
	if v.moving {
		for k := range v.directions() {
			for r := range s.own.outputs {
				source(node{op: leafTurn, a: int32(r), b: int32(k)})
			}
		}
	}
	w.sources = len(c.sources)
	w.sinks(c, s)
	w.stored = len(c.sinks)
	ports := w.sources + w.stored
	w.lanes = max(1, min(lanes, maxSwept/ports))
	c.regs = (ports*w.lanes + lanes - 1) / lanes
	w.work.New = func() any { return newSweeper(w) }
	return c
}

// sinks says what a term computes, in order.
func (w *ownSweep) sinks(c *code, s *shape) {
	add := func(what target, a, b int) {
		c.sinks = append(c.sinks, root{what: what, a: a, b: b, at: len(c.entries)})
		if r := c.sinks[len(c.sinks)-1]; r.isEntry() {
			c.entries = append(c.entries, r)
		}
	}
	for r := range w.outputs {
		add(toValue, r, 0)
	}
	switch w.ord {
	case first, second:
		for a := range w.vars {
			add(toGradient, a, 0)
		}
	case tangent:
		for k := range w.directions() {
			for r := range w.outputs {
				add(toTangent, r, k)
			}
		}
	case product:
		for k := range w.directions() {
			for a := range w.vars {
				add(toProduct, a, k)
			}
		}
	}
	switch w.ord {
	case second:
		p := w.hessianPattern()
		w.coloring = coloring.New(coloring.Star, p, coloring.Natural, coloring.SmallestLast)
		p = p.Lower()
		w.recovery = w.coloring.Recovery(p, 1)
		for a := range w.vars {
			for _, b := range p.Row(a) {
				add(toHessian, a, int(b))
			}
		}
	case jacobian:
		p := w.jacobianPattern()
		w.coloring = coloring.New(coloring.Row, p, coloring.Natural, coloring.SmallestLast)
		if c := coloring.New(coloring.Column, p, coloring.Natural, coloring.SmallestLast); c.Num() < w.coloring.Num() {
			w.coloring = c
		}
		w.recovery = w.coloring.Recovery(p, 1)
		for r := range w.outputs {
			for _, a := range p.Row(r) {
				add(toJacobian, int(a), r)
			}
		}
	}
	w.entries = c.entries
}

// hessianPattern is the pattern in the variables of the shape.
func (w *ownSweep) hessianPattern() *sparsity.Pattern {
	p := domains.Hessian(&w.term.Tape, nil)
	var i, j []int
	for a, x := range w.inputs {
		for _, b := range p.Row(a) {
			if y := w.inputs[b]; x.op == leafVar && y.op == leafVar {
				i, j = append(i, int(x.a)), append(j, int(y.a))
			}
		}
	}
	return sparsity.FromCoordinates(len(w.vars), len(w.vars), i, j)
}

// jacobianPattern is the pattern in the results and variables of the shape.
func (w *ownSweep) jacobianPattern() *sparsity.Pattern {
	p := domains.Jacobian(&w.term.Tape, nil)
	var i, j []int
	for r, k := range w.outputs {
		for _, a := range p.Row(k) {
			if x := w.inputs[a]; x.op == leafVar {
				i, j = append(i, r), append(j, int(x.a))
			}
		}
	}
	return sparsity.FromCoordinates(len(w.outputs), len(w.vars), i, j)
}

// cost counts what the sweeps for a number of terms do.
func (w *ownSweep) cost(terms int) (n cost.Counts) {
	g := cost.Of(w.term)
	switch w.ord {
	case zeroth:
		n = g.Jacobian(0, 0, 0)
	case first:
		n = g.Jacobian(0, 1, 0)
	case second:
		n = g.Hessian(w.coloring.Num(), len(w.entries))
	case jacobian:
		n = g.Jacobian(w.coloring.Columns().Num(), w.coloring.Rows().Num(), len(w.entries))
	case tangent:
		n = g.Jacobian(w.directions(), 0, 0)
	case product:
		n = g.Hessian(w.directions(), 0)
	}
	n[cost.Gather] += float64(w.sources + w.stored)
	for k := range n {
		n[k] *= float64(terms)
	}
	return n
}

func (w *ownSweep) explain() string {
	what := "sweeps over the operations of each term"
	if w.coloring != nil {
		what += fmt.Sprintf(", %d products", w.coloring.Num())
	}
	if w.mingled {
		what += ", since variables coincide in more ways than there are symbols for"
	} else {
		what += ", too many for symbols"
	}
	return what
}

// sweeper is working memory.
type sweeper struct {
	*ownSweep
	ws      *sweep.Workspace
	ports   []float64 // lane by lane of each source and sink
	lane    int       // of the term
	at      int       // the number of the term
	next    int       // the sink that comes next
	x, p, w []float64 // inputs, parameters and weights of the term
	h       []float64 // by variable
	y       []float64 // by result
	values  []float64 // of a matrix
}

func newSweeper(w *ownSweep) *sweeper {
	buffer := func(n int) []float64 { return make([]float64, n) }
	return &sweeper{
		ownSweep: w, ws: w.term.Get(),
		x: buffer(w.term.Inputs()), p: buffer(w.term.Params()), w: buffer(w.term.Outputs()),
		h: buffer(len(w.vars)), y: buffer(len(w.outputs)), values: buffer(len(w.entries)),
	}
}

// sweepBlock runs the terms from lo on, n of them.
func (m *machine) sweepBlock(c *code, lo, n int) {
	z := c.sweep.work.Get().(*sweeper)
	z.ports = m.flat
	for hi := lo + n; lo < hi; lo += z.lanes {
		n := min(z.lanes, hi-lo)
		port := func(k int) []float64 { return z.ports[k*z.lanes:][:n] }
		for k := range m.sources {
			m.sources[k].load(port(k), lo)
		}
		for z.lane = range n {
			z.at = lo + z.lane
			z.term()
		}
		for k := range m.sinks {
			m.store(&m.sinks[k], port(z.sources+k), lo)
		}
	}
	z.ports = nil
	c.sweep.work.Put(z)
}

// source is number k for the term.
func (z *sweeper) source(k int) float64 { return z.ports[k*z.ownSweep.lanes+z.lane] }

func (z *sweeper) value(v value) float64 {
	if v.source < 0 {
		return v.c
	}
	return z.source(v.source)
}

// put gives x to the next sink.
func (z *sweeper) put(x float64) {
	z.ports[(z.sources+z.next)*z.ownSweep.lanes+z.lane] = x
	z.next++
}

// term computes the sinks of one term.
func (z *sweeper) term() {
	for a, v := range z.ownSweep.x {
		z.x[a] = z.value(v)
	}
	for a, v := range z.ownSweep.p {
		z.p[a] = z.value(v)
	}
	_, err := z.ownSweep.term.Value(z.ws, z.x, z.p)
	must(err)
	z.next = 0
	for r, j := range z.outputs {
		z.put(z.value(z.ownSweep.w[r]) * z.ws.V[z.ownSweep.term.Output(j)])
	}
	switch z.ord {
	case first:
		z.weigh(z.w, z.weights)
		must(z.ownSweep.term.Gradient(z.ws, z.w))
		z.putVars(z.ws.Bar)
	case second:
		z.hessian()
	case jacobian:
		z.jacobian()
	case tangent:
		must(z.ownSweep.term.JVP(z.ws, z.directions(), z.direction))
		for _, t := range z.ws.T[:z.directions()] {
			for r, j := range z.outputs {
				z.put(z.value(z.ownSweep.w[r]) * t[z.ownSweep.term.Output(j)])
			}
		}
	case product:
		z.products()
	}
}

// must panics, as no term has a primitive that fails.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// weigh sets w to the weights of the program's outputs: those of the results that
// begin at a source, 1 if there are none, times their factors.
func (z *sweeper) weigh(w []float64, source int) {
	clear(w)
	for r, j := range z.outputs {
		w[j] = z.value(z.ownSweep.w[r])
		if z.weighted {
			w[j] *= z.source(source + r)
		}
	}
}

// direction adds direction k to x.
func (z *sweeper) direction(x []float64, k int) {
	for a, inputs := range z.vars {
		for _, i := range inputs {
			x[i] = z.source(z.dirs + k*len(z.vars) + a)
		}
	}
}

// byVar sets h to what numbers of the program's inputs are for the variables.
func (z *sweeper) byVar(h, x []float64) {
	for a, inputs := range z.vars {
		h[a] = 0
		for _, i := range inputs {
			h[a] += x[i]
		}
	}
}

func (z *sweeper) putVars(x []float64) {
	z.byVar(z.h, x)
	for _, h := range z.h {
		z.put(h)
	}
}

// products computes Hessians times directions and, if the weights move, what
// that makes of the gradient.
func (z *sweeper) products() {
	term, k := z.ownSweep.term, z.directions()
	z.weigh(z.w, z.weights)
	must(term.Linearize(z.ws, z.w))
	must(term.HVP(z.ws, k, z.direction))
	begin := z.next
	for _, u := range z.ws.U[:k] {
		z.putVars(u)
	}
	if !z.moving {
		return
	}
	must(term.VJP(z.ws, k, func(w []float64, s int) { z.weigh(w, z.turns+s*len(z.outputs)) }))
	z.next = begin
	for _, u := range z.ws.U[:k] {
		z.byVar(z.h, u)
		for _, h := range z.h {
			z.put(z.ports[(z.sources+z.next)*z.ownSweep.lanes+z.lane] + h)
		}
	}
}

// hessian computes the gradient and the Hessian.
func (z *sweeper) hessian() {
	term := z.ownSweep.term
	z.weigh(z.w, z.weights)
	must(term.Linearize(z.ws, z.w))
	z.putVars(z.ws.Bar)
	must(term.HVPs(z.ws, z.coloring.Columns().Num(), z.color, func(c int, hv []float64) {
		z.byVar(z.h, hv)
		z.recovery.GatherColumns(z.values, c, z.h)
	}))
	z.recovery.Finish(z.values)
	for e, h := range z.values {
		if r := z.entries[e]; z.mingled && r.a != r.b && z.numbers[r.a][z.at] == z.numbers[r.b][z.at] {
			h *= 2 // with its mirror image
		}
		z.put(h)
	}
}

// color adds the variables of color c to x.
func (z *sweeper) color(x []float64, c int) {
	for _, a := range z.coloring.Columns().Class(c) {
		for _, i := range z.vars[a] {
			x[i] = 1
		}
	}
}

// jacobian computes the Jacobian of the results.
func (z *sweeper) jacobian() {
	term := z.ownSweep.term
	const most = sweep.MaxDirections
	for lo := 0; lo < z.coloring.Columns().Num(); lo += most {
		k := min(most, z.coloring.Columns().Num()-lo)
		must(term.JVP(z.ws, k, func(x []float64, s int) { z.color(x, lo+s) }))
		for s, t := range z.ws.T[:k] {
			for r, j := range z.outputs {
				z.y[r] = z.value(z.ownSweep.w[r]) * t[term.Output(j)]
			}
			z.recovery.GatherColumns(z.values, lo+s, z.y)
		}
	}
	for lo := 0; lo < z.coloring.Rows().Num(); lo += most {
		k := min(most, z.coloring.Rows().Num()-lo)
		must(term.VJP(z.ws, k, func(w []float64, s int) {
			for _, r := range z.coloring.Rows().Class(lo + s) {
				w[z.outputs[r]] = z.value(z.ownSweep.w[r])
			}
		}))
		for s, u := range z.ws.U[:k] {
			z.byVar(z.h, u)
			z.recovery.GatherRows(z.values, lo+s, z.h)
		}
	}
	z.recovery.Finish(z.values)
	for _, v := range z.values {
		z.put(v)
	}
}
