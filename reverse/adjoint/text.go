package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
)

// text is an expression of the source as it is written in the sweeps: with the names that
// variables have there, and variables in place of what was hoisted.
func (u *unit) text(e ast.Expr) string { return u.print(e, nil) }

// print is text where top itself was not hoisted.
func (u *unit) print(e, top ast.Expr) string {
	if l := u.temps[e]; l != nil && e != top {
		return l.name
	}
	if id, ok := e.(*ast.Ident); ok && u.synth[id] != nil {
		return u.synth[id].name
	}
	if _, ok := u.elements[e]; ok {
		x := e.(*ast.IndexExpr)
		return operand(u.text(x.X)) + "[" + u.text(x.Index) + "]"
	}
	type edit struct {
		from, to token.Pos
		text     string
	}
	var edits []edit
	prefix := ""
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		if prefix = u.prog.typ(u.typeOf(e)); isPointer(u.typeOf(e)) {
			prefix = "&" + prefix[1:]
		}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if l := u.temps[x]; l != nil && x != top {
			edits = append(edits, edit{x.Pos(), x.End(), l.name})
			return false
		}
		switch x := x.(type) {
		case *ast.Ident:
			if l := u.variable(x); l != nil && l.name != x.Name {
				edits = append(edits, edit{x.Pos(), x.End(), l.name})
			}
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if pkg, ok := u.in.Info().Uses[id].(*types.PkgName); ok {
					edits = append(edits, edit{id.Pos(), id.End(), u.prog.imported(pkg.Imported())})
					return false
				}
			}
		case *ast.KeyValueExpr:
			if id, ok := x.Key.(*ast.Ident); ok {
				if v, ok := u.in.Info().Uses[id].(*types.Var); ok && v.IsField() {
					return true
				}
			}
		}
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return int(a.from - b.from) })
	var s strings.Builder
	s.WriteString(prefix)
	at := e.Pos()
	for _, x := range edits {
		s.WriteString(u.prog.Text(at, x.from) + x.text)
		at = x.to
	}
	s.WriteString(u.prog.Text(at, e.End()))
	return s.String()
}

// imported is the name by which the file refers to a package.
func (p *program) imported(pkg *types.Package) string {
	name, err := p.file.Import(pkg.Path())
	if err != nil {
		panic(err)
	}
	return name
}

// typ is a type as it is written in the file.
func (p *program) typ(t types.Type) string {
	return types.TypeString(t, func(q *types.Package) string {
		if q == p.Root.Types {
			return ""
		}
		return p.imported(q)
	})
}

// shadow is the place of the adjoint of what e is.
func (u *unit) shadow(e ast.Expr) string {
	if l := u.temps[e]; l != nil {
		return u.bar(l)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return u.shadow(x.X)
	case *ast.Ident:
		if l := u.variable(x); l != nil {
			return u.bar(l)
		}
		if u.in.Info().Types[x].IsNil() {
			return "nil"
		}
	case *ast.IndexExpr:
		return u.shadow(x.X) + "[" + u.text(x.Index) + "]"
	case *ast.SelectorExpr:
		return u.shadow(x.X) + "." + x.Sel.Name
	case *ast.StarExpr:
		if _, number := u.typeOf(x).Underlying().(*types.Basic); !number {
			return "(*" + u.shadow(x.X) + ")"
		}
		return "*" + u.shadow(x.X)
	case *ast.SliceExpr:
		s := u.shadow(x.X) + "["
		if x.Low != nil {
			s += u.text(x.Low)
		}
		s += ":"
		if x.High != nil {
			s += u.text(x.High)
		}
		if x.Max != nil {
			s += ":" + u.text(x.Max)
		}
		return s + "]"
	case *ast.UnaryExpr: // &T{…} or &s[i]
		return "&" + u.shadow(x.X)
	case *ast.CompositeLit:
		return u.shadowOfLiteral(x)
	case *ast.CallExpr:
		if u.in.Info().Types[x.Fun].IsType() {
			return u.text(x.Fun) + "(" + u.shadow(x.Args[0]) + ")"
		}
		switch activity.Builtin(u.in.Info(), x.Fun) {
		case "make", "new":
			return u.text(x)
		}
		if u.prog.pops(u.in, x) {
			return u.text(x.Fun) + "(" + u.shadow(x.Args[0]) + ")"
		}
	}
	refuse(e, "this expression of slices or pointers to active values", "assign it to a variable")
	return ""
}

func (u *unit) shadowOfLiteral(x *ast.CompositeLit) string {
	t := u.typeOf(x)
	name := u.prog.typ(t)
	switch t := t.Underlying().(type) {
	case *types.Slice:
		if holds(t.Elem()) {
			s := name + "{"
			for i, e := range x.Elts {
				if _, ok := e.(*ast.KeyValueExpr); ok || !u.active(e) {
					refuse(e, "this element of a literal of slices", "assign it after make")
				}
				if i > 0 {
					s += ", "
				}
				s += u.shadow(e)
			}
			return s + "}"
		}
		for _, e := range x.Elts {
			if _, ok := e.(*ast.KeyValueExpr); ok {
				refuse(e, "a literal of a slice with indices", "assign the elements after make")
			}
		}
		return "make(" + name + ", " + itoa(len(x.Elts)) + ")"
	case *types.Struct:
		var fields []string
		for i, e := range x.Elts {
			f := t.Field(i)
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				f = t.Field(activity.FieldIndex(t, kv.Key.(*ast.Ident).Name))
				e = kv.Value
			}
			if holds(f.Type()) && u.active(e) {
				fields = append(fields, f.Name()+": "+u.shadow(e))
			}
		}
		return name + "{" + strings.Join(fields, ", ") + "}"
	}
	refuse(x, "this literal", "assign it to a variable")
	return ""
}

// operand is an expression that an operator is applied to.
func operand(s string) string {
	if atomic(s) {
		return s
	}
	return "(" + s + ")"
}

// atomic reports whether s is an operand without parentheses around it.
func atomic(s string) bool {
	depth := 0
	for i, c := range s {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ' ':
			if depth == 0 {
				return false
			}
		case '+', '-', '*', '/', '&', '<', '>', '!', '|', '^', '%':
			if depth == 0 && !(i > 0 && (s[i-1] == 'e' || s[i-1] == 'E') && (s[0] >= '0' && s[0] <= '9')) {
				return false
			}
		}
	}
	return true
}
