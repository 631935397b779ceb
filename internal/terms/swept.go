package terms

import (
	"fmt"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/sparsity"
)

// Where the symbolic derivatives of a declared term would be too large, the sweeps of
// the term's own program stand in for them, term after term: for its Hessian and
// Jacobian, compressed by a coloring, or for all there is.

// sweptTerm is the program of a declared term, and what its inputs and outputs are in a shape.
type sweptTerm struct {
	program  *sweep.Engine
	kinds    sweptKinds
	mayAlias bool        // two variables of the shape may coincide in some of the terms
	inputs   []expr.Node // by input of the program, a leaf of the shape; A of Data is −1 where it does not matter
	params   []expr.Node // by parameter of the program, likewise
	outputs  []int       // by result of the shape, the output of the program
	scales   []expr.Node // by result, the factor of that, a leaf; nil if all are 1

	// Of a contraction, else nil: the derivative of program along a direction, and by entry of
	// the Hessian its weight, a leaf.
	tangent    *sweep.Engine
	contracted []expr.Node
}

// along is the derivative along v of the term of s, where v comes behind the parameters.
func (w *sweptTerm) along(s *shape) *sweptTerm {
	z := *w
	z.program = inside.Along(w.program)
	z.params = slices.Clone(w.params)
	for _, leaf := range w.inputs {
		if leaf.Leaf == expr.Variable {
			leaf = expr.Node{Leaf: expr.Parameter, A: int32(len(s.params)) + leaf.A}
		} else {
			leaf = unused
		}
		z.params = append(z.params, leaf)
	}
	return &z
}

// contract is the sum of the entries of the Hessian, each times a parameter, 0 if that is
// negative.
func (w *sweptTerm) contract(entries []int) *sweptTerm {
	z := *w
	z.tangent = inside.Along(w.program)
	z.kinds = sweptKinds{expr.Gradient: true}
	for _, k := range entries {
		leaf := unused
		if k >= 0 {
			leaf = expr.Node{Leaf: expr.Parameter, A: int32(k)}
		}
		z.contracted = append(z.contracted, leaf)
	}
	return &z
}

// unused is a leaf that does not matter, or is 0.
var unused = expr.Node{Leaf: expr.Data, A: -1}

func newSweptTerm(term *sweep.Engine, kinds sweptKinds) *sweptTerm {
	leaves := func(n int) []expr.Node { return slices.Repeat([]expr.Node{unused}, n) }
	return &sweptTerm{program: term, kinds: kinds, inputs: leaves(term.Inputs()), params: leaves(term.Params())}
}

// sweepKernel is the kernel that evaluates a variant by sweeps over the program of the terms.
type sweepKernel struct {
	*sweptTerm
	variant
	loaded []expr.Node   // the leaves that are loaded
	stored []expr.Output // the outputs, in the order in which a term computes them
	matrix []expr.Output // those of them that are entries

	vars                 [][]int32 // by variable of the shape, the inputs of the program that it is
	input, param, factor []value   // by input and parameter of the program, and by result
	entry                []value   // by entry of the Hessian, of a contraction
	diagonal             []bool    // likewise
	weights              int       // in loaded, the first of the weights
	dirs                 int       // in loaded, the first of the directions of the variables
	wdirs                int       // in loaded, the first of the directions of the weights
	lanes                int       // how many terms have their numbers in memory at a time

	places   [][]int32          // by variable, its inputs, if some may coincide
	coloring *coloring.Coloring // of the Hessian in the variables, or of the Jacobian
	recovery *coloring.Recovery
	work     sync.Pool // of *sweeper
}

// value is a number of each term: what was loaded as number source or, if that is −1, c.
type value struct {
	source int
	c      float64
}

// maxSwept is how many numbers of terms are in memory at a time, if it is more than
// one term.
const maxSwept = 1 << 16

