package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Repeat is a function that is given as a sum of alike terms: a program, the
// term, with inputs numbered a and outputs numbered j, and lists of one number a
// term t each,
//
//	y[rows[j][t]] += termⱼ(x[vars[0][t]], x[vars[1][t]], …; params[·][t]).
//
// A program calls it as one operation, whose sweeps are those of a Plan. It is
// closed under transforms: its tangent repeats the tangent of the term, its
// adjoint the adjoint. It is immutable and safe for concurrent use.
type Repeat struct {
	term       *sweep.Engine
	in, out    int
	count      int
	vars, rows []list
	params     []data

	trunk shape        // steps, results and data of the term
	known []int32      // number of each parameter in the data of the trunk, −1 if it is not used
	swept [orders]bool // by sweeps over the term, since symbols would be too large
	all   []kind
	plan  *Plan // nil if it cannot be run
}

var _ tape.Repeated = (*Repeat)(nil)

// Limits says for which declared terms symbols are derived; others are
// differentiated by sweeps. Tests lower it.
var Limits = struct {
	Steps int // operations and leaves of a term
	// Edges of its second derivatives, or steps of its Jacobian: to derive them
	// takes about a microsecond each. There are a small part of them at most for
	// each term that is repeated.
	Edges int
	// Terms are told apart by which of their variables are one and the same, and,
	// where they are part of a longer function, by which are parameters or
	// constants there. There are so many kinds of them at most.
	Kinds int
}{Steps: 1 << 13, Edges: 1 << 18, Kinds: 16}

