package terms

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// These numbers were measured by preparing and evaluating the Hessians of the problems,
// models and classics of package bench, 88 programs, with a number half as large, twice as
// large and so on. Where nothing is said the times stayed the same.
const (
	// A sum of more than longSum operands is cut into terms; what is shorter stays in
	// its term. With 4 nothing changes; with 16 one model takes 1.8 times as long.
	longSum = 8
	// A small program may be one term. It has at most wholeSize operations, operands
	// of sums, inputs and outputs, and wholeEdges edges.
	wholeSize  = 512
	wholeEdges = 8192
	// A term has at most maxSteps operations and leaves: its derivatives have as many
	// instructions, each of which takes half a microsecond to derive and 250 bytes.
	maxSteps = 1 << 17
	// All terms together may have at most maxRepeat times the operations of the program:
	// they repeat what they share. This bounds the time of detection; whether the terms pay
	// is not decided here. The operations of a candidate that turns out to be too large
	// count vainly times. With 4 one model takes 1.6 times as long; more than 8 finds
	// nothing more, and the time to look for terms in vain grows in proportion.
	maxRepeat = 8
	vainly    = 4
	// All shapes together may have freeEdges steps and edges, which are derived in a
	// millisecond, or as many as are derived in deriveShare of the time in which the program
	// was recorded. With freeEdges of 1024 networks with one hidden layer are left to sweeps,
	// which take 1.6 times as long; with 4096 and 8192 evaluations take the same time. A shape
	// for which that is too little is derived if one Hessian by sweeps would take longer. See
	// Limits, too.
	freeEdges   = 2048
	deriveShare = 0.4
	// Terms must have at least leastShare of the operations: otherwise they save little, and
	// preparing what is left over takes as long as preparing the whole. Evaluations take the
	// same time from 0 to 0.5, preparations up to 5 times as long at 0 and twice at 0.1.
	leastShare = 0.25
)

// detector finds terms and their shapes.
type detector struct {
	p    *tape.Tape
	base int32 // its first operation
	dims
	size    int  // operations and operands of sums that the program has
	longest int  // how many operations and leaves a term may have
	budget  int  // how many nodes may still be visited
	hessian bool // terms are for a Hessian, not for a Jacobian

	listed    int32     // the first operation on a list
	sums      []sumMark // by node from listed on
	cands     []candidate
	roles     []role
	constants []float64 // by output, the sum of its candidates that are constants
	classes   []*class
	byHash    map[uint64]int32 // the class that was made last of those with a hash
	last      int32            // the class of the last term
	ahead     int              // how many candidates are not yet classified, with that at hand
	declared  []*declared
	byCall    map[int32]*declared // by the first node of a call

	// The term at hand.
	marks    marks // its nodes, and the step that each is
	term     term
	stack    []int32
	obstacle obstacle // why the last trace failed

	// The term at hand as it is compared with a class.
	node    []int32   // by step of the class
	leaves  []int32   // by leaf of the class
	numbers []float64 // by constant of the class

	obstacles map[int32]obstacle // by candidate that is no term
}

func newDetector(p *tape.Tape, hessian bool) *detector {
	d := &detector{
		base: int32(p.Base()), p: p, hessian: hessian, longest: maxSteps,
		dims: dims{p.Inputs(), p.Params(), p.Outputs()}, constants: make([]float64, p.Outputs()),
		marks:  newMarks(),
		byHash: map[uint64]int32{}, byCall: map[int32]*declared{}, obstacles: map[int32]obstacle{},
	}
	d.size = p.Ops()
	for _, code := range [...]op.Code{op.Sum, op.Affine, op.Dot} {
		_, terms := p.CountOf(code)
		d.size += terms
	}
	d.budget = maxRepeat*d.size + maxSteps
	return d
}

