package program

import (
	"github.com/hesse-ad/hesse/internal/op"
)

// seconds propagates the second-order adjoints U[s] of the directions s < k
// down to the inputs: from each node with the value function f, first-order
// adjoint v̄ and tangents t,
//
//	u_a += f_a·u + v̄·(f_aa·t_a + f_ab·t_b),
//
// and likewise for b. Bar holds v̄, T the tangents.
func (p *Program) seconds(ws *Workspace, k int) error {
	us := directions(&ws.U, k, len(p.ops))
	ts := ws.T[:k]
	if ws.careful {
		for _, u := range us {
			clear(u)
		}
		return p.secondNodes(ws, us, ts, int32(p.base), int32(len(p.ops)))
	}
	for _, u := range us {
		p.zero(u, secondOrder)
	}
	first := 0
	for first < len(p.batches) && !p.batches[first].in.meets(ws.wanted) {
		first++
	}
	for bi := len(p.batches) - 1; bi >= first; bi-- {
		b := &p.batches[bi]
		if !b.deep && !b.in.meets(ws.wanted) {
			continue
		}
		if b.op == mixed {
			if err := p.secondNodes(ws, us, ts, b.lo, b.hi); err != nil {
				return err
			}
			continue
		}
		if b.rows() {
			p.rowSeconds(ws, us, ts, b)
			continue
		}
		for lo := b.lo; lo < b.hi; lo += block {
			p.secondBlock(ws, us, ts, b, lo, min(block, b.hi-lo))
		}
	}
	return nil
}

func (p *Program) secondBlock(ws *Workspace, us, ts [][]float64, b *batch, lo, m int32) {
	hi := lo + m
	bar := ws.Bar[lo:hi]
	switch {
	case b.op.Linear(): // its operands need have no tangents
		if b.inner {
			p.adjointBlock(ws, us, b, lo, m, secondOrder, false)
		}
		return
	case !b.inner:
		p.curvatureBlock(ws, us, ts, b, lo, m)
		return
	}
	switch b.op.Class() {
	case op.Factors:
		da, db := p.partials2(ws, b, lo, m, secondOrder)
		for s, u := range us {
			ta := b.a.load(&ws.scratch[4], ts[s], p.a, b, lo, m)
			tb := b.b.load(&ws.scratch[5], ts[s], p.b, b, lo, m)
			b.a.target(secondOrder, u, p.a, b, lo, m).times2(1, da, u[lo:hi], bar, tb)
			b.b.target(secondOrder, u, p.b, b, lo, m).times2(1, db, u[lo:hi], bar, ta)
		}
	case op.Binary:
		da, db := ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
		eaa, eab, ebb := ws.stored(b, 2, lo, m), ws.stored(b, 3, lo, m), ws.stored(b, 4, lo, m)
		for s, u := range us {
			ta := b.a.load(&ws.scratch[4], ts[s], p.a, b, lo, m)
			tb := b.b.load(&ws.scratch[5], ts[s], p.b, b, lo, m)
			xa, xb := b.a.target(secondOrder, u, p.a, b, lo, m), b.b.target(secondOrder, u, p.b, b, lo, m)
			xa.times2(1, da, u[lo:hi], eaa, ta)
			xa.met().times(1, eab, tb)
			xb.times2(1, db, u[lo:hi], ebb, tb)
			xb.met().times(1, eab, ta)
		}
	case op.Twice:
		x := b.a.load(&ws.scratch[0], ws.V, p.a, b, lo, m)
		for s, u := range us {
			ta := b.a.load(&ws.scratch[4], ts[s], p.a, b, lo, m)
			b.a.target(secondOrder, u, p.a, b, lo, m).times2(2, x, u[lo:hi], bar, ta)
		}
	case op.Unary:
		d, e := ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
		for s, u := range us {
			ta := b.a.load(&ws.scratch[4], ts[s], p.a, b, lo, m)
			b.a.target(secondOrder, u, p.a, b, lo, m).times2(1, d, u[lo:hi], e, ta)
		}
	}
}

