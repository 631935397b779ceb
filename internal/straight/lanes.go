package straight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// An elementwise or affine batch is a loop over its lanes. Where several lanes add to one
// adjoint, that happens in the order of a sweep: block by block of lanes, in a block operand
// by operand.

// lane is lane i of a batch: expressions in i.
type lane struct {
	*looped
	*compile.Batch
}

// own is what an array has at the lane itself.
func (c lane) own(array string) value { return value{s: place(array, c.Lo, "i")} }

// at is what an array has at an operand of the lane.
func (c lane) at(o *compile.Operand, array string) value {
	switch o.Access {
	case compile.Consecutive:
		return value{s: place(array, o.At, "i")}
	case compile.Uniform:
		return value{s: element(array, int(o.At))}
	}
	return value{s: array + "[" + c.index(o.Index, "i") + "]"}
}

// a is the value of the first operand.
func (c lane) a() string { return c.at(&c.A, c.arrays.v).s }

// b is the value of the second operand, "" if there is none.
func (c lane) b() string {
	if c.Op.Operands() < 2 {
		return ""
	}
	return c.at(&c.B, c.arrays.v).s
}

// constants is the constant of the lane.
func (c lane) constants() (constant string) {
	if c.Kind == compile.Elementwise && c.Op.Constant() == op.NoConstant {
		return "0"
	}
	return c.constant(c.p.Constants(c.Lo, c.Hi), "i")
}

// kept is partial k of those that products with the Hessian find stored, see
// compile.Batch.PartialsAt.
func (c lane) kept(k int32) string { return place(c.arrays.d, c.PartialsAt+k*c.Len(), "i") }

// loop is a loop over all lanes or, if c.some, over lo … hi−1. In careful code one that is
// part of a reverse sweep goes backward, node by node.
func (c lane) loop(backward bool, body string) string {
	n := c.Len()
	switch {
	case c.some:
		return "for i := lo; i < hi; i++ {\n" + body + "}\n"
	case backward && c.careful:
		return fmt.Sprintf("for i := %d; i >= 0; i-- {\n%s}\n", n-1, body)
	}
	return fmt.Sprintf("for i := range %d {\n%s}\n", n, body)
}

// comment is a comment line that says where the batch stands in the user's source.
func (c lane) comment() string {
	if c.settings.Position == nil {
		return ""
	}
	if at := c.settings.Position(c.p.Made(c.Lo)); at != "" {
		return "// " + at + "\n"
	}
	return ""
}

// value is the value of the lane.
func (c lane) value() string {
	if c.Kind == compile.Affine {
		return c.spell(c.affine(c.constants(), c.arrays.v, true))
	}
	return c.file.Operation(c.Op, c.constants(), c.a(), c.b())
}

// affine is the sum of the terms of an affine batch: values, or tangents.
func (c lane) affine(constant string, array string, values bool) value {
	var terms []value
	if constant != "" && constant != c.file.Number(tape.NegZero) {
		terms = append(terms, value{s: constant})
	}
	for k := range c.Terms {
		t := &c.Terms[k]
		terms = append(terms, c.weighted(t, c.at(&t.Operand, array), values))
	}
	if len(terms) == 0 {
		return number(0)
	}
	return value{s: c.joined(terms)}
}

// weighted is x times the weight of term t; of derivatives, the derivative product.
func (c lane) weighted(t *compile.Term, x value, values bool) value {
	w := c.weights(t)
	if same(w) {
		if values {
			return c.scaled(w[0], x)
		}
		return c.product(1, number(w[0]), x)
	}
	weight := value{s: c.constant(w, "i")}
	if values {
		return c.exact(weight, x)
	}
	return c.product(1, weight, x)
}

// weights is the weights of all lanes.
func (c lane) weights(t *compile.Term) (w []float64) {
	for lo := int32(0); lo < c.Len(); lo += compile.Block {
		w = append(w, t.Weights(lo, min(lo+compile.Block, c.Len()))...)
	}
	return w
}

// batchValues writes the values of a batch.
func (l *looped) batchValues(q *procedure, b *compile.Batch) {
	c := lane{l, b}
	switch b.Kind {
	case compile.Mixed:
		for i := b.Lo; i < b.Hi; i++ {
			q.add(l.nodeValue(i))
		}
	case compile.Rows:
		l.rowValues(q, b)
	default:
		q.add(c.comment() + c.loop(false, c.own(l.arrays.v).s+" = "+c.value()+"\n"))
	}
}

