package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
)

// Seeds gives the tangents of the inputs in direction s: it adds to x, which
// is 0, what the direction has.
type Seeds func(x []float64, s int)

// Result takes the result in direction s. It must not keep x.
type Result func(s int, x []float64)

// JVP computes the tangents of k directions, at most MaxDirections, after
// Value: those of the inputs are given by seed, those of the outputs in
// T[s][Output(j)].
func (e *Engine) JVP(ws *Workspace, k int, seed Seeds) error {
	ts := e.seed(ws, k, seed)
	if err := e.tangents(ws, k, compile.FirstOrder); err != nil {
		return err
	}
	for _, t := range ts {
		for _, j := range e.OutputNodes() {
			if t[j]*0 != 0 {
				return ws.carefully(func() error { return e.tangents(ws, k, compile.FirstOrder) })
			}
		}
	}
	return nil
}

// seed sets the tangents of the inputs.
func (e *Engine) seed(ws *Workspace, k int, seed Seeds) [][]float64 {
	ts := directions(&ws.T, k, e.Len())
	ws.seeded = compile.Span{}
	for s, t := range ts {
		x := t[:e.Inputs()]
		clear(x)
		seed(x, s)
		ws.seeded = ws.seeded.Union(support(x))
	}
	return ts
}

// carefully runs a sweep again where it gave an infinity or a NaN. Sweeps
// multiply plainly: a factor that is not finite always shows in the result, as
// itself or as the NaN of 0·∞, since every node reaches an output and is
// reached by an input. Only then is the sweep worth repeating node by node
// with derivative products, for which 0·∞ is 0.
func (ws *Workspace) carefully(sweep func() error) error {
	ws.careful = true
	defer func() { ws.careful = false }() // a primitive may panic
	return sweep()
}

// VJP computes the adjoints of k cotangents of the outputs, at most
// MaxDirections, after Value: cotangent s is given by seed, adjoint s of the
// inputs is in U[s].
func (e *Engine) VJP(ws *Workspace, k int, seed Seeds) error {
	us := directions(&ws.U, k, e.Len())
	w := grow(&ws.cotangent, len(e.OutputNodes()))
	run := func() error {
		for s, u := range us {
			clear(w)
			seed(w, s)
			e.start(ws, u, w)
		}
		return e.adjoints(ws, us, false)
	}
	if err := run(); err != nil {
		return err
	}
	for _, u := range us {
		if !finite(u[:e.Inputs()]) {
			return ws.carefully(run)
		}
	}
	return nil
}

// Gradient computes the adjoints for the cotangent w of the outputs, after
// Value: the first Inputs() of Bar are the gradient of Σ wⱼyⱼ.
func (e *Engine) Gradient(ws *Workspace, w []float64) error {
	return e.gradient(ws, w, false)
}

func (e *Engine) gradient(ws *Workspace, w []float64, store bool) error {
	bar := grow(&ws.Bar, e.Len())
	ws.one[0] = bar
	e.start(ws, bar, w)
	if err := e.adjoints(ws, ws.one[:], store); err != nil {
		return err
	}
	if finite(bar[:e.Inputs()]) {
		return nil
	}
	return ws.carefully(func() error {
		e.start(ws, bar, w)
		return e.adjoints(ws, ws.one[:], false)
	})
}

// start prepares adjoints for a reverse sweep from the cotangent w.
func (e *Engine) start(ws *Workspace, bar, w []float64) {
	if ws.careful {
		clear(bar)
	} else {
		e.zero(bar, compile.FirstOrder)
	}
	ws.wanted = e.EveryInput()
	for j, i := range e.OutputNodes() {
		bar[i] += w[j]
	}
}

// Linearize is Gradient that keeps what HVP needs.
func (e *Engine) Linearize(ws *Workspace, w []float64) error {
	grow(&ws.parts, e.StoredPartials())
	return e.gradient(ws, w, true)
}

// HVP computes products of the Hessian of Σ wⱼyⱼ with k directions, at most
// MaxDirections, after Linearize with w: direction s is given by seed, its
// product is the first Inputs() of U[s].
func (e *Engine) HVP(ws *Workspace, k int, seed Seeds) error {
	e.seed(ws, k, seed)
	return e.hvp(ws, k, e.EveryInput())
}

// hvp is HVP after seed; only the elements in a compile.Span are wanted.
func (e *Engine) hvp(ws *Workspace, k int, wanted compile.Span) error {
	ws.wanted = wanted
	run := func() error {
		if err := e.tangents(ws, k, compile.SecondOrder); err != nil {
			return err
		}
		return e.seconds(ws, k)
	}
	if err := run(); err != nil {
		return err
	}
	for _, u := range ws.U[:k] {
		if !finite(u[wanted.Lo:wanted.Hi]) {
			return ws.carefully(run)
		}
	}
	return nil
}

// Hessian hands the upper triangle of the Hessian to row, after Linearize: of
// row i the elements i, …, Inputs()−1.
func (e *Engine) Hessian(ws *Workspace, row Result) error {
	n := e.Inputs()
	for lo := 0; lo < n; lo += MaxDirections {
		m := min(MaxDirections, n-lo)
		for s, t := range directions(&ws.T, m, e.Len()) {
			clear(t[:n])
			t[lo+s] = 1
		}
		ws.seeded = compile.Span{Lo: int32(lo), Hi: int32(lo + m)}
		if err := e.hvp(ws, m, compile.Span{Lo: int32(lo), Hi: int32(n)}); err != nil {
			return err
		}
		for s := range m {
			row(lo+s, ws.U[s][lo+s:n])
		}
	}
	return nil
}

// HVPs hands the products with k directions to each, after Linearize.
func (e *Engine) HVPs(ws *Workspace, k int, seed Seeds, each Result) error {
	for lo := 0; lo < k; lo += MaxDirections {
		m := min(MaxDirections, k-lo)
		if err := e.HVP(ws, m, func(x []float64, s int) { seed(x, lo+s) }); err != nil {
			return err
		}
		for s := range m {
			each(lo+s, ws.U[s][:e.Inputs()])
		}
	}
	return nil
}

// Share has ws use the values, adjoints and partials of other, which it must
// not change, until the function that is returned is called.
func (ws *Workspace) Share(other *Workspace) func() {
	v, bar, parts := ws.V, ws.Bar, ws.parts
	ws.V, ws.Bar, ws.parts = other.V, other.Bar, other.parts
	return func() { ws.V, ws.Bar, ws.parts = v, bar, parts }
}

// Outputs is memory for the m outputs.
func (ws *Workspace) Outputs(m int) []float64 { return grow(&ws.outputs, m) }
