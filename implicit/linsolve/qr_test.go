package linsolve

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// tall draws an m×n matrix with perRow entries a row, and one in each column.
func tall(rnd *rand.Rand, m, n int, perRow float64) *sparsity.Matrix {
	var ri, ci []int
	for j, i := range rnd.Perm(m)[:n] {
		ri, ci = append(ri, i), append(ci, j)
	}
	for range int(perRow * float64(m)) {
		if n > 0 {
			ri, ci = append(ri, rnd.IntN(m)), append(ci, rnd.IntN(n))
		}
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(m, n, ri, ci))
	randomize(rnd, a)
	return a
}

func drawTall(t *rapid.T) *sparsity.Matrix {
	n := rapid.IntRange(1, 30).Draw(t, "n")
	m := n + rapid.IntRange(0, 40).Draw(t, "m−n")
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	return tall(rnd, m, n, rapid.SampledFrom([]float64{0, 0.5, 1, 2, 5, 20}).Draw(t, "perRow"))
}

// rebuiltQR returns Q[R; 0]P⁻¹C⁻¹.
func rebuiltQR(q *QR) *mat.Dense {
	m, n := q.Dims()
	a := mat.NewDense(m, n, nil)
	w := q.borrow()
	defer q.idle.give(w)
	y, rows := w[n:n+m], w[n+m:]
	for k, j := range q.order {
		clear(y)
		for s := range q.supernodes() {
			val, count, _, _, _ := q.front(s)
			for c := range q.columns(s) {
				if q.column(s, c) == int32(k) {
					for r := range min(c+1, q.width(s)) {
						y[q.slots[q.slotPtr[s]+r]] = val[c*count+r]
					}
				}
			}
		}
		for s := q.supernodes() - 1; s >= 0; s-- {
			q.applyQ(false, s, y, rows)
		}
		floats.Scale(scaled(1, -q.colExp[j]), y)
		a.SetCol(int(j), y)
	}
	return a
}

func TestQRRebuildsTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTall(t)
		var q QR
		if q.Factorize(a) != nil && math.IsInf(q.Cond(), 1) {
			return
		}
		require.True(t, mat.Equal(&q, a))
		require.True(t, mat.EqualApprox(rebuiltQR(&q), a, 1e-13))
	})
}

func TestQRAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTall(t)
		m, n := a.Dims()
		var q QR
		var dense mat.QR
		d := a.ToDense(nil)
		dense.Factorize(d)
		if q.Factorize(a) != nil || dense.Cond() > 1e8 {
			// Only what is singular or nearly so is refused.
			require.Greater(t, dense.Cond(), 1e8)
			return
		}
		for _, trans := range []bool{false, true} {
			from := m
			if trans {
				from = n
			}
			b := mat.NewDense(from, 2, randomVector(rand.New(rand.NewPCG(1, 1)), 2*from))
			var got, want mat.Dense
			var f mat.Matrix = &q
			if trans {
				f = q.T()
			}
			require.NoError(t, dense.SolveTo(&want, trans, b))
			require.NoError(t, got.Solve(f, b))
			got.Sub(&got, &want)
			bound := 100 * float64(m) * epsilon * dense.Cond() * (mat.Norm(&want, 2) + dense.Cond()*mat.Norm(b, 2)/mat.Norm(d, 2))
			require.LessOrEqual(t, mat.Norm(&got, 2), bound)
		}
		var gram, inverse mat.Dense
		gram.Mul(d.T(), d)
		if inverse.Inverse(&gram) == nil {
			for j, v := range q.InverseDiagonal(nil) {
				require.InEpsilon(t, inverse.At(j, j), v, 100*float64(n)*epsilon*dense.Cond()*dense.Cond())
			}
		}
	})
}

// The residual of a least-squares solution is orthogonal to the columns.
func TestQRResidualIsOrthogonalToColumns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(50, 1))
	for _, n := range sizes {
		a := tall(rnd, 3*n, n, 4)
		var q QR
		require.NoError(t, q.Factorize(a))
		b, x := randomVector(rnd, 3*n), make([]float64, n)
		require.NoError(t, q.SolveInto(x, false, b))
		d := a.ToDense(nil)
		var r, g mat.VecDense
		r.MulVec(d, mat.NewVecDense(n, x))
		r.SubVec(mat.NewVecDense(3*n, b), &r)
		g.MulVec(d.T(), &r)
		require.LessOrEqual(t, mat.Norm(&g, 2), 1e-13*mat.Norm(d, 2)*mat.Norm(&r, 2))
	}
}

