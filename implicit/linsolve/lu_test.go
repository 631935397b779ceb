package linsolve

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"

	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
)

var sizes = []int{1, 2, 3, 4, 5, 10, 11, 50}

// fromDense returns the sparse matrix of the nonzeros of the rows a.
func fromDense(a [][]float64) *sparsity.Matrix {
	m := sparsity.NewMatrix(sparsity.FromDense(a))
	at := 0
	for i, row := range a {
		for _, j := range m.Pattern().Row(i) {
			m.Values()[at] = row[j]
			at++
		}
	}
	return m
}

// randomMatrix returns a matrix of full structural rank with about perRow
// normally distributed entries a row besides a random transversal.
func randomMatrix(rnd *rand.Rand, n int, perRow float64) *sparsity.Matrix {
	var ri, ci []int
	for i, j := range rnd.Perm(n) {
		ri = append(ri, i)
		ci = append(ci, j)
	}
	for range int(perRow * float64(n)) {
		ri = append(ri, rnd.IntN(n))
		ci = append(ci, rnd.IntN(n))
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(n, n, ri, ci))
	randomize(rnd, a)
	return a
}

func randomize(rnd *rand.Rand, a *sparsity.Matrix) {
	for k := range a.Values() {
		a.Values()[k] = rnd.NormFloat64()
	}
}

func randomVector(rnd *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rnd.NormFloat64()
	}
	return v
}

// rebuilt returns P⁻¹R⁻¹(LU + F)Q⁻¹.
func rebuilt(lu *LU) *mat.Dense {
	n := lu.order()
	l, u, f := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	block := 0
	for k := range n {
		if k >= int(lu.blockStart[block+1]) {
			block++
		}
		l.Set(k, k, 1)
		u.Set(k, k, lu.diagonal[k])
		for t := lu.l.ptr[k]; t < lu.l.ptr[k+1]; t++ {
			l.Set(int(lu.l.idx[t]), k, lu.l.val[t])
		}
		for t := lu.u.ptr[k]; t < lu.u.ptr[k+1]; t++ {
			if i := lu.u.idx[t]; i < lu.blockStart[block] {
				f.Set(int(i), k, lu.u.val[t])
			} else {
				u.Set(int(i), k, lu.u.val[t])
			}
		}
	}
	var b mat.Dense
	b.Mul(l, u)
	b.Add(&b, f)
	a := mat.NewDense(n, n, nil)
	for k := range n {
		i := int(lu.rowOrder[k])
		for c := range n {
			a.Set(i, int(lu.colOrder[c]), scaled(b.At(k, c), -lu.rowExp[i]-lu.colExp[lu.colOrder[c]]))
		}
	}
	return a
}

func TestLURebuildsTheMatrix(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range sizes {
		for _, perRow := range []float64{0, 1, 3, float64(n)} {
			a := randomMatrix(rnd, n, perRow)
			var lu LU
			require.NoError(t, lu.Factorize(a))
			require.True(t, mat.EqualApprox(rebuilt(&lu), a, 1e-12), "n = %d", n)
			require.True(t, mat.Equal(&lu, a))
			require.True(t, mat.Equal(lu.T(), a.T()))
		}
	}
}

func TestLUSolvesBackwardStably(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		perRow := rapid.Float64Range(0, 6).Draw(t, "perRow")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomMatrix(rnd, n, perRow)
		if rapid.Bool().Draw(t, "badly scaled") {
			for k := range a.Values() {
				a.Values()[k] *= math.Pow(10, float64(rnd.IntN(13)-6))
			}
		}
		b := randomVector(rnd, n)
		var lu LU
		if err := lu.Factorize(a); err != nil {
			// Only what is singular or nearly so is refused.
			require.Greater(t, mat.Cond(mat.DenseCopyOf(a), 1), 1e10, err)
			return
		}
		for _, trans := range []bool{false, true} {
			x := make([]float64, n)
			require.NoError(t, lu.SolveInto(x, trans, b))
			require.LessOrEqual(t, backwardError(a, trans, x, b), backwardBound(n))
		}
	})
}

func TestLUAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomMatrix(rnd, n, rapid.Float64Range(0, 6).Draw(t, "perRow"))
		trans := rapid.Bool().Draw(t, "trans")
		b := mat.NewDense(n, 3, randomVector(rnd, 3*n))
		var lu LU
		if err := lu.Factorize(a); err != nil {
			// Only what is singular or nearly so is refused.
			require.Greater(t, mat.Cond(mat.DenseCopyOf(a), 1), 1e10, err)
			return
		}
		var dense mat.LU
		dense.Factorize(a)
		var want, got mat.Dense
		require.NoError(t, dense.SolveTo(&want, trans, b))
		require.NoError(t, lu.SolveTo(&got, trans, b))

		// Both are backward stable, up to the element growth of partial pivoting.
		got.Sub(&got, &want)
		bound := 100 * float64(n) * epsilon * mat.Cond(a, 1) * mat.Norm(&want, 2)
		require.LessOrEqual(t, mat.Norm(&got, 2), bound)
	})
}

func TestLUFitsGonumSolve(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	a := randomMatrix(rnd, 11, 2)
	b := mat.NewDense(11, 3, randomVector(rnd, 33))
	var lu LU
	require.NoError(t, lu.Factorize(a))

	var x, ax mat.Dense
	require.NoError(t, x.Solve(&lu, b))
	ax.Mul(a, &x)
	require.True(t, mat.EqualApprox(&ax, b, 1e-12))
	require.NoError(t, x.Solve(lu.T(), b))
	ax.Mul(a.T(), &x)
	require.True(t, mat.EqualApprox(&ax, b, 1e-12))

	var v, av mat.VecDense
	require.NoError(t, v.SolveVec(&lu, b.ColView(1)))
	av.MulVec(a, &v)
	require.True(t, mat.EqualApprox(&av, b.ColView(1), 1e-12))
}

func TestLUSolutionMayOverwriteRightHandSide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	const n = 10
	a := randomMatrix(rnd, n, 2)
	var lu LU
	require.NoError(t, lu.Factorize(a))
	for _, trans := range []bool{false, true} {
		b := mat.NewDense(n, 2, randomVector(rnd, 2*n))
		var want mat.Dense
		require.NoError(t, lu.SolveTo(&want, trans, b))

		got := mat.DenseCopyOf(b)
		require.NoError(t, lu.SolveTo(got, trans, got))
		require.Equal(t, &want, got)

		// A column of a wider matrix, in place.
		col := mat.DenseCopyOf(b).ColView(1).(*mat.VecDense)
		require.NoError(t, lu.SolveVecTo(col, trans, col))
		require.True(t, mat.Equal(want.ColView(1), col))

		// Overlapping slices.
		buf := make([]float64, n+3)
		copy(buf, mat.Col(nil, 0, b))
		require.NoError(t, lu.SolveInto(buf[3:], trans, buf[:n]))
		require.Equal(t, mat.Col(nil, 0, &want), buf[3:])
	}
}

func TestSolvingTogetherGivesTheSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 1))
	const n = 50
	a := randomMatrix(rnd, n, 3)
	var lu LU
	require.NoError(t, lu.Factorize(a))
	for _, k := range []int{1, 2, 3, 4, 5, 9} {
		for _, trans := range []bool{false, true} {
			b := mat.NewDense(n, k, randomVector(rnd, n*k))
			var x mat.Dense
			require.NoError(t, lu.SolveTo(&x, trans, b))
			for j := range k {
				v := mat.Col(nil, j, b)
				require.NoError(t, lu.SolveInto(v, trans, v))
				require.Equal(t, v, mat.Col(nil, j, &x))
			}
		}
	}
}

