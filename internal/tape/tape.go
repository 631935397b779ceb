package tape

import (
	"slices"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/op"
)

// Tape is a list of operations, the nodes. Node i has the operation Op(i), the
// operands Args(i) and the constant Constant(i), or a list of operands; nodes
// below Base are the inputs, the parameters and the constants, in this order.
// Every operand comes before its user. It is immutable. It is in the order in which it was
// recorded, the recorded nodes themselves, or arranged by a [Writer], in arrays.
type Tape struct {
	inputs, params int
	base           int
	consts         []float64

	// Of a tape in the order in which it was recorded, the recorded nodes: the operations
	// from the node number base − offset on, as recorded but for the numbers of operands. A
	// list begins at A, after the number of its constant, and has the length B.
	nodes  [][]Node
	offset int32
	reals  []float64

	// Else nodes is nil, and operation i has a[i−first], b[i−first] and c[i−first].
	ops   []op.Code
	first int32   // base
	a, b  []int32 // of a list: where it is in lists, and its length
	c     []float64

	count   int                                    // of nodes
	counts  [op.Count]struct{ nodes, terms int32 } // of operations, and of the terms of sums
	listed  int32                                  // the first node with a list of operands; count if there is none
	lists   []int32
	coefs   []float64
	owns    []*Scalar1
	calls   []Call
	outputs []int32
	guards  []Guard
	made    []uintptr // who made each operation, if that was noted
	shares  bool      // some operation is used more than once
}

// length is how long a node's list is, and whether its operands are consecutive:
// those of an Affine, both halves of a Dot. A Sum of which many are consecutive is
// kept as runs: how many there are, then the first operand and the length of each.
type length int32

func lengthOf(n int32, consecutive bool) length {
	l := length(n << 1)
	if consecutive {
		l++
	}
	return l
}

func (l length) count() int32 { return int32(l >> 1) }

func (l length) consecutive() bool { return l&1 != 0 }

// Inputs is how many inputs there are that are differentiated.
func (t *Tape) Inputs() int { return t.inputs }

// Params is how many parameters there are.
func (t *Tape) Params() int { return t.params }

// Outputs is how many outputs there are.
func (t *Tape) Outputs() int { return len(t.outputs) }

// Output is the node of output j.
func (t *Tape) Output(j int) int32 { return t.outputs[j] }

// OutputNodes is the nodes of the outputs, not to be written.
func (t *Tape) OutputNodes() []int32 { return t.outputs }

// Shares reports whether some operation is used more than once: is an operand, an output
// or compared.
func (t *Tape) Shares() bool { return t.shares }

// Guards are the comparisons that were made.
func (t *Tape) Guards() []Guard { return t.guards }

// Made is who made node i, 0 if it is no operation or that was not noted.
func (t *Tape) Made(i int32) uintptr {
	if k := int(i) - t.base; k >= 0 && t.made != nil {
		return t.made[k]
	}
	return 0
}

// Base is the first node that is an operation.
func (t *Tape) Base() int { return t.base }

// Len is the number of nodes.
func (t *Tape) Len() int { return t.count }

// Ops is the number of operations, without inputs, parameters and constants.
func (t *Tape) Ops() int { return t.count - t.base }

// CountOf is how many nodes an operation has, and how many terms those of a Sum, an
// Affine or a Dot have together.
func (t *Tape) CountOf(code op.Code) (nodes, terms int) {
	c := &t.counts[code]
	return int(c.nodes), int(c.terms)
}

// recorded is node i, an operation, of a tape in the order in which it was recorded.
func (t *Tape) recorded(i int32) *Node {
	k := i - t.offset
	return &t.nodes[k>>chunkBits][k&(chunkSize-1)]
}

// Op is the operation of node i.
func (t *Tape) Op(i int32) op.Code {
	switch {
	case t.nodes == nil:
		return t.ops[i]
	case i < t.first:
		return op.Const
	}
	return t.recorded(i).Op
}

// Args is the operands of node i, if it has one or two; of one b says nothing.
func (t *Tape) Args(i int32) (a, b int32) {
	if i < t.first {
		return 0, 0
	}
	if t.nodes == nil {
		return t.a[i-t.first], t.b[i-t.first]
	}
	n := t.recorded(i)
	return n.A, n.B
}

// At is Op and Args of node i, an operation.
func (t *Tape) At(i int32) (code op.Code, a, b int32) {
	if t.nodes == nil {
		return t.ops[i], t.a[i-t.first], t.b[i-t.first]
	}
	n := t.recorded(i)
	return n.Op, n.A, n.B
}

// FirstArgs is the first operands of the nodes lo … hi−1 of an arranged tape, not to be
// written.
func (t *Tape) FirstArgs(lo, hi int32) []int32 { return t.a[lo-t.first : hi-t.first : hi-t.first] }

