package source

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hesse-ad/hesse/internal/elem"
)

// declared is a declaration of package elem at its top level.
type declared struct {
	name string
	doc  string // its comment, if it is a function
	text string // without it
	// The path of each package that the file imports, by name.
	imports map[string]string
	node    ast.Node
	place   int // in the order of files and declarations
	// returned is the expression that a function of a single return statement returns.
	returned ast.Expr
	params   []string
}

// elementary is the declarations of package elem by name.
var elementary = sync.OnceValue(func() map[string]*declared {
	all := map[string]*declared{}
	names, err := fs.Glob(elem.Source, "*.go")
	if err != nil {
		panic(err)
	}
	set := token.NewFileSet()
	for _, name := range names {
		text, err := elem.Source.ReadFile(name)
		if err != nil {
			panic(err)
		}
		tree, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		imports := map[string]string{}
		for _, i := range tree.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			imports[path[strings.LastIndexByte(path, '/')+1:]] = path
		}
		offset := func(at token.Pos) int { return set.Position(at).Offset }
		add := func(name string, node ast.Node) *declared {
			d := &declared{name: name, imports: imports, node: node, place: len(all)}
			d.text = string(text[offset(node.Pos()):offset(node.End())])
			all[name] = d
			return d
		}
		for _, decl := range tree.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				d := add(decl.Name.Name, decl)
				if decl.Doc != nil {
					d.doc = string(text[offset(decl.Doc.Pos()):offset(decl.Pos())])
				}
				for _, field := range decl.Type.Params.List {
					for _, n := range field.Names {
						d.params = append(d.params, n.Name)
					}
				}
				if body := decl.Body.List; len(body) == 1 {
					if r, ok := body[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
						d.returned = r.Results[0]
					}
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec: // all names of a line go together
						for _, n := range spec.Names {
							add(n.Name, spec)
						}
					case *ast.TypeSpec:
						add(spec.Name.Name, spec)
					}
				}
			}
		}
	}
	return all
})

// uses calls f with each identifier in node that means a declaration of the package or
// an imported one.
func (d *declared) uses(node ast.Node, f func(id *ast.Ident, decl *declared, path string)) {
	all := elementary()
	local := map[any]bool{}                     // objects of identifiers
	ast.Inspect(d.node, func(n ast.Node) bool { // what is declared inside
		if id, ok := n.(*ast.Ident); ok && id.Obj != nil && id.Obj.Decl != d.node {
			if at, ok := id.Obj.Decl.(ast.Node); ok && d.node.Pos() <= at.Pos() && at.End() <= d.node.End() {
				local[id.Obj] = true
			}
		}
		return true
	})
	eachIdent(node, func(id *ast.Ident) {
		if local[id.Obj] {
			return
		}
		if other := all[id.Name]; other != nil {
			f(id, other, "")
		} else if path := d.imports[id.Name]; path != "" && id.Obj == nil {
			f(id, nil, path)
		}
	})
}

// eachIdent calls f with the identifiers in node that are no names of fields.
func eachIdent(node ast.Node, f func(id *ast.Ident)) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.KeyValueExpr:
			ast.Inspect(n.Value, visit)
			return false
		case *ast.Field:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.Ident:
			f(n)
		}
		return true
	}
	ast.Inspect(node, visit)
}

// copies are the declarations of package elem that a file has copies of.
type copies struct{ needed map[string]*declared }

func (c *copies) need(f *File, d *declared) {
	if c.needed[d.name] != nil {
		return
	}
	if c.needed == nil {
		c.needed = map[string]*declared{}
	}
	c.needed[d.name] = d
	d.uses(d.node, func(_ *ast.Ident, other *declared, path string) {
		if other != nil {
			c.need(f, other)
		} else {
			f.imports[path] = path[strings.LastIndexByte(path, '/')+1:]
		}
	})
}

var word = regexp.MustCompile(`[\pL_\p{Nd}]+`)

