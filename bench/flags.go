package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/bench/problems"
)

// Settings are what the command line says.
type settings struct {
	sections []section // those wanted
	chosen   []choice
	figures  []string // those wanted
	json     bool
	quick    bool
	full     bool
	verbose  bool
	file     string // of -mtx
	nl       string // of -nl
	dir      string // of -plots
}

// A choice is a problem at a size.
type choice struct {
	problems.Problem
	size int
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (s settings, err error) {
	var names, known []string
	for _, p := range problems.All {
		names = append(names, p.Name)
	}
	for _, x := range sections {
		known = append(known, x.figures...)
	}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the error is returned
	fs.BoolVar(&s.json, "json", false, "print one JSON object a line instead of tables")
	fs.BoolVar(&s.quick, "quick", false, "the smallest sizes and the least time: a few seconds")
	fs.BoolVar(&s.full, "full", false, "newton solves its problems at all sizes, up to 10⁵ variables, laplace has a grid of 10⁵ effects, loops all of their steps: minutes")
	fs.BoolVar(&s.verbose, "v", false, "print to standard error what is measured; a terminal shows it in any case")
	fs.StringVar(&s.file, "mtx", "", "only color the matrix in this Matrix Market `file`, by every kind and order")
	fs.StringVar(&s.nl, "nl", "", "only the problem in this .nl `file`: its derivatives by every method, and its solution")
	fs.StringVar(&s.dir, "plots", "", "write plots, as SVG and PNG, to this `directory`; sections that have some:\n"+
		strings.Join(slices.Sorted(maps.Keys(plotted)), ", "))
	wanted := fs.String("problems", "", "only the problems in this `list`, separated by commas, of\n"+
		strings.Join(names, ", "))
	sizes := fs.String("n", "", "the sizes in this `list`; a problem that is not named by -problems has the sizes\n"+
		"1000, 10000, 100000, helmholtz 20, 100, 400, rnn (width) 8, 16, 32")
	figures := fs.String("figures", "", "only the figures in this `list`")
	var named []string
	for { // sections may stand before flags
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				usage(stderr, fs)
			}
			return s, err
		}
		if fs.NArg() == 0 {
			break
		}
		named = append(named, fs.Arg(0))
		args = fs.Args()[1:]
	}

	narrowed := *wanted != "" || *sizes != ""
	selects := len(named) > 0 || narrowed || *figures != ""
	switch {
	case s.full && s.quick:
		return s, errors.New("-full goes without -quick")
	case s.nl != "" && (selects || s.file != "" || s.json || s.dir != ""):
		return s, errors.New("-nl goes without sections, -problems, -n, -figures, -mtx, -json and -plots")
	case s.file != "" && selects:
		return s, errors.New("-mtx goes without sections, -problems, -n and -figures")
	case s.file != "":
		named = []string{"coloring"}
	}
	s.figures = known
	if *figures != "" {
		if s.figures, err = subset("figure", *figures, known); err != nil {
			return s, err
		}
	}
	if s.sections, err = chooseSections(named, s.figures, narrowed); err != nil {
		return s, err
	}
	if *wanted != "" {
		if names, err = subset("problem", *wanted, names); err != nil {
			return s, err
		}
	}
	s.chosen, err = s.chooseProblems(names, *sizes, *wanted != "")
	return s, err
}

// chooseProblems is the problems of these names at the sizes in a list, at those of
// their own if that is empty; named says that -problems has the names: then sizes
// between their own will do, and one that a problem cannot have is an error.
func (s *settings) chooseProblems(names []string, list string, named bool) (chosen []choice, err error) {
	var sizes []int
	if list != "" {
		for x := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(x))
			if err != nil || n < 1 {
				return nil, fmt.Errorf("-n: %q is no size", x)
			}
			sizes = append(sizes, n)
		}
	}
	for _, p := range problems.All {
		if !slices.Contains(names, p.Name) {
			continue
		}
		own := sizes
		if list == "" {
			own = defaultSizes(p, s.quick)
		}
		for _, n := range own {
			largest := 10 * slices.Max(p.Sizes)
			switch {
			case !named && !slices.Contains(p.Sizes, n):
			case n < p.Min || n > largest:
				return nil, fmt.Errorf("-n: %s has the sizes %d to %d, not %d", p.Name, p.Min, largest, n)
			default:
				chosen = append(chosen, choice{p, n})
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-n: no problem has the size %s among its own; name one by -problems", list)
	}
	return chosen, nil
}

// chooseSections is the sections that are named, all if none are, as far as they have
// one of the figures; narrowed says that problems or sizes are.
func chooseSections(named, figures []string, narrowed bool) (wanted []section, err error) {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
		asked := slices.Contains(named, s.name) || len(named) == 0 && (s.chosen || !narrowed)
		has := func(figure string) bool { return slices.Contains(figures, figure) }
		if asked && slices.ContainsFunc(s.figures, has) {
			wanted = append(wanted, s)
		}
	}
	for _, name := range named {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("unknown section %q, known are %s", name, strings.Join(names, ", "))
		}
	}
	return wanted, nil
}

// usage is what -h prints.
func usage(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprint(w, `Usage: go run ./bench [flags] [section ...]

Measures the library and prints tables, in about half a minute. The unit of
ratios is f, the function written by hand in Go, timed in turns with what is
compared to it.

Sections, all of them if none is named, with the names of their figures:

`)
	for _, s := range sections {
		mark := " "
		if s.chosen {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %-10s  %s\n  %10s  (%s)\n", mark, s.name, s.about, "", strings.Join(s.figures, ", "))
	}
	fmt.Fprint(w, `
* measures the problems that -problems and -n choose; with one of these flags the
other sections run only if they are named.

Flags:

`)
	fs.SetOutput(w)
	fs.PrintDefaults()
}

// defaultSizes are the sizes of p that are measured where -n says nothing. The
// dense Hessian of rnn by FoF takes a minute at the second size.
func defaultSizes(p problems.Problem, short bool) []int {
	switch {
	case short || p.Name == "rnn":
		return p.Sizes[:1]
	case p.Name == "helmholtz":
		return p.Sizes[:2]
	default:
		return p.Sizes[1:2]
	}
}

// subset is the elements of a list separated by commas, all of which must be
// known.
func subset(what, list string, known []string) ([]string, error) {
	var s []string
	for x := range strings.SplitSeq(list, ",") {
		x = strings.TrimSpace(x)
		if !slices.Contains(known, x) {
			return nil, fmt.Errorf("-%ss: unknown %s %q, known are %s", what, what, x, strings.Join(known, ", "))
		}
		s = append(s, x)
	}
	return s, nil
}
