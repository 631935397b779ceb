package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
)

// tangents computes the tangents of all nodes in each of ts from those of the inputs.
func (ws *Workspace) tangents(ts [][]float64) error {
	e := ws.e
	for _, t := range ts {
		clear(t[e.Inputs():e.Base()])
	}
	if ws.careful {
		return ws.tangentNodes(ts, int32(e.Base()), int32(e.Len()))
	}
	moved := false // some batch before had tangents
	batches := e.Batches()
	for k := range batches {
		b := &batches[k]
		if !(b.ReadsOperations && moved) && !b.InputsRead.Intersects(ws.seeded) {
			for _, t := range ts {
				clear(t[b.Lo:b.Hi])
			}
			continue
		}
		moved = true
		if err := ws.batchTangents(ts, b, b, b.Lo, compile.FirstOrder); err != nil {
			return err
		}
	}
	return nil
}

// secondTangents computes the tangents of a section of a second-order sweep from the stored
// partials, except those of nodes that feed no nonlinear operation. moved says whether some
// batch before had tangents; it returns the same including these batches.
func (ws *Workspace) secondTangents(ts [][]float64, section *compile.Section, moved bool) (bool, error) {
	for k := range section.Pieces {
		c := &section.Pieces[k]
		p := &c.Places
		if !p.FeedsNonlinear {
			continue
		}
		if !(p.ReadsOperations && moved) && !p.InputsRead.Intersects(ws.seeded) {
			for _, t := range ts {
				clear(t[p.Lo:p.Hi])
			}
			continue
		}
		moved = true
		if err := ws.batchTangents(ts, c.Batch, p, c.Lo, compile.SecondOrder); err != nil {
			return true, err
		}
	}
	return moved, nil
}

// batchTangents does the lanes of b from lo on that p has, the batch that says where tangents
// are: b itself, or its Places in a section.
func (ws *Workspace) batchTangents(ts [][]float64, b, p *compile.Batch, lo int32, order compile.Order) error {
	switch b.Kind {
	case compile.Mixed:
		return ws.tangentNodes(ts, b.Lo, b.Hi)
	case compile.Rows:
		return ws.rowTangents(ts, b)
	}
	for off := int32(0); off < p.Len(); off += compile.Block {
		ws.tangentBlock(ts, b, p, lo+off, off, min(compile.Block, p.Len()-off), order)
	}
	return nil
}

// tangentBlock does the lanes lo … lo+m−1 of b, which are those from number off on of p.
func (ws *Workspace) tangentBlock(ts [][]float64, b, p *compile.Batch, lo, off, m int32, order compile.Order) {
	to := p.Lo + off
	switch cl := b.Op.Class(); cl {
	case op.NoPartials:
		for _, t := range ts {
			clear(t[to:][:m])
		}
	case op.List:
		for _, t := range ts {
			addTerms(p, ws, t[to:][:m], nil, t, off)
		}
	case op.OneOne, op.OneMinusOne:
		for _, t := range ts {
			x := load(&p.A, &ws.scratch[0], t, off, m)
			y := load(&p.B, &ws.scratch[1], t, off, m)
			if cl == op.OneOne {
				lane.Add(t[to:][:m], x, y)
			} else {
				lane.Sub(t[to:][:m], x, y)
			}
		}
	case op.One:
		for _, t := range ts {
			copy(t[to:][:m], load(&p.A, &ws.scratch[0], t, off, m))
		}
	case op.MinusOne:
		for _, t := range ts {
			lane.Neg(t[to:][:m], load(&p.A, &ws.scratch[0], t, off, m))
		}
	case op.Factors, op.Binary:
		da, db := ws.partials2(b, lo, m, order)
		for _, t := range ts {
			x := load(&p.A, &ws.scratch[4], t, off, m)
			y := load(&p.B, &ws.scratch[5], t, off, m)
			lane.Mul2(t[to:][:m], da, x, db, y)
		}
	default:
		k, d := ws.partials1(b, lo, m, order)
		for _, t := range ts {
			lane.ScaleMul(t[to:][:m], d, load(&p.A, &ws.scratch[4], t, off, m), k)
		}
	}
}

