package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Functions without Go source have derivatives if those stand beside them, with the signature
// of what is called.
func TestFunctionsWithoutSourceHaveDerivativesByHand(t *testing.T) {
	p, err := newProgram("testdata/byhand", "")
	require.NoError(t, err)
	text, faults, err := p.gradients([]string{"Sum"}, "out.go")
	require.NoError(t, err)
	require.Empty(t, faults)
	require.Contains(t, string(text), "halfAdjoint(x[0], ")
	for name, says := range map[string]string{"Without": "the source of", "Wrong": "func otherAdjoint(float64, []float64, []float64, float64) (float64)"} {
		_, faults, err = p.gradients([]string{name}, "out.go")
		require.NoError(t, err)
		require.Len(t, faults, 1)
		require.Contains(t, faults[0], says)
	}
	_, faults, err = p.write(request{hvp: true}, []string{"Sum"}, "out.go")
	require.NoError(t, err)
	require.Len(t, faults, 1, "there is no halfTangent")
}
