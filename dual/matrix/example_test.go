package matrix_test

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// energy is bᵀA(x)⁻¹b, A(x) being a stiffness matrix.
func energy[T dual.Scalar[T]](x []T) T {
	a := matrix.New[T](2, 2, nil) // of which the lower triangle is read
	a.Set(0, 0, x[0].Add(x[1]))
	a.Set(1, 0, x[1].Neg())
	a.Set(1, 1, x[1].Add(x[2]))
	b := dual.Consts[T](nil, []float64{1, 2})
	return dual.Dot(b, matrix.SolveSPDVec(nil, a, b))
}

// The solution of a system is one operation of the tape, whatever its order.
func Example() {
	x := []float64{1, 1, 1}
	tape, err := reverse.Record(energy, x)
	if err != nil {
		panic(err)
	}
	g, _ := tape.Gradient(nil, x)
	fmt.Printf("gradient %.4f\n", g)
	h, _ := hessian.New(tape, hessian.FoR).Dense(nil, x)
	fmt.Printf("Hessian\n%.4f\n", mat.Formatted(h))
	// Output:
	// gradient [-1.7778 -0.1111 -2.7778]
	// Hessian
	// ⎡ 2.3704  -0.2963   1.4815⎤
	// ⎢-0.2963   0.1481   0.3704⎥
	// ⎣ 1.4815   0.3704   3.7037⎦
}

func ExampleMul() {
	a := matrix.FromMat[dual.Number](mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	a.Set(0, 0, dual.Number{V: 1, D: 1})
	c := matrix.Mul(nil, a, a.T())
	for i := range c.Rows {
		fmt.Println(c.Row(i))
	}
	// Output:
	// [{5 2} {11 3}]
	// [{11 3} {25 0}]
}

func ExampleLogDetSPD() {
	f := func(x []reverse.Var) reverse.Var { return matrix.LogDetSPD(matrix.New(2, 2, x)) }
	x := []float64{2, 0, 1, 3} // the element above the diagonal is not read
	tape, err := reverse.Record(f, x)
	if err != nil {
		panic(err)
	}
	g, _ := tape.Gradient(nil, x)
	fmt.Printf("%.3f\n", g)
	_, err = tape.Gradient(nil, []float64{1, 0, 2, 1})
	var no *matrix.NotPositiveDefiniteError
	fmt.Println(errors.As(err, &no), err)
	// Output:
	// [0.600 0.000 -0.400 0.400]
	// true reverse: primitive LogDetSPD: matrix: matrix of order 2 is not positive definite
}

func ExampleEigenSym() {
	f := func(x []reverse.Var) reverse.Var { return matrix.EigenvaluesSym(matrix.New(2, 2, x))[1] }
	x := []float64{2, 0, 1, 2}
	tape, err := reverse.Record(f, x)
	if err != nil {
		panic(err)
	}
	v, g, _ := tape.ValueGradient(nil, x)
	fmt.Printf("%.3f %.3f\n", v, g)
	// Output: 3.000 [0.500 0.000 1.000 0.500]
}

// The log-likelihood of two observations by mean and covariance.
func ExampleLogNormal() {
	data := matrix.FromMat[reverse.Var](mat.NewDense(2, 2, []float64{1, 0, 0, 2}))
	f := func(x []reverse.Var) reverse.Var {
		return dual.Sum(matrix.LogNormal(nil, data, x[:2], matrix.Covariance, matrix.New(2, 2, x[2:])))
	}
	x := []float64{0, 0, 1, 0, 0, 1}
	tape, err := reverse.Record(f, x)
	if err != nil {
		panic(err)
	}
	v, g, _ := tape.ValueGradient(nil, x)
	fmt.Printf("%.4f %v\n", v, g)
	// Output: -6.1758 [1 2 -0.5 0 0 1]
}
