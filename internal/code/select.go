package code

import (
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
)

// tile is the instruction that computes a node. Its operands are the nodes args[:n], which get
// registers later.
type tile struct {
	Instr
	args [4]int32
	n    int
}

// selection is the tiles that the nodes of a graph need.
type selection struct {
	*expr.Graph
	uses  []int32 // how often a node is used; 0 if it is not needed, or computed within another tile
	tiles []tile
}

// selectTiles selects the tiles for roots and all nodes that these need. Constants that no
// instruction has as its k become nodes.
func selectTiles(g *expr.Graph, roots []int32) *selection {
	return selectFrom(g, roots, func(int32) bool { return false })
}

// selectFrom is selectTiles where given nodes are loaded, as leaves are, and not computed.
func selectFrom(g *expr.Graph, roots []int32, given func(i int32) bool) *selection {
	s := &selection{Graph: g}
	nodes := g.Nodes()
	s.uses = make([]int32, len(nodes))
	for _, i := range roots {
		s.uses[i]++
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if s.uses[i] > 0 && !given(int32(i)) {
			nodes[i].Operands(func(j int32) { s.uses[j]++ })
		}
	}
	s.tiles = make([]tile, len(nodes))
	for i, n := range nodes {
		switch {
		case s.uses[i] == 0:
		case given(int32(i)):
			s.tiles[i] = newTile(Load, 0)
		default:
			s.tiles[i] = s.tile(n)
		}
	}
	return s
}

// constant is the node of a constant, used once more.
func (s *selection) constant(c float64) int32 {
	i := s.Constant(c)
	for len(s.uses) < len(s.Nodes()) {
		s.uses, s.tiles = append(s.uses, 0), append(s.tiles, tile{})
	}
	s.uses[i]++
	s.tiles[i] = newTile(Const, c)
	return i
}

func newTile(code Opcode, k float64, args ...int32) tile {
	t := tile{Instr: Instr{Op: code, K: k}, n: len(args)}
	copy(t.args[:], args)
	return t
}

// tile is the instruction for a node alone.
func (s *selection) tile(n expr.Node) tile {
	k := n.Constant()
	if n.Leaf != expr.Operation {
		return newTile(Load, 0)
	}
	switch n.Op {
	case op.Const:
		return newTile(Const, k)
	case op.Add:
		return newTile(Add, 0, n.A, n.B)
	case op.Sub:
		return newTile(Sub, 0, n.A, n.B)
	case op.Mul:
		return newTile(Mul, 0, n.A, n.B)
	case op.Square:
		return newTile(Mul, 0, n.A, n.A)
	case op.Prod:
		return newTile(Prod, 0, n.A, n.B)
	case op.Div:
		return newTile(Div, 0, n.A, n.B)
	case op.Inv:
		return newTile(Div, 0, s.constant(1), n.A)
	case op.RDiv:
		return newTile(Div, 0, s.constant(k), n.A)
	case op.DivReal:
		return newTile(Div, 0, n.A, s.constant(k))
	case op.Scale:
		return newTile(Scale, k, n.A)
	case op.Neg:
		return newTile(Scale, -1, n.A)
	case op.AddReal:
		return newTile(AddConst, k, n.A)
	case op.RSub:
		return newTile(SubConst, k, n.A)
	case op.Sqrt:
		return newTile(Sqrt, 0, n.A)
	case op.Select:
		return newTile(Select, 0, n.C, n.A, n.B)
	case op.Own:
		t := newTile(Primitive, 0, n.A)
		t.B, t.C = n.B, n.C
		return t
	}
	t := newTile(Call, 0, n.A)
	t.F = n.Op
	switch {
	case n.Arity() == 2:
		t.args[1], t.n = n.B, 2
	case n.Op.Constant() != op.NoConstant:
		t.args[1], t.n = s.constant(k), 2
	}
	return t
}

// operands is the nodes that the tile of node i reads.
func (s *selection) operands(i int32) []int32 { return s.tiles[i].args[:s.tiles[i].n] }

// twins is pairs of functions of one argument that take less time together.
var twins = []struct {
	first, second op.Code
	both          Opcode // sets d to the first and c to the second
}{
	{op.Sin, op.Cos, Sincos},
	{op.Softplus, op.Logistic, SoftplusLogistic},
}

// twin is twinOf node i; there is none if node i is loaded.
func (s *selection) twin(i int32) (j int32, both Opcode, isFirst bool) {
	if s.tiles[i].Op == Load {
		return -1, 0, false
	}
	return twinOf(s.Graph, s.Nodes()[i], func(j int32) bool { return s.uses[j] > 0 })
}

// twinOf is, if node n is one of two twins, the other, −1 if there is none that is needed, and
// the instruction for both. isFirst says that n is the first of the two.
func twinOf(g *expr.Graph, n expr.Node, needed func(j int32) bool) (j int32, both Opcode, isFirst bool) {
	if n.Leaf != expr.Operation {
		return -1, 0, false
	}
	for _, t := range twins {
		switch n.Op {
		case t.first:
			n.Op, isFirst = t.second, true
		case t.second:
			n.Op = t.first
		default:
			continue
		}
		if j, ok := g.Find(n); ok && needed(j) {
			return j, t.both, isFirst
		}
	}
	return -1, 0, false
}
