package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// pure is the functions whose calls are left out with their results.
var pure = regexp.MustCompile(`^(math\.|hesse)\pL+$`)

// withoutStores leaves out assignments to variables of a block that nothing behind them reads,
// as derivatives have of what a function computes for its value alone.
func withoutStores(text []byte) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	gone := false
	ast.Inspect(f, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncDecl); ok && jumps(f) { // what is above may come later
			return false
		}
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		for i, s := range block.List {
			a, ok := s.(*ast.AssignStmt)
			if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || !isPure(a.Rhs[0]) {
				continue
			}
			id, ok := a.Lhs[0].(*ast.Ident)
			if !ok || !slices.ContainsFunc(block.List[:i], func(s ast.Stmt) bool { return declares(s, id.Name) }) ||
				slices.ContainsFunc(block.List[i+1:], func(s ast.Stmt) bool { return standsIn(s, id.Name) }) ||
				slices.ContainsFunc(block.List[:i], escapes) {
				continue
			}
			for at := set.Position(s.Pos()).Line; at <= set.Position(s.End()).Line; at++ {
				lines[at-1] = ""
			}
			gone = true
		}
		return true
	})
	if !gone {
		return text, nil
	}
	return withoutStores([]byte(strings.Join(lines, "\n")))
}

// jumps reports whether there is a goto in f.
func jumps(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// isPure reports whether e computes a number and does nothing else.
func isPure(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return isPure(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.SUB && isPure(e.X)
	case *ast.BinaryExpr:
		return isPure(e.X) && isPure(e.Y)
	case *ast.CallExpr:
		name := ""
		switch f := e.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			if x, ok := f.X.(*ast.Ident); ok {
				name = x.Name + "." + f.Sel.Name
			}
		}
		return (pure.MatchString(name) && !effective.MatchString(name+"(") || name == "float64") && !slices.ContainsFunc(e.Args, func(x ast.Expr) bool { return !isPure(x) })
	}
	return false
}

// declares reports whether s is the declaration of a variable.
func declares(s ast.Stmt, name string) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE && slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return standsIn(e, name) })
	case *ast.DeclStmt:
		return standsIn(s, name)
	}
	return false
}

// standsIn reports whether a name stands in n.
func standsIn(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// escapes reports whether s may lead to a variable otherwise than by its name: by an address or a closure.
func escapes(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND
		}
		return !found
	})
	return found
}
