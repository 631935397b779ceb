package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"
)

// A request says what is written of functions.
type request struct {
	gradient, jvp, vjp, hvp, bilinear bool
	directions                        int // of tangents at once
}

// write is the text of a file with what is requested of functions, or what stands in its way.
// Functions that are not in the simple language are written in it first.
func (p *program) write(q request, functions []string, output string) (text []byte, faults []string, err error) {
	p.simple, p.origins, p.prefix, p.public = false, nil, functions[0], nil
	text, faults, err = p.transformed(q, functions, output)
	if err != nil || len(faults) == 0 && !p.always || p.before > 0 {
		return text, faults, err
	}
	read := p.Program
	defer func() { p.Program = read }()
	simple, found, err := p.simplified(functions, output)
	if err != nil || len(found) > 0 {
		return nil, p.Report(found), err
	}
	p.Program, p.simple, p.public = simple, true, nil
	if text, faults, err = p.transformed(q, functions, output); err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	if text, err = merge([][]byte{text, p.kept(functions)}, p.public); err != nil {
		return nil, nil, err
	}
	p.Program = read
	text, err = p.tidy(output, text)
	return text, nil, err
}

// transformed is the text of a file with what is requested of functions as they are. Second derivatives are tangents of what the first transformation has written.
func (p *program) transformed(q request, functions []string, output string) (text []byte, faults []string, err error) {
	var parts [][]byte
	for _, part := range []struct {
		wanted bool
		write  func() ([]byte, []string, error)
	}{
		{q.gradient, func() ([]byte, []string, error) { return p.adjoints(rootsOf(functions, false), output, p.gradient) }},
		{q.vjp, func() ([]byte, []string, error) { return p.adjoints(rootsOf(functions, true), output, p.vjp) }},
		{q.jvp, func() ([]byte, []string, error) { return p.jvps(1, functions, output) }},
		{q.jvp && q.directions > 1, func() ([]byte, []string, error) { return p.jvps(q.directions, functions, output) }},
		{q.bilinear, func() ([]byte, []string, error) { return p.bilinears(functions, output) }},
		{q.hvp, func() ([]byte, []string, error) { return p.hvps(1, functions, output) }},
		{q.hvp && q.directions > 1, func() ([]byte, []string, error) { return p.hvps(q.directions, functions, output) }},
	} {
		if !part.wanted {
			continue
		}
		text, faults, err := part.write()
		if err != nil || len(faults) > 0 {
			return nil, faults, err
		}
		parts = append(parts, text)
	}
	if len(parts) == 1 {
		return parts[0], nil, nil
	}
	text, err = merge(parts, p.public)
	return text, nil, err
}

// with is a program that has a file of the package besides.
func (p *program) with(output string, text []byte) (*program, error) {
	q, err := p.Program.With(output, text, nil, nil)
	if err != nil {
		return nil, err
	}
	return &program{Program: q, simple: p.simple, origins: p.origins, prefix: p.prefix}, nil
}

// adjoints is the file with the adjoints of functions and what outer prints for each.
func (p *program) adjoints(roots []root, output string, outer func(u *unit)) (text []byte, faults []string, err error) {
	units, faults, err := p.begin(roots, roots[0].name, false)
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	for _, u := range units {
		if u.again() {
			u.usesPlain()
		}
	}
	for _, u := range units {
		outer(u)
	}
	for _, u := range p.units {
		p.printUnit(u)
	}
	p.printWork()
	p.printHelpers()
	text, err = p.text(output)
	return text, nil, err
}

// text is what has been printed.
func (p *program) text(output string) ([]byte, error) {
	text, err := p.file.Bytes()
	if err != nil {
		return nil, err
	}
	return p.tidy(output, text)
}

func rootsOf(functions []string, vector bool) (roots []root) {
	for _, name := range functions {
		roots = append(roots, root{name: name, vector: vector})
	}
	return roots
}

// jvps is the file with tangents of functions.
func (p *program) jvps(directions int, functions []string, output string) (text []byte, faults []string, err error) {
	p.directions = directions
	return p.tangents(rootsOf(functions, true), output, p.jvp)
}

