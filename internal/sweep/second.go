package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
)

// seconds propagates the second-order adjoints in each of us down through a section:
// from each node with the value function f, first-order adjoint v̄ and tangents t,
//
//	u_a += f_a·u + v̄·(f_aa·t_a + f_ab·t_b),
//
// and likewise for b.
func (ws *Workspace) seconds(us, ts [][]float64, section *compile.Section) error {
	pieces, first := section.Pieces, ws.firstWanted(section)
	for k := len(pieces) - 1; k >= first; k-- {
		c := &pieces[k]
		b, p := c.Batch, &c.Places
		if !p.ReadsOperations && !p.InputsRead.Intersects(ws.wanted) {
			continue
		}
		switch b.Kind {
		case compile.Mixed:
			if err := ws.secondNodes(us, ts, b.Lo, b.Hi); err != nil {
				return err
			}
		case compile.Rows:
			if err := ws.rowSeconds(us, ts, b); err != nil {
				return err
			}
		default:
			for off := int32(0); off < p.Len(); off += compile.Block {
				ws.secondBlock(us, ts, b, p, c.Lo+off, off, min(compile.Block, p.Len()-off))
			}
		}
	}
	return nil
}

// firstWanted is the first piece of a section on whose operands' adjoints a wanted element
// may depend. Before the first piece of the head that reads a wanted input there is none.
// Other sections may read the head, so all of their pieces count.
func (ws *Workspace) firstWanted(section *compile.Section) int {
	pieces := section.Pieces
	if section != &ws.e.sections().Head {
		return 0
	}
	k := 0
	for k < len(pieces) && !pieces[k].Places.InputsRead.Intersects(ws.wanted) {
		k++
	}
	return k
}

// secondBlock does the lanes lo … lo+m−1 of b, which are those from number off on of p. Of b
// are values, partials and adjoints, of p tangents and second-order adjoints.
func (ws *Workspace) secondBlock(us, ts [][]float64, b, p *compile.Batch, lo, off, m int32) {
	bar := ws.bar[lo : lo+m]
	at := p.Lo + off
	switch {
	case b.Op.Linear(): // there may be no tangents of its operands
		if b.FeedsNonlinear {
			ws.adjointBlock(us, b, p, lo, off, m, compile.SecondOrder, false)
		}
		return
	case !b.FeedsNonlinear:
		ws.curvatureBlock(us, ts, b, p, lo, off, m)
		return
	}
	xa, xb := targetOf(&p.A, compile.SecondOrder, off), targetOf(&p.B, compile.SecondOrder, off)
	switch b.Op.Class() {
	case op.Factors:
		da, db := ws.partials2(b, lo, m, compile.SecondOrder)
		for s, u := range us {
			ta := load(&p.A, &ws.scratch[4], ts[s], off, m)
			tb := load(&p.B, &ws.scratch[5], ts[s], off, m)
			xa.times2(u, 1, da, u[at:][:m], bar, tb)
			xb.times2(u, 1, db, u[at:][:m], bar, ta)
		}
	case op.Binary:
		da, db := ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
		eaa, eab, ebb := ws.stored(b, 2, lo, m), ws.stored(b, 3, lo, m), ws.stored(b, 4, lo, m)
		for s, u := range us {
			ta := load(&p.A, &ws.scratch[4], ts[s], off, m)
			tb := load(&p.B, &ws.scratch[5], ts[s], off, m)
			xa.times2(u, 1, da, u[at:][:m], eaa, ta)
			xa.met().times(u, 1, eab, tb)
			xb.times2(u, 1, db, u[at:][:m], ebb, tb)
			xb.met().times(u, 1, eab, ta)
		}
	case op.Twice:
		x := load(&b.A, &ws.scratch[0], ws.v, lo-b.Lo, m)
		for s, u := range us {
			ta := load(&p.A, &ws.scratch[4], ts[s], off, m)
			xa.times2(u, 2, x, u[at:][:m], bar, ta)
		}
	case op.Unary:
		d, dd := ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
		for s, u := range us {
			ta := load(&p.A, &ws.scratch[4], ts[s], off, m)
			xa.times2(u, 1, d, u[at:][:m], dd, ta)
		}
	}
}

// curvatureBlock is secondBlock for nodes without nonlinear descendants: their
// second-order adjoints are 0, and so only v̄·(f_aa·t_a + f_ab·t_b) is left.
func (ws *Workspace) curvatureBlock(us, ts [][]float64, b, p *compile.Batch, lo, off, m int32) {
	bar := ws.bar[lo : lo+m]
	xa, xb := targetOf(&p.A, compile.SecondOrder, off), targetOf(&p.B, compile.SecondOrder, off)
	switch b.Op.Class() {
	case op.Factors, op.Binary:
		for s, u := range us {
			ta := load(&p.A, &ws.scratch[4], ts[s], off, m)
			tb := load(&p.B, &ws.scratch[5], ts[s], off, m)
			if b.Op.Class() == op.Factors {
				xa.times(u, 1, bar, tb)
				xb.times(u, 1, bar, ta)
				continue
			}
			eaa, eab, ebb := ws.stored(b, 2, lo, m), ws.stored(b, 3, lo, m), ws.stored(b, 4, lo, m)
			xa.times2(u, 1, eaa, ta, eab, tb)
			xb.times2(u, 1, ebb, tb, eab, ta)
		}
	case op.Twice, op.Unary:
		k, dd := 2.0, bar
		if b.Op.Class() == op.Unary {
			k, dd = 1, ws.stored(b, 1, lo, m)
		}
		for s, u := range us {
			ta := load(&p.A, &ws.scratch[4], ts[s], off, m)
			xa.times(u, k, dd, ta)
		}
	}
}

