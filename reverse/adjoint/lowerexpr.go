package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/source"
)

// converted is e as a value for a variable of type t: of an aggregate a pointer, to a copy
// if it is to be the variable's own.
func (l *lower) converted(e ast.Expr, t types.Type, own bool) string {
	if l.info().Types[e].IsNil() {
		return "nil"
	}
	if aggregate(t) {
		return l.pointer(e, own)
	}
	if types.IsInterface(t) && aggregate(l.typeOf(e)) {
		return "*" + l.pointer(e, true)
	}
	return l.expr(e)
}

// top is the right side of a definition: literals stay where they are.
func (l *lower) top(e ast.Expr, t types.Type) string {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		if _, ok := t.Underlying().(*types.Slice); ok {
			if s, ok := l.composite(lit); ok {
				return s
			}
		}
	}
	if l.info().Types[e].Value != nil && !types.Identical(types.Default(l.info().Types[e].Type), t) {
		return l.typ(t) + "(" + l.expr(e) + ")"
	}
	return l.expr(e)
}

// expr is an expression as it is written.
func (l *lower) expr(e ast.Expr) string {
	tv := l.info().Types[e]
	switch {
	case tv.IsType():
		return l.typ(l.typeOf(e))
	case tv.Value != nil:
		return l.constant(e, tv)
	case tv.IsNil():
		return "nil"
	}
	if s := l.replaced[e]; s != "" {
		return s
	}
	switch e := e.(type) {
	case *ast.Ident:
		return l.ident(e)
	case *ast.ParenExpr:
		return "(" + l.expr(e.X) + ")"
	case *ast.SelectorExpr:
		return l.selector(e)
	case *ast.IndexExpr:
		if fn, _ := l.in.Function(e); fn != nil {
			return l.value(e)
		}
		return l.mark(e.Pos()) + l.base(e.X) + "[" + l.index(e) + "]"
	case *ast.IndexListExpr:
		return l.value(e)
	case *ast.SliceExpr:
		s := l.base(e.X) + "["
		if e.Low != nil {
			s += l.expr(e.Low)
		}
		s += ":"
		if e.High != nil {
			s += l.expr(e.High)
		}
		if e.Max != nil {
			s += ":" + l.expr(e.Max)
		}
		return s + "]"
	case *ast.StarExpr:
		return "*" + l.operand(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return l.address(e.X)
		}
		if e.Op == token.ARROW {
			l.refuse(e, "a channel", "call a function of its own that takes nothing active")
		}
		return e.Op.String() + l.operand(e.X)
	case *ast.BinaryExpr:
		return l.binary(e)
	case *ast.CallExpr:
		text, _ := l.call(e)
		if n := len(l.resultsOf(e)); n == 1 && l.hoists(e) {
			text = l.let("t", text)
		}
		if aggregate(l.typeOf(e)) {
			return "*" + text
		}
		return text
	case *ast.CompositeLit:
		if aggregate(l.typeOf(e)) {
			return "*" + l.build(e)
		}
		s, plain := l.composite(e)
		if _, ok := l.typeOf(e).Underlying().(*types.Slice); ok && plain {
			return l.let("literal", s)
		}
		return s
	case *ast.FuncLit:
		c, _ := l.literal(e)
		return c
	case *ast.TypeAssertExpr:
		return l.operand(e.X) + ".(" + l.typ(l.typeOf(e.Type)) + ")"
	}
	l.refuse(e, "this expression", "write it otherwise")
	return ""
}

func (l *lower) resultsOf(e *ast.CallExpr) []types.Type {
	switch t := l.typeOf(e).(type) {
	case *types.Tuple:
		var out []types.Type
		for i := range t.Len() {
			out = append(out, t.At(i).Type())
		}
		return out
	default:
		return []types.Type{t}
	}
}

func (l *lower) operand(e ast.Expr) string {
	s := l.expr(e)
	switch ast.Unparen(e).(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr:
		return "(" + s + ")"
	}
	return s
}

// index is the index of an element; that of a map is converted to the type of its keys.
func (l *lower) index(e *ast.IndexExpr) string {
	s := l.expr(e.Index)
	if m, ok := l.typeOf(e.X).Underlying().(*types.Map); ok {
		if lit, ok := ast.Unparen(e.Index).(*ast.CompositeLit); ok {
			_ = lit
			return l.let("key", s)
		}
		_ = m
	}
	return s
}

// constant is a value that is known: as it stands in the source, if it means the same
// where it is written.
func (l *lower) constant(e ast.Expr, tv types.TypeAndValue) string {
	own := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			o := l.info().Uses[id]
			if o == nil || o.Pkg() == nil && o.Parent() == types.Universe {
				return true
			}
			if q, ok := o.(*types.PkgName); ok {
				own = own && q.Imported().Path() == "math"
				return true
			}
			own = own && o.Pkg() != nil && (o.Pkg() == l.Root.Types && o.Parent() == o.Pkg().Scope() || o.Pkg().Path() == "math" && o.Parent() == o.Pkg().Scope() && l.in.Pkg.PkgPath != "math")
		}
		return true
	})
	if own && len(l.in.Env) == 0 {
		var b strings.Builder
		at := e.Pos()
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if q, ok := l.info().Uses[id].(*types.PkgName); ok {
					b.WriteString(l.Text(at, id.Pos()) + l.importPackage(q.Imported()))
					at = id.End()
				}
			}
			return true
		})
		return b.String() + l.Text(at, e.End())
	}
	t := activity.Substitute(tv.Type, l.in.Env)
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		l.refuse(e, "this constant", "write its value")
	}
	var s string
	switch {
	case basic.Info()&types.IsString != 0:
		s = strconv.Quote(constant.StringVal(tv.Value))
	case basic.Info()&types.IsBoolean != 0:
		s = tv.Value.String()
	case basic.Info()&types.IsInteger != 0:
		s = constant.ToInt(tv.Value).ExactString()
	case basic.Info()&types.IsFloat != 0:
		v, _ := constant.Float64Val(tv.Value)
		s = strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
	default:
		l.refuse(e, "this constant", "write its value")
	}
	if _, named := types.Unalias(t).(*types.Named); named || basic.Info()&types.IsInteger != 0 && basic.Kind() != types.Int && basic.Info()&types.IsUntyped == 0 || basic.Kind() == types.Float32 {
		return l.typ(t) + "(" + s + ")"
	}
	if strings.HasPrefix(s, "-") {
		s = "(" + s + ")"
	}
	return s
}

