package hessian_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/sparsity"
)

// The Hessian of Σ (xᵢxᵢ₊₁)²/2, whose product with v is written by hand.
func ExampleNewCompressed() {
	hv := func(dst, x, v []float64) {
		clear(dst)
		for i := range len(x) - 1 {
			a, b := x[i], x[i+1]
			dst[i] += b*b*v[i] + 2*a*b*v[i+1]
			dst[i+1] += 2*a*b*v[i] + a*a*v[i+1]
		}
	}
	pattern := sparsity.FromCoordinates(4, 4, []int{0, 1, 2, 3, 0, 1, 2, 1, 2, 3}, []int{0, 1, 2, 3, 1, 2, 3, 0, 1, 2})
	c := hessian.NewCompressed(pattern, hv)
	x := []float64{1, 2, 3, 4}
	fmt.Println(mat.Formatted(c.Eval(nil, x)))
	fmt.Println(c.Coloring().Num(), "products,", c.Verify(x))
	// Output:
	// ⎡ 4   4   0   0⎤
	// ⎢ 4  10  12   0⎥
	// ⎢ 0  12  20  24⎥
	// ⎣ 0   0  24   9⎦
	// 3 products, <nil>
}
