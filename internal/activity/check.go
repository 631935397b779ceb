package activity

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/types"
	"slices"
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