func (l *lower) ident(id *ast.Ident) string {
	switch o := l.info().ObjectOf(id).(type) {
	case *types.Var:
		if x := l.vars[o]; x != nil {
			if x.boxed && !aggregate(l.subst(o.Type())) {
				return "(*" + x.name + ")"
			}
			if aggregate(l.subst(o.Type())) {
				return "(*" + x.name + ")"
			}
			return x.name
		}
		if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			return l.global(o)
		}
		return l.whole(o)
	case *types.Func:
		return l.value(id)
	}
	return id.Name
}

// global is a variable of a package.
func (l *lower) global(o *types.Var) string {
	changed := l.changed(o.Type(), map[types.Type]bool{})
	if o.Pkg() == l.Root.Types {
		if !changed {
			return o.Name()
		}
		if !l.Program.Constant(o) {
			panic(fault{in: l.in, at: o.Pos(), what: "a variable of the package that holds functions, or named numbers, and changes", instead: "pass it"})
		}
	}
	if reachable(o) && !changed {
		return l.importPackage(o.Pkg()) + "." + o.Name()
	}
	k := fmt.Sprintf("variable %p", o)
	if n := l.copies[k]; n != "" {
		return n
	}
	spec, _, pkg := l.Program.Spec(o)
	s, ok := spec.(*ast.ValueSpec)
	if !ok || !l.Program.Constant(o) || len(s.Values) > 0 && len(s.Values) != len(s.Names) {
		panic(fault{in: l.in, at: o.Pos(), what: "the variable " + o.Name() + " of package " + o.Pkg().Path() + " may change", instead: "write the function in this package"})
	}
	n := l.fresh(lowerName(o.Pkg().Name() + source.Upper(o.Name())))
	l.copies[k] = n
	text := "var " + n + " " + l.typ(o.Type())
	inner := &lower{front: l.front, group: &group{}, in: &activity.Instance{Fn: l.in.Fn, Decl: l.in.Decl, Pkg: pkg, Caller: l.in.Caller, Called: l.in.Called}, vars: map[*types.Var]*variable{}}
	if i := slices.IndexFunc(s.Names, func(id *ast.Ident) bool { return id.Name == o.Name() }); len(s.Values) > 0 {
		text += " = " + inner.data(s.Values[i])
	}
	l.front.text.WriteString(text + "\n\n")
	return n
}

// data is the initial value of a variable of a package: it stays one expression.
func (l *lower) data(e ast.Expr) string {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
			return "&" + l.data(u.X)
		}
		return l.expr(e)
	}
	var parts []string
	for _, x := range lit.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			k := l.Text(kv.Key.Pos(), kv.Key.End())
			if _, ok := l.typeOf(lit).Underlying().(*types.Struct); !ok {
				k = l.expr(kv.Key)
			}
			parts = append(parts, k+": "+l.data(kv.Value))
		} else {
			parts = append(parts, l.data(x))
		}
	}
	return l.typ(l.typeOf(lit)) + "{" + strings.Join(parts, ", ") + "}"
}

// base is e where a field, an element or a part is taken of it.
func (l *lower) base(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return l.base(x.X)
	case *ast.Ident:
		if v, ok := l.info().ObjectOf(x).(*types.Var); ok {
			if y := l.vars[v]; y != nil {
				switch l.subst(v.Type()).Underlying().(type) {
				case *types.Struct, *types.Array:
					return y.name
				}
			}
		}
	case *ast.StarExpr:
		switch l.typeOf(x).Underlying().(type) {
		case *types.Struct, *types.Array:
			return l.base(x.X)
		}
	case *ast.CallExpr:
		if aggregate(l.typeOf(x)) {
			return l.pointer(x, false)
		}
		text := l.expr(x)
		switch l.typeOf(x).Underlying().(type) {
		case *types.Struct, *types.Array:
			return l.let("t", text)
		}
		return text
	case *ast.CompositeLit:
		if aggregate(l.typeOf(x)) {
			return l.build(x)
		}
		return l.let("t", l.expr(x))
	case *ast.IndexExpr:
		if m, ok := l.typeOf(x.X).Underlying().(*types.Map); ok {
			if _, ok := m.Elem().Underlying().(*types.Struct); ok {
				return l.let("t", l.expr(x))
			}
		}
	}
	return l.operand(e)
}

// address is a pointer to a place, or to something new.
func (l *lower) address(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return l.build(x)
	case *ast.StarExpr:
		return l.expr(x.X)
	case *ast.Ident:
		if v, ok := l.info().ObjectOf(x).(*types.Var); ok {
			if y := l.vars[v]; y != nil && (y.boxed || aggregate(l.subst(v.Type()))) {
				return y.name
			}
		}
	}
	return "&" + l.expr(e)
}

// pointer leads to the value of e, an aggregate: to a copy of it, if it is to be one's own.
func (l *lower) pointer(e ast.Expr, own bool) string {
	t := l.typeOf(e)
	switch x := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return l.build(x)
	case *ast.CallExpr:
		if l.info().Types[x.Fun].IsType() {
			p := l.pointer(x.Args[0], own)
			return l.let("t", "(*"+l.typ(t)+")("+p+")")
		}
		text, lowered := l.call(x)
		if !lowered {
			n := l.fresh("t")
			l.emit("%s := new(%s)", n, l.typ(t))
			l.emit("*%s = %s", n, text)
			return n
		}
		return l.let("t", text)
	case *ast.TypeAssertExpr:
		n := l.fresh("t")
		l.emit("%s := new(%s)", n, l.typ(t))
		l.emit("*%s = %s", n, l.expr(x))
		return n
	case *ast.IndexExpr:
		if _, ok := l.typeOf(x.X).Underlying().(*types.Map); ok {
			l.refuse(x, "a map of structs that lead to other memory", "let the map hold pointers")
		}
	}
	p := l.address(e)
	if own {
		return l.copied(p, t)
	}
	return p
}

