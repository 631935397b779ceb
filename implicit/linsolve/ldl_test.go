package linsolve

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// indefinite draws a symmetric matrix with perRow entries a row besides the
// diagonal, of which each element is 0 with the given probability.
func indefinite(rnd *rand.Rand, n int, perRow, noDiagonal float64) *sparsity.SymMatrix {
	var ri, ci []int
	for i := range n {
		if rnd.Float64() >= noDiagonal {
			ri, ci = append(ri, i), append(ci, i)
		}
	}
	for range int(perRow * float64(n)) {
		i, j := rnd.IntN(n), rnd.IntN(n)
		if i != j {
			ri, ci = append(ri, max(i, j)), append(ci, min(i, j))
		}
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(n, n, ri, ci))
	randomize(rnd, a)
	return sparsity.NewSymMatrix(a)
}

// optimality draws [H Jᵀ; J −δI] with a definite H of order n and J with m rows,
// the matrix of a step of an optimizer. Without δ it has no diagonal there.
func optimality(rnd *rand.Rand, n, m int, delta float64) *sparsity.SymMatrix {
	var ri, ci []int
	add := func(i, j int) { ri, ci = append(ri, max(i, j)), append(ci, min(i, j)) }
	for i := range n {
		add(i, i)
		add(i, rnd.IntN(n))
	}
	for i := range m {
		add(n+i, i)
		add(n+i, rnd.IntN(n))
		add(n+i, rnd.IntN(n))
		if delta > 0 {
			add(n+i, n+i)
		}
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(n+m, n+m, ri, ci))
	randomize(rnd, a)
	for i := range n {
		a.Values()[a.Pattern().Position(i, i)] = 20
	}
	if delta > 0 {
		for i := n; i < n+m; i++ {
			a.Values()[a.Pattern().Position(i, i)] = -delta
		}
	}
	return sparsity.NewSymMatrix(a)
}

// forest has an element for each node and its parent, and diagonal elements, some 0 or
// small: those wait for the parent. Some nodes have two parents.
func forest(rnd *rand.Rand, n int) *sparsity.SymMatrix {
	var e edges
	for i := 1; i < n; i++ {
		if rnd.IntN(8) > 0 {
			e.add(i, rnd.IntN(i))
		}
		if rnd.IntN(4) == 0 {
			e.add(i, rnd.IntN(i))
		}
	}
	p := e.pattern(n)
	a := sparsity.NewMatrix(p)
	randomize(rnd, a)
	for i := range n {
		a.Values()[p.Position(i, i)] *= []float64{0, 1e-4, 1, 1, 10}[rnd.IntN(5)]
	}
	return sparsity.NewSymMatrix(a)
}

func drawIndefinite(t *rapid.T) *sparsity.SymMatrix {
	n := rapid.IntRange(1, 40).Draw(t, "n")
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 3:
		return forest(rnd, n)
	case 0:
		return optimality(rnd, n, rapid.IntRange(0, n).Draw(t, "m"), 0)
	case 1:
		return optimality(rnd, n, rapid.IntRange(0, n).Draw(t, "m"), 1e-8)
	}
	return indefinite(rnd, n, rapid.SampledFrom([]float64{0, 0.5, 1, 2, 10}).Draw(t, "perRow"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "noDiagonal"))
}

func same(x float64) float64 { return x }

// rebuiltLDL returns S⁻¹Pᵀ(LDLᵀ)PS⁻¹, where as is applied to each element of L and D.
func rebuiltLDL(f *LDL, as func(x float64) float64) *mat.SymDense {
	n := len(f.exp)
	l, d := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	var order []int // variables in the order of elimination
	for t := range f.done {
		k, vars, val := f.front(t)
		for j := range k {
			column := len(order)
			l.Set(int(vars[j]), column, 1)
			for i, v := range vars[j+1:] {
				l.Set(int(v), column, val[i])
			}
			val = val[len(vars)-j-1:]
			d.Set(column, column, f.d[column])
			if f.e[column] != 0 {
				d.Set(column, column+1, f.e[column])
				d.Set(column+1, column, f.e[column])
			}
			order = append(order, int(vars[j]))
		}
	}
	each := func(_, _ int, x float64) float64 { return as(x) }
	l.Apply(each, l)
	d.Apply(each, d)
	var b mat.Dense
	b.Mul(l, d)
	b.Mul(&b, l.T())
	a := mat.NewSymDense(n, nil)
	for k, i := range f.order {
		for t, j := range f.order[:k+1] {
			a.SetSym(int(i), int(j), scaled(b.At(k, t), -f.exp[i]-f.exp[j]))
		}
	}
	return a
}

func TestLDLRebuildsTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawIndefinite(t)
		var f LDL
		if err := f.Factorize(a); err != nil {
			return
		}
		require.True(t, mat.Equal(&f, a))
		// |LDLᵀ − A| ≤ p(n)·u·(|A| + |L||D||Lᵀ|), p linear (Higham, Accuracy and Stability of
		// Numerical Algorithms, 2nd ed., theorem 11.3). Multipliers are up to 1/ldlThreshold, so
		// that the right side may be much larger than |A|.
		n := a.SymmetricDim()
		got, size := rebuiltLDL(&f, same), rebuiltLDL(&f, math.Abs)
		for i := range n {
			for j := range i + 1 {
				want := a.At(i, j)
				require.InDelta(t, want, got.At(i, j), 8*float64(n)*epsilon*(math.Abs(want)+size.At(i, j)))
			}
		}
	})
}

func TestLDLHasTheInertiaOfTheEigenvalues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawIndefinite(t)
		n := a.SymmetricDim()
		var f LDL
		err := f.Factorize(a)
		positive, negative, zero := f.Inertia()
		require.Equal(t, n, positive+negative+zero)
		require.Equal(t, zero > 0, err != nil)
		var eigen mat.EigenSym
		require.True(t, eigen.Factorize(a.ToSymDense(nil), false))
		values := eigen.Values(nil)
		size := max(math.Abs(values[0]), math.Abs(values[n-1]))
		var surelyPositive, surelyNegative, maybeZero int
		for _, v := range values {
			switch {
			case math.Abs(v) <= 1e-10*size:
				maybeZero++
			case v > 0:
				surelyPositive++
			default:
				surelyNegative++
			}
		}
		require.LessOrEqual(t, surelyPositive, positive)
		require.LessOrEqual(t, surelyNegative, negative)
		require.LessOrEqual(t, zero, maybeZero)
	})
}

func TestLDLOfOptimalitySystemsHasTheirInertia(t *testing.T) {
	rnd := rand.New(rand.NewPCG(60, 1))
	for _, n := range []int{1, 5, 50, 1000} {
		for _, m := range []int{0, n / 3, n} {
			for _, delta := range []float64{0, 1e-8} {
				a := optimality(rnd, n, m, delta)
				var f LDL
				require.NoError(t, f.Factorize(a))
				positive, negative, zero := f.Inertia()
				require.Equal(t, [3]int{n, m, 0}, [3]int{positive, negative, zero})
				b, x := randomVector(rnd, n+m), make([]float64, n+m)
				require.NoError(t, f.SolveInto(x, b))
				require.LessOrEqual(t, symmetricBackwardError(a, x, b), backwardBound(n+m))
			}
		}
	}
}

// symmetricBackwardError is backwardError of a symmetric matrix.
func symmetricBackwardError(a *sparsity.SymMatrix, x, b []float64) float64 {
	return backwardError(whole(a), false, x, b)
}

// whole is a with both of its triangles.
func whole(a *sparsity.SymMatrix) *sparsity.Matrix {
	p := a.Triangle().Pattern().Symmetrized()
	full := sparsity.NewMatrix(p)
	a.DoNonZero(func(i, j int, v float64) { full.Values()[p.Position(i, j)] = v })
	return full
}

func TestLDLSolutionsMissNoEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawIndefinite(t)
		n := a.SymmetricDim()
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "values"), 0))
		spread := rapid.SampledFrom([]float64{0, 2, 10}).Draw(t, "spread")
		for k := range a.Triangle().Values() {
			a.Triangle().Values()[k] *= math.Exp(spread * rnd.NormFloat64())
		}
		b, x := randomVector(rnd, n), make([]float64, n)
		for _, threshold := range []float64{0, 1e-8, 0.5} {
			f := LDL{Threshold: threshold}
			if f.Factorize(a) != nil {
				return
			}
			bound := (1 + 8*epsilon) / threshold
			if threshold == 0 {
				bound = (1 + 8*epsilon) / ldlThreshold
			}
			require.LessOrEqual(t, largest(f.val), bound)
			if err := f.SolveInto(x, b); err != nil {
				require.True(t, threshold == 1e-8 || f.Cond() > 1e10, err)
				continue
			}
			require.LessOrEqual(t, symmetricBackwardError(a, x, b), backwardBound(n))
		}
	})
}

func TestLDLAgreesWithLU(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 1))
	for _, n := range sizes {
		a := indefinite(rnd, n, 2, 0.3)
		b := mat.NewDense(n, 3, randomVector(rnd, 3*n))
		var f LDL
		var dense mat.LU
		dense.Factorize(a)
		if dense.Cond() > 1e10 {
			continue
		}
		require.NoError(t, f.Factorize(a))
		var got, want mat.Dense
		require.NoError(t, got.Solve(&f, b))
		require.NoError(t, dense.SolveTo(&want, false, b))
		got.Sub(&got, &want)
		require.LessOrEqual(t, mat.Norm(&got, 2), 100*float64(n)*epsilon*dense.Cond()*mat.Norm(&want, 2))
		require.NoError(t, f.SolveTo(b, true, b))
		b.Sub(b, &want)
		require.LessOrEqual(t, mat.Norm(b, 2), 100*float64(n)*epsilon*dense.Cond()*mat.Norm(&want, 2))
	}
}

// Where every diagonal element is 0 there are only pivots of order 2.
func TestLDLOfASkeletonHasPairsOnly(t *testing.T) {
	const n = 500
	rnd := rand.New(rand.NewPCG(62, 1))
	a := sparsity.NewSymMatrix(sparsity.NewMatrix(sparsity.Banded(2*n, 1, 0)))
	p := a.Triangle().Pattern()
	for i := 1; i < 2*n; i++ {
		a.Triangle().Values()[p.Position(i, i-1)] = 1 + rnd.Float64()
	}
	var f LDL
	require.NoError(t, f.Factorize(a))
	pairs := 0
	for _, e := range f.e {
		if e != 0 {
			pairs++
		}
	}
	require.Equal(t, n, pairs)
	positive, negative, _ := f.Inertia()
	require.Equal(t, [2]int{n, n}, [2]int{positive, negative})
	require.LessOrEqual(t, f.Fill(), 4.0)
}

func TestLDLNamesVariablesWithoutPivot(t *testing.T) {
	var singular *SingularError
	// Twice the same constraint.
	rows := [][]float64{
		{2, 0, 1, 1},
		{0, 2, 1, 1},
		{1, 1, 0, 0},
		{1, 1, 0, 0},
	}
	a := symmetric(fromDense(rows), false)
	var f LDL
	err := f.Factorize(a)
	require.ErrorAs(t, err, &singular)
	require.Len(t, singular.Rows, 1)
	require.Subset(t, []int{2, 3}, singular.Rows)
	require.Equal(t, singular.Rows, singular.Columns)
	positive, negative, zero := f.Inertia()
	require.Equal(t, [3]int{2, 1, 1}, [3]int{positive, negative, zero})
	require.Equal(t, err, f.SolveInto(make([]float64, 4), make([]float64, 4)))
	require.True(t, math.IsInf(f.Cond(), 1))
	require.Zero(t, f.NNZ())

	// Nothing at all, and a variable in no equation.
	a = symmetric(fromDense([][]float64{{0, 0}, {0, 0}}), false)
	require.ErrorAs(t, f.Factorize(a), &singular)
	require.Equal(t, []int{0, 1}, singular.Rows)
	a = symmetric(fromDense([][]float64{{1, 0, 0}, {0, 0, 0}, {0, 0, -1}}), false)
	require.ErrorAs(t, f.Factorize(a), &singular)
	require.Equal(t, []int{1}, singular.Rows)
	positive, negative, zero = f.Inertia()
	require.Equal(t, [3]int{1, 1, 1}, [3]int{positive, negative, zero})
}

