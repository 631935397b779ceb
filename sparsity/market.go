package sparsity

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MarketHeader is the first line of a Matrix Market file: how its matrix is
// written. An empty string means the first of the values listed.
//
// The format is that of R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix
// Market exchange formats: initial design, NISTIR 5935, 1996.
type MarketHeader struct {
	Format   string // "coordinate" (the entries) or "array" (dense)
	Field    string // "real", "integer" or "pattern" (no values)
	Symmetry string // "general", "symmetric" or "skew-symmetric"
	// ReadMatrixMarketPattern knows the field "complex" and the symmetry
	// "hermitian" besides.
}

func (h MarketHeader) withDefaults() MarketHeader {
	return MarketHeader{cmp.Or(h.Format, "coordinate"), cmp.Or(h.Field, "real"), cmp.Or(h.Symmetry, "general")}
}

// check returns what is wrong with a header without empty strings, "" if
// nothing is.
func (h MarketHeader) check() string {
	switch {
	case h.Format != "coordinate" && h.Format != "array":
		return fmt.Sprintf("unknown format %q", h.Format)
	case !slices.Contains([]string{"real", "integer", "pattern", "complex"}, h.Field):
		return fmt.Sprintf("unknown field %q", h.Field)
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric", "hermitian"}, h.Symmetry):
		return fmt.Sprintf("unknown symmetry %q", h.Symmetry)
	case h.Symmetry == "hermitian" && h.Field != "complex":
		return "a hermitian matrix is complex"
	case h.Field == "pattern" && h.Format == "array":
		return "an array has values"
	case h.Field == "pattern" && h.Symmetry == "skew-symmetric":
		return "a pattern has no signs"
	}
	return ""
}

// checkReal is check for what has values in a Matrix.
func (h MarketHeader) checkReal() string {
	if h.Field == "complex" {
		return "complex matrices are not supported"
	}
	return h.check()
}

// numbers returns how many numbers the value of an entry has.
func (h MarketHeader) numbers() int {
	switch h.Field {
	case "pattern":
		return 0
	case "complex":
		return 2
	default:
		return 1
	}
}

// arrayStart returns the first row that an array holds of column j.
func (h MarketHeader) arrayStart(j int) int {
	switch h.Symmetry {
	case "symmetric", "hermitian":
		return j
	case "skew-symmetric":
		return j + 1
	default:
		return 0
	}
}

// FormatError reports a malformed file and the line, counted from 1, where it
// went wrong.
type FormatError struct {
	Line int
	Msg  string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("sparsity: line %d: %s", e.Line, e.Msg)
}

// ReadMatrixMarket reads a matrix and the header that says how it was written.
// A symmetric or skew-symmetric matrix comes with both triangles, entries of a
// pattern with the value 1, an array with all positions, zeros too. Numbers are
// those that Fortran and C write: 1.5, 1d3, .5E-3, 1-100, inf, NaN. A complex
// matrix has no Matrix to stand for it; see ReadMatrixMarketPattern.
//
// What the file does wrong is a *FormatError, an entry given twice (in a
// symmetric matrix also on either side of the diagonal), an integer that is no
// float64 and a number out of range among it; other errors are those of r.
// Memory is bounded by what has been read, whatever sizes the file announces:
// a matrix with more than 2²² rows or columns must have an entry for every 64
// of them.
func ReadMatrixMarket(r io.Reader) (*Matrix, MarketHeader, error) {
	m := marketReader{lines: bufio.NewScanner(r), check: MarketHeader.checkReal}
	p, places, err := m.read()
	if err != nil {
		return nil, MarketHeader{}, err
	}
	a := NewMatrix(p)
	for e, k := range places {
		a.values[k] = m.values[e]
	}
	return a, m.header, nil
}

// ReadMatrixMarketPattern reads the positions of a matrix of any field, complex
// ones too, by the rules of ReadMatrixMarket: an entry is a position, whatever
// its value.
func ReadMatrixMarketPattern(r io.Reader) (*Pattern, MarketHeader, error) {
	m := marketReader{lines: bufio.NewScanner(r), check: MarketHeader.check}
	p, _, err := m.read()
	if err != nil {
		return nil, MarketHeader{}, err
	}
	return p, m.header, nil
}

