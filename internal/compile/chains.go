package compile

import (
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// chains turns s = s + t₁, s = s + t₂, … into one sum that adds in the same
// order, where the sums between are used only there. Otherwise every addition
// of such a loop would be a level of its own. Subtractions and constants belong to a
// chain, too: with a subtraction the sum is an affine one, of weights ±1.
func (c *compiler) chains() {
	additions := zeroed(&c.byNode, c.Len())
	longest := int32(0)
	for i, n := range c.Nodes {
		k := int32(0)
		switch n.Op {
		case op.Add:
			k = 1 + max(c.chain(n.A), c.chain(n.B))
		case op.Sub, op.AddReal:
			k = 1 + c.chain(n.A)
		}
		additions[i] = k
		longest = max(longest, k)
	}
	if longest < tape.MinTerms {
		return
	}
	for i := int32(c.Len()) - 1; int(i) >= c.First(); i-- {
		if additions[i] >= tape.MinTerms && c.live(i) {
			c.sum(i)
		}
	}
}

// chain is how many additions the only user of node i goes on with; 0 if it has
// several users, and so has to stay.
func (c *compiler) chain(i int32) int32 {
	if c.uses[i] != 1 {
		return 0
	}
	return c.byNode[i]
}

// sum makes the chain that ends with node i one operation. It is walked from its
// last term to the first.
func (c *compiler) sum(i int32) {
	k := int(c.byNode[i]) + 1
	terms, signs := zeroed(&c.terms, k), zeroed(&c.signs, k)
	constant, negative := tape.NegZero, false
	term := func(j int32, sign float64) {
		k--
		terms[k], signs[k] = j, sign
		negative = negative || sign < 0
	}
	for m := *c.Node(i); ; m = *c.Node(m.A) {
		if m.Op == op.Add && c.chain(m.B) > c.chain(m.A) {
			m.A, m.B = m.B, m.A
		}
		end := c.chain(m.A) == 0
		switch {
		case m.Op == op.AddReal && end:
			constant = c.ConstantOf(&m) // the sum begins with it
		case m.Op == op.AddReal:
			term(c.constant(c.ConstantOf(&m)), 1)
		case m.Op == op.Sub:
			term(m.B, -1)
		default:
			term(m.B, 1)
		}
		if end {
			term(m.A, 1)
			break
		}
		c.uses[m.A] = 0 // it is a part of the sum
	}
	terms, signs = terms[k:], signs[k:] // one shorter if the sum begins with a constant
	if !negative {
		signs = nil
	}
	c.SetSum(i, constant, signs, terms)
}

// constant is a node with the value x.
func (c *compiler) constant(x float64) int32 {
	i := c.Constant(x)
	if int(i) == len(c.uses) {
		c.uses, c.feeds = append(c.uses, 0), append(c.feeds, false)
	}
	c.use(i)
	return i
}
