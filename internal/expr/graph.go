package expr

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
)

// Node is an operation on earlier nodes, or a leaf.
//
// The operands are A, B and C, as many as the operation has; an operation such as IncGamma has
// its orders of differentiation as the constant. For Own, B is the number of the
// primitive and C the order of its derivative. A leaf has the number A, and B says
// which direction it belongs to.
type Node struct {
	Op      op.Code // of an operation
	Leaf    Leaf
	A, B, C int32
	K       uint64 // the bits of the operation's constant
}

// Constant is the constant of an operation.
func (n Node) Constant() float64 { return math.Float64frombits(n.K) }

// Arity is how many operands n has.
func (n Node) Arity() int {
	if n.Leaf != Operation {
		return 0
	}
	return max(n.Op.Operands(), n.Op.Listed())
}

// Operands calls f with each operand of n.
func (n Node) Operands(f func(i int32)) {
	k := n.Arity()
	if k > 0 {
		f(n.A)
	}
	if k > 1 {
		f(n.B)
	}
	if k > 2 {
		f(n.C)
	}
}

// HasReal reports whether n is an operation with a real constant beside its
// operand.
func (n Node) HasReal() bool {
	return n.Leaf == Operation && n.Op.Operands() > 0 && n.Op.Constant() == op.RealConstant
}

// Leaf is what a leaf stands for: a number that is given at each evaluation, or
// that belongs to a term.
type Leaf uint8

// The kinds of leaves.
const (
	Operation     Leaf = iota // none: the node is an operation
	Variable                  // variable A
	Parameter                 // parameter A
	Data                      // constant A of the term
	Weight                    // the weight of result A
	Direction                 // variable A in direction B
	WeightTangent             // the weight of result A in direction B
)

// Graph is a set of expressions, a directed acyclic graph in which equal nodes
// are one. Operands come before the nodes that use them.
type Graph struct {
	nodes      []Node
	uniform    []bool // the node is the same in all terms
	invariant  []bool // the node is the same in all evaluations
	number     map[Node]int32
	primitives []Primitive
	rules      rules
	safe       bool // multiplications in derivatives are derivative products
	isUniform  func(leaf Node) bool
	sums       bool // an instruction computes k·a·b + c·d
	steps      bool // the expressions become steps of a function
}

// Primitive is a user's function of one variable. It must be comparable.
type Primitive interface {
	// At is its derivative of an order.
	At(order int) func(x float64) float64
}

// rules say what constructors may simplify.
type rules uint8

const (
	exact        rules = iota // every bit of the value is kept
	algebraic                 // as real numbers; derivative products are products
	annihilating              // derivative products stay: a factor of exactly 0 annihilates infinities
)

// NewGraph is an empty graph. isUniform reports whether a leaf is the same in all terms. sums
// says that one instruction computes a sum of two products, so that factoring these gains
// nothing.
func NewGraph(isUniform func(leaf Node) bool, sums bool) *Graph {
	return &Graph{number: map[Node]int32{}, isUniform: isUniform, sums: sums}
}

// Nodes is all nodes, not to be changed.
func (g *Graph) Nodes() []Node { return g.nodes }

// Uniform reports whether node i is the same in all terms.
func (g *Graph) Uniform(i int32) bool { return g.uniform[i] }

// Find is the number of the node n; ok is false if there is none.
func (g *Graph) Find(n Node) (i int32, ok bool) {
	i, ok = g.number[n]
	return i, ok
}

// Constant is the number of the node of a constant.
func (g *Graph) Constant(c float64) int32 {
	return g.make(Node{Op: op.Const, K: math.Float64bits(c)}).i
}

// Primitives are the user's functions, by the numbers in nodes.
func (g *Graph) Primitives() []Primitive { return g.primitives }

// make is the expression n, a new node if there is none yet.
func (g *Graph) make(n Node) Expr {
	i, ok := g.number[n]
	if !ok {
		i = int32(len(g.nodes))
		g.nodes = append(g.nodes, n)
		g.number[n] = i
		uniform, invariant := true, true
		if n.Leaf != Operation {
			uniform, invariant = g.isUniform(n), n.Leaf == Data
		}
		n.Operands(func(i int32) {
			uniform = uniform && g.uniform[i]
			invariant = invariant && g.invariant[i]
		})
		g.uniform, g.invariant = append(g.uniform, uniform), append(g.invariant, invariant)
	}
	return Expr{g: g, i: i}
}

// leaf is the leaf of a kind with the number a, of direction b.
func (g *Graph) leaf(kind Leaf, a, b int) Expr {
	return g.make(Node{Leaf: kind, A: int32(a), B: int32(b)})
}
