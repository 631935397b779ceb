package activity

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Check reports why a file does not compile that is to be written into the package of p:
// each error with its position in text. Errors of other files are none of its.
func (p *Program) Check(name string, text []byte) (problems []types.Error) {
	file, err := parser.ParseFile(p.Fset, name, text, parser.SkipObjectResolution)
	own := p.Fset.File(file.Package)
	var unread scanner.ErrorList
	if errors.As(err, &unread) {
		return []types.Error{{Fset: p.Fset, Pos: own.Pos(unread[0].Pos.Offset), Msg: unread[0].Msg}}
	}
	config := types.Config{
		Importer: importer{p},
		Sizes:    p.Root.TypesSizes,
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) && p.Fset.File(e.Pos) == own {
				problems = append(problems, e)
			}
		},
	}
	if m := p.Root.Module; m != nil && m.GoVersion != "" {
		config.GoVersion = "go" + m.GoVersion
	}
	var files []*ast.File
	for _, f := range p.Root.Syntax { // their bodies do not matter
		g := *f
		g.Decls = slices.Clone(f.Decls)
		for i, d := range g.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				declared := *d
				declared.Body = nil
				g.Decls[i] = &declared
			}
		}
		files = append(files, &g)
	}
	files = append(files, file)
	config.Check(p.Root.PkgPath, p.Fset, files, &types.Info{Defs: map[*ast.Ident]types.Object{}})
	return problems
}

// importer finds the packages that have been loaded.
type importer struct{ p *Program }

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if q := i.p.Root.Imports[path]; q != nil && q.Types != nil {
		return q.Types, nil
	}
	for t := range i.p.byPkg {
		if t.Path() == path {
			return t, nil
		}
	}
	return nil, fmt.Errorf("package %s is not among those that have been read", path)
}

// With is a program whose package has a file besides, under the name of the one that was
// left out, which may declare what it lacked: what was written can be read again. Functions
// named in without are left out of the package, and at, if it is not nil, may say where
// offsets of the file stand in others.
func (p *Program) With(name string, text []byte, without []string, at func(f *token.File)) (*Program, error) {
	q := *p
	root := *p.Root
	q.Root = &root
	root.Errors = nil
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.config.Dir, name)
	}
	file, err := parser.ParseFile(p.Fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	root.Syntax = slices.DeleteFunc(slices.Clone(p.Root.Syntax), func(f *ast.File) bool { return p.Fset.File(f.Package).Name() == name })
	for i, f := range root.Syntax {
		g := *f
		g.Decls = slices.DeleteFunc(slices.Clone(f.Decls), func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			return ok && fn.Recv == nil && slices.Contains(without, fn.Name.Name)
		})
		root.Syntax[i] = &g
	}
	root.Syntax = append(root.Syntax, file)
	if at != nil {
		at(p.Fset.File(file.Package))
	}
	root.TypesInfo = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{}}
	config := types.Config{Importer: importer{p}, Sizes: p.Root.TypesSizes, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			root.Errors = append(root.Errors, packages.Error{Pos: p.Fset.Position(e.Pos).String(), Msg: e.Msg, Kind: packages.TypeError})
		}
	}}
	if m := p.Root.Module; m != nil && m.GoVersion != "" {
		config.GoVersion = "go" + m.GoVersion
	}
	root.Types, _ = config.Check(p.Root.PkgPath, p.Fset, root.Syntax, root.TypesInfo)
	q.byPkg, q.text = maps.Clone(p.byPkg), maps.Clone(p.text)
	delete(q.byPkg, p.Root.Types)
	q.byPkg[root.Types] = &root
	q.text[name] = text
	q.decls = map[*packages.Package]map[*types.Func]*ast.FuncDecl{}
	q.effects, q.goroutines, q.constants = map[effect]bool{}, map[*types.Func]bool{}, map[*types.Var]bool{}
	return &q, nil
}
