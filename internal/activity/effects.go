package activity

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// Go calls functions in the order in which they are written, each once. Where what is
// written would do otherwise, these say whether that can be noticed.

// calls reports whether e calls a function that may depend on when it is called.
func calls(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !timeless(info, n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// timeless reports whether a call is a conversion, of a built-in function that only
// reads, or of package math.
func timeless(info *types.Info, e *ast.CallExpr) bool {
	if info.Types[e.Fun].IsType() {
		return true
	}
	switch fn := typeutil.Callee(info, e).(type) {
	case *types.Builtin:
		return builtins[fn.Name()].timeless
	case *types.Func:
		return fn.Pkg() != nil && fn.Pkg().Path() == "math"
	}
	return false
}

// Ordered reports whether x must be evaluated before y, expressions of pkg.
func (p *Program) Ordered(pkg *packages.Package, x, y ast.Expr) bool {
	return calls(pkg.TypesInfo, x) && calls(pkg.TypesInfo, y) && !(p.Pure(pkg, x) && p.Pure(pkg, y))
}

// Pure reports whether n, an expression or a function of pkg, changes nothing but its
// own variables, and returns no pointer to something new: then it may be evaluated twice.
func (p *Program) Pure(pkg *packages.Package, n ast.Node) bool { return p.pure(pkg, n, false) }

// Harmless is Pure for what may return pointers to something new.
func (p *Program) Harmless(pkg *packages.Package, n ast.Node) bool { return p.pure(pkg, n, true) }

func (p *Program) pure(pkg *packages.Package, n ast.Node, makes bool) bool {
	info := pkg.TypesInfo
	ok := true
	own := func(e ast.Expr) bool {
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.Ident:
				o := info.ObjectOf(x)
				return o == nil || n.Pos() <= o.Pos() && o.Pos() < n.End()
			case *ast.IndexExpr:
				if _, array := info.TypeOf(x.X).Underlying().(*types.Array); !array {
					return false
				}
				e = x.X
			case *ast.SelectorExpr:
				if s := info.Selections[x]; s == nil || s.Indirect() {
					return false
				}
				e = x.X
			default:
				return false
			}
		}
	}
	ast.Inspect(n, func(c ast.Node) bool {
		switch c := c.(type) {
		case *ast.AssignStmt:
			for _, e := range c.Lhs {
				ok = ok && own(e)
			}
		case *ast.IncDecStmt:
			ok = ok && own(c.X)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{c.Key, c.Value} {
				ok = ok && (e == nil || own(e))
			}
			_, function := info.TypeOf(c.X).Underlying().(*types.Signature)
			_, channel := info.TypeOf(c.X).Underlying().(*types.Chan)
			ok = ok && !function && !channel
		case *ast.CallExpr:
			ok = ok && (timeless(info, c) || p.pureFunction(typeutil.StaticCallee(info, c), makes))
		case *ast.UnaryExpr:
			_, literal := ast.Unparen(c.X).(*ast.CompositeLit)
			ok = ok && c.Op != token.ARROW && (c.Op != token.AND || makes && literal)
		case *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt, *ast.FuncLit:
			ok = false
		}
		return ok
	})
	return ok
}

// pureFunction reports whether calls of fn are pure. One that calls itself is not
// known to be.
func (p *Program) pureFunction(fn *types.Func, makes bool) bool {
	if fn == nil {
		return false
	}
	k := effect{fn.Origin(), makes}
	known, ok := p.effects[k]
	if !ok {
		p.effects[k] = false
		_, decl, pkg := p.Source(fn)
		known = decl != nil && p.pure(pkg, decl, makes)
		p.effects[k] = known
	}
	return known
}

// An effect is a function, and whether it may make something new.
type effect struct {
	fn    *types.Func
	makes bool
}
