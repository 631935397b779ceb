package matrix_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// recorded is case k with a point of a shape.
func recorded(t require.TestingT, k int, s shape, seed uint64) (*reverse.Tape, []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := point(k, s, func() float64 { return 2*rng.Float64() - 1 })
	tape, err := reverse.Record(combined[reverse.Var](k, s, x, 0), x)
	require.NoError(t, err)
	return tape, x
}

func TestCheckPasses(t *testing.T) {
	for k, op := range operations[dual.Real]() {
		t.Run(op.name, func(t *testing.T) {
			s := shape{3, 3, 2}
			_, x := recorded(t, k, s, 5)
			_, err := hessian.Check(combined[reverse.Var](k, s, x, 0), x)
			require.NoError(t, err)
		})
	}
}

// Evaluations into a given dst do not allocate, small or of several blocks.
func TestEvaluationsDoNotAllocate(t *testing.T) {
	for k, op := range operations[dual.Real]() {
		for _, s := range []shape{{5, 4, 3}, {140, 140, 2}} {
			if s.p > 100 && (op.name == "EigenSym" || op.name == "EigenvaluesSym" || op.name == "Expm") {
				continue // gonum's eigenvalues of large matrices start goroutines; a large exponential is the same code
			}
			tape, x := recorded(t, k, s, 6)
			g, h := make([]float64, len(x)), make([]float64, len(x))
			run := func() {
				x[0] = math.Nextafter(x[0], 2) // another point
				_, _ = tape.Gradient(g, x)
				_, _ = tape.HVP(h, x, g)
			}
			for range 4 {
				run()
			}
			require.Zero(t, testing.AllocsPerRun(3, run), "%s, %v", op.name, s)
		}
	}
}

func TestEvaluationsOfTransformsDoNotAllocate(t *testing.T) {
	for k, op := range operations[dual.Real]() {
		tape, x := recorded(t, k, shape{3, 3, 2}, 6)
		tangent, adjoint := tape.Tangent(), tape.Adjoint()
		xx := append(slices.Clone(x), x...)
		xw := append(slices.Clone(x), 1)
		y, g := make([]float64, 2), make([]float64, len(x))
		gg, gw := make([]float64, len(xx)), make([]float64, len(xw))
		run := func() {
			_, _ = tangent.JVP(y, xx, xx)
			_, _ = tangent.VJP(gg, xx, y)
			_, _ = adjoint.JVP(g, xw, xw)
			_, _ = adjoint.VJP(gw, xw, x)
		}
		for range 4 {
			run()
		}
		require.Zero(t, testing.AllocsPerRun(3, run), op.name)
	}
}

// Any number of goroutines, on points of their own and on the same ones, get the bits
// that one gets.
func TestConcurrentEvaluationsHaveTheSameBits(t *testing.T) {
	for k, op := range operations[dual.Real]() {
		tape, x := recorded(t, k, shape{6, 5, 4}, 8)
		const points, goroutines = 3, 8
		var at, want [points][]float64
		for i := range at {
			at[i] = append([]float64(nil), x...)
			at[i][0] += float64(i) / 64
			h, err := tape.HVP(nil, at[i], x)
			require.NoError(t, err)
			want[i] = h
		}
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for r := range 4 {
					i := (g + r) % points
					h, err := tape.HVP(nil, at[i], x)
					if err != nil || !equal(h, want[i]) {
						t.Errorf("%s: goroutine %d, %v", op.name, g, err)
					}
				}
			})
		}
		wg.Wait()
	}
}

func equal(x, y []float64) bool {
	for i := range x {
		if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
			return false
		}
	}
	return len(x) == len(y)
}

func TestBitsDoNotDependOnGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for k, op := range operations[dual.Real]() {
		if op.name == "EigenSym" || op.name == "Expm" {
			continue // of the same products
		}
		var want [2][]float64
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			tape, x := recorded(t, k, shape{135, 130, 3}, 9)
			g, err := tape.Gradient(nil, x)
			require.NoError(t, err)
			h, err := tape.HVP(nil, x, g)
			require.NoError(t, err)
			if procs == 1 {
				want = [2][]float64{g, h}
			}
			require.True(t, equal(want[0], g) && equal(want[1], h), "%s with %d", op.name, procs)
		}
	}
}

