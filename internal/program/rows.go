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
			p.single(lo, p.from.node(ids[0]).inner)
			k = 1
		} else {
			b := batch{op: op, lo: lo, hi: lo + k}
			_, b.b.at, b.n = p.factors(op, lo)
			for _, i := range ids[:k] {
				b.inner = b.inner || p.from.node(i).inner
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

// quad is the factors of the four rows from i on, from … to−1 of each.
func (p *Program) quad(x []float64, b *batch, i, from, to int32) (w [4][]float64) {
	if b.op == Affine {
		x = p.coefs
	}
	for r := range w {
		at := p.lists[p.a[i+int32(r)]]
		w[r] = x[at+from : at+to]
	}
	return w
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
		w := p.quad(v, b, i, 0, b.n)
		ws.one[0] = v
		mulQuad(ws.one[:], i, &w, b.b.at)
	}
	return p.valueNodes(ws, i, b.hi)
}

func (p *Program) rowTangents(ws *Workspace, ts [][]float64, b *batch) error {
	from, to := p.clip(ws.seeded, b.b.at, b.n)
	x := ws.V[b.b.at:][:b.n]
	i := b.lo
	for ; i+4 <= b.hi; i += 4 {
		for _, t := range ts {
			clear(t[i : i+4])
		}
		w := p.quad(ws.V, b, i, from, to)
		mulQuad(ts, i, &w, b.b.at+from)
		if b.op == Affine {
			continue
		}
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

func (p *Program) rowAdjoints(ws *Workspace, gs [][]float64, b *batch) error {
	hi := b.hi - (b.hi-b.lo)%4
	if err := p.adjointNodes(ws, gs, hi, b.hi); err != nil {
		return err
	}
	from, to := p.clip(ws.wanted, b.b.at, b.n)
	x := ws.V[b.b.at:][:b.n]
	for i := hi - 4; i >= b.lo; i -= 4 {
		w := p.quad(ws.V, b, i, from, to)
		axpyQuad(gs, b.b.at+from, i, &w)
		if b.op == Affine {
			continue
		}
		for r := i; r < i+4; r++ {
			at := p.lists[p.a[r]]
			from, to := p.clip(ws.wanted, at, b.n)
			for _, g := range gs {
				axpy(g[at:][from:to], g[r], x[from:to])
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
	x := ws.V[at:][:n]
	for i := hi - 4; i >= b.lo; i -= 4 {
		w := p.quad(ws.V, b, i, from, to)
		axpyQuad(us, at+from, i, &w)
		bar := (*[4]float64)(ws.Bar[i:])
		var rows [4]int32
		wanted := false
		for r := range rows {
			w := p.lists[p.a[i+int32(r)]]
			rows[r] = w
			wanted = wanted || p.meets(ws.wanted, w, n)
			if lo, hi := p.clip(ws.seeded, w, n); max(lo, from) < min(hi, to) {
				lo, hi := max(lo, from), min(hi, to)
				for s, u := range us {
					axpy(u[at+lo:at+hi], bar[r], ts[s][w+lo:w+hi])
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
