package straight

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Function is a function that can be written.
type Function uint8

// The functions, of F: ℝⁿ → ℝᵐ.
const (
	Value     Function = iota // F(x)
	Gradient                  // ∇F(x) and F(x), m = 1
	Jacobian                  // F′(x)
	JVP                       // F′(x)v
	VJP                       // F′(x)ᵀw
	HVP                       // (Σ wⱼ∇²Fⱼ(x))v
	Hessian                   // of sparse plans: the values of ∇²(Σ wⱼFⱼ)(x)
	All                       // of sparse plans: the values of the matrix, and what is computed on the way
	Functions int      = iota
)

func (f Function) String() string {
	return [...]string{"Value", "Gradient", "Jacobian", "JVP", "VJP", "HVP", "Hessian", "All"}[f]
}

// Settings is what the caller chooses.
type Settings struct {
	// Part is what the names of functions begin with that are parts of others, see Write; ""
	// if functions are exported.
	Part string
	// Short says to write straight lines even where a test has lowered Longest.
	Short bool
	// Inputs and Params are the names of inputs and parameters; nil for x0, x1, … and p0,
	// p1, …
	Inputs, Params []string
	// Position is where the operation recorded at pc stands in the user's source; nil if
	// that is not to be said.
	Position func(pc uintptr) string
	// Primitive is the names of the functions for a primitive and its two derivatives.
	Primitive func(f *tape.Scalar1) (names [3]string, err error)
	// Vector is the names of the functions for a primitive on vectors; nil if it has none.
	Vector func(name string) (*Vector, error)
}

// Unsupported is the error of an operation that cannot be written.
type Unsupported struct {
	Op string
	PC uintptr // where it was recorded, 0 if that is not known
}

func (e *Unsupported) Error() string { return "no Go source of " + e.Op }

// writer writes functions of one program.
type writer struct {
	file     *source.File
	p        *compile.Program
	settings Settings
	loops    *looped // writes long functions, nil if there are none

	constants  map[int32]float64           // the value of nodes that are constant, see foldConstants
	primitives map[*tape.Scalar1][3]string // the names of a primitive and its derivatives

	// Calls, by number.
	vectors     map[int]*Vector // the user's functions for it
	callMemory  map[int]int     // how many numbers of memory its functions need
	callResults map[int]bool    // its derivatives take the outputs, too
	failures    []failure       // calls that may have no value

	// Names.
	titles               []string          // of inputs and parameters
	kinds                map[string]string // by kind of variable, what its names begin with, see name
	dst, x, params, v, w string            // arguments
	test, m, work        string            // variables, see repeat, procedure and long.go
	careful, finite, err string            // argument and results of products
	arrays               arrays

	// What the body at hand has computed.
	d     map[int32][2]value // by node, first partial derivatives
	h     map[int32][3]value // by node, second ones, times the adjoint
	lists map[string]value   // by name, partial derivatives of operations with several operands
	g     []value            // by node, adjoints
}

// Write writes functions of a program, and returns those of them that take the memory of an
// evaluation as an argument.
//
// With Settings.Part, JVP, VJP and HVP are parts of functions that make several products in
// one sweep, and repeat all of them if one is not finite. So they have a last argument,
// whether to multiply carefully, and report whether the product is finite; if it is not,
// they leave dst as it was.
func Write(f *source.File, p *compile.Program, s Settings, functions []Function) (inMemory []Function, err error) {
	w := &writer{file: f, p: p, settings: s, primitives: map[*tape.Scalar1][3]string{}, kinds: map[string]string{}, failures: failures(p), vectors: map[int]*Vector{}}
	if err := w.check(functions); err != nil {
		return nil, err
	}
	if err := w.chooseNames(); err != nil {
		return nil, err
	}
	w.foldConstants()
	for _, function := range functions {
		if s.Part != "" {
			continue
		}
		if err := f.Declare(w.functionName(function)); err != nil {
			return nil, err
		}
	}
	if err := w.writeCalls(functions); err != nil {
		return nil, err
	}
	if w.fails() {
		if err := w.branches(); err != nil {
			return nil, err
		}
	}
	for _, function := range functions {
		long := w.isLong(function)
		switch n := 0; {
		case long:
			if n = w.written(); n > mostWritten {
				return nil, &Unsupported{Op: fmt.Sprintf("%d operations that are not in loops, more than %d", n, mostWritten)}
			}
			w.startLoops().write(function)
			inMemory = append(inMemory, function)
		default:
			w.write(function)
		}
	}
	w.printWork()
	return inMemory, nil
}

