package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"
)

func main() { os.Exit(run(os.Args[1:], ".", os.Stderr)) }

func run(args []string, dir string, stderr io.Writer) int {
	flags := flag.NewFlagSet("adjoint", flag.ContinueOnError)
	flags.SetOutput(stderr)
	output := flags.String("o", "", "the `file` to write; the first function's name and _adjoint.go by default")
	check := flags.Bool("check", false, "write nothing; fail if the file is not as it would be written")
	var q request
	flags.BoolVar(&q.gradient, "gradient", false, "write gradients, as without other flags")
	flags.BoolVar(&q.jvp, "jvp", false, "write derivatives along directions, products with Jacobians")
	flags.BoolVar(&q.vjp, "vjp", false, "write products with transposed Jacobians")
	flags.BoolVar(&q.hvp, "hvp", false, "write products with Hessians")
	flags.BoolVar(&q.bilinear, "bilinear", false, "write bilinear forms of Hessians")
	flags.IntVar(&q.directions, "directions", 1, "write -jvp and -hvp along this `number` of directions at once, too")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: adjoint [flags] Function ...")
		flags.PrintDefaults()
	}
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return 2
	}
	if *output == "" {
		*output = strings.ToLower(flags.Arg(0)) + "_adjoint.go"
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "adjoint:", err)
		return 1
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fail(err)
	}
	p, err := newProgram(dir, *output)
	if err != nil {
		return fail(err)
	}
	q.gradient = q.gradient || !q.jvp && !q.vjp && !q.hvp && !q.bilinear
	text, faults, err := p.write(q, flags.Args(), *output)
	if err != nil {
		return fail(err)
	}
	if len(faults) > 0 {
		for _, f := range faults {
			fmt.Fprintln(stderr, f)
		}
		return 1
	}
	name := filepath.Join(dir, *output)
	if *check {
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, text) {
			return fail(fmt.Errorf("%s is out of date", *output))
		}
		return 0
	}
	if err := source.Replace(name, text); err != nil {
		return fail(err)
	}
	return 0
}
