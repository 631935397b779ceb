package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/program"
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
	term       *program.Program
	in, out    int
	count      int
	vars, rows []list
	params     []data

	trunk shape // steps, results and data of the term
	all   []kind
	plan  *Plan // nil if it cannot be run
}

var _ program.Repeated = (*Repeat)(nil)

const (
	// A term that is repeated has at most longestTerm operations and leaves.
	longestTerm = 2048
	// Terms are told apart by which of their variables are one and the same, and,
	// where they are part of a longer function, by which are parameters or
	// constants there. There are at most maxKinds kinds of them.
	maxKinds = 16
)

// NewRepeat repeats a term with n inputs and m outputs. The lists, of equal
// length, are one for each input, output and parameter of the term; it may keep
// them.
func NewRepeat(term *program.Program, n, m int, vars, rows [][]int32, params [][]float64) *Repeat {
	r := &Repeat{term: term, in: n, out: m}
	for _, x := range vars {
		r.vars = append(r.vars, newList(x))
		r.count = len(x)
	}
	for _, x := range rows {
		r.rows = append(r.rows, newList(x))
		r.count = len(x)
	}
	for _, x := range params {
		r.params = append(r.params, newData(x))
		r.count = len(x)
	}
	r.prepare()
	return r
}

// Tangent is the function [x; ẋ] ↦ [y; ẏ]; term is the tangent of the term, with
// inputs and outputs of the same form.
func (r *Repeat) Tangent(term *program.Program) *Repeat {
	z := &Repeat{term: term, in: 2 * r.in, out: 2 * r.out, count: r.count, params: r.params}
	z.vars = append(slices.Clone(r.vars), shifted(r.vars, r.in)...)
	z.rows = append(slices.Clone(r.rows), shifted(r.rows, r.out)...)
	z.prepare()
	return z
}

// Adjoint is the function [x; ȳ] ↦ x̄; term is the adjoint of the term, with
// inputs and outputs of the same form.
func (r *Repeat) Adjoint(term *program.Program) *Repeat {
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
	if r.all = r.kinds(nil); r.all != nil {
		r.plan = &Plan{dims: d, shapes: r.place(d, r.all, nil, nil)}
	}
}

// derive makes the trunk; it reports false if the term is too large or has
// comparisons or calls.
func (r *Repeat) derive() bool {
	d := newDetector(r.term)
	if len(r.term.Guards()) > 0 {
		return false
	}
	d.longest = longestTerm
	results, ok := d.traceAll()
	if !ok {
		return false
	}
	t := &r.trunk
	t.steps, t.results = varsFirst(d.code, results)
	t.owns = d.Owns
	if countEdges(t.steps, maxEdges) > maxEdges {
		return false
	}
	numbers := d.numbers
	for i := range t.steps {
		switch st := &t.steps[i]; {
		case st.op == leafVar:
			st.a = d.leaves[st.a]
		case st.op == leafParam: // its values are at hand
			t.data = append(t.data, r.params[int(d.leaves[st.a])-d.inputs])
			*st = step{op: leafData}
		case st.op == leafData || hasReal(st.op):
			t.data = append(t.data, data{all: numbers[0]})
			numbers = numbers[1:]
		}
	}
	return true
}

// Runs reports whether the function can be evaluated. Else its terms must be
// written out: they are too large, or of too many kinds.
func (r *Repeat) Runs() bool { return r.plan != nil }

// Term is what is repeated.
func (r *Repeat) Term() *program.Program { return r.term }

