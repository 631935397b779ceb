package terms

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/sparsity"
)

// matrix is a pattern and where the entries of the shapes lie in it.
type matrix struct {
	*Plan
	pattern *sparsity.Pattern
	places  [][]list                // by shape and entry
	base    [2]atomic.Pointer[base] // quick and careful; nil until first needed

	pace

	// If there is one term: the entry at each place, and the register at each
	// place in the code of a variant.
	entry []int32
	regs  [4]struct {
		once sync.Once
		at   []uint16
	}
}

// base is the sum of what is the same for all x; nil is 0.
type base struct {
	x     []float64
	total float64 // finite only if all of it is
}

// picks is the register of each place in the code st of variant v.
func (m *matrix) picks(st *straight, v variant) []uint16 {
	p := &m.regs[v.number()/2%4]
	p.once.Do(func() {
		p.at = make([]uint16, len(m.entry))
		for k, e := range m.entry {
			p.at[k] = st.entries[e]
		}
	})
	return p.at
}

// Pattern is the pattern of the matrix.
func (m *matrix) Pattern() *sparsity.Pattern { return m.pattern }

// fixed is the base of a variant, found when it is first needed: by several
// goroutines at once, if it so happens, and again where a primitive panicked.
func (m *matrix) fixed(v variant) *base {
	at := &m.base[0]
	if v.careful {
		at = &m.base[1]
	}
	if b := at.Load(); b != nil {
		return b
	}
	b := new(base)
	w := m.machine()
	w.total = 0
	for k, c := range m.code(v) {
		if c.fixed == nil {
			continue
		}
		if b.x == nil {
			b.x = make([]float64, m.pattern.NNZ())
		}
		s := m.shapes[k]
		w.begin(c.fixed, s, k, &arrays{values: b.x, matrix: m})
		for j := range s.blocks() {
			w.block(c.fixed, s, j)
		}
	}
	b.total = w.total
	m.put(w)
	at.Store(b)
	return b
}

// Jacobian is the plan of a sparse Jacobian. It is immutable.
type Jacobian struct{ matrix }

// JacobianPattern is the pattern that the terms have.
func (pl *Plan) JacobianPattern() *sparsity.Pattern {
	ptr, idx := pl.pattern(variant{ord: jacobian})
	if len(idx) < cap(idx) {
		idx = slices.Clone(idx)
	}
	return sparsity.NewPattern(pl.outputs, pl.inputs, ptr, idx)
}

// Jacobian plans the Jacobian in a pattern; nil is the one that the terms have.
// It panics if a place is missing. Cost: O(n + E) for E entries of all terms.
func (pl *Plan) Jacobian(p *sparsity.Pattern) *Jacobian {
	if p == nil {
		p = pl.JacobianPattern()
	}
	j := &Jacobian{matrix{Plan: pl, pattern: p}}
	j.place(variant{ord: jacobian}, false)
	return j
}

// Eval computes the outputs y, nil if they are not wanted, and the values.
func (j *Jacobian) Eval(values, y, x, params []float64) {
	j.EvalParallel(1, values, y, x, params)
}

// EvalParallel is Eval by several goroutines, to the same bits. It allocates
// a few objects a goroutine.
func (j *Jacobian) EvalParallel(workers int, values, y, x, params []float64) {
	j.eval(variant{ord: jacobian}, &arrays{x: x, params: params, y: y, values: values, matrix: &j.matrix, workers: workers})
}

// Hessian is the plan of the sparse Hessian of a weighted sum of the outputs. It
// is immutable.
type Hessian struct{ matrix }

// HessianPattern is the symmetric pattern that the terms have.
func (pl *Plan) HessianPattern() *sparsity.Pattern {
	ptr, idx := mirrored(pl.pattern(variant{ord: second}))
	return sparsity.NewPattern(pl.inputs, pl.inputs, ptr, idx)
}

