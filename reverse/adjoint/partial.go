package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
)

// use is the text of an expression that the reverse sweep evaluates.
func (r *sweep) use(e ast.Expr) string {
	r.reads(e, r.need)
	return r.text(e)
}

// need notes that the reverse code of a node reads a key.
func (r *sweep) need(key any) {
	if r.cur.reads == nil {
		r.cur.reads = map[any]bool{}
	}
	if !r.cur.reads[key] {
		r.cur.reads[key] = true
		r.prog.changed = true
	}
	if l, ok := key.(*local); ok {
		if !r.read[l] {
			r.read[l] = true
			r.prog.changed = true
		}
	} else if !r.prog.needed[key] {
		r.prog.needed[key] = true
		r.prog.changed = true
	}
}

// at notes what is read to find a place.
func (r *sweep) at(e ast.Expr) {
	if r.temps[e] != nil {
		return
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		r.reads(x.Index, r.need)
		if r.base(x) != nil {
			r.at(x.X)
		} else {
			r.reads(x.X, r.need)
		}
	case *ast.SelectorExpr:
		if r.base(x) != nil {
			r.at(x.X)
		} else {
			r.reads(x.X, r.need)
		}
	case *ast.StarExpr:
		r.reads(x.X, r.need)
	}
}

// bars is the place of the adjoint of e.
func (r *sweep) bars(e ast.Expr) string {
	r.at(e)
	return r.shadow(e)
}

// named is a name for a value: itself, if it is one and that does.
func (r *sweep) named(s string, always bool) string {
	if !always && atomic(s) && !strings.ContainsAny(s, "([") {
		return s
	}
	t := r.prog.temporary(r)
	r.line("%s := %s", t, s)
	return t
}

// add adds a number, or all numbers of a struct or array, to an adjoint.
func (r *sweep) add(to, what string, t types.Type) {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); numeric(f.Type()) {
				r.add(to+"."+f.Name(), what+"."+f.Name(), f.Type())
			}
		}
	case *types.Array:
		if numeric(t.Elem()) {
			i := r.prog.temporary(r)
			r.line("for %s := range %s {", i, to)
			r.add(to+"["+i+"]", what+"["+i+"]", t.Elem())
			r.line("}")
		}
	default:
		if s, ok := strings.CutPrefix(what, "-"); ok {
			r.line("%s -= %s", to, s)
			return
		}
		r.line("%s += %s", to, what)
	}
}

// numeric reports whether t has numbers in it.
func numeric(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.Float64
	case *types.Array:
		return numeric(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if numeric(t.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

func negative(s string) string {
	if t, ok := strings.CutPrefix(s, "-"); ok {
		return t
	}
	return "-" + s
}

// times is a product of an adjoint, which may begin with a minus sign, and a partial
// derivative.
func (r *sweep) times(a, b string) string {
	if b == "1" {
		return a
	}
	if a == "1" {
		return operand(b)
	}
	if a == "-1" {
		return "-" + operand(b)
	}
	if r.careful {
		sign := ""
		if s, ok := strings.CutPrefix(a, "-"); ok && atomic(s) {
			sign, a = "-", s
		}
		return sign + r.prog.file.Call(elem.Prod, a, b)
	}
	return factor(a) + " * " + operand(b)
}

// factor is an expression as the first factor of a product.
func factor(a string) string {
	if s, ok := strings.CutPrefix(a, "-"); ok && product(s) {
		return a
	}
	if product(a) {
		return a
	}
	return "(" + a + ")"
}

// product reports whether s is a product or quotient of operands.
func product(s string) bool {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '*', '/':
			if depth == 0 && i > 0 && s[i-1] == ' ' && i+1 < len(s) && s[i+1] == ' ' {
				if !atomic(s[from : i-1]) {
					return false
				}
				from = i + 2
			}
		}
	}
	return atomic(s[from:])
}

// partial adds bar times the partial derivatives of e to the adjoints of its operands.
func (r *sweep) partial(e ast.Expr, bar string) {
	if !r.active(e) {
		return
	}
	if l := r.temps[e]; l != nil && e != r.top {
		r.add(r.bar(l), bar, l.typ)
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		r.partial(x.X, bar)
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			bar = negative(factor(bar))
		}
		r.partial(x.X, bar)
	case *ast.BinaryExpr:
		r.binary(x, bar)
	case *ast.CallExpr:
		r.calls(x, bar)
	case *ast.CompositeLit:
		r.literal(x, bar)
	case *ast.Ident, *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
		if x, ok := x.(*ast.IndexExpr); ok && isMap(r.typeOf(x.X)) {
			if _, number := r.typeOf(e).Underlying().(*types.Basic); !number { // its parts cannot be assigned to
				place := r.bars(e)
				sum := r.named(place, true)
				r.add(sum, bar, r.typeOf(e))
				r.line("%s = %s", place, sum)
				return
			}
		}
		if x, ok := x.(*ast.IndexExpr); ok && r.base(x) == nil && r.literalBase(x) {
			refuse(x, "an element of a value without a name", "assign it to a variable")
		}
		r.add(r.bars(e), bar, r.typeOf(e))
	default:
		refuse(e, "this expression of active values", "assign it to a variable")
	}
}

func (r *sweep) literalBase(x *ast.IndexExpr) bool {
	_, ok := ast.Unparen(x.X).(*ast.CompositeLit)
	return ok
}

