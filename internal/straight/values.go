package straight

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/tape"
)

// foldConstants finds the operations on constants and evaluates them, with rounding: written
// as Go they would be constant expressions, which are exact.
func (w *writer) foldConstants() {
	p := w.p
	w.constants = map[int32]float64{}
	for k, c := range p.Consts() {
		w.constants[int32(p.Inputs()+p.Params()+k)] = c
	}
	for i := int32(p.Base()); int(i) < p.Len(); i++ {
		code := p.Op(i)
		x, y := p.Args(i)
		if !code.Elementary() || code == op.Own {
			continue
		}
		cx, ok := w.constants[x]
		cy, both := w.constants[y]
		if ok && (both || code.Operands() < 2) {
			w.constants[i] = float64(tape.Apply(code, p.Constant(i), dual.Real(cx), dual.Real(cy)))
		}
	}
}

// node is the value of node i.
func (b *body) node(i int32) value {
	if b.memory {
		return value{s: element(b.arrays.v, int(i))}
	}
	if c, ok := b.constants[i]; ok {
		return number(c)
	}
	return value{s: b.name("", i)}
}

// nodes is the values of several nodes as text.
func (b *body) nodes(index []int32) []string {
	s := make([]string, len(index))
	for k, j := range index {
		s[k] = b.spell(b.node(j))
	}
	return s
}

// values adds the lines of the inputs and parameters, of all operations, and of the guards.
// failed is the statement for a guard that does not hold.
func (b *body) values(failed func(guard int) string) {
	p := b.p
	for i := range int32(p.Inputs() + p.Params()) {
		from, k := b.x, int(i)
		if k >= p.Inputs() {
			from, k = b.params, k-p.Inputs()
		}
		b.lines = append(b.lines, statement{names: []string{b.name("", i)}, expr: element(from, k), load: true})
	}
	for i := int32(p.Base()); int(i) < p.Len(); i++ {
		from := len(b.lines)
		b.operation(i)
		if at := b.settings.Position; at != nil && len(b.lines) > from {
			b.lines[len(b.lines)-1].comment = at(p.Made(i))
		}
	}
	if b.careful { // the plain form has checked the guards
		return
	}
	guards := p.Guards()
	for k := range guards {
		b.raw("if !(%s) {\n%s\n}", b.holds(&guards[k]), failed(k))
	}
}

// operation adds the lines of the value of node i.
func (b *body) operation(i int32) {
	p := b.p
	if _, ok := b.constants[i]; ok {
		return
	}
	name := b.node(i).s
	set := func(expr string) {
		b.lines = append(b.lines, statement{names: []string{name}, expr: expr})
	}
	switch code := p.Op(i); code {
	case op.Own:
		x, _ := p.Args(i)
		set(b.own(i, 0, b.spell(b.node(x))))
	case op.Sum:
		b.list(name, p.Constant(i), b.each(p.SumAt(i)))
	case op.Affine:
		w, x := p.AffineAt(i)
		terms := b.each(x)
		for k := range terms {
			terms[k] = b.scaled(w[k], terms[k])
		}
		b.list(name, p.Constant(i), terms)
	case op.Dot:
		x, y := p.DotAt(i)
		terms := b.each(x)
		for k := range terms {
			terms[k] = b.exact(terms[k], b.node(y[k]))
		}
		b.list(name, tape.NegZero, terms)
	case op.FMA, op.IncGamma, op.IncBeta:
		set(b.file.Several(code, p.Constant(i), b.nodes(p.SeveralAt(i))))
	case op.Select:
		cond, x, y := p.SelectAt(i)
		set(b.file.Call(elem.Select, b.nodes([]int32{cond, x, y})...))
	default:
		x, y := p.Args(i)
		in := [2]string{b.spell(b.node(x))}
		if code.Operands() == 2 {
			in[1] = b.spell(b.node(y))
		}
		set(b.file.Value(code, p.Constant(i), in[0], in[1]))
	}
}

// each is the values of several nodes.
func (b *body) each(index []int32) []value {
	v := make([]value, len(index))
	for k, j := range index {
		v[k] = b.node(j)
	}
	return v
}

// scaled is w·x as values are multiplied: unlike product, which is for derivatives, it does
// not take 0·x for 0.
func (b *body) scaled(w float64, x value) value { return b.exact(number(w), x) }

// exact is x·y as values are multiplied.
func (b *body) exact(x, y value) value {
	switch {
	case x.isNumber() && y.isNumber():
		return number(x.c * y.c)
	case x.isNumber() && x.c == 1:
		return y
	case x.isNumber() && x.c == -1:
		return negative(y)
	}
	return value{s: source.Product(b.spell(x), b.spell(y))}
}

// list adds the lines of name = c + Σ terms, as values are added: unlike in sum, a term 0
// stays, since −0 + 0 is 0.
func (b *body) list(name string, c float64, terms []value) {
	if c != 0 || !math.Signbit(c) || len(terms) == 0 {
		terms = append([]value{number(c)}, terms...)
	}
	for len(terms) > 1 && terms[0].isNumber() && terms[1].isNumber() {
		terms = append([]value{number(terms[0].c + terms[1].c)}, terms[2:]...)
	}
	for more := false; len(terms) > 0; more = true {
		n := min(len(terms), most)
		head := terms[:n]
		if more {
			head = append([]value{{s: name}}, head...)
		}
		expr := b.joined(head)
		if len(head) == 1 && head[0].isNumber() {
			expr = "float64(" + expr + ")"
		}
		b.lines = append(b.lines, statement{names: []string{name}, expr: expr, more: more})
		terms = terms[n:]
	}
}

// own is a primitive of the user, the operation of node i, at x, or its derivative of order
// more.
func (b *body) own(i int32, more int, x string) string {
	f, order := b.p.OwnAt(i)
	name := b.primitives[f][order+more]
	if b.memory {
		name = b.loops.wrapped(name)
	}
	return name + "(" + x + ")"
}

// holds is the condition under which a guard holds.
func (b *body) holds(g *tape.Guard) string {
	y := ""
	if g.Compares() {
		y = b.spell(b.node(g.B))
	}
	return Holds(b.file, g, b.spell(b.node(g.A)), y)
}

// Holds is the condition under which a guard holds whose operands are x and y, names or
// numbers. y is not used if it compares with a constant.
func Holds(f *source.File, g *tape.Guard, x, y string) string {
	relation := " < "
	if !g.Compares() {
		y = f.Number(g.C)
	}
	switch g.Kind {
	case tape.LessEq, tape.LessEqReal, tape.GreaterEqReal:
		relation = " <= "
	case tape.ValueRead:
		if g.C != g.C {
			return x + " != " + x
		}
		if g.C == 0 { // −0 is not 0
			bits := f.Call(math.Signbit, x)
			if !math.Signbit(g.C) {
				bits = "!" + bits
			}
			return x + " == 0 && " + bits
		}
		return x + " == " + y
	}
	if g.Kind == tape.GreaterReal || g.Kind == tape.GreaterEqReal {
		x, y = y, x
	}
	if g.Outcome {
		return x + relation + y
	}
	return "!(" + x + relation + y + ")"
}
