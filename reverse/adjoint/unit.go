package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/source"
)

// A unit is a function with what is active in it: it becomes two functions, a forward and
// a reverse sweep.
type unit struct {
	prog *program
	in   *activity.Instance // the instance that is looked at
	all  []*activity.Instance
	sig  *types.Signature
	name string
	form *block

	params  []*local // the receiver first
	results []*local // whose names are those of their adjoints

	locals   map[types.Object]*local
	synth    map[*ast.Ident]*local
	temps    map[ast.Expr]*local // what was hoisted
	elements map[ast.Expr]element
	names    source.Names
	decls    []*ast.GenDecl
	seen     map[ast.Stmt]bool
	orders   []order
	around   []*facts              // of what surrounds a node, while record runs
	left     required              // where exits leave a block, while record runs
	remarks  map[ast.Stmt][]string // comments above statements
	empty    bool                  // nothing is reversed
	plain    bool                  // its plain reverse sweep is called, or its plain tangent
	careful  bool                  // its careful tangent is called
	by       *types.Func           // the derivative of one that is not looked into, see custom.go
	coded    bool                  // where it returned is saved

	adjoints map[*local]bool // read or written by the reverse sweep
	read     map[*local]bool // in the reverse sweep
	writes   map[any]bool    // memory that it changes, see keys.go
}

// An element is what an index expression made by the builder is.
type element struct {
	typ  types.Type
	over ast.Expr // of this
	v    types.Object
}

// place is that of an element in the instance that is looked at.
func (u *unit) place(x element) *activity.Place {
	p := u.placeOf(x.over)
	if p.Kind() != activity.Holder {
		return u.in.Vars[x.v]
	}
	if isPointer(u.typeOf(x.over)) { // to an array
		p = p.Elem()
	}
	return p.Elem()
}

// A program is all that is written into a file.
type program struct {
	*activity.Program
	file       *source.File
	units      []*unit
	byKey      map[string]*unit
	a          *activity.Analysis
	needed     map[any]bool // memory that reverse sweeps read
	changed    bool
	stacks     map[string]string // names by type
	order      []string          // types in the order of the stacks
	suffix     string            // of adjoints, or of tangents along the direction at hand
	suffixes   []string          // of all directions
	tangent    bool              // tangents are written,
	directions int               // so many at once
	public     []string          // what users call
	saved      []string          // the stacks with active values
	helpers    map[*types.Func]helper
	work       string       // the type of the work struct
	names      source.Names // at the top level
	effects    map[*activity.Instance]map[any]bool

	simple  bool              // the package has a file of simple functions, see front.go
	origins map[string]string // what its functions are
	always  bool              // even where it is not needed
	prefix  string            // of names of helper functions
	before  int               // faults of the analysis itself
}

// unitOf is the unit of an instance.
func (p *program) unitOf(in *activity.Instance) *unit {
	pattern, _ := in.Pattern()
	var env []string
	for k, t := range in.Env {
		env = append(env, k.String()+"="+t.String())
	}
	slices.Sort(env)
	key := in.Fn.FullName() + "|" + strings.Join(env, ",") + "|" + pattern
	u := p.byKey[key]
	if u == nil {
		name := in.Fn.Name()
		if r := in.Fn.Signature().Recv(); r != nil {
			if n, ok := types.Unalias(activity.Deref(r.Type())).(*types.Named); ok {
				name = n.Obj().Name() + source.Upper(name)
			}
		}
		u = &unit{prog: p, in: in, sig: in.Fn.Signature(), name: p.fresh(lowerName(name)),
			locals: map[types.Object]*local{}, synth: map[*ast.Ident]*local{}, temps: map[ast.Expr]*local{},
			seen: map[ast.Stmt]bool{}, elements: map[ast.Expr]element{}, names: source.Names{},
			adjoints: map[*local]bool{}, read: map[*local]bool{}, writes: map[any]bool{}}
		p.byKey[key] = u
		p.units = append(p.units, u)
		u.build()
	}
	if !slices.Contains(u.all, in) {
		u.all = append(u.all, in)
		for _, e := range slices.SortedFunc(maps.Keys(in.Calls), func(a, b *ast.CallExpr) int { return int(a.Pos() - b.Pos()) }) {
			if c := in.Calls[e].Callee; c != nil && c.Decl != nil && !p.pops(in, e) {
				p.unitOf(c)
			}
		}
	}
	return u
}

