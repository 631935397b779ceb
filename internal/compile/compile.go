package compile

import (
	"sync"

	"github.com/hesse-ad/hesse/internal/tape"
)

// Compile makes a program of a recording, see [InOrder] and [Arrange].
func Compile(r *tape.Recording, outputs []int32) *Program { return Arrange(InOrder(r, outputs)) }

// InOrder is the part of a recording that outputs and guards need, in the order in which it
// was recorded; chains of additions have become sums. It changes the recording, of which
// nothing else can be made then. It panics if r has an error. Cost: O(N) time and memory in
// N nodes.
func InOrder(r *tape.Recording, outputs []int32) *tape.Tape {
	if r.Err != nil {
		panic(r.Err)
	}
	counted := r.CountsUses()
	if counted {
		useResults(r, outputs)
	} else {
		findLive(r, outputs)
	}
	c := look(r)
	if counted && c.dead { // its uses of other nodes do not count
		findLive(r, outputs)
		c = look(r)
	}
	chains(r, c.long)
	return r.Tape(outputs)
}

// Plain is a program that runs the live operations of a recording one by one, in the order
// in which they were recorded. Compile must agree with it, and where a value is not finite
// the operation to blame is looked for in it.
func Plain(r *tape.Recording, outputs []int32) *Program {
	findLive(r, outputs)
	return NodeByNode(r.Tape(outputs))
}

// Arrange makes batches of a tape that is in the order in which it was recorded. Cost: as
// InOrder.
func Arrange(t *tape.Tape) *Program {
	c := &compiler{Tape: t, scratch: scratches.Get().(*scratch)}
	defer scratches.Put(c.scratch)
	c.findFeeds()
	return c.batches(c.levels())
}

// NodeByNode is the program that runs the operations of t one by one. It is made in no time:
// sweeps leave nothing out.
func NodeByNode(t *tape.Tape) *Program {
	p := &Program{Tape: *t, unwritten: []Span{{0, int32(t.Len())}}}
	if t.Ops() > 0 {
		p.batches = []Batch{{
			Kind: Mixed, Lo: int32(t.Base()), Hi: int32(t.Len()),
			FeedsNonlinear: true, ReadsOperations: true, InputsRead: p.EveryInput(),
		}}
	}
	return p
}

// compiler arranges a tape. Nodes are named by their numbers in it, until placer gives them
// new ones.
type compiler struct {
	*tape.Tape
	*scratch
}

// scratch is the memory of a compilation, which the next one uses again.
type scratch struct {
	// By node of the tape: a nonlinear operation depends on it, at once or through linear
	// ones.
	feeds []bool

	// By node of the tape: first its group (levels), later its number in the program
	// (placer). It is one array for both since touching fresh memory costs as much as the
	// work on it.
	byNode []int32

	groups []group
	heads  []int32 // by level, the first of its groups
	order  []int32 // the groups in the order of evaluation
	ids    []int32 // the operations in the order of evaluation

	before     []int32  // the lanes of a batch before they are sorted
	key, other []uint64 // the keys by which they are, and room to move them
	set, met   []bool   // by node of the program, see findFirstWrites
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}
