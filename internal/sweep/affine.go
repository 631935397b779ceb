package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
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
func affineAdjoints(gs [][]float64, b *compile.Batch, off, m int32, order compile.Order) {
	for _, g := range gs {
		for k := range b.Terms {
			t := &b.Terms[k]
			targetOf(&t.Operand, order, g, off, m).times(1, t.Weights(off, off+m), g[b.Lo+off:][:m])
		}
	}
}
