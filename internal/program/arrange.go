package program

import (
	"math"
	"slices"
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
	p := c.place()
	total := c.sort()
	p.room(total)
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
	op   Op
}

// sort makes ids the operations that are needed, group by group in the order of
// the groups, in a group as they were recorded. A node's level, counted from 1, is
// in older, and its group in newest.
func (c *compiler) sort() (total int) {
	groups, heads := c.groups[:0], c.heads[:0] // the first group of each level, number + 1
	chunks := c.chunks
	levelOf := func(i int32) int32 { return chunks[i>>chunkBits].link[i&(chunkSize-1)].older }
	for i, n := range c.nodes {
		l := &chunks[i>>chunkBits].link[i&(chunkSize-1)]
		l.older = 0
		if n.uses == 0 || n.Op == Const {
			continue
		}
		total++
		at := int32(0)
		switch k := n.Op.Operands(); {
		case k == 2:
			at = max(levelOf(n.A), levelOf(n.B))
		case k == 1:
			at = levelOf(n.A)
		case n.Op == Call && n.B > 0:
			at = levelOf(i-n.B) - 1
		default:
			for _, j := range c.list(n) {
				at = max(at, levelOf(j))
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
		l.newest, l.older = k-1, at+1
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
	for k, chunk := range chunks {
		lo := int32(k << chunkBits)
		for j := range min(chunkSize, int32(c.count)-lo) {
			if l := &chunk.link[j]; l.older > 0 {
				g := &groups[l.newest]
				ids[g.end] = lo + j
				g.end++
			}
		}
	}
	c.groups, c.heads, c.order = groups, heads, order
	return total
}

// placer numbers nodes and forms batches. A node's number is in newest.
type placer struct {
	*Program
	from *compiler
	next int32
}

// place numbers the inputs, parameters and constants.
func (c *compiler) place() *placer {
	p := &Program{inputs: c.inputs, params: c.params, owns: c.owns, coefs: slices.Clone(c.coefs)}
	first := c.first()
	for i := range first {
		c.link(int32(i)).newest = int32(i)
	}
	for i := int32(first); int(i) < c.count; i++ {
		if n := c.node(i); n.Op == Const && n.uses > 0 {
			c.link(i).newest = int32(first + len(p.consts))
			p.consts = append(p.consts, c.constant(n))
		}
	}
	p.base = first + len(p.consts)
	return &placer{Program: p, from: c, next: int32(p.base)}
}

// room makes room for n operations.
func (p *placer) room(n int) {
	if p.from.caller != nil {
		p.made = make([]uintptr, n)
	}
	n += p.base
	p.ops = make([]Op, n)
	p.a, p.b, p.c = make([]int32, n), make([]int32, n), make([]float64, n)
}

// program is the program when all nodes have been placed.
func (p *placer) program() *Program {
	q := p.Program
	q.lists = slices.Clone(q.lists)
	q.outputs = make([]int32, len(p.from.outputs))
	for k, i := range p.from.outputs {
		q.outputs[k] = p.number(i)
	}
	q.guards = slices.Clone(p.from.guards)
	for k := range q.guards {
		g := &q.guards[k]
		g.A, g.B = p.number(g.A), p.number(g.B)
	}
	q.finish(p.from.scratch)
	return q
}

// number is the number in the program of node i.
func (p *placer) number(i int32) int32 { return p.from.link(i).newest }

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
			p.single(lo+int32(k), p.from.node(i).inner)
		}
		return
	}
	binary := op.Operands() == 2
	breaks := p.breaks(lo, p.next, binary)
	if breaks*minRun > len(ids) {
		before := append(p.from.tmp[:0], ids...)
		p.from.tmp = before
		p.sort(op, ids, lo)
		p.place(op, ids, lo)
		sorted := p.breaks(lo, p.next, binary)
		if sorted >= breaks {
			p.place(op, before, lo)
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
	args, constant := op.Operands(), op.HasList() || op.Constant() != noConstant
	for k, i := range ids {
		n := p.from.node(i)
		p.from.link(i).newest = lo + int32(k)
		if p.made != nil {
			p.made[int(lo)+k-p.base] = p.from.made[int(i)-p.from.first()]
		}
		inner = inner || n.inner
		ops[k] = op
		if constant { // else it is 0 already, in memory that need not be touched
			c[k] = p.from.constant(n)
		}
		switch {
		case args == 2:
			a[k], b[k] = p.number(n.A), p.number(n.B)
		case op == Own:
			a[k], b[k], c[k] = p.number(n.A), n.B/4, float64(n.B%4)
		case args == 1:
			a[k] = p.number(n.A)
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

// placeList writes the operands of node n, which is k in the program, and notes
// whether they are consecutive.
func (p *placer) placeList(k int32, n *Node) {
	if n.Op == Call {
		if n.B == 0 {
			p.calls = append(p.calls, call{f: p.from.calls[n.A].f, args: int32(len(p.lists)), n: p.from.calls[n.A].n, out: k})
			p.renumbered(n)
		}
		p.a[k], p.b[k] = int32(len(p.calls)-1), n.B
		return
	}
	p.a[k], p.b[k] = int32(len(p.lists)), n.B<<1
	if n.Op == Affine {
		p.lists = grown(p.lists, p.from.lists[n.A])
	}
	x := p.renumbered(n)
	run := true
	switch n.Op {
	case Affine:
		run = consecutive(x)
	case Dot:
		run = consecutive(x[:n.B]) && consecutive(x[n.B:])
	case Sum:
		run = p.runs(x)
	}
	if run {
		p.b[k]++
	}
}

// renumbered is the operands of node n by their numbers in the program, appended
// to the lists.
func (p *placer) renumbered(n *Node) []int32 {
	from, at := p.from.list(n), len(p.lists)
	p.lists = roomFor(p.lists, len(from))
	for _, i := range from {
		p.lists = append(p.lists, p.number(i))
	}
	return p.lists[at:]
}

// runs rewrites the operands x of a sum, the last list, as runs of consecutive
// ones if these are long: how many, then the first operand and the length of
// each.
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
	at := len(p.lists) - len(x)
	x = append(p.from.tmp[:0], x...)
	p.from.tmp = x
	p.lists = append(p.lists[:at], int32(count))
	for i := 0; i < len(x); {
		j := i + 1
		for j < len(x) && x[j] == x[j-1]+1 {
			j++
		}
		p.lists = append(p.lists, x[i], int32(j-i))
		i = j
	}
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
	p.from.key = p.from.key[:0]
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
	k := count(p.a[lo:hi])
	if binary {
		k += count(p.b[lo:hi])
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
