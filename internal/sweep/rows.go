package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// quad is the factors of the four rows from i on, from … to−1 of each.
func (e *Engine) quad(x []float64, b *compile.Batch, i, from, to int32) (w [4][]float64) {
	for r := range w {
		if b.Op == op.Affine {
			weights, _ := e.AffineAt(i + int32(r))
			w[r] = weights[from:to]
		} else {
			at := e.rowFactor(i + int32(r))
			w[r] = x[at+from : at+to]
		}
	}
	return w
}

// rowFactor is the first of the operands that row i, a Dot, does not share.
func (e *Engine) rowFactor(i int32) int32 {
	x, _ := e.DotAt(i)
	return x[0]
}

func (ws *Workspace) rowValues(b *compile.Batch) error {
	e := ws.e
	v := ws.v
	i := b.Lo
	for ; i+4 <= b.Hi; i += 4 {
		for r := i; r < i+4; r++ {
			v[r] = tape.NegZero
			if b.Op == op.Affine {
				v[r] = e.Constant(r)
			}
		}
		w := e.quad(v, b, i, 0, b.Width)
		ws.one[0] = v
		mulQuad(ws.one[:], i, &w, b.Shared)
	}
	return ws.valueNodes(i, b.Hi)
}

func (ws *Workspace) rowTangents(ts [][]float64, b *compile.Batch) error {
	e := ws.e
	from, to := e.clip(ws.seeded, b.Shared, b.Width)
	x := ws.v[b.Shared:][:b.Width]
	i := b.Lo
	for ; i+4 <= b.Hi; i += 4 {
		for _, t := range ts {
			clear(t[i : i+4])
		}
		w := e.quad(ws.v, b, i, from, to)
		mulQuad(ts, i, &w, b.Shared+from)
		if b.Op == op.Affine {
			continue
		}
		for r := i; r < i+4; r++ {
			at := e.rowFactor(r)
			if from, to := e.clip(ws.seeded, at, b.Width); from < to {
				for _, t := range ts {
					t[r] = dotOf(t[r], x[from:to], t[at:][from:to])
				}
			}
		}
	}
	return ws.tangentNodes(ts, i, b.Hi)
}

// mulQuad adds wᵣᵀx to the elements i+r of each of xs, where x is from at on.
func mulQuad(xs [][]float64, i int32, w *[4][]float64, at int32) {
	w0 := w[0]
	w1, w2, w3 := w[1][:len(w0)], w[2][:len(w0)], w[3][:len(w0)]
	for _, x := range xs {
		s := (*[4]float64)(x[i:])
		s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
		x := x[at:][:len(w0)]
		for k, w0 := range w0 {
			x := x[k]
			s0 += float64(w0 * x)
			s1 += float64(w1[k] * x)
			s2 += float64(w2[k] * x)
			s3 += float64(w3[k] * x)
		}
		s[0], s[1], s[2], s[3] = s0, s1, s2, s3
	}
}

func (ws *Workspace) rowAdjoints(gs [][]float64, b *compile.Batch) error {
	e := ws.e
	hi := b.Hi - (b.Hi-b.Lo)%4
	if err := ws.adjointNodes(gs, hi, b.Hi); err != nil {
		return err
	}
	from, to := e.clip(ws.wanted, b.Shared, b.Width)
	x := ws.v[b.Shared:][:b.Width]
	for i := hi - 4; i >= b.Lo; i -= 4 {
		w := e.quad(ws.v, b, i, from, to)
		axpyQuad(gs, b.Shared+from, i, &w)
		if b.Op == op.Affine {
			continue
		}
		for r := i; r < i+4; r++ {
			at := e.rowFactor(r)
			from, to := e.clip(ws.wanted, at, b.Width)
			for _, g := range gs {
				lane.Axpy(g[at:][from:to], x[from:to], g[r])
			}
		}
	}
	return nil
}

// axpyQuad adds Σ xᵢ₊ᵣwᵣ to what each of xs has from at on.
func axpyQuad(xs [][]float64, at, i int32, w *[4][]float64) {
	w0 := w[0]
	w1, w2, w3 := w[1][:len(w0)], w[2][:len(w0)], w[3][:len(w0)]
	for _, x := range xs {
		g := (*[4]float64)(x[i:])
		g0, g1, g2, g3 := g[0], g[1], g[2], g[3]
		x := x[at:][:len(w0)]
		for k, w0 := range w0 {
			x[k] += float64(g0*w0) + float64(g1*w1[k]) + float64(g2*w2[k]) + float64(g3*w3[k])
		}
	}
}

func (ws *Workspace) rowSeconds(us, ts [][]float64, b *compile.Batch) error {
	e := ws.e
	if b.Op == op.Affine {
		return ws.rowAdjoints(us, b)
	}
	hi := b.Hi - (b.Hi-b.Lo)%4
	if err := ws.secondNodes(us, ts, hi, b.Hi); err != nil {
		return err
	}
	at, n := b.Shared, b.Width
	from, to := e.clip(ws.wanted, at, n)
	x := ws.v[at:][:n]
	for i := hi - 4; i >= b.Lo; i -= 4 {
		w := e.quad(ws.v, b, i, from, to)
		axpyQuad(us, at+from, i, &w)
		bar := (*[4]float64)(ws.bar[i:])
		var rows [4]int32
		wanted := false
		for r := range rows {
			w := e.rowFactor(i + int32(r))
			rows[r] = w
			wanted = wanted || e.meets(ws.wanted, w, n)
			if lo, hi := e.clip(ws.seeded, w, n); max(lo, from) < min(hi, to) {
				lo, hi := max(lo, from), min(hi, to)
				for s, u := range us {
					lane.Axpy(u[at+lo:at+hi], ts[s][w+lo:w+hi], bar[r])
				}
			}
		}
		if wanted {
			axpy2Quad(us, i, &rows, x, bar, ts, at)
		}
	}
	return nil
}

// axpy2Quad adds uᵢ₊ᵣ·x + barᵣ·t to what u has from rowsᵣ on, for each of us and
// ts, of which t is from at on.
func axpy2Quad(us [][]float64, i int32, rows *[4]int32, x []float64, bar *[4]float64, ts [][]float64, at int32) {
	b0, b1, b2, b3 := bar[0], bar[1], bar[2], bar[3]
	for s, u := range us {
		t := ts[s][at:][:len(x)]
		u0, u1, u2, u3 := u[rows[0]:][:len(x)], u[rows[1]:][:len(x)], u[rows[2]:][:len(x)], u[rows[3]:][:len(x)]
		g := (*[4]float64)(u[i:])
		g0, g1, g2, g3 := g[0], g[1], g[2], g[3]
		for k, x := range x {
			t := t[k]
			u0[k] += float64(g0*x) + float64(b0*t)
			u1[k] += float64(g1*x) + float64(b1*t)
			u2[k] += float64(g2*x) + float64(b2*t)
			u3[k] += float64(g3*x) + float64(b3*t)
		}
	}
}
