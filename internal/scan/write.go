package scan

import (
	"fmt"
	"strconv"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Go source of a loop: for each derivative a function for a step, which reads its inputs
// from one array, and one that loops over the steps and keeps all states. If steps compare,
// each way in which their comparisons come out has a function for a step, and another
// function chooses among them.

// printer writes the functions of a loop.
type printer struct {
	*Loop
	*gosource.Call
	ways   []*Step     // the recorded steps; those that are an End come last
	ends   int         // the number of the first way that is an End
	layout code.Layout // of the array from which a step reads
	data   string      // the name of the table of the parameters
	err    error
}

// WriteCall writes the functions for a call of the loop.
func (l *Loop) WriteCall(c *gosource.Call) error {
	if l.Count < 0 {
		return &gosource.Unsupported{Op: "Scan whose number of steps has no bound"}
	}
	p := l.Steps[0].P
	w := &printer{Loop: l, Call: c, layout: code.Layout{Inputs: p.Inputs(), Params: p.Params(), Directions: 1, Results: p.Outputs()}}
	for _, s := range l.Steps {
		switch {
		case s.P.HasCalls():
			return gosource.Calls("Scan of a step", &s.P.Tape)
		case s.symbols() == nil:
			return &gosource.Unsupported{Op: fmt.Sprintf("Scan of a step with more than %d operations on numbers", maxLines)}
		}
		if !s.End {
			w.ways = append(w.ways, s)
		}
	}
	w.ends = len(w.ways)
	for _, s := range l.Steps {
		if s.End {
			w.ways = append(w.ways, s)
		}
	}
	if l.Data.N > 0 && l.Count > 0 {
		w.data = c.File.Numbers("Data", l.Data.Values)
	}
	for d := range expr.Derivatives {
		if c.Names[d] == "" {
			continue
		}
		for k, s := range w.ways {
			if k < w.ends || d == int(expr.Value) {
				w.step(s, w.stepName(expr.Derivative(d), k), expr.Derivative(d), false)
			}
		}
		if w.chooses() {
			w.choice(expr.Derivative(d))
		}
		w.loop(expr.Derivative(d))
	}
	c.Memory, c.Results = w.waysAt()+l.Count, true
	return w.err
}

// symbols is the step as expressions, nil if it has calls or too many operations.
func (s *Step) symbols() *expr.Function {
	s.kernels.mu.Lock()
	defer s.kernels.mu.Unlock()
	s.kernels.find(s)
	return s.kernels.whole
}

// chooses reports whether steps compare.
func (l *Loop) chooses() bool { return len(l.Steps) > 1 || len(l.Steps[0].P.Guards()) > 0 }

// CallFails says when an evaluation of the written function fails, "" if never.
func (l *Loop) CallFails() string {
	if !l.chooses() {
		return ""
	}
	return "the comparisons of a step of Scan come out as in none that was recorded"
}

// outAt is where what a step computes begins in the memory: after its inputs.
func (w *printer) outAt() int { return w.layout.Tangents(1) }

// results is how much room what a step computes takes; there is as much for its tangents.
func (w *printer) results() int { return max(w.layout.Results, w.layout.Inputs) }

// waysAt is where the memory has the way that each step took: after the states.
func (w *printer) waysAt() int { return w.outAt() + w.results()*2 + (w.Count+1)*2*w.State }

// chosen is the name of the function for a derivative of a step, whatever its way.
func (w *printer) chosen(d expr.Derivative) string { return w.Names[int(d)] + "Step" }

// stepName is the name of the function for a derivative of a step in way k.
func (w *printer) stepName(d expr.Derivative, k int) string {
	if !w.chooses() {
		return w.chosen(d)
	}
	return w.chosen(d) + strconv.Itoa(k)
}

// choice writes the function for a derivative of a step that chooses among the ways: the
// value tries them, derivatives are told which it was.
func (w *printer) choice(d expr.Derivative) {
	name := w.chosen(d)
	n, assign, careful := w.ends, "", ", careful"
	if d == expr.Value {
		n, assign, careful = len(w.ways), "fits = ", ""
	}
	cases := ""
	for k := range n {
		cases += fmt.Sprintf("case %d:\n%s%s(dst, a%s)\n", k, assign, w.stepName(d, k), careful)
	}
	if d != expr.Value {
		w.File.Printf("func %s(dst, a []float64, way int, careful bool) {\nswitch way {\n%s}\n}\n\n", name, cases)
		return
	}
	comment := name + " computes a step in the way in which its comparisons come out, and returns the number of that, -1 if it is none that was recorded. The first that it tries is way."
	w.File.Printf("%sfunc %s(dst, a []float64, way int) int {\nfor range %d {\nfits := false\nswitch way {\n%s}\nif fits {\nreturn way\n}\n", source.Comment(comment), name, n, cases)
	w.File.Printf("if way++; way == %d {\nway = 0\n}\n}\nreturn -1\n}\n\n", n)
}

// step writes the function for a derivative of a step: a is what its kernel reads, dst is set
// to the results, with their tangents, to the adjoint, or to its tangent. The value of a
// step that compares returns whether its comparisons come out as recorded. A derivative has
// a second, careful, function with derivative products, for where plain ones are not finite.
func (w *printer) step(s *Step, name string, d expr.Derivative, safe bool) {
	p := &stepPrinter{printer: w, Step: s, d: d}
	p.derive(safe)
	result, last := "", ""
	if p.compares() {
		result, last = " bool", p.guards()
	}
	if !s.End {
		last += p.stores()
	}
	hasCareful := !safe && d != expr.Value
	careful := ""
	switch {
	case safe:
		name += "Careful"
	case hasCareful:
		careful = ", careful bool"
	}
	w.File.Printf("func %s(dst, a []float64%s)%s {\n", name, careful, result)
	if hasCareful {
		w.File.Printf("if careful {\n%sCareful(dst, a)\nreturn\n}\n", name)
	}
	w.File.Printf("a = a[:%d]\n", w.outAt())
	if !s.End {
		w.File.Printf("dst = dst[:%d]\n", p.size())
	}
	w.File.Printf("%s%s%s", p.Uniform(), p.Body(), last)
	if hasCareful {
		w.File.Printf("for _, v := range dst {\nif v-v != 0 {\n%sCareful(dst, a)\nreturn\n}\n}\n", name)
	}
	if p.compares() {
		w.File.Printf("return true\n")
	}
	w.File.Printf("}\n\n")
	if hasCareful {
		w.step(s, name, d, true)
	}
}

// stepPrinter writes the statements of a derivative of a step.
type stepPrinter struct {
	*printer
	*Step
	*code.Printer
	d       expr.Derivative
	graph   *expr.Graph
	results []expr.Output // what is stored
	watched []expr.Output // by number that a guard compares
}

// compares reports whether the function returns if the comparisons come out as recorded.
func (p *stepPrinter) compares() bool { return p.d == expr.Value && p.chooses() }

// size is the length of dst.
func (p *stepPrinter) size() int {
	switch p.d {
	case expr.Value:
		return p.layout.Results
	case expr.Tangent:
		return 2 * p.layout.Results
	}
	return p.layout.Inputs
}

// derive finds the derivative and has the printer name what is stored or compared.
func (p *stepPrinter) derive(safe bool) {
	r := request(p.d, 0)
	r.Safe = safe
	if p.d == expr.Tangent || p.d == expr.Product {
		r.Directions = 1
	}
	p.graph = expr.NewGraph(p.steady, true)
	outputs := p.symbols().Derive(p.graph, r)
	p.Printer = code.NewPrinter(p.graph, p.File, source.Names{"a": true, "dst": true, "math": true, "k": true})
	p.Leaf = func(leaf expr.Node) string { return fmt.Sprintf("a[%d]", p.leafAt(leaf)) }
	p.LeafName = func(leaf expr.Node) string { return "a" + strconv.Itoa(p.leafAt(leaf)) }
	p.Printer.Primitive = func(f expr.Primitive, order int) string {
		name, err := p.Call.Primitive(f.(*tape.Scalar1), order)
		if err != nil && p.err == nil {
			p.err = err
		}
		return name
	}
	p.watched = make([]expr.Output, 2*len(p.kernels.guards))
	want := func(o expr.Output, name string) {
		if _, constant := o.Constant(); !constant {
			p.Want(o.Node(p.graph), name)
		}
	}
	for _, o := range outputs {
		switch {
		case o.Of == expr.Value && o.A >= p.layout.Results:
			if k := o.A - p.layout.Results; p.d == expr.Value && (k%2 == 0 || p.kernels.guards[k/2].Compares()) {
				p.watched[k] = o
				want(o, fmt.Sprintf("c%d", k))
			}
		case p.End || o.Of != p.d && !(p.d == expr.Tangent && o.Of == expr.Value):
		default:
			p.results = append(p.results, o)
			want(o, fmt.Sprintf("y%d", p.resultAt(p.d, o)))
		}
	}
	p.Count()
}

// spell is an output as an expression.
func (p *stepPrinter) spell(o expr.Output) string {
	if c, constant := o.Constant(); constant {
		return p.File.Number(c)
	}
	return p.Node(o.Node(p.graph))
}

// guards returns false where a comparison comes out otherwise than recorded.
func (p *stepPrinter) guards() (s string) {
	for k := range p.kernels.guards {
		guard, y := &p.kernels.guards[k], ""
		if guard.Compares() {
			y = p.spell(p.watched[guard.B])
		}
		s += fmt.Sprintf("if !(%s) {\nreturn false\n}\n", gosource.Holds(p.File, guard, p.spell(p.watched[guard.A]), y))
	}
	return s
}

// stores sets dst.
func (p *stepPrinter) stores() (s string) {
	dst := make([]string, p.size())
	for i := range dst {
		dst[i] = "0"
	}
	for _, o := range p.results {
		dst[p.resultAt(p.d, o)] = p.spell(o)
	}
	for i, v := range dst {
		s += fmt.Sprintf("dst[%d] = %s\n", i, v)
	}
	return s
}

// resultAt is where the function for a step stores a result, in dst.
func (w *printer) resultAt(d expr.Derivative, o expr.Output) int {
	if d == expr.Tangent && o.Of == expr.Tangent {
		return w.layout.Results + o.A
	}
	return o.A
}

// leafAt is where the function for a step finds a leaf, in a.
func (w *printer) leafAt(leaf expr.Node) int { return w.layout.Base(leaf) + int(leaf.A) }

// place is an expression for the place of a block in step k, and the lines before and after
// what is done there; if between is not empty, it begins the branch for a block that is
// nowhere in that step.
func (w *printer) place(b *Block) (place, before, between, after string) {
	at := w.State + b.At
	switch {
	case b.Index != nil:
		places := make([]int32, w.Count)
		for k := range places {
			places[k] = int32(b.Place(k))
		}
		name := w.File.Integers("Places", places)
		return fmt.Sprintf("%d+i", w.State), fmt.Sprintf("if i := int(%s[k]); i >= 0 {\n", name), "} else {\n", "}\n"
	case b.Stride == 0:
		return strconv.Itoa(at), "", "", ""
	}
	return fmt.Sprintf("%d+%d*k", at, b.Stride), "", "", ""
}

// loads copies what the blocks have in x to a, from at on.
func (w *printer) loads(blocks []Block, x string, at int) (s string) {
	for i := range blocks {
		b := &blocks[i]
		if b.N == 0 {
			continue
		}
		place, before, between, after := w.place(b)
		to := fmt.Sprintf("a[%d:%d]", at+b.Local, at+b.Local+b.N)
		s += before + fmt.Sprintf("copy(%s, %s[%s:])\n", to, x, place)
		if between != "" {
			s += between + "clear(" + to + ")\n"
		}
		s += after
	}
	return s
}

// adds adds out, from at on, to what the blocks have in dst.
func (w *printer) adds(blocks []Block, at int) (s string) {
	for i := range blocks {
		b := &blocks[i]
		if b.N == 0 {
			continue
		}
		place, before, _, after := w.place(b)
		s += before + fmt.Sprintf("for j, v := range out[%d:%d] {\ndst[%s+j] += v\n}\n", at+b.Local, at+b.Local+b.N, place) + after
	}
	return s
}

// loop writes the function of a derivative of the whole loop.
func (w *printer) loop(d expr.Derivative) {
	l := &loopPrinter{printer: w, d: d, name: w.Names[int(d)]}
	open := l.open()
	l.in = l.inputs()
	body := ""
	switch d {
	case expr.Value:
		body = l.value()
	case expr.Tangent:
		body = l.tangent()
	case expr.Gradient:
		body = l.gradient()
	case expr.Product:
		body = l.product()
	}
	result := ""
	if d == expr.Value && w.chooses() {
		result = " bool"
		body += "return true\n"
	}
	args := map[expr.Derivative]string{expr.Value: "dst, x", expr.Gradient: "dst, x, y, w", expr.Tangent: "dst, x, y, v", expr.Product: "dst, x, y, w, v, dw"}[d]
	steps := fmt.Sprintf("%d steps", w.Count)
	if w.Ends {
		steps = "at most " + steps
	}
	w.File.Printf("%sfunc %s(%s, memory []float64)%s {\n%s%s}\n\n", source.Comment(fmt.Sprintf("%s is %s of a loop of %s.", l.name, w.Doc[int(d)], steps)), l.name, args, result, open, body)
}

// loopPrinter writes the function of one derivative of the whole loop. In that, a is what a
// step reads, in the layout of its kernel, out what it computes, states the states that are
// kept, each with its tangent if there is one, ways the way that each step took.
type loopPrinter struct {
	*printer
	d       expr.Derivative
	name    string
	last    string // the number of the last step, an expression
	counted string // what is done after each step forward
	ended   string // what is done after the way of a step is known
	in      string // what sets the inputs of step k and its parameters
}

// keepsWays reports whether a step backward has to know the way that it took forward.
func (l *loopPrinter) keepsWays() bool {
	return l.chooses() && (l.d == expr.Gradient || l.d == expr.Product)
}

// open is what the function begins with.
func (l *loopPrinter) open() string {
	open := fmt.Sprintf("a, out, states := memory[:%d], memory[%[1]d:%[2]d], memory[%[2]d:%d]\nclear(dst)\n", l.outAt(), l.outAt()+2*l.results(), l.waysAt())
	if l.d != expr.Value { // where a value is not finite no derivative is
		open += "careful := false\nfor _, v := range y {\ncareful = careful || v-v != 0\n}\n"
	}
	l.last = strconv.Itoa(l.Count - 1)
	if l.keepsWays() {
		open += fmt.Sprintf("ways := memory[%d:%d]\n", l.waysAt(), l.waysAt()+l.Count)
		l.counted = "ways[k] = float64(way)\n"
	}
	if l.chooses() {
		open += "way := 0\n"
	}
	if l.Ends && l.keepsWays() {
		open += "steps := 0\n"
		l.last, l.counted = "steps - 1", "steps++\n"+l.counted
	}
	if len(l.ways) > l.ends {
		l.ended = fmt.Sprintf("if way >= %d { // the loop ends\nbreak\n}\n", l.ends)
	}
	return open
}

// inputs is in. It declares the tables that this needs.
func (l *loopPrinter) inputs() string {
	s := l.loads(l.In, "x", l.State)
	if l.data != "" {
		row := fmt.Sprintf("(%d+%d*k)*%d", l.Data.At, l.Data.Stride, l.Data.N)
		n := l.layout.Inputs
		s += fmt.Sprintf("copy(a[%d:%d], %s[%s:])\n", n, n+l.Data.N, l.data, row)
	}
	return s
}

// forward computes step k.
func (l *loopPrinter) forward() string {
	step := l.chosen(expr.Value) + "(out, a"
	switch {
	case !l.chooses():
		return step + ")\n"
	case l.d == expr.Value:
		return fmt.Sprintf("if way = %s, way); way < 0 {\nreturn false\n}\n%s", step, l.ended)
	}
	return fmt.Sprintf("way = %s, way)\n%s", step, l.ended)
}

// moving computes step k with its tangents, from the state and its tangents in states.
func (l *loopPrinter) moving(states string) string {
	n, along := l.State, l.layout.Direction(0)
	s := fmt.Sprintf("copy(a[:%d], %s)\ncopy(a[%d:%d], %[2]s[%[1]d:])\n%[5]s", n, states, along, along+n, l.in) + l.loads(l.In, "v", along+n)
	if l.chooses() {
		s += l.forward()
	}
	return s + l.call(expr.Tangent, "out")
}

// value is the body of the value: forward, with the state at hand alone.
func (l *loopPrinter) value() string {
	n := l.State
	step := fmt.Sprintf("copy(a[:%d], states)\n%s%scopy(states[:%[1]d], out)\n%[4]s", n, l.in, l.forward(), l.adds(l.Out, n))
	return fmt.Sprintf("copy(states[:%d], x)\n%scopy(dst[:%[1]d], states)\n", n, gosource.Over("k", l.Count, step))
}

// tangent is the body of the tangent: forward, with the state at hand and its tangent.
func (l *loopPrinter) tangent() string {
	n, results := l.State, l.layout.Results
	step := l.moving("states") +
		fmt.Sprintf("copy(states[:%d], out)\ncopy(states[%[1]d:%[2]d], out[%[3]d:])\n%[4]s", n, 2*n, results, l.adds(l.Out, results+n))
	return fmt.Sprintf("copy(states[:%d], x)\ncopy(states[%[1]d:%[2]d], v)\n%[3]scopy(dst[:%[1]d], states[%[1]d:])\n", n, 2*n, gosource.Over("k", l.Count, step))
}

// gradient is the body of the adjoint: forward, with all states kept, and back.
func (l *loopPrinter) gradient() string {
	n, weights := l.State, l.layout.Weights()
	s := fmt.Sprintf("copy(states[:%d], x)\nfor k := range %d {\ncopy(a[:%[1]d], states[%[1]d*k:])\n%[3]s%[4]s", n, l.Count, l.in, l.forward())
	s += fmt.Sprintf("copy(states[%d*(k+1):][:%[1]d], out)\n%s}\n", n, l.counted)
	s += fmt.Sprintf("copy(a[%d:%d], w)\n", weights, weights+n)
	s += fmt.Sprintf("for k := %s; k >= 0; k-- {\ncopy(a[:%d], states[%[2]d*k:])\n%s%s", l.last, n, l.in, l.loads(l.Out, "w", weights+n))
	s += l.taken() + l.call(l.d, "out")
	s += fmt.Sprintf("copy(a[%d:%d], out)\n%s}\ncopy(dst[:%d], a[%[1]d:])\n", weights, weights+n, l.adds(l.In, n), n)
	return s
}

// product is the body of the tangent of the adjoint: forward, with all states and their
// tangents kept, and back.
func (l *loopPrinter) product() string {
	n, k := l.State, &l.layout
	along, weights, changes := k.Direction(0), k.Weights(), k.Tangents(0)
	s := fmt.Sprintf("copy(states[:%d], x)\ncopy(states[%[1]d:%[2]d], v)\n", n, 2*n)
	s += fmt.Sprintf("for k := range %d {\ns := states[%d*k:]\n%s", l.Count, 2*n, l.moving("s"))
	s += fmt.Sprintf("copy(s[%d:][:%d], out)\ncopy(s[%d:][:%[2]d], out[%[4]d:])\n%[5]s}\n", 2*n, n, 3*n, k.Results, l.counted)
	s += fmt.Sprintf("copy(a[%d:%d], w)\ncopy(a[%d:%d], dw)\n", weights, weights+n, changes, changes+n)
	s += fmt.Sprintf("for k := %s; k >= 0; k-- {\ns := states[%d*k:]\ncopy(a[:%d], s)\ncopy(a[%d:%d], s[%[3]d:])\n", l.last, 2*n, n, along, along+n)
	s += l.in + l.loads(l.In, "v", along+n) + l.loads(l.Out, "w", weights+n) + l.loads(l.Out, "dw", changes+n)
	s += l.taken() + l.call(expr.Gradient, "out") + l.call(l.d, fmt.Sprintf("out[%d:]", l.results()))
	s += fmt.Sprintf("copy(a[%d:%d], out)\ncopy(a[%d:%d], out[%d:])\n%s}\ncopy(dst[:%d], a[%[3]d:])\n", weights, weights+n, changes, changes+n, l.results(), l.adds(l.In, l.results()+n), n)
	return s
}

// taken sets way to the way that step k took.
func (w *printer) taken() string {
	if !w.chooses() {
		return ""
	}
	return "way = int(ways[k])\n"
}

// call computes a derivative of step k in way.
func (w *printer) call(d expr.Derivative, dst string) string {
	if !w.chooses() {
		return fmt.Sprintf("%s(%s, a, careful)\n", w.chosen(d), dst)
	}
	return fmt.Sprintf("%s(%s, a, way, careful)\n", w.chosen(d), dst)
}