func TestThirdDerivativesPanicWithTheName(t *testing.T) {
	for k, op := range operations[dual.Real]() {
		if op.name == "MulVec" {
			continue // is no operation of its own
		}
		tape, x := recorded(t, k, shape{2, 2, 2}, 3)
		adjoint := tape.Adjoint()
		func() {
			defer func() {
				require.Contains(t, recover(), "reverse: third derivative of the primitive ", op.name)
			}()
			_, _ = hessian.New(adjoint, hessian.FoR).Dense(nil, append(slices.Clone(x), 1), make([]float64, adjoint.Outputs())...)
		}()
	}
}

// failing is a function of a 2×2 matrix.
func failing[T dual.Scalar[T]](f func(a *matrix.Dense[T]) T) func(x []T) T {
	return func(x []T) T { return f(matrix.New(2, 2, x)) }
}

func TestErrorsLeaveDstAlone(t *testing.T) {
	right := func(a *matrix.Dense[reverse.Var]) *matrix.Dense[reverse.Var] { return a.T() }
	type vars = matrix.Dense[reverse.Var]
	first := func(m *vars) reverse.Var { return dual.SumSquares(m.Data) }
	singular, indefinite := []float64{1, 2, 2, 4}, []float64{1, 0, 2, 1}
	zero := []float64{0, 0, 0, 1}
	for _, c := range []struct {
		name string
		x    []float64
		f    func(a *vars) reverse.Var
		err  any
	}{
		{"Solve", singular, func(a *vars) reverse.Var { return first(matrix.Solve(nil, a, right(a))) }, new(*matrix.SingularError)},
		{"Inverse", singular, func(a *vars) reverse.Var { return first(matrix.Inverse(nil, a)) }, new(*matrix.SingularError)},
		{"LogDet", singular, matrix.LogDet[reverse.Var], new(*matrix.SingularError)},
		{"nearly", []float64{1, 1. / 3, 3, 1 + 1e-17}, matrix.LogDet[reverse.Var], new(*matrix.SingularError)},
		{"SolveLower", zero, func(a *vars) reverse.Var { return first(matrix.SolveLower(nil, a, right(a))) }, new(*matrix.SingularError)},
		{"SolveUpper", zero, func(a *vars) reverse.Var { return first(matrix.SolveUpper(nil, a, right(a))) }, new(*matrix.SingularError)},
		{"SolveSPD", indefinite, func(a *vars) reverse.Var { return first(matrix.SolveSPD(nil, a, right(a))) }, new(*matrix.NotPositiveDefiniteError)},
		{"Cholesky", indefinite, func(a *vars) reverse.Var { return first(matrix.Cholesky(nil, a)) }, new(*matrix.NotPositiveDefiniteError)},
		{"LogDetSPD", indefinite, matrix.LogDetSPD[reverse.Var], new(*matrix.NotPositiveDefiniteError)},
		{"LogNormal", indefinite, func(a *vars) reverse.Var {
			return matrix.LogNormal(nil, a, a.Row(0), matrix.Covariance, a)[0]
		}, new(*matrix.NotPositiveDefiniteError)},
		{"LogStudent", zero, func(a *vars) reverse.Var {
			return matrix.LogStudent(nil, a.At(1, 1), a, a.Row(0), matrix.Factor, a)[0]
		}, new(*matrix.SingularError)},
	} {
		good := []float64{2, 0.5, 0.5, 1}
		tape, err := reverse.Record(failing(c.f), good)
		require.NoError(t, err, c.name)
		dst := []float64{7, 7, 7, 7}
		_, err = tape.Gradient(dst, c.x)
		require.ErrorAs(t, err, c.err, c.name)
		_, err = tape.HVP(dst, c.x, good)
		require.ErrorAs(t, err, c.err, c.name)
		require.Equal(t, []float64{7, 7, 7, 7}, dst, c.name)
		want, err := tape.Gradient(nil, good)
		require.NoError(t, err, c.name)
		again, err := reverse.Gradient(nil, failing(c.f), good)
		require.NoError(t, err)
		require.Equal(t, again, want, "%s: evaluations after an error", c.name)
		_, err = reverse.Record(failing(c.f), c.x)
		require.ErrorAs(t, err, c.err, "%s, recorded there", c.name)
	}
}

