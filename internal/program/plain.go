package program

import "slices"

// Plain is the program of a traced recording as it was recorded: operation by
// operation in one mixed batch, without those that reach no output and no
// guard. It is what Compile must agree with, and where a fault is looked for.
func Plain(r *Recording, outputs []int32) *Program {
	c := &compiler{Recording: r, outputs: outputs}
	c.countUses()
	place := c.place()
	var ids []int32
	for i := c.first(); i < c.count; i++ {
		if n := c.node(int32(i)); n.uses > 0 && n.Op != Const {
			ids = append(ids, int32(i))
		}
	}
	place.room(len(ids))
	for k, i := range ids {
		place.place(c.node(i).Op, ids[k:k+1], int32(place.base+k))
		place.single(int32(place.base+k), true)
	}
	return place.program()
}

// Differ is the first operation in which two plain programs of as many inputs
// and parameters differ, −1 if they are the same. Primitives are compared by
// their names. It is the number of operations of one of them if the other one
// goes on, or differs in its outputs or guards.
func Differ(p, q *Program) int32 {
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
func (p *Program) same(i int32, q *Program, j int32) bool {
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

func (p *Program) sameNode(i int32, q *Program, j int32) bool {
	op := p.ops[i]
	if op != q.ops[j] || !equalBits(p.c[i], q.c[j]) {
		return false
	}
	switch op {
	case Own:
		if p.owns[p.b[i]].Name != q.owns[q.b[j]].Name {
			return false
		}
	case Affine:
		w, _ := p.affine(i)
		if u, _ := q.affine(j); !slices.EqualFunc(w, u, equalBits) {
			return false
		}
	case Call:
		if p.b[i] != q.b[j] || p.calls[p.a[i]].f.Name() != q.calls[q.a[j]].f.Name() {
			return false
		}
	}
	var a, b []int32
	p.eachOperand(i, func(k int32) { a = append(a, k) })
	q.eachOperand(j, func(k int32) { b = append(b, k) })
	return slices.EqualFunc(a, b, func(k, l int32) bool { return p.same(k, q, l) })
}
