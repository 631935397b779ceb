package tape

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Writer makes a tape of nodes of a recording, in whatever order they are placed.
type Writer struct {
	*Tape
	from   *Recording
	number []int32 // of each node of the recording, on the tape
	args   []int32 // where the operands of each call are in the lists
}

// NewWriter places the inputs, the parameters and those constants that are needed,
// and makes room for n operations. number is memory for as many numbers as r has
// nodes.
func (r *Recording) NewWriter(needed func(i int32) bool, n int, number []int32) *Writer {
	t := &Tape{inputs: r.inputs, params: r.params, owns: r.owns, coefs: slices.Clone(r.coefs)}
	w := &Writer{Tape: t, from: r, number: number}
	first := int32(r.First())
	for i := range first {
		w.number[i] = i
	}
	for i, n := range r.Nodes {
		if i >= first && n.Op == op.Const && needed(i) {
			w.number[i] = first + int32(len(t.consts))
			t.consts = append(t.consts, r.ConstantOf(n))
		}
	}
	t.base = int(first) + len(t.consts)
	if r.caller != nil {
		t.made = make([]uintptr, n)
	}
	n += t.base
	t.ops = make([]op.Code, n)
	t.a, t.b, t.c = make([]int32, n), make([]int32, n), make([]float64, n)
	return w
}

// Place writes the nodes ids of the recording, all of one operation, as the nodes
// lo, lo+1, … of the tape. Those without a list can be placed again.
func (w *Writer) Place(code op.Code, ids []int32, lo int32) {
	hi := lo + int32(len(ids))
	ops, a, b, c := w.ops[lo:hi], w.a[lo:hi], w.b[lo:hi], w.c[lo:hi]
	args, constant := code.Operands(), code.HasList() || code.Constant() != op.NoConstant
	for k, i := range ids {
		n := w.from.Node(i)
		w.number[i] = lo + int32(k)
		if w.made != nil {
			w.made[int(lo)+k-w.base] = w.from.made[int(i)-w.from.First()]
		}
		ops[k] = code
		if constant { // else it is 0 already, in memory that need not be touched
			c[k] = w.from.ConstantOf(n)
		}
		switch {
		case args == 2:
			a[k], b[k] = w.number[n.A], w.number[n.B]
		case code == op.Own:
			a[k], b[k], c[k] = w.number[n.A], n.B/4, float64(n.B%4)
		case args == 1:
			a[k] = w.number[n.A]
			b[k] = a[k]
		default:
			w.placeList(lo+int32(k), n)
		}
	}
}

// placeList writes the operands of node n, which is node k of the tape.
func (w *Writer) placeList(k int32, n *Node) {
	if n.Op == op.Call {
		if n.B == 0 {
			f := w.from.calls[n.A].f
			c := Call{Func: f, Number: len(w.calls)}
			c.Repeated, _ = f.(Repeated)
			c.Several, _ = f.(op.Several)
			c.Kept, _ = f.(Kept)
			w.calls = append(w.calls, c)
			w.args = append(w.args, int32(len(w.lists)))
			w.renumbered(n)
		}
		w.a[k], w.b[k] = int32(len(w.calls)-1), n.B
		return
	}
	at := len(w.lists)
	if n.Op == op.Affine {
		w.lists = grown(w.lists, w.from.lists[n.A])
	}
	x := w.renumbered(n)
	run := true
	switch n.Op {
	case op.Affine:
		run = consecutive(x)
	case op.Dot:
		run = consecutive(x[:n.B]) && consecutive(x[n.B:])
	case op.Sum:
		run = w.runs(x)
	}
	w.a[k], w.b[k] = int32(at), int32(lengthOf(n.B, run))
}

// renumbered is the operands of node n by their numbers on the tape, appended to
// the lists.
func (w *Writer) renumbered(n *Node) []int32 {
	from, at := w.from.List(n), len(w.lists)
	w.lists = roomFor(w.lists, len(from))
	for _, i := range from {
		w.lists = append(w.lists, w.number[i])
	}
	return w.lists[at:]
}

// runs rewrites the operands x of a sum, the last list, as runs of consecutive
// ones if these are long.
func (w *Writer) runs(x []int32) bool {
	count := 1
	for i := 1; i < len(x); i++ {
		if x[i] != x[i-1]+1 {
			count++
		}
	}
	if 8*count > len(x) {
		return false
	}
	at := len(w.lists) - len(x)
	x = append(w.from.runs[:0], x...)
	w.from.runs = x
	w.lists = append(w.lists[:at], int32(count))
	for i := 0; i < len(x); {
		j := i + 1
		for j < len(x) && x[j] == x[j-1]+1 {
			j++
		}
		w.lists = append(w.lists, x[i], int32(j-i))
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

// SwapFactors exchanges x and y of the Dot node i.
func (w *Writer) SwapFactors(i int32) {
	x, y := w.DotAt(i)
	for k := range x {
		x[k], y[k] = y[k], x[k]
	}
}

// Finish is the tape with the outputs and the guards, when all nodes have been
// placed.
func (w *Writer) Finish(outputs []int32) *Tape {
	t := w.Tape
	t.lists = slices.Clone(t.lists)
	for k, at := range w.args {
		c := &t.calls[k]
		n, _ := c.Dims()
		c.Args = t.lists[at:][:n:n]
		c.Consecutive = n > 0 && consecutive(c.Args)
	}
	t.outputs = make([]int32, len(outputs))
	for k, i := range outputs {
		t.outputs[k] = w.number[i]
	}
	t.guards = slices.Clone(w.from.guards)
	for k := range t.guards {
		g := &t.guards[k]
		g.A, g.B = w.number[g.A], w.number[g.B]
	}
	return t
}