// An error in a later one of several sweeps leaves matrices as they were too: the second
// eight directions move equal eigenvalues.
func TestErrorsOfLaterSweepsLeaveDstAlone(t *testing.T) {
	const n = 24
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	x[n-2], x[n-1] = 0, 2
	f := func(x []reverse.Var) []reverse.Var {
		a := matrix.New[reverse.Var](2, 2, nil)
		a.Set(0, 0, x[n-1])
		a.Set(1, 0, x[n-2])
		a.Set(1, 1, dual.Const[reverse.Var](2))
		l := matrix.EigenvaluesSym(a)
		y := l[0].Add(l[1]).Square()
		for i := range n {
			y = y.Add(x[i].Mul(x[(i+1)%n]).Mul(dual.Sum(x)))
		}
		out := slices.Repeat([]reverse.Var{y}, n)
		for i := range n - 1 {
			out[i] = dual.Sum(x).Square()
		}
		return out
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return f(x)[n-1] }, x)
	require.NoError(t, err)
	jac, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		return append(f(x), matrix.EigenvaluesSym(matrix.New(2, 2, []reverse.Var{x[n-1], x[n-2], x[n-2], dual.Const[reverse.Var](2)}))...)
	}, x)
	require.NoError(t, err)
	sevens := func(r, c int) *mat.Dense { return mat.NewDense(r, c, slices.Repeat([]float64{7}, r*c)) }
	var repeated *matrix.RepeatedEigenvalueError

	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	dst := sevens(n, n)
	_, err = tape.HVPs(dst, x, identity)
	require.ErrorAs(t, err, &repeated)
	require.Equal(t, sevens(n, n), dst)
	empty := new(mat.Dense)
	_, err = tape.HVPs(empty, x, identity)
	require.ErrorAs(t, err, &repeated)
	require.True(t, empty.IsEmpty())
	dst = sevens(n+2, n)
	_, err = jac.Jacobian(dst, x)
	require.ErrorAs(t, err, &repeated)
	require.Equal(t, sevens(n+2, n), dst)
	for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
		dst := mat.NewSymDense(n, slices.Repeat([]float64{7}, n*n))
		_, err := hessian.New(tape, s).Dense(dst, x)
		require.ErrorAs(t, err, &repeated, s)
		require.Equal(t, mat.NewSymDense(n, slices.Repeat([]float64{7}, n*n)), dst, s)
	}
	good := slices.Clone(x)
	good[n-1] = 5
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	m, err := plan.Eval(nil, good)
	require.NoError(t, err)
	before := slices.Clone(m.Values())
	_, err = plan.Eval(m, x)
	require.ErrorAs(t, err, &repeated)
	require.Equal(t, before, m.Values())
}

// A matrix of a rank below its order is singular by its condition, which rounding alone
// keeps from 0.
func TestRankDeficientMatricesAreSingular(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		rank := rapid.IntRange(0, n-1).Draw(t, "rank")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a := mat.NewDense(n, n, nil)
		for range rank {
			u, v := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
			for i := range n {
				u.SetVec(i, rng.NormFloat64())
				v.SetVec(i, rng.NormFloat64())
			}
			a.RankOne(a, 1, u, v)
		}
		x := mat.NewDense(n, n, nil)
		for i := range n {
			x.Set(i, i, 1)
		}
		for name, f := range map[string]func(a *matrix.Dense[reverse.Var]) reverse.Var{
			"LogDet":  matrix.LogDet[reverse.Var],
			"Inverse": func(a *matrix.Dense[reverse.Var]) reverse.Var { return matrix.Inverse(nil, a).Data[0] },
			"Solve":   func(a *matrix.Dense[reverse.Var]) reverse.Var { return matrix.SolveVec(nil, a, a.Row(0))[0] },
		} {
			tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return f(matrix.New(n, n, x)) }, x.RawMatrix().Data)
			require.NoError(t, err)
			_, err = tape.Gradient(nil, a.RawMatrix().Data)
			var singular *matrix.SingularError
			require.ErrorAs(t, err, &singular, name)
			require.Equal(t, n, singular.N)
		}
	})
}

