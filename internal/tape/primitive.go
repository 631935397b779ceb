package tape

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
)

// Scalar1 is a user's function of one variable with two derivatives.
type Scalar1 struct {
	Name string
	F    [3]func(x float64) float64
	// Coefficients sets c to the Taylor coefficients at x, as many as there are; nil if they
	// are not known.
	Coefficients func(c []float64, x float64)
}

// Series sets c to the Taylor coefficients at x of the derivative of the given order; it
// reports false if they are not known, and sets those to NaN.
func (f *Scalar1) Series(c []float64, order int, x float64) bool {
	if f.Coefficients != nil {
		all := make([]float64, len(c)+order)
		f.Coefficients(all, x)
		for k := range c {
			c[k] = all[k+order]
			for j := range order {
				c[k] *= float64(k + j + 1)
			}
		}
		return true
	}
	factorial := 1.0
	for k := range c {
		if order+k >= len(f.F) {
			c[k] = math.NaN()
			continue
		}
		factorial *= max(1, float64(k))
		c[k] = f.F[order+k](x) / factorial
	}
	return order+len(c) <= len(f.F)
}

// At is the derivative of the given order.
func (f *Scalar1) At(order int) func(x float64) float64 {
	if order > 2 {
		panic("reverse: third derivative of the primitive " + f.Name)
	}
	return f.F[order]
}

// Func is a vector function ℝⁿ → ℝᵐ that a tape calls.
type Func = op.Func

// Kept is a Func that keeps what it computed at the last x, for its derivatives
// there.
type Kept interface {
	Func
	// Open returns the function with memory of its own, for one goroutine. It may share what it
	// does not keep with others that were opened, of which some are nil: only one runs at a time.
	Open(others []op.Several) op.Several
}

// Repeated is a Func that is a sum of alike terms, see terms.Repeat. It never
// fails.
type Repeated interface {
	op.Several
	// Term is the program of the term.
	Term() *Tape
	// Each calls f for each term: with the inputs of the Func that are those of the term, the
	// outputs of the Func to which those of the term are added, and the parameters of the
	// term, in slices that it uses again.
	Each(f func(vars, rows []int32, params []float64))
}

// Call is one use of a Func. Its outputs are consecutive nodes.
type Call struct {
	Func
	Repeated    Repeated   // the function, if it is one
	Several     op.Several // likewise
	Kept        Kept       // likewise
	Number      int        // of the call
	Args        []int32    // its operands
	Consecutive bool       // which are consecutive, and at least one
}

// Outputs is how many nodes the call has.
func (c *Call) Outputs() int32 {
	_, m := c.Dims()
	return int32(m)
}
