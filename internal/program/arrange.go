package program

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
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
	first := c.inputs + c.params
	p := &Program{
		inputs: c.inputs, params: c.params,
		lists: c.list, coefs: slices.Clone(c.coefs), owns: c.owns, calls: c.call,
		guards: c.guard,
	}
	id := zeroed(&c.placed, len(c.nodes)) // new numbers
	for i := range first {
		id[i] = int32(i)
	}
	for i := first; i < len(c.nodes); i++ {
		if n := &c.nodes[i]; n.Op == Const && c.uses[i] > 0 {
			id[i] = int32(first + len(p.consts))
			p.consts = append(p.consts, n.C)
		}
	}
	p.base = first + len(p.consts)

	// Levels, and the nodes sorted by them.
	level := zeroed(&c.levels, len(c.nodes))
	counts := c.at[:0]
	top := int32(0)
	raise := func(i *int32) { top = max(top, level[*i]) }
	total := p.base
	for i := first; i < len(c.nodes); i++ {
		n := &c.nodes[i]
		if c.uses[i] == 0 || n.Op == Const {
			continue
		}
		switch args := n.Op.Operands(); {
		case args == 2:
			top = max(level[n.A], level[n.B])
		case args == 1:
			top = level[n.A]
		case n.Op == Call && n.B > 0:
			top = level[i-int(n.B)] - 1
		default:
			top = 0
			operands(n, c.list, c.call, raise)
		}
		for int(top) >= len(counts) {
			counts = append(counts, 0)
		}
		level[i] = top + 1
		counts[top]++
		total++
	}
	ids := zeroed(&c.byLevel, total-p.base)
	c.at = counts
	ends := zeroed(&c.levelEnds, len(counts))
	at := int32(0)
	for l, k := range counts {
		ends[l] = at
		at += k
	}
	for i, l := range level {
		if l > 0 {
			ids[ends[l-1]] = int32(i)
			ends[l-1]++
		}
	}

	p.ops = make([]Op, total)
	p.a = make([]int32, total)
	p.b = make([]int32, total)
	p.c = make([]float64, total)
	place := placer{Program: p, nodes: c.nodes, inner: c.inner, id: id, next: int32(p.base)}
	lo := int32(0)
	for _, hi := range ends {
		place.level(ids[lo:hi])
		lo = hi
	}
	p.outputs = make([]int32, len(c.outputs))
	for k, i := range c.outputs {
		p.outputs[k] = id[i]
	}
	for k := range p.guards {
		g := &p.guards[k]
		g.A, g.B = id[g.A], id[g.B]
	}
	p.finish()
	return p
}

// placer numbers nodes and forms batches.
type placer struct {
	*Program
	nodes []Node
	inner []bool
	id    []int32
	next  int32

	tmp        []int32
	key, other []uint64
}

// level places the nodes of one level, given in the order of recording.
func (p *placer) level(ids []int32) {
	if len(ids) < minBatch {
		slices.SortStableFunc(ids, func(i, j int32) int { return int(p.nodes[i].Op) - int(p.nodes[j].Op) })
	} else {
		var at [op.Count + 1]int32
		for _, i := range ids {
			at[p.nodes[i].Op+1]++
		}
		for k := range op.Count {
			at[k+1] += at[k]
		}
		p.tmp = append(p.tmp[:0], ids...)
		for _, i := range p.tmp {
			op := p.nodes[i].Op
			ids[at[op]] = i
			at[op]++
		}
	}
	for len(ids) > 0 {
		op := p.nodes[ids[0]].Op
		k := 1
		for k < len(ids) && p.nodes[ids[k]].Op == op {
			k++
		}
		p.group(op, ids[:k])
		ids = ids[k:]
	}
}

// group places nodes of one level and operation.
func (p *placer) group(op Op, ids []int32) {
	if op == Affine {
		p.affines(ids)
		return
	}
	lo := p.next
	p.next += int32(len(ids))
	inner := p.place(op, ids, lo)
	if op == Dot {
		p.rows(op, ids, lo)
		return
	}
	if len(ids) < minBatch || !op.Elementary() {
		for k, i := range ids {
			p.single(lo+int32(k), p.inner[i])
		}
		return
	}
	binary := op.Operands() == 2
	breaks := p.breaks(lo, p.next, binary)
	if breaks*minRun > len(ids) {
		p.tmp = append(p.tmp[:0], ids...)
		p.sort(op, ids, lo)
		p.place(op, ids, lo)
		sorted := p.breaks(lo, p.next, binary)
		if sorted >= breaks {
			p.place(op, p.tmp, lo)
		} else {
			breaks = sorted
		}
	}
	if breaks > 0 {
		p.cut(op, lo, p.next, inner)
		return
	}
	p.batch(op, lo, p.next, inner)
}

