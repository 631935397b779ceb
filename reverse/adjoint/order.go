package main

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hesse-ad/hesse/internal/activity"
)

// Go does not say whether a call in a statement comes before what else the statement reads.
// Here calls that change something come first, in their order; where that may matter they
// are refused.

// ordered refuses statements whose expressions read memory that a call beside it may change:
// numbers by the places that the analysis found, all else by its type. Calls of such
// statements become statements of their own.
func (l *lower) ordered(list ...ast.Expr) {
	l.apart = false
	var calls []*ast.CallExpr
	each := func(f func(n ast.Node) bool) {
		for _, e := range list {
			if e != nil {
				ast.Inspect(e, func(n ast.Node) bool {
					_, lit := n.(*ast.FuncLit)
					return !lit && f(n)
				})
			}
		}
	}
	each(func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && l.hoists(c) {
			calls = append(calls, c)
		}
		return true
	})
	for _, c := range calls {
		w := &writes{lower: l, keys: map[any]bool{}, seen: map[any]bool{}}
		for _, in := range l.group.all {
			w.code(in, in.Pkg.TypesInfo, c)
		}
		check := func(e ast.Expr, t types.Type) {
			t = activity.Substitute(t, l.in.Env).Underlying()
			found := w.keys[t.String()] && !l.active(e) // what is passive changes nothing active
			for _, in := range l.group.all {
				p := in.Exprs[e]
				if id, ok := e.(*ast.Ident); ok {
					p = in.Vars[in.Info().Uses[id]]
				}
				found = found || p.Kind() == activity.Number && w.keys[p.Root()]
			}
			if found {
				l.refuse(c, "a call that changes what its statement reads beside it, perhaps", "call it in a statement of its own: Go does not say which comes first")
			}
		}
		each(func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if n, ok := n.(*ast.CallExpr); ok && l.called(n) { // before or after it, as written
				return false
			}
			if e.Pos() <= c.Pos() && c.End() <= e.End() { // what it returns
				return true
			}
			switch x := e.(type) {
			case *ast.Ident:
				if v, ok := l.info().Uses[x].(*types.Var); ok && l.vars[v] != nil && l.vars[v].boxed {
					check(x, v.Type())
				}
			case *ast.IndexExpr:
				if fn, _ := l.in.Function(x); fn == nil {
					check(x, l.typeOf(x))
				}
			case *ast.StarExpr:
				check(x, l.typeOf(x))
			case *ast.SelectorExpr:
				if s := l.info().Selections[x]; s != nil && s.Kind() == types.FieldVal {
					check(x, l.typeOf(x))
				}
			}
			return true
		})
	}
	l.apart = len(calls) > 0
}

// called reports whether e calls a function that is neither Go's own nor of package math.
func (l *lower) called(e *ast.CallExpr) bool {
	if l.info().Types[e.Fun].IsType() || activity.Builtin(l.info(), e.Fun) != "" {
		return false
	}
	fn, _ := l.in.Function(e.Fun)
	return fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "math"
}

// hoists reports whether a call becomes a statement of its own: one of a function that
// changes something, and those beside it.
func (l *lower) hoists(e *ast.CallExpr) bool {
	return l.called(e) && (l.apart || l.callsIn(e))
}

// writes are the keys of memory that code changes: places of numbers, and types.
type writes struct {
	*lower
	keys map[any]bool
	seen map[any]bool
}

// code notes what n, code of in, changes, its own variables apart. in is nil where nothing
// is active.
func (w *writes) code(in *activity.Instance, info *types.Info, n ast.Node) {
	note := func(e ast.Expr) {
		var p *activity.Place
		if in != nil {
			p = in.Exprs[e]
		}
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			o := info.ObjectOf(id)
			if o == nil || id.Name == "_" || n.Pos() <= o.Pos() && o.Pos() < n.End() {
				return
			}
			if in != nil {
				p = in.Vars[o]
			}
		}
		switch t := info.TypeOf(e); {
		case p.Kind() == activity.Number:
			w.keys[p.Root()] = true
		case t != nil:
			w.keys[t.Underlying().String()] = true
			if _, generic := types.Unalias(t).(*types.TypeParam); generic {
				w.keys["float64"] = true
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				note(e)
			}
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					note(e)
				}
			}
		case *ast.CallExpr:
			w.call(in, info, n)
		}
		return true
	})
}

func (w *writes) call(in *activity.Instance, info *types.Info, e *ast.CallExpr) {
	if info.Types[e.Fun].IsType() {
		return
	}
	switch activity.Builtin(info, e.Fun) {
	case "copy", "append", "clear", "delete":
		if in != nil && in.Exprs[e.Args[0]].Kind() == activity.Holder {
			if p := in.Exprs[e.Args[0]].Elem(); p.Kind() == activity.Number {
				w.keys[p.Root()] = true
				return
			}
		}
		if t := info.TypeOf(e.Args[0]); t != nil {
			w.keys[elemOf(t).Underlying().String()] = true
		}
		return
	case "":
	default:
		return
	}
	if in != nil && in.Calls[e] != nil && in.Calls[e].Callee != nil && in.Calls[e].Callee.Decl != nil {
		if c := in.Calls[e].Callee; !w.seen[c] {
			w.seen[c] = true
			w.code(c, c.Info(), c.Decl)
		}
		return
	}
	if fn := typeutil.StaticCallee(info, e); fn != nil {
		if fn = fn.Origin(); !w.seen[fn] {
			w.seen[fn] = true
			if _, d, q := w.Program.Source(fn); d != nil && d.Body != nil {
				w.code(nil, q.TypesInfo, d)
			}
		}
		return
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && in == w.in {
		v, _ := info.Uses[id].(*types.Var)
		switch f := ast.Unparen(w.bound[v]).(type) {
		case nil:
		case *ast.FuncLit:
			w.code(in, info, f)
			return
		default:
			if c := in.Funcs[f]; c != nil && c.Callee != nil && c.Callee.Decl != nil {
				if c := c.Callee; !w.seen[c] {
					w.seen[c] = true
					w.code(c, c.Info(), c.Decl)
				}
				return
			}
		}
	}
	if w.seen["values"] {
		return
	}
	w.seen["values"] = true // any function that is used as a value
	for _, in := range w.a.All {
		ast.Inspect(in.Decl, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncLit); ok {
				w.code(in, in.Info(), f)
			}
			return true
		})
		for _, c := range in.Funcs {
			if c := c.Callee; c != nil && c.Decl != nil && !w.seen[c] {
				w.seen[c] = true
				w.code(c, c.Info(), c.Decl)
			}
		}
	}
}
