package main

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"

	"github.com/hesse-ad/hesse/internal/activity"
)

// A writer collects the declarations of the file that is written.
type writer struct {
	a    *activity.Analysis
	prog *activity.Program
	pkg  *packages.Package // that the file belongs to
	T    string            // the type parameter, or a concrete type

	generic bool   // T is a parameter
	selects bool   // branches become operations where they can
	suffix  string // of the names of what is lifted
	imports map[string]string
	taken   map[string]bool
	byKey   map[string]*lifted
	decls   []*lifted
	queue   []func()
	copied  map[types.Object]string
	helpers map[string]string // their names here
	sources map[string]bool   // files and modules that the code is from
	marks   []mark

	constraints map[string]constraint.Expr // of the build, of files that the code is from
	kept        []activity.Fault           // branches that are no choices, for -select
}

// A mark is where the text that follows it is from.
type mark struct {
	in *activity.Instance
	at token.Pos
}

// mark is a mark as it stands in the text until file takes it out.
func (w *writer) mark(in *activity.Instance, at token.Pos) string {
	w.marks = append(w.marks, mark{in, at})
	return fmt.Sprintf("\x00%d\x00", len(w.marks)-1)
}

// lifted is a declaration of the file.
type lifted struct {
	name   string
	method bool // of a lifted type
	bare   bool // without the type parameter
	text   string
	w      *writer
}

// value is how the function is written as a value.
func (l *lifted) value() string {
	if l.bare || !l.w.generic {
		return l.name
	}
	return l.name + "[" + l.w.T + "]"
}

func (w *writer) params() string {
	if !w.generic {
		return ""
	}
	return "[" + w.T + " " + w.dual() + ".Scalar[" + w.T + "]]"
}

const dualPath = "github.com/hesse-ad/hesse/dual"

func (w *writer) dual() string { return w.imported(dualPath, "dual") }

// number is the type of an active number.
func (w *writer) number(p *activity.Place) string {
	if activity.IsComplex(p.Type()) {
		return w.dual() + ".Complex[" + w.T + "]"
	}
	return w.T
}

// imported notes that a package is used and returns its name here.
func (w *writer) imported(pkgPath, name string) string {
	if n, ok := w.imports[pkgPath]; ok {
		return n
	}
	n := w.unique(name)
	w.imports[pkgPath] = n
	return n
}

// unique is name, or name with a number if it is taken.
func (w *writer) unique(name string) string {
	n := name
	for i := 2; w.taken[n]; i++ {
		n = fmt.Sprintf("%s%d", name, i)
	}
	w.taken[n] = true
	return n
}

// named is what something of package p is called here, without its suffix.
func (w *writer) named(p *types.Package, name string) string {
	if p == w.pkg.Types {
		return name
	}
	return p.Name() + upper(name)
}

func upper(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(c)) + s[n:]
}

// helper is a function that the file needs besides.
func (w *writer) helper(name string) string {
	if w.helpers[name] == "" {
		w.helpers[name] = w.unique(name + w.suffix)
	}
	return w.helpers[name]
}

// function is a function as lifted for the activity of in.
func (w *writer) function(in *activity.Instance) *lifted {
	var key strings.Builder
	sig := in.Fn.Type().(*types.Signature)
	key.WriteString(in.Fn.FullName())
	for _, tp := range sortedEnv(in) {
		key.WriteString("," + tp)
	}
	pattern, active := in.Pattern()
	key.WriteString(pattern)
	if l := w.byKey[key.String()]; l != nil {
		return l
	}
	l := &lifted{w: w, bare: !active}
	w.byKey[key.String()] = l
	l.method = sig.Recv() != nil && in.Recv.HoldsActive() && !in.Recv.IsNumber()
	base := in.Fn.Name()
	if sig.Recv() != nil && !l.method {
		base = typeName(sig.Recv().Type()) + upper(base)
	}
	switch {
	case l.method:
		owner := typeName(sig.Recv().Type()) + w.suffix + in.Recv.Pattern() + "." // no name of Go's
		l.name = strings.TrimPrefix(w.unique(owner+base), owner)
	case l.bare:
		l.name = w.unique(w.named(in.Fn.Pkg(), base))
	default:
		l.name = w.unique(w.named(in.Fn.Pkg(), base) + w.suffix)
	}
	w.decls = append(w.decls, l)
	w.queue = append(w.queue, func() { l.text = w.renderFunc(l, in) })
	return l
}