func (r *sweep) binary(e *ast.BinaryExpr, bar string) {
	x, y := e.X, e.Y
	both := r.active(x) && r.active(y)
	if both && (r.careful || !atomic(bar)) {
		bar = r.named(bar, false)
	}
	switch e.Op {
	case token.ADD:
		r.partial(x, bar)
		r.partial(y, bar)
	case token.SUB:
		r.partial(x, bar)
		r.partial(y, negative(factor(bar)))
	case token.MUL:
		if a := r.text(x); both && a == r.text(y) {
			r.partial(x, r.times(bar, "2 * "+operand(r.use(x))))
			return
		}
		if r.active(x) {
			r.partial(x, r.times(bar, r.use(y)))
		}
		if r.active(y) {
			r.partial(y, r.times(bar, r.use(x)))
		}
	case token.QUO:
		if r.careful {
			r.both(op.Div, x, y, r.text(x)+" / "+operand(r.text(y)), bar)
			return
		}
		over := factor(bar) + " / " + operand(r.use(y))
		if r.active(x) && r.active(y) {
			over = r.named(over, false)
		}
		r.partial(x, over)
		if r.active(y) {
			r.partial(y, negative(factor(over))+" * "+operand(r.use(x)+" / "+operand(r.use(y))))
		}
	}
}

// both is a function of two arguments.
func (r *sweep) both(code op.Code, x, y ast.Expr, value, bar string) {
	dx, dy := r.prog.temporary(r), r.prog.temporary(r)
	if !r.active(x) {
		dx = "_"
	}
	if !r.active(y) {
		dy = "_"
	}
	if dx != "_" && dy != "_" && (r.careful || !atomic(bar)) {
		bar = r.named(bar, false)
	}
	r.line("%s, %s := %s", dx, dy, r.prog.file.First2(code, operand(r.use(x)), operand(r.use(y)), value))
	if dx != "_" {
		r.partial(x, r.times(bar, dx))
	}
	if dy != "_" {
		r.partial(y, r.times(bar, dy))
	}
}

// calls is a conversion or a function of package math.
func (r *sweep) calls(e *ast.CallExpr, bar string) {
	if r.in.Info().Types[e.Fun].IsType() {
		r.partial(e.Args[0], bar)
		return
	}
	if r.prog.pops(r.in, e) { // the stack of adjoints grows where that of values shrank
		stack := r.shadow(ast.Unparen(e.Args[0]).(*ast.UnaryExpr).X)
		r.line("%s = append(%s, %s)", stack, stack, bar)
		return
	}
	var code op.Code
	var h helper
	switch activity.Builtin(r.in.Info(), e.Fun) {
	case "min":
		code = op.Min
	case "max":
		code = op.Max
	default:
		fn, _ := r.in.Function(e.Fun)
		if isLdexp(fn) {
			r.partial(e.Args[0], r.text(e.Fun)+"("+bar+", "+r.use(e.Args[1])+")")
			return
		}
		h = r.prog.helpers[fn]
		rule, ok := ruleOf(fn)
		if code = rule.code; h.first {
			code = h.code
		} else if !ok && !h.product && !h.polygamma {
			refuse(e, "a call that cannot be followed", "call a declared function by its name")
		}
	}
	value := func() string {
		if l := r.temps[e]; l != nil { // which is there
			r.need(l)
			return l.name
		}
		if r.value != nil && e == r.top {
			r.need(r.value)
			return r.value.name
		}
		return r.use(e)
	}
	switch {
	case h.product:
		x, y := e.Args[0], e.Args[1]
		bar = r.named(bar, false)
		if r.active(x) {
			r.partial(x, r.times(bar, r.use(y)))
		}
		if r.active(y) {
			r.partial(y, r.times(bar, r.use(x)))
		}
		return
	case h.polygamma:
		r.partial(e.Args[0], r.times(bar, r.prog.file.Call(elem.Polygamma, operand(r.use(e.Args[0])), r.use(e.Args[1])+"+1")))
		return
	case h.first:
		d := r.prog.file.Call(code.Info().H1, operand(r.use(e.Args[0])), operand(r.use(e.Args[1])), operand(value()))
		r.partial(e.Args[0], r.times(bar, d))
		return
	}
	switch code.Class() {
	case op.NoPartials:
	case op.Unary:
		d := r.prog.file.FirstOf(code, "0", "ARGUMENT", "VALUE")
		var names []string // what d has of the two is what the reverse sweep reads
		if strings.Contains(d, "ARGUMENT") {
			names = append(names, "ARGUMENT", operand(r.use(e.Args[0])))
		}
		if strings.Contains(d, "VALUE") {
			names = append(names, "VALUE", operand(value()))
		}
		d = strings.NewReplacer(names...).Replace(d)
		r.partial(e.Args[0], r.times(bar, d))
	case op.Binary:
		r.both(code, e.Args[0], e.Args[1], value(), bar)
	default:
		refuse(e, "this function", "write it by others")
	}
}

// literal is a struct or an array; the elements of slices are set with the slice.
func (r *sweep) literal(x *ast.CompositeLit, bar string) {
	switch t := r.typeOf(x).Underlying().(type) {
	case *types.Struct:
		for i, e := range x.Elts {
			f := t.Field(i)
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				f = t.Field(activity.FieldIndex(t, kv.Key.(*ast.Ident).Name))
				e = kv.Value
			}
			if !holds(f.Type()) {
				r.partial(e, bar+"."+f.Name())
			}
		}
	case *types.Array, *types.Slice:
		if holds(t.(interface{ Elem() types.Type }).Elem()) {
			return
		}
		for i, e := range x.Elts {
			index := itoa(i)
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				refuse(kv, "a literal with indices", "assign the elements")
			}
			r.partial(e, bar+"["+index+"]")
		}
	}
}
