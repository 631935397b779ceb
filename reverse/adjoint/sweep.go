package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/op"
)

// A sweep prints the forward or the reverse sweep of a unit.
type sweep struct {
	*unit
	lines  []string
	cur    *facts   // of the node whose reverse code is printed
	exit   string   // the variable that says where the surrounding body was left
	top    ast.Expr // a right side that was hoisted as a whole,
	value  *local   // and what it was assigned to
	frames []frame  // what surrounds a statement of the forward sweep
	temp   int

	careful bool // 0 annihilates ∞ and NaN

	tangents bool // the sweep is a tangent
	kepts    map[ast.Expr][]string
	values   []ast.Expr // what a statement has kept for its derivative
}

func (r *sweep) line(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// apart prints to lines of their own.
func (r *sweep) apart(f func()) []string {
	outer := r.lines
	r.lines = nil
	f()
	inner := r.lines
	r.lines = outer
	return inner
}

// temporary is a name for a value of the reverse sweep.
func (p *program) temporary(r *sweep) string {
	for {
		r.temp++
		if name := "t" + itoa(r.temp); !r.names[name] && p.Root.Types.Scope().Lookup(name) == nil {
			return name
		}
	}
}

var words = regexp.MustCompile(`\.?[\pL_][\pL_\p{Nd}]*`)

func mentions(lines []string, name string) bool {
	for _, l := range lines {
		if !strings.HasPrefix(l, "//") && strings.Contains(l, name) && slices.Contains(words.FindAllString(l, -1), name) {
			return true
		}
	}
	return false
}

func (r *sweep) pop(t types.Type, active bool) string {
	return r.prog.helper("Pop") + "(&w." + r.prog.stack(t, active) + ")"
}

func (r *sweep) push(t types.Type, active bool, what string) {
	s := r.prog.stack(t, active)
	r.line("w.%s = append(w.%s, %s)", s, s, what)
}

// reverse prints the reverse sweep of a node.
func (r *sweep) reverse(n node) {
	outer := r.cur
	r.cur = n.info()
	defer func() { r.cur = outer }()
	r.passiveCalls(n, r.refuseEffects)
	switch n := n.(type) {
	case *assign:
		r.reverseAssign(n)
	case *block:
		r.reverseBlock(n, true)
	case *branch:
		r.reverseBranch(n)
	case *choice:
		r.reverseChoice(n)
	case *loop:
		r.reverseLoop(n)
	case *call:
		r.reverseCall(n)
	case *copying:
		r.reverseCopy(n)
	case *exit:
		if n.kind == token.RETURN {
			for i, e := range n.results {
				if l := r.results[i]; l.active && !l.holder {
					r.partial(e, r.bar(l))
				}
			}
		}
	}
}

// reverseAssign restores what was overwritten; then it adds to the adjoints of the
// operands.
func (r *sweep) reverseAssign(n *assign) {
	if n.lhs == nil {
		if n.rhs != nil && r.prog.pops(r.in, n.rhs) && r.active(n.rhs) && !holds(r.typeOf(n.rhs)) {
			r.partial(n.rhs, r.prog.zero(r.typeOf(n.rhs)))
		}
		return
	}
	if c := n.stack; c != nil {
		if e := c.Args[1]; r.active(n.lhs) && !holds(r.typeOf(e)) {
			s := r.prog.temporary(r)
			r.line("%s := %s(&%s)", s, r.prog.helper("Pop"), r.shadow(n.lhs))
			r.partial(e, s)
		}
		return
	}
	t := r.typeOf(n.lhs)
	active := r.active(n.lhs)
	lines := r.apart(func() {
		if n.push {
			r.at(n.lhs)
			if active && holds(t) {
				r.line("%s = %s", r.shadow(n.lhs), r.pop(t, active))
			}
			r.line("%s = %s", r.text(n.lhs), r.pop(t, active))
		}
		if !active {
			return
		}
		if holds(t) {
			r.elementsOfLiteral(n)
			return
		}
		if n.define {
			if n.rhs != nil {
				r.top, r.value = nil, nil
				if r.temps[n.rhs] == n.v {
					r.top = n.rhs
				} else if c, ok := n.rhs.(*ast.CallExpr); ok && n.v.assigns == 0 && r.temps[c] == nil {
					r.top, r.value = c, n.v
				}
				r.partial(n.rhs, r.bar(n.v))
				r.top, r.value = nil, nil
			}
			return
		}
		bar := r.bars(n.lhs)
		switch n.op {
		case token.ASSIGN:
			if n.rhs == nil || !r.active(n.rhs) {
				r.line("%s = %s", bar, r.prog.zero(t))
				return
			}
			s := r.prog.temporary(r)
			r.line("%s := %s", s, bar)
			r.line("%s = %s", bar, r.prog.zero(t))
			r.partial(n.rhs, s)
		case token.ADD_ASSIGN, token.SUB_ASSIGN:
			if n.rhs == nil || !r.active(n.rhs) {
				return
			}
			if r.overlaps(n) {
				bar = r.named(bar, true)
			}
			if n.op == token.SUB_ASSIGN {
				bar = "-" + bar
			}
			r.partial(n.rhs, bar)
		case token.MUL_ASSIGN, token.QUO_ASSIGN:
			if !r.active(n.rhs) {
				switch {
				case !r.careful:
					r.line("%s %s %s", bar, n.op, r.use(n.rhs))
				case n.op == token.MUL_ASSIGN:
					r.line("%s = %s", bar, r.times(bar, r.use(n.rhs)))
				default:
					r.line("%s = %s", bar, r.times(bar, "1.0 / "+operand(r.use(n.rhs))))
				}
				return
			}
			s := r.prog.temporary(r)
			r.line("%s := %s", s, bar)
			x, y := r.use(n.lhs), operand(r.use(n.rhs))
			switch {
			case n.op == token.MUL_ASSIGN:
				r.line("%s = %s", bar, r.times(s, y))
				r.partial(n.rhs, r.times(s, x))
			case r.careful:
				dx, dy := r.prog.temporary(r), r.prog.temporary(r)
				r.line("%s, %s := %s", dx, dy, r.prog.file.First2(op.Div, x, y, x+" / "+y))
				r.line("%s = %s", bar, r.times(s, dx))
				r.partial(n.rhs, r.times(s, dy))
			default:
				r.line("%s = %s / %s", bar, s, y)
				r.partial(n.rhs, "-"+s+" / "+y+" * "+operand(x+" / "+y))
			}
		default:
			refuse(n.lhs, n.op.String()+" of active values", "write it otherwise")
		}
	})
	if len(lines) > 0 {
		r.comment(n.stmt)
		r.lines = append(r.lines, lines...)
	}
}

// comment names the statement whose reverse follows.
func (r *sweep) comment(s ast.Stmt) {
	var text string
	switch s := s.(type) {
	case *ast.RangeStmt:
		text = r.prog.Text(s.For, s.X.End())
	default:
		text = r.prog.Text(s.Pos(), s.End())
	}
	text = strings.Join(strings.Fields(text), " ")
	if i := strings.Index(text, "{"); i >= 0 && len(text) > 80 {
		text = text[:i+1] + " … }"
	}
	c := "// " + text
	if k := len(r.lines); k == 0 || r.lines[k-1] != c {
		r.line("%s", c)
	}
}

// elementsOfLiteral is the reverse of a slice or struct made of numbers.
func (r *sweep) elementsOfLiteral(n *assign) {
	if n.rhs == nil {
		return
	}
	e := ast.Unparen(n.rhs)
	if a, ok := e.(*ast.UnaryExpr); ok && a.Op == token.AND {
		e = ast.Unparen(a.X)
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return
	}
	any := false
	for _, x := range lit.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		any = any || r.active(x)
	}
	if !any {
		return
	}
	if n.v == nil || !n.define {
		refuse(n.lhs, "a literal of active values that is assigned", "declare a variable with it")
	}
	if n.v.assigns > 0 {
		refuse(n.lhs, "a variable of a literal of active values that is assigned again", "declare another variable")
	}
	r.need(n.v)
	r.literal(lit, r.bar(n.v))
}

