package tape

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/internal/op"
)

// Node is one recorded operation. Where it has one operand and a constant, B is
// the number of the constant among the reals of the recording; for an Own it is
// orders times the function's number and the order of the derivative. Operations
// with a list of operands have A as its place in the lists and B as the number
// of terms: a Sum the number of its constant and x, an Affine the place of its
// weights, then the same, a Dot x and y, a Select x, y and the condition. A Call
// has the number of the call and which of its outputs it is.
type Node struct {
	A, B int32

	// While it is recorded, the newest of those nodes of which this is the last operand,
	// its number + 1, 0 for none; then the compiler's.
	Mark  int32
	older uint16 // how far before is the next older one with the same last operand, 0 for none

	Op   op.Code
	uses uint8 // two bits are Uses, the rest is how many are found from Mark on
}

// Uses is how often a node is an operand, an output or guarded, at most 2. Operands are
// counted as they are recorded, if CountsUses, and all that was told by Use. Of inputs and
// parameters it is not known.
func (n *Node) Uses() int { return int(n.uses & usesMask) }

// use adds 1 to Uses.
func (n *Node) use() { n.uses += ^n.uses >> 1 & 1 } // 0 → 1 → 2 → 2

// Absorb makes Uses 0.
func (n *Node) Absorb() { n.uses &^= usesMask }

// orders is above each order of the derivative of an Own.
const orders = 4

const (
	usesMask = 3
	user     = usesMask + 1
)

// maxSize is how many nodes and operands in lists a recording may have, so that
// whatever is made of it has int32 indices. Tests change it.
var maxSize = 1 << 30

var errSize = errors.New("reverse: more than 2³⁰ operations")

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
)

// mostKept is how long a list may be whose memory is used again.
const mostKept = 1 << 19

// chunk is a piece of a recording, and then of its tape. Memory that is touched for the
// first time costs more than all that is done with it: nodes are small, and are not
// copied to grow.
type chunk [chunkSize]Node

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// unused is chunks of inputs and parameters that are no last operand yet: most of a
// million inputs never are one if a primitive has them. It is not written.
var unused chunk

// recordedCall is one use of a Func, with its operands in the lists from args on.
type recordedCall struct {
	f       Func
	args, n int32
}

// Recording is a program while it is written down: nodes in the order in which
// they were made, each operand made before its user. Equal operations are one
// node, unless the recording is traced.
type Recording struct {
	chunks []*chunk
	count  int // of nodes
	ready  int // up to there nodes are appended without further ado, see prepare

	inputs, params int

	*scratch
	consts []int32 // the nodes that are constants
	owns   []*Scalar1
	calls  []recordedCall
	guards []Guard
	recent [16]struct { // constants, by a hash
		bits uint64
		at   int32 // number + 1
	}
	hashed int  // how many nodes are in the table
	traced bool // nodes are kept as they are made
	valued bool // values are kept, see KeepValues
	asIs   bool // no node is shared: it is traced, full or closed
	closed bool

	// Err is the first error of a primitive, or that there are too many nodes:
	// then no more are made until the function returns.
	Err error

	caller func() uintptr // asked who makes each node and comparison, see Lines
	made   []uintptr      // its answers, of the nodes after inputs and parameters
	// Derived says that the recording is made by a transform, where sums with
	// the constant 0 are many: x + 0 is x then, even for x = −0.
	Derived bool
	// Steps says in which step of a loop that is written out the function is, and of
	// those around it, the outermost first.
	Steps []int
	// Term says that the recording is a term that is to be repeated, Step that it is the step of
	// a loop.
	Term, Step bool
	// Turn is which comparison, counted from 1, is taken to come out otherwise than it
	// does, so that the function is recorded as it is elsewhere; 0 is none.
	Turn int
}

