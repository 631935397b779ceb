package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// chains turns s = s + t₁, s = s + t₂, … into one sum that adds in the same order, where
// nothing else uses the partial sums. Otherwise every addition of such a loop would be a
// level of its own. Subtractions and additions of constants belong to a chain, too: with a
// subtraction the sum is an affine one, of weights ±1. It returns how many constants became
// operands.
func chains(r *tape.Recording) (constants int) {
	longest := int32(0)
	for lo, nodes := 0, r.Piece(0); len(nodes) > 0; nodes = r.Piece(lo) {
		for k := range nodes {
			switch n := &nodes[k]; n.Op {
			case op.Add:
				n.Mark = 1 + max(chain(r.Node(n.A)), chain(r.Node(n.B)))
				longest = max(longest, n.Mark)
			case op.Sub, op.AddReal:
				n.Mark = 1 + chain(r.Node(n.A))
				longest = max(longest, n.Mark)
			}
		}
		lo += len(nodes)
	}
	if longest < tape.MinTerms {
		return 0
	}
	s := new(summer)
	for i := int32(r.Len()) - 1; int(i) >= r.First(); i-- {
		if n := r.Node(i); adds(n) && n.Mark >= tape.MinTerms && n.Uses() > 0 {
			s.sum(r, i)
		}
	}
	return s.constants
}

// adds reports whether a node may be in a chain. The Mark of such a node is the length of
// the longest chain that ends with it, in additions.
func adds(n *tape.Node) bool { return n.Op == op.Add || n.Op == op.Sub || n.Op == op.AddReal }

// chain is the length of the chain that the only user of n can take n into; 0 if n has
// several users, and so has to stay, or is no addition.
func chain(n *tape.Node) int32 {
	if n.Uses() != 1 || !adds(n) {
		return 0
	}
	return n.Mark
}

// summer is memory for the terms of a chain and their signs.
type summer struct {
	terms []int32
	signs []float64

	constants int // how many became operands
}

// sum makes the chain that ends with node i one operation. It walks from the last term of
// the chain to the first.
func (s *summer) sum(r *tape.Recording, i int32) {
	k := int(r.Node(i).Mark) + 1
	terms, signs := zeroed(&s.terms, k), []float64(nil) // all 1
	constant := tape.NegZero
	term := func(j int32) {
		k--
		terms[k] = j
	}
	for m := *r.Node(i); ; m = *r.Node(m.A) {
		if m.Op == op.Add && chain(r.Node(m.B)) > chain(r.Node(m.A)) {
			m.A, m.B = m.B, m.A
		}
		next := r.Node(m.A)
		end := chain(next) == 0
		switch {
		case m.Op == op.AddReal && end:
			constant = r.ConstantOf(&m) // the sum begins with it
		case m.Op == op.AddReal:
			c := r.Constant(r.ConstantOf(&m))
			if r.Node(c).Uses() == 0 {
				s.constants++
			}
			r.Use(c)
			term(c)
		case m.Op == op.Sub:
			term(m.B)
			if signs == nil {
				signs = s.ones(len(terms))
			}
			signs[k] = -1
		default:
			term(m.B)
		}
		if end {
			term(m.A)
			break
		}
		next.Absorb() // the partial sum is no node anymore
	}
	if signs != nil {
		signs = signs[k:]
	}
	r.SetSum(i, constant, signs, terms[k:]) // k is 1 if the sum begins with a constant, else 0
}

// ones is n signs.
func (s *summer) ones(n int) []float64 {
	s.signs = slices.Grow(s.signs[:0], n)[:n]
	for k := range s.signs {
		s.signs[k] = 1
	}
	return s.signs
}