func sortedEnv(in *activity.Instance) []string {
	var s []string
	for k, v := range in.Env {
		s = append(s, fmt.Sprintf("%d=%s", k.Index(), types.TypeString(v, nil)))
	}
	slices.Sort(s)
	return s
}

func typeName(t types.Type) string {
	if n, ok := types.Unalias(activity.Deref(t)).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

func (w *writer) renderFunc(l *lifted, in *activity.Instance) string {
	r := &renderer{writer: w, in: in, results: in.Results}
	w.source(in)
	sig := in.Fn.Origin().Type().(*types.Signature)
	d := in.Decl
	var b strings.Builder
	b.WriteString(doc(d.Doc, in.Fn.Name(), l.name))
	b.WriteString(w.mark(in, d.Pos()) + "func ")
	params := ""
	if d.Recv != nil {
		f := d.Recv.List[0]
		name := "_"
		if len(f.Names) > 0 {
			name = f.Names[0].Name
		}
		recv := name + " " + r.receiverType(in.Recv, f.Type)
		if l.method {
			b.WriteString("(" + recv + ") ")
		} else {
			params = recv
		}
	}
	b.WriteString(l.name)
	if !l.method && !l.bare {
		b.WriteString(w.params())
	}
	s := r.signature(d.Type, in.Params, in.Results)
	if params != "" {
		if sig.Params().Len() > 0 {
			params += ", "
		}
		s = "(" + params + strings.TrimPrefix(s, "(")
	}
	copies := ""
	for v := range sig.Params().Variables() {
		if name := r.parameter(v); name != v.Name() {
			copies += "\n" + v.Name() + " := " + r.made(name, r.in.Vars[v], r.in.Copies[v], v.Type())
		}
	}
	b.WriteString(s + " {" + copies + strings.TrimPrefix(r.node(d.Body), "{"))
	return b.String()
}

// parameter is the name of a parameter: another one where its variable is a copy that is active.
func (r *renderer) parameter(v types.Object) string {
	if r.in.Copies[v] != nil && r.in.Vars[v].HoldsActive() {
		return r.free(v.Name() + "Real")
	}
	return v.Name()
}

// receiverType is the type of a receiver, whose type parameters have arguments here.
func (r *renderer) receiverType(p *activity.Place, e ast.Expr) string {
	star := ""
	if s, ok := e.(*ast.StarExpr); ok {
		star, e = "*", s.X
		p = p.Elem()
		if p == nil {
			return star + r.node(e)
		}
	}
	t := activity.Substitute(r.in.Fn.Origin().Type().(*types.Signature).Recv().Type(), r.in.Env)
	if star != "" {
		t = activity.Deref(t)
	}
	if !p.HoldsActive() {
		return star + r.typeString(t)
	}
	return star + r.namedType(p, t)
}

// doc is the comment of a declaration with its new name.
func doc(g *ast.CommentGroup, from, to string) string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	for i, c := range g.List {
		s := c.Text
		if strings.HasPrefix(s, "//go:") {
			continue
		}
		if i == 0 {
			s = strings.Replace(s, from+" ", to+" ", 1)
		}
		b.WriteString(s + "\n")
	}
	return b.String()
}

// source notes where the code of an instance is from.
func (w *writer) source(in *activity.Instance) { w.sourceOf(in.Pkg, in.Decl.Pos()) }

