package nl

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/hessian/newton"
)

// The lines are those of Gay 2005, section 5.
func TestSolutionFile(t *testing.T) {
	s := &Solution{
		Message: "solver: optimal\n\nthree lines", Options: []int{1, 1, 0},
		X: []float64{1, 0.1}, Y: []float64{-3e-20}, N: 2, M: 1,
		Status: true, Objective: 0, Code: 100,
		Suffixes: []Suffix{{"ipopt_zL_out", []int{1}, []float64{0.5}}},
	}
	const want = "solver: optimal\n \nthree lines\n\nOptions\n3\n1\n1\n0\n1\n1\n2\n2\n-3e-20\n1\n0.1\nobjno 0 100\nsuffix 4 1 13 0 0\nipopt_zL_out\n1 0.5\n"
	var b bytes.Buffer
	n, err := s.WriteTo(&b)
	require.NoError(t, err)
	require.EqualValues(t, len(want), n)
	require.Equal(t, want, b.String())

	s.Status, s.Options, s.Tolerance = false, []int{0, 3, 0}, 1e-6
	b.Reset()
	_, err = s.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, "solver: optimal\n \nthree lines\n\nOptions\n5\n0\n3\n0\n1\n1\n2\n2\n1e-06\n-3e-20\n1\n0.1\n", b.String())
}

// A solution that is written is read as it was.
func TestSolutionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := func(n int, name string) []float64 {
			if n == 0 || rapid.Bool().Draw(t, "no "+name) {
				return nil
			}
			return rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, name)
		}
		s := &Solution{
			Message: rapid.StringMatching(`[a-z][ a-z]*[a-z](\n\n?[a-z]+)?`).Draw(t, "message"),
			Options: rapid.SliceOfN(rapid.IntRange(-5, 5), 3, 7).Draw(t, "options"),
			N:       rapid.IntRange(0, 5).Draw(t, "n"), M: rapid.IntRange(0, 5).Draw(t, "m"),
			Objective: rapid.IntRange(-1, 2).Draw(t, "objective"),
			Status:    rapid.Bool().Draw(t, "status"),
		}
		s.X, s.Y = numbers(s.N, "x"), numbers(s.M, "y")
		if s.Options[1] == 3 {
			s.Tolerance = rapid.Float64().Draw(t, "tolerance")
		}
		if s.Status {
			s.Code = rapid.IntRange(0, 599).Draw(t, "code")
			for range rapid.IntRange(0, 2).Draw(t, "suffixes") {
				f := Suffix{Name: rapid.StringMatching(`[a-z_]+`).Draw(t, "name")}
				for i := range s.N {
					if rapid.Bool().Draw(t, "has") {
						f.Index, f.Values = append(f.Index, i), append(f.Values, rapid.Float64().Draw(t, "value"))
					}
				}
				s.Suffixes = append(s.Suffixes, f)
			}
		}
		var b bytes.Buffer
		_, err := s.WriteTo(&b)
		require.NoError(t, err)
		text := b.String()
		got, err := readSolution(text)
		require.NoError(t, err, text)
		require.Equal(t, s, got, text)
	})
}

// In AMPL multipliers are the derivatives of the objective by the bounds: those of
// min x² s.t. x ≥ 3 and of max −x² s.t. x ≥ 3 are 6 and −6, whether a constraint or
// a bound says x ≥ 3.
func TestSigns(t *testing.T) {
	const head = "g3 1 1 0\n 1 1 1\n\n\n\n 0 0 0 1\n\n\n\n\nJ0 1\n0 1\n"
	for _, c := range []struct {
		text             string
		code             int
		f, y, low, upper float64
	}{
		{"O0 0\no77\nv0\nb\n3\nr\n2 3\n", 0, 9, 6, 0, 0},
		{"O0 1\no16\no77\nv0\nb\n3\nr\n2 3\n", 0, -9, -6, 0, 0},
		{"O0 0\no77\nv0\nb\n2 3\nr\n3\n", 0, 9, 0, 6, 0},
		{"O0 1\no16\no77\nv0\nb\n2 3\nr\n3\n", 0, -9, 0, -6, 0},
		{"O0 0\no77\nv0\nb\n1 -3\nr\n3\n", 0, 9, 0, 0, -6},
		{"O0 0\no77\nv0\nb\n0 -1e20 -3\nr\n0 -1e20 1e20\n", 0, 9, 0, 0, -6},
		{"O0 0\no77\nv0\nb\n1 -3\nr\n2 3\n", 200, 0, 0, 0, 0},
		{"O0 0\nv0\nb\n3\nr\n3\n", 300, 0, 0, 0, 0},
	} {
		p := parse(t, head+c.text)
		tape, err := p.Tape(0)
		require.NoError(t, err)
		r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Minimization(tape), p.X0)
		s := p.Solution(r, err, 0)
		require.Equal(t, c.code, s.Code, s.Message)
		if c.code > 0 {
			continue
		}
		require.InDelta(t, c.f, values(p, 0, s.X...)[0]*map[bool]float64{false: 1, true: -1}[p.Maximize[0]], 1e-6)
		require.InDelta(t, c.y, s.Y[0], 1e-6)
		bound := func(f Suffix) float64 {
			if len(f.Values) == 0 {
				return 0
			}
			return f.Values[0]
		}
		require.InDelta(t, c.low, bound(s.Suffixes[0]), 1e-6)
		require.InDelta(t, c.upper, bound(s.Suffixes[1]), 1e-6)
	}
}

