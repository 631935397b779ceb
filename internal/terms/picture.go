package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
)

// picture is how a term lies on the tape: its operations, and how far each is before the
// root. Most terms were recorded by a loop, and lie as the one before. Comparing a term with
// a picture takes a fifth of the time of matching its steps, since nothing is marked. Where
// that fails, the picture of this term is kept instead, if it does not fail too often.
type picture struct {
	spots        []spot
	reach        int32  // how far the first operation is before the root
	params       []bool // by leaf: it is a parameter
	hits, misses int
}

// spot is an operation of a picture.
type spot struct {
	back   int32   // how far it is before the root
	a, b   operand // its operands in the order of the tape; b only if there are two
	number int32   // of its constant among those of the term, or noNumber or integer
	code   op.Code
	two    bool
	bits   uint64 // of an integer constant
}

// Instead of the number of a constant.
const (
	noNumber = -1 // the operation has none
	integer  = -2 // an int, which is a part of the shape
)

// operand is, of an operation, how far it is before the root; of leaf number l, −1 − 2l where
// it comes for the first time and −2 − 2l otherwise.
type operand int32

// keepPicture makes the term that was matched the picture of s, if it consists of elementary
// operations, inputs and parameters.
func (d *detector) keepPicture(s *class) {
	z := &s.picture
	z.spots, z.reach = z.spots[:0], 0
	if slices.ContainsFunc(s.Steps, func(st expr.Node) bool { return st.Leaf == expr.Data }) {
		return
	}
	met := make([]bool, len(s.leaves))
	if z.params == nil {
		z.params = make([]bool, len(s.leaves))
		for _, st := range s.Steps {
			if st.Leaf == expr.Parameter {
				z.params[st.A] = true
			}
		}
	}
	last := int32(len(s.Steps)) - 1
	root := d.node[s.Steps[last].A]
	for k := last - 1; k >= 0; k-- {
		i, st := d.node[k], &s.Steps[k]
		if i == within || i >= d.base && !d.p.Op(i).Elementary() {
			z.spots = z.spots[:0]
			return
		}
		if i < d.base {
			continue
		}
		at := func(step, i int32) operand {
			if i >= d.base {
				return operand(root - i)
			}
			leaf := s.Steps[step].A
			if !met[leaf] {
				met[leaf] = true
				return ^operand(2 * leaf)
			}
			return ^operand(2*leaf + 1)
		}
		p := spot{back: root - i, code: d.p.Op(i), number: noNumber, two: d.p.Op(i).Operands() == 2}
		a, b := d.p.Args(i)
		switch {
		case !p.two:
			p.a = at(st.A, a)
		case p.code.Commutes() && d.p.Op(b) > d.p.Op(a): // see step
			p.a = at(st.B, a)
			p.b = at(st.A, b)
		default:
			p.a = at(st.A, a)
			p.b = at(st.B, b)
		}
		switch p.code.Constant() {
		case op.RealConstant:
			p.number = st.C
		case op.IntConstant:
			p.number, p.bits = integer, st.K
		}
		z.spots = append(z.spots, p)
		z.reach = max(z.reach, p.back)
	}
}

// looksLike reports whether the term under root lies like the picture of s, and sets leaves
// and numbers to those of the term.
func (d *detector) looksLike(s *class, root int32, leaves []int32, numbers []float64) bool {
	if len(s.picture.spots) == 0 || root-s.picture.reach < d.base {
		return false
	}
	for k := range s.picture.spots {
		p := &s.picture.spots[k]
		i := root - p.back
		code, a, b := d.p.At(i)
		if code != p.code || !p.a.is(a, root, leaves) || p.two && !p.b.is(b, root, leaves) {
			return false
		}
		if p.number >= 0 {
			numbers[p.number] = d.p.ConstantBy(i, b)
		} else if p.number == integer && math.Float64bits(d.p.ConstantBy(i, b)) != p.bits {
			return false
		}
	}
	for l, param := range s.picture.params {
		if i := int(leaves[l]); i >= d.inputs+d.params || param != (i >= d.inputs) {
			return false
		}
	}
	return d.differ(leaves)
}

// is reports whether node i is the operand p of a term with the given root. A leaf that comes
// for the first time may be any node, which it sets in leaves.
func (p operand) is(i, root int32, leaves []int32) bool {
	if p >= 0 {
		return i == root-int32(p)
	}
	l := &leaves[^p>>1]
	if ^p&1 == 0 {
		*l = i
	}
	return *l == i
}

// differ reports whether all leaves are different nodes.
func (d *detector) differ(leaves []int32) bool {
	if len(leaves) <= 8 { // in half the time
		for l, i := range leaves {
			if slices.Contains(leaves[:l], i) {
				return false
			}
		}
		return true
	}
	d.marks.clear()
	for _, i := range leaves {
		if !d.marks.add(i, 0) {
			return false
		}
	}
	return true
}
