package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// An analysis finds what becomes active of the functions that are lifted, and of
// those that they call.
type analysis struct {
	builder
	prog    *program
	globals map[types.Object]*place
	all     []*instance
	pending []*call
	hidden  []hidden
	changed bool
	faults  []fault
	current *instance // whose body is gone through
}

func newAnalysis(p *program) *analysis {
	return &analysis{builder: builder{holds: map[types.Type]bool{}}, prog: p, globals: map[types.Object]*place{}}
}

// A fault is something that cannot be lifted.
type fault struct {
	at            token.Pos
	what, instead string

	// Of a fault in another package: the call that leads there, and of what.
	via  token.Pos
	into *types.Func
}

func (a *analysis) fault(at token.Pos, what, instead string) {
	a.faults = append(a.faults, a.newFault(at, what, instead))
}

func (a *analysis) newFault(at token.Pos, what, instead string) fault {
	f := fault{at: at, what: what, instead: instead}
	for in := a.current; in != nil && in.pkg != a.prog.root; in = in.caller {
		f.via, f.into = in.called, in.fn
	}
	return f
}

// report are the faults in the order of the source, those of other packages by the
// call that leads to them.
func (p *program) report(faults []fault) []string {
	place := func(f fault) token.Position {
		if f.via.IsValid() {
			return p.fset.Position(f.via)
		}
		return p.fset.Position(f.at)
	}
	slices.SortStableFunc(faults, func(a, b fault) int {
		x, y := place(a), place(b)
		if x.Filename != y.Filename {
			return strings.Compare(x.Filename, y.Filename)
		}
		return x.Offset - y.Offset
	})
	short := func(p token.Position) string {
		return fmt.Sprintf("%s:%d:%d", filepath.Base(p.Filename), p.Line, p.Column)
	}
	var out []string
	for _, f := range faults {
		s := short(place(f)) + ": "
		if f.via.IsValid() {
			s += fmt.Sprintf("in %s, at %s: ", f.into.FullName(), short(p.fset.Position(f.at)))
		}
		s += f.what
		if f.instead != "" {
			s += ": " + f.instead
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// hidden is a place whose values go where they cannot be followed.
type hidden struct {
	p     *place
	fault fault
}

func (a *analysis) hide(p *place, at token.Pos, what, instead string) {
	if p != nil && p.find().kind != other {
		a.hidden = append(a.hidden, hidden{p, a.newFault(at, what, instead)})
	}
}

// An instance is a function as it is called from one place, with what is active
// there.
type instance struct {
	fn     *types.Func
	decl   *ast.FuncDecl
	pkg    *packages.Package
	env    map[*types.TypeParam]types.Type
	caller *instance
	called token.Pos // where the caller calls it

	vars  map[types.Object]*place
	exprs map[ast.Expr]*place
	calls map[*ast.CallExpr]*call
	funcs map[ast.Expr]*call // functions that are used as values
	kinds []*place           // all places in the order of the code, for the pattern
	recv  *place
	param []*place
	res   []*place
	named []*types.Var // results that have names
}

// A call is one of a function whose source is known.
type call struct {
	in     *instance
	at     token.Pos
	fn     *types.Func
	env    map[*types.TypeParam]types.Type
	recv   *place
	args   []*place // one a parameter
	argAt  []token.Pos
	res    []*place
	callee *instance
}

// maxInstances is how many calls are told apart; beyond, all calls of a function
// are one.
const maxInstances = 5000

func (a *analysis) run() {
	for a.changed = true; a.changed; {
		a.changed = false
		for i := 0; i < len(a.pending); i++ {
			c := a.pending[i]
			if c.callee == nil && c.active() {
				a.expand(c)
				a.changed = true
			}
		}
	}
	for _, h := range a.hidden {
		if h.p.holdsActive() {
			a.faults = append(a.faults, h.fault)
		}
	}
}

func (c *call) active() bool {
	if c.recv.holdsActive() {
		return true
	}
	for _, p := range append(c.args, c.res...) {
		if p.holdsActive() {
			return true
		}
	}
	return false
}

// expand analyzes the function that c calls, for c alone. A function that calls
// itself is the same within.
func (a *analysis) expand(c *call) {
	a.current = c.in
	defer func() { a.current = nil }()
	for in := c.in; in != nil; in = in.caller {
		if in.fn == c.fn && sameEnv(in.env, c.env) {
			c.callee = in
			break
		}
	}
	if c.callee == nil && len(a.all) > maxInstances {
		for _, in := range a.all {
			if in.fn == c.fn && sameEnv(in.env, c.env) {
				c.callee = in
				break
			}
		}
	}
	if c.callee == nil {
		decl, pkg := a.prog.source(c.fn)
		if _, ok := refused(c.fn); ok {
			c.callee = &instance{fn: c.fn}
			return
		}
		if decl == nil || decl.Body == nil {
			a.fault(c.at, fmt.Sprintf("the source of %s is not Go, or out of reach", fullName(c.fn)),
				"write it with operations of package math, or give its derivative by reverse.NewPrimitive")
			c.callee = &instance{fn: c.fn}
			return
		}
		c.callee = a.instance(c.fn, decl, pkg, c.env, c.in, c.at)
	}
	in := c.callee
	if c.recv != nil {
		a.flow(c.recv, in.recv, c.at)
	}
	for i, p := range c.args {
		a.flow(p, in.param[i], c.argAt[i])
	}
	for i, p := range c.res {
		a.flow(in.res[i], p, c.at)
	}
}

func sameEnv(a, b map[*types.TypeParam]types.Type) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w := b[k]; w == nil || !types.Identical(v, w) {
			return false
		}
	}
	return true
}

func fullName(fn *types.Func) string { return fn.FullName() }

// instance analyzes a function.
func (a *analysis) instance(fn *types.Func, decl *ast.FuncDecl, pkg *packages.Package, env map[*types.TypeParam]types.Type, caller *instance, called token.Pos) *instance {
	in := &instance{fn: fn, decl: decl, pkg: pkg, env: env, caller: caller, called: called,
		vars: map[types.Object]*place{}, exprs: map[ast.Expr]*place{},
		calls: map[*ast.CallExpr]*call{}, funcs: map[ast.Expr]*call{}}
	a.all = append(a.all, in)
	defer func(in *instance) { a.current = in }(a.current)
	a.current = in
	sig := fn.Origin().Type().(*types.Signature)
	w := &walker{a: a, in: in}
	if r := sig.Recv(); r != nil {
		in.recv = w.declare(w.receiver(decl, r))
	}
	w.params(sig, func(p *place) { in.param = append(in.param, p) }, func(p *place) { in.res = append(in.res, p) })
	w.results = in.res
	w.named = in.named
	if decl.Body != nil {
		w.block(decl.Body)
	}
	return in
}

// receiver is the variable that the body of a method calls its receiver.
func (w *walker) receiver(decl *ast.FuncDecl, r *types.Var) *types.Var {
	for _, f := range decl.Recv.List {
		for _, n := range f.Names {
			if v, ok := w.in.pkg.TypesInfo.Defs[n].(*types.Var); ok {
				return v
			}
		}
	}
	return r
}

// params makes the places of parameters and results.
func (w *walker) params(sig *types.Signature, param, result func(p *place)) {
	for i := range sig.Params().Len() {
		param(w.declare(sig.Params().At(i)))
	}
	for i := range sig.Results().Len() {
		v := sig.Results().At(i)
		p := w.declare(v)
		if v.Name() != "" {
			w.named = append(w.named, v)
		}
		result(p)
	}
	w.in.named = w.named
}

// A walker goes through the body of a function once and notes what flows where.
type walker struct {
	a       *analysis
	in      *instance
	results []*place     // of the function or function literal
	named   []*types.Var // its results that have names
}

func (w *walker) info() *types.Info { return w.in.pkg.TypesInfo }

// typeOf is the type of e with the type arguments of the instance.
func (w *walker) typeOf(e ast.Expr) types.Type { return substitute(w.info().TypeOf(e), w.in.env) }

func (w *walker) fresh(t types.Type) *place {
	if t == nil {
		return &place{typ: types.Typ[types.Invalid]}
	}
	p := w.a.place(substitute(t, w.in.env))
	w.in.kinds = append(w.in.kinds, p)
	return p
}

func (w *walker) declare(v *types.Var) *place {
	p := w.fresh(v.Type())
	w.in.vars[v] = p
	return p
}

// variable is the place of a variable: a local one, or one of a package.
func (w *walker) variable(o types.Object) *place {
	if p := w.in.vars[o]; p != nil {
		return p
	}
	p := w.a.globals[o]
	if p == nil {
		p = w.a.place(o.Type())
		w.a.globals[o] = p
		p.walk(func(p *place) { p.fixed = ofPackage + o.Name() })
	}
	return p
}

func (w *walker) block(b *ast.BlockStmt) { w.stmts(b.List) }

func (w *walker) stmts(l []ast.Stmt) {
	for _, s := range l {
		w.stmt(s)
	}
}

func (w *walker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.BlockStmt:
		w.block(s)
	case *ast.CaseClause:
		for _, e := range s.List {
			w.expr(e)
		}
		w.stmts(s.Body)
	case *ast.CommClause:
		w.stmt(s.Comm)
		w.stmts(s.Body)
	case *ast.DeclStmt:
		w.decl(s.Decl.(*ast.GenDecl))
	case *ast.DeferStmt:
		w.expr(s.Call)
	case *ast.ExprStmt:
		w.multi(s.X)
	case *ast.ForStmt:
		w.stmt(s.Init)
		if s.Cond != nil {
			w.expr(s.Cond)
		}
		w.stmt(s.Post)
		w.block(s.Body)
	case *ast.GoStmt:
		w.goroutine(s)
	case *ast.IfStmt:
		w.stmt(s.Init)
		w.expr(s.Cond)
		w.block(s.Body)
		w.stmt(s.Else)
	case *ast.IncDecStmt:
		w.expr(s.X)
	case *ast.LabeledStmt:
		w.stmt(s.Stmt)
	case *ast.RangeStmt:
		w.rangeOver(s)
	case *ast.ReturnStmt:
		w.ret(s)
	case *ast.SelectStmt:
		w.block(s.Body)
	case *ast.SendStmt:
		w.a.hide(w.expr(s.Value), s.Arrow, "a channel cannot carry active values", "return them, or write them into a slice")
		w.expr(s.Chan)
	case *ast.SwitchStmt:
		w.stmt(s.Init)
		if s.Tag != nil {
			w.expr(s.Tag)
		}
		w.block(s.Body)
	case *ast.TypeSwitchStmt:
		w.stmt(s.Init)
		w.stmt(s.Assign)
		for _, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			if v, ok := w.info().Implicits[c].(*types.Var); ok {
				w.declare(v)
			}
			w.stmts(c.Body)
		}
	}
}

