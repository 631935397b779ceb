package sparsity

// Union returns the pattern of the positions in p or in q. It panics if their
// dimensions differ. The cost is O(rows + nnz).
func (p *Pattern) Union(q *Pattern) *Pattern {
	if !p.sameDims(q) {
		panic("sparsity: dimensions differ")
	}
	b := newBuilder(p.rows, p.cols)
	b.idx = make([]int32, 0, max(len(p.idx), len(q.idx)))
	for i := range p.rows {
		x, y := p.Row(i), q.Row(i)
		for len(x) > 0 && len(y) > 0 {
			j := min(x[0], y[0])
			if x[0] == j {
				x = x[1:]
			}
			if y[0] == j {
				y = y[1:]
			}
			b.idx = append(b.idx, j)
		}
		b.idx = append(append(b.idx, x...), y...)
		b.endRow()
	}
	return b.pattern()
}

// Symmetrized returns P ∪ Pᵀ. It panics if the pattern is not square. The cost
// is O(rows + nnz).
func (p *Pattern) Symmetrized() *Pattern {
	p.checkSquare()
	return p.Union(p.Transpose())
}

// Lower returns the positions on and below the diagonal, i ≥ j. The cost is
// O(rows + nnz).
func (p *Pattern) Lower() *Pattern {
	return p.keep(func(i, j int32) bool { return i >= j })
}

// Upper returns the positions on and above the diagonal, i ≤ j. The cost is
// O(rows + nnz).
func (p *Pattern) Upper() *Pattern {
	return p.keep(func(i, j int32) bool { return i <= j })
}

func (p *Pattern) keep(ok func(i, j int32) bool) *Pattern {
	b := newBuilder(p.rows, p.cols)
	for i := range p.rows {
		for _, j := range p.Row(i) {
			if ok(int32(i), j) {
				b.idx = append(b.idx, j)
			}
		}
		b.endRow()
	}
	return b.pattern()
}

// RowCounts returns the number of positions in each row.
func (p *Pattern) RowCounts() []int {
	n := make([]int, p.rows)
	for i := range n {
		n[i] = int(p.ptr[i+1] - p.ptr[i])
	}
	return n
}

// ColumnCounts returns the number of positions in each column.
func (p *Pattern) ColumnCounts() []int {
	n := make([]int, p.cols)
	for _, j := range p.idx {
		n[j]++
	}
	return n
}

// Density returns nnz/(rows·cols), 0 for a pattern without rows or columns.
func (p *Pattern) Density() float64 {
	if p.rows == 0 || p.cols == 0 {
		return 0
	}
	return float64(len(p.idx)) / (float64(p.rows) * float64(p.cols))
}

func (p *Pattern) checkSquare() {
	if rows, cols := p.Dims(); rows != cols {
		panic("sparsity: not square")
	}
}
