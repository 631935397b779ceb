package op

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// rooms are the files in which code may ask which operation it has before it,
// and what about it stands in no table.
var rooms = map[string]string{
	"internal/program/record.go":    "where the operands of a list are while it is recorded",
	"internal/program/access.go":    "what other rooms may read of a list",
	"internal/program/listing.go":   "names of constants and primitives",
	"internal/program/share.go":     "forms of a node that have the same bits; where the operands of a list are",
	"internal/program/compile.go":   "chains of sums",
	"internal/program/plain.go":     "where the operands of a list are",
	"internal/program/arrange.go":   "how lists are laid out",
	"internal/program/rows.go":      "sums of products that share a factor",
	"internal/program/program.go":   "where the operands of a list are",
	"internal/program/span.go":      "where the operands of a list are",
	"internal/program/structure.go": "where the operands of a list are",
	"internal/program/work.go":      "how long lists are",
	"internal/program/value.go":     "which operations have a loop of their own",
	"internal/program/partials.go":  "which partials have a loop of their own",
	"internal/program/tangent.go":   "sweeps over lists",
	"internal/program/adjoint.go":   "sweeps over lists",
	"internal/program/second.go":    "sweeps over lists",
	"internal/program/fault.go":     "names of primitives",
	"internal/program/replay.go":    "operations on lists and primitives",
	"internal/terms/symbol.go":      "simplification",
	"internal/terms/derive.go":      "selections and primitives",
	"internal/terms/detect.go":      "where sums are cut",
	"internal/terms/rest.go":        "recording what is no term",
	"internal/terms/together.go":    "squares and products",
	"internal/terms/repeat.go":      "calls",
	"internal/terms/emit.go":        "selection of instructions",
	"internal/terms/straight.go":    "selection of instructions",
	"internal/terms/execute.go":     "instructions",
}

// An operation's properties stand in the table: no code compares operations by
// their order or calculates with them, and none asks which one it has outside
// of the rooms that own a case.
func TestWhoAsksAboutAnOperationAsksTheTable(t *testing.T) {
	names := map[string]bool{}
	for c := range Code(Count) {
		names[c.String()] = true
	}
	const root = "../.."
	used := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return err
		}
		file, _ := filepath.Rel(root, path)
		file = filepath.ToSlash(file)
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/op/") || strings.HasPrefix(file, "internal/randprog/") {
			return nil
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if ast.IsGenerated(tree) {
			return nil
		}
		// isOperation reports whether x names an operation.
		isOperation := func(x ast.Expr) bool {
			switch x := x.(type) {
			case *ast.SelectorExpr:
				pkg, ok := x.X.(*ast.Ident)
				return ok && (pkg.Name == "op" || pkg.Name == "program") && names[x.Sel.Name]
			case *ast.Ident:
				return tree.Name.Name == "program" && names[x.Name]
			}
			return false
		}
		asks := func(x ast.Expr) {
			if !isOperation(x) {
				return
			}
			used[file] = true
			if rooms[file] == "" {
				t.Errorf("%v: asks which operation it has: let the table answer", fset.Position(x.Pos()))
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CaseClause:
				for _, x := range n.List {
					asks(x)
				}
			case *ast.BinaryExpr:
				if !isOperation(n.X) && !isOperation(n.Y) {
					break
				}
				if n.Op != token.EQL && n.Op != token.NEQ {
					t.Errorf("%v: the order of operations means nothing", fset.Position(n.Pos()))
				}
				asks(n.X)
				asks(n.Y)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for file := range rooms {
		if !used[file] {
			t.Error(fmt.Sprint(file, " asks no longer: take it from the list"))
		}
	}
}
