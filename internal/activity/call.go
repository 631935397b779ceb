package activity

import (
	"go/ast"
	"go/token"
	"go/types"
)

// call returns the places of the results of a call.
func (w *walker) call(e *ast.CallExpr) []*Place {
	if tv := w.info().Types[e]; tv.Value != nil {
		return []*Place{w.expr(e)}
	}
	if w.info().Types[e.Fun].IsType() {
		return []*Place{w.conversion(e)}
	}
	if name := Builtin(w.info(), e.Fun); name != "" {
		return w.builtin(e, name)
	}
	fn, env := w.in.Function(e.Fun)
	if fn != nil {
		switch use := w.a.use(fn); use.As {
		case Operation, Reading:
			return w.operation(e, use.As)
		case Refused:
			for _, x := range e.Args {
				w.a.hide(w.expr(x), e.Pos(), fn.Pkg().Name()+"."+fn.Name()+" of an active value", use.Instead)
			}
		}
	}
	t := w.typeOf(e.Fun)
	if t == nil { // an error
		return nil
	}
	sig, _ := t.Underlying().(*types.Signature)
	if sig == nil {
		return nil
	}
	var recv, fun *Place
	known := fn != nil
	if known {
		recv, fun, known = w.calledOn(e)
	}
	if fn != nil && fn.FullName() == "maps.Clone" { // without source in Go
		p := w.fresh(sig.Results().At(0).Type())
		w.a.flow(w.expr(e.Args[0]), p, e.Pos())
		return []*Place{p}
	}
	args, argAt := w.arguments(e, sig, fn)
	var results []*Place
	for i := range sig.Results().Len() {
		results = append(results, w.fresh(sig.Results().At(i).Type()))
	}
	if known {
		k := &Call{in: w.in, at: e.Pos(), Fn: fn.Origin(), Env: env, Recv: recv, Args: args, Results: results, argAt: argAt}
		w.in.Calls[e] = k
		w.a.pending = append(w.a.pending, k)
		return results
	}
	if fn == nil && fun == nil {
		fun = w.expr(e.Fun)
	}
	if fun.Kind() == Function {
		fun = fun.find()
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
func (w *walker) calledOn(e *ast.CallExpr) (recv, fun *Place, known bool) {
	s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok || w.info().Selections[s] == nil {
		return nil, nil, true
	}
	m, path, ok := w.in.Method(s)
	switch {
	case w.info().Selections[s].Kind() != types.MethodVal:
		return nil, w.expr(e.Fun), false
	case !ok:
		w.expr(s.X)
		return nil, nil, false
	}
	x, t := w.path(w.expr(s.X), w.typeOf(s.X), path)
	return w.adjusted(x, t, m, e.Pos()), nil, true
}

// Method is the method that s selects and the embedded fields that lead to it. ok is
// false if s selects no method, or one of an interface. A method of a type parameter is
// that of its argument.
func (in *Instance) Method(s *ast.SelectorExpr) (m *types.Func, path []int, ok bool) {
	sel := in.Info().Selections[s]
	if sel == nil || sel.Kind() == types.FieldVal {
		return nil, nil, false
	}
	m, path = sel.Obj().(*types.Func), sel.Index()
	if _, ok := types.Unalias(Deref(sel.Recv())).(*types.TypeParam); ok {
		o, index, _ := types.LookupFieldOrMethod(Substitute(sel.Recv(), in.Env), true, m.Pkg(), m.Name())
		if m, ok = o.(*types.Func); !ok {
			return nil, nil, false
		}
		path = index
	}
	return m, path[:len(path)-1], !types.IsInterface(m.Signature().Recv().Type())
}

// arguments are the places of the arguments and where they stand, one a parameter:
// those of a variadic one are the elements of a slice.
func (w *walker) arguments(e *ast.CallExpr, sig *types.Signature, fn *types.Func) (places []*Place, at []token.Pos) {
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
		if types.IsInterface(Substitute(sig.Params().At(i).Type(), w.in.Env)) {
			if instead := w.advice(fn); instead != "" {
				w.a.hide(p, at[i], inInterface, instead)
			} else {
				w.a.flow(p, &Place{}, at[i])
			}
		}
	}
	return places, at
}

func (w *walker) advice(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	return w.a.Advice[fn.Pkg().Path()]
}

func firstArg(e *ast.CallExpr) ast.Expr {
	if len(e.Args) == 0 {
		return e.Fun
	}
	return e.Args[0]
}

// conversion is T(x). What becomes an integer is a reading of its value.
func (w *walker) conversion(e *ast.CallExpr) *Place {
	if at := w.address(e); at != nil {
		w.expr(at)
		return w.fresh(w.typeOf(e))
	}
	x := w.expr(e.Args[0])
	p := w.fresh(w.typeOf(e))
	x, q := x.find(), p.find()
	switch {
	case x.kind == Number && q.kind == Number:
		w.a.flow(x, q, e.Pos())
	case x.kind == Number:
		if b, ok := w.typeOf(e).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
			w.a.hide(x, e.Pos(), "an active value cannot become a "+types.TypeString(w.typeOf(e), nil), "keep it a float64")
		}
	case types.Identical(w.typeOf(e), types.Typ[types.UnsafePointer]):
		w.a.hide(x, e.Args[0].Pos(), "unsafe pointers to active values", "use an index, or a pointer of its type")
	default:
		switch w.typeOf(e.Args[0]).Underlying().(type) {
		case *types.Slice:
			if IsPointer(w.typeOf(e)) && q.elem != nil { // to an array
				q = q.elem.find()
			}
		}
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

// operation is a call of a function that is written as it is.
func (w *walker) operation(e *ast.CallExpr, as Treatment) []*Place {
	var results []*Place
	switch t := w.info().TypeOf(e).(type) {
	case *types.Tuple:
		for i := range t.Len() {
			results = append(results, w.fresh(t.At(i).Type()))
		}
	default:
		results = append(results, w.fresh(w.typeOf(e)))
	}
	for _, x := range e.Args {
		for _, p := range w.multi(x) {
			for p = p.find(); p.kind == Holder; {
				p = p.elem.find()
			}
			for _, r := range results {
				if as == Operation && r.kind == Number {
					w.a.flow(p, r, e.Pos())
				}
			}
		}
	}
	return results
}