// tangents is the file with the tangents of functions and what outer prints for each.
func (p *program) tangents(roots []root, output string, outer func(u *unit)) (text []byte, faults []string, err error) {
	units, faults, err := p.begin(roots, roots[0].name, true)
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	for _, u := range units {
		u.called(true)
		if u.again() {
			u.called(false)
		}
		outer(u)
	}
	p.printTangents()
	p.printHelpers()
	text, err = p.text(output)
	return text, nil, err
}

// bilinears is the file with tangents of tangents.
func (p *program) bilinears(functions []string, output string) (text []byte, faults []string, err error) {
	p.directions = 1
	var roots []root
	text, faults, err = p.tangents(rootsOf(functions, false), output, func(u *unit) {
		for _, careful := range []bool{false, true} {
			if careful || u.again() {
				roots = append(roots, root{name: u.tangentName(careful), active: []string{u.params[0].name, u.bar(u.params[0])}, useful: []bool{false, true}})
			}
		}
	})
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	t, err := p.with(output, text)
	if err != nil {
		return nil, nil, err
	}
	units, faults, err := t.begin(roots, functions[0], true)
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	for _, name := range functions {
		u := units[0]
		units = units[1:]
		if !u.isCareful() {
			units = units[1:]
		}
		t.bilinear(name, u)
	}
	return p.second(t, text, output)
}

// second merges the text of a second transformation with what it needs of the first.
func (p *program) second(t *program, first []byte, output string) (text []byte, faults []string, err error) {
	t.printTangents()
	t.printHelpers()
	second, err := t.text("second_" + output)
	if err != nil {
		return nil, nil, err
	}
	p.public = append(p.public, t.public...)
	text, err = merge([][]byte{second, first}, t.public)
	return text, nil, err
}

// isCareful reports whether the function is the careful form of what was written.
func (u *unit) isCareful() bool { return strings.HasSuffix(u.name, "Careful") }

// bilinear prints the function that users call for forms with the Hessian of a function, from
// the tangent of its tangent.
func (p *program) bilinear(name string, u *unit) {
	xl := u.params[0]
	x, a, b := xl.name, u.distinct("u"), u.distinct("v")
	params, args := "", ""
	for _, l := range u.params[2:] {
		params += ", " + l.name + " " + p.typ(l.typ)
		args += ", " + l.name
	}
	public, zero, form := name+"Bilinear", u.distinct("zero"), u.distinct("form")
	p.public = append(p.public, public)
	p.file.Printf("%sfunc %s(%s, %s, %s %s%s) float64 {\n", source.Comment(fmt.Sprintf(
		"%s returns %sᵀ·∇²%s(%s%s)·%s. It panics if lengths differ.", public, a, name, x, args, b)), public, x, a, b, p.typ(xl.typ), params)
	p.file.Printf("if len(%s) != len(%s) || len(%s) != len(%s) {\npanic(%q)\n}\n", a, x, b, x, p.Root.Name+": lengths of the form with the Hessian of "+name)
	p.file.Printf("%s := %s(len(%s))\n", zero, p.helper("Zeros"), x)
	call := func(careful bool) string {
		u.called(careful)
		return fmt.Sprintf("%s(%s, %s, %s, *%s%s)\n", u.tangentName(careful), x, a, b, zero, args)
	}
	p.file.Printf("_, _, %s := %s", form, call(u.isCareful()))
	if !u.isCareful() {
		p.file.Printf("if %s-%s != 0 { // 0·∞ may be why\n_, _, %s = %s}\n", form, form, form, call(true))
	}
	p.file.Printf("%s.Put(%s)\nreturn %s\n}\n\n", p.helper("Zero"), zero, form)
}

// distinct is a name for a variable beside the parameters of u.
func (u *unit) distinct(name string) string {
	for slices.ContainsFunc(u.params, func(l *local) bool { return l.name == name }) {
		name += "_"
	}
	return name
}

// listed are the parameters of u behind the first, as they are declared and as arguments.
func (u *unit) listed() (params, args string) {
	for _, l := range u.params[1:] {
		params += ", " + l.name + " " + u.prog.typ(l.typ)
		args += ", " + l.name
	}
	return params, args
}

