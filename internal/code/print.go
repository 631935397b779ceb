package code

import (
	"fmt"
	"go/ast"
	"go/parser"
	"math"
	"strings"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/source"
)

// Printer writes expressions of a graph as Go statements. A node that is used more than once
// becomes a variable; one that is used once stands where it is used, unless the line grows
// long. The bits are those of the machines: products that something may be added to are
// rounded.
type Printer struct {
	// Leaf is a leaf as a Go expression, that of an element of an array.
	Leaf func(leaf expr.Node) string
	// LeafName is a name for the variable of a leaf that nothing else has, nil for x0, p1 and
	// so on.
	LeafName func(leaf expr.Node) string
	// Inline says that a leaf that is used once stands where it is used, too.
	Inline bool
	// Comment is what is written beside a node, which then is a variable; nil if nothing is.
	Comment func(i int32) string
	// Primitive is the name of the function of a derivative of a primitive.
	Primitive func(p expr.Primitive, order int) string

	g       *expr.Graph
	f       *source.File
	names   source.Names
	uses    []int
	summed  []bool   // something may be added to the node
	name    []string // of the variable of a node, "" if there is none yet
	wanted  []string // the name that an output asks for
	uniform strings.Builder
	body    strings.Builder
	count   int // of variables
	prefix  string
}

// NewPrinter prints the nodes that are outputs of g into f, where names are in use. Each
// output becomes a variable of the name that it is given.
func NewPrinter(g *expr.Graph, f *source.File, names source.Names) *Printer {
	n := len(g.Nodes())
	return &Printer{
		g: g, f: f, names: names, uses: make([]int, n), summed: make([]bool, n), name: make([]string, n), wanted: make([]string, n),
		prefix: names.Family("t"),
	}
}

// Want asks for node i: as a variable, or as an expression if the name is "".
func (p *Printer) Want(i int32, name string) {
	if p.wanted[i] == "" {
		p.wanted[i] = name
	}
	p.summed[i] = true
	p.uses[i]++
}

// Known says that node i is there already, as an expression. It is called before Count.
func (p *Printer) Known(i int32, text string) { p.name[i] = text }

// Count counts the uses of all that is wanted. It is called once, after Want.
func (p *Printer) Count() {
	nodes := p.g.Nodes()
	for i := len(nodes) - 1; i >= 0; i-- {
		if p.uses[i] == 0 || p.name[i] != "" {
			continue
		}
		n := nodes[i]
		n.Operands(func(j int32) { p.uses[j]++ })
		if n.Leaf != expr.Operation {
			continue
		}
		switch n.Op {
		case op.Add, op.Sub:
			p.summed[n.A], p.summed[n.B] = true, true
		case op.AddReal, op.RSub, op.Sqrt: // the root is that of x + 0
			p.summed[n.A] = true
		case op.Neg, op.Detach:
			p.summed[n.A] = p.summed[n.A] || p.summed[i]
		case op.Scale:
			if n.Constant() == -1 {
				p.summed[n.A] = p.summed[n.A] || p.summed[i]
			}
		}
	}
}

// InOrder prints the variables of the first n nodes, in their order: operations that are next to
// each other in a program often do not wait for each other.
func (p *Printer) InOrder(n int) {
	for i, node := range p.g.Nodes()[:n] {
		if node.Leaf == expr.Operation && p.uses[i] > 0 && (p.uses[i] > 1 || node.Op.Cost() > 0) {
			p.term(int32(i), true)
		}
	}
}

// Node is node i, which was wanted, as an operand: a variable or a number. What it takes
// to compute it is printed.
func (p *Printer) Node(i int32) string { return p.term(i, true).text }

// Printf prints statements of its own.
func (p *Printer) Printf(format string, args ...any) { fmt.Fprintf(&p.body, format, args...) }

// Expr is node i, which was wanted as an expression.
func (p *Printer) Expr(i int32) string { return p.term(i, false).text }

// Uniform is the statements printed so far of what is the same in all lanes.
func (p *Printer) Uniform() string { return p.uniform.String() }

// Body is the statements printed so far of what differs from lane to lane.
func (p *Printer) Body() string { return p.body.String() }

