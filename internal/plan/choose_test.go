package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/sparsity"
)

func TestNoColoringHasFewerColors(t *testing.T) {
	for n := range 20 {
		assert.Equal(t, n, colors(n, n*n))
	}
	assert.Equal(t, 1, colors(9, 9))
	assert.Equal(t, 2, colors(9, 9+2*8)) // a tree
	assert.Equal(t, 3, colors(9, 9+2*9)) // has a cycle
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		var i, j []int
		for k := range n {
			i, j = append(i, k), append(j, k)
		}
		for range rapid.IntRange(0, n*n).Draw(t, "entries") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
			i, j = append(i, a, b), append(j, b, a)
		}
		p := sparsity.FromCoordinates(n, n, i, j)
		for _, kind := range []coloring.Kind{coloring.Star, coloring.Acyclic} {
			if k := coloring.New(kind, p).Num(); k < colors(n, p.NNZ()) {
				t.Fatalf("%v coloring with %d colors, want at least %d", kind, k, colors(n, p.NNZ()))
			}
		}
	})
}
