package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

// forLoop is a loop that counts, or one whose trips are counted.
func (b *builder) forLoop(s *ast.ForStmt, label string) {
	if l := b.counted(s, label); l != nil {
		b.body(l, s.Body, nil)
		b.emit(l)
		return
	}
	k := b.block(s.Pos(), func() {
		if s.Init != nil {
			b.stmt(s.Init, "")
		}
		l := &loop{stmt: s, label: label, cond: s.Cond, count: true, breaks: map[int]bool{}}
		if s.Cond != nil {
			b.reading(s.Cond)
		}
		b.body(l, s.Body, nil)
		if s.Post != nil {
			l.post = b.block(s.Post.Pos(), func() { b.stmt(s.Post, "") })
		}
		b.emit(l)
	})
	b.emit(k)
}

// body makes the form of a loop's body, with first before it.
func (b *builder) body(l *loop, body *ast.BlockStmt, first func()) {
	start := b.codes
	b.count++
	l.number = b.count
	b.loops = append(b.loops, l)
	l.body = b.block(body.Pos(), func() {
		if first != nil {
			first()
		}
		b.stmts(body.List)
	})
	b.loops = b.loops[:len(b.loops)-1]
	l.inner, l.exits = b.codes, l.body.last > 0
	// What leaves the loop itself are returns, and jumps to loops around it.
	for code := start + 1; code <= b.codes; code++ {
		if x := b.exitOf(l.body, code); x != nil && x.target != l {
			outside := x.kind == token.RETURN
			for _, o := range b.loops {
				outside = outside || o == x.target
			}
			if outside {
				if l.first == 0 {
					l.first = code
				}
				l.last = code
			}
		}
	}
	if len(l.breaks) > 0 || l.last > 0 {
		l.count = true
	}
}

// exitOf finds the exit of a number.
func (b *builder) exitOf(k *block, code int) (found *exit) {
	each(k, func(n node) {
		if x, ok := n.(*exit); ok && x.code == code {
			found = x
		}
	})
	return found
}

// each calls f with all nodes within n, and n.
func each(n node, f func(n node)) {
	f(n)
	blocks := func(k ...*block) {
		for _, k := range k {
			if k != nil {
				each(k, f)
			}
		}
	}
	switch n := n.(type) {
	case *block:
		for _, m := range n.list {
			each(m, f)
		}
		blocks(n.tail)
	case *branch:
		blocks(n.then, n.els)
	case *choice:
		blocks(n.clauses...)
	case *loop:
		blocks(n.body, n.post)
	}
}

// counted is the loop if it is one as i := a; i < b; i++ whose body leaves i and b alone.
func (b *builder) counted(s *ast.ForStmt, label string) *loop {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return nil
	}
	id := init.Lhs[0].(*ast.Ident)
	v := b.in.Info().Defs[id]
	if v == nil || !types.Identical(v.Type(), types.Typ[types.Int]) {
		return nil
	}
	is := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.Ident)
		return ok && b.in.Info().Uses[x] == v
	}
	post, ok := s.Post.(*ast.IncDecStmt)
	if !ok || !is(post.X) {
		return nil
	}
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || b.changes(s.Body, v) || b.calls(cond) || b.calls(init.Rhs[0]) {
		return nil
	}
	l := &loop{stmt: s, label: label, from: init.Rhs[0], to: cond.Y, down: post.Tok == token.DEC, breaks: map[int]bool{}}
	x := ast.Unparen(cond.X)
	if !is(x) { // i+1 < n
		sum, ok := x.(*ast.BinaryExpr)
		if !ok || !is(sum.X) || sum.Op != token.ADD && sum.Op != token.SUB {
			return nil
		}
		c := b.in.Info().Types[sum.Y].Value
		if c == nil {
			return nil
		}
		k, ok := constant.Int64Val(c)
		if !ok {
			return nil
		}
		if l.offset = int(k); sum.Op == token.ADD {
			l.offset = -l.offset
		}
	}
	mentions := false
	ast.Inspect(cond.Y, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		mentions = mentions || ok && is(e)
		return true
	})
	if mentions || b.written(s.Body, cond.Y) || b.written(s.Body, init.Rhs[0]) {
		return nil
	}
	switch {
	case !l.down && cond.Op == token.LSS || l.down && cond.Op == token.GEQ:
	case !l.down && cond.Op == token.LEQ:
		l.offset++
	case l.down && cond.Op == token.GTR:
		l.offset++
	default:
		return nil
	}
	l.counter = b.declare(id)
	return l
}

// calls reports whether e calls anything but a built-in function that only reads.
func (b *builder) calls(e ast.Expr) bool {
	return !b.prog.Program.Pure(b.in.Pkg, e)
}

