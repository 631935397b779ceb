package straight

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
)

// partials is the first partial derivatives of a node with one or two operands: k·da by the
// first, db by the second. Lines that compute them are added once.
func (b *body) partials(i int32) (k float64, da, db value) {
	p := b.p
	x, y := p.Args(i)
	switch code := p.Op(i); code.Class() {
	case op.One:
		return 1, number(1), value{}
	case op.MinusOne:
		return 1, number(-1), value{}
	case op.OneOne:
		return 1, number(1), number(1)
	case op.OneMinusOne:
		return 1, number(1), number(-1)
	case op.ByConstant:
		return 1, number(p.Constant(i)), value{}
	case op.OverConstant:
		return 1, number(1 / p.Constant(i)), value{}
	case op.Factors:
		return 1, b.node(y), b.node(x)
	case op.Twice:
		return 2, b.node(x), value{}
	case op.Unary:
		d, ok := b.d[i]
		if !ok {
			expr := ""
			if code == op.Own {
				expr = b.own(i, 1, b.spell(b.node(x)))
			} else {
				expr = b.file.First(code, p.Constant(i), b.spell(b.node(x)), b.spell(b.node(i)))
			}
			d[0] = b.define(b.name("d", i), expr)
			b.d[i] = d
		}
		return 1, d[0], value{}
	case op.Binary:
		d, ok := b.d[i]
		if !ok {
			in := b.nodes([]int32{x, y, i})
			copy(d[:], b.defineAll(b.file.First2(code, in[0], in[1], in[2]), b.name("d", i), b.name("e", i)))
			b.d[i] = d
		}
		return 1, d[0], d[1]
	}
	return 1, value{}, value{}
}

// seconds is the second partial derivatives of a nonlinear node with one or two operands,
// times its adjoint. Lines that compute them are added once.
func (b *body) seconds(i int32) (aa, ab, bb value) {
	if h, ok := b.h[i]; ok {
		return h[0], h[1], h[2]
	}
	p := b.p
	x, y := p.Args(i)
	var h [3]value
	_, da, db := b.partials(i)
	switch code := p.Op(i); {
	case code.Class() == op.Unary:
		expr := ""
		if code == op.Own {
			expr = b.own(i, 2, b.spell(b.node(x)))
		} else {
			expr = b.file.Second(code, p.Constant(i), b.spell(b.node(x)), b.spell(b.node(i)), b.spell(da))
		}
		h[0] = b.define(b.name("h", i), expr)
	default:
		in := append(b.nodes([]int32{x, y, i}), b.spell(da), b.spell(db))
		copy(h[:], b.defineAll(b.file.Second2(code, in[0], in[1], in[2], in[3], in[4]), b.name("h", i)+"aa", b.name("h", i)+"ab", b.name("h", i)+"bb"))
		for k, flag := range []op.Flags{op.DXX, op.DXY, op.DYY} {
			if code.Flags()&flag == 0 {
				h[k] = number(0)
			}
		}
	}
	bar := b.g[i]
	for k, part := range []string{"aa", "ab", "bb"} {
		if h[k].isZero() {
			continue
		}
		name := b.name("k", i)
		if code := p.Op(i); code.Class() != op.Unary {
			name += part
		}
		h[k] = b.product(1, bar, h[k])
		if !h[k].isNumber() {
			h[k] = b.define(name, h[k].s)
		}
	}
	b.h[i] = h
	return h[0], h[1], h[2]
}

// selections is the partial derivatives of a selection by its two alternatives.
func (b *body) selections(i int32) (dx, dy value) {
	d, ok := b.d[i]
	if !ok {
		cond, _, _ := b.p.SelectAt(i)
		c := b.spell(b.node(cond))
		d[0] = b.define(b.name("d", i), b.file.Call(elem.Select, c, "1", "0"))
		d[1] = b.define(b.name("e", i), b.file.Call(elem.Select, c, "0", "1"))
		b.d[i] = d
	}
	return d[0], d[1]
}

// several is the partial derivative, by operands k, of an operation with three or four
// operands, such as FMA.
func (b *body) several(i int32, k ...int) value {
	name := b.name("d", i)
	for _, k := range k {
		name += string(rune('a' + k))
	}
	if v, ok := b.lists[name]; ok {
		return v
	}
	v := b.define(name, b.file.Several(b.p.Op(i), b.p.Constant(i), b.nodes(b.p.SeveralAt(i)), k...))
	b.lists[name] = v
	return v
}

// tangents writes the tangents of all nodes, given those of the inputs in t.
func (b *body) tangents(t []value, suffix string) {
	p := b.p
	for _, batch := range p.Batches() {
		quads := batch.Lo // up to here, rows are done by four, see package sweep
		if batch.Kind == compile.Rows {
			quads = batch.Hi - (batch.Hi-batch.Lo)%4
		}
		for i := batch.Lo; i < batch.Hi; i++ {
			t[i] = b.total(b.name("t", i)+suffix, b.tangent(i, t, batch.Kind == compile.Affine || i < quads))
		}
	}
}

