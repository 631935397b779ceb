package activity

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// Constant reports whether nothing changes the package variable v, or what it refers to,
// once it is declared: all that the program does with it is seen to read. Of an exported
// variable of the module at hand, whose other packages are not all known, it is false.
func (p *Program) Constant(v *types.Var) bool {
	known, ok := p.constants[v]
	if !ok {
		known = p.isConstant(v)
		p.constants[v] = known
	}
	return known
}

func (p *Program) isConstant(v *types.Var) bool {
	seen := map[*types.Var]bool{}
	q := p.byPkg[v.Pkg()]
	if q == nil || v.Exported() && q.Module != nil && q.Module.Version == "" {
		return false
	}
	for _, r := range p.byPkg {
		if delete(seen, v); (r == q || v.Exported()) && !p.onlyRead(r, v, seen) {
			return false
		}
	}
	return true
}

// onlyRead reports whether the code of q only reads v and what v refers to. Where it is
// passed on to a parameter or a local variable, that one must only be read, too.
func (p *Program) onlyRead(q *packages.Package, v *types.Var, seen map[*types.Var]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	ok := true
	for _, f := range q.Syntax {
		if v.Parent() != v.Pkg().Scope() && !(f.FileStart <= v.Pos() && v.Pos() < f.FileEnd) {
			continue
		}
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			if id, is := n.(*ast.Ident); is && ok && q.TypesInfo.Uses[id] == v {
				ok = p.reads(q, id, stack, seen)
			}
			return ok
		})
	}
	return ok
}

// reads reports whether what is done with the value of id, within the nodes of stack, is
// to read it.
func (p *Program) reads(q *packages.Package, id *ast.Ident, stack []ast.Node, seen map[*types.Var]bool) bool {
	info := q.TypesInfo
	e, k := ast.Expr(id), len(stack)-1
	for ; k >= 0; k-- { // from the variable to the element or field, or to its address
		switch n := stack[k].(type) {
		case *ast.ParenExpr, *ast.StarExpr:
			e = n.(ast.Expr)
			continue
		case *ast.IndexExpr:
			if n.X == e {
				e = n
				continue
			}
		case *ast.SliceExpr:
			if n.X == e {
				e = n
				continue
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				e = n
				continue
			}
		case *ast.SelectorExpr:
			sel := info.Selections[n]
			if sel != nil && sel.Kind() != types.FieldVal {
				fn, decl, r := p.Source(sel.Obj().(*types.Func))
				if decl == nil || types.IsInterface(fn.Signature().Recv().Type()) {
					return false
				}
				if !refers(fn.Signature().Recv().Type()) {
					return true
				}
				recv := (&walker{in: &Instance{Pkg: r}}).receiver(decl, fn.Signature().Recv())
				return p.onlyRead(r, recv, seen)
			}
			e = n
			continue
		case *ast.CallExpr:
			if info.Types[n.Fun].IsType() {
				e = n
				continue
			}
		}
		break
	}
	if k < 0 {
		return false
	}
	t := info.TypeOf(e)
	passed := func(to ast.Expr) bool { // to a local variable
		id, ok := to.(*ast.Ident)
		if !ok {
			return false
		}
		w, ok := info.ObjectOf(id).(*types.Var)
		return id.Name == "_" || ok && w.Parent() != q.Types.Scope() && p.onlyRead(q, w, seen)
	}
	switch n := stack[k].(type) {
	case *ast.AssignStmt:
		if slices.Contains(n.Lhs, e) { // a local variable may be set to refer to something else
			return e == id && info.Uses[id].Parent() != q.Types.Scope() && refers(t)
		}
		return !refers(t) || len(n.Lhs) == len(n.Rhs) && passed(n.Lhs[slices.Index(n.Rhs, e)])
	case *ast.IncDecStmt:
		return false
	case *ast.RangeStmt:
		if n.X != e {
			return false
		}
		for _, v := range []ast.Expr{n.Key, n.Value} {
			if v != nil && refers(info.TypeOf(v)) && !passed(v) {
				return false
			}
		}
		return true
	}
	if !refers(t) {
		return true
	}
	switch n := stack[k].(type) {
	case *ast.BinaryExpr: // a comparison
		return true
	case *ast.ValueSpec:
		return len(n.Names) == len(n.Values) && passed(n.Names[slices.Index(n.Values, e)])
	case *ast.CallExpr:
		i := slices.Index(n.Args, e)
		if i < 0 {
			return n.Fun == e
		}
		switch fn := typeutil.Callee(info, n).(type) {
		case *types.Builtin:
			elem, _ := t.Underlying().(interface{ Elem() types.Type })
			return builtins[fn.Name()].reads ||
				(fn.Name() == "copy" || fn.Name() == "append") && i > 0 && n.Ellipsis.IsValid() == (fn.Name() == "append") && elem != nil && !refers(elem.Elem())
		case *types.Func:
			fn, decl, r := p.Source(fn)
			if decl == nil || fn.Signature().Variadic() && !n.Ellipsis.IsValid() {
				return false
			}
			return p.onlyRead(r, fn.Signature().Params().At(i), seen)
		}
	}
	return false
}

// refers reports whether a copy of a value of t shares memory with it.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return refers(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if refers(u.Field(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}
