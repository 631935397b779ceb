package activity

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// An Analysis finds what becomes active of some functions of a program, and of those
// that they call. Roots are named by Root, then Run goes through all that they reach.
type Analysis struct {
	builder
	Program *Program
	All     []*Instance // in the order in which they were reached
	Faults  []Fault

	// What to do instead of calling a function that has no source in Go.
	NoSource string

	// What to do instead of giving interfaces of a package active values, by its path.
	Advice map[string]string

	use       func(fn *types.Func) Use
	globals   map[types.Object]*Place
	functions map[*types.Var]*types.Func // see function
	pending   []*Call
	hidden    []hidden
	expanded  map[*Instance]int // calls that were, by root
	changed   bool
	current   *Instance // whose body is gone through
}

// A Use is what a command makes of calls of a declared function.
type Use struct {
	As      Treatment
	Instead string // of one that is refused: what to write instead
}

// A Treatment is how a function is called in what a command writes.
type Treatment int

const (
	LookedInto Treatment = iota // by its source
	Operation                   // as it is: each number among its results depends on all arguments
	Reading                     // as it is: it looks at the values of its arguments, its results are passive
	Refused                     // not at all, where an argument is active
)

// New returns an analysis of functions of p for a command that treats declared functions
// as use says.
func New(p *Program, use func(fn *types.Func) Use) *Analysis {
	return &Analysis{builder: builder{holds: map[types.Type]bool{}}, Program: p, use: use, globals: map[types.Object]*Place{}, functions: map[*types.Var]*types.Func{}, expanded: map[*Instance]int{}}
}

// hidden is a place whose values go where they cannot be followed.
type hidden struct {
	p     *Place
	fault Fault
}

func (a *Analysis) hide(p *Place, at token.Pos, what, instead string) {
	if p.Kind() != Other {
		a.hidden = append(a.hidden, hidden{p, a.NewFault(a.current, at, what, instead)})
	}
}

// An Instance is a function as it is called from one place, with what is active
// there. Code outside of functions has one with Pkg and Env alone.
type Instance struct {
	Fn     *types.Func
	Decl   *ast.FuncDecl // nil of a function that is refused
	Pkg    *packages.Package
	Env    Env
	Caller *Instance // nil of a root
	Called token.Pos // where the caller calls it

	Vars    map[types.Object]*Place // its variables, parameters and results
	Exprs   map[ast.Expr]*Place     // the values of its expressions; where there are several, the first
	Tuples  map[ast.Expr][]*Place   // the values of expressions where several are assigned, returned or passed
	Ranges  map[*ast.RangeStmt]Range
	Calls   map[*ast.CallExpr]*Call // of declared functions that are looked into
	Funcs   map[ast.Expr]*Call      // such functions used as values
	Copies  map[types.Object]*Place // parameters of a root whose variables, in Vars, are copies that may be active
	Recv    *Place                  // nil of a function that is no method
	Params  []*Place
	Results []*Place

	a      *Analysis               // nil outside of functions
	places []*Place                // all places in the order of the code, for the pattern
	locals map[types.Object]*Place // of the types that it declares
}

// A Range is what a loop gives its variables, nil for what is no number nor holds one.
type Range struct{ Key, Value *Place }

// Info is the types of the code of in.
func (in *Instance) Info() *types.Info { return in.Pkg.TypesInfo }

// TypeOf is the type of e with the type arguments of in.
func (in *Instance) TypeOf(e ast.Expr) types.Type { return Substitute(in.Info().TypeOf(e), in.Env) }

// Active reports whether the value of e is an active number.
func (in *Instance) Active(e ast.Expr) bool { return in.Exprs[e].Active() }

// Pattern says what is active in all of in, and whether anything is. Instances of one
// function with equal patterns and type arguments are used alike.
func (in *Instance) Pattern() (pattern string, active bool) {
	var b strings.Builder
	active = in.Recv.HoldsActive()
	for _, p := range in.places {
		b.WriteString("|" + p.Pattern())
		active = active || p.HoldsActive()
	}
	return b.String(), active
}