// functionName is the name of a function.
func (w *writer) functionName(f Function) string {
	if w.settings.Part != "" {
		return w.private(f.String())
	}
	return w.file.Name() + f.String()
}

// private is the name of something that is not exported.
func (w *writer) private(what string) string { return w.file.Private(w.settings.Part + what) }

// isProduct reports whether a function is a part that makes a product, see Write.
func (w *writer) isProduct(f Function) bool {
	return w.settings.Part != "" && (f == JVP || f == VJP || f == HVP)
}

// check returns an error for what cannot be written, and looks up the names of primitives.
func (w *writer) check(functions []Function) error {
	p := w.p
	for _, function := range functions {
		if function == Hessian || function == All {
			return fmt.Errorf("the function %v is one of sparse plans", function)
		}
	}
	for i := int32(p.Base()); int(i) < p.Len(); i++ {
		switch p.Op(i) {
		case op.Call:
			if err := w.checkCall(i, needed(functions)); err != nil {
				return err
			}
		case op.Own:
			f, order := p.OwnAt(i)
			for _, function := range functions {
				more := 1
				switch function {
				case Value:
					more = 0
				case HVP:
					more = 2
				}
				if order+more > 2 {
					return &Unsupported{fmt.Sprintf("the third derivative of the primitive %s", f.Name), p.Made(i)}
				}
			}
			if w.settings.Primitive == nil {
				return &Unsupported{p.OpName(i), p.Made(i)}
			}
			names, err := w.settings.Primitive(f)
			if err != nil {
				return err
			}
			w.primitives[f] = names
		}
	}
	return nil
}

// chooseNames checks the names of inputs and parameters, and makes up all others such that
// they differ from these.
func (w *writer) chooseNames() error {
	p := w.p
	names := source.Names{}
	w.titles = make([]string, p.Inputs()+p.Params())
	given := func(what string, list []string, n, at int) error {
		if list != nil && len(list) != n {
			return fmt.Errorf("%d names of %d %s", len(list), n, what)
		}
		for k, name := range list {
			if err := names.Add(name); err != nil {
				return fmt.Errorf("%s %d: name %w", strings.TrimSuffix(what, "s"), k, err)
			}
			if strings.HasPrefix(name, w.file.Private("")) || strings.HasPrefix(name, w.file.Name()) {
				return fmt.Errorf("%s %d: name %q is kept for what is generated", strings.TrimSuffix(what, "s"), k, name)
			}
			w.titles[at+k] = name
		}
		return nil
	}
	if err := given("inputs", w.settings.Inputs, p.Inputs(), 0); err != nil {
		return err
	}
	if err := given("parameters", w.settings.Params, p.Params(), p.Inputs()); err != nil {
		return err
	}
	called := source.Names{}
	for _, list := range w.primitives { // functions call these by name
		for _, name := range list {
			first, _, _ := strings.Cut(name, ".")
			if names[first] {
				return fmt.Errorf("%q is an input and a primitive", first)
			}
			called[first] = true
		}
	}
	for _, f := range w.vectors {
		for _, name := range []string{f.F, f.JVP, f.VJP, f.HVP} {
			first, _, _ := strings.Cut(name, ".")
			called[first] = true
		}
	}
	maps.Copy(names, called)
	if w.settings.Inputs == nil {
		letter := names.Family("x")
		for i := range p.Inputs() {
			w.titles[i] = letter + strconv.Itoa(i)
		}
	}
	if w.settings.Params == nil {
		letter := names.Family("p")
		for i := range p.Params() {
			w.titles[p.Inputs()+i] = letter + strconv.Itoa(i)
		}
	}
	w.kinds[""] = names.Family("v")
	w.kinds["w"] = names.Family("w")
	for _, kind := range []string{"d", "e", "g", "h", "k", "t", "u"} {
		prefix := kind
		for i := 0; i < len(w.titles); i++ {
			if strings.HasPrefix(w.titles[i], prefix) {
				prefix += "_"
				i = -1
			}
		}
		w.kinds[kind] = prefix
	}
	w.dst, w.x, w.params = names.Fresh("dst"), names.Fresh("x"), names.Fresh("p")
	w.v, w.w = names.Fresh("v"), names.Fresh("w")
	w.test, w.m, w.work = names.Fresh("test"), names.Fresh("m"), names.Fresh("work")
	w.careful, w.finite, w.err = names.Fresh("careful"), names.Fresh("finite"), names.Fresh("err")
	w.arrays = inMemory
	return nil
}

