package sparsity

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
)

// A table is a pattern as the plainest thing that can be meant by one.
type table struct {
	rows, cols int
	in         [][]bool
}

func newTable(rows, cols int) *table {
	t := &table{rows, cols, make([][]bool, rows)}
	for i := range t.in {
		t.in[i] = make([]bool, cols)
	}
	return t
}

func (t *table) coordinates() (i, j []int) {
	for r := range t.rows {
		for c := range t.cols {
			if t.in[r][c] {
				i = append(i, r)
				j = append(j, c)
			}
		}
	}
	return i, j
}

func (t *table) where(ok func(i, j int) bool) *table {
	u := newTable(t.rows, t.cols)
	for i := range t.rows {
		for j := range t.cols {
			u.in[i][j] = ok(i, j)
		}
	}
	return u
}

func (t *table) pattern() *Pattern {
	i, j := t.coordinates()
	return FromCoordinates(t.rows, t.cols, i, j)
}

// requireTable checks every position and the form of the arrays.
func requireTable(t require.TestingT, want *table, p *Pattern) {
	rows, cols := p.Dims()
	require.Equal(t, []int{want.rows, want.cols}, []int{rows, cols})
	NewPattern(rows, cols, p.ptr, p.idx) // panics if malformed
	n := 0
	for i := range rows {
		for j := range cols {
			if p.Has(i, j) != want.in[i][j] {
				require.Failf(t, "wrong position", "(%d, %d) is %v", i, j, p.Has(i, j))
			}
			if !want.in[i][j] {
				require.Equal(t, -1, p.Position(i, j))
				continue
			}
			require.Equal(t, n, p.Position(i, j))
			require.Equal(t, int32(j), p.Row(i)[n-int(p.RowPtr()[i])])
			n++
		}
	}
	require.Equal(t, n, p.NNZ())
}

func drawTable(t *rapid.T, rows, cols int) *table {
	u := newTable(rows, cols)
	often := rapid.IntRange(0, 4).Draw(t, "often")
	for i := range rows {
		for j := range cols {
			u.in[i][j] = rapid.IntRange(0, 4).Draw(t, "in") < often
		}
	}
	return u
}

func drawDims(t *rapid.T) (rows, cols int) {
	return rapid.IntRange(0, 9).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "cols")
}

func TestFromCoordinatesTakesAnyOrderAndRepetitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := drawDims(t)
		want := newTable(rows, cols)
		var i, j []int
		if rows > 0 && cols > 0 {
			for range rapid.IntRange(0, 60).Draw(t, "entries") {
				r := rapid.IntRange(0, rows-1).Draw(t, "i")
				c := rapid.IntRange(0, cols-1).Draw(t, "j")
				i, j = append(i, r), append(j, c)
				want.in[r][c] = true
			}
		}
		requireTable(t, want, FromCoordinates(rows, cols, i, j))
	})
}

func TestPatternAlgebraAgreesWithBooleanTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := drawDims(t)
		a, b := drawTable(t, rows, cols), drawTable(t, rows, cols)
		p, q := a.pattern(), b.pattern()
		requireTable(t, a, p)

		transposed := newTable(cols, rows).where(func(i, j int) bool { return a.in[j][i] })
		requireTable(t, transposed, p.Transpose())
		requireTable(t, a.where(func(i, j int) bool { return a.in[i][j] || b.in[i][j] }), p.Union(q))
		requireTable(t, a.where(func(i, j int) bool { return a.in[i][j] && i >= j }), p.Lower())
		requireTable(t, a.where(func(i, j int) bool { return a.in[i][j] && i <= j }), p.Upper())

		require.True(t, p.Equal(a.pattern()))
		i, j := a.coordinates()
		k, l := b.coordinates()
		require.Equal(t, slices.Equal(i, k) && slices.Equal(j, l), p.Equal(q))
		require.False(t, p.Equal(FromCoordinates(rows, cols+1, i, j)))

		rowCounts, columnCounts := make([]int, rows), make([]int, cols)
		for e := range i {
			rowCounts[i[e]]++
			columnCounts[j[e]]++
		}
		require.Equal(t, rowCounts, p.RowCounts())
		require.Equal(t, columnCounts, p.ColumnCounts())
		if rows*cols > 0 {
			require.Equal(t, float64(len(i))/float64(rows*cols), p.Density())
		} else {
			require.Zero(t, p.Density())
		}
	})
}

func TestSymmetrizedIsUnionWithTranspose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "n")
		a := drawTable(t, n, n)
		either := a.where(func(i, j int) bool { return a.in[i][j] || a.in[j][i] })
		p := a.pattern()
		requireTable(t, either, p.Symmetrized())
		require.True(t, p.Symmetrized().IsSymmetric())
		require.Equal(t, p.Equal(p.Transpose()), p.IsSymmetric())
	})
}