type marketReader struct {
	lines  *bufio.Scanner
	line   int                       // of the text last returned by next
	check  func(MarketHeader) string // what is wrong with a header
	header MarketHeader

	rows, cols int
	i, j       []int32
	values     []float64 // real parts
	at         []int     // the line of each entry
}

func (m *marketReader) errorf(format string, args ...any) error {
	return &FormatError{m.line, fmt.Sprintf(format, args...)}
}

// next returns the fields of the next line that is not blank, nil at the end.
func (m *marketReader) next() ([][]byte, error) {
	for m.lines.Scan() && m.lines.Err() == nil {
		m.line++
		if f := bytes.Fields(m.lines.Bytes()); len(f) > 0 {
			return f, nil
		}
	}
	err := m.lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		m.line++
		err = m.errorf("line too long")
	}
	return nil, err
}

// read returns the pattern and the place in it of each entry.
func (m *marketReader) read() (*Pattern, []int32, error) {
	if err := m.readHeader(); err != nil {
		return nil, nil, err
	}
	if err := m.readEntries(); err != nil {
		return nil, nil, err
	}
	f, err := m.next()
	if err != nil {
		return nil, nil, err
	}
	if f != nil {
		return nil, nil, m.errorf("more entries than announced")
	}
	const free, perEntry = 1 << 22, 64
	if max(m.rows, m.cols) > free+perEntry*len(m.values) {
		return nil, nil, m.errorf("%d×%d matrix with %d entries is too empty to hold", m.rows, m.cols, len(m.values))
	}
	return m.assemble()
}

func (m *marketReader) readHeader() error {
	m.lines.Scan()
	if err := m.lines.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	m.line = 1
	words := strings.Fields(strings.ToLower(m.lines.Text()))
	if len(words) == 0 || words[0] != "%%matrixmarket" {
		return m.errorf("no %%%%MatrixMarket header")
	}
	if len(words) != 5 {
		return m.errorf("header of %d words instead of 5", len(words))
	}
	if words[1] != "matrix" {
		return m.errorf("object %q is not supported", words[1])
	}
	if words[3] == "double" {
		words[3] = "real"
	}
	m.header = MarketHeader{words[2], words[3], words[4]}
	if msg := m.check(m.header); msg != "" {
		return m.errorf("%s", msg)
	}
	return nil
}

// readEntries reads the size and the entries as they stand in the file.
func (m *marketReader) readEntries() error {
	var f [][]byte
	for f == nil || f[0][0] == '%' {
		var err error
		if f, err = m.next(); err != nil {
			return err
		}
		if f == nil {
			return m.errorf("no size")
		}
	}
	coordinate := m.header.Format == "coordinate"
	want := 2
	if coordinate {
		want = 3
	}
	if len(f) != want {
		return m.errorf("size of %d numbers instead of %d", len(f), want)
	}
	var size [3]int
	for k := range f {
		v, err := strconv.Atoi(string(f[k]))
		if err != nil || v < 0 || v >= math.MaxInt32 {
			return m.errorf("size %q out of range", f[k])
		}
		size[k] = v
	}
	m.rows, m.cols = size[0], size[1]
	if m.header.Symmetry != "general" && m.rows != m.cols {
		return m.errorf("%s matrix is not square", m.header.Symmetry)
	}
	if !coordinate {
		return m.readArray()
	}
	for k := range size[2] {
		f, err := m.next()
		if err != nil {
			return err
		}
		if f == nil {
			return m.errorf("%d of %d entries are missing", size[2]-k, size[2])
		}
		if err := m.readEntry(f); err != nil {
			return err
		}
	}
	return nil
}