// name is the variable of node i or, with a kind, of something that belongs to it: "d" and
// "e" are its partial derivatives, "h" second ones, "g" its adjoint, "k" second ones times
// that, "t" its tangent, "u" its second-order adjoint.
func (w *writer) name(kind string, i int32) string {
	title := ""
	if int(i) < len(w.titles) {
		title = w.titles[i]
	} else {
		title = w.kinds[""] + strconv.Itoa(int(i)-w.p.Base())
	}
	if kind == "" {
		return title
	}
	return w.kinds[kind] + title
}

func element(slice string, k int) string { return slice + "[" + strconv.Itoa(k) + "]" }

// fails reports whether functions return an error.
func (w *writer) fails() bool { return len(w.p.Guards()) > 0 || len(w.failures) > 0 }

// errorName is the type of the error of functions.
func (w *writer) errorName() string { return w.file.Name() + "BranchError" }

// branches writes the type of the error: its value is the number of a guard, or of a call
// without a value, and a table has the text for each.
func (w *writer) branches() error {
	name := w.errorName()
	if err := w.file.Declare(name); err != nil {
		return err
	}
	table := w.file.Private("Branches")
	w.file.Printf("%stype %s int\n\n", source.Comment(name+" says that a comparison comes out otherwise than when the function was recorded: there it may be another function. It is the number of the comparison."), name)
	w.file.Printf("func (e %s) Error() string { return %s[e] }\n\n", name, table)
	w.file.Printf("var %s = [...]string{\n", table)
	guards := w.p.Guards()
	b := w.start(false)
	for k := range guards {
		text := fmt.Sprintf("%s: %s does not hold as when recorded", w.file.Name(), b.holds(&guards[k]))
		if at := w.settings.Position; at != nil && guards[k].PC != 0 {
			text += ", at " + at(guards[k].PC)
		}
		w.file.Printf("%q,\n", text)
	}
	for _, f := range w.failures {
		text := w.file.Name() + ": " + f.says
		if at := w.settings.Position; at != nil && w.p.Made(f.node) != 0 {
			text += ", at " + at(w.p.Made(f.node))
		}
		w.file.Printf("%q,\n", text)
	}
	w.file.Printf("}\n\n")
	return nil
}

