package linsolve

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

type krylovMethod func(dst []float64, a func(dst, x []float64), b []float64, s *Krylov) ([]float64, error)

var krylovMethods = map[string]krylovMethod{
	"GMRES": func(dst []float64, a func(dst, x []float64), b []float64, s *Krylov) ([]float64, error) {
		return cmp.Or(s, new(Krylov)).GMRES(dst, a, b)
	},
	"BiCGStab": func(dst []float64, a func(dst, x []float64), b []float64, s *Krylov) ([]float64, error) {
		return cmp.Or(s, new(Krylov)).BiCGStab(dst, a, b)
	},
}

func product(a *sparsity.Matrix) func(dst, x []float64) {
	n, _ := a.Dims()
	dv, xv := new(mat.VecDense), new(mat.VecDense)
	return func(dst, x []float64) {
		dv.SetRawVector(blas64.Vector{N: n, Inc: 1, Data: dst})
		xv.SetRawVector(blas64.Vector{N: n, Inc: 1, Data: x})
		a.MulVecTo(dv, false, xv)
	}
}

// relativeResidual returns ‖b − Ax‖₂/‖b‖₂.
func relativeResidual(a func(dst, x []float64), x, b []float64) float64 {
	r := make([]float64, len(b))
	a(r, x)
	floats.SubTo(r, b, r)
	return quotient(floats.Norm(r, 2), floats.Norm(b, 2))
}

func TestKrylovMeetsToleranceOrSaysSo(t *testing.T) {
	for name, solve := range krylovMethods {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 40).Draw(t, "n")
				rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				m := randomMatrix(rnd, n, 3)
				shift := rapid.Float64Range(0, 8).Draw(t, "shift")
				for i := range n {
					if k := m.Pattern().Position(i, i); k >= 0 {
						m.Values()[k] += shift
					}
				}
				scales := rapid.Bool().Draw(t, "Left")
				s := &Krylov{
					Tolerance: rapid.SampledFrom([]float64{0, 1e-3, 1e-12, 1e-30}).Draw(t, "Tolerance"),
					Restart:   rapid.IntRange(0, 10).Draw(t, "Restart"),
				}
				if scales {
					s.Left = func(dst, x []float64) {
						for i := range x {
							dst[i] = x[i] * math.Exp2(float64(i%5))
						}
					}
				}
				b := randomVector(rnd, n)
				a := product(m)
				x, err := solve(nil, a, b, s)
				tolerance := s.Tolerance
				if tolerance == 0 {
					tolerance = 1e-10
				}
				got := relativeResidual(a, x, b)
				if err == nil {
					require.LessOrEqual(t, got, tolerance*(1+1e-12))
					return
				}
				var convergence *ConvergenceError
				require.ErrorAs(t, err, &convergence)
				require.Greater(t, convergence.Residual, tolerance)
				require.InEpsilon(t, got, convergence.Residual, 1e-9)
				if s.Left == nil {
					require.LessOrEqual(t, got, 1+1e-12)
				}
			})
		})
	}
}

func TestKrylovAgreesWithLU(t *testing.T) {
	m := grid(30)
	n, _ := m.Dims()
	b := randomVector(rand.New(rand.NewPCG(1, 1)), n)
	var lu LU
	require.NoError(t, lu.Factorize(m))
	want := make([]float64, n)
	require.NoError(t, lu.SolveInto(want, false, b))
	jacobi := func(dst, x []float64) { floats.ScaleTo(dst, 0.25, x) }
	for name, solve := range krylovMethods {
		for side, s := range map[string]*Krylov{"plain": {}, "left": {Left: jacobi}, "right": {Right: jacobi}, "both": {Left: jacobi, Right: jacobi}} {
			t.Run(name+"/"+side, func(t *testing.T) {
				x, err := solve(nil, product(m), b, s)
				require.NoError(t, err)
				require.InDeltaSlice(t, want, x, 1e-10*lu.Cond())
			})
		}
	}
}