func TestLUHasNoFillWhereNoneIsNeeded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 1))
	const n = 60
	permuted := func(p *sparsity.Pattern) *sparsity.Pattern {
		rows, cols := rnd.Perm(n), rnd.Perm(n)
		var ri, ci []int
		for i := range n {
			for _, j := range p.Row(i) {
				ri = append(ri, rows[i])
				ci = append(ci, cols[j])
			}
		}
		return sparsity.FromCoordinates(n, n, ri, ci)
	}
	random := randomMatrix(rnd, n, 5).Pattern().Union(sparsity.Diagonal(n))
	for _, test := range []struct {
		name    string
		pattern *sparsity.Pattern
	}{
		{"permuted diagonal", permuted(sparsity.Diagonal(n))},
		{"permuted triangle", permuted(random.Lower())},
		{"arrow, hub first", sparsity.Arrow(n, 0)},
		{"arrow, hub last", sparsity.Arrow(n, n-1)},
		{"tridiagonal", sparsity.Banded(n, 1, 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := sparsity.NewMatrix(test.pattern)
			randomize(rnd, a)
			for i := range n {
				if k := a.Pattern().Position(i, i); k >= 0 {
					a.Values()[k] += n
				}
			}
			var lu LU
			require.NoError(t, lu.Factorize(a))
			require.Equal(t, a.NNZ(), lu.NNZ())
			require.Equal(t, 1.0, lu.Fill())
		})
	}
}

func TestLUFactorizesOnlyDiagonalBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 1))
	const blocks, size = 3, 7
	const n = blocks * size
	rows, cols := rnd.Perm(n), rnd.Perm(n)
	var ri, ci []int
	for i := range n {
		for j := range n {
			if i/size == j/size || i/size < j/size && rnd.IntN(3) == 0 {
				ri = append(ri, rows[i])
				ci = append(ci, cols[j])
			}
		}
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(n, n, ri, ci))
	randomize(rnd, a)
	var lu LU
	require.NoError(t, lu.Factorize(a))
	require.Len(t, lu.blockStart, blocks+1)
	require.Equal(t, a.NNZ(), lu.NNZ())
	require.True(t, mat.EqualApprox(rebuilt(&lu), a, 1e-12))
	b := randomVector(rnd, n)
	for _, trans := range []bool{false, true} {
		x := make([]float64, n)
		require.NoError(t, lu.SolveInto(x, trans, b))
		require.LessOrEqual(t, backwardError(a, trans, x, b), backwardBound(n))
	}
}

func TestRefactorizeEqualsFactorize(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 1))
	for _, n := range sizes {
		a := randomMatrix(rnd, n, 3)
		first := slices.Clone(a.Values())
		var fresh, again LU
		require.NoError(t, fresh.Factorize(a))
		require.NoError(t, again.Factorize(a))
		for range 5 {
			for k := range a.Values() {
				a.Values()[k] *= 1 + 0.01*rnd.NormFloat64()
			}
			require.NoError(t, again.Refactorize(a))
			require.True(t, mat.EqualApprox(rebuilt(&again), a, 1e-11))
			require.True(t, mat.Equal(&again, a))
		}
		copy(a.Values(), first)
		require.NoError(t, again.Refactorize(a))
		require.Zero(t, again.Repivots())
		require.Equal(t, fresh.l.val, again.l.val)
		require.Equal(t, fresh.u.val, again.u.val)
		require.Equal(t, fresh.diagonal, again.diagonal)
		require.Equal(t, fresh.Cond(), again.Cond())
	}
}

func TestRefactorizeChoosesNewPivotsWhenOldOnesVanish(t *testing.T) {
	a := fromDense([][]float64{
		{4, 1, 0},
		{1, 4, 1},
		{0, 1, 4},
	})
	var lu LU
	require.NoError(t, lu.Factorize(a))
	for i := range 3 {
		a.Values()[a.Pattern().Position(i, i)] = 1e-9
	}
	a.Values()[a.Pattern().Position(0, 0)] = 0.5
	require.NoError(t, lu.Refactorize(a))
	require.Equal(t, 1, lu.repivots)
	b := []float64{1, 2, 3}
	x := make([]float64, 3)
	require.NoError(t, lu.SolveInto(x, false, b))
	require.LessOrEqual(t, backwardError(a, false, x, b), backwardBound(3))
	require.NoError(t, lu.Refactorize(a))
	require.Equal(t, 1, lu.repivots)
}

