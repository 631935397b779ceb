package scan

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// memory is a Loop with memory for its evaluations. It keeps the states of the
// last x, so that derivatives at the same x start from them.
type memory struct {
	*Loop
	ways []way
	now  int // the way that fitted last
	span int // how many steps may be a block

	x       []float64
	known   bool // states are those for x
	checked bool // careful is that for x
	careful bool // some of y is not finite: derivatives without care may be finite where the value is NaN
	counted bool // steps is T at x
	steps   int
	point   int  // how many x there have been
	sweeps  int  // how many sweeps have begun
	seconds bool // there have been products with the Hessian
	moved   bool // the records of moving are those along the first of kept
	kept    [][]float64
	keptNow int
	zeros   []float64
	// What a step gave: its results and their tangents, its adjoint and its tangents.
	out, bar   []float64
	outs, bars [][]float64
	again      [][]float64 // the directions that are to be made with derivative products

	local numbers // of the step at hand
	along []numbers

	states, moving  history // records [s] and [s; ṡ…] of all directions
	state           []float64
	values          []float64   // y, where only whether it is finite matters
	y               []float64   // outputs that are wanted, or nil
	dx, dy          [][]float64 // directions of the inputs and of the outputs
	one             [1]float64
	oneX, oneY      [1][]float64
	advance         advance
	advanceMoving   advance
	seed            sweep.Seeds
	inputs, outputs int

	block                        block
	rows, lambdas, lambdasMoving []float64 // its records of the state with tangents, of the adjoint, of its tangents
}

// way is a recorded step with memory for its evaluations.
type way struct {
	*Step
	calls         bool                           // it calls functions
	first, second *sweep.Workspace               // of its program, of its Lagrangian
	kernels       [expr.Derivatives][]*evaluator // by directions
	runners       [expr.Derivatives][]*runner
	broken        failure // why it did not fit, if it did not
}

// numbers is the inputs of a Lagrangian, [s; u; λ; ν]: those of the step, then the
// adjoints of what it returns.
type numbers struct{ all, s, u, lambda, nu, args, bar []float64 }

func newNumbers(state, inputs, outputs int) numbers {
	x := make([]float64, 2*state+inputs+outputs)
	at := state + inputs
	return numbers{x, x[:state], x[state:at], x[at : at+state], x[at+state:], x[:at], x[at:]}
}

func (l *Loop) open() *memory {
	m := &memory{Loop: l, inputs: l.inputs(), outputs: l.outputs()}
	for _, s := range l.Steps {
		m.ways = append(m.ways, way{Step: s, calls: s.P.HasCalls()})
	}
	m.x = make([]float64, l.State+l.Rest)
	m.local = newNumbers(l.State, m.inputs, m.outputs)
	m.one[0] = 1
	m.zeros = make([]float64, m.inputs)
	m.out, m.bar = make([]float64, l.State+m.outputs), make([]float64, l.State+m.inputs)
	m.advance, m.advanceMoving = m.stepOn, m.moveOn
	m.seed = func(x []float64, s int) { copy(x, m.along[s].all) }
	return m
}

