package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/sparsity"
)

// printer writes a plan as Go.
type printer struct {
	*Plan
	gosource.Settings
	file    *source.File
	colored *colored       // writes the part of the plan that is by a coloring; nil if none is
	work    map[string]int // the length of each array in the memory of an evaluation
}

// Write writes functions of a plan as Go, and its pattern. The functions of a Hessian are
// Gradient, Hessian and All, those of a Jacobian are Jacobian and All; nil stands for all
// of them.
func (p *Plan) Write(file *source.File, s gosource.Settings, functions []gosource.Function) error {
	w := &printer{Plan: p, Settings: s, file: file, work: map[string]int{}}
	if functions == nil {
		functions = w.all()
	}
	if err := w.check(functions); err != nil {
		return err
	}
	if err := w.pattern(); err != nil {
		return err
	}
	if w.colored != nil {
		if err := w.colored.write(functions); err != nil {
			return err
		}
	}
	if w.isLarge() {
		if err := w.file.Declare(w.workName()); err != nil {
			return err
		}
	}
	for _, f := range functions {
		if err := w.function(f); err != nil {
			return err
		}
	}
	w.printWork()
	return nil
}

// all is the functions that can be written.
func (w *printer) all() []gosource.Function {
	if w.Hessian {
		return []gosource.Function{gosource.Gradient, gosource.Hessian, gosource.All}
	}
	return []gosource.Function{gosource.Jacobian, gosource.All}
}

