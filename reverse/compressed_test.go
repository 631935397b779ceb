package reverse_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// The Jacobian of (x₀x₁, x₁x₂, x₂²) by products with it, written by hand: two, since the
// first and the last column share no row.
func ExampleNewCompressed() {
	jv := func(dst, x, v []float64) {
		dst[0] = x[1]*v[0] + x[0]*v[1]
		dst[1] = x[2]*v[1] + x[1]*v[2]
		dst[2] = 2 * x[2] * v[2]
	}
	pattern := sparsity.FromCoordinates(3, 3, []int{0, 0, 1, 1, 2}, []int{0, 1, 1, 2, 2})
	c := reverse.NewCompressed(pattern, jv, nil)
	x := []float64{1, 2, 3}
	fmt.Println(mat.Formatted(c.Eval(nil, x)))
	fmt.Println(c.Coloring().Num(), "products,", c.Verify(x))
	// Output:
	// ⎡2  1  0⎤
	// ⎢0  3  2⎥
	// ⎣0  0  6⎦
	// 2 products, <nil>
}