// Detect finds the terms of a function, for its Hessian or its Jacobian; nil if there are
// none. Whether a plan is faster than products is not decided here. The engine of f is made
// only if something is left over. Cost: O(N) time and memory in N operations.
func Detect(f *sweep.Function, hessian bool) *Plan {
	p := f.Tape()
	if len(p.Guards()) > 0 {
		p = &f.Engine().Tape
	}
	d := newDetector(p, hessian)
	d.cutOutputs()
	if d.leavesRest() && p != &f.Engine().Tape { // the rest is recorded in the order of the engine's tape
		p = &f.Engine().Tape
		d = newDetector(p, hessian)
		d.cutOutputs()
	}
	pl := d.plan()
	if !d.isSmall() {
		return pl
	}
	v, edges := variant{Derivative: expr.Jacobian}, wholeEdges
	if hessian {
		v.Derivative, edges = expr.Hessian, min(edges, Limits.Edges)
	}
	all := pl != nil && pl.rest == nil
	// An edge takes at least half a line of code. One with more than this many edges takes
	// longer than the terms that were found.
	if all {
		edges = min(edges, int(2*pl.cost(v).Time()/cost.Time(cost.Line)))
	}
	one := newDetector(p, hessian).whole(edges)
	if one == nil || all && pl.cost(v).Time() < one.cost(v).Time() {
		return pl
	}
	return one
}

// isSmall reports whether the program may be one term.
func (d *detector) isSmall() bool {
	return d.size <= wholeSize && d.inputs+d.params+d.outputs <= wholeSize && len(d.p.Guards()) == 0
}

// whole is a small program as one term with all outputs as results; nil if it cannot be
// one, or has more than the given number of edges.
func (d *detector) whole(edges int) *Plan {
	results, ok := d.traceOutputs()
	if !ok {
		return nil
	}
	d.term.results = results
	for j := range d.outputs {
		d.term.rows = append(d.term.rows, int32(j))
	}
	one := newClass(&d.term, 1)
	one.append(d.term.leaves, d.term.Numbers, d.term.rows)
	s := d.shape(one)
	if expr.CountEdges(s.Steps, edges) > edges {
		return nil
	}
	return &Plan{dims: d.dims, shapes: []*shape{s}, whole: true}
}

// traceOutputs traces all outputs as one term; it returns their steps.
func (d *detector) traceOutputs() (results []int32, ok bool) {
	d.marks.clear()
	for _, i := range d.p.OutputNodes() {
		if !d.trace(i) {
			return nil, false
		}
		results = append(results, d.marks.step(i))
	}
	return results, true
}

// cutOutputs cuts the outputs at their long sums and finds the classes of the parts.
func (d *detector) cutOutputs() {
	d.findLong()
	for j, i := range d.p.OutputNodes() {
		d.split(candidate{root: i, row: int32(j), as: d.newRole(role{scale: 1, factor: noFactor})}, false)
	}
	d.choose()
}

// maxRounds is how often candidates that are not taken are cut.
const maxRounds = 20

// choose takes the classes with the most operations. Of the other candidates it takes apart
// those that were joined and cuts the rest at their sums; then it chooses again, until
// nothing is left to cut.
func (d *detector) choose() {
	begin := 0
	for range maxRounds {
		d.take(begin)
		begin = len(d.cands)
		for k := range len(d.cands) {
			if d.budget <= 0 || !d.leftOver(&d.cands[k]) {
				continue
			}
			switch c := d.cands[k]; {
			case c.class >= 0 && d.classes[c.class].joined:
				one := c
				r := *d.role(&c)
				r.alone = true
				one.as, one.class = d.newRole(r), unclassified
				d.cands = append(d.cands, one)
			case d.role(&c).factor != noFactor || !isLinear(d.p.Op(c.root)) || !d.split(c, true):
				continue
			}
			if class := d.cands[k].class; class >= 0 {
				d.classes[class].state = cut
			}
			d.cands[k].class = replaced
		}
		if begin == len(d.cands) {
			break
		}
	}
	if begin < len(d.cands) {
		d.take(begin)
	}
	d.leaveRare()
}

