package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/source"
)

// Functions that use more of Go than the simple form (form.go) knows are first written in
// less of it, as a file of their package that only this command sees:
//
//   - functions of other packages, generic ones and methods become functions of the
//     package, with what they need that is not exported;
//   - function values become pointers to structs of a code and of what they captured, and
//     calls of them a switch over the codes (Reynolds, Definitional interpreters for
//     higher-order programming languages, 1972);
//   - variables whose address is taken, or that are captured and changed, become pointers,
//     and so do variables of structs and arrays that lead to other memory;
//   - append, maps, defer, named results, goto, fallthrough and the like are written out.
//
// Positions in that file are those of the source.
type front struct {
	*program
	text    strings.Builder
	marks   []token.Pos
	taken   map[string]bool   // names anywhere in what is written
	imports map[string]string // names by path
	groups  map[string]*group
	queue   []func()
	copies  map[string]string // names of types, variables and helpers
	sigs    map[string]*signature
	order   []*signature
}

// A group is a function with its type arguments, as it is called anywhere.
type group struct {
	name string
	all  []*activity.Instance
}

// A signature is the type of function values.
type signature struct {
	name   string
	typ    *types.Signature
	fields map[string]string // of the struct: types by name
	order  []string
	cases  []string // calls of what has the code of the index
}

// simplified is the program with functions, and all that they reach, in the simple language.
// They keep their names; those in the source are left out.
func (p *program) simplified(functions []string, output string) (q *activity.Program, faults []activity.Fault, err error) {
	f := &front{program: p, taken: map[string]bool{"w": true}, imports: map[string]string{}, groups: map[string]*group{},
		copies: map[string]string{}, sigs: map[string]*signature{}}
	p.origins = map[string]string{}
	defer func() {
		if e := recover(); e != nil {
			x, ok := e.(fault)
			if !ok {
				panic(e)
			}
			faults = append(faults, p.a.NewFault(x.in, x.at, x.what, x.instead))
		}
	}()
	for _, n := range slices.Concat(p.Root.Types.Scope().Names(), types.Universe.Names()) {
		f.taken[n] = true
	}
	var roots []*activity.Instance
	for _, in := range p.a.All {
		k := key(in.Fn, in.Env)
		if f.groups[k] == nil {
			f.groups[k] = &group{}
		}
		f.groups[k].all = append(f.groups[k].all, in)
		f.reserve(in.Decl)
		if in.Caller == nil {
			f.groups[k].name = in.Fn.Name()
			roots = append(roots, in)
		}
	}
	for _, in := range roots {
		f.write(f.groups[key(in.Fn, in.Env)], true)
	}
	for done := 0; len(f.queue) > 0 || done < len(f.order); {
		for len(f.queue) > 0 {
			next := f.queue[0]
			f.queue = f.queue[1:]
			next()
		}
		if done < len(f.order) { // the types of functions may lead to others
			f.shape(f.order[done])
			done++
		}
	}
	for _, s := range f.order {
		f.dispatch(s)
	}
	var head strings.Builder
	fmt.Fprintf(&head, "package %s\n\nimport (\n", p.Root.Name)
	for _, path := range slices.Sorted(maps.Keys(f.imports)) {
		fmt.Fprintf(&head, "%s %q\n", f.imports[path], path)
	}
	head.WriteString(")\n\n")
	text, places := f.unmark(head.String() + f.text.String())
	output = "simple_" + output
	for _, x := range p.Check(output, []byte(text)) {
		if !strings.Contains(x.Msg, "not used") && !strings.HasPrefix(x.Msg, "label ") && !strings.Contains(x.Msg, "redeclared") && !strings.Contains(x.Msg, "other declaration") {
			at := places[0].at
			for _, y := range places {
				if y.offset <= p.Fset.File(x.Pos).Offset(x.Pos) {
					at = y.at
				}
			}
			faults = append(faults, activity.Fault{At: at, What: "this is not understood: " + x.Msg})
		}
	}
	if len(faults) > 0 {
		return nil, faults, nil
	}
	q, err = p.With(output, []byte(text), functions, func(file *token.File) {
		for _, x := range places {
			at := p.Fset.Position(x.at)
			file.AddLineColumnInfo(x.offset, at.Filename, at.Line, at.Column)
		}
	})
	return q, nil, err
}