// scratch is the memory of a recording that can be used again.
type scratch struct {
	lists  []int32
	reals  []float64
	coefs  []float64
	values []float64 // by node
	table  []uint64  // of nodes, see number.go
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// MinTerms is how many terms a sum has at least that is one operation. A shorter one
// stays binary, where additions of many alike terms share batches.
const MinTerms = 8

// NegZero is −0: −0 + x is x for every x, so that sums start with it.
var NegZero = math.Copysign(0, -1)

// Zeroed is n zeros in the memory of x.
func Zeroed[T any](x *[]T, n int) []T {
	if cap(*x) < n {
		*x = make([]T, n)
		return *x
	}
	*x = (*x)[:n]
	clear(*x)
	return *x
}

// grown is append that doubles: the built-in one copies large slices more often.
func grown[T any](x []T, y ...T) []T { return append(roomFor(x, len(y)), y...) }

// roomFor is x with room for n more elements. That is not touched, as what append reserves
// is.
func roomFor[T any](x []T, n int) []T {
	if len(x)+n > cap(x) {
		x = append(make([]T, 0, len(x)+max(len(x), n)), x...)
	}
	return x
}

// NewRecording has nodes 0 … inputs+params−1 for the inputs and parameters.
func NewRecording(inputs, params int) *Recording {
	s := scratches.Get().(*scratch)
	s.lists, s.reals, s.coefs = s.lists[:0], s.reals[:0], s.coefs[:0]
	r := &Recording{inputs: inputs, params: params, scratch: s}
	Zeroed(&s.table, minTable)
	for r.count+chunkSize <= inputs+params && !r.full(chunkSize) {
		r.chunks = append(r.chunks, &unused)
		r.count += chunkSize
	}
	for range inputs + params - r.count {
		r.append(Node{Op: op.Const})
	}
	return r
}

// Push appends the operation code of the nodes a and b, as many of them as it has
// operands, and the constant c, and returns its number; that of an equal node,
// if there is one.
func (r *Recording) Push(code op.Code, a, b int32, c float64) int32 {
	if code.Constant() != op.NoConstant {
		b = r.real(c)
	}
	if r.asIs {
		return r.add(Node{A: a, B: b, Op: code})
	}
	return r.share(code, a, b)
}

// add appends a node as it is.
func (r *Recording) add(n Node) int32 {
	if r.closed {
		panic("reverse: Var used after its recording")
	}
	return r.append(n)
}

// append appends a node; if there is no room for it it returns another one.
func (r *Recording) append(n Node) int32 {
	if !r.begin() {
		return 0
	}
	i := int32(r.count)
	*r.Node(i) = n
	r.count++
	return i
}

// begin does what comes before a node is written: nothing most often. It reports false if
// there is no room for the node.
func (r *Recording) begin() bool { return r.count < r.ready || r.prepare() }

func (r *Recording) prepare() bool {
	if r.count&(chunkSize-1) == 0 && !r.extend() {
		return false
	}
	if r.caller != nil {
		r.made = append(r.made, r.caller())
		return true
	}
	r.ready = r.count&^(chunkSize-1) + chunkSize
	if r.valued {
		r.values = roomFor(r.values, r.ready-len(r.values))[:r.ready]
	}
	return true
}

// KeepValues has the values of nodes kept from now on, when there are inputs alone, x.
func (r *Recording) KeepValues(x []float64) {
	r.valued, r.values = true, append(r.values[:0], x...)
	r.ready = 0
}

// Keep notes the value of a node, if that is wanted.
func (r *Recording) Keep(i int32, v float64) {
	if r.valued {
		r.values[i] = v
	}
}

// extend begins another chunk; it reports false if there is no room for it.
func (r *Recording) extend() bool {
	if r.full(chunkSize) {
		return false
	}
	r.chunks = append(r.chunks, chunks.Get().(*chunk))
	return true
}

// full reports whether there is no room for n more nodes or operands. From then
// on it does so always.
func (r *Recording) full(n int) bool {
	if r.Err == errSize {
		return true
	}
	if r.count+len(r.lists)+n <= maxSize {
		return false
	}
	if r.Err == nil {
		r.Err = errSize
	}
	r.asIs = true
	return true
}

// real is the number of the constant c. One that was used lately has its number
// already.
func (r *Recording) real(c float64) int32 {
	if r.closed {
		return 0
	}
	bits := math.Float64bits(c)
	e := &r.recent[bits*0x9e3779b97f4a7c15>>60]
	if e.bits != bits || e.at == 0 {
		r.reals = grown(r.reals, c)
		e.bits, e.at = bits, int32(len(r.reals))
	}
	return e.at - 1
}

// ConstantOf is the constant of a node.
func (r *Recording) ConstantOf(n *Node) float64 {
	switch {
	case n.Op.HasList():
		if startsWithConstant(n.Op) {
			return r.reals[r.lists[n.A]]
		}
		return 0
	case n.Op.Constant() == op.NoConstant:
		return 0
	}
	return r.reals[n.B]
}

// List is the operands of a node that has a list of them; only the first output
// of a call has it.
func (r *Recording) List(n *Node) []int32 {
	at, count := n.A, n.B
	switch {
	case !n.Op.HasList() || n.Op == op.Call && n.B != 0:
		return nil
	case n.Op == op.Call:
		at, count = r.calls[n.A].args, r.calls[n.A].n
	case n.Op == op.Affine:
		at += 2
	case n.Op == op.Dot:
		count *= 2
	default:
		at++
	}
	return r.lists[at:][:count]
}

// Weights is those of an Affine node.
func (r *Recording) Weights(n *Node) []float64 { return r.coefs[r.lists[n.A+1]:][:n.B] }

// Title is what node i is called: x0, x1, … an input, p0, p1, … a parameter, v0,
// v1, … an operation.
func (r *Recording) Title(i int32) string {
	return title(int(i), r.inputs, r.params, r.inputs+r.params)
}

// Lines has caller asked who makes each node and comparison from now on, when
// there are inputs and parameters alone.
func (r *Recording) Lines(caller func() uintptr) { r.caller, r.ready = caller, 0 }

// Caller is what Lines was called with, nil if it was not.
func (r *Recording) Caller() func() uintptr { return r.caller }

// Trace is Lines that also keeps all nodes as they are made.
func (r *Recording) Trace(caller func() uintptr) {
	r.Lines(caller)
	r.traced, r.asIs = true, true
}

// Traced reports whether Trace was called.
func (r *Recording) Traced() bool { return r.traced }

// Close ends the recording: another operation panics.
func (r *Recording) Close() {
	for _, c := range r.chunks[min(r.First()>>chunkBits, len(r.chunks)):] { // inputs alone may be most of the memory
		if c != nil { // else it belongs to a tape
			chunks.Put(c)
		}
	}
	if cap(r.lists) > mostKept {
		r.lists = nil
	}
	scratches.Put(r.scratch)
	r.chunks, r.scratch, r.count = nil, new(scratch), 0
	r.closed, r.asIs, r.valued = true, true, false
}

// Constant is a node with the value c.
func (r *Recording) Constant(c float64) int32 {
	count := r.count
	i := r.Push(op.Const, 0, 0, c)
	if r.Keep(i, c); r.count > count {
		r.consts = append(r.consts, i)
	}
	return i
}

// Len is the number of nodes.
func (r *Recording) Len() int { return r.count }

// First is the first node that is no input or parameter.
func (r *Recording) First() int { return r.inputs + r.params }

// Node is node i.
func (r *Recording) Node(i int32) *Node { return &r.chunks[i>>chunkBits][i&(chunkSize-1)] }

// written is node i, which is to be written.
func (r *Recording) written(i int32) *Node {
	if c := &r.chunks[i>>chunkBits]; *c == &unused {
		*c = chunks.Get().(*chunk)
		**c = chunk{}
	}
	return r.Node(i)
}

// Use counts a use of a node.
func (r *Recording) Use(i int32) {
	if int(i) >= r.First() {
		r.Node(i).use()
	}
}

// CountsUses reports whether all uses by nodes have been counted as these were made.
func (r *Recording) CountsUses() bool { return !r.traced && len(r.calls) == 0 }

// ForgetUses makes all Uses 0.
func (r *Recording) ForgetUses() {
	for lo := r.First(); lo < r.count; {
		nodes := r.Piece(lo)
		for k := range nodes {
			nodes[k].Absorb()
		}
		lo += len(nodes)
	}
}

// Piece is the nodes from lo on, below Len, as many as are in one piece.
func (r *Recording) Piece(lo int) []Node {
	i := lo & (chunkSize - 1)
	return r.chunks[lo>>chunkBits][i:min(chunkSize, i+r.count-lo)]
}

// pushList appends a node of the operation code with n terms and with a list made
// of parts. If there is no room for it it returns another node.
func (r *Recording) pushList(code op.Code, n int, parts ...[]int32) int32 {
	size := 0
	for _, l := range parts {
		size += len(l)
	}
	if r.full(size) {
		return 0
	}
	at := len(r.lists)
	for _, l := range parts {
		r.lists = grown(r.lists, l...)
	}
	node := Node{A: int32(at), B: int32(n), Op: code}
	if r.asIs {
		return r.add(node)
	}
	last := r.count
	i := r.lookUp(node)
	if int(i) < last {
		r.lists = r.lists[:at] // it has its like
	}
	return i
}

// Sum appends c + Σ xᵢ. Few terms are added one by one, in operations that form
// batches.
func (r *Recording) Sum(c float64, x []int32) int32 {
	if r.asIs || len(x) == 0 || len(x) >= MinTerms {
		return r.pushList(op.Sum, len(x), []int32{r.real(c)}, x)
	}
	s := x[0]
	if c != 0 {
		s = r.Push(op.AddReal, s, 0, c)
	}
	for _, x := range x[1:] {
		s = r.Push(op.Add, s, x, 0)
	}
	return s
}

// Affine appends c + Σ wᵢxᵢ.
func (r *Recording) Affine(c float64, w []float64, x []int32) int32 {
	if c == 0 {
		c = NegZero // the sum starts with the first term
	}
	if len(x) == 1 && !r.asIs {
		s := r.Push(op.Scale, x[0], 0, w[0])
		if c != 0 {
			s = r.Push(op.AddReal, s, 0, c)
		}
		return s
	}
	// Most often the weights are those of the sum before.
	k := len(r.coefs) - len(w)
	if k < 0 || !slices.EqualFunc(r.coefs[k:], w, equalBits) {
		k = len(r.coefs)
		r.coefs = grown(r.coefs, w...)
	}
	return r.pushList(op.Affine, len(x), []int32{r.real(c), int32(k)}, x)
}

func equalBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// Dot appends Σ xᵢyᵢ. Few terms are added one by one, as by Sum.
func (r *Recording) Dot(x, y []int32) int32 {
	if r.asIs || len(x) == 0 || len(x) >= MinTerms {
		return r.pushList(op.Dot, len(x), x, y)
	}
	s := r.Push(op.Mul, x[0], y[0], 0)
	for k := 1; k < len(x); k++ {
		s = r.Push(op.Add, s, r.Push(op.Mul, x[k], y[k], 0), 0)
	}
	return s
}

// Several appends an operation on so many operands as it always has.
func (r *Recording) Several(code op.Code, c float64, x ...int32) int32 {
	return r.pushList(code, len(x), []int32{r.real(c)}, x)
}

// Own appends a scalar primitive or its derivative of the given order.
func (r *Recording) Own(f *Scalar1, order int, x int32) int32 {
	k := len(r.owns)
	for i := k - 1; i >= 0 && i >= k-8; i-- {
		if r.owns[i] == f {
			k = i
			break
		}
	}
	if k == len(r.owns) {
		r.owns = append(r.owns, f)
	}
	return r.Push(op.Own, x, int32(orders*k+order), 0)
}

// Call appends the outputs of a vector primitive and returns the first; the
// others follow it. No call is like another: its function may be.
func (r *Recording) Call(f Func, x []int32) int32 {
	_, m := f.Dims()
	if r.full(len(x) + m) {
		return 0
	}
	k := int32(len(r.calls))
	r.calls = append(r.calls, recordedCall{f: f, args: int32(len(r.lists)), n: int32(len(x))})
	r.lists = grown(r.lists, x...)
	first := int32(r.count)
	for j := range m {
		r.add(Node{A: k, B: int32(j), Op: op.Call})
	}
	return first
}

// Calls is the functions that were called so far, the last first.
func (r *Recording) Calls(yield func(f Func) bool) {
	for k := len(r.calls) - 1; k >= 0 && yield(r.calls[k].f); k-- {
	}
}

// CallOutputs is how many outputs the call of node n has.
func (r *Recording) CallOutputs(n *Node) int32 {
	_, m := r.calls[n.A].f.Dims()
	return int32(m)
}

// Guards are the comparisons that were made so far.
func (r *Recording) Guards() []Guard { return r.guards }

// SetSum makes node i the sum c + Σ wᵢxᵢ, in which all weights are 1 if w is nil,
// instead of what it was.
func (r *Recording) SetSum(i int32, c float64, w []float64, x []int32) {
	n := r.Node(i)
	n.Op, n.A, n.B = op.Sum, int32(len(r.lists)), int32(len(x))
	r.lists = grown(r.lists, r.real(c))
	if w != nil {
		n.Op = op.Affine
		r.lists = grown(r.lists, int32(len(r.coefs)))
		r.coefs = grown(r.coefs, w...)
	}
	r.lists = grown(r.lists, x...)
}