// path follows fields from a place with a type.
func (l *lower) path(x string, t types.Type, index []int) (string, types.Type) {
	for _, i := range index {
		f := activity.Deref(t).Underlying().(*types.Struct).Field(i)
		x, t = x+"."+f.Name(), f.Type()
	}
	return x, t
}

func (l *lower) selector(e *ast.SelectorExpr) string {
	s := l.info().Selections[e]
	if s == nil {
		switch o := l.info().Uses[e.Sel].(type) {
		case *types.Var:
			return l.global(o)
		case *types.Func:
			return l.value(e)
		}
		return l.Text(e.Pos(), e.End())
	}
	if s.Kind() != types.FieldVal {
		return l.value(e)
	}
	text, _ := l.path(l.base(e.X), l.typeOf(e.X), s.Index())
	return text
}

func (l *lower) binary(e *ast.BinaryExpr) string {
	x := l.side(e.X)
	if e.Op != token.LAND && e.Op != token.LOR {
		before := len(l.pre)
		y := l.side(e.Y)
		if len(l.pre) > before && l.callsIn(e.Y) && !l.info().Types[e.X].IsNil() && l.info().Types[e.X].Value == nil && l.callsAny(e.X) {
			// What is called first has to be evaluated first.
			moved := slices.Clone(l.pre[before:])
			l.pre = l.pre[:before]
			x = l.let("t", x)
			l.pre = append(l.pre, moved...)
		}
		return x + " " + e.Op.String() + " " + y
	}
	outer := l.pre
	l.pre = nil
	y := l.side(e.Y)
	inner := l.pre
	l.pre = outer
	if len(inner) == 0 {
		return x + " " + e.Op.String() + " " + y
	}
	n := l.let("c", x)
	cond := n
	if e.Op == token.LOR {
		cond = "!" + n
	}
	l.emit("if %s {\n%s\n%s = %s\n}", cond, strings.Join(inner, "\n"), n, y)
	return n
}

// callsAny reports whether an expression calls a function.
func (l *lower) callsAny(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		found = found || ok && !l.info().Types[c.Fun].IsType() && activity.Builtin(l.info(), c.Fun) == ""
		return true
	})
	return found
}

// side is an operand of an operator: those of the source have what parentheses they need.
func (l *lower) side(e ast.Expr) string {
	s := l.expr(e)
	if _, ok := e.(*ast.CompositeLit); ok {
		return "(" + s + ")"
	}
	return s
}

// composite is a literal as an expression, with its elements; plain says that nothing that
// it holds leads to other memory.
func (l *lower) composite(e *ast.CompositeLit) (text string, plain bool) {
	t := l.typeOf(e)
	name := l.typ(t)
	var parts []string
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, x := range e.Elts {
			f := u.Field(i)
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				f, x = u.Field(activity.FieldIndex(u, kv.Key.(*ast.Ident).Name)), kv.Value
			}
			parts = append(parts, f.Name()+": "+l.converted(x, f.Type(), true))
		}
	case *types.Array:
		at := make([]string, u.Len())
		l.elements(e, func(i int64, x ast.Expr) { at[i] = l.converted(x, u.Elem(), true) })
		last := int64(-1)
		for i, s := range at {
			if s != "" {
				last = int64(i)
			}
		}
		for _, s := range at[:last+1] {
			if s == "" {
				s = l.zeroValue(u.Elem())
			}
			parts = append(parts, s)
		}
	case *types.Slice:
		n := int64(0)
		l.elements(e, func(i int64, x ast.Expr) { n = max(n, i+1) })
		if aggregate(u.Elem()) || l.mixed(e, n) {
			return l.filled(e, n, u.Elem()), false
		}
		l.elements(e, func(i int64, x ast.Expr) { parts = append(parts, l.converted(x, u.Elem(), true)) })
	case *types.Map:
		if aggregate(u.Elem()) {
			l.refuse(e, "a map of structs that lead to other memory", "let the map hold pointers")
		}
		m := l.let("m", "make("+name+")")
		for _, x := range e.Elts {
			kv := x.(*ast.KeyValueExpr)
			k := l.let("key", l.top(kv.Key, u.Key()))
			l.emit("%s[%s] = %s", m, k, l.converted(kv.Value, u.Elem(), true))
		}
		return m, false
	}
	return name + "{" + strings.Join(parts, ", ") + "}", true
}

// mixed reports whether a literal of a slice leaves out elements, or holds what is not
// active beside what is and leads to other memory.
func (l *lower) mixed(e *ast.CompositeLit, n int64) bool {
	if int64(len(e.Elts)) < n || l.active(e) && holds(elemOf(l.typeOf(e))) {
		return true
	}
	return slices.ContainsFunc(e.Elts, func(x ast.Expr) bool { _, ok := x.(*ast.KeyValueExpr); return ok })
}

// filled is a slice whose elements are assigned one by one.
func (l *lower) filled(e *ast.CompositeLit, n int64, elem types.Type) string {
	s := l.let("literal", fmt.Sprintf("make(%s, %d)", l.typ(l.typeOf(e)), n))
	l.elements(e, func(i int64, x ast.Expr) {
		place := s + "[" + strconv.FormatInt(i, 10) + "]"
		if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok && aggregate(elem) {
			l.fill(place, lit)
			return
		}
		text := l.converted(x, elem, true)
		if aggregate(elem) {
			l.assignFields(place, text, elem)
		} else {
			l.emit("%s = %s", place, text)
		}
	})
	return s
}

// elements calls f with the elements of an array or slice and their indices.
func (l *lower) elements(e *ast.CompositeLit, f func(i int64, x ast.Expr)) {
	i := int64(0)
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			i, _ = constant.Int64Val(l.info().Types[kv.Key].Value)
			x = kv.Value
		}
		f(i, x)
		i++
	}
}