// partials1 is the partials k·d of the lanes lo … lo+m−1 of a batch with one operand. It
// uses scratch 0 and 1.
func (ws *Workspace) partials1(b *compile.Batch, lo, m int32, order compile.Order) (k float64, d []float64) {
	e := ws.e
	v := ws.v
	d = ws.scratch[1][:m]
	switch b.Op.Class() {
	case op.ByConstant:
		return 1, e.constants(b, lo, m)
	case op.OverConstant:
		for i, c := range e.constants(b, lo, m) {
			d[i] = 1 / c
		}
	case op.Twice:
		return 2, load(&b.A, &ws.scratch[0], v, lo-b.Lo, m)
	default:
		if order == compile.SecondOrder {
			return 1, ws.stored(b, 0, lo, m)
		}
		x := load(&b.A, &ws.scratch[0], v, lo-b.Lo, m)
		lane.First(b.Op, d, x, e.constants(b, lo, m), v[lo:lo+m])
	}
	return 1, d
}

// partials2 is the partials by both operands of the lanes lo … lo+m−1 of a batch with two. It
// uses scratch 0 to 3.
func (ws *Workspace) partials2(b *compile.Batch, lo, m int32, order compile.Order) (da, db []float64) {
	v := ws.v
	if order == compile.SecondOrder && b.Op.Class() == op.Binary {
		return ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
	}
	x := load(&b.A, &ws.scratch[0], v, lo-b.Lo, m)
	y := load(&b.B, &ws.scratch[1], v, lo-b.Lo, m)
	if b.Op.Class() == op.Factors {
		return y, x
	}
	da, db = ws.scratch[2][:m], ws.scratch[3][:m]
	lane.First2(b.Op, da, db, x, y, v[lo:lo+m])
	return da, db
}

// tangentNodes does nodes one by one; a careful sweep uses derivative products.
func (ws *Workspace) tangentNodes(ts [][]float64, lo, hi int32) error {
	e := ws.e
	v := ws.v
	for i := lo; i < hi; i++ {
		a, b := e.Args(i)
		var da, db float64
		switch e.Op(i).Class() {
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
			da, db = e.Partials(v, i)
			for _, t := range ts {
				t[i] = ws.prod(da, t[a]) + ws.prod(db, t[b])
			}
			continue
		case op.List:
			if err := ws.tangentList(ts, i); err != nil {
				return err
			}
			i = e.LastOutput(i)
			continue
		case op.ByConstant:
			da = e.Constant(i)
		case op.OverConstant:
			da = 1 / e.Constant(i)
		case op.Twice:
			da = 2 * v[a]
		default:
			da, _ = e.Partials(v, i)
		}
		for _, t := range ts {
			t[i] = ws.prod(da, t[a])
		}
	}
	return nil
}

// tangentList does a node with a list of operands.
func (ws *Workspace) tangentList(ts [][]float64, i int32) error {
	e := ws.e
	v := ws.v
	run := e.Consecutive(i) && !ws.careful
	switch e.Op(i) {
	case op.Sum:
		for _, t := range ts {
			t[i] = e.sum(0, t, i)
		}
	case op.Affine:
		w, x := e.AffineAt(i)
		if run {
			var out [MaxDirections]float64
			e.dots(&out, w, ts, x[0], ws.seeded)
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
	case op.Dot:
		x, y := e.DotAt(i)
		if run {
			n := len(x)
			var out [MaxDirections]float64
			e.dots(&out, v[x[0]:][:n], ts, y[0], ws.seeded)
			e.dots(&out, v[y[0]:][:n], ts, x[0], ws.seeded)
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
	case op.Call:
		return ws.tangentCall(ts, i)
	case op.Select: // by SeveralPartial, gradients of model mlp-elu take twice as long
		cond, x, y := e.SelectAt(i)
		dx, dy := elem.Select(v[cond], 1, 0), elem.Select(v[cond], 0, 1)
		for _, t := range ts {
			t[i] = ws.prod(dx, t[x]) + ws.prod(dy, t[y])
		}
	default:
		for _, t := range ts {
			t[i] = 0
		}
		for k, j := range e.SeveralAt(i)[:e.Op(i).Info().Moving] {
			d := e.SeveralPartial(v, i, k)
			for _, t := range ts {
				t[i] += ws.prod(d, t[j])
			}
		}
	}
	return nil
}
