package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/source"
)

// newProgram reads the package in dir.
func newProgram(dir, without string) (*program, error) {
	p, err := activity.Load(dir, without, "math", "sync")
	if err != nil {
		return nil, err
	}
	return &program{Program: p}, nil
}

// gradients is the text of a file with the gradients of functions, or what stands in the
// way of it. Functions that are not in the simple language are written in it first.
func (p *program) gradients(functions []string, output string) (text []byte, faults []string, err error) {
	return p.write(request{gradient: true}, functions, output)
}

// A root is a function that is transformed.
type root struct {
	name   string
	active []string // parameters, nil for the first
	useful []bool   // results whose derivatives are wanted, nil for all
	vector bool     // it may return slices and several results
}

// begin analyzes what roots reach. If there is something that cannot be transformed, it
// returns the faults.
func (p *program) begin(roots []root, name string, tangent bool) (units []*unit, faults []string, err error) {
	p.a = activity.New(p.Program, p.use)
	p.a.NoSource = "write it with functions of package math"
	if p.file, err = source.New(p.Root.Name, source.Upper(name)); err != nil {
		return nil, nil, err
	}
	p.findHelpers()
	p.units, p.byKey, p.needed, p.stacks = nil, map[string]*unit{}, map[any]bool{}, map[string]string{}
	p.saved, p.order, p.names, p.effects = nil, nil, source.Names{}, map[*activity.Instance]map[any]bool{}
	p.tangent = tangent
	if !tangent && p.Root.Types.Scope().Lookup("w") != nil {
		return nil, nil, fmt.Errorf("package %s declares w, which is a variable of what is written", p.Root.Name)
	}
	var instances []*activity.Instance
	for _, r := range roots {
		in, err := p.a.Root(r.name, r.active)
		if err != nil {
			return nil, nil, err
		}
		if r.active == nil {
			if err := p.fits(in, r.vector); err != nil {
				return nil, nil, err
			}
		}
		instances = append(instances, in)
	}
	p.a.Run()
	p.before = len(p.a.Faults)
	clear := func() bool { return len(p.a.Faults) == 0 }
	if clear() {
		for _, in := range instances {
			units = append(units, p.unitOf(in))
		}
	}
	if clear() {
		p.analyze(roots)
	}
	for i, u := range units {
		if clear() && roots[i].active == nil {
			p.keepsInputs(u)
		}
	}
	p.work = lowerName(name) + "Work"
	for p.Root.Types.Scope().Lookup(p.work) != nil {
		p.work += "_"
	}
	return units, p.Report(p.a.Faults), nil
}

// effective is a call of what this command writes that is not for its value alone.
var effective = regexp.MustCompile(`^[\pL_][\pL_\p{Nd}]*(Pop|Forward|Reverse|ReverseCareful|Tangent[0-9]*(Careful)?)\(`)

// tidy leaves out what nothing reads: assignments, and variables, which Go refuses.
func (p *program) tidy(output string, text []byte) ([]byte, error) {
	text, err := withoutStores(text)
	if err != nil {
		return nil, err
	}
	for range 100 {
		problems := p.Check(output, text)
		problems = slices.DeleteFunc(problems, func(x types.Error) bool {
			return strings.Contains(x.Msg, "redeclared") || strings.Contains(x.Msg, "already declared")
		})
		if len(problems) == 0 {
			return format.Source(text)
		}
		lines := strings.Split(string(text), "\n")
		gone := false
		for _, x := range problems {
			name, ok := strings.CutPrefix(x.Msg, "declared and not used: ")
			at := x.Fset.Position(x.Pos).Line - 1
			if !ok || at >= len(lines) {

				return nil, fmt.Errorf("what was written does not compile: %v: %s", x, strings.TrimSpace(lines[min(at, len(lines)-1)]))
			}
			s := strings.TrimSpace(lines[at])
			rest, single := strings.CutPrefix(s, name+" := ")
			assigned := strings.Contains(string(text), "\t"+name+" = ")
			switch {
			case single && !assigned && effective.MatchString(rest):
				lines[at] = rest // for its effect
			case assigned:
				lines[at] += "\n_ = " + name
			case single || strings.HasPrefix(s, "var "+name+" "):
				lines[at] = ""
			case strings.Contains(s, name+" := range "):
				lines[at] = strings.Replace(lines[at], name+" := range ", "range ", 1)
			default:
				lines[at] += "\n_ = " + name
			}
			gone = true
		}
		if !gone {
			break
		}
		var kept []string
		for i, s := range lines {
			if s != "" || i > 0 && lines[i-1] != "" {
				kept = append(kept, s)
			}
		}
		text = []byte(strings.Join(kept, "\n"))
	}
	return nil, fmt.Errorf("what was written does not compile")
}

