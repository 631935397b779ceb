package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

const (
	// A sum of at least longSum operands is cut into terms; what is shorter
	// stays in its term.
	longSum = 8
	// A small program may be one term. It has at most wholeSize operations,
	// operands of sums, inputs and outputs, and wholeEdges edges.
	wholeSize  = 512
	wholeEdges = 8192
	// A term has at most maxSteps operations and leaves.
	maxSteps = 2048
	// All terms together are at most maxRepeat times the program, of which they
	// repeat what they share: to find them takes so long. Whether they pay is
	// not decided here. Too large ones that were looked at in vain count
	// vainly times.
	maxRepeat = 16
	vainly    = 4
	// The steps of all shapes and their edges are at most freeEdges, or
	// 1/edgeShare of the program's operations: to derive one takes about a
	// microsecond. A shape has at most maxEdges, so that there are registers
	// enough.
	freeEdges = 2048
	edgeShare = 16
	maxEdges  = 1 << 15
	// Terms have at least leastShare of the operations: else they save little,
	// and what is left over is prepared as long as the whole.
	leastShare = 0.25
)

// step is an operation of a shape on earlier steps a, b and c. For a leaf, a is
// its number; for PowInt and Polygamma, c is the order; for Own, b is the
// function and c the order of the derivative.
type step struct {
	op      op.Code
	a, b, c int32
}

// shape is the graph that alike terms have in common, and what is different
// from term to term.
type shape struct {
	steps   []step
	results []int32 // the last step, or those of all outputs of a small program
	terms   int
	vars    []list // global number of the local variables
	pars    []list // and of the local parameters
	data    []data // the constants, in the order of the steps that have one
	rows    []list // the outputs that the results are added to
	owns    []*tape.Scalar1
	single  bool // its code is straight
	own     *own // of declared terms
	dims
}

// data is a constant of each term, or one of all.
type data struct {
	all  float64
	each []float64
}

// candidate is scale·root, or scale·root·other, as a part of an output.
type candidate struct {
	root, other int32 // −1: no other
	row         int32
	shape       int32
	scale       float64
	alone       bool // not to be one term with others
	obstacle    obstacle
}

// Numbers of shapes that are none.
const (
	none  = -1 // not a term
	gone  = -2 // cut into others, or to be looked at alone
	given = -3 // terms that are declared

	waiting = -4 // to be classified
)

// detector finds terms and their shapes.
type detector struct {
	tape.View
	p     *sweep.Engine
	long  []bool // a linear operation above a long sum
	stamp []int32
	local []int32 // number of the node in the term that stamped it
	now   int32
	dims
	size    int  // operations and operands of sums
	longest int  // how many operations and leaves a term may have
	budget  int  // nodes that may be visited
	second  bool // Hessians are wanted, not Jacobians

	cands     []candidate
	constants []float64 // of the outputs
	shapes    []*instances
	byHash    map[uint64]int32
	declared  []*declared
	byCall    map[int32]*declared // by the first node
	last      int32               // the shape of the last term

	stack   []int32
	code    []step
	leaves  []int32
	numbers []float64
	results []int32
	rows    []int32

	obstacle obstacle // why the last trace failed
}

// instances is a shape while its terms are gathered.
type instances struct {
	steps   []step
	results []int32
	next    int32 // shape with the same hash, or none
	nums    int   // constants a term
	wide    int   // leaves a term
	leaves  []int32
	data    []float64
	rows    []int32 // of all results, term by term
	edges   int     // steps and edges, 0: not counted yet
	taken   bool
	several bool // a term is several candidates
	few     bool // it was left since there are few terms
	dead    bool // its terms were cut
}

func newDetector(p *sweep.Engine) *detector {
	d := &detector{View: p.View(), p: p, byHash: map[uint64]int32{}, byCall: map[int32]*declared{}}
	d.dims = dims{p.Inputs(), p.Params(), p.Outputs()}
	d.constants = make([]float64, d.outputs)
	for i := d.Base; int(i) < len(d.Ops); i++ {
		d.size += d.length(i)
	}
	d.budget = maxRepeat*d.size + maxSteps
	d.longest = maxSteps
	return d
}

