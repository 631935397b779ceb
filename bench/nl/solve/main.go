// Solve is a solver for problems in AMPL's .nl files, to be called by AMPL, Pyomo,
// JuMP and CasADi, or by hand.
//
//	go build -o hesse ./bench/nl/solve
//	hesse FILE.nl -AMPL              writes FILE.sol
//	hesse FILE.nl tol=1e-6 outlev=1  prints the solution, and its way there
//	hesse -oFILE.sol FILE.nl         writes that file
//
// Options are given as key=value, or in the environment variable hesse_options, or
// that with the name of the program instead of hesse:
//
//	tol=1e-8       tolerance of newton.InteriorPoint
//	max_iter=3000  largest number of iterations
//	max_time=60    largest time in seconds
//	objno=1        which objective, from 1; 0 means none
//	outlev=1       a line an iteration
//
// In Python, with Pyomo:
//
//	SolverFactory("./hesse").solve(model)
//
// Pyomo takes a name that it does not know, of a program that is there, for that of an AMPL
// solver: it asks for the version, and calls the program as AMPL does. Options are those of
// solve(model, options={"tol": 1e-6}).
//
// The method is for continuous variables: integer ones are relaxed, and the status
// says so where they are no integers at the solution.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hesse-ad/hesse/bench/nl"
	"github.com/hesse-ad/hesse/hessian/newton"
)

const version = "hesse 1.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args, os.Getenv, os.Stdout, os.Stderr))
}

// settings are what the arguments and the environment say.
type settings struct {
	file     string
	solution string // where it goes, "" if it is to be printed
	ip       newton.InteriorPoint
	time     time.Duration // 0: no limit
	objno    int
	log      bool
}

// run is the command; it returns the exit code. Where the solution goes to a file,
// what is wrong does so too, as a solution that says it.
func run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	if len(args) == 2 && (args[1] == "-v" || args[1] == "--version") {
		fmt.Fprintln(stdout, version)
		return 0
	}
	s, err := parse(args, env)
	if s.file == "" {
		fmt.Fprintln(stderr, "usage: solve FILE.nl [-AMPL | -oFILE.sol] [key=value ...], -v for the version\n"+
			"keys: tol, max_iter, max_time, objno, outlev; see go doc ./bench/nl/solve")
	}
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if s.file == "" {
		fmt.Fprintln(stderr, "solve:", err)
		return 2
	}
	z, err := solve(ctx, s, err, stdout)
	if err != nil {
		z.Message, z.Code = "hesse: "+err.Error(), 500
		fmt.Fprintln(stderr, "solve:", err)
	}
	if s.solution == "" {
		if err != nil {
			return 1
		}
		print(stdout, z)
		return 0
	}
	if err := write(s.solution, z); err != nil {
		fmt.Fprintln(stderr, "solve:", err)
		return 1
	}
	fmt.Fprintln(stdout, z.Message)
	return 0
}

// parse reads the arguments after the program's name, and before them the options of
// the environment.
func parse(args []string, env func(string) string) (s settings, err error) {
	s.objno = 1
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	options := strings.Fields(env("hesse_options"))
	if name != "hesse" {
		options = append(options, strings.Fields(env(name+"_options"))...)
	}
	ampl := false
	for _, a := range args[1:] {
		switch {
		case a == "-h" || a == "--help":
			return settings{}, flag.ErrHelp
		case a == "-AMPL" || a == "-s":
			ampl = true
		case strings.HasPrefix(a, "-o"):
			s.solution = a[2:]
		case strings.HasPrefix(a, "-"):
			return settings{}, fmt.Errorf("unknown flag %s", a)
		case s.file == "":
			s.file = a
		default:
			options = append(options, a)
		}
	}
	if s.file == "" {
		return s, errors.New("no file")
	}
	stub := strings.TrimSuffix(s.file, ".nl")
	if _, err := os.Stat(s.file); err != nil {
		s.file = stub + ".nl"
	}
	if ampl && s.solution == "" {
		s.solution = stub + ".sol"
	}
	for _, o := range options {
		if err := s.set(o); err != nil {
			return s, err
		}
	}
	return s, nil
}

// set is an option, key=value.
func (s *settings) set(option string) (err error) {
	key, value, _ := strings.Cut(option, "=")
	number := func() (v float64) {
		v, err = strconv.ParseFloat(value, 64)
		if err == nil && !(v >= 0 && v < 1e9) {
			err = errors.New("out of range")
		}
		return v
	}
	switch key {
	case "tol":
		s.ip.Tolerance = number()
	case "max_iter":
		s.ip.MaxIterations = int(number())
	case "max_time":
		s.time = time.Duration(number() * float64(time.Second))
	case "objno":
		s.objno = int(number())
	case "outlev":
		s.log = number() > 0
	default:
		return fmt.Errorf("unknown option %s, known are tol, max_iter, max_time, objno, outlev", key)
	}
	if err != nil {
		return fmt.Errorf("option %s: %w", option, err)
	}
	return nil
}

// solve is the solution of a file, or one without numbers and what is wrong, be it
// with the options.
func solve(ctx context.Context, s settings, options error, stdout io.Writer) (*nl.Solution, error) {
	p, err := nl.ReadFile(s.file)
	if err != nil {
		return &nl.Solution{Options: []int{1, 1, 0}, Status: true}, err
	}
	none := p.NewSolution("", 0)
	if options != nil {
		return none, options
	}
	objective := s.objno - 1 // nl.None for 0
	if k := len(p.Maximize); objective > 0 && objective >= k {
		return none, fmt.Errorf("objno=%d of %d objectives", s.objno, k)
	}
	t, err := p.Tape(objective)
	if err != nil {
		return none, err
	}
	if s.time > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, s.time)
		defer stop()
	}
	if s.log {
		s.ip.Log = stdout
	}
	r, err := s.ip.Solve(ctx, p.Minimization(t), p.X0)
	return p.Solution(r, err, objective), nil
}

func write(name string, z *nl.Solution) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = z.WriteTo(f)
	return errors.Join(err, f.Close())
}

// print prints a solution for reading.
func print(w io.Writer, z *nl.Solution) {
	fmt.Fprintf(w, "%s\nsolve_result_num %d\n", z.Message, z.Code)
	for i, x := range z.X {
		fmt.Fprintf(w, "x[%d] = %.10g\n", i, x)
	}
	for i, y := range z.Y {
		fmt.Fprintf(w, "y[%d] = %.10g\n", i, y)
	}
}