// overlaps reports whether the right side of an operator and = reads what the left side
// is, perhaps.
func (r *sweep) overlaps(n *assign) (found bool) {
	r.keysOf(n.lhs, func(key any) {
		r.reads(n.rhs, func(k any) { found = found || k == key })
	})
	return found
}

func (r *sweep) reverseBlock(k *block, braces bool) {
	inner := r.apart(func() {
		outer := r.cur
		if k.tail != nil {
			tail := r.apart(func() {
				r.cur = k.tail.info()
				r.reverseBlock(k.tail, false)
			})
			if len(tail) > 0 {
				r.line("if %s > %d {", r.exit, k.list[len(k.list)-1].info().last)
				r.lines = append(r.lines, tail...)
				r.line("}")
			}
		}
		for _, n := range slices.Backward(k.list) {
			r.reverse(n)
		}
		r.cur = outer
	})
	var pops, again, adjoints []string
	for _, l := range slices.Backward(k.vars) {
		bar := l.name + r.prog.suffix
		all := slices.Concat(again, inner)
		value, shadow := mentions(all, l.name), l.active && mentions(all, bar)
		if l.active && !l.holder && !l.param && shadow {
			adjoints = append(adjoints, "var "+bar+" "+r.prog.typ(l.typ))
		}
		declare := func(name string) {
			if l.param {
				pops = append(pops, name+" = "+r.pop(l.typ, l.active))
			} else {
				pops = append(pops, name+" := "+r.pop(l.typ, l.active))
			}
		}
		shadow = shadow && l.holder
		switch {
		case l.again:
			if (value || shadow) && l.set.rhs != nil {
				r.reads(l.set.rhs, r.need)
			}
			var lines []string
			if value {
				lines = append(lines, r.definition(l.set))
			}
			if shadow {
				lines = append(lines, bar+" := "+r.shadow(l.set.rhs))
			}
			again = append(lines, again...)
		case l.save:
			if l.holder {
				if shadow || l.param {
					declare(bar)
				} else {
					pops = append(pops, r.pop(l.typ, l.active))
				}
			}
			if value || l.param {
				declare(l.name)
			} else {
				pops = append(pops, r.pop(l.typ, l.active))
			}
		case !l.param:
			if value {
				pops = append(pops, "var "+l.name+" "+r.prog.typ(l.typ))
			}
			if shadow {
				pops = append(pops, "var "+bar+" "+r.prog.typ(l.typ))
			}
		}
	}
	if len(inner) == 0 && len(pops) == 0 {
		return
	}
	body := slices.Concat(pops, again, adjoints, inner)
	body = firstUse(body, len(pops)+len(again), len(adjoints))
	if braces && len(k.vars) > 0 {
		body = slices.Concat([]string{"{"}, body, []string{"}"})
	}
	r.lines = append(r.lines, body...)
}