// Numbers without errors are NaN or infinite where a tape returns one, constants of a
// recording among them.
func TestNumbersWithoutErrorsAreNaN(t *testing.T) {
	indefinite := []float64{1, 0, 2, 1}
	bad := func(v float64) { require.True(t, math.IsNaN(v) || math.IsInf(v, 0)) }
	bad(float64(matrix.LogDetSPD(matrix.New(2, 2, dual.Consts[dual.Real](nil, indefinite)))))
	bad(matrix.LogDetSPD(matrix.New(2, 2, dual.Consts[dual.Hyper](nil, indefinite))).V)
	bad(matrix.LogDetSPD(matrix.New(2, 2, dual.Consts[reverse.Var](nil, indefinite))).Value())
	bad(float64(matrix.Inverse(nil, matrix.New(2, 2, dual.Consts[dual.Real](nil, []float64{1, 2, 2, 4}))).At(0, 0)))
	bad(matrix.Inverse(nil, matrix.New(2, 2, dual.Consts[dual.Number](nil, []float64{1, 2, 2, 4}))).At(0, 0).V)
}

// A NaN or an infinity in an operand is no error. Values are those of the elements; no
// derivative is finite that is not 0.
func TestNaNFlows(t *testing.T) {
	each(t, func(t *rapid.T, k int) {
		s := shape{3, 2, 2}
		x0 := point(k, s, func() float64 { return element.Draw(t, "x") })
		fixed := rapid.IntRange(0, 7).Draw(t, "fixed")
		x := slices.Clone(x0)
		bad := func(of []float64) {
			of[rapid.IntRange(0, len(x)-1).Draw(t, "i")] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1)}).Draw(t, "v")
		}
		if rapid.Bool().Draw(t, "constants") {
			bad(x0)
		}
		tape, err := reverse.Record(combined[reverse.Var](k, s, x0, fixed), x)
		require.NoError(t, err)
		bad(x)
		value, err := tape.Value(x)
		require.NoError(t, err)
		want := combined[dual.Number](k, s, x0, fixed)(dual.Consts[dual.Number](nil, x)).V
		if math.IsNaN(want) {
			require.True(t, math.IsNaN(value) || math.IsInf(value, 0), "%v, want NaN", value)
		}
		g, err := tape.Gradient(nil, x)
		require.NoError(t, err)
		if math.IsNaN(value) && fixed == 0 {
			require.True(t, hasNaN(g))
		}
		_, err = tape.HVP(nil, x, make([]float64, len(x)))
		require.NoError(t, err)
	})
}

// At a pole of what comes after, where weights or directions are infinite, a partial
// derivative that is 0 annihilates them, as it does between the operations on elements.
func TestPoles(t *testing.T) {
	t.Run("quadratic form", func(t *testing.T) {
		atPoles(t, func(x []reverse.Var) reverse.Var { return norm(x) }, func(x []dual.Hyper) dual.Hyper { return norm(x) })
	})
	t.Run("product", func(t *testing.T) {
		atPoles(t, func(x []reverse.Var) reverse.Var { return rootOfProduct(x) }, func(x []dual.Hyper) dual.Hyper { return rootOfProduct(x) })
	})
	t.Run("product of roots", func(t *testing.T) {
		atPoles(t, func(x []reverse.Var) reverse.Var { return productOfRoots(x) }, func(x []dual.Hyper) dual.Hyper { return productOfRoots(x) })
	})
}

func norm[T dual.Scalar[T]](x []T) T {
	return matrix.QuadForm(matrix.New(2, 2, dual.Consts[T](nil, []float64{2, 1, 1, 3})), x).Sqrt()
}

