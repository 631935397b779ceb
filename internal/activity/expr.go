package activity

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// expr returns the place of the value of e, and notes what flows on the way.
func (w *walker) expr(e ast.Expr) *Place {
	p := w.value(e)
	w.in.Exprs[e] = p
	return p
}

// multi is expr for what may have several values, or none.
func (w *walker) multi(e ast.Expr) []*Place {
	p := w.values(e)
	w.in.Tuples[e] = p
	return p
}

func (w *walker) values(e ast.Expr) []*Place {
	t, ok := w.info().TypeOf(e).(*types.Tuple)
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		r := w.call(c)
		for len(r) < tupleLen(t) {
			r = append(r, w.fresh(t.At(len(r)).Type()))
		}
		if len(r) > 0 {
			w.in.Exprs[e] = r[0]
		}
		return r
	}
	p := w.expr(e)
	if !ok {
		return []*Place{p}
	}
	return []*Place{p, w.fresh(types.Typ[types.Bool])} // v, ok
}

func tupleLen(t *types.Tuple) int {
	if t == nil {
		return 0
	}
	return t.Len()
}

func (w *walker) value(e ast.Expr) *Place {
	tv := w.info().Types[e]
	if tv.Value != nil || tv.IsType() {
		w.sizes(e)
		return w.fresh(w.typeOf(e))
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return w.binary(e)
	case *ast.CallExpr:
		if r := w.call(e); len(r) > 0 {
			return r[0]
		}
		return w.fresh(nil)
	case *ast.CompositeLit:
		return w.composite(e)
	case *ast.FuncLit:
		return w.literal(e)
	case *ast.Ident:
		return w.ident(e)
	case *ast.IndexExpr:
		return w.index(e)
	case *ast.IndexListExpr:
		return w.static(e, nil)
	case *ast.KeyValueExpr:
		w.expr(e.Key)
		return w.expr(e.Value)
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.SliceExpr:
		return w.slice(e)
	case *ast.StarExpr:
		if x := w.expr(e.X).find(); x.elem != nil {
			return x.elem
		}
		return w.fresh(w.typeOf(e))
	case *ast.TypeAssertExpr:
		w.expr(e.X)
		return w.fresh(w.valueType(e))
	case *ast.UnaryExpr:
		return w.unary(e)
	}
	return w.fresh(w.typeOf(e))
}

// index is an element, or a function with its type arguments.
func (w *walker) index(e *ast.IndexExpr) *Place {
	if w.info().Types[e.Index].IsType() {
		return w.static(e, nil)
	}
	x := w.expr(e.X).find()
	w.key(e.Index, e.X)
	if IsPointer(w.typeOf(e.X)) && x.elem != nil {
		x = x.elem.find() // to an array
	}
	if x.elem == nil {
		return w.fresh(w.valueType(e))
	}
	return x.elem
}

func (w *walker) slice(e *ast.SliceExpr) *Place {
	x := w.expr(e.X).find()
	for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
		if i != nil {
			w.expr(i)
		}
	}
	switch w.typeOf(e.X).Underlying().(type) {
	case *types.Pointer:
		if x.elem != nil {
			x = x.elem.find()
		}
		return w.sharing(w.typeOf(e), x.elem, e.Lbrack)
	case *types.Array:
		return w.sharing(w.typeOf(e), x.elem, e.Lbrack)
	}
	return x
}

func (w *walker) unary(e *ast.UnaryExpr) *Place {
	x := w.expr(e.X)
	switch e.Op {
	case token.AND:
		return w.sharing(w.typeOf(e), x, e.OpPos)
	case token.ARROW:
		if x = x.find(); x.elem != nil {
			return x.elem
		}
		return w.fresh(w.valueType(e))
	}
	p := w.fresh(w.typeOf(e))
	w.a.flow(x, p, e.OpPos)
	return p
}

// valueType is the type of e, or of the first of its two values.
func (w *walker) valueType(e ast.Expr) types.Type {
	if t, ok := w.info().TypeOf(e).(*types.Tuple); ok {
		return Substitute(t.At(0).Type(), w.in.Env)
	}
	return w.typeOf(e)
}

// sharing is a new slice or pointer to elem.
func (w *walker) sharing(t types.Type, elem *Place, at token.Pos) *Place {
	p := w.fresh(t)
	if p.elem != nil && elem != nil {
		w.a.unify(p.elem, elem, at)
	}
	return p
}