// key names a function with its type arguments.
func key(fn *types.Func, env activity.Env) string {
	var args []string
	for k, t := range env {
		args = append(args, k.String()+"="+types.TypeString(t, nil))
	}
	slices.Sort(args)
	return fn.Origin().FullName() + "|" + strings.Join(args, ",")
}

// reserve takes the names in a piece of source.
func (f *front) reserve(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f.taken[id.Name] = true
		}
		return true
	})
}

// fresh is a name that nothing has.
func (f *front) fresh(name string) string {
	n := name
	for k := 1; f.taken[n] || source.CheckName(n) != nil; k++ {
		n = name + itoa(k)
	}
	f.taken[n] = true
	return n
}

type placed struct {
	offset int
	at     token.Pos
}

func (f *front) mark(at token.Pos) string {
	f.marks = append(f.marks, at)
	return fmt.Sprintf("\x00%d\x00", len(f.marks)-1)
}

// unmark takes the marks out of a text, and says where they stood.
func (f *front) unmark(text string) (string, []placed) {
	var b strings.Builder
	var out []placed
	for {
		before, rest, ok := strings.Cut(text, "\x00")
		b.WriteString(before)
		if !ok {
			return b.String(), out
		}
		var k int
		number, after, _ := strings.Cut(rest, "\x00")
		fmt.Sscan(number, &k)
		if len(out) > 0 && out[len(out)-1].offset == b.Len() {
			out = out[:len(out)-1]
		}
		out = append(out, placed{b.Len(), f.marks[k]})
		text = after
	}
}

func (f *front) importPackage(q *types.Package) string {
	if f.imports[q.Path()] == "" {
		f.imports[q.Path()] = f.fresh(q.Name() + "Pkg")
	}
	return f.imports[q.Path()]
}

// function is the name of a function as it is written.
func (f *front) function(fn *types.Func, env activity.Env, from *activity.Instance) string {
	k := key(fn, env)
	g := f.groups[k]
	if g == nil {
		origin, decl, pkg := f.Program.Source(fn)
		if decl == nil || decl.Body == nil {
			panic(fault{in: from, at: fn.Pos(), what: "the source of " + fn.FullName() + " is not Go, or out of reach"})
		}
		g = &group{all: []*activity.Instance{{Fn: origin, Decl: decl, Pkg: pkg, Env: env, Caller: from, Called: from.Decl.Pos()}}}
		f.groups[k] = g
		f.reserve(decl)
	}
	if g.name != "" {
		return g.name
	}
	in := g.all[0]
	name, said := in.Fn.Name(), in.Fn.Name()
	if r := in.Fn.Signature().Recv(); r != nil {
		if n, ok := types.Unalias(activity.Deref(r.Type())).(*types.Named); ok {
			name, said = n.Obj().Name()+source.Upper(name), n.Obj().Name()+"."+said
		}
	}
	if in.Pkg != f.Root {
		name, said = in.Pkg.Name+source.Upper(name), in.Pkg.Name+"."+said
	}
	g.name = f.fresh(lowerName(name))
	f.origins[g.name] = said
	f.write(g, false)
	return g.name
}

// write writes a function, when it is its turn.
func (f *front) write(g *group, root bool) {
	f.queue = append(f.queue, func() {
		l := &lower{front: f, group: g, in: g.all[0], vars: map[*types.Var]*variable{}}
		f.text.WriteString(l.declaration(g.name, root) + "\n\n")
	})
}

// shape writes the struct of function values.
func (f *front) shape(s *signature) {
	l := &lower{front: f}
	for i := range s.typ.Params().Len() {
		l.held(s.typ.Params().At(i).Type())
	}
}

