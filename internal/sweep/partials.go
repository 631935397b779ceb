package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
)

// first sets d to the first derivative of a unary operation on lanes with the
// operands x, constants c and values v.
func first(code op.Code, d, x, c, v []float64) {
	x, c, v = x[:len(d)], c[:len(d)], v[:len(d)]
	switch code {
	case op.Sqrt:
		for i := range d {
			d[i] = 0.5 / v[i]
		}
	case op.Exp:
		copy(d, v)
	default:
		if f := code.Info().D1; f != nil {
			for i := range d {
				d[i] = f(x[i], v[i])
			}
			return
		}
		f := code.Info().DC
		for i := range d {
			d[i] = f(x[i], c[i], v[i])
		}
	}
}

// second sets e to the second derivative, given the first.
func second(code op.Code, e, x, c, v, d []float64) {
	x, c, v, d = x[:len(e)], c[:len(e)], v[:len(e)], d[:len(e)]
	if f := code.Info().H1; f != nil {
		for i := range e {
			e[i] = f(x[i], v[i], d[i])
		}
		return
	}
	f := code.Info().HC
	for i := range e {
		e[i] = f(x[i], c[i], v[i], d[i])
	}
}

// first2 sets da and db to the partials of a binary operation.
func first2(code op.Code, da, db, x, y, v []float64) {
	db, x, y, v = db[:len(da)], x[:len(da)], y[:len(da)], v[:len(da)]
	f := code.Info().D2
	for i := range da {
		da[i], db[i] = f(x[i], y[i], v[i])
	}
}

// second2 sets eaa, eab, ebb to the second partials of a binary operation.
func second2(code op.Code, eaa, eab, ebb, x, y, v, da, db []float64) {
	n := len(eaa)
	eab, ebb, x, y, v, da, db = eab[:n], ebb[:n], x[:n], y[:n], v[:n], da[:n], db[:n]
	f := code.Info().H2
	for i := range eaa {
		eaa[i], eab[i], ebb[i] = f(x[i], y[i], v[i], da[i], db[i])
	}
}

// stored is the place of the partials of a batch that second-order sweeps
// keep: d and v̄·d″ for a unary operation; da, db, v̄·daa, v̄·dab, v̄·dbb for
// a binary one. part is which, lo and m the lanes.
func (ws *Workspace) stored(b *compile.Batch, part, lo, m int32) []float64 {
	at := b.PartialsAt + part*(b.Hi-b.Lo) + lo - b.Lo
	return ws.parts[at : at+m]
}
