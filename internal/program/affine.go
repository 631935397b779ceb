package program

import "slices"

// Alike affine sums, c + Σ wᵢxᵢ with the same few terms each, form batches too:
// term by term, each term a multiplication and an addition on all lanes. Made
// of operations with two operands they would be twice as many.

// term is one term of all sums of a batch.
type term struct {
	operand
	index []int32   // operands, lane by lane
	w     []float64 // weights, lane by lane or, if the same, as many as a block has
	same  bool
}

// weights is those of the lanes off … end−1, at most a block.
func (t *term) weights(off, end int32) []float64 {
	if t.same {
		return t.w[:end-off]
	}
	return t.w[off:end]
}

// affines places Affine nodes of one level, those with equally many terms side
// by side.
func (p *placer) affines(ids []int32) {
	size := func(i int32) int32 { return p.from.node(i).B }
	if slices.ContainsFunc(ids, func(i int32) bool { return size(i) != size(ids[0]) }) {
		slices.SortStableFunc(ids, func(i, j int32) int { return int(size(i) - size(j)) })
	}
	for len(ids) > 0 {
		k := 1
		for k < len(ids) && size(ids[k]) == size(ids[0]) {
			k++
		}
		lo := p.next
		p.next += int32(k)
		inner := p.place(Affine, ids[:k], lo)
		if n := size(ids[0]); k >= minBatch && n > 0 && n < minChain {
			p.affineBatches(lo, p.next, n, inner)
		} else {
			p.rows(Affine, ids[:k], lo)
		}
		ids = ids[k:]
	}
}

// affineBatches makes batches of the nodes lo … hi−1, of n terms each, cut as
// those of other operations are.
func (p *placer) affineBatches(lo, hi, n int32, inner bool) {
	m := hi - lo
	terms := make([]term, n)
	index, w := make([]int32, n*m), make([]float64, m)
	breaks := make([]bool, m)
	for k := range terms {
		t := &terms[k]
		t.index, index = index[:m], index[m:]
		t.same = true
		for l := range m {
			list := p.lists[p.a[lo+l]:]
			t.index[l] = list[1+k]
			w[l] = p.coefs[list[0]+int32(k)]
			t.same = t.same && equalBits(w[l], w[0])
		}
		t.w = slices.Clone(w)
		if t.same {
			t.w = slices.Clone(w[:min(m, block)])
		}
		if regular(t.index) {
			for l := int32(1); l < m; l++ {
				breaks[l] = breaks[l] || t.index[l] != t.index[l-1]+1
			}
		}
	}
	start := int32(0)
	for l := int32(1); l <= m; l++ {
		if l < m && !breaks[l] {
			continue
		}
		b := batch{op: Affine, lo: lo + start, hi: lo + l, inner: inner, terms: make([]term, n)}
		for k, t := range terms {
			t.index = t.index[start:l]
			t.operand = layout(t.index)
			if !t.same {
				t.w = t.w[start:l]
			}
			b.terms[k] = t
		}
		p.batches = append(p.batches, b)
		start = l
	}
}

// affineTangents does the lanes from lo on.
func (p *Program) affineTangents(ws *Workspace, ts [][]float64, b *batch, lo, m int32) {
	for _, t := range ts {
		b.addTerms(ws, t[lo:lo+m], nil, t, lo-b.lo)
	}
}

// addTerms sets dst = c + Σ wx, of the lanes from off on, x in an array over all
// nodes; c nil is 0.
func (b *batch) addTerms(ws *Workspace, dst, c, x []float64, off int32) {
	end := off + int32(len(dst))
	for k := range b.terms {
		t := &b.terms[k]
		w, x := t.weights(off, end), t.loadAt(&ws.scratch[0], x, t.index[off:end], off)
		switch {
		case k > 0:
			addMulTo(dst, dst, w, x)
		case c != nil:
			addMulTo(dst, c, w, x)
		default:
			mulTo(dst, w, x)
		}
	}
}

// affineAdjoints does the lanes from lo on.
func (p *Program) affineAdjoints(gs [][]float64, b *batch, lo, m int32, order int) {
	off := lo - b.lo
	for _, g := range gs {
		for k := range b.terms {
			t := &b.terms[k]
			t.targetAt(order, g, t.index[off:off+m], off).times(1, t.weights(off, off+m), g[lo:lo+m])
		}
	}
}
