package terms

import (
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

// Jacobian plans the Jacobian in a pattern; nil is the one that the terms have.
// It panics if a place is missing. Cost: O(n + E) for E entries of all terms.
func (pl *Plan) Jacobian(p *sparsity.Pattern) *Jacobian {
	v := variant{ord: jacobian}
	m := &Jacobian{matrix{Plan: pl, pattern: p}}
	e := entries{rows: pl.outputs}
	var vars [][]int32
	for k, c := range pl.code(v) {
		s := pl.shapes[k]
		vars = s.columns(vars)
		for _, r := range c.entries {
			e.add(s.rows[r.b].expand(nil), vars[r.a])
		}
	}
	e.sort()
	if p == nil {
		ptr, idx := e.compress(pl.inputs)
		m.pattern = sparsity.NewPattern(pl.outputs, pl.inputs, ptr, idx)
	} else {
		e.locate(p)
	}
	m.place(&e, v, nil)
	return m
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

// Hessian plans the Hessian in a pattern: a symmetric one, of which both
// triangles are computed, or a lower triangle; nil is the symmetric one that the
// terms have. It panics if the pattern is neither, or lacks a place. Cost:
// O(n + E) for E entries of all terms.
func (pl *Plan) Hessian(p *sparsity.Pattern) *Hessian {
	v := variant{ord: second}
	h := &Hessian{matrix: matrix{Plan: pl, pattern: p}}
	e := entries{rows: pl.inputs, symmetric: true}
	var vars [][]int32
	for k, c := range pl.code(v) {
		vars = pl.shapes[k].columns(vars)
		for _, r := range c.entries {
			e.add(vars[r.a], vars[r.b])
		}
	}
	e.sort()
	var image []int32
	if p == nil {
		ptr, idx := e.compress(pl.inputs)
		ptr, idx = e.mirror(ptr, idx)
		h.pattern = sparsity.NewPattern(pl.inputs, pl.inputs, ptr, idx)
		image = images(h.pattern)
	} else {
		if p.IsSymmetric() {
			image = images(p)
		} else if !isLower(p) {
			panic("terms: pattern neither symmetric nor a lower triangle")
		}
		e.locate(p)
	}
	low, up := h.place(&e, v, image)
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

// columns is the local variables of all terms, in the memory of x.
func (s *shape) columns(x [][]int32) [][]int32 {
	for len(x) < len(s.vars) {
		x = append(x, nil)
	}
	for j := range s.vars {
		x[j] = s.vars[j].expand(x[j][:0])
	}
	return x
}

// entries are positions in a matrix, entry of the terms by entry. Sorted by
// rows they lie in buckets; of a symmetric matrix they are the lower half.
type entries struct {
	rows      int
	symmetric bool
	at        [][]int32 // position by position: the row, then the bucket's place
	cols      []int32   // position by position, then by bucket, then their places
	start     []int32   // of the buckets
	to        []int32   // where places are to go at last, if not nil
}

// add appends the positions (i[t], j[t]).
func (e *entries) add(i, j []int32) {
	if e.start == nil {
		e.start = make([]int32, e.rows+1)
	}
	at := make([]int32, len(i))
	for t, r := range i {
		c := j[t]
		if e.symmetric && r < c {
			r, c = c, r
		}
		at[t] = r
		e.cols = append(e.cols, c)
		e.start[r+1]++
	}
	e.at = append(e.at, at)
}

// sort puts the positions into buckets.
func (e *entries) sort() {
	if e.start == nil {
		e.start = make([]int32, e.rows+1)
	}
	for r := range e.rows {
		e.start[r+1] += e.start[r]
	}
	next := slices.Clone(e.start[:e.rows])
	cols := make([]int32, len(e.cols))
	from := e.cols
	for _, at := range e.at {
		for t, r := range at {
			k := next[r]
			next[r]++
			cols[k] = from[t]
			at[t] = k
		}
		from = from[len(at):]
	}
	e.cols = cols
}

// compress makes a pattern of the positions, and places of the columns.
func (e *entries) compress(cols int) (ptr, idx []int32) {
	ptr = make([]int32, e.rows+1)
	idx = make([]int32, 0, len(e.cols))
	seen := make([]int32, cols)
	place := make([]int32, cols)
	for r := range e.rows {
		bucket := e.cols[e.start[r]:e.start[r+1]]
		lo := len(idx)
		for _, c := range bucket {
			if seen[c] != int32(r)+1 {
				seen[c] = int32(r) + 1
				idx = append(idx, c)
			}
		}
		slices.Sort(idx[lo:])
		for k, c := range idx[lo:] {
			place[c] = int32(lo + k)
		}
		for k, c := range bucket {
			bucket[k] = place[c]
		}
		ptr[r+1] = int32(len(idx))
	}
	return ptr, slices.Clip(idx)
}

// locate makes places in p of the columns.
func (e *entries) locate(p *sparsity.Pattern) {
	_, cols := p.Dims()
	place := make([]int32, cols)
	seen := make([]int32, cols)
	for r := range e.rows {
		for k, c := range p.Row(r) {
			seen[c] = int32(r) + 1
			place[c] = p.RowPtr()[r] + int32(k)
		}
		bucket := e.cols[e.start[r]:e.start[r+1]]
		for k, c := range bucket {
			if seen[c] != int32(r)+1 {
				panic("terms: the pattern lacks an entry of the terms")
			}
			bucket[k] = place[c]
		}
	}
}

// mirror makes a symmetric pattern of its lower half.
func (e *entries) mirror(ptr, idx []int32) (fptr, fidx []int32) {
	n := e.rows
	fptr = make([]int32, n+1)
	for r := range n {
		fptr[r+1] += ptr[r+1] - ptr[r]
		for _, c := range idx[ptr[r]:ptr[r+1]] {
			if int(c) < r {
				fptr[c+1]++
			}
		}
	}
	for r := range n {
		fptr[r+1] += fptr[r]
	}
	fidx = make([]int32, fptr[n])
	next := make([]int32, n)
	e.to = make([]int32, len(idx))
	for r := range n {
		k := fptr[r]
		for at := ptr[r]; at < ptr[r+1]; at++ {
			fidx[k] = idx[at]
			e.to[at] = k
			k++
		}
		next[r] = k
	}
	for r := range int32(n) {
		for _, c := range idx[ptr[r]:ptr[r+1]] {
			if c < r {
				fidx[next[c]] = r
				next[c]++
			}
		}
	}
	return fptr, fidx
}

// images is the place of the mirror image of each place of a symmetric pattern.
func images(p *sparsity.Pattern) []int32 {
	ptr := p.RowPtr()
	next := slices.Clone(ptr)
	image := make([]int32, p.NNZ())
	n, _ := p.Dims()
	k := 0
	for r := range n {
		for _, c := range p.Row(r) {
			image[k] = next[c]
			next[c]++
			k++
		}
	}
	return image
}

// place makes the lists of places, and finds when what is done. Of a symmetric
// matrix image is the place of each mirror image; low and up are the places of
// entries below the diagonal and their images.
func (m *matrix) place(e *entries, v variant, image []int32) (low, up []int32) {
	m.places = make([][]list, len(m.shapes))
	m.pace = newPace(m.pattern.NNZ())
	rows, group := e.at, int32(0)
	for k, c := range m.code(v) {
		for range c.entries {
			x := rows[0]
			rows = rows[1:]
			for t, b := range x {
				at := e.cols[b]
				if e.to != nil {
					at = e.to[at]
				}
				x[t] = at
				m.touch(at, group+int32(t/lanes))
				if image != nil && image[at] >= 0 && image[at] != at {
					low, up = append(low, at), append(up, image[at])
					image[at] = -1
				}
			}
			m.places[k] = append(m.places[k], newList(x))
		}
		group += int32(m.shapes[k].blocks())
	}
	m.pace.finish(int(group), low, up)
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
