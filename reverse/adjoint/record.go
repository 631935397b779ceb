package main

import (
	"go/ast"
	"maps"

	"github.com/hesse-ad/hesse/internal/activity"
)

// What is to be recorded (Hascoët, Naumann and Pascual, Future Gener. Comput. Syst. 21,
// 2005): a value that the reverse sweep reads and that is overwritten before it gets there.
// For variables of a function this follows the flow of control; memory that slices and
// pointers lead to counts as read everywhere if it is read anywhere.

// required are the variables whose present values the reverse sweep reads.
type required map[*local]bool

func (q required) with(other required) required {
	maps.Copy(q, other)
	return q
}

// record decides what is saved.
func (u *unit) record() {
	u.left, u.around = required{}, nil
	q := required{}
	u.flowBlock(u.form, q)
}

func (u *unit) mark(b *bool) {
	if !*b {
		*b, u.prog.changed = true, true
	}
}

func (u *unit) reading(f *facts, q required) {
	for key := range f.reads {
		if l, ok := key.(*local); ok {
			q[l] = true
		}
	}
}

func (u *unit) flow(n node, q required) {
	f := n.info()
	u.reading(f, q)
	u.around = append(u.around, f)
	defer func() { u.around = u.around[:len(u.around)-1] }()
	switch n := n.(type) {
	case *assign:
		if n.lhs == nil || n.stack != nil {
			return
		}
		if n.define {
			if !f.reads[n.v] { // what its derivative reads of itself is its new value
				delete(q, n.v)
			}
			return
		}
		u.keysOf(n.lhs, func(key any) {
			if l, ok := key.(*local); ok {
				if q[l] {
					u.mark(&n.push)
				} else if l == n.v {
					delete(q, l)
				}
				if n.push && l == n.v {
					delete(q, l)
				}
			} else if u.prog.needed[key] {
				u.mark(&n.push)
			}
		})
	case *copying:
		u.elementsOf(n.dst, func(key any) {
			if u.prog.needed[key] {
				u.mark(&n.push)
			}
		})
	case *block:
		u.flowBlock(n, q)
	case *branch:
		other := maps.Clone(q)
		u.flowBlock(n.then, q)
		if n.els != nil {
			u.flowBlock(n.els, other)
		}
		q.with(other)
		u.reading(f, q)
	case *choice:
		out := maps.Clone(q)
		for _, k := range n.clauses {
			other := maps.Clone(q)
			u.flowBlock(k, other)
			out.with(other)
		}
		q.with(out)
	case *loop:
		for {
			before := len(q)
			in := maps.Clone(q)
			u.flowBlock(n.body, q)
			if n.body.last > 0 {
				q.with(u.left)
			}
			if n.post != nil {
				u.flowBlock(n.post, q)
			}
			if n.body.last > 0 { // break leaves out the post statement
				q.with(u.left)
			}
			q.with(in)
			if len(q) == before {
				break
			}
		}
		u.reading(f, q)
		if n.counter != nil {
			delete(q, n.counter)
		}
	case *exit:
		for _, f := range u.around { // what is computed again after this exit is popped
			u.reading(f, q)
		}
		u.left.with(q)
	}
	if n.info().last > 0 {
		q.with(u.left)
	}
}

func (u *unit) flowBlock(k *block, q required) {
	u.around = append(u.around, &k.facts)
	defer func() { u.around = u.around[:len(u.around)-1] }()
	for _, n := range k.list {
		u.flow(n, q)
	}
	if k.tail != nil {
		u.flowBlock(k.tail, q)
	}
	u.reading(&k.facts, q)
	for _, l := range k.vars {
		if u.read[l] && !l.again && (q[l] || k.last > 0 && u.left[l]) {
			u.mark(&l.save)
		}
	}
	if k.last == 0 {
		for _, l := range k.vars {
			delete(q, l)
		}
	}
}

// decide finds what is computed again: variables that are set once, where they are
// declared, from what does not change to the end of their block, without calls that take
// time; and conditions alike.
func (u *unit) decide(k *block) {
	for i, n := range k.list {
		rest := func(f func(key any)) {
			for _, m := range k.list[i+1:] {
				u.writesOf(m, f)
			}
			if k.tail != nil {
				u.writesOf(k.tail, f)
			}
		}
		switch n := n.(type) {
		case *assign:
			if n.define && n.v.assigns == 0 && (n.rhs == nil || u.cheap(n.rhs)) && n.v.set == n && !(n.rhs == nil && n.v.holder) {
				u.settle(&n.v.again, !u.disturbs(n.rhs, rest))
			}
		case *block:
			u.decide(n)
		case *branch:
			u.decide(n.then)
			if n.els != nil {
				u.decide(n.els)
			}
			u.settle(&n.again, u.cheap(n.cond) && !u.disturbs(n.cond, func(f func(key any)) {
				u.writesOf(n.then, f)
				if n.els != nil {
					u.writesOf(n.els, f)
				}
			}))
		case *choice:
			for _, c := range n.clauses {
				u.decide(c)
			}
		case *loop:
			u.decide(n.body)
			if n.post != nil {
				u.decide(n.post)
			}
			u.bound(n)
		}
	}
	if k.tail != nil {
		u.decide(k.tail)
	}
}

// settle decides for all instances of the unit at once.
func (u *unit) settle(b *bool, yes bool) { *b = yes && (*b || u.in == u.all[0]) }

// bound counts the trips of a loop whose bounds change within it.
func (u *unit) bound(n *loop) {
	if n.counter == nil {
		return
	}
	body := func(f func(key any)) { u.writesOf(n.body, f) }
	if u.disturbs(n.to, body) {
		n.count = true
	}
	if n.from != nil && u.disturbs(n.from, body) {
		refuse(n.from, "a loop that changes what it began with", "keep it in a variable")
	}
}

// disturbs reports whether something that e reads is written.
func (u *unit) disturbs(e ast.Expr, written func(f func(key any))) (found bool) {
	if e == nil {
		return false
	}
	keys := map[any]bool{}
	u.reads(e, func(key any) { keys[key] = true })
	written(func(key any) { found = found || keys[key] })
	return found
}

// cheap reports whether an expression takes less time than saving its value, or so, makes
// nothing new and calls nothing.
func (u *unit) cheap(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if u.in.Info().Types[n.Fun].IsType() {
				return true
			}
			switch activity.Builtin(u.in.Info(), n.Fun) {
			case "len", "cap", "min", "max":
				return true
			case "":
				fn, _ := u.in.Function(n.Fun)
				if fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "math" {
					if r, known := ruleOf(fn); !known || !r.dear {
						return true
					}
				}
			}
			ok = false
		case *ast.CompositeLit, *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op.String() != "&" && n.Op.String() != "<-"
		}
		return ok
	})
	return ok
}
