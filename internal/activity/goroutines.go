package activity

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

const (
	inGoroutine  = "a goroutine cannot work on active values"
	notGoroutine = "call the function in a loop: the tape is evaluated in parallel by Workers"
)

// goroutine refuses goroutines that see anything active.
func (w *walker) goroutine(s *ast.GoStmt) {
	w.expr(s.Call)
	for _, e := range s.Call.Args {
		w.a.hide(w.in.Exprs[e], s.Go, inGoroutine, notGoroutine)
	}
	ast.Inspect(s.Call.Fun, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := w.info().Uses[id].(*types.Var); ok && !v.IsField() {
				w.a.hide(w.variable(v), s.Go, inGoroutine, notGoroutine)
			}
		}
		return true
	})
}

// closures refuses functions that see active variables, but take and give no numbers,
// where a goroutine might call them: those that are passed to a function that starts
// goroutines, and where anything does, those that are kept in more than a local variable.
func (a *Analysis) closures() {
	if !slices.ContainsFunc(a.All, func(in *Instance) bool { return in.Caller == nil && a.Program.spawns(in.Fn) }) {
		return
	}
	for _, in := range slices.Clone(a.All) {
		ast.PreorderStack(in.Decl, nil, func(n ast.Node, stack []ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && in.sees(e) {
				a.handed(in, e, stack, map[types.Object]bool{})
			}
			return true
		})
	}
}

// sees reports whether e is a function literal or method value that takes and gives no
// numbers and sees active variables.
func (in *Instance) sees(e ast.Expr) bool {
	if p := in.Exprs[e]; p == nil || p.Kind() != Other {
		return false
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		found := false
		ast.Inspect(e.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				found = found || in.Vars[in.Info().Uses[id]].HoldsActive()
			}
			return !found
		})
		return found
	case *ast.SelectorExpr:
		s := in.Info().Selections[e]
		return s != nil && s.Kind() == types.MethodVal && in.Exprs[e.X].HoldsActive()
	}
	return false
}

// handed refuses e, a function within the nodes of stack, if a goroutine might call it.
func (a *Analysis) handed(in *Instance, e ast.Expr, stack []ast.Node, seen map[types.Object]bool) {
	k := len(stack) - 1
	for ; k > 0; k-- {
		p, ok := stack[k].(*ast.ParenExpr)
		if !ok {
			break
		}
		e = p
	}
	var to ast.Expr
	switch n := stack[k].(type) {
	case *ast.CallExpr:
		if n.Fun == e {
			if s, ok := stack[k-1].(*ast.GoStmt); ok {
				a.Fault(in, s.Go, inGoroutine, notGoroutine)
			}
			return
		}
		if fn := typeutil.StaticCallee(in.Info(), n); fn != nil {
			if a.Program.spawns(fn) {
				a.Fault(in, e.Pos(), inGoroutine+", which "+fn.FullName()+" starts", notGoroutine)
			}
			return
		}
	case *ast.AssignStmt:
		if i := slices.Index(n.Rhs, e); i >= 0 && len(n.Lhs) == len(n.Rhs) {
			to = n.Lhs[i]
		}
	case *ast.ValueSpec:
		if i := slices.Index(n.Values, e); len(n.Names) == len(n.Values) {
			to = n.Names[i]
		}
	case *ast.BinaryExpr, *ast.ExprStmt: // compared with nil
		return
	}
	if id, ok := to.(*ast.Ident); ok {
		o := in.Info().ObjectOf(id)
		if id.Name == "_" || seen[o] {
			return
		}
		if in.Vars[o] != nil {
			seen[o] = true
			ast.PreorderStack(in.Decl, nil, func(n ast.Node, stack []ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && in.Info().Uses[id] == o && !isTarget(id, stack) {
					a.handed(in, id, slices.Clone(stack), seen)
				}
				return true
			})
			return
		}
	}
	a.Fault(in, e.Pos(), "a function that works on active values is kept where a goroutine might call it", notGoroutine)
}

func isTarget(id *ast.Ident, stack []ast.Node) bool {
	s, ok := stack[len(stack)-1].(*ast.AssignStmt)
	return ok && slices.Contains(s.Lhs, ast.Expr(id))
}

// spawns reports whether fn, or a function that it mentions, starts goroutines.
func (p *Program) spawns(fn *types.Func) bool {
	if known, ok := p.goroutines[fn]; ok {
		return known
	}
	found := false
	seen := map[*types.Func]bool{}
	var visit func(fn *types.Func)
	visit = func(fn *types.Func) {
		fn, decl, pkg := p.Source(fn)
		if decl == nil || seen[fn] || pkg.PkgPath == "runtime" {
			return
		}
		seen[fn] = true
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.Ident:
				if f, ok := pkg.TypesInfo.Uses[n].(*types.Func); ok && !found {
					visit(f)
				}
			}
			return !found
		})
	}
	visit(fn)
	p.goroutines[fn] = found
	return found
}
