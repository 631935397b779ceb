package program

import "math"

// Unbatched is p with one mixed batch, which runs node by node.
func Unbatched(p *Program) *Program {
	q := &Program{
		inputs: p.inputs, params: p.params, base: p.base, consts: p.consts,
		ops: p.ops, a: p.a, b: p.b, c: p.c, lists: p.lists, coefs: p.coefs, owns: p.owns, calls: p.calls,
		outputs: p.outputs, guards: p.guards,
	}
	if len(p.ops) > p.base {
		q.batches = []batch{{op: mixed, lo: int32(p.base), hi: int32(len(p.ops)), inner: true}}
	}
	q.finish(new(scratch))
	return q
}

// Poison fills all working memory but the values with NaN.
func (ws *Workspace) Poison() {
	n := len(ws.V)
	x := [][]float64{grow(&ws.Bar, n), grow(&ws.parts, ws.p.linear), grow(&ws.cotangent, len(ws.p.outputs))}
	x = append(x, directions(&ws.T, MaxDirections, n)...)
	x = append(x, directions(&ws.U, MaxDirections, n)...)
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
func (p *Program) Sweeps(ws *Workspace, careful, poison bool, k int, w, v []float64) (r Products, err error) {
	ws.careful = careful
	defer func() { ws.careful = false }()
	clean := func() {
		if poison {
			ws.Poison()
		}
	}
	inputs := func(x [][]float64) (y [][]float64) {
		for _, x := range x {
			y = append(y, append([]float64(nil), x[:p.inputs]...))
		}
		return y
	}
	seed := func() { p.seed(ws, k, func(x []float64, _ int) { copy(x, v) }) }
	clean()
	seed()
	if err = p.tangents(ws, k, firstOrder); err != nil {
		return r, err
	}
	for _, i := range p.outputs {
		r.JVP = append(r.JVP, ws.T[k-1][i])
	}
	clean()
	us := directions(&ws.U, k, len(p.ops))
	for _, u := range us {
		p.start(ws, u, w)
	}
	if err = p.adjoints(ws, us, false); err != nil {
		return r, err
	}
	r.VJP = inputs(us)
	clean()
	ws.one[0] = grow(&ws.Bar, len(p.ops))
	grow(&ws.parts, p.linear)
	p.start(ws, ws.Bar, w)
	if err = p.adjoints(ws, ws.one[:], true); err != nil {
		return r, err
	}
	r.Gradient = inputs(ws.one[:])[0]
	r.Bar = append([]float64(nil), ws.Bar...)
	seed()
	if err = p.tangents(ws, k, secondOrder); err != nil {
		return r, err
	}
	if err = p.seconds(ws, k); err != nil {
		return r, err
	}
	r.HVP = inputs(us)
	return r, nil
}

// Whole is HVP that leaves out nothing for the sake of zeros among the seeds,
// in a careful sweep if so wanted.
func (p *Program) Whole(ws *Workspace, careful bool, k int, seed Seeds) error {
	p.seed(ws, k, seed)
	ws.seeded = p.every()
	if !careful {
		return p.hvp(ws, k, p.every())
	}
	return ws.carefully(func() error {
		if err := p.tangents(ws, k, secondOrder); err != nil {
			return err
		}
		return p.seconds(ws, k)
	})
}

// Rows is how many nodes are in batches of rows.
func (p *Program) Rows() (n int) {
	for i := range p.batches {
		if b := &p.batches[i]; b.rows() {
			n += int(b.hi - b.lo)
		}
	}
	return n
}

// LimitSize has recordings of more than n nodes and operands fail until the
// function that it returns is called.
func LimitSize(n int) func() {
	old := maxSize
	maxSize = n
	return func() { maxSize = old }
}
