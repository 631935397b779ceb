package sparsity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// What the sparse types of github.com/james-bowman/sparse and the iterative
// methods of gonum ask of a matrix.
var (
	_ interface {
		mat.Matrix
		NNZ() int
		MulVecTo(dst *mat.VecDense, trans bool, x mat.Vector)
	} = (*Matrix)(nil)
	_ interface {
		mat.Symmetric
		NNZ() int
		MulVecTo(dst *mat.VecDense, trans bool, x mat.Vector)
	} = (*SymMatrix)(nil)
)

// A pair is a sparse matrix and the same as plain rows.
type pair struct {
	m    *Matrix
	rows [][]float64
}

func drawMatrix(t *rapid.T, rows, cols int) pair {
	p := drawTable(t, rows, cols).pattern()
	m := NewMatrix(p)
	a := make([][]float64, rows)
	for i := range a {
		a[i] = make([]float64, cols)
		for _, j := range p.Row(i) {
			// Small integers, so that sums are exact in any order; zeros too.
			v := float64(rapid.IntRange(-3, 3).Draw(t, "value"))
			a[i][j] = v
			m.Values()[p.Position(i, int(j))] = v
		}
	}
	return pair{m, a}
}

func drawVector(t *rapid.T, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(rapid.IntRange(-3, 3).Draw(t, "x"))
	}
	return x
}

func TestMatrixAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := drawDims(t)
		a := drawMatrix(t, rows, cols)
		var visited [][3]float64
		for i := range rows {
			for j, v := range a.rows[i] {
				require.Equal(t, v, a.m.At(i, j))
				require.Equal(t, v, a.m.T().At(j, i))
				if v != 0 {
					visited = append(visited, [3]float64{float64(i), float64(j), v})
				}
			}
		}
		var got [][3]float64
		visit := func(i, j int, v float64) { got = append(got, [3]float64{float64(i), float64(j), v}) }
		a.m.DoNonZero(visit)
		require.Equal(t, visited, got)
		got = nil
		for i := range rows {
			a.m.DoRowNonZero(i, visit)
		}
		require.Equal(t, visited, got)

		dense := a.m.ToDense(nil)
		if rows == 0 || cols == 0 {
			require.True(t, dense.IsEmpty())
			return
		}
		require.Equal(t, slices.Concat(a.rows...), dense.RawMatrix().Data)
		view := mat.NewDense(rows+1, cols+2, slices.Repeat([]float64{7}, (rows+1)*(cols+2)))
		require.True(t, mat.Equal(a.m, a.m.ToDense(view.Slice(0, rows, 1, cols+1).(*mat.Dense))))
		require.Equal(t, 7., view.At(0, 0))
		require.Equal(t, 7., view.At(rows-1, cols+1))
	})
}

// rebuild makes plain rows of compressed rows, as NewCSR would read them.
func rebuild(rows, cols int, ia, ja []int, data []float64) [][]float64 {
	a := make([][]float64, rows)
	for i := range a {
		a[i] = make([]float64, cols)
		for k := ia[i]; k < ia[i+1]; k++ {
			a[i][ja[k]] += data[k]
		}
	}
	return a
}

func TestRawFormsHoldTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := drawDims(t)
		a := drawMatrix(t, rows, cols)

		r, c, ia, ja, data := a.m.Raw()
		require.Equal(t, []int{rows, cols}, []int{r, c})
		require.Equal(t, a.rows, rebuild(r, c, ia, ja, data))

		r, c, i, j, data := a.m.RawCOO()
		require.Equal(t, []int{rows, cols}, []int{r, c})
		sum := rebuild(r, c, make([]int, r+1), nil, nil)
		for k, v := range data {
			sum[i[k]][j[k]] += v
		}
		require.Equal(t, a.rows, sum)

		r, c, ia, ja, data = a.m.RawCSC()
		require.Equal(t, []int{rows, cols}, []int{r, c})
		transposed := rebuild(c, r, ia, ja, data)
		for i := range rows {
			for j := range cols {
				require.Equal(t, a.rows[i][j], transposed[j][i])
			}
		}
		for j := range cols {
			require.True(t, slices.IsSorted(ja[ia[j]:ia[j+1]]))
		}
	})
}

func TestRawSharesDataAlone(t *testing.T) {
	m := NewMatrix(Banded(4, 1, 1))
	_, _, ia, ja, data := m.Raw()
	_, _, i, j, shared := m.RawCOO()
	data[0], shared[1] = 5, 6
	require.Equal(t, []float64{5, 6}, m.Values()[:2])
	for _, s := range [][]int{ia, ja, i, j} {
		clear(s)
	}
	require.True(t, m.Pattern().Equal(Banded(4, 1, 1)))
}

// plainVector hides what a vector is made of.
type plainVector struct{ mat.Vector }

// mulVecToer is what both kinds of matrices have in common.
type mulVecToer interface {
	mat.Matrix
	MulVecTo(dst *mat.VecDense, trans bool, x mat.Vector)
}

