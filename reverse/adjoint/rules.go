package main

import (
	"go/types"
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

// use is what the analysis makes of a function.
func use(fn *types.Func) activity.Use {
	if _, ok := ruleOf(fn); ok {
		return activity.Use{As: activity.Operation}
	}
	if name := fn.FullName(); name == "github.com/hesse-ad/hesse/dual.Detach" || name == "github.com/hesse-ad/hesse/dual.Value" {
		return activity.Use{As: activity.Reading}
	}
	if fn.Pkg() != nil && fn.Pkg().Path() == "math" {
		switch fn.Name() {
		case "IsNaN", "IsInf", "Signbit":
			return activity.Use{As: activity.Reading}
		case "Sincos":
			return activity.Use{As: activity.Refused, Instead: "call math.Sin and math.Cos"}
		case "FMA", "Lgamma", "Modf", "Ldexp", "Frexp", "Logb", "Ilogb", "Float64bits", "Float32bits", "Nextafter", "Nextafter32":
			return activity.Use{As: activity.Refused, Instead: "write it by other operations"}
		}
	}
	return activity.Use{}
}

func lowerName(s string) string {
	for i, c := range s {
		return string(unicode.ToLower(c)) + s[i+len(string(c)):]
	}
	return s
}