func TestIsSymmetricFindsOneMissingMirror(t *testing.T) {
	full := Full(5, 5)
	for k := range full.NNZ() {
		i, j := k/5, k%5
		p := full.keep(func(r, c int32) bool { return int(r) != i || int(c) != j })
		require.Equal(t, i == j, p.IsSymmetric(), "without (%d, %d)", i, j)
	}
	require.False(t, Full(2, 3).IsSymmetric())
	require.True(t, Full(0, 0).IsSymmetric())
}

func TestPatternFromValues(t *testing.T) {
	a := [][]float64{{0, 1, math.NaN()}, {0, 0, 0}, {math.Copysign(0, -1), math.Inf(-1), 1e-320}}
	want := FromCoordinates(3, 3, []int{0, 0, 2, 2}, []int{1, 2, 1, 2})
	require.True(t, want.Equal(FromDense(a)))
	dense := mat.NewDense(3, 3, slices.Concat(a...))
	require.True(t, want.Equal(FromMatrix(dense)))
	require.True(t, want.Transpose().Equal(FromMatrix(dense.T())))
	require.True(t, Full(0, 0).Equal(FromDense(nil)))
	require.True(t, Full(2, 0).Equal(FromDense([][]float64{{}, {}})))

	band := mat.NewBandDense(5, 5, 2, 1, slices.Repeat([]float64{1}, 20))
	require.True(t, Banded(5, 2, 1).Equal(FromMatrix(band)))

	stored := NewMatrix(Full(2, 2))
	stored.Values()[2] = 3
	require.True(t, FromCoordinates(2, 2, []int{1}, []int{0}).Equal(FromMatrix(stored)))
}

func TestShapesAgreeWithTheirFormula(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 5, 8} {
		square := newTable(n, n)
		requireTable(t, square.where(func(i, j int) bool { return true }), Full(n, n))
		requireTable(t, square.where(func(i, j int) bool { return i == j }), Diagonal(n))
		for _, lower := range []int{0, 1, 3, math.MaxInt} {
			for _, upper := range []int{0, 2, math.MaxInt} {
				requireTable(t, square.where(func(i, j int) bool {
					return i-j <= lower && j-i <= upper
				}), Banded(n, lower, upper))
			}
		}
		for hub := range n {
			requireTable(t, square.where(func(i, j int) bool {
				return i == j || i == hub || j == hub
			}), Arrow(n, hub))
		}
	}
	requireTable(t, newTable(3, 0), Full(3, 0))
	requireTable(t, newTable(0, 3), Full(0, 3))
}

func TestStencilsAgreeWithTheirFormula(t *testing.T) {
	for _, dims := range [][]int{{}, {0}, {1}, {6}, {3, 4}, {1, 5}, {5, 1}, {2, 2}, {3, 0}, {3, 2, 4}, {1, 3, 1}, {2, 1, 2, 3}} {
		n := 1
		for _, d := range dims {
			n *= d
		}
		// distances along the axes between the points i and j
		distances := func(i, j int) (sum, largest int) {
			for k := len(dims) - 1; k >= 0; k-- {
				d := i%dims[k] - j%dims[k]
				i, j = i/dims[k], j/dims[k]
				sum += max(d, -d)
				largest = max(largest, d, -d)
			}
			return sum, largest
		}
		requireTable(t, newTable(n, n).where(func(i, j int) bool {
			sum, _ := distances(i, j)
			return sum <= 1
		}), StarStencil(dims...))
		requireTable(t, newTable(n, n).where(func(i, j int) bool {
			_, largest := distances(i, j)
			return largest <= 1
		}), BoxStencil(dims...))
	}
	for points, p := range map[int]*Pattern{
		5: StarStencil(5, 5), 9: BoxStencil(5, 5), 7: StarStencil(5, 5, 5), 27: BoxStencil(5, 5, 5),
	} {
		require.Equal(t, points, slices.Max(p.RowCounts()))
	}
}