// visit begins to stamp nodes anew. What is declared alone needs no stamps.
func (d *detector) visit() {
	if d.stamp == nil {
		d.stamp, d.local = make([]int32, len(d.Ops)), make([]int32, len(d.Ops))
	}
	d.now++
}

// length is how many operations node i is with those of the operands of a sum.
func (d *detector) length(i int32) int {
	switch d.Ops[i] {
	case op.Sum, op.Affine, op.Dot:
		return 1 + int(d.B[i]>>1)
	}
	return 1
}

// isSmall reports whether the program may be one term.
func (d *detector) isSmall() bool {
	return d.size <= wholeSize && d.inputs+d.params+d.outputs <= wholeSize && len(d.p.Guards()) == 0
}

// whole makes a small program one term with all outputs as results, nil if it
// cannot be or has more edges.
func (d *detector) whole(edges int) *shape {
	results, ok := d.traceAll()
	if !ok {
		return nil
	}
	one := instances{steps: d.code, results: results, nums: len(d.numbers), wide: len(d.leaves), leaves: d.leaves, data: d.numbers}
	for j := range d.Outputs {
		one.rows = append(one.rows, int32(j))
	}
	s := d.finish(&one)
	if countEdges(s.steps, edges) > edges {
		return nil
	}
	s.single = true
	return s
}

// traceAll traces all outputs; it returns their steps.
func (d *detector) traceAll() (results []int32, ok bool) {
	d.visit()
	for _, i := range d.Outputs {
		if !d.trace(i) {
			return nil, false
		}
		results = append(results, d.local[i])
	}
	return results, true
}

// parts makes the operands of long sums terms.
func (d *detector) parts() {
	d.findLong()
	for j, i := range d.Outputs {
		d.split(candidate{root: i, other: -1, row: int32(j), scale: 1}, false)
	}
	d.choose()
}

// maxRounds is how often what is no term is cut.
const maxRounds = 20

// choose takes the shapes that most is done in, takes what is together in others
// apart, and cuts terms that are too large or of other shapes at their sums, until
// nothing is left to cut.
func (d *detector) choose() {
	begin := 0
	for range maxRounds {
		d.take(begin)
		begin = len(d.cands)
		for k, c := range d.cands {
			switch {
			case d.budget <= 0 || !d.rejected(c):
				continue
			case c.shape >= 0 && d.shapes[c.shape].several:
				one := c
				one.alone, one.shape = true, waiting
				d.cands = append(d.cands, one)
			case c.other >= 0 || !isLinear(d.Ops[c.root]) || !d.split(c, true):
				continue
			}
			d.cands[k].shape = gone
			if c.shape >= 0 {
				d.shapes[c.shape].dead = true
			}
		}
		if begin == len(d.cands) {
			break
		}
	}
	if begin < len(d.cands) {
		d.take(begin)
	}
	d.leave()
}

// take puts the candidates from begin on into shapes, and marks those that are
// taken.
func (d *detector) take(begin int) {
	groups := d.together(begin)
	for k := begin; k < len(d.cands); k++ {
		if d.cands[k].shape != waiting {
			continue
		}
		if all := groups[int32(k)]; all == nil || !d.classify(all) {
			d.classify([]int32{int32(k)})
		}
	}
	limit := min(max(freeEdges, d.size/edgeShare), maxEdges)
	most := limit
	order := make([]*instances, 0, len(d.shapes))
	for _, s := range d.shapes {
		s.taken = false
		if !s.dead {
			order = append(order, s)
		}
	}
	slices.SortStableFunc(order, func(s, t *instances) int {
		return len(t.steps)*t.terms() - len(s.steps)*s.terms()
	})
	for _, s := range order {
		if len(s.steps) > limit {
			continue
		}
		if s.edges == 0 {
			s.edges = d.edges(s, most)
		}
		if s.edges <= limit {
			limit -= s.edges
			s.taken = true
		}
	}
}

// edges is how much there is to derive of s, most if it is too much: its steps,
// and for a Hessian its edges, for a Jacobian the steps of each result.
func (d *detector) edges(s *instances, most int) int {
	if !d.second {
		return len(s.steps) * (1 + len(s.results))
	}
	steps, _ := varsFirst(s.steps, nil)
	return len(steps) + countEdges(steps, most)
}

