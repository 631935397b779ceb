package terms

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/source"
)

// Go source of an evaluation: for each shape a loop over its terms, whose results are
// added where they belong as they are computed. The bits are those of the plan, which
// adds up block by block and within a block result by result (order.go).

// Written says which function is written.
type Written struct {
	File    *source.File
	Name    string // of the function
	Comment string // its doc comment
	Careful string // the name of the function with derivative products that it calls
	// Primitive is the name of the function for the derivative of an order of a primitive.
	Primitive func(p expr.Primitive, order int) (string, error)

	// Inputs and Params are names for a function without loops; nil for x0, x1, … and p0,
	// p1, …
	Inputs, Params []string

	Values   bool // f is returned, or y stored
	Gradient bool // g is stored
	Matrix   bool // the values of the matrix are stored
	Weighted bool // the outputs have weights w
	// WorkArgument is a last argument, as in ", work *Work"; Array declares an array, which
	// may be a part of that.
	WorkArgument string
	Array        func(name string, n int) string

	call bool // the function is one of a Repeat that a program calls

	Part bool // the function is called by another one, which checks lengths and weights values
}

// Write prints the function for the Hessian
//
//	func name(dst, g, x, p, w []float64) (f float64)
//
// without what is not wanted: dst is the matrix, or the gradient alone. A part of several
// outputs stores y, after dst, and returns nothing.
func (h *Hessian) Write(w Written) error {
	v := variant{Derivative: expr.Gradient, Weighted: w.Weighted}
	if w.Matrix {
		v.Derivative = expr.Hessian
	}
	return h.write(w, v)
}

// Write prints the function for the Jacobian, which stores y after dst.
func (j *Jacobian) Write(w Written) error {
	w.Matrix = true
	return j.write(w, variant{Derivative: expr.Jacobian})
}

// The arrays that results are added to.
const (
	toY = iota
	toG
	toMatrix
	toAlong // the derivative along a direction
	targets
)

// writer writes a function.
type writer struct {
	Written
	pl     *Plan
	m      *matrix
	v      variant
	to     [targets]target
	passes []*pass
	end    int64   // the key at which all passes so far have ended, see pass.when
	image  []int32 // by place of a symmetric matrix, that of its image, −1 for none; nil if there are none
	known  map[*code.Index][]int32
	checks bool // the function adds up in z what must be finite
	text   bytes.Buffer
	err    error
}

// target is an array that results are added to, and when its elements are.
type target struct {
	name    string
	n       int // its length
	wanted  bool
	start   []float64 // what it has before; nil is 0
	touched []bool    // by element: something is added to it
	first   []int64   // by element, the key of the first addition, see pass.when
	last    []int64   // by element, the key of the last addition
	lastBy  []*store  // by element, the result that is added last
}

// pass is a loop over the terms of a shape.
type pass struct {
	shape   int // the number of s in the plan
	s       *shape
	g       *expr.Graph
	stores  []*store // the results
	forward bool     // the loop goes from the first lane of a block to the last
	begin   int64    // its first key, see when
	printer *code.Printer
}

func (m *matrix) write(w Written, v variant) error {
	for {
		z := &writer{Written: w, pl: m.Plan, m: m, v: v}
		z.to[toY] = target{name: "y", n: m.outputs, wanted: w.Values, start: m.constants}
		z.to[toG] = target{name: "g", n: m.inputs, wanted: w.Gradient}
		z.to[toMatrix] = target{name: "dst", wanted: w.Matrix}
		if w.Matrix {
			z.to[toMatrix].n = m.pattern.NNZ()
		}
		if !w.Matrix {
			z.to[toG].name = "dst"
		}
		if w.call {
			z.to[toY].name = "dst"
		}
		z.to[toAlong] = target{name: "dst", n: m.outputs, wanted: v.Directions > 0}
		if v.Derivative == expr.Product {
			z.to[toAlong].n = m.inputs
		}
		if allZero(m.constants) {
			z.to[toY].start = nil
		}
		z.header()
		if m.whole {
			z.whole()
		} else {
			z.loops()
		}
		if z.err != nil {
			return z.err
		}
		w.File.Printf("%s", z.text.String())
		if v.Safe || !z.checks {
			return nil
		}
		v.Safe = true
	}
}

