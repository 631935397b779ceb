package nl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// values is [f; c] of a problem at x on plain numbers.
func values(p *Problem, objective int, x ...float64) []float64 {
	z := make([]dual.Real, len(x))
	for i, v := range x {
		z[i] = dual.Real(v)
	}
	var y []float64
	for _, v := range Eval(p, objective, z) {
		y = append(y, float64(v))
	}
	return y
}

func parse(t require.TestingT, text string) *Problem {
	p, err := Read(strings.NewReader(text))
	require.NoError(t, err)
	return p
}

// toBinary is a text file as AMPL writes it with option b: the header stays, each
// number becomes 4 or 8 bytes, each letter one (Gay 2005, section 2).
func toBinary(text string, order binary.AppendByteOrder) []byte {
	lines := strings.Split(text, "\n")
	head := lines[:10]
	head[0] = "b" + head[0][1:]
	fields := strings.Fields(strings.Split(head[5], "#")[0])
	fields[2] = map[binary.AppendByteOrder]string{binary.LittleEndian: "1", binary.BigEndian: "2"}[order]
	head[5] = " " + strings.Join(fields, " ")
	b := []byte(strings.Join(head, "\n") + "\n")
	at := 10
	line := func() []string {
		s, _, _ := strings.Cut(lines[at], "#")
		at++
		return strings.Fields(s)
	}
	i32 := func(s string) {
		v, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		b = order.AppendUint32(b, uint32(int32(v)))
	}
	f64 := func(s string) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			panic(err)
		}
		b = order.AppendUint64(b, math.Float64bits(v))
	}
	atoi := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		return n
	}
	name := func(s string) { b = append(order.AppendUint32(b, uint32(len(s))), s...) }
	pairs := func(n int, second func(string)) {
		for range n {
			f := line()
			i32(f[0])
			second(f[1])
		}
	}
	var expression func()
	constant := func() {
		f := line()
		b = append(b, f[0][0])
		switch f[0][0] {
		case 'n':
			f64(f[0][1:])
		case 's':
			b = order.AppendUint16(b, uint16(int16(atoi(f[0][1:]))))
		default:
			i32(f[0][1:])
		}
	}
	expression = func() {
		f := strings.Fields(lines[at])[0]
		switch f[0] {
		case 'n', 's', 'l', 'v':
			constant()
			return
		case 'o':
			constant()
		default:
			panic(f)
		}
		code := atoi(f[1:])
		n := operators[code].operands
		switch {
		case n == many:
			s := line()[0]
			i32(s)
			n = atoi(s)
		case code == piecewise:
			s := line()[0]
			i32(s)
			for range 2*atoi(s) - 1 {
				constant()
			}
		}
		for range n {
			expression()
		}
	}
	counts := strings.Fields(strings.Split(lines[1], "#")[0])
	for at < len(lines) && lines[at] != "" {
		f := line()
		key := f[0][0]
		b = append(b, key)
		f[0] = f[0][1:]
		numbers := func(n int) {
			for _, s := range f[:n] {
				i32(s)
			}
		}
		switch key {
		case 'C':
			numbers(1)
			expression()
		case 'O':
			numbers(2)
			expression()
		case 'V':
			numbers(3)
			pairs(atoi(f[1]), f64)
			expression()
		case 'J', 'G':
			numbers(2)
			pairs(atoi(f[1]), f64)
		case 'x', 'd':
			numbers(1)
			pairs(atoi(f[0]), f64)
		case 'k':
			numbers(1)
			for range atoi(f[0]) {
				i32(line()[0])
			}
		case 'S':
			numbers(2)
			name(f[2])
			if atoi(f[0])&4 != 0 {
				pairs(atoi(f[1]), f64)
			} else {
				pairs(atoi(f[1]), i32)
			}
		case 'b', 'r':
			n := atoi(counts[0])
			if key == 'r' {
				n = atoi(counts[1])
			}
			for range n {
				f := line()
				b = append(b, f[0][0])
				for _, s := range f[1:] {
					f64(s)
				}
			}
		default:
			panic(f)
		}
	}
	return b
}

