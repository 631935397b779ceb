package terms

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
)

// aliasing says which variables of some declared terms coincide: x·y has another Hessian
// where x and y are the same input. By variable of the template, of is the first variable
// that it is the same as in these terms, itself if there is none before; or isParameter or
// isConstant, if what the term calls a variable is a parameter or a constant of the program.
type aliasing struct {
	of      []int32
	terms   []int32 // the terms of which that is so; nil is all
	ignored bool    // variables count as different even where they coincide
}

const (
	isParameter = -1
	isConstant  = -2
)

// binding is what an input of a Repeat is in the program that calls it: the variable
// or the parameter at, or the constant c.
type binding struct {
	kind expr.Leaf // Variable, Parameter or Data
	at   int32
	c    float64
}

// use says that an output of a Repeat is added, times scale, to a row of the program; to none
// if row is −1.
type use struct {
	row   int32
	scale float64
}

// aliasings divides the terms by which of their variables coincide. If that makes too many
// kinds, it divides them only by which are variables, not parameters or constants; nil if
// that makes too many, too. in is what the inputs are in the program; nil if they are its
// inputs.
func (r *Repeat) aliasings(in []binding) []aliasing {
	var vars []*code.Index // of the variables of the template
	for _, st := range r.template.Steps {
		if st.Leaf == expr.Variable {
			vars = append(vars, &r.vars[st.A])
		}
	}
	if len(vars) == 0 || in == nil && apart(vars) {
		return []aliasing{{of: upTo(len(vars))}}
	}
	if all := r.findAliasings(vars, in, false); all != nil {
		return all
	}
	return r.findAliasings(vars, in, true)
}

// apart reports whether no two of the lists may have the same number in a term.
func apart(lists []*code.Index) bool {
	for k, a := range lists {
		for _, b := range lists[:k] {
			if !a.Apart(b) {
				return false
			}
		}
	}
	return true
}

// upTo is the numbers below n.
func upTo(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	return x
}

// findAliasings is aliasings by looking at each term; with ignore, variables that coincide
// count as different.
func (r *Repeat) findAliasings(vars []*code.Index, in []binding, ignore bool) (all []aliasing) {
	uniform := !slices.ContainsFunc(vars, func(l *code.Index) bool { return !l.Uniform() })
	numbers := int32(r.in)
	for _, b := range in {
		numbers = max(numbers, b.at+1)
	}
	met := make([]struct{ term, a int32 }, numbers) // where a variable was met last, terms counted from 1
	of := make([]int32, len(vars))
	last := 0
	for t, x := range code.Each(vars) {
		for a, i := range x {
			of[a] = int32(a)
			if in != nil {
				switch in[i].kind {
				case expr.Parameter:
					of[a] = isParameter
				case expr.Data:
					of[a] = isConstant
				}
				i = in[i].at
			}
			if of[a] < 0 || ignore {
				continue
			}
			if m := &met[i]; m.term == int32(t)+1 {
				of[a] = m.a
			} else {
				m.term, m.a = int32(t)+1, int32(a)
			}
		}
		if len(all) == 0 || !slices.Equal(all[last].of, of) {
			last = slices.IndexFunc(all, func(k aliasing) bool { return slices.Equal(k.of, of) })
			if last < 0 {
				switch last = len(all); last {
				case Limits.Kinds:
					return nil
				case 1:
					all[0].terms = upTo(t)
				}
				all = append(all, aliasing{of: slices.Clone(of), ignored: ignore})
			}
		}
		if len(all) > 1 {
			all[last].terms = append(all[last].terms, int32(t))
		}
		if uniform {
			break
		}
	}
	return all
}

