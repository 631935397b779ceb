// Command generate writes what follows from the table of operations: the
// methods of the number types that are alike but for the operation, and the
// call of a method by operation.
//
//	go generate ./internal/op
//
// A method that a person wrote is not generated.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hesse-ad/hesse/internal/op"
)

// root is the module's directory, seen from where go generate runs.
var root = "../.."

const module = "github.com/hesse-ad/hesse/"

func main() {
	log.SetFlags(0)
	for file, text := range files() {
		if err := os.WriteFile(filepath.Join(root, file), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// files is what is generated.
func files() map[string][]byte {
	all := map[string][]byte{"internal/tape/zapply.go": source("internal/tape/zapply.go", apply())}
	for _, k := range kinds {
		all[k.file] = source(k.file, k.methods())
	}
	return all
}

// source is a file with the imports that its body uses.
func source(file, body string) []byte {
	var b bytes.Buffer
	pkg := path.Base(path.Dir(file))
	fmt.Fprintf(&b, "// Code generated from the table of package op. DO NOT EDIT.\n\npackage %s\n\n", pkg)
	for _, p := range []string{"math", module + "dual", module + "internal/elem", module + "internal/op"} {
		if name := path.Base(p); name != pkg && regexp.MustCompile(`\b`+name+`\.`).MatchString(body) {
			fmt.Fprintf(&b, "import %q\n", p)
		}
	}
	fmt.Fprintf(&b, "\n%s", body)
	text, err := format.Source(b.Bytes())
	if err != nil {
		log.Fatalf("%s: %v\n%s", file, err, b.Bytes())
	}
	return text
}

// kind is a type of numbers.
type kind struct {
	file, name string
	comments   bool                   // on each method, for a type that is exported
	body       func(c op.Code) string // a method's statements
}

// methods is the methods of the type that nobody wrote.
func (k kind) methods() string {
	written := methodsOf(filepath.Join(root, path.Dir(k.file)), filepath.Base(k.file), k.name)
	var b strings.Builder
	for c := range op.All {
		r := c.Info()
		if r.Method == "" || written[r.Method] {
			continue
		}
		var parameter string
		switch {
		case r.Constant == op.RealConstant:
			parameter = "c float64"
		case r.Constant == op.IntConstant:
			parameter = "n int"
		case r.Operands == 2:
			parameter = "y " + k.name
		}
		if k.comments {
			fmt.Fprintf(&b, "// %s returns %s.\n", r.Method, r.Doc)
		}
		fmt.Fprintf(&b, "func (x %s) %s(%s) %s { %s }\n\n", k.name, r.Method, parameter, k.name, k.body(c))
	}
	return b.String()
}

// methodsOf is the methods of a type that stand in other files of its package.
func methodsOf(dir, except, name string) map[string]bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	methods := map[string]bool{}
	for _, file := range files {
		if filepath.Base(file) == except {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			if id, ok := f.Recv.List[0].Type.(*ast.Ident); ok && id.Name == name {
				methods[f.Name.Name] = true
			}
		}
	}
	return methods
}

// kernel is the name of the function of package math or elem that computes the
// value (order 0) or the partials of an order.
func kernel(r *op.Info, order int) string {
	name := path.Base(r.Rule(order))
	if !strings.HasPrefix(name, "math.") && !strings.HasPrefix(name, "elem.") {
		log.Fatalf("%s: %s is no function of package math or elem", r.Name, name)
	}
	return name
}

// constant is the constant of a method as an argument.
func constant(r *op.Info) string {
	switch r.Constant {
	case op.RealConstant:
		return ", c"
	case op.IntConstant:
		return ", n"
	}
	return ""
}

var variable = regexp.MustCompile(`\b[xyc]\b`)

// value is the value as an expression, x and y and c being numbers of the
// given form; products are rounded by a conversion, whatever surrounds them.
func value(r *op.Info, x, y, c, rounded string) string {
	if r.Source == "" {
		args := x
		if r.Operands == 2 {
			args += ", " + y
		}
		return kernel(r, 0) + "(" + args + constant(r) + ")"
	}
	s := variable.ReplaceAllStringFunc(r.Source, func(v string) string {
		return map[string]string{"x": x, "y": y, "c": c}[v]
	})
	if strings.Contains(r.Source, "*") {
		s = rounded + "(" + s + ")"
	}
	return s
}

// partials is a call of the rule of an order, on the values of x and y, what
// was computed before.
func partials(r *op.Info, order int, before string) string {
	args := "x.V"
	if r.Operands == 2 {
		args += ", y.V"
	}
	return kernel(r, order) + "(" + args + constant(r) + ", " + before + ")"
}

// dualNumber is the methods of a number with the given derivatives.
func dualNumber(name string, derivatives ...string) func(c op.Code) string {
	number := func(v, d string) string { // with the derivatives d of D
		for _, derivative := range derivatives {
			v += ", " + strings.ReplaceAll(d, "D", derivative)
		}
		return "return " + name + "{" + v + "}"
	}
	return func(c op.Code) string {
		r := c.Info()
		v := value(r, "x.V", "y.V", "c", "float64")
		switch r.Class {
		case op.NoPartials:
			return "return " + name + "{V: " + v + "}"
		case op.One:
			return number(v, "x.D")
		case op.MinusOne:
			return number(v, "-x.D")
		case op.OneOne:
			return number(v, "x.D + y.D")
		case op.OneMinusOne:
			return number(v, "x.D - y.D")
		case op.ByConstant:
			return "return x.chain(" + v + ", c)"
		case op.Factors:
			return "return x.chain2(y, " + v + ", y.V, x.V)"
		case op.Twice:
			return "return x.chain(" + v + ", 2*x.V)"
		case op.Unary:
			return "v := " + v + "; return x.chain(v, " + partials(r, 1, "v") + ")"
		case op.Binary:
			return "v := " + v + "\ndx, dy := " + partials(r, 1, "v") + "\nreturn x.chain2(y, v, dx, dy)"
		}
		panic("no rule for " + r.Name)
	}
}

var kinds = []kind{
	{file: "dual/zreal.go", name: "Real", comments: true, body: func(c op.Code) string {
		r := c.Info()
		if r.Source != "" {
			return "return " + value(r, "x", "y", "Real(c)", "Real")
		}
		return "return Real(" + value(r, "float64(x)", "float64(y)", "", "") + ")"
	}},
	{file: "dual/znumber.go", name: "Number", comments: true, body: dualNumber("Number", "D")},
	{file: "dual/znumber3.go", name: "Number3", comments: true, body: dualNumber("Number3", "D0", "D1", "D2")},
	{file: "dual/zhyper.go", name: "Hyper", comments: true, body: func(c op.Code) string {
		r := c.Info()
		v := value(r, "x.V", "y.V", "c", "float64")
		switch r.Class {
		case op.NoPartials:
			return "return Hyper{V: " + v + "}"
		case op.One:
			return "return Hyper{" + v + ", x.D1, x.D2, x.D12}"
		case op.MinusOne:
			return "return Hyper{" + v + ", -x.D1, -x.D2, -x.D12}"
		case op.OneOne:
			return "return Hyper{" + v + ", x.D1 + y.D1, x.D2 + y.D2, x.D12 + y.D12}"
		case op.OneMinusOne:
			return "return Hyper{" + v + ", x.D1 - y.D1, x.D2 - y.D2, x.D12 - y.D12}"
		case op.Unary:
			return "v := " + v + "\nd := " + partials(r, 1, "v") + "\nreturn x.chain(v, d, " + partials(r, 2, "v, d") + ")"
		case op.Binary:
			return "v := " + v + "\ndx, dy := " + partials(r, 1, "v") + "\ndxx, dxy, dyy := " + partials(r, 2, "v, dx, dy") +
				"\nreturn x.chain2(y, v, dx, dy, dxx, dxy, dyy)"
		}
		panic("no rule for " + r.Name)
	}},
	{file: "dual/zrunning_test.go", name: "running", body: func(c op.Code) string {
		r := c.Info()
		switch {
		case r.Operands == 1 && r.Constant == op.NoConstant:
			return "return x.number(Number." + r.Method + ")"
		case r.Class == op.Binary:
			return "v := " + value(r, "x.v", "y.v", "", "") + "\ndx, dy := " + strings.ReplaceAll(partials(r, 1, "v"), ".V", ".v") + "\nreturn x.apply2(y, v, dx, dy)"
		}
		panic("no rule for " + r.Name)
	}},
	{file: "reverse/zvar.go", name: "Var", comments: true, body: func(c op.Code) string {
		r := c.Info()
		v := value(r, "x.v", "y.v", "c", "float64")
		switch {
		case r.Operands == 2:
			return "return x.binary(op." + r.Name + ", y, " + v + ")"
		case r.Constant == op.RealConstant:
			return "return x.unaryReal(op." + r.Name + ", c, " + v + ")"
		}
		return "return x.unary(op." + r.Name + ", " + v + ")"
	}},
	{file: "sparsity/detect/ztracer.go", name: "Tracer", comments: true, body: func(c op.Code) string {
		const both = op.DX | op.DY
		dependence, ok := map[op.Flags]string{
			0: "Tracer{}", op.DX: "x", op.DX | op.DXX: "x.nonlinear()",
			both: "x.both(y)", both | op.DXY: "x.product(y)", both | op.DXY | op.DYY: "x.quotient(y)",
			both | op.DXX | op.DXY | op.DYY: "x.general(y)",
		}[c.Flags()]
		if !ok {
			panic("no rule for " + c.String())
		}
		return "return " + dependence
	}},
	{file: "internal/expr/zexpr.go", name: "Expr", body: func(c op.Code) string {
		r := c.Info()
		switch {
		case r.Commutes:
			return "return x.commutative(op." + r.Name + ", y)"
		case r.Operands == 2:
			return "return x.binary(op." + r.Name + ", y)"
		case r.Constant == op.RealConstant:
			return "return x.unaryReal(op." + r.Name + ", c)"
		case r.Constant == op.IntConstant:
			return "return x.unaryReal(op." + r.Name + ", float64(n))"
		}
		return "return x.unary(op." + r.Name + ")"
	}},
	{file: "internal/roundoff/znumber.go", name: "Number", body: func(c op.Code) string {
		r := c.Info()
		switch {
		case r.Operands == 2:
			return "return x.binary(y, dual.Real." + r.Method + ")"
		case r.Constant != op.NoConstant:
			return "return x.unary(func(x dual.Real) dual.Real { return x." + r.Method + "(" + constant(r)[2:] + ") })"
		}
		return "return x.unary(dual.Real." + r.Method + ")"
	}},
}

// apply is the call of a method by operation.
func apply() string {
	var b strings.Builder
	b.WriteString("// Apply is an operation on one or two operands.\n" +
		"func Apply[T dual.Scalar[T]](code op.Code, c float64, x, y T) T {\nswitch code {\n")
	for c := range op.All {
		r := c.Info()
		call := "x." + r.Method + "()"
		switch {
		case r.Method == "": // on a number that is the constant
			call = "x." + r.Full.Info().Method + "(x.Const(c))"
		case r.Operands == 2:
			call = "x." + r.Method + "(y)"
		case r.Constant == op.RealConstant:
			call = "x." + r.Method + "(c)"
		case r.Constant == op.IntConstant:
			call = "x." + r.Method + "(int(c))"
		}
		fmt.Fprintf(&b, "case op.%v:\nreturn %s\n", c, call)
	}
	b.WriteString("}\npanic(\"tape: no operation \" + code.String())\n}\n")
	return b.String()
}
