package terms

import (
	"fmt"
	"strings"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
)

// Shape describes alike terms.
type Shape struct {
	Terms      int
	Variables  int // of each term
	Operations int
	// Instructions for the value, with the gradient, with the Hessian too: of
	// a block of terms, or of the only term.
	Value, Gradient, Hessian int
}

// Shapes describes the shapes of the plan.
func (pl *Plan) Shapes() []Shape {
	var z []Shape
	for k, s := range pl.shapes {
		count := func(d expr.Derivative) int { return pl.instructions(variant{Derivative: d}, k) }
		z = append(z, Shape{
			Terms: s.terms, Variables: len(s.vars), Operations: s.operations(),
			Value: count(expr.Value), Gradient: count(expr.Gradient), Hessian: count(expr.Hessian),
		})
	}
	return z
}

// instructions is how many compute something of shape k.
func (pl *Plan) instructions(v variant, k int) int {
	if c := pl.code(v); !pl.whole {
		return c.kernels[k].instructions()
	} else {
		return c.scalar.instructions()
	}
}

func instructions(n int) string { return fmt.Sprintf("%d instructions", n) }

// Explain says which shapes there are, and what computes them.
func (pl *Plan) Explain() string {
	var b strings.Builder
	for k, s := range pl.Shapes() {
		fmt.Fprintf(&b, "%sinstructions for value, gradient, Hessian: %d, %d, %d\n", pl.describe(k), s.Value, s.Gradient, s.Hessian)
	}
	if pl.rest != nil {
		fmt.Fprintf(&b, "  left over: %d operations, %d comparisons\n", pl.rest.Ops(), len(pl.rest.Guards()))
	}
	return b.String()
}

// ExplainGradient says which shapes there are, and what computes a gradient.
func (pl *Plan) ExplainGradient() string { return pl.explain(variant{Derivative: expr.Gradient}) }

func (pl *Plan) explain(v variant) string {
	var b strings.Builder
	for k := range pl.shapes {
		how := instructions(pl.instructions(v, k))
		if !pl.whole {
			how = pl.code(v).kernels[k].explain()
		}
		fmt.Fprintf(&b, "%sdifferentiated by %s\n", pl.describe(k), how)
	}
	return b.String()
}

// describe says what shape k is.
func (pl *Plan) describe(k int) string {
	s := pl.shapes[k]
	x := fmt.Sprintf("  %d × a shape of %d variables and %d operations, ", s.terms, len(s.vars), s.operations())
	if pl.whole {
		x += "the whole of a small function, "
	}
	return x
}

// cost counts what an evaluation does, but for the values of a matrix.
func (pl *Plan) cost(v variant) (n cost.Counts) {
	c := pl.code(v)
	if pl.whole {
		return c.scalar.cost()
	}
	for k, s := range pl.shapes {
		n = n.Plus(c.kernels[k].cost(s))
	}
	return n
}

// costAlong counts what evalAlong does for k directions.
func (pl *Plan) costAlong(v variant, k int) (n cost.Counts) {
	for k > 0 {
		v.Directions = directions(k)
		c, times := pl.cost(v), k/v.Directions
		for i := range c {
			c[i] *= float64(times)
		}
		n = n.Plus(c)
		k -= times * v.Directions
	}
	return n
}
