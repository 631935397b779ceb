package nl

import (
	"bytes"
	"fmt"
	"io"
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
	b := new(bytes.Buffer)
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
	return b.WriteTo(w)
}

func (f *Suffix) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "suffix %d %d %d 0 0\n%s\n", realVariables, len(f.Index), len(f.Name)+1, f.Name)
	for k, i := range f.Index {
		fmt.Fprintln(b, i, decimal(f.Values[k]))
	}
}

// decimal is the shortest number that reads as v.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
