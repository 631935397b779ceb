package forward_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/sparsity"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

func TestSparseJacobianOfBratuIsTheDense(t *testing.T) {
	s := forward.NewSparse(detect.Jacobian(problems.Bratu[detect.Tracer], 49))
	require.LessOrEqual(t, s.Coloring().Num(), 8)
	x := make([]float64, 49)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	a := s.Eval(nil, problems.Bratu, x)
	want := forward.Jacobian(nil, problems.Bratu, x)
	for i := range x {
		for j := range x {
			require.Equal(t, want.At(i, j), a.At(i, j))
		}
	}
}

func TestSparseOfNothing(t *testing.T) {
	s := forward.NewSparse(sparsity.FromCoordinates(2, 3, nil, nil))
	a := s.Eval(nil, func(x []dual.Number3) []dual.Number3 { return make([]dual.Number3, 2) }, make([]float64, 3))
	require.Zero(t, a.NNZ())
}

func TestSparseRejects(t *testing.T) {
	s := forward.NewSparse(sparsity.Diagonal(4))
	square := func(x []dual.Number3) []dual.Number3 {
		y := make([]dual.Number3, len(x))
		for i := range x {
			y[i] = x[i].Square()
		}
		return y
	}
	require.Panics(t, func() { s.Eval(sparsity.NewMatrix(sparsity.Full(4, 4)), square, make([]float64, 4)) })
	require.Panics(t, func() { s.Eval(s.Matrix(), square, make([]float64, 5)) })
	require.Panics(t, func() {
		s.Eval(s.Matrix(), func(x []dual.Number3) []dual.Number3 { return square(x)[:3] }, make([]float64, 4))
	})
}
