package tape

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Tape is the nodes with Uses in the order in which they were made. The Marks of
// operations are their numbers on the tape then.
func (r *Recording) Tape(outputs []int32) *Tape {
	t := &Tape{inputs: r.inputs, params: r.params, owns: r.owns, coefs: slices.Clone(r.coefs)}
	first := r.First()
	n := 0
	for lo := 0; lo < r.count; lo += chunkSize {
		nodes := r.Piece(lo)
		for k := range nodes {
			switch m := &nodes[k]; {
			case m.Uses() == 0: // as inputs and parameters

			case m.Op == op.Const:
				m.Mark = int32(first + len(t.consts))
				t.consts = append(t.consts, r.reals[m.B])
			default:
				n++
				t.shares = t.shares || m.Uses() > 1
			}
		}
	}
	t.base = first + len(t.consts)
	t.allocate(n, r.caller != nil)
	ops, as, bs, cs := t.ops[t.base:], t.a, t.b, t.c
	l := lister{Tape: t}
	next := 0 // operation
	for lo := 0; lo < r.count; lo += chunkSize {
		nodes := r.Piece(lo)
		for k := range nodes {
			m := &nodes[k]
			if m.Uses() == 0 || m.Op == op.Const {
				continue
			}
			m.Mark = int32(t.base + next)
			ops[next] = m.Op
			switch m.Op.Operands() {
			case 2:
				as[next], bs[next] = r.mark(m.A), r.mark(m.B)
			case 1:
				a := r.mark(m.A)
				as[next], bs[next] = a, a
				switch {
				case m.Op == op.Own:
					bs[next], cs[next] = m.B/4, float64(m.B%4)
				case m.Op.Constant() != op.NoConstant: // else it is 0 already, in memory that need not be touched
					cs[next] = r.reals[m.B]
				}
			default:
				r.writeList(&l, m, m.Mark)
			}
			if r.caller != nil {
				t.made[next] = r.made[lo+k-first]
			}
			next++
		}
	}
	t.outputs = make([]int32, len(outputs))
	for k, i := range outputs {
		t.outputs[k] = r.mark(i)
	}
	l.finish(r.guards, r.mark)
	return t
}

// allocate makes room for n operations.
func (t *Tape) allocate(n int, made bool) {
	t.first = int32(t.base)
	t.ops = make([]op.Code, t.base+n)
	t.a, t.b, t.c = make([]int32, n), make([]int32, n), make([]float64, n)
	if made {
		t.made = make([]uintptr, n)
	}
}

// mark is what node i is on the tape.
func (r *Recording) mark(i int32) int32 {
	if int(i) < r.First() {
		return i
	}
	return r.Node(i).Mark
}

// writeList writes node n of r, which has a list, as node i of the tape.
func (r *Recording) writeList(l *lister, n *Node, i int32) {
	t, list := l.Tape, r.List(n)
	t.c[i-t.first] = r.ConstantOf(n)
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
		t.a[i-t.first], t.b[i-t.first] = int32(len(t.calls)-1), n.B
	case op.Affine:
		l.list(i, n.Op, n.B, r.lists[n.A], list, r.mark)
	default:
		l.list(i, n.Op, n.B, 0, list, r.mark)
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
	z := &Tape{inputs: t.inputs, params: t.params, base: t.base, consts: t.consts, owns: t.owns, coefs: t.coefs, shares: t.shares}
	z.allocate(t.Ops(), t.made != nil)
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
	constant := code.HasList() || code.Constant() != op.NoConstant || code == op.Own
	for k, i := range ids {
		number[i] = lo + int32(k)
		if w.made != nil {
			w.made[int(lo)+k-w.base] = from.made[int(i)-from.base]
		}
		ops[k] = code
		if constant { // else it is 0 already, in memory that need not be touched
			c[k] = from.c[i-from.first]
		}
		switch code.Operands() {
		case 2:
			a[k], b[k] = number[from.a[i-from.first]], number[from.b[i-from.first]]
		case 1:
			a[k] = number[from.a[i-from.first]]
			b[k] = a[k]
			if code == op.Own {
				b[k] = from.b[i-from.first]
			}
		default:
			w.placeList(lo+int32(k), i)
		}
	}
}

// placeList writes the operands of node i of the other tape, which is node k of the new
// one.
func (w *Writer) placeList(k, i int32) {
	t := w.from
	number := func(i int32) int32 { return w.number[i] }
	a, n := t.a[i-t.first], length(t.b[i-t.first]).count()
	switch code := t.ops[i]; {
	case code == op.Call:
		if t.b[i-t.first] == 0 {
			c := t.calls[a]
			w.call(c, c.Args, number)
		}
		w.a[k-w.first], w.b[k-w.first] = int32(len(w.calls)-1), t.b[i-t.first]
	case code == op.Sum:
		w.list(k, code, n, 0, t.SumAt(i), number)
	case code == op.Affine:
		w.list(k, code, n, t.lists[a], t.lists[a+1:][:n], number)
	case code == op.Dot:
		w.list(k, code, n, 0, t.lists[a:][:2*n], number)
	case code == op.Select:
		w.list(k, code, n, 0, t.lists[a:][:3], number)
	default: // of a fixed number of operands
		w.list(k, code, n, 0, t.SeveralAt(i), number)
	}
}

// lister writes the lists of a tape.
type lister struct {
	*Tape
	args    []int32 // where the operands of each call are in the lists
	scratch []int32
}

// list writes the operands x of node i, n terms of which an Affine has the weights from
// coef on; by number they are those of the tape.
func (l *lister) list(i int32, code op.Code, n, coef int32, x []int32, number func(i int32) int32) {
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
	l.a[i-l.first], l.b[i-l.first] = int32(at), int32(lengthOf(n, run))
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
