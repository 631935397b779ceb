package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
)

// A renderer writes a declaration anew: it copies the source, and what is active
// in it is put in place of what stood there. So comments and layout stay.
type renderer struct {
	*writer
	in      *activity.Instance
	results []*activity.Place
	header  ast.Stmt // the simple statement before a condition, where no declaration can stand
	post    ast.Stmt // that of a loop
	grouped bool     // the declaration at hand is in parentheses
}

func (r *renderer) info() *types.Info { return r.in.Info() }

func (r *renderer) active(e ast.Expr) bool { return r.in.Active(e) }

// pure reports whether e may be evaluated twice.
func (r *renderer) pure(e ast.Expr) bool { return r.prog.Pure(r.in.Pkg, e) }

// ordered reports whether x must be evaluated before y.
func (r *renderer) ordered(x, y ast.Expr) bool { return r.prog.Ordered(r.in.Pkg, x, y) }

func (r *renderer) fault(at token.Pos, what, instead string) { r.a.Fault(r.in, at, what, instead) }

// node is the text of n in the lifted function, with a mark before a statement.
func (r *renderer) node(n ast.Node) string {
	switch n.(type) {
	case *ast.BlockStmt:
	case *ast.AssignStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.ReturnStmt:
		text := r.render(n)
		before := r.commentsLost(n, text)
		if n == r.header || n == r.post {
			before = "" // no line of its own
		}
		return r.mark(r.in, n.Pos()) + before + text
	case ast.Stmt:
		return r.mark(r.in, n.Pos()) + r.render(n)
	}
	return r.render(n)
}

// commentsLost are the comments within n that text does not have, a line each.
func (r *renderer) commentsLost(n ast.Node, text string) (lost string) {
	for _, f := range r.in.Pkg.Syntax {
		if n.Pos() < f.FileStart || n.Pos() >= f.FileEnd {
			continue
		}
		i, _ := slices.BinarySearchFunc(f.Comments, n.Pos(), func(g *ast.CommentGroup, at token.Pos) int { return int(g.Pos() - at) })
		for _, g := range f.Comments[i:] {
			if g.Pos() >= n.End() {
				break
			}
			for _, c := range g.List {
				if !strings.Contains(text, c.Text) {
					said := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*"), "*/")
					lost += "// " + strings.Join(strings.Fields(said), " ") + "\n"
				}
			}
		}
	}
	return lost
}

func (r *renderer) render(n ast.Node) string {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return r.assign(n)
	case *ast.BinaryExpr:
		return r.binary(n)
	case *ast.BlockStmt:
		if r.selects {
			return r.block(n)
		}
	case *ast.CallExpr:
		return r.call(n)
	case *ast.CompositeLit:
		return r.composite(n)
	case *ast.CommClause:
		r.header = n.Comm
	case *ast.ForStmt:
		r.header, r.post = n.Init, n.Post
	case *ast.FuncLit:
		return r.literal(n)
	case *ast.GenDecl:
		defer func(outer bool) { r.grouped = outer }(r.grouped)
		r.grouped = n.Lparen.IsValid()
	case *ast.IfStmt:
		r.header = n.Init
	case *ast.Ident:
		return r.ident(n)
	case *ast.IncDecStmt:
		if r.active(n.X) {
			step := "1"
			if n.Tok == token.DEC {
				step = "-1"
			}
			one := r.constant(step, r.in.TypeOf(n.X))
			switch {
			case !r.pure(n.X):
				return r.update(n.X, token.ADD, one)
			case activity.IsComplex(r.in.TypeOf(n.X)):
				return r.node(n.X) + " = " + r.operand(n.X) + ".Add(" + one + ")"
			}
			return r.node(n.X) + " = " + r.operand(n.X) + ".AddReal(" + step + ")"
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		if s, ok := r.value(n.(ast.Expr)); ok {
			return s
		}
	case *ast.KeyValueExpr:
		return r.children(n)
	case *ast.RangeStmt:
		return r.rangeOver(n)
	case *ast.ReturnStmt:
		return r.ret(n)
	case *ast.SelectorExpr:
		return r.selector(n)
	case *ast.SwitchStmt:
		r.header = n.Init
		if n.Tag != nil && (r.active(n.Tag) || slices.ContainsFunc(n.Body.List, func(c ast.Stmt) bool {
			return slices.ContainsFunc(c.(*ast.CaseClause).List, r.active)
		})) {
			return r.switchOn(n)
		}
	case *ast.TypeSpec:
		return r.localType(n)
	case *ast.TypeSwitchStmt:
		r.header = n.Init
		return r.typeSwitch(n)
	case *ast.UnaryExpr:
		if r.active(n) {
			switch n.Op {
			case token.SUB:
				return r.operand(n.X) + ".Neg()"
			case token.ADD:
				return r.node(n.X)
			}
		}
	case *ast.ValueSpec:
		return r.valueSpec(n)
	}
	return r.children(n)
}

// children copies n, with its children as they are written here.
func (r *renderer) children(n ast.Node) string {
	var kids []ast.Node
	ast.Inspect(n, func(c ast.Node) bool {
		if c == n {
			return true
		}
		if _, comment := c.(*ast.CommentGroup); c != nil && !comment {
			kids = append(kids, c)
		}
		return false
	})
	slices.SortFunc(kids, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	var b strings.Builder
	at := n.Pos()
	for _, k := range kids {
		b.WriteString(r.prog.Text(at, k.Pos()))
		b.WriteString(r.node(k))
		at = k.End()
	}
	b.WriteString(r.prog.Text(at, n.End()))
	return b.String()
}

// operand is e as what a method is called on.
func (r *renderer) operand(e ast.Expr) string {
	s := r.node(e)
	switch x := e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.ParenExpr, *ast.CallExpr, *ast.BinaryExpr:
		return unparen(s)
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			return s
		}
	}
	return "(" + s + ")"
}

