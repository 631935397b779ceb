package compile

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Alike affine sums, c + Σ wᵢxᵢ with the same few terms each, form batches too:
// term by term, each term a multiplication and an addition on all lanes. Made
// of operations with two operands they would be twice as many.

// Term is one term of all sums of a batch.
type Term struct {
	Operand
	w    []float64 // weights, lane by lane or, if the same, as many as a block has
	same bool
}

// Weights is those of the lanes off … end−1, at most Block of them.
func (t *Term) Weights(off, end int32) []float64 {
	if t.same {
		return t.w[:end-off]
	}
	return t.w[off:end]
}

// affines places Affine nodes of one level, those with equally many terms side
// by side.
func (p *placer) affines(ids []int32) {
	size := func(i int32) int32 { return p.from.Node(i).B }
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
		inner := p.place(op.Affine, ids[:k], lo)
		if n := size(ids[0]); k >= minBatch && n > 0 && n < tape.MinChain {
			p.affineBatches(lo, p.next, n, inner)
		} else {
			p.rows(op.Affine, ids[:k], lo)
		}
		ids = ids[k:]
	}
}

// affineBatches makes batches of the nodes lo … hi−1, of n terms each, cut as
// those of other operations are.
func (p *placer) affineBatches(lo, hi, n int32, inner bool) {
	m := hi - lo
	terms := make([]Term, n)
	index, w := make([]int32, n*m), make([]float64, m)
	breaks := make([]bool, m)
	for k := range terms {
		t := &terms[k]
		t.Index, index = index[:m], index[m:]
		t.same = true
		for l := range m {
			weights, x := p.AffineAt(lo + l)
			t.Index[l], w[l] = x[k], weights[k]
			t.same = t.same && math.Float64bits(w[l]) == math.Float64bits(w[0])
		}
		t.w = slices.Clone(w)
		if t.same {
			t.w = slices.Clone(w[:min(m, Block)])
		}
		if regular(t.Index) {
			for l := int32(1); l < m; l++ {
				breaks[l] = breaks[l] || t.Index[l] != t.Index[l-1]+1
			}
		}
	}
	start := int32(0)
	for l := int32(1); l <= m; l++ {
		if l < m && !breaks[l] {
			continue
		}
		b := Batch{Kind: Affine, Op: op.Affine, Lo: lo + start, Hi: lo + l, Inner: inner, Terms: make([]Term, n)}
		for k, t := range terms {
			t.Operand = layout(t.Index[start:l])
			if !t.same {
				t.w = t.w[start:l]
			}
			b.Terms[k] = t
		}
		p.batches = append(p.batches, b)
		start = l
	}
}
