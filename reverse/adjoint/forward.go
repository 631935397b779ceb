package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A frame is what surrounds a statement of the forward sweep, and what it saves when it
// ends or is left.
type frame struct {
	loop *loop // the body of one
	end  func(code int)
}

// forward prints the forward sweep of a node: the source, and what is saved.
func (r *sweep) forward(n node) {
	r.comments(n)
	r.forget()
	switch n := n.(type) {
	case *assign:
		if r.tangents {
			r.tangentAssign(n)
			return
		}
		r.forwardAssign(n)
	case *plain:
		if s, ok := n.stmt.(*ast.ExprStmt); ok {
			r.line("%s", r.text(s.X))
		} else {
			r.line("%s", r.prog.Text(n.stmt.Pos(), n.stmt.End()))
		}
	case *block:
		r.line("{")
		r.forwardBlock(n)
		r.line("}")
	case *branch:
		r.forwardBranch(n)
	case *choice:
		r.forwardChoice(n)
	case *loop:
		r.forwardLoop(n)
	case *call:
		if r.tangents {
			r.tangentCall(n)
			return
		}
		r.forwardCall(n)
	case *copying:
		if r.tangents {
			r.tangentCopy(n)
		}
		if n.push {
			t := r.typeOf(n.dst)
			d := r.text(n.dst)
			kept := r.prog.temporary(r)
			r.line("%s := make(%s, len(%s))", kept, r.prog.typ(t), d)
			r.line("copy(%s, %s)", kept, d)
			r.push(t, true, kept)
		}
		if n.src == nil {
			r.line("clear(%s)", r.text(n.dst))
		} else {
			r.line("copy(%s, %s)", r.text(n.dst), r.text(n.src))
		}
	case *exit:
		r.forwardExit(n)
	}
}

// definition declares a variable.
func (r *sweep) definition(n *assign) string {
	switch {
	case n.rhs == nil:
		return "var " + n.v.name + " " + r.prog.typ(n.v.typ)
	case n.typed:
		return "var " + n.v.name + " " + r.prog.typ(n.v.typ) + " = " + r.print(n.rhs, n.rhs)
	}
	rhs := r.text(n.rhs)
	if r.temps[n.rhs] == n.v {
		rhs = r.print(n.rhs, n.rhs)
	}
	if tv, ok := r.in.Info().Types[n.rhs]; ok && tv.Value != nil && !types.Identical(types.Default(tv.Type), n.v.typ) {
		rhs = r.prog.typ(n.v.typ) + "(" + rhs + ")"
	}
	return n.v.name + " := " + rhs
}

func (r *sweep) forwardAssign(n *assign) {
	if n.lhs == nil {
		if n.rhs != nil && r.prog.pops(r.in, n.rhs) {
			if !r.tangents && r.active(n.rhs) && holds(r.typeOf(n.rhs)) {
				r.line("%s", r.shadow(n.rhs))
			}
			r.line("%s", r.text(n.rhs))
		} else if n.rhs != nil {
			r.line("_ = %s", r.text(n.rhs))
		}
		return
	}
	t := r.typeOf(n.lhs)
	shadowed := r.active(n.lhs) && holds(t) && !r.tangents
	if c := n.stack; c != nil && shadowed {
		if e := c.Args[1]; holds(r.typeOf(e)) {
			r.line("%s = append(%s, %s)", r.shadow(n.lhs), r.shadow(n.lhs), r.shadow(e))
		}
		shadowed = false
	}
	lhs := r.text(n.lhs)
	if n.push {
		r.push(t, r.active(n.lhs), lhs)
		if shadowed {
			r.push(t, true, r.shadow(n.lhs))
		}
	}
	if n.define {
		if l := r.temps[n.rhs]; l == n.v && l != nil { // a literal, where it is made
			delete(r.temps, n.rhs)
			defer func() { r.temps[n.rhs] = l }()
		}
		if shadowed {
			if n.rhs == nil {
				r.line("var %s %s", r.bar(n.v), r.prog.typ(t))
			} else if n.typed {
				r.line("var %s %s = %s", r.bar(n.v), r.prog.typ(t), r.shadow(n.rhs))
			} else {
				r.line("%s := %s", r.bar(n.v), r.shadow(n.rhs))
			}
		}
		r.line("%s", r.definition(n))
		return
	}
	if shadowed {
		r.line("%s = %s", r.shadow(n.lhs), r.shadow(n.rhs))
	}
	switch {
	case n.rhs != nil:
		r.line("%s %s %s", lhs, n.op, r.text(n.rhs))
	case n.op == token.ADD_ASSIGN:
		r.line("%s++", lhs)
	default:
		r.line("%s--", lhs)
	}
}

