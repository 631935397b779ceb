package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// builtin is the name of the builtin function that e is, "" if it is none.
func builtin(info *types.Info, e ast.Expr) string {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr: // of package unsafe
		id = e.Sel
	}
	if b, ok := info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// call returns the places of the results of a call.
func (w *walker) call(e *ast.CallExpr) []*place {
	if tv := w.info().Types[e]; tv.Value != nil {
		return []*place{w.fresh(w.typeOf(e))}
	}
	if w.info().Types[e.Fun].IsType() {
		return []*place{w.conversion(e)}
	}
	if name := builtin(w.info(), e.Fun); name != "" {
		return w.builtin(e, name)
	}
	c := w.function(e.Fun)
	if c.fn != nil {
		if op, ok := elementary(c.fn); ok {
			return w.elementary(e, op)
		}
		if instead, ok := refused(c.fn); ok {
			for _, x := range e.Args {
				w.a.hide(w.expr(x), e.Pos(), c.fn.Pkg().Name()+"."+c.fn.Name()+" of an active value", instead)
			}
		}
	}
	sig, _ := w.typeOf(e.Fun).Underlying().(*types.Signature)
	if sig == nil {
		return nil
	}
	var recv, fun *place
	known := c.fn != nil
	if known {
		recv, fun, known = w.calledOn(e)
	}
	args, argAt := w.arguments(e, sig)
	var results []*place
	for i := range sig.Results().Len() {
		results = append(results, w.fresh(sig.Results().At(i).Type()))
	}
	if known {
		k := &call{in: w.in, at: e.Pos(), fn: c.fn.Origin(), env: c.env, recv: recv, args: args, argAt: argAt, res: results}
		w.in.calls[e] = k
		w.a.pending = append(w.a.pending, k)
		return results
	}
	if c.fn == nil && fun == nil {
		fun = w.expr(e.Fun)
	}
	if fun = fun.orNil(); fun != nil && fun.kind == function {
		for i, p := range args {
			w.a.flow(p, fun.params[i], argAt[i])
		}
		for i, p := range results {
			w.a.flow(fun.result[i], p, e.Pos())
		}
		return results
	}
	for _, p := range args {
		w.a.hide(p, e.Pos(), "a method of an interface cannot take active values", "call the method of the concrete type, or use a type parameter")
	}
	return results
}

// calledOn is the receiver of the method that e calls, if it is one. known is false where only
// a run shows which method it is, and for a method expression, whose value is fun.
func (w *walker) calledOn(e *ast.CallExpr) (recv, fun *place, known bool) {
	s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok || w.info().Selections[s] == nil {
		return nil, nil, true
	}
	sel := w.info().Selections[s]
	switch {
	case sel.Kind() != types.MethodVal:
		return nil, w.expr(e.Fun), false
	case types.IsInterface(sel.Recv()):
		w.expr(s.X)
		return nil, nil, false
	}
	x, t := w.path(w.expr(s.X), w.typeOf(s.X), sel.Index()[:len(sel.Index())-1])
	if types.IsInterface(t) { // embedded
		return nil, nil, false
	}
	return w.adjusted(x, t, sel.Obj().(*types.Func), e.Pos()), nil, true
}

// arguments are the places of the arguments and where they stand, one a parameter:
// those of a variadic one are the elements of a slice.
func (w *walker) arguments(e *ast.CallExpr, sig *types.Signature) (places []*place, at []token.Pos) {
	n := sig.Params().Len()
	if t, ok := w.info().TypeOf(firstArg(e)).(*types.Tuple); ok && len(e.Args) == 1 && t.Len() != 1 {
		places = w.multi(e.Args[0])
		for range places {
			at = append(at, e.Args[0].Pos())
		}
	} else {
		for _, x := range e.Args {
			places, at = append(places, w.expr(x)), append(at, x.Pos())
		}
	}
	if sig.Variadic() && !e.Ellipsis.IsValid() {
		rest := w.fresh(sig.Params().At(n - 1).Type())
		to := rest
		if rest.elem != nil {
			to = rest.elem
		}
		for i, p := range places[n-1:] {
			w.a.flow(p, to, at[n-1+i])
		}
		places, at = append(places[:n-1:n-1], rest), append(at[:n-1:n-1], e.Pos())
	}
	for i, p := range places {
		if types.IsInterface(substitute(sig.Params().At(i).Type(), w.in.env)) {
			w.a.flow(p, &place{}, at[i])
		}
	}
	return places, at
}