func allZero(x []float64) bool {
	for _, v := range x {
		if math.Float64bits(v) != 0 {
			return false
		}
	}
	return true
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

// isScalar reports whether there is one output, the result f.
func (w *writer) isScalar() bool {
	return w.pl.outputs == 1 && w.v.Derivative != expr.Jacobian && !w.call
}

// arguments is the arguments of the function, with y if it is one of them.
func (w *writer) arguments(y string) string {
	var args []string
	add := func(name string, is bool) {
		if is {
			args = append(args, name)
		}
	}
	add("dst", true)
	add(y, w.Values && !w.isScalar() && y != "" && !w.call)
	add("g", w.Gradient && w.Matrix)
	add("x", true)
	add("p", w.pl.params > 0)
	add("w", w.Weighted)
	add("v", w.v.Directions > 0)
	add("dw", w.v.WeightsChange)
	return strings.Join(args, ", ")
}

func (w *writer) header() {
	results, y := "", "y"
	if w.sums() {
		y = ""
	}
	if w.returnsF() || w.sums() {
		results = "(f float64)"
	}
	name, comment := w.Name, w.Comment
	if w.v.Safe {
		name = w.Careful
		comment = fmt.Sprintf("// %s is %s with derivative products, for which 0·∞ and 0·NaN are 0.\n", name, w.Name)
	}
	args := w.arguments(y)
	work := ""
	if w.sums() {
		work = w.WorkArgument
	}
	w.printf("%sfunc %s(%s []float64%s) %s {\n", comment, name, args, work, results)
	lengths := map[string]int{"dst": w.to[toMatrix].n, "y": w.pl.outputs, "g": w.pl.inputs, "x": w.pl.inputs, "p": w.pl.params, "w": w.pl.outputs}
	if !w.Matrix {
		lengths["dst"] = w.pl.inputs
	}
	if w.call {
		lengths["v"], lengths["dw"] = w.pl.inputs, w.pl.outputs
		if !w.Gradient && w.v.Derivative != expr.Product {
			lengths["dst"] = w.pl.outputs
		}
	}
	var wrong, known []string
	for _, a := range strings.Split(args, ", ") {
		wrong = append(wrong, fmt.Sprintf("len(%s) != %d", a, lengths[a]))
		known = append(known, fmt.Sprintf("%s[:%d:%[2]d]", a, lengths[a]))
		if w.Part || w.v.Safe {
			w.printf("%s = %[1]s[:%d]\n", a, lengths[a])
		}
	}
	if !w.Part && !w.v.Safe {
		w.printf("if %s {\npanic(%q)\n}\n", strings.Join(wrong, " || "), name+": wrong length")
		if w.pl.whole {
			w.printf("%s = %s // with constant lengths they take a register each\n", args, strings.Join(known, ", "))
		}
	}
	if w.sums() {
		w.printf("%s", w.Array("y", w.pl.outputs))
	}
}

// returnsF reports whether the function returns f, a single output.
func (w *writer) returnsF() bool { return w.isScalar() && w.Values }

// sums reports whether the function returns f = Σ wⱼyⱼ.
func (w *writer) sums() bool { return w.Values && w.Weighted && !w.Part && !w.v.Safe }

// footer ends the function, which returns f if it returns anything; z is finite only if all
// results are.
func (w *writer) footer(f string) {
	if w.checks {
		call, y := "", "y"
		switch {
		case w.returnsF():
			call = "return "
		case w.sums():
			y = "y[:]"
		}
		w.printf("if z-z != 0 {\n%s%s(%s)\n}\n", call, w.Careful, w.arguments(y))
	}
	switch {
	case w.returnsF():
		w.printf("return %s\n", f)
	case w.sums():
		w.printf("for j, w := range w {\nif w != 0 {\nf += float64(w * y[j])\n}\n}\nreturn f\n")
	}
	w.printf("}\n\n")
}

// names are those that the function has.
func (w *writer) names() source.Names {
	names := source.Names{}
	for _, s := range strings.Fields("dst y g x p w v dw f j z i k n r t lo hi end at step work math") {
		names[s] = true
	}
	return names
}

// newPrinter prints the outputs of g.
func (w *writer) newPrinter(g *expr.Graph, names source.Names) *code.Printer {
	p := code.NewPrinter(g, w.File, names)
	p.Primitive = func(f expr.Primitive, order int) string {
		s, err := w.Primitive(f, order)
		if err != nil && w.err == nil {
			w.err = err
		}
		return s
	}
	return p
}

// outputName is a name for the variable of an output.
func outputName(o expr.Output) string {
	switch o.Of {
	case expr.Value:
		return fmt.Sprintf("f%d", o.A)
	case expr.Gradient:
		return fmt.Sprintf("g%d", o.A)
	case expr.Jacobian:
		return fmt.Sprintf("j%d_%d", o.B, o.A)
	}
	return fmt.Sprintf("h%d_%d", o.A, o.B)
}

// whole writes a small program as straight lines.
func (w *writer) whole() {
	s := w.pl.shapes[0]
	g := expr.NewGraph(func(expr.Node) bool { return false }, true)
	outputs := s.Derive(g, w.v)
	p := w.wholePrinter(g)
	var check, all []int32 // nodes
	for _, o := range outputs {
		if _, ok := o.Constant(); !ok {
			all = append(all, o.Node(g))
		}
	}
	if !w.v.Safe {
		check = g.ToCheck(nil, all)
	}
	for _, o := range outputs {
		if _, ok := o.Constant(); !ok && (w.to[targetOf(o)].wanted || slices.Contains(check, o.Node(g))) {
			p.Want(o.Node(g), outputName(o))
		}
	}
	p.Count()
	elements := w.wholeElements(p, g, outputs)
	var finite []string
	for _, o := range outputs {
		if c, ok := o.Constant(); ok && c-c != 0 {
			finite = append(finite, w.File.Number(c))
		}
	}
	for _, i := range check {
		finite = append(finite, p.Node(i))
	}
	w.printf("%s", p.Uniform()+p.Body())
	f := ""
	if w.returnsF() {
		f = elements[toY][0] + " + 0" // 0 if it is −0, as the sum of one output
	}
	if w.isScalar() {
		elements[toY] = nil
	}
	for k := range elements {
		for i, v := range elements[k] {
			w.printf("%s[%d] = %s\n", w.to[k].name, i, v)
		}
	}
	if w.checks = !w.v.Safe && len(finite) > 0; w.checks {
		w.printf("%s", source.Total("z", ":=", " // finite only if all results are", finite))
	}
	w.footer(f)
}

// targetOf is the array of an output of a small program.
func targetOf(o expr.Output) int {
	switch o.Of {
	case expr.Value:
		return toY
	case expr.Gradient:
		return toG
	}
	return toMatrix
}

// wholePrinter prints the outputs of a small program.
func (w *writer) wholePrinter(g *expr.Graph) *code.Printer {
	s := w.pl.shapes[0]
	names := w.names()
	fresh := func(list []string) (z []string) {
		for _, name := range list {
			z = append(z, names.Fresh(name))
		}
		return z
	}
	inputs, params := fresh(w.Inputs), fresh(w.Params)
	p := w.newPrinter(g, names)
	p.Leaf = func(leaf expr.Node) string { return fmt.Sprintf("%s[%d]", array(leaf.Leaf), s.index(leaf).First()) }
	p.LeafName = func(leaf expr.Node) string {
		at := int(s.index(leaf).First())
		switch {
		case leaf.Leaf == expr.Variable && inputs != nil:
			return inputs[at]
		case leaf.Leaf == expr.Parameter && params != nil:
			return params[at]
		}
		return names.Fresh(array(leaf.Leaf) + strconv.Itoa(at))
	}
	return p
}

// wholeElements is the expressions of the elements of the arrays that are wanted.
func (w *writer) wholeElements(p *code.Printer, g *expr.Graph, outputs []expr.Output) (elements [targets][]string) {
	for k := range elements {
		if w.to[k].wanted {
			elements[k] = slices.Repeat([]string{"0"}, w.to[k].n)
		}
	}
	entries := make([]string, len(w.m.places0()))
	for _, o := range outputs {
		if !w.to[targetOf(o)].wanted {
			continue
		}
		v := ""
		if c, ok := o.Constant(); ok {
			v = w.File.Number(c)
		} else {
			v = p.Node(o.Node(g))
		}
		if o.IsEntry() {
			entries[o.Entry] = v
			continue
		}
		i, _ := w.pl.shapes[0].places(o)
		elements[targetOf(o)][i.First()] = v
	}
	if w.Matrix {
		for i, e := range w.m.entry {
			if int(e) < len(entries) {
				elements[toMatrix][i] = entries[e]
			}
		}
	}
	return elements
}

// places0 is the places of the entries of the only shape.
func (m *matrix) places0() []code.Index {
	if len(m.places) == 0 {
		return nil
	}
	return m.places[0]
}

// array is the array of a kind of leaves.
func array(kind expr.Leaf) string {
	switch kind {
	case expr.Variable:
		return "x"
	case expr.Parameter:
		return "p"
	case expr.Direction:
		return "v"
	case expr.WeightTangent:
		return "dw"
	}
	return "w"
}

// strands is a function that the loops of a file share.
const strands = `// NAME is the sum of x in four strands, so that no addition waits for the one before.
func NAME(x []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		x = x[4:]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}

`
