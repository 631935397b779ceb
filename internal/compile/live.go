package compile

import "github.com/hesse-ad/hesse/internal/op"

// live reports whether node i reaches an output or a guard.
func (c *compiler) live(i int32) bool { return c.uses[i] > 0 }

// use counts a use of node i. Whether it is one or more is all that is asked.
func (c *compiler) use(i int32) {
	if c.uses[i] < 2 {
		c.uses[i]++
	}
}

// findLive counts the uses of all nodes by live ones, by outputs and by guards, from
// the last node to the first. It also notes which nodes feed a nonlinear operation:
// the tangents and second-order adjoints of the others do not matter to a Hessian.
func (c *compiler) findLive() {
	zeroed(&c.uses, c.Len())
	zeroed(&c.feeds, c.Len())
	for _, i := range c.outputs {
		c.use(i)
	}
	for _, g := range c.Guards() {
		c.use(g.A)
		c.use(g.B)
	}
	for i := int32(c.Len()) - 1; int(i) >= c.First(); i-- {
		if !c.live(i) {
			continue
		}
		n := c.Node(i)
		feeds := c.feeds[i] || !n.Op.Linear()
		operand := func(j int32) {
			c.use(j)
			c.feeds[j] = c.feeds[j] || feeds
		}
		switch k := n.Op.Operands(); {
		case k == 1:
			operand(n.A)
		case k == 2:
			operand(n.A)
			operand(n.B)
		case n.Op == op.Call && n.B > 0: // a further output: the first one has the operands
			feeds = c.feeds[i]
			operand(i - n.B)
		case n.Op.HasList():
			for _, j := range c.List(n) {
				operand(j)
			}
			if n.Op == op.Call { // its outputs stay together: sweeps do them at the first
				for j := range c.CallOutputs(n) {
					c.use(i + j)
					c.feeds[i+j] = c.feeds[i]
				}
			}
		}
	}
}