func TestFactorsBeyondTheirBoundAreAnError(t *testing.T) {
	a := grid(20)
	var free LU
	require.NoError(t, free.Factorize(a))
	lu := LU{MaxFill: 1000}
	err := lu.Factorize(a)
	var fill *FillError
	require.ErrorAs(t, err, &fill)
	require.Equal(t, 1000, fill.Limit)
	require.Greater(t, fill.Entries, 1000)
	require.LessOrEqual(t, fill.Entries, free.NNZ())
	require.Equal(t, err, lu.SolveInto(make([]float64, 400), false, make([]float64, 400)))
	require.EqualError(t, &FillError{2000, 1000}, "linsolve: factor would have 2000 entries, at most 1000 are allowed")
	lu.MaxFill = fill.Entries
	require.NoError(t, lu.Factorize(a))

	h := symmetricGrid(20)
	ldl := LDL{MaxFill: 1000}
	err = ldl.Factorize(h)
	require.ErrorAs(t, err, &fill)
	require.Equal(t, 1000, fill.Limit)
	require.Greater(t, fill.Entries, 1000)
	require.Equal(t, err, ldl.SolveInto(make([]float64, 400), make([]float64, 400)))
	require.Equal(t, err, ldl.Refactorize(h))
	ldl.MaxFill = fill.Entries
	require.NoError(t, ldl.Refactorize(h))
	require.Equal(t, fill.Entries+2*400, ldl.NNZ())
}

func TestRefactorizeAfterFailureRecovers(t *testing.T) {
	good := fromDense([][]float64{{2, 1}, {1, 3}})
	x := make([]float64, 2)
	for name, spoil := range map[string]func([]float64){
		"not finite": func(v []float64) { v[1] = math.NaN() },
		"singular":   func(v []float64) { copy(v, []float64{1, 1, 1, 1}) },
		"zero":       func(v []float64) { clear(v) },
	} {
		t.Run(name, func(t *testing.T) {
			bad := sparsity.NewMatrix(good.Pattern())
			copy(bad.Values(), good.Values())
			spoil(bad.Values())
			for _, first := range []*sparsity.Matrix{good, bad} {
				var lu LU
				err := lu.Factorize(first)
				require.Equal(t, first == bad, err != nil)
				err = lu.Refactorize(bad)
				require.Error(t, err)
				require.Equal(t, err, lu.SolveInto(x, false, []float64{3, 4}))
				require.NoError(t, lu.Refactorize(good))
				require.NoError(t, lu.SolveInto(x, false, []float64{3, 4}))
				require.InDeltaSlice(t, []float64{1, 1}, x, 4*epsilon)
			}
		})
	}
}

func TestStructurallySingularNamesRankRowsAndColumns(t *testing.T) {
	// Rows 0, 2 and 4 have entries in columns 1 and 3 only.
	a := fromDense([][]float64{
		{0, 1, 0, 2, 0},
		{1, 1, 1, 0, 1},
		{0, 3, 0, 4, 0},
		{0, 0, 1, 1, 2},
		{0, 5, 0, 6, 0},
	})
	var lu LU
	err := lu.Factorize(a)
	var singular *SingularError
	require.ErrorAs(t, err, &singular)
	require.Equal(t, 5, singular.N)
	require.Equal(t, 4, singular.StructuralRank)
	require.Zero(t, singular.RCond)
	require.Len(t, singular.Rows, 1)
	require.Contains(t, []int{0, 2, 4}, singular.Rows[0])
	require.Len(t, singular.Columns, 1)
	require.Contains(t, []int{0, 2, 4}, singular.Columns[0])
	require.True(t, math.IsInf(lu.Cond(), 1))
	require.Zero(t, lu.NNZ())

	var condition mat.Condition
	require.ErrorAs(t, err, &condition)
	require.True(t, math.IsInf(float64(condition), 1))
	require.Equal(t, err, lu.SolveTo(new(mat.Dense), false, mat.NewDense(5, 1, nil)))
}