// readEntry appends the entry on a line of a coordinate file.
func (m *marketReader) readEntry(f [][]byte) error {
	if want := 2 + m.header.numbers(); len(f) != want {
		return m.errorf("entry of %d numbers instead of %d", len(f), want)
	}
	i, err := m.index(f[0], m.rows)
	if err != nil {
		return err
	}
	j, err := m.index(f[1], m.cols)
	if err != nil {
		return err
	}
	if i == j && m.header.Symmetry == "skew-symmetric" {
		return m.errorf("entry on the diagonal of a skew-symmetric matrix")
	}
	return m.add(i, j, f[2:])
}

// readArray reads the values of an array, column by column.
func (m *marketReader) readArray() error {
	if m.rows == 0 {
		return nil
	}
	for j := range m.cols {
		for i := m.header.arrayStart(j); i < m.rows; i++ {
			f, err := m.next()
			if err != nil {
				return err
			}
			if f == nil {
				return m.errorf("entry (%d, %d) is missing", i+1, j+1)
			}
			if want := m.header.numbers(); len(f) != want {
				return m.errorf("%d numbers instead of %d", len(f), want)
			}
			if err := m.add(int32(i), int32(j), f); err != nil {
				return err
			}
		}
	}
	return nil
}

// add appends an entry, and its mirror image where it stands for both.
func (m *marketReader) add(i, j int32, value [][]byte) error {
	v := 1.0
	for k := len(value) - 1; k >= 0; k-- {
		var err error
		if v, err = m.value(value[k]); err != nil {
			return err
		}
	}
	m.put(i, j, v)
	if i != j && m.header.Symmetry != "general" {
		if m.header.Symmetry == "skew-symmetric" {
			v = -v
		}
		m.put(j, i, v)
	}
	return nil
}

func (m *marketReader) put(i, j int32, v float64) {
	m.i = append(m.i, i)
	m.j = append(m.j, j)
	m.values = append(m.values, v)
	m.at = append(m.at, m.line)
}

func (m *marketReader) index(text []byte, n int) (int32, error) {
	k, err := strconv.Atoi(string(text))
	if err != nil {
		return 0, m.errorf("index %q is not a number", text)
	}
	if k < 1 || k > n {
		return 0, m.errorf("index %d is not in 1 to %d", k, n)
	}
	return int32(k - 1), nil
}

func (m *marketReader) value(text []byte) (float64, error) {
	if m.header.Field == "integer" {
		k, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return 0, m.errorf("%q is not an integer", text)
		}
		if k > maxInteger || k < -maxInteger {
			return 0, m.errorf("integer %d is beyond 2⁵³", k)
		}
		return float64(k), nil
	}
	v, err := parseNumber(text)
	if errors.Is(err, strconv.ErrRange) {
		return 0, m.errorf("number %q out of range", text)
	}
	if err != nil {
		return 0, m.errorf("%q is not a number", text)
	}
	return v, nil
}

// maxInteger bounds the integers that float64 tells apart.
const maxInteger = 1 << 53

// parseNumber reads a number as Fortran and C write it: with D for E, or with
// the sign of an exponent alone, but without the hexadecimal digits and
// underscores of Go.
func parseNumber(text []byte) (float64, error) {
	word := strings.ToLower(strings.TrimLeft(string(text), "+-"))
	if word == "nan" || strings.HasPrefix(word, "nan(") && strings.HasSuffix(word, ")") {
		return math.NaN(), nil
	}
	number := make([]byte, 0, 32)
	for i, c := range text {
		switch {
		case c == 'd' || c == 'D' || c == 'E':
			c = 'e'
		case c == '_' || c == 'x' || c == 'X':
			return 0, strconv.ErrSyntax
		case (c == '+' || c == '-') && i > 0 && number[len(number)-1] != 'e':
			number = append(number, 'e')
		}
		number = append(number, c)
	}
	return strconv.ParseFloat(string(number), 64)
}

// assemble puts the entries in their places.
func (m *marketReader) assemble() (p *Pattern, places []int32, err error) {
	if len(m.values) > math.MaxInt32 {
		return nil, nil, m.errorf("%d entries are too many", len(m.values))
	}
	p = fromCoordinates(m.rows, m.cols, m.i, m.j)
	places = make([]int32, len(m.i))
	taken := make([]bool, p.NNZ())
	for e, i := range m.i {
		k := p.Position(int(i), int(m.j[e]))
		if taken[k] {
			m.line = m.at[e]
			return nil, nil, m.errorf("entry (%d, %d) is there already", i+1, m.j[e]+1)
		}
		taken[k] = true
		places[e] = int32(k)
	}
	return p, places, nil
}

