package compile

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Affine sums c + Σ wₖxₖ of equally many terms, if these are few, form batches too. Sweeps
// go over them term by term: a term is one multiplication and one addition on all lanes.
// Written as operations with two operands, a sum would be twice as many batches.

// Term is one term wx of all sums of a batch.
type Term struct {
	Operand
	weights []float64 // lane by lane or, if uniform, as many as a block has
	uniform bool
}

// Weights is the weights of the lanes Lo+from … Lo+to−1 of the batch, at most Block of them.
func (t *Term) Weights(from, to int32) []float64 {
	if t.uniform {
		return t.weights[:to-from]
	}
	return t.weights[from:to]
}

// affines places the Affine nodes of one level, those with equally many terms side by side.
// Sums of few terms become lanes; sums of many may be rows of a matrix.
func (p *placer) affines(ids []int32) {
	size := p.from.Terms
	if slices.ContainsFunc(ids, func(i int32) bool { return size(i) != size(ids[0]) }) {
		slices.SortStableFunc(ids, func(i, j int32) int { return int(size(i) - size(j)) })
	}
	for len(ids) > 0 {
		k := 1
		for k < len(ids) && size(ids[k]) == size(ids[0]) {
			k++
		}
		lo := p.place(op.Affine, ids[:k])
		if n := size(ids[0]); k >= minBatch && n > 0 && n < tape.MinTerms {
			p.affineLanes(ids[:k], lo, n)
		} else {
			p.rows(op.Affine, ids[:k], lo)
		}
		ids = ids[k:]
	}
}

// affineLanes makes batches of the nodes ids, placed from lo on, of n terms each, cut as
// those of other operations are.
func (p *placer) affineLanes(ids []int32, lo, n int32) {
	m := int32(len(ids))
	terms := make([]Term, n)
	index, w := make([]int32, n*m), make([]float64, m)
	cut := make([]bool, m)
	for k := range terms {
		t := &terms[k]
		t.Index, index = index[:m], index[m:]
		t.uniform = true
		for l := range m {
			weights, x := p.AffineAt(lo + l)
			t.Index[l], w[l] = x[k], weights[k]
			t.uniform = t.uniform && math.Float64bits(w[l]) == math.Float64bits(w[0])
		}
		t.weights = slices.Clone(w)
		if t.uniform {
			t.weights = slices.Clone(w[:min(m, Block)])
		}
		if regular(t.Index) {
			for l := int32(1); l < m; l++ {
				cut[l] = cut[l] || t.Index[l] != t.Index[l-1]+1
			}
		}
	}
	feeds := p.feedsNonlinear(ids)
	for start, l := int32(0), int32(1); l <= m; l++ {
		if l < m && !cut[l] {
			continue
		}
		b := Batch{Kind: Affine, Op: op.Affine, Lo: lo + start, Hi: lo + l, Terms: slices.Clone(terms), FeedsNonlinear: feeds}
		for k := range b.Terms {
			t := &b.Terms[k]
			t.Operand = operandOf(t.Index[start:l])
			if !t.uniform {
				t.weights = t.weights[start:l]
			}
		}
		b.Tiles = p.tiles(&b)
		p.batches = append(p.batches, b)
		start = l
	}
}

// minTile is how many terms a tile has at least.
const minTile = 3

// tiles is Batch.Tiles, where the weights of each lane begin, if each lane reads
// consecutive inputs and the first ones of any two lanes are a multiple of the number of
// terms apart: then an input is the term of one number in all lanes that read it, and lanes
// read either the same inputs or disjoint ones. Otherwise it is nil.
func (p *placer) tiles(b *Batch) []int32 {
	n := int32(len(b.Terms))
	if n < minTile {
		return nil
	}
	at, first := make([]int32, 0, b.Len()), b.Terms[0].Index[0]
	for i := b.Lo; i < b.Hi; i++ {
		_, x := p.AffineAt(i)
		if int(x[n-1]) >= p.Inputs() || !p.Consecutive(i) || (x[0]-first)%n != 0 {
			return nil
		}
		at = append(at, p.WeightsFrom(i))
	}
	for o := range b.operands {
		if o.Access != Indexed {
			return nil
		}
	}
	return at
}
