package newton

import (
	"fmt"
	"time"
)

// Result is where a method ended and what it took.
type Result struct {
	X []float64

	// F is f(X), of LeastSquares ½Σρ(rᵢ²), of System ½‖F‖².
	F float64

	// C is c(X), Y its multipliers and Z those of the bounds, with
	//
	//	∇f + c′ᵀY + Z = 0,
	//
	// positive only where an upper bound binds, negative only where a lower one
	// does. They are nil for methods without constraints; LeastSquares has Z if it has
	// bounds, System C. Where bounds contradict each other nothing is evaluated: they are nil.
	C, Y, Z []float64

	// Status says how the method ended: Solved if and only if the error is nil.
	Status Status

	// Errors are those of the test, of the problem as it is scaled, and Unscaled
	// those of the problem as it is given.
	Errors, Unscaled Errors

	// Step is the length of the last step relative to x, and Decrease twice what it
	// promised to take off f, relative to f, both in the scaling of the method.
	Step, Decrease float64

	// Mu is the last barrier parameter.
	Mu float64

	Cost
}

// Errors are by how much the conditions of optimality fail, as largest absolute
// values: Dual that of ∇f + c′ᵀy + z, Primal the violation of constraints and
// bounds, Complementarity that of the products of multipliers and distances to
// their bounds.
type Errors struct{ Dual, Primal, Complementarity float64 }

func (e Errors) largest() float64 { return max(e.Dual, e.Primal, e.Complementarity) }

// Cost counts evaluations and measures time. What a method does besides is some
// vector operations.
type Cost struct {
	Iterations     int // steps tried
	Restorations   int // of them, in restoration of feasibility
	Values         int // of the function alone
	Gradients      int // with value
	Hessians       int // with value and gradient
	Jacobians      int // with values
	Products       int // of a Hessian with a vector
	Factorizations int

	Prepare       time.Duration // derivative plans, from the tape
	Derivatives   time.Duration
	LinearAlgebra time.Duration
}

// clock adds to d the time that f takes.
func clock(d *time.Duration, f func() error) error {
	start := time.Now()
	err := f()
	*d += time.Since(start)
	return err
}

// Status is how a method ended.
type Status uint8

const (
	// Failed: an evaluation failed, or was not finite where it must be; see
	// StoppedError.Err.
	Failed Status = iota
	// Solved: the stated test holds.
	Solved
	// Acceptable: the test does not hold, but for a long time no more progress was
	// made from a point that is not far from it.
	Acceptable
	// Infeasible: the violation of the constraints has a local minimum that is not
	// 0, or as StoppedError.Reason says a saddle, or bounds contradict each other.
	Infeasible
	// Unbounded: f, or x, went beyond all bounds.
	Unbounded
	// IterationLimit: Settings.MaxIterations steps were made.
	IterationLimit
	// StepTooSmall: no step that is not lost in rounding errors leads further.
	StepTooSmall
	// Saddle: the test holds, but at a saddle or maximum.
	Saddle
	// Canceled: the context was.
	Canceled
)

var statusNames = []string{"evaluation failed", "solved", "acceptable, but not to the tolerance", "locally infeasible",
	"unbounded", "iteration limit", "step too small", "saddle", "canceled"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// StoppedError says that a method ended without a solution. The Result beside it
// is the best that it found.
type StoppedError struct {
	Method string
	Status Status

	// Reason says more, and may be empty.
	Reason string

	Iterations     int
	Errors         Errors // as in Result
	Step, Decrease float64

	// Err is the error of an evaluation or of the context.
	Err error
}

func (e *StoppedError) Error() string {
	s := fmt.Sprintf("newton: %s stopped after %d iterations: %v", e.Method, e.Iterations, e.Status)
	if e.Reason != "" {
		s += ", " + e.Reason
	}
	if e.Err != nil {
		s += fmt.Sprintf(": %v", e.Err)
	}
	s += fmt.Sprintf(" (errors: dual %.3g, primal %.3g, complementarity %.3g", e.Errors.Dual, e.Errors.Primal, e.Errors.Complementarity)
	if e.Step > 0 {
		s += fmt.Sprintf("; last step %.3g of x, to take %.3g off f", e.Step, e.Decrease)
	}
	return s + ")"
}

// Unwrap returns Err.
func (e *StoppedError) Unwrap() error { return e.Err }

// end sets the status and returns r with the error for it, nil if solved.
func (r *Result) end(method string, status Status, reason string, err error) (*Result, error) {
	r.Status = status
	if status == Solved {
		return r, nil
	}
	return r, &StoppedError{
		Method: method, Status: status, Reason: reason, Iterations: r.Iterations,
		Errors: r.Errors, Step: r.Step, Decrease: r.Decrease, Err: err,
	}
}
