package terms

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/sparsity"
)

// matrix is a pattern and where the entries of the shapes lie in it. Its values are
// cleared when the first block adds to them and mirrored when the last has, while they
// are in the cache: measured at 10⁶ variables, to clear first and to mirror last takes
// half as long again.
type matrix struct {
	*Plan
	code.Pages
	images
	pattern   *sparsity.Pattern
	places    [][]code.Index            // by shape and entry
	invariant [2]atomic.Pointer[values] // plain and safe; nil until first needed

	// Of a plan that is one whole term: the entry at each place, and the register at
	// each place in the code of a variant.
	entry  []int32
	picked [4]struct {
		once sync.Once
		at   []uint16
	}
}

// values is the sum of what is the same in all evaluations; x nil is 0.
type values struct {
	x     []float64
	total float64 // finite only if all of it is
}

// images are the pairs of places of a symmetric matrix that have the same value.
type images struct {
	low, up code.Index // below the diagonal and above
	begun   []int32    // by group: the first block that adds to one of its pages
	// Block k is the last to add to what is in the groups pairs[starts[k]:starts[k+1]],
	// of code.Lanes pairs each.
	pairs, starts []int32
}

// registers is the register of each place of the matrix in the code c of a variant.
func (m *matrix) registers(c *scalarKernel, v variant) []uint16 {
	p := &m.picked[number(v)/2%4]
	p.once.Do(func() {
		p.at = make([]uint16, len(m.entry))
		for k, e := range m.entry {
			p.at[k] = c.entries[e]
		}
	})
	return p.at
}

// Pattern is the pattern of the matrix.
func (m *matrix) Pattern() *sparsity.Pattern { return m.pattern }

// Bytes is the memory that the plan of the matrix takes beside its pattern.
func (m *matrix) Bytes() int {
	n := m.Pages.Bytes() + 4*(len(m.pairs)+len(m.starts)+len(m.begun)+len(m.entry)) + m.low.Bytes() + m.up.Bytes()
	for _, x := range m.places {
		n += bytesOf(x)
	}
	for k := range m.invariant {
		if b := m.invariant[k].Load(); b != nil {
			n += 8 * len(b.x)
		}
	}
	return n
}

func (m *matrix) cost(v variant) cost.Counts {
	n := m.Plan.cost(v)
	n[cost.Entry] += float64(m.pattern.NNZ())
	return n
}

// invariants is the sum of what is the same in all evaluations of a variant, found when
// it is first needed: by several goroutines at once, if it so happens, and again where a
// primitive panicked.
func (m *matrix) invariants(v variant) *values {
	at := &m.invariant[0]
	if v.Safe {
		at = &m.invariant[1]
	}
	if b := at.Load(); b != nil {
		return b
	}
	b := new(values)
	e := m.evaluator()
	e.Total = 0
	for k, c := range m.code(v).kernels {
		c, ok := c.(*vectorKernel)
		if !ok || c.invariant == nil {
			continue
		}
		if b.x == nil {
			b.x = make([]float64, m.pattern.NNZ())
		}
		s, c := m.shapes[k], &vectorKernel{Vector: c.invariant}
		e.begin(c, s, k, &arrays{values: b.x, matrix: m})
		for j := range s.blocks() {
			e.block(c, s, j)
		}
	}
	b.total = e.Total
	m.evaluators.Put(e)
	at.Store(b)
	return b
}

// end mirrors what block k was the last to add to, if no block before first did.
func (m *matrix) end(k, first int, values []float64) {
	for _, j := range m.pairs[m.starts[k]:m.starts[k+1]] {
		if int(m.begun[j]) >= first {
			m.mirror(int(j), values)
		}
	}
}

// endOthers mirrors what end left out for the blocks first … hi−1.
func (m *matrix) endOthers(first, hi int, values []float64) {
	for _, j := range m.pairs[m.starts[first]:m.starts[hi]] {
		if int(m.begun[j]) < first {
			m.mirror(int(j), values)
		}
	}
}

// mirror copies a group of pairs.
func (m *matrix) mirror(group int, values []float64) {
	lo := group * code.Lanes
	m.low.CopyTo(&m.up, values, lo, min(code.Lanes, m.low.Len()-lo))
}

// Jacobian is the plan of a sparse Jacobian. It is immutable.
type Jacobian struct{ matrix }

