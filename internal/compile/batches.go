package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

const (
	// minBatch is how many lanes a batch has at least; what is smaller runs node by
	// node.
	minBatch = 8
	// minRun is how many lanes pieces must have on average for a batch to be cut where its
	// operands stop being consecutive.
	minRun = 24
)

// placer numbers the nodes of a program and forms its batches.
type placer struct {
	*tape.Writer
	from    *compiler
	next    int32 // the number of the node that is placed next
	batches []Batch
}

// batches writes the program of the operations in ids, which are those of the first group,
// then of the second, and so on.
func (c *compiler) batches(groups []group) *Program {
	p := &placer{Writer: c.NewWriter(c.byNode), from: c}
	p.next = int32(p.Base())
	at := int32(0)
	for _, g := range groups {
		p.group(g.op, c.ids[at:g.end])
		at = g.end
	}
	return newProgram(p.Finish(), p.batches, c.scratch)
}

// group places the nodes of one level and operation.
func (p *placer) group(code op.Code, ids []int32) {
	switch {
	case code == op.Affine:
		p.affines(ids)
	case code == op.Dot:
		p.rows(code, ids, p.place(code, ids))
	case len(ids) < minBatch || !code.Elementary():
		lo := p.place(code, ids)
		for k, i := range ids {
			p.single(lo+int32(k), p.from.feeds[i])
		}
	default:
		p.lanes(code, ids)
	}
}

// place gives the nodes ids of one operation the next numbers, from lo on.
func (p *placer) place(code op.Code, ids []int32) (lo int32) {
	lo = p.next
	p.next += int32(len(ids))
	p.Place(code, ids, lo)
	return lo
}

// feedsNonlinear reports whether any of the nodes ids does.
func (p *placer) feedsNonlinear(ids []int32) bool {
	return slices.ContainsFunc(ids, func(i int32) bool { return p.from.feeds[i] })
}

// single puts node i into a mixed batch: the last batch, if that is mixed and its nodes
// feed nonlinear operations as this one does or does not, else a new one.
func (p *placer) single(i int32, feeds bool) {
	if k := len(p.batches) - 1; k >= 0 && p.batches[k].Kind == Mixed && p.batches[k].FeedsNonlinear == feeds {
		p.batches[k].Hi = i + 1
		return
	}
	p.batches = append(p.batches, Batch{Kind: Mixed, Lo: i, Hi: i + 1, FeedsNonlinear: feeds})
}

// lanes makes batches of elementary operations. It sorts the nodes, if that makes their
// operands consecutive more often, and cuts where they still are not.
func (p *placer) lanes(code op.Code, ids []int32) {
	lo := p.place(code, ids)
	breaks := p.breaks(code, lo, p.next)
	if breaks*minRun > len(ids) {
		before := append(p.from.before[:0], ids...)
		p.from.before = before
		p.sortLanes(code, ids, lo)
		p.Place(code, ids, lo)
		if sorted := p.breaks(code, lo, p.next); sorted < breaks {
			breaks = sorted
		} else {
			p.Place(code, before, lo)
		}
	}
	a, b := p.FirstArgs(lo, p.next), p.SecondArgs(lo, p.next)
	batch := Batch{Kind: Elementwise, Op: code, FeedsNonlinear: p.feedsNonlinear(ids)}
	cutA := breaks > 0 && regular(a)
	cutB := breaks > 0 && code.Operands() == 2 && regular(b)
	for start, i := 0, 1; i <= len(a); i++ {
		if i < len(a) && !(cutA && a[i] != a[i-1]+1) && !(cutB && b[i] != b[i-1]+1) {
			continue
		}
		batch.Lo, batch.Hi = lo+int32(start), lo+int32(i)
		batch.A = operandOf(a[start:i])
		if code.Operands() == 2 {
			batch.B = operandOf(b[start:i])
		}
		p.batches = append(p.batches, batch)
		start = i
	}
}

// breaks counts where the operands of the nodes lo … hi−1 are not consecutive;
// an operand that is the same in all of them has none.
func (p *placer) breaks(code op.Code, lo, hi int32) int {
	count := func(x []int32) int {
		if k := gaps(x); k < len(x)-1 || slices.ContainsFunc(x, func(i int32) bool { return i != x[0] }) {
			return k
		}
		return 0
	}
	k := count(p.FirstArgs(lo, hi))
	if code.Operands() == 2 {
		k += count(p.SecondArgs(lo, hi))
	}
	return k
}

// gaps is how often an element of x is not the one before plus 1.
func gaps(x []int32) int {
	k := 0
	for i := 1; i < len(x); i++ {
		if x[i] != x[i-1]+1 {
			k++
		}
	}
	return k
}

// regular reports whether x, an operand of all lanes of a batch, is consecutive over such
// long stretches that it pays to cut the batch between them.
func regular(x []int32) bool { return (gaps(x)+1)*minRun <= len(x) }

// operandOf says how the operands of a batch lie in memory.
func operandOf(index []int32) Operand {
	o := Operand{Access: Uniform, At: index[0], Index: index}
	switch {
	case gaps(index) == 0:
		o.Access = Consecutive
	case slices.ContainsFunc(index, func(i int32) bool { return i != index[0] }):
		o.Access = Indexed
	}
	return o
}