// jvp prints the function that users call for products with the Jacobian.
func (p *program) jvp(u *unit) {
	name, x, v, dst := u.in.Fn.Name(), u.params[0].name, u.distinct("v"), u.distinct("dst")
	scalar, many := isScalar(u.sig), p.directions > 1
	params, args := u.listed()
	public, wrong := name+"JVP", p.Root.Name+": lengths of the product with the Jacobian of "+name
	if many {
		public += itoa(p.directions)
	}
	p.public = append(p.public, public)
	what := fmt.Sprintf("%s(%s%s)", name, x, args)
	comment := func(format string, args ...any) { p.file.Printf("%s", source.Comment(fmt.Sprintf(format, args...))) }
	check := func(cond string) { p.file.Printf("if %s {\npanic(%q)\n}\n", cond, wrong) }
	directions, value := v, u.distinct("value")
	switch differ := fmt.Sprintf("len(%s) != len(%s)", v, x); {
	case scalar && !many:
		comment("%s returns %s and its derivative along %s, ∇%s·%s. It panics if %s and %s differ in length.", public, what, v, name, v, v, x)
		p.file.Printf("func %s(%s, %s %s%s) (%s, %s float64) {\n", public, x, v, p.typ(u.params[0].typ), params, value, dst)
		check(differ)
	case scalar:
		comment("%s returns %s and sets %s[d] = ∇%s·%s[d] for up to %d directions at once. It panics if there are more, or if lengths differ.", public, what, dst, name, v, p.directions)
		p.file.Printf("func %s(%s []float64, %s [][]float64, %s %s%s) float64 {\n", public, dst, v, x, p.typ(u.params[0].typ), params)
	case many:
		comment("%s sets %s[d] = %s′·%s[d], of the Jacobian of what %s returns one after another, for up to %d directions at once. It panics if there are more, or if lengths differ.", public, dst, name, v, what, p.directions)
		p.file.Printf("func %s(%s, %s [][]float64, %s %s%s) {\n", public, dst, v, x, p.typ(u.params[0].typ), params)
	default:
		comment("%s sets %s = %s′·%s, of the Jacobian of what %s returns one after another. It panics if lengths differ.", public, dst, name, v, what)
		p.file.Printf("func %s(%s, %s, %s %s%s) {\n", public, dst, x, v, p.typ(u.params[0].typ), params)
		check(differ)
	}
	if many {
		check(fmt.Sprintf("len(%s) == 0 || len(%s) != len(%s) || len(%s) > %d", v, dst, v, v, p.directions))
		vs := u.distinct("vs")
		p.file.Printf("var %s [%d][]float64\nfor d := range %s {\n%s[d] = %s[min(d, len(%s)-1)]\nif len(%s[d]) != len(%s) {\npanic(%q)\n}\n}\n", vs, p.directions, vs, vs, v, v, vs, x, wrong)
		directions = ""
		for d := range p.directions {
			directions += fmt.Sprintf(", %s[%d]", vs, d)
		}
		directions = directions[2:]
	}
	call := func(careful bool) {
		u.called(careful)
		s := fmt.Sprintf("%s(%s, %s%s)", u.tangentName(careful), x, directions, args)
		if scalar && !many {
			p.file.Printf("%s, %s %s\n", value, dst, "= "+s)
			return
		}
		if scalar {
			var list []string
			for d := range p.directions {
				list = append(list, fmt.Sprintf("d%d", d+1))
			}
			p.file.Printf("%s, %s := %s\ncopy(%s, []float64{%s})\n", value, strings.Join(list, ", "), s, dst, strings.Join(list, ", "))
			return
		}
		var lhs []string
		parts := make([][]string, max(1, p.directions))
		for i, l := range u.results {
			lhs = append(lhs, "_")
			if !l.active {
				lhs[len(lhs)-1] = fmt.Sprintf("y%d", i)
			}
			for d := range parts {
				part := fmt.Sprintf("y%d", i)
				if l.active {
					part += fmt.Sprintf("d%d", d+1)
					lhs = append(lhs, part)
				}
				switch {
				case !isSlice(l.typ):
					if !l.active {
						part = "0"
					}
					part = "[]float64{" + part + "}"
				case !l.active:
					part = "make([]float64, len(" + part + "))"
				}
				parts[d] = append(parts[d], part)
			}
		}
		p.file.Printf("%s := %s\n", strings.Join(lhs, ", "), s)
		for d := range parts {
			if many && d > 0 {
				p.file.Printf("if len(%s) > %d {\n%s(%s[%d], %s)\n}\n", dst, d, p.helper("Gather"), dst, d, strings.Join(parts[d], ", "))
			} else {
				to := dst
				if many {
					to += "[0]"
				}
				p.file.Printf("%s(%s, %s)\n", p.helper("Gather"), to, strings.Join(parts[d], ", "))
			}
		}
	}
	call(!u.again())
	if u.again() {
		switch {
		case scalar && !many:
			p.file.Printf("if %s-%s != 0", dst, dst)
		case many && !scalar:
			p.file.Printf("for _, v := range %s {\nif !%s(v)", dst, p.helper("Finite"))
		default:
			p.file.Printf("if !%s(%s)", p.helper("Finite"), dst)
		}
		p.file.Printf("{ // 0·∞ may be why\n")
		call(true)
		if many && !scalar {
			p.file.Printf("break\n}\n")
		}
		p.file.Printf("}\n")
	}
	switch {
	case scalar && many:
		p.file.Printf("return %s\n", value)
	case scalar:
		p.file.Printf("return %s, %s\n", value, dst)
	}
	p.file.Printf("}\n\n")
}

