package terms

import (
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// order says what a code over the terms of a shape computes beside the values,
// which each does: an infinity or a NaN shows there.
type order uint8

const (
	zeroth   order = iota
	first          // gradient
	second         // gradient and Hessian
	jacobian       // gradient, into a matrix
	tangent        // derivative in directions
	product        // Hessian times directions
	orders
)

// root is an expression that a code computes, and what it is.
type root struct {
	x    symbol
	what target
	a, b int
	at   int // which entry of a matrix
}

type target uint8

const (
	toValue    target = iota // of result a
	toGradient               // in variable a
	toJacobian               // in variable a, of result b
	toHessian                // in variables a and b
	toTangent                // of result a in direction b
	toProduct                // in variable a, of direction b
)

// derivation is the derivatives of a shape, as expressions of a form.
type derivation struct {
	*shape
	f         *form
	v         []symbol     // value of each step
	constants []symbol     // its constant
	active    []bool       // whether it depends on a variable
	reached   []bool       // whether the term has a derivative in it
	d         [][2]partial // its partials
}

// partial is a first partial derivative: d, or that of a Select, which is 1
// where choose is to be taken and 0 elsewhere, NaN where cond is.
type partial struct {
	d      symbol
	cond   symbol
	choose uint8 // 1 where cond > 0, 2 elsewhere
}

// times is the derivative product p·g.
func (p partial) times(g symbol) symbol {
	if p.choose == 0 {
		return p.d.Prod(g)
	}
	// Where cond is NaN, a g of 0 annihilates it.
	careful := p.cond.f != nil && p.cond.f.careful
	x := g
	if careful {
		x = constant(1)
	}
	if p.choose == 1 {
		x = p.cond.Select(x, constant(0))
	} else {
		x = p.cond.Select(constant(0), x)
	}
	if careful {
		x = x.Prod(g)
	}
	return x
}

// derive returns what the code of a variant has to compute, in a new form.
func (s *shape) derive(f *form, v variant) []root {
	d := derivation{shape: s, f: f}
	d.evaluate()
	var roots []root
	for r, i := range s.results {
		roots = append(roots, root{x: d.v[i], what: toValue, a: r})
	}
	if v.ord == zeroth {
		return roots
	}
	f.phase = quick
	if v.careful {
		f.phase = careful
	}
	d.d = make([][2]partial, len(s.steps))
	for i := range s.steps {
		d.d[i] = d.first(i)
	}
	d.reach(s.results)
	switch v.ord {
	case tangent:
		for k := range v.directions() {
			t := d.tangents(k)
			for r, i := range s.results {
				roots = append(roots, root{x: t[i], what: toTangent, a: r, b: k})
			}
		}
		return roots
	case jacobian:
		at := 0
		for r, i := range s.results {
			d.reach(s.results[r : r+1])
			bar := make([]symbol, len(s.steps))
			bar[i] = constant(1)
			d.adjoints(bar)
			d.eachVar(func(step, j int) {
				roots = append(roots, root{bar[step], toJacobian, j, r, at})
				at++
			})
		}
		return roots
	}
	bar := make([]symbol, len(s.steps))
	for r, i := range s.results {
		seed := constant(1)
		if v.weighted {
			seed = f.leaf(leafWeight, r, 0)
		}
		bar[i] = bar[i].Add(seed)
	}
	d.adjoints(bar)
	if v.ord == product {
		for k := range v.directions() {
			u := make([]symbol, len(s.steps))
			if v.moving {
				for r, i := range s.results {
					u[i] = u[i].Add(f.leaf(leafTurn, r, k))
				}
			}
			d.products(u, bar, k)
			d.eachVar(func(step, j int) {
				roots = append(roots, root{x: u[step], what: toProduct, a: j, b: k})
			})
		}
		return roots
	}
	d.eachVar(func(step, j int) {
		roots = append(roots, root{x: bar[step], what: toGradient, a: j})
	})
	if v.ord == second {
		roots = d.hessian(bar, roots)
	}
	return roots
}

// eachVar calls do with the step and the number of every variable that the
// term has a derivative in.
func (d *derivation) eachVar(do func(step, j int)) {
	for i, st := range d.steps {
		if st.op == leafVar && d.reached[i] {
			do(i, int(st.a))
		}
	}
}

// evaluate sets the value of each step, as the tape computes it.
func (d *derivation) evaluate() {
	d.v = make([]symbol, len(d.steps))
	d.constants = make([]symbol, len(d.steps))
	d.active = make([]bool, len(d.steps))
	data := 0
	for i, st := range d.steps {
		if st.op == leafData || hasReal(st.op) {
			if c := d.data[data]; c.each == nil {
				d.constants[i] = constant(c.all)
			} else {
				d.constants[i] = d.f.leaf(leafData, data, 0)
			}
			data++
		}
		d.active[i] = st.isActive(d.active)
		switch st.op {
		case leafVar, leafParam:
			d.v[i] = d.f.leaf(st.op, int(st.a), 0)
		case leafData:
			d.v[i] = d.constants[i]
		case op.Select:
			d.v[i] = d.v[st.a].Select(d.v[st.b], d.v[st.c])
		case op.Own:
			d.v[i] = d.v[st.a].own(d.owns[st.b], int(st.c))
		default:
			var y symbol
			if st.op.Operands() == 2 {
				y = d.v[st.b]
			}
			d.v[i] = apply(d, i, d.v[st.a], y, func(c symbol) symbol { return c })
		}
	}
}

// reach marks the steps that the results have a derivative in.
func (d *derivation) reach(results []int32) {
	d.reached = make([]bool, len(d.steps))
	for _, i := range results {
		d.reached[i] = d.active[i]
	}
	for i := len(d.steps) - 1; i >= 0; i-- {
		if d.reached[i] {
			args, n := d.steps[i].arguments()
			for _, a := range args[:n] {
				d.reached[a] = d.active[a]
			}
		}
	}
}

// hasReal reports whether an operation has a real constant beside its operand.
func hasReal(code op.Code) bool {
	return code < leafVar && code.Operands() > 0 && code.Constant() == op.RealConstant
}

// hasInt reports whether an operation has a whole number beside its operand.
func hasInt(code op.Code) bool {
	return code < leafVar && code.Constant() == op.IntConstant
}

// flags is which derivatives of an operation may differ from 0.
func flags(code op.Code) op.Flags {
	if code >= leafVar {
		return 0
	}
	return code.Flags()
}

// withData is an operation with a constant that differs from term to term.
func withData[T dual.Scalar[T]](code op.Code, x, c T) T {
	if code.Info().First {
		x, c = c, x
	}
	return tape.Apply(code.Info().Full, 0, x, c)
}

// once and twice are numbers with one and two derivatives.
type (
	once  = dual.Of[symbol]
	twice = dual.Of[once]
)

// apply is step i on operands of any kind. lift makes a number of that kind of
// a constant of the term.
func apply[T dual.Scalar[T]](d *derivation, i int, x, y T, lift func(symbol) T) T {
	st := d.steps[i]
	switch {
	case hasInt(st.op):
		return tape.Apply(st.op, float64(st.c), x, y)
	case !hasReal(st.op):
		return tape.Apply(st.op, 0, x, y)
	}
	c := d.constants[i]
	if c.f == nil {
		return tape.Apply(st.op, c.v, x, y)
	}
	return withData(st.op, x, lift(c))
}

func liftOnce(c symbol) once   { return once{V: c} }
func liftTwice(c symbol) twice { return twice{V: once{V: c}} }

// first is the partials of step i.
func (d *derivation) first(i int) (p [2]partial) {
	st := d.steps[i]
	one := constant(1)
	switch {
	case st.op == op.Select:
		cond := d.v[st.a]
		return [2]partial{{cond: cond, choose: 1}, {cond: cond, choose: 2}}
	case st.op == op.Own:
		p[0].d = d.v[st.a].own(d.owns[st.b], int(st.c)+1)
		return p
	}
	if flags(st.op) == 0 {
		return p
	}
	x := once{V: d.v[st.a]}
	if st.op.Operands() == 1 {
		p[0].d = apply(d, i, once{V: x.V, D: one}, once{}, liftOnce).D
		return p
	}
	y := once{V: d.v[st.b]}
	p[0].d = apply(d, i, once{V: x.V, D: one}, y, liftOnce).D
	p[1].d = apply(d, i, x, once{V: y.V, D: one}, liftOnce).D
	return p
}

// curvature is the second partials of step i that may differ from 0.
func (d *derivation) curvature(i int) (aa, ab, bb symbol) {
	st := d.steps[i]
	fl := flags(st.op)
	one := constant(1)
	both := func(v symbol) twice { return twice{V: once{V: v, D: one}, D: once{V: one}} }
	switch {
	case st.op == op.Own:
		return d.v[st.a].own(d.owns[st.b], int(st.c)+2), ab, bb
	case st.op.Operands() == 1:
		if fl&op.DXX != 0 {
			aa = apply(d, i, both(d.v[st.a]), twice{}, liftTwice).D.D
		}
		return aa, ab, bb
	}
	x, y := d.v[st.a], d.v[st.b]
	if fl&op.DXX != 0 {
		aa = apply(d, i, both(x), twice{V: once{V: y}}, liftTwice).D.D
	}
	if fl&op.DYY != 0 {
		bb = apply(d, i, twice{V: once{V: x}}, both(y), liftTwice).D.D
	}
	if fl&op.DXY != 0 {
		ab = apply(d, i, twice{V: once{V: x, D: one}}, twice{V: once{V: y}, D: once{V: one}}, liftTwice).D.D
	}
	return aa, ab, bb
}

// arguments are the steps that st has derivatives in.
func (st step) arguments() (args [2]int32, n int) {
	switch {
	case st.op >= leafVar:
		return args, 0
	case st.op == op.Select:
		return [2]int32{st.b, st.c}, 2
	case st.op.Flags()&op.DX == 0:
		return args, 0
	}
	if st.op.Flags()&op.DY == 0 { // as Copysign
		return [2]int32{st.a, st.a}, 1
	}
	return [2]int32{st.a, st.b}, 2
}

// isActive reports whether st depends on a variable, given which steps before
// it do.
func (st step) isActive(active []bool) bool {
	args, n := st.arguments()
	for _, a := range args[:n] {
		if active[a] {
			return true
		}
	}
	return st.op == leafVar
}

const curved = op.DXX | op.DXY | op.DYY

// countEdges is how many edges edge pushing makes on steps, the variables
// first. It gives up when there are more than limit.
func countEdges(steps []step, limit int) int {
	n := len(steps)
	active := make([]bool, n)
	for i, st := range steps {
		active[i] = st.isActive(active)
	}
	at := make([][]int32, n)
	in := make([]uint64, (n*n+63)/64)
	count := 0
	add := func(i, p int32) {
		if !active[i] || !active[p] {
			return
		}
		i, p = max(i, p), min(i, p)
		if k := int(i)*n + int(p); in[k/64]>>(k%64)&1 == 0 {
			in[k/64] |= 1 << (k % 64)
			at[i] = append(at[i], p)
			count++
		}
	}
	for i := int32(n) - 1; i >= 0 && count <= limit; i-- {
		args, k := steps[i].arguments()
		for _, p := range at[i] {
			for j, a := range args[:k] {
				if p < i {
					add(a, p)
					continue
				}
				for _, b := range args[:j+1] {
					add(a, b)
				}
			}
		}
		if fl := flags(steps[i].op); fl&curved != 0 {
			if fl&op.DXX != 0 {
				add(args[0], args[0])
			}
			if fl&op.DYY != 0 {
				add(args[1], args[1])
			}
			if fl&op.DXY != 0 {
				add(args[0], args[1])
			}
		}
	}
	return count
}

// adjoints propagates the adjoints of the results to all steps.
func (d *derivation) adjoints(bar []symbol) {
	for i := len(bar) - 1; i >= 0; i-- {
		if !d.reached[i] {
			continue
		}
		args, n := d.steps[i].arguments()
		for k := range n {
			a := args[k]
			bar[a] = bar[a].Add(d.d[i][k].times(bar[i]))
		}
	}
}

// tangents is the derivative of each step in direction k.
func (d *derivation) tangents(k int) []symbol {
	t := make([]symbol, len(d.steps))
	for i, st := range d.steps {
		if st.op == leafVar {
			t[i] = d.f.leaf(leafDir, int(st.a), k)
		}
		args, n := d.steps[i].arguments()
		for k := range n {
			t[i] = t[i].Add(d.d[i][k].times(t[args[k]]))
		}
	}
	return t
}

// products propagates the second-order adjoints u of direction k: forward over
// reverse.
func (d *derivation) products(u, bar []symbol, k int) {
	t := d.tangents(k)
	for i := len(u) - 1; i >= 0; i-- {
		args, n := d.steps[i].arguments()
		if n == 0 || !d.reached[i] {
			continue
		}
		for k := range n {
			u[args[k]] = u[args[k]].Add(d.d[i][k].times(u[i]))
		}
		if flags(d.steps[i].op)&curved == 0 {
			continue
		}
		a, b := args[0], args[1]
		aa, ab, bb := d.curvature(i)
		aa, ab, bb = aa.Prod(bar[i]), ab.Prod(bar[i]), bb.Prod(bar[i])
		u[a] = u[a].Add(aa.Prod(t[a])).Add(ab.Prod(t[b]))
		if n == 2 {
			u[b] = u[b].Add(bb.Prod(t[b])).Add(ab.Prod(t[a]))
		}
	}
}

// edges are the second-order weights between steps: for each step those to it
// and earlier ones. What is structurally there is kept even if it is the
// constant 0.
type edges struct {
	at     [][]edge
	place  [][]int32 // of edge (i, p) in at[i], counted from 1
	active []bool
}

type edge struct {
	p int32
	w symbol
}

func (e *edges) add(i, p int32, w symbol) {
	if !e.active[i] || !e.active[p] {
		return
	}
	if i < p {
		i, p = p, i
	}
	if e.place[i] == nil {
		e.place[i] = make([]int32, i+1)
	}
	k := &e.place[i][p]
	if *k == 0 {
		e.at[i] = append(e.at[i], edge{p, w})
		*k = int32(len(e.at[i]))
		return
	}
	x := &e.at[i][*k-1].w
	*x = x.Add(w)
}

// hessian appends the entries of the Hessian to roots, by edge pushing
// (Gower, Mello 2012) on the steps.
func (d *derivation) hessian(bar []symbol, roots []root) []root {
	e := edges{make([][]edge, len(d.steps)), make([][]int32, len(d.steps)), d.active}
	two := constant(2)
	for i := int32(len(d.steps)) - 1; i >= 0; i-- {
		args, n := d.steps[i].arguments()
		if n == 0 || !d.reached[i] {
			continue
		}
		a, b, da, db := args[0], args[1], d.d[i][0], d.d[i][1]
		same := n == 2 && a == b
		for _, g := range e.at[i] {
			if g.p < i {
				for k := range n {
					w := d.d[i][k].times(g.w)
					if args[k] == g.p {
						w = two.Prod(w)
					}
					e.add(args[k], g.p, w)
				}
				continue
			}
			wa := da.times(g.w)
			e.add(a, a, da.times(wa))
			if n == 2 {
				wb := db.times(g.w)
				e.add(b, b, db.times(wb))
				w := db.times(wa)
				if same {
					w = two.Prod(w)
				}
				e.add(a, b, w)
			}
		}
		e.at[i], e.place[i] = nil, nil
		fl := flags(d.steps[i].op)
		if fl&curved == 0 {
			continue
		}
		aa, ab, bb := d.curvature(int(i))
		if fl&op.DXX != 0 {
			e.add(a, a, aa.Prod(bar[i]))
		}
		if fl&op.DYY != 0 {
			e.add(b, b, bb.Prod(bar[i]))
		}
		if fl&op.DXY != 0 {
			w := ab.Prod(bar[i])
			if same {
				w = two.Prod(w)
			}
			e.add(a, b, w)
		}
	}
	entries := 0
	local := func(step int32) int { return int(d.steps[step].a) }
	for i, at := range e.at {
		if d.steps[i].op != leafVar {
			continue
		}
		for _, g := range at {
			if d.steps[g.p].op == leafVar {
				a, b := local(int32(i)), local(g.p)
				roots = append(roots, root{g.w, toHessian, max(a, b), min(a, b), entries})
				entries++
			}
		}
	}
	return roots
}
