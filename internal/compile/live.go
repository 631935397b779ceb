package compile

import (
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// findLive counts the uses of all nodes by live ones, by outputs and by guards, from
// the last node to the first. It returns how many constants are live.
func findLive(r *tape.Recording, outputs []int32) (constants int) {
	for _, i := range outputs {
		r.Use(i)
	}
	for _, g := range r.Guards() {
		r.Use(g.A)
		r.Use(g.B)
	}
	for i := int32(r.Len()) - 1; int(i) >= r.First(); i-- {
		n := r.Node(i)
		if n.Uses() == 0 {
			continue
		}
		if n.Op == op.Const {
			constants++
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
	return constants
}

// findFeeds finds which nodes feed a nonlinear operation, at once or through linear ones:
// a Hessian does not depend on the tangents and second-order adjoints of the others.
func (c *compiler) findFeeds() {
	t := c.Tape
	feeds := zeroed(&c.feeds, t.Len())
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