// build is a pointer to a new struct or array with the values of a literal, or &T{…} with
// &T left out.
func (l *lower) build(e *ast.CompositeLit) string {
	t := activity.Deref(l.typeOf(e))
	if !aggregate(t) {
		if _, ok := t.Underlying().(*types.Struct); ok && !isPointer(l.typeOf(e)) {
			s, _ := l.composite(e)
			return l.let("p", "&"+s)
		}
	}
	if !isPointer(l.typeOf(e)) {
		switch t.Underlying().(type) {
		case *types.Slice, *types.Map:
			p := l.let("p", "new("+l.typ(t)+")")
			s, _ := l.composite(e)
			l.emit("*%s = %s", p, s)
			return p
		}
	}
	p := l.let("p", "new("+l.typ(t)+")")
	l.fill(p, e)
	return p
}

// fill assigns what a literal of a struct or array holds to the parts of a place that is
// zero.
func (l *lower) fill(place string, e *ast.CompositeLit) {
	t := activity.Deref(l.typeOf(e))
	part := func(place string, t types.Type, x ast.Expr) {
		if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok && !isPointer(l.typeOf(x)) && aggregate(t) {
			l.fill(place, lit)
			return
		}
		text := l.converted(x, t, false)
		if aggregate(t) {
			l.assignFields(place, l.simpleText(text), t)
		} else if text != "nil" {
			l.emit("%s = %s", place, text)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, x := range e.Elts {
			f := u.Field(i)
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				f, x = u.Field(activity.FieldIndex(u, kv.Key.(*ast.Ident).Name)), kv.Value
			}
			part(place+"."+f.Name(), f.Type(), x)
		}
	case *types.Array:
		l.elements(e, func(i int64, x ast.Expr) { part(place+"["+strconv.FormatInt(i, 10)+"]", u.Elem(), x) })
	}
}

// value is a declared function as a value.
func (l *lower) value(e ast.Expr) string {
	fn, env := l.in.Function(e)
	if fn == nil {
		l.refuse(e, "a function that only a run shows", "call it by its name")
	}
	t, ok := l.typeOf(e).Underlying().(*types.Signature)
	if !ok {
		l.refuse(e, "this function as a value", "call it")
	}
	s := l.signature(t)
	var captured string
	first := ""
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if x := l.info().Selections[sel]; x != nil && x.Kind() == types.MethodVal {
			m, path, ok := l.in.Method(sel)
			if !ok {
				l.refuse(e, "a method of an interface as a value", "call it")
			}
			text, rt := l.receiver(sel, m, path, true, true)
			field := l.field(s, "receiver", rt)
			captured = field + ": " + text
			first = "c." + field + ", "
		} else if x != nil {
			if _, _, ok := l.in.Method(sel); !ok {
				l.refuse(e, "a method of an interface as a value", "call it")
			}
		}
	}
	target, lowered := l.target(fn, env, e, true)
	args := first + "ARGS"
	if !lowered && fn.Signature().Recv() != nil || !lowered && s.typ.Variadic() {
		l.refuse(e, "this function as a value", "write a function literal that calls it")
	}
	code := slices.Index(s.cases, target+"("+args+")")
	if code < 0 {
		code = len(s.cases)
		s.cases = append(s.cases, target+"("+args+")")
	}
	fields := []string{"code: " + itoa(code)}
	if captured != "" {
		fields = append(fields, captured)
	}
	return l.let("f", "&"+s.name+"{"+strings.Join(fields, ", ")+"}")
}

// field is a field of function values for what they captured.
func (l *lower) field(s *signature, name, t string) string {
	n := name
	for k := 1; s.fields[n] != "" && s.fields[n] != t || n == "code"; k++ {
		n = name + itoa(k)
	}
	if s.fields[n] == "" {
		s.fields[n] = t
		s.order = append(s.order, n)
	}
	return n
}

// literal is a function literal: a struct of what it captures, and the function that it
// becomes.
func (l *lower) literal(e *ast.FuncLit) (value, name string) {
	t := l.typeOf(e).(*types.Signature)
	s := l.signature(t)
	name = l.fresh(l.outer() + "Function")
	l.origins[name] = "a function literal of " + l.outer()
	inner := &lower{front: l.front, group: l.group, in: l.in, vars: map[*types.Var]*variable{}, known: l.known, bound: l.bound, sig: t}
	c := l.fresh("c")
	fields := []string{"code: " + itoa(len(s.cases))}
	seen := map[*types.Var]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := l.info().Uses[id].(*types.Var)
		if !ok || v.IsField() || seen[v] || l.vars[v] == nil || e.Pos() <= v.Pos() && v.Pos() < e.End() {
			return true
		}
		seen[v] = true
		x := l.vars[v]
		vt := l.subst(v.Type())
		typ := l.held(vt)
		if x.boxed && !aggregate(vt) {
			typ = "*" + l.typ(vt)
		}
		base := x.name[strings.LastIndex(x.name, ".")+1:]
		field := l.field(s, base, typ)
		fields = append(fields, field+": "+x.name)
		inner.vars[v] = &variable{name: c + "." + field, boxed: x.boxed, field: true}
		return true
	})
	s.cases = append(s.cases, name+"(c, ARGS)")
	for v, x := range l.vars { // those that the literal declares
		if e.Pos() <= v.Pos() && v.Pos() < e.End() {
			inner.vars[v] = x
		}
	}
	l.queue = append(l.queue, func() {
		params := append([]string{c + " *" + s.name}, inner.params(e.Type.Params)...)
		text := l.mark(e.Pos()) + "func " + name + "(" + strings.Join(params, ", ") + ") " + inner.results(t) + inner.body(e.Type, e.Body)
		l.front.text.WriteString(text + "\n\n")
	})
	return l.let("f", "&"+s.name+"{"+strings.Join(fields, ", ")+"}"), name
}

func (l *lower) outer() string {
	if l.group.name != "" {
		return l.group.name
	}
	return lowerName(l.in.Fn.Name())
}

