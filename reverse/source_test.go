package reverse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// What cannot be written is an error, and then nothing is.
func TestNothingIsWrittenOnAnError(t *testing.T) {
	cube := reverse.NewPrimitive("cube", func(x float64) float64 { return x * x * x },
		func(x float64) float64 { return 3 * x * x }, func(x float64) float64 { return 6 * x })
	plain := func(x, p []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Add(p[0]) }
	own := func(x, p []reverse.Var) reverse.Var { return cube.Apply(x[0]) }
	call := func(x, p []reverse.Var) reverse.Var {
		return reverse.Apply(randprog.XYY{}, x[0], x[1])[0]
	}
	loop := func(step func(s reverse.Var) reverse.Var, while func(s, w []reverse.Var) bool) func(x, p []reverse.Var) reverse.Var {
		steps := 5
		if while != nil {
			steps = 0
		}
		return func(x, p []reverse.Var) reverse.Var {
			last, _ := dual.Scan(dual.Loop[reverse.Var]{Start: x[:1], Steps: steps, While: while, Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
				return []reverse.Var{step(s[0])}, nil
			}})
			return last[0]
		}
	}
	factor := func(x, p []reverse.Var) reverse.Var { // by LAPACK
		return matrix.LogDetSPD(matrix.New(2, 2, []reverse.Var{x[0].AddReal(2), p[0].Scale(0.1), p[0].Scale(0.1), x[1]}))
	}
	named := map[string]reverse.GoPrimitive{"cube": {F: "cube", DF: "cube1", DDF: "cube2"}}
	for _, test := range []struct {
		f     func(x, p []reverse.Var) reverse.Var
		s     reverse.GoSource
		says  string
		no    string // the operation of a NoSourceError
		lines bool
	}{
		{f: plain, s: reverse.GoSource{Package: "a b"}, says: `"a b" is no name of a package`},
		{f: plain, s: reverse.GoSource{Package: "func"}, says: "no name of a package"},
		{f: plain, s: reverse.GoSource{Name: "1F"}, says: "no identifier"},
		{f: plain, s: reverse.GoSource{Name: "type"}, says: "keyword"},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a"}}, says: "1 names of 2 inputs"},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a", "a"}}, says: `"a" is there twice`},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a", "b"}, Params: []string{"b"}}, says: `"b" is there twice`},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a", "range"}}, says: "keyword"},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a", "len"}}, says: "something else"},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a", "math"}}, says: "something else"},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a", "FValue"}}, says: "is kept"},
		{f: plain, s: reverse.GoSource{Inputs: []string{"a", "hesseF"}}, says: "is kept"},
		{f: plain, s: reverse.GoSource{Functions: []reverse.GoFunction{reverse.GoValue, reverse.GoValue}}, says: "there twice"},
		{f: plain, s: reverse.GoSource{Functions: []reverse.GoFunction{reverse.GoHessian}}, says: "sparse plans"},
		{f: own, no: "cube"},
		{f: own, s: reverse.GoSource{Primitives: map[string]reverse.GoPrimitive{"cube": {F: "cube"}}}, says: "identifier"},
		{f: own, s: reverse.GoSource{Primitives: named, Inputs: []string{"cube", "b"}}, says: `"cube" is an input and a primitive`},
		{f: own, s: reverse.GoSource{Primitives: map[string]reverse.GoPrimitive{"cube": {Path: "a b", F: "F", DF: "G", DDF: "H"}}}, says: "no path of a package"},
		{f: call, no: "xyy"},
		{f: loop(reverse.Var.Sin, func(s, w []reverse.Var) bool { return !s[0].LessReal(0.5) }), no: "Scan whose number of steps has no bound"},
		{f: loop(func(s reverse.Var) reverse.Var { return reverse.Apply(randprog.XYY{}, s, s)[0] }, nil), no: "Scan of a step that calls xyy"},
		{f: loop(func(s reverse.Var) reverse.Var {
			for range 20001 {
				s = s.Sin()
			}
			return s
		}, nil), no: "more than 20000 operations"},
		{f: func(x, p []reverse.Var) reverse.Var { // a loop in each term
			return reverse.Repeat(func(x, p []reverse.Var) reverse.Var {
				last, _ := dual.Scan(dual.Loop[reverse.Var]{Start: x, Steps: 600, Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
					return []reverse.Var{s[0].Sin()}, nil
				}})
				return last[0]
			}, x, [][]int{make([]int, 40)}, nil)
		}, no: "Repeat of a term that calls Scan, which is not short"},
		{f: factor, no: "LogDetSPD"},
		{f: call, no: "xyy", lines: true},
		{f: call, s: reverse.GoSource{Primitives: map[string]reverse.GoPrimitive{"xyy": {F: "f", VJP: "vjp"}}}, says: "primitive xyy: its JVP has no name"},
		{f: call, s: reverse.GoSource{Primitives: map[string]reverse.GoPrimitive{"xyy": {F: "f", VJP: "a b"}}}, says: "no identifier"},
	} {
		tape, err := reverse.Recorder{Lines: test.lines}.RecordParams(test.f, []float64{1, 2}, []float64{3})
		require.NoError(t, err)
		var b bytes.Buffer
		err = tape.WriteGo(&b, test.s)
		require.Error(t, err, "%+v", test.s)
		assert.Contains(t, err.Error(), test.says)
		assert.True(t, strings.HasPrefix(err.Error(), "reverse: "), err.Error())
		var no *reverse.NoSourceError
		assert.Equal(t, test.no != "", errors.As(err, &no), err.Error())
		if no != nil {
			assert.Contains(t, no.Op, test.no)
			assert.Equal(t, test.lines, no.File != "")
		}
		assert.Zero(t, b.Len())
	}
}