// The variances of a polynomial fit whose normal equations have the condition
// number 10¹³ keep as many digits as QR leaves, against fractions.
func TestInverseDiagonalKeepsItsDigits(t *testing.T) {
	const m, n = 12, 9
	rows := make([][]float64, m)
	for i := range rows {
		for j := range n {
			rows[i] = append(rows[i], math.Pow(float64(i+1)/8, float64(j))) // exact
		}
	}
	a := fromDense(rows)
	var q QR
	require.NoError(t, q.Factorize(a))
	require.Greater(t, q.Cond(), 1e6)
	want := exactInverseDiagonal(rows)
	for j, v := range q.InverseDiagonal(nil) {
		require.InEpsilon(t, want[j], v, 10*epsilon*q.Cond())
	}
}

// Of random patterns, with columns that nearly depend on each other.
func TestInverseDiagonalOfRandomMatricesKeepsItsDigits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(58, 1))
	for range 300 {
		n := 1 + rnd.IntN(8)
		rows := make([][]float64, n+rnd.IntN(6))
		for i := range rows {
			rows[i] = make([]float64, n)
			for j := range n {
				if i == j || rnd.IntN(3) == 0 {
					rows[i][j] = rnd.NormFloat64()
				}
			}
			if n > 2 {
				rows[i][n-1] = rows[i][0] + rows[i][1] + 1e-5*rows[i][n-1]
			}
		}
		var q QR
		if q.Factorize(fromDense(rows)) != nil {
			continue
		}
		want := exactInverseDiagonal(rows)
		for j, v := range q.InverseDiagonal(nil) {
			require.InEpsilon(t, want[j], v, 10*epsilon*q.Cond())
		}
	}
}

// exactInverseDiagonal is the diagonal of (AᵀA)⁻¹ by Gauss and Jordan's
// elimination in fractions.
func exactInverseDiagonal(a [][]float64) []float64 {
	n := len(a[0])
	g := make([][]*big.Rat, n)
	for i := range g {
		g[i] = make([]*big.Rat, 2*n)
		for j := range g[i] {
			g[i][j] = new(big.Rat)
		}
		g[i][n+i].SetInt64(1)
		for j := range n {
			for _, row := range a {
				x, y := new(big.Rat).SetFloat64(row[i]), new(big.Rat).SetFloat64(row[j])
				g[i][j].Add(g[i][j], x.Mul(x, y))
			}
		}
	}
	for k := range n {
		pivot := new(big.Rat).Inv(g[k][k])
		for j := range g[k] {
			g[k][j].Mul(g[k][j], pivot)
		}
		for i := range n {
			if i == k {
				continue
			}
			factor := new(big.Rat).Set(g[i][k])
			for j := range g[i] {
				g[i][j].Sub(g[i][j], new(big.Rat).Mul(factor, g[k][j]))
			}
		}
	}
	d := make([]float64, n)
	for i := range d {
		d[i], _ = g[i][n+i].Float64()
	}
	return d
}

func TestQRRefactorizeEqualsFactorize(t *testing.T) {
	rnd := rand.New(rand.NewPCG(51, 1))
	a := tall(rnd, 60, 25, 3)
	var again QR
	require.NoError(t, again.Factorize(a))
	for range 3 {
		randomize(rnd, a)
		var fresh QR
		require.NoError(t, fresh.Factorize(a))
		require.NoError(t, again.Refactorize(a))
		require.Equal(t, fresh.val, again.val)
		require.Equal(t, fresh.Cond(), again.Cond())
	}
}

func TestQRDoesNotDependOnUnitsOfUnknowns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(52, 1))
	const m, n = 40, 12
	a := tall(rnd, m, n, 3)
	b := randomVector(rnd, m)
	var q, scaled QR
	require.NoError(t, q.Factorize(a))
	x, y := make([]float64, n), make([]float64, n)
	require.NoError(t, q.SolveInto(x, false, b))
	variances := q.InverseDiagonal(nil)
	unit := make([]float64, n)
	for j := range unit {
		unit[j] = math.Ldexp(1, rnd.IntN(200)-100)
	}
	p := a.Pattern()
	for i := range m {
		for _, j := range p.Row(i) {
			a.Values()[p.Position(i, int(j))] *= unit[j]
		}
	}
	require.NoError(t, scaled.Factorize(a))
	require.Equal(t, q.Cond(), scaled.Cond())
	require.NoError(t, scaled.SolveInto(y, false, b))
	floats.Mul(y, unit)
	require.Equal(t, x, y)
	floats.Mul(unit, unit)
	floats.Mul(unit, scaled.InverseDiagonal(nil))
	require.Equal(t, variances, unit)
}

