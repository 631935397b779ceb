package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
)

// adjoints propagates the adjoints in each of gs, which hold those of the
// outputs and 0 elsewhere, down to the inputs. With store it keeps the first
// partials, and the second ones times the adjoint in gs[0], for second-order
// sweeps.
func (ws *Workspace) adjoints(gs [][]float64, store bool) error {
	e := ws.e
	if ws.careful {
		return ws.adjointNodes(gs, int32(e.Base()), int32(e.Len()))
	}
	batches := e.Batches()
	for bi := len(batches) - 1; bi >= 0; bi-- {
		if err := ws.batchAdjoints(gs, &batches[bi], store); err != nil {
			return err
		}
	}
	return nil
}

// batchAdjoints does a batch.
func (ws *Workspace) batchAdjoints(gs [][]float64, b *compile.Batch, store bool) error {
	switch {
	case b.Kind == compile.Mixed:
		return ws.adjointNodes(gs, b.Lo, b.Hi)
	case b.Kind == compile.Rows:
		ws.rowAdjoints(gs, b)
	case ws.shares(b) && disjoint(b):
		ws.sharedAdjoints(gs, b, store)
	default:
		for lo := b.Lo; lo < b.Hi; lo += compile.Block {
			ws.adjointBlock(gs, b, b, lo, lo-b.Lo, min(compile.Block, b.Hi-lo), compile.FirstOrder, store)
		}
	}
	return nil
}

// adjointBlock does the lanes lo … lo+m−1 of b. p is the batch that says where adjoints are:
// b itself, or its Places in a section, of which lo is lane number off.
func (ws *Workspace) adjointBlock(gs [][]float64, b, p *compile.Batch, lo, off, m int32, order compile.Order, store bool) {
	from := p.Lo + off
	switch cl := b.Op.Class(); cl {
	case op.NoPartials:
	case op.List:
		ws.e.affineAdjoints(gs, p, off, m, order)
	case op.One, op.MinusOne, op.OneOne, op.OneMinusOne:
		ta := targetOf(&p.A, order, off)
		for _, g := range gs {
			if cl == op.MinusOne {
				ta.minus(g, g[from:][:m])
			} else {
				ta.plus(g, g[from:][:m])
			}
		}
		if cl == op.One || cl == op.MinusOne {
			break
		}
		tb := targetOf(&p.B, order, off)
		for _, g := range gs {
			if cl == op.OneMinusOne {
				tb.minus(g, g[from:][:m])
			} else {
				tb.plus(g, g[from:][:m])
			}
		}
	case op.Factors, op.Binary:
		da, db := ws.partials2(b, lo, m, order)
		if store && cl == op.Binary {
			da, db = ws.store2(gs[0][from:][:m], da, db, b, lo, m)
		}
		ta, tb := targetOf(&p.A, order, off), targetOf(&p.B, order, off)
		for _, g := range gs {
			ta.times(g, 1, da, g[from:][:m])
			tb.times(g, 1, db, g[from:][:m])
		}
	default:
		k, d := ws.partials1(b, lo, m, order)
		if store && cl == op.Unary {
			d = ws.store1(gs[0][from:][:m], d, b, lo, m)
		}
		ta := targetOf(&p.A, order, off)
		for _, g := range gs {
			ta.times(g, k, d, g[from:][:m])
		}
	}
}

// store1 keeps the partials d of a block of lanes, and v̄·d″, for HVP.
func (ws *Workspace) store1(bar, d []float64, b *compile.Batch, lo, m int32) []float64 {
	e := ws.e
	v := ws.v
	kept, dd := ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
	copy(kept, d)
	x := load(&b.A, &ws.scratch[0], v, lo-b.Lo, m)
	lane.Second(b.Op, dd, x, e.constants(b, lo, m), v[lo:lo+m], kept)
	lane.Mul(dd, dd, bar)
	return kept
}

// store2 keeps the partials da and db of a block of lanes, and the second partials times v̄,
// for HVP.
func (ws *Workspace) store2(bar, da, db []float64, b *compile.Batch, lo, m int32) (keptA, keptB []float64) {
	v := ws.v
	keptA, keptB = ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
	copy(keptA, da)
	copy(keptB, db)
	x := load(&b.A, &ws.scratch[0], v, lo-b.Lo, m)
	y := load(&b.B, &ws.scratch[1], v, lo-b.Lo, m)
	eaa, eab, ebb := ws.stored(b, 2, lo, m), ws.stored(b, 3, lo, m), ws.stored(b, 4, lo, m)
	lane.Second2(b.Op, eaa, eab, ebb, x, y, v[lo:lo+m], keptA, keptB)
	lane.Mul(eaa, eaa, bar)
	lane.Mul(eab, eab, bar)
	lane.Mul(ebb, ebb, bar)
	return keptA, keptB
}

