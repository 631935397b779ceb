package linsolve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/internal/testkit/ratio"
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

func TestInverseOfWhatHasNone(t *testing.T) {
	var c Cholesky
	require.PanicsWithValue(t, "linsolve: no factorization", func() { c.Inverse(nil) })
	a := symmetricGrid(3)
	require.NoError(t, c.Factorize(a))
	other := sparsity.NewSymMatrix(sparsity.NewMatrix(sparsity.Diagonal(9)))
	require.PanicsWithValue(t, "linsolve: pattern differs", func() { c.Inverse(other) })
	require.PanicsWithValue(t, "linsolve: pattern differs", func() { c.InverseTangent(nil, other) })
	dst := sparsity.NewSymMatrix(sparsity.NewMatrix(a.Triangle().Pattern()))
	require.Error(t, c.RefactorizeShift(a, -100))
	_, err := c.Inverse(dst)
	var not *NotPositiveDefiniteError
	require.ErrorAs(t, err, &not)
	require.Zero(t, largest(dst.Triangle().Values()))
	other.Triangle().Values()[0] = 5e-324
	for i := range 8 {
		other.Triangle().Values()[i+1] = 1
	}
	require.NoError(t, c.Factorize(other))
	_, err = c.Inverse(nil)
	var convergence *ConvergenceError
	require.ErrorAs(t, err, &convergence)

	var none Cholesky
	require.NoError(t, none.Factorize(sparsity.NewSymMatrix(sparsity.NewMatrix(sparsity.Diagonal(0)))))
	z, err := none.Inverse(nil)
	require.NoError(t, err)
	require.Zero(t, z.NNZ())
}

// Of a shifted matrix, in place, from the upper triangle, concurrently, without allocating.
func TestInverseConcurrentlyInPlace(t *testing.T) {
	a := symmetric(sparsity.NewMatrix(sparsity.StarStencil(9, 8)), true)
	for i := range a.SymmetricDim() {
		a.Triangle().Values()[a.Triangle().Pattern().Position(i, i)] = 4
	}
	var c Cholesky
	require.NoError(t, c.Factorize(a))
	require.NoError(t, c.RefactorizeShift(a, 0.5))
	var dense mat.Dense
	require.NoError(t, dense.Inverse(&c))
	da := sparsity.NewSymMatrix(sparsity.NewMatrix(a.Triangle().Pattern()))
	randomize(rand.New(rand.NewPCG(92, 1)), da.Triangle())
	want, err := c.InverseTangent(nil, da)
	require.NoError(t, err)
	done := make(chan *sparsity.SymMatrix)
	for range 4 {
		go func() {
			z, _ := c.Inverse(nil)
			done <- z
		}()
	}
	for range 4 {
		requirePart(t, &dense, <-done, 1e-13)
	}
	z, err := c.InverseTangent(da, da)
	require.NoError(t, err)
	require.Same(t, da, z)
	require.Equal(t, want.Triangle().Values(), z.Triangle().Values())
	require.Zero(t, testing.AllocsPerRun(5, func() {
		c.Inverse(da)
		c.InverseTangent(da, a)
	}))
}

// BenchmarkInverse compares with the factorization, on a grid of 10⁵ points.
func BenchmarkInverse(b *testing.B) {
	a := symmetricGrid(316)
	var c Cholesky
	if err := c.Factorize(a); err != nil {
		b.Fatal(err)
	}
	z, err := c.Inverse(nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, call := range map[string]func(){
		"Inverse":        func() { c.Inverse(z) },
		"InverseTangent": func() { c.InverseTangent(z, a) },
	} {
		b.Run(name, func(b *testing.B) { ratio.Report(b, func() { c.Refactorize(a) }, call) })
	}
}