// fits reports whether a function has a gradient, or if it may return a vector, a Jacobian.
func (p *program) fits(in *activity.Instance, vector bool) error {
	sig := in.Fn.Signature()
	vectors, n := types.NewSlice(types.Typ[types.Float64]), sig.Results().Len()
	ok := types.Identical(sig.Params().At(0).Type().Underlying(), vectors) && n > 0 && (n == 1 || vector) && !sig.Variadic() && sig.TypeParams().Len() == 0
	for v := range sig.Results().Variables() {
		ok = ok && (types.Identical(v.Type(), types.Typ[types.Float64]) || vector && types.Identical(v.Type().Underlying(), vectors))
	}
	switch {
	case ok:
		return nil
	case vector:
		return fmt.Errorf("%s is no function of a []float64 and others to float64 and []float64", in.Fn.Name())
	}
	return fmt.Errorf("%s is no function of a []float64 and others to float64", in.Fn.Name())
}

// each calls f with each unit and each of its instances, and notes what is refused.
func (p *program) each(f func(u *unit)) {
	for _, u := range p.units {
		for _, in := range u.all {
			u.in = in
			func() {
				defer func() {
					if e := recover(); e != nil {
						x, ok := e.(fault)
						if !ok {
							panic(e)
						}
						p.a.Fault(u.in, x.at, x.what, x.instead)
					}
				}()
				f(u)
			}()
		}
		u.in = u.all[0]
	}
}

// analyze decides what is saved and what is computed again, or which derivatives are useful.
func (p *program) analyze(roots []root) {
	p.chooseSuffix()
	for grown := true; grown; { // memory that is changed
		grown = false
		p.each(func(u *unit) {
			m := p.effects[u.in]
			if m == nil {
				m = map[any]bool{}
				p.effects[u.in] = m
			}
			n := len(m)
			u.writesOf(u.form, func(key any) {
				if _, local := key.(*local); !local {
					m[key] = true
				}
			})
			grown = grown || len(m) > n
		})
	}
	p.each(func(u *unit) { u.settleOrder() })
	if p.tangent {
		p.useful(roots)
		return
	}
	p.each(func(u *unit) { u.decide(u.form) })
	for p.changed = true; p.changed && len(p.a.Faults) == 0; {
		p.changed = false
		p.each(func(u *unit) {
			u.reverseText(false)
			u.record()
		})
	}
	p.each(func(u *unit) { u.forwardText() }) // what cannot be printed is refused
}

// written are the keys of memory that an instance of the unit changes.
func (u *unit) written(in *activity.Instance) map[any]bool { return u.prog.effects[in] }

// chooseSuffix finds the endings of names of shadows.
func (p *program) chooseSuffix() {
	candidates := []string{"b", "Bar", "Adjoint"}
	if p.tangent {
		candidates = []string{"d", "Dot", "Tangent"}
	}
	for k := range 3 + len(p.units) {
		s := candidates[min(k, 2)]
		if k > 2 {
			s += itoa(k)
		}
		p.suffixes = []string{s}
		if p.tangent && p.directions > 1 {
			p.suffixes = nil
			for d := range p.directions {
				p.suffixes = append(p.suffixes, s+itoa(d+1))
			}
		}
		free := true
		for _, u := range p.units {
			for name := range u.names {
				for _, p.suffix = range p.suffixes {
					shadow := name + p.suffix
					free = free && !u.names[shadow] && p.Root.Types.Scope().Lookup(shadow) == nil && source.CheckName(shadow) == nil
				}
			}
		}
		if free {
			return
		}
	}
}

// keepsInputs refuses functions that change their arguments.
func (p *program) keepsInputs(u *unit) {
	written := p.effects[u.in]
	var keys []any
	u.leaves(u.in.Params[0].Elem(), u.params[0].typ.Underlying().(*types.Slice).Elem(), func(key any) { keys = append(keys, key) })
	for _, k := range keys {
		if written[k] {
			p.a.Fault(u.in, u.in.Decl.Name.Pos(), "a function that changes its inputs", "work on a copy: y := make([]float64, len(x)); copy(y, x)")
		}
	}
	for i, l := range u.params[1:] {
		u.in.Params[i+1].Walk(func(q *activity.Place) {
			if q.Kind() == activity.Number && holds(l.typ) && written[q.Root()] && p.needed[q.Root()] {
				p.a.Fault(u.in, u.in.Decl.Name.Pos(), "a function that changes numbers of "+l.name+", which its derivative reads", "work on a copy")
			}
		})
	}
}

