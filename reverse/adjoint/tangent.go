package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/source"
)

// The tangent of a function is the function with the derivative of each active assignment
// beside it, along as many directions as there are suffixes.

// along calls f once for each direction, while shadows have its suffix.
func (p *program) along(f func()) {
	for _, p.suffix = range p.suffixes {
		f()
	}
}

// tangentAssign prints an assignment and its derivative: behind it where it declares a
// variable, whose value the derivative may read, before it where it changes one.
func (r *sweep) tangentAssign(n *assign) {
	switch {
	case n.rhs != nil && (n.lhs == nil || !r.active(n.lhs)) && r.prog.pops(r.in, n.rhs) && r.in.Exprs[n.rhs].HoldsActive():
		r.prog.along(func() { r.line("%s", r.shadow(n.rhs)) })
		r.forwardAssign(n)
	case n.lhs == nil || !r.active(n.lhs):
		r.forwardAssign(n)
	case n.define:
		r.top = nil
		if c, ok := n.rhs.(*ast.CallExpr); ok && (r.temps[c] == nil || r.temps[c] == n.v) {
			r.top, r.value = c, n.v
		} else if r.temps[n.rhs] == n.v {
			r.top = n.rhs
		}
		r.line("%s", r.definition(n))
		r.prog.along(func() {
			switch {
			case n.rhs == nil || !r.active(n.rhs):
				r.line("var %s %s", r.bar(n.v), r.prog.typ(n.v.typ))
			case n.typed && holds(n.v.typ): // nil has no type
				r.line("var %s %s = %s", r.bar(n.v), r.prog.typ(n.v.typ), r.dot(n.rhs))
			default:
				if s := r.dot(n.rhs); s == r.prog.zero(n.v.typ) {
					r.line("var %s %s", r.bar(n.v), r.prog.typ(n.v.typ))
				} else {
					r.line("%s := %s", r.bar(n.v), s)
				}
			}
		})
		r.top, r.value = nil, nil
	default:
		r.prog.along(func() { r.tangentSet(n) })
		r.forwardAssign(n)
	}
}

// tangentSet is the derivative of what changes a place.
func (r *sweep) tangentSet(n *assign) {
	bar := r.shadow(n.lhs)
	if n.op == token.ASSIGN {
		r.line("%s = %s", bar, r.dot(n.rhs))
		return
	}
	d := ""
	if n.rhs != nil {
		d = r.tangent(n.rhs)
	}
	switch n.op {
	case token.ADD_ASSIGN, token.SUB_ASSIGN:
		if d == "" {
			return
		}
		sign := n.op
		if e, ok := strings.CutPrefix(d, "-"); ok && product(e) {
			d, sign = e, token.ADD_ASSIGN+token.SUB_ASSIGN-sign
		}
		r.line("%s %s %s", bar, sign, d)
	case token.MUL_ASSIGN, token.QUO_ASSIGN:
		if d == "" && !r.careful {
			r.line("%s %s %s", bar, n.op, r.text(n.rhs))
			return
		}
		x, y := operand(r.text(n.lhs)), operand(r.text(n.rhs))
		if n.op == token.MUL_ASSIGN {
			r.line("%s = %s", bar, sum(r.times(bar, y), r.scaled(d, x)))
		} else {
			r.line("%s = %s", bar, r.quotient(n.lhs, bar, x, d, y))
		}
	default:
		refuse(n.lhs, n.op.String()+" of active values", "write it otherwise")
	}
}

// forget drops the names of what was kept for a statement.
func (r *sweep) forget() {
	for _, e := range r.values {
		delete(r.temps, e)
	}
	r.values, r.kepts = nil, nil
}

// dot is the derivative of e, a value of any type.
func (r *sweep) dot(e ast.Expr) string {
	t := r.typeOf(e)
	inner, and := ast.Unparen(e), ""
	if a, ok := inner.(*ast.UnaryExpr); ok && a.Op == token.AND {
		inner, and = ast.Unparen(a.X), "&"
	}
	switch x := inner.(type) {
	case *ast.CompositeLit:
		if r.active(e) && r.temps[e] == nil {
			return and + r.tangentLiteral(x)
		}
	case *ast.CallExpr:
		if activity.Builtin(r.in.Info(), x.Fun) == "append" && r.active(e) {
			s := "append(" + r.dot(x.Args[0])
			for _, y := range x.Args[1:] {
				s += ", " + r.dot(y)
			}
			if x.Ellipsis.IsValid() {
				s += "..."
			}
			return s + ")"
		}
	}
	switch {
	case !r.active(e):
		return r.prog.zero(t)
	case holds(t):
		return r.shadow(e)
	}
	if s := r.tangent(e); s != "" {
		return s
	}
	return r.prog.zero(t)
}

