package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Rows are done four at a time by the loops of package lane; the last ones, if they are
// fewer than four, are done node by node.

// fours is the first node of a batch of rows that is done node by node.
func fours(b *compile.Batch) int32 { return b.Hi - b.Len()%4 }

// factors is the array of which Batch.Factors says where each row's own factors begin: the
// weights of the tape for Affine, x, which is by node, for Dot.
func (e *Engine) factors(x []float64, b *compile.Batch) []float64 {
	if b.Op == op.Affine {
		return e.Weights()
	}
	return x
}

func (ws *Workspace) rowValues(b *compile.Batch) error {
	e := ws.e
	v, hi := ws.v, fours(b)
	for i := b.Lo; i < hi; i++ {
		v[i] = tape.NegZero
		if b.Op == op.Affine {
			v[i] = e.Constant(i)
		}
	}
	ws.one[0] = v
	lane.MulRows(ws.one[:], int(b.Lo), int(b.Shared), e.factors(v, b), b.Factors[:hi-b.Lo], int(b.Width))
	return ws.valueNodes(hi, b.Hi)
}

func (ws *Workspace) rowTangents(ts [][]float64, b *compile.Batch) error {
	e := ws.e
	from, to := e.clip(ws.seeded, b.Shared, b.Width)
	x := ws.v[b.Shared:][:b.Width]
	hi := fours(b)
	rows := b.Factors[:hi-b.Lo]
	for _, t := range ts {
		clear(t[b.Lo:hi])
	}
	lane.MulRows(ts, int(b.Lo), int(b.Shared+from), e.factors(ws.v, b)[from:], rows, int(to-from))
	if b.Op == op.Affine {
		return ws.tangentNodes(ts, hi, b.Hi)
	}
	for r, w := range rows {
		if !e.meets(ws.seeded, w, b.Width) {
			continue
		}
		i := b.Lo + int32(r)
		for s, t := range ts {
			from, to := e.clip(ws.support[s], w, b.Width)
			t[i] = dotOf(t[i], x[from:to], t[w:][from:to])
		}
	}
	return ws.tangentNodes(ts, hi, b.Hi)
}

func (ws *Workspace) rowAdjoints(gs [][]float64, b *compile.Batch) error {
	e := ws.e
	hi := fours(b)
	if err := ws.adjointNodes(gs, hi, b.Hi); err != nil {
		return err
	}
	from, to := e.clip(ws.wanted, b.Shared, b.Width)
	w := e.factors(ws.v, b)[from:]
	if b.Op == op.Affine {
		lane.AxpyRows(gs, int(b.Lo), int(b.Shared+from), w, b.Factors[:hi-b.Lo], int(to-from))
		return nil
	}
	x := ws.v[b.Shared:][:b.Width]
	for i := hi - 4; i >= b.Lo; i -= 4 {
		rows := b.Factors[i-b.Lo:][:4]
		lane.AxpyRows(gs, int(i), int(b.Shared+from), w, rows, int(to-from))
		for r, at := range rows {
			from, to := e.clip(ws.wanted, at, b.Width)
			for _, g := range gs {
				lane.Axpy(g[at:][from:to], x[from:to], g[i+int32(r)])
			}
		}
	}
	return nil
}

// rowSeconds does as many rows at once as it can. For a row Σ yₖxₖ, with x the shared factor,
// u_x gets u·y + v̄·t_y and u_y gets u·x + v̄·t_x; rows at once add u·y for all of them, then
// the rest. So that the order of additions to an adjoint does not depend on how many rows are
// done at once, four of which one has a t_y, or a y that overlaps x, are done by themselves.
func (ws *Workspace) rowSeconds(us, ts [][]float64, b *compile.Batch) error {
	if b.Op == op.Affine {
		return ws.rowAdjoints(us, b)
	}
	lo, hi := b.Lo, fours(b)
	if err := ws.secondNodes(us, ts, hi, b.Hi); err != nil {
		return err
	}
	for hi > lo {
		i := hi - 4
		if !ws.mixes(b, i) {
			for i > lo && !ws.mixes(b, i-4) {
				i -= 4
			}
		}
		ws.rowSecondsOf(us, ts, b, i, hi)
		hi = i
	}
	return nil
}

// mixes reports whether one of the four rows from i on has a factor of its own with tangents,
// or that overlaps the shared one: these four are done before others are begun.
func (ws *Workspace) mixes(b *compile.Batch, i int32) bool {
	for _, w := range b.Factors[i-b.Lo:][:4] {
		if ws.e.meets(ws.seeded, w, b.Width) || w < b.Shared+b.Width && b.Shared < w+b.Width {
			return true
		}
	}
	return false
}

// rowSecondsOf does the rows i … hi−1.
func (ws *Workspace) rowSecondsOf(us, ts [][]float64, b *compile.Batch, i, hi int32) {
	e := ws.e
	at, n := b.Shared, b.Width
	rows, bar := b.Factors[i-b.Lo:hi-b.Lo], ws.bar[i:hi]
	from, to := e.clip(ws.wanted, at, n)
	lane.AxpyRows(us, int(i), int(at+from), ws.v[from:], rows, int(to-from))
	first, last := len(rows), 0 // the rows whose own factors' adjoints are wanted, in fours
	for r, w := range rows {
		if e.meets(ws.wanted, w, n) {
			first, last = min(first, r&^3), r|3
		}
		if !e.meets(ws.seeded, w, n) {
			continue
		}
		for s, u := range us {
			lo, hi := e.clip(ws.support[s], w, n)
			if lo, hi = max(lo, from), min(hi, to); lo < hi {
				lane.Axpy(u[at+lo:at+hi], ts[s][w+lo:w+hi], bar[r])
			}
		}
	}
	if first < last {
		lane.Axpy2Rows(us, ts, int(i)+first, int(at), rows[first:last+1], ws.v[at:][:n], bar[first:last+1])
	}
}