// reverseText is the text of the reverse sweep, where 0 annihilates ∞ and NaN if it is the
// careful one.
func (u *unit) reverseText(careful bool) []string {
	r := &sweep{unit: u, exit: "exit", cur: &u.form.facts, careful: careful}
	u.form.vars = slices.DeleteFunc(u.form.vars, func(l *local) bool { return l.param })
	var changed []*local
	for _, l := range u.params {
		if l.assigns > 0 {
			changed = append(changed, l)
		}
	}
	u.form.vars = append(changed, u.form.vars...)
	var body []string
	body = r.apart(func() { r.reverseBlock(u.form, false) })
	if empty := len(body) == 0; empty != u.empty {
		u.empty, u.prog.changed = empty, true // which calls of it show
	}
	for _, d := range slices.Backward(u.decls) {
		body = append([]string{u.prog.Text(d.Pos(), d.End())}, body...)
	}
	u.coded = mentions(body, "exit")
	if u.coded {
		body = append([]string{"exit := " + r.pop(types.Typ[types.Int], false)}, body...)
	}
	return body
}

// forwardText is the text of the forward sweep.
func (u *unit) forwardText() []string {
	u.remarks = u.prog.remarksOf(u)
	r := &sweep{unit: u}
	whole := frame{end: func(code int) {
		if u.coded {
			r.push(types.Typ[types.Int], false, itoa(code))
		}
	}}
	r.frames = []frame{whole}
	r.forwardBlock(u.form)
	if !ends(u.form) {
		whole.end(1 << 30)
	}
	return r.lines
}

// remarksOf are the comments above statements.
func (p *program) remarksOf(u *unit) map[ast.Stmt][]string {
	out := map[ast.Stmt][]string{}
	for _, f := range u.in.Pkg.Syntax {
		if f.Pos() <= u.in.Decl.Pos() && u.in.Decl.End() <= f.End() {
			for n, groups := range ast.NewCommentMap(p.Fset, u.in.Decl, f.Comments) {
				s, ok := n.(ast.Stmt)
				if !ok {
					continue
				}
				for _, g := range groups {
					if g.End() < s.Pos() {
						for _, c := range g.List {
							out[s] = append(out[s], c.Text)
						}
					}
				}
			}
		}
	}
	return out
}

// comments prints what stands above a statement.
func (r *sweep) comments(n node) {
	var s ast.Stmt
	switch n := n.(type) {
	case *assign:
		s = n.stmt
	case *plain:
		s = n.stmt
	case *branch:
		s = n.stmt
	case *choice:
		s = n.stmt
	case *loop:
		s = n.stmt
	case *call:
		s = n.stmt
	case *copying:
		s = n.stmt
	case *exit:
		s = n.stmt
	}
	if s == nil {
		return
	}
	for _, c := range r.remarks[s] {
		r.line("%s", c)
	}
	delete(r.remarks, s)
}

// parameters is the list of the parameters of a sweep: the work struct, and each with
// its shadow.
func (u *unit) parameters() []string {
	list := []string{"w *" + u.prog.work}
	for _, l := range u.params {
		t := u.prog.typ(l.typ)
		if l.holder {
			list = append(list, l.name+", "+l.name+u.prog.suffix+" "+t)
		} else {
			list = append(list, l.name+" "+t)
		}
	}
	return list
}

func (p *program) printUnit(u *unit) {
	plain, careful := u.reverseText(false), u.reverseText(true)
	forward := u.forwardText()
	var results []string
	for _, l := range u.results {
		results = append(results, p.typ(l.typ))
		if l.holder {
			results = append(results, p.typ(l.typ))
		}
	}
	name := u.said()
	p.file.Printf("// %sForward is %s, and saves what the reverse sweep needs.\n", u.name, name)
	p.file.Printf("func %sForward(%s) (%s) {\n%s\n}\n\n", u.name, strings.Join(u.parameters(), ", "), strings.Join(results, ", "), strings.Join(forward, "\n"))
	if u.empty {
		return
	}
	in := u.parameters()
	for _, l := range u.results {
		if l.active && !l.holder {
			in = append(in, u.bar(l)+" "+p.typ(l.typ))
		}
	}
	var out, types, vars []string
	for _, l := range u.params {
		if l.active && !l.holder {
			out, types = append(out, u.bar(l)), append(types, p.typ(l.typ))
			vars = append(vars, "var "+u.bar(l)+" "+p.typ(l.typ))
		}
	}
	write := func(name string, text []string) {
		text = firstUse(slices.Concat(vars, text), 0, len(vars))
		if len(out) > 0 {
			text = append(text, "return "+strings.Join(out, ", "))
		}
		p.file.Printf("func %s(%s) (%s) {\n%s\n}\n\n", name, strings.Join(in, ", "), strings.Join(types, ", "), strings.Join(text, "\n"))
	}
	if u.plain {
		p.file.Printf("// %s goes back through %s: it adds to the adjoints of what slices and pointers lead\n// to, and returns those of numbers.\n", u.reverseName(false), name)
		write(u.reverseName(false), plain)
	}
	p.file.Printf("// %s goes back through %s where a factor of 0 annihilates infinities and NaN.\n", u.reverseName(true), name)
	write(u.reverseName(true), careful)
}