// Local is the place of all values of a type that in declares in its body, nil if there
// are none.
func (in *Instance) Local(t types.Object) *Place { return in.locals[t] }

// A Call is one of a declared function.
type Call struct {
	Fn      *types.Func // the generic one, if it has type parameters
	Env     Env
	Recv    *Place
	Args    []*Place // one a parameter
	Results []*Place
	Callee  *Instance // nil if nothing that it takes or gives is active

	in    *Instance
	at    token.Pos
	argAt []token.Pos
}

// maxInstances is how many calls are told apart that a root leads to; beyond, all calls of a
// function are one.
const maxInstances = 5000

// Run spreads activity until nothing changes any more, and collects faults.
func (a *Analysis) Run() {
	for a.changed = true; a.changed; {
		a.changed = false
		for i := 0; i < len(a.pending); i++ {
			c := a.pending[i]
			if c.Callee == nil && c.active() {
				a.expand(c)
				a.changed = true
			}
		}
	}
	a.closures()
	for _, h := range a.hidden {
		if h.p.HoldsActive() {
			a.Faults = append(a.Faults, h.fault)
		}
	}
}

func (c *Call) active() bool {
	if c.Recv.HoldsActive() {
		return true
	}
	for _, p := range append(c.Args, c.Results...) {
		if p.HoldsActive() {
			return true
		}
	}
	return false
}

// expand analyzes the function that c calls, for c alone. A function that calls
// itself is the same within.
func (a *Analysis) expand(c *Call) {
	defer func(in *Instance) { a.current = in }(a.current)
	a.current = c.in
	var root *Instance
	for in := c.in; in != nil && c.Callee == nil; root, in = in, in.Caller {
		if in.Fn == c.Fn && sameEnv(in.Env, c.Env) {
			c.Callee = in
		}
	}
	if a.expanded[root]++; c.Callee == nil && a.expanded[root] > maxInstances {
		for _, in := range a.All {
			if in.Fn == c.Fn && sameEnv(in.Env, c.Env) {
				c.Callee = in
				break
			}
		}
	}
	if c.Callee == nil {
		if a.use(c.Fn).As == Refused {
			c.Callee = &Instance{Fn: c.Fn}
			return
		}
		fn, decl, pkg := a.Program.Source(c.Fn)
		if decl == nil {
			a.Fault(c.in, c.at, fmt.Sprintf("the source of %s is not Go, or out of reach", c.Fn.FullName()), a.NoSource)
			c.Callee = &Instance{Fn: c.Fn}
			return
		}
		c.Callee = a.instance(fn, decl, pkg, c.Env, c.in, c.at, func(in *Instance) { a.pass(c, in) })
	} else {
		a.pass(c, c.Callee)
	}
	for i, p := range c.Results {
		a.flow(c.Callee.Results[i], p, c.at)
	}
}

// pass notes that a call assigns its arguments to the parameters of in.
func (a *Analysis) pass(c *Call, in *Instance) {
	if c.Recv != nil {
		a.flow(c.Recv, in.Recv, c.at)
	}
	for i, p := range c.Args {
		a.flow(p, in.Params[i], c.argAt[i])
	}
}

