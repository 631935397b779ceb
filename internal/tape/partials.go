package tape

import "github.com/hesse-ad/hesse/internal/op"

// Partials is the partial derivatives of node i, which has one or two operands, at
// the values v of all nodes.
func (t *Tape) Partials(v []float64, i int32) (da, db float64) {
	code := t.Op(i)
	a, b := t.Args(i)
	x := v[a]
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
		return t.Constant(i), 0
	case op.OverConstant:
		return 1 / t.Constant(i), 0
	case op.Factors:
		return v[b], x
	case op.Twice:
		return 2 * x, 0
	case op.Unary, op.Binary:
		switch f := code.Info(); {
		case f.D1 != nil:
			return f.D1(x, v[i]), 0
		case f.DC != nil:
			return f.DC(x, t.Constant(i), v[i]), 0
		case f.D2 != nil:
			return f.D2(x, v[b], v[i])
		default:
			return t.own(i, 1, x), 0
		}
	}
	return 0, 0
}

// own is the function of the Own node i at x, differentiated more times.
func (t *Tape) own(i int32, more int, x float64) float64 {
	f, order := t.OwnAt(i)
	return f.At(order + more)(x)
}

// SecondPartials is the second partial derivatives of node i, given the first.
func (t *Tape) SecondPartials(v []float64, i int32, da, db float64) (daa, dab, dbb float64) {
	code := t.Op(i)
	a, b := t.Args(i)
	x := v[a]
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
			return f.HC(x, t.Constant(i), v[i], da), 0, 0
		case f.H2 != nil:
			return f.H2(x, v[b], v[i], da, db)
		default:
			return t.own(i, 2, x), 0, 0
		}
	}
	return 0, 0, 0
}

// SeveralPartial is the value of node i, an operation with three operands such as FMA, or its
// partial derivative by operands k.
func (t *Tape) SeveralPartial(v []float64, i int32, k ...int) float64 {
	var x [3]float64
	for k, j := range t.SeveralAt(i) {
		x[k] = v[j]
	}
	return t.Op(i).Partial(x, t.Constant(i), k...)
}
