package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/tape"
)

// reverseLanes is how many lanes a section of a program has in Reverse: values and
// adjoints of some ten batches fit into the second-level cache. It is an odd number of
// lines of the cache, see SectionLanes.
const reverseLanes = 125 * 8

// sectionsFrom is the evaluation from which on gradients go by sections: to find these
// takes some times longer than a gradient.
const sectionsFrom = 3

// byReverse is the sections for gradients, nil if there are none or not yet.
func (e *Engine) byReverse() *compile.Reverse {
	if e.gradients.Load() < sectionsFrom && e.gradients.Add(1) < sectionsFrom {
		return nil
	}
	e.reversing.Do(func() { e.reverse.Store(e.NewReverse(reverseLanes)) })
	return e.reverse.Load()
}

// ValueGradient is Value and Gradient. Afterwards only Output and the first Inputs() of
// Adjoints are there.
func (ws *Workspace) ValueGradient(x, params, w []float64) (*tape.Guard, error) {
	if r := ws.e.byReverse(); r != nil && len(ws.team) == 0 && ws.reverse(r, x, params, w) {
		return nil, nil
	}
	if g, err := ws.Value(x, params); g != nil || err != nil {
		return g, err
	}
	return nil, ws.Gradient(w)
}

// reverse is ValueGradient by sections. It reports whether the gradient is finite; if
// not, nothing is.
func (ws *Workspace) reverse(r *compile.Reverse, x, params, w []float64) bool {
	e := ws.e
	ws.v, ws.bar = extended(ws.v, r.Places), extended(ws.bar, r.Places)
	defer func() { ws.v, ws.bar = ws.v[:e.Len()], ws.bar[:e.Len()] }()
	v, bar := ws.v, ws.bar
	copy(v, x)
	copy(v[e.Inputs():], params)
	ws.one[0] = bar
	ws.wanted = e.EveryInput()
	zero(bar, r.Unwritten)
	for j, i := range e.OutputNodes() {
		bar[i] += w[j]
	}

	values := func(x []compile.Piece) bool {
		for k := range x {
			if ws.batchValues(&x[k].Places) != nil {
				return false
			}
		}
		return true
	}
	adjoints := func(x []compile.Piece) bool {
		for k := len(x) - 1; k >= 0; k-- {
			if ws.batchAdjoints(ws.one[:], &x[k].Places, false) != nil {
				return false
			}
		}
		return true
	}
	linear := func(x []*compile.Batch) bool {
		for k := len(x) - 1; k >= 0; k-- {
			if ws.batchAdjoints(ws.one[:], x[k], false) != nil {
				return false
			}
		}
		return true
	}
	if !values(r.Head) || !linear(r.Above) {
		return false
	}
	for k := range r.Rest {
		s := &r.Rest[k]
		zero(bar, s.Unwritten)
		if !values(s.Pieces) || !adjoints(s.Pieces) {
			return false
		}
	}
	if !linear(r.Beside) || !adjoints(r.Head) {
		return false
	}
	for _, b := range r.Linear {
		if ws.batchValues(b) != nil {
			return false
		}
	}
	return finite(bar[:e.Inputs()])
}

// extended is x with room for n numbers.
func extended(x []float64, n int) []float64 {
	if cap(x) < n {
		x = append(make([]float64, 0, n), x...)
	}
	return x[:n]
}
