package terms

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// Plan is a program, or a part of one, as sums of alike terms: output j is the
// sum of the terms of row j over all shapes, plus a constant. It is immutable;
// any number of goroutines may evaluate it.
type Plan struct {
	dims
	constants []float64 // by output, what is added to its terms; nil is 0
	shapes    []*shape
	whole     bool // the program is small: it is one term as a whole, run by scalar code
	rest      *sweep.Engine

	codes      [variants]codes
	evaluators sync.Pool // of *evaluator
	teams      sync.Pool // of *team
	pages      outputPages
}

// codes is the code for a variant, made when it is first needed.
type codes struct {
	once    sync.Once
	kernels []kernel // by shape
	scalar  *scalarKernel
}

// variant is what to evaluate. Directions is 0, 1 or maxDirections.
type variant = expr.Request

// maxDirections is how many directions one evaluation carries.
const maxDirections = 4

const variants = expr.Derivatives * 16

// number is the number of a variant among all.
func number(v variant) int {
	k := int(v.Derivative) * 16
	for i, flag := range [...]bool{v.Directions > 1, v.Weighted, v.Safe, v.WeightsChange} {
		if flag {
			k += 1 << i
		}
	}
	return k
}

// Rest is the program of what is left over: the program that the plan was made from is the
// sum of the terms and this. It has all guards. It is nil if nothing is left over.
func (pl *Plan) Rest() *sweep.Engine { return pl.rest }

// Bytes is the memory that the plan takes, without its codes.
func (pl *Plan) Bytes() (n int) {
	for _, s := range pl.shapes {
		n += s.bytes()
	}
	return n
}

// code is the code for a variant.
func (pl *Plan) code(v variant) *codes {
	c := &pl.codes[number(v)]
	c.once.Do(func() {
		if pl.whole {
			c.scalar = newScalarKernel(pl.shapes[0], v)
			return
		}
		graphs, outputs := make([]*expr.Graph, len(pl.shapes)), make([][]expr.Output, len(pl.shapes))
		entries, invariant := 0, 0
		for k, s := range pl.shapes {
			if s.isSwept(v) {
				continue
			}
			graphs[k] = expr.NewGraph(s.isUniform, false)
			outputs[k] = s.function(v.Safe).Derive(graphs[k], v)
			for _, o := range outputs[k] {
				if o.IsEntry() {
					entries += s.terms
					if o.Invariant() {
						invariant += s.terms
					}
				}
			}
		}
		for k, s := range pl.shapes {
			if s.isSwept(v) {
				c.kernels = append(c.kernels, s.sweepKernel(v))
			} else {
				c.kernels = append(c.kernels, newVectorKernel(s, graphs[k], outputs[k], 2*invariant > entries))
			}
		}
	})
	return c
}

// isSwept reports whether a variant is computed by sweeps.
func (s *shape) isSwept(v variant) bool { return s.swept != nil && s.swept.kinds[v.Derivative] }

// arrays is what an evaluation reads and what it adds to; nil for what is not wanted.
type arrays struct {
	x, params, w []float64
	y, g         []float64   // outputs, gradient
	values       []float64   // of the matrix
	matrix       *matrix     // where the values lie
	dirs, along  [][]float64 // directions, and the results along them
	weightDirs   [][]float64 // by direction, tangents of w
	workers      int         // how many goroutines share it
}

// source is the array that a leaf is an element of.
func (a *arrays) source(leaf expr.Node, s *shape) []float64 {
	switch leaf.Leaf {
	case expr.Variable:
		return a.x
	case expr.Parameter:
		return a.params
	case expr.Data:
		return s.data[leaf.A].each
	case expr.Weight:
		return a.w
	case expr.Direction:
		return a.dirs[leaf.B]
	}
	return a.weightDirs[leaf.B]
}

// sink is the array that an output is added to.
func (a *arrays) sink(o expr.Output) []float64 {
	switch o.Of {
	case expr.Value:
		return a.y
	case expr.Gradient:
		return a.g
	case expr.Jacobian, expr.Hessian:
		return a.values
	}
	return a.along[o.B]
}

// start is what the values of a matrix begin with, nil for 0: the sums of what is the same
// at every point. total is finite only if all of it is.
func (a *arrays) start(v variant) (x []float64, total float64) {
	if a.matrix == nil || v.Weighted {
		return nil, 0
	}
	b := a.matrix.invariants(v)
	return b.x, b.total
}

// evaluator is the memory of an evaluation by one goroutine.
type evaluator struct {
	code.Machine
	code.Registers
	sources []code.Source
	sinks   []code.Sink
	pages   *outputPages // for a part of the blocks, see runPart
}

// bind sets the sources and sinks of a kernel for s, which is shape k.
func (e *evaluator) bind(loads []expr.Node, stores []expr.Output, s *shape, k int, a *arrays) {
	e.sources, e.sinks = slices.Grow(e.sources[:0], len(loads)), slices.Grow(e.sinks[:0], len(stores))
	for _, leaf := range loads {
		e.sources = append(e.sources, code.Source{X: a.source(leaf, s), At: s.index(leaf)})
	}
	for _, o := range stores {
		sink := code.Sink{X: a.sink(o)}
		switch {
		case o.IsEntry():
			sink.At, sink.Pages = &a.matrix.places[k][o.Entry], &a.matrix.Pages
		case o.Of == expr.Value:
			sink.At, sink.Pages = &s.rows[o.A], &e.pages.rows
		case o.Of == expr.Gradient:
			sink.At, sink.Pages = &s.vars[o.A], &e.pages.vars
		default:
			sink.At, _ = s.places(o)
		}
		e.sinks = append(e.sinks, sink)
	}
}

