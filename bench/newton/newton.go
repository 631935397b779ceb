package newton

import (
	"fmt"
	"time"
)

// A Result is where a method ended and what it took.
type Result struct {
	X []float64
	F float64 // f(X)

	// Y are the multipliers of the equality constraints, nil without any.
	Y []float64

	// Gradient is the largest |∂L/∂xᵢ| of L = f + yᵀc, and Constraint the largest
	// |cⱼ|.
	Gradient, Constraint float64

	// Step is the length of the last step relative to x, and Decrease twice what it
	// promised to take off f, relative to f, both in the scaling of the method.
	Step, Decrease float64

	Cost
}

// Cost counts evaluations and measures time. What a method does besides is some
// vector operations.
type Cost struct {
	Iterations     int // steps tried
	Values         int // of the function alone
	Gradients      int // with value
	Hessians       int // with value and gradient
	Jacobians      int // with values
	Factorizations int

	Prepare       time.Duration // derivative plans, from the tape
	Derivatives   time.Duration
	LinearAlgebra time.Duration
}

// StoppedError says that a method ended without a solution. The Result beside it
// is the best that it found.
type StoppedError struct {
	Method               string
	Iterations           int
	Gradient, Constraint float64 // as in Result
	Step, Decrease       float64

	// Reason is why: "iterations", "no descent", or what failed.
	Reason string
}

func (e *StoppedError) Error() string {
	s := fmt.Sprintf("newton: %s stopped after %d iterations (%s): largest gradient %.3g",
		e.Method, e.Iterations, e.Reason, e.Gradient)
	if e.Step > 0 {
		s += fmt.Sprintf(", last step %.3g of x, to take %.3g off f", e.Step, e.Decrease)
	}
	if e.Constraint > 0 {
		s += fmt.Sprintf(", constraint %.3g", e.Constraint)
	}
	return s
}

// stop returns r with the error for it.
func (r *Result) stop(method, reason string) (*Result, error) {
	return r, &StoppedError{method, r.Iterations, r.Gradient, r.Constraint, r.Step, r.Decrease, reason}
}

// clock adds to d the time that f takes.
func clock(d *time.Duration, f func() error) error {
	start := time.Now()
	err := f()
	*d += time.Since(start)
	return err
}
