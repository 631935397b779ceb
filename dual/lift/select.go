package main

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hesse-ad/hesse/internal/activity"
)

// With -select a branch on active numbers that does nothing but choose a value is
// written as the operation that chooses: Abs, Max, Min or Select. A tape then holds
// both sides and needs no guard, and both are evaluated.

// choice is an if statement of that kind: it sets, or returns, yes or no.
type choice struct {
	cond     *ast.BinaryExpr
	target   ast.Expr // nil if the value is returned
	yes, no  ast.Expr // no is nil for the target as it is
	withNext bool     // the return after it belongs to it
}

// chosen is the choice that s, followed by next, makes; or why it is none.
func (r *renderer) chosen(s *ast.IfStmt, next ast.Stmt) (c choice, kept string) {
	cond, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if ok {
		switch cond.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
		default:
			ok = false
		}
	}
	if !ok {
		return c, "its condition is not one comparison by <, <=, > or >="
	}
	if s.Init != nil {
		return c, "it has a statement before its condition"
	}
	c.cond = cond
	yes, no := only(s.Body), only(s.Else)
	switch yes := yes.(type) {
	case *ast.ReturnStmt:
		if s.Else == nil {
			no, c.withNext = next, true
		}
		other, ok := no.(*ast.ReturnStmt)
		if !ok || len(yes.Results) != 1 || len(other.Results) != 1 {
			return c, "it does not return one of two values"
		}
		if !r.results[0].Active() {
			return c, "what it returns is passive"
		}
		c.yes, c.no = yes.Results[0], other.Results[0]
	case *ast.AssignStmt:
		if c.target, c.yes = r.single(yes); c.target == nil {
			return c, "it does not set one variable"
		}
		if !r.active(c.target) {
			return c, "what it sets is passive"
		}
		if s.Else == nil {
			break
		}
		other, ok := no.(*ast.AssignStmt)
		if ok {
			var to ast.Expr
			to, c.no = r.single(other)
			ok = to != nil && types.ExprString(to) == types.ExprString(c.target)
		}
		if !ok {
			return c, "its sides do not set one variable"
		}
	default:
		return c, "it does more than choose a value"
	}
	const fails = "the side that is not taken could fail or have effects: it calls, indexes, follows a pointer or writes an element"
	if c.no == nil && (!r.harmless(c.target, cond) || r.inMap(c.target)) {
		return c, fails
	}
	if !r.harmless(c.yes, cond) || c.no != nil && !r.harmless(c.no, cond) {
		return c, fails
	}
	if !r.pure(cond) {
		return c, "its condition has effects"
	}
	return c, ""
}

// only is the statement of a block, nil if there are more or none.
func only(s ast.Stmt) ast.Stmt {
	if b, ok := s.(*ast.BlockStmt); ok && len(b.List) == 1 {
		return b.List[0]
	}
	return nil
}

// single is the target and value of an assignment, nil if it has several or its target
// must be evaluated once.
func (r *renderer) single(s *ast.AssignStmt) (target, value ast.Expr) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || !plain(s.Lhs[0]) {
		return nil, nil
	}
	if op, ok := opAssign[s.Tok]; ok {
		e := &ast.BinaryExpr{X: s.Lhs[0], Op: op, OpPos: s.TokPos, Y: s.Rhs[0]}
		r.in.Exprs[e] = r.in.Exprs[s.Lhs[0]]
		return s.Lhs[0], e
	}
	if s.Tok != token.ASSIGN {
		return nil, nil
	}
	return s.Lhs[0], s.Rhs[0]
}

// inMap reports whether e is an element of a map.
func (r *renderer) inMap(e ast.Expr) bool {
	i, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, ok = r.in.TypeOf(i.X).Underlying().(*types.Map)
	return ok
}

// harmless reports whether e may be evaluated though its value is not wanted: it has
// operations alone, and no element or pointer but those that cond reads anyway.
func (r *renderer) harmless(e ast.Expr, cond ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && r.operates(n)
		case *ast.IndexExpr:
			t, array := r.in.TypeOf(n.X).Underlying().(*types.Array)
			ok = ok && (array && r.info().Types[n.Index].Value != nil && t.Len() > 0 || r.reads(cond, n))
		case *ast.SelectorExpr:
			s := r.info().Selections[n]
			ok = ok && (s == nil || s.Kind() == types.FieldVal && (!s.Indirect() || r.reads(cond, n)))
		case *ast.StarExpr:
			ok = ok && r.reads(cond, n)
		case *ast.BinaryExpr: // an integer may be divided by 0
			ok = ok && (r.in.Exprs[n].Kind() == activity.Number || r.info().Types[n].Value != nil || n.Op != token.QUO && n.Op != token.REM && n.Op != token.SHL && n.Op != token.SHR)
		case *ast.SliceExpr, *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr:
			ok = false
		}
		return ok && !r.reads(cond, n)
	})
	return ok
}

