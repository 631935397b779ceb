package program

import (
	"github.com/hesse-ad/hesse/internal/op"
)

// tangents computes T[s], s < k, from the tangents of the inputs. Of second
// order it uses the stored partials and leaves out the nodes without nonlinear
// descendants.
func (p *Program) tangents(ws *Workspace, k int, order int) error {
	ts := directions(&ws.T, k, len(p.ops))
	for _, t := range ts {
		clear(t[p.inputs:p.base])
	}
	if ws.careful {
		return p.tangentNodes(ws, ts, int32(p.base), int32(len(p.ops)))
	}
	moved := false // some batch had tangents
	for bi := range p.batches {
		b := &p.batches[bi]
		if order == secondOrder && !b.inner {
			continue
		}
		if !(b.deep && moved) && !b.in.meets(ws.seeded) {
			for _, t := range ts {
				clear(t[b.lo:b.hi])
			}
			continue
		}
		moved = true
		if b.op == mixed {
			if err := p.tangentNodes(ws, ts, b.lo, b.hi); err != nil {
				return err
			}
			continue
		}
		if b.rows() {
			p.rowTangents(ws, ts, b)
			continue
		}
		for lo := b.lo; lo < b.hi; lo += block {
			m := min(block, b.hi-lo)
			hi := lo + m
			switch cl := b.op.Class(); cl {
			case op.NoPartials:
				for _, t := range ts {
					clear(t[lo:hi])
				}
			case op.List:
				p.affineTangents(ws, ts, b, lo, m)
			case op.OneOne, op.OneMinusOne:
				for _, t := range ts {
					x := b.a.load(&ws.scratch[0], t, p.a, b, lo, m)
					y := b.b.load(&ws.scratch[1], t, p.b, b, lo, m)
					if cl == op.OneOne {
						addTo(t[lo:hi], x, y)
					} else {
						subTo(t[lo:hi], x, y)
					}
				}
			case op.One:
				for _, t := range ts {
					copy(t[lo:hi], b.a.load(&ws.scratch[0], t, p.a, b, lo, m))
				}
			case op.MinusOne:
				for _, t := range ts {
					negTo(t[lo:hi], b.a.load(&ws.scratch[0], t, p.a, b, lo, m))
				}
			case op.Factors, op.Binary:
				da, db := p.partials2(ws, b, lo, m, order)
				for _, t := range ts {
					x := b.a.load(&ws.scratch[4], t, p.a, b, lo, m)
					y := b.b.load(&ws.scratch[5], t, p.b, b, lo, m)
					mulAddTo(t[lo:hi], da, x, db, y)
				}
			default:
				k, d := p.partials1(ws, b, lo, m, order)
				for _, t := range ts {
					scaledTo(t[lo:hi], k, d, b.a.load(&ws.scratch[4], t, p.a, b, lo, m))
				}
			}
		}
	}
	return nil
}

// partials1 is ∂a = k·d of lanes lo … lo+m−1 of a batch with one operand. It
// uses scratch 0 and 1.
func (p *Program) partials1(ws *Workspace, b *batch, lo, m int32, order int) (k float64, d []float64) {
	v := ws.V
	d = ws.scratch[1][:m]
	switch b.op.Class() {
	case op.ByConstant:
		return 1, p.c[lo : lo+m]
	case op.OverConstant:
		for i, c := range p.c[lo : lo+m] {
			d[i] = 1 / c
		}
	case op.Twice:
		return 2, b.a.load(&ws.scratch[0], v, p.a, b, lo, m)
	default:
		if order == secondOrder {
			return 1, ws.stored(b, 0, lo, m)
		}
		x := b.a.load(&ws.scratch[0], v, p.a, b, lo, m)
		first(b.op, d, x, p.c[lo:lo+m], v[lo:lo+m])
	}
	return 1, d
}

// partials2 is ∂a and ∂b of lanes lo … lo+m−1 of a multiplication or another
// operation with two operands. It uses scratch 0 to 3.
func (p *Program) partials2(ws *Workspace, b *batch, lo, m int32, order int) (da, db []float64) {
	v := ws.V
	if order == secondOrder && b.op.Class() == op.Binary {
		return ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
	}
	x := b.a.load(&ws.scratch[0], v, p.a, b, lo, m)
	y := b.b.load(&ws.scratch[1], v, p.b, b, lo, m)
	if b.op.Class() == op.Factors {
		return y, x
	}
	da, db = ws.scratch[2][:m], ws.scratch[3][:m]
	first2(b.op, da, db, x, y, v[lo:lo+m])
	return da, db
}

