package compile

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

const (
	// A batch has at least minBatch lanes; what is smaller runs node by node.
	minBatch = 8
	// A batch is cut where its operands stop being consecutive if the pieces
	// have at least minRun lanes on average.
	minRun = 24
	// Lanes are sorted into groups of alike constants or operand distances if
	// there are at most maxGroups of them.
	maxGroups = 16
)

// arrange puts the nodes in order: inputs, parameters, constants, then level
// by level (a node's level is one more than its operands' largest) and, in a
// level, operation by operation.
func (c *compiler) arrange() *Program {
	p := c.place(c.sort())
	at := int32(0)
	for _, k := range c.order {
		g := &c.groups[k]
		p.group(g.op, c.ids[at:g.end])
		at = g.end
	}
	return p.program()
}

// group is the nodes of one level and operation.
type group struct {
	next int32 // another group of the level, number + 1
	end  int32 // how many there are, then where they end
	op   op.Code
}

// sort makes ids the operations that are needed, group by group in the order of
// the groups, in a group as they were recorded. Levels are counted from 1; the
// operations that are not needed have level 0.
func (c *compiler) sort() (total int) {
	groups, heads := c.groups[:0], c.heads[:0] // the first group of each level, number + 1
	level, groupOf := zeroed(&c.level, c.Len()), zeroed(&c.groupOf, c.Len())
	for i, n := range c.Nodes {
		if !c.needed(i) || n.Op == op.Const {
			continue
		}
		total++
		at := int32(0)
		switch k := n.Op.Operands(); {
		case k == 2:
			at = max(level[n.A], level[n.B])
		case k == 1:
			at = level[n.A]
		case n.Op == op.Call && n.B > 0:
			at = level[i-n.B] - 1
		default:
			for _, j := range c.List(n) {
				at = max(at, level[j])
			}
		}
		if int(at) == len(heads) {
			heads = append(heads, 0)
		}
		k := heads[at]
		for k > 0 && groups[k-1].op != n.Op {
			k = groups[k-1].next
		}
		if k == 0 {
			groups = append(groups, group{next: heads[at], op: n.Op})
			k = int32(len(groups))
			heads[at] = k
		}
		groups[k-1].end++
		groupOf[i], level[i] = k-1, at+1
	}
	order, at := c.order[:0], int32(0)
	for _, k := range heads {
		first := len(order)
		for ; k > 0; k = groups[k-1].next {
			order = append(order, k-1)
		}
		slices.SortFunc(order[first:], func(i, j int32) int { return int(groups[i].op) - int(groups[j].op) })
		for _, k := range order[first:] {
			groups[k].end, at = at, at+groups[k].end
		}
	}
	ids := zeroed(&c.ids, total)
	for i, l := range level {
		if l > 0 {
			g := &groups[groupOf[i]]
			ids[g.end] = int32(i)
			g.end++
		}
	}
	c.groups, c.heads, c.order = groups, heads, order
	return total
}

// placer numbers nodes and forms batches.
type placer struct {
	*tape.Writer
	from    *compiler
	next    int32
	batches []Batch
}

// place numbers the inputs, parameters and constants, and makes room for n
// operations.
func (c *compiler) place(n int) *placer {
	p := &placer{Writer: c.NewWriter(c.needed), from: c}
	p.Room(n)
	p.next = int32(p.Base())
	return p
}

// program is the program when all nodes have been placed.
func (p *placer) program() *Program {
	q := &Program{Tape: *p.Finish(p.from.outputs), batches: p.batches}
	q.finish(p.from.scratch)
	return q
}

// group places nodes of one level and operation.
func (p *placer) group(code op.Code, ids []int32) {
	if code == op.Affine {
		p.affines(ids)
		return
	}
	lo := p.next
	p.next += int32(len(ids))
	inner := p.place(code, ids, lo)
	if code == op.Dot {
		p.rows(code, ids, lo)
		return
	}
	if len(ids) < minBatch || !code.Elementary() {
		for k, i := range ids {
			p.single(lo+int32(k), p.from.inner[i])
		}
		return
	}
	binary := code.Operands() == 2
	breaks := p.breaks(lo, p.next, binary)
	if breaks*minRun > len(ids) {
		before := append(p.from.tmp[:0], ids...)
		p.from.tmp = before
		p.sort(code, ids, lo)
		p.place(code, ids, lo)
		sorted := p.breaks(lo, p.next, binary)
		if sorted >= breaks {
			p.place(code, before, lo)
		} else {
			breaks = sorted
		}
	}
	if breaks > 0 {
		p.cut(code, lo, p.next, inner)
		return
	}
	p.batch(code, lo, p.next, inner)
}

// place writes nodes of one operation to lo, lo+1, … and reports whether any has
// a nonlinear descendant.
func (p *placer) place(code op.Code, ids []int32, lo int32) (inner bool) {
	p.Place(code, ids, lo)
	for _, i := range ids {
		inner = inner || p.from.inner[i]
	}
	return inner
}

