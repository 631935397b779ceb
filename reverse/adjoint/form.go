package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
)

// A function is built into a simple form before it is transformed: assignments of one
// place, calls as statements of their own, branches, loops, and exits from them. The form
// keeps expressions as they are in the source.

// A node is a statement of the form.
type node interface{ info() *facts }

// facts are what the analyses know of a node.
type facts struct {
	reads map[any]bool // what its reverse code reads, see keys.go
	push  bool         // what it overwrites is saved
	skip  bool         // nothing of it is reversed
	first int          // exits within that leave the surrounding block have the numbers
	last  int          // first to last; none if last is 0
}

func (f *facts) info() *facts { return f }

type block struct {
	facts
	list []node
	vars []*local // declared in list itself
	// tail is what follows a statement that may leave the block.
	tail *block
	at   token.Pos
}

// A local is a variable of the function.
type local struct {
	v       *types.Var
	name    string
	typ     types.Type
	active  bool
	holder  bool // it leads to numbers elsewhere, and so does its shadow
	set     *assign
	assigns int  // how often it is assigned but for its declaration
	param   bool // or a result: declared with the function
	save    bool // at the end of its block
	again   bool // computed again instead
}

type assign struct {
	facts
	stmt   ast.Stmt
	lhs    ast.Expr
	v      *local // what lhs is, if it is a variable as a whole
	define bool
	op     token.Token   // = or the operator of an operator and =
	rhs    ast.Expr      // nil is the zero value
	typed  bool          // var v T = rhs
	stack  *ast.CallExpr // append that saves a value for a reverse sweep
}

type call struct {
	facts
	stmt   ast.Stmt
	call   *ast.CallExpr
	args   []ast.Expr
	callee *unit    // nil if nothing active goes in or out
	lhs    []*local // nil is the blank variable
	define bool
}

type branch struct {
	facts
	stmt      ast.Stmt
	cond      ast.Expr
	then, els *block
	again     bool // the condition is evaluated again
}

type choice struct {
	facts
	stmt    *ast.SwitchStmt
	clauses []*block
	heads   []*ast.CaseClause
}

type loop struct {
	facts
	stmt  ast.Stmt
	label string
	body  *block

	counter *local   // of a counted loop; nil of one that only its trips are counted of
	from    ast.Expr // nil is 0
	to      ast.Expr // the first that is not reached, or its slice
	length  bool     // to is a slice or array, whose length counts
	offset  int      // to be added to to
	down    bool     // from from−1+… down to to
	count   bool     // trips are counted and saved

	cond ast.Expr // of a loop that is not counted
	post *block

	breaks map[int]bool // exits within that leave the loop by break
	inner  int          // exits of the body have numbers up to this
	number int          // of the loop in the function
	exits  bool         // the body has exits
	coded  bool         // where an iteration was left is saved
}

type exit struct {
	facts
	stmt    ast.Stmt
	kind    token.Token // BREAK, CONTINUE, RETURN
	target  *loop
	results []ast.Expr
	code    int
}

// fault is thrown by the builder.
type fault struct {
	in            *activity.Instance // nil is the one that is looked at
	at            token.Pos
	what, instead string
}

func refuse(at ast.Node, what, instead string) {
	panic(fault{at: at.Pos(), what: what, instead: instead})
}

// A builder makes the form of a function.
type builder struct {
	*unit
	loops []*loop
	codes int
	count int // of loops
	out   []node
}

func (b *builder) emit(n node) { b.out = append(b.out, n) }

// block is the form of statements.
func (b *builder) block(at token.Pos, f func()) *block {
	outer := b.out
	b.out = nil
	f()
	list := b.out
	b.out = outer
	return fold(at, list)
}

// fold splits a list behind each statement that may leave it.
func fold(at token.Pos, list []node) *block {
	k := &block{at: at}
	for i, n := range list {
		k.list = append(k.list, n)
		if f := n.info(); f.last > 0 {
			if k.first == 0 {
				k.first = f.first
			}
			k.last = f.last
			if i+1 < len(list) {
				k.tail = fold(at, list[i+1:])
				if k.tail.last > 0 {
					k.last = k.tail.last
				}
				break
			}
		}
	}
	for _, n := range k.list {
		switch n := n.(type) {
		case *assign:
			if n.define && n.v != nil {
				k.vars = append(k.vars, n.v)
			}
		case *call:
			if n.define {
				for _, v := range n.lhs {
					if v != nil {
						k.vars = append(k.vars, v)
					}
				}
			}
		}
	}
	return k
}