// vjp prints the function that users call for products with the transposed Jacobian.
func (p *program) vjp(u *unit) {
	name, x, weights, dst, work := u.in.Fn.Name(), u.params[0].name, u.distinct("w"), u.distinct("dst"), u.distinct("work")
	params, args := u.listed()
	public, wrong := name+"VJP", p.Root.Name+": lengths of the product with the Jacobian of "+name
	p.public = append(p.public, public)
	p.file.Printf("%sfunc %s(%s, %s, %s %s%s) {\n", source.Comment(fmt.Sprintf(
		"%s sets %s = %s′ᵀ·%s, of the Jacobian of what %s(%s%s) returns one after another. It panics if lengths differ.", public, dst, name, weights, name, x, args)),
		public, dst, x, weights, p.typ(u.params[0].typ), params)
	p.file.Printf("if len(%s) != len(%s) {\npanic(%q)\n}\n%s := %s.Get().(*%s)\n", dst, x, wrong, work, p.pool(), p.work)
	list := work
	for _, l := range u.params {
		if list += ", " + l.name; l == u.params[0] {
			list += ", " + dst
		} else if l.holder {
			list += ", nil"
		}
	}
	sweep := func(careful, first bool) {
		p.file.Printf("clear(%s)\n", dst)
		var lhs, add, bars []string
		at, define := "", "="
		for i, l := range u.results {
			y, from, length := fmt.Sprintf("y%d", i), at, "1"
			if isSlice(l.typ) {
				lhs, define, length = append(lhs, y), ":=", "len("+y+")"
			} else {
				lhs = append(lhs, "_")
			}
			if at != "" {
				at += "+"
			}
			at += length
			switch {
			case l.holder:
				lhs = append(lhs, y+"b")
				add = append(add, fmt.Sprintf("for i, v := range %s[%s:%s] {\n%sb[i] += v\n}\n", weights, from, at, y))
			case l.active && from == "":
				bars = append(bars, weights+"[0]")
			case l.active:
				bars = append(bars, weights+"["+from+"]")
			}
		}
		if define == ":=" {
			p.file.Printf("%s := ", strings.Join(lhs, ", "))
		}
		p.file.Printf("%sForward(%s)\n", u.name, list)
		if first {
			p.file.Printf("if len(%s) != %s {\npanic(%q)\n}\n", weights, at, wrong)
		}
		p.file.Printf("%s", strings.Join(add, ""))
		if !u.empty {
			p.file.Printf("%s(%s)\n", u.reverseName(careful), strings.Join(append([]string{list}, bars...), ", "))
		}
	}
	sweep(!u.again(), true)
	if u.again() && !u.empty {
		p.file.Printf("if !%s(%s) { // 0·∞ may be why\n", p.helper("Finite"), dst)
		sweep(true, false)
		p.file.Printf("}\n")
	}
	p.file.Printf("%s.Put(%s)\n}\n\n", p.pool(), work)
}

