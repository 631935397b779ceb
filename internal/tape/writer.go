package tape

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Tape is the nodes with Uses in the order in which they were made, in the memory of the
// recording: nothing else can be done with that. The Marks of operations are their numbers
// on the tape then.
func (r *Recording) Tape(outputs []int32) *Tape {
	first := r.First()
	t := &Tape{
		inputs: r.inputs, params: r.params,
		owns: r.owns, coefs: slices.Clone(r.coefs), reals: slices.Clone(r.reals),
	}
	for _, i := range r.consts { // before their users, which may be before them
		if m := r.Node(i); m.Uses() > 0 {
			m.Mark = int32(first + len(t.consts))
			t.consts = append(t.consts, r.reals[m.B])
		}
	}
	t.base = first + len(t.consts)
	t.first = int32(t.base)
	l := lister{Tape: t}
	next := int32(first) // where the next operation goes: not after the one that is read
	for lo := first; lo < r.count; {
		nodes := r.Piece(lo)
		for k := range nodes {
			m := &nodes[k]
			if m.Uses() == 0 || m.Op == op.Const {
				continue
			}
			if m.Uses() > 1 {
				t.shares = true
			}
			a, b := m.A, m.B
			switch m.Op.Operands() {
			case 2:
				b = r.mark(b)
				fallthrough
			case 1: // where there is a constant its number, of an Own that of the function
				a = r.mark(a)
			default:
				a, b = r.writeList(&l, m)
				if t.listed == 0 {
					t.listed = t.first + next - int32(first)
				}
			}
			m.Mark = t.first + next - int32(first)
			n := r.Node(next) // of which the Mark stays
			n.A, n.B, n.Op = a, b, m.Op
			t.counts[n.Op].nodes++
			if r.made != nil {
				t.made = append(t.made, r.made[lo+k-first])
			}
			next++
		}
		lo += len(nodes)
	}
	t.count = t.base + int(next) - first
	t.outputs = make([]int32, len(outputs))
	for k, i := range outputs {
		t.outputs[k] = r.mark(i)
	}
	if t.listed == 0 {
		t.listed = int32(t.count)
	}
	l.finish(r.guards, r.mark)
	r.handOver(t, int(next))
	return t
}

// AsMade is all nodes as they are, of which there must be no calls, and their values; nil if
// these were not kept. Nothing else can be made of the recording then, and when it is closed
// the tape is no more.
func (r *Recording) AsMade(outputs []int32) (t *Tape, values []float64) {
	if !r.valued || len(r.calls) > 0 {
		return nil, nil
	}
	first := r.First()
	lo := first &^ (chunkSize - 1)
	t = &Tape{
		inputs: r.inputs, params: r.params, base: first, first: int32(first), offset: int32(lo),
		count: r.count, reals: r.reals, lists: r.lists, coefs: r.coefs, owns: r.owns, outputs: outputs,
	}
	for ; lo < r.count; lo += chunkSize {
		nodes := r.Piece(lo)
		t.nodes = append(t.nodes, nodes)
		for k := range nodes {
			n := &nodes[k]
			if len(r.lists) == 0 {
				break
			}
			if n.Op.HasList() && lo+k >= first {
				n.B = int32(lengthOf(n.B, false))
				if startsWithConstant(n.Op) {
					n.A++
				}
			}
		}
	}
	return t, r.values[:r.count]
}

// handOver gives the operations before node next to the tape: all chunks that are full, and
// the last one if it is half full, else a copy of what is in it.
func (r *Recording) handOver(t *Tape, next int) {
	lo := r.First() &^ (chunkSize - 1)
	t.offset = int32(t.base - r.First() + lo)
	t.nodes = make([][]Node, 0, (next-lo+chunkSize-1)/chunkSize)
	for ; lo < next; lo += chunkSize {
		nodes := r.Piece(lo)
		if nodes = nodes[:min(len(nodes), next-lo)]; 2*len(nodes) >= chunkSize {
			r.chunks[lo>>chunkBits] = nil
		} else {
			nodes = slices.Clone(nodes)
		}
		t.nodes = append(t.nodes, nodes)
	}
}

// mark is what node i is on the tape.
func (r *Recording) mark(i int32) int32 {
	if int(i) < r.First() {
		return i
	}
	return r.Node(i).Mark
}

// writeList writes the list of node n of r, if it has one, and returns what A and B are on
// the tape.
func (r *Recording) writeList(l *lister, n *Node) (a, b int32) {
	list := r.List(n)
	if startsWithConstant(n.Op) {
		l.lists = grown(l.lists, r.lists[n.A])
	}
	switch n.Op {
	case op.Call:
		if n.B == 0 {
			f := r.calls[n.A].f
			c := Call{Func: f}
			c.Repeated, _ = f.(Repeated)
			c.Several, _ = f.(op.Several)
			c.Kept, _ = f.(Kept)
			l.call(c, list, r.mark)
		}
		return int32(len(l.calls) - 1), n.B
	case op.Affine:
		return l.list(n.Op, n.B, r.lists[n.A+1], list, r.mark)
	default:
		return l.list(n.Op, n.B, 0, list, r.mark)
	}
}

// Writer writes the operations of a tape in another order.
type Writer struct {
	lister
	from   *Tape
	number []int32 // of each node of the tape, on the new one
}