func (b *builder) stmts(list []ast.Stmt) {
	for _, s := range list {
		b.stmt(s, "")
	}
}

func (b *builder) stmt(s ast.Stmt, label string) {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.AssignStmt:
		b.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD_ASSIGN
		if s.Tok == token.DEC {
			op = token.SUB_ASSIGN
		}
		b.set(s, s.X, op, nil)
	case *ast.DeclStmt:
		b.decl(s)
	case *ast.BlockStmt:
		k := b.block(s.Pos(), func() { b.stmts(s.List) })
		b.emit(k)
	case *ast.LabeledStmt:
		b.stmt(s.Stmt, s.Label.Name)
	case *ast.ExprStmt:
		c, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			refuse(s, "this statement", "write it as an assignment")
		}
		b.callStmt(s, c)
	case *ast.IfStmt:
		b.branch(s)
	case *ast.SwitchStmt:
		b.choice(s)
	case *ast.ForStmt:
		b.forLoop(s, label)
	case *ast.RangeStmt:
		b.rangeLoop(s, label)
	case *ast.BranchStmt:
		b.jump(s)
	case *ast.ReturnStmt:
		b.ret(s)
	default:
		what := map[string]string{"*ast.DeferStmt": "defer", "*ast.GoStmt": "a goroutine", "*ast.SelectStmt": "select",
			"*ast.TypeSwitchStmt": "a switch on types", "*ast.SendStmt": "a channel"}[fmt.Sprintf("%T", s)]
		refuse(s, what+" in a function of active values", "call it from a function of its own that takes nothing active")
	}
}

// branch is an if statement; one that declares variables is a block.
func (b *builder) branch(s *ast.IfStmt) {
	if s.Init != nil {
		k := b.block(s.Pos(), func() {
			b.stmt(s.Init, "")
			b.onlyIf(s)
		})
		b.emit(k)
		return
	}
	b.onlyIf(s)
}

func (b *builder) onlyIf(s *ast.IfStmt) {
	b.ordered(&ast.ExprStmt{X: s.Cond})
	b.condition(s, s.Cond)
	n := &branch{stmt: s, cond: s.Cond}
	n.then = b.block(s.Body.Pos(), func() { b.stmts(s.Body.List) })
	if s.Else != nil {
		n.els = b.block(s.Else.Pos(), func() {
			if e, ok := s.Else.(*ast.BlockStmt); ok {
				b.stmts(e.List)
			} else {
				b.stmt(s.Else, "")
			}
		})
	}
	b.leaves(&n.facts, n.then, n.els)
	b.emit(n)
}

// ordered notes calls that change something, beside what else their statement reads: Go
// does not say which comes first.
func (b *builder) ordered(s ast.Stmt) {
	if b.seen[s] {
		return
	}
	b.seen[s] = true
	switch s.(type) {
	case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.DeclStmt:
	default:
		return
	}
	ast.Inspect(s, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || b.in.Calls[c] == nil || b.in.Calls[c].Callee == nil || b.prog.Program.Pure(b.in.Pkg, c) {
			return true
		}
		o := order{call: c}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				return n != c
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN || n.Tok == token.DEFINE { // what is assigned is not read
					for _, e := range n.Rhs {
						o.add(e, c)
					}
					return false
				}
			case ast.Expr:
				o.add(n, c)
				return false
			}
			return true
		})
		b.orders = append(b.orders, o)
		return true
	})
}

// An order is a call and what is read before or after it.
type order struct {
	call  *ast.CallExpr
	reads []ast.Expr
}

func (o *order) add(e ast.Expr, but *ast.CallExpr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return n != but
		case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
			o.reads = append(o.reads, n.(ast.Expr))
		}
		return true
	})
}