// SecondArgs is the second operands of the nodes lo … hi−1 of an arranged tape, not to be
// written.
func (t *Tape) SecondArgs(lo, hi int32) []int32 { return t.b[lo-t.first : hi-t.first : hi-t.first] }

// Constant is the constant of node i.
func (t *Tape) Constant(i int32) float64 {
	if t.nodes == nil {
		return t.c[i-t.first]
	}
	return t.recordedConstant(i)
}

// ConstantBy is the constant of node i, an operation on one operand, of which At says b.
func (t *Tape) ConstantBy(i, b int32) float64 {
	if t.nodes == nil {
		return t.c[i-t.first]
	}
	return t.reals[b]
}

func (t *Tape) recordedConstant(i int32) float64 {
	n := t.recorded(i)
	switch {
	case n.Op.Constant() != op.NoConstant:
		return t.reals[n.B]
	case startsWithConstant(n.Op):
		return t.reals[t.lists[n.A-1]]
	}
	return 0
}

// startsWithConstant reports whether an operation on a list has a constant.
func startsWithConstant(code op.Code) bool {
	return code == op.Sum || code == op.Affine || code.Listed() > 0
}

// FirstList is the first node with a list of operands, Len if there is none.
func (t *Tape) FirstList() int32 { return t.listed }

// Constants is the constants of the nodes lo … hi−1 of an arranged tape, not to be
// written.
func (t *Tape) Constants(lo, hi int32) []float64 { return t.c[lo-t.first : hi-t.first] }

// Consts is the values of the nodes that are constants, those from Inputs() +
// Params() to Base(). It is not to be written.
func (t *Tape) Consts() []float64 { return t.consts }

// list is where the list of node i is, and its length.
func (t *Tape) list(i int32) (at int32, n length) {
	a, b := t.Args(i)
	return a, length(b)
}

// SumAt is the operands of the Sum node i.
func (t *Tape) SumAt(i int32) []int32 {
	index, runs := t.SumLists(i)
	for k := 0; k < len(runs); k += 2 {
		for j := range runs[k+1] {
			index = append(index, runs[k]+j)
		}
	}
	return index
}

// SumLists is the operands of the Sum node i one by one, or by runs of consecutive
// ones: the first and the length of each.
func (t *Tape) SumLists(i int32) (index, runs []int32) {
	at, n := t.list(i)
	if n.consecutive() {
		return nil, t.lists[at+1:][:2*t.lists[at]]
	}
	return t.lists[at:][:n.count()], nil
}

// AffineAt is the weights and operands of the Affine node i.
func (t *Tape) AffineAt(i int32) (w []float64, x []int32) {
	a, l := t.list(i)
	at, n := t.lists[a], l.count()
	return t.coefs[at : at+n], t.lists[a+1 : a+1+n]
}

// Weights is the weights of all Affine nodes; those of node i are as many as it has terms
// from WeightsFrom on.
func (t *Tape) Weights() []float64 { return t.coefs }

// WeightsFrom is where the weights of the Affine node i begin.
func (t *Tape) WeightsFrom(i int32) int32 {
	at, _ := t.list(i)
	return t.lists[at]
}

// DotAt is the operands of the Dot node i.
func (t *Tape) DotAt(i int32) (x, y []int32) {
	a, l := t.list(i)
	n := l.count()
	return t.lists[a : a+n], t.lists[a+n : a+2*n]
}

// Consecutive reports whether the operands of the Affine node i, or both halves of
// those of the Dot node i, are consecutive; not if there are none.
func (t *Tape) Consecutive(i int32) bool {
	_, n := t.list(i)
	return n > 1 && n.consecutive()
}

// Terms is how many terms the sum at node i has.
func (t *Tape) Terms(i int32) int32 {
	_, n := t.list(i)
	return n.count()
}

// SelectAt is the operands of the Select node i.
func (t *Tape) SelectAt(i int32) (cond, x, y int32) {
	at, _ := t.list(i)
	return t.lists[at+2], t.lists[at], t.lists[at+1]
}

// SeveralAt is the operands of node i, which always has so many of them.
func (t *Tape) SeveralAt(i int32) []int32 { return t.operandsAt(i) }

// operandsAt is the operands of node i, which has a list and is no call: of a Dot both
// halves.
func (t *Tape) operandsAt(i int32) []int32 {
	at, n := t.list(i)
	switch t.Op(i) {
	case op.Sum:
		return t.SumAt(i)
	case op.Affine:
		at++
	case op.Dot:
		return t.lists[at:][:2*n.count()]
	}
	return t.lists[at:][:n.count()]
}

