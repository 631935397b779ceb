package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
)

// Seeds sets the nonzero elements of direction s in x, which is 0: tangents of the inputs
// or, for VJP, cotangents of the outputs.
type Seeds func(x []float64, s int)

// Result takes the result in direction s. It must not keep x.
type Result func(s int, x []float64)

// JVP computes the tangents of k directions, at most MaxDirections, after
// Value: those of the inputs are given by seed, those of the outputs by
// OutputTangent.
func (ws *Workspace) JVP(k int, seed Seeds) error {
	e := ws.e
	ts := ws.seed(k, e.Len(), seed)
	if err := ws.tangents(ts); err != nil {
		return err
	}
	for _, t := range ts {
		for _, j := range e.OutputNodes() {
			if t[j]*0 != 0 {
				return ws.carefully(func() error { return ws.tangents(ts) })
			}
		}
	}
	return nil
}

// seed sets the tangents of the inputs in k directions, arrays with room for n tangents.
func (ws *Workspace) seed(k, n int, seed Seeds) [][]float64 {
	e := ws.e
	ts := directions(&ws.t, k, n, false)
	ws.seeded = compile.Span{}
	for s, t := range ts {
		x := t[:e.Inputs()]
		clear(x)
		seed(x, s)
		ws.support[s] = support(x)
		ws.seeded = ws.seeded.Union(ws.support[s])
	}
	return ts
}

// carefully runs a sweep again, after it gave an infinity or a NaN, node by node with
// derivative products, for which 0·∞ is 0. Sweeps multiply plainly otherwise. That is enough
// since a factor that is not finite always shows in the result, as itself or as the NaN of
// its product with 0: every node depends on an input, and an output on it. Functions that
// are called are the exception, since they may use derivative products themselves. Adjoints
// that are not finite may end there and show only later, in products with the Hessian: so a
// sweep in which a call was given such, ws.hidden, is repeated too.
func (ws *Workspace) carefully(sweep func() error) error {
	ws.careful = true
	defer func() { ws.careful = false }() // a primitive may panic
	return sweep()
}

// VJP computes the adjoints of k cotangents of the outputs, at most
// MaxDirections, after Value: cotangent s is given by seed, Product(s)
// is the adjoint of the inputs.
func (ws *Workspace) VJP(k int, seed Seeds) error {
	e := ws.e
	us := directions(&ws.u, k, e.Len(), true)
	w := grow(&ws.cotangent, len(e.OutputNodes()))
	ws.hidden = false
	run := func() error {
		for s, u := range us {
			clear(w)
			seed(w, s)
			ws.start(u, w)
		}
		return ws.adjoints(us, false)
	}
	if err := run(); err != nil {
		return err
	}
	again := ws.hidden
	for _, u := range us {
		again = again || !finite(u[:e.Inputs()])
	}
	if again {
		return ws.carefully(run)
	}
	return nil
}

// Gradient computes the adjoints for the cotangent w of the outputs, after
// Value: the first Inputs() of Adjoints are the gradient of Σ wⱼyⱼ.
func (ws *Workspace) Gradient(w []float64) error {
	return ws.gradient(w, false)
}

func (ws *Workspace) gradient(w []float64, store bool) error {
	e := ws.e
	bar := grow(&ws.bar, e.Len())
	ws.one[0] = bar
	ws.start(bar, w)
	ws.hidden = false
	if err := ws.adjoints(ws.one[:], store); err != nil {
		return err
	}
	if finite(bar[:e.Inputs()]) && !ws.hidden {
		return nil
	}
	return ws.carefully(func() error {
		ws.start(bar, w)
		return ws.adjoints(ws.one[:], false)
	})
}

// start sets the adjoints bar with which a reverse sweep from the cotangent w begins.
func (ws *Workspace) start(bar, w []float64) {
	e := ws.e
	if ws.careful {
		clear(bar)
	} else {
		zero(bar, e.Unwritten())
	}
	ws.wanted = e.EveryInput()
	for j, i := range e.OutputNodes() {
		bar[i] += w[j]
	}
}

// Linearize is Gradient that keeps what HVP needs.
func (ws *Workspace) Linearize(w []float64) error {
	e := ws.e
	grow(&ws.parts, e.StoredPartials())
	return ws.gradient(w, true)
}

