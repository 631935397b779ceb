// Package compile turns recordings into programs.
package compile

import (
	"sync"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Compile makes a program of a recording: nodes that reach no output and no guard
// go away, long sums become one operation, and the rest is put in order by level
// and operation. It changes r, of which no other program can be made, and panics if
// r has an error. Cost: O(N) time and memory in N nodes.
func Compile(r *tape.Recording, outputs []int32) *Program {
	if r.Err != nil {
		panic(r.Err)
	}
	c := newCompiler(r, outputs)
	defer scratches.Put(c.scratch)
	c.countUses()
	c.chains()
	return c.arrange()
}

// Plain is Compile without any pass but that of dead code: the operations of a
// traced recording in the order in which they were recorded, one by one. It is what
// Compile must agree with, and where a fault is looked for.
func Plain(r *tape.Recording, outputs []int32) *Program {
	c := newCompiler(r, outputs)
	defer scratches.Put(c.scratch)
	c.countUses()
	ids := c.ids[:0]
	for i, n := range r.Nodes {
		if int(i) >= r.First() && c.needed(i) && n.Op != op.Const {
			ids = append(ids, i)
		}
	}
	c.ids = ids
	w := r.NewWriter(c.needed)
	w.Room(len(ids))
	for k, i := range ids {
		w.Place(r.Node(i).Op, ids[k:k+1], int32(w.Base()+k))
	}
	return NodeByNode(w.Finish(outputs))
}

// NodeByNode is the program that runs the operations of t one by one.
func NodeByNode(t *tape.Tape) *Program {
	p := &Program{Tape: *t}
	if t.Ops() > 0 {
		p.batches = []Batch{{Kind: Mixed, Lo: int32(t.Base()), Hi: int32(t.Len()), Inner: true}}
	}
	p.finish(new(scratch))
	return p
}

type compiler struct {
	*tape.Recording
	outputs []int32
	*scratch
}

// scratch is the memory of a compilation that can be used again.
type scratch struct {
	uses  []uint8 // how often each node is an operand, an output or guarded; at most 2
	inner []bool  // it has a nonlinear descendant
	chain []int32 // the number of additions in the chain that ends at each node
	terms []int32 // of a chain
	signs []float64

	level, groupOf    []int32
	groups            []group
	heads, order, ids []int32
	tmp               []int32
	key, other        []uint64
	set, met          []bool
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func newCompiler(r *tape.Recording, outputs []int32) *compiler {
	return &compiler{Recording: r, outputs: outputs, scratch: scratches.Get().(*scratch)}
}

// zeroed is n zeros in the memory of x.
func zeroed[T any](x *[]T, n int) []T {
	if cap(*x) < n {
		*x = make([]T, n)
		return *x
	}
	*x = (*x)[:n]
	clear(*x)
	return *x
}

func (c *compiler) use(i int32) {
	if c.uses[i] < 2 {
		c.uses[i]++
	}
}

// needed reports whether node i reaches an output or a guard.
func (c *compiler) needed(i int32) bool { return c.uses[i] > 0 }

// countUses counts how often each node is an operand, an output or guarded;
// 0 means that it is not needed. It also marks the inner nodes, those whose
// tangent or second-order adjoint can matter to a Hessian.
func (c *compiler) countUses() {
	zeroed(&c.uses, c.Len())
	zeroed(&c.inner, c.Len())
	for _, i := range c.outputs {
		c.use(i)
	}
	for _, g := range c.Guards() {
		c.use(g.A)
		c.use(g.B)
	}
	for i := int32(c.Len()) - 1; int(i) >= c.First(); i-- {
		if !c.needed(i) {
			continue
		}
		n := c.Node(i)
		inner := c.inner[i] || !n.Op.Linear()
		use := func(j int32) {
			c.use(j)
			c.inner[j] = c.inner[j] || inner
		}
		switch k := n.Op.Operands(); {
		case k == 1:
			use(n.A)
		case k == 2:
			use(n.A)
			use(n.B)
		case n.Op == op.Call && n.B > 0:
			inner = c.inner[i]
			use(i - n.B)
		case n.Op.HasList():
			for _, j := range c.List(n) {
				use(j)
			}
			if n.Op == op.Call { // its outputs stay together
				for j := range c.CallOutputs(n) {
					c.use(i + j)
				}
			}
		}
	}
}

// chains turns s = s + t₁, s = s + t₂, … into one sum that adds in the same
// order, where the sums between are used only there. Otherwise every addition
// of such a loop would be a level of its own.
func (c *compiler) chains() {
	zeroed(&c.chain, c.Len())
	longest := int32(0)
	for i, n := range c.Nodes {
		k := int32(0)
		switch n.Op {
		case op.Add:
			k = 1 + max(c.length(n.A), c.length(n.B))
		case op.Sub, op.AddReal:
			k = 1 + c.length(n.A)
		}
		c.chain[i] = k
		longest = max(longest, k)
	}
	if longest < tape.MinChain {
		return
	}
	for i := int32(c.Len()) - 1; int(i) >= c.First(); i-- {
		if c.chain[i] >= tape.MinChain && c.needed(i) {
			c.sum(i)
		}
	}
}

// length is that of the chain that a user of node i goes on with.
func (c *compiler) length(i int32) int32 {
	if c.uses[i] != 1 {
		return 0
	}
	return c.chain[i]
}

// sum makes the chain that ends at node i one operation.
func (c *compiler) sum(i int32) {
	k := int(c.chain[i]) + 1
	terms, signs := zeroed(&c.terms, k), zeroed(&c.signs, k)
	constant, negative := tape.NegZero, false
	term := func(j int32, minus bool) {
		k--
		terms[k], signs[k] = j, 1
		if minus {
			signs[k] = -1
			negative = true
		}
	}
	for m, end := *c.Node(i), false; !end; {
		if m.Op == op.Add && c.length(m.B) > c.length(m.A) {
			m.A, m.B = m.B, m.A
		}
		end = c.length(m.A) == 0
		switch {
		case m.Op != op.AddReal:
			term(m.B, m.Op == op.Sub)
		case end:
			constant = c.ConstantOf(&m)
		default:
			term(c.constant(c.ConstantOf(&m)), false)
		}
		if end {
			term(m.A, false)
			break
		}
		c.uses[m.A] = 0
		m = *c.Node(m.A)
	}
	terms, signs = terms[k:], signs[k:] // all, unless the chain begins with a constant
	if !negative {
		signs = nil
	}
	c.SetSum(i, constant, signs, terms)
}

// constant is a node with the value x.
func (c *compiler) constant(x float64) int32 {
	i := c.Constant(x)
	if int(i) == len(c.uses) {
		c.uses, c.inner = append(c.uses, 0), append(c.inner, false)
	}
	c.use(i)
	return i
}
