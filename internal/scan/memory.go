package scan

import (
	"math"

	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// memory is a Loop with memory for its evaluations. It keeps the states of the
// last x, so that derivatives at the same x start from them.
type memory struct {
	*Loop
	first, second []*sweep.Workspace // of each step: of its program, of its Lagrangian
	way           int                // the step that fitted last

	x     []float64
	known bool // states are those for x
	point int  // how many x there have been
	zeros []float64
	// What a step gave: its results and their tangents, its adjoint and its tangents.
	out, bar   []float64
	outs, bars [][]float64
	kernels    [expr.Derivatives][]*evaluator // by directions

	local numbers // of the step at hand
	along []numbers

	states, moving  history // records [s] and [s; ṡ…] of all directions
	state, end      []float64
	y               []float64   // outputs that are wanted, or nil
	dx, dy          [][]float64 // directions of the inputs and of the outputs
	one             [1]float64
	oneX, oneY      [1][]float64
	advance         func(k int, r []float64) error
	advanceMoving   func(k int, r []float64) error
	seed            sweep.Seeds
	inputs, outputs int
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
	m.first = make([]*sweep.Workspace, len(l.Steps))
	m.second = make([]*sweep.Workspace, len(l.Steps))
	m.x = make([]float64, l.State+l.Rest)
	m.local = newNumbers(l.State, m.inputs, m.outputs)
	m.state, m.end = make([]float64, l.State), make([]float64, l.State)
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
	if m.known && same(m.x, x) {
		return
	}
	m.known = false
	m.point++
	copy(m.x, x)
	load(m.local.u, m.x[m.State:], m.In, 0, true)
}

// run evaluates step k, or its Lagrangian, from the state s on: by the recorded
// step whose comparisons come out so, of which it returns the numbers.
func (m *memory) run(k int, s []float64, second bool) (ws *sweep.Workspace, err error) {
	copy(m.local.s, s)
	load(m.local.u, m.x[m.State:], m.In, k, false)
	row := m.Row(k)
	var broken *tape.Guard // of the first of the steps, which the error names
	var nodes []float64
	var inner *tape.BranchError
	for range m.Steps {
		step, kept, args := m.Steps[m.way], m.first, m.local.args
		p := step.P
		if second {
			p, kept, args = step.Lagrangian(), m.second, m.local.all
		}
		if kept[m.way] == nil {
			kept[m.way] = p.Get()
		}
		ws = kept[m.way]
		guard, err := ws.Value(args, row)
		if guard == nil && err == nil {
			return ws, nil
		}
		e, isBranch := err.(*tape.BranchError)
		if guard == nil && !isBranch {
			return nil, err
		}
		if m.way == 0 {
			broken, nodes, inner = guard, ws.Values(), e
		}
		m.way = (m.way + 1) % len(m.Steps)
	}
	if broken != nil {
		inner = broken.Error(nodes)
	}
	return nil, inner.In(k)
}

// stepOn makes the state s of step k that of the next.
func (m *memory) stepOn(k int, s []float64) error {
	if e := m.evaluator(expr.Value, 0); e != nil {
		m.compute(e, k, s, m.out, nil, nil)
	} else {
		ws, err := m.run(k, s, false)
		if err != nil {
			return err
		}
		put(m.out, ws.Output)
	}
	copy(s, m.out)
	if m.y != nil {
		add(m.y[m.State:], m.out[m.State:], m.Out, k)
	}
	return nil
}

// moveOn does the same with the tangents of the state along all directions.
func (m *memory) moveOn(k int, r []float64) error {
	n := m.State
	m.directions(k, r[n:])
	if e := m.evaluator(expr.Tangent, len(m.dx)); e != nil {
		m.compute(e, k, r[:n], m.out, nil, m.outs[:len(m.dx)])
	} else {
		ws, err := m.run(k, r[:n], false)
		if err != nil {
			return err
		}
		if err := ws.JVP(len(m.dx), m.seed); err != nil {
			return err
		}
		put(m.out, ws.Output)
		for s := range m.dx {
			put(m.outs[s], func(j int) float64 { return ws.OutputTangent(s, j) })
		}
	}
	copy(r[:n], m.out)
	for s := range m.dx {
		copy(r[n*(1+s):][:n], m.outs[s])
	}
	for s, dy := range m.dy {
		add(dy[n:], m.outs[s][n:], m.Out, k)
	}
	return nil
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
	n, steps := m.State, m.Count
	m.begin(x)
	m.known = false
	m.states.start(n, m.room(n), steps, m.x[:n])
	clear(y)
	m.y = y
	s, err := m.states.record(steps-1, m.advance)
	if err == nil {
		copy(m.end, s)
		err = m.stepOn(steps-1, m.end)
	}
	m.y = nil
	if err != nil {
		return err
	}
	copy(y, m.end)
	m.known = true
	return nil
}

// prepare has the states at x ready for a reverse sweep.
func (m *memory) prepare(x []float64) error {
	m.begin(x)
	if m.known {
		return nil
	}
	n, steps := m.State, m.Count
	m.states.start(n, m.room(n), steps, m.x[:n])
	_, err := m.states.record(steps-1, m.advance)
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
	m.known = m.states.whole(m.Count)
	for k := m.Count - 1; k >= 0; k-- {
		s, err := m.states.record(k, m.advance)
		if err != nil {
			return err
		}
		load(m.local.nu, w[n:], m.Out, k, false)
		bar := m.bar
		if e := m.evaluator(expr.Gradient, 0); e != nil {
			m.compute(e, k, s, nil, bar, nil)
		} else {
			ws, err := m.run(k, s, false)
			if err != nil {
				return err
			}
			if err := ws.Gradient(m.local.bar); err != nil {
				return err
			}
			bar = ws.Adjoints()
		}
		copy(m.local.lambda, bar)
		add(gx[n:], bar[n:], m.In, k)
	}
	copy(gx, m.local.lambda)
	return nil
}

// adjoints starts a reverse sweep from the adjoints w of y.
func (m *memory) adjoints(w []float64) {
	copy(m.local.lambda, w)
	clear(m.local.nu)
	load(m.local.nu, w[m.State:], m.Out, 0, true)
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
	return m.state
}

// JVPs sets dy[s] = F′(x)·dx[s] for each direction s.
func (m *memory) JVPs(dy [][]float64, x []float64, dx [][]float64) error {
	n := m.State
	r := m.move(x, dx)
	for _, dy := range dy {
		clear(dy)
	}
	m.dy = dy
	defer func() { m.dx, m.dy = nil, nil }()
	for k := range m.Count {
		if err := m.moveOn(k, r); err != nil {
			return err
		}
	}
	for s, dy := range dy {
		copy(dy, r[n*(1+s):][:n])
	}
	return nil
}

// HVPs sets h[s] = (Σ wⱼ∇²Fⱼ(x))·dx[s] + F′(x)ᵀ·dw[s], dw nil being 0.
func (m *memory) HVPs(h [][]float64, x, w []float64, dw, dx [][]float64) error {
	n, steps := m.State, m.Count
	r := m.move(x, dx)
	m.moving.start(len(r), m.room(len(r)), steps, r)
	defer func() { m.dx = nil }()
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
	for k := steps - 1; k >= 0; k-- {
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
	bar, bars := m.bar, m.bars[:len(h)]
	if e := m.evaluator(expr.Product, len(h)); e != nil {
		m.compute(m.evaluator(expr.Gradient, 0), k, r[:n], nil, bar, nil)
		m.compute(e, k, r[:n], nil, nil, bars)
	} else {
		ws, err := m.run(k, r[:n], true)
		if err != nil {
			return err
		}
		if err := ws.Linearize(m.one[:]); err != nil {
			return err
		}
		if err := ws.HVP(len(h), m.seed); err != nil {
			return err
		}
		bar = ws.Adjoints()
		for s, b := range bars {
			copy(b, ws.Product(s))
		}
	}
	copy(m.local.lambda, bar)
	for s, h := range h {
		copy(m.along[s].lambda, bars[s])
		add(h[n:], bars[s][n:], m.In, k)
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
