package sparsity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// misused reports whether f panics with a message of the library.
func misused(t *testing.T, f func()) (bad bool) {
	defer func() {
		if r := recover(); r != nil {
			require.IsType(t, "", r)
			require.Contains(t, r, "sparsity: ")
			bad = true
		}
	}()
	f()
	return false
}

// Coordinates from bytes, out of range too, make a panic that says so or the
// pattern, and what is made of it is what dense matrices say.
func FuzzFromCoordinates(f *testing.F) {
	f.Add(int16(3), int16(3), []byte{0, 0, 1, 1, 2, 0, 2, 0})
	f.Add(int16(2), int16(4), []byte{1, 3, 0, 2, 1, 0})
	f.Add(int16(0), int16(0), []byte{})
	f.Add(int16(2), int16(2), []byte{2, 0})
	f.Add(int16(-1), int16(2), []byte{})
	f.Fuzz(func(t *testing.T, rows16, cols16 int16, raw []byte) {
		rows, cols := int(rows16%64), int(cols16%64)
		var i, j []int
		inside := rows >= 0 && cols >= 0
		for k := 0; k+1 < len(raw); k += 2 {
			i, j = append(i, int(int8(raw[k]))), append(j, int(int8(raw[k+1])))
			inside = inside && uint(i[k/2]) < uint(rows) && uint(j[k/2]) < uint(cols)
		}
		var p *Pattern
		if misused(t, func() { p = FromCoordinates(rows, cols, i, j) }) == inside {
			t.Fatal("inside and refused, or outside and accepted")
		}
		if !inside {
			return
		}
		has := make([][]float64, rows)
		for r := range has {
			has[r] = make([]float64, cols)
		}
		for k := range i {
			has[i[k]][j[k]] = 1
		}
		require.True(t, rows == 0 || p.Equal(FromDense(has)))
		require.True(t, p.Equal(NewPattern(rows, cols, p.ptr, p.idx)))
		require.True(t, p.Equal(p.Lower().Union(p.Upper())))
		require.True(t, p.Equal(p.Transpose().Transpose()))

		m := NewMatrix(p)
		for k := range m.values {
			m.values[k] = float64(k%5 - 2)
		}
		symmetric := rows == cols
		for r := range rows {
			for c := range cols {
				require.Equal(t, has[r][c] == 1, p.Has(r, c))
				require.Equal(t, has[r][c] == 1, p.Transpose().Has(c, r))
				symmetric = symmetric && has[r][c] == has[c][r]
			}
		}
		require.Equal(t, symmetric, p.IsSymmetric())
		if rows == 0 || cols == 0 {
			return
		}
		dense := m.ToDense(nil)
		for _, trans := range []bool{false, true} {
			a := dense.T()
			if !trans {
				a = dense
			}
			_, n := a.Dims()
			x := mat.NewVecDense(n, nil)
			for k := range n {
				x.SetVec(k, float64(k%7)-3)
			}
			var want, got mat.VecDense
			want.MulVec(a, x)
			m.MulVecTo(&got, trans, x)
			require.Equal(t, want.RawVector().Data, got.RawVector().Data) // integers
		}

		var s *SymMatrix
		triangle := rows == cols && (p.Equal(p.Lower()) || p.Equal(p.Upper()))
		require.Equal(t, !triangle, misused(t, func() { s = NewSymMatrix(m) }))
		if triangle {
			for r := range rows {
				for c := range cols {
					want := dense.At(r, c)
					if r != c {
						want += dense.At(c, r)
					}
					require.Equal(t, want, s.At(r, c))
				}
			}
			require.True(t, mat.Equal(s, s.ToSymDense(nil)))
		}
	})
}
