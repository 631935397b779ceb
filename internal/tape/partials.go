package tape

import "github.com/hesse-ad/hesse/internal/op"

// Partials is the partial derivatives of node i, which has one or two operands, at
// the values v of all nodes.
func (t *Tape) Partials(v []float64, i int32) (da, db float64) {
	code, x := t.ops[i], v[t.a[i-t.first]]
	switch code.Class() {
	case op.One:
		return 1, 0
	case op.MinusOne:
		return -1, 0
	case op.OneOne:
		return 1, 1
	case op.OneMinusOne:
		return 1, -1
	case op.ByConstant:
		return t.c[i-t.first], 0
	case op.OverConstant:
		return 1 / t.c[i-t.first], 0
	case op.Factors:
		return v[t.b[i-t.first]], x
	case op.Twice:
		return 2 * x, 0
	case op.Unary, op.Binary:
		switch f := code.Info(); {
		case f.D1 != nil:
			return f.D1(x, v[i]), 0
		case f.DC != nil:
			return f.DC(x, t.c[i-t.first], v[i]), 0
		case f.D2 != nil:
			return f.D2(x, v[t.b[i-t.first]], v[i])
		default:
			return t.owns[t.b[i-t.first]].At(int(t.c[i-t.first]) + 1)(x), 0
		}
	}
	return 0, 0
}

// SecondPartials is the second partial derivatives of node i, given the first.
func (t *Tape) SecondPartials(v []float64, i int32, da, db float64) (daa, dab, dbb float64) {
	code, x := t.ops[i], v[t.a[i-t.first]]
	switch code.Class() {
	case op.Factors:
		return 0, 1, 0
	case op.Twice:
		return 2, 0, 0
	case op.Unary, op.Binary:
		switch f := code.Info(); {
		case f.H1 != nil:
			return f.H1(x, v[i], da), 0, 0
		case f.HC != nil:
			return f.HC(x, t.c[i-t.first], v[i], da), 0, 0
		case f.H2 != nil:
			return f.H2(x, v[t.b[i-t.first]], v[i], da, db)
		default:
			return t.owns[t.b[i-t.first]].At(int(t.c[i-t.first]) + 2)(x), 0, 0
		}
	}
	return 0, 0, 0
}

// SeveralPartial is the value of node i, which always has so many operands, or its
// derivative in its operands k.
func (t *Tape) SeveralPartial(v []float64, i int32, k ...int) float64 {
	var x [3]float64
	for k, j := range t.SeveralAt(i) {
		x[k] = v[j]
	}
	return t.ops[i].Partial(x[:], t.c[i-t.first], k...)
}

// SelectPartials is the partials of the Select node i.
func (t *Tape) SelectPartials(v []float64, i int32) (dx, dy float64) {
	switch c := v[t.lists[t.a[i-t.first]+2]]; {
	case c > 0:
		return 1, 0
	case c != c:
		return c, c
	default:
		return 0, 1
	}
}
