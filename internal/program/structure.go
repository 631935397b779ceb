package program

import "github.com/hesse-ad/hesse/internal/op"

// Structure describes node i, no Call, to the detection of sparsity: link is
// called with each operand in which the node may have a first derivative,
// curve with each pair in which it may have a second one. With the values v of
// all nodes the derivatives that are exactly 0 there are left out.
func (p *Program) Structure(i int32, v []float64, link func(j int32), curve func(j, k int32)) {
	a, b := p.a[i], p.b[i]
	switch code := p.ops[i]; code {
	case Sum:
		for _, j := range p.operands(i) {
			link(j)
		}
	case Affine:
		w, x := p.affine(i)
		for k, j := range x {
			if v == nil || w[k] != 0 {
				link(j)
			}
		}
	case Dot:
		x, y := p.dot(i)
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
	case FMA, IncGamma, IncBeta:
		x := p.several(i)
		for k, j := range x {
			if v == nil || p.partial(v, i, k) != 0 {
				link(j)
			}
		}
		for _, pair := range code.Info().Pairs {
			if v == nil || p.partial(v, i, pair[:]...) != 0 {
				curve(x[pair[0]], x[pair[1]])
			}
		}
	case Select:
		dx, dy := 1.0, 1.0
		if v != nil {
			dx, dy = p.selected(v, a)
		}
		if dx != 0 {
			link(p.lists[a])
		}
		if dy != 0 {
			link(p.lists[a+1])
		}
	default:
		flags := code.Flags()
		if v != nil {
			flags &= p.nonzeros(i, v)
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

// nonzeros is the flags of the derivatives that are not 0 at v.
func (p *Program) nonzeros(i int32, v []float64) op.Flags {
	var da, db, daa, dab, dbb float64
	switch p.ops[i].Class() {
	case op.ByConstant:
		da = p.c[i]
	case op.OverConstant:
		da = 1 / p.c[i]
	case op.Factors:
		da, db, dab = v[p.b[i]], v[p.a[i]], 1
	case op.Twice:
		da, daa = 2*v[p.a[i]], 2
	case op.Unary, op.Binary:
		da, db = p.nodeFirst(v, i)
		daa, dab, dbb = p.nodeSecond(v, i, da, db)
	default:
		da, db = 1, 1
	}
	var f op.Flags
	for k, d := range [...]float64{da, db, daa, dbb, dab} {
		if d != 0 {
			f |= 1 << k
		}
	}
	return f
}