// unparen leaves out the parentheses of what needs none before a dot.
func unparen(s string) string {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return s
	}
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 || depth == 1 && strings.ContainsRune("*&-+!<{", c) {
			return s
		}
	}
	return s[1 : len(s)-1]
}

// bare is e without parentheses around it, as an argument.
func (r *renderer) bare(e ast.Expr) string { return r.node(ast.Unparen(e)) }

// real is a passive number as an argument of type float64 or complex128.
func (r *renderer) real(e ast.Expr) string {
	s := r.bare(e)
	if _, ok := ast.Unparen(e).(*ast.BasicLit); ok {
		return s
	}
	t := r.in.TypeOf(e)
	return r.basic(s, t)
}

// basic is s, a number of type t, as a float64 or complex128.
func (r *renderer) basic(s string, t types.Type) string {
	b, ok := types.Unalias(t).(*types.Basic)
	switch {
	case ok && (b.Kind() == types.Float64 || b.Kind() == types.Complex128 || b.Info()&types.IsUntyped != 0):
		return s
	case activity.IsComplex(t):
		return "complex128(" + s + ")"
	}
	return "float64(" + s + ")"
}

// to is e as a value for dst: a passive number becomes a constant where dst is
// active.
func (r *renderer) to(e ast.Expr, dst *activity.Place) string {
	if dst.Active() && !r.active(e) {
		return r.constantFrom(e)
	}
	if src := r.in.Exprs[e]; dst.HoldsActive() && src != nil && !src.HoldsActive() {
		return r.made(r.node(e), dst, src, r.in.TypeOf(e))
	}
	return r.node(e)
}

// ofVariable is what may be written several times: a variable, its fields and elements.
var ofVariable = regexp.MustCompile(`^[\pL_][\pL_\d.]*(\[\d+\][\pL_\d.]*)*$`)

// made is a value for dst made of x, of type t, whose numbers are passive, at src.
func (r *renderer) made(x string, dst, src *activity.Place, t types.Type) string {
	switch {
	case !dst.HoldsActive() || dst.Kind() != src.Kind():
		return x
	case dst.Active():
		return r.constant(r.basic(x, t), t)
	}
	part := func(x string, dst, src *activity.Place, t types.Type) string {
		if src.HoldsActive() { // shared with what is active
			return x
		}
		return r.made(x, dst, src, t)
	}
	to, body := r.byShape(dst, t), ""
	switch u := t.Underlying().(type) {
	case *types.Struct:
		from := "v"
		if ofVariable.MatchString(x) {
			from = x
		}
		var parts []string
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() != "_" {
				parts = append(parts, f.Name()+": "+part(from+"."+f.Name(), dst.Fields()[i], src.Fields()[i], f.Type()))
			}
		}
		if from == x {
			return to + "{" + strings.Join(parts, ", ") + "}"
		}
		return "func(v " + r.typeString(t) + ") " + to + " { return " + to + "{" + strings.Join(parts, ", ") + "} }(" + x + ")"
	case *types.Array:
		body = "var w " + to
	case *types.Slice, *types.Map:
		if t, ok := t.(*types.Slice); ok && dst.Elem().Active() && types.Identical(t.Elem(), types.Typ[types.Float64]) {
			return r.dual() + ".Consts[" + r.T + "](nil, " + x + ")"
		}
		body = "if v == nil {\nreturn nil\n}\nw := make(" + to + ", len(v))"
	default:
		return x
	}
	elem := t.Underlying().(interface{ Elem() types.Type }).Elem()
	return "func(v " + r.typeString(t) + ") " + to + " {\n" + body + "\nfor i, e := range v {\nw[i] = " + part("e", dst.Elem(), src.Elem(), elem) + "\n}\nreturn w\n}(" + x + ")"
}

// constantFrom is the passive number e as an active one.
func (r *renderer) constantFrom(e ast.Expr) string { return r.constant(r.real(e), r.in.TypeOf(e)) }

// constant is the number c, of type t, as an active one.
func (r *renderer) constant(c string, t types.Type) string {
	switch {
	case activity.IsComplex(t):
		return r.dual() + ".ConstComplex[" + r.T + "](" + c + ")"
	case r.generic:
		return r.dual() + ".Const[" + r.T + "](" + c + ")"
	case strings.HasSuffix(r.T, ".Real"):
		return r.T + "(" + c + ")"
	}
	return r.helper("const") + "(" + c + ")" // which Go inlines
}

// activeOperand is e as an active number that a method is called on.
func (r *renderer) activeOperand(e ast.Expr) string {
	if r.active(e) {
		return r.operand(e)
	}
	return r.constantFrom(e)
}

// activeArgument is e as an active number that is an argument.
func (r *renderer) activeArgument(e ast.Expr) string {
	if r.active(e) {
		return r.bare(e)
	}
	return r.constantFrom(e)
}

// An operator is the methods for it: of two active numbers, of an active one and a
// passive right operand, and of an active one and a passive left operand.
type operator struct{ both, right, left string }

var operators = map[token.Token]operator{
	token.ADD: {"Add", "AddReal", "AddReal"},
	token.SUB: {"Sub", "SubReal", "RSub"},
	token.MUL: {"Mul", "Scale", "Scale"},
	token.QUO: {"Div", "", "RDiv"}, // a quotient by a constant is not the product with its inverse
}

