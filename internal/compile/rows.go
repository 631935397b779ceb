package compile

import "github.com/hesse-ad/hesse/internal/op"

// Long sums of products wᵢᵀx of one level that share the vector x of consecutive nodes are
// the product of a matrix, whose rows are the wᵢ, with x.
// Sweeps go over four rows at a time: the loads of x are shared, in the adjoint of x
// the stores too, and the additions of one sum need not wait for those of another.
// Each sum adds in the order of its list, as a node of its own does.

// minRows is how many rows a batch has at least.
const minRows = 4

// rows makes batches of Affine nodes with long lists, or of Dot nodes, placed from lo on:
// each is neighbors that share a factor. Nodes that share none with enough of their
// neighbors go to mixed batches.
func (p *placer) rows(code op.Code, ids []int32, lo int32) {
	for len(ids) > 0 {
		k, x := p.sharing(code, lo, lo+int32(len(ids)))
		if k < minRows {
			p.single(lo, p.from.feeds[ids[0]])
			k = 1
		} else {
			p.batches = append(p.batches, Batch{
				Kind: Rows, Op: code, Lo: lo, Hi: lo + k, Shared: x, Width: p.Terms(lo),
				FeedsNonlinear: p.feedsNonlinear(ids[:k]), Factors: p.ownFactors(code, lo, lo+k, x),
			})
		}
		ids, lo = ids[k:], lo+k
	}
}

// ownFactors is Batch.Factors of the nodes lo … hi−1: where the factor that is not shared
// begins, weights of Affine or nodes of Dot.
func (p *placer) ownFactors(code op.Code, lo, hi, shared int32) []int32 {
	at := make([]int32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		w, x := p.factors(code, i)
		switch {
		case code == op.Affine:
			w = p.WeightsFrom(i)
		case w == shared:
			w = x
		}
		at = append(at, w)
	}
	return at
}

// factors is the first node of both factors of node i, a sum of products; w is −1 if that
// factor is weights.
func (p *placer) factors(code op.Code, i int32) (w, x int32) {
	if code == op.Affine {
		_, list := p.AffineAt(i)
		return -1, list[0]
	}
	list, other := p.DotAt(i)
	return list[0], other[0]
}

// sharing is how many of the nodes lo … hi−1, from the first on, have one factor in common,
// of consecutive nodes, and the first of these.
func (p *placer) sharing(code op.Code, lo, hi int32) (k, shared int32) {
	if !p.Consecutive(lo) {
		return 1, 0
	}
	w, x := p.factors(code, lo)
	same := func(f int32) int32 {
		i := lo + 1
		for ; i < hi && p.Consecutive(i) && p.Terms(i) == p.Terms(lo); i++ {
			if w1, x1 := p.factors(code, i); x1 != f && w1 != f {
				break
			}
		}
		return i - lo
	}
	k, shared = same(x), x
	if code == op.Dot {
		if other := same(w); other > k {
			return other, w
		}
	}
	return k, shared
}
