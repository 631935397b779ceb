package gosource

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Longest is how many lines a short function has at most. The time that Go takes to compile a
// function grows faster than its length, since more variables live at once: 1,000 lines take
// 0.3 s, 10,000 in one function minutes. Tests lower it.
var Longest = 1000

// short is a function as straight lines, with the one that multiplies carefully; ok is false
// if it is long.
func (w *writer) short(function Function) (text string, ok bool) {
	p := w.p
	sweeps := 1
	if function == Jacobian {
		sweeps = min(p.Inputs(), p.Outputs())
	}
	if p.HasCalls() || p.Ops() > Longest {
		return "", false
	}
	f, at := expr.OfTape(&p.Tape)
	if n := len(f.Steps) - p.Base(); n > Longest || sweeps*n > 8*Longest {
		return "", false
	}
	plain := lines{writer: w, function: function, f: f, at: at}
	safe := plain
	safe.safe = true
	plain.derive()
	safe.derive()
	if strings.Count(plain.text, "\n") > Longest {
		return "", false
	}
	text = w.head(function, false)
	if function == Value || safe.text == plain.text {
		return text + plain.text + plain.end + "}\n\n", true
	}
	args, _ := w.arguments(function)
	name, list := w.private(function.String()+"Careful"), strings.Join(args, ", ")
	text += plain.text
	if len(plain.finite) > 0 {
		call := fmt.Sprintf("%s(%s)\nreturn", name, list)
		if w.result(function) != "" {
			call = fmt.Sprintf("return %s(%s)", name, list)
		}
		text += source.Total(w.z, ":=", " // finite only if all results are", plain.finite) + fmt.Sprintf("if %s-%[1]s != 0 {\n%s\n}\n", w.z, call)
	}
	text += plain.end + "}\n\n"
	if len(plain.finite) > 0 {
		comment := fmt.Sprintf("%s is %s with derivative products, for which 0·∞ and 0·NaN are 0.", name, w.functionName(function))
		text += fmt.Sprintf("%sfunc %s(%s []float64) %s {\n%s%s}\n\n", source.Comment(comment), name, list, w.result(function), safe.text, safe.end)
	}
	return text, true
}

// lines are those of a short function.
type lines struct {
	*writer
	function Function
	safe     bool
	f        *expr.Function
	at       []int32 // by node, its step

	text   string   // what computes the results
	end    string   // what stores and returns them
	finite []string // what is finite only if all of them are
}

// requests is what a function is derived for.
var requests = [Functions]expr.Request{
	Gradient: {Derivative: expr.Gradient},
	Jacobian: {Derivative: expr.Jacobian},
	JVP:      {Derivative: expr.Tangent, Directions: 1},
	VJP:      {Derivative: expr.Gradient, Weighted: true},
	HVP:      {Derivative: expr.Product, Directions: 1},
}

// derive derives the function, and sets text, end and finite.
func (l *lines) derive() {
	p, m := l.p, l.p.Outputs()
	r := requests[l.function]
	r.Safe, r.Weighted = l.safe, r.Weighted || l.function == HVP && m > 1
	f := *l.f
	watch := map[int32]int{} // by node, the number of its value
	look := func(i int32) {
		if _, ok := watch[i]; !ok {
			watch[i] = m + len(f.Watched)
			f.Watched = append(f.Watched, l.at[i])
		}
	}
	guards := p.Guards()
	if l.safe { // the plain form has checked them
		guards = nil
	}
	for k := range guards {
		look(guards[k].A)
		if guards[k].Compares() {
			look(guards[k].B)
		}
	}
	if l.settings.Position != nil {
		for i := int32(p.Base()); int(i) < p.Len(); i++ {
			look(i)
		}
	}
	g := expr.NewGraph(func(expr.Node) bool { return false }, true)
	outputs := f.Derive(g, r)
	values := outputs[:m+len(f.Watched)]
	q := l.printer(g)
	if l.settings.Position != nil {
		made := map[int32]int32{} // by number in the graph, the node
		for i, k := range watch {
			if _, fixed := values[k].Constant(); !fixed && (made[values[k].Node(g)] == 0 || made[values[k].Node(g)] > i) && int(i) >= p.Base() {
				made[values[k].Node(g)] = i
			}
		}
		q.Comment = func(i int32) string {
			if node, ok := made[i]; ok {
				return l.settings.Position(p.Made(node))
			}
			return ""
		}
	}
	size := l.size(l.function)
	dst, f0 := slices.Repeat([]expr.Expr{{}}, size), expr.Expr{}
	var all []int32 // the nodes of results
	for k, o := range outputs {
		to, isResult := l.place(o)
		if isResult {
			dst[to] = o.Expr
		}
		if k == 0 && m == 1 {
			f0 = o.Expr
		}
		if _, fixed := o.Constant(); !fixed && (isResult || k < m) {
			all = append(all, o.Node(g))
		}
	}
	var check []int32
	if l.function != Value && !l.safe {
		check = g.ToCheck(nil, all)
	}
	returns, _ := l.returns(l.function)
	if returns {
		l.want(q, g, f0, "f")
	}
	for k := range guards {
		l.want(q, g, values[watch[guards[k].A]].Expr, "c")
		if guards[k].Compares() {
			l.want(q, g, values[watch[guards[k].B]].Expr, "c")
		}
	}
	for k, e := range dst {
		l.want(q, g, e, fmt.Sprintf("y%d", k))
	}
	for _, i := range check {
		q.Want(i, "y")
	}
	q.Count()
	spell := func(e expr.Expr) string {
		if c, fixed := e.Constant(); fixed {
			return l.file.Number(c)
		}
		return q.Node(e.Node(g))
	}
	q.InOrder(l.count(g, values))
	for k := range guards {
		holds := l.holds(&guards[k], func(i int32) string { return spell(values[watch[i]].Expr) })
		q.Printf("if !(%s) {\n%s\n}\n", holds, l.failed(l.function, fmt.Sprint(k)))
	}
	q.InOrder(len(g.Nodes()))
	for k, e := range dst {
		v := spell(e)
		if c, fixed := e.Constant(); fixed && c-c != 0 && l.function != Value {
			l.finite = append(l.finite, v)
		}
		l.end += fmt.Sprintf("%s[%d] = %s\n", l.dst, k, v)
	}
	for _, i := range check {
		l.finite = append(l.finite, q.Node(i))
	}
	value := ""
	if returns {
		value = spell(f0)
	}
	l.end += l.done(l.function, value)
	l.text = q.Uniform() + q.Body()
}

