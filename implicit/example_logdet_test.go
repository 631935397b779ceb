package implicit_test

import (
	"fmt"

	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// The log det of the precision of a chain, by its diagonal d and what couples neighbors, e.
func ExampleLogDet() {
	p := sparsity.Banded(4, 1, 0)
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		var elements []reverse.Var
		for i, j := range p.All() {
			if i == j {
				elements = append(elements, x[0])
			} else {
				elements = append(elements, x[1])
			}
		}
		return implicit.LogDet(p, elements)
	})
	// det = d⁴ − 3d²e² + e⁴ = 55 at (3, −1).
	value, g, err := f.ValueGradient(nil, []float64{3, -1})
	fmt.Printf("%.6f %.4f %v\n", value, g, err)
	// Output: 4.007333 [1.6364 0.9091] <nil>
}
