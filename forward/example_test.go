package forward_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
)

func cube[T dual.Scalar[T]](x T) T { return x.Mul(x).Mul(x) }

func rosenbrock[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 0; i+1 < len(x); i++ {
		a := x[i+1].Sub(x[i].Square())
		b := x[i].RSub(1)
		s = s.Add(a.Square().Scale(100).Add(b.Square()))
	}
	return s
}

// polar takes polar coordinates to Cartesian ones.
func polar[T dual.Scalar[T]](x []T) []T {
	r, phi := x[0], x[1]
	return []T{r.Mul(phi.Cos()), r.Mul(phi.Sin())}
}

// differences has the components x₁ − x₀², x₂ − x₁², ….
func differences[T dual.Scalar[T]](x []T) []T {
	y := make([]T, len(x)-1)
	for i := range y {
		y[i] = x[i+1].Sub(x[i].Square())
	}
	return y
}

func ExampleDerivative() {
	y, dy := forward.Derivative(cube, 2)
	fmt.Println(y, dy)
	// Output: 8 12
}

// The derivative of an iteration until convergence: Newton's method for √a,
// which nothing has to be recorded for.
func ExampleDerivative_iteration() {
	sqrt := func(a dual.Number) dual.Number {
		r, before := a, dual.Number{}
		for r != before {
			r, before = r.Add(a.Div(r)).Scale(0.5), r
		}
		return r
	}
	y, dy := forward.Derivative(sqrt, 4)
	fmt.Println(y, dy)
	// Output: 2 0.25
}

func ExampleSecondDerivative() {
	y, dy, d2y := forward.SecondDerivative(cube, 2)
	fmt.Println(y, dy, d2y)
	// Output: 8 12 12
}

func ExampleDirectional() {
	y, dy := forward.Directional(rosenbrock, []float64{-1, 2}, []float64{1, 1})
	fmt.Println(y, dy)
	// Output: 104 596
}

func ExampleGradient() {
	x := []float64{-1, 2}
	g := forward.Gradient(nil, rosenbrock, x)
	fmt.Println(g)

	forward.Gradient(g, rosenbrock, []float64{1, 1}) // into the same memory
	fmt.Println(g)
	// Output:
	// [396 200]
	// [0 0]
}

func ExampleJVP() {
	dy := forward.JVP(nil, polar, []float64{2, 0}, []float64{1, 1})
	fmt.Println(dy)
	// Output: [1 2]
}

func ExampleJacobian() {
	j := forward.Jacobian(nil, polar, []float64{2, 0})
	fmt.Println(mat.Formatted(j))
	// Output:
	// ⎡1  0⎤
	// ⎣0  2⎦
}

// Each component depends on two neighboring variables, so that two groups hold
// the whole Jacobian: column 0 of B has −2x₀, 1, −2x₂, the even columns of J,
// column 1 the odd ones.
func ExampleCompressed() {
	x := []float64{1, 2, 3, 4}
	b := forward.Compressed(nil, differences, x, [][]int{{0, 2}, {1, 3}})
	fmt.Println(mat.Formatted(b))
	// Output:
	// ⎡-2   1⎤
	// ⎢ 1  -4⎥
	// ⎣-6   1⎦
}
