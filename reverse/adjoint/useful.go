package main

import (
	"go/ast"
	"go/types"
)

// useful keeps those derivatives of variables and results that reach a result which is
// wanted, or memory (usefulness; Hascoët and Pascual, ACM Trans. Math. Softw. 39, 2013, 3.1):
// the others become passive. It follows no flow of control.
func (p *program) useful(roots []root) {
	wanted := map[*local]bool{}
	for _, r := range roots {
		for _, u := range p.units {
			for i, l := range u.results {
				if u.in.Caller == nil && u.in.Fn.Name() == r.name && (r.useful == nil || r.useful[i]) {
					wanted[l] = true
				}
			}
		}
	}
	grown := true
	mark := func(l *local) {
		if l != nil && !wanted[l] {
			wanted[l], grown = true, true
		}
	}
	wants := func(l *local) bool { return l == nil || l.holder || wanted[l] }
	for grown {
		grown = false
		p.each(func(u *unit) {
			reads := func(e ast.Expr) {
				if e == nil {
					return
				}
				ast.Inspect(e, func(n ast.Node) bool {
					x, ok := n.(ast.Expr)
					if !ok {
						return true
					}
					if l := u.temps[x]; l != nil {
						mark(l)
						return false
					}
					if id, ok := x.(*ast.Ident); ok {
						mark(u.variable(id))
					}
					return true
				})
			}
			each(u.form, func(n node) {
				switch n := n.(type) {
				case *assign:
					if n.lhs != nil && wants(u.base(n.lhs)) {
						if c, ok := n.rhs.(*ast.CallExpr); ok && n.v != nil && u.temps[n.rhs] == n.v { // it was hoisted
							for _, x := range c.Args {
								reads(x)
							}
						} else {
							reads(n.rhs)
						}
					}
				case *copying:
					reads(n.src)
				case *exit:
					for i, e := range n.results {
						if wants(u.results[i]) {
							reads(e)
						}
					}
				case *call:
					for i, l := range n.lhs {
						if l != nil && wants(l) {
							if n.callee == nil {
								for _, x := range n.args {
									reads(x)
								}
							} else {
								mark(n.callee.results[i])
							}
						}
					}
					if n.callee != nil {
						for i, x := range n.args {
							if n.callee.by != nil || wants(n.callee.params[i]) {
								reads(x)
							}
						}
					}
				}
			})
		})
	}
	passive := func(l *local) {
		if l.active && !l.holder && !wanted[l] {
			l.active = false
		}
	}
	p.each(func(u *unit) {
		for _, l := range u.locals {
			passive(l)
		}
		for _, l := range u.temps {
			passive(l)
		}
		for _, l := range u.synth {
			passive(l)
		}
		for _, l := range u.results {
			passive(l)
		}
		each(u.form, func(n node) { n.info().skip = true })
		holds := false
		for _, l := range u.params {
			holds = holds || l.holder || isReference(l.typ)
		}
		u.empty = !holds || len(p.effects[u.in]) == 0
	})
}

// isReference reports whether values of t may lead to memory.
func isReference(t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	return !basic
}