// dispatch writes the struct of function values, and the function that calls them.
func (f *front) dispatch(s *signature) {
	l := &lower{front: f}
	fmt.Fprintf(&f.text, "type %s struct {\ncode int\n", s.name)
	for _, name := range s.order {
		fmt.Fprintf(&f.text, "%s %s\n", name, s.fields[name])
	}
	f.text.WriteString("}\n\n")
	params, results, args := []string{"c *" + s.name}, []string{}, []string{}
	for i := range s.typ.Params().Len() {
		a := "a" + itoa(i)
		args = append(args, a)
		params = append(params, a+" "+l.held(s.typ.Params().At(i).Type()))
	}
	var names []string
	for i := range s.typ.Results().Len() {
		results = append(results, l.held(s.typ.Results().At(i).Type()))
		names = append(names, "r"+itoa(i))
	}
	fmt.Fprintf(&f.text, "func call%s(%s) (%s) {\n", source.Upper(s.name), strings.Join(params, ", "), strings.Join(results, ", "))
	list := strings.Join(args, ", ")
	call := func(k int) string {
		c := strings.ReplaceAll(s.cases[k], "ARGS", list)
		c = strings.ReplaceAll(c, ", )", ")")
		switch len(results) {
		case 0:
			return c
		case 1:
			return "return " + c
		}
		return strings.Join(names, ", ") + " := " + c + "\nreturn " + strings.Join(names, ", ")
	}
	switch n := len(s.cases); n {
	case 0:
		f.text.WriteString("panic(\"nil function\")\n")
	case 1:
		f.text.WriteString(call(0) + "\n")
	default:
		f.text.WriteString("switch c.code {\n")
		for k := range n - 1 {
			fmt.Fprintf(&f.text, "case %d:\n%s\n", k, call(k))
		}
		if len(results) > 0 {
			fmt.Fprintf(&f.text, "}\n%s\n", call(n-1))
		} else {
			fmt.Fprintf(&f.text, "default:\n%s\n}\n", call(n-1))
		}
	}
	f.text.WriteString("}\n\n")
}

// helper is the name of a helper function that what is written calls as it is.
func (f *front) helper(name, text string) string {
	n := f.copies[name]
	if n == "" {
		n = "hesse" + source.Upper(f.prefix) + name
		f.copies[name] = n
		f.text.WriteString(strings.ReplaceAll(text, "NAME", n) + "\n\n")
	}
	return n
}

// kept is the file of simple functions, but for roots, with the names that the file that is
// written has for packages.
func (p *program) kept(roots []string) []byte {
	file := p.Root.Syntax[len(p.Root.Syntax)-1]
	u := &unit{prog: p, in: &activity.Instance{Pkg: p.Root}}
	var body strings.Builder
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if slices.Contains(roots, d.Name.Name) {
				continue
			}
			if said := p.origins[d.Name.Name]; said != "" {
				fmt.Fprintf(&body, "// %s is %s.\n", d.Name.Name, said)
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
		}
		body.WriteString(u.copyText(d) + "\n\n")
	}
	head := "package " + p.Root.Name + "\n\nimport (\n"
	for _, s := range file.Imports {
		q := p.Root.TypesInfo.Implicits[s]
		if s.Name != nil {
			q = p.Root.TypesInfo.Defs[s.Name]
		}
		if q, ok := q.(*types.PkgName); ok {
			head += fmt.Sprintf("%s %q\n", p.imported(q.Imported()), q.Imported().Path())
		}
	}
	return []byte(head + ")\n\n" + body.String())
}

// copyText is a declaration of the simple file with the names of packages of the file that
// is written.
func (u *unit) copyText(d ast.Node) string {
	var b strings.Builder
	at := d.Pos()
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if q, ok := u.in.Info().Uses[id].(*types.PkgName); ok {
				b.WriteString(u.prog.Text(at, id.Pos()) + u.prog.imported(q.Imported()))
				at = id.End()
			}
		}
		return true
	})
	return b.String() + u.prog.Text(at, d.End())
}

// reachable reports whether other packages can name o.
func reachable(o types.Object) bool {
	return o.Exported() && !strings.Contains("/"+o.Pkg().Path()+"/", "/internal/")
}

// nameOf is a type as it is written in the simple file.
func (l *lower) typ(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name()
	case *types.Slice:
		return "[]" + l.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), l.typ(t.Elem()))
	case *types.Pointer:
		return "*" + l.typ(t.Elem())
	case *types.Map:
		return "map[" + l.typ(t.Key()) + "]" + l.typ(t.Elem())
	case *types.Struct:
		var fields []string
		for i := range t.NumFields() {
			f := t.Field(i)
			fields = append(fields, f.Name()+" "+l.typ(f.Type()))
		}
		return "struct { " + strings.Join(fields, "; ") + " }"
	case *types.Signature:
		return "*" + l.signature(t).name
	case *types.Named:
		switch u := t.Underlying().(type) {
		case *types.Signature:
			return "*" + l.signature(u).name
		case *types.Basic:
			if u.Kind() == types.Float64 {
				return "float64"
			}
		}
		if l.changed(t, map[types.Type]bool{}) {
			return l.copyType(t)
		}
		return l.named(t)
	}
	return types.TypeString(t, func(q *types.Package) string {
		if q == l.Root.Types {
			return ""
		}
		return l.importPackage(q)
	})
}

