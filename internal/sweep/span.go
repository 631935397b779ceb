package sweep

import "github.com/hesse-ad/hesse/internal/compile"

// A sweep need not touch everything. A Hessian is made by sweeps along a few unit
// vectors each, in which most tangents are 0, and its lower triangle is not
// wanted. What a sweep leaves out follows from two spans of inputs: outside of
// seeded there are no tangents, outside of wanted no second-order adjoint is
// read, and a long list of inputs is cut to them. Inputs often come into use one
// after another, as the weights of the layers of a network: batches before the
// first that reads a seeded input have no tangents, those before the first that
// reads a wanted one need no adjoints.
//
// Leaving out is exact: it concerns derivative products with a tangent of 0, which are 0
// even if the other factor is not finite, and numbers on which no wanted element depends.
// Adjoints of inputs that are not wanted are left undefined.

// clip cuts the nodes at … at+n−1 to the span s of inputs: at+from … at+to−1 are left. Nodes
// that are not all inputs are left as they are.
func (e *Engine) clip(s compile.Span, at, n int32) (from, to int32) {
	if at+n > int32(e.Inputs()) {
		return 0, n
	}
	from, to = min(max(s.Lo-at, 0), n), min(s.Hi-at, n)
	return from, max(from, to)
}

// meets reports whether clip leaves any of the nodes.
func (e *Engine) meets(s compile.Span, at, n int32) bool {
	from, to := e.clip(s, at, n)
	return from < to
}

// support is the span of the elements of x that are not 0.
func support(x []float64) compile.Span {
	lo, hi := 0, len(x)
	for lo < hi && x[lo] == 0 {
		lo++
	}
	for lo < hi && x[hi-1] == 0 {
		hi--
	}
	return compile.Span{Lo: int32(lo), Hi: int32(hi)}
}
