package scan

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/lane"
)

// stage is a derivative of a step as code for blocks of steps, in which only what a step
// needs of the one before runs step by step, and all else as lanes, see code.Recurrence.
// What goes from step to step is
//
//	value     s
//	tangent   ṡ in all directions, given s
//	gradient  λ, from the last step to the first, given s
//	product   λ̇ in all directions, given s, ṡ and λ
//
// All but the first are linear in it: the partial derivatives of many steps are computed
// at once. A block has the bits of its steps one by one.
type stage struct {
	*code.Recurrence
	of       expr.Request
	own      []bool        // by load: it is what goes from step to step
	results  []expr.Output // without what goes from step to step
	compared int           // how many numbers guards compare: these come after results
	most     int           // how many steps a block has at most
}

// leastBlock is how few steps are worth a block. Tests change it.
var leastBlock = 8

// mostBlock is how many steps a block has at most; fewer if its registers would take more than
// cacheRoom, some times what the cache of a core holds: measured, 4 and 32 MiB are slower.
const (
	mostBlock = code.Lanes
	cacheRoom = 8 << 20 // bytes
)

// leastLarge is how many steps a loop has at least of which the stages of large steps are worth
// deriving. That takes the time of some 10 to 30 sweeps over so many.
const leastLarge = 64

// stage is the stage for a derivative of a step, nil if steps are better run one by one.
func (l *Loop) stage(s *Step, r expr.Request) *stage {
	c := &s.kernels
	c.mu.Lock()
	defer c.mu.Unlock()
	c.find(s)
	large := !c.small && l.State > 0 // else all is lanes
	if c.f == nil || large && max(l.Count, l.Seen) < leastLarge {
		return nil
	}
	t, ok := c.stages[r]
	if !ok {
		if t = l.newStage(c.f, r); t != nil && large && t.time() > sweepTime(s, r) {
			t = nil
		}
		c.stages[r] = t
	}
	return t
}

// time estimates the time of a step in a block.
func (t *stage) time() float64 {
	instructions := 0
	t.Instructions(func(_ *code.Instr, inBlock bool) {
		if inBlock {
			instructions++
		}
	})
	return cost.Block(t.Lines(), instructions, t.most)
}

// sweepTime estimates the time of the sweep over a step that a stage would stand for.
func sweepTime(s *Step, r expr.Request) float64 {
	sweeps := map[expr.Derivative]int{expr.Value: 1, expr.Tangent: r.Directions, expr.Gradient: 2, expr.Product: 3 * r.Directions}
	w, _ := s.P.Work()
	return float64(sweeps[r.Derivative]) * cost.Sweep(w)
}

func (l *Loop) newStage(f *expr.Function, r expr.Request) *stage {
	n, t := l.State, &stage{of: r}
	g := expr.NewGraph(l.steady, true) // as newKernel does, for the same bits
	next := make([]expr.Output, n*max(r.Directions, 1))
	var compared []expr.Output
	for _, o := range f.Derive(g, r) {
		switch {
		case o.Of == expr.Value && o.A >= len(f.Results):
			compared = append(compared, o)
		case o.Of != r.Derivative: // a value beside the derivative: it is known already
		case o.A < n:
			next[o.B*n+o.A] = o
		default:
			t.results = append(t.results, o)
		}
	}
	kind := map[expr.Derivative]expr.Leaf{
		expr.Value: expr.Variable, expr.Tangent: expr.Direction, expr.Gradient: expr.Weight, expr.Product: expr.WeightTangent,
	}[r.Derivative]
	number := func(leaf expr.Node) int {
		if leaf.Leaf != kind || int(leaf.A) >= n {
			return -1
		}
		return int(leaf.B)*n + int(leaf.A)
	}
	t.compared = len(compared)
	t.Recurrence = code.NewRecurrence(g, next, append(t.results[:len(t.results):len(t.results)], compared...), number)
	if t.Recurrence == nil {
		return nil
	}
	for t.most = mostBlock; t.most > 4*leastBlock && 8*t.most*t.Registers() > cacheRoom; {
		t.most /= 2
	}
	for _, leaf := range t.Loads {
		t.own = append(t.own, number(leaf) >= 0)
	}
	return t
}

// steady reports whether a leaf is the same in all steps.
func (l *Loop) steady(leaf expr.Node) bool {
	if leaf.Leaf == expr.Parameter {
		return l.Data.Stride == 0
	}
	blocks := l.In
	if leaf.Leaf == expr.Weight || leaf.Leaf == expr.WeightTangent {
		blocks = l.Out
	}
	b, _ := l.place(blocks, int(leaf.A))
	return b != nil && b.Steady()
}