func (u *unit) reverseName(careful bool) string {
	if careful {
		return u.name + "ReverseCareful"
	}
	return u.name + "Reverse"
}

// again reports whether calling the function of a unit again is the same: it changes
// nothing that was there before, and calls nothing that may.
func (u *unit) again() bool {
	before := map[any]bool{"variables of packages": true}
	add := func(key any) { before[key] = true }
	for _, l := range u.params {
		u.reachable(l.typ, u.in.Vars[l.v], add)
	}
	for v, place := range u.prog.a.Variables() {
		u.leaves(place, v.Type(), add)
		u.reachable(v.Type(), place, add)
	}
	for key := range u.written(u.in) {
		if before[key] {
			return false
		}
	}
	return true
}

// usesPlain notes the units whose plain reverse sweeps are called.
func (u *unit) usesPlain() {
	if u.plain || u.by != nil {
		return
	}
	u.plain = true
	each(u.form, func(n node) {
		if c, ok := n.(*call); ok && c.callee != nil {
			c.callee.usesPlain()
		}
	})
}

// gradient prints the function that users call.
func (p *program) gradient(u *unit) {
	name := u.said()
	dst := "dst"
	for u.names[dst] {
		dst += "_"
	}
	x := u.params[0].name
	var params, forward []string
	params = append(params, dst+", "+x+" "+p.typ(u.params[0].typ))
	forward = append(forward, "w", x, dst)
	args := []string{x}
	for _, l := range u.params[1:] {
		params = append(params, l.name+" "+p.typ(l.typ))
		forward = append(forward, l.name)
		args = append(args, l.name)
	}
	pool := p.pool()
	p.file.Printf("// %sGradient sets %s = ∇%s in %s and returns %s(%s). It panics if %s and %s differ in length.\n", name, dst, name, x, name, strings.Join(args, ", "), dst, x)
	p.public = append(p.public, name+"Gradient")
	p.file.Printf("func %sGradient(%s) float64 {\n", name, strings.Join(params, ", "))
	p.file.Printf("if len(%s) != len(%s) {\npanic(%q)\n}\nclear(%s)\n", dst, x, p.Root.Name+": length of the gradient of "+name, dst)
	p.file.Printf("w := %s.Get().(*%s)\nvalue := %sForward(%s)\n", pool, p.work, u.name, strings.Join(forward, ", "))
	list := strings.Join(forward, ", ")
	switch {
	case u.empty:
	case u.again():
		p.file.Printf("%s(%s, 1)\nif !%s(%s) { // 0·∞ may be why\nclear(%s)\n%sForward(%s)\n%s(%s, 1)\n}\n", u.reverseName(false), list, p.helper("Finite"), dst, dst, u.name, list, u.reverseName(true), list)
	default:
		p.file.Printf("%s(%s, 1)\n", u.reverseName(true), list)
	}
	p.file.Printf("%s.Put(w)\nreturn value\n}\n\n", pool)
}

// stack is the field of the work struct with saved values of a type; active ones are apart,
// since the tangent of the sweeps saves their derivatives, too.
func (p *program) stack(t types.Type, active bool) string {
	key := types.TypeString(t, nil)
	active = active && p.a.Place(t).Kind() != activity.Other
	if !active && key == "float64" {
		key = "constants"
	} else if !active {
		key = "passive " + key
	}
	if s, ok := p.stacks[key]; ok {
		return s
	}
	name := map[string]string{"float64": "floats", "constants": "constants", "passive int": "ints", "passive bool": "bools", "[]float64": "slices"}[key]
	if name == "" {
		name = "kept" + itoa(len(p.stacks))
	}
	if active {
		p.saved = append(p.saved, "w."+name)
	}
	p.stacks[key] = name
	p.order = append(p.order, name+" []"+p.typ(t))
	return name
}

func (p *program) zero(t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return p.typ(t) + "{}"
	case *types.Basic:
		return "0"
	}
	return "nil"
}

// helper is the name of a function that the file declares if it is used.
func (p *program) helper(name string) string { return p.file.Private(name) }

func (p *program) printWork() {
	if _, err := p.file.Import("sync"); err != nil {
		panic(err)
	}
	slices.Sort(p.order)
	p.file.Printf("// %s has what forward sweeps save, in stacks that grow once.\ntype %s struct {\n%s\n}\n\n", p.work, p.work, strings.Join(p.order, "\n"))
	p.file.Printf("var %s = sync.Pool{New: func() any { return new(%s) }}\n\n", p.pool(), p.work)
}