// partial is the first partial derivatives of the lane, k·da by the first operand and db by
// the second, and the line that computes them, "" if they are stored or need none.
func (c lane) partial(stored bool) (line string, k float64, da, db value) {
	x, v := c.a(), c.own(c.arrays.v).s
	switch c.Op.Class() {
	case op.One:
		return "", 1, number(1), value{}
	case op.MinusOne:
		return "", 1, number(-1), value{}
	case op.OneOne:
		return "", 1, number(1), number(1)
	case op.OneMinusOne:
		return "", 1, number(1), number(-1)
	case op.ByConstant, op.OverConstant:
		w := slices.Clone(c.p.Constants(c.Lo, c.Hi))
		if c.Op.Class() == op.OverConstant {
			for i := range w {
				w[i] = 1 / w[i]
			}
		}
		if same(w) {
			return "", 1, number(w[0]), value{}
		}
		return "", 1, value{s: c.constant(w, "i")}, value{}
	case op.Factors:
		return "", 1, value{s: c.b()}, value{s: x}
	case op.Twice:
		return "", 2, value{s: x}, value{}
	case op.Unary:
		if stored {
			return "", 1, value{s: c.kept(0)}, value{}
		}
		return "da := " + c.file.FirstOf(c.Op, c.constants(), x, v) + "\n", 1, value{s: "da"}, value{}
	case op.Binary:
		if stored {
			return "", 1, value{s: c.kept(0)}, value{s: c.kept(1)}
		}
		return "da, db := " + c.file.First2(c.Op, x, c.b(), v) + "\n", 1, value{s: "da"}, value{s: "db"}
	}
	return "", 1, value{}, value{}
}

// batchTangents writes the tangents of a batch, from stored partials or not.
func (l *looped) batchTangents(q *procedure, b *compile.Batch, stored bool) {
	t := l.arrays.t
	c := lane{l, b}
	switch {
	case b.Kind == compile.Mixed:
		l.nodeTangents(q, b.Lo, b.Hi)
	case b.Kind == compile.Rows:
		l.rowTangents(q, b)
	case b.Kind == compile.Affine:
		q.add(c.loop(false, c.own(t).s+" = "+l.spell(c.affine("", t, false))+"\n"))
	case b.Op.Class() == op.NoPartials && l.some:
		q.add(c.loop(false, c.own(t).s+" = 0\n"))
	case b.Op.Class() == op.NoPartials:
		q.add(fmt.Sprintf("clear(%s[%d:%d])\n", t, b.Lo, b.Hi))
	default:
		line, k, da, db := c.partial(stored)
		terms := []value{l.product(k, da, c.at(&b.A, t))}
		if b.Op.Operands() == 2 {
			terms = append(terms, l.product(1, db, c.at(&b.B, t)))
		}
		q.add(c.loop(false, line+c.own(t).s+" = "+l.spell(l.sum(terms))+"\n"))
	}
}

// sumTo says that each lane adds v to the adjoint of its operand o.
type sumTo struct {
	o    *compile.Operand
	v    value
	sets bool // it is the first to do so: the adjoint is set
}

// spread writes loops that add sums to the adjoints in an array. line declares the partials
// "da" and "db" that sums may mention. Sums share a loop where that keeps the order of
// additions to each adjoint.
func (c lane) spread(q *procedure, array, line string, sums []sumTo) {
	var loops [][]sumTo
	for _, s := range sums {
		if s.v.isZero() && !s.sets {
			continue
		}
		if k := len(loops) - 1; k >= 0 && (c.careful || c.mayFollow(loops[k], s)) {
			loops[k] = append(loops[k], s)
		} else {
			loops = append(loops, []sumTo{s})
		}
	}
	text := ""
	for _, loop := range loops {
		body := ""
		for _, s := range loop {
			to := c.at(s.o, array).s
			if s.sets && !c.careful {
				body += to + " = " + c.spell(s.v) + "\n"
			} else {
				body += c.increase(to, s.v) + "\n"
			}
		}
		body = defined(line, body) + body
		if len(loops) == 1 || c.Len() <= compile.Block && !c.some {
			text += c.loop(true, body)
		} else {
			end := strconv.Itoa(int(c.Len()))
			if c.some {
				end = "hi"
			}
			text += fmt.Sprintf("for i := at; i < min(at+%d, %s); i++ {\n%s}\n", compile.Block, end, body)
		}
	}
	if len(loops) > 1 {
		switch {
		case c.some:
			text = fmt.Sprintf("for at := lo; at < hi; at += %d {\n%s}\n", compile.Block, text)
		case c.Len() > compile.Block:
			text = fmt.Sprintf("for at := 0; at < %d; at += %d {\n%s}\n", c.Len(), compile.Block, text)
		}
	}
	q.add(text)
}

