package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// With -select a branch on active numbers that does nothing but choose a value is
// written as the operation that chooses: Abs, Max, Min or Select. A tape then holds
// both sides and needs no guard, and both are evaluated.

// choice is an if statement of that kind: it sets, or returns, yes or no.
type choice struct {
	cond    *ast.BinaryExpr
	target  ast.Expr // nil if the value is returned
	yes, no ast.Expr // no is nil for the target as it is
}

// chosen reports whether s, followed by next, is a choice.
func (r *renderer) chosen(s *ast.IfStmt, next ast.Stmt) (c choice, ok bool) {
	cond, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok || s.Init != nil || len(s.Body.List) != 1 || !r.active(cond.X) && !r.active(cond.Y) {
		return c, false
	}
	switch cond.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return c, false
	}
	c.cond = cond
	switch b := s.Body.List[0].(type) {
	case *ast.ReturnStmt:
		after, ok := next.(*ast.ReturnStmt)
		if !ok || s.Else != nil || len(b.Results) != 1 || len(after.Results) != 1 || !r.results[0].Active() {
			return c, false
		}
		c.yes, c.no = b.Results[0], after.Results[0]
	case *ast.AssignStmt:
		if c.target, c.yes, ok = single(b); !ok || !r.active(c.target) {
			return c, false
		}
		switch e := s.Else.(type) {
		case nil:
		case *ast.BlockStmt:
			if len(e.List) != 1 {
				return c, false
			}
			other, isAssign := e.List[0].(*ast.AssignStmt)
			if !isAssign {
				return c, false
			}
			var to ast.Expr
			if to, c.no, ok = single(other); !ok || r.node(to) != r.node(c.target) {
				return c, false
			}
		default:
			return c, false
		}
	default:
		return c, false
	}
	return c, r.harmless(c.yes) && (c.no == nil || r.harmless(c.no)) && r.harmless(cond)
}

// single is the target and value of a plain assignment.
func single(s *ast.AssignStmt) (target, value ast.Expr, ok bool) {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 || !plain(s.Lhs[0]) {
		return nil, nil, false
	}
	return s.Lhs[0], s.Rhs[0], true
}

// harmless reports whether e may be evaluated though its value is not wanted: it has
// operations alone, and no element that may be out of range.
func (r *renderer) harmless(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fn := r.callee(n)
			if fn == nil {
				ok = false
				break
			}
			_, known := elementary(fn)
			ok = ok && known
		case *ast.IndexExpr:
			tv := r.info().Types[n.Index]
			t, array := r.info().TypeOf(n.X).Underlying().(*types.Array)
			ok = ok && array && tv.Value != nil && t.Len() > 0
		case *ast.SliceExpr, *ast.StarExpr, *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr:
			ok = false
		}
		return ok
	})
	return ok
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
			switch {
			case zero(y):
				return r.operand(x)
			case zero(x):
				return r.operand(y) + ".Neg()"
			case r.active(x) && r.active(y): // ∞ − ∞ has no sign
				return r.operand(y) + ".Step(" + r.bare(x) + ")"
			}
			return r.binary(&ast.BinaryExpr{X: x, Op: token.SUB, OpPos: x.Pos(), Y: y})
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

// block writes a block with its choices.
func (r *renderer) block(b *ast.BlockStmt) string {
	s := "{"
	at := b.Lbrace + 1
	for i := 0; i < len(b.List); i++ {
		n := b.List[i]
		s += r.prog.Text(at, n.Pos())
		at = n.End()
		f, ok := n.(*ast.IfStmt)
		if !ok {
			s += r.node(n)
			continue
		}
		var next ast.Stmt
		if i+1 < len(b.List) {
			next = b.List[i+1]
		}
		c, ok := r.chosen(f, next)
		if !ok {
			s += r.node(n)
			continue
		}
		s += r.choose(c)
		if c.target == nil {
			at = next.End()
			i++
		}
	}
	return s + r.prog.Text(at, b.End())
}