// goroutine refuses goroutines that see anything active.
func (w *walker) goroutine(s *ast.GoStmt) {
	const what, instead = "a goroutine cannot work on active values", "call the function in a loop: the tape is evaluated in parallel by Workers"
	w.expr(s.Call)
	for _, e := range s.Call.Args {
		w.a.hide(w.in.exprs[e], s.Go, what, instead)
	}
	ast.Inspect(s.Call.Fun, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := w.info().Uses[id].(*types.Var); ok && !v.IsField() {
				w.a.hide(w.variable(v), s.Go, what, instead)
			}
		}
		return true
	})
}

func (w *walker) decl(d *ast.GenDecl) {
	for _, s := range d.Specs {
		s, ok := s.(*ast.ValueSpec)
		if !ok || d.Tok != token.VAR {
			continue
		}
		var from []*place
		switch {
		case len(s.Values) == 1 && len(s.Names) > 1:
			from = w.multi(s.Values[0])
		default:
			for _, e := range s.Values {
				from = append(from, w.expr(e))
			}
		}
		for i, n := range s.Names {
			if v, ok := w.info().Defs[n].(*types.Var); ok {
				p := w.declare(v)
				if i < len(from) {
					w.a.flow(from[i], p, n.Pos())
				}
			}
		}
	}
}

