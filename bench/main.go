// Bench measures the library on the problems of package problems and on what its
// users do with it, and prints what it measured: as tables, or with -json as one
// object a line.
//
//	go run ./bench                                  all sections
//	go run ./bench strategies sparse                only these
//	go run ./bench -problems rosen,trig -n 1000,100000
//	go run ./bench -figures gradient,hvp -json
//	go run ./bench -quick
//
// The unit of all ratios is f, the function written by hand in Go on float64.
// It is timed in turns with what is compared to it, a time is the median of at
// least five turns of some milliseconds, a ratio the median of the ratios of
// neighboring turns.
//
// There is a file for each section, named after it.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/bench/problems"
)

// A section is a part of what is measured, with a file of its own.
type section struct {
	name    string
	about   string   // a line for -h
	figures []string // its own: no other section has them
	chosen  bool     // measures bench.chosen; if not, -problems and -n leave the section out unless it is named

	// run measures the figures that bench.wants, gives each row to bench.emit
	// and the tables to bench.print.
	run func(b *bench)
}

var sections = []section{
	{"strategies", "dense Hessians by the four strategies, n ≤ 400", []string{"dense-hessian"}, true, strategies},
	{"tapes", "what it takes to make and to evaluate a tape", tapeFigures, true, tapes},
	{"sparse", "sparse Hessians and Jacobians by terms and by colorings", sparseFigures, true, sparseMatrices},
	{"implicit", "derivatives through equations and fixed points", implicitFigures, true, implicitDerivatives},
}

// A row is a line of -json. What has no meaning for a figure is absent.
type row struct {
	Problem string  `json:"problem"`
	N       int     `json:"n"` // number of variables
	Figure  string  `json:"figure"`
	Method  string  `json:"method,omitempty"`
	Seconds float64 `json:"seconds"`
	Ratio   float64 `json:"ratio"` // to f
	Colors  int     `json:"colors,omitempty"`
	NNZ     int     `json:"nnz,omitempty"`
	Ops     int     `json:"ops,omitempty"`    // of the tape that is made or evaluated
	Bytes   int     `json:"bytes,omitempty"`  // of that tape
	Allocs  *uint64 `json:"allocs,omitempty"` // of an evaluation
}

// A bench is one run of the command.
type bench struct {
	clock
	sections []section // those wanted
	chosen   []choice
	figures  []string // those wanted
	json     bool
	verbose  bool

	out     *bufio.Writer
	rows    int // emitted
	log     io.Writer
	running string // the section
	status  bool   // log is a terminal: progress is one line that comes and goes
}

