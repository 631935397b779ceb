package terms

import (
	"fmt"
	"strings"
)

// Shape describes alike terms.
type Shape struct {
	Terms      int
	Variables  int // of each term
	Parameters int
	Operations int
	// Instructions for the value, with the gradient, with the Hessian too: of
	// a block of terms, or of the only term.
	Value, Gradient, Hessian int
}

// Shapes describes the shapes of the plan.
func (pl *Plan) Shapes() []Shape {
	var z []Shape
	value, gradient, hessian := pl.code(variant{}), pl.code(variant{ord: first}), pl.code(variant{ord: second})
	for k, s := range pl.shapes {
		z = append(z, Shape{
			Terms: s.terms, Variables: len(s.vars), Parameters: len(s.pars), Operations: s.operations(),
			Value: value[k].instructions(), Gradient: gradient[k].instructions(), Hessian: hessian[k].instructions(),
		})
	}
	return z
}

// operations is how many steps are no leaves.
func (s *shape) operations() int {
	if s.own != nil {
		return s.own.term.Ops()
	}
	n := 0
	for _, st := range s.steps {
		if st.op < leafVar {
			n++
		}
	}
	return n
}

// instructions is how many compute something.
func (c *code) instructions() int {
	if st := c.straight; st != nil {
		return len(st.lines) + len(st.others)
	}
	n := 0
	for _, x := range [][]instr{c.once, c.block} {
		for _, in := range x {
			switch in.op {
			case opLoad, opReal, opStore, opStoreReal:
			default:
				n++
			}
		}
	}
	return n
}

// Explain says which shapes there are, and what computes them.
func (pl *Plan) Explain() string {
	var b strings.Builder
	for k, s := range pl.Shapes() {
		fmt.Fprintf(&b, "%sinstructions for value, gradient, Hessian: %d, %d, %d\n", pl.shapes[k].explain(), s.Value, s.Gradient, s.Hessian)
	}
	if pl.rest != nil {
		fmt.Fprintf(&b, "  left over: %d operations, %d comparisons\n", pl.rest.Ops(), len(pl.rest.Guards()))
	}
	return b.String()
}

// Explain says which shapes there are.
func (h *Hessian) Explain() string { return h.explain(variant{ord: second}) }

// Explain says which shapes there are.
func (j *Jacobian) Explain() string { return j.explain(variant{ord: jacobian}) }

func (pl *Plan) explain(v variant) string {
	var b strings.Builder
	for k, c := range pl.code(v) {
		fmt.Fprintf(&b, "%sdifferentiated by %s\n", pl.shapes[k].explain(), c.explain())
	}
	return b.String()
}

func (c *code) explain() string {
	if c.sweep != nil {
		return c.sweep.explain()
	}
	return fmt.Sprintf("%d instructions", c.instructions())
}

func (s *shape) explain() string {
	x := fmt.Sprintf("  %d × a shape of %d variables and %d operations, ", s.terms, len(s.vars), s.operations())
	if s.single {
		x += "the whole of a small function, "
	}
	return x
}

// Bytes is the memory that the plan takes, without its codes.
func (pl *Plan) Bytes() int {
	n := 0
	for _, s := range pl.shapes {
		for _, x := range [][]list{s.vars, s.pars, s.rows} {
			n += bytesOf(x)
		}
		for _, d := range s.data {
			n += 8 * len(d.each)
		}
	}
	return n
}

// Bytes is the memory that the plan of the matrix takes beside its pattern.
func (m *matrix) Bytes() int {
	n := 4*(len(m.first)+len(m.order)+len(m.at)+len(m.pairs)+len(m.pairAt)+len(m.entry)) + bytesOf([]list{m.low, m.up})
	for _, x := range m.places {
		n += bytesOf(x)
	}
	for k := range m.base {
		if b := m.base[k].Load(); b != nil {
			n += 8 * len(b.x)
		}
	}
	return n
}

func bytesOf(x []list) int {
	n := 0
	for _, l := range x {
		n += 12*len(l.runs) + 4*(len(l.first)+len(l.index))
	}
	return n
}
