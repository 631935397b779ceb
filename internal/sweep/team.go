package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/workers"
)

// A batch is shared by the goroutines of a team if it takes the time of at least minShared
// arithmetic operations, about 20 µs: starting and awaiting one takes a microsecond or two.
const (
	minShared = 40000
	callTime  = 16 // of a function such as exp, in arithmetic operations
)

// Team has n goroutines share the value and first-order adjoint sweeps of ws, until
// the function that it returns is called. The bits are those of a single goroutine: the
// values of a batch's lanes do not depend on each other, and adjoints of a batch are shared
// only if no two lanes have an operand in common.
func (ws *Workspace) Team(n int) (end func()) {
	e := ws.e
	if n <= 1 {
		return func() {}
	}
	grow(&ws.bar, e.Len())
	ends := make([]func(), n-1)
	for i := range ends {
		own := e.Get()
		ends[i] = own.Share(ws)
		ws.team = append(ws.team, own)
	}
	return func() {
		for i, own := range ws.team {
			ends[i]()
			e.Put(own)
		}
		ws.team = nil
	}
}

// shares reports whether a team is to share a batch.
func (ws *Workspace) shares(b *compile.Batch) bool {
	return len(ws.team) > 0 && int(b.Hi-b.Lo)*(1+callTime*b.Op.Cost()) >= minShared
}

// share calls do with the blocks of a batch; each goroutine has consecutive ones.
func (ws *Workspace) share(b *compile.Batch, do func(ws *Workspace, lo, m int32)) {
	n := int32(len(ws.team) + 1)
	blocks := (b.Hi - b.Lo + compile.Block - 1) / compile.Block
	workers.Do(int(n), func(i int) {
		own := ws
		if i > 0 {
			own = ws.team[i-1]
		}
		from, to := int32(i)*blocks/n, int32(i+1)*blocks/n
		for k := from; k < to; k++ {
			lo := b.Lo + k*compile.Block
			do(own, lo, min(compile.Block, b.Hi-lo))
		}
	})
}

// sharedValues and sharedAdjoints are functions of their own since their closures make what
// they capture escape to the heap, which batches that are not shared need not pay for.

func (ws *Workspace) sharedValues(b *compile.Batch) {
	ws.share(b, func(ws *Workspace, lo, m int32) { ws.valueBlock(b, lo, m) })
}

func (ws *Workspace) sharedAdjoints(gs [][]float64, b *compile.Batch, store bool) {
	ws.share(b, func(ws *Workspace, lo, m int32) { ws.adjointBlock(gs, b, b, lo, lo-b.Lo, m, compile.FirstOrder, store) })
}

// disjoint reports whether no two lanes have an operand in common.
func disjoint(b *compile.Batch) bool {
	switch b.Op.Operands() {
	case 1:
		return b.A.Access == compile.Consecutive
	case 2:
		n := b.Hi - b.Lo
		return b.A.Access == compile.Consecutive && b.B.Access == compile.Consecutive && (b.A.At+n <= b.B.At || b.B.At+n <= b.A.At)
	default:
		return false
	}
}
