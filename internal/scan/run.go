package scan

import (
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/tape"
)

// run computes a derivative of step k, which starts from s, by the recorded step whose
// guards hold; the results are in m.out, outs, bar and bars. It reports false if the loop
// ends before step k.
func (m *memory) run(k int, s []float64, d expr.Derivative, directions int) (more bool, err error) {
	if m.ways[m.now].calls { // a function that is called may fail for a state after the end
		if ends, err := m.ends(k, s); ends || err != nil {
			return false, err
		}
	}
	for range m.ways {
		w := &m.ways[m.now]
		var e *evaluator
		if d != alongCurve {
			e = m.evaluator(w, d, directions)
		}
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
	broken := m.ways[0].broken.error()
	if m.Once {
		return false, broken
	}
	return false, broken.In(k)
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

// failure is a comparison that came out otherwise than recorded: a guard of a step, which
// compares elements of v, or one in a loop that the step calls.
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

// sweep is run with one way, by sweeps over the program of the step or, of second order, over
// its Lagrangian. It reports whether the comparisons came out as recorded.
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
	var guard *tape.Guard
	if here := (visit{m, m.point}); !m.Once || p != w.P || w.at != here { // else the values are there
		w.at = visit{}
		if guard, err = ws.Value(args, m.Row(k)); guard == nil && err == nil && p == w.P {
			w.at = here
		}
	}
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
	case alongCurve:
		return true, m.sweepAlong(ws, p, k)
	}
	return true, nil
}

// stepOn is advance for records of the state.
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

// moveOn is advance for records of the state and its tangents along m.dx.
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

// hand sets dst to the records after each step of a block or, if it has room for one only, to
// the last of them.
func (m *memory) hand(dst []float64, size, done int) {
	if len(dst) > size {
		copy(dst, m.rows[size:(done+1)*size])
	} else {
		copy(dst, m.rows[done*size:][:size])
	}
}

// directions sets m.along to the tangents of what step k reads, given those of its state.
func (m *memory) directions(k int, tangents []float64) {
	n := m.State
	for s, dx := range m.dx {
		copy(m.along[s].s, tangents[s*n:][:n])
		load(m.along[s].u, dx[n:], m.In, k, false)
	}
}