func TestNumericallySingularNamesRowsAndColumns(t *testing.T) {
	// Row 3 is the sum of rows 0 and 1, column 2 twice column 0.
	a := fromDense([][]float64{
		{1, 2, 2, 0},
		{4, 1, 8, 1},
		{1, 0, 2, 3},
		{5, 3, 10, 1},
	})
	for _, v := range []float64{1, 1024} {
		for k := range a.Values() {
			a.Values()[k] *= v
		}
		var lu LU
		err := lu.Factorize(a)
		var singular *SingularError
		require.ErrorAs(t, err, &singular)
		require.Equal(t, 4, singular.StructuralRank)
		require.Zero(t, singular.RCond)
		require.Len(t, singular.Rows, 1)
		require.Contains(t, []int{0, 1, 3}, singular.Rows[0])
		require.Len(t, singular.Columns, 1)
		require.Contains(t, []int{0, 2}, singular.Columns[0])
	}
}

func TestNearlySingularSolvesWithCondition(t *testing.T) {
	// Rows 0 and 2 nearly agree, and so do columns 1 and 2.
	a := fromDense([][]float64{
		{0, 1, 1, 0},
		{1, 0, 0, 1},
		{0, 1 - epsilon/2, 1, 0},
		{1, 0, 0, 2},
	})
	var lu LU
	err := lu.Factorize(a)
	var singular *SingularError
	require.ErrorAs(t, err, &singular)
	require.Equal(t, 4, singular.StructuralRank)
	require.Less(t, singular.RCond, 1e-16)
	require.Equal(t, 1/lu.Cond(), singular.RCond)
	require.Equal(t, []int{0, 2}, singular.Rows)
	require.Equal(t, []int{1, 2}, singular.Columns)

	b := []float64{1, 2, 3, 4}
	for _, trans := range []bool{false, true} {
		x := make([]float64, 4)
		err = lu.SolveInto(x, trans, b)
		require.Equal(t, mat.Condition(lu.Cond()), err)
		require.LessOrEqual(t, backwardError(a, trans, x, b), backwardBound(4))
	}
}

// The inverse of the matrix with 1 on the diagonal and −4 above it has 4^(n−1) in
// its corner.
func TestConditionBeyondRangeIsSingular(t *testing.T) {
	const n = 600
	a := sparsity.NewMatrix(sparsity.Banded(n, 0, 1))
	for i := range n {
		for _, j := range a.Pattern().Row(i) {
			a.Values()[a.Pattern().Position(i, int(j))] = 1 - 5*float64(int(j)-i)
		}
	}
	var lu LU
	err := lu.Factorize(a)
	var singular *SingularError
	require.ErrorAs(t, err, &singular)
	require.Zero(t, singular.RCond)
	require.NotEmpty(t, singular.Columns)
	require.NotEmpty(t, singular.Rows)
	require.Equal(t, err, lu.SolveInto(make([]float64, n), false, make([]float64, n)))
}

func TestSingularErrorNamesAFew(t *testing.T) {
	err := &SingularError{N: 20, StructuralRank: 10, Rows: []int{3}, Columns: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	require.EqualError(t, err, "linsolve: matrix of order 20 has structural rank 10: nothing for row 3 and columns 0, 1, 2, 3, 4, 5, 6, 7 and 2 more")
	err = &SingularError{N: 2, StructuralRank: 2, RCond: 1e-17, Rows: []int{0, 1}, Columns: []int{0, 1}}
	require.EqualError(t, err, "linsolve: matrix of order 2 is nearly singular, reciprocal condition 1e-17: nearly dependent are rows 0, 1 and columns 0, 1")
	err.RCond = 0
	require.EqualError(t, err, "linsolve: matrix of order 2 is singular: no pivot for rows 0, 1 and columns 0, 1")
	require.EqualError(t, &NonFiniteError{3, 4, math.Inf(1)}, "linsolve: entry (3, 4) of the matrix is +Inf")
}

func TestRowScalesDoNotMatter(t *testing.T) {
	a := fromDense([][]float64{
		{1e300, 2e300, 0},
		{0, 1e-300, 1e-300},
		{1, 0, 1},
	})
	var lu LU
	require.NoError(t, lu.Factorize(a))
	require.Less(t, lu.Cond(), 20.0)
	x := make([]float64, 3)
	require.NoError(t, lu.SolveInto(x, false, []float64{3e300, 2e-300, 2}))
	require.InDeltaSlice(t, []float64{1, 1, 1}, x, 4*epsilon)
	require.NoError(t, lu.SolveInto(x, true, []float64{2, 3, 2}))
	require.InDeltaSlice(t, []float64{1, 1, 1}, []float64{x[0] * 1e300, x[1] * 1e-300, x[2]}, 8*epsilon)
}

// steep returns the matrix with d on the diagonal, −1 below it and 1 in the last
// column, which elimination without interchanges multiplies by 1 + 1/d in every
// step (Wilkinson, with d = 1).
func steep(n int, d float64) *sparsity.Matrix {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range i {
			rows[i][j] = -1
		}
		rows[i][i] = d
		rows[i][n-1] = 1
	}
	return fromDense(rows)
}

