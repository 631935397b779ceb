package sparsity

import (
	"slices"
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/mat"
)

// Matrix is a sparse matrix: a Pattern with a value for each of its positions,
// in compressed sparse rows. Positions outside of the pattern are 0, the ones
// inside may be.
//
// Reading it is safe for concurrent use, as with any slice of values.
type Matrix struct {
	pattern *Pattern
	values  []float64
}

var (
	_ mat.Matrix         = (*Matrix)(nil)
	_ mat.NonZeroDoer    = (*Matrix)(nil)
	_ mat.RowNonZeroDoer = (*Matrix)(nil)
)

// NewMatrix returns the zero matrix with the pattern p. It panics if p is nil.
func NewMatrix(p *Pattern) *Matrix {
	if p == nil {
		panic("sparsity: nil pattern")
	}
	return &Matrix{p, make([]float64, p.NNZ())}
}

// Pattern returns the pattern of the matrix.
func (m *Matrix) Pattern() *Pattern { return m.pattern }

// Values returns the values in CSR order, place k belonging to the position
// with Pattern().Position(i, j) == k. The slice is shared: writing to it
// changes the matrix.
func (m *Matrix) Values() []float64 { return m.values }

// Dims returns the number of rows and of columns.
func (m *Matrix) Dims() (rows, cols int) {
	if m == nil {
		panic("sparsity: nil matrix")
	}
	return m.pattern.Dims()
}

// NNZ returns the number of stored values, zeros among them included.
func (m *Matrix) NNZ() int { return len(m.values) }

// At returns the element (i, j). It panics if the position is outside of the
// matrix. The cost is O(log of the row's length).
func (m *Matrix) At(i, j int) float64 {
	if k := m.pattern.Position(i, j); k >= 0 {
		return m.values[k]
	}
	return 0
}

// T returns the transpose as a view.
func (m *Matrix) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// DoNonZero calls fn for each nonzero element, in CSR order.
func (m *Matrix) DoNonZero(fn func(i, j int, v float64)) {
	for i := range m.pattern.rows {
		m.DoRowNonZero(i, fn)
	}
}

// DoRowNonZero calls fn for each nonzero element of row i, by increasing
// column. It panics if i is out of range.
func (m *Matrix) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	row := m.pattern.Row(i)
	values := m.values[m.pattern.ptr[i]:]
	for k, j := range row {
		if v := values[k]; v != 0 {
			fn(i, int(j), v)
		}
	}
}

// MulVecTo stores A·x in dst, or Aᵀ·x if trans. An empty dst is given its
// length. dst may be x. It panics if lengths do not fit. Sums are formed by
// increasing column, or row if trans.
//
// The cost is O(rows + nnz). Nothing is allocated; where dst and x overlap or
// either is not contiguous, a pool lends working memory.
func (m *Matrix) MulVecTo(dst *mat.VecDense, trans bool, x mat.Vector) {
	rows, cols := m.Dims()
	if trans {
		mulVecTo(dst, cols, x, rows, m.addTransMul)
	} else {
		mulVecTo(dst, rows, x, cols, m.addMul)
	}
}

// addMul adds A·x to y.
func (m *Matrix) addMul(y, x []float64) {
	ptr, idx := m.pattern.ptr, m.pattern.idx
	for i := range y {
		row := idx[ptr[i]:ptr[i+1]]
		values := m.values[ptr[i]:][:len(row)]
		sum := y[i]
		for k, j := range row {
			sum += float64(values[k] * x[j])
		}
		y[i] = sum
	}
}

// addTransMul adds Aᵀ·x to y.
func (m *Matrix) addTransMul(y, x []float64) {
	ptr, idx := m.pattern.ptr, m.pattern.idx
	for i, xi := range x {
		row := idx[ptr[i]:ptr[i+1]]
		values := m.values[ptr[i]:][:len(row)]
		for k, j := range row {
			y[j] += float64(values[k] * xi)
		}
	}
}

// mulVecTo checks shapes, clears dst and calls addMul(y, x) on plain slices
// that do not overlap, by way of copies if it must.
func mulVecTo(dst *mat.VecDense, rows int, x mat.Vector, cols int, addMul func(y, x []float64)) {
	if x.Len() != cols {
		panic("sparsity: length of x does not fit")
	}
	if dst.IsEmpty() && rows > 0 {
		dst.ReuseAsVec(rows)
	}
	if dst.Len() != rows {
		panic("sparsity: length of dst does not fit")
	}
	y, plain := contiguous(dst)
	if !plain {
		w := workspace(rows)
		defer pool.Put(w)
		y = *w
	}
	in, plain := contiguous(x)
	if !plain || overlap(y, in) {
		w := workspace(cols)
		defer pool.Put(w)
		in = *w
		for j := range in {
			in[j] = x.AtVec(j)
		}
	}
	clear(y)
	addMul(y, in)
	if raw := dst.RawVector(); raw.Inc != 1 {
		for i, v := range y {
			raw.Data[i*raw.Inc] = v
		}
	}
}