// take classifies the candidates from begin on, and takes the classes with the most
// operations, as many as may be derived.
func (d *detector) take(begin int) {
	groups := d.join(begin)
	for k := begin; k < len(d.cands); k++ {
		if d.cands[k].class != unclassified {
			continue
		}
		d.ahead = len(d.cands) - k
		if all := groups[int32(k)]; all == nil || !d.classify(all) {
			d.classify([]int32{int32(k)})
		}
	}
	share := deriveShare * cost.Time(cost.Record) / cost.Time(cost.Derive)
	limit, all := max(freeEdges, int(share*float64(d.size))), Limits.Edges
	order := make([]*class, 0, len(d.classes))
	for _, s := range d.classes {
		if s.state != cut {
			s.state = left
			order = append(order, s)
		}
	}
	slices.SortStableFunc(order, func(s, t *class) int {
		return len(t.Steps)*t.terms - len(s.Steps)*s.terms
	})
	for _, s := range order {
		if s.edges == 0 {
			s.edges = d.edges(s, limit)
		}
		switch {
		case d.hessian && s.edges > all:
			continue
		case s.edges <= limit:
			limit -= s.edges
		case !d.pays(s):
			continue
		}
		all -= s.edges
		s.state = taken
	}
}

// edges is how much there is to derive of s: its steps and, for a Hessian, its edges (counted
// are not many more than least, or than can pay), for a Jacobian, its steps once more for each
// result.
func (d *detector) edges(s *class, least int) int {
	if !d.hessian {
		return len(s.Steps) * (1 + len(s.results))
	}
	_, general := d.times(s, len(s.Steps))
	most := min(max(least, int(general/cost.Time(cost.Derive))), Limits.Edges)
	steps, _ := expr.VariablesFirst(s.Steps, nil, nil)
	return len(steps) + expr.CountEdges(steps, most)
}

// pays reports whether the Hessian of s is derived and evaluated in less time than it takes by
// sweeps. A step has edges to some others, of which each takes a color.
func (d *detector) pays(s *class) bool {
	t, general := d.times(s, 1+2*s.edges/len(s.Steps))
	return d.hessian && float64(float64(s.edges)*cost.Time(cost.Derive))+t < general
}

// leftOver reports whether c is part of the rest.
func (d *detector) leftOver(c *candidate) bool {
	return c.class == noTerm || c.class >= 0 && d.classes[c.class].state != taken
}

// leaveRare leaves classes of few terms to the rest, if what these cost more than sweeps is
// more than what all others take: a block takes some time even if it has only one term.
func (d *detector) leaveRare() {
	var rare []*class
	lost, kept := 0.0, 0.0
	for _, s := range d.classes {
		if s.state != taken {
			continue
		}
		if t, general := d.times(s, len(s.Steps)); t > general {
			rare = append(rare, s)
			lost += t - general
		} else {
			kept += t
		}
	}
	for _, c := range d.declared {
		if c.layers != nil {
			kept += c.Adjoints().Time()
		}
	}
	if lost > kept {
		for _, s := range rare {
			s.state = tooRare
		}
	}
}

// times estimates the time of the terms of s, and that of their operations in as
// many products by sweeps over the program as a term has variables, but at most so many:
// any coloring has about so many colors.
func (d *detector) times(s *class, most int) (terms, general float64) {
	n, ops, vars, calls := s.terms, 0, 0, 0
	for _, st := range s.Steps {
		switch st.Leaf {
		case expr.Variable:
			vars++
		case expr.Operation:
			ops++
			if st.Op.Cost() > 0 {
				calls++
			}
		}
	}
	vars = min(vars, most)
	blocks := (n + code.Lanes - 1) / code.Lanes
	t := cost.Counts{cost.Instruction: float64(s.edges * blocks), cost.Term: float64(s.edges * n), cost.Call: float64(calls * n)}
	g := cost.Counts{cost.Lane: float64(ops * n), cost.Call: float64(calls * n)}
	g[cost.Lane] += float64(ops * n * vars)
	g[cost.Gather] = g[cost.Lane]
	if d.hessian {
		g[cost.SecondLane] = float64(ops * n * vars)
	}
	return t.Time(), g.Time()
}

// plan is the plan of the terms that were found; nil if there are none or too much is left over.
func (d *detector) plan() *Plan {
	rest, ok := d.rest()
	if !ok {
		return nil
	}
	pl := &Plan{dims: d.dims, constants: d.constants, rest: rest}
	for _, s := range d.classes {
		if s.state == taken {
			pl.shapes = append(pl.shapes, d.shape(s))
		}
	}
	for _, c := range d.declared {
		if c.layers != nil {
			pl.shapes = append(pl.shapes, c.place(d.dims, c.kinds, c.inputs, c.layers)...)
		}
	}
	if len(pl.shapes) == 0 && rest != nil {
		return nil
	}
	return pl
}