func TestGrowthMakesPivotsLarger(t *testing.T) {
	const n = 20
	a := steep(n, 0.002)
	b := randomVector(rand.New(rand.NewPCG(12, 1)), n)
	var lu LU
	require.NoError(t, lu.Factorize(a))
	for _, trans := range []bool{false, true} {
		x := make([]float64, n)
		require.NoError(t, lu.SolveInto(x, trans, b))
		require.LessOrEqual(t, backwardError(a, trans, x, b), backwardBound(n))
	}
	require.Less(t, largest(lu.u.val), 1e7)
	_, grown := lu.eliminate(pivotTolerance)
	require.True(t, grown)
}

// No choice of pivots within columns keeps the last column from doubling.
func TestHopelessGrowthIsAnErrorOrSolved(t *testing.T) {
	for n := 10; n <= 100; n += 10 {
		a := steep(n, 1)
		b := randomVector(rand.New(rand.NewPCG(13, uint64(n))), n)
		var lu LU
		if err := lu.Factorize(a); err != nil {
			continue
		}
		for _, trans := range []bool{false, true} {
			x := make([]float64, n)
			err := lu.SolveInto(x, trans, b)
			bad := backwardError(a, trans, x, b) > backwardBound(n)
			require.Equal(t, bad, err != nil)
		}
	}
}

func TestNonFiniteEntriesAreNamed(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := tridiagonal(5)
		a.Values()[a.Pattern().Position(3, 2)] = v
		var lu LU
		err := lu.Factorize(a)
		require.Equal(t, -1.0, lu.At(2, 3))
		var nonFinite *NonFiniteError
		require.ErrorAs(t, err, &nonFinite)
		require.Equal(t, [2]int{3, 2}, [2]int{nonFinite.Row, nonFinite.Column})
		require.Equal(t, err, lu.SolveInto(make([]float64, 5), false, make([]float64, 5)))
	}
}

func TestNonFiniteRightHandSideIsAnError(t *testing.T) {
	var lu LU
	require.NoError(t, lu.Factorize(tridiagonal(5)))
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		b := []float64{1, 2, v, 4, 5}
		var convergence *ConvergenceError
		require.ErrorAs(t, lu.SolveInto(make([]float64, 5), false, b), &convergence)
		require.ErrorAs(t, lu.SolveInto(make([]float64, 5), true, b), &convergence)
	}
}

func TestLUOfOrderZeroAndOne(t *testing.T) {
	var lu LU
	r, c := lu.Dims()
	require.Equal(t, [2]int{0, 0}, [2]int{r, c})

	zero := sparsity.NewMatrix(sparsity.Diagonal(0))
	require.NoError(t, lu.Factorize(zero))
	require.NoError(t, lu.Refactorize(zero))
	require.NoError(t, lu.SolveInto(nil, false, nil))
	require.NoError(t, lu.SolveTo(new(mat.Dense), true, new(mat.Dense)))
	require.NoError(t, lu.SolveVecTo(new(mat.VecDense), true, new(mat.VecDense)))
	require.Zero(t, lu.Fill())
	require.Zero(t, lu.Cond())

	for _, v := range []float64{3, -1e-300, 5e-324, 8e307} {
		one := fromDense([][]float64{{v}})
		require.NoError(t, lu.Factorize(one))
		x := make([]float64, 1)
		require.NoError(t, lu.SolveInto(x, false, []float64{2 * v}))
		require.Equal(t, 2.0, x[0])
		require.NoError(t, lu.SolveInto(x, true, []float64{v}))
		require.Equal(t, 1.0, x[0])
		require.InDelta(t, 1, lu.Cond(), epsilon)
	}
	stored := sparsity.NewMatrix(sparsity.Diagonal(1))
	var singular *SingularError
	require.ErrorAs(t, lu.Factorize(stored), &singular)
	require.Equal(t, 1, singular.StructuralRank)
	require.ErrorAs(t, lu.Factorize(sparsity.NewMatrix(sparsity.NewPattern(1, 1, []int32{0, 0}, nil))), &singular)
	require.Equal(t, 0, singular.StructuralRank)
}