// place writes nodes of one operation to lo, lo+1, … and reports whether any has
// a nonlinear descendant.
func (p *placer) place(op Op, ids []int32, lo int32) (inner bool) {
	hi := lo + int32(len(ids))
	ops, a, b, c := p.ops[lo:hi], p.a[lo:hi], p.b[lo:hi], p.c[lo:hi]
	args := op.Operands()
	for k, i := range ids {
		n := &p.nodes[i]
		p.id[i] = lo + int32(k)
		inner = inner || p.inner[i]
		ops[k], c[k] = op, n.C
		switch {
		case args == 2:
			a[k], b[k] = p.id[n.A], p.id[n.B]
		case op == Own:
			a[k], b[k] = p.id[n.A], n.B
		case args == 1:
			a[k] = p.id[n.A]
			b[k] = a[k]
		default:
			p.placeList(lo+int32(k), n)
		}
	}
	return inner
}

// single puts node i into a batch of mixed operations.
func (p *placer) single(i int32, inner bool) {
	if k := len(p.batches) - 1; k >= 0 && p.batches[k].op == mixed && p.batches[k].inner == inner {
		p.batches[k].hi = i + 1
		return
	}
	p.batches = append(p.batches, batch{op: mixed, lo: i, hi: i + 1, inner: inner})
}

// placeList renumbers the operands of a node and notes whether they are
// consecutive.
func (p *placer) placeList(k int32, n *Node) {
	if n.Op == Call {
		p.a[k], p.b[k] = n.A, n.B
		if n.B == 0 {
			p.calls[n.A].out = k
			operands(n, p.lists, p.calls, func(i *int32) { *i = p.id[*i] })
		}
		return
	}
	operands(n, p.lists, p.calls, func(i *int32) { *i = p.id[*i] })
	run := true
	x := p.lists[n.A:]
	switch n.Op {
	case Affine:
		run = consecutive(x[1 : 1+n.B])
	case Dot:
		run = consecutive(x[:n.B]) && consecutive(x[n.B:2*n.B])
	case Sum:
		run = p.runs(x[:n.B])
	}
	p.a[k], p.b[k] = n.A, n.B<<1
	if run {
		p.b[k]++
	}
}

// runs rewrites the operands x of a sum as runs of consecutive ones if these
// are long: how many, then the first operand and the length of each.
func (p *placer) runs(x []int32) bool {
	count := 1
	for i := 1; i < len(x); i++ {
		if x[i] != x[i-1]+1 {
			count++
		}
	}
	if 8*count > len(x) {
		return false
	}
	runs := append(p.tmp[:0], int32(count))
	for i := 0; i < len(x); {
		j := i + 1
		for j < len(x) && x[j] == x[j-1]+1 {
			j++
		}
		runs = append(runs, x[i], int32(j-i))
		i = j
	}
	p.tmp = runs
	copy(x, runs)
	return true
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
func (p *placer) sort(op Op, ids []int32, at int32) {
	// Group by the constant, or by the distance between the operands.
	var groups [maxGroups]uint64
	count := 0
	p.key = p.key[:0]
	lo, hi := int32(math.MaxInt32), int32(0)
	for k := range ids {
		a := p.a[at+int32(k)]
		lo, hi = min(lo, a), max(hi, a)
		g := math.Float64bits(p.c[at+int32(k)])
		if op.Operands() == 2 {
			g = uint64(p.b[at+int32(k)] - a)
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
		p.key = append(p.key, uint64(rank)<<32|uint64(a))
	}
	width := uint64(hi-lo) + 1
	if count > maxGroups {
		count = 0
	}
	for i, k := range p.key {
		rank, a := k>>32, k&math.MaxUint32-uint64(lo)
		if count == 0 {
			rank = 0
		}
		p.key[i] = rank*width + a
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
	k := count(p.a[lo:hi])
	if binary {
		k += count(p.b[lo:hi])
	}
	return k
}

// radix sorts ids by p.key, all below top, least significant digits first.
func (p *placer) radix(ids []int32, top uint64) {
	const digit = 11
	p.other = append(p.other[:0], p.key...)
	from, to := p.key, p.other
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
func (p *placer) cut(op Op, lo, hi int32, inner bool) {
	binary := op.Operands() == 2
	cutA := regular(p.a[lo:hi])
	cutB := binary && regular(p.b[lo:hi])
	start := lo
	for i := lo + 1; i <= hi; i++ {
		if i < hi && !(cutA && p.a[i] != p.a[i-1]+1) && !(cutB && p.b[i] != p.b[i-1]+1) {
			continue
		}
		p.batch(op, start, i, inner)
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
func (p *placer) batch(op Op, lo, hi int32, inner bool) {
	b := batch{op: op, lo: lo, hi: hi, inner: inner, a: layout(p.a[lo:hi])}
	if op.Operands() == 2 {
		b.b = layout(p.b[lo:hi])
	}
	p.batches = append(p.batches, b)
}

// layout says how the operands of a batch lie in memory.
func layout(x []int32) operand {
	switch {
	case consecutive(x):
		return operand{at: x[0], how: direct}
	case slices.ContainsFunc(x, func(i int32) bool { return i != x[0] }):
		return operand{how: indexed}
	default:
		return operand{at: x[0], how: uniform}
	}
}
