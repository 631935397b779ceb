package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tests look at what is measured, not at the times.
func TestMain(m *testing.M) {
	quick = clock{turn: 10 * time.Microsecond, rounds: 2}
	os.Exit(m.Run())
}

// The names that other programs rely on.
var (
	contractKeys    = []string{"problem", "n", "figure", "method", "seconds", "ratio", "colors", "nnz", "ops", "bytes", "allocs"}
	contractFigures = []string{"f", "record", "compile", "pattern", "coloring", "value", "gradient", "jvp", "hvp",
		"hvp-batch", "sparse-hessian", "sparse-jacobian", "dense-hessian", "implicit"}
	contractMethods = []string{"star", "acyclic", "column", "row", "bicoloring", "terms", "auto",
		"FoF", "FoR", "RoF", "RoR", "dense", "sparse", "gmres", "scan"}
)

func TestArgumentsWithoutSenseExitWith2(t *testing.T) {
	for _, c := range []struct{ args, message string }{
		{"-problems rosen,rosenbrock", `unknown problem "rosenbrock", known are rosen, arrow`},
		{"-figures gradients", `unknown figure "gradients", known are `},
		{"-figures gradient,", `unknown figure ""`},
		{"-n ten", `"ten" is no size`},
		{"-n 1e3", `"1e3" is no size`},
		{"-n 0", `"0" is no size`},
		{"-n -5", `"-5" is no size`},
		{"-n 999999999999999999999", `is no size`},
		{"-n 17", "no problem has the size 17"},
		{"-problems bdqrtic -n 4", "bdqrtic has the sizes 5 to 1000000, not 4"},
		{"-problems helmholtz -n 10000", "helmholtz has the sizes 1 to 4000, not 10000"},
		{"-problems rosen -figures dense-hessian", "none of these problems"},
		{"-quick=perhaps", "invalid boolean value"},
		{"-quick -full", "-full goes without -quick"},
		{"-speed", "flag provided but not defined"},
		{"rosen", `unknown section "rosen", known are strategies, tapes`},
		{"tapes sparce", `unknown section "sparce"`},
		{"strategies -figures gradient", "none of these problems"},
		{"-mtx testdata/bus.mtx -n 1000", "-mtx goes without"},
		{"-mtx testdata/bus.mtx sparse", "-mtx goes without"},
		{"-mtx", "flag needs an argument"},
		{"-nl nl/testdata/hs71.nl -json", "-nl goes without"},
		{"-nl nl/testdata/hs71.nl tapes", "-nl goes without"},
		{"-nl nl/testdata/hs71.nl -mtx testdata/bus.mtx", "-nl goes without"},
	} {
		var out, log bytes.Buffer
		assert.Equal(t, 2, run(strings.Fields(c.args), &out, &log), c.args)
		assert.Contains(t, log.String(), c.message, c.args)
		assert.Equal(t, 1, strings.Count(log.String(), "\n"), "%s: one line", c.args)
		assert.Empty(t, out.String(), c.args)
	}
}

func TestHelpNamesTheFlags(t *testing.T) {
	var out, log bytes.Buffer
	assert.Equal(t, 0, run([]string{"-h"}, &out, &log))
	for _, name := range []string{"-json", "-quick", "-full", "-problems", "-n", "-figures", "-mtx", "-plots", "rosen", "gradient",
		"[section ...]", "* strategies  "} {
		assert.Contains(t, log.String(), name)
	}
}

func TestFlagsNarrowWhatIsMeasured(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "rosen 10000, arrow 10000, bdqrtic 10000, minsurf 10000, trig 10000, helmholtz 20, helmholtz 100, rnn 8, bratu 10000"},
		{"-quick", "rosen 1000, arrow 1000, bdqrtic 1000, minsurf 1000, trig 1000, helmholtz 20, rnn 8, bratu 1000"},
		{"-problems trig,rosen", "rosen 10000, trig 10000"},
		{"-n 100000,400", "rosen 100000, arrow 100000, bdqrtic 100000, minsurf 100000, trig 100000, helmholtz 400, bratu 100000"},
		{"-problems rosen,rnn -n 7,8", "rosen 7, rosen 8, rnn 7, rnn 8"},
	} {
		b, err := parse(strings.Fields(c.args), io.Discard)
		require.NoError(t, err, c.args)
		var got []string
		for _, c := range b.chosen {
			got = append(got, fmt.Sprint(c.Name, " ", c.size))
		}
		assert.Equal(t, c.want, strings.Join(got, ", "), c.args)
	}
}

