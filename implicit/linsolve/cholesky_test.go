package linsolve

import (
	"errors"
	"math"
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

// symmetric returns the symmetric matrix with the lower, or the upper, triangle
// of a.
func symmetric(a *sparsity.Matrix, upper bool) *sparsity.SymMatrix {
	p := a.Pattern().Lower()
	if upper {
		p = a.Pattern().Upper()
	}
	m := sparsity.NewMatrix(p)
	n, _ := p.Dims()
	at := 0
	for i := range n {
		for _, j := range p.Row(i) {
			m.Values()[at] = a.At(i, int(j))
			at++
		}
	}
	return sparsity.NewSymMatrix(m)
}

// randomSymmetric returns a matrix of order n with about perRow normally
// distributed entries a row in its triangle, and the diagonal elements shift
// more than what makes it diagonally dominant.
func randomSymmetric(rnd *rand.Rand, n int, perRow, shift float64) *sparsity.SymMatrix {
	a := randomMatrix(rnd, n, perRow)
	p := a.Pattern().Symmetrized().Union(sparsity.Diagonal(n))
	full := sparsity.NewMatrix(p)
	sums := make([]float64, n)
	for i := range n {
		for _, j := range p.Row(i) {
			if int(j) < i {
				v := rnd.NormFloat64()
				full.Values()[p.Position(i, int(j))] = v
				full.Values()[p.Position(int(j), i)] = v
				sums[i] += math.Abs(v)
				sums[j] += math.Abs(v)
			}
		}
	}
	for i, s := range sums {
		full.Values()[p.Position(i, i)] = s + shift
	}
	return symmetric(full, rnd.IntN(2) == 1)
}

// rebuiltSym returns Pᵀ(LDLᵀ)P.
func rebuiltSym(c *Cholesky) *mat.SymDense {
	n := len(c.diagonal)
	l := mat.NewDense(n, n, nil)
	for s := range c.next {
		lo, hi := int(c.first[s]), int(c.first[s+1])
		for k := lo; k < hi; k++ {
			l.Set(k, k, 1)
			col := c.val[c.ptr[k]:c.ptr[k+1]]
			for t, v := range col[:hi-1-k] {
				l.Set(k+1+t, k, v)
			}
			for t, i := range c.rows[c.rowPtr[s]:c.rowPtr[s+1]] {
				l.Set(int(i), k, col[hi-1-k+t])
			}
		}
	}
	var b mat.Dense
	b.Mul(l, mat.NewDiagDense(n, c.diagonal))
	b.Mul(&b, l.T())
	a := mat.NewSymDense(n, nil)
	for k := range n {
		for t := range k + 1 {
			a.SetSym(int(c.order[k]), int(c.order[t]), b.At(k, t))
		}
	}
	return a
}

func TestCholeskyRebuildsTheMatrix(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		for _, perRow := range []float64{0, 1, 3, float64(n)} {
			a := randomSymmetric(rnd, n, perRow, 0.5)
			var c Cholesky
			require.NoError(t, c.Factorize(a))
			require.True(t, mat.EqualApprox(rebuiltSym(&c), a, 1e-13), "n = %d", n)
			require.True(t, mat.Equal(&c, a))

			require.NoError(t, c.RefactorizeShift(a, 3))
			var shifted mat.Dense
			shifted.Add(a, mat.NewDiagDense(n, slices.Repeat([]float64{3}, n)))
			require.True(t, mat.EqualApprox(rebuiltSym(&c), &shifted, 1e-13), "n = %d", n)
			require.True(t, mat.Equal(&c, &shifted))

			s := make([]float64, n)
			for i := range s {
				s[i] = float64(i % 3)
			}
			require.NoError(t, c.RefactorizeMarquardt(a, 0.5, s))
			floats.Scale(0.5, s)
			shifted.Add(a, mat.NewDiagDense(n, s))
			require.True(t, mat.EqualApprox(rebuiltSym(&c), &shifted, 1e-13), "n = %d", n)
			require.True(t, mat.Equal(&c, &shifted))

			require.NoError(t, c.RefactorizeMarquardt(a, 2, nil))
			for i := range s {
				s[i] = 2 * a.At(i, i)
			}
			shifted.Add(a, mat.NewDiagDense(n, s))
			require.True(t, mat.EqualApprox(rebuiltSym(&c), &shifted, 1e-13), "n = %d", n)
			require.True(t, mat.Equal(&c, &shifted))
		}
	}
}