// rejected reports whether c is part of the rest.
func (d *detector) rejected(c candidate) bool {
	return c.shape == none || c.shape >= 0 && !d.shapes[c.shape].taken
}

// leave leaves shapes of few terms to the rest, if these would take longer than
// all others: a block takes a while even if it has one term.
func (d *detector) leave() {
	var few []*instances
	lost, kept := 0.0, 0.0
	for _, s := range d.shapes {
		if !s.taken {
			continue
		}
		if t, general := d.times(s); t > general {
			few = append(few, s)
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
		for _, s := range few {
			s.taken, s.few = false, true
		}
	}
}

// times estimates the time of the terms of s, and that of their operations in as
// many products by the general engine as a term has variables: any coloring has
// about so many colors.
func (d *detector) times(s *instances) (terms, general float64) {
	n, ops, vars, calls := s.terms(), 0, 0, 0
	for _, st := range s.steps {
		switch {
		case st.op == leafVar:
			vars++
		case st.op < leafVar:
			ops++
			if callsFunction(st.op) {
				calls++
			}
		}
	}
	blocks := (n + lanes - 1) / lanes
	t := cost.Counts{cost.Instruction: float64(s.edges * blocks), cost.Term: float64(s.edges * n), cost.Call: float64(calls * n)}
	g := cost.Counts{cost.Lane: float64(ops * n), cost.Call: float64(calls * n)}
	g[cost.Lane] += float64(ops * n * vars)
	g[cost.Gather] = g[cost.Lane]
	if d.second {
		g[cost.SecondLane] = float64(ops * n * vars)
	}
	return t.Time(), g.Time()
}

// isLinear reports whether terms may be cut at the operation.
func isLinear(code op.Code) bool {
	switch code.Class() {
	case op.One, op.MinusOne, op.ByConstant, op.OverConstant, op.OneOne, op.OneMinusOne:
		return true
	}
	return code == op.Sum || code == op.Affine || code == op.Dot
}

// findLong marks the linear operations that have a long sum among them or
// below, with linear operations between. A sum that enters other operations, too,
// is none, since its operands would be repeated.
func (d *detector) findLong() {
	inner := make([]bool, len(d.Ops))
	mark := func(j int32) { inner[j] = true }
	for i := int32(len(d.Ops)) - 1; i >= d.Base; i-- {
		if inner[i] || !isLinear(d.Ops[i]) {
			d.eachOperand(i, mark)
		}
	}
	d.long = make([]bool, len(d.Ops))
	long := d.long
	for i := d.Base; int(i) < len(d.Ops); i++ {
		if inner[i] || !isLinear(d.Ops[i]) {
			continue
		}
		if long[i] = d.length(i) > longSum; !long[i] && d.Ops[i] != op.Dot {
			d.eachOperand(i, func(j int32) { long[i] = long[i] || long[j] })
		}
	}
}

// frame is a sum that is being walked.
type frame struct {
	x, y  []int32 // operands, for Dot of both factors
	w     []float64
	scale float64
	k     int
}

// part appends a candidate, or adds to the constant of an output.
func (d *detector) part(c candidate) {
	if k := c.root - d.Base + int32(len(d.Consts)); k >= 0 && c.root < d.Base && c.other < 0 {
		d.constants[c.row] += float64(c.scale * d.Consts[k])
		return
	}
	c.shape = waiting
	d.cands = append(d.cands, c)
}

// split cuts c at the sums above and among long ones, or at its root in any
// case; it reports false if it is not to be cut.
func (d *detector) split(c candidate, root bool) bool {
	if !root && !d.long[c.root] {
		d.part(c)
		return false
	}
	f, ok := d.open(c)
	if !ok {
		if !root {
			d.part(c)
		}
		return false
	}
	stack := []frame{f}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.k == len(f.x) {
			stack = stack[:len(stack)-1]
			continue
		}
		part := candidate{root: f.x[f.k], other: -1, row: c.row, scale: f.scale, alone: c.alone}
		if f.w != nil {
			part.scale *= f.w[f.k]
		}
		if f.y != nil {
			part.other = f.y[f.k]
		}
		f.k++
		d.budget--
		if part.other < 0 && d.long[part.root] && d.budget > 0 {
			if f, ok := d.open(part); ok {
				stack = append(stack, f)
				continue
			}
		}
		d.part(part)
	}
	return true
}

