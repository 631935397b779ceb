package sweep

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/workers"
)

// stripNodes is how many nodes a strip of a program has in a gradient: their values and
// adjoints fit into the second-level cache.
const stripNodes = 6 << 10

// StripsPay is how many nodes a program has at least that is done strip by strip: some
// megabytes of values and adjoints, which the caches do not hold. Below half as many
// gradients gain little by strips, and products with Hessians lose up to a third.
const StripsPay = 400_000

// stripsFrom is the evaluation from which on gradients go by strips: to find these takes
// about as long as recording the program.
const stripsFrom = 3

// byStrips is the strips for gradients, nil if there are none or not yet.
func (e *Engine) byStrips() *compile.Strips {
	if e.gradients.Load() < stripsFrom && e.gradients.Add(1) < stripsFrom {
		return nil
	}
	e.stripping.Do(func() {
		if e.Len() >= StripsPay {
			e.strips.Store(e.NewStrips(stripNodes))
		}
	})
	return e.strips.Load()
}

// ValueGradient is Value and Gradient. Afterwards only Output and the first Inputs() of
// Adjoints are there.
func (ws *Workspace) ValueGradient(x, params, w []float64) (*tape.Guard, error) {
	if r := ws.e.byStrips(); r != nil && ws.byStrips(r, x, params, w, nil) {
		return nil, nil
	}
	if g, err := ws.Value(x, params); g != nil || err != nil {
		return g, err
	}
	return nil, ws.Gradient(w)
}

// byStrips is ValueGradient by strips, and what of second order is done with them, unless
// c is nil. It reports whether the results are finite; if not, nothing is.
func (ws *Workspace) byStrips(r *compile.Strips, x, params, w []float64, c *compressing) bool {
	e := ws.e
	v, bar := ws.v, grow(&ws.bar, e.Len())
	for _, s := range r.Inputs {
		copy(v[s.Lo:s.Hi], x[s.Lo:s.Hi])
	}
	copy(v[e.Inputs():], params)
	ws.one[0] = bar
	ws.wanted = e.EveryInput()
	zero(bar, r.Unwritten)
	for j, i := range e.OutputNodes() {
		bar[i] += w[j]
	}
	if !ws.allValues(r.Head) || !ws.allAdjoints(r.Above, false) {
		return false
	}
	if !ws.everyStrip(r, x, v, bar, c) || !ws.allAdjoints(r.Beside, false) || !ws.allAdjoints(r.Head, false) {
		return false
	}
	return ws.allValues(r.Linear) && finite(bar[:e.Inputs()])
}

func (ws *Workspace) allValues(x []compile.Batch) bool {
	for k := range x {
		if ws.batchValues(&x[k]) != nil {
			return false
		}
	}
	return true
}

func (ws *Workspace) allAdjoints(x []compile.Batch, store bool) bool {
	for k := len(x) - 1; k >= 0; k-- {
		if ws.batchAdjoints(ws.one[:], &x[k], store) != nil {
			return false
		}
	}
	return true
}

// everyStrip does the strips, of values v and adjoints bar of the program. A team
// shares them if they do not add to the same adjoints.
func (ws *Workspace) everyStrip(r *compile.Strips, x, v, bar []float64, c *compressing) bool {
	if len(ws.team) == 0 || len(r.Shared) > 0 {
		return ws.someStrips(r, 0, len(r.Rest), x, v, bar, c)
	}
	return ws.sharedStrips(r, x, v, bar, c)
}

// sharedStrips is a function of its own, since what it hands over goes to the heap.
func (ws *Workspace) sharedStrips(r *compile.Strips, x, v, bar []float64, c *compressing) bool {
	all := append([]*Workspace{ws}, ws.team...)
	n, ok := len(all), make([]bool, len(all))
	workers.Do(n, func(i int) {
		ok[i] = all[i].someStrips(r, i*len(r.Rest)/n, (i+1)*len(r.Rest)/n, x, v, bar, c)
	})
	return !slices.Contains(ok, false)
}

// someStrips does the strips from … to−1. It reports whether the results of second order
// are finite.
func (ws *Workspace) someStrips(r *compile.Strips, from, to int, x, v, bar []float64, c *compressing) bool {
	e, team, parts := ws.e, ws.team, ws.parts
	places, adjoints := ws.stripRoom(r.Places)
	ws.v, ws.one[0], ws.team = places, adjoints, nil
	one := ws.bar
	ws.bar = adjoints
	if c != nil {
		ws.parts = grow(&ws.stripParts, 5*r.Places)
	}
	defer func() { ws.v, ws.bar, ws.one[0], ws.parts, ws.team = v, one, bar, parts, team }()
	copy(places, v[e.Inputs():e.Base()])
	for _, s := range r.Shared {
		places[s.Place], places[s.Place+1] = v[s.Node], v[s.Node]
		adjoints[s.Place], adjoints[s.Place+1] = bar[s.Node], 0
	}
	for k := from; k < to; k++ {
		s := &r.Rest[k]
		in := s.Inputs
		copy(places[in.Place:][:in.N], x[in.Node:])
		zero(adjoints, s.Unwritten)
		for _, p := range s.In {
			copy(adjoints[p.Place:][:p.N], bar[p.Node:])
		}
		for _, p := range s.Summed {
			lane.Fill(adjoints[p.Place:][:p.N], 0+bar[p.Node])
		}
		ws.allValues(s.Pieces)
		for _, p := range s.Out {
			copy(v[p.Node:][:p.N], places[p.Place:])
		}
		ws.allAdjoints(s.Pieces, c != nil)
		copy(bar[s.Own.Lo:s.Own.Hi], adjoints[in.Place+s.Own.Lo-in.Node:])
		if c != nil && !c.strip(ws, k) {
			return false
		}
	}
	for _, s := range r.Shared {
		bar[s.Node] = adjoints[s.Place]
	}
	return true
}

// stripRoom is memory for values and adjoints of a strip, n each.
func (ws *Workspace) stripRoom(n int) (v, bar []float64) {
	stride := (n+31)/32*32 + 16 // see directions
	if len(ws.strip) < stride+n {
		ws.strip = make([]float64, stride+n)
	}
	return ws.strip[:n], ws.strip[stride:][:n]
}