// operates reports whether a call is of an operation, or a conversion of numbers.
func (r *renderer) operates(e *ast.CallExpr) bool {
	if r.info().Types[e.Fun].IsType() {
		return r.in.Exprs[e].Kind() == activity.Number && r.in.Exprs[e.Args[0]].Kind() == activity.Number
	}
	if name := activity.Builtin(r.info(), e.Fun); name != "" {
		return activity.Harmless(name)
	}
	fn := r.callee(e)
	if fn == nil {
		return false
	}
	_, known := elementary(fn)
	return known
}

// reads reports whether cond, evaluated in full, evaluates an expression like n.
func (r *renderer) reads(cond ast.Expr, n ast.Node) bool {
	e, ok := n.(ast.Expr)
	if !ok {
		return false
	}
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			found = found || types.ExprString(x) == types.ExprString(e)
		}
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
			return false
		}
		_, literal := n.(*ast.FuncLit)
		return !found && !literal
	})
	return found
}

// choose writes a choice.
func (r *renderer) choose(c choice) string {
	value := ""
	no := c.no
	if no == nil {
		no = c.target
	}
	low, high := c.cond.X, c.cond.Y // low < high chooses yes
	if c.cond.Op == token.GTR || c.cond.Op == token.GEQ {
		low, high = high, low
	}
	same := func(x, y ast.Expr) bool { return r.node(x) == r.node(y) }
	negated := func(x, y ast.Expr) bool {
		u, ok := ast.Unparen(x).(*ast.UnaryExpr)
		return ok && u.Op == token.SUB && same(u.X, y)
	}
	zero := func(e ast.Expr) bool { return isZero(r.info().Types[e]) }
	switch {
	case zero(high) && same(no, low) && negated(c.yes, low), zero(low) && same(c.yes, high) && negated(no, high):
		x := no
		if zero(low) {
			x = high
		}
		value = r.operand(x) + ".Abs()"
	case same(c.yes, low) && same(no, high):
		value = r.activeOperand(no) + ".Min(" + r.activeArgument(c.yes) + ")"
	case same(c.yes, high) && same(no, low):
		value = r.activeOperand(no) + ".Max(" + r.activeArgument(c.yes) + ")"
	default:
		above := func(x, y ast.Expr) string { // what is positive where x > y
			switch constant := func(e ast.Expr) bool { return r.info().Types[e].Value != nil }; {
			case zero(y):
				return r.operand(x)
			case zero(x):
				return r.operand(y) + ".Neg()"
			case constant(x) || constant(y):
				return r.binary(&ast.BinaryExpr{X: x, Op: token.SUB, OpPos: x.Pos(), Y: y})
			}
			return r.activeOperand(y) + ".Step(" + r.activeArgument(x) + ")" // ∞ − ∞ has no sign
		}
		yes, no := r.activeArgument(c.yes), r.activeArgument(no)
		if c.cond.Op == token.LSS || c.cond.Op == token.GTR {
			value = above(high, low) + ".Select(" + yes + ", " + no + ")"
		} else { // unless low > high
			value = above(low, high) + ".Select(" + no + ", " + yes + ")"
		}
	}
	if c.target == nil {
		return "return " + value
	}
	return r.node(c.target) + " = " + value
}

// block writes a block with its choices, and notes the branches on active numbers that
// are none.
func (r *renderer) block(b *ast.BlockStmt) string {
	s := "{"
	at := b.Lbrace + 1
	for i := 0; i < len(b.List); i++ {
		n := b.List[i]
		s += r.prog.Text(at, n.Pos())
		at = n.End()
		switch f := n.(type) {
		case *ast.SwitchStmt:
			if r.comparesActive(f) {
				r.keep(n, "it is a switch")
			}
		case *ast.IfStmt:
			if !r.comparesActive(f.Cond) {
				break
			}
			var next ast.Stmt
			if i+1 < len(b.List) {
				next = b.List[i+1]
			}
			c, kept := r.chosen(f, next)
			if kept != "" {
				r.keep(n, kept)
				break
			}
			s += r.mark(r.in, n.Pos()) + r.choose(c)
			if c.withNext {
				at = next.End()
				i++
			}
			continue
		}
		s += r.node(n)
	}
	return s + r.prog.Text(at, b.End())
}

// comparesActive reports whether a condition, or one of a switch, looks at active numbers.
func (r *renderer) comparesActive(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, c := range n.List {
				if c, ok := c.(*ast.CaseClause); ok {
					for _, e := range c.List {
						found = found || r.comparesActive(e)
					}
				}
			}
			return false
		case *ast.BinaryExpr:
			found = found || n.Op.Precedence() == token.LSS.Precedence() && (r.active(n.X) || r.active(n.Y))
		case *ast.SwitchStmt:
			found = found || n.Tag != nil && r.active(n.Tag)
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// keep notes that a branch is kept.
func (r *renderer) keep(n ast.Stmt, why string) {
	r.kept = append(r.kept, r.a.NewFault(r.in, n.Pos(), "a branch is kept, a guard on a tape: "+why, ""))
}