func (r *renderer) binary(e *ast.BinaryExpr) string {
	if x, y := r.in.Exprs[e.X], r.in.Exprs[e.Y]; (e.Op == token.EQL || e.Op == token.NEQ) && !x.Active() && !y.Active() && (x.HoldsActive() || y.HoldsActive()) {
		switch t := r.in.TypeOf(e.X); t.Underlying().(type) {
		case *types.Struct, *types.Array:
			r.once(e.X)
			r.once(e.Y)
			same := "(" + strings.Join(r.equalParts("("+r.node(e.X)+")", "("+r.node(e.Y)+")", x, y, t), " && ") + ")"
			if e.Op == token.NEQ {
				same = "!" + same
			}
			return same
		}
	}
	if !r.active(e.X) && !r.active(e.Y) || r.info().Types[e].Value != nil {
		return r.children(e)
	}
	if op, ok := operators[e.Op]; ok {
		return r.arithmetic(e, op)
	}
	switch e.Op {
	case token.LSS:
		return r.less(e.X, e.Y, "Less")
	case token.LEQ:
		return r.less(e.X, e.Y, "LessEq")
	case token.GTR:
		if r.ordered(e.X, e.Y) {
			return r.compare("greater", e)
		}
		return r.less(e.Y, e.X, "Less")
	case token.GEQ:
		if r.ordered(e.X, e.Y) {
			return r.compare("greaterEq", e)
		}
		return r.less(e.Y, e.X, "LessEq")
	case token.EQL:
		return r.equal(r.in.TypeOf(e.X), r.activeArgument(e.X), r.activeArgument(e.Y))
	case token.NEQ:
		return "!" + r.equal(r.in.TypeOf(e.X), r.activeArgument(e.X), r.activeArgument(e.Y))
	}
	return r.children(e)
}

func (r *renderer) arithmetic(e *ast.BinaryExpr, op operator) string {
	method := func(recv ast.Expr, name, arg string) string { return r.operand(recv) + "." + name + "(" + arg + ")" }
	x, y := r.active(e.X), r.active(e.Y)
	switch {
	case activity.IsComplex(r.in.TypeOf(e.X)):
		return r.activeOperand(e.X) + "." + op.both + "(" + r.activeArgument(e.Y) + ")"
	case !x && r.ordered(e.X, e.Y):
		return r.constantFrom(e.X) + "." + op.both + "(" + r.bare(e.Y) + ")"
	case !x:
		return method(e.Y, op.left, r.real(e.X))
	case !y && op.right != "":
		return method(e.X, op.right, r.real(e.Y))
	case x && y && e.Op == token.MUL:
		if s := r.bare(e.X); plain(e.X) && s == r.bare(e.Y) {
			return method(e.X, "Square", "")
		}
	}
	return method(e.X, op.both, r.activeArgument(e.Y))
}

// equalParts compares the parts of two structs or arrays.
func (r *renderer) equalParts(x, y string, p, q *activity.Place, t types.Type) (parts []string) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if p.Kind() != activity.Record {
			break
		}
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() != "_" {
				parts = append(parts, r.equalParts(x+"."+f.Name(), y+"."+f.Name(), p.Fields()[i], q.Fields()[i], f.Type())...)
			}
		}
		return parts
	case *types.Array:
		if p.Kind() != activity.Holder {
			break
		}
		for i := range u.Len() {
			at := fmt.Sprintf("[%d]", i)
			parts = append(parts, r.equalParts(x+at, y+at, p.Elem(), q.Elem(), u.Elem())...)
		}
		return parts
	}
	if p.Active() || q.Active() {
		if !p.Active() {
			x = r.constant(r.basic(x, t), t)
		}
		if !q.Active() {
			y = r.constant(r.basic(y, t), t)
		}
		return []string{r.equal(t, x, y)}
	}
	return []string{x + " == " + y}
}

// equal is x == y of active numbers.
func (r *renderer) equal(t types.Type, x, y string) string {
	helper := "equal"
	if activity.IsComplex(t) {
		helper = "equalComplex"
	}
	return r.helper(helper) + "(" + x + ", " + y + ")"
}

// compare is a function of both operands, which are evaluated in their order.
func (r *renderer) compare(helper string, e *ast.BinaryExpr) string {
	return r.helper(helper) + "(" + r.activeArgument(e.X) + ", " + r.activeArgument(e.Y) + ")"
}

// less is x < y, or x ≤ y.
func (r *renderer) less(x, y ast.Expr, method string) string {
	if !r.active(y) {
		return r.operand(x) + "." + method + "Real(" + r.real(y) + ")"
	}
	return r.activeOperand(x) + "." + method + "(" + r.bare(y) + ")"
}

// plain reports whether e may be evaluated twice: variables, fields and elements.
func plain(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit, *ast.CompositeLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		}
		return ok
	})
	return ok
}

var opAssign = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
}

func (r *renderer) assign(s *ast.AssignStmt) string {
	if op, ok := opAssign[s.Tok]; ok && r.active(s.Lhs[0]) {
		y := s.Rhs[0]
		if !r.pure(s.Lhs[0]) {
			return r.update(s.Lhs[0], op, r.activeArgument(y))
		}
		e := &ast.BinaryExpr{X: s.Lhs[0], Op: op, OpPos: s.TokPos, Y: y}
		return r.node(s.Lhs[0]) + " = " + r.binary(e)
	}
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		return r.assignMany(s)
	}
	var lhs, rhs []string
	for i, e := range s.Lhs {
		lhs = append(lhs, r.node(e))
		rhs = append(rhs, r.to(s.Rhs[i], r.in.Exprs[e]))
	}
	if id, ok := s.Lhs[0].(*ast.Ident); ok && s.Tok == token.DEFINE && len(s.Lhs) == 1 && r.active(id) && !r.active(s.Rhs[0]) && isZero(r.info().Types[s.Rhs[0]]) && r.header != s {
		return "var " + id.Name + " " + r.number(r.in.Exprs[id])
	}
	return strings.Join(lhs, ", ") + " " + s.Tok.String() + " " + strings.Join(rhs, ", ")
}