// open begins the sum c; ok is false if its scale cannot be given to its parts
// without loss.
func (d *detector) open(c candidate) (f frame, ok bool) {
	i := c.root
	a, b, k := d.A[i], d.B[i], d.C[i]
	f = frame{scale: c.scale}
	constant := 0.0
	switch d.Ops[i] {
	case op.Add:
		f.x = []int32{a, b}
	case op.Sub:
		f.x = []int32{a, b}
		f.w = []float64{1, -1}
	case op.Neg:
		f.x = []int32{a}
		f.scale = -c.scale
	case op.Scale:
		f.x = []int32{a}
		f.w = []float64{k}
	case op.DivReal:
		f.x = []int32{a}
		f.w = []float64{1 / k}
	case op.AddReal:
		f.x = []int32{a}
		constant = k
	case op.RSub:
		f.x = []int32{a}
		f.scale = -c.scale
		constant = k
	case op.Sum:
		f.x = d.p.SumAt(i)
		constant = k
	case op.Affine:
		f.w, f.x = d.p.AffineAt(i)
		constant = k
	case op.Dot:
		f.x, f.y = d.p.DotAt(i)
	}
	for _, w := range f.w {
		if cw := float64(c.scale * w); w != 0 && !(math.Abs(cw) >= minNormal) || cw-cw != 0 {
			return f, false
		}
	}
	if constant != 0 {
		d.constants[c.row] += float64(c.scale * constant)
	}
	d.cands = slices.Grow(d.cands, len(f.x))
	return f, true
}

// minNormal is the smallest number with all its digits.
const minNormal = 0x1p-1022

// classify finds the shape of candidates that are one term and appends the term
// to it. It reports false, and changes nothing, if several cannot be one; a single
// one that cannot be a term has no shape then.
func (d *detector) classify(group []int32) bool {
	c := &d.cands[group[0]]
	if len(group) == 1 && d.declare(c) {
		c.shape = given
		return true
	}
	d.visit()
	d.code, d.leaves, d.numbers = d.code[:0], d.leaves[:0], d.numbers[:0]
	d.results, d.rows = d.results[:0], d.rows[:0]
	for _, k := range group {
		if d.budget < 0 {
			d.obstacle = obstacle{what: repeated, at: c.root}
		} else if d.add(&d.cands[k]) {
			continue
		}
		if len(group) == 1 {
			c.shape, c.obstacle = none, d.obstacle
		}
		return false
	}
	k := d.find(len(group) > 1)
	s := d.shapes[k]
	s.leaves = grown(s.leaves, d.leaves)
	s.data = grown(s.data, d.numbers)
	s.rows = grown(s.rows, d.rows)
	for _, i := range group {
		d.cands[i].shape = k
	}
	return true
}

// add appends the steps of c; it reports false if it cannot be part of a term.
func (d *detector) add(c *candidate) bool {
	if !d.trace(c.root) || c.other >= 0 && !d.trace(c.other) {
		return false
	}
	value := d.local[c.root]
	if c.other >= 0 {
		if c.other == c.root {
			value = d.emit(op.Square, value, value, 0)
		} else {
			value = d.emit(op.Mul, value, d.local[c.other], 0)
		}
	}
	d.numbers = append(d.numbers, c.scale)
	value = d.emit(op.Scale, value, value, 0)
	if r := slices.Index(d.rows, c.row); r >= 0 {
		d.results[r] = d.emit(op.Add, d.results[r], value, 0)
		return true
	}
	d.results, d.rows = append(d.results, value), append(d.rows, c.row)
	return true
}

// grown is append that doubles: the built-in one copies large slices more often.
func grown[T any](x, y []T) []T {
	if len(x)+len(y) > cap(x) {
		x = slices.Grow(x, len(x)+len(y))
	}
	return append(x, y...)
}

