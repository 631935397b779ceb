package program

import "slices"

// Plain is the program of a recording as it was recorded: operation by
// operation in one mixed batch, without those that reach no output and no
// guard. It is what Compile must agree with, and where a fault is looked for.
// made is who made each operation, if the recording was traced.
func Plain(r *Recording, outputs []int32) (p *Program, made []uintptr) {
	c := &compiler{Recording: r, scratch: new(scratch)}
	live := c.live(outputs)
	first := r.inputs + r.params
	p = &Program{inputs: r.inputs, params: r.params, owns: r.owns}
	id := make([]int32, len(live))
	for i := range live {
		if i < first {
			id[i] = int32(i)
		} else if n := r.Node(int32(i)); live[i] && n.Op == Const {
			id[i] = int32(first + len(p.consts))
			p.consts = append(p.consts, n.C)
		}
	}
	p.base = first + len(p.consts)
	p.ops = make([]Op, p.base)
	p.a, p.b, p.c = make([]int32, p.base), make([]int32, p.base), make([]float64, p.base)
	renumber := func(i *int32) { *i = id[*i] }
	for i := first; i < len(live); i++ {
		n := *r.Node(int32(i))
		if n.Op == Call {
			live[i] = live[int32(i)-n.B]
		}
		if !live[i] || n.Op == Const {
			continue
		}
		k := int32(len(p.ops))
		id[i] = k
		switch args := n.Op.Operands(); {
		case args == 2:
			n.A, n.B = id[n.A], id[n.B]
		case args == 1:
			n.A = id[n.A]
		default:
			c.copyList(&n, renumber)
			if n.Op != Call {
				n.B <<= 1
			} else if n.B == 0 {
				c.call[n.A].out = k
			}
		}
		p.ops = append(p.ops, n.Op)
		p.a, p.b, p.c = append(p.a, n.A), append(p.b, n.B), append(p.c, n.C)
		if r.made != nil {
			made = append(made, r.made[i-first])
		}
	}
	p.lists, p.calls, p.coefs = c.list, c.call, append([]float64(nil), r.coefs...)
	p.outputs = make([]int32, len(outputs))
	for j, i := range outputs {
		p.outputs[j] = id[i]
	}
	for _, g := range r.guards {
		g.A, g.B = id[g.A], id[g.B]
		p.guards = append(p.guards, g)
	}
	if lo, hi := int32(p.base), int32(len(p.ops)); lo < hi {
		p.batches = []batch{{op: mixed, lo: lo, hi: hi, inner: true}}
	}
	p.finish()
	return p, made
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
