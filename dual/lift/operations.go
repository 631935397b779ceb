package main

import (
	"go/types"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
)

// An operation is a function of plain Go that dual.Scalar has as a method.
type operation struct {
	// method is called on the first argument, with the others.
	method string

	// text is written where a method alone does not do: $1, $2 are the arguments,
	// dual is the package, and &name a helper function. Several texts are several results.
	text []string

	// helper returns all of several results.
	helper string

	// all says that the text takes active arguments only.
	all bool

	// reads says that the result is no differentiable function of the arguments:
	// a bool, an integer.
	reads bool
}

var operations = func() map[string]operation {
	m := map[string]operation{
		"math.IsNaN":       {text: []string{"!$1.LessEq($1)"}, reads: true},
		"math.Signbit":     {text: []string{"($1.LessReal(0) || $1.Inv().LessReal(0))"}, reads: true},
		"math.Sincos":      {text: []string{"$1.Sin()", "$1.Cos()"}, helper: "sincos"},
		"math.Ldexp":       {text: []string{"&scaleByPower($1, $2)"}},
		"math.Frexp":       {helper: "frexp"},
		"math.Ilogb":       {text: []string{"&ilogb($1)"}, reads: true},
		"math.Logb":        {text: []string{"&logb($1)"}, reads: true},
		"math.RoundToEven": {text: []string{"&roundToEven($1)"}},
		"math.Lgamma":      {text: []string{"$1.LogGamma()", "&signOfGamma($1)"}, helper: "logGamma"},
		"math.Modf":        {text: []string{"$1.Trunc()", "$1.Sub($1.Trunc())"}, helper: "modf"},

		dualPath + ".Detach": {method: "Detach"},
		dualPath + ".Value":  {method: "Value", reads: true},

		"gonum.org/v1/gonum/floats.Dot":          {text: []string{"dual.Dot($1, $2)"}, all: true},
		"gonum.org/v1/gonum/floats.Sum":          {text: []string{"dual.Sum($1)"}},
		"gonum.org/v1/gonum/mathext.Digamma":     {text: []string{"$1.Polygamma(0)"}},
		"gonum.org/v1/gonum/mathext.GammaIncReg": {text: []string{"dual.RegIncGamma($1, $2)"}, all: true},
		"gonum.org/v1/gonum/mathext.RegIncBeta":  {text: []string{"dual.RegIncBeta($1, $2, $3)"}, all: true},
	}
	for _, name := range strings.Fields("Abs Acos Acosh Asin Asinh Atan Atanh Cbrt Ceil Cos Cosh Erf Erfc Exp " +
		"Exp2 Expm1 Floor Gamma Log Log10 Log1p Log2 Round Sin Sinh Sqrt Tan Tanh Trunc " +
		"Atan2 Copysign FMA Hypot Max Min Mod") {
		m["math."+name] = operation{method: name}
	}
	for _, name := range strings.Fields("Abs Conj Exp Log Phase Pow Sqrt") {
		m["math/cmplx."+name] = operation{method: name}
	}
	m["math.Pow"] = operation{method: "Pow"}
	m["math.IsInf"] = operation{method: "IsInf", reads: true}
	return m
}()

// A helper is a function that the file declares if it is used.
type helper struct{ name, body string } // $ is the type of active numbers