// update is x = x op y where x must be evaluated once.
func (r *renderer) update(x ast.Expr, op token.Token, y string) string {
	x = ast.Unparen(x)
	if i, ok := x.(*ast.IndexExpr); ok {
		if _, ok := r.in.TypeOf(i.X).Underlying().(*types.Map); ok {
			r.fault(x.Pos(), "an assignment with an operation to an element of a map whose key is the result of a call", "write the key into a variable first")
			return ""
		}
	}
	if activity.IsComplex(r.in.TypeOf(x)) {
		r.fault(x.Pos(), "an assignment with an operation to a complex number whose place is the result of a call", "write the index or pointer into a variable first")
		return ""
	}
	helper := map[token.Token]string{token.ADD: "increase", token.SUB: "decrease", token.MUL: "multiply", token.QUO: "divide"}[op]
	address := "&" + r.node(x)
	if p, ok := x.(*ast.StarExpr); ok {
		address = r.bare(p.X)
	}
	return r.helper(helper) + "(" + address + ", " + y + ")"
}

func isZero(tv types.TypeAndValue) bool { return tv.Value != nil && tv.Value.String() == "0" }

// assignMany is an assignment of several values of one expression.
func (r *renderer) assignMany(s *ast.AssignStmt) string {
	var lhs, rhs []string
	var dst []*activity.Place
	c, op, spelled := r.severalOf(s.Rhs[0])
	spelled = spelled && len(op.text) > 1 && r.pure(c.Args[0])
	for i, e := range s.Lhs {
		dst = append(dst, r.in.Exprs[e])
		if spelled && isBlank(e) {
			continue
		}
		if lhs = append(lhs, r.node(e)); spelled {
			rhs = append(rhs, r.operation(c, op, i))
		}
	}
	if !spelled || len(lhs) == 0 {
		return r.list(s.Lhs) + " " + s.Tok.String() + " " + r.several(s.Rhs[0], dst)
	}
	return strings.Join(lhs, ", ") + " " + s.Tok.String() + " " + strings.Join(rhs, ", ")
}