// sweepKernel is the kernel that runs the sweeps of the terms' program.
func (s *shape) sweepKernel(v variant) *sweepKernel {
	w := &sweepKernel{sweptTerm: s.swept, variant: v, vars: make([][]int32, len(s.vars))}
	leaves := func(kind expr.Leaf, n, direction int) {
		for a := range n {
			w.load(expr.Node{Leaf: kind, A: int32(a), B: int32(direction)})
		}
	}
	leaves(expr.Variable, len(s.vars), 0)
	if w.mayAlias {
		for a := range s.vars {
			w.places = append(w.places, s.vars[a].Places())
		}
	}
	for k, leaf := range w.inputs {
		w.input = append(w.input, w.value(s, leaf))
		if leaf.Leaf == expr.Variable {
			w.vars[leaf.A] = append(w.vars[leaf.A], int32(k))
		}
	}
	for _, leaf := range w.params {
		w.param = append(w.param, w.value(s, leaf))
	}
	w.factor = slices.Repeat([]value{{source: -1, c: 1}}, len(w.outputs))
	for r, leaf := range w.scales {
		w.factor[r] = w.value(s, leaf)
	}
	for _, leaf := range w.contracted {
		w.entry = append(w.entry, w.value(s, leaf))
	}
	w.Weighted = w.Weighted || w.tangent != nil
	w.weights = len(w.loaded)
	if w.Weighted {
		leaves(expr.Weight, len(w.outputs), 0)
	}
	w.dirs = len(w.loaded)
	for k := range v.Directions {
		leaves(expr.Direction, len(s.vars), k)
	}
	w.wdirs = len(w.loaded)
	if v.WeightsChange {
		for k := range v.Directions {
			leaves(expr.WeightTangent, len(w.outputs), k)
		}
	}
	w.store()
	w.lanes = max(1, min(code.Lanes, maxSwept/(len(w.loaded)+len(w.stored))))
	w.work.New = func() any { return newSweeper(w) }
	return w
}

// load appends a leaf to those that are loaded, and returns its number.
func (w *sweepKernel) load(leaf expr.Node) int {
	w.loaded = append(w.loaded, leaf)
	return len(w.loaded) - 1
}

// value is the value for a leaf, which it loads if need be.
func (w *sweepKernel) value(s *shape, leaf expr.Node) value {
	switch {
	case leaf.Leaf == expr.Variable:
		return value{source: int(leaf.A)}
	case leaf.Leaf == expr.Data && leaf.A < 0:
		return value{source: -1}
	case leaf.Leaf == expr.Data && s.data[leaf.A].each == nil:
		return value{source: -1, c: s.data[leaf.A].all}
	}
	return value{source: w.load(leaf)}
}

// store lists the outputs in the order in which a term computes them.
func (w *sweepKernel) store() {
	add := func(of expr.Derivative, a, b int) {
		o := expr.Output{Of: of, A: a, B: b, Entry: len(w.matrix)}
		w.stored = append(w.stored, o)
		if o.IsEntry() {
			w.matrix = append(w.matrix, o)
		}
	}
	all := func(of expr.Derivative, n, direction int) {
		for a := range n {
			add(of, a, direction)
		}
	}
	all(expr.Value, len(w.outputs), 0)
	switch w.Derivative {
	case expr.Gradient:
		all(expr.Gradient, len(w.vars), 0)
		if w.tangent != nil {
			for i, j := range w.color().All() {
				w.diagonal = append(w.diagonal, i == j)
			}
		}
	case expr.Tangent, expr.Product:
		n := len(w.vars)
		if w.Derivative == expr.Tangent {
			n = len(w.outputs)
		}
		for k := range w.Directions {
			all(w.Derivative, n, k)
		}
	case expr.Hessian:
		all(expr.Gradient, len(w.vars), 0)
		for i, j := range w.color().All() {
			add(expr.Hessian, i, j)
		}
	case expr.Jacobian:
		p := w.jacobianPattern()
		w.coloring = colored(coloring.Row, p)
		if c := colored(coloring.Column, p); c.Num() < w.coloring.Num() {
			w.coloring = c
		}
		w.recovery = w.coloring.Recovery(p)
		for i, j := range p.All() {
			add(expr.Jacobian, j, i)
		}
	}
}