// Hessian plans the Hessian in a symmetric pattern, of which both triangles are
// computed, or in a lower triangle; nil is the symmetric one that the terms have.
// It panics if a place is missing. Cost: O(n + E) for E entries of all terms.
func (pl *Plan) Hessian(p *sparsity.Pattern) *Hessian {
	if p == nil {
		p = pl.HessianPattern()
	}
	h := &Hessian{matrix{Plan: pl, pattern: p}}
	low, up := h.place(variant{ord: second}, !isLower(p))
	if h.entry != nil {
		for k, i := range up {
			h.entry[i] = h.entry[low[k]]
		}
	}
	return h
}

func isLower(p *sparsity.Pattern) bool {
	n, _ := p.Dims()
	for i := range n {
		if row := p.Row(i); len(row) > 0 && int(row[len(row)-1]) > i {
			return false
		}
	}
	return true
}

// Eval computes the outputs y and the gradient g of Σ wⱼyⱼ, nil if they are not
// wanted, and the values of its Hessian; w nil is all 1.
func (h *Hessian) Eval(values, y, g, x, params, w []float64) {
	h.EvalParallel(1, values, y, g, x, params, w)
}

// EvalParallel is Eval by several goroutines, to the same bits. It allocates
// a few objects a goroutine.
func (h *Hessian) EvalParallel(workers int, values, y, g, x, params, w []float64) {
	h.eval(variant{ord: second, weighted: w != nil}, &arrays{x: x, params: params, w: w, y: y, g: g, values: values, matrix: &h.matrix, workers: workers})
}

// position is where an entry of the terms lies: that of lane t in row i and
// column j of t, of a symmetric matrix in the lower half of that.
type position struct{ i, j *list }

// positions are those of the entries of shape k that c computes.
func (pl *Plan) positions(k int, c *code) []position {
	s := pl.shapes[k]
	z := make([]position, len(c.entries))
	for e, r := range c.entries {
		switch r.what {
		case toJacobian:
			z[e] = position{&s.rows[r.b], &s.vars[r.a]}
		case toHessian:
			z[e] = position{&s.vars[r.a], &s.vars[r.b]}
		}
	}
	return z
}

// uniform reports whether all lanes have one position.
func (p position) uniform() bool { return p.i.uniform() && p.j.uniform() }

// blocks calls do with the rows and columns of each block of lanes, which may be
// in buf, and the number of the block. If there is only one position it is handed
// out once.
func (p position) blocks(buf *[2][lanes]int32, do func(block int, i, j []int32)) {
	if p.uniform() {
		buf[0][0], buf[1][0] = p.i.runs[0].at, p.j.runs[0].at
		do(0, buf[0][:1], buf[1][:1])
		return
	}
	for lo := 0; lo < p.i.n; lo += lanes {
		do(lo/lanes, p.i.block(&buf[0], lo), p.j.block(&buf[1], lo))
	}
}

// pattern is the rows of the matrix of a variant, the lower half if it is
// symmetric.
func (pl *Plan) pattern(v variant) (ptr, idx []int32) {
	rows, symmetric := pl.outputs, v.ord == second
	if symmetric {
		rows = pl.inputs
	}
	// First the columns of all entries, row by row: ptr[r+1] is where row r
	// begins, and moves to its end.
	ptr = make([]int32, rows+2)
	codes, buf := pl.code(v), new([2][lanes]int32)
	all := func(do func(r, c int32)) {
		for k := range pl.shapes {
			for _, p := range pl.positions(k, codes[k]) {
				p.blocks(buf, func(_ int, i, j []int32) {
					for t, r := range i {
						c := j[t]
						if symmetric && r < c {
							r, c = c, r
						}
						do(r, c)
					}
				})
			}
		}
	}
	count := 0
	all(func(r, _ int32) { ptr[r+2]++; count++ })
	if count > math.MaxInt32 {
		panic("terms: matrix of more than 2³¹ entries")
	}
	for r := range rows {
		ptr[r+2] += ptr[r+1]
	}
	idx = make([]int32, count)
	all(func(r, c int32) { idx[ptr[r+1]] = c; ptr[r+1]++ })
	// Then each column once, in order.
	seen := make([]int32, pl.inputs)
	lo, n := int32(0), int32(0)
	for r := range int32(rows) {
		begin, hi := n, ptr[r+1]
		for _, c := range idx[lo:hi] {
			if seen[c] != r+1 {
				seen[c] = r + 1
				idx[n] = c
				n++
			}
		}
		slices.Sort(idx[begin:n])
		lo, ptr[r+1] = hi, n
	}
	return ptr[:rows+1], idx[:n]
}

