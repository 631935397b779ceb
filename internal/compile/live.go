package compile

import (
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// useResults counts the uses by outputs and by guards.
func useResults(r *tape.Recording, outputs []int32) {
	for _, i := range outputs {
		r.Use(i)
	}
	for _, g := range r.Guards() {
		r.Use(g.A)
		r.Use(g.B)
	}
}

// census is what there is in a recording whose uses have been counted.
type census struct {
	dead bool // there are nodes without a use
	long int  // how many nodes isLong holds for
}

// look goes through all nodes, and sets the Marks of additions that are used, see adds.
func look(r *tape.Recording) (c census) {
	for lo := r.First(); lo < r.Len(); {
		nodes := r.Piece(lo)
		lo += len(nodes)
		for k := range nodes {
			n := &nodes[k]
			if n.Uses() == 0 {
				c.dead = true
				continue
			}
			switch n.Op {
			case op.Add:
				n.Mark = 1 + max(chain(r.Node(n.A)), chain(r.Node(n.B)))
			case op.Sub, op.AddReal:
				n.Mark = 1 + chain(r.Node(n.A))
			default:
				continue
			}
			if isLong(n) {
				c.long++
			}
		}
	}
	return c
}

// findLive counts the uses of all nodes by live ones, by outputs and by guards, from
// the last node to the first.
func findLive(r *tape.Recording, outputs []int32) {
	r.ForgetUses()
	useResults(r, outputs)
	for i := int32(r.Len()) - 1; int(i) >= r.First(); i-- {
		n := r.Node(i)
		if n.Uses() == 0 {
			continue
		}
		switch n.Op.Operands() {
		case 1:
			r.Use(n.A)
		case 2:
			r.Use(n.A)
			r.Use(n.B)
		default:
			if n.Op == op.Call {
				if n.B > 0 { // a further output: the first one has the operands
					r.Use(i - n.B)
					continue
				}
				for j := range r.CallOutputs(n) { // its outputs stay together
					r.Use(i + j)
				}
			}
			for _, j := range r.List(n) {
				r.Use(j)
			}
		}
	}
}

// findFeeds finds which nodes feed a nonlinear operation, at once or through linear ones:
// a Hessian does not depend on the tangents and second-order adjoints of the others.
func (c *compiler) findFeeds() {
	t := c.Tape
	feeds := tape.Zeroed(&c.feeds, t.Len())
	for i := int32(t.Len()) - 1; int(i) >= t.Base(); i-- {
		code := t.Op(i)
		if !feeds[i] && code.Linear() {
			continue
		}
		switch a, b := t.Args(i); code.Operands() {
		case 1:
			feeds[a] = true
		case 2:
			feeds[a], feeds[b] = true, true
		default:
			if first := t.FirstOutput(i); first < i {
				feeds[first] = feeds[first] || feeds[i]
				continue
			}
			if f := t.CallAt(i); f != nil { // its outputs stay together: sweeps do them at the first
				for j := range f.Outputs() {
					feeds[i+j] = feeds[i]
				}
			}
			t.EachOperand(i, func(j int32) { feeds[j] = true })
		}
	}
}