// tangentNodes does nodes one by one; a careful sweep uses derivative products.
func (p *Program) tangentNodes(ws *Workspace, ts [][]float64, lo, hi int32) error {
	v := ws.V
	for i := lo; i < hi; i++ {
		a, b := p.a[i], p.b[i]
		var da, db float64
		switch p.ops[i].Class() {
		case op.NoPartials:
			for _, t := range ts {
				t[i] = 0
			}
			continue
		case op.One:
			for _, t := range ts {
				t[i] = t[a]
			}
			continue
		case op.MinusOne:
			for _, t := range ts {
				t[i] = -t[a]
			}
			continue
		case op.OneOne:
			for _, t := range ts {
				t[i] = t[a] + t[b]
			}
			continue
		case op.OneMinusOne:
			for _, t := range ts {
				t[i] = t[a] - t[b]
			}
			continue
		case op.Factors:
			da, db = v[b], v[a]
			for _, t := range ts {
				t[i] = ws.prod(da, t[a]) + ws.prod(db, t[b])
			}
			continue
		case op.Binary:
			da, db = p.nodeFirst(v, i)
			for _, t := range ts {
				t[i] = ws.prod(da, t[a]) + ws.prod(db, t[b])
			}
			continue
		case op.List:
			if err := p.tangentList(ws, ts, i); err != nil {
				return err
			}
			continue
		case op.ByConstant:
			da = p.c[i]
		case op.OverConstant:
			da = 1 / p.c[i]
		case op.Twice:
			da = 2 * v[a]
		default:
			da, _ = p.nodeFirst(v, i)
		}
		for _, t := range ts {
			t[i] = ws.prod(da, t[a])
		}
	}
	return nil
}

// tangentList does a node with a list of operands.
func (p *Program) tangentList(ws *Workspace, ts [][]float64, i int32) error {
	v := ws.V
	a, b := p.a[i], p.b[i]
	run := b&1 != 0 && b > 1 && !ws.careful
	switch p.ops[i] {
	case Sum:
		for _, t := range ts {
			t[i] = p.sum(0, t, i)
		}
	case Affine:
		w, x := p.affine(i)
		if run {
			var out [MaxDirections]float64
			p.dots(&out, w, ts, x[0], ws.seeded)
			for s, t := range ts {
				t[i] = out[s]
			}
			break
		}
		for _, t := range ts {
			if !ws.careful {
				t[i] = dotIndexed(0, w, t, x)
				continue
			}
			t[i] = 0
			for k, j := range x {
				t[i] += ws.prod(w[k], t[j])
			}
		}
	case Dot:
		x, y := p.dot(i)
		if run {
			n := len(x)
			var out [MaxDirections]float64
			p.dots(&out, v[x[0]:][:n], ts, y[0], ws.seeded)
			p.dots(&out, v[y[0]:][:n], ts, x[0], ws.seeded)
			for s, t := range ts {
				t[i] = out[s]
			}
			break
		}
		for _, t := range ts {
			s := 0.0
			for k, j := range x {
				s += ws.prod(v[y[k]], t[j]) + ws.prod(v[j], t[y[k]])
			}
			t[i] = s
		}
	case FMA, IncGamma, IncBeta:
		for _, t := range ts {
			t[i] = 0
		}
		for k, j := range p.several(i) {
			d := p.partial(v, i, k)
			for _, t := range ts {
				t[i] += ws.prod(d, t[j])
			}
		}
	case Select:
		dx, dy := p.selected(v, a)
		for _, t := range ts {
			t[i] = ws.prod(dx, t[p.lists[a]]) + ws.prod(dy, t[p.lists[a+1]])
		}
	case Call:
		if b > 0 {
			break
		}
		return p.tangentCall(ws, ts, i)
	}
	return nil
}

// selected is the partials of a Select node.
func (p *Program) selected(v []float64, a int32) (dx, dy float64) {
	switch c := v[p.lists[a+2]]; {
	case c > 0:
		return 1, 0
	case c != c:
		return c, c
	default:
		return 0, 1
	}
}