func colored(kind coloring.Kind, p *sparsity.Pattern) *coloring.Coloring {
	return coloring.New(kind, p, coloring.Natural, coloring.SmallestLast)
}

// color colors the Hessian, of which it returns the lower half.
func (w *sweepKernel) color() *sparsity.Pattern {
	p := w.hessianPattern()
	w.coloring = colored(coloring.Star, p)
	p = p.Lower()
	w.recovery = w.coloring.Recovery(p)
	return p
}

// hessianPattern is the pattern in the variables of the shape.
func (w *sweepKernel) hessianPattern() *sparsity.Pattern {
	p := domains.Hessian(&w.program.Tape, nil)
	var i, j []int
	for a, x := range w.inputs {
		for _, b := range p.Row(a) {
			if y := w.inputs[b]; x.Leaf == expr.Variable && y.Leaf == expr.Variable {
				i, j = append(i, int(x.A)), append(j, int(y.A))
			}
		}
	}
	return sparsity.FromCoordinates(len(w.vars), len(w.vars), i, j)
}

// jacobianPattern is the pattern in the results and variables of the shape.
func (w *sweepKernel) jacobianPattern() *sparsity.Pattern {
	p := domains.Jacobian(&w.program.Tape, nil)
	var i, j []int
	for r, k := range w.outputs {
		for _, a := range p.Row(k) {
			if x := w.inputs[a]; x.Leaf == expr.Variable {
				i, j = append(i, r), append(j, int(x.A))
			}
		}
	}
	return sparsity.FromCoordinates(len(w.outputs), len(w.vars), i, j)
}

func (w *sweepKernel) loads() []expr.Node     { return w.loaded }
func (w *sweepKernel) stores() []expr.Output  { return w.stored }
func (w *sweepKernel) entries() []expr.Output { return w.matrix }
func (w *sweepKernel) instructions() int      { return 0 }

// cost counts what the sweeps for the terms do.
func (w *sweepKernel) cost(s *shape) (n cost.Counts) {
	g := cost.Of(w.program)
	switch w.Derivative {
	case expr.Value:
		n = g.Jacobian(0, 0, 0)
	case expr.Gradient:
		n = g.Jacobian(0, 1, 0)
	case expr.Hessian:
		n = g.Hessian(w.coloring.Num(), len(w.matrix))
	case expr.Jacobian:
		n = g.Jacobian(w.coloring.Columns().Num(), w.coloring.Rows().Num(), len(w.matrix))
	case expr.Tangent:
		n = g.Jacobian(w.Directions, 0, 0)
	case expr.Product:
		n = g.Hessian(w.Directions, 0)
	}
	n[cost.Gather] += float64(len(w.loaded) + len(w.stored))
	for k := range n {
		n[k] *= float64(s.terms)
	}
	return n
}

func (w *sweepKernel) explain() string {
	what := "sweeps over the operations of each term"
	if w.coloring != nil {
		what += fmt.Sprintf(", %d products", w.coloring.Num())
	}
	switch {
	case w.mayAlias:
		what += ", since variables coincide in more ways than there are symbols for"
	case w.program.HasCalls():
		what += ", which have loops"
	default:
		what += ", too many for symbols"
	}
	return what
}

// sweeper is working memory.
type sweeper struct {
	*sweepKernel
	ws      *sweep.Workspace
	memory  []float64 // all that is loaded, then all that is stored, of each the lanes
	lane    int       // of the term at hand
	term    int       // its number
	next    int       // the number of the output that is stored next
	x, p, w []float64 // inputs, parameters and weights of the term
	h       []float64 // by variable
	y       []float64 // by result
	values  []float64 // of a matrix
	along   *sweep.Workspace
	sum     []float64 // by input
}

func newSweeper(w *sweepKernel) *sweeper {
	buffer := func(n int) []float64 { return make([]float64, n) }
	t := w.program
	z := &sweeper{
		sweepKernel: w, ws: t.Get(), x: buffer(t.Inputs()), p: buffer(t.Params()), w: buffer(t.Outputs()),
		h: buffer(len(w.vars)), y: buffer(len(w.outputs)), values: buffer(max(len(w.matrix), len(w.entry))),
	}
	if w.tangent != nil {
		z.along, z.p, z.sum = w.tangent.Get(), buffer(w.tangent.Params()), buffer(t.Inputs())
	}
	return z
}

