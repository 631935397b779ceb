package compile

import "github.com/hesse-ad/hesse/internal/op"

// Long sums of products of one level that share a factor, wᵢᵀx with consecutive
// operands x, are a product of a matrix with a vector. Their batches go over
// four rows wᵢ at a time: the loads of x are shared, in the adjoint of x the
// stores too, and the additions of one sum need not wait for those of another.
// Each sum adds in the order of its list, as a node of its own does.

// A batch of rows has at least minRows of them.
const minRows = 4

// rows places Affine nodes with long lists, or Dot nodes, the nodes lo … p.next−1:
// neighbors that share an operand form batches.
func (p *placer) rows(code op.Code, ids []int32, lo int32) {
	for len(ids) > 0 {
		k := p.alike(code, lo, lo+int32(len(ids)))
		if k < minRows {
			p.single(lo, p.from.inner[ids[0]])
			k = 1
		} else {
			_, x := p.factors(code, lo)
			b := Batch{Kind: Rows, Op: code, Lo: lo, Hi: lo + k, Shared: x, Width: p.Terms(lo)}
			for _, i := range ids[:k] {
				b.Inner = b.Inner || p.from.inner[i]
			}
			p.batches = append(p.batches, b)
		}
		ids, lo = ids[k:], lo+k
	}
}

// factors is the first operand of each factor of a sum of products, w being −1 if
// it is weights.
func (p *placer) factors(code op.Code, i int32) (w, x int32) {
	if code == op.Affine {
		_, list := p.AffineAt(i)
		return -1, list[0]
	}
	list, other := p.DotAt(i)
	return list[0], other[0]
}

// alike is how many of the nodes lo … hi−1 have consecutive operands x in common
// with the first. Those of a Dot are exchanged where the other ones are shared.
func (p *placer) alike(code op.Code, lo, hi int32) int32 {
	if !p.Consecutive(lo) {
		return 1
	}
	w, x := p.factors(code, lo)
	count := func(shared func(w1, x1 int32) bool) int32 {
		i := lo + 1
		for ; i < hi && p.Consecutive(i) && p.Terms(i) == p.Terms(lo); i++ {
			if w1, x1 := p.factors(code, i); !shared(w1, x1) {
				break
			}
		}
		return i - lo
	}
	k := count(func(_, x1 int32) bool { return x1 == x })
	if code == op.Affine {
		return k
	}
	if other := count(func(w1, _ int32) bool { return w1 == w }); other > k {
		for i := lo; i < lo+other; i++ {
			p.SwapFactors(i)
		}
		return other
	}
	return k
}
