package linsolve

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

var refactorizations = flag.Int("refactorizations", 10000, "how many are tried, of LU and of LDL, each in other units")

// unitsOf draws powers of two up to 10^±30, for a third of the matrices 10^±6, for a third 1.
func unitsOf(rnd *rand.Rand, n int) []int32 {
	most := []int{0, 20, 100}[rnd.IntN(3)]
	exp := make([]int32, n)
	for i := range exp {
		exp[i] = int32(rnd.IntN(2*most+1) - most)
	}
	return exp
}

// wellConditioned reports whether a matrix has a condition number up to 10¹² at scales of
// 1, not those of its units.
func wellConditioned(a mat.Matrix) bool { return mat.Cond(a, 1) <= 1e12 }

// inUnits sets to to the values of a, row i times 2^row[i] and column j times 2^col[j].
func inUnits(to, a *sparsity.Matrix, row, col []int32) {
	k := 0
	for i := range row {
		for _, j := range a.Pattern().Row(i) {
			to.Values()[k] = scaled(a.Values()[k], row[i]+col[j])
			k++
		}
	}
}

// redraw gives a other values: normal numbers, of which a few differ by powers of ten, or
// small integers.
func redraw(rnd *rand.Rand, a *sparsity.Matrix) {
	kind := rnd.IntN(3)
	for k := range a.Values() {
		v := rnd.NormFloat64()
		switch {
		case kind == 0:
			v = float64(rnd.IntN(7) - 3)
		case kind == 1 && rnd.IntN(4) == 0:
			v *= math.Pow(10, 6*(2*rnd.Float64()-1))
		}
		a.Values()[k] = v
	}
}

// Refactorize in any units: without an error no equation is missed and the inertia is exact,
// and hardly a regular matrix is refused.
func TestRefactorizeDoesNotDependOnUnits(t *testing.T) {
	count := *refactorizations
	if testing.Short() {
		count = min(count, 2000)
	}
	const perPattern = 5
	t.Run("LU", func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(91, 1))
		regular, refused := 0, 0
		for k := 0; k < count; {
			a, _ := badlyScaled(rnd)
			n, _ := a.Dims()
			var lu LU
			scaledA := sparsity.NewMatrix(a.Pattern())
			for range perPattern {
				k++
				redraw(rnd, a)
				row, col := unitsOf(rnd, n), unitsOf(rnd, n)
				inUnits(scaledA, a, row, col)
				var err error
				if k%perPattern == 1 {
					err = lu.Factorize(scaledA)
				} else {
					err = lu.Refactorize(scaledA)
				}
				b := randomVector(rnd, n)
				trans := rnd.IntN(2) == 1
				in, out := row, col
				if trans {
					in, out = col, row
				}
				rhs, x := make([]float64, n), make([]float64, n)
				for i := range b {
					rhs[i] = scaled(b[i], in[i])
				}
				if err == nil {
					err = lu.SolveInto(x, trans, rhs)
				}
				if err == nil {
					for j := range x {
						x[j] = scaled(x[j], out[j])
					}
					require.LessOrEqual(t, backwardError(a, trans, x, b), backwardBound(n), "system %d", k)
				}
				if err == nil || wellConditioned(a) {
					regular++
					if err != nil {
						refused++
						t.Logf("system %d: %v", k, err)
					}
				}
			}
		}
		t.Logf("%d of %d refused", refused, regular)
		require.LessOrEqual(t, refused, regular/1000)
	})
	t.Run("LDL", func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(91, 2))
		regular, refused := 0, 0
		for k := 0; k < count; {
			full, _ := badlyScaled(rnd)
			a := lowerTriangle(full)
			n := a.SymmetricDim()
			var l LDL
			scaledA := sparsity.NewSymMatrix(sparsity.NewMatrix(a.Triangle().Pattern()))
			for range perPattern {
				k++
				redraw(rnd, a.Triangle())
				exp := unitsOf(rnd, n)
				inUnits(scaledA.Triangle(), a.Triangle(), exp, exp)
				var err error
				if k%perPattern == 1 {
					err = l.Factorize(scaledA)
				} else {
					err = l.Refactorize(scaledA)
				}
				if err == nil {
					p, q, z := exactInertia(a)
					positive, negative, zero := l.Inertia()
					require.Equal(t, [3]int{p, q, z}, [3]int{positive, negative, zero}, "system %d", k)
				}
				b := randomVector(rnd, n)
				rhs, x := make([]float64, n), make([]float64, n)
				for i := range b {
					rhs[i] = scaled(b[i], exp[i])
				}
				if err == nil {
					err = l.SolveInto(x, rhs)
				}
				if err == nil {
					for j := range x {
						x[j] = scaled(x[j], exp[j])
					}
					require.LessOrEqual(t, symmetricBackwardError(a, x, b), backwardBound(n), "system %d", k)
				}
				if err == nil || wellConditioned(a) {
					regular++
					if err != nil {
						refused++
						t.Logf("system %d: %v", k, err)
					}
				}
			}
		}
		t.Logf("%d of %d refused", refused, regular)
		require.LessOrEqual(t, refused, regular/1000)
	})
}

