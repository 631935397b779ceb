package scan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/straight"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Go source of a loop whose step is code without comparisons: a function for each
// derivative of the step, that reads the inputs of its kernel from one array, and loops
// over the steps, which keep all states.

// printer writes the functions of a loop.
type printer struct {
	*Loop
	*straight.Call
	f      *expr.Function
	layout code.Layout // where the inputs of a step are
	data   string      // the table of the parameters
	err    error
}

// WriteCall writes the functions of a call.
func (l *Loop) WriteCall(c *straight.Call) error {
	s := l.Steps[0]
	s.kernels.mu.Lock()
	s.kernels.find(s)
	f := s.kernels.f
	s.kernels.mu.Unlock()
	switch {
	case l.Ends:
		return &straight.Unsupported{Op: "Scan that finds its end"}
	case len(l.Steps) > 1 || len(s.P.Guards()) > 0:
		return &straight.Unsupported{Op: "Scan of a step that compares"}
	case f == nil:
		return &straight.Unsupported{Op: "Scan of a step that is long or calls functions"}
	}
	w := &printer{Loop: l, Call: c, f: f, layout: code.Layout{Inputs: s.P.Inputs(), Params: s.P.Params(), Directions: 1, Results: s.P.Outputs()}}
	if l.Data.N > 0 && l.Count > 0 {
		w.data = c.File.Private(c.Names[int(expr.Value)] + "Data")
		c.File.Printf("var %s = [...]float64{\n%s\n}\n\n", w.data, w.list(l.Data.Values))
	}
	for d := range expr.Derivatives {
		if c.Names[d] == "" {
			continue
		}
		w.step(expr.Derivative(d), false)
		w.loop(expr.Derivative(d))
	}
	c.Memory = w.outAt() + w.results()*2 + (l.Count+1)*2*l.State
	return w.err
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

func (w *printer) stepName(d expr.Derivative) string { return w.Names[int(d)] + "Step" }

// step writes a derivative of the step: a is what the kernel reads, dst the results and
// their tangents, the adjoint, or its tangent.
func (w *printer) step(d expr.Derivative, safe bool) {
	r := expr.Request{Derivative: d, Weighted: d == expr.Gradient || d == expr.Product, WeightsChange: d == expr.Product, Safe: safe}
	if d == expr.Tangent || d == expr.Product {
		r.Directions = 1
	}
	g := expr.NewGraph(w.steady, true)
	outputs := w.f.Derive(g, r)
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
	var wanted []expr.Output
	for _, o := range outputs {
		if o.Of != d && !(d == expr.Tangent && o.Of == expr.Value) || o.Of == expr.Value && o.A >= w.layout.Results {
			continue
		}
		wanted = append(wanted, o)
		if _, constant := o.Constant(); !constant {
			p.Want(o.Node(g), fmt.Sprintf("y%d", w.resultAt(d, o)))
		}
	}
	p.Count()
	for _, o := range wanted {
		if c, constant := o.Constant(); constant {
			dst[w.resultAt(d, o)] = w.File.Number(c)
		} else {
			dst[w.resultAt(d, o)] = p.Node(o.Node(g))
		}
	}
	name := w.stepName(d)
	if safe {
		name += "Careful"
	}
	w.File.Printf("func %s(dst, a []float64) {\na = a[:%d]\ndst = dst[:%d]\n%s%s", name, w.outAt(), n, p.Uniform(), p.Body())
	for i, v := range dst {
		if v == "" {
			v = "0"
		}
		w.File.Printf("dst[%d] = %s\n", i, v)
	}
	if !safe && d != expr.Value {
		w.File.Printf("for _, v := range dst {\nif v-v != 0 {\n%sCareful(dst, a)\nreturn\n}\n}\n", name)
	}
	w.File.Printf("}\n\n")
	if !safe && d != expr.Value {
		w.step(d, true)
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

// adds adds out from at on to what the blocks have in y.
func (w *printer) adds(blocks []Block, y string, at int, name string) (s string) {
	for i := range blocks {
		b := &blocks[i]
		if b.N == 0 {
			continue
		}
		place, before, _, after := w.place(b, name+strconv.Itoa(i))
		s += before + fmt.Sprintf("for j, v := range out[%d:%d] {\n%s[%s+j] += v\n}\n", at+b.Local, at+b.Local+b.N, y, place) + after
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
	args := map[expr.Derivative]string{expr.Value: "dst, x", expr.Gradient: "dst, x, w", expr.Tangent: "dst, x, v", expr.Product: "dst, x, w, v, dw"}[d]
	along, weights, changes := k.Direction(0), k.Weights(), k.Tangents(0)
	open := fmt.Sprintf("a, out, states := memory[:%d], memory[%[1]d:%[2]d], memory[%[2]d:]\nclear(dst)\n", w.outAt(), w.outAt()+2*w.results())
	in := inputs()
	body := ""
	switch d {
	case expr.Value:
		body = fmt.Sprintf("copy(states[:%d], x)\nfor k := range %d {\ncopy(a[:%[1]d], states)\n%[3]s%[4]s(out, a)\ncopy(states[:%[1]d], out)\n%[5]s}\ncopy(dst[:%[1]d], states)\n",
			n, w.Count, in, w.stepName(d), w.adds(w.Out, "dst", n, name+"Out"))
	case expr.Tangent:
		body = fmt.Sprintf("copy(states[:%d], x)\ncopy(states[%[1]d:%[2]d], v)\n", n, 2*n) +
			fmt.Sprintf("for k := range %d {\n%s", w.Count, w.moving(in, name, "states")) +
			fmt.Sprintf("copy(states[:%d], out)\ncopy(states[%[1]d:%[2]d], out[%[3]d:])\n%[4]s}\ncopy(dst[:%[1]d], states[%[1]d:])\n", n, 2*n, k.Results, w.adds(w.Out, "dst", k.Results+n, name+"Out"))
	case expr.Gradient:
		body = fmt.Sprintf("copy(states[:%d], x)\nfor k := range %d {\ncopy(a[:%[1]d], states[%[1]d*k:])\n%[3]s%[4]s(out, a)\ncopy(states[%[1]d*(k+1):][:%[1]d], out)\n}\n", n, w.Count, in, w.stepName(expr.Value))
		body += fmt.Sprintf("copy(a[%d:%d], w)\n", weights, weights+n)
		body += fmt.Sprintf("for k := %d; k >= 0; k-- {\ncopy(a[:%d], states[%[2]d*k:])\n%s%s", w.Count-1, n, in, w.loads(w.Out, "w", weights+n, name+"Weights"))
		body += fmt.Sprintf("%s(out, a)\ncopy(a[%d:%d], out)\n%s}\ncopy(dst[:%d], a[%[2]d:])\n", w.stepName(d), weights, weights+n, w.adds(w.In, "dst", n, name+"To"), n)
	case expr.Product:
		body = fmt.Sprintf("copy(states[:%d], x)\ncopy(states[%[1]d:%[2]d], v)\n", n, 2*n)
		body += fmt.Sprintf("for k := range %d {\ns := states[%d*k:]\n%scopy(s[%d:][:%d], out)\ncopy(s[%d:][:%[5]d], out[%[7]d:])\n}\n", w.Count, 2*n, w.moving(in, name, "s"), 2*n, n, 3*n, k.Results)
		body += fmt.Sprintf("copy(a[%d:%d], w)\ncopy(a[%d:%d], dw)\n", weights, weights+n, changes, changes+n)
		body += fmt.Sprintf("for k := %d; k >= 0; k-- {\ns := states[%d*k:]\ncopy(a[:%d], s)\ncopy(a[%d:%d], s[%[3]d:])\n", w.Count-1, 2*n, n, along, along+n)
		body += in + w.loads(w.In, "v", along+n, name+"Along") + w.loads(w.Out, "w", weights+n, name+"Weights") + w.loads(w.Out, "dw", changes+n, name+"Changes")
		body += fmt.Sprintf("%s(out, a)\n%s(out[%d:], a)\n", w.stepName(expr.Gradient), w.stepName(d), w.results())
		body += fmt.Sprintf("copy(a[%d:%d], out)\ncopy(a[%d:%d], out[%d:])\n%s}\ncopy(dst[:%d], a[%[3]d:])\n", weights, weights+n, changes, changes+n, w.results(), w.adds(w.In, "dst", w.results()+n, name+"To"), n)
	}
	w.File.Printf("%sfunc %s(%s, memory []float64) {\n%s%s}\n\n", source.Comment(fmt.Sprintf("%s is %s of a loop of %d steps.", name, w.Doc[int(d)], w.Count)), name, args, open, body)
}

// moving computes a step and its tangents from the state and its tangents in states.
func (w *printer) moving(in, name, states string) string {
	n, along := w.State, w.layout.Direction(0)
	return fmt.Sprintf("copy(a[:%d], %s)\ncopy(a[%d:%d], %[2]s[%[1]d:])\n%[5]s", n, states, along, along+n, in) +
		w.loads(w.In, "v", along+n, name+"Moving") + w.stepName(expr.Tangent) + "(out, a)\n"
}
