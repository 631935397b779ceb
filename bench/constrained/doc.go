// Package constrained holds problems min f(x), c_L ≤ c(x) ≤ c_U, x_L ≤ x ≤ x_U with
// known minima, on which package newton is tried: those of Hock and Schittkowski,
// which are small and cover most that can go wrong, and families of any size.
//
//	p := constrained.HS[0]
//	r, err := newton.InteriorPoint{}.Minimize(ctx, p.Problem, p.X0)
package constrained

import "github.com/hesse-ad/hesse/hessian/newton"

// Problem is a problem with a start and the values of its known local minima, the
// published one first.
type Problem struct {
	Name string
	newton.Problem
	Plain  func(x []float64) []float64 // [f; c] in plain Go, nil if only Func is there
	X0     []float64
	Minima []float64
}
