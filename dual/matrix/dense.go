package matrix

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
)

// Dense is a matrix of numbers. Element (i, j) is Data[i·Cols + j]. What shares
// Data shares the matrix: New(n, 1, x) is the vector x as a column.
type Dense[T any] struct {
	Rows, Cols int
	Data       []T
}

// New returns the rows×cols matrix of the elements data, row by row, without
// copying them; of zeros if data is nil. It panics if a number is negative or data has
// another length than rows·cols.
func New[T any](rows, cols int, data []T) *Dense[T] {
	if rows < 0 || cols < 0 {
		panic("matrix: negative number of rows or columns")
	}
	if data == nil {
		data = make([]T, rows*cols)
	}
	if len(data) != rows*cols {
		panic(fmt.Sprintf("matrix: %d elements for a %d×%d matrix", len(data), rows, cols))
	}
	return &Dense[T]{rows, cols, data}
}

// FromMat returns the elements of a, a *mat.Dense or any other, as constants.
func FromMat[T dual.Scalar[T]](a mat.Matrix) *Dense[T] {
	rows, cols := a.Dims()
	m := New[T](rows, cols, nil)
	for i := range rows {
		for j, row := 0, m.Row(i); j < cols; j++ {
			row[j] = row[j].Const(a.At(i, j))
		}
	}
	return m
}

// At returns element (i, j). It panics if there is none.
func (m *Dense[T]) At(i, j int) T { return m.Data[m.at(i, j)] }

// Set makes v element (i, j). It panics if there is none.
func (m *Dense[T]) Set(i, j int, v T) { m.Data[m.at(i, j)] = v }

func (m *Dense[T]) at(i, j int) int {
	if uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic(fmt.Sprintf("matrix: no element (%d, %d) in a %d×%d matrix", i, j, m.Rows, m.Cols))
	}
	return i*m.Cols + j
}

// Row returns row i, which shares the elements of m.
func (m *Dense[T]) Row(i int) []T { return m.Data[i*m.Cols:][:m.Cols:m.Cols] }

// T returns a copy of the transpose of m. It is no operation on its elements, so that
// a tape takes Mul(nil, a.T(), b) as one product.
func (m *Dense[T]) T() *Dense[T] {
	t := New[T](m.Cols, m.Rows, nil)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Data[j*m.Rows+i] = v
		}
	}
	return t
}

// square panics if m is not square, and returns its order.
func (m *Dense[T]) square() int {
	if m.Rows != m.Cols {
		panic(fmt.Sprintf("matrix: %d×%d matrix, want a square one", m.Rows, m.Cols))
	}
	return m.Rows
}

// lower returns the lower triangle of a square matrix, row by row.
func (m *Dense[T]) lower() []T {
	n := m.square()
	x := make([]T, 0, n*(n+1)/2)
	for i := range n {
		x = append(x, m.Row(i)[:i+1]...)
	}
	return x
}

// upper returns the upper triangle of a square matrix, row by row.
func (m *Dense[T]) upper() []T {
	n := m.square()
	x := make([]T, 0, n*(n+1)/2)
	for i := range n {
		x = append(x, m.Row(i)[i:]...)
	}
	return x
}

// result stores data in dst, a new matrix if that is nil.
func result[T any](dst *Dense[T], rows, cols int, data []T) *Dense[T] {
	if dst == nil {
		return New(rows, cols, data)
	}
	if dst.Rows != rows || dst.Cols != cols {
		panic(fmt.Sprintf("matrix: dst is %d×%d, want %d×%d", dst.Rows, dst.Cols, rows, cols))
	}
	copy(dst.Data, data)
	return dst
}

// vector stores data in dst, which may be nil.
func vector[T any](dst, data []T) []T {
	if dst == nil {
		return data
	}
	if len(dst) != len(data) {
		panic(fmt.Sprintf("matrix: dst has length %d, want %d", len(dst), len(data)))
	}
	copy(dst, data)
	return dst
}
