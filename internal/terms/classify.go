package terms

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
)

// term is what is traced of a term.
type term struct {
	expr.Writer
	results []int32 // steps
	leaves  []int32 // inputs and parameters: A of a leaf is a place here
	rows    []int32 // of each result
}

// class is the terms of one shape while they are gathered. They have the same steps and
// results, and each of their numbers is a constant of its own.
type class struct {
	expr.Writer
	results []int32        // steps
	leaves  []code.Builder // of each leaf the inputs or parameters, term by term
	rows    []code.Builder // of each result
	terms   int            // how many there are

	state  state
	joined bool  // a term is several candidates
	most   int   // terms that there may be
	next   int32 // the next class with the same hash, or noTerm
	after  int32 // the class of the term that came last after one of this class
	visits int   // what trace takes for a term
	edges  int   // steps and edges, 0: not counted yet
	data   []data
	picture
}

// state is what becomes of a class.
type state uint8

const (
	left    state = iota // its terms are left over
	tooRare              // they are, since there are few
	taken                // they are part of the plan
	cut                  // its candidates were replaced
)

// clear forgets the term.
func (z *term) clear() {
	z.Steps, z.results, z.rows = z.Steps[:0], z.results[:0], z.rows[:0]
	z.leaves, z.Numbers = z.leaves[:0], z.Numbers[:0]
}

// leaf appends an input or a parameter.
func (z *term) leaf(kind expr.Leaf, i int32) int32 {
	z.leaves = append(z.leaves, i)
	return z.Push(expr.Node{Leaf: kind, A: int32(len(z.leaves)) - 1})
}

// classify finds the class of candidates that are one term and adds the term to it.
// It reports false, and changes nothing, if several cannot be one; a single one that
// cannot be a term is left over then.
func (d *detector) classify(group []int32) bool {
	c := &d.cands[group[0]]
	if len(group) == 1 && d.budget >= 0 && d.match(c) {
		return true
	}
	if len(group) == 1 && d.declare(c) {
		c.class = declaredTerm
		return true
	}
	d.marks.clear()
	d.term.clear()
	budget := d.budget
	for _, k := range group {
		if d.budget < 0 {
			d.obstacle = obstacle{what: repeated, at: c.root}
		} else if d.add(&d.cands[k]) {
			continue
		}
		if len(group) == 1 {
			c.class, d.obstacles[group[0]] = noTerm, d.obstacle
		}
		return false
	}
	k := d.find(len(group) > 1)
	d.follow(k)
	s := d.classes[k]
	s.visits = budget - d.budget
	s.append(d.term.leaves, d.term.Numbers, d.term.rows)
	for _, i := range group {
		d.cands[i].class = k
	}
	return true
}

// append appends a term.
func (s *class) append(leaves []int32, numbers []float64, rows []int32) {
	for l, i := range leaves {
		s.leaves[l].Append(i)
	}
	for k, c := range numbers {
		s.data[k].add(s.terms, c, s.most)
	}
	for r, row := range rows {
		s.rows[r].Append(row)
	}
	s.terms++
}

// add appends the steps of c to the term; it reports false if it cannot be part of
// one.
func (d *detector) add(c *candidate) bool {
	r := d.role(c)
	if !d.trace(c.root) || r.factor != noFactor && !d.trace(r.factor) {
		return false
	}
	z := &d.term
	value := d.marks.step(c.root)
	switch r.factor {
	case noFactor:
	case c.root:
		value = z.Operation(op.Square, value)
	default:
		value = z.Operation(op.Mul, value, d.marks.step(r.factor))
	}
	value = z.WithReal(op.Scale, value, r.scale)
	if k := slices.Index(z.rows, c.row); k >= 0 {
		z.results[k] = z.Operation(op.Add, z.results[k], value)
		return true
	}
	z.results, z.rows = append(z.results, value), append(z.rows, c.row)
	return true
}

// find is the class with the steps of the term, made if there is none.
func (d *detector) find(joined bool) int32 {
	z := &d.term
	is := func(k int32) bool {
		return slices.Equal(d.classes[k].Steps, z.Steps) && slices.Equal(d.classes[k].results, z.results)
	}
	h := uint64(len(z.Steps))
	for _, n := range z.Steps {
		h = (h ^ uint64(n.Op)<<56 ^ uint64(n.Leaf)<<48 ^ uint64(uint32(n.C))<<24 ^ uint64(uint32(n.A))) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29 ^ uint64(uint32(n.B)) ^ n.K) * 0xbf58476d1ce4e5b9
		h ^= h >> 32
	}
	k, ok := d.byHash[h]
	if !ok {
		k = noTerm
	}
	for j := k; j >= 0; j = d.classes[j].next {
		if is(j) {
			return j
		}
	}
	n := int32(len(d.classes))
	d.byHash[h] = n
	s := newClass(z, d.ahead)
	s.next, s.after, s.joined = k, n, joined
	d.classes = append(d.classes, s)
	return n
}