// resized is n numbers in the memory of x, if there is room.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// same reports whether two vectors have the same bits.
func same(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// load sets local numbers to what the blocks of step k have in x: to those that
// are the same in all steps once, to the others then.
func load(local, x []float64, blocks []Block, k int, steady bool) {
	for i := range blocks {
		b := &blocks[i]
		if b.Steady() != steady {
			continue
		}
		dst := local[b.Local:][:b.N]
		if at := b.Place(k); at >= 0 {
			copy(dst, x[at:])
		} else {
			clear(dst)
		}
	}
}

// add adds local numbers to what the blocks of step k have in x.
func add(x, local []float64, blocks []Block, k int) {
	for i := range blocks {
		b := &blocks[i]
		at := b.Place(k)
		if at < 0 {
			continue
		}
		dst := x[at:][:b.N]
		for j, v := range local[b.Local:][:b.N] {
			dst[j] += v
		}
	}
}

// put sets dst to the outputs of a step.
func put(dst []float64, output func(j int) float64) {
	for j := range dst {
		dst[j] = output(j)
	}
}

// begin goes to the point x.
func (m *memory) begin(x []float64) {
	if m.point > 0 && same(m.x, x) {
		return
	}
	m.known, m.checked, m.counted, m.moved = false, false, false, false
	m.point++
	copy(m.x, x)
	load(m.local.u, m.x[m.State:], m.In, 0, true)
	if !m.Ends {
		m.counted, m.steps = true, m.Count
	}
}

// run computes a derivative of step k from the state s on, by the recorded step whose
// comparisons come out so: its results and adjoints are in out, outs, bar and bars. It
// reports false if the loop ends there.
func (m *memory) run(k int, s []float64, d expr.Derivative, directions int) (more bool, err error) {
	if m.ways[m.now].calls { // what is called may not be made for what comes after the end
		if ends, err := m.ends(k, s); ends || err != nil {
			return false, err
		}
	}
	for range m.ways {
		w := &m.ways[m.now]
		e := m.evaluator(w, d, directions)
		fits := false
		if e != nil {
			fits = m.compute(w, e, k, s)
		} else {
			fits, err = m.sweep(w, k, s, d, directions)
		}
		if err != nil {
			return false, err
		}
		if fits {
			return !w.End, nil
		}
		if m.now++; m.now == len(m.ways) {
			m.now = 0
		}
	}
	return false, m.ways[0].broken.error().In(k)
}

// ends reports whether one of the recorded ends is before step k.
func (m *memory) ends(k int, s []float64) (bool, error) {
	for i := range m.ways {
		w := &m.ways[i]
		if !w.End {
			continue
		}
		fits, err := m.sweep(w, k, s, expr.Value, 0)
		if err != nil || fits {
			return fits, err
		}
	}
	return false, nil
}

// failure is a comparison that came out otherwise than recorded: in a step, with what
// it compares the numbers of, or in a loop within.
type failure struct {
	guard *tape.Guard
	v     []float64
	inner *tape.BranchError
}

func (f *failure) error() *tape.BranchError {
	if f.guard != nil {
		return f.guard.Error(f.v)
	}
	return f.inner
}

// sweep is run of one way by sweeps over the program of the step, or over its Lagrangian.
func (m *memory) sweep(w *way, k int, s []float64, d expr.Derivative, directions int) (fits bool, err error) {
	copy(m.local.s, s)
	load(m.local.u, m.x[m.State:], m.In, k, false)
	p, kept, args := w.P, &w.first, m.local.args
	if d == expr.Product && !w.End {
		p, kept, args = w.Lagrangian(), &w.second, m.local.all
	}
	if *kept == nil {
		*kept = p.Get()
	}
	ws := *kept
	guard, err := ws.Value(args, m.Row(k))
	inner, branch := err.(*tape.BranchError)
	switch {
	case guard != nil || branch:
		w.broken = failure{guard, ws.Values(), inner}
		return false, nil
	case err != nil:
		return false, err
	case w.End:
		return true, nil
	}
	switch d {
	case expr.Value:
		put(m.out, ws.Output)
	case expr.Tangent:
		put(m.out, ws.Output)
		if err := ws.JVP(directions, m.seed); err != nil {
			return false, err
		}
		for s := range directions {
			put(m.outs[s], func(j int) float64 { return ws.OutputTangent(s, j) })
		}
	case expr.Gradient:
		if err := ws.Gradient(m.local.bar); err != nil {
			return false, err
		}
		copy(m.bar, ws.Adjoints())
	case expr.Product:
		if err := ws.Linearize(m.one[:]); err != nil {
			return false, err
		}
		if err := ws.HVP(directions, m.seed); err != nil {
			return false, err
		}
		copy(m.bar, ws.Adjoints())
		for s := range directions {
			copy(m.bars[s], ws.Product(s))
		}
	}
	return true, nil
}

// stepOn advances the state s of step k.
func (m *memory) stepOn(k, n int, dst, s []float64) (done int, err error) {
	if done = m.ahead(k, n, s, false); done > 0 {
		m.hand(dst, len(s), done)
		return done, nil
	}
	more, err := m.run(k, s, expr.Value, 0)
	if !more {
		return 0, err
	}
	copy(dst, m.out[:m.State])
	if m.y != nil {
		add(m.y[m.State:], m.out[m.State:], m.Out, k)
	}
	return 1, nil
}

// moveOn does the same with the tangents of the state along all directions.
func (m *memory) moveOn(k, steps int, dst, r []float64) (done int, err error) {
	if done = m.ahead(k, steps, r, true); done > 0 {
		m.hand(dst, len(r), done)
		return done, nil
	}
	n := m.State
	m.directions(k, r[n:])
	more, err := m.run(k, r[:n], expr.Tangent, len(m.dx))
	if !more {
		return 0, err
	}
	copy(dst[:n], m.out)
	for s := range m.dx {
		copy(dst[n*(1+s):][:n], m.outs[s])
	}
	for s, dy := range m.dy {
		add(dy[n:], m.outs[s][n:], m.Out, k)
	}
	return 1, nil
}

// hand sets dst to the records that a block came to, or if there is no room to the last.
func (m *memory) hand(dst []float64, size, done int) {
	if len(dst) > size {
		copy(dst, m.rows[size:(done+1)*size])
	} else {
		copy(dst, m.rows[done*size:][:size])
	}
}

// directions sets those of the inputs of step k, given the tangents of its state.
func (m *memory) directions(k int, tangents []float64) {
	n := m.State
	for s, dx := range m.dx {
		copy(m.along[s].s, tangents[s*n:][:n])
		load(m.along[s].u, dx[n:], m.In, k, false)
	}
}

// room is how many records of a size are kept, 0 for all.
func (m *memory) room(size int) int {
	room := m.Checkpoints
	if m.Bytes > 0 {
		fit := max(m.Bytes/(8*max(size, 1))-1, 1) // and the one at hand
		if room == 0 || fit < room {
			room = fit
		}
	}
	return room
}

// Eval sets y = F(x).
func (m *memory) Eval(y, x []float64) error {
	n := m.State
	m.begin(x)
	m.known = false
	m.start()
	clear(y)
	m.y = y
	last, err := m.walk(&m.states, m.x[:n], m.advance, true)
	m.y = nil
	if err != nil {
		return err
	}
	copy(y, last)
	m.known, m.checked, m.careful = true, true, slices.ContainsFunc(y, func(v float64) bool { return !finite(v) })
	return nil
}

// check goes to the point x and sees whether derivatives there need care.
func (m *memory) check(x []float64) error {
	m.begin(x)
	if m.checked {
		return nil
	}
	m.values = resized(m.values, m.State+m.Sums)
	return m.Eval(m.values, x)
}

// walk goes from the first record to that of the last step, if through also to the one
// after it, which it returns, and has those before ready for the way back.
func (m *memory) walk(h *history, first []float64, next advance, through bool) (last []float64, err error) {
	size := len(first)
	if !m.counted {
		m.steps, last, err = h.forward(size, m.room(size), m.Count, first, next)
		m.counted = err == nil
		return last, err
	}
	h.start(size, m.room(size), m.steps, first)
	if m.steps == 0 {
		return first, nil
	}
	r, err := h.record(m.steps-1, next)
	if err != nil || !through {
		return nil, err
	}
	_, err = next(m.steps-1, 1, h.spare, r)
	return h.spare, err
}

// prepare has the states at x ready for a reverse sweep.
func (m *memory) prepare(x []float64) error {
	if err := m.check(x); m.known || err != nil {
		return err
	}
	m.start()
	_, err := m.walk(&m.states, m.x[:m.State], m.advance, false)
	m.known = err == nil
	return err
}

// VJP sets gx = F′(x)ᵀ·w.
func (m *memory) VJP(gx, x, w []float64) error {
	if err := m.prepare(x); err != nil {
		return err
	}
	n := m.State
	clear(gx)
	m.adjoints(w)
	m.known = m.states.whole()
	for k := m.steps - 1; k >= 0; k-- {
		if done := m.back(k+1, w, gx); done > 0 {
			k -= done - 1
			continue
		}
		s, err := m.states.record(k, m.advance)
		if err != nil {
			return err
		}
		load(m.local.nu, w[n:], m.Out, k, false)
		if _, err := m.run(k, s, expr.Gradient, 0); err != nil {
			return err
		}
		copy(m.local.lambda, m.bar)
		add(gx[n:], m.bar[n:], m.In, k)
	}
	copy(gx, m.local.lambda)
	return nil
}

// adjoints starts a reverse sweep from the adjoints w of y.
func (m *memory) adjoints(w []float64) {
	copy(m.local.lambda, w)
	clear(m.local.nu)
	load(m.local.nu, w[m.State:], m.Out, 0, true)
	m.start()
}

// start begins a sweep: what is the same in all its steps is set.
func (m *memory) start() {
	m.sweeps++
	m.span = mostBlock
}

// move has the tangents of x start along the directions dx, and returns the
// record that they start from.
func (m *memory) move(x []float64, dx [][]float64) []float64 {
	n := m.State
	m.begin(x)
	m.dx = dx
	for len(m.along) < len(dx) {
		m.along = append(m.along, newNumbers(n, m.inputs, m.outputs))
		m.outs = append(m.outs, make([]float64, len(m.out)))
		m.bars = append(m.bars, make([]float64, len(m.bar)))
	}
	m.state = resized(m.state, n*(1+len(dx)))
	copy(m.state, m.x[:n])
	for s, dx := range dx {
		copy(m.state[n*(1+s):], dx[:n])
		load(m.along[s].u, dx[n:], m.In, 0, true)
	}
	m.start()
	return m.state
}

// JVPs sets dy[s] = F′(x)·dx[s] for each direction s.
func (m *memory) JVPs(dy [][]float64, x []float64, dx [][]float64) error {
	n := m.State
	if err := m.check(x); err != nil {
		return err
	}
	r := m.move(x, dx)
	for _, dy := range dy {
		clear(dy)
	}
	m.dy = dy
	defer func() { m.dx, m.dy = nil, nil }()
	last := r
	if m.seconds { // HVPs along the same directions are likely to follow
		m.moved = false
		var err error
		if last, err = m.walk(&m.moving, r, m.advanceMoving, true); err != nil {
			return err
		}
		m.keep(dx)
	} else {
		for k := 0; k != m.Count; {
			n := atOnce
			if m.Count >= 0 {
				n = min(n, m.Count-k)
			}
			done, err := m.moveOn(k, n, r, r)
			if err != nil {
				return err
			}
			if done == 0 {
				break
			}
			k += done
		}
	}
	for s, dy := range dy {
		copy(dy, last[n*(1+s):][:n])
	}
	return nil
}

// keep notes along which directions the records are moving.
func (m *memory) keep(dx [][]float64) {
	for len(m.kept) < len(dx) {
		m.kept = append(m.kept, make([]float64, len(m.x)))
	}
	for s, dx := range dx {
		copy(m.kept[s], dx)
	}
	m.moved, m.keptNow = true, len(dx)
}

// areMoving reports whether the records are moving along these directions.
func (m *memory) areMoving(dx [][]float64) bool {
	if !m.moved || m.keptNow != len(dx) {
		return false
	}
	for s, dx := range dx {
		if !same(m.kept[s], dx) {
			return false
		}
	}
	return true
}

// HVPs sets h[s] = (Σ wⱼ∇²Fⱼ(x))·dx[s] + F′(x)ᵀ·dw[s], dw nil being 0.
func (m *memory) HVPs(h [][]float64, x, w []float64, dw, dx [][]float64) error {
	n := m.State
	if err := m.check(x); err != nil {
		return err
	}
	r := m.move(x, dx)
	defer func() { m.dx = nil }()
	m.seconds = true
	if !m.areMoving(dx) {
		m.moved = false
		if _, err := m.walk(&m.moving, r, m.advanceMoving, false); err != nil {
			return err
		}
	}
	m.moved = m.moved && m.moving.whole()
	m.adjoints(w)
	for s := range dx {
		d := &m.along[s]
		clear(h[s])
		clear(d.bar)
		if dw != nil {
			copy(d.lambda, dw[s])
			load(d.nu, dw[s][n:], m.Out, 0, true)
		}
	}
	for k := m.steps - 1; k >= 0; k-- {
		if done := m.backMoving(k+1, h, w, dw); done > 0 {
			k -= done - 1
			continue
		}
		r, err := m.moving.record(k, m.advanceMoving)
		if err != nil {
			return err
		}
		if err := m.secondStep(h, w, dw, k, r); err != nil {
			return err
		}
	}
	for s := range dx {
		copy(h[s], m.along[s].lambda)
	}
	return nil
}

// secondStep is the reverse sweep of second order over step k, whose record is r.
func (m *memory) secondStep(h [][]float64, w []float64, dw [][]float64, k int, r []float64) error {
	n := m.State
	load(m.local.nu, w[n:], m.Out, k, false)
	m.directions(k, r[n:])
	for s := range dw {
		load(m.along[s].nu, dw[s][n:], m.Out, k, false)
	}
	if _, err := m.run(k, r[:n], expr.Product, len(h)); err != nil {
		return err
	}
	copy(m.local.lambda, m.bar)
	for s, h := range h {
		copy(m.along[s].lambda, m.bars[s])
		add(h[n:], m.bars[s][n:], m.In, k)
	}
	return nil
}

// JVP sets dy = F′(x)·dx.
func (m *memory) JVP(dy, x, dx []float64) error {
	m.oneX[0], m.oneY[0] = dx, dy
	return m.JVPs(m.oneY[:], x, m.oneX[:])
}

// HVP sets h = (Σ wⱼ∇²Fⱼ(x))·dx.
func (m *memory) HVP(h, x, w, dx []float64) error {
	m.oneX[0], m.oneY[0] = dx, h
	return m.HVPs(m.oneY[:], x, w, nil, m.oneX[:])
}