func TestCholeskySolvesBackwardStably(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomSymmetric(rnd, n, rapid.Float64Range(0, 6).Draw(t, "perRow"), math.Pow(10, float64(rnd.IntN(9)-6)))
		if rapid.Bool().Draw(t, "badly scaled") {
			s := make([]float64, n)
			for i := range s {
				s[i] = math.Ldexp(1, rnd.IntN(40)-20)
			}
			p := a.Triangle().Pattern()
			for i := range n {
				for _, j := range p.Row(i) {
					a.Triangle().Values()[p.Position(i, int(j))] *= s[i] * s[j]
				}
			}
		}
		var c Cholesky
		require.NoError(t, c.Factorize(a))
		b := randomVector(rnd, n)
		x := make([]float64, n)
		require.NoError(t, c.SolveInto(x, b))

		// |b − Ax|ᵢ ≤ 2·(3n+1)·½ε Σ √(aᵢᵢaⱼⱼ)|xⱼ|, and the rounding of the residual
		// (Higham, theorems 10.3 to 10.5).
		for i := range n {
			r, size := b[i], math.Abs(b[i])
			for j := range n {
				r -= a.At(i, j) * x[j]
				size += math.Sqrt(a.At(i, i)*a.At(j, j)) * math.Abs(x[j])
			}
			require.LessOrEqual(t, math.Abs(r), float64(4*n+4)*epsilon*size)
		}
	})
}

func TestCholeskyAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomSymmetric(rnd, n, rapid.Float64Range(0, 6).Draw(t, "perRow"), 0.1)
		var c Cholesky
		require.NoError(t, c.Factorize(a))
		var dense mat.Cholesky
		require.True(t, dense.Factorize(a))
		require.InDelta(t, dense.LogDet(), c.LogDet(), 1e-12*float64(n)*dense.Cond())

		// The estimate is a lower bound, up to rounding, and rarely far below.
		var inverse mat.Dense
		require.NoError(t, inverse.Inverse(a))
		exact := mat.Norm(a, 1) * mat.Norm(&inverse, 1)
		require.LessOrEqual(t, c.Cond(), exact*(1+1e-9))
		require.GreaterOrEqual(t, c.Cond(), exact/10)

		b := mat.NewDense(n, 3, randomVector(rnd, 3*n))
		var want, got mat.Dense
		require.NoError(t, dense.SolveTo(&want, b))
		require.NoError(t, got.Solve(&c, b))
		got.Sub(&got, &want)
		require.LessOrEqual(t, mat.Norm(&got, 2), 10*float64(n)*epsilon*dense.Cond()*mat.Norm(&want, 2))
	})
}

// In other units of the variables, A becomes DAD and the step D⁻¹x: the shifted
// matrix goes along, which it would not with λI.
func TestMarquardtShiftHasTheUnitsOfTheVariables(t *testing.T) {
	rnd := rand.New(rand.NewPCG(48, 1))
	const n = 12
	a := randomSymmetric(rnd, n, 2, 0.5)
	unit, b := make([]float64, n), randomVector(rnd, n)
	for i := range unit {
		unit[i] = math.Ldexp(1, rnd.IntN(60)-30)
	}
	other := sparsity.NewSymMatrix(sparsity.NewMatrix(a.Triangle().Pattern()))
	p := a.Triangle().Pattern()
	for i := range n {
		for _, j := range p.Row(i) {
			other.Triangle().Values()[p.Position(i, int(j))] = unit[i] * a.At(i, int(j)) * unit[j]
		}
	}
	var c, d Cholesky
	require.NoError(t, c.Factorize(a))
	require.NoError(t, d.Factorize(other))
	require.NoError(t, c.RefactorizeMarquardt(a, 0.3, nil))
	require.NoError(t, d.RefactorizeMarquardt(other, 0.3, nil))
	x, y := make([]float64, n), make([]float64, n)
	require.NoError(t, c.SolveInto(x, b))
	floats.Mul(b, unit)
	require.NoError(t, d.SolveInto(y, b))
	floats.Mul(y, unit)
	require.Equal(t, x, y)
}

