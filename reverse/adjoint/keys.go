package main

import (
	"go/ast"
	"go/types"

	"github.com/hesse-ad/hesse/internal/activity"
)

// What a statement reads and writes are keys: a variable of the function is its *local;
// memory that slices and pointers lead to is the place that the analysis found for its
// numbers, or a text with the type of what is no number.

// keysOf calls f with the keys that a value of e is made of: e is a place.
func (u *unit) keysOf(e ast.Expr, f func(key any)) {
	if l := u.base(e); l != nil {
		f(l)
		return
	}
	u.leaves(u.placeOf(ast.Unparen(e)), u.typeOf(e), f)
}

// leaves are the keys of memory that holds a value of a type.
func (u *unit) leaves(p *activity.Place, t types.Type, f func(key any)) {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for i := range t.NumFields() {
			var q *activity.Place
			if p.Kind() == activity.Record {
				q = p.Fields()[i]
			}
			u.leaves(q, t.Field(i).Type(), f)
		}
		return
	case *types.Array:
		if p.Kind() == activity.Holder {
			u.leaves(p.Elem(), t.Elem(), f)
			return
		}
		u.leaves(nil, t.Elem(), f)
		return
	}
	if p.Kind() == activity.Number {
		f(p.Root())
		return
	}
	f("memory of " + t.Underlying().String())
}

// reads calls f with the keys of all that evaluating e reads.
func (u *unit) reads(e ast.Expr, f func(key any)) {
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if l := u.temps[x]; l != nil {
			f(l)
			return false
		}
		if _, ok := u.elements[x]; ok {
			u.keysOf(x, f)
			return true
		}
		switch x := x.(type) {
		case *ast.Ident:
			if l := u.variable(x); l != nil {
				f(l)
			} else if v, ok := u.in.Info().Uses[x].(*types.Var); ok && !v.IsField() && !u.prog.Constant(v) {
				f("variables of packages")
			}
		case *ast.IndexExpr, *ast.StarExpr:
			if !u.in.Info().Types[x].IsType() {
				u.keysOf(x, f)
			}
		case *ast.SelectorExpr:
			if s := u.in.Info().Selections[x]; s != nil && s.Kind() == types.FieldVal {
				u.keysOf(x, f)
			}
		case *ast.CallExpr:
			if u.in.Info().Types[x.Fun].IsType() || activity.Builtin(u.in.Info(), x.Fun) != "" {
				return true
			}
			for _, a := range x.Args {
				u.reachable(u.typeOf(a), u.placeOf(a), f)
			}
			if s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && u.in.Info().Selections[s] != nil {
				u.reachable(u.typeOf(s.X), u.placeOf(s.X), f)
			}
		}
		return true
	})
}

// reachable are the keys of all that a value of a type at a place leads to.
func (u *unit) reachable(t types.Type, p *activity.Place, f func(key any)) {
	if p != nil {
		p.Walk(func(p *activity.Place) {
			if p.Kind() == activity.Number {
				f(p.Root())
			}
		})
	}
	seen := map[types.Type]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.Underlying().(type) {
		case *types.Slice:
			f("memory of " + t.Elem().Underlying().String())
			visit(t.Elem())
		case *types.Pointer:
			f("memory of " + t.Elem().Underlying().String())
			visit(t.Elem())
		case *types.Array:
			f("memory of " + t.Elem().Underlying().String())
			visit(t.Elem())
		case *types.Map:
			f("memory of " + t.Elem().Underlying().String())
			visit(t.Elem())
		case *types.Struct:
			for i := range t.NumFields() {
				f("memory of " + t.Field(i).Type().Underlying().String())
				visit(t.Field(i).Type())
			}
		}
	}
	visit(t)
}

// writes calls f with the keys of what a node changes, and all nodes within.
func (u *unit) writesOf(n node, f func(key any)) {
	each(n, func(n node) {
		u.passiveCalls(n, func(e *ast.CallExpr) { u.passiveEffects(e, f) })
		switch n := n.(type) {
		case *plain:
			if _, ok := n.stmt.(*ast.ExprStmt); ok { // it prints
				f("variables of packages")
			}
		case *assign:
			if n.stack != nil {
				f("stacks")
			} else if n.lhs != nil && !n.define {
				u.keysOf(n.lhs, f)
			}
		case *copying:
			u.elementsOf(n.dst, f)
		case *call:
			if !n.define {
				for _, l := range n.lhs {
					if l != nil {
						f(l)
					}
				}
			}
			u.effects(n, f)
		case *loop:
			if n.counter != nil {
				f(n.counter)
			}
		}
	})
}

// passiveCalls calls f with the calls within the expressions of a node that are not looked
// into.
func (u *unit) passiveCalls(n node, f func(e *ast.CallExpr)) {
	var list []ast.Expr
	var defined *local
	switch n := n.(type) {
	case *assign:
		list, defined = []ast.Expr{n.lhs, n.rhs}, n.v
	case *call:
		list = n.args
		if n.callee == nil {
			list = []ast.Expr{n.call}
		}
	case *branch:
		list = []ast.Expr{n.cond}
	case *choice:
		list = []ast.Expr{n.stmt.Tag}
		for _, h := range n.heads {
			list = append(list, h.List...)
		}
	case *loop:
		list = []ast.Expr{n.from, n.to, n.cond}
	case *exit:
		list = n.results
	case *copying:
		list = []ast.Expr{n.dst, n.src}
	}
	for _, e := range list {
		if e == nil {
			continue
		}
		ast.Inspect(e, func(m ast.Node) bool {
			if x, ok := m.(ast.Expr); ok && u.temps[x] != nil && u.temps[x] != defined {
				return false
			}
			if c, ok := m.(*ast.CallExpr); ok && !u.in.Info().Types[c.Fun].IsType() && activity.Builtin(u.in.Info(), c.Fun) == "" {
				if fn, _ := u.in.Function(c.Fun); (fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "math") && !u.prog.pops(u.in, c) {
					f(c)
				}
			}
			return true
		})
	}
}

// elementsOf are the keys of the elements of a slice.
func (u *unit) elementsOf(e ast.Expr, f func(key any)) {
	t := u.typeOf(e).Underlying().(*types.Slice)
	u.leaves(u.placeOf(e).Elem(), t.Elem(), f)
}

// effects are the keys of memory that a call changes.
func (u *unit) effects(n *call, f func(key any)) {
	if n.callee != nil {
		c := u.in.Calls[n.call]
		for _, in := range n.callee.all {
			if c == nil || in != c.Callee {
				continue
			}
			for k := range n.callee.written(in) {
				f(k)
			}
		}
	}
}

// passiveEffects are those of a call of what is not looked into.
func (u *unit) passiveEffects(e *ast.CallExpr, f func(key any)) {
	if fn, _ := u.in.Function(e.Fun); isReading(fn) || u.prog.Program.Harmless(u.in.Pkg, e) {
		return
	}
	f("variables of packages")
	for _, a := range e.Args {
		u.reachable(u.typeOf(a), u.placeOf(a), f)
	}
	if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && u.in.Info().Selections[s] != nil {
		u.reachable(u.typeOf(s.X), u.placeOf(s.X), f)
	}
}