// contiguous returns the elements of x as a slice where they lie side by side.
func contiguous(x mat.Vector) ([]float64, bool) {
	r, ok := x.(mat.RawVectorer)
	if !ok {
		return nil, false
	}
	raw := r.RawVector()
	if raw.Inc != 1 {
		return nil, false
	}
	return raw.Data[:raw.N], true
}

func overlap(a, b []float64) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	first := func(s []float64) uintptr { return uintptr(unsafe.Pointer(&s[0])) }
	last := func(s []float64) uintptr { return uintptr(unsafe.Pointer(&s[len(s)-1])) }
	return first(a) <= last(b) && first(b) <= last(a)
}

var pool = sync.Pool{New: func() any { return new([]float64) }}

func workspace(n int) *[]float64 {
	w := pool.Get().(*[]float64)
	*w = slices.Grow((*w)[:0], n)[:n]
	return w
}

// ToDense stores the matrix in dst and returns it; nil allocates, an empty
// dst is given its shape. It panics if the shape of dst does not fit. As gonum
// has no 0×n matrix, a matrix without rows or columns becomes the empty one.
func (m *Matrix) ToDense(dst *mat.Dense) *mat.Dense {
	rows, cols := m.Dims()
	if dst == nil {
		dst = new(mat.Dense)
	}
	if dst.IsEmpty() {
		if rows == 0 || cols == 0 {
			return dst
		}
		dst.ReuseAs(rows, cols)
	}
	if r, c := dst.Dims(); r != rows || c != cols {
		panic("sparsity: shape of dst does not fit")
	}
	raw := dst.RawMatrix()
	for i := range rows {
		line := raw.Data[i*raw.Stride:][:cols]
		clear(line)
		values := m.values[m.pattern.ptr[i]:]
		for k, j := range m.pattern.Row(i) {
			line[j] = values[k]
		}
	}
	return dst
}

// ToSymDense stores the symmetric matrix in dst and returns it; nil allocates,
// an empty dst is given its size. Where values of the two triangles differ, as
// by rounding, the result holds their mean ½(A + Aᵀ).
//
// It panics, with dst unchanged, if the pattern is not symmetric or the size
// of dst does not fit. For a matrix of which only one triangle is stored see
// SymMatrix.
func (m *Matrix) ToSymDense(dst *mat.SymDense) *mat.SymDense {
	if !m.pattern.IsSymmetric() {
		panic("sparsity: pattern not symmetric")
	}
	n := m.pattern.rows
	dst = symDense(dst, n)
	// Upwards through the rows, the positions (j, i) of each row j come in
	// order: next[j] is the place of the first one not met yet.
	next := slices.Clone(m.pattern.ptr[:n])
	for i := range n {
		for k := m.pattern.ptr[i]; k < m.pattern.ptr[i+1]; k++ {
			j := m.pattern.idx[k]
			a, b := m.values[k], m.values[next[j]]
			next[j]++
			if int(j) >= i {
				if a != b {
					a = a/2 + b/2 // exact
				}
				dst.SetSym(i, int(j), a)
			}
		}
	}
	return dst
}

// symDense returns dst, made if it is nil, as a zero matrix of order n.
func symDense(dst *mat.SymDense, n int) *mat.SymDense {
	if dst == nil {
		dst = new(mat.SymDense)
	}
	if dst.IsEmpty() {
		if n > 0 {
			dst.ReuseAsSym(n)
		}
		return dst
	}
	if dst.SymmetricDim() != n {
		panic("sparsity: size of dst does not fit")
	}
	dst.Zero()
	return dst
}

// Raw returns the matrix in compressed sparse rows: row i has its columns in
// ja[ia[i]:ia[i+1]] and the values beside them in data. These are the
// arguments of NewCSR in github.com/james-bowman/sparse. ia and ja are fresh,
// data is shared with the matrix.
func (m *Matrix) Raw() (rows, cols int, ia, ja []int, data []float64) {
	return m.pattern.rows, m.pattern.cols, ints(m.pattern.RowPtr()), ints(m.pattern.idx), m.values
}

// RawCSC returns the matrix in compressed sparse columns: column j has its
// rows, increasing, in ja[ia[j]:ia[j+1]] and the values beside them in data.
// These are the arguments of NewCSC in github.com/james-bowman/sparse. All
// slices are fresh. The cost is O(rows + cols + nnz).
func (m *Matrix) RawCSC() (rows, cols int, ia, ja []int, data []float64) {
	t := m.pattern.Transpose()
	data = make([]float64, len(m.values))
	next := slices.Clone(t.ptr[:t.rows])
	for k, j := range m.pattern.idx {
		data[next[j]] = m.values[k]
		next[j]++
	}
	return m.pattern.rows, m.pattern.cols, ints(t.ptr), ints(t.idx), data
}

