package sparsity

import (
	"iter"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/bucket"
)

// Pattern is the set of positions of a rows×cols matrix that may be nonzero,
// in compressed sparse rows: sorted columns, none twice. It is immutable, so
// any number of goroutines may read one. The zero value is the 0×0 pattern.
type Pattern struct {
	rows, cols int
	ptr        []int32 // len rows+1, or nil for 0×0; see RowPtr
	idx        []int32
}

// NewPattern returns the rows×cols pattern whose row i holds the columns
// idx[ptr[i]:ptr[i+1]]. It takes ownership of both slices.
//
// It panics if a dimension is negative, if ptr is not rows+1 non-decreasing
// numbers from 0 to len(idx), or if a row is not strictly increasing within
// [0, cols). The cost is O(rows + nnz).
func NewPattern(rows, cols int, ptr, idx []int32) *Pattern {
	checkDims(rows, cols)
	if len(ptr) != rows+1 || ptr[0] != 0 || int(ptr[rows]) != len(idx) {
		panic("sparsity: row pointers do not fit")
	}
	for i := range rows {
		if ptr[i] > ptr[i+1] {
			panic("sparsity: row pointers decrease")
		}
	}
	for i := range rows {
		last := int32(-1)
		for _, j := range idx[ptr[i]:ptr[i+1]] {
			if j <= last {
				panic("sparsity: row not strictly increasing")
			}
			last = j
		}
		if int(last) >= cols {
			panic("sparsity: column out of range")
		}
	}
	return &Pattern{rows, cols, ptr, idx}
}

// FromCoordinates returns the rows×cols pattern of the positions (i[k], j[k]),
// which may come in any order and more than once.
//
// It panics if i and j differ in length or a position is out of range. The
// cost is O(rows + cols + len(i)), two counting sorts.
func FromCoordinates(rows, cols int, i, j []int) *Pattern {
	return fromCoordinates(rows, cols, i, j)
}

func fromCoordinates[T int | int32](rows, cols int, i, j []T) *Pattern {
	checkDims(rows, cols)
	if len(i) != len(j) {
		panic("sparsity: coordinate lengths differ")
	}
	checkCount(len(i))
	// Columns first, rows second: the second sort is stable, so rows come out
	// with their columns in order and duplicates side by side.
	colPtr := make([]int32, cols+1)
	ptr := make([]int32, rows+1)
	for k, c := range j {
		r := i[k]
		if uint(c) >= uint(cols) || uint(r) >= uint(rows) {
			panic("sparsity: coordinate out of range")
		}
		colPtr[c+1]++
		ptr[r+1]++
	}
	bucket.Cumulate(colPtr)
	bucket.Cumulate(ptr)
	byCol := make([]int32, len(i))
	for k, c := range j {
		byCol[colPtr[c]] = int32(i[k])
		colPtr[c]++ // becomes the start of column c+1
	}
	idx := make([]int32, len(i))
	next := slices.Clone(ptr[:rows])
	k := int32(0)
	for c := range int32(cols) {
		for ; k < colPtr[c]; k++ {
			r := byCol[k]
			if next[r] > ptr[r] && idx[next[r]-1] == c {
				continue
			}
			idx[next[r]] = c
			next[r]++
		}
	}
	// Close the gaps that duplicates left.
	n := int32(0)
	for r := range rows {
		lo := ptr[r]
		ptr[r] = n
		n += int32(copy(idx[n:], idx[lo:next[r]]))
	}
	ptr[rows] = n
	if int(n) < len(idx)/2 {
		idx = slices.Clone(idx[:n])
	}
	return &Pattern{rows, cols, ptr, idx[:n:n]}
}

// checkDims panics unless both dimensions fit an int32 index.
func checkDims(rows, cols int) {
	if rows < 0 || cols < 0 {
		panic("sparsity: negative dimension")
	}
	if rows >= math.MaxInt32 || cols >= math.MaxInt32 {
		panic("sparsity: dimension too large")
	}
}

// checkCount panics if n entries cannot be numbered by an int32.
func checkCount(n int) {
	if n > math.MaxInt32 {
		panic("sparsity: too many nonzeros")
	}
}

