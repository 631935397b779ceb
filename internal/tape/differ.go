package tape

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Differ is the first operation in which two tapes with the same numbers of inputs and
// parameters differ, −1 if the tapes are the same. If one ends where the other goes on, or
// they differ only in outputs or guards, it is the number of operations of the shorter one.
// Primitives are compared by their names.
func Differ(p, q *Tape) int32 {
	n := min(p.Ops(), q.Ops())
	for k := range int32(n) {
		i, j := int32(p.base)+k, int32(q.base)+k
		if !p.sameNode(i, q, j) {
			return i
		}
	}
	same := p.Ops() == q.Ops() && len(p.guards) == len(q.guards) &&
		slices.EqualFunc(p.outputs, q.outputs, func(i, j int32) bool { return p.same(i, q, j) })
	if same {
		return -1
	}
	return int32(p.base + n)
}

// same reports whether node i, an operand, is what node j is in q.
func (p *Tape) same(i int32, q *Tape, j int32) bool {
	first := int32(p.inputs + p.params)
	switch {
	case i < first || j < first:
		return i == j
	case int(i) < p.base && int(j) < q.base:
		return equalBits(p.consts[i-first], q.consts[j-first])
	default:
		return int(i)-p.base == int(j)-q.base
	}
}

func (p *Tape) sameNode(i int32, q *Tape, j int32) bool {
	code := p.Op(i)
	if code != q.Op(j) || !equalBits(p.Constant(i), q.Constant(j)) {
		return false
	}
	switch code {
	case op.Own:
		f, order := p.OwnAt(i)
		if g, other := q.OwnAt(j); f.Name != g.Name || order != other {
			return false
		}
	case op.Affine:
		w, _ := p.AffineAt(i)
		if u, _ := q.AffineAt(j); !slices.EqualFunc(w, u, equalBits) {
			return false
		}
	case op.Call:
		if i-p.FirstOutput(i) != j-q.FirstOutput(j) || p.OpName(i) != q.OpName(j) {
			return false
		}
	}
	var a, b []int32
	p.EachOperand(i, func(k int32) { a = append(a, k) })
	q.EachOperand(j, func(k int32) { b = append(b, k) })
	return slices.EqualFunc(a, b, func(k, l int32) bool { return p.same(k, q, l) })
}

// Equal reports whether two arranged tapes are the same, to the bits of their constants. Of the
// functions that they call only those with a method Equal may be the same.
func (t *Tape) Equal(u *Tape) bool {
	return t == u || t.nodes == nil && u.nodes == nil && t.inputs == u.inputs && t.params == u.params &&
		slices.Equal(t.ops, u.ops) && slices.Equal(t.a, u.a) && slices.Equal(t.b, u.b) &&
		slices.EqualFunc(t.c, u.c, equalBits) && slices.EqualFunc(t.consts, u.consts, equalBits) &&
		slices.Equal(t.lists, u.lists) && slices.EqualFunc(t.coefs, u.coefs, equalBits) &&
		slices.Equal(t.owns, u.owns) && slices.EqualFunc(t.calls, u.calls, sameCall) &&
		slices.Equal(t.outputs, u.outputs) && slices.EqualFunc(t.guards, u.guards, sameGuard) && slices.Equal(t.made, u.made)
}

func sameCall(c, d Call) bool {
	f, ok := c.Func.(interface{ Equal(f Func) bool })
	return ok && slices.Equal(c.Args, d.Args) && f.Equal(d.Func)
}

func sameGuard(g, h Guard) bool {
	same := equalBits(g.C, h.C)
	g.C, h.C = 0, 0
	return same && g == h
}