// check declares the names of the functions. It returns an error for what cannot be written.
func (w *printer) check(functions []gosource.Function) error {
	w.colored = w.coloredPart()
	for _, f := range functions {
		if !slices.Contains(w.all(), f) {
			return fmt.Errorf("the function %v is none of this plan", f)
		}
		if err := w.file.Declare(w.file.Name() + f.String()); err != nil {
			return err
		}
	}
	names := source.Names{}
	for _, list := range []struct {
		what  string
		names []string
		n     int
	}{{"inputs", w.Inputs, w.program.Inputs()}, {"parameters", w.Params, w.program.Params()}} {
		if list.names != nil && len(list.names) != list.n {
			return fmt.Errorf("%d names of %d %s", len(list.names), list.n, list.what)
		}
		for _, name := range list.names {
			if err := names.Add(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// primitive is the Go name of the derivative of the given order of a primitive.
func (w *printer) primitive(p expr.Primitive, order int) (string, error) {
	f := p.(*tape.Scalar1)
	if order > 2 {
		return "", &gosource.Unsupported{Op: "the third derivative of the primitive " + f.Name}
	}
	names, err := w.Primitive(f)
	return names[order], err
}

// argument is an argument of a written function, a slice of n numbers.
type argument struct {
	name string
	n    int
}

// arguments is the arguments of function f.
func (w *printer) arguments(f gosource.Function) (args []argument) {
	q := w.program
	add := func(name string, n int) { args = append(args, argument{name, n}) }
	add("dst", w.size(f))
	switch {
	case f == gosource.All && w.Hessian:
		add("g", q.Inputs())
	case f == gosource.All:
		add("y", q.Outputs())
	}
	add("x", q.Inputs())
	if q.Params() > 0 {
		add("p", q.Params())
	}
	if w.isWeighted() {
		add("w", q.Outputs())
	}
	return args
}

// onStack is the length of the longest array that Go puts on the stack, 128 KiB.
const onStack = 1 << 14

// isLarge reports whether written functions have an argument work, the memory of an
// evaluation: it has arrays that are too long for the stack, and the memory of sweeps over
// many operations.
func (w *printer) isLarge() bool {
	n := w.program.Outputs()
	switch {
	case w.colored != nil && len(w.colored.inMemory) > 0:
		return true
	case w.colored != nil:
		n = max(n, w.program.Inputs())
		if w.colored.isApart() {
			n = max(n, w.rest.stored.NNZ())
		}
	case !w.isWeighted():
		return false
	}
	return n > onStack
}

func (w *printer) workName() string { return w.file.Name() + "Work" }

// takesWork reports whether f has the argument work.
func (w *printer) takesWork(f gosource.Function) bool {
	return w.isLarge() && (w.colored != nil || f != w.alone())
}

// workArgument is the declaration of the argument work of f, with a comma before it; "" if f
// has none.
func (w *printer) workArgument(f gosource.Function) string {
	if w.takesWork(f) {
		return ", work *" + w.workName()
	}
	return ""
}

// array is the declaration of a variable for n numbers: an array, which is 0, or a part of
// work, which is not cleared.
func (w *printer) array(name string, n int) string {
	if !w.isLarge() {
		return fmt.Sprintf("var %s [%d]float64\n", name, n)
	}
	w.work[name] = max(w.work[name], n)
	return fmt.Sprintf("%s := work.%[1]s[:%d]\n", name, n)
}

// printWork writes the type of the memory of an evaluation.
func (w *printer) printWork() {
	if !w.isLarge() || w.colored == nil && len(w.work) == 0 {
		return
	}
	w.file.Printf("%stype %s struct {\n", source.Comment(w.workName()+" is the memory of an evaluation, for one goroutine at a time."), w.workName())
	for _, name := range slices.Sorted(maps.Keys(w.work)) {
		w.file.Printf("%s [%d]float64\n", name, w.work[name])
	}
	if w.colored != nil && len(w.colored.inMemory) > 0 {
		w.file.Printf("%s %s\n", sweptField, w.file.Private(part+"Work"))
	}
	w.file.Printf("}\n\n")
}

// size is the length of the argument dst of f.
func (w *printer) size(f gosource.Function) int {
	if f == gosource.Gradient {
		return w.program.Inputs()
	}
	return w.stored.NNZ()
}

// isWeighted reports whether functions have the argument w, weights of the outputs.
func (w *printer) isWeighted() bool { return w.Hessian && w.program.Outputs() > 1 }

// function writes a function and what it calls.
func (w *printer) function(f gosource.Function) error {
	if w.terms == nil {
		w.wrapper(f, "")
		return nil
	}
	name, matrix := w.file.Name()+f.String(), w.alone()
	written := terms.Written{
		File: w.file, Name: name, Comment: source.Comment(w.comment(f, name)), Careful: w.file.Private(f.String() + "Careful"),
		Primitive: w.primitive, Inputs: w.Inputs, Params: w.Params, Weighted: w.isWeighted(),
		WorkArgument: w.workArgument(f), Array: w.array,
		Values: f != matrix, Gradient: w.Hessian && f != matrix, Matrix: f != gosource.Gradient,
	}
	if w.colored != nil {
		written.Part, written.Name = true, w.file.Private(f.String()+"Terms")
		written.Comment = fmt.Sprintf("// %s is %s of the terms alone.\n", written.Name, name)
		w.wrapper(f, written.Name)
	}
	if m, ok := w.matrix.(*terms.Hessian); ok {
		return m.Write(written)
	}
	return w.matrix.(*terms.Jacobian).Write(written)
}

// wrapper writes the function of a plan with a colored part, which calls that of the
// terms, "" if there are none.
func (w *printer) wrapper(f gosource.Function, ofTerms string) {
	name, returnsF := w.file.Name()+f.String(), w.Hessian && f != w.alone()
	var names, wrong, results []string
	for _, a := range w.arguments(f) {
		names = append(names, a.name)
		wrong = append(wrong, fmt.Sprintf("len(%s) != %d", a.name, a.n))
	}
	if returnsF {
		results = append(results, "f float64")
	}
	if w.fails() {
		results = append(results, "err error")
	}
	w.file.Printf("%sfunc %s(%s []float64%s) (%s) {\n", source.Comment(w.comment(f, name)), name, strings.Join(names, ", "), w.workArgument(f), strings.Join(results, ", "))
	w.file.Printf("if %s {\npanic(%q)\n}\n", strings.Join(wrong, " || "), name+": wrong length")
	w.colored.begin(f)
	if ofTerms != "" {
		w.callTerms(returnsF, ofTerms, names)
	}
	w.colored.end(f)
	switch {
	case returnsF && w.fails():
		w.file.Printf("return f, nil\n")
	case returnsF:
		w.file.Printf("return f\n")
	case w.fails():
		w.file.Printf("return nil\n")
	}
	w.file.Printf("}\n\n")
}

// fails reports whether functions return an error.
func (w *printer) fails() bool { return w.colored != nil && w.colored.fails }

// callTerms calls the function of the terms.
func (w *printer) callTerms(returnsF bool, name string, args []string) {
	m := w.program.Outputs()
	switch {
	case !returnsF:
		w.file.Printf("%s(%s)\n", name, strings.Join(args, ", "))
	case m == 1:
		w.file.Printf("f += %s(%s)\n", name, strings.Join(args, ", "))
	default:
		w.file.Printf("%s", w.array("y", m))
		w.file.Printf("%s(%s)\n", name, strings.Join(slices.Insert(args, 1, "y[:]"), ", "))
		w.file.Printf("for j, w := range w {\nif w != 0 {\nf += float64(w * y[j])\n}\n}\n")
	}
}

// comment says what a function computes.
func (w *printer) comment(f gosource.Function, name string) string {
	q := w.program
	at := "(x)"
	if q.Params() > 0 {
		at = "(x, p)"
	}
	function, second := "f"+at, "∇²f"+at
	if w.isWeighted() {
		function, second = "Σ wⱼFⱼ"+at, "Σ wⱼ∇²Fⱼ"+at
	}
	if !w.Hessian {
		function, second = "F"+at, "F′"+at
	}
	what := ""
	if w.Lower {
		what = "the lower triangle of "
	}
	values := fmt.Sprintf("sets dst to the values of %s%s in the pattern %s, %s", what, second, w.file.Name()+"RowPtr", w.file.Name()+"ColIdx")
	var s string
	switch {
	case f == gosource.Gradient:
		s = fmt.Sprintf("sets dst = ∇(%s) and returns %[1]s", function)
	case f == gosource.Hessian || f == gosource.Jacobian:
		s = values
	case w.Hessian:
		s = fmt.Sprintf("%s, g to the gradient of %s, and returns %[2]s", values, function)
	default:
		s = fmt.Sprintf("%s, and y = %s", values, function)
	}
	var lengths []string
	for _, a := range w.arguments(f) {
		lengths = append(lengths, fmt.Sprintf("%s %d", a.name, a.n))
	}
	if s = fmt.Sprintf("%s %s. The lengths are %s.", name, s, strings.Join(lengths, ", ")); w.takesWork(f) {
		s += " It uses work for what it computes on the way."
	}
	return s
}

// pattern writes the pattern of the matrix.
func (w *printer) pattern() error {
	rows, cols := w.file.Name()+"RowPtr", w.file.Name()+"ColIdx"
	for _, name := range []string{rows, cols} {
		if err := w.file.Declare(name); err != nil {
			return err
		}
	}
	m, n := w.stored.Dims()
	comment := source.Comment(fmt.Sprintf("%s and %s are the pattern of the matrix, %d×%d with %d elements: row i has the columns %[2]s[%[1]s[i]:%[1]s[i+1]].", rows, cols, m, n, w.stored.NNZ()))
	table := runsOf(w.stored)
	const few = 64
	if w.stored.NNZ() <= few || 2*len(table) > w.stored.NNZ() {
		columns := make([][]int32, m)
		for i := range columns {
			columns[i] = w.stored.Row(i)
		}
		w.file.Printf("%svar (\n%s = []int32{\n%s\n}\n%s = []int32{\n%s\n}\n)\n\n", comment,
			rows, numbers(w.stored.RowPtr()), cols, numbers(slices.Concat(columns...)))
		return nil
	}
	f := w.file.Private("Pattern")
	w.file.Printf("%svar %s, %s = %s()\n\n", comment, rows, cols, f)
	w.file.Printf("%s", strings.NewReplacer("NAME", f, "ROWS", fmt.Sprint(m), "NNZ", fmt.Sprint(w.stored.NNZ()), "TABLE", numbers(table)).Replace(patternFunc))
	return nil
}

const patternFunc = `// NAME makes the pattern of groups of alike rows. A group begins with its number of rows, and
// the number of runs of columns in each. Then come four numbers for each run: its first
// column in the first row, how much that grows from row to row, its length in the first row,
// and how much that grows.
func NAME() (rowPtr, colIdx []int32) {
	groups := []int32{
		TABLE
	}
	rowPtr, colIdx = make([]int32, 1, ROWS+1), make([]int32, 0, NNZ)
	for len(groups) > 0 {
		rows, runs := groups[0], groups[2:][:4*groups[1]]
		groups = groups[2+len(runs):]
		for i := range rows {
			for k := 0; k < len(runs); k += 4 {
				from, n := runs[k]+i*runs[k+1], runs[k+2]+i*runs[k+3]
				for j := range n {
					colIdx = append(colIdx, from+j)
				}
			}
			rowPtr = append(rowPtr, int32(len(colIdx)))
		}
	}
	return rowPtr, colIdx
}

`

// runsOf is the table of patternFunc for a pattern: groups of rows, as its comment says.
func runsOf(p *sparsity.Pattern) (table []int32) {
	m, _ := p.Dims()
	// row is the runs of a row, where each begins and how long it is.
	row := func(i int) (runs [][2]int32) {
		for _, j := range p.Row(i) {
			if k := len(runs) - 1; k >= 0 && runs[k][0]+runs[k][1] == j {
				runs[k][1]++
			} else {
				runs = append(runs, [2]int32{j, 1})
			}
		}
		return runs
	}
	for i := 0; i < m; {
		first := row(i)
		var step, last [][2]int32
		n := 1
		for ; i+n < m; n++ {
			next := row(i + n)
			if len(next) != len(first) {
				break
			}
			if n == 1 {
				for k := range next {
					step = append(step, [2]int32{next[k][0] - first[k][0], next[k][1] - first[k][1]})
				}
			} else if !follows(last, next, step) {
				break
			}
			last = next
		}
		table = append(table, int32(n), int32(len(first)))
		for k, r := range first {
			var s [2]int32
			if n > 1 {
				s = step[k]
			}
			table = append(table, r[0], s[0], r[1], s[1])
		}
		i += n
	}
	return table
}

// follows reports whether the runs next are those of the row before, one step on.
func follows(last, next, step [][2]int32) bool {
	for k := range next {
		if next[k][0] != last[k][0]+step[k][0] || next[k][1] != last[k][1]+step[k][1] {
			return false
		}
	}
	return true
}

func numbers(x []int32) string {
	words := make([]string, len(x))
	for k, v := range x {
		words[k] = fmt.Sprintf("%d,", v)
	}
	return strings.Join(source.Wrap(words, 96), "\n")
}