func (w *sweepKernel) begin(*evaluator, *shape) {}

// block runs the n terms from lo on.
func (w *sweepKernel) block(e *evaluator, lo, n int) {
	z := w.work.Get().(*sweeper)
	z.memory = e.Memory((len(w.loaded) + len(w.stored)) * w.lanes)
	for hi := lo + n; lo < hi; lo += w.lanes {
		n := min(w.lanes, hi-lo)
		numbers := func(k int) []float64 { return z.memory[k*w.lanes:][:n] }
		for k := range e.sources {
			e.sources[k].Load(numbers(k), lo)
		}
		for z.lane = range n {
			z.term = lo + z.lane
			z.evaluate()
		}
		for k := range e.sinks {
			e.Store(&e.sinks[k], numbers(len(w.loaded)+k), lo)
		}
	}
	z.memory = nil
	w.work.Put(z)
}

// source is what was loaded as number k for the term at hand.
func (z *sweeper) source(k int) float64 { return z.memory[k*z.lanes+z.lane] }

func (z *sweeper) value(v value) float64 {
	if v.source < 0 {
		return v.c
	}
	return z.source(v.source)
}

// sink is where the next output of the term at hand is stored.
func (z *sweeper) sink() *float64 {
	z.next++
	return &z.memory[(len(z.loaded)+z.next-1)*z.lanes+z.lane]
}

// put stores x.
func (z *sweeper) put(x float64) { *z.sink() = x }

// evaluate computes all that is stored of one term.
func (z *sweeper) evaluate() {
	for a, v := range z.input {
		z.x[a] = z.value(v)
	}
	for a, v := range z.param {
		z.p[a] = z.value(v)
	}
	_, err := z.ws.Value(z.x, z.p[:z.program.Params()])
	must(err)
	z.next = 0
	z.putResults(z.ws.Output)
	switch z.Derivative {
	case expr.Gradient:
		z.weigh(z.w, z.weights)
		if z.tangent != nil {
			z.contract()
			return
		}
		must(z.ws.Gradient(z.w))
		z.putVars(z.ws.Adjoints())
	case expr.Hessian:
		z.hessian()
	case expr.Jacobian:
		z.jacobian()
	case expr.Tangent:
		must(z.ws.JVP(z.Directions, z.direction))
		for s := range z.Directions {
			z.putResults(func(j int) float64 { return z.ws.OutputTangent(s, j) })
		}
	case expr.Product:
		z.products()
	}
}

// must panics if there is an error: there is none, as terms are Certain.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// result is result r, a multiple of an output.
func (z *sweeper) result(r int, output float64) float64 { return z.value(z.factor[r]) * output }

// putResults stores the results, of which the outputs are given.
func (z *sweeper) putResults(output func(j int) float64) {
	for r, j := range z.outputs {
		z.put(z.result(r, output(j)))
	}
}

// weigh sets w to the weights of the program's outputs: the factors of the results, times
// their weights, loaded from number source on, if there are any.
func (z *sweeper) weigh(w []float64, source int) {
	clear(w)
	for r, j := range z.outputs {
		w[j] = z.value(z.factor[r])
		if z.Weighted {
			w[j] *= z.source(source + r)
		}
	}
}

// direction adds direction k to x.
func (z *sweeper) direction(x []float64, k int) {
	for a, inputs := range z.vars {
		for _, i := range inputs {
			x[i] = z.source(z.dirs + k*len(z.vars) + a)
		}
	}
}

// byVar sets h, by variable, to the sums of x over the inputs of the program that it is.
func (z *sweeper) byVar(h, x []float64) {
	for a, inputs := range z.vars {
		h[a] = 0
		for _, i := range inputs {
			h[a] += x[i]
		}
	}
}

func (z *sweeper) putVars(x []float64) {
	z.byVar(z.h, x)
	for _, h := range z.h {
		z.put(h)
	}
}