// arguments is the names of the slices that a function takes, and their lengths.
func (w *writer) arguments(function Function) (names []string, lengths []int) {
	p := w.p
	add := func(name string, n int) { names, lengths = append(names, name), append(lengths, n) }
	switch {
	case function == Value && p.Outputs() == 1:
	case function == Value || function == JVP:
		add(w.dst, p.Outputs())
	case function == Jacobian:
		add(w.dst, p.Outputs()*p.Inputs())
	default:
		add(w.dst, p.Inputs())
	}
	add(w.x, p.Inputs())
	if p.Params() > 0 {
		add(w.params, p.Params())
	}
	if function == JVP || function == HVP {
		add(w.v, p.Inputs())
	}
	if function == VJP || function == HVP && p.Outputs() > 1 {
		add(w.w, p.Outputs())
	}
	return names, lengths
}

// returns reports whether a function returns f(x), and whether it returns an error.
func (w *writer) returns(function Function) (f, err bool) {
	return (function == Value || function == Gradient) && w.p.Outputs() == 1, w.fails()
}

// form says in which sweeps a function has derivative products: in the sweep for the
// adjoints with which HVP begins, and in the last one, which makes the result.
type form struct{ adjoints, last bool }

// write writes a short function and, if they differ, its forms with derivative products. The
// plain one ends with a call of the one that a result that is not finite asks for.
func (w *writer) write(function Function) {
	args, lengths := w.arguments(function)
	arguments, signature := strings.Join(args, ", "), strings.Join(args, ", ")+" []float64"
	call := func(name string) string {
		if w.result(function) == "" {
			return name + "(" + arguments + ")\nreturn"
		}
		return "return " + name + "(" + arguments + ")"
	}
	careful, adjoints, both := w.private(function.String()+"Careful"), w.private(function.String()+"Adjoints"), w.private(function.String()+"Both")
	plain, last := w.form(function, form{}), w.form(function, form{last: true})
	type other struct {
		*body
		name, what string
	}
	var others []other
	if function != Value && !last.isLike(plain, function) {
		others = append(others, other{last, careful, "derivative products"})
	}
	if function == HVP {
		if first := w.form(function, form{adjoints: true}); !first.isLike(plain, function) {
			plain.repeat(call(adjoints), plain.gradients)
			last.repeat(call(both), last.gradients)
			others = []other{
				{last, careful, "derivative products"}, {first, adjoints, "derivative products for adjoints"},
				{w.form(function, form{true, true}), both, "derivative products for adjoints, too"},
			}
		}
	}
	again := ""
	if len(others) > 0 {
		if again = call(careful); w.isProduct(function) {
			plain.repeat("return "+w.orError("false"), plain.results)
		} else {
			plain.repeat(again, plain.results)
		}
	}
	if len(others) > 1 {
		if w.isProduct(function) {
			others[1].repeat("return "+w.orError("false"), others[1].results)
		} else {
			others[1].repeat(call(both), others[1].results)
		}
	}
	more := ""
	if w.isProduct(function) {
		more = ", " + w.careful + " bool"
	}
	w.file.Printf("%s", w.head(function, more, args, lengths))
	if w.isProduct(function) && again != "" {
		w.file.Printf("if %s {\n%s\n}\n", w.careful, again)
	}
	plain.finish(function)
	plain.print()
	w.file.Printf("}\n\n")
	for _, o := range others {
		comment := fmt.Sprintf("%s is %s with %s, for which 0·∞ and 0·NaN are 0.", o.name, w.functionName(function), o.what)
		w.file.Printf("%sfunc %s(%s) %s {\n", source.Comment(comment), o.name, signature, w.result(function))
		o.finish(function)
		o.print()
		w.file.Printf("}\n\n")
	}
}

// head is the comment and the signature of a function, and the lines that panic if an
// argument has a wrong length. more is the arguments that are no slices.
func (w *writer) head(function Function, more string, args []string, lengths []int) string {
	name := w.functionName(function)
	var wrong []string
	for k, a := range args {
		wrong = append(wrong, fmt.Sprintf("len(%s) != %d", a, lengths[k]))
	}
	return fmt.Sprintf("%sfunc %s(%s []float64%s) %s {\nif %s {\npanic(%q)\n}\n",
		source.Comment(w.comment(function, name, args, strings.Contains(more, w.work))), name, strings.Join(args, ", "), more, w.result(function),
		strings.Join(wrong, " || "), name+": wrong length")
}

