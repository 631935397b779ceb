package models

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/laplace"
	"github.com/hesse-ad/hesse/reverse"
)

// Each Ritz value is as near to an eigenvalue of the dense Hessian as Lanczos
// says, and n steps find those at both ends.
func TestLanczosFindsTheEigenvaluesOfModels(t *testing.T) {
	each(t, func(t *testing.T, m Model, tape *reverse.Tape) {
		n := len(m.X0)
		h, err := hessian.New(tape, hessian.FoR).Dense(nil, m.X0)
		require.NoError(t, err)
		var eigen mat.EigenSym
		require.True(t, eigen.Factorize(h, false))
		exact := eigen.Values(nil)
		size := max(-exact[0], exact[n-1])
		for _, steps := range []int{1, 5, 30, n} {
			values, within, err := Lanczos(func(dst, v []float64) ([]float64, error) { return tape.HVP(dst, m.X0, v) }, n, steps)
			require.NoError(t, err)
			require.LessOrEqual(t, len(values), min(steps, n))
			for i, v := range values {
				nearest := math.Inf(1)
				for _, e := range exact {
					nearest = min(nearest, math.Abs(v-e))
				}
				require.LessOrEqual(t, nearest, within[i]+1e-13*size, "%d of %d steps", i, steps)
			}
			if steps == n {
				require.InDelta(t, exact[n-1], values[len(values)-1], 1e-10*size)
				require.InDelta(t, exact[0], values[0], 1e-10*size)
			}
		}
	})
}

func TestLanczosEndsWithTheKrylovSpace(t *testing.T) {
	diagonal := []float64{3, -1, 3, -1, 3}
	values, within, err := Lanczos(func(dst, v []float64) ([]float64, error) {
		for i := range dst {
			dst[i] = diagonal[i] * v[i]
		}
		return dst, nil
	}, 5, 5)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{-1, 3}, values, 1e-14)
	require.Equal(t, []float64{0, 0}, within)
}

func TestErrorsOfLanczos(t *testing.T) {
	failure := errors.New("no product")
	_, _, err := Lanczos(func(dst, v []float64) ([]float64, error) { return nil, failure }, 3, 3)
	require.ErrorIs(t, err, failure)
	_, _, err = Lanczos(func(dst, v []float64) ([]float64, error) { dst[1] = math.NaN(); return dst, nil }, 3, 3)
	require.ErrorContains(t, err, "not finite")
}

// With normal observations yᵢ of zᵢ all is normal: Laplace's approximation is
// ln N(y; 0, C + τ²I), C the covariance min(i, j)σ² + 1 of the walk.
func TestLaplaceIsExactForNormalDistributions(t *testing.T) {
	const n, tau = 12, 0.7
	y := normal(121, n, 1)
	tape := record(t, make([]float64, n), func(z []reverse.Var) reverse.Var {
		s := walk(z)
		for i, z := range z {
			s = s.Add(z.SubReal(y[i]).Square().Scale(0.5 / (tau * tau)))
		}
		return s.AddReal(n * (math.Log(tau) + math.Log(2*math.Pi)/2))
	})
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			c.SetSym(i, j, 1+float64(j)*countsDrift*countsDrift)
		}
		c.SetSym(i, i, c.At(i, i)+tau*tau)
	}
	density, ok := distmv.NewNormal(make([]float64, n), c, nil)
	require.True(t, ok)
	got := evidence(t, tape, make([]float64, n))
	require.InDelta(t, density.LogProb(y), got, 1e-12)
}

// The marginal likelihood of counts by the trapezoidal rule, step for step
// forward, z on a grid that the densities leave at both ends. What Laplace's
// approximation lacks is, with S the inverse of the Hessian and the third and
// fourth derivatives exp z = d,
//
//	Σᵢⱼ dᵢdⱼ(SᵢᵢSᵢⱼSⱼⱼ/8 + Sᵢⱼ³/12) − Σ dᵢSᵢᵢ²/8
//
// and terms of the next order, below a tenth of it here. Source: Shun and
// McCullagh, Laplace approximation of high dimensional integrals, 1995.
func TestLaplaceOfCounts(t *testing.T) {
	const lo, hi, cells = -4., 5., 180
	const h = (hi - lo) / cells
	var weight, next [cells + 1]float64
	exact := 0.0
	for i, y := range countsY {
		factorial, _ := math.Lgamma(y + 1)
		sum := 0.0
		for k := range next {
			z := lo + h*float64(k)
			if i == 0 {
				next[k] = distuv.UnitNormal.Prob(z) * h
			} else {
				step := distuv.Normal{Mu: z, Sigma: countsDrift}
				next[k] = 0
				for l, w := range weight {
					next[k] += w * step.Prob(lo+h*float64(l)) * h
				}
			}
			next[k] *= math.Exp(y*z - math.Exp(z) - factorial)
			sum += next[k]
		}
		exact += math.Log(sum)
		for k := range next {
			weight[k] = next[k] / sum
		}
	}
	tape, z := record(t, countsStart, Counts), slices.Clone(countsStart)
	got := evidence(t, tape, z)

	hess, err := hessian.New(tape, hessian.FoR).Dense(nil, z)
	require.NoError(t, err)
	var s mat.Dense
	require.NoError(t, s.Inverse(hess))
	missing := 0.0
	for i := range z {
		d, v := math.Exp(z[i]), s.At(i, i)
		missing -= d * v * v / 8
		for j := range z {
			c := s.At(i, j)
			missing += d * math.Exp(z[j]) * (v*c*s.At(j, j)/8 + c*c*c/12)
		}
	}
	require.InDelta(t, exact, got+missing, 0.1*math.Abs(missing))
}

// evidence is minus Laplace's approximation of a function without parameters, at the mode, which it
// leaves in z.
func evidence(t *testing.T, tape *reverse.Tape, z []float64) float64 {
	m, err := laplace.New(reverse.FuncOf(tape), z, nil)
	require.NoError(t, err)
	l, err := m.Value(nil)
	require.NoError(t, err)
	_, err = m.Modes(z, nil)
	require.NoError(t, err)
	return -l
}