// forms is a file as text and as binary of both byte orders.
func forms(text string) map[string][]byte {
	return map[string][]byte{
		"text":          []byte(text),
		"little-endian": toBinary(text, binary.LittleEndian),
		"big-endian":    toBinary(text, binary.BigEndian),
	}
}

func each(t *testing.T, file string, f func(t *testing.T, p *Problem)) {
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	for name, data := range forms(string(text)) {
		t.Run(name, func(t *testing.T) {
			p, err := Read(bytes.NewReader(data))
			require.NoError(t, err)
			f(t, p)
		})
	}
}

// Problem 71 of Hock and Schittkowski, Test Examples for Nonlinear Programming
// Codes, Springer 1981, as Pyomo writes it. Its Lagrangian is stationary at the
// published solution, with the multipliers of the KKT conditions.
func TestHS71(t *testing.T) {
	each(t, "hs71.nl", func(t *testing.T, p *Problem) {
		inf := math.Inf(1)
		require.Equal(t, []float64{1, 5, 5, 1}, p.X0)
		require.Equal(t, []float64{1, 1, 1, 1}, p.XLower)
		require.Equal(t, []float64{5, 5, 5, 5}, p.XUpper)
		require.Equal(t, []float64{25, 40}, p.CLower)
		require.Equal(t, []float64{inf, 40}, p.CUpper)
		require.Nil(t, p.Integer)
		require.Equal(t, []int{1, 1, 0}, p.Options)
		require.True(t, p.Status)
		require.Equal(t, []float64{16, 25, 52}, values(p, 0, p.X0...))

		tape, err := p.Tape(0)
		require.NoError(t, err)
		x := []float64{1, 4.74299963, 3.82114998, 1.37940829}
		y, err := tape.Values(nil, x)
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{17.0140173, 25, 40}, y, 1e-6)
		g, err := tape.VJP(nil, x, []float64{1, -0.55229366, 0.16146857})
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{1.08787121, 0, 0, 0}, g, 1e-6)
	})
}

// All segments, among them those that are skipped. The expectations are the
// formulas in the file's comments.
func TestSegments(t *testing.T) {
	each(t, "defined.nl", func(t *testing.T, p *Problem) {
		inf := math.Inf(1)
		require.Equal(t, []bool{true, false}, p.Maximize)
		require.Equal(t, []bool{false, true, false}, p.Integer)
		require.Equal(t, []float64{0.5, -0.25, 0}, p.X0)
		require.Equal(t, []float64{0, 0.25}, p.Y0)
		require.Equal(t, []float64{-2, -3, -inf}, p.XLower)
		require.Equal(t, []float64{2, inf, 10}, p.XUpper)
		require.Equal(t, []float64{-1, -inf}, p.CLower)
		require.Equal(t, []float64{4, inf}, p.CUpper)
		require.Equal(t, "defined", p.Name)

		x0, x1, x2 := 0.3, 0.7, -1.5
		y := x0 + 2*x1 + math.Exp(x0*x1)
		w := 3*x2 + math.Log(1+y*y)
		c := []float64{y*y - x0, 0.5*x2 + y*x1}
		got := values(p, 0, x0, x1, x2)
		require.InDeltaSlice(t, []float64{-(-x2 + w - y), c[0], c[1]}, got, 1e-14)
		got = values(p, 1, x0, x1, x2)
		require.InDeltaSlice(t, []float64{7 + x2, c[0], c[1]}, got, 1e-14)
		require.Panics(t, func() { values(p, 2, x0, x1, x2) })
		require.Panics(t, func() { values(p, 0, x0) })
	})
}

