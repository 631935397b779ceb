package dual_test

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// rosenbrock is (1 − x₀)² + 100·(x₁ − x₀²)².
func rosenbrock[T dual.Scalar[T]](x []T) T {
	return x[0].RSub(1).Square().Add(x[1].Sub(x[0].Square()).Square().Scale(100))
}

func Example() {
	fmt.Println(rosenbrock([]dual.Real{2, 3}))
	// The derivative along (1, 0) is ∂f/∂x₀.
	y := rosenbrock([]dual.Number{{V: 2, D: 1}, {V: 3}})
	fmt.Println(y.V, y.D)
	// Output:
	// 101
	// 101 802
}

func ExampleNumber() {
	x := dual.Number{V: 3, D: 1}
	y := x.Add(x.Square())
	fmt.Println(y.V, y.D)
	// Output: 12 7
}

func ExampleHyper() {
	// The Hessian of the Rosenbrock function at its minimum (1, 1), entry by
	// entry: directions eᵢ and eⱼ.
	var h [2][2]float64
	for i := range h {
		for j := range h {
			x := []dual.Hyper{{V: 1}, {V: 1}}
			x[i].D1 = 1
			x[j].D2 = 1
			h[i][j] = rosenbrock(x).D12
		}
	}
	fmt.Println(h)
	// Output: [[802 -400] [-400 200]]
}

func ExampleOf() {
	// The third derivative of x⁴ at 2: Hyper inside carries two, Of the third.
	x := dual.Of[dual.Hyper]{V: dual.Hyper{V: 2, D1: 1, D2: 1}, D: dual.Hyper{V: 1}}
	y := x.PowInt(4)
	fmt.Println(y.V.V, y.V.D1, y.V.D12, y.D.D12)
	// Output: 16 32 48 48
}

func ExampleAffine() {
	x := []dual.Number{{V: 1, D: 1}, {V: 2}}
	fmt.Println(dual.Affine(10, []float64{3, 4}, x))
	// Output: {21 3}
}

func ExampleConsts() {
	data := []float64{1, 2}
	x := []dual.Number{{V: 3, D: 1}, {V: 4}}
	y := dual.Consts[dual.Number](nil, data)
	fmt.Println(dual.Dot(x, y), dual.Const[dual.Number](5))
	// Output: {11 1} {5 0}
}

func ExampleDot() {
	x := []dual.Number{{V: 1, D: 1}, {V: 2}}
	fmt.Println(dual.Dot(x, x))
	// Output: {5 2}
}

func ExampleDotReal() {
	fmt.Println(dual.DotReal([]float64{2, -1}, []dual.Real{3, 4}))
	// Output: 2
}

func ExampleSumSquares() {
	fmt.Println(dual.SumSquares([]dual.Real{3, 4}))
	// Output: 25
}

func ExampleAddScaled() {
	fmt.Println(dual.AddScaled(dual.Real(1), 0.5, 4))
	// Output: 3
}

func ExampleMulAdd() {
	fmt.Println(dual.MulAdd(dual.Real(2), 3, 4, 5))
	// Output: 26
}

// The median of an exponential distribution is ln 2 over its rate.
func ExampleRegIncGamma() {
	fmt.Printf("%.6f\n", float64(dual.RegIncGamma[dual.Real](1, math.Ln2)))
	y := dual.RegIncGamma(dual.Number{V: 1, D: 1}, dual.Number{V: 1})
	fmt.Printf("%.6f\n", y.D) // in the shape
	// Output:
	// 0.500000
	// -0.431730
}

// At x = ½ two equal parameters share the mass.
func ExampleRegIncBeta() {
	fmt.Printf("%.3f\n", float64(dual.RegIncBeta[dual.Real](2.5, 2.5, 0.5)))
	// Output: 0.500
}

func ExampleNorm2() {
	fmt.Printf("%.3f\n", dual.Norm2([]dual.Number{{V: 3, D: 1}, {V: 4}}))
	fmt.Printf("%.3f\n", dual.Norm2([]dual.Number{{V: 0, D: 1}, {V: 0}}))
	// Output:
	// {5.000 0.600}
	// {0.000 0.000}
}

func ExamplePolyval() {
	// 1 − 3x + 2x² and its derivative at 2
	fmt.Println(dual.Polyval([]float64{1, -3, 2}, dual.Number{V: 2, D: 1}))
	// Output: {3 5}
}

func ExampleLogSumExp() {
	fmt.Println(dual.LogSumExp([]dual.Real{1000, -1000}))
	// Output: 1000
}

func ExampleSoftmax() {
	fmt.Println(dual.Softmax(nil, []dual.Real{1000, 1000, -1000}))
	// Output: [0.5 0.5 0]
}

func ExampleReLU() {
	for _, x := range []float64{-2, 0, 2} {
		fmt.Println(dual.ReLU(dual.Number{V: x, D: 1}))
	}
	// Output:
	// {0 0}
	// {0 0}
	// {2 1}
}

// The gain of a filter 1/(1 + iωRC), and its derivative by ω.
func ExampleComplex() {
	gain := func(omega dual.Number) dual.Number {
		one := dual.ConstComplex[dual.Number](1)
		return one.Div(one.Add(dual.NewComplex(dual.Number{}, omega.Scale(2)))).Abs()
	}
	fmt.Printf("%.4f\n", gain(dual.Number{V: 1, D: 1}))
	// Output: {0.4472 -0.3578}
}