// settleOrder refuses statements whose meaning depends on an order that Go does not state.
func (u *unit) settleOrder() {
	for _, o := range u.orders {
		c := u.in.Calls[o.call]
		if c == nil || c.Callee == nil {
			continue
		}
		changed := u.prog.effects[c.Callee]
		for _, e := range o.reads {
			if s, ok := e.(*ast.SelectorExpr); ok && u.in.Info().Selections[s] == nil || u.in.Info().Types[e].IsType() || u.base(e) != nil {
				continue
			}
			if s, ok := e.(*ast.SelectorExpr); ok && u.in.Info().Selections[s].Kind() != types.FieldVal {
				continue
			}
			u.keysOf(e, func(key any) {
				if changed[key] {
					refuse(o.call, "a call that changes what its statement reads beside it", "call it in a statement of its own: Go does not say which comes first")
				}
			})
		}
	}
}

// condition takes calls that change something out of a condition.
func (b *builder) condition(s ast.Stmt, e ast.Expr) {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			b.condition(s, x.X)
			b.condition(s, x.Y)
			return
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT || x.Op == token.SUB {
			b.condition(s, x.X)
			return
		}
	case *ast.CallExpr:
		if c := b.in.Calls[x]; c != nil && c.Callee != nil && c.Callee.Decl != nil && !b.prog.Program.Pure(b.in.Pkg, x) {
			if b.typeOf(x).Underlying() == types.Typ[types.Float64] {
				b.hoistCall(s, x, false)
				return
			}
		}
	}
	if b.active(e) {
		b.hoist(s, e, false)
		return
	}
	b.reading(e)
}

// leaves notes the exits within a node of all its blocks.
func (b *builder) leaves(f *facts, blocks ...*block) {
	for _, k := range blocks {
		if k != nil && k.last > 0 {
			if f.first == 0 {
				f.first = k.first
			}
			f.last = k.last
		}
	}
}

func (b *builder) choice(s *ast.SwitchStmt) {
	if s.Init != nil {
		k := b.block(s.Pos(), func() {
			b.stmt(s.Init, "")
			b.onlySwitch(s)
		})
		b.emit(k)
		return
	}
	b.onlySwitch(s)
}

func (b *builder) onlySwitch(s *ast.SwitchStmt) {
	if s.Tag != nil {
		b.reading(s.Tag)
	}
	n := &choice{stmt: s}
	b.loops = append(b.loops, nil) // break within means the switch
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		for _, e := range c.List {
			b.reading(e)
		}
		n.heads = append(n.heads, c)
		n.clauses = append(n.clauses, b.block(c.Pos(), func() { b.stmts(c.Body) }))
	}
	b.loops = b.loops[:len(b.loops)-1]
	b.leaves(&n.facts, n.clauses...)
	b.emit(n)
}

// jump is break or continue.
func (b *builder) jump(s *ast.BranchStmt) {
	if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
		refuse(s, s.Tok.String()+" in a function of active values", "write it with loops and branches")
	}
	for i := len(b.loops) - 1; i >= 0; i-- {
		l := b.loops[i]
		if l == nil {
			if s.Label == nil && s.Tok == token.BREAK {
				refuse(s, "break that leaves a switch", "write it with if and else")
			}
			continue
		}
		if s.Label != nil && s.Label.Name != l.label {
			continue
		}
		b.codes++
		x := &exit{stmt: s, kind: s.Tok, target: l, code: b.codes}
		x.first, x.last = b.codes, b.codes
		if s.Tok == token.BREAK {
			l.breaks[b.codes] = true
		}
		b.emit(x)
		return
	}
	refuse(s, "a jump to this label", "write it with loops and branches")
}

func (b *builder) ret(s *ast.ReturnStmt) {
	results := s.Results
	if len(results) == 1 && b.sig.Results().Len() > 1 {
		refuse(s, "a return of the results of a call", "assign them to variables and return these")
	}
	if len(results) == 0 && b.sig.Results().Len() > 0 {
		refuse(s, "a return without its results", "name the results in the return")
	}
	results = slices.Clone(results)
	for i, e := range results {
		b.value(s, e)
		results[i] = b.placed(s, e)
	}
	b.codes++
	x := &exit{stmt: s, kind: token.RETURN, results: results, code: b.codes}
	x.first, x.last = b.codes, b.codes
	b.emit(x)
}