// list is expressions with commas between them.
func (r *renderer) list(l []ast.Expr) string {
	var s []string
	for _, e := range l {
		s = append(s, r.node(e))
	}
	return strings.Join(s, ", ")
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// severalOf is the operation with several results that e calls.
func (r *renderer) severalOf(e ast.Expr) (c *ast.CallExpr, op operation, ok bool) {
	if c, ok = ast.Unparen(e).(*ast.CallExpr); !ok {
		return nil, op, false
	}
	if fn := r.callee(c); fn != nil {
		op, _ = elementary(fn)
	}
	return c, op, op.helper != "" && r.anyActive(c.Args)
}

// several is the values of e, an expression with several, for dst: where a passive number
// becomes active on the way, by a function literal that makes it a constant.
func (r *renderer) several(e ast.Expr, dst []*activity.Place) string {
	text := ""
	if c, op, ok := r.severalOf(e); ok {
		text = r.helper(op.helper) + "(" + r.bare(c.Args[0]) + ")"
	} else {
		text = r.node(e)
	}
	becomes := func(i int, p *activity.Place) bool {
		return i < len(dst) && dst[i].Active() && p.Kind() == activity.Number && !p.Active()
	}
	places := slices.Clone(r.in.Tuples[e])
	var names, values, results []string
	for i, p := range places {
		name := fmt.Sprintf("r%d", i)
		for r.taken[name] {
			name += "_"
		}
		names, values = append(names, name), append(values, name)
		if becomes(i, p) {
			places[i], values[i] = dst[i], r.constant(name, dst[i].Type())
		}
	}
	if slices.Equal(names, values) {
		return text
	}
	tuple, _ := r.info().TypeOf(e).(*types.Tuple)
	for i, p := range places {
		t := types.Type(types.Typ[types.Bool]) // of v, ok
		switch {
		case tuple != nil:
			t = activity.Substitute(tuple.At(i).Type(), r.in.Env)
		case i == 0:
			t = r.in.TypeOf(e)
		}
		results = append(results, r.byShape(p, t))
	}
	return "func() (" + strings.Join(results, ", ") + ") { " + strings.Join(names, ", ") + " := " + text + "; return " + strings.Join(values, ", ") + " }()"
}

func (r *renderer) ret(s *ast.ReturnStmt) string {
	if len(s.Results) == 0 {
		return "return"
	}
	if len(s.Results) == 1 && len(r.results) > 1 {
		return "return " + r.several(s.Results[0], r.results)
	}
	var v []string
	for i, e := range s.Results {
		v = append(v, r.to(e, r.results[i]))
	}
	return "return " + strings.Join(v, ", ")
}

// valueSpec writes variables of one declaration. Where their types differ now, their
// values say which they have.
func (r *renderer) valueSpec(s *ast.ValueSpec) string {
	var dst []*activity.Place
	var names, texts, values []string
	active := false
	for i, n := range s.Names {
		p := r.in.Vars[r.info().Defs[n]]
		active = active || p.HoldsActive()
		dst, names = append(dst, p), append(names, n.Name)
		if s.Type != nil {
			texts = append(texts, r.typ(p, s.Type))
		}
		if len(s.Values) == len(s.Names) {
			values = append(values, r.to(s.Values[i], p))
		}
	}
	if !active {
		return r.children(s)
	}
	if len(s.Values) == 1 && len(s.Names) > 1 {
		values = []string{r.several(s.Values[0], dst)}
	}
	mixed := len(texts) > 0 && slices.ContainsFunc(texts, func(t string) bool { return t != texts[0] })
	switch {
	case mixed && len(values) == 0:
		between := "\nvar "
		if r.grouped {
			between = "\n"
		}
		for i := range names {
			names[i] += " " + texts[i]
		}
		return strings.Join(names, between)
	case mixed && len(values) == 1:
		if t, ok := r.info().TypeOf(s.Values[0]).(*types.Tuple); ok {
			for i := range t.Len() {
				if !types.Identical(t.At(i).Type(), r.info().TypeOf(s.Type)) {
					r.fault(s.Pos(), "variables of one declaration, some active, whose values have other types", "declare them one by one")
				}
			}
		}
	case mixed:
		for i, v := range s.Values {
			if tv := r.info().Types[v]; !dst[i].Active() && (tv.Value != nil || tv.IsNil() || !types.Identical(tv.Type, r.info().TypeOf(s.Type))) {
				values[i] = asConversion(texts[i]) + "(" + values[i] + ")"
			}
		}
	}
	text := strings.Join(names, ", ")
	if len(texts) > 0 && !mixed {
		text += " " + texts[0]
	}
	if len(values) > 0 {
		text += " = " + strings.Join(values, ", ")
	}
	return text
}

// rangeOver writes a loop. A variable that is active, of what is not, is made of one that
// is not.
func (r *renderer) rangeOver(s *ast.RangeStmt) string {
	from := r.in.Ranges[s]
	becomes := func(e ast.Expr, p *activity.Place) bool {
		to := r.in.Exprs[e]
		return e != nil && to.HoldsActive() && p != nil && !p.HoldsActive() && p.Kind() == to.Kind()
	}
	if !becomes(s.Key, from.Key) && !becomes(s.Value, from.Value) {
		return r.children(s)
	}
	var variables, first string
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil {
			continue
		}
		p := []*activity.Place{from.Key, from.Value}[i]
		target, name := r.node(e), "value"
		if id, ok := e.(*ast.Ident); ok {
			name = id.Name
		}
		if name += "Real"; becomes(e, p) {
			first += target + " " + s.Tok.String() + " " + r.made(r.free(name), r.in.Exprs[e], p, r.in.TypeOf(e)) + "; "
		} else if s.Tok == token.ASSIGN && !isBlank(e) {
			first += target + " = " + r.free(name) + "; "
		} else {
			name = target
		}
		if i > 0 {
			variables += ", "
		}
		variables += r.free(name)
	}
	return "for " + variables + " := range " + r.node(s.X) + " {\n" + first + strings.TrimPrefix(r.node(s.Body), "{")
}

// free is name, or one like it that no variable has.
func (r *renderer) free(name string) string {
	if name == "_" || !strings.HasSuffix(name, "Real") {
		return name
	}
	for r.taken[name] {
		name += "_"
	}
	return name
}

// switchOn writes a switch in which active numbers are compared as one over conditions.
func (r *renderer) switchOn(s *ast.SwitchStmt) string {
	var b strings.Builder
	b.WriteString("switch ")
	tag := r.activeArgument(s.Tag)
	switch {
	case s.Init != nil:
		r.once(s.Tag)
		b.WriteString(r.node(s.Init) + "; ")
	case !plain(s.Tag) || slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool {
		return slices.ContainsFunc(c.(*ast.CaseClause).List, func(e ast.Expr) bool { return !r.pure(e) })
	}):
		name := r.free("tagReal")
		b.WriteString(name + " := " + tag + "; ")
		tag = name
	}
	b.WriteString("{\n")
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		var conditions []string
		for _, e := range c.List {
			conditions = append(conditions, r.equal(r.in.TypeOf(s.Tag), tag, r.activeArgument(e)))
		}
		head := "case " + strings.Join(conditions, ", ") + ":"
		if c.List == nil {
			head = "default:"
		}
		b.WriteString(head + r.clause(c) + "\n")
	}
	b.WriteString("}")
	return b.String()
}

// clause is the statements of a case.
func (r *renderer) clause(c *ast.CaseClause) string {
	s := ""
	at := c.Colon + 1
	for _, t := range c.Body {
		s += r.prog.Text(at, t.Pos()) + r.node(t)
		at = t.End()
	}
	return s + r.prog.Text(at, c.End())
}

// typeSwitch writes a switch over types whose variable is a number that becomes active.
func (r *renderer) typeSwitch(s *ast.TypeSwitchStmt) string {
	bound, ok := s.Assign.(*ast.AssignStmt)
	if !ok || !slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool { return r.in.Vars[r.info().Implicits[c]].Active() }) {
		return r.children(s)
	}
	init, name := "", bound.Lhs[0].(*ast.Ident).Name
	if s.Init != nil {
		init = r.node(s.Init) + "; "
	}
	real := r.free(name + "Real")
	text := "switch " + init + real + " := " + r.node(bound.Rhs[0]) + " {\n"
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		head := "default:"
		if c.List != nil {
			head = "case " + r.list(c.List) + ":"
		}
		v, value := r.info().Implicits[c], real
		if r.in.Vars[v].Active() {
			value = r.constant(real, v.Type())
		}
		if uses(r.info(), c, v) {
			head += "\n" + name + " := " + value + ";"
		}
		text += head + r.clause(c) + "\n"
	}
	return text + "}"
}