// tangent is the derivative of e, which has no slices or pointers; "" is 0.
func (r *sweep) tangent(e ast.Expr) string {
	if !r.active(e) {
		return ""
	}
	if l := r.temps[e]; l != nil && e != r.top && !slices.Contains(r.values, e) {
		return r.bar(l)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return r.tangent(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			return minus(r.tangent(x.X))
		}
		return r.tangent(x.X)
	case *ast.BinaryExpr:
		dx, dy := r.tangent(x.X), r.tangent(x.Y)
		switch x.Op {
		case token.ADD:
			return sum(dx, dy)
		case token.SUB:
			return sum(dx, minus(dy))
		case token.MUL:
			if a := r.text(x.X); dx != "" && a == r.text(x.Y) {
				return r.times(dx, "2 * "+operand(a))
			}
			return sum(r.scaled(dx, r.text(x.Y)), r.scaled(dy, r.text(x.X)))
		default:
			return r.quotient(x, dx, operand(r.text(x.X)), dy, operand(r.text(x.Y)))
		}
	case *ast.CallExpr:
		return r.tangentOfCall(x)
	}
	return r.shadow(e)
}

// tangentLiteral is the derivative of a literal: of a struct, of its numbers, slices and pointers.
func (r *sweep) tangentLiteral(x *ast.CompositeLit) string {
	name := r.prog.typ(r.typeOf(x))
	if t, ok := r.typeOf(x).Underlying().(*types.Pointer); ok {
		name = "&" + r.prog.typ(t.Elem())
	}
	s, isStruct := activity.Deref(r.typeOf(x)).Underlying().(*types.Struct)
	var list []string
	for i, e := range x.Elts {
		key := ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e, key = kv.Value, r.text(kv.Key)+": "
		}
		if !isStruct {
			list = append(list, key+r.dot(e))
			continue
		}
		if key == "" {
			key = s.Field(i).Name() + ": "
		}
		if r.active(e) {
			list = append(list, key+r.dot(e))
		}
	}
	return name + "{" + strings.Join(list, ", ") + "}"
}

// minus is -s.
func minus(s string) string {
	if s == "" {
		return ""
	}
	return negative(factor(s))
}

// sum is a + b.
func sum(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	if c, ok := strings.CutPrefix(b, "-"); ok && product(c) {
		return a + " - " + c
	}
	return a + " + " + b
}

// scaled is a derivative times a factor.
func (r *sweep) scaled(d, by string) string {
	if d == "" {
		return ""
	}
	return r.times(d, by)
}

// quotient is the derivative of x/y, e or what e is divided by y, where those of x and y are
// dx and dy.
func (r *sweep) quotient(e ast.Expr, dx, x, dy, y string) string {
	switch {
	case r.careful:
		partials := r.kept(e, 2, func() string { return r.prog.file.First2(op.Div, x, y, x+" / "+y) })
		return sum(r.scaled(dx, partials[0]), r.scaled(dy, partials[1]))
	case dy == "":
		return factor(dx) + " / " + y
	case dx == "":
		return minus(factor(dy) + " * " + "(" + x + " / " + y + ") / " + y)
	}
	return "(" + sum(dx, minus(factor(dy)+" * "+"("+x+" / "+y+")")) + ") / " + y
}

// kept are names of the values of a call, which is written once for all directions.
func (r *sweep) kept(e ast.Expr, n int, call func() string) []string {
	names := r.kepts[e]
	if names == nil {
		s := call()
		if n == 1 && !strings.Contains(s, "(") {
			return []string{s}
		}
		for range n {
			names = append(names, r.prog.temporary(r))
		}
		r.line("%s := %s", strings.Join(names, ", "), s)
		if r.kepts == nil {
			r.kepts = map[ast.Expr][]string{}
		}
		r.kepts[e] = names
	}
	return names
}

