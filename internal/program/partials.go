package program

// first sets d to the first derivative of a unary operation on lanes with the
// operands x, constants c and values v.
func first(op Op, d, x, c, v []float64) {
	x, c, v = x[:len(d)], c[:len(d)], v[:len(d)]
	switch op {
	case Sqrt:
		for i := range d {
			d[i] = 0.5 / v[i]
		}
	case Exp:
		copy(d, v)
	default:
		if f := op.Info().D1; f != nil {
			for i := range d {
				d[i] = f(x[i], v[i])
			}
			return
		}
		f := op.Info().DC
		for i := range d {
			d[i] = f(x[i], c[i], v[i])
		}
	}
}

// second sets e to the second derivative, given the first.
func second(op Op, e, x, c, v, d []float64) {
	x, c, v, d = x[:len(e)], c[:len(e)], v[:len(e)], d[:len(e)]
	if f := op.Info().H1; f != nil {
		for i := range e {
			e[i] = f(x[i], v[i], d[i])
		}
		return
	}
	f := op.Info().HC
	for i := range e {
		e[i] = f(x[i], c[i], v[i], d[i])
	}
}

// first2 sets da and db to the partials of a binary operation.
func first2(op Op, da, db, x, y, v []float64) {
	db, x, y, v = db[:len(da)], x[:len(da)], y[:len(da)], v[:len(da)]
	f := op.Info().D2
	for i := range da {
		da[i], db[i] = f(x[i], y[i], v[i])
	}
}

// second2 sets eaa, eab, ebb to the second partials of a binary operation.
func second2(op Op, eaa, eab, ebb, x, y, v, da, db []float64) {
	n := len(eaa)
	eab, ebb, x, y, v, da, db = eab[:n], ebb[:n], x[:n], y[:n], v[:n], da[:n], db[:n]
	f := op.Info().H2
	for i := range eaa {
		eaa[i], eab[i], ebb[i] = f(x[i], y[i], v[i], da[i], db[i])
	}
}

// nodeFirst is the partials of node i, whose class is unary or binary.
func (p *Program) nodeFirst(v []float64, i int32) (da, db float64) {
	op, x := p.ops[i], v[p.a[i]]
	switch f := op.Info(); {
	case f.D1 != nil:
		return f.D1(x, v[i]), 0
	case f.DC != nil:
		return f.DC(x, p.c[i], v[i]), 0
	case f.D2 != nil:
		return f.D2(x, v[p.b[i]], v[i])
	default:
		return p.owns[p.b[i]].At(int(p.c[i]) + 1)(x), 0
	}
}

// nodeSecond is the second partials of node i, given the first.
func (p *Program) nodeSecond(v []float64, i int32, da, db float64) (daa, dab, dbb float64) {
	op, x := p.ops[i], v[p.a[i]]
	switch f := op.Info(); {
	case f.H1 != nil:
		return f.H1(x, v[i], da), 0, 0
	case f.HC != nil:
		return f.HC(x, p.c[i], v[i], da), 0, 0
	case f.H2 != nil:
		return f.H2(x, v[p.b[i]], v[i], da, db)
	default:
		return p.owns[p.b[i]].At(int(p.c[i]) + 2)(x), 0, 0
	}
}

// stored is the place of the partials of a batch that second-order sweeps
// keep: d and e = v̄·d″ for a unary operation; da, db, v̄·daa, v̄·dab, v̄·dbb for
// a binary one. part is which, lo and m the lanes.
func (ws *Workspace) stored(b *batch, part, lo, m int32) []float64 {
	at := b.part + part*(b.hi-b.lo) + lo - b.lo
	return ws.parts[at : at+m]
}