// result is the type of the result of a function, "" if it has none.
func (w *writer) result(function Function) string {
	switch value, fails := w.returns(function); {
	case w.isProduct(function) && fails:
		return fmt.Sprintf("(%s bool, %s error)", w.finite, w.err)
	case w.isProduct(function):
		return fmt.Sprintf("(%s bool)", w.finite)
	case value && fails:
		return "(float64, error)"
	case value:
		return "float64"
	case fails:
		return "error"
	}
	return ""
}

// orError is a result, followed by a nil error if functions return an error.
func (w *writer) orError(result string) string {
	if w.fails() {
		result += ", nil"
	}
	return result
}

// workName is the type of the memory of long functions.
func (w *writer) workName() string {
	if w.settings.Part != "" {
		return w.private("Work")
	}
	return w.file.Name() + "Work"
}

// printWork writes the type of the memory of long functions, if there are any.
func (w *writer) printWork() {
	if w.loops != nil {
		w.file.Printf("%s", w.loops.memoryType())
	}
}

// form is the body of a form of a function.
func (w *writer) form(function Function, f form) *body {
	b := w.start(f != form{})
	b.form = f
	b.derive(function)
	return b
}

// start is an empty body, which becomes the one at hand.
func (w *writer) start(careful bool) *body {
	w.d, w.h, w.lists, w.g = map[int32][2]value{}, map[int32][3]value{}, map[string]value{}, nil
	return &body{writer: w, careful: careful}
}

// comment is the doc comment of a function.
func (w *writer) comment(function Function, name string, args []string, long bool) string {
	p := w.p
	f := "F"
	if p.Outputs() == 1 {
		f = "f"
	}
	at := "(" + w.x + ")"
	if p.Params() > 0 {
		at = "(" + w.x + ", " + w.params + ")"
	}
	weighted := "∇²f" + at
	if p.Outputs() > 1 {
		weighted = fmt.Sprintf("(Σ %sⱼ∇²Fⱼ%s)", w.w, at)
	}
	set := " sets " + w.dst + " = "
	var s string
	switch function {
	case Value:
		if p.Outputs() == 1 {
			s = name + " returns f" + at
		} else {
			s = name + set + "F" + at
		}
	case Gradient:
		s = name + set + "∇f" + at + " and returns f" + at
	case Jacobian:
		s = name + set + f + "′" + at + ", row by row"
	case JVP:
		s = name + set + f + "′" + at + w.v
	case VJP:
		s = name + set + f + "′" + at + "ᵀ" + w.w
	case HVP:
		s = name + set + weighted + w.v
	}
	s += fmt.Sprintf(", %s: ℝ%s → ℝ%s", f, superscript(p.Inputs()), superscript(p.Outputs()))
	if p.Params() > 0 {
		s += fmt.Sprintf(", with %d parameters %s", p.Params(), w.params)
	}
	s += "."
	if _, fails := w.returns(function); fails {
		s += " Where a comparison comes out otherwise than recorded it returns " + article(w.errorName())
		if len(args) > 0 && args[0] == w.dst {
			s += " and leaves " + w.dst + " as it was"
		}
		s += "."
	}
	if long {
		s += " It uses " + w.work + " for what it computes on the way."
	}
	return s
}

// superscript is n as an exponent, "" for 1.
func superscript(n int) string {
	if n == 1 {
		return ""
	}
	var s strings.Builder
	for _, c := range strconv.Itoa(n) {
		s.WriteRune([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[c-'0'])
	}
	return s.String()
}

// article is a name with its article.
func article(name string) string {
	if strings.ContainsRune("AEIOUaeiou", []rune(name)[0]) {
		return "an " + name
	}
	return "a " + name
}