func (w *writer) sourceOf(p *packages.Package, at token.Pos) {
	file := w.prog.Fset.Position(at).Filename
	switch {
	case p == w.pkg:
		w.sources[path.Base(strings.ReplaceAll(file, `\`, "/"))] = true
		w.constrain(at)
	case p.Module != nil && w.pkg.Module != nil && p.Module.Path == w.pkg.Module.Path:
		w.sources[p.PkgPath] = true
	case p.Module != nil:
		w.sources[p.PkgPath+" (of "+p.Module.Path+", under its licence)"] = true
	default:
		w.sources["package "+p.PkgPath+" of Go (under its BSD licence)"] = true
	}
}

// constrain makes the build constraint of a file that code is from one of what is written.
func (w *writer) constrain(at token.Pos) {
	for _, f := range w.pkg.Syntax {
		if at < f.FileStart || at >= f.FileEnd {
			continue
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				if x, err := constraint.Parse(c.Text); err == nil && c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
					w.constraints[x.String()] = x
				}
			}
		}
	}
}

// typ is the type expression e for a place.
func (r *renderer) typ(p *activity.Place, e ast.Expr) string {
	if !p.HoldsActive() {
		return r.node(e)
	}
	if p.Kind() == activity.Number {
		return r.number(p)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return r.typ(p, x.X)
	case *ast.ArrayType:
		n := ""
		if x.Len != nil {
			n = r.node(x.Len)
		}
		return "[" + n + "]" + r.typ(p.Elem(), x.Elt)
	case *ast.Ellipsis:
		return "..." + r.typ(p.Elem(), x.Elt)
	case *ast.StarExpr:
		return "*" + r.typ(p.Elem(), x.X)
	case *ast.MapType:
		return "map[" + r.node(x.Key) + "]" + r.typ(p.Elem(), x.Value)
	case *ast.ChanType:
		r.fault(e.Pos(), "a channel cannot carry active values", "return them, or write them into a slice")
	case *ast.FuncType:
		return "func" + r.signature(x, p.Params(), p.Results())
	case *ast.StructType:
		return r.structType(p, x)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		t := r.in.TypeOf(e)
		if _, ok := types.Unalias(t).(*types.Named); !ok {
			return r.byShape(p, t)
		}
		return r.namedType(p, t)
	}
	return r.node(e)
}

// byShape is the type of a place where no expression for it stands.
func (r *renderer) byShape(p *activity.Place, t types.Type) string {
	if !p.HoldsActive() {
		return r.typeString(t)
	}
	switch t := types.Unalias(t).(type) {
	case *types.Slice:
		return "[]" + r.byShape(p.Elem(), t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]", t.Len()) + r.byShape(p.Elem(), t.Elem())
	case *types.Pointer:
		return "*" + r.byShape(p.Elem(), t.Elem())
	case *types.Map:
		return "map[" + r.typeString(t.Key()) + "]" + r.byShape(p.Elem(), t.Elem())
	case *types.Named:
		return r.namedType(p, t)
	case *types.Struct:
		var f []string
		for i := range t.NumFields() {
			f = append(f, t.Field(i).Name()+" "+r.byShape(p.Fields()[i], t.Field(i).Type()))
		}
		return "struct { " + strings.Join(f, "; ") + " }"
	case *types.Chan:
		r.fault(r.in.Decl.Pos(), "a channel cannot carry active values", "return them, or write them into a slice")
	case *types.Signature:
		list := func(v *types.Tuple, p []*activity.Place) string {
			var s []string
			for i := range v.Len() {
				e := r.byShape(p[i], v.At(i).Type())
				if v == t.Params() && t.Variadic() && i == v.Len()-1 {
					e = "..." + strings.TrimPrefix(e, "[]")
				}
				s = append(s, e)
			}
			return strings.Join(s, ", ")
		}
		s := "func(" + list(t.Params(), p.Params()) + ")"
		if t.Results().Len() > 0 {
			s += " (" + list(t.Results(), p.Results()) + ")"
		}
		return s
	}
	return r.number(p)
}

func (r *renderer) typeString(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == r.pkg.Types {
			return ""
		}
		return r.imported(p.Path(), p.Name())
	})
}

func (r *renderer) structType(p *activity.Place, x *ast.StructType) string {
	var b strings.Builder
	b.WriteString("struct {\n")
	at := 0
	pos := x.Fields.Opening + 1
	for _, f := range x.Fields.List {
		b.WriteString(r.prog.Text(pos, f.Pos()))
		pos = f.End()
		n := len(f.Names)
		if n == 0 { // an embedded field becomes one with its name
			name := typeName(r.info().TypeOf(f.Type))
			if q := p.Fields()[at]; q.HoldsActive() {
				b.WriteString(name + " " + r.typ(q, f.Type))
			} else {
				b.WriteString(r.node(f.Type))
			}
			at++
			continue
		}
		for k := 0; k < n; {
			t := r.typ(p.Fields()[at+k], f.Type)
			j := k + 1
			for j < n && r.typ(p.Fields()[at+j], f.Type) == t {
				j++
			}
			var names []string
			for _, id := range f.Names[k:j] {
				names = append(names, id.Name)
			}
			b.WriteString(strings.Join(names, ", ") + " " + t)
			if j < n {
				b.WriteString("\n")
			}
			k = j
		}
		at += n
	}
	b.WriteString(r.prog.Text(pos, x.Fields.Closing) + "}")
	return b.String()
}

// namedType is a declared type, lifted for the activity of p.
func (r *renderer) namedType(p *activity.Place, t types.Type) string {
	w := r.writer
	if p.Kind() == activity.Number {
		return w.number(p)
	}
	n := types.Unalias(t).(*types.Named)
	o := n.Obj()
	if o.Parent() != nil && o.Parent() != o.Pkg().Scope() { // local to a function
		if r.in.Decl == nil || o.Pos() < r.in.Decl.Pos() || o.Pos() >= r.in.Decl.End() {
			w.a.Fault(nil, o.Pos(), "a type declared in a function holds active values in another, generic one", "declare the type outside of the function")
		}
		return o.Name()
	}
	if s, ok := r.instance(p, n); ok {
		return s
	}
	key := "type " + types.TypeString(t, nil) + p.Pattern()
	if l := w.byKey[key]; l != nil {
		return l.value()
	}
	l := &lifted{w: w, name: w.unique(w.named(o.Pkg(), o.Name()) + w.suffix)}
	w.byKey[key] = l
	w.decls = append(w.decls, l)
	w.queue = append(w.queue, func() {
		spec, group, pkg := w.prog.Spec(o)
		s, ok := spec.(*ast.TypeSpec)
		if !ok {
			w.a.Fault(nil, o.Pos(), "the declaration of "+o.Name()+" is out of reach", "")
			return
		}
		env := activity.Env{}
		for i := range n.TypeArgs().Len() {
			env[n.Origin().TypeParams().At(i)] = n.TypeArgs().At(i)
		}
		q := &renderer{writer: w, in: &activity.Instance{Pkg: pkg, Env: env}}
		w.sourceOf(pkg, s.Pos())
		comment := s.Doc
		if comment == nil && len(group.Specs) == 1 {
			comment = group.Doc
		}
		l.text = doc(comment, o.Name(), l.name) + w.mark(q.in, s.Pos()) + "type " + l.name + w.params() + " " + q.typ(p, s.Type)
	})
	return l.value()
}

// localType is a type that is declared in a function: it may use the function's
// type parameter.
func (r *renderer) localType(s *ast.TypeSpec) string {
	if p := r.in.Local(r.info().Defs[s.Name]); p != nil {
		return s.Name.Name + " " + r.typ(p, s.Type)
	}
	return r.children(s)
}

func (r *renderer) ident(id *ast.Ident) string {
	if s, ok := r.value(id); ok {
		return s
	}
	o := r.info().ObjectOf(id)
	if o == nil || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		if tn, ok := o.(*types.TypeName); ok {
			if tp, ok := tn.Type().(*types.TypeParam); ok && r.in.Env[tp] != nil {
				return r.typeString(r.in.Env[tp])
			}
		}
		if o != nil && o.Parent() == types.Universe {
			r.predeclared(id)
		}
		return id.Name
	}
	return r.object(o)
}

// predeclared refuses a name of Go's own in the code of another package, where the file
// is in a package that gives it another meaning.
func (r *renderer) predeclared(id *ast.Ident) {
	if r.in.Pkg != r.pkg && r.pkg.Types.Scope().Lookup(id.Name) != nil {
		r.fault(id.Pos(), "Go's "+id.Name+", for which package "+r.pkg.Name+" declares something else", "rename that")
	}
}

// object is something that is declared in a package.
func (r *renderer) object(o types.Object) string {
	w := r.writer
	if o.Pkg() == w.pkg.Types {
		return o.Name()
	}
	if reachable(o) {
		return w.imported(o.Pkg().Path(), o.Pkg().Name()) + "." + o.Name()
	}
	return r.copy(o)
}

// copy writes what another package does not export into the file.
func (r *renderer) copy(o types.Object) string {
	w, from := r.writer, r.in
	if n, ok := w.copied[o]; ok {
		return n
	}
	if fn, ok := o.(*types.Func); ok {
		w.copied[o] = r.copyFunc(fn, nil)
		return w.copied[o]
	}
	n := w.unique(w.named(o.Pkg(), o.Name()))
	w.copied[o] = n
	l := &lifted{w: w, name: n, bare: true}
	w.decls = append(w.decls, l)
	w.queue = append(w.queue, func() {
		spec, _, pkg := w.prog.Spec(o)
		r := &renderer{writer: w, in: &activity.Instance{Fn: from.Fn, Pkg: pkg, Caller: from.Caller, Called: from.Called}}
		w.sourceOf(pkg, o.Pos())
		switch s := spec.(type) {
		case *ast.TypeSpec:
			l.text = "type " + n + " " + r.node(s.Type)
		case *ast.ValueSpec:
			l.text = r.copyValue(o, s, n)
		}
	})
	return n
}

func (r *renderer) copyValue(o types.Object, s *ast.ValueSpec, name string) string {
	i := slices.IndexFunc(s.Names, func(id *ast.Ident) bool { return id.Name == o.Name() })
	t := ""
	if s.Type != nil {
		t = " " + r.node(s.Type)
	}
	if c, ok := o.(*types.Const); ok {
		if i < len(s.Values) && !usesIota(s.Values[i]) {
			return "const " + name + t + " = " + r.node(s.Values[i])
		}
		return "const " + name + t + " = " + c.Val().ExactString()
	}
	if len(s.Values) > 0 && len(s.Values) != len(s.Names) || !r.prog.Constant(o.(*types.Var)) {
		r.fault(o.Pos(), "the variable "+o.Name()+" of package "+o.Pkg().Path()+" may change", "write the function in this package")
		return ""
	}
	if len(s.Values) == 0 {
		return "var " + name + t
	}
	return "var " + name + t + " = " + r.node(s.Values[i])
}

func usesIota(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "iota"
		return !found
	})
	return found
}

// value is a declared function used as a value.
func (r *renderer) value(e ast.Expr) (string, bool) {
	p := r.in.Exprs[e]
	if p.Kind() != activity.Function || !p.HoldsActive() {
		return "", false
	}
	fn, _ := r.in.Function(e)
	if fn == nil {
		return "", false
	}
	if op, ok := elementary(fn); ok && op.method != "" {
		return r.number(p.Params()[0]) + "." + op.method, true
	}
	c := r.in.Funcs[e]
	if c == nil || c.Callee == nil || c.Callee.Decl == nil {
		return "", false
	}
	l := r.function(c.Callee)
	if s, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && r.info().Selections[s] != nil {
		sel := r.info().Selections[s]
		if sel.Kind() == types.MethodVal {
			if !l.method {
				r.fault(e.Pos(), "a method value of a type that becomes no type of its own", "write a function literal that calls it")
			}
			_, path, _ := r.in.Method(s)
			recv, _ := r.receiver(s, path)
			return recv + "." + l.name, true
		}
		if l.method {
			return "(" + r.typ(p.Params()[0], s.X) + ")." + l.name, true
		}
	}
	return l.value(), true
}

// selector is a field, a method value or something of a package.
func (r *renderer) selector(e *ast.SelectorExpr) string {
	if s, ok := r.value(e); ok {
		return s
	}
	sel := r.info().Selections[e]
	if sel == nil {
		if o := r.info().Uses[e.Sel]; o != nil && o.Pkg() != nil {
			return r.object(o)
		}
		return r.children(e)
	}
	if o := sel.Obj(); !o.Exported() && o.Pkg() != r.pkg.Types && !r.in.Exprs[e.X].HoldsActive() {
		r.fault(e.Pos(), "the field "+o.Name()+" of a type of package "+o.Pkg().Path()+", which does not export it", "write the function in this package")
	}
	if len(sel.Index()) > 1 {
		if x := r.in.Exprs[e.X]; x.HoldsActive() { // embedded fields have names in lifted types
			recv, _ := r.receiver(e, sel.Index()[:len(sel.Index())-1])
			return recv + "." + e.Sel.Name
		}
	}
	return r.operandSelector(e) + "." + e.Sel.Name
}

func (r *renderer) operandSelector(e *ast.SelectorExpr) string {
	s := r.node(e.X)
	if _, ok := e.X.(*ast.StarExpr); ok {
		return "(" + s + ")"
	}
	return s
}

// passive is a call, with nothing active, of a function or method that this package
// cannot name: it is copied, a method as a function.
func (r *renderer) passive(e *ast.CallExpr, c *activity.Call) (string, bool) {
	if c.Fn.Pkg() == r.pkg.Types || reachable(c.Fn) && !r.hidden(c.Fn) {
		return "", false
	}
	var args []string
	if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && c.Recv != nil {
		m, path, _ := r.in.Method(sel)
		args = append(args, r.methodReceiver(sel, m, path))
	}
	for _, x := range e.Args {
		args = append(args, r.node(x))
	}
	s := r.copyFunc(c.Fn, c.Env) + "(" + strings.Join(args, ", ")
	if e.Ellipsis.IsValid() {
		s += "..."
	}
	return s + ")", true
}

// hidden reports whether fn is a method of a type that only its own package names,
// which this is code of: then the type is copied, too.
func (r *renderer) hidden(fn *types.Func) bool {
	recv := fn.Type().(*types.Signature).Recv()
	return recv != nil && fn.Pkg() == r.in.Pkg.Types && !token.IsExported(typeName(recv.Type()))
}

// reachable reports whether other packages can name o.
func reachable(o types.Object) bool {
	return o.Exported() && !strings.Contains("/"+o.Pkg().Path()+"/", "/internal/")
}

// copyFunc writes a function that this package cannot name into the file, with
// nothing active.
func (r *renderer) copyFunc(fn *types.Func, env activity.Env) string {
	in := r.a.Function(fn, env)
	if in == nil {
		r.fault(fn.Pos(), "the source of "+fn.FullName()+" is not Go, or out of reach", "")
		return fn.Name()
	}
	in.Caller, in.Called = r.in.Caller, r.in.Called
	return r.function(in).name
}
