package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"
)

func main() { os.Exit(run(os.Args[1:], ".", os.Stdout, os.Stderr)) }

// settings are the flags of the command.
type settings struct {
	functions []string
	output    string
	active    []string
	check     bool
	selects   bool
	types     []string
}

func run(args []string, dir string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("lift", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var s settings
	var active, concrete string
	flags.StringVar(&s.output, "o", "", "the `file` to write; the first function's name and _lifted.go by default")
	flags.StringVar(&active, "active", "", "what is differentiated: `parameters` or their fields, as in x,p.Mu; the first parameter by default")
	flags.BoolVar(&s.check, "check", false, "write nothing; fail if the file is not as it would be written")
	flags.BoolVar(&s.selects, "select", false, "write branches that choose a value as Abs, Max, Min and Select, which evaluate both sides")
	flags.StringVar(&concrete, "type", "", "write instances of these `types` too, as in dual.Number,reverse.Var")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: lift [flags] Function ...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	s.functions = flags.Args()
	if len(s.functions) == 0 {
		flags.Usage()
		return 2
	}
	if active != "" {
		s.active = strings.Split(active, ",")
	}
	if concrete != "" {
		s.types = strings.Split(concrete, ",")
	}
	if s.output == "" {
		s.output = strings.ToLower(s.functions[0]) + "_lifted.go"
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		fmt.Fprintln(stderr, "lift:", err)
		return 1
	}
	text, faults, err := lift(s, dir)
	if err != nil {
		fmt.Fprintln(stderr, "lift:", err)
		return 1
	}
	if len(faults) > 0 {
		for _, f := range faults {
			fmt.Fprintln(stderr, f)
		}
		return 1
	}
	name := filepath.Join(dir, s.output)
	if s.check {
		have, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(have, text) {
			fmt.Fprintf(stderr, "lift: %s is out of date\n", s.output)
			return 1
		}
		return 0
	}
	if err := source.Replace(name, text); err != nil {
		fmt.Fprintln(stderr, "lift:", err)
		return 1
	}
	return 0
}

// lift returns the text of the file, or what stands in the way of it.
func lift(s settings, dir string) (text []byte, faults []string, err error) {
	prog, err := load(dir, s.output)
	if err != nil {
		return nil, nil, err
	}
	a := newAnalysis(prog)
	var roots []*instance
	for _, name := range s.functions {
		fn, ok := prog.root.Types.Scope().Lookup(name).(*types.Func)
		if !ok {
			return nil, nil, fmt.Errorf("no function %s in package %s", name, prog.root.Name)
		}
		decl, pkg := prog.source(fn)
		if decl == nil || decl.Body == nil {
			return nil, nil, fmt.Errorf("function %s has no body", name)
		}
		in := a.instance(fn, decl, pkg, nil, nil, token.NoPos)
		roots = append(roots, in)
		if err := a.seed(in, s.active); err != nil {
			return nil, nil, err
		}
	}
	a.run()
	w := newWriter(a, s.selects)
	var body strings.Builder
	if len(a.faults) == 0 {
		body.WriteString(w.write(roots))
		for _, t := range s.types {
			if err := w.concrete(t); err != nil {
				return nil, nil, err
			}
			body.WriteString(w.write(roots))
		}
	}
	if len(a.faults) > 0 {
		return nil, prog.report(a.faults), nil
	}
	text, err = format.Source(w.file(body.String()))
	if err != nil {
		err = fmt.Errorf("what was written is not Go: %v\n%s", err, w.file(body.String()))
	}
	return text, nil, err
}

func newWriter(a *analysis, selects bool) *writer {
	w := &writer{a: a, prog: a.prog, pkg: a.prog.root, T: "T", generic: true, selects: selects, suffix: "Of",
		imports: map[string]string{}, taken: map[string]bool{}, sources: map[string]bool{}}
	w.reserve()
	return w
}

// write returns the declarations of the roots, and of all that they need.
func (w *writer) write(roots []*instance) string {
	w.byKey, w.copied, w.helpers, w.decls = map[string]*lifted{}, map[types.Object]string{}, map[string]string{}, nil
	for _, in := range roots {
		w.function(in)
	}
	for len(w.queue) > 0 {
		f := w.queue[0]
		w.queue = w.queue[1:]
		f()
	}
	var b strings.Builder
	for _, l := range w.decls {
		b.WriteString("\n" + l.text + "\n")
	}
	for _, f := range []struct{ name, body string }{
		{"const", "(c float64) (x $) { return x.Const(c) }"},
		{"equal", "(x, y $) bool { return x.LessEq(y) && y.LessEq(x) }"},
		{"greater", "(x, y $) bool { return y.Less(x) }"},
		{"greaterEq", "(x, y $) bool { return y.LessEq(x) }"},
		{"increase", "(x *$, y $) { *x = (*x).Add(y) }"},
		{"decrease", "(x *$, y $) { *x = (*x).Sub(y) }"},
		{"multiply", "(x *$, y $) { *x = (*x).Mul(y) }"},
		{"divide", "(x *$, y $) { *x = (*x).Div(y) }"},
	} {
		if name := w.helpers[f.name]; name != "" {
			fmt.Fprintf(&b, "\nfunc %s%s%s\n", name, w.params(), strings.ReplaceAll(f.body, "$", w.T))
		}
	}
	return b.String()
}

// concrete makes the writer write instances of a type, as in dual.Number.
func (w *writer) concrete(t string) error {
	if !slices.Contains([]string{"dual.Real", "dual.Number", "dual.Hyper", "reverse.Var"}, t) {
		return fmt.Errorf("%s is none of dual.Real, dual.Number, dual.Hyper and reverse.Var", t)
	}
	pkg, name, _ := strings.Cut(t, ".")
	w.T, w.generic, w.suffix = w.imported("github.com/hesse-ad/hesse/"+pkg, pkg)+"."+name, false, name
	return nil
}

func newAnalysis(p *program) *analysis {
	return &analysis{builder: builder{holds: map[types.Type]bool{}}, prog: p, globals: map[types.Object]*place{}}
}

// seed makes the inputs of a function active, and its other parameters passive
// where they share memory with the caller.
func (a *analysis) seed(in *instance, active []string) error {
	sig := in.fn.Type().(*types.Signature)
	if sig.Params().Len() == 0 {
		return fmt.Errorf("function %s has no parameter", in.fn.Name())
	}
	var inputs []*place
	if active == nil {
		inputs = in.param[:1]
	}
	for _, name := range active {
		path := strings.Split(name, ".")
		p, err := a.find(in, sig, path)
		if err != nil {
			return err
		}
		inputs = append(inputs, p)
	}
	numbers := 0
	marked := map[*place]bool{}
	for _, p := range inputs {
		p.walk(func(p *place) {
			marked[p] = true
			if p.kind == number {
				numbers++
			}
		})
	}
	if numbers == 0 {
		return fmt.Errorf("the inputs of %s hold no float64", in.fn.Name())
	}
	for i, p := range in.param {
		if p.find().kind == number {
			continue // a copy, which may become active
		}
		name := sig.Params().At(i).Name()
		p.walk(func(q *place) {
			if !marked[q] && q.kind == number {
				q.fixed = "the passive parameter " + name
				if q.active {
					a.receives(q, q.why)
				}
			}
		})
	}
	for _, p := range inputs {
		p.walk(func(p *place) {
			if p.kind == number {
				a.activate(p, in.decl.Pos())
			}
		})
	}
	return nil
}

// find is the place of a parameter, or of a field of one.
func (a *analysis) find(in *instance, sig *types.Signature, path []string) (*place, error) {
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		if v.Name() != path[0] {
			continue
		}
		p, t := in.param[i].find(), v.Type()
		for j, name := range path[1:] {
			for p.kind == holder { // of a pointer, what it points to; of a slice or map, every element
				p, t = p.elem.find(), t.Underlying().(interface{ Elem() types.Type }).Elem()
			}
			s, ok := t.Underlying().(*types.Struct)
			k := -1
			if ok {
				k = fieldIndex(s, name)
			}
			if k < 0 || p.kind != record {
				return nil, fmt.Errorf("%s has no field %s with a float64", strings.Join(path[:j+1], "."), name)
			}
			p, t = p.fields[k].find(), s.Field(k).Type()
		}
		return p, nil
	}
	return nil, fmt.Errorf("%s has no parameter %s", in.fn.Name(), path[0])
}

