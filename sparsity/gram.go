package sparsity

import "slices"

// A Gram forms JᵀWJ + D, with W = diag(w), of a sparse J and D: the matrix of
// normal equations, Gauss–Newton and Levenberg–Marquardt steps, of penalties
// and interior points. Its pattern and how to compute it are found once. It is
// immutable and safe for concurrent use.
type Gram struct {
	j, d  *Pattern // d nil: no D
	lower *Pattern
	// Column i of J has the rows row[ptr[i]:ptr[i+1]], at the places beside them.
	ptr, row, place []int32
	at              []int32 // in lower of the elements of D, −1 above the diagonal
}

// NewGram prepares JᵀWJ + D for matrices with the patterns j, m×n, and d, n×n
// and symmetric or lower triangular; a nil d means no D. It panics if j is nil
// or d is of another kind. The cost is O(m + n + nnz(d) + Σ ρ²) for rows of J
// with ρ elements, the memory O(m + n + nnz(j) + nnz(d) + nnz of the result).
func NewGram(j, d *Pattern) *Gram {
	if j == nil {
		panic("sparsity: nil pattern")
	}
	t := j.Transpose()
	g := &Gram{j: j, d: d, ptr: t.ptr, row: t.idx, place: make([]int32, len(j.idx))}
	next := slices.Clone(t.ptr[:t.rows])
	for k, i := range j.idx {
		g.place[next[i]] = int32(k)
		next[i]++
	}
	b := newBuilder(j.cols, j.cols)
	seen := slices.Repeat([]int32{-1}, j.cols)
	for i := range j.cols {
		for e := g.ptr[i]; e < g.ptr[i+1]; e++ {
			for _, k := range j.idx[j.ptr[g.row[e]] : g.place[e]+1] {
				if seen[k] != int32(i) {
					seen[k] = int32(i)
					b.idx = append(b.idx, k)
				}
			}
		}
		slices.Sort(b.idx[b.ptr[i]:])
		b.endRow()
	}
	g.lower = b.pattern()
	if d == nil {
		return g
	}
	if d.rows != j.cols || d.cols != j.cols {
		panic("sparsity: dimensions differ")
	}
	below := d.Lower()
	if len(below.idx) < len(d.idx) && !d.IsSymmetric() {
		panic("sparsity: pattern neither symmetric nor lower triangular")
	}
	g.lower = g.lower.Union(below)
	g.at = make([]int32, 0, len(d.idx))
	for i := range d.rows {
		for _, k := range d.Row(i) {
			g.at = append(g.at, int32(g.lower.Position(i, int(k))))
		}
	}
	return g
}

// Pattern returns the pattern of the lower triangle of the result.
func (g *Gram) Pattern() *Pattern { return g.lower }

// Eval stores JᵀWJ + D in dst, a symmetric matrix that Eval made, and returns
// it; nil allocates. A nil w means W = I; of d, nil if NewGram was given none, the
// lower triangle is read. Neither j nor d may share values with dst.
//
// It panics if a pattern is another one than NewGram was given, if dst is not
// of this Gram or w has another length than J has rows. With a dst it does not
// allocate. The cost is O(n + nnz of the result + Σ ρ²).
func (g *Gram) Eval(dst *SymMatrix, j *Matrix, w []float64, d *Matrix) *SymMatrix {
	if dst == nil {
		dst = NewSymMatrix(NewMatrix(g.lower))
	}
	j.check(g.j)
	dst.triangle.check(g.lower)
	if (d == nil) != (g.d == nil) {
		panic("sparsity: D given or missing")
	}
	if d != nil {
		d.check(g.d)
	}
	if w != nil && len(w) != g.j.rows {
		panic("sparsity: length of w does not fit")
	}
	space := workspace(g.j.cols)
	defer pool.Put(space)
	sum := *space
	ptr, idx := g.j.ptr, g.j.idx
	values := dst.triangle.values
	for i := range sum {
		lo, hi := g.lower.ptr[i], g.lower.ptr[i+1]
		row := g.lower.idx[lo:hi]
		for _, k := range row {
			sum[k] = 0
		}
		for e := g.ptr[i]; e < g.ptr[i+1]; e++ {
			r, last := g.row[e], g.place[e]
			a := j.values[last]
			if w != nil {
				a *= w[r]
			}
			columns := idx[ptr[r] : last+1]
			factors := j.values[ptr[r]:][:len(columns)]
			for s, k := range columns {
				sum[k] += float64(a * factors[s])
			}
		}
		out := values[lo:hi][:len(row)]
		for s, k := range row {
			out[s] = sum[k]
		}
	}
	if d != nil {
		for e, at := range g.at {
			if at >= 0 {
				values[at] += d.values[e]
			}
		}
	}
	return dst
}

// check panics if the matrix has another pattern.
func (m *Matrix) check(p *Pattern) {
	if m == nil {
		panic("sparsity: nil matrix")
	}
	if !m.pattern.Equal(p) {
		panic("sparsity: another pattern")
	}
}