func TestMulVecTo(t *testing.T) {
	check := func(t *rapid.T, a mulVecToer) {
		rows, cols := a.Dims()
		at := a.At
		trans := rapid.Bool().Draw(t, "trans")
		if trans {
			rows, cols = cols, rows
			at = func(i, j int) float64 { return a.At(j, i) }
		}
		x := drawVector(t, cols)
		want := make([]float64, rows)
		for i := range want {
			for j, v := range x {
				want[i] += at(i, j) * v
			}
		}
		vector := func(x []float64) *mat.VecDense {
			if len(x) == 0 {
				return new(mat.VecDense)
			}
			return mat.NewVecDense(len(x), x)
		}
		column := func(x []float64, j int) *mat.VecDense {
			if len(x) == 0 {
				return new(mat.VecDense)
			}
			d := mat.NewDense(len(x), 2, nil)
			d.SetCol(j, x)
			return d.ColView(j).(*mat.VecDense)
		}
		dirty := slices.Repeat([]float64{7}, rows)
		for _, in := range []mat.Vector{vector(x), column(x, 1), plainVector{vector(x)}} {
			for _, dst := range []*mat.VecDense{new(mat.VecDense), vector(slices.Clone(dirty)), column(dirty, 0)} {
				a.MulVecTo(dst, trans, in)
				for i, v := range want {
					require.Equal(t, v, dst.AtVec(i))
				}
			}
		}
		if rows == cols && rows > 0 {
			for _, both := range []*mat.VecDense{vector(slices.Clone(x)), column(x, 1)} {
				a.MulVecTo(both, trans, both)
				for i, v := range want {
					require.Equal(t, v, both.AtVec(i))
				}
			}
			shifted := make([]float64, rows+1)
			copy(shifted[1:], x)
			a.MulVecTo(vector(shifted[:rows]), trans, vector(shifted[1:]))
			require.Equal(t, want, shifted[:rows])
		}
	}
	t.Run("Matrix", rapid.MakeCheck(func(t *rapid.T) {
		rows, cols := drawDims(t)
		check(t, drawMatrix(t, rows, cols).m)
	}))
	t.Run("SymMatrix", rapid.MakeCheck(func(t *rapid.T) {
		check(t, NewSymMatrix(drawTriangle(t)))
	}))
}

func drawTriangle(t *rapid.T) *Matrix {
	n := rapid.IntRange(0, 8).Draw(t, "n")
	m := drawMatrix(t, n, n).m
	half := m.pattern.Lower()
	if rapid.Bool().Draw(t, "upper") {
		half = m.pattern.Upper()
	}
	return &Matrix{half, m.values[:half.NNZ()]}
}

func TestSymMatrixMirrorsItsTriangle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		triangle := drawTriangle(t)
		m := NewSymMatrix(triangle)
		n := m.SymmetricDim()
		positions := 0
		want := newTable(n, n)
		for i := range n {
			for j := range n {
				v := triangle.At(i, j)
				if i != j {
					v += triangle.At(j, i)
				}
				require.Equal(t, v, m.At(i, j))
				want.in[i][j] = v != 0
				if triangle.pattern.Has(i, j) || triangle.pattern.Has(j, i) {
					positions++
				}
			}
		}
		require.Equal(t, positions, m.NNZ())
		require.True(t, want.pattern().Equal(FromMatrix(m)))
		m.DoNonZero(func(i, j int, v float64) { require.Equal(t, v, m.At(i, j)) })
		if n == 0 {
			require.True(t, m.ToSymDense(nil).IsEmpty())
			return
		}
		dirty := mat.NewSymDense(n, slices.Repeat([]float64{7}, n*n))
		require.True(t, mat.Equal(m, m.ToSymDense(dirty)))
		require.True(t, mat.Equal(m, m.ToSymDense(nil)))
	})
}

func TestToSymDenseTakesTheMeanOfBothTriangles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "n")
		m := NewMatrix(drawTable(t, n, n).pattern().Symmetrized())
		copy(m.values, drawVector(t, len(m.values)))
		s := m.ToSymDense(nil)
		for i := range n {
			for j := range n {
				require.Equal(t, (m.At(i, j)+m.At(j, i))/2, s.At(i, j))
			}
		}
	})
	// A symmetric matrix is itself, also where half of a value is no number.
	m := NewMatrix(Full(2, 2))
	copy(m.values, []float64{math.Inf(1), 5e-324, 5e-324, -math.MaxFloat64})
	require.Equal(t, []float64{math.Inf(1), 5e-324, 0, -math.MaxFloat64}, m.ToSymDense(nil).RawSymmetric().Data)
}

func TestEvaluationDoesNotAllocate(t *testing.T) {
	m := NewMatrix(BoxStencil(20, 20))
	s := NewSymMatrix(NewMatrix(m.pattern.Lower()))
	x, y := mat.NewVecDense(400, nil), mat.NewVecDense(400, nil)
	dense, sym := mat.NewDense(400, 400, nil), mat.NewSymDense(400, nil)
	column := dense.ColView(3)
	for what, f := range map[string]func(){
		"MulVecTo":       func() { m.MulVecTo(y, false, x) },
		"MulVecTo trans": func() { m.MulVecTo(y, true, x) },
		"in place":       func() { m.MulVecTo(x, false, x); m.MulVecTo(x, true, x) },
		"strided":        func() { m.MulVecTo(y, false, column) },
		"symmetric":      func() { s.MulVecTo(y, false, x); s.MulVecTo(x, false, x) },
		"ToDense":        func() { m.ToDense(dense) },
		"ToSymDense":     func() { s.ToSymDense(sym) },
		"At":             func() { m.At(17, 18) },
	} {
		require.Zero(t, testing.AllocsPerRun(20, f), what)
	}
}

func BenchmarkMulVecTo(b *testing.B) {
	const n = 316 * 316
	m := NewMatrix(StarStencil(316, 316))
	for k := range m.values {
		m.values[k] = rand.New(rand.NewPCG(1, uint64(k))).Float64()
	}
	x, y := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for _, trans := range []bool{false, true} {
		b.Run(map[bool]string{false: "A", true: "Aᵀ"}[trans], func(b *testing.B) {
			for b.Loop() {
				m.MulVecTo(y, trans, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m.NNZ()), "ns/nonzero")
		})
	}
}