// NewWriter has the inputs, the parameters and the constants of a tape, and room for
// its operations. number is memory for as many numbers as it has nodes.
func (t *Tape) NewWriter(number []int32) *Writer {
	n := t.Ops()
	z := &Tape{
		inputs: t.inputs, params: t.params, base: t.base, first: t.first, count: t.count,
		consts: t.consts, owns: t.owns, coefs: t.coefs, shares: t.shares, listed: int32(t.count),
		ops: make([]op.Code, t.count), a: make([]int32, n), b: make([]int32, n), c: make([]float64, n),
	}
	if t.made != nil {
		z.made = make([]uintptr, n)
	}
	for code, c := range t.counts {
		z.counts[code].nodes = c.nodes // terms are counted with the lists
	}
	z.lists = make([]int32, 0, len(t.lists)) // most likely as many
	for i := range t.base {
		number[i] = int32(i)
	}
	return &Writer{lister: lister{Tape: z}, from: t, number: number}
}

// Place writes the nodes ids of the other tape, all of one operation, as the nodes lo,
// lo+1, … of the new one. Those without a list can be placed again.
func (w *Writer) Place(code op.Code, ids []int32, lo int32) {
	hi := lo + int32(len(ids))
	ops, a, b, c := w.ops[lo:hi], w.a[lo-w.first:hi-w.first], w.b[lo-w.first:hi-w.first], w.c[lo-w.first:hi-w.first]
	from, number := w.from, w.number
	constant := code.HasList() || code.Constant() != op.NoConstant
	for k, i := range ids {
		number[i] = lo + int32(k)
		if w.made != nil {
			w.made[int(lo)+k-w.base] = from.made[int(i)-from.base]
		}
		ops[k] = code
		if constant { // else it is 0 already, in memory that need not be touched
			c[k] = from.Constant(i)
		}
		x, y := from.Args(i)
		switch code.Operands() {
		case 2:
			a[k], b[k] = number[x], number[y]
		case 1:
			a[k] = number[x]
			b[k] = a[k]
			if code == op.Own {
				b[k] = y
			}
		default:
			a[k], b[k] = w.placeList(i)
			w.listed = min(w.listed, lo+int32(k))
		}
	}
}

// placeList writes the list of node i of the other tape, if it has one, and returns what
// its operands are on the new one.
func (w *Writer) placeList(i int32) (a, b int32) {
	t := w.from
	number := func(i int32) int32 { return w.number[i] }
	code := t.Op(i)
	switch code {
	case op.Call:
		if c := t.CallAt(i); c != nil {
			w.call(*c, c.Args, number)
		}
		return int32(len(w.calls) - 1), i - t.FirstOutput(i)
	case op.Affine:
		b = t.WeightsFrom(i)
	}
	return w.list(code, t.Terms(i), b, t.operandsAt(i), number)
}

// lister writes the lists of a tape.
type lister struct {
	*Tape
	args    []int32 // where the operands of each call are in the lists
	scratch []int32
}

// list writes the operands x of a node, n terms of which an Affine has the weights from
// coef on; by number they are those of the tape. It returns where the list is, and its
// length.
func (l *lister) list(code op.Code, n, coef int32, x []int32, number func(i int32) int32) (a, b int32) {
	at := len(l.lists)
	if code == op.Affine {
		l.lists = grown(l.lists, coef)
	}
	x = l.renumbered(x, number)
	run := true
	switch code {
	case op.Affine:
		run = consecutive(x)
	case op.Dot:
		run = consecutive(x[:n]) && consecutive(x[n:])
	case op.Sum:
		run = l.runs(x)
	}
	l.counts[code].terms += n
	return int32(at), int32(lengthOf(n, run))
}

// call appends a call with the operands x.
func (l *lister) call(c Call, x []int32, number func(i int32) int32) {
	c.Number = len(l.calls)
	l.calls = append(l.calls, c)
	l.args = append(l.args, int32(len(l.lists)))
	l.renumbered(x, number)
}

// renumbered is x by their numbers on the tape, appended to the lists.
func (l *lister) renumbered(x []int32, number func(i int32) int32) []int32 {
	at := len(l.lists)
	l.lists = roomFor(l.lists, len(x))
	for _, i := range x {
		l.lists = append(l.lists, number(i))
	}
	return l.lists[at:]
}

// runs rewrites the operands x of a sum, the last list, as runs of consecutive
// ones if these are long.
func (l *lister) runs(x []int32) bool {
	count := 1
	for i := 1; i < len(x); i++ {
		if x[i] != x[i-1]+1 {
			count++
		}
	}
	if 8*count > len(x) {
		return false
	}
	at := len(l.lists) - len(x)
	x = append(l.scratch[:0], x...)
	l.scratch = x
	l.lists = append(l.lists[:at], int32(count))
	for i := 0; i < len(x); {
		j := i + 1
		for j < len(x) && x[j] == x[j-1]+1 {
			j++
		}
		l.lists = append(l.lists, x[i], int32(j-i))
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

// Finish is the new tape, when all nodes have been placed.
func (w *Writer) Finish() *Tape {
	w.outputs = make([]int32, len(w.from.outputs))
	for k, i := range w.from.outputs {
		w.outputs[k] = w.number[i]
	}
	w.finish(w.from.guards, func(i int32) int32 { return w.number[i] })
	return w.Tape
}

// finish writes the calls and the guards, when all lists have been written.
func (l *lister) finish(guards []Guard, number func(i int32) int32) {
	t := l.Tape
	if cap(t.lists) > len(t.lists)+len(t.lists)/8 {
		t.lists = slices.Clone(t.lists)
	}
	for k, at := range l.args {
		c := &t.calls[k]
		n, _ := c.Dims()
		c.Args = t.lists[at:][:n:n]
		c.Consecutive = n > 0 && consecutive(c.Args)
	}
	t.guards = slices.Clone(guards)
	for k := range t.guards {
		g := &t.guards[k]
		g.A, g.B = number(g.A), number(g.B)
	}
}
