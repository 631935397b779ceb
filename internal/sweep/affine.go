package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
)

// addTerms sets dst = c + Σ wₖxₖ for the lanes from off on, with x by node; c nil is 0.
func addTerms(b *compile.Batch, ws *Workspace, dst, c, x []float64, off int32) {
	end := off + int32(len(dst))
	for k := range b.Terms {
		t := &b.Terms[k]
		w, x := t.Weights(off, end), load(&t.Operand, &ws.scratch[0], x, off, end-off)
		switch {
		case k > 0:
			lane.AddMul(dst, dst, w, x)
		case c != nil:
			lane.AddMul(dst, c, w, x)
		default:
			lane.Mul(dst, w, x)
		}
	}
}

// affineAdjoints does the m lanes from off on. Each of gs is adjoints by the numbers that b
// has, nodes or places.
func (e *Engine) affineAdjoints(gs [][]float64, b *compile.Batch, off, m int32, order compile.Order) {
	if b.Tiles != nil {
		lane.AxpyTiles(gs, int(b.Lo+off), b.Terms[0].Index[off:off+m], e.Weights(), b.Tiles[off:off+m], len(b.Terms))
		return
	}
	for _, g := range gs {
		for k := range b.Terms {
			t := &b.Terms[k]
			targetOf(&t.Operand, order, off).times(g, 1, t.Weights(off, off+m), g[b.Lo+off:][:m])
		}
	}
}

// longList is from how many operands on a list is looked through for runs.
const longList = 64

// noteRuns notes where a long list of operands has runs of consecutive nodes, which are
// done by vector loops.
func (e *Engine) noteRuns(i int32) {
	if e.Op(i) != op.Affine || e.Consecutive(i) {
		return
	}
	if _, x := e.AffineAt(i); len(x) >= longList {
		if runs := runsOf(x); runs != nil {
			e.runs[i] = runs
		}
	}
}

// runsOf is the runs of consecutive nodes in a list; nil if they have fewer than 8 nodes on
// average.
func runsOf(index []int32) (runs []compile.Span) {
	for lo, k := 0, 1; k <= len(index); k++ {
		if k == len(index) || index[k] != index[k-1]+1 {
			runs = append(runs, compile.Span{Lo: int32(lo), Hi: int32(k)})
			lo = k
		}
	}
	if 8*len(runs) > len(index) {
		return nil
	}
	return runs
}

// addAffine adds c·w to what x has at the operands of the Affine node i.
func (e *Engine) addAffine(x []float64, c float64, i int32) {
	w, index := e.AffineAt(i)
	if len(index) >= longList {
		if runs := e.runs[i]; runs != nil {
			for _, r := range runs {
				lane.Axpy(x[index[r.Lo]:][:r.Len()], w[r.Lo:r.Hi], c)
			}
			return
		}
	}
	for k, j := range index {
		x[j] += float64(w[k] * c)
	}
}