// place makes shapes of the terms for a program with the dimensions d. in is what the inputs
// of the Repeat are in the program. layers says where its outputs go: in each layer, an
// output goes to one row at most. Both are nil for the Repeat as a program of its own.
func (r *Repeat) place(d dims, all []aliasing, in []binding, layers [][]use) (shapes []*shape) {
	results := make([]int, len(r.rows))
	for j := range results {
		results[j] = j
	}
	if layers == nil {
		for _, k := range all {
			shapes = append(shapes, r.shape(d, k, results, in, nil))
		}
		return shapes
	}
	for _, out := range layers {
		full := !slices.ContainsFunc(out, func(u use) bool { return u.row < 0 })
		for _, k := range all {
			if full {
				shapes = append(shapes, r.shape(d, k, results, in, out))
				continue
			}
			for j := range r.rows { // result by result, those terms that are used
				used := k
				used.terms = []int32{}
				rows := r.rows[j].Places()
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

// shape is the template with the terms of an aliasing, and with some of its results.
func (r *Repeat) shape(d dims, k aliasing, results []int, in []binding, out []use) *shape {
	z := &shape{terms: len(k.terms), dims: d}
	z.Primitives = r.template.Primitives
	if k.terms == nil {
		z.terms = r.count
	}
	swept := newSweptTerm(r.term, r.swept)
	for _, x := range r.data {
		z.data = append(z.data, x.pick(k.terms))
	}
	steps := make([]expr.Node, 0, len(r.template.Steps)+len(results))
	number := make([]int32, len(r.template.Steps))
	for i, st := range r.template.Steps {
		if st.Leaf == expr.Variable {
			input := st.A
			switch of := k.of[i]; {
			case of == isParameter:
				st = expr.Node{Leaf: expr.Parameter, A: int32(len(z.params))}
				z.params = append(z.params, k.pick(&r.vars[input], in))
			case of == isConstant:
				x := k.places(&r.vars[input])
				st = z.addData(newData(z.terms, func(t int) float64 { return in[x[t]].c }))
			case int(of) < i:
				number[i] = number[of]
				swept.inputs[input] = steps[number[i]]
				continue
			default:
				st.A = int32(len(z.vars))
				z.vars = append(z.vars, k.pick(&r.vars[input], in))
			}
			swept.inputs[input] = st
		} else {
			st.Renumber(number)
		}
		number[i] = int32(len(steps))
		steps = append(steps, st)
	}
	for k, i := range r.paramAt {
		swept.params[k].A = i
	}
	var ends []int32
	for _, j := range results {
		swept.outputs = append(swept.outputs, j)
		i, rows := number[r.template.Results[j]], &r.rows[j]
		if out == nil {
			z.rows = append(z.rows, k.pick(rows, nil))
			ends = append(ends, i)
			continue
		}
		scale := z.addData(k.scales(rows, z.terms, out))
		swept.scales = append(swept.scales, scale)
		z.rows = append(z.rows, k.mapped(rows, func(row int32) int32 { return out[row].row }))
		ends = append(ends, int32(len(steps)))
		steps = append(steps, expr.Node{Op: op.Scale, A: i, C: scale.A})
	}
	z.Steps, z.Results = expr.VariablesFirst(steps, ends, nil)
	z.setConstants()
	swept.mayAlias = k.ignored
	swept.kinds[expr.Hessian] = swept.kinds[expr.Hessian] || k.ignored
	if slices.Contains(swept.kinds[:], true) {
		if len(results) < len(r.rows) {
			swept.program, swept.outputs = restricted(r.term, results), nil
			for k := range results {
				swept.outputs = append(swept.outputs, k)
			}
		}
		z.swept = swept
	}
	return z
}

// addData adds a constant of the terms, a leaf.
func (s *shape) addData(d data) expr.Node {
	s.data = append(s.data, d)
	return expr.Node{Leaf: expr.Data, A: int32(len(s.data)) - 1}
}

// places is the places of the terms in a list, not to be changed.
func (k *aliasing) places(l *code.Index) []int32 {
	x := l.Places()
	if k.terms == nil {
		return x
	}
	z := make([]int32, len(k.terms))
	for i, t := range k.terms {
		z[i] = x[t]
	}
	return z
}

// mapped is the list of what to makes of the places of the terms in a list.
func (k *aliasing) mapped(l *code.Index, to func(i int32) int32) code.Index {
	n := l.Len()
	if k.terms != nil {
		n = len(k.terms)
	}
	if l.Uniform() {
		return code.OnePlace(to(l.First()), n)
	}
	x := make([]int32, n)
	for t, i := range k.places(l) {
		x[t] = to(i)
	}
	return code.NewIndex(x)
}

// scales is the factors of n terms' results, the rows of which are a list.
func (k *aliasing) scales(rows *code.Index, n int, out []use) data {
	if rows.Uniform() {
		return data{all: out[rows.First()].scale}
	}
	x := k.places(rows)
	return newData(n, func(t int) float64 { return out[x[t]].scale })
}

// pick is the list of the terms in a list of inputs, which are in elsewhere.
func (k *aliasing) pick(l *code.Index, in []binding) code.Index {
	switch {
	case in != nil:
		return k.mapped(l, func(i int32) int32 { return in[i].at })
	case k.terms != nil:
		return k.mapped(l, func(i int32) int32 { return i })
	}
	return *l
}

// pick is the constants of some terms, all if nil.
func (d data) pick(terms []int32) data {
	if d.each == nil || terms == nil {
		return d
	}
	return newData(len(terms), func(k int) float64 { return d.each[terms[k]] })
}

// declared is a Repeat that a program calls with inputs, parameters and constants. It
// is part of a plan as it is, if its outputs are parts of outputs of the program.
type declared struct {
	*Repeat
	inputs []binding  // nil if they are those of the program
	kinds  []aliasing // nil if it cannot be part of a plan
	layers [][]use    // nil if no output is used
}

// declare notes that c is an output of a Repeat; it reports false if it is something
// else.
func (d *detector) declare(c *candidate) bool {
	if d.p.Op(c.root) != op.Call || d.role(c).factor != noFactor {
		return false
	}
	first := d.p.FirstOutput(c.root)
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
		r.layers = append(r.layers, slices.Repeat([]use{{row: -1}}, r.out))
	}
	r.layers[k][at] = use{c.row, d.role(c).scale}
	return true
}

// newDeclared is the call whose first output is a node.
func (d *detector) newDeclared(first int32) *declared {
	call := d.p.CallAt(first)
	x := call.Args
	r, ok := call.Func.(*Repeat)
	c := &declared{Repeat: r}
	if !ok || slices.ContainsFunc(x, func(i int32) bool { return i >= d.base }) {
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
	in := make([]binding, len(x))
	for k, i := range x {
		switch {
		case int(i) < d.inputs:
			in[k] = binding{kind: expr.Variable, at: i}
		case int(i) < d.inputs+d.params:
			in[k] = binding{kind: expr.Parameter, at: i - int32(d.inputs)}
		default:
			in[k] = binding{kind: expr.Data, c: d.p.Consts()[int(i)-d.inputs-d.params]}
		}
	}
	c.inputs, c.kinds = in, r.aliasings(in)
	return c
}

// declaredOps is how many operations the declared terms have that are part of the
// plan.
func (d *detector) declaredOps() (n int) {
	for _, c := range d.declared {
		if c.layers != nil {
			n += max(len(c.template.Steps), c.term.Ops()) * c.count
		}
	}
	return n
}
