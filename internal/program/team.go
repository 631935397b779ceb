package program

import "github.com/hesse-ad/hesse/internal/workers"

// A batch that takes at least minShared operations' time, about 20 µs, is shared
// by the goroutines of a team: to start and await one takes a microsecond or two.
const (
	minShared = 40000
	callTime  = 16 // of a function such as exp, in operations
)

// Team has n goroutines share the value and first-order adjoint sweeps of ws, until
// the function that it returns is called. Lanes of a batch do not depend on each
// other, and where adjoints of two lanes may be added to one number one goroutine
// does the batch: the bits are those of a single one.
func (p *Program) Team(ws *Workspace, n int) (end func()) {
	if n <= 1 {
		return func() {}
	}
	grow(&ws.Bar, len(p.ops))
	ends := make([]func(), n-1)
	for i := range ends {
		own := p.Get()
		ends[i] = own.Share(ws)
		ws.team = append(ws.team, own)
	}
	return func() {
		for i, own := range ws.team {
			ends[i]()
			p.Put(own)
		}
		ws.team = nil
	}
}

// shares reports whether a team is to share a batch.
func (ws *Workspace) shares(b *batch) bool {
	return len(ws.team) > 0 && int(b.hi-b.lo)*(1+callTime*b.op.Cost()) >= minShared
}

// share calls do with the blocks of a batch, each goroutine with some in a row.
func (ws *Workspace) share(b *batch, do func(ws *Workspace, lo, m int32)) {
	n := int32(len(ws.team) + 1)
	blocks := (b.hi - b.lo + block - 1) / block
	workers.Do(int(n), func(i int) {
		own := ws
		if i > 0 {
			own = ws.team[i-1]
		}
		from, to := int32(i)*blocks/n, int32(i+1)*blocks/n
		for k := from; k < to; k++ {
			lo := b.lo + k*block
			do(own, lo, min(block, b.hi-lo))
		}
	})
}

// sharedValues and sharedAdjoints are functions of their own, since what they hand
// over goes to the heap.

func (p *Program) sharedValues(ws *Workspace, b *batch) {
	ws.share(b, func(ws *Workspace, lo, m int32) { p.valueBlock(ws, b, lo, m) })
}

func (p *Program) sharedAdjoints(ws *Workspace, gs [][]float64, b *batch, store bool) {
	ws.share(b, func(ws *Workspace, lo, m int32) { p.adjointBlock(ws, gs, b, lo, m, firstOrder, store) })
}

// apart reports whether no two lanes have an operand in common.
func (b *batch) apart() bool {
	switch b.op.Operands() {
	case 1:
		return b.a.how == direct
	case 2:
		n := b.hi - b.lo
		return b.a.how == direct && b.b.how == direct && (b.a.at+n <= b.b.at || b.b.at+n <= b.a.at)
	default:
		return false
	}
}
