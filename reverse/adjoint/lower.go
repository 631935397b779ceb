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

// A lower writes one function in the simple language.
type lower struct {
	*front
	group  *group
	in     *activity.Instance
	vars   map[*types.Var]*variable
	pre    []string // statements before the one that is written
	loops  []*target
	sig    *types.Signature        // of the function or literal
	names  []*types.Var            // its results, if they are variables
	defers string                  // the list of deferred calls
	known  map[*types.Var]string   // the functions of variables that hold one literal
	bound  map[*types.Var]ast.Expr // what variables are that are set once
	root   bool
	apart  bool // the calls of the statement that is written become statements

	replaced map[ast.Expr]string // what stands for an expression that was evaluated
}

// A variable is how one of the source is written.
type variable struct {
	name  string
	boxed bool // it is a pointer to the variable
	field bool // it is captured: name is a field of the captured values
	param bool
}

// A target is what break and continue lead to.
type target struct {
	label string
	stmt  ast.Stmt // nil is a loop that the source does not have
	loop  bool
	used  bool
	inner string // what continue leaves, if statements follow the body
	left  bool   // by one
}

func (l *lower) info() *types.Info { return l.in.Info() }

func (l *lower) typeOf(e ast.Expr) types.Type {
	if id, ok := e.(*ast.Ident); ok {
		if o := l.info().Defs[id]; o != nil {
			return activity.Substitute(o.Type(), l.in.Env)
		}
	}
	t := l.in.TypeOf(e)
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return t
}

// active reports whether an expression is active, wherever the function is called.
func (l *lower) active(e ast.Expr) bool {
	return slices.ContainsFunc(l.group.all, func(in *activity.Instance) bool { return in.Exprs[e].HoldsActive() })
}

func (l *lower) refuse(at ast.Node, what, instead string) {
	panic(fault{in: l.in, at: at.Pos(), what: what, instead: instead})
}

func (l *lower) emit(format string, args ...any) { l.pre = append(l.pre, fmt.Sprintf(format, args...)) }

// let keeps an expression in a new variable.
func (l *lower) let(name, text string) string {
	n := l.fresh(name)
	l.emit("%s := %s", n, text)
	return n
}

// declaration is the function as a whole.
func (l *lower) declaration(name string, root bool) string {
	d := l.in.Decl
	l.sig, l.root = l.in.Fn.Origin().Type().(*types.Signature), root
	l.known, l.bound = map[*types.Var]string{}, map[*types.Var]ast.Expr{}
	l.survey(d.Type, d.Body)
	var params []string
	if d.Recv != nil {
		params = append(params, l.params(d.Recv)...)
	}
	params = append(params, l.params(d.Type.Params)...)
	return l.mark(d.Name.Pos()) + "func " + name + "(" + strings.Join(params, ", ") + ") " + l.results(l.sig) + l.body(d.Type, d.Body)
}

func (l *lower) results(sig *types.Signature) string {
	var s []string
	for i := range sig.Results().Len() {
		s = append(s, l.held(l.subst(sig.Results().At(i).Type())))
	}
	return "(" + strings.Join(s, ", ") + ") "
}

func (l *lower) subst(t types.Type) types.Type { return activity.Substitute(t, l.in.Env) }

// params declares parameters.
func (l *lower) params(list *ast.FieldList) (out []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		t := l.typeOf(f.Type)
		if e, ok := f.Type.(*ast.Ellipsis); ok {
			t = types.NewSlice(l.typeOf(e.Elt))
		}
		text := l.held(t)
		if l.root {
			if _, ok := t.Underlying().(*types.Signature); ok || l.changed(t, map[types.Type]bool{}) {
				l.refuse(f, "a parameter of a type that functions in other packages look into, or that holds functions", "pass what it is made of")
			}
			text = l.typ(t)
		}
		names := f.Names
		if len(names) == 0 {
			names = []*ast.Ident{ast.NewIdent("_")}
		}
		for _, id := range names {
			v, _ := l.info().Defs[id].(*types.Var)
			if id.Name == "_" || v == nil {
				out = append(out, l.fresh("unused")+" "+text)
				continue
			}
			x := l.variable(v)
			x.param = true
			name := x.name
			if x.boxed || l.root && aggregate(t) {
				name = l.fresh(x.name)
				l.emit("%s := new(%s)", x.name, l.typ(t))
				switch {
				case l.root && aggregate(t):
					l.assignFields(x.name, name, t)
				case aggregate(t):
					l.pre = l.pre[:len(l.pre)-1]
					l.emit("%s := %s", x.name, name)
				default:
					l.emit("*%s = %s", x.name, name)
				}
			}
			out = append(out, name+" "+text)
		}
	}
	return out
}

