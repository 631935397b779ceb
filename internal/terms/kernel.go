package terms

import (
	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
)

// kernel evaluates a variant for the terms of a shape, block by block.
type kernel interface {
	loads() []expr.Node            // what it reads, one source each
	stores() []expr.Output         // what it adds to results, one sink each
	entries() []expr.Output        // the stores that are entries of a matrix
	begin(e *evaluator, s *shape)  // is called before the first block
	block(e *evaluator, lo, n int) // evaluates the n terms from lo on
	cost(s *shape) cost.Counts
	instructions() int // how many compute something
	explain() string
}

// vectorKernel is symbolic derivatives as vector code.
type vectorKernel struct {
	*code.Vector
	matrix    []expr.Output
	invariant *code.Vector // computes what is the same in all evaluations, nil if nothing
}

// newVectorKernel computes outputs. Entries that are the same in all evaluations are
// left to a code of their own, with whose results an evaluation begins, if apart: that
// saves a tenth where most are so, and costs as much where few are.
func newVectorKernel(s *shape, g *expr.Graph, outputs []expr.Output, apart bool) *vectorKernel {
	c := &vectorKernel{}
	var invariant, others []expr.Output
	for _, o := range outputs {
		if o.IsEntry() {
			c.matrix = append(c.matrix, o)
		}
		if apart && o.IsEntry() && o.Invariant() {
			invariant = append(invariant, o)
		} else {
			others = append(others, o)
		}
	}
	c.Vector = code.NewVector(g, others, s.isTotal)
	if len(invariant) > 0 {
		c.invariant = code.NewVector(g, invariant, s.isTotal)
	}
	return c
}

func (c *vectorKernel) loads() []expr.Node     { return c.Loads }
func (c *vectorKernel) stores() []expr.Output  { return c.Stores }
func (c *vectorKernel) entries() []expr.Output { return c.matrix }

func (c *vectorKernel) begin(e *evaluator, s *shape) {
	e.Begin(c.Vector, s.terms, e.sources, e.sinks)
}

func (c *vectorKernel) block(e *evaluator, lo, n int) { e.Run(lo, n) }

func (c *vectorKernel) cost(s *shape) (n cost.Counts) {
	c.Instructions(func(in *code.Instr, inBlock bool) {
		blocks, terms := s.blocks(), s.terms
		if !inBlock { // once
			blocks, terms = 1, 1
		}
		n[cost.Instruction] += float64(blocks)
		if in.Calls() {
			n[cost.Call] += float64(terms)
		} else {
			n[cost.Term] += float64(terms)
		}
	})
	return n
}

func (c *vectorKernel) instructions() (n int) {
	c.Instructions(func(in *code.Instr, _ bool) {
		if !in.Moves() {
			n++
		}
	})
	return n
}

func (c *vectorKernel) explain() string { return instructions(c.instructions()) }

// scalarKernel is symbolic derivatives of a small program, which is one term with all
// outputs as results, as scalar code.
type scalarKernel struct {
	*code.Scalar
	dims
	layout  code.Layout
	y, g    []uint16                // registers of the outputs and of the gradient
	along   [maxDirections][]uint16 // by direction, registers of the results along it
	matrix  []expr.Output           // the entries of the matrix
	entries []uint16                // their registers, and then one that is 0
}

func newScalarKernel(s *shape, v variant) *scalarKernel {
	g := expr.NewGraph(func(expr.Node) bool { return false }, true)
	outputs := s.function(v.Safe).Derive(g, v)
	c := &scalarKernel{dims: s.dims}
	c.layout = code.Layout{Inputs: c.inputs, Params: c.params, Directions: v.Directions, Results: c.outputs}
	c.Scalar = code.NewScalar(g, outputs, c.layout.Tangents(0), func(leaf expr.Node) int {
		return c.layout.Base(leaf) + int(s.index(leaf).First())
	})
	c.y = c.Zeros(c.outputs)
	if v.Derivative == expr.Gradient || v.Derivative == expr.Hessian {
		c.g = c.Zeros(c.inputs)
	}
	for k := range v.Directions {
		n := c.inputs
		if v.Derivative == expr.Tangent {
			n = c.outputs
		}
		c.along[k] = c.Zeros(n)
	}
	for k, o := range outputs {
		r := c.Output(k)
		if o.IsEntry() {
			c.matrix, c.entries = append(c.matrix, o), append(c.entries, r)
			continue
		}
		i, _ := s.places(o)
		switch at := i.First(); o.Of {
		case expr.Value:
			c.y[at] = r
		case expr.Gradient:
			c.g[at] = r
		default:
			c.along[o.B][at] = r
		}
	}
	c.entries = append(c.entries, c.Zero())
	return c
}

// run evaluates the program; it reports whether all results are finite.
func (c *scalarKernel) run(e *evaluator, v variant, a *arrays) bool {
	e.Use(c.Scalar)
	e.Set(0, a.x)
	e.Set(c.inputs, a.params)
	for s, d := range a.dirs {
		e.Set(c.layout.Direction(s), d)
	}
	e.Set(c.layout.Weights(), a.w)
	c.Run(&e.Registers)
	exp := e.Pick(a.y, c.y) | e.Pick(a.g, c.g)
	for k, p := range a.along {
		exp |= e.Pick(p, c.along[k])
	}
	if a.matrix != nil {
		exp |= e.Pick(a.values, a.matrix.registers(c, v))
	}
	return exp>>63 == 0
}

func (c *scalarKernel) cost() (n cost.Counts) {
	c.Instructions(func(in *code.Instr) {
		switch {
		case in == nil:
			n[cost.Line]++
		case in.Calls():
			n[cost.Call]++
		default:
			n[cost.Other]++
		}
	})
	return n
}

func (c *scalarKernel) instructions() (n int) {
	c.Instructions(func(*code.Instr) { n++ })
	return n
}
