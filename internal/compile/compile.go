package compile

import (
	"sync"

	"github.com/hesse-ad/hesse/internal/tape"
)

// Compile makes a program of a recording, see [InOrder] and [Arrange].
func Compile(r *tape.Recording, outputs []int32) *Program { return Arrange(InOrder(r, outputs)) }

// InOrder is what outputs and guards need of a recording, as it was recorded but for
// chains. It changes the recording: nothing else can be made of it. It panics if r has
// an error. Cost: O(N) time and memory in N nodes.
func InOrder(r *tape.Recording, outputs []int32) *tape.Tape {
	if r.Err != nil {
		panic(r.Err)
	}
	constants := findLive(r, outputs)
	constants += chains(r)
	t := r.Tape(outputs, constants)
	return t
}

// Plain is a program of the operations of a traced recording in the order in which they
// were recorded, one by one, but for dead code. It is what Compile must agree with, and
// where a fault is looked for.
func Plain(r *tape.Recording, outputs []int32) *Program {
	return NodeByNode(r.Tape(outputs, findLive(r, outputs)))
}

// Arrange makes a program of a tape that is in the order in which it was recorded. Cost:
// as InOrder.
func Arrange(t *tape.Tape) *Program {
	c := &compiler{Tape: t, scratch: scratches.Get().(*scratch)}
	defer scratches.Put(c.scratch)
	c.findFeeds()
	return c.batches(c.levels())
}

// NodeByNode is the program that runs the operations of t one by one.
func NodeByNode(t *tape.Tape) *Program {
	var batches []Batch
	if t.Ops() > 0 {
		batches = []Batch{{Kind: Mixed, Lo: int32(t.Base()), Hi: int32(t.Len()), FeedsNonlinear: true}}
	}
	return newProgram(t, batches, new(scratch))
}

// compiler arranges a tape. What is by node is by its numbers.
type compiler struct {
	*tape.Tape
	*scratch
}

// scratch is the memory of a compilation, which the next one uses again.
type scratch struct {
	feeds []bool // by node: it is an operand of a nonlinear operation, or of one that feeds one

	// By node, one after another: its group, its number in the program. It is one array
	// since memory that is touched for the first time costs as much as what is done with
	// it.
	byNode []int32

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