// target is the function that a call of fn calls, and whether it is one that was written.
func (l *lower) target(fn *types.Func, env activity.Env, e ast.Expr, asValue bool) (string, bool) {
	q := fn.Pkg()
	if q != nil && q.Path() == "math" {
		if u := l.program.use(fn).As; u != activity.LookedInto {
			return l.importPackage(q) + "." + fn.Name(), false
		}
	}
	for _, suffix := range []string{"Adjoint", "Tangent"} { // by hand, see custom.go
		if q != nil && fn.Signature().Recv() == nil && q.Scope().Lookup(fn.Name()+suffix) != nil {
			if q == l.Root.Types {
				return fn.Name(), false
			}
			return l.importPackage(q) + "." + fn.Name(), false
		}
	}
	active := false
	for _, in := range l.group.all {
		if c, ok := e.(*ast.CallExpr); ok && in.Calls[c] != nil && in.Calls[c].Callee != nil {
			active = true
		}
		f := e
		if c, ok := e.(*ast.CallExpr); ok {
			f = c.Fun
		}
		if c := in.Funcs[f]; c != nil && c.Callee != nil {
			active = true
		}
	}
	sig := fn.Signature()
	hidden := fn.Pkg() != l.Root.Types && !reachable(fn)
	types := false
	for i := range sig.Params().Len() {
		types = types || l.changedArg(sig.Params().At(i).Type())
	}
	for i := range sig.Results().Len() {
		types = types || l.changedArg(sig.Results().At(i).Type())
	}
	if r := sig.Recv(); r != nil {
		types = types || l.changedArg(r.Type())
	}
	_, decl, _ := l.Program.Source(fn)
	if active || hidden || types || asValue && sig.Recv() != nil {
		if decl != nil && decl.Body != nil {
			return l.function(fn, env, l.in), true
		}
		if active || hidden {
			l.refuse(e, "the source of "+fn.FullName()+" is not Go, or out of reach", l.a.NoSource)
		}
	}
	if sig.Recv() != nil {
		return fn.Name(), false
	}
	if q == l.Root.Types {
		return fn.Name(), false
	}
	return l.importPackage(q) + "." + fn.Name(), false
}

// changedArg reports whether a parameter's type is written otherwise.
func (l *lower) changedArg(t types.Type) bool {
	if _, ok := t.Underlying().(*types.Signature); ok {
		return false
	}
	return l.changed(l.subst(t), map[types.Type]bool{})
}

// receiver is what a method is called on, and its type as it is written.
func (l *lower) receiver(sel *ast.SelectorExpr, m *types.Func, path []int, lowered, own bool) (string, string) {
	want := m.Signature().Recv().Type()
	if r := l.subst(l.typeOf(sel.X)); len(path) == 0 {
		if isPointer(want) {
			want = types.NewPointer(activity.Deref(r))
		} else {
			want = activity.Deref(r)
		}
	}
	t := l.typeOf(sel.X)
	if len(path) == 0 {
		switch {
		case isPointer(want) && !isPointer(t):
			return l.address(sel.X), l.typ(want)
		case !isPointer(want) && isPointer(t):
			if aggregate(want) {
				p := l.expr(sel.X)
				if own {
					p = l.copied(p, want)
				}
				return p, l.held(want)
			}
			return "*" + l.operand(sel.X), l.typ(want)
		case aggregate(want):
			return l.pointer(sel.X, own), l.held(want)
		}
		return l.expr(sel.X), l.typ(want)
	}
	text, t := l.path(l.base(sel.X), t, path)
	switch {
	case isPointer(want) && !isPointer(t):
		return "&" + text, l.typ(want)
	case !isPointer(want) && isPointer(t):
		if aggregate(want) {
			if own {
				text = l.copied(text, want)
			}
			return text, l.held(want)
		}
		return "*" + text, l.typ(want)
	case aggregate(want):
		text = "&" + text
		if own {
			text = l.copied(text, want)
		}
		return text, l.held(want)
	}
	return text, l.typ(want)
}

// call is a call as an expression; lowered says that aggregates that it returns are
// pointers.
func (l *lower) call(e *ast.CallExpr) (text string, lowered bool) {
	m := l.mark(e.Pos())
	if l.info().Types[e.Fun].IsType() {
		return l.conversion(e), false
	}
	if name := activity.Builtin(l.info(), e.Fun); name != "" {
		return l.builtin(e, name), false
	}
	sig := l.typeOf(e.Fun).Underlying().(*types.Signature)
	fn, env := l.in.Function(e.Fun)
	if fn != nil {
		if text, ok := l.special(fn, e, 0); ok {
			return text, false
		}
		sel, _ := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		var first []string
		method := sel != nil && l.info().Selections[sel] != nil && l.info().Selections[sel].Kind() == types.MethodVal
		if method {
			meth, path, ok := l.in.Method(sel)
			if !ok { // of an interface
				return m + l.base(sel.X) + "." + sel.Sel.Name + "(" + strings.Join(l.arguments(e, sig, false, false), ", ") + l.dots(e) + ")", false
			}
			name, lowered := l.target(fn, env, e, false)
			pure := l.pure(fn)
			text, _ := l.receiver(sel, meth, path, lowered, lowered && !pure)
			if !lowered {
				if len(path) == 0 {
					text = l.base(sel.X)
				} else {
					text, _ = l.path(l.base(sel.X), l.typeOf(sel.X), path)
				}
				return m + text + "." + name + "(" + strings.Join(l.arguments(e, sig, false, false), ", ") + l.dots(e) + ")", false
			}
			first = append(first, text)
			return m + name + "(" + strings.Join(append(first, l.arguments(e, sig, true, !pure)...), ", ") + ")", true
		}
		name, lowered := l.target(fn, env, e, false)
		if sel != nil && l.info().Selections[sel] != nil && !lowered { // a method expression
			l.refuse(e, "a method expression", "call the method")
		}
		if lowered {
			return m + name + "(" + strings.Join(l.arguments(e, sig, true, !l.pure(fn)), ", ") + ")", true
		}
		return m + name + "(" + strings.Join(l.arguments(e, sig, false, false), ", ") + l.dots(e) + ")", false
	}
	if lit, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
		c, name := l.literal(lit)
		return m + name + "(" + strings.Join(append([]string{c}, l.arguments(e, sig, true, true)...), ", ") + ")", true
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if v, ok := l.info().Uses[id].(*types.Var); ok {
			if l.rootParam(v) {
				return m + v.Name() + "(" + strings.Join(l.arguments(e, sig, false, false), ", ") + l.dots(e) + ")", false
			}
			if name := l.known[v]; name != "" {
				return m + name + "(" + strings.Join(append([]string{l.whole(v)}, l.arguments(e, sig, true, true)...), ", ") + ")", true
			}
		}
	}
	f := l.expr(e.Fun)
	if !atomicName(f) {
		f = l.let("f", f)
	}
	s := l.signature(sig)
	return m + "call" + source.Upper(s.name) + "(" + strings.Join(append([]string{f}, l.arguments(e, sig, true, true)...), ", ") + ")", true
}