// NewRepeat repeats a term with n inputs and m outputs. The lists, of the length
// count, are one for each input, output and parameter of the term; rows nil are
// all 0.
func NewRepeat(term *sweep.Engine, n, m, count int, vars, rows [][]int, params [][]float64) *Repeat {
	r := &Repeat{term: term, in: n, out: m, count: count}
	for _, x := range vars {
		r.vars = append(r.vars, newList(x))
	}
	for _, x := range rows {
		r.rows = append(r.rows, newList(x))
	}
	if rows == nil {
		r.rows = []list{constantList(0, count)}
	}
	for _, x := range params {
		r.params = append(r.params, newData(count, func(t int) float64 { return x[t] }))
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

func shifted(x []list, by int) []list {
	z := make([]list, len(x))
	for k, l := range x {
		z[k] = l.shift(int32(by))
	}
	return z
}

// prepare plans the evaluations, if it can.
func (r *Repeat) prepare() {
	if !r.derive() {
		return
	}
	d := dims{inputs: r.in, outputs: r.out}
	r.all = r.kinds(nil)
	r.plan = &Plan{dims: d, shapes: r.place(d, r.all, nil, nil)}
}

// derive makes the trunk; it reports false if the term has comparisons or calls.
func (r *Repeat) derive() bool {
	d := newDetector(r.term)
	if len(r.term.Guards()) > 0 || slices.Contains(d.Ops, op.Call) {
		return false
	}
	d.longest = Limits.Steps
	results, ok := d.traceAll()
	if !ok {
		r.leaves()
		return true
	}
	t := &r.trunk
	t.steps, t.results = varsFirst(d.code, results)
	t.owns = d.Owns
	limit := min(Limits.Edges, maxEdges*r.count)
	r.swept[second] = countEdges(t.steps, limit) > limit
	r.swept[jacobian] = countReached(t.steps, t.results) > limit
	r.known = slices.Repeat([]int32{-1}, len(r.params))
	numbers := d.numbers
	for i := range t.steps {
		switch st := &t.steps[i]; {
		case st.op == leafVar:
			st.a = d.leaves[st.a]
		case st.op == leafParam: // its values are at hand
			k := int(d.leaves[st.a]) - d.inputs
			r.known[k] = int32(len(t.data))
			t.data = append(t.data, r.params[k])
			*st = step{op: leafData}
		case st.op == leafData || hasReal(st.op):
			t.data = append(t.data, data{all: numbers[0]})
			numbers = numbers[1:]
		}
	}
	return true
}

// leaves makes a trunk of leaves alone, for a term that is too long for symbols.
func (r *Repeat) leaves() {
	t := &r.trunk
	for a := range r.vars {
		t.steps = append(t.steps, step{op: leafVar, a: int32(a)})
	}
	for range r.params {
		t.steps = append(t.steps, step{op: leafData})
	}
	t.data, r.known = r.params, upTo(len(r.params))
	t.results = make([]int32, len(r.rows)) // any
	for v := range r.swept {
		r.swept[v] = true
	}
}

// countReached is how many steps the results have derivatives in, those of each
// counted.
func countReached(steps []step, results []int32) (count int) {
	reached := make([]bool, len(steps))
	for _, i := range results {
		clear(reached)
		reached[i] = true
		for ; i >= 0; i-- {
			if reached[i] {
				count++
				args, n := steps[i].arguments()
				for _, a := range args[:n] {
					reached[a] = true
				}
			}
		}
	}
	return count
}

// Runs reports whether the function can be evaluated. Else its terms must be
// written out, since they have comparisons or calls.
func (r *Repeat) Runs() bool { return r.plan != nil }

// Term is what is repeated.
func (r *Repeat) Term() *tape.Tape { return &r.term.Tape }

// Engine sweeps over what is repeated.
func (r *Repeat) Engine() *sweep.Engine { return r.term }

// Each calls f with the inputs, the outputs and the parameters of each term, in
// slices that it uses again.
func (r *Repeat) Each(f func(vars, rows []int32, params []float64)) {
	lists := slices.Concat(r.vars, r.rows)
	columns, buf := make([][]int32, len(lists)), make([][lanes]int32, len(lists))
	x, params := make([]int32, len(lists)), make([]float64, len(r.params))
	vars, rows := x[:len(r.vars):len(r.vars)], x[len(r.vars):]
	for t := range r.count {
		for k := range lists {
			if t%lanes == 0 {
				columns[k] = lists[k].block(&buf[k], t)
			}
			x[k] = columns[k][t%lanes]
		}
		for k := range params {
			params[k] = r.params[k].at(t)
		}
		f(vars, rows, params)
	}
}

// Size is how many operations all terms have, and the bytes that the lists take.
func (r *Repeat) Size() (ops, bytes int) {
	bytes = bytesOf(r.vars) + bytesOf(r.rows)
	for _, d := range r.params {
		bytes += 8 * len(d.each)
	}
	if r.plan != nil && len(r.plan.shapes) > 1 { // else it has the same lists
		bytes += r.plan.Bytes()
	}
	return r.count * r.term.Ops(), bytes
}

// source is what an input is in a longer function: a variable or a parameter
// with the number at, or the constant c.
type source struct {
	op op.Code // leafVar, leafParam or leafData
	at int32
	c  float64
}

// use says that scale times an output is part of a row, none if −1.
type use struct {
	row   int32
	scale float64
}

// kind is alike terms. For each variable of the trunk, same is itself or an
// earlier one that it is equal to in these terms, which have a second derivative
// then in place of a mixed one; isParam or isConstant where it is none.
type kind struct {
	same   []int32
	terms  []int32 // nil is all
	mingle bool    // variables that are one in some terms are two all the same
}

const (
	isParam    = -1
	isConstant = -2
)

// kinds tells the terms apart; where there are too many kinds, not by which of
// their variables are one, and nil if there still are. in is what the inputs are,
// nil if they are variables.
func (r *Repeat) kinds(in []source) []kind {
	locals := r.trunk.variables()
	if in == nil && !r.meet(locals) {
		return []kind{{same: upTo(len(locals))}}
	}
	if kinds := r.sort(locals, in, false); kinds != nil {
		return kinds
	}
	return r.sort(locals, in, true)
}

// upTo is the numbers below n.
func upTo(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	return x
}

// sort sorts the terms into kinds, nil if there are too many; to mingle is not to
// ask which variables are one.
func (r *Repeat) sort(locals []int32, in []source, mingle bool) (kinds []kind) {
	count, uniform := int32(r.count), true
	for _, local := range locals {
		uniform = uniform && r.vars[local].uniform()
	}
	if uniform {
		count = 1
	}
	same := make([]int32, len(locals))
	columns, buf := make([][]int32, len(locals)), make([][lanes]int32, len(locals))
	numbers := int32(r.in)
	for _, x := range in {
		numbers = max(numbers, x.at+1)
	}
	seen := make([]struct{ lane, a int32 }, numbers) // where a number was met last, counted from 1
	last := 0
	for t := range count {
		for a, local := range locals {
			if t%lanes == 0 {
				columns[a] = r.vars[local].block(&buf[a], int(t))
			}
			i := columns[a][t%lanes]
			same[a] = int32(a)
			if in != nil {
				switch in[i].op {
				case leafParam:
					same[a] = isParam
				case leafData:
					same[a] = isConstant
				}
				i = in[i].at
			}
			if same[a] >= 0 && !mingle {
				if s := &seen[i]; s.lane == t+1 {
					same[a] = s.a
				} else {
					s.lane, s.a = t+1, int32(a)
				}
			}
		}
		if len(kinds) == 0 || !slices.Equal(kinds[last].same, same) {
			last = slices.IndexFunc(kinds, func(k kind) bool { return slices.Equal(k.same, same) })
			if last < 0 {
				switch last = len(kinds); last {
				case Limits.Kinds:
					return nil
				case 1:
					kinds[0].terms = upTo(int(t))
				}
				kinds = append(kinds, kind{same: slices.Clone(same), mingle: mingle})
			}
		}
		if len(kinds) > 1 {
			kinds[last].terms = append(kinds[last].terms, t)
		}
	}
	return kinds
}

// variables is the inputs of the term that are variables of the trunk, in the
// order of their steps, which are the first.
func (s *shape) variables() (locals []int32) {
	for _, st := range s.steps {
		if st.op == leafVar {
			locals = append(locals, st.a)
		}
	}
	return locals
}

// meet reports whether two of the inputs of a term may be one.
func (r *Repeat) meet(locals []int32) bool {
	for k, a := range locals {
		for _, b := range locals[:k] {
			x, y := &r.vars[a], &r.vars[b]
			if len(x.runs) != 1 || len(y.runs) != 1 || x.runs[0].step != y.runs[0].step || x.runs[0].at == y.runs[0].at {
				return true
			}
		}
	}
	return false
}

// place makes shapes of the terms of each kind in a function with the dimensions
// d: in is what the inputs are there, layers where the outputs go, each output
// to one row in a layer; nil for the function itself.
func (r *Repeat) place(d dims, kinds []kind, in []source, layers [][]use) (shapes []*shape) {
	all := make([]int, len(r.rows))
	for j := range all {
		all[j] = j
	}
	if layers == nil {
		for _, k := range kinds {
			shapes = append(shapes, r.shape(d, k, all, in, nil))
		}
		return shapes
	}
	for _, out := range layers {
		full := !slices.ContainsFunc(out, func(u use) bool { return u.row < 0 })
		for _, k := range kinds {
			if full {
				shapes = append(shapes, r.shape(d, k, all, in, out))
				continue
			}
			for j := range r.rows { // result by result, those terms that are used
				used := k
				used.terms = []int32{}
				rows := r.rows[j].numbers()
				terms := k.terms
				if terms == nil {
					terms = upTo(r.count)
				}
				for _, t := range terms {
					if out[rows[t]].row >= 0 {
						used.terms = append(used.terms, t)
					}
				}
				if len(used.terms) > 0 {
					shapes = append(shapes, r.shape(d, used, []int{j}, in, out))
				}
			}
		}
	}
	return shapes
}

// shape is the trunk with the terms of a kind and some of its results.
func (r *Repeat) shape(d dims, k kind, results []int, in []source, out []use) *shape {
	z := &shape{terms: len(k.terms), owns: r.trunk.owns, dims: d}
	if k.terms == nil {
		z.terms = r.count
	}
	own := newOwn(r.term, r.swept)
	steps := make([]step, 0, len(r.trunk.steps)+len(results))
	number := make([]int32, len(r.trunk.steps))
	dataOf := make([]int32, len(r.trunk.data)) // numbers of the trunk's constants
	used := 0
	for i, st := range r.trunk.steps {
		if st.op == leafVar {
			local := st.a
			switch same := k.same[i]; {
			case same == isParam:
				st = step{op: leafParam, a: int32(len(z.pars))}
				z.pars = append(z.pars, k.pick(&r.vars[local], in))
				own.inputs[local] = st
			case same == isConstant:
				st = step{op: leafData}
				own.inputs[local] = step{op: leafData, a: int32(len(z.data))}
				x := k.numbers(&r.vars[local])
				z.data = append(z.data, newData(z.terms, func(t int) float64 { return in[x[t]].c }))
			case int(same) < i:
				number[i] = number[same]
				own.inputs[local] = steps[number[i]]
				continue
			default:
				st.a = int32(len(z.vars))
				z.vars = append(z.vars, k.pick(&r.vars[local], in))
				own.inputs[local] = st
			}
		} else {
			st.renumber(number)
			if st.op == leafData || hasReal(st.op) {
				dataOf[used] = int32(len(z.data))
				z.data = append(z.data, r.trunk.data[used].pick(k.terms))
				used++
			}
		}
		number[i] = int32(len(steps))
		steps = append(steps, st)
	}
	for k, i := range r.known {
		if i >= 0 {
			own.params[k] = step{op: leafData, a: dataOf[i]}
		}
	}
	var ends []int32
	for _, j := range results {
		own.outputs = append(own.outputs, j)
		i := number[r.trunk.results[j]]
		if out == nil {
			z.rows = append(z.rows, k.pick(&r.rows[j], nil))
			ends = append(ends, i)
			continue
		}
		list := &r.rows[j]
		own.scales = append(own.scales, step{op: leafData, a: int32(len(z.data))})
		if list.uniform() {
			z.data = append(z.data, data{all: out[list.runs[0].at].scale})
		} else {
			rows := k.numbers(list)
			z.data = append(z.data, newData(z.terms, func(t int) float64 { return out[rows[t]].scale }))
		}
		z.rows = append(z.rows, k.mapped(list, func(row int32) int32 { return out[row].row }))
		ends = append(ends, int32(len(steps)))
		steps = append(steps, step{op: op.Scale, a: i, b: i})
	}
	z.steps, z.results = varsFirst(steps, ends)
	own.mingled = k.mingle
	own.swept[second] = own.swept[second] || k.mingle
	if slices.Contains(own.swept[:], true) {
		if len(results) < len(r.rows) {
			own.term, own.outputs = restricted(r.term, results), nil
			for k := range results {
				own.outputs = append(own.outputs, k)
			}
		}
		z.own = own
	}
	return z
}

// numbers is the numbers of the terms in a list, not to be changed.
func (k *kind) numbers(l *list) []int32 {
	x := l.numbers()
	if k.terms == nil {
		return x
	}
	z := make([]int32, len(k.terms))
	for i, t := range k.terms {
		z[i] = x[t]
	}
	return z
}

// mapped is the list of to of the numbers of the terms in a list.
func (k *kind) mapped(l *list, to func(i int32) int32) list {
	n := l.n
	if k.terms != nil {
		n = len(k.terms)
	}
	if l.uniform() {
		return constantList(to(l.runs[0].at), n)
	}
	x := make([]int32, n)
	for t, i := range k.numbers(l) {
		x[t] = to(i)
	}
	return newList(x)
}

// pick is the list of the terms in a list of inputs, which are in elsewhere.
func (k *kind) pick(l *list, in []source) list {
	switch {
	case in != nil:
		return k.mapped(l, func(i int32) int32 { return in[i].at })
	case k.terms != nil:
		return k.mapped(l, func(i int32) int32 { return i })
	}
	return *l
}

// newData is the numbers at(t) of n terms.
func newData(n int, at func(t int) float64) data {
	d := data{all: at(0)}
	for t := range n {
		if math.Float64bits(at(t)) != math.Float64bits(d.all) {
			d.each = make([]float64, n)
			for t := range d.each {
				d.each[t] = at(t)
			}
			break
		}
	}
	return d
}

// at is the constant of term t.
func (d *data) at(t int) float64 {
	if d.each != nil {
		return d.each[t]
	}
	return d.all
}

// pick is the constants of some terms, all if nil.
func (d data) pick(terms []int32) data {
	if d.each == nil || terms == nil {
		return d
	}
	return newData(len(terms), func(k int) float64 { return d.each[terms[k]] })
}

// declared is a Repeat that a program calls with inputs, parameters and
// constants. It is part of a plan as it is, if its outputs are parts of outputs of
// the program.
type declared struct {
	*Repeat
	inputs []source // nil if they are those of the program
	kinds  []kind   // nil if it cannot be part of a plan
	layers [][]use  // nil if no output is used
}

// declare notes that c is an output of a Repeat; it reports false if it is
// something else.
func (d *detector) declare(c *candidate) bool {
	if d.Ops[c.root] != op.Call || c.other >= 0 {
		return false
	}
	first := c.root - d.B[c.root]
	r, ok := d.byCall[first]
	if !ok {
		r = d.newDeclared(first)
		d.byCall[first] = r
		d.declared = append(d.declared, r)
	}
	if r.kinds == nil {
		return false
	}
	at := c.root - first
	k := slices.IndexFunc(r.layers, func(l []use) bool { return l[at].row < 0 })
	if k < 0 {
		k = len(r.layers)
		l := make([]use, r.out)
		for i := range l {
			l[i].row = -1
		}
		r.layers = append(r.layers, l)
	}
	r.layers[k][at] = use{c.row, c.scale}
	return true
}

func (d *detector) newDeclared(first int32) *declared {
	call := d.p.CallAt(first)
	x := call.Args
	r, ok := call.Func.(*Repeat)
	c := &declared{Repeat: r}
	if !ok || slices.ContainsFunc(x, func(i int32) bool { return i >= d.Base }) {
		return c
	}
	same := len(x) <= d.inputs
	for k, i := range x {
		same = same && int(i) == k
	}
	if same {
		c.kinds = r.all
		return c
	}
	in := make([]source, len(x))
	for k, i := range x {
		switch {
		case int(i) < d.inputs:
			in[k] = source{op: leafVar, at: i}
		case int(i) < d.inputs+d.params:
			in[k] = source{op: leafParam, at: i - int32(d.inputs)}
		default:
			in[k] = source{op: leafData, c: d.Consts[int(i)-d.inputs-d.params]}
		}
	}
	c.inputs, c.kinds = in, r.kinds(in)
	return c
}

// declaredOps is how many operations the declared terms have that are part of
// the plan.
func (d *detector) declaredOps() (n int) {
	for _, c := range d.declared {
		if c.layers != nil {
			n += max(len(c.trunk.steps), c.term.Ops()) * c.count
		}
	}
	return n
}

// Dims is the numbers of inputs and outputs.
func (r *Repeat) Dims() (n, m int) { return r.in, r.out }

// Name is that of the function that makes it.
func (r *Repeat) Name() string { return "Repeat" }

// Eval sets y = F(x).
func (r *Repeat) Eval(y, x []float64) error {
	r.plan.Value(y, x, nil)
	return nil
}

// JVP sets dy = F′(x)·dx.
func (r *Repeat) JVP(dy, x, dx []float64) error {
	r.JVPs([][]float64{dy}, x, [][]float64{dx})
	return nil
}

// VJP sets gx = F′(x)ᵀ·w.
func (r *Repeat) VJP(gx, x, w []float64) error {
	r.plan.Gradient(nil, gx, x, nil, w)
	return nil
}

// HVP sets h = (Σ wⱼ∇²Fⱼ(x))·dx.
func (r *Repeat) HVP(h, x, w, dx []float64) error {
	r.HVPs([][]float64{h}, x, w, nil, [][]float64{dx})
	return nil
}

// JVPs sets dy[s] = F′(x)·dx[s] for each direction s.
func (r *Repeat) JVPs(dy [][]float64, x []float64, dx [][]float64) { r.plan.JVPs(nil, dy, x, nil, dx) }

// HVPs sets h[s] = (Σ wⱼ∇²Fⱼ(x))·dx[s] + F′(x)ᵀ·dw[s], dw nil being 0.
func (r *Repeat) HVPs(h [][]float64, x, w []float64, dw, dx [][]float64) {
	if dw == nil {
		r.plan.HVPs(h, x, nil, w, dx)
		return
	}
	r.plan.turnedHVPs(h, x, w, dw, dx)
}

// Jacobian and Hessian would be patterns; those of the terms say more.
func (r *Repeat) Jacobian(i int) []int32 { return nil }

// Hessian is as Jacobian.
func (r *Repeat) Hessian(i int) []int32 { return nil }