// defined is lines, which declare "da" and "db", without what body does not mention.
func defined(lines, body string) string {
	mentioned := map[string]bool{}
	first, rest, _ := strings.Cut(lines, "\n")
	for _, text := range []string{rest, body} {
		eachWord(text, func(from, to int) { mentioned[text[from:to]] = true })
	}
	names, expr, _ := strings.Cut(first, " := ")
	switch {
	case names == "da, db" && !mentioned["db"]:
		names = "da, _"
	case names == "da, db" && !mentioned["da"]:
		names = "_, db"
	}
	switch {
	case lines == "":
		return ""
	case mentioned["da"] || mentioned["db"]:
		return names + " := " + expr + "\n" + rest
	}
	return rest
}

// mayFollow reports whether s may be added in the loop of others without a change in the order
// of additions: no adjoint is added to by s and by one of these, except in the same lane.
func (c lane) mayFollow(others []sumTo, s sumTo) bool {
	for _, other := range others {
		if other.o == s.o {
			if s.o.Access != compile.Consecutive && !c.areDistinct(s.o.Index) {
				return false
			}
		} else if c.meet(other.o.Index, s.o.Index) {
			return false
		}
	}
	return true
}

// meet reports whether two lists of nodes have one in common.
func (l *looped) meet(x, y []int32) bool {
	l.lists++
	for _, j := range x {
		l.mark[j] = l.lists
	}
	return slices.ContainsFunc(y, func(j int32) bool { return l.mark[j] == l.lists })
}

// areDistinct reports whether no node is twice in a list.
func (l *looped) areDistinct(x []int32) bool {
	l.lists++
	for _, j := range x {
		if l.mark[j] == l.lists {
			return false
		}
		l.mark[j] = l.lists
	}
	return true
}

// batchAdjoints writes what a batch adds to the adjoints.
func (l *looped) batchAdjoints(q *procedure, b *compile.Batch) {
	switch {
	case b.Kind == compile.Mixed:
		l.nodeAdjoints(q, b.Lo, b.Hi)
	case b.Kind == compile.Rows:
		l.rowAdjoints(q, b, l.gs)
	default:
		c := lane{l, b}
		if l.store {
			c.keep(q)
		}
		c.adjoints(q, b, l.arrays.g, compile.FirstOrder)
	}
}

// adjoints writes what the lanes add to the adjoints of their operands in an array, of first
// or second order. first is the batch that says which operands are written first, that of
// places in a section; nil if none is.
func (c lane) adjoints(q *procedure, first *compile.Batch, array string, order compile.Order) {
	g := c.own(array)
	if c.Kind == compile.Affine {
		var sums []sumTo
		for k := range c.Terms {
			t := &c.Terms[k]
			sums = append(sums, sumTo{&t.Operand, c.weighted(t, g, false), false})
		}
		c.spread(q, array, "", sums)
		return
	}
	if c.Op.Class() == op.NoPartials {
		return
	}
	line, k, da, db := c.partial(!c.careful && (c.store || order == compile.SecondOrder))
	sets := func(o *compile.Operand) bool { return first != nil && o.WrittenFirst(order) }
	sums := []sumTo{{&c.A, c.product(k, da, g), first != nil && sets(&first.A)}}
	if c.Op.Operands() == 2 {
		sums = append(sums, sumTo{&c.B, c.product(1, db, g), first != nil && sets(&first.B)})
	}
	c.spread(q, array, line, sums)
}

// keep writes the loop that stores the partials that products with the Hessian need, second
// ones times the adjoint.
func (c lane) keep(q *procedure) {
	x, v, g := c.a, c.own(c.arrays.v).s, c.own(c.arrays.g)
	set := func(k int32, s string) string { return c.kept(k) + " = " + s + "\n" }
	times := func(h string) string { return c.spell(c.product(1, value{s: h}, g)) }
	switch {
	case c.Kind != compile.Elementwise:
	case c.Op.Class() == op.Unary:
		text := "da := " + c.file.FirstOf(c.Op, c.constants(), x(), v) + "\n" + set(0, "da")
		if !c.Op.Linear() {
			h := c.file.SecondOf(c.Op, c.constants(), x(), v, "da")
			text += "h := " + h + "\n" + set(1, times("h"))
		}
		q.add(c.loop(false, text))
	case c.Op.Class() == op.Binary:
		text := "da, db := " + c.file.First2(c.Op, x(), c.b(), v) + "\n" + set(0, "da") + set(1, "db")
		if !c.Op.Linear() {
			names := [3]string{"_", "_", "_"}
			sets := ""
			for k, flag := range []op.Flags{op.DXX, op.DXY, op.DYY} {
				if c.Op.Flags()&flag == 0 {
					continue // it stays 0
				}
				names[k] = []string{"haa", "hab", "hbb"}[k]
				sets += set(int32(2+k), times(names[k]))
			}
			text += fmt.Sprintf("%s, %s, %s := %s\n%s", names[0], names[1], names[2], c.file.Second2(c.Op, x(), c.b(), v, "da", "db"), sets)
		}
		q.add(c.loop(false, text))
	}
}

