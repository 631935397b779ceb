package program

import (
	"errors"
	"math"
	"slices"
	"sync"
)

// Node is one recorded operation. Operations with a list of operands have it
// in the recording's lists: a is where it starts, b how many terms it has.
type Node struct {
	C    float64
	A, B int32
	Op   Op
}

// maxSize is how many nodes and operands in lists a recording may have, so that
// whatever is made of it has int32 indices. Tests change it.
var maxSize = 1 << 30

var errSize = errors.New("reverse: more than 2³⁰ operations")

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
)

// Recording is a program while it is written down: nodes in the order in which
// they were made, each operand made before its user. Nodes are kept in chunks,
// since a growing slice would copy them again and again.
type Recording struct {
	chunks [][]Node
	cur    []Node // the last chunk

	inputs, params int

	lists  []int32
	coefs  []float64
	owns   []*Scalar1
	calls  []call
	guards []Guard
	consts map[uint64]int32
	closed bool

	// Err is the first error of a primitive, or that there are too many nodes:
	// then the last ones are overwritten until the function returns.
	Err error

	// Lines asks guards to note who made the comparison.
	Lines  bool
	caller func() uintptr // asked who makes each node, see Trace
	made   []uintptr      // its answers
	// Derived says that the recording is made by a transform, where sums with
	// the constant 0 are many: x + 0 is x then, even for x = −0.
	Derived bool
	// Term says that the recording is a term that is to be repeated.
	Term bool
}

// NewRecording has nodes 0 … inputs+params−1 for the inputs and parameters.
func NewRecording(inputs, params int) *Recording {
	r := &Recording{inputs: inputs, params: params}
	for range inputs + params {
		r.Push(Const, 0, 0, 0)
	}
	return r
}

// Push appends a node and returns its index.
func (r *Recording) Push(op Op, a, b int32, c float64) int32 {
	if len(r.cur) == cap(r.cur) {
		r.grow()
	}
	k := len(r.cur)
	r.cur = r.cur[:k+1]
	n := &r.cur[k]
	n.C, n.A, n.B, n.Op = c, a, b, op
	return int32((len(r.chunks)-1)<<chunkBits + k)
}

func (r *Recording) grow() {
	if r.closed {
		panic("reverse: Var used after its recording")
	}
	k := len(r.chunks)
	if k == 0 || len(r.cur) == chunkSize {
		if k > 0 {
			r.chunks[k-1] = r.cur
		}
		if k > 0 && r.full(chunkSize) {
			r.cur = r.cur[:0]
		} else {
			r.cur = chunks.Get().(*chunk)[:0]
			r.chunks = append(r.chunks, r.cur)
		}
	}
	if r.caller != nil { // room for one node, so that the next one passes here too
		r.made = append(r.made, r.caller())
		r.cur = r.chunks[len(r.chunks)-1][: len(r.cur) : len(r.cur)+1]
	}
}

// full reports whether there is no room for n more nodes or operands.
func (r *Recording) full(n int) bool {
	if r.Len()+len(r.lists)+n <= maxSize {
		return false
	}
	if r.Err == nil {
		r.Err = errSize
	}
	return true
}

// list appends lists of operands. If there is no room for them it says so.
func (r *Recording) list(lists ...[]int32) (at int32, ok bool) {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	if r.full(n) {
		return 0, false
	}
	k := len(r.lists)
	for _, l := range lists {
		r.lists = append(r.lists, l...)
	}
	return int32(k), true
}

// Trace has caller asked who makes each node from now on, when there are inputs
// and parameters alone.
func (r *Recording) Trace(caller func() uintptr) {
	r.caller = caller
	r.cur = r.cur[:len(r.cur):len(r.cur)] // the next node needs room
}

// Traced reports whether Trace was called.
func (r *Recording) Traced() bool { return r.caller != nil }

type chunk [chunkSize]Node

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// Close ends the recording: another operation panics.
func (r *Recording) Close() {
	r.closed = true
	for _, c := range r.chunks {
		chunks.Put((*chunk)(c[:chunkSize]))
	}
	r.chunks, r.cur, r.lists, r.coefs = nil, nil, nil, nil
}

// Constant is a node with the value c.
func (r *Recording) Constant(c float64) int32 {
	i, ok := r.consts[math.Float64bits(c)]
	if !ok {
		if r.consts == nil {
			r.consts = map[uint64]int32{}
		}
		i = r.Push(Const, 0, 0, c)
		r.consts[math.Float64bits(c)] = i
	}
	return i
}

// Len is the number of nodes.
func (r *Recording) Len() int {
	if len(r.chunks) == 0 {
		return 0
	}
	return (len(r.chunks)-1)<<chunkBits + len(r.cur)
}

// Node is the node at i.
func (r *Recording) Node(i int32) *Node {
	c := i >> chunkBits
	if int(c) == len(r.chunks)-1 {
		return &r.cur[i&(chunkSize-1)]
	}
	return &r.chunks[c][i&(chunkSize-1)]
}