func (l *lower) rootParam(v *types.Var) bool {
	x := l.vars[v]
	return l.root && x != nil && x.param
}

func (l *lower) dots(e *ast.CallExpr) string {
	if e.Ellipsis.IsValid() {
		return "..."
	}
	return ""
}

// pure reports whether a function leaves what it is given alone.
func (l *lower) pure(fn *types.Func) bool {
	_, decl, pkg := l.Program.Source(fn)
	return decl != nil && decl.Body != nil && l.Program.Pure(pkg, decl)
}

// arguments are those of a call; a function that was written takes the elements of its last
// parameter as a slice, and its own copies of aggregates.
func (l *lower) arguments(e *ast.CallExpr, sig *types.Signature, lowered, own bool) (out []string) {
	n := sig.Params().Len()
	param := func(i int) types.Type {
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			return l.subst(elemOf(sig.Params().At(n - 1).Type()))
		}
		return l.subst(sig.Params().At(i).Type())
	}
	var texts []string
	if t, ok := l.info().TypeOf(firstArg(e)).(*types.Tuple); ok && len(e.Args) == 1 && t.Len() > 1 {
		texts = l.multi(e.Args[0])
	} else {
		for i, x := range e.Args {
			t := param(i)
			switch lit, isLit := ast.Unparen(x).(*ast.FuncLit); {
			case !lowered && isLit:
				texts = append(texts, l.native(lit))
			case lowered && aggregate(t):
				texts = append(texts, l.pointer(x, own))
			case lowered && l.info().Types[x].Value != nil && aggregate(l.typeOf(x)):
			default:
				if _, f := l.typeOf(x).Underlying().(*types.Signature); f && !lowered {
					if fn, _ := l.in.Function(x); fn != nil && fn.Signature().Recv() == nil && (fn.Pkg() == l.Root.Types || reachable(fn)) {
						if fn.Pkg() == l.Root.Types {
							texts = append(texts, fn.Name())
						} else {
							texts = append(texts, l.importPackage(fn.Pkg())+"."+fn.Name())
						}
						continue
					}
				}
				s := l.converted(x, t, true)
				if tv := l.info().Types[x]; tv.Value != nil && lowered && !types.IsInterface(t) {
					if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsNumeric != 0 && sig.Variadic() {
						_ = b
					}
				}
				texts = append(texts, s)
			}
		}
	}
	if !lowered || !sig.Variadic() || e.Ellipsis.IsValid() {
		return texts
	}
	rest := texts[n-1:]
	texts = slices.Clone(texts[:n-1])
	if len(rest) == 0 {
		return append(texts, "nil")
	}
	elem := l.subst(elemOf(sig.Params().At(n - 1).Type()))
	if aggregate(elem) || holds(elem) {
		s := l.let("list", fmt.Sprintf("make([]%s, %d)", l.typ(elem), len(rest)))
		for i, x := range rest {
			if aggregate(elem) {
				l.assignFields(s+"["+itoa(i)+"]", l.simpleText(x), elem)
			} else {
				l.emit("%s[%d] = %s", s, i, x)
			}
		}
		return append(texts, s)
	}
	return append(texts, l.let("list", "[]"+l.typ(elem)+"{"+strings.Join(rest, ", ")+"}"))
}

func firstArg(e *ast.CallExpr) ast.Expr {
	if len(e.Args) == 0 {
		return e.Fun
	}
	return e.Args[0]
}

// native is a function literal that stays one: it is given to a function that is not
// looked into.
func (l *lower) native(e *ast.FuncLit) string {
	t := l.typeOf(e).(*types.Signature)
	inner := &lower{front: l.front, group: l.group, in: l.in, vars: l.vars, known: l.known, bound: l.bound, sig: t}
	params := inner.params(e.Type.Params)
	return "func(" + strings.Join(params, ", ") + ") " + inner.results(t) + inner.body(e.Type, e.Body)
}