func (l *lower) named(t *types.Named) string {
	return types.TypeString(t, func(q *types.Package) string {
		if q == l.Root.Types {
			return ""
		}
		return l.importPackage(q)
	})
}

// changed reports whether a named type has to be copied: it is not seen from the package,
// or holds functions.
func (l *lower) changed(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() == nil || types.IsInterface(t) {
			return false
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Float64 {
			return true
		}
		if o.Parent() != o.Pkg().Scope() || t.TypeArgs().Len() > 0 {
			return true
		}
		if o.Pkg() != l.Root.Types && !reachable(o) {
			return true
		}
		if s, ok := t.Underlying().(*types.Struct); ok && o.Pkg() != l.Root.Types {
			for i := range s.NumFields() {
				if !s.Field(i).Exported() {
					return l.opened(o.Pkg())
				}
			}
		}
		return l.changed(t.Underlying(), seen)
	case *types.Slice:
		return l.changed(t.Elem(), seen)
	case *types.Array:
		return l.changed(t.Elem(), seen)
	case *types.Pointer:
		return l.changed(t.Elem(), seen)
	case *types.Map:
		return l.changed(t.Key(), seen) || l.changed(t.Elem(), seen)
	case *types.Signature:
		return true
	case *types.Struct:
		for i := range t.NumFields() {
			if l.changed(t.Field(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}

// opened reports whether functions of a package are looked into.
func (l *lower) opened(q *types.Package) bool {
	return slices.ContainsFunc(l.a.All, func(in *activity.Instance) bool { return in.Pkg.Types == q })
}

func (l *lower) copyType(t *types.Named) string {
	k := fmt.Sprintf("type %p %s", t.Obj(), types.TypeString(t, nil))
	if l.in != nil && t.Obj().Parent() != t.Obj().Pkg().Scope() {
		k += key(l.in.Fn, l.in.Env)
	}
	if n := l.copies[k]; n != "" {
		return n
	}
	name := t.Obj().Name()
	if t.Obj().Pkg() != l.Root.Types {
		name = t.Obj().Pkg().Name() + source.Upper(name)
	}
	n := l.fresh(lowerName(name))
	l.copies[k] = n
	if n2, ok := types.Unalias(t).(*types.Named); ok {
		text := l.typ(activity.Substitute(n2.Underlying(), l.env()))
		l.front.text.WriteString("type " + n + " " + text + "\n\n")
	}
	return n
}

func (l *lower) env() activity.Env {
	if l.in == nil {
		return nil
	}
	return l.in.Env
}

// signature is the type of function values of a type.
func (l *lower) signature(t *types.Signature) *signature {
	t = activity.Substitute(t, l.env()).(*types.Signature)
	k := types.TypeString(types.NewSignatureType(nil, nil, nil, unnamed(t.Params()), unnamed(t.Results()), t.Variadic()), nil)
	s := l.sigs[k]
	if s == nil {
		s = &signature{name: l.fresh("function"), typ: t, fields: map[string]string{}}
		l.sigs[k] = s
		l.order = append(l.order, s)
	}
	return s
}

func unnamed(t *types.Tuple) *types.Tuple {
	var v []*types.Var
	for i := range t.Len() {
		v = append(v, types.NewParam(token.NoPos, nil, "", t.At(i).Type()))
	}
	return types.NewTuple(v...)
}

// held is the type of a variable of type t: structs and arrays that lead to other memory
// are held by pointers.
func (l *lower) held(t types.Type) string {
	if aggregate(t) {
		return "*" + l.typ(t)
	}
	return l.typ(t)
}

// aggregate reports whether t is a struct or array that leads to other memory.
func aggregate(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return holds(t)
	}
	return false
}

// said is the name of the function of a unit in the source.
func (u *unit) said() string {
	if s := u.prog.origins[u.in.Fn.Name()]; s != "" {
		return s
	}
	return u.in.Fn.Name()
}
