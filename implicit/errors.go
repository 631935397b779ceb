package implicit

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// SingularError reports a matrix that cannot be factorized, or that is too
// near to one for its solutions to have a correct digit.
//
// It wraps the mat.Condition that gonum would return, so errors.As finds
// either.
type SingularError struct {
	// N is the order of the matrix.
	N int

	// StructuralRank is the largest rank that a matrix of this pattern can
	// have. Below N no values could make the matrix regular: the model has
	// equations in too few variables.
	StructuralRank int

	// RCond is the reciprocal of the condition number, as LU.Cond estimates
	// it, and 0 if the elimination came to a column without pivot.
	RCond float64

	// Rows and Columns, ascending, are where the fault shows. Of a structurally
	// singular matrix: those that a maximum matching leaves over. Of one without
	// a pivot: those left when all others were eliminated, each a combination of
	// these. Of a nearly singular one: those of weight in the combination of
	// rows, or columns, that nearly vanishes.
	Rows, Columns []int
}

func (e *SingularError) Error() string {
	switch {
	case e.StructuralRank < e.N:
		return fmt.Sprintf("implicit: matrix of order %d has structural rank %d: nothing for %s and %s",
			e.N, e.StructuralRank, list("row", e.Rows), list("column", e.Columns))
	case e.RCond == 0:
		return fmt.Sprintf("implicit: matrix of order %d is singular: no pivot for %s and %s",
			e.N, list("row", e.Rows), list("column", e.Columns))
	default:
		return fmt.Sprintf("implicit: matrix of order %d is nearly singular, reciprocal condition %.3g: nearly dependent are %s, and %s",
			e.N, e.RCond, list("row", e.Rows), list("column", e.Columns))
	}
}

// Unwrap returns the condition number as gonum's error.
func (e *SingularError) Unwrap() error { return mat.Condition(1 / e.RCond) }

// NotPositiveDefiniteError reports a symmetric matrix that is not positive
// definite, or not to working precision.
type NotPositiveDefiniteError struct {
	// N is the order of the matrix.
	N int

	// Variable is the row and column at whose elimination, the Step-th from 0, the
	// pivot was not positive beyond rounding.
	Variable, Step int

	// Pivot is what was left of the diagonal element then: vᵀAv of the v that
	// NegativeCurvature gives.
	Pivot float64
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("implicit: matrix of order %d is not positive definite: pivot %.3g of variable %d in step %d",
		e.N, e.Pivot, e.Variable, e.Step)
}

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

// NonFiniteError reports an entry of a matrix that is infinite or NaN. A column
// of the matrix ∂F/∂[w; λ] from the number of unknowns on belongs to λ.
type NonFiniteError struct {
	Row, Column int
	Value       float64
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("implicit: entry (%d, %d) of the matrix is %v", e.Row, e.Column, e.Value)
}

// ConvergenceError reports an iteration that ended short of its tolerance.
type ConvergenceError struct {
	// Iterations is the number of iterations done.
	Iterations int

	// Residual is the norm of what remained, relative to the right-hand side
	// or as the method that returned the error says.
	Residual float64
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("implicit: no convergence after %d iterations, relative residual %.3g", e.Iterations, e.Residual)
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

	// Err is the *SingularError that it comes to.
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
