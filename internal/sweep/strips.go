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

// StripsPay is from how many nodes on a program is swept strip by strip: its values and
// adjoints take some megabytes, which caches do not hold. With fewer than half as many,
// gradients gain little by strips, and products with Hessians lose up to a third.
const StripsPay = 400_000

// stripsFrom is the number of the first gradient that goes by strips. Finding them takes
// about as long as recording the program, which does not pay for one or two gradients.
const stripsFrom = 3

// byStrips is the strips for gradients; nil if the program has none, or has not been
// evaluated often enough for them.
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

// byStrips is ValueGradient by strips; unless c is nil, it also does what c asks for at
// each strip. It reports whether the results are finite; if not, none of them is valid.
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
	if !ws.everyStrip(stripping{r, x, v, bar, c}) || !ws.allAdjoints(r.Beside, false) || !ws.allAdjoints(r.Head, false) {
		return false
	}
	if !ws.allValues(r.Linear) {
		return false
	}
	for _, s := range r.Inputs { // oneStrip has checked the others
		if !finite(bar[s.Lo:s.Hi]) {
			return false
		}
	}
	return true
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

// stripping is a sweep by strips at the inputs x. v and bar are the values and adjoints of
// the program, by node, from which strips copy what they need and to which they copy what
// others need.
type stripping struct {
	*compile.Strips
	x, v, bar []float64
	second    *compressing // what is to be done at each strip besides the gradient, or nil
}

// everyStrip sweeps all strips, which a team shares. It reports whether derivatives are
// finite.
func (ws *Workspace) everyStrip(q stripping) bool {
	ok := true
	ws.takeShared(q)
	if len(ws.team) == 0 {
		ok = ws.someStrips(q, 0, len(q.Rest), false)
	} else {
		ok = ws.teamStrips(q)
	}
	ws.giveShared(q)
	return ok
}

// teamStrips is everyStrip by a team. Each member has a range of the strips. The first adds
// to the adjoints of Shared itself; what the others would add they keep apart, and when all
// have ended it is added in the order of strips, which is that of one goroutine. (This is a
// function of its own since the closure makes what it captures escape to the heap.)
func (ws *Workspace) teamStrips(q stripping) bool {
	all := append([]*Workspace{ws}, ws.team...)
	n, ok := len(all), make([]bool, len(all))
	part := func(i int) (from, to int) { return i * len(q.Rest) / n, (i + 1) * len(q.Rest) / n }
	for _, own := range ws.team {
		own.takeShared(q)
	}
	workers.Do(n, func(i int) {
		from, to := part(i)
		ok[i] = all[i].someStrips(q, from, to, i > 0 && len(q.Shared) > 0)
	})
	if slices.Contains(ok, false) {
		return false
	}
	for i, own := range ws.team {
		from, to := part(i + 1)
		ws.addShared(q, q.Rest[from:to], own.apart)
	}
	return true
}

// takeShared copies parameters, constants and Shared from the program to the memory of
// strips.
func (ws *Workspace) takeShared(q stripping) {
	places, adjoints := ws.stripRoom(q.Places)
	copy(places, q.v[ws.e.Inputs():ws.e.Base()])
	for _, s := range q.Shared {
		places[s.Place], places[s.Place+1] = q.v[s.Node], q.v[s.Node]
		adjoints[s.Place], adjoints[s.Place+1] = q.bar[s.Node], 0
	}
}

// giveShared copies the adjoints of Shared back.
func (ws *Workspace) giveShared(q stripping) {
	_, adjoints := ws.stripRoom(q.Places)
	for _, s := range q.Shared {
		q.bar[s.Node] = adjoints[s.Place]
	}
}

// addShared adds to the adjoints of Shared what a member of the team that swept strips has
// kept apart.
func (ws *Workspace) addShared(q stripping, strips []compile.Strip, apart []float64) {
	_, adjoints := ws.stripRoom(q.Places)
	for k := range strips {
		for i := range strips[k].Sharing {
			x := &strips[k].Sharing[i]
			n := x.Apart.Len()
			for _, to := range x.To {
				s := &adjoints[q.Shared[to.Shared].Place]
				*s = sumOf(*s, apart[:n])
				apart = apart[n:]
			}
		}
	}
}

// someStrips sweeps the strips from … to−1. With apart, which is for gradients only, what
// they would add to adjoints of Shared is kept in ws.apart. It reports whether derivatives
// are finite.
func (ws *Workspace) someStrips(q stripping, from, to int, apart bool) bool {
	team, parts, bar := ws.team, ws.parts, ws.bar
	ws.v, ws.bar = ws.stripRoom(q.Places)
	ws.one[0], ws.team, ws.apart = ws.bar, nil, ws.apart[:0]
	if q.second != nil {
		ws.parts = grow(&ws.stripParts, 5*q.Places)
	}
	defer func() { ws.v, ws.bar, ws.one[0], ws.parts, ws.team = q.v, bar, q.bar, parts, team }()
	for k := from; k < to; k++ {
		if !ws.oneStrip(q, k, apart) {
			return false
		}
	}
	return true
}

// oneStrip sweeps strip k.
func (ws *Workspace) oneStrip(q stripping, k int, apart bool) bool {
	s := &q.Rest[k]
	q.enter(s, ws.v, ws.bar)
	ws.allValues(s.Pieces)
	for _, p := range s.Out {
		copy(q.v[p.Node:][:p.N], ws.v[p.Place:])
	}
	if apart {
		ws.adjointsApart(s)
	} else {
		ws.allAdjoints(s.Pieces, q.second != nil)
	}
	own := ws.bar[s.Inputs.Place+s.Own.Lo-s.Inputs.Node:][:s.Own.Len()]
	if !finite(own) {
		return false
	}
	copy(q.bar[s.Own.Lo:], own)
	return q.second == nil || q.second.strip(ws, k)
}

// enter sets the inputs of a strip, and the adjoints that its reverse sweep begins with.
func (q *stripping) enter(s *compile.Strip, v, bar []float64) {
	copy(v[s.Inputs.Place:][:s.Inputs.N], q.x[s.Inputs.Node:])
	zero(bar, s.Unwritten)
	for _, p := range s.In {
		copy(bar[p.Place:][:p.N], q.bar[p.Node:])
	}
	for _, p := range s.Summed {
		lane.Fill(bar[p.Place:][:p.N], 0+q.bar[p.Node])
	}
}

// adjointsApart finds the adjoints of a strip, and appends to ws.apart what the strip would
// add to those of Shared.
func (ws *Workspace) adjointsApart(s *compile.Strip) {
	sharing := s.Sharing
	for k := len(s.Pieces) - 1; k >= 0; k-- {
		b := &s.Pieces[k]
		if len(sharing) == 0 || sharing[0].Piece != k {
			ws.batchAdjoints(ws.one[:], b, false)
			continue
		}
		x := &sharing[0]
		sharing = sharing[1:]
		for off := int32(0); off < b.Len(); off += compile.Block {
			ws.adjointBlock(ws.one[:], b, &x.Apart, b.Lo+off, off, min(compile.Block, b.Len()-off), compile.FirstOrder, false)
		}
		for _, to := range x.To {
			ws.apart = append(ws.apart, ws.bar[to.Place:][:b.Len()]...)
		}
	}
}

// stripRoom is memory for values and adjoints of a strip, n each.
func (ws *Workspace) stripRoom(n int) (v, bar []float64) {
	stride := (n+31)/32*32 + 16 // see directions
	if len(ws.strip) < stride+n {
		ws.strip = make([]float64, stride+n)
	}
	return ws.strip[:n], ws.strip[stride:][:n]
}