// valueOf is the value of a call, which is kept if it is none of a variable.
func (r *sweep) valueOf(e *ast.CallExpr) string {
	if l := r.temps[e]; l != nil {
		return l.name
	}
	if e == r.top && r.value != nil {
		return r.value.name
	}
	l := &local{name: r.prog.temporary(r), typ: r.typeOf(e), active: true}
	r.line("%s := %s", l.name, r.text(e))
	r.temps[e], r.values = l, append(r.values, e)
	return l.name
}

// tangentOfCall is the derivative of a conversion or a function that has a rule.
func (r *sweep) tangentOfCall(e *ast.CallExpr) string {
	if r.in.Info().Types[e.Fun].IsType() {
		d := r.tangent(e.Args[0])
		if t := r.typeOf(e); d != "" && !types.Identical(t, types.Typ[types.Float64]) {
			d = r.prog.typ(t) + "(" + d + ")"
		}
		return d
	}
	if r.prog.pops(r.in, e) {
		return r.shadow(e)
	}
	args := make([]string, len(e.Args))
	for i, x := range e.Args {
		args[i] = operand(r.text(x))
	}
	dots := make([]string, len(e.Args))
	for i, x := range e.Args {
		dots[i] = r.tangent(x)
	}
	if strings.Join(dots, "") == "" {
		return ""
	}
	fn, _ := r.in.Function(e.Fun)
	h := r.prog.helpers[fn]
	if h.product {
		return sum(r.scaled(dots[0], args[1]), r.scaled(dots[1], args[0]))
	}
	if h.polygamma {
		d := r.kept(e, 1, func() string { return r.prog.file.Call(elem.Polygamma, args[0], args[1]+"+1") })
		return r.scaled(dots[0], d[0])
	}
	rule, ok := ruleOf(fn)
	switch {
	case activity.Builtin(r.in.Info(), e.Fun) == "min":
		rule.code = op.Min
	case activity.Builtin(r.in.Info(), e.Fun) == "max":
		rule.code = op.Max
	case h.first:
		rule.code = h.code
	case !ok:
		refuse(e, "a call that cannot be followed", "call a declared function by its name")
	}
	switch rule.code.Class() {
	case op.Unary:
		v := ""
		d := r.kept(e, 1, func() string {
			if h.first {
				return r.prog.file.Call(rule.code.Info().H1, args[0], args[1], r.valueOf(e))
			}
			d := r.prog.file.FirstOf(rule.code, "0", args[0], "VALUE")
			if strings.Contains(d, "VALUE") {
				v = operand(r.valueOf(e))
			}
			return strings.ReplaceAll(d, "VALUE", v)
		})
		return r.scaled(dots[0], d[0])
	case op.Binary:
		d := r.kept(e, 2, func() string { return r.prog.file.First2(rule.code, args[0], args[1], r.valueOf(e)) })
		return sum(r.scaled(dots[0], d[0]), r.scaled(dots[1], d[1]))
	}
	return "" // it has no derivative
}

// tangentOfPartials is the derivative of the two partial derivatives of a function, which
// the source computes.
func (r *sweep) tangentOfPartials(n *call, code op.Code) {
	var args, values []string
	for _, e := range n.call.Args {
		args = append(args, operand(r.text(e)))
	}
	for _, l := range n.lhs {
		values = append(values, l.name)
	}
	r.line("%s := %s", strings.Join(values, ", "), r.print(n.call, n.call))
	if !n.lhs[0].active && !n.lhs[1].active {
		return
	}
	d := r.kept(n.call, 3, func() string { return r.prog.file.Call(code.Info().H2, append(args, values...)...) })
	r.prog.along(func() {
		for i, l := range n.lhs {
			if l.active {
				s := sum(r.scaled(r.tangent(n.call.Args[0]), d[i]), r.scaled(r.tangent(n.call.Args[1]), d[i+1]))
				if s == "" {
					s = "0.0"
				}
				r.line("%s := %s", r.bar(l), s)
			}
		}
	})
}

