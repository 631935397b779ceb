package sweep

import (
	"math"

	"github.com/hesse-ad/hesse/internal/compile"
)

// Unbatched sweeps node by node.
func Unbatched(e *Engine) *Engine { return New(compile.NodeByNode(&e.Tape)) }

// Cut is the program in sections of so many lanes, and whether it is cut.
func Cut(e *Engine, lanes int) (*Engine, bool) {
	c := New(&e.Program)
	s := c.Sections(lanes)
	c.cut.Store(s)
	return c, len(s.Rest) > 0
}

// Poison fills all working memory but the values with NaN.
func (ws *Workspace) Poison() {
	n := len(ws.v)
	x := [][]float64{grow(&ws.bar, n), grow(&ws.parts, ws.e.StoredPartials()), grow(&ws.cotangent, len(ws.e.OutputNodes()))}
	x = append(x, directions(&ws.t, MaxDirections, n, false)...)
	x = append(x, directions(&ws.u, MaxDirections, n, true)...)
	x = append(x, ws.call.x, ws.call.gx, ws.call.tx)
	for i := range ws.scratch {
		x = append(x, ws.scratch[i][:])
	}
	for _, x := range x {
		for i := range x {
			x[i] = math.NaN()
		}
	}
}

// Plain sweeps, or careful ones, whatever the result: the products of Gradient,
// JVP, VJP and HVP with k directions, all of them the same.
type Products struct {
	Gradient, Bar []float64
	JVP           []float64
	VJP, HVP      [][]float64
}

// Sweeps makes all products after Value. Poisoned working memory must not show.
func (ws *Workspace) Sweeps(careful, poison bool, k int, w, v []float64) (r Products, err error) {
	e := ws.e
	ws.careful = careful
	defer func() { ws.careful = false }()
	clean := func() {
		if poison {
			ws.Poison()
		}
	}
	inputs := func(x [][]float64) (y [][]float64) {
		for _, x := range x {
			y = append(y, append([]float64(nil), x[:e.Inputs()]...))
		}
		return y
	}
	seed := func(n int) { ws.seed(k, n, func(x []float64, _ int) { copy(x, v) }) }
	clean()
	seed(e.Len())
	if err = ws.tangents(ws.t[:k]); err != nil {
		return r, err
	}
	for _, i := range e.OutputNodes() {
		r.JVP = append(r.JVP, ws.t[k-1][i])
	}
	clean()
	us := directions(&ws.u, k, e.Len(), true)
	for _, u := range us {
		ws.start(u, w)
	}
	if err = ws.adjoints(us, false); err != nil {
		return r, err
	}
	r.VJP = inputs(us)
	clean()
	ws.one[0] = grow(&ws.bar, e.Len())
	grow(&ws.parts, e.StoredPartials())
	ws.start(ws.bar, w)
	if err = ws.adjoints(ws.one[:], true); err != nil {
		return r, err
	}
	r.Gradient = inputs(ws.one[:])[0]
	r.Bar = append([]float64(nil), ws.bar...)
	seed(e.sections().Places)
	ws.wanted = e.EveryInput()
	if err = ws.either(careful, k); err != nil {
		return r, err
	}
	r.HVP = inputs(ws.u[:k])
	return r, nil
}

// Whole is HVP that leaves out nothing for the sake of zeros among the seeds,
// in a careful sweep if so wanted.
func (ws *Workspace) Whole(careful bool, k int, seed Seeds) error {
	e := ws.e
	ws.seed(k, e.sections().Places, seed)
	ws.seeded = e.EveryInput()
	for s := range k {
		ws.support[s] = ws.seeded
	}
	if !careful {
		return ws.hvp(k, e.EveryInput())
	}
	return ws.carefully(k, func() error { return ws.either(true, k) })
}

// either is products, or those of a careful sweep.
func (ws *Workspace) either(careful bool, k int) error {
	if !careful {
		return ws.products(k)
	}
	directions(&ws.u, k, ws.e.Len(), true)
	return ws.carefulProducts([]int{0, 1, 2, 3, 4, 5, 6, 7}[:k])
}