// products computes the Hessian times each direction plus, if the weights have tangents, the
// gradient for these as weights.
func (z *sweeper) products() {
	k := z.Directions
	z.weigh(z.w, z.weights)
	must(z.ws.Linearize(z.w))
	must(z.ws.HVP(k, z.direction))
	begin := z.next
	for s := range k {
		z.putVars(z.ws.Product(s))
	}
	if !z.WeightsChange {
		return
	}
	must(z.ws.VJP(k, func(w []float64, s int) { z.weigh(w, z.wdirs+s*len(z.outputs)) }))
	z.next = begin
	for s := range k {
		z.byVar(z.h, z.ws.Product(s))
		for _, h := range z.h {
			*z.sink() += h
		}
	}
}

// hessian computes the gradient and the Hessian.
func (z *sweeper) hessian() {
	z.weigh(z.w, z.weights)
	must(z.ws.Linearize(z.w))
	z.putVars(z.ws.Adjoints())
	must(z.ws.HVPs(z.coloring.Columns().Num(), z.seed, func(c int, hv []float64) {
		z.byVar(z.h, hv)
		z.recovery.GatherColumns(z.values, c, z.h)
	}))
	z.recovery.Finish(z.values)
	for e, h := range z.values {
		if o := z.matrix[e]; z.mayAlias && o.A != o.B && z.places[o.A][z.term] == z.places[o.B][z.term] {
			h *= 2 // with its mirror image
		}
		z.put(h)
	}
}

// contract computes the third derivatives Σ Wᵢⱼ ∂³f/∂xᵢ∂xⱼ∂x as a sum over colors, see
// coloring.Recovery.
func (z *sweeper) contract() {
	for e, v := range z.entry {
		if z.values[e] = z.value(v); !z.diagonal[e] {
			z.values[e] *= 2
		}
	}
	clear(z.sum)
	z.recovery.Transpose(z.values)
	direction := z.p[z.program.Params():]
	for c := range z.coloring.Columns().Num() {
		clear(direction)
		z.seed(direction, c)
		_, err := z.along.Value(z.x, z.p)
		must(err)
		must(z.along.Linearize(z.w))
		must(z.along.HVP(1, func(x []float64, _ int) {
			clear(z.h)
			z.recovery.ScatterColumns(z.h, c, z.values)
			for a, inputs := range z.vars {
				for _, i := range inputs {
					x[i] = z.h[a]
				}
			}
		}))
		for i, h := range z.along.Product(0) {
			z.sum[i] += h
		}
	}
	z.putVars(z.sum)
}

// seed adds the variables of color c to x.
func (z *sweeper) seed(x []float64, c int) {
	for _, a := range z.coloring.Columns().Class(c) {
		for _, i := range z.vars[a] {
			x[i] = 1
		}
	}
}

// jacobian computes the Jacobian of the results.
func (z *sweeper) jacobian() {
	const most = sweep.MaxDirections
	for lo := 0; lo < z.coloring.Columns().Num(); lo += most {
		k := min(most, z.coloring.Columns().Num()-lo)
		must(z.ws.JVP(k, func(x []float64, s int) { z.seed(x, lo+s) }))
		for s := range k {
			for r, j := range z.outputs {
				z.y[r] = z.result(r, z.ws.OutputTangent(s, j))
			}
			z.recovery.GatherColumns(z.values, lo+s, z.y)
		}
	}
	for lo := 0; lo < z.coloring.Rows().Num(); lo += most {
		k := min(most, z.coloring.Rows().Num()-lo)
		must(z.ws.VJP(k, func(w []float64, s int) {
			for _, r := range z.coloring.Rows().Class(lo + s) {
				w[z.outputs[r]] = z.value(z.factor[r])
			}
		}))
		for s := range k {
			z.byVar(z.h, z.ws.Product(s))
			z.recovery.GatherRows(z.values, lo+s, z.h)
		}
	}
	z.recovery.Finish(z.values)
	for _, v := range z.values {
		z.put(v)
	}
}
