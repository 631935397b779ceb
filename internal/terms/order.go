package terms

import (
	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
)

// The order of additions decides bits. A plan adds the results of a block one after the
// other, each over all lanes; a loop over the terms adds all results of a term before those
// of the next. Most often each element gets the same sequence of numbers from both, if the
// loop runs backward in each block. For in a band or on a grid, term t adds result k to an
// element to which term t+1 adds result k−1, say: the plan adds k−1 before k, and so does a
// loop that comes to t+1 before t. In other cases results are kept for a block and added
// after the loop.

// mode is how a result is added.
type mode uint8

const (
	inLoop    mode = iota // as it is computed
	afterLoop             // kept for a block, and then added as the plan does
	summed                // summed over a block, whose lanes all add to one place
)

// store is a result of a pass.
type store struct {
	expr.Output
	isConstant bool
	constant   float64 // if isConstant
	node       int32   // otherwise
	to         int     // the array that it is added to: toY, …
	mode       mode
	at         []int32      // by lane, the place
	runs       []code.Piece // if not nil: the lanes of a run add to one place, and are summed before; mode is afterLoop
	sets       bool         // no result is added to its elements before it, so that it may set them
	copies     bool         // none is added after it, so that it may copy them to their images
}

// newPass is the pass over shape k for some of its outputs.
func (w *writer) newPass(k int, g *expr.Graph, outputs []expr.Output) *pass {
	q := &pass{shape: k, s: w.pl.shapes[k], g: g}
	for _, o := range outputs {
		c, isConstant := o.Constant()
		if isConstant && c == 0 {
			continue
		}
		st := &store{Output: o, constant: c, isConstant: isConstant}
		if !isConstant {
			st.node = o.Node(g)
		}
		var at *code.Index
		switch {
		case o.IsEntry():
			st.to, at = toMatrix, &w.m.places[k][o.Entry]
		case o.Of == expr.Value:
			st.to, at = toY, &q.s.rows[o.A]
		case o.Of == expr.Gradient:
			st.to, at = toG, &q.s.vars[o.A]
		default:
			st.to = toAlong
			at, _ = q.s.places(o)
		}
		st.at = w.places(at)
		if q.s.isTotal(o) {
			st.mode = summed
		} else {
			runs := at.Pieces()
			for _, p := range runs {
				if p.Step == 0 && p.N > 1 {
					st.mode, st.runs = afterLoop, runs
				}
			}
		}
		q.stores = append(q.stores, st)
	}
	w.passes = append(w.passes, q)
	return q
}

// key is a number that tells when the loop adds st, store number k, of lane t: it rises in the
// order of the additions of a block.
func (q *pass) key(st *store, k, t int) int64 {
	lane := t % code.Lanes
	if st.mode == inLoop {
		if !q.forward {
			lane = code.Lanes - 1 - lane
		}
		return int64(lane*len(q.stores) + k)
	}
	return int64(code.Lanes*len(q.stores) + k*code.Lanes + lane)
}

// blockKeys is above all keys of a block.
func (q *pass) blockKeys() int64 { return 2 * code.Lanes * int64(len(q.stores)) }

// each calls f for each addition of the plan, in the order of the plan: store number k of lane
// t is added to the place at. Lanes that are summed before count as one addition.
func (q *pass) each(f func(k int, st *store, t int, at int32)) {
	run := make([]int, len(q.stores)) // by store, the number of the next run
	for lo := 0; lo < q.s.terms; lo += code.Lanes {
		hi := min(lo+code.Lanes, q.s.terms)
		for k, st := range q.stores {
			switch {
			case st.mode == summed:
				f(k, st, lo, st.at[lo])
			case st.runs != nil:
				for ; run[k] < len(st.runs) && st.runs[run[k]].Lane < hi; run[k]++ {
					for j := range st.runs[run[k]].N {
						p := st.runs[run[k]]
						if j == 0 || p.Step != 0 {
							f(k, st, p.Lane+j, int32(p.At+j*p.Step))
						}
					}
				}
			default:
				for t := lo; t < hi; t++ {
					f(k, st, t, st.at[t])
				}
			}
		}
	}
}

// chooseOrder decides the direction of a loop, and what is added after it.
func (w *writer) chooseOrder(q *pass) {
	kept := func(bad [targets]bool) (n int) {
		for _, st := range q.stores {
			if st.mode == inLoop && bad[st.to] {
				n++
			}
		}
		return n
	}
	backward := w.misordered(q)
	q.forward = true
	bad := w.misordered(q)
	if kept(backward) < kept(bad) {
		q.forward, bad = false, backward
	}
	for _, st := range q.stores {
		if st.mode == inLoop && bad[st.to] {
			st.mode = afterLoop
		}
	}
	w.touch(q)
}

// misordered finds the arrays in which the loop would add to some element in another order
// than the plan. The first two additions may be exchanged if the element is 0 before.
func (w *writer) misordered(q *pass) (bad [targets]bool) {
	type state struct {
		block, count int32
		last         int64
	}
	var now [targets][]state
	for k := range now {
		now[k] = make([]state, w.to[k].n)
	}
	q.each(func(k int, st *store, t int, at int32) {
		to := &w.to[st.to]
		x := &now[st.to][at]
		block, key := int32(t/code.Lanes)+1, q.key(st, k, t)
		fresh := x.count == 0 && !to.touched[at] && to.start == nil
		if x.block != block {
			*x = state{block, x.count + 1, key}
			if !fresh {
				x.count = max(x.count, 2)
			}
			return
		}
		if key < x.last && x.count != 1 {
			bad[st.to] = true
		}
		x.last = max(x.last, key)
		x.count++
	})
	return bad
}

// touch notes when the pass adds to the elements of the targets.
func (w *writer) touch(q *pass) {
	q.begin = w.end
	w.end += q.blockKeys() * int64(q.s.blocks())
	q.each(func(k int, st *store, t int, at int32) {
		to, key := &w.to[st.to], q.when(st, k, t)
		if !to.touched[at] || key < to.first[at] {
			to.first[at] = key
		}
		if !to.touched[at] || key > to.last[at] {
			to.last[at], to.lastBy[at] = key, st
		}
		to.touched[at] = true
	})
}

// when is a number that tells when st, store number k, of lane t is added: it rises in the
// order of the additions of all passes.
func (q *pass) when(st *store, k, t int) int64 {
	return q.begin + int64(t/code.Lanes)*q.blockKeys() + q.key(st, k, t)
}

// findFirstAndLast sets sets and copies of the results.
func (w *writer) findFirstAndLast() {
	for _, q := range w.passes {
		for k, st := range q.stores {
			if st.mode != inLoop {
				continue
			}
			to := &w.to[st.to]
			st.sets = to.start == nil
			st.copies = st.to == toMatrix && w.image != nil
			for t, at := range st.at {
				key := q.when(st, k, t)
				st.sets = st.sets && to.first[at] == key
				st.copies = st.copies && to.last[at] == key && w.image[at] >= 0
			}
		}
	}
}
