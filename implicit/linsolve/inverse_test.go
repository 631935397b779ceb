package linsolve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// definite is a random positive definite matrix, with supernodes of all kinds: sparse,
// banded, on a grid, or full.
func definite(rnd *rand.Rand, n int) *sparsity.SymMatrix {
	var a *sparsity.SymMatrix
	switch rnd.IntN(4) {
	case 0:
		a = dominant(rnd, lower(sparsity.Banded(n, rnd.IntN(n), 0)), n)
	case 1:
		k := int(math.Sqrt(float64(n)))
		a = dominant(rnd, lower(sparsity.StarStencil(k, k)), n)
	default:
		a = randomSymmetric(rnd, n, 6*rnd.Float64(), 0)
		a = dominant(rnd, lower(a.Triangle().Pattern().Symmetrized()), n)
	}
	// Less of the diagonal makes the condition larger, up to 10⁸ or so.
	least := leastEigenvalue(a)
	for i := range a.SymmetricDim() {
		k := a.Triangle().Pattern().Position(i, i)
		a.Triangle().Values()[k] -= least * (1 - math.Pow(10, -8*rnd.Float64()))
	}
	return a
}

func leastEigenvalue(a *sparsity.SymMatrix) float64 {
	var e mat.EigenSym
	e.Factorize(a.ToSymDense(nil), false)
	return e.Values(nil)[0]
}

// requirePart checks the elements at the positions of got against those of a dense
// matrix, up to a part of the largest.
func requirePart(t *testing.T, want mat.Matrix, got *sparsity.SymMatrix, tolerance float64) {
	t.Helper()
	tolerance *= mat.Norm(want, math.Inf(1))
	got.Triangle().DoNonZero(func(i, j int, v float64) {
		require.InDelta(t, want.At(i, j), v, tolerance)
	})
}

// To the condition of the matrix.
func TestInverseAndItsTangentAgreeWithDense(t *testing.T) {
	rnd := rand.New(rand.NewPCG(90, 1))
	for range 1000 {
		a := definite(rnd, 1+rnd.IntN(30))
		n := a.SymmetricDim()
		var c Cholesky
		require.NoError(t, c.Factorize(a))
		var dense mat.Dense
		require.NoError(t, dense.Inverse(a.ToSymDense(nil)))
		cond := mat.Norm(a, 1) * mat.Norm(&dense, 1)
		tolerance := float64(10*n) * epsilon * cond
		z, err := c.Inverse(nil)
		require.NoError(t, err)
		requirePart(t, &dense, z, tolerance)

		da := sparsity.NewSymMatrix(sparsity.NewMatrix(a.Triangle().Pattern()))
		randomize(rnd, da.Triangle())
		var product, want mat.Dense
		product.Mul(&dense, da)
		want.Mul(&product, &dense)
		want.Scale(-1, &want)
		size := math.Pow(mat.Norm(&dense, 1), 2) * mat.Norm(da, 1) / mat.Norm(&want, math.Inf(1))
		dz, err := c.InverseTangent(nil, da)
		require.NoError(t, err)
		requirePart(t, &want, dz, tolerance*size)
	}
}