func TestCholeskyCondIsOfTheShiftedMatrix(t *testing.T) {
	a := symmetric(fromDense([][]float64{{-1, 3}, {3, -1}}), false)
	var c Cholesky
	require.Error(t, c.Factorize(a))
	// A + 6I has the rows 5 3 and 3 5, its inverse (5 −3; −3 5)/16.
	require.NoError(t, c.RefactorizeShift(a, 6))
	require.InDelta(t, 8*8/16.0, c.Cond(), 1e-14)
	// The diagonal need not be stored.
	a = symmetric(fromDense([][]float64{{0, 3}, {3, 0}}), false)
	require.Error(t, c.Factorize(a))
	require.NoError(t, c.RefactorizeShift(a, 5))
	require.InDelta(t, 8*8/16.0, c.Cond(), 1e-14)
}

func TestCholeskyHasTheFillOfItsOrder(t *testing.T) {
	for name, p := range map[string]*sparsity.Pattern{
		"tridiagonal":  sparsity.Banded(40, 1, 1),
		"arrow":        sparsity.Arrow(40, 1),
		"grid":         sparsity.StarStencil(12, 12),
		"full":         sparsity.Full(9, 9),
		"diagonal":     sparsity.Diagonal(7),
		"no diagonal":  sparsity.FromCoordinates(3, 3, []int{0, 1}, []int{1, 0}),
		"9-point grid": sparsity.BoxStencil(12, 12),
	} {
		t.Run(name, func(t *testing.T) {
			n, ptr, adj := neighbors(p)
			order, _ := minimumDegree(n, ptr, adj)
			var c Cholesky
			c.Factorize(symmetric(sparsity.NewMatrix(p), false)) // zero, of which nothing is asked
			require.Equal(t, n+factorCount(ptr, adj, order), c.NNZ())
		})
	}
}

func TestNotPositiveDefiniteNamesThePivot(t *testing.T) {
	for _, test := range []struct {
		name     string
		a        [][]float64
		variable []int // one of them, by the order
	}{
		{"negative", [][]float64{{1, 0, 0}, {0, -2, 0}, {0, 0, 3}}, []int{1}},
		{"zero", [][]float64{{1, 0}, {0, 0}}, []int{1}},
		{"without diagonal", [][]float64{{0, 1}, {1, 0}}, []int{0, 1}},
		{"singular", [][]float64{{1, 1}, {1, 1}}, []int{0, 1}},
		{"singular but for rounding", [][]float64{{0.1, 0.3}, {0.3, 0.9}}, []int{0, 1}},
		{"pivot of the size of two roundings", [][]float64{{1, 1}, {1, 1 + 2*epsilon}}, []int{0, 1}},
		{"indefinite", [][]float64{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}, []int{0, 1}},
		{"order 1", [][]float64{{-3}}, []int{0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := symmetric(fromDense(test.a), false)
			var c Cholesky
			err := c.Factorize(a)
			var e *NotPositiveDefiniteError
			require.ErrorAs(t, err, &e)
			require.Contains(t, test.variable, e.Variable)
			require.Equal(t, len(test.a), e.N)
			require.LessOrEqual(t, e.Pivot, 2*epsilon)
			require.Equal(t, int(c.order[e.Step]), e.Variable)
			require.True(t, math.IsNaN(c.LogDet()))
			require.True(t, math.IsInf(c.Cond(), 1))
			x := []float64{7, 7, 7}[:len(test.a)]
			require.Equal(t, err, c.SolveInto(x, x))
			require.Equal(t, err, new(mat.Dense).Solve(&c, mat.NewDense(len(x), 1, nil)))
			require.Equal(t, 7.0, x[0])

			v := mat.NewVecDense(len(x), c.NegativeCurvature(nil))
			require.Equal(t, 1.0, v.AtVec(e.Variable))
			require.InDelta(t, e.Pivot, mat.Inner(v, a, v), 1e-15)

			require.NoError(t, c.RefactorizeShift(a, 4), "and is used again")
			require.NoError(t, c.SolveInto(x, x))
		})
	}
}

func TestNegativeCurvatureOfRandomMatrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomSymmetric(rnd, n, rapid.Float64Range(0, 4).Draw(t, "perRow"), -float64(rapid.IntRange(0, 30).Draw(t, "below"))/10)
		var c Cholesky
		err := c.Factorize(a)

		var eig mat.EigenSym
		require.True(t, eig.Factorize(a, false))
		least := slices.Min(eig.Values(nil))
		norm := mat.Norm(a, 2)
		tolerance := float64(10*n) * epsilon * norm
		var e *NotPositiveDefiniteError
		if !errors.As(err, &e) {
			require.NoError(t, err)
			require.Greater(t, least, -tolerance)
			return
		}
		require.LessOrEqual(t, least, tolerance) // both 0 for A = 0
		v := mat.NewVecDense(n, c.NegativeCurvature(nil))
		require.InDelta(t, e.Pivot, mat.Inner(v, a, v), tolerance*mat.Dot(v, v))

		// λ₁ ≤ vᵀAv/vᵀv, and above −λ₁ the shift makes it definite.
		require.GreaterOrEqual(t, e.Pivot/mat.Dot(v, v), least-tolerance)
		require.NoError(t, c.RefactorizeShift(a, -least+2*tolerance+1e-6))
	})
}

func TestCholeskyNonFiniteEntriesAreNamed(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		a := symmetric(tridiagonal(5), true)
		a.Triangle().Values()[a.Triangle().Pattern().Position(2, 3)] = v
		var c Cholesky
		var e *NonFiniteError
		require.ErrorAs(t, c.Factorize(a), &e)
		require.Equal(t, []int{2, 3}, []int{e.Row, e.Column})
		require.ErrorAs(t, c.RefactorizeShift(a, 1), &e)
		require.ErrorAs(t, c.SolveInto(make([]float64, 5), make([]float64, 5)), &e)
		require.NoError(t, c.Refactorize(symmetric(tridiagonal(5), true)))
	}
}

func TestCholeskyOverflowIsAnError(t *testing.T) {
	a := symmetric(fromDense([][]float64{{1e-300, 1e300}, {1e300, 1}}), false)
	var c Cholesky
	var e *NotPositiveDefiniteError
	require.ErrorAs(t, c.Factorize(a), &e)
}

func TestCholeskyRefactorizeEqualsFactorize(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 2))
	for _, n := range sizes {
		a := randomSymmetric(rnd, n, 2, 1)
		var c, fresh Cholesky
		require.NoError(t, c.Factorize(a))
		b := randomVector(rnd, n)
		x, want := make([]float64, n), make([]float64, n)
		for _, bad := range []bool{false, true, false} {
			values := a.Triangle().Values()
			floats.Scale(1.5, values)
			if bad {
				floats.Scale(-1, values)
			}
			require.Equal(t, fresh.Factorize(a), c.Refactorize(a))
			require.Equal(t, fresh.SolveInto(want, b), c.SolveInto(x, b))
			require.Equal(t, want, x)
			if bad {
				floats.Scale(-1, values)
			}
		}
	}
}

func TestCholeskyOfOrderZero(t *testing.T) {
	var c Cholesky
	require.NoError(t, c.Factorize(symmetric(sparsity.NewMatrix(sparsity.Diagonal(0)), false)))
	require.NoError(t, c.SolveInto(nil, nil))
	require.Zero(t, c.LogDet())
	require.Zero(t, c.Cond())
	require.Zero(t, c.NNZ())
	require.Zero(t, c.Fill())
}