func TestArgumentsChooseSections(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "strategies tapes taylor sparse coloring gonum implicit newton dense laplace adjoint walls loops models"},
		{"-problems rosen", "strategies tapes taylor sparse implicit"},
		{"coloring -n 1000", "coloring"},
		{"-mtx bus.mtx", "coloring"},
		{"sparse strategies", "strategies sparse"},
		{"tapes -quick sparse -n 1000", "tapes sparse"},
		{"-figures gradient,pattern", "tapes sparse"},
		{"strategies sparse -figures pattern", "sparse"},
	} {
		b, err := parse(strings.Fields(c.args), io.Discard)
		require.NoError(t, err, c.args)
		var got []string
		for _, s := range b.sections {
			got = append(got, s.name)
		}
		assert.Equal(t, c.want, strings.Join(got, " "), c.args)
	}
}

func TestProgressIsSilentWithoutATerminal(t *testing.T) {
	var out, log bytes.Buffer
	require.Equal(t, 0, run(strings.Fields("-quick -problems rosen -n 4 tapes"), &out, &log))
	assert.Empty(t, log.String())
	require.Equal(t, 0, run(strings.Fields("-quick -problems rosen -n 4 -v tapes sparse"), &out, &log))
	assert.Equal(t, "tapes: rosen, n = 4\nsparse: rosen, n = 4\n", log.String())
}

func TestNoFigureHasTwoSections(t *testing.T) {
	seen := map[string]string{}
	for _, s := range sections {
		for _, figure := range s.figures {
			assert.Empty(t, seen[figure], "%s of %s", figure, s.name)
			seen[figure] = s.name
		}
	}
}

// lines runs the command with -json and decodes what it prints.
func lines(t *testing.T, args string) (rows []map[string]any) {
	t.Helper()
	var out, log bytes.Buffer
	require.Equal(t, 0, run(strings.Fields("-json -quick "+args), &out, &log), log.String())
	for line := range strings.Lines(out.String()) {
		var r map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		rows = append(rows, r)
	}
	return rows
}

func TestEveryLineOfJSONKeepsTheContract(t *testing.T) {
	met := map[string]bool{}
	for _, r := range lines(t, "strategies tapes sparse implicit -problems rosen,bratu -n 9") {
		for key := range r {
			assert.Contains(t, contractKeys, key)
		}
		figure, _ := r["figure"].(string)
		assert.Contains(t, contractFigures, figure)
		met[figure] = true
		assert.Contains(t, []string{"rosen", "bratu"}, r["problem"])
		assert.Equal(t, 9.0, r["n"])
		assert.IsType(t, 0.0, r["seconds"])
		if figure != "compile" { // a difference
			assert.Positive(t, r["seconds"])
			assert.Positive(t, r["ratio"])
		}

		has := func(key string) bool { _, ok := r[key]; return ok }
		is := func(figures ...string) bool { return slices.Contains(figures, figure) }
		terms := r["method"] == "terms"
		if !terms { // a gradient has a method only by terms
			assert.Equal(t, is("coloring", "sparse-hessian", "sparse-jacobian", "dense-hessian", "implicit"), has("method"), "%v", r)
		}
		if has("method") {
			assert.Contains(t, append(contractMethods, "hyper", "by-hand"), r["method"])
		}
		byHand := r["method"] == "by-hand"
		tape := figure != "f" && r["method"] != "hyper" && !byHand
		assert.Equal(t, tape, has("ops"), "%v", r)
		assert.Equal(t, tape, has("bytes"), "%v", r)
		assert.Equal(t, is("pattern", "coloring", "sparse-hessian", "sparse-jacobian"), has("nnz"), "%v", r)
		if r["method"] != "auto" {
			assert.Equal(t, is("coloring", "sparse-hessian", "sparse-jacobian") && !terms && !byHand, has("colors"), "%v", r)
		}
		assert.Equal(t, !is("record", "compile", "pattern", "coloring"), has("allocs"), "%v", r)
		if figure == "f" {
			assert.Equal(t, 1.0, r["ratio"])
		}
	}
	for _, figure := range contractFigures {
		assert.True(t, met[figure], "%s not measured", figure)
	}
}