// JacobianPattern is the pattern that the terms have.
func (pl *Plan) JacobianPattern() *sparsity.Pattern {
	v := variant{Derivative: expr.Jacobian}
	r := room(pl.patternRoom(v))
	defer leave(r)
	ptr, idx := pl.pattern(v, *r)
	return sparsity.NewPattern(pl.outputs, pl.inputs, slices.Clone(ptr), slices.Clone(idx))
}

// Jacobian plans the Jacobian in a pattern; nil is the one that the terms have.
// It panics if a place is missing. Cost: O(n + E) for E entries of all terms.
func (pl *Plan) Jacobian(p *sparsity.Pattern) *Jacobian {
	if p == nil {
		p = pl.JacobianPattern()
	}
	j := &Jacobian{matrix{Plan: pl, pattern: p}}
	j.place(variant{Derivative: expr.Jacobian}, false)
	return j
}

// Cost counts what Eval does.
func (j *Jacobian) Cost() cost.Counts { return j.cost(variant{Derivative: expr.Jacobian}) }

// Explain says which shapes there are.
func (j *Jacobian) Explain() string { return j.explain(variant{Derivative: expr.Jacobian}) }

// Eval computes the outputs y, nil if they are not wanted, and the values.
func (j *Jacobian) Eval(values, y, x, params []float64) {
	j.EvalParallel(1, values, y, x, params)
}

// EvalParallel is Eval by several goroutines, to the same bits. It allocates
// a few objects a goroutine.
func (j *Jacobian) EvalParallel(workers int, values, y, x, params []float64) {
	a := arrays{x: x, params: params, y: y, values: values, matrix: &j.matrix, workers: workers}
	j.eval(variant{Derivative: expr.Jacobian}, &a)
}

// Hessian is the plan of the sparse Hessian of a weighted sum of the outputs. It
// is immutable.
type Hessian struct{ matrix }

