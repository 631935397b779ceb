package terms

import (
	"fmt"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Repeat is a function that is declared as a sum of alike terms: a program, the term,
// with inputs numbered a and outputs numbered j, and lists of one number a term t
// each,
//
//	y[rows[j][t]] += termⱼ(x[vars[0][t]], x[vars[1][t]], …; params[·][t]).
//
// A program calls it as one operation, whose sweeps are those of a Plan. It is
// closed under transforms: its tangent repeats the tangent of the term, its
// adjoint the adjoint. It is immutable and safe for concurrent use.
type Repeat struct {
	term       *sweep.Engine
	in, out    int          // how many inputs and outputs it has
	count      int          // how many terms
	vars, rows []code.Index // by input and by output of the term
	params     []data       // by parameter of the term

	template expr.Function // the term, with variables in the order of its first steps; A of one is the input
	data     []data        // by constant of the template, what it is in each term
	paramAt  []int32       // by parameter, its number in data, −1 if it is not used
	swept    sweptKinds
	all      []aliasing           // of its terms
	plan     *Plan                // nil if it cannot be evaluated, see Runs
	copies   func() *sweep.Engine // of the term, see taylor.go
}

var (
	_ tape.Repeated = (*Repeat)(nil)
	_ cost.Sums     = (*Repeat)(nil)
)

// sweptKinds says which derivatives are computed by sweeps over the term's program, since
// symbolic ones would be too large.
type sweptKinds [expr.Derivatives]bool

// Limits says for which terms symbolic derivatives are made; others are differentiated by
// sweeps. Tests lower it.
var Limits = struct {
	Steps int // operations and leaves of a declared term
	// Edges is how many edges the second derivatives of all terms that are detected may have, or
	// those of a declared term. That also has at most termEdges for each term, and its Jacobian
	// as many steps.
	Edges int
	// Kinds of declared terms: these are told apart by which of their variables coincide and,
	// where they are part of a longer function, by which are parameters or constants there.
	Kinds int
}{Steps: maxSteps, Edges: 1 << 18, Kinds: 16}

const termEdges = 1 << 15

// NewRepeat is the sum of count terms, with n inputs and m outputs. There is one list for each
// input, output and parameter of the term, of length count or of one number that all terms have;
// rows nil are all 0.
func NewRepeat(term *sweep.Engine, n, m, count int, vars, rows [][]int, params [][]float64) *Repeat {
	r := &Repeat{term: term, in: n, out: m, count: count}
	index := func(x []int) code.Index {
		if len(x) == 1 {
			return code.OnePlace(int32(x[0]), count)
		}
		return code.NewIndex(x)
	}
	for _, x := range vars {
		r.vars = append(r.vars, index(x))
	}
	for _, x := range rows {
		r.rows = append(r.rows, index(x))
	}
	if rows == nil {
		r.rows = []code.Index{code.OnePlace(0, count)}
	}
	for _, x := range params {
		r.params = append(r.params, newData(count, func(t int) float64 { return x[min(t, len(x)-1)] }))
	}
	r.prepare()
	return r
}

// Tangent is the function [x; ẋ] ↦ [y; ẏ]; term is the tangent of the term, with
// inputs and outputs of the same form.
func (r *Repeat) Tangent(term *sweep.Engine) *Repeat {
	z := &Repeat{term: term, in: 2 * r.in, out: 2 * r.out, count: r.count, params: r.params}
	z.vars = append(slices.Clone(r.vars), shifted(r.vars, r.in)...)
	z.rows = append(slices.Clone(r.rows), shifted(r.rows, r.out)...)
	z.prepare()
	return z
}

// Adjoint is the function [x; ȳ] ↦ x̄; term is the adjoint of the term, with
// inputs and outputs of the same form.
func (r *Repeat) Adjoint(term *sweep.Engine) *Repeat {
	z := &Repeat{term: term, in: r.in + r.out, out: r.in, count: r.count, params: r.params}
	z.vars = append(slices.Clone(r.vars), shifted(r.rows, r.in)...)
	z.rows = r.vars
	z.prepare()
	return z
}

func shifted(x []code.Index, by int) []code.Index {
	z := make([]code.Index, len(x))
	for k := range x {
		z[k] = x[k].Shift(int32(by))
	}
	return z
}

// prepare plans the evaluations, if it can.
func (r *Repeat) prepare() {
	r.copies = sync.OnceValue(func() *sweep.Engine { return inside.Copies(r.term, r.side()) })
	if !r.derive() {
		return
	}
	d := dims{inputs: r.in, outputs: r.out}
	r.all = r.aliasings(nil)
	r.plan = &Plan{dims: d, shapes: r.place(d, r.all, nil, nil)}
}

// derive makes the template; it reports false if the term has comparisons or calls what
// may fail.
func (r *Repeat) derive() bool {
	d := newDetector(&r.term.Tape, true)
	if !r.term.Certain() {
		return false
	}
	if r.term.HasCalls() {
		r.leavesAlone()
		return true
	}
	d.longest = Limits.Steps
	results, ok := d.traceOutputs()
	if !ok {
		r.leavesAlone()
		return true
	}
	z := &d.term
	f := &r.template
	f.Steps, f.Results = expr.VariablesFirst(z.Steps, results, nil)
	f.Primitives = expr.Primitives(d.p)
	limit := min(Limits.Edges, termEdges*r.count)
	r.swept[expr.Hessian] = expr.CountEdges(f.Steps, limit) > limit
	r.swept[expr.Jacobian] = expr.CountAdjoints(f.Steps, f.Results) > limit
	for _, c := range z.Numbers {
		r.data = append(r.data, data{all: c})
	}
	r.paramAt = slices.Repeat([]int32{-1}, len(r.params))
	for i := range f.Steps {
		switch st := &f.Steps[i]; st.Leaf {
		case expr.Variable:
			st.A = z.leaves[st.A]
		case expr.Parameter: // its values are at hand
			k := int(z.leaves[st.A]) - d.inputs
			*st = r.parameter(k)
		}
	}
	return true
}

// parameter makes parameter k one of the data of the template.
func (r *Repeat) parameter(k int) expr.Node {
	r.paramAt[k] = int32(len(r.data))
	r.data = append(r.data, r.params[k])
	return expr.Node{Leaf: expr.Data, A: r.paramAt[k]}
}

// leavesAlone makes a template of leaves, for a term that is too long for symbols, or
// has loops.
func (r *Repeat) leavesAlone() {
	f := &r.template
	for a := range r.vars {
		f.Steps = append(f.Steps, expr.Node{Leaf: expr.Variable, A: int32(a)})
	}
	r.paramAt = make([]int32, len(r.params))
	for k := range r.params {
		f.Steps = append(f.Steps, r.parameter(k))
	}
	f.Results = make([]int32, len(r.rows)) // any
	for v := range r.swept {
		r.swept[v] = true
	}
}

// Runs reports whether the function can be evaluated. Else its terms must be
// written out, since they have comparisons or calls.
func (r *Repeat) Runs() bool { return r.plan != nil }

// Certain is Runs: the function never fails.
func (r *Repeat) Certain() bool { return r.Runs() }

// Term is what is repeated.
func (r *Repeat) Term() *tape.Tape { return &r.term.Tape }

// Ops is how many operations all terms have.
func (r *Repeat) Ops() int { return r.count * r.term.Ops() }

// Engine sweeps over what is repeated.
func (r *Repeat) Engine() *sweep.Engine { return r.term }

// Each calls f with the inputs, the outputs and the parameters of each term, in
// slices that it uses again.
func (r *Repeat) Each(f func(vars, rows []int32, params []float64)) {
	var lists []*code.Index
	for _, x := range [][]code.Index{r.vars, r.rows} {
		for k := range x {
			lists = append(lists, &x[k])
		}
	}
	params, n := make([]float64, len(r.params)), len(r.vars)
	for t, x := range code.Each(lists) {
		for k := range params {
			params[k] = r.params[k].at(t)
		}
		f(x[:n:n], x[n:], params)
	}
}

// Footprint is the bytes that the lists take.
func (r *Repeat) Footprint(map[any]bool) int {
	bytes := bytesOf(r.vars) + bytesOf(r.rows)
	for _, d := range r.params {
		bytes += 8 * len(d.each)
	}
	if r.plan != nil && len(r.plan.shapes) > 1 { // else it has the same lists
		bytes += r.plan.Bytes()
	}
	return bytes
}

// Equal reports whether f is the same function, to the bits of its constants.
func (r *Repeat) Equal(f tape.Func) bool {
	q, ok := f.(*Repeat)
	return ok && r.in == q.in && r.out == q.out && r.count == q.count && r.term.Equal(&q.term.Tape) &&
		slices.EqualFunc(r.vars, q.vars, code.Index.Equal) && slices.EqualFunc(r.rows, q.rows, code.Index.Equal) &&
		slices.EqualFunc(r.params, q.params, data.equal)
}

// Dims is the numbers of inputs and outputs.
func (r *Repeat) Dims() (n, m int) { return r.in, r.out }

// Name is the name of the function of package reverse that makes it.
func (r *Repeat) Name() string { return "Repeat" }

// Eval sets y = F(x).
func (r *Repeat) Eval(y, x []float64) error {
	r.plan.Value(y, x, nil)
	return nil
}

// JVP sets dy = F′(x)·dx.
func (r *Repeat) JVP(dy, x, dx []float64) error {
	return r.JVPs([][]float64{dy}, x, [][]float64{dx})
}

// VJP sets gx = F′(x)ᵀ·w.
func (r *Repeat) VJP(gx, x, w []float64) error {
	r.plan.Gradient(nil, gx, x, nil, w)
	return nil
}

// HVP sets h = (Σ wⱼ∇²Fⱼ(x))·dx.
func (r *Repeat) HVP(h, x, w, dx []float64) error {
	return r.HVPs([][]float64{h}, x, w, nil, [][]float64{dx})
}

// JVPs sets dy[s] = F′(x)·dx[s] for each direction s.
func (r *Repeat) JVPs(dy [][]float64, x []float64, dx [][]float64) error {
	r.plan.JVPs(nil, dy, x, nil, dx)
	return nil
}

// HVPs sets h[s] = (Σ wⱼ∇²Fⱼ(x))·dx[s] + F′(x)ᵀ·dw[s], dw nil being 0.
func (r *Repeat) HVPs(h [][]float64, x, w []float64, dw, dx [][]float64) error {
	v := variant{Derivative: expr.Product, Weighted: w != nil, WeightsChange: dw != nil}
	r.plan.evalAlong(v, arrays{x: x, w: w, dirs: dx, along: h, weightDirs: dw})
	return nil
}

// Jacobian and Hessian would be patterns; those of the terms say more.
func (r *Repeat) Jacobian(i int) []int32 { return nil }

// Hessian is as Jacobian.
func (r *Repeat) Hessian(i int) []int32 { return nil }

// WriteCall writes the functions of a call: those of the plan.
func (r *Repeat) WriteCall(c *gosource.Call) error {
	for d := range expr.Derivatives {
		name := c.Names[d]
		if name == "" {
			continue
		}
		var err error
		v := variant{Derivative: expr.Derivative(d), Weighted: d == int(expr.Gradient) || d == int(expr.Product)}
		switch v.Derivative {
		case expr.Tangent:
			v.Directions = 1
		case expr.Product:
			v.Directions = 1
			c.File.Printf(products, name, name+"Alone", name+"Both")
			if err = r.writeCall(c, name+"Alone", v); err == nil {
				v.WeightsChange = true
				err = r.writeCall(c, name+"Both", v)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err = r.writeCall(c, name, v); err != nil {
			return err
		}
	}
	return nil
}

// CallFails says that there is always a value.
func (r *Repeat) CallFails() string { return "" }

// products writes the function for HVPs, which leaves out the tangents of the weights where
// they are 0.
const products = `func %s(dst, x, w, v, dw []float64) {
	for _, u := range dw {
		if u != 0 {
			%[3]s(dst, x, w, v, dw)
			return
		}
	}
	%[2]s(dst, x, w, v)
}

`

// writeCall writes the function of a variant.
func (r *Repeat) writeCall(c *gosource.Call, name string, v variant) error {
	return (&matrix{Plan: r.plan}).write(Written{
		File: c.File, Name: name, Careful: name + "Careful", Part: true, call: true,
		Values: v.Derivative == expr.Value, Gradient: v.Derivative == expr.Gradient, Weighted: v.Weighted,
		Comment:   source.Comment(fmt.Sprintf("%s is %s of a sum of %d terms.", name, c.Doc[int(v.Derivative)], r.count)),
		Array:     func(name string, n int) string { return fmt.Sprintf("var %s [%d]float64\n", name, n) },
		Primitive: func(p expr.Primitive, order int) (string, error) { return c.Primitive(p.(*tape.Scalar1), order) },
	}, v)
}

// Values counts what Eval does.
func (r *Repeat) Values() cost.Counts { return r.plan.cost(variant{}) }

// Adjoints counts what VJP does.
func (r *Repeat) Adjoints() cost.Counts {
	return r.plan.cost(variant{Derivative: expr.Gradient, Weighted: true})
}

// Tangents counts what JVPs does for k directions.
func (r *Repeat) Tangents(k int) cost.Counts {
	return r.plan.costAlong(variant{Derivative: expr.Tangent}, k)
}

// Products counts what HVPs does for k directions, with weights that change or
// without.
func (r *Repeat) Products(k int, change bool) cost.Counts {
	return r.plan.costAlong(variant{Derivative: expr.Product, Weighted: true, WeightsChange: change}, k)
}
