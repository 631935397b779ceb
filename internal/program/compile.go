package program

import "math"

// A sum of at least minChain additions becomes one operation; a shorter one
// stays binary, where additions of many alike terms share batches.
const minChain = 8

var negZero = math.Copysign(0, -1) // −0 + x is x for every x

// Compile makes a program of a recording, which it uses up: nodes that reach no
// output and no guard go away, long sums become one operation, and the rest is
// put in order by level and operation. It panics if r has an error. Cost: O(N)
// time and memory in N nodes.
func Compile(r *Recording, outputs []int32) *Program {
	if r.Err != nil {
		panic(r.Err)
	}
	c := &compiler{Recording: r, outputs: outputs}
	c.countUses()
	c.chains()
	return c.arrange()
}

type compiler struct {
	*Recording
	outputs []int32
}

// first is the first node that is no input or parameter.
func (c *compiler) first() int { return c.inputs + c.params }

func (n *Node) use() {
	if n.uses < 2 {
		n.uses++
	}
}

// countUses counts how often each node is an operand, an output or guarded;
// 0 means that it is not needed. It also marks the inner nodes, those whose
// tangent or second-order adjoint can matter to a Hessian.
func (c *compiler) countUses() {
	for _, i := range c.outputs {
		c.node(i).use()
	}
	for k := range c.guards {
		g := &c.guards[k]
		c.node(g.A).use()
		c.node(g.B).use()
	}
	chunks := c.chunks
	for i := int32(c.count) - 1; int(i) >= c.first(); i-- {
		n := &chunks[i>>chunkBits].node[i&(chunkSize-1)]
		if n.uses == 0 {
			continue
		}
		in := n.inner || !n.Op.Linear()
		use := func(j int32) {
			m := &chunks[j>>chunkBits].node[j&(chunkSize-1)]
			m.use()
			m.inner = m.inner || in
		}
		switch k := n.Op.Operands(); {
		case k == 1:
			use(n.A)
		case k == 2:
			use(n.A)
			use(n.B)
		case n.Op == Call && n.B > 0:
			in = n.inner
			use(i - n.B)
		case n.Op.HasList():
			for _, j := range c.list(n) {
				use(j)
			}
			if n.Op == Call { // its outputs stay together
				for j := range c.calls[n.A].outputs() {
					c.node(i + j).use()
				}
			}
		}
	}
}

// chains turns s = s + t₁, s = s + t₂, … into one sum that adds in the same
// order, where the sums between are used only there. Otherwise every addition
// of such a loop would be a level of its own.
func (c *compiler) chains() {
	// The length of a chain is the number of additions, kept in newest.
	length := func(i int32) int32 { // of what a user of node i goes on with
		if c.node(i).uses != 1 {
			return 0
		}
		return c.link(i).newest
	}
	longest := int32(0)
	for i, n := range c.nodes {
		k := int32(0)
		switch n.Op {
		case Add:
			k = 1 + max(length(n.A), length(n.B))
		case Sub, AddReal:
			k = 1 + length(n.A)
		}
		c.link(i).newest = k
		longest = max(longest, k)
	}
	if longest < minChain {
		return
	}
	for i := int32(c.count) - 1; int(i) >= c.first(); i-- {
		if c.link(i).newest < minChain {
			continue
		}
		if n := c.node(i); n.uses > 0 {
			c.chain(i, n, length)
		}
	}
}

// chain makes the chain that ends at node i one sum.
func (c *compiler) chain(i int32, n *Node, length func(i int32) int32) {
	terms := c.link(i).newest + 1
	at := int32(len(c.lists))
	const head = 2 // as for an Affine, whether it is one or not
	c.lists = roomFor(c.lists, int(head+terms))[:at+head+terms]
	list := c.lists[at+head:]
	constant, k, negative := negZero, terms, false
	term := func(j int32, minus bool) {
		k--
		list[k] = j
		if minus {
			list[k] = ^j
			negative = true
		}
	}
	for m, end := *n, false; !end; {
		if m.Op == Add && length(m.B) > length(m.A) {
			m.A, m.B = m.B, m.A
		}
		end = length(m.A) == 0
		switch {
		case m.Op != AddReal:
			term(m.B, m.Op == Sub)
		case end:
			constant = c.reals[m.B]
		default:
			term(c.constantNode(c.reals[m.B]), false)
		}
		if end {
			term(m.A, false)
			break
		}
		next := c.node(m.A)
		next.uses = 0
		m = *next
	}
	list = list[k:] // all of it, unless the chain begins with a constant
	*n = Node{Op: Sum, A: at + head - 1, B: terms - k, uses: n.uses, inner: n.inner}
	copy(c.lists[at+head:], list)
	list = c.lists[at+head:][:len(list)]
	c.lists = c.lists[:at+head+n.B]
	c.lists[at+1] = c.real(constant)
	if !negative {
		return
	}
	n.Op, n.A = Affine, at
	c.lists[at] = int32(len(c.coefs))
	for k, j := range list {
		sign := 1.0
		if j < 0 {
			list[k], sign = ^j, -1
		}
		c.coefs = grown(c.coefs, sign)
	}
}

// constantNode is a node with the value x.
func (c *compiler) constantNode(x float64) int32 {
	i := c.Constant(x)
	c.node(i).use()
	return i
}
