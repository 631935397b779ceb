package activity

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A program is a package with all that it imports, as source and types.
type Program struct {
	Fset *token.FileSet
	Root *packages.Package // with types and syntax, as all that it imports

	byPkg map[*types.Package]*packages.Package
	decls map[*packages.Package]map[*types.Func]*ast.FuncDecl
	text  map[string][]byte

	effects    map[effect]bool                                   // see pureFunction
	goroutines map[*types.Func]bool                              // see spawns
	constants  map[*types.Var]bool                               // see Constant
	mentions   map[*packages.Package]map[*types.Var][]*ast.Ident // see uses

	config     *packages.Config
	noAssembly map[*packages.Package]*packages.Package
}

// Load reads the package in dir as go build does, with all that it imports, but for its
// file without, which is about to be written anew and may have errors, or be missed. The
// packages also, by import path, are those that the file will need besides. Errors of
// types in the package matter where they are in functions that are gone through: see
// Analysis.TypeError.
func Load(dir, without string, also ...string) (*Program, error) {
	if without != "" && !filepath.IsAbs(without) {
		without = filepath.Join(dir, without)
	}
	p := &Program{
		Fset: token.NewFileSet(), byPkg: map[*types.Package]*packages.Package{},
		decls: map[*packages.Package]map[*types.Func]*ast.FuncDecl{}, text: map[string][]byte{}, effects: map[effect]bool{}, goroutines: map[*types.Func]bool{}, constants: map[*types.Var]bool{}, mentions: map[*packages.Package]map[*types.Var][]*ast.Ident{},
		noAssembly: map[*packages.Package]*packages.Package{},
	}
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule | packages.NeedTypesSizes,
		Dir: dir, Fset: p.Fset,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			if without != "" && name == without {
				return parser.ParseFile(fset, name, src, parser.PackageClauseOnly)
			}
			return parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		},
	}
	p.config = cfg
	roots, err := packages.Load(cfg, append(also, ".")...)
	if err != nil {
		return nil, err
	}
	for _, q := range roots {
		if !slices.Contains(also, q.PkgPath) {
			p.Root = q
		} else if len(q.GoFiles) == 0 {
			return nil, fmt.Errorf("package %s, which is needed in what is written, is not found: go get it", q.PkgPath)
		}
	}
	if p.Root == nil {
		return nil, fmt.Errorf("no package in %s", dir)
	}
	packages.Visit(roots, nil, func(q *packages.Package) {
		if q.Types != nil {
			p.byPkg[q.Types] = q
		}
	})
	for _, e := range p.Root.Errors {
		if e.Kind != packages.TypeError {
			return nil, e
		}
	}
	return p, nil
}

// Source is a function with its body and its package, nil if it has no body in Go. Where
// the body is in assembly, and the package has it in Go for the build tags noasm, purego
// or safe, that function is returned in place of fn.
func (p *Program) Source(fn *types.Func) (*types.Func, *ast.FuncDecl, *packages.Package) {
	fn = fn.Origin()
	q := p.byPkg[fn.Pkg()]
	if q == nil {
		return fn, nil, nil
	}
	if d := p.declarations(q)[fn]; d == nil || d.Body != nil {
		return fn, d, q
	}
	if q = p.portable(q); q != nil && fn.Signature().Recv() == nil {
		if fn, ok := q.Types.Scope().Lookup(fn.Name()).(*types.Func); ok {
			if d := p.declarations(q)[fn]; d != nil && d.Body != nil {
				return fn, d, q
			}
		}
	}
	return fn, nil, nil
}

func (p *Program) declarations(q *packages.Package) map[*types.Func]*ast.FuncDecl {
	m := p.decls[q]
	if m == nil {
		m = map[*types.Func]*ast.FuncDecl{}
		for _, f := range q.Syntax {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					if fn, ok := q.TypesInfo.Defs[d.Name].(*types.Func); ok {
						m[fn] = d
					}
				}
			}
		}
		p.decls[q] = m
	}
	return m
}

