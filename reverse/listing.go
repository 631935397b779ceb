package reverse

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"

	"github.com/hesse-ad/hesse/internal/sweep"
)

// String returns x for reading, with its value, which is no guard here: a constant as
// it is, else "x0 = 3" for input 0, "p1 = 2" for parameter 1, "v7 = 1.5" for what
// was recorded after 7 other operations. A [Tape] has other numbers, since it has
// the operations in another order.
func (x Var) String() string {
	if x.r == nil {
		return fmt.Sprint(x.v)
	}
	return fmt.Sprintf("%s = %v", x.r.Title(x.i), x.v)
}

// WriteTo writes the tape for reading, one operation a line in the order of
// evaluation, as
//
//	v2 = Mul(x0, v1)    model.go:12
//
// with inputs x0, x1, …, parameters p0, p1, … and the line of the source if it
// was recorded with Recorder.Lines; then the outputs and the comparisons. It is
// the compiled tape: equal operations are one, long sums too, and what no output
// depends on is not there. It returns the number of bytes and the error of w.
func (t *Tape) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	b := bufio.NewWriter(c)
	p := t.engine()
	fmt.Fprintf(b, "%d inputs, %d parameters, %d outputs, %d operations\n", p.Inputs(), p.Params(), p.Outputs(), p.Ops())
	p.List(b, "", func(pc uintptr) string {
		file, line := position(pc)
		if file == "" {
			return ""
		}
		return fmt.Sprintf("%s:%d", filepath.Base(file), line)
	})
	err := b.Flush()
	return c.n, err
}

// counter counts what is written to w.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// WriteDOT writes the graph of the tape at x for Graphviz (dot -Tsvg): a box for
// each input, parameter, constant and operation with its value v and its adjoint
// v̄ = ∂(Σ yⱼ)/∂v, as textbooks draw it, and an arrow from each operand. It is for
// tapes of some dozens of operations. Errors are as for evaluations, or those of
// w.
func (t *Tape) WriteDOT(w io.Writer, x []float64) error {
	ws, err := t.Inside().Begin(x)
	if err != nil {
		return err
	}
	p := t.engine()
	defer p.Put(ws)
	weights := make([]float64, p.Outputs())
	for j := range weights {
		weights[j] = 1
	}
	if err := ws.Gradient(weights); err != nil {
		return err
	}
	output := make([]bool, p.Len())
	for j := range p.Outputs() {
		output[p.Output(j)] = true
	}
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "digraph tape {\n\trankdir=LR\n\tnode [shape=box]\n")
	for i := range int32(p.Len()) {
		writeNode(b, p, ws, i, output[i])
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

// writeNode writes node i and the arrows that lead to it.
func writeNode(b *bufio.Writer, p *sweep.Engine, ws *sweep.Workspace, i int32, output bool) {
	label := p.Title(i)
	first := i
	if int(i) >= p.Base() {
		label += " = " + p.Formula(i)
		first = p.FirstOutput(i)
	}
	borders := 1
	if output {
		borders = 2
	}
	fmt.Fprintf(b, "\tn%d [label=%q, peripheries=%d]\n", i, fmt.Sprintf("%s\nv = %.6g\nv̄ = %.6g", label, ws.Values()[i], ws.Adjoints()[i]), borders)
	if int(i) >= p.Base() {
		p.EachOperand(first, func(j int32) { fmt.Fprintf(b, "\tn%d -> n%d\n", j, i) })
	}
}