func TestMisusePanics(t *testing.T) {
	p := Banded(3, 1, 1)
	m := NewMatrix(p)
	for what, f := range map[string]func(){
		"negative dimension":                      func() { FromCoordinates(-1, 2, nil, nil) },
		"dimension too large":                     func() { FromCoordinates(2, math.MaxInt, nil, nil) },
		"coordinate lengths differ":               func() { FromCoordinates(2, 2, []int{1}, nil) },
		"coordinate out of range":                 func() { FromCoordinates(2, 2, []int{1}, []int{2}) },
		"row pointers do not fit":                 func() { NewPattern(2, 2, []int32{0, 1}, []int32{0}) },
		"row pointers decrease":                   func() { NewPattern(3, 2, []int32{0, 2, 1, 2}, []int32{0, 1}) },
		"row not strictly increasing":             func() { NewPattern(1, 2, []int32{0, 2}, []int32{1, 1}) },
		"column out of range":                     func() { NewPattern(1, 2, []int32{0, 1}, []int32{2}) },
		"row out of range":                        func() { p.Row(3) },
		"too many nonzeros":                       func() { Full(1<<20, 1<<20) },
		"row lengths differ":                      func() { FromDense([][]float64{{1}, {1, 2}}) },
		"negative bandwidth":                      func() { Banded(3, -1, 0) },
		"hub out of range":                        func() { Arrow(3, 3) },
		"dimensions differ":                       func() { p.Union(Full(3, 4)) },
		"not square":                              func() { Full(3, 4).Symmetrized() },
		"no room to draw":                         func() { p.Spy(3) },
		"not one color a column":                  func() { p.ByColumn([]int{1}) },
		"not one color a row":                     func() { p.ByRow([]int{1}) },
		"not one color a nonzero":                 func() { _ = p.PNG(nil, []int{1}) },
		"color out of range":                      func() { _ = p.SVG(nil, []int{0, 1, -2, 0, 0, 0, 0}) },
		"nil pattern":                             func() { NewMatrix(nil) },
		"length of x does not fit":                func() { m.MulVecTo(new(mat.VecDense), false, mat.NewVecDense(2, nil)) },
		"length of dst does not fit":              func() { m.MulVecTo(mat.NewVecDense(2, nil), false, mat.NewVecDense(3, nil)) },
		"shape of dst does not fit":               func() { m.ToDense(mat.NewDense(2, 3, nil)) },
		"size of dst does not fit":                func() { m.ToSymDense(mat.NewSymDense(2, nil)) },
		"pattern not symmetric":                   func() { NewMatrix(p.Lower()).ToSymDense(nil) },
		"positions on both sides of the diagonal": func() { NewSymMatrix(m) },
		"unknown format \"dense\"":                func() { _ = WriteMatrixMarket(nil, m, MarketHeader{Format: "dense"}) },
	} {
		require.PanicsWithValue(t, "sparsity: "+what, f)
	}
	require.PanicsWithValue(t, "sparsity: negative dimension", func() { NewPattern(-1, 0, nil, nil) })
	require.PanicsWithValue(t, "sparsity: row pointers do not fit", func() { NewPattern(1, 1, []int32{1, 1}, []int32{0}) })
	require.PanicsWithValue(t, "sparsity: row out of range", func() { p.Has(-1, 0) })
	require.PanicsWithValue(t, "sparsity: column out of range", func() { p.Position(0, 3) })
	require.PanicsWithValue(t, "sparsity: column out of range", func() { m.At(0, -1) })
	require.PanicsWithValue(t, "sparsity: row out of range", func() { m.DoRowNonZero(3, nil) })
	require.PanicsWithValue(t, "sparsity: not square", func() { NewSymMatrix(NewMatrix(Full(2, 3))) })
	require.PanicsWithValue(t, "sparsity: dimension too large", func() { StarStencil(1<<20, 1<<20) })
}

func FuzzNewPattern(f *testing.F) {
	f.Add(2, 2, []byte{0, 1, 2, 0, 1})
	f.Fuzz(func(t *testing.T, rows, cols int, raw []byte) {
		if rows > 1<<10 {
			return
		}
		numbers := make([]int32, len(raw))
		for k, b := range raw {
			numbers[k] = int32(int8(b))
		}
		split := min(max(rows, -1)+1, len(numbers))
		ptr, idx := numbers[:split], numbers[split:]
		var p *Pattern
		func() {
			defer func() {
				r := recover()
				if _, ok := r.(string); r != nil && !ok {
					t.Fatal(r)
				}
			}()
			p = NewPattern(rows, cols, ptr, idx)
		}()
		if p == nil {
			return
		}
		for i := range rows {
			for k, j := range p.Row(i) {
				if p.Position(i, int(j)) != int(ptr[i])+k {
					t.Fatalf("accepted a malformed row %d", i)
				}
			}
		}
	})
}

func TestNilPanicsWithAMessage(t *testing.T) {
	var p *Pattern
	q := Diagonal(2)
	for name, f := range map[string]func(){
		"Dims": func() { p.Dims() }, "Equal": func() { q.Equal(p) }, "Equal of nil": func() { p.Equal(p) },
		"Union": func() { q.Union(p) }, "Union of nil": func() { p.Union(q) }, "Symmetrized": func() { p.Symmetrized() },
	} {
		require.PanicsWithValue(t, "sparsity: nil pattern", f, name)
	}
	var a *Matrix
	var s *SymMatrix
	for name, f := range map[string]func(){
		"Dims": func() { a.Dims() }, "NewSymMatrix": func() { NewSymMatrix(nil) }, "Dims of a SymMatrix": func() { s.Dims() },
		"FromMatrix": func() { FromMatrix(nil) }, "FromMatrix of a nil Matrix": func() { FromMatrix(a) },
	} {
		require.PanicsWithValue(t, "sparsity: nil matrix", f, name)
	}
}

func TestZeroPatternIsEmpty(t *testing.T) {
	var p Pattern
	empty := FromCoordinates(0, 0, nil, nil)
	require.True(t, p.Equal(empty))
	require.True(t, empty.Equal(&p))
	require.Equal(t, []int32{0}, p.RowPtr())
	require.Equal(t, empty.Transpose(), p.Transpose())
	_, _, ia, _, _ := NewMatrix(&p).Raw()
	require.Equal(t, []int{0}, ia)
}
