package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// chains turns s = s + t₁, s = s + t₂, … into one sum that adds in the same order, where
// nothing else uses the partial sums. Otherwise every addition of such a loop would be a
// level of its own. Subtractions and additions of constants belong to a chain, too: with a
// subtraction the sum is an affine one, of weights ±1. long is how many nodes isLong holds
// for.
func chains(r *tape.Recording, long int) {
	s := summer{long: long}
	for i := int32(r.Len()) - 1; s.long > 0; i-- {
		if n := r.Node(i); isLong(n) {
			s.sum(r, i)
		}
	}
}

// isLong reports whether the chain that ends with n is long enough for a sum.
func isLong(n *tape.Node) bool { return n.Mark >= tape.MinTerms && adds(n) && n.Uses() > 0 }

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

	long int // how many nodes isLong still holds for
}

// sum makes the chain that ends with node i one operation. It walks from the last term of
// the chain to the first.
func (s *summer) sum(r *tape.Recording, i int32) {
	s.long--
	k := int(r.Node(i).Mark) + 1
	terms, signs := tape.Zeroed(&s.terms, k), []float64(nil) // all 1
	constant := tape.NegZero
	term := func(j int32) {
		k--
		terms[k] = j
	}
	for m := r.Node(i); ; {
		a, b := m.A, m.B
		next := r.Node(a)
		if m.Op == op.Add && chain(r.Node(b)) > chain(next) {
			a, b = b, a
			next = r.Node(a)
		}
		end := chain(next) == 0
		switch {
		case m.Op == op.AddReal && end:
			constant = r.ConstantOf(m) // the sum begins with it
		case m.Op == op.AddReal:
			c := r.Constant(r.ConstantOf(m))
			r.Use(c)
			term(c)
		case m.Op == op.Sub:
			term(b)
			if signs == nil {
				signs = s.ones(len(terms))
			}
			signs[k] = -1
		default:
			term(b)
		}
		if end {
			term(a)
			break
		}
		if isLong(next) {
			s.long--
		}
		next.Absorb() // the partial sum is no node anymore
		m = next
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