func (w *walker) assign(s *ast.AssignStmt) {
	var from []*place
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		from = w.multi(s.Rhs[0])
	} else {
		for _, e := range s.Rhs {
			from = append(from, w.expr(e))
		}
	}
	for i, e := range s.Lhs {
		if i >= len(from) {
			break
		}
		w.target(e, from[i])
	}
}

// target notes that a value at from is assigned to e.
func (w *walker) target(e ast.Expr, from *place) {
	if id, ok := e.(*ast.Ident); ok {
		if id.Name == "_" {
			return
		}
		if v, ok := w.info().Defs[id].(*types.Var); ok {
			p := w.declare(v)
			w.in.exprs[e] = p
			w.a.flow(from, p, e.Pos())
			return
		}
	}
	w.a.flow(from, w.expr(e), e.Pos())
}

func (w *walker) ret(s *ast.ReturnStmt) {
	if len(s.Results) == 1 && len(w.results) > 1 {
		for i, p := range w.multi(s.Results[0]) {
			w.a.flow(p, w.results[i], s.Return)
		}
		return
	}
	for i, e := range s.Results {
		w.a.flow(w.expr(e), w.results[i], e.Pos())
	}
}

func (w *walker) rangeOver(s *ast.RangeStmt) {
	x := w.expr(s.X).find()
	var key, value *place
	switch t := w.typeOf(s.X).Underlying().(type) {
	case *types.Signature:
		if x.kind == function && len(x.params) == 1 {
			yield := x.params[0].find()
			if len(yield.params) > 0 {
				key = yield.params[0]
			}
			if len(yield.params) > 1 {
				value = yield.params[1]
			}
		}
	case *types.Chan:
		key = x.elem
	case *types.Pointer: // to an array
		if x.elem != nil {
			value = x.elem.find().elem
		}
	case *types.Basic:
		_ = t // integers and strings
	default:
		value = x.elem
	}
	for _, v := range []struct {
		e    ast.Expr
		from *place
	}{{s.Key, key}, {s.Value, value}} {
		if v.e == nil {
			continue
		}
		if v.from == nil {
			v.from = w.fresh(types.Typ[types.Int])
		}
		w.target(v.e, v.from)
	}
	w.block(s.Body)
}
