package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
)

// addTerms sets dst = c + Σ wx, of the lanes from off on, x in an array over all
// nodes; c nil is 0.
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

// affineAdjoints does the lanes from off on; g is the adjoints of all nodes, or their
// places, as b has them.
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

// longList is how many operands a list has at least of which runs are noted.
const longList = 64

// noteRuns notes what is in a row of a long list.
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

// runsOf is the pieces of a list of operands that are in a row, nil if these are not
// long on average.
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
