package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/hesse-ad/hesse/internal/op"
)

// A rule is what the table of operations knows of a function of package math.
type rule struct {
	code op.Code
	// dear says that the function takes the time of a call, and that what it returned is
	// kept for the reverse sweep.
	dear bool
}

var rules = func() map[string]rule {
	m := map[string]rule{}
	for code := range op.All {
		info := code.Info()
		if info.Operands > 0 && info.Constant == op.NoConstant {
			m[info.Name] = rule{code, info.Cost > 0}
		}
	}
	return m
}()

// functions of package math that are operations of the table.
var functions = strings.Fields("Abs Acos Acosh Asin Asinh Atan Atanh Cbrt Ceil Cos Cosh Erf Erfc Exp Exp2 Expm1 Floor " +
	"Gamma Log Log10 Log1p Log2 Round Sin Sinh Sqrt Tan Tanh Trunc Atan2 Copysign Hypot Max Min Mod Pow")

func ruleOf(fn *types.Func) (rule, bool) {
	if isHelper(fn, "GammaLog") {
		return rules["LogGamma"], true
	}
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "math" {
		return rule{}, false
	}
	for _, name := range functions {
		if name == fn.Name() {
			r, ok := rules[name]
			return r, ok
		}
	}
	return rule{}, false
}

// A helper is a function that the command has written into a file, and what is known of its
// derivative if that is transformed again.
type helper struct {
	code      op.Code // the function has first partial derivatives of it
	first     bool
	product   bool // derivative product
	polygamma bool // of two arguments, the second of which is a constant
	pop       bool
	reading   bool
}

// findHelpers finds the helpers among the functions of the package.
func (p *program) findHelpers() {
	p.helpers = map[*types.Func]helper{}
	add := func(what string, h helper) {
		if fn, ok := p.Root.Types.Scope().Lookup(p.file.Private(what)).(*types.Func); ok {
			p.helpers[fn] = h
		}
	}
	add("Prod", helper{product: true})
	add("Polygamma", helper{polygamma: true})
	add("Pop", helper{pop: true})
	add("Finite", helper{reading: true})
	for _, name := range functions {
		add(name+"D", helper{code: rules[name].code, first: true})
	}
	add("DivD", helper{code: op.Div, first: true})
}

// pops reports whether a call takes a value off a stack.
func (p *program) pops(in *activity.Instance, e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(p.helpers) == 0 {
		return false
	}
	fn, _ := in.Function(c.Fun)
	return fn != nil && p.helpers[fn.Origin()].pop
}

// use is what the analysis makes of a function.
func (p *program) use(fn *types.Func) activity.Use {
	switch h := p.helpers[fn]; {
	case h.reading:
		return activity.Use{As: activity.Reading}
	case h.first || h.product || h.polygamma:
		return activity.Use{As: activity.Operation}
	}
	if _, ok := ruleOf(fn); ok || p.custom(fn) != nil {
		return activity.Use{As: activity.Operation}
	}
	if name := fn.FullName(); name == "github.com/hesse-ad/hesse/dual.Detach" || name == "github.com/hesse-ad/hesse/dual.Value" || isReading(fn) {
		return activity.Use{As: activity.Reading}
	}
	if fn.Pkg() != nil && fn.Pkg().Path() == "math" {
		switch fn.Name() {
		case "IsNaN", "IsInf", "Signbit", "Logb", "Ilogb", "RoundToEven":
			return activity.Use{As: activity.Reading}
		case "Sincos", "Lgamma", "Modf", "Frexp", "Ldexp": // see front.go
			return activity.Use{As: activity.Operation}
		case "FMA", "Float64bits", "Float32bits", "Nextafter", "Nextafter32":
			return activity.Use{As: activity.Refused, Instead: "write it by other operations"}
		}
	}
	return activity.Use{}
}

// isLdexp reports whether fn is math.Ldexp, which is linear.
func isLdexp(fn *types.Func) bool { return fn != nil && fn.FullName() == "math.Ldexp" }

// isReading reports whether fn is a function that front.go writes and that only looks at
// values.
func isReading(fn *types.Func) bool {
	return isHelper(fn, "Has", "Keys", "GammaSign", "Exponent", "RuneSize", "Overlaps")
}

// isHelper reports whether fn is a function that front.go writes.
func isHelper(fn *types.Func, names ...string) bool {
	if fn == nil || !strings.HasPrefix(fn.Name(), "hesse") {
		return false
	}
	return slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(fn.Name(), s) })
}

func lowerName(s string) string {
	for i, c := range s {
		return string(unicode.ToLower(c)) + s[i+len(string(c)):]
	}
	return s
}