// uses reports whether n mentions o.
func uses(info *types.Info, n ast.Node, o types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && info.Uses[id] == o
		return !found
	})
	return found
}

func (r *renderer) composite(e *ast.CompositeLit) string {
	p := r.in.Exprs[e]
	if !p.HoldsActive() {
		return r.children(e)
	}
	at := p
	if _, ok := r.in.TypeOf(e).Underlying().(*types.Pointer); ok {
		at = p.Elem()
	}
	var b strings.Builder
	pos := e.Lbrace
	if e.Type != nil {
		b.WriteString(r.typ(p, e.Type))
	}
	fields, _ := activity.Deref(r.in.TypeOf(e)).Underlying().(*types.Struct)
	for i, x := range e.Elts {
		b.WriteString(r.prog.Text(pos, x.Pos()))
		v := x
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			v = kv.Value
			if fields == nil {
				b.WriteString(r.node(kv.Key))
			} else {
				name := kv.Key.(*ast.Ident).Name
				i = activity.FieldIndex(fields, name)
				b.WriteString(name)
			}
			b.WriteString(r.prog.Text(kv.Key.End(), v.Pos()))
		}
		dst := at.Elem()
		if fields != nil {
			dst = at.Fields()[i]
		}
		b.WriteString(r.to(v, dst))
		pos = x.End()
	}
	b.WriteString(r.prog.Text(pos, e.End()))
	return b.String()
}

func (r *renderer) literal(e *ast.FuncLit) string {
	sig := r.info().TypeOf(e).(*types.Signature)
	outer := r.results
	r.results = nil
	for i := range sig.Results().Len() {
		r.results = append(r.results, r.in.Vars[sig.Results().At(i)])
	}
	var params, results []*activity.Place
	if p := r.in.Exprs[e]; p.Kind() == activity.Function {
		params, results = p.Params(), p.Results()
	}
	s := "func" + r.signature(e.Type, params, results) + " " + r.node(e.Body)
	r.results = outer
	return s
}

// signature is the parameters and results of a function with these places, nil where there are
// no numbers.
func (r *renderer) signature(t *ast.FuncType, params, results []*activity.Place) string {
	s := "(" + r.tuple(t.Params, params) + ")"
	if t.Results != nil {
		out := r.tuple(t.Results, results)
		if t.Results.NumFields() > 1 || len(t.Results.List[0].Names) > 0 {
			out = "(" + out + ")"
		}
		s += " " + out
	}
	return s
}

// tuple is a list of parameters, each group of one type as it was written unless
// only some of it is active.
func (r *renderer) tuple(f *ast.FieldList, places []*activity.Place) string {
	var parts []string
	at := 0
	for _, field := range f.List {
		n := max(1, len(field.Names))
		texts := make([]string, n)
		for k := range n {
			var p *activity.Place
			if places != nil {
				p = places[at+k]
			}
			texts[k] = r.typ(p, field.Type)
		}
		for k := 0; k < n; {
			j := k + 1
			for j < n && texts[j] == texts[k] {
				j++
			}
			part := texts[k]
			if len(field.Names) > 0 {
				var names []string
				for _, id := range field.Names[k:j] {
					names = append(names, r.parameter(r.info().Defs[id]))
				}
				part = strings.Join(names, ", ") + " " + part
			}
			parts = append(parts, part)
			k = j
		}
		at += n
	}
	return strings.Join(parts, ", ")
}

func (r *renderer) callee(e *ast.CallExpr) *types.Func {
	fn, _ := r.in.Function(e.Fun)
	return fn
}

func (r *renderer) anyActive(l []ast.Expr) bool {
	return slices.ContainsFunc(l, func(e ast.Expr) bool { return r.in.Exprs[e].HoldsActive() })
}

func (r *renderer) call(e *ast.CallExpr) string {
	info := r.info()
	if info.Types[e].Value != nil {
		return r.children(e)
	}
	if info.Types[e.Fun].IsType() {
		return r.conversion(e)
	}
	if name := activity.Builtin(info, e.Fun); name != "" {
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
			r.predeclared(id)
		}
		return r.builtin(e, name)
	}
	if fn := r.callee(e); fn != nil {
		if _, ok := printing(fn); ok {
			return r.print(e, false)
		}
		if op, ok := elementary(fn); ok {
			if !r.anyActive(e.Args) {
				return r.children(e)
			}
			return r.operation(e, op, 0)
		}
	}
	c := r.in.Calls[e]
	if c == nil { // of a function value, or an interface's method
		fun := r.in.Exprs[e.Fun]
		if fun.Kind() != activity.Function {
			return r.children(e)
		}
		return r.node(e.Fun) + "(" + r.arguments(e, fun.Params(), info.TypeOf(e.Fun).Underlying().(*types.Signature).Variadic()) + ")"
	}
	sig := c.Fn.Type().(*types.Signature)
	if c.Callee == nil {
		if s, ok := r.passive(e, c); ok {
			return s
		}
		return r.children(e)
	}
	if c.Callee.Decl == nil {
		return ""
	}
	if r.parametric(e, c) {
		return r.object(c.Fn) + "(" + r.arguments(e, c.Callee.Params, sig.Variadic()) + ")"
	}
	l := r.function(c.Callee)
	args := r.arguments(e, c.Callee.Params, sig.Variadic())
	name := l.value()
	if slices.ContainsFunc(e.Args, r.typed) || sig.Recv() != nil && c.Recv.HoldsActive() || l.bare {
		name = l.name // Go infers the type argument
	}
	if sig.Recv() == nil {
		return name + "(" + args + ")"
	}
	s := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	m, path, _ := r.in.Method(s)
	if l.method {
		recv, _ := r.receiver(s, path)
		return recv + "." + l.name + "(" + args + ")"
	}
	if args != "" {
		args = ", " + args
	}
	return name + "(" + r.methodReceiver(s, m, path) + args + ")"
}