func (w *walker) binary(e *ast.BinaryExpr) *Place {
	x, y := w.expr(e.X), w.expr(e.Y)
	p := w.fresh(w.typeOf(e))
	if p.kind == Number {
		w.a.flow(x, p, e.OpPos)
		w.a.flow(y, p, e.OpPos)
	}
	return p
}

func (w *walker) ident(e *ast.Ident) *Place {
	switch o := w.info().ObjectOf(e).(type) {
	case *types.Var:
		if w.a.function(o) != nil {
			return w.static(e, nil)
		}
		return w.variable(o)
	case *types.Func:
		return w.static(e, nil)
	}
	return w.fresh(w.typeOf(e))
}

func (w *walker) composite(e *ast.CompositeLit) *Place {
	p := w.fresh(w.typeOf(e))
	w.in.Exprs[e] = p
	at := p
	if _, ok := w.typeOf(e).Underlying().(*types.Pointer); ok { // &T{} with &T left out
		at = p.elem
	}
	at = at.find()
	fields, _ := Deref(w.typeOf(e)).Underlying().(*types.Struct)
	for i, x := range e.Elts {
		kv, keyed := x.(*ast.KeyValueExpr)
		v := x
		if keyed {
			v = kv.Value
			if fields == nil {
				w.key(kv.Key, e)
			}
		}
		from := w.expr(v)
		switch {
		case at.kind == Record:
			if keyed {
				i = FieldIndex(fields, kv.Key.(*ast.Ident).Name)
			}
			w.a.flow(from, at.fields[i], v.Pos())
		case at.elem != nil:
			w.a.flow(from, at.elem, v.Pos())
		default:
			w.a.flow(from, at, v.Pos())
		}
	}
	return p
}

// key is an index of x: no active value where x is a map.
func (w *walker) key(e, x ast.Expr) {
	p := w.expr(e)
	if _, ok := w.typeOf(x).Underlying().(*types.Map); ok {
		w.a.hide(p, e.Pos(), "an active value cannot be the key of a map", "use an integer or a text")
	}
}

// FieldIndex is the index of the field of s with a name, -1 if there is none.
func FieldIndex(s *types.Struct, name string) int {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return i
		}
	}
	return -1
}

// Deref is what t points to, or t if it is no pointer.
func Deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// literal is a function literal: it sees the variables around it.
func (w *walker) literal(e *ast.FuncLit) *Place {
	p := w.fresh(w.typeOf(e))
	w.in.Exprs[e] = p
	inner := &walker{a: w.a, in: w.in}
	var params, results []*Place
	sig := w.info().TypeOf(e).(*types.Signature)
	inner.params(sig, func(p *Place) { params = append(params, p) }, func(p *Place) { results = append(results, p) })
	inner.results = results
	if p.kind == Function {
		for i := range params {
			w.a.unify(p.params[i], params[i], e.Pos())
		}
		for i := range results {
			w.a.unify(p.result[i], results[i], e.Pos())
		}
	}
	inner.block(e.Body)
	return p
}

// selector is a field, a method or a name of a package.
func (w *walker) selector(e *ast.SelectorExpr) *Place {
	s := w.info().Selections[e]
	if s == nil {
		switch o := w.info().Uses[e.Sel].(type) {
		case *types.Var:
			if w.a.function(o) != nil {
				return w.static(e, nil)
			}
			return w.variable(o)
		case *types.Func:
			return w.static(e, nil)
		}
		return w.fresh(w.typeOf(e))
	}
	x := w.expr(e.X)
	if s.Kind() == types.MethodExpr {
		return w.static(e, nil)
	}
	t := w.typeOf(e.X)
	if s.Kind() == types.MethodVal {
		m, path, ok := w.in.Method(e)
		if !ok {
			return w.fresh(w.typeOf(e))
		}
		x, t = w.path(x, t, path)
		return w.static(e, w.adjusted(x, t, m, e.Pos()))
	}
	x, _ = w.path(x, t, s.Index())
	return x
}

// path follows the fields of an index path, through embedded pointers.
func (w *walker) path(x *Place, t types.Type, path []int) (*Place, types.Type) {
	for _, i := range path {
		x = x.find()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
			if x.elem != nil {
				x = x.elem.find()
			}
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
		if x.kind != Record {
			x = w.fresh(t)
		} else {
			x = x.fields[i]
		}
	}
	return x, t
}

