package code

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/expr"
)

// Recurrence is the code of a loop with a state, distributed over three loops. What the
// next state is computed from and does not depend on the state is computed before, for
// all steps of a block as lanes; then the recurrence itself step by step, by instructions
// on single numbers; then, as lanes again, what else depends on the states.
//
// Loop distribution: Kuck, Muraoka and Chen, On the number of operations simultaneously
// executable in Fortran-like programs, IEEE Trans. Comput. C-21, 1972.
type Recurrence struct {
	Vector          // what is computed as lanes; Loads are the leaves that differ from step to step, with those of the state
	before  int     // how many of its instructions come before the recurrence
	taken   []int32 // vector registers of what each step takes in
	results []int32 // vector registers of the results
	state   int     // how many numbers the state has
	numbers int     // how many registers the recurrence has

	// The recurrence has registers for the state, for what a step takes in, for the
	// leaves that are the same in all steps and for constants.
	uniforms   []expr.Node
	constants  []float64
	once, each []line // run before the first step, and for each step
	leaves     bool   // each has lines that assembly does not run: it goes through step
	calls      calls
}

// mostRegisters is how many registers a recurrence has at most, by the size of their numbers;
// steps that need more are run one by one.
const mostRegisters = math.MaxUint16

// NewRecurrence is the code of a loop of which each step computes the next state and results.
// number is the number of a leaf in the state, −1 if it is no part of that. It is nil if the
// recurrence needs too many registers.
func NewRecurrence(g *expr.Graph, next, results []expr.Output, number func(leaf expr.Node) int) *Recurrence {
	c := &Recurrence{state: len(next)}
	c.primitives = g.Primitives()
	c.calls.primitives = c.primitives
	roots, others := nodesOf(g, next), nodesOf(g, results)
	depends := make([]bool, len(g.Nodes()))
	for i, n := range g.Nodes() {
		depends[i] = n.Leaf != expr.Operation && number(n) >= 0
		n.Operands(func(j int32) { depends[i] = depends[i] || depends[j] })
	}
	taken := c.recur(g, roots, depends, number)
	if taken == nil {
		return nil
	}
	c.distribute(g, taken, others)
	return c
}

// nodesOf is the nodes of outputs.
func nodesOf(g *expr.Graph, outputs []expr.Output) []int32 {
	z := make([]int32, len(outputs))
	for k, o := range outputs {
		z[k] = o.Node(g)
	}
	return z
}

// distribute makes the code for lanes: of what the recurrence takes in, then of the
// results.
func (c *Recurrence) distribute(g *expr.Graph, taken, results []int32) {
	s := selectTiles(g, append(taken[:len(taken):len(taken)], results...))
	s.fuse()
	e := &vectorizer{allocation: s.allocation(), Vector: &c.Vector}
	var list []item
	done := make([]bool, len(s.tiles))
	add := func(roots []int32) {
		for _, i := range roots {
			s.schedule(i, done, func(i int32) { list = append(list, item{i, -1}) })
			e.use(i, forever)
		}
	}
	add(taken)
	for _, it := range list {
		if !g.Uniform(it.node) {
			c.before++
		}
	}
	add(results)
	e.emit(list)
	e.widen(taken...)
	e.widen(results...)
	for _, i := range taken {
		c.taken = append(c.taken, e.register[i])
	}
	for _, i := range results {
		c.results = append(c.results, e.register[i])
	}
}

// recur makes the code of the recurrence and returns the nodes that it takes in, nil if
// it has too many registers.
func (c *Recurrence) recur(g *expr.Graph, next []int32, depends []bool, number func(leaf expr.Node) int) (taken []int32) {
	s := selectFrom(g, next, func(i int32) bool { return !depends[i] && !g.Uniform(i) })
	s.fuseSums()
	r := s.allocation()
	var once, each []int32
	old := make([]int32, c.state) // leaves that are the state
	for j := range old {
		old[j] = -1
	}
	taken = []int32{}
	done := make([]bool, len(s.tiles))
	var leaves, constants []int32
	for _, i := range next {
		s.schedule(i, done, func(i int32) {
			n := s.Nodes()[i]
			switch t := &s.tiles[i]; {
			case t.Op == Const:
				constants = append(constants, i)
			case t.Op != Load && s.Uniform(i):
				once = append(once, i)
			case t.Op != Load:
				each = append(each, i)
			case depends[i]:
				old[number(n)] = i
				r.register[i] = int32(number(n))
			case s.Uniform(i):
				leaves = append(leaves, i)
			default:
				taken = append(taken, i)
			}
		})
	}
	r.count = c.state
	for _, list := range [][]int32{taken, leaves, constants} {
		for _, i := range list {
			r.register[i] = r.next()
			r.use(i, forever)
		}
	}
	for _, i := range leaves {
		c.uniforms = append(c.uniforms, s.Nodes()[i])
	}
	for _, i := range constants {
		c.constants = append(c.constants, s.tiles[i].K)
	}
	c.lines(r, s.inChains(once), s.inChains(each), old, next)
	if c.numbers = r.count; c.numbers > mostRegisters {
		return nil
	}
	return taken
}

// lines writes the instructions. A number of the next state is computed where that of
// the state is if nothing reads it any more, else moved there at the end.
func (c *Recurrence) lines(r *allocation, once, each, old, next []int32) {
	for k, i := range append(once[:len(once):len(once)], each...) {
		r.use(i, k)
		for _, j := range r.operands(i) {
			r.use(j, k)
			if k >= len(once) && r.Uniform(j) {
				r.use(j, forever)
			}
		}
	}
	place := map[int32]int32{} // of a node that becomes part of the state, where
	for j, i := range next {
		if _, ok := place[i]; !ok {
			place[i] = int32(j)
		}
		r.use(i, forever)
	}
	read := make([]int, len(old)) // by number of the state, the last instruction that reads it
	for j, i := range old {
		read[j] = -1
		if i >= 0 {
			read[j] = r.last[i]
			r.use(i, forever) // its register is never given to another node
		}
	}
	w := lineWriter{calls: &c.calls, last: -1}
	for k, i := range once {
		w.add(r.instruction(i, k))
	}
	c.once = w.ended()
	for k, i := range each {
		k += len(once)
		in := r.instruction(i, k)
		if j, ok := place[i]; ok && !in.two() && read[j] <= k {
			r.free = append(r.free, in.D)
			in.D = j
			r.register[i] = j
		}
		w.add(in)
	}
	var moves []Instr
	for j, i := range next {
		from := r.register[i]
		if from == int32(j) {
			continue
		}
		if int(from) < c.state { // which another move may change
			free := r.next()
			w.add(Instr{Op: Move, D: free, A: from})
			from = free
		}
		moves = append(moves, Instr{Op: Move, D: int32(j), A: from})
	}
	for _, in := range moves {
		w.add(in)
	}
	c.each = w.ended()
	c.leaves = slices.ContainsFunc(c.each, func(l line) bool { return l.op == function || l.op == leave })
}

// two reports whether the instruction sets two registers.
func (in *Instr) two() bool { return in.Op == Sincos || in.Op == SoftplusLogistic }

// Lines is how many instructions a step of the recurrence has.
func (c *Recurrence) Lines() int { return len(c.each) }