// OwnAt is the function of the Own node i and which of its derivatives; nil if node i is something
// else.
func (t *Tape) OwnAt(i int32) (f *Scalar1, order int) {
	if t.Op(i) != op.Own {
		return nil, 0
	}
	k, order := t.OwnNumber(i)
	return t.owns[k], order
}

// OwnNumber is OwnAt by the number of the function among Owns.
func (t *Tape) OwnNumber(i int32) (k int32, order int) {
	_, b := t.Args(i)
	return b / orders, int(b % orders)
}

// Owns are the functions of all Own nodes, not to be written.
func (t *Tape) Owns() []*Scalar1 { return t.owns }

// CallAt is the call whose first output is node i; nil if node i is something else.
func (t *Tape) CallAt(i int32) *Call {
	if t.Op(i) != op.Call {
		return nil
	}
	call, output := t.Args(i)
	if output != 0 {
		return nil
	}
	return &t.calls[call]
}

// HasCalls reports whether any node is a call.
func (t *Tape) HasCalls() bool { return len(t.calls) > 0 }

// Compares reports whether comparisons are made, on the tape or in the steps of loops.
func (t *Tape) Compares() bool {
	return len(t.guards) > 0 || slices.ContainsFunc(t.calls, func(c Call) bool {
		f, ok := c.Func.(interface{ Compares() bool })
		return ok && f.Compares()
	})
}

// Certain reports whether t is the function at every point and never fails: it has no
// comparisons, and calls only what says the same of itself.
func (t *Tape) Certain() bool {
	return len(t.Guards()) == 0 && !slices.ContainsFunc(t.calls, func(c Call) bool {
		f, ok := c.Func.(interface{ Certain() bool })
		return !ok || !f.Certain()
	})
}

// FirstOutput is node i, or the first output of the call that it is an output of.
func (t *Tape) FirstOutput(i int32) int32 {
	if t.Op(i) == op.Call {
		_, output := t.Args(i)
		return i - output
	}
	return i
}

// LastOutput is node i, or the last output of the call that it is an output of.
func (t *Tape) LastOutput(i int32) int32 {
	if t.Op(i) == op.Call {
		call, output := t.Args(i)
		return i - output + t.calls[call].Outputs() - 1
	}
	return i
}

// EachOperand calls f with the operands of node i. Of the outputs of a call the
// first has them.
func (t *Tape) EachOperand(i int32, f func(j int32)) {
	t.EachRun(i, func(j, n int32) {
		for k := range n {
			f(j + k)
		}
	})
}

// EachRun calls f with the operands of node i: the n from j on, where they are known
// to be consecutive.
func (t *Tape) EachRun(i int32, f func(j, n int32)) {
	if i < t.first {
		return
	}
	each := func(list []int32) {
		for _, j := range list {
			f(j, 1)
		}
	}
	a, b := t.Args(i)
	switch code := t.Op(i); code {
	case op.Sum:
		index, runs := t.SumLists(i)
		each(index)
		for k := 0; k < len(runs); k += 2 {
			f(runs[k], runs[k+1])
		}
	case op.Affine, op.Dot:
		x, n := t.operandsAt(i), t.Terms(i)
		if !t.Consecutive(i) {
			each(x)
			return
		}
		for ; len(x) > 0; x = x[n:] {
			f(x[0], n)
		}
	case op.Call:
		if c := t.CallAt(i); c != nil {
			each(c.Args)
		}
	default:
		if code.HasList() {
			each(t.SeveralAt(i))
		}
		if code.Operands() > 0 {
			f(a, 1)
		}
		if code.Operands() > 1 {
			f(b, 1)
		}
	}
}

// Bytes is the memory that the tape takes, but for what a user's primitives hold.
func (t *Tape) Bytes() int {
	k := int(unsafe.Sizeof(*t)) + BytesOf(t.ops) + BytesOf(t.a) + BytesOf(t.b) + BytesOf(t.c) +
		BytesOf(t.lists) + BytesOf(t.coefs) + BytesOf(t.consts) + BytesOf(t.owns) + BytesOf(t.calls) +
		BytesOf(t.outputs) + BytesOf(t.guards) + BytesOf(t.made) + BytesOf(t.nodes) + BytesOf(t.reals)
	for _, nodes := range t.nodes {
		k += BytesOf(nodes)
	}
	counted := map[any]bool{} // what several calls have
	for c := range t.calls {
		if f, ok := t.calls[c].Func.(interface {
			Footprint(counted map[any]bool) int
		}); ok {
			k += f.Footprint(counted)
		}
	}
	return k
}

// BytesOf is the memory that the array of x takes.
func BytesOf[T any](x []T) int { return cap(x) * int(unsafe.Sizeof(*new(T))) }
