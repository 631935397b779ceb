package program

// A sweep need not touch everything. A Hessian is made by sweeps along a few unit
// vectors each, in which most tangents are 0, and its lower triangle is not
// wanted. What a sweep leaves out follows from two spans of inputs: outside of
// seeded there are no tangents, outside of wanted no second-order adjoint is
// read, and a long list of inputs is cut to them. Inputs often come into use one
// after another, as the weights of the layers of a network: batches before the
// first that reads a seeded input have no tangents, those before the first that
// reads a wanted one need no adjoints.
//
// Leaving out is exact: what is left out is products with a tangent 0, which are
// 0 even if the other factor is not finite, and what no wanted element sees.
// Adjoints that are not wanted are garbage.

// span is the nodes lo … hi−1, none if hi ≤ lo.
type span struct{ lo, hi int32 }

func (s span) meets(t span) bool { return max(s.lo, t.lo) < min(s.hi, t.hi) }

// and is the smallest span that holds both.
func (s span) and(t span) span {
	switch {
	case s.hi <= s.lo:
		return t
	case t.hi <= t.lo:
		return s
	}
	return span{min(s.lo, t.lo), max(s.hi, t.hi)}
}

// clip is which of the nodes at, …, at+n−1 are in a span of inputs or no
// inputs: those number from … to−1.
func (p *Program) clip(s span, at, n int32) (from, to int32) {
	if at+n > int32(p.inputs) {
		return 0, n
	}
	from, to = min(max(s.lo-at, 0), n), min(s.hi-at, n)
	return from, max(from, to)
}

// meets reports whether clip leaves some of them.
func (p *Program) meets(s span, at, n int32) bool {
	from, to := p.clip(s, at, n)
	return from < to
}

// every is the span of all inputs.
func (p *Program) every() span { return span{0, int32(p.inputs)} }

// support is the span of the elements of x that are not 0.
func support(x []float64) span {
	lo, hi := 0, len(x)
	for lo < hi && x[lo] == 0 {
		lo++
	}
	for lo < hi && x[hi-1] == 0 {
		hi--
	}
	return span{int32(lo), int32(hi)}
}

// read notes which nodes the lanes of a batch read.
func (p *Program) read(b *batch) {
	see := func(at, n int32) {
		if at+n > int32(p.base) {
			b.deep = true
		}
		b.in = b.in.and(span{at, min(at+n, int32(p.inputs))})
	}
	operand := func(o operand, index []int32) {
		switch o.how {
		case direct:
			see(o.at, b.hi-b.lo)
		case uniform:
			see(o.at, 1)
		default:
			for _, j := range index {
				see(j, 1)
			}
		}
	}
	switch {
	case b.op == mixed || b.rows():
		for i := b.lo; i < b.hi; i++ {
			p.eachRun(i, see)
			if p.ops[i] == Call { // another output may be all of the batch
				b.deep = true
			}
		}
	case b.op == Affine:
		for _, t := range b.terms {
			operand(t.operand, t.index)
		}
	default:
		if b.op.Operands() > 0 {
			operand(b.a, p.a[b.lo:b.hi])
		}
		if b.op.Operands() > 1 {
			operand(b.b, p.b[b.lo:b.hi])
		}
	}
}