// special is the i-th result of a function of package math that has several, or that is
// written by others.
func (l *lower) special(fn *types.Func, e *ast.CallExpr, i int) (string, bool) {
	if fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return "", false
	}
	if fn.FullName() == "maps.Clone" {
		m := l.simpleText(l.expr(e.Args[0]))
		n := l.let("m", "make("+l.typ(l.typeOf(e.Args[0]))+")")
		k := l.fresh("key")
		l.emit("for _, %s := range %s(%s) {\n%s[%s] = %s[%s]\n}", k, l.helper("Keys", "func NAME[K comparable, V any](m map[K]V) []K {\nvar keys []K\nfor k := range m {\nkeys = append(keys, k)\n}\nreturn keys\n}"), m, n, k, m, k)
		return n, true
	}
	if fn.FullName() == "slices.overlaps" {
		return l.helper("Overlaps", "func NAME[T any](a, b []T) bool {\nfor i := range a {\nif len(b) > 0 && &a[i] == &b[0] {\nreturn true\n}\n}\nfor i := range b {\nif len(a) > 0 && &b[i] == &a[0] {\nreturn true\n}\n}\nreturn false\n}") +
			"(" + l.expr(e.Args[0]) + ", " + l.expr(e.Args[1]) + ")", true
	}
	if fn.Pkg().Path() != "math" {
		return "", false
	}
	math := l.importPackage(fn.Pkg())
	arg := func(k int) string { return l.simpleText(l.expr(e.Args[k])) }
	switch fn.Name() {
	case "Sincos":
		return math + "." + []string{"Sin", "Cos"}[i] + "(" + arg(0) + ")", true
	case "Modf":
		x := arg(0)
		if i == 0 {
			return math + ".Trunc(" + x + ")", true
		}
		return l.copiedHelper("fraction", "func NAME(x float64) float64 {\nif x-x != 0 {\nreturn x - x\n}\ni := "+math+".Trunc(x)\nif x == i && "+math+".Signbit(x) {\nreturn -(i - x)\n}\nreturn x - i\n}") + "(" + x + ")", true
	case "Lgamma":
		if i == 0 {
			return l.helper("GammaLog", "func NAME(x float64) float64 {\nv, _ := "+math+".Lgamma(x)\nreturn v\n}") + "(" + arg(0) + ")", true
		}
		return l.helper("GammaSign", "func NAME(x float64) int {\n_, s := "+math+".Lgamma(x)\nreturn s\n}") + "(" + arg(0) + ")", true
	case "Frexp":
		x := arg(0)
		exp := l.helper("Exponent", "func NAME(x float64) int {\n_, e := "+math+".Frexp(x)\nreturn e\n}") + "(" + x + ")"
		if i == 1 {
			return exp, true
		}
		return math + ".Ldexp(" + x + ", -" + exp + ")", true
	}
	return "", false
}

var letters = regexp.MustCompile(`[\pL\d]+`)

// copiedHelper is the name of a function in the simple language.
func (l *lower) copiedHelper(name, text string) string {
	n := l.copies["helper "+name]
	if n == "" {
		n = l.fresh(strings.Join(letters.FindAllString(name, -1), ""))
		l.copies["helper "+name] = n
		l.front.text.WriteString(strings.ReplaceAll(text, "NAME", n) + "\n\n")
	}
	return n
}

// multi are the values of an expression with several.
func (l *lower) multi(e ast.Expr) []string {
	t, ok := l.info().TypeOf(e).(*types.Tuple)
	if !ok {
		return l.multiOf(e, []bool{true, true})
	}
	return l.multiOf(e, slices.Repeat([]bool{true}, t.Len()))
}

// multiOf are those that are wanted.
func (l *lower) multiOf(e ast.Expr, want []bool) []string {
	texts := make([]string, len(want))
	switch x := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if fn, _ := l.in.Function(x.Fun); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "math" {
			found := false
			arg := ""
			for i, w := range want {
				if !w {
					continue
				}
				if arg == "" { // is evaluated once
					if l.info().Types[x.Args[0]].Value == nil {
						arg = l.let("x", l.expr(x.Args[0]))
						l.synthetic(x.Args[0], arg)
					} else {
						arg = "constant"
					}
				}
				if s, ok := l.special(fn, x, i); ok {
					texts[i], found = l.let("t", s), true
				}
			}
			if found {
				return texts
			}
		}
		text, lowered := l.call(x)
		var names []string
		results := l.resultsOf(x)
		any := false
		for i, w := range want {
			n := "_"
			if w {
				n, any = l.fresh("t"), true
			}
			texts[i] = n
			names = append(names, n)
		}
		op := " := "
		if !any {
			op = " = "
		}
		l.emit("%s", strings.Join(names, ", ")+op+text)
		for i, t := range results {
			if want[i] && !lowered && aggregate(t) {
				n := l.fresh("t")
				l.emit("%s := new(%s)", n, l.typ(t))
				l.emit("*%s = %s", n, texts[i])
				texts[i] = n
			}
		}
		return texts
	case *ast.IndexExpr: // of a map
		m, k := l.simpleText(l.expr(x.X)), l.let("key", l.expr(x.Index))
		if want[0] {
			texts[0] = l.let("t", m+"["+k+"]")
		}
		if want[1] {
			texts[1] = l.let("t", l.has()+"("+m+", "+k+")")
		}
		return texts
	}
	l.refuse(e, "a value with ok", "call a function of its own that takes nothing active")
	return nil
}

// synthetic lets text stand for e.
func (l *lower) synthetic(e ast.Expr, text string) {
	if l.replaced == nil {
		l.replaced = map[ast.Expr]string{}
	}
	l.replaced[e] = text
}

func (l *lower) conversion(e *ast.CallExpr) string {
	t, from := l.typeOf(e), l.typeOf(e.Args[0])
	if a, ok := t.Underlying().(*types.Array); ok {
		if _, ok := from.Underlying().(*types.Slice); ok {
			s := l.simpleText(l.expr(e.Args[0]))
			n := l.fresh("t")
			i := l.fresh("i")
			l.emit("var %s %s", n, l.typ(t))
			l.emit("for %s := range %d {\n%s[%s] = %s[%s]\n}", i, a.Len(), n, i, s, i)
			return n
		}
	}
	if l.info().Types[e.Args[0]].IsNil() {
		n := l.fresh("none")
		l.emit("var %s %s", n, l.typ(t))
		return n
	}
	name := l.typ(t)
	if strings.ContainsAny(name, "*[(") {
		name = "(" + name + ")"
	}
	return name + "(" + l.converted(e.Args[0], t, false) + ")"
}

func (l *lower) builtin(e *ast.CallExpr, name string) string {
	var args []string
	switch name {
	case "append":
		return l.appendCall(e)
	case "min", "max":
		s := l.expr(e.Args[0])
		if len(e.Args) == 1 {
			return s
		}
		for _, x := range e.Args[1:] {
			s = name + "(" + s + ", " + l.expr(x) + ")"
		}
		return s
	case "copy":
		return l.copyCall(e)
	case "new":
		if !l.info().Types[e.Args[0]].IsType() {
			t := l.typeOf(e.Args[0])
			if aggregate(t) {
				return l.pointer(e.Args[0], true)
			}
			x := l.expr(e.Args[0])
			n := l.let("p", "new("+l.typ(t)+")")
			l.emit("*%s = %s", n, x)
			return n
		}
	case "len", "cap":
		if isMap(l.typeOf(e.Args[0])) { // whose elements may change
			return l.let("n", "len("+l.expr(e.Args[0])+")")
		}
		if a, ok := activity.Deref(l.typeOf(e.Args[0])).Underlying().(*types.Array); ok {
			return fmt.Sprint(a.Len())
		}
	}
	for _, x := range e.Args {
		args = append(args, l.expr(x))
	}
	return name + "(" + strings.Join(args, ", ") + l.dots(e) + ")"
}

