package program

import (
	"errors"

	"github.com/hesse-ad/hesse/internal/workers"
)

// Seeds gives the tangents of the inputs in direction s: it adds to x, which
// is 0, what the direction has.
type Seeds func(x []float64, s int)

// Result takes the result in direction s. It must not keep x.
type Result func(s int, x []float64)

// JVP computes the tangents of k directions, at most MaxDirections, after
// Value: those of the inputs are given by seed, those of the outputs in
// T[s][Output(j)].
func (p *Program) JVP(ws *Workspace, k int, seed Seeds) error {
	ts := p.seed(ws, k, seed)
	if err := p.tangents(ws, k, firstOrder); err != nil {
		return err
	}
	for _, t := range ts {
		for _, j := range p.outputs {
			if t[j]*0 != 0 {
				return ws.carefully(func() error { return p.tangents(ws, k, firstOrder) })
			}
		}
	}
	return nil
}

// seed sets the tangents of the inputs.
func (p *Program) seed(ws *Workspace, k int, seed Seeds) [][]float64 {
	ts := directions(&ws.T, k, len(p.ops))
	ws.seeded = span{}
	for s, t := range ts {
		x := t[:p.inputs]
		clear(x)
		seed(x, s)
		ws.seeded = ws.seeded.and(support(x))
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
func (p *Program) VJP(ws *Workspace, k int, seed Seeds) error {
	us := directions(&ws.U, k, len(p.ops))
	w := grow(&ws.cotangent, len(p.outputs))
	run := func() error {
		for s, u := range us {
			clear(w)
			seed(w, s)
			p.start(ws, u, w)
		}
		return p.adjoints(ws, us, false)
	}
	if err := run(); err != nil {
		return err
	}
	for _, u := range us {
		if !finite(u[:p.inputs]) {
			return ws.carefully(run)
		}
	}
	return nil
}

// Gradient computes the adjoints for the cotangent w of the outputs, after
// Value: the first Inputs() of Bar are the gradient of Σ wⱼyⱼ.
func (p *Program) Gradient(ws *Workspace, w []float64) error {
	return p.gradient(ws, w, false)
}

func (p *Program) gradient(ws *Workspace, w []float64, store bool) error {
	bar := grow(&ws.Bar, len(p.ops))
	ws.one[0] = bar
	p.start(ws, bar, w)
	if err := p.adjoints(ws, ws.one[:], store); err != nil {
		return err
	}
	if finite(bar[:p.inputs]) {
		return nil
	}
	return ws.carefully(func() error {
		p.start(ws, bar, w)
		return p.adjoints(ws, ws.one[:], false)
	})
}

// start prepares adjoints for a reverse sweep from the cotangent w.
func (p *Program) start(ws *Workspace, bar, w []float64) {
	if ws.careful {
		clear(bar)
	} else {
		p.zero(bar, firstOrder)
	}
	ws.wanted = p.every()
	for j, i := range p.outputs {
		bar[i] += w[j]
	}
}

// Linearize is Gradient that keeps what HVP needs.
func (p *Program) Linearize(ws *Workspace, w []float64) error {
	grow(&ws.parts, p.linear)
	return p.gradient(ws, w, true)
}

// HVP computes products of the Hessian of Σ wⱼyⱼ with k directions, at most
// MaxDirections, after Linearize with w: direction s is given by seed, its
// product is the first Inputs() of U[s].
func (p *Program) HVP(ws *Workspace, k int, seed Seeds) error {
	p.seed(ws, k, seed)
	return p.hvp(ws, k, p.every())
}

// hvp is HVP after seed; only the elements in a span are wanted.
func (p *Program) hvp(ws *Workspace, k int, wanted span) error {
	ws.wanted = wanted
	run := func() error {
		if err := p.tangents(ws, k, secondOrder); err != nil {
			return err
		}
		return p.seconds(ws, k)
	}
	if err := run(); err != nil {
		return err
	}
	for _, u := range ws.U[:k] {
		if !finite(u[wanted.lo:wanted.hi]) {
			return ws.carefully(run)
		}
	}
	return nil
}

// Hessian hands the upper triangle of the Hessian to row, after Linearize: of
// row i the elements i, …, Inputs()−1.
func (p *Program) Hessian(ws *Workspace, row Result) error {
	n := p.inputs
	for lo := 0; lo < n; lo += MaxDirections {
		m := min(MaxDirections, n-lo)
		for s, t := range directions(&ws.T, m, len(p.ops)) {
			clear(t[:n])
			t[lo+s] = 1
		}
		ws.seeded = span{int32(lo), int32(lo + m)}
		if err := p.hvp(ws, m, span{int32(lo), int32(n)}); err != nil {
			return err
		}
		for s := range m {
			row(lo+s, ws.U[s][lo+s:n])
		}
	}
	return nil
}

// HVPs hands the products with k directions to each, after Linearize.
func (p *Program) HVPs(ws *Workspace, k int, seed Seeds, each Result) error {
	for lo := 0; lo < k; lo += MaxDirections {
		if err := p.chunk(ws, lo, k, seed, each); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) chunk(ws *Workspace, lo, k int, seed Seeds, each Result) error {
	m := min(MaxDirections, k-lo)
	if err := p.HVP(ws, m, func(x []float64, s int) { seed(x, lo+s) }); err != nil {
		return err
	}
	for s := range m {
		each(lo+s, ws.U[s][:p.inputs])
	}
	return nil
}

// HVPsParallel is HVPs by n goroutines, which take chunks of directions
// in turn and call seed and each at once, for different directions.
func (p *Program) HVPsParallel(ws *Workspace, k, n int, seed Seeds, each Result) error {
	chunks := (k + MaxDirections - 1) / MaxDirections
	n = min(n, chunks)
	errs := make([]error, n)
	workers.Do(n, func(i int) {
		own := p.Get()
		defer p.Put(own)
		defer own.Share(ws)()
		for c := i; c < chunks && errs[i] == nil; c += n {
			errs[i] = p.chunk(own, c*MaxDirections, k, seed, each)
		}
	})
	return errors.Join(errs...)
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

// Output is the node of output j.
func (p *Program) Output(j int) int32 { return p.outputs[j] }