// value takes what an expression calls out of it, if it is active.
func (b *builder) value(s ast.Stmt, e ast.Expr) {
	b.ordered(s)
	_, defines := s.(*ast.AssignStmt)
	_, declares := s.(*ast.DeclStmt)
	if e != nil && b.active(e) {
		b.hoist(s, e, defines || declares || b.prog.tangent || !b.literal(e))
	} else if e != nil {
		b.reading(e)
	}
}

// reading checks an expression that is evaluated as it stands.
func (b *builder) reading(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if c := b.in.Calls[n]; c != nil && c.Callee != nil {
				if c.Callee.Decl == nil || !b.prog.Program.Pure(b.in.Pkg, n) {
					refuse(n, "a call that changes something in an expression that is only looked at", "call it in a statement of its own")
				}
			}
		case *ast.FuncLit:
			refuse(n, "a function literal", "declare the function by func")
		}
		return true
	})
}

func (b *builder) decl(s *ast.DeclStmt) {
	d := s.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					if b.names[id.Name] {
						refuse(id, "a constant with the name of a variable", "give it another name")
					}
					b.names[id.Name] = true
				}
			}
		}
		b.unit.decls = append(b.unit.decls, d)
		if d.Tok == token.TYPE {
			refuse(s, "a type declared in a function of active values", "declare it outside")
		}
		b.emit(&plain{stmt: s})
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) != 0 && len(spec.Values) != len(spec.Names) {
			refuse(s, "a declaration of several variables by one call", "write it with :=")
		}
		for i, id := range spec.Names {
			var e ast.Expr
			if len(spec.Values) > 0 {
				e = spec.Values[i]
				b.value(s, e)
			}
			if id.Name == "_" {
				continue
			}
			n := &assign{stmt: s, lhs: id, v: b.declare(id), define: true, op: token.ASSIGN, rhs: e, typed: true}
			n.v.set = n
			b.emit(n)
		}
	}
}

// plain is a statement that is copied.
type plain struct {
	facts
	stmt ast.Stmt
}

func (b *builder) assign(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		b.several(s)
		return
	}
	if len(s.Lhs) == 1 {
		op := s.Tok
		if op == token.DEFINE {
			op = token.ASSIGN
		}
		if c, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); ok && s.Tok == token.DEFINE && !b.prog.pops(b.in, c) && b.in.Calls[c] != nil && b.in.Calls[c].Callee != nil && (b.active(c) || !b.prog.Program.Pure(b.in.Pkg, c)) {
			b.several(s) // declares what it returns
			return
		}
		b.value(s, s.Rhs[0])
		b.set(s, s.Lhs[0], op, s.Rhs[0])
		return
	}
	// Parallel: through temporaries, but for the last.
	ordered := b.independent(s)
	rhs := make([]ast.Expr, len(s.Rhs))
	for i, e := range s.Rhs {
		rhs[i] = e
		b.value(s, e)
		if !ordered && b.in.Info().Types[e].Value == nil {
			rhs[i] = b.temporary(s, "t", e)
		}
		if ordered {
			b.set(s, s.Lhs[i], token.ASSIGN, rhs[i])
		}
	}
	if !ordered {
		for i, e := range s.Lhs {
			b.set(s, e, token.ASSIGN, rhs[i])
		}
	}
}

// independent reports whether a parallel assignment may be made one by one.
func (b *builder) independent(s *ast.AssignStmt) bool {
	written := map[types.Object]bool{}
	memory := false
	for i, l := range s.Lhs {
		for _, e := range []ast.Expr{s.Rhs[i], l} {
			bad := false
			ast.Inspect(e, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					o := b.in.Info().Uses[n]
					bad = bad || o != nil && written[o] && (e != l || ast.Unparen(l) != n)
				case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
					bad = bad || memory
				case *ast.CallExpr:
					bad = bad || i > 0 && !b.in.Info().Types[n.Fun].IsType()
				}
				return true
			})
			if bad {
				for _, l := range s.Lhs { // then places must not depend on what is assigned
					if id, ok := ast.Unparen(l).(*ast.Ident); ok {
						written[b.in.Info().ObjectOf(id)] = true
					}
				}
				for _, l := range s.Lhs {
					if _, ok := ast.Unparen(l).(*ast.Ident); ok {
						continue
					}
					ast.Inspect(l, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok && written[b.in.Info().Uses[id]] {
							refuse(l, "an assignment to a place and, at once, to its index", "write two statements")
						}
						return true
					})
				}
				return false
			}
		}
		if id, ok := ast.Unparen(l).(*ast.Ident); ok {
			written[b.in.Info().ObjectOf(id)] = true
		} else {
			memory = true
		}
	}
	return true
}