// find is the shape with the steps of d.code, made if there is none.
func (d *detector) find(several bool) int32 {
	is := func(k int32) bool {
		return slices.Equal(d.shapes[k].steps, d.code) && slices.Equal(d.shapes[k].results, d.results)
	}
	if int(d.last) < len(d.shapes) && is(d.last) {
		return d.last
	}
	h := uint64(len(d.code))
	for _, s := range d.code {
		h = (h ^ uint64(s.op)<<56 ^ uint64(uint32(s.c))<<24 ^ uint64(uint32(s.a))) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29 ^ uint64(uint32(s.b))) * 0xbf58476d1ce4e5b9
		h ^= h >> 32
	}
	k, ok := d.byHash[h]
	if !ok {
		k = none
	}
	for j := k; j >= 0; j = d.shapes[j].next {
		if is(j) {
			d.last = j
			return j
		}
	}
	d.last = int32(len(d.shapes))
	d.byHash[h] = d.last
	d.shapes = append(d.shapes, &instances{
		steps: slices.Clone(d.code), results: slices.Clone(d.results),
		next: k, nums: len(d.numbers), wide: len(d.leaves), several: several,
	})
	return d.last
}

// terms is how many there are.
func (s *instances) terms() int { return max(len(s.rows), 1) / max(len(s.results), 1) }

// emit appends a step and returns its number.
func (d *detector) emit(code op.Code, a, b, c int32) int32 {
	d.code = append(d.code, step{code, a, b, c})
	return int32(len(d.code)) - 1
}