// changes reports whether a body assigns to v.
func (b *builder) changes(body ast.Node, v types.Object) (found bool) {
	is := func(e ast.Expr) {
		id, ok := ast.Unparen(e).(*ast.Ident)
		found = found || ok && b.in.Info().Uses[id] == v
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				is(e)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.RangeStmt:
			if n.Key != nil {
				is(n.Key)
			}
			if n.Value != nil {
				is(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				is(n.X)
			}
		}
		return true
	})
	return found
}

// written reports whether a body may change what e reads, by its variables alone or, where
// e reads memory, by any assignment to memory of such a type or any call.
func (b *builder) written(body ast.Node, e ast.Expr) (found bool) {
	memory := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := b.in.Info().Uses[n].(*types.Var); ok && !v.IsField() {
				found = found || b.changes(body, v)
			}
		case *ast.IndexExpr, *ast.StarExpr:
			memory = true
		case *ast.SelectorExpr:
			memory = memory || b.in.Info().Selections[n] != nil
		}
		return true
	})
	if memory {
		t := b.typeOf(e).Underlying()
		ast.Inspect(body, func(n ast.Node) bool {
			var lhs []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				lhs = n.Lhs
			case *ast.IncDecStmt:
				lhs = []ast.Expr{n.X}
			case *ast.CallExpr:
				found = found || !b.prog.Program.Pure(b.in.Pkg, n)
			}
			for _, x := range lhs {
				if _, ok := ast.Unparen(x).(*ast.Ident); !ok {
					_, number := b.typeOf(x).Underlying().(*types.Basic)
					found = found || !number || types.Identical(b.typeOf(x).Underlying(), t)
				}
			}
			return true
		})
	}
	return found
}

func (b *builder) rangeLoop(s *ast.RangeStmt, label string) {
	l := &loop{stmt: s, label: label, to: s.X, breaks: map[int]bool{}}
	if s.Tok == token.ASSIGN {
		refuse(s, "a range loop that assigns to variables from before", "declare them by :=")
	}
	constantBound := b.in.Info().Types[s.X].Value != nil
	switch t := b.typeOf(s.X).Underlying().(type) {
	case *types.Slice, *types.Array:
		l.length = true
	case *types.Pointer:
		l.length = true
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 {
			refuse(s, "a range over a string with active values", "range over a slice of runes")
		}
		if s.Key != nil && b.in.Info().Defs[s.Key.(*ast.Ident)] != nil && !types.Identical(b.in.Info().Defs[s.Key.(*ast.Ident)].Type(), types.Typ[types.Int]) {
			refuse(s, "a range over an integer that is no int", "convert it")
		}
	default:
		refuse(s, "a range over this type with active values", "range over a slice")
	}
	emit := func() {
		if !constantBound {
			_, simple := ast.Unparen(l.to).(*ast.Ident)
			array := false
			if simple {
				_, array = b.typeOf(s.X).Underlying().(*types.Array)
			}
			if !simple || b.written(s.Body, l.to) || array && b.assigned(s.Body, l.to) {
				if array {
					refuse(s, "a range over an array that the loop changes", "count up to its length")
				}
				b.value(s, s.X)
				l.to = b.temporary(s, "over", s.X)
			}
		}
		name := "i"
		key, ok := s.Key.(*ast.Ident)
		if ok && key.Name != "_" && !b.changes(s.Body, b.in.Info().Defs[key]) {
			l.counter = b.declare(key)
			key = nil
		} else {
			l.counter = b.synthetic(name, types.Typ[types.Int], false).local
		}
		index := ast.NewIdent(l.counter.name)
		b.synth[index] = l.counter
		b.body(l, s.Body, func() {
			if key != nil && key.Name != "_" {
				b.set(s, key, token.ASSIGN, index)
			}
			if v, ok := s.Value.(*ast.Ident); ok && v.Name != "_" {
				e := &ast.IndexExpr{X: l.to, Index: index}
				t := b.in.Info().Defs[v].Type()
				b.elements[e] = element{typ: t, over: s.X, v: b.in.Info().Defs[v]}
				b.set(s, v, token.ASSIGN, e)
			}
		})
		b.emit(l)
	}
	if constantBound {
		emit()
		return
	}
	n := len(b.out)
	k := b.block(s.Pos(), emit)
	if len(k.list) == 1 && k.tail == nil { // no block is needed
		b.out = append(b.out[:n], k.list[0])
		return
	}
	b.emit(k)
}

// assigned reports whether a body assigns to parts of the variable e.
func (b *builder) assigned(body ast.Node, e ast.Expr) (found bool) {
	v := b.base(e)
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok {
			for _, x := range s.Lhs {
				found = found || v != nil && b.base(x) == v
			}
		}
		if s, ok := n.(*ast.IncDecStmt); ok {
			found = found || v != nil && b.base(s.X) == v
		}
		return true
	})
	return found
}

func itoa(n int) string { return strconv.Itoa(n) }
