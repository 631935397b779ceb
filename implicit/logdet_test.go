package implicit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// As the dense operation, whose derivatives have other formulas.
func TestSparseLogDetAgreesWithDense(t *testing.T) {
	rnd := rand.New(rand.NewPCG(93, 1))
	for _, p := range []*sparsity.Pattern{
		sparsity.StarStencil(4, 3).Lower(), sparsity.Banded(9, 3, 0), sparsity.Arrow(8, 2).Lower(), sparsity.Full(5, 5).Lower(),
	} {
		n, _ := p.Dims()
		x, v := make([]float64, p.NNZ()), make([]float64, p.NNZ())
		k := 0
		for i, j := range p.All() {
			x[k], v[k] = rnd.NormFloat64(), rnd.NormFloat64()
			if i == j {
				x[k] = 12 + rnd.Float64()
			}
			k++
		}
		// A function of it, so that its adjoint is not 1.
		sparse := reverse.NewFunc(func(x []reverse.Var) reverse.Var { return implicit.LogDet(p, x).Square() })
		dense := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
			a := matrix.New[reverse.Var](n, n, make([]reverse.Var, n*n))
			k := 0
			for i, j := range p.All() {
				a.Set(i, j, x[k])
				k++
			}
			return matrix.LogDetSPD(a).Square()
		})
		f, g, err := sparse.ValueGradient(nil, x)
		require.NoError(t, err)
		h, err := sparse.HVP(nil, x, v)
		require.NoError(t, err)
		wantF, wantG, err := dense.ValueGradient(nil, x)
		require.NoError(t, err)
		wantH, err := dense.HVP(nil, x, v)
		require.NoError(t, err)
		require.InEpsilon(t, wantF, f, 1e-12)
		require.InDeltaSlice(t, wantG, g, 1e-11)
		require.InDeltaSlice(t, wantH, h, 1e-11)
		tape, err := sparse.Tape(x)
		require.NoError(t, err)
		jv, err := tape.JVP(nil, x, v)
		require.NoError(t, err)
		want := 0.0
		for k := range v {
			want += wantG[k] * v[k]
		}
		require.InDelta(t, want, jv[0], 1e-10)

		x[p.Position(1, 1)] = -1
		_, err = sparse.Value(x)
		var not *linsolve.NotPositiveDefiniteError
		require.ErrorAs(t, err, &not)
	}
	require.PanicsWithValue(t, "implicit: number of elements is not that of the pattern",
		func() { implicit.LogDet(sparsity.Diagonal(2), make([]reverse.Var, 3)) })
}
