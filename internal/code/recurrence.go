package code

import (
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/lane"
)

// Recurrence is the code of a loop with a state, distributed over three loops. What the
// next state is computed from and does not depend on the state is computed before, for
// all steps of a block as lanes; then the recurrence itself step by step, by instructions
// on single numbers; then, as lanes again, what else depends on the states.
//
// Loop distribution: Kuck, Muraoka and Chen, On the number of operations simultaneously
// executable in Fortran-like programs, IEEE Trans. Comput. C-21, 1972.
type Recurrence struct {
	Vector          // Loads are the leaves that differ from step to step, those of the state among them
	before  int     // how many of its instructions come before the recurrence
	taken   []int32 // registers, of lanes, of what each step takes in
	results []int32 // registers, of lanes, of what else is asked for
	state   int

	// The recurrence has registers for the state, for what a step takes in, for the
	// leaves that are the same in all steps and for constants.
	leaves     []expr.Node
	constants  []float64
	once, each []line
	others     []Instr
	functions  []func(x float64) float64
}

// line is an instruction of the recurrence on registers. One that is neither sum nor
// product nor division nor root is number b of the functions or of the others.
type line struct {
	op            Opcode
	d, a, b, c, e uint8
	other         uint16
}

// recurrenceRegisters is how many there are, so that a uint8 numbers them and no bounds
// are checked.
const recurrenceRegisters = 256

// NewRecurrence is the code of a loop whose state is next after a step, and computes
// results, both for each step. number is which number of the state a leaf is, −1 if it
// is none. It is nil if the recurrence has too many numbers.
func NewRecurrence(g *expr.Graph, next, results []expr.Output, number func(leaf expr.Node) int) *Recurrence {
	c := &Recurrence{state: len(next)}
	c.primitives = g.Primitives()
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
	e := &vectorizer{s.allocation(), &c.Vector, nil}
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
		c.leaves = append(c.leaves, s.Nodes()[i])
	}
	for _, i := range constants {
		c.constants = append(c.constants, s.tiles[i].K)
	}
	c.lines(r, s.byLevel(once), s.byLevel(each), old, next)
	if r.count > recurrenceRegisters {
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
	place := map[int32]int32{} // of what becomes part of the state
	for j, i := range next {
		if _, ok := place[i]; !ok {
			place[i] = int32(j)
		}
		r.use(i, forever)
	}
	read := make([]int, len(old)) // the last instruction that reads a number of the state
	for j, i := range old {
		read[j] = -1
		if i >= 0 {
			read[j] = r.last[i]
			r.use(i, forever) // whose register is not for others
		}
	}
	for k, i := range once {
		c.once = append(c.once, c.line(r.instruction(i, k)))
	}
	for k, i := range each {
		k += len(once)
		in := r.instruction(i, k)
		if j, ok := place[i]; ok && !in.two() && read[j] <= k {
			r.free = append(r.free, in.D)
			in.D = j
			r.register[i] = j
		}
		c.each = append(c.each, c.line(in))
	}
	var moves []line
	for j, i := range next {
		from := r.register[i]
		if from == int32(j) {
			continue
		}
		if int(from) < c.state { // which another move may change
			free := r.next()
			c.each = append(c.each, c.line(Instr{Op: Move, D: free, A: from}))
			from = free
		}
		moves = append(moves, c.line(Instr{Op: Move, D: int32(j), A: from}))
	}
	c.each = append(c.each, moves...)
}

// two reports whether the instruction sets two registers.
func (in *Instr) two() bool { return in.Op == Sincos || in.Op == SoftplusLogistic }

func (c *Recurrence) line(in Instr) line {
	l := line{op: in.Op, d: uint8(in.D), a: uint8(in.A), b: uint8(in.B), c: uint8(in.C), e: uint8(in.E)}
	switch in.Op {
	case Move, Add, Sub, Mul, MulAdd, MulSub, SubMul, Dot, Det, Div, Sqrt:
	default:
		if f := in.F.Info().F1; in.Op == Call && f != nil {
			l.other, c.functions = uint16(len(c.functions)), append(c.functions, f)
			break
		}
		l.op, l.other, c.others = Primitive, uint16(len(c.others)), append(c.others, in)
	}
	return l
}

