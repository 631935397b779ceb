package implicit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// scaledRows returns the dense RA of a factorization.
func scaledRows(lu *LU) *mat.Dense {
	n := lu.order()
	d := mat.DenseCopyOf(lu)
	for i := range n {
		for j := range n {
			d.Set(i, j, d.At(i, j)*lu.scale[i])
		}
	}
	return d
}

func TestCondIsATightLowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomMatrix(rnd, n, rapid.Float64Range(0, 5).Draw(t, "perRow"))
		var lu LU
		if err := lu.Factorize(a); err != nil {
			t.Skip(err)
		}
		var inverse mat.Dense
		b := scaledRows(&lu)
		if err := inverse.Inverse(b); err != nil {
			t.Skip(err)
		}
		cond := mat.Norm(b, 1) * mat.Norm(&inverse, 1)
		// Both inverses are inexact by up to cond·ε.
		slack := 1 + 10*float64(n)*epsilon*cond
		require.LessOrEqual(t, lu.Cond(), cond*slack)
		require.GreaterOrEqual(t, lu.Cond(), cond/10/slack)
	})
}

// Hilbert matrices have the condition numbers 27, 748, 28375, 943656, 29070279,
// 985194886 in the 1-norm (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., section 28.1, has κ₂ beside them); rows are multiplied by
// powers of two here so that scaling leaves them as they are.
func TestCondOfScaledHilbert(t *testing.T) {
	for n := 2; n <= 8; n++ {
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = make([]float64, n)
			for j := range n {
				rows[i][j] = 1 / float64(i+j+1)
			}
		}
		var lu LU
		require.NoError(t, lu.Factorize(fromDense(rows)))
		require.InEpsilon(t, mat.Cond(scaledRows(&lu), 1), lu.Cond(), 1e-3)
	}
}

func TestCondOfTheIdentityIsOne(t *testing.T) {
	a := tridiagonal(10)
	clear(a.Values())
	for i := range 10 {
		a.Values()[a.Pattern().Position(i, i)] = math.Exp2(float64(20 * (i - 5)))
	}
	var lu LU
	require.NoError(t, lu.Factorize(a))
	require.Equal(t, 1.0, lu.Cond())
}
