package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Value computes all nodes at the inputs x and the parameters params. If a
// comparison comes out otherwise than recorded it returns the first such guard.
func (ws *Workspace) Value(x, params []float64) (*tape.Guard, error) {
	e := ws.e
	copy(ws.v, x)
	copy(ws.v[e.Inputs():], params)
	v := ws.v
	batches := e.Batches()
	for k := range batches {
		if err := ws.batchValues(&batches[k]); err != nil {
			return e.broken(v), err
		}
	}
	return e.broken(v), nil
}

// batchValues evaluates a batch.
func (ws *Workspace) batchValues(b *compile.Batch) error {
	switch {
	case b.Kind == compile.Mixed:
		return ws.valueNodes(b.Lo, b.Hi)
	case b.Kind == compile.Rows:
		ws.rowValues(b)
	case ws.shares(b):
		ws.sharedValues(b)
	default:
		for lo := b.Lo; lo < b.Hi; lo += compile.Block {
			ws.valueBlock(b, lo, min(compile.Block, b.Hi-lo))
		}
	}
	return nil
}

// valueBlock evaluates the lanes lo … lo+m−1 of a batch.
func (ws *Workspace) valueBlock(b *compile.Batch, lo, m int32) {
	e := ws.e
	v := ws.v
	dst := v[lo : lo+m]
	if b.Op == op.Affine {
		addTerms(b, ws, dst, e.constants(b, lo, m), v, lo-b.Lo)
		return
	}
	if b.A.Access == compile.Indexed || b.B.Access == compile.Indexed {
		off := lo - b.Lo
		switch b.Op {
		case op.Add:
			addIndexed(dst, v, b.A.Index[off:][:m], b.B.Index[off:][:m])
			return
		case op.Sub:
			subIndexed(dst, v, b.A.Index[off:][:m], b.B.Index[off:][:m])
			return
		case op.Mul:
			mulIndexed(dst, v, b.A.Index[off:][:m], b.B.Index[off:][:m])
			return
		}
	}
	x := load(&b.A, &ws.scratch[0], v, lo-b.Lo, m)
	y := e.constants(b, lo, m)
	if b.Op.Operands() == 2 {
		y = load(&b.B, &ws.scratch[1], v, lo-b.Lo, m)
	}
	lane.Values(b.Op, dst, x, y)
}

// constants is the constants of the lanes lo … lo+m−1 of a batch.
func (e *Engine) constants(b *compile.Batch, lo, m int32) []float64 {
	return e.Constants(lo+b.Shift, lo+b.Shift+m)
}

// broken is the first guard that does not hold.
func (e *Engine) broken(v []float64) *tape.Guard {
	guards := e.Guards()
	for k := range guards {
		if g := &guards[k]; !g.Holds(v) {
			return g
		}
	}
	return nil
}

// valueNodes evaluates nodes of mixed operations one by one.
func (ws *Workspace) valueNodes(lo, hi int32) error {
	e := ws.e
	v := ws.v
	for i := lo; i < hi; i++ {
		switch code, a, b := e.At(i); code {
		case op.Add:
			v[i] = v[a] + v[b]
		case op.Sub:
			v[i] = v[a] - v[b]
		case op.Mul:
			v[i] = v[a] * v[b]
		case op.Square:
			v[i] = v[a] * v[a]
		case op.Scale:
			v[i] = v[a] * e.ConstantBy(i, b)
		case op.AddReal:
			v[i] = v[a] + e.ConstantBy(i, b)
		case op.Own:
			f, order := e.OwnAt(i)
			v[i] = f.At(order)(v[a])
		case op.Sum:
			v[i] = e.sum(e.Constant(i), v, i)
		case op.Affine:
			w, x := e.AffineAt(i)
			if e.Consecutive(i) {
				v[i] = dotOf(e.Constant(i), w, v[x[0]:][:len(x)])
			} else {
				v[i] = dotIndexed(e.Constant(i), w, v, x)
			}
		case op.Dot:
			x, y := e.DotAt(i)
			if e.Consecutive(i) {
				v[i] = dotOf(tape.NegZero, v[x[0]:][:len(x)], v[y[0]:][:len(x)])
				break
			}
			s := tape.NegZero
			for k, j := range x {
				s += float64(v[j] * v[y[k]])
			}
			v[i] = s
		case op.FMA, op.IncGamma, op.IncBeta:
			v[i] = e.SeveralPartial(v, i)
		case op.Select:
			cond, x, y := e.SelectAt(i)
			v[i] = elem.Select(v[cond], v[x], v[y])
		case op.Call:
			if err := ws.valueCall(i); err != nil {
				return err
			}
			i = e.LastOutput(i)
		default:
			y := ws.scratch[1][:1]
			if code.Operands() == 2 {
				y = v[b : b+1]
			} else {
				y[0] = e.Constant(i)
			}
			lane.Values(code, v[i:i+1], v[a:a+1], y)
		}
	}
	return nil
}

// sum is s plus what x, by node, has at the operands of the Sum node i.
func (e *Engine) sum(s float64, x []float64, i int32) float64 {
	index, runs := e.SumLists(i)
	for k := 0; k < len(runs); k += 2 {
		s = sumOf(s, x[runs[k]:][:runs[k+1]])
	}
	return sumIndexed(s, x, index)
}
