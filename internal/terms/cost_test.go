package terms_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/terms"
)

func TestCostCountsInstructions(t *testing.T) {
	const n = 1000
	p := record(t, points(n), sumOf(n-1, func(x []V, i int) V { return x[i].Mul(x[i+1]).Sin() }))
	pl := terms.Detect(p.Function(), true)
	require.NotNil(t, pl)
	c := pl.Hessian(nil).Cost()
	assert.EqualValues(t, n-1, c[cost.Call]) // sine and cosine together
	assert.EqualValues(t, 3*n-2, c[cost.Entry])
	// Each instruction is begun once in each of four blocks, and done for each term.
	assert.Equal(t, c[cost.Instruction]/4, (c[cost.Term]+c[cost.Call])/(n-1))
	assert.Greater(t, c[cost.Instruction]/4, float64(pl.Shapes()[0].Hessian))

	small := terms.Detect(record(t, points(2), func(x []V) []V { return []V{x[0].Mul(x[1]).Sin().Div(x[1])} }).Function(), true)
	require.NotNil(t, small)
	c = small.Hessian(nil).Cost()
	assert.EqualValues(t, 1, c[cost.Call])
	assert.Positive(t, c[cost.Line])
	assert.Zero(t, c[cost.Instruction])
}
