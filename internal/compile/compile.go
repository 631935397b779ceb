package compile

import (
	"sync"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Compile makes a program of a recording, which it changes: no other program can be
// made of it. It panics if r has an error. Cost: O(N) time and memory in N nodes.
func Compile(r *tape.Recording, outputs []int32) *Program {
	if r.Err != nil {
		panic(r.Err)
	}
	c := newCompiler(r, outputs)
	defer scratches.Put(c.scratch)
	c.findLive()
	c.chains()
	return c.batches(c.levels())
}

// Plain is Compile without any pass but that of dead code: the operations of a
// traced recording in the order in which they were recorded, one by one. It is what
// Compile must agree with, and where a fault is looked for.
func Plain(r *tape.Recording, outputs []int32) *Program {
	c := newCompiler(r, outputs)
	defer scratches.Put(c.scratch)
	c.findLive()
	ids := c.ids[:0]
	for i, n := range r.Nodes {
		if int(i) >= r.First() && c.live(i) && n.Op != op.Const {
			ids = append(ids, i)
		}
	}
	c.ids = ids
	w := r.NewWriter(c.live, len(ids), zeroed(&c.byNode, c.Len()))
	for k, i := range ids {
		w.Place(r.Node(i).Op, ids[k:k+1], int32(w.Base()+k))
	}
	return NodeByNode(w.Finish(outputs))
}

// NodeByNode is the program that runs the operations of t one by one.
func NodeByNode(t *tape.Tape) *Program {
	var batches []Batch
	if t.Ops() > 0 {
		batches = []Batch{{Kind: Mixed, Lo: int32(t.Base()), Hi: int32(t.Len()), FeedsNonlinear: true}}
	}
	return newProgram(t, batches, new(scratch))
}

type compiler struct {
	*tape.Recording
	outputs []int32
	*scratch
}

func newCompiler(r *tape.Recording, outputs []int32) *compiler {
	return &compiler{Recording: r, outputs: outputs, scratch: scratches.Get().(*scratch)}
}

// scratch is the memory of a compilation, which the next one uses again. What is by
// node is by the numbers of the recording.
type scratch struct {
	uses  []uint8 // by node: how often it is an operand, an output or guarded; at most 2
	feeds []bool  // by node: it is an operand of a nonlinear operation, or of one that feeds one

	// By node, one after another: the length of the chain that ends with it, its
	// group, its number in the program. It is one array since memory that is touched
	// for the first time costs as much as what is done with it.
	byNode []int32

	terms  []int32 // of a chain, and their signs
	signs  []float64
	groups []group
	heads  []int32 // by level
	order  []int32 // of the groups
	ids    []int32 // the operations in order

	before     []int32 // an order of lanes
	key, other []uint64
	set, met   []bool // by node of the program
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// zeroed is n zeros in the memory of x.
func zeroed[T any](x *[]T, n int) []T {
	if cap(*x) < n {
		*x = make([]T, n)
		return *x
	}
	*x = (*x)[:n]
	clear(*x)
	return *x
}
