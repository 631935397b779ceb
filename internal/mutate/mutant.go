package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant is one change of one file.
type mutant struct {
	number   int // that switches it on
	file     string
	line     int
	from, to string // the expression or statement, before and after
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s → %s", m.file, m.line, m.from, m.to) }

// exchanges are operators that are replaced by others.
var exchanges = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.MUL: token.QUO, token.QUO: token.MUL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.GEQ: token.LSS,
	token.GTR: token.LEQ, token.LEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
}

// kinship are names in the table of operations that are replaced by others.
var kinship = map[string]string{
	"One": "MinusOne", "MinusOne": "One",
	"ByConstant": "OverConstant", "OverConstant": "ByConstant",
	"OneOne": "OneMinusOne", "OneMinusOne": "OneOne",
	"Factors": "OneOne", "Twice": "ByConstant",
	"nonlinear1": "linear1",
	"linear2":    "DX",
	"nonlinear2": "linear2",
}

// commutative are functions of two arguments in any order.
var commutative = map[string]bool{"Prod": true, "Dot": true, "DotOf": true, "prod": true, "math.Hypot": true}

// rules is where the derivative rules are. All have the same parameters,
// whether they read them or not.
const rules = "internal/elem"

// readParameters says for each rule which parameters it reads.
func readParameters() (map[string][]bool, error) {
	files, err := filepath.Glob(rules + "/*.go")
	if err != nil {
		return nil, err
	}
	reads := map[string][]bool{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			used := map[string]bool{}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					used[id.Name] = true
				}
				return true
			})
			for _, p := range f.Type.Params.List {
				for _, id := range p.Names {
					reads["elem."+f.Name.Name] = append(reads["elem."+f.Name.Name], used[id.Name])
				}
			}
		}
	}
	return reads, nil
}

// An instrumenter writes files in which every mutant is an alternative beside
// the original, chosen by a number.
type instrumenter struct {
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	imports types.Importer
	reads   map[string][]bool // by rule and parameter

	file    string
	source  []byte
	mutants []mutant
}

func newInstrumenter() (*instrumenter, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./...").Output()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, export, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = export
	}
	in := &instrumenter{fset: token.NewFileSet()}
	if in.reads, err = readParameters(); err != nil {
		return nil, err
	}
	in.imports = importer.ForCompiler(in.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return in, nil
}

// instrument returns the files of a package, those that are chosen with their
// mutants, by path.
func (in *instrumenter) instrument(dir string, chosen func(file string) bool) (map[string]string, error) {
	p, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var trees []*ast.File
	var files []string
	for _, name := range p.GoFiles {
		name := filepath.Join(dir, name)
		tree, err := parser.ParseFile(in.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		trees, files = append(trees, tree), append(files, name)
	}
	in.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: in.imports}
	in.pkg, err = config.Check(dir, in.fset, trees, in.info)
	if err != nil {
		return nil, err
	}
	changed := map[string]string{}
	for k, name := range files {
		if !chosen(name) {
			continue
		}
		if in.source, err = os.ReadFile(name); err != nil {
			return nil, err
		}
		in.file = name
		changed[name] = in.text(trees[k])
	}
	if len(changed) > 0 {
		changed[filepath.Join(dir, "mutant_switch.go")] = "package " + in.pkg.Name() + `

import (
	"os"
	"strconv"
)

var mutant_, _ = strconv.Atoi(os.Getenv("MUTANT"))
`
	}
	return changed, nil
}

func (in *instrumenter) original(n ast.Node) string {
	return string(in.source[in.at(n.Pos()):in.at(n.End())])
}

func (in *instrumenter) at(p token.Pos) int { return in.fset.Position(p).Offset }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// add makes a mutant of the node and returns the condition for it.
func (in *instrumenter) add(n ast.Node, to string) string {
	if oneLine(to) == oneLine(in.original(n)) {
		return "if false "
	}
	m := mutant{
		number: len(in.mutants) + 1,
		file:   in.file,
		line:   in.fset.Position(n.Pos()).Line,
		from:   oneLine(in.original(n)),
		to:     oneLine(to),
	}
	in.mutants = append(in.mutants, m)
	return fmt.Sprintf("if mutant_ == %d ", m.number)
}