// scalar is a file that minimizes an expression of two variables and k defined ones.
func scalar(segments, expression string, k int) string {
	return fmt.Sprintf("g3 1 1 0\n 2 0 1 0 0 0\n 0 1\n 0 0\n 0 2 0\n 0 0 0 1\n 0 0 0 0 0\n 0 2\n 0 0\n 0 0 %d 0 0\n%sO0 0\n%s\nb\n3\n3\n",
		k, segments, strings.ReplaceAll(strings.TrimSpace(expression), " ", "\n"))
}

// What each operator means is in the AMPL book (Fourer, Gay, Kernighan 2003,
// tables 8-1 and 8-2, chapter 17).
func TestOperators(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		expression string
		x, y, want float64
	}{
		{"o0 v0 v1", 3, 4, 7},
		{"o1 v0 v1", 3, 4, -1},
		{"o2 v0 v1", 3, 4, 12},
		{"o3 v0 v1", 3, 4, 0.75},
		{"o4 v0 v1", -7, 3, -1},
		{"o5 v0 v1", 2, 3, 8},
		{"o5 v0 n2", -3, 0, 9},
		{"o5 v0 n-1", 4, 0, 0.25},
		{"o5 v0 n0.5", 16, 0, 4},
		{"o5 n2 v0", 5, 0, 32},
		{"o5 v0 n70", 1.1, 0, 789.7469567994},
		{"o6 v0 v1", 5, 3, 2},
		{"o6 v0 v1", 3, 5, 0},
		{"o11 3 v0 v1 n2", 3, 4, 2},
		{"o12 3 v0 v1 n2", 3, 4, 4},
		{"o12 1 v0", 3, 4, 3},
		{"o13 v0", -1.5, 0, -2},
		{"o14 v0", -1.5, 0, -1},
		{"o15 v0", -1.5, 0, 1.5},
		{"o16 v0", -1.5, 0, 1.5},
		{"o35 o22 v0 v1 n1 n2", 1, 2, 1},
		{"o35 o22 v0 v1 n1 n2", 2, 2, 2},
		{"o35 o23 v0 v1 n1 n2", 2, 2, 1},
		{"o35 o23 v0 v1 n1 n2", 3, 2, 2},
		{"o35 o24 v0 v1 n1 n2", 2, 2, 1},
		{"o35 o24 v0 v1 n1 n2", 3, 2, 2},
		{"o35 o24 v0 v1 n1 n2", 1, 2, 2},
		{"o35 o28 v0 v1 n1 n2", 2, 2, 1},
		{"o35 o28 v0 v1 n1 n2", 1, 2, 2},
		{"o35 o29 v0 v1 n1 n2", 2, 2, 2},
		{"o35 o29 v0 v1 n1 n2", 3, 2, 1},
		{"o35 o30 v0 v1 n1 n2", 2, 2, 2},
		{"o35 o30 v0 v1 n1 n2", 3, 2, 1},
		{"o35 o34 o30 v0 v1 n1 n2", 3, 2, 2},
		{"o35 n1 v0 v1", 3, 2, 3},
		{"o35 n0 v0 v1", 3, 2, 2},
		{"o35 n-5 v0 v1", 3, 2, 3},
		{"o35 v0 n1 n2", -3, 0, 1}, // what is not 0 is true
		{"o35 v0 n1 n2", 0, 0, 2},
		{"o35 o20 v0 v1 n1 n2", 0, -2, 1},
		{"o35 o20 v0 v1 n1 n2", 0, 0, 2},
		{"o35 o21 v0 v1 n1 n2", 3, -2, 1},
		{"o35 o21 v0 v1 n1 n2", 3, 0, 2},
		{"o35 o34 v0 n1 n2", 3, 0, 2},
		{"o35 o34 v0 n1 n2", 0, 0, 1},
		{"o35 o29 v0 n0 o43 v0 n0", -1, 0, 0},
		{"o35 o22 v0 v1 n1 n2", nan, 2, nan},
		{"o37 v0", 0.5, 0, math.Tanh(0.5)},
		{"o38 v0", 0.5, 0, math.Tan(0.5)},
		{"o39 v0", 0.5, 0, math.Sqrt(0.5)},
		{"o40 v0", 0.5, 0, math.Sinh(0.5)},
		{"o41 v0", 0.5, 0, math.Sin(0.5)},
		{"o42 v0", 0.5, 0, math.Log10(0.5)},
		{"o43 v0", 0.5, 0, math.Log(0.5)},
		{"o44 v0", 0.5, 0, math.Exp(0.5)},
		{"o45 v0", 0.5, 0, math.Cosh(0.5)},
		{"o46 v0", 0.5, 0, math.Cos(0.5)},
		{"o47 v0", 0.5, 0, math.Atanh(0.5)},
		{"o48 v0 v1", 0.5, -1, math.Atan2(0.5, -1)},
		{"o49 v0", 0.5, 0, math.Atan(0.5)},
		{"o50 v0", 0.5, 0, math.Asinh(0.5)},
		{"o51 v0", 0.5, 0, math.Asin(0.5)},
		{"o52 v0", 1.5, 0, math.Acosh(1.5)},
		{"o53 v0", 0.5, 0, math.Acos(0.5)},
		{"o54 4 v0 v1 n2 v0", 3, 4, 12},
		{"o55 v0 v1", -7, 2, -3},
		{"o57 v0 n2", 1.23456, 0, 1.23},
		{"o57 v0 n0", -2.5, 0, -3},
		{"o57 v0 n-2", 1250, 0, 1300},
		{"o57 v0 n300", 1e20, 0, 1e20},
		{"o57 v0 n300", 0.1, 0, 0.1},
		{"o58 v0 n1", -1.29, 0, -1.2},
		{"o58 v0 n-1", 129, 0, 120},
		{"o59 3 v0 v1 o22 v0 v1", 3, 4, 3},
		{"o59 3 v0 v1 o22 v0 v1", 0, -4, 1},
		{"o60 4 v0 v1 n3 n3", 3, 4, 2},
		{"o35 o62 n2 o59 2 v0 v1 n1 n2", 3, 4, 1},
		{"o35 o62 n2 o59 2 v0 v1 n1 n2", 3, 0, 2},
		{"o35 o63 n1 o59 2 v0 v1 n1 n2", 3, 4, 2},
		{"o35 o63 n1 o59 2 v0 v1 n1 n2", 3, 0, 1},
		{"o35 o66 n1 o59 2 v0 v1 n1 n2", 3, 0, 1},
		{"o35 o66 n1 o59 2 v0 v1 n1 n2", 3, 1, 2},
		{"o35 o67 n2 o59 2 v0 v1 n1 n2", 3, 4, 2},
		{"o35 o67 n2 o59 2 v0 v1 n1 n2", 3, 0, 1},
		{"o35 o68 n1 o59 2 v0 v1 n1 n2", 3, 4, 1},
		{"o35 o68 n1 o59 2 v0 v1 n1 n2", 3, 0, 2},
		{"o35 o69 n1 o59 2 v0 v1 n1 n2", 3, 0, 2},
		{"o35 o69 n1 o59 2 v0 v1 n1 n2", 3, 1, 1},
		// Slopes −1, 2, 5 that change at −1 and 3; 0 at 0.
		{"o64 3 n-1 n-1 n2 s3 l5 v0", 0, 0, 0},
		{"o64 3 n-1 n-1 n2 s3 l5 v0", 2, 0, 4},
		{"o64 3 n-1 n-1 n2 s3 l5 v0", 4, 0, 11},
		{"o64 3 n-1 n-1 n2 s3 l5 v0", -3, 0, 0},
		{"o64 3 n1 n1 n2 n3 n4 v0", -2, 0, -2},
		{"o64 3 n1 n-3 n2 n-1 n4 v0", -4, 0, -9},
		{"o64 2 n1 n0 n2 v0", -4, 0, -4},
		{"o64 2 n1 n0 n2 v0", 4, 0, 8},
		{"o64 1 n3 v0", 4, 0, 12},
		{"o35 o70 3 v0 v1 n1 n1 n2", 3, 4, 1},
		{"o35 o70 3 v0 v1 n1 n1 n2", 3, 0, 2},
		{"o35 o71 3 v0 v1 n0 n1 n2", 0, -4, 1},
		{"o35 o71 3 v0 v1 n0 n1 n2", 0, 0, 2},
		{"o35 o72 v0 v1 n1 n1 n2", 1, 0, 2},
		{"o35 o72 v0 v1 n1 n1 n2", 0, 0, 1},
		{"o35 o73 v0 v1 n1 n2", 3, 4, 1},
		{"o35 o73 v0 v1 n1 n2", 3, 0, 2},
		{"o76 v0 n3", 2, 0, 8},
		{"o77 v0", 3, 0, 9},
		{"o78 n2 v0", 3, 0, 8},
		{"s-3", 0, 0, -3},
		{"l70000", 0, 0, 70000},
		{"n1e400", 0, 0, math.Inf(1)},
	} {
		text := scalar("", c.expression, 0)
		for name, data := range forms(text) {
			p, err := Read(bytes.NewReader(data))
			require.NoError(t, err, c.expression)
			require.InDelta(t, c.want, values(p, 0, c.x, c.y)[0], 1e-10*math.Max(1, math.Abs(c.want)), "%s, %s", c.expression, name)
			if name != "text" {
				continue
			}
			tape, err := p.Tape(0)
			require.NoError(t, err)
			y, err := tape.Values(nil, []float64{c.x, c.y})
			require.NoError(t, err)
			require.Equal(t, math.Float64bits(values(p, 0, c.x, c.y)[0]+0), math.Float64bits(y[0]+0), c.expression)
		}
	}
}