// place is the block that element a of a step's inputs [s; u] or outputs [next; out] is in,
// and its number in there; nil if it belongs to the state.
func (l *Loop) place(blocks []Block, a int) (b *Block, j int) {
	a -= l.State
	for i := range blocks {
		if b := &blocks[i]; a >= b.Local && a < b.Local+b.N {
			return b, a - b.Local
		}
	}
	return nil, 0
}

// runner is a stage with memory.
type runner struct {
	*stage
	code.Steps
	begun   int           // the sweep that it is ready for
	columns []code.Source // by load, its value in each step of a block
	memory  []float64     // of the columns
	v       []float64     // what the guards of a step compare
}

// runner is the runner for a derivative, ready for this sweep; nil if steps are better run
// one by one.
func (m *memory) runner(w *way, d expr.Derivative, directions int) *runner {
	for len(w.runners[d]) <= directions {
		w.runners[d] = append(w.runners[d], nil)
	}
	r := w.runners[d][directions]
	if r == nil {
		r = &runner{stage: m.stage(w.Step, request(d, directions))}
		if r.stage != nil {
			r.columns = make([]code.Source, len(r.Loads))
			r.memory = make([]float64, r.most*len(r.Loads))
			r.v = make([]float64, r.compared)
		}
		w.runners[d][directions] = r
	}
	if r.stage == nil {
		return nil
	}
	if r.begun != m.sweeps {
		r.begun = m.sweeps
		r.Begin(r.Recurrence, r.most, m.uniform)
	}
	return r
}

// uniform is the value of a leaf that is the same in all steps.
func (m *memory) uniform(leaf expr.Node) float64 {
	i := int(leaf.A) - m.State
	switch leaf.Leaf {
	case expr.Variable:
		return m.local.u[i]
	case expr.Direction:
		return m.along[leaf.B].u[i]
	case expr.Weight:
		return m.local.nu[i]
	case expr.WeightTangent:
		return m.along[leaf.B].nu[i]
	}
	return m.Row(0)[leaf.A]
}

// block is the n steps from k on, and what a sweep over them reads.
type block struct {
	k, n    int
	records []float64   // by step, the state and its tangents in all directions
	size    int         // of a record
	lambda  []float64   // by step, the adjoint of the state after it
	moving  []float64   // by step, the tangents of that in all directions
	w       []float64   // weights of the outputs of the loop
	dw, dx  [][]float64 // by direction, tangents of w and of the inputs of the loop
}

// loadColumns sets the columns of a runner: those that go from step to step (own), or the
// others.
func (m *memory) loadColumns(r *runner, b *block, own bool) {
	for c, leaf := range r.Loads {
		if r.own[c] == own && !m.steady(leaf) {
			r.columns[c].X = m.column(r.memory[c*r.most:][:b.n], b, leaf)
		}
	}
}

// column is the value of a leaf in each step of a block: in dst, or where they lie.
func (m *memory) column(dst []float64, b *block, leaf expr.Node) []float64 {
	n, a, d := m.State, int(leaf.A), int(leaf.B)
	x, at, size := m.Data.Values, (m.Data.At+m.Data.Stride*b.k)*m.Data.N+a, m.Data.N*m.Data.Stride
	blocks, of := m.In, m.x
	switch leaf.Leaf {
	case expr.Variable:
		x, at, size = b.records, a, b.size
	case expr.Direction:
		x, at, size = b.records, n*(1+d)+a, b.size
		of = b.dx[d]
	case expr.Weight:
		x, at, size = b.lambda, a, n
		blocks, of = m.Out, b.w
	case expr.WeightTangent:
		x, at, size = b.moving, n*d+a, n*len(b.dx)
		if a >= n && b.dw == nil {
			clear(dst)
			return dst
		}
		if a >= n {
			blocks, of = m.Out, b.dw[d]
		}
	}
	if leaf.Leaf != expr.Parameter && a >= n {
		p, j := m.place(blocks, a)
		return p.column(dst, of[n:], j, b.k)
	}
	lane.GatherSteps(dst, x, at, size)
	return dst
}