// firstUse declares adjoints where they are first added to, if that is a line of the
// block itself.
func firstUse(lines []string, from, n int) []string {
	lines = slices.Clone(lines)
	var out []string
	for i := from; i < from+n; i++ {
		name := strings.Fields(lines[i])[1]
		depth := 0
		for j := from + n; j < len(lines); j++ {
			s := lines[j]
			if strings.HasPrefix(s, "//") {
				continue
			}
			if strings.HasPrefix(s, "}") {
				depth--
			}
			if slices.Contains(words.FindAllString(s, -1), name) {
				if depth == 0 {
					if e, ok := strings.CutPrefix(s, name+" += "); ok && !mentions([]string{e}, name) {
						lines[j], lines[i] = name+" := "+e, ""
					} else if e, ok := strings.CutPrefix(s, name+" -= "); ok && !mentions([]string{e}, name) {
						lines[j], lines[i] = name+" := "+negative(factor(e)), ""
					}
				}
				break
			}
			if strings.HasSuffix(s, "{") {
				depth++
			}
		}
	}
	for _, s := range lines {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (r *sweep) reverseBranch(n *branch) {
	then := r.apart(func() { r.cur = n.then.info(); r.reverseBlock(n.then, false) })
	var els []string
	if n.els != nil {
		els = r.apart(func() { r.cur = n.els.info(); r.reverseBlock(n.els, false) })
	}
	r.cur = n.info()
	n.skip = len(then) == 0 && len(els) == 0
	if n.skip {
		return
	}
	cond := ""
	if n.again {
		cond = r.use(n.cond)
	} else {
		cond = r.pop(types.Typ[types.Bool], false)
	}
	if len(then) == 0 {
		r.line("if !(%s) {", cond)
		r.lines = append(r.lines, els...)
	} else {
		r.line("if %s {", cond)
		r.lines = append(r.lines, then...)
		if len(els) > 0 {
			r.line("} else {")
			r.lines = append(r.lines, els...)
		}
	}
	r.line("}")
}

func (r *sweep) reverseChoice(n *choice) {
	var lines []string
	any := false
	for i, k := range n.clauses {
		s := r.apart(func() { r.cur = k.info(); r.reverseBlock(k, false) })
		if len(s) > 0 {
			any = true
			lines = append(append(lines, fmt.Sprintf("case %d:", i)), s...)
		}
	}
	r.cur = n.info()
	n.skip = !any
	if any {
		r.line("switch %s {", r.pop(types.Typ[types.Int], false))
		r.lines = append(append(r.lines, lines...), "}")
	}
}

func (r *sweep) reverseLoop(n *loop) {
	outer := r.exit
	r.exit = fmt.Sprintf("exit%d", n.number)
	body := r.apart(func() { r.cur = n.body.info(); r.reverseBlock(n.body, false) })
	var post []string
	if n.post != nil {
		post = r.apart(func() { r.cur = n.post.info(); r.reverseBlock(n.post, true) })
	}
	r.cur = n.info()
	if len(post) > 0 && n.exits {
		var left []string
		for code := n.body.first; code <= n.body.last; code++ {
			if n.breaks[code] || code >= n.first && code <= n.last && n.last > 0 && r.leavesLoop(n, code) {
				left = append(left, fmt.Sprintf("%s != %d", r.exit, code))
			}
		}
		if len(left) > 0 {
			post = slices.Concat([]string{"if " + strings.Join(left, " && ") + " {"}, post, []string{"}"})
		}
	}
	body = append(post, body...)
	n.skip = len(body) == 0
	n.coded = n.exits && mentions(body, r.exit)
	if n.coded {
		body = append([]string{r.exit + " := " + r.pop(types.Typ[types.Int], false)}, body...)
	}
	r.exit = outer
	if n.skip {
		return
	}
	r.line("// The loop of line %d, from its last iteration to its first.", r.prog.Fset.Position(n.stmt.Pos()).Line)
	switch {
	case n.counter == nil:
		i := r.prog.temporary(r)
		r.line("for %s := %s; %s > 0; %s-- {", i, r.pop(types.Typ[types.Int], false), i, i)
	case n.count:
		i := n.counter.name
		from := "0"
		if n.from != nil {
			from = operand(r.use(n.from))
		}
		trips := r.pop(types.Typ[types.Int], false)
		switch {
		case n.down:
			t := r.prog.temporary(r)
			r.line("%s := %s", t, trips)
			r.line("for %s := %s - %s + 1; %s > 0; %s, %s = %s+1, %s-1 {", i, from, t, t, i, t, i, t)
		case from == "0":
			r.line("for %s := %s - 1; %s >= 0; %s-- {", i, trips, i, i)
		default:
			r.line("for %s := %s + %s - 1; %s >= %s; %s-- {", i, from, trips, i, from, i)
		}
	default:
		i := n.counter.name
		bound := r.use(n.to)
		if n.length {
			bound = "len(" + bound + ")"
		}
		from := "0"
		if n.from != nil {
			from = r.use(n.from)
		}
		if n.down {
			r.line("for %s := %s; %s <= %s; %s++ {", i, plus(bound, n.offset), i, from, i)
		} else {
			r.line("for %s := %s; %s >= %s; %s-- {", i, plus(bound, n.offset-1), i, from, i)
		}
	}
	r.lines = append(append(r.lines, body...), "}")
}

// leavesLoop reports whether an exit of the body leaves the loop to what is around it.
func (r *sweep) leavesLoop(n *loop, code int) (found bool) {
	each(n.body, func(m node) {
		if x, ok := m.(*exit); ok && x.code == code {
			if x.target != n {
				inner := false
				each(n.body, func(m node) {
					l, ok := m.(*loop)
					inner = inner || ok && l == x.target
				})
				found = !inner
			}
		}
	})
	return found
}

// plus is an expression plus a number.
func plus(s string, k int) string {
	var c int
	if _, err := fmt.Sscanf(s, "%d", &c); err == nil && itoa(c) == s {
		return itoa(c + k)
	}
	for _, sign := range []string{" + ", " - "} {
		if i := strings.LastIndex(s, sign); i > 0 {
			if _, err := fmt.Sscanf(s[i+3:], "%d", &c); err == nil && itoa(c) == s[i+3:] && atomic(s[:i]) {
				if sign == " - " {
					c = -c
				}
				s, k = s[:i], k+c
			}
		}
	}
	switch {
	case k > 0:
		return fmt.Sprintf("%s + %d", s, k)
	case k < 0:
		return fmt.Sprintf("%s - %d", s, -k)
	}
	return s
}

// reverseCall calls the reverse sweep of what was called.
func (r *sweep) reverseCall(n *call) {
	c := n.callee
	if fn, _ := r.in.Function(n.call.Fun); r.prog.helpers[fn].first {
		r.reversePartials(n, r.prog.helpers[fn].code)
	}
	if c == nil || c.empty {
		return
	}
	args := n.args
	var in, out []string
	var targets []ast.Expr
	if c.by == nil {
		in = append(in, "w")
	}
	for i, l := range c.params {
		in = append(in, r.use(args[i]))
		switch {
		case l.holder && c.by != nil:
			in = append(in, r.shadowOr(args[i], l))
		case l.holder:
			in = append(in, r.shadow(args[i]))
		}
		if l.active && !l.holder {
			if r.active(args[i]) {
				out = append(out, r.prog.temporary(r))
				targets = append(targets, args[i])
			} else {
				out = append(out, "_")
				targets = append(targets, nil)
			}
		}
	}
	for i, l := range c.results {
		if l.active && !l.holder {
			bar := r.prog.zero(l.typ)
			if i < len(n.lhs) && n.lhs[i] != nil {
				bar = r.bar(n.lhs[i])
			}
			in = append(in, bar)
		}
	}
	r.comment(n.stmt)
	name := c.reverseName(r.careful)
	if c.by != nil {
		name = r.callable(c.by)
		for _, e := range args { // it reads the elements of slices
			r.reachable(r.typeOf(e), r.placeOf(e), r.need)
		}
	}
	s := fmt.Sprintf("%s(%s)", name, strings.Join(in, ", "))
	if slices.ContainsFunc(targets, func(e ast.Expr) bool { return e != nil }) {
		s = strings.Join(out, ", ") + " := " + s
	}
	r.line("%s", s)
	for i, e := range targets {
		if e != nil {
			r.partial(e, out[i])
		}
	}
}

// reversePartials goes back through the two partial derivatives of a function, which the
// source computes.
func (r *sweep) reversePartials(n *call, code op.Code) {
	var args, names []string
	for _, e := range n.call.Args {
		args = append(args, operand(r.use(e)))
	}
	for _, l := range n.lhs {
		r.need(l)
		args = append(args, l.name)
	}
	for range 3 {
		names = append(names, r.prog.temporary(r))
	}
	r.line("%s := %s", strings.Join(names, ", "), r.prog.file.Call(code.Info().H2, args...))
	for i, l := range n.lhs {
		if l.active {
			for k, x := range n.call.Args[:2] {
				r.partial(x, r.times(r.bar(l), names[i+k]))
			}
		}
	}
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// refuseEffects refuses calls that change what the reverse sweep reads.
func (r *sweep) refuseEffects(e *ast.CallExpr) {
	r.passiveEffects(e, func(key any) {
		if r.prog.needed[key] {
			refuse(e, "a call that may change what its caller's derivative reads", "let it return new values")
		}
	})
}

func (r *sweep) reverseCopy(n *copying) {
	r.comment(n.stmt)
	if n.push {
		r.at(n.dst)
		r.line("copy(%s, %s)", r.use(n.dst), r.pop(r.typeOf(n.dst), true))
	}
	if n.src == nil {
		r.line("clear(%s)", r.shadowUse(n.dst))
		return
	}
	if !r.active(n.src) {
		r.reads(n.src, r.need)
		r.line("clear(%s[:min(len(%s), len(%s))])", r.shadow(n.dst), r.use(n.dst), r.use(n.src))
		return
	}
	r.reads(n.src, r.need)
	r.line("%s(%s, %s)", r.prog.helper("Copy"), r.shadowUse(n.dst), r.shadowUse(n.src))
}

func (r *sweep) shadowUse(e ast.Expr) string {
	r.reads(e, r.need)
	return r.shadow(e)
}
