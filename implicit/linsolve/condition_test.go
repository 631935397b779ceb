package linsolve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
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

// chain is the optimality system of a linear quadratic control problem with n steps of
// length h, ½Σ h(u² + q²) for q″ = u by the trapezoidal rule, q and q′ being given at both
// ends and u for a time in between. Its elements are 1 and of the order of h.
func chain(n int, h float64) *sparsity.SymMatrix {
	q, v, u, equation := 0, n+1, 2*n+2, 3*n+3
	var rows, cols []int
	var values []float64
	put := func(i, j int, x float64) {
		rows, cols, values = append(rows, max(i, j)), append(cols, min(i, j)), append(values, x)
	}
	for i := range n + 1 {
		put(q+i, q+i, h)
		put(u+i, u+i, h)
	}
	row := func(entries map[int]float64) {
		for j, x := range entries {
			put(equation, j, x)
		}
		equation++
	}
	row(map[int]float64{q: 1})
	row(map[int]float64{v: 1})
	row(map[int]float64{q + n: 1})
	row(map[int]float64{v + n: 1})
	for i := n / 3; i < n/2; i++ {
		row(map[int]float64{u + i: 1})
	}
	for i := range n {
		row(map[int]float64{q + i + 1: 1, q + i: -1, v + i: -h / 2, v + i + 1: -h / 2})
		row(map[int]float64{v + i + 1: 1, v + i: -1, u + i: -h / 2, u + i + 1: -h / 2})
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(equation, equation, rows, cols))
	for k, x := range values {
		a.Values()[a.Pattern().Position(rows[k], cols[k])] = x
	}
	return sparsity.NewSymMatrix(a)
}

// plainCond is the condition number of a matrix with rows and columns multiplied by
// 2^row and 2^col.
func plainCond(t *testing.T, a mat.Matrix, row, col []int32) float64 {
	n := len(row)
	d := mat.NewDense(n, n, nil)
	d.Apply(func(i, j int, v float64) float64 { return math.Ldexp(v, int(row[i]+col[j])) }, a)
	for i := range n { // scales they are
		require.LessOrEqual(t, mat.Norm(d.RowView(i), math.Inf(1)), 2.0)
		require.Greater(t, mat.Norm(d.RowView(i), math.Inf(1)), 0.2)
	}
	var inverse mat.Dense
	require.NoError(t, inverse.Inverse(d))
	return mat.Norm(d, 1) * mat.Norm(&inverse, 1)
}

// In the scales of a maximum product matching, which follow a chain from its ends, the
// condition number grows with n⁴, where the matrix is not nearly singular at all.
func TestCondOfAChainOfSmallSteps(t *testing.T) {
	a := chain(40, 1e-4)
	p, values := a.Triangle().Pattern(), a.Triangle().Values()
	n := a.SymmetricDim()
	var ldl LDL
	require.NoError(t, ldl.Factorize(a))
	require.True(t, ldl.product)
	exponents, exp := make([]int32, len(values)), make([]int32, n)
	setExponents(exponents, values)
	ruiz(p, exponents, exp, make([]int32, n))
	want := plainCond(t, a, exp, exp)
	relative := make([]int32, n)
	for i, e := range exp {
		relative[i] = e - ldl.exp[i]
	}
	fromRelative, _ := ldl.conditionOf(relative)
	require.InEpsilon(t, want, fromRelative, 0.9)

	full := bothTriangles(p, values)
	var lu LU
	require.NoError(t, lu.Factorize(full))
	require.True(t, lu.product)
	col := make([]int32, n)
	equilibrate(full.Pattern(), full.Values(), make([]int32, n), exp, col)
	require.InEpsilon(t, plainCond(t, a, exp, col), lu.plainCondition(), 0.9)

	a = chain(20000, 1e-4)
	require.NoError(t, ldl.Factorize(a))
	require.Less(t, ldl.Cond(), 1e12)
	require.NoError(t, lu.Factorize(bothTriangles(a.Triangle().Pattern(), a.Triangle().Values())))
	require.Less(t, lu.Cond(), 1e12)
}
