package compile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Of Σ sin(xᵢxᵢ₊₁), the product has nonlinear descendants, so both second-order
// sweeps visit it; the sine is only visited by the one in reverse.
func TestWorkCountsWhatSweepsDo(t *testing.T) {
	const n = 100
	r := tape.NewRecording(n+1, 0)
	defer r.Close()
	var terms []int32
	for i := range int32(n) {
		terms = append(terms, r.Push(op.Sin, r.Push(op.Mul, i, i+1, 0), 0, 0))
	}
	p := compile.Compile(r, []int32{r.Sum(0, terms)})
	all, second := p.Work()
	assert.Equal(t, compile.Work{Lanes: 3 * n, Calls: n, Nodes: 1, Batches: 3}, all)
	assert.Equal(t, compile.Work{Lanes: 5 * n, Nodes: 2, Batches: 5}, second)
}
