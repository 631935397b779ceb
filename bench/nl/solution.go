package nl

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Solution is what a .sol file says (Gay, Hooking your solver to AMPL, Bell
// Laboratories 1997, and Gay 2005).
type Solution struct {
	Message string

	// Options and Tolerance are those of the problem.
	Options   []int
	Tolerance float64

	// X are the variables and Y the multipliers of the constraints: the derivatives
	// of the objective by the constraints' bounds, also where it is maximized.
	// Either is nil if there is none. N and M are how many the problem has.
	X, Y []float64
	N, M int

	// Objective is which one was taken and Code what came out, of 0 to 99 solved,
	// 100 solved with a doubt, 200 infeasible, 300 unbounded, 400 stopped at a
	// limit, 500 failed. They and the suffixes are written only with Status.
	Objective, Code int
	Status          bool
	Suffixes        []Suffix
}

// A Suffix is a further number for some variables: Values[k] for variable Index[k].
type Suffix struct {
	Name   string
	Index  []int
	Values []float64
}

// NewSolution is one without numbers for p, as what to write where there are none.
func (p *Problem) NewSolution(message string, code int) *Solution {
	return &Solution{
		Message: message, Code: code, Status: p.Status, Options: p.Options, Tolerance: p.Tolerance,
		N: len(p.X0), M: len(p.Y0),
	}
}

// realVariables is the kind of a suffix of numbers that are no integers, of variables.
const realVariables = 4

// WriteTo writes s as text, which readers take for binary problems, too. It returns
// the number of bytes and the error of w.
func (s *Solution) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	b := bufio.NewWriter(c)
	for line := range strings.SplitSeq(strings.TrimRight(s.Message, "\n"), "\n") {
		if line == "" {
			line = " " // an empty one ends the message
		}
		fmt.Fprintln(b, line)
	}
	fmt.Fprintln(b)
	tolerance := len(s.Options) > 1 && s.Options[1] == 3
	if k := len(s.Options); k > 0 {
		if tolerance {
			k += 2
		}
		fmt.Fprintf(b, "Options\n%d\n", k)
		for _, v := range s.Options {
			fmt.Fprintln(b, v)
		}
		fmt.Fprintf(b, "%d\n%d\n%d\n%d\n", s.M, len(s.Y), s.N, len(s.X))
		if tolerance {
			fmt.Fprintln(b, decimal(s.Tolerance))
		}
	}
	for _, v := range s.Y {
		fmt.Fprintln(b, decimal(v))
	}
	for _, v := range s.X {
		fmt.Fprintln(b, decimal(v))
	}
	switch {
	case s.Status:
		fmt.Fprintf(b, "objno %d %d\n", s.Objective, s.Code)
		for _, f := range s.Suffixes {
			f.write(b)
		}
	case s.Objective != 0:
		fmt.Fprintf(b, "objno %d\n", s.Objective)
	}
	err := b.Flush()
	return c.n, err
}

func (f *Suffix) write(b *bufio.Writer) {
	fmt.Fprintf(b, "suffix %d %d %d 0 0\n%s\n", realVariables, len(f.Index), len(f.Name)+1, f.Name)
	for k, i := range f.Index {
		fmt.Fprintln(b, i, decimal(f.Values[k]))
	}
}

// decimal is the shortest number that reads as v.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// ReadSolution reads a .sol file, text, with options, as those for AMPL, Pyomo and
// JuMP have them. Suffixes are those of variables; others are left out. The error is
// a *SyntaxError or that of r. Memory and time are linear in the length of the file.
func ReadSolution(r io.Reader) (z *Solution, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	defer recovered(&err)
	s := &solution{scanner: scanner{data: data, line: 1}, Solution: new(Solution)}
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
