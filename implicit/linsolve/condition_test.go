package linsolve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// scaledDense returns the dense RAC of a factorization.
func scaledDense(lu *LU) *mat.Dense {
	n := lu.order()
	d := mat.DenseCopyOf(lu)
	for i := range n {
		for j := range n {
			d.Set(i, j, scaled(d.At(i, j), lu.rowExp[i]+lu.colExp[j]))
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
			// Only what is singular or nearly so is refused.
			require.Greater(t, mat.Cond(mat.DenseCopyOf(a), 1), 1e10, err)
			return
		}
		var inverse mat.Dense
		b := scaledDense(&lu)
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

// The second difference matrix of odd order n has ‖A‖₁ = 4 and
// ‖A⁻¹‖₁ = (n+1)²/8.
func TestCondOfSecondDifferences(t *testing.T) {
	for _, n := range []int{3, 5, 11, 51, 501} {
		a := tridiagonal(n)
		for i := range n {
			a.Values()[a.Pattern().Position(i, i)] = 2
		}
		var lu LU
		require.NoError(t, lu.Factorize(a))
		require.InEpsilon(t, float64((n+1)*(n+1))/2, lu.Cond(), 1e-10)
	}
}

func TestCondOfDiagonalIsOne(t *testing.T) {
	a := tridiagonal(10)
	clear(a.Values())
	for i := range 10 {
		a.Values()[a.Pattern().Position(i, i)] = math.Exp2(float64(20 * (i - 5)))
	}
	var lu LU
	require.NoError(t, lu.Factorize(a))
	require.Equal(t, 1.0, lu.Cond())
}