// Elements from 10^−300 to 10^300.
func TestLDLDoesNotDependOnUnits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(63, 1))
	const n, m = 30, 12
	for _, most := range []float64{20, 75, 150} {
		for range 30 {
			a := optimality(rnd, n, m, 0)
			want, b := randomVector(rnd, n+m), make([]float64, n+m)
			unit := make([]float64, n+m)
			for i := range unit {
				unit[i] = math.Pow(10, most*(2*rnd.Float64()-1))
				want[i] /= unit[i]
			}
			p := a.Triangle().Pattern()
			for i := range n + m {
				for _, j := range p.Row(i) {
					a.Triangle().Values()[p.Position(i, int(j))] *= unit[i] * unit[j]
				}
			}
			a.MulVecTo(mat.NewVecDense(n+m, b), false, mat.NewVecDense(n+m, want))
			var f LDL
			require.NoError(t, f.Factorize(a))
			positive, negative, _ := f.Inertia()
			require.Equal(t, [2]int{n, m}, [2]int{positive, negative})
			x := make([]float64, n+m)
			require.NoError(t, f.SolveInto(x, b))
			for i := range x {
				require.InDelta(t, 0, (x[i]-want[i])*unit[i], 1e-10)
			}
		}
	}
}

// exactInertia is the inertia of a, by congruences of rational numbers.
func exactInertia(a *sparsity.SymMatrix) (positive, negative, zero int) {
	n := a.SymmetricDim()
	rows := make([][]*big.Rat, n)
	left := consecutive(n)
	for i := range rows {
		for j := range n {
			rows[i] = append(rows[i], new(big.Rat).SetFloat64(a.At(i, j)))
		}
	}
	for len(left) > 0 {
		isPivot := func(i int) bool { return rows[i][i].Sign() != 0 }
		k := slices.IndexFunc(left, isPivot)
		if k < 0 {
			// Adding to row and column i those of j makes 2aᵢⱼ of aᵢᵢ = aⱼⱼ = 0.
			found := false
			for _, i := range left {
				for _, j := range left {
					if found = rows[i][j].Sign() != 0; !found {
						continue
					}
					for _, c := range left {
						rows[i][c].Add(rows[i][c], rows[j][c])
					}
					for _, c := range left {
						rows[c][i].Add(rows[c][i], rows[c][j])
					}
					break
				}
				if found {
					break
				}
			}
			if !found {
				return positive, negative, zero + len(left)
			}
			continue
		}
		i := left[k]
		left = slices.Delete(left, k, k+1)
		if rows[i][i].Sign() > 0 {
			positive++
		} else {
			negative++
		}
		for _, r := range left {
			f := new(big.Rat).Quo(rows[r][i], rows[i][i])
			for _, c := range left {
				rows[r][c].Sub(rows[r][c], new(big.Rat).Mul(f, rows[i][c]))
			}
		}
	}
	return positive, negative, zero
}

// lowerTriangle is the symmetric matrix with the lower triangle of a.
func lowerTriangle(a *sparsity.Matrix) *sparsity.SymMatrix {
	var e edges
	var values []float64
	a.DoNonZero(func(i, j int, v float64) {
		if j <= i {
			e.add(i, j)
			values = append(values, v)
		}
	})
	n, _ := a.Dims()
	l := sparsity.NewMatrix(sparsity.FromCoordinates(n, n, e.rows, e.cols))
	copy(l.Values(), values)
	return sparsity.NewSymMatrix(l)
}