func TestQRNamesDependentColumns(t *testing.T) {
	var singular *SingularError
	// Columns 0 and 2 have the same entry only.
	a := sparsity.NewMatrix(sparsity.FromCoordinates(4, 3, []int{0, 0, 1, 2}, []int{0, 2, 1, 1}))
	copy(a.Values(), []float64{1, 1, 1, 1})
	var q QR
	err := q.Factorize(a)
	require.ErrorAs(t, err, &singular)
	require.Zero(t, singular.RCond)
	require.Subset(t, []int{0, 2}, singular.Columns)
	require.NotEmpty(t, singular.Columns)
	require.Equal(t, err, q.SolveInto(make([]float64, 3), false, make([]float64, 4)))
	require.True(t, math.IsInf(q.Cond(), 1))
	require.True(t, math.IsNaN(q.InverseDiagonal(nil)[1]))

	// A column of zeros.
	a = fromDense([][]float64{{1, 0}, {1, 0}, {1, 0}})
	require.ErrorAs(t, q.Factorize(a), &singular)
	require.Equal(t, []int{1}, singular.Columns)

	// Column 2 is column 0 less column 1, but for rounding.
	rows := make([][]float64, 9)
	rnd := rand.New(rand.NewPCG(53, 1))
	for i := range rows {
		x, y := rnd.NormFloat64(), rnd.NormFloat64()
		rows[i] = []float64{x, y, x - y, rnd.NormFloat64()}
	}
	a = fromDense(rows)
	err = q.Factorize(a)
	require.ErrorAs(t, err, &singular)
	require.Equal(t, []int{0, 1, 2}, singular.Columns)
	x := make([]float64, 4)
	solveErr := q.SolveInto(x, false, make([]float64, 9))
	if singular.RCond > 0 {
		require.Equal(t, mat.Condition(q.Cond()), solveErr)
	} else {
		require.Equal(t, err, solveErr)
	}

	// Good values in the same places.
	randomize(rnd, a)
	require.NoError(t, q.Refactorize(a))
	require.NoError(t, q.SolveInto(x, false, make([]float64, 9)))

	a.Values()[6] = math.NaN()
	var nonFinite *NonFiniteError
	require.ErrorAs(t, q.Refactorize(a), &nonFinite)
	require.Equal(t, [2]int{1, 2}, [2]int{nonFinite.Row, nonFinite.Column})
}

// A chain of differences, as of smoothing splines, with many more rows than
// columns: R has the fill of its order, and fronts pass on no more rows than
// they have columns.
func TestQROfAChainStaysSmall(t *testing.T) {
	const n = 20000
	rnd := rand.New(rand.NewPCG(54, 1))
	var ri, ci []int
	for i := range 3 * n {
		j := i % n
		ri, ci = append(ri, i, i), append(ci, j, min(j+1, n-1))
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(3*n, n, ri, ci))
	randomize(rnd, a)
	var q QR
	require.NoError(t, q.Factorize(a))
	require.Less(t, q.NNZ(), 40*a.NNZ())
	want, b := randomVector(rnd, n), make([]float64, 3*n)
	a.MulVecTo(mat.NewVecDense(3*n, b), false, mat.NewVecDense(n, want))
	x := make([]float64, n)
	require.NoError(t, q.SolveInto(x, false, b))
	require.LessOrEqual(t, floats.Distance(x, want, math.Inf(1)), 1e-10)
}

func TestQROfNoColumns(t *testing.T) {
	var q QR
	require.NoError(t, q.Factorize(sparsity.NewMatrix(sparsity.FromCoordinates(3, 0, nil, nil))))
	require.Zero(t, q.Cond())
	require.NoError(t, q.SolveInto(nil, false, make([]float64, 3)))
	x := []float64{1, 2, 3}
	require.NoError(t, q.SolveInto(x, true, nil))
	require.Equal(t, make([]float64, 3), x)
	require.Empty(t, q.InverseDiagonal(nil))
}

