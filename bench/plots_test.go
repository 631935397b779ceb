package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/sparsity"
)

// pictures checks that dir holds each of the plots, as SVG and as PNG that can be
// read, and nothing else.
func pictures(t *testing.T, dir string, names ...string) {
	t.Helper()
	var want, got []string
	for _, name := range names {
		want = append(want, name+".png", name+".svg")
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		got = append(got, f.Name())
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		if filepath.Ext(f.Name()) == ".png" {
			p, err := png.Decode(bytes.NewReader(b))
			require.NoError(t, err, f.Name())
			assert.Greater(t, p.Bounds().Dx(), 800)
			continue
		}
		d := xml.NewDecoder(bytes.NewReader(b))
		elements := 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, f.Name())
			if _, ok := token.(xml.StartElement); ok {
				elements++
			}
		}
		assert.Greater(t, elements, 10, f.Name())
	}
	slices.Sort(want)
	assert.Equal(t, want, got)
}

func TestPlotsAreWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "plots")
	var out, log bytes.Buffer
	args := []string{"-quick", "-plots", dir, "-figures", "dense-hessian,coloring,coloring-order,step-gradient"}
	require.Equal(t, 0, run(args, &out, &log), log.String())
	pictures(t, dir, "memory", "time-gradient", "time-hessian", "differences",
		"spy-arrow", "spy-bdqrtic", "spy-minsurf", "spy-bratu", "spy-bicoloring")
}

func TestFilesAreDrawn(t *testing.T) {
	for file, names := range map[string][]string{
		"bus":         {"spy-column", "spy-star", "spy-acyclic", "spy-bicoloring", "spy-acyclic-bicoloring"},
		"rectangular": {"spy-column", "spy-row", "spy-bicoloring", "spy-acyclic-bicoloring"},
	} {
		dir := t.TempDir()
		var out, log bytes.Buffer
		require.Equal(t, 0, run([]string{"-mtx", "testdata/" + file + ".mtx", "-plots", dir}, &out, &log), log.String())
		pictures(t, dir, names...)
	}
}

func TestPlotsThatCannotBeWrittenExitWith1(t *testing.T) {
	var out, log bytes.Buffer
	assert.Equal(t, 1, run([]string{"-mtx", "testdata/bus.mtx", "-plots", "testdata/bus.mtx"}, &out, &log))
	assert.Contains(t, log.String(), "not a directory")
	assert.Empty(t, out.String())
}

func TestAPlotThatCannotBeWrittenExitsWith1(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "differences.png"), 0o777))
	var out, log bytes.Buffer
	assert.Equal(t, 1, run([]string{"gonum", "-figures", "step-gradient", "-plots", dir}, &out, &log))
	assert.Contains(t, log.String(), "differences.png")
	assert.Contains(t, out.String(), "Differences of rosen", "what was measured is printed")
}

func TestMemoryGrowsByPasses(t *testing.T) {
	list := memories(problems.Named("trig").At(1000))
	bytes := map[string][]int{}
	for _, m := range list {
		assert.Len(t, m.passes, len(m.bytes), m.name)
		assert.True(t, slices.IsSorted(m.bytes), "%s: %v", m.name, m.bytes)
		name, _, _ := strings.Cut(m.name, ":")
		bytes[name] = m.bytes
	}
	assert.Len(t, bytes, 7)
	assert.Equal(t, bytes["gradient"], bytes["FoR"][:2], "FoR begins as a gradient")
	assert.Greater(t, bytes["FoR"][2], bytes["FoR"][1], "and has tangents of both")
	assert.Equal(t, bytes["FoF"][0], bytes["RoF"][0], "both sweep the tape of the JVP")
	// Numbers of two and of four parts, for each variable, and nothing else.
	assert.InEpsilon(t, 2*8*1000, bytes["f′v, no tape"][0], 0.05)
	assert.InEpsilon(t, 4*8*1000, bytes["FoF, no tape"][0], 0.05)
}

