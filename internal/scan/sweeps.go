package scan

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/expr"
)

// room is how many records of the given size are kept, 0 for all.
func (m *memory) room(size int) int {
	room := m.Checkpoints
	if m.Bytes > 0 {
		fit := max(m.Bytes/(8*max(size, 1))-1, 1) // besides history.work
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

// check goes to the point x, and evaluates the loop there if it is not known whether the
// value is finite.
func (m *memory) check(x []float64) error {
	m.begin(x)
	if m.checked {
		return nil
	}
	m.values = resized(m.values, m.State+m.Sums)
	return m.Eval(m.values, x)
}

// walk goes from the first record to that of the last step and leaves h ready for the way
// back. If through, it goes on over the last step and returns the record after it.
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

// prepare goes to the point x and makes the states ready for a reverse sweep.
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

// adjoints begins a reverse sweep from the adjoints w of y.
func (m *memory) adjoints(w []float64) {
	copy(m.local.lambda, w)
	clear(m.local.nu)
	load(m.local.nu, w[m.State:], m.Out, 0, true)
	m.start()
}

// start begins a sweep.
func (m *memory) start() {
	m.sweeps++
	m.span = mostBlock
}

// move begins a sweep along the directions dx at the point x, and returns its first record.
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

// keep notes that moving has the records along dx.
func (m *memory) keep(dx [][]float64) {
	for len(m.kept) < len(dx) {
		m.kept = append(m.kept, make([]float64, len(m.x)))
	}
	for s, dx := range dx {
		copy(m.kept[s], dx)
	}
	m.moved, m.keptNow = true, len(dx)
}

// areMoving reports whether moving has the records along dx.
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