// body is the body of a function or literal, after its parameters.
func (l *lower) body(t *ast.FuncType, body *ast.BlockStmt) string {
	entry := l.pre
	l.pre = nil
	l.names, l.defers = nil, ""
	if t.Results != nil {
		for _, f := range t.Results.List {
			for _, id := range f.Names {
				v, _ := l.info().Defs[id].(*types.Var)
				if v == nil || id.Name == "_" {
					v = types.NewVar(token.NoPos, nil, "result", l.typeOf(f.Type))
				}
				l.names = append(l.names, v)
				entry = append(entry, l.zero(v))
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			if l.defers == "" {
				l.defers = l.fresh("deferred")
				entry = append(entry, "var "+l.defers+" []*"+l.signature(types.NewSignatureType(nil, nil, nil, nil, nil, false)).name)
				if l.names == nil {
					for i := range l.sig.Results().Len() {
						v := types.NewVar(token.NoPos, nil, "result", l.subst(l.sig.Results().At(i).Type()))
						l.names = append(l.names, v)
						entry = append(entry, l.zero(v))
					}
				}
			}
			_ = n
		}
		return true
	})
	text := l.stmts(body.List)
	if l.defers != "" && l.sig.Results().Len() == 0 {
		text += "\n" + l.leave()
	}
	return "{\n" + strings.Join(entry, "\n") + "\n" + text + "\n}"
}

// zero declares a variable that is zero.
func (l *lower) zero(v *types.Var) string {
	x, t := l.variable(v), l.subst(v.Type())
	if x.boxed || aggregate(t) {
		return x.name + " := new(" + l.typ(t) + ")"
	}
	return "var " + x.name + " " + l.typ(t)
}

// leave runs what was deferred.
func (l *lower) leave() string {
	s := l.signature(types.NewSignatureType(nil, nil, nil, nil, nil, false))
	i := l.fresh("i")
	return fmt.Sprintf("for %s := len(%s) - 1; %s >= 0; %s-- {\ncall%s(%s[%s])\n}", i, l.defers, i, i, strings.ToUpper(s.name[:1])+s.name[1:], l.defers, i)
}

// survey finds the variables that must be pointers.
func (l *lower) survey(sig *ast.FuncType, body *ast.BlockStmt) {
	info := l.info()
	declared := map[*types.Var]int{} // depth of function literals
	assigned, taken, captured := map[*types.Var]bool{}, map[*types.Var]bool{}, map[*types.Var]bool{}
	depthOf := func(stack []ast.Node) (d int) {
		for _, n := range stack {
			if l.opens(n) {
				d++
			}
		}
		return d
	}
	root := func(e ast.Expr) *types.Var { // the variable that e is part of
		for {
			switch x := ast.Unparen(e).(type) {
			case *ast.Ident:
				v, _ := info.ObjectOf(x).(*types.Var)
				return v
			case *ast.IndexExpr:
				if _, ok := l.typeOf(x.X).Underlying().(*types.Array); !ok {
					return nil
				}
				e = x.X
			case *ast.SelectorExpr:
				if s := info.Selections[x]; s == nil || s.Indirect() {
					return nil
				}
				e = x.X
			default:
				return nil
			}
		}
	}
	var nodes []ast.Node
	if l.in.Decl != nil {
		nodes = append(nodes, l.in.Decl)
	}
	for _, top := range nodes {
		ast.PreorderStack(top, nil, func(n ast.Node, stack []ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if v, ok := info.Defs[n].(*types.Var); ok {
					declared[v] = depthOf(stack)
				} else if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() {
					if d, local := declared[v]; local && depthOf(stack) > d {
						captured[v] = true
					}
				}
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					if v := root(e); v != nil {
						if id, ok := e.(*ast.Ident); !ok || info.Defs[id] == nil {
							assigned[v] = true
						}
					}
				}
			case *ast.IncDecStmt:
				if f, ok := parent(stack).(*ast.ForStmt); ok && f.Post == n {
					break // each iteration has a variable of its own
				}
				if v := root(n.X); v != nil {
					assigned[v] = true
				}
			case *ast.RangeStmt:
				for _, e := range []ast.Expr{n.Key, n.Value} {
					if e != nil && n.Tok == token.ASSIGN {
						if v := root(e); v != nil {
							assigned[v] = true
						}
					}
				}
			case *ast.ValueSpec:
				if len(n.Values) == 0 {
					for _, id := range n.Names {
						if v, ok := info.Defs[id].(*types.Var); ok {
							if _, f := v.Type().Underlying().(*types.Signature); f {
								assigned[v] = true // var f func(); f = …
							}
						}
					}
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					if v := root(n.X); v != nil {
						taken[v] = true
					}
				}
			case *ast.SliceExpr:
				if _, ok := l.typeOf(n.X).Underlying().(*types.Array); ok {
					if v := root(n.X); v != nil {
						taken[v] = true
					}
				}
			case *ast.SelectorExpr:
				if m, path, ok := l.in.Method(n); ok {
					if isPointer(m.Signature().Recv().Type()) {
						if _, t := l.path("", l.typeOf(n.X), path); !isPointer(t) {
							if v := root(n.X); v != nil {
								taken[v] = true
							}
						}
					}
				}
			}
			return true
		})
	}
	for v := range declared {
		if v.Name() == "_" {
			continue
		}
		x := l.variable(v)
		x.boxed = taken[v] || captured[v] && assigned[v]
	}
	// Variables that are set once.
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && s.Tok == token.DEFINE && len(s.Lhs) == len(s.Rhs) {
			for i, e := range s.Rhs {
				if v, ok := info.Defs[s.Lhs[i].(*ast.Ident)].(*types.Var); ok && !assigned[v] {
					l.bound[v] = e
				}
			}
		}
		return true
	})
}

