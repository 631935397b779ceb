package implicit

import "fmt"

// NotARootError reports a point w, λ at which F is not 0.
type NotARootError struct {
	// Equation is the i with the largest residual relative to its bound.
	Equation int

	// Residual is |Fᵢ(w, λ)|, and Bound what would have been accepted.
	Residual, Bound float64
}

func (e *NotARootError) Error() string {
	return fmt.Sprintf("implicit: not a root: equation %d has the residual %.3g, at most %.3g is accepted", e.Equation, e.Residual, e.Bound)
}

// NewtonError reports that Newton's method came to no solution.
type NewtonError struct {
	// Iterations is how many steps were made, W where they led, and Start and
	// Residual are the largest |Fᵢ| at the start and there.
	Iterations      int
	W               []float64
	Start, Residual float64

	// Err is why it ended: a *NotARootError if no step, however short, led
	// further, or the iterations were used up; else the error of the Jacobian,
	// of the system that was to be solved or of the tape.
	Err error
}

func (e *NewtonError) Error() string {
	return fmt.Sprintf("implicit: Newton ended after %d iterations, largest residual %.3g, at the start %.3g: %v",
		e.Iterations, e.Residual, e.Start, e.Err)
}

// Unwrap returns Err.
func (e *NewtonError) Unwrap() error { return e.Err }

// ComplementarityError reports an inequality gᵢ ≤ 0 of which not exactly one of
// slack and multiplier is positive and the other 0. With both 0 the solution
// has derivatives to either side only.
type ComplementarityError struct {
	// Inequality is i, Slack −gᵢ and Multiplier zᵢ.
	Inequality        int
	Slack, Multiplier float64
}

func (e *ComplementarityError) Error() string {
	return fmt.Sprintf("implicit: inequality %d is not strictly complementary: slack %.3g, multiplier %.3g",
		e.Inequality, e.Slack, e.Multiplier)
}

// DependentError reports active constraints whose gradients are linearly
// dependent: their multipliers are not determined.
type DependentError struct {
	// Equalities and Inequalities are those of weight in the dependence,
	// ascending.
	Equalities, Inequalities []int

	// Err is the *linsolve.SingularError that it comes to.
	Err error
}

func (e *DependentError) Error() string {
	s := "implicit: gradients of active constraints are linearly dependent:"
	if len(e.Equalities) > 0 {
		s += " " + list("equality constraint", e.Equalities)
	}
	if len(e.Inequalities) > 0 {
		s += " " + list("inequality constraint", e.Inequalities)
	}
	return s
}

// Unwrap returns Err.
func (e *DependentError) Unwrap() error { return e.Err }

// list names a few of the indices.
func list(what string, indices []int) string {
	const most = 8
	s := ""
	for k, i := range indices {
		if k == most {
			return fmt.Sprintf("%ss%s and %d more", what, s, len(indices)-most)
		}
		if k > 0 {
			s += ","
		}
		s += fmt.Sprintf(" %d", i)
	}
	if len(indices) != 1 {
		what += "s"
	}
	return what + s
}
