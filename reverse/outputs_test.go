package reverse_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// A primitive of which no input moves has tangents of 0 in all of its outputs, whatever
// the last direction was: in those that feed nonlinear operations and in the others.
func TestOutputsThatNothingMovesHaveNoTangents(t *testing.T) {
	x := []float64{0.5, 0.7, 0.3}
	tape, err := reverse.Record(func(x []V) V {
		z := reverse.Apply(randprog.XYY{}, x[0], x[1])
		return x[2].Sin().Add(z[0].Square()).Add(z[1])
	}, x)
	require.NoError(t, err)
	for _, u := range [][]float64{{1, 1, 0}, {0, 0, 1}} {
		got, err := tape.JVP(nil, x, u)
		require.NoError(t, err)
		z := x[0] * x[1] * x[1]
		want := u[2]*math.Cos(x[2]) + 2*z*(u[0]*x[1]*x[1]+u[1]*2*x[0]*x[1]) + u[0] + u[1]
		require.InDelta(t, want, got[0], 1e-15)
	}
}