// Derivatives are those of the side that holds: not a NaN of the other one.
func TestDerivativesOfConditions(t *testing.T) {
	p := parse(t, scalar("", "o35 o29 v0 n0 o2 v1 o43 v0 o5 v0 n2", 0)) // if x > 0 then y·log x else x²
	tape, err := p.Tape(0)
	require.NoError(t, err)
	for _, c := range []struct{ x, g, h []float64 }{
		{[]float64{2, 3}, []float64{1.5, math.Ln2}, []float64{-0.75, 0.5, 0.5, 0}},
		{[]float64{-2, 3}, []float64{-4, 0}, []float64{2, 0, 0, 0}},
		{[]float64{0, 3}, []float64{0, 0}, []float64{2, 0, 0, 0}},
	} {
		g, err := tape.Gradient(nil, c.x)
		require.NoError(t, err)
		require.InDeltaSlice(t, c.g, g, 1e-15)
		h, err := hessian.New(tape, hessian.FoR).Dense(nil, c.x)
		require.NoError(t, err)
		for i := range 2 {
			for j := range 2 {
				require.InDelta(t, c.h[2*i+j], h.At(i, j), 1e-15)
			}
		}
	}
}

// What is not supported is named, with its place.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{scalar("", "o56 v0 n3", 0), "nl: line 12: the operator precision (o56) is not supported"},
		{scalar("", "o74 2 v0 v1", 0), "nl: line 12: the operator alldiff (o74) is not supported"},
		{scalar("", "o65 n1 h2:ab h1:c", 0), "nl: line 12: the operator symbolic if (o65) is not supported"},
		{scalar("", "o57 v0 v1", 0), "nl: line 12: round to a number of digits that varies is not supported"},
		{scalar("F0 1 -1 bessel\n", "f0 1", 0), `nl: line 13: the external function "bessel" is not supported`},
		{scalar("", "o0 n1 h2:ab", 0), "nl: line 14: a string is not supported"},
		{strings.Replace(scalar("", "n0", 0), " 2 0 1 0 0 0", " 2 0 1 0 0 1", 1), "nl: line 11: a logical constraint is not supported"},
		{"b3 1 1 0\n 1 0 0\n\n\n\n 0 0 4 1\n\n\n\n\nb3", "nl: line 11: arithmetic of kind 4, which is not IEEE's, is not supported"},
		{"g3 1 1 0\n 1 1 0\n\n\n\n\n\n\n\n\nr\n5 1 1\n", "nl: line 12: complementarity is not supported"},
	} {
		_, err := Read(strings.NewReader(c.text))
		var e *UnsupportedError
		require.ErrorAs(t, err, &e, c.text)
		require.EqualError(t, err, c.want)
	}
}