// tangent is the terms of the tangent of node i. Terms of consecutive operands are added in
// order or as halves does.
func (b *body) tangent(i int32, t []value, inOrder bool) []value {
	p := b.p
	switch code := p.Op(i); code.Class() {
	case op.NoPartials:
		return nil
	case op.List:
		return b.listTangent(i, t, inOrder)
	default:
		x, y := p.Args(i)
		k, da, db := b.partials(i)
		terms := []value{b.product(k, da, t[x])}
		if code.Operands() == 2 {
			terms = append(terms, b.product(1, db, t[y]))
		}
		return terms
	}
}

func (b *body) listTangent(i int32, t []value, inOrder bool) (terms []value) {
	p := b.p
	run := p.Consecutive(i) && !b.careful
	switch code := p.Op(i); code {
	case op.Sum:
		for _, j := range p.SumAt(i) {
			terms = append(terms, t[j])
		}
	case op.Affine:
		w, x := p.AffineAt(i)
		for k, j := range x {
			terms = append(terms, b.product(1, number(w[k]), t[j]))
		}
		if run && !inOrder {
			return b.halves(terms)
		}
	case op.Dot:
		x, y := p.DotAt(i)
		if run {
			var second []value
			for k, j := range x {
				terms = append(terms, b.product(1, b.node(j), t[y[k]]))
				second = append(second, b.product(1, b.node(y[k]), t[j]))
			}
			if inOrder {
				return append(terms, second...)
			}
			return append(b.halves(terms), b.halves(second)...)
		}
		for k, j := range x {
			terms = append(terms, b.group(b.product(1, b.node(y[k]), t[j]), b.product(1, b.node(j), t[y[k]])))
		}
	case op.Select:
		_, x, y := p.SelectAt(i)
		dx, dy := b.selections(i)
		return []value{b.product(1, dx, t[x]), b.product(1, dy, t[y])}
	default:
		for k, j := range p.SeveralAt(i) {
			terms = append(terms, b.product(1, b.several(i, k), t[j]))
		}
	}
	return terms
}

// halves is the sum of terms as sweep's dots adds it: those of even and of odd number apart.
func (b *body) halves(terms []value) []value {
	var even, odd []value
	for k, t := range terms {
		if k&1 == 0 {
			even = append(even, t)
		} else {
			odd = append(odd, t)
		}
	}
	return []value{b.group(b.group(even...), b.group(odd...))}
}

// adjoints is the adjoints of a reverse sweep, of first or second order, while it is written.
type adjoints struct {
	terms [][]value              // by node, the terms that have been added so far
	bar   []value                // by node, the sum, once the sweep has come to the node
	emit  func(j int32, v value) // for nodes in memory: adds v to element j at once, without terms
}

func (a *adjoints) add(j int32, v value) {
	switch {
	case v.isZero():
	case a.emit != nil:
		a.emit(j, v)
	default:
		a.terms[j] = append(a.terms[j], v)
	}
}

// piece is the lanes lo … hi−1 of a batch.
type piece struct {
	*compile.Batch
	lo, hi int32
}

// inOrder is all batches in the order of a reverse sweep.
func (b *body) inOrder() (pieces []piece) {
	batches := b.p.Batches()
	for k := len(batches) - 1; k >= 0; k-- {
		pieces = append(pieces, piece{&batches[k], batches[k].Lo, batches[k].Hi})
	}
	return pieces
}

// pull adds the lines of a reverse sweep over pieces. kind and suffix make up the names of the
// adjoints; lanes and node add to the adjoints of the operands of a piece or a node.
func (b *body) pull(kind string, suffix string, a *adjoints, pieces []piece, lanes func(piece), node func(i int32)) {
	settle := func(i int32) {
		a.bar[i] = b.total(b.name(kind, i)+suffix, a.terms[i])
		a.terms[i] = nil
	}
	for _, c := range pieces {
		if c.Kind != compile.Mixed && !b.careful {
			for i := c.lo; i < c.hi; i++ {
				settle(i)
			}
			lanes(c)
			continue
		}
		for i := c.hi - 1; i >= c.lo; i-- {
			settle(i)
			node(i)
		}
	}
	for i := range int32(b.p.Inputs()) {
		settle(i)
	}
}

// gradient adds the lines of a reverse sweep from w, the adjoints of the outputs, and sets
// b.g.
func (b *body) gradient(w []value, suffix string) {
	p := b.p
	a := adjoints{terms: make([][]value, p.Len()), bar: make([]value, p.Len())}
	for j, i := range p.OutputNodes() {
		a.add(i, w[j])
	}
	b.g = a.bar
	b.pull("g", suffix, &a, b.inOrder(),
		func(c piece) { b.pieceAdjoints(&a, c) },
		func(i int32) { b.adjoint(&a, i) })
}