// pool is the name of the pool of work structs.
func (p *program) pool() string { return lowerName(strings.TrimSuffix(p.work, "Work")) + "Pool" }

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// isScalar reports whether a function returns one float64.
func isScalar(sig *types.Signature) bool {
	return sig.Results().Len() == 1 && !isSlice(sig.Results().At(0).Type())
}

// printHelpers prints the helpers that what was printed calls.
func (p *program) printHelpers() {
	for _, h := range []struct{ name, comment, text string }{
		{"Finite", "reports whether sums of elements are finite", `(v []float64) bool {
	for ; len(v) >= 8; v = v[8:] {
		if s := v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7]; s-s != 0 {
			return false
		}
	}
	for _, s := range v {
		if s-s != 0 {
			return false
		}
	}
	return true
}`},
		{"Pop", "takes the last element off a stack", `[T any](s *[]T) T {
	n := len(*s) - 1
	v := (*s)[n]
	*s = (*s)[:n]
	return v
}`},
		{"Copy", "is the adjoint of copy", `(dst, src []float64) {
	n := min(len(dst), len(src))
	t := make([]float64, n)
	copy(t, dst)
	clear(dst[:n])
	for i, v := range t {
		src[i] += v
	}
}`},
		{"Zeroed", "returns n zeros, in the memory of v if that will do", `(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	v = v[:n]
	clear(v)
	return v
}`},
		{"Zeros", "returns n zeros of a pool, which nothing changes", `(n int) *[]float64 {
	v := ZERO.Get().(*[]float64)
	if cap(*v) < n {
		*v = make([]float64, n)
	}
	*v = (*v)[:n]
	return v
}

var ZERO = sync.Pool{New: func() any { return new([]float64) }}`},
		{"Gather", "puts parts into dst one after another", `(dst []float64, parts ...[]float64) {
	want := len(dst)
	for _, v := range parts {
		want -= len(v)
		dst = dst[copy(dst, v):]
	}
	if want != 0 {
		panic("PACKAGE: length of a product with a Jacobian")
	}
}`},
	} {
		if name := p.helper(h.name); strings.Contains(p.file.Written(), name+"(") {
			p.file.Printf("// %s %s.\nfunc %s%s\n\n", name, h.comment, name, strings.NewReplacer("PACKAGE", p.Root.Name, "ZERO", p.helper("Zero")).Replace(h.text))
			if h.name == "Zeros" {
				if _, err := p.file.Import("sync"); err != nil {
					panic(err)
				}
			}
		}
	}
}

// sweeps prints a function with both sweeps of an adjoint, which is transformed again.
func (p *program) sweeps(u *unit) {
	params := strings.Join(u.parameters(), ", ")
	list := "w"
	for _, l := range u.params {
		list += ", " + l.name
		if l.holder {
			list += ", " + u.bar(l)
		}
	}
	for _, careful := range []bool{false, true} {
		if !careful && !u.again() {
			continue
		}
		p.file.Printf("// %s goes through %s and back.\nfunc %s(%s) {\n%sForward(%s)\n", u.sweepsName(careful), u.in.Fn.Name(), u.sweepsName(careful), params, u.name, list)
		if !u.empty {
			p.file.Printf("%s(%s, 1)\n", u.reverseName(careful), list)
		}
		p.file.Printf("}\n\n")
	}
}

func (u *unit) sweepsName(careful bool) string {
	if careful {
		return u.name + "SweepsCareful"
	}
	return u.name + "Sweeps"
}

// hvps is the file with tangents of gradients.
func (p *program) hvps(directions int, functions []string, output string) (text []byte, faults []string, err error) {
	var roots []root
	text, faults, err = p.adjoints(rootsOf(functions, false), output, func(u *unit) {
		p.sweeps(u)
		for _, careful := range []bool{false, true} {
			if careful || u.again() {
				roots = append(roots, root{name: u.sweepsName(careful), active: []string{u.params[0].name, u.bar(u.params[0])}})
			}
		}
	})
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	for i := range roots {
		roots[i].active = append(roots[i].active, p.saved...)
	}
	t, err := p.with(output, text)
	if err != nil {
		return nil, nil, err
	}
	t.directions = directions
	units, faults, err := t.begin(roots, functions[0], true)
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	saved := p.work
	t.work = lowerName(functions[0]) + "HVPWork"
	if directions > 1 {
		t.work = lowerName(functions[0]) + "HVP" + itoa(directions) + "Work"
	}
	for _, name := range functions {
		u := units[0]
		u.called(u.isCareful())
		if units = units[1:]; !u.isCareful() {
			units[0].called(true)
			units = units[1:]
		}
		t.hvp(name, u)
	}
	t.printHVPWork(saved)
	return p.second(t, text, output)
}