// portable is a package as it is built without assembly, nil if it is not.
func (p *Program) portable(q *packages.Package) *packages.Package {
	r, ok := p.noAssembly[q]
	if !ok {
		cfg := *p.config
		cfg.BuildFlags = []string{"-tags=noasm,purego,safe"}
		if l, err := packages.Load(&cfg, q.PkgPath); err == nil && len(l) == 1 && l[0].Types != nil && len(l[0].Errors) == 0 {
			r = l[0]
			packages.Visit(l, nil, func(q *packages.Package) { p.byPkg[q.Types] = q })
		}
		p.noAssembly[q] = r
	}
	return r
}

// Spec is where a type, variable or constant of a package is declared, nil if that is
// not known.
func (p *Program) Spec(o types.Object) (ast.Spec, *ast.GenDecl, *packages.Package) {
	q := p.byPkg[o.Pkg()]
	if q == nil {
		return nil, nil, nil
	}
	for _, f := range q.Syntax {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || o.Pos() < g.Pos() || o.Pos() >= g.End() {
				continue
			}
			for _, s := range g.Specs {
				if s.Pos() <= o.Pos() && o.Pos() < s.End() {
					return s, g, q
				}
			}
		}
	}
	return nil, nil, nil
}

// Text is the source between two positions of a file.
func (p *Program) Text(from, to token.Pos) string {
	f := p.Fset.File(from)
	src := p.text[f.Name()]
	if src == nil {
		src, _ = os.ReadFile(f.Name())
		p.text[f.Name()] = src
	}
	return string(src[f.Offset(from):f.Offset(to)])
}

// An Env has the type arguments of an instance of a generic function.
type Env map[*types.TypeParam]types.Type

// Substitute replaces type parameters in t by their arguments.
func Substitute(t types.Type, env Env) types.Type {
	if len(env) == 0 || t == nil {
		return t
	}
	sub := func(t types.Type) types.Type { return Substitute(t, env) }
	tuple := func(t *types.Tuple) *types.Tuple {
		var v []*types.Var
		for i := range t.Len() {
			p := t.At(i)
			v = append(v, types.NewParam(p.Pos(), p.Pkg(), p.Name(), sub(p.Type())))
		}
		return types.NewTuple(v...)
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if u := env[t]; u != nil {
			return u
		}
	case *types.Slice:
		return types.NewSlice(sub(t.Elem()))
	case *types.Array:
		return types.NewArray(sub(t.Elem()), t.Len())
	case *types.Pointer:
		return types.NewPointer(sub(t.Elem()))
	case *types.Chan:
		return types.NewChan(t.Dir(), sub(t.Elem()))
	case *types.Map:
		return types.NewMap(sub(t.Key()), sub(t.Elem()))
	case *types.Tuple:
		return tuple(t)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, tuple(t.Params()), tuple(t.Results()), t.Variadic())
	case *types.Struct:
		var f []*types.Var
		var tags []string
		for i := range t.NumFields() {
			v := t.Field(i)
			f = append(f, types.NewField(v.Pos(), v.Pkg(), v.Name(), sub(v.Type()), v.Embedded()))
			tags = append(tags, t.Tag(i))
		}
		return types.NewStruct(f, tags)
	case *types.Named:
		if args := t.TypeArgs(); args.Len() > 0 {
			var to []types.Type
			for i := range args.Len() {
				to = append(to, sub(args.At(i)))
			}
			if u, err := types.Instantiate(context, t.Origin(), to, false); err == nil {
				return u
			}
		}
	}
	return t
}

var context = types.NewContext()

// TypeError is the first error of types in the functions that a went through, nil if there
// is none.
func (a *Analysis) TypeError() error {
	for _, e := range a.Program.Root.Errors {
		for _, in := range a.All {
			from, to := a.Program.Fset.Position(in.Decl.Pos()), a.Program.Fset.Position(in.Decl.End())
			for line := from.Line; in.Pkg == a.Program.Root && line <= to.Line; line++ {
				if strings.HasPrefix(e.Pos, fmt.Sprintf("%s:%d:", from.Filename, line)) {
					return e
				}
			}
		}
	}
	return nil
}
