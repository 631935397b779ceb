package expr

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Function is the straight-line program of a function of few variables. Each step is a node
// whose operands are earlier steps; those of the variables come first. A step with a real
// constant has its number among the Constants in C, a leaf Data has it in A. Parameters,
// constants and weights may differ from term to term.
type Function struct {
	Steps      []Node
	Results    []int32 // the steps that are results
	Watched    []int32 // steps whose values are wanted, too
	Constants  []Constant
	Primitives []Primitive
}

// Constant is a constant of a function: the number Value in all terms, or a leaf
// if it varies.
type Constant struct {
	Value  float64
	Varies bool
}

// flags says which derivatives of n may differ from 0.
func (n Node) flags() op.Flags {
	if n.Leaf != Operation {
		return 0
	}
	return n.Op.Flags()
}

// arguments is the count operands in which n has derivatives.
func (n Node) arguments() (args [3]int32, count int) {
	switch {
	case n.flags()&op.DX == 0:
		return args, 0
	case n.Op.Listed() > 0:
		return [3]int32{n.A, n.B, n.C}, n.Op.Info().Moving
	case n.flags()&op.DY == 0: // as Copysign
		return [3]int32{n.A}, 1
	}
	return [3]int32{n.A, n.B, n.C}, n.Arity()
}

// curved yields the pairs of arguments, by number, by which n has a second derivative that may
// differ from 0: an argument with itself first.
func (n Node) curved(yield func(a, b int) bool) {
	pairs := n.Op.Info().Pairs
	if n.Leaf != Operation {
		pairs = nil
	}
	for _, p := range pairs {
		if p[0] == p[1] && !yield(p[0], p[1]) {
			return
		}
	}
	for _, p := range pairs {
		if p[0] != p[1] && !yield(p[0], p[1]) {
			return
		}
	}
	flags := n.flags()
	if pairs != nil || flags&op.DXX != 0 && !yield(0, 0) || flags&op.DYY != 0 && !yield(1, 1) || flags&op.DXY == 0 {
		return
	}
	yield(0, 1)
}

// isActive reports whether n depends on a variable, given which steps before it
// do.
func (n Node) isActive(active []bool) bool {
	args, count := n.arguments()
	for _, a := range args[:count] {
		if active[a] {
			return true
		}
	}
	return n.Leaf == Variable
}

// VariablesFirst is the same steps, and results, with the variables in front; sorted by before
// if that is not nil.
func VariablesFirst(steps []Node, results []int32, before func(a, b Node) int) (z []Node, r []int32) {
	var variables, others []int32
	for i, n := range steps {
		if n.Leaf == Variable {
			variables = append(variables, int32(i))
		} else {
			others = append(others, int32(i))
		}
	}
	if before != nil {
		slices.SortStableFunc(variables, func(i, j int32) int { return before(steps[i], steps[j]) })
	}
	number := make([]int32, len(steps))
	for k, i := range append(variables, others...) {
		number[i] = int32(k)
		z = append(z, steps[i])
	}
	for i := range z {
		z[i].Renumber(number)
	}
	for _, i := range results {
		r = append(r, number[i])
	}
	return z, r
}

// Renumber gives the operands of n the numbers that they have now.
func (n *Node) Renumber(number []int32) {
	at := [3]*int32{&n.A, &n.B, &n.C}
	for _, a := range at[:n.Arity()] {
		*a = number[*a]
	}
}

// CountEdges is how many edges [Function.Derive] makes for the Hessian, which take most of its
// time. It gives up when there are more than limit.
func CountEdges(steps []Node, limit int) int {
	n := len(steps)
	active := make([]bool, n)
	for i, st := range steps {
		active[i] = st.isActive(active)
	}
	neighbors := make([][]int32, n) // some of them several times until it is their turn
	last := make([]int32, n)        // 1 + the last step that a step was found to be a neighbor of
	add := func(i, p int32) {
		if active[i] && active[p] {
			neighbors[max(i, p)] = append(neighbors[max(i, p)], min(i, p))
		}
	}
	count := 0
	for i := int32(n) - 1; i >= 0 && count <= limit; i-- {
		args, k := steps[i].arguments()
		for _, p := range neighbors[i] {
			if last[p] == i+1 {
				continue
			}
			last[p] = i + 1
			count++
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
		neighbors[i] = nil
		for a, b := range steps[i].curved {
			add(args[a], args[b])
		}
	}
	return count
}

// CountAdjoints is how many adjoints the Jacobian of results takes: for each result, those of
// the steps on which it depends.
func CountAdjoints(steps []Node, results []int32) (count int) {
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