func TestCholeskyMayBeUsedForOtherPatterns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 2))
	var c Cholesky
	for _, n := range []int{50, 5, 11, 1, 50, 10} {
		a := randomSymmetric(rnd, n, 2, 1)
		require.NoError(t, c.Factorize(a))
		require.True(t, mat.EqualApprox(rebuiltSym(&c), a, 1e-13))
		x := randomVector(rnd, n)
		require.NoError(t, c.SolveInto(x, x))
	}
}

func TestCholeskySolutionMayOverwriteRightHandSide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	const n = 10
	var c Cholesky
	require.NoError(t, c.Factorize(randomSymmetric(rnd, n, 2, 1)))
	b := mat.NewDense(n, 2, randomVector(rnd, 2*n))
	var want mat.Dense
	require.NoError(t, c.SolveTo(&want, false, b))
	got := mat.DenseCopyOf(b)
	require.NoError(t, c.SolveTo(got, true, got))
	require.Equal(t, &want, got)

	buf := make([]float64, n+3)
	copy(buf, mat.Col(nil, 0, b))
	require.NoError(t, c.SolveInto(buf[3:], buf[:n]))
	require.Equal(t, mat.Col(nil, 0, &want), buf[3:])
}

// symmetricGrid is the 9-point Laplacian on a k×k grid.
func symmetricGrid(k int) *sparsity.SymMatrix {
	a := sparsity.NewMatrix(sparsity.BoxStencil(k, k))
	p := a.Pattern()
	for i := range k * k {
		for _, j := range p.Row(i) {
			v := -1.0
			if int(j) == i {
				v = 8.1
			}
			a.Values()[p.Position(i, int(j))] = v
		}
	}
	return symmetric(a, false)
}

func TestCholeskyOfALargeGrid(t *testing.T) {
	a := symmetricGrid(100)
	const n = 100 * 100
	want := randomVector(rand.New(rand.NewPCG(11, 2)), n)
	b := mat.NewVecDense(n, nil)
	a.MulVecTo(b, false, mat.NewVecDense(n, want))
	var c Cholesky
	require.NoError(t, c.Factorize(a))
	x := make([]float64, n)
	require.NoError(t, c.SolveInto(x, b.RawVector().Data))
	require.InDeltaSlice(t, want, x, 10*epsilon*c.Cond())
	require.Less(t, c.Cond(), 163.0, "‖A‖ = 16.1 and ‖A⁻¹‖ ≤ 1/0.1")
}

func TestCholeskySolvesConcurrently(t *testing.T) {
	a := symmetricGrid(15)
	n := a.SymmetricDim()
	var c Cholesky
	require.NoError(t, c.Factorize(a))
	b := randomVector(rand.New(rand.NewPCG(9, 2)), n)
	want := make([]float64, n)
	require.NoError(t, c.SolveInto(want, b))
	cond := c.Cond()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			x := make([]float64, n)
			for range 20 {
				if err := c.SolveInto(x, b); err != nil || !slices.Equal(x, want) || c.Cond() != cond {
					t.Error("differs", err)
				}
			}
		})
	}
	wg.Wait()
}

func TestCholeskyDoesNotAllocate(t *testing.T) {
	a := symmetricGrid(15)
	n := a.SymmetricDim()
	var c Cholesky
	require.NoError(t, c.Factorize(a))
	b := randomVector(rand.New(rand.NewPCG(10, 2)), n)
	x := make([]float64, n)
	rhs, dst := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	for name, f := range map[string]func(){
		"Refactorize": func() { c.Refactorize(a) },
		"Shift":       func() { c.RefactorizeShift(a, 2) },
		"SolveInto":   func() { c.SolveInto(x, b) },
		"SolveTo":     func() { c.SolveTo(dst, false, rhs) },
		"LogDet":      func() { c.LogDet() },
	} {
		require.Zero(t, testing.AllocsPerRun(20, f), name)
	}
}