// fresh is a name for two functions that is free in the package.
func (p *program) fresh(name string) string {
	scope := p.Root.Types.Scope()
	for p.names[name] || scope.Lookup(name+"Forward") != nil || scope.Lookup(name+"Reverse") != nil || scope.Lookup(name+"Tangent") != nil {
		name += "_"
	}
	p.names[name] = true
	return name
}

func (u *unit) build() {
	defer func() {
		if e := recover(); e != nil {
			f, ok := e.(fault)
			if !ok {
				panic(e)
			}
			u.prog.a.Fault(u.in, f.at, f.what, f.instead)
			u.form = &block{}
		}
	}()
	d := u.in.Decl
	if u.in.Pkg != u.prog.Root {
		refuse(d.Name, "a function of another package with active values", "copy it into the package")
	}
	if u.sig.TypeParams().Len() > 0 || u.sig.RecvTypeParams().Len() > 0 {
		refuse(d.Name, "a generic function of active values", "write it for float64")
	}
	param := func(list *ast.FieldList, result bool) {
		if list == nil {
			return
		}
		for _, f := range list.List {
			if result && len(f.Names) > 0 && !u.documents(f) {
				refuse(f, "results that have names", "declare variables")
			}
			if !result && len(f.Names) == 0 {
				refuse(f, "a parameter without a name", "name it")
			}
			if result {
				continue
			}
			for _, id := range f.Names {
				l := u.declare(id)
				l.param = true
				u.params = append(u.params, l)
			}
		}
	}
	param(d.Recv, false)
	param(d.Type.Params, false)
	param(d.Type.Results, true)
	ast.Inspect(d, func(n ast.Node) bool {
		if e, ok := n.(*ast.UnaryExpr); ok && e.Op == token.AND {
			if v := u.base(e.X); v != nil {
				refuse(e, "the address of a variable", "make a new value by &T{}")
			}
		}
		return true
	})
	for i := range u.sig.Results().Len() {
		t := u.sig.Results().At(i).Type()
		active := u.in.Results[i].HoldsActive()
		u.checked(d, t, active)
		u.results = append(u.results, &local{typ: t, active: active, holder: active && holds(t), name: u.fresh("result"), param: true})
	}
	b := &builder{unit: u}
	u.form = b.block(d.Body.Pos(), func() { b.stmts(d.Body.List) })
}

// documents reports whether names of results say what they are, and are no variables.
func (u *unit) documents(f *ast.Field) bool {
	ok := true
	ast.Inspect(u.in.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			ok = ok && len(n.Results) > 0
		case *ast.Ident:
			for _, id := range f.Names {
				ok = ok && u.in.Info().Uses[n] != u.in.Info().Defs[id]
			}
		}
		return ok
	})
	return ok
}

// declare is the variable that id declares.
func (u *unit) declare(id *ast.Ident) *local {
	v := u.in.Info().Defs[id].(*types.Var)
	p := u.in.Vars[v]
	l := &local{v: v, typ: v.Type(), active: p.HoldsActive()}
	l.holder = l.active && holds(l.typ)
	u.checked(id, l.typ, l.active)
	if l.name = id.Name; id.Name == "_" {
		l.name = "unused"
	}
	l.name = u.fresh(l.name)
	u.locals[v] = l
	return l
}