// hvp prints the function that users call for products with the Hessian of a function, from
// the tangent of its sweeps.
func (p *program) hvp(name string, u *unit) {
	many := p.directions > 1
	xl, others := u.params[1], u.params[3:]
	x := xl.name
	distinct := u.distinct
	v, dst, w := distinct("v"), distinct("dst"), distinct("work")
	params, args := "", ""
	for _, l := range others {
		params += ", " + l.name + " " + p.typ(l.typ)
		args += ", " + l.name
	}
	public := name + "HVP"
	if many {
		public += itoa(p.directions)
	}
	p.public = append(p.public, public)
	pool := p.pool()
	wrong := p.Root.Name + ": lengths of the product with the Hessian of " + name
	list, tangents := "&"+w+".saved", u.params[0].active // or nothing is saved that is active
	if many {
		p.file.Printf("%sfunc %s(%s, %s [][]float64, %s %s%s) {\n", source.Comment(fmt.Sprintf(
			"%s sets %s[d] = ∇²%s(%s%s)·%s[d] for up to %d directions at once. It panics if there are more, or if lengths differ.", public, dst, name, x, args, v, p.directions)),
			public, dst, v, x, p.typ(xl.typ), params)
		p.file.Printf("if len(%s) != len(%s) || len(%s) > %d {\npanic(%q)\n}\nif len(%s) == 0 {\nreturn\n}\n", dst, v, v, p.directions, wrong, v)
		p.file.Printf("for d := range %s {\nif len(%s[d]) != len(%s) || len(%s[d]) != len(%s) {\npanic(%q)\n}\n}\n", v, dst, x, v, x, wrong)
		p.file.Printf("%s := %s.Get().(*%s)\n", w, pool, p.work)
		p.file.Printf("var vs [%d][]float64\nfor d := range vs {\nvs[d] = %s[min(d, len(%s)-1)]\n}\n", p.directions, v, v)
		call := func(careful bool) string {
			s := list
			for d := range p.directions {
				if tangents {
					s += fmt.Sprintf(", &%s.tangent[%d]", w, d)
				}
			}
			s += ", " + x
			for d := range p.directions {
				s += fmt.Sprintf(", vs[%d]", d)
			}
			s += ", " + w + ".gradient"
			for d := range p.directions {
				s += fmt.Sprintf(", %s.product[%d]", w, d)
			}
			return fmt.Sprintf("%s.gradient = %s(%s.gradient, len(%s))\nfor d := range %s.product {\n%s.product[d] = %s(%s.product[d], len(%s))\n}\n%s(%s%s)\n",
				w, p.helper("Zeroed"), w, x, w, w, p.helper("Zeroed"), w, x, u.tangentName(careful), s, args)
		}
		p.file.Printf("%s", call(u.isCareful()))
		if !u.isCareful() {
			p.file.Printf("for _, v := range %s.product {\nif !%s(v) { // 0·∞ may be why\n%sbreak\n}\n}\n", w, p.helper("Finite"), call(true))
		}
		p.file.Printf("for d := range %s {\ncopy(%s[d], %s.product[d])\n}\n%s.Put(%s)\n}\n\n", dst, dst, w, pool, w)
		return
	}
	p.file.Printf("%sfunc %s(%s, %s, %s %s%s) {\n", source.Comment(fmt.Sprintf(
		"%s sets %s = ∇²%s(%s%s)·%s. It panics if lengths differ.", public, dst, name, x, args, v)), public, dst, x, v, p.typ(xl.typ), params)
	p.file.Printf("if len(%s) != len(%s) || len(%s) != len(%s) {\npanic(%q)\n}\n", dst, x, v, x, wrong)
	p.file.Printf("%s := %s.Get().(*%s)\n", w, pool, p.work)
	if tangents {
		list += fmt.Sprintf(", &%s.tangent", w)
	}
	call := fmt.Sprintf("%s.gradient = %s(%s.gradient, len(%s))\nclear(%s)\n%%s(%s, %s, %s, %s.gradient, %s%s)\n", w, p.helper("Zeroed"), w, x, dst, list, x, v, w, dst, args)
	if u.isCareful() {
		p.file.Printf(call, u.tangentName(true))
	} else {
		p.file.Printf(call, u.tangentName(false))
		p.file.Printf("if !%s(%s) { // 0·∞ may be why\n", p.helper("Finite"), dst)
		p.file.Printf(call, u.tangentName(true))
		p.file.Printf("}\n")
	}
	p.file.Printf("%s.Put(%s)\n}\n\n", pool, w)
}