func TestEveryFigureIsMeasuredAlone(t *testing.T) {
	for _, figure := range contractFigures {
		rows := lines(t, "-problems rosen,bratu -n 4 strategies tapes sparse implicit -figures "+figure)
		require.NotEmpty(t, rows, figure)
		for _, r := range rows {
			assert.Equal(t, figure, r["figure"])
		}
	}
}

func TestEverySectionMeasuresItsFigures(t *testing.T) {
	for _, s := range sections {
		args := ""
		if s.chosen {
			args = "-problems rosen,bratu -n 9 "
		}
		met := map[any]bool{}
		for _, r := range lines(t, args+s.name) {
			assert.NotEmpty(t, r["problem"])
			assert.Positive(t, r["n"])
			met[r["figure"]] = true
		}
		for _, figure := range s.figures {
			assert.True(t, met[figure], "%s does not measure %s", s.name, figure)
		}
	}
}

func TestTablesHaveAColumnAFigure(t *testing.T) {
	var out, log bytes.Buffer
	require.Equal(t, 0, run(strings.Fields("-quick -problems rosen,bratu -n 9 -figures gradient,hvp-batch"), &out, &log), log.String())
	text := strings.Split(strings.TrimSpace(out.String()), "\n")
	head := strings.Fields(text[len(text)-3])
	assert.Equal(t, []string{"gradient", "hvp-batch"}, head[len(head)-2:])
	assert.True(t, strings.HasPrefix(text[len(text)-2], "rosen "))
	assert.True(t, strings.HasSuffix(text[len(text)-1], none), "a vector function has no HVPs")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWrittenExitsWith1(t *testing.T) {
	for _, args := range []string{"", "-json "} {
		var log bytes.Buffer
		assert.Equal(t, 1, run(strings.Fields(args+"-quick -problems rosen -n 4 -figures f"), full{}, &log))
		assert.Contains(t, log.String(), "no space left")
	}
}

func TestStrategiesAgree(t *testing.T) {
	s, err := parse(strings.Fields("-problems helmholtz,rnn -n 2"), io.Discard)
	require.NoError(t, err)
	b := &bench{settings: s, clock: quick}
	for _, c := range b.chosen {
		in := c.At(c.size)
		_, methods := b.methods(in)
		var names []string
		for _, m := range methods {
			names = append(names, m.name)
			assert.InDelta(t, 0, largest(m.hessian, methods[0].hessian), 1e-12*largest(methods[0].hessian, nil), m.name)
			assert.Positive(t, m.working, m.name)
		}
		assert.Positive(t, largest(methods[0].hessian, nil))
		want := []string{"FoR", "RoF", "RoR", "FoF", "hyper"}
		if in.Name == "rnn" {
			want = append(want, "scan")
		}
		assert.Equal(t, want, names)
		assert.Less(t, methods[0].ops, methods[1].ops, "the tape of the JVP is longer")
	}
}

// A problem in a file is differentiated by every method, verified, and solved.
func TestFileOfAProblem(t *testing.T) {
	var out, log bytes.Buffer
	require.Zero(t, run([]string{"-nl", "nl/testdata/hs71.nl"}, &out, &log), log.String())
	require.Contains(t, out.String(), "4 variables (0 integer), 2 constraints, 1 objectives")
	require.Equal(t, 9, strings.Count(out.String(), "  ok\n")) // 4 ways to the Hessian, 5 to the Jacobian
	require.Contains(t, out.String(), "locally optimal")
	require.Contains(t, out.String(), "objective 17.01401")
	require.Equal(t, 1, run([]string{"-nl", "nl/testdata/none.nl"}, &out, &log))
	require.Contains(t, log.String(), "none.nl")
}