func TestCholeskyPanicsOnMisuse(t *testing.T) {
	a := symmetric(tridiagonal(3), false)
	var none, c Cholesky
	require.NoError(t, c.Factorize(a))
	for _, f := range []func(){
		func() { none.SolveInto(nil, nil) },
		func() { none.Refactorize(a) },
		func() { none.RefactorizeShift(a, 1) },
		func() { none.RefactorizeMarquardt(a, 1, nil) },
		func() { none.LogDet() },
		func() { none.Cond() },
		func() { none.NNZ() },
		func() { none.At(0, 0) },
		func() { none.NegativeCurvature(nil) },
	} {
		require.PanicsWithValue(t, "linsolve: no factorization", f)
	}
	wrongLength := "linsolve: length of vector is not the order of the matrix"
	require.PanicsWithValue(t, wrongLength, func() { c.SolveInto(make([]float64, 3), make([]float64, 2)) })
	require.PanicsWithValue(t, "linsolve: pattern differs", func() { c.Refactorize(symmetric(tridiagonal(4), false)) })
	require.PanicsWithValue(t, "linsolve: pattern differs", func() { c.Refactorize(symmetric(tridiagonal(3), true)) })
	require.PanicsWithValue(t, "linsolve: shift not finite", func() { c.RefactorizeShift(a, math.NaN()) })
	require.PanicsWithValue(t, "linsolve: shift negative or not finite", func() { c.RefactorizeMarquardt(a, -1, nil) })
	require.PanicsWithValue(t, "linsolve: shift negative or not finite", func() { c.RefactorizeMarquardt(a, 1, []float64{1, math.NaN(), 1}) })
	require.PanicsWithValue(t, wrongLength, func() { c.RefactorizeMarquardt(a, 1, make([]float64, 2)) })
	require.PanicsWithValue(t, "linsolve: pattern differs", func() { c.RefactorizeMarquardt(symmetric(tridiagonal(4), false), 1, nil) })
	require.True(t, mat.Equal(&c, a), "misuse left its mark")
	require.PanicsWithValue(t, "linsolve: no pivot failed", func() { c.NegativeCurvature(nil) })
	require.Error(t, c.RefactorizeShift(a, -100))
	require.PanicsWithValue(t, wrongLength, func() { c.NegativeCurvature(make([]float64, 2)) })
	require.NoError(t, c.RefactorizeShift(a, 0))
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { c.SolveTo(new(mat.Dense), false, mat.NewDense(2, 1, nil)) })
	require.PanicsWithError(t, mat.ErrShape.Error(), func() { c.SolveTo(mat.NewDense(3, 2, nil), false, mat.NewDense(3, 1, nil)) })
}

func FuzzCholesky(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 0x00, 0, 0x11, 0, 0x22, 2})
	f.Add([]byte{3, 0x10, 0, 0x21, 0, 0x00, 2, 0x11, 2, 0x22, 2})
	f.Add([]byte{2, 0x00, 0, 0x10, 0, 0x11, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		a := symmetric(decodeMatrix(data), false)
		n := a.SymmetricDim()
		var c Cholesky
		err := c.Factorize(a)
		again := c.Refactorize(a)
		var bad *NonFiniteError
		if errors.As(err, &bad) {
			require.ErrorAs(t, again, &bad)
			return
		}
		require.Equal(t, err, again)
		var e *NotPositiveDefiniteError
		if errors.As(err, &e) {
			require.Len(t, c.NegativeCurvature(nil), n)
			return
		}
		require.NoError(t, err)
		if n == 0 {
			return
		}
		rebuilt := rebuiltSym(&c)
		for i := range n {
			for j := range i + 1 {
				size := math.Sqrt(a.At(i, i)) * math.Sqrt(a.At(j, j))
				require.LessOrEqual(t, math.Abs(rebuilt.At(i, j)-a.At(i, j)), float64(2*n+4)*epsilon*size)
			}
		}
	})
}
