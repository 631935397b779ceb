package program

// Long sums of products of one level that share a factor, wᵢᵀx with consecutive
// operands x, are a product of a matrix with a vector. Their batches go over
// four rows wᵢ at a time: the loads of x are shared, in the adjoint of x the
// stores too, and the additions of one sum need not wait for those of another.
// Each sum adds in the order of its list, as a node of its own does.

// A batch of rows has at least minRows of them.
const minRows = 4

// rows places Affine nodes with long lists, or Dot nodes, the nodes lo … p.next−1:
// neighbors that share an operand form batches.
func (p *placer) rows(op Op, ids []int32, lo int32) {
	for len(ids) > 0 {
		k := int32(p.alike(op, lo, lo+int32(len(ids))))
		if k < minRows {
			p.single(lo, p.inner[ids[0]])
			k = 1
		} else {
			b := batch{op: op, lo: lo, hi: lo + k}
			_, b.b.at, b.n = p.factors(op, lo)
			for _, i := range ids[:k] {
				b.inner = b.inner || p.inner[i]
			}
			p.batches = append(p.batches, b)
		}
		ids, lo = ids[k:], lo+k
	}
}

// factors is where the factors of a sum of n products begin: among the nodes,
// or w among the coefficients.
func (p *Program) factors(op Op, i int32) (w, x, n int32) {
	list := p.lists[p.a[i]:]
	n = p.b[i] >> 1
	if op == Affine {
		return list[0], list[1], n
	}
	return list[0], list[n], n
}

// alike is how many of the nodes lo … hi−1 have consecutive operands x in common
// with the first. Those of a Dot are exchanged where the other ones are shared.
func (p *placer) alike(op Op, lo, hi int32) int32 {
	if p.b[lo]&1 == 0 || p.b[lo]>>1 == 0 {
		return 1
	}
	w, x, n := p.factors(op, lo)
	count := func(shared func(w1, x1 int32) bool) int32 {
		i := lo + 1
		for ; i < hi && p.b[i] == p.b[lo]; i++ {
			if w1, x1, _ := p.factors(op, i); !shared(w1, x1) {
				break
			}
		}
		return i - lo
	}
	k := count(func(_, x1 int32) bool { return x1 == x })
	if op == Affine {
		return k
	}
	if other := count(func(w1, _ int32) bool { return w1 == w }); other > k {
		for i := lo; i < lo+other; i++ {
			list := p.lists[p.a[i]:][:2*n]
			for j, w := range list[:n] {
				list[j], list[n+int32(j)] = list[n+int32(j)], w
			}
		}
		return other
	}
	return k
}

// row is the factors wᵢ in an array over all nodes.
func (p *Program) row(x []float64, b *batch, i int32) []float64 {
	at := p.lists[p.a[i]]
	if b.op == Affine {
		x = p.coefs
	}
	return x[at:][:b.n]
}

// quad is the factors of the four rows from i on.
func (p *Program) quad(x []float64, b *batch, i int32) [4][]float64 {
	return [4][]float64{p.row(x, b, i), p.row(x, b, i+1), p.row(x, b, i+2), p.row(x, b, i+3)}
}

func (p *Program) rowValues(ws *Workspace, b *batch) error {
	v := ws.V
	i := b.lo
	for ; i+4 <= b.hi; i += 4 {
		for r := i; r < i+4; r++ {
			v[r] = negZero
			if b.op == Affine {
				v[r] = p.c[r]
			}
		}
		w := p.quad(v, b, i)
		mulQuad(v, i, &w, v[b.b.at:][:b.n])
	}
	return p.valueNodes(ws, i, b.hi)
}

func (p *Program) rowTangents(ws *Workspace, ts [][]float64, b *batch) error {
	from, to := p.clip(ws.seeded, b.b.at, b.n)
	i := b.lo
	for ; i+4 <= b.hi; i += 4 {
		w := p.quad(ws.V, b, i)
		for r := range w {
			w[r] = w[r][from:to]
		}
		for _, t := range ts {
			clear(t[i : i+4])
			mulQuad(t, i, &w, t[b.b.at:][from:to])
		}
		if b.op == Affine {
			continue
		}
		x := ws.V[b.b.at:][:b.n]
		for r := i; r < i+4; r++ {
			at := p.lists[p.a[r]]
			if from, to := p.clip(ws.seeded, at, b.n); from < to {
				for _, t := range ts {
					t[r] = dotOf(t[r], x[from:to], t[at:][from:to])
				}
			}
		}
	}
	return p.tangentNodes(ws, ts, i, b.hi)
}