// Without an error no equation is missed, and the inertia is that of exact arithmetic
// unless A is nearly singular; of small integers it always is.
func TestLDLIsRightOrSaysSo(t *testing.T) {
	systems := 2500 // of each kind
	if testing.Short() {
		systems = 600
	}
	for name, draw := range map[string]func(*rand.Rand) (*sparsity.SymMatrix, []float64){
		"badly scaled": func(rnd *rand.Rand) (*sparsity.SymMatrix, []float64) {
			a, b := badlyScaled(rnd)
			return lowerTriangle(a), b
		},
		"small integers": func(rnd *rand.Rand) (*sparsity.SymMatrix, []float64) {
			a, b := smallIntegers(rnd)
			return lowerTriangle(a), b
		},
		"forest": func(rnd *rand.Rand) (*sparsity.SymMatrix, []float64) {
			n := 1 + rnd.IntN(12)
			return forest(rnd, n), randomVector(rnd, n)
		},
		"optimality": func(rnd *rand.Rand) (*sparsity.SymMatrix, []float64) {
			n := 1 + rnd.IntN(5)
			m := rnd.IntN(n + 1)
			a := optimality(rnd, n, m, []float64{0, 1e-8}[rnd.IntN(2)])
			for k := range a.Triangle().Values() {
				a.Triangle().Values()[k] *= math.Exp(float64(rnd.IntN(12)) * rnd.NormFloat64())
			}
			return a, randomVector(rnd, n+m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(70, 1))
			refused := 0
			for k := range systems {
				a, b := draw(rnd)
				var f LDL
				err := f.Factorize(a)
				positive, negative, zero := f.Inertia()
				if err == nil && f.Cond() < 1e12 || name == "small integers" {
					p, n, z := exactInertia(a)
					require.Equal(t, [3]int{p, n, z}, [3]int{positive, negative, zero}, "system %d", k)
					var c Cholesky
					require.Equal(t, p == len(b), c.Factorize(a) == nil, "system %d", k)
				}
				if err != nil {
					continue
				}
				x := make([]float64, len(b))
				if err := f.SolveInto(x, b); err != nil {
					refused++
					require.Greater(t, f.Cond(), 1e10, "system %d: %v", k, err)
					continue
				}
				require.LessOrEqual(t, symmetricBackwardError(a, x, b), backwardBound(len(b)), "system %d", k)
			}
			if !testing.Short() {
				require.Less(t, refused, systems/1000)
			}
		})
	}
}

func TestLDLRefactorizeEqualsFactorize(t *testing.T) {
	rnd := rand.New(rand.NewPCG(64, 1))
	a := optimality(rnd, 40, 15, 0)
	values := a.Triangle().Values()
	first := append([]float64(nil), values...)
	var fresh, again LDL
	require.NoError(t, fresh.Factorize(a))
	require.NoError(t, again.Factorize(a))
	for range 5 {
		// The order stays; what loses its pivot waits for another.
		for k := range values {
			values[k] = first[k] * math.Exp(3*rnd.NormFloat64())
		}
		require.NoError(t, again.Refactorize(a))
		require.True(t, mat.EqualApprox(rebuiltLDL(&again, same), a, 1e-8))
		values[0] = math.NaN()
		var nonFinite *NonFiniteError
		require.ErrorAs(t, again.Refactorize(a), &nonFinite)
		clear(values)
		require.Error(t, again.Refactorize(a))
	}
	copy(values, first)
	require.NoError(t, again.Refactorize(a))
	require.Equal(t, fresh.val, again.val)
	require.Equal(t, fresh.d, again.d)
	require.Equal(t, fresh.e, again.e)

	// NaN at first.
	values[3] = math.Inf(1)
	var late LDL
	require.Error(t, late.Factorize(a))
	copy(values, first)
	require.NoError(t, late.Refactorize(a))
	require.Equal(t, fresh.val, late.val)
}

func TestLDLOfOrderZero(t *testing.T) {
	var f LDL
	require.NoError(t, f.Factorize(sparsity.NewSymMatrix(sparsity.NewMatrix(sparsity.Diagonal(0)))))
	require.Zero(t, f.Cond())
	require.NoError(t, f.SolveInto(nil, nil))
}

func TestLDLOfALargeGrid(t *testing.T) {
	a := symmetricGrid(100)
	n := a.SymmetricDim()
	var f LDL
	var c Cholesky
	require.NoError(t, f.Factorize(a))
	require.NoError(t, c.Factorize(a))
	positive, _, _ := f.Inertia()
	require.Equal(t, n, positive)
	require.Less(t, f.NNZ(), 2*c.NNZ())
	b := randomVector(rand.New(rand.NewPCG(65, 1)), n)
	x, y := make([]float64, n), make([]float64, n)
	require.NoError(t, f.SolveInto(x, b))
	require.NoError(t, c.SolveInto(y, b))
	require.LessOrEqual(t, floats.Distance(x, y, math.Inf(1)), 1e-10*floats.Norm(y, math.Inf(1)))
	require.InEpsilon(t, c.Cond(), f.Cond(), 3) // of which one is scaled
}