// curvatureBlock is secondBlock for nodes without nonlinear descendants: their
// second-order adjoints are 0, and so only v̄·(f_aa·t_a + f_ab·t_b) is left.
func (p *Program) curvatureBlock(ws *Workspace, us, ts [][]float64, b *batch, lo, m int32) {
	bar := ws.Bar[lo : lo+m]
	switch b.op.Class() {
	case op.Factors, op.Binary:
		for s, u := range us {
			ta := b.a.load(&ws.scratch[4], ts[s], p.a, b, lo, m)
			tb := b.b.load(&ws.scratch[5], ts[s], p.b, b, lo, m)
			xa := b.a.target(secondOrder, u, p.a, b, lo, m)
			xb := b.b.target(secondOrder, u, p.b, b, lo, m)
			if b.op.Class() == op.Factors {
				xa.times(1, bar, tb)
				xb.times(1, bar, ta)
				continue
			}
			eaa, eab, ebb := ws.stored(b, 2, lo, m), ws.stored(b, 3, lo, m), ws.stored(b, 4, lo, m)
			xa.times2(1, eaa, ta, eab, tb)
			xb.times2(1, ebb, tb, eab, ta)
		}
	case op.Twice, op.Unary:
		k, e := 2.0, bar
		if b.op.Class() == op.Unary {
			k, e = 1, ws.stored(b, 1, lo, m)
		}
		for s, u := range us {
			ta := b.a.load(&ws.scratch[4], ts[s], p.a, b, lo, m)
			b.a.target(secondOrder, u, p.a, b, lo, m).times(k, e, ta)
		}
	}
}

// secondNodes does nodes one by one; a careful sweep uses derivative products.
func (p *Program) secondNodes(ws *Workspace, us, ts [][]float64, lo, hi int32) error {
	v, bars := ws.V, ws.Bar
	for i := hi - 1; i >= lo; i-- {
		a, b := p.a[i], p.b[i]
		bar := bars[i]
		if p.ops[i].Linear() { // its operands need have no tangents
			if err := p.adjointNodes(ws, us, i, i+1); err != nil {
				return err
			}
			continue
		}
		switch p.ops[i].Class() {
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
			da, _ := p.nodeFirst(v, i)
			daa, _, _ := p.nodeSecond(v, i, da, 0)
			e := ws.prod(bar, daa)
			for s, u := range us {
				u[a] += ws.prod(da, u[i]) + ws.prod(e, ts[s][a])
			}
		case op.Binary:
			da, db := p.nodeFirst(v, i)
			daa, dab, dbb := p.nodeSecond(v, i, da, db)
			eaa, eab, ebb := ws.prod(bar, daa), ws.prod(bar, dab), ws.prod(bar, dbb)
			for s, u := range us {
				ta, tb := ts[s][a], ts[s][b]
				u[a] += ws.prod(da, u[i]) + ws.prod(eaa, ta) + ws.prod(eab, tb)
				u[b] += ws.prod(db, u[i]) + ws.prod(ebb, tb) + ws.prod(eab, ta)
			}
		case op.List:
			switch op := p.ops[i]; {
			case op == Dot:
				p.secondDot(ws, us, ts, i)
			case op.Listed() > 0:
				if err := p.adjointList(ws, us, i); err != nil {
					return err
				}
				p.secondSeveral(ws, us, ts, i)
			case op == Call && b == 0:
				if err := p.secondCall(ws, us, ts, i); err != nil {
					return err
				}
			default:
				if err := p.adjointList(ws, us, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *Program) secondDot(ws *Workspace, us, ts [][]float64, i int32) {
	v, bar := ws.V, ws.Bar[i]
	x, y := p.dot(i)
	for s, u := range us {
		t, ui := ts[s], u[i]
		if b := p.b[i]; b&1 != 0 && b > 1 && !ws.careful {
			n, x, y := int32(len(x)), x[0], y[0]
			p.secondHalf(ws, u, ui, t, bar, x, y, n)
			p.secondHalf(ws, u, ui, t, bar, y, x, n)
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

// secondSeveral adds what the curvature of a node with so many operands as it
// always has contributes.
func (p *Program) secondSeveral(ws *Workspace, us, ts [][]float64, i int32) {
	x, bar := p.several(i), ws.Bar[i]
	for _, pair := range p.ops[i].Info().Pairs {
		j, l := x[pair[0]], x[pair[1]]
		e := ws.prod(bar, p.partial(ws.V, i, pair[:]...))
		for s, u := range us {
			u[j] += ws.prod(e, ts[s][l])
			if pair[0] != pair[1] {
				u[l] += ws.prod(e, ts[s][j])
			}
		}
	}
}

// secondHalf does the operands from x on of a product with those from y on.
func (p *Program) secondHalf(ws *Workspace, u []float64, ui float64, t []float64, bar float64, x, y, n int32) {
	from, to := p.clip(ws.wanted, x, n)
	if p.meets(ws.seeded, y, n) {
		axpy2(u[x:][from:to], ui, ws.V[y:][from:to], bar, t[y:][from:to])
	} else {
		axpy(u[x:][from:to], ui, ws.V[y:][from:to])
	}
}