func parent(stack []ast.Node) ast.Node {
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

// opens reports whether a node becomes a function of its own.
func (l *lower) opens(n ast.Node) bool {
	_, ok := n.(*ast.FuncLit)
	return ok
}

func (l *lower) variable(v *types.Var) *variable {
	x := l.vars[v]
	if x == nil {
		name := v.Name()
		if l.Root.Types.Scope().Lookup(name) != nil || name == "w" || types.Universe.Lookup(name) != nil || v.Pkg() == nil || l.shadows(name) {
			name = l.fresh(name + "1")
		}
		x = &variable{name: name}
		l.vars[v] = x
	}
	return x
}

// shadows reports whether another variable would be hidden by one with a name.
func (l *lower) shadows(name string) bool {
	for _, n := range l.imports {
		if n == name {
			return true
		}
	}
	return false
}

func (l *lower) stmts(list []ast.Stmt) string {
	var out []string
	for i, s := range list {
		if x, ok := s.(*ast.LabeledStmt); ok && l.jumped(x.Label.Name) {
			out = append(out, l.again(x, list[i+1:]))
			break
		}
		out = append(out, l.comments(list, i)+l.stmt(s))
	}
	return strings.Join(out, "\n")
}

// comments are those of the source before a statement.
func (l *lower) comments(list []ast.Stmt, i int) string {
	if i == 0 {
		return ""
	}
	between := l.Text(list[i-1].End(), list[i].Pos())
	_, after, ok := strings.Cut(between, "\n")
	if !ok || !strings.Contains(after, "//") {
		return ""
	}
	var lines []string
	for _, s := range strings.Split(after, "\n") {
		if s = strings.TrimSpace(s); strings.HasPrefix(s, "//") {
			lines = append(lines, s)
		}
	}
	return strings.Join(append(lines, ""), "\n")
}

// stmt is a statement, with what has to go before it.
func (l *lower) stmt(s ast.Stmt) string {
	outer, apart := l.pre, l.apart
	l.pre, l.apart = nil, false
	text := l.simple(s, "")
	all := append(l.pre, text)
	l.pre, l.apart = outer, apart
	mark := l.mark(s.Pos())
	for i := range all {
		all[i] = mark + all[i]
	}
	return strings.Join(all, "\n")
}

// block is a list of statements in braces.
func (l *lower) block(list []ast.Stmt) string { return "{\n" + l.stmts(list) + "\n}" }

func (l *lower) simple(s ast.Stmt, label string) string {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return ""
	case *ast.AssignStmt:
		return l.assign(s)
	case *ast.IncDecStmt:
		return l.expr(s.X) + s.Tok.String()
	case *ast.DeclStmt:
		return l.decl(s.Decl.(*ast.GenDecl))
	case *ast.BlockStmt:
		return l.block(s.List)
	case *ast.LabeledStmt:
		return l.simple(s.Stmt, s.Label.Name)
	case *ast.ExprStmt:
		return l.exprStmt(s)
	case *ast.IfStmt:
		return l.branch(s)
	case *ast.SwitchStmt:
		return l.choice(s, label)
	case *ast.ForStmt:
		return l.forLoop(s, label)
	case *ast.RangeStmt:
		return l.rangeLoop(s, label)
	case *ast.BranchStmt:
		return l.jump(s)
	case *ast.ReturnStmt:
		return l.ret(s)
	case *ast.DeferStmt:
		return l.deferred(s)
	}
	what := map[string]string{"*ast.GoStmt": "a goroutine", "*ast.SelectStmt": "select", "*ast.TypeSwitchStmt": "a switch on types", "*ast.SendStmt": "a channel"}[fmt.Sprintf("%T", s)]
	l.refuse(s, what+" in a function of active values", "call it from a function of its own that takes nothing active")
	return ""
}

func (l *lower) deferred(s *ast.DeferStmt) string {
	lit, ok := ast.Unparen(s.Call.Fun).(*ast.FuncLit)
	if !ok || len(s.Call.Args) > 0 || len(l.loops) > 0 && l.names == nil && false {
		l.refuse(s, "defer of a call that is no function literal without arguments", "write defer func() { … }()")
	}
	found := false
	ast.Inspect(lit, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && activity.Builtin(l.info(), c.Fun) == "recover" {
			found = true
		}
		return true
	})
	if found {
		l.refuse(s, "a function that recovers from a panic", "return an error")
	}
	if lit.Type.Results != nil {
		l.refuse(s, "defer of a function with results", "leave them out")
	}
	c := l.expr(lit)
	return l.appended(l.defers, "[]*"+l.signature(types.NewSignatureType(nil, nil, nil, nil, nil, false)).name, []string{c}, true, nil)
}