// HVP computes products of the Hessian of Σ wⱼyⱼ with k directions, at most
// MaxDirections, after Linearize with w: direction s is given by seed, its
// product by Product.
func (ws *Workspace) HVP(k int, seed Seeds) error {
	e := ws.e
	ws.seed(k, e.sections().Places, seed)
	return ws.hvp(k, e.EveryInput())
}

// hvp is HVP after seed; only the elements wanted of the products are valid.
func (ws *Workspace) hvp(k int, wanted compile.Span) error {
	ws.wanted = wanted
	if err := ws.products(k); err != nil {
		return err
	}
	for _, u := range ws.u[:k] {
		if !finite(u[wanted.Lo:wanted.Hi]) {
			return ws.carefully(func() error { return ws.products(k) })
		}
	}
	return nil
}

// products sweeps for k products with the Hessian.
func (ws *Workspace) products(k int) error {
	e := ws.e
	if ws.careful {
		return ws.carefulProducts(k)
	}
	all := e.sections()
	ts, us := directions(&ws.t, k, all.Places, false), directions(&ws.u, k, all.Places, true)
	for s, t := range ts {
		clear(t[e.Inputs():e.Base()])
		zero(us[s], all.Unwritten)
		zero(us[s], all.Head.Unwritten)
	}
	moved, err := ws.secondTangents(ts, &all.Head, false)
	if err != nil {
		return err
	}
	for k := len(all.Rest) - 1; k >= 0; k-- {
		s := &all.Rest[k]
		if _, err := ws.secondTangents(ts, s, moved); err != nil {
			return err
		}
		for _, u := range us {
			zero(u, s.Unwritten)
		}
		if err := ws.seconds(us, ts, s); err != nil {
			return err
		}
	}
	return ws.seconds(us, ts, &all.Head)
}

// carefulProducts is products node by node, with derivative products.
func (ws *Workspace) carefulProducts(k int) error {
	e := ws.e
	us := directions(&ws.u, k, e.Len(), true)
	for _, u := range us {
		clear(u)
	}
	ts := ws.t[:k]
	for s, t := range ts {
		if len(t) < e.Len() { // it has the inputs alone
			ts[s] = make([]float64, e.Len())
			copy(ts[s], t[:e.Inputs()])
		}
		clear(ts[s][e.Inputs():e.Base()])
	}
	if err := ws.tangentNodes(ts, int32(e.Base()), int32(e.Len())); err != nil {
		return err
	}
	return ws.secondNodes(us, ts, int32(e.Base()), int32(e.Len()))
}

// Hessian hands the upper triangle of the Hessian to row, after Linearize: of
// row i the elements i, …, Inputs()−1.
func (ws *Workspace) Hessian(row Result) error {
	e := ws.e
	n := e.Inputs()
	for lo := 0; lo < n; lo += MaxDirections {
		m := min(MaxDirections, n-lo)
		for s, t := range directions(&ws.t, m, e.sections().Places, false) {
			clear(t[:n])
			t[lo+s] = 1
			ws.support[s] = compile.Span{Lo: int32(lo + s), Hi: int32(lo + s + 1)}
		}
		ws.seeded = compile.Span{Lo: int32(lo), Hi: int32(lo + m)}
		if err := ws.hvp(m, compile.Span{Lo: int32(lo), Hi: int32(n)}); err != nil {
			return err
		}
		for s := range m {
			row(lo+s, ws.u[s][lo+s:n])
		}
	}
	return nil
}

// HVPs hands the products with k directions to each, after Linearize.
func (ws *Workspace) HVPs(k int, seed Seeds, each Result) error {
	for lo := 0; lo < k; lo += MaxDirections {
		m := min(MaxDirections, k-lo)
		if err := ws.HVP(m, func(x []float64, s int) { seed(x, lo+s) }); err != nil {
			return err
		}
		for s := range m {
			each(lo+s, ws.Product(s))
		}
	}
	return nil
}

// Share has ws use the values, adjoints and partials of other, which it must
// not change, until the function that is returned is called.
func (ws *Workspace) Share(other *Workspace) func() {
	v, bar, parts := ws.v, ws.bar, ws.parts
	ws.v, ws.bar, ws.parts = other.v, other.bar, other.parts
	return func() { ws.v, ws.bar, ws.parts = v, bar, parts }
}

// OutputBuffer is memory for as many numbers as there are outputs.
func (ws *Workspace) OutputBuffer() []float64 { return grow(&ws.outputs, ws.e.Outputs()) }