// Each calls f with the inputs, the outputs and the parameters of each term, in
// slices that it uses again.
func (r *Repeat) Each(f func(vars, rows []int32, params []float64)) {
	expand := func(x []list) (z [][]int32) {
		for k := range x {
			z = append(z, x[k].numbers())
		}
		return z
	}
	vars, rows := expand(r.vars), expand(r.rows)
	v, w, p := make([]int32, len(vars)), make([]int32, len(rows)), make([]float64, len(r.params))
	for t := range r.count {
		for a := range v {
			v[a] = vars[a][t]
		}
		for j := range w {
			w[j] = rows[j][t]
		}
		for k := range p {
			p[k] = r.params[k].at(t)
		}
		f(v, w, p)
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
	op program.Op // leafVar, leafParam or leafData
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
	same  []int32
	terms []int32 // nil is all
}

const (
	isParam    = -1
	isConstant = -2
)

// kinds tells the terms apart; nil if there are too many kinds. in is what the
// inputs are, nil if they are variables.
func (r *Repeat) kinds(in []source) []kind {
	locals := r.trunk.variables()
	same := make([]int32, len(locals))
	for a := range same {
		same[a] = int32(a)
	}
	if in == nil && !r.meet(locals) {
		return []kind{{same: same}}
	}
	columns := make([][]int32, len(locals))
	for a, local := range locals {
		columns[a] = r.vars[local].numbers()
	}
	var kinds []kind
	last := 0
	for t := range int32(r.count) {
		for a, x := range columns {
			same[a] = int32(a)
			i := x[t]
			if in != nil {
				switch in[i].op {
				case leafParam:
					same[a] = isParam
				case leafData:
					same[a] = isConstant
				}
				i = in[i].at
			}
			for b := 0; b < a && same[a] == int32(a); b++ {
				j := columns[b][t]
				if in != nil {
					j = in[j].at
				}
				if i == j && same[b] == int32(b) {
					same[a] = int32(b)
				}
			}
		}
		if len(kinds) == 0 || !slices.Equal(kinds[last].same, same) {
			last = slices.IndexFunc(kinds, func(k kind) bool { return slices.Equal(k.same, same) })
			if last < 0 {
				if last = len(kinds); last == maxKinds {
					return nil
				}
				kinds = append(kinds, kind{same: slices.Clone(same)})
			}
		}
		kinds[last].terms = append(kinds[last].terms, t)
	}
	if len(kinds) == 1 {
		kinds[0].terms = nil
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
// d: in is what the inputs are there, uses where each output goes; nil for the
// function itself.
func (r *Repeat) place(d dims, kinds []kind, in []source, uses [][]use) (shapes []*shape) {
	all := make([]int, len(r.rows))
	for j := range all {
		all[j] = j
	}
	if uses == nil {
		for _, k := range kinds {
			shapes = append(shapes, r.shape(d, k, all, in, nil))
		}
		return shapes
	}
	rows := make([][]int32, len(r.rows))
	for j := range rows {
		rows[j] = r.rows[j].numbers()
	}
	out := make([]use, r.out)
	for layer := 0; ; layer++ { // each output is used once in a layer
		some, full := false, true
		for i := range out {
			out[i] = use{row: -1}
			if layer < len(uses[i]) {
				out[i] = uses[i][layer]
				some = true
			}
			full = full && out[i].row >= 0
		}
		if !some {
			return shapes
		}
		for _, k := range kinds {
			if full {
				shapes = append(shapes, r.shape(d, k, all, in, out))
				continue
			}
			for j := range rows { // result by result, those terms that are used
				used := kind{same: k.same, terms: []int32{}}
				add := func(t int32) {
					if out[rows[j][t]].row >= 0 {
						used.terms = append(used.terms, t)
					}
				}
				if k.terms == nil {
					for t := range int32(r.count) {
						add(t)
					}
				}
				for _, t := range k.terms {
					add(t)
				}
				if len(used.terms) > 0 {
					shapes = append(shapes, r.shape(d, used, []int{j}, in, out))
				}
			}
		}
	}
}

// shape is the trunk with the terms of a kind and some of its results.
func (r *Repeat) shape(d dims, k kind, results []int, in []source, out []use) *shape {
	z := &shape{terms: len(k.terms), owns: r.trunk.owns, dims: d}
	if k.terms == nil {
		z.terms = r.count
	}
	steps := make([]step, 0, len(r.trunk.steps)+len(results))
	number := make([]int32, len(r.trunk.steps))
	constants := r.trunk.data
	for i, st := range r.trunk.steps {
		if st.op == leafVar {
			local := st.a
			switch same := k.same[i]; {
			case same == isParam:
				st = step{op: leafParam, a: int32(len(z.pars))}
				z.pars = append(z.pars, k.pick(&r.vars[local], in))
			case same == isConstant:
				st = step{op: leafData}
				c := make([]float64, 0, z.terms)
				for _, t := range k.numbers(&r.vars[local]) {
					c = append(c, in[t].c)
				}
				z.data = append(z.data, newData(c))
			case int(same) < i:
				number[i] = number[same]
				continue
			default:
				st.a = int32(len(z.vars))
				z.vars = append(z.vars, k.pick(&r.vars[local], in))
			}
		} else {
			st.renumber(number)
			if st.op == leafData || hasReal(st.op) {
				z.data = append(z.data, constants[0].pick(k.terms))
				constants = constants[1:]
			}
		}
		number[i] = int32(len(steps))
		steps = append(steps, st)
	}
	var ends []int32
	for _, j := range results {
		i := number[r.trunk.results[j]]
		if out == nil {
			z.rows = append(z.rows, k.pick(&r.rows[j], nil))
			ends = append(ends, i)
			continue
		}
		rows := slices.Clone(k.numbers(&r.rows[j]))
		scales := make([]float64, len(rows))
		for t, row := range rows {
			rows[t], scales[t] = out[row].row, out[row].scale
		}
		z.rows = append(z.rows, newList(rows))
		z.data = append(z.data, newData(scales))
		ends = append(ends, int32(len(steps)))
		steps = append(steps, step{op: program.Scale, a: i, b: i})
	}
	z.steps, z.results = varsFirst(steps, ends)
	return z
}

// numbers is the numbers of the terms in a list.
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

// pick is the list of the terms in a list of inputs, which are in elsewhere.
func (k *kind) pick(l *list, in []source) list {
	if in == nil && k.terms == nil {
		return *l
	}
	x := k.numbers(l)
	if in != nil {
		x = slices.Clone(x)
		for t, i := range x {
			x[t] = in[i].at
		}
	}
	return newList(x)
}

// newData is one number a term; it may keep x.
func newData(x []float64) data {
	for _, c := range x {
		if math.Float64bits(c) != math.Float64bits(x[0]) {
			return data{all: x[0], each: x}
		}
	}
	return data{all: x[0]}
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
	x := make([]float64, len(terms))
	for k, t := range terms {
		x[k] = d.each[t]
	}
	return newData(x)
}

// declared is a Repeat that a program calls with inputs, parameters and
// constants. It is part of a plan as it is, if its outputs are parts of outputs of
// the program.
type declared struct {
	*Repeat
	inputs []source // nil if they are those of the program
	kinds  []kind   // nil if it cannot be part of a plan
	uses   [][]use  // of each output; nil if there are none
}

// declare notes that c is an output of a Repeat; it reports false if it is
// something else.
func (d *detector) declare(c *candidate) bool {
	if d.Ops[c.root] != program.Call || c.other >= 0 {
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
	if r.uses == nil {
		r.uses = make([][]use, r.out)
	}
	at := &r.uses[c.root-first]
	*at = append(*at, use{c.row, c.scale})
	return true
}

func (d *detector) newDeclared(first int32) *declared {
	f, x := d.p.CallAt(first)
	r, ok := f.(*Repeat)
	c := &declared{Repeat: r}
	if !ok {
		return c
	}
	same := true
	in := make([]source, len(x))
	for k, i := range x {
		same = same && int(i) == k && k < d.inputs
		switch {
		case i >= d.Base:
			return c
		case int(i) < d.inputs:
			in[k] = source{op: leafVar, at: i}
		case int(i) < d.inputs+d.params:
			in[k] = source{op: leafParam, at: i - int32(d.inputs)}
		default:
			in[k] = source{op: leafData, c: d.Consts[int(i)-d.inputs-d.params]}
		}
	}
	if same {
		c.kinds = r.all
		return c
	}
	c.inputs, c.kinds = in, r.kinds(in)
	return c
}

// declaredCost is the time of the declared terms that are part of the plan.
func (d *detector) declaredCost() (cost int) {
	for _, c := range d.declared {
		if c.uses != nil {
			cost += blockCost(len(c.trunk.steps), c.count)
		}
	}
	return cost
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
