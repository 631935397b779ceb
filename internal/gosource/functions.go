package gosource

import (
	"fmt"
	"slices"
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
	memory   *memory // of long functions, nil if there are none

	primitives map[*tape.Scalar1][3]string // the names of a primitive and its derivatives

	// Calls, by number.
	vectors     map[int]*Vector // the user's functions for it
	callMemory  map[int]int     // how many numbers of memory its functions need
	callResults map[int]bool    // its derivatives take the outputs, too
	failures    []failure       // calls that may have no value

	// Names.
	names                source.Names // all of these, and those of inputs, parameters, primitives
	titles               []string     // of inputs and parameters
	dst, x, params, v, w string       // arguments
	work, z              string       // memory, and what is finite only if all results are
}

// Write writes functions of a program, and returns those of them that take the memory of an
// evaluation as a last argument.
func Write(f *source.File, p *compile.Program, s Settings, functions []Function) (inMemory []Function, err error) {
	w := &writer{file: f, p: p, settings: s, primitives: map[*tape.Scalar1][3]string{}, failures: failures(p), vectors: map[int]*Vector{}}
	if err := w.check(functions); err != nil {
		return nil, err
	}
	if err := w.chooseNames(); err != nil {
		return nil, err
	}
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
		if text, ok := w.short(function); ok {
			f.Printf("%s", text)
			continue
		}
		if n := w.written(); n > mostWritten {
			return nil, &Unsupported{Op: fmt.Sprintf("%d operations that are not in loops, more than %d", n, mostWritten)}
		}
		if w.memory == nil {
			w.memory = newMemory(w)
		}
		w.memory.write(function)
		inMemory = append(inMemory, function)
	}
	if w.memory != nil {
		f.Printf("%s", w.memory.declaration())
	}
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

// check returns an error for what cannot be written, and looks up the names of primitives.
func (w *writer) check(functions []Function) error {
	p := w.p
	for _, function := range functions {
		switch {
		case function == Hessian || function == All:
			return fmt.Errorf("the function %v is one of sparse plans", function)
		case function == Gradient && p.Outputs() != 1:
			return fmt.Errorf("the function %v is one of a single output, of %d it is VJP", function, p.Outputs())
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
	for _, name := range w.called() {
		if names[name] {
			return fmt.Errorf("%q is an input and a primitive", name)
		}
	}
	for _, name := range w.called() {
		names[name] = true
	}
	made := func(letter string, list []string) {
		letter = names.Family(letter)
		for i := range list {
			list[i] = letter + strconv.Itoa(i)
			names[list[i]] = true
		}
	}
	if w.settings.Inputs == nil {
		made("x", w.titles[:p.Inputs()])
	}
	if w.settings.Params == nil {
		made("p", w.titles[p.Inputs():])
	}
	for _, name := range []struct {
		is   *string
		name string
	}{{&w.dst, "dst"}, {&w.x, "x"}, {&w.params, "p"}, {&w.v, "v"}, {&w.w, "w"}, {&w.work, "work"}, {&w.z, "z"}} {
		*name.is = names.Fresh(name.name)
	}
	w.names = names
	return nil
}

// called is what functions of the user, or their packages, are called.
func (w *writer) called() (names []string) {
	add := func(list ...string) {
		for _, name := range list {
			first, _, _ := strings.Cut(name, ".")
			names = append(names, first)
		}
	}
	for _, list := range w.primitives {
		add(list[:]...)
	}
	for _, f := range w.vectors {
		add(f.F, f.JVP, f.VJP, f.HVP)
	}
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
}

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
	for k := range guards {
		text := fmt.Sprintf("%s: %s does not hold as when recorded", w.file.Name(), w.holds(&guards[k], w.title))
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

// size is the length of the argument dst of a function, 0 if it has none.
func (w *writer) size(function Function) int {
	p := w.p
	switch {
	case function == Value && p.Outputs() == 1:
		return 0
	case function == Value || function == JVP:
		return p.Outputs()
	case function == Jacobian:
		return p.Outputs() * p.Inputs()
	}
	return p.Inputs()
}

// arguments is the names of the slices that a function takes, and their lengths.
func (w *writer) arguments(function Function) (names []string, lengths []int) {
	p := w.p
	add := func(name string, n int) { names, lengths = append(names, name), append(lengths, n) }
	if function != Value || p.Outputs() > 1 {
		add(w.dst, w.size(function))
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

// title is what node i is called in an error.
func (w *writer) title(i int32) string {
	switch p := w.p; {
	case int(i) < len(w.titles):
		return w.titles[i]
	case int(i) < p.Base():
		return w.file.Number(p.Consts()[int(i)-len(w.titles)])
	}
	return fmt.Sprintf("v%d", int(i)-w.p.Base())
}

// holds is the condition under which a guard holds; at is a node as an expression.
func (w *writer) holds(g *tape.Guard, at func(i int32) string) string {
	y := ""
	if g.Compares() {
		y = at(g.B)
	}
	return Holds(w.file, g, at(g.A), y)
}

// head is the comment and the signature of a function, and the lines that panic if an
// argument has a wrong length. A long one has an argument for the memory.
func (w *writer) head(function Function, long bool) string {
	name := w.functionName(function)
	args, lengths := w.arguments(function)
	var wrong []string
	for k, a := range args {
		wrong = append(wrong, fmt.Sprintf("len(%s) != %d", a, lengths[k]))
	}
	more := ""
	if long {
		more = ", " + w.work + " *" + w.workName()
	}
	return fmt.Sprintf("%sfunc %s(%s []float64%s) %s {\nif %s {\npanic(%q)\n}\n",
		source.Comment(w.comment(function, name, args, long)), name, strings.Join(args, ", "), more, w.result(function),
		strings.Join(wrong, " || "), name+": wrong length")
}

// result is the type of the result of a function, "" if it has none.
func (w *writer) result(function Function) string {
	switch value, fails := w.returns(function); {
	case value && fails:
		return "(float64, error)"
	case value:
		return "float64"
	case fails:
		return "error"
	}
	return ""
}

// failed is the statement that returns the error of a number, an expression.
func (w *writer) failed(function Function, number string) string {
	zero := ""
	if f, _ := w.returns(function); f {
		zero = "0, "
	}
	return fmt.Sprintf("return %s%s(%s)", zero, w.errorName(), number)
}

// done is the statement with which a function ends, "" if it has no result. f is its value.
func (w *writer) done(function Function, f string) string {
	switch value, fails := w.returns(function); {
	case value && fails:
		return "return " + f + ", nil\n"
	case value:
		return "return " + f + "\n"
	case fails:
		return "return nil\n"
	}
	return ""
}

// workName is the type of the memory of long functions.
func (w *writer) workName() string {
	if w.settings.Part != "" {
		return w.private("Work")
	}
	return w.file.Name() + "Work"
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
