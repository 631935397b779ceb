package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/source"
)

func main() {
	collectLess()
	os.Exit(run(os.Args[1:], ".", os.Stderr))
}

// collectLess is for memory of which most, the syntax and types of packages, stays to the end.
func collectLess() { debug.SetGCPercent(400) }

// settings are the flags of the command.
type settings struct {
	functions []string
	output    string
	active    []string
	check     bool
	selects   bool
	types     []string
}

func run(args []string, dir string, stderr io.Writer) int {
	s, ok := parse(args, stderr)
	if !ok {
		return 2
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "lift:", err)
		return 1
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fail(err)
	}
	p, err := load(dir, s)
	if err != nil {
		return fail(err)
	}
	text, notes, faults, err := lift(p, s)
	if err != nil {
		return fail(err)
	}
	for _, n := range notes {
		fmt.Fprintln(stderr, n)
	}
	if len(faults) > 0 {
		for _, f := range faults {
			fmt.Fprintln(stderr, f)
		}
		return 1
	}
	name := s.output
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if s.check {
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, text) {
			return fail(fmt.Errorf("%s is out of date", s.output))
		}
		return 0
	}
	if err := source.Replace(name, text); err != nil {
		return fail(err)
	}
	return 0
}

// parse reads the command line; if it makes no sense, it says so and ok is false.
func parse(args []string, stderr io.Writer) (s settings, ok bool) {
	flags := flag.NewFlagSet("lift", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var active, types string
	flags.StringVar(&s.output, "o", "", "the `file` to write; the first function's name and _lifted.go by default")
	flags.StringVar(&active, "active", "", "what is differentiated: `parameters` or their fields, as in x,p.Mu; the first parameter by default")
	flags.BoolVar(&s.check, "check", false, "write nothing; fail if the file is not as it would be written")
	flags.BoolVar(&s.selects, "select", false, "write branches that choose a value as Abs, Max, Min and Select, which evaluate both sides")
	flags.StringVar(&types, "type", "", "write instances of these `types` too, as in dual.Number,reverse.Var")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: lift [flags] Function ...")
		flags.PrintDefaults()
	}
	if flags.Parse(args) != nil {
		return s, false
	}
	if s.functions = flags.Args(); len(s.functions) == 0 {
		flags.Usage()
		return s, false
	}
	if active != "" {
		s.active = strings.Split(active, ",")
	}
	if types != "" {
		s.types = strings.Split(types, ",")
	}
	if s.output == "" {
		s.output = strings.ToLower(s.functions[0]) + "_lifted.go"
	}
	return s, true
}

// numbersBeside are the parameters beside the first that are numbers as it is.
func numbersBeside(in *activity.Instance) (names []string) {
	params := in.Fn.Signature().Params()
	for i := 1; i < params.Len() && in.Params[0].Kind() == activity.Number; i++ {
		if in.Params[i].Kind() == activity.Number {
			names = append(names, params.At(i).Name())
		}
	}
	return names
}

// load reads the package in dir, and those that lifted functions need.
func load(dir string, s settings) (*activity.Program, error) {
	also := []string{dualPath}
	if slices.Contains(s.types, "reverse.Var") {
		also = append(also, "github.com/hesse-ad/hesse/reverse")
	}
	return activity.Load(dir, s.output, also...)
}

func newAnalysis(p *activity.Program) *activity.Analysis {
	a := activity.New(p, use)
	a.Rewrites = true
	a.NoSource = "write it with operations of package math, or give its derivative by reverse.NewPrimitive"
	a.Advice = map[string]string{"gonum.org/v1/gonum/mat": "package dual/matrix has functions of matrices that may be active"}
	return a
}

// lift returns the text of the file and what a user should know of it, or what stands in
// the way of it.
func lift(p *activity.Program, s settings) (text []byte, notes, faults []string, err error) {
	a := newAnalysis(p)
	var roots []*activity.Instance
	var about []activity.Fault
	for _, name := range s.functions {
		in, err := a.Root(name, s.active)
		if err != nil {
			return nil, nil, nil, err
		}
		roots = append(roots, in)
		if others := numbersBeside(in); s.active == nil && len(others) > 0 {
			about = append(about, a.NewFault(in, in.Decl.Pos(), fmt.Sprintf("%s is not active", strings.Join(others, ", ")), "-active "+in.Fn.Signature().Params().At(0).Name()+","+strings.Join(others, ",")+" makes them so"))
		}
	}
	a.Run()
	if err := a.TypeError(); err != nil {
		return nil, nil, nil, err
	}
	w := newWriter(a, s.selects)
	var body strings.Builder
	if len(a.Faults) == 0 {
		body.WriteString(w.write(roots))
		for _, t := range s.types {
			if err := w.concrete(t); err != nil {
				return nil, nil, nil, err
			}
			body.WriteString(w.write(roots))
		}
	}
	if len(a.Faults) == 0 {
		text = w.file(s.output, body.String())
	}
	if len(a.Faults) > 0 {
		return nil, nil, p.Report(a.Faults), nil
	}
	return text, p.Report(append(about, w.kept...)), nil, nil
}
