package nl

import (
	"slices"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// A Problem is what a file says. Variables and constraints are in the file's order.
type Problem struct {
	Name string // from the comment in the first line, often empty

	// XLower and XUpper are the bounds on the variables, CLower and CUpper those on
	// the constraints, ∓Inf where there is none. A lower bound may be above the
	// upper one: then the problem has no solution.
	XLower, XUpper []float64
	CLower, CUpper []float64

	// X0 is the start, 0 where the file has none, and Y0 that of the multipliers in
	// the signs of a .sol file.
	X0, Y0 []float64

	// Maximize says for each objective whether it is to be maximized. There may be
	// none and several.
	Maximize []bool

	// Integer says which variables are to be integers, nil if none are.
	Integer []bool

	// Options are the numbers in the first line, for AMPL, and Tolerance one more
	// if the second is 3. They stand in a .sol file again.
	Options   []int
	Tolerance float64

	// Status says that the .sol file is to have a status.
	Status bool

	objectives  []expression
	constraints []expression
	defined     []expression // variables, numbered behind the others in the order in which they are defined

	code   []instruction
	consts []float64
	linear []linearTerm
}

// An expression is a linear part and code, each a range of those of the problem.
type expression struct {
	linear, code span
}

type span struct{ begin, end int32 }

type linearTerm struct {
	x int32
	c float64
}

// Tape records the problem at X0: outputs [f; c], where f is the given objective,
// negated if it is to be maximized; for None, and where there are no objectives, it
// is 0. It panics if there are others, but not this one. The tape has no guards.
// Cost: linear in the file.
func (p *Problem) Tape(objective int) (*reverse.Tape, error) {
	return reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return Eval(p, objective, x) }, p.X0)
}

// None is no objective: any point that satisfies the constraints is a solution.
const None = -1

// Eval is [f; c] at x as for Tape, on any numbers.
func Eval[T dual.Scalar[T]](p *Problem, objective int, x []T) []T {
	if len(x) != len(p.X0) {
		panic("nl: wrong length")
	}
	m := machine[T]{p: p, x: slices.Grow(slices.Clone(x), len(p.defined))}
	for _, d := range p.defined {
		m.x = append(m.x, m.eval(d))
	}
	y := make([]T, 1+len(p.constraints))
	if objective != None && (len(p.objectives) > 0 || objective != 0) {
		y[0] = m.eval(p.objectives[objective])
		if p.Maximize[objective] {
			y[0] = y[0].Neg()
		}
	}
	for i, c := range p.constraints {
		y[1+i] = m.eval(c)
	}
	return y
}

// A machine evaluates expressions.
type machine[T dual.Scalar[T]] struct {
	p     *Problem
	x     []T // variables, then defined ones
	stack []T

	coefficients []float64
	operands     []T
}

// eval is Σ cᵢxᵢ plus the value of the code, as one operation.
func (m *machine[T]) eval(e expression) T {
	m.coefficients, m.operands = m.coefficients[:0], m.operands[:0]
	for _, t := range m.p.linear[e.linear.begin:e.linear.end] {
		m.coefficients = append(m.coefficients, t.c)
		m.operands = append(m.operands, m.x[t.x])
	}
	code := m.p.code[e.code.begin:e.code.end]
	var zero T
	switch {
	case len(code) == 0 && len(m.operands) == 0:
		return zero
	case len(code) == 0:
		return zero.AffineOf(0, m.coefficients, m.operands)
	case len(code) == 1 && code[0].op == number: // a constant beside a linear part
		return zero.AffineOf(m.p.consts[code[0].arg], m.coefficients, m.operands)
	}
	y := m.run(code)
	if len(m.operands) == 0 {
		return y
	}
	return zero.AffineOf(0, append(m.coefficients, 1), append(m.operands, y))
}