// begin prepares to run the terms of s, which is shape k.
func (e *evaluator) begin(c kernel, s *shape, k int, a *arrays) {
	e.bind(c.loads(), c.stores(), s, k, a)
	c.begin(e, s)
}

// block runs block j of the terms of s.
func (e *evaluator) block(c kernel, s *shape, j int) {
	lo := j * code.Lanes
	c.block(e, lo, min(code.Lanes, s.terms-lo))
}

// evaluator hands out the memory of an evaluation.
func (pl *Plan) evaluator() *evaluator {
	e, ok := pl.evaluators.Get().(*evaluator)
	if !ok {
		e = new(evaluator)
	}
	e.Part, e.pages = nil, &pl.pages
	return e
}

// blocks is how many blocks there are of all shapes.
func (pl *Plan) blocks() int {
	n := 0
	for _, s := range pl.shapes {
		n += s.blocks()
	}
	return n
}

// eval evaluates a variant, and once more, with derivative products, if a result is not
// finite.
func (pl *Plan) eval(v variant, a *arrays) {
	e := pl.evaluator()
	for {
		var ok bool
		switch {
		case pl.whole:
			ok = pl.code(v).scalar.run(e, v, a)
		case a.workers > 1 && pl.isLarge(v):
			ok = pl.runParallel(v, a)
		default:
			ok = pl.run(e, v, a)
		}
		if ok || v.Safe {
			break
		}
		v.Safe = true
	}
	pl.evaluators.Put(e)
}

// run evaluates all blocks; it reports whether all results are finite.
func (pl *Plan) run(e *evaluator, v variant, a *arrays) bool {
	clear(a.y)
	copy(a.y, pl.constants)
	clear(a.g)
	for _, p := range a.along {
		clear(p)
	}
	start, total := a.start(v)
	e.Total = total
	block := 0
	for k, c := range pl.code(v).kernels {
		s := pl.shapes[k]
		e.begin(c, s, k, a)
		for j := range s.blocks() {
			if a.matrix != nil {
				a.matrix.Begin(block, a.values, start)
			}
			e.block(c, s, j)
			if a.matrix != nil {
				a.matrix.end(block, 0, a.values)
			}
			block++
		}
	}
	if block == 0 && a.matrix != nil {
		a.matrix.Begin(0, a.values, start)
	}
	return e.Total-e.Total == 0
}

// Value computes the outputs y.
func (pl *Plan) Value(y, x, params []float64) {
	pl.eval(variant{}, &arrays{x: x, params: params, y: y})
}

// Gradient computes the outputs y, nil if they are not wanted, and the gradient
// g of Σ wⱼyⱼ; w nil is all 1.
func (pl *Plan) Gradient(y, g, x, params, w []float64) {
	pl.GradientParallel(1, y, g, x, params, w)
}

// GradientParallel is Gradient by several goroutines, to the same bits. It
// allocates a few objects a goroutine.
func (pl *Plan) GradientParallel(workers int, y, g, x, params, w []float64) {
	v := variant{Derivative: expr.Gradient, Weighted: w != nil}
	pl.eval(v, &arrays{x: x, params: params, w: w, y: y, g: g, workers: workers})
}

// GradientCost counts what Gradient does.
func (pl *Plan) GradientCost() cost.Counts { return pl.cost(variant{Derivative: expr.Gradient}) }

// ProductsCost counts what HVPs does for k directions.
func (pl *Plan) ProductsCost(k int) cost.Counts {
	return pl.costAlong(variant{Derivative: expr.Product}, k)
}

// JVPs computes the outputs y, nil if they are not wanted, and their derivatives
// dy in the directions dx.
func (pl *Plan) JVPs(y []float64, dy [][]float64, x, params []float64, dx [][]float64) {
	pl.evalAlong(variant{Derivative: expr.Tangent}, arrays{x: x, params: params, y: y, dirs: dx, along: dy})
}

// HVPs computes the products hv of the Hessian of Σ wⱼyⱼ with the directions
// v; w nil is all 1.
func (pl *Plan) HVPs(hv [][]float64, x, params, w []float64, v [][]float64) {
	pl.evalAlong(variant{Derivative: expr.Product, Weighted: w != nil}, arrays{x: x, params: params, w: w, dirs: v, along: hv})
}

// evalAlong evaluates the terms along any number of directions.
func (pl *Plan) evalAlong(v variant, a arrays) {
	dirs, along, weightDirs := a.dirs, a.along, a.weightDirs
	for len(dirs) > 0 {
		k := directions(len(dirs))
		v.Directions = k
		a.dirs, a.along = dirs[:k], along[:k]
		if v.WeightsChange {
			a.weightDirs, weightDirs = weightDirs[:k], weightDirs[k:]
		}
		pl.eval(v, &a)
		dirs, along = dirs[k:], along[k:]
	}
}

// directions is how many of n directions the next evaluation carries.
func directions(n int) int {
	if n < maxDirections {
		return 1
	}
	return maxDirections
}
