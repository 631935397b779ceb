package matrix

import "fmt"

// NotPositiveDefiniteError reports a symmetric matrix without a Cholesky
// factorization.
type NotPositiveDefiniteError struct {
	N int // order
}

func (e *NotPositiveDefiniteError) Error() string {
	return fmt.Sprintf("matrix: matrix of order %d is not positive definite", e.N)
}

// SingularError reports a matrix that has no inverse, or is too near to one without for
// the inverse to have a correct digit.
type SingularError struct {
	N     int     // order
	RCond float64 // estimate of 1/(‖A‖₁‖A⁻¹‖₁), 0 if a pivot is
}

func (e *SingularError) Error() string {
	if e.RCond == 0 {
		return fmt.Sprintf("matrix: matrix of order %d is singular", e.N)
	}
	return fmt.Sprintf("matrix: matrix of order %d is nearly singular, reciprocal condition %.3g", e.N, e.RCond)
}

// RepeatedEigenvalueError reports eigenvalues that are equal to working precision where
// a derivative is asked for that they do not have.
type RepeatedEigenvalueError struct {
	First, Last int     // their numbers in ascending order
	Value       float64 // of the first
}

func (e *RepeatedEigenvalueError) Error() string {
	return fmt.Sprintf("matrix: eigenvalues %d to %d are all %g: they have no derivatives", e.First, e.Last, e.Value)
}

// NotConvergedError reports a symmetric matrix whose eigenvalues were not found.
type NotConvergedError struct {
	N int // order
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("matrix: eigenvalues of a matrix of order %d did not converge", e.N)
}
