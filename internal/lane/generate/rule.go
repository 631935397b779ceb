package main

import (
	"bytes"
	"fmt"
	"go/ast"
	exact "go/constant"
	"go/format"
	"go/token"
	"go/types"
	"log"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/op"
	"golang.org/x/tools/go/packages"
)

// Rules that are plain Go, those of package elem and of the directory rules, become kernels word
// by word. Both sides of an if are computed, and chosen from. A side that calls what has no words
// is left out: its lanes are left to the scalar rule.

// source is the rules as Go.
var source struct {
	fset       *token.FileSet
	info       types.Info // of both packages
	decls      map[types.Object]*ast.FuncDecl
	arithmetic []*ast.FuncDecl // those of the directory rules, as they stand there
	byName     map[string]types.Object
}

// kernelOf is the kernel of a function that a rule may call.
var kernelOf = map[types.Object]*function{}

func readRules() {
	config := packages.Config{Mode: packages.LoadSyntax}
	pkgs, err := packages.Load(&config, "github.com/hesse-ad/hesse/internal/elem", "./rules")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		log.Fatal("no rules: ", err)
	}
	source.fset = pkgs[0].Fset
	source.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	source.decls, source.byName = map[types.Object]*ast.FuncDecl{}, map[string]types.Object{}
	for _, p := range pkgs {
		maps.Copy(source.info.Types, p.TypesInfo.Types)
		maps.Copy(source.info.Defs, p.TypesInfo.Defs)
		maps.Copy(source.info.Uses, p.TypesInfo.Uses)
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					source.decls[p.TypesInfo.Defs[d.Name]] = d
					if p.Name == "rules" {
						source.arithmetic = append(source.arithmetic, d)
					}
				}
			}
		}
	}
	for _, f := range source.info.Uses {
		if f, ok := f.(*types.Func); ok {
			source.byName[f.FullName()] = f
		}
	}
	for f := range source.decls {
		source.byName[f.(*types.Func).FullName()] = f
	}
	for i, f := range functions {
		if f.kind.name != unary.name {
			continue
		}
		if called := source.byName[f.code.Info().Rule(0)]; called != nil {
			kernelOf[called] = &functions[i]
		}
	}
}

// rule is a function of package elem by its name.
func rule(name string) types.Object {
	return source.byName["github.com/hesse-ad/hesse/internal/elem."+name]
}

// words are the functions of package math that are an instruction or a few.
var words = map[string]func(x []value) []value{
	"math.Abs":         func(x []value) []value { return one(abs(x[0])) },
	"math.Sqrt":        func(x []value) []value { return one(sqrt(x[0])) },
	"math.FMA":         func(x []value) []value { return one(fma(x[0], x[1], x[2])) },
	"math.Floor":       func(x []value) []value { return one(round(x[0], down)) },
	"math.Ceil":        func(x []value) []value { return one(round(x[0], up)) },
	"math.Trunc":       func(x []value) []value { return one(round(x[0], toZero)) },
	"math.RoundToEven": func(x []value) []value { return one(round(x[0], nearest)) },
	// Of and to normal numbers.
	"math.Frexp": func(x []value) []value { m, e := frexp(x[0]); return []value{m, e} },
	"math.Ldexp": func(x []value) []value { return one(iadd(x[0], exponent(x[1]))) },
}

var (
	operators = map[token.Token]func(a, b value) value{token.ADD: add, token.SUB: sub, token.MUL: mul, token.QUO: div}
	// A comparison, and its opposite.
	comparisons = map[token.Token][2]uint8{
		token.EQL: {isEQ, notEQ}, token.NEQ: {notEQ, isEQ}, token.LSS: {isLT, notLT}, token.LEQ: {isLE, notLE},
		token.GTR: {isGT, notGT}, token.GEQ: {isGE, notGE},
	}
)

// frame is the values of variables.
type frame map[types.Object]value

// call is a frame with the parameters of a function.
func call(f types.Object, x []value) frame {
	env := frame{}
	for i, p := range parameters(source.decls[f]) {
		env[p] = x[i]
	}
	return env
}

