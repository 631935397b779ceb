// Package problems holds the functions that the library is measured on: each
// as a generic function over dual.Scalar, which every mode of differentiation
// runs, and beside it as the plain Go function on float64 that all ratios are
// taken against.
//
//	rosen      Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²           tridiagonal Hessian
//	arrow      Σ (xᵢ² + xₙ²)² − 4xᵢ + 3                 arrow
//	bdqrtic    five squares a term, one of them xₙ²     band and arrow
//	minsurf    area of a surface over a square grid     9-point grid
//	trig       sin, exp and log in every term           tridiagonal
//	helmholtz  free energy of a mixture                 dense
//	rnn        loss of a recurrent network              dense
//	bratu      −Δu − 6eᵘ, a vector function             5-point grid (Jacobian)
//
// [All] lists them. A Problem at a size is an [Instance], which has the start
// point, the plain function and whatever data the function needs; [Func] and
// [VecFunc] give its generic function over any numbers:
//
//	in := problems.All[0].At(1000)
//	y := in.Plain(in.X0)
//	f := problems.Func[dual.Number](in) // func([]dual.Number) dual.Number
package problems

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// A Problem is a function of any number of variables.
type Problem struct {
	Name string

	// Sizes are the sizes that are measured. A size is the number of
	// variables, except that a grid has round(√size) nodes a side and the
	// size of rnn is its hidden width.
	Sizes []int

	Min int // the smallest size there is

	make func(size int) *Instance
}

// At returns p at a size. It panics if there is none that small.
func (p Problem) At(size int) *Instance {
	if size < p.Min {
		panic(fmt.Sprintf("problems: %s has no size %d, the smallest is %d", p.Name, size, p.Min))
	}
	in := p.make(size)
	in.Name, in.Size, in.ByHand, in.Adjoint, in.Product = p.Name, size, byHand[p.Name], adjoints[p.Name], products[p.Name]
	return in
}

// An Instance is a Problem of a certain size. It is immutable, except that Plain
// of rnn keeps its working memory between calls.
type Instance struct {
	Name string
	Size int
	X0   []float64 // the start point; its length is the number of variables

	// The function written by hand on float64, the unit of all ratios: Plain
	// for a scalar function, PlainVec for a vector function, the other is nil.
	Plain    func(x []float64) float64
	PlainVec func(dst, x []float64)

	ByHand ByHand // nil if nobody wrote one

	// Adjoint sets dst to the gradient of Plain at x and returns the value, as command adjoint
	// wrote it; nil if it did not.
	Adjoint func(dst, x []float64) float64

	// Product sets dst to the product of the Hessian of Plain at x and v, likewise.
	Product func(dst, x, v []float64)

	helmholtz *helmholtzData
	rnn       *rnnData
}

// All lists the problems.
var All = []Problem{
	{"rosen", []int{1e3, 1e4, 1e5}, 2, func(n int) *Instance {
		return &Instance{X0: rosenStart(n), Plain: rosenPlain}
	}},
	{"arrow", []int{1e3, 1e4, 1e5}, 2, func(n int) *Instance {
		return &Instance{X0: arrowStart(n), Plain: arrowPlain}
	}},
	{"bdqrtic", []int{1e3, 1e4, 1e5}, 5, func(n int) *Instance {
		return &Instance{X0: bdqrticStart(n), Plain: bdqrticPlain}
	}},
	{"minsurf", []int{1e3, 1e4, 1e5}, 3, func(n int) *Instance {
		return &Instance{X0: minsurfStart(side(n)), Plain: minsurfPlain}
	}},
	{"trig", []int{1e3, 1e4, 1e5}, 2, func(n int) *Instance {
		return &Instance{X0: trigStart(n), Plain: trigPlain}
	}},
	{"helmholtz", []int{20, 100, 400}, 1, func(n int) *Instance {
		d := newHelmholtzData(n)
		return &Instance{X0: helmholtzStart(n), Plain: d.plain, helmholtz: d}
	}},
	{"rnn", []int{8, 16, 32}, 1, func(hidden int) *Instance {
		d := newRNNData(hidden)
		return &Instance{X0: d.start(), Plain: d.plain(), rnn: d}
	}},
	{"bratu", []int{1e3, 1e4, 1e5}, 1, func(n int) *Instance {
		return &Instance{X0: bratuStart(side(n)), PlainVec: bratuPlain}
	}},
}

// Named is the problem of that name. It panics if there is none.
func Named(name string) Problem {
	for _, p := range All {
		if p.Name == name {
			return p
		}
	}
	panic("problems: there is no " + name)
}

// Func returns the scalar function of in over the numbers T, nil if in is a
// vector function. Go has no generic closures, so this switch, and not a field
// of Instance, is where the generic functions are.
func Func[T dual.Scalar[T]](in *Instance) func(x []T) T {
	switch in.Name {
	case "rosen":
		return Rosen[T]
	case "arrow":
		return Arrow[T]
	case "bdqrtic":
		return Bdqrtic[T]
	case "minsurf":
		return Minsurf[T]
	case "trig":
		return Trig[T]
	case "helmholtz":
		return func(x []T) T { return helmholtz(in.helmholtz, x) }
	case "rnn":
		return func(x []T) T { return rnn(in.rnn, x) }
	}
	return nil
}

// ScanFunc returns the scalar function of in as a loop with a state, nil if it is none.
func ScanFunc[T dual.Scalar[T]](in *Instance) func(x []T) T {
	if in.rnn == nil {
		return nil
	}
	return func(x []T) T { return rnnScan(in.rnn, x) }
}

// VecFunc returns the vector function of in over the numbers T, nil if in is a
// scalar function.
func VecFunc[T dual.Scalar[T]](in *Instance) func(x []T) []T {
	if in.Name == "bratu" {
		return Bratu[T]
	}
	return nil
}

// side is the number of nodes a side of the square grid of about n nodes.
func side(n int) int { return int(math.Round(math.Sqrt(float64(n)))) }

// gridSide is the number of nodes a side of the square grid of n nodes.
func gridSide(n int) int {
	m := side(n)
	if m*m != n {
		panic(fmt.Sprintf("problems: %d variables are no square grid", n))
	}
	return m
}

// start is the vector of f(0), …, f(n−1).
func start(n int, f func(i float64) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(float64(i))
	}
	return x
}