// adjointNodes does nodes one by one; a careful sweep uses derivative products.
func (ws *Workspace) adjointNodes(gs [][]float64, lo, hi int32) error {
	e := ws.e
	v := ws.v
	for i := hi - 1; i >= lo; i-- {
		code, a, b := e.At(i)
		var da, db float64
		switch code.Class() {
		case op.NoPartials:
			continue
		case op.One:
			for _, g := range gs {
				g[a] += g[i]
			}
			continue
		case op.MinusOne:
			for _, g := range gs {
				g[a] -= g[i]
			}
			continue
		case op.OneOne:
			for _, g := range gs {
				g[a] += g[i]
				g[b] += g[i]
			}
			continue
		case op.OneMinusOne:
			for _, g := range gs {
				g[a] += g[i]
				g[b] -= g[i]
			}
			continue
		case op.Factors:
			da, db = v[b], v[a]
			for _, g := range gs {
				g[a] += ws.prod(da, g[i])
				g[b] += ws.prod(db, g[i])
			}
			continue
		case op.Binary:
			da, db = e.Partials(v, i)
			for _, g := range gs {
				g[a] += ws.prod(da, g[i])
				g[b] += ws.prod(db, g[i])
			}
			continue
		case op.List:
			if i = e.FirstOutput(i); i < lo {
				return nil // the call belongs to the nodes before lo
			}
			if err := ws.adjointList(gs, i); err != nil {
				return err
			}
			continue
		case op.ByConstant:
			da = e.ConstantBy(i, b)
		case op.OverConstant:
			da = 1 / e.ConstantBy(i, b)
		case op.Twice:
			da = 2 * v[a]
		default:
			da, _ = e.Partials(v, i)
		}
		for _, g := range gs {
			g[a] += ws.prod(da, g[i])
		}
	}
	return nil
}

// adjointList does a node with a list of operands.
func (ws *Workspace) adjointList(gs [][]float64, i int32) error {
	e := ws.e
	v := ws.v
	run := e.Consecutive(i) && !ws.careful
	switch e.Op(i) {
	case op.Sum:
		for _, g := range gs {
			e.spread(g, g[i], i)
		}
	case op.Affine:
		w, x := e.AffineAt(i)
		for _, g := range gs {
			s := g[i]
			if run {
				from, to := e.clip(ws.wanted, x[0], int32(len(x)))
				lane.Axpy(g[x[0]:][from:to], w[from:to], s)
				continue
			}
			if !ws.careful {
				e.addAffine(g, s, i)
				continue
			}
			for k, j := range x {
				g[j] += ws.prod(w[k], s)
			}
		}
	case op.Dot:
		x, y := e.DotAt(i)
		for _, g := range gs {
			s := g[i]
			if run {
				n, x, y := int32(len(x)), x[0], y[0]
				from, to := e.clip(ws.wanted, x, n)
				lane.Axpy(g[x:][from:to], v[y:][from:to], s)
				from, to = e.clip(ws.wanted, y, n)
				lane.Axpy(g[y:][from:to], v[x:][from:to], s)
				continue
			}
			for k, j := range x {
				g[j] += ws.prod(v[y[k]], s)
				g[y[k]] += ws.prod(v[j], s)
			}
		}
	case op.Call:
		return ws.adjointCall(gs, i)
	case op.Select:
		cond, x, y := e.SelectAt(i)
		dx, dy := elem.Select(v[cond], 1, 0), elem.Select(v[cond], 0, 1)
		for _, g := range gs {
			g[x] += ws.prod(dx, g[i])
			g[y] += ws.prod(dy, g[i])
		}
	default:
		for k, j := range e.SeveralAt(i)[:e.Op(i).Info().Moving] {
			d := e.SeveralPartial(v, i, k)
			for _, g := range gs {
				g[j] += ws.prod(d, g[i])
			}
		}
	}
	return nil
}

// spread adds s to the operands of the Sum node i in x, by node.
func (e *Engine) spread(x []float64, s float64, i int32) {
	if s == 0 {
		return
	}
	index, runs := e.SumLists(i)
	for _, j := range index {
		x[j] += s
	}
	for k := 0; k < len(runs); k += 2 {
		y := x[runs[k]:][:runs[k+1]]
		lane.AddReal(y, y, s)
	}
}