func (r *sweep) tangentCopy(n *copying) {
	r.prog.along(func() {
		switch dst := r.shadow(n.dst); {
		case n.src == nil:
			r.line("clear(%s)", dst)
		case r.active(n.src):
			r.line("copy(%s, %s)", dst, r.dot(n.src))
		default:
			r.line("clear(%s[:min(len(%s), len(%s))])", operand(dst), r.text(n.dst), r.text(n.src))
		}
	})
}

func (r *sweep) tangentCall(n *call) {
	if fn, _ := r.in.Function(n.call.Fun); r.prog.helpers[fn].first {
		r.tangentOfPartials(n, r.prog.helpers[fn].code)
		return
	}
	if n.callee == nil {
		r.forwardCall(n)
		return
	}
	if n.callee.by != nil {
		r.tangentCustom(n)
		return
	}
	if n.callee.empty && len(n.lhs) == 0 {
		return
	}
	var lhs, args []string
	named := false
	for i, l := range n.lhs {
		name := "_"
		if l != nil {
			name, named = l.name, true
		}
		lhs = append(lhs, name)
		if n.callee.results[i].active {
			r.prog.along(func() {
				if l != nil {
					lhs = append(lhs, r.bar(l))
				} else {
					lhs = append(lhs, "_")
				}
			})
		}
	}
	for i, e := range n.args {
		args = append(args, r.text(e))
		if n.callee.params[i].active {
			r.prog.along(func() { args = append(args, r.dot(e)) })
		}
	}
	n.callee.called(r.careful)
	s := n.callee.tangentName(r.careful) + "(" + strings.Join(args, ", ") + ")"
	switch {
	case named:
		s = strings.Join(lhs, ", ") + " := " + s
	case len(lhs) > 0:
		s = strings.Join(lhs, ", ") + " = " + s
	}
	r.line("%s", s)
}

// tangentReturn are the results and their derivatives.
func (r *sweep) tangentReturn(n *exit) (results []string) {
	var dots [][]string
	for i, e := range n.results {
		dots = append(dots, nil)
		if r.results[i].active {
			r.prog.along(func() { dots[i] = append(dots[i], r.dot(e)) })
		}
	}
	for i, e := range n.results { // whose calls have been kept
		results = append(append(results, r.text(e)), dots[i]...)
	}
	return results
}

// tangentName is the name of the tangent of a unit.
func (u *unit) tangentName(careful bool) string {
	tangent := "Tangent"
	if u.prog.directions > 1 {
		tangent += itoa(u.prog.directions)
	}
	if careful {
		return strings.TrimSuffix(u.name, "Careful") + tangent + "Careful"
	}
	return u.name + tangent
}

// calls notes that a tangent of u is called, and is to be printed.
func (u *unit) called(careful bool) {
	if careful {
		u.careful = true
	} else {
		u.plain = true
	}
}

// printTangents prints the tangents that are called.
func (p *program) printTangents() {
	printed := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for _, u := range p.units {
			for _, careful := range []bool{false, true} {
				name := u.tangentName(careful)
				if !printed[name] && (careful && u.careful || !careful && u.plain) {
					printed[name], grown = true, true
					p.printTangent(u, name, careful)
				}
			}
		}
	}
}

func (p *program) printTangent(u *unit, name string, careful bool) {
	u.remarks = p.remarksOf(u)
	r := &sweep{unit: u, careful: careful, tangents: true, frames: []frame{{end: func(int) {}}}}
	r.forwardBlock(u.form)
	r.forget()
	var params, results []string
	of := func(list *[]string, l *local, typ string) {
		*list = append(*list, typ)
		if l.active {
			p.along(func() { *list = append(*list, typ) })
		}
	}
	for _, l := range u.params {
		names := []string{l.name}
		if l.active {
			p.along(func() { names = append(names, u.bar(l)) })
		}
		params = append(params, strings.Join(names, ", ")+" "+p.typ(l.typ))
	}
	for _, l := range u.results {
		of(&results, l, p.typ(l.typ))
	}
	how := ""
	if careful {
		how = ", where a factor of 0 annihilates infinities and NaN"
	}
	p.file.Printf("%sfunc %s(%s) (%s) {\n%s\n}\n\n", source.Comment(fmt.Sprintf("%s is %s with its derivatives%s.", name, u.in.Fn.Name(), how)),
		name, strings.Join(params, ", "), strings.Join(results, ", "), strings.Join(r.lines, "\n"))
}