// Errors say where and what was expected.
func TestSyntaxErrors(t *testing.T) {
	good := scalar("V2 1 0\n0 1\nn1\n", "o0 v2 v1", 1)
	for _, c := range []struct{ from, to, want string }{
		{"g3 1 1 0", "x3", "line 1: a .nl file begins with g or b"},
		{"g3 1 1 0", "g", "line 1: the number of options is missing"},
		{"g3 1 1 0", "g3 1 one 0", `line 1: an option is "one", no number or out of range`},
		{" 2 0 1 0 0 0", " 99 0 1 0 0 0", "line 11: 101 variables, constraints and objectives by the header are more than 34 bytes can tell of"},
		{" 2 0 1 0 0 0", " -2 0 1", "line 2: a number of the header is -2, not from 0 to 2147483646"},
		{" 2 0 1 0 0 0", " 2 0 9999999999", `line 2: a number of the header is "9999999999", no number or out of range`},
		{"o0", "o36", "line 15: there is no operator o36"},
		{"o0", "o83", "line 15: there is no operator o83"},
		{"o0", "q", "line 15: 'q' begins no expression: expected one of n, s, l, v, o"},
		{"o0", "n1x", `line 15: a number is "1x", no number or out of range`},
		{"o0", "o54\n0", "line 16: sum (o54) has no operands"},
		{"o0", "o54\n99", "line 16: the number of operands is 99, more than 13 bytes can hold"},
		{"o0", "o64\n2\nn1\nv0", "line 18: 'v' begins no slope or breakpoint: expected one of n, s, l"},
		{"o0", "o64\n3\nn1\nn2\nn1\nn2\nn1", "line 20: breakpoints do not increase"},
		{"v2", "v3", "line 16: the number of a variable is 3, not from 0 to 2"},
		{"V2 1 0\n0 1\nn1\n", "", "line 13: v2 is not defined yet"},
		{"V2 1 0", "V1 1 0", "line 11: v1 is a variable and cannot be defined"},
		{"n1\n", "n1\nV2 0 0\nn1\n", "line 14: v2 is defined twice"},
		{"O0 0", "O0 0\nn1\nO0 0", "line 17: objective 0 stands there twice"},
		{"O0 0", "O0 2", "line 14: the sense of an objective is 2, not from 0 to 1"},
		{"O0 0", "O1 0", "line 14: the number of an objective is 1, not from 0 to 0"},
		{"O0 0", "G0 1\n2 1\nO0 0", "line 15: the variable of a linear term is 2, not from 0 to 1"},
		{"b\n3\n3", "b\n3\n7", "line 20: a bound on the variables begins with 0, 1, 2, 3 or 4, not '7'"},
		{"b\n3\n3", "b\n3\n0 nan 1", "line 20: a bound is not a number"},
		{"b\n3\n3", "b\n3\n0 1", "line 20: an upper bound is missing"},
		{"b\n3\n3\n", "b\n3\n3\nb\n3\n3\n", "line 22: the bounds on the variables stand there twice"},
		{"b\n3\n3\n", "", "line 18: the file ends without the bounds on the variables (b)"},
		{"b\n3\n3\n", "Q", `line 18: 'Q' begins no segment: expected one of C, O, V, J, G, b, r, x, d, k, K, S, F`},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		require.NotEqual(t, good, text, c.from)
		_, err := Read(strings.NewReader(text))
		var e *SyntaxError
		require.ErrorAs(t, err, &e, text)
		require.EqualError(t, err, "nl: "+c.want, text)
	}
	binary := toBinary(good, binary.LittleEndian)
	_, err := Read(bytes.NewReader(binary[:len(binary)-1]))
	require.EqualError(t, err, fmt.Sprintf("nl: byte %d: a bound on the variables begins with 0, 1, 2, 3 or 4, not '\\x00'", len(binary)-1))
	_, err = Read(io.MultiReader(strings.NewReader(good), failing{}))
	require.ErrorIs(t, err, errRead)
}

