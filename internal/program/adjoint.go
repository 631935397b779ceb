package program

import "github.com/hesse-ad/hesse/internal/op"

// adjoints propagates the adjoints in each of gs, which hold those of the
// outputs and 0 elsewhere, down to the inputs. With store it keeps the first
// partials, and the second ones times the adjoint in gs[0], for second-order
// sweeps.
func (p *Program) adjoints(ws *Workspace, gs [][]float64, store bool) error {
	if ws.careful {
		return p.adjointNodes(ws, gs, int32(p.base), int32(len(p.ops)))
	}
	for bi := len(p.batches) - 1; bi >= 0; bi-- {
		b := &p.batches[bi]
		if b.op == mixed {
			if err := p.adjointNodes(ws, gs, b.lo, b.hi); err != nil {
				return err
			}
			continue
		}
		if b.rows() {
			p.rowAdjoints(ws, gs, b)
			continue
		}
		if ws.shares(b) && b.apart() {
			p.sharedAdjoints(ws, gs, b, store)
			continue
		}
		for lo := b.lo; lo < b.hi; lo += block {
			p.adjointBlock(ws, gs, b, lo, min(block, b.hi-lo), firstOrder, store)
		}
	}
	return nil
}

func (p *Program) adjointBlock(ws *Workspace, gs [][]float64, b *batch, lo, m int32, order int, store bool) {
	hi := lo + m
	switch cl := b.op.Class(); cl {
	case op.NoPartials:
	case op.List:
		p.affineAdjoints(gs, b, lo, m, order)
	case op.One, op.MinusOne, op.OneOne, op.OneMinusOne:
		for _, g := range gs {
			ta := b.a.target(order, g, p.a, b, lo, m)
			if cl == op.MinusOne {
				ta.minus(g[lo:hi])
			} else {
				ta.plus(g[lo:hi])
			}
			switch cl {
			case op.OneOne:
				b.b.target(order, g, p.b, b, lo, m).plus(g[lo:hi])
			case op.OneMinusOne:
				b.b.target(order, g, p.b, b, lo, m).minus(g[lo:hi])
			}
		}
	case op.Factors, op.Binary:
		da, db := p.partials2(ws, b, lo, m, order)
		if store && cl == op.Binary {
			da, db = p.store2(ws, gs[0][lo:hi], da, db, b, lo, m)
		}
		for _, g := range gs {
			b.a.target(order, g, p.a, b, lo, m).times(1, da, g[lo:hi])
			b.b.target(order, g, p.b, b, lo, m).times(1, db, g[lo:hi])
		}
	default:
		k, d := p.partials1(ws, b, lo, m, order)
		if store && cl == op.Unary {
			d = p.store1(ws, gs[0][lo:hi], d, b, lo, m)
		}
		for _, g := range gs {
			b.a.target(order, g, p.a, b, lo, m).times(k, d, g[lo:hi])
		}
	}
}

// store1 keeps d and e = v̄·d″.
func (p *Program) store1(ws *Workspace, bar, d []float64, b *batch, lo, m int32) []float64 {
	v := ws.V
	kept, e := ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
	copy(kept, d)
	x := b.a.load(&ws.scratch[0], v, p.a, b, lo, m)
	second(b.op, e, x, p.c[lo:lo+m], v[lo:lo+m], kept)
	mulTo(e, e, bar)
	return kept
}

// store2 keeps da, db and the second partials times v̄.
func (p *Program) store2(ws *Workspace, bar, da, db []float64, b *batch, lo, m int32) (keptA, keptB []float64) {
	v := ws.V
	keptA, keptB = ws.stored(b, 0, lo, m), ws.stored(b, 1, lo, m)
	copy(keptA, da)
	copy(keptB, db)
	x := b.a.load(&ws.scratch[0], v, p.a, b, lo, m)
	y := b.b.load(&ws.scratch[1], v, p.b, b, lo, m)
	eaa, eab, ebb := ws.stored(b, 2, lo, m), ws.stored(b, 3, lo, m), ws.stored(b, 4, lo, m)
	second2(b.op, eaa, eab, ebb, x, y, v[lo:lo+m], keptA, keptB)
	mulTo(eaa, eaa, bar)
	mulTo(eab, eab, bar)
	mulTo(ebb, ebb, bar)
	return keptA, keptB
}

// adjointNodes does nodes one by one; a careful sweep uses derivative products.
func (p *Program) adjointNodes(ws *Workspace, gs [][]float64, lo, hi int32) error {
	v := ws.V
	for i := hi - 1; i >= lo; i-- {
		a, b := p.a[i], p.b[i]
		var da, db float64
		switch p.ops[i].Class() {
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
			da, db = p.nodeFirst(v, i)
			for _, g := range gs {
				g[a] += ws.prod(da, g[i])
				g[b] += ws.prod(db, g[i])
			}
			continue
		case op.List:
			if err := p.adjointList(ws, gs, i); err != nil {
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
		for _, g := range gs {
			g[a] += ws.prod(da, g[i])
		}
	}
	return nil
}

// adjointList does a node with a list of operands.
func (p *Program) adjointList(ws *Workspace, gs [][]float64, i int32) error {
	v := ws.V
	a, b := p.a[i], p.b[i]
	run := b&1 != 0 && b > 1 && !ws.careful
	switch p.ops[i] {
	case Sum:
		for _, g := range gs {
			p.spread(g, g[i], i)
		}
	case Affine:
		w, x := p.affine(i)
		for _, g := range gs {
			s := g[i]
			if run {
				from, to := p.clip(ws.wanted, x[0], int32(len(x)))
				axpy(g[x[0]:][from:to], s, w[from:to])
				continue
			}
			for k, j := range x {
				g[j] += ws.prod(w[k], s)
			}
		}
	case Dot:
		x, y := p.dot(i)
		for _, g := range gs {
			s := g[i]
			if run {
				n, x, y := int32(len(x)), x[0], y[0]
				from, to := p.clip(ws.wanted, x, n)
				axpy(g[x:][from:to], s, v[y:][from:to])
				from, to = p.clip(ws.wanted, y, n)
				axpy(g[y:][from:to], s, v[x:][from:to])
				continue
			}
			for k, j := range x {
				g[j] += ws.prod(v[y[k]], s)
				g[y[k]] += ws.prod(v[j], s)
			}
		}
	case FMA, IncGamma, IncBeta:
		for k, j := range p.several(i) {
			d := p.partial(v, i, k)
			for _, g := range gs {
				g[j] += ws.prod(d, g[i])
			}
		}
	case Select:
		dx, dy := p.selected(v, a)
		for _, g := range gs {
			g[p.lists[a]] += ws.prod(dx, g[i])
			g[p.lists[a+1]] += ws.prod(dy, g[i])
		}
	case Call:
		if b > 0 {
			break
		}
		return p.adjointCall(ws, gs, i)
	}
	return nil
}

// spread adds s to the operands of a Sum node in an array over all nodes.
func (p *Program) spread(x []float64, s float64, i int32) {
	a, b := p.a[i], p.b[i]
	if s == 0 {
		return
	}
	if b&1 == 0 {
		for _, j := range p.lists[a : a+b>>1] {
			x[j] += s
		}
		return
	}
	for range p.lists[a] {
		y := x[p.lists[a+1]:][:p.lists[a+2]]
		for k := range y {
			y[k] += s
		}
		a += 2
	}
}