func TestLargeMatricesAreScaledDown(t *testing.T) {
	f := spyFigure("large", "band", coloring.New(coloring.Column, sparsity.Banded(10_000, 20, 20)))
	dir := t.TempDir()
	require.NoError(t, f.save(dir))
	pictures(t, dir, "large")
	info, err := os.Stat(filepath.Join(dir, "large.svg"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(1<<20))
}

// Products of the seeds with a matrix of known values hold, at the row of an
// element and in the product that it is said to be read from, that element alone.
func TestProductsHoldTheElementsReadFromThem(t *testing.T) {
	patterns := patterns(30)
	for _, p := range patterns {
		a := sparsity.NewMatrix(p.Pattern)
		values := a.Values()
		for k := range values {
			values[k] = float64(k + 1)
		}
		if p.IsSymmetric() {
			each(p.Pattern, func(k, i, j int) { values[k] = values[p.Position(min(i, j), max(i, j))] })
		}
		for _, kind := range kindsOf(p) {
			c := coloring.New(kind.kind, p.Pattern)
			read := products(c)
			where := p.name + " by " + kind.name + ": (%d, %d)"
			symmetric := kind.kind == coloring.Star || kind.kind == coloring.Acyclic
			each(p.Pattern, func(k, i, j int) {
				n := read[k]
				switch {
				case n < 0:
					assert.Contains(t, kind.name, "acyclic", "%s: (%d, %d)", p.name, i, j)
				case n < c.Columns().Num():
					at, column := i, j
					if symmetric && c.Columns().Colors()[j] != n {
						at, column = j, i // its mirror image
					}
					assert.Equal(t, n, c.Columns().Colors()[column])
					assert.Equal(t, values[k], sum(a, at, c.Columns().Class(n), false), where, i, j)
				default:
					n -= c.Columns().Num()
					assert.Equal(t, values[k], sum(a, j, c.Rows().Class(n), true), where, i, j)
				}
			})
		}
	}
}

// each calls f for the positions of p, with their place.
func each(p *sparsity.Pattern, f func(k, i, j int)) {
	m, _ := p.Dims()
	k := 0
	for i := range m {
		for _, j := range p.Row(i) {
			f(k, i, int(j))
			k++
		}
	}
}

// sum is the sum of the elements of a row in some columns, or of a column in some
// rows.
func sum(a *sparsity.Matrix, at int, class []int32, column bool) (s float64) {
	for _, i := range class {
		if column {
			s += a.At(int(i), at)
		} else {
			s += a.At(at, int(i))
		}
	}
	return s
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 9.6, "0 2 4 6 8"},
		{0, 1.93, "0.0 0.5 1.0 1.5"},
		{0, 0.08, "0.00 0.02 0.04 0.06 0.08"},
		{0, 49, "0 10 20 30 40"},
		{0, 100000, "0 20000 40000 60000 80000 100000"},
		{0, 3, "0 1 2 3"},
	} {
		var labels []string
		for _, tick := range (round{}).Ticks(c.lo, c.hi) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, c.want, strings.Join(labels, " "))
	}
}

func TestDecadesAreTheTicksOfLogarithms(t *testing.T) {
	var labels []string
	for _, tick := range (decades{}).Ticks(-15.00000000000001, -0.99999999999) {
		labels = append(labels, tick.Label)
	}
	assert.Equal(t, []string{"", "10^−14", "", "10^−12", "", "10^−10", "",
		"10^−8", "", "10^−6", "", "10^−4", "", "10^−2", ""}, labels)
	assert.Len(t, decades{}.Ticks(1.4, 5), 5)
}

// What cannot be written is known before anything is measured.
func TestPlotsAreTriedFirst(t *testing.T) {
	dir := "/proc" // not even root makes files there
	if runtime.GOOS != "linux" {
		dir = t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o555))
	}
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, run([]string{"-plots", dir, "-quick", "coloring"}, &stdout, &stderr))
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), dir)
}