// trace appends the steps of what node i reaches, operands first, each once.
// It reports false if that is too much or no term.
func (d *detector) trace(i int32) (ok bool) {
	d.stack = append(d.stack[:0], i)
	params := int32(d.inputs + d.params)
	visits := 0
	defer func() {
		if d.budget -= visits / 2; !ok {
			d.budget -= (vainly - 1) * visits / 2
		}
	}()
	d.obstacle = obstacle{what: tooLarge, at: i}
	for len(d.stack) > 0 {
		visits++
		i := d.stack[len(d.stack)-1]
		if d.stamp[i] == d.now {
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		if i < d.Base {
			d.stamp[i] = d.now
			switch {
			case i < params:
				code := leafVar
				if int(i) >= d.inputs {
					code = leafParam
				}
				d.local[i] = d.emit(code, int32(len(d.leaves)), 0, 0)
				d.leaves = append(d.leaves, i)
			default:
				d.local[i] = d.emit(leafData, 0, 0, 0)
				d.numbers = append(d.numbers, d.Consts[i-params])
			}
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		before := len(d.stack)
		code := d.Ops[i]
		a, b := d.A[i], d.B[i]
		switch k := code.Operands(); {
		case k == 1:
			if hasInt(code) && math.Abs(d.C[i]) > math.MaxInt32 {
				d.obstacle = obstacle{what: hugeOrder, at: i}
				return false
			}
			if d.stamp[a] != d.now {
				d.stack = append(d.stack, a)
			}
		case k == 2:
			if code.Commutes() && d.Ops[b] > d.Ops[a] {
				a, b = b, a // alike terms may have them in different order
			}
			if d.stamp[b] != d.now {
				d.stack = append(d.stack, b)
			}
			if d.stamp[a] != d.now {
				d.stack = append(d.stack, a)
			}
		case code == op.Call || code.Listed() > 0:
			d.obstacle = obstacle{what: call, at: i}
			return false
		default:
			if len(d.code)+int(b>>1) > d.longest {
				return false
			}
			d.p.EachOperand(i, func(j int32) {
				if d.stamp[j] != d.now {
					d.stack = append(d.stack, j)
				}
			})
			slices.Reverse(d.stack[before:])
		}
		if len(d.stack) > before {
			if len(d.stack) > 4*d.longest {
				return false
			}
			continue
		}
		d.stack = d.stack[:before-1]
		if len(d.code) >= d.longest {
			return false
		}
		d.local[i] = d.operation(i, code, a, b)
		d.stamp[i] = d.now
	}
	return true
}

// operation emits node i, whose operands have been.
func (d *detector) operation(i int32, code op.Code, a, b int32) int32 {
	switch code {
	case op.Sum:
		return d.total(d.C[i], d.p.SumAt(i), func(_ int, x int32) int32 { return d.local[x] })
	case op.Affine:
		w, x := d.p.AffineAt(i)
		return d.total(d.C[i], x, func(k int, x int32) int32 {
			d.numbers = append(d.numbers, w[k])
			return d.emit(op.Scale, d.local[x], d.local[x], 0)
		})
	case op.Dot:
		x, y := d.p.DotAt(i)
		return d.total(negZero, x, func(k int, x int32) int32 {
			if x == y[k] {
				return d.emit(op.Square, d.local[x], d.local[x], 0)
			}
			return d.emit(op.Mul, d.local[x], d.local[y[k]], 0)
		})
	case op.Select:
		cond, x, y := d.p.SelectAt(i)
		return d.emit(code, d.local[cond], d.local[x], d.local[y])
	case op.Own:
		_, order := d.p.OwnAt(i)
		return d.emit(code, d.local[a], b, int32(order))
	}
	if hasInt(code) {
		return d.emit(code, d.local[a], d.local[a], int32(d.C[i]))
	}
	if hasReal(code) {
		d.numbers = append(d.numbers, d.C[i])
	}
	return d.emit(code, d.local[a], d.local[b], 0)
}

var negZero = math.Copysign(0, -1)

// total emits c plus a sum, added from the left.
func (d *detector) total(c float64, x []int32, term func(k int, x int32) int32) int32 {
	if len(x) == 0 {
		d.numbers = append(d.numbers, c)
		return d.emit(leafData, 0, 0, 0)
	}
	s := term(0, x[0])
	if c != 0 {
		d.numbers = append(d.numbers, c)
		s = d.emit(op.AddReal, s, s, 0)
	}
	for k := 1; k < len(x); k++ {
		s = d.emit(op.Add, s, term(k, x[k]), 0)
	}
	return s
}

// finish is s with its lists.
func (d *detector) finish(s *instances) *shape {
	n := s.terms()
	z := &shape{terms: n, owns: d.Owns, dims: d.dims}
	for r := range s.results {
		x := make([]int32, n)
		for e := range x {
			x[e] = s.rows[e*len(s.results)+r]
		}
		z.rows = append(z.rows, newList(x))
	}
	z.steps, z.results = varsFirst(s.steps, s.results)
	column := func(k int, base int32) list {
		x := make([]int32, n)
		for e := range x {
			x[e] = s.leaves[e*s.wide+k] - base
		}
		return newList(x)
	}
	for i := range z.steps {
		switch st := &z.steps[i]; st.op {
		case leafVar:
			z.vars = append(z.vars, column(int(st.a), 0))
			st.a = int32(len(z.vars)) - 1
		case leafParam:
			z.pars = append(z.pars, column(int(st.a), int32(d.inputs)))
			st.a = int32(len(z.pars)) - 1
		}
	}
	for k := range s.nums {
		z.data = append(z.data, newData(n, func(e int) float64 { return s.data[e*s.nums+k] }))
	}
	return z
}

// varsFirst is the same steps with those of the variables in front, as edge
// pushing wants them.
func varsFirst(steps []step, results []int32) (z []step, r []int32) {
	number := make([]int32, len(steps))
	for _, vars := range []bool{true, false} {
		for i, st := range steps {
			if (st.op == leafVar) == vars {
				number[i] = int32(len(z))
				z = append(z, st)
			}
		}
	}
	for i := range z {
		z[i].renumber(number)
	}
	for _, i := range results {
		r = append(r, number[i])
	}
	return z, r
}

// renumber gives the operands of st new numbers.
func (st *step) renumber(number []int32) {
	switch {
	case st.op >= leafVar:
	case st.op == op.Select:
		st.a, st.b, st.c = number[st.a], number[st.b], number[st.c]
	case st.op.Operands() == 2:
		st.a, st.b = number[st.a], number[st.b]
	default:
		st.a = number[st.a]
	}
}