func parameters(d *ast.FuncDecl) (all []types.Object) {
	for _, field := range d.Type.Params.List {
		for _, p := range field.Names {
			all = append(all, source.info.Defs[p])
		}
	}
	return all
}

// apply is the results of a function.
func apply(f types.Object, x []value) []value {
	if w := words[f.(*types.Func).FullName()]; w != nil {
		return w(x)
	}
	if k := kernelOf[f]; k != nil {
		return k.body(x)
	}
	return call(f, x).run(source.decls[f].Body.List)
}

// callee is the function that n calls; nil if it calls none, or converts.
func callee(n ast.Node) types.Object {
	if e, ok := n.(*ast.CallExpr); ok {
		switch f := e.Fun.(type) {
		case *ast.Ident:
			if fn, ok := source.info.Uses[f].(*types.Func); ok {
				return fn
			}
		case *ast.SelectorExpr:
			return source.info.Uses[f.Sel]
		}
	}
	return nil
}

// run is what statements return.
func (env frame) run(list []ast.Stmt) []value {
	for i, s := range list {
		rest := list[i+1:]
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return env.values(s.Results)
		case *ast.AssignStmt:
			env.assign(s)
		case *ast.IfStmt:
			body := s.Body.List
			if _, ends := body[len(body)-1].(*ast.ReturnStmt); ends {
				return env.either(s.Cond, body, rest)
			}
			// It returns what it changes.
			changed := &ast.ReturnStmt{}
			for _, s := range body {
				changed.Results = append(changed.Results, s.(*ast.AssignStmt).Lhs...)
			}
			y := env.either(s.Cond, append(slices.Clone(body), changed), []ast.Stmt{changed})
			for k, x := range changed.Results {
				env[source.info.Uses[x.(*ast.Ident)]] = y[k]
			}
		case *ast.SwitchStmt:
			if clauses := s.Body.List; len(clauses) > 0 {
				c := clauses[0].(*ast.CaseClause)
				others := &ast.SwitchStmt{Body: &ast.BlockStmt{List: clauses[1:]}}
				return env.either(c.List[0], slices.Concat(c.Body, rest), append([]ast.Stmt{others}, rest...))
			}
		}
	}
	panic("no return")
}

// either is what statements return where a condition holds, and where not.
func (env frame) either(cond ast.Expr, yes, no []ast.Stmt) []value {
	if !hasWords(yes) {
		except(env.cond(cond, false))
		return env.run(no)
	}
	if !hasWords(no) {
		except(env.cond(cond, true))
		return env.run(yes)
	}
	y := maps.Clone(env).run(no)
	if isSlow(&ast.BlockStmt{List: yes}) { // and seldom
		return branch(env.cond(cond, false), func() []value { return maps.Clone(env).run(yes) }, y)
	}
	x := maps.Clone(env).run(yes)
	m := env.cond(cond, false)
	for k := range y {
		if x[k] != y[k] {
			y[k] = choose(m, x[k], y[k])
		}
	}
	return y
}

func (env frame) values(list []ast.Expr) (y []value) {
	for _, e := range list {
		if f := callee(e); f != nil {
			y = append(y, apply(f, env.values(e.(*ast.CallExpr).Args))...)
		} else {
			y = append(y, env.value(e))
		}
	}
	return y
}

func (env frame) assign(s *ast.AssignStmt) {
	y := env.values(s.Rhs)
	for k, x := range s.Lhs {
		x := source.info.ObjectOf(x.(*ast.Ident))
		if s.Tok != token.DEFINE && s.Tok != token.ASSIGN { // += and so on
			y[k] = operators[s.Tok-token.ADD_ASSIGN+token.ADD](env[x], y[k])
		}
		env[x] = y[k]
	}
}

