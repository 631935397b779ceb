package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"

	// The test that records a function imports reverse and hessian: so a module that has
	// this command among its tools has the checksums of all that the test needs.
	_ "github.com/hesse-ad/hesse/hessian"
)

func main() { os.Exit(run(os.Args[1:], ".", os.Stderr)) }

// settings are the flags of the command.
type settings struct {
	function       string
	n              int
	x, p           string
	args           string
	name, output   string
	functions      string
	inputs, params string
	sparse         string
	lines, check   bool
}

func run(args []string, dir string, stderr io.Writer) int {
	flags := flag.NewFlagSet("write", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var s settings
	flags.IntVar(&s.n, "n", 0, "how many inputs there are; the function is recorded at 1, 1 + 1/n, …")
	flags.StringVar(&s.x, "x", "", "the point where it is recorded, an `expression` of type []float64, instead")
	flags.StringVar(&s.p, "p", "", "the parameters there, an `expression` of type []float64")
	flags.StringVar(&s.args, "args", "", "`expressions` for the other arguments, as in c,4")
	flags.StringVar(&s.name, "name", "", "begins the `names` of all that is written")
	flags.StringVar(&s.output, "o", "", "the `file` to write; the name and _derivatives.go by default")
	flags.StringVar(&s.functions, "functions", "", "which `functions`, as in Value,Gradient,Jacobian,JVP,VJP,HVP")
	flags.StringVar(&s.sparse, "sparse", "", "write the sparse `matrix`, hessian or jacobian, by a loop for each kind of term")
	flags.StringVar(&s.inputs, "inputs", "", "`names` of the inputs, as in angle,speed")
	flags.StringVar(&s.params, "params", "", "`names` of the parameters")
	flags.BoolVar(&s.lines, "lines", false, "write beside each operation where it stands")
	flags.BoolVar(&s.check, "check", false, "write nothing; fail if the file is not as it would be written")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: write [flags] Function")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return 2
	}
	s.function = flags.Arg(0)
	if err := s.write(dir); err != nil {
		fmt.Fprintln(stderr, "write:", err)
		return 1
	}
	return 0
}

// write writes the file, or checks it.
func (s *settings) write(dir string) error {
	if s.sparse != "" && plans[s.sparse] == "" {
		return fmt.Errorf("-sparse %s: it is hessian or jacobian", s.sparse)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	p, err := load(dir)
	if err != nil {
		return err
	}
	fn, err := p.find(s.function)
	if err != nil {
		return err
	}
	if s.name == "" {
		s.name = strings.TrimSuffix(fn.decl.Name.Name, "Of")
	}
	if err := source.CheckName(s.name); err != nil {
		return err
	}
	if s.output == "" {
		s.output = strings.ToLower(s.name) + "_derivatives.go"
	}
	if have := p.files[s.output]; have != nil && !ast.IsGenerated(have) {
		return fmt.Errorf("%s is there and was not generated", s.output)
	}
	test, err := s.test(p, fn)
	if err != nil {
		return err
	}
	text, err := p.execute(s, test)
	if err != nil {
		return err
	}
	if err := p.clashes(s.output, text); err != nil {
		return err
	}
	name := filepath.Join(dir, s.output)
	if !s.check {
		return source.Replace(name, text)
	}
	have, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(withoutHeader(have), withoutHeader(text)) {
		return fmt.Errorf("%s is out of date", s.output)
	}
	return nil
}

// withoutHeader is a file without its first line, which names the versions.
func withoutHeader(text []byte) []byte {
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest
}

// program is the package in a folder.
type program struct {
	dir, name string
	files     map[string]*ast.File
	tests     []string
	order     []string
}

// load parses the package in a folder.
func load(dir string) (*program, error) {
	p := &program{dir: dir, files: map[string]*ast.File{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
			continue
		case strings.HasSuffix(name, "_test.go"):
			p.tests = append(p.tests, name)
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.files[name] = tree
		p.order = append(p.order, name)
		if p.name == "" || tree.Name.Name != "main" {
			p.name = tree.Name.Name
		}
	}
	if p.name == "" {
		return nil, errors.New("no Go files in " + dir)
	}
	return p, nil
}

// declares is the declarations of a file at its top level.
func declares(tree *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						names[id.Name] = true
					}
				}
			}
		}
	}
	return names
}