// The same tape is written the same, and one without inputs that matter is, too.
func TestUnknownFunctionsOfSource(t *testing.T) {
	require.Equal(t, "All GoFunction(8)", fmt.Sprint(reverse.GoAll, " ", reverse.GoFunction(8)))
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Square() }, []float64{1})
	require.NoError(t, err)
	require.PanicsWithValue(t, "reverse: no GoFunction has the number 8", func() {
		_ = tape.WriteGo(io.Discard, reverse.GoSource{Functions: []reverse.GoFunction{8}})
	})
}

func TestSourceIsDeterministic(t *testing.T) {
	record := func() *reverse.Tape {
		tape, err := reverse.Recorder{Lines: true}.Record(func(x []reverse.Var) reverse.Var {
			if x[0].LessReal(math.Inf(1)) {
				return x[0].Sin().Mul(x[1].Pow(x[0])).Add(x[2].Gamma())
			}
			return x[0]
		}, []float64{1, 2, 3})
		require.NoError(t, err)
		return tape
	}
	text := func() string {
		var b bytes.Buffer
		require.NoError(t, record().WriteGo(&b, reverse.GoSource{Package: "p", Name: "G", Inputs: []string{"v1", "x", "m"}, Lines: true}))
		return b.String()
	}
	first := text()
	for range 3 {
		assert.Equal(t, first, text())
	}
	assert.Contains(t, first, "// Code generated by github.com/hesse-ad/hesse ")
	assert.Regexp(t, `\tv1 := \w+\[0\]\n`, first) // the names given
	assert.Regexp(t, `\tm := \w+\[2\]\n`, first)
	assert.Contains(t, first, "source_test.go") // and the lines
	assert.NotContains(t, first, "\"sync\"")
	for line := range strings.Lines(first) {
		assert.Less(t, len(line), 140, line)
	}
}

// Rows that share a factor are the same loops whichever of the two it is.
func TestSourceOfRowsWhicheverFactorIsShared(t *testing.T) {
	defer func(longest int) { gosource.Longest = longest }(gosource.Longest)
	gosource.Longest = 0
	const rows, n = 8, 10
	loops := func(dot func(shared, own []reverse.Var) reverse.Var) []string {
		x := make([]float64, (rows+1)*n)
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			s := x[0]
			for r := range rows {
				s = s.Add(dot(x[:n], x[(r+1)*n:][:n]).Sin())
			}
			return s
		}, x)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, tape.WriteGo(&b, reverse.GoSource{Package: "p"}))
		// Where something is not finite nodes add in the order of their operands.
		return slices.DeleteFunc(strings.Split(b.String(), "\nfunc "), func(f string) bool {
			name, _, _ := strings.Cut(f, "(")
			return strings.HasSuffix(name, "Careful")
		})
	}
	first := loops(func(shared, own []reverse.Var) reverse.Var { return dual.Dot(shared, own) })
	assert.Equal(t, loops(func(shared, own []reverse.Var) reverse.Var { return dual.Dot(own, shared) }), first)
	assert.Greater(t, len(first), 8)
}

// The gradient is that of a single output.
func TestNoGradientOfSeveralOutputsIsWritten(t *testing.T) {
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Sin(), x[0].Exp()} }, []float64{1})
	require.NoError(t, err)
	var b bytes.Buffer
	require.ErrorContains(t, tape.WriteGo(&b, reverse.GoSource{Functions: []reverse.GoFunction{reverse.GoGradient}}), "a single output")
	require.Zero(t, b.Len())
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestSourceReturnsTheErrorOfTheWriter(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0] }, []float64{1})
	require.NoError(t, err)
	assert.ErrorContains(t, tape.WriteGo(fullDisk{}, reverse.GoSource{}), "full")
}

// So many operations that are not alike are an error before anything is written; alike
// ones are not counted.
func TestSourceHasALimit(t *testing.T) {
	const n = 1_000_100
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		y := x[0]
		for range n / 2 {
			y = y.Sin().Mul(x[1])
		}
		return y
	}, []float64{1, 2})
	require.NoError(t, err)
	var b bytes.Buffer
	var no *reverse.NoSourceError
	require.ErrorAs(t, tape.WriteGo(&b, reverse.GoSource{}), &no)
	assert.Contains(t, no.Op, "1000100 operations")
	assert.Zero(t, b.Len())

	x := make([]float64, n)
	tape, err = reverse.Record(func(x []reverse.Var) reverse.Var {
		y := make([]reverse.Var, n)
		for i := range y {
			y[i] = x[i].Sin()
		}
		return dual.Sum(y)
	}, x)
	require.NoError(t, err)
	require.NoError(t, tape.WriteGo(&b, reverse.GoSource{Functions: []reverse.GoFunction{reverse.GoGradient}}))
	assert.Less(t, b.Len(), 10_000)
}