// typed reports whether e, an argument, has a type in which active numbers occur.
func (r *renderer) typed(e ast.Expr) bool {
	return r.in.Exprs[e].HoldsActive() || slices.ContainsFunc(r.in.Tuples[e], (*activity.Place).HoldsActive)
}

// receiver is what the method that s selects is called on, with the embedded fields on the
// way, and its type.
func (r *renderer) receiver(s *ast.SelectorExpr, path []int) (string, types.Type) {
	x, t := r.operand(s.X), r.in.TypeOf(s.X)
	for _, i := range path {
		f := activity.Deref(t).Underlying().(*types.Struct).Field(i)
		x, t = x+"."+f.Name(), f.Type()
	}
	return x, t
}

// methodReceiver is the receiver as a function takes it that has become of a method.
func (r *renderer) methodReceiver(s *ast.SelectorExpr, m *types.Func, path []int) string {
	x, t := r.receiver(s, path)
	switch want, have := activity.IsPointer(m.Signature().Recv().Type()), activity.IsPointer(t); {
	case want && !have:
		return "&" + x
	case have && !want:
		return "*" + x
	}
	return x
}

func (r *renderer) arguments(e *ast.CallExpr, params []*activity.Place, variadic bool) string {
	if r.in.Tuples[firstArg(e)] != nil && len(e.Args) == 1 { // f(g())
		dst := slices.Clone(params)
		if variadic {
			for i := len(params) - 1; i < len(r.in.Tuples[e.Args[0]]); i++ {
				dst = append(dst[:i], params[len(params)-1].Elem())
			}
		}
		return r.several(e.Args[0], dst)
	}
	var v []string
	for i, x := range e.Args {
		var p *activity.Place
		switch {
		case variadic && !e.Ellipsis.IsValid() && i >= len(params)-1:
			p = params[len(params)-1].Elem()
		case i < len(params):
			p = params[i]
		}
		v = append(v, r.to(x, p))
	}
	s := strings.Join(v, ", ")
	if e.Ellipsis.IsValid() {
		s += "..."
	}
	return s
}

func firstArg(e *ast.CallExpr) ast.Expr {
	if len(e.Args) == 0 {
		return nil
	}
	return e.Args[0]
}

func (r *renderer) conversion(e *ast.CallExpr) string {
	x := e.Args[0]
	if r.active(x) {
		if r.active(e) {
			return r.node(x)
		}
		return r.node(e.Fun) + "(" + r.operand(x) + ".Value())"
	}
	if p := r.in.Exprs[e]; p.HoldsActive() && p.Kind() != activity.Number {
		return asConversion(r.typ(p, e.Fun)) + "(" + r.node(x) + ")"
	}
	return r.children(e)
}

// asConversion is a type as it stands in a conversion.
func asConversion(t string) string {
	if strings.HasPrefix(t, "*") || strings.HasPrefix(t, "func") || strings.HasPrefix(t, "chan") || strings.HasPrefix(t, "<-") {
		return "(" + t + ")"
	}
	return t
}

func (r *renderer) builtin(e *ast.CallExpr, name string) string {
	p := r.in.Exprs[e]
	switch name {
	case "complex":
		if !p.Active() {
			break
		}
		return r.dual() + ".NewComplex(" + r.activeArgument(e.Args[0]) + ", " + r.activeArgument(e.Args[1]) + ")"
	case "real", "imag":
		if !p.Active() {
			break
		}
		return r.operand(e.Args[0]) + map[string]string{"real": ".Re", "imag": ".Im"}[name]
	case "panic":
		return "panic(" + r.text(e.Args[0]) + ")"
	case "append":
		s := p
		if !s.HoldsActive() {
			break
		}
		v := []string{r.node(e.Args[0])}
		if r.info().Types[e.Args[0]].IsNil() {
			v[0] = "nil"
		}
		for i, x := range e.Args[1:] {
			if e.Ellipsis.IsValid() && i == len(e.Args)-2 {
				v = append(v, r.to(x, s)+"...")
				continue
			}
			v = append(v, r.to(x, s.Elem()))
		}
		return "append(" + strings.Join(v, ", ") + ")"
	case "copy":
		to := r.in.Exprs[e.Args[0]]
		if !to.HoldsActive() {
			break
		}
		return "copy(" + r.node(e.Args[0]) + ", " + r.to(e.Args[1], to) + ")"
	case "make", "new":
		if !p.HoldsActive() {
			break
		}
		t := p
		if name == "new" {
			if t = p.Elem(); !r.info().Types[e.Args[0]].IsType() {
				return "new(" + r.to(e.Args[0], t) + ")"
			}
		}
		v := []string{r.typ(t, e.Args[0])}
		for _, x := range e.Args[1:] {
			v = append(v, r.node(x))
		}
		return name + "(" + strings.Join(v, ", ") + ")"
	case "min", "max":
		if !p.Active() {
			break
		}
		s := ""
		for i, x := range e.Args {
			switch {
			case i == 0:
				s = r.activeOperand(x)
			case name == "min":
				s += ".Min(" + r.activeArgument(x) + ")"
			default:
				s += ".Max(" + r.activeArgument(x) + ")"
			}
		}
		return s
	}
	return r.children(e)
}