func (l *lower) ret(s *ast.ReturnStmt) string {
	l.ordered(s.Results...)
	results := l.sig.Results()
	var texts []string
	switch {
	case len(s.Results) == 0 && results.Len() == 0:
		if l.defers != "" {
			return l.leave() + "\nreturn"
		}
		return "return"
	case len(s.Results) == 0:
		for _, v := range l.names {
			texts = append(texts, l.whole(v))
		}
	case len(s.Results) == 1 && results.Len() > 1:
		texts = l.multi(s.Results[0])
	default:
		for i, e := range s.Results {
			texts = append(texts, l.converted(e, l.subst(results.At(i).Type()), true))
		}
	}
	if l.names != nil && (l.defers != "" || l.anyBoxed()) {
		if len(s.Results) > 0 {
			var temps []string
			for i, t := range texts {
				if t == "nil" {
					temps = append(temps, t)
				} else {
					n := l.fresh("t")
					l.emit("var %s %s = %s", n, l.held(l.subst(results.At(i).Type())), t)
					temps = append(temps, n)
				}
			}
			for i, v := range l.names {
				if aggregate(l.subst(v.Type())) {
					l.assignFields(l.variable(v).name, temps[i], l.subst(v.Type()))
				} else {
					l.emit("%s = %s", l.whole(v), temps[i])
				}
			}
		}
		if l.defers != "" {
			l.emit("%s", l.leave())
		}
		texts = nil
		for _, v := range l.names {
			texts = append(texts, l.whole(v))
		}
	}
	return "return " + strings.Join(texts, ", ")
}

func (l *lower) anyBoxed() bool {
	return slices.ContainsFunc(l.names, func(v *types.Var) bool { return l.variable(v).boxed })
}

// whole is the value of a variable.
func (l *lower) whole(v *types.Var) string {
	x := l.variable(v)
	if x.boxed && !aggregate(l.subst(v.Type())) {
		return "(*" + x.name + ")"
	}
	return x.name
}

func (l *lower) decl(d *ast.GenDecl) string {
	if d.Tok != token.VAR {
		if d.Tok == token.CONST && l.in.Pkg == l.Root && len(l.in.Env) == 0 && len(l.loops) == 0 && l.root {
			return ""
		}
		return ""
	}
	var out []string
	for _, spec := range d.Specs {
		s := spec.(*ast.ValueSpec)
		l.ordered(s.Values...)
		if len(s.Values) == 1 && len(s.Names) > 1 {
			texts := l.multi(s.Values[0])
			for i, id := range s.Names {
				if v, ok := l.info().Defs[id].(*types.Var); ok && id.Name != "_" {
					l.define(v, texts[i], s.Type != nil)
				}
			}
			continue
		}
		var texts []string
		for i, id := range s.Names {
			if i < len(s.Values) {
				t := l.typeOf(id)
				if id.Name == "_" {
					t = l.typeOf(s.Values[i])
				}
				texts = append(texts, l.converted(s.Values[i], t, true))
			}
		}
		for i, id := range s.Names {
			v, _ := l.info().Defs[id].(*types.Var)
			switch {
			case id.Name == "_" || v == nil:
				if i < len(texts) {
					l.emit("_ = %s", texts[i])
				}
			case i < len(texts):
				l.define(v, texts[i], s.Type != nil)
			default:
				l.emit("%s", l.zero(v))
			}
		}
	}
	return strings.Join(out, "\n")
}

// define declares a variable with a value: a pointer to something new, if it is held by
// one.
func (l *lower) define(v *types.Var, text string, typed bool) {
	x, t := l.variable(v), l.subst(v.Type())
	switch {
	case aggregate(t):
		l.emit("%s := %s", x.name, text)
	case x.boxed:
		l.emit("%s := new(%s)", x.name, l.typ(t))
		l.emit("*%s = %s", x.name, text)
	case text == "nil" || typed:
		l.emit("var %s %s = %s", x.name, l.typ(t), text)
	default:
		l.emit("%s := %s", x.name, text)
	}
}