// text is the instrumented source of a node: the nodes right below it that have
// mutants are replaced, all else is copied.
func (in *instrumenter) text(n ast.Node) string {
	var b strings.Builder
	done := in.at(n.Pos())
	if _, whole := n.(*ast.File); whole {
		done = 0
	}
	for _, c := range in.children(n) {
		b.Write(in.source[done:in.at(c.Pos())])
		b.WriteString(in.node(n, c))
		done = in.at(c.End())
	}
	end := in.at(n.End())
	if _, whole := n.(*ast.File); whole {
		end = len(in.source)
	}
	b.Write(in.source[done:end])
	return b.String()
}

// children are the nodes right below n, in order, without types, constants and
// keys.
func (in *instrumenter) children(n ast.Node) (nodes []ast.Node) {
	ast.Inspect(n, func(c ast.Node) bool {
		switch c := c.(type) {
		case nil:
			return false
		case *ast.GenDecl:
			if c.Tok != token.VAR {
				return false
			}
		case *ast.ArrayType, *ast.FuncType, *ast.FieldList, *ast.StructType, *ast.Comment, *ast.CommentGroup:
			return false
		}
		if c == n {
			return true
		}
		if kv, ok := n.(*ast.KeyValueExpr); ok && c == kv.Key {
			return false
		}
		nodes = append(nodes, c)
		return false
	})
	slices.SortFunc(nodes, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	return nodes
}

// node is the instrumented source of a node below parent.
func (in *instrumenter) node(parent, n ast.Node) string {
	switch n := n.(type) {
	case ast.Expr:
		return in.expression(parent, n)
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.ReturnStmt:
		switch parent.(type) {
		case *ast.BlockStmt, *ast.CaseClause:
			return in.statement(n.(ast.Stmt))
		}
	}
	return in.text(n)
}

// swapped is the node with two parts exchanged, with a space between an operator and
// a sign.
func (in *instrumenter) swapped(n, x, y ast.Node) string {
	source := func(lo, hi token.Pos) string { return string(in.source[in.at(lo):in.at(hi)]) }
	return source(n.Pos(), x.Pos()) + in.original(y) + source(x.End(), y.Pos()) + " " + in.original(x) + source(y.End(), n.End())
}

func (in *instrumenter) sameType(x, y ast.Expr) bool {
	tx, ty := in.info.Types[x].Type, in.info.Types[y].Type
	return tx != nil && ty != nil && types.Identical(types.Default(tx), types.Default(ty)) && in.original(x) != in.original(y)
}

// swaps are the nodes that come of exchanging neighbors of one type in a list.
// If it is known which of them are read, one of each pair is.
func (in *instrumenter) swaps(n ast.Node, list []ast.Expr, read ...bool) (all []string) {
	for k := range list[:max(0, len(list)-1)] {
		if in.sameType(list[k], list[k+1]) && (read == nil || read[k] || read[k+1]) {
			all = append(all, in.swapped(n, list[k], list[k+1]))
		}
	}
	return all
}

func (in *instrumenter) statement(n ast.Stmt) string {
	var alternatives []string
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return in.text(n)
		}
		if to, ok := exchanges[n.Tok]; ok && in.isNumber(n.Lhs[0]) {
			alternatives = append(alternatives, in.original(n.Lhs[0])+" "+to.String()+" "+in.original(n.Rhs[0]))
		}
		alternatives = append(alternatives, "")
	case *ast.IncDecStmt:
		alternatives = append(alternatives, "")
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok || in.original(call.Fun) == "panic" {
			return in.text(n)
		}
		alternatives = append(in.swaps(n, call.Args), "")
		var b strings.Builder
		b.WriteString("{ ")
		for _, a := range alternatives {
			b.WriteString(in.add(n, a) + "{ " + a + " } else ")
		}
		return b.String() + "{ " + in.text(call) + " } }"
	case *ast.ReturnStmt:
		alternatives = in.swaps(n, n.Results)
		var b strings.Builder
		for _, a := range alternatives {
			b.WriteString(in.add(n, a) + "{ " + a + " }; ")
		}
		return b.String() + in.text(n)
	}
	var b strings.Builder
	for _, a := range alternatives {
		b.WriteString(in.add(n, a) + "{ " + a + " } else ")
	}
	return b.String() + "{ " + in.text(n) + " }"
}