// operation is result i of an elementary function.
func (r *renderer) operation(e *ast.CallExpr, op operation, i int) string {
	if op.method == "IsInf" {
		return r.isInf(e)
	}
	if op.method == "Pow" && !r.active(e.Args[1]) && !activity.IsComplex(r.in.TypeOf(e)) {
		return r.operand(e.Args[0]) + ".PowReal(" + r.real(e.Args[1]) + ")"
	}
	if op.method != "" {
		var args []string
		for _, x := range e.Args[1:] {
			args = append(args, r.activeArgument(x))
		}
		return r.activeOperand(e.Args[0]) + "." + op.method + "(" + strings.Join(args, ", ") + ")"
	}
	s := op.text[i]
	for k, x := range e.Args {
		if strings.Count(s, fmt.Sprintf("$%d", k+1)) > 1 {
			r.once(x)
		}
	}
	if rest, ok := strings.CutPrefix(s, "dual."); ok {
		s = r.dual() + "." + rest
	} else if rest, ok := strings.CutPrefix(s, "&"); ok {
		name, arguments, _ := strings.Cut(rest, "(")
		s = r.helper(name) + "(" + arguments
	}
	for k, x := range e.Args {
		arg := r.node(x)
		switch p := r.in.Exprs[x]; {
		case p.Active():
			arg = r.operand(x)
		case !op.all:
		case p.Kind() == activity.Number:
			arg = r.constantFrom(x)
		case !p.HoldsActive():
			arg = r.dual() + ".Consts[" + r.T + "](nil, " + arg + ")"
		}
		s = strings.ReplaceAll(s, fmt.Sprintf("$%d", k+1), arg)
	}
	return s
}

// text is e, which nothing but people read if it is made by a print.
func (r *renderer) text(e ast.Expr) string {
	if c := asCall(e); c != nil {
		if _, ok := printing(r.callee(c)); ok {
			return r.print(c, true)
		}
	}
	return r.bare(e)
}

// print writes a call of a print, which takes the values of active numbers; shown says that
// nothing but people read its text.
func (r *renderer) print(e *ast.CallExpr, shown bool) string {
	if !slices.ContainsFunc(e.Args, r.typed) {
		return r.children(e)
	}
	fn := r.callee(e)
	if alone, _ := printing(fn); alone {
		shown = true
	}
	if s, ok := ast.Unparen(e.Args[0]).(*ast.SelectorExpr); ok && strings.HasPrefix(fn.Name(), "Fprint") {
		o := r.info().Uses[s.Sel]
		shown = o != nil && o.Pkg() != nil && o.Pkg().Path() == "os" // os.Stderr
	}
	var args []string
	for _, x := range e.Args {
		args = append(args, r.printed(x, shown))
	}
	dots := ""
	if e.Ellipsis.IsValid() {
		dots = "..."
	}
	return r.node(e.Fun) + "(" + strings.Join(args, ", ") + dots + ")"
}

// printed is an argument of a print.
func (r *renderer) printed(x ast.Expr, shown bool) string {
	p, t := r.in.Exprs[x], r.in.TypeOf(x)
	if len(r.in.Tuples[x]) > 1 {
		r.fault(x.Pos(), "a print of several results", "write them into variables first")
	}
	value := func(x string) string {
		if shown {
			return r.dual() + ".Shown(" + x + ")"
		}
		return x + ".Value()"
	}
	switch {
	case !p.HoldsActive():
		if shown {
			return r.text(x)
		}
		return r.bare(x)
	case !p.Active():
		if !types.Identical(t, types.NewSlice(types.Typ[types.Float64])) {
			r.fault(x.Pos(), inPrint, "print its numbers")
		}
		if shown {
			return r.helper("shown") + "(" + r.bare(x) + ")"
		}
		return r.helper("values") + "(" + r.bare(x) + ")"
	}
	text := ""
	if activity.IsComplex(t) {
		r.once(x)
		text = "complex(" + value(r.operand(x)+".Re") + ", " + value(r.operand(x)+".Im") + ")"
	} else {
		text = value(r.operand(x))
	}
	if _, named := types.Unalias(t).(*types.Named); named { // which may have a method String
		text = r.typeString(t) + "(" + text + ")"
	}
	return text
}

const inPrint = "a print of what holds active values"

// asCall is e as a call, nil if it is none.
func asCall(e ast.Expr) *ast.CallExpr {
	c, _ := ast.Unparen(e).(*ast.CallExpr)
	return c
}

// once refuses x, which is written several times, if it must be evaluated once.
func (r *renderer) once(x ast.Expr) {
	if !r.pure(x) {
		r.fault(x.Pos(), "an argument that is needed twice calls a function that has effects", "write it into a variable first")
	}
}

func (r *renderer) isInf(e *ast.CallExpr) string {
	largest := r.imported("math", "math") + ".MaxFloat64"
	above := r.constant(largest, types.Typ[types.Float64]) + ".Less(" + r.bare(e.Args[0]) + ")"
	below := r.operand(e.Args[0]) + ".LessReal(-" + largest + ")"
	switch v := r.info().Types[e.Args[1]].Value; {
	case v == nil:
		r.fault(e.Pos(), "math.IsInf with a sign that is not constant", "write a constant")
	case strings.HasPrefix(v.String(), "-"):
		return below
	case v.String() != "0":
		return above
	}
	r.once(e.Args[0])
	return "(" + above + " || " + below + ")"
}
