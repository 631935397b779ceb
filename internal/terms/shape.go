package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
)

// shape is the function that alike terms have in common, and what differs from term
// to term.
type shape struct {
	expr.Function
	dims   dims         // of the program that the terms are part of
	terms  int          // how many there are
	vars   []code.Index // by variable of the function: which input it is in each term
	params []code.Index // by parameter of the function: which parameter it is in each term
	data   []data       // by constant of the function: what it is in each term
	rows   []code.Index // by result of the function: the output to which each term adds it
	swept  *sweptTerm   // how to find derivatives by sweeps, nil if all are symbolic

	careful func() *expr.Function // of a derivative, with derivative products; nil if it has none
}

// dims is how many inputs, parameters and outputs there are.
type dims struct{ inputs, params, outputs int }

// data is a constant of the terms: one number of each, or one of all.
type data struct {
	each []float64 // nil if it is the same in all terms
	all  float64
}

// equal reports whether the numbers of all terms have the same bits.
func (d data) equal(e data) bool {
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	return same(d.all, e.all) && slices.EqualFunc(d.each, e.each, same)
}

// newData is the numbers at(t) of n terms.
func newData(n int, at func(t int) float64) data {
	d := data{all: at(0)}
	for t := range n {
		if math.Float64bits(at(t)) != math.Float64bits(d.all) {
			d.each = make([]float64, n)
			for t := range d.each {
				d.each[t] = at(t)
			}
			break
		}
	}
	return d
}

// add makes c the constant of term t, when all before have theirs; there may be most terms.
func (d *data) add(t int, c float64, most int) {
	switch {
	case t == 0:
		d.all = c
		return
	case d.each == nil && math.Float64bits(c) == math.Float64bits(d.all):
		return
	case d.each == nil:
		d.each = slices.Repeat([]float64{d.all}, t)
	}
	if len(d.each) == cap(d.each) {
		d.each = code.Longer(d.each, most)
	}
	d.each = append(d.each, c)
}

// at is the constant of term t.
func (d *data) at(t int) float64 {
	if d.each != nil {
		return d.each[t]
	}
	return d.all
}

// setConstants tells the function which constants vary.
func (s *shape) setConstants() {
	s.Constants = make([]expr.Constant, len(s.data))
	for k, d := range s.data {
		s.Constants[k] = expr.Constant{Value: d.all, Varies: d.each != nil}
	}
}

// blocks is how many blocks the terms make.
func (s *shape) blocks() int { return (s.terms + code.Lanes - 1) / code.Lanes }

// operations is how many operations a term has.
func (s *shape) operations() int {
	if s.swept != nil {
		return s.swept.program.Ops()
	}
	n := 0
	for _, st := range s.Steps {
		if st.Leaf == expr.Operation {
			n++
		}
	}
	return n
}

// index says where a leaf of each term is in the array that it is an element of; nil for a
// constant.
func (s *shape) index(leaf expr.Node) *code.Index {
	switch leaf.Leaf {
	case expr.Variable, expr.Direction:
		return &s.vars[leaf.A]
	case expr.Parameter:
		return &s.params[leaf.A]
	case expr.Weight, expr.WeightTangent:
		return &s.rows[leaf.A]
	}
	return nil
}

// isUniform reports whether a leaf is the same in all terms.
func (s *shape) isUniform(leaf expr.Node) bool {
	l := s.index(leaf)
	return l != nil && l.Uniform()
}

// places says where each term adds an output: the element of an array or, of an entry of a
// matrix, its row and its column.
func (s *shape) places(o expr.Output) (i, j *code.Index) {
	switch o.Of {
	case expr.Value, expr.Tangent:
		return &s.rows[o.A], nil
	case expr.Jacobian:
		return &s.rows[o.B], &s.vars[o.A]
	case expr.Hessian:
		return &s.vars[o.A], &s.vars[o.B]
	}
	return &s.vars[o.A], nil
}

// isTotal reports whether all terms add an output to one place.
func (s *shape) isTotal(o expr.Output) bool {
	i, j := s.places(o)
	return i.Uniform() && (j == nil || j.Uniform())
}

// bytes is the memory of the lists.
func (s *shape) bytes() int {
	n := bytesOf(s.vars) + bytesOf(s.params) + bytesOf(s.rows)
	for _, d := range s.data {
		n += 8 * len(d.each)
	}
	return n
}

func bytesOf(x []code.Index) (n int) {
	for k := range x {
		n += x[k].Bytes()
	}
	return n
}