// value is the value of an expression.
func (env frame) value(e ast.Expr) value {
	if c := source.info.Types[e].Value; c != nil {
		return num(float(c))
	}
	switch e := e.(type) {
	case *ast.Ident:
		return env[source.info.Uses[e]]
	case *ast.ParenExpr:
		return env.value(e.X)
	case *ast.UnaryExpr:
		return neg(env.value(e.X))
	case *ast.BinaryExpr:
		if c := source.info.Types[e.Y].Value; c != nil && e.Op == token.QUO {
			if m, _ := math.Frexp(float(c)); m == 0.5 {
				return mul(env.value(e.X), num(1/float(c)))
			}
		}
		return operators[e.Op](env.value(e.X), env.value(e.Y))
	case *ast.CallExpr:
		if callee(e) != nil {
			return env.values([]ast.Expr{e})[0]
		}
		return env.value(e.Args[0]) // float64(x)
	}
	panic(fmt.Sprintf("no words for %T", e))
}

func float(c exact.Value) float64 {
	x, _ := exact.Float64Val(exact.ToFloat(c))
	return x
}

// cond is the mask of a condition, or of its opposite.
func (env frame) cond(e ast.Expr, opposite bool) mask {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return env.cond(e.X, opposite)
	case *ast.UnaryExpr: // !
		return env.cond(e.X, !opposite)
	case *ast.CallExpr: // of a function that returns a condition
		within, list := call(callee(e), env.values(e.Args)), source.decls[callee(e)].Body.List
		for _, s := range list[:len(list)-1] {
			within.assign(s.(*ast.AssignStmt))
		}
		return within.cond(list[len(list)-1].(*ast.ReturnStmt).Results[0], opposite)
	case *ast.BinaryExpr:
		switch {
		case e.Op != token.LAND && e.Op != token.LOR:
			how := comparisons[e.Op]
			if opposite {
				how[0] = how[1]
			}
			return compare(env.value(e.X), how[0], env.value(e.Y))
		case (e.Op == token.LAND) != opposite:
			return both(env.cond(e.X, opposite), env.cond(e.Y, opposite))
		}
		return either(env.cond(e.X, opposite), env.cond(e.Y, opposite))
	}
	panic(fmt.Sprintf("no words for the condition %T", e))
}

// visit visits the nodes of n, and of the rules that it calls.
func visit(n ast.Node, do func(n ast.Node)) {
	ast.Inspect(n, func(n ast.Node) bool {
		do(n)
		if f := callee(n); f != nil && kernelOf[f] == nil && source.decls[f] != nil {
			visit(source.decls[f].Body, do)
		}
		return true
	})
}

// hasWords reports whether there are words for statements: for what follows each if, and for a
// case of each switch.
func hasWords(list []ast.Stmt) bool {
	for i, s := range list {
		rest := list[i+1:]
		switch s := s.(type) {
		case *ast.SwitchStmt:
			return s.Tag == nil && (hasWords(rest) || slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool {
				return hasWords(slices.Concat(c.(*ast.CaseClause).Body, rest))
			}))
		case *ast.ReturnStmt, *ast.AssignStmt:
			known := true
			ast.Inspect(s, func(n ast.Node) bool {
				f := callee(n)
				known = known && (f == nil || isKnown(f))
				return true
			})
			if _, ends := s.(*ast.ReturnStmt); ends || !known {
				return known
			}
		case *ast.IfStmt:
		default:
			return false
		}
	}
	return false
}

// isKnown reports whether there are words for a function.
func isKnown(f types.Object) bool {
	d := source.decls[f]
	return words[f.(*types.Func).FullName()] != nil || kernelOf[f] != nil || d != nil && hasWords(d.Body.List)
}

// isSlow reports whether n divides or calls a function that takes long.
func isSlow(n ast.Node) (slow bool) {
	visit(n, func(n ast.Node) {
		e, ok := n.(*ast.BinaryExpr)
		slow = slow || ok && e.Op == token.QUO && source.info.Types[e].Value == nil || kernelOf[callee(n)] != nil
	})
	return slow
}