// several is an assignment of several values of one expression.
func (b *builder) several(s *ast.AssignStmt) {
	c, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if !ok {
		for _, e := range append(s.Lhs, s.Rhs...) {
			if id, ok := e.(*ast.Ident); (!ok || id.Name != "_") && b.active(e) {
				refuse(s, "a value with ok of something active", "use a slice in place of a map")
			}
		}
		refuse(s, "a value with ok", "call a function of its own that takes nothing active")
	}
	var lhs []*local
	later := map[int]*ast.Ident{}
	for i, e := range s.Lhs {
		id, ok := ast.Unparen(e).(*ast.Ident)
		switch {
		case ok && id.Name == "_":
			lhs = append(lhs, nil)
		case ok && s.Tok == token.DEFINE && b.in.Info().Defs[id] != nil:
			lhs = append(lhs, b.declare(id))
		default:
			t := b.synthetic("t", b.typeOf(e), b.active(e))
			lhs = append(lhs, t.local)
			later[i] = t.id
		}
	}
	b.call(s, c, lhs, true)
	for i, e := range s.Lhs {
		if later[i] != nil {
			b.set(s, e, token.ASSIGN, later[i])
		}
	}
}

// set assigns to one place.
func (b *builder) set(s ast.Stmt, lhs ast.Expr, op token.Token, rhs ast.Expr) {
	lhs = ast.Unparen(lhs)
	if rhs != nil && b.literal(rhs) {
		id, ok := lhs.(*ast.Ident)
		if v := b.in.Info().Defs[id]; !ok || v == nil || b.changes(b.in.Decl.Body, v) {
			rhs = b.temporary(s, "literal", rhs)
		}
	}
	n := &assign{stmt: s, lhs: lhs, op: op, rhs: rhs}
	if c, ok := rhs.(*ast.CallExpr); ok && b.stacks(c) {
		n.stack = c
	}
	if id, ok := lhs.(*ast.Ident); ok {
		if id.Name == "_" {
			n.lhs = nil
			b.emit(n)
			return
		}
		if b.in.Info().Defs[id] != nil {
			n.define = true
			n.v = b.declare(id)
			n.v.set = n
		} else {
			n.v = b.variable(id)
			if n.v == nil {
				refuse(lhs, "an assignment to a variable of the package", "return the value")
			}
			n.v.assigns++
		}
	} else {
		b.reading(lhs)
		if !b.prog.Program.Pure(b.in.Pkg, lhs) {
			refuse(lhs, "a call that changes something in a place that is assigned to", "call it before")
		}
		if v := b.base(lhs); v != nil {
			v.assigns++
		}
	}
	if b.active(lhs) && aggregate(b.typeOf(lhs)) {
		refuse(lhs, "an assignment of a struct or array that holds slices or pointers", "assign its parts")
	}
	if (op == token.ASSIGN || rhs != nil && !b.active(rhs)) && !b.active(lhs) && rhs != nil && b.active(rhs) {
		refuse(lhs, "an active value in a passive place", "")
	}
	b.emit(n)
}

// stacks reports whether a call of append saves a value for a reverse sweep that the command
// has written before.
func (b *builder) stacks(e *ast.CallExpr) bool {
	if len(b.prog.helpers) == 0 || len(e.Args) != 2 || e.Ellipsis.IsValid() || activity.Builtin(b.in.Info(), e.Fun) != "append" {
		return false
	}
	s, ok := e.Args[0].(*ast.SelectorExpr)
	if !ok {
		return false
	}
	t, ok := activity.Deref(b.typeOf(s.X)).(*types.Named)
	return ok && strings.HasSuffix(t.Obj().Name(), "Work")
}

