package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// custom is a unit that stands for a function with a derivative by hand, nil if fn has none.
func (p *program) custom(fn *types.Func) *unit {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil || p.helpers[fn] != (helper{}) {
		return nil
	}
	suffix := "Adjoint"
	if p.tangent {
		suffix = "Tangent"
	}
	by, _ := fn.Pkg().Scope().Lookup(fn.Name() + suffix).(*types.Func)
	if by == nil || fn.Pkg() != p.Root.Types && !by.Exported() {
		return nil
	}
	u := &unit{prog: p, sig: fn.Signature(), name: fn.Name(), by: by}
	of := func(list *types.Tuple) (locals []*local) {
		for v := range list.Variables() {
			l := &local{typ: v.Type(), active: numbers(v.Type())}
			l.holder = l.active && isSlice(l.typ)
			locals = append(locals, l)
		}
		return locals
	}
	u.params, u.results = of(u.sig.Params()), of(u.sig.Results())
	return u
}

// numbers reports whether t is float64 or []float64.
func numbers(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return types.Identical(t.Underlying(), types.Typ[types.Float64]) || ok && types.Identical(s.Elem(), types.Typ[types.Float64])
}

// wanted is the signature of the derivative by hand.
func (u *unit) wanted() string {
	var in, out []string
	name := func(t types.Type) string { return types.TypeString(t, types.RelativeTo(u.by.Pkg())) }
	of := func(list []*local, to *[]string, twice func(l *local) bool) {
		for _, l := range list {
			*to = append(*to, name(l.typ))
			if twice(l) {
				*to = append(*to, name(l.typ))
			}
		}
	}
	if u.prog.tangent {
		active := func(l *local) bool { return l.active }
		of(u.params, &in, active)
		of(u.results, &out, active)
	} else {
		of(u.params, &in, func(l *local) bool { return l.holder })
		for _, l := range u.results {
			if l.active {
				in = append(in, name(l.typ))
			}
		}
		for _, l := range u.params {
			if l.active && !l.holder {
				out = append(out, name(l.typ))
			}
		}
	}
	return "(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")"
}

// checkCustom refuses a derivative by hand that is not as it should be.
func (u *unit) checkCustom(at ast.Node) {
	var have [2][]string
	for i, list := range []*types.Tuple{u.by.Signature().Params(), u.by.Signature().Results()} {
		for v := range list.Variables() {
			have[i] = append(have[i], types.TypeString(v.Type(), types.RelativeTo(u.by.Pkg())))
		}
	}
	for _, l := range u.results {
		if l.holder {
			refuse(at, "a function that has "+u.by.Name()+" and returns a slice", "return numbers")
		}
	}
	if s := "(" + strings.Join(have[0], ", ") + ") (" + strings.Join(have[1], ", ") + ")"; s != u.wanted() {
		refuse(at, u.by.Name()+" with another signature", "func "+u.by.Name()+u.wanted())
	}
}

// shadowOr is the shadow of a slice, or where it has none, one that nobody reads.
func (r *sweep) shadowOr(e ast.Expr, l *local) string {
	if r.active(e) {
		return r.shadow(e)
	}
	return "make(" + r.prog.typ(l.typ) + ", len(" + r.text(e) + "))"
}

// tangentCustom calls a tangent by hand once for each direction.
func (r *sweep) tangentCustom(n *call) {
	var lines []string
	first := true
	r.prog.along(func() {
		var lhs, args []string
		named := false
		for i, l := range n.lhs {
			name, dot := "_", "_"
			if l != nil && first {
				name, named = l.name, true
			}
			if l != nil && l.active {
				dot, named = r.bar(l), true
			}
			lhs = append(lhs, name)
			if n.callee.results[i].active {
				lhs = append(lhs, dot)
			}
		}
		for i, e := range n.args {
			args = append(args, r.text(e))
			switch l := n.callee.params[i]; {
			case l.holder:
				args = append(args, r.shadowOr(e, l))
			case l.active:
				args = append(args, r.dot(e))
			}
		}
		if first = false; named {
			lines = append(lines, strings.Join(lhs, ", ")+" := "+r.callable(n.callee.by)+"("+strings.Join(args, ", ")+")")
		}
	})
	r.lines = append(r.lines, lines...)
}

// callable is the name by which a file calls a function of a package.
func (u *unit) callable(fn *types.Func) string {
	if fn.Pkg() == u.prog.Root.Types {
		return fn.Name()
	}
	return u.prog.imported(fn.Pkg()) + "." + fn.Name()
}