func TestKrylovWithExactPreconditionerTakesOneIteration(t *testing.T) {
	m := grid(10)
	n, _ := m.Dims()
	b := randomVector(rand.New(rand.NewPCG(2, 1)), n)
	var lu LU
	require.NoError(t, lu.Factorize(m))
	inverse := func(dst, x []float64) {
		if err := lu.SolveInto(dst, false, x); err != nil {
			panic(err)
		}
	}
	for name, solve := range krylovMethods {
		for side, s := range map[string]*Krylov{
			"left":  {MaxIterations: 1, Left: inverse},
			"right": {MaxIterations: 1, Right: inverse},
		} {
			x, err := solve(nil, product(m), b, s)
			require.NoError(t, err, name, side)
			require.LessOrEqual(t, relativeResidual(product(m), x, b), 1e-10)
		}
	}
}

// The product with a cyclic shift moves e₁ through all n directions before the
// residual can fall: GMRES(m) makes no progress for m < n and full GMRES finds
// the solution in its last iteration (Saad and Schultz, section 3).
func TestGMRESOnCyclicShiftNeedsAllIterations(t *testing.T) {
	const n = 12
	shift := func(dst, x []float64) {
		copy(dst[1:], x[:n-1])
		dst[0] = x[n-1]
	}
	b := make([]float64, n)
	b[0] = 1

	var convergence *ConvergenceError
	_, err := (&Krylov{Restart: n - 1}).GMRES(nil, shift, b)
	require.ErrorAs(t, err, &convergence)
	require.Equal(t, n-1, convergence.Iterations)
	require.Equal(t, 1.0, convergence.Residual)

	products := 0
	x, err := (&Krylov{Restart: n}).GMRES(nil, func(dst, x []float64) { products++; shift(dst, x) }, b)
	require.NoError(t, err)
	require.Equal(t, 1.0, x[n-1])
	require.Equal(t, n+1, products) // one for the final residual
}

func TestGMRESResidualNeverGrows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	a := product(randomMatrix(rnd, 40, 4))
	b := randomVector(rnd, 40)
	last := 1.0
	for k := 1; k <= 60; k++ {
		x, _ := (&Krylov{MaxIterations: k, Restart: 15}).GMRES(nil, a, b)
		r := relativeResidual(a, x, b)
		require.LessOrEqual(t, r, last*(1+1e-10))
		last = r
	}
}

func TestBiCGStabBreaksDownOnSkewSymmetric(t *testing.T) {
	rotate := func(dst, x []float64) { dst[0], dst[1] = x[1], -x[0] }
	b := []float64{1, 2}
	_, err := new(Krylov).BiCGStab(nil, rotate, b)
	var convergence *ConvergenceError
	require.ErrorAs(t, err, &convergence)
	require.Equal(t, 1.0, convergence.Residual)

	x, err := new(Krylov).GMRES(nil, rotate, b)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{-2, 1}, x, 4*epsilon)
}

func TestKrylovOnSingularMatrix(t *testing.T) {
	project := func(dst, x []float64) { copy(dst, []float64{2 * x[0], 0, 3 * x[2]}) }
	for name, solve := range krylovMethods {
		t.Run(name, func(t *testing.T) {
			x, err := solve(nil, project, []float64{2, 0, 3}, nil)
			require.NoError(t, err)
			require.InDelta(t, 1, x[0], 1e-9)
			require.InDelta(t, 1, x[2], 1e-9)

			x, err = solve(nil, project, []float64{2, 1, 3}, nil)
			var convergence *ConvergenceError
			require.ErrorAs(t, err, &convergence)
			require.GreaterOrEqual(t, convergence.Residual, 1/math.Sqrt(14)-1e-12)
			require.False(t, floats.HasNaN(x))

			_, err = solve(nil, func(dst, x []float64) { clear(dst) }, []float64{2, 1, 3}, nil)
			require.ErrorAs(t, err, &convergence)
			require.Equal(t, 1.0, convergence.Residual)
		})
	}
}