// column is element j of the block in each step from k on: in dst, or where they lie in x.
func (b *Block) column(dst, x []float64, j, k int) []float64 {
	switch {
	case b.Index != nil:
		for i := range dst {
			dst[i] = 0
			if at := b.Place(k + i); at >= 0 {
				dst[i] = x[at+j]
			}
		}
	case b.Stride == 1:
		return x[b.At+k+j:][:len(dst)]
	default:
		lane.GatherSteps(dst, x, b.Place(k)+j, b.Stride)
	}
	return dst
}

// addColumn adds column, a number for each step from k on, to element j of the block, which is
// not steady.
func (b *Block) addColumn(x, column []float64, j, k int) {
	for i, v := range column {
		if at := b.Place(k + i); at >= 0 {
			x[at+j] += v
		}
	}
}

// addTotals adds four columns to the numbers x, from the first to the last or, if back, from
// the last to the first. The four do not wait for each other.
func addTotals(x *[4]*float64, columns *[4][]float64, back bool) {
	a, b, c, d := *x[0], *x[1], *x[2], *x[3]
	n := len(columns[0])
	p, q, r, s := columns[0], columns[1][:n], columns[2][:n], columns[3][:n]
	i, by := 0, 1
	if back {
		i, by = n-1, -1
	}
	for range p {
		a, b, c, d = a+p[i], b+q[i], c+r[i], d+s[i]
		i += by
	}
	*x[0], *x[1], *x[2], *x[3] = a, b, c, d
}

// through runs over a block what goes from step to step, from r.State on, and returns what
// it is after the block. What each step starts from is stored in records, size numbers apart.
func (m *memory) through(r *runner, b *block, records []float64, size int) (state []float64) {
	m.loadColumns(r, b, false)
	r.Before(r.Recurrence, b.n, r.columns)
	r.Recur(r.Recurrence, b.n, r.of.Weighted, records, size)
	return r.State(r.Recurrence)
}

// finish computes the results of a block, after through. It returns how many of its steps,
// from the first on, have comparisons that come out as recorded, and a number that is finite
// only if all results of these are.
func (m *memory) finish(w *way, r *runner, b *block) (fit int, total float64) {
	m.loadColumns(r, b, true)
	r.After(r.Recurrence, b.n)
	fit = w.fit(r, b.n)
	for j := range r.results {
		total += lane.Total(r.result(j, fit))
	}
	return fit, total
}

// result is result j in the first n steps of a block.
func (r *runner) result(j, n int) []float64 { return r.Result(r.Recurrence, j)[:n] }

// fit is how many of the n steps of a block, from the first on, have comparisons that come
// out as recorded.
func (w *way) fit(r *runner, n int) int {
	guards := w.Step.kernels.guards
	if len(guards) == 0 {
		return n
	}
	for i := range n {
		for j := range r.v {
			r.v[j] = r.result(len(r.results)+j, n)[i]
		}
		for j := range guards {
			if !guards[j].Holds(r.v) {
				return i
			}
		}
	}
	return n
}

// addColumns adds to x the results of the first n steps of a block in direction d.
func (m *memory) addColumns(r *runner, d int, x []float64, blocks []Block, k, n int) {
	var none [4]float64
	to, from, count := [4]*float64{}, [4][]float64{}, 0
	flush := func() {
		for i := count; i < len(to) && count > 0; i++ {
			to[i], from[i] = &none[i], from[0]
		}
		if count > 0 {
			addTotals(&to, &from, r.of.Weighted)
		}
		count = 0
	}
	for j, o := range r.results {
		if o.B != d {
			continue
		}
		b, i := m.place(blocks, o.A)
		if !b.Steady() {
			b.addColumn(x[m.State:], r.result(j, n), i, k)
			continue
		}
		at := &x[m.State+b.At+i]
		if count == len(to) || slices.Contains(to[:count], at) {
			flush()
		}
		to[count], from[count] = at, r.result(j, n)
		count++
	}
	flush()
}

// worth is how many of the next n steps to try as a block, 0 if they are better run one by
// one.
func (m *memory) worth(n int) int {
	if n = min(n, m.span); n < leastBlock || m.ways[m.now].End || m.careful && m.y == nil {
		return 0
	}
	return n
}

// went notes whether a block could be used. After one that could not, some steps are run one
// by one; from then on blocks double from a short one.
func (m *memory) went(well bool) {
	if well {
		m.span = min(2*m.span, mostBlock)
	} else {
		m.span = leastBlock / 2
	}
}

func finite(x float64) bool { return x-x == 0 }

