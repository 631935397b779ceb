package sweep

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/tape"
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
	bad := ws.again[0][:0]
	for _, t := range ts {
		if slices.ContainsFunc(e.OutputNodes(), func(j int32) bool { return t[j]*0 != 0 }) {
			bad = append(bad, t)
		}
	}
	return ws.carefully(len(bad), func() error { return ws.tangents(bad) })
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

// carefully runs a sweep again in the n directions in which it gave an infinity or a NaN, node
// by node with derivative products, for which 0·∞ is 0. It is for these alone: what one
// direction has changes no bits of another. Sweeps multiply plainly otherwise. That is enough
// since a factor that is not finite always shows in the result, as itself or as the NaN of
// its product with 0: every node depends on an input, and an output on it. Functions that
// are called are the exception, since they may use derivative products themselves. Adjoints
// that are not finite may end there and show only later, in products with the Hessian: so a
// sweep in which a call was given such, ws.hidden, is repeated too.
func (ws *Workspace) carefully(n int, sweep func() error) error {
	if n == 0 {
		return nil
	}
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
	clear(ws.hidden[:])
	begin := func(s int) {
		clear(w)
		seed(w, s)
		ws.start(us[s], w)
	}
	for s := range us {
		begin(s)
	}
	if err := ws.adjoints(us, false); err != nil {
		return err
	}
	var bad [MaxDirections]int
	n := 0
	for s, u := range us {
		if ws.hidden[s] || !finite(u[:e.Inputs()]) {
			bad[n] = s
			n++
		}
	}
	return ws.carefully(n, func() error {
		again := ws.again[0][:0]
		for _, s := range bad[:n] {
			begin(s)
			again = append(again, us[s])
		}
		return ws.adjoints(again, false)
	})
}

// Gradient computes the adjoints for the cotangent w of the outputs, after
// Value: the first Inputs() of Adjoints are the gradient of Σ wⱼyⱼ.
func (ws *Workspace) Gradient(w []float64) error {
	return ws.gradient(w, false)
}

// GradientAt sets g to the gradient of the output of a tape without calls, at the values v of all
// nodes. It goes over the nodes one by one.
func GradientAt(g []float64, t *tape.Tape, v []float64) {
	bar := Room(t.Len())
	defer Leave(bar)
	ws := &Workspace{e: New(compile.NodeByNode(t)), v: v, bar: *bar}
	if err := ws.Gradient([]float64{1}); err != nil {
		panic(err) // there are no calls
	}
	copy(g, ws.Adjoints())
}

func (ws *Workspace) gradient(w []float64, store bool) error {
	e := ws.e
	bar := grow(&ws.bar, e.Len())
	ws.one[0] = bar
	ws.start(bar, w)
	ws.hidden[0] = false
	if err := ws.adjoints(ws.one[:], store); err != nil {
		return err
	}
	if finite(bar[:e.Inputs()]) && !ws.hidden[0] {
		return nil
	}
	return ws.carefully(1, func() error {
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
	var bad [MaxDirections]int
	n := 0
	for s, u := range ws.u[:k] {
		if !finite(u[wanted.Lo:wanted.Hi]) {
			bad[n] = s
			n++
		}
	}
	return ws.carefully(n, func() error { return ws.carefulProducts(bad[:n]) })
}

// products sweeps for k products with the Hessian.
func (ws *Workspace) products(k int) error {
	e := ws.e
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

// carefulProducts is products in some directions, node by node, with derivative products.
func (ws *Workspace) carefulProducts(some []int) error {
	e := ws.e
	ts, us := ws.again[0][:0], ws.again[1][:0]
	for _, s := range some {
		for _, x := range []*[]float64{&ws.t[s], &ws.u[s]} {
			if old := *x; len(old) < e.Len() { // it has the inputs and places alone
				*x = make([]float64, e.Len())
				copy(*x, old[:e.Inputs()])
			}
		}
		clear(ws.t[s][e.Inputs():e.Base()])
		clear(ws.u[s])
		ts, us = append(ts, ws.t[s]), append(us, ws.u[s])
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