// fuseSums makes one instruction of sums and differences with products that are used
// once. Constants are operands.
func (s *selection) fuseSums() {
	n := len(s.tiles)
	product := func(i int32) bool { return int(i) < n && s.uses[i] == 1 && s.tiles[i].Op == Mul }
	for i := range n {
		if s.uses[i] == 0 {
			continue
		}
		t := s.tiles[i]
		switch a := t.args[0]; t.Op {
		case Scale:
			t = newTile(Mul, 0, a, s.constant(t.K))
		case AddConst:
			t = newTile(Add, 0, a, s.constant(t.K))
		case SubConst:
			t = newTile(Sub, 0, s.constant(t.K), a)
		}
		a, b := t.args[0], t.args[1]
		if t.Op != Add && t.Op != Sub || a == b {
			s.tiles[i] = t
			continue
		}
		first, second, both := MulAdd, MulAdd, Dot
		if t.Op == Sub {
			first, second, both = MulSub, SubMul, Det
		}
		x, y := s.tiles[a].args, s.tiles[b].args
		switch {
		case product(a) && product(b):
			t = newTile(both, 0, x[0], x[1], y[0], y[1])
			s.uses[a], s.uses[b] = 0, 0
		case product(a):
			t = newTile(first, 0, x[0], x[1], b)
			s.uses[a] = 0
		case product(b):
			t = newTile(second, 0, y[0], y[1], a)
			s.uses[b] = 0
		}
		s.tiles[i] = t
	}
}

// Steps is the memory of a recurrence.
type Steps struct {
	Machine
	r    [recurrenceRegisters]float64
	rows []float64 // what the steps of a block take in
}

// Begin prepares to run c on blocks of n lanes at most. uniform is a leaf that is the
// same in all steps.
func (m *Steps) Begin(c *Recurrence, n int, uniform func(leaf expr.Node) float64) {
	m.Machine.reset(&c.Vector, n)
	for k := range c.Vector.uniform {
		in := &c.Vector.uniform[k]
		if in.Op == Load {
			lane.Fill(m.out(in.D), uniform(c.Loads[in.A]))
			continue
		}
		m.do(in, 0, m.n)
	}
	at := c.state + len(c.taken)
	for _, leaf := range c.leaves {
		m.r[at] = uniform(leaf)
		at++
	}
	copy(m.r[at:], c.constants)
	c.run(c.once, &m.r)
}

// Before computes what the n steps of a block take in. columns is what is loaded, in the
// order of c.Loads; those that depend on the state may come later.
func (m *Steps) Before(c *Recurrence, n int, columns []Source) {
	m.sources, m.n = columns, n
	for k := range c.block[:c.before] {
		m.do(&c.block[k], 0, n)
	}
}

// After computes the results of the n steps of a block.
func (m *Steps) After(c *Recurrence, n int) {
	m.n = n
	for k := c.before; k < len(c.block); k++ {
		m.do(&c.block[k], 0, n)
	}
}

// Result is result k of the steps of the block, not to be changed.
func (m *Steps) Result(c *Recurrence, k int) []float64 { return m.in(c.results[k]) }

// State is the state, which Recur goes on from.
func (m *Steps) State(c *Recurrence) []float64 { return m.r[:c.state] }

// Recur runs the n steps of the block, if back from the last to the first. The state
// that a step starts from goes to its record, of so many numbers.
func (m *Steps) Recur(c *Recurrence, n int, back bool, records []float64, size int) {
	width := len(c.taken)
	if len(m.rows) < n*width {
		m.rows = make([]float64, Lanes*width)
	}
	for j, r := range c.taken {
		lane.SetSteps(m.rows, m.in(r), j, width)
	}
	r := &m.r
	state, taken := r[:c.state], r[c.state:][:width]
	i, by := 0, 1
	if back {
		i, by = n-1, -1
	}
	for range n {
		copy(taken, m.rows[i*width:])
		copy(records[i*size:], state)
		c.run(c.each, r)
		i += by
	}
}

// run runs instructions of the recurrence.
func (c *Recurrence) run(lines []line, r *[recurrenceRegisters]float64) {
	for i := range lines {
		l := &lines[i]
		switch l.op {
		case Move:
			r[l.d] = r[l.a]
		case Add:
			r[l.d] = r[l.a] + r[l.b]
		case Sub:
			r[l.d] = r[l.a] - r[l.b]
		case Mul:
			r[l.d] = r[l.a] * r[l.b]
		case MulAdd:
			r[l.d] = float64(r[l.a]*r[l.b]) + r[l.c]
		case MulSub:
			r[l.d] = float64(r[l.a]*r[l.b]) - r[l.c]
		case SubMul:
			r[l.d] = r[l.c] - float64(r[l.a]*r[l.b])
		case Dot:
			r[l.d] = float64(r[l.a]*r[l.b]) + float64(r[l.c]*r[l.e])
		case Det:
			r[l.d] = float64(r[l.a]*r[l.b]) - float64(r[l.c]*r[l.e])
		case Div:
			r[l.d] = r[l.a] / r[l.b]
		case Sqrt:
			r[l.d] = elem.Sqrt(r[l.a])
		case Call:
			r[l.d] = c.functions[l.other](r[l.a])
		default:
			do(&c.others[l.other], r[:], c.primitives)
		}
	}
}
