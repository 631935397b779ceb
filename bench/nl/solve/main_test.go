package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/nl"
)

// start is a copy of hs71.nl in a directory of its own.
func start(t *testing.T) (stub string) {
	text, err := os.ReadFile("../testdata/hs71.nl")
	require.NoError(t, err)
	stub = filepath.Join(t.TempDir(), "model")
	require.NoError(t, os.WriteFile(stub+".nl", text, 0o666))
	return stub
}

func call(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	var out, fail bytes.Buffer
	code = run(context.Background(), append([]string{"/usr/bin/hesse"}, args...), func(k string) string { return env[k] }, &out, &fail)
	return code, out.String(), fail.String()
}

// solution is that of a file without a tolerance among its options.
func solution(t *testing.T, file string) *nl.Solution {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	message, rest, _ := strings.Cut(string(text), "\n\nOptions\n")
	fields := strings.Fields(rest)
	word := func() (w string) {
		w, fields = fields[0], fields[1:]
		return w
	}
	number := func() float64 {
		v, err := strconv.ParseFloat(word(), 64)
		require.NoError(t, err)
		return v
	}
	numbers := func(n int) (x []float64) {
		for range n {
			x = append(x, number())
		}
		return x
	}
	numbers(int(number()))
	s := &nl.Solution{Message: message, M: int(number())}
	y := int(number())
	s.N = int(number())
	x := int(number())
	s.Y, s.X = numbers(y), numbers(x)
	require.Equal(t, "objno", word())
	s.Objective, s.Code, s.Status = int(number()), int(number()), true
	for len(fields) > 0 {
		require.Equal(t, []string{"suffix", "4"}, []string{word(), word()})
		n := int(number())
		numbers(3)
		f := nl.Suffix{Name: word()}
		for range n {
			f.Index, f.Values = append(f.Index, int(number())), append(f.Values, number())
		}
		s.Suffixes = append(s.Suffixes, f)
	}
	return s
}

// AMPL gives the file without its ending, Pyomo with it, CasADi the file for the
// solution.
func TestConventions(t *testing.T) {
	stub := start(t)
	for _, c := range []struct {
		args []string
		file string
	}{
		{[]string{stub, "-AMPL"}, stub + ".sol"},
		{[]string{stub + ".nl", "-AMPL", "tol=1e-9"}, stub + ".sol"},
		{[]string{"-o" + stub + ".out", stub + ".nl"}, stub + ".out"},
	} {
		code, _, stderr := call(t, nil, c.args...)
		require.Zero(t, code)
		require.Empty(t, stderr)
		s := solution(t, c.file)
		require.NoError(t, os.Remove(c.file))
		require.Zero(t, s.Code)
		require.True(t, s.Status)
		require.InDeltaSlice(t, []float64{1, 4.74299963, 3.82114998, 1.37940829}, s.X, 1e-6)
		require.InDeltaSlice(t, []float64{0.55229366, -0.16146857}, s.Y, 1e-6)
		require.Equal(t, "ipopt_zL_out", s.Suffixes[0].Name)
		require.Equal(t, 0, s.Suffixes[0].Index[0])
		require.InDelta(t, 1.08787121, s.Suffixes[0].Values[0], 1e-6)
	}
	code, stdout, _ := call(t, nil, stub)
	require.Zero(t, code)
	require.Contains(t, stdout, "solve_result_num 0\nx[0] = 1.0000")
	code, stdout, _ = call(t, nil, "-v")
	require.Zero(t, code)
	require.Regexp(t, `^hesse [0-9]+\.[0-9]+\n$`, stdout) // as Pyomo looks for it
}

// Options count from the environment, then from the arguments.
func TestOptions(t *testing.T) {
	stub := start(t)
	code, _, _ := call(t, map[string]string{"hesse_options": "max_iter=2"}, stub, "-AMPL")
	require.Zero(t, code)
	require.Equal(t, 400, solution(t, stub+".sol").Code)
	code, _, _ = call(t, map[string]string{"hesse_options": "max_iter=2"}, stub, "-AMPL", "max_iter=100", "objno=0")
	require.Zero(t, code)
	require.Equal(t, 0, solution(t, stub+".sol").Code)
	_, stdout, _ := call(t, nil, stub, "outlev=1")
	require.Contains(t, stdout, "objective")
	_, _, _ = call(t, nil, stub, "-AMPL", "max_time=1e-9")
	require.Equal(t, 401, solution(t, stub+".sol").Code)
}

// What is wrong stands in the solution where the caller will look, or on the
// terminal.
func TestFailures(t *testing.T) {
	stub := start(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{stub, "-AMPL", "speed=1"}, "hesse: unknown option speed, known are tol, max_iter, max_time, objno, outlev"},
		{[]string{stub, "-AMPL", "tol=x"}, `hesse: option tol=x: strconv.ParseFloat: parsing "x": invalid syntax`},
		{[]string{stub, "-AMPL", "tol=-1"}, "hesse: option tol=-1: out of range"},
		{[]string{stub, "-AMPL", "objno=2"}, "hesse: objno=2 of 1 objectives"},
	} {
		code, _, _ := call(t, nil, c.args...)
		require.Zero(t, code)
		s := solution(t, stub+".sol")
		require.Equal(t, c.want, s.Message)
		require.Equal(t, 500, s.Code)
		require.Nil(t, s.X)
		require.Equal(t, 4, s.N)
	}
	require.NoError(t, os.WriteFile(stub+".nl", []byte("no file"), 0o666))
	code, _, _ := call(t, nil, stub, "-AMPL")
	require.Zero(t, code)
	require.Equal(t, "hesse: nl: line 1: a .nl file begins with g or b", solution(t, stub+".sol").Message)

	code, _, stderr := call(t, nil, stub+"x.nl")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "x.nl")
	code, _, stderr = call(t, nil)
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "usage:")
	code, _, _ = call(t, nil, "-h")
	require.Zero(t, code)
}
