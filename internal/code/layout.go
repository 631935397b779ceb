package code

import "github.com/hesse-ad/hesse/internal/expr"

// Layout is how the leaves of a function lie one after the other: its inputs, its
// parameters, the inputs in each direction, the weights of its results, and the tangents
// of the weights in each direction.
type Layout struct{ Inputs, Params, Directions, Results int }

// Direction is where direction s begins.
func (l *Layout) Direction(s int) int { return l.Inputs + l.Params + s*l.Inputs }

// Weights is where the weights begin.
func (l *Layout) Weights() int { return l.Direction(l.Directions) }

// Tangents is where the tangents of the weights in direction s begin; after all of them
// the leaves end.
func (l *Layout) Tangents(s int) int { return l.Weights() + (1+s)*l.Results }

// Base is where the leaves of the kind of this one begin.
func (l *Layout) Base(leaf expr.Node) int {
	switch leaf.Leaf {
	case expr.Parameter:
		return l.Inputs
	case expr.Direction:
		return l.Direction(int(leaf.B))
	case expr.Weight:
		return l.Weights()
	case expr.WeightTangent:
		return l.Tangents(int(leaf.B))
	}
	return 0
}

// Zeros is n registers that are 0.
func (c *Scalar) Zeros(n int) []uint16 {
	x := make([]uint16, n)
	for i := range x {
		x[i] = c.zero
	}
	return x
}
