package sparsity

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestReadMatrixMarket(t *testing.T) {
	for _, test := range []struct {
		name, file string
		want       []float64 // 3×3, row by row
		nnz        int
	}{
		{"coordinate real general", "%%MatrixMarket matrix coordinate real general\n" +
			"% a comment\n%\n\n3 3 4\n3 1 -1.5e-3\n1 1 2\n\n  2 3 +Inf\r\n1 3 4.\n",
			[]float64{2, 0, 4, 0, 0, math.Inf(1), -1.5e-3, 0, 0}, 4},
		{"coordinate double is real, case does not matter", "%%matrixmarket MATRIX Coordinate DOUBLE General\n3 3 1\n2 2 7",
			[]float64{0, 0, 0, 0, 7, 0, 0, 0, 0}, 1},
		{"coordinate integer symmetric", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n3 1 -9007199254740992\n2 3 6\n",
			[]float64{4, 0, -1 << 53, 0, 0, 6, -1 << 53, 6, 0}, 5},
		{"coordinate real skew-symmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n1 3 2\n",
			[]float64{0, -1, 2, 1, 0, 0, -2, 0, 0}, 4},
		{"coordinate pattern symmetric", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 2\n1 1\n",
			[]float64{1, 0, 0, 0, 0, 1, 0, 1, 0}, 3},
		{"coordinate without entries", "%%MatrixMarket matrix coordinate real general\n3 3 0\n",
			make([]float64, 9), 0},
		{"array real general", "%%MatrixMarket matrix array real general\n3 3\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
			[]float64{1, 4, 7, 2, 5, 8, 3, 6, 9}, 9},
		{"array integer symmetric", "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
			[]float64{1, 2, 3, 2, 4, 5, 3, 5, 6}, 9},
		{"array real skew-symmetric", "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
			[]float64{0, -1, -2, 1, 0, -3, 2, 3, 0}, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, h, err := ReadMatrixMarket(strings.NewReader(test.file))
			require.NoError(t, err)
			require.True(t, mat.Equal(mat.NewDense(3, 3, test.want), m))
			require.Equal(t, test.nnz, m.NNZ())
			require.Empty(t, h.check())
			require.True(t, strings.HasPrefix(test.name, h.Format))
		})
	}
}

