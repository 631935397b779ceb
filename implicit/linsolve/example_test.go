package linsolve_test

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

// laplace returns tridiagonal(−1, 2, −1), n×n.
func laplace(n int) *sparsity.Matrix {
	a := sparsity.NewMatrix(sparsity.Banded(n, 1, 1))
	for i := range n {
		for _, j := range a.Pattern().Row(i) {
			v := -1.0
			if int(j) == i {
				v = 2
			}
			a.Values()[a.Pattern().Position(i, int(j))] = v
		}
	}
	return a
}

func ExampleLU() {
	a := laplace(5)
	var lu linsolve.LU
	if err := lu.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("entries of A and of its factors:", a.NNZ(), lu.NNZ())

	b := mat.NewVecDense(5, []float64{1, 0, 0, 0, 1})
	var x mat.VecDense
	if err := x.SolveVec(&lu, b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", x.RawVector().Data)
	// Output:
	// entries of A and of its factors: 13 13
	// [1.0000 1.0000 1.0000 1.0000 1.0000]
}

func ExampleLU_Refactorize() {
	a := laplace(1000)
	v := make([]float64, 1000)
	var lu linsolve.LU
	if err := lu.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	for _, shift := range []float64{0.01, 1, 100} {
		for i := range 1000 {
			a.Values()[a.Pattern().Position(i, i)] = 2 + shift
			v[i] = 1
		}
		if err := lu.Refactorize(a); err != nil {
			fmt.Println(err)
			return
		}
		if err := lu.SolveInto(v, false, v); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.4f\n", v[500])
	}
	// Output:
	// 100.0000
	// 1.0000
	// 0.0100
}

func ExampleCholesky() {
	// ½xᵀAx − bᵀx has its minimum where Ax = b. The lower triangle is enough.
	lower := sparsity.NewMatrix(sparsity.Banded(5, 1, 0))
	copy(lower.Values(), []float64{2, -1, 2, -1, 2, -1, 2, -1, 2})
	var c linsolve.Cholesky
	if err := c.Factorize(sparsity.NewSymMatrix(lower)); err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{1, 0, 0, 0, 1}
	if err := c.SolveInto(x, x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", x)
	fmt.Printf("determinant %.4f\n", math.Exp(c.LogDet()))
	// Output:
	// [1.0000 1.0000 1.0000 1.0000 1.0000]
	// determinant 6.0000
}

func ExampleCholesky_RefactorizeShift() {
	// x² + 4xy + y² has a saddle: no Newton step leads down from there.
	lower := sparsity.NewMatrix(sparsity.Full(2, 2).Lower())
	copy(lower.Values(), []float64{2, 4, 2})
	h := sparsity.NewSymMatrix(lower)
	var c linsolve.Cholesky
	err := c.Factorize(h)
	fmt.Println(err)

	// But this direction does.
	fmt.Println(c.NegativeCurvature(nil))

	// The eigenvalues are −2 and 6.
	for _, lambda := range []float64{1.9, 2.1} {
		fmt.Println(lambda, c.RefactorizeShift(h, lambda) == nil)
	}
	// Output:
	// linsolve: matrix of order 2 is not positive definite: pivot -6 of variable 0 in step 1
	// [1 -2]
	// 1.9 false
	// 2.1 true
}

// Variances of the unknowns of a chain, and how neighbors vary together.
func ExampleCholesky_Inverse() {
	precision := sparsity.NewMatrix(sparsity.Banded(3, 1, 0))
	copy(precision.Values(), []float64{2, -1, 2, -1, 2})
	var c linsolve.Cholesky
	if err := c.Factorize(sparsity.NewSymMatrix(precision)); err != nil {
		fmt.Println(err)
		return
	}
	covariance, err := c.Inverse(nil)
	fmt.Printf("%.2f %v\n", covariance.Triangle().Values(), err)
	// Output: [0.75 0.50 1.00 0.50 0.75] <nil>
}

// How the variances of a chain change with the precision of its first link.
func ExampleCholesky_InverseTangent() {
	precision := sparsity.NewMatrix(sparsity.Banded(3, 1, 0))
	copy(precision.Values(), []float64{2, -1, 2, -1, 2})
	change := sparsity.NewMatrix(precision.Pattern())
	change.Values()[0] = 1
	var c linsolve.Cholesky
	if err := c.Factorize(sparsity.NewSymMatrix(precision)); err != nil {
		fmt.Println(err)
		return
	}
	d, err := c.InverseTangent(nil, sparsity.NewSymMatrix(change))
	fmt.Printf("%.4f %.4f %.4f %v\n", d.At(0, 0), d.At(1, 1), d.At(2, 2), err)
	// Output: -0.5625 -0.2500 -0.0625 <nil>
}

func ExampleLDL() {
	// Minimize x² + 2y² subject to x + y = 3: [H Jᵀ; J 0] [x; y; z] = [0; 0; 3], with
	// the lower triangle of H = Diag(2, 4) and J = [1 1].
	lower := sparsity.NewMatrix(sparsity.FromCoordinates(3, 3, []int{0, 1, 2, 2}, []int{0, 1, 0, 1}))
	copy(lower.Values(), []float64{2, 4, 1, 1})
	var f linsolve.LDL
	if err := f.Factorize(sparsity.NewSymMatrix(lower)); err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{0, 0, 3}
	if err := f.SolveInto(x, x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", x)

	// Two variables and a constraint: it is a minimum.
	fmt.Println(f.Inertia())
	// Output:
	// [2.0000 1.0000 -4.0000]
	// 2 1 0
}

func ExampleQR() {
	// A line through (0, 1), (1, 3), (2, 4), (3, 7): the least squares of y − α − βx.
	a := sparsity.NewMatrix(sparsity.Full(4, 2))
	y := []float64{1, 3, 4, 7}
	for i := range y {
		a.Values()[2*i], a.Values()[2*i+1] = 1, float64(i)
	}
	var qr linsolve.QR
	if err := qr.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	fit := make([]float64, 2)
	if err := qr.SolveInto(fit, false, y); err != nil {
		fmt.Println(err)
		return
	}
	// The variance of y is that of the residuals over 4 − 2 degrees of freedom.
	variance := 0.0
	for i, y := range y {
		r := y - fit[0] - fit[1]*float64(i)
		variance += r * r / 2
	}
	for j, v := range qr.InverseDiagonal(nil) {
		fmt.Printf("%.3f ± %.3f\n", fit[j], math.Sqrt(variance*v))
	}
	// Output:
	// 0.900 ± 0.495
	// 1.900 ± 0.265
}

func ExampleSingularError() {
	// The first and the last equation both determine x₁ alone.
	a := sparsity.NewMatrix(sparsity.FromCoordinates(3, 3, []int{0, 1, 1, 1, 2}, []int{1, 0, 1, 2, 1}))
	for k := range a.Values() {
		a.Values()[k] = 1
	}
	var lu linsolve.LU
	err := lu.Factorize(a)
	fmt.Println(err)

	var singular *linsolve.SingularError
	fmt.Println(errors.As(err, &singular), singular.StructuralRank)
	// Output:
	// linsolve: matrix of order 3 has structural rank 2: nothing for row 2 and column 2
	// true 2
}

func ExampleKrylov_GMRES() {
	// x_i + x_{i+1}/2 = b_i in a ring, known by its product only.
	a := func(dst, x []float64) {
		for i := range x {
			dst[i] = x[i] + 0.5*x[(i+1)%len(x)]
		}
	}
	b := make([]float64, 1000)
	for i := range b {
		b[i] = 2 + float64(i%2)
	}
	x, err := new(linsolve.Krylov).GMRES(nil, a, b)
	fmt.Printf("%.4f %v\n", x[:4], err)

	_, err = (&linsolve.Krylov{MaxIterations: 1}).GMRES(nil, a, b)
	fmt.Println(err)
	// Output:
	// [0.6667 2.6667 0.6667 2.6667] <nil>
	// linsolve: no convergence after 1 iterations, relative residual 0.13
}

func ExampleKrylov_BiCGStab() {
	a := laplace(100)
	product := func(dst, x []float64) {
		a.MulVecTo(mat.NewVecDense(100, dst), false, mat.NewVecDense(100, x))
	}
	// The LU of a nearby matrix as preconditioner.
	var near linsolve.LU
	if err := near.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	a.Values()[0] = 3
	s := linsolve.Krylov{
		MaxIterations: 3,
		Right: func(dst, x []float64) {
			if err := near.SolveInto(dst, false, x); err != nil {
				panic(err)
			}
		},
	}
	b := make([]float64, 100)
	b[0] = 201
	x, err := s.BiCGStab(nil, product, b)
	fmt.Printf("%.2f %v\n", x[0], err)
	// Output:
	// 100.00 <nil>
}
