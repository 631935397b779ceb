package expr

import (
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Derivative says what is computed besides the values. Those are always computed, since an
// infinity or a NaN may show only there.
type Derivative uint8

// The derivatives.
const (
	Value    Derivative = iota
	Gradient            // of the sum of the results, or of a weighted sum
	Hessian             // of the same, and the gradient
	Jacobian
	Tangent // the derivatives of the results in some directions
	Product // the Hessian times some directions
)

// Derivatives is how many there are.
const Derivatives = int(Product) + 1

// Request is what expressions are to be derived for.
type Request struct {
	Derivative
	Directions    int  // how many, of Tangent and Product
	Weighted      bool // the results have weights
	WeightsChange bool // of Product: along with the variables
	WithGradient  bool // of Product: the gradient is asked for, too
	Safe          bool // a factor of exactly 0 annihilates infinities
}

// Output is an expression that is asked for:
//
//	Value     result A; watched steps are numbered after the results
//	Gradient  the derivative by variable A
//	Hessian   the entry of variables A and B ≤ A
//	Jacobian  the entry of result B and variable A
//	Tangent   the tangent of result A in direction B
//	Product   element A of the product with direction B
type Output struct {
	Expr
	Of    Derivative
	A, B  int
	Entry int // which entry of the matrix it is, in the order of outputs
}

// IsEntry reports whether o is an entry of a matrix.
func (o Output) IsEntry() bool { return o.Of == Hessian || o.Of == Jacobian }

// derivation is the derivatives of a function.
type derivation struct {
	*Function
	g *Graph
	// By step:
	v         []Expr       // its value
	constants []Expr       // its constant
	active    []bool       // it depends on a variable
	reached   []bool       // the results have derivatives in it
	partials  [][3]partial // its first partial derivatives, by argument
}

// partial is a first partial derivative: d or, of a selection, 1 where the condition chooses
// the operand, 0 where it does not, and NaN where the condition is NaN.
type partial struct {
	d         Expr
	condition Expr
	choice    choice
}

type choice uint8

const (
	noChoice choice = iota
	wherePositive
	elsewhere
)

// times is the derivative product p·g.
func (p partial) times(g Expr) Expr {
	if p.choice == noChoice {
		return p.d.Prod(g)
	}
	// Where the condition is NaN, a g of 0 annihilates it.
	safe := p.condition.g != nil && p.condition.g.safe
	x, zero := g, constant(0)
	if safe {
		x = constant(1)
	}
	if p.choice == wherePositive {
		x = p.condition.Select(x, zero)
	} else {
		x = p.condition.Select(zero, x)
	}
	if safe {
		x = x.Prod(g)
	}
	return x
}

// Derive returns the expressions that r asks for, in the graph g, which must be empty. All
// that may differ from 0 by the structure of f are among them, also if their expression is the
// constant 0. Those of a direction have the same form, and so the same bits, whatever the
// number of directions.
func (f *Function) Derive(g *Graph, r Request) []Output {
	n := r.Directions
	r.Directions = min(n, 1)
	out, values := f.derive(g, r)
	if g.rules == algebraic {
		g.factor(values, out)
	}
	first := out[:len(out):len(out)]
	for k := 1; k < n; k++ {
		out = append(out, g.along(k, first)...)
	}
	return out
}

// along is, for each output that belongs to direction 0, the same for direction k.
func (g *Graph) along(k int, outputs []Output) (out []Output) {
	moved := map[int32]int32{}
	var move func(i int32) int32
	move = func(i int32) int32 {
		if j, known := moved[i]; known {
			return j
		}
		n := g.nodes[i]
		switch n.Arity() {
		case 3:
			n.C = move(n.C)
			fallthrough
		case 2:
			n.B = move(n.B)
			fallthrough
		case 1:
			n.A = move(n.A)
		}
		if n.Leaf == Direction || n.Leaf == WeightTangent {
			n.B = int32(k)
		}
		moved[i] = g.make(n).i
		return moved[i]
	}
	for _, o := range outputs {
		if o.Of != Tangent && o.Of != Product {
			continue
		}
		if o.B = k; o.g != nil {
			o.i = move(o.i)
		}
		out = append(out, o)
	}
	return out
}

// derive is Derive without factoring. The nodes of values come first.
func (f *Function) derive(g *Graph, r Request) (out []Output, values int32) {
	g.safe, g.primitives = r.Safe, f.Primitives
	d := derivation{Function: f, g: g}
	d.evaluate()
	for j, i := range f.Results {
		out = append(out, Output{Expr: d.v[i], Of: Value, A: j})
	}
	for j, i := range f.Watched {
		out = append(out, Output{Expr: d.v[i], Of: Value, A: len(f.Results) + j})
	}
	if r.Derivative == Value {
		return out, 0
	}
	values = int32(len(g.nodes))
	g.rules = algebraic
	if r.Safe {
		g.rules = annihilating
	}
	d.partials = make([][3]partial, len(f.Steps))
	for i := range f.Steps {
		d.partials[i] = d.first(i)
	}
	d.reach(f.Results)
	switch r.Derivative {
	case Tangent:
		return d.tangents(out, r), values
	case Jacobian:
		return d.jacobian(out), values
	}
	bar := make([]Expr, len(f.Steps))
	for j, i := range f.Results {
		seed := constant(1)
		if r.Weighted {
			seed = g.leaf(Weight, j, 0)
		}
		bar[i] = bar[i].Add(seed)
	}
	d.adjoints(bar)
	if r.Derivative != Product || r.WithGradient {
		d.eachVariable(func(i, a int) {
			out = append(out, Output{Expr: bar[i], Of: Gradient, A: a})
		})
	}
	switch r.Derivative {
	case Hessian:
		out = d.hessian(out, bar)
	case Product:
		out = d.products(out, bar, r)
	}
	return out, values
}

// eachVariable calls do with the step and the number of every variable in which
// the results have derivatives.
func (d *derivation) eachVariable(do func(i, a int)) {
	for i, n := range d.Steps {
		if n.Leaf == Variable && d.reached[i] {
			do(i, int(n.A))
		}
	}
}

// constant is constant k.
func (d *derivation) constant(k int32) Expr {
	if c := d.Constants[k]; !c.Varies {
		return constant(c.Value)
	}
	return d.g.leaf(Data, int(k), 0)
}

// evaluate sets the value of each step, as the program computes it.
func (d *derivation) evaluate() {
	d.v = make([]Expr, len(d.Steps))
	d.constants = make([]Expr, len(d.Steps))
	d.active = make([]bool, len(d.Steps))
	for i, n := range d.Steps {
		if n.HasReal() {
			d.constants[i] = d.constant(n.C)
		}
		d.active[i] = n.isActive(d.active)
		switch {
		case n.Leaf == Data:
			d.v[i] = d.constant(n.A)
		case n.Leaf != Operation:
			d.v[i] = d.g.leaf(n.Leaf, int(n.A), 0)
		case n.Op == op.Own:
			d.v[i] = d.v[n.A].primitive(d.g, n.B, n.C)
		default:
			d.v[i] = apply(d, i, d.operands(n), func(c Expr) Expr { return c })
		}
	}
}

// reach marks the steps in which the results have derivatives.
func (d *derivation) reach(results []int32) {
	d.reached = make([]bool, len(d.Steps))
	for _, i := range results {
		d.reached[i] = d.active[i]
	}
	for i := len(d.Steps) - 1; i >= 0; i-- {
		if d.reached[i] {
			args, n := d.Steps[i].arguments()
			for _, a := range args[:n] {
				d.reached[a] = d.active[a]
			}
		}
	}
}

// dual1 and dual2 are numbers with one and with two derivatives.
type (
	dual1 = dual.Of[Expr]
	dual2 = dual.Of[dual1]
)

// operands is the values of the operands of a step.
func (d *derivation) operands(n Node) (x [3]Expr) {
	k := 0
	n.Operands(func(i int32) {
		x[k] = d.v[i]
		k++
	})
	return x
}

// apply is step i on operands of any kind of number. lift makes a number of a constant that
// differs from term to term.
func apply[T dual.Scalar[T]](d *derivation, i int, x [3]T, lift func(Expr) T) T {
	n := d.Steps[i]
	if k := n.Op.Listed(); k > 0 {
		return tape.ApplySeveral(n.Op, n.Constant(), x[:k])
	}
	c := n.Constant()
	if n.HasReal() {
		var fixed bool
		if c, fixed = d.constants[i].Constant(); !fixed {
			info := n.Op.Info()
			x[1] = lift(d.constants[i])
			if info.First {
				x[0], x[1] = x[1], x[0]
			}
			return tape.Apply(info.Full, 0, x[0], x[1])
		}
	}
	return tape.Apply(n.Op, c, x[0], x[1])
}

func lift1(c Expr) dual1 { return dual1{V: c} }
func lift2(c Expr) dual2 { return dual2{V: dual1{V: c}} }

// first is the partials of step i, by argument.
func (d *derivation) first(i int) (p [3]partial) {
	n := d.Steps[i]
	switch {
	case n.flags() == 0:
		return p
	case n.Op == op.Select:
		condition := d.v[n.C]
		return [3]partial{{condition: condition, choice: wherePositive}, {condition: condition, choice: elsewhere}}
	case n.Op == op.Own:
		p[0].d = d.v[n.A].primitive(d.g, n.B, n.C+1)
		return p
	}
	_, count := n.arguments()
	for k := range count {
		var x [3]dual1
		for j, v := range d.operands(n) {
			x[j].V = v
		}
		x[k].D = constant(1)
		p[k].d = apply(d, i, x, lift1).D
	}
	return p
}

// second is the second partial of step i by arguments a and b.
func (d *derivation) second(i, a, b int) Expr {
	n := d.Steps[i]
	if n.Op == op.Own {
		return d.v[n.A].primitive(d.g, n.B, n.C+2)
	}
	var x [3]dual2
	for j, v := range d.operands(n) {
		x[j] = lift2(v)
	}
	x[a].V.D, x[b].D.V = constant(1), constant(1)
	return apply(d, i, x, lift2).D.D
}

// adjoints propagates the adjoints of the results to all steps.
func (d *derivation) adjoints(bar []Expr) {
	for i := len(bar) - 1; i >= 0; i-- {
		if !d.reached[i] {
			continue
		}
		args, n := d.Steps[i].arguments()
		for k, a := range args[:n] {
			bar[a] = bar[a].Add(d.partials[i][k].times(bar[i]))
		}
	}
}

// jacobian appends the entries of the Jacobian, one result after the other.
func (d *derivation) jacobian(out []Output) []Output {
	columns := map[int][]Expr{} // by variable, if there are fewer of these than results
	d.eachVariable(func(i, _ int) { columns[i] = nil })
	forward := len(columns) < len(d.Results)
	for i := range columns {
		if forward {
			columns[i] = d.unit(i)
		}
	}
	entry := 0
	for j, r := range d.Results {
		d.reach(d.Results[j : j+1])
		bar := make([]Expr, len(d.Steps))
		bar[r] = constant(1)
		if !forward {
			d.adjoints(bar)
		}
		d.eachVariable(func(i, a int) {
			x := bar[i]
			if forward {
				x = columns[i][r]
			}
			out = append(out, Output{Expr: x, Of: Jacobian, A: a, B: j, Entry: entry})
			entry++
		})
	}
	return out
}

// unit is the tangent of each step along the variable that is step p.
func (d *derivation) unit(p int) []Expr {
	return d.tangent(func(i, _ int) (t Expr) {
		if i == p {
			t = constant(1)
		}
		return t
	})
}

// tangents appends the derivatives of the results in all directions.
func (d *derivation) tangents(out []Output, r Request) []Output {
	for k := range r.Directions {
		t := d.tangent(d.along(k))
		for j, i := range d.Results {
			out = append(out, Output{Expr: t[i], Of: Tangent, A: j, B: k})
		}
	}
	return out
}

// along is direction k: the tangent of each variable.
func (d *derivation) along(k int) func(i, a int) Expr {
	return func(_, a int) Expr { return d.g.leaf(Direction, a, k) }
}

// tangent is the derivative of each step, given that of step i, variable a.
func (d *derivation) tangent(of func(i, a int) Expr) []Expr {
	t := make([]Expr, len(d.Steps))
	for i, n := range d.Steps {
		if n.Leaf == Variable {
			t[i] = of(i, int(n.A))
		}
		args, count := n.arguments()
		for k, a := range args[:count] {
			t[i] = t[i].Add(d.partials[i][k].times(t[a]))
		}
	}
	return t
}

// products appends the Hessian times all directions.
func (d *derivation) products(out []Output, bar []Expr, r Request) []Output {
	for k := range r.Directions {
		u := make([]Expr, len(d.Steps))
		if r.WeightsChange {
			for j, i := range d.Results {
				u[i] = u[i].Add(d.g.leaf(WeightTangent, j, k))
			}
		}
		d.secondAdjoints(u, bar, d.tangent(d.along(k)))
		d.eachVariable(func(i, a int) {
			out = append(out, Output{Expr: u[i], Of: Product, A: a, B: k})
		})
	}
	return out
}

// secondAdjoints propagates u, the derivatives of the adjoints along the tangents t:
// forward over reverse.
func (d *derivation) secondAdjoints(u, bar, t []Expr) {
	for i := len(u) - 1; i >= 0; i-- {
		args, n := d.Steps[i].arguments()
		if n == 0 || !d.reached[i] {
			continue
		}
		for k, a := range args[:n] {
			u[a] = u[a].Add(d.partials[i][k].times(u[i]))
		}
		for j, k := range d.Steps[i].curved {
			a, b := args[j], args[k]
			h := d.second(i, j, k).Prod(bar[i])
			u[a] = u[a].Add(h.Prod(t[b]))
			if j != k {
				u[b] = u[b].Add(h.Prod(t[a]))
			}
		}
	}
}