func (l *lower) assign(s *ast.AssignStmt) string {
	info := l.info()
	l.ordered(append(slices.Clone(s.Rhs), l.indices(s)...)...)
	defined := func(e ast.Expr) *types.Var {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
			v, _ := info.Defs[id].(*types.Var)
			return v
		}
		return nil
	}
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && id.Name == "_"
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		lhs, rhs := s.Lhs[0], s.Rhs[0]
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			place := l.expr(lhs) // whose calls come first
			return place + " " + s.Tok.String() + " " + l.expr(rhs)
		}
		if blank(lhs) {
			return "_ = " + l.expr(rhs)
		}
		if v := defined(lhs); v != nil {
			if x := l.variable(v); !x.boxed && !aggregate(l.subst(v.Type())) {
				if lit, ok := ast.Unparen(rhs).(*ast.FuncLit); ok {
					c, name := l.literal(lit)
					if l.bound[v] != nil {
						l.known[v] = name
					}
					return x.name + " := " + c
				}
				return x.name + " := " + l.top(rhs, l.subst(v.Type()))
			}
			l.define(v, l.converted(rhs, l.subst(v.Type()), true), false)
			return ""
		}
		if c, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && activity.Builtin(info, c.Fun) == "append" && !l.active(c) {
			if id, ok := ast.Unparen(lhs).(*ast.Ident); ok {
				if y, ok := ast.Unparen(c.Args[0]).(*ast.Ident); ok && info.Uses[id] == info.Uses[y] && !c.Ellipsis.IsValid() {
					return l.appendPassive(l.expr(lhs), c)
				}
			}
		}
		t := l.typeOf(lhs)
		if l.callsIn(lhs) {
			if aggregate(t) {
				l.refuse(lhs, "an assignment of a struct that leads to other memory to a place that a call finds", "call it before")
			}
			place := l.expr(lhs) // whose calls come first
			return place + " = " + l.converted(rhs, t, false)
		}
		l.set(lhs, l.converted(rhs, t, false))
		return ""
	}
	if len(s.Lhs) == len(s.Rhs) {
		var rhs []string
		easy := true
		for i, e := range s.Rhs {
			var t types.Type
			if blank(s.Lhs[i]) {
				t = l.typeOf(e)
			} else {
				t = l.typeOf(s.Lhs[i])
			}
			rhs = append(rhs, l.converted(e, t, true))
			v := defined(s.Lhs[i])
			easy = easy && !aggregate(t) && (v == nil || !l.variable(v).boxed) && rhs[i] != "nil"
			if l.callsIn(s.Lhs[i]) {
				l.refuse(s.Lhs[i], "a call in a place of a parallel assignment", "call it before")
			}
		}
		if easy {
			var lhs []string
			for _, e := range s.Lhs {
				if blank(e) {
					lhs = append(lhs, "_")
				} else {
					lhs = append(lhs, l.expr(e))
				}
			}
			return strings.Join(lhs, ", ") + " " + s.Tok.String() + " " + strings.Join(rhs, ", ")
		}
		for i, e := range s.Rhs {
			if info.Types[e].Value == nil && rhs[i] != "nil" {
				rhs[i] = l.let("t", rhs[i])
			}
		}
		for i, e := range s.Lhs {
			if v := defined(e); v != nil {
				l.define(v, rhs[i], rhs[i] == "nil" || info.Types[s.Rhs[i]].Value != nil)
			} else if !blank(e) {
				l.set(e, rhs[i])
			} else {
				l.emit("_ = %s", rhs[i])
			}
		}
		return ""
	}
	var want []bool
	for _, e := range s.Lhs {
		want = append(want, !blank(e))
	}
	texts := l.multiOf(s.Rhs[0], want)
	for i, e := range s.Lhs {
		if v := defined(e); v != nil {
			l.define(v, texts[i], false)
		} else if !blank(e) {
			l.set(e, texts[i])
		}
	}
	return ""
}

// indices are what an assignment evaluates to find its places.
func (l *lower) indices(s *ast.AssignStmt) (list []ast.Expr) {
	for _, e := range s.Lhs {
		switch x := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			list = append(list, x.X, x.Index)
		case *ast.SelectorExpr:
			list = append(list, x.X)
		case *ast.StarExpr:
			list = append(list, x.X)
		}
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			list = append(list, e)
		}
	}
	return list
}

// set assigns a value, of an aggregate what its pointer leads to, to a place.
func (l *lower) set(lhs ast.Expr, text string) {
	if t := l.typeOf(lhs); aggregate(t) {
		if text == "nil" {
			l.refuse(lhs, "this assignment", "")
		}
		l.assignFields(l.base(lhs), l.simpleText(text), t)
		return
	}
	l.emit("%s = %s", l.expr(lhs), text)
}

// simpleText keeps an expression that is no name in a variable.
func (l *lower) simpleText(text string) string {
	if atomicName(text) {
		return text
	}
	return l.let("from", text)
}

func atomicName(s string) bool {
	return !strings.ContainsAny(s, "([&*{\x00")
}

// assignFields copies a struct or an array part by part: dst and src are places or pointers
// to them.
func (l *lower) assignFields(dst, src string, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if f.Name() == "_" {
				continue
			}
			d, s := dst+"."+f.Name(), src+"."+f.Name()
			if aggregate(f.Type()) {
				l.assignFields(d, s, f.Type())
			} else {
				l.emit("%s = %s", d, s)
			}
		}
	case *types.Array:
		i := l.fresh("i")
		l.emit("for %s := range %d {", i, u.Len())
		if aggregate(u.Elem()) {
			l.assignFields(dst+"["+i+"]", src+"["+i+"]", u.Elem())
		} else {
			l.emit("%s[%s] = %s[%s]", dst, i, src, i)
		}
		l.emit("}")
	}
}

// copied is a pointer to a copy of what text, a place or a pointer, holds.
func (l *lower) copied(text string, t types.Type) string {
	src := l.simpleText(text)
	n := l.fresh("copy")
	l.emit("%s := new(%s)", n, l.typ(t))
	l.assignFields(n, src, t)
	return n
}

func (l *lower) exprStmt(s *ast.ExprStmt) string {
	c, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		return l.expr(s.X)
	}
	switch activity.Builtin(l.info(), c.Fun) {
	case "copy":
		l.copyCall(c)
		return ""
	case "clear":
		x := l.let("cleared", l.expr(c.Args[0]))
		switch t := l.typeOf(c.Args[0]).Underlying().(type) {
		case *types.Slice:
			i := l.fresh("i")
			if aggregate(t.Elem()) {
				l.refuse(c, "clear of structs that lead to other memory", "assign them")
			}
			return fmt.Sprintf("for %s := range %s {\n%s[%s] = %s\n}", i, x, x, i, l.zeroValue(t.Elem()))
		}
		l.refuse(c, "clear of a map", "make a new one")
	case "delete":
		m, k := l.expr(c.Args[0]), l.let("key", l.expr(c.Args[1]))
		if !l.active(c.Args[0]) {
			return "delete(" + m + ", " + k + ")"
		}
		m = l.simpleText(m)
		return fmt.Sprintf("if %s(%s, %s) {\n%s[%s] = %s\ndelete(%s, %s)\n}", l.has(), m, k, m, k, l.zeroValue(l.typeOf(c.Args[0]).Underlying().(*types.Map).Elem()), m, k)
	}
	l.ordered(c)
	text, _ := l.call(c)
	return text
}