// call is function name of package elem applied to args.
func (c *copies) call(f *File, name string, args []string) string {
	d := elementary()[name]
	if d == nil {
		panic("source: no function elem." + name)
	}
	if d.returned != nil && small(d.returned) {
		values := map[string]string{}
		for k, p := range d.params {
			values[p] = args[k]
			if args[k] != "" && args[k][0] == '-' {
				values[p] = "(" + args[k] + ")"
			}
		}
		d.uses(d.returned, func(id *ast.Ident, other *declared, path string) {
			if other != nil {
				values[id.Name] = f.Private(other.name)
			} else {
				f.std(path)
			}
		})
		s := substituteExpr(d.returned, values)
		if isProduct(d.returned) {
			s = "float64(" + s + ")"
		}
		return s
	}
	return f.Private(name) + "(" + strings.Join(args, ", ") + ")"
}

// small reports whether an expression is written where it is used.
func small(e ast.Expr) bool {
	n := 0
	ast.Inspect(e, func(ast.Node) bool { n++; return true })
	return n <= 24
}

// isProduct reports whether e is a product, which a compiler may fuse with the sum that
// it becomes part of.
func isProduct(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return isProduct(e.X)
	case *ast.UnaryExpr:
		return isProduct(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.MUL
	}
	return false
}

// substituteExpr is e with other names for identifiers.
func substituteExpr(e ast.Expr, values map[string]string) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		panic(err)
	}
	return substitute(b.String(), values)
}

// substitute is the expression s with other names for its identifiers but those after
// a point.
func substitute(s string, values map[string]string) string {
	var out strings.Builder
	set := token.NewFileSet()
	tree, err := parser.ParseExprFrom(set, "", s, 0)
	if err != nil {
		panic(err)
	}
	last := 0
	eachIdent(tree, func(id *ast.Ident) {
		if v, ok := values[id.Name]; ok {
			at := set.Position(id.Pos()).Offset
			out.WriteString(s[last:at] + v)
			last = at + len(id.Name)
		}
	})
	return out.String() + s[last:]
}

// text is the copies of what body needs, in the order of the package.
func (c *copies) text(f *File, body string) string {
	private := map[string]*declared{}
	for name, d := range elementary() {
		private[f.Private(name)] = d
	}
	for _, id := range word.FindAllString(body, -1) {
		if d := private[id]; d != nil {
			c.need(f, d)
		}
	}
	order := slices.SortedFunc(maps.Values(c.needed), func(a, b *declared) int { return a.place - b.place })
	var b strings.Builder
	written := map[ast.Node]bool{}
	for _, d := range order {
		if !written[d.node] {
			written[d.node] = true
			b.WriteString("\n" + d.copied(f) + "\n")
		}
	}
	return b.String()
}

// edit is text to be put in place of a part of another.
type edit struct {
	from, to int
	text     string
}

// copied is the declaration with the names of the file.
func (d *declared) copied(f *File) string {
	var edits []edit
	place := func(p token.Pos) int { return int(p - d.node.Pos()) }
	rename := func(id *ast.Ident) {
		edits = append(edits, edit{place(id.Pos()), place(id.End()), f.Private(id.Name)})
	}
	keyword := ""
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		rename(n.Name)
		ast.Inspect(n.Body, func(m ast.Node) bool {
			if r, ok := m.(*ast.ReturnStmt); ok {
				for _, e := range r.Results {
					if isProduct(e) {
						edits = append(edits, edit{place(e.Pos()), place(e.Pos()), "float64("}, edit{place(e.End()), place(e.End()), ")"})
					}
				}
			}
			return true
		})
	case *ast.ValueSpec:
		keyword = "const "
		if n.Names[0].Obj.Kind == ast.Var {
			keyword = "var "
		}
		for _, id := range n.Names {
			rename(id)
		}
	case *ast.TypeSpec:
		keyword = "type "
		rename(n.Name)
	}
	renamed := len(edits)
	d.uses(d.node, func(id *ast.Ident, other *declared, _ string) {
		at := place(id.Pos())
		if other != nil && !slices.ContainsFunc(edits[:renamed], func(e edit) bool { return e.from == at && e.to > at }) {
			rename(id)
		}
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	if d.doc != "" { // it names the function, too
		b.WriteString("// " + f.Private(d.name) + strings.TrimPrefix(d.doc, "// "+d.name))
	}
	b.WriteString(keyword)
	last := 0
	for _, e := range edits {
		b.WriteString(d.text[last:e.from] + e.text)
		last = e.to
	}
	b.WriteString(d.text[last:])
	return b.String()
}