func TestMalformedFileNamesTheLine(t *testing.T) {
	const coordinate = "%%MatrixMarket matrix coordinate real general\n"
	for _, test := range []struct {
		file string
		line int
		msg  string
	}{
		{"", 1, "no %%MatrixMarket header"},
		{"\n" + coordinate + "1 1 0\n", 1, "no %%MatrixMarket header"},
		{strings.Repeat("%", 1<<17), 1, "no %%MatrixMarket header"},
		{"%%MatrixMarket matrix coordinate real\n", 1, "header of 4 words instead of 5"},
		{"%%MatrixMarket vector coordinate real general\n", 1, `object "vector" is not supported`},
		{"%%MatrixMarket matrix dense real general\n", 1, `unknown format "dense"`},
		{"%%MatrixMarket matrix coordinate complex general\n", 1, "complex matrices are not supported"},
		{"%%MatrixMarket matrix coordinate float general\n", 1, `unknown field "float"`},
		{"%%MatrixMarket matrix coordinate complex Hermitian\n", 1, "complex matrices are not supported"},
		{"%%MatrixMarket matrix coordinate real Hermitian\n", 1, "a hermitian matrix is complex"},
		{"%%MatrixMarket matrix coordinate real upper\n", 1, `unknown symmetry "upper"`},
		{"%%MatrixMarket matrix array pattern general\n", 1, "an array has values"},
		{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, "a pattern has no signs"},
		{coordinate + "%\n", 2, "no size"},
		{coordinate + "1 1\n", 2, "size of 2 numbers instead of 3"},
		{"%%MatrixMarket matrix array real general\n1 1 1\n", 2, "size of 3 numbers instead of 2"},
		{coordinate + "1 1 x\n", 2, `size "x" out of range`},
		{coordinate + "-1 1 0\n", 2, `size "-1" out of range`},
		{coordinate + "99999999999999999999 1 0\n", 2, `size "99999999999999999999" out of range`},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", 2, "symmetric matrix is not square"},
		{coordinate + "2 2 3\n1 1 1\n", 3, "2 of 3 entries are missing"},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n2 1 1\n", 3, "2 of 3 entries are missing"},
		{"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 5, "entry (2, 2) is missing"},
		{coordinate + "2 2 1\n1 1 1\n\n2 2 2\n", 5, "more entries than announced"},
		{"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", 4, "more entries than announced"},
		{coordinate + "2 2 1\n1 1\n", 3, "entry of 2 numbers instead of 3"},
		{"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", 3, "entry of 3 numbers instead of 2"},
		{"%%MatrixMarket matrix array real general\n2 1\n1 2\n", 3, "2 numbers instead of 1"},
		{coordinate + "2 2 1\n0 1 1\n", 3, "index 0 is not in 1 to 2"},
		{coordinate + "2 3 1\n1 4 1\n", 3, "index 4 is not in 1 to 3"},
		{coordinate + "2 3 1\n1 1.5 1\n", 3, `index "1.5" is not a number`},
		{coordinate + "2 2 1\n1 1 one\n", 3, `"one" is not a number`},
		{coordinate + "2 2 1\n1 1 1_000\n", 3, `"1_000" is not a number`},
		{coordinate + "2 2 1\n1 1 0x1p3\n", 3, `"0x1p3" is not a number`},
		{coordinate + "2 2 1\n1 1 1+2+3\n", 3, `"1+2+3" is not a number`},
		{coordinate + "2 2 1\n1 1 1de3\n", 3, `"1de3" is not a number`},
		{coordinate + "2 2 1\n1 1 --1\n", 3, `"--1" is not a number`},
		{coordinate + "2 2 1\n1 1 1d999\n", 3, `number "1d999" out of range`},
		{coordinate + "2 2 1\n1 1 1e999\n", 3, `number "1e999" out of range`},
		{"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", 3, `"1.5" is not an integer`},
		{"%%MatrixMarket matrix array integer general\n1 1\n9007199254740993\n", 3, "integer 9007199254740993 is beyond 2⁵³"},
		{coordinate + "2 2 3\n1 1 1\n2 1 1\n\n1 1 1\n", 6, "entry (1, 1) is there already"},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n", 4, "entry (1, 2) is there already"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 0\n", 3, "entry on the diagonal of a skew-symmetric matrix"},
		{coordinate + "2 2 1\n1 1 " + strings.Repeat("1", 1<<17) + "\n", 3, "line too long"},
		{coordinate + "2000000000 2000000000 1\n1 1 1\n", 3, "2000000000×2000000000 matrix with 1 entries is too empty to hold"},
	} {
		m, _, err := ReadMatrixMarket(strings.NewReader(test.file))
		var format *FormatError
		require.ErrorAs(t, err, &format, test.msg)
		require.Equal(t, FormatError{test.line, test.msg}, *format)
		require.Nil(t, m)
	}
}

// Section 13.7.2.3.2 of the Fortran 2018 standard: an exponent of three digits
// has no letter. C writes infinities and NaN as words.
func TestNumbersOfFortranAndC(t *testing.T) {
	for text, want := range map[string]float64{
		"1d3": 1000, "-.5D-1": -0.05, "0.25D+02": 25, "1.5E+003": 1500, "2.": 2, "+7": 7,
		"0.17976931348623157+309": math.MaxFloat64, "-1-100": -1e-100, "1+100": 1e100,
		"inf": math.Inf(1), "-Infinity": math.Inf(-1), "+Inf": math.Inf(1),
		"NaN": math.NaN(), "-nan": math.NaN(), "nan(0x7)": math.NaN(),
	} {
		m, _, err := ReadMatrixMarket(strings.NewReader("%%MatrixMarket matrix array real general\n1 1\n" + text + "\n"))
		require.NoError(t, err, text)
		if want != want {
			require.True(t, math.IsNaN(m.At(0, 0)), text)
		} else {
			require.Equal(t, want, m.At(0, 0), text)
		}
	}
}