// Sum appends c + Σ xᵢ.
func (r *Recording) Sum(c float64, x []int32) int32 {
	at, ok := r.list(x)
	if !ok {
		return r.Push(Const, 0, 0, 0)
	}
	return r.Push(Sum, at, int32(len(x)), c)
}

// Affine appends c + Σ wᵢxᵢ. Its list is the place of w, then x.
func (r *Recording) Affine(c float64, w []float64, x []int32) int32 {
	if c == 0 {
		c = negZero // the sum starts with the first term
	}
	// Most often the weights are those of the sum before.
	k := len(r.coefs) - len(w)
	if k < 0 || !slices.EqualFunc(r.coefs[k:], w, equalBits) {
		k = len(r.coefs)
	}
	at, ok := r.list([]int32{int32(k)}, x)
	if !ok {
		return r.Push(Const, 0, 0, 0)
	}
	if k == len(r.coefs) {
		r.coefs = append(r.coefs, w...)
	}
	return r.Push(Affine, at, int32(len(x)), c)
}

func equalBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// Dot appends Σ xᵢyᵢ. Its list is x, then y.
func (r *Recording) Dot(x, y []int32) int32 {
	at, ok := r.list(x, y)
	if !ok {
		return r.Push(Const, 0, 0, 0)
	}
	return r.Push(Dot, at, int32(len(x)), 0)
}

// Select appends x where cond > 0, else y. Its list is x, y, cond.
func (r *Recording) Select(cond, x, y int32) int32 {
	at, ok := r.list([]int32{x, y, cond})
	if !ok {
		return r.Push(Const, 0, 0, 0)
	}
	return r.Push(Select, at, 1, 0)
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
	return r.Push(Own, x, int32(k), float64(order))
}

// Call appends the outputs of a vector primitive and returns the first; the
// others follow it.
func (r *Recording) Call(f Func, x []int32) int32 {
	k := int32(len(r.calls))
	_, m := f.Dims()
	if at, ok := r.list(x); ok {
		r.calls = append(r.calls, call{f: f, args: at, n: int32(len(x))})
	}
	first := int32(r.Len())
	for j := range m {
		r.Push(Call, k, int32(j), 0)
	}
	return first
}

// operands calls f on the place of every operand of a node, in order.
func operands(n *Node, lists []int32, calls []call, f func(x *int32)) {
	list := func(at, k int32) {
		for i := range lists[at : at+k] {
			f(&lists[at+int32(i)])
		}
	}
	switch n.Op {
	case Sum:
		list(n.A, n.B)
	case Affine:
		list(n.A+1, n.B)
	case Dot:
		list(n.A, 2*n.B)
	case Select:
		list(n.A, 3)
	case Call:
		if n.B == 0 {
			list(calls[n.A].args, calls[n.A].n)
		}
	default:
		switch n.Op.Operands() {
		case 2:
			f(&n.A)
			f(&n.B)
		case 1:
			f(&n.A)
		}
	}
}

// GuardKind is the kind of a comparison.
type GuardKind uint8

// The comparisons that a recording depends on.
const (
	Less       GuardKind = iota // a < b
	LessEq                      // a ≤ b
	LessReal                    // a < c
	LessEqReal                  // a ≤ c
	GreaterReal
	GreaterEqReal
	Value // a is c
)

func (k GuardKind) String() string {
	return [...]string{"Less", "LessEq", "Less", "LessEq", "Less", "LessEq", "Value"}[k]
}

// Guard is a comparison made while recording, and how it came out.
type Guard struct {
	Kind    GuardKind
	Outcome bool
	A, B    int32
	C       float64
	PC      uintptr // who asked, if wanted
}

// Guard appends a guard.
func (r *Recording) Guard(g Guard) {
	if r.closed {
		panic("reverse: Var used after its recording")
	}
	r.guards = append(r.guards, g)
}

// Made notes who made the comparisons of the recording, those of p again,
// unless some are between constants here.
func (r *Recording) Made(p *Program) {
	if len(r.guards) != len(p.guards) {
		return
	}
	for k := range r.guards {
		r.guards[k].PC = p.guards[k].PC
	}
}

// Holds reports whether the comparison comes out as recorded.
func (g *Guard) Holds(v []float64) bool {
	a := v[g.A]
	switch g.Kind {
	case Less:
		return (a < v[g.B]) == g.Outcome
	case LessEq:
		return (a <= v[g.B]) == g.Outcome
	case LessReal:
		return (a < g.C) == g.Outcome
	case LessEqReal:
		return (a <= g.C) == g.Outcome
	case GreaterReal:
		return (g.C < a) == g.Outcome
	case GreaterEqReal:
		return (g.C <= a) == g.Outcome
	default:
		return math.Float64bits(a) == math.Float64bits(g.C) || a != a && g.C != g.C
	}
}