func TestQRSolutionMayOverwriteRightHandSide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(55, 1))
	a := tall(rnd, 9, 5, 3)
	var q QR
	require.NoError(t, q.Factorize(a))
	b := randomVector(rnd, 9)
	x := make([]float64, 5)
	require.NoError(t, q.SolveInto(x, false, b))
	require.NoError(t, q.SolveInto(b[2:7], false, b))
	require.Equal(t, x, b[2:7])
}

func TestQRSolvesConcurrently(t *testing.T) {
	rnd := rand.New(rand.NewPCG(56, 1))
	a := tall(rnd, 300, 120, 4)
	var q QR
	require.NoError(t, q.Factorize(a))
	b, want := randomVector(rnd, 300), make([]float64, 120)
	require.NoError(t, q.SolveInto(want, false, b))
	variances := q.InverseDiagonal(nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			x := make([]float64, 120)
			for range 10 {
				if q.SolveInto(x, false, b) != nil || !floats.Equal(x, want) || !floats.Equal(variances, q.InverseDiagonal(nil)) {
					t.Error("solutions differ")
				}
			}
		})
	}
	group.Wait()
}

func TestQRDoesNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(57, 1))
	a := tall(rnd, 90, 40, 3)
	var q QR
	require.NoError(t, q.Factorize(a))
	x, b := make([]float64, 40), randomVector(rnd, 90)
	for name, f := range map[string]func(){
		"Refactorize":     func() { q.Refactorize(a) },
		"SolveInto":       func() { q.SolveInto(x, false, b) },
		"trans":           func() { q.SolveInto(b, true, x) },
		"InverseDiagonal": func() { q.InverseDiagonal(x) },
	} {
		f()
		require.Zero(t, testing.AllocsPerRun(20, f), name)
	}
}

// Of tall matrices, B and dst are parts of one matrix; of a square one, dst is Bᵀ too.
func TestQRSolvesIntoWhatOverlapsB(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 1))
	for _, m := range []int{4, 7} {
		const n = 4
		a := tall(rnd, m, n, 2)
		var q QR
		require.NoError(t, q.Factorize(a))
		both := mat.NewDense(m, n+1, randomVector(rnd, m*(n+1)))
		b, dst := both.Slice(0, m, 0, n), both.Slice(0, n, 1, n+1).(*mat.Dense)
		var want mat.Dense
		require.NoError(t, q.SolveTo(&want, false, b))
		require.NoError(t, q.SolveTo(dst, false, b))
		require.True(t, mat.Equal(&want, dst))
		if m == n {
			want.Reset()
			require.NoError(t, q.SolveTo(&want, false, b.T()))
			require.NoError(t, q.SolveTo(b.(*mat.Dense), false, b.T()))
			require.True(t, mat.Equal(&want, b))
		}
	}
}

func TestQRPanicsOnMisuse(t *testing.T) {
	a := tall(rand.New(rand.NewPCG(58, 1)), 5, 3, 2)
	var none, q QR
	require.NoError(t, q.Factorize(a))
	for _, f := range []func(){
		func() { none.SolveInto(nil, false, nil) },
		func() { none.SolveTo(new(mat.Dense), false, mat.NewDense(1, 1, nil)) },
		func() { none.Refactorize(a) },
		func() { none.InverseDiagonal(nil) },
		func() { none.Cond() },
		func() { none.NNZ() },
		func() { none.At(0, 0) },
	} {
		require.PanicsWithValue(t, "linsolve: no factorization", f)
	}
	wrongLength := "linsolve: lengths of vectors are not those of the matrix"
	require.PanicsWithValue(t, wrongLength, func() { q.SolveInto(make([]float64, 5), false, make([]float64, 3)) })
	require.PanicsWithValue(t, wrongLength, func() { q.SolveInto(make([]float64, 3), true, make([]float64, 5)) })
	require.PanicsWithValue(t, wrongLength, func() { q.InverseDiagonal(make([]float64, 2)) })
	require.PanicsWithValue(t, "linsolve: fewer rows than columns", func() { new(QR).Factorize(sparsity.NewMatrix(a.Pattern().Transpose())) })
	require.PanicsWithValue(t, "linsolve: pattern differs", func() { q.Refactorize(tridiagonal(3)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { q.SolveTo(new(mat.Dense), false, mat.NewDense(3, 1, nil)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { q.SolveTo(mat.NewDense(5, 1, nil), false, mat.NewDense(5, 1, nil)) })
}
