package tape

import "github.com/hesse-ad/hesse/internal/op"

// Structure describes node i, no Call, to the detection of sparsity: link is
// called with each operand in which the node may have a first derivative,
// curve with each pair in which it may have a second one. With the values v of
// all nodes the derivatives that are exactly 0 there are left out.
func (t *Tape) Structure(i int32, v []float64, link func(j int32), curve func(j, k int32)) {
	a, b := t.Args(i)
	switch code := t.Op(i); code {
	case op.Sum:
		for _, j := range t.SumAt(i) {
			link(j)
		}
	case op.Affine:
		w, x := t.AffineAt(i)
		for k, j := range x {
			if v == nil || w[k] != 0 {
				link(j)
			}
		}
	case op.Dot:
		x, y := t.DotAt(i)
		for k, j := range x {
			l := y[k]
			if v == nil || v[l] != 0 || j == l {
				link(j)
			}
			if v == nil || v[j] != 0 {
				link(l)
			}
			curve(j, l)
		}
	default:
		if code.Listed() > 0 {
			t.structureOfSeveral(i, v, link, curve)
			return
		}
		flags := code.Flags()
		if v != nil {
			flags &= t.nonzeros(i, v)
		}
		if flags&op.DX != 0 {
			link(a)
		}
		if flags&op.DY != 0 {
			link(b)
		}
		if flags&op.DXX != 0 {
			curve(a, a)
		}
		if flags&op.DYY != 0 {
			curve(b, b)
		}
		if flags&op.DXY != 0 {
			curve(a, b)
		}
	}
}

// structureOfSeveral is Structure of an operation on so many operands as it always has.
func (t *Tape) structureOfSeveral(i int32, v []float64, link func(j int32), curve func(j, k int32)) {
	x, f := t.SeveralAt(i), t.Op(i).Info()
	for k, j := range x[:f.Moving] {
		if v == nil || t.SeveralPartial(v, i, k) != 0 {
			link(j)
		}
	}
	for _, pair := range f.Pairs {
		if v == nil || t.SeveralPartial(v, i, pair[:]...) != 0 {
			curve(x[pair[0]], x[pair[1]])
		}
	}
}

// nonzeros is the flags of the derivatives that are not 0 at v.
func (t *Tape) nonzeros(i int32, v []float64) op.Flags {
	da, db := t.Partials(v, i)
	daa, dab, dbb := t.SecondPartials(v, i, da, db)
	var f op.Flags
	for k, d := range [...]float64{da, db, daa, dbb, dab} {
		if d != 0 {
			f |= 1 << k
		}
	}
	return f
}
