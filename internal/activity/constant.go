package activity

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// Constant reports whether nothing changes the package variable v, or what it refers to,
// once it is declared: all that the program does with it is seen to read. Of an exported
// variable it is false, since not all packages that may change it are known, but in a command
// and where another module keeps it internal.
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
	if q == nil || v.Exported() && q.Name != "main" && (sameModule(q, p.Root) || !strings.Contains("/"+q.PkgPath+"/", "/internal/")) {
		return false
	}
	for _, r := range p.byPkg {
		if delete(seen, v); (r == q || v.Exported()) && !p.onlyRead(r, v, seen) {
			return false
		}
	}
	return true
}

func sameModule(q, r *packages.Package) bool {
	if q.Module == nil || r.Module == nil {
		return q.Module == r.Module
	}
	return q.Module.Path == r.Module.Path
}

// onlyRead reports whether the code of q only reads v and what v refers to. Where it is
// passed on to a parameter or a local variable, that one must only be read, too.
func (p *Program) onlyRead(q *packages.Package, v *types.Var, seen map[*types.Var]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, id := range p.uses(q)[v] {
		ok := true
		f := q.Syntax[slices.IndexFunc(q.Syntax, func(f *ast.File) bool { return f.FileStart <= id.Pos() && id.Pos() < f.FileEnd })]
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			if n == id {
				ok = p.reads(q, id, stack, seen)
			}
			return n.Pos() <= id.Pos() && id.Pos() < n.End()
		})
		if !ok {
			return false
		}
	}
	return true
}

// uses is where the code of q mentions its variables and those of other packages.
func (p *Program) uses(q *packages.Package) map[*types.Var][]*ast.Ident {
	uses := p.mentions[q]
	if uses == nil {
		uses = map[*types.Var][]*ast.Ident{}
		for id, o := range q.TypesInfo.Uses {
			if v, ok := o.(*types.Var); ok && !v.IsField() {
				uses[v] = append(uses[v], id)
			}
		}
		p.mentions[q] = uses
	}
	return uses
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
		case *ast.CompositeLit: // what holds it
			e = n
			continue
		case *ast.KeyValueExpr:
			if n.Value == e {
				e = n
				continue
			}
		case *ast.CallExpr:
			if fn := typeutil.StaticCallee(info, n); fn != nil && fn.FullName() == "slices.Clone" && !refers(info.TypeOf(e).Underlying().(*types.Slice).Elem()) {
				return true
			}
			if info.Types[n.Fun].IsType() || Builtin(info, n.Fun) == "append" && n.Args[0] != e {
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
			elem, _ := t.Underlying().(hasElem)
			return builtins[fn.Name()].reads || fn.Name() == "copy" && i > 0 && elem != nil && !refers(elem.Elem())
		case *types.Func:
			fn, decl, r := p.Source(fn)
			if decl == nil || fn.Signature().Variadic() && !n.Ellipsis.IsValid() {
				return false
			}
			return p.onlyRead(r, fn.Signature().Params().At(i), seen)
		case *types.Var:
			f := literalOf(q, fn)
			return f != nil && !f.Variadic() && p.onlyRead(q, f.Params().At(i), seen)
		}
	}
	return false
}

// literalOf is the type of the function literal that is the only value of v, a local variable of q;
// nil if v may have others.
func literalOf(q *packages.Package, v *types.Var) (sig *types.Signature) {
	if v.Parent() == nil || v.Parent() == q.Types.Scope() {
		return nil
	}
	values := 0
	for _, f := range q.Syntax {
		if v.Pos() < f.FileStart || f.FileEnd <= v.Pos() {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); !ok || q.TypesInfo.ObjectOf(id) != v {
						continue
					}
					values++
					if lit, ok := n.Rhs[min(i, len(n.Rhs)-1)].(*ast.FuncLit); ok {
						sig = q.TypesInfo.TypeOf(lit).(*types.Signature)
					}
				}
			case *ast.RangeStmt:
				for _, e := range []ast.Expr{n.Key, n.Value} {
					if id, ok := e.(*ast.Ident); ok && q.TypesInfo.Uses[id] == v {
						values = 2
					}
				}
			case *ast.UnaryExpr:
				if id, ok := n.X.(*ast.Ident); ok && n.Op == token.AND && q.TypesInfo.Uses[id] == v {
					values = 2
				}
			}
			return true
		})
	}
	if values != 1 {
		return nil
	}
	return sig
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