// RawCOO returns the matrix as coordinates: data[k] stands at (i[k], j[k]), in
// CSR order. These are the arguments of NewCOO in
// github.com/james-bowman/sparse. i and j are fresh, data is shared with the
// matrix.
func (m *Matrix) RawCOO() (rows, cols int, i, j []int, data []float64) {
	i = make([]int, 0, len(m.values))
	for r := range m.pattern.rows {
		for range m.pattern.Row(r) {
			i = append(i, r)
		}
	}
	return m.pattern.rows, m.pattern.cols, i, ints(m.pattern.idx), m.values
}

func ints(a []int32) []int {
	b := make([]int, len(a))
	for k, v := range a {
		b[k] = int(v)
	}
	return b
}

// SymMatrix is a symmetric matrix of which one triangle is stored.
type SymMatrix struct {
	triangle *Matrix
	upper    bool
}

var (
	_ mat.Symmetric   = (*SymMatrix)(nil)
	_ mat.NonZeroDoer = (*SymMatrix)(nil)
)

// NewSymMatrix returns the symmetric matrix one triangle of which is given:
// values are shared, so that what is written to the triangle shows in the
// symmetric matrix. It panics if the triangle is not square or has positions
// on both sides of the diagonal, or is nil.
func NewSymMatrix(triangle *Matrix) *SymMatrix {
	triangle.Dims() // panics if it is nil
	p := triangle.pattern
	p.checkSquare()
	lower, upper := false, false
	for i := range p.rows {
		if row := p.Row(i); len(row) > 0 {
			lower = lower || int(row[0]) < i
			upper = upper || int(row[len(row)-1]) > i
		}
	}
	if lower && upper {
		panic("sparsity: positions on both sides of the diagonal")
	}
	return &SymMatrix{triangle, upper}
}

// Triangle returns the stored triangle.
func (m *SymMatrix) Triangle() *Matrix { return m.triangle }

// Dims returns the number of rows and of columns.
func (m *SymMatrix) Dims() (rows, cols int) {
	if m == nil {
		panic("sparsity: nil matrix")
	}
	return m.triangle.Dims()
}

// SymmetricDim returns the number of rows and columns.
func (m *SymMatrix) SymmetricDim() int { return m.triangle.pattern.rows }

// At returns the element (i, j). It panics if the position is outside of the
// matrix. The cost is O(log of the row's length).
func (m *SymMatrix) At(i, j int) float64 {
	if (j > i) != m.upper {
		i, j = j, i
	}
	return m.triangle.At(i, j)
}

// T returns the matrix itself.
func (m *SymMatrix) T() mat.Matrix { return m }

// NNZ returns the number of positions in both triangles.
func (m *SymMatrix) NNZ() int {
	n := 2 * m.triangle.NNZ()
	for i := range m.triangle.pattern.rows {
		if m.triangle.pattern.Has(i, i) {
			n--
		}
	}
	return n
}

// DoNonZero calls fn for each nonzero element of both triangles, an element
// and its mirror image one after the other.
func (m *SymMatrix) DoNonZero(fn func(i, j int, v float64)) {
	m.triangle.DoNonZero(func(i, j int, v float64) {
		fn(i, j, v)
		if i != j {
			fn(j, i, v)
		}
	})
}

// MulVecTo stores A·x in dst, whatever trans; see Matrix.MulVecTo.
func (m *SymMatrix) MulVecTo(dst *mat.VecDense, _ bool, x mat.Vector) {
	n := m.SymmetricDim()
	mulVecTo(dst, n, x, n, m.addMul)
}

func (m *SymMatrix) addMul(y, x []float64) {
	ptr, idx := m.triangle.pattern.ptr, m.triangle.pattern.idx
	for i, xi := range x {
		row := idx[ptr[i]:ptr[i+1]]
		values := m.triangle.values[ptr[i]:][:len(row)]
		sum := y[i]
		for k, j := range row {
			v := values[k]
			sum += float64(v * x[j])
			y[j] += float64(v * xi)
		}
		y[i] = sum // and what the diagonal added to y[i] above is gone
	}
}

// ToSymDense stores the matrix in dst and returns it; nil allocates, an empty
// dst is given its size. It panics if the size of dst does not fit.
func (m *SymMatrix) ToSymDense(dst *mat.SymDense) *mat.SymDense {
	dst = symDense(dst, m.SymmetricDim())
	p := m.triangle.pattern
	for i := range p.rows {
		values := m.triangle.values[p.ptr[i]:]
		for k, j := range p.Row(i) {
			dst.SetSym(i, int(j), values[k])
		}
	}
	return dst
}
