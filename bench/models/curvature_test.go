package models

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian"
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