// Of rank one, and b rarely in its range: x = 0 has the relative residual 1, and
// nothing worse may come back.
func TestKrylovOnSingularMatrixIsNeverWorseThanZero(t *testing.T) {
	rnd := rand.New(rand.NewPCG(46, 1))
	for name, method := range krylovMethods {
		t.Run(name, func(t *testing.T) {
			for range 20000 {
				n := 2 + rnd.IntN(2)
				u, v, b := make([]float64, n), make([]float64, n), make([]float64, n)
				for i := range n {
					u[i], v[i], b[i] = float64(rnd.IntN(7)-3), float64(rnd.IntN(7)-3), float64(rnd.IntN(7)-3)
				}
				a := func(dst, x []float64) { floats.ScaleTo(dst, floats.Dot(v, x), u) }
				x, err := method(nil, a, b, nil)
				residual := relativeResidual(a, x, b)
				require.LessOrEqual(t, residual, 1+10*epsilon, "u = %v, v = %v, b = %v", u, v, b)
				if e := (*ConvergenceError)(nil); errors.As(err, &e) {
					require.InDelta(t, residual, e.Residual, 1e-12)
				}
			}
		})
	}
}

// b is scaled by a power of two, so the solution is, to the last bit.
func TestKrylovDoesNotDependOnTheSizeOfB(t *testing.T) {
	rnd := rand.New(rand.NewPCG(47, 1))
	const n = 30
	a := tridiagonal(n)
	b := randomVector(rnd, n)
	for name, method := range krylovMethods {
		t.Run(name, func(t *testing.T) {
			want, err := method(nil, product(a), b, nil)
			require.NoError(t, err)
			for _, e := range []int{-1000, -600, 600, 1000} {
				factor := math.Ldexp(1, e)
				got, err := method(nil, product(a), floats.ScaleTo(make([]float64, n), factor, b), nil)
				require.NoError(t, err)
				floats.Scale(1/factor, got)
				require.Equal(t, want, got)
			}
			// A solution out of range is an error.
			tiny := func(dst, x []float64) { floats.ScaleTo(dst, 1e-10, x) }
			_, err = method(nil, tiny, []float64{1e308, 1}, nil)
			require.Error(t, err)
		})
	}
}

func TestKrylovOnDegenerateInput(t *testing.T) {
	identity := func(dst, x []float64) { copy(dst, x) }
	for name, solve := range krylovMethods {
		t.Run(name, func(t *testing.T) {
			x, err := solve(nil, identity, nil, nil)
			require.NoError(t, err)
			require.Empty(t, x)

			x, err = solve(nil, identity, make([]float64, 3), nil)
			require.NoError(t, err)
			require.Equal(t, make([]float64, 3), x)

			x, err = solve(nil, func(dst, x []float64) { dst[0] = -4 * x[0] }, []float64{2}, nil)
			require.NoError(t, err)
			require.Equal(t, []float64{-0.5}, x)

			b := []float64{1, 2, 3}
			x, err = solve(b, identity, b, nil)
			require.NoError(t, err)
			require.Same(t, &b[0], &x[0])
			require.InDeltaSlice(t, []float64{1, 2, 3}, b, 1e-10)

			var convergence *ConvergenceError
			for _, bad := range []float64{math.NaN(), math.Inf(1)} {
				_, err = solve(nil, identity, []float64{1, bad}, nil)
				require.ErrorAs(t, err, &convergence)
				_, err = solve(nil, func(dst, x []float64) { dst[0], dst[1] = x[0], bad*x[1] }, []float64{1, 1}, nil)
				require.ErrorAs(t, err, &convergence)
			}

			require.PanicsWithValue(t, "linsolve: nil function for the product", func() { solve(nil, nil, b, nil) })
			require.PanicsWithValue(t, "linsolve: lengths of vectors differ", func() { solve(make([]float64, 2), identity, b, nil) })
			require.PanicsWithValue(t, "linsolve: negative setting", func() { solve(nil, identity, b, &Krylov{Restart: -1}) })
		})
	}
}

func TestKrylovSolvingAgainDoesNotAllocate(t *testing.T) {
	m := grid(10)
	n, _ := m.Dims()
	a := product(m)
	b := randomVector(rand.New(rand.NewPCG(4, 1)), n)
	x := make([]float64, n)
	for name, solve := range krylovMethods {
		var s Krylov
		require.Zero(t, testing.AllocsPerRun(5, func() { solve(x, a, b, &s) }), name)
	}
}