func firstArg(e *ast.CallExpr) ast.Expr {
	if len(e.Args) == 0 {
		return e.Fun
	}
	return e.Args[0]
}

// conversion is T(x). What becomes an integer is a reading of its value.
func (w *walker) conversion(e *ast.CallExpr) *place {
	if at := w.address(e); at != nil {
		w.expr(at)
		return w.fresh(w.typeOf(e))
	}
	x := w.expr(e.Args[0])
	p := w.fresh(w.typeOf(e))
	x, q := x.find(), p.find()
	switch {
	case x.kind == number && q.kind == number:
		w.a.flow(x, q, e.Pos())
	case x.kind == number:
		if b, ok := w.typeOf(e).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
			w.a.hide(x, e.Pos(), "an active value cannot become a "+types.TypeString(w.typeOf(e), nil), "keep it a float64")
		}
	case types.Identical(w.typeOf(e), types.Typ[types.UnsafePointer]):
		w.a.hide(x, e.Args[0].Pos(), "unsafe pointers to active values", "use an index, or a pointer of its type")
	default:
		w.a.flow(x, q, e.Pos())
	}
	return p
}

// address is the pointer p of uintptr(unsafe.Pointer(p)), an integer that says nothing
// of what is there: slices.Insert compares such ones. It is nil for other conversions.
func (w *walker) address(e *ast.CallExpr) ast.Expr {
	p, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr)
	if !ok || len(p.Args) != 1 || !types.Identical(w.typeOf(e), types.Typ[types.Uintptr]) ||
		!w.info().Types[p.Fun].IsType() || !types.Identical(w.typeOf(p), types.Typ[types.UnsafePointer]) {
		return nil
	}
	return p.Args[0]
}

func (w *walker) builtin(e *ast.CallExpr, name string) []*place {
	var args []*place
	for _, x := range e.Args {
		args = append(args, w.expr(x))
	}
	at := e.Pos()
	switch name {
	case "append":
		s := args[0].find()
		if w.info().Types[e.Args[0]].IsNil() || s.elem == nil {
			s = w.fresh(w.typeOf(e))
		}
		for i, p := range args[1:] {
			if e.Ellipsis.IsValid() && i == len(args)-2 {
				if p = p.find(); p.elem == nil {
					continue
				}
				p = p.elem
			}
			if s.elem != nil {
				w.a.flow(p, s.elem, e.Args[i+1].Pos())
			}
		}
		return []*place{s}
	case "copy":
		if to, from := args[0].find(), args[1].find(); to.elem != nil && from.elem != nil {
			w.a.flow(from.elem, to.elem, at)
		}
	case "min", "max":
		p := w.fresh(w.typeOf(e))
		for _, x := range args {
			w.a.flow(x, p, at)
		}
		return []*place{p}
	case "panic", "print", "println":
		for _, p := range args {
			w.a.hide(p, at, "an active value cannot be given to "+name, "leave it out, or give a text")
		}
	case "recover":
		w.a.fault(at, "a function that recovers from a panic cannot be lifted", "return an error")
	case "complex":
		for _, p := range args {
			w.a.hide(p, at, "complex numbers of active values", "compute with real and imaginary parts")
		}
	}
	if t := w.info().TypeOf(e); t != nil {
		if _, ok := t.(*types.Tuple); !ok {
			return []*place{w.fresh(w.typeOf(e))}
		}
	}
	return nil
}

// elementary is a call of a function that is an operation.
func (w *walker) elementary(e *ast.CallExpr, op operation) []*place {
	var results []*place
	switch t := w.info().TypeOf(e).(type) {
	case *types.Tuple:
		for i := range t.Len() {
			results = append(results, w.fresh(t.At(i).Type()))
		}
	default:
		results = append(results, w.fresh(w.typeOf(e)))
	}
	for _, x := range e.Args {
		p := w.expr(x).find()
		for p.kind == holder {
			p = p.elem.find()
		}
		if !op.reads {
			for _, r := range results {
				if r.kind == number {
					w.a.flow(p, r, e.Pos())
				}
			}
		}
	}
	return results
}
