package tape

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// An operation that is recorded a second time is the node that it was, and one
// with a cheaper form that has the same bits is that: a value numbering while
// the nodes are in the cache.

// A node with operands is found by its last one, that with the largest number.
// Most operands have few users, made soon after them: these are in the cache,
// where the places of a hash table are not. Nodes of which the last operand has
// maxUsers already, or its newest user too far before, are in a hash table, as are those
// with lists and constants.
const (
	maxUsers = 8
	minTable = 256
)

// share is the number of a node in its cheapest form, which is appended unless
// there is its like.
func (r *Recording) share(code op.Code, a, b int32) int32 {
	code, a, b, alias := r.simplify(code, a, b)
	if alias {
		return a
	}
	return r.find(code, a, b)
}

// simplify is the cheapest form with the same values of a node that has no list; or
// else alias is true and the node is equal to the node x.
func (r *Recording) simplify(code op.Code, a, b int32) (cheapest op.Code, x, y int32, alias bool) {
	switch code {
	case op.Add:
		if m := r.Node(max(a, b)); m.Op == op.Neg {
			return op.Sub, min(a, b), m.A, false
		}
		if m := r.Node(min(a, b)); m.Op == op.Neg {
			return op.Sub, max(a, b), m.A, false
		}
		return op.Add, min(a, b), max(a, b), false
	case op.Mul, op.Prod:
		if a == b {
			return op.Square, a, 0, false
		}
		return code, min(a, b), max(a, b), false
	case op.Sub:
		if m := r.Node(b); m.Op == op.Neg {
			return op.Add, min(a, m.A), max(a, m.A), false
		}
	case op.Neg:
		if m := r.Node(a); m.Op == op.Neg {
			return op.Neg, m.A, 0, true
		}
	case op.DivReal:
		c := r.reals[b]
		if frac, _ := math.Frexp(c); math.Abs(frac) == 0.5 && 1/c != 0 && !math.IsInf(1/c, 0) {
			return r.simplify(op.Scale, a, r.real(1/c))
		}
	case op.Scale:
		c := r.reals[b]
		switch c {
		case 1:
			return op.Scale, a, 0, true
		case -1:
			return r.simplify(op.Neg, a, 0)
		}
		if m := r.Node(a); m.Op == op.Neg {
			return op.Scale, m.A, r.real(-c), false
		}
	default:
		if code.Even() {
			if m := r.Node(a); m.Op == op.Neg {
				return code, m.A, b, false
			}
		}
	}
	return code, a, b, false
}

// find is the number of a node in its cheapest form, which is appended unless
// there is its like.
func (r *Recording) find(code op.Code, a, b int32) int32 {
	k := code.Operands()
	if k == 0 {
		return r.lookUp(Node{A: a, B: b, Op: code})
	}
	last := a
	if k == 2 {
		last = max(a, b)
	}
	operand := r.Node(last)
	for i := operand.Mark - 1; i >= 0; {
		m := r.Node(i)
		if m.Op == code && m.A == a && (m.B == b || code.Constant() != op.NoConstant && equalBits(r.reals[m.B], r.reals[b])) {
			return i
		}
		if m.older == 0 {
			break
		}
		i -= int32(m.older)
	}
	if operand.uses < maxUsers*user {
		distance := int32(0)
		if operand.Mark > 0 {
			distance = int32(r.count) + 1 - operand.Mark
		}
		if int(last) < r.First() {
			operand = r.written(last)
		}
		if distance <= math.MaxUint16 {
			if k == 2 {
				r.Use(min(a, b))
			}
			operand.use()
			if !r.begin() {
				return 0
			}
			i := int32(r.count) // as by append, which is not inlined
			*r.Node(i) = Node{A: a, B: b, older: uint16(distance), Op: code}
			r.count++
			operand.Mark = i + 1
			operand.uses += user
			return i
		}
		operand.uses |= maxUsers * user
	}
	return r.lookUp(Node{A: a, B: b, Op: code})
}

// lookUp is find for a node of the hash table.
func (r *Recording) lookUp(n Node) int32 {
	if 4*r.hashed >= 3*len(r.table) {
		r.rehash()
	}
	mask := uint64(len(r.table) - 1)
	h := r.hash(&n)
	for k := h & mask; ; k = (k + 1) & mask {
		s := r.table[k]
		if s == 0 {
			switch n.Op.Operands() {
			case 2:
				r.Use(n.B)
				fallthrough
			case 1:
				r.Use(n.A)
			default:
				for _, j := range r.List(&n) {
					r.Use(j)
				}
			}
			i := r.append(n)
			r.table[k] = h&^math.MaxUint32 | uint64(i+1)
			r.hashed++
			return i
		}
		if (s^h)>>32 != 0 {
			continue
		}
		if i := int32(uint32(s)) - 1; r.same(r.Node(i), &n) {
			return i
		}
	}
}

// same reports whether two nodes are equal operations.
func (r *Recording) same(m, n *Node) bool {
	if m.Op != n.Op {
		return false
	}
	if n.Op.HasList() {
		if m.B != n.B || !slices.Equal(r.List(m), r.List(n)) || !equalBits(r.ConstantOf(m), r.ConstantOf(n)) {
			return false
		}
		return n.Op != op.Affine || slices.EqualFunc(r.Weights(m), r.Weights(n), equalBits)
	}
	return m.A == n.A && (m.B == n.B || n.Op.Constant() != op.NoConstant && equalBits(r.reals[m.B], r.reals[n.B]))
}

func (r *Recording) hash(n *Node) uint64 {
	const factor = 0x9e3779b97f4a7c15
	a, b := uint64(uint32(n.A)), uint64(uint32(n.B))
	c := math.Float64bits(r.ConstantOf(n))
	switch {
	case n.Op.HasList():
		a = 0
		for _, i := range r.List(n) {
			a = (a ^ uint64(i)) * factor
		}
		if n.Op == op.Affine {
			for _, w := range r.Weights(n) {
				a = (a ^ math.Float64bits(w)) * factor
				a ^= a >> 32
			}
		}
	case n.Op.Constant() != op.NoConstant:
		b = 0
	}
	h := (a<<32 ^ b ^ a>>32 ^ uint64(n.Op)<<57 ^ c) * factor
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// rehash makes the table larger.
func (r *Recording) rehash() {
	old := r.table
	r.table = make([]uint64, 4*len(old))
	mask := uint64(len(r.table) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		k := r.hash(r.Node(int32(uint32(s))-1)) & mask
		for r.table[k] != 0 {
			k = (k + 1) & mask
		}
		r.table[k] = s
	}
}