// rank is the precedence of the outermost operator of an expression.
type rank uint8

const (
	sum rank = iota
	product
	unary
	primary
)

// term is an expression.
type term struct {
	text string
	rank
}

// at is t as an operand that must have at least rank r: in parentheses if it has less.
func (t term) at(r rank) string {
	if t.rank < r {
		return "(" + t.text + ")"
	}
	return t.text
}

// longest is how long an expression may be to stand where it is used.
const longest = 60

// term is node i: its variable or, if it is used only here and not wanted, its expression.
func (p *Printer) term(i int32, variable bool) term {
	if p.name[i] != "" {
		return term{p.name[i], primary}
	}
	n := p.g.Nodes()[i]
	if n.Leaf == expr.Operation && n.Op == op.Const {
		return p.number(n.Constant())
	}
	if twin, both, isFirst := p.twin(n); twin >= 0 {
		p.pair(i, twin, both, isFirst)
		return term{p.name[i], primary}
	}
	t := p.operation(i, n)
	outermost := p.wanted[i] != "" || p.uses[i] > 1 || n.Leaf != expr.Operation && !p.Inline || p.comment(i) != ""
	if variable || outermost || len(t.text) > longest {
		p.assign(i, t.text)
		return term{p.name[i], primary}
	}
	return t
}

// assign declares the variable of node i.
func (p *Printer) assign(i int32, value string) {
	p.newName(i)
	fmt.Fprintf(p.to(i), "%s := %s%s\n", p.name[i], value, p.comment(i))
}

// comment is what is written beside node i, as a comment.
func (p *Printer) comment(i int32) string {
	if p.Comment == nil {
		return ""
	}
	if s := p.Comment(i); s != "" {
		return " // " + s
	}
	return ""
}

func (p *Printer) newName(i int32) {
	switch n, w := p.g.Nodes()[i], p.wanted[i]; {
	case n.Leaf != expr.Operation:
		if p.LeafName != nil {
			p.name[i] = p.LeafName(n)
		} else {
			p.name[i] = p.names.Fresh(leafName(n))
		}
	case w != "":
		p.name[i] = p.names.Fresh(w)
	default:
		p.count++
		p.name[i] = fmt.Sprintf("%s%d", p.prefix, p.count)
	}
}

// to is the text to which the statement of node i is appended.
func (p *Printer) to(i int32) *strings.Builder {
	if p.g.Uniform(i) {
		return &p.uniform
	}
	return &p.body
}

// leafName is a name for a leaf.
func leafName(n expr.Node) string {
	switch n.Leaf {
	case expr.Variable:
		return fmt.Sprintf("x%d", n.A)
	case expr.Parameter:
		return fmt.Sprintf("p%d", n.A)
	case expr.Data:
		return fmt.Sprintf("c%d", n.A)
	case expr.Weight:
		return fmt.Sprintf("w%d", n.A)
	default:
		return fmt.Sprintf("d%d_%d", n.A, n.B)
	}
}

// twin is twinOf a node among those that are printed.
func (p *Printer) twin(n expr.Node) (j int32, both Opcode, isFirst bool) {
	return twinOf(p.g, n, func(j int32) bool { return p.uses[j] > 0 && p.name[j] == "" })
}

// pair declares the variables of the twins i and j.
func (p *Printer) pair(i, j int32, both Opcode, isFirst bool) {
	x := p.term(p.g.Nodes()[i].A, true).text
	if !isFirst {
		i, j = j, i
	}
	p.newName(i)
	p.newName(j)
	call := ""
	if both == Sincos {
		call = p.f.Call(math.Sincos, x)
	} else {
		call = p.f.Call(elem.SoftplusLogistic, x)
	}
	fmt.Fprintf(p.to(i), "%s, %s := %s%s\n", p.name[i], p.name[j], call, p.comment(i))
}