func (l *lower) has() string {
	return l.helper("Has", "func NAME[K comparable, V any](m map[K]V, k K) bool {\n_, ok := m[k]\nreturn ok\n}")
}

// zeroValue is the zero value of a type that is no aggregate.
func (l *lower) zeroValue(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return l.typ(t) + "{}"
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsBoolean != 0:
			return "false"
		}
		return "0"
	}
	return "nil"
}

func (l *lower) branch(s *ast.IfStmt) string {
	if s.Init != nil {
		inner := &ast.IfStmt{If: s.If, Cond: s.Cond, Body: s.Body, Else: s.Else}
		return "{\n" + l.stmt(s.Init) + "\n" + l.stmt(inner) + "\n}"
	}
	l.ordered(s.Cond)
	cond := l.expr(s.Cond)
	text := "if " + cond + " " + l.block(s.Body.List)
	switch e := s.Else.(type) {
	case nil:
	case *ast.BlockStmt:
		text += " else " + l.block(e.List)
	default:
		text += " else {\n" + l.stmt(e) + "\n}"
	}
	return text
}

// choice is a switch. One that is left by break, or falls through, is within a loop of one
// trip.
func (l *lower) choice(s *ast.SwitchStmt, label string) string {
	if s.Init != nil {
		inner := &ast.SwitchStmt{Switch: s.Switch, Tag: s.Tag, Body: s.Body}
		return "{\n" + l.stmt(s.Init) + "\n" + l.stmt(inner) + "\n}"
	}
	t := &target{stmt: s, label: label}
	if label == "" {
		t.label = l.fresh("choice")
	}
	l.loops = append(l.loops, t)
	tag := ""
	if s.Tag != nil {
		l.ordered(s.Tag)
		tag = l.expr(s.Tag)
		if l.active(s.Tag) || l.callsIn(s.Tag) {
			tag = l.let("tag", tag)
		}
	}
	var b strings.Builder
	b.WriteString("switch " + tag + " {\n")
	before := len(l.pre)
	for i, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			b.WriteString("default:\n")
		} else {
			var list []string
			for _, e := range c.List {
				list = append(list, l.expr(e))
			}
			b.WriteString("case " + strings.Join(list, ", ") + ":\n")
		}
		if len(l.pre) > before {
			l.pre = l.pre[:before]
			return l.chain(s, t, tag)
		}
		body := c.Body
		for k := i; ; k++ {
			falls := false
			if n := len(body); n > 0 {
				if j, ok := body[n-1].(*ast.BranchStmt); ok && j.Tok == token.FALLTHROUGH {
					falls, body = true, body[:n-1]
				}
			}
			if k > i || falls {
				b.WriteString(l.block(body) + "\n")
			} else {
				b.WriteString(l.stmts(body) + "\n")
			}
			if !falls {
				break
			}
			body = s.Body.List[k+1].(*ast.CaseClause).Body
		}
	}
	b.WriteString("}")
	l.loops = l.loops[:len(l.loops)-1]
	if t.used {
		return t.label + ":\nfor {\n" + b.String() + "\nbreak\n}"
	}
	return b.String()
}

// chain is a switch written with if and else.
func (l *lower) chain(s *ast.SwitchStmt, t *target, tag string) string {
	var b strings.Builder
	rest, open := "", 0
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if n := len(c.Body); n > 0 {
			if j, ok := c.Body[n-1].(*ast.BranchStmt); ok && j.Tok == token.FALLTHROUGH {
				l.refuse(c, "a switch with fallthrough and cases that need statements before them", "write it with if and else")
			}
		}
		if c.List == nil {
			rest = l.stmts(c.Body)
			continue
		}
		cond := l.fresh("c")
		for i, e := range c.List {
			outer := l.pre
			l.pre = nil
			l.ordered(e)
			text := l.expr(e)
			if tag != "" {
				text = tag + " == " + l.operand(e)
			}
			before := strings.Join(l.pre, "\n") + "\n"
			l.pre = outer
			if i == 0 {
				b.WriteString(before + cond + " := " + text + "\n")
			} else {
				b.WriteString("if !" + cond + " {\n" + before + cond + " = " + text + "\n}\n")
			}
		}
		b.WriteString("if " + cond + " {\n" + l.stmts(c.Body) + "\n} else {\n")
		open++
	}
	b.WriteString(rest + strings.Repeat("\n}", open))
	l.loops = l.loops[:len(l.loops)-1]
	if t.used {
		return t.label + ":\nfor {\n" + b.String() + "\nbreak\n}"
	}
	return "{\n" + b.String() + "\n}"
}

// jumped reports whether goto leads to a label.
func (l *lower) jumped(label string) (found bool) {
	ast.Inspect(l.in.Decl, func(n ast.Node) bool {
		s, ok := n.(*ast.BranchStmt)
		found = found || ok && s.Tok == token.GOTO && s.Label.Name == label
		return true
	})
	return found
}