// known is the functions that can be written.
var known = []string{"Value", "Gradient", "Jacobian", "JVP", "VJP", "HVP", "Hessian", "All"}

// plans is how the plan of a sparse matrix is made: by terms, or if it has none by the
// method that is cheapest.
var plans = map[string]string{
	"hessian":  plan("hesseHessian"),
	"jacobian": plan("hesseReverse"),
}

func plan(from string) string {
	return strings.ReplaceAll(`plan, err := FROM.SparseSettings{Method: FROM.ByTerms}.New(tape)
	if err != nil {
		plan, err = FROM.SparseSettings{}.New(tape)
	}`, "FROM", from)
}

// clashes finds what another file has already under a name that text declares.
func (p *program) clashes(output string, text []byte) error {
	written, err := parser.ParseFile(token.NewFileSet(), output, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	fresh, meant := declares(written), map[string]bool{"math": true} // what Go says that names are
	ast.Inspect(written, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && types.Universe.Lookup(id.Name) != nil {
			meant[id.Name] = true
		}
		return true
	})
	for _, file := range p.order {
		if file == output {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(declares(p.files[file]))) {
			if fresh[name] {
				return fmt.Errorf("%s is declared in %s: choose another name by -name", name, file)
			}
			if meant[name] {
				return fmt.Errorf("%s declares %s, which what is written needs as it is in Go: write to another package", file, name)
			}
		}
		for _, i := range p.files[file].Imports {
			at := strings.Trim(i.Path.Value, `"`)
			name := at[strings.LastIndexByte(at, '/')+1:]
			if i.Name != nil {
				name = i.Name.Name
			}
			if fresh[name] {
				return fmt.Errorf("%s is imported in %s: choose another name by -name", name, file)
			}
		}
	}
	return nil
}

// function is the one whose derivatives are written.
type function struct {
	decl *ast.FuncDecl
	file *ast.File
}

// find is the function of a name, or that which lift made of it.
func (p *program) find(name string) (fn function, err error) {
	lookup := func(name string) {
		for _, file := range p.order {
			for _, d := range p.files[file].Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == name {
					fn = function{d, p.files[file]}
				}
			}
		}
	}
	lookup(name + "Of")
	if fn.decl == nil {
		lookup(name)
	}
	if fn.decl == nil {
		return fn, fmt.Errorf("no function %s in package %s", name, p.name)
	}
	return fn, nil
}

// kind is what a parameter or a result is.
type kind uint8

const (
	other  kind = iota
	number      // T
	slice       // []T
)

// kindOf is the kind of a type.
func (fn function) kindOf(t ast.Expr) kind {
	switch t := t.(type) {
	case *ast.Ident:
		if params := fn.decl.Type.TypeParams; params != nil && slices.ContainsFunc(params.List, func(f *ast.Field) bool {
			return slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == t.Name })
		}) {
			return number
		}
	case *ast.SelectorExpr:
		if id, ok := t.X.(*ast.Ident); ok && id.Name == "reverse" && t.Sel.Name == "Var" {
			return number
		}
	case *ast.ArrayType:
		if t.Len == nil && fn.kindOf(t.Elt) == number {
			return slice
		}
	case *ast.Ellipsis:
		if fn.kindOf(t.Elt) == number {
			return slice
		}
	}
	return other
}