// literal reports whether e is a slice or a pointer to a struct made of active numbers.
func (b *builder) literal(e ast.Expr) bool {
	e = ast.Unparen(e)
	if a, ok := e.(*ast.UnaryExpr); ok && a.Op == token.AND {
		e = ast.Unparen(a.X)
	} else if _, ok := b.typeOf(e).Underlying().(*types.Slice); !ok {
		return false
	}
	_, ok := e.(*ast.CompositeLit)
	return ok && b.active(e)
}

// placed assigns a slice or a pointer made of active numbers to a variable, whose adjoint the
// reverse sweep finds.
func (b *builder) placed(s ast.Stmt, e ast.Expr) ast.Expr {
	if b.prog.tangent || !b.literal(e) || b.temps[e] != nil {
		return e
	}
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok && lit.Type == nil {
		refuse(e, "a literal without its type in a literal", "write its type")
	}
	return b.temporary(s, "literal", e)
}

// a synthetic variable is one that the builder makes.
type synthetic struct {
	id    *ast.Ident
	local *local
}

func (b *builder) synthetic(name string, t types.Type, active bool) synthetic {
	v := types.NewVar(token.NoPos, b.in.Pkg.Types, name, t)
	id := ast.NewIdent(name)
	l := &local{v: v, name: b.fresh(name + strings.Repeat("1", b.hides(name))), typ: types.Default(t), active: active, holder: active && holds(t)}
	b.locals[v] = l
	b.synth[id] = l
	return synthetic{id, l}
}

// hides is 1 if the package declares name.
func (b *builder) hides(name string) int {
	if b.in.Pkg.Types.Scope().Lookup(name) != nil {
		return 1
	}
	return 0
}

// temporary assigns e to a new variable.
func (b *builder) temporary(s ast.Stmt, name string, e ast.Expr) ast.Expr {
	t := b.synthetic(name, b.typeOf(e), b.active(e))
	n := &assign{stmt: s, lhs: t.id, v: t.local, define: true, op: token.ASSIGN, rhs: e}
	t.local.set = n
	b.emit(n)
	return t.id
}

// passive keeps what an expression gave that must not be evaluated twice: it draws a
// random number, or counts.
func (b *builder) passive(s ast.Stmt, e ast.Expr) {
	b.reading(e)
	if b.temps[e] == nil && !b.prog.Program.Pure(b.in.Pkg, e) {
		t := b.temporary(s, "t", e).(*ast.Ident)
		b.temps[e] = b.synth[t]
	}
}

// hoist puts calls of functions that are looked into before the statement, and those of
// package math whose value the derivative needs, too.
func (b *builder) hoist(s ast.Stmt, e ast.Expr, top bool) {
	if !b.active(e) {
		b.passive(s, e)
		return
	}
	if !top && b.literal(e) && !b.prog.tangent { // its elements are reversed with the variable that holds it
		b.hoist(s, e, true)
		t := b.temporary(s, "literal", e).(*ast.Ident)
		b.temps[e] = b.synth[t]
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		b.hoist(s, e.X, top)
	case *ast.BinaryExpr:
		b.hoist(s, e.X, false)
		b.hoist(s, e.Y, false)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
				b.hoist(s, lit, top)
				return
			}
			if b.base(e.X) != nil {
				refuse(e, "the address of a variable of active values", "return a new value, or use a slice")
			}
		}
		b.hoist(s, e.X, false)
	case *ast.CompositeLit:
		if isMap(b.typeOf(e)) {
			refuse(e, "a literal of a map of active values", "assign its elements")
		}
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			b.hoist(s, x, false)
			if id, ok := b.placed(s, x).(*ast.Ident); ok && b.temps[x] == nil && b.synth[id] != nil {
				b.temps[x] = b.synth[id]
			}
		}
	case *ast.CallExpr:
		b.hoistCall(s, e, top)
	case *ast.FuncLit:
		refuse(e, "a function literal", "declare the function by func")
	case *ast.IndexExpr:
		b.hoist(s, e.X, false)
		b.passive(s, e.Index)
	case *ast.SelectorExpr:
		if sel := b.in.Info().Selections[e]; sel != nil && sel.Kind() != types.FieldVal {
			refuse(e, "a method as a value", "call it")
		}
		if b.in.Info().Selections[e] != nil {
			b.hoist(s, e.X, false)
		}
	case *ast.StarExpr:
		b.hoist(s, e.X, false)
	case *ast.SliceExpr:
		if _, ok := b.typeOf(e.X).Underlying().(*types.Array); ok {
			refuse(e, "a slice of an array variable of active values", "make a slice")
		}
		b.hoist(s, e.X, false)
		for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
			if x != nil {
				b.passive(s, x)
			}
		}
	case *ast.Ident:
		if b.synth[e] == nil && b.variable(e) == nil {
			refuse(e, "a function or variable of the package as an active value", "use a parameter")
		}
	case *ast.BasicLit:
	default:
		refuse(e, "this expression of active values", "write it with variables, slices and calls")
	}
}