// ahead runs a block of at most n steps forward, from the record r of step k on, with tangents
// if moving. The records before and after these steps are in m.rows then, one after another.
// It returns how many steps it has gone, 0 if they are to be run one by one.
func (m *memory) ahead(k, n int, r []float64, moving bool) (done int) {
	if n = m.worth(n); n == 0 {
		return 0
	}
	w := &m.ways[m.now]
	v, t := m.runner(w, expr.Value, 0), (*runner)(nil)
	if v != nil && moving {
		t = m.runner(w, expr.Tangent, len(m.dx))
	}
	if v == nil || moving && t == nil {
		return 0
	}
	n = min(n, v.most)
	if moving {
		n = min(n, t.most)
	}
	s, size := m.State, len(r)
	m.rows = resized(m.rows, (mostBlock+1)*size)
	b := &m.block
	*b = block{k: k, n: n, records: m.rows, size: size, dx: m.dx}
	copy(v.State(v.Recurrence), r)
	last := m.through(v, b, b.records, size)
	copy(b.records[n*size:][:s], last)
	done, total := n, 0.0
	if m.y != nil || v.compared > 0 {
		done, total = m.finish(w, v, b)
	}
	if b.n = done; moving && done > 0 {
		copy(t.State(t.Recurrence), r[s:])
		last := m.through(t, b, b.records[s:], size)
		copy(b.records[done*size+s:][:size-s], last)
		if len(m.dy) > 0 {
			_, more := m.finish(w, t, b)
			total += more
		}
	}
	if total += lane.Total(b.records[size:][:done*size]); !finite(total) {
		done = 0
	}
	m.went(done == n)
	if done == 0 {
		return 0
	}
	if m.y != nil {
		m.addColumns(v, 0, m.y, m.Out, k, done)
	}
	for d, dy := range m.dy {
		m.addColumns(t, d, dy, m.Out, k, done)
	}
	return done
}

// back is the reverse sweep over the last steps before step k, as a block. It returns how
// many these are, 0 if they are to be run one by one.
func (m *memory) back(k int, w, gx []float64) (n int) {
	if n = m.worth(k); n == 0 || !m.states.whole() {
		return 0
	}
	way, s := &m.ways[m.now], m.State
	r := m.runner(way, expr.Gradient, 0)
	if r == nil {
		return 0
	}
	n = min(n, r.most)
	m.lambdas = resized(m.lambdas, mostBlock*s)
	b := &m.block
	*b = block{k: k - n, n: n, records: m.states.rows(k-n, k), size: s, lambda: m.lambdas, w: w}
	copy(r.State(r.Recurrence), m.local.lambda)
	lambda := m.through(r, b, b.lambda, s)
	fit, total := m.finish(way, r, b)
	well := fit == n && finite(total+lane.Total(b.lambda[:n*s])+lane.Total(lambda))
	if m.went(well); !well {
		return 0
	}
	copy(m.local.lambda, lambda)
	m.addColumns(r, 0, gx, m.In, b.k, n)
	return n
}

// backMoving is back for the sweep of second order.
func (m *memory) backMoving(k int, h [][]float64, w []float64, dw [][]float64) (n int) {
	if n = m.worth(k); n == 0 || !m.moving.whole() {
		return 0
	}
	way, s, size := &m.ways[m.now], m.State, m.State*len(h)
	r, p := m.runner(way, expr.Gradient, 0), m.runner(way, expr.Product, len(h))
	if r == nil || p == nil {
		return 0
	}
	n = min(n, r.most, p.most)
	m.lambdas, m.lambdasMoving = resized(m.lambdas, mostBlock*s), resized(m.lambdasMoving, mostBlock*size)
	b := &m.block
	*b = block{
		k: k - n, n: n, records: m.moving.rows(k-n, k), size: s + size,
		lambda: m.lambdas, moving: m.lambdasMoving, w: w, dw: dw, dx: m.dx,
	}
	copy(r.State(r.Recurrence), m.local.lambda)
	lambda := m.through(r, b, b.lambda, s)
	for d := range h {
		copy(p.State(p.Recurrence)[d*s:][:s], m.along[d].lambda)
	}
	moved := m.through(p, b, b.moving, size)
	fit, total := m.finish(way, p, b)
	total += lane.Total(b.lambda[:n*s]) + lane.Total(lambda) + lane.Total(b.moving[:n*size]) + lane.Total(moved)
	well := fit == n && finite(total)
	if m.went(well); !well {
		return 0
	}
	copy(m.local.lambda, lambda)
	for d, h := range h {
		copy(m.along[d].lambda, moved[d*s:][:s])
		m.addColumns(p, d, h, m.In, b.k, n)
	}
	return n
}
