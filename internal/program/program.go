package program

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/op"
)

// Program is a compiled recording. Node i has the operation ops[i], the
// operands a[i] and b[i] and the constant c[i]; nodes below base are the
// inputs, the parameters and the constants, in this order. Every operand comes
// before its user. It is immutable.
//
// For Sum, Affine, Dot and Select a[i] is where the operands are in lists, and
// b[i]>>1 how many terms there are; b[i]&1 says that they are consecutive, for
// Sum that lists has runs of consecutive ones. For Call a[i] is the call and
// b[i] which output.
type Program struct {
	inputs, params int
	base           int
	consts         []float64

	ops     []Op
	a, b    []int32
	c       []float64
	lists   []int32
	coefs   []float64
	owns    []*Scalar1
	calls   []call
	batches []batch
	outputs []int32
	guards  []Guard
	made    []uintptr // who made each operation, if that was noted

	unmet   [2][]run // nodes that a reverse sweep must start with 0
	linear  int      // length of the stored partials of second-order sweeps
	maxCall int      // the longest buffer that a call needs
	pool    sync.Pool
}

// batch is the nodes lo … hi−1, all of one operation, or of mixed ones. No
// node of a batch with one operation is an operand of another.
type batch struct {
	op     Op
	lo, hi int32
	a, b   operand
	part   int32 // where the stored partials begin
	inner  bool  // some node has a nonlinear descendant
	deep   bool  // some operand is an operation
	in     span  // the inputs that are operands are among these
	terms  []term
	n      int32 // of the operands from b on that rows share
}

// rows reports whether b is a product of a matrix with a vector.
func (b *batch) rows() bool { return b.n > 0 }

// operand says where the operands of a batch are.
type operand struct {
	at    int32
	how   access
	fresh [2]bool // in a reverse sweep of an order, these nodes are met here first
}

// The orders of reverse sweeps: all of it, or what a Hessian needs.
const (
	firstOrder = iota
	secondOrder
)

type access uint8

const (
	indexed access = iota // by the index array
	direct                // at, at+1, …
	uniform               // all at
	fresh                 // direct, and nothing was added there yet
)

// finish computes what follows from the batches, in the memory s.
func (p *Program) finish(s *scratch) {
	at := int32(0)
	for k := range p.batches {
		b := &p.batches[k]
		b.part = at
		switch {
		case b.op == mixed:
		case b.op.Class() == op.Unary:
			at += 2 * (b.hi - b.lo)
		case b.op.Class() == op.Binary:
			at += 5 * (b.hi - b.lo)
		}
		p.read(b)
	}
	p.linear = int(at)
	p.meet(firstOrder, s)
	p.meet(secondOrder, s)
	for k := range p.calls {
		c := &p.calls[k]
		n, _ := c.f.Dims()
		p.maxCall = max(p.maxCall, n)
		c.direct = n > 0 && consecutive(p.lists[c.args:c.args+c.n])
		c.repeated, _ = c.f.(Repeated)
	}
	p.pool.New = func() any { return p.newWorkspace() }
}

// run is the nodes at, …, at+n−1.
type run struct{ at, n int32 }

// meet finds the operands that a reverse sweep meets for the first time in a
// batch, all of them consecutive: their adjoints are set there, all others
// start with 0 and are added to. A sweep of second order does nothing at linear
// operations without nonlinear descendants, and finds no adjoint at others.
func (p *Program) meet(order int, s *scratch) {
	set := zeroed(&s.set, len(p.ops)) // by the batch that meets it first
	met := zeroed(&s.met, len(p.ops))
	for _, i := range p.outputs {
		met[i] = true
	}
	all := func(x []bool) {
		for i := range x {
			x[i] = true
		}
	}
	for k := len(p.batches) - 1; k >= 0; k-- {
		b := &p.batches[k]
		if b.op == mixed || b.rows() {
			for i := b.lo; i < b.hi; i++ {
				p.eachRun(i, func(at, n int32) { all(met[at : at+n]) })
			}
			continue
		}
		if b.op.Class() == op.NoPartials || order == secondOrder && !b.inner && b.op.Linear() {
			continue
		}
		if b.op == Affine { // its terms may overlap: none is met first
			for _, t := range b.terms {
				for _, j := range t.index {
					met[j] = true
				}
			}
			continue
		}
		m := b.hi - b.lo
		two := b.op.Operands() == 2
		for _, o := range []*operand{&b.a, &b.b} {
			if o.how != direct || o == &b.b && !two {
				continue
			}
			x := met[o.at : o.at+m]
			if slices.Contains(x, true) {
				continue
			}
			// Blocks of lanes take a before b, so the other operand must be
			// elsewhere.
			if two {
				other, index := &b.b, p.b
				if o == other {
					other, index = &b.a, p.a
				}
				if other.how == direct && other.at < o.at+m && o.at < other.at+m {
					continue
				}
				if other.how != direct && slices.ContainsFunc(index[b.lo:b.hi], func(j int32) bool { return o.at <= j && j < o.at+m }) {
					continue
				}
			}
			o.fresh[order] = true
			all(x)
			all(set[o.at : o.at+m])
		}
		meetAll := func(o operand, index []int32) {
			if o.how == direct {
				all(met[o.at : o.at+m])
				return
			}
			for _, j := range index[b.lo:b.hi] {
				met[j] = true
			}
		}
		meetAll(b.a, p.a)
		if two {
			meetAll(b.b, p.b)
		}
	}
	if order == secondOrder { // nor are these read
		for k := range p.batches {
			if b := &p.batches[k]; b.op != mixed && !b.rows() && !b.inner {
				all(set[b.lo:b.hi])
			}
		}
	}
	for i := 0; i < len(set); {
		if set[i] {
			i++
			continue
		}
		j := i + 1
		for j < len(set) && !set[j] {
			j++
		}
		p.unmet[order] = append(p.unmet[order], run{int32(i), int32(j - i)})
		i = j
	}
}

