package straight

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// products adds the lines of the second-order adjoints of all nodes, given the adjoints b.g
// and the tangents t.
func (b *body) products(t []value) []value {
	p := b.p
	a := adjoints{terms: make([][]value, p.Len()), bar: make([]value, p.Len())}
	pieces := b.inOrder()
	if !b.careful {
		pieces = b.bySections()
	}
	b.pull("u", "", &a, pieces,
		func(c piece) { b.pieceSeconds(&a, t, c) },
		func(i int32) { b.second(&a, t, i) })
	return a.bar
}

// bySections is the pieces of batches in the order in which a sweep of second order goes over
// them backward.
func (b *body) bySections() (pieces []piece) {
	s := b.p.Sections(sweep.SectionLanes)
	add := func(section *compile.Section) {
		for k := len(section.Pieces) - 1; k >= 0; k-- {
			c := &section.Pieces[k]
			pieces = append(pieces, piece{c.Batch, c.Lo, c.Hi})
		}
	}
	for k := len(s.Rest) - 1; k >= 0; k-- {
		add(&s.Rest[k])
	}
	add(&s.Head)
	return pieces
}

// pieceSeconds adds to the second-order adjoints of what the lanes of c read.
func (b *body) pieceSeconds(a *adjoints, t []value, c piece) {
	switch {
	case c.Kind == compile.Rows && c.Op == op.Dot:
		b.rowSeconds(a, t, c.Batch)
		return
	case c.Op.Linear():
		b.pieceAdjoints(a, c)
		return
	}
	p := b.p
	c.blocks(func(lo, hi int32) {
		switch c.Op.Class() {
		case op.Factors:
			for i := lo; i < hi; i++ {
				x, y := p.Args(i)
				a.add(x, b.group(b.product(1, b.node(y), a.bar[i]), b.product(1, b.g[i], t[y])))
			}
			for i := lo; i < hi; i++ {
				x, y := p.Args(i)
				a.add(y, b.group(b.product(1, b.node(x), a.bar[i]), b.product(1, b.g[i], t[x])))
			}
		case op.Binary:
			b.binarySeconds(a, t, c.Batch, lo, hi)
		case op.Twice:
			for i := lo; i < hi; i++ {
				x, _ := p.Args(i)
				two := b.group(b.product(1, b.node(x), a.bar[i]), b.product(1, b.g[i], t[x]))
				a.add(x, b.times(2, two))
			}
		default:
			for i := lo; i < hi; i++ {
				x, _ := p.Args(i)
				_, d, _ := b.partials(i)
				h, _, _ := b.seconds(i)
				a.add(x, b.group(b.product(1, d, a.bar[i]), b.product(1, h, t[x])))
			}
		}
	})
}

// binarySeconds is pieceSeconds for the lanes lo … hi−1 of an operation of class Binary: it
// adds to all first operands, then to all second ones.
func (b *body) binarySeconds(a *adjoints, t []value, bt *compile.Batch, lo, hi int32) {
	for _, second := range []bool{false, true} {
		term := func(i int32) (to int32, same, own, mixed value) {
			x, y := b.p.Args(i)
			_, da, db := b.partials(i)
			haa, hab, hbb := b.seconds(i)
			if second {
				x, y, da, haa = y, x, db, hbb
			}
			return x, b.product(1, da, a.bar[i]), b.product(1, haa, t[x]), b.product(1, hab, t[y])
		}
		for i := lo; i < hi; i++ {
			to, same, own, mixed := term(i)
			if bt.FeedsNonlinear {
				a.add(to, b.group(same, own))
			} else {
				a.add(to, b.group(own, mixed))
			}
		}
		if !bt.FeedsNonlinear {
			continue
		}
		for i := lo; i < hi; i++ {
			to, _, _, mixed := term(i)
			a.add(to, mixed)
		}
	}
}

// rowSeconds is pieceSeconds for rows of Dot, four at a time.
func (b *body) rowSeconds(a *adjoints, t []value, bt *compile.Batch) {
	hi := bt.Hi - (bt.Hi-bt.Lo)%4
	for i := bt.Hi - 1; i >= hi; i-- {
		b.second(a, t, i)
	}
	for i := hi - 4; i >= bt.Lo; i -= 4 {
		b.addFour(a, bt, i)
		for r := i; r < i+4; r++ {
			own := bt.Factors[r-bt.Lo]
			for k := range bt.Width {
				a.add(bt.Shared+k, b.product(1, b.g[r], t[own+k]))
			}
		}
		for k := range bt.Width {
			for r := i; r < i+4; r++ {
				a.add(bt.Factors[r-bt.Lo]+k, b.group(b.product(1, a.bar[r], b.node(bt.Shared+k)), b.product(1, b.g[r], t[bt.Shared+k])))
			}
		}
	}
}

// second adds to the second-order adjoints of what node i reads.
func (b *body) second(a *adjoints, t []value, i int32) {
	p := b.p
	u, bar := a.bar[i], b.g[i]
	code := p.Op(i)
	if code.Linear() {
		b.adjoint(a, i)
		return
	}
	x, y := p.Args(i)
	switch code.Class() {
	case op.Factors:
		a.add(x, b.group(b.product(1, b.node(y), u), b.product(1, bar, t[y])))
		a.add(y, b.group(b.product(1, b.node(x), u), b.product(1, bar, t[x])))
	case op.Twice:
		a.add(x, b.group(b.product(2, b.node(x), u), b.product(2, bar, t[x])))
	case op.Unary:
		_, d, _ := b.partials(i)
		h, _, _ := b.seconds(i)
		a.add(x, b.group(b.product(1, d, u), b.product(1, h, t[x])))
	case op.Binary:
		_, da, db := b.partials(i)
		haa, hab, hbb := b.seconds(i)
		a.add(x, b.group(b.product(1, da, u), b.product(1, haa, t[x]), b.product(1, hab, t[y])))
		a.add(y, b.group(b.product(1, db, u), b.product(1, hbb, t[y]), b.product(1, hab, t[x])))
	case op.List:
		b.listSecond(a, t, i)
	}
}

func (b *body) listSecond(a *adjoints, t []value, i int32) {
	p := b.p
	u, bar := a.bar[i], b.g[i]
	if p.Op(i) != op.Dot {
		b.adjoint(a, i)
		if p.Op(i).Listed() == 0 {
			return
		}
		list := p.SeveralAt(i)
		for _, pair := range p.Op(i).Info().Pairs {
			j, l := list[pair[0]], list[pair[1]]
			h := b.product(1, bar, b.several(i, pair[:]...))
			if !h.isNumber() {
				h = b.define(b.name("k", i)+string(rune('a'+pair[0]))+string(rune('a'+pair[1])), h.s)
			}
			a.add(j, b.product(1, h, t[l]))
			if pair[0] != pair[1] {
				a.add(l, b.product(1, h, t[j]))
			}
		}
		return
	}
	x, y := p.DotAt(i)
	if p.Consecutive(i) && !b.careful {
		for k, j := range x {
			a.add(j, b.group(b.product(1, u, b.node(y[k])), b.product(1, bar, t[y[k]])))
		}
		for k, j := range y {
			a.add(j, b.group(b.product(1, u, b.node(x[k])), b.product(1, bar, t[x[k]])))
		}
		return
	}
	for k, j := range x {
		l := y[k]
		a.add(j, b.group(b.product(1, b.node(l), u), b.product(1, bar, t[l])))
		a.add(l, b.group(b.product(1, b.node(j), u), b.product(1, bar, t[j])))
	}
}