// count is how many nodes of g belong to values.
func (l *lines) count(g *expr.Graph, values []expr.Output) (n int) {
	for _, o := range values {
		if _, fixed := o.Constant(); !fixed {
			n = max(n, int(o.Node(g))+1)
		}
	}
	return n
}

// want asks for an expression as a variable.
func (l *lines) want(q *code.Printer, g *expr.Graph, e expr.Expr, name string) {
	if _, fixed := e.Constant(); !fixed {
		q.Want(e.Node(g), name)
	}
}

// place is the element of dst that an output is; ok is false if it is none.
func (l *lines) place(o expr.Output) (to int, ok bool) {
	is := requests[l.function].Derivative
	switch {
	case o.Of != is || is == expr.Value && (l.p.Outputs() == 1 || o.A >= l.p.Outputs()):
		return 0, false
	case is == expr.Jacobian:
		return o.B*l.p.Inputs() + o.A, true
	}
	return o.A, true
}

// printer prints expressions, whose leaves are elements of the arguments.
func (l *lines) printer(g *expr.Graph) *code.Printer {
	names := source.Names{}
	for name := range l.names {
		names[name] = true
	}
	q := code.NewPrinter(g, l.file, names)
	q.Primitive = l.ownName
	arrays := map[expr.Leaf]string{expr.Variable: l.x, expr.Parameter: l.params, expr.Direction: l.v, expr.Weight: l.w}
	q.Leaf = func(leaf expr.Node) string { return fmt.Sprintf("%s[%d]", arrays[leaf.Leaf], leaf.A) }
	q.LeafName = func(leaf expr.Node) string {
		switch leaf.Leaf {
		case expr.Variable:
			return l.titles[leaf.A]
		case expr.Parameter:
			return l.titles[l.p.Inputs()+int(leaf.A)]
		}
		return names.Fresh(fmt.Sprintf("%s%d", arrays[leaf.Leaf], leaf.A))
	}
	return q
}

// ownName is what the derivative of an order of a primitive is called.
func (w *writer) ownName(f expr.Primitive, order int) string {
	return w.primitives[f.(*tape.Scalar1)][order]
}

// Holds is the condition under which a guard holds whose operands are x and y, names or
// numbers. y is not used if it compares with a constant.
func Holds(f *source.File, g *tape.Guard, x, y string) string {
	relation := " < "
	if !g.Compares() {
		y = f.Number(g.C)
	}
	switch g.Kind {
	case tape.LessEq, tape.LessEqReal, tape.GreaterEqReal:
		relation = " <= "
	case tape.ValueRead:
		if g.C != g.C {
			return x + " != " + x
		}
		if g.C == 0 { // −0 is not 0
			bits := f.Call(math.Signbit, x)
			if !math.Signbit(g.C) {
				bits = "!" + bits
			}
			return x + " == 0 && " + bits
		}
		return x + " == " + y
	}
	if g.Kind == tape.GreaterReal || g.Kind == tape.GreaterEqReal {
		x, y = y, x
	}
	if g.Outcome {
		return x + relation + y
	}
	return "!(" + x + relation + y + ")"
}