// zero clears what a reverse sweep must find 0.
func (p *Program) zero(x []float64, order int) {
	for _, r := range p.unmet[order] {
		clear(x[r.at : r.at+r.n])
	}
}

// eachOperand calls f with the operands of node i.
func (p *Program) eachOperand(i int32, f func(j int32)) {
	a, b := p.a[i], p.b[i]
	switch op := p.ops[i]; op {
	case Sum:
		for _, j := range p.operands(i) {
			f(j)
		}
	case Affine:
		_, x := p.affine(i)
		for _, j := range x {
			f(j)
		}
	case Dot:
		for _, j := range p.lists[a : a+2*(b>>1)] {
			f(j)
		}
	case Select:
		for _, j := range p.lists[a : a+3] {
			f(j)
		}
	case Call:
		if b == 0 {
			c := &p.calls[a]
			for _, j := range p.lists[c.args : c.args+c.n] {
				f(j)
			}
		}
	case FMA, IncGamma, IncBeta:
		for _, j := range p.several(i) {
			f(j)
		}
	default:
		if op.Operands() > 0 {
			f(a)
		}
		if op.Operands() > 1 {
			f(b)
		}
	}
}

// eachRun calls f with the operands of node i, with consecutive ones together
// where that is known.
func (p *Program) eachRun(i int32, f func(at, n int32)) {
	a, b := p.a[i], p.b[i]
	n := b >> 1
	switch op := p.ops[i]; {
	case op == Sum && b&1 != 0:
		for range p.lists[a] {
			f(p.lists[a+1], p.lists[a+2])
			a += 2
		}
	case op == Affine && b&1 != 0 && n > 0:
		f(p.lists[a+1], n)
	case op == Dot && b&1 != 0 && n > 0:
		f(p.lists[a], n)
		f(p.lists[a+n], n)
	default:
		p.eachOperand(i, func(j int32) { f(j, 1) })
	}
}

// Inputs is how many inputs there are that are differentiated.
func (p *Program) Inputs() int { return p.inputs }

// Params is how many parameters there are.
func (p *Program) Params() int { return p.params }

// Outputs is how many outputs there are.
func (p *Program) Outputs() int { return len(p.outputs) }

// Guards are the comparisons that were made.
func (p *Program) Guards() []Guard { return p.guards }

// Made is who made node i, 0 if it is no operation or that was not noted.
func (p *Program) Made(i int32) uintptr {
	if k := int(i) - p.base; k >= 0 && p.made != nil {
		return p.made[k]
	}
	return 0
}

// Op is the operation of node i.
func (p *Program) Op(i int32) Op { return p.ops[i] }

// Ops is the number of operations, without inputs, parameters and constants.
func (p *Program) Ops() int { return len(p.ops) - p.base }

// Batches is the number of batches.
func (p *Program) Batches() int { return len(p.batches) }