// again is what follows a label that goto leads back to: a loop of one trip.
func (l *lower) again(s *ast.LabeledStmt, rest []ast.Stmt) string {
	t := &target{label: s.Label.Name, loop: true}
	l.loops = append(l.loops, t)
	text := l.stmts(append([]ast.Stmt{s.Stmt}, rest...))
	l.loops = l.loops[:len(l.loops)-1]
	ending := "break"
	if n := len(rest); n > 0 {
		if _, ok := rest[n-1].(*ast.ReturnStmt); ok {
			ending = ""
		}
	}
	return t.label + ":\nfor {\n" + text + "\n" + ending + "\n}"
}

func (l *lower) jump(s *ast.BranchStmt) string {
	last := len(l.loops) - 1
	for i := last; i >= 0; i-- {
		t := l.loops[i]
		switch {
		case s.Tok == token.GOTO:
			if t.stmt != nil || t.label != s.Label.Name {
				continue
			}
			t.used = true
			return "continue " + t.label
		case s.Label != nil && (t.stmt == nil || t.label != s.Label.Name):
			continue
		case s.Label == nil && (t.stmt == nil || s.Tok == token.CONTINUE && !t.loop):
			continue
		}
		if !t.loop {
			t.used = true
			return "break " + t.label
		}
		if t.inner != "" && s.Tok == token.CONTINUE {
			t.left = true
			return "break " + t.inner
		}
		inner := i == last
		for _, u := range l.loops[i+1:] { // switches are not in the way of continue
			inner = inner || s.Tok == token.CONTINUE && !u.loop && !u.used
		}
		if i == last {
			return s.Tok.String()
		}
		t.used = true
		return s.Tok.String() + " " + t.label
	}
	l.refuse(s, s.Tok.String()+" to this label", "write it with loops and branches")
	return ""
}

// loop writes a loop whose head and body are given by functions.
func (l *lower) loop(s ast.Stmt, label string, f func() string) string {
	t := &target{stmt: s, label: label, loop: true}
	if label == "" {
		t.label = l.fresh("loop")
	}
	l.loops = append(l.loops, t)
	text := f()
	l.loops = l.loops[:len(l.loops)-1]
	if t.used || label != "" && strings.Contains(text, label) {
		return t.label + ":\n" + text
	}
	return text
}

func (l *lower) forLoop(s *ast.ForStmt, label string) string {
	boxed := false
	if init, ok := s.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
		for _, e := range init.Lhs {
			if v, ok := l.info().Defs[e.(*ast.Ident)].(*types.Var); ok {
				boxed = boxed || l.variable(v).boxed || aggregate(l.subst(v.Type()))
			}
		}
	}
	if boxed {
		l.refuse(s, "a loop variable that is changed and captured, or whose address is taken", "copy it in the loop: v := v")
	}
	apart := func(f func() string) (text string, pre []string) {
		outer := l.pre
		l.pre = nil
		text = f()
		pre = l.pre
		l.pre = outer
		return text, pre
	}
	init, before := "", []string(nil)
	if s.Init != nil {
		init, before = apart(func() string { return l.simple(s.Init, "") })
	}
	return l.wrapped(before, init, func(init string) string {
		return l.loop(s, label, func() string {
			cond, pre := "", []string(nil)
			if s.Cond != nil {
				l.ordered(s.Cond)
				cond, pre = apart(func() string { return l.expr(s.Cond) })
			}
			post, after := "", []string(nil)
			if s.Post != nil {
				post, after = apart(func() string { return l.simple(s.Post, "") })
				if len(after) == 1 && post == "" {
					post, after = after[0], nil
				}
			}
			if len(after) > 0 { // the body is a loop of one trip, which continue leaves
				t := l.loops[len(l.loops)-1]
				t.inner = l.fresh("body")
				l.loops = append(l.loops, &target{loop: true})
				body := l.stmts(s.Body.List)
				l.loops = l.loops[:len(l.loops)-1]
				if t.left {
					body = t.inner + ":\nfor {\n" + body + "\nbreak\n}"
				}
				if cond != "" {
					pre = append(pre, "if !("+cond+") {\nbreak\n}")
				}
				return "for " + init + "; ; {\n" + strings.Join(pre, "\n") + "\n" + body + "\n" + strings.Join(append(after, post), "\n") + "\n}"
			}
			if len(pre) > 0 || s.Cond != nil && l.callsIn(s.Cond) {
				head := strings.Join(pre, "\n") + "\nif !(" + cond + ") {\nbreak\n}\n"
				return "for " + init + "; ; " + post + " {\n" + head + l.stmts(s.Body.List) + "\n}"
			}
			if init == "" && post == "" {
				return "for " + cond + " " + l.block(s.Body.List)
			}
			return "for " + init + "; " + cond + "; " + post + " " + l.block(s.Body.List)
		})
	})
}

// wrapped puts statements before a loop into a block around it.
func (l *lower) wrapped(before []string, init string, f func(init string) string) string {
	if len(before) == 0 {
		return f(init)
	}
	return "{\n" + strings.Join(before, "\n") + "\n" + init + "\n" + f("") + "\n}"
}

// callsIn reports whether an expression calls what may change something.
func (l *lower) callsIn(e ast.Expr) bool { return !l.Program.Pure(l.in.Pkg, e) }