// newClass is a class without terms for those like z, of which there may be so many.
func newClass(z *term, most int) *class {
	s := &class{
		Writer: expr.Writer{Steps: slices.Clone(z.Steps)}, results: slices.Clone(z.results), most: most,
		leaves: make([]code.Builder, len(z.leaves)), rows: make([]code.Builder, len(z.rows)), data: make([]data, len(z.Numbers)),
	}
	for _, lists := range [...][]code.Builder{s.leaves, s.rows} {
		for k := range lists {
			lists[k].Most = most
		}
	}
	return s
}

// follow notes that the next term is of class k.
func (d *detector) follow(k int32) {
	if d.last < int32(len(d.classes)) {
		d.classes[d.last].after = k
	}
	d.last = k
}

// trace appends the steps of what node i reaches, operands first, each once. It
// reports false if that is too much or no term.
func (d *detector) trace(i int32) (ok bool) {
	d.stack = append(d.stack[:0], i)
	visits := 0
	defer func() {
		if d.budget -= visits / 2; !ok {
			d.budget -= (vainly - 1) * visits / 2
		}
	}()
	d.obstacle = obstacle{what: tooLarge, at: i}
	for len(d.stack) > 0 {
		visits++
		i := d.stack[len(d.stack)-1]
		if d.marks.has(i) {
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		if i < d.base {
			d.marks.add(i, d.leaf(i))
			d.stack = d.stack[:len(d.stack)-1]
			continue
		}
		before := len(d.stack)
		code := d.p.Op(i)
		a, b := d.p.Args(i)
		switch k := code.Operands(); {
		case k == 1:
			if !d.marks.has(a) {
				d.stack = append(d.stack, a)
			}
		case k == 2:
			if code.Commutes() && d.p.Op(b) > d.p.Op(a) {
				a, b = b, a // alike terms may have them in different order
			}
			if !d.marks.has(b) {
				d.stack = append(d.stack, b)
			}
			if !d.marks.has(a) {
				d.stack = append(d.stack, a)
			}
		case code == op.Call || code.Listed() > 0 && !code.Linear():
			d.obstacle = obstacle{what: call, at: i}
			return false
		default:
			if len(d.term.Steps)+int(d.p.Terms(i)) > d.longest {
				return false
			}
			d.p.EachOperand(i, func(j int32) {
				if !d.marks.has(j) {
					d.stack = append(d.stack, j)
				}
			})
			slices.Reverse(d.stack[before:])
		}
		if len(d.stack) > before {
			if len(d.stack) > 4*d.longest {
				return false
			}
			continue
		}
		d.stack = d.stack[:before-1]
		if len(d.term.Steps) >= d.longest {
			return false
		}
		d.marks.add(i, d.term.Write(d.p, i, a, b, d.marks.step))
	}
	return true
}

// leaf emits node i, which is no operation.
func (d *detector) leaf(i int32) int32 {
	switch k := int(i); {
	case k < d.inputs:
		return d.term.leaf(expr.Variable, i)
	case k < d.inputs+d.params:
		return d.term.leaf(expr.Parameter, i)
	default:
		return d.term.Constant(d.p.Consts()[k-d.inputs-d.params])
	}
}

// shape is the shape of s, with the lists of its terms.
func (d *detector) shape(s *class) *shape {
	z := &shape{terms: s.terms, dims: d.dims}
	z.Primitives = expr.Primitives(d.p)
	for r := range s.rows {
		z.rows = append(z.rows, s.rows[r].Index())
	}
	// Variables in the order of the inputs, so that an input that comes in several terms
	// of a band or a grid gets its numbers from the last of them first (order.go).
	z.Steps, z.Results = expr.VariablesFirst(s.Steps, s.results, func(a, b expr.Node) int { return int(s.leaves[a.A].First() - s.leaves[b.A].First()) })
	for i := range z.Steps {
		switch st := &z.Steps[i]; st.Leaf {
		case expr.Variable:
			z.vars = append(z.vars, s.leaves[st.A].Index())
			st.A = int32(len(z.vars)) - 1
		case expr.Parameter:
			all := s.leaves[st.A].Index()
			z.params = append(z.params, all.Shift(-int32(d.inputs)))
			st.A = int32(len(z.params)) - 1
		}
	}
	for _, c := range s.data {
		if cap(c.each) > s.terms+s.terms/8 {
			c.each = slices.Clone(c.each)
		}
		z.data = append(z.data, c)
	}
	z.setConstants()
	return z
}