// call is how the function is called with the inputs x and the parameters p, and the
// names of inputs that are numbers of their own.
func (s *settings) call(fn function) (call string, inputs []string, vector bool, err error) {
	var args, rest []string
	if s.args != "" {
		if rest, err = expressions(s.args); err != nil {
			return "", nil, false, err
		}
	}
	name := fn.decl.Name.Name
	slices := 0
	for _, field := range fn.decl.Type.Params.List {
		for k := range max(1, len(field.Names)) {
			switch fn.kindOf(field.Type) {
			case number:
				args = append(args, fmt.Sprintf("x[%d]", len(inputs)))
				input := ""
				if len(field.Names) > 0 {
					input = field.Names[k].Name
				}
				inputs = append(inputs, input)
			case slice:
				arg := "x"
				if slices++; slices == 2 || inputs != nil {
					arg = "p"
				}
				if _, ok := field.Type.(*ast.Ellipsis); ok {
					arg += "..."
				}
				args = append(args, arg)
			default:
				if len(rest) == 0 && len(args) > 0 {
					return "", nil, false, fmt.Errorf("%s has more arguments: name them by -args", name)
				}
				if len(rest) > 0 {
					args, rest = append(args, rest[0]), rest[1:]
				}
			}
		}
	}
	results := fn.decl.Type.Results
	switch {
	case slices == 0 && inputs == nil:
		return "", nil, false, fmt.Errorf("%s takes no numbers of a type parameter: lift it first (go doc ./dual/lift)", name)
	case len(rest) > 0:
		return "", nil, false, fmt.Errorf("%s has no argument for %s", name, rest[0])
	case slices > 2 || slices == 2 && inputs != nil:
		return "", nil, false, fmt.Errorf("%s has more slices of numbers than inputs and parameters", name)
	case (slices == 2 || slices == 1 && inputs != nil) != (s.p != ""):
		return "", nil, false, fmt.Errorf("-p is for the second slice of numbers of %s", name)
	case results == nil || len(results.List) != 1 || len(results.List[0].Names) > 1 || fn.kindOf(results.List[0].Type) == other:
		return "", nil, false, fmt.Errorf("%s must return a number or a slice of them", name)
	case slices > 0 && inputs == nil && (s.n > 0) == (s.x != ""):
		return "", nil, false, errors.New("give the number of inputs by -n or a point by -x")
	case inputs != nil && s.n > 0 && s.n != len(inputs):
		return "", nil, false, fmt.Errorf("%s has %d inputs, not %d", name, len(inputs), s.n)
	}
	return name + "(" + strings.Join(args, ", ") + ")", inputs, fn.kindOf(results.List[0].Type) == slice, nil
}

// expressions are those of a list with commas.
func expressions(list string) ([]string, error) {
	e, err := parser.ParseExpr("f(" + list + ")")
	if err != nil {
		return nil, fmt.Errorf("-args %s: %w", list, err)
	}
	var parts []string
	for _, a := range e.(*ast.CallExpr).Args {
		parts = append(parts, ("f(" + list + ")")[a.Pos()-1:a.End()-1])
	}
	return parts, nil
}