// printHVPWork prints the memory of products with Hessians; saved is that of sweeps.
func (p *program) printHVPWork(saved string) {
	if _, err := p.file.Import("sync"); err != nil {
		panic(err)
	}
	fields, n := saved, p.directions > 1
	if n {
		fields = fmt.Sprintf("[%d]%s\nproduct [%d][]float64", p.directions, saved, p.directions)
	}
	p.file.Printf("// %s has what sweeps save, its derivatives and the gradient.\ntype %s struct {\nsaved %s\ntangent %s\ngradient []float64\n}\n\n", p.work, p.work, saved, fields)
	p.file.Printf("var %s = sync.Pool{New: func() any { return new(%s) }}\n\n", p.pool(), p.work)
}

// merge is a file with the declarations of several, each once, which public ones need.
func merge(files [][]byte, public []string) ([]byte, error) {
	type declaration struct {
		names, uses []string
		text        string
	}
	var head string
	imports := map[string]string{}
	var all []declaration
	byName := map[string]int{}
	for _, text := range files {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		at := func(p token.Pos) int { return set.Position(p).Offset }
		if head == "" {
			head = string(text[:at(f.Name.End())])
		}
		for _, s := range f.Imports {
			name := ""
			if s.Name != nil {
				name = s.Name.Name + " "
			}
			imports[s.Path.Value] = name
		}
		for _, d := range f.Decls {
			var x declaration
			from := d.Pos()
			switch d := d.(type) {
			case *ast.FuncDecl:
				x.names = []string{d.Name.Name}
				if d.Recv != nil {
					x.names[0] = string(text[at(d.Recv.Pos()):at(d.Name.End())])
				}
				if d.Doc != nil {
					from = d.Doc.Pos()
				}
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
				if d.Doc != nil {
					from = d.Doc.Pos()
				}
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, id := range s.Names {
							x.names = append(x.names, id.Name)
						}
					case *ast.TypeSpec:
						x.names = append(x.names, s.Name.Name)
					}
				}
			}
			if _, ok := byName[x.names[0]]; ok {
				continue
			}
			for _, name := range x.names {
				byName[name] = len(all)
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					x.uses = append(x.uses, id.Name)
				}
				return true
			})
			x.text = string(text[at(from):at(d.End())])
			all = append(all, x)
		}
	}
	needed := make([]bool, len(all))
	for list := slices.Clone(public); len(list) > 0; list = list[1:] {
		if k, ok := byName[list[0]]; ok && !needed[k] {
			needed[k] = true
			list = append(list, all[k].uses...)
		}
	}
	var body bytes.Buffer
	for k, x := range all {
		if needed[k] {
			body.WriteString(x.text + "\n\n")
		}
	}
	var b bytes.Buffer
	b.WriteString(head + "\n\nimport (\n")
	for _, other := range []bool{false, true} {
		var group []string
		for path, name := range imports {
			called := strings.TrimSpace(name)
			if called == "" {
				called = pathpkg.Base(strings.Trim(path, `"`))
			}
			if strings.Contains(path, ".") == other && strings.Contains(body.String(), called+".") {
				group = append(group, name+path)
			}
		}
		slices.SortFunc(group, func(a, b string) int { return strings.Compare(a[strings.Index(a, `"`):], b[strings.Index(b, `"`):]) })
		b.WriteString(strings.Join(group, "\n") + "\n\n")
	}
	b.WriteString(")\n\n")
	b.Write(body.Bytes())
	return format.Source(b.Bytes())
}