// WriteMatrixMarket writes the matrix a as h says; MarketHeader{} means as
// coordinates with real values, all of them. Of a symmetric or skew-symmetric
// matrix the lower triangle is written. Reading gives the same matrix, except
// that an array holds every position and a pattern only ones.
//
// It panics if h is not one of the headers listed at MarketHeader. It returns
// an error, with nothing written, if a is not what h says: not (skew-)symmetric
// in positions and values, or not all integers below 2⁵³. Other errors are
// those of w.
func WriteMatrixMarket(w io.Writer, a *Matrix, h MarketHeader) error {
	h = h.withDefaults()
	if msg := h.checkReal(); msg != "" {
		panic("sparsity: " + msg)
	}
	if err := fits(a, h); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%%%%MatrixMarket matrix %s %s %s\n", h.Format, h.Field, h.Symmetry)
	if h.Format == "array" {
		writeArray(b, a, h)
	} else {
		writeCoordinates(b, a, h)
	}
	return b.Flush()
}

// fits returns an error if a is not what h says.
func fits(a *Matrix, h MarketHeader) error {
	if h.Field == "integer" {
		for _, v := range a.values {
			if v != math.Trunc(v) || math.Abs(v) > maxInteger {
				return fmt.Errorf("sparsity: value %v is not an integer up to 2⁵³", v)
			}
		}
	}
	if h.Symmetry == "general" {
		return nil
	}
	p := a.pattern
	if !p.IsSymmetric() {
		return fmt.Errorf("sparsity: pattern is not symmetric")
	}
	if h.Field == "pattern" {
		return nil
	}
	next := slices.Clone(p.ptr[:p.rows])
	for i := range p.rows {
		for k := p.ptr[i]; k < p.ptr[i+1]; k++ {
			j := p.idx[k]
			v, mirrored := a.values[k], a.values[next[j]]
			next[j]++
			if h.Symmetry == "skew-symmetric" {
				mirrored = -mirrored
				if int(j) == i {
					return fmt.Errorf("sparsity: matrix is not skew-symmetric: it has the diagonal element %d", i)
				}
			}
			if v != mirrored && (v == v || mirrored == mirrored) {
				return fmt.Errorf("sparsity: matrix is not %s: elements (%d, %d) and (%d, %d)", h.Symmetry, i, j, j, i)
			}
		}
	}
	return nil
}

func writeCoordinates(w *bufio.Writer, a *Matrix, h MarketHeader) {
	p := a.pattern
	n := p.NNZ()
	if h.Symmetry != "general" {
		n = p.Lower().NNZ()
	}
	fmt.Fprintf(w, "%d %d %d\n", p.rows, p.cols, n)
	for i := range p.rows {
		for k := p.ptr[i]; k < p.ptr[i+1]; k++ {
			j := p.idx[k]
			if h.Symmetry != "general" && int(j) > i {
				break
			}
			line := strconv.AppendInt(w.AvailableBuffer(), int64(i+1), 10)
			line = strconv.AppendInt(append(line, ' '), int64(j+1), 10)
			if h.Field != "pattern" {
				line = appendValue(append(line, ' '), a.values[k], h)
			}
			w.Write(append(line, '\n'))
		}
	}
}

func writeArray(w *bufio.Writer, a *Matrix, h MarketHeader) {
	rows, cols := a.Dims()
	fmt.Fprintf(w, "%d %d\n", rows, cols)
	for j := range cols {
		for i := h.arrayStart(j); i < rows; i++ {
			w.Write(append(appendValue(w.AvailableBuffer(), a.At(i, j), h), '\n'))
		}
	}
}

// appendValue appends the shortest text that reads as v.
func appendValue(b []byte, v float64, h MarketHeader) []byte {
	if h.Field == "integer" {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