func TestLUMayBeUsedForOtherPatterns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 1))
	var lu LU
	for _, n := range []int{50, 5, 11, 1, 50, 10} {
		a := randomMatrix(rnd, n, 2)
		require.NoError(t, lu.Factorize(a))
		b := randomVector(rnd, n)
		x := make([]float64, n)
		require.NoError(t, lu.SolveInto(x, false, b))
		require.LessOrEqual(t, backwardError(a, false, x, b), backwardBound(n))
	}
}

func TestLUSolvesConcurrently(t *testing.T) {
	a := grid(20)
	n, _ := a.Dims()
	var lu LU
	require.NoError(t, lu.Factorize(a))
	b := randomVector(rand.New(rand.NewPCG(9, 1)), n)
	want := make([]float64, n)
	require.NoError(t, lu.SolveInto(want, false, b))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			x := make([]float64, n)
			for range 20 {
				if err := lu.SolveInto(x, false, b); err != nil || !slices.Equal(x, want) {
					t.Error("differs", err)
				}
			}
		})
	}
	wg.Wait()
}

func TestRefactorizeAndSolveDoNotAllocate(t *testing.T) {
	a := grid(20)
	n, _ := a.Dims()
	var lu LU
	require.NoError(t, lu.Factorize(a))
	b := randomVector(rand.New(rand.NewPCG(10, 1)), n)
	x := make([]float64, n)
	rhs := mat.NewDense(n, 3, nil)
	dst := mat.NewDense(n, 3, nil)
	vec := mat.NewVecDense(n, b)
	to := mat.NewVecDense(n, nil)
	for name, f := range map[string]func(){
		"Refactorize": func() { lu.Refactorize(a) },
		"SolveInto":   func() { lu.SolveInto(x, false, b); lu.SolveInto(x, true, b) },
		"SolveTo":     func() { lu.SolveTo(dst, false, rhs); lu.SolveTo(dst, true, rhs) },
		"SolveVecTo":  func() { lu.SolveVecTo(to, false, vec); lu.SolveVecTo(to, true, vec) },
	} {
		require.Zero(t, testing.AllocsPerRun(20, f), name)
	}
}

func TestLUOfLargeMatrices(t *testing.T) {
	const n = 1e5
	cycle := func() *sparsity.Matrix {
		var ri, ci []int
		for i := range int(n) {
			ri = append(ri, i, i)
			ci = append(ci, i, (i+1)%n)
		}
		a := sparsity.NewMatrix(sparsity.FromCoordinates(n, n, ri, ci))
		for k := range a.Values() {
			a.Values()[k] = 1 + 0.5*float64(k%2)
		}
		return a
	}
	for _, test := range []struct {
		name string
		a    *sparsity.Matrix
		fill float64
	}{
		{"tridiagonal", tridiagonal(n), 1},
		{"cycle", cycle(), 1.5},
		{"5-point grid", grid(100), 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			order, _ := test.a.Dims()
			want := randomVector(rand.New(rand.NewPCG(11, 1)), order)
			b := mat.NewVecDense(order, nil)
			test.a.MulVecTo(b, false, mat.NewVecDense(order, want))
			var lu LU
			require.NoError(t, lu.Factorize(test.a))
			require.LessOrEqual(t, lu.Fill(), test.fill)
			x := make([]float64, order)
			require.NoError(t, lu.SolveInto(x, false, b.RawVector().Data))
			require.InDeltaSlice(t, want, x, 10*epsilon*lu.Cond())
		})
	}
}