func (r *sweep) forwardBlock(k *block) {
	r.frames = append(r.frames, frame{end: func(int) {
		for _, l := range k.vars {
			if l.save {
				r.push(l.typ, l.active, l.name)
				if l.holder {
					r.push(l.typ, l.active, r.bar(l))
				}
			}
		}
	}})
	for _, n := range k.list {
		r.forward(n)
	}
	if k.tail != nil {
		r.forwardBlock(k.tail)
	}
	if !ends(k) {
		r.frames[len(r.frames)-1].end(0)
	}
	r.frames = r.frames[:len(r.frames)-1]
}

// ends reports whether the last statement of a block leaves it.
func ends(k *block) bool {
	if k.tail != nil {
		return ends(k.tail)
	}
	if len(k.list) == 0 {
		return false
	}
	switch n := k.list[len(k.list)-1].(type) {
	case *exit:
		return true
	case *block:
		return ends(n)
	case *branch:
		return n.els != nil && ends(n.then) && ends(n.els)
	case *choice:
		all := false
		for i, k := range n.clauses {
			if !ends(k) {
				return false
			}
			all = all || n.heads[i].List == nil
		}
		return all
	case *loop:
		return endless(n)
	}
	return false
}

// endless reports whether nothing follows a loop.
func endless(n *loop) bool { return n.counter == nil && n.cond == nil && len(n.breaks) == 0 }

func (r *sweep) forwardBranch(n *branch) {
	part := func(k *block, bit bool) {
		r.frames = append(r.frames, frame{end: func(int) {
			if !n.skip && !n.again {
				r.push(types.Typ[types.Bool], false, fmt.Sprint(bit))
			}
		}})
		if k != nil {
			r.forwardBlock(k)
		}
		if k == nil || !ends(k) {
			r.frames[len(r.frames)-1].end(0)
		}
		r.frames = r.frames[:len(r.frames)-1]
	}
	r.line("if %s {", r.text(n.cond))
	part(n.then, true)
	els := r.apart(func() { part(n.els, false) })
	if len(els) > 0 {
		r.line("} else {")
		r.lines = append(r.lines, els...)
	}
	r.line("}")
}

func (r *sweep) forwardChoice(n *choice) {
	tag := ""
	if n.stmt.Tag != nil {
		tag = r.text(n.stmt.Tag)
	}
	r.line("switch %s {", tag)
	byDefault := false
	for i, k := range n.clauses {
		if list := n.heads[i].List; list == nil {
			byDefault = true
			r.line("default:")
		} else {
			var s []string
			for _, e := range list {
				s = append(s, r.text(e))
			}
			r.line("case %s:", strings.Join(s, ", "))
		}
		r.frames = append(r.frames, frame{end: func(int) {
			if !n.skip {
				r.push(types.Typ[types.Int], false, itoa(i))
			}
		}})
		r.forwardBlock(k)
		if !ends(k) {
			r.frames[len(r.frames)-1].end(0)
		}
		r.frames = r.frames[:len(r.frames)-1]
	}
	if !byDefault && !n.skip {
		r.line("default:")
		r.push(types.Typ[types.Int], false, "-1")
	}
	r.line("}")
}

