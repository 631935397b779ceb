package sweep

import (
	"fmt"
	"slices"

	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// arguments is what v, by node, has at the operands of a call: a part of v, if these are
// consecutive and the function is known not to write to its arguments; else gathered into
// buf.
func (e *Engine) arguments(buf *[]float64, v []float64, c *tape.Call) []float64 {
	if (c.Several != nil || c.Kept != nil) && c.Consecutive {
		return v[c.Args[0]:][:len(c.Args)]
	}
	dst := grow(buf, e.mostArgs)[:len(c.Args)]
	gather(dst, v, c.Args)
	return dst
}

// scatter adds add to what x, by node, has at the operands of a call.
func scatter(x, add []float64, c *tape.Call) {
	if c.Consecutive {
		x = x[c.Args[0]:][:len(c.Args)]
		lane.Add(x, x, add)
		return
	}
	for k, j := range c.Args {
		x[j] += add[k]
	}
}

// callBuffers is memory for calls.
type callBuffers struct {
	x, gx, tx []float64                   // arguments, their adjoints, their tangents
	many      [2][MaxDirections][]float64 // by direction: arguments or products
	views     [3][MaxDirections][]float64 // by direction: slices of other arrays
	open      []op.Several                // by call: the function with its own memory
}

// function is the function of a call; if it keeps memory between sweeps, with that of ws.
// several is nil if it takes one direction at a time.
func (ws *Workspace) function(c *tape.Call) (f tape.Func, several op.Several) {
	if c.Kept == nil {
		return c.Func, c.Several
	}
	for c.Number >= len(ws.call.open) {
		ws.call.open = append(ws.call.open, nil)
	}
	open := &ws.call.open[c.Number]
	if *open == nil {
		*open = c.Kept.Open(ws.call.open)
	}
	return *open, *open
}

// each is arguments for each of xs. The result is valid until the next call with k.
func (ws *Workspace) each(k int, xs [][]float64, c *tape.Call) [][]float64 {
	e := ws.e
	for s, x := range xs {
		ws.call.views[k][s] = e.arguments(&ws.call.many[k][s], x, c)
	}
	return ws.call.views[k][:len(xs)]
}

// outputsOf is what each of xs, by node, has at the outputs of a call, the first of which is
// node i. The result is valid until the next call with k.
func (ws *Workspace) outputsOf(c *tape.Call, i int32, k int, xs [][]float64) [][]float64 {
	for s, x := range xs {
		ws.call.views[k][s] = x[i : i+c.Outputs()]
	}
	return ws.call.views[k][:len(xs)]
}

func (ws *Workspace) valueCall(i int32) error {
	e := ws.e
	c := e.CallAt(i)
	if c == nil {
		return nil
	}
	f, _ := ws.function(c)
	return failed(c, f.Eval(ws.v[i:i+c.Outputs()], e.arguments(&ws.call.x, ws.v, c)))
}

func (ws *Workspace) tangentCall(ts [][]float64, i int32) error {
	e := ws.e
	c := e.CallAt(i)
	if c == nil {
		return nil
	}
	x := e.arguments(&ws.call.x, ws.v, c)
	f, several := ws.function(c)
	if several != nil {
		return failed(c, several.JVPs(ws.outputsOf(c, i, 2, ts), x, ws.each(0, ts, c)))
	}
	for _, t := range ts {
		if err := f.JVP(t[i:i+c.Outputs()], x, e.arguments(&ws.call.tx, t, c)); err != nil {
			return failed(c, err)
		}
	}
	return nil
}

func (ws *Workspace) adjointCall(gs [][]float64, i int32) error {
	e := ws.e
	c := e.CallAt(i)
	if c == nil {
		return nil
	}
	x := e.arguments(&ws.call.x, ws.v, c)
	gx := grow(&ws.call.gx, e.mostArgs)[:len(c.Args)]
	f, _ := ws.function(c)
	for s, g := range gs {
		w := g[i : i+c.Outputs()]
		ws.hidden[s] = ws.hidden[s] || !finite(w)
		if err := f.VJP(gx, x, w); err != nil {
			return failed(c, err)
		}
		scatter(g, gx, c)
	}
	return nil
}

func (ws *Workspace) secondCall(us, ts [][]float64, i int32) error {
	e := ws.e
	c := e.CallAt(i)
	if c == nil {
		return nil
	}
	m := c.Outputs()
	x := e.arguments(&ws.call.x, ws.v, c)
	bar := ws.bar[i : i+m]
	f, several := ws.function(c)
	if several != nil {
		h := ws.call.views[1][:len(us)]
		for s := range us {
			h[s] = grow(&ws.call.many[1][s], e.mostArgs)[:len(c.Args)]
		}
		dw := ws.outputsOf(c, i, 2, us)
		if !slices.ContainsFunc(dw, func(u []float64) bool {
			return slices.ContainsFunc(u, func(v float64) bool { return v != 0 })
		}) {
			dw = nil // the outputs enter linearly
		}
		if err := several.HVPs(h, x, bar, dw, ws.each(0, ts, c)); err != nil {
			return failed(c, err)
		}
		for s, u := range us {
			scatter(u, h[s], c)
		}
		return nil
	}
	h := grow(&ws.call.gx, e.mostArgs)[:len(c.Args)]
	for s, u := range us {
		if err := f.VJP(h, x, u[i:i+m]); err != nil {
			return failed(c, err)
		}
		scatter(u, h, c)
		if err := f.HVP(h, x, bar, e.arguments(&ws.call.tx, ts[s], c)); err != nil {
			return failed(c, err)
		}
		scatter(u, h, c)
	}
	return nil
}

// failed wraps the error of a primitive, with its name. That of a comparison in the step of
// a loop is returned as it is, and nil stays nil.
func failed(c *tape.Call, err error) error {
	if _, branch := err.(*tape.BranchError); branch || err == nil {
		return err
	}
	return fmt.Errorf("reverse: primitive %s: %w", c.Name(), err)
}