// operation is the operation of node i on its operands.
func (p *Printer) operation(i int32, n expr.Node) term {
	switch n.Leaf {
	case expr.Operation:
	default:
		return term{p.Leaf(n), primary}
	}
	k := n.Constant()
	switch n.Op {
	case op.Add:
		a := p.operand(i, n.A)
		return term{a.at(sum) + " + " + p.operand(i, n.B).at(product), sum}
	case op.Sub:
		a := p.operand(i, n.A)
		return term{a.at(sum) + " - " + p.operand(i, n.B).at(product), sum}
	case op.Mul:
		a := p.operand(i, n.A)
		return p.product(i, a, p.operand(i, n.B))
	case op.Square:
		x := p.term(n.A, true)
		return p.product(i, x, x)
	case op.Scale:
		if k == -1 {
			return term{"-" + p.operand(i, n.A).at(primary), unary}
		}
		return p.product(i, p.number(k), p.operand(i, n.A))
	case op.Neg:
		return term{"-" + p.operand(i, n.A).at(primary), unary}
	case op.AddReal:
		a := p.operand(i, n.A)
		if k < 0 {
			return term{a.at(sum) + " - " + p.number(-k).at(product), sum}
		}
		return term{a.at(sum) + " + " + p.number(k).at(product), sum}
	case op.RSub:
		return term{p.number(k).at(sum) + " - " + p.operand(i, n.A).at(product), sum}
	case op.Div:
		a := p.operand(i, n.A)
		return term{a.at(product) + " / " + p.operand(i, n.B).at(unary), product}
	case op.DivReal:
		return term{p.operand(i, n.A).at(product) + " / " + p.number(k).at(unary), product}
	case op.RDiv:
		return term{p.number(k).at(product) + " / " + p.operand(i, n.A).at(unary), product}
	case op.Inv:
		return term{"1 / " + p.operand(i, n.A).at(unary), product}
	case op.Detach:
		return p.operand(i, n.A)
	case op.Select:
		return term{p.f.Call(elem.Select, p.variable(n.C), p.variable(n.A), p.variable(n.B)), primary}
	case op.Own:
		return term{p.Primitive(p.g.Primitives()[n.B], int(n.C)) + "(" + p.operand(i, n.A).text + ")", primary}
	}
	return p.call(i, n)
}

// operand is operand j of node i; a variable if j is computed before the loop and i is not.
func (p *Printer) operand(i, j int32) term {
	return p.term(j, p.g.Uniform(j) && !p.g.Uniform(i))
}

// number is a constant.
func (p *Printer) number(k float64) term {
	s := p.f.Number(k)
	if s[0] == '-' {
		return term{s, unary}
	}
	return term{s, primary}
}

// product is a·b, rounded if something may be added to it.
func (p *Printer) product(i int32, a, b term) term {
	s := a.at(product) + " * " + b.at(unary)
	if p.summed[i] {
		return term{"float64(" + s + ")", primary}
	}
	return term{s, product}
}

// variable is node i as a variable or a number.
func (p *Printer) variable(i int32) string { return p.term(i, true).text }

// call is the call of a function. The operands of one of package math may be any expressions;
// those of others are variables, since the function's own expression may be written in place
// of the call, in which an operand may occur several times.
func (p *Printer) call(i int32, n expr.Node) term {
	value := func(x, y string) string { return p.f.Value(n.Op, n.Constant(), x, y) }
	if n.Arity() == 1 {
		const argument = "hesse_x"
		if s := value(argument, ""); strings.HasPrefix(s, "math.") && strings.Count(s, argument) == 1 {
			return term{strings.Replace(s, argument, p.operand(i, n.A).text, 1), primary}
		}
	}
	var x [3]string
	k := 0
	n.Operands(func(j int32) {
		x[k] = p.variable(j)
		k++
	})
	s := ""
	if n.Op.Listed() > 0 {
		s = p.f.Several(n.Op, n.Constant(), x[:k])
	} else {
		s = value(x[0], x[1])
	}
	tree, err := parser.ParseExpr(s)
	if err != nil {
		panic(err)
	}
	switch tree.(type) {
	case *ast.BinaryExpr:
		return term{s, sum}
	case *ast.UnaryExpr:
		return term{s, unary}
	}
	return term{s, primary}
}

// Leaves calls f with each leaf that is needed.
func (p *Printer) Leaves(f func(leaf expr.Node)) {
	for i, n := range p.g.Nodes() {
		if p.uses[i] > 0 && n.Leaf != expr.Operation {
			f(n)
		}
	}
}
