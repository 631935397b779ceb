// Bench measures the library on the problems of package problems and prints
// what it measured: as tables, or with -json as one object a line.
//
//	go run ./bench
//	go run ./bench -problems rosen,trig -n 1000,100000
//	go run ./bench -figures gradient,hvp -json
//	go run ./bench -quick
//
// The unit of all ratios is f, the function written by hand in Go on float64.
// It is timed in turns with what is compared to it, a time is the median of at
// least five turns of some milliseconds, a ratio the median of the ratios of
// neighboring turns.
//
// There is a file for each table, with the figures that it shows:
//
//	strategies.go  dense-hessian, of scalar problems with n ≤ 400, by the methods
//	               FoF, FoR, RoF, RoR and hyper, which is FoF without a tape
//	tapes.go       f, record, compile, value, gradient, jvp, hvp; hvp-batch, which
//	               is one of four products in a sweep
//	sparse.go      pattern, coloring, sparse-hessian, sparse-jacobian
//	implicit.go    implicit, of bratu, by the methods dense, sparse and gmres
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
	"time"

	"github.com/hesse-ad/hesse/bench/problems"
)

// A section measures its figures on the problems chosen, as far as they have
// them, gives each row to bench.emit and, unless bench.json, prints a table.
type section struct {
	figures []string
	run     func(b *bench)
}

var sections = []section{
	{[]string{"dense-hessian"}, strategies},
	{tapeFigures, tapes},
	{sparseFigures, sparseMatrices},
	{implicitFigures, implicitDerivatives},
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
	chosen  []choice
	figures []string // those wanted
	json    bool

	out     *bufio.Writer
	rows    int // emitted
	log     io.Writer
	started time.Time
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
	b.out, b.log, b.started = bufio.NewWriter(stdout), stderr, time.Now()
	if !b.json {
		fmt.Fprintf(b.out, "%s, %s, %d CPUs\n", runtime.Version(), runtime.GOARCH, runtime.NumCPU())
	}
	for _, s := range sections {
		if slices.ContainsFunc(s.figures, b.wants) {
			s.run(b)
		}
	}
	if b.rows == 0 {
		fmt.Fprintln(stderr, "bench: none of these problems at these sizes has any of these figures")
		return 2
	}
	if err := b.out.Flush(); err != nil {
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
	wanted := fs.String("problems", "", "only these problems, separated by commas: "+strings.Join(names, ", "))
	ns := fs.String("n", "", "at these sizes, separated by commas; a problem that is not named by -problems\n"+
		"has the sizes 1000, 10000, 100000, helmholtz 20, 100, 400, rnn (width) 8, 16, 32")
	figures := fs.String("figures", "", "only these figures, separated by commas: "+strings.Join(known, ", "))
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "Usage: go run ./bench [flags]")
			fs.SetOutput(stderr)
			fs.PrintDefaults()
		}
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("there are no arguments, only flags: %q", fs.Arg(0))
	}

	b := &bench{clock: thorough, json: *asJSON, figures: known}
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
	b.out.Flush() // a failure stays in out
}

// progress says what is measured next, once the run takes long.
func (b *bench) progress(what string, in *problems.Instance) {
	if time.Since(b.started) > 2*time.Second {
		fmt.Fprintf(b.log, "bench: %s, %s, n = %d\n", what, in.Name, len(in.X0))
	}
}

// must is v of a call that cannot fail: no problem here has a branch or a
// primitive.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