// batchSeconds writes what a batch adds to second-order adjoints. first is as in adjoints.
func (l *looped) batchSeconds(q *procedure, b *compile.Batch, first *compile.Batch) {
	c := lane{l, b}
	switch {
	case b.Kind == compile.Mixed:
		l.nodeSeconds(q, b.Lo, b.Hi)
		return
	case b.Kind == compile.Rows:
		l.rowSeconds(q, b)
		return
	case b.Op.Linear():
		if b.FeedsNonlinear || l.careful {
			c.adjoints(q, first, l.arrays.u, compile.SecondOrder)
		}
		return
	}
	line, sums := c.secondSums()
	if first != nil {
		sums[0].sets = first.A.WrittenFirst(compile.SecondOrder)
		for k := 1; k < len(sums); k++ {
			if sums[k].o == &c.B && sums[k-1].o == &c.A {
				sums[k].sets = first.B.WrittenFirst(compile.SecondOrder)
			}
		}
	}
	c.spread(q, l.arrays.u, line, sums)
}

// secondSums is what a nonlinear lane adds to the second-order adjoints of its operands, and
// the line of its partials.
func (c lane) secondSums() (line string, sums []sumTo) {
	u, bar := c.own(c.arrays.u), c.own(c.arrays.g)
	ta, tb := c.at(&c.A, c.arrays.t), value{}
	if c.Op.Operands() == 2 {
		tb = c.at(&c.B, c.arrays.t)
	}
	line, k, da, db := c.partial(!c.careful)
	if !c.FeedsNonlinear && !c.careful { // its second-order adjoint is 0
		u = number(0)
	}
	pair := func(d, e, t value) value { return c.group(c.product(1, d, u), c.product(1, e, t)) }
	switch c.Op.Class() {
	case op.Factors:
		return line, []sumTo{{o: &c.A, v: pair(da, bar, tb)}, {o: &c.B, v: pair(db, bar, ta)}}
	case op.Twice:
		if c.careful {
			return line, []sumTo{{o: &c.A, v: c.group(c.product(2, da, u), c.product(2, bar, ta))}}
		}
		if u.isZero() {
			return line, []sumTo{{o: &c.A, v: c.product(2, bar, ta)}}
		}
		return line, []sumTo{{o: &c.A, v: c.times(k, pair(da, bar, ta))}}
	case op.Unary:
		h := value{s: ""}
		if c.careful {
			v := c.own(c.arrays.v).s
			line += "h := " + c.spell(c.product(1, bar, value{s: c.file.SecondOf(c.Op, c.constants(), c.a(), v, "da")})) + "\n"
			h.s = "h"
		} else {
			h.s = c.kept(1)
		}
		return line, []sumTo{{o: &c.A, v: pair(da, h, ta)}}
	}
	var h [3]value
	names := [3]string{"_", "_", "_"}
	for k, flag := range []op.Flags{op.DXX, op.DXY, op.DYY} {
		switch {
		case c.Op.Flags()&flag == 0:
			h[k] = number(0)
		case c.careful:
			names[k] = []string{"haa", "hab", "hbb"}[k]
			h[k] = value{s: names[k]}
		default:
			h[k] = value{s: c.kept(int32(2 + k))}
		}
	}
	if c.careful {
		line += fmt.Sprintf("%s, %s, %s := %s\n", names[0], names[1], names[2], c.file.Second2(c.Op, c.a(), c.b(), c.own(c.arrays.v).s, "da", "db"))
		for k, name := range names {
			if name != "_" {
				line += name + " = " + c.spell(c.product(1, bar, h[k])) + "\n"
			}
		}
		return line, []sumTo{
			{o: &c.A, v: c.group(c.product(1, da, u), c.product(1, h[0], ta), c.product(1, h[1], tb))},
			{o: &c.B, v: c.group(c.product(1, db, u), c.product(1, h[2], tb), c.product(1, h[1], ta))},
		}
	}
	if u.isZero() {
		return line, []sumTo{
			{o: &c.A, v: c.group(c.product(1, h[0], ta), c.product(1, h[1], tb))},
			{o: &c.B, v: c.group(c.product(1, h[2], tb), c.product(1, h[1], ta))},
		}
	}
	return line, []sumTo{
		{o: &c.A, v: pair(da, h[0], ta)}, {o: &c.A, v: c.product(1, h[1], tb)},
		{o: &c.B, v: pair(db, h[2], tb)}, {o: &c.B, v: c.product(1, h[1], ta)},
	}
}
