package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// matching compares the operations of a candidate with the steps of a class, from the last
// to the first: a step that matches a node says which nodes the steps that are its operands
// must match.
type matching struct {
	*detector
	steps   []expr.Node
	leaves  []int32   // of the candidate
	numbers []float64 // its constants
}

// Instead of the node of a step.
const (
	unbound = -1 // not known yet
	within  = -2 // the step is a part of the sum that a node is
)

// match adds c to the class that is expected, and reports false, and changes nothing, if c is
// not of that class. It is the class of the term that came last after one of the class of
// the term before. This takes half the time of trace.
func (d *detector) match(c *candidate) bool {
	if int(d.last) >= len(d.classes) || d.role(c).factor != noFactor {
		return false
	}
	k := d.classes[d.last].after
	s := d.classes[k]
	if s.joined {
		return false
	}
	last := int32(len(s.Steps)) - 1 // the product with the scale
	d.leaves = slices.Grow(d.leaves[:0], len(s.leaves))[:len(s.leaves)]
	d.numbers = slices.Grow(d.numbers[:0], len(s.data))[:len(s.data)]
	if d.looksLike(s, c.root, d.leaves, d.numbers) {
		s.hits++
	} else {
		m := matching{d, s.Steps, d.leaves, d.numbers}
		if !m.matches(c.root, last) {
			return false
		}
		if s.misses++; s.misses <= 16+s.hits/4 {
			d.keepPicture(s)
		}
	}
	d.numbers[s.Steps[last].C] = d.role(c).scale
	d.budget -= s.visits
	s.append(d.leaves, d.numbers, []int32{c.row})
	c.class = k
	d.follow(k)
	return true
}

// matches reports whether the operations under root are the steps of the class before last.
func (m *matching) matches(root, last int32) bool {
	d := m.detector
	d.marks.clear()
	d.node = slices.Grow(d.node[:0], int(last))[:last]
	for i := range d.node {
		d.node[i] = unbound
	}
	d.node[m.steps[last].A] = root
	for k := last - 1; k >= 0; k-- {
		if i := d.node[k]; i != within && !m.step(k, i) {
			return false
		}
	}
	return true
}

// step reports whether node i matches step k. A node that has matched another step does not.
func (m *matching) step(k, i int32) bool {
	if !m.marks.add(i, k) {
		return false
	}
	st := &m.steps[k]
	if i < m.base {
		return m.leaf(st, i)
	}
	code := m.p.Op(i)
	if code.HasList() {
		return m.list(k, i, code)
	}
	if code != st.Op || st.Leaf != expr.Operation {
		return false
	}
	a, b := m.p.Args(i)
	if code.Operands() == 2 {
		if code.Commutes() && m.p.Op(b) > m.p.Op(a) {
			a, b = b, a
		}
		return m.bind(st.A, a) && m.bind(st.B, b)
	}
	switch code.Constant() {
	case op.RealConstant:
		m.numbers[st.C] = m.p.Constant(i)
	case op.IntConstant:
		if math.Float64bits(m.p.Constant(i)) != st.K {
			return false
		}
	}
	if code == op.Own {
		if f, order := m.p.OwnNumber(i); st.B != f || int(st.C) != order {
			return false
		}
	}
	return m.bind(st.A, a)
}

// leaf reports whether node i, which is no operation, matches a step.
func (m *matching) leaf(st *expr.Node, i int32) bool {
	switch k := int(i); {
	case k >= m.inputs+m.params:
		if st.Leaf != expr.Data {
			return false
		}
		m.numbers[st.A] = m.p.Consts()[k-m.inputs-m.params]
		return true
	case st.Leaf != expr.Variable && k < m.inputs || st.Leaf != expr.Parameter && k >= m.inputs:
		return false
	}
	m.leaves[st.A] = i
	return true
}

// list reports whether node i, an operation on a list, matches step k and those before it
// that make up the same sum.
func (m *matching) list(k, i int32, code op.Code) bool {
	switch code {
	case op.Sum:
		x := m.p.SumAt(i)
		return m.sum(k, m.p.Constant(i), len(x), func(k, at int32) bool { return m.bind(at, x[k]) })
	case op.Affine:
		w, x := m.p.AffineAt(i)
		return m.sum(k, m.p.Constant(i), len(x), func(k, at int32) bool {
			st := &m.steps[at]
			if !m.isWithin(at, op.Scale) {
				return false
			}
			m.numbers[st.C] = w[k]
			return m.bind(st.A, x[k])
		})
	case op.Dot:
		x, y := m.p.DotAt(i)
		return m.sum(k, tape.NegZero, len(x), func(k, at int32) bool {
			st := &m.steps[at]
			if x[k] == y[k] {
				return m.isWithin(at, op.Square) && m.bind(st.A, x[k])
			}
			return m.isWithin(at, op.Mul) && m.bind(st.A, x[k]) && m.bind(st.B, y[k])
		})
	}
	return false
}

// sum reports whether the step at, with those that make up the same sum, is c plus n terms
// added from the left; term(k, at) reports whether the step at is term k.
func (m *matching) sum(at int32, c float64, n int, term func(k, at int32) bool) bool {
	if n < 2 {
		return false
	}
	for k := int32(n) - 1; k > 0; k-- {
		st := &m.steps[at]
		if st.Leaf != expr.Operation || st.Op != op.Add || !term(k, st.B) {
			return false
		}
		at = st.A
		if k > 1 && !m.isWithin(at, op.Add) {
			return false
		}
	}
	if !expr.Starts(c) {
		if !m.isWithin(at, op.AddReal) {
			return false
		}
		st := &m.steps[at]
		m.numbers[st.C] = c
		at = st.A
	}
	return term(0, at)
}

// isWithin makes the step at, of operation code, a part of a sum that has no node of its own.
// It reports false if that cannot be.
func (m *matching) isWithin(at int32, code op.Code) bool {
	st := &m.steps[at]
	if m.node[at] != unbound || st.Leaf != expr.Operation || st.Op != code {
		return false
	}
	m.node[at] = within
	return true
}

// bind makes i the node of the step at; it reports false if that has another one already.
func (m *matching) bind(at, i int32) bool {
	if m.node[at] == unbound {
		m.node[at] = i
	}
	return m.node[at] == i
}