// Bytes is the memory that the program takes, but for what a user's primitives
// hold.
func (p *Program) Bytes() int {
	k := int(unsafe.Sizeof(*p)) + bytesOf(p.ops) + bytesOf(p.a) + bytesOf(p.b) + bytesOf(p.c) +
		bytesOf(p.lists) + bytesOf(p.coefs) + bytesOf(p.consts) + bytesOf(p.owns) + bytesOf(p.calls) +
		bytesOf(p.batches) + bytesOf(p.outputs) + bytesOf(p.guards) + bytesOf(p.made) + bytesOf(p.unmet[0]) + bytesOf(p.unmet[1])
	for c := range p.calls {
		if r := p.calls[c].repeated; r != nil {
			_, bytes := r.Size()
			k += bytes
		}
	}
	weights := map[*float64]bool{} // batches with the same ones share them
	for _, b := range p.batches {
		k += bytesOf(b.terms)
		for _, t := range b.terms {
			k += bytesOf(t.index[:len(t.index):len(t.index)]) // a part of an array
			if len(t.w) > 0 && !weights[&t.w[0]] {
				weights[&t.w[0]] = true
				k += bytesOf(t.w[:len(t.w):len(t.w)])
			}
		}
	}
	return k
}

// bytesOf is the memory of the array of x.
func bytesOf[T any](x []T) int { return cap(x) * int(unsafe.Sizeof(*new(T))) }

// Workspace is the memory of evaluations of one program, by one goroutine at a
// time. Values and adjoints are node by node; T[s] and U[s] are the tangents
// and the second-order adjoints of direction s.
type Workspace struct {
	p       *Program
	V, Bar  []float64
	T, U    [][]float64
	parts   []float64
	call    callBuffers
	scratch [6][block]float64
	careful bool
	team    []*Workspace // of the goroutines that share its sweeps, see Team
	seeded  span         // inputs that may have a tangent
	wanted  span         // inputs whose second-order adjoints are read

	cotangent []float64
	outputs   []float64
	one       [1][]float64
}

// block is how many lanes of a batch are done at a time, so that what they
// share stays in the first-level cache.
const block = 1024

// MaxDirections is how many directions one sweep carries at most.
const MaxDirections = 8

func (p *Program) newWorkspace() *Workspace {
	ws := &Workspace{p: p, V: make([]float64, len(p.ops))}
	copy(ws.V[p.inputs+p.params:], p.consts)
	return ws
}

// Get hands out a workspace; Put takes it back.
func (p *Program) Get() *Workspace { return p.pool.Get().(*Workspace) }

// Put takes a workspace back.
func (p *Program) Put(ws *Workspace) { p.pool.Put(ws) }

// Bytes is the memory that the workspace takes.
func (ws *Workspace) Bytes() int {
	k := int(unsafe.Sizeof(*ws)) + bytesOf(ws.V) + bytesOf(ws.Bar) + bytesOf(ws.parts) +
		bytesOf(ws.cotangent) + bytesOf(ws.outputs) + bytesOf(ws.T) + bytesOf(ws.U)
	for _, x := range [...][][]float64{ws.T, ws.U} {
		for _, x := range x {
			k += bytesOf(x)
		}
	}
	return k
}

func grow(x *[]float64, n int) []float64 {
	if *x == nil {
		*x = make([]float64, n)
	}
	return *x
}

func directions(x *[][]float64, k, n int) [][]float64 {
	for len(*x) < k {
		*x = append(*x, make([]float64, n))
	}
	return (*x)[:k]
}

// load is the operand of lanes lo … lo+m−1 of an array over all nodes, as a
// slice: where it is, or gathered into buf.
func (o operand) load(buf *[block]float64, x []float64, index []int32, b *batch, lo, m int32) []float64 {
	return o.loadAt(buf, x, index[lo:lo+m], lo-b.lo)
}

// loadAt is load of len(index) lanes, the first being number off of the batch.
func (o operand) loadAt(buf *[block]float64, x []float64, index []int32, off int32) []float64 {
	switch m := int32(len(index)); o.how {
	case direct:
		return x[o.at+off:][:m]
	case uniform:
		dst, c := buf[:m], x[o.at]
		for i := range dst {
			dst[i] = c
		}
		return dst
	default:
		gather(buf[:m], x, index)
		return buf[:m]
	}
}

// finite reports whether no element is an infinity or a NaN: by the exponent
// bits, since a floating-point sum of x·0 would wait for itself.
func finite(x []float64) bool {
	const exponent = 0x7ff << 52
	for _, v := range x {
		if math.Float64bits(v)&exponent == exponent {
			return false
		}
	}
	return true
}

// prod is a·b, in a careful sweep the derivative product. Only there may it
// hide a factor that is not finite, see carefully.
func (ws *Workspace) prod(a, b float64) float64 {
	p := a * b
	if p != p && ws.careful && (a == 0 || b == 0) {
		return 0
	}
	return p
}