func sameEnv(a, b Env) bool {
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

// instance analyzes a function. Before its body, prepare is called, if it is not nil.
func (a *Analysis) instance(fn *types.Func, decl *ast.FuncDecl, pkg *packages.Package, env Env, caller *Instance, called token.Pos, prepare func(in *Instance)) *Instance {
	in := &Instance{a: a, Fn: fn, Decl: decl, Pkg: pkg, Env: env, Caller: caller, Called: called,
		Vars: map[types.Object]*Place{}, Exprs: map[ast.Expr]*Place{}, Tuples: map[ast.Expr][]*Place{},
		Ranges: map[*ast.RangeStmt]Range{}, Copies: map[types.Object]*Place{}, locals: map[types.Object]*Place{},
		Calls: map[*ast.CallExpr]*Call{}, Funcs: map[ast.Expr]*Call{}}
	a.All = append(a.All, in)
	defer func(in *Instance) { a.current = in }(a.current)
	a.current = in
	sig := fn.Origin().Type().(*types.Signature)
	w := &walker{a: a, in: in}
	if r := sig.Recv(); r != nil {
		in.Recv = w.declare(w.receiver(decl, r))
	}
	w.params(sig, func(p *Place) { in.Params = append(in.Params, p) }, func(p *Place) { in.Results = append(in.Results, p) })
	w.results = in.Results
	if prepare != nil {
		prepare(in)
	}
	w.block(decl.Body)
	return in
}

// receiver is the variable that the body of a method calls its receiver.
func (w *walker) receiver(decl *ast.FuncDecl, r *types.Var) *types.Var {
	for _, f := range decl.Recv.List {
		for _, n := range f.Names {
			if v, ok := w.in.Pkg.TypesInfo.Defs[n].(*types.Var); ok {
				return v
			}
		}
	}
	return r
}

// params makes the places of parameters and results.
func (w *walker) params(sig *types.Signature, param, result func(p *Place)) {
	for i := range sig.Params().Len() {
		param(w.declare(sig.Params().At(i)))
	}
	for i := range sig.Results().Len() {
		result(w.declare(sig.Results().At(i)))
	}
}

// A walker goes through the body of a function once and notes what flows where.
type walker struct {
	a       *Analysis
	in      *Instance
	results []*Place // of the function or function literal
}

func (w *walker) info() *types.Info { return w.in.Info() }

func (w *walker) typeOf(e ast.Expr) types.Type { return w.in.TypeOf(e) }

func (w *walker) fresh(t types.Type) *Place {
	if t == nil {
		return &Place{typ: types.Typ[types.Invalid]}
	}
	p := w.a.Place(Substitute(t, w.in.Env))
	w.in.places = append(w.in.places, p)
	p.Walk(func(q *Place) {
		n, ok := q.typ.(*types.Named)
		if !ok || !isLocal(n) || q.kind == Number {
			return
		}
		if r := w.in.locals[n.Obj()]; r != nil {
			w.a.unify(r, q, w.in.Decl.Pos())
		} else {
			w.in.locals[n.Obj()] = q
		}
	})
	return p
}

// isLocal reports whether a type is declared in a function.
func isLocal(n *types.Named) bool {
	o := n.Obj()
	return o.Parent() != nil && o.Pkg() != nil && o.Parent() != o.Pkg().Scope()
}

func (w *walker) declare(v *types.Var) *Place {
	p := w.fresh(v.Type())
	w.in.Vars[v] = p
	return p
}

// variable is the place of a variable: a local one, or one of a package.
func (w *walker) variable(o types.Object) *Place {
	if p := w.in.Vars[o]; p != nil {
		return p
	}
	p := w.a.globals[o]
	if p == nil {
		p = w.a.Place(o.Type())
		w.a.globals[o] = p
		p.Walk(func(p *Place) { p.fixed, p.in = ofPackage+o.Name(), o.(*types.Var) })
	}
	return p
}

// Variables are the places of the variables of packages that functions use.
func (a *Analysis) Variables() map[types.Object]*Place { return a.globals }

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

func (w *walker) decl(d *ast.GenDecl) {
	if d.Tok == token.CONST {
		w.sizes(d)
	}
	for _, s := range d.Specs {
		s, ok := s.(*ast.ValueSpec)
		if !ok || d.Tok != token.VAR {
			continue
		}
		var from []*Place
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
	var from []*Place
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
func (w *walker) target(e ast.Expr, from *Place) {
	if id, ok := e.(*ast.Ident); ok {
		if id.Name == "_" {
			return
		}
		if v, ok := w.info().Defs[id].(*types.Var); ok {
			p := w.declare(v)
			w.in.Exprs[e] = p
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
	var key, value *Place
	switch t := w.typeOf(s.X).Underlying().(type) {
	case *types.Map:
		key, value = w.fresh(t.Key()), x.elem
	case *types.Signature:
		if x.kind == Function && len(x.params) == 1 {
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
	case *types.Basic: // integers and strings
	default:
		value = x.elem
	}
	w.in.Ranges[s] = Range{key, value}
	for _, v := range []struct {
		e    ast.Expr
		from *Place
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
