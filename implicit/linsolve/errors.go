package linsolve

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// SingularError reports a matrix that cannot be factorized, or that is too
// near to one for its solutions to have a correct digit.
//
// It wraps the mat.Condition that gonum would return, so errors.As finds
// either.
type SingularError struct {
	// N is the order of the matrix, of QR the number of columns.
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
	// rows, or columns, that nearly vanishes. QR names columns alone.
	Rows, Columns []int
}

func (e *SingularError) Error() string {
	rows := ""
	if len(e.Rows) > 0 {
		rows = list("row", e.Rows) + " and "
	}
	columns := list("column", e.Columns)
	switch {
	case e.StructuralRank < e.N:
		return fmt.Sprintf("linsolve: matrix of order %d has structural rank %d: nothing for %s%s", e.N, e.StructuralRank, rows, columns)
	case e.RCond == 0:
		return fmt.Sprintf("linsolve: matrix of order %d is singular: no pivot for %s%s", e.N, rows, columns)
	default:
		return fmt.Sprintf("linsolve: matrix of order %d is nearly singular, reciprocal condition %.3g: nearly dependent are %s%s", e.N, e.RCond, rows, columns)
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
	return fmt.Sprintf("linsolve: matrix of order %d is not positive definite: pivot %.3g of variable %d in step %d",
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

// NonFiniteError reports an entry of a matrix that is infinite or NaN.
type NonFiniteError struct {
	Row, Column int
	Value       float64
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("linsolve: entry (%d, %d) of the matrix is %v", e.Row, e.Column, e.Value)
}

// ConvergenceError reports an iteration that ended short of its tolerance, or a
// solution that is not finite: the right-hand side was not, or it overflowed.
type ConvergenceError struct {
	// Iterations is the number of iterations done.
	Iterations int

	// Residual is the norm of what remained, relative to the right-hand side; of
	// LU and LDL the largest residual of an equation relative to its terms; NaN or
	// +Inf if the solution is not finite.
	Residual float64
}

func (e *ConvergenceError) Error() string {
	if !finite(e.Residual) {
		return "linsolve: solution not finite"
	}
	return fmt.Sprintf("linsolve: no convergence after %d iterations, relative residual %.3g", e.Iterations, e.Residual)
}

// checkFinite returns a *ConvergenceError if an element d[0], d[inc], d[2inc], … of a
// solution of length n is not finite.
func checkFinite(d []float64, inc, n int) error {
	for i := range n {
		if v := d[i*inc]; !finite(v) {
			return &ConvergenceError{Residual: math.Abs(v)}
		}
	}
	return nil
}

// FillError reports factors that would take more memory than MaxFill of LU or LDL allows.
type FillError struct {
	// Entries is how many L is expected to have, Limit how many it may.
	Entries, Limit int
}

func (e *FillError) Error() string {
	return fmt.Sprintf("linsolve: factor would have %d entries, at most %d are allowed", e.Entries, e.Limit)
}

// firstNonFinite returns a *NonFiniteError of the first such value, if there is
// one.
func firstNonFinite(p *sparsity.Pattern, values []float64) error {
	k := slices.IndexFunc(values, func(v float64) bool { return !finite(v) })
	if k < 0 {
		return nil
	}
	ptr := p.RowPtr()
	i := sort.Search(len(ptr)-1, func(i int) bool { return int(ptr[i+1]) > k })
	return &NonFiniteError{i, int(p.Row(i)[k-int(ptr[i])]), values[k]}
}