// mirrored is the rows of a symmetric pattern, given its lower half.
func mirrored(ptr, idx []int32) (fptr, fidx []int32) {
	n := len(ptr) - 1
	fptr = make([]int32, n+2)
	for r := range n {
		fptr[r+2] += ptr[r+1] - ptr[r]
		for _, c := range idx[ptr[r]:ptr[r+1]] {
			if int(c) < r {
				fptr[c+2]++
			}
		}
	}
	for r := range n {
		fptr[r+2] += fptr[r+1]
	}
	fidx = make([]int32, fptr[n+1])
	put := func(r, c int32) { fidx[fptr[r+1]] = c; fptr[r+1]++ }
	for r := range int32(n) { // what is left of the diagonal of a row comes before what is right
		for _, c := range idx[ptr[r]:ptr[r+1]] {
			put(r, c)
			if c < r {
				put(c, r)
			}
		}
	}
	return fptr[:n+1], fidx
}

// finder finds places in a pattern. Often they have the same distance from the
// beginning of the row as the last one.
type finder struct {
	*sparsity.Pattern
	distance int
}

// place is that of row r and column c.
func (f *finder) place(r, c int32) int32 {
	row := f.Row(int(r))
	if k := f.distance; k >= len(row) || row[k] != c {
		k, ok := slices.BinarySearch(row, c)
		if !ok {
			panic("terms: the pattern lacks an entry of the terms")
		}
		f.distance = k
	}
	return f.RowPtr()[r] + int32(f.distance)
}

// place makes the lists of places, and finds when what is done. In a symmetric
// pattern, low and up are the places of the entries below the diagonal and of
// their images.
func (m *matrix) place(v variant, symmetric bool) (low, up []int32) {
	m.places = make([][]list, len(m.shapes))
	m.pace = newPace(m.pattern.NNZ())
	if symmetric {
		n := 0
		for i := range m.pattern.RowPtr()[1:] {
			for _, j := range m.pattern.Row(i) {
				if int(j) >= i {
					break
				}
				n++
			}
		}
		low, up = make([]int32, 0, n), make([]int32, 0, n)
	}
	entry, image := finder{Pattern: m.pattern}, finder{Pattern: m.pattern}
	group, pair := 0, new([2][lanes]int32)
	for k, c := range m.code(v) {
		s := m.shapes[k]
		var buf []int32
		for _, p := range m.positions(k, c) {
			n := s.terms
			if p.uniform() {
				n = 1
			}
			x := slices.Grow(buf[:0], n)
			p.blocks(pair, func(block int, i, j []int32) {
				for t, r := range i {
					c := j[t]
					if v.ord == second && r < c {
						r, c = c, r
					}
					at := entry.place(r, c)
					x = append(x, at)
					if symmetric && r != c && m.last[at] < 0 {
						low, up = append(low, at), append(up, image.place(c, r))
					}
					m.touch(at, int32(group+block))
				}
			})
			l := newList(x)
			if p.uniform() {
				l = constantList(x[0], s.terms)
				m.touch(x[0], int32(group+s.blocks()-1))
			}
			if buf = x; l.index != nil {
				buf = nil // the list keeps it
			}
			m.places[k] = append(m.places[k], l)
		}
		group += s.blocks()
	}
	m.pace.finish(group, low, up)
	if m.single() {
		m.entry = make([]int32, m.pattern.NNZ())
		for k := range m.entry {
			m.entry[k] = int32(len(m.places[0]))
		}
		for k, l := range m.places[0] {
			m.entry[l.runs[0].at] = int32(k)
		}
	}
	return low, up
}
