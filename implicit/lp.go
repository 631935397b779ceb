package implicit

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
)

// LP solves the linear program
//
//	minimize cᵀx subject to Ax = b, x ≥ 0
//
// by gonum's lp.Simplex, and differentiates its solution: w = [x; y] with the
// dual variables y of Aᵀy ≤ c, and λ = [A; b; c], A row by row. The equations
// are Ax = b and xⱼ(Aᵀy − c)ⱼ = 0, with the matrix
//
//	[A               0        ]
//	[Diag(Aᵀy − c)   Diag(x)Aᵀ],
//
// and the optimal value cᵀx has the gradient [−yxᵀ; y; x].
//
// It panics if shapes do not fit. A number that is infinite or NaN gives a
// *linsolve.NonFiniteError with its place in [A b; cᵀ 0]. Errors of lp.Simplex, as for a program that is
// infeasible or unbounded, are wrapped. Where to within rounding fewer than m of
// the n elements of x are positive, so that y is not unique, or the reduced cost
// of a nonbasic variable is 0, so that x is not, the solution has no derivative
// and the error is a *linsolve.SingularError; equation m+j is that of xⱼ,
// unknown n+i is yᵢ. Cost: that of the simplex method, and O(m³) for an inverse.
func LP(c []float64, a mat.Matrix, b []float64) (*Solution, error) {
	m, n := a.Dims()
	if len(c) != n || len(b) != m {
		panic(fmt.Sprintf("implicit: A is %d×%d, c has length %d and b %d", m, n, len(c), len(b)))
	}
	for i := range m + 1 {
		for j := range n + 1 {
			v := 0.0
			switch {
			case i < m && j < n:
				v = a.At(i, j)
			case i < m:
				v = b[i]
			case j < n:
				v = c[j]
			}
			if !finite(v) {
				return nil, &linsolve.NonFiniteError{Row: i, Column: j, Value: v}
			}
		}
	}
	_, x, err := lp.Simplex(c, a, b, 0, nil)
	if err != nil {
		return nil, fmt.Errorf("implicit: %w", err)
	}
	dense := mat.DenseCopyOf(a)
	y, err := lpDual(dense, b, c, x)
	if err != nil {
		return nil, err
	}
	w := slices.Concat(x, y)
	lambda := slices.Concat(dense.RawMatrix().Data, b, c)
	f, err := Record(func(w, lambda []reverse.Var) []reverse.Var {
		x, y := w[:n], w[n:]
		a, b, c := lambda[:m*n], lambda[m*n:m*n+m], lambda[m*n+m:]
		out := make([]reverse.Var, 0, m+n)
		for i := range m {
			out = append(out, dual.Dot(a[i*n:(i+1)*n], x).Sub(b[i]))
		}
		column := make([]reverse.Var, m)
		for j := range n {
			for i := range m {
				column[i] = a[i*n+j]
			}
			out = append(out, x[j].Mul(dual.Dot(column, y).Sub(c[j])))
		}
		return out
	}, w, lambda)
	if err != nil {
		return nil, err
	}
	return At(f, w, lambda)
}

// manyRoundings bounds the rounding errors, of all numbers that go into it, that
// may make a number out of 0.
const manyRoundings = 1000 * epsilon

// lpDual is y of A_Bᵀy = c_B, where the basis B is the support of x: lp.Simplex
// returns neither.
func lpDual(a *mat.Dense, b, c, x []float64) ([]float64, error) {
	m, n := a.Dims()
	var basis []int
	for j, x := range x {
		if x > 0 {
			basis = append(basis, j)
		}
	}
	if len(basis) != m {
		return nil, degenerate(a, basis)
	}
	basic := columnsOf(a, basis)
	var inverse mat.Dense
	if err := inverse.Inverse(basic); err != nil {
		return nil, degenerate(a, basis)
	}
	// An error of a residual comes back through the inverse.
	noise := absMul(&inverse, absMul(a, x, b), nil)
	positive := slices.Clone(basis)
	for k, j := range basis {
		if x[j] <= manyRoundings*noise[k] {
			positive = slices.DeleteFunc(positive, func(i int) bool { return i == j })
		}
	}
	if len(positive) < m {
		return nil, degenerate(a, positive)
	}

	cB := make([]float64, m)
	for k, j := range basis {
		cB[k] = c[j]
	}
	y := make([]float64, m)
	mat.NewVecDense(m, y).MulVec(inverse.T(), mat.NewVecDense(m, cB))
	noise = absMul(inverse.T(), absMul(basic.T(), y, cB), nil)
	for i, y := range y {
		noise[i] += math.Abs(y)
	}
	noise = absMul(a.T(), noise, c)
	for j := range n {
		if slices.Contains(basis, j) {
			continue
		}
		column := a.ColView(j)
		reduced := c[j] - mat.Dot(column, mat.NewVecDense(m, y))
		if math.Abs(reduced) <= manyRoundings*noise[j] {
			// Along this edge of the feasible set nothing changes.
			var edge mat.VecDense
			edge.MulVec(&inverse, column)
			err := &linsolve.SingularError{N: n + m, StructuralRank: n + m, Rows: []int{m + j}, Columns: []int{j}}
			for k, i := range basis {
				if math.Abs(edge.AtVec(k)) >= 0.1*max(1, mat.Norm(&edge, math.Inf(1))) {
					err.Columns = append(err.Columns, i)
				}
			}
			slices.Sort(err.Columns)
			return nil, err
		}
		if reduced < 0 {
			return nil, &ComplementarityError{Inequality: j, Slack: x[j], Multiplier: reduced}
		}
	}
	return y, nil
}

// degenerate names the y that A_Bᵀy = c_B leaves open, and their equations.
func degenerate(a *mat.Dense, basis []int) error {
	m, n := a.Dims()
	err := &linsolve.SingularError{N: n + m, StructuralRank: n + m}
	open := mat.NewDense(m, m, nil) // a basis of the space orthogonal to A_B
	for i := range m {
		open.Set(i, i, 1)
	}
	if len(basis) > 0 {
		var svd mat.SVD
		if !svd.Factorize(columnsOf(a, basis), mat.SVDFullU) {
			return err
		}
		svd.UTo(open)
		for k, sigma := range svd.Values(nil) {
			if sigma > float64(m)*manyRoundings*svd.Values(nil)[0] {
				open.ColView(k).(*mat.VecDense).Zero()
			}
		}
	}
	for i := range m {
		if floats.Norm(open.RawRowView(i), math.Inf(1)) >= 0.1 {
			err.Rows = append(err.Rows, i)
			err.Columns = append(err.Columns, n+i)
		}
	}
	return err
}

func columnsOf(a *mat.Dense, columns []int) *mat.Dense {
	m, _ := a.Dims()
	d := mat.NewDense(m, len(columns), nil)
	for k, j := range columns {
		d.ColView(k).(*mat.VecDense).CopyVec(a.ColView(j))
	}
	return d
}

// absMul is |A||x| + |b|, b nil for 0.
func absMul(a mat.Matrix, x, b []float64) []float64 {
	m, n := a.Dims()
	y := make([]float64, m)
	for i := range y {
		if b != nil {
			y[i] = math.Abs(b[i])
		}
		for j := range n {
			y[i] += math.Abs(a.At(i, j) * x[j])
		}
	}
	return y
}