func (l *lower) rangeLoop(s *ast.RangeStmt, label string) string {
	t := l.typeOf(s.X)
	named := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return e != nil && (!ok || id.Name != "_")
	}
	// first are the statements that begin each iteration.
	give := func(e ast.Expr, text string) {
		if !named(e) {
			return
		}
		if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE {
			l.define(l.info().Defs[id].(*types.Var), text, false)
			return
		}
		l.set(e, text)
	}
	write := func(head string, first func()) string {
		return l.loop(s, label, func() string {
			outer := l.pre
			l.pre = nil
			first()
			begin := strings.Join(l.pre, "\n")
			l.pre = outer
			return head + " {\n" + begin + "\n" + l.stmts(s.Body.List) + "\n}"
		})
	}
	plainVar := func(e ast.Expr) (string, bool) { // a variable that the head may declare
		if e == nil || !named(e) {
			return "", true
		}
		id, ok := e.(*ast.Ident)
		if !ok || s.Tok != token.DEFINE {
			return "", false
		}
		v := l.info().Defs[id].(*types.Var)
		x := l.variable(v)
		return x.name, !x.boxed && !aggregate(l.subst(v.Type()))
	}
	key, okKey := plainVar(s.Key)
	value, okValue := plainVar(s.Value)
	heading := func(key, value, over string) string {
		switch {
		case value != "":
			if key == "" {
				key = "_"
			}
			return "for " + key + ", " + value + " := range " + over
		case key != "":
			return "for " + key + " := range " + over
		}
		return "for range " + over
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Pointer:
		over := l.base(s.X)
		if a, ok := u.(*types.Array); ok && l.info().Types[s.X].Value == nil {
			if s.Value == nil || !named(s.Value) {
				over = fmt.Sprint(a.Len())
				u = types.Typ[types.Int]
			} else if x, ok := ast.Unparen(s.X).(*ast.Ident); !ok || l.touched(s.Body, x) || aggregate(t) {
				if aggregate(t) {
					over = l.pointer(s.X, true)
				} else {
					over = l.let("over", l.expr(s.X))
				}
			}
		}
		if okKey && okValue {
			return write(heading(key, value, over), func() {})
		}
		if !atomicName(over) && u != types.Typ[types.Int] {
			over = l.let("over", over)
		}
		i := key
		if !okKey || i == "" {
			i = l.fresh("i")
		}
		return write("for "+i+" := range "+over, func() {
			if !okKey {
				give(s.Key, i)
			}
			if named(s.Value) {
				text := over + "[" + i + "]"
				if et := elemOf(t); aggregate(et) {
					text = l.copied("&"+text, et)
				}
				give(s.Value, text)
			}
		})
	case *types.Basic:
		over := l.expr(s.X)
		if u.Info()&types.IsString != 0 {
			over = l.let("over", over)
			i := l.fresh("i")
			size := fmt.Sprintf("%s(%s, %s)", l.helper("RuneSize", "func NAME(s string, i int) int {\nfor k := range s[i:] {\nif k > 0 {\nreturn k\n}\n}\nreturn len(s) - i\n}"), over, i)
			return write(fmt.Sprintf("for %s := 0; %s < len(%s); %s += %s", i, i, over, i, size), func() {
				give(s.Key, i)
				give(s.Value, fmt.Sprintf("[]rune(%s[%s:%s+%s])[0]", over, i, i, size))
			})
		}
		if okKey && (s.Key == nil || !named(s.Key) || types.Identical(l.typeOf(s.Key), types.Typ[types.Int])) {
			return write(heading(key, "", over), func() {})
		}
		i := l.fresh("i")
		return write("for "+i+" := range int("+over+")", func() {
			text := i
			if t := l.typeOf(s.Key); !types.Identical(t, types.Typ[types.Int]) {
				text = l.typ(t) + "(" + i + ")"
			}
			give(s.Key, text)
		})
	case *types.Map:
		m := l.simpleText(l.expr(s.X))
		keys := l.let("keys", l.helper("Keys", "func NAME[K comparable, V any](m map[K]V) []K {\nvar keys []K\nfor k := range m {\nkeys = append(keys, k)\n}\nreturn keys\n}")+"("+m+")")
		k := l.fresh("key")
		return write("for _, "+k+" := range "+keys, func() {
			l.emit("if !%s(%s, %s) {\ncontinue\n}", l.has(), m, k)
			give(s.Key, k)
			give(s.Value, m+"["+k+"]")
		})
	}
	l.refuse(s, "a range over this type with active values", "range over a slice")
	return ""
}

// touched reports whether a body assigns to a variable or parts of it.
func (l *lower) touched(body ast.Node, id *ast.Ident) (found bool) {
	o := l.info().Uses[id]
	ast.Inspect(body, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			list = n.Lhs
		case *ast.IncDecStmt:
			list = []ast.Expr{n.X}
		case *ast.CallExpr:
			found = found || l.vars[o.(*types.Var)] != nil && l.vars[o.(*types.Var)].boxed
		}
		for _, e := range list {
			ast.Inspect(e, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && l.info().Uses[id] == o
				return true
			})
		}
		return true
	})
	return found
}

func elemOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Pointer:
		return elemOf(u.Elem())
	case *types.Map:
		return u.Elem()
	}
	return types.Typ[types.Invalid]
}