// checked refuses variables of types that have no simple shadow.
func (u *unit) checked(at ast.Node, t types.Type, active bool) {
	if !active {
		return
	}
	why := ""
	if aggregate(t) {
		why = "a struct or array that holds slices or pointers, by value"
	} else {
		why = shadowless(t, map[types.Type]bool{})
	}
	if why != "" {
		refuse(at, "active values in "+why, "use numbers, structs of numbers, slices, and pointers to structs")
	}
}

// shadowless says which part of a type has no shadow.
func shadowless(t types.Type, seen map[types.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Interface:
		return ""
	case *types.Slice:
		return shadowless(u.Elem(), seen)
	case *types.Pointer:
		return shadowless(u.Elem(), seen)
	case *types.Array:
		return shadowless(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if why := shadowless(u.Field(i).Type(), seen); why != "" {
				return why
			}
		}
		return ""
	case *types.Map:
		if aggregate(u.Elem()) {
			return "a map of structs that hold slices or pointers"
		}
		return shadowless(u.Elem(), seen)
	case *types.Signature:
		return "a function value"
	case *types.Chan:
		return "a channel"
	}
	return "a value of this type"
}

// holds reports whether values of t share numbers with others: slices and pointers.
func holds(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Pointer, *types.Map, *types.Signature, *types.Chan:
		return true
	case *types.Array:
		return holds(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if holds(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// fresh is a name that no other variable of the function has.
func (u *unit) fresh(name string) string {
	if rest, ok := strings.CutPrefix(name, "exit"); ok && !u.prog.tangent {
		name = "leave" + rest
	}
	for k, base := 1, name; u.names[name] || u.prog.reserved(name) || name != base && u.prog.Root.Types.Scope().Lookup(name) != nil; k++ {
		name = base + itoa(k)
	}
	u.names[name] = true
	return name
}

// reserved reports whether a variable may not have a name.
func (p *program) reserved(name string) bool {
	return source.CheckName(name) != nil || !p.tangent && name == "w"
}

func (u *unit) variable(id *ast.Ident) *local {
	if l := u.synth[id]; l != nil {
		return l
	}
	o := u.in.Info().ObjectOf(id)
	if o == nil {
		return nil
	}
	return u.locals[o]
}

// base is the variable that a place is a part of: not what a slice or pointer leads to.
func (u *unit) base(e ast.Expr) *local {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return u.variable(x)
		case *ast.IndexExpr:
			if _, array := u.typeOf(x.X).Underlying().(*types.Array); !array {
				return nil
			}
			e = x.X
		case *ast.SelectorExpr:
			if s := u.in.Info().Selections[x]; s == nil || s.Indirect() {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

func (u *unit) typeOf(e ast.Expr) types.Type {
	if id, ok := e.(*ast.Ident); ok && u.synth[id] != nil {
		return u.synth[id].typ
	}
	if x, ok := u.elements[e]; ok {
		return x.typ
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := u.in.Info().Defs[id]; o != nil {
			return o.Type()
		}
	}
	t := u.in.TypeOf(e)
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return t
}

func (u *unit) placeOf(e ast.Expr) *activity.Place {
	if x, ok := u.elements[e]; ok {
		return u.place(x)
	}
	if id, ok := e.(*ast.Ident); ok {
		if l := u.variable(id); l != nil && l.v != nil {
			return u.in.Vars[l.v]
		}
	}
	return u.in.Exprs[e]
}

// active reports whether an expression holds active numbers.
func (u *unit) active(e ast.Expr) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if l := u.variable(id); l != nil {
			return l.active
		}
	}
	if l := u.temps[e]; l != nil {
		return l.active
	}
	if l := u.base(e); l != nil && !l.active { // its derivative is of no use
		return false
	}
	if x, ok := u.elements[e]; ok {
		return u.place(x).HoldsActive()
	}
	return u.in.Exprs[e].HoldsActive()
}

// bar is the name of the adjoint of a variable.
func (u *unit) bar(l *local) string {
	u.adjoints[l] = true
	return l.name + u.prog.suffix
}
