package linsolve

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Cond returns an estimate of the condition number ‖B‖₁‖B⁻¹‖₁ of the matrix
// B = RAC, whose rows and columns are scaled: units of equations and unknowns have
// no part in it. Where the scales are those of a maximum product matching, and B nearly
// singular, it is that of A scaled to largest elements near 1 if that is less: along a
// chain of equations the former may grow without bound. Errors of solutions, relative to
// the largest unknown in these scales, grow with it; 0 for a matrix of order 0, +Inf if
// there is no factorization. The estimate is a lower bound, rarely less than a third of
// the true value.
//
// Source: Higham, FORTRAN codes for estimating the one-norm of a real or
// complex matrix, with applications to condition estimation, ACM TOMS 14, 1988.
func (lu *LU) Cond() float64 {
	checkFactorized(lu.a)
	return lu.cond
}

// estimateCondition sets cond, and reports a matrix that is nearly singular.
func (lu *LU) estimateCondition() error {
	lu.warning = nil
	n := lu.order()
	if n == 0 {
		lu.cond = 0
		return nil
	}
	lu.probe = resize(lu.probe, 3*n)
	v, x, sign := lu.probe[:n], lu.probe[n:2*n], lu.probe[2*n:]
	lu.cond = lu.norm1 * inverseNorm(v, x, sign, lu.factorSolve, lu.factorSolveTrans)
	if lu.cond <= mat.ConditionTolerance {
		return nil
	}
	if lu.product {
		if lu.cond = min(lu.cond, lu.plainCondition()); lu.cond <= mat.ConditionTolerance {
			return nil
		}
	}
	if math.IsNaN(lu.cond) {
		lu.cond = math.Inf(1)
	}
	lu.warning = mat.Condition(lu.cond)
	// v solves a system with a small right-hand side: a combination of columns
	// that nearly vanishes. One step of inverse iteration gives that of rows.
	normalize(v)
	left := x
	copy(left, v)
	lu.factorSolveTrans(left)
	normalize(left)
	return &SingularError{
		N:              n,
		StructuralRank: n,
		RCond:          1 / lu.cond,
		Rows:           heaviest(left, lu.rowOrder),
		Columns:        heaviest(v, lu.colOrder),
	}
}

// plainCondition estimates the condition number of B′ = DBE, which is A with the scales
// that it has without a matching, by B′⁻¹ = E⁻¹B⁻¹D⁻¹. It leaves v of probe as it is.
func (lu *LU) plainCondition() float64 {
	n := lu.order()
	lu.plain, lu.plainExp = resize(lu.plain, 3*n), resize(lu.plainExp, 3*n)
	base, d, e := lu.plainExp[:n], lu.plainExp[n:2*n], lu.plainExp[2*n:]
	for j, c := range lu.colExp {
		base[j] = -c
	}
	p, values := lu.a.Pattern(), lu.a.Values()
	equilibrate(p, values, base, d, e)
	sums := lu.plain[:n]
	clear(sums)
	k := 0
	for i, d := range d {
		for _, j := range p.Row(i) {
			sums[j] += math.Abs(scaled(values[k], d+e[j]))
			k++
		}
	}
	norm := floats.Max(sums)
	unscale := func(y []float64, exp, order []int32) {
		for k, i := range order {
			y[k] = scaled(y[k], -exp[i])
		}
	}
	return norm * inverseNorm(lu.plain[:n], lu.plain[n:2*n], lu.plain[2*n:], func(y []float64) {
		unscale(y, d, lu.rowOrder)
		lu.factorSolve(y)
		unscale(y, e, lu.colOrder)
	}, func(y []float64) {
		unscale(y, e, lu.colOrder)
		lu.factorSolveTrans(y)
		unscale(y, d, lu.rowOrder)
	})
}

// normalize scales v to the maximum norm 1. If elements overflowed, they become
// 1 and the others 0.
func normalize(v []float64) {
	if m := largest(v); finite(m) {
		floats.Scale(1/m, v)
		return
	}
	for k, x := range v {
		v[k] = 0
		if !finite(x) {
			v[k] = 1
		}
	}
}

// inverseNorm estimates ‖B⁻¹‖₁, given functions that solve By = b and Bᵀy = b in
// place, by Algorithm 4.1 of the paper, which climbs from vertex to vertex of the
// unit ball of the 1-norm, and by the alternating vector that it tries at last.
// v is left as the solution of By = b that was largest relative to b.
func inverseNorm(v, x, sign []float64, solve, solveTrans func(y []float64)) float64 {
	const maxSteps = 5
	n := len(v)
	for i := range v {
		v[i] = 1 / float64(n)
	}
	solve(v)
	norm := floats.Norm(v, 1)
	if n == 1 {
		return norm
	}
	clear(sign)
	vertex := -1
	for range maxSteps {
		if !setSigns(sign, v) {
			break
		}
		copy(x, sign)
		solveTrans(x)
		j := 0
		for i := range x {
			if math.Abs(x[i]) > math.Abs(x[j]) {
				j = i
			}
		}
		if vertex >= 0 && math.Abs(x[j]) == math.Abs(x[vertex]) {
			break
		}
		vertex = j
		// x is free until the next gradient.
		clear(x)
		x[j] = 1
		solve(x)
		next := floats.Norm(x, 1)
		if !(next > norm) {
			break
		}
		norm = next
		copy(v, x)
	}
	for i := range x {
		x[i] = 1 + float64(i)/float64(n-1)
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	solve(x)
	if last := 2 * floats.Norm(x, 1) / (3 * float64(n)); last > norm {
		norm = last
		copy(v, x)
	}
	return norm
}

// setSigns sets sign to the signs of v, where 0 has +1, and reports whether
// that changed it.
func setSigns(sign, v []float64) bool {
	changed := false
	for i := range v {
		s := math.Copysign(1, v[i])
		changed = changed || s != sign[i]
		sign[i] = s
	}
	return changed
}

// heaviest returns, ascending, order[k] of those v[k] that are at least a tenth.
func heaviest(v []float64, order []int32) []int {
	var indices []int
	for k, x := range v {
		if math.Abs(x) >= 0.1 {
			indices = append(indices, int(order[k]))
		}
	}
	slices.Sort(indices)
	return indices
}

// structurallySingular names the rows and columns that a maximum matching
// leaves over.
func structurallySingular(rowOf []int32, rank int) error {
	err := &SingularError{N: len(rowOf), StructuralRank: rank}
	matched := make([]bool, len(rowOf))
	for j, i := range rowOf {
		if i == none {
			err.Columns = append(err.Columns, j)
		} else {
			matched[i] = true
		}
	}
	for i, ok := range matched {
		if !ok {
			err.Rows = append(err.Rows, i)
		}
	}
	return err
}

// withoutPivot names the rows and columns that the elimination left over.
func (lu *LU) withoutPivot() error {
	n := lu.order()
	err := &SingularError{N: n, StructuralRank: n}
	for k, i := range lu.rowOrder {
		if i == none {
			err.Columns = append(err.Columns, int(lu.colOrder[k]))
		}
	}
	for i, k := range lu.rowPos {
		if k == none {
			err.Rows = append(err.Rows, i)
		}
	}
	slices.Sort(err.Columns)
	return err
}