// reserve keeps names of the package, and those of its code, from being taken.
func (w *writer) reserve() {
	for _, n := range w.pkg.Types.Scope().Names() {
		w.taken[n] = true
	}
	for _, n := range types.Universe.Names() {
		w.taken[n] = true
	}
	used := map[string]bool{}
	for _, in := range w.a.all {
		ast.Inspect(in.decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := in.pkg.TypesInfo.Defs[id]; o != nil && o.Parent() != nil && o.Pkg() != nil && o.Parent() != o.Pkg().Scope() {
					w.taken[id.Name], used[id.Name] = true, true
				}
			}
			return true
		})
	}
	for _, t := range []string{"T", "Num", "Scalar", "TT"} {
		if !w.taken[t] {
			w.T = t
			break
		}
	}
	w.taken[w.T] = true
}

// file is the file with a body.
func (w *writer) file(body string) []byte {
	var sources []string
	for s := range w.sources {
		sources = append(sources, s)
	}
	slices.Sort(sources)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by lift from %s; DO NOT EDIT.\n\npackage %s\n\n", strings.Join(sources, ", "), w.pkg.Name)
	var paths []string
	for p := range w.imports {
		paths = append(paths, p)
	}
	slices.SortFunc(paths, func(p, q string) int {
		if d := strings.Count(p[:min(len(p), strings.IndexByte(p+"/", '/'))], ".") - strings.Count(q[:min(len(q), strings.IndexByte(q+"/", '/'))], "."); d != 0 {
			return d
		}
		return strings.Compare(p, q)
	})
	if len(paths) > 0 {
		b.WriteString("import (\n")
		std := true
		for i, p := range paths {
			dotted := strings.Contains(p[:strings.IndexByte(p+"/", '/')], ".")
			if i > 0 && dotted && std {
				b.WriteString("\n")
			}
			std = !dotted
			name := ""
			if n := w.imports[p]; n != filepath.Base(p) {
				name = n + " "
			}
			fmt.Fprintf(&b, "\t%s%q\n", name, p)
		}
		b.WriteString(")\n")
	}
	b.WriteString(body)
	return b.Bytes()
}

// report are the faults in the order of the source, those of other packages by the
// call that leads to them.
func (p *program) report(faults []fault) []string {
	place := func(f fault) token.Position {
		if f.via.IsValid() {
			return p.fset.Position(f.via)
		}
		return p.fset.Position(f.at)
	}
	slices.SortStableFunc(faults, func(a, b fault) int {
		x, y := place(a), place(b)
		if x.Filename != y.Filename {
			return strings.Compare(x.Filename, y.Filename)
		}
		return x.Offset - y.Offset
	})
	short := func(p token.Position) string {
		return fmt.Sprintf("%s:%d:%d", filepath.Base(p.Filename), p.Line, p.Column)
	}
	var out []string
	for _, f := range faults {
		s := short(place(f)) + ": "
		if f.via.IsValid() {
			s += fmt.Sprintf("in %s, at %s: ", f.into.FullName(), short(p.fset.Position(f.at)))
		}
		s += f.what
		if f.instead != "" {
			s += ": " + f.instead
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