// secondNodes does nodes one by one; a careful sweep uses derivative products.
func (ws *Workspace) secondNodes(us, ts [][]float64, lo, hi int32) error {
	e := ws.e
	v, bars := ws.v, ws.bar
	for i := hi - 1; i >= lo; i-- {
		a, b := e.Args(i)
		bar := bars[i]
		if e.Op(i).Linear() { // there may be no tangents of its operands
			if err := ws.adjointNodes(us, i, i+1); err != nil {
				return err
			}
			continue
		}
		switch e.Op(i).Class() {
		case op.Factors:
			da, db := v[b], v[a]
			for s, u := range us {
				ta, tb := ts[s][a], ts[s][b]
				u[a] += ws.prod(da, u[i]) + ws.prod(bar, tb)
				u[b] += ws.prod(db, u[i]) + ws.prod(bar, ta)
			}
		case op.Twice:
			da := 2 * v[a]
			for s, u := range us {
				u[a] += ws.prod(da, u[i]) + ws.prod(2*bar, ts[s][a])
			}
		case op.Unary:
			da, _ := e.Partials(v, i)
			daa, _, _ := e.SecondPartials(v, i, da, 0)
			dd := ws.prod(bar, daa)
			for s, u := range us {
				u[a] += ws.prod(da, u[i]) + ws.prod(dd, ts[s][a])
			}
		case op.Binary:
			da, db := e.Partials(v, i)
			daa, dab, dbb := e.SecondPartials(v, i, da, db)
			eaa, eab, ebb := ws.prod(bar, daa), ws.prod(bar, dab), ws.prod(bar, dbb)
			for s, u := range us {
				ta, tb := ts[s][a], ts[s][b]
				u[a] += ws.prod(da, u[i]) + ws.prod(eaa, ta) + ws.prod(eab, tb)
				u[b] += ws.prod(db, u[i]) + ws.prod(ebb, tb) + ws.prod(eab, ta)
			}
		case op.List:
			switch code := e.Op(i); {
			case code == op.Dot:
				ws.secondDot(us, ts, i)
			case code.Listed() > 0:
				if err := ws.adjointList(us, i); err != nil {
					return err
				}
				ws.secondSeveral(us, ts, i)
			case code == op.Call:
				if i = e.FirstOutput(i); i < lo {
					return nil // the call belongs to the nodes before lo
				}
				if err := ws.secondCall(us, ts, i); err != nil {
					return err
				}
			default:
				if err := ws.adjointList(us, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (ws *Workspace) secondDot(us, ts [][]float64, i int32) {
	e := ws.e
	v, bar := ws.v, ws.bar[i]
	x, y := e.DotAt(i)
	for s, u := range us {
		t, ui := ts[s], u[i]
		if e.Consecutive(i) && !ws.careful {
			n, x, y := int32(len(x)), x[0], y[0]
			ws.secondHalf(u, ui, t, bar, x, y, n)
			ws.secondHalf(u, ui, t, bar, y, x, n)
			continue
		}
		for k, j := range x {
			l := y[k]
			tj, tl := t[j], t[l]
			u[j] += ws.prod(v[l], ui) + ws.prod(bar, tl)
			u[l] += ws.prod(v[j], ui) + ws.prod(bar, tj)
		}
	}
}

// secondSeveral adds the curvature terms v̄·Σ f_jk·t_k of an operation with three or four
// operands.
func (ws *Workspace) secondSeveral(us, ts [][]float64, i int32) {
	e := ws.e
	x, bar := e.SeveralAt(i), ws.bar[i]
	for _, pair := range e.Op(i).Info().Pairs {
		j, l := x[pair[0]], x[pair[1]]
		dd := ws.prod(bar, e.SeveralPartial(ws.v, i, pair[:]...))
		for s, u := range us {
			u[j] += ws.prod(dd, ts[s][l])
			if pair[0] != pair[1] {
				u[l] += ws.prod(dd, ts[s][j])
			}
		}
	}
}

// secondHalf adds to the second-order adjoints of the operands x … x+n−1 of a scalar product
// with y … y+n−1: u_x += u·y + v̄·t_y.
func (ws *Workspace) secondHalf(u []float64, ui float64, t []float64, bar float64, x, y, n int32) {
	e := ws.e
	from, to := e.clip(ws.wanted, x, n)
	if e.meets(ws.seeded, y, n) {
		lane.Axpy2(u[x:][from:to], ws.v[y:][from:to], t[y:][from:to], ui, bar)
	} else {
		lane.Axpy(u[x:][from:to], ws.v[y:][from:to], ui)
	}
}