func TestPositionsOfAnyField(t *testing.T) {
	for _, test := range []struct {
		file string
		want *Pattern
	}{
		{"coordinate complex general\n2 3 2\n1 3 1.5 -2\n2 1 0 0d0\n", FromCoordinates(2, 3, []int{0, 1}, []int{2, 0})},
		{"coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 0 1\n", FromCoordinates(2, 2, []int{0, 0, 1}, []int{0, 1, 0})},
		{"coordinate complex skew-symmetric\n2 2 1\n2 1 0 1\n", FromCoordinates(2, 2, []int{0, 1}, []int{1, 0})},
		{"array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", Full(2, 2)},
		{"coordinate real general\n2 2 1\n2 2 0\n", FromCoordinates(2, 2, []int{1}, []int{1})},
		{"coordinate pattern symmetric\n2 2 1\n2 1\n", FromCoordinates(2, 2, []int{0, 1}, []int{1, 0})},
	} {
		p, h, err := ReadMatrixMarketPattern(strings.NewReader("%%MatrixMarket matrix " + test.file))
		require.NoError(t, err, test.file)
		require.True(t, test.want.Equal(p), test.file)
		require.True(t, strings.HasPrefix(test.file, h.Format+" "+h.Field+" "+h.Symmetry))
	}
	for file, want := range map[string]FormatError{
		"coordinate complex general\n1 1 1\n1 1 1\n":            {3, "entry of 3 numbers instead of 4"},
		"coordinate complex general\n1 1 1\n1 1 1 i\n":          {3, `"i" is not a number`},
		"array complex general\n1 1\n1\n":                       {3, "1 numbers instead of 2"},
		"coordinate complex general\n1 1 2\n1 1 1 1\n1 1 1 1\n": {4, "entry (1, 1) is there already"},
	} {
		_, _, err := ReadMatrixMarketPattern(strings.NewReader("%%MatrixMarket matrix " + file))
		var format *FormatError
		require.ErrorAs(t, err, &format, file)
		require.Equal(t, want, *format)
	}
}

func TestAnnouncedSizeAllocatesNothing(t *testing.T) {
	for _, file := range []string{
		"%%MatrixMarket matrix coordinate real general\n2147483646 2147483646 2147483646\n1 1 1\n",
		"%%MatrixMarket matrix coordinate pattern symmetric\n2147483646 2147483646 0\n",
		"%%MatrixMarket matrix array real general\n2147483646 2147483646\n1\n",
		"%%MatrixMarket matrix array real general\n0 2147483646\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := ReadMatrixMarket(strings.NewReader(file))
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	}
}

func TestReaderErrorComesBack(t *testing.T) {
	file := "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 123\n"
	broken := errors.New("broken")
	for n := range len(file) {
		_, _, err := ReadMatrixMarket(io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken, "after %d bytes", n)
	}
}

func drawHeader(t *rapid.T) MarketHeader {
	h := MarketHeader{
		rapid.SampledFrom([]string{"coordinate", "array"}).Draw(t, "format"),
		rapid.SampledFrom([]string{"real", "integer", "pattern"}).Draw(t, "field"),
		rapid.SampledFrom([]string{"general", "symmetric", "skew-symmetric"}).Draw(t, "symmetry"),
	}
	if h.check() != "" {
		h = MarketHeader{h.Format, "real", h.Symmetry}
	}
	return h
}

// drawFor draws a matrix that h can write.
func drawFor(t *rapid.T, h MarketHeader) *Matrix {
	rows, cols := drawDims(t)
	if h.Symmetry != "general" {
		cols = rows
	}
	u := drawTable(t, rows, cols)
	m := NewMatrix(u.where(func(i, j int) bool {
		switch h.Symmetry {
		case "symmetric":
			return u.in[i][j] || u.in[j][i]
		case "skew-symmetric":
			return i != j && (u.in[i][j] || u.in[j][i])
		}
		return u.in[i][j]
	}).pattern())
	p := m.pattern
	for i := range rows {
		for _, j := range p.Row(i) {
			v := 1.
			switch h.Field {
			case "real":
				v = rapid.Float64().Draw(t, "value")
			case "integer":
				v = float64(rapid.Int64Range(-1<<53, 1<<53).Draw(t, "value"))
			}
			m.values[p.Position(i, int(j))] = v
			switch h.Symmetry {
			case "symmetric":
				m.values[p.Position(int(j), i)] = v
			case "skew-symmetric":
				m.values[p.Position(int(j), i)] = -v
			}
		}
	}
	return m
}

func requireSameBits(t require.TestingT, want, got *Matrix) {
	require.True(t, want.pattern.Equal(got.pattern))
	for k, v := range want.values {
		require.Equal(t, math.Float64bits(v), math.Float64bits(got.values[k]))
	}
}

func TestMatrixMarketRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHeader(t)
		m := drawFor(t, h)
		var file bytes.Buffer
		require.NoError(t, WriteMatrixMarket(&file, m, h))
		again, header, err := ReadMatrixMarket(iotest.OneByteReader(&file))
		require.NoError(t, err)
		require.Equal(t, h, header)
		if h.Format == "coordinate" {
			requireSameBits(t, m, again)
			return
		}
		// An array holds all positions (below the diagonal if skew).
		rows, cols := m.Dims()
		full := NewMatrix(Full(rows, cols))
		if h.Symmetry == "skew-symmetric" {
			full = NewMatrix(Full(rows, cols).keep(func(i, j int32) bool { return i != j }))
		}
		require.True(t, full.pattern.Equal(again.pattern))
		for i := range rows {
			for j := range cols {
				require.Equal(t, m.At(i, j), again.At(i, j))
			}
		}
	})
}

func TestMatrixMarketText(t *testing.T) {
	m := NewMatrix(Banded(3, 1, 1))
	copy(m.values, []float64{1, -2.5, -2.5, 1e300, 0, 0, math.NaN()})
	for header, want := range map[MarketHeader]string{
		{}:                                       "coordinate real general\n3 3 7\n1 1 1\n1 2 -2.5\n2 1 -2.5\n2 2 1e+300\n2 3 0\n3 2 0\n3 3 NaN\n",
		{Symmetry: "symmetric"}:                  "coordinate real symmetric\n3 3 5\n1 1 1\n2 1 -2.5\n2 2 1e+300\n3 2 0\n3 3 NaN\n",
		{Format: "array", Symmetry: "symmetric"}: "array real symmetric\n3 3\n1\n-2.5\n0\n1e+300\n0\nNaN\n",
		{Field: "pattern", Symmetry: "symmetric"}: "coordinate pattern symmetric\n3 3 5\n1 1\n2 1\n2 2\n3 2\n3 3\n",
	} {
		var b strings.Builder
		require.NoError(t, WriteMatrixMarket(&b, m, header))
		require.Equal(t, "%%MatrixMarket matrix "+want, b.String())
	}
}

func TestWriteRefusesAMatrixThatTheHeaderDenies(t *testing.T) {
	full := func(values ...float64) *Matrix {
		m := NewMatrix(Full(2, 2))
		copy(m.values, values)
		return m
	}
	for _, test := range []struct {
		m    *Matrix
		h    MarketHeader
		want string
	}{
		{full(1, 2, 3, 4), MarketHeader{Symmetry: "symmetric"}, "matrix is not symmetric: elements (0, 1) and (1, 0)"},
		{NewMatrix(Full(2, 3)), MarketHeader{Symmetry: "symmetric"}, "pattern is not symmetric"},
		{NewMatrix(Banded(3, 1, 0)), MarketHeader{Field: "pattern", Symmetry: "symmetric"}, "pattern is not symmetric"},
		{full(0, 2, -2, 0), MarketHeader{Symmetry: "skew-symmetric"}, "matrix is not skew-symmetric: it has the diagonal element 0"},
		{&Matrix{Arrow(2, 0).keep(func(i, j int32) bool { return i != j }), []float64{1, 1}},
			MarketHeader{Symmetry: "skew-symmetric"}, "matrix is not skew-symmetric: elements (0, 1) and (1, 0)"},
		{full(1, 2, 2.5, 4), MarketHeader{Field: "integer"}, "value 2.5 is not an integer up to 2⁵³"},
		{full(1, 2, 1e17, 4), MarketHeader{Field: "integer"}, "value 1e+17 is not an integer up to 2⁵³"},
		{full(1, 2, math.NaN(), 4), MarketHeader{Field: "integer"}, "value NaN is not an integer up to 2⁵³"},
	} {
		var b strings.Builder
		require.EqualError(t, WriteMatrixMarket(&b, test.m, test.h), "sparsity: "+test.want)
		require.Empty(t, b.String())
	}
}

func FuzzReadMatrixMarket(f *testing.F) {
	f.Fuzz(func(t *testing.T, file []byte) {
		m, h, err := ReadMatrixMarket(bytes.NewReader(file))
		q, _, patternErr := ReadMatrixMarketPattern(bytes.NewReader(file))
		if err != nil {
			return
		}
		if patternErr != nil || !q.Equal(m.pattern) {
			t.Fatal(patternErr, q)
		}
		rows, cols := m.Dims()
		NewPattern(rows, cols, m.pattern.ptr, m.pattern.idx)
		if max(rows, cols) > 1<<12 && h.Format == "array" {
			return
		}
		var b bytes.Buffer
		if err := WriteMatrixMarket(&b, m, h); err != nil {
			t.Fatal(err)
		}
		again, header, err := ReadMatrixMarket(&b)
		if err != nil || h != header {
			t.Fatal(err, header)
		}
		requireSameBits(t, m, again)
	})
}