func (r *sweep) forwardLoop(n *loop) {
	trips := ""
	if n.count && !n.skip {
		trips = r.prog.temporary(r)
		r.line("%s := 0", trips)
	}
	whole := frame{end: func(int) {
		if trips != "" {
			r.push(types.Typ[types.Int], false, trips)
		}
	}}
	body := frame{loop: n, end: func(code int) {
		if n.coded && !n.skip {
			r.push(types.Typ[types.Int], false, itoa(code))
		}
	}}
	label := ""
	if n.label != "" && r.jumpsTo(n) {
		label = n.label + ": "
	}
	used := n.counter != nil
	inner := r.apart(func() {
		if trips != "" {
			r.line("%s++", trips)
		}
		r.frames = append(r.frames, whole, body)
		r.forwardBlock(n.body)
		if !ends(n.body) {
			if n.post != nil {
				r.forwardBlock(n.post)
			}
			body.end(n.inner + 1)
		}
		r.frames = r.frames[:len(r.frames)-2]
	})
	used = used && mentions(inner, n.counter.name)
	switch s := n.stmt.(type) {
	case *ast.RangeStmt:
		i := ""
		if used {
			i = n.counter.name + " := "
		}
		r.line("%sfor %srange %s {", label, i, r.text(n.to))
	case *ast.ForStmt:
		if n.counter != nil {
			init := s.Init.(*ast.AssignStmt)
			post := n.counter.name + "++"
			if n.down {
				post = n.counter.name + "--"
			}
			r.line("%sfor %s := %s; %s; %s {", label, n.counter.name, r.text(init.Rhs[0]), r.text(s.Cond), post)
		} else if s.Cond != nil {
			r.line("%sfor %s {", label, r.text(s.Cond))
		} else {
			r.line("%sfor {", label)
		}
	}
	r.lines = append(append(r.lines, inner...), "}")
	if !endless(n) {
		whole.end(0)
	}
}

// jumpsTo reports whether a statement names the loop.
func (r *sweep) jumpsTo(n *loop) (found bool) {
	each(n.body, func(m node) {
		if x, ok := m.(*exit); ok && x.target == n {
			if s, ok := x.stmt.(*ast.BranchStmt); ok && s.Label != nil {
				found = true
			}
		}
	})
	return found
}

func (r *sweep) forwardExit(n *exit) {
	if n.kind == token.RETURN {
		// Results are computed before anything else happens.
		var results []string
		if r.tangents {
			r.line("return %s", strings.Join(r.tangentReturn(n), ", "))
			return
		}
		for i, e := range n.results {
			results = append(results, r.text(e))
			if r.results[i].holder {
				results = append(results, r.shadow(e))
			}
		}
		for i := len(r.frames) - 1; i >= 0; i-- {
			r.frames[i].end(n.code)
		}
		if len(results) > 0 || !r.last(n) {
			r.line("return %s", strings.Join(results, ", "))
		}
		return
	}
	for i := len(r.frames) - 1; i >= 0; i-- {
		f := r.frames[i]
		if f.loop == n.target && n.kind == token.CONTINUE && f.loop.post != nil {
			frames := r.frames
			r.frames = slices.Clip(r.frames[:i+1])
			r.forwardBlock(f.loop.post)
			r.frames = frames
		}
		f.end(n.code)
		if f.loop == n.target {
			break
		}
	}
	s := n.stmt.(*ast.BranchStmt)
	if s.Label != nil {
		r.line("%s %s", s.Tok, s.Label.Name)
	} else {
		r.line("%s", s.Tok)
	}
}

// last reports whether n is the last statement of the function.
func (r *sweep) last(n *exit) bool {
	k := r.form
	for k.tail != nil {
		k = k.tail
	}
	return len(k.list) > 0 && k.list[len(k.list)-1] == n
}

func (r *sweep) forwardCall(n *call) {
	var lhs []string
	op := "="
	if n.define {
		op = ":="
	}
	named := false
	for i := range n.lhs {
		name := "_"
		if l := n.lhs[i]; l != nil {
			name, named = l.name, true
		}
		lhs = append(lhs, name)
		if n.callee != nil && n.callee.results[i].holder {
			if l := n.lhs[i]; l != nil {
				lhs = append(lhs, r.bar(l))
			} else {
				lhs = append(lhs, "_")
			}
		}
	}
	if !named {
		op = "="
	}
	var s string
	if n.callee == nil {
		s = r.print(n.call, n.call)
	} else {
		var args []string
		if n.callee.by == nil {
			args = append(args, "w")
		}
		for i, e := range n.args {
			args = append(args, r.text(e))
			if n.callee.by == nil && n.callee.params[i].holder {
				args = append(args, r.shadow(e))
			}
		}
		s = n.callee.name + "Forward(" + strings.Join(args, ", ") + ")"
		if n.callee.by != nil {
			s = r.print(n.call.Fun, n.call) + "(" + strings.Join(args, ", ") + ")"
		}
	}
	if len(lhs) > 0 {
		s = strings.Join(lhs, ", ") + " " + op + " " + s
	}
	r.line("%s", s)
}
