// Bench measures the library on the problems of package problems and on what its
// users do with it, and prints what it measured: as tables, or with -json as one
// object a line.
//
//	go run ./bench                                  all sections
//	go run ./bench strategies sparse                only these
//	go run ./bench -problems rosen,trig -n 1000,100000
//	go run ./bench -figures gradient,hvp -json
//	go run ./bench -plots plots strategies sparse   and draw them, as SVG and PNG
//	go run ./bench -mtx FILE                        colors a matrix by every kind and order
//	go run ./bench -nl FILE                         differentiates and solves a problem in an .nl file
//	go run ./bench -quick
//	go run ./bench newton -full -plots plots        solves at all sizes, up to 10⁵ variables
//
// The unit of all ratios is f, the function written by hand in Go on float64.
// It is timed in turns with what is compared to it, a time is the median of at
// least five turns of some milliseconds, a ratio the median of the ratios of
// neighboring turns.
//
// There is a file for each section, named after it; models of matrices are in loops.go.
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

	"gonum.org/v1/plot/plotter"
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
	{"taylor", "Taylor polynomials along a line: tapes, gradients, numbers, nested numbers, n ≤ 10⁴", taylorFigures, true, taylorPolynomials},
	{"sparse", "sparse Hessians and Jacobians by terms and by colorings", sparseFigures, true, sparseMatrices},
	{"coloring", "colorings by every kind and order, of grids, a band, an arrow, random matrices", coloringFigures, false, colorings},
	{"gonum", "beside gonum's diff/fd, num/dual, num/hyperdual: time, and error by step", gonumFigures, false, againstGonum},
	{"implicit", "derivatives through equations and fixed points", implicitFigures, true, implicitDerivatives},
	{"newton", "Newton's method: minima, constraints, models, fits, with the time in derivatives and in linear algebra", newtonFigures, false, solving},
	{"dense", "models whose work is in matrices, against gonum's BLAS and LAPACK by hand", denseFigures, false, denseModels},
	{"laplace", "marginal likelihoods by Laplace's approximation, beside TMB's, and how they grow", laplaceFigures, false, marginals},
	{"adjoint", "gradients that command adjoint writes of plain Go, beside a tape made for one", adjointFigures, false, adjoints},
	{"walls", "what depends on a size: gradients taken once, terms, numbers, tangents, tapes that are called", wallFigures, false, walls},
	{"loops", "models that carry a state: systems in time, filters, networks, controls", loopFigures, false, loops},
	{"models", "models of machine learning: gradients, products, Hessians, eigenvalues", modelFigures, false, learning},
}

// A row is a line of -json. What has no meaning for a figure is absent.
type row struct {
	Problem string   `json:"problem"`
	N       int      `json:"n"` // number of variables
	Figure  string   `json:"figure"`
	Method  string   `json:"method,omitempty"`
	Seconds float64  `json:"seconds,omitempty"`
	Ratio   float64  `json:"ratio,omitempty"` // to f
	Colors  int      `json:"colors,omitempty"`
	Bound   int      `json:"bound,omitempty"` // a lower bound of colors
	Order   string   `json:"order,omitempty"` // in which vertices were colored
	Step    float64  `json:"step,omitempty"`  // of differences
	Error   *float64 `json:"error,omitempty"` // relative
	NNZ     int      `json:"nnz,omitempty"`
	Ops     int      `json:"ops,omitempty"`    // of the tape that is made or evaluated
	Bytes   int      `json:"bytes,omitempty"`  // of that tape
	Allocs  *uint64  `json:"allocs,omitempty"` // of an evaluation

	// Of a run of a method, with the seconds in its derivatives and in linear
	// algebra.
	Iterations     int     `json:"iterations,omitempty"`
	Factorizations int     `json:"factorizations,omitempty"`
	Derivatives    float64 `json:"derivatives,omitempty"`
	LinearAlgebra  float64 `json:"linear-algebra,omitempty"`
}

// A bench is one run of the command.
type bench struct {
	settings
	clock
	mtx *namedPattern // of settings.file, or nil

	out     *bufio.Writer
	rows    int // emitted
	log     io.Writer
	running string      // the section
	solved  []solved    // runs of newton.InteriorPoint
	ratios  [][]float64 // of newton-profile, by settings and problem
	// Of laplace, by what is computed: seconds against the number of effects.
	marginalTimes map[string]plotter.XYs
	status        bool // log is a terminal: progress is one line that comes and goes
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the command. It returns the exit code: 2 for arguments that make no
// sense, 1 for files that cannot be read or written.
func run(args []string, stdout, stderr io.Writer) int {
	fail := func(code int, err error) int {
		fmt.Fprintln(stderr, "bench:", err)
		return code
	}
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return fail(2, err)
	}
	b := &bench{settings: s, clock: thorough, out: bufio.NewWriter(stdout), log: stderr}
	if b.quick {
		b.clock = quick
	}
	b.status = isTerminal(stderr) && !b.verbose
	if b.file != "" {
		if b.mtx, err = readPattern(b.file); err != nil {
			return fail(1, err)
		}
	}
	if b.dir != "" {
		if err := prepare(b.dir); err != nil {
			return fail(1, err)
		}
	}
	if !b.json {
		fmt.Fprintf(b.out, "%s, %s, %d CPUs\n", runtime.Version(), runtime.GOARCH, runtime.NumCPU())
	}
	if b.nl != "" {
		if err := b.fromFile(); err != nil {
			return fail(1, err)
		}
		return 0
	}
	for _, s := range b.sections {
		if err := b.runSection(s); err != nil {
			_ = b.flush()
			return fail(1, err)
		}
	}
	if b.rows == 0 {
		return fail(2, errors.New("none of these problems at these sizes has any of these figures"))
	}
	if err := b.flush(); err != nil {
		return fail(1, err)
	}
	return 0
}

// runSection measures a section, and draws its plots if they are wanted.
func (b *bench) runSection(s section) error {
	b.running = s.name
	s.run(b)
	draw := plotted[s.name]
	if b.dir == "" || draw == nil {
		return nil
	}
	b.progress("plots")
	for _, f := range draw(b) {
		if err := f.save(b.dir); err != nil {
			return err
		}
	}
	return nil
}

// wants reports whether a figure is wanted.
func (b *bench) wants(figure string) bool { return slices.Contains(b.figures, figure) }

// emit takes rows that were measured, of which those wanted count.
func (b *bench) emit(rows ...row) {
	enc := json.NewEncoder(b.out)
	for _, r := range rows {
		if !b.wants(r.Figure) {
			continue
		}
		b.rows++
		if b.json {
			must(0, enc.Encode(r)) // fails for NaN alone
		}
	}
	if b.json {
		_ = b.flush() // a failure stays in out
	}
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
