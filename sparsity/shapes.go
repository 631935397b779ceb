package sparsity

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// FromDense returns the pattern of the nonzeros of the matrix with the rows a,
// where NaN is a nonzero. No rows give the 0×0 pattern. It panics if the rows
// differ in length.
func FromDense(a [][]float64) *Pattern {
	cols := 0
	if len(a) > 0 {
		cols = len(a[0])
	}
	b := newBuilder(len(a), cols)
	for _, row := range a {
		if len(row) != cols {
			panic("sparsity: row lengths differ")
		}
		for j, v := range row {
			if v != 0 {
				b.add(j)
			}
		}
		b.endRow()
	}
	return b.pattern()
}

// FromMatrix returns the pattern of the nonzeros of a, where NaN is a nonzero.
// The cost is O(nnz + rows + cols) if a is a mat.NonZeroDoer, as sparse and
// banded matrices are, else O(rows·cols). It panics if a is nil.
func FromMatrix(a mat.Matrix) *Pattern {
	if a == nil {
		panic("sparsity: nil matrix")
	}
	rows, cols := a.Dims()
	if s, ok := a.(mat.NonZeroDoer); ok {
		var i, j []int
		s.DoNonZero(func(r, c int, v float64) {
			if v != 0 {
				i = append(i, r)
				j = append(j, c)
			}
		})
		return FromCoordinates(rows, cols, i, j)
	}
	b := newBuilder(rows, cols)
	for i := range rows {
		for j := range cols {
			if a.At(i, j) != 0 {
				b.add(j)
			}
		}
		b.endRow()
	}
	return b.pattern()
}

// Full returns the rows×cols pattern that holds every position.
func Full(rows, cols int) *Pattern {
	b := newBuilder(rows, cols)
	if cols > 0 && rows > math.MaxInt32/cols {
		panic("sparsity: too many nonzeros")
	}
	for range rows {
		b.addRange(0, cols)
		b.endRow()
	}
	return b.pattern()
}

// Diagonal returns the n×n pattern {(i, i)}.
func Diagonal(n int) *Pattern { return Banded(n, 0, 0) }

// Banded returns the n×n pattern {(i, j): i−lower ≤ j ≤ i+upper}; lower =
// upper = 1 is tridiagonal. It panics if lower or upper is negative.
func Banded(n, lower, upper int) *Pattern {
	if lower < 0 || upper < 0 {
		panic("sparsity: negative bandwidth")
	}
	lower, upper = min(lower, n), min(upper, n)
	b := newBuilder(n, n)
	for i := range n {
		b.addRange(max(i-lower, 0), min(i+upper+1, n))
		b.endRow()
	}
	return b.pattern()
}

// Arrow returns the n×n pattern of the diagonal with row and column hub, the
// pattern of the Hessian of a sum of terms that share the variable hub. It
// panics if hub is not in [0, n).
func Arrow(n, hub int) *Pattern {
	if hub < 0 || hub >= n {
		panic("sparsity: hub out of range")
	}
	b := newBuilder(n, n)
	for i := range n {
		if i == hub {
			b.addRange(0, n)
		} else {
			b.add(min(i, hub))
			b.add(max(i, hub))
		}
		b.endRow()
	}
	return b.pattern()
}

// StarStencil returns the pattern of a grid with the given numbers of points
// in each dimension in which a point is coupled with itself and its neighbors
// along the axes: 3 points in one dimension, 5 in two, 7 in three. The last
// dimension runs fastest. It panics if a dimension is negative.
func StarStencil(dims ...int) *Pattern {
	return stencil(dims, func(nonzero int) bool { return nonzero <= 1 })
}

// BoxStencil is StarStencil with the neighbors along diagonals too: 3 points
// in one dimension, 9 in two, 27 in three.
func BoxStencil(dims ...int) *Pattern {
	return stencil(dims, func(int) bool { return true })
}

// stencil couples the grid points whose distance is −1, 0 or 1 along each axis
// and for which keep accepts the number of axes where it is not 0.
func stencil(dims []int, keep func(nonzero int) bool) *Pattern {
	n := 1
	for _, d := range dims {
		checkDims(d, d)
		if d > 0 && n > math.MaxInt32/d {
			panic("sparsity: dimension too large")
		}
		n *= d
	}
	// The offsets in increasing order of the point they lead to.
	type offset struct {
		d    []int
		step int
	}
	offsets := []offset{{}}
	for _, size := range dims {
		var longer []offset
		for _, o := range offsets {
			for d := -1; d <= 1; d++ {
				longer = append(longer, offset{append(slices.Clone(o.d), d), o.step*size + d})
			}
		}
		offsets = longer
	}
	offsets = slices.DeleteFunc(offsets, func(o offset) bool {
		nonzero := 0
		for _, d := range o.d {
			if d != 0 {
				nonzero++
			}
		}
		return !keep(nonzero)
	})

	b := newBuilder(n, n)
	at := make([]int, len(dims))
	for i := range n {
	next:
		for _, o := range offsets {
			for k, d := range o.d {
				if uint(at[k]+d) >= uint(dims[k]) {
					continue next
				}
			}
			b.add(i + o.step)
		}
		b.endRow()
		for k := len(dims) - 1; k >= 0; k-- {
			if at[k]++; at[k] < dims[k] {
				break
			}
			at[k] = 0
		}
	}
	return b.pattern()
}

// A builder makes a pattern row by row from increasing columns.
type builder struct {
	rows, cols int
	ptr, idx   []int32
}

func newBuilder(rows, cols int) *builder {
	checkDims(rows, cols)
	return &builder{rows: rows, cols: cols, ptr: append(make([]int32, 0, rows+1), 0)}
}

func (b *builder) add(j int) { b.idx = append(b.idx, int32(j)) }

func (b *builder) addRange(lo, hi int) {
	for j := lo; j < hi; j++ {
		b.add(j)
	}
}

func (b *builder) endRow() {
	checkCount(len(b.idx))
	b.ptr = append(b.ptr, int32(len(b.idx)))
}

func (b *builder) pattern() *Pattern {
	return &Pattern{b.rows, b.cols, b.ptr, slices.Clip(b.idx)}
}