// blocks calls f with the lanes lo … hi−1 of each block.
func (c piece) blocks(f func(lo, hi int32)) {
	for lo := c.lo; lo < c.hi; lo += compile.Block {
		f(lo, min(lo+compile.Block, c.hi))
	}
}

// pieceAdjoints adds to the adjoints of what the lanes of c read.
func (b *body) pieceAdjoints(a *adjoints, c piece) {
	p := b.p
	switch c.Kind {
	case compile.Rows:
		b.rowAdjoints(a, c.Batch)
		return
	case compile.Affine:
		c.blocks(func(lo, hi int32) {
			for k := range c.Terms {
				t := &c.Terms[k]
				w := t.Weights(lo-c.Lo, hi-c.Lo)
				for i := lo; i < hi; i++ {
					a.add(t.Index[i-c.Lo], b.product(1, number(w[i-lo]), a.bar[i]))
				}
			}
		})
		return
	}
	c.blocks(func(lo, hi int32) {
		for i := lo; i < hi; i++ {
			x, _ := p.Args(i)
			if k, da, _ := b.partialsOf(i, a.bar[i]); !da.isZero() {
				a.add(x, b.product(k, da, a.bar[i]))
			}
		}
		if c.Op.Operands() < 2 {
			return
		}
		for i := lo; i < hi; i++ {
			_, y := p.Args(i)
			_, _, db := b.partialsOf(i, a.bar[i])
			a.add(y, b.product(1, db, a.bar[i]))
		}
	})
}

// partialsOf is partials, all 0 if the adjoint is: then none need be computed.
func (b *body) partialsOf(i int32, bar value) (k float64, da, db value) {
	if bar.isZero() {
		return 0, value{}, value{}
	}
	return b.partials(i)
}

// rowAdjoints adds to the adjoints of what rows read, four at a time.
func (b *body) rowAdjoints(a *adjoints, bt *compile.Batch) {
	hi := bt.Hi - (bt.Hi-bt.Lo)%4
	for i := bt.Hi - 1; i >= hi; i-- {
		b.adjoint(a, i)
	}
	for i := hi - 4; i >= bt.Lo; i -= 4 {
		b.addFour(a, bt, i)
		if bt.Op == op.Affine {
			continue
		}
		for r := i; r < i+4; r++ {
			own := bt.Factors[r-bt.Lo]
			for k := range bt.Width {
				a.add(own+k, b.product(1, a.bar[r], b.node(bt.Shared+k)))
			}
		}
	}
}

// addFour adds to the adjoints of the factor that rows share what the four rows from i on
// contribute.
func (b *body) addFour(a *adjoints, bt *compile.Batch, i int32) {
	for k := range bt.Width {
		var four []value
		for r := i; r < i+4; r++ {
			four = append(four, b.product(1, a.bar[r], b.rowFactor(bt, r, k)))
		}
		a.add(bt.Shared+k, b.group(four...))
	}
}

// rowFactor is element k of the factor that row r has alone.
func (b *body) rowFactor(bt *compile.Batch, r, k int32) value {
	if bt.Op == op.Affine {
		w, _ := b.p.AffineAt(r)
		return number(w[k])
	}
	return b.node(bt.Factors[r-bt.Lo] + k)
}

// adjoint adds to the adjoints of what node i reads.
func (b *body) adjoint(a *adjoints, i int32) {
	p := b.p
	g := a.bar[i]
	if g.isZero() {
		return
	}
	switch code := p.Op(i); code.Class() {
	case op.NoPartials:
	case op.List:
		b.listAdjoint(a, i)
	default:
		x, y := p.Args(i)
		k, da, db := b.partials(i)
		a.add(x, b.product(k, da, g))
		if code.Operands() == 2 {
			a.add(y, b.product(1, db, g))
		}
	}
}

func (b *body) listAdjoint(a *adjoints, i int32) {
	p := b.p
	g := a.bar[i]
	switch code := p.Op(i); code {
	case op.Sum:
		for _, j := range p.SumAt(i) {
			a.add(j, g)
		}
	case op.Affine:
		w, x := p.AffineAt(i)
		for k, j := range x {
			a.add(j, b.product(1, number(w[k]), g))
		}
	case op.Dot:
		x, y := p.DotAt(i)
		if p.Consecutive(i) && !b.careful {
			for k, j := range x {
				a.add(j, b.product(1, g, b.node(y[k])))
			}
			for k, j := range y {
				a.add(j, b.product(1, g, b.node(x[k])))
			}
			return
		}
		for k, j := range x {
			a.add(j, b.product(1, b.node(y[k]), g))
			a.add(y[k], b.product(1, b.node(j), g))
		}
	case op.Select:
		_, x, y := p.SelectAt(i)
		dx, dy := b.selections(i)
		a.add(x, b.product(1, dx, g))
		a.add(y, b.product(1, dy, g))
	default:
		for k, j := range p.SeveralAt(i) {
			a.add(j, b.product(1, b.several(i, k), g))
		}
	}
}
