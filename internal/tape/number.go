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
func (r *Recording) share(n Node) int32 {
	if alias := r.simplify(&n); alias >= 0 {
		return alias
	}
	return r.find(n)
}

// simplify puts a node into its cheapest form with the same values, or returns
// the node that it is equal to; else −1.
func (r *Recording) simplify(n *Node) int32 {
	switch n.Op {
	case op.Add, op.Mul, op.Prod:
		if n.A > n.B {
			n.A, n.B = n.B, n.A
		}
		if n.Op != op.Add {
			if n.A == n.B {
				*n = Node{Op: op.Square, A: n.A}
			}
			break
		}
		if m := r.Node(n.B); m.Op == op.Neg {
			*n = Node{Op: op.Sub, A: n.A, B: m.A}
		} else if m := r.Node(n.A); m.Op == op.Neg {
			*n = Node{Op: op.Sub, A: n.B, B: m.A}
		}
	case op.Sub:
		if m := r.Node(n.B); m.Op == op.Neg {
			*n = Node{Op: op.Add, A: min(n.A, m.A), B: max(n.A, m.A)}
		}
	case op.Neg:
		if m := r.Node(n.A); m.Op == op.Neg {
			return m.A
		}
	case op.DivReal:
		c := r.reals[n.B]
		if frac, _ := math.Frexp(c); math.Abs(frac) == 0.5 && 1/c != 0 && !math.IsInf(1/c, 0) {
			n.Op, n.B = op.Scale, r.real(1/c)
			return r.simplify(n)
		}
	case op.Scale:
		c := r.reals[n.B]
		switch c {
		case 1:
			return n.A
		case -1:
			n.Op, n.B = op.Neg, 0
			return r.simplify(n)
		}
		if m := r.Node(n.A); m.Op == op.Neg {
			n.A, n.B = m.A, r.real(-c)
		}
	default:
		if n.Op.Even() {
			if m := r.Node(n.A); m.Op == op.Neg {
				n.A = m.A
			}
		}
	}
	return -1
}

// find is the number of a node in its cheapest form, which is appended unless
// there is its like.
func (r *Recording) find(n Node) int32 {
	if k := n.Op.Operands(); k > 0 {
		last := n.A
		if k == 2 {
			last = max(n.A, n.B)
		}
		operand := r.Node(last)
		for i := operand.Mark - 1; i >= 0; {
			m := r.Node(i)
			if m.Op == n.Op && m.A == n.A && r.same(m, &n) {
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
				n.older = uint16(distance)
				i := r.append(n)
				operand.Mark = i + 1
				operand.uses += user
				return i
			}
			operand.uses = maxUsers * user
		}
	}
	if 4*r.hashed >= 3*len(r.table) {
		r.rehash()
	}
	mask := uint64(len(r.table) - 1)
	h := r.hash(&n)
	for k := h & mask; ; k = (k + 1) & mask {
		s := r.table[k]
		if s == 0 {
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