func (b *builder) hoistCall(s ast.Stmt, e *ast.CallExpr, top bool) {
	if b.in.Info().Types[e.Fun].IsType() {
		b.hoist(s, e.Args[0], false)
		return
	}
	if b.prog.pops(b.in, e) {
		return
	}
	switch name := activity.Builtin(b.in.Info(), e.Fun); name {
	case "":
	case "make", "new":
		return
	case "append":
		if b.prog.tangent || b.stacks(e) {
			for _, x := range e.Args {
				b.hoist(s, x, false)
			}
			return
		}
		refuse(e, name+" of active values", "make a slice of its length, and assign to its elements")
	case "min", "max":
		if len(e.Args) != 2 {
			refuse(e, name+" of other than two values", "nest it")
		}
		b.hoist(s, e.Args[0], false)
		b.hoist(s, e.Args[1], false)
		return
	default:
		refuse(e, name+" of active values", "make a slice of its length, and assign to its elements")
	}
	if fn, _ := b.in.Function(e.Fun); b.prog.custom(fn) != nil {
		t := b.synthetic(lowerName(fn.Name()), b.typeOf(e), true)
		b.temps[e] = t.local
		b.call(s, e, []*local{t.local}, true)
		return
	}
	if c := b.in.Calls[e]; c != nil && c.Callee != nil {
		t := b.synthetic(lowerName(c.Fn.Name()), b.typeOf(e), b.active(e))
		b.temps[e] = t.local
		b.call(s, e, []*local{t.local}, true)
		return
	}
	fn, _ := b.in.Function(e.Fun)
	if isLdexp(fn) {
		b.hoist(s, e.Args[0], false)
		b.passive(s, e.Args[1])
		return
	}
	r, ok := ruleOf(fn)
	if _, known := b.prog.helpers[fn]; !ok && !known {
		refuse(e, "a call that cannot be followed", "call a declared function by its name")
	}
	for _, x := range e.Args {
		b.hoist(s, x, false)
	}
	if !top && r.dear {
		n := &assign{stmt: s, define: true, op: token.ASSIGN, rhs: e}
		t := b.synthetic(lowerName(fn.Name()), b.typeOf(e), true)
		n.lhs, n.v, t.local.set = t.id, t.local, n
		b.emit(n)
		b.temps[e] = t.local
	}
}

func (b *builder) callStmt(s ast.Stmt, c *ast.CallExpr) {
	switch name := activity.Builtin(b.in.Info(), c.Fun); name {
	case "":
		if b.prog.pops(b.in, c) {
			b.emit(&assign{stmt: s, rhs: c})
			return
		}
		b.call(s, c, nil, false)
	case "panic", "print", "println":
		b.emit(&plain{stmt: s})
	case "delete":
		if b.active(c.Args[0]) && !b.prog.simple { // see lower.go
			refuse(s, "delete of active values", "assign 0")
		}
		b.emit(&plain{stmt: s})
	case "copy":
		if b.active(c.Args[0]) {
			b.ofNumbers(s, c)
			b.hoist(s, c.Args[0], false)
			b.value(s, c.Args[1])
			src := c.Args[1]
			if b.prog.pops(b.in, src) {
				src = b.temporary(s, "t", src)
			}
			b.emit(&copying{stmt: s, dst: c.Args[0], src: src})
			return
		}
		if b.prog.tangent {
			b.emit(&plain{stmt: s})
			return
		}
		refuse(s, "copy of what is passive", "write a loop")
	case "clear":
		switch {
		case b.active(c.Args[0]):
			b.ofNumbers(s, c)
			b.hoist(s, c.Args[0], false)
			b.emit(&copying{stmt: s, dst: c.Args[0]})
		case b.prog.tangent:
			b.emit(&plain{stmt: s})
		default:
			refuse(s, "clear of what is passive", "write a loop")
		}
	default:
		refuse(s, name+" in a function of active values", "write a loop that assigns")
	}
}