func (in *instrumenter) isNumber(x ast.Expr) bool {
	t := in.info.Types[x].Type
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func (in *instrumenter) expression(parent ast.Node, n ast.Expr) string {
	tv, typed := in.info.Types[n]
	if !typed || tv.IsType() || tv.IsBuiltin() {
		return in.text(n)
	}
	if u, ok := parent.(*ast.UnaryExpr); ok && u.Op == token.AND {
		return in.text(n)
	}
	if _, ok := parent.(*ast.ExprStmt); ok {
		return in.text(n)
	}
	var alternatives []string
	constant := tv.Value != nil
	switch n := n.(type) {
	case *ast.BinaryExpr:
		x, y := in.original(n.X), in.original(n.Y)
		if !constant && (n.Op == token.LAND || n.Op == token.LOR || in.isNumber(n.X)) {
			if to, ok := exchanges[n.Op]; ok {
				alternatives = append(alternatives, x+" "+to.String()+" "+y)
			}
		}
		switch {
		case !in.isNumber(n):
		case n.Op == token.OR, n.Op == token.AND, !constant && (n.Op == token.ADD || n.Op == token.MUL):
			alternatives = append(alternatives, x, y)
		case !constant && (n.Op == token.SUB || n.Op == token.QUO):
			alternatives = append(alternatives, x, in.swapped(n, n.X, n.Y))
		}
	case *ast.UnaryExpr:
		if !constant && (n.Op == token.SUB || n.Op == token.NOT) {
			alternatives = append(alternatives, in.original(n.X))
		}
	case *ast.CallExpr:
		if tv.IsVoid() || in.info.Types[n.Fun].IsType() || in.info.Types[n.Fun].IsBuiltin() {
			return in.text(n)
		}
		name := in.original(n.Fun)
		if commutative[name] || commutative[name[strings.LastIndexByte(name, '.')+1:]] {
			return in.text(n)
		}
		alternatives = in.swaps(n, n.Args, in.reads[name]...)
	case *ast.CompositeLit:
		if n.Type == nil { // it has that of what it is an element of, and is no expression alone
			return in.text(n)
		}
		alternatives = in.swaps(n, n.Elts)
	case *ast.Ident:
		if _, ok := parent.(*ast.KeyValueExpr); ok && constant {
			if to, ok := kinship[n.Name]; ok {
				alternatives = append(alternatives, to)
			}
		}
	}
	if len(alternatives) == 0 {
		return in.text(n)
	}
	kind := types.TypeString(unnamed(types.Default(tv.Type)), func(p *types.Package) string {
		if p == in.pkg {
			return ""
		}
		return p.Name()
	})
	var b strings.Builder
	b.WriteString("func() " + kind + " { ")
	for _, a := range alternatives {
		b.WriteString(in.add(n, a) + "{ return " + a + " }; ")
	}
	b.WriteString("return " + in.text(n) + " }()")
	return b.String()
}

// unnamed is a type without the names of results, which would hide what the
// alternatives read.
func unnamed(t types.Type) types.Type {
	results, ok := t.(*types.Tuple)
	if !ok {
		return t
	}
	var vars []*types.Var
	for r := range results.Variables() {
		vars = append(vars, types.NewParam(r.Pos(), r.Pkg(), "", r.Type()))
	}
	return types.NewTuple(vars...)
}