// copyCall writes copy, and returns how many elements it copies.
func (l *lower) copyCall(e *ast.CallExpr) string {
	dst, src := l.simpleText(l.expr(e.Args[0])), l.simpleText(l.expr(e.Args[1]))
	n := fmt.Sprintf("min(len(%s), len(%s))", dst, src)
	if isString(l.typeOf(e.Args[1])) {
		l.refuse(e, "copy of a string", "write a loop")
	}
	elem := elemOf(l.typeOf(e.Args[0]))
	if l.active(e.Args[0]) && types.Identical(elem, types.Typ[types.Float64]) {
		l.emit("copy(%s, %s)", dst, src)
		return n
	}
	i := l.fresh("i")
	if aggregate(elem) {
		l.refuse(e, "copy of structs that lead to other memory", "write a loop")
	}
	t := l.let("kept", fmt.Sprintf("make([]%s, %s)", l.typ(elem), n))
	l.emit("for %s := range %s {\n%s[%s] = %s[%s]\n}", i, t, t, i, src, i)
	l.emit("for %s := range %s {\n%s[%s] = %s[%s]\n}", i, t, dst, i, t, i)
	return n
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// appendPassive appends to a variable that holds nothing active: as statements, which
// say what they overwrite.
func (l *lower) appendPassive(v string, e *ast.CallExpr) string {
	var texts []string
	t := elemOf(l.typeOf(e))
	for _, x := range e.Args[1:] {
		texts = append(texts, l.converted(x, t, true))
	}
	return l.appended(v, l.typ(l.typeOf(e)), texts, false, t)
}

// appended are statements that append to v.
func (l *lower) appended(v, typ string, texts []string, active bool, elem types.Type) string {
	k := len(texts)
	if k == 0 {
		return ""
	}
	if active {
		n := l.copiedHelper("grown"+typ, "func NAME(s "+typ+") "+typ+" {\nt := make("+typ+", len(s), 2*len(s)+4)\nfor i := range s {\nt[i] = s[i]\n}\nreturn t\n}")
		l.emit("if len(%s) == cap(%s) {\n%s = %s(%s)\n}", v, v, v, n, v)
		l.emit("%s = %s[:len(%s)+1]", v, v, v)
		return fmt.Sprintf("%s[len(%s)-1] = %s", v, v, texts[0])
	}
	l.emit("if len(%s)+%d > cap(%s) {\n%s = append(%s[:len(%s):len(%s)], make(%s, %d)...)[:len(%s)]\n}", v, k, v, v, v, v, v, typ, k, v)
	l.emit("%s = %s[:len(%s)+%d]", v, v, v, k)
	for i, s := range texts {
		if aggregate(elem) {
			l.assignFields(fmt.Sprintf("%s[len(%s)-%d]", v, v, k-i), l.simpleText(s), elem)
		} else {
			l.emit("%s[len(%s)-%d] = %s", v, v, k-i, s)
		}
	}
	return ""
}

// appendCall is append as an expression: a call of a function that is written for the type
// and the number of elements.
func (l *lower) appendCall(e *ast.CallExpr) string {
	t := l.typeOf(e)
	elem := elemOf(t)
	typ, et := l.typ(t), l.held(elem)
	s := l.converted(e.Args[0], t, false)
	if s == "nil" {
		n := l.fresh("none")
		l.emit("var %s %s", n, typ)
		s = n
	}
	put := func(place, text string) string {
		if !aggregate(elem) {
			return place + " = " + text + "\n"
		}
		outer := l.pre
		l.pre = nil
		l.assignFields(place, text, elem)
		b := strings.Join(l.pre, "\n") + "\n"
		l.pre = outer
		return b
	}
	grow := "t := make(" + typ + ", m, 2*m)\nfor i := range s {\n" + put("t[i]", "s[i]") + "}\n"
	if e.Ellipsis.IsValid() {
		if isString(l.typeOf(e.Args[1])) {
			l.refuse(e, "append of a string", "append its bytes")
		}
		from := l.expr(e.Args[1])
		fill := "for i := range v {\n" + put("t[n+i]", "u[i]") + "}\n"
		n := l.copiedHelper("joined"+typ, "func NAME(s, v "+typ+") "+typ+" {\nif len(v) == 0 {\nreturn s\n}\nu := make("+typ+", len(v))\nfor i := range v {\n"+put("u[i]", "v[i]")+"}\n"+
			"n := len(s)\nm := n + len(v)\nif m <= cap(s) {\nt := s[:m]\n"+fill+"return t\n}\n"+grow+fill+"return t\n}")
		if l.typ(l.typeOf(e.Args[1])) != typ {
			from = "(" + typ + ")(" + from + ")"
		}
		return n + "(" + l.simpleText(s) + ", " + l.simpleText(from) + ")"
	}
	var params, args []string
	fill := ""
	for i, x := range e.Args[1:] {
		a := "a" + itoa(i)
		params = append(params, a+" "+et)
		args = append(args, l.converted(x, elem, false))
		fill += put(fmt.Sprintf("t[n+%d]", i), a)
	}
	if len(args) == 0 {
		return s
	}
	k := itoa(len(args))
	n := l.copiedHelper("appended"+k+typ, "func NAME(s "+typ+", "+strings.Join(params, ", ")+") "+typ+" {\nn := len(s)\nm := n + "+k+"\nif m <= cap(s) {\nt := s[:m]\n"+fill+"return t\n}\n"+grow+fill+"return t\n}")
	return n + "(" + s + ", " + strings.Join(args, ", ") + ")"
}