// ofNumbers refuses copy and clear of other elements than numbers.
func (b *builder) ofNumbers(s ast.Stmt, c *ast.CallExpr) {
	if !b.prog.tangent && !types.Identical(elemOf(b.typeOf(c.Args[0])), types.Typ[types.Float64]) {
		refuse(s, "copy or clear of elements that are no numbers", "write a loop")
	}
}

// copying is the built-in function copy, or clear.
type copying struct {
	facts
	stmt     ast.Stmt
	dst, src ast.Expr // src is nil of clear
}

// argument keeps what a function is called with, if the function may change what it was
// computed from: the reverse sweep calls it with the same.
func (b *builder) argument(s ast.Stmt, call *ast.CallExpr, x ast.Expr) ast.Expr {
	b.value(s, x)
	x = b.placed(s, x)
	if !b.active(x) {
		b.passive(s, x)
	}
	if c := b.in.Calls[call]; c == nil || c.Callee == nil || b.prog.Program.Pure(b.in.Pkg, call) {
		return x
	}
	memory := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.StarExpr:
			memory = true
		case *ast.SelectorExpr:
			memory = memory || b.in.Info().Selections[n] != nil
		case *ast.CallExpr:
			memory = memory || !b.in.Info().Types[n.Fun].IsType()
		}
		return true
	})
	if memory && b.temps[x] == nil && b.in.Info().Types[x].Value == nil {
		return b.temporary(s, "t", x)
	}
	return x
}

// call is a statement that calls a function.
func (b *builder) call(s ast.Stmt, e *ast.CallExpr, lhs []*local, define bool) {
	n := &call{stmt: s, call: e, lhs: lhs, define: define}
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && b.in.Info().Selections[sel] != nil {
		m := b.in.Info().Selections[sel]
		if _, want := m.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer); want && b.active(sel.X) {
			if _, have := b.typeOf(sel.X).Underlying().(*types.Pointer); !have {
				refuse(e, "a method that takes the address of active values", "make a pointer to the struct by &T{}")
			}
		}
		if _, want := m.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer); !want && isPointer(b.typeOf(sel.X)) && b.active(sel.X) {
			refuse(sel.X, "a method of a value that is called on a pointer", "dereference it before")
		}
		if len(m.Index()) > 1 {
			refuse(e, "a method of an embedded struct", "name the field")
		}
		n.args = append(n.args, b.argument(s, e, sel.X))
	}
	for _, x := range e.Args {
		n.args = append(n.args, b.argument(s, e, x))
	}
	if c := b.in.Calls[e]; c != nil && c.Callee != nil {
		if c.Callee.Decl == nil {
			refuse(e, "a call of a function without Go source", "")
		}
		if e.Ellipsis.IsValid() || c.Fn.Signature().Variadic() {
			refuse(e, "a call of a variadic function with active values", "give it a slice")
		}
		n.callee = b.prog.unitOf(c.Callee)
	} else if fn, _ := b.in.Function(e.Fun); slices.ContainsFunc(e.Args, b.active) && b.prog.custom(fn) != nil {
		n.callee = b.prog.custom(fn)
		n.callee.checkCustom(e)
	} else {
		for i := range lhs {
			if lhs[i] == nil && b.prog.helpers[fn].first { // second derivatives read both
				lhs[i] = b.synthetic("t", types.Typ[types.Float64], false).local
			}
		}
		b.reading(e)
		for _, x := range e.Args {
			if _, known := b.prog.helpers[fn]; b.active(x) && !known {
				refuse(e, "a call that cannot be followed", "call a declared function by its name")
			}
		}
	}
	b.emit(n)
}