// HessianPattern is the symmetric pattern that the terms have.
func (pl *Plan) HessianPattern() *sparsity.Pattern {
	v := variant{Derivative: expr.Hessian}
	r := room(pl.patternRoom(v))
	defer leave(r)
	ptr, idx := mirrored(pl.pattern(v, *r))
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
	h.place(variant{Derivative: expr.Hessian}, !isLower(p))
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

// Cost counts what Eval does.
func (h *Hessian) Cost() cost.Counts { return h.cost(variant{Derivative: expr.Hessian}) }

// Explain says which shapes there are.
func (h *Hessian) Explain() string { return h.explain(variant{Derivative: expr.Hessian}) }

// Eval computes the outputs y and the gradient g of Σ wⱼyⱼ, nil if they are not
// wanted, and the values of its Hessian; w nil is all 1.
func (h *Hessian) Eval(values, y, g, x, params, w []float64) {
	h.EvalParallel(1, values, y, g, x, params, w)
}

// EvalParallel is Eval by several goroutines, to the same bits. It allocates
// a few objects a goroutine.
func (h *Hessian) EvalParallel(workers int, values, y, g, x, params, w []float64) {
	a := arrays{x: x, params: params, w: w, y: y, g: g, values: values, matrix: &h.matrix, workers: workers}
	h.eval(variant{Derivative: expr.Hessian, Weighted: w != nil}, &a)
}

// position is where an entry of the terms lies: that of term t in row i and column j
// of t, of a symmetric matrix in the lower half of that.
type position struct{ i, j *code.Index }

// positions are those of the entries of shape k.
func (pl *Plan) positions(k int, v variant) []position {
	var entries []expr.Output
	if c := pl.code(v); pl.whole {
		entries = c.scalar.matrix
	} else {
		entries = c.kernels[k].entries()
	}
	z := make([]position, len(entries))
	for e, o := range entries {
		z[e].i, z[e].j = pl.shapes[k].places(o)
	}
	return z
}

// uniform reports whether all terms have one position.
func (p position) uniform() bool { return p.i.Uniform() && p.j.Uniform() }

// count is how many entries are handed out by blocks.
func (p position) count() int {
	if p.uniform() {
		return 1
	}
	return p.i.Len()
}

// blocks calls do with the rows and columns of each block of terms, which may be in
// buf, and the number of the block. If there is only one position it is handed out
// once.
func (p position) blocks(buf *[2][code.Lanes]int32, do func(block int, i, j []int32)) {
	if p.uniform() {
		buf[0][0], buf[1][0] = p.i.First(), p.j.First()
		do(0, buf[0][:1], buf[1][:1])
		return
	}
	for lo := 0; lo < p.i.Len(); lo += code.Lanes {
		do(lo/code.Lanes, p.i.Block(&buf[0], lo), p.j.Block(&buf[1], lo))
	}
}

// eachPosition calls do with the rows and columns of the entries of all terms, block by
// block.
func (pl *Plan) eachPosition(v variant, do func(i, j []int32)) {
	buf := new([2][code.Lanes]int32)
	for k := range pl.shapes {
		for _, p := range pl.positions(k, v) {
			p.blocks(buf, func(_ int, i, j []int32) { do(i, j) })
		}
	}
}

// rows is how many rows the matrix of a variant has.
func (pl *Plan) rows(v variant) int {
	if v.Derivative == expr.Hessian {
		return pl.inputs
	}
	return pl.outputs
}

// patternRoom is how many numbers of memory pattern needs: two for rows beside their own,
// the entries of all terms, and a mark of each column.
func (pl *Plan) patternRoom(v variant) int {
	entries := 0
	for k := range pl.shapes {
		for _, p := range pl.positions(k, v) {
			entries += p.count()
		}
	}
	checkEntries(entries)
	return pl.rows(v) + 2 + pl.inputs + entries
}

// pattern is the rows of the matrix of a variant, the lower half if it is
// symmetric, in the memory x, of which there is as much as patternRoom says.
func (pl *Plan) pattern(v variant, x []int32) (ptr, idx []int32) {
	rows, symmetric := pl.rows(v), v.Derivative == expr.Hessian
	ptr, seen, idx := x[:rows+2], x[rows+2:][:pl.inputs], x[rows+2+pl.inputs:]
	clear(ptr)
	clear(seen)
	// First the columns of all entries, row by row: ptr is as in bucket.Rows, without
	// whose calls for each entry this takes half the time.
	pl.eachPosition(v, func(i, j []int32) {
		for t, r := range i {
			if symmetric {
				r = max(r, j[t])
			}
			ptr[r+2]++
		}
	})
	bucket.Cumulate(ptr)
	pl.eachPosition(v, func(i, j []int32) {
		for t, r := range i {
			c := j[t]
			if symmetric && r < c {
				r, c = c, r
			}
			idx[ptr[r+1]] = c
			ptr[r+1]++
		}
	})
	// Then each column once, in order.
	lo, n := int32(0), int32(0)
	for r := range int32(rows) {
		begin, hi, last, sorted := n, ptr[r+1], int32(-1), true
		for _, c := range idx[lo:hi] {
			if seen[c] != r+1 {
				seen[c] = r + 1
				idx[n] = c
				n++
				sorted = sorted && last < c
				last = c
			}
		}
		if !sorted {
			slices.Sort(idx[begin:n])
		}
		lo, ptr[r+1] = hi, n
	}
	return ptr[:rows+1], idx[:n]
}

// checkEntries panics if there are more entries than int32s can count.
func checkEntries(n int) {
	if n > math.MaxInt32 {
		panic("terms: more than 2³¹ entries")
	}
}

// mirrored is the rows of a symmetric pattern, given its lower half.
func mirrored(ptr, idx []int32) (fptr, fidx []int32) {
	n := len(ptr) - 1
	checkEntries(2 * len(idx))
	fptr = make([]int32, n+2)     // as in bucket.Rows
	left := func(r int) []int32 { // of the diagonal
		row := idx[ptr[r]:ptr[r+1]]
		if k := len(row) - 1; k >= 0 && int(row[k]) == r {
			row = row[:k]
		}
		return row
	}
	for r := range n {
		fptr[r+2] += ptr[r+1] - ptr[r]
		for _, c := range left(r) {
			fptr[c+2]++
		}
	}
	bucket.Cumulate(fptr)
	fidx = make([]int32, fptr[n+1])
	for r := range n { // what is left of the diagonal of a row comes before what is right
		fptr[r+1] += int32(copy(fidx[fptr[r+1]:], idx[ptr[r]:ptr[r+1]]))
		for _, c := range left(r) {
			fidx[fptr[c+1]] = int32(r)
			fptr[c+1]++
		}
	}
	return fptr[:n+1], fidx
}

// finder finds places in a pattern. Often they have the same distance from the
// beginning of the row as the last one.
type finder struct {
	*sparsity.Pattern
	half     half
	partial  bool // an entry that is not there has the place behind the last one
	distance int32
}

// half is that of a symmetric pattern where entries are looked for.
type half uint8

const (
	both half = iota // it is no symmetric one, or they are as they are
	lower
	upper
)

// places sets at to the places of the entries in the rows i and the columns j.
func (f *finder) places(at, i, j []int32) []int32 {
	ptr, k := f.RowPtr(), f.distance
	for t, r := range i {
		c := j[t]
		if f.half == lower && r < c || f.half == upper && r > c {
			r, c = c, r
		}
		row := f.Row(int(r))
		if int(k) >= len(row) || row[k] != c {
			j, ok := slices.BinarySearch(row, c)
			if k = int32(j); !ok {
				if !f.partial {
					panic("terms: the pattern lacks an entry of the terms")
				}
				at[t] = int32(f.NNZ())
				continue
			}
		}
		at[t] = ptr[r] + k
	}
	f.distance = k
	return at[:len(i)]
}

// place makes the lists of places, and finds when they are cleared and mirrored, in a
// symmetric pattern or another one.
func (m *matrix) place(v variant, symmetric bool) {
	m.places = make([][]code.Index, len(m.shapes))
	m.Pages = code.NewPages(m.pattern.NNZ())
	entry := finder{Pattern: m.pattern}
	if v.Derivative == expr.Hessian {
		entry.half = lower
	}
	pairs := mirror{Pages: &m.Pages, finder: finder{Pattern: m.pattern, half: upper}}
	if symmetric {
		r := room(m.pattern.NNZ())
		defer leave(r)
		pairs.begin(*r)
	}
	begin, buf := 0, new([4][code.Lanes]int32)
	for k, s := range m.shapes {
		for _, p := range m.positions(k, v) {
			list := code.Builder{Most: p.count()}
			p.blocks((*[2][code.Lanes]int32)(buf[:2]), func(block int, i, j []int32) {
				at := entry.places(buf[2][:], i, j)
				for _, at := range at {
					list.Append(at)
				}
				if p.i == p.j || !symmetric { // on the diagonal
					return
				}
				last := block
				if p.uniform() {
					last = s.blocks() - 1
				}
				pairs.add(at, pairs.places(buf[3][:], i, j), begin+block, begin+last)
			})
			l := list.Index()
			if p.uniform() {
				l = code.OnePlace(l.First(), s.terms)
			}
			m.TouchList(&l, begin)
			m.places[k] = append(m.places[k], l)
		}
		begin += s.blocks()
	}
	m.Finish(begin)
	m.images = pairs.images(begin)
	if m.whole {
		m.findEntries()
	}
}

// mirror gathers the pairs of places that have the same value: none unless it begins.
type mirror struct {
	*code.Pages
	finder
	low, up code.Builder
	ended   []int32 // at a place below the diagonal: 1 + the last block that adds to it
}

// begin has memory for a number at each place.
func (z *mirror) begin(ended []int32) {
	clear(ended)
	z.ended = ended
	z.low.Most, z.up.Most = len(ended)/2, len(ended)/2
}

// add notes that terms are added to the places low, from a block on, as the first of them,
// to the last one; up are the images.
func (z *mirror) add(low, up []int32, block, last int) {
	for t, at := range low {
		if at == up[t] {
			continue // on the diagonal
		}
		if z.ended[at] == 0 {
			z.low.Append(at)
			z.up.Append(up[t])
			z.Touch(up[t], int32(block)) // not to be cleared when it is set
		}
		z.ended[at] = max(z.ended[at], int32(last)+1)
	}
}

// images are the pairs, when all of so many blocks have been added.
func (z *mirror) images(blocks int) images {
	low, up := z.low.Index(), z.up.Index()
	groups := (low.Len() + code.Lanes - 1) / code.Lanes
	ready, begun := make([]int32, groups), make([]int32, groups)
	buf := new([2][code.Lanes]int32)
	for g := range groups {
		first, end := int32(blocks), int32(0)
		others := up.Block(&buf[1], g*code.Lanes)
		for k, at := range low.Block(&buf[0], g*code.Lanes) {
			end = max(end, z.ended[at])
			first = min(first, z.First(at), z.First(others[k]))
		}
		ready[g], begun[g] = end-1, first
	}
	x := images{low: low, up: up, begun: begun}
	x.pairs, x.starts = bucket.Sort(ready, max(blocks, 1))
	return x
}

// findEntries finds the entry at each place, or the number of entries where there is
// none.
func (m *matrix) findEntries() {
	places := m.places[0]
	m.entry = slices.Repeat([]int32{int32(len(places))}, m.pattern.NNZ())
	for k := range places {
		m.entry[places[k].First()] = int32(k)
	}
	low := m.low.Places()
	for k, i := range m.up.Places() {
		m.entry[i] = m.entry[low[k]]
	}
}
