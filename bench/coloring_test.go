package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/coloring"
)

func TestFilesAreColoredByEveryKindAndOrder(t *testing.T) {
	for _, c := range []struct {
		name    string
		n, nnz  float64
		methods []string
	}{
		{"bus", 6, 20, []string{"column", "star", "acyclic", "bicoloring", "acyclic-bicoloring"}},
		{"rectangular", 6, 11, []string{"column", "row", "bicoloring", "acyclic-bicoloring"}},
	} {
		met := map[any]int{}
		for _, r := range lines(t, "-mtx testdata/"+c.name+".mtx") {
			assert.Equal(t, c.name, r["problem"])
			assert.Equal(t, "coloring-order", r["figure"])
			assert.Equal(t, c.n, r["n"])
			assert.Equal(t, c.nnz, r["nnz"])
			assert.Positive(t, r["seconds"])
			assert.GreaterOrEqual(t, r["colors"], r["bound"])
			assert.NotEmpty(t, r["order"])
			met[r["method"]]++
		}
		assert.Len(t, met, len(c.methods))
		for _, m := range c.methods {
			assert.Equal(t, len(orders), met[m], m)
		}
	}
}

func TestFilesAreDrawnAsText(t *testing.T) {
	var out, log bytes.Buffer
	require.Equal(t, 0, run(strings.Fields("-mtx testdata/bus.mtx"), &out, &log), log.String())
	assert.Contains(t, out.String(), "● ● · ● · ·")
	assert.Contains(t, out.String(), "Colorings of bus")
}

func TestFilesThatCannotBeReadExitWith1(t *testing.T) {
	for file, message := range map[string]string{
		"testdata/broken.mtx": "testdata/broken.mtx: ",
		"testdata/none.mtx":   "no such file",
		"testdata":            "is a directory",
	} {
		var out, log bytes.Buffer
		assert.Equal(t, 1, run([]string{"-mtx", file}, &out, &log), file)
		assert.Contains(t, log.String(), message)
		assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
		assert.Empty(t, out.String())
	}
}

func TestColorsOfKnownPatterns(t *testing.T) {
	b := &bench{}
	for name, want := range map[string]map[coloring.Kind]int{
		"9-point": {coloring.Column: 9, coloring.Star: 9, coloring.Acyclic: 6},
		"arrow":   {coloring.Column: 400, coloring.Star: 2, coloring.Acyclic: 2, coloring.StarBicoloring: 3},
		"band":    {coloring.Column: 11, coloring.Star: 11, coloring.Acyclic: 6},
	} {
		for _, p := range patterns(400) {
			if p.name != name {
				continue
			}
			for kind, colors := range want {
				c, seconds := b.color(p, kind, coloring.Natural)
				assert.Equal(t, colors, c.Num(), "%s, %v", name, kind)
				assert.Positive(t, seconds)
			}
		}
	}
}