func TestLUPanicsOnMisuse(t *testing.T) {
	rectangular := sparsity.NewMatrix(sparsity.Full(2, 3))
	var none, lu LU
	require.NoError(t, lu.Factorize(tridiagonal(3)))
	for message, f := range map[string]func(){
		"linsolve: matrix not square":                               func() { none.Factorize(rectangular) },
		"linsolve: no factorization":                                func() { none.SolveInto(nil, false, nil) },
		"linsolve: pattern differs":                                 func() { lu.Refactorize(tridiagonal(4)) },
		"linsolve: length of vector is not the order of the matrix": func() { lu.SolveInto(make([]float64, 3), false, make([]float64, 2)) },
	} {
		require.PanicsWithValue(t, message, f)
	}
	require.PanicsWithValue(t, "linsolve: no factorization", func() { none.Refactorize(tridiagonal(3)) })
	require.PanicsWithValue(t, "linsolve: no factorization", func() { none.Cond() })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { lu.SolveTo(new(mat.Dense), false, mat.NewDense(2, 1, nil)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { lu.SolveTo(mat.NewDense(3, 2, nil), false, mat.NewDense(3, 1, nil)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { lu.SolveVecTo(new(mat.VecDense), false, mat.NewVecDense(2, nil)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { lu.SolveVecTo(mat.NewVecDense(4, nil), false, mat.NewVecDense(3, nil)) })
}

// decodeMatrix reads an order and entries from bytes: row, column and value
// each, where values are few so that cancellation is common.
func decodeMatrix(data []byte) *sparsity.Matrix {
	if len(data) == 0 {
		return sparsity.NewMatrix(sparsity.Diagonal(0))
	}
	n := int(data[0] % 16)
	values := []float64{1, -1, 2, 0, 0.5, 1e-3, 1e-9, 1e-17, 1e9, 1e100, 1e-100, math.Inf(1), math.NaN(), -0.25, -1e4, 3}
	d := make([][]float64, n)
	for i := range d {
		d[i] = make([]float64, n)
	}
	for data = data[1:]; n > 0 && len(data) >= 2; data = data[2:] {
		d[int(data[0]>>4)%n][int(data[0]&15)%n] = values[data[1]%16]
	}
	if n == 0 {
		return sparsity.NewMatrix(sparsity.Diagonal(0))
	}
	return fromDense(d)
}

func FuzzLU(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 0x00, 0, 0x11, 1, 0x22, 2})
	f.Add([]byte{3, 0x01, 0, 0x10, 1, 0x22, 2, 0x02, 9, 0x20, 10})
	f.Add([]byte{2, 0x00, 0, 0x01, 0, 0x10, 0, 0x11, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		a := decodeMatrix(data)
		n, _ := a.Dims()
		b := make([]float64, n)
		for i := range b {
			b[i] = float64(i%3) - 1.5
		}
		var lu LU
		err := lu.Factorize(a)
		for _, trans := range []bool{false, true} {
			x := make([]float64, n)
			solveErr := lu.SolveInto(x, trans, b)
			if err != nil {
				require.Error(t, solveErr)
			} else if solveErr == nil && n > 0 {
				require.LessOrEqual(t, backwardError(a, trans, x, b), backwardBound(n))
			}
		}
		again := lu.Refactorize(a)
		require.Equal(t, err == nil, again == nil)

		// Other values, for which the pivots of a may not do.
		v := a.Values()
		for k := range v {
			if v[k] *= float64(k%4) - 1; k%7 == 0 {
				v[k] *= 1e-12
			}
		}
		var fresh LU
		err, again = fresh.Factorize(a), lu.Refactorize(a)
		x := make([]float64, n)
		if err == nil && again == nil && lu.SolveInto(x, false, b) == nil && n > 0 {
			require.LessOrEqual(t, backwardError(a, false, x, b), backwardBound(n))
		}
		// A pivot of 0 may be one of some roundings when others come before it.
		if singular := new(SingularError); errors.As(err, &singular) && singular.RCond == 0 && again == nil {
			require.Greater(t, lu.Cond(), 1/(1000*float64(n)*epsilon))
		}
	})
}
