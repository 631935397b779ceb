package implicit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit/linsolve"
)

// linearProgram is a feasible and bounded one: b = Ax₀ with x₀ > 0, and c > 0.
func linearProgram(rnd *rand.Rand, m, n int) (c []float64, a *mat.Dense, b []float64) {
	a = mat.NewDense(m, n, randomVector(rnd, m*n))
	x := make([]float64, n)
	c = make([]float64, n)
	for j := range x {
		x[j], c[j] = rnd.Float64(), 0.5+rnd.Float64()
	}
	b = make([]float64, m)
	mat.NewVecDense(m, b).MulVec(a, vec(x))
	return c, a, b
}

func TestLPSensitivitiesAgreeWithResolving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := rapid.IntRange(1, 5).Draw(t, "m")
		n := m + rapid.IntRange(1, 6).Draw(t, "n−m")
		c, a, b := linearProgram(rnd, m, n)
		s, err := LP(c, a, b)
		require.NoError(t, err)
		w := s.W()
		x, y := w[:n], w[n:]
		value, want, err := lp.Simplex(c, a, b, 0, nil)
		require.NoError(t, err)
		require.InDeltaSlice(t, want, x, 0)
		require.InEpsilon(t, value, floats.Dot(b, y), 1e-9) // strong duality
		for j := range n {
			require.LessOrEqual(t, mat.Dot(a.ColView(j), vec(y)), c[j]+1e-12)
		}

		// All of A, b and c move.
		v := randomVector(rnd, m*n+m+n)
		const h = 1e-7
		moved := func(h float64) *Solution {
			da := mat.DenseCopyOf(a)
			raw := da.RawMatrix().Data
			floats.AddScaled(raw, h, v[:m*n])
			db, dc := slices.Clone(b), slices.Clone(c)
			floats.AddScaled(db, h, v[m*n:m*n+m])
			floats.AddScaled(dc, h, v[m*n+m:])
			s, err := LP(dc, da, db)
			require.NoError(t, err)
			return s
		}
		got, err := s.JVP(nil, v)
		require.NoError(t, err)
		plus, minus := moved(h).W(), moved(-h).W()
		for j := range n {
			if (plus[j] > 0) != (x[j] > 0) || (minus[j] > 0) != (x[j] > 0) {
				t.Skip("another basis within the difference")
			}
		}
		floats.Sub(plus, minus)
		floats.Scale(1/(2*h), plus)
		requireClose(t, vec(plus), vec(got), 1e-4*(1+floats.Norm(w, math.Inf(1))))

		// The value has the gradient [−yxᵀ; y; x].
		phi := tapeOf(t, slices.Concat(w, s.Lambda()), func(in vars) vars {
			return vars{dual.Dot(in[:n], in[len(in)-n:])}
		})
		r, err := s.Reduce(phi)
		require.NoError(t, err)
		var wantGrad []float64
		for i := range m {
			for j := range n {
				wantGrad = append(wantGrad, -y[i]*x[j])
			}
		}
		wantGrad = slices.Concat(wantGrad, y, x)
		requireClose(t, vec(wantGrad), vec(r.Gradient(nil)), 1e-9)
	})
}

func TestMatrixOfTheLPHasItsBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(51, 1))
	const m, n = 3, 7
	c, a, b := linearProgram(rnd, m, n)
	s, err := LP(c, a, b)
	require.NoError(t, err)
	x, y := s.W()[:n], s.W()[n:]
	want := mat.NewDense(m+n, n+m, nil)
	want.Slice(0, m, 0, n).(*mat.Dense).Copy(a)
	for j := range n {
		want.Set(m+j, j, mat.Dot(a.ColView(j), vec(y))-c[j])
		for i := range m {
			want.Set(m+j, n+i, x[j]*a.At(i, j))
		}
	}
	got := s.z.jac.ToDense(nil).Slice(0, m+n, 0, n+m)
	requireClose(t, want, got, 1e-14)
}

func TestDegenerateLPIsSingular(t *testing.T) {
	var singular *linsolve.SingularError
	// x₀ + x₁ = 1 and x₀ + x₂ = 1 at x = (1, 0, 0): one positive of two.
	a := mat.NewDense(2, 3, []float64{1, 1, 0, 1, 0, 1})
	_, err := LP([]float64{-1, 1, 1}, a, []float64{1, 1})
	require.ErrorAs(t, err, &singular)
	require.Equal(t, []int{0, 1}, singular.Rows)
	require.Equal(t, []int{3, 4}, singular.Columns)
	require.Equal(t, 5, singular.N)

	// A third equation is all right: its y is determined.
	a = mat.NewDense(3, 5, []float64{1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1})
	_, err = LP([]float64{-1, 1, 1, 1, 2}, a, []float64{1, 1, 1})
	require.ErrorAs(t, err, &singular)
	require.Equal(t, []int{0, 1}, singular.Rows)
	require.Equal(t, []int{5, 6}, singular.Columns)

	// minimize x₀ + x₁ on x₀ + x₁ + x₂ = 1 with x₂ expensive: an edge.
	_, err = LP([]float64{1, 1, 2}, mat.NewDense(1, 3, []float64{1, 1, 1}), []float64{1})
	require.ErrorAs(t, err, &singular)
	require.Equal(t, []int{0, 1}, singular.Columns)
	require.Len(t, singular.Rows, 1)
	require.Contains(t, []int{1, 2}, singular.Rows[0])

	// The same, up to rounding.
	third := 1.0 / 3
	a = mat.NewDense(2, 4, []float64{third, 0.1, 1, 0, 0.1, 0.03, 0, 1})
	b := []float64{third * 0.3, 0.1 * 0.3}
	_, err = LP([]float64{-1, 1, 1, 1}, a, b)
	require.ErrorAs(t, err, &singular)

	_, err = LP([]float64{1, 1}, mat.NewDense(1, 2, []float64{1, 1}), []float64{-1})
	require.ErrorIs(t, err, lp.ErrInfeasible)
	_, err = LP([]float64{-1, 0}, mat.NewDense(1, 2, []float64{1, -1}), []float64{0})
	require.ErrorIs(t, err, lp.ErrUnbounded)
}

func TestNonFiniteLPIsAnError(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range 3 {
			for j := range 4 {
				if i == 2 && j == 3 {
					continue
				}
				c, a, b := []float64{1, 2, 3}, []float64{1, 1, 0, 0, 1, 1}, []float64{1, 1}
				switch {
				case i == 2:
					c[j] = v
				case j == 3:
					b[i] = v
				default:
					a[3*i+j] = v
				}
				_, err := LP(c, mat.NewDense(2, 3, a), b)
				var e *linsolve.NonFiniteError
				require.ErrorAs(t, err, &e)
				require.Equal(t, [2]int{i, j}, [2]int{e.Row, e.Column})
			}
		}
	}
}

func TestMisuseOfLPPanics(t *testing.T) {
	require.PanicsWithValue(t, "implicit: A is 1×2, c has length 1 and b 1", func() { LP([]float64{1}, mat.NewDense(1, 2, nil), []float64{1}) })
}
