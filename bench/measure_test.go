package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSamplesAreComparedRoundByRound(t *testing.T) {
	f := sample{seconds: []float64{1, 2, 4}}
	g := sample{seconds: []float64{3, 6, 20}, allocs: 7}
	assert.Equal(t, 2.0, f.time())
	assert.Equal(t, 3.0, g.best())
	assert.Equal(t, 3.0, g.ratio(f))
	assert.Equal(t, []float64{2, 4, 16}, g.less(f).seconds)
	assert.Equal(t, sample{seconds: []float64{1.5, 3, 10}, allocs: 7}, g.per(2))
	assert.Equal(t, []float64{3, 6, 20}, g.seconds)
	assert.Equal(t, 2.5, median([]float64{4, 1, 3, 2}))
}

var kept [][]byte

func TestMeasureCountsRoundsAndAllocations(t *testing.T) {
	c := clock{rounds: 5}
	turns := ""
	s := c.measure(
		func() { turns += "a" },
		nil,
		func() { turns += "b"; kept = append(kept[:0], make([]byte, 1000), make([]byte, 1000)) },
	)
	assert.Len(t, s[0].seconds, 5)
	assert.Empty(t, s[1].seconds)
	assert.Len(t, s[2].seconds, 5)
	assert.Equal(t, "aaabbbababababab", turns, "two calls to warm up, one to count, then in turns")
	assert.GreaterOrEqual(t, s[2].allocs, uint64(2))
	assert.GreaterOrEqual(t, s[2].bytes, uint64(2000))
}