// min (x − 0.4)² with x integer: what is found is 0.4, which is no solution, and the
// code says so.
func TestRelaxation(t *testing.T) {
	p := parse(t, "g3 1 1 0\n 1 0 1\n\n\n 0 1 0\n 0 0 0 1\n 0 0 0 0 1\n\n\n\nO0 0\no77\no1\nv0\nn0.4\nb\n3\n")
	tape, err := p.Tape(0)
	require.NoError(t, err)
	r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Minimization(tape), p.X0)
	require.NoError(t, err)
	s := p.Solution(r, err, 0)
	require.Equal(t, 102, s.Code)
	require.Contains(t, s.Message, "1 integer variables are not integers")
	require.InDelta(t, 0.4, s.X[0], 1e-6)

	text, err := os.ReadFile("testdata/hs71.nl")
	require.NoError(t, err)
	p = parse(t, string(text))
	y := values(p, None, p.X0...)
	require.Equal(t, []float64{0, 25, 52}, y)
	require.False(t, math.Signbit(y[0]))
}

func TestMessagesSayTheStatusOnce(t *testing.T) {
	p := parse(t, scalar("", "v0", 0))
	for want, err := range map[string]error{
		"hesse: locally infeasible, for a reason":    &newton.StoppedError{Status: newton.Infeasible, Reason: "for a reason"},
		"hesse: locally infeasible (unexpected EOF)": &newton.StoppedError{Status: newton.Infeasible, Err: io.ErrUnexpectedEOF},
	} {
		s := p.Solution(&newton.Result{X: []float64{1, 1}, Status: newton.Infeasible}, err, 0)
		first, _, _ := strings.Cut(s.Message, "\n")
		require.Equal(t, want, first)
	}
}

// readSolution reads a .sol file with options, and its suffixes of variables.
func readSolution(text string) (z *Solution, err error) {
	defer recovered(&err)
	s := &solution{scanner: scanner{data: []byte(text), line: 1}, Solution: new(Solution)}
	s.message()
	s.options()
	s.Y = s.values(s.Y)
	s.X = s.values(s.X)
	s.status()
	return s.Solution, nil
}

type solution struct {
	scanner
	*Solution
}

// text is the rest of the line.
func (s *solution) text() string {
	begin := s.at
	s.endLine()
	return strings.TrimRight(string(s.data[begin:s.at]), "\r\n")
}

// message is all lines up to an empty one, or that of the options.
func (s *solution) message() {
	var b strings.Builder
	for {
		if s.left() == 0 {
			s.fail("the file ends without options")
		}
		line := s.text()
		if line == "" {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(line, " "))
	}
	s.Message = b.String()
}

// number is the one of a line.
func (s *solution) number(what string) int {
	v := s.size(what)
	s.endLine()
	return v
}

func (s *solution) options() {
	for s.left() > 0 && (s.data[s.at] == '\n' || s.data[s.at] == '\r') {
		s.endLine()
	}
	if s.text() != "Options" {
		s.fail("the line of options is missing")
	}
	k := s.number("the number of options")
	const least, most = 3, 9
	if k < least || k > most {
		s.fail("%d options, not %d to %d", k, least, most)
	}
	for i := 0; i < k; i++ {
		s.Options = append(s.Options, s.int("an option"))
		s.endLine()
		if i == 1 && s.Options[1] == 3 {
			k -= 2
		}
	}
	length := func(all int, what string) []float64 {
		n := s.count(what)
		s.endLine()
		if n > all {
			s.fail("%s is %d, more than %d", what, n, all)
		}
		return make([]float64, n)
	}
	s.M = s.number("the number of constraints")
	s.Y = length(s.M, "the number of multipliers")
	s.N = s.number("the number of variables")
	s.X = length(s.N, "the number of values")
	if s.Options[1] == 3 {
		s.Tolerance = s.float("the tolerance of the options")
		s.endLine()
	}
}

// values fills x, nil if it is empty.
func (s *solution) values(x []float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	for i := range x {
		x[i] = s.float("a value")
		s.endLine()
	}
	return x
}

// status is what follows the values: objno and suffixes.
func (s *solution) status() {
	if s.left() == 0 {
		return
	}
	if word := s.token(); string(word) != "objno" {
		s.fail("%.20q instead of objno", word)
	}
	s.Objective = s.int("the objective")
	if s.skipSpace(); s.left() > 0 && s.data[s.at] != '\n' {
		s.Status, s.Code = true, s.int("the code of the solution")
	}
	s.endLine()
	for s.left() > 0 {
		s.suffix()
	}
}

func (s *solution) suffix() {
	if word := s.token(); string(word) != "suffix" {
		s.fail("%.20q instead of suffix", word)
	}
	kind, n := s.size("the kind of a suffix"), s.count("the number of values of a suffix")
	s.size("the length of a name")
	s.size("the length of a table")
	lines := s.size("the lines of a table")
	s.endLine()
	f := Suffix{Name: s.text()}
	for ; lines > 0; lines-- {
		if s.left() == 0 {
			s.fail("the file ends in a table")
		}
		s.endLine()
	}
	for range n {
		f.Index = append(f.Index, s.size("an index of a suffix"))
		f.Values = append(f.Values, s.float("a value of a suffix"))
		s.endLine()
	}
	const kinds = 3
	if kind&kinds == 0 {
		if len(f.Index) > 0 && slices.Max(f.Index) >= s.N {
			s.fail("a suffix of variable %d of %d", slices.Max(f.Index), s.N)
		}
		s.Suffixes = append(s.Suffixes, f)
	}
}