// Dims returns the number of rows and of columns. It panics if p is nil, as all
// that takes a pattern does.
func (p *Pattern) Dims() (rows, cols int) {
	if p == nil {
		panic("sparsity: nil pattern")
	}
	return p.rows, p.cols
}

// NNZ returns the number of positions in the pattern.
func (p *Pattern) NNZ() int { return len(p.idx) }

// Row returns the columns of row i in increasing order: a view of the
// pattern, not to be written. It panics if i is out of range.
func (p *Pattern) Row(i int) []int32 {
	if uint(i) >= uint(p.rows) {
		panic("sparsity: row out of range")
	}
	lo, hi := p.ptr[i], p.ptr[i+1]
	return p.idx[lo:hi:hi]
}

// All yields the positions (i, j) in CSR order.
func (p *Pattern) All() iter.Seq2[int, int] {
	return func(yield func(i, j int) bool) {
		for i := range p.rows {
			for _, j := range p.Row(i) {
				if !yield(i, int(j)) {
					return
				}
			}
		}
	}
}

// RowPtr returns the row pointers: row i holds the positions RowPtr()[i] up to
// RowPtr()[i+1] in CSR order. It is a view of the pattern, not to be written.
func (p *Pattern) RowPtr() []int32 {
	if p.ptr == nil {
		return []int32{0}
	}
	return p.ptr
}

// Has reports whether (i, j) is in the pattern. It panics if the position is
// outside of the matrix. The cost is O(log of the row's length).
func (p *Pattern) Has(i, j int) bool { return p.Position(i, j) >= 0 }

// Position returns the place of (i, j) in CSR order, −1 if it is not in the
// pattern. It panics if the position is outside of the matrix. The cost is
// O(log of the row's length).
func (p *Pattern) Position(i, j int) int {
	row := p.Row(i)
	if uint(j) >= uint(p.cols) {
		panic("sparsity: column out of range")
	}
	k, ok := slices.BinarySearch(row, int32(j))
	if !ok {
		return -1
	}
	return int(p.ptr[i]) + k
}

// Transpose returns the pattern of the transposed matrix. The cost is
// O(rows + cols + nnz).
func (p *Pattern) Transpose() *Pattern {
	t := &Pattern{p.cols, p.rows, make([]int32, p.cols+1), make([]int32, len(p.idx))}
	for _, j := range p.idx {
		t.ptr[j+1]++
	}
	bucket.Cumulate(t.ptr)
	next := slices.Clone(t.ptr[:p.cols])
	for i := range p.rows {
		for _, j := range p.Row(i) {
			t.idx[next[j]] = int32(i)
			next[j]++
		}
	}
	return t
}

// IsSymmetric reports whether the pattern is square and equal to its
// transpose. The cost is O(rows + nnz), O(1) for a full pattern.
func (p *Pattern) IsSymmetric() bool {
	if p.rows != p.cols {
		return false
	}
	if int64(len(p.idx)) == int64(p.rows)*int64(p.cols) {
		return true
	}
	// next[j] is the place of the first entry of row j above the diagonal that has
	// not met its mirror image: row by row, the images come in that order.
	next := make([]int32, p.rows)
	for i := range int32(p.rows) {
		k, hi := p.ptr[i], p.ptr[i+1]
		for ; k < hi && p.idx[k] < i; k++ {
			j := p.idx[k]
			at := next[j]
			if at == p.ptr[j+1] || p.idx[at] != i {
				return false
			}
			next[j] = at + 1
		}
		if k < hi && p.idx[k] == i {
			k++
		}
		next[i] = k
	}
	return slices.Equal(next, p.ptr[1:])
}

// Equal reports whether q has the same dimensions and positions.
func (p *Pattern) Equal(q *Pattern) bool {
	return p.sameDims(q) && (p == q || slices.Equal(p.RowPtr(), q.RowPtr()) && slices.Equal(p.idx, q.idx))
}

// sameDims reports whether p and q have the same dimensions.
func (p *Pattern) sameDims(q *Pattern) bool {
	pr, pc := p.Dims()
	qr, qc := q.Dims()
	return pr == qr && pc == qc
}