// words is a list with commas.
func words(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// testName is the test that is added to the package.
const testName = "TestHesseWrites"

// test is the file that records the function and writes its derivatives to the file
// that the environment names.
func (s *settings) test(p *program, fn function) ([]byte, error) {
	call, inputs, vector, err := s.call(fn)
	if err != nil {
		return nil, err
	}
	n, point := s.n, s.x
	if inputs != nil {
		n = len(inputs)
		if s.inputs == "" && !slices.Contains(inputs, "") && !slices.Contains(inputs, "_") {
			s.inputs = strings.Join(inputs, ",")
		}
	}
	if point == "" {
		point = fmt.Sprintf("func() []float64 {\nx := make([]float64, %d)\nfor i := range x {\nx[i] = 1 + float64(i)/%d\n}\nreturn x\n}()", n, n)
	}
	parameters := "[]float64(nil)"
	if s.p != "" {
		parameters = s.p
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\thesseFmt %q\n\thesseOS %q\n\thesseTesting %q\n\thesseReverse %q\n", p.name, "fmt", "os", "testing", module+"/reverse")
	if s.sparse == "hessian" {
		fmt.Fprintf(&b, "\thesseHessian %q\n", module+"/hessian")
	}
	used := map[string]bool{}
	for _, text := range []string{s.x, s.p, s.args} {
		if text == "" {
			continue
		}
		e, err := parser.ParseExpr("f(" + text + ")")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	for _, i := range fn.file.Imports { // those that expressions name
		path := strings.Trim(i.Path.Value, `"`)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		if used[name] {
			fmt.Fprintf(&b, "\t%s %q\n", name, path)
		}
	}
	record, result := "RecordParamsVec", "[]hesseReverse.Var"
	body := "return " + call
	if !vector {
		body = "return []hesseReverse.Var{" + call + "}"
	}
	var functions []string
	for _, f := range words(s.functions) {
		if !slices.Contains(known, f) {
			return nil, fmt.Errorf("-functions %s: the functions are %s", f, strings.Join(known, ", "))
		}
		functions = append(functions, "hesseReverse.Go"+f)
	}
	list := "nil"
	if functions != nil {
		list = "[]hesseReverse.GoFunction{" + strings.Join(functions, ", ") + "}"
	}
	plan := "plan, err := tape, error(nil)"
	if s.sparse != "" {
		plan = plans[s.sparse]
	}
	fmt.Fprintf(&b, `)

func %s(t *hesseTesting.T) {
	fail := func(err error) {
		if err != nil {
			hesseOS.Stdout.WriteString("\nhesse: " + err.Error() + "\n")
			hesseOS.Exit(3)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			fail(hesseFmt.Errorf("%%s panics: %%v", %q, r))
		}
	}()
	tape, err := hesseReverse.Recorder{Lines: %v}.%s(func(x, p []hesseReverse.Var) %s { %s }, %s, %s)
	fail(err)
	%s
	fail(err)
	out, err := hesseOS.Create(hesseOS.Getenv("HESSE_WRITE"))
	fail(err)
	fail(plan.WriteGo(out, hesseReverse.GoSource{
		Package: %q, Name: %q, Functions: %s, Inputs: %s, Params: %s, Lines: %v,
	}))
	fail(out.Close())
}
`, testName, fn.decl.Name.Name, s.lines, record, result, body, point, parameters, plan, p.name, s.name, list, literal(words(s.inputs)), literal(words(s.params)), s.lines)
	return b.Bytes(), nil
}

const module = "github.com/hesse-ad/hesse"

// literal is a list as Go.
func literal(list []string) string {
	if list == nil {
		return "nil"
	}
	return fmt.Sprintf("%#v", list)
}

// execute runs the test and returns what it writes.
func (p *program) execute(s *settings, test []byte) ([]byte, error) {
	room, err := os.MkdirTemp("", "hesse")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(room)
	in := filepath.Join(room, "hesse_write_test.go")
	if err := os.WriteFile(in, test, 0o600); err != nil {
		return nil, err
	}
	replace := map[string]string{filepath.Join(p.dir, "hesse_write_test.go"): in}
	for _, name := range p.tests {
		replace[filepath.Join(p.dir, name)] = ""
	}
	left := p.unwritten(s)
	for _, name := range left {
		replace[filepath.Join(p.dir, name)] = ""
	}
	if _, ok := p.files[s.output]; ok {
		replace[filepath.Join(p.dir, s.output)] = ""
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	at := filepath.Join(room, "overlay.json")
	if err := os.WriteFile(at, overlay, 0o600); err != nil {
		return nil, err
	}
	out := filepath.Join(room, "out.go")
	c := exec.Command("go", "test", "-overlay", at, "-vet=off", "-count=1", "-run", "^"+testName+"$", ".")
	c.Dir = p.dir
	c.Env = append(os.Environ(), "HESSE_WRITE="+out)
	said, err := c.CombinedOutput()
	if err != nil {
		if _, message, ok := strings.Cut(string(said), "\nhesse: "); ok {
			message, _, _ = strings.Cut(message, "\n")
			return nil, errors.New(message)
		}
		message := strings.TrimSpace(strings.ReplaceAll(string(said), room+string(filepath.Separator), ""))
		if left != nil {
			message += fmt.Sprintf("\n%s was left out, since it uses what is not written yet: what %s needs must be in other files", strings.Join(left, ", "), s.function)
		}
		return nil, errors.New(message)
	}
	return os.ReadFile(out)
}

// unwritten is the files that cannot be compiled before everything is generated: those that use a
// name that no file declares, and those that use what these declare.
func (p *program) unwritten(s *settings) (files []string) {
	left := map[string]bool{s.output: true}
	for again := true; again; {
		again = false
		there := map[string]bool{}
		for _, file := range p.order {
			if !left[file] {
				maps.Copy(there, declares(p.files[file]))
			}
		}
		for _, file := range p.order {
			if !left[file] && uses(p.files[file], func(name string) bool { return !there[name] }) {
				left[file], again = true, true
				files = append(files, file)
			}
		}
	}
	return files
}

// uses reports whether a file uses a name from elsewhere in its package that is as asked. It does
// not look at what may be the name of an imported package.
func uses(tree *ast.File, asked func(name string) bool) bool {
	packages := map[*ast.Ident]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				packages[id] = true
			}
		}
		return true
	})
	for _, i := range tree.Imports {
		if i.Name != nil && i.Name.Name == "." {
			return false
		}
	}
	return slices.ContainsFunc(tree.Unresolved, func(id *ast.Ident) bool {
		return !packages[id] && types.Universe.Lookup(id.Name) == nil && asked(id.Name)
	})
}