// partialKernels is the kernels of the partials of all operations whose rules have words.
func partialKernels() (all []function) {
	for code := range op.All {
		for _, k := range partials {
			if k.class != code.Class() {
				continue
			}
			f := source.byName[code.Info().Rule(k.order)]
			if !isKnown(f) {
				continue
			}
			d := source.decls[f]
			read := map[types.Object]bool{}
			kernel := function{name: strings.ToLower(code.String()) + title(k.name), code: code, kind: kind{name: k.name, dst: k.dst}, short: !isSlow(d.Body)}
			visit(d.Body, func(n ast.Node) {
				if id, ok := n.(*ast.Ident); ok {
					read[source.info.Uses[id]] = true
				}
				if g := kernelOf[callee(n)]; g != nil {
					kernel.wide, kernel.plain = true, kernel.plain || g.plain
				}
			})
			var of []int // what is not read is not loaded
			for i, p := range parameters(d) {
				if read[p] {
					of = append(of, i)
					kernel.kind.src = append(kernel.kind.src, k.sources(code)[i])
				}
			}
			kernel.body = func(x []value) []value {
				args := make([]value, len(k.src))
				for k, i := range of {
					args[i] = x[k]
				}
				return apply(f, args)
			}
			all = append(all, kernel)
		}
	}
	return all
}

// partialLoops is loops over the rules of partials, by operation, in Go.
func partialLoops() string {
	var b strings.Builder
	each := func(names []string) string { return strings.Join(names, "[i], ") + "[i]" }
	for _, k := range partials {
		fmt.Fprintf(&b, "// %s is the rules of %s partials.\nfunc %[1]s(code op.Code, %[3]s) {\n%[4]sswitch code {\n",
			k.name, strings.TrimSuffix(k.name, "2"), k.parameters(), k.sameLength())
		for code := range op.All {
			if k.class != code.Class() {
				continue
			}
			args := each(k.sources(code))
			if code.Constant() == op.IntConstant {
				args = strings.Replace(args, "c[i]", "int(c[i])", 1)
			}
			fmt.Fprintf(&b, "case op.%v:\nfor i := range %s {\n%s = %s(%s)\n}\n", code, k.dst[0], each(k.dst), path.Base(code.Info().Rule(k.order)), args)
		}
		b.WriteString("}\n}\n\n")
	}
	return b.String()
}

// sameLength is a statement that cuts arrays to the length of the first.
func (k kind) sameLength() string {
	names := k.arrays()
	cut := "[:len(" + names[0] + ")]"
	return strings.Join(names[1:], ", ") + " = " + strings.Join(names[1:], cut+", ") + cut + "\n"
}

// arithmetic is the loops of the directory rules: their kernels, and in Go.
func arithmetic() (loops []loop, inGo string) {
	for _, d := range source.arithmetic {
		name, f := d.Name.Name, source.info.Defs[d.Name]
		k := kind{dst: []string{"dst"}}
		for _, p := range parameters(d) {
			if types.TypeString(p.Type(), types.RelativeTo(p.Pkg())) == "lanes" {
				k.src = append(k.src, p.Name())
			} else {
				k.constants = append(k.constants, p.Name())
			}
		}
		loops = append(loops, loop{strings.ToLower(name[:1]) + name[1:], k, func(x []value) []value { return apply(f, x) }})

		var b bytes.Buffer
		if err := format.Node(&b, source.fset, d.Body.List[0].(*ast.ReturnStmt).Results[0]); err != nil {
			log.Fatal(err)
		}
		each := regexp.MustCompile(`\b(`+strings.Join(k.src, "|")+`)\b`).ReplaceAllString(b.String(), "$1[i]")
		for _, c := range d.Doc.List {
			inGo += c.Text + "\n"
		}
		inGo += fmt.Sprintf("func %s(%s) {\n%sif %s(%s) {\nreturn\n}\nfor i := range dst {\ndst[i] = %s\n}\n}\n\n",
			name, k.parameters(), k.sameLength(), packed(name), k.arguments(), each)
	}
	return loops, inGo
}
