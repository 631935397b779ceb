package implicit

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/implicit/linsolve"
)

// optimalitySystem is a random sparse [H Jᵀ; J 0] with units that are up to powers of ten
// apart, by its rows.
func optimalitySystem(rnd *rand.Rand, n, m int, units float64) []map[int]float64 {
	a := make([]map[int]float64, n+m)
	for i := range a {
		a[i] = map[int]float64{}
	}
	unit := make([]float64, n+m)
	for i := range unit {
		unit[i] = math.Pow(10, units*(rnd.Float64()-0.5))
	}
	put := func(i, j int, v float64) {
		v *= unit[i] * unit[j]
		a[i][j], a[j][i] = v, v
	}
	for i := range n {
		if i > 0 {
			put(i, rnd.IntN(i), rnd.NormFloat64())
		}
		put(i, i, 3*rnd.NormFloat64())
	}
	for r := range m {
		put(n+r, r, 2+rnd.Float64())
		put(n+r, rnd.IntN(n), rnd.NormFloat64())
	}
	return a
}

// linear is the equation Aw = λ at w = λ = 0.
func linear(t require.TestingT, o Settings, a []map[int]float64) (*Solution, error) {
	n := len(a)
	f := record(t, make([]float64, n), make([]float64, n), func(w, lambda vars) vars {
		out := make(vars, n)
		for i, row := range a {
			out[i] = lambda[i].Neg()
			for j := range n {
				if v, ok := row[j]; ok {
					out[i] = out[i].Add(w[j].Scale(v))
				}
			}
		}
		return out
	})
	return o.New(f).At(make([]float64, n), make([]float64, n))
}

// missed is the largest |b − Ax|ᵢ relative to (|A||x| + |b|)ᵢ.
func missed(a []map[int]float64, trans bool, x, b []float64) float64 {
	r, size := append([]float64(nil), b...), make([]float64, len(b))
	for i := range b {
		size[i] = math.Abs(b[i])
	}
	for i, row := range a {
		for j, v := range row {
			to, from := i, j
			if trans {
				to, from = j, i
			}
			r[to] = math.FMA(-v, x[from], r[to])
			size[to] += math.Abs(v * x[from])
		}
	}
	worst := 0.0
	for i := range r {
		worst = max(worst, math.Abs(r[i])/size[i])
	}
	return worst
}

// Equations of a symmetric matrix, or of one that is so but for roundings or more, hold
// as well as by LU.
func TestSymmetricSystemsMissNoEquation(t *testing.T) {
	byLDL, byLU := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.IntRange(25, 60).Draw(t, "n")
		m := rapid.IntRange(0, n/2).Draw(t, "m")
		a := optimalitySystem(rnd, n, m, rapid.SampledFrom([]float64{0, 4, 16}).Draw(t, "units"))
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			i := rnd.IntN(n)
			for j := range n + m {
				if v, ok := a[i][j]; ok {
					a[i][j] = v * (1 + rapid.SampledFrom([]float64{0, 1e-15, 1e-12, 0.3}).Draw(t, "change"))
				}
			}
		}
		s, err := linear(t, Settings{}, a)
		if err != nil {
			_, other := linear(t, Settings{Solver: SolverSparse}, a)
			require.Equal(t, other, err)
			return
		}
		solver := s.z.solver.(*symmetricSolver)
		b := randomVector(rnd, n+m)
		for _, trans := range []bool{false, true} {
			x, err := s.JVP(nil, b)
			if trans {
				x, err = s.VJP(nil, b)
			}
			var short *linsolve.ConvergenceError
			if errors.As(err, &short) {
				continue // nearly singular, and LU said so
			}
			require.NoError(t, err)
			require.LessOrEqual(t, missed(a, trans, x, b), 2*float64(n+m+64)*epsilon)
		}
		if solver.takes.Load() {
			byLU++
		} else {
			byLDL++
		}
	})
	require.Positive(t, byLDL)
	require.Positive(t, byLU)
}

func TestSymmetricSingularSystemsAreThoseOfLU(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 1))
	a := optimalitySystem(rnd, 40, 3, 0)
	for j := range 43 { // two equal constraints
		delete(a[41], j)
		delete(a[j], 41)
	}
	for j, v := range a[40] {
		a[41][j], a[j][41] = v, v
	}
	_, err := linear(t, Settings{}, a)
	_, want := linear(t, Settings{Solver: SolverSparse}, a)
	require.ErrorAs(t, err, new(*linsolve.SingularError))
	require.Equal(t, want, err)
}

// Solutions that LDL does not reach come from LU, which any number of goroutines may
// find out at once.
func TestSymmetricSolverHandsOver(t *testing.T) {
	rnd := rand.New(rand.NewPCG(62, 1))
	a := optimalitySystem(rnd, 40, 10, 4)
	s, err := linear(t, Settings{}, a)
	require.NoError(t, err)
	solver := s.z.solver.(*symmetricSolver)
	lower := optimalitySystem(rnd, 40, 10, 4) // the factors of another matrix
	other, err := linear(t, Settings{}, lower)
	require.NoError(t, err)
	wrong := other.z.solver.(*symmetricSolver)
	broken := newSymmetricSolver(s.z.eq.left)
	broken.lu = solver.lu
	require.NoError(t, broken.ldl.Factorize(wrong.lower))
	b := randomVector(rnd, 50)
	want, err := s.JVP(nil, b)
	require.NoError(t, err)
	s.z.solver = broken
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			x, err := s.JVP(nil, b)
			if err != nil || !floats.EqualApprox(want, x, 1e-9*floats.Norm(want, math.Inf(1))) {
				t.Error(x, err)
			}
		})
	}
	group.Wait()
	require.True(t, broken.takes.Load())
}

// From a point nearby and any active set, KKTNewton is KKT at the solution.
func TestKKTNewtonFindsTheActiveSet(t *testing.T) {
	tried, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n, q := rapid.IntRange(8, 40).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "q")
		var active []int
		for i := range q {
			if rnd.IntN(2) == 0 {
				active = append(active, i)
			}
		}
		qp := newQuadraticProgram(rnd, n, 1, q, active)
		want, err := KKT(qp.tape(t), qp.x, qp.y, qp.z, qp.lambda)
		require.NoError(t, err)
		x, y, z := randomVector(rnd, n), randomVector(rnd, 1), make([]float64, q)
		for i := range z {
			z[i] = max(0, rnd.NormFloat64())
		}
		tried++
		got, err := KKTNewton(qp.tape(t), x, y, z, qp.lambda)
		if complementarity := (*ComplementarityError)(nil); errors.As(err, &complementarity) {
			return // the sets of the strategy may go round in a circle
		}
		require.NoError(t, err)
		require.Equal(t, want.Active(), got.Active())
		requireClose(t, vec(want.W()), vec(got.W()), 1e-9)
		a, err := want.Jacobian(nil)
		require.NoError(t, err)
		b, err := got.Jacobian(nil)
		require.NoError(t, err)
		requireClose(t, a, b, 1e-8)
		found++
	})
	require.Greater(t, float64(found), 0.9*float64(tried))
}
