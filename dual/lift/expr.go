package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// expr returns the place of the value of e, and notes what flows on the way.
func (w *walker) expr(e ast.Expr) *place {
	p := w.value(e)
	w.in.exprs[e] = p
	return p
}

// multi is expr for what may have several values, or none.
func (w *walker) multi(e ast.Expr) []*place {
	t, ok := w.info().TypeOf(e).(*types.Tuple)
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		r := w.call(c)
		for len(r) < tupleLen(t) {
			r = append(r, w.fresh(t.At(len(r)).Type()))
		}
		if len(r) > 0 {
			w.in.exprs[e] = r[0]
		}
		return r
	}
	p := w.expr(e)
	if !ok {
		return []*place{p}
	}
	return []*place{p, w.fresh(types.Typ[types.Bool])} // v, ok
}

func tupleLen(t *types.Tuple) int {
	if t == nil {
		return 0
	}
	return t.Len()
}

func (w *walker) value(e ast.Expr) *place {
	tv := w.info().Types[e]
	if tv.Value != nil || tv.IsType() {
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
		return w.static(e, w.function(e), nil)
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
func (w *walker) index(e *ast.IndexExpr) *place {
	if w.info().Types[e.Index].IsType() {
		return w.static(e, w.function(e), nil)
	}
	x := w.expr(e.X).find()
	w.key(e.Index, e.X)
	if isPointer(w.typeOf(e.X)) && x.elem != nil {
		x = x.elem.find() // to an array
	}
	if x.elem == nil {
		return w.fresh(w.valueType(e))
	}
	return x.elem
}

func (w *walker) slice(e *ast.SliceExpr) *place {
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

func (w *walker) unary(e *ast.UnaryExpr) *place {
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
		return substitute(t.At(0).Type(), w.in.env)
	}
	return w.typeOf(e)
}

// sharing is a new slice or pointer to elem.
func (w *walker) sharing(t types.Type, elem *place, at token.Pos) *place {
	p := w.fresh(t)
	if p.elem != nil && elem != nil {
		w.a.unify(p.elem, elem, at)
	}
	return p
}

func (w *walker) binary(e *ast.BinaryExpr) *place {
	x, y := w.expr(e.X), w.expr(e.Y)
	p := w.fresh(w.typeOf(e))
	if p.kind == number {
		w.a.flow(x, p, e.OpPos)
		w.a.flow(y, p, e.OpPos)
	}
	if p.find().kind == other && (e.Op == token.EQL || e.Op == token.NEQ) {
		for _, q := range []*place{x, y} {
			if k := q.find().kind; k == record || k == holder && !isReference(q.find().typ) {
				w.a.hide(q, e.OpPos, "structs and arrays of active values cannot be compared", "compare their numbers")
			}
		}
	}
	return p
}

func isReference(t types.Type) bool {
	_, array := t.Underlying().(*types.Array)
	return !array
}

func (w *walker) ident(e *ast.Ident) *place {
	switch o := w.info().ObjectOf(e).(type) {
	case *types.Var:
		return w.variable(o)
	case *types.Func:
		return w.static(e, w.function(e), nil)
	}
	return w.fresh(w.typeOf(e))
}

func (w *walker) composite(e *ast.CompositeLit) *place {
	p := w.fresh(w.typeOf(e))
	w.in.exprs[e] = p
	at := p
	if _, ok := w.typeOf(e).Underlying().(*types.Pointer); ok { // &T{} with &T left out
		at = p.elem
	}
	at = at.find()
	fields, _ := deref(w.typeOf(e)).Underlying().(*types.Struct)
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
		case at.kind == record:
			if keyed {
				i = fieldIndex(fields, kv.Key.(*ast.Ident).Name)
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

func fieldIndex(s *types.Struct, name string) int {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return i
		}
	}
	return -1
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// literal is a function literal: it sees the variables around it.
func (w *walker) literal(e *ast.FuncLit) *place {
	p := w.fresh(w.typeOf(e))
	w.in.exprs[e] = p
	inner := &walker{a: w.a, in: w.in}
	var params, results []*place
	sig := w.info().TypeOf(e).(*types.Signature)
	outer := w.in.named
	inner.params(sig, func(p *place) { params = append(params, p) }, func(p *place) { results = append(results, p) })
	w.in.named = outer
	inner.results = results
	if p.kind == function {
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
func (w *walker) selector(e *ast.SelectorExpr) *place {
	s := w.info().Selections[e]
	if s == nil {
		switch o := w.info().Uses[e.Sel].(type) {
		case *types.Var:
			return w.variable(o)
		case *types.Func:
			return w.static(e, w.function(e), nil)
		}
		return w.fresh(w.typeOf(e))
	}
	x := w.expr(e.X)
	if s.Kind() == types.MethodExpr {
		return w.static(e, w.function(e), nil)
	}
	path := s.Index()
	t := w.typeOf(e.X)
	if s.Kind() == types.MethodVal {
		x, t = w.path(x, t, path[:len(path)-1])
		return w.static(e, w.function(e), w.adjusted(x, t, s.Obj().(*types.Func), e.Pos()))
	}
	x, _ = w.path(x, t, path)
	return x
}

// path follows the fields of an index path, through embedded pointers.
func (w *walker) path(x *place, t types.Type, path []int) (*place, types.Type) {
	for _, i := range path {
		x = x.find()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
			if x.elem != nil {
				x = x.elem.find()
			}
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
		if x.kind != record {
			x = w.fresh(t)
		} else {
			x = x.fields[i]
		}
	}
	return x, t
}

// adjusted is the receiver for a method: its address or what it points to, if the
// method asks for that.
func (w *walker) adjusted(x *place, t types.Type, fn *types.Func, at token.Pos) *place {
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

// function is the declared function that e names, and its type arguments.
func (w *walker) function(e ast.Expr) called {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	case *ast.IndexExpr:
		return w.function(e.X)
	case *ast.IndexListExpr:
		return w.function(e.X)
	}
	if id == nil {
		return called{}
	}
	fn, ok := w.info().Uses[id].(*types.Func)
	if !ok {
		return called{}
	}
	env := map[*types.TypeParam]types.Type{}
	if i, ok := w.info().Instances[id]; ok {
		params := fn.Origin().Type().(*types.Signature).TypeParams()
		for k := range params.Len() {
			env[params.At(k)] = substitute(i.TypeArgs.At(k), w.in.env)
		}
	}
	if recv := fn.Type().(*types.Signature).Recv(); recv != nil {
		if n, ok := types.Unalias(deref(substitute(recv.Type(), w.in.env))).(*types.Named); ok {
			params := fn.Origin().Type().(*types.Signature).RecvTypeParams()
			for k := range params.Len() {
				env[params.At(k)] = n.TypeArgs().At(k)
			}
		}
	}
	return called{fn, env}
}

type called struct {
	fn  *types.Func
	env map[*types.TypeParam]types.Type
}

// static is a declared function used as a value: with its receiver, if that is
// bound.
func (w *walker) static(e ast.Expr, c called, recv *place) *place {
	p := w.fresh(w.typeOf(e))
	if p.kind != function || c.fn == nil {
		return p
	}
	if _, ok := elementary(c.fn); ok {
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
	k := &call{in: w.in, at: e.Pos(), fn: c.fn.Origin(), env: c.env, recv: recv, args: p.params, res: p.result}
	for range k.args {
		k.argAt = append(k.argAt, k.at)
	}
	if w.in.funcs[e] = k; recv == nil && c.fn.Type().(*types.Signature).Recv() != nil && len(p.params) > 0 { // a method expression
		k.recv, k.args, k.argAt = p.params[0], p.params[1:], k.argAt[1:]
	}
	w.a.pending = append(w.a.pending, k)
	return p
}