var errRead = errors.New("cannot read")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errRead }

// A prefix of a file is an error unless only the last segments are missing, which
// no file needs.
func TestPrefixes(t *testing.T) {
	text, err := os.ReadFile("testdata/defined.nl")
	require.NoError(t, err)
	for _, data := range forms(string(text)) {
		for k := range data {
			_, err := Read(bytes.NewReader(data[:k]))
			if k < len(data)/2 {
				require.Error(t, err, k)
			}
		}
	}
}

// An expression of 10⁶ operations within one another is read and recorded like any
// other: x + (x + (x + …)) and −−−…x.
func TestDeep(t *testing.T) {
	const n = 1 << 20
	p := parse(t, scalar("", strings.Repeat("o0 v0 ", n)+"v1", 0))
	require.Equal(t, n*0.5+3.0, values(p, 0, 0.5, 3)[0])
	p = parse(t, scalar("", strings.Repeat("o16 ", n)+"v1", 0))
	tape, err := p.Tape(0)
	require.NoError(t, err)
	g, err := tape.Gradient(nil, []float64{1, 2})
	require.NoError(t, err)
	require.Equal(t, []float64{0, 1}, g)
}

// Counts of the file that it cannot hold take no memory: less than 100 bytes a byte
// are allocated in all, and a few thousand more.
func TestMemoryOfLies(t *testing.T) {
	for _, text := range []string{
		"g3 1 1 0\n 2000000000 0 0\n\n\n\n\n\n\n\n\n",
		"g3 1 1 0\n 1 2000000000 2000000000\n\n\n\n\n\n\n\n 2000000000 2000000000 2000000000 2000000000 2000000000\n",
		scalar("", "o54 2000000000 v0", 0),
		scalar("", "o64 2000000000 n1", 0),
		scalar("V2 2000000000 0\n0 1\n", "v0", 1),
		scalar("x2000000000\n0 1\n", "v0", 0),
		scalar("k2000000000\n0 1\n", "v0", 0),
		scalar("S4 2000000000 a\n0 1\n", "v0", 0),
		"g3 1 1 0\n 5000 5000 0\n\n\n\n\n\n\n\n\n" + strings.Repeat("x", 10000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*len(text)+1<<14), "%.60s", text)
	}
}

// Constraints that differ in coefficients alone are terms of one shape.
func TestAlikeConstraintsAreTerms(t *testing.T) {
	const n = 2000
	p := parse(t, chain(n))
	tape, err := p.Tape(0)
	require.NoError(t, err)
	h, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.Equal(t, hessian.ByTerms, h.Method(), h.Explain())
	j, err := reverse.NewSparseJacobian(tape)
	require.NoError(t, err)
	require.Equal(t, reverse.ByTerms, j.Method(), j.Explain())
	x, w := make([]float64, n), make([]float64, n-1)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	for i := range w {
		w[i] = math.Cos(float64(i))
	}
	require.NoError(t, h.Verify(x, w...))
	require.NoError(t, j.Verify(x))
}