var helpers = []helper{
	{"const", "(c float64) (x $) { return x.Const(c) }"},
	{"equal", "(x, y $) bool { return x.LessEq(y) && y.LessEq(x) }"},
	{"equalComplex", "(z, w dual.Complex[$]) bool { return &equal(z.Re, w.Re) && &equal(z.Im, w.Im) }"},
	{"greater", "(x, y $) bool { return y.Less(x) }"},
	{"greaterEq", "(x, y $) bool { return y.LessEq(x) }"},
	{"increase", "(x *$, y $) { *x = (*x).Add(y) }"},
	{"decrease", "(x *$, y $) { *x = (*x).Sub(y) }"},
	{"multiply", "(x *$, y $) { *x = (*x).Mul(y) }"},
	{"divide", "(x *$, y $) { *x = (*x).Div(y) }"},
	{"shown", "(x []$) (v []float64) {\n\tfor _, x := range x {\n\t\tv = append(v, dual.Shown(x))\n\t}\n\treturn v\n}"},
	{"values", "(x []$) (v []float64) {\n\tfor _, x := range x {\n\t\tv = append(v, x.Value())\n\t}\n\treturn v\n}"},
	{"sincos", "(x $) (sin, cos $) { return x.Sin(), x.Cos() }"},
	{"modf", "(x $) (whole, fraction $) { return x.Trunc(), x.Sub(x.Trunc()) }"},
	{"logGamma", "(x $) (lg $, sign int) { return x.LogGamma(), &signOfGamma(x) }"},
	{"roundToEven", `(x $) $ {
	if d := x.Round().Sub(x).Abs(); d.LessEqReal(0.5) && !d.LessReal(0.5) {
		return x.Scale(0.5).Round().Scale(2)
	}
	return x.Round()
}`},
	{"frexp", `(x $) (fraction $, exponent int) {
	a := x.Abs()
	if a.LessEqReal(0) || !a.LessEqReal(math.MaxFloat64) {
		return x, 0
	}
	n := int(a.Log2().Floor().Value()) // which may be rounded
	for a.LessReal(math.Ldexp(1, n)) {
		n--
	}
	for !a.LessReal(math.Ldexp(1, n+1)) {
		n++
	}
	return &scaleByPower(x, -n-1), n + 1
}`},
	{"logb", `(x $) float64 {
	if a := x.Abs(); a.LessEqReal(0) || !a.LessEqReal(math.MaxFloat64) {
		return math.Logb(x.Value())
	}
	_, exponent := &frexp(x)
	return float64(exponent - 1)
}`},
	{"ilogb", `(x $) int {
	if a := x.Abs(); a.LessEqReal(0) || !a.LessEqReal(math.MaxFloat64) {
		return math.Ilogb(x.Value())
	}
	_, exponent := &frexp(x)
	return exponent - 1
}`},
	{"scaleByPower", `(x $, n int) $ {
	// 2ⁿ may be out of range. Of a result that is subnormal the last step alone rounds.
	for k := 0; k < 3 && n > 1023; k++ {
		x, n = x.Scale(0x1p1023), n-1023
	}
	for k := 0; k < 3 && n < -1022; k++ {
		step := -1022
		if n > -2044 {
			step = n + 1022
		}
		x, n = x.Scale(math.Ldexp(1, step)), n-step
	}
	if n > 1023 || n < -1022 { // of 0, ∞ or NaN by now
		return x
	}
	return x.Scale(math.Ldexp(1, n))
}`},
	{"signOfGamma", `(x $) int {
	sign := 1
	if whole := x.Floor(); x.LessReal(0) && whole.Less(x) { // between two integers it is one
		_, sign = math.Lgamma(whole.Value() + 0.5)
	}
	return sign
}`},
}

// elementary is the operation of a function of the standard library or gonum.
func elementary(fn *types.Func) (operation, bool) {
	if fn.Pkg() == nil {
		return operation{}, false
	}
	op, ok := operations[fn.Pkg().Path()+"."+fn.Name()]
	return op, ok && fn.Type().(*types.Signature).Recv() == nil
}

// use is how the analysis treats functions.
func use(fn *types.Func) activity.Use {
	if _, ok := printing(fn); ok {
		return activity.Use{As: activity.Reading}
	}
	if op, ok := elementary(fn); ok {
		if op.reads {
			return activity.Use{As: activity.Reading}
		}
		return activity.Use{As: activity.Operation}
	}
	if instead, ok := refused(fn); ok {
		return activity.Use{As: activity.Refused, Instead: instead}
	}
	return activity.Use{}
}

// printing reports whether fn makes a text of numbers, and whether it is for people alone:
// then values in it are no guards.
func printing(fn *types.Func) (shown, ok bool) {
	if fn == nil || fn.Pkg() == nil {
		return false, false
	}
	name := fn.Name()
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	switch fn.Pkg().Path() {
	case "fmt":
		return has("Errorf", "Print"), has("Errorf", "Print", "Fprint", "Sprint", "Append")
	case "log":
		return true, has("Print", "Fatal", "Panic")
	case "strconv":
		return false, has("FormatFloat", "FormatComplex", "AppendFloat")
	}
	return false, false
}

// refused is what to do instead of calling a function that looks at the bits of
// numbers, or whose source does not have its derivatives.
func refused(fn *types.Func) (instead string, ok bool) {
	if fn.Pkg() == nil {
		return "", false
	}
	switch fn.Pkg().Path() + "." + fn.Name() {
	case "math.Float64bits", "math.Float32bits", "math.Nextafter", "math.Nextafter32":
		return "compute with the number, or convert what is no input", true
	case "math/cmplx.Acos", "math/cmplx.Acosh", "math/cmplx.Asin", "math/cmplx.Asinh", "math/cmplx.Atan", "math/cmplx.Atanh":
		return "write it by Log and Sqrt: on the axes its source has other derivatives", true
	case "math/cmplx.Cot", "math/cmplx.Tan", "math/cmplx.Tanh":
		return "divide Sin by Cos", true
	}
	return "", false
}