// adjusted is the receiver for a method: its address or what it points to, if the
// method asks for that.
func (w *walker) adjusted(x *Place, t types.Type, fn *types.Func, at token.Pos) *Place {
	recv := fn.Origin().Type().(*types.Signature).Recv().Type()
	_, want := recv.Underlying().(*types.Pointer)
	_, have := t.Underlying().(*types.Pointer)
	switch {
	case want && !have:
		return w.sharing(types.NewPointer(t), x, at)
	case have && !want:
		if x = x.find(); x.elem != nil {
			return x.elem
		}
	}
	return x
}

// Function is the declared function that e names, or the one in a variable that nothing
// changes, and its type arguments; nil if e names none.
func (in *Instance) Function(e ast.Expr) (fn *types.Func, env Env) {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	case *ast.IndexExpr:
		return in.Function(e.X)
	case *ast.IndexListExpr:
		return in.Function(e.X)
	}
	if id == nil {
		return nil, nil
	}
	switch o := in.Info().Uses[id].(type) {
	case *types.Func:
		fn = o
	case *types.Var:
		return in.a.function(o), Env{}
	default:
		return nil, nil
	}
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if m, _, ok := in.Method(s); ok {
			fn = m
		}
	}
	env = Env{}
	if i, ok := in.Info().Instances[id]; ok {
		params := fn.Origin().Type().(*types.Signature).TypeParams()
		for k := range params.Len() {
			env[params.At(k)] = Substitute(i.TypeArgs.At(k), in.Env)
		}
	}
	if recv := fn.Type().(*types.Signature).Recv(); recv != nil {
		if n, ok := types.Unalias(Deref(Substitute(recv.Type(), in.Env))).(*types.Named); ok {
			params := fn.Origin().Type().(*types.Signature).RecvTypeParams()
			for k := range params.Len() {
				env[params.At(k)] = n.TypeArgs().At(k)
			}
		}
	}
	return fn, env
}

// function is the function in a variable of a package that nothing changes, if it is in its
// declaration; otherwise nil.
func (a *Analysis) function(v *types.Var) *types.Func {
	if a == nil || !a.Rewrites || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return nil
	}
	if _, ok := v.Type().Underlying().(*types.Signature); !ok {
		return nil
	}
	fn, known := a.functions[v]
	if known || !a.Program.Constant(v) {
		return fn
	}
	spec, _, pkg := a.Program.Spec(v)
	if s, ok := spec.(*ast.ValueSpec); ok && len(s.Names) == len(s.Values) {
		i := slices.IndexFunc(s.Names, func(id *ast.Ident) bool { return id.Name == v.Name() })
		switch e := ast.Unparen(s.Values[i]).(type) {
		case *ast.FuncLit:
			fn = types.NewFunc(v.Pos(), v.Pkg(), v.Name(), pkg.TypesInfo.TypeOf(e).(*types.Signature))
			a.Program.declarations(pkg)[fn] = &ast.FuncDecl{Name: s.Names[i], Type: e.Type, Body: e.Body}
		case *ast.Ident:
			fn, _ = pkg.TypesInfo.Uses[e].(*types.Func)
		case *ast.SelectorExpr:
			if pkg.TypesInfo.Selections[e] == nil {
				fn, _ = pkg.TypesInfo.Uses[e.Sel].(*types.Func)
			}
		}
		if fn != nil && fn.Signature().TypeParams().Len() > 0 {
			fn = nil
		}
	}
	a.functions[v] = fn
	return fn
}

// static is a declared function used as a value: with its receiver, if that is
// bound.
func (w *walker) static(e ast.Expr, recv *Place) *Place {
	fn, env := w.in.Function(e)
	p := w.fresh(w.typeOf(e))
	if p.kind != Function || fn == nil {
		return p
	}
	if as := w.a.use(fn).As; as == Operation || as == Reading {
		for _, q := range p.params {
			for _, r := range p.result {
				w.a.flow(q, r, e.Pos())
			}
		}
		for _, r := range p.result { // an operation on active numbers takes and gives nothing else
			for _, q := range p.params {
				w.a.flow(r, q, e.Pos())
			}
		}
		return p
	}
	k := &Call{in: w.in, at: e.Pos(), Fn: fn.Origin(), Env: env, Recv: recv, Args: p.params, Results: p.result}
	for range k.Args {
		k.argAt = append(k.argAt, k.at)
	}
	if w.in.Funcs[e] = k; recv == nil && fn.Type().(*types.Signature).Recv() != nil && len(p.params) > 0 { // a method expression
		k.Recv, k.Args, k.argAt = p.params[0], p.params[1:], k.argAt[1:]
	}
	w.a.pending = append(w.a.pending, k)
	return p
}
