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
	"internal/lane/rules.go":         "which operations have a loop of their own",
	"internal/terms/match.go":        "where sums are cut",
	"internal/tape/recording.go":     "where the operands of a list are while it is recorded",
	"internal/tape/number.go":        "forms of a node that have the same bits",
	"internal/tape/tape.go":          "where the operands of a list are",
	"internal/tape/writer.go":        "how lists are laid out",
	"internal/tape/listing.go":       "names of constants and primitives",
	"internal/tape/differ.go":        "where the operands of a list are",
	"internal/tape/structure.go":     "where the operands of a list are",
	"internal/tape/replay.go":        "operations on lists and primitives",
	"internal/compile/chains.go":     "chains of sums",
	"internal/compile/live.go":       "where the operands of a list are",
	"internal/compile/batches.go":    "batches of lists",
	"internal/compile/rows.go":       "sums of products that share a factor",
	"internal/sweep/value.go":        "which operations have a loop of their own",
	"internal/sweep/tangent.go":      "sweeps over lists",
	"internal/sweep/adjoint.go":      "sweeps over lists",
	"internal/sweep/second.go":       "sweeps over lists",
	"internal/sweep/affine.go":       "sweeps over lists",
	"internal/sweep/rows.go":         "sweeps over lists",
	"internal/sweep/taylor.go":       "sweeps over lists, whole powers",
	"internal/sweep/fault.go":        "which operand a selection takes",
	"internal/expr/expr.go":          "simplification",
	"internal/expr/derive.go":        "selections and primitives",
	"internal/expr/transform.go":     "constants as data",
	"internal/expr/factor.go":        "sums and products",
	"internal/expr/finite.go":        "how large results are",
	"internal/expr/writer.go":        "lists as steps",
	"internal/gosource/functions.go": "what cannot be written in Go",
	"internal/gosource/parts.go":     "how lists are written in Go",
	"internal/code/select.go":        "selection of instructions",
	"internal/code/print.go":         "how operations are written in Go",
	"internal/source/spell.go":       "how operations are written in Go",
	"internal/terms/split.go":        "where sums are cut",
	"internal/terms/classify.go":     "the steps of sums",
	"internal/terms/rest.go":         "recording what is no term",
	"internal/terms/join.go":         "calls",
	"internal/terms/declared.go":     "calls",
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
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/op/") || strings.HasPrefix(file, "internal/testkit/randprog/") {
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
			s, ok := x.(*ast.SelectorExpr)
			if !ok {
				return false
			}
			pkg, ok := s.X.(*ast.Ident)
			return ok && pkg.Name == "op" && names[s.Sel.Name]
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