func rootOfProduct[T dual.Scalar[T]](x []T) T {
	return matrix.Mul(nil, matrix.New(1, 2, x), matrix.New(2, 1, x)).At(0, 0).Sqrt()
}

func productOfRoots[T dual.Scalar[T]](x []T) T {
	roots := []T{x[0].Sqrt(), x[1].Sqrt()}
	return matrix.Mul(nil, matrix.New(1, 2, x), matrix.New(2, 1, roots)).At(0, 0)
}

func atPoles(t *testing.T, f func(x []reverse.Var) reverse.Var, elements func(x []dual.Hyper) dual.Hyper) {
	tape, err := reverse.Record(f, []float64{1, 2})
	require.NoError(t, err)
	x := []float64{0, 0}
	g, err := tape.Gradient(nil, x)
	require.NoError(t, err)
	jv, err := tape.JVP(nil, x, []float64{1, 2})
	require.NoError(t, err)
	for i, want := range []dual.Hyper{elements([]dual.Hyper{{D1: 1}, {}}), elements([]dual.Hyper{{}, {D1: 1}})} {
		require.Zero(t, want.D1)
		require.Zero(t, g[i])
	}
	require.Zero(t, jv[0])
	want := hessian.Forward(nil, elements, x)
	for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
		h, err := hessian.New(tape, s).Dense(nil, x)
		require.NoError(t, err)
		for i := range x {
			for j := range x {
				require.Equal(t, math.IsInf(want.At(i, j), 1), math.IsInf(h.At(i, j), 1), "%v, %d, %d", s, i, j)
				require.False(t, math.IsNaN(h.At(i, j)), "%v, %d, %d", s, i, j)
			}
		}
	}
}

func hasNaN(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) {
			return true
		}
	}
	return false
}

func TestMisusePanics(t *testing.T) {
	a, b := matrix.New[dual.Real](2, 3, nil), matrix.New[dual.Real](2, 2, nil)
	for want, f := range map[string]func(){
		"matrix: negative number of rows or columns":                              func() { matrix.New[dual.Real](-1, 2, nil) },
		"matrix: 3 elements for a 2×2 matrix":                                     func() { matrix.New(2, 2, make([]dual.Real, 3)) },
		"matrix: no element (2, 0) in a 2×3 matrix":                               func() { a.At(2, 0) },
		"matrix: no element (0, -1) in a 2×3 matrix":                              func() { a.Set(0, -1, 1) },
		"matrix: product of a 2×3 and a 2×2 matrix":                               func() { matrix.Mul(nil, a, b) },
		"matrix: product of a 2×3 matrix with a vector of length 2":               func() { matrix.MulVec(nil, a, b.Row(0)) },
		"matrix: dst is 2×3, want 2×2":                                            func() { matrix.Mul(a, b, b) },
		"matrix: dst has length 1, want 2":                                        func() { matrix.SolveVec(make([]dual.Real, 1), b, b.Row(0)) },
		"matrix: 2×3 matrix, want a square one":                                   func() { matrix.LogDet(a) },
		"matrix: right side of 3 rows for a matrix of order 2":                    func() { matrix.Solve(nil, b, a.T()) },
		"matrix: quadratic form of a 2×2 matrix with a vector of length 3":        func() { matrix.QuadForm(b, a.Row(0)) },
		"matrix: 2×3 points and a mean of length 2 for a scale matrix of order 2": func() { matrix.LogNormal(nil, a, b.Row(0), matrix.Factor, b) },
		"matrix: unknown Scale":                                                   func() { matrix.LogNormal(nil, b, b.Row(0), 9, b) },
	} {
		require.PanicsWithValue(t, want, f)
	}
}