// A system with A and with Aᵀ, where right-hand sides have elements of all sizes.
func TestDiagonalOfAllSizes(t *testing.T) {
	a := sparsity.NewMatrix(sparsity.Diagonal(3))
	b := []float64{1e-300, 1, 1e300}
	copy(a.Values(), b)
	x := make([]float64, 3)
	var lu LU
	require.NoError(t, lu.Factorize(a))
	for _, trans := range []bool{false, true} {
		require.NoError(t, lu.SolveInto(x, trans, b))
		require.InDeltaSlice(t, []float64{1, 1, 1}, x, 1e-15)
	}
	var l LDL
	require.NoError(t, l.Factorize(sparsity.NewSymMatrix(a)))
	require.NoError(t, l.SolveInto(x, b))
	require.InDeltaSlice(t, []float64{1, 1, 1}, x, 1e-15)

	require.NoError(t, lu.Factorize(fromDense([][]float64{{1e-200, 0, 0}, {0, 1, 1e160}, {0, 1, 0}})))
	require.NoError(t, lu.SolveInto(x, false, []float64{9, 2, 8}))
	for i, want := range []float64{9e200, 8, -6e-160} {
		require.InEpsilon(t, want, x[i], 1e-14)
	}
}

// The vector that is returned is the one that was tested.
func TestKrylovTestsWhatItReturns(t *testing.T) {
	for _, c := range [][2]float64{{1e20, 1e-300}, {1e30, 1e-300}, {1e150, 1e-170}, {1e300, 1e-25}, {1e-150, 1e160}, {1e-300, 1e9}, {1, 1e200}} {
		a := func(dst, x []float64) {
			dst[0], dst[1] = c[0]*(2*x[0]+x[1]), c[0]*(x[0]+3*x[1])
		}
		b := []float64{c[1] * 3, c[1] * 4} // x = c₁/c₀·(1, 1)
		for _, solve := range []func(dst []float64, a func(dst, x []float64), b []float64) ([]float64, error){new(Krylov).GMRES, new(Krylov).BiCGStab} {
			x, err := solve(nil, a, b)
			require.True(t, finite(largest(x)), "%v", c)
			r := make([]float64, 2)
			a(r, x)
			residual := math.Hypot((b[0]-r[0])/c[1], (b[1]-r[1])/c[1]) / 5
			var convergence *ConvergenceError
			if errors.As(err, &convergence) {
				require.InDelta(t, residual, convergence.Residual, 1e-6, "%v", c)
			} else {
				require.LessOrEqual(t, residual, 1e-9, "%v", c)
			}
		}
	}
}

// GᵀG of small integers with one row less than columns is exact, and singular.
func TestCholeskyRefusesWhatIsSingularToItsRounding(t *testing.T) {
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed+1, 80))
		n := 2 + rnd.IntN(10)
		g := mat.NewDense(n, n-1, nil)
		for i := range n {
			for j := range n - 1 {
				g.Set(i, j, float64(rnd.IntN(9)-4))
			}
		}
		var h mat.Dense
		h.Mul(g, g.T())
		a := lowerTriangle(matrixOf(&h))
		var c Cholesky
		var not *NotPositiveDefiniteError
		require.ErrorAs(t, c.Factorize(a), &not, "seed %d", seed)
		v := c.NegativeCurvature(nil)
		require.Equal(t, 1.0, v[not.Variable])
	}
}

func matrixOf(a mat.Matrix) *sparsity.Matrix {
	m := sparsity.NewMatrix(sparsity.FromMatrix(a))
	for i, j := range m.Pattern().All() {
		m.Values()[m.Pattern().Position(i, j)] = a.At(i, j)
	}
	return m
}