// mulQuad adds wᵣᵀx to y[i+r].
func mulQuad(y []float64, i int32, w *[4][]float64, x []float64) {
	w0, w1, w2, w3 := w[0][:len(x)], w[1][:len(x)], w[2][:len(x)], w[3][:len(x)]
	dst := (*[4]float64)(y[i:])
	s0, s1, s2, s3 := dst[0], dst[1], dst[2], dst[3]
	for k, x := range x {
		s0 += float64(w0[k] * x)
		s1 += float64(w1[k] * x)
		s2 += float64(w2[k] * x)
		s3 += float64(w3[k] * x)
	}
	dst[0], dst[1], dst[2], dst[3] = s0, s1, s2, s3
}

func (p *Program) rowAdjoints(ws *Workspace, gs [][]float64, b *batch) error {
	hi := b.hi - (b.hi-b.lo)%4
	if err := p.adjointNodes(ws, gs, hi, b.hi); err != nil {
		return err
	}
	from, to := p.clip(ws.wanted, b.b.at, b.n)
	x := ws.V[b.b.at:][:b.n]
	for i := hi - 4; i >= b.lo; i -= 4 {
		w := p.quad(ws.V, b, i)
		for _, g := range gs {
			axpyQuad(g[b.b.at:][from:to], g, i, &w, from)
			if b.op == Affine {
				continue
			}
			for r := i; r < i+4; r++ {
				at := p.lists[p.a[r]]
				from, to := p.clip(ws.wanted, at, b.n)
				axpy(g[at:][from:to], g[r], x[from:to])
			}
		}
	}
	return nil
}

// axpyQuad adds Σ g[i+r]·wᵣ to x, wᵣ from an offset on.
func axpyQuad(x []float64, g []float64, i int32, w *[4][]float64, from int32) {
	w0, w1, w2, w3 := w[0][from:][:len(x)], w[1][from:][:len(x)], w[2][from:][:len(x)], w[3][from:][:len(x)]
	src := (*[4]float64)(g[i:])
	g0, g1, g2, g3 := src[0], src[1], src[2], src[3]
	for k := range x {
		x[k] += g0*w0[k] + g1*w1[k] + g2*w2[k] + g3*w3[k]
	}
}

func (p *Program) rowSeconds(ws *Workspace, us, ts [][]float64, b *batch) error {
	if b.op == Affine {
		return p.rowAdjoints(ws, us, b)
	}
	hi := b.hi - (b.hi-b.lo)%4
	if err := p.secondNodes(ws, us, ts, hi, b.hi); err != nil {
		return err
	}
	at, n := b.b.at, b.n
	from, to := p.clip(ws.wanted, at, n)
	lo, up := p.clip(ws.seeded, at, n)
	plain := lo == 0 && up == n
	for i := hi - 4; i >= b.lo; i -= 4 {
		w := p.quad(ws.V, b, i)
		bar := (*[4]float64)(ws.Bar[i:])
		whole := plain
		some := false
		for r := i; r < i+4; r++ {
			from, to := p.clip(ws.wanted, p.lists[p.a[r]], n)
			whole = whole && to-from == n
			some = some || from < to
		}
		for s, u := range us {
			t := ts[s]
			axpyQuad(u[at:][from:to], u, i, &w, from)
			switch {
			case whole:
				uw := p.quad(u, b, i)
				axpy2Quad(&uw, (*[4]float64)(u[i:]), ws.V[at:][:n], bar, t[at:][:n])
			case some:
				for r := i; r < i+4; r++ {
					p.secondHalf(ws, u, u[r], t, ws.Bar[r], p.lists[p.a[r]], at, n)
				}
			}
		}
		for r := i; r < i+4; r++ { // v̄·ẇ
			wr := p.lists[p.a[r]]
			lo, up := p.clip(ws.seeded, wr, n)
			lo, up = max(lo, from), min(up, to)
			if lo < up {
				for s, u := range us {
					axpy(u[at:][lo:up], ws.Bar[r], ts[s][wr:][lo:up])
				}
			}
		}
	}
	return nil
}

// axpy2Quad adds gᵣ·v + hᵣ·w to xᵣ.
func axpy2Quad(x *[4][]float64, g *[4]float64, v []float64, h *[4]float64, w []float64) {
	x0, x1, x2, x3 := x[0][:len(v)], x[1][:len(v)], x[2][:len(v)], x[3][:len(v)]
	w = w[:len(v)]
	g0, g1, g2, g3 := g[0], g[1], g[2], g[3]
	h0, h1, h2, h3 := h[0], h[1], h[2], h[3]
	for k, v := range v {
		w := w[k]
		x0[k] += g0*v + h0*w
		x1[k] += g1*v + h1*w
		x2[k] += g2*v + h2*w
		x3[k] += g3*v + h3*w
	}
}
