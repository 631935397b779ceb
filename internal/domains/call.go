package domains

import "github.com/hesse-ad/hesse/internal/op"

// Call makes the nodes of f of the nodes x, −1 being a constant, and returns those of its
// outputs.
func (g *Graph) Call(f op.Func, x []int32) []int32 {
	_, m := f.Dims()
	y := make([]int32, m)
	g.call(f, x, true, y, func(bool) int32 { return g.Node() })
	return y
}

// call stores the nodes of f of the nodes x in y, with its curvatures if second. done
// makes a node: one that all outputs share, or else an output.
func (g *Graph) call(f op.Func, x []int32, second bool, y []int32, done func(shared bool) int32) {
	n := len(x)
	link := func(j int32) {
		if j >= 0 {
			g.Link(j)
		}
	}
	// A function that depends on all its inputs, most often so in all rows, depends on
	// one node of them all.
	whole := int32(-1)
	wholeNode := func() int32 {
		if whole < 0 {
			for _, j := range x {
				link(j)
			}
			whole = done(true)
		}
		return whole
	}
	jacobian := make([][]int32, len(y))
	for i := range jacobian {
		if jacobian[i] = f.Jacobian(i); jacobian[i] == nil {
			wholeNode()
		}
	}
	full := second && n > 0
	var hessian [][]int32
	if second {
		hessian = make([][]int32, n)
		for j := range hessian {
			hessian[j] = f.Hessian(j)
			full = full && hessian[j] == nil
			if hessian[j] == nil {
				wholeNode()
			}
		}
	}
	curved := done(true) // has the curvature of all outputs
	curve := func(j, k int32) {
		if j >= 0 && k >= 0 {
			g.Curve(curved, j, k)
		}
	}
	if full {
		curve(whole, whole)
	}
	for j, list := range hessian {
		switch {
		case full:
		case list == nil:
			curve(x[j], whole)
		default:
			for _, k := range list {
				if int(k) <= j {
					curve(x[j], x[k])
				}
			}
		}
	}
	for i, list := range jacobian {
		if list == nil {
			g.Link(whole)
		}
		for _, k := range list {
			link(x[k])
		}
		g.Link(curved)
		y[i] = done(false)
	}
}
