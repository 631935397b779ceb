package terms

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
)

// candidate is a summand of an output that may be a term, or part of one: scale·root, or
// scale·root·factor. There are as many as terms, so it is small.
type candidate struct {
	root  int32 // a node
	row   int32 // the output
	class int32 // the number of its class, or noTerm and so on
	as    int32 // the number of its role
}

// role is the part of a candidate that is the same for many.
type role struct {
	scale  float64
	factor int32 // a node, or noFactor
	alone  bool  // not to be joined with others
}

// role is the role of c.
func (d *detector) role(c *candidate) *role { return &d.roles[c.as] }

// newRole is the number of r, which is appended unless the last one is the same.
func (d *detector) newRole(r role) int32 {
	k := int32(len(d.roles)) - 1
	if k >= 0 && d.roles[k] == r && math.Signbit(d.roles[k].scale) == math.Signbit(r.scale) {
		return k
	}
	d.roles = append(d.roles, r)
	return k + 1
}

const noFactor = -1

// Instead of the number of a class.
const (
	noTerm       = -1 // the candidate cannot be a term: it is left over
	replaced     = -2 // other candidates stand for it: its parts, or itself not to be joined
	declaredTerm = -3 // it is a declared term
	unclassified = -4
)

// isLinear reports whether terms may be cut at an operation.
func isLinear(code op.Code) bool {
	switch code.Class() {
	case op.One, op.MinusOne, op.ByConstant, op.OverConstant, op.OneOne, op.OneMinusOne:
		return true
	}
	return code.Sums()
}

// length is 1 and, of a sum, how many operands it has.
func (d *detector) length(i int32) int {
	if d.p.Op(i).Sums() {
		return 1 + int(d.p.Terms(i))
	}
	return 1
}

// sumMark says what a node is to sums that are cut.
type sumMark uint8

const (
	inner sumMark = 1 << iota // it enters an operation that is not linear
	long                      // it is a sum of more than longSum operands, or a linear operation above one
)

// findLong marks the sums of more than longSum operands, and the linear operations above
// them. A sum that a nonlinear operation also reads is not marked, since its operands would
// be in that term, too. Most often a long sum comes last, and few nodes are looked at.
func (d *detector) findLong() {
	d.listed = d.p.FirstList()
	d.sums = make([]sumMark, int32(d.p.Len())-d.listed)
	enters := func(j int32) {
		if j >= d.listed {
			d.sums[j-d.listed] = inner
		}
	}
	lowest := int32(d.p.Len())
	for i := lowest - 1; i >= d.listed; i-- {
		switch code := d.p.Op(i); {
		case d.sums[i-d.listed]&inner != 0 || !isLinear(code):
			d.eachOperand(i, enters)
		case d.length(i) > longSum:
			d.sums[i-d.listed] = long
			lowest = i
		}
	}
	for i := lowest; int(i) < d.p.Len(); i++ {
		if s := &d.sums[i-d.listed]; *s == 0 && isLinear(d.p.Op(i)) && d.p.Op(i) != op.Dot {
			d.eachOperand(i, func(j int32) { *s |= d.sumMark(j) & long })
		}
	}
}

// sumMark is what node i is to sums that are cut.
func (d *detector) sumMark(i int32) sumMark {
	if i < d.listed {
		return 0
	}
	return d.sums[i-d.listed]
}

// candidate appends c, or adds it to the constant of an output.
func (d *detector) candidate(c candidate) {
	if k := c.root - d.base + int32(len(d.p.Consts())); k >= 0 && c.root < d.base {
		if r := d.role(&c); r.factor == noFactor {
			d.constants[c.row] += float64(r.scale * d.p.Consts()[k])
			return
		}
	}
	c.class = unclassified
	d.cands = append(d.cands, c)
}

// split replaces c by its summands, if its root is marked as long or in any case, atRoot.
// Those that are marked themselves are cut, too. It reports false if c is not cut; unless
// atRoot, c is a candidate itself then.
func (d *detector) split(c candidate, atRoot bool) bool {
	if !atRoot && d.sumMark(c.root)&long == 0 {
		d.candidate(c)
		return false
	}
	f, ok := d.open(c)
	if !ok {
		if !atRoot {
			d.candidate(c)
		}
		return false
	}
	stack, alone := []frame{f}, d.role(&c).alone
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.k == len(f.x) {
			stack = stack[:len(stack)-1]
			continue
		}
		r := role{scale: f.scale, factor: noFactor, alone: alone}
		if f.w != nil {
			r.scale *= f.w[f.k]
		}
		if f.y != nil {
			r.factor = f.y[f.k]
		}
		part := candidate{root: f.x[f.k], row: c.row, as: d.newRole(r)}
		f.k++
		d.budget--
		if f.y == nil && d.sumMark(part.root)&long != 0 && d.budget > 0 {
			if f, ok := d.open(part); ok {
				stack = append(stack, f)
				continue
			}
		}
		d.candidate(part)
	}
	return true
}

// frame is a sum that is being cut: scale times the sum of w·x, or of x·y.
type frame struct {
	x, y  []int32
	w     []float64 // nil: all 1
	scale float64
	k     int // the operand that comes next
}

// open is the frame of c; ok is false if its scale cannot be given to its parts without loss
// of digits.
func (d *detector) open(c candidate) (f frame, ok bool) {
	i, scale := c.root, d.role(&c).scale
	a, b := d.p.Args(i)
	k := d.p.Constant(i)
	f = frame{scale: scale}
	constant := 0.0
	switch d.p.Op(i) {
	case op.Add:
		f.x = []int32{a, b}
	case op.Sub:
		f.x = []int32{a, b}
		f.w = []float64{1, -1}
	case op.Neg:
		f.x = []int32{a}
		f.scale = -scale
	case op.Scale:
		f.x = []int32{a}
		f.w = []float64{k}
	case op.DivReal:
		f.x = []int32{a}
		f.w = []float64{1 / k}
	case op.AddReal:
		f.x = []int32{a}
		constant = k
	case op.RSub:
		f.x = []int32{a}
		f.scale = -scale
		constant = k
	case op.Sum:
		f.x = d.p.SumAt(i)
		constant = k
	case op.Affine:
		f.w, f.x = d.p.AffineAt(i)
		constant = k
	case op.Dot:
		f.x, f.y = d.p.DotAt(i)
	}
	for _, w := range f.w {
		if cw := float64(scale * w); w != 0 && !(math.Abs(cw) >= minNormal) || cw-cw != 0 {
			return f, false
		}
	}
	if constant != 0 {
		d.constants[c.row] += float64(scale * constant)
	}
	if n := len(d.cands) + len(f.x); n > cap(d.cands) { // not by append, which would clear it
		d.cands = append(make([]candidate, 0, len(d.cands)+n), d.cands...)
	}
	return f, true
}

// minNormal is the smallest number with all its digits.
const minNormal = 0x1p-1022

// eachOperand is that of the program, faster where there is no list.
func (d *detector) eachOperand(i int32, do func(j int32)) {
	a, b := d.p.Args(i)
	switch d.p.Op(i).Operands() {
	case 1:
		do(a)
	case 2:
		do(a)
		do(b)
	default:
		d.p.EachOperand(i, do)
	}
}