// A choice is a problem at a size.
type choice struct {
	problems.Problem
	size int
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the command. It returns the exit code: 2 for arguments that make no
// sense.
func run(args []string, stdout, stderr io.Writer) int {
	b, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 2
	}
	b.out, b.log = bufio.NewWriter(stdout), stderr
	b.status = isTerminal(stderr) && !b.verbose
	if !b.json {
		fmt.Fprintf(b.out, "%s, %s, %d CPUs\n", runtime.Version(), runtime.GOARCH, runtime.NumCPU())
	}
	for _, s := range b.sections {
		b.running = s.name
		s.run(b)
	}
	if b.rows == 0 {
		fmt.Fprintln(stderr, "bench: none of these problems at these sizes has any of these figures")
		return 2
	}
	if err := b.flush(); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// parse makes a bench of the command line.
func parse(args []string, stderr io.Writer) (*bench, error) {
	var names, known []string
	for _, p := range problems.All {
		names = append(names, p.Name)
	}
	for _, s := range sections {
		known = append(known, s.figures...)
	}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the error is returned
	asJSON := fs.Bool("json", false, "print one JSON object a line")
	short := fs.Bool("quick", false, "the smallest sizes and the least time: a few seconds")
	verbose := fs.Bool("v", false, "say on standard error what is measured, line by line; a terminal shows it anyway")
	wanted := fs.String("problems", "", "only these problems, separated by commas: "+strings.Join(names, ", "))
	ns := fs.String("n", "", "at these sizes, separated by commas; a problem that is not named by -problems\n"+
		"has the sizes 1000, 10000, 100000, helmholtz 20, 100, 400, rnn (width) 8, 16, 32")
	figures := fs.String("figures", "", "only these figures, separated by commas: "+strings.Join(known, ", "))
	var named []string
	for { // arguments may stand before flags
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				usage(stderr, fs)
			}
			return nil, err
		}
		if fs.NArg() == 0 {
			break
		}
		named = append(named, fs.Arg(0))
		args = fs.Args()[1:]
	}

	b := &bench{clock: thorough, json: *asJSON, verbose: *verbose, figures: known}
	if *short {
		b.clock = quick
	}
	var err error
	if *figures != "" {
		if b.figures, err = subset("figure", *figures, known); err != nil {
			return nil, err
		}
	}
	if *wanted != "" {
		if names, err = subset("problem", *wanted, names); err != nil {
			return nil, err
		}
	}
	if b.sections, err = b.choose(named, *wanted == "" && *ns == ""); err != nil {
		return nil, err
	}
	var sizes []int
	if *ns != "" {
		for s := range strings.SplitSeq(*ns, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(s))
			if err != nil || n < 1 {
				return nil, fmt.Errorf("-n: %q is no size", s)
			}
			sizes = append(sizes, n)
		}
	}
	for _, p := range problems.All {
		if !slices.Contains(names, p.Name) {
			continue
		}
		for _, n := range sizes {
			largest := 10 * slices.Max(p.Sizes)
			switch {
			case *wanted == "" && !slices.Contains(p.Sizes, n):
			case n < p.Min || n > largest:
				return nil, fmt.Errorf("-n: %s has the sizes %d to %d, not %d", p.Name, p.Min, largest, n)
			default:
				b.chosen = append(b.chosen, choice{p, n})
			}
		}
		if sizes == nil {
			for _, n := range defaultSizes(p, *short) {
				b.chosen = append(b.chosen, choice{p, n})
			}
		}
	}
	if len(b.chosen) == 0 {
		return nil, fmt.Errorf("-n: no problem has the size %s among its own; name one by -problems", *ns)
	}
	return b, nil
}

// choose is the sections that are named, all if none are, as far as they have a
// figure that is wanted; everywhere is whether no problems or sizes are.
func (b *bench) choose(named []string, everywhere bool) (wanted []section, err error) {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
		asked := slices.Contains(named, s.name) || len(named) == 0 && (s.chosen || everywhere)
		if asked && slices.ContainsFunc(s.figures, b.wants) {
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
	fmt.Fprint(w, "Usage: go run ./bench [flags] [section ...]\n\n"+
		"measures the library and prints tables. Without a section it runs all of them:\n\n")
	t := table{text: 2}
	for _, s := range sections {
		t.add("  "+s.name, s.about)
	}
	t.print(w)
	fmt.Fprint(w, "\nFlags:\n\n")
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

// wants reports whether a figure is wanted.
func (b *bench) wants(figure string) bool { return slices.Contains(b.figures, figure) }

// emit takes rows that were measured.
func (b *bench) emit(rows ...row) {
	b.rows += len(rows)
	if !b.json {
		return
	}
	enc := json.NewEncoder(b.out)
	for _, r := range rows {
		must(0, enc.Encode(r)) // fails for NaN alone
	}
	_ = b.flush() // a failure stays in out
}

// print prints a table below its caption, unless -json has the rows instead.
func (b *bench) print(caption string, t *table) {
	if b.json || len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(b.out, "\n%s\n", caption)
	t.print(b.out)
	_ = b.flush()
}

func (b *bench) flush() error {
	if b.status {
		fmt.Fprint(b.log, "\r\x1b[K")
	}
	return b.out.Flush()
}

// progress says what is measured next.
func (b *bench) progress(format string, args ...any) {
	line := b.running + ": " + fmt.Sprintf(format, args...)
	switch {
	case b.status:
		fmt.Fprintf(b.log, "\r\x1b[K%s …", line)
	case b.verbose:
		fmt.Fprintln(b.log, line)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// must is v of a call that cannot fail: no problem here has a branch or a
// primitive.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
