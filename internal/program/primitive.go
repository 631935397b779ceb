package program

import (
	"fmt"
	"slices"
)

// Scalar1 is a user's function of one variable with two derivatives.
type Scalar1 struct {
	Name string
	F    [3]func(x float64) float64
}

// At is the derivative of the given order.
func (f *Scalar1) At(order int) func(x float64) float64 {
	if order > 2 {
		panic("reverse: third derivative of the primitive " + f.Name)
	}
	return f.F[order]
}

// Func is a vector function ℝⁿ → ℝᵐ that a program calls. Its methods may be
// called from several goroutines at once.
type Func interface {
	// Dims is the number of inputs and outputs.
	Dims() (n, m int)
	// Name names it in errors.
	Name() string
	// Eval sets y = F(x).
	Eval(y, x []float64) error
	// JVP sets dy = F′(x)·dx.
	JVP(dy, x, dx []float64) error
	// VJP sets gx = F′(x)ᵀ·w.
	VJP(gx, x, w []float64) error
	// HVP sets h = (Σ wₖ ∇²Fₖ(x))·dx.
	HVP(h, x, w, dx []float64) error
	// Jacobian and Hessian are the patterns of F′ and of Σ wₖ∇²Fₖ: for each
	// row the columns that may be nonzero; nil means all.
	Jacobian(i int) []int32
	Hessian(i int) []int32
}

// Repeated is a Func that is a sum of alike terms, see terms.Repeat. It never
// fails.
type Repeated interface {
	Func
	// Term is what is repeated.
	Term() *Program
	// Each calls f with the inputs of F that are those of the term, the outputs
	// of F that those of the term are added to, and the term's parameters, for
	// each term, in slices that it uses again.
	Each(f func(vars, rows []int32, params []float64))
	// JVPs sets dy[s] = F′(x)·dx[s] for each direction s.
	JVPs(dy [][]float64, x []float64, dx [][]float64)
	// HVPs sets h[s] = (Σ wₖ∇²Fₖ(x))·dx[s] + F′(x)ᵀ·dw[s], dw nil being 0.
	HVPs(h [][]float64, x, w []float64, dw, dx [][]float64)
	// Size is how many operations all terms have, and the bytes it takes.
	Size() (ops, bytes int)
}

// call is one use of a Func: its operands are in the lists from args on, its
// outputs are consecutive nodes from out on.
type call struct {
	f        Func
	repeated Repeated // f, if it is one
	args, n  int32
	out      int32
	direct   bool // the operands are consecutive
}

func (c *call) outputs() int32 {
	_, m := c.f.Dims()
	return int32(m)
}

// arguments is the operands of a call in an array over all nodes: where they
// are, if f is known not to change them, or gathered into a buffer.
func (p *Program) arguments(buf *[]float64, v []float64, c *call) []float64 {
	x := p.lists[c.args : c.args+c.n]
	if c.repeated != nil && c.direct {
		return v[x[0]:][:len(x)]
	}
	dst := grow(buf, p.maxCall)[:c.n]
	gather(dst, v, x)
	return dst
}

// scatter adds to the operands of a call.
func (p *Program) scatter(x, add []float64, c *call) {
	if c.direct {
		x = x[p.lists[c.args]:][:c.n]
		addTo(x, x, add)
		return
	}
	for k, j := range p.lists[c.args : c.args+c.n] {
		x[j] += add[k]
	}
}

// callBuffers are memory for calls.
type callBuffers struct {
	x, gx, tx []float64
	many      [2][MaxDirections][]float64
	views     [3][MaxDirections][]float64
}

// each is the operands of a call in each of xs, arrays over all nodes.
func (p *Program) each(ws *Workspace, k int, xs [][]float64, c *call) [][]float64 {
	for s, x := range xs {
		ws.call.views[k][s] = p.arguments(&ws.call.many[k][s], x, c)
	}
	return ws.call.views[k][:len(xs)]
}

// outputsOf is the outputs of a call, the first being node i, in each of xs.
func (ws *Workspace) outputsOf(c *call, i int32, k int, xs [][]float64) [][]float64 {
	for s, x := range xs {
		ws.call.views[k][s] = x[i : i+c.outputs()]
	}
	return ws.call.views[k][:len(xs)]
}

func (p *Program) tangentCall(ws *Workspace, ts [][]float64, i int32) error {
	c := &p.calls[p.a[i]]
	x := p.arguments(&ws.call.x, ws.V, c)
	if c.repeated != nil {
		c.repeated.JVPs(ws.outputsOf(c, i, 2, ts), x, p.each(ws, 0, ts, c))
		return nil
	}
	for _, t := range ts {
		if err := c.f.JVP(t[i:i+c.outputs()], x, p.arguments(&ws.call.tx, t, c)); err != nil {
			return c.failed(err)
		}
	}
	return nil
}

func (p *Program) adjointCall(ws *Workspace, gs [][]float64, i int32) error {
	c := &p.calls[p.a[i]]
	x := p.arguments(&ws.call.x, ws.V, c)
	gx := grow(&ws.call.gx, p.maxCall)[:c.n]
	for _, g := range gs {
		if err := c.f.VJP(gx, x, g[i:i+c.outputs()]); err != nil {
			return c.failed(err)
		}
		p.scatter(g, gx, c)
	}
	return nil
}

func (p *Program) secondCall(ws *Workspace, us, ts [][]float64, i int32) error {
	c := &p.calls[p.a[i]]
	m := c.outputs()
	x := p.arguments(&ws.call.x, ws.V, c)
	bar := ws.Bar[i : i+m]
	if c.repeated != nil {
		h := ws.call.views[1][:len(us)]
		for s := range us {
			h[s] = grow(&ws.call.many[1][s], p.maxCall)[:c.n]
		}
		dw := ws.outputsOf(c, i, 2, us)
		if !slices.ContainsFunc(dw, func(u []float64) bool {
			return slices.ContainsFunc(u, func(v float64) bool { return v != 0 })
		}) {
			dw = nil // the outputs enter linearly
		}
		c.repeated.HVPs(h, x, bar, dw, p.each(ws, 0, ts, c))
		for s, u := range us {
			p.scatter(u, h[s], c)
		}
		return nil
	}
	h := grow(&ws.call.gx, p.maxCall)[:c.n]
	for s, u := range us {
		if err := c.f.VJP(h, x, u[i:i+m]); err != nil {
			return c.failed(err)
		}
		p.scatter(u, h, c)
		if err := c.f.HVP(h, x, bar, p.arguments(&ws.call.tx, ts[s], c)); err != nil {
			return c.failed(err)
		}
		p.scatter(u, h, c)
	}
	return nil
}

func (c *call) failed(err error) error {
	return fmt.Errorf("reverse: primitive %s: %w", c.f.Name(), err)
}