// single puts node i into a batch of mixed operations.
func (p *placer) single(i int32, inner bool) {
	if k := len(p.batches) - 1; k >= 0 && p.batches[k].Kind == Mixed && p.batches[k].Inner == inner {
		p.batches[k].Hi = i + 1
		return
	}
	p.batches = append(p.batches, Batch{Kind: Mixed, Lo: i, Hi: i + 1, Inner: inner})
}

func consecutive(x []int32) bool {
	for i := 1; i < len(x); i++ {
		if x[i] != x[i-1]+1 {
			return false
		}
	}
	return true
}

// sort orders alike nodes, placed from at on, so that their operands become
// consecutive: loops with several operations of one kind in their body record
// them in turn.
func (p *placer) sort(code op.Code, ids []int32, at int32) {
	// Group by the constant, or by the distance between the operands.
	var groups [maxGroups]uint64
	count := 0
	p.from.key = p.from.key[:0]
	lo, hi := int32(math.MaxInt32), int32(0)
	end := at + int32(len(ids))
	as, bs, cs := p.FirstArgs(at, end), p.SecondArgs(at, end), p.Constants(at, end)
	for k, a := range as {
		lo, hi = min(lo, a), max(hi, a)
		g := math.Float64bits(cs[k])
		if code.Operands() == 2 {
			g = uint64(bs[k] - a)
		}
		rank := 0
		if count <= maxGroups {
			for rank < count && groups[rank] != g {
				rank++
			}
			if rank == count {
				if count < maxGroups {
					groups[count] = g
				}
				count++
			}
		}
		p.from.key = append(p.from.key, uint64(rank)<<32|uint64(a))
	}
	width := uint64(hi-lo) + 1
	if count > maxGroups {
		count = 0
	}
	for i, k := range p.from.key {
		rank, a := k>>32, k&math.MaxUint32-uint64(lo)
		if count == 0 {
			rank = 0
		}
		p.from.key[i] = rank*width + a
	}
	p.radix(ids, uint64(max(count, 1))*width)
}

// breaks counts where the operands of the nodes lo … hi−1 are not consecutive;
// an operand that is the same in all of them has none.
func (p *placer) breaks(lo, hi int32, binary bool) int {
	count := func(x []int32) int {
		k, same := 0, true
		for i := 1; i < len(x); i++ {
			if x[i] != x[i-1]+1 {
				k++
				same = same && x[i] == x[0]
			}
		}
		if same && k == len(x)-1 {
			return 0
		}
		return k
	}
	k := count(p.FirstArgs(lo, hi))
	if binary {
		k += count(p.SecondArgs(lo, hi))
	}
	return k
}

// radix sorts ids by p.from.key, all below top, least significant digits first.
func (p *placer) radix(ids []int32, top uint64) {
	const digit = 11
	p.from.other = append(p.from.other[:0], p.from.key...)
	from, to := p.from.key, p.from.other
	src, dst := ids, make([]int32, len(ids))
	for shift := 0; shift < 64 && top>>shift > 0; shift += digit {
		var at [1<<digit + 1]int32
		for _, k := range from {
			at[(k>>shift)&(1<<digit-1)+1]++
		}
		for k := range 1 << digit {
			at[k+1] += at[k]
		}
		for j, k := range from {
			d := (k >> shift) & (1<<digit - 1)
			to[at[d]], dst[at[d]] = k, src[j]
			at[d]++
		}
		from, to = to, from
		src, dst = dst, src
	}
	if len(ids) > 0 && &src[0] != &ids[0] {
		copy(ids, src)
	}
}

// cut makes batches of the nodes lo … hi−1, all of one operation.
func (p *placer) cut(code op.Code, lo, hi int32, inner bool) {
	a, b := p.FirstArgs(lo, hi), p.SecondArgs(lo, hi)
	cutA := regular(a)
	cutB := code.Operands() == 2 && regular(b)
	start := 0
	for i := 1; i <= len(a); i++ {
		if i < len(a) && !(cutA && a[i] != a[i-1]+1) && !(cutB && b[i] != b[i-1]+1) {
			continue
		}
		p.batch(code, lo+int32(start), lo+int32(i), inner)
		start = i
	}
}

// regular reports whether x, operands of a batch, are consecutive for so long
// that it is worth to cut the batch where they are not.
func regular(x []int32) bool {
	k := 0
	for i := 1; i < len(x); i++ {
		if x[i] != x[i-1]+1 {
			k++
		}
	}
	return (k+1)*minRun <= len(x)
}

// batch appends the batch of the nodes lo … hi−1.
func (p *placer) batch(code op.Code, lo, hi int32, inner bool) {
	b := Batch{Kind: Elementwise, Op: code, Lo: lo, Hi: hi, Inner: inner, A: layout(p.FirstArgs(lo, hi))}
	if code.Operands() == 2 {
		b.B = layout(p.SecondArgs(lo, hi))
	}
	p.batches = append(p.batches, b)
}

// layout says how the operands of a batch lie in memory.
func layout(index []int32) Operand {
	o := Operand{Access: Uniform, At: index[0], Index: index}
	switch {
	case consecutive(index):
		o.Access = Consecutive
	case slices.ContainsFunc(index, func(i int32) bool { return i != index[0] }):
		o.Access = Indexed
	}
	return o
}
