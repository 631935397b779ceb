package scan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/straight"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Go source of a loop whose steps are code: a function for each derivative of a step, that
// reads the inputs of its kernel from one array, and loops over the steps, which keep all
// states. Of a step that compares there is one of each way in which its comparisons come
// out, and one that chooses among them.

// printer writes the functions of a loop.
type printer struct {
	*Loop
	*straight.Call
	ways   []*Step     // those that end last
	ends   int         // how many go on
	layout code.Layout // where the inputs of a step are
	data   string      // the table of the parameters
	bar    string      // the function of the adjoint beside products, "" if it is that of the gradient
	err    error
}

// WriteCall writes the functions of a call.
func (l *Loop) WriteCall(c *straight.Call) error {
	if l.Count < 0 {
		return &straight.Unsupported{Op: "Scan whose number of steps has no bound"}
	}
	p := l.Steps[0].P
	w := &printer{Loop: l, Call: c, layout: code.Layout{Inputs: p.Inputs(), Params: p.Params(), Directions: 1, Results: p.Outputs()}}
	for _, s := range l.Steps {
		if s.symbols() == nil && !s.Certain() {
			return &straight.Unsupported{Op: "Scan of a step that is long and compares, or calls functions"}
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
		w.data = c.File.Private(c.Names[int(expr.Value)] + "Data")
		c.File.Printf("var %s = [...]float64{\n%s\n}\n\n", w.data, w.list(l.Data.Values))
	}
	if w.ways[0].symbols() == nil {
		if err := w.sweeps(w.ways[0]); err != nil {
			return err
		}
	}
	for d := range expr.Derivatives {
		if c.Names[d] == "" {
			continue
		}
		for k, s := range w.ways {
			if s.symbols() != nil && (k < w.ends || d == int(expr.Value)) {
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

// sweeps writes the derivatives of a step for which sweeps are better than symbols: by
// those over its program, those of second order over its Lagrangian.
func (w *printer) sweeps(s *Step) error {
	settings := w.Settings
	settings.Inputs, settings.Params, settings.Short = nil, nil, true
	write := func(part string, p *sweep.Engine, functions map[straight.Function]expr.Derivative) (string, error) {
		settings.Part = strings.TrimPrefix(w.Names[int(expr.Value)], w.File.Private("")) + part
		var need []straight.Function
		for f := range straight.Function(straight.Functions) {
			if d, is := functions[f]; is && w.Names[int(d)] != "" {
				need = append(need, f)
			}
		}
		inMemory, err := straight.Write(w.File, &p.Program, settings, need)
		if len(inMemory) > 0 && err == nil {
			err = &straight.Unsupported{Op: "Scan of a step of more than a thousand lines"}
		}
		return w.File.Private(settings.Part), err
	}
	of, err := write("Sweep", s.P, map[straight.Function]expr.Derivative{straight.Value: expr.Value, straight.JVP: expr.Tangent, straight.VJP: expr.Gradient})
	if err != nil {
		return err
	}
	k := &w.layout
	n, m := k.Inputs, k.Results
	params := ""
	if k.Params > 0 {
		params = fmt.Sprintf(", a[%d:%d]", n, n+k.Params)
	}
	slice := func(at, n int) string { return fmt.Sprintf("a[%d:%d]", at, at+n) }
	// product makes one again carefully if it is not finite.
	product := func(name, dst, x, along string) string {
		call := fmt.Sprintf("%s(%s, %s%s, %s", name, dst, x, params, along)
		return fmt.Sprintf("if !%s, false) {\n%s, true)\n}\n", call, call)
	}
	value := fmt.Sprintf("%sValue(dst[:%d], a[:%d]%s)\n", of, m, n, params)
	if m == 1 {
		value = fmt.Sprintf("dst[0] = %sValue(a[:%d]%s)\n", of, n, params)
	}
	step := func(name, body string) { w.File.Printf("func %s(dst, a []float64) {\n%s}\n\n", name, body) }
	derivative := func(name, body string) {
		w.File.Printf("func %s(dst, a []float64, _ bool) {\n%s}\n\n", name, body)
	}
	x := slice(0, n)
	step(w.chosen(expr.Value), value)
	if w.Names[int(expr.Tangent)] != "" {
		derivative(w.chosen(expr.Tangent), value+product(of+"JVP", fmt.Sprintf("dst[%d:%d]", m, 2*m), x, slice(k.Direction(0), n)))
	}
	if w.Names[int(expr.Gradient)] != "" {
		derivative(w.chosen(expr.Gradient), product(of+"VJP", fmt.Sprintf("dst[:%d]", n), x, slice(k.Weights(), m)))
	}
	if w.Names[int(expr.Product)] == "" {
		return nil
	}
	of, err = write("Second", s.Lagrangian(), map[straight.Function]expr.Derivative{straight.Gradient: expr.Product, straight.HVP: expr.Product})
	if err != nil {
		return err
	}
	inputs := fmt.Sprintf("var x, v, g [%d]float64\ncopy(x[:], %s)\ncopy(x[%d:], %s)\n", n+m, x, n, slice(k.Weights(), m))
	w.bar = w.chosen(expr.Product) + "Bar"
	step(w.bar, strings.Replace(inputs, ", v", "", 1)+fmt.Sprintf("%sGradient(g[:], x[:]%s)\ncopy(dst[:%d], g[:])\n", of, params, n))
	inputs += fmt.Sprintf("copy(v[:], %s)\ncopy(v[%d:], %s)\n", slice(k.Direction(0), n), n, slice(k.Tangents(0), m))
	derivative(w.chosen(expr.Product), inputs+product(of+"HVP", "g[:]", "x[:]", "v[:]")+fmt.Sprintf("copy(dst[:%d], g[:])\n", n))
	return nil
}

// symbols is the step as expressions, nil if sweeps are better.
func (s *Step) symbols() *expr.Function {
	s.kernels.mu.Lock()
	defer s.kernels.mu.Unlock()
	s.kernels.find(s)
	return s.kernels.f
}

// chooses reports whether steps compare.
func (l *Loop) chooses() bool { return len(l.Steps) > 1 || len(l.Steps[0].P.Guards()) > 0 }

// CallFails says what it means if there is no value.
func (l *Loop) CallFails() string {
	if !l.chooses() {
		return ""
	}
	return "the comparisons of a step of Scan come out as in none that was recorded"
}

func (w *printer) list(x []float64) string {
	words := make([]string, len(x))
	for k, v := range x {
		words[k] = w.File.Number(v) + ","
	}
	return strings.Join(source.Wrap(words, 96), "\n")
}

// outAt is where what a step computes begins in the memory: after its inputs.
func (w *printer) outAt() int { return w.layout.Tangents(1) }

func (w *printer) results() int { return max(w.layout.Results, w.layout.Inputs) }

// waysAt is where the numbers of the ways begin that the steps took: after the states.
func (w *printer) waysAt() int { return w.outAt() + w.results()*2 + (w.Count+1)*2*w.State }

// chosen is the name of a derivative of the step.
func (w *printer) chosen(d expr.Derivative) string { return w.Names[int(d)] + "Step" }

// stepName is that of way k.
func (w *printer) stepName(d expr.Derivative, k int) string {
	if !w.chooses() {
		return w.chosen(d)
	}
	return w.chosen(d) + strconv.Itoa(k)
}

// choice writes the function that chooses among the ways: of the value by trying them.
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

// step writes a derivative of a step: a is what the kernel reads, dst the results and
// their tangents, the adjoint, or its tangent. The value of one that compares is whether the
// comparisons come out as recorded.
func (w *printer) step(s *Step, name string, d expr.Derivative, safe bool) {
	r := expr.Request{Derivative: d, Weighted: d == expr.Gradient || d == expr.Product, WeightsChange: d == expr.Product, Safe: safe}
	if d == expr.Tangent || d == expr.Product {
		r.Directions = 1
	}
	g := expr.NewGraph(w.steady, true)
	outputs := s.symbols().Derive(g, r)
	p := code.NewPrinter(g, w.File, source.Names{"a": true, "dst": true, "math": true, "k": true})
	p.Leaf = func(leaf expr.Node) string { return fmt.Sprintf("a[%d]", w.leafAt(leaf)) }
	p.LeafName = func(leaf expr.Node) string { return "a" + strconv.Itoa(w.leafAt(leaf)) }
	p.Primitive = func(f expr.Primitive, order int) string {
		name, err := w.Primitive(f.(*tape.Scalar1), order)
		if err != nil && w.err == nil {
			w.err = err
		}
		return name
	}
	n := w.layout.Results
	if d == expr.Gradient || d == expr.Product {
		n = w.layout.Inputs
	}
	if d == expr.Tangent {
		n *= 2
	}
	dst := make([]string, n)
	watched := make([]expr.Output, 2*len(s.kernels.guards))
	var wanted []expr.Output
	want := func(o expr.Output, name string) {
		if _, constant := o.Constant(); !constant {
			p.Want(o.Node(g), name)
		}
	}
	for _, o := range outputs {
		switch {
		case o.Of == expr.Value && o.A >= w.layout.Results:
			if k := o.A - w.layout.Results; d == expr.Value && (k%2 == 0 || s.kernels.guards[k/2].Compares()) {
				watched[k] = o
				want(o, fmt.Sprintf("c%d", k))
			}
		case s.End || o.Of != d && !(d == expr.Tangent && o.Of == expr.Value):
		default:
			wanted = append(wanted, o)
			want(o, fmt.Sprintf("y%d", w.resultAt(d, o)))
		}
	}
	p.Count()
	spell := func(o expr.Output) string {
		if c, constant := o.Constant(); constant {
			return w.File.Number(c)
		}
		return p.Node(o.Node(g))
	}
	compares, result, guards := d == expr.Value && w.chooses(), "", ""
	if compares {
		result = " bool"
		for k := range s.kernels.guards {
			guard, y := &s.kernels.guards[k], ""
			if guard.Compares() {
				y = spell(watched[guard.B])
			}
			guards += fmt.Sprintf("if !(%s) {\nreturn false\n}\n", straight.Holds(w.File, guard, spell(watched[guard.A]), y))
		}
	}
	for _, o := range wanted {
		dst[w.resultAt(d, o)] = spell(o)
	}
	if safe {
		name += "Careful"
	}
	careful := ""
	if !safe && d != expr.Value {
		careful = ", careful bool"
	}
	w.File.Printf("func %s(dst, a []float64%s)%s {\n", name, careful, result)
	if careful != "" {
		w.File.Printf("if careful {\n%sCareful(dst, a)\nreturn\n}\n", name)
	}
	w.File.Printf("a = a[:%d]\n", w.outAt())
	if !s.End {
		w.File.Printf("dst = dst[:%d]\n", n)
	}
	w.File.Printf("%s%s%s", p.Uniform(), p.Body(), guards)
	for i, v := range dst {
		if v == "" {
			v = "0"
		}
		if !s.End {
			w.File.Printf("dst[%d] = %s\n", i, v)
		}
	}
	if !safe && d != expr.Value {
		w.File.Printf("for _, v := range dst {\nif v-v != 0 {\n%sCareful(dst, a)\nreturn\n}\n}\n", name)
	}
	if compares {
		w.File.Printf("return true\n")
	}
	w.File.Printf("}\n\n")
	if !safe && d != expr.Value {
		w.step(s, name, d, true)
	}
}

// resultAt is where a result is in dst.
func (w *printer) resultAt(d expr.Derivative, o expr.Output) int {
	if d == expr.Tangent && o.Of == expr.Tangent {
		return w.layout.Results + o.A
	}
	return o.A
}

// leafAt is where a leaf is in a.
func (w *printer) leafAt(leaf expr.Node) int { return w.layout.Base(leaf) + int(leaf.A) }

// block is the place of a block in step k, an expression, and the lines around what is done
// there; table is that of its index.
func (w *printer) place(b *Block, name string) (place, before, between, after string) {
	at := w.State + b.At
	switch {
	case b.Index != nil:
		words := make([]string, w.Count)
		for k := range words {
			words[k] = strconv.Itoa(b.Place(k)) + ","
		}
		w.File.Printf("var %s = [...]int32{\n%s\n}\n\n", name, strings.Join(source.Wrap(words, 96), "\n"))
		return fmt.Sprintf("%d+i", w.State), fmt.Sprintf("if i := int(%s[k]); i >= 0 {\n", name), "} else {\n", "}\n"
	case b.Stride == 0:
		return strconv.Itoa(at), "", "", ""
	}
	return fmt.Sprintf("%d+%d*k", at, b.Stride), "", "", ""
}

// loads copies what the blocks have in x to a, from at on.
func (w *printer) loads(blocks []Block, x string, at int, name string) (s string) {
	for i := range blocks {
		b := &blocks[i]
		if b.N == 0 {
			continue
		}
		place, before, between, after := w.place(b, name+strconv.Itoa(i))
		to := fmt.Sprintf("a[%d:%d]", at+b.Local, at+b.Local+b.N)
		s += before + fmt.Sprintf("copy(%s, %s[%s:])\n", to, x, place)
		if between != "" {
			s += between + "clear(" + to + ")\n"
		}
		s += after
	}
	return s
}

// adds adds out from at on to what the blocks have in dst.
func (w *printer) adds(blocks []Block, at int, name string) (s string) {
	for i := range blocks {
		b := &blocks[i]
		if b.N == 0 {
			continue
		}
		place, before, _, after := w.place(b, name+strconv.Itoa(i))
		s += before + fmt.Sprintf("for j, v := range out[%d:%d] {\ndst[%s+j] += v\n}\n", at+b.Local, at+b.Local+b.N, place) + after
	}
	return s
}

// loop writes the loop of a derivative.
func (w *printer) loop(d expr.Derivative) {
	n, k := w.State, &w.layout
	name := w.Names[int(d)]
	inputs := func() string { // those of step k
		s := w.loads(w.In, "x", n, name+"In")
		if w.data != "" {
			row := fmt.Sprintf("(%d+%d*k)*%d", w.Data.At, w.Data.Stride, w.Data.N)
			s += fmt.Sprintf("copy(a[%d:%d], %s[%s:])\n", k.Inputs, k.Inputs+w.Data.N, w.data, row)
		}
		return s
	}
	args := map[expr.Derivative]string{expr.Value: "dst, x", expr.Gradient: "dst, x, y, w", expr.Tangent: "dst, x, y, v", expr.Product: "dst, x, y, w, v, dw"}[d]
	along, weights, changes := k.Direction(0), k.Weights(), k.Tangents(0)
	open := fmt.Sprintf("a, out, states := memory[:%d], memory[%[1]d:%[2]d], memory[%[2]d:%d]\nclear(dst)\n", w.outAt(), w.outAt()+2*w.results(), w.waysAt())
	if d != expr.Value { // where a value is not finite no derivative is
		open += "careful := false\nfor _, v := range y {\ncareful = careful || v-v != 0\n}\n"
	}
	kept := w.chooses() && (d == expr.Gradient || d == expr.Product)
	if kept {
		open += fmt.Sprintf("ways := memory[%d:%d]\n", w.waysAt(), w.waysAt()+w.Count)
	}
	if w.chooses() {
		open += "way := 0\n"
	}
	last, counted, ended := strconv.Itoa(w.Count-1), "", ""
	if w.Ends && kept {
		open += "steps := 0\n"
		last, counted = "steps - 1", "steps++\n"
	}
	if len(w.ways) > w.ends {
		ended = fmt.Sprintf("if way >= %d { // the loop ends\nbreak\n}\n", w.ends)
	}
	// value computes step k forward.
	value := func() string {
		step := w.chosen(expr.Value) + "(out, a"
		switch {
		case !w.chooses():
			return step + ")\n"
		case d == expr.Value:
			return fmt.Sprintf("if way = %s, way); way < 0 {\nreturn false\n}\n%s", step, ended)
		case kept:
			counted += "ways[k] = float64(way)\n"
		}
		return fmt.Sprintf("way = %s, way)\n%s", step, ended)
	}
	// moving computes step k forward with its tangents, from the state and its tangents.
	moving := func(in, states string) string {
		s := fmt.Sprintf("copy(a[:%d], %s)\ncopy(a[%d:%d], %[2]s[%[1]d:])\n%[5]s", n, states, along, along+n, in) + w.loads(w.In, "v", along+n, name+"Moving")
		if w.chooses() {
			s += value()
		}
		return s + w.call(expr.Tangent, "out")
	}
	in := inputs()
	body := ""
	switch d {
	case expr.Value:
		steps := fmt.Sprintf("copy(a[:%d], states)\n%s%scopy(states[:%[1]d], out)\n%[4]s", n, in, value(), w.adds(w.Out, n, name+"Out"))
		body = fmt.Sprintf("copy(states[:%d], x)\n%scopy(dst[:%[1]d], states)\n", n, straight.Over("k", w.Count, steps))
	case expr.Tangent:
		steps := moving(in, "states") +
			fmt.Sprintf("copy(states[:%d], out)\ncopy(states[%[1]d:%[2]d], out[%[3]d:])\n%[4]s", n, 2*n, k.Results, w.adds(w.Out, k.Results+n, name+"Out"))
		body = fmt.Sprintf("copy(states[:%d], x)\ncopy(states[%[1]d:%[2]d], v)\n%[3]scopy(dst[:%[1]d], states[%[1]d:])\n", n, 2*n, straight.Over("k", w.Count, steps))
	case expr.Gradient:
		body = fmt.Sprintf("copy(states[:%d], x)\nfor k := range %d {\ncopy(a[:%[1]d], states[%[1]d*k:])\n%[3]s%[4]s", n, w.Count, in, value())
		body += fmt.Sprintf("copy(states[%d*(k+1):][:%[1]d], out)\n%s}\n", n, counted)
		body += fmt.Sprintf("copy(a[%d:%d], w)\n", weights, weights+n)
		body += fmt.Sprintf("for k := %s; k >= 0; k-- {\ncopy(a[:%d], states[%[2]d*k:])\n%s%s", last, n, in, w.loads(w.Out, "w", weights+n, name+"Weights"))
		body += w.taken() + w.call(d, "out")
		body += fmt.Sprintf("copy(a[%d:%d], out)\n%s}\ncopy(dst[:%d], a[%[1]d:])\n", weights, weights+n, w.adds(w.In, n, name+"To"), n)
	case expr.Product:
		body = fmt.Sprintf("copy(states[:%d], x)\ncopy(states[%[1]d:%[2]d], v)\n", n, 2*n)
		body += fmt.Sprintf("for k := range %d {\ns := states[%d*k:]\n%s", w.Count, 2*n, moving(in, "s"))
		body += fmt.Sprintf("copy(s[%d:][:%d], out)\ncopy(s[%d:][:%[2]d], out[%[4]d:])\n%[5]s}\n", 2*n, n, 3*n, k.Results, counted)
		body += fmt.Sprintf("copy(a[%d:%d], w)\ncopy(a[%d:%d], dw)\n", weights, weights+n, changes, changes+n)
		body += fmt.Sprintf("for k := %s; k >= 0; k-- {\ns := states[%d*k:]\ncopy(a[:%d], s)\ncopy(a[%d:%d], s[%[3]d:])\n", last, 2*n, n, along, along+n)
		body += in + w.loads(w.In, "v", along+n, name+"Along") + w.loads(w.Out, "w", weights+n, name+"Weights") + w.loads(w.Out, "dw", changes+n, name+"Changes")
		bar := w.call(expr.Gradient, "out")
		if w.bar != "" {
			bar = w.bar + "(out, a)\n"
		}
		body += w.taken() + bar + w.call(d, fmt.Sprintf("out[%d:]", w.results()))
		body += fmt.Sprintf("copy(a[%d:%d], out)\ncopy(a[%d:%d], out[%d:])\n%s}\ncopy(dst[:%d], a[%[3]d:])\n", weights, weights+n, changes, changes+n, w.results(), w.adds(w.In, w.results()+n, name+"To"), n)
	}
	result := ""
	if d == expr.Value && w.chooses() {
		result = " bool"
		body += "return true\n"
	}
	steps := fmt.Sprintf("%d steps", w.Count)
	if w.Ends {
		steps = "at most " + steps
	}
	w.File.Printf("%sfunc %s(%s, memory []float64)%s {\n%s%s}\n\n", source.Comment(fmt.Sprintf("%s is %s of a loop of %s.", name, w.Doc[int(d)], steps)), name, args, result, open, body)
}

// taken is the way that step k took.
func (w *printer) taken() string {
	if !w.chooses() {
		return ""
	}
	return "way = int(ways[k])\n"
}

// call computes a derivative of step k in its way.
func (w *printer) call(d expr.Derivative, dst string) string {
	if !w.chooses() {
		return fmt.Sprintf("%s(%s, a, careful)\n", w.chosen(d), dst)
	}
	return fmt.Sprintf("%s(%s, a, way, careful)\n", w.chosen(d), dst)
}