func TestLDLSolvesConcurrently(t *testing.T) {
	rnd := rand.New(rand.NewPCG(66, 1))
	a := optimality(rnd, 200, 80, 0)
	var f LDL
	require.NoError(t, f.Factorize(a))
	b, want := randomVector(rnd, 280), make([]float64, 280)
	require.NoError(t, f.SolveInto(want, b))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			x := make([]float64, 280)
			for range 20 {
				if f.SolveInto(x, b) != nil || !floats.Equal(x, want) {
					t.Error("solutions differ")
				}
			}
		})
	}
	group.Wait()
}

func TestLDLDoesNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(67, 1))
	a := optimality(rnd, 50, 20, 0)
	var f LDL
	require.NoError(t, f.Factorize(a))
	x, b := make([]float64, 70), randomVector(rnd, 70)
	for name, call := range map[string]func(){
		"Refactorize": func() { f.Refactorize(a) },
		"SolveInto":   func() { f.SolveInto(x, b) },
		"Inertia":     func() { f.Inertia() },
	} {
		call()
		require.Zero(t, testing.AllocsPerRun(20, call), name)
	}
}

func TestLDLPanicsOnMisuse(t *testing.T) {
	a := symmetric(tridiagonal(3), false)
	var none, f LDL
	require.NoError(t, f.Factorize(a))
	for _, call := range []func(){
		func() { none.SolveInto(nil, nil) },
		func() { none.SolveTo(new(mat.Dense), false, mat.NewDense(1, 1, nil)) },
		func() { none.Refactorize(a) },
		func() { none.Inertia() },
		func() { none.Cond() },
		func() { none.NNZ() },
		func() { none.At(0, 0) },
	} {
		require.PanicsWithValue(t, "linsolve: no factorization", call)
	}
	require.PanicsWithValue(t, "linsolve: length of vector is not the order of the matrix", func() { f.SolveInto(make([]float64, 3), make([]float64, 2)) })
	require.PanicsWithValue(t, "linsolve: pattern differs", func() { f.Refactorize(symmetric(tridiagonal(3), true)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { f.SolveTo(new(mat.Dense), false, mat.NewDense(2, 1, nil)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { f.SolveTo(mat.NewDense(3, 2, nil), false, mat.NewDense(3, 1, nil)) })
}

func FuzzLDL(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 0x01, 0, 0x10, 1, 0x22, 2})
	f.Add([]byte{4, 0x00, 2, 0x01, 0, 0x32, 9, 0x20, 10, 0x33, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		full := decodeMatrix(data)
		n, _ := full.Dims()
		a := symmetric(full, len(data)%2 == 1)
		var l LDL
		err := l.Factorize(a)
		positive, negative, zero := l.Inertia()
		if errors.As(err, new(*NonFiniteError)) {
			require.Zero(t, positive+negative+zero)
			return
		}
		require.Equal(t, n, positive+negative+zero)
		require.Equal(t, zero > 0, err != nil)
		b, x := make([]float64, n), make([]float64, n)
		for i := range b {
			b[i] = float64(i%3) - 1.5
		}
		if l.SolveInto(x, b) == nil {
			require.LessOrEqual(t, backwardErrorBut(whole(a), false, x, b, l.exp), backwardBound(n))
		}
		require.Equal(t, err, l.Refactorize(a))
	})
}

// Other values make pivots small that the order was found for. With a low threshold they
// are taken all the same, and refinement makes up for it.
func TestLDLLowThresholdKeepsFill(t *testing.T) {
	rnd := rand.New(rand.NewPCG(62, 1))
	a := optimality(rnd, 1000, 400, 0)
	careful, low := LDL{}, LDL{Threshold: 1e-8}
	require.NoError(t, careful.Factorize(a))
	require.NoError(t, low.Factorize(a))
	planned := low.NNZ()
	for k := range a.Triangle().Values() {
		a.Triangle().Values()[k] *= math.Exp(2 * rnd.NormFloat64())
	}
	require.NoError(t, careful.Refactorize(a))
	require.NoError(t, low.Refactorize(a))
	require.Less(t, low.NNZ(), 2*planned)
	require.Greater(t, careful.NNZ(), low.NNZ())
	b, x := randomVector(rnd, 1400), make([]float64, 1400)
	require.NoError(t, low.SolveInto(x, b))
	require.LessOrEqual(t, symmetricBackwardError(a, x, b), backwardBound(1400))
	for _, bad := range []float64{0.6, -1, math.NaN()} {
		low.Threshold = bad
		require.Panics(t, func() { _ = low.Refactorize(a) })
		require.Panics(t, func() { _ = low.Factorize(symmetric(tridiagonal(3), false)) })
	}
	low.Threshold = 0
	require.NoError(t, low.Refactorize(a)) // nothing was lost
}

// Where pivots wait the order is found anew, as by Factorize. The first order is made
// out to be a better one than there is.
func TestLDLFindsAnotherOrderWherePivotsWait(t *testing.T) {
	rnd := rand.New(rand.NewPCG(71, 1))
	p, n := collocation(100, 4, 1)
	order, _ := p.Dims()
	a := dominant(rnd, p, n)
	var f, fresh LDL
	require.NoError(t, f.Factorize(a))
	for i := range order {
		a.Triangle().Values()[p.Position(i, i)] = 0
		if i < n {
			a.Triangle().Values()[p.Position(i, i)] = 1e-3
		}
	}
	require.NoError(t, fresh.Factorize(a))
	f.elements = fresh.elements / 10
	require.NoError(t, f.Refactorize(a))
	require.Equal(t, fresh.order, f.order)
	require.Equal(t, fresh.val, f.val)
	require.Equal(t, fresh.elements, f.elements)
	b, x := randomVector(rnd, order), make([]float64, order)
	require.NoError(t, f.SolveInto(x, b))
	require.LessOrEqual(t, symmetricBackwardError(a, x, b), backwardBound(order))
}

// A row that has all columns, and no diagonal, is left out of the matching.
func TestLDLWithADenseRow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(63, 1))
	const n = 2000
	var rows, cols []int
	for i := range n {
		rows, cols = append(rows, i, n, n+1+i/2), append(cols, i, i, i)
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(n+1+n/2, n+1+n/2, rows, cols))
	randomize(rnd, a)
	for i := range n {
		a.Values()[a.Pattern().Position(i, i)] = 1
	}
	s := sparsity.NewSymMatrix(a)
	var f LDL
	require.NoError(t, f.Factorize(s))
	positive, negative, zero := f.Inertia()
	require.Equal(t, [3]int{n, n/2 + 1, 0}, [3]int{positive, negative, zero})
	require.Less(t, f.Fill(), 2.5)
	b, x := randomVector(rnd, n+1+n/2), make([]float64, n+1+n/2)
	require.NoError(t, f.SolveInto(x, b))
	require.LessOrEqual(t, symmetricBackwardError(s, x, b), backwardBound(n+1+n/2))
}