// Eigenvalues that are equal have no derivatives of their own, but their sum has.
func TestRepeatedEigenvalues(t *testing.T) {
	one := []float64{2, 0, 0, 0, 2, 0, 0, 0, 5}
	values := func(w ...float64) func(x []reverse.Var) reverse.Var {
		return func(x []reverse.Var) reverse.Var {
			return dual.DotReal(w, matrix.EigenvaluesSym(matrix.New(3, 3, x)))
		}
	}
	record := func(f func(x []reverse.Var) reverse.Var) *reverse.Tape {
		tape, err := reverse.Record(f, one)
		require.NoError(t, err)
		return tape
	}
	sum := record(values(1, 1, 3))
	v, err := sum.Value(one)
	require.NoError(t, err)
	require.Equal(t, 19.0, v)
	g, err := sum.Gradient(nil, one)
	require.NoError(t, err)
	require.Equal(t, []float64{1, 0, 0, 0, 1, 0, 0, 0, 3}, g)
	// The sum of the two is the trace less the third, 5 + h₂₀²/(5 − 2) + …; its weight is 3 − 1.
	e := []float64{0, 0, 0, 0, 0, 0, 1, 0, 0}
	h, err := sum.HVP(nil, one, e)
	require.NoError(t, err)
	require.InDelta(t, 2*2./3, h[6], 1e-14)

	var repeated *matrix.RepeatedEigenvalueError
	_, err = record(values(1, 2, 3)).Gradient(nil, one)
	require.ErrorAs(t, err, &repeated)
	require.Equal(t, matrix.RepeatedEigenvalueError{First: 0, Last: 1, Value: 2}, *repeated)
	_, err = sum.JVP(nil, one, e)
	require.ErrorAs(t, err, &repeated)
	vectors := record(func(x []reverse.Var) reverse.Var {
		_, v := matrix.EigenSym(matrix.New(3, 3, x))
		return v.At(0, 0)
	})
	_, err = vectors.Gradient(nil, one)
	require.ErrorAs(t, err, &repeated)
}

// Patterns have what may differ from 0, and of products and triangles no more.
func TestPatternsFollowTheStructure(t *testing.T) {
	pattern := func(n int, f func(x []reverse.Var) []reverse.Var, x []float64) (hit, nnz int) {
		tape, err := reverse.RecordVec(f, x)
		require.NoError(t, err)
		p := tape.JacobianPattern()
		jac, err := tape.Jacobian(nil, x)
		require.NoError(t, err)
		rows, cols := jac.Dims()
		for i := range rows {
			for j := range cols {
				if math.Abs(jac.At(i, j)) > 1e-12 { // what cancels may leave rounding errors
					hit++
					require.True(t, p.Has(i, j))
				}
			}
		}
		return hit, p.NNZ()
	}
	for k, op := range operations[reverse.Var]() {
		s := shape{4, 3, 2}
		rng := rand.New(rand.NewPCG(1, 9))
		x := point(k, s, func() float64 { return 0.25 + rng.Float64()/2 })
		hit, nnz := pattern(len(x), func(x []reverse.Var) []reverse.Var { return op.f(s, x) }, x)
		switch op.name {
		case "Mul", "Mul transposed", "Mul square", "Cholesky", "SolveLower", "SolveUpper", "Solve":
			require.Equal(t, hit, nnz, op.name)
		}
	}
}

