// Package matrix has the functions of linear algebra for every dual.Scalar: products,
// solutions, factorizations, determinants, eigenvalues, the exponential, and the
// densities that are made of them.
//
// # The problem
//
// A product of two n×n matrices is n³ multiplications, a Cholesky factorization n³/3
// operations. A tape that records them one by one takes as much memory as time. But
// their derivatives are products, solutions and factors of matrices again: with
// weights X̄ for X = A⁻¹B
//
//	B̄ = A⁻ᵀX̄,  Ā = −B̄Xᵀ,
//
// two more solutions with the factors that are there. So here a function of matrices is
// one operation of a tape, whose operands are the elements, O(n²) of them: values by the
// BLAS and LAPACK of gonum, derivatives of first and second order by formulas.
//
// # The smallest example
//
//	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
//		a := matrix.New(n, n, x[:n*n])
//		y := matrix.SolveVec(nil, a, x[n*n:])
//		return dual.Dot(y, y)
//	}, x)
//
// # Which function when
//
//	A·B, Ax, xᵀAx         Mul, MulVec, QuadForm
//	A⁻¹B                  SolveSPD if A is symmetric positive definite, SolveLower and
//	                      SolveUpper if it is triangular, else Solve; …Vec for a vector
//	ln det A              LogDetSPD, LogDet
//	A = LLᵀ               Cholesky
//	A⁻¹                   Inverse, where its elements are wanted
//	A = VΛVᵀ              EigenvaluesSym, EigenSym
//	e^A                   Expm
//	densities             LogNormal, LogStudent
//
// Functions of a symmetric matrix read its lower triangle alone: that is what they are
// functions of, and derivatives of elements above are 0. The log-density of a Gaussian
// process is LogNormal of one point with its covariance: of 300 observations that takes
// 0.6 of the time of Cholesky, SolveLowerVec and a sum of logarithms for a gradient, 0.3
// for a product with the Hessian.
//
// # Numbers
//
// One spelling serves every mode. On dual.Real the functions call BLAS too, so that
// values have the bits of those of a tape; on a detect.Tracer they are what their
// patterns say. On other numbers (Number, Hyper, Of) they are loops over elements, whose
// results differ from these by rounding: where a sum of n terms is added up in
// another order, by at most n·2⁻⁵² times the sum of magnitudes.
//
// Results do not depend on GOMAXPROCS: products are cut in blocks of 64, of which each is
// computed in one order by whatever goroutine. They are those of gonum for the processor
// at hand, whose kernels on amd64 add in another order than those in Go.
//
// # Constants
//
// What is constant for a tape (dual.Const, [FromMat]) is kept once, outside of it, and
// nothing is computed for it: a factor of Mul, the matrix or the right side of a solution,
// the points of a density, the matrix of QuadForm. A constant matrix of Solve is
// factorized while recording.
//
// # Errors
//
// A matrix that is singular or not positive definite is an error of a tape, when it is
// recorded or evaluated: a *[SingularError], *[NotPositiveDefiniteError],
// *[RepeatedEigenvalueError] or *[NotConvergedError], to be found by errors.As; dst is
// then as it was. Numbers of other modes have no place for an error: they are NaN, or
// infinite where a division by 0 is. A shape that does not fit panics.
//
// Where an operand is NaN or infinite, values are those of the loops over elements;
// derivatives of products and solutions that involve it are NaN, but 0 where direction
// or weights are. Where it is these that are not finite, beside a pole of another
// operation, a partial derivative that is 0 annihilates them as everywhere.
//
// # Cost
//
// In evaluations of the function written by hand with gonum, by go run ./bench dense on a
// 2-core x86-64 machine; every evaluation is at another point, so that all is factorized
// anew. The process is a Gaussian process with 300 points and 3 hyperparameters, the
// mixture that of 5 Gaussians in 10 dimensions and 1000 points, the perceptron one of
// three layers of width 256 and a batch of 128.
//
//	            tape     Value  Gradient  HVP
//	process     3.7 MB     0.5       1.5  3.8
//	mixture     1.1 MB     0.2       1.5  6.0
//	perceptron  6.8 MB     0.8       2.2  6.0
//
// A tape takes some 20 bytes for each element that is computed and 4 for each operand,
// and evaluations no memory in steady state but a few matrices, as many as the formula of
// the function names, for each goroutine that runs at once. An operation on small matrices
// takes some 0.3 µs for a value, 0.8 for a gradient: many alike matrices of order below
// some 12 are faster as loops over their elements, of which a tape makes batches (LogDetSPD
// of 200 matrices of order 8 twice, of order 3 ten times), at four times the memory.
//
// Directions go through an operation one by one: of eight as the columns of one matrix,
// BLAS takes as long, since products of rows with a vector are its fastest. MulVec is
// sums of products on a tape, of which sweeps take four rows and directions at once.
//
// # Conventions
//
// dst comes first, is allocated if nil, and may be one of the operands. Tapes of
// tangents have derivatives of any order, since these are written by functions of matrices
// (tangent.go); of those of adjoints third ones panic. Any number of goroutines may evaluate a tape: a factorization is kept with the operands that
// it belongs to, for the derivatives at the same point, one for each goroutine that runs at once.
package matrix