// Pairs are of variables that have an element in common, and that of every variable
// without a pivot of its own if the pattern has a path of edges through all.
func TestPairsAreElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawIndefinite(t)
		n := a.SymmetricDim()
		along := rapid.Permutation(consecutive(n)).Draw(t, "path")
		isPath := rapid.Bool().Draw(t, "isPath")
		var e edges
		for k := range n - 1 {
			e.add(along[k], along[k+1])
		}
		if isPath {
			a = sparsity.NewSymMatrix(sparsity.NewMatrix(sparsity.FromCoordinates(n, n, e.rows, e.cols)))
			randomize(rand.New(rand.NewPCG(69, 1)), a.Triangle())
		}
		partner, _, _ := pairs(bothTriangles(a.Triangle().Pattern(), a.Triangle().Values()))
		alone := 0
		for i, j := range partner {
			if j == none {
				alone++
				continue
			}
			require.NotEqual(t, i, int(j))
			require.Equal(t, i, int(partner[j]))
			require.NotZero(t, a.At(i, int(j)))
			require.Less(t, min(math.Abs(a.At(i, i)), math.Abs(a.At(int(j), int(j)))), ldlThreshold)
		}
		if isPath {
			require.Equal(t, n%2, alone)
		}
	})
}

func consecutive(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}