func TestKnownAnswers(t *testing.T) {
	real := func(rows, cols int, x ...float64) *matrix.Dense[dual.Real] {
		return matrix.New(rows, cols, dual.Consts[dual.Real](nil, x))
	}
	floats := func(x []dual.Real) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = float64(v)
		}
		return y
	}
	require.Equal(t, []float64{58, 64, 139, 154}, floats(matrix.Mul(nil, real(2, 3, 1, 2, 3, 4, 5, 6), real(3, 2, 7, 8, 9, 10, 11, 12)).Data))
	require.Equal(t, []float64{2, 0, 0, 6, 1, 0, -8, 5, 3}, floats(matrix.Cholesky(nil, real(3, 3, 4, 9, 9, 12, 37, 9, -16, -43, 98)).Data))
	require.InDelta(t, math.Log(2*1*3)*2, float64(matrix.LogDetSPD(real(3, 3, 4, 0, 0, 12, 37, 0, -16, -43, 98))), 1e-14)
	require.InDelta(t, math.Log(2), float64(matrix.LogDet(real(2, 2, 1, 2, 3, 4))), 1e-15)
	require.InDeltaSlice(t, []float64{-2, 1, 1.5, -0.5}, floats(matrix.Inverse(nil, real(2, 2, 1, 2, 3, 4)).Data), 1e-15)
	require.Equal(t, 2.0*4+1*(3+5)*2+7, float64(matrix.QuadForm(real(2, 2, 2, 3, 5, 7), []dual.Real{2, 1})))
	// A rotation.
	e := matrix.Expm(nil, real(2, 2, 0, -1, 1, 0))
	require.InDeltaSlice(t, []float64{math.Cos(1), -math.Sin(1), math.Sin(1), math.Cos(1)}, floats(e.Data), 1e-15)
	// By squarings: e^(20·N) of a nilpotent N is I + 20N.
	require.InDeltaSlice(t, []float64{1, 20, 0, 1}, floats(matrix.Expm(nil, real(2, 2, 0, 20, 0, 0)).Data), 1e-13)
	for _, c := range []float64{0, 1, 100, 1e6, 1e10} { // to the bit, on a tape too
		want := []float64{1, c, 0, 1}
		require.Equal(t, want, floats(matrix.Expm(nil, real(2, 2, 0, c, 0, 0)).Data))
		x := []float64{0, c, 0, 0}
		tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return matrix.Expm(nil, matrix.New(2, 2, x)).Data }, x)
		require.NoError(t, err)
		got, err := tape.Values(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	values, vectors := matrix.EigenSym(real(2, 2, 2, 99, 1, 2)) // the upper triangle is not read
	h := math.Sqrt(0.5)
	require.InDeltaSlice(t, []float64{1, 3}, floats(values), 1e-15)
	require.InDelta(t, h, math.Abs(float64(vectors.At(0, 0))), 1e-15)
	require.InDeltaSlice(t, []float64{h, h}, []float64{float64(vectors.At(0, 1)), float64(vectors.At(1, 1))}, 1e-15)
	// Standard normal and Cauchy at 1.
	one := real(1, 1, 1)
	zero := make([]dual.Real, 1)
	for _, mean := range [][]dual.Real{zero, nil} {
		require.InDelta(t, -0.5*math.Log(2*math.Pi)-0.5, float64(matrix.LogNormal(nil, one, mean, matrix.Covariance, one)[0]), 1e-15)
	}
	require.InDelta(t, -math.Log(2*math.Pi), float64(matrix.LogStudent(nil, 1, one, zero, matrix.Covariance, one)[0]), 1e-15)
}

// dst may be an operand, and is what is returned.
func TestResultsMayTakeThePlaceOfOperands(t *testing.T) {
	x := []float64{2, 0.5, 0.5, 1}
	fresh := func() *matrix.Dense[dual.Real] { return matrix.New(2, 2, dual.Consts[dual.Real](nil, x)) }
	for name, f := range map[string]func(dst, a *matrix.Dense[dual.Real]) *matrix.Dense[dual.Real]{
		"Mul":      func(dst, a *matrix.Dense[dual.Real]) *matrix.Dense[dual.Real] { return matrix.Mul(dst, a, a) },
		"Cholesky": matrix.Cholesky[dual.Real],
		"Solve":    func(dst, a *matrix.Dense[dual.Real]) *matrix.Dense[dual.Real] { return matrix.Solve(dst, a, a) },
		"Inverse":  matrix.Inverse[dual.Real],
		"Expm":     matrix.Expm[dual.Real],
	} {
		a := fresh()
		require.Same(t, a, f(a, a), name)
		require.Equal(t, f(nil, fresh()), a, name)
	}
}

func TestFromMat(t *testing.T) {
	a := matrix.FromMat[dual.Number](mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}).T())
	require.Equal(t, 3, a.Rows)
	require.Equal(t, dual.Number{V: 5}, a.At(1, 1))
	require.Equal(t, dual.Number{V: 4}, a.T().Row(1)[0])
}
